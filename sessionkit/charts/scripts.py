"""The scripts and style sheets of pages that are our own, which lie beside the Python that feeds them."""

from __future__ import annotations

import functools
from importlib.resources import files

from markupsafe import Markup


@functools.cache
def script(name: str) -> str:
    """Return the text of a script.

    Parameters
    ----------
    name
        Its path within the package, such as ``"reports/live/discounts.js"``.

    Raises
    ------
    ValueError
        The script could not stand inside a page.
    """
    text = _read(name)
    if "</script" in text.lower() or "<!--" in text:
        msg = f"{name} would end the element that it stands in"
        raise ValueError(msg)
    return text


@functools.cache
def style(name: str) -> Markup:
    """Return a style sheet as the content of its element.

    Parameters
    ----------
    name
        Its path within the package, such as ``"reports/report.css"``.
    """
    return Markup(_read(name))  # noqa: S704 - a file of the package


def _read(name: str) -> str:
    """The text of a file of the package."""
    return files("sessionkit").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")
