# Generated from the names of __init__.py and the registry of measures: python -m tests.support.stub
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that mypy reads every module before its package
    from sessionkit import bases as bases
    from sessionkit import charts as charts
    from sessionkit import engines as engines
    from sessionkit import spark as spark
    from sessionkit.arguments import AnswerSize
    from sessionkit.arguments import Depth
    from sessionkit.arguments import Discount
    from sessionkit.arguments import Duplicates
    from sessionkit.arguments import EmptyList
    from sessionkit.arguments import Gain
    from sessionkit.arguments import GradeSource
    from sessionkit.arguments import IdealLayout
    from sessionkit.arguments import IdealQueries
    from sessionkit.arguments import MedianLimit
    from sessionkit.arguments import Preset
    from sessionkit.arguments import QueryDiscount
    from sessionkit.arguments import QueryLimit
    from sessionkit.arguments import RankOrigin
    from sessionkit.arguments import RatingGain
    from sessionkit.arguments import ReadingTimes
    from sessionkit.arguments import RecallRule
    from sessionkit.arguments import RelevanceScores
    from sessionkit.arguments import RowUnit
    from sessionkit.arguments import SearchLengthCount
    from sessionkit.arguments import ShortLists
    from sessionkit.arguments import TiedResults
    from sessionkit.arguments import Truncation
    from sessionkit.arguments import UndefinedValue
    from sessionkit.arguments import UnjudgedResults
    from sessionkit.arguments import UnretrievedPlace
    from sessionkit.arguments import Weights
    from sessionkit.bases import register as register
    from sessionkit.display.statements import Statement as Statement
    from sessionkit.errors import DataError as DataError
    from sessionkit.errors import DataWarning as DataWarning
    from sessionkit.errors import MeasureError as MeasureError
    from sessionkit.errors import SessionkitError as SessionkitError
    from sessionkit.errors import SpaceError as SpaceError
    from sessionkit.errors import UsageError as UsageError
    from sessionkit.privacy.pseudonymize import pseudonymize as pseudonymize
    from sessionkit.privacy.report import Pseudonymized as Pseudonymized
    from sessionkit.readers import FORMATS as FORMATS
    from sessionkit.readers.propose.proposal import Proposal as Proposal
    from sessionkit.readers.propose.propose import propose as propose
    from sessionkit.readers.read import from_tables as from_tables
    from sessionkit.readers.read import read as read
    from sessionkit.readers.runs import from_run as from_run
    from sessionkit.reports.page import report as report
    from sessionkit.robustness.bounds import Incompleteness as Incompleteness
    from sessionkit.robustness.bounds import bounds as bounds
    from sessionkit.robustness.calibrate import calibrate as calibrate
    from sessionkit.robustness.calibrate_counts import Calibration as Calibration
    from sessionkit.robustness.discriminative_power import DiscriminativePower as DiscriminativePower
    from sessionkit.robustness.discriminative_power import discriminate as discriminate
    from sessionkit.robustness.judge_noise import JudgeNoise as JudgeNoise
    from sessionkit.robustness.judge_noise import judge_noise as judge_noise
    from sessionkit.robustness.judgment_loss import JudgmentLoss as JudgmentLoss
    from sessionkit.robustness.judgment_loss import judgment_loss as judgment_loss
    from sessionkit.robustness.session_table import score as score
    from sessionkit.robustness.sweep import sweep as sweep
    from sessionkit.robustness.sweep_tables import Sweep as Sweep
    from sessionkit.scoring.execution import avg_pos as avg_pos
    from sessionkit.scoring.execution import avg_vect as avg_vect
    from sessionkit.scoring.execution import norm_vect as norm_vect
    from sessionkit.scoring.explain import explain as explain
    from sessionkit.scoring.explain import path_variance as path_variance
    from sessionkit.scoring.measures.aggregates import AveragePosition
    from sessionkit.scoring.measures.aggregates import First
    from sessionkit.scoring.measures.aggregates import Last
    from sessionkit.scoring.measures.aggregates import Max
    from sessionkit.scoring.measures.aggregates import Mean
    from sessionkit.scoring.measures.aggregates import Min
    from sessionkit.scoring.measures.aggregates import NonLast
    from sessionkit.scoring.measures.aggregates import Sum
    from sessionkit.scoring.measures.average_precision import AveragePrecision
    from sessionkit.scoring.measures.average_precision import AveragedPrecision
    from sessionkit.scoring.measures.average_precision import ElevenPointPrecision
    from sessionkit.scoring.measures.average_precision import GradedAveragePrecision
    from sessionkit.scoring.measures.average_precision import InterpolatedPrecision
    from sessionkit.scoring.measures.average_precision import RPrecision
    from sessionkit.scoring.measures.average_precision import ReciprocalRank
    from sessionkit.scoring.measures.average_precision import SeenAveragePrecision
    from sessionkit.scoring.measures.average_precision import SuccessAtCutoff
    from sessionkit.scoring.measures.base import Measure as Measure
    from sessionkit.scoring.measures.behavior import DeepestClickedRank
    from sessionkit.scoring.measures.behavior import DocumentsShown
    from sessionkit.scoring.measures.behavior import DwellTime
    from sessionkit.scoring.measures.behavior import FirstClickTime
    from sessionkit.scoring.measures.behavior import JudgedShare
    from sessionkit.scoring.measures.behavior import MeanQueryOverlap
    from sessionkit.scoring.measures.behavior import MeanQueryTerms
    from sessionkit.scoring.measures.behavior import NumberOfClicks
    from sessionkit.scoring.measures.behavior import NumberOfQueries
    from sessionkit.scoring.measures.behavior import NumberOfResults
    from sessionkit.scoring.measures.behavior import RelevantDocumentsSeen
    from sessionkit.scoring.measures.behavior import RepeatedResults
    from sessionkit.scoring.measures.behavior import SessionAbandonment
    from sessionkit.scoring.measures.behavior import SessionDuration
    from sessionkit.scoring.measures.cumulated_gain import CumulatedGain
    from sessionkit.scoring.measures.cumulated_gain import DiscountedCumulatedGain
    from sessionkit.scoring.measures.cumulated_gain import NormalizedCumulatedGain
    from sessionkit.scoring.measures.cumulated_gain import NormalizedDiscountedCumulatedGain
    from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
    from sessionkit.scoring.measures.cumulated_gain import SessionGain
    from sessionkit.scoring.measures.custom import column as column
    from sessionkit.scoring.measures.custom import define as define
    from sessionkit.scoring.measures.expected import ExpectedAveragePrecision
    from sessionkit.scoring.measures.expected import ExpectedGain
    from sessionkit.scoring.measures.expected import ExpectedNormalizedCumulatedGain
    from sessionkit.scoring.measures.expected import ExpectedNormalizedGain
    from sessionkit.scoring.measures.expected import ExpectedPrecision
    from sessionkit.scoring.measures.generalized_precision import ExpectedReciprocalRank
    from sessionkit.scoring.measures.generalized_precision import GeneralizedPrecision
    from sessionkit.scoring.measures.generalized_precision import GeneralizedRecall
    from sessionkit.scoring.measures.grammar import parse_measure as parse_measure
    from sessionkit.scoring.measures.jiang2016 import DiscountedGainOfRetrieved
    from sessionkit.scoring.measures.jiang2016 import NormalizedGainOfRetrieved
    from sessionkit.scoring.measures.jiang2016 import PrecisionOfRetrieved
    from sessionkit.scoring.measures.jiang2016 import RankBiasedPrecisionOfRetrieved
    from sessionkit.scoring.measures.jiang2016 import SummedGradedAveragePrecision
    from sessionkit.scoring.measures.precision import Effectiveness
    from sessionkit.scoring.measures.precision import HarmonicMean
    from sessionkit.scoring.measures.precision import HighestHarmonicMean
    from sessionkit.scoring.measures.precision import Precision
    from sessionkit.scoring.measures.precision import Recall
    from sessionkit.scoring.measures.rank_biased import BinaryPreference
    from sessionkit.scoring.measures.rank_biased import InferredAveragePrecision
    from sessionkit.scoring.measures.rank_biased import RankBiasedPrecision
    from sessionkit.scoring.measures.rank_biased import RankBiasedResidual
    from sessionkit.scoring.measures.registry import MEASURES as MEASURES
    from sessionkit.scoring.measures.search_length import AverageSearchLength
    from sessionkit.scoring.measures.search_length import ExpectedSearchLength
    from sessionkit.scoring.measures.search_length import LogarithmicPrecision
    from sessionkit.scoring.measures.search_length import NormalizedRecall
    from sessionkit.scoring.measures.search_length import RankedRecall
    from sessionkit.scoring.measures.search_length import SearchLengthReduction
    from sessionkit.scoring.measures.session_rank_biased import RecencyRankBiasedPrecision
    from sessionkit.scoring.measures.session_rank_biased import RecencySessionGain
    from sessionkit.scoring.measures.session_rank_biased import SessionRankBiasedPrecision
    from sessionkit.scoring.measures.subtopics import AverageCubeFilling
    from sessionkit.scoring.measures.subtopics import CubeFilling
    from sessionkit.scoring.measures.subtopics import ExpectedUtility
    from sessionkit.scoring.measures.subtopics import NormalizedAverageCubeFilling
    from sessionkit.scoring.measures.subtopics import NormalizedCubeFilling
    from sessionkit.scoring.measures.subtopics import NormalizedExpectedUtility
    from sessionkit.scoring.measures.subtopics import SavedInstancePrecision
    from sessionkit.scoring.measures.subtopics import SavedInstanceRecall
    from sessionkit.scoring.measures.time import SessionTimeBiasedGain
    from sessionkit.scoring.measures.time import SessionU
    from sessionkit.scoring.measures.time import TimeBiasedGain
    from sessionkit.scoring.measures.time import UMeasure
    from sessionkit.scoring.measures.user_oriented import CosineRelevance
    from sessionkit.scoring.measures.user_oriented import ExpectedRecall
    from sessionkit.scoring.measures.user_oriented import ExpectedRecallEffort
    from sessionkit.scoring.measures.user_oriented import FrustrationRatio
    from sessionkit.scoring.measures.user_oriented import JaccardRelevance
    from sessionkit.scoring.measures.user_oriented import KnownCoverage
    from sessionkit.scoring.measures.user_oriented import RankedHalfLife
    from sessionkit.scoring.measures.user_oriented import RelevantNovelty
    from sessionkit.scoring.measures.user_oriented import SatisfactionFrustrationTotal
    from sessionkit.scoring.measures.user_oriented import SatisfactionRatio
    from sessionkit.scoring.measures.user_oriented import SlidingGainRatio
    from sessionkit.sessions.breakdown import breakdown as breakdown
    from sessionkit.sessions.breakdown_tests import BreakdownTests as BreakdownTests
    from sessionkit.sessions.breakdown_tests import breakdown_tests as breakdown_tests
    from sessionkit.sessions.curve import curve as curve
    from sessionkit.sessions.curve import curve_differences as curve_differences
    from sessionkit.sessions.curve import curve_with_stops as curve_with_stops
    from sessionkit.sessions.describe import Description as Description
    from sessionkit.sessions.describe import describe as describe
    from sessionkit.sessions.effort import Effort as Effort
    from sessionkit.sessions.effort import effort as effort
    from sessionkit.sessions.gain_vectors import gain_vectors as gain_vectors
    from sessionkit.sessions.precision_recall import precision_recall as precision_recall
    from sessionkit.sessions.precision_recall import rprecision_histogram as rprecision_histogram
    from sessionkit.sessions.precision_recall import summary as summary
    from sessionkit.sessions.record_accounts import check as check
    from sessionkit.sessions.timeline import reformulations as reformulations
    from sessionkit.sessions.timeline import session_survival as session_survival
    from sessionkit.sessions.timeline import timeline as timeline
    from sessionkit.statistics.agreement import Agreement as Agreement
    from sessionkit.statistics.agreement import agreement as agreement
    from sessionkit.statistics.compare import compare as compare
    from sessionkit.statistics.comparison import Comparison as Comparison
    from sessionkit.statistics.correlate import Correlations as Correlations
    from sessionkit.statistics.correlate import correlate as correlate
    from sessionkit.statistics.mixed_model import MixedModel as MixedModel
    from sessionkit.statistics.power import PowerPlan as PowerPlan
    from sessionkit.statistics.power import power as power
    from sessionkit.study.package import open_study as open_study
    from sessionkit.study.partitions import add_partition as add_partition
    from sessionkit.study.settings import Settings as Settings
    from sessionkit.study.study import Study as Study
    from typing import Self

