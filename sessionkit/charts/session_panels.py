"""Panels of one session: query texts, lists with grades and clicks, gain beside its ideal, and events in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from unicodedata import bidirectional

import altair as alt
import polars as pl

from sessionkit.charts.canvas import LINE, LONGEST_TEXT, NARROW, RULES, Canvas, cut, extent, heading, text_width
from sessionkit.charts.encodings import grade_text, tip, values
from sessionkit.display.labels import named, printable_column
from sessionkit.display.numbers import compact
from sessionkit.scoring import exact
from sessionkit.sessions.timeline import query_words

MOST_RANKS = 20
"""Ranks of each list that are drawn; the rest is one number."""
GAP = 0.9
"""Room between queries, in font sizes."""
CHIP, CLICK = 1.25, 1.05
"""Height of a chip and of the row of clicks below it, in font sizes."""
BAR_HEIGHTS = (2.4, 1.8, 1.2)
"""Heights of the longest bar in font sizes: lower ones let more queries fit."""


@dataclass(frozen=True)
class Place:
    """Where a list of queries stands: its left edge and its width."""

    left: float
    width: float


def clean_results(results: pl.DataFrame) -> pl.DataFrame:
    """Return results with every column that panels read, sorted; columns that are not logged are null."""
    optional = {"clicked": pl.Boolean, "dwell": pl.Float64}
    more = [pl.lit(None, dtype).alias(name) for name, dtype in optional.items() if name not in results.columns]
    numbers = pl.col("grade", "contribution").cast(pl.Float64)
    return (
        results.with_columns(*more, numbers, pl.col("query_position", "rank").cast(pl.Int64))
        .with_columns(pl.col("clicked").fill_null(value=False))
        .sort("query_position", "rank")
    )


def clean_queries(queries: pl.DataFrame | None, results: pl.DataFrame) -> pl.DataFrame:
    """Return all queries of the session by position: ``query_position``, ``text``, ``results_status``, ``added`` (their sums)."""
    shape = {"query_position": pl.Int64, "text": pl.String, "results_status": pl.String}
    sums = results.group_by("query_position").agg(exact_sum("contribution").alias("added"))
    rows = sums.select("query_position") if queries is None else queries
    rows = rows.select(
        pl.col(name).cast(dtype) if name in rows.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in shape.items()
    )
    extra = sums.select("query_position").join(rows, on="query_position", how="anti")
    rows = pl.concat([rows, extra], how="diagonal").join(sums, on="query_position", how="left")
    return rows.sort("query_position")


def exact_sum(name: str) -> pl.Expr:
    """Return the sum of contributions with the bits of the score; null where all are null."""
    total = exact.unfixed(exact.fixed(pl.col(name)).sum())
    return pl.when(pl.col(name).count() > 0).then(total)


def query_panel(
    canvas: Canvas,
    results: pl.DataFrame,
    queries: pl.DataFrame,
    place: Place | None = None,
    *,
    room: float,
    compared: pl.DataFrame | None = None,
) -> int:
    """Draw the queries with their lists in at most so much room, move below them, and return how many are drawn.

    Each query has its text with added terms in bold and removed terms struck, bars of what results add, chips of
    grades, and clicks. If the room is too small, queries that add least are left out; a line says how many, and what
    they add.

    Parameters
    ----------
    results, queries
        From `clean_results` and `clean_queries`, of one session.
    place
        Left edge and width; None for the whole canvas.
    room
        Height in pixels.
    compared
        The results of all sessions that are drawn side by side, on one scale; None for this session alone.

    The limits of the canvas, where it has any, set the scale.
    """
    place = place or Place(0.0, canvas.width)
    words = query_words(queries.with_columns(pl.col("text").str.slice(0, LONGEST_TEXT)))
    layout = _ListLayout.fit(canvas, results if compared is None else compared, place, has_text=bool(words))
    blocks = {
        position: _query_lines(canvas, position, words.get(position), layout.text_width, any_text=bool(words))
        for position in queries.get_column("query_position")
    }
    has_bars = results.get_column("contribution").count() > 0
    is_alone = compared is None and canvas.limits is None
    bar_heights = BAR_HEIGHTS if is_alone else BAR_HEIGHTS[1:2]  # the same in all that are compared
    for bars in bar_heights if has_bars else (0.0,):
        layout.bars = bars * canvas.size
        heights = {
            position: layout.height(len(lines), results.filter(pl.col("query_position") == position))
            for position, lines in blocks.items()
        }
        if sum(heights.values()) <= room:
            break
    kept = _kept_queries(queries, heights, room - LINE * canvas.size)
    for row in queries.filter(pl.col("query_position").is_in(kept)).iter_rows(named=True):
        position = row["query_position"]
        listed = results.filter(pl.col("query_position") == position)
        layout.draw(canvas, listed, blocks[position], row)
        canvas.y += heights[position]
    left_out = queries.filter(~pl.col("query_position").is_in(kept))
    if len(left_out):
        added = left_out.select(exact_sum("added")).item()
        noun = "query" if len(left_out) == 1 else "queries"
        adds = "" if added is None else f": {signed(added)}"
        canvas.mark(
            "faint",
            place.left,
            canvas.y + LINE * canvas.size / 2,
            text=cut(f"{len(left_out):,} more {noun}{adds}", place.width, canvas.size),
        )
        canvas.y += LINE * canvas.size
    return len(kept)


def _kept_queries(queries: pl.DataFrame, heights: dict[int, float], room: float) -> list[int]:
    """The queries that are drawn: all if there is room, else those that add most, the first of equals."""
    if sum(heights.values()) <= room:
        return queries.get_column("query_position").to_list()
    order = queries.sort(-pl.col("added").abs().fill_null(0.0), "query_position").get_column("query_position")
    kept: list[int] = []
    for position in order:
        if not kept or sum(heights[one] for one in [*kept, position]) <= room:
            kept.append(position)
    return kept


@dataclass
class _ListLayout:
    """Where the parts of a query stand: text, list, and sum."""

    place: Place
    beside: bool
    text_width: float
    left: float
    chip: float
    clicks: bool
    ranks: int
    scale: tuple[float, float]
    size: float
    above: float
    bars: float = 0.0

    @classmethod
    def fit(cls, canvas: Canvas, results: pl.DataFrame, place: Place, *, has_text: bool) -> _ListLayout:
        ranks = min(MOST_RANKS, max(5, int(extent(results, "rank", canvas.limits)[1])))
        beside = place.width >= NARROW * canvas.size
        sums = 4.2 * canvas.size
        beside_lists = place.width * 0.42 if has_text else text_width("Q000", canvas.size)
        text = beside_lists if beside else place.width - sums
        left = place.left + (text + canvas.size if beside else 0.0)
        room = place.left + place.width - left - (sums if beside else 0.0)
        added = results.get_column("contribution").drop_nulls()
        low, high = extent(results, "contribution", canvas.limits)
        low, high = min(0.0, low), max(0.0, high)
        chip = min(room / ranks, (2.6 if has_text or not beside else 4.0) * canvas.size)
        has_numbers = any(text_width(compact(value), canvas.small) <= chip for value in added if value > 0)
        return cls(
            place,
            beside,
            text,
            left,
            chip,
            bool(results.get_column("clicked").any()),
            ranks,
            (low, high if high > low else low + 1),
            canvas.size,
            (1.1 if has_numbers else 0.2) * canvas.size,
        )

    def bar_area(self, listed: pl.DataFrame) -> tuple[float, float, float]:
        """Heights above and below the zero line that the bars of a list take, and room for numbers above them."""
        added = listed.get_column("contribution").drop_nulls()
        low, high = self.scale
        share = self.bars / (high - low)
        up, down = (max(0.0, sign * float(end or 0.0)) * share for sign, end in ((1, added.max()), (-1, added.min())))  # type: ignore[arg-type]
        return up, down, self.above if up else 0.2 * self.size

    def height(self, lines: int, listed: pl.DataFrame) -> float:
        text = lines * LINE * self.size
        below = not listed.filter(pl.col("rank") > MOST_RANKS).is_empty()
        listed_height = sum(self.bar_area(listed)) + (CHIP + CLICK * self.clicks + LINE * below) * self.size
        return (max(text, listed_height) if self.beside else text + listed_height) + GAP * self.size

    def draw(self, canvas: Canvas, listed: pl.DataFrame, lines: list[list[_Word]], row: dict[str, Any]) -> None:
        size, top = canvas.size, canvas.y
        for number, line in enumerate(lines):
            y = top + (number + 0.5) * LINE * size
            for word in line:
                canvas.mark(word.kind, self.place.left + word.x, y, text=word.text)
                if word.kind == "removed":
                    x = self.place.left + word.x
                    canvas.mark("strike", x, y, x2=round(x + word.width, 2), y2=round(y, 2))
        if not self.beside:
            top += len(lines) * LINE * size
        up, down, above = self.bar_area(listed)
        zero = top + above + up
        chips = zero + down + 0.1 * size
        right = self.place.left + self.place.width
        if listed.is_empty():
            status = "list not logged" if row["results_status"] == "not_logged" else "no results"
            canvas.mark("faint", self.left, chips + CHIP * size / 2, text=status)
        elif row["added"] is not None:
            y = canvas.y + LINE * size / 2 if not self.beside else chips + CHIP * size / 2
            canvas.mark("sum", right, y, text=signed(row["added"]))
        for result in _shown_results(listed).iter_rows(named=True):
            self._draw_result(canvas, result, zero, chips)
        beyond = listed.filter(pl.col("rank") > MOST_RANKS)
        if len(beyond):
            added = beyond.select(exact_sum("contribution")).item()
            adds = f" {signed(added)}" if added else ""
            x = self.left + self.ranks * self.chip
            y = chips + (CHIP + CLICK * self.clicks + LINE / 2) * size
            canvas.mark("sum", x if self.beside else right, y, text=f"and {len(beyond):,} below{adds}")

    def _draw_result(self, canvas: Canvas, result: dict[str, Any], zero: float, chips: float) -> None:
        size = canvas.size
        x, x2 = self.left + (result["rank"] - 0.94) * self.chip, self.left + (result["rank"] - 0.06) * self.chip
        middle, added = (x + x2) / 2, result["added"]
        low, high = self.scale
        ends = {"x2": round(x2, 2), **result}
        if added:
            y = zero - added / (high - low) * self.bars
            canvas.mark("bar", x, zero, y2=round(y, 2), **ends)
            text = compact(added)
            if added > 0 and text_width(text, canvas.small) <= self.chip:
                canvas.mark("middle", middle, y - 0.5 * size, text=text)
        counts = result["value"] is not None and (added is not None or not self.bars)
        canvas.mark("grade" if counts else "open", x, chips, y2=round(chips + CHIP * size, 2), **ends)
        if result["value"] is not None and text_width(result["grade"], canvas.small) <= self.chip - 1:
            canvas.mark("on light", middle, chips + CHIP * size / 2, text=result["grade"], value=result["value"])
        if result["clicked"] == "yes":
            canvas.mark("click", middle, chips + (CHIP + 0.5) * size, **ends)
            text = "" if result["dwell"] is None else duration(result["dwell"])
            if text and text_width(text, canvas.small) + 1.6 * size <= self.chip:
                canvas.mark(
                    "middle",
                    middle + 0.5 * size + text_width(text, canvas.small) / 2,
                    chips + (CHIP + 0.5) * size,
                    text=text,
                )


def _shown_results(listed: pl.DataFrame) -> pl.DataFrame:
    """What marks of results have as their data."""
    return listed.filter(pl.col("rank") <= MOST_RANKS).select(
        "query_position",
        "rank",
        document=printable_column("doc_id"),
        value="grade",
        grade=grade_text("grade"),
        added="contribution",
        clicked=pl.when("clicked").then(pl.lit("yes")).otherwise(pl.lit("no")),
        dwell="dwell",
    )


@dataclass(frozen=True)
class _Word:
    """A word of a query with its place on its line."""

    kind: str
    text: str
    x: float
    width: float


def _query_lines(
    canvas: Canvas, position: int, words: list[tuple[str, str]] | None, width: float, *, any_text: bool
) -> list[list[_Word]]:
    """The number and the words of a query on at most two lines, or three beside the list; the last ends with an ellipsis."""
    size = canvas.size
    most = 2 if canvas.is_narrow else 3
    label = _Word("faint", f"Q{position}", 0.0, text_width(f"Q{position}", size))
    indent = label.width + 0.5 * size
    lines: list[list[_Word]] = [[]]
    x = indent
    right_to_left = any(bidirectional(letter) in ("R", "AL") for text, _ in (words or [])[:1] for letter in text)
    for text, change in words or []:
        bold = change == "added"
        shown = cut(text, width - indent, size, bold=bold)
        wide = text_width(shown, size, bold=bold)
        if x + wide > width and lines[-1]:
            if len(lines) == most:
                while lines[-1] and lines[-1][-1].x + lines[-1][-1].width > width - 1.3 * size and len(lines[-1]) > 1:
                    lines[-1].pop()
                last = lines[-1][-1]
                lines[-1].append(_Word("text", "…", min(last.x + last.width + 0.3 * size, width - size), size))
                break
            lines.append([])
            x = indent
        kind = {"added": "added", "removed": "removed"}.get(change, "text")
        lines[-1].append(_Word(kind, shown, x, wide))
        x += wide + 0.3 * size
    if right_to_left:
        lines = [
            [_Word(word.kind, word.text, indent + width - word.x - word.width, word.width) for word in line]
            for line in lines
        ]
    lines[0].insert(0, label)
    if words is None and any_text:
        lines[0].append(_Word("faint", "no text logged", indent, 0.0))
    return lines


def signed(value: float) -> str:
    """Return what something adds, with its sign."""
    return f"+{compact(value)}" if value > 0 else compact(value)


def gain_layers(rows: alt.InlineData | alt.NamedData, x: alt.X, y: alt.Y, *, ideal: bool = True) -> list[alt.Chart]:
    """Return the layers of the cumulated gain of a session beside its ideal.

    The rows have ``x`` (place along the lists), ``gain`` and ``ideal`` (places on the vertical axis), and for the
    tooltip ``slot``, ``query_position``, ``rank``, ``value`` and ``ideal_value``. The layers hold no number of the data:
    a page can pass named data, whose ``x`` is the slot and whose ``gain`` is the gain, and replace them.
    """
    tips = [tip("query_position", "Query", "d"), tip("rank", "Rank", "d"), tip("value", "Gain so far", ".4f")]
    tips += [tip("ideal_value", "Ideal so far", ".4f")] if ideal else []
    layers = []
    for name, look in (("ideal", RULES["dashed"]), ("gain", RULES["solid"])):
        if name == "ideal" and not ideal:
            continue
        side = y.copy()
        side["field"] = name
        layers.append(alt.Chart(rows).mark_line(**look).encode(x=x, y=side, order=alt.Order(field="x"), tooltip=tips))
    return layers


def gain_panel(canvas: Canvas, curve: pl.DataFrame, title: str) -> None:
    """Draw the cumulated gain along the concatenated lists beside that of the ideal, and move below it.

    Parameters
    ----------
    curve
        slot (1, 2, ...), query_position, rank, value (gain so far, null after the session's last slot) and ideal (null
        where the measure has none).
    title
        Heading of the panel.
    """
    size = canvas.size
    heading(canvas, title)
    left, right, height = 3.2 * size, canvas.width - 4.5 * size, 6.5 * size
    top, bottom = canvas.y + 0.5 * size, canvas.y + 0.5 * size + height
    last = extent(curve, "slot", canvas.limits)[1]
    low = min(0.0, extent(curve, "value", canvas.limits)[0])
    high = max(1e-300, *(extent(curve, name, canvas.limits)[1] for name in ("value", "ideal")))
    has_ideal = curve.get_column("ideal").count() > 0

    def at(slot: Any) -> Any:  # noqa: ANN401  # a number or an expression
        return left + slot * (right - left) / last

    def up(value: Any) -> Any:  # noqa: ANN401  # a number or an expression
        return bottom - (value - low) * height / (high - low)

    first = pl.DataFrame({"slot": [0], "value": [0.0], "ideal": [0.0 if has_ideal else None]})
    points = pl.concat([first, curve], how="diagonal_relaxed").select(
        x=at(pl.col("slot")).round(2),
        gain=up(pl.col("value")).round(2),
        ideal=up(pl.col("ideal")).round(2),
        slot="slot",
        query_position="query_position",
        rank="rank",
        value="value",
        ideal_value="ideal",
    )
    canvas.mark("axis", left, bottom, x2=right, y2=round(bottom, 2))
    for value in (0.0, high):
        canvas.mark("sum", left - 0.4 * size, up(value), text=compact(value) if value else "0")
    starts = (
        curve.drop_nulls("query_position")
        .group_by("query_position", maintain_order=True)
        .agg(pl.col("slot").min(), last=pl.col("slot").max())
    )
    free = 0.0
    for position, start, end in starts.iter_rows():
        if start > 1:
            canvas.mark("boundary", at(start - 1), top, x2=round(at(start - 1), 2), y2=round(bottom, 2))
        label, middle = f"Q{position}", (at(start - 1) + at(end)) / 2
        half = text_width(label, canvas.small) / 2
        if middle - half >= free:
            canvas.mark("middle", middle, bottom + 0.7 * size, text=label)
            free = middle + half + 0.4 * size
    ends = [("gain", "value"), *([("ideal", "ideal")] if has_ideal else [])]
    heights = [up(curve.get_column(name).drop_nulls().last()) for _, name in ends]
    end = at(curve.get_column("slot").max())
    lowest = bottom if end >= right else bottom - 0.6 * size  # the axis goes on below a curve that ends before others
    heights[0] = min(heights[0], lowest)
    if len(heights) == 2 and abs(heights[0] - heights[1]) < size:
        heights = [min(heights[1] + size, lowest), min(heights[1], lowest - size)]
    for (text, _), y in zip(ends, heights, strict=True):
        canvas.mark("text", end + 0.5 * size, y, text=text)
    table = points.filter(pl.col("slot") > 0).select("slot", "query_position", "rank", "value", ideal="ideal_value")
    table = table.with_columns(part=pl.lit("curve"))
    canvas.y = bottom + 1.6 * size
    canvas.layers.append(lambda x, y: gain_layers(values(points, table), x, y, ideal=has_ideal))


BREAK_SHARE, BREAK_SECONDS = 0.4, 60.0
"""A gap without events is broken if it takes more than this share of the time axis, and lasts at least so many seconds."""
STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
"""Seconds between ticks of the time axis; longer steps are whole days."""


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units.

    >>> [duration(seconds) for seconds in (0.4, 12, 95, 3600, 11100, 200000)]
    ['0.4 s', '12 s', '1 min 35 s', '1 h', '3 h 5 min', '2 d 7 h']
    """
    if seconds < 10:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    whole = round(seconds)
    parts: list[str] = []
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        amount, whole = divmod(whole, length)
        if amount or parts:
            parts.append(f"{amount} {unit}" if amount else "")
        if len(parts) == 2:
            break
    return " ".join(part for part in parts if part)


