"""Names of partitions, and a study saved in them: the same study, cut by a column."""

import warnings
from pathlib import PurePosixPath

import polars as pl
import pytest
from frictionless import Package
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.study import open_study, verify_hashes
from sessionkit.study.batches import slices
from sessionkit.study.descriptor import LONGEST, NULL, folder_of, is_partition_folder
from tests.study.days import same_scores, same_study, small
from tests.support.clinic import read_clinic
from tests.support.descriptors import edit_descriptor

LOG = ("sessions", "queries", "results")
HOSTILE = [
    "",
    ".",
    "..",
    "a/b",
    "a\\b",
    "a=b",
    "a b",
    "a.",
    "%41",
    "A",
    "a",
    "\0",
    "ü",
    "\n",
    "*?[x]",
    "x" * 1000,
    "x" * 1001,
    NULL,
]


def test_hostile_values_have_safe_names_of_their_own():
    folders = {value: folder_of("system_id", value) for value in [*HOSTILE, None]}
    assert len(set(folders.values())) == len(HOSTILE) + 1
    for folder in folders.values():
        assert folder.isascii()
        assert folder.isprintable()
        assert not set(folder) & set('/\\:*?[]#"<>| ')
        assert len(folder) <= LONGEST
        assert not folder.endswith(".")
        assert PurePosixPath(folder).parts == (folder,)
    assert folders[None] == "system_id=__HIVE_DEFAULT_PARTITION__"
    assert folders["a b"] == "system_id=a%20b"


@given(st.text(max_size=300), st.text(max_size=300))
def test_different_values_have_different_names(one, other):
    assert (folder_of("x", one) == folder_of("x", other)) == (one == other)


@pytest.mark.parametrize("name", ["a/b", "..", "ü=x"])
def test_odd_columns_have_safe_names(name):
    assert "/" not in folder_of(name, "v")
    assert folder_of(name, "v").count("=") == 1


@given(st.text(max_size=200), st.none() | st.text(max_size=300))
def test_folders_are_recognized(name, value):
    assert is_partition_folder(name, folder_of(name, value))


@pytest.mark.parametrize(
    "folder",
    [
        *(
            "",
            ".",
            "..",
            "x",
            "/x=a",
            "../x=a",
            "x=a/..",
            "x=../a",
            "x=a/b",
            "x=a\\b",
            "x=a:b",
            "~/x=a",
            "y=a",
            "x=a.",
            "x=a b",
        ),
        *(
            "x=%2",
            "x=%e2",
            "x=%2f",
            "x=%41",
            "x=%FF",
            "x=a\0",
            "x=a\n",
            "x=ü",
            "X=a",
            "x=__HIVE_DEFAULT_PARTITION__/",
            "x=a=b",
        ),
        *(
            f"x={'a' * 200}",
            f"x={'a' * 115}+{'0' * 31}/",
            f"x={'a' * 115}+{'0' * 31}g",
            f"y={'a' * 115}+{'0' * 32}",
            f"x={'/' * 115}+{'0' * 32}",
        ),
    ],
)
def test_other_folders_are_not(folder):
    assert not is_partition_folder("x", folder)


