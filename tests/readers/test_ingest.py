"""Logs larger than the memory they may take: the same study, batch by batch, as all at once.

What a log needs, estimated; and what reading one takes.

Batches of a log by ranges of sessions: every record in one of them, sessions whole and in order.

How far a reading has come.

What batches leave behind: every user once, however many batches name it.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import warnings
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import ingest
from sessionkit.readers.checks.derived import Assembled
from sessionkit.readers.checks.rows import AnomalyCounts
from sessionkit.readers.ingest import FAST, Totals, batches_of, is_large, need, records_within
from sessionkit.readers.io.files import open_log, unpacked
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.readers.read import read
from sessionkit.study import open_study
from sessionkit.study.batches import BYTES, count, watched
from sessionkit.study.checks import RECORD

TABLES = ("users", "sessions", "queries", "results", "judgments", "rejected")
RESULTS = "session_id,query_position,rank,doc_id\n"


def outcome(path, **options):
    """Return everything a reading gives: tables, notes, warnings, sources, facts, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            study = read(path, **options)
        except DataError as error:
            return str(error)
    frames = {name: study.table(name).collect() for name in TABLES}
    for source in study.sources:
        assert source.records == source.rows + source.rejected + source.empty_lists, source
    return {
        **{name: (list(frame.schema.items()), frame.rows()) for name, frame in frames.items()},
        "notes": study.notes,
        "warnings": [str(one.message) for one in caught if one.category is DataWarning],
        "sources": [asdict(source) for source in study.sources],
        "facts": asdict(study.facts),
    }


def messy(seed, *, shuffled):
    """Rows of a log with all that can be wrong with it, as lists of texts by table."""
    chance = random.Random(seed)  # noqa: S311
    sessions, queries, results = [], [], []
    for number in range(12):
        session, topic = f"s{number:02}", f"t{number % 3}"
        sessions.append([session, topic, chance.choice(["u1", "u2", ""]), str(chance.randint(1, 5))])
        for position in range(1, chance.randint(1, 4) + 1):
            status = chance.choice(["", "", "", "shown", "empty", "partly_observed", "not_logged", "lost"])
            queries.append([session, str(position), status, "2026-03-02 10:00:00", f"S{number % 2}"])
            if chance.random() < 0.2:
                results.append([session, str(position), "none", "", ""])
            for rank in range(1, chance.randint(0, 5) + 1):
                document = chance.choice(["a", "b", "c", "d", "http://e:1"])
                results.append([session, str(position), str(rank), document, chance.choice(["1.5", "2"])])
    for rows in (sessions, queries, results):
        for _ in range(chance.randint(0, 6)):
            row = chance.choice(rows)
            row[chance.randrange(len(row))] = chance.choice(["", "x", "-1", "1.5", "3.0", " 2 ", "99999999999"])
        rows.insert(chance.randrange(len(rows)), list(chance.choice(rows)) if shuffled else list(rows[-1]))
        if shuffled:
            chance.shuffle(rows)
        else:
            rows.sort(key=lambda row: row[0])
    return {"sessions": sessions, "queries": queries, "results": results}


COLUMNS = {
    "sessions": ["session_id", "topic_id", "user_id", "mood"],
    "queries": ["session_id", "query_position", "results_status", "issued_at", "system_id"],
    "results": ["session_id", "query_position", "rank", "doc_id", "weight"],
}
QRELS = "".join(f"t{topic} 0 {document} {topic}\n" for topic in range(2) for document in "abc")


def written(write, rows, kind, given):
    """Write these tables of a log and return the path of its study.toml."""
    toml = '[judgments]\npath = "qrels"\n[defaults]\nwave = "3"\n'
    write("qrels", QRELS)
    for name in given:
        if kind == "ndjson":
            text = "".join(json.dumps(dict(zip(COLUMNS[name], row, strict=True))) + "\n" for row in rows[name])
        else:
            separator = {"csv": ",", "tsv": "\t"}[kind]
            text = "".join(separator.join(row) + "\n" for row in [COLUMNS[name], *rows[name]])
        write(f"{name}.{kind}", text)
        toml += f'[{name}]\npath = "{name}.{kind}"\n' + ('empty_list = "none"\n' if name == "results" else "")
    return write("study.toml", toml)


GIVEN = [
    ("sessions", "queries", "results"),
    ("sessions", "results"),
    ("queries", "results"),
    ("results",),
    ("queries",),
]


