"""A sweep as a figure: its map, with what is held at the base setting below the title."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt

from sessionkit.analysis.sweep.finding import Sweep
from sessionkit.charts import colours_of, sweep_map

LEGENDS = {"system_id": "Leading system", "topic_id": "Leading topic", "user_id": "Leading user"}
TITLE = "Who leads at which setting"


def drawn(
    found: Sweep,
    x: str | None = None,
    y: str | None = None,
    *,
    colours: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = TITLE,
) -> alt.LayerChart:
    """Draw the map of a sweep over two of its parameters.

    Parameters
    ----------
    found
        The sweep.
    x, y
        The parameters; by default the first two. All others are held at the base setting.
    colours
        Colour by group; by default by sorted name.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.

    Raises
    ------
    UsageError
        There is no such parameter.
    """
    across, up = found.across(x, y)
    base = dict(found.parameters.select("parameter", "base").rows())
    held = [f"{name}={base[name]}" for name in base if name not in (across, up)]
    return sweep_map(
        found.map(across, up),
        x=across,
        y=up or "",
        measure=found.measure,
        legend=LEGENDS.get(found.by, f"Leading {found.by}"),
        colours=colours or colours_of(found.groups),
        synthetic=synthetic,
        title=title,
        subtitle=f"all else as at the base setting: {', '.join(held)}" if held else None,
    )
