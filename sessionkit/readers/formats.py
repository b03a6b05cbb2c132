"""What an entry of the registry of formats, ``FORMATS`` in this folder's ``__init__.py``, holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sessionkit.study import Study


@dataclass(frozen=True)
class Format:
    """One log format: what it is, in a line, and its reader, called as ``read(config, judgments, strict=..., memory=...)``."""

    description: str
    read: Callable[..., Study]
