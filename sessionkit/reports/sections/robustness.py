"""Could this be wrong: missing judgments, other discounts, a larger study, and discounts that a reader changes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

import polars as pl

from sessionkit.charts import rating_scatter, sweep_map
from sessionkit.display.numbers import SHARES, capital, counted, level_text, listed, points_text, share_text, statistic
from sessionkit.display.statements import Statement
from sessionkit.display.tables import table_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.choices import NAMED
from sessionkit.reports.extras import further
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.figures.robustness import SWEPT, of_missing_judgments
from sessionkit.reports.live.widget import LiveCounts, Varied, counts_of, sessions_of, widget
from sessionkit.reports.parts import Heading, Part, Words
from sessionkit.reports.report_data import LARGE, Material, StudyQuestion, ask
from sessionkit.reports.sample import only
from sessionkit.reports.sections.section_kind import section
from sessionkit.robustness.bounds import COMPLETE, Incompleteness
from sessionkit.robustness.missing_judgments import PAIR, Bounds, Candidate, Estimate, MissingJudgments, scored_ways
from sessionkit.robustness.sweep import everywhere_text
from sessionkit.robustness.sweep_tables import Sweep
from sessionkit.scoring.measures.describe import measure_interval_text, value_text
from sessionkit.statistics.bands import EVERYONE, with_groups
from sessionkit.statistics.correlate import correlate
from sessionkit.statistics.paper_tables import PAIR_NAME
from sessionkit.statistics.session_values import every_session

EXPLAINED, MOVED = "Could missing judgments explain it?", "How far could missing judgments move it?"
"""What is asked of a difference, and of means."""


@section("judgments", "Incomplete judgments")
def judgments(of: Material) -> list[Part]:
    """Judged share by rank and query position, bounds of scores and of differences, judged share against score."""
    return [*_parts(of), *_share_against_score(of), *further(of, "judgments")]


@section("sensitivity", "Other discounts")
def sensitivity(of: Material) -> list[Part]:
    """The map of where the conclusion holds, the reading of the sweep, the nearest setting that overturns it."""
    if of.unjudged is not None or of.study.facts.sessions == 1:
        return []
    found = of.swept
    if isinstance(found, str):
        if set(of.choices.colors) == {EVERYONE}:
            found = "the log names no system, so there is no conclusion that could depend on the discounts"
        return [Words((f"Not swept: {of.redaction.note(found)}.",))]
    if found.table["outcome"].is_in(["undefined", "refused"]).all():
        return [of.told(found.statements)]  # no group leads anywhere
    drawn = swept_figure(of)
    parts: list[Part] = [*([] if drawn is None else [drawn]), of.told(found.statements)]
    if len(found.nearest):
        nearest = found.nearest.select(*NEAREST)
        parts.append(table_of("Nearest settings that overturn a conclusion", nearest, headers=NEAREST, decimals=4))
    return parts


def counts_by_gain(of: Material) -> StudyQuestion[LiveCounts]:
    """How many results of each group gain the same."""
    return ask(counts_of, of.study, Varied.of(of.choices), of.choices.by)


@section("discounts", "Live discounts", of_all=[counts_by_gain])
def discounts(of: Material) -> list[Part]:
    """Sliders for b and bq and a choice of gain, with the means and curves that follow."""
    varied, by, everyone = Varied.of(of.choices), of.choices.by, of.study.facts.sessions
    if of.unjudged is not None:
        return []
    counts = counts_by_gain(of).answer()
    if everyone and not counts.groups["n"].sum():
        return [Words((f"{varied.total} has no value in any session.",))]
    if len(counts.cells) > RESULTS or not everyone:
        why = "The lists are too long and varied for this page to hold what it would have to count."
        return [Words((why,))]
    ids = of.drawn(SESSIONS).with_row_index("nth")
    size = pl.col("rank").le(varied.total.cutoff).sum().cast(pl.Int64)
    sizes = only(of.shown, ids).results.group_by("session_id").agg(size).collect()
    reach = ids.join(sizes, on="session_id", how="left").sort("nth").with_columns(pl.col("rank").fill_null(0).cum_sum())
    held = reach.filter(pl.col("rank") <= RESULTS).select("session_id")
    sessions = sessions_of(only(of.shown, held), varied, by)
    told = [
        f"Move b and bq, or choose another gain, and the page works out {varied.total} and {varied.share} anew: a small b "
        "is a searcher who soon stops reading a list, a small bq one who seldom asks again. Ideals change with them.",
        *([varied.told] if varied.told else []),
    ]
    if len(held) < everyone:
        told.append(
            f"Means of {varied.total.name} and the curves are of all {everyone:,} sessions; means and curves of {varied.share.name} "
            f"here are of {len(held):,}, drawn at random with a fixed seed, so that the page stays small."
        )
    look = of.colored
    made = widget(varied, counts, sessions, look.colors, legend=look.legend, synthetic=look.synthetic)
    return [Words(tuple(told)), made]


@section("robustness", "Could this be wrong?", details=(judgments, sensitivity, discounts))
def robustness(of: Material) -> list[Part]:
    """Whether missing judgments could explain what was found, and whether other discounts change it."""
    if of.valueless is not None:
        return []
    parts = _missing_judgments(of)
    answers = swept_words(of)
    return [*parts, Heading("Would other discounts change it?"), Words(tuple(answers))] if answers else parts


def _missing_judgments(of: Material) -> list[Part]:
    """The forest of the primary difference, or of means, below what it says."""
    if of.large:
        left_out = f"What missing judgments could change is not computed for more than {LARGE:,} sessions."
        return [Heading(EXPLAINED), Words((left_out,))]
    if not of.study.facts.judgments:  # values are 0 because the measure counts what is unjudged as 0
        unknown = f"The study has no judgments, so what they could change in {of.primary} is not known."
        return [Heading(EXPLAINED), Words((unknown,))]
    missing = of.missing_judgments
    if missing is None:
        return []
    words = Words(tuple(of.redaction.note(paragraph) for paragraph in explain(missing, of.incompleteness)))
    try:
        drawn = [of_missing_judgments(missing, of.choices)]
    except UsageError:  # every result is judged
        drawn = []
    return [Heading(EXPLAINED if missing.pair else MOVED), words, *drawn]


def explain(missing: MissingJudgments, limits: Incompleteness | Exception) -> list[str]:
    """Return whether missing judgments could explain a difference, or move means, in a paragraph or two.

    Parameters
    ----------
    missing
        What missing judgments could make of it.
    limits
        Bounds of all measures that are reported: of a sum it is known how many documents reverse a difference.
    """
    if missing.is_complete:
        return [
            f"Every result shown{_depth(missing)} is judged, so no missing judgment could change {missing.measure}."
        ]
    if missing.difference is None:
        return [" ".join([_means(missing), *_reversed_pairs(missing, limits)]), _judged_shares_text(missing, limits)]
    first = [_intervals(missing, missing.difference), _bounds_of_difference(missing, missing.difference.bounds)]
    return [" ".join(first), " ".join([_judged_shares_text(missing, limits), *_reversal(missing, limits)])]


def _intervals(missing: MissingJudgments, difference: Candidate) -> str:
    """Whether the interval of the difference excludes 0, however unjudged results count."""
    scored, skipped = difference.scored, difference.skipped
    if scored is None:
        return f"No difference of {missing.measure} was estimated."
    adjusted = f", {missing.adjustment}," if missing.adjustment else ""
    numbers = (
        f"the difference {difference.name} in {missing.measure}{adjusted} is {_estimate(scored, missing)} as scored"
    )
    if skipped is None:
        return f"{capital(numbers)}; {missing.measure} cannot skip unjudged results."
    numbers += f" and {_estimate(skipped, missing)} with unjudged results skipped"
    if missing.why_not_tested:
        return f"{missing.why_not_tested}. For orientation: {numbers}."
    if not scored.excludes_zero and not skipped.excludes_zero:
        return f"No difference is shown either way: {numbers}; both intervals include 0."
    if scored.excludes_zero and skipped.excludes_zero and (scored.value > 0) == (skipped.value > 0):
        return f"Skipping unjudged results does not remove the difference: {numbers}; both intervals exclude 0."
    excluding = "as scored" if scored.excludes_zero else "with unjudged results skipped"
    if scored.excludes_zero and skipped.excludes_zero:
        return f"They could: {numbers}; the two intervals lie on different sides of 0."
    return f"The finding depends on how unjudged results count: {numbers}; only the interval {excluding} excludes 0."


def _bounds_of_difference(missing: MissingJudgments, bounds: Bounds | None) -> str:
    """Within which bounds the raw difference lies, and what that leaves possible."""
    if bounds is None:
        return f"There are no bounds: {missing.why_no_bounds or 'the raw difference is not defined'}."
    between = f"Whatever grades the unjudged documents have, the raw difference lies between {_ends(bounds, missing)}"
    if bounds.sign_holds:
        return f"{between}, so they cannot reverse its sign."
    return f"{between}, so its sign could turn."


def _ends(bounds: Bounds, missing: MissingJudgments) -> str:
    """Both bounds, and that they are no interval."""
    lower, upper = (value_text(missing.measure, end) for end in (bounds.lower, bounds.upper))
    return f"{lower} and {upper} (bounds, not a confidence interval)"


def _reversal(missing: MissingJudgments, limits: Incompleteness | Exception) -> list[str]:
    """How many unjudged documents would reverse the raw difference, by the measure or else by a sum that is reported too."""
    if missing.pair is None or isinstance(limits, Exception):
        return []
    rows = limits.differences.filter(a=missing.pair[0], b=missing.pair[1]).drop_nulls("overturned_by")
    counts = {
        measure: f"{n_documents:,} of {counted(n_open, 'unjudged document')}, all of the best grade"
        for measure, n_documents, n_open in rows.select("measure", "overturned_by", "open_documents").rows()
    }
    if missing.measure in counts:
        return [f"{counts[missing.measure]}, would reverse the raw difference."]
    return [
        f"How many would reverse {missing.measure} is not known, as each also changes the ideal; {documents}, would reverse "
        f"the raw difference in {measure}."
        for measure, documents in islice(counts.items(), 1)
    ]


def _means(missing: MissingJudgments) -> str:
    """How far the mean of each group could move."""
    moved = [candidate for candidate in missing.candidates if candidate.scored is not None]
    if len(moved) <= len(PAIR):
        return " ".join(_mean(missing, candidate) for candidate in moved)
    reach = [bounds.upper - bounds.lower for bounds in (one.bounds for one in moved) if bounds is not None]
    skips = [abs(one.skipped.value - one.scored.value) for one in moved if one.skipped and one.scored]
    texts = []
    if skips:
        moves = f"skipping unjudged results moves no group's mean of {missing.measure}"
        texts.append(f"{moves} by more than {value_text(missing.measure, max(skips))}")
    if reach:
        texts.append(
            f"no group's bounds are farther apart than {value_text(missing.measure, max(reach))} (bounds are not confidence intervals)"
        )
    return (
        f"{capital('; '.join(texts))}." if texts else f"How far the means of {missing.measure} could move is not known."
    )


def _reversed_pairs(missing: MissingJudgments, limits: Incompleteness | Exception) -> list[str]:
    """How many pairs of raw means unjudged documents could put into another order."""
    if isinstance(limits, Exception):
        return []
    sign_holds = limits.differences.filter(measure=missing.measure)["holds"].drop_nulls()
    if sign_holds.is_empty():
        return []
    turned = f"{int((~sign_holds).sum()):,} of {counted(len(sign_holds), 'pair')}"
    return [f"Unjudged documents could reverse the order of the raw means of {turned}."]


def _mean(missing: MissingJudgments, candidate: Candidate) -> str:
    """How far the mean of one group could move."""
    whose = "" if candidate.name == EVERYONE else f" of {candidate.name}"
    texts = [f"{_estimate(candidate.scored, missing)} as scored"] if candidate.scored else []
    texts += [f"{_estimate(candidate.skipped, missing)} with unjudged results skipped"] if candidate.skipped else []
    told = f"The mean{whose} in {missing.measure} is {listed(texts)}"
    if candidate.bounds is None:
        return f"{told}; there are no bounds{f': {missing.why_no_bounds}' if missing.why_no_bounds else ''}."
    return f"{told}; whatever grades the unjudged documents have, it lies between {_ends(candidate.bounds, missing)}."


def _judged_shares_text(missing: MissingJudgments, limits: Incompleteness | Exception) -> str:
    """What share of results is judged, by group, with the interval of its difference; as means over sessions, and of all results."""
    shares = missing.shares
    lead = f"The judged share of results shown{_depth(missing)}, averaged over sessions, is"
    pooled = _pooled(missing, limits)
    if len(shares) > NAMED:
        least, most = (pick(shares, key=lambda group: shares[group].value) for pick in (min, max))
        return f"{lead} between {share_text(shares[least].value)} ({least}) and {share_text(shares[most].value)} ({most}){pooled}."
    whose = [
        share_text(share.value) if group == EVERYONE else f"{share_text(share.value)} with {group}"
        for group, share in shares.items()
    ]
    judged = missing.difference and missing.difference.judged
    if not judged:
        return f"{lead} {listed(whose)}{pooled}."
    adjusted = f", {missing.adjustment}," if missing.adjustment else ""
    number = f"{points_text(judged.value)} percentage points"
    ends = (
        "" if judged.low is None or judged.high is None else f"{points_text(judged.low)} to {points_text(judged.high)}"
    )
    difference = _with_interval(number, ends, judged, missing)
    return f"{lead} {listed(whose)}{pooled}; the difference of the averages{adjusted} is {difference}."


def _pooled(missing: MissingJudgments, limits: Incompleteness | Exception) -> str:
    """The judged shares of all results together, as other parts of the page have them; empty where they are not known."""
    if isinstance(limits, Exception):
        return ""
    by_rank = with_groups(limits.judged, [] if limits.by is None else [limits.by]).filter(
        pl.col("query_position").is_null() & (pl.col("rank") <= (missing.depth or pl.col("rank").max()))
    )
    totals = by_rank.group_by("group").agg(share=pl.col("judged").sum() / pl.col("results").sum())
    shares = dict(totals.select("group", "share").rows())
    if set(shares) != set(missing.shares):
        return ""
    texts = [share_text(shares[group]) for group in missing.shares]
    if len(shares) > NAMED:
        texts = [f"{share_text(min(shares.values()))} to {share_text(max(shares.values()))}"]
    if texts == [share_text(share.value) for share in missing.shares.values()]:
        return ""
    return f" (of all results together: {listed(texts)})"


def _estimate(estimate: Estimate, missing: MissingJudgments) -> str:
    """An estimate with its interval and n."""
    measure, ends = missing.measure, ""
    if estimate.low is not None and estimate.high is not None:
        ends = measure_interval_text(measure, estimate.low, estimate.high, of_difference=missing.pair is not None)
    return _with_interval(value_text(measure, estimate.value), ends, estimate, missing)


def _with_interval(number: str, ends: str, estimate: Estimate, missing: MissingJudgments) -> str:
    interval = f"{level_text(1 - missing.confidence)} CI {ends}, " if ends else ""
    return f"{number} ({interval}n = {counted(estimate.n, missing.unit)})"


def _depth(missing: MissingJudgments) -> str:
    """Down to which rank results count in judged shares."""
    return "" if missing.depth is None else f" within rank {missing.depth}"


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
    "pair": "Pair",
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


IN_WORDS = ("sessions", "judged_share", "lowest_judged_share", "complete", "unjudged", "not_compared", "no_bounds")
"""Kinds of statements of bounds that a page has as words; the others are its tables."""


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
    parts: list[Part] = [of.told(found.of_kind(*IN_WORDS))]
    if (found.judged["share"] == 1).all():
        return parts  # the words say that there is nothing to bound
    scores = with_groups(found.bounds, [of.by]).select("group", pl.exclude("group", of.by, "open", "moving"))
    differences = found.differences.select("measure", PAIR_NAME, pl.exclude("measure", "a", "b"))
    for caption, frame, note in (
        ("Bounds of mean scores (not confidence intervals)", scores, BOUND),
        ("Bounds of differences (not confidence intervals)", differences, BOUND),
    ):
        parts += _table(of, caption, frame, note)
    return parts + _judged_share_tables(of, with_groups(found.judged, [of.by]))


def _without_bounds(of: Material, why: Exception) -> list[Part]:
    """The judged share, for which nothing need be known of grades; and why there is no more."""
    reason = Words((f"Bounds were not worked out: {of.redaction.note(str(why))}.",))
    if of.judged is None:
        return [reason]
    judged, statements = of.judged
    if (judged["share"] == 1).all():  # what measures lack for bounds is then not missed
        return [of.told(statements), Words((COMPLETE.text,)), *([] if isinstance(why, MeasureError) else [reason])]
    parts: list[Part] = [of.told(statements), reason]
    return parts + _judged_share_tables(of, judged)


def _judged_share_tables(of: Material, judged: pl.DataFrame) -> list[Part]:
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
    """A table of bounds or judged shares, of what is known; nothing where there are no rows."""
    shown = frame.select(column for column in frame if column.null_count() < len(column)) if len(frame) else frame
    if not len(shown):
        return []
    redacted = of.redaction.frame(shown, of.study)
    return [
        table_of(
            caption,
            redacted,
            headers=HEADINGS,
            note=note,
            decimals=4,
            shares=[*SHARES, *shares],
            way_to_all="sessionkit bounds gives them",
        )
    ]


NEAREST = {
    "conclusion": "Conclusion",
    "changes": "Parameters changed",
    "distance": "Distance",
    "at": "Setting",
    "leader": "Leader there",
    "raw_difference": "Difference",
    "p_adjusted": "p",
    "still_at": "Still holds at",
}


def swept_figure(of: Material) -> Figure | None:
    """The map of where the conclusion holds; None where nothing was swept."""
    found = of.swept
    if isinstance(found, str) or found.table["outcome"].is_in(["undefined", "refused"]).all():
        return None
    colors = of.colored.colors if found.by == of.choices.by else None
    chart = sweep_map(without_condition(found), colors=colors, synthetic=of.choices.synthetic, title=SWEPT)
    none = f"; none is tested, with more than {LARGE:,} sessions" if of.large else " and tested alone"
    caption = (
        f"The bases of both discounts of {found.measure} are varied, all else as it is; every setting is scored{none}."
    )
    return Figure("sweep-map", SWEPT, chart, caption)


def swept_words(of: Material) -> list[str]:
    """Whether what was found depends on the discounts, in a sentence for each conclusion."""
    found = of.swept
    if isinstance(found, str):
        if of.comparison is not None or of.study.facts.sessions == 1:
            return []
        why = "the log names no system" if set(of.choices.colors) == {EVERYONE} else "the groups are not compared"
        return [f"Other discounts were not tried, since {why}."]
    means = found.means.drop_nulls("value")["value"]
    if len(found.groups) == 1 and len(means):
        low, high = (value_text(found.measure, float(end)) for end in (means.min(), means.max()))  # type: ignore[arg-type]
        return [
            f"Under other discounts (b and bq of {found.measure}) the mean runs from {low} to {high} in {counted(len(means), 'setting')}."
        ]
    conclusions = [_conclusion_text(found, statement) for statement in found.of_kind("conclusion")]
    if not conclusions:
        return []
    first, *others = conclusions
    said = " ".join([first[:1].lower() + first[1:], *others])
    differs = "" if found.measure == str(of.primary) else f"{of.primary} does not have both discounts. "
    return [of.redaction.note(f"{differs}Under other discounts (b and bq of {found.measure}): {said}")]


def _conclusion_text(swept: Sweep, statement: Statement) -> str:
    """Where a conclusion holds, more briefly than in the reading where it holds everywhere."""
    values = statement.values
    if values["holds"] != values["known"]:
        return statement.text
    (region,) = swept.regions.filter(conclusion=values["conclusion"]).rows(named=True)
    return f"{everywhere_text(region['statement'], region['known'], region['settings'])}."


SESSIONS = 1_000
"""Sessions that the page holds for the mean of nsDCG, at most."""
RESULTS = 60_000
"""Results that can gain that it holds of them, at most, and places of groups."""
