"""From batches to parts without Spark: wherever batches and blocks are cut, the scores are those of the whole."""

import functools

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.scoring.batch import GradedPairs
from sessionkit.scoring.score import score_task
from sessionkit.spark.parts import StreamWork, blocks
from sessionkit.spark.tables import KINDS, SLICE, SparkColumn, StreamLayout, spark_type
from tests.engines.logs import tables
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
    with pytest.raises(DataError, match="sessions: a row has no session_id"):
        list(blocks(iter([lost]), work.layout))
