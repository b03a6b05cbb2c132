"""Studies from others whose descriptor names places that are not theirs, and files of others in a study's directory.

Studies that were written before cells were set aside: what was rejected are rows.

Names of partitions, and a study saved in them: the same study, cut by a column.
"""

import re
import shutil
from pathlib import Path, PurePosixPath

import polars as pl
import pytest
from frictionless import Package
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.sessions.record_accounts import Loss, check, heavy_losses
from sessionkit.study import open_study, package, verify_hashes
from sessionkit.study.batches import slices
from sessionkit.study.descriptor import LONGEST, NULL, folder_of, is_partition_folder
from tests.study.days import same_scores, same_study, small
from tests.support.clinic import read_clinic
from tests.support.descriptors import edit_descriptor, sign_file

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")

ROWS = {
    "session_id": ["a", "b"],
    "query_position": [1, 1],
    "rank": [1, 1],
    "doc_id": ["x", "y"],
    "system_id": ["S1", "S2"],
}
OTHER = {**ROWS, "doc_id": ["other", "other"]}
FOLDERS = {
    "absolute": "{top}/victim/x",
    "absolute directory": "{top}/victim",
    "above": "../../../victim/x",
    "above the draft": "../../x",
    "parent": "..",
    "itself": ".",
    "through a partition": "system_id=S1/../../../../victim",
    "nested": "system_id=S1/more",
    "trailing slash": "system_id=S1/",
    "home": "~/x",
    "backslashes": "..\\..\\victim",
    "drive": "C:/x",
    "another column": "topic_id=S1",
    "escaped dots": "system_id=%2e%2e",
    "control characters": "system_id=\x1b[2J",
    "null byte": "system_id=\0",
    "pattern": "*",
    "another partition": "system_id=S2",
    "none": "",
}
VERBS = {
    "save": lambda study, top: study.save(top / "old"),
    "partition": lambda study, top: study.save(top / "old", partition_by="session_id"),
    "pseudonymize": lambda study, top: sk.pseudonymize(study).study.save(top / "old"),
    "over itself": lambda study, _: study.save(study.path),
}


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """A plain and a partitioned study, and another one."""
    top = tmp_path_factory.mktemp("studies")
    made = {by: sk.from_tables(ROWS).save(top / str(by), partition_by=by).path for by in (None, "system_id")}
    return {**made, "other": sk.from_tables(OTHER).save(top / "other").path}


@pytest.fixture
def top(studies, tmp_path):
    """A folder with a study in the place that is written to, and a file beside it."""
    shutil.copytree(studies["other"], tmp_path / "old")
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "thesis.txt").write_text("x")
    return tmp_path


@pytest.mark.few(19)
@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("by", ["system_id", None])
def test_no_folder_of_a_foreign_study_leads_anywhere(studies, top, by, name):
    evil = Path(shutil.copytree(studies[by], top / "evil"))

    def forge(descriptor):
        descriptor["sessionkit"]["parts"][0]["folder"] = FOLDERS[name].format(top=top)
        descriptor["sessionkit"].setdefault("partitioned", {"by": "system_id", "added": []})

    edit_descriptor(evil, forge)
    before = contents(top)
    for verb in VERBS.values():
        with pytest.raises(DataError, match=r"datapackage\.json.*ingest the source") as caught:
            verb(sk.open_study(evil), top)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400 + len(str(top))
    assert contents(top) == before


@pytest.mark.parametrize("by", ["doc_id", "", "system_id\0", "../system_id", "^.*$", "x" * 500])
def test_partitions_are_by_a_column_of_the_sessions(studies, top, by):
    evil = Path(shutil.copytree(studies["system_id"], top / "evil"))
    edit_descriptor(evil, lambda descriptor: descriptor["sessionkit"]["partitioned"].update(by=by))
    with pytest.raises(DataError, match=r"folder of a partition by"):
        sk.open_study(evil)


@pytest.mark.parametrize(
    "path",
    [
        "codebook.csv",
        "users.parquet",
        "sessions/00000.parquet",
        "results/system_id=S1/../system_id=S1/00000.parquet",
        "results/system_id=S1/0.parquet",
        "results/system_id=S2/00000.parquet",
        "results//system_id=S1/00000.parquet",
        "results/system_id=S1/00000.parquet\n",
        "RESULTS/system_id=S1/00000.parquet",
        "../evil/results/system_id=S1/00000.parquet",
        "x" * 5000,
        ["results/system_id=S1/00000.parquet"],
        None,
        -1,
    ],
)
def test_files_are_those_of_their_part(studies, top, path):
    evil = Path(shutil.copytree(studies["system_id"], top / "evil"))
    shutil.copy(evil / "results" / "system_id=S1" / "00000.parquet", evil / "codebook.csv")

    def forge(descriptor):
        (results,) = (resource for resource in descriptor["resources"] if resource["name"] == "results")
        results["path"][0] = path

    edit_descriptor(evil, forge)
    with pytest.raises(DataError, match=r"file .* for results|1 files .* of 2") as caught:
        sk.open_study(evil)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(top))


