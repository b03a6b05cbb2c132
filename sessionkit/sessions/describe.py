"""What a study looks like before it is scored: sessions, searchers, design, recall base, lists, and the questions it can answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from sessionkit.arguments import StudyTable
from sessionkit.display.numbers import counted, listed
from sessionkit.display.statements import Kind, Statement
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch, merged_judgments
from sessionkit.scoring.filter import Selection, judged_shown, results_shown
from sessionkit.scoring.reduction import run
from sessionkit.sessions.record_accounts import Loss, heavy_losses
from sessionkit.statistics.agreement import agreement_table, crossed, grades_table, judges_of
from sessionkit.statistics.design import crossing, design_of
from sessionkit.statistics.findings import SESSIONS, Finding, stated, traced
from sessionkit.study import Study
from sessionkit.study.counts import COUNTS, logged_queries, repeats
from sessionkit.study.counts import counted as counted_columns
from sessionkit.study.restriction import Restriction, Where, values_text
from sessionkit.study.schema import TABLES
from sessionkit.study.selection import restricted
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
    lost
        Tables of which more than 1% of the records were rejected, and columns of which more than 1% of the values were set aside.
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
    lost: tuple[Loss, ...] = ()
    KINDS: ClassVar = {
        **SESSIONS,
        "log": Kind(
            "What was logged",
            {
                "sessions": "number of sessions",
                "queries": "number of queries",
                "systems": "number of systems that are named",
            },
        ),
        "loss": Kind(
            "More than 1% of a table's records were rejected, or of a column's values set aside",
            {
                "table": "the table",
                "column": "the column; null of rejected records",
                "what": "what total counts: records or values",
                "count": "how many were rejected or set aside",
                "total": "of how many",
                "share": "their share",
            },
        ),
        "design": Kind("The design", {"design": "its name", "note": "what it means for comparisons"}),
        "questions": Kind(
            "How many questions the study can answer",
            {"answered": "how many it can answer", "questions": "of how many"},
        ),
    }

    @property
    def table(self) -> pl.DataFrame:
        """The main table: sessions, users, topics and queries by system."""
        return self.systems

    @property
    def losses(self) -> tuple[str, ...]:
        """Where more than 1% of a table's records were rejected, or of a column's values set aside: a sentence for each."""
        return tuple(map(_loss_text, self.lost))

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What was logged, what was lost on reading, the design, and what the study can answer."""
        sessions, queries = self.systems.select(pl.col("sessions", "queries").sum()).row(0)
        systems = self.systems["system_id"].drop_nulls().len()
        named = counted(systems, "system") if systems else "no system named"
        answers = self.questions["answer"]
        answered = int((answers == "yes").sum())
        statements = [
            Statement(
                "log",
                f"{counted(sessions, 'session')} with {counted(queries, 'query')}; {named}.",
                {"sessions": sessions, "queries": queries, "systems": systems},
            ),
            *(Statement("loss", _loss_text(loss), {**vars(loss), "share": loss.share}) for loss in self.lost),
            Statement(
                "design",
                f"Design: {self.design}: {self.design_note}.",
                {"design": self.design, "note": self.design_note},
            ),
            Statement(
                "questions",
                f"The study can answer {answered} of {len(answers)} questions; table questions says which.",
                {"answered": answered, "questions": len(answers)},
            ),
        ]
        return stated(statements, self.restriction)

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
        return [statement.text for statement in self.statements], {**self.titled_tables(), **self.contents()}


def _loss_text(loss: Loss) -> str:
    """Say what was lost, and where to read why."""
    return f"{loss}; sessionkit check says why"


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
        lost=heavy_losses(study),
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


