"""Parquet tables keep their types until the contract casts them."""

import polars as pl
import pytest

from sessionkit.errors import DataError


def test_types_are_cast_and_rejected_rows_shown_as_json(tmp_path, quiet_read, rejects):
    path = tmp_path / "log.parquet"
    pl.DataFrame(
        {"session_id": [22, 22], "query_position": [1.0, 1.5], "rank": [1, 2], "doc_id": ["a", "b"]}
    ).write_parquet(path)
    study = quiet_read(path)
    assert study.results.collect().rows() == [("22", 1, 1, "a")]
    assert rejects(study) == [
        (2, None, "query_position_is_an_integer", "1.5", '{"session_id":22,"query_position":1.5,"rank":2,"doc_id":"b"}')
    ]


def test_extras_keep_their_types(tmp_path, quiet_read):
    path = tmp_path / "log.parquet"
    frame = pl.DataFrame(
        {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "tags": [["x"]], "cat": ["c"]}
    )
    frame.with_columns(pl.col("cat").cast(pl.Categorical)).write_parquet(path)
    results = quiet_read(path).results.collect()
    assert results.schema["tags"] == pl.List(pl.String)
    assert results.schema["cat"] == pl.String


def test_damaged_files(write, quiet_read):
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        quiet_read(write("log.parquet", b"PAR1 and nothing more"))


@pytest.mark.parametrize("times", [{}, {"clicked_at": ["2026-03-02 12:00"] * 500}])
def test_damaged_pages_are_blamed_on_their_file(tmp_path, quiet_read, times):
    ids = {"session_id": ["a"] * 500, "query_position": [1] * 500, "rank": range(1, 501)}
    pl.DataFrame({**ids, "doc_id": [f"d{rank}" for rank in range(500)], **times}).write_parquet(
        tmp_path / "log.parquet"
    )
    data = bytearray((tmp_path / "log.parquet").read_bytes())
    data[4:400] = b"\xff" * 396  # the footer, by which the file is recognised, stays whole
    (tmp_path / "log.parquet").write_bytes(data)
    with pytest.raises(DataError, match=r"^log.parquet cannot be read"):
        quiet_read(tmp_path / "log.parquet")
