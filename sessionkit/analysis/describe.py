"""What a study looks like before anything is scored: sessions by length, searchers, design, recall base, lists,
judged share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.agreement import agreement_table, crossed, grades_table, judges_of
from sessionkit.analysis.design import crossing, design_of
from sessionkit.analysis.findings import Finding, traced
from sessionkit.analysis.phrases import reading_of
from sessionkit.analysis.record_accounts import heavy_losses
from sessionkit.analysis.study_questions import columns_of, questions_of
from sessionkit.display.words import counted
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.judgment_merge import merged_judgments
from sessionkit.scoring.reduction import run
from sessionkit.scoring.results_filter import judged_shown, results_shown
from sessionkit.scoring.selection import Selection
from sessionkit.study import Study
from sessionkit.study.query_counts import logged_queries
from sessionkit.study.restriction import Restriction, Where
from sessionkit.study.session_counts import repeats
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

FEW = 30
"""Where no session has more queries than this, the table of lengths also shows the lengths that none has."""
UNUSUAL = ("empty", "partly_observed", "not_logged")
"""Kinds of lists that are not as they were shown."""
SHORT = 10
"""A list with fewer results than this, or than the longest list of the study, is short."""


@dataclass(frozen=True, eq=False, repr=False)
class Description(Finding):
    """What a study looks like, as small tables; made by `sessionkit.describe`.

    Parameters
    ----------
    lengths
        ``system_id``, ``queries`` (number of logged queries of a session), ``sessions`` (ECIR 2008, Table 2).
    systems
        ``system_id``, ``sessions``, ``users``, ``topics``, ``queries``, ``mean_queries``.
    searchers
        ``feature``, ``n`` (searchers), ``mean``, ``sd`` (sample standard deviation over searchers, one row per
        searcher; Table 1).
    crossing
        ``system_id``, ``topic_id``, ``users``, ``sessions``: how often each system met each topic.
    design, design_note
        A name for the design and what it means for comparisons.
    recall_base
        ``judgment_key``, ``grade``, ``documents``: judged documents by grade after merging.
    recall_base_totals
        ``grade``, ``documents`` (of all keys together), ``mean`` (documents of a key), ``share_of_relevant`` (of the documents of grade
        1 and higher).
    judges
        How far judges agree, as `sessionkit.agreement` says it; without rows where judgments do
        not say who judged.
    judge_grades
        Which grades one judge gave where another gave which, as `sessionkit.agreement` says it.
    judged
        ``system_id``, ``results``, ``judged``, ``share``: of all results shown.
    lists
        ``system_id``, ``queries``, ``shown``, ``short`` (shown, but with fewer than 10 results, or than the study's
        longest list), ``empty``, ``partly_observed``, ``not_logged``, ``repeats`` (results whose document the session
        had shown before).
    columns
        Every column: ``in_table``, ``column``, ``type``; of sessions and users also ``rows``, ``missing``, ``distinct`` and
        ``values``, the commonest with their counts, or the range of numbers and times. What is ``counted`` of every session
        stands below.
    questions
        ``question``, ``answer`` (yes or no: whether the study can answer it), ``because``, ``command``.
    restriction
        Which sessions take part, where not all do.
    losses
        Where more than 1% of a table's records were rejected, or of a column's values set aside: a sentence for each.
    """

    lengths: pl.DataFrame
    systems: pl.DataFrame
    searchers: pl.DataFrame
    crossing: pl.DataFrame
    design: str
    design_note: str
    recall_base: pl.DataFrame
    recall_base_totals: pl.DataFrame
    judges: pl.DataFrame
    judge_grades: pl.DataFrame
    judged: pl.DataFrame
    lists: pl.DataFrame
    columns: pl.DataFrame
    questions: pl.DataFrame
    restriction: Restriction | None = None
    losses: tuple[str, ...] = ()

    @property
    def table(self) -> pl.DataFrame:
        """The main table: sessions, users, topics and queries by system."""
        return self.systems

    @property
    def reading(self) -> str:
        """What was logged, what was lost on reading, the design, and what the study can answer."""
        sessions, queries = self.systems.select(pl.col("sessions", "queries").sum()).row(0)
        answers = dict(self.questions.select("question", "answer").rows())
        can = [question for question, answer in answers.items() if answer == "yes"]
        questions = f"The study can answer {len(can)} of {len(answers)} questions; table questions says which."
        many = self.systems["system_id"].drop_nulls().len()
        systems = counted(many, "system") if many else "no system named"
        logged = f"{counted(sessions, 'session')} with {counted(queries, 'query')}; {systems}."
        said = [logged, *self.losses, f"Design: {self.design}: {self.design_note}.", questions]
        return reading_of(said, self.restriction)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        tables = {name: value for name, value in vars(self).items() if isinstance(value, pl.DataFrame)}
        return {**tables, "design": pl.DataFrame({"design": [self.design], "note": [self.design_note]})}

    def titled_tables(self) -> dict[str, pl.DataFrame]:
        """The tables as people print them, by title; the lengths and the recall base with one column per count and
        grade.
        """
        lengths = self.lengths.pivot(on="queries", index="system_id", values="sessions", sort_columns=False)
        found = {int(name) for name in lengths.columns if name != "system_id"}
        most = max(found, default=0)
        every = found | set(range(1, most + 1)) if most <= FEW else found
        lengths = lengths.with_columns(pl.lit(0, pl.Int64).alias(str(count)) for count in every - found)
        counts = [str(count) for count in sorted(every)]
        lengths = lengths.select("system_id", *counts).join(
            self.systems.select("system_id", "mean_queries"), on="system_id", nulls_equal=True
        )
        base = self.recall_base.pivot(on="grade", index="judgment_key", values="documents")
        grades = sorted((name for name in base.columns if name != "judgment_key"), key=float)
        named = {name: f"grade {float(name):g}" for name in grades}
        shown = {
            "Systems": self.systems,
            "Sessions by number of queries": lengths.with_columns(pl.col(counts).fill_null(0)),
            "Searchers": self.searchers,
            "Sessions by system and topic": self.crossing,
            "Recall base by grade": base.select("judgment_key", *grades)
            .with_columns(pl.col(grades).fill_null(0))
            .rename(named),
            "Recall base of all topics by grade": self.recall_base_totals,
            "Agreement of judges (kappa of two, alpha of all)": self.judges,
            "Grades of one judge by those of another": crossed(self.judge_grades),
            "Judged share of the results": self.judged,
            "Result lists": self.lists,
        }
        return {title: table for title, table in shown.items() if len(table)}

    def contents(self) -> dict[str, pl.DataFrame]:
        """The columns with their values, which may name people, and the questions that the study can answer, by title."""
        return {
            "Columns of sessions and users": self.columns.filter(pl.col("values").is_not_null()),
            "Questions that the study can answer": self.questions,
        }

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading, and the tables as people print them."""
        return self.reading.splitlines(), {**self.titled_tables(), **self.contents()}


