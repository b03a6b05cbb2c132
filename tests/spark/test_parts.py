"""From batches to parts without Spark: wherever batches and blocks are cut, the scores are those of the whole.

Measures of subtopics on workers: the same bits from judgments that were sent along, joined, or read by Spark.
"""

import functools
import pickle

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.scoring.batch import GradedPairs, SessionBatch
from sessionkit.scoring.score import score_task
from sessionkit.spark.parts import StreamWork, blocks, judged_of
from sessionkit.spark.tables import KINDS, SLICE, SparkColumn, StreamLayout, spark_type
from tests.spark.logs import assert_same, frames_of, tables
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")

ASKED = ["sDCG@3", "nsDCG@3", "mean(nDCG@3)"]
KINDS_OF_LOG = KINDS[:3]


def layout_of(frames, reads):
    """The slots of some columns."""
    return StreamLayout(
        {
            name: [
                SparkColumn(column, frames[name].schema[column], spark_type(frames[name].schema[column]))
                for column in reads[name]
            ]
            for name in reads
        }
    )


def stream_of(frames, layout):
    """The tables as Spark would send them: one Arrow table, a session's rows together."""
    stacked = []
    for number, name in enumerate(layout.columns):
        slots = layout.slots(name)
        filled = [pl.col(column.name).alias(slot) for slot, column in slots.items()]
        stacked.append(frames[name].select("session_id", pl.lit(number, pl.Int8).alias("kind"), *filled))
    together = pl.concat(stacked, how="diagonal").select("session_id", "kind", *layout.types)
    return together.sort("session_id", "kind").to_arrow(compat_level=pl.CompatLevel.oldest())


def cut(stream, sizes):
    """The stream in batches of these sizes, over and over."""
    whole, at, number = stream.combine_chunks().to_batches()[0], 0, 0
    while at < whole.num_rows:
        yield whole.slice(at, sizes[number % len(sizes)])
        at, number = at + sizes[number % len(sizes)], number + 1


@functools.cache
def example():
    """A study, what is asked of it, its stream, and the scores."""
    frames = tables(25)
    study = sk.from_tables(**frames)
    task = score_task(study, ASKED, per="session")
    frames["sessions"] = study.sessions.collect()
    reads = {
        "sessions": ["judgment_key", "system_id", "topic_id", "user_id"],
        "queries": ["query_position", "results_status", "judgment_key"],
        "results": ["query_position", "rank", "doc_id"],
    }
    layout = layout_of(frames, reads)
    work = StreamWork(task, layout, study.settings, GradedPairs.of(study), trusted=True)
    return work, stream_of(frames, layout), sk.score(study, ASKED, per="session")


@settings(max_examples=examples(30), deadline=None)
@given(sizes=st.lists(st.integers(0, 60), min_size=1, max_size=4).filter(any), rows=st.integers(1, 400))
def test_the_scores_are_those_of_the_whole_wherever_it_is_cut(sizes, rows):
    work, stream, expected = example()
    cut_up = StreamWork(work.task, work.layout, work.settings, work.judged, trusted=True, rows=rows)
    parts = [pl.DataFrame(batch) for batch in cut_up.answers(cut(stream, sizes))]
    found = work.task.whole(parts)
    for name in expected.columns:
        assert found[name].to_list() == expected[name].to_list()
    assert found.equals(expected)


@pytest.mark.parametrize("size", [1, 7, 100, 10**6])
@pytest.mark.parametrize("rows", [1, 50, 10**6])
def test_blocks_hold_whole_sessions_and_about_so_many_rows(size, rows):
    work, stream, _ = example()
    sessions = pl.DataFrame(stream).group_by("session_id").agg(pl.len())
    largest = sessions["len"].max()
    seen = []
    for block in blocks(cut(stream, [size]), work.layout, rows):
        ids = {id_ for piece in block for batch in piece.values() for id_ in batch.column("session_id").to_pylist()}
        total = sum(batch.num_rows for piece in block for batch in piece.values())
        assert total == sessions.filter(pl.col("session_id").is_in(list(ids)))["len"].sum()  # all of their rows
        assert total < rows + largest + min(size, stream.num_rows)
        seen += ids
    assert len(seen) == len(set(seen)) == len(sessions)


def test_a_long_session_is_kept_in_pieces_that_are_joined_once():
    """200 batches of one session are 200 pieces of one block, each with the rows of its own batch only."""
    layout = StreamLayout({"results": [SparkColumn("rank", pl.Int32(), "int")]})
    kind = pa.array([KINDS.index("results")] * 10, pa.int8())
    batches = [
        pa.record_batch({"session_id": ["robot"] * 10, "kind": kind, "int 0": pa.array(range(10), pa.int32())})
        for _ in range(200)
    ]
    layout = StreamLayout({"sessions": [], "queries": [], "results": layout.columns["results"]})
    (block,) = blocks(iter(batches), layout, 10)
    assert [piece["results"].num_rows for piece in block] == [10] * 200


def test_no_sessions_are_no_parts_and_have_columns_all_the_same():
    work, _, expected = example()
    assert list(work.answers([])) == []
    assert work.nothing().schema == expected.schema


