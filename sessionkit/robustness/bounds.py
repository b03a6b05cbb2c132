"""What unjudged results could do to scores and differences: judged shares, bounds, and the reading of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import RowUnit
from sessionkit.display.numbers import counted, listed, share_text
from sessionkit.display.statements import Kind, Statement
from sessionkit.display.tables import TextTable
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.robustness.document_effects import DocumentEffects, MovesReduction
from sessionkit.robustness.normalized_bounds import adds_up, bound_of, movable, scale_top
from sessionkit.robustness.score_bounds import BoundsReduction
from sessionkit.robustness.unjudged import HELD, BatchRoom, JudgedShareReduction, Pool, PoolReduction, PoolTexts
from sessionkit.scoring.batch import GradedPairs
from sessionkit.scoring.execution import of_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.needs import columns_read, measure_of
from sessionkit.scoring.reduction import run
from sessionkit.statistics.bands import EVERYONE, UNKNOWN, Grouping, by_columns
from sessionkit.statistics.findings import MORE, SESSIONS, Finding, stated, traced
from sessionkit.statistics.paper_tables import by_words, chosen_columns, range_text
from sessionkit.study import Study
from sessionkit.study.batches import memory_budget
from sessionkit.study.numbering import PAIR
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

UNITS: tuple[RowUnit, ...] = get_args(RowUnit)
OWN = (
    "session_id", "query_position", "rank", "lists", "results", "judged", "pooled", "share", "measure", "n", "open", "undefined",
    "moving", "value", "lower", "upper", "residual", "bound", "note",
)  # fmt: skip
"""Columns of the tables, which no column that makes groups may be called."""


@traced
@guarded_read
def bounds(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    by: str | None = "system_id",
    *,
    where: Where = None,
    per: RowUnit | None = None,
    max_grade: float | None = None,
    wanted: int = 10,
    memory: str | int | None = None,
) -> Incompleteness:
    """Bound how far further judgments could change scores and differences.

    Every unjudged document can have any grade of the scale, the same one wherever it was shown, or stay unjudged.
    A document is unjudged if it has no judgment or is only pooled (the study's unjudged_grades). Documents that no session
    of the study shows and nobody pooled count as not relevant, as in scoring.

    Parameters
    ----------
    study
        The study.
    measures
        Measures of sessions, such as ``"sDCG@10"`` or ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users to group by; None, or ``"all"``, all sessions together. Pairs of groups are compared
        where there are 2 to 20.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    per
        ``"session"`` or ``"query"``: also bounds of each; per query, of the measures inside aggregates.
    max_grade
        The best grade of the scale; the study's if not given. Measures that only separate relevant from not need none.
    wanted
        Documents to list for each measure and pair.
    memory
        Memory limit, see `sessionkit.score`. The names of unjudged documents are kept in addition. A study
        that fits is read once, another twice.

    Returns
    -------
    Incompleteness
        With ``judged``, ``bounds``, ``differences``, ``wanted``, ``units`` and ``reading``.

    Raises
    ------
    UsageError
        An option or column does not exist, or a judged grade is above ``max_grade``.
    MeasureError
        A measure does not exist or is one of queries, or the scale's top is needed and unknown.

    Notes
    -----
    Plain sums (CG, DCG, sDCG, sRBP, RBP, P, gP and their kind) and measures that can only rise with a grade (RR, ERR, ...)
    are lowest with no unjudged result relevant and highest with all of the best grade: both come true, for means too.
    What RBP could gain beyond the results shown is not in it; `RBPResidual` has Moffat & Zobel's whole residual.

    A document that turns out relevant can lower nDCG, nCG, nsDCG, R, F, E, MaxF and AP, by raising the ideal or the number
    of relevant documents, wherever in the study it was shown. Their bounds are exact for each list (each session, of
    nsDCG) and safe for means, whose lists would have to agree on a document's grade; see
    `sessionkit.robustness.normalized_bounds` for the proof. Differences of plain sums are bounded document by document,
    so that a document that both groups show counts for both; others take one group's lowest against the other's highest.

    Examples
    --------
    One result of two is unjudged, on a scale up to 2: 1 + 0 / 1.585 or up to 1 + 2 / 1.585. For nDCG the known result
    alone makes 1; with the other as good as can be the ideal is 2 + 1 / 1.585.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}, max_grade=2,
    ... )
    >>> found = sk.bounds(study, ["mean(DCG@2)", "mean(nDCG@2)"], by=None)
    >>> found.bounds.select("measure", pl.col("value", "lower", "upper").round(4), "bound").rows()
    [('mean(DCG@2)', 1.0, 1.0, 2.2619, 'attained'), ('mean(nDCG@2)', 1.0, 0.8597, 1.0, 'safe')]
    """
    study = restricted(study, where)
    asked = tuple(dict.fromkeys(map(of_session, _asked(study, measures))))
    if per not in (None, *UNITS):
        msg = f"per must be session or query, not {per!r}{suggestion(str(per), UNITS)}"
        raise UsageError(msg)
    for measure in asked:
        if per == "query" and measure.inner.level != "query":
            msg = f"{measure} has no bounds per query; per=query takes aggregates of measures of queries, such as mean(nDCG@10)"
            raise MeasureError(msg)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 0:
        msg = f"wanted must be a whole number of documents, 0 or more, not {wanted!r}"
        raise UsageError(msg)
    grouping = Grouping.of(study, by, OWN, several=False)
    column = next(iter(grouping.keys), None)
    judged = GradedPairs.of(study)
    top = scale_top(asked, judged, max_grade if max_grade is not None else study.settings.max_grade)
    reads = columns_read(study, asked)
    depth = depth_of(asked)
    own_keys = "judgment_key" in study.columns("queries")
    texts, kept = PoolTexts(), BatchRoom(memory_budget(memory) // HELD)
    shares, shown = run(
        study, [JudgedShareReduction(grouping, depth), PoolReduction(asked, grouping, reads, texts, kept)], memory
    )
    pool = Pool.of(judged, shown, texts, kept)
    moving = tuple(measure for measure in asked if adds_up(measure, own_keys=own_keys) or (wanted and movable(measure)))
    given = (grouping, reads, pool, top)
    tasks: list[BoundsReduction | MovesReduction] = [BoundsReduction(asked, *given, "group", own_keys)]
    if moving and not pool.whole:
        tasks.append(MovesReduction(moving, *given))
    if per is not None:
        tasks.append(BoundsReduction(asked, *given, per, own_keys))
    results = kept.run(tasks) if kept.batches else run(study, tasks, memory)
    bounds = _told(results[0], asked, own_keys=own_keys)
    groups = bounds["group"].unique(maintain_order=True).to_list()
    unnamed = EVERYONE if groups == [EVERYONE] else UNKNOWN
    second = tasks[1] if len(tasks) > 1 else None
    moves = DocumentEffects(second, results[1], {unnamed: None}) if isinstance(second, MovesReduction) else None
    units = results[-1] if per is not None else None
    if units is not None:
        units = units.with_columns(pl.col("group").fill_null(unnamed), residual=pl.col("upper") - pl.col("lower"))
    looked_at = groups if 1 <= len(groups) <= MOST_GROUPS else groups[:1]
    between, listed = differences(asked, bounds, moves, looked_at, wanted, own_keys=own_keys)
    return Incompleteness(
        judged=by_columns(study, by, shares),
        bounds=by_columns(study, by, bounds),
        differences=between,
        wanted=listed,
        statements=stated(
            make_statements(shares, bounds, between, listed, pool=pool, top=top, depth=depth, by=column),
            study.restriction,
        ),
        by=column,
        max_grade=top,
        per=per,
        units=units if units is None else by_columns(study, by, units),
    )


def _asked(study: Study, measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """The measures in the order asked for, each once."""
    asked = tuple(dict.fromkeys(measure_of(study, measure) for measure in list_measures(measures)))
    if not asked:
        msg = "name a measure; for example: nsDCG@10"
        raise MeasureError(msg)
    return asked


def _told(bounds: pl.DataFrame, measures: Sequence[Measure], *, own_keys: bool) -> pl.DataFrame:
    """Bounds with their width, and what kind of bounds they are or why there are none."""
    texts = [str(measure) for measure in measures]
    reasons = [measure.why_no_bounds(own_keys=own_keys) for measure in measures]
    kinds = [bound_of(measure, own_keys=own_keys) for measure in measures]
    bound, note = (pl.col("measure").replace_strict(texts, named, return_dtype=pl.String) for named in (kinds, reasons))
    safe = pl.when(pl.col("open") > 0).then(pl.lit("safe")).otherwise(bound)
    return bounds.with_columns(
        residual=pl.col("upper") - pl.col("lower"),
        bound=pl.when(pl.col("lower").is_not_null()).then(safe),
        note=note,
    )


OF_BOUNDS = {
    "measure": "text of the measure",
    "group": "the group",
    "n": "sessions with a score",
    "open": "sessions without a score that could get one",
    "value": "the score; null where there is none",
    "lower": "the least that it can be",
    "upper": "the most that it can be",
    "bound": "attained: some grades make both bounds come true; safe: they may not be reached",
}
"""What bounds say, by the columns of their table."""


@dataclass(frozen=True, eq=False, repr=False)
class Incompleteness(Finding):
    """How far unjudged results could move scores; made by `sessionkit.bounds`.

    Parameters
    ----------
    judged
        By the columns that make the groups, ``query_position`` and ``rank`` (null: all of them): ``lists``, ``results``
        shown, ``judged`` ones,
        ``pooled`` ones (pooled but unjudged, by the study's unjudged_grades) and the judged ``share``.
    bounds
        By group and ``measure``: ``n`` (sessions with a score), ``open`` (sessions without one, to which further
        judgments could give one), ``undefined`` (other sessions), ``moving`` (sessions whose score could change),
        ``value``, ``lower``, ``upper`` and ``residual`` (upper - lower); ``bound``: ``attained`` where some grades make
        each of both come true, ``safe`` where the score cannot leave them but may not reach them, null with a ``note``
        where there are none.
    differences
        By ``measure`` and pair of groups, b minus a: ``difference``, ``lower``, ``upper``, ``bound``; ``holds``: whether
        its sign is the same whatever the unjudged results are; ``needed``: documents that must be judged at least before
        it can be certain (0: none; null: not known); ``overturned_by``: the fewest unjudged documents that reverse its
        sign if all of them have the best grade (null: none can, or what documents add is not a sum);
        ``open_documents``: unjudged ones that could move it.
    wanted
        Unjudged documents that would move a difference most if they alone turned out to gain the most (of a single group,
        its mean; ``a`` is null): ``measure``, ``a``, ``b``, ``place``, ``judgment_key``, ``doc_id``, ``sessions`` (of
        these groups, that show it within the cutoff) and ``move`` (of b less a).
    units
        Score and bounds of every session or query, if asked for: ``session_id``, ``query_position``, those that
        make the groups, ``measure``, ``value``, ``lower``, ``upper``, ``residual``; null bounds where no judgment can give a score.
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    by, max_grade, per
        As asked for; ``max_grade`` is the best grade that an unjudged document could have.
    """

    judged: pl.DataFrame
    bounds: pl.DataFrame
    differences: pl.DataFrame
    wanted: pl.DataFrame
    statements: tuple[Statement, ...]
    by: str | None
    max_grade: float | None
    per: str | None = None
    units: pl.DataFrame | None = None
    KINDS: ClassVar = {
        "judged_share": Kind(
            "How much of what was shown is judged",
            {
                "rank": "the deepest rank that is looked at; null, all",
                "results": "results shown",
                "judged": "judged ones",
                "share": "their share; null where nothing was shown",
                "groups": "the share by group, of the first six groups; empty for a single one",
            },
        ),
        "lowest_judged_share": Kind(
            "The rank, or the query position, of which the least is judged",
            {
                "rank": "the rank; null in the statement about query positions",
                "query_position": "the query position; null in the statement about ranks",
                "share": "judged share there",
                "results": "results shown there",
            },
        ),
        "complete": Kind("Every document that was shown is judged"),
        "unjudged": Kind(
            "What is assumed of the unjudged documents",
            {
                "documents": "number of unjudged documents",
                "judgment_keys": "number of judgment keys that have some",
                "max_grade": "the best grade that one can have; null where no measure needs it",
            },
        ),
        "score_bounds": Kind(
            "Within which bounds the score of a group lies",
            {name: OF_BOUNDS[name] for name in ("measure", "group", "n", "open", "value", "lower", "upper", "bound")},
        ),
        "difference_bounds": Kind(
            "Whether a difference keeps its sign whatever the unjudged documents are",
            {
                "measure": OF_BOUNDS["measure"],
                "a": "the first group",
                "b": "the second group",
                "n_a": "sessions of the first group with a score",
                "n_b": "sessions of the second group with a score",
                "higher": "the group with the higher mean; null where the means are the same",
                "difference": "mean of b minus mean of a",
                "lower": "the least that it can be",
                "upper": "the most that it can be",
                "bound": OF_BOUNDS["bound"],
                "holds": "whether its sign holds",
                "needed": "documents that must be judged at least to make it certain",
                "overturned_by": "the fewest documents that reverse it, all of the best grade",
                "documents": "the documents that would change it most, each with judgment_key, doc_id and move",
            },
        ),
        "signs": Kind(
            "How many differences between groups keep their sign, where there are many",
            {
                "measure": OF_BOUNDS["measure"],
                "pairs": "differences with bounds",
                "holds": "those whose sign holds",
            },
        ),
        "scope": Kind("What the bounds of differences hold for"),
        "not_compared": Kind(
            "There are too many groups to bound their differences",
            {"by": "column that makes the groups", "groups": "number of groups"},
        ),
        "no_bounds": Kind(
            "Why a measure has no bounds", {"measure": OF_BOUNDS["measure"], "note": "the reason, as in the table"}
        ),
        **MORE,
        **SESSIONS,
    }

    @property
    def table(self) -> pl.DataFrame:
        """The bounds by group and measure."""
        return self.bounds

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``bounds``, ``differences``, ``wanted``, ``judged``, and ``units`` if asked for."""
        found = {"bounds": self.bounds, "differences": self.differences, "wanted": self.wanted, "judged": self.judged}
        return found if self.units is None else {**found, "units": self.units}

    def paper_table(self) -> TextTable:
        """The bounds as papers print them: score, lower and upper bound, sessions that could change, n."""
        keys = self.bounds.columns[: self.bounds.columns.index("measure")]
        measures = self.bounds["measure"].unique()
        lead = keys if keys and len(measures) == 1 else [*keys, "measure"]
        whose = f"{measures[0]}: mean" if len(measures) == 1 else "Means"
        caption = f"{whose} and bounds{by_words(keys)}, whatever the grades of unjudged documents (no confidence intervals); n sessions"
        kinds = self.bounds["bound"].unique(maintain_order=True).to_list()
        of = {
            kind: listed(self.bounds.filter(bound=kind)["measure"].unique(maintain_order=True).to_list())
            for kind in kinds
            if kind
        }
        notes = [f"{BOUNDS[kind]}{f' ({whose})' if len(of) > 1 else ''}." for kind, whose in of.items()]
        notes += [
            f"{reason[:1].upper()}{reason[1:]}."
            for reason in self.bounds["note"].drop_nulls().unique(maintain_order=True)
        ]
        without = {"open": "could have one", "undefined": "cannot have one"}
        notes += [
            f"Sessions without a value that {says}: {range_text(self.bounds[name])} by row."
            for name, says in without.items()
            if self.bounds[name].sum()
        ]
        columns = [*lead, "value", "lower", "upper", "moving", "n"]
        headers = {"value": "Mean", "lower": "Lower", "upper": "Upper"}
        return chosen_columns(caption, self.bounds, columns, headers=headers, note=" ".join(notes) or None)


BOUNDS = {
    "attained": "Some grades make each bound come true",
    "safe": "Means cannot leave the bounds, but may not reach them",
}
"""What kinds of bounds say, for a note."""


COMPLETE = Statement(
    "complete", "Every document that was shown is judged: no further judgment of them can change a score."
)
NAMED = 3
"""Documents named in a sentence."""
MOST_TOLD = 12
"""Groups, and pairs of them, that are read out one by one under each measure; the others are in the tables."""


def make_statements(
    judged: pl.DataFrame,
    bounds: pl.DataFrame,
    differences: pl.DataFrame,
    wanted: pl.DataFrame,
    *,
    pool: Pool,
    top: float | None,
    depth: int | None,
    by: str | None,
) -> list[Statement]:
    """Return the statements of a finding."""
    statements = [*state_judged_shares(judged, depth)]
    if pool.whole:
        return [*statements, COMPLETE, *_state_no_bounds(bounds)]
    statements.append(_state_unjudged(pool, top))
    statements += _state_scores(bounds)
    statements += _state_differences(differences, wanted, _sizes(bounds))
    if not differences.is_empty():
        text = "These results hold for these sessions; to generalize a difference, use: sessionkit compare."
        statements.append(Statement("scope", text))
    n_groups = bounds["group"].n_unique()
    if differences.is_empty() and n_groups > 1:
        text = f"{by} has {n_groups} values: differences are computed for 2 to 20."
        statements.append(Statement("not_compared", text, {"by": by, "groups": n_groups}))
    return [*statements, *_state_no_bounds(bounds)]


def state_judged_shares(judged: pl.DataFrame, depth: int | None) -> Iterator[Statement]:
    """Say how much is judged, in all, where it is least, and for whom."""
    every = judged.filter(pl.col("query_position").is_null(), pl.col("rank").is_null())
    n_shown, n_judged = int(every["results"].sum()), int(every["judged"].sum())
    within = "" if depth is None else f" within rank {depth}"
    values = {"rank": depth, "results": n_shown, "judged": n_judged}
    if not n_shown:
        yield Statement("judged_share", f"No result was shown{within}.", {**values, "share": None, "groups": {}})
        return
    groups = dict(every.head(6).select("group", "share").rows()) if len(every) > 1 else {}
    of_groups = "; ".join(f"{group} {_percent(share)}" for group, share in groups.items())
    more = f" ({of_groups}{', ...' if len(every) > 6 else ''})" if groups else ""
    text = f"{n_judged:,} of {n_shown:,} results shown{within} are judged, {_percent(n_judged / n_shown)}{more}."
    yield Statement("judged_share", text, {**values, "share": n_judged / n_shown, "groups": groups})
    if n_judged == n_shown:
        return
    for name, what in (("rank", "rank"), ("query_position", "query position")):
        other = "query_position" if name == "rank" else "rank"
        each = judged.filter(pl.col(name).is_not_null(), pl.col(other).is_null()).group_by(name)
        sums = each.agg(pl.col("results", "judged").sum()).filter(pl.col("results") > 0)
        least = sums.with_columns(share=pl.col("judged") / pl.col("results")).sort("share", name).row(0, named=True)
        yield Statement(
            "lowest_judged_share",
            f"The lowest judged share is at {what} {least[name]}: {_percent(least['share'])} of {least['results']:,} results.",
            {name: least[name], other: None, "share": least["share"], "results": least["results"]},
        )


def _state_unjudged(pool: Pool, top: float | None) -> Statement:
    """Say what may turn out how."""
    grades = "any grade" if top is None else f"any grade from 0 to {top:g}"
    n_keys, n_documents = int((pool.unjudged > 0).sum()), int(pool.unjudged.sum())
    text = (
        f"Each of {counted(n_documents, 'unjudged document')} (of {counted(n_keys, 'judgment key')}) may have "
        f"{grades}, the same wherever it was shown, or stay unjudged; documents that no session shows are taken as not relevant."
    )
    return Statement("unjudged", text, {"documents": n_documents, "judgment_keys": n_keys, "max_grade": top})


def _state_scores(bounds: pl.DataFrame) -> Iterator[Statement]:
    """Say score and bounds of each group under each measure."""
    groups = bounds["group"].unique(maintain_order=True)
    first = groups.head(MOST_TOLD).implode()
    rows = bounds.filter(pl.col("lower").is_not_null(), pl.col("group").is_in(first, nulls_equal=True))
    for row in rows.iter_rows(named=True):
        score = "has no score" if row["value"] is None else f"scores {_number(row['value'])}"
        gap = "" if row["bound"] == "attained" else " (safe bounds, which may not be reached)"
        more = f" {counted(row['open'], 'session')} without a score could get one." if row["open"] else ""
        text = (
            f"{row['measure']}, {row['group']}: {score} over {counted(row['n'], 'session')}; whatever the unjudged documents are, it lies "
            f"between {_number(row['lower'])} and {_number(row['upper'])}{gap}.{more}"
        )
        yield Statement("score_bounds", text, {name: row[name] for name in OF_BOUNDS})
    if len(groups) > MOST_TOLD:
        n_more = len(groups) - MOST_TOLD
        text = f"The other {n_more:,} of {len(groups):,} groups are in the table bounds."
        yield Statement("more", text, {"count": n_more, "what": "groups", "verb": "bounds"})


def _sizes(bounds: pl.DataFrame) -> dict[tuple[str, str], int]:
    """Sessions with a score, by measure and group."""
    return {(measure, group): n for measure, group, n in bounds.select("measure", "group", "n").iter_rows()}


def _state_differences(
    differences: pl.DataFrame, wanted: pl.DataFrame, sizes: dict[tuple[str, str], int]
) -> Iterator[Statement]:
    """Say whether each difference can turn, and what would tell."""
    bounded = differences.filter(pl.col("lower").is_not_null())
    counts = bounded.group_by("measure", maintain_order=True).agg(pl.len(), pl.col("holds").sum())
    for measure, pairs, holds in counts.filter(pl.col("len") > MOST_TOLD).iter_rows():
        text = (
            f"{measure}: {holds:,} of {pairs:,} differences between groups keep their sign whatever the unjudged documents are; unjudged "
            f"documents could reverse {pairs - holds:,} (bounds may be wide where the table differences says safe)."
        )
        yield Statement("signs", text, {"measure": measure, "pairs": pairs, "holds": holds})
    few = counts.filter(pl.col("len") <= MOST_TOLD)["measure"]
    for row in bounded.filter(pl.col("measure").is_in(few.implode())).iter_rows(named=True):
        pair = pl.col("measure") == row["measure"], pl.col("a") == row["a"], pl.col("b") == row["b"]
        documents = wanted.filter(*pair).head(NAMED).select("judgment_key", "doc_id", "move")
        yield _state_difference(row, documents.to_dicts(), sizes)


def _state_difference(
    row: dict[str, Any], documents: list[dict[str, Any]], sizes: dict[tuple[str, str], int]
) -> Statement:
    """Say whether a difference can turn."""
    measure, a, b, difference = row["measure"], row["a"], row["b"], row["difference"]
    n_of = {group: sizes[measure, group] for group in (a, b)}
    high, low = (b, a) if difference > 0 else (a, b)
    values = {
        **row,
        "n_a": n_of[a],
        "n_b": n_of[b],
        "higher": high if difference else None,
        "documents": [] if row["holds"] else documents,
    }
    del values["open_documents"]
    if difference == 0:
        lead = f"{measure}: {a} and {b} have the same mean"
    else:
        of_each = f"{n_of[high]:,} and {n_of[low]:,}"
        lead = f"{measure}: the mean of {high} is higher than that of {low} by {_number(abs(difference))}, over {of_each} sessions"
    interval = f"{b} minus {a} lies between {_number(row['lower'])} and {_number(row['upper'])}"
    if row["holds"]:
        text = f"{lead}. This conclusion holds whatever the unjudged documents are: {interval}."
        return Statement("difference_bounds", text, values)
    fewest, needed = row["overturned_by"], row["needed"]
    more = f" The fewest that reverse it, all of the best grade: {counted(fewest, 'document')}." if fewest else ""
    more += f" At least {counted(needed, 'document')} must be judged to make it certain." if needed else ""
    safe = "" if row["bound"] == "attained" else "by these bounds, which are safe but may be wide, "
    text = f"{lead}; {safe}unjudged documents could reverse this: {interval}.{more}{_most(documents)}"
    return Statement("difference_bounds", text, values)


def _most(documents: list[dict[str, Any]]) -> str:
    """The documents whose judgments would tell most."""
    if not documents:
        return ""
    named = ", ".join(f"{each['judgment_key']}/{each['doc_id']} ({each['move']:+.4g})" for each in documents)
    return f" The single documents that would change it most: {named}; more are in the table wanted."


def _state_no_bounds(bounds: pl.DataFrame) -> Iterator[Statement]:
    """Say why measures have no bounds."""
    without = bounds.filter(pl.col("note").is_not_null()).unique("measure", maintain_order=True)
    for measure, reason in without.select("measure", "note").iter_rows():
        text = f"{measure} has no bounds: {reason}."
        yield Statement("no_bounds", text, {"measure": measure, "note": reason})


def _percent(share: float | None) -> str:
    """A judged share, where anything was shown."""
    return "none shown" if share is None else share_text(share, decimals=0 if share in (0, 1) else 1)


def _number(value: float) -> str:
    """A number with four digits."""
    return f"{value:.4g}"


MOST_GROUPS = 20
"""Groups whose pairs are looked at."""
ROUNDING = 1e-12
"""Share of what a number was added up from below which it is 0, but for rounding."""
DIFFERENCES = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("difference", "lower", "upper"), pl.Float64()),
        "bound": pl.String(),
        "holds": pl.Boolean(),
        **dict.fromkeys(("needed", "overturned_by", "open_documents"), pl.Int64()),
    }
)
WANTED = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        "place": pl.Int64(),
        **dict.fromkeys(PAIR, pl.String()),
        "sessions": pl.Int64(),
        "move": pl.Float64(),
    }
)


