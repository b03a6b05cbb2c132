"""Figures of ranked lists: gain vectors, recall and precision, two systems by topic."""

from __future__ import annotations

import polars as pl

from sessionkit import charts
from sessionkit.charts.kinds.precision_recall import MOST
from sessionkit.display.labels import in_natural_order, natural_sort
from sessionkit.errors import UsageError, suggestion
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import Figure, alone_told, band_told, bands_of, by_group, measures_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.sessions.gain_vectors import gain_vectors as vectors
from sessionkit.sessions.precision_recall import precision_recall as curves
from sessionkit.sessions.precision_recall import rprecision_histogram as histogram
from sessionkit.statistics.bands import EVERYONE, grouped_sessions, with_groups
from sessionkit.study import Study

DEEPEST = 20
"""The rank to which vectors go, unless the measure says otherwise or no list goes so deep."""


def gain_vectors(study: Study, choices: Choices) -> Figure:
    """CG, DCG, nCG and nDCG by rank, or the measures asked for."""
    deepest = study.results.select(pl.col("rank").max()).collect().item() or 1
    asked = measures_of(choices, "gain-vectors")
    cut = [_cut(measure, min(DEEPEST, deepest)) for measure in asked]
    options = {} if choices.normalize == "averages" else bands_of(study, choices)
    each = {
        str(measure): vectors(study, measure, choices.by, normalize=choices.normalize, **options) for measure in cut
    }
    frame = pl.concat([found.with_columns(measure=pl.lit(name)) for name, found in each.items()])
    frame = with_groups(frame, [choices.by])
    title = "Gain vectors by rank"
    chart = charts.gain_vectors(
        frame,
        axis=None if choices.normalize in (None, "none") else "Share of the ideal",
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    ends = natural_sort(frame.group_by("group").agg(pl.col("n_queries").max()), "group")
    shares = {
        "averages": "; the mean gain is divided by the mean ideal",
        "each": "; each query is divided by its own ideal and the quotients are averaged",
    }
    scales = " Every panel has a vertical scale of its own." if len(each) > 1 else ""
    ideal = {"none": "", None: ", which is 1 for a normalized measure"}.get(choices.normalize, ", which is 1")
    band = "" if choices.normalize == "averages" else band_told(frame, study, "rank by rank")
    caption = (
        f"Mean of {', '.join(each)} cumulated to each rank, over all logged queries, each of which counts the same (queries: "
        f"{by_group(ends.rows())}){shares.get(choices.normalize or '', '')}; dashed, the mean of the best lists that the judgments "
        f"allow{ideal}.{scales}{band}"
        f"{alone_told(frame, 'n_queries', 'query')}"
    )
    return Figure("gain-vectors", title, chart, caption)


def _cut(measure: Measure, deepest: int) -> Measure:
    """A measure with its cutoff, or the usual one."""
    return measure @ (measure.cutoff or deepest) if "cutoff" in measure.parameters() else measure


def precision_recall(study: Study, choices: Choices) -> Figure:
    """Eleven-point curves, with those of topics."""
    measure = choices.exact or parse_measure("IPrec11")
    if not measure.has_recall_curve:
        raise UsageError(
            f"precision-recall does not draw {measure}; ask for IPrec11 or gP with its choices, IPrec11@100"
        )
    average = with_groups(curves(study, choices.by, measure=measure, **bands_of(study, choices)), [choices.by])
    topics = None
    if choices.topic is not None and choices.by != "topic_id":
        topics = curves(study, [choices.by, "topic_id"], measure=measure).drop_nulls("topic_id")
        topics = None if topics.select(choices.by, "topic_id").n_unique() > MOST or topics.is_empty() else topics
    title = "Precision by recall, eleven points"
    chart = charts.precision_recall(
        average,
        topics,
        measure=str(measure),
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    thin = " Thin lines are the averages of single topics." if topics is not None else ""
    ends = natural_sort(average.group_by("group").agg(pl.col("n").max()), "group")
    kind = "generalized " if measure.tells_grades_apart else ""
    caption = (
        f"Interpolated {kind}precision at {kind}recall 0, 0.1, ... 1 ({measure}), averaged over all logged queries that anything is "
        f"relevant to, each of which counts the same (queries: {by_group(ends.rows())}).{thin}"
        f"{band_told(average, study, 'level by level')}{alone_told(average, 'n', 'query')}"
    )
    return Figure("precision-recall", title, chart, caption)


def rprecision_histogram(study: Study, choices: Choices) -> Figure:
    """Two systems by topic."""
    measure = choices.exact or parse_measure("mean(Rprec)")
    a, b = _pair(study, choices)
    frame = histogram(study, a, b, by=choices.by, measure=measure)
    title = "R-precision by topic" if "Rprec" in str(measure) else f"{measure} by topic"
    chart = charts.rprecision_histogram(
        frame,
        a,
        b,
        measure=str(measure),
        colors=choices.colors,
        synthetic=choices.synthetic,
        title=title,
        subtitle=f"{a} \u2212 {b}",
        legend=choices.legend,
    )
    direction, differences = MeasureDirection.of(measure, study.settings.better), frame.get_column("difference")
    first, second = direction.count_ahead(differences)
    is_ahead = "is ahead" if direction.is_known else "has the higher mean"
    difference = f"Difference {a} \u2212 {b} in {measure}{direction.lower_note}"
    caption = (
        f"{difference}, averaged over the sessions of each topic: {a} {is_ahead} on {first}, "
        f"{b} on {second} of {differences.count()} topics."
    )
    return Figure("rprecision-histogram", title, chart, caption)


def _pair(study: Study, choices: Choices) -> tuple[str, str]:
    """The two systems that there are, the one that is subtracted last: the first, unless another is asked for."""
    known = in_natural_order(grouped_sessions(study, choices.by).get_column("group"))
    if choices.against is not None and choices.against not in known:
        raise UsageError(
            f"there is no {choices.legend.lower()} {choices.against!r}: {', '.join(known[:20])}{suggestion(choices.against, known)}"
        )
    if known == [EVERYONE]:
        raise UsageError(
            f"rprecision-histogram compares two groups, and by {choices.by} there is none; group --by another column"
        )
    if len(known) != 2:
        found = f"there are {len(known)}: {', '.join(known[:20])}" if len(known) != 1 else f"there is only {known[0]}"
        raise UsageError(
            f"rprecision-histogram compares two of them; {found}; choose two, such as --where \"{choices.by} in ('A', 'B')\""
        )
    subtracted, other = known if choices.against in (None, known[0]) else reversed(known)
    return other, subtracted
