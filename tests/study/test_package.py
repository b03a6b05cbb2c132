"""A study on disk: a valid Data Package, the same bytes every time, whole or not at all."""

import json

import polars as pl
import pytest
from frictionless import Package
from polars.testing import assert_frame_equal

from sessionkit.errors import UsageError
from sessionkit.readers import from_tables
from sessionkit.study import Settings, open_study, verify_hashes
from sessionkit.study.resources import sha256

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


def frictionless_errors(folder):
    """Return what frictionless says against descriptor and data, but for two things it cannot do with Parquet.

    It counts no bytes of Parquet files and compares None with ours; it reads null integers through pandas as nan.
    """
    descriptor = json.loads((folder / "datapackage.json").read_text())
    assert list(Package.metadata_validate(descriptor)) == []
    for resource in descriptor["resources"]:
        del resource["bytes"], resource["hash"]
    (folder / "without-sizes.json").write_text(json.dumps(descriptor))
    report = Package(str(folder / "without-sizes.json")).validate()
    rows = {task.name: task.stats["rows"] for task in report.tasks}
    errors = report.flatten(["type", "message"])
    return rows, [error for error in errors if 'cell "nan"' not in error[1]]


def test_frictionless_agrees_that_it_is_a_package(study, tmp_path):
    rows, errors = frictionless_errors(study.save(tmp_path / "out").path)
    assert errors == []
    assert rows == {"users": 2, "sessions": 2, "queries": 3, "results": 3, "judgments": 2, "rejected": 1}


def test_frictionless_would_notice_a_broken_package(study, tmp_path):
    folder = study.save(tmp_path / "out").path
    pl.DataFrame({"user_id": ["u1"]}).write_parquet(folder / "users.parquet")
    _, errors = frictionless_errors(folder)
    assert {kind for kind, _ in errors} == {"foreign-key"}


def test_descriptor_names_every_file_with_size_hash_and_rows(study, tmp_path):
    folder = study.save(tmp_path / "out").path
    resources = json.loads((folder / "datapackage.json").read_text())["resources"]
    assert {file.name for file in folder.iterdir()} == {
        "datapackage.json",
        *(resource["path"] for resource in resources),
    }
    for resource in resources:
        path = folder / resource["path"]
        assert resource["bytes"] == path.stat().st_size
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


def test_a_study_is_replaced_and_leaves_nothing_behind(study, tmp_path):
    other = from_tables({"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]})
    study.save(tmp_path / "out")
    other.save(tmp_path / "out")
    assert open_study(tmp_path / "out").facts.results == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_study_opened_from_there_can_be_saved_over_itself(study, tmp_path):
    opened = study.save(tmp_path / "out").save(tmp_path / "out")
    assert_frame_equal(opened.results.collect(), study.results.collect())


def test_what_is_no_study_is_left_alone(study, tmp_path):
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="no study"):
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
