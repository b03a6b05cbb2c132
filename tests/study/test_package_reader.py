"""Opening distrusts: what a descriptor says must be so, and it may not point outside."""

import os
import shutil

import polars as pl
import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.read import read
from sessionkit.study import open_study, package, verify_hashes
from sessionkit.study.descriptor import sha256
from tests.support.descriptors import edit_descriptor, sign_file


@pytest.fixture
def folder(tmp_path):
    results = {"session_id": ["a", "a"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "y"]}
    return from_tables(results).save(tmp_path / "out").path


def change(folder, how, *, is_signed=True):
    def edit(descriptor):
        how(descriptor, {resource["name"]: resource for resource in descriptor["resources"]})

    edit_descriptor(folder, edit, is_signed=is_signed)


def refused(folder, words):
    with pytest.raises(DataError, match=words) as caught:
        open_study(folder)
    assert str(caught.value).count("\n") <= 1


def test_a_directory_without_descriptor(tmp_path):
    with pytest.raises(DataError, match=r"is a directory but not a study: it has no datapackage.json.*ingest"):
        open_study(tmp_path)


def test_nothing_and_a_file(tmp_path):
    (tmp_path / "log.csv").write_text("x")
    with pytest.raises(DataError, match="does not exist"):
        open_study(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"is a file.*ingest"):
        open_study(tmp_path / "log.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"sessionkit": {"notes": ["\\udC00"]}}', "half a surrogate pair"),
        ("{", "JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no sessionkit block"),
        ("\xff", "JSON"),
    ],
)
def test_descriptors_that_are_none(folder, text, words):
    (folder / "datapackage.json").write_text(text, encoding="latin-1")
    refused(folder, words)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../results.parquet",
        "a/../../x",
        "https://example.org/x",
        "c:\\x",
        "",
        3,
        None,
        ["results.parquet", "../x"],
        "results.parquet\0",
        "results\ud800.parquet",
    ],
)
def test_paths_outside_are_refused(folder, path):
    shutil.copy(folder / "results.parquet", folder.parent / "results.parquet")
    change(folder, lambda _, resources: resources["results"].update(path=path))
    refused(folder, "only files inside|half a surrogate pair|names 2 files")


def test_links_out_are_refused(folder):
    outside = folder.parent / "outside.parquet"
    (folder / "results.parquet").rename(outside)
    (folder / "results.parquet").symlink_to(outside)
    refused(folder, "only files inside")


def test_missing_files_are_named(folder):
    (folder / "queries.parquet").unlink()
    refused(folder, "queries.parquet.*missing")


def test_sizes_are_compared(folder):
    data = (folder / "results.parquet").read_bytes()
    (folder / "results.parquet").write_bytes(data[:-10])
    refused(folder, "bytes, but")


def test_row_counts_are_compared(folder):
    change(folder, lambda _, resources: resources["results"].update(rowcount=3))
    refused(folder, "2 rows where datapackage.json says 3")


def test_damage_of_the_same_size_is_found(folder):
    size = (folder / "results.parquet").stat().st_size
    (folder / "results.parquet").write_bytes(b"x" * size)
    refused(folder, "results.parquet was changed after the study was written")
    edit_descriptor(folder, lambda descriptor: sign_file(descriptor, folder, "results"))
    refused(folder, "not readable as Parquet")


def flip(path):
    data = bytearray(path.read_bytes())
    data[6] ^= 1
    path.write_bytes(data)


def test_verify_finds_changed_bytes(folder):
    study = open_study(folder)
    flip(folder / "results.parquet")
    assert len(verify_hashes(study)) == 1
    assert "results.parquet" in verify_hashes(study)[0]


@pytest.mark.parametrize("name", ["users", "sessions", "queries", "results", "judgments", "rejected"])
def test_small_tables_are_hashed_when_opened(tmp_path, name):
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    with pytest.warns(DataWarning):
        folder = from_tables(lists).save(tmp_path / "out").path
    flip(folder / f"{name}.parquet")
    refused(
        folder,
        rf"out: {name}.parquet was changed after the study was written .*restore the study from a copy, or ingest",
    )


def test_all_changed_files_are_named(folder):
    for name in ("users", "sessions", "queries", "results"):
        flip(folder / f"{name}.parquet")
    refused(folder, r"users.parquet, sessions.parquet, queries.parquet and 1 more were changed")


