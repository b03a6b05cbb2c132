"""Recall and precision of ranked lists: curves at eleven levels, R-precision by topic, and the summary table of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import ClassVar, Literal, get_args

import polars as pl

from sessionkit.arguments import RecallAverage, require_choice
from sessionkit.display.frames import ResultFrame
from sessionkit.display.labels import in_natural_order
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.filter import results_shown, with_zeros
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.average_precision import ELEVEN
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.needs import columns_read, measure_of, tell_of_depth
from sessionkit.scoring.reduction import run
from sessionkit.scoring.score import OF_SESSION, By, score, session_measures
from sessionkit.statistics.bands import DRAWS, OF_BAND, Grouping, banded, float_sums, resampling_of
from sessionkit.statistics.distributions import less
from sessionkit.study import Study
from sessionkit.study.numbering import sums
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

OF_LEVEL = ("recall", "precision", "n")
AVERAGES: tuple[RecallAverage, ...] = get_args(RecallAverage)


@guarded_read
def precision_recall(
    study: Study,
    by: By = "system_id",
    *,
    where: Where = None,
    per: Literal["query"] | None = None,
    average: RecallAverage = "queries",
    measure: str | Measure = "IPrec11",
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Interpolated precision at recall 0, 0.1, ... 1.

    Parameters
    ----------
    study
        The study.
    by
        Columns of sessions or users to group by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    per
        ``"query"``: the curve of every logged query instead of means.
    average
        What a group's curve averages: ``"queries"``, each counts the same; ``"topics"``, the queries of a topic are
        averaged first, so that topics count the same.
    measure
        ``IPrec11`` with its choices: ``"IPrec11(rule=trec9)@100"`` counts the first hundred ranks and rounds numbers of
        documents as trec_eval 9, ``level=2`` is the curve of one grade, ``at_least=2`` of those from it on. ``gP``: generalized
        precision as a function of generalized recall, in which documents are relevant to the degree of their grade.
    bands, confidence, draws, seed
        Whether each mean has an interval, and of what kind; see `sessionkit.curve`. Of the average over topics these are drawn.
    memory, cache
        As `sessionkit.score` has them.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``recall``, ``precision`` (between 0 and 1) and ``n``, the queries (or topics)
        averaged; per query ``session_id``, ``query_position``, ``system_id``, ``topic_id``, ``user_id``, ``recall``,
        ``precision``. Null where nothing is relevant, which averages leave out; 0 where a list does not reach that recall. With
        bands ``low``, ``high`` (null with fewer than four units) and ``units`` (those with a value).

    Raises
    ------
    UsageError
        An option or column does not exist, or bands are asked of single queries or of more than 20,000 units.
    MeasureError
        The measure is neither IPrec11 nor gP.

    Examples
    --------
    Three relevant documents, at ranks 1 and 4 and not found: 1 up to a recall of 1/3, 1/2 up to 2/3, then nothing.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "d", "x"], "grade": [1] * 3},
    ... )
    >>> sk.precision_recall(study).get_column("precision").to_list()
    [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0]

    References
    ----------
    Järvelin & Kekäläinen, TOIS 2002, section 2.4: a curve for each relevance level, and generalized recall and precision, which
    Kekäläinen & Järvelin (JASIST 2002) define.
    """
    study = restricted(study, where)
    require_choice("average", average, AVERAGES)
    if per not in (None, "query"):
        raise UsageError(f"per must be query, not {per!r}; columns that make groups go to by")
    if per is not None and by != "system_id":
        raise UsageError(f"per=query gives a curve for every query, by={by} one for every group; drop one of them")
    asked = measure_of(study, measure)
    if not asked.has_recall_curve:
        msg = f"{asked} has no recall-precision curve; ask for IPrec11 or gP with parameters, such as IPrec11(rule=trec9)@100"
        raise MeasureError(msg)
    tell_of_depth(study, asked)
    grouping = Grouping.of(study, by, (*OF_LEVEL, *OF_BAND))
    reads = columns_read(study, [asked])
    task = PrecisionRecallReduction(asked, grouping, per, average, reads)
    resampling = resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed)
    if resampling is not None and per is not None:
        raise UsageError("per=query gives a curve for every query, which has no band; drop one of them")
    (found,) = run(study, [banded(study, task, resampling)], memory, cache)
    return ResultFrame(found if per == "query" else grouping.keyed(found))