@pytest.mark.few(1, slow=5)
@pytest.mark.parametrize("seed", range(len(GIVEN)), ids=[" ".join(given) for given in GIVEN])
@pytest.mark.parametrize(("kind", "shuffled"), [("csv", False), ("tsv", True), ("ndjson", False)])
def test_in_batches_as_in_one(write, in_batches, kind, shuffled, seed):
    path = written(write, messy(seed, shuffled=shuffled), kind, GIVEN[seed])
    one = outcome(path)
    in_batches(rows=20 + 10 * seed)
    assert outcome(path) == one


@pytest.mark.slow
def test_strict_reading_names_the_first_record_of_all_batches(write, in_batches):
    path = written(write, messy(1, shuffled=True), "csv", GIVEN[0])
    one = outcome(path)
    in_batches(rows=40)
    assert outcome(path, strict=True) == outcome_of_strict(one)


def outcome_of_strict(one):
    """Return the error that strict reading ends with."""
    source, record, line, _, rule, value, _, _, row_kept = one["rejected"][1][0]
    others = len(one["rejected"][1]) - 1
    shown = f" (value {value!r})" if value is not None else ""
    more = f"; {others} more record{'s' if others > 1 else ''} broken" if others else ""
    place = f"line {line}" if line is not None else f"record {record}"
    kept = "such values are set aside and their rows kept" if row_kept else "such records go to the table rejected"
    return f"{source}, {place}: {rule} does not hold{shown}{more}. Without strict {kept}"


def log(rows):
    return RESULTS + "".join(f"{s},{q},{r},d{r}\n" for s, q, r in rows)


ROWS = [(f"s{s:02}", q, r) for s in range(9) for q in (1, 2) for r in (1, 2, 3)]


def test_a_log_in_order_stays_in_order(write, in_batches):
    in_batches()
    study = outcome(write("log.csv", log(ROWS)))
    assert [row[:3] for row in study["results"][1]] == ROWS


@pytest.mark.slow
def test_ndjson_in_batches_with_broken_lines_and_a_late_key(write, in_batches):
    lines = [
        json.dumps(dict(zip(COLUMNS["results"], (*row, f"d{n % 4}", n), strict=True))) for n, row in enumerate(ROWS)
    ]
    path = write("log.ndjson", "\n".join([*lines[:20], "  ", "{", *lines[20:], "[1]"]))
    one = outcome(path)
    in_batches()
    assert outcome(path) == one
    assert [row[1:5:3] for row in one["rejected"][1]] == [(22, "line_is_json"), (57, "line_is_json")]
    late = write("late.ndjson", "\n".join([*lines, '{"session_id": "t", "late": 1}'] * 2))
    assert outcome(late)["results"][0][-1] == ("late", pl.String)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "text",
    [
        log(ROWS[::-1]),
        log([(s, q - 1, r) for s, q, r in ROWS]),
        log(ROWS) + "\n\n" + log([("t", 1, 1)]).split("\n")[1] + "\n",
        log(ROWS) + 't,1,1,"a\nb"\n',
        log(ROWS).replace("s01,1,1,d1", "s01,1,1,d1,surplus,more"),
        log(ROWS).replace("doc_id", "judgment_key").replace("rank", "rank,doc_id").replace(",d", ",x,d"),
    ],
    ids=["order", "zeros", "blank lines", "fields over lines", "surplus", "keys"],
)
def test_any_log_comes_out_the_same_in_batches(write, in_batches, text):
    path = write("log.csv", text)
    one = outcome(path)
    in_batches()
    assert outcome(path) == one


def test_types_of_extras_are_those_of_the_accepted_rows_of_all_batches(write, in_batches):
    rows = [f"s{n},1,1,d,{n},{n},x\n" for n in range(6)] + [
        "s6,1,1,d,6,six,\n",
        "s7,1,1,d,7.5,7,\n",
        "s8,1,zero,d,eight,8,\n",
    ]
    path = write("log.csv", RESULTS.strip() + ",number,text,some\n" + "".join(rows))
    one = outcome(path)
    in_batches()
    made = outcome(path)
    assert made == one
    assert made["results"][0][4:] == [("number", pl.Float64), ("text", pl.String), ("some", pl.String)]


