"""Incomplete judgments: how much of what was seen is judged, and how far scores could move if the rest were."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.groups import with_groups
from sessionkit.analysis.incomplete.messages import ALL
from sessionkit.display.tables import table_of
from sessionkit.errors import MeasureError
from sessionkit.reports.extras.registry import further
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.section_kind import section

HEADINGS = {
    "group": "Group",
    "measure": "Measure",
    "value": "Score",
    "lower": "At least",
    "upper": "At most",
    "residual": "Open",
    "bound": "Bound",
    "note": "Why none",
    "undefined": "Undefined",
    "a": "First",
    "b": "Second",
    "difference": "Difference",
    "holds": "Sign certain",
    "needed": "To judge, at least",
    "overturned_by": "Reversed by, at least",
    "open_documents": "Unjudged",
    "query_position": "Query position",
    "rank": "Rank",
}

BOUND = "Attained: some grades of the unjudged documents make it come true; safe: no grades go beyond it, and it may be wide."


@section("judgments", "Incomplete judgments")
def judgments(of: Material) -> list[Part]:
    """Judged share by rank and query position, bounds of scores and of differences."""
    return [*_parts(of), *further(of, "judgments")]


def _parts(of: Material) -> list[Part]:
    """What is known of the unjudged results."""
    if not of.study.facts.judgments:
        return []
    if of.large:
        words = "sessionkit bounds says how much is judged by rank, and how far scores could move."
        return [Words((f"Not worked out for more than {LARGE:,} sessions: {words}",))]
    found = of.incompleteness
    if isinstance(found, Exception):
        return _without_bounds(of, found)
    texts = tuple(f"{measure}" for measure in of.measures)
    told = [line for line in found.reading.split("\n") if not line.startswith(tuple(f"{text}, " for text in texts))]
    parts: list[Part] = [of.told("\n".join(told))]
    if (found.judged["share"] == 1).all():
        return parts  # the words say that there is nothing to bound
    scores = with_groups(found.bounds, [of.by]).select("group", pl.exclude("group", of.by, "open", "moving"))
    for caption, frame, decimals, note in (
        ("Scores whatever the unjudged results are", scores, 4, BOUND),
        ("Differences whatever the unjudged results are", found.differences, 4, BOUND),
        *_shares(with_groups(found.judged, [of.by])),
    ):
        parts += _table(of, caption, frame, decimals, note)
    return parts


def _without_bounds(of: Material, why: Exception) -> list[Part]:
    """The judged share, for which nothing need be known of grades; and why there is no more."""
    reason = Words((f"Bounds were not worked out: {of.redaction.note(str(why))}.",))
    if of.judged is None:
        return [reason]
    judged, reading = of.judged
    if (judged["share"] == 1).all():  # what measures lack for bounds is then not missed
        return [of.told(f"{reading}\n{ALL}"), *([] if isinstance(why, MeasureError) else [reason])]
    parts: list[Part] = [of.told(reading), reason]
    for caption, frame, decimals, note in _shares(judged):
        parts += _table(of, caption, frame, decimals, note)
    return parts


def _shares(judged: pl.DataFrame) -> list[tuple[str, pl.DataFrame, int, str | None]]:
    """The judged share by rank and by query position: caption, table, decimals, note."""
    return [
        ("Judged share by rank, %", _by(judged, "rank", "query_position"), 1, None),
        ("Judged share by query position, %", _by(judged, "query_position", "rank"), 1, None),
    ]


def _table(of: Material, caption: str, frame: pl.DataFrame, decimals: int, note: str | None) -> list[Part]:
    """A table of what is known; nothing where there are no rows."""
    shown = frame.select(column for column in frame if column.null_count() < len(column)) if len(frame) else frame
    if not len(shown):
        return []
    return [table_of(caption, of.redaction.frame(shown, of.study), headers=HEADINGS, note=note, decimals=decimals)]


def _by(judged: pl.DataFrame, place: str, other: str) -> pl.DataFrame:
    """The judged share of every group, in percent, by a place in the list or the session."""
    rows = judged.filter(pl.col(place).is_not_null(), pl.col(other).is_null())
    wide = rows.pivot(on="group", index=place, values="share").sort(place)
    return wide.with_columns(pl.exclude(place) * 100)
