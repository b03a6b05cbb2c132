"""What a comparison is held to: the target in words, what was measured in the same words, and whether it was met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tests.benchmarks.measuring import Comparison


class Target(Protocol):
    """What a row of the table asks for."""

    @property
    def text(self) -> str:
        """The target in words."""

    def measured(self, found: Comparison) -> str:
        """What was measured, in the target's words."""

    def met(self, found: Comparison) -> bool | None:
        """Whether it was met; None where there is nothing to meet."""


@dataclass(frozen=True)
class AtMost:
    """Time at most a multiple of the baseline's and, perhaps, a peak of memory below so many MiB."""

    times: float
    of: str
    peak: float | None = None

    @property
    def text(self) -> str:
        return f"at most {self.times:g} x {self.of}" + (f"; peak under {self.peak:,.0f} MiB" if self.peak else "")

    def measured(self, found: Comparison) -> str:
        return f"{found.ratio:.2f} x"

    def met(self, found: Comparison) -> bool:
        return found.ratio <= self.times and (self.peak is None or found.peak < self.peak)


@dataclass(frozen=True)
class Told:
    """A ratio to a baseline that is told and held to nothing."""

    of: str
    text: str = ""

    def measured(self, found: Comparison) -> str:
        return f"{found.ratio:.2f} x {self.of}"

    def met(self, _found: Comparison) -> None:
        return None


@dataclass(frozen=True)
class Faster:
    """So many times as fast as the baseline.

    Parameters
    ----------
    times, than
        How many times, and as what.
    part
        The part of the baseline that is told alone too: its own work, without what it takes to get there.
    held_to_part
        Whether the target is held to that part, rather than to the whole.
    """

    times: float
    than: str
    part: str
    held_to_part: bool = False

    @property
    def text(self) -> str:
        return f"{self.times:g} x as fast as {self.than}"

    def measured(self, found: Comparison) -> str:
        alone = f"its {self.part} alone ({found.part(self.part):.2f} s)"
        return f"{_times(1 / found.ratio)}; {_times(self._of_part(found))} {alone}"

    def met(self, found: Comparison) -> bool:
        return (self._of_part(found) if self.held_to_part else 1 / found.ratio) >= self.times

    def _of_part(self, found: Comparison) -> float:
        """How many times as fast as the part."""
        return found.part(self.part) / found.seconds


@dataclass(frozen=True)
class Growth:
    """Time and peak memory on ten times as much, as multiples of those on one."""

    seconds: float | None = None
    peak: float | None = None

    @property
    def text(self) -> str:
        asked = [("time", self.seconds), ("peak", self.peak)]
        return "; ".join(f"{name} at most {limit:g} x" for name, limit in asked if limit is not None)

    def measured(self, found: Comparison) -> str:
        return f"time {found.ratio:.1f} x; peak {found.peak_growth:.2f} x"

    def met(self, found: Comparison) -> bool | None:
        asked = [(found.ratio, self.seconds), (found.peak_growth, self.peak)]
        held = [value <= limit for value, limit in asked if limit is not None]
        return all(held) if held else None


@dataclass(frozen=True)
class Added:
    """So many milliseconds beyond the baseline."""

    milliseconds: float
    to: str

    @property
    def text(self) -> str:
        return f"at most {self.to} + {self.milliseconds:g} ms"

    def measured(self, found: Comparison) -> str:
        return f"+ {found.added * 1000:.0f} ms"

    def met(self, found: Comparison) -> bool:
        return found.added * 1000 <= self.milliseconds


@dataclass(frozen=True)
class Size:
    """Bytes beside the baseline's; what the works make are bytes."""

    of: str
    text: str = ""

    def measured(self, found: Comparison) -> str:
        ours, theirs = found.work[0].rows, found.baseline[0].rows
        return f"{ours / theirs:.2f} x {self.of} ({ours / 2**20:,.1f} of {theirs / 2**20:,.1f} MiB)"

    def met(self, _found: Comparison) -> None:
        return None


def _times(value: float) -> str:
    """Return how many times, to a digit after the point below ten."""
    return f"{value:.0f} x" if value >= 10 else f"{value:.1f} x"
