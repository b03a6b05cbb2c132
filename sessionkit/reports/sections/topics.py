"""For whom and on which topics: the primary measure by topic, every topic shown."""

from __future__ import annotations

import polars as pl

from sessionkit.charts.annotations import few_line
from sessionkit.charts.kinds.rprecision_histogram import rprecision_histogram
from sessionkit.charts.kinds.topic_means import DIGITS
from sessionkit.charts.theme import WIDTH
from sessionkit.display.labels import label, natural_sort
from sessionkit.display.numbers import counted, level_text, p_statistic
from sessionkit.display.tables import table_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, figure
from sessionkit.reports.figures.scores import FEW, means_by_topic
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.report_data import Material
from sessionkit.reports.sections.section_kind import section
from sessionkit.scoring.measures.describe import cut_intervals, cut_note, value_text
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.comparison_statements import BETWEEN_USERS
from sessionkit.statistics.distributions import is_highest

DRAWN = 10_000
"""Means of groups on topics up to which a figure shows every one, so that the page stays small."""


@section("topics-table", "Means by topic")
def topics_table(of: Material) -> list[Part]:
    """The means of the groups by topic."""
    found, means = of.comparison, of.topic_means
    if found is None or means is None:
        return []
    if of.by_topic is None:
        wide = means.pivot(on="group", index="topic_id", values="value")
        groups = natural_sort(means.select(pl.col("group").unique()), "group")["group"].to_list()
        headers = {"topic_id": "Topic"} | {group: of.named(group) for group in groups if of.named(group) != group}
        return [table_of(f"{of.primary} by topic", wide.select("topic_id", *groups), headers=headers, decimals=4)]
    first, second = found.table.row(0, named=True)["a"], found.table.row(0, named=True)["b"]
    shown = of.by_topic.sort("difference", descending=True, nulls_last=True, maintain_order=True)
    headers = {
        "topic_id": "Topic",
        "a": of.named(first),
        "n_a": "n",
        "b": of.named(second),
        "n_b": "n ",
        "difference": "Difference",
        "low": "From",
        "high": "To",
    }
    cut = cut_note(shown, str(of.primary), of_difference=True)
    note = f"{cut}." if cut else None
    shown = cut_intervals(shown.select(*headers), str(of.primary), of_difference=True)
    return [table_of(f"{of.primary} by topic, {second} minus {first}", shown, headers=headers, note=note, decimals=4)]


@section("users-topics", "Each user on each topic")
def users_and_topics(of: Material) -> list[Part]:
    """The score of each user on each topic."""
    if of.large or of.topic_means is None:
        return []
    try:
        return [figure(of.study, "user-topic-heatmap", of.choices_of_primary)]
    except (DataError, MeasureError, UsageError):
        return []


def topic_leads(of: Material) -> pl.DataFrame | None:
    """On how many ``topics`` each ``group`` alone has the best mean, ``of`` how many that have a mean of two groups or more, and on
    how many several have it, ``equal``; the group that leads most often first. The best mean is the highest of a measure without
    a direction. None where topics are not compared.
    """
    means = of.topic_means
    if means is None or of.comparison is None:
        return None
    known = means.drop_nulls("value").filter(pl.len().over("topic_id") > 1)
    if known.is_empty():
        return None
    first = known.filter(is_highest(of.direction().merit(pl.col("value")), over="topic_id"))
    alone = first.filter(pl.len().over("topic_id") == 1)
    many = known["topic_id"].n_unique()
    counts = means.select(pl.col("group").unique()).join(alone.group_by("group").len("topics"), on="group", how="left")
    counts = natural_sort(counts.with_columns(pl.col("topics").fill_null(0).cast(pl.Int64)), "group")
    found = counts.sort("topics", descending=True, maintain_order=True)
    return found.with_columns(of=pl.lit(many), equal=pl.lit(many - len(alone)))


def _heading(of: Material) -> str:
    """What the section answers."""
    return "For whom and on which topics?" if {*of.within} - {"topic_id"} else "On which topics?"


def _depends(of: Material, found: Comparison, what: str) -> str:
    """Whether the difference depends on a column, with F, p and n; empty where it is not tested."""
    tested = found.interaction.drop_nulls("p").filter(pl.col("test") != BETWEEN_USERS)
    if found.interaction.select("a", "b").n_unique() > 1 or tested.is_empty():
        return ""
    row = tested.row(0, named=True)
    shown = "There is evidence that" if row["p_adjusted"] <= found.alpha else "No evidence that"
    numbers = f"F({row['df']:g}, {row['df_error']:.4g}) = {row['statistic']:.3g}, {p_statistic(row['p_adjusted'])}"
    note = f"; {row['note']}" if row["note"] else ""
    return f" {shown} the difference by {of.primary} depends on {what} ({numbers}, n = {row['n']:,}{note})."