@guarded_read
def rprecision_histogram(
    study: Study,
    a: str | None = None,
    b: str | None = None,
    *,
    by: str = "system_id",
    where: Where = None,
    measure: str | Measure = "mean(Rprec)",
    memory: str | int | None = None,
) -> pl.DataFrame:
    """R-precision of two systems by topic, and how far they are apart: the data of an R-precision histogram.

    Parameters
    ----------
    study
        The study.
    a, b
        The systems; may be left out where there are exactly two, which then come in order of their names.
    by
        Column of sessions or users that names the systems.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    measure
        What is compared: a measure of sessions, whose mean over the sessions of a system and topic is taken.
    memory
        As `sessionkit.score` has it.

    Returns
    -------
    polars.DataFrame
        ``topic_id``, ``a``, ``b`` and ``difference``, a - b, null where one of them has no value for the topic; ``n_a`` and ``n_b``,
        the sessions that the means are of, 0 where there is none; in order of topic_id.

    Raises
    ------
    UsageError
        There is no such system, or they must be named.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("xy"), "query_position": [1, 1], "rank": [1, 1], "doc_id": ["d", "e"]},
    ...     sessions={"session_id": list("xy"), "system_id": ["new", "old"], "topic_id": ["t", "t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["d"], "grade": [1]},
    ... )
    >>> sk.rprecision_histogram(study, "new", "old").rows()
    [('t', 1.0, 0.0, 1.0, 1, 1)]
    """
    study = restricted(study, where)
    scores = score(study, session_measures(study, measure), by=[by, "topic_id"], memory=memory).drop_nulls(
        [by, "topic_id"]
    )
    known = in_natural_order(scores.get_column(by).cast(pl.String).unique())
    if a is None and b is None and len(known) == 2:
        a, b = known
    for name, system in (("a", a), ("b", b)):
        if system not in known:
            said = (
                f"there is no {by} {system!r}"
                if system is not None
                else f"name the systems to compare, a and b ({name})"
            )
            msg = f"{said}; there are: {', '.join(known[:20]) or 'none'}{suggestion(str(system), known) if system else ''}"
            raise UsageError(msg)
    sides = [
        scores.filter(pl.col(by).cast(pl.String) == system).select(
            "topic_id", pl.col("value", "n").name.suffix(f"_{side}")
        )
        for side, system in (("a", a), ("b", b))
    ]
    both = sides[0].join(sides[1], on="topic_id", how="full", coalesce=True).rename({"value_a": "a", "value_b": "b"})
    difference = less(pl.col("a"), pl.col("b")).alias("difference")
    return ResultFrame(
        both.sort("topic_id").select("topic_id", "a", "b", difference, pl.col("n_a", "n_b").fill_null(0))
    )


QUERIES = pl.Schema(
    {
        "session_id": pl.String(),
        "query_position": pl.Int32(),
        **dict.fromkeys(OF_SESSION, pl.String()),
        "recall": pl.Float64(),
        "precision": pl.Float64(),
    }
)
"""A part where every query has its curve."""
SUMS = pl.Schema(
    {
        "group": pl.String(),
        "topic_id": pl.String(),
        "recall": pl.Float64(),
        "total": pl.Decimal(38, 0),
        "n": pl.Int64(),
    }
)
"""A part of averages: the sum of the precisions of a topic's queries, and how many have one."""


