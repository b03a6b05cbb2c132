"""Statements of findings: what a sentence is about, the sentence for people, and the values in it for other code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Value = str | float | bool | Sequence[Any] | Mapping[str, Any] | None
"""What a statement can hold: what JSON can write."""


@dataclass(frozen=True)
class Kind:
    """A kind of statements.

    Parameters
    ----------
    meaning
        What a statement of this kind says.
    values
        The names of its values, each with what it holds.
    """

    meaning: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """One thing that a finding says.

    Parameters
    ----------
    kind
        What it is about, one of the kinds of its finding: ``sessionkit schema statements`` lists them.
    text
        A sentence or more for people. No code reads anything out of it: its words may change with any version.
    values
        What the sentence says, as data: by name, numbers not rounded. Null is what there is not.

    Examples
    --------
    >>> Statement("left_out", "Sessions without user_id: 3.", {"what": "sessions without user_id", "count": 3}).values["count"]
    3
    """

    kind: str
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Let nobody change the values."""
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __reduce__(self) -> tuple[type[Statement], tuple[str, str, dict[str, Value]]]:
        """Let it be copied and pickled."""
        return Statement, (self.kind, self.text, dict(self.values))


def require_kinds(statements: Iterable[Statement], kinds: Mapping[str, Kind]) -> None:
    """Raise an error if a statement is of no kind that is declared, or has other values than its kind.

    >>> require_kinds([Statement("left_out", "3 sessions.")], {"left_out": Kind("What was left out", {"count": "how many"})})
    Traceback (most recent call last):
    ValueError: a statement 'left_out' has values [], its kind declares ['count']
    """
    for statement in statements:
        if statement.kind not in kinds:
            msg = f"no kind of statement {statement.kind!r} is declared, only {[*kinds]}"
            raise ValueError(msg)
        if set(statement.values) != set(kinds[statement.kind].values):
            msg = f"a statement {statement.kind!r} has values {[*statement.values]}, its kind declares {[*kinds[statement.kind].values]}"
            raise ValueError(msg)
