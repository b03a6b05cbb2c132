"""The parameters that measures share: what each may be, in the order in which a measure's text names them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

from sessionkit.errors import MeasureError, suggestion
from sessionkit.scoring.discounts import QUERY_DISCOUNTS, RANK_DISCOUNTS
from sessionkit.scoring.gains import ALLOWED, gain_text

LARGEST = 2**31
"""Ranks and positions are 32-bit integers in the tables."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: its name, the values it takes in words, its meaning and its check."""

    name: str
    allowed: str
    meaning: str
    check: Callable[[Parameter, object], object]

    @property
    def words(self) -> list[str]:
        """The bare words among the allowed values."""
        first = self.allowed.partition(" a ")[0].removeprefix("one of ").replace(" or ", ", ")
        return [word for word in first.split(", ") if word.isidentifier() and word not in {"a", "weights"}]

    def canonical(self, value: object) -> object:
        """Return the value in its one written form, or raise a `MeasureError` that names what is allowed."""
        return None if value is None else self.check(self, value)

    def refuse(self, value: object) -> MeasureError:
        """Build the error for a value out of range."""
        hint = suggestion(value, self.words) if isinstance(value, str) else ""
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        return MeasureError(f"{self.name} must be {self.allowed}, not {shown}{hint}")


def _number(low: float, high: float = math.inf) -> Callable[[Parameter, object], object]:
    """A finite number between two bounds, both excluded."""

    def check(parameter: Parameter, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise parameter.refuse(value)
        number = float(value)
        if not low < number < high:
            raise parameter.refuse(value)
        return int(number) if number.is_integer() else number

    return check


def _whole(parameter: Parameter, value: object) -> object:
    """A whole number of at least 1 that fits the tables' integers."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if number >= LARGEST:
        msg = f"{parameter.name} must be below {LARGEST}, not {value!r}; leave it out if every rank counts"
        raise MeasureError(msg)
    if not number.is_integer() or number < 1:
        raise parameter.refuse(value)
    return int(number)


def _word(*words: str) -> Callable[[Parameter, object], object]:
    """One of some words."""

    def check(parameter: Parameter, value: object) -> object:
        if value not in words:
            raise parameter.refuse(value)
        return value

    return check


def _word_or_whole(*words: str) -> Callable[[Parameter, object], object]:
    """One of some words, or a whole number of at least 1."""

    def check(parameter: Parameter, value: object) -> object:
        return value if isinstance(value, str) and value in words else _whole(parameter, value)

    return check


_ABOVE_1 = "a number above 1"
_SHARE = "a number between 0 and 1, both excluded"

PARAMETERS = {
    parameter.name: parameter
    for parameter in (
        Parameter("gain", ALLOWED, "what a grade is worth", lambda _, value: gain_text(value)),
        Parameter("min_grade", "a number", "lowest relevant grade for gain=binary", _number(-math.inf)),
        Parameter(
            "discount", f"one of {', '.join(RANK_DISCOUNTS)}", "form of the rank discount", _word(*RANK_DISCOUNTS)
        ),
        Parameter(
            "query_discount",
            f"one of {', '.join(QUERY_DISCOUNTS)}",
            "form of the discount by position of the query in its session",
            _word(*QUERY_DISCOUNTS),
        ),
        Parameter("b", _ABOVE_1, "base of the rank discount: small for impatient searchers", _number(1)),
        Parameter(
            "bq", _ABOVE_1, "base of the query discount: small for searchers unlikely to reformulate", _number(1)
        ),
        Parameter("p", _SHARE, "persistence of a geometric rank discount", _number(0, 1)),
        Parameter("pq", _SHARE, "persistence of a geometric query discount", _number(0, 1)),
        Parameter(
            "rank_origin",
            "query or session",
            "where the ranks that are discounted begin: anew in each query, or once, along the concatenated lists",
            _word("query", "session"),
        ),
        Parameter(
            "slots",
            "pad, shown or a whole number of at least 1",
            "what a short list occupies in the concatenation: the cutoff, its length, or at least so many",
            _word_or_whole("pad", "shown"),
        ),
        Parameter(
            "depth",
            "all, last_click or examined",
            "how far the searcher is taken to have looked in each list; a list without a click (or examined result) then gains 0",
            _word("all", "last_click", "examined"),
        ),
        Parameter(
            "duplicates",
            "all or first",
            "whether a document that the session shows again gains every time or only the first time",
            _word("all", "first"),
        ),
        Parameter(
            "unjudged",
            "zero or skip",
            "whether unjudged results gain 0 in their place or are removed before the cutoff",
            _word("zero", "skip"),
        ),
        Parameter(
            "grades",
            "judgments or user",
            "whose grades: the judgments, or the searcher's own of that session",
            _word("judgments", "user"),
        ),
        Parameter("undefined", "null or zero", "what an undefined value becomes", _word("null", "zero")),
        Parameter(
            "queries",
            "all or a whole number of at least 1",
            "keep the queries at the first so many positions of each session",
            lambda parameter, value: None if value == "all" else _whole(parameter, value),
        ),
        Parameter(
            "ideal",
            "repeated, spread or once",
            "the ideal session: every query's own ideal list, the best documents once in the best slots, or one perfect query",
            _word("repeated", "spread", "once"),
        ),
        Parameter(
            "ideal_queries",
            "session or a whole number of at least 1",
            "how many queries the ideal session has",
            _word_or_whole("session"),
        ),
        Parameter(
            "normalize",
            "session or query",
            "divide the session by its ideal, or each query by its own before the query discount",
            _word("session", "query"),
        ),
        Parameter(
            "length", "a whole number of at least 1", "number of slots averaged; the session's own if not given", _whole
        ),
        Parameter("cutoff", "a whole number of at least 1", "ranks that count within each query", _whole),
    )
}

PRESETS: dict[str, dict[str, object]] = {
    "ecir2008": {"gain": "linear", "discount": "log", "b": 2, "query_discount": "log", "bq": 4},
    "jiang2016": {"gain": "exp2", "discount": "shifted", "query_discount": "shifted"},
    "kanoulas2011": {"gain": "exp2", "discount": "shifted", "query_discount": "shifted", "rank_origin": "session"},
    "srbp2019": {"gain": "binary", "discount": "burges"},
}
"""Parameters that ``like=`` stands for, by the paper or program whose values they reproduce."""
