"""From what a format takes from its files to a study: several sources of a table, accounts, judgments, options."""

import json

import polars as pl
import pytest

import sessionkit as sk
import sessionkit.readers as registry
from sessionkit.errors import DataError, UsageError
from sessionkit.readers import FORMATS, Format, Judgments, Option
from sessionkit.readers.events.sessions import MERGE_QUERIES, seconds
from sessionkit.readers.format import SESSION_GAP, TEXT, TOPICS
from sessionkit.readers.ingest import needs_batches
from sessionkit.readers.io.delimited import read_whitespace
from sessionkit.readers.io.files import open_log
from sessionkit.readers.records import Taken, raw_of, reader
from sessionkit.sessions.record_accounts import check
from sessionkit.study import open_study
from sessionkit.study.checks import RECORD

MARK = "toy log"


def take(log):
    """Lines such as ``q s1 1 cat`` and ``r s1 1 1 d``; lines that begin with # are idle."""
    raws, idle = {"queries": [], "results": []}, {}
    for file in log.files:
        lines = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1)
        parts = lines.with_columns(pl.col(RECORD).cast(pl.Int64), part=pl.col("text").str.split(" ")).collect()
        for name, sign, columns in (
            ("queries", "q", ["session_id", "query_position", "query_text"]),
            ("results", "r", ["session_id", "query_position", "rank", "doc_id"]),
        ):
            fields = [pl.col("part").list.get(place, null_on_oob=True).alias(c) for place, c in enumerate(columns, 1)]
            rows = parts.filter(pl.col("part").list.first() == sign).select(RECORD, *fields)
            raws[name].append(raw_of(file, name, log.keep(rows.lazy()), kind=name))
        idle[file.name, "remarks"] = parts["text"].str.starts_with("#").sum()
    gap = seconds(log.option("session_gap"))
    told = [f"gap {gap:g}", f"topics {log.option('topics')}", f"merged by {' '.join(log.option('merge_queries'))}"]
    return Taken(raws, idle=idle, notes=told, warnings=["toys are no data"])


@pytest.fixture
def toy(monkeypatch):
    """A format of its own, recognized by its first line."""
    options = {
        "topics": TOPICS,
        "session_gap": SESSION_GAP,
        "merge_queries": MERGE_QUERIES,
        "deep": Option("How.", "integer", 3),
    }
    entry = Format(MARK, reader("toy", take), fits=lambda glimpse: glimpse.head.startswith("# toy"), options=options)
    monkeypatch.setitem(registry.FORMATS.own, "toy", entry)
    return entry


@pytest.fixture
def two(write):
    """Two files of one log: three records of the second are broken."""
    one = write("one.txt", "# toy\nq a 1 cat\nr a 1 1 x\nr a 1 2 y\nq b 1 dog\nr b 1 1 x\n")
    other = write("two.txt", "# toy\n# more\nq c 1 cat\nr c 1 1 y\nr c 1 one z\nr d 1 1 z\nq c 300 far\n")
    return one, other


def test_several_files_each_with_its_own_account(toy, two, quiet_read, rejects):
    study = quiet_read(list(two))
    found = {(one.path, one.kind): (one.records, one.rows, one.rejected, one.idle) for one in study.sources}
    assert found == {
        ("one.txt", "queries"): (2, 2, 0, 0),
        ("two.txt", "queries"): (2, 1, 1, 0),
        ("one.txt", "results"): (3, 3, 0, 0),
        ("two.txt", "results"): (3, 1, 2, 0),
        ("one.txt", "remarks"): (1, 0, 0, 1),
        ("two.txt", "remarks"): (2, 0, 0, 2),
    }
    assert study.rejected.collect().select("source", "record", "line", "table", "rule", "raw").rows() == [
        ("two.txt", 7, 7, "queries", "query_position_is_within_reach", "q c 300 far"),
        ("two.txt", 5, 5, "results", "rank_is_an_integer", "r c 1 one z"),
        ("two.txt", 6, 6, "results", "session_is_known", "r d 1 1 z"),
    ]
    assert study.notes[:4] == ("toys are no data", "gap 1800", "topics None", "merged by same paging typing")
    assert any(note.startswith("two.txt (results): 2 records rejected") for note in study.notes)


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_the_same_in_parts_and_when_saved(two, quiet_read, in_batches, same_study, tmp_path):
    whole = quiet_read(list(two))
    in_batches(rows=2)
    parts = quiet_read(list(two))
    assert parts.storage.package is not None
    same_study(parts, whole)
    parts.save(tmp_path / "saved")
    same_study(open_study(tmp_path / "saved"), whole)
    shown = check(parts)["sources"]
    counted = pl.sum_horizontal("rows", "empty_lists", "rejected", "merged", "idle")
    assert shown.select((pl.col("records") == counted).all()).item()