@traced
@guarded_read
def describe(study: Study, *, where: Where = None) -> Description:
    """Describe a study.

    Parameters
    ----------
    study
        The study.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.

    Returns
    -------
    Description
        Its tables; systems in order of their names, a null ``system_id`` where the log names none.

    Examples
    --------
    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "a", "b"]}
    >>> study = sk.from_tables(
    ...     results=lists | {"topic_id": ["t"] * 3}, judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    ... )
    >>> sk.describe(study).lengths.select("queries", "sessions").rows()
    [(1, 1), (2, 1)]
    """
    study = restricted(study, where)
    sessions = logged_queries(study, ["user_id", "system_id", "topic_id"])
    design, note = design_of(sessions)
    count = pl.len().cast(pl.Int64)
    (counted,) = run(study, [ListsReduction()])
    systems = sessions.group_by("system_id").agg(
        sessions=count,
        users=pl.col("user_id").drop_nulls().n_unique().cast(pl.Int64),
        topics=pl.col("topic_id").drop_nulls().n_unique().cast(pl.Int64),
        queries=pl.col("many").sum(),
        mean_queries=pl.col("many").mean(),
    )
    lengths = sessions.group_by("system_id", queries="many").agg(sessions=count).sort("system_id", "queries")
    columns, judges = columns_of(study), judges_of(study)
    base = merged_judgments(study).group_by("judgment_key", "grade").agg(documents=count)
    recall_base = base.sort("judgment_key", "grade").collect()
    return Description(
        lengths=lengths,
        systems=systems.sort("system_id"),
        searchers=_searchers(study),
        crossing=crossing(sessions),
        design=design,
        design_note=note,
        recall_base=recall_base,
        recall_base_totals=_totals(recall_base),
        judges=agreement_table(judges),
        judge_grades=grades_table(judges),
        judged=_judged(counted),
        lists=_lists(counted),
        columns=columns,
        questions=questions_of(study, columns, lengths, design),
        restriction=study.restriction,
        losses=tuple(f"{loss}; sessionkit check says why" for loss in heavy_losses(study)),
    )