@pytest.mark.parametrize("link", ["results", "results/system_id=S1", "results/system_id=S1/00000.parquet"])
def test_links_inside_a_study_do_not_lead_out(studies, top, link):
    evil = Path(shutil.copytree(studies["system_id"], top / "evil"))
    (evil / link).rename(top / "outside")
    (evil / link).symlink_to(top / "outside")
    with pytest.raises(DataError, match="only files inside"):
        sk.open_study(evil)


def test_what_cannot_be_opened_replaces_nothing(studies, top, monkeypatch):
    """Whatever goes wrong while a study is written, the old one stays."""
    before = contents(top)
    descriptor_of = package._descriptor

    def broken(*given):
        descriptor = descriptor_of(*given)
        descriptor["sessionkit"]["facts"]["sessions"] = -1
        return descriptor

    monkeypatch.setattr(package, "_descriptor", broken)
    verbs = {**VERBS, "over itself": lambda _, top: sk.open_study(top / "old").save(top / "old")}
    for verb in verbs.values():
        with pytest.raises(DataError, match=r"be opened.*facts.sessions is -1") as caught:
            verb(sk.open_study(studies["system_id"]), top)
        assert ".partial" not in str(caught.value)
    assert contents(top) == before


def test_a_partition_that_cannot_be_opened_is_not_added(studies, top, monkeypatch):
    saved = Path(shutil.copytree(studies["system_id"], top / "saved"))
    before = contents(top)
    monkeypatch.setattr(package, "digest_of", lambda _: "0" * 64)
    added = sk.from_tables({**ROWS, "session_id": ["c", "d"], "system_id": ["S3", "S3"]})
    with pytest.raises(DataError, match=r"saved was not .* its digest"):
        sk.add_partition(saved, added, "system_id", "S3")
    assert contents(top) == before


ADDITIONS = {
    "a listed file": (
        "codebook.csv",
        {"name": "codebook", "path": "codebook.csv"},
        r"contains codebook\.csv, the resource",
    ),
    "a listed folder": (
        "docs/readme.md",
        {"name": "readme", "path": ["docs/readme.md"]},
        r"contains docs, the resource 'readme'",
    ),
    "one of a table": (
        "results/notes.parquet",
        {"name": "results", "path": "results/notes.parquet"},
        r"results/notes\.parquet",
    ),
    "a resource": (
        None,
        {"name": "survey", "path": "https://example.org/survey.csv"},
        "the resource 'survey' in datapackage",
    ),
    "a resource without a name": (None, {"data": [1]}, "the resource None in datapackage"),
    "a file": ("notes.txt", None, r"contains notes\.txt"),
}


@pytest.mark.parametrize("name", ADDITIONS)
@pytest.mark.parametrize("is_signed", [True, False])
def test_what_others_added_is_never_removed(studies, top, name, is_signed):
    file, resource, words = ADDITIONS[name]
    saved = Path(shutil.copytree(studies["system_id"], top / "saved"))
    if file is not None:
        (saved / file).parent.mkdir(exist_ok=True)
        (saved / file).write_text("x")
    if resource is not None:
        edit_descriptor(saved, lambda descriptor: descriptor["resources"].append(resource), is_signed=is_signed)
    before = contents(top)
    with pytest.raises(UsageError, match=words):
        sk.from_tables(ROWS).save(saved)
    assert contents(top) == before


def test_metadata_of_others_is_never_removed(studies, top):
    saved = Path(shutil.copytree(studies["system_id"], top / "saved"))
    edit_descriptor(saved, lambda descriptor: descriptor.update(licenses=[{"name": "CC0-1.0"}]), is_signed=False)
    before = contents(top)
    with pytest.raises(UsageError, match=r"licenses in datapackage\.json"):
        sk.open_study(saved).save(saved)
    added = sk.from_tables({**ROWS, "session_id": ["c", "d"], "system_id": ["S3", "S3"]})
    with pytest.raises(UsageError, match="contains licenses"):
        sk.add_partition(saved, added, "system_id", "S3")
    assert contents(top) == before


@pytest.fixture
def older(tmp_path):
    """A study of which one record was rejected, as older versions wrote it."""
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(lists)
    path = tmp_path / "study"
    study.save(path)
    file = path / "rejected.parquet"
    pl.read_parquet(file).drop("column", "row_kept").write_parquet(file)
    edit_descriptor(path, lambda descriptor: sign_file(descriptor, path, "rejected"))
    return path


def test_rows_are_rows(older, tmp_path):
    study = sk.open_study(older)
    assert study.rejected.select("rule", "column", "row_kept").collect().rows() == [("rank_is_an_integer", None, False)]
    found = check(study)
    assert found["rejected"]["records"].to_list() == [1]
    assert found["cells"].is_empty()
    assert heavy_losses(study) == (Loss("results", None, "records", 1, 3),)
    copy = sk.pseudonymize(study)
    assert any(re.search(r"1 record .*\(rank_is_an_integer\)", note) for note in copy.study.notes)