def test_long_texts_count_where_a_log_has_to_go_through_files(write):
    # 1,000 rows of 3 columns are 144,000 bytes; texts of 1,000 characters make them 2,144,000 and more
    path = write("log.toy", "x\n")
    frame = pl.DataFrame({RECORD: range(1000), "session_id": ["s"] * 1000, "query_text": ["x" * 1000] * 1000})
    raw = raw_of(open_log(path.name, path.parent, path.parent), "queries", frame)
    assert needs_batches([raw], 2_000_000)
    assert not needs_batches([raw], 3_000_000)


def test_a_folder_and_packed_files(toy, two, write, quiet_read, tmp_path):
    (tmp_path / "run").mkdir()
    for path in two:
        path.rename(tmp_path / "run" / path.name)
    write("run/three.txt.gz", "# toy\nq z 1 cat\n")
    write("run/.hidden", "not text of this format")
    write("run/empty.txt", "")
    study = quiet_read(tmp_path / "run", format="toy")
    assert sorted({one.path for one in study.sources}) == ["run/one.txt", "run/three.txt.gz", "run/two.txt"]


def test_strict_names_file_and_line(toy, two):
    with pytest.raises(DataError, match=r"two\.txt, .* 7: .*_is_within_reach"):
        sk.read(list(two), strict=True)


def test_options_come_from_study_toml_and_from_the_command(toy, two, write, quiet_read):
    toml = write(
        "study.toml", 'format = "toy"\npath = ["one.txt"]\nsession_gap = "1h"\nmerge_queries = []\nmax_grade = 2\n'
    )
    study = quiet_read(toml)
    assert (study.notes[1], study.notes[3], study.settings.max_grade) == ("gap 3600", "merged by ", 2.0)
    study = quiet_read(two[1], config=toml, session_gap=90, topics="topics.xml")
    assert study.notes[1] == "gap 90"
    assert study.notes[2].endswith("topics.xml")
    assert {one.path for one in study.sources} == {"two.txt"}
    assert quiet_read(two[0], config={"merge_queries": "same"}).notes[3] == "merged by same"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("sesion_gap = 3", "key 'sesion_gap'; .*'session_gap'"),
        ("[results]\npath = 'x'", "unknown key 'results'"),
        ("deep = 'x'", r"study\.toml: deep = 'x': .*How\."),
        ("merge_queries = ['all']", "merge_queries"),
        ("path = []", "path"),
        ("path = 'none.txt'", "none.txt: no such file"),
    ],
)
def test_what_study_toml_cannot_say(toy, two, write, toml, words):
    path = "" if "path" in toml else "path = 'one.txt'\n"
    with pytest.raises(DataError, match=words):
        sk.read(write("study.toml", f"format = 'toy'\n{path}{toml}\n"))


def test_a_study_toml_without_format_is_recognized_by_its_path(toy, two, write, quiet_read):
    assert quiet_read(write("study.toml", "path = 'one.txt'\n")).reader == "toy"
    flat = write("flat.csv", "session_id,query_position,rank,doc_id\ns,1,1,x\n")
    assert quiet_read(write("study.toml", f"path = '{flat.name}'\nmax_grade = 3\n")).reader == "tables"


