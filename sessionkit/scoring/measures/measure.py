"""What a measure is: a frozen value that carries every choice in its name, and says what one result contributes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import polars as pl

from sessionkit.errors import MeasureError, suggestion
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.measures.parameters import PARAMETERS, PRESETS


@dataclass(frozen=True, repr=False, kw_only=True)
class Measure:
    """A measure with its parameters; equal when its text is equal, so that it can key a dictionary or name a column.

    Call a measure to change parameters, use ``@`` to cut ranks within each query:

    >>> from sessionkit.scoring.measures import sDCG
    >>> sDCG(b=10, gain="exp2") @ 10
    sDCG(gain=exp2,b=10)@10
    >>> sDCG @ 10 == sDCG(cutoff=10, b=2)
    True
    """

    name: ClassVar[str]
    level: ClassVar[Literal["query", "session"]]
    direction: ClassVar[Literal["higher", "lower"]] = "higher"
    lowest: ClassVar[float | None] = 0.0
    higher_grade_can_lower: ClassVar[bool] = False
    """Whether a higher grade of a shown result can lower the value, as it can where the ideal grows with it."""
    formula: ClassVar[str]
    source: ClassVar[str]

    cutoff: int | None = None

    def __post_init__(self) -> None:
        """Bring every parameter to its canonical form, or refuse it by name and allowed range."""
        for field in dataclasses.fields(self):
            if field.name in PARAMETERS:
                try:
                    value = PARAMETERS[field.name].canonical(getattr(self, field.name))
                except MeasureError as error:
                    msg = f"{self.name}: {error}"
                    raise MeasureError(msg) from None
                object.__setattr__(self, field.name, value)

    def __call__(self, **changes: Any) -> Self:  # noqa: ANN401 - parameters of any kind, checked by name
        """Return the measure with some parameters changed; ``like`` stands for the parameters of a preset."""
        like = changes.pop("like", None)
        own = self.parameters()
        if like is not None:
            if like not in PRESETS:
                msg = f"{self.name}: like must be one of {', '.join(PRESETS)}, not {like!r}{suggestion(str(like), PRESETS)}"
                raise MeasureError(msg)
            changes = {key: value for key, value in PRESETS[like].items() if key in own} | changes
        for key in changes:
            if key not in own:
                msg = f"{self.name} has no parameter {key!r}; it has {', '.join(own) or 'none'}{suggestion(key, own)}"
                raise MeasureError(msg)
        return dataclasses.replace(self, **changes)

    def __matmul__(self, cutoff: int) -> Self:
        """``measure @ 10`` counts the first ten ranks of each query."""
        if "cutoff" not in self.parameters():
            msg = f"{self.name} takes no cutoff of its own; write it inside: {self.name}(nDCG@{cutoff})"
            raise MeasureError(msg)
        return dataclasses.replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        """The canonical text: parameters that differ from their defaults, in the catalogue's order."""
        given = [
            f"{key}={value}"
            for key, value in self.parameters().items()
            if key != "cutoff" and value != self.default(key)
        ]
        text = f"{self.name}({','.join(given)})" if given else self.name
        return f"{text}@{self.cutoff}" if self.cutoff is not None else text

    __repr__ = __str__

    def parameters(self) -> dict[str, object]:
        """Every parameter of the measure with its value, in the order of the text."""
        have = {field.name for field in dataclasses.fields(self)}
        return {name: getattr(self, name) for name in PARAMETERS if name in have}

    @classmethod
    def default(cls, parameter: str) -> object:
        """The value that a parameter has when the text does not name it."""
        return next(field.default for field in dataclasses.fields(cls) if field.name == parameter)

    @property
    def highest(self) -> float | None:
        """Upper bound of the values, or None where there is none."""
        return None

    @property
    def inner(self) -> GainMeasure:
        """The measure whose contributions count: itself, or the one that it wraps."""
        msg = f"{self} does not add up contributions"
        raise MeasureError(msg)


@dataclass(frozen=True, repr=False, kw_only=True)
class GainMeasure(Measure):
    """A measure that adds up what each shown result contributes: gain x rank discount x query discount."""

    gain: str = "linear"
    min_grade: float = 1
    depth: str = "all"
    duplicates: str = "all"
    unjudged: str = "zero"
    grades: str = "judgments"
    undefined: str = "null"
    queries: int | None = None

    normalized: ClassVar[bool] = False

    @property
    def inner(self) -> GainMeasure:
        """The measure whose contributions count: itself."""
        return self

    def rank_discount(self) -> pl.Expr:
        """Discount of a result by its rank."""
        return discount_expr(pl.col("rank"), "none")

    def query_discount_factor(self) -> pl.Expr:
        """Discount of a result by the position of its query; column ``query_position``."""
        return pl.lit(1.0)

    def contribution(self, gain: pl.Expr) -> pl.Expr:
        """What a result adds, from its gain and the columns ``rank``, ``query_position`` and, where ranks run on,
        ``offset``.
        """
        return gain * self.rank_discount() * self.query_discount_factor()


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedMeasure(GainMeasure):
    """A gain measure with a rank discount."""

    discount: str = "burges"
    b: float = 2
    p: float | None = None

    def __post_init__(self) -> None:
        """Check that a geometric discount has its persistence and that a normalised measure has a falling discount."""
        super().__post_init__()
        if self.discount == "geometric" and self.p is None:
            msg = f"{self.name}: discount=geometric needs p, {PARAMETERS['p'].allowed}"
            raise MeasureError(msg)
        if self.normalized:
            self.require_falling_discount()

    def require_falling_discount(self) -> None:
        """Refuse to normalise by a discount that rises somewhere, since the sorted list is then not the best."""
        if self.discount == "rn2002" and self.b > 2:
            msg = (
                f"{self.name}: discount=rn2002 with b={self.b} boosts the ranks 2 to b-1, so the best list is not the "
                "ideal; use discount=jk2002, or b=2 or less"
            )
            raise MeasureError(msg)

    def rank_discount(self) -> pl.Expr:
        """Discount by rank within the query."""
        return discount_expr(pl.col("rank"), self.discount, self.b, self.p)


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionMeasure(DiscountedMeasure):
    """A discounted measure of a whole session, with a discount by query position."""

    level = "session"

    discount: str = "log"
    query_discount: str = "log"
    bq: float = 4
    pq: float | None = None
    rank_origin: str = "query"
    slots: str | int = "pad"

    def __post_init__(self) -> None:
        """Check what the query discount and the concatenation need."""
        super().__post_init__()
        if self.query_discount == "geometric" and self.pq is None:
            msg = f"{self.name}: query_discount=geometric needs pq, {PARAMETERS['pq'].allowed}"
            raise MeasureError(msg)

    def rank_discount(self) -> pl.Expr:
        """Discount by rank within the query or, with ``rank_origin=session``, along the concatenated lists."""
        place = pl.col("rank") + pl.col("offset") if self.rank_origin == "session" else pl.col("rank")
        return discount_expr(place, self.discount, self.b, self.p)

    def query_discount_factor(self) -> pl.Expr:
        """Discount by query position."""
        return discount_expr(pl.col("query_position"), self.query_discount, self.bq, self.pq)
