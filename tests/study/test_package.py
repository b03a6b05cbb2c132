"""Opening distrusts: what a descriptor says must be so, and it may not point outside.

A study on disk: a valid Data Package, the same bytes every time, whole or not at all.

Folders that are there as long as they are needed; copies of written studies.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import polars as pl
import pytest
from frictionless import Package
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers import from_tables
from sessionkit.readers.read import read
from sessionkit.study import Settings, open_study, package, verify_hashes
from sessionkit.study.descriptor import sha256
from sessionkit.study.package import TemporaryFolder, clear_leftovers, copy_package
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
    with pytest.raises(DataError, match=r"no datapackage.json.*ingest"):
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
    refused(folder, r"users.parquet, .*, queries.parquet and 1 more")


def test_large_tables_are_hashed_by_verify(folder, monkeypatch):
    monkeypatch.setattr(package, "HASHED_BYTES", (folder / "results.parquet").stat().st_size - 1)
    flip(folder / "results.parquet")
    study = open_study(folder)
    (problem,) = verify_hashes(study)
    assert problem.startswith("results.parquet was changed: ")
    assert "sha256" in problem


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
    (problem,) = verify_hashes(study)
    assert problem.startswith("results-1.parquet, results-2.parquet was ")
    assert "sha256" in problem
    refused(folder, "results-1.parquet, results-2.parquet was changed")


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
    refused(folder, r"datapackage.json .*: its digest (does not|is missing)")
    with pytest.raises(DataError, match="was replaced after"):
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
    refused(folder, r"sessionkit\.parts is missing")


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
    (problem,) = verify_hashes(open_study(folder))
    assert re.search(r"repeats_in_lists = 7\b.* tables have 0\b", problem)


def test_verify_names_files_that_are_not_the_studys(folder):
    (folder / "notes").mkdir()
    (folder / "notes" / "one.txt").write_text("x")
    (problem,) = verify_hashes(open_study(folder))
    assert problem.startswith("notes is in the study")


def test_every_file_has_a_hash(folder):
    change(folder, lambda _, resources: resources["users"].pop("hash"))
    refused(folder, "has no sha256 of users")
    edit_descriptor(folder, as_layout_2, is_signed=False)
    (problem,) = verify_hashes(open_study(folder))
    assert problem.startswith("users.parquet ")
    assert "no sha256" in problem


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
    with pytest.raises(DataError, match="not text in UTF-8; rename"):
        read(odd / "log.csv")


TABLES = ("users", "sessions", "queries", "results", "judgments", "rejected")


@pytest.fixture
def study():
    """One of everything: extras of several types, times, an empty list, a rejected row."""
    results = {
        "session_id": ["b", "a", "a", "a"],
        "query_position": [1, 1, 1, 1],
        "rank": [1, 2, 1, None],
        "doc_id": ["x", "y", 'z"<b>', "w"],
        "clicked": [True, False, None, None],
        "clicked_at": ["2026-03-02T12:00:00Z", None, None, None],
        "words": [10, 20, 30, 40],
        "snippet": ["one", "two\nlines", "ü", ""],
        "extra_score": [0.5, None, 1.5, 2.5],
    }
    queries = {"session_id": ["a", "a", "b"], "query_position": [1, 2, 1], "results_status": [None, "empty", None]}
    sessions = {
        "session_id": ["a", "b"],
        "user_id": ["u1", "u2"],
        "system_id": ["S", "S"],
        "topic_id": ["t", "t"],
        "performance": [4, 5],
    }
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [2, -1], "judge_id": ["j", None]}
    with pytest.warns(match="1 record rejected: rank_is_given 1"):
        return from_tables(results, judgments, queries, sessions, max_grade=2, title="A study", unjudged_grades=(-1,))


def test_what_is_opened_is_what_was_saved(study, tmp_path):
    opened = study.save(tmp_path / "out")
    for name in TABLES:
        assert_frame_equal(opened.table(name).collect(), study.table(name).collect())
        assert opened.columns(name) == study.columns(name)
    assert opened.settings == study.settings == Settings(max_grade=2, title="A study", unjudged_grades=(-1,))
    assert (opened.facts, opened.notes, opened.sources, opened.reader) == (
        study.facts,
        study.notes,
        study.sources,
        study.reader,
    )
    assert opened.path == tmp_path / "out"
    assert verify_hashes(opened) == ()


def everything_odd():
    """A study whose columns hold nulls, texts that look like none, letters of other scripts and types of all kinds."""
    results = pl.DataFrame(
        {
            "session_id": ["nan", "Ü", "b"],
            "query_position": [1, 1, 1],
            "rank": [1, 1, 1],
            "doc_id": ["nan", "NaT", "None"],
            "score": [0.5, None, 1e-300],
            "dwell_seconds": [1.5, None, 2.0],
            "clicked": [True, None, False],
            "clicked_at": [datetime(2026, 3, 2, 12, tzinfo=UTC), None, None],
            "": ["nameless", None, "x"],
            "integer": [1, None, -2],
            "no integer": pl.Series([None] * 3, dtype=pl.Int32),
            "huge": [2**62 + 1, None, 3],
            "small": pl.Series([255, None, 0], dtype=pl.UInt8),
            "number": [1.5, None, float("inf")],
            "text": ["nan", None, "文"],
            "no text": [None] * 3,
            "flag": [None, True, False],
            "date": [date(2026, 3, 2), None, None],
            "time": [time(12, 0, 1), None, None],
            "local": pl.Series([0, None, 1], dtype=pl.Int64).cast(pl.Datetime("us")),
            "zoned": pl.Series([0, None, 1], dtype=pl.Int64).cast(pl.Datetime("us", "UTC")),
            "long": [timedelta(seconds=3), None, None],
            "list": [[1, 2], None, []],
            "array": pl.Series([[1, 2], None, [3, 4]], dtype=pl.Array(pl.Int64, 2)),
            "struct": [{"a": 1}, None, {"a": None}],
            "bytes": [b"a", None, b"\xff"],
            "category": pl.Series(["a", None, "b"], dtype=pl.Categorical),
        }
    )
    judgments = {
        "judgment_key": ["nan", "Ü", "b"],
        "doc_id": ["nan", "x", "y"],
        "grade": [2, 0, 1],
        "judge_id": [None, "nan", "j"],
    }
    sessions = {
        "session_id": ["nan", "Ü", "b"],
        "user_id": [None, "Ä", "nan"],
        "topic_id": ["nan", "Ü", "b"],
        "session_order": [None, 1, None],
    }
    return from_tables(results, judgments, sessions=sessions)


def without_results():
    """A study whose tables are all empty."""
    with pytest.warns(match="no records"):
        return from_tables({"session_id": [], "query_position": [], "rank": [], "doc_id": []})


def frictionless_errors(folder):
    """Return how many rows frictionless sees, and what it says against descriptor and data, as they are."""
    report = Package(str(folder / "datapackage.json")).validate()
    return {task.name: task.stats.get("rows", 0) for task in report.tasks}, report.flatten(["type", "message"])


@pytest.mark.slow
def test_frictionless_agrees_that_it_is_a_package(study, tmp_path):
    rows, errors = frictionless_errors(study.save(tmp_path / "out").path)
    assert errors == []
    assert rows == {"users": 2, "sessions": 2, "queries": 3, "results": 3, "judgments": 2, "rejected": 1}


@pytest.mark.few(1)
@pytest.mark.parametrize("by", [None, "session_id"])
def test_frictionless_agrees_whatever_the_columns_hold(by, tmp_path):
    rows, errors = frictionless_errors(everything_odd().save(tmp_path / "out", partition_by=by).path)
    assert errors == []
    assert rows["sessions"] == (3 if by is None else 1)  # of several files it reads the first


@pytest.mark.slow
def test_frictionless_agrees_that_an_empty_study_is_a_package(tmp_path):
    rows, errors = frictionless_errors(without_results().save(tmp_path / "out").path)
    assert errors == []
    assert set(rows.values()) == {0}


@pytest.mark.slow
def test_the_command_of_frictionless_passes_without_options(study, tmp_path):
    folder = study.save(tmp_path / "out").path
    words = [sys.executable, "-m", "frictionless", "validate", "datapackage.json"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "INVALID" not in done.stdout


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("cell", "value", "kind"),
    [
        ("results.rank", None, "type-error"),  # a null that may not be
        ("results.rank", -1, "constraint-error"),
        ("results.words", "ten", "type-error"),
        ("users.user_id", "someone else", "foreign-key"),
    ],
)
def test_frictionless_would_notice_a_broken_package(study, tmp_path, cell, value, kind):
    folder = study.save(tmp_path / "out").path
    table, column = cell.split(".")
    frame = pl.read_parquet(folder / f"{table}.parquet")
    broken = frame.with_columns(pl.Series(column, [value, *frame[column].to_list()[1:]], strict=False))
    broken.write_parquet(folder / f"{table}.parquet")
    _, errors = frictionless_errors(folder)
    assert {kind for kind, _ in errors} == {kind}


def test_descriptor_names_every_file_with_size_hash_and_rows(study, tmp_path):
    folder = study.save(tmp_path / "out").path
    resources = json.loads((folder / "datapackage.json").read_text())["resources"]
    assert {file.name for file in folder.iterdir()} == {
        "datapackage.json",
        *(resource["path"] for resource in resources),
    }
    for resource in resources:
        path = folder / resource["path"]
        assert "bytes" not in resource  # which tools compare with what they read as text
        assert resource["filesize"] == path.stat().st_size
        assert resource["hash"] == f"sha256:{sha256(path)}"
        assert resource["rowcount"] == pl.read_parquet(path).height
        assert [field["name"] for field in resource["schema"]["fields"]] == list(pl.read_parquet_schema(path))


def test_the_same_study_gives_the_same_bytes(study, tmp_path):
    first, second = study.save(tmp_path / "one").path, study.save(tmp_path / "elsewhere" / "two").path
    assert sorted(file.name for file in first.iterdir()) == sorted(file.name for file in second.iterdir())
    for file in first.iterdir():
        assert file.read_bytes() == (second / file.name).read_bytes(), file.name


def test_times_are_microseconds_utc(study, tmp_path):
    schema = study.save(tmp_path / "out").results.collect_schema()
    assert schema["clicked_at"] == pl.Datetime("us", "UTC")


def test_no_rejected_file_where_nothing_was_rejected(tmp_path):
    clean = from_tables({"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]}).save(
        tmp_path / "out"
    )
    assert not (tmp_path / "out" / "rejected.parquet").exists()
    assert clean.rejected.collect().height == 0


@pytest.mark.slow
def test_a_study_is_replaced_and_leaves_nothing_behind(study, tmp_path):
    other = from_tables({"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]})
    study.save(tmp_path / "out")
    other.save(tmp_path / "out")
    assert open_study(tmp_path / "out").facts.results == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_a_study_opened_from_there_can_be_saved_over_itself(study, tmp_path):
    opened = study.save(tmp_path / "out").save(tmp_path / "out")
    assert_frame_equal(opened.results.collect(), study.results.collect())


def test_what_is_no_study_is_left_alone(study, tmp_path):
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="not a study"):
        study.save(tmp_path / "papers")
    with pytest.raises(UsageError, match="is a file"):
        study.save(tmp_path / "papers" / "thesis.tex")
    assert (tmp_path / "papers" / "thesis.tex").read_text() == "x"


def test_a_place_that_cannot_be_written_is_named(study, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        study.save(tmp_path / "file" / "out")


def test_a_failure_half_way_leaves_the_old_study(study, tmp_path, monkeypatch):
    study.save(tmp_path / "out")
    before = (tmp_path / "out" / "datapackage.json").read_bytes()
    monkeypatch.setattr("sessionkit.study.package._descriptor", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        study.save(tmp_path / "out")
    assert (tmp_path / "out" / "datapackage.json").read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


SCRIPT = """
import gc, os, sys
from sessionkit.study.package import TemporaryFolder
path = TemporaryFolder().path
(path / "file").write_text("x")
gc.collect()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print((path / "file").exists(), path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_folder_outlives_its_object_and_forks_but_not_the_process():
    said = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True).stdout
    there, path = said.strip().split(" ", 1)
    assert there == "True"
    assert not Path(path).exists()


