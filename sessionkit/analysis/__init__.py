"""Findings from scores: what the study looks like, average session curves, last against earlier queries."""

from sessionkit.analysis.accounts import accounts
from sessionkit.analysis.agreement import judges
from sessionkit.analysis.breakdown import breakdown
from sessionkit.analysis.breakdown_tests import BreakdownTests, breakdown_tests
from sessionkit.analysis.calibrate import calibrate
from sessionkit.analysis.calibrating.calibration import Calibration
from sessionkit.analysis.compare import compare
from sessionkit.analysis.comparing.comparison import Comparison
from sessionkit.analysis.correlate import Correlations, correlate
from sessionkit.analysis.curve import curve, curve_with_stops
from sessionkit.analysis.describe import Description, describe
from sessionkit.analysis.discriminative import DiscriminativePower, discriminative_power
from sessionkit.analysis.effort import effort
from sessionkit.analysis.efforts.finding import Effort
from sessionkit.analysis.incomplete import incomplete
from sessionkit.analysis.incompleteness.finding import Incompleteness
from sessionkit.analysis.judge_noise import judge_noise
from sessionkit.analysis.judgment_loss import judgment_loss
from sessionkit.analysis.losing.finding import JudgmentLoss
from sessionkit.analysis.misjudging.finding import JudgeNoise
from sessionkit.analysis.mixed import mixed
from sessionkit.analysis.modelling.finding import MixedModel
from sessionkit.analysis.planning.found import PowerPlan
from sessionkit.analysis.power import power
from sessionkit.analysis.precision_recall import precision_recall, rprecision_histogram
from sessionkit.analysis.reformulations import reformulations
from sessionkit.analysis.summary import summary
from sessionkit.analysis.sweep import sweep
from sessionkit.analysis.sweeping.finding import Sweep

__all__ = [
    "BreakdownTests", "Calibration", "Comparison", "Correlations", "Description", "DiscriminativePower", "Effort",
    "Incompleteness", "JudgeNoise", "JudgmentLoss", "MixedModel", "PowerPlan", "Sweep", "accounts", "breakdown",
    "breakdown_tests", "calibrate", "compare", "correlate", "curve", "curve_with_stops", "describe",
    "discriminative_power", "effort", "incomplete", "judge_noise", "judges", "judgment_loss", "mixed", "power",
    "precision_recall", "reformulations", "rprecision_histogram", "summary", "sweep",
]  # fmt: skip
