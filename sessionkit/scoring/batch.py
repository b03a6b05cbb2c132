"""Whole sessions in memory with their judgments: one grade per document, graded pairs, subtopics, and row numbers in place of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import polars as pl

from sessionkit.errors import DataError, DataWarning, warn
from sessionkit.scoring import exact
from sessionkit.scoring.gains import check_grades, gain_expr
from sessionkit.study import Settings, Study
from sessionkit.study.batches import IDS, ROWS, Ahead, in_order, slices
from sessionkit.study.counts import reads, with_counts
from sessionkit.study.numbering import (
    JUDGMENT,
    KEY,
    LENGTH,
    PAIR,
    QUERIES,
    JudgmentIndex,
    counts,
    key_numbers,
    placed,
    query_of,
    repeated,
    session_of,
)
from sessionkit.study.settings import WHOLE_MERGES
from sessionkit.study.storage import StoredBatch, StudyBatch
from sessionkit.study.study import Memo

OWN = {
    "queries": ("query", "session", "query_position", "key", "logged", "length", "results_status", "judgment_key"),
    "results": ("query", "rank", "judgment"),
}
"""Columns of queries and results that every batch has."""


@dataclass(frozen=True, eq=False)
class SessionBatch:
    """Some whole sessions.

    Parameters
    ----------
    judged
        The judgments of the whole study.
    sessions
        ``session`` (UInt32, the row's number), ``session_id``, ``key`` (number of its judgment_key; null where nothing
        is judged for it).
    features
        The sessions' columns that were read, and those of their users, under the log's own names, in the same order.
    queries
        ``query`` (UInt32, the row's number), ``session``, ``query_position``, ``key`` (its own, else the session's),
        ``logged`` and ``length`` (results).
    results
        ``query``, ``rank``, ``judgment`` (UInt32, null where unjudged) and what else was read, sorted by query and rank.
    own_keys
        Whether queries can have keys of their own.
    gaps, repeats
        Whether a list can have gaps in its ranks; whether it can show a document twice.
    memo
        What was worked out of it: the last `sessionkit.scoring.histogram.GainHistogram`, the values of its sessions,
        the searchers' own grades. A batch made by `replace` has a memo of its own.
    """

    judged: GradedPairs
    sessions: pl.DataFrame
    features: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    own_keys: bool = False
    gaps: bool = True
    repeats: bool = True
    memo: Memo = field(default_factory=Memo, init=False, repr=False)

    @classmethod
    def of(
        cls,
        sessions: pl.DataFrame,
        queries: pl.DataFrame,
        results: pl.DataFrame,
        judged: GradedPairs,
        *,
        gaps: bool = True,
        repeats: bool = True,
    ) -> SessionBatch:
        """Number the rows of whole sessions that have their ids.

        Parameters
        ----------
        sessions, queries, results
            The columns of `IDS` and any others; ``judgment_key`` of queries where they have one. In any order.

        Raises
        ------
        DataError
            If a row's session or query is not there.
        """
        sessions, queries, results = (
            in_order(frame, name)
            for frame, name in ((sessions, "sessions"), (queries, "queries"), (results, "results"))
        )
        session = session_of(queries, sessions["session_id"], "queries")
        placed = queries.select("query_position", session=session)
        asked_in = session_of(results, sessions["session_id"], "results")
        query = query_of(asked_in, results["query_position"], placed, len(sessions))
        key = key_numbers(judged.pairs, sessions, queries, session)
        judgment = judged.pairs.judgment_of(key.gather(query), results["doc_id"])
        return cls._made(
            judged,
            sessions,
            queries.with_columns(session=session, length=counts(query, len(queries))),
            results.drop("session_id", "query_position").with_columns(query=query, judgment=judgment),
            gaps=gaps,
            repeats=repeats,
        )

    @classmethod
    def of_slice(
        cls, part: StudyBatch, judged: GradedPairs, *, gaps: bool = True, repeats: bool = True
    ) -> SessionBatch:
        """Make the batch of a slice, whose private columns stand in for the ids."""
        if not part.numbered:
            return cls.of(part.sessions, part.queries, part.results, judged, gaps=gaps, repeats=repeats)
        last = part.results[JUDGMENT].max()
        highest = -1 if last is None else int(str(last))
        if highest >= len(judged.pairs.pairs):
            raise DataError(
                f"results refer to judgment {highest}, but there are only {len(judged.pairs.pairs)} (numbered from 0): a file of the "
                "study was changed; sessionkit check --verify shows which"
            )
        session = repeated(pl.int_range(len(part.sessions), dtype=pl.UInt32, eager=True), part.sessions[QUERIES])
        query = repeated(pl.int_range(len(part.queries), dtype=pl.UInt32, eager=True), part.queries[LENGTH])
        return cls._made(
            judged,
            part.sessions,
            part.queries.with_columns(session=session).rename({LENGTH: "length"}),
            part.results.rename({JUDGMENT: "judgment"}).with_columns(query=query),
            gaps=gaps,
            repeats=repeats,
        )

    @classmethod
    def _made(
        cls,
        judged: GradedPairs,
        sessions: pl.DataFrame,
        queries: pl.DataFrame,
        results: pl.DataFrame,
        *,
        gaps: bool,
        repeats: bool,
    ) -> SessionBatch:
        """Give sessions and queries their numbers and the numbers of their keys."""
        own = judged_only(judged.pairs.key_of(sessions["judgment_key"]), judged)
        number = pl.int_range(len(sessions), dtype=pl.UInt32, eager=True)
        numbered = pl.DataFrame([number.alias("session"), sessions["session_id"], own])
        key = own.gather(queries["session"])
        own_keys = "judgment_key" in queries.columns
        if own_keys:
            other = judged_only(judged.pairs.key_of(queries["judgment_key"]), judged)
            given = queries["judgment_key"].is_not_null()
            key = pl.select(pl.when(given).then(other).otherwise(key)).to_series()
        queries = queries.with_columns(
            query=pl.int_range(pl.len(), dtype=pl.UInt32),
            key=key,
            logged=pl.col("results_status") != "not_logged",
        )
        return cls(judged, numbered, sessions, queries, results, own_keys, gaps, repeats)

    def reading(self, columns: Mapping[str, Sequence[str]]) -> SessionBatch:
        """The same batch without what nobody asked for: of queries and results only these columns, beside `OWN`.

        Both have one memo. Columns that others read cost a task nothing then, as every filter of rows moves all their
        columns.
        """
        tables = {"queries": self.queries, "results": self.results}
        asked = {name: {*own, *columns.get(name, ())} for name, own in OWN.items()}
        if all(asked[name].issuperset(frame.columns) for name, frame in tables.items()):
            return self
        kept = {
            name: frame.select(one for one in frame.columns if one in asked[name]) for name, frame in tables.items()
        }
        narrow = replace(self, queries=kept["queries"], results=kept["results"])
        object.__setattr__(narrow, "memo", self.memo)  # the rows are the same
        return narrow

    def counting(self, names: Sequence[str]) -> SessionBatch:
        """The same batch with what is counted of its sessions among their columns, see `sessionkit.study.counts`."""
        of = self.queries["session"], self.queries["session"].gather(self.results["query"])
        return replace(self, features=with_counts(names, self.features, self.queries, self.results, of))

    def base(self, grades: str) -> GradedPairs:
        """Whose grades count: the judgments, or the searchers' own, the highest per session and document."""
        return self.judged if grades == "judgments" else self.memo.once("own grades", self._own_grades)

    def _own_grades(self) -> GradedPairs:
        """The searchers' own grades: of several for a document of a session the highest."""
        rows = self.results.filter(pl.col("user_grade").is_not_null())
        rows = rows.select("doc_id", "user_grade", key=self.queries["session"].gather(rows["query"]))
        best = rows.group_by("key", "doc_id").agg(grade=pl.col("user_grade").max().cast(pl.Float64)).sort("key")
        document = pl.int_range(pl.len(), dtype=pl.UInt32)
        pairs = best.select("key", document=document, judgment=document)
        keys = pl.DataFrame({"key": pl.int_range(len(self.sessions), dtype=pl.UInt32, eager=True)})
        numbered = JudgmentIndex(keys, best.select("doc_id"), pairs)
        return GradedPairs(numbered, best["grade"], "the searchers' own grades", self.judged.settings)


