"""The words that parameters take, each set written once, and the checks of arguments that public functions share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from sessionkit.errors import UsageError, suggestion

# of studies
StudyTable = Literal["users", "sessions", "queries", "results", "judgments"]
TableName = Literal[StudyTable, "rejected"]
Merge = Literal["max", "sum", "mean", "median", "majority", "first", "alternate"]
Better = Literal["higher", "lower"]
MissingPositions = Literal["empty", "not_logged"]
MissingTopics = Literal["omit", "zero"]
TrecFile = Literal["run", "qrels"]
RunOrder = Literal["score", "rank", "file"]
RunDuplicates = Literal["keep", "first", "reject"]

# of scores, curves and parts of sessions
RowUnit = Literal["session", "query"]
CurveNormalization = Literal["none", "each", "averages"]
AfterStop = Literal["hold", "null"]
Part = Literal["last", "position", "best", "first"]
PartContrast = Literal["last", "first", "best", "last-first"]
PartAverage = Literal["sessions", "queries"]
RecallAverage = Literal["queries", "topics"]

# of comparisons
Test = Literal[
    "t", "wilcoxon", "sign", "randomization", "least-squares", "welch", "mann-whitney", "tukey", "nemenyi", "conover"
]
OmnibusTest = Literal["anova", "friedman", "ols"]
"""Other names of tests: a test of all groups at once stands with its comparison of pairs."""
AnyTest = Literal[Test, OmnibusTest]
SweepTest = Literal[AnyTest, "none"]
DiscriminationTest = Literal[AnyTest, "bootstrap"]
Population = Literal["users", "topics", "sessions"]
MixedPopulation = Literal["users,topics"]
AnyPopulation = Literal[Population, MixedPopulation]
Correction = Literal["bonferroni", "holm", "bh", "none"]

# of draws, and of what is drawn
IntervalKind = Literal["percentile", "bca"]
DrawnUnits = Literal["auto", "users", "sessions"]
Coefficient = Literal["pearson", "spearman", "kendall"]
EffortUnit = Literal["results", "queries", "minutes"]
JudgmentPool = Literal["pair", "study"]
ErrorSource = Literal["judges", "searchers"]
ErrorSpread = Literal["adjacent", "any"]
Signal = Literal["last_click", "clicks", "examined", "dwell"]
SignalChoice = Literal["auto", Signal]
Unmarked = Literal["first", "skip"]

# of reports
FurtherPart = Literal["mixed", "power", "noise", "discriminate"]
FigureStyle = Literal["screen", "paper", "grey"]
FigureUnit = Literal["session", "user", "topic"]
FigureFormat = Literal["svg", "png", "pdf", "html", "json"]
RedactedKind = Literal["queries", "documents", "users"]

# of measures: their parameters
Preset = Literal["ecir2008", "jiang2016", "kanoulas2011", "trecdd2017", "srbp2019"]
GainRule = Literal["linear", "exp2", "binary", "lifted"]
RatingGain = Literal["linear", "lifted"]
RankDiscountForm = Literal["log", "shifted", "burges", "jk2002", "rn2002", "geometric", "reciprocal", "none"]
QueryDiscountForm = Literal["log", "shifted", "geometric", "none"]
RankOrigin = Literal["query", "session"]
ShortLists = Literal["pad", "shown"]
SearchLengthCount = Literal["nonrelevant", "examined"]
TiedResults = Literal["score", "none"]
UnretrievedPlace = Literal["retrieved", "mid", "last"]
MedianLimit = Literal["above", "real"]
RelevanceScores = Literal["logged", "user"]
AnswerSize = Literal["retrieved", "examined"]
ReadingTimes = Literal["logged", "modeled"]
Depth = Literal["all", "last_click", "examined"]
Duplicates = Literal["all", "first"]
UnjudgedResults = Literal["zero", "skip"]
GradeSource = Literal["judgments", "user"]
UndefinedValue = Literal["null", "zero"]
IdealLayout = Literal["repeated", "spread", "once"]
IdealQueries = Literal["session"]
GainNormalization = Literal["session", "query"]
EmptyList = Literal["skip", "document"]
Truncation = Literal["absorb", "renormalise"]
RecallRule = Literal["ceil", "trec9", "trec10"]

# of measures: what a call takes that becomes a text
Gain = GainRule | str | Sequence[float]
"""A rule, or weights by grade: ``"0-1-10-100"`` or ``(0, 1, 10, 100)``."""
Discount = RankDiscountForm | str | Sequence[float]
"""A form, or factors by rank: ``"1-0.5-0.2"`` or ``(1, 0.5, 0.2)``; ranks beyond them count 0."""
QueryDiscount = QueryDiscountForm | str | Sequence[float]
"""The same by position of the query."""
Weights = str | float | Sequence[float] | None
"""Numbers by grade or cutoff: ``"9.8-23-37.6"`` or ``(9.8, 23, 37.6)``; the measure's own if not given."""
QueryLimit = int | Literal["all"] | None
"""The first so many queries of each session; all of them if not given."""


