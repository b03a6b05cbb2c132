"""A study scored in blocks: the same bits for any cut, and no more memory than was asked for."""

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.scoring import reduction as room
from sessionkit.scoring.batch import GradedPairs, SessionBatch, batches
from sessionkit.scoring.reduction import in_one_pass, parts_of, run
from sessionkit.scoring.score import score_task
from sessionkit.sessions.curve import curve_task
from sessionkit.study.batches import slices
from tests.scoring.studies import sessions, study_of
from tests.support.clinic import read_clinic
from tests.support.examples import examples
from tests.support.score_way import score_way

ASKED = [
    "sDCG@3",
    "sDCG(duplicates=first)@3",
    "sDCG(unjudged=skip)@2",
    "nsDCG(ideal=spread)@3",
    "sDCG(rank_origin=session,slots=shown)@3",
    "mean(nDCG@3)",
    "last(DCG@2)",
    "avgpos(nsDCG@3)",
]
CURVES = [
    {"measure": "sDCG@3"},
    {"measure": "nsDCG@3"},
    {"measure": "sDCG@3", "normalize": "averages"},
    {"measure": "nsDCG@3", "after_stop": "null"},
    {"measure": "sDCG(slots=shown)@3", "per": "session"},
]
LOG = ("sessions", "queries", "results")
quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def cut(task, study, rows):
    """The whole of a task from blocks of about so many results, added up in the opposite order."""
    parts = [task.part(block) for block in batches(study, task.columns(), rows)]
    return task.whole(parts[::-1])


@pytest.mark.slow
@quiet
@FEW
@given(drawn=sessions(), rows=st.integers(1, 9))
def test_any_cut_gives_the_same_bits(drawn, rows):
    study = study_of(*drawn)
    tasks = [score_task(study, ASKED, **score_way(per)) for per in ("session", "system_id", "all")]
    tasks += [score_task(study, ["nDCG@3", "DCG(queries=1)@2"], per="query")]
    tasks += [curve_task(study, **asked) for asked in CURVES]
    for task in tasks:
        assert_frame_equal(cut(task, study, rows), cut(task, study, 10**9), check_exact=True)


@pytest.mark.slow
@quiet
@FEW
@given(drawn=sessions())
def test_blocks_of_ids_and_of_numbers_are_the_same(drawn, tmp_path_factory):
    study = study_of(*drawn)
    saved = study.save(tmp_path_factory.mktemp("studies") / "study")
    assert saved.storage.stored is not None
    for per in ("session", "system_id"):
        assert_frame_equal(
            sk.score(saved, ASKED, **score_way(per)), sk.score(study, ASKED, **score_way(per)), check_exact=True
        )
    assert_frame_equal(sk.curve(saved, "nsDCG@3"), sk.curve(study, "nsDCG@3"), check_exact=True)


@pytest.mark.slow
@quiet
@FEW
@given(drawn=sessions())
def test_partitions_and_stale_numbers_give_the_same_bits(drawn, tmp_path_factory):
    study = study_of(*drawn)
    saved = study.save(tmp_path_factory.mktemp("studies") / "study", partition_by="system_id")
    stale = sk.open_study(saved.path)
    stored = tuple(replace(part, numbered=number % 2 == 1) for number, part in enumerate(saved.storage.stored))
    stale = replace(stale, storage=replace(stale.storage, stored=stored))
    for other in (saved, stale):
        for per in ("session", "system_id"):
            assert_frame_equal(
                sk.score(other, ASKED, **score_way(per)), sk.score(study, ASKED, **score_way(per)), check_exact=True
            )
        assert_frame_equal(sk.curve(other, "nsDCG@3"), sk.curve(study, "nsDCG@3"), check_exact=True)


@quiet
def test_several_tasks_in_one_pass():
    study = read_clinic()
    tasks = [score_task(study, ["sDCG@10", "nsDCG@10"], by="system_id"), curve_task(study, "nsDCG@10")]
    scores, curves = run(study, tasks)
    assert_frame_equal(
        scores.drop("__unnamed"), sk.score(study, ["sDCG@10", "nsDCG@10"], by="system_id"), check_exact=True
    )
    curves = tasks[1].grouping.keyed(curves).drop("stopped")
    assert_frame_equal(curves, sk.curve(study, "nsDCG@10"), check_exact=True)


