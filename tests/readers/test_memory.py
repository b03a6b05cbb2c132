"""Small files that would fill the memory: what they unpack to is counted, and an item, a text and a run of empty lines have limits.

Wide records and long lines cost as much as they hold; where that is too much for the memory, the limit is named.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import polars as pl
import pyarrow as pa
import pytest

from sessionkit.errors import DataError
from sessionkit.readers import config
from sessionkit.readers.format import Glimpse
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.io import files
from sessionkit.readers.io import json as shapes
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
    with pytest.raises(DataError, match=r"more than 20 times .*unpacked file"):
        read(path)
    monkeypatch.setattr(files, "RATIO", 100_000)
    assert read(path).results.collect().height == 3_000


@pytest.mark.parametrize("name", ["log.csv", "log.ndjson"])
def test_a_run_of_empty_lines_is_refused(write, monkeypatch, name):
    monkeypatch.setattr(files, "CHUNK", 64)
    before, row = (HEADER + ROW, "s2,1,1,d1\n") if name == "log.csv" else (RECORD, RECORD.replace("s1", "s2"))
    assert read(write(name, f"{before}\n\n\n{row}")).results.collect().height == 2
    with pytest.raises(DataError, match=rf"{name}, lines \d+ to \d+: .*empty"):
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
    with pytest.raises(DataError, match=rf"{name}.*longer than .*--memory"):
        read(log, judgments=judgments, memory="50MB")


def test_wide_tables_of_short_lines_are_refused_however_they_are_read(write, monkeypatch):
    monkeypatch.setattr(files, "VALUES", 1_000)
    monkeypatch.setattr(files, "VALUE", 10**6)
    names = ",".join(f"x{number}" for number in range(100))
    path = write("log.csv", f"{HEADER.strip()},{names}\n" + "".join(f"s1,1,{rank},d{rank}\n" for rank in range(1, 41)))
    file = files.open_log(path.name, path.parent, path.parent)
    for at_once in (True, False):
        with pytest.raises(DataError, match=r"log.csv has 104 columns .*41 records"):
            files.refuse_sparse(file, 104, 50_000_000, at_once=at_once)


def test_a_huge_description_is_refused(write, monkeypatch):
    monkeypatch.setattr(config, "LONGEST", 1_000)
    path = write("study.toml", 'format = "tables"\n' + "\n" * 1_000)
    with pytest.raises(DataError, match=r"study.toml: .*larger than"):
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


@pytest.mark.few(5, slow=6)
@pytest.mark.parametrize("repeated", HEADS)
def test_recognizing_a_file_takes_time_in_proportion(repeated):
    head = repeated * (files.HEAD // len(repeated))
    start = time.process_time()
    files.unread(head.encode(), "log")
    for entry in (*FORMATS.values(), *JUDGMENTS.values()):
        if entry.fits is not None:
            entry.fits(Glimpse(Path("log"), "log", head))
    assert time.process_time() - start < 30  # three of them took minutes, or for ever


KEYS = ("session_id", "query_position", "rank", "doc_id")
ROWS = 20
WIDE_MEASURED = """
import resource, sys, warnings
import sessionkit as sk
warnings.simplefilter("ignore")
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
small, source, *judgments = sys.argv[1:]
sk.read(small)
before = peak()
study = sk.read(source, judgments=judgments)
table = study.judgments if judgments else study.results
print(peak() - before, len(table.collect_schema()))
"""
SMALL, LARGE = 2_000, 4_000
"""Columns of the two sizes that are compared."""
ROOM = 40
"""Megabytes by which two measurements of the same may differ."""


def keys_of(number):
    return {"session_id": f"s{number // 10}", "query_position": 1, "rank": number % 10 + 1, "doc_id": f"d{number}"}


def judged(number):
    return {"judgment_key": f"s{number // 10}", "doc_id": f"d{number}", "grade": 1}


def delimited(separator, own=keys_of):
    def text(wide):
        names = [*own(0), *(f"x{column}" for column in range(wide))]
        rows = [[*map(str, own(number).values()), *["v"] * wide] for number in range(ROWS)]
        return "".join(separator.join(row) + "\n" for row in (names, *rows))

    return text


def objects(wide, only=range(ROWS)):
    extra = {f"x{column}": "v" for column in range(wide)}
    return [keys_of(number) | (extra if number in only else {}) for number in range(ROWS)]


def ndjson(wide, only=range(ROWS)):
    return "".join(json.dumps(row) + "\n" for row in objects(wide, only))


def in_one_object(wide):
    return ndjson(wide, only=[7])


def in_attributes(wide):
    return xml(attributes="".join(f" x{column}={quoteattr('v')}" for column in range(wide)))


def in_elements(wide):
    return xml(elements="".join(f"<x{column}>v</x{column}>" for column in range(wide)))


def xml(attributes="", elements=""):
    return (
        '<sessiontrack2013><session num="1" starttime="10:00:00"><topic num="1"><title>t</title></topic>'
        '<interaction num="1" starttime="10:00:01"><query>cat</query><results>'
        f'<result rank="1"{attributes}><url>u</url><clueweb12id>d</clueweb12id>{elements}</result>'
        "</results></interaction></session></sessiontrack2013>"
    )


FORMS = {
    "csv": ("log.csv", delimited(",")),
    "tsv": ("log.tsv", delimited("\t")),
    "ndjson": ("log.ndjson", ndjson),
    "one object": ("log.ndjson", in_one_object),
    "array": ("log.json", lambda wide: json.dumps(objects(wide))),
    "attributes": ("log.xml", in_attributes),
    "elements": ("log.xml", in_elements),
}


def measured(small, source, *judgments):
    """Return the megabytes that reading takes beyond those of a small log, and how many columns there are."""
    given = [sys.executable, "-c", WIDE_MEASURED, *map(str, (small, source, *judgments))]
    done = subprocess.run(given, check=True, capture_output=True, text=True)
    peak, columns = done.stdout.split()
    return float(peak), int(columns)


@pytest.mark.slow
def test_a_wide_csv_costs_what_it_holds(write):
    small = write("small.csv", delimited(",")(1))
    peak, columns = measured(small, write("log.csv", delimited(",")(1_200)))
    assert columns == 1_200 + len(KEYS)
    assert peak < 600  # 1,000 columns took 1,100


@pytest.mark.proof
@pytest.mark.parametrize("form", FORMS)
def test_memory_grows_as_the_columns_do(write, form):
    name, text = FORMS[form]
    small = write("small.csv", delimited(",")(1))
    peaks = {}
    for wide in (SMALL, LARGE):
        peaks[wide], columns = measured(small, write(name, text(wide)))
        assert columns >= wide
    print(f"{form}: {SMALL:,} columns {peaks[SMALL]:.0f} MB, {LARGE:,} columns {peaks[LARGE]:.0f} MB")
    assert peaks[LARGE] < 3 * peaks[SMALL] + ROOM


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["parquet", "judgments"])
def test_memory_grows_as_the_columns_do_elsewhere(write, tmp_path, kind):
    small = write("small.csv", delimited(",")(1))
    peaks = {}
    for wide in (SMALL, LARGE):
        if kind == "parquet":
            path = tmp_path / "log.parquet"
            pl.DataFrame(objects(wide), infer_schema_length=None).write_parquet(path)
            peaks[wide], columns = measured(small, path)
        else:
            peaks[wide], columns = measured(small, small, write("judged.csv", delimited(",", judged)(wide)))
        assert columns >= wide
    print(f"{kind}: {SMALL:,} columns {peaks[SMALL]:.0f} MB, {LARGE:,} columns {peaks[LARGE]:.0f} MB")
    assert peaks[LARGE] < 3 * peaks[SMALL] + ROOM


@pytest.mark.few(4, slow=3)
@pytest.mark.parametrize("form", FORMS)
def test_every_column_is_kept(write, form):
    name, text = FORMS[form]
    study = read(write(name, text(150)))
    assert {f"x{column}" for column in range(150)} <= set(study.results.collect_schema())
    assert study.rejected.collect().is_empty()


def test_objects_with_many_keys_are_taken_apart_once(monkeypatch):
    lines = pl.Series(
        [
            '{"b":"x\\u00e9","a":1.50,"z":null,"t":true,"n":{"k":[1, 2.0],"c":"\\n}"},"e":1e5,"":"u","b":"second"}',
            '{"other": [], "a": NaN, "big": 12345678901234567890123}',
            "nonsense",
            "{}",
            '\ufeff{ "b" : -0 , "quote\'\\"":[{"y":"}"}]}',
            None,
        ]
    )
    known = shapes.Shapes(regular=False)
    known.look(lines.drop_nulls())
    key_by_key = known.values(lines)
    monkeypatch.setattr(shapes, "KEYS", 0)
    assert known.values(lines).equals(key_by_key)


def test_no_pattern_is_made_of_many_keys():
    known = shapes.Shapes()
    known.look(pl.Series(ndjson(shapes.KEYS).splitlines()))
    assert (known.patterns, known.regular) == ({}, False)
    assert len(known.keys) == shapes.KEYS + len(KEYS)


@pytest.mark.slow
def test_keys_of_late_lines_are_found_however_many(write):
    lines = [json.dumps(keys_of(number) | {f"x{number}": "v"}) for number in range(3 * shapes.KEYS)]
    study = read(write("log.ndjson", "\n".join(lines)))
    rows = study.results.collect()
    assert rows.width == 3 * shapes.KEYS + len(KEYS)
    assert sum(rows[f"x{number}"].count() for number in range(3 * shapes.KEYS)) == 3 * shapes.KEYS


SPARSE = {
    "log.ndjson": "".join(json.dumps(keys_of(number) | {f"x{number}": "v"}) + "\n" for number in range(40)),
    "log.json": json.dumps([keys_of(number) | {f"x{number}": "v"} for number in range(40)]),
    "log.csv": ",".join([*KEYS, *(f"x{column}" for column in range(40))])
    + "".join(f"\ns,1,{number},d{number}" for number in range(1, 41)),
}


@pytest.mark.parametrize("name", SPARSE)
def test_a_table_mostly_empty_is_refused_where_memory_is_too_little(write, monkeypatch, name):
    path = write(name, SPARSE[name])
    study = read(path)
    assert study.results.collect().width == 44
    monkeypatch.setattr(files, "VALUES", 1_000)
    monkeypatch.setattr(files, "VALUE", 50_000)
    said = rf"{name} has 44 columns \(or keys\) and 4. records, a table of 1,... values; the memory limit allows 1,000"
    with pytest.raises(DataError, match=said) as raised:
        read(path, memory="50MB")
    suggested = str(raised.value).rpartition("--memory ")[2]
    assert read(path, memory=suggested).results.collect().height == study.results.collect().height


def test_judgments_mostly_empty_are_refused_alike(write, monkeypatch):
    rows = "".join(json.dumps(judged(number) | {f"x{number}": "v"}) + "\n" for number in range(40))
    log, judgments = write("log.csv", delimited(",")(1)), write("judged.ndjson", rows)
    monkeypatch.setattr(files, "VALUES", 1_000)
    monkeypatch.setattr(files, "VALUE", 50_000)
    with pytest.raises(DataError, match=r"judged.ndjson has 43 columns .*40 records"):
        read(log, judgments=judgments, memory="50MB")


@pytest.mark.slow
def test_a_dense_table_is_never_refused(write):
    rows = 150_000
    path = write(
        "log.csv", "session_id,query_position,rank,doc_id,a,b\n" + "".join(f"{n},1,1,d,,\n" for n in range(rows))
    )
    assert read(path, memory="50MB").results.collect().height == rows


LONG = "x" * 5_000
LINES = {
    "log.csv": ",".join(KEYS) + f"\ns,1,1,d\ns,1,2,{LONG}\n",
    "log.ndjson": "".join(json.dumps(keys_of(number)) + "\n" for number in (0, 1))
    + json.dumps(keys_of(2) | {"t": LONG}),
    "log.json": "[\n" + ",\n".join(json.dumps(keys_of(n) | ({"t": LONG} if n == 2 else {})) for n in range(4)) + "]",
    "log.run": f"1 Q0 a 1 3 tag\n1 Q0 b 2 2 tag\n1 Q0 {LONG} 3 1 tag\n",
}


@pytest.mark.few(4)
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("budget", ["50MB", "1GB"])
def test_a_long_line_is_named_with_its_limit(write, monkeypatch, name, budget):
    path = write(name, LINES[name])
    read(path)
    monkeypatch.setattr(files, "LONGEST", 4_000)
    monkeypatch.setattr(files, "LINE", 10**7)
    monkeypatch.setattr(files, "CHUNK", 64)
    if budget == "1GB":  # as the message says, more memory raises the limit
        monkeypatch.setattr(files, "LINE", 10**5)
        read(path, memory=budget)
        return
    with pytest.raises(DataError, match=rf"{name}, (line|record) 3: .*longer than .*--memory"):
        read(path, memory=budget)


def test_a_long_line_of_judgments_is_named(write, monkeypatch):
    log, judgments = write("log.csv", delimited(",")(1)), write("a.qrels", f"s0 0 d0 1\ns0 0 {LONG} 1\n")
    monkeypatch.setattr(files, "LONGEST", 4_000)
    monkeypatch.setattr(files, "LINE", 10**7)
    monkeypatch.setattr(files, "CHUNK", 64)
    with pytest.raises(DataError, match=r"a.qrels, line 2: .*longer than"):
        read(log, judgments=judgments, memory="50MB")


def test_elements_of_xml_need_no_lines(write, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 40)
    monkeypatch.setattr(files, "LINE", 10**9)
    monkeypatch.setattr(files, "CHUNK", 8)
    assert read(write("log.xml", in_attributes(3))).results.collect().height == 1