def test_large_answers_go_back_in_modest_batches():
    frames = {
        "sessions": pl.DataFrame({"session_id": [f"s{n}" for n in range(SLICE + 5)]}).with_columns(
            pl.lit("t").alias("topic_id")
        ),
        "judgments": pl.DataFrame({"judgment_key": ["t"], "doc_id": ["d"], "grade": [1.0]}),
        "queries": pl.DataFrame(schema={"session_id": pl.String, "query_position": pl.Int32}),
        "results": pl.DataFrame(
            schema={"session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String}
        ),
    }
    study = sk.from_tables(**frames)
    known = {name: study.table(name).collect() for name in KINDS_OF_LOG}
    reads = {
        "sessions": ["judgment_key", "system_id", "topic_id", "user_id"],
        "queries": ["query_position", "results_status"],
        "results": ["query_position", "rank", "doc_id"],
    }
    layout = layout_of(known, reads)
    work = StreamWork(score_task(study, ["sDCG@3"], per="session"), layout, study.settings, GradedPairs.of(study))
    sizes = [batch.num_rows for batch in work.answers(stream_of(known, layout).to_batches())]
    assert sum(sizes) == SLICE + 5
    assert max(sizes) <= SLICE


def test_a_row_without_a_session_is_refused():
    work, stream, _ = example()
    batch = stream.to_batches()[0].slice(0, 1)
    lost = batch.set_column(0, "session_id", pa.array([None], pa.string()))
    with pytest.raises(DataError, match=r"sessions: .*no session_id"):
        list(blocks(iter([lost]), work.layout))


SUBTOPIC_MEASURES = [
    "CubeTest",
    "ACT@2",
    "nCubeTest",
    "nACT@2",
    "EU",
    "nEU",
    "InstanceRecall",
    "InstancePrecision@1",
    "sDCG@3",
]


def subtopic_tables():
    """Twelve sessions on three topics, of which one has no subtopics; some judgments have passages, some no subtopic."""
    sessions = [f"s{number:02}" for number in range(12)]
    shown = [
        (session, query, rank, f"d{(3 * number + 2 * query + rank) % 7}", (number + rank) % 3 == 0, 40 * rank)
        for number, session in enumerate(sessions)
        for query in range(1, 2 + number % 3)
        for rank in range(1, 4)
    ]
    graded = [
        (
            f"t{topic}",
            f"d{doc}",
            f"{subtopic}" if topic else None,
            f"p{doc % 4}" if doc % 2 else None,
            "p1" if doc > 3 else None,
            float((doc + subtopic) % 4),
        )
        for topic in range(3)
        for doc in range(6)
        for subtopic in range(1 + doc % 3)
    ]
    names = {
        "results": "session_id query_position rank doc_id saved words",
        "judgments": "judgment_key doc_id subtopic_id passage_id nugget_id grade",
    }
    types = {"query_position": pl.Int32, "rank": pl.Int32, "words": pl.Int32, "saved": pl.Boolean, "grade": pl.Float64}
    frames = {
        name: pl.DataFrame(
            rows, schema={column: types.get(column, pl.String) for column in names[name].split()}, orient="row"
        )
        for name, rows in (("results", shown), ("judgments", graded))
    }
    queries = frames["results"].select("session_id", "query_position").unique(maintain_order=True)
    topics = [f"t{number % 3}" for number in range(12)]
    return {
        "sessions": pl.DataFrame({"session_id": sessions, "topic_id": topics}),
        "queries": queries.with_columns(results_status=pl.lit("shown")),
        **frames,
    }


def parts(study, judged):
    """The scores of a study's sessions, as a worker works them out that has these judgments."""
    task = score_task(study, SUBTOPIC_MEASURES, per="session")
    frames = [study.table(name).collect() for name in ("sessions", "queries", "results")]
    return task.whole([task.part(SessionBatch.of(*frames, judged))])


@pytest.mark.slow
def test_judgments_that_are_sent_take_their_subtopics_along():
    study = sk.from_tables(**subtopic_tables())
    expected = sk.score(study, SUBTOPIC_MEASURES, per="session")
    assert expected.filter(pl.col("measure") == "nACT@2")["value"].null_count() == 4
    sent = pickle.loads(pickle.dumps(GradedPairs.of(study)))  # noqa: S301 - our own bytes
    assert sent.rows is None
    assert_same(parts(study, sent), expected)


@pytest.mark.slow
def test_judgments_that_come_with_their_sessions():
    study = sk.from_tables(**subtopic_tables())
    sessions = study.sessions.select("session_id", "judgment_key").collect()
    joined = sessions.join(study.judgments.collect(), on="judgment_key")
    assert_same(
        parts(study, judged_of(joined.sample(fraction=1, shuffle=True, seed=1), study.settings)),
        sk.score(study, SUBTOPIC_MEASURES, per="session"),
    )


def test_a_study_without_subtopics_sends_none():
    given = subtopic_tables()
    given["judgments"] = given["judgments"].drop("subtopic_id", "passage_id").unique(["judgment_key", "doc_id"])
    assert pickle.loads(pickle.dumps(GradedPairs.of(sk.from_tables(**given)))).subtopics() is None  # noqa: S301 - our own bytes


@pytest.mark.few(1)
@pytest.mark.spark
@pytest.mark.parametrize("limit", [2**26, 0], ids=["broadcast", "joined"])
def test_with_spark(spark, tmp_path, limit):
    from sessionkit.spark import engine

    given = subtopic_tables()
    study = sk.from_tables(**given)
    expected = sk.score(study, SUBTOPIC_MEASURES, per="session")
    assert_same(
        engine.score(frames_of(spark, given), SUBTOPIC_MEASURES, broadcast_limit=limit, per="session"), expected
    )
    assert_same(
        engine.score(
            study.save(tmp_path / "study"), SUBTOPIC_MEASURES, spark=spark, broadcast_limit=limit, per="session"
        ),
        expected,
    )