@pytest.mark.slow
def test_what_was_done_in_one_pass_is_at_hand_as_often_as_it_was_planned(monkeypatch):
    study = read_clinic()
    tasks = [
        score_task(study, "sDCG@10", by="system_id"),
        curve_task(study, "nsDCG@10"),
        score_task(study, "sDCG@10", by="system_id"),
    ]
    passes = []
    monkeypatch.setattr(room, "parts_of", lambda *given: passes.append(given[0]) or parts_of(*given))
    with in_one_pass(study, tasks):
        assert len(passes) == 1
        scores = [sk.score(study, "sDCG@10", by="system_id") for _ in range(2)]
        curves = sk.curve(study, "nsDCG@10")
        assert len(passes) == 1
        scores += [sk.score(study, "sDCG@10", by="system_id")]  # a third time
        assert len(passes) == 2
        with in_one_pass(replace(study), tasks):  # of another study
            assert len(passes) == 3
            sk.curve(study, "nsDCG@10")
            assert passes[3:] == [study]
    assert_frame_equal(sk.curve(study, "nsDCG@10"), curves, check_exact=True)
    for one in scores:
        assert_frame_equal(one, sk.score(study, "sDCG@10", by="system_id"), check_exact=True)
    assert len(passes) == 4 + 1 + 3


def test_parts_cross_arrow_unchanged():
    study = read_clinic()
    for task in (
        score_task(study, "sDCG@10", by="system_id"),
        score_task(study, "sDCG@10", per="session"),
        curve_task(study, "nsDCG@10"),
    ):
        parts = [part for (part,) in parts_of(study, [task], "50MB")]
        crossed = [pl.from_arrow(part.to_arrow()) for part in parts]
        assert_frame_equal(task.whole(crossed), task.whole(parts), check_exact=True)


def test_a_block_does_not_mind_the_order_of_rows():
    study = read_clinic()
    task, judged = score_task(study, "sDCG@10", per="session"), GradedPairs.of(study)
    (part,) = slices(study)
    mixed = [getattr(part, name).sample(fraction=1, shuffle=True, seed=5) for name in LOG]
    assert_frame_equal(
        task.part(SessionBatch.of(*mixed, judged)), sk.score(study, "sDCG@10", per="session"), check_exact=True
    )


def test_memory_is_said_in_words():
    study = read_clinic()
    with pytest.raises(UsageError, match="memory is 'lots'"):
        sk.score(study, "sDCG@10", memory="lots", per="session")


CHILD = """
import json, re, sys
import polars as pl
import sessionkit as sk
from sessionkit.scoring.score import score_task
from sessionkit.scoring.reduction import parts_of
study = sk.open_study(sys.argv[1])
task = score_task(study, "sDCG@10", per="session")
rows = sum(len(part) for (part,) in parts_of(study, [task], sys.argv[2]))
sk.score(study, "nsDCG@10", by="system_id", memory=sys.argv[2])
sk.curve(study, "nsDCG@10", memory=sys.argv[2])
sk.breakdown(study, "nDCG@10", memory=sys.argv[2])
print(json.dumps({"rows": rows, "peak": int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024}))
"""


@pytest.mark.proof
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_work_stays_within_its_memory(tmp_path):
    """Results of 300,000 sessions need more than the budget at once, and less in blocks."""
    copies = 60
    one = pl.DataFrame({"session": range(5_000)}).join(pl.DataFrame({"rank": range(1, 11)}), how="cross")
    results = pl.concat([one.with_columns(pl.col("session") + 5_000 * copy) for copy in range(copies)])
    results = results.select(
        session_id=pl.format("s{}", pl.col("session").cast(pl.String).str.zfill(8)),
        query_position=1,
        rank="rank",
        doc_id=pl.format("d{}", (pl.col("session") * 7 + pl.col("rank")) % 500),
        topic_id=pl.lit("t"),
        system_id=pl.format("system {}", pl.col("session") % 2),
    )
    judgments = pl.DataFrame({"judgment_key": "t", "doc_id": [f"d{n}" for n in range(0, 500, 2)], "grade": 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sk.from_tables(results, judgments).save(tmp_path / "study")
    peaks = {}
    for memory in ("50MB", "20GB"):
        command = [sys.executable, "-c", CHILD, str(tmp_path / "study"), memory]
        said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        assert said["rows"] == 5_000 * copies
        peaks[memory] = said["peak"]
    from sessionkit.study.batches import FLOOR

    assert peaks["50MB"] <= 50_000_000 + FLOOR
    assert peaks["50MB"] < 0.6 * peaks["20GB"]
