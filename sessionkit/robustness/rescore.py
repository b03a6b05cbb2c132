"""A study scored again under other judgments: the log read once, groups, pairs with their tests, and agreement of orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from sessionkit.display.labels import in_natural_order
from sessionkit.display.numbers import share_text
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.batch import SUBTOPIC, GradedPairs, SessionBatch, Subtopics, batches, only_sessions
from sessionkit.scoring.execution import session_values
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.reduction import COLUMN_BYTES, FEWEST, RESULT_BYTES
from sessionkit.scoring.score import score_task, session_measures
from sessionkit.statistics.bands import require_few_groups
from sessionkit.statistics.comparison_table import Row, compared
from sessionkit.statistics.design import Design, read_design
from sessionkit.statistics.distributions import TIE, difference, differences, settled
from sessionkit.statistics.effects import CONSTANT
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.session_values import GroupedSessions, grouping_columns, no_column
from sessionkit.statistics.significance import WILCOXON_EXACT_TO, signed_rank_p
from sessionkit.statistics.units import mean_cells
from sessionkit.study import Study
from sessionkit.study.batches import ROWS, count, memory_budget
from sessionkit.study.numbering import PAIR, JudgmentIndex, counts

KEYS = ("session_id", "user_id", "topic_id")


@dataclass(frozen=True, eq=False)
class Scoring:
    """One scoring of the log.

    Parameters
    ----------
    grades
        Makes the grade of every judged pair, in the order of their numbers; NaN where it has none.
    measures
        Numbers of the measures.
    groups
        Numbers of the groups whose sessions are scored; None, all that have one.
    """

    grades: Callable[[], np.ndarray]
    measures: tuple[int, ...]
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class RescoredLog:
    """The log of a study and its judgments.

    Parameters
    ----------
    study, measures
        What is scored, by what.
    rejudging
        The judgments.
    sessions
        ``session_id``, ``user_id``, ``topic_id``, ``group`` (text, null where unknown), ``queries`` (logged ones),
        ``results`` and ``deepest`` (rank) of every session, in the order of the batches.
    kept
        The one batch that the log is, where it is no more; else it is read again for every few scorings.
    """

    study: Study
    measures: tuple[Measure, ...]
    rejudging: Rejudging
    sessions: pl.DataFrame
    kept: SessionBatch | None
    by: str
    memory: str | int | None

    @classmethod
    def of(
        cls, study: Study, measures: str | Measure | Sequence[str | Measure], by: str, memory: str | int | None
    ) -> RescoredLog:
        """Read the log of a study for some measures of sessions.

        Raises
        ------
        UsageError
            There is no such column to group by.
        MeasureError
            A measure does not exist.
        """
        known = grouping_columns(study)
        if by not in known:
            raise no_column(by, known)
        asked = session_measures(study, measures)
        frames: list[pl.DataFrame] = []
        kept: list[SessionBatch] = []
        for batch in _batches(study, asked, by, memory):
            frames.append(_sessions(batch, by))
            kept = [*kept[:1], batch] if len(kept) < 2 else kept
        one = kept[0] if len(kept) == 1 else None
        return cls(study, asked, Rejudging.of(study, asked), pl.concat(frames), one, by, memory)

    def each(self) -> Iterator[SessionBatch]:
        """The batches of the log."""
        return iter([self.kept]) if self.kept is not None else _batches(self.study, self.measures, self.by, self.memory)

    def values(self, scorings: Sequence[Scoring], group: np.ndarray) -> Iterator[np.ndarray]:
        """Score the log.

        Parameters
        ----------
        scorings
            How, each time.
        group
            Number of every session's group, in the order of `sessions`; sessions below 0 are left out.

        Yields
        ------
        numpy.ndarray
            For each scoring a row per session of its groups, in the order of `sessions`, and a column per measure; NaN
            where undefined.
        """
        if self.kept is not None:
            for values in self._batch_values(self.kept, scorings, group):
                count("scorings")
                yield values
            return
        width = max(1, len(group)) * max(1, len(self.measures)) * 8
        together = max(1, memory_budget(self.memory) // (4 * width))
        for first in range(0, len(scorings), together):
            some = scorings[first : first + together]
            parts: list[list[np.ndarray]] = [[] for _ in some]
            begin = 0
            for batch in self.each():
                end = begin + len(batch.sessions)
                for number, values in enumerate(self._batch_values(batch, some, group[begin:end])):
                    parts[number].append(values)
                begin = end
            for several in parts:
                count("scorings")
                yield np.concatenate(several)

    def _batch_values(self, batch: SessionBatch, some: Sequence[Scoring], group: np.ndarray) -> Iterator[np.ndarray]:
        """Values of the sessions of one batch; its part with some groups is made once for scorings in a row."""
        known: tuple[int, ...] | None = ()
        part = batch
        for scoring in some:
            if scoring.groups != known:
                known = scoring.groups
                part = only_sessions(batch, group >= 0 if known is None else np.isin(group, known))
            judged: GradedPairs = self.rejudging.under(scoring.grades())
            measures = [self.measures[number] for number in scoring.measures]
            found = session_values(under(part, judged), measures)
            columns = [found[measure]["value"].cast(pl.Float64).fill_null(np.nan).to_numpy() for measure in measures]
            yield np.column_stack(columns) if columns else np.empty((len(part.sessions), 0))


def require_judgments(measures: Sequence[Measure]) -> None:
    """Refuse columns of the log where judgments are changed."""
    for measure in measures:
        if measure.of_sessions:
            raise MeasureError(
                f"{measure} reads no judgments, so other judgments cannot change it; name measures of results"
            )


def _batches(study: Study, measures: Sequence[Measure], by: str, memory: str | int | None) -> Iterator[SessionBatch]:
    """The batches of a study, with what the measures read and what sessions are grouped and matched by."""
    task = score_task(study, measures, per="session")
    read = {table: [*names] for table, names in task.columns().items()}
    of_users = by in study.columns("users") and by not in study.columns("sessions")
    read["sessions"] = [*dict.fromkeys([*read["sessions"], *KEYS, *([] if of_users else [by])])]
    read["users"] = [*dict.fromkeys([*read.get("users", ()), *([by] if of_users else [])])]
    rows = max(FEWEST, min(ROWS, memory_budget(memory) // (RESULT_BYTES + COLUMN_BYTES * task.columns_made)))
    return batches(study, read, rows, per_query=task.slots)


def _sessions(batch: SessionBatch, by: str) -> pl.DataFrame:
    """What is known of the sessions of a batch."""
    many = len(batch.sessions)
    session = batch.queries["session"].gather(batch.results["query"])
    of_results = pl.DataFrame([session.alias("session"), batch.results["rank"]])
    deepest = of_results.group_by("session").agg(pl.col("rank").max().cast(pl.Int64).alias("deepest"))
    logged = batch.queries.filter("logged")["session"]
    counted = [
        counts(logged, many).alias("queries").cast(pl.Int64),
        counts(session, many).alias("results").cast(pl.Int64),
    ]
    frame = batch.features.select(pl.col(KEYS).cast(pl.String), pl.col(by).cast(pl.String).alias("group"))
    rows = frame.with_columns(*counted, session=pl.int_range(pl.len(), dtype=pl.UInt32))
    return rows.join(deepest, on="session", how="left", maintain_order="left").drop("session")


FULL = 0.95
"""Share of the results it could have returned below which a run is left out (Buckley & Voorhees 2004; SIGIR 2007)."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a log.

    Parameters
    ----------
    names
        In order.
    number
        Of the group of every session of the log; below 0 where it has none or is left out.
    design
        Who met which groups with which topics.
    runs
        Whether every group answered topics with one list each, nobody searching: runs of a test collection.
    left_out
        What was left out, and how much of it.
    """

    names: tuple[str, ...]
    number: np.ndarray
    design: Design
    runs: bool
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def many(self) -> int:
        """How many groups there are."""
        return len(self.names)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two groups."""
        return [(i, j) for i in range(self.many) for j in range(i + 1, self.many)]

    @property
    def word(self) -> str:
        """What groups are called."""
        return "runs" if self.runs else "groups"


