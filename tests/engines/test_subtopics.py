"""Measures of subtopics on workers: the same bits from judgments that were sent along, joined, or read by Spark."""

import pickle

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring.batch import GradedPairs, SessionBatch
from sessionkit.scoring.score import score_task
from sessionkit.spark.parts import judged_of
from tests.engines.logs import assert_same, frames_of

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
ASKED = ["CubeTest", "ACT@2", "nCubeTest", "nACT@2", "EU", "nEU", "InstanceRecall", "InstancePrecision@1", "sDCG@3"]


def tables():
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
    task = score_task(study, ASKED, per="session")
    frames = [study.table(name).collect() for name in ("sessions", "queries", "results")]
    return task.whole([task.part(SessionBatch.of(*frames, judged))])


@pytest.mark.slow
def test_judgments_that_are_sent_take_their_subtopics_along():
    study = sk.from_tables(**tables())
    expected = sk.score(study, ASKED, per="session")
    assert expected.filter(pl.col("measure") == "nACT@2")["value"].null_count() == 4
    sent = pickle.loads(pickle.dumps(GradedPairs.of(study)))  # noqa: S301 - our own bytes
    assert sent.rows is None
    assert_same(parts(study, sent), expected)


@pytest.mark.slow
def test_judgments_that_come_with_their_sessions():
    study = sk.from_tables(**tables())
    sessions = study.sessions.select("session_id", "judgment_key").collect()
    joined = sessions.join(study.judgments.collect(), on="judgment_key")
    assert_same(
        parts(study, judged_of(joined.sample(fraction=1, shuffle=True, seed=1), study.settings)),
        sk.score(study, ASKED, per="session"),
    )


def test_a_study_without_subtopics_sends_none():
    given = tables()
    given["judgments"] = given["judgments"].drop("subtopic_id", "passage_id").unique(["judgment_key", "doc_id"])
    assert pickle.loads(pickle.dumps(GradedPairs.of(sk.from_tables(**given)))).subtopics() is None  # noqa: S301 - our own bytes


@pytest.mark.few(1)
@pytest.mark.spark
@pytest.mark.parametrize("limit", [2**26, 0], ids=["broadcast", "joined"])
def test_with_spark(spark, tmp_path, limit):
    from sessionkit.spark import engine

    given = tables()
    study = sk.from_tables(**given)
    expected = sk.score(study, ASKED, per="session")
    assert_same(engine.score(frames_of(spark, given), ASKED, broadcast_limit=limit, per="session"), expected)
    assert_same(
        engine.score(study.save(tmp_path / "study"), ASKED, spark=spark, broadcast_limit=limit, per="session"), expected
    )
