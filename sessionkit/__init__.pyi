# Generated from the names of __init__.py and the registry of measures: python -m tests.support.stub
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that mypy reads every module before its package
    from sessionkit import charts as charts
    from sessionkit import engines as engines
    from sessionkit.analysis.agreement import agreement as agreement
    from sessionkit.analysis.breakdown.breakdown import breakdown as breakdown
    from sessionkit.analysis.breakdown.significance_tests import BreakdownTests as BreakdownTests
    from sessionkit.analysis.breakdown.significance_tests import breakdown_tests as breakdown_tests
    from sessionkit.analysis.calibrate.calibrate import calibrate as calibrate
    from sessionkit.analysis.calibrate.calibration import Calibration as Calibration
    from sessionkit.analysis.compare.compare import compare as compare
    from sessionkit.analysis.compare.comparison import Comparison as Comparison
    from sessionkit.analysis.correlate.correlate import Correlations as Correlations
    from sessionkit.analysis.correlate.correlate import correlate as correlate
    from sessionkit.analysis.curve import curve as curve
    from sessionkit.analysis.curve import curve_with_stops as curve_with_stops
    from sessionkit.analysis.describe import Description as Description
    from sessionkit.analysis.describe import describe as describe
    from sessionkit.analysis.discriminative_power.discriminative_power import DiscriminativePower as DiscriminativePower
    from sessionkit.analysis.discriminative_power.discriminative_power import discriminate as discriminate
    from sessionkit.analysis.effort.effort import effort as effort
    from sessionkit.analysis.effort.finding import Effort as Effort
    from sessionkit.analysis.gain_vectors import gain_vectors as gain_vectors
    from sessionkit.analysis.incomplete.bounds import bounds as bounds
    from sessionkit.analysis.incomplete.finding import Incompleteness as Incompleteness
    from sessionkit.analysis.judge_noise.finding import JudgeNoise as JudgeNoise
    from sessionkit.analysis.judge_noise.judge_noise import judge_noise as judge_noise
    from sessionkit.analysis.judgment_loss.finding import JudgmentLoss as JudgmentLoss
    from sessionkit.analysis.judgment_loss.judgment_loss import judgment_loss as judgment_loss
    from sessionkit.analysis.mixed_model import MixedModel as MixedModel
    from sessionkit.analysis.power.finding import PowerPlan as PowerPlan
    from sessionkit.analysis.power.power import power as power
    from sessionkit.analysis.precision_recall import precision_recall as precision_recall
    from sessionkit.analysis.precision_recall import rprecision_histogram as rprecision_histogram
    from sessionkit.analysis.record_accounts import accounts as accounts
    from sessionkit.analysis.reformulations import reformulations as reformulations
    from sessionkit.analysis.summary import summary as summary
    from sessionkit.analysis.sweep.finding import Sweep as Sweep
    from sessionkit.analysis.sweep.sweep import sweep as sweep
    from sessionkit.analysis.timeline import timeline as timeline
    from sessionkit.errors import DataError as DataError
    from sessionkit.errors import DataWarning as DataWarning
    from sessionkit.errors import MeasureError as MeasureError
    from sessionkit.errors import SessionkitError as SessionkitError
    from sessionkit.errors import SpaceError as SpaceError
    from sessionkit.errors import UsageError as UsageError
    from sessionkit.privacy.result import Pseudonymized as Pseudonymized
    from sessionkit.privacy.transform import pseudonymize as pseudonymize
    from sessionkit.readers import FORMATS as FORMATS
    from sessionkit.readers.frames import from_tables as from_tables
    from sessionkit.readers.propose.draft import propose as propose
    from sessionkit.readers.propose.proposal import Proposal as Proposal
    from sessionkit.readers.read import read as read
    from sessionkit.reports.page import report as report
    from sessionkit.scoring.averages import avg_pos as avg_pos
    from sessionkit.scoring.averages import avg_vect as avg_vect
    from sessionkit.scoring.averages import norm_vect as norm_vect
    from sessionkit.scoring.explain import explain as explain
    from sessionkit.scoring.measures.aggregates import Max as _Max
    from sessionkit.scoring.measures.aggregates import Min as _Min
    from sessionkit.scoring.measures.aggregates import Sum as _Sum
    from sessionkit.scoring.measures.aggregates import avgpos as avgpos
    from sessionkit.scoring.measures.aggregates import first as first
    from sessionkit.scoring.measures.aggregates import last as last
    from sessionkit.scoring.measures.aggregates import mean as mean
    from sessionkit.scoring.measures.aggregates import nonlast as nonlast
    from sessionkit.scoring.measures.average_precision import AP as AP
    from sessionkit.scoring.measures.average_precision import GAP as GAP
    from sessionkit.scoring.measures.average_precision import SeenAP as SeenAP
    from sessionkit.scoring.measures.base import Measure as Measure
    from sessionkit.scoring.measures.behavior import Abandoned as Abandoned
    from sessionkit.scoring.measures.behavior import Clicks as Clicks
    from sessionkit.scoring.measures.behavior import DeepestClick as DeepestClick
    from sessionkit.scoring.measures.behavior import Queries as Queries
    from sessionkit.scoring.measures.behavior import Results as Results
    from sessionkit.scoring.measures.cascade import ERR as ERR
    from sessionkit.scoring.measures.column import column as column
    from sessionkit.scoring.measures.cumulated_gain import CG as CG
    from sessionkit.scoring.measures.cumulated_gain import DCG as DCG
    from sessionkit.scoring.measures.cumulated_gain import nCG as nCG
    from sessionkit.scoring.measures.cumulated_gain import nDCG as nDCG
    from sessionkit.scoring.measures.cumulated_gain import nsDCG as nsDCG
    from sessionkit.scoring.measures.cumulated_gain import sDCG as sDCG
    from sessionkit.scoring.measures.durations import Duration as Duration
    from sessionkit.scoring.measures.durations import Dwell as Dwell
    from sessionkit.scoring.measures.durations import TimeToFirstClick as TimeToFirstClick
    from sessionkit.scoring.measures.early_precision import AvgP as AvgP
    from sessionkit.scoring.measures.early_precision import RR as RR
    from sessionkit.scoring.measures.early_precision import Rprec as Rprec
    from sessionkit.scoring.measures.early_precision import Success as Success
    from sessionkit.scoring.measures.expected_gain import esDCG as esDCG
    from sessionkit.scoring.measures.expected_gain import esnCG as esnCG
    from sessionkit.scoring.measures.expected_gain import esnDCG as esnDCG
    from sessionkit.scoring.measures.expected_precision import esAP as esAP
    from sessionkit.scoring.measures.expected_precision import esP as esP
    from sessionkit.scoring.measures.expected_utility import EU as EU
    from sessionkit.scoring.measures.expected_utility import nEU as nEU
    from sessionkit.scoring.measures.generalized_precision import gP as gP
    from sessionkit.scoring.measures.generalized_precision import gR as gR
    from sessionkit.scoring.measures.grammar import parse_measure as parse_measure
    from sessionkit.scoring.measures.half_life import RHL as RHL
    from sessionkit.scoring.measures.incomplete import bpref as bpref
    from sessionkit.scoring.measures.incomplete import infAP as infAP
    from sessionkit.scoring.measures.instances import InstancePrecision as InstancePrecision
    from sessionkit.scoring.measures.instances import InstanceRecall as InstanceRecall
    from sessionkit.scoring.measures.jiang2016 import DCG_jiang2016 as DCG_jiang2016
    from sessionkit.scoring.measures.jiang2016 import GAP_jiang2016 as GAP_jiang2016
    from sessionkit.scoring.measures.jiang2016 import P_jiang2016 as P_jiang2016
    from sessionkit.scoring.measures.jiang2016 import RBP_jiang2016 as RBP_jiang2016
    from sessionkit.scoring.measures.jiang2016 import nDCG_jiang2016 as nDCG_jiang2016
    from sessionkit.scoring.measures.precision import E as E
    from sessionkit.scoring.measures.precision import F as F
    from sessionkit.scoring.measures.precision import MaxF as MaxF
    from sessionkit.scoring.measures.precision import P as P
    from sessionkit.scoring.measures.precision import R as R
    from sessionkit.scoring.measures.rank_biased import RBP as RBP
    from sessionkit.scoring.measures.rank_biased import RBPResidual as RBPResidual
    from sessionkit.scoring.measures.rank_order import LogPrecision as LogPrecision
    from sessionkit.scoring.measures.rank_order import RankRecall as RankRecall
    from sessionkit.scoring.measures.rank_order import Rnorm as Rnorm
    from sessionkit.scoring.measures.recall_levels import IPrec as IPrec
    from sessionkit.scoring.measures.recall_levels import IPrec11 as IPrec11
    from sessionkit.scoring.measures.recency import RSDCG as RSDCG
    from sessionkit.scoring.measures.recency import RSRBP as RSRBP
    from sessionkit.scoring.measures.reformulation import QueryOverlap as QueryOverlap
    from sessionkit.scoring.measures.reformulation import QueryTerms as QueryTerms
    from sessionkit.scoring.measures.registry import MEASURES as MEASURES
    from sessionkit.scoring.measures.relative_relevance import RelevanceCosine as RelevanceCosine
    from sessionkit.scoring.measures.relative_relevance import RelevanceJaccard as RelevanceJaccard
    from sessionkit.scoring.measures.result_counts import Judged as Judged
    from sessionkit.scoring.measures.result_counts import RelevantSeen as RelevantSeen
    from sessionkit.scoring.measures.result_counts import Repeats as Repeats
    from sessionkit.scoring.measures.result_counts import UniqueDocs as UniqueDocs
    from sessionkit.scoring.measures.search_length import ASL as ASL
    from sessionkit.scoring.measures.search_length import ESL as ESL
    from sessionkit.scoring.measures.search_length import SLRF as SLRF
    from sessionkit.scoring.measures.session_rank_biased import sRBP as sRBP
    from sessionkit.scoring.measures.session_time import sTBG as sTBG
    from sessionkit.scoring.measures.session_time import sU as sU
    from sessionkit.scoring.measures.sliding_ratio import Frustration as Frustration
    from sessionkit.scoring.measures.sliding_ratio import SFT as SFT
    from sessionkit.scoring.measures.sliding_ratio import Satisfaction as Satisfaction
    from sessionkit.scoring.measures.sliding_ratio import SlidingRatio as SlidingRatio
    from sessionkit.scoring.measures.subtopic import ACT as ACT
    from sessionkit.scoring.measures.subtopic import CubeTest as CubeTest
    from sessionkit.scoring.measures.subtopic import nACT as nACT
    from sessionkit.scoring.measures.subtopic import nCubeTest as nCubeTest
    from sessionkit.scoring.measures.time import TBG as TBG
    from sessionkit.scoring.measures.time import U as U
    from sessionkit.scoring.measures.user_oriented import Coverage as Coverage
    from sessionkit.scoring.measures.user_oriented import Novelty as Novelty
    from sessionkit.scoring.measures.user_oriented import RecallEffort as RecallEffort
    from sessionkit.scoring.measures.user_oriented import RelativeRecall as RelativeRecall
    from sessionkit.scoring.scan_paths.variance import path_variance as path_variance
    from sessionkit.scoring.score import score as score
    from sessionkit.study.package_reader import open_study as open_study
    from sessionkit.study.partitions import add_partition as add_partition
    from sessionkit.study.settings import Settings as Settings
    from sessionkit.study.study import Study as Study

__version__: str
max: _Max
min: _Min
sum: _Sum

__all__ = [
    "ACT",
    "AP",
    "ASL",
    "Abandoned",
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
    "Study",
    "Success",
    "Sweep",
    "TBG",
    "TimeToFirstClick",
    "U",
    "UniqueDocs",
    "UsageError",
    "__version__",
    "accounts",
    "add_partition",
    "agreement",
    "avg_pos",
    "avg_vect",
    "avgpos",
    "bounds",
    "bpref",
    "breakdown",
    "breakdown_tests",
    "calibrate",
    "charts",
    "column",
    "compare",
    "correlate",
    "curve",
    "curve_with_stops",
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
    "report",
    "rprecision_histogram",
    "sDCG",
    "sRBP",
    "sTBG",
    "sU",
    "score",
    "summary",
    "sweep",
    "timeline",
]

def __dir__() -> list[str]: ...
