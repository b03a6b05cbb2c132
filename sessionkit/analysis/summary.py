"""The summary table of an evaluation: how many queries and topics, results, relevant documents, and relevant ones found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.precision_recall import with_sessions
from sessionkit.display.frames import ResultFrame
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.columns import columns_read
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.reduction import run
from sessionkit.scoring.results_filter import results_shown
from sessionkit.scoring.score import By
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.row_index import sums
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

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
