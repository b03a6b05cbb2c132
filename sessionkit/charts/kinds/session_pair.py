"""Two sessions of one topic side by side: their queries, and the list of each with grades, clicks and what results add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from unicodedata import east_asian_width

import altair as alt
import polars as pl

from sessionkit.charts.encodings import checked, grade_text, layered, tip, titled, values
from sessionkit.charts.theme import FAINT, INK, PALETTE
from sessionkit.display.labels import plain, printable, printable_column
from sessionkit.display.numbers import compact
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import as_polars
from sessionkit.scoring import exact

COLUMNS = ("session_id", "query_position", "rank", "doc_id", "grade", "contribution")
ABOUT = ("session_id", "query_position", "text")
SOURCE = "sessionkit.explain"
MOST_QUERIES, MOST_RANKS = 12, 20
"""Queries, and ranks of each, that are drawn; what the other queries add stands in one line."""
WIDTH, HEIGHT = 190, 52
"""Pixels of a panel: text above, bars, cells, clicks below."""
TOP, NAMED, CELLS, CLICKS, BOTTOM = 1.8, 1.45, (-0.1, -0.65), -0.86, -1.05
"""Where things stand in a panel, in heights of the bars, which reach from 0 to 1."""
HEADS = (1.45, 0.6, -0.25)
"""The same of the lines above each side."""
LINE, TEXT = 27, 24
"""Letters of usual width on a line, and those of them that a name, or a query, takes."""
WIDE = frozenset("ABCDEFGHKNOPQRSTUVXYZw")
"""Letters that are wider than usual."""
OUTLINE = 0.8
"""Width of the line around a cell: the lightest are seen on a light page and on a dark one."""
LIGHT, DARK = "#ECECEC", "#3A3A3A"
"""Shades of the lowest and the highest grade."""
LEGEND = 6
"""Grades that the legend names."""
CLICK = "Click"


def session_pair(
    explained: Any,  # noqa: ANN401  # anything tabular
    queries: Any = None,  # noqa: ANN401
    *,
    groups: Mapping[str, str] | None = None,
    measure: str = "Value",
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw two sessions side by side: below each query its list by rank, left to right.

    A bar is what a result adds to the value of the session, a cell its grade, the darker the higher; an empty cell is a
    result that was not judged or does not count. A triangle below it is a click.

    Parameters
    ----------
    explained
        A frame of `sessionkit.explain` of two sessions: session_id, query_position, rank, doc_id, grade, contribution (null
        for results that do not count); and, where it is known, clicked. The session of the first row stands left.
    queries
        session_id, query_position, text (null where unknown), also of queries without results; then the session of the first
        of these stands left. None, only queries with results are drawn, without their texts.
    groups
        The group of each session, such as its system, by its id.
    measure
        Text of the measure.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are not two sessions, or the measure has no value for one of them.
    """
    frame = checked(explained, COLUMNS, SOURCE)
    given = as_polars(explained, SOURCE).collect()
    clicked = given.get_column("clicked").fill_null(value=False) if "clicked" in given.columns else pl.lit(value=False)
    numbers = pl.col("grade", "contribution").cast(pl.Float64)
    frame = frame.with_columns(pl.col("query_position", "rank").cast(pl.Int64), numbers, clicked=clicked)
    about = None if queries is None else checked(queries, ABOUT, "the queries of two sessions")
    every = frame if about is None else pl.concat([about.select("session_id"), frame.select("session_id")])
    sessions = every.get_column("session_id").unique(maintain_order=True).to_list()
    if len(sessions) != 2:
        raise UsageError(f"this chart draws two sessions, not {len(sessions):,}; filter the frame")
    for session in sessions:
        added = frame.filter(pl.col("session_id") == session).get_column("contribution")
        if len(added) and not added.count():
            raise UsageError(f"{measure} has no value for session {session!r}, since nothing is judged for it")
    place = pl.DataFrame({"session_id": sessions, "side": [0, 1]})
    rows = frame.join(place, on="session_id", maintain_order="left").sort("side", "query_position", "rank")
    asked = rows.select("side", "query_position").unique(maintain_order=True).with_columns(text=pl.lit(None, pl.String))
    if about is not None:
        texts = about.join(place, on="session_id").select(asked.columns).cast(asked.schema)
        asked = pl.concat([texts, asked]).unique(["side", "query_position"], keep="first", maintain_order=True)
    names = [(groups or {}).get(str(session)) for session in sessions]
    return titled(
        _drawn(rows, asked, [str(session) for session in sessions], names, plain("measure", measure)),
        title,
        [subtitle] if subtitle else [],
        synthetic,
        width=width,
        height=height,
    )


