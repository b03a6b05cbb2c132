"""The panel of one session in time: queries, clicks and dwell along an axis that leaves long gaps out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from sessionkit.charts.canvas import Canvas, cut, text_width
from sessionkit.display.labels import named

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
