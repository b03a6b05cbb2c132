"""A wall of sessions: a small panel for each, with its gain along the concatenated lists and the ideal behind it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.canvas import Limits, extent
from sessionkit.charts.encodings import checked, color, fitted_by, guide, layered, lines_of, pixels, tip, titled, values
from sessionkit.charts.theme import FAINT, INK
from sessionkit.display.labels import in_natural_order, label, plain
from sessionkit.display.numbers import compact, counted, share_text
from sessionkit.errors import UsageError
from sessionkit.statistics.bands import EVERYONE, UNKNOWN
from sessionkit.study.tabular import as_polars

SESSIONS = ("session_id", "topic_id", "group", "lower", "upper", "judged", "queries", "slots", "ideal")
CURVES = ("session_id", "slot", "gain", "ideal")
QUERIES = ("session_id", "query_position", "start", "end", "judged")
CLICKS = ("session_id", "query_position", "rank", "slot", "doc_id")
SOURCE = "the tables of a wall"
MOST = 200
"""Sessions on one sheet."""
PANEL_WIDTH, LEAST_WIDTH = 120.0, 65.0
"""Width of the narrowest panel on a screen, in pixels, and on paper, in points."""
FLATNESS = 0.5
"""Height of a panel as a share of its width."""
SCREEN_WIDTH = 1051.0
"""Width of a sheet on a screen, in pixels: eight panels."""
GAP, LINE, STRIP, BELOW, BETWEEN = 13.0, 12.0, 4.0, 9.0, 10.0
"""Room between panels, of a line of text, of the strip of judged shares, below it, and between topics."""
SCREEN_TEXT, PAPER_TEXT = 9.7, 7.0
"""Size of text on a screen, in pixels, and on paper, in points."""
CHARACTER = 0.56
"""Width of a character in font sizes, about."""
CELL_GAP = 14.0
"""Further room between groups."""
MOST_CELLS, FEWEST_IN_CELL = 6, 2
"""Groups up to which each has a cell of its own in a topic; more share one if their cells had fewer sessions than this on average."""
MOST_ROWS = 1.6
"""How many times as many rows groups may take beside each other as below each other."""
SHADE = "#DCDCDC"
"""The ideal, which must be seen behind any line, also in gray."""


def session_wall(
    sessions: Any,  # noqa: ANN401  # anything tabular
    curves: Any,  # noqa: ANN401
    queries: Any = None,  # noqa: ANN401
    clicks: Any = None,  # noqa: ANN401
    *,
    measure: str = "Value",
    sheet: int = 1,
    aligned: str | None = None,
    limits: Limits | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    most_height: float | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw a panel for every session: its gain, its ideal in gray behind it, its queries, its clicks.

    Draw it with the width in which it is saved, so that a sheet holds the same sessions.

    The panels of a topic stand together, its groups side by side. Within a group they stand in the order of the rows. All
    panels have one horizontal scale, in slots of the concatenated lists; a curve ends where its searcher stopped. A session
    that has an ideal has a vertical scale from 0 to 1, so that the curve of a normalized measure ends at the score. Others
    show raw gain, on one scale for each topic, whose top is written in the panel. The bar at the end of a curve reaches from
    the lower to the upper bound under missing judgments; it is not a confidence interval. The strip below a panel is the judged
    share of each query, from empty (none) to full (all).

    Parameters
    ----------
    sessions
        session_id, topic_id, group, value, lower, upper, judged, queries, slots, and ideal (null where the session shows raw gain).
    curves
        session_id, slot (from 0), gain, ideal: cumulated, divided by the final ideal where the session has one.
    queries
        session_id, query_position, start, end (slots) and judged (share, 0 to 1).
    clicks
        session_id, query_position, rank, slot, doc_id.
    measure
        Text of the measure.
    sheet
        Which sheet, from 1; a sheet holds at most 200 sessions, see `place_sessions`.
    aligned
        A column of the sessions, such as ``"user_id"``: in each topic, panels of one value stand at the same place in every group.
    limits
        The least and the greatest number of slots in all walls that are compared, such as ``{"slots": (1, 40)}``: they have the
        same horizontal scale. By default those of these sessions.
    colors, synthetic, title, subtitle
        As for `session_curve`.
    most_height
        How high the panels of a sheet may be together; by default only the number of sessions limits a sheet.
    width
        Of the panels of a sheet; as many stand beside each other as fit. By default eight, for a screen.
    height
        Of the panels of a sheet, which are squeezed or stretched; by default as high as they are.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or there is no such sheet.
    """
    table = wall_sessions(sessions, aligned)
    steps = checked(curves, CURVES, SOURCE)
    shade = color(table.get_column("group").unique().to_list(), colors, "Group")
    shade["legend"] = None  # headings name the groups

    def draw(sheet_width: float | None, text_size: float) -> alt.LayerChart:
        placement = place_sessions(table, width=sheet_width, most_height=most_height, aligned=aligned)
        n_sheets = len(placement.heights)
        if not 1 <= sheet <= n_sheets:
            raise UsageError(f"there is no sheet {sheet}; this wall has {counted(n_sheets, 'sheet')}")
        drawing = _Drawing.of(placement, sheet, steps, table, text_size, limits=limits)
        layers = [
            *drawing.panels(measure),
            *drawing.curves(shade),
            *drawing.queries(queries),
            *drawing.clicks(clicks),
            *drawing.bounds(),
            *drawing.texts(),
        ]
        plot_height = round(drawing.height, 2) if height is None else pixels("height", height)
        return layered(layers, width=round(drawing.width, 2), height=plot_height)

    on_paper = fitted_by(
        draw(None if width is None else pixels("width", width), SCREEN_TEXT if width is None else PAPER_TEXT),
        lambda points, font_size: draw(points, min(font_size, PAPER_TEXT)),
    )
    below = [*([subtitle] if subtitle else []), *_key(table, clicks, plain("measure", measure))]
    chart = titled(on_paper, title, below, synthetic)
    if chart.title is not alt.Undefined:
        chart.title.limit = chart.width
    return chart


