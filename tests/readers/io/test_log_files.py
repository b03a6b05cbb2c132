"""Files found, recognized by content, unpacked; all that is wrong with them is a DataError."""

import gzip
import os

import pyarrow as pa
import pytest

from sessionkit.errors import DataError
from sessionkit.readers.io.files import open_log, text_of

TEXT = "session_id,query_position,rank,doc_id\n" + "".join(
    f"s,1,{rank},{os.urandom(6).hex()}\n" for rank in range(1, 3000)
)
GZIP = gzip.compress(TEXT.encode(), mtime=0)
ZSTD = pa.Codec("zstd").compress(TEXT.encode()).to_pybytes()


@pytest.mark.parametrize(
    ("name", "data", "kind", "separator"),
    [
        ("a.csv", b"a,b\n", "text", ","),
        ("a.TSV", b"a\tb\n", "text", "\t"),
        ("a.csv.gz", gzip.compress(b"a,b\n", mtime=0), "text", ","),
        ("a", b"a,b\n", "text", None),
        ("a.txt", b' {"a":1}\n', "ndjson", None),
        ("a.jsonl", b"what", "ndjson", None),
        ("a.dat", b"PAR1....", "parquet", None),
        ("a.csv", gzip.compress(b"a,b\n", mtime=0), "text", ","),
    ],
)
def test_kinds(tmp_path, name, data, kind, separator):
    (tmp_path / name).write_bytes(data)
    file = open_log(name, tmp_path, tmp_path)
    assert (file.kind, file.separator, file.bytes) == (kind, separator, len(data))


@pytest.mark.parametrize(
    "data", [GZIP[:-500], GZIP[:12], GZIP[:9000] + b"xxxx" + GZIP[9004:], ZSTD[:-5], ZSTD[:9000]], ids=range(5)
)
def test_packed_files_that_end_early_or_are_damaged(tmp_path, quiet_read, data):
    path = tmp_path / "log.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match="cut short or damaged"):
        quiet_read(path)


def test_missing_files_suggest_the_nearest(tmp_path):
    (tmp_path / "results.tsv").write_text("x")
    with pytest.raises(DataError, match=r"no such file; looked for .*result.tsv; did you mean 'results.tsv'"):
        open_log("result.tsv", tmp_path, tmp_path)
    with pytest.raises(DataError, match="folder does not exist"):
        open_log("logs/result.tsv", tmp_path, tmp_path)
    (tmp_path / "logs").mkdir()
    with pytest.raises(DataError, match="is a directory"):
        open_log("logs", tmp_path, tmp_path)


def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "log.csv")
    with pytest.raises(DataError, match=r"log.csv is a device or a pipe; write"):
        open_log("log.csv", tmp_path, tmp_path)


def test_encodings(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\x81\xff")
    with pytest.raises(DataError, match="'lattin' is unknown"):
        open_log("a.csv", tmp_path, tmp_path, encoding="lattin")
    for no_text in ("base64", "undefined", "a\0b"):
        with pytest.raises(DataError, match="is unknown; use a name such as"):
            open_log("a.csv", tmp_path, tmp_path, encoding=no_text)
    with pytest.raises(DataError, match="not in the encoding 'ascii'"):
        text_of(open_log("a.csv", tmp_path, tmp_path, encoding="ascii"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_with_and_without_byte_order_mark(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes("session_id,rank\n\u732b,1\n".encode(encoding))
    with pytest.raises(DataError, match=f'a.csv is in UTF-16; set encoding = "{encoding}" for it in study.toml'):
        open_log("a.csv", tmp_path, tmp_path)
    assert text_of(open_log("a.csv", tmp_path, tmp_path, encoding=encoding)) == "session_id,rank\n\u732b,1\n"
    (tmp_path / "b.csv").write_bytes(b"a,b\n" + bytes(20) + b"\n")  # nothing but null is not
    assert open_log("b.csv", tmp_path, tmp_path).kind == "text"


def test_no_machine_path_is_kept(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n")
    assert open_log(str(tmp_path / "a.csv"), tmp_path, tmp_path).name == "a.csv"
