"""The parameters of measures: what each may be, the checks of its values, and the presets that ``like=`` names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, get_args

import numpy as np

from sessionkit.arguments import (
    AnswerSize,
    Depth,
    Discount,
    Duplicates,
    EmptyList,
    Gain,
    GainNormalization,
    GradeSource,
    IdealLayout,
    IdealQueries,
    MedianLimit,
    Preset,
    QueryDiscount,
    QueryLimit,
    RankOrigin,
    RatingGain,
    ReadingTimes,
    RecallRule,
    RelevanceScores,
    SearchLengthCount,
    ShortLists,
    TiedResults,
    Truncation,
    UndefinedValue,
    UnjudgedResults,
    UnretrievedPlace,
    Weights,
)
from sessionkit.errors import MeasureError, suggestion
from sessionkit.scoring.discounts import FACTORS, QUERY_DISCOUNTS, RANK_DISCOUNTS, factors_text
from sessionkit.scoring.gains import ALLOWED, gain_text
from sessionkit.scoring.gains import NAMES as GAINS

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
"""A plain name, which needs no quotes."""
LARGEST = 2**31
"""Ranks and positions are 32-bit integers in the tables."""
EXACT = 2.0**53
"""Whole numbers up to which a float holds each; larger ones may not fit the tables' integers either."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: its name, the values it takes in words, its meaning and its check."""

    name: str
    allowed: str
    meaning: str
    check: Callable[[Parameter, object], object]
    takes: Any = None
    """The type of what a call takes, where that is more than what the field holds: numbers that become a text, or ``all``."""
    words: tuple[str, ...] = ()
    """The bare words among the allowed values."""

    @property
    def is_above_1(self) -> bool:
        """Whether it is a number above 1."""
        return self.allowed == _ABOVE_1

    @property
    def is_open_share(self) -> bool:
        """Whether it is a number between 0 and 1, both excluded."""
        return self.allowed == _SHARE

    def canonical(self, value: object) -> object:
        """Return the value in its one written form, or raise a `MeasureError` that names what is allowed."""
        return None if value is None else self.check(self, value)

    def refuse(self, value: object) -> MeasureError:
        """Build the error for a value out of range."""
        hint = suggestion(value, self.words) if isinstance(value, str) else ""
        return MeasureError(f"{self.name} must be {self.allowed}, not {shown_text(value)}{hint}")


def shown_text(value: object) -> str:
    """Return a value for a message: a whole number of more than 20 digits by its size.

    >>> shown_text(0.5), shown_text("x"), shown_text(10**25), shown_text(10**5000)
    ('0.5', "'x'", 'a number of 26 digits', 'a number of 5,001 digits, which no float holds')
    """
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int) and abs(value) >= 10**20:  # Python writes out at most 4,300 digits
        beyond = ", which no float holds" if math.isinf(_number(value)) else ""
        digits = math.floor(math.log10(abs(value))) + 1
        return f"a number of {digits - (abs(value) < 10 ** (digits - 1)):,} digits{beyond}"  # log10 may round up
    return repr(value)


def _number(value: object) -> float:
    """Return a number as a float, NaN of what is none; a whole number beyond all floats is infinite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if isinstance(value, int) and value > 0 else -math.inf


def _plain(number: float) -> float:
    """Return a whole number as an integer, of which the text has no point, if it is one that a float holds exactly."""
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def number_between(low: float, high: float = math.inf) -> Callable[[Parameter, object], object]:
    """A finite number between two bounds, both excluded."""

    def check(parameter: Parameter, value: object) -> object:
        number = _number(value)
        if not (math.isfinite(number) and low < number < high):
            raise parameter.refuse(value)
        return _plain(number)

    return check


def not_negative(parameter: Parameter, value: object) -> object:
    """A finite number of at least 0."""
    number = _number(value)
    if not 0 <= number < math.inf:
        raise parameter.refuse(value)
    return _plain(number)


def share(parameter: Parameter, value: object) -> object:
    """A number between 0 and 1, both included."""
    number = _number(value)
    if not 0 <= number <= 1:
        raise parameter.refuse(value)
    return _plain(number)


def whole(parameter: Parameter, value: object) -> object:
    """A whole number of at least 1 that fits the tables' integers."""
    number = _number(value)
    if number >= LARGEST:
        msg = f"{parameter.name} must be below {LARGEST}, not {shown_text(value)}; leave it out if every rank counts"
        raise MeasureError(msg)
    if not number.is_integer() or number < 1:
        raise parameter.refuse(value)
    return int(number)