def broken_gaps(times: Sequence[float]) -> list[tuple[float, float]]:
    """Return the gaps between events that the time axis leaves out, in their order.

    While the longest gap takes more than 40% of the time that is left, and lasts at least a minute, it is left out.

    >>> broken_gaps([0, 30, 60, 10_860, 10_900])
    [(60, 10860)]
    """
    events = sorted(times)
    gaps = sorted(pairwise(events), key=lambda gap: gap[0] - gap[1])
    shown, broken = (events[-1] - events[0] if events else 0.0), []
    for start, end in gaps:
        if end - start < BREAK_SECONDS or end - start <= BREAK_SHARE * shown:
            break
        if end - start >= shown:  # nothing else would be left
            break
        broken.append((start, end))
        shown -= end - start
    return sorted(broken)


@dataclass(frozen=True)
class TimeScale:
    """A time axis that leaves long gaps out: where a second stands."""

    first: float
    last: float
    gaps: tuple[tuple[float, float], ...]
    left: float
    right: float
    break_width: float

    @property
    def per_second(self) -> float:
        """Pixels of a second."""
        shown = self.last - self.first - sum(end - start for start, end in self.gaps)
        return (self.right - self.left - len(self.gaps) * self.break_width) / max(shown, 1e-9)

    def at(self, second: float) -> float:
        """The place of a second; within a gap it moves evenly through the gap's mark."""
        x = self.left
        for start, end in self.gaps:
            if second <= start:
                break
            left_out = min(second, end) - start
            x += self.break_width * left_out / (end - start) - self.per_second * left_out
        return x + (second - self.first) * self.per_second

    def ticks(self, spacing: float) -> list[float]:
        """Seconds of ticks at least so many pixels apart, none in a gap."""
        steps = [*STEPS, *(86_400 * 2**power for power in range(1, 20))]
        step = next((step for step in steps if step * self.per_second >= spacing), steps[-1])
        ticks, tick, free = [], math.ceil(self.first / step) * step, -math.inf
        while tick <= self.last:
            gap = next((gap for gap in self.gaps if gap[0] < tick < gap[1]), None)
            if gap is not None:
                tick = math.ceil(gap[1] / step) * step
                continue
            if self.at(tick) >= free:
                ticks.append(float(tick))
                free = self.at(tick) + spacing
            tick += step
        return ticks