def groups_of(log: RescoredLog, full: float | None = None) -> Groups:
    """Name the groups of a log, and leave out runs that returned too little.

    Parameters
    ----------
    full
        Share of the results that a group could have returned (the most queries of any group, each as deep as the
        deepest list) below which it is left out; None, .95 for runs and none for searchers, who ask as they like.

    Raises
    ------
    UsageError
        Fewer than two groups are left, or `full` is no share.
    """
    if full is not None and (not isinstance(full, int | float) or not 0 <= full <= 1):
        raise UsageError(f"full must be a share from 0 to 1, not {full!r}; 0.95 is usual")
    sessions = log.sessions
    left_out: dict[str, int] = {}
    unknown = sessions.get_column("group").null_count()
    if unknown:
        left_out[f"sessions without {log.by}"] = unknown
    require_few_groups(log.by, sessions.get_column("group").drop_nulls().n_unique())
    names = in_natural_order(sessions.get_column("group").drop_nulls().unique())
    runs = _are_runs(sessions)
    share = (FULL if runs else 0.0) if full is None else full
    whole = _returned(sessions, names) >= share
    for name, kept in zip(names, whole, strict=True):
        if not kept:
            left_out[
                f"{'run' if runs else 'group'} {name}, which returned less than {share_text(share, 0)} of what it could"
            ] = 1
    names = [name for name, kept in zip(names, whole, strict=True) if kept]
    if len(names) < 2:
        there = "no group" if not names else f"one group, {names[0]!r}"
        lost = f" once those that returned less than {share_text(share, 0)} are left out" if not whole.all() else ""
        msg = f"by={log.by}: the sessions have {there}{lost}; a comparison needs at least two"
        raise UsageError(msg)
    numbered = sessions.select(
        pl.col("group").replace_strict(names, range(len(names)), default=-1, return_dtype=pl.Int64)
    )
    number: np.ndarray = numbered.to_series().fill_null(-1).to_numpy()
    frame = (
        sessions.filter(pl.Series(number >= 0)).select("session_id", "user_id", "topic_id", "group").sort("session_id")
    )
    return Groups(tuple(names), number, read_design(frame, log.by, len(names)), runs, left_out)