def test_a_folder_can_go_at_once():
    folder = TemporaryFolder()
    (folder.path / "file").write_text("x")
    folder.remove()
    assert not folder.path.exists()


def test_a_copy_outlives_what_was_copied(tmp_path, monkeypatch):
    rows = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "system_id": ["A"]}
    package = sk.from_tables(rows).save(tmp_path / "one", partition_by="system_id").path
    copy_package(package, tmp_path / "two")
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("another disk")))
    copy_package(package, tmp_path / "three")
    shutil.rmtree(package)
    for name in ("two", "three"):
        assert sk.open_study(tmp_path / name).results.collect()["doc_id"].to_list() == ["a"]


def test_what_a_killed_process_left_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed = SCRIPT.replace("child = os.fork()", "print(path); sys.stdout.flush(); os.kill(os.getpid(), 9)")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", killed], check=False, capture_output=True, text=True, env=environment)
    left = Path(said.stdout.strip())
    (tmp_path / "sessionkit-analysis").mkdir()
    with TemporaryFolder() as fresh:
        assert left.exists(), "its process may be about to lock it"
        os.utime(left / ".sessionkit-temporary", (0, 0))
        os.utime(fresh / ".sessionkit-temporary", (0, 0))
        with TemporaryFolder():
            assert left.exists(), "a process looks once"
        clear_leftovers.cache_clear()  # as in the next process
        with TemporaryFolder():
            assert (left.exists(), fresh.exists()) == (False, True)
    assert [path.name for path in tmp_path.iterdir()] == ["sessionkit-analysis"]


