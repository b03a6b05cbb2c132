"""Which group leads at which setting of a measure: a sweep as a map, with the base setting and where its conclusion ends."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    NUMBERS,
    checked,
    color,
    drawn_of,
    guide,
    layered,
    line_below,
    shades_in,
    tip,
    titled,
    values,
)
from sessionkit.charts.theme import FAINT, INK, colors_of
from sessionkit.display.labels import in_natural_order, plain, printable, printable_column
from sessionkit.display.numbers import capital, share_text
from sessionkit.robustness.sweep_tables import Sweep
from sessionkit.scoring.measures.direction import MeasureDirection

COLUMNS = ("x", "y", "leader", "relative", "p_adjusted", "significant", "outcome", "base", "holds")
LEADING = {"system_id": "system", "topic_id": "topic", "user_id": "user"}
"""What leads, where columns have another name than what they are of."""
GRAY = "#D9D9D9"
COARSE = 8
"""Values of a parameter up to which cells have room for larger numbers."""
WRITTEN = 20
"""Values along an axis up to which margins are written into the cells."""
INSET = 0.03
"""How far within its cell the frame of the base setting stands, as a share of the cell: its number stays free."""
STRIP = 0.76
"""Where the strip of a cell begins that is not shown by the test, from the top of the cell (0) to its foot (1)."""
TITLE = 60
"""Characters of a measure's text that are shown."""
FULL = "Full cell: shown by the test; strip: not shown"


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
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw a cell for each setting in the color of the leading group: full where the test shows the difference, else a strip.

    The number is the margin in percent of the next group's mean: of two groups the second minus the first, by its sign. A frame
    marks the base setting, a line the border of the region where its conclusion holds. Cells without a leader are gray. A setting
    without a test is a strip, too.

    Parameters
    ----------
    sweep
        What `sessionkit.sweep` found, or a frame of `sessionkit.Sweep.map`: x, y, leader, relative, p_adjusted, significant,
        outcome, base, holds.
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
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    groups = list(shades_in(colors))
    if isinstance(sweep, Sweep):
        groups = list(sweep.groups)
        across_name, up_name = sweep.across(x, y)
        base = dict(sweep.parameters.select("parameter", "base").rows())
        held = [f"{name}={base[name]}" for name in base if name not in (across_name, up_name)]
        subtitle = line_below(sweep, subtitle, f"all else as at the base setting: {', '.join(held)}" if held else None)
        measure, legend = measure or sweep.measure, legend or _legend(sweep)
        colors = colors or colors_of(sweep.groups)
        x, y, sweep = across_name, up_name, sweep.map(across_name, up_name)
    sweep = drawn_of(sweep, "", "sessionkit.sweep")
    x, y, legend = x or "first parameter", y or "", legend or "Leads"
    found = checked(sweep, COLUMNS, "sessionkit.Sweep.map").rename({"leader": "group"})
    found = found.with_columns(printable_column("group"))
    nobody = pl.Series("nobody", _leaderless(sweep))
    pair = [printable(name) for name in in_natural_order(groups)] if len(groups) == 2 else []
    found = found.with_columns(_short(found["x"]), _short(found["y"]))
    frame = found.with_columns(
        nobody,
        *(printable_column(name) for name in ("x", "y", "outcome")),
        pl.col("relative").abs(),
        margin=pl.col("relative").abs().map_elements(share_text, pl.String),
        label=_written(len(found["x"].unique()), len(found["y"].unique()), pair[0] if pair else None),
    )
    across, up = (frame[name].unique(maintain_order=True).to_list() for name in ("x", "y"))
    labeled = bool(frame["label"].str.len_chars().sum())
    behind = "higher" if (found["relative"] < 0).any() else "lower"
    minus = (
        f"{pair[1]} minus {pair[0]} in % of the {behind} mean" if pair else "lead over the next group in % of its mean"
    )
    key = [f"{NUMBERS}{minus}"] if labeled else []
    place: dict[str, Any] = {
        "x": _axis("x", across, [plain("x", x), *([] if measure is None else [plain("measure", measure)[:TITLE]])]),
        "y": _axis("y", list(reversed(up)), plain("y", y)),
    }
    leads = frame.filter(~pl.col("nobody"))
    tips = [
        tip("group", legend),
        tip("x", plain("x", x)),
        tip("y", plain("y", y) or "Only"),
        tip("margin", "Margin"),
    ]
    tips += [tip("p_adjusted", "p", ".3g"), tip("outcome", "Against the base")]
    layers, table = [], frame.drop("nobody", "label", "margin")
    if len(leads):
        size = 12 if max(len(across), len(up)) <= COARSE else 9
        layers = _cells(leads, table, place, color(leads["group"].to_list(), colors, legend), tips, size=size)
    if len(leads) < len(frame):
        rest = frame.filter("nobody")
        layers.append(
            alt.Chart(values(rest, table.clear() if layers else table))
            .mark_rect(color=GRAY)
            .encode(**place, tooltip=[tips[1], tips[2], tips[5]])
        )
        words = alt.Chart(guide(rest)).mark_text(fontSize=9, color=FAINT)
        layers.append(words.encode(**place, text=alt.TextValue("\u00d7")))
    border = _border(frame, across, up, place)
    layers += border
    frames = alt.Chart(guide(frame.filter("base").select("x", "y")))
    inside = {name: side.bandPosition(INSET) for name, side in place.items()}
    inside |= {
        f"{name}2": channel(field=name, bandPosition=1 - INSET) for name, channel in (("x", alt.X2), ("y", alt.Y2))
    }
    for stroke, ink in ((5, "white"), (2.2, INK)):
        layers.append(frames.mark_rect(filled=False, stroke=ink, strokeWidth=stroke).encode(**inside))
    framed = "Frame: base setting; line: where its conclusion ends" if border else "Frame: base setting"
    below = [line for line in (subtitle, *key, FULL if len(leads) else None, framed, _counted(frame)) if line]
    return titled(layered(layers), title, below, synthetic, width=width, height=height)


