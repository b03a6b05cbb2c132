"""Could missing judgments explain a difference: as scored, with unjudged results skipped, and its bounds, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import polars as pl

from sessionkit.display.labels import natural_sort
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.robustness.bounds import Incompleteness, bounds
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.behavior import Judged
from sessionkit.statistics.bands import EVERYONE, units_of, with_groups
from sessionkit.statistics.compare import compare
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.comparison_statements import adjustment_text
from sessionkit.statistics.session_values import UNNAMED, every_session, means_of_groups
from sessionkit.study import Study

ALPHA = 0.05
"""Error rate of the intervals of means."""
PAIR = "ab"
"""The columns of the two groups of a difference."""


class Estimate(NamedTuple):
    """A mean, or a difference of means, with its confidence interval (null ends: not known) and its number of units."""

    value: float
    low: float | None
    high: float | None
    n: int

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


class Bounds(NamedTuple):
    """What a raw mean, or difference of raw means, is at least and at most, whatever the unjudged documents are: no interval.

    ``is_safe``: it cannot leave them, but may not reach them. ``reversed_by``: the fewest of ``open_documents`` unjudged
    documents that reverse the sign of a difference if all of them have the best grade; None where none can, or that is unknown.
    """

    lower: float
    upper: float
    is_safe: bool
    sign_holds: bool | None = None
    reversed_by: int | None = None
    open_documents: int | None = None


@dataclass(frozen=True)
class Candidate:
    """One row, or block of rows, of a forest: the difference of two groups, b minus a, or the mean of one group.

    Parameters
    ----------
    name
        Both groups with a minus sign between them, b first, or one group.
    scored
        As scored: unjudged results gain nothing.
    skipped
        With unjudged results removed before the cutoff; None where the measure has no such parameter.
    bounds
        None where there are none.
    judged
        The judged share per session, or its difference.
    """

    name: str
    scored: Estimate | None
    skipped: Estimate | None
    bounds: Bounds | None
    judged: Estimate | None


@dataclass(frozen=True, eq=False)
class MissingJudgments:
    """What missing judgments could make of a difference, or of means; made by `missing_judgments`.

    Parameters
    ----------
    measure, skipping
        The measure as scored, and with unjudged results skipped (None: it has no such parameter).
    depth
        Ranks of each list down to which results count in judged shares; None, all.
    unit
        What ``n`` counts: ``"user"``, ``"topic"`` or ``"session"``.
    pair
        The two groups, a and b, whose difference ``candidates`` has; None where they are means of groups.
    candidates
        One difference, or the mean of every group in natural order.
    shares
        The judged share of every group: the mean over its sessions, with its interval.
    why_not_tested
        Why no verdict may be given on the pair; empty where one may, or there is no pair.
    why_no_bounds
        Why there are none; empty where there are.
    confidence
        Of every interval, each for itself.
    adjustment
        What the difference is adjusted for; empty where it is that of the raw means.
    """

    measure: str
    skipping: str | None
    depth: int | None
    unit: str
    pair: tuple[str, str] | None
    candidates: tuple[Candidate, ...]
    shares: dict[str, Estimate]
    why_not_tested: str = ""
    why_no_bounds: str = ""
    confidence: float = 1 - ALPHA
    adjustment: str = ""

    @property
    def difference(self) -> Candidate | None:
        """The difference of the two groups; None where there are only means."""
        return None if self.pair is None else self.candidates[0]

    @property
    def is_complete(self) -> bool:
        """Whether every result shown is judged, so that nothing is missing."""
        return all(share.value == 1 for share in self.shares.values())


def scored_ways(measure: Measure) -> list[Measure]:
    """Return a measure, the same with unjudged results skipped (where it has that parameter), and the judged share.

    Examples
    --------
    >>> import sessionkit as sk
    >>> scored_ways(sk.mean(sk.nDCG @ 10))
    [mean(nDCG@10), mean(nDCG(unjudged=skip)@10), Judged@10]
    """
    inner = measure.inner
    skipped = [measure.vary({"unjudged": "skip"})] if "unjudged" in inner.parameters() else []
    judged = Judged if inner.cutoff is None else Judged @ inner.cutoff
    return list(dict.fromkeys([measure, *skipped, judged(depth=inner.depth, queries=inner.queries)]))


def depends_on_judgments(measure: Measure) -> bool:
    """Whether missing judgments could explain a difference in a measure.

    They cannot in a measure of behavior, of the searchers' own grades, or of how much is judged.
    """
    inner = measure.inner
    return measure.grades == "judgments" and inner.bounds != "fixed" and inner.name != Judged.name


def missing_judgments(
    study: Study,
    measure: Measure,
    by: str = "system_id",
    *,
    found_bounds: Incompleteness | Exception | None = None,
    memory: str | int | None = None,
) -> MissingJudgments:
    """Set a difference as scored beside the same with unjudged results skipped, its bounds, and the judged shares.

    Of two groups that can be compared it is their difference, b minus a, by the test of their design; else the mean of each
    group. No subset of sessions is chosen by judged share, as that would select on the outcome.

    Parameters
    ----------
    study
        The study.
    measure
        A measure of sessions.
    by
        Column that makes the groups.
    found_bounds
        What `sessionkit.bounds` found of this measure by this column, or why it found nothing, if it was asked already.
    memory
        See `sessionkit.score`.

    Raises
    ------
    DataError, UsageError
        There are no judgments or no values; a column or option does not exist.

    Examples
    --------
    One of the two results that A shows is not judged: with it skipped A gains 1 at the first rank.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s", "s"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "a"], "topic_id": ["t", "t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}, max_grade=1,
    ... )
    >>> (candidate,) = missing_judgments(study, sk.sDCG @ 2).candidates
    >>> candidate.scored.value, candidate.skipped.value, candidate.bounds.upper, candidate.judged.value
    (0.5, 1.0, 1.5, 0.5)
    """
    ways = scored_ways(measure)
    limits = found_bounds or _bounds_or_reason(study, measure, by, memory)
    why = str(limits) if isinstance(limits, Exception) else measure.why_no_bounds() or ""
    try:
        comparison = compare(study, ways, by, correction="none", memory=memory)
    except (DataError, UsageError):
        sessions = every_session(study, ways, by, memory)
        population = units_of(study).name
        means = means_of_groups(sessions, population, ALPHA).rename({by: "group"})
        return _of_means(ways, limits, means, population, why)
    means = comparison.groups.rename({by: "group"})
    found = _of_means(ways, limits, means, comparison.population, why)
    return _of_pair(ways, limits, comparison, found) if len(set(means["group"])) == len(PAIR) else found


def _bounds_or_reason(
    study: Study, measure: Measure, by: str, memory: str | int | None
) -> Incompleteness | MeasureError:
    """The bounds of a measure, or why there are none, such as a grade scale whose top is not known."""
    try:
        return bounds(study, measure, by, wanted=0, memory=memory)
    except MeasureError as error:
        return error


def _of_pair(
    ways: Sequence[Measure], limits: Incompleteness | Exception, comparison: Comparison, means: MissingJudgments
) -> MissingJudgments:
    """The difference of two groups by each measure, each for itself."""
    texts = _texts(ways)
    rows = {row["measure"]: row for row in comparison.table.iter_rows(named=True)}
    first, second = (rows[texts[0]][side] for side in PAIR)

    def estimate(text: str | None) -> Estimate | None:
        """The difference by one of the measures."""
        row = rows.get(text or "")
        if row is None or row["estimate"] is None:
            return None
        return Estimate(row["estimate"], row["low"], row["high"], min(row["n_a"], row["n_b"]))

    scored, skipped, judged = map(estimate, texts)
    ends = None
    if isinstance(limits, Incompleteness):
        chosen = limits.differences.filter(measure=texts[0], a=first, b=second)
        ends = _bounds_of(chosen.row(0, named=True)) if len(chosen) else None
    reasons = comparison.no_verdict.filter(measure=texts[0])["why"].drop_nulls()
    return replace(
        means,
        pair=(first, second),
        candidates=(Candidate(f"{second} \u2212 {first}", scored, skipped, ends, judged),),
        why_not_tested=reasons.item(0) if len(reasons) else "",
        adjustment=adjustment_text(
            rows[texts[0]], comparison.population, has_adjusted_estimates=comparison.has_adjusted_estimates
        )
        if scored
        else "",
    )


def _of_means(
    ways: Sequence[Measure], limits: Incompleteness | Exception, means: pl.DataFrame, population: str, why: str
) -> MissingJudgments:
    """The mean of every ``group``, of a table as `Comparison.groups` is."""
    texts = _texts(ways)
    named = pl.col("group").cast(pl.String).replace(UNNAMED, EVERYONE)
    means = natural_sort(means.drop_nulls("mean").with_columns(named), "group")
    estimates = {
        (measure, group): Estimate(*numbers)
        for measure, group, *numbers in means.select("measure", "group", "mean", "low", "high", "units").rows()
    }
    limited = {}
    if isinstance(limits, Incompleteness):
        keys = [] if limits.by is None else [limits.by]
        rows = with_groups(limits.bounds, keys).filter(measure=texts[0]).iter_rows(named=True)
        limited = {row["group"]: _bounds_of(row) for row in rows}
    candidates = tuple(
        Candidate(
            group,
            estimates.get((texts[0], group)),
            estimates.get((texts[1] or "", group)),
            limited.get(group),
            estimates.get((texts[2], group)),
        )
        for group in means["group"].unique(maintain_order=True)
    )
    shares = {one.name: one.judged for one in candidates if one.judged is not None}
    return MissingJudgments(
        texts[0],
        texts[1],
        ways[0].inner.cutoff,
        population.removesuffix("s"),
        None,
        candidates,
        shares,
        why_no_bounds=why,
    )


def _texts(ways: Sequence[Measure]) -> tuple[str, str | None, str]:
    """The measure as scored, with unjudged results skipped if it can, and the judged share, as they are written."""
    scored, *skipped, judged = map(str, ways)
    return scored, skipped[0] if skipped else None, judged


def _bounds_of(row: dict[str, Any]) -> Bounds | None:
    """The bounds of a row of either table of bounds."""
    if row["lower"] is None:
        return None
    of_difference = (row.get(name) for name in ("holds", "overturned_by", "open_documents"))
    return Bounds(row["lower"], row["upper"], row["bound"] == "safe", *of_difference)
