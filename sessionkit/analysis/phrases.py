"""Phrases that readings share: an interval, a verdict, what was left out, what is not read out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sessionkit.display.numbers import readable
from sessionkit.display.words import counted
from sessionkit.study.restriction import Restriction

NOT_SHOWN = "No difference is shown; any difference within the interval remains possible."
"""What is said of a test that rejects nothing."""
NOT_SHOWN_CORRECTED = (
    "No difference is shown after correction: the interval excludes 0, but it is unadjusted; the adjusted p decides."
)
"""The same where an unadjusted interval excludes 0."""
UNADJUSTED = (
    "Note: intervals are unadjusted, each for one comparison alone; the adjusted p decides. correction=bonferroni gives intervals "
    "that match its p."
)
"""What a reader must know of intervals beside p-values that are corrected by Holm's procedure."""


def reading_of(sentences: Iterable[str], restriction: Restriction | None = None) -> str:
    """A reading: a line for each thing to say, in which no name from a log starts a line of its own or acts on a terminal.

    Where only some sessions take part, it begins with which these are.

    >>> print(reading_of(["The mean of A\\nB is higher.", "That holds."]))
    The mean of A\\nB is higher.
    That holds.
    """
    chosen = [] if restriction is None else [f"Sessions where {restriction}."]
    return "\n".join("".join(map(_shown, sentence)) for sentence in [*chosen, *sentences])


def _shown(character: str) -> str:
    """A character, written out where it cannot be seen."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def interval_text(low: float | None, high: float | None, alpha: float, digits: int | None = None) -> str:
    """An interval with its confidence; None is an end that there is not, `digits` stand behind the point if given.

    >>> interval_text(0.1, 0.25, 0.05), interval_text(0.0, None, 0.01, digits=2)
    ('95% interval 0.1000 to 0.2500', '99% interval from 0.00 up')
    """
    return f"{level_text(alpha)} interval {ends(low, high, digits)}"


def level_text(alpha: float) -> str:
    """The confidence of an interval.

    >>> level_text(0.05), level_text(1e-9)
    ('95%', '99.9999999%')
    """
    return f"{100 * (1 - alpha):.12g}%"


def ends(low: float | None, high: float | None, digits: int | None = None) -> str:
    """From where to where an interval goes; None is without end, `digits` stand behind the point if given.

    >>> ends(0.1, 0.25, digits=2), ends(0.0, None), ends(None, None)
    ('0.10 to 0.25', 'from 0.0000 up', 'unbounded')
    """
    first, last = (
        None if end is None else readable(end) if digits is None else f"{end:.{digits}f}" for end in (low, high)
    )
    if first is not None and last is not None:
        return f"{first} to {last}"
    if first is not None:
        return f"from {first} up"
    return "unbounded" if last is None else f"up to {last}"


def detectable_text(difference: float | None) -> str:
    """The true difference that would have been detected with power .8; empty where it is not known.

    >>> detectable_text(0.0713)
    ' A true difference of 0.0713 would be detected with power 0.8.'
    """
    return (
        "" if difference is None else f" A true difference of {readable(difference)} would be detected with power 0.8."
    )


def left_out_note(measure: str, left_out: Mapping[str, int]) -> list[str]:
    """What one measure left out, as a note; none where it left out nothing.

    >>> left_out_note("AP", {"undefined sessions": 3, "sessions without user_id": 1})
    ['AP: left out undefined sessions (3), sessions without user_id (1)']
    """
    listed = ", ".join(f"{what} ({count:,})" for what, count in left_out.items())
    return [f"{measure}: left out {listed}"] if left_out else []


def left_out_lines(left_out: Mapping[str, int]) -> list[str]:
    """What was left out, a sentence each.

    >>> left_out_lines({"sessions without system_id": 1200})
    ['Sessions without system_id: 1,200.']
    """
    return [f"{what[:1].upper()}{what[1:]}: {count:,}." for what, count in left_out.items()]


def more_in_table(more: int, one: str) -> list[str]:
    """That a table has more rows than were read out; none where it has not.

    >>> more_in_table(2, "comparison"), more_in_table(0, "comparison")
    (['2 more comparisons are in the table.'], [])
    """
    return [f"{counted(more, f'more {one}')} {'is' if more == 1 else 'are'} in the table."] if more > 0 else []
