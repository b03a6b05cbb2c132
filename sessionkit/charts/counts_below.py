"""Lines of numbers below the horizontal axis: of how many sessions every place tells."""

from __future__ import annotations

import altair as alt
import polars as pl

from sessionkit.charts.encodings import values
from sessionkit.charts.theme import INK
from sessionkit.display.natural_order import in_natural_order

MOST_COUNTED = 4
"""Groups whose sessions are counted, a line for each; of more groups all together, or none."""
PADDING, LINE = 12, 12
"""Pixels between the axis and its title, without and for each line of numbers."""
MOST_WIDE = 170
"""Pixels that the name of a line takes beside its numbers."""


def counts_below(x: alt.X, counts: pl.DataFrame, what: str) -> list[alt.Chart]:
    """Return the layers of such lines, and move the title of the axis below them.

    Parameters
    ----------
    x
        The horizontal axis.
    counts
        ``group``, the place on the axis under its own name, ``sessions``.
    what
        What the sessions do, before the name of the group.
    """
    names = in_natural_order(counts.get_column("group").unique())
    x["axis"]["titlePadding"] = PADDING + LINE * len(names)
    layers = []
    for number, group in enumerate(names):
        down = PADDING + 8 + LINE * number
        rows = counts.filter(pl.col("group") == group).with_columns(text=pl.col("sessions").cast(pl.String))
        name = pl.DataFrame({"text": [f"{what}, {group}"]})
        text = alt.Text(field="text", type="nominal")
        numbers = alt.Chart(values(rows)).mark_text(color=INK, baseline="top", dy=down, fontSize=10)
        told = alt.Chart(values(name)).mark_text(
            color=INK, align="right", baseline="top", dx=-14, dy=down, fontSize=10, limit=MOST_WIDE
        )
        layers += [
            numbers.encode(x=x, y=alt.YValue("height"), text=text),
            told.encode(x=alt.XValue(0), y=alt.YValue("height"), text=text),
        ]
    return layers
