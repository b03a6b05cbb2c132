"""Which further parts a report was asked for, and whether it can have them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from sessionkit.arguments import names_in
from sessionkit.choices import FurtherPart
from sessionkit.errors import UsageError, suggestion

NAMES: tuple[FurtherPart, ...] = get_args(FurtherPart)
"""What a report can have beside what it always has."""


@dataclass(frozen=True)
class Also:
    """Parts that were asked for.

    Parameters
    ----------
    parts
        Some of `NAMES`, in their order.
    difference
        The smallest true difference worth finding, which ``power`` plans for.
    """

    parts: tuple[str, ...] = ()
    difference: float | str | None = None

    @classmethod
    def of(cls, also: str | Iterable[str], difference: float | str | None = None) -> Also:
        """Check what was asked for.

        Raises
        ------
        UsageError
            There is no such part, power lacks its difference or a difference power, or it is no number.

        >>> Also.of("power, mixed", "10%").parts
        ('mixed', 'power')
        """
        asked = names_in("also", also)
        for name in asked:
            if name not in NAMES:
                raise UsageError(f"also can be {', '.join(NAMES)}, not {name!r}{suggestion(name, NAMES)}")
        parts = tuple(name for name in NAMES if name in asked)
        if "power" in parts and difference is None:
            msg = (
                "also=power needs the smallest true difference worth finding: declare one in the measure's units or as a share of "
                "the first group's mean, such as difference=10% (--difference 10%); do not take the one that the study found"
            )
            raise UsageError(msg)
        if difference is not None and "power" not in parts:
            raise UsageError(
                f"difference={difference} is what power is planned for; ask for it with also=power (--also power)"
            )
        if difference is not None:
            from sessionkit.analysis.power.options import said  # what was not asked for is not loaded

            said(difference)
        return cls(parts, difference)
