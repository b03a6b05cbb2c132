"""A session measure made from another measure, which stands inside its brackets: what aggregates and averages share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, cast

from sessionkit.choices import Depth, Duplicates, GradeSource, UndefinedValue, UnjudgedResults
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import Columns, Measure, SessionMeasure
from sessionkit.scoring.searcher import Searcher
from sessionkit.scoring.selection import Selection

FROM_INSIDE = ("min_grade", "depth", "duplicates", "unjudged", "grades", "undefined", "unjudged_topics", "queries")
"""Parameters of the measure inside that a wrapper tells and does not take."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Wrapper(Measure):
    """A session measure made from another measure, which stands inside its brackets."""

    level = "session"
    wraps = True
    without = (*FROM_INSIDE, "cutoff")
    """Which results count, and what an undefined value becomes, is said inside the brackets."""
    inside: ClassVar[Measure]
    """What can stand in the brackets, for messages."""
    takes: ClassVar[str] = "a measure of queries, or sDCG, nsDCG or sRBP"
    source = "sessionkit"

    of: Measure | None = None
    # as of the measure inside
    min_grade: float = field(default=1, init=False, compare=False)
    depth: Depth = field(default="all", init=False, compare=False)
    duplicates: Duplicates = field(default="all", init=False, compare=False)
    unjudged: UnjudgedResults = field(default="zero", init=False, compare=False)
    grades: GradeSource = field(default="judgments", init=False, compare=False)
    undefined: UndefinedValue = field(default="null", init=False, compare=False)
    unjudged_topics: UndefinedValue = field(default="null", init=False, compare=False)
    queries: int | None = field(default=None, init=False, compare=False)

    def __call__(self, of: Measure | None = None, **changes: Any) -> Self:  # noqa: ANN401 - parameters of any kind, checked by name
        """Wrap a measure: ``mean(nDCG @ 10)``."""
        if of is None and self.of is None:
            msg = f"{self.name} needs a measure inside: {self.name}({self.inside})"
            raise MeasureError(msg)
        made = self if of is None else replace(self, of=of)
        return Measure.__call__(made, **changes)

    def __post_init__(self) -> None:
        """Refuse a measure that cannot stand inside."""
        super().__post_init__()
        if self.of is None:
            return
        if (
            not isinstance(self.of, Measure)
            or (self.of.wraps and self.of.level != "query")
            or isinstance(self.of, SessionMeasure)
        ):
            msg = f"{self.name} takes {self.takes}, not {self.of}; for example {self.name}({self.inside})"
            raise MeasureError(msg)
        # what is better, the least that there can be, and which results count, is as with the measure inside
        facts = ["direction", "lowest", "may_read", *(["undefined_where"] if self.name != "nonlast" else [])]
        for fact in (*facts, *FROM_INSIDE):
            object.__setattr__(self, fact, getattr(self.of, fact))

    def __matmul__(self, cutoff: int) -> Self:
        """Refuse a cutoff, which belongs to the measure inside."""
        msg = f"{self.name} takes no cutoff of its own; write it inside: {self.name}({replace(cast('Any', self.inside), cutoff=cutoff)})"
        raise MeasureError(msg)

    def require_parameters(self) -> None:
        """Refuse a measure inside that lacks required ones."""
        self.inner.require_parameters()

    def vary(self, values: Mapping[str, object]) -> Measure:
        """The wrapper's own parameters, and those of the measure inside."""
        own = {name: value for name, value in values.items() if name in self.parameters()}
        inner = self.inner.vary({name: value for name, value in values.items() if name not in own})
        return self(inner, **own)

    @property
    def selection(self) -> Selection:
        """As of the measure inside."""
        return self.inner.selection

    def why_no_bounds(self, *, own_keys: bool = False) -> str | None:
        """As of the measure inside."""
        return self.inner.why_no_bounds(own_keys=own_keys)

    def needs(self) -> Columns:
        """As the measure inside."""
        return self.inner.needs()

    def one_of(self) -> Columns:
        """As the measure inside."""
        return self.inner.one_of()

    @property
    def in_words(self) -> str:
        """Its meaning, and that of the measure inside."""
        return f"{self.meaning} ({self.inner.in_words})" if self.meaning else self.formula

    def searcher(self) -> tuple[Searcher | None, str]:
        """As of the measure inside."""
        return self.inner.searcher()

    def clock(self) -> str | None:
        """As of the measure inside."""
        return self.inner.clock()

    def __str__(self) -> str:
        """``name(measure,parameters)``."""
        given = [f"{key}={value}" for key, value in self.parameters().items() if value != self.default(key)]
        inside = ",".join([*([str(self.of)] if self.of is not None else []), *given])
        return f"{self.name}({inside})" if inside else self.name

    __repr__ = __str__

    @property
    def inner(self) -> Measure:
        """The measure inside."""
        if self.of is None:
            msg = f"{self.name} needs a measure inside: {self.name}({self.inside})"
            raise MeasureError(msg)
        return self.of

    @property
    def highest(self) -> float | None:
        """The bound of the measure inside."""
        return self.inner.highest
