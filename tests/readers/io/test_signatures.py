"""Files of kinds that are not read: what they are is said, and what to do, from their first bytes."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import random
import sqlite3
import tarfile
import zipfile

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.readers import format
from sessionkit.readers.format import glimpse
from sessionkit.readers.read import read

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
        with pytest.raises(
            DataError, match=rf"{name} cannot be read as a workbook .*save it again, or export it as CSV"
        ):
            attempt()
    for attempt in (lambda: read(path, format="aol"), lambda: read(path, format="events", config={"separator": ","})):
        with pytest.raises(DataError, match=rf"{name} is {words}.*(sessionkit init proposes one|export it as CSV)"):
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
    with pytest.raises(DataError, match=r"has no column|shows the separator"):
        read(write("log.txt", text + "1,2\n" * 30), config={"results": {"columns": {"doc_id": "nothing"}}})


def test_a_file_that_says_nothing_shows_its_first_line_escaped(write):
    with pytest.raises(DataError, match=r"its first line \('\\x1b\[31mred \\u202ewords'\) has 2 fields") as caught:
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