def _key(table: pl.DataFrame, clicks: Any, measure: str) -> list[str]:  # noqa: ANN401  # anything tabular
    """How a panel is read, in lines for a screen; print folds them."""
    has_clicks = clicks is not None and len(as_polars(clicks, SOURCE).collect()) > 0
    if not table.get_column("value").count():
        return ["Line: number of clicks so far; dotted: a query ends; triangle: click"] if has_clicks else []
    marks = [f"Number and point: {measure}; line: gain; gray: that of the ideal session; dotted: a query ends"]
    marks += ["triangle: click"] if has_clicks else []
    strip = "Strip: judged share of each query, empty 0%, full 100%"
    has_bounds = table.get_column("lower").count() > 0
    bounds = "; bar: bounds under missing judgments, no confidence interval" if has_bounds else ""
    return ["; ".join(marks), strip + bounds]


def wall_sessions(sessions: Any, aligned: str | None = None) -> pl.DataFrame:  # noqa: ANN401  # anything tabular
    """Return the columns of the sessions that a wall draws, checked; values may all be undefined."""
    extra = [aligned] if aligned is not None and aligned not in SESSIONS else []
    table = checked(sessions, (*SESSIONS, *extra), SOURCE)
    value = as_polars(sessions, SOURCE).select("value").collect().to_series().cast(pl.Float64)
    # a session without an ideal shows raw gain; where none has a value, no panel says so
    without_value = "undefined" if value.count() else ""
    return table.with_columns(value, is_raw=pl.col("ideal").is_null(), without_value=pl.lit(without_value))