def test_large_tables_are_hashed_by_verify(folder, monkeypatch):
    monkeypatch.setattr(package, "HASHED_BYTES", (folder / "results.parquet").stat().st_size - 1)
    flip(folder / "results.parquet")
    study = open_study(folder)
    assert verify_hashes(study) == ("results.parquet was changed: its sha256 differs from datapackage.json",)


def test_a_file_that_cannot_be_read_is_named(folder, monkeypatch):
    def sha256(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(package, "sha256", sha256)
    refused(folder, r"parquet cannot be read \(Permission denied\)")


def test_verify_needs_files():
    with pytest.raises(DataError, match="not opened from disk"):
        verify_hashes(from_tables({"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]}))


def test_newer_layouts_are_refused(folder):
    change(folder, lambda descriptor, _: descriptor["sessionkit"].update(layout=99, version="9.9"))
    refused(folder, "sessionkit '9.9' in layout 99.*upgrade")


def as_layout_2(descriptor):
    """Say what layout 2 said: the size of files as "bytes", no digest and no parts."""
    descriptor["sessionkit"]["layout"] = 2
    for name in ("digest", "parts", "pairs"):
        del descriptor["sessionkit"][name]
    for resource in descriptor["resources"]:
        resource["bytes"] = resource.pop("filesize")


def test_a_study_of_layout_2_is_read(folder):
    edit_descriptor(folder, as_layout_2, is_signed=False)
    assert verify_hashes(open_study(folder)) == ()
    change(folder, lambda _, resources: resources["users"].update(bytes=1), is_signed=False)
    refused(folder, "users has .* bytes, but datapackage.json says 1")


@pytest.mark.parametrize("part", ["settings", "facts", "notes", "sources", "reader", "pairs", "parts"])
def test_a_block_that_lacks_something(folder, part):
    change(folder, lambda descriptor, _: descriptor["sessionkit"].pop(part))
    refused(folder, part)


def test_parts_of_partitions_need_a_word_on_the_partitions(folder):
    change(folder, lambda descriptor, _: descriptor["sessionkit"]["parts"][0].update(folder="date=1"))
    refused(folder, "has the folder 'date=1', but sessionkit.partitioned is missing")


def test_facts_and_settings_that_do_not_fit(folder):
    change(folder, lambda descriptor, _: descriptor["sessionkit"]["facts"].update(surprise=1))
    refused(folder, "facts does not have the form that sessionkit writes")


def test_a_missing_resource_and_a_wrong_type(folder):
    def lose(descriptor, _):
        descriptor["resources"] = [r for r in descriptor["resources"] if r["name"] != "users"]

    change(folder, lose)
    refused(folder, "no resource users")


def test_columns_are_compared_with_the_schema(folder):
    shutil.copy(folder / "users.parquet", folder / "results.parquet")
    edit_descriptor(folder, lambda descriptor: sign_file(descriptor, folder, "results"))
    refused(folder, "has no column session_id")


@pytest.mark.parametrize("grades", [3, False, "-1", [1], {"a": 1}])
def test_unjudged_grades_that_are_none(folder, grades):
    change(folder, lambda descriptor, _: descriptor["sessionkit"]["settings"].update(unjudged_grades=grades))
    refused(folder, "datapackage.json: unjudged_grades is")


@pytest.mark.parametrize("layout", [-1, 0, True, "1", None])
def test_layouts_that_are_none(folder, layout):
    change(folder, lambda descriptor, _: descriptor["sessionkit"].update(layout=layout))
    refused(folder, "layout is")


@pytest.mark.parametrize("count", ["2", None, -1, True, 1.5, 2**63])
def test_counts_that_are_none(folder, count):
    change(folder, lambda descriptor, _: descriptor["sessionkit"]["facts"].update(results=count))
    refused(folder, "facts.results is")


def test_sources_of_the_wrong_type(folder):
    change(folder, lambda descriptor, _: descriptor["sessionkit"]["sources"][0].update(path=3))
    refused(folder, "source.path is 3")


def test_verify_takes_a_resource_of_several_files(folder):
    """Up to layout 2 one hash stood for all of them."""
    rows = pl.read_parquet(folder / "results.parquet")
    paths = [folder / "results-1.parquet", folder / "results-2.parquet"]
    for path, row in zip(paths, (rows[:1], rows[1:]), strict=True):
        row.write_parquet(path)
    (folder / "results.parquet").unlink()

    def as_written(descriptor):
        as_layout_2(descriptor)
        (resource,) = (resource for resource in descriptor["resources"] if resource["name"] == "results")
        resource.update(
            path=[path.name for path in paths],
            bytes=sum(path.stat().st_size for path in paths),
            hash=f"sha256:{sha256(*paths)}",
        )

    edit_descriptor(folder, as_written, is_signed=False)
    study = open_study(folder)
    assert study.results.collect().height == 2
    assert verify_hashes(study) == ()
    flip(paths[1])
    assert verify_hashes(study) == (
        "results-1.parquet, results-2.parquet was changed: its sha256 differs from datapackage.json",
    )
    refused(folder, "results-1.parquet, results-2.parquet was changed after the study was written")


@pytest.mark.parametrize(
    "edit",
    [
        lambda ours: ours["settings"].update(max_grade=4),
        lambda ours: ours["settings"].update(merge="sum"),
        lambda ours: ours["facts"].update(not_logged=3),
        lambda ours: ours["notes"].append("all is well"),
        lambda ours: ours["sources"][0].update(records=1),
        lambda ours: ours.update(reader="aol"),
        lambda ours: ours.pop("digest"),
        lambda ours: ours.update(layout=2),
    ],
)
def test_an_edited_descriptor_is_refused(folder, edit):
    study = open_study(folder)
    change(folder, lambda descriptor, _: edit(descriptor["sessionkit"]), is_signed=False)
    refused(
        folder, r"datapackage.json was changed after it was written: its digest (does not match|is missing); restore it"
    )
    with pytest.raises(DataError, match="was replaced after it was opened"):
        verify_hashes(study)


def test_a_forged_layout_does_not_do_without_a_digest(folder):
    """Layouts that list no parts had no digest; one that lists them needs it."""

    def older(descriptor, _):
        descriptor["sessionkit"]["layout"] = 2
        del descriptor["sessionkit"]["digest"]

    change(folder, older, is_signed=False)
    refused(folder, "its digest is missing")
    change(folder, lambda descriptor, _: descriptor["sessionkit"].pop("parts"), is_signed=False)
    change(
        folder,
        lambda descriptor, _: descriptor["sessionkit"].update(partitioned={"by": "system_id", "added": []}),
        is_signed=False,
    )
    refused(folder, "is partitioned, but sessionkit.parts is missing")


def test_additions_of_others_leave_a_study_as_it_is(folder):
    """A codebook or a license that somebody adds to the data package is nothing that sessionkit reads."""
    (folder / "codebook.csv").write_text("name,meaning\n")

    def add(descriptor):
        descriptor["licenses"] = [{"name": "CC-BY-4.0"}]
        descriptor["resources"].insert(0, {"name": "codebook", "path": "codebook.csv"})

    edit_descriptor(folder, add, is_signed=False)
    assert verify_hashes(open_study(folder)) == ()


def test_verify_counts_again(folder):
    def forged(descriptor, _):
        descriptor["sessionkit"]["facts"]["repeats_in_lists"] = 7

    change(folder, forged)
    assert verify_hashes(open_study(folder)) == ("datapackage.json says repeats_in_lists = 7, but the tables have 0",)


def test_verify_names_files_that_are_not_the_studys(folder):
    (folder / "notes").mkdir()
    (folder / "notes" / "one.txt").write_text("x")
    assert verify_hashes(open_study(folder)) == ("notes is in the study, but datapackage.json does not list it",)


def test_every_file_has_a_hash(folder):
    change(folder, lambda _, resources: resources["users"].pop("hash"))
    refused(folder, "has no sha256 of users")
    edit_descriptor(folder, as_layout_2, is_signed=False)
    assert verify_hashes(open_study(folder)) == (
        "users.parquet cannot be verified: datapackage.json has no sha256 of it",
    )


def test_a_folder_called_like_the_home_folder_is_none(folder, monkeypatch):
    (folder.parent / "~").mkdir()
    folder.rename(folder.parent / "~" / "out")
    monkeypatch.chdir(folder.parent)
    assert open_study("~/out").results.collect().height == 2
    log = folder.parent / "~" / "log.csv"
    log.write_text("session_id,query_position,rank,doc_id\na,1,1,x\n")
    assert read("~/log.csv").results.collect().height == 1


@pytest.mark.skipif(os.fsencode("\udce9") != b"\xe9", reason="this system's names are text")
def test_a_path_that_is_no_text_is_refused(folder):
    odd = folder.parent / "caf\udce9"
    folder.rename(odd)
    refused(odd, "its path is not text in UTF-8; rename it")
    (odd / "log.csv").write_text("session_id,query_position,rank,doc_id\na,1,1,x\n")
    with pytest.raises(DataError, match="its path is not text in UTF-8; rename it"):
        read(odd / "log.csv")
