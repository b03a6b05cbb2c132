"""Measures that are none of sessionkit's go to the workers with their code, which these have not.

The Spark engine gives what this process gives, bit for bit, for every registered measure; and says what is wrong.
"""

import importlib.util
import os
import subprocess
import sys
import warnings
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest
from test_contracts import variants

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, MeasureError, SessionkitError, UsageError
from sessionkit.plugins import load
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.spark import engine
from sessionkit.spark.connection import quiet
from sessionkit.study.batches import slices
from sessionkit.study.package import write_package
from tests.spark.logs import DECLARED, ODD, assert_same, frames_of, tables
from tests.support.score_way import score_way

PLUGIN = """
from dataclasses import dataclass
import polars as pl
import sessionkit as sk

POWER = 2

@sk.register
@dataclass(frozen=True, repr=False, kw_only=True)
class RRpower(sk.bases.TermMeasure):
    name = "RRpower"
    formula = "1 / r^power"
    own_parameters = {"power": sk.bases.Parameter("power", "a number", "how fast it falls", lambda _, value: float(value))}
    power: float = POWER

    def terms(self, lists):
        first = lists.relevant(self.min_grade).filter(pl.col("nth") == 1)
        return first.select("list", "rank", term=1 / pl.col("rank") ** self.power)

def half(gains):
    return float(sum(gains)) / POWER

sk.register(sk.define("Half", half))

class Broken(sk.bases.QueryMeasure):
    name = "Broken"
    formula = "nothing"

    def values(self, lists):
        return lists.nothing

sk.register(Broken)
"""


def test_a_file_is_sent_along_and_what_fails_there_is_named(spark, saved, tmp_path):
    path = tmp_path / "powers.py"
    path.write_text(PLUGIN, encoding="utf-8")
    load(path)
    local = sk.define("Longest", lambda lists: max(map(len, lists)), level="session")
    measures = ["mean(RRpower@3)", "mean(RRpower(power=3.0)@2)", "mean(Half(gain=exp2)@3)", local, "nDCG@3"]
    assert_same(engine.score(saved, measures, spark=spark), sk.score(saved, measures))
    with pytest.raises(MeasureError, match=r"Broken \(module powers\) fails: AttributeError"):
        engine.score(saved, "Broken", per="query", spark=spark)


pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")]


EVERY = [variant for measure in MEASURES.values() for variant in variants(measure)]
OF_SESSIONS = [measure for measure in EVERY if measure.level == "session"]
OF_QUERIES = [measure for measure in EVERY if measure.level == "query"]
WAYS = {"broadcast": engine.LIMIT, "joined": 0}
FEW = ["sDCG@3", "nsDCG@3"]


@pytest.mark.few(3)
@pytest.mark.parametrize("limit", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("per", ["session", "query", "system_id", "all"])
def test_every_measure_at_every_level(spark, saved, per, limit):
    measures = OF_QUERIES if per == "query" else OF_SESSIONS
    expected = sk.score(saved, measures, **score_way(per))
    assert len(expected) > len(measures) * (per != "all") * 2
    assert_same(engine.score(saved, measures, **score_way(per), spark=spark, broadcast_limit=limit), expected)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("own_keys", "limit", "measures"),
    [(True, engine.LIMIT, OF_SESSIONS), (True, 0, FEW), (False, engine.LIMIT, FEW), (False, 0, FEW)],
    ids=["keys of queries, broadcast", "keys of queries, joined", "broadcast", "joined"],
)
def test_tables_of_spark(spark, own_keys, limit, measures):
    given = tables(own_keys=own_keys)
    study = sk.from_tables(**given, **DECLARED)
    frames = frames_of(spark, given)
    ways = {"broadcast_limit": limit, "settings": DECLARED}
    assert_same(
        engine.score(frames, measures, per="session", partitions=2, **ways), sk.score(study, measures, per="session")
    )
    for per in ("system_id,age", ODD):
        assert_same(engine.score(frames, FEW, **score_way(per), **ways), sk.score(study, FEW, **score_way(per)))