def test_refusals(toy, two, write, monkeypatch, tmp_path):
    with pytest.raises(UsageError, match=r"session_gap = '1h' .*no effect"):
        sk.read(write("flat.csv", "session_id,query_position,rank,doc_id\ns,1,1,x\n"), session_gap="1h")
    with pytest.raises(DataError, match=r": one\.txt \(toy\), other \(none\);"):
        sk.read([two[0], write("other", "something else\n")])
    with pytest.raises(UsageError, match=r"format = 'core', .*command says 'toy'"):
        sk.read(two[0], config={"format": "core"}, format="toy")
    monkeypatch.setitem(registry.FORMATS.own, "twin", toy)
    with pytest.raises(UsageError, match=r"toy and as twin; .*--from"):
        sk.read(two[0])
    with pytest.raises(DataError, match="known log format; --from"):
        sk.read(write("odd", "nothing of the kind\n"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"no file .*not empty"):
        sk.read(tmp_path / "empty", format="toy")


def test_judgments_of_texts_are_the_queries_own(toy, two, write, quiet_read, monkeypatch):
    def read(file, config):
        frame = pl.DataFrame(json.loads(file.path.read_text())).with_row_index(RECORD, offset=1)
        return [raw_of(file, "judgments", frame.with_columns(pl.col(RECORD).cast(pl.Int64)))]

    fits = lambda glimpse: glimpse.head.startswith("[")  # noqa: E731
    monkeypatch.setitem(registry.JUDGMENTS, "toy", Judgments("toy", read, fits=fits, keys=TEXT))
    graded = write("graded.json", json.dumps([{"judgment_key": "cat", "doc_id": "x", "grade": 2}]))
    more = write("more.qrels", "dog 0 x 1\n")
    study = quiet_read(two[0], judgments=[graded, more])
    assert study.queries.select("query_text", "judgment_key").collect().rows() == [("cat", "cat"), ("dog", "dog")]
    assert study.judgments.select("judgment_key", "doc_id", "grade").collect().rows() == [
        ("cat", "x", 2),
        ("dog", "x", 1),
    ]
    flat = write("flat.csv", "session_id,query_position,rank,doc_id,query_text\ns,1,1,x,cat\n")
    assert quiet_read(flat, judgments=graded).sessions.collect()["judgment_key"].to_list() == ["cat"]


def test_judgments_that_are_like_none(write):
    flat = write("flat.csv", "session_id,query_position,rank,doc_id\ns,1,1,x\n")
    with pytest.raises(DataError, match=r"judgment_key, doc_id, grade.*"):
        sk.read(flat, judgments=write("odd.csv", "a,b\n1,2\n"))


def test_judgments_in_study_toml(toy, two, write, quiet_read):
    write("q.txt", "t 0 x 1\n")
    write("j.csv", "topic,doc,grade\nt,y,2\n")
    told = "format = 'toy'\npath = 'one.txt'\n[judgments]\npath = "
    assert quiet_read(write("study.toml", f"{told}'q.txt'\n")).judgments.collect()["grade"].to_list() == [1]
    columns = "columns = { judgment_key = 'topic', doc_id = 'doc' }\n"
    read = quiet_read(two[1], config=write("study.toml", f"{told}'j.csv'\n{columns}"))
    assert read.judgments.collect()["grade"].to_list() == [2]


def test_a_way_back_is_asked_once_for_each_record(write):
    """qrels give one row per record; a source whose records give several rows has one way back for all of them."""
    from sessionkit.readers.checks.rows import described, together
    from sessionkit.readers.io.files import open_log

    path = write("a.qrels", "t 0 x 1\nt 0 y 2\n")
    raw = read_whitespace(open_log(path.name, path.parent, path.parent), "judgments")
    broken = pl.DataFrame({RECORD: [2, 2, 1], "__rule": ["r"] * 3, "__value": ["v"] * 3})
    broken = broken.with_columns(__column=pl.lit(None, dtype=pl.String), __kept=pl.lit(value=False))
    assert described(raw, broken)["line"].to_list() == [1, 2, 2]
    both = together([raw, raw])
    again = described(both, broken.with_columns(pl.col(RECORD) + pl.Series([0, 2, 2])))
    assert again.select("record", "raw").rows() == [(2, "t 0 y 2"), (1, "t 0 x 1"), (2, "t 0 y 2")]


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("tables", "events", "trec_run", "ubi")])
def test_formats_of_text_say_so_of_parquet(write, tmp_path, name):
    path = write("log.parquet", "")
    pl.DataFrame({"AnonID": [1], "Query": ["lamp"]}).write_parquet(path)
    for source in (path, tmp_path):
        with pytest.raises(DataError, match=rf"log\.parquet is Parquet, .* {name} "):
            sk.read(source, format=name)


def test_parquet_that_is_no_run_names_its_columns(tmp_path):
    pl.DataFrame({"AnonID": [1], "Query": ["lamp"]}).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(DataError, match=r"log\.parquet .*columns AnonID, Query;"):
        sk.read(tmp_path / "log.parquet", format="trec_run")
