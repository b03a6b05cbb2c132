"""Engines: where the kernel of `sessionkit.scoring` runs when one machine is not enough. There is one, `spark`.

In come a saved study or tables of an engine; out goes the table of `sessionkit.score`. Open `spark/engine.py` first.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

__all__ = ["spark"]


def __getattr__(name: str) -> ModuleType:
    """Import an engine when it is first used."""
    if name in __all__:
        return importlib.import_module(f"sessionkit.engines.{name}")
    msg = f"module 'sessionkit.engines' has no attribute {name!r}"
    raise AttributeError(msg)
