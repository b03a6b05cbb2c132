"""A study scored in blocks: the same bits for any cut, and no more memory than was asked for.

Batches that are kept are those that would be made, once.

Partial results: one new day does not score the others again, and the bits are the same.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.scoring import batch as batch_module
from sessionkit.scoring import reduction
from sessionkit.scoring.batch import GradedPairs, SessionBatch, batches
from sessionkit.scoring.reduction import ResultCache, cache_batches, in_one_pass, parts_of, run, text_of
from sessionkit.scoring.score import score_parts, score_task
from sessionkit.sessions.curve import curve_task
from sessionkit.study.batches import slices
from sessionkit.study.package import verify_hashes
from sessionkit.study.partitions import add_partition
from sessionkit.study.settings import Settings
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
    monkeypatch.setattr(reduction, "parts_of", lambda *given: passes.append(given[0]) or parts_of(*given))
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


def test_blocks_of_a_small_study_hand_out_what_is_asked_for(monkeypatch):
    study = sk.from_tables(
        results={
            "session_id": ["s", "t"],
            "query_position": [1, 1],
            "rank": [1, 1],
            "doc_id": ["a", "b"],
            "clicked": [1, 0],
        },
        judgments={"judgment_key": ["k"], "doc_id": ["a"], "grade": [1]},
        sessions={
            "session_id": ["s", "t"],
            "user_id": ["u", "v"],
            "judgment_key": ["k", "k"],
            "age": [1, 2],
        },
        users={"user_id": ["u", "v"], "age": [30, 40], "skill": [5, 6]},
    )
    cuts, slices = [], batch_module.slices
    monkeypatch.setattr(batch_module, "slices", lambda *given: cuts.append(given) or slices(*given))
    asked = {"sessions": ["age"], "users": ["skill"], "results": ["clicked"]}
    with cache_batches(study, {**asked, "results": []}):
        (first,), (second,), (bare,) = batches(study, asked), batches(study, asked, 1), batches(study, {})
        assert len(cuts) == 1
        assert second.memo is first.memo is bare.memo
        assert first.features.select("session_id", "age", "skill").rows() == [("s", 1, 5), ("t", 2, 6)]
        assert first.results["clicked"].to_list() == [True, False]
        assert sorted(bare.results.columns) == ["judgment", "query", "rank"]
        (other,) = batches(study, {"users": ["age"]})  # not kept: sessions have a column of the name
        assert other.features["age"].to_list() == [30, 40]
        (alone,) = batches(replace(study), {})  # another study, which nobody keeps
        assert alone.memo is not first.memo
        assert len(cuts) == 3
    (after,) = batches(study, {})
    assert (len(cuts), after.memo is first.memo) == (4, False)
    monkeypatch.setattr(reduction, "SMALL", 1)
    with cache_batches(study, {}):
        assert next(batches(study, asked)).memo is not next(batches(study, asked)).memo


CACHED_MEASURES = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)"]


@pytest.fixture(scope="module")
def study():
    return read_clinic()


@pytest.fixture
def saved(study, tmp_path):
    return study.save(tmp_path / "study", partition_by="topic_id")


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def made(monkeypatch):
    """How many sessions were in blocks since this list was cleared, block by block."""
    seen = []
    real = reduction.batches

    def counted(*given):
        for block in real(*given):
            seen.append(len(block.sessions))
            yield block

    monkeypatch.setattr(reduction, "batches", counted)
    return seen


def topic(study, name):
    """A study of the sessions of one topic."""
    mine = study.sessions.filter(pl.col("topic_id") == name)
    log = {table: study.table(table).join(mine, on="session_id", how="semi") for table in ("queries", "results")}
    return study.with_tables(sessions=mine, **log)


@quiet
@pytest.mark.few(2)
@pytest.mark.parametrize("per", ["session", "query", "system_id", "all", "topic_id"])
def test_the_same_bits_with_and_without(study, saved, kept, made, per):
    asked = ["nDCG@10", "DCG@3"] if per == "query" else CACHED_MEASURES
    plain = sk.score(study, asked, **score_way(per))
    for expected in (study.facts.sessions, 0):
        made.clear()
        assert_frame_equal(sk.score(saved, asked, **score_way(per), cache=kept), plain, check_exact=True)
        assert sum(made) == expected
    made.clear()
    parts = list(score_parts(saved, asked, **score_way(per), cache=kept))
    assert_frame_equal(pl.concat(parts), plain, check_exact=True)
    assert made == []


@quiet
@pytest.mark.slow
def test_curves_and_breakdowns(study, saved, kept, made):
    for _ in range(2):
        made.clear()
        assert_frame_equal(sk.curve(saved, "nsDCG@10", cache=kept), sk.curve(study, "nsDCG@10"), check_exact=True)
        found = sk.breakdown(saved, "nDCG@10", cache=kept, parts="best")
        assert_frame_equal(found, sk.breakdown(study, "nDCG@10", parts="best"), check_exact=True)
    assert sum(made) == 2 * study.facts.sessions  # those of the unsaved study


@quiet
@pytest.mark.slow
def test_one_new_partition_does_not_score_the_rest(study, tmp_path, kept, made):
    topics = study.sessions.collect()["topic_id"].unique().sort().to_list()
    first = study.sessions.filter(pl.col("topic_id") != topics[0])
    log = {table: study.table(table).join(first, on="session_id", how="semi") for table in ("queries", "results")}
    saved = study.with_tables(sessions=first, **log).save(tmp_path / "most", partition_by="topic_id")
    new = topic(study, topics[0])
    sk.score(saved, CACHED_MEASURES, by="system_id", cache=kept)
    assert sum(made) == study.facts.sessions - new.facts.sessions
    made.clear()
    whole = add_partition(saved.path, new, "topic_id", topics[0])
    scores = sk.score(whole, CACHED_MEASURES, by="system_id", cache=kept)
    assert made == [new.facts.sessions]
    assert_frame_equal(scores, sk.score(study, CACHED_MEASURES, by="system_id"), check_exact=True)


@quiet
@pytest.mark.slow
def test_what_partials_depend_on(study, saved, kept, made, tmp_path):
    def scored(given, *asked, **options):
        made.clear()
        run(
            given,
            [score_task(given, asked or CACHED_MEASURES, **score_way(options.pop("per", "system_id")))],
            cache=kept,
            **options,
        )
        return sum(made)

    every = study.facts.sessions
    assert scored(saved) == every
    assert scored(saved, memory="50MB") == 0
    assert scored(sk.open_study(saved.path)) == 0
    assert scored(saved.save(tmp_path / "copy")) == 0
    assert scored(study.save(tmp_path / "titled", partition_by="topic_id")) == 0
    assert scored(saved, "sDCG@10") == every
    assert scored(saved, per="session") == every
    titled = replace(study, settings=replace(study.settings, title="Another title"))
    assert scored(titled.save(tmp_path / "other title", partition_by="topic_id")) == 0
    merged = replace(study, settings=replace(study.settings, merge="sum"))
    assert scored(merged.save(tmp_path / "merged", partition_by="topic_id")) == every
    fewer = study.with_tables(judgments=study.judgments.head(50))
    assert scored(fewer.save(tmp_path / "fewer", partition_by="topic_id")) == every
    users = study.with_tables(users=study.users.with_columns(hand=pl.lit("left")))
    handed = users.save(tmp_path / "hands", partition_by="topic_id")
    assert scored(handed) == 0
    assert scored(handed, per="hand") == every
    right = study.with_tables(users=study.users.with_columns(hand=pl.lit("right")))
    assert scored(right.save(tmp_path / "right", partition_by="topic_id"), per="hand") == every


@quiet
@pytest.mark.slow
def test_a_new_kernel_or_version_starts_anew(saved, kept, made, monkeypatch):
    sk.score(saved, "sDCG@10", cache=kept, per="session")
    for name, value in (("KERNEL", 99), ("__version__", "99.0")):
        monkeypatch.setattr(f"sessionkit.scoring.reduction.{name}", value)
        made.clear()
        sk.score(saved, "sDCG@10", cache=kept, per="session")
        assert made


def flip(path, place=0.5, bit=1):
    """Flip a bit of a file; return the bytes that it had."""
    content = path.read_bytes()
    changed = bytearray(content)
    changed[int(place * len(changed))] ^= bit
    path.write_bytes(changed)
    return content


@pytest.mark.few(5, slow=3)
@quiet
@pytest.mark.parametrize("opened", ["before", "after"])
@pytest.mark.parametrize("table", ["users", "sessions", "queries", "results", "judgments"])
def test_a_changed_file_is_refused_and_nothing_of_it_is_kept(saved, kept, table, opened):
    """The hash of datapackage.json is what it was, so it says nothing of what is read."""
    path = max(saved.path.rglob(f"{table}*/**/*.parquet"), default=saved.path / f"{table}.parquet")
    study = sk.open_study(saved.path) if opened == "before" else None
    content = flip(path)
    with pytest.raises(DataError, match=r"(was changed|not readable)"):
        sk.score(study or sk.open_study(saved.path), CACHED_MEASURES, by="skill", cache=kept)
    path.write_bytes(content)
    again = sk.open_study(saved.path)
    assert sk.score(again, CACHED_MEASURES, by="skill", cache=kept).equals(sk.score(again, CACHED_MEASURES, by="skill"))


def changed_while_read(monkeypatch, path, *, restored):
    """Have a bit of a file flipped when the study is read, or flipped and flipped back after it."""
    real = reduction.batches

    def changing(*given):
        content = flip(path, bit=4)
        yield from real(*given)
        if restored:
            path.write_bytes(content)

    monkeypatch.setattr(reduction, "batches", changing)


@quiet
def test_a_file_that_is_changed_while_it_is_read_is_refused(study, tmp_path, kept, monkeypatch):
    saved = study.save(tmp_path / "study")
    changed_while_read(monkeypatch, saved.path / "users.parquet", restored=False)
    with pytest.raises(DataError, match=r"users\.parquet was changed: "):
        sk.score(saved, "sDCG@10", cache=kept)
    assert not kept.exists()


@quiet
def test_what_is_read_of_a_file_that_is_changed_back_is_not_kept(study, tmp_path, kept, monkeypatch):
    saved = study.save(tmp_path / "study")
    os.utime(saved.path / "users.parquet", (1, 1))  # the clock of a disk may not tell apart what is written at once
    changed_while_read(monkeypatch, saved.path / "users.parquet", restored=True)
    sk.score(saved, "Clicks", cache=kept)
    assert not kept.exists()


@quiet
def test_what_was_read_earlier_is_read_again(study, tmp_path, kept):
    """Judgments stay in memory between calls: they are not what the file holds when it is hashed."""
    other = study.with_tables(judgments=study.judgments.with_columns(grade=2 - pl.col("grade"))).save(
        tmp_path / "other"
    )
    saved = study.save(tmp_path / "study")
    plain = sk.score(study, CACHED_MEASURES)
    saved.memo.keep("graded pairs", GradedPairs.of(other))
    assert not sk.score(saved, CACHED_MEASURES).equals(plain)
    for _ in range(2):
        assert sk.score(saved, CACHED_MEASURES, cache=kept).equals(plain)


@pytest.mark.slow
@quiet
def test_what_the_descriptor_says_of_lists_and_numbers_is_part_of_the_key(saved, kept, made):
    sk.score(saved, CACHED_MEASURES, cache=kept)
    unnumbered = tuple(replace(part, numbered=False) for part in saved.storage.stored)
    gaps = replace(saved.facts, lists_with_gaps=1)
    for said in ({"stored": unnumbered}, {"facts": gaps}, {"facts": replace(gaps, repeats_in_lists=2)}):
        made.clear()
        sk.score(replace(saved, storage=replace(saved.storage, **said)), CACHED_MEASURES, cache=kept)
        assert sum(made) == saved.facts.sessions


@quiet
@pytest.mark.parametrize("wrapped", [False, True])
def test_measures_of_others_are_not_kept(saved, kept, made, wrapped):
    """The text of a measure does not tell its code, nor what that calls."""
    own = sk.define("Own", len, level="query" if wrapped else "session")
    for _ in range(2):
        sk.score(saved, ["sDCG@10", sk.mean(own) if wrapped else own], cache=kept)
    assert sum(made) == 2 * saved.facts.sessions
    assert not kept.exists()


@quiet
@pytest.mark.parametrize("place", ["", "cache", "results/cache"])
def test_a_cache_in_a_study_is_refused(study, saved, tmp_path, place):
    other = study.save(tmp_path / "other")
    for path in [saved.path / place, *([other.path] if not place else [])]:
        with pytest.raises(UsageError, match="would lie in a study"):
            sk.score(saved, "sDCG@10", cache=path)
    assert verify_hashes(saved) == ()


@pytest.mark.slow
@quiet
@pytest.mark.parametrize(
    "flips", [pytest.param(10, id="short"), pytest.param(1000, id="long", marks=pytest.mark.proof)]
)
def test_a_cache_never_answers_from_changed_files(saved, kept, flips):
    draw = random.Random(43)  # noqa: S311 - no secret
    paths = sorted(path for path in saved.path.rglob("*") if path.is_file())
    plain, refused = sk.score(saved, CACHED_MEASURES, by="skill"), 0
    for _ in range(flips):
        path = draw.choice(paths)
        content = flip(path, draw.random(), 1 << draw.randrange(8))
        try:
            scores = sk.score(sk.open_study(saved.path), CACHED_MEASURES, by="skill", cache=kept)
        except (sk.SessionkitError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            refused += 1
        else:
            assert path.parent == saved.path  # the descriptor, whose texts no score is made of, or rejected rows
            assert scores.equals(plain) or path.name == "datapackage.json"
        path.write_bytes(content)
        again = sk.score(sk.open_study(saved.path), CACHED_MEASURES, by="skill", cache=kept)
        assert again.equals(plain)
        if draw.random() < 0.5:
            shutil.rmtree(kept)
    print(f"\n{flips} flipped bits: {refused} refused, no other answer kept")
    assert refused


@quiet
@pytest.mark.few(1)
@pytest.mark.parametrize("damage", [lambda data: data[:0], lambda data: data[:-1], lambda data: b"x" * len(data)])
def test_damaged_files_are_worked_out_again(saved, kept, made, damage):
    plain = sk.score(saved, CACHED_MEASURES, by="system_id", cache=kept)
    files = sorted(kept.iterdir())
    for path in files[:2]:
        path.write_bytes(damage(path.read_bytes()))
    made.clear()
    assert_frame_equal(sk.score(saved, CACHED_MEASURES, by="system_id", cache=kept), plain, check_exact=True)
    assert len(made) == 2
    assert [path.name[:64] for path in sorted(kept.iterdir())] == [path.name[:64] for path in files]


@quiet
@pytest.mark.slow
def test_one_flipped_bit_is_not_believed(saved, kept, made):
    plain = sk.score(saved, CACHED_MEASURES, per="session", cache=kept)
    path = min(kept.iterdir())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    made.clear()
    assert_frame_equal(sk.score(saved, CACHED_MEASURES, per="session", cache=kept), plain, check_exact=True)
    assert len(made) == 1


@quiet
def test_foreign_files_are_left_alone(saved, kept):
    kept.mkdir()
    (kept / "notes.txt").write_text("mine")
    sk.score(saved, "sDCG@10", cache=kept, per="session")
    assert (kept / "notes.txt").read_text() == "mine"
    partitions = {part.folder for part in saved.storage.stored}
    assert len(
        [path for path in kept.iterdir() if re.fullmatch(r"[0-9a-f]{64}-[0-9a-f]{32}\.parquet", path.name)]
    ) == len(partitions)


@quiet
def test_places_that_cannot_be_written(saved, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="directory for the cache"):
        sk.score(saved, "sDCG@10", cache=tmp_path / "file", per="session")


@quiet
def test_a_study_that_is_not_saved(study, saved, kept):
    for unsaved in (study, saved.with_tables(sessions=saved.sessions)):
        with pytest.raises(UsageError, match="cache needs a saved study"):
            sk.score(unsaved, "sDCG@10", cache=kept, per="session")
    saved = replace(saved, storage=replace(saved.storage, hashes={}))
    with pytest.raises(UsageError, match="save it again"):
        sk.score(saved, "sDCG@10", cache=kept, per="session")
    assert not kept.exists()


@quiet
def test_a_study_without_partitions_is_one(study, tmp_path, kept, made):
    saved = study.save(tmp_path / "plain")
    for _ in range(2):
        assert_frame_equal(
            sk.score(saved, CACHED_MEASURES, cache=kept, per="session"),
            sk.score(saved, CACHED_MEASURES, per="session"),
            check_exact=True,
        )
    assert len(list(kept.iterdir())) == 1
    assert sum(made) == 3 * study.facts.sessions  # twice without cache, once with


@quiet
@pytest.mark.slow
def test_several_tasks_of_which_some_are_kept(saved, study, kept, made):
    one, two = score_task(saved, "sDCG@10", by="system_id"), curve_task(saved, "nsDCG@10")
    run(saved, [one], cache=kept)
    made.clear()
    found = run(saved, [one, two, one], cache=kept)
    assert sum(made) == study.facts.sessions
    for table, plain in zip(found, run(saved, [one, two, one]), strict=True):
        assert_frame_equal(table, plain, check_exact=True)


@quiet
def test_tasks_have_texts_of_their_own(study):
    asked = [("sDCG@10", "session"), ("sDCG@5", "session"), ("sDCG@10", "query"), ("sDCG@10", "topic_id")]
    texts = [text_of(score_task(study, "DCG@10" if per == "query" else name, **score_way(per))) for name, per in asked]
    options = ({}, {"by": "topic_id"}, {"by": "topic_id,system_id"}, {"normalize": "averages"}, {"after_stop": "null"})
    texts += [text_of(curve_task(study, "nsDCG@10", **given)) for given in options]
    assert len(set(texts)) == len(texts)
    assert text_of(Settings(max_grade=3)) != text_of(Settings(max_grade=4))
    with pytest.raises(TypeError, match="a datetime has no text"):
        text_of([datetime(2026, 11, 21, tzinfo=UTC)])


@quiet
def test_groups_of_odd_types_come_back_as_they_were(study, tmp_path, kept):
    odd = study.sessions.with_columns(
        day=pl.lit("2026-11-21").str.to_date(), flag=pl.col("system_id") == "S1", half=pl.lit(0.5)
    )
    saved = study.with_tables(sessions=odd).save(tmp_path / "odd", partition_by="flag")
    assert {part.folder for part in saved.storage.stored} == {"flag=true", "flag=false"}
    for _ in range(2):
        found = sk.score(saved, "sDCG@10", by=["day", "flag", "half"], cache=kept)
        assert_frame_equal(found, sk.score(saved, "sDCG@10", by=["day", "flag", "half"]), check_exact=True)


@quiet
def test_nothing_is_kept_that_would_come_back_changed(kept):
    part = pl.DataFrame({"x": [1]}, schema={"x": pl.Int128})
    ResultCache(kept).keep("0" * 64, part)
    found = ResultCache(kept).find("0" * 64)
    assert found is None or found.equals(part)
