"""Parquet tables keep their types until the contract casts them."""

import gzip
import json
from datetime import timedelta
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sessionkit.errors import DataError
from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.readers.format import fitting, glimpse
from sessionkit.readers.io import tables
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.tables import columns_of
from sessionkit.study.checks import RECORD
from tests.support.messages import match_parts


def test_types_are_cast_and_rejected_rows_shown_as_json(tmp_path, quiet_read, rejects):
    path = tmp_path / "log.parquet"
    pl.DataFrame(
        {"session_id": [22, 22], "query_position": [1.0, 1.5], "rank": [1, 2], "doc_id": ["a", "b"]}
    ).write_parquet(path)
    study = quiet_read(path)
    assert study.results.collect().rows() == [("22", 1, 1, "a")]
    row = {"session_id": 22, "query_position": 1.5, "rank": 2, "doc_id": "b"}
    assert rejects(study) == [(2, None, "query_position_is_an_integer", "1.5", json.dumps(row, separators=(",", ":")))]


@pytest.mark.parametrize(
    "said",
    [{"separator": ";"}, {"separator": "whitespace"}, {"quote": False}, {"header": True}, {"encoding": "cp1252"}],
)
def test_what_is_said_of_text_is_refused_of_parquet(tmp_path, quiet_read, said):
    frame = pl.DataFrame({"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]})
    frame.write_parquet(tmp_path / "log.parquet")
    (option,) = said
    words = rf"\[results\] sets {option} for .*log\.parquet, which is Parquet .* leave {option} out"
    with pytest.raises(DataError, match=words):
        quiet_read(tmp_path / "log.parquet", config={"format": "tables", "results": {"path": "log.parquet", **said}})


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
    data[4:400] = b"\xff" * 396  # the footer, by which the file is recognized, stays whole
    (tmp_path / "log.parquet").write_bytes(data)
    with pytest.raises(DataError, match=r"^log.parquet cannot be read"):
        quiet_read(tmp_path / "log.parquet")


ODD = {
    "map": pa.array([[("a", "b")], None], pa.map_(pa.string(), pa.binary())),
    "category": pa.array(["a", "b"]).dictionary_encode(),
    "decimal": pa.array([Decimal(1), None], pa.decimal128(20, 2)),
    "array": pa.array([[1, 2], None], pa.list_(pa.int64(), 2)),
    "duration": pa.array([timedelta(1), None]),
    "nothing": pa.nulls(2),
    "bytes": pa.array([b"\xff", None]),
    "struct": pa.array([{"a": {"b": b"\xfe", "c": timedelta(1)}}, None]),
    "list": pa.array([[{"x": [1]}], []]),
    "large": pa.array([2**63 + 1, None], pa.uint64()),
}

NUMBERS = ("decimal", "large", "nothing")
"""Those that may be grades, or none."""


def odd(tmp_path, **columns):
    """A log with a record that is accepted and one that is not; columns may take the place of its own."""
    log = {"session_id": ["s", "s"], "query_position": [1, 1], "rank": ["1", "x"], "doc_id": ["a", "b"]}
    pq.write_table(pa.table({**log, **columns}), tmp_path / "log.parquet")
    return tmp_path / "log.parquet"


@pytest.mark.few(6, slow=4)
@pytest.mark.parametrize("name", ODD)
def test_odd_columns_are_kept_or_refused_and_never_crash(tmp_path, quiet_read, rejects, name):
    study = quiet_read(odd(tmp_path, extra=ODD[name]))
    assert study.results.collect().height == 1
    (record, _, rule, _, raw) = rejects(study)[0]
    assert (record, rule) == (2, "rank_is_an_integer")
    assert '"doc_id":"b"' in raw
    study.save(tmp_path / "study")
    for column in ("doc_id", "rank"):
        try:
            found = quiet_read(odd(tmp_path, **{column: ODD[name]}))
        except DataError as error:
            assert "All 2 records" in str(error)  # noqa: PT017 - some of them are readable
        else:
            assert found.results.collect().height + found.rejected.collect().height == 2


@pytest.mark.few(10)
@pytest.mark.parametrize("column", ["query", "product_id", "esci_label"])
@pytest.mark.parametrize("name", ODD)
def test_odd_columns_of_judgments(tmp_path, quiet_read, name, column):
    columns = {"query": ["lamp", "lamp"], "product_id": ["A", "B"], "esci_label": [1, 0], column: ODD[name]}
    pq.write_table(pa.table(columns), tmp_path / "j.parquet")
    log = odd(tmp_path, query_text=["lamp", "lamp"])
    if column == "esci_label" and name not in NUMBERS:
        with pytest.raises(DataError, match=match_parts("j.parquet: the grades", "'esci_label' are words")):
            quiet_read(log, judgments=tmp_path / "j.parquet")
        return
    found = quiet_read(log, judgments=tmp_path / "j.parquet")
    assert sum(one.records for one in found.sources if one.table == "judgments") == 2


def test_digits_that_cannot_be_held_are_told_of(tmp_path, quiet_read):
    wide = pa.array([Decimal(1), None], pa.decimal256(50, 2))
    with pytest.raises(DataError, match=match_parts("log.parquet", "precision", "between 1 and 38")):
        quiet_read(odd(tmp_path, price=wide))


@pytest.mark.parametrize("content", ["none", "cut", "twice", "magic", "packed"])
def test_what_cannot_be_recognized_is_told_of_by_its_reader(tmp_path, quiet_read, content):
    path = odd(tmp_path)
    whole = path.read_bytes()
    if content == "none":
        pq.write_table(pa.table({}), path)
    elif content == "twice":
        pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["rank", "rank"]), path)
    else:
        cut = {"cut": whole[:-9], "magic": b"PAR1", "packed": gzip.compress(whole)}
        path.write_bytes(cut[content])
    assert columns_of(path) == ()
    assert fitting([glimpse(path)], {**FORMATS, **JUDGMENTS}) == []
    said = {"none": "has no columns session_id.* found none", "packed": "compressed again by gzip or zstd; unpack it"}
    with pytest.raises(DataError, match=said.get(content, "cannot be read as Parquet")):
        quiet_read(path)
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id\ns,1,1,a\n")
    with pytest.raises(
        DataError, match=said.get(content, "cannot be read as Parquet").replace("session_id", "judgment_key")
    ):
        quiet_read(tmp_path / "log.csv", judgments=path)