@dataclass(frozen=True, eq=False)
class _Drawing:
    """One sheet, in one coordinate system: x to the right, y down, in pixels or points."""

    grid: PanelGrid
    sessions: pl.DataFrame
    headings: pl.DataFrame
    steps: pl.DataFrame
    height: float
    width: float
    text_size: float

    @classmethod
    def of(
        cls,
        placement: Placement,
        sheet: int,
        steps: pl.DataFrame,
        table: pl.DataFrame,
        text_size: float,
        *,
        limits: Limits | None,
    ) -> _Drawing:
        """Return the drawing of a sheet; scales are those of all sheets."""
        grid = placement.grid
        scales = steps.join(table.select("session_id", "topic_id", "is_raw"), on="session_id")
        slots = max(1, int(extent(table, "slots", limits)[1]))
        raw = scales.filter("is_raw").group_by("topic_id").agg(raw_top=pl.max_horizontal("gain", "ideal").max())
        rows = placement.sessions.filter(sheet=sheet).join(
            raw, on="topic_id", how="left", nulls_equal=True, maintain_order="left"
        )
        top = pl.when("is_raw").then(pl.col("raw_top")).otherwise(1.0)
        rows = rows.with_columns(
            top=pl.when(top > 0).then(top).otherwise(1.0),
            slot_width=pl.lit(grid.width / slots),
            foot=pl.col("y") + grid.height,
        )
        width = grid.columns * grid.cells * (grid.width + GAP) - GAP + CELL_GAP * (grid.cells - 1)
        headings = placement.headings.filter(sheet=sheet)
        return cls(grid, rows, headings, steps, placement.heights[sheet - 1], width, text_size)

    def _x(self, field: str) -> alt.X:
        return alt.X(
            field=field, type="quantitative", axis=None, scale=alt.Scale(domain=[0, self.width], nice=False, zero=False)
        )

    def _y(self, field: str) -> alt.Y:
        return alt.Y(
            field=field,
            type="quantitative",
            axis=None,
            scale=alt.Scale(domain=[self.height, 0], nice=False, zero=False),
        )

    def _placed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows of the sheet's sessions with where these stand."""
        places = self.sessions.select("session_id", "x", "foot", "top", "slot_width", "group")
        return frame.join(places, on="session_id", how="inner", maintain_order="left")

    def _at_slot(self, slot: str) -> pl.Expr:
        return (pl.col("x") + pl.col(slot) * pl.col("slot_width")).round(2)

    def _at_value(self, value: str) -> pl.Expr:
        return (pl.col("foot") - self.grid.height * pl.col(value) / pl.col("top")).round(2)

    def panels(self, measure: str) -> list[alt.Chart]:
        """The ground of every panel, which a reader can point at."""
        rows = self.sessions.select(
            "session_id",
            "group",
            "queries",
            *_texts_of("value", "lower", "upper"),
            judged=_percent("judged"),
            topic=pl.col("topic_id"),
            left=pl.col("x"),
            right=pl.col("x") + self.grid.width,
            upper_edge=pl.col("y"),
            lower_edge=pl.col("foot"),
        )
        tips = [tip("session_id", "Session"), tip("topic", "Topic"), tip("group", "Group"), tip("value", measure)]
        tips += [
            tip("lower", "Lower bound"),
            tip("upper", "Upper bound"),
            tip("judged", "Judged"),
            tip("queries", "Queries", "d"),
        ]
        ground = alt.Chart(guide(rows), name="panel").mark_rect(color="#F6F6F6", stroke="#E2E2E2", strokeWidth=0.5)
        edges = {"x": self._x("left"), "x2": alt.X2(field="right"), "y": self._y("upper_edge")}
        return [ground.encode(**edges, y2=alt.Y2(field="lower_edge"), tooltip=tips)]

    def curves(self, shade: alt.Color) -> list[alt.Chart]:
        """The ideal as an area, and the gain as a line before it."""
        rows = self._placed(self.steps).with_columns(
            px=self._at_slot("slot"), py=self._at_value("gain"), ideal_y=self._at_value("ideal")
        )
        layers = []
        session = alt.Detail(field="session_id", type="nominal")
        ideals = _bends(rows.drop_nulls("ideal_y"), "ideal_y")
        if len(ideals):
            area = lines_of(_outlines(ideals), "session_id", "px", "py")
            area = area.mark_line(filled=True, fill=SHADE, strokeWidth=0, order=False)
            layers.append(area.encode(x=self._x("px"), y=self._y("py"), detail=session))
        gains = _bends(rows.drop_nulls("py"), "py")
        if len(gains):
            shown = gains.select("session_id", "slot", "gain", "ideal")
            line = lines_of(gains, "session_id", "px", "py", "group", shown=shown).mark_line(strokeWidth=1.5)
            layers.append(line.encode(x=self._x("px"), y=self._y("py"), detail=session, color=shade))
        return layers

    def queries(self, queries: Any) -> list[alt.Chart]:  # noqa: ANN401  # anything tabular
        """Rules where queries end, and the strip of judged shares."""
        if queries is None:
            return []
        rows = self._placed(as_polars(queries, SOURCE).select(QUERIES).collect())
        if rows.is_empty():
            return []
        rows = rows.with_columns(left=self._at_slot("start"), right=self._at_slot("end"), under=pl.col("foot") + STRIP)
        last = pl.col("end").max().over("session_id")
        inner = rows.filter(pl.col("end") < last).select("right", "foot", upper_edge=pl.col("foot") - self.grid.height)
        layers = []
        if len(inner):
            rules = alt.Chart(guide(inner)).mark_rule(color=FAINT, opacity=0.55, strokeWidth=0.6, strokeDash=[1.5, 1.5])
            layers.append(rules.encode(x=self._x("right"), y=self._y("upper_edge"), y2=alt.Y2(field="foot")))
        strip = rows.drop_nulls("judged").with_columns(share=_percent("judged"))
        if len(strip):
            scale = alt.Scale(domain=[0, 1], range=["#FFFFFF", "#222222"])
            fill = alt.Fill(field="judged", type="quantitative", scale=scale, legend=None)
            cells = alt.Chart(
                values(
                    strip.select("session_id", "query_position", "judged", "share", "left", "right", "foot", "under"),
                    strip.select("session_id", "query_position", "judged"),
                )
            ).mark_rect(stroke=FAINT, strokeWidth=0.4)
            tips = [tip("session_id", "Session"), tip("query_position", "Query", "d"), tip("share", "Judged")]
            places = {
                "x": self._x("left"),
                "x2": alt.X2(field="right"),
                "y": self._y("foot"),
                "y2": alt.Y2(field="under"),
            }
            layers.append(cells.encode(**places, fill=fill, tooltip=tips))
        return layers

    def clicks(self, clicks: Any) -> list[alt.Chart]:  # noqa: ANN401  # anything tabular
        """A triangle at the foot of a panel for each result that was clicked."""
        if clicks is None:
            return []
        rows = self._placed(as_polars(clicks, SOURCE).select(CLICKS).collect())
        if rows.is_empty():
            return []
        rows = rows.select(
            "session_id",
            "query_position",
            "rank",
            px=self._at_slot("slot"),
            py=pl.col("foot") - 3,
            document=_shown("doc_id"),
        )
        marks = alt.Chart(guide(rows)).mark_point(shape="triangle-up", filled=True, size=16, color=INK)
        tips = [
            tip("session_id", "Session"),
            tip("query_position", "Query", "d"),
            tip("rank", "Rank", "d"),
            tip("document", "Clicked"),
        ]
        return [marks.encode(x=self._x("px"), y=self._y("py"), tooltip=tips)]

    def bounds(self) -> list[alt.Chart]:
        """The bar of bounds at the end of each curve, and its value as a point."""
        rows = self.sessions.drop_nulls("value").with_columns(pl.col("lower", "upper").fill_null(pl.col("value")))
        rows = rows.select(
            "session_id",
            px=self._at_slot("slots"),
            py=self._at_value("value"),
            low=self._at_value("lower"),
            high=self._at_value("upper").clip(pl.col("y") - 1, None),
        )
        if rows.is_empty():
            return []
        bars = alt.Chart(guide(rows.filter(pl.col("low") != pl.col("high")))).mark_rule(
            color=INK, strokeWidth=1, opacity=0.75
        )
        ends = alt.Chart(guide(rows)).mark_point(filled=True, size=14, color=INK)
        layers = [ends.encode(x=self._x("px"), y=self._y("py"))]
        if rows.select((pl.col("low") != pl.col("high")).any()).item():
            layers.insert(0, bars.encode(x=self._x("px"), y=self._y("low"), y2=alt.Y2(field="high")))
        return layers

    def texts(self) -> list[alt.Chart]:
        """The id and score of every session, the top of a raw scale, and headings."""
        room = int(self.grid.width / (CHARACTER * self.text_size))
        scores = [
            without if value is None else _score(value)
            for value, without in self.sessions.select("value", "without_value").iter_rows()
        ]
        called = self.sessions.select("session_id", "group", "cell_group").iter_rows()
        names_shown = [str(name) if group == cell else f"{group}: {name}" for name, group, cell in called]
        ids = [_cut(label(name), room - len(score) - 1) for name, score in zip(names_shown, scores, strict=True)]
        places = self.sessions.select(
            "x", end=pl.col("x") + self.grid.width, above=pl.col("y") - 3, inside=pl.col("y") + 5
        ).with_columns(pl.Series("name", ids, pl.String), pl.Series("score", scores, pl.String))
        tops = self.sessions.filter("is_raw").select(
            left=pl.col("x") + 2,
            inside=pl.col("y") + 6,
            text=pl.Series([f"to {_top_text(top)}" for top in self.sessions.filter("is_raw")["top"]], dtype=pl.String),
        )
        style: dict[str, Any] = {"fontSize": self.text_size, "color": INK}
        names = alt.Chart(guide(places)).mark_text(align="left", baseline="bottom", **style)
        numbers = alt.Chart(guide(places.filter(pl.col("score") != ""))).mark_text(
            align="right", baseline="bottom", **style
        )
        layers = [names.encode(x=self._x("x"), y=self._y("above"), text=_text("name"))]
        if places.select((pl.col("score") != "").any()).item():
            layers.append(numbers.encode(x=self._x("end"), y=self._y("above"), text=_text("score")))
        if len(tops):
            marks = alt.Chart(guide(tops)).mark_text(align="left", baseline="middle", **style | {"color": FAINT})
            layers.append(marks.encode(x=self._x("left"), y=self._y("inside"), text=_text("text")))
        for is_topic in (True, False):
            lines = self.headings.filter(is_topic=is_topic)
            if len(lines):
                heads = alt.Chart(guide(lines)).mark_text(
                    align="left", baseline="middle", fontWeight=600 if is_topic else "normal", **style
                )
                layers.append(heads.encode(x=self._x("x"), y=self._y("y"), text=_text("text")))
        return layers


