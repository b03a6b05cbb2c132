"""Lines of clicks brought to queries and results, each line counted once.

Flat logs taken apart in batches: the same study, whatever the size of the batches and however lines lie in files.

Fields of lines: each line with an allowed number of fields is a record, any other breaks the rule.
"""

import random

import polars as pl
import pyarrow.parquet as pq
import pytest

from sessionkit.errors import DataError
from sessionkit.readers.events import flat_logs
from sessionkit.readers.events.flat_logs import AGAIN, ASK, fields_of, queries_and_clicks
from sessionkit.readers.io.files import open_log
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD, RULE, VALUE
from sessionkit.study.counts import depths_of
from tests.support.messages import match_parts

NONE = pl.LazyFrame(schema={RECORD: pl.Int64, RULE: pl.String, VALUE: pl.String})


def made(rules, *lines):
    """Return the queries, the results and how many lines were merged; lines are (ask, text, rank, document)."""
    frame = pl.DataFrame(lines, schema=[ASK, "query_text", "rank", "doc_id"], orient="row").with_columns(
        pl.col(ASK) - 1, session_id=pl.lit("s")
    )
    found = queries_and_clicks(
        frame.lazy().with_row_index(RECORD, 1).with_columns(pl.col(RECORD).cast(pl.Int64)), NONE, rules
    )
    return (
        found.queries.select("query_position", "query_text").collect().rows(),
        found.results.select(RECORD, "query_position", "rank", "doc_id", "clicks").collect().rows(),
        {words: records.collect()[RECORD].to_list() for words, records in found.merged.items()},
    )


def test_every_line_is_a_query_or_merged_and_every_click_a_result_or_merged():
    lines = [
        (1, "cat", "2", "a"),
        (1, "cat", "2", "a"),
        (1, "cat", None, None),
        (4, "cat", "2", "a"),
        (5, "dog", None, "b"),
    ]
    queries, results, merged = made(["same"], *lines)
    assert queries == [(1, "cat"), (2, "dog")]
    assert results == [(1, 1, "2", "a", 3), (5, 2, None, "b", 1)]  # a click without rank breaks a rule later
    assert merged == {
        "further clicks of a query": [2],
        "lines that say a query again": [3],
        AGAIN: [4],
        "clicks on a result clicked before": [2, 4],
    }
    queries, results, merged = made([], *lines)
    assert queries == [(1, "cat"), (2, "cat"), (3, "dog")]
    assert [row[-1] for row in results] == [2, 1, 1]
    assert merged[AGAIN] == []


def aol(chance):
    """Lines of the AOL log, some broken, of users in no order."""
    for _ in range(90):
        time = f"2006-03-04 {chance.randint(10, 19)}:{chance.choice([0, 20, 40]):02}:00"
        click = chance.choice(["\t\t", "", f"\t{chance.randint(0, 3)}\thttp://{chance.choice('ab')}", "\t1"])
        yield f"{chance.choice(['1', '12', '9', '100', ''])}\t{chance.choice(['cat', 'dog', '-'])}\t{time}{click}"


def webis_smc(chance):
    """Lines with missions."""
    for line in aol(chance):
        fields = (line.split("\t") + [""] * 5)[:5]
        yield "\t".join([*fields, str(chance.randint(1, 3)), chance.choice(["", "why"])])


def sogou(chance):
    """Lines of 2012."""
    for _ in range(90):
        time = f"201112{chance.choice([29, 30])}{chance.randint(10, 13)}{chance.choice([10, 30, 70])}00"
        yield f"{time}\tu{chance.randint(1, 4)}\t[{chance.choice('ab')}]\t{chance.randint(1, 3)}\t1\thttp://{chance.choice('ab')}"


def yandex_personalized(chance):
    """Sessions, queries and clicks of mixed sessions."""
    lines = [f"{session}\tM\t1\t{session % 3}" for session in range(1, 10)]
    for tick in range(120):
        serp = chance.randint(1, 3)
        what = chance.choice([f"Q\t{serp}\t5\t1,2\t101,9\t102,9", f"T\t{serp}\t6\t1\t103,9", f"C\t{serp}\t101", "C\t9"])
        lines.append(f"{chance.randint(1, 12)}\t{tick}\t{what}")
    return lines


def coveo(chance):
    """Rows of searches."""
    for number in range(60):
        clicked, listed = (
            chance.choice(["", "\"['a']\"", "\"['z', 'b']\""]),
            chance.choice(["", "[]", "\"['a', 'b']\"", "x"]),
        )
        yield f"s{chance.randint(1, 9)},,{clicked},{listed},{1550885200000 + number * 777}"


LOGS = {log.__name__: log for log in (aol, webis_smc, sogou, yandex_personalized, coveo)}
HEADERS = {
    "aol": "AnonID\tQuery\tQueryTime\tItemRank\tClickURL",
    "coveo": "session_id_hash,query_vector,clicked_skus_hash,product_skus_hash,server_timestamp_epoch_ms",
}


