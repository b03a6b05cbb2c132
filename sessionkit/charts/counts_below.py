"""Lines of numbers below the horizontal axis: of how many sessions every place tells."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import guide
from sessionkit.charts.theme import INK
from sessionkit.display.natural_order import in_natural_order

MOST_COUNTED = 4
"""Groups whose sessions are counted, a line for each; of more groups all together, or none."""
PADDING, LINE = 12, 12
"""Pixels between the axis and its title, without and for each line of numbers."""
MOST_WIDE = 80
"""Pixels that the name of a group takes beside its numbers."""
BESIDE, HALF = 14, 3
"""Pixels between the axis and that name, at least; and half a character of the number that may stand in the middle of the axis."""
CHARACTERS = 75
"""Characters of numbers, and of the gaps between them, that stand on a line; figures of a column have fewer."""


def counts_below(x: alt.X, counts: pl.DataFrame, what: str) -> list[alt.Chart]:
    """Return the layers of such lines; the title of the axis goes below them, and its ticks stand where numbers do.

    Parameters
    ----------
    x
        The horizontal axis.
    counts
        ``group``, the place on the axis under its own name, ``sessions``.
    what
        What the sessions do, on a line above them.
    """
    names = in_natural_order(counts.get_column("group").unique())
    x["axis"]["titlePadding"] = PADDING + 2 + LINE * (len(names) + 1)
    places = counts.get_column(x["field"]).unique().sort()
    longest = max(len(f"{number:,}") for number in counts["sessions"]) + 1
    places = places.gather_every(-(-len(places) * longest // CHARACTERS))
    counts = counts.filter(pl.col(x["field"]).is_in(places.implode()))
    x["axis"]["values"] = places.to_list()
    layers = [_at_left(what, 0, PADDING + 10, align="left")]
    beside = -max(BESIDE, 2 + HALF * longest)
    for number, group in enumerate(names, 1):
        down = PADDING + 10 + LINE * number
        rows = counts.filter(pl.col("group") == group)
        rows = rows.with_columns(pl.Series("text", [f"{number:,}" for number in rows["sessions"]], dtype=pl.String))
        text = alt.Text(field="text", type="nominal")
        numbers = alt.Chart(guide(rows)).mark_text(color=INK, baseline="top", dy=down, fontSize=10)
        layers += [numbers.encode(x=x, y=alt.YValue("height"), text=text), _at_left(group, beside, down, align="right")]
    return layers


def _at_left(text: str, right: int, down: int, **looks: Any) -> alt.Chart:  # noqa: ANN401 - as Altair has them
    """A text below the left end of the axis."""
    mark = alt.Chart(guide(pl.DataFrame({"text": [text]}))).mark_text(
        color=INK, baseline="top", dx=right, dy=down, fontSize=10, limit=MOST_WIDE if right else alt.Undefined, **looks
    )
    return mark.encode(x=alt.XValue(0), y=alt.YValue("height"), text=alt.Text(field="text", type="nominal"))