def differences(
    measures: Sequence[Measure],
    bounds: pl.DataFrame,
    moves: DocumentEffects | None,
    groups: Sequence[str | None],
    many: int,
    *,
    own_keys: bool = False,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The differences between all pairs of groups with their bounds, and the documents that could move them most.

    Parameters
    ----------
    bounds
        ``group``, ``measure``, ``n``, ``open``, ``value``, ``lower``, ``upper``.
    moves
        What unjudged documents would move; None where nothing is unjudged.
    groups
        The groups to look at, in order; a single one is looked at alone.
    many
        Documents to name of each measure and pair.
    own_keys
        Whether queries have judgment keys of their own.
    """
    pairs: list[tuple[str | None, str | None]] = [*combinations(groups, 2)] if len(groups) > 1 else [(None, groups[0])]
    rows, wanted = [], []
    for measure in measures:
        text = str(measure)
        found = {row["group"]: row for row in bounds.filter(pl.col("measure") == text).iter_rows(named=True)}
        told = movable(measure) and (many or adds_up(measure, own_keys=own_keys))
        for a, b in pairs:
            steps = None
            here: dict[str | None, int] = {group: found[group]["n"] for group in (a, b) if group is not None}
            if told and all(here.values()):
                documents, steps = (
                    moves.between(measure, here, b) if moves else (np.zeros(0, dtype=np.int64), np.zeros(0))
                )
                if moves and many:
                    most = moves.most(measure, here, documents, steps, many)
                    wanted.append(most.with_columns(measure=pl.lit(text), a=pl.lit(a), b=pl.lit(b)))
            if a is not None and b is not None:
                exact = adds_up(measure, own_keys=own_keys)
                rows.append({"measure": text, "a": a, "b": b, **_difference(found[a], found[b], steps, exact=exact)})
    listed = pl.concat([WANTED.to_frame(), *(frame.select(WANTED.names()).cast(dict(WANTED)) for frame in wanted)])  # type: ignore[arg-type]
    return pl.DataFrame(rows, schema=DIFFERENCES), listed


def _difference(
    a: dict[str, float], b: dict[str, float], steps: np.ndarray | None, *, exact: bool
) -> dict[str, object]:
    """A difference, its bounds, whether its sign holds, and how many documents decide it."""
    nothing: dict[str, object] = dict.fromkeys(
        ("difference", "lower", "upper", "bound", "holds", "needed", "overturned_by", "open_documents")
    )
    if a["value"] is None or b["value"] is None:
        return nothing
    found = nothing | {"difference": b["value"] - a["value"]}
    if a["lower"] is None or b["lower"] is None:
        return found
    value = float(nothing_left(b["value"] - a["value"], abs(a["value"]) + abs(b["value"])))
    found["difference"] = value
    if steps is not None:
        found["open_documents"] = int((steps != 0).sum())
    if exact and steps is not None and not a["open"] and not b["open"]:
        steps = np.sort(steps)  # so that their sum hangs on no order
        size = abs(value) + np.abs(steps).sum()
        lower = float(nothing_left(value + steps[steps < 0].sum(), size))
        upper = float(nothing_left(value + steps[steps > 0].sum(), size))
        found |= {"bound": "attained", "needed": needed(value, steps), "overturned_by": overturned_by(value, steps)}
    else:
        size = sum(abs(row[end]) for row in (a, b) for end in ("lower", "upper"))
        lower, upper = nothing_left(b["lower"] - a["upper"], size), nothing_left(b["upper"] - a["lower"], size)
        found["bound"] = "safe"
    found |= {"lower": min(lower, value), "upper": max(upper, value)}
    found["holds"] = bool(lower > 0 or upper < 0)
    return found


def nothing_left(value: float, size: float) -> float:
    """A sum, 0 where rounding alone is left of numbers of this size: a tie that judgments can make is not a difference that holds.

    >>> nothing_left(0.3 - (0.1 + 0.2), 0.6), nothing_left(0.1, 0.6)
    (0.0, 0.1)
    """
    return 0.0 if abs(value) <= ROUNDING * size else value


def overturned_by(difference: float, steps: np.ndarray) -> int | None:
    """The fewest unjudged documents that reverse the sign of a difference, if all of them have the best grade; None if none can.

    Steps add up, so that the largest against the sign do it with the fewest. A tie is no reversal.

    .25 against steps of -.2, -.1 and -.1: -.2 and -.1 reverse it; -.2 alone leaves .05.

    >>> overturned_by(0.25, np.array([-0.1, -0.2, 0.4, -0.1])), overturned_by(0.5, np.array([-0.2])), overturned_by(0.0, np.array([0.1]))
    (2, None, None)
    """
    if difference == 0:
        return None
    against = np.sort(steps[steps * np.sign(difference) < 0] * np.sign(difference))
    left = ROUNDING * (abs(difference) + np.abs(steps).sum())
    enough = np.flatnonzero(abs(difference) + against.cumsum() < -left)
    return int(enough[0]) + 1 if len(enough) else None


def needed(difference: float, steps: np.ndarray) -> int | None:
    """How many documents must be judged at least before the sign of a difference can be certain; None where it is 0.

    Each document could add its step. What can turn the sign are the steps against it; judging a document settles its own
    step, in the best case for the sign, so that the largest steps, in whichever direction, settle it soonest.

    .3, and steps of -.2, -.2, .1, -.1: against it stand .5. One of .2 settled leaves .3, which still makes a tie:

    >>> needed(0.25, np.array([-0.2, -0.2, 0.1, -0.1])), needed(0.3, np.array([-0.2, 0.4])), needed(0.0, np.array([0.1]))
    (2, 0, None)
    """
    if difference == 0:
        return None
    size = np.sort(np.abs(steps))
    against = np.sort(np.abs(steps[steps * np.sign(difference) < 0])).sum()
    settled = np.concatenate([[0.0], size[::-1].cumsum()])
    left = ROUNDING * (abs(difference) + size.sum())
    enough = np.flatnonzero(abs(difference) - against + settled > left)
    return int(enough[0]) if len(enough) else None


def judged_share(
    study: Study, measures: Sequence[Measure], by: str | None = "system_id", *, memory: str | int | None = None
) -> tuple[pl.DataFrame, tuple[Statement, ...]]:
    """Return the judged share by group, rank and query position, as far down as the measures look, and what is to be said of it.

    Parameters
    ----------
    study
        The study; nothing need be known of its grade scale.
    measures
        Measures of sessions, whose cutoffs say how far down is looked.
    by, memory
        As `sessionkit.bounds` has them.

    Raises
    ------
    DataError
        There are no judgments.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> judged_share(study, [sk.sDCG @ 10], by=None)[1][0].values["share"]
    0.5
    """
    depth = depth_of(measures)
    (shares,) = run(study, [JudgedShareReduction(Grouping.of(study, by, several=False), depth)], memory)
    return shares, stated(state_judged_shares(shares, depth))


def depth_of(measures: Sequence[Measure]) -> int | None:
    """The deepest rank that any of some measures looks at; None, all."""
    cutoffs = [measure.inner.cutoff for measure in measures]
    return None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
