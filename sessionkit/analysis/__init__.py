"""Findings from scores: what the study looks like, average session curves, last against earlier queries."""

from sessionkit.analysis.accounts import accounts
from sessionkit.analysis.agreement import judges
from sessionkit.analysis.breakdown import breakdown
from sessionkit.analysis.breakdown_tests import BreakdownTests, breakdown_tests
from sessionkit.analysis.compare import compare
from sessionkit.analysis.comparing.comparison import Comparison
from sessionkit.analysis.correlate import Correlations, correlate
from sessionkit.analysis.curve import curve, curve_with_stops
from sessionkit.analysis.describe import Description, describe
from sessionkit.analysis.precision_recall import precision_recall, rprecision_histogram
from sessionkit.analysis.reformulations import reformulations
from sessionkit.analysis.summary import summary

__all__ = [
    "BreakdownTests", "Comparison", "Correlations", "Description", "accounts", "breakdown", "breakdown_tests", "compare",
    "correlate", "curve", "curve_with_stops", "describe", "judges", "precision_recall", "reformulations", "rprecision_histogram",
    "summary",
]  # fmt: skip