def _cells(
    leads: pl.DataFrame,
    table: pl.DataFrame,
    place: Mapping[str, Any],
    shade: alt.Color,
    tips: list[alt.Tooltip],
    *,
    size: int,
) -> list[alt.Chart]:
    """Layers of the cells that have a leader: full ones, strips, and numbers, on a halo that every color leaves legible."""
    shown = pl.col("significant").fill_null(value=False)
    full, strips = leads.filter(shown), leads.filter(~shown)
    strip = {**place, "y": place["y"].bandPosition(STRIP), "y2": alt.Y2(field="y", bandPosition=1)}
    layers: list[alt.Chart] = []
    for cells, spot in ((full, place), (strips, strip)):
        if len(cells):
            rows = values(cells, table.clear() if layers else table)
            layers.append(alt.Chart(rows).mark_rect().encode(**spot, color=shade, tooltip=tips))
    text = alt.Text(field="label", type="nominal")
    if len(full):
        halo = alt.Chart(guide(full)).mark_text(
            fontSize=size, color="white", stroke="white", strokeWidth=size / 3, strokeJoin="round"
        )
        layers.append(halo.encode(**place, text=text))
    for cells, lift in ((full, 0), (strips, -1)):
        if len(cells):
            number = alt.Chart(guide(cells)).mark_text(fontSize=size, color=INK, dy=lift)
            layers.append(number.encode(**place, text=text, tooltip=tips))
    return layers


def _counted(frame: pl.DataFrame) -> str | None:
    """At how many settings the test shows the difference, and how far the leading group is ahead."""
    shown, margins = frame.get_column("significant"), frame.get_column("relative").drop_nulls()
    margins = margins.filter(margins.is_finite()).sort()
    ends = [share_text(end, 0) for end in (margins[0], margins[-1])] if len(margins) else []
    lead = f"lead {ends[0]}" if len(set(ends)) == 1 else f"lead {' to '.join(ends)}"
    tested = f"shown by the test at {shown.sum():,} of {len(shown):,} settings" if shown.count() else "not tested"
    return capital("; ".join([tested, *([lead] if ends else [])]))