def test_cells_are_said_apart_in_a_copy(tmp_path):
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(lists | {"dwell_seconds": ["1", "2 s", "3 s"]})
    opened = sk.open_study(study.save(tmp_path / "study").path)
    assert opened.rejected.collect().equals(study.rejected.collect())
    (note,) = [note for note in sk.pseudonymize(opened).study.notes if "left out of the copy: 1" in note]
    assert re.search(r"1 record .*\(rank_is_an_integer\)", note)
    assert re.search(r"1 value .*\(dwell_seconds_is_a_number\)", note)


def test_a_copy_says_what_was_lost():
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(lists)
    copy = sk.pseudonymize(study).study
    assert heavy_losses(copy) == heavy_losses(study) == (Loss("results", None, "records", 1, 3),)


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


@quiet
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


@quiet
@given(st.text(max_size=300), st.text(max_size=300))
def test_different_values_have_different_names(one, other):
    assert (folder_of("x", one) == folder_of("x", other)) == (one == other)


@quiet
@pytest.mark.parametrize("name", ["a/b", "..", "ü=x"])
def test_odd_columns_have_safe_names(name):
    assert "/" not in folder_of(name, "v")
    assert folder_of(name, "v").count("=") == 1


@quiet
@given(st.text(max_size=200), st.none() | st.text(max_size=300))
def test_folders_are_recognized(name, value):
    assert is_partition_folder(name, folder_of(name, value))


@quiet
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


@pytest.fixture(scope="module")
def study():
    return read_clinic()


@pytest.fixture
def saved(study, tmp_path):
    return study.save(tmp_path / "out", partition_by="system_id")


@quiet
def test_a_partition_is_a_folder_for_each_table(saved):
    found = sorted(path.relative_to(saved.path).as_posix() for path in saved.path.rglob("*.parquet"))
    systems = [f"{name}/system_id={system}/00000.parquet" for name in sorted(LOG) for system in ("S1", "S2")]
    assert found == sorted([*systems, "users.parquet", "judgments.parquet"])
    for system in ("S1", "S2"):
        own = pl.read_parquet(saved.path / "sessions" / f"system_id={system}" / "00000.parquet")
        assert set(own["system_id"]) == {system}
    assert [part.folder for part in saved.storage.stored] == ["system_id=S1", "system_id=S2"]
    assert saved.storage.partitioned.by == "system_id"


@quiet
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


@quiet
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


@quiet
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


@quiet
def test_a_partitioned_study_stays_so_when_saved(saved, tmp_path):
    copy = saved.save(tmp_path / "copy")
    assert [part.folder for part in copy.storage.stored] == ["system_id=S1", "system_id=S2"]
    files = [path for path in saved.path.rglob("*") if path.is_file()]
    assert len(files) == 9
    for path in files:
        assert path.read_bytes() == (copy.path / path.relative_to(saved.path)).read_bytes()


@quiet
def test_odd_values_and_null(tmp_path):
    values = ["a/b", "..", None, "a", "A", "%", "__HIVE_DEFAULT_PARTITION__", "ü" * 200]
    sessions = {f"s{at}": ("u", value, "ab") for at, value in enumerate(values)}
    study = small(sessions)
    saved = study.save(tmp_path / "odd", partition_by="date")
    assert len({part.folder for part in saved.storage.stored}) == len(values)
    assert all(path.is_relative_to(saved.path / "sessions") for path in (tmp_path / "odd" / "sessions").rglob("*"))
    same_study(saved, study)
    assert verify_hashes(saved) == ()


@quiet
def test_a_study_without_sessions(study, tmp_path):
    none = {name: study.table(name).clear() for name in ("users", *LOG)}
    saved = study.with_tables(**none).save(tmp_path / "empty", partition_by="system_id")
    assert sk.score(saved, "sDCG@10", per="session").is_empty()
    assert saved.storage.partitioned.by == "system_id"


@quiet
def test_columns_that_make_no_partitions(study, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"in sessions.*mean 'system_id'"):
        study.save(tmp_path / "out", partition_by="system")
    monkeypatch.setattr("sessionkit.study.descriptor.MOST", 10)
    with pytest.raises(UsageError, match=r"120 values.* folder"):
        study.save(tmp_path / "out", partition_by="session_id")
    assert not (tmp_path / "out").exists()


@quiet
@pytest.mark.slow
def test_frictionless_finds_no_fault(saved):
    """It checks the descriptor and, of a resource of several Parquet files, the first."""
    report = Package(str(saved.path / "datapackage.json")).validate()
    assert report.flatten(["type", "message"]) == []
    assert {task.name for task in report.tasks} == {"users", *LOG, "judgments"}


@quiet
def test_verify_names_the_file_that_changed(saved):
    assert verify_hashes(saved) == ()
    path = saved.path / "results" / "system_id=S2" / "00000.parquet"
    data = bytearray(path.read_bytes())
    data[6] ^= 1
    path.write_bytes(data)
    (problem,) = verify_hashes(saved)
    assert problem.startswith("results/system_id=S2/00000.parquet ")
    with pytest.raises(DataError, match=r"out: results/system_id=S2/00000.parquet"):
        open_study(saved.path)


@quiet
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
    with pytest.raises(DataError, match=r"datapackage.json.*ingest the source"):
        open_study(saved.path)