@pytest.mark.slow
def test_a_study_of_many_files(spark, saved, tmp_path):
    """Parts of at most 20 results, each read by the worker that is sent its number."""
    write_package(saved, tmp_path / "study", slices(saved, rows=20))
    study = sk.open_study(tmp_path / "study")
    assert len(study.storage.stored) > 10
    for per in ("session", "system_id,age"):
        assert_same(engine.score(study, FEW, **score_way(per), spark=spark), sk.score(saved, FEW, **score_way(per)))
    joined = engine.score(study, FEW, **score_way(ODD), spark=spark, broadcast_limit=0)
    assert_same(joined, sk.score(saved, FEW, **score_way(ODD)))


@pytest.mark.parametrize("limit", [engine.LIMIT, 0])
def test_sessions_that_meet_a_condition(spark, saved, limit):
    where = "system_id = 'A' and queries >= 2"
    expected = sk.score(saved, FEW, where=where, per="session")
    assert 0 < len(expected) < len(sk.score(saved, FEW, per="session"))
    assert_same(engine.score(saved, FEW, where=where, per="session", spark=spark, broadcast_limit=limit), expected)
    assert_same(
        engine.score(saved, FEW, where=where, by="topic_id", spark=spark, broadcast_limit=limit),
        sk.score(saved, FEW, where=where, by="topic_id"),
    )


@pytest.mark.parametrize("limit", [engine.LIMIT, 0])
def test_what_is_counted_of_sessions(spark, saved, limit):
    """Of files, of rows that are sent, and of Spark's own tables."""
    by = "queries,clicks,duration_seconds,repeats"
    expected = sk.score(saved, FEW, by=by)
    assert expected["clicks"].n_unique() > 2
    assert_same(engine.score(saved, FEW, by=by, spark=spark, broadcast_limit=limit), expected)
    own = engine.score(frames_of(spark, tables()), FEW, by=by, broadcast_limit=limit, settings=DECLARED)
    assert_same(own, sk.score(sk.from_tables(**tables(), **DECLARED), FEW, by=by))


@pytest.mark.few(1)
@pytest.mark.parametrize("limit", WAYS.values(), ids=WAYS)
def test_a_study_in_partitions(spark, saved, tmp_path, limit):
    study = saved.save(tmp_path / "study", partition_by="system_id")
    assert len(study.storage.stored) == 4  # A, B, C and none
    assert_same(
        engine.score(study, FEW, spark=spark, broadcast_limit=limit, per="session"), sk.score(saved, FEW, per="session")
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("limit", WAYS.values(), ids=WAYS)
def test_groups_of_every_type_that_spark_has(spark, tmp_path, limit):
    """Unsigned numbers, times, categories and lists come back as they were; what Spark lacks is refused."""
    given = tables(12)
    number = pl.int_range(pl.len()) % 3
    more = {
        "small": number.cast(pl.UInt8),
        "large": number.cast(pl.UInt64) + 2**63,
        "kind": pl.format("k{}", number).cast(pl.Enum(["k2", "k1", "k0"])),
        "day": pl.lit(date(2026, 1, 1)) + pl.duration(days=number),
        "at": pl.lit(datetime(2026, 1, 1, 12, tzinfo=UTC)) + pl.duration(microseconds=number),
        "long": pl.duration(seconds=number),
    }
    study = sk.from_tables(**given).with_tables(sessions=sk.from_tables(**given).sessions.with_columns(**more))
    study = study.save(tmp_path / "study")
    expected = sk.score(study, FEW, **score_way(list(more)[:-1]))
    assert_same(engine.score(study, FEW, **score_way(list(more)[:-1]), spark=spark, broadcast_limit=limit), expected)
    with pytest.raises(UsageError, match="Spark has no type"):
        engine.score(study, FEW, by="long", spark=spark, broadcast_limit=limit)


def test_a_study_that_a_worker_does_not_find_as_the_driver_does(spark, saved, monkeypatch):
    monkeypatch.setattr("sessionkit.spark.tables.SparkSource.place", Path("/nowhere/study"))
    with pytest.raises(DataError, match="/nowhere/study does not exist"):
        engine.score(saved, FEW, spark=spark, per="session")


@pytest.mark.parametrize("per", ["session", "query"])
def test_scores_that_stay_with_spark(spark, saved, per):
    asked = ["DCG@3"] if per == "query" else FEW
    frame = engine.score_frame(saved, asked, per, spark=spark)
    expected = sk.score(saved, asked, **score_way(per))
    assert frame.columns == expected.columns
    with quiet():
        found = pl.DataFrame(frame.toArrow())
    keys = [name for name in ("session_id", "query_position", "measure") if name in found.columns]
    assert_same(found.sort(keys), expected.sort(keys))
    with pytest.raises(UsageError, match="per=system: score_frame"):
        engine.score_frame(saved, asked, "system", spark=spark)


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("merge", "limit"),
    [
        ("first", engine.LIMIT),
        *((merge, 0) for merge in ["max", "sum", "mean", "median", "majority", "first", "alternate"]),
    ],
)
def test_ways_of_merging_judgments(spark, tmp_path, merge, limit):
    """Judges who disagree; ways that go by the order of the file are worked out where that order is known."""
    given = tables(20)
    judged = given["judgments"]
    more = [
        judged.with_columns((pl.col("grade") + shift) % 4, judge_id=pl.lit(judge))
        for judge, shift in [("b", 1), ("a", 0)]
    ]
    study = sk.from_tables(**given | {"judgments": pl.concat(more)}, merge=merge).save(tmp_path / "study")
    assert_same(
        engine.score(study, FEW, spark=spark, broadcast_limit=limit, per="session"), sk.score(study, FEW, per="session")
    )


