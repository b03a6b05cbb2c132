"""Incomplete judgments: how much of what was seen is judged, and how far scores could move if the rest were."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import polars as pl

from sessionkit.analysis.compare.session_values import every_session
from sessionkit.analysis.correlate.correlate import correlate
from sessionkit.analysis.groups import with_groups
from sessionkit.analysis.incomplete.messages import ALL
from sessionkit.analysis.incomplete.missing_judgments import scored_ways
from sessionkit.charts import rating_scatter
from sessionkit.display.numbers import SHARES, statistic
from sessionkit.display.tables import table_of
from sessionkit.display.words import counted
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.extras.registry import further
from sessionkit.reports.figures.figure import Figure
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

SCATTER, SHARE = "Judged share and score of each session", "Judged share in percent"
DRAWS = 1_000
"""Draws of users behind the interval of a correlation."""
BOUND = "Attained: some grades of the unjudged documents make it come true; safe: no grades go beyond it, and it may be wide."


@section("judgments", "Incomplete judgments")
def judgments(of: Material) -> list[Part]:
    """Judged share by rank and query position, bounds of scores and of differences, judged share against score."""
    return [*_parts(of), *_share_against_score(of), *further(of, "judgments")]


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
    in_tables = (*(f"{measure}{mark} " for measure in of.measures for mark in ",:"), "The other ", "These results hold")
    parts: list[Part] = [
        of.told("\n".join(line for line in found.reading.split("\n") if not line.startswith(in_tables)))
    ]
    if (found.judged["share"] == 1).all():
        return parts  # the words say that there is nothing to bound
    scores = with_groups(found.bounds, [of.by]).select("group", pl.exclude("group", of.by, "open", "moving"))
    for caption, frame, note in (
        ("Bounds of mean scores (not confidence intervals)", scores, BOUND),
        ("Bounds of differences (not confidence intervals)", found.differences, BOUND),
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


def _share_against_score(of: Material) -> list[Part]:
    """The judged share of each session against its score, and why their correlation proves no bias."""
    missing = of.missing_judgments
    if missing is None or missing.is_complete:
        return []
    ways = scored_ways(of.primary)
    scored, *skipped, judged = ways
    try:
        found = correlate(of.study, [scored, *skipped], judged, coefficients="pearson", draws=DRAWS, memory=of.memory)
        sessions = every_session(of.study, ways, of.compared_by, of.memory)
        shares = pl.Series(sessions.values[:, -1]).fill_nan(None)
        scores = pl.Series(str(scored), sessions.values[:, 0]).fill_nan(None)
        # each session at the nearest 10%, so that circles can be counted
        tenths = (10 * (shares * 10).round()).alias(SHARE)
        chart = rating_scatter(
            pl.DataFrame([tenths, scores]), SHARE, measure=str(scored), synthetic=of.choices.synthetic, title=SCATTER
        )
    except (DataError, UsageError):  # such as a judged share that all sessions have
        return []
    coefficients = [_coefficient(row) for row in found.table.drop_nulls("value").iter_rows(named=True)]
    if not coefficients:
        return []
    skipping = f", and with {coefficients[1]} with unjudged results skipped" if len(coefficients) > 1 else ""
    told = (
        f"The judged share of sessions correlates with {scored} as scored with {coefficients[0]}{skipping}. Such a correlation proves no "
        "bias: judges judge what searches find, so a session that finds more relevant documents also shows more judged ones."
    )
    caption = (
        f"Sessions by judged share, to the nearest 10%, and {scored}. The larger a circle, the more sessions; lines: means of "
        "judged shares that at least two sessions have."
    )
    return [of.paragraph(told), Figure("rating-scatter", SCATTER, chart, caption)]


def _coefficient(row: dict[str, Any]) -> str:
    """A correlation with its interval and n."""
    value, low, high = (
        None if row[name] is None else statistic(row[name], is_share=True) for name in ("value", "low", "high")
    )
    ends = "" if low is None or high is None else f"95% CI {low} to {high}, "
    return f"r = {value} ({ends}n = {counted(row['n'], 'session')})"


def _table(
    of: Material, caption: str, frame: pl.DataFrame, note: str | None = None, shares: Collection[str] = ()
) -> list[Part]:
    """A table of what is known; nothing where there are no rows."""
    shown = frame.select(column for column in frame if column.null_count() < len(column)) if len(frame) else frame
    if not len(shown):
        return []
    redacted = of.redaction.frame(shown, of.study)
    return [table_of(caption, redacted, headers=HEADINGS, note=note, decimals=4, shares=[*SHARES, *shares])]
