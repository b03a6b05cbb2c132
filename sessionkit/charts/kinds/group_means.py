"""Means of groups with their intervals, in order, and letters that groups share which are not shown to differ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_lowercase
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import in_order, layered, line_below, tip, titled, values
from sessionkit.charts.theme import ACCENT, FAINT, INK
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring.measures.describe import cut_intervals, cut_note, value_text
from sessionkit.statistics.comparison import Comparison

ROW, WIDTH = 22, 330
"""Height of a row, width of the plot."""
MANY, LOW_ROW = 12, 15
"""Groups beyond which rows are lower, so that twenty fit on a screen; and how high they then are."""
KEY = ("Letters: groups that share one are not shown to differ", "Circles: not shown to differ from the first")


def group_means(
    comparison: Any,  # noqa: ANN401  # a finding, checked
    measure: str | None = None,
    *,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw the mean of each group by one measure with its own interval; the groups not shown to differ from the first are blue.

    The best group is the first, by the measure's direction; without one, the group with the highest mean is.

    Parameters
    ----------
    comparison
        What `sessionkit.compare` found; not within levels.
    measure
        Which of its measures; by default its first.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        On a line below it, as plain text.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        It is no comparison, or one within levels, has no such measure, or no group has a mean.
    """
    if not isinstance(comparison, Comparison) or comparison.within is not None:
        raise UsageError(
            "this chart draws what sessionkit.compare returns, of groups that are not compared within levels"
        )
    known = comparison.groups.get_column("measure").unique(maintain_order=True).to_list()
    shown = known[0] if measure is None else str(measure)
    if shown not in known:
        raise UsageError(f"the comparison has no {shown}{suggestion(shown, known)}; its measures: {', '.join(known)}")
    means = comparison.groups.filter(pl.col("measure") == shown).drop_nulls("mean").rename({comparison.by: "group"})
    means = comparison.direction(shown).sorted_means(means, "group")
    if means.is_empty():
        raise UsageError(f"there is nothing to draw: no group has a value of {shown}")
    pairs = comparison.shown.filter(pl.col("measure") == shown)
    differing = {frozenset(pair) for pair in pairs.select("a", "b").rows()}
    tested = comparison.table.filter(pl.col("measure") == shown).get_column("p_adjusted").count()
    groups = means.get_column("group").to_list()
    letters = significance_letters(groups, differing) if tested else [""] * len(groups)
    best = [bool(tested) and frozenset((groups[0], group)) not in differing for group in groups]
    told = [
        "  ".join(part for part in (letter, f"{value_text(shown, mean)}, n = {units:,}") if part)
        for letter, mean, units in zip(letters, *means.select("mean", "units").get_columns(), strict=True)
    ]
    rows = (
        cut_intervals(means, shown)
        .with_row_index("place")
        .with_columns(
            printable_column("group"),
            pl.Series("letters", letters, dtype=pl.String),
            pl.Series("told", told, dtype=pl.String),
            pl.Series("best", ["yes" if one else "no" for one in best]),
        )
    )
    said = line_below(comparison, subtitle)
    cut = cut_note(means, shown)
    below = [*([said] if said else []), *(KEY if any(letters) else ()), *([cut] if cut else [])]
    return titled(_drawn(rows, shown), title, below, synthetic, width=width, height=height)


def _drawn(rows: pl.DataFrame, measure: str) -> alt.LayerChart:
    """The chart of means in order."""
    scale = alt.Scale(zero=False, nice=True)
    axis = alt.Axis(title=f"Mean of {measure}", tickCount=6, grid=True)
    y = alt.Y(
        field="group",
        type="nominal",
        sort=in_order(),
        axis=alt.Axis(title=None, labelLimit=200, ticks=False, domain=False),
    )
    toned = alt.Scale(domain=["yes", "no"], range=[ACCENT, FAINT])
    color = alt.Color(field="best", type="nominal", scale=toned, legend=None)
    tips = [tip("group", "Group"), tip("mean", "Mean", ".4f"), tip("low", "From", ".4f"), tip("high", "To", ".4f")]
    tips += [tip("sessions", "Sessions", "d"), tip("units", "Units", "d"), tip("letters", "Letters")]
    interval = [
        alt.Chart()
        .mark_rule(strokeWidth=2)
        .encode(
            y=y,
            x=alt.X(field="low", type="quantitative", axis=axis, scale=scale),
            x2=alt.X2(field="high"),
            color=color,
            tooltip=tips,
        ),
    ]
    layers = [
        *(interval if rows.get_column("low").count() else []),
        alt.Chart()
        .mark_point(size=70, filled=True)
        .encode(
            y=y,
            x=alt.X(field="mean", type="quantitative", axis=axis, scale=scale),
            color=color,
            shape=alt.Shape(
                field="best",
                type="nominal",
                scale=alt.Scale(domain=["yes", "no"], range=["circle", "square"]),
                legend=None,
            ),
            tooltip=tips,
        ),
        alt.Chart()
        .mark_text(align="left", dx=10, color=INK)
        .encode(y=y, x=alt.XValue("width"), text=alt.Text(field="told", type="nominal")),
    ]
    return layered(
        layers,
        data=values(rows, rows.drop("place", "told", "best")),
        width=WIDTH,
        height=alt.Step(LOW_ROW if len(rows) > MANY else ROW),
    )


def significance_letters(groups: Sequence[str], differing: Collection[frozenset[str]]) -> list[str]:
    """Return letters for groups in order: two share one if and only if they are not among the differing pairs.

    Insert and absorb (Piepho 2004): each differing pair splits the sets that have both, and sets within others go.

    Parameters
    ----------
    groups
        Names, in the order of the letters.
    differing
        The pairs that differ.

    Examples
    --------
    >>> significance_letters(["A", "B", "C"], [frozenset("AC")])
    ['a', 'ab', 'b']
    """
    sets = [frozenset(groups)]
    for pair in differing:
        split = [other for one in sets for other in ([one - {group} for group in pair] if pair <= one else [one])]
        sets = [one for one in dict.fromkeys(split) if not any(one < other for other in split)]
    place = {group: number for number, group in enumerate(groups)}
    ordered = sorted(sets, key=lambda one: sorted(place[group] for group in one))
    names = [_letter(number) for number in range(len(ordered))]
    return ["".join(name for name, one in zip(names, ordered, strict=True) if group in one) for group in groups]


def _letter(number: int) -> str:
    """The name of a set: a to z, then A to Z, then numbers in brackets."""
    letters = ascii_lowercase + ascii_lowercase.upper()
    return letters[number] if number < len(letters) else f"[{number}]"