@dataclass(frozen=True)
class Levels:
    """Where things stand above and below each other in a panel, in the units of contributions: bars from `low` to `high`.

    Text stands above the bars, and cells and clicks below them.
    """

    low: float
    high: float

    def at(self, height: float) -> float:
        """A place so many heights of the bars above their foot, or below it."""
        return self.low + height * (self.high - self.low)

    @classmethod
    def of(cls, added: pl.Series) -> Levels:
        """Those of these contributions."""
        low, high = (float(end or 0) for end in (added.min(), added.max()))  # type: ignore[arg-type]
        low, high = min(low, 0.0), max(high, 0.0)
        return cls(low, high if high > low else low + 1)


def _drawn(
    rows: pl.DataFrame, asked: pl.DataFrame, sessions: list[str], groups: list[str | None], measure: str
) -> alt.FacetChart:
    """A panel for each query of each session, and one above them that says which session it is."""
    levels = Levels.of(rows.get_column("contribution"))
    shown = rows.filter(pl.col("query_position") <= MOST_QUERIES, pl.col("rank") <= MOST_RANKS)
    ranks = max(5, int(shown.get_column("rank").max() or 0))  # type: ignore[arg-type]
    results = _results(shown, levels)
    texts = pl.concat([_heads(rows, sessions, groups, measure, levels), _texts(rows, asked, levels)])
    data = pl.concat([results, texts.with_columns(end=pl.lit(ranks + 0.5))], how="diagonal")
    x = alt.X(
        field="start",
        type="quantitative",
        scale=alt.Scale(domain=[0.5, ranks + 0.5], nice=False, zero=False),
        axis=alt.Axis(title="Rank", values=[1, *range(5, ranks + 1, 5)], format="d", ticks=False, domain=False),
    )
    inside = alt.Scale(domain=[levels.at(BOTTOM), levels.at(TOP)], nice=False)
    y = alt.Y(field="from", type="quantitative", scale=inside, axis=None)

    def of(kind: str) -> alt.Chart:
        return alt.Chart().transform_filter(alt.FieldEqualPredicate(field="kind", equal=kind))

    edges = {"x": x, "x2": alt.X2(field="end"), "y": y, "y2": alt.Y2(field="to")}
    tips = [tip("document", "Document"), tip("rank", "Rank", "d"), tip("grade", "Grade")]
    clicked = bool(shown.get_column("clicked").any())
    tips += [*([tip("mark", "Clicked")] if clicked else []), tip("added", "Adds", "+.4f")]
    known = shown.get_column("grade").drop_nulls().unique().sort()
    layers = [of("bar").mark_rect(color=PALETTE[0]).encode(**edges, tooltip=tips)]
    if len(known):
        ends = [min(0.0, known[0]), max(1.0, known[-1])]
        some = known.gather_every(-(-len(known) // LEGEND)).to_list()
        legend = alt.Legend(
            title="Grade", type="symbol", values=some, symbolType="square", symbolStrokeWidth=OUTLINE, format="~g"
        )
        shade = alt.Fill(
            field="value", type="quantitative", scale=alt.Scale(domain=ends, range=[LIGHT, DARK]), legend=legend
        )
        layers.append(
            of("grade").mark_rect(stroke=FAINT, strokeWidth=OUTLINE).encode(**edges, fill=shade, tooltip=tips)
        )
    open_ = of("open").mark_rect(fillOpacity=0, stroke=FAINT, strokeWidth=0.7, strokeDash=[2, 2])
    layers.append(open_.encode(**edges, tooltip=tips))
    if clicked:
        known_as = alt.Scale(domain=[CLICK], range=["triangle-up"])
        shape = alt.Shape(field="mark", type="nominal", scale=known_as, legend=alt.Legend(title=None))
        clicks = of("click").mark_point(filled=True, size=30, color=PALETTE[1], opacity=1)
        layers.append(clicks.encode(x=x, y=y, shape=shape, tooltip=tips))
    words = alt.Text(field="text", type="nominal")
    ends_at = alt.X(field="end", type="quantitative", scale=x["scale"], axis=x["axis"])
    style: dict[str, Any] = {"baseline": "middle", "fontSize": 10, "color": INK}
    layers.append(of("text").mark_text(align="left", **style).encode(x=x, y=y, text=words))
    layers.append(
        of("head").mark_text(align="left", fontWeight=600, **style | {"fontSize": 11}).encode(x=x, y=y, text=words)
    )
    layers.append(of("sum").mark_text(align="right", **style).encode(x=ends_at, y=y, text=words))
    return alt.FacetChart(
        data=values(data, _listed(shown, sessions)),
        spec=layered(layers, width=WIDTH, height=HEIGHT),
        facet=alt.FacetMapping(
            row=alt.FacetFieldDef(field="query_position", type="ordinal", header=None),
            column=alt.FacetFieldDef(field="side", type="ordinal", header=None),
        ),
        spacing=alt.RowColnumber(row=4, column=16),
    )


def _listed(shown: pl.DataFrame, sessions: list[str]) -> pl.DataFrame:
    """The results that are drawn, as a table."""
    side = pl.col("side").replace_strict(dict(enumerate(sessions)), return_dtype=pl.String)
    kept = ("query_position", "rank", "grade", "clicked", "contribution")
    return shown.select(*kept, session=side, document=printable_column("doc_id")).select("session", "document", *kept)


def _results(shown: pl.DataFrame, levels: Levels) -> pl.DataFrame:
    """The bars, cells and clicks of results."""
    clicked = pl.col("clicked")
    base = shown.select(
        "side",
        "query_position",
        "rank",
        start=pl.col("rank") - 0.44,
        end=pl.col("rank") + 0.44,
        document=printable_column("doc_id"),
        value="grade",
        grade=grade_text("grade"),
        added="contribution",
        mark=pl.when(clicked).then(pl.lit(CLICK)),
    )
    bars = base.filter(pl.col("added") != 0).with_columns(pl.lit(0.0).alias("from"), kind=pl.lit("bar"), to="added")
    graded = pl.col("value").is_not_null() & pl.col("added").is_not_null()
    cells = base.with_columns(
        pl.lit(levels.at(CELLS[0])).alias("from"),
        to=pl.lit(levels.at(CELLS[1])),
        kind=pl.when(graded).then(pl.lit("grade")).otherwise(pl.lit("open")),
    )
    clicks = base.filter(pl.col("mark").is_not_null()).with_columns(
        pl.lit(levels.at(CLICKS)).alias("from"), kind=pl.lit("click"), start=pl.col("rank").cast(pl.Float64)
    )
    return pl.concat([bars, cells, clicks], how="diagonal")


def _heads(
    rows: pl.DataFrame, sessions: list[str], groups: list[str | None], measure: str, levels: Levels
) -> pl.DataFrame:
    """What stands above each side: its group, its session and its value."""
    totals = [rows.filter(pl.col("side") == side).select(_sum()).item() for side in (0, 1)]
    lines = []
    for side, (session, group, total) in enumerate(zip(sessions, groups, totals, strict=True)):
        told = [
            _short(session if session.startswith("session ") else f"session {session}"),
            f"{_short(measure)}: {compact(total)}",
        ]
        told = told if group is None else [_short(group), *told]
        for place, text in zip(HEADS, told, strict=False):
            lines.append((side, 0, "head" if place == HEADS[0] else "text", 0.5, levels.at(place), text))
    return _table(lines)


def _texts(rows: pl.DataFrame, asked: pl.DataFrame, levels: Levels) -> pl.DataFrame:
    """The text of each query and what it adds; of the queries that are not drawn what they add together."""
    sums = rows.group_by("side", "query_position").agg(_sum())
    of_query = asked.join(sums, on=["side", "query_position"], how="left").sort("side", "query_position")
    lines = []
    for side, position, text, added in of_query.filter(pl.col("query_position") <= MOST_QUERIES).iter_rows():
        sum_ = "" if added is None else _signed(added)
        name = f"Q{position}" if text is None else _short(f"Q{position} {text}", min(TEXT, LINE - len(sum_)))
        lines.append((side, position, "text", 0.5, levels.at(NAMED), name))
        if added is None:
            lines.append((side, position, "text", 0.5, levels.at(sum(CELLS) / 2), "no results"))
        else:
            lines.append((side, position, "sum", 0.5, levels.at(NAMED), sum_))
    for side, many, added in (
        of_query.filter(pl.col("query_position") > MOST_QUERIES)
        .group_by("side", maintain_order=True)
        .agg(pl.len(), pl.col("added").sum())
        .iter_rows()
    ):
        lines.append(
            (
                side,
                MOST_QUERIES + 1,
                "text",
                0.5,
                levels.at(NAMED),
                f"{many:,} more {'query' if many == 1 else 'queries'}",
            )
        )
        lines.append((side, MOST_QUERIES + 1, "sum", 0.5, levels.at(NAMED), _signed(added)))
    return _table(lines)


def _table(lines: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Lines of text with their places."""
    names = {"side": pl.Int64, "query_position": pl.Int64, "kind": pl.String, "start": pl.Float64, "from": pl.Float64}
    return pl.DataFrame(lines, schema={**names, "text": pl.String}, orient="row")


def _sum() -> pl.Expr:
    """The sum of contributions, the same bits as the value of the session."""
    return exact.unfixed(exact.fixed(pl.col("contribution")).sum()).alias("added")


def _signed(value: float) -> str:
    """What something adds, with its sign."""
    return f"+{compact(value)}" if value > 0 else compact(value)


def _short(text: str, most: float = TEXT) -> str:
    """The beginning of a text that is too long for a line; wide letters take more of it."""
    shown = printable(text)
    ends = list(accumulate(map(_letters, shown[: TEXT + 1])))
    if ends and ends[-1] > most:
        return f"{shown[: sum(end <= most - 1 for end in ends)]}…"
    return shown


def _letters(one: str) -> float:
    """How many letters of usual width one takes."""
    return 2.0 if one in "MW@%m" or east_asian_width(one) in "WF" else 1.6 if one in WIDE else 1.0