@pytest.mark.parametrize("moment", ["mkdir", "rmtree"])
def test_a_folder_whose_process_was_killed_while_making_or_removing_it_is_removed(tmp_path, monkeypatch, moment):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    module = {"mkdir": "os", "rmtree": "shutil"}[moment]
    after = "made = real(*given, **named); " if moment == "mkdir" else ""
    script = f"""
import os, shutil, signal
from sessionkit.study.package import TemporaryFolder
real = {module}.{moment}
def killed(*given, **named):
    {after}os.kill(os.getpid(), signal.SIGKILL)
{module}.{moment} = killed
folder = TemporaryFolder()
(folder.path / "study").mkdir()
folder.remove()
"""
    subprocess.run([sys.executable, "-c", script], check=False, env={**os.environ, "TMPDIR": str(tmp_path)})
    (left,) = tmp_path.iterdir()
    names = ("0000mine.temporary", "0123abcd.temporary", "analysis", "deadbeef.temporary", "notes")
    others = [tmp_path / f"sessionkit-{name}" for name in names]
    for folder in others:
        folder.mkdir()
    (others[1] / "file").write_text("mine")
    for folder in others[2:]:
        (folder / ".sessionkit-temporary").write_text("mine")
        os.utime(folder / ".sessionkit-temporary", (0, 0))
    with TemporaryFolder():
        assert left.exists(), "its process may be about to mark it, or to lock its mark"
    for path in (*left.iterdir(), left, *others):
        os.utime(path, (0, 0))
    clear_leftovers.cache_clear()  # as in the next process
    with TemporaryFolder():
        assert not left.exists()
    assert sorted(tmp_path.iterdir()) == others