@dataclass(frozen=True, eq=False)
class PrecisionRecallReduction:
    """Interpolated precision at the standard levels of recall.

    Parameters
    ----------
    measure
        Which results count, and which grades are relevant.
    grouping
        The sessions and their groups.
    per, average
        As `sessionkit.precision_recall` has them.
    reads
        Columns to read, by table.
    """

    measure: Measure
    grouping: Grouping
    per: str | None = None
    average: str = "queries"
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    place: ClassVar[tuple[str, ...]] = ("recall",)
    cumulated: ClassVar[bool] = False

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return with_sessions(self.reads, self.grouping, OF_SESSION if self.per == "query" else ["topic_id"])

    @property
    def slots(self) -> int:
        """As how many results each query counts: it has a row for every level."""
        return len(ELEVEN)

    @property
    def columns_made(self) -> int:
        """Columns of numbers that are made of each level."""
        return 3

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Curves of the batch's queries, or their sums by topic."""
        lists = Lists(batch, self.measure.selection)
        curve = self.measure.recall_curve(lists, ELEVEN)
        own = [batch.features[name].cast(pl.String) for name in (OF_SESSION if self.per == "query" else ["topic_id"])]
        known = batch.sessions.select("session", "session_id", *own)
        chosen = self.grouping.sessions(batch).join(known, on="session", maintain_order="left")
        judged = pl.col("key").is_not_null()
        points = []
        for level, precision in zip(ELEVEN, curve, strict=True):
            value = with_zeros(pl.lit(precision), self.measure, judged).alias("precision")
            rows = lists.queries.select("session", "query_position", value, recall=pl.lit(level))
            points.append(rows.join(chosen, on="session", how="inner", maintain_order="left"))
        rows = pl.concat(points)
        if self.per == "query":
            return rows.select(QUERIES.names())
        # a row for every topic, also one without a logged query
        topics = chosen.select("group", "topic_id").unique().join(pl.DataFrame({"recall": ELEVEN}), how="cross")
        rows = pl.concat([rows, topics], how="diagonal")
        sums = rows.group_by("group", "topic_id", "recall").agg(
            total=exact.fixed(pl.col("precision")).sum().cast(pl.Decimal(38, 0)),
            n=pl.col("precision").count().cast(pl.Int64),
        )
        return sums.select(SUMS.names())

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        if self.per == "query":
            return pl.concat([QUERIES.to_frame(), *parts])
        sums = pl.concat([SUMS.to_frame(), *parts]).with_columns(pl.col("total").cast(pl.Int128))
        added = sums.group_by("group", "topic_id", "recall").agg(pl.col("total", "n").sum())
        return added.select(SUMS.names()).cast(dict(SUMS))  # type: ignore[arg-type]

    def unit_sums(self, added: pl.DataFrame) -> pl.DataFrame:
        """What each unit adds to the means: the sums of its queries, or where topics are averaged each topic's mean."""
        if self.average == "queries":
            return added.select("group", "unit", "recall", *float_sums("total", "n"))
        of_topics = added.group_by("group", unit="topic_id", recall="recall").agg(pl.col("total", "n").sum())
        mean = of_topics.with_columns(total=_mean()).select("group", "unit", "recall", "total")
        return mean.with_columns(pl.col("total").fill_null(0.0), n=pl.col("total").is_not_null().cast(pl.Float64))

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Curves in the order of groups, or queries, and levels."""
        added = self.added([*parts])
        if self.per == "query":
            return added.sort("session_id", "query_position", "recall")
        sums = added.with_columns(pl.col("total").cast(pl.Int128))
        if self.average == "topics":
            of_topics = sums.with_columns(precision=_mean()).group_by("group", "recall")
            curves = of_topics.agg(
                precision=exact.mean(pl.col("precision")), n=pl.col("precision").count().cast(pl.Int64)
            )
        else:
            curves = sums.group_by("group", "recall").agg(pl.col("total", "n").sum()).with_columns(precision=_mean())
        return curves.sort("group", "recall").select("group", *OF_LEVEL)


def with_sessions(
    reads: Mapping[str, Sequence[str]], grouping: Grouping, columns: Sequence[str]
) -> dict[str, list[str]]:
    """The columns that a measure, a grouping and rows of sessions need, by table."""
    asked = (reads, grouping.columns(), {"sessions": columns})
    tables = dict.fromkeys(table for columns in asked for table in columns)
    return {table: [*dict.fromkeys(name for columns in asked for name in columns.get(table, ()))] for table in tables}


def _mean() -> pl.Expr:
    """Mean of the precisions that were added up; null of none."""
    return exact.quotient(exact.unfixed(pl.col("total")), pl.col("n"))


COUNTS = ("sessions", "queries", "retrieved", "relevant", "relevant_retrieved")
DOCUMENTS = "relevant_documents"
PART = pl.Schema(
    {
        "group": pl.String(),
        "topic_id": pl.String(),
        "judgment_key": pl.String(),
        **dict.fromkeys(COUNTS, pl.Int64()),
        DOCUMENTS: pl.Int64(),
    }
)
"""A part: the counts of a group's topics, and the relevant documents of each judgment key of its queries."""


