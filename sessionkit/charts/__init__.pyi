# Generated from the names of __init__.py and the registry of measures: python -m tests.support.stub
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that mypy reads every module before its package
    from sessionkit.charts.files import data as data
    from sessionkit.charts.files import save as save
    from sessionkit.charts.files import spec_of as spec_of
    from sessionkit.charts.kinds.correlation_forest import correlation_forest as correlation_forest
    from sessionkit.charts.kinds.difference_curve import difference_curve as difference_curve
    from sessionkit.charts.kinds.differences import differences as differences
    from sessionkit.charts.kinds.discount_fit import discount_fit as discount_fit
    from sessionkit.charts.kinds.discriminative_power import discriminative_power as discriminative_power
    from sessionkit.charts.kinds.effort_gain import effort_gain as effort_gain
    from sessionkit.charts.kinds.examination_heatmap import examination_heatmap as examination_heatmap
    from sessionkit.charts.kinds.gain_vectors import gain_vectors as gain_vectors
    from sessionkit.charts.kinds.group_means import group_means as group_means
    from sessionkit.charts.kinds.judge_noise import judge_noise as judge_noise
    from sessionkit.charts.kinds.judgment_loss import judgment_loss as judgment_loss
    from sessionkit.charts.kinds.last_vs_nonlast import last_vs_nonlast as last_vs_nonlast
    from sessionkit.charts.kinds.power_curve import power_curve as power_curve
    from sessionkit.charts.kinds.precision_recall import precision_recall as precision_recall
    from sessionkit.charts.kinds.rating_scatter import rating_scatter as rating_scatter
    from sessionkit.charts.kinds.reformulation_flow import reformulation_flow as reformulation_flow
    from sessionkit.charts.kinds.rprecision_histogram import rprecision_histogram as rprecision_histogram
    from sessionkit.charts.kinds.score_distribution import score_distribution as score_distribution
    from sessionkit.charts.kinds.session_card import session_card as session_card
    from sessionkit.charts.kinds.session_curve import session_curve as session_curve
    from sessionkit.charts.kinds.session_pair import session_pair as session_pair
    from sessionkit.charts.kinds.session_survival import session_survival as session_survival
    from sessionkit.charts.kinds.session_timeline import session_timeline as session_timeline
    from sessionkit.charts.kinds.session_wall import session_wall as session_wall
    from sessionkit.charts.kinds.single_sessions import single_sessions as single_sessions
    from sessionkit.charts.kinds.slopes import slopes as slopes
    from sessionkit.charts.kinds.sweep_map import sweep_map as sweep_map
    from sessionkit.charts.kinds.tipping_point import tipping_point as tipping_point
    from sessionkit.charts.kinds.topic_curves import topic_curves as topic_curves
    from sessionkit.charts.kinds.topic_means import topic_means as topic_means
    from sessionkit.charts.kinds.user_topic_heatmap import user_topic_heatmap as user_topic_heatmap
    from sessionkit.charts.kinds.verdict_curves import verdict_curves as verdict_curves
    from sessionkit.charts.kinds.waterfall import waterfall as waterfall
    from sessionkit.charts.registry import KINDS as KINDS
    from sessionkit.charts.theme import colors_of as colors_of
    from sessionkit.charts.theme import themed as themed
    from sessionkit.reports.single_figures import each as each

__all__ = [
    "KINDS",
    "colors_of",
    "data",
    "each",
    "save",
    "spec_of",
    "themed",
    "last_vs_nonlast",
    "session_curve",
    "difference_curve",
    "topic_curves",
    "single_sessions",
    "session_wall",
    "sweep_map",
    "discount_fit",
    "examination_heatmap",
    "judgment_loss",
    "verdict_curves",
    "tipping_point",
    "power_curve",
    "judge_noise",
    "discriminative_power",
    "differences",
    "group_means",
    "slopes",
    "topic_means",
    "user_topic_heatmap",
    "gain_vectors",
    "precision_recall",
    "rprecision_histogram",
    "score_distribution",
    "session_card",
    "waterfall",
    "session_timeline",
    "session_pair",
    "correlation_forest",
    "rating_scatter",
    "effort_gain",
    "session_survival",
    "reformulation_flow",
]
