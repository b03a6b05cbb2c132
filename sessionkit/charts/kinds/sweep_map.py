"""Which group leads at which setting of a measure: a sweep as a map, with the base setting and where its conclusion ends."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.sweep.finding import Sweep
from sessionkit.charts.encodings import SharedRows, checked, color, drawn_of, line_below, stacked, tip, values
from sessionkit.charts.theme import FAINT, INK, colors_of
from sessionkit.display.labels import plain, printable_column

COLUMNS = ("x", "y", "group", "relative", "p_value", "shown", "outcome", "base", "holds")
LEADING = {"system_id": "system", "topic_id": "topic", "user_id": "user"}
"""What leads, where columns have another name than what they are of."""
GRAY = "#D9D9D9"
WRITTEN = 20
"""Values along an axis up to which margins are written into the cells."""
FAINTEST = 0.35
"""Opacity of a lead that is not shown."""
TITLE = 60
"""Characters of a measure's text that are shown."""
KEY = ("number: margin in %; faint: not shown by the test", "ring: base setting; line: where its conclusion ends")


def sweep_map(
    sweep: Any,  # noqa: ANN401  # anything tabular
    *,
    x: str | None = None,
    y: str | None = None,
    measure: str | None = None,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
) -> alt.LayerChart:
    """Draw a cell for each setting: its color is the leading group, its number the margin in percent; faint is not shown.

    A ring marks the base setting, a line the border of the region where its conclusion holds. Cells without a leader are
    gray.

    Parameters
    ----------
    sweep
        What `sessionkit.sweep` found, or a frame of `sessionkit.Sweep.map`: x, y, group, relative, p_value, shown, outcome,
        base, holds.
    x, y
        Of a finding the parameters to draw, by default the first two, with all others at the base setting; of a frame what
        its axes show. Of one parameter there is no y.
    measure
        Text of the measure, below the title of the axis; by default that of the finding.
    legend
        What the groups are.
    colors
        Color by group, see `colors_of`; by default by sorted name.
    synthetic
        Whether to mark the figure as made from synthetic data.
    title
        Title, as plain text.
    subtitle
        What the sweep is of, on a line below the title, as plain text; of a finding what is held at the base setting stands
        beside it.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    if isinstance(sweep, Sweep):
        across_name, up_name = sweep.across(x, y)
        base = dict(sweep.parameters.select("parameter", "base").rows())
        held = [f"{name}={base[name]}" for name in base if name not in (across_name, up_name)]
        subtitle = line_below(sweep, subtitle, f"all else as at the base setting: {', '.join(held)}" if held else None)
        measure, legend = measure or sweep.measure, legend or f"Leading {LEADING.get(sweep.by, sweep.by)}"
        colors = colors or colors_of(sweep.groups)
        x, y, sweep = across_name, up_name, sweep.map(across_name, up_name)
    sweep = drawn_of(sweep, "", "sessionkit.sweep")
    x, y, legend = x or "first parameter", y or "", legend or "Leads"
    found = checked(sweep, [name for name in COLUMNS if name != "group"], "sessionkit.Sweep.map")
    led = checked(sweep, ("group",), "sessionkit.Sweep.map")
    nobody = pl.Series("nobody", _leaderless(sweep))
    frame = found.hstack(led).with_columns(
        nobody,
        *(printable_column(name) for name in ("x", "y", "outcome")),
        strength=pl.when(pl.col("shown").fill_null(value=True)).then(1.0).otherwise(FAINTEST),
        label=_written(len(found["x"].unique()), len(found["y"].unique())),
    )
    across, up = (frame[name].unique(maintain_order=True).to_list() for name in ("x", "y"))
    below = [plain("x", x), *([plain("measure", measure)[:TITLE]] if measure is not None else []), *KEY]
    place: dict[str, Any] = {
        "x": _axis("x", across, below),
        "y": _axis("y", list(reversed(up)), plain("y", y)),
    }
    leads = frame.filter(~pl.col("nobody"))
    tips = [
        tip("group", legend),
        tip("x", plain("x", x)),
        tip("y", plain("y", y) or "Only"),
        tip("relative", "Margin", ".1%"),
    ]
    tips += [tip("p_value", "p", ".3g"), tip("outcome", "Against the base")]
    layers = []
    if len(leads):
        shade = {
            "color": color(leads["group"].to_list(), colors, legend),
            "opacity": alt.Opacity(field="strength", type="quantitative", scale=None, legend=None),
        }
        layers.append(alt.Chart(values(leads)).mark_rect().encode(**place, **shade, tooltip=tips))
        text = alt.Text(field="label", type="nominal")
        for strong, ink in ((True, "white"), (False, INK)):
            some = leads.filter((pl.col("strength") == 1) == strong)
            if len(some):
                layers.append(alt.Chart(values(some)).mark_text(fontSize=9, color=ink).encode(**place, text=text))
    if len(leads) < len(frame):
        rest = frame.filter("nobody")
        layers.append(
            alt.Chart(values(rest)).mark_rect(color=GRAY).encode(**place, tooltip=[tips[1], tips[2], tips[5]])
        )
        words = alt.Chart(values(rest)).mark_text(fontSize=9, color=FAINT)
        layers.append(words.encode(**place, text=alt.TextValue("\u00d7")))
    layers += _border(frame, across, up, place)
    ring = alt.Chart(values(frame.filter("base").select("x", "y")))
    for width, ink in ((5, "white"), (2.2, INK)):
        layers.append(
            ring.mark_point(shape="circle", filled=False, size=300, strokeWidth=width, color=ink).encode(**place)
        )
    return stacked(layers, title, synthetic, subtitle)


def _leaderless(sweep: Any) -> list[bool]:  # noqa: ANN401  # anything tabular
    """Which settings have no leader."""
    from sessionkit.readers.tabular import as_polars

    return as_polars(sweep, "sessionkit.Sweep.map").collect().get_column("group").is_null().to_list()


def _axis(field: str, names: list[str], title: str | list[str]) -> Any:  # noqa: ANN401  # alt.X or alt.Y
    """An axis of values in the order of the grid."""
    channel = alt.X if field == "x" else alt.Y
    axis = alt.Axis(title=title or None, labelAngle=0, grid=False, labelOverlap=True, ticks=False)
    return channel(field=field, type="ordinal", sort=names, axis=axis, scale=alt.Scale(padding=0))


def _written(across: int, up: int) -> pl.Expr:
    """The margin in whole percent where cells have room for it."""
    if max(across, up) > WRITTEN:
        return pl.lit("")
    whole = (pl.col("relative") * 100).round().cast(pl.Int64, strict=False)
    return pl.when(pl.col("relative").is_finite()).then(whole.cast(pl.String)).fill_null("")


def _border(frame: pl.DataFrame, across: list[str], up: list[str], place: Mapping[str, Any]) -> list[alt.Chart]:
    """Lines between settings where the conclusion holds and those where it does not."""
    holds = {(row["x"], row["y"]): row["holds"] for row in frame.select("x", "y", "holds").to_dicts()}
    right = [{"x": a, "y": b} for a, after in pairwise(across) for b in up if _differs(holds, (a, b), (after, b))]
    top = [{"x": a, "y": b} for b, above in pairwise(up) for a in across if _differs(holds, (a, b), (a, above))]
    ends = {"x": (1, 1, 0, 1), "y": (0, 1, 0, 0)}  # of right and upper sides: x, x2, y, y2 within the cell
    layers = []
    for rows, (x, x2, y, y2) in zip((right, top), ends.values(), strict=True):
        if rows:
            line = alt.Chart(SharedRows(values=rows)).mark_rule(color=INK, strokeWidth=2.4)
            from_ = {"x": place["x"].bandPosition(x), "y": place["y"].bandPosition(y)}
            to = {"x2": alt.X2(field="x", bandPosition=x2), "y2": alt.Y2(field="y", bandPosition=y2)}
            layers.append(line.encode(**from_, **to))
    return layers


def _differs(holds: Mapping[tuple[str, str], bool | None], one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the conclusion holds at one of two settings only."""
    return (holds.get(one) is True) != (holds.get(other) is True)