@pytest.fixture
def written(write):
    """Write a log of a format into so many files, one of three packed; return their paths and how many lines each has."""

    def written(name, files):
        lines = list(LOGS[name](random.Random(7)))  # noqa: S311
        ending = "csv" if name == "coveo" else "txt"
        header = [HEADERS[name]] if name in HEADERS else []
        parts = [lines[number::files] for number in range(files)]
        names = [f"{number}.{ending}{'.gz' * (number == 2)}" for number in range(files)]
        paths = [write(name, "\n".join([*header, *part]) + "\n") for name, part in zip(names, parts, strict=True)]
        return paths, {name: len(part) for name, part in zip(names, parts, strict=True)}

    return written


@pytest.mark.few(2, slow=3)
@pytest.mark.parametrize("log", [(name, files) for name in LOGS for files in (1, 3)], ids=str)
def test_large_as_small_and_every_line_accounted_for(written, quiet_read, large, same_study, log):
    name, files = log
    paths, lines = written(*log)
    small = quiet_read(paths, format=name)
    assert small.facts.sessions > 2
    assert small.facts.results > 2
    records_of = {}
    for source in small.sources:
        is_line = not source.kind.startswith("clicks") or name.startswith("yandex")  # else clicks stand in other lines
        if source.table == "queries" or (not source.table and is_line):
            records_of[source.path] = records_of.get(source.path, 0) + source.records
    assert records_of == lines
    large(room={1: 2_000, 3: 10**6}[files])  # of a part of the rows, or of all
    same_study(quiet_read(paths, format=name), small)


def test_a_value_is_set_aside_in_one_batch_of_several(write, quiet_read, large, same_study):
    rows = [f"s{number:02},,,\"['a']\",{1550885200000 + number}" for number in range(40)]
    rows[20] = rows[20].replace("['a']", "['a'")
    path = write("search_train.csv", "\n".join([HEADERS["coveo"], *rows]) + "\n")
    small = quiet_read(path)
    assert small.rejected.collect()["row_kept"].to_list() == [True]
    large()
    same_study(quiet_read(path), small)


@pytest.mark.slow
def test_how_deep_lists_are_known_is_counted_as_they_are_written(written, quiet_read, large, tmp_path):
    paths, _ = written("aol", 1)
    large(room=10**6)
    study = quiet_read(paths, format="aol")
    saved = study.save(tmp_path / "study")
    for one in (study, saved):
        assert one.storage.depths.equals(depths_of(one))  # which reads the files
    assert saved.depths["n"].sum() == saved.facts.queries > 2


@pytest.mark.parametrize("is_large", [False, True])
def test_a_damaged_file_is_named(write, large, is_large):
    if is_large:
        large()
    good = write("1.txt", "1\ta\t2006-03-04 11:00:00\n" * 40)
    with pytest.raises(DataError, match=match_parts("2.txt is not UTF-8", "line 1", 'encoding = "latin-1"')):
        read([good, write("2.txt", b"1\t\xff\xfe\t2006-03-04 11:00:00\n")], format="aol")
    whole = write("3.txt.gz", "".join(f"{n}\tb{n * n}\t2006-03-04 11:00:00\n" for n in range(9000)))
    whole.write_bytes(whole.read_bytes()[:-3000])
    with pytest.raises(DataError, match=match_parts("3.txt.gz", "cut short or damaged")):
        read([good, whole], format="aol")


def test_rows_on_disk_say_which_sessions_are_where(tmp_path, monkeypatch):
    """Else every range of sessions is looked for in all rows, where a log has to be cut into other batches."""
    monkeypatch.setattr(flat_logs, "ROW_GROUP", 2)
    path = flat_logs._on_disk(pl.DataFrame({"session_id": ["a", "b", "c", "d"]}), tmp_path / "rows.parquet")
    groups = pq.read_metadata(path)
    found = [groups.row_group(number).column(0).statistics for number in range(groups.num_row_groups)]
    assert [(one.min, one.max) for one in found] == [("a", "b"), ("c", "d")]


NAMES = ("user", "text", "rank")
LINE_RULE = "line_has_three_fields"
HEADER = "user\ttext"


@pytest.mark.parametrize(
    ("line", "fields", "broken"),
    [
        ("1\ta\t3", ("1", "a", "3"), None),
        ("1\ta\t", ("1", "a", None), None),
        (" \t\t3", (" ", None, "3"), None),
        ("\ufeff1\ta\t3\r", ("1", "a", "3"), None),
        ('"\t"\t#', ('"', '"', "#"), None),
        ("1\ta", ("1", "a", None), "2 fields"),
        ("1\ta\t3\t", ("1", "a", "3"), "4 fields"),
        ("1\ta\t3\t4\t5", ("1", "a", "3"), "5 fields"),
    ],
)
def test_a_line_is_a_record(tmp_path, line, fields, broken):
    (tmp_path / "a.txt").write_text(f"{HEADER}\tx\n \n{line}\n", encoding="utf-8", newline="")
    read = fields_of(open_log("a.txt", tmp_path, tmp_path), NAMES, (3,), LINE_RULE, header=HEADER).collect()
    assert read.rows() == [(3, *fields, LINE_RULE if broken else None, broken)]