LIST_COUNTS = ("queries", "repeats", "results", "judged")
KEYS = ["system_id", "results_status", "length"]
PART = pl.Schema(
    {
        "system_id": pl.String(),
        "results_status": pl.String(),
        "length": pl.Int64(),
        **dict.fromkeys(LIST_COUNTS, pl.Int64()),
    }
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
        of_systems = sessions.group_by("system_id").agg(pl.col(LIST_COUNTS[1:]).sum())
        both = pl.concat([of_lists, of_systems], how="diagonal_relaxed")
        return both.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        return pl.concat([PART.to_frame(), *parts]).group_by(KEYS).agg(pl.col(LIST_COUNTS).sum())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in order."""
        return self.added([*parts]).sort(KEYS)


COLUMNS = pl.Schema(
    {
        "in_table": pl.String(), "column": pl.String(), "type": pl.String(), "rows": pl.Int64(), "missing": pl.Int64(),
        "distinct": pl.Int64(), "values": pl.String(),
    }
)  # fmt: skip
QUESTIONS = pl.Schema({"question": pl.String(), "answer": pl.String(), "because": pl.String(), "command": pl.String()})
COVARIATES = ("sessions", "users")
"""Tables whose columns say something of whole sessions; of the others, which may be long, no values are read."""
COUNTED = "counted"
"""In place of a table, of what is counted of every session."""
IDS = ("session_id", "user_id", "topic_id", "system_id", "judgment_key", "session_order", "session_number")
"""Columns that name or number sessions, and what they are of."""
FEWEST, MOST = 2, 20
"""Values of a column whose groups can be compared."""
LOOKS = ("examined", "clicked", "clicks", "dwell_seconds")
"""Columns of results that show how far searchers looked."""


def columns_of(study: Study) -> pl.DataFrame:
    """Return every column of a study, and of those of sessions and users their values.

    Returns
    -------
    polars.DataFrame
        ``in_table``, ``column``, ``type``; of sessions and users also ``rows``, ``missing``, ``distinct`` and ``values``: the
        commonest with their counts, or the range of numbers and times. What can be counted of every session, such as its
        ``queries``, is of the table ``counted``, and ``values`` say what it is.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s", "z"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s", "z"], "satisfaction": [4, 2]},
    ... )
    >>> columns_of(study).filter(column="satisfaction").select("in_table", "type", "missing", "distinct", "values").row(0)
    ('sessions', 'integer', 0, 2, '2 to 4')
    """
    rows = [row for name in TABLES for row in _rows(study, name)]
    for name in counted_columns(study):
        count = COUNTS[name]
        rows.append((COUNTED, name, _type(count.dtype()), None, None, None, count.words))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _rows(study: Study, name: StudyTable) -> Iterable[tuple[object, ...]]:
    """The columns of a table."""
    frame = study.table(name)
    if name not in COVARIATES:
        return [
            (name, column, _type(dtype), None, None, None, None) for column, dtype in frame.collect_schema().items()
        ]
    return [
        (
            name,
            column.name,
            _type(column.dtype),
            len(column),
            column.null_count(),
            _distinct(column),
            values_text(column),
        )
        for column in frame.collect()
    ]


def _type(dtype: pl.DataType) -> str:
    """A type in the words of `sessionkit schema`."""
    if dtype.is_numeric():
        return "integer" if dtype.is_integer() else "number"
    return dtype.base_type().__name__.lower()


def _distinct(column: pl.Series) -> int | None:
    """How many values a column has; None of lists."""
    return None if column.dtype.is_nested() else column.drop_nulls().n_unique()


def questions_of(study: Study, columns: pl.DataFrame, lengths: pl.DataFrame, design: str) -> pl.DataFrame:
    """Return which questions a study can answer, why, and by which command.

    Parameters
    ----------
    columns
        As `columns_of` gives them.
    lengths
        ``queries`` (number of logged queries of a session) and ``sessions``.
    design
        The name of the design for a comparison of systems.
    """
    shown = columns.filter(pl.col("in_table").is_in(COVARIATES), ~pl.col("column").is_in(IDS)).sort(
        "in_table", maintain_order=True
    )
    groups = _among(shown.filter(pl.col("distinct").is_between(FEWEST, MOST)))
    numbers = _among(shown.filter(pl.col("type").is_in(["integer", "number"]), pl.col("distinct") >= FEWEST))
    systems = columns.filter(column="system_id", in_table="sessions").item(0, "distinct")
    several = int(lengths.filter(pl.col("queries") > 1).get_column("sessions").sum())
    judged, looks = study.facts.judgments, [name for name in LOOKS if name in study.columns("results")]
    judges = "judge_id" in study.columns("judgments")
    texts = "query_text" in study.columns("queries")
    of_systems = f"{counted(systems, 'system')}, {design}" if systems > 1 else "the log has fewer than two systems"
    rows = [
        ("How good were the sessions?", judged, counted(judged, "judgment"), "score STUDY 'nsDCG@10'"),
        ("Do systems differ?", systems > 1, of_systems, "compare STUDY 'nsDCG@10' --by system_id"),
        (
            "Do other groups differ?",
            groups,
            f"columns of {FEWEST} to {MOST} values: {_some(groups)}",
            f"compare STUDY 'nsDCG@10' --by {groups[0] if groups else 'COLUMN'}",
        ),
        (
            "Are last queries better than earlier ones?",
            several and judged,
            f"{counted(several, 'session')} of two or more queries",
            "breakdown STUDY 'nDCG@10' --significance",
        ),
        (
            "Do measures agree with ratings, or other numbers of sessions and users?",
            numbers,
            f"numbers of sessions or users: {_some(numbers)}",
            f"correlate STUDY 'nsDCG@10' --with {numbers[0] if numbers else 'COLUMN'}",
        ),
        ("How far did searchers look?", looks, f"columns of results: {_some(looks)}", "calibrate STUDY"),
        ("How did queries change?", texts and several, "query_text" if texts else "no query_text", "chart reformulation-flow STUDY"),
        ("Do judges agree?", judges, "judge_id" if judges else "no judge_id", "agreement STUDY"),
        (
            "Would fewer judgments, or other discounts, change the result?",
            (systems > 1 or groups) and judged,
            of_systems if systems > 1 else f"columns of {FEWEST} to {MOST} values: {_some(groups)}",
            "judgment-loss, bounds, sweep",
        ),
    ]  # fmt: skip
    answers = [
        (question, "yes" if can else "no", because, f"sessionkit {command}") for question, can, because, command in rows
    ]
    return pl.DataFrame(answers, schema=QUESTIONS, orient="row")


def _among(columns: pl.DataFrame) -> list[str]:
    """The names of columns, each once."""
    return columns.get_column("column").unique(maintain_order=True).to_list()


def _some(names: Sequence[str], most: int = 6) -> str:
    """The first few names, and how many more there are."""
    if not names:
        return "none"
    more = len(names) - most
    return listed(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"