def _bends(rows: pl.DataFrame, height: str) -> pl.DataFrame:
    """Points of each session's line without those amid level parts; a page would hold twice as many."""
    is_level = (pl.col(height) == pl.col(height).shift(1)) & (pl.col(height) == pl.col(height).shift(-1))
    return rows.filter(~is_level.over("session_id").fill_null(value=False))


def _outlines(ideals: pl.DataFrame) -> pl.DataFrame:
    """The outline of each ideal: from the foot of its panel, along the curve, and back to the foot."""
    curves = ideals.select("session_id", "px", py="ideal_y")
    feet = ideals.group_by("session_id", maintain_order=True)
    first, last = (rows.select("session_id", "px", py="foot") for rows in (feet.first(), feet.last()))
    return pl.concat([first, curves, last])


def _text(field: str) -> alt.Text:
    return alt.Text(field=field, type="nominal")


def _top_text(top: float) -> str:
    """The top of a raw scale; counts of clicks have no decimals."""
    return f"{top:,.0f}" if top.is_integer() else compact(top)


def _shown(name: str) -> pl.Expr:
    return pl.col(name).map_elements(label, pl.String)


def _texts_of(*names: str) -> list[pl.Expr]:
    """Numbers as texts, with a dash where there is none."""
    return [pl.col(name).map_elements(compact, pl.String).fill_null("\u2013").alias(name) for name in names]