@pytest.mark.parametrize(
    "rows", [[], [("", 1, 1)], [("", 1, 1), ("", 2, 1), ("a", "x", 1)]], ids=["none", "lost", "bad"]
)
def test_logs_without_a_session(write, in_batches, rows):
    path = write("log.csv", log(rows))
    one = outcome(path)
    in_batches(rows=1)
    assert outcome(path) == one


@pytest.mark.slow
def test_saving_copies_what_has_been_written(write, in_batches, tmp_path):
    in_batches()
    study = read(write("log.csv", log(ROWS)))
    assert study.path is None
    saved = study.save(tmp_path / "out")
    assert len(list((tmp_path / "out" / "results").iterdir())) > 1
    assert saved.facts == open_study(tmp_path / "out").facts == study.facts
    for name in TABLES:
        assert_frame_equal(saved.table(name).collect(), study.table(name).collect())
    changed = replace(study, notes=("other",)).save(tmp_path / "other")
    assert changed.notes == ("other",), "a study that was changed is written anew"


@pytest.mark.slow
def test_temporary_files_outlive_the_study(write, in_batches, monkeypatch, tmp_path):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    in_batches()
    path = write("log.csv", log(ROWS))
    assert read(path).results.collect().height == len(ROWS)
    other = replace(read(path), reader="other")
    assert other.results.collect().height == len(ROWS)


def test_a_failure_leaves_nothing_behind(write, in_batches, monkeypatch, tmp_path):
    (tmp_path / "tmp").mkdir()
    path = write("log.csv", log([*ROWS, ("z", "x", 1)]))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    in_batches()
    with pytest.raises(DataError, match="query_position_is_an_integer"):
        read(path, strict=True)
    assert list((tmp_path / "tmp").iterdir()) == []


TEXT = b"session_id,rank\n" + b"s1,1\n" * 1000


@pytest.mark.parametrize(
    ("name", "data", "bytes_"),
    [
        ("a.csv", TEXT, 8 * len(TEXT)),
        ("a.ndjson", TEXT, 3 * len(TEXT)),
        ("a.xml", b" <a>" + TEXT, 2.2 * (4 + len(TEXT))),
        ("a.txt", b"<a>" + TEXT, 2.2 * (3 + len(TEXT))),
        ("a.csv", gzip.compress(TEXT, mtime=0), 8 * 8 * len(gzip.compress(TEXT, mtime=0))),
    ],
)
def test_need_of_text(tmp_path, name, data, bytes_):
    (tmp_path / name).write_bytes(data)
    assert need(open_log(name, tmp_path, tmp_path)) == bytes_


def test_need_of_parquet_is_that_of_its_rows(tmp_path):
    pl.DataFrame({"a": [1] * 1000, "b": [2] * 1000}).write_parquet(tmp_path / "a.parquet")
    # two values of 48 bytes in each row, and its two numbers of 8 bytes twice
    assert need(open_log("a.parquet", tmp_path, tmp_path)) == (48 * 2 + 2 * 2 * 8) * 1000


def test_large_is_what_the_budget_does_not_hold(tmp_path):
    (tmp_path / "a.csv").write_bytes(TEXT)
    file = open_log("a.csv", tmp_path, tmp_path)
    assert is_large([file, file], 16 * len(TEXT) - 1)
    assert not is_large([file, file], 16 * len(TEXT))


def test_batches_take_the_budget_between_them():
    frame = pl.DataFrame({"a": range(100)})  # 48 bytes and twice the 8 of the number itself: 64
    raw = Raw("results", "a", frame.lazy(), 10**9, no_way_back)
    assert records_within(64_000_000, {"results": raw}) == 250_000
    assert records_within(10**12, {"results": raw}) == FAST // 4 // 64


CHILD = """
import sys
from sessionkit.readers.read import read
study = read(sys.argv[1], memory=sys.argv[2])
study.save(sys.argv[3])
assert study.facts.results == int(sys.argv[4])
peak = open("/proc/self/status").read().split("VmHWM:")[1].split()[0]
print(int(peak) * 1024)
"""