def only_sessions(batch: SessionBatch, keep: np.ndarray) -> SessionBatch:
    """The part of a batch that some of its sessions make, whose rows are numbered anew."""
    if bool(keep.all()):
        return batch
    kept = pl.Series("keep", keep)
    queries = kept.gather(batch.queries["session"])
    results = queries.gather(batch.results["query"])
    return replace(
        batch,
        sessions=_renumbered(batch.sessions.filter(kept), "session"),
        features=batch.features.filter(kept),
        queries=_renumbered(_moved(batch.queries.filter(queries), "session", keep), "query"),
        results=_moved(batch.results.filter(results), "query", queries.to_numpy()),
    )


def _renumbered(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rows numbered from 0 in a column that they have."""
    return rows.with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).alias(name))


def _moved(rows: pl.DataFrame, name: str, keep: np.ndarray) -> pl.DataFrame:
    """Rows with the numbers that what they belong to has once only some of it is kept."""
    number = pl.Series("number", np.cumsum(keep) - 1).cast(pl.UInt32, strict=False)
    return rows.with_columns(number.gather(rows[name]).alias(name))


@dataclass(frozen=True, eq=False)
class CachedBatches:
    """All batches of a study, in order, with the columns by table that were read for them."""

    columns: Mapping[str, Sequence[str]]
    batches: Sequence[SessionBatch]


def judged_only(key: pl.Series, judged: GradedPairs) -> pl.Series:
    """Numbers of keys, null where nothing is judged for them."""
    if not len(judged.keys):
        return pl.Series("key", [None] * len(key), dtype=pl.UInt32)
    return pl.select(pl.when(judged.keys.gather(key)).then(key)).to_series().alias("key")


def batches(
    study: Study,
    columns: Mapping[str, Sequence[str]],
    rows: int = ROWS,
    stored: Sequence[StoredBatch] | None = None,
    per_query: int = 0,
) -> Iterator[SessionBatch]:
    """Cut a study into batches of about so many results.

    Parameters
    ----------
    columns
        What to read beside what every batch needs, by table; columns of ``users`` are put beside their sessions, and so is
        what is counted of sessions, which stands among their columns.
    rows, per_query
        Results of a batch, and as how many more each query counts, see `sessionkit.study.batches`.
    stored
        Of a saved study, only these of its parts; all if not given.
    """
    for cached in study.memo.held(CachedBatches) if stored is None else ():
        # a measure may name columns of judgments too, which no batch holds: they are in GradedPairs
        if all({*cached.columns[name]}.issuperset(columns.get(name, ())) for name in cached.columns):
            yield from (batch.reading(columns) for batch in cached.batches)
            return
    own = study.columns("sessions")
    counted = [name for name in columns.get("sessions", ()) if name not in own]
    beneath = reads(study, counted) if counted else {}
    read: dict[str, list[str]] = {name: [*columns.get(name, ()), *beneath.get(name, ())] for name in IDS}
    read["sessions"] = [name for name in read["sessions"] if name not in counted]
    read["sessions"] += ["session_id", "judgment_key", *(["user_id"] if columns.get("users") else [])]
    read["queries"] += ["results_status", *(["judgment_key"] if "judgment_key" in study.columns("queries") else [])]
    if study.storage.stored is None and study.storage.rows is None:
        read = {name: [*IDS[name], *read[name]] for name in IDS}
    of_users = [name for name in columns.get("users", ()) if name != "user_id"]
    users = study.users.select("user_id", *of_users).collect() if of_users else None
    with closing(Ahead(slices(study, read, rows, stored, per_query))) as parts:
        judged, facts = GradedPairs.of(study), study.facts
        for part in parts:
            if users is not None:
                beside = part.sessions.join(users, on="user_id", how="left", maintain_order="left")
                part = replace(part, sessions=beside)  # noqa: PLW2901 - the same slice, with more columns
            gaps, repeats = bool(facts.lists_with_gaps), bool(facts.repeats_in_lists)
            batch = SessionBatch.of_slice(part, judged, gaps=gaps, repeats=repeats)
            yield batch.counting(counted) if counted else batch


MERGED = "the judgments"
"""Whose grades they are where they were merged, for messages."""


class HasGain(Protocol):
    """Something that says what a grade is worth: a measure, or a `GradeWorth`."""

    @property
    def gain(self) -> str:
        """Canonical text of the gain."""

    @property
    def min_grade(self) -> float:
        """Lowest relevant grade, for ``gain=binary``."""


@dataclass(frozen=True)
class GradeWorth:
    """What a grade is worth, of no measure in particular."""

    gain: str
    min_grade: float = 1


def gain_name(measure: HasGain) -> str:
    """Name of the column that holds a measure's gains."""
    return f"gain={measure.gain},min_grade={measure.min_grade}"


@dataclass(frozen=True, eq=False)
class GradedPairs:
    """Numbered judgments; made once for a study and shared by all its batches.

    Parameters
    ----------
    pairs
        The numbered pairs (key, document).
    grade
        Grade of each pair, in the order of their numbers; null where the pair is pooled only.
    lifted
        The same for ``gain=lifted``, where that differs: what is merged by ``sum`` is added up of ratings of at least 1.
    whose
        Where the grades are from, for messages.
    settings
        What was declared of the study.
    rows
        The judgments as they were given, where they name subtopics; stays behind in this process.
    """

    pairs: JudgmentIndex
    grade: pl.Series
    whose: str = MERGED
    settings: Settings = field(default_factory=Settings)
    lifted: pl.Series | None = None
    rows: pl.LazyFrame | None = field(default=None, repr=False)
    _subtopics: dict[bool, Subtopics] = field(default_factory=dict, init=False, repr=False)
    _gains: dict[str, pl.Series] = field(default_factory=dict, init=False, repr=False)
    _ideals: dict[str, pl.DataFrame] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, study: Study) -> GradedPairs:
        """The judgments of a study, merged by its settings."""
        with study.explaining_replacement():
            return study.memo.once("graded pairs", lambda: cls._numbered(study) or cls._read(study))

    @classmethod
    def _numbered(cls, study: Study) -> GradedPairs | None:
        """Judgments by their saved numbers, without a look at their texts; None where the log lacks these numbers."""
        saved, stored = study.storage.numbered_judgments, study.storage.stored
        if saved is None or stored is None or not all(part.numbered for part in stored):
            return None
        read = saved.select(columns_merged(study.settings, saved.collect_schema().names())).collect().lazy()
        pairs = JudgmentIndex.numbered(read)

        def grade(lift: bool) -> pl.Series:
            rows = merged(read, study.settings, [JUDGMENT], KEY, lift=lift).select(JUDGMENT, "grade").collect()
            return placed(rows["grade"], rows[JUDGMENT], len(pairs.pairs))

        return cls._of(study, pairs, grade)

    @classmethod
    def _read(cls, study: Study) -> GradedPairs:
        """Judgments by their texts."""
        pairs = JudgmentIndex.of(study.judgments)

        def grade(lift: bool) -> pl.Series:
            rows = (merged(study.judgments, study.settings, lift=True) if lift else merged_judgments(study)).collect()
            number = pairs.judgment_of(pairs.key_of(rows["judgment_key"]), rows["doc_id"])
            return placed(rows["grade"], number, len(pairs.pairs))

        return cls._of(study, pairs, grade)

    @classmethod
    def _of(cls, study: Study, pairs: JudgmentIndex, grade: Callable[[bool], pl.Series]) -> GradedPairs:
        """Merged judgments with what else the study says of them."""
        rows = study.judgments if SUBTOPIC in study.columns("judgments") else None
        lifted = grade(True) if study.settings.merge == "sum" else None
        return cls(pairs, grade(False), settings=study.settings, lifted=lifted, rows=rows)

    @property
    def keys(self) -> pl.Series:
        """For the number of each key: whether anything is judged for it."""
        if "keys" not in self._gains:
            judged = self.pairs.pairs.filter(self.grade.is_not_null()).get_column("key").unique()
            known = pl.int_range(len(self.pairs.keys), dtype=pl.UInt32, eager=True)
            self._gains["keys"] = known.is_in(judged.implode())
        return self._gains["keys"]

    def subtopics(self, gain: str = "linear") -> Subtopics | None:
        """The grades by subtopic for a gain, made when they are first asked for; None where the judgments name none."""
        lift = gain == "lifted" and self.lifted is not None
        if self.rows is not None and lift not in self._subtopics:
            pairs = self.pairs if self.pairs.documents is not None else JudgmentIndex.of(self.rows)
            self._subtopics[lift] = Subtopics.of(self.rows, self.settings, pairs, lift=lift)
        return self._subtopics.get(lift)

    def grades(self, gain: str) -> pl.Series:
        """Grade of each pair as a gain has it, see `lifted`."""
        return self.lifted if gain == "lifted" and self.lifted is not None else self.grade

    def gain(self, measure: HasGain) -> pl.Series:
        """Gain of each pair under a measure, in the order of their numbers; 0 where it has no grade.

        Raises
        ------
        DataError
            If a grade is not covered by the measure's gain.
        """
        name = gain_name(measure)
        if name not in self._gains:
            grades = self.grades(measure.gain).alias("grade").to_frame()
            advice = "use gain=linear or exp2"
            if self.settings.merge == "mean" and self.whose == MERGED:
                advice = f"{advice}, or {WHOLE_MERGES}"
            check_grades(grades.drop_nulls().unique(), measure.gain, measure.min_grade, self.whose, advice)
            gains = grades.select(
                gain_expr(pl.col("grade"), measure.gain, measure.min_grade).fill_null(0.0).alias(name)
            )
            self._gains[name] = gains.to_series()
        return self._gains[name]

    def relevant(self, measures: Iterable[HasGain]) -> pl.Series:
        """Whether each pair gains something under one of some measures, in the order of their numbers."""
        named = {gain_name(measure): measure for measure in measures}
        name = f"any of {sorted(named)}"
        if name not in self._gains:
            gains = pl.DataFrame([self.gain(measure) for measure in named.values()])
            some = pl.any_horizontal(pl.all() > 0) if named else pl.lit(value=False)
            self._gains[name] = gains.select(some.alias(name)).to_series()
        return self._gains[name]

    def ideal_list(self, measure: HasGain) -> pl.DataFrame:
        """The recall base of every key in the best order: ``key``, ``rank`` (from 1), ``gain`` (above 0, falling)."""
        name = gain_name(measure)
        if name not in self._ideals:
            base = self.pairs.pairs.select("key", self.gain(measure).alias("gain")).filter(pl.col("gain") > 0)
            best = base.sort("key", "gain", descending=[False, True])
            rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("key")
            self._ideals[name] = best.select("key", "gain", rank=rank)
        return self._ideals[name]

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be worked out again behind when sent to another process, and take the subtopics along."""
        for gain in ("linear", "lifted"):
            self.subtopics(gain)
        return {**self.__dict__, "rows": None, "_gains": {}, "_ideals": {}}


def merged_judgments(study: Study) -> pl.LazyFrame:
    """Grades as scoring uses them: columns ``judgment_key``, ``doc_id``, ``grade``, one row per judged document of a key.

    The rules: ``max``, ``sum``, ``mean`` (see `_mean`), ``median``, ``majority`` (the most frequent grade, the highest of
    equally frequent ones), ``first`` (in the order of the file), ``alternate`` (Järvelin & Kekäläinen: where grades differ by one, each
    judge in turn, in the order of ``judge_id`` where it is given and of the file where not; where they differ by more,
    the highest, and a warning lists them for review).
    """

    def rows() -> pl.DataFrame:
        return merged(study.judgments, study.settings).select(*PAIR, "grade").collect()

    return study.memo.once("merged judgments", rows).lazy()  # it may warn, which is done once


def columns_merged(settings: Settings, columns: Sequence[str]) -> list[str]:
    """Of the columns of saved judgments those that `merged` reads, and the texts of their keys."""
    wanted = ["judgment_key", KEY, JUDGMENT, "grade"]
    if settings.merge == "alternate":
        wanted += ["doc_id", "judge_id"]
    return [name for name in wanted if name in columns]


def merged(
    judgments: pl.LazyFrame,
    settings: Settings,
    by: Sequence[str] = PAIR,
    key: str = "judgment_key",
    *,
    lift: bool = False,
) -> pl.LazyFrame:
    """One grade for all judgments that agree in some columns, by the rule of the settings.

    Parameters
    ----------
    by
        The columns, whose order begins with that of (judgment_key, doc_id).
    key
        The column of the judgment_key, or of its number.
    lift
        Whether grades from 0 to 1 count as 1 before they are merged, as ``gain=lifted`` has it.
    """
    unjudged = pl.col("grade").is_in(list(settings.unjudged_grades or ()))
    judged = judgments.filter(pl.col("grade").is_not_null() & ~unjudged)
    grade = pl.col("grade")
    if settings.merge in ("sum", "mean"):
        _require_addable(judged, settings.merge)
    if lift:
        judged = judged.with_columns(pl.when(grade.is_between(0, 1)).then(1.0).otherwise(grade).alias("grade"))
    if settings.merge == "alternate":
        by_judge = "judge_id" in judgments.collect_schema().names()
        return _alternate(judged.sort("judge_id") if by_judge else judged, by, key)
    if settings.merge == "mean":
        return _mean(judged, by)
    rule = {
        "max": grade.max(),
        "sum": exact.unfixed(exact.fixed(grade).sum()),
        "median": grade.median(),
        "majority": grade.mode().max(),
        "first": grade.first(),
    }[settings.merge]
    return judged.group_by(by, maintain_order=settings.merge == "first").agg(rule)


def _require_addable(judged: pl.LazyFrame, merge: str) -> None:
    """Raise DataError where a grade is too large to be added exactly."""
    largest = judged.select(pl.col("grade").abs().max()).collect().item()
    if largest is not None and not largest < exact.LARGEST_GAIN:
        raise DataError(
            f"merge={merge}: the judgments have grade {largest:g} (or its negative); grades must stay below 2^30 to be added exactly"
        )


def _mean(judged: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
    """Average the grades of 0 and above; where all are negative, the highest stands for them, which gains nothing.

    Negative grades say in which way a document is not relevant (-2 is junk in TREC Web qrels), not by how much: grades
    3, 1 and -2 have the mean 2. The sum is exact, so the mean is the same in any order of the rows.
    """
    grade = pl.col("grade")
    scaled = grade.filter(grade >= 0)
    sums = judged.group_by(by).agg(total=exact.fixed(scaled).sum(), n_scaled=scaled.count(), highest=grade.max())
    mean = exact.quotient(exact.unfixed(pl.col("total")), pl.col("n_scaled"))
    return sums.select(*by, grade=pl.when(pl.col("n_scaled") > 0).then(mean).otherwise(pl.col("highest")))


def _alternate(judged: pl.LazyFrame, by: Sequence[str], key: str) -> pl.LazyFrame:
    """Each judge in turn where the grades of a document differ by one, the highest grade where they differ by more."""
    texts = [pl.col(name).first() for name in (key, *PAIR) if name not in by]
    grades = judged.group_by(by, maintain_order=True).agg("grade", *texts).sort(by).collect()
    spread = pl.col("grade").list.max() - pl.col("grade").list.min()
    turn = ((spread == 1).cast(pl.Int64).cum_sum() - 1).over(key) % pl.col("grade").list.len().cast(pl.Int64)
    review = grades.filter(spread > 1)
    if len(review):
        finer = [name for name in by if name not in (*PAIR, JUDGMENT)]
        first = review.select(*PAIR, *finer).head(5).iter_rows()
        listed = ", ".join("/".join(text for text in row if text is not None) for row in first)
        text = (
            f"merge=alternate: documents whose grades differ by more than 1 get the highest; review all {len(review)}"
        )
        warn(DataWarning(f"{text}: {listed}", text))
    chosen = pl.when(spread == 1).then(pl.col("grade").list.get(turn)).otherwise(pl.col("grade").list.max())
    return grades.lazy().with_columns(grade=chosen)


SUBTOPIC, PASSAGE, NUGGET = "subtopic_id", "passage_id", "nugget_id"


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Grades by subtopic, in numbers.

    Parameters
    ----------
    grades
        ``key``, ``judgment`` (number of the pair), ``subtopic`` (its number in the study) and ``grade``, merged by the
        study's rule.
    nuggets
        ``key``, ``judgment``, ``nugget`` (its number in the study), ``rating``, the highest that any document has for it,
        and ``times``, how many passages of the document say it. A nugget is what passages of a subtopic with the same
        nugget_id say, without one the passage, either of which several documents may have in common; judgments without
        a passage_id, too, make each document's part of a subtopic a nugget of its own.
    """

    grades: pl.DataFrame
    nuggets: pl.DataFrame

    @classmethod
    def of(cls, judgments: pl.LazyFrame, settings: Settings, pairs: JudgmentIndex, *, lift: bool = False) -> Subtopics:
        """Number the subtopics and nuggets of a table of judgments; rows without a subtopic are left out.

        With `lift`, ratings of 0 count as 1 before they are merged.

        >>> judgments = pl.LazyFrame(
        ...     {"judgment_key": ["t"] * 3, "doc_id": ["a", "a", "b"], "subtopic_id": ["1", "2", "2"], "grade": [2.0, 1.0, 1.0]}
        ... )
        >>> made = Subtopics.of(judgments, Settings(), JudgmentIndex.of(judgments))
        >>> made.grades.select("judgment", "subtopic", "grade").rows()
        [(0, 0, 2.0), (0, 1, 1.0), (1, 1, 1.0)]
        """
        rows = judgments.filter(pl.all_horizontal(pl.col(*PAIR, SUBTOPIC).is_not_null())).collect()
        grades = _numbered(merged(rows.lazy(), settings, [*PAIR, SUBTOPIC], lift=lift).collect(), pairs)
        grades = grades.with_columns(subtopic=_number("key", SUBTOPIC))
        own = [*PAIR, SUBTOPIC, PASSAGE, NUGGET]
        rows = rows.with_columns(pl.lit(None, pl.String).alias(name) for name in own if name not in rows.columns)
        nuggets = _numbered(merged(rows.lazy(), settings, own, lift=lift).collect(), pairs)
        nuggets = nuggets.with_columns(said=pl.coalesce(NUGGET, PASSAGE))
        alone = pl.when(pl.col("said").is_null()).then(pl.col("judgment"))
        nuggets = nuggets.with_columns(alone=alone).with_columns(nugget=_number("key", SUBTOPIC, "said", "alone"))
        nuggets = nuggets.with_columns(rating=pl.col("grade").max().over("nugget"))
        nuggets = nuggets.group_by("key", "judgment", "nugget", "rating").agg(times=pl.len().cast(pl.Float64))
        return cls(
            grades.select("key", "judgment", "subtopic", "grade").sort("judgment", "subtopic"),
            nuggets.select("key", "judgment", "nugget", "rating", "times").sort("judgment", "nugget"),
        )


def _numbered(grades: pl.DataFrame, pairs: JudgmentIndex) -> pl.DataFrame:
    """Merged judgments with the numbers of their keys and pairs."""
    key = pairs.key_of(grades["judgment_key"]).alias("key")
    return grades.with_columns(key, pairs.judgment_of(key, grades["doc_id"]).alias("judgment"))


def _number(*of: str) -> pl.Expr:
    """Number from 0 of each distinct combination of some columns, in their order."""
    return (pl.struct(of).rank("dense") - 1).cast(pl.UInt32)
