"""Could this be wrong: what missing judgments or other discounts could make of what was found."""

from __future__ import annotations

from itertools import islice

import polars as pl

from sessionkit.analysis.groups import EVERYONE, with_groups
from sessionkit.analysis.incomplete.finding import Incompleteness
from sessionkit.analysis.incomplete.missing_judgments import PAIR, Bounds, Candidate, Estimate, MissingJudgments
from sessionkit.analysis.phrases import level_text
from sessionkit.display.numbers import points_text, share_text
from sessionkit.display.words import capital, counted, listed
from sessionkit.errors import UsageError
from sessionkit.reports.figures.robustness import of_missing_judgments
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Heading, Part, Words
from sessionkit.reports.phrases import NAMED
from sessionkit.reports.sections.discounts import discounts
from sessionkit.reports.sections.judgments import judgments
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.sensitivity import sensitivity, swept_words
from sessionkit.scoring.measures.words import interval_text, value_text

EXPLAINED, MOVED = "Could missing judgments explain it?", "How far could missing judgments move it?"
"""What is asked of a difference, and of means."""


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
        return [" ".join([_means(missing), *_reversed_pairs(missing, limits)]), _shares(missing, limits)]
    first = [_intervals(missing, missing.difference), _bounds_of_difference(missing, missing.difference.bounds)]
    return [" ".join(first), " ".join([_shares(missing, limits), *_reversal(missing, limits)])]


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


def _shares(missing: MissingJudgments, limits: Incompleteness | Exception) -> str:
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
        ends = interval_text(measure, estimate.low, estimate.high, of_difference=missing.pair is not None)
    return _with_interval(value_text(measure, estimate.value), ends, estimate, missing)


def _with_interval(number: str, ends: str, estimate: Estimate, missing: MissingJudgments) -> str:
    interval = f"{level_text(1 - missing.confidence)} CI {ends}, " if ends else ""
    return f"{number} ({interval}n = {counted(estimate.n, missing.unit)})"


def _depth(missing: MissingJudgments) -> str:
    """Down to which rank results count in judged shares."""
    return "" if missing.depth is None else f" within rank {missing.depth}"
