"""Studies from others whose descriptor names places that are not theirs, and files of others in a study's directory."""

import shutil
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.study import package
from tests.support.descriptors import edit_descriptor

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
        with pytest.raises(DataError, match=r"datapackage\.json.*ingest the source again") as caught:
            verb(sk.open_study(evil), top)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400 + len(str(top))
    assert contents(top) == before


@pytest.mark.parametrize("by", ["doc_id", "", "system_id\0", "../system_id", "^.*$", "x" * 500])
def test_partitions_are_by_a_column_of_the_sessions(studies, top, by):
    evil = Path(shutil.copytree(studies["system_id"], top / "evil"))
    edit_descriptor(evil, lambda descriptor: descriptor["sessionkit"]["partitioned"].update(by=by))
    with pytest.raises(DataError, match=r"is not a folder of a partition by"):
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
    with pytest.raises(
        DataError, match=r"names the file .* for results|names 1 files for results in place of 2"
    ) as caught:
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
        with pytest.raises(DataError, match=r"could not be opened.*facts.sessions is -1") as caught:
            verb(sk.open_study(studies["system_id"]), top)
        assert ".partial" not in str(caught.value)
    assert contents(top) == before


def test_a_partition_that_cannot_be_opened_is_not_added(studies, top, monkeypatch):
    saved = Path(shutil.copytree(studies["system_id"], top / "saved"))
    before = contents(top)
    monkeypatch.setattr(package, "digest_of", lambda _: "0" * 64)
    added = sk.from_tables({**ROWS, "session_id": ["c", "d"], "system_id": ["S3", "S3"]})
    with pytest.raises(DataError, match=r"saved was not written, .* its digest does not match"):
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
    with pytest.raises(UsageError, match=r"contains licenses in datapackage\.json in addition to the study's files"):
        sk.open_study(saved).save(saved)
    added = sk.from_tables({**ROWS, "session_id": ["c", "d"], "system_id": ["S3", "S3"]})
    with pytest.raises(UsageError, match="contains licenses"):
        sk.add_partition(saved, added, "system_id", "S3")
    assert contents(top) == before