def require_choice(parameter: str, value: object, choices: Sequence[str]) -> None:
    """Refuse what is not one of the words that a parameter takes.

    >>> require_choice("average", "topic", ["queries", "topics"])
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: average must be queries or topics, not 'topic'; did you mean 'topics'?
    """
    if isinstance(value, str) and value in choices:
        return
    listed = " or ".join(choices) if len(choices) < 3 else f"one of {', '.join(choices)}"
    raise UsageError(f"{parameter} must be {listed}, not {value!r}{suggestion(value, choices)}")


def require_bool(parameter: str, value: object) -> None:
    """Refuse what is neither True nor False, such as the text "no", which Python takes for true.

    >>> require_bool("exclude_query_doc", "no")
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: exclude_query_doc must be True or False, not 'no'
    """
    if not isinstance(value, bool):
        raise UsageError(f"{parameter} must be True or False, not {value!r}")


def names_in(parameter: str, names: str | Iterable[str]) -> list[str]:
    """Return the names that a parameter lists: one by one, or several in a text, joined by commas.

    >>> names_in("keep", "queries, times"), names_in("keep", ["users"])
    (['queries', 'times'], ['users'])
    """
    if isinstance(names, str):
        return [name for name in map(str.strip, names.split(",")) if name]
    listed = list(names) if isinstance(names, Iterable) else [None]
    if isinstance(names, bytes) or not all(isinstance(name, str) for name in listed):
        raise UsageError(f"{parameter} takes a name, or several in a list or joined by commas, not {names!r}")
    return [name for name in map(str.strip, map(str, listed)) if name]


def path_of(parameter: str, path: object) -> Path:
    """Return a path that was given as a text or a path.

    >>> path_of("config", 5)
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: config must be a path, not 5
    """
    try:
        return Path(os.fspath(path))  # type: ignore[call-overload]
    except TypeError:
        raise UsageError(f"{parameter} must be a path, not {path!r}") from None


def paths_of(parameter: str, paths: object) -> list[Path]:
    """Return one path, or several, as a list."""
    if isinstance(paths, str | os.PathLike):
        return [path_of(parameter, paths)]
    if isinstance(paths, bytes) or not isinstance(paths, Iterable):
        raise UsageError(f"{parameter} must be a path or a list of paths, not {paths!r}")
    return [path_of(parameter, path) for path in paths]


MOST_DRAWS = 1_000_000
FEWEST_RANDOMIZATIONS = 99
"""Draws of signs or assignments at least: with 99 the smallest p is .01."""
FEWEST_RESAMPLES = 200
"""Draws of units at least, and simulated studies: fewer estimate the tails poorly."""


def error_rate(confidence: object) -> float:
    """Return the error rate of tests at a confidence, or refuse what no confidence can be.

    >>> error_rate(0.95)
    0.05
    >>> error_rate("0.95")
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: confidence must be a number above .5 and below 1, not '0.95'; 0.95 is usual
    """
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0.5 < confidence < 1:
        alpha = round(1 - confidence, 12)  # 1 - .95 is .050000000000000044 in doubles
        if alpha > 0:
            return alpha
    raise UsageError(f"confidence must be a number above .5 and below 1, not {confidence!r}; 0.95 is usual")


def require_draws(draws: object, least: int, name: str = "draws") -> None:
    """Refuse what is not a number of draws; how many are needed depends on what is drawn.

    >>> require_draws(10, FEWEST_RESAMPLES)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: draws must be a whole number of at least 200 and at most 1,000,000, not 10
    """
    if not _is_whole(draws, least) or draws > MOST_DRAWS:  # type: ignore[operator]
        raise UsageError(f"{name} must be a whole number of at least {least} and at most {MOST_DRAWS:,}, not {draws!r}")


def require_seed(seed: object) -> None:
    """Refuse what is not a seed.

    >>> require_seed(-1)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: seed must be a whole number, 0 or more, not -1
    """
    if not _is_whole(seed, 0):
        raise UsageError(f"seed must be a whole number, 0 or more, not {seed!r}")


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least so many.

    >>> require_whole("pairs", 0, 1)
    Traceback (most recent call last):
        ...
    sessionkit.errors.UsageError: pairs must be a whole number of at least 1, not 0
    """
    if not _is_whole(value, least):
        raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