@section("topics", _heading, details=(topics_table, users_and_topics))
def topics(of: Material) -> list[Part]:
    """How the groups lie on every topic."""
    found, means = of.comparison, of.topic_means
    if found is None or means is None:
        return []
    text = _told(of, found, of.by_topic) if of.by_topic is not None else _range(of, means)
    text += "".join(
        _depends(of, one, "the topic" if column == "topic_id" else label(column)) for column, one in of.within.items()
    )
    told = of.paragraph(text)
    if len(means) > DRAWN:
        return [
            told,
            Words((f"The {len(means):,} means of groups on topics are too many for a figure.",)),
        ]
    if of.by_topic is not None:
        return [told, _differences(of, found, of.by_topic)]
    try:
        drawn = means_by_topic(means, str(of.primary), of.highlighting)
    except UsageError as error:
        drawn = Figure("topic-means", f"{of.primary} by topic", None, f"Not drawn: {of.redaction.note(str(error))}.")
    return [told, drawn]


def _range(of: Material, means: pl.DataFrame) -> str:
    """Between which topics the means over groups lie."""
    over_groups = means.group_by("topic_id", maintain_order=True).agg(pl.col("value").mean()).drop_nulls("value")
    ordered = over_groups.sort(pl.col("value").round(DIGITS), maintain_order=True)
    measure = str(of.primary)
    (low, least), (high, most) = ordered.row(0), ordered.row(-1)
    ends = f"{value_text(measure, least)} ({_topic(low)}) to {value_text(measure, most)} ({_topic(high)})"
    told = f"By topic, the mean over groups of {of.primary} runs from {ends}."
    without = means["topic_id"].n_unique() - len(over_groups)
    return told + (f" {counted(without, 'topic')} without a value left out." if without else "")


def _topic(name: str) -> str:
    """A topic by its name, which says that it is one."""
    return name if name.lower().startswith("topic") else f"topic {name}"


def _told(of: Material, found: Comparison, means: pl.DataFrame) -> str:
    """On how many topics the difference points which way, and how large it is."""
    row = found.table.row(0, named=True)
    known = means["difference"].drop_nulls()
    direction = of.direction()
    first, second = direction.count_ahead(known)
    low, high = (value_text(str(of.primary), float(end)) for end in (known.min(), known.max()))  # type: ignore[arg-type]
    mean = f"the {direction.first_side} mean of {of.primary}{direction.lower_note}"
    told = f"{row['b']} has {mean} on {first:,} of {counted(len(known), 'topic')}, {row['a']} on {second:,}"
    told += f"; unadjusted differences of means run from {low} to {high}."
    without = len(means) - len(known)
    told += f" {counted(without, 'topic')} without a value in both groups left out." if without else ""
    return told


def _differences(of: Material, found: Comparison, means: pl.DataFrame) -> Figure:
    """The difference on every topic, the largest first."""
    first, second = found.table.row(0, named=True)["a"], found.table.row(0, named=True)["b"]
    title = f"{of.primary} by topic"
    colors = of.choices.colors if found.by == of.choices.by else None
    cut = cut_note(means, str(of.primary), of_difference=True)
    means = cut_intervals(means, str(of.primary), of_difference=True)
    frame = means.select("topic_id", "difference", "low", "high", a="b", b="a", n_a="n_b", n_b="n_a")
    try:
        chart = rprecision_histogram(
            frame,
            second,
            first,
            measure=str(of.primary),
            order="difference",
            colors=colors,
            synthetic=of.choices.synthetic,
            title=title,
            width=WIDTH if len(frame) <= FEW else None,
            subtitle=f"{second} \u2212 {first}",
            legend=of.choices.legend,
        )
    except UsageError as error:
        return Figure("rprecision-histogram", title, None, f"Not drawn: {of.redaction.note(str(error))}.")
    return Figure(
        "rprecision-histogram",
        title,
        chart,
        f"Difference of means over the sessions of each topic, {second} minus {first}, highest first."
        f"{_intervals_told(frame, found.alpha)}{f' {cut}.' if cut else ''}",
    )


def _intervals_told(frame: pl.DataFrame, alpha: float) -> str:
    """What the intervals of differences by topic are, and of how many sessions the means are."""
    counts = [n for pair in frame.drop_nulls("difference").select("n_a", "n_b").rows() for n in pair]
    n = f"{min(counts):,}" + (f" to {max(counts):,}" if min(counts) != max(counts) else "")
    told = f" Each mean is of {n} sessions."
    if frame["low"].count():
        told += f" Lines are {level_text(alpha)} intervals (Welch's t) of each topic by itself, sessions taken to be independent."
        without = frame.filter(pl.col("difference").is_not_null() & pl.col("low").is_null()).height
        told += (
            f" {counted(without, 'topic')} without an interval, as a mean is of one session or no value differs."
            if without
            else ""
        )
    faded = few_line(pl.Series(counts), "sessions")
    return told + (f" {faded}." if faded else "")