def test_a_table_without_rows(tmp_path, quiet_read):
    path = odd(tmp_path)
    pl.read_parquet(path).clear().write_parquet(path)
    assert columns_of(path) == ("session_id", "query_position", "rank", "doc_id")
    study = quiet_read(path)
    assert [(one.records, one.rows) for one in study.sources] == [(0, 0)]
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id\n")
    of_csv = quiet_read(tmp_path / "log.csv").notes
    assert list(study.notes) == [note.replace("log.csv", "log.parquet") for note in of_csv]


def test_pieces_are_of_so_many_rows_and_numbered_through(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MANY", 2)
    path = tmp_path / "log.parquet"
    pl.DataFrame({"a": range(5), "b": ["x"] * 5, "c": [[1]] * 5}).write_parquet(path, row_group_size=5)
    file = open_log("log.parquet", tmp_path, tmp_path)
    found = list(tables.pieces_of(file, ["c", "a"]))
    assert [piece["a"].to_list() for piece in found] == [[0, 1], [2, 3], [4]]
    assert [piece[RECORD].to_list() for piece in found] == [[1, 2], [3, 4], [5]]
    assert set(found[0].columns) == {RECORD, "a", "c"}
    pl.read_parquet(path).clear().write_parquet(path)
    (none,) = tables.pieces_of(file, ["a"])
    assert none.is_empty()
    assert none.columns == [RECORD, "a"]
