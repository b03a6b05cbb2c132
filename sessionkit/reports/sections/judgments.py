"""Incomplete judgments: how much of what was seen is judged, and how far scores could move if the rest were."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from sessionkit.analysis.groups import with_groups
from sessionkit.analysis.incomplete.messages import ALL
from sessionkit.display.numbers import SHARES
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
        return [
            Words((f"Judged shares by rank and bounds of scores are not computed for more than {LARGE:,} sessions.",))
        ]
    found = of.incompleteness
    if isinstance(found, Exception):
        return _without_bounds(of, found)
    texts = tuple(f"{measure}" for measure in of.measures)
    told = [line for line in found.reading.split("\n") if not line.startswith(tuple(f"{text}, " for text in texts))]
    parts: list[Part] = [of.told("\n".join(told))]
    if (found.judged["share"] == 1).all():
        return parts  # the words say that there is nothing to bound
    scores = with_groups(found.bounds, [of.by]).select("group", pl.exclude("group", of.by, "open", "moving"))
    for caption, frame, note in (
        ("Scores whatever the unjudged results are", scores, BOUND),
        ("Differences whatever the unjudged results are", found.differences, BOUND),
    ):
        parts += _table(of, caption, frame, note)
    return parts + _shares(of, with_groups(found.judged, [of.by]))


def _without_bounds(of: Material, why: Exception) -> list[Part]:
    """The judged share, for which nothing need be known of grades; and why there is no more."""
    reason = Words((f"Bounds were not worked out: {of.redaction.note(str(why))}.",))
    if of.judged is None:
        return [reason]
    judged, reading = of.judged
    if (judged["share"] == 1).all():  # what measures lack for bounds is then not missed
        return [of.told(f"{reading}\n{ALL}"), *([] if isinstance(why, MeasureError) else [reason])]
    parts: list[Part] = [of.told(reading), reason]
    return parts + _shares(of, judged)


def _shares(of: Material, judged: pl.DataFrame) -> list[Part]:
    """The judged share by rank and by query position."""
    parts: list[Part] = []
    for words, place, other in (("rank", "rank", "query_position"), ("query position", "query_position", "rank")):
        rows = judged.filter(pl.col(place).is_not_null(), pl.col(other).is_null())
        wide = rows.pivot(on="group", index=place, values="share").sort(place)
        parts += _table(of, f"Judged share by {words}", wide, shares=wide.columns)
    return parts


def _table(
    of: Material, caption: str, frame: pl.DataFrame, note: str | None = None, shares: Collection[str] = ()
) -> list[Part]:
    """A table of what is known; nothing where there are no rows."""
    shown = frame.select(column for column in frame if column.null_count() < len(column)) if len(frame) else frame
    if not len(shown):
        return []
    redacted = of.redaction.frame(shown, of.study)
    return [table_of(caption, redacted, headers=HEADINGS, note=note, decimals=4, shares=[*SHARES, *shares])]
