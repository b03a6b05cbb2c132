"""For whom and on which topics: the primary measure by topic, every topic shown."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.charts.kinds.rprecision_histogram import rprecision_histogram
from sessionkit.display.numbers import compact
from sessionkit.display.tables import table_of
from sessionkit.display.words import counted
from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.section_kind import section


@section("topics-table", "Means by topic")
def topics_table(of: Material) -> list[Part]:
    """The means of both groups by topic."""
    found, means = of.comparison, of.by_topic
    if found is None or means is None:
        return []
    first, second = found.table.row(0, named=True)["a"], found.table.row(0, named=True)["b"]
    shown = means.sort("difference", descending=True, nulls_last=True, maintain_order=True)
    headers = {"topic_id": "Topic", "a": first, "b": second, "difference": "Difference"}
    return [table_of(f"{of.primary} by topic, {second} minus {first}", shown, headers=headers, decimals=3)]


@section("topics", "For whom and on which topics?", details=(topics_table,))
def topics(of: Material) -> list[Part]:
    """On how many topics the difference points the same way, and each topic."""
    found, means = of.comparison, of.by_topic
    if found is None or means is None:
        return []
    parts: list[Part] = [Words((of.redaction.note(_told(of, found, means)),)), _figure(of, found, means)]
    return parts


def _told(of: Material, found: Comparison, means: pl.DataFrame) -> str:
    """How the difference lies over topics, and for how many units it points which way."""
    row = found.table.row(0, named=True)
    known = means["difference"].drop_nulls()
    higher, lower = int((known > 0).sum()), int((known < 0).sum())
    low, high = (compact(float(end)) for end in (known.min(), known.max()))  # type: ignore[arg-type]
    told = f"{row['b']} has the higher mean of {of.primary} on {higher:,} of {counted(len(known), 'topic')}, {row['a']} on {lower:,}"
    told += f"; differences of means, adjusted for nothing, run from {low} to {high}."
    without = len(means) - len(known)
    told += f" {counted(without, 'topic')} without a value in both groups left out." if without else ""
    if row["wins"] is not None and found.population == "users":
        told += f" {row['wins']:,} of {counted(row['n_b'], 'user')} score higher with {row['b']}, {row['losses']:,} with {row['a']}."
    return told


def _figure(of: Material, found: Comparison, means: pl.DataFrame) -> Figure:
    """The difference on every topic, the largest first."""
    first, second = found.table.row(0, named=True)["a"], found.table.row(0, named=True)["b"]
    title = f"{of.primary} by topic"
    colors = of.choices.colors if found.by == of.choices.by else None
    frame = means.select("topic_id", a="b", b="a", difference="difference")
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
            subtitle=f"{second} \u2212 {first}",
            legend=of.choices.legend,
        )
    except UsageError as error:
        return Figure("rprecision-histogram", title, None, f"Not drawn: {of.redaction.note(str(error))}.")
    return Figure(
        "rprecision-histogram",
        title,
        chart,
        f"Difference of means over the sessions of each topic, {second} minus {first}, the largest first.",
    )