def _are_runs(sessions: pl.DataFrame) -> bool:
    """Whether nobody searched, and each group has a list for a topic at most once."""
    if sessions.get_column("user_id").null_count() < sessions.height or sessions.get_column("topic_id").null_count():
        return False
    return bool((sessions["queries"] <= 1).all()) and not sessions.select("group", "topic_id").is_duplicated().any()


def _returned(sessions: pl.DataFrame, names: list[str]) -> np.ndarray:
    """Results of every group, as a share of what it could have returned."""
    counts = sessions.drop_nulls("group").group_by("group").agg(pl.col("results", "queries").sum())
    found = pl.DataFrame({"group": names}, schema={"group": pl.String}).join(
        counts, on="group", how="left", maintain_order="left"
    )
    deepest = sessions.get_column("deepest").max()
    could = int(str(found["queries"].max() or 0)) * int(str(deepest or 0))
    share: np.ndarray = found["results"].to_numpy() / could if could else np.ones(len(names))
    return share


def wilcoxon_p(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of Wilcoxon's signed-rank test, zeros left out; 1 where no difference is left.

    Exact up to 50 differences other than 0, tied or not, else by the normal distribution, without a correction for
    continuity: what `sessionkit.statistics.significance.wilcoxon` gives.

    Parameters
    ----------
    differences
        A row per unit, a column per pair, as `sessionkit.statistics.distributions` settles them.
    """
    from scipy import stats

    d = np.where(np.isfinite(differences), differences, 0.0)
    size = np.abs(d)
    zeros = (size == 0).sum(axis=0)
    n = len(d) - zeros
    ranks = stats.rankdata(size, axis=0) - zeros  # zeros share the lowest ranks
    ranks[size == 0] = 0.0
    plus = (ranks * (d > 0)).sum(axis=0)
    total = n * (n + 1) / 2
    variance = (ranks**2).sum(axis=0) / 4
    z = np.divide(np.abs(plus - total / 2), np.sqrt(variance), out=np.zeros(len(n)), where=variance > 0)
    p: np.ndarray = np.where(n > 0, 2 * stats.norm.sf(z), 1.0)
    for at in np.flatnonzero((n > 0) & (n <= WILCOXON_EXACT_TO)):
        p[at] = signed_rank_p(float(plus[at]), ranks[size[:, at] > 0, at])
    return p


def t_p(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of the paired t test; 1 where nothing differs, NaN where nothing varies that a difference could be
    judged by.

    Parameters
    ----------
    differences
        A row per unit, a column per pair, as `sessionkit.statistics.distributions` settles them.
    """
    from scipy import stats

    there = np.isfinite(differences)
    n = there.sum(axis=0)
    d = np.where(there, differences, 0.0)
    mean = np.divide(d.sum(axis=0), n, out=np.zeros(len(n)), where=n > 0)
    left = np.where(there, d - mean, 0.0)
    enough = n > 1
    variance = np.divide((left**2).sum(axis=0), n - 1, out=np.zeros(len(n)), where=enough)
    size = np.abs(d).max(axis=0, initial=0.0)
    flat = np.sqrt(variance) <= CONSTANT * size
    t = np.divide(np.abs(mean) * np.sqrt(n), np.sqrt(variance), out=np.zeros(len(n)), where=enough & ~flat)
    p: np.ndarray = 2 * stats.t.sf(t, np.maximum(n - 1, 1))
    return np.where(enough & ~flat, p, np.where(size > 0, np.nan, 1.0))


MANY: dict[str, Callable[[np.ndarray], np.ndarray]] = {"wilcoxon": wilcoxon_p, "t": t_p}
"""Tests of many pairs at once, where every unit met every group."""


@dataclass(frozen=True, eq=False)
class RescoredPairs:
    """Some sessions, and the pairs of their groups that are tested.

    Parameters
    ----------
    plan
        How they are tested; without correction.
    frame
        ``session_id``, ``group``, ``user_id``, ``topic_id`` of every session, by session_id.
    number
        The group of every session, by its place in `groups`.
    groups
        Names.
    pairs
        Places of the two groups of each pair; the difference is that of the second less the first.
    order
        Where the sessions stand among the values that are given.
    """

    plan: ComparisonPlan
    frame: pl.DataFrame
    number: np.ndarray
    groups: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    order: np.ndarray
    _unit: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        plan: ComparisonPlan,
        sessions: pl.DataFrame,
        number: np.ndarray,
        groups: Sequence[str],
        pairs: Sequence[tuple[int, int]],
    ) -> RescoredPairs:
        """Settle once what does not depend on the values, which come in the order of these sessions."""
        order = sessions.get_column("session_id").arg_sort().to_numpy()
        sessions, number = sessions[order], number[order]
        name = {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}[plan.population]
        plain = plan.layout == "blocked" and plan.design.name != "both" and plan.test.name in MANY
        unit = sessions.get_column(name).rank("dense").fill_null(0).cast(pl.Int64).to_numpy() - 1 if plain else None
        return cls(plan, sessions, number, tuple(groups), tuple(pairs), order, unit)

    def means(self, values: np.ndarray) -> np.ndarray:
        """Mean of every group over its sessions that have a value; NaN where none has."""
        values = values[self.order]
        found: np.ndarray = mean_cells(values, np.zeros_like(self.number), self.number, len(self.groups), 1)[0]
        return found

    def tested(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The difference and the p-value of every pair, for the values of the sessions.

        The difference is NaN where there is no unit to take it from; p is 1 where the two do not differ, NaN where they do
        and the test has too little to judge that by. Where rounding alone is left of a difference, it is 0.
        """
        values = values[self.order]
        first, second = np.array(self.pairs, dtype=np.int64).reshape(-1, 2).T
        if self._unit is not None:
            known = self._unit >= 0
            cells = mean_cells(values[known], self._unit[known], self.number[known], len(self.groups))
            d = differences(cells[:, first], cells[:, second])
            there = np.isfinite(d)
            n = there.sum(axis=0)
            size = np.where(there, np.abs(cells[:, first]) + np.abs(cells[:, second]), 0.0).sum(axis=0)
            total = np.where(there, d, 0.0).sum(axis=0)
            total = np.where(np.abs(total) <= TIE * size, 0.0, total)
            mean = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
            return mean, np.where(n > 0, MANY[self.plan.test.name](d), np.nan)
        sessions = GroupedSessions(self.frame, values[:, None], ("",), self.groups, "", 0)
        found = compared(self.plan, "", self.groups, self.plan.units(sessions))
        of = {(row.a, row.b): row for row in found.rows}
        rows = [of[self.groups[i], self.groups[j]] for i, j in self.pairs]
        return np.array([difference_of(row, self.plan.layout) for row in rows]), np.array([p_of(row) for row in rows])


def difference_of(row: Row, layout: str) -> float:
    """The difference of two groups: of a crossover at equal users and topics; NaN where there is none."""
    if layout == "crossed" and row.pair is not None:
        return row.estimate
    return float("nan") if row.raw_difference is None else row.raw_difference


def p_of(row: Row) -> float:
    """The p-value of two groups: 1 where they do not differ at all, NaN where they do and were not tested."""
    if row.pair is not None and row.pair.p is not None:
        return row.pair.p
    if row.mean_a is None or row.mean_b is None:
        return float("nan")
    return float("nan") if difference(row.mean_a, row.mean_b) else 1.0


def kendall(one: np.ndarray, other: np.ndarray) -> float:
    """Kendall's tau-b of two orders of the same systems, ties counted; NaN where either has them all tied.

    >>> float(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])))  # two pairs agree, one does not
    0.3333333333333333
    """
    known = np.isfinite(one) & np.isfinite(other)
    a, b = _signs(one[known]), _signs(other[known])
    spread = float((a * a).sum()) * float((b * b).sum())
    return float((a * b).sum()) / float(np.sqrt(spread)) if spread else float("nan")


def knee(shares: Sequence[float], agreement: np.ndarray, threshold: float = 0.9) -> float | None:
    """The smallest share from which on agreement stays at the threshold or above; None where it never does.

    >>> knee([0.1, 0.2, 0.5, 1.0], np.array([0.92, 0.85, 0.9, 1.0]))
    0.5
    """
    found = None
    for share, value in zip(reversed(shares), reversed(agreement.tolist()), strict=True):
        if not value >= threshold - TIE:
            break
        found = share
    return found


def first_above(shares: Sequence[float], agreement: np.ndarray, threshold: float = 0.9) -> float | None:
    """The smallest share with agreement above the threshold, which is the knee of SIGIR 2007."""
    return next(
        (share for share, value in zip(shares, agreement.tolist(), strict=True) if value > threshold + TIE), None
    )


@dataclass(frozen=True)
class Confusion:
    """Verdicts with all judgments against verdicts with some; H0 says that two systems are equal.

    Parameters
    ----------
    kept
        H0 not rejected with all judgments, nor with some (C11 of SIGIR 2007).
    gained
        Not rejected with all, rejected with some (C12).
    lost
        Rejected with all, not with some (C21).
    found
        Rejected with both (C22).
    turned
        Of these, pairs whose difference has the other sign.

    Examples
    --------
    CLASSIC's: accuracy (60 + 216) / 300, true positives 60 / 75, precision 60 / 69, g = sqrt(.8 x .8696).

    >>> matrix = Confusion(60, 15, 9, 216, 0)
    >>> [round(value, 4) for value in (matrix.accuracy, matrix.true_positive, matrix.precision, matrix.g_mean)]
    [0.92, 0.8, 0.8696, 0.8341]
    >>> matrix.false_positive_rate  # 9 of 225 differences
    0.04
    """

    kept: int
    gained: int
    lost: int
    found: int
    turned: int

    @classmethod
    def of(cls, whole: np.ndarray, some: np.ndarray, same: np.ndarray) -> Confusion:
        """Count verdicts: whether each is rejected with all judgments, with some, and the difference has the same sign."""
        return cls(
            int((~whole & ~some).sum()),
            int((~whole & some).sum()),
            int((whole & ~some).sum()),
            int((whole & some).sum()),
            int((whole & some & ~same).sum()),
        )

    @property
    def accuracy(self) -> float | None:
        """Share of verdicts that are the same."""
        return _share(self.kept + self.found, self.kept + self.gained + self.lost + self.found)

    @property
    def true_positive(self) -> float | None:
        """Of the hypotheses that stand with all judgments, the share that stand with some."""
        return _share(self.kept, self.kept + self.gained)

    @property
    def precision(self) -> float | None:
        """Of the hypotheses that stand with some judgments, the share that stand with all."""
        return _share(self.kept, self.kept + self.lost)

    @property
    def false_positive_rate(self) -> float | None:
        """Of the hypotheses that are rejected with all judgments, the share that stand with some: differences that are missed."""
        return _share(self.lost, self.lost + self.found)

    @property
    def g_mean(self) -> float | None:
        """Geometric mean of the two."""
        parts = self.true_positive, self.precision
        return None if parts[0] is None or parts[1] is None else float(np.sqrt(parts[0] * parts[1]))


def _signs(values: np.ndarray) -> np.ndarray:
    """Sign of the difference of every two values, rounding aside."""
    i, j = np.triu_indices(len(values), 1)
    values = settled(values)
    found: np.ndarray = np.sign(values[i] - values[j])
    return found


def _share(part: int, of: int) -> float | None:
    """A share; None of nothing."""
    return part / of if of else None


@dataclass(frozen=True, eq=False)
class Rejudging:
    """The judgments of a study, to be replaced.

    Parameters
    ----------
    judged
        As they are.
    grades
        Grade of every judged pair, in the order of their numbers; NaN where it has none.
    rows
        The judgments as they were given, where a measure reads subtopics, each with the number of its pair
        (``judgment``); None where none does.
    """

    judged: GradedPairs
    grades: np.ndarray
    rows: pl.DataFrame | None = None

    @classmethod
    def of(cls, study: Study, measures: Iterable[Measure]) -> Rejudging:
        """Take the judgments of a study, merged by its settings, for some measures."""
        judged = GradedPairs.of(study)
        rows = _numbered_rows(study, judged) if any(reads_subtopics(measure) for measure in measures) else None
        return cls(judged, judged.grade.cast(pl.Float64).fill_null(np.nan).to_numpy(), rows)

    @property
    def key(self) -> np.ndarray:
        """Number of the key of every pair."""
        found: np.ndarray = self.judged.pairs.pairs.get_column("key").to_numpy()
        return found

    def under(self, grades: np.ndarray) -> GradedPairs:
        """The same pairs with these grades; NaN where a pair has none."""
        grade = pl.Series("grade", grades, dtype=pl.Float64, nan_to_null=True)
        made = GradedPairs(self.judged.pairs, grade, self.judged.whose, self.judged.settings, self._lifted(grade))
        if self.rows is None:
            return made
        left = self.rows.filter(pl.lit(grade.is_not_null()).gather(pl.col("judgment"))).drop("judgment").lazy()
        of_texts = self.judged.pairs if self.judged.pairs.documents is not None else JudgmentIndex.of(self.rows.lazy())
        for lift in (False, True):
            made._subtopics[lift] = Subtopics.of(left, self.judged.settings, of_texts, lift=lift)
        return made

    def _lifted(self, grade: pl.Series) -> pl.Series | None:
        """These grades as ``gain=lifted`` has them: as they were where they are the same, else alike."""
        if self.judged.lifted is None:
            return None
        same = pl.when(grade == self.judged.grade).then(self.judged.lifted).otherwise(grade)
        return pl.select(pl.when(grade.is_not_null()).then(same)).to_series().alias("grade")


def reads_subtopics(measure: Measure) -> bool:
    """Whether a measure reads the grades by subtopic, which stand beside the grade of the document."""
    return SUBTOPIC in (*measure.inner.needs().get("judgments", ()), *measure.inner.may_read.get("judgments", ()))


def under(batch: SessionBatch, judged: GradedPairs) -> SessionBatch:
    """A batch under other grades of the same pairs; what has nothing judged for its key any more has no key."""
    known = judged.keys
    if known.equals(batch.judged.keys):
        return replace(batch, judged=judged)
    there = pl.when(pl.lit(known).gather(pl.col("key"))).then(pl.col("key")).alias("key")
    sessions, queries = (frame.with_columns(there) for frame in (batch.sessions, batch.queries))
    return replace(batch, judged=judged, sessions=sessions, queries=queries)


def _numbered_rows(study: Study, judged: GradedPairs) -> pl.DataFrame:
    """The judgments as they were given that name a document, with the numbers of their pairs."""
    rows = study.judgments.drop_nulls(PAIR).collect()
    pairs = judged.pairs if judged.pairs.documents is not None else JudgmentIndex.of(rows.lazy())
    return rows.with_columns(pairs.judgment_of(pairs.key_of(rows["judgment_key"]), rows["doc_id"]).alias("judgment"))