def word(*words: str, other: Callable[[object], str | None] | None = None) -> Callable[[Parameter, object], object]:
    """One of some words, or what `other` makes a text of."""

    def check(parameter: Parameter, value: object) -> object:
        if isinstance(value, str) and value in words:
            return value
        text = None if other is None else other(value)
        if text is None:
            raise parameter.refuse(value)
        return text

    return check


def word_or_whole(*words: str) -> Callable[[Parameter, object], object]:
    """One of some words, or a whole number of at least 1."""

    def check(parameter: Parameter, value: object) -> object:
        return value if isinstance(value, str) and value in words else whole(parameter, value)

    return check


def name_or_whole(parameter: Parameter, value: object) -> object:
    """A plain name, such as that of a column, or a whole number of at least 1."""
    return value if isinstance(value, str) and NAME.fullmatch(value) else whole(parameter, value)


def _numbers(parameter: Parameter, value: object) -> list[float]:
    """Numbers of at least 0, from a text that joins them by hyphens, a sequence or a single number."""
    listed: Sequence[Any] = [value]
    if isinstance(value, str):
        listed = value.split("-")
    elif isinstance(value, Sequence):
        listed = value
    try:
        numbers = [float(number) for number in listed if not isinstance(number, bool)]
    except (TypeError, ValueError):
        raise parameter.refuse(value) from None
    if len(numbers) < len(listed) or not numbers or not all(0 <= number < LARGEST for number in numbers):
        raise parameter.refuse(value)
    return numbers


def cutoffs(parameter: Parameter, value: object) -> object:
    """Rising whole numbers of at least 1, as a text."""
    numbers = _numbers(parameter, value)
    if numbers != sorted(set(numbers)) or numbers[0] < 1 or not all(number.is_integer() for number in numbers):
        raise parameter.refuse(value)
    return "-".join(f"{number:.0f}" for number in numbers)


def weights(parameter: Parameter, value: object) -> object:
    """Numbers of at least 0 that are not all 0, as a text."""
    numbers = _numbers(parameter, value)
    if not any(numbers):
        raise parameter.refuse(value)
    return "-".join(np.format_float_positional(number, trim="-") for number in numbers)


_ABOVE_1 = "a number above 1"
_SHARE = "a number between 0 and 1, both excluded"
_COUNT = "a whole number of at least 1"
_WHOLE_SHARE = "a number between 0 and 1, both included"