def peak(path, memory, out, rows):
    """Return the bytes of memory that a process takes at most which ingests a log."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), memory, str(out), str(rows)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    return int(done.stdout)


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says how much memory a process took")
@pytest.mark.parametrize("order", [1, -1], ids=["in order", "out of order"])
def test_memory_keeps_to_the_budget(tmp_path, order):
    # 3,000,000 rows take some 500 MB at once beside the libraries; 50 MB and the 500 MB that are promised beside it are more than the
    # 370 to 410 MB that are taken on a quiet machine, and than the 450 MB of a busy one
    lists = 300_000
    session = pl.int_range(lists, dtype=pl.Int64).repeat_by(10).explode()
    frame = pl.select(session=session).select(
        session_id=pl.format("session {}", (order * pl.col("session")).cast(pl.String).str.zfill(9)),
        query_position=pl.lit(1),
        rank=pl.int_range(pl.len()) % 10 + 1,
        doc_id=pl.format("document {}", pl.int_range(pl.len()) * 7919 % 100_003),
    )
    frame.write_csv(tmp_path / "large.tsv", separator="\t")
    assert peak(tmp_path / "large.tsv", "50MB", tmp_path / "five", 10 * lists) <= 500_000_000


def raw(name, sessions):
    frame = pl.DataFrame(
        {RECORD: range(1, len(sessions) + 1), "session_id": sessions}, schema_overrides={RECORD: pl.Int64}
    )
    return Raw(name, name, frame.lazy(), len(sessions), no_way_back)


@pytest.mark.parametrize("dtype", [str, int])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 50, 1000])
def test_every_record_is_in_one_batch(tmp_path, monkeypatch, rows, shuffled, dtype):
    monkeypatch.setattr(ingest, "ROW_GROUP", 4)
    monkeypatch.setattr(ingest, "OPEN", 3)
    chance = random.Random(rows)  # noqa: S311
    results = [None if chance.random() < 0.1 else dtype(number // 5 + 10) for number in range(60)]
    if shuffled:
        chance.shuffle(results)
    log = {"sessions": raw("sessions", [dtype(number) for number in range(10, 24)]), "results": raw("results", results)}
    cut = [{name: one.frame.collect() for name, one in batch.items()} for batch in batches_of(log, rows, tmp_path)]
    for name, source in log.items():
        records = [record for batch in cut for record in batch[name][RECORD].to_list()]
        assert sorted(records) == list(range(1, source.records + 1))
    seen = [{str(s) for name in batch for s in batch[name]["session_id"] if s is not None} for batch in cut]
    assert [session for batch in seen for session in sorted(batch)] == sorted(set().union(*seen))
    assert len(cut) == 1 if rows == 1000 and None not in results else len(cut) > 1
    assert not any(None in batch["results"]["session_id"] and seen[n] for n, batch in enumerate(cut))


def test_nothing_is_counted_unless_watched(write):
    path = write("log.txt.gz", "x" * 1000)
    count("rows", 3)
    with watched() as progress:
        with unpacked(path) as stream:
            assert stream.read(10) == b"x" * 10
            assert stream.read() == b"x" * 990
        count("rows", 1200)
        count("rejected")
    count("rows", 7)
    assert progress.done == {BYTES: 1000, "rows": 1200, "rejected": 1}
    assert str(progress) == "1,200 rows, 1 rejected"  # less than a megabyte is none


@pytest.mark.slow
def test_a_large_log_counts_its_rows_and_rejects(write, quiet_read, in_batches):
    text = "".join(
        f'{1 + 200 * (n - 1)},u,{n % 5},q,2025-01-10 08:00:00,"[{n}, x, x]",{"0f" * 16},[]\n' for n in range(1, 3)
    )
    in_batches()
    with watched() as progress:
        study = quiet_read(write("log.csv", text), format="core")
    assert progress.done[BYTES] >= len(text)
    facts = study.facts
    assert (
        progress.done["rows"]
        == facts.queries + facts.results - study.rejected.collect().height + progress.done["rejected"]
        > 0
    )


NAMES = ("session_id", "user_id")


def part(*users, first=0):
    """A part with a session of each of these users, the first of them with this number."""
    names = [f"s{number:03}" for number in range(first, first + len(users))]
    sessions = pl.DataFrame({"session_id": names, "user_id": users}, schema=dict.fromkeys(NAMES, pl.String))
    return Assembled(sessions, pl.DataFrame(), pl.DataFrame(), (), AnomalyCounts(), np.empty(0, np.intp))


def test_every_user_is_there_once(tmp_path):
    totals = Totals(tmp_path / "rejected")
    for number, users in enumerate((("a", "b", "b", None), (None,), ("c",), ("b", "d"), ("a", "c"))):
        totals.add(part(*users, first=10 * number), AnomalyCounts(bare=1))
    assert sorted(totals.users["user_id"]) == ["a", "b", "c", "d"]
    assert totals.counts.bare == 5