@pytest.fixture(autouse=True)
def _quiet():
    """Warnings of scores are tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


@pytest.fixture(scope="module")
def study():
    return read_clinic()


@pytest.fixture
def saved(study, tmp_path):
    return study.save(tmp_path / "out", partition_by="system_id")


def test_a_partition_is_a_folder_for_each_table(saved):
    found = sorted(path.relative_to(saved.path).as_posix() for path in saved.path.rglob("*.parquet"))
    systems = [f"{name}/system_id={system}/00000.parquet" for name in sorted(LOG) for system in ("S1", "S2")]
    assert found == sorted([*systems, "users.parquet", "judgments.parquet"])
    for system in ("S1", "S2"):
        own = pl.read_parquet(saved.path / "sessions" / f"system_id={system}" / "00000.parquet")
        assert set(own["system_id"]) == {system}
    assert [part.folder for part in saved.storage.stored] == ["system_id=S1", "system_id=S2"]
    assert saved.storage.partitioned.by == "system_id"


@pytest.mark.slow
def test_a_partitioned_study_is_the_same_study(study, saved):
    same_study(saved, study)
    same_scores(saved, study)
    assert sk.describe(saved).tables().keys() == sk.describe(study).tables().keys()
    for title, table in sk.describe(study).tables().items():
        assert_frame_equal(sk.describe(saved).tables()[title], table)
    assert_frame_equal(sk.explain(saved, "sDCG@10"), sk.explain(study, "sDCG@10"), check_exact=True)
    session = study.sessions.collect().item(7, "session_id")
    one = [sk.explain(each, "nsDCG@10", session=session) for each in (saved, study)]
    assert_frame_equal(*one, check_exact=True)


@pytest.mark.parametrize("rows", [1, 500, 10**9])
def test_slices_hold_sessions_of_one_partition_whole(study, saved, rows):
    parts = list(slices(saved, rows=rows))
    for part in parts:
        own = part.sessions["session_id"]
        assert part.sessions["system_id"].n_unique() == 1
        assert part.folder == f"system_id={part.sessions['system_id'][0]}"
        for name in ("queries", "results"):
            every = study.table(name).filter(pl.col("session_id").is_in(own.implode())).collect()
            assert_frame_equal(getattr(part, name).select(every.columns), every)
    assert sum(len(part.sessions) for part in parts) == study.facts.sessions


@pytest.mark.slow
def test_partitions_of_several_files(study, tmp_path, monkeypatch):
    monkeypatch.setattr("sessionkit.study.package.RESULT_BYTES", 25_000)  # 2,000 results of a file with 50 MB
    saved = study.save(tmp_path / "many", partition_by="system_id", memory="50MB")
    assert len(saved.storage.stored) > 4
    same_study(saved, study)
    same_scores(saved, study)
    again = saved.save(tmp_path / "topics", partition_by="topic_id", memory="50MB")
    assert {part.folder for part in again.storage.stored} == {
        f"topic_id={topic}" for topic in study.sessions.collect()["topic_id"].unique()
    }
    same_study(again, study)
    same_scores(again, study)


def test_a_partitioned_study_stays_so_when_saved(saved, tmp_path):
    copy = saved.save(tmp_path / "copy")
    assert [part.folder for part in copy.storage.stored] == ["system_id=S1", "system_id=S2"]
    files = [path for path in saved.path.rglob("*") if path.is_file()]
    assert len(files) == 9
    for path in files:
        assert path.read_bytes() == (copy.path / path.relative_to(saved.path)).read_bytes()


def test_odd_values_and_null(tmp_path):
    values = ["a/b", "..", None, "a", "A", "%", "__HIVE_DEFAULT_PARTITION__", "ü" * 200]
    sessions = {f"s{at}": ("u", value, "ab") for at, value in enumerate(values)}
    study = small(sessions)
    saved = study.save(tmp_path / "odd", partition_by="date")
    assert len({part.folder for part in saved.storage.stored}) == len(values)
    assert all(path.is_relative_to(saved.path / "sessions") for path in (tmp_path / "odd" / "sessions").rglob("*"))
    same_study(saved, study)
    assert verify_hashes(saved) == ()


def test_a_study_without_sessions(study, tmp_path):
    none = {name: study.table(name).clear() for name in ("users", *LOG)}
    saved = study.with_tables(**none).save(tmp_path / "empty", partition_by="system_id")
    assert sk.score(saved, "sDCG@10", per="session").is_empty()
    assert saved.storage.partitioned.by == "system_id"


def test_columns_that_make_no_partitions(study, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"no such column in sessions.*did you mean 'system_id'"):
        study.save(tmp_path / "out", partition_by="system")
    monkeypatch.setattr("sessionkit.study.descriptor.MOST", 10)
    with pytest.raises(UsageError, match="it has 120 values, and each would be a folder"):
        study.save(tmp_path / "out", partition_by="session_id")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_frictionless_finds_no_fault(saved):
    """It checks the descriptor and, of a resource of several Parquet files, the first."""
    report = Package(str(saved.path / "datapackage.json")).validate()
    assert report.flatten(["type", "message"]) == []
    assert {task.name for task in report.tasks} == {"users", *LOG, "judgments"}


def test_verify_names_the_file_that_changed(saved):
    assert verify_hashes(saved) == ()
    path = saved.path / "results" / "system_id=S2" / "00000.parquet"
    data = bytearray(path.read_bytes())
    data[6] ^= 1
    path.write_bytes(data)
    (problem,) = verify_hashes(saved)
    assert problem.startswith("results/system_id=S2/00000.parquet was changed")
    with pytest.raises(
        DataError, match=r"out: results/system_id=S2/00000.parquet was changed after the study was written"
    ):
        open_study(saved.path)


@pytest.mark.parametrize(
    "change",
    [
        lambda ours: ours["parts"].pop(),
        lambda ours: ours["parts"][0].pop("folder"),
        lambda ours: ours["parts"][0].update(sha256="x"),
        lambda ours: ours.update(pairs=3),
        lambda ours: ours.update(parts={}),
        lambda ours: ours.update(partitioned={"by": 3, "added": []}),
        lambda ours: ours.update(partitioned="date"),
        lambda ours: ours["partitioned"].update(added=[{"folder": "x"}]),
        lambda ours: ours["partitioned"].update(added=[{"folder": "../x", "sources": 0, "notes": 0, "rejected": 0}]),
        lambda ours: ours["partitioned"].update(
            added=[{"folder": "system_id=S1", "sources": 2**62, "notes": 0, "rejected": 0}]
        ),
        lambda ours: ours["partitioned"].update(
            added=[{"folder": "system_id=S1", "sources": 0, "notes": 0, "rejected": 1}]
        ),
        lambda ours: ours["partitioned"].update(added=[{"folder": "x", "sources": -1, "notes": 0, "rejected": 0}]),
    ],
)
def test_descriptors_that_do_not_fit_are_refused(saved, change):
    edit_descriptor(saved.path, lambda descriptor: change(descriptor["sessionkit"]))
    with pytest.raises(DataError, match=r"datapackage.json.*ingest the source again"):
        open_study(saved.path)