def _either(*words: str) -> str:
    """An enumeration of what a value may be."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _choice(name: str, choice: object, meaning: str) -> Parameter:
    """A parameter that takes one of some words."""
    words = get_args(choice)
    return Parameter(name, _either(*words), meaning, word(*words), words=words)


PARAMETERS = {
    parameter.name: parameter
    for parameter in (
        Parameter("gain", ALLOWED, "the gain of a grade", lambda _, value: gain_text(value), Gain, GAINS),
        Parameter(
            "min_grade",
            "a number",
            "lowest relevant grade: of measures of relevant documents, and of gain=binary",
            number_between(-math.inf),
        ),
        Parameter(
            "level", "a number above 0", "the one grade that counts as relevant, and no other", number_between(0)
        ),
        Parameter(
            "at_least", "a number above 0", "lowest relevant grade, another way to write min_grade", number_between(0)
        ),
        Parameter(
            "max_grade",
            "a number above 0 and below 1024",
            "top of the grade scale; that of the study if not given",
            number_between(0, 1024),
        ),
        Parameter("beta", "a number above 0", "weight of recall against precision", number_between(0)),
        Parameter(
            "discount",
            f"one of {', '.join(RANK_DISCOUNTS)} or {FACTORS}",
            "form of the rank discount",
            word(*RANK_DISCOUNTS, other=factors_text),
            Discount,
            tuple(RANK_DISCOUNTS),
        ),
        Parameter(
            "query_discount",
            f"one of {', '.join(QUERY_DISCOUNTS)} or {FACTORS}",
            "form of the discount by position of the query in its session",
            word(*QUERY_DISCOUNTS, other=factors_text),
            QueryDiscount,
            tuple(QUERY_DISCOUNTS),
        ),
        Parameter("b", _ABOVE_1, "base of the rank discount: small for impatient searchers", number_between(1)),
        Parameter(
            "bq", _ABOVE_1, "base of the query discount: small for searchers unlikely to reformulate", number_between(1)
        ),
        Parameter(
            "p", _SHARE, "persistence: of a geometric rank discount, of the searcher of RBP", number_between(0, 1)
        ),
        Parameter("pq", _SHARE, "persistence of a geometric query discount", number_between(0, 1)),
        _choice(
            "rank_origin",
            RankOrigin,
            "where the discounted ranks begin: in each query, or once, along the concatenated lists",
        ),
        Parameter(
            "slots",
            _either(*get_args(ShortLists), _COUNT),
            "slots of a short list in the concatenation: the cutoff, its length, or at least this number",
            word_or_whole(*get_args(ShortLists)),
            words=get_args(ShortLists),
        ),
        Parameter("need", _COUNT, "relevant documents that the searcher needs", whole),
        _choice(
            "count",
            SearchLengthCount,
            "what a search length counts: nonrelevant documents examined, or all documents examined",
        ),
        _choice(
            "ties",
            TiedResults,
            "which results are tied: neighbors with the same score, where the log has scores, or none",
        ),
        _choice(
            "unretrieved",
            UnretrievedPlace,
            "position of relevant documents that the list lacks: none, the middle of the rest of the collection, or its end",
        ),
        Parameter("threshold", "a number above 0", "lowest gain that satisfies the searcher", number_between(0)),
        _choice("limit", MedianLimit, "where the median class begins: at the rank above it, or half a rank above it"),
        _choice(
            "answer",
            AnswerSize,
            "documents examined: the whole list, or those until the expected number of relevant ones is found",
        ),
        _choice(
            "scores",
            RelevanceScores,
            "what is compared with the gains: scores that the log has, or the searcher's own grades",
        ),
        Parameter(
            "known",
            "shown, a whole number of at least 1, or the name of a column of the queries or sessions",
            "relevant documents that the searcher knew: those that the session shows, so many, or as many as the column says",
            name_or_whole,
        ),
        Parameter("horizon", "a number above 0", "words, or seconds, after which nothing gains", number_between(0)),
        Parameter(
            "halflife", "a number above 0", "seconds after which half of the searchers have stopped", number_between(0)
        ),
        Parameter(
            "click", "numbers by grade such as 0.39-0.64", "probability that a result is clicked", weights, Weights
        ),
        Parameter(
            "save", "numbers by grade such as 0-0.77", "probability that a clicked result is saved", weights, Weights
        ),
        Parameter("scan", "a number of at least 0", "seconds to read the summary of a result", not_negative),
        Parameter("open", "a number of at least 0", "seconds per document in addition to its words", not_negative),
        Parameter("per_word", "a number of at least 0", "seconds to read a word of a document", not_negative),
        Parameter("words", "a number above 0", "words of a document if the log does not say", number_between(0)),
        _choice(
            "times",
            ReadingTimes,
            "whether documents are read when they were clicked, or all of them in order, with the modeled times",
        ),
        Parameter("per_query", "a number of at least 0", "seconds per additional query", not_negative),
        Parameter("seconds", "numbers by grade such as 9.8-23-37.6", "seconds per result", weights, Weights),
        _choice(
            "depth",
            Depth,
            "how far the searcher is assumed to look in each list; a list without a click (or examined result) then gains 0",
        ),
        _choice(
            "duplicates",
            Duplicates,
            "whether a document that the session shows again gains every time or only the first time",
        ),
        _choice(
            "unjudged",
            UnjudgedResults,
            "whether unjudged results gain 0 in their place or are removed before the cutoff",
        ),
        _choice("grades", GradeSource, "whose grades: the judgments, or the searcher's own of that session"),
        _choice(
            "undefined",
            UndefinedValue,
            "what the value becomes where the key has judgments but the measure has no value, as where nothing is relevant; 0 is "
            "the best value where lower is better",
        ),
        _choice(
            "unjudged_topics",
            UndefinedValue,
            "what the value becomes where the key has no judgments at all; 0 is the best value where lower is better",
        ),
        Parameter(
            "queries",
            "all or a whole number of at least 1",
            "keep only this number of first query positions of each session",
            lambda parameter, value: None if value == "all" else whole(parameter, value),
            QueryLimit,
        ),
        _choice(
            "ideal",
            IdealLayout,
            "the ideal session: every query's own ideal list, the best documents once in the best slots, or one perfect query",
        ),
        Parameter(
            "ideal_queries",
            _either(*get_args(IdealQueries), _COUNT),
            "how many queries the ideal session has",
            word_or_whole(*get_args(IdealQueries)),
        ),
        _choice(
            "normalize",
            GainNormalization,
            "divide the session by its ideal, or each query by its own before the query discount",
        ),
        Parameter(
            "gamma",
            _SHARE,
            "remaining gain of a subtopic, or nugget, after each repetition",
            number_between(0, 1),
        ),
        Parameter("height", "a number above 0", "how much of a subtopic a searcher can use", number_between(0)),
        _choice(
            "empty",
            EmptyList,
            "how an empty list counts among the averaged documents: not at all, or as one document with gain 0",
        ),
        Parameter("cost", "a number of at least 0", "cost of reading a word, in units of gain", not_negative),
        Parameter("length", _COUNT, "number of slots averaged; the session's own if not given", whole),
        Parameter(
            "lambda", "a number of at least 0", "how fast results of earlier queries are forgotten", not_negative
        ),
        Parameter("pdown", _WHOLE_SHARE, "probability to continue from a document to the next in the list", share),
        Parameter("pref", _WHOLE_SHARE, "probability to continue from a list to the next query", share),
        _choice(
            "truncate",
            Truncation,
            "where the probability beyond the end of a list or session goes: to its last place, or to all places in proportion",
        ),
        Parameter("recall", _WHOLE_SHARE, "level of recall at which precision is interpolated", share),
        _choice(
            "rule",
            RecallRule,
            "how many relevant documents a recall level needs: rounded up, or as in trec_eval up to 9 and since 10",
        ),
        Parameter(
            "cutoffs",
            "rising whole numbers of at least 1 such as 5-10-15",
            "document cutoffs that are averaged",
            cutoffs,
            Weights,
        ),
        Parameter(
            "weights", "numbers of at least 0, one for each cutoff, such as 1-1-1", "weight of each cutoff", weights
        ),
        Parameter("cutoff", _COUNT, "number of ranks that count in each query", whole),
    )
}

RANK_BIASED = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            "b", _WHOLE_SHARE, "balance: probability to continue in the list rather than with the next query", share
        ),
        Parameter("p", _WHOLE_SHARE, "persistence: probability to continue after each result", share),
    )
}
"""What b and p are to the rank-biased session measures."""

SATISFACTION = {
    "lambda": Parameter("lambda", _WHOLE_SHARE, "weight of satisfaction against the lack of frustration", share)
}
"""What lambda is to satisfaction and frustration."""

RATING = {"gain": _choice("gain", RatingGain, "whether a rating of 0 counts as 1")}
"""What gain is to measures of subtopics and nuggets."""


PRESETS: dict[Preset, dict[str, object]] = {
    "ecir2008": {"gain": "linear", "discount": "log", "b": 2, "query_discount": "log", "bq": 4},
    "jiang2016": {"gain": "exp2", "discount": "shifted", "query_discount": "shifted"},
    "kanoulas2011": {"gain": "exp2", "discount": "shifted", "query_discount": "shifted", "rank_origin": "session"},
    "trecdd2017": {
        "gain": "lifted",
        "discount": "log",
        "b": 2,
        "query_discount": "log",
        "bq": 4,
        "duplicates": "first",
        "ideal": "spread",
        "empty": "document",
        "cutoff": 5,
    },
    "srbp2019": {"gain": "binary", "discount": "burges"},
}
"""Parameters that ``like=`` stands for, by the paper or program whose values they reproduce.

``trecdd2017`` is for a study with ``merge=sum``, which adds up the ratings of a document's passages; ``gain=lifted`` counts every
rating of 0 as 1 before they are added, and ``empty=document`` a missing iteration as one document, as the scorer does.
``queries=n`` and ``ideal_queries=n`` stop after n iterations. What differs from the scorer all the same is said of each
measure: `CubeTest <sessionkit.scoring.measures.subtopics.CubeFilling>`, `EU
<sessionkit.scoring.measures.subtopics.ExpectedUtility>`.
"""