def time_panel(
    canvas: Canvas, queries: pl.DataFrame, clicks: pl.DataFrame | None, *, lanes: Sequence[str] | None = None
) -> TimeScale:
    """Draw queries, the time from each to the next, clicks and dwell in time, move below, and return the time axis.

    The time to the next query is a thin line: what a searcher did in it is known from clicks and dwell alone.

    Parameters
    ----------
    queries
        query_position, start, end (seconds; end is null where it is unknown).
    clicks
        query_position, rank, doc_id, at, dwell (seconds); None without any.
    lanes
        A label for each query: every query has a row of its own. None: all share one row.
    """
    size = canvas.size
    seen = [] if clicks is None else clicks.sort("at", "query_position", "rank").rows(named=True)
    rows = queries.sort("query_position").rows(named=True)
    times = [row["start"] for row in rows] + [rows[-1]["end"]] * (rows[-1]["end"] is not None)
    times += [time for click in seen for time in (click["at"], click["at"] + (click["dwell"] or 0))]
    label = 0.0 if lanes is None else canvas.width * 0.36
    scale = TimeScale(
        min(0.0, *times), max(times), tuple(broken_gaps([0.0, *times])), label + size, canvas.width - size, 3.6 * size
    )
    step = 3.0 * size
    if lanes is not None:  # many lanes are lower, so that they fit on a page
        step = min(1.9 * size, (canvas.most_height - canvas.y - 8 * size) / len(rows))
    half_bar = min(0.5 * size, 0.42 * step)
    if lanes is None:
        canvas.y += 1.1 * size  # the names of queries
    top = canvas.y
    middles = {row["query_position"]: top + (place if lanes else 0) * step + step / 2 for place, row in enumerate(rows)}
    if lanes:
        for row, text in zip(rows, lanes, strict=True):
            canvas.mark("text", 0.0, middles[row["query_position"]], text=cut(text, label - 0.5 * size, size))
    free = -math.inf
    for row in rows:
        y, x = middles[row["query_position"]], scale.at(row["start"])
        if row["end"] is not None:
            end = round(scale.at(row["end"]), 2)
            canvas.mark("span", x, y, x2=end, y2=round(y, 2))
            canvas.mark("span", end, y - 0.6 * half_bar, x2=end, y2=round(y + 0.6 * half_bar, 2))
        canvas.mark("query", x, y - 1.6 * half_bar, x2=round(x, 2), y2=round(y + 1.6 * half_bar, 2))
        name = f"Q{row['query_position']}"
        half = text_width(name, canvas.small) / 2
        if lanes is None and x - half >= free:
            canvas.mark("middle", x, top - 0.35 * size, text=name)
            free = x + half + 0.3 * size
    for click in seen:
        if click["query_position"] not in middles:
            continue
        y, x = middles[click["query_position"]], scale.at(click["at"])
        about = {
            "document": named(str(click["doc_id"])),
            "rank": click["rank"],
            "clicked": "yes",
            "dwell": click["dwell"],
        }
        if click["dwell"]:
            end = round(scale.at(click["at"] + click["dwell"]), 2)
            canvas.mark("dwell", x, y - 0.22 * size, x2=end, y2=round(y + 0.22 * size, 2), **about)
        canvas.mark("click", x, y, **about)
    bottom = top + step * (len(rows) if lanes else 1)
    _time_axis(canvas, scale, top, bottom)
    canvas.y = bottom + 2.2 * size
    return scale


