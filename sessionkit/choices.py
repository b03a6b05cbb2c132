"""The words that parameters take, each set of them written once: for type checkers, for checks and for the help of commands.

The words of a set at run time are ``typing.get_args`` of it. Nothing is imported here, so that help needs no library.

>>> from typing import get_args
>>> get_args(Correction)
('bonferroni', 'holm', 'bh', 'none')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

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