def test_warnings_are_those_of_this_process(spark, saved):
    said = []
    for score in (sk.score, engine.score):
        for per in ("session", "system_id"):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", DataWarning)
                score(saved, ["nsDCG@3", "nsDCG(b=1.2)@3"], **score_way(per))
            said.append([str(warning.message) for warning in caught if warning.category is DataWarning])
    assert said[:2] == said[2:]
    assert any("undefined for" in text for text in said[0])


def test_a_robot_session_is_held_once(spark, tmp_path):
    """One session of 20,000 queries and 100,000 results among small ones."""
    queries = 20_000
    place = pl.DataFrame({"query_position": range(1, queries + 1)}, schema={"query_position": pl.Int32})
    ranks = pl.DataFrame({"rank": range(1, 6)}, schema={"rank": pl.Int32})
    number = (pl.col("query_position") * 7 + pl.col("rank")) % 40
    robot = place.join(ranks, how="cross").with_columns(session_id=pl.lit("robot"), doc_id=pl.format("d{}", number))
    small = [robot.head(50).with_columns(session_id=pl.lit(name)) for name in ("a", "zz")]
    study = sk.from_tables(
        results=pl.concat([robot, *small]).with_columns(topic_id=pl.lit("t")),
        judgments={
            "judgment_key": ["t"] * 20,
            "doc_id": [f"d{n}" for n in range(20)],
            "grade": [n % 4 for n in range(20)],
        },
    ).save(tmp_path / "study")
    asked = ["sDCG@5", "mean(nDCG@5)"]
    assert_same(
        engine.score(study, asked, spark=spark, partitions=2, per="session"), sk.score(study, asked, per="session")
    )


def test_a_worker_that_dies_is_reported_in_a_line(spark, saved, monkeypatch):
    def dying(sent, version, batches):
        next(batches)
        os._exit(9)
        yield

    monkeypatch.setattr("sessionkit.spark.worker.run", dying)
    dying.__module__ = "__main__"  # so that it is sent by value
    with pytest.raises(SessionkitError, match="lost a worker") as raised:
        engine.score(saved, ["sDCG@3"], spark=spark, per="session")
    assert len(str(raised.value)) < 250


def test_workers_with_another_sessionkit_are_refused(spark, saved, monkeypatch):
    monkeypatch.setattr(engine, "__version__", "0.0.1")
    with pytest.raises(UsageError, match=r"workers .*sessionkit .*driver 0\.0\.1"):
        engine.score(saved, ["sDCG@3"], spark=spark, per="session")


@pytest.mark.slow
def test_it_is_not_imported_before_it_is_used():
    script = """
import sys
import sessionkit as sk
from sessionkit.engines import spark
assert not {"pyspark", "py4j"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert importlib.util.find_spec("pyspark")