def _time_axis(canvas: Canvas, scale: TimeScale, top: float, bottom: float) -> None:
    """The axis below the rows, with its ticks, and with each gap that is left out."""
    size, x = canvas.size, scale.left
    for start, end in scale.gaps:
        canvas.mark("axis", x, bottom, x2=round(scale.at(start), 2), y2=round(bottom, 2))
        x = scale.at(end)
        middle = (scale.at(start) + x) / 2
        for side in (-0.25, 0.25):
            slash = middle + side * size
            canvas.mark(
                "axis",
                slash - 0.25 * size,
                bottom + 0.5 * size,
                x2=round(slash + 0.25 * size, 2),
                y2=round(bottom - 0.5 * size, 2),
            )
        canvas.mark("boundary", middle, top, x2=round(middle, 2), y2=round(bottom - 0.6 * size, 2))
        canvas.mark("middle", middle, bottom + 1.9 * size, text=f"// {duration(end - start)}")
    canvas.mark("axis", x, bottom, x2=scale.right, y2=round(bottom, 2))
    labels: set[str] = set()
    for tick in scale.ticks(5.5 * size):
        at = scale.at(tick)
        if duration(tick) in labels:  # seconds late in a long session, which two units do not tell apart
            continue
        labels.add(duration(tick))
        canvas.mark("axis", at, bottom, x2=round(at, 2), y2=round(bottom + 0.35 * size, 2))
        canvas.mark("middle", at, bottom + 0.9 * size, text=duration(tick) if tick else "0")
