"""A study on disk: a valid Data Package, the same bytes every time, whole or not at all."""

import json
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta

import polars as pl
import pytest
from frictionless import Package
from polars.testing import assert_frame_equal

from sessionkit.errors import UsageError
from sessionkit.readers import from_tables
from sessionkit.study import Settings, open_study, verify_hashes
from sessionkit.study.descriptor import sha256

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
