"""Studies that were written before cells were set aside: what was rejected are rows."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.sessions.record_accounts import check, heavy_losses
from tests.support.descriptors import edit_descriptor, sign_file


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
    assert heavy_losses(study) == ("results: 1 of 3 records (33.3%) rejected",)
    copy = sk.pseudonymize(study)
    assert any("1 record of results (rank_is_an_integer)" in note for note in copy.study.notes)


def test_cells_are_said_apart_in_a_copy(tmp_path):
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(lists | {"dwell_seconds": ["1", "2 s", "3 s"]})
    opened = sk.open_study(study.save(tmp_path / "study").path)
    assert opened.rejected.collect().equals(study.rejected.collect())
    (note,) = [note for note in sk.pseudonymize(opened).study.notes if "left out of the copy: 1" in note]
    assert "1 record of results (rank_is_an_integer)" in note
    assert "1 value of results (dwell_seconds_is_a_number)" in note


def test_a_copy_says_what_was_lost():
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(lists)
    copy = sk.pseudonymize(study).study
    assert heavy_losses(copy) == heavy_losses(study) == ("results: 1 of 3 records (33.3%) rejected",)
