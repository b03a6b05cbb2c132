"""The table of rejected rows: complete, in order, and honest about what is not known."""

import polars as pl
import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.read import read
from sessionkit.study.schema import table

HEADER = "session_id,query_position,rank,doc_id\n"


def test_columns_are_the_schemas_even_without_rows():
    rejected = from_tables(
        {"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]}
    ).rejected.collect()
    assert rejected.schema == {field.name: field.dtype for field in table("rejected").fields}


def test_rows_stand_in_the_order_of_the_source(write, quiet_read, rejects):
    study = quiet_read(write("log.csv", HEADER + "a,1,1,x\na,1,1,y\na,1,-1,w\na,1,z,v\na,1,1,u\n"))
    assert [(record, rule) for record, _, rule, _, _ in rejects(study)] == [
        (2, "rank_is_unique_in_list"),
        (3, "rank_is_at_least_1"),
        (4, "rank_is_an_integer"),
        (5, "rank_is_unique_in_list"),
    ]


def test_the_note_counts_rules(write):
    with pytest.warns(
        DataWarning, match=r"log.csv \(results\): 3 records rejected: rank_is_unique_in_list 2, doc_id_is_given 1"
    ):
        read(write("log.csv", HEADER + "a,1,1,x\na,1,1,y\na,1,1,z\na,1,2,\n"))


def test_strict_reading_of_sources_without_lines(tmp_path):
    frame = pl.DataFrame({"session_id": ["a"], "query_position": [1], "rank": [-1], "doc_id": ["x"]})
    frame.write_parquet(tmp_path / "log.parquet")
    with pytest.raises(DataError, match=r"log.parquet, record 1: rank_is_at_least_1 does not hold \(value '-1'\)"):
        read(tmp_path / "log.parquet", strict=True)


def test_hostile_text_comes_through_as_it_is(write, quiet_read, rejects):
    raw = "a,1,<script>alert(1)</script>,x"
    assert rejects(quiet_read(write("log.csv", HEADER + raw + "\na,1,2,y\n")))[0][3:] == (
        "<script>alert(1)</script>",
        raw,
    )