__version__: str

class _ACT(AverageCubeFilling):
    """ACT: CubeTest after each document shown, averaged over these documents."""

    def __call__(self, *, gain: RatingGain = 'linear', min_grade: float = 1, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, gamma: float = 0.5, height: float = 5, empty: EmptyList = 'skip', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

ACT: _ACT

class _AP(AveragePrecision):
    """AP: the mean of the precisions at the ranks of the relevant documents; one that is not shown counts 0."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

AP: _AP

class _ASL(AverageSearchLength):
    """ASL: the mean rank of a relevant document."""

    def __call__(self, *, min_grade: float = 1, ties: TiedResults = 'score', unretrieved: UnretrievedPlace = 'retrieved', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

ASL: _ASL

class _Abandoned(SessionAbandonment):
    """Abandoned: 1 for a session if none of its queries has a click on a result down to the cutoff, 0 for others."""

    def __call__(self, *, queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Abandoned: _Abandoned

class _AvgP(AveragedPrecision):
    """AvgP: the weighted mean of precisions at some document cutoffs."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoffs: Weights = '5-10-15', weights: str = '1-1-1', like: Preset | None = None) -> Self: ...  # type: ignore[override]

AvgP: _AvgP

class _CG(CumulatedGain):
    """CG: the sum of the gains of the shown results."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

CG: _CG

class _Clicks(NumberOfClicks):
    """Clicks: the number of clicks on results of a session's logged queries, each list down to the cutoff."""

    def __call__(self, *, queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Clicks: _Clicks

class _Coverage(KnownCoverage):
    """Coverage: the share of the relevant documents known to the searcher that the list shows."""

    def __call__(self, *, min_grade: float = 1, known: str | int = 'shown', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Coverage: _Coverage

class _CubeTest(CubeFilling):
    """CubeTest: how full the subtopics are at the end of a session, divided by its number of queries."""

    def __call__(self, *, gain: RatingGain = 'linear', min_grade: float = 1, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, gamma: float = 0.5, height: float = 5, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

CubeTest: _CubeTest

class _DCG(DiscountedCumulatedGain):
    """DCG: the sum of the gains of the shown results, each discounted by its rank."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'burges', b: float = 2, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

DCG: _DCG

class _DCG_jiang2016(DiscountedGainOfRetrieved):
    """DCG_jiang2016: the mean gain of the results retrieved, discounted by rank; not a sum."""

    def __call__(self, *, gain: Gain = 'exp2', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

DCG_jiang2016: _DCG_jiang2016

class _DeepestClick(DeepestClickedRank):
    """DeepestClick: the deepest rank clicked in any list of a session."""

    def __call__(self, *, queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

DeepestClick: _DeepestClick

class _Duration(SessionDuration):
    """Duration: seconds from the beginning of a session to its end."""

    def __call__(self, *, queries: QueryLimit = None) -> Self: ...  # type: ignore[override]

Duration: _Duration

class _Dwell(DwellTime):
    """Dwell: total seconds spent on the clicked results of a session's logged queries."""

    def __call__(self, *, queries: QueryLimit = None) -> Self: ...  # type: ignore[override]

Dwell: _Dwell

class _E(Effectiveness):
    """E: van Rijsbergen's effectiveness, 1 - F."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, beta: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

E: _E

class _ERR(ExpectedReciprocalRank):
    """ERR: the expected reciprocal of the rank at which the searcher stops, satisfied by a result or not."""

    def __call__(self, *, max_grade: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

ERR: _ERR

class _ESL(ExpectedSearchLength):
    """ESL: the expected number of nonrelevant documents that a searcher examines to find ``need`` relevant ones."""

    def __call__(self, *, min_grade: float = 1, need: int = 1, count: SearchLengthCount = 'nonrelevant', ties: TiedResults = 'score', unretrieved: UnretrievedPlace = 'retrieved', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

ESL: _ESL

class _EU(ExpectedUtility):
    """EU: the expected nugget ratings of a session minus the expected cost of reading it."""

    def __call__(self, *, gain: RatingGain = 'linear', min_grade: float = 1, p: float = 0.5, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, gamma: float = 0.5, cost: float = 0.001, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

EU: _EU

class _F(HarmonicMean):
    """F: the weighted harmonic mean of precision and recall."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, beta: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

F: _F

class _Frustration(FrustrationRatio):
    """Frustration: the shortfall of the first k results from ``threshold``, as a share of that in the worst order."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, threshold: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Frustration: _Frustration

class _GAP(GradedAveragePrecision):
    """GAP: average precision for a searcher whose threshold of relevance is unknown."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

GAP: _GAP

class _GAP_jiang2016(SummedGradedAveragePrecision):
    """GAP_jiang2016: graded average precision in which every result above counts its whole gain."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

GAP_jiang2016: _GAP_jiang2016

class _IPrec(InterpolatedPrecision):
    """IPrec: the highest precision at or below the rank where the list reaches a recall level."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, recall: float = 0.1, rule: RecallRule = 'ceil', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

IPrec: _IPrec

class _IPrec11(ElevenPointPrecision):
    """IPrec11: the mean of the interpolated precisions at recall 0, 0.1, ... 1."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, rule: RecallRule = 'ceil', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

IPrec11: _IPrec11

class _InstancePrecision(SavedInstancePrecision):
    """InstancePrecision: the share of the documents saved in a session that have an instance."""

    def __call__(self, *, min_grade: float = 1, undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

InstancePrecision: _InstancePrecision

class _InstanceRecall(SavedInstanceRecall):
    """InstanceRecall: the share of a topic's instances that the documents saved in a session cover."""

    def __call__(self, *, min_grade: float = 1, undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

InstanceRecall: _InstanceRecall

class _Judged(JudgedShare):
    """Judged: the share of a session's results, each list down to the cutoff, that have a grade."""

    def __call__(self, *, depth: Depth = 'all', grades: GradeSource = 'judgments', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Judged: _Judged

class _LogPrecision(LogarithmicPrecision):
    """LogPrecision: the sum of the logarithms of the best possible ranks, divided by that of the ranks of relevant documents."""

    def __call__(self, *, min_grade: float = 1, unretrieved: UnretrievedPlace = 'last', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

LogPrecision: _LogPrecision

class _MaxF(HighestHarmonicMean):
    """MaxF: the highest F over the ranks of the list, for a searcher who stops at the best rank."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, beta: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

MaxF: _MaxF

class _Novelty(RelevantNovelty):
    """Novelty: the share of the relevant documents in the list that were new to the searcher."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Novelty: _Novelty

class _P(Precision):
    """P: the share of relevant results among those looked at."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

P: _P

class _P_jiang2016(PrecisionOfRetrieved):
    """P_jiang2016: the mean gain of the results retrieved down to rank k: relevant results / min(k, results)."""

    def __call__(self, *, gain: Gain = 'binary', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

P_jiang2016: _P_jiang2016

class _Queries(NumberOfQueries):
    """Queries: the number of logged queries of a session, also those that returned nothing or whose list was not logged."""

    def __call__(self, *, queries: QueryLimit = None) -> Self: ...  # type: ignore[override]

Queries: _Queries

class _QueryOverlap(MeanQueryOverlap):
    """QueryOverlap: the mean Jaccard coefficient of the terms of consecutive logged queries of a session."""

    def __call__(self, *, undefined: UndefinedValue = 'null', queries: QueryLimit = None) -> Self: ...  # type: ignore[override]

QueryOverlap: _QueryOverlap

class _QueryTerms(MeanQueryTerms):
    """QueryTerms: the mean number of distinct terms in a session's logged queries."""

    def __call__(self, *, undefined: UndefinedValue = 'null', queries: QueryLimit = None) -> Self: ...  # type: ignore[override]

QueryTerms: _QueryTerms

class _R(Recall):
    """R: the share of the recall base that the list shows."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

R: _R

class _RBP(RankBiasedPrecision):
    """RBP: the expected gain per result of a searcher who goes on from each rank to the next with probability p."""

    def __call__(self, *, gain: Gain = 'binary', min_grade: float = 1, max_grade: float | None = None, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RBP: _RBP

class _RBPResidual(RankBiasedResidual):
    """RBPResidual: the uncertainty of RBP due to results that were not judged or not shown."""

    def __call__(self, *, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RBPResidual: _RBPResidual

class _RBP_jiang2016(RankBiasedPrecisionOfRetrieved):
    """RBP_jiang2016: the mean gain of the results retrieved, weighted by p^(i - 1)."""

    def __call__(self, *, gain: Gain = 'binary', min_grade: float = 1, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RBP_jiang2016: _RBP_jiang2016

class _RHL(RankedHalfLife):
    """RHL: the median rank of the list's gain, interpolated as the median of grouped data."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, limit: MedianLimit = 'above', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RHL: _RHL

class _RR(ReciprocalRank):
    """RR: one over the rank of the first relevant result."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RR: _RR

class _RSDCG(RecencySessionGain):
    """RSDCG: sDCG in which the results of a query lose weight by a factor e^-lambda with every later query."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'log', query_discount: QueryDiscount = 'log', b: float = 2, bq: float = 4, p: float | None = None, pq: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, lambda_: float | None = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RSDCG: _RSDCG

class _RSRBP(RecencyRankBiasedPrecision):
    """RSRBP: sRBP in which the results of a query lose weight by a factor e^-lambda with every later query."""

    def __call__(self, *, gain: Gain = 'binary', min_grade: float = 1, b: float | None = None, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, lambda_: float | None = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RSRBP: _RSRBP

class _RankRecall(RankedRecall):
    """RankRecall: the sum of the best possible ranks of the relevant documents, divided by the sum of their ranks."""

    def __call__(self, *, min_grade: float = 1, unretrieved: UnretrievedPlace = 'last', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RankRecall: _RankRecall

class _RecallEffort(ExpectedRecallEffort):
    """RecallEffort: relevant documents that the searcher expected, divided by the documents examined to find them."""

    def __call__(self, *, min_grade: float = 1, answer: AnswerSize = 'retrieved', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RecallEffort: _RecallEffort

class _RelativeRecall(ExpectedRecall):
    """RelativeRecall: relevant documents in the list, as a share of those that the searcher expected to find."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RelativeRecall: _RelativeRecall

class _RelevanceCosine(CosineRelevance):
    """RelevanceCosine: the cosine between the scores and the gains of a list's results."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, scores: RelevanceScores = 'logged', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RelevanceCosine: _RelevanceCosine

class _RelevanceJaccard(JaccardRelevance):
    """RelevanceJaccard: the Jaccard coefficient of scores and gains, their overlap divided by their union."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, scores: RelevanceScores = 'logged', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RelevanceJaccard: _RelevanceJaccard

class _RelevantSeen(RelevantDocumentsSeen):
    """RelevantSeen: the number of different relevant documents that a session showed, each list down to the cutoff."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

RelevantSeen: _RelevantSeen

class _Repeats(RepeatedResults):
    """Repeats: the number of results of a session that repeat an earlier document, each list down to the cutoff."""

    def __call__(self, *, depth: Depth = 'all', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Repeats: _Repeats

class _Results(NumberOfResults):
    """Results: the number of results that a session's logged queries showed, each list down to the cutoff."""

    def __call__(self, *, depth: Depth = 'all', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Results: _Results

class _Rnorm(NormalizedRecall):
    """Rnorm: the share of (relevant, nonrelevant) pairs of documents in the right order; ties count half."""

    def __call__(self, *, min_grade: float = 1, ties: TiedResults = 'score', unretrieved: UnretrievedPlace = 'last', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Rnorm: _Rnorm

class _Rprec(RPrecision):
    """Rprec: the precision at rank R, R being the number of relevant documents."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Rprec: _Rprec

class _SFT(SatisfactionFrustrationTotal):
    """SFT: satisfaction and the lack of frustration, weighted: lambda x Satisfaction + (1 - lambda) x (1 - Frustration)."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, threshold: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, lambda_: float = 0.5, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

SFT: _SFT

class _SLRF(SearchLengthReduction):
    """SLRF: the share of a random order's expected search length that the list saves (search length reduction factor)."""

    def __call__(self, *, min_grade: float = 1, need: int = 1, ties: TiedResults = 'score', unretrieved: UnretrievedPlace = 'retrieved', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

SLRF: _SLRF

class _Satisfaction(SatisfactionRatio):
    """Satisfaction: the sliding ratio of the results that gain at least ``threshold``; the others count 0."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, threshold: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Satisfaction: _Satisfaction

class _SeenAP(SeenAveragePrecision):
    """SeenAP: the mean of the precisions at the relevant documents that the list shows."""

    def __call__(self, *, min_grade: float = 1, level: float | None = None, at_least: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

SeenAP: _SeenAP

class _SlidingRatio(SlidingGainRatio):
    """SlidingRatio: the gain of the first k results, as a share of their gain in the best order of the list."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

SlidingRatio: _SlidingRatio

class _Success(SuccessAtCutoff):
    """Success: whether the list shows a relevant document."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

Success: _Success

class _TBG(TimeBiasedGain):
    """TBG: the expected number of relevant documents that a searcher saves before stopping."""

    def __call__(self, *, min_grade: float = 1, halflife: float = 224, click: Weights = '0.39-0.64', save: Weights = '0-0.77', scan: float = 4.4, open: float = 7.8, per_word: float = 0.018, words: float = 500, seconds: Weights = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

TBG: _TBG

class _TimeToFirstClick(FirstClickTime):
    """TimeToFirstClick: seconds from a session's first logged query to its first click on a result."""

    def __call__(self, *, queries: QueryLimit = None) -> Self: ...  # type: ignore[override]

TimeToFirstClick: _TimeToFirstClick

class _U(UMeasure):
    """U: the sum of gains, discounted by the position in text or time at which each document ends; 0 beyond the horizon."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, horizon: float | None = None, words: float = 500, seconds: Weights = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

U: _U

class _UniqueDocs(DocumentsShown):
    """UniqueDocs: the number of different documents that a session's logged queries showed, each list down to the cutoff."""

    def __call__(self, *, depth: Depth = 'all', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

UniqueDocs: _UniqueDocs

class _avgpos(AveragePosition):
    """avgpos: the mean of a cumulated vector over its positions: along a session, or down the list of a query."""

    def __call__(self, of: Measure | None = None, *, length: int | None = None) -> Self: ...  # type: ignore[override]

avgpos: _avgpos

class _bpref(BinaryPreference):
    """bpref: how rarely judged nonrelevant documents rank above relevant ones; unjudged results are ignored."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

bpref: _bpref

class _esAP(ExpectedAveragePrecision):
    """esAP: the expected average precision of a scan path."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, pdown: float | None = None, pref: float | None = None, truncate: Truncation = 'absorb', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

esAP: _esAP

class _esDCG(ExpectedGain):
    """esDCG: the expected DCG of a scan path, discounted by the place in the path."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'burges', b: float = 2, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, pdown: float | None = None, pref: float | None = None, truncate: Truncation = 'absorb', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

esDCG: _esDCG

class _esP(ExpectedPrecision):
    """esP: the expected share of relevant documents in a scan path."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, pdown: float | None = None, pref: float | None = None, truncate: Truncation = 'absorb', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

esP: _esP

class _esnCG(ExpectedNormalizedCumulatedGain):
    """esnCG: the expected nCG of a scan path, its ideal cut where the path ends; esnDCG without discount."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, pdown: float | None = None, pref: float | None = None, truncate: Truncation = 'absorb', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

esnCG: _esnCG

class _esnDCG(ExpectedNormalizedGain):
    """esnDCG: the expected nDCG of a scan path, its ideal cut where the path ends."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'burges', b: float = 2, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, pdown: float | None = None, pref: float | None = None, truncate: Truncation = 'absorb', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

esnDCG: _esnDCG

class _first(First):
    """Value of the session's first query."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

first: _first

class _gP(GeneralizedPrecision):
    """gP: the mean degree of relevance of the results looked at."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, max_grade: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

gP: _gP

class _gR(GeneralizedRecall):
    """gR: the share of the recall base's total relevance that the list shows."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, max_grade: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

gR: _gR

class _infAP(InferredAveragePrecision):
    """infAP: average precision estimated where the judgments are a random sample of the pool."""

    def __call__(self, *, min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

infAP: _infAP

class _last(Last):
    """Value of the session's last logged query."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

last: _last

class _max(Max):
    """Largest value of the session's queries; of a measure of which lower is better, that of its worst query."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

max: _max

class _mean(Mean):
    """Mean over the session's queries."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

mean: _mean

class _min(Min):
    """Smallest value of the session's queries; of a measure of which lower is better, that of its best query."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

min: _min

class _nACT(NormalizedAverageCubeFilling):
    """nACT: ACT as a share of that of the best session of the same shape."""

    def __call__(self, *, gain: RatingGain = 'linear', min_grade: float = 1, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, gamma: float = 0.5, height: float = 5, empty: EmptyList = 'skip', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nACT: _nACT

class _nCG(NormalizedCumulatedGain):
    """nCG: cumulated gain as a share of the best that the recall base allows at the same cutoff."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nCG: _nCG

class _nCubeTest(NormalizedCubeFilling):
    """nCubeTest: CubeTest as a share of that of the best session of the same shape."""

    def __call__(self, *, gain: RatingGain = 'linear', min_grade: float = 1, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, gamma: float = 0.5, height: float = 5, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nCubeTest: _nCubeTest

class _nDCG(NormalizedDiscountedCumulatedGain):
    """nDCG: discounted cumulated gain as a share of the best that the recall base allows at the same cutoff."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'burges', b: float = 2, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nDCG: _nDCG

class _nDCG_jiang2016(NormalizedGainOfRetrieved):
    """nDCG_jiang2016: the mean gain of the results retrieved, discounted by rank, over that of the ideal list."""

    def __call__(self, *, gain: Gain = 'exp2', min_grade: float = 1, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nDCG_jiang2016: _nDCG_jiang2016

class _nEU(NormalizedExpectedUtility):
    """nEU: EU scaled between the worst and the best value of a session of the same shape and lengths."""

    def __call__(self, *, gain: RatingGain = 'linear', min_grade: float = 1, p: float = 0.5, depth: Depth = 'all', unjudged: UnjudgedResults = 'zero', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, gamma: float = 0.5, cost: float = 0.001, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nEU: _nEU

class _nonlast(NonLast):
    """Mean over all queries of the session but the last; null for a session of one query."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

nonlast: _nonlast

class _nsDCG(NormalizedSessionGain):
    """nsDCG: sDCG as a share of an ideal session's."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'log', query_discount: QueryDiscount = 'log', b: float = 2, bq: float = 4, p: float | None = None, pq: float | None = None, rank_origin: RankOrigin = 'query', slots: ShortLists | int = 'pad', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, ideal: IdealLayout = 'repeated', ideal_queries: IdealQueries | int = 'session', normalize: RowUnit = 'session', cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

nsDCG: _nsDCG

class _sDCG(SessionGain):
    """sDCG: the sum of the gains of everything a session showed, discounted by rank and by query position."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, discount: Discount = 'log', query_discount: QueryDiscount = 'log', b: float = 2, bq: float = 4, p: float | None = None, pq: float | None = None, rank_origin: RankOrigin = 'query', slots: ShortLists | int = 'pad', depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

sDCG: _sDCG

class _sRBP(SessionRankBiasedPrecision):
    """sRBP: the expected gain per result of a searcher who continues with probability p, in the same list with probability b."""

    def __call__(self, *, gain: Gain = 'binary', min_grade: float = 1, b: float | None = None, p: float | None = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

sRBP: _sRBP

class _sTBG(SessionTimeBiasedGain):
    """sTBG: the expected number of relevant documents that the searchers of a session save before stopping."""

    def __call__(self, *, min_grade: float = 1, halflife: float = 224, click: Weights = '0.39-0.64', save: Weights = '0-0.77', scan: float = 4.4, open: float = 7.8, per_word: float = 0.018, words: float = 500, times: ReadingTimes = 'logged', per_query: float = 0, seconds: Weights = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

sTBG: _sTBG

class _sU(SessionU):
    """sU: the sum of a session's gains, discounted by the time at which each document was read; 0 after the horizon."""

    def __call__(self, *, gain: Gain = 'linear', min_grade: float = 1, horizon: float | None = None, words: float = 500, times: ReadingTimes = 'logged', per_query: float = 0, seconds: Weights = None, depth: Depth = 'all', duplicates: Duplicates = 'all', unjudged: UnjudgedResults = 'zero', grades: GradeSource = 'judgments', undefined: UndefinedValue = 'null', unjudged_topics: UndefinedValue = 'null', queries: QueryLimit = None, cutoff: int | None = None, like: Preset | None = None) -> Self: ...  # type: ignore[override]

sU: _sU

class _sum(Sum):
    """Sum over the session's queries."""

    def __call__(self, of: Measure | None = None) -> Self: ...  # type: ignore[override]

sum: _sum

__all__ = [
    "ACT",
    "AP",
    "ASL",
    "Abandoned",
    "Agreement",
    "AvgP",
    "BreakdownTests",
    "CG",
    "Calibration",
    "Clicks",
    "Comparison",
    "Correlations",
    "Coverage",
    "CubeTest",
    "DCG",
    "DCG_jiang2016",
    "DataError",
    "DataWarning",
    "DeepestClick",
    "Description",
    "DiscriminativePower",
    "Duration",
    "Dwell",
    "E",
    "ERR",
    "ESL",
    "EU",
    "Effort",
    "F",
    "FORMATS",
    "Frustration",
    "GAP",
    "GAP_jiang2016",
    "IPrec",
    "IPrec11",
    "Incompleteness",
    "InstancePrecision",
    "InstanceRecall",
    "JudgeNoise",
    "Judged",
    "JudgmentLoss",
    "LogPrecision",
    "MEASURES",
    "MaxF",
    "Measure",
    "MeasureError",
    "MixedModel",
    "Novelty",
    "P",
    "P_jiang2016",
    "PowerPlan",
    "Proposal",
    "Pseudonymized",
    "Queries",
    "QueryOverlap",
    "QueryTerms",
    "R",
    "RBP",
    "RBPResidual",
    "RBP_jiang2016",
    "RHL",
    "RR",
    "RSDCG",
    "RSRBP",
    "RankRecall",
    "RecallEffort",
    "RelativeRecall",
    "RelevanceCosine",
    "RelevanceJaccard",
    "RelevantSeen",
    "Repeats",
    "Results",
    "Rnorm",
    "Rprec",
    "SFT",
    "SLRF",
    "Satisfaction",
    "SeenAP",
    "SessionkitError",
    "Settings",
    "SlidingRatio",
    "SpaceError",
    "Statement",
    "Study",
    "Success",
    "Sweep",
    "TBG",
    "TimeToFirstClick",
    "U",
    "UniqueDocs",
    "UsageError",
    "add_partition",
    "agreement",
    "avg_pos",
    "avg_vect",
    "avgpos",
    "bases",
    "bounds",
    "bpref",
    "breakdown",
    "breakdown_tests",
    "calibrate",
    "charts",
    "check",
    "column",
    "compare",
    "correlate",
    "curve",
    "curve_differences",
    "curve_with_stops",
    "define",
    "describe",
    "discriminate",
    "effort",
    "engines",
    "esAP",
    "esDCG",
    "esP",
    "esnCG",
    "esnDCG",
    "explain",
    "first",
    "from_run",
    "from_tables",
    "gP",
    "gR",
    "gain_vectors",
    "infAP",
    "judge_noise",
    "judgment_loss",
    "last",
    "mean",
    "nACT",
    "nCG",
    "nCubeTest",
    "nDCG",
    "nDCG_jiang2016",
    "nEU",
    "nonlast",
    "norm_vect",
    "nsDCG",
    "open_study",
    "parse_measure",
    "path_variance",
    "power",
    "precision_recall",
    "propose",
    "pseudonymize",
    "read",
    "reformulations",
    "register",
    "report",
    "rprecision_histogram",
    "sDCG",
    "sRBP",
    "sTBG",
    "sU",
    "score",
    "session_survival",
    "spark",
    "summary",
    "sweep",
    "timeline",
]

def __dir__() -> list[str]: ...
