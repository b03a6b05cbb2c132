"""The scripts of pages that are our own, which lie beside the Python that feeds them."""

from __future__ import annotations

import functools
from importlib.resources import files


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
    text = files("sessionkit").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")
    if "</script" in text.lower() or "<!--" in text:
        msg = f"{name} would end the element that it stands in"
        raise ValueError(msg)
    return text