def _percent(name: str) -> pl.Expr:
    return pl.col(name).map_elements(share_text, pl.String).fill_null("\u2013")


def _score(value: float) -> str:
    """A score with as many decimals as its neighbors have; 0 is exactly 0."""
    return f"{value:.3f}" if 0.0005 <= abs(value) < 100 else compact(value)


def _cut(text: str, most: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= most else f"{text[: max(1, most - 1)]}\u2026"


@dataclass(frozen=True)
class PanelGrid:
    """How many panels stand beside each other, and how large they are.

    Parameters
    ----------
    columns
        Panels beside each other in the cell of one topic and group.
    cells
        Groups beside each other; 1 where they stand below each other.
    width, height
        Of the plot of a panel.
    """

    columns: int
    cells: int
    width: float
    height: float

    @classmethod
    def of(cls, sheet_width: float, sessions: pl.DataFrame, least: float) -> PanelGrid:
        """Return the grid of a sheet with the most panels of at least this width.

        Groups stand side by side unless their sizes differ so much that most of the sheet would stay empty.
        """
        panels = max(1, int((sheet_width + GAP) // (least + GAP)))
        sizes = sessions.group_by("topic_id", "cell_group").agg(n=pl.len())
        cells = sizes.get_column("cell_group").n_unique()
        columns = panels // cells
        if columns:
            beside = sizes.group_by("topic_id").agg(rows=((pl.col("n") + columns - 1) // columns).max())["rows"].sum()
            below = sizes.select(((pl.col("n") + panels - 1) // panels).sum()).item()
        if not columns or beside > MOST_ROWS * below:
            cells, columns = 1, panels
        width = (sheet_width + GAP - CELL_GAP * (cells - 1)) / (columns * cells) - GAP
        return cls(columns, cells, width, width * FLATNESS)

    @property
    def cell_width(self) -> float:
        """Width of the panels of one topic and group."""
        return self.columns * (self.width + GAP) - GAP

    @property
    def row_height(self) -> float:
        """Height of a row of panels: the text above them, the plots, the strips below."""
        return LINE + self.height + STRIP + BELOW

    def left(self, cell: pl.Expr, column: pl.Expr) -> pl.Expr:
        """Return where a panel begins."""
        return (cell * self.columns + column) * (self.width + GAP) + cell * CELL_GAP


@dataclass(frozen=True, eq=False)
class Placement:
    """Where every session stands.

    Parameters
    ----------
    grid
        The size of the panels.
    sessions
        The sessions with ``sheet``, ``x`` and ``y`` (the upper left corner of the plot).
    headings
        ``sheet``, ``x``, ``y``, ``text``, ``is_topic``: the lines above the panels of a topic and group.
    heights
        The height of every sheet.
    """

    grid: PanelGrid
    sessions: pl.DataFrame
    headings: pl.DataFrame
    heights: tuple[float, ...]


def place_sessions(
    sessions: pl.DataFrame, *, width: float | None = None, most_height: float | None = None, aligned: str | None = None
) -> Placement:
    """Place the panels of sessions on sheets; the parameters are those of `session_wall`.

    A topic stays on one sheet where it fits on one.
    """
    sessions = sessions.with_columns(
        cell_group=pl.lit(EVERYONE) if share_cells(sessions) and aligned is None else pl.col("group")
    )
    groups = in_natural_order(sessions.get_column("cell_group").unique())
    grid = PanelGrid.of(width or SCREEN_WIDTH, sessions, PANEL_WIDTH if width is None else LEAST_WIDTH)
    topics = in_natural_order(sessions.get_column("topic_id").drop_nulls().unique())
    topic = pl.col("topic_id").replace_strict(topics, range(len(topics)), default=len(topics), return_dtype=pl.Int64)
    cell = pl.col("cell_group").replace_strict(groups, range(len(groups)), return_dtype=pl.Int64)
    stacked = grid.cells == 1
    rows = sessions.with_columns(topic=topic, cell=cell)
    rows = rows.with_columns(block=pl.col("topic") * len(groups) + pl.col("cell") if stacked else pl.col("topic"))
    rows = rows.with_row_index("at").with_columns(nth=_places_in_cell(aligned)).drop("at")
    rows = rows.with_columns(row=pl.col("nth") // grid.columns, column=pl.col("nth") % grid.columns)
    sizes = rows.group_by("block", "row").agg(n=pl.len()).sort("block", "row")
    room = int((grid.cell_width + GAP) / (CHARACTER * (SCREEN_TEXT if width is None else PAPER_TEXT)))
    cells = _cells(rows, room)
    head = LINE * ((1.6 if topics else 0.4) + max(map(len, cells["lines"])))
    tops = pl.DataFrame(
        list(_pack(sizes, head, grid.row_height, most_height or math.inf)),
        schema={"block": pl.Int64, "row": pl.Int64, "sheet": pl.Int64, "top": pl.Float64, "begins": pl.Boolean},
        orient="row",
    )
    rows = rows.join(tops, on=["block", "row"], maintain_order="left")
    left = grid.left(pl.lit(0) if stacked else pl.col("cell"), pl.col("column"))
    rows = rows.with_columns(x=left, y=pl.col("top") + LINE)
    heights = tops.group_by("sheet").agg(pl.col("top").max() + grid.row_height).sort("sheet")["top"].to_list()
    return Placement(grid, rows, _headings(cells, tops, grid, head, has_topics=bool(topics)), tuple(heights))


def share_cells(sessions: pl.DataFrame) -> bool:
    """Return whether all groups of a topic share a cell: they are many and have few sessions each, so that cells would be empty."""
    n_cells = sessions.select("topic_id", "group").n_unique()
    return sessions.get_column("group").n_unique() > MOST_CELLS and len(sessions) < FEWEST_IN_CELL * n_cells


def _places_in_cell(aligned: str | None) -> pl.Expr:
    """The place of a session among those of its topic and group, from 0; the same for one value of a column in every group.

    ``at`` is the number of the row.
    """
    if aligned is None:
        return pl.int_range(pl.len()).over("topic", "cell")
    # values in the order in which the rows have them: as text, P10 would stand before P2
    first = pl.col("at").min().over(aligned)
    again = pl.int_range(pl.len()).over("topic", "cell", aligned)
    return pl.struct(first.alias("first"), again.alias("again")).rank("dense").over("topic").cast(pl.Int64) - 1


def _pack(
    sizes: pl.DataFrame, head: float, row_height: float, limit: float
) -> Iterator[tuple[int, int, int, float, bool]]:
    """Put rows of panels on sheets: block, row, sheet, its top, and whether headings stand above it."""
    sheet, y, n_sessions = 1, 0.0, 0
    for (block,), rows in sizes.partition_by("block", maintain_order=True, as_dict=True).items():
        needed, n_block = head + len(rows) * row_height, int(rows["n"].sum())
        if y and (y + needed > limit or n_sessions + n_block > MOST) and needed <= limit and n_block <= MOST:
            sheet, y, n_sessions = sheet + 1, 0.0, 0
        begins = True
        for row, n in rows.select("row", "n").iter_rows():
            room = row_height + (head if begins else 0)
            if y and (y + room > limit or n_sessions + n > MOST):
                sheet, y, n_sessions, begins = sheet + 1, 0.0, 0, True
            y += head if begins else 0
            yield block, row, sheet, y, begins
            y, n_sessions, begins = y + row_height, n_sessions + n, False
        y += BETWEEN


def _cells(rows: pl.DataFrame, room: int) -> pl.DataFrame:
    """The panels of each topic and group, with the lines of their heading, which has so many characters of room."""
    cells = rows.group_by("block", "topic_id", "cell", group="cell_group").agg(
        sessions=pl.len(),
        n=pl.col("value").count(),
        median=pl.col("value").median(),
        undefined=pl.col("value").null_count(),
    )
    lines = [
        textwrap.wrap(_heading(row), room, max_lines=3, placeholder=" \u2026") for row in cells.iter_rows(named=True)
    ]
    return cells.with_columns(pl.Series("lines", lines, pl.List(pl.String)))


def _headings(
    cells: pl.DataFrame, tops: pl.DataFrame, grid: PanelGrid, head: float, *, has_topics: bool
) -> pl.DataFrame:
    """The lines above panels: the topic, and of each group n, median and how many have no value."""
    begins = tops.filter("begins").select("block", "sheet", "top")
    cells = cells.join(begins, on="block").sort("sheet", "top", "cell")
    lines = []
    for row in cells.iter_rows(named=True):
        stands = 0 if grid.cells == 1 else row["cell"]
        x = stands * (grid.columns * (grid.width + GAP) + CELL_GAP)
        for number, text in enumerate(reversed(row["lines"])):
            lines.append((row["sheet"], x, row["top"] - LINE * (0.75 + number), text, False))
        if has_topics:
            topic = "no topic" if row["topic_id"] is None else f"Topic {label(row['topic_id'], 60)}"
            lines.append((row["sheet"], 0.0, row["top"] - head + LINE * 0.5, topic, True))
    schema = {"sheet": pl.Int64, "x": pl.Float64, "y": pl.Float64, "text": pl.String, "is_topic": pl.Boolean}
    return pl.DataFrame(lines, schema=schema, orient="row").unique(maintain_order=True)


def _heading(cell: Mapping[str, Any]) -> str:
    """What stands above the panels of one group: its name, n, median, and how many sessions are undefined."""
    name = "" if cell["group"] in (EVERYONE, UNKNOWN) else cell["group"]
    parts = [f"n = {cell['n']:,}"] if cell["n"] else [counted(cell["sessions"], "session")]
    parts += [f"median {compact(cell['median'])}"] if cell["n"] else []
    parts += [f"{cell['undefined']:,} undefined"] if cell["n"] else []
    return f"{label(name, 60)}: {', '.join(parts)}" if name else ", ".join(parts)