def _searchers(study: Study) -> pl.DataFrame:
    """Mean and standard deviation of every numeric feature over searchers."""
    users = study.users.collect()
    numbers = [name for name, dtype in users.schema.items() if dtype.is_numeric()]
    texts = [name for name, dtype in users.schema.items() if dtype == pl.String and name != "user_id"]
    for name in texts:
        as_number = users.get_column(name).cast(pl.Float64, strict=False)
        if as_number.null_count() == users.get_column(name).null_count() and as_number.count():
            users = users.with_columns(as_number)
            numbers.append(name)
    order = [name for name in users.columns if name in numbers]
    rows = [
        (name, column.count(), column.cast(pl.Float64).mean(), column.cast(pl.Float64).std())
        for name in order
        for column in [users[name]]
    ]
    return pl.DataFrame(
        rows, schema={"feature": pl.String, "n": pl.Int64, "mean": pl.Float64, "sd": pl.Float64}, orient="row"
    )


def _totals(recall_base: pl.DataFrame) -> pl.DataFrame:
    """The recall base of all keys together, by grade."""
    keys = recall_base.get_column("judgment_key").n_unique()
    documents = pl.col("documents")
    relevant = documents.filter(pl.col("grade") >= 1).sum()
    totals = recall_base.group_by("grade").agg(documents.sum()).sort("grade")
    share = pl.when(pl.col("grade") >= 1).then(exact.quotient(documents, relevant))
    return totals.with_columns(mean=exact.quotient(documents, pl.lit(keys)), share_of_relevant=share)


def _judged(counted: pl.DataFrame) -> pl.DataFrame:
    """Judged share of all results shown, by system."""
    shown = counted.filter(pl.col("length").is_null(), pl.col("results") > 0)
    return shown.select("system_id", "results", "judged", share=pl.col("judged") / pl.col("results"))


def _lists(counted: pl.DataFrame) -> pl.DataFrame:
    """Kinds of result lists by system, and results that repeat a document of their session."""
    status, length = pl.col("results_status"), pl.col("length")
    lists = counted.filter(length.is_not_null())
    many = {name: pl.col("queries").filter(status == name).sum() for name in ("shown", *UNUSUAL)}
    short = length < pl.min_horizontal(pl.lit(SHORT), length.max())
    kinds = (
        lists.with_columns(short=short)
        .group_by("system_id")
        .agg(
            pl.col("queries").sum(),
            short=pl.col("queries").filter((status == "shown") & pl.col("short")).sum(),
            **many,
        )
    )
    repeats = counted.filter(length.is_null()).select("system_id", "repeats")
    found = kinds.join(repeats, on="system_id", how="left", nulls_equal=True)
    return found.select("system_id", "queries", "shown", "short", *UNUSUAL, "repeats").sort("system_id")


COUNTS = ("queries", "repeats", "results", "judged")
KEYS = ["system_id", "results_status", "length"]
PART = pl.Schema(
    {"system_id": pl.String(), "results_status": pl.String(), "length": pl.Int64(), **dict.fromkeys(COUNTS, pl.Int64())}
)
"""A row for each kind of list of a system with its ``queries``; one without a length for what sessions have."""


@dataclass(frozen=True, eq=False)
class ListsReduction:
    """Count the lists of every system by their status and length, its results, and those that are judged or repeat one."""

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return {"sessions": ["system_id"], "results": ["doc_id"]}

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """The counts of a batch."""
        system = batch.features["system_id"]
        lists = batch.queries.select("results_status", "length", system_id=system.gather(batch.queries["session"]))
        of_lists = lists.group_by(KEYS).agg(queries=pl.len())
        sessions = pl.DataFrame(
            {
                "system_id": system,
                "repeats": repeats(
                    batch.results["doc_id"], batch.queries["session"].gather(batch.results["query"]), len(system)
                ),
                "results": results_shown(batch, Selection(), "session"),
                "judged": judged_shown(batch, Selection(), "session"),
            }
        )
        of_systems = sessions.group_by("system_id").agg(pl.col(COUNTS[1:]).sum())
        both = pl.concat([of_lists, of_systems], how="diagonal_relaxed")
        return both.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        return pl.concat([PART.to_frame(), *parts]).group_by(KEYS).agg(pl.col(COUNTS).sum())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in order."""
        return self.added([*parts]).sort(KEYS)
