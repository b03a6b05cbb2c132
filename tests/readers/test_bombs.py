"""Small files that would fill the memory: what they unpack to is counted, and an item, a text and a run of empty lines have limits."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from sessionkit.errors import DataError
from sessionkit.readers import config
from sessionkit.readers.format import Glimpse
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.io import files
from sessionkit.readers.judgments.registry import JUDGMENTS
from sessionkit.readers.read import read

HEADER = "session_id,query_position,rank,doc_id\n"
ROW = "s1,1,1,d1\n"
RECORD = '{"session_id":"s1","query_position":1,"rank":1,"doc_id":"d1"}\n'
PIECE = 10_000_000
"""Bytes of one member of a packed file."""
MEMBERS = 120
"""Members: 1.2 GB unpacked, of some 1 MB on disk."""


def packed(path, before, repeated, after=""):
    """Write a packed file whose members are two texts and, between them, one that is repeated."""
    chunk = gzip.compress((repeated * (PIECE // len(repeated))).encode())
    path.write_bytes(gzip.compress(before.encode()) + chunk * MEMBERS + gzip.compress(after.encode()))
    return path


BOMBS = {
    "blank lines first.json.gz": ("", "\n", RECORD),
    "blank lines.ndjson.gz": (RECORD, "\r\n", RECORD),
    "blanks within.json.gz": ('[{"session_id":', " ", '"s1"}]'),
    "endless text.json.gz": ('[{"session_id":"s1","query_position":1,"rank":1,"doc_id":"', "x", '"}]'),
    "numbers.json.gz": ('[{"session_id":"s1","query_position":1,"rank":1,"doc_id":"d","x":[1', ",1", "]}]"),
    "brackets.json.gz": ("", "[", ""),
    "blank lines.csv.gz": (HEADER + ROW, "\n", ROW),
    "endless field.csv.gz": (HEADER + 's1,1,1,"', "x", '"\n'),
    "endless name.csv.gz": ("session_id,", "x", "\n" + ROW),
    "records.csv.gz": (HEADER, ROW, ROW),
}


MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
"""Runs a command as the only child of a process and prints its peak of memory; that of tests counts all their children."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_packed_bomb_is_refused_within_the_memory(tmp_path, name):
    source = packed(tmp_path / name, *BOMBS[name])
    given = ["-m", "sessionkit", "ingest", str(source), "--out", str(tmp_path / "study"), "--memory", "200MB"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *given], check=False, capture_output=True, text=True, timeout=300
    )
    peak = int(done.stdout.splitlines()[-1]) / (2**20 if sys.platform == "darwin" else 2**10)
    assert done.returncode == 1
    assert name in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "study").exists()
    assert peak < 600


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(files, "UNPACKED", 100_000)
    path = tmp_path / f"log.csv.{suffix}"
    text = (HEADER + "".join(f"s{number},1,1,d\n" for number in range(3_000)) + "\n" * 400_000).encode()
    if suffix == "gz":
        path.write_bytes(gzip.compress(text))
    else:
        with pa.output_stream(str(path), compression="zstd") as stream:
            stream.write(text)
    monkeypatch.setattr(files, "RATIO", 20)
    with pytest.raises(DataError, match=r"unpacks to more than 20 times its size .* give the unpacked file"):
        read(path)
    monkeypatch.setattr(files, "RATIO", 100_000)
    assert read(path).results.collect().height == 3_000


@pytest.mark.parametrize("name", ["log.csv", "log.ndjson"])
def test_a_run_of_empty_lines_is_refused(write, monkeypatch, name):
    monkeypatch.setattr(files, "CHUNK", 64)
    before, row = (HEADER + ROW, "s2,1,1,d1\n") if name == "log.csv" else (RECORD, RECORD.replace("s1", "s2"))
    assert read(write(name, f"{before}\n\n\n{row}")).results.collect().height == 2
    with pytest.raises(DataError, match=rf"{name}, lines \d+ to \d+: nearly all are empty"):
        read(write(name, before + "\n" * 300 + row))


def test_the_lines_that_are_empty_are_named(write, monkeypatch):
    monkeypatch.setattr(files, "CHUNK", 64)
    path = write("log.csv", "\n".join([HEADER.strip(), *["s1,1,1,d1"] * 9]) + "\n" * 300)
    with pytest.raises(DataError) as raised:
        read(path)
    first, last = map(int, re.findall(r"lines (\d+) to (\d+)", str(raised.value))[0])
    assert 5 <= first <= 12
    assert first < last <= first + 64


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.json", f"[{RECORD.strip()}, {{" + " " * 4_000 + RECORD[1:].strip() + "]"),
        ("log.json", f"[{RECORD.strip()}, " + "[" * 4_000 + "]" * 4_000 + "]"),
        ("judged.json", '{"s1": {"d1": 1' + " " * 4_000 + "}}"),
    ],
)
def test_json_that_is_too_long_is_refused(write, monkeypatch, name, text):
    monkeypatch.setattr(files, "LONGEST", 2_000)
    for module in (files, sys.modules["sessionkit.readers.io.json"]):
        monkeypatch.setattr(module, "TREE", 10**6)
        monkeypatch.setattr(module, "CHUNK", 64, raising=False)
    path = write(name, text)
    is_log = name == "log.json"
    log, judgments = (path, ()) if is_log else (write("log.csv", HEADER + ROW), [path])
    with pytest.raises(DataError, match=rf"{name}.* is longer than .* allow more with --memory"):
        read(log, judgments=judgments, memory="50MB")


def test_wide_tables_of_short_lines_are_refused_however_they_are_read(write, monkeypatch):
    monkeypatch.setattr(files, "VALUES", 1_000)
    monkeypatch.setattr(files, "VALUE", 10**6)
    names = ",".join(f"x{number}" for number in range(100))
    path = write("log.csv", f"{HEADER.strip()},{names}\n" + "".join(f"s1,1,{rank},d{rank}\n" for rank in range(1, 41)))
    file = files.open_log(path.name, path.parent, path.parent)
    for at_once in (True, False):
        with pytest.raises(DataError, match=r"log.csv has 104 columns \(or keys\) and 41 records"):
            files.refuse_sparse(file, 104, 50_000_000, at_once=at_once)


def test_a_huge_description_is_refused(write, monkeypatch):
    monkeypatch.setattr(config, "LONGEST", 1_000)
    path = write("study.toml", 'format = "tables"\n' + "\n" * 1_000)
    with pytest.raises(DataError, match=r"study.toml: it is larger than"):
        read(path)


HEADS = (
    "\n",
    " ",
    "INFO ABCDEF X\n",
    "<!---->",
    '"hits":{"_source":{',
    '{"a":[',
    "{",
    "[",
    "a,",
    "1 Q0 d 1 1 t\n",
    "# x\n",
)
"""What is repeated at the beginning of a file to make patterns go back over it again and again."""


@pytest.mark.parametrize("repeated", HEADS)
def test_recognizing_a_file_takes_time_in_proportion(repeated):
    head = repeated * (files.HEAD // len(repeated))
    start = time.process_time()
    files.unread(head.encode(), "log")
    for entry in (*FORMATS.values(), *JUDGMENTS.values()):
        if entry.fits is not None:
            entry.fits(Glimpse(Path("log"), "log", head))
    assert time.process_time() - start < 30  # three of them took minutes, or for ever