@guarded_read
def summary(
    study: Study,
    by: By = "system_id",
    *,
    where: Where = None,
    cutoff: int | None = None,
    min_grade: float = 1,
    memory: str | int | None = None,
) -> pl.DataFrame:
    """Count queries, retrieved results and relevant results: the summary table of textbooks and of trec_eval.

    Parameters
    ----------
    study
        The study.
    by
        Columns of sessions or users to group by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    cutoff
        Number of ranks of each query that count; all if not given.
    min_grade
        Lowest relevant grade.
    memory
        As `sessionkit.score` has it.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``topics`` (number of topics with a session), ``sessions``, ``queries`` (logged ones,
        also those that returned nothing), ``retrieved`` (results shown), ``relevant`` and ``relevant_retrieved``. As in
        trec_eval's num_ret, num_rel and num_rel_ret, these three are summed over queries: documents relevant for two
        queries count in both, and so do those that both found; a document twice in one list is found once.
        ``relevant_documents`` are the documents that there are to find: each counts once for every judgment key (topic), however
        many queries ask for it.

    Raises
    ------
    UsageError
        A column does not exist, or no session is left.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 3, "query_position": [1, 1, 2], "rank": [1, 2, 1], "doc_id": ["a", "b", "a"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [1, 0, 2]},
    ... )
    >>> sk.summary(study, by=None).row(0, named=True)
    {'topics': 1, 'sessions': 1, 'queries': 2, 'retrieved': 3, 'relevant': 4, 'relevant_retrieved': 2, 'relevant_documents': 2}
    """
    study = restricted(study, where)
    recall = parse_measure("R")(min_grade=min_grade, **({} if cutoff is None else {"cutoff": cutoff}))
    grouping = Grouping.of(study, by, ("topics", *COUNTS, DOCUMENTS))
    task = SummaryReduction(recall.inner, grouping, columns_read(study, [recall]))
    return ResultFrame(grouping.keyed(run(study, [task], memory)[0]))


@dataclass(frozen=True, eq=False)
class SummaryReduction:
    """Counts by group and topic.

    Parameters
    ----------
    measure
        Which results count, and which grades are relevant.
    grouping
        The sessions and their groups.
    reads
        Columns to read, by table.
    """

    measure: Measure
    grouping: Grouping
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        return with_sessions(self.reads, self.grouping, ["topic_id"])

    def part(self, block: SessionBatch) -> pl.DataFrame:
        """Counts over the block's sessions."""
        selection = self.measure.selection
        lists, many = Lists(block, selection), len(block.sessions)
        grade = self.measure.min_grade
        base = lists.base_size(grade)
        of_list = {
            "queries": pl.repeat(1, len(lists.queries), dtype=pl.Int64, eager=True),
            "relevant": base,
            "relevant_retrieved": lists.per_list(lists.relevant(grade)),
        }
        session = lists.queries["session"]
        counted = pl.DataFrame(
            {
                "session": block.sessions["session"],
                "topic_id": block.features["topic_id"].cast(pl.String),
                "sessions": pl.repeat(1, many, dtype=pl.Int64, eager=True),
                "retrieved": results_shown(block, selection, "session").cast(pl.Int64),
                **{name: sums(values, session, many) for name, values in of_list.items()},
            }
        )
        sessions = self.grouping.sessions(block)
        counts = sessions.join(counted, on="session").group_by("group", "topic_id").agg(pl.col(COUNTS).sum())
        keys = lists.judged.pairs.keys["judgment_key"].cast(pl.String).gather(lists.queries["key"])
        queries = pl.DataFrame({"session": session, "judgment_key": keys, DOCUMENTS: base}).drop_nulls()
        documents = queries.join(sessions, on="session").select("group", "judgment_key", DOCUMENTS).unique()
        return pl.concat([PART.to_frame(), counts, documents], how="diagonal")

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one; a key has the same documents in each."""
        together = pl.concat([PART.to_frame(), *parts]).group_by("group", "topic_id", "judgment_key")
        return together.agg(pl.col(COUNTS).sum(), pl.col(DOCUMENTS).first()).select(PART.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Counts of every group, in order."""
        counted = self.added([*parts])
        topics = pl.col("topic_id").drop_nulls().n_unique().cast(pl.Int64)
        return (
            counted.group_by("group")
            .agg(pl.col(*COUNTS, DOCUMENTS).sum(), topics=topics)
            .sort("group")
            .select("group", "topics", *COUNTS, DOCUMENTS)
        )
