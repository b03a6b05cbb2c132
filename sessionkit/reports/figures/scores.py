"""Figures of scores: differences between groups, distributions, correlations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import polars as pl

from sessionkit import charts
from sessionkit.charts.annotations import few_line
from sessionkit.charts.encodings import MOST_COLORED
from sessionkit.charts.kinds.rating_scatter import STEPS
from sessionkit.charts.kinds.score_distribution import POINTS
from sessionkit.charts.kinds.topic_means import MOST_NUMBERED
from sessionkit.charts.kinds.user_topic_heatmap import cells_of, most_searched
from sessionkit.charts.theme import WIDTH
from sessionkit.display.labels import natural_sort
from sessionkit.display.numbers import counted, level_text
from sessionkit.errors import UsageError
from sessionkit.reports.choices import Choices, correlation_text, filled, sides
from sessionkit.reports.figures.figure import Figure, by_group, measures_of, without_condition
from sessionkit.scoring.measures.describe import cut_intervals, cut_note
from sessionkit.scoring.score import score
from sessionkit.statistics.bands import grouped_sessions, mean_intervals, with_groups
from sessionkit.statistics.compare import compare
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.correlate import columns, correlate, variables
from sessionkit.study import Study

FEW = 8
"""Topics up to which they fill the width of a figure."""
RATED = ("user_id", "session_id", "session_order", "session_number")
"""Columns that are numbers in name only."""


def differences(study: Study, choices: Choices) -> Figure:
    """Differences between groups, with intervals."""
    found = without_condition(compare(study, measures_of(choices, "differences"), choices.by))
    title = "Differences and their intervals"
    chart = charts.differences(found, synthetic=choices.synthetic, title=title)
    caption = (
        f"Difference by each measure, in units of the measure, with its {level_text(found.alpha)} interval, for {found.claim}; "
        f"{found.test}. {sides(found)}{filled(found)}"
    )
    return Figure("differences", title, chart, caption)


def group_means(study: Study, choices: Choices) -> Figure:
    """Means of groups, with intervals."""
    measure = choices.exact or choices.ratio
    found = without_condition(compare(study, measure, choices.by))
    title = f"Means of {measure}"
    chart = charts.group_means(found, synthetic=choices.synthetic, title=title)
    caption = (
        f"Mean of each group over its sessions with its own {level_text(found.alpha)} interval over {found.population}. Groups "
        f"that share a letter are not shown to differ ({found.test}{found.family.told})."
    )
    return Figure("group-means", title, chart, caption)


def slopes(study: Study, choices: Choices) -> Figure:
    """Each unit from one group to the other."""
    return slopes_of(compare(study, choices.exact or choices.ratio, choices.by), study, choices)


def slopes_of(found: Comparison, study: Study, choices: Choices) -> Figure:
    """The slopes of a comparison by its first measure."""
    found = without_condition(found)
    column = {"users": "user_id", "sessions": "session_id"}.get(found.population)
    if column is not None:  # what is redacted has numbers here too
        units = choices.redaction.frame(found.units.rename({"unit": column}), study).rename({column: "unit"})
        found = replace(found, units=units)
    measure = found.table.item(0, "measure")
    title = f"{measure} of each {found.population.removesuffix('s')}"
    chart = charts.slopes(found, synthetic=choices.synthetic, title=title)
    row = found.table.row(0, named=True)
    first, second = row["a"], row["b"]
    adjusted = (
        " Values are adjusted for topics: the mean of a session's topic is taken out."
        if found.units["adjusted"].any()
        else ""
    )
    caption = (
        f"A line for each of {found.table.item(0, 'n_b'):,} {found.population}, from its mean with {first} to its mean with {second}: "
        f"solid where it rises ({row['wins']:,}), dashed where it falls ({row['losses']:,}), dotted where it does neither "
        f"({row['ties']:,}); thick, the means.{adjusted}"
    )
    return Figure("slopes", title, chart, caption)


def score_distribution(study: Study, choices: Choices) -> Figure:
    """How the scores of sessions lie in each group."""
    return distribution(study, choices, "group")


def distribution(study: Study, choices: Choices, order: Literal["group", "mean"]) -> Figure:
    """How the scores of sessions lie in each group, the groups by name or by their means."""
    measure = choices.exact or choices.ratio
    if measure.level != "session":
        better = f"mean({measure})" if measure.level == "query" else "nsDCG@10"
        raise UsageError(f"score-distribution draws a value per session, which {measure} has not; ask for {better}")
    scores = score(study, measure, per="session").select("session_id", "value")
    frame = grouped_sessions(study, choices.by).join(scores, on="session_id").select("group", "value")
    title = "Scores of sessions" if order == "group" else "Scores of sessions, the highest mean first"
    chart = charts.score_distribution(
        frame, measure=str(measure), order=order, colors=choices.colors, synthetic=choices.synthetic, title=title
    )
    n = natural_sort(frame.group_by("group").agg(pl.col("value").count().cast(pl.Int64)), "group")
    missing = frame.get_column("value").null_count()
    left = f" {counted(missing, 'session')} without a value left out." if missing else ""
    shown = min(POINTS, int(n.get_column("value").max() or 0))  # type: ignore[arg-type]
    of = (
        "Every session is a point" if (n.get_column("value") <= shown).all() else f"At most {shown} sessions are points"
    )
    caption = (
        f"{measure} of each session. Boxes span the quartiles, with a line at the median and a diamond at the mean; whiskers "
        f"reach the last value within 1.5 times a box's length. {of}. Sessions: {by_group(n.rows())}.{left}"
    )
    return Figure("score-distribution", title, chart, caption)


def topic_means(study: Study, choices: Choices) -> Figure:
    """The mean of each group on each topic."""
    measure = choices.exact or choices.ratio
    if choices.by == "topic_id":
        raise UsageError("topic-means draws groups by topic, and the groups are topics; choose another --by")
    spread = measure.level == "session"  # of others the values are no sessions'
    frame = score(study, measure, by=[choices.by, "topic_id"], spread=spread).drop_nulls("topic_id")
    return means_by_topic(
        with_groups(frame, [choices.by]).select("group", "topic_id", "value", *(("n", "sd") if spread else ())),
        str(frame.item(0, "measure")) if len(frame) else str(measure),
        choices,
    )


def means_by_topic(means: pl.DataFrame, measure: str, choices: Choices) -> Figure:
    """Means by ``group`` and ``topic_id``, drawn; with intervals where ``n`` and ``sd`` are known."""
    cut = ""
    if "sd" in means.columns:
        means = mean_intervals(means).drop("sd")
        cut = cut_note(means, measure)
        means = cut_intervals(means, measure)
    title = f"{measure} by topic"
    few = means["topic_id"].n_unique() <= FEW
    chart = charts.topic_means(
        means,
        measure=measure,
        width=WIDTH if few else None,
        colors=choices.colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    caption = f"Mean of {measure} over the sessions of each topic, unadjusted; topics stand in the order of the mean over groups."
    caption += _of_sessions(means.drop_nulls("value"), cut)
    return Figure("topic-means", title, chart, caption)


def _of_sessions(means: pl.DataFrame, cut: str) -> str:
    """Of how many sessions means by topic are, and what their intervals are, where they are drawn."""
    if "n" not in means.columns or means.is_empty():
        return ""
    counts = means["n"].to_list()
    told = f" Each mean is of {min(counts):,}{f' to {max(counts):,}' if min(counts) < max(counts) else ''} sessions."
    if means["low"].count() and means["group"].n_unique() <= MOST_COLORED:
        without = means["low"].null_count()
        told += " Lines are 95% intervals (Student's t) that take the sessions of a topic to be independent"
        told += f"; {counted(without, 'mean')} without one, of one session or of equal values." if without else "."
        told += f" {cut}." if cut else ""
        told += " Numbers: sessions." if len(means) <= MOST_NUMBERED else ""
    faded = few_line(means["n"], "sessions")
    return told + (f" {faded}." if faded else "")


def user_topic_heatmap(study: Study, choices: Choices) -> Figure:
    """The mean score of each user on each topic."""
    measure = choices.exact or choices.ratio
    if measure.level != "session":
        better = f"mean({measure})" if measure.level == "query" else "nsDCG@10"
        raise UsageError(f"user-topic-heatmap draws a value per session, which {measure} has not; ask for {better}")
    scores = score(study, measure, per="session").select("session_id", "user_id", "topic_id", "value")
    scores = grouped_sessions(study, choices.by).join(scores, on="session_id")
    complete = scores.drop_nulls(["user_id", "topic_id", "value"])
    title = f"{measure} by user and topic"
    chart = charts.user_topic_heatmap(
        choices.redaction.frame(scores, study),
        by=choices.by,
        measure=str(measure),
        legend=choices.legend,
        synthetic=choices.synthetic,
        title=title,
    )
    several = len(complete) > len(complete.unique(["user_id", "topic_id"]))
    drawn = int(most_searched(cells_of(complete)).get_column("n").sum())
    few = f", {drawn:,} of them drawn" if drawn < len(complete) else ""
    cell = "Mean of the sessions" if several else "The session"
    missing = len(scores) - len(complete)
    left = f" {counted(missing, 'session')} without a user, a topic or a value left out." if missing else ""
    caption = (
        f"{cell} of each user on each topic by {measure}, {counted(len(complete), 'session')} in all{few}; a gap is a pair "
        f"without a session.{left}"
    )
    return Figure("user-topic-heatmap", title, chart, caption)


def correlation_forest(study: Study, choices: Choices) -> Figure:
    """Correlations of measures with ratings."""
    if not choices.with_:
        raise UsageError(f"correlation-forest needs what to correlate with: --with COLUMN; {_rated(study)}")
    found = correlate(study, measures_of(choices, "correlation-forest"), list(choices.with_))
    title = "Correlations and their intervals"
    chart = charts.correlation_forest(found.table, synthetic=choices.synthetic, title=title)
    kinds = found.table.get_column("interval").drop_nulls().unique(maintain_order=True).to_list()
    n = sorted(set(found.table.get_column("n").to_list()))
    sessions = f"{n[0]:,}" if len(n) == 1 else f"{n[0]:,} to {n[-1]:,}"
    caption = (
        f"Correlation of measures with {', '.join(found.with_)} over {sessions} sessions, with "
        f"{level_text(1 - found.confidence)} intervals ({'; '.join(kinds)}; units: {found.units}), not adjusted for their number."
    )
    return Figure("correlation-forest", title, chart, caption)


def rating_scatter(study: Study, choices: Choices) -> Figure:
    """Scores of sessions by a rating."""
    if len(choices.with_) != 1:
        raise UsageError(f"rating-scatter needs one rating: --with COLUMN; {_rated(study)}")
    found = correlate(study, choices.exact or choices.ratio, choices.with_, coefficients="spearman")
    row = found.table.row(0, named=True)
    drawn = scatter_of(study, row, choices)
    return replace(drawn, caption=f"{drawn.caption} {correlation_text(row, found)}")


def scatter_of(study: Study, row: Mapping[str, Any], choices: Choices) -> Figure:
    """Scores of sessions by a rating, the two that a row of correlations is of."""
    measure, rating = row["measure"], row["covariate"]
    every = columns(study, [*variables(study, measure, "measures"), *variables(study, rating, "with")])
    title = f"{measure} by {rating}"
    chart = charts.rating_scatter(every, rating, measure=measure, synthetic=choices.synthetic, title=title)
    left = f" {counted(row['dropped'], 'session')} without both left out." if row["dropped"] else ""
    caption = (
        f"The larger a circle, the more sessions, in steps of 1/{STEPS} of the range of scores; lines are means of ratings that at "
        f"least two sessions have.{left}"
    )
    return Figure("rating-scatter", title, chart, caption)


def _rated(study: Study) -> str:
    """The columns that hold numbers, as the end of an error message."""
    names = [
        name
        for table in (study.sessions, study.users)
        for name, kind in table.collect_schema().items()
        if kind.is_numeric() and name not in RATED
    ]
    return (
        f"columns with numbers: {', '.join(names[:20])}" if names else "the log has no ratings; a measure will do too"
    )
