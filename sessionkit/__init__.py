"""sessionkit: session-level evaluation of interactive search.

Read a log and its judgments, score its sessions, look at their curves, break them down, draw them and report them:

>>> import sessionkit as sk
>>> study = sk.read("examples/clinic/study.toml")
>>> sk.score(study, ["nsDCG@10"], per="system").select("system_id", "measure", "n").rows()
[('S1', 'nsDCG@10', 60), ('S2', 'nsDCG@10', 60)]

Names are imported when they are first used, so that the command line starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sessionkit import charts, engines
    from sessionkit.analysis.agreement import judges
    from sessionkit.analysis.breakdown.breakdown import breakdown
    from sessionkit.analysis.breakdown.significance_tests import BreakdownTests, breakdown_tests
    from sessionkit.analysis.calibrate.calibrate import calibrate
    from sessionkit.analysis.calibrate.calibration import Calibration
    from sessionkit.analysis.compare.compare import compare
    from sessionkit.analysis.compare.comparison import Comparison
    from sessionkit.analysis.correlate.correlate import Correlations, correlate
    from sessionkit.analysis.curve import curve, curve_with_stops
    from sessionkit.analysis.describe import Description, describe
    from sessionkit.analysis.discriminative_power.discriminative_power import DiscriminativePower, discriminative_power
    from sessionkit.analysis.effort.effort import effort
    from sessionkit.analysis.effort.finding import Effort
    from sessionkit.analysis.gain_vectors import gain_vectors
    from sessionkit.analysis.incomplete.finding import Incompleteness
    from sessionkit.analysis.incomplete.incomplete import incomplete
    from sessionkit.analysis.judge_noise.finding import JudgeNoise
    from sessionkit.analysis.judge_noise.judge_noise import judge_noise
    from sessionkit.analysis.judgment_loss.finding import JudgmentLoss
    from sessionkit.analysis.judgment_loss.judgment_loss import judgment_loss
    from sessionkit.analysis.mixed.finding import MixedModel
    from sessionkit.analysis.mixed.mixed import mixed
    from sessionkit.analysis.power.finding import PowerPlan
    from sessionkit.analysis.power.power import power
    from sessionkit.analysis.precision_recall import precision_recall, rprecision_histogram
    from sessionkit.analysis.record_accounts import accounts
    from sessionkit.analysis.reformulations import reformulations
    from sessionkit.analysis.summary import summary
    from sessionkit.analysis.sweep.finding import Sweep
    from sessionkit.analysis.sweep.sweep import sweep
    from sessionkit.analysis.timeline import timeline
    from sessionkit.errors import DataError, DataWarning, MeasureError, SessionkitError, SpaceError, UsageError
    from sessionkit.privacy.result import Pseudonymized
    from sessionkit.privacy.transform import pseudonymize
    from sessionkit.readers import FORMATS, from_tables
    from sessionkit.readers.propose.draft import propose
    from sessionkit.readers.propose.proposal import Proposal
    from sessionkit.readers.read import read
    from sessionkit.reports import report
    from sessionkit.scoring.averages import avg_pos, avg_vect, norm_vect
    from sessionkit.scoring.explain import explain
    from sessionkit.scoring.measures import (
        ACT,
        AP,
        ASL,
        CG,
        DCG,
        ERR,
        ESL,
        EU,
        GAP,
        MEASURES,
        RBP,
        RHL,
        RR,
        RSDCG,
        RSRBP,
        SFT,
        SLRF,
        TBG,
        Abandoned,
        AvgP,
        Clicks,
        Coverage,
        CubeTest,
        DCG_jiang2016,
        DeepestClick,
        Duration,
        Dwell,
        E,
        F,
        Frustration,
        GAP_jiang2016,
        InstancePrecision,
        InstanceRecall,
        IPrec,
        IPrec11,
        Judged,
        LogPrecision,
        MaxF,
        Measure,
        Novelty,
        P,
        P_jiang2016,
        Queries,
        QueryOverlap,
        QueryTerms,
        R,
        RankRecall,
        RBP_jiang2016,
        RBPResidual,
        RecallEffort,
        RelativeRecall,
        RelevanceCosine,
        RelevanceJaccard,
        RelevantSeen,
        Repeats,
        Results,
        Rnorm,
        Rprec,
        Satisfaction,
        SeenAP,
        SlidingRatio,
        Success,
        TimeToFirstClick,
        U,
        UniqueDocs,
        avgpos,
        bpref,
        esAP,
        esDCG,
        esnCG,
        esnDCG,
        esP,
        first,
        gP,
        gR,
        infAP,
        last,
        mean,
        nACT,
        nCG,
        nCubeTest,
        nDCG,
        nDCG_jiang2016,
        nEU,
        nonlast,
        nsDCG,
        parse_measure,
        sDCG,
        sRBP,
        sTBG,
        sU,
    )
    from sessionkit.scoring.measures.aggregates import Max, Min, Sum
    from sessionkit.scoring.scan_paths.variance import path_variance
    from sessionkit.scoring.score import score
    from sessionkit.study import Settings, Study, add_partition, open_study

    max: Max
    min: Min
    sum: Sum

_HOMES = {
    "sessionkit.analysis.record_accounts": ["accounts"],
    "sessionkit.analysis.agreement": ["judges"],
    "sessionkit.analysis.breakdown.breakdown": ["breakdown"],
    "sessionkit.analysis.breakdown.significance_tests": ["BreakdownTests", "breakdown_tests"],
    "sessionkit.analysis.calibrate.calibrate": ["Calibration", "calibrate"],
    "sessionkit.analysis.compare.compare": ["Comparison", "compare"],
    "sessionkit.analysis.correlate.correlate": ["Correlations", "correlate"],
    "sessionkit.analysis.curve": ["curve", "curve_with_stops"],
    "sessionkit.analysis.describe": ["Description", "describe"],
    "sessionkit.analysis.discriminative_power.discriminative_power": ["DiscriminativePower", "discriminative_power"],
    "sessionkit.analysis.effort.effort": ["Effort", "effort"],
    "sessionkit.analysis.gain_vectors": ["gain_vectors"],
    "sessionkit.analysis.incomplete.incomplete": ["Incompleteness", "incomplete"],
    "sessionkit.analysis.judge_noise.judge_noise": ["JudgeNoise", "judge_noise"],
    "sessionkit.analysis.judgment_loss.judgment_loss": ["JudgmentLoss", "judgment_loss"],
    "sessionkit.analysis.mixed.mixed": ["MixedModel", "mixed"],
    "sessionkit.analysis.power.power": ["PowerPlan", "power"],
    "sessionkit.analysis.precision_recall": ["precision_recall", "rprecision_histogram"],
    "sessionkit.analysis.reformulations": ["reformulations"],
    "sessionkit.analysis.summary": ["summary"],
    "sessionkit.analysis.sweep.sweep": ["Sweep", "sweep"],
    "sessionkit.analysis.timeline": ["timeline"],
    "sessionkit.errors": ["DataError", "DataWarning", "MeasureError", "SessionkitError", "SpaceError", "UsageError"],
    "sessionkit.readers": ["FORMATS", "from_tables"],
    "sessionkit.readers.read": ["read"],
    "sessionkit.readers.propose.draft": ["propose"],
    "sessionkit.readers.propose.proposal": ["Proposal"],
    "sessionkit.reports": ["report"],
    "sessionkit.scoring.averages": ["avg_pos", "avg_vect", "norm_vect"],
    "sessionkit.scoring.explain": ["explain"],
    "sessionkit.scoring.scan_paths.variance": ["path_variance"],
    "sessionkit.scoring.measures": [
        "CG", "DCG", "MEASURES", "Measure", "avgpos", "first", "last", "max", "mean", "min", "nCG", "nDCG", "nonlast", "nsDCG",
        "parse_measure", "sDCG", "sum", "RSDCG", "RSRBP", "esAP", "esDCG", "esP", "esnCG", "esnDCG", "sRBP",
        "AP", "GAP", "SeenAP", "ERR", "RR", "AvgP", "Rprec", "Success", "gP", "gR", "bpref",
        "infAP", "E", "F", "MaxF", "P", "R", "RBP", "RBPResidual", "IPrec", "IPrec11",
        "Queries", "Results", "Clicks", "DeepestClick", "Abandoned", "UniqueDocs", "Repeats", "Judged", "RelevantSeen",
        "Duration", "TimeToFirstClick", "Dwell", "QueryTerms", "QueryOverlap", "CubeTest", "ACT", "nCubeTest", "nACT",
        "EU", "nEU", "InstanceRecall", "InstancePrecision", "sU", "sTBG",
        "ASL", "ESL", "SLRF", "Rnorm", "RankRecall", "LogPrecision", "SlidingRatio", "Satisfaction", "Frustration",
        "SFT", "RHL", "RelevanceCosine", "RelevanceJaccard", "Coverage", "Novelty", "RelativeRecall", "RecallEffort",
        "U", "TBG", "DCG_jiang2016", "nDCG_jiang2016", "P_jiang2016", "RBP_jiang2016", "GAP_jiang2016",
    ],
    "sessionkit.scoring.score": ["score"],
    "sessionkit.study": ["Settings", "Study", "add_partition", "open_study"],
    "sessionkit.privacy.result": ["Pseudonymized"],
    "sessionkit.privacy.transform": ["pseudonymize"],
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_SPELLED = {"max": "max_", "min": "min_", "sum": "sum_"}

__all__ = [
    "ACT", "AP", "ASL", "CG", "DCG", "ERR", "ESL", "EU", "FORMATS", "GAP", "MEASURES", "RBP", "RHL", "RR", "RSDCG",
    "RSRBP", "SFT", "SLRF", "TBG", "Abandoned", "AvgP", "BreakdownTests", "Calibration", "Clicks", "Comparison",
    "Correlations", "Coverage", "CubeTest", "DCG_jiang2016", "DataError", "DataWarning", "DeepestClick", "Description",
    "DiscriminativePower", "Duration", "Dwell", "E", "Effort", "F", "Frustration", "GAP_jiang2016", "IPrec", "IPrec11",
    "Incompleteness", "InstancePrecision", "InstanceRecall", "JudgeNoise", "Judged", "JudgmentLoss", "LogPrecision",
    "MaxF", "Measure", "MeasureError", "MixedModel", "Novelty", "P", "P_jiang2016", "PowerPlan", "Proposal",
    "Pseudonymized", "Queries", "QueryOverlap", "QueryTerms", "R", "RBPResidual", "RBP_jiang2016", "RankRecall",
    "RecallEffort", "RelativeRecall", "RelevanceCosine", "RelevanceJaccard", "RelevantSeen", "Repeats", "Results",
    "Rnorm", "Rprec", "Satisfaction", "SeenAP", "SessionkitError", "Settings", "SlidingRatio", "SpaceError", "Study",
    "Success", "Sweep", "TimeToFirstClick", "U", "UniqueDocs", "UsageError", "__version__", "accounts", "add_partition",
    "avg_pos", "avg_vect", "avgpos", "bpref", "breakdown", "breakdown_tests", "calibrate", "charts", "compare",
    "correlate", "curve", "curve_with_stops", "describe", "discriminative_power", "effort", "engines", "esAP", "esDCG",
    "esP", "esnCG", "esnDCG", "explain", "first", "from_tables", "gP", "gR", "gain_vectors", "incomplete", "infAP",
    "judge_noise", "judges", "judgment_loss", "last", "mean", "mixed", "nACT", "nCG", "nCubeTest", "nDCG",
    "nDCG_jiang2016", "nEU", "nonlast", "norm_vect", "nsDCG", "open_study", "parse_measure", "path_variance", "power",
    "precision_recall", "propose", "pseudonymize", "read", "reformulations", "report", "rprecision_histogram", "sDCG",
    "sRBP", "sTBG", "sU", "score", "summary", "sweep", "timeline",
]  # fmt: skip
"""What ``from sessionkit import *`` brings: every public name but those that Python has itself, such as ``sk.max``."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import a public name when it is first used."""
    if name in ("charts", "engines"):
        return importlib.import_module(f"sessionkit.{name}")
    if name not in _HOME:
        msg = f"module 'sessionkit' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(_HOME[name]), _SPELLED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every public name."""
    return sorted({*__all__, *_SPELLED})
