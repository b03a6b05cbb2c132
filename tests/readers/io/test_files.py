"""Lines and rows in batches, as they are all at once.

The SHA-256 of a file: what it is, what goes wrong, and that nobody waits for it who does not ask.

Logs in other encodings, copied to UTF-8 with every line kept.

Files found, recognized by content, unpacked; all that is wrong with them is a DataError.

Files of kinds that are not read: what they are is said, and what to do, from their first bytes.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import pickle
import random
import sqlite3
import subprocess
import sys
import tarfile
import zipfile

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.readers import format, raw
from sessionkit.readers.format import glimpse
from sessionkit.readers.formats import ubi_records
from sessionkit.readers.formats.ubi_records import lines_in_blocks
from sessionkit.readers.io import files
from sessionkit.readers.io.files import digest_of, in_utf8, open_log, text_of
from sessionkit.readers.raw import batches, in_files
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD
from tests.support.messages import match_parts

LINES = st.lists(
    st.text(st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs"]), max_size=6), min_size=1
)


@settings(deadline=None)
@given(LINES, st.integers(1, 12), st.booleans())
def test_lines_are_numbered_through_all_blocks(lines, size, ends):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ubi_records, "BLOCK", size)
        text = "\n".join(lines) + ("\n" if ends else "")
        found = pl.concat(lines_in_blocks(io.BytesIO(text.encode()), "text"))
    due = text.removesuffix("\n").split("\n")
    assert found.rows() == [(line, number) for number, line in enumerate(due, 1)]
    assert found.columns == ["text", RECORD]


def test_a_mark_at_the_beginning_is_none_of_the_text():
    assert pl.concat(lines_in_blocks(io.BytesIO(b"\xef\xbb\xbfa\nb"), "text"))["text"].to_list() == ["a", "b"]


@pytest.mark.parametrize("rows", [0, 1, 5, 6])
def test_rows_come_back_in_order_from_files(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(raw, "MANY", 3)
    frames = batches(({"a": number, "b": 1} for number in range(rows)), {"a": pl.Int64})
    assert in_files(frames, tmp_path).collect()["a"].to_list() == [*range(rows)]


def test_it_is_that_of_the_bytes(tmp_path):
    (tmp_path / "log").write_bytes(b"abc")
    assert digest_of(tmp_path / "log")() == hashlib.sha256(b"abc").hexdigest()


def test_what_goes_wrong_is_raised_where_it_is_asked_for(tmp_path):
    digest = digest_of(tmp_path / "none")
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            digest()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_program_ends_before_its_file_is_hashed(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # into which nobody writes: it is never read to its end
    told = (
        "import sys, pathlib; from sessionkit.readers.io.files import digest_of; digest_of(pathlib.Path(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", told, tmp_path / "pipe"], timeout=30, check=False)
    assert done.returncode == 0


TEXT = "猫\t花园\nplain\n小屋\t1\n"


@pytest.fixture
def copied(write, tmp_path):
    """Write a file of these bytes; return it in UTF-8, and as it lies there."""
    (tmp_path / "copies").mkdir()

    def copied(data, encoding):
        file = open_log(str(write("log.txt", data)), tmp_path, tmp_path, as_is=encoding is not None)
        return in_utf8(file, encoding, tmp_path / "copies"), file

    return copied


@pytest.mark.parametrize("piece", [3, 1 << 20])  # three bytes: characters are cut between pieces
@pytest.mark.parametrize(("encoding", "said"), [("gbk", None), ("gb18030", "gb18030"), ("utf-16-le", "utf-16-le")])
def test_the_text_is_the_same(copied, monkeypatch, piece, encoding, said):
    monkeypatch.setattr(files, "PIECE", piece)
    copy, _ = copied(TEXT.encode(encoding), said)
    assert copy.file.path.read_text(encoding="utf-8") == TEXT
    assert copy.file.head.decode() == TEXT
    assert copy.unreadable == 0


def test_utf8_stays_where_it_is(copied):
    copy, file = copied(TEXT.encode(), None)
    assert copy.file == file


def test_what_cannot_be_read_costs_no_end_of_line(copied):
    copy, _ = copied("猫\n".encode("gbk") + b"a\xff\nb\x81\nc\n", "gbk")
    assert copy.file.path.read_text(encoding="utf-8") == "猫\na\ufffd\nb\ufffd\nc\n"
    assert copy.unreadable == 2


LOG_FILES_TEXT = "session_id,query_position,rank,doc_id\n" + "".join(
    f"s,1,{rank},{os.urandom(6).hex()}\n" for rank in range(1, 3000)
)
GZIP = gzip.compress(LOG_FILES_TEXT.encode(), mtime=0)
ZSTD = pa.Codec("zstd").compress(LOG_FILES_TEXT.encode()).to_pybytes()


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
    with pytest.raises(DataError, match=match_parts("no such file", "result.tsv", "mean 'results.tsv'")):
        open_log("result.tsv", tmp_path, tmp_path)
    with pytest.raises(DataError, match="folder does not exist"):
        open_log("logs/result.tsv", tmp_path, tmp_path)
    (tmp_path / "logs").mkdir()
    with pytest.raises(DataError, match="is a directory"):
        open_log("logs", tmp_path, tmp_path)


def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "log.csv")
    with pytest.raises(DataError, match=match_parts("log.csv", "device or a pipe")):
        open_log("log.csv", tmp_path, tmp_path)


def test_encodings(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\x81\xff")
    with pytest.raises(DataError, match="'lattin' is unknown"):
        open_log("a.csv", tmp_path, tmp_path, encoding="lattin")
    for no_text in ("base64", "undefined", "a\0b"):
        with pytest.raises(DataError, match=match_parts("is unknown", "a name such as")):
            open_log("a.csv", tmp_path, tmp_path, encoding=no_text)
    with pytest.raises(DataError, match="not in the encoding 'ascii'"):
        text_of(open_log("a.csv", tmp_path, tmp_path, encoding="ascii"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_with_and_without_byte_order_mark(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes("session_id,rank\n\u732b,1\n".encode(encoding))
    with pytest.raises(DataError, match=match_parts("a.csv is in UTF-16", f'encoding = "{encoding}"', "study.toml")):
        open_log("a.csv", tmp_path, tmp_path)
    assert text_of(open_log("a.csv", tmp_path, tmp_path, encoding=encoding)) == "session_id,rank\n\u732b,1\n"
    (tmp_path / "b.csv").write_bytes(b"a,b\n" + bytes(20) + b"\n")  # nothing but null is not
    assert open_log("b.csv", tmp_path, tmp_path).kind == "text"


def test_no_machine_path_is_kept(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n")
    assert open_log(str(tmp_path / "a.csv"), tmp_path, tmp_path).name == "a.csv"


LOG = "session_id,query_position,rank,doc_id\ns,1,1,A\n"


def zipped(*names, first=""):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        if first:
            archive.writestr("mimetype", first)
        for name in names:
            archive.writestr(name, LOG)
    return target.getvalue()


def tarred():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("log.csv"), io.BytesIO(b""))
    return target.getvalue()


def arrow():
    target = io.BytesIO()
    pl.DataFrame({"session_id": ["s"]}).write_ipc(target)
    return target.getvalue()


def sqlite(tmp_path):
    path = tmp_path / "made.db"
    with sqlite3.connect(path) as database:
        database.execute("create table results (session_id text)")
    database.close()
    return path.read_bytes()


SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
KINDS = [
    ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Excel workbook or Office document"),
    (
        "a.xls",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        "an old Excel workbook or Office document, which is not read; save",
    ),
    ("a.docx", zipped("[Content_Types].xml", "word/document.xml"), "a Word document"),
    ("a.zip", zipped("log.csv"), "a zip archive, which is not read; unpack it and give its files"),
    ("a.gz", gzip.compress(gzip.compress(LOG.encode())), "packed twice; unpack it once"),
    ("a.tar.gz", tarred(), "a tar archive"),
    ("a.csv.gz", zipped("log.csv"), "a zip archive"),
    ("a.bz2", bz2.compress(LOG.encode()), "packed by bzip2"),
    ("a.xz", lzma.compress(LOG.encode()), "packed by xz"),
    ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "a PDF document"),
    (
        "a.csv",
        b"\n<!DOCTYPE html>\n<html><head><title>Sign in</title>",
        "a web page .HTML., .* download the file itself",
    ),
    ("a.tsv", b"<?xml version='1.0'?><!-- x --><html xmlns='y'>", "a web page"),
    ("a.db", sqlite, "an SQLite database, .* write its tables as CSV or Parquet"),
    ("a.feather", arrow(), "an Arrow file"),
    ("a.pkl", pickle.dumps([LOG]), "a pickle of Python, which is not opened as it may run code"),
    ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(40), "an image"),
    (
        "a.bin",
        b"\0\x1b[31m\x07\x05" * 99,
        r"binary, of an unknown kind \(it begins with b'\\x00\\x1b\[31m\\x07\\x05",
    ),
]


@pytest.mark.parametrize(("name", "data", "words"), KINDS, ids=[f"{n} {w[:20]}" for n, _, w in KINDS])
def test_what_is_not_read_is_named_as_a_log_as_judgments_and_by_init(write, tmp_path, name, data, words):
    path = write(name, data(tmp_path) if callable(data) else data)
    log = write("log.csv", LOG)
    for attempt in (
        lambda: read(path),
        lambda: read(path, format="aol"),
        lambda: read(path, format="events", config={"separator": ","}),
        lambda: read(log, judgments=path),
        lambda: read(log, config={"users": {"path": name, "encoding": "latin-1"}}),
        lambda: sk.propose(path, folder=tmp_path),
    ):
        with pytest.raises(DataError, match=rf"{name} is {words}") as caught:
            attempt()
        assert str(caught.value).isprintable(), "hostile bytes are escaped"
        assert "looks like no format" not in str(caught.value)


WORKBOOKS = [
    ("a.xlsx", zipped("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), "an Excel workbook"),
    ("a.csv", zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook"),
    ("a.ods", zipped("content.xml", first=SPREADSHEET), "an OpenDocument spreadsheet"),
]


@pytest.mark.parametrize(("name", "data", "words"), WORKBOOKS, ids=[name for name, _, _ in WORKBOOKS])
def test_a_damaged_workbook_is_named_and_other_formats_say_what_to_do(write, tmp_path, name, data, words):
    path, log = write(name, data), write("log.csv", LOG)
    for attempt in (lambda: read(path), lambda: read(log, judgments=path), lambda: sk.propose(path, folder=tmp_path)):
        with pytest.raises(DataError, match=match_parts(name, "as a workbook", "save it again", "as CSV")):
            attempt()
    for attempt in (lambda: read(path, format="aol"), lambda: read(path, format="events", config={"separator": ","})):
        with pytest.raises(DataError, match=rf"{name} is {words}.*(sessionkit init|as CSV)"):
            attempt()


def test_parquet_is_read_under_any_name(tmp_path, quiet_read):
    pl.DataFrame({"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["A"]}).write_parquet(
        tmp_path / "a.xlsx"
    )
    assert quiet_read(tmp_path / "a.xlsx").facts.results == 1


@pytest.mark.parametrize(
    "text",
    ["BZhou,rank\n", "ORC,PARE\n", "xl/,word/\n", "Rar!,RDX\n", "a\x01b\x02c\n", "a\0b,c\n", "[x],[y]\n", "<html,a\n"],
)
def test_texts_that_begin_alike_are_texts(write, text):
    with pytest.raises(DataError, match=r"no column|shows the separator"):
        read(write("log.txt", text + "1,2\n" * 30), config={"results": {"columns": {"doc_id": "nothing"}}})


def test_a_file_that_says_nothing_shows_its_first_line_escaped(write):
    with pytest.raises(DataError, match=match_parts("first line ('\\x1b[31mred \\u202ewords')", "2 fields")) as caught:
        read(write("log", "\x1b[31mred \u202ewords\nmore\n"))
    assert str(caught.value).isprintable()


def test_a_document_in_the_folder_of_a_log_does_not_keep_it_from_being_read(tmp_path, quiet_read):
    (tmp_path / "logs").mkdir()
    header = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
    (tmp_path / "logs" / "a.txt").write_text(header + "1\tcats\t2006-03-01 10:00:00\t1\thttp://a\n")
    (tmp_path / "logs" / "terms.pdf").write_bytes(b"%PDF-1.7\nno log\n")
    assert quiet_read(tmp_path / "logs").facts.results == 1


@pytest.mark.parametrize("seed", range(5))
def test_what_a_folder_holds_does_not_depend_on_the_order_in_which_it_is_listed(tmp_path, monkeypatch, seed):
    for place in ("a", "b", "b/c", ".hidden"):
        (tmp_path / "logs" / place).mkdir(parents=True)
        for number in range(9):
            (tmp_path / "logs" / place / f"{number}.txt").write_text("x")
    (tmp_path / "logs" / "z.log").write_text("x")
    monkeypatch.setattr(format, "MOST", 12)
    chance, scandir, listdir = random.Random(seed), os.scandir, os.listdir  # noqa: S311

    class Shuffled:
        def __init__(self, path):
            with scandir(path) as found:
                entries = list(found)
            chance.shuffle(entries)
            self.entries = iter(entries)

        def __enter__(self):
            return self.entries

        def __iter__(self):
            return self.entries

        def __next__(self):
            return next(self.entries)

        def __exit__(self, *_):
            pass

        def close(self):
            pass

    monkeypatch.setattr(os, "scandir", Shuffled)
    monkeypatch.setattr(os, "listdir", lambda path: chance.sample(found := listdir(path), len(found)))
    names = glimpse(tmp_path / "logs").names
    assert names == (*(f"a/{number}.txt" for number in range(9)), "b/0.txt", "b/1.txt", "z.log")
