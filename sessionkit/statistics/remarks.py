"""Remarks on the numbers of a finding: why something was not tested, or what was left out, brief and in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sessionkit.display.statements import Statement, Value


@dataclass(frozen=True)
class Remark:
    """What a reader of the numbers should know; its statement says it of a measure, and of a level of a column.

    Parameters
    ----------
    kind
        The kind of its statement.
    brief
        What there is to know, in a few words.
    values
        The same as data; ``reason`` is a short code.
    more
        What follows the brief words, such as what to do, with the punctuation before it.
    measure
        The measure that it is about; None, it is about all.
    level
        The level of a column that it is about, such as ``"skill novice"``.

    Examples
    --------
    >>> remark = Remark("not_tested", "every value is 1", {"reason": "constant", "value": 1.0}, "; there is nothing to test", "AP")
    >>> remark.text
    'AP: every value is 1; there is nothing to test'
    """

    kind: str
    brief: str
    values: Mapping[str, Value] = field(default_factory=dict)
    more: str = ""
    measure: str | None = None
    level: str | None = None

    @property
    def body(self) -> str:
        """All that it says, but for what it is about."""
        return f"{self.brief}{self.more}"

    @property
    def text(self) -> str:
        """What it says, as a sentence without its end."""
        about = [each for each in (self.level, self.measure) if each is not None]
        return ": ".join([*about, self.body])

    @property
    def statement(self) -> Statement:
        """The same as a statement of a finding."""
        return Statement(
            self.kind, f"Note: {self.text}.", {"level": self.level, "measure": self.measure, **self.values}
        )


REASONS = {
    "reason": "a short code",
    "groups": "the groups it is about; null, all",
    "n": "units, or levels, that there are",
    "value": "the number that it rests on, such as the one that all values have",
    "detail": "the name it rests on, such as that of a factor or a test",
}
"""What remarks on tests hold, beside the level and the measure."""


def not_tested(
    reason: str,
    brief: str,
    more: str = "",
    *,
    groups: list[str] | None = None,
    n: int | None = None,
    value: float | None = None,
    detail: str | None = None,
    kind: str = "not_tested",
) -> Remark:
    """Return the remark that something was not tested, see `REASONS`."""
    return Remark(kind, brief, {"reason": reason, "groups": groups, "n": n, "value": value, "detail": detail}, more)


def left_out(counts: Mapping[str, int], measure: str | None = None) -> list[Remark]:
    """Return the remark on what was left out; none where nothing was.

    >>> [remark.text for remark in left_out({"undefined sessions": 3, "sessions without user_id": 1}, "AP")]
    ['AP: left out undefined sessions (3), sessions without user_id (1)']
    """
    listed = ", ".join(f"{what} ({count:,})" for what, count in counts.items())
    return [Remark("left_out", f"left out {listed}", {"counts": dict(counts)}, measure=measure)] if counts else []