def _legend(sweep: Sweep) -> str:
    """What the colors stand for: the leading groups, or those with the highest mean where no direction is declared."""
    group, direction = LEADING.get(sweep.by, sweep.by), MeasureDirection.named(sweep.measure)
    return f"Leading {group}" if direction.is_known else f"{direction.first.capitalize()} {group}"


def _leaderless(sweep: Any) -> list[bool]:  # noqa: ANN401  # anything tabular
    """Which settings have no leader."""
    from sessionkit.study.tabular import as_polars

    return as_polars(sweep, "sessionkit.Sweep.map").collect().get_column("leader").is_null().to_list()


def _axis(field: str, names: list[str], title: str | list[str]) -> Any:  # noqa: ANN401  # alt.X or alt.Y
    """An axis of values in the order of the grid."""
    channel = alt.X if field == "x" else alt.Y
    axis = alt.Axis(title=title or None, labelAngle=0, grid=False, labelOverlap=True, ticks=False)
    return channel(field=field, type="ordinal", sort=names, axis=axis, scale=alt.Scale(padding=0))


def _short(names: pl.Series) -> pl.Series:
    """Numbers to four digits, if these tell all of them apart; other values as they are."""
    numbers = names.cast(pl.Float64, strict=False)
    if numbers.null_count():
        return names
    short = pl.Series(names.name, [f"{number:.4g}" for number in numbers])
    return short if short.n_unique() == names.n_unique() else names


def _written(across: int, up: int, first: str | None) -> pl.Expr:
    """The margin in whole percent where cells have room for it; of two groups the second less the first, with its sign."""
    if max(across, up) > WRITTEN:
        return pl.lit("")
    whole = (pl.col("relative").abs() * 100).round().cast(pl.Int64, strict=False).cast(pl.String)
    whole = pl.when((whole == "0") & (pl.col("relative") != 0)).then(pl.lit("<1")).otherwise(whole)
    signed = whole
    if first is not None:
        below = (pl.col("group") == first) != (pl.col("relative") < 0)
        sign = pl.when(below).then(pl.lit("\u2212")).otherwise(pl.lit("+"))
        signed = pl.when(whole.is_in(["0", "<1"])).then(whole).otherwise(sign + whole)
    return pl.when(pl.col("relative").is_finite()).then(signed).fill_null("")


def _border(frame: pl.DataFrame, across: list[str], up: list[str], place: Mapping[str, Any]) -> list[alt.Chart]:
    """Lines between settings where the conclusion holds and those where it does not."""
    holds = {(row["x"], row["y"]): row["holds"] for row in frame.select("x", "y", "holds").to_dicts()}
    right = [{"x": a, "y": b} for a, after in pairwise(across) for b in up if _differs(holds, (a, b), (after, b))]
    top = [{"x": a, "y": b} for b, above in pairwise(up) for a in across if _differs(holds, (a, b), (a, above))]
    ends = {"x": (1, 1, 0, 1), "y": (0, 1, 0, 0)}  # of right and upper sides: x, x2, y, y2 within the cell
    layers = []
    for rows, (x, x2, y, y2) in zip((right, top), ends.values(), strict=True):
        if rows:
            line = alt.Chart(guide(pl.DataFrame(rows))).mark_rule(color=INK, strokeWidth=2.4)
            from_ = {"x": place["x"].bandPosition(x), "y": place["y"].bandPosition(y)}
            to = {"x2": alt.X2(field="x", bandPosition=x2), "y2": alt.Y2(field="y", bandPosition=y2)}
            layers.append(line.encode(**from_, **to))
    return layers


def _differs(holds: Mapping[tuple[str, str], bool | None], one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the conclusion holds at one of two settings only."""
    return (holds.get(one) is True) != (holds.get(other) is True)
