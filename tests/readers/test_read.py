"""sk.read: what kind of source is this?

Tables in memory: whatever has an interface, the same study.
"""

import os
import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers import FORMATS, from_tables
from sessionkit.readers.read import read

LOG = "session_id,query_position,rank,doc_id,topic_id\na,1,1,x,t\n"


def test_every_format_says_what_it_is():
    for format_ in FORMATS.values():
        assert format_.description
        assert callable(format_.read)


def test_a_study_directory_is_opened(write, quiet_read, tmp_path):
    quiet_read(write("log.csv", LOG)).save(tmp_path / "out")
    assert read(tmp_path / "out").path == tmp_path / "out"


def test_a_log_described_by_a_study_toml_beside_or_elsewhere(write, quiet_read, tmp_path):
    log = write("log.txt", LOG.replace(",", ";").replace("session_id", "sid"))
    (tmp_path / "elsewhere").mkdir()
    toml = tmp_path / "elsewhere" / "study.toml"
    toml.write_text('max_grade = 2\n[results]\npath = "?"\nseparator = ";"\ncolumns = { session_id = "sid" }\n')
    study = quiet_read(log, config=toml)
    assert (study.facts.results, study.settings.max_grade, study.sources[0].path) == (1, 2.0, "log.txt")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"format": "tabels"}, UsageError, "no format 'tabels'; .*'tables'"),
        ({"config": {"format": "tabels"}}, DataError, "format is 'tabels'; .*'tables'"),
        ({"config": {"sessions": {"path": "nope.csv"}}}, DataError, "nope.csv: no such file"),
    ],
)
def test_refusals(write, options, error, words):
    with pytest.raises(error, match=words):
        read(write("log.csv", LOG), **options)


def test_sources_that_are_none(tmp_path, write):
    with pytest.raises(DataError, match="does not exist"):
        read(tmp_path / "log.csv")
    with pytest.raises(DataError, match="directory but not a study"):
        read(tmp_path)
    with pytest.raises(UsageError, match=r"is itself a study\.toml"):
        read(write("study.toml", ""), config={})
    with pytest.raises(DataError, match=r"neither \[results\] nor \[queries\]"):
        read(tmp_path / "study.toml")
    with pytest.raises(UsageError, match="is a study directory"):
        read(tmp_path, judgments="x")
    with pytest.raises(UsageError, match="dict of frames, not NoneType"):
        read(None)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("log.csv", b"", "log.csv is empty; "),
        ("log.csv", b"\n \r\n", "log.csv is empty; "),
        ("log.txt", b"\n \r\n", "log.txt is empty; "),
        ("log.txt", b"\x1f\x8b garbage", "log.txt cannot be unpacked; "),
        ("log", b"PAR1 garbage", "be read as Parquet"),
    ],
)
def test_what_holds_no_text_is_not_compared_with_formats(write, name, data, said):
    (path := write("any", b"")).with_name(name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        read(path.with_name(name))
    assert said in str(caught.value)
    assert "looks like" not in str(caught.value)


RUN = "1 Q0 d 1 2.5 tag\n"
AOL = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tcafé\t2006-03-01 10:00:00\t1\thttp://a\n"


UBI = '{"user_query":"b","query_id":"q","client_id":"c","timestamp":"2025-01-01T00:00:00Z"}\n'


@pytest.mark.parametrize("text", [LOG, RUN * 2, AOL, '{"user_query":"a"}\n{"user_query":"b"}\n'])
def test_line_ends_of_old_macs_lose_nothing_unseen(write, text):
    """All that follows the first line would be taken for a part of it, and left out."""
    with pytest.raises(DataError, match=r"log ends .*carriage returns"):
        read(write("log", text.replace("\n", "\r").encode()))


@pytest.mark.parametrize("text", ["nothing of the kind\n", '{"type": "object"}\n', "a,b\n1,2\n"])
def test_what_looks_like_nothing_is_told_so_in_a_line(write, text, tmp_path):
    with pytest.raises(DataError, match=r"known log format; --from FORMAT") as caught:
        read(write("odd.csv", text))
    said = str(caught.value).replace(str(tmp_path), ".")
    assert said.split()[-5:] == ["sessionkit", "init", "./odd.csv", "--output", "study.toml"]
    assert len(said) < 400


def test_a_folder_that_is_neither_study_nor_log(write, tmp_path):
    (tmp_path / "folder").mkdir()
    write("folder/notes.txt", "nothing of the kind\n")
    with pytest.raises(DataError, match=r"without a study \(no datapackage\.json\)\."):
        read(tmp_path / "folder")
    write("folder/study.toml", "")
    with pytest.raises(DataError, match=r"\(no datapackage\.json\); .*study\.toml"):
        read(tmp_path / "folder")


def test_files_that_do_not_go_together_are_told_apart(write):
    run, qrels = write("a.run", "1 Q0 d 1 2.5 t\n"), write("q.txt", "1 0 d 1\n")
    with pytest.raises(DataError, match=r": a\.run \(trec_run\), q\.txt \(.*: qrels\);"):
        read([run, qrels])


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
@pytest.mark.parametrize("name", ["log", "log.txt", "log.2024-01.dat"])
def test_our_own_tables_are_recognized_under_any_name(write, quiet_read, name, separator):
    study = quiet_read(write(name, LOG.replace(",", separator)))
    assert (study.reader, study.facts.results, study.sessions.collect()["topic_id"].to_list()) == ("tables", 1, ["t"])


@pytest.mark.few(6, slow=3)
@pytest.mark.parametrize("text", [LOG, RUN, AOL, UBI])
@pytest.mark.parametrize("head", ["\n\n", " \r\n", "\ufeff\n"])
def test_blank_lines_before_the_log_do_not_matter(write, quiet_read, text, head):
    plain, after = quiet_read(write("log", text)), quiet_read(write("log", head + text))
    assert (after.reader, after.facts) == (plain.reader, plain.facts)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_log_of_any_format_may_be_in_another_encoding(write, quiet_read, encoding):
    path = write("log.txt", AOL.encode(encoding))
    with pytest.raises(DataError, match=r"not UTF-8 \(line 2\)|in UTF-16") as caught:
        read(path)
    assert 'set encoding = "' in str(caught.value)
    study = quiet_read(path, config={"format": "aol", "encoding": encoding})
    assert study.queries.collect()["query_text"].to_list() == ["café"]
    with pytest.raises(DataError, match="unknown key 'encoding'"):  # there it is said for each table
        read(write("log.csv", LOG), config={"encoding": encoding})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.csv", "session_id,query_position,rank,doc_id,__record\ns,1,1,x,5\n"),
        ("log.tsv", "session_id\tquery_position\trank\tdoc_id\t__spare0\ns\t1\t1\tx\t5\n"),
        ("log.ndjson", '{"session_id":"s","query_position":1,"rank":1,"doc_id":"x","__rule":5}\n'),
        ("log.csv", "session_id,query_position,rank,doc_id,__undecoded\ns,1,1,x,5\n"),
        ("log.ndjson", '{"session_id":"s"}\n' * 200 + '{"session_id":"s","__value":{"a":1}}\n'),
    ],
)
def test_names_of_columns_that_are_ours_are_refused(write, name, text):
    with pytest.raises(DataError, match=r"column '__[a-z0-9]+' .*two underscores"):
        read(write(name, text))


def test_names_of_columns_that_are_ours_are_refused_in_parquet_too(tmp_path):
    pl.DataFrame({"session_id": "s", "query_position": 1, "rank": 1, "doc_id": "x", "__record": 5}).write_parquet(
        tmp_path / "log.parquet"
    )
    with pytest.raises(DataError, match=r"column '__record' .*two underscores"):
        read(tmp_path / "log.parquet")


CUT = r"cats \ud83d"
"""A query cut in the middle of an emoji, as programs write it in JSON."""


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("ubi", '{"user_query":"%s","query_id":"q","client_id":"c","timestamp":"2025-01-01T00:00:00Z"}\n'),
        ("ubi", '[{"user_query":"%s","query_id":"q","client_id":"c","timestamp":"2025-01-01T00:00:00Z"}]\n'),
        ("core", '{"1": ["%s"]}'),
        ("srw", '{"name": "set", "querySetQueries": [{"queryText": "%s"}]}'),
    ],
)
def test_texts_cut_within_a_character_are_kept_as_far_as_they_go(write, quiet_read, format_, text):
    study = quiet_read(write("log.json", text.replace("%s", CUT)), format=format_)
    assert study.queries.collect()["query_text"].to_list() == ["cats \ufffdd83d"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_refused_and_not_waited_for(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("session_id,query_position,rank,doc_id\na,1,1,x\n")
    for name in ("pipe.csv", "pipe.toml"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(DataError, match=r"device or a pipe|not a file"):
            read(tmp_path / name)
    with pytest.raises(DataError, match="is a device or a pipe"):
        read(log, judgments=tmp_path / "pipe.csv")


RESULTS = {
    "session_id": ["a", "a"],
    "query_position": [1, 1],
    "rank": [1, 2],
    "doc_id": ["x", "y"],
    "topic_id": ["t", "t"],
}
JUDGMENTS = {"judgment_key": ["t"], "doc_id": ["y"], "grade": [2]}


class ArrowOnly:
    """Something with nothing but the Arrow PyCapsule interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "make",
    [
        pl.DataFrame,
        pl.LazyFrame,
        pd.DataFrame,
        pa.table,
        lambda columns: ArrowOnly(pa.table(columns)),
        dict,
        lambda c: pl.DataFrame(c).to_dicts(),
    ],
    ids=["polars", "lazy", "pandas", "arrow", "capsule", "dict", "records"],
)
def test_any_frame(make):
    study = from_tables(make(RESULTS), make(JUDGMENTS))
    assert_frame_equal(study.results.collect(), from_tables(RESULTS, JUDGMENTS).results.collect())
    assert study.judgments.collect().rows() == [("t", "y", 2.0)]


def test_read_takes_a_dict_of_frames():
    assert read({"results": RESULTS, "judgments": JUDGMENTS}).facts.results == 2


def test_pandas_ids_with_missing_values_are_not_floats():
    frame = pd.DataFrame({**RESULTS, "topic_id": [7, None]})
    assert from_tables(frame).sessions.collect()["topic_id"].to_list() == ["7"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (from_tables, DataError, "neither results nor queries"),
        (lambda: from_tables(3), DataError, "results: .*int is not .*table"),
        (
            lambda: from_tables({"session_id": ["a"]}),
            DataError,
            "query_position, rank, .*; found session_",
        ),
        (lambda: from_tables({"session_id": ["a"], "rank": [1, 2]}), DataError, "read as a table"),
        (lambda: from_tables(RESULTS, max_grades=3), UsageError, "did you mean 'max_grade'"),
        (lambda: from_tables({**RESULTS, "__x": [1, 2]}), DataError, "two underscores"),
        (lambda: from_tables({**RESULTS, "o": [object(), object()]}), DataError, "'o' holds Python objects"),
        (lambda: read({"result": RESULTS}), UsageError, "did you mean 'results'"),
        (lambda: read({"results": RESULTS}, judgments="x"), UsageError, "judgments only as"),
    ],
)
def test_frames_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_bytes_in_rejected_rows_are_shown():
    frame = pl.DataFrame(
        {**RESULTS, "rank": [1, None], "raw": [b"a", b"\xff"], "deep": [{"b": [b"x"]}, {"b": [b"\xfe"]}]}
    )
    with pytest.warns(DataWarning):
        study = from_tables(frame)
    assert study.rejected.collect()["raw"][0].endswith('"raw":"ff","deep":{"b":["fe"]}}')


def test_a_column_without_a_name_is_named_by_its_number():
    """As in a file; a Data Package has no field without a name. A column that has this name already keeps it."""
    study = from_tables({**RESULTS, "": [1, 2], " ": [3, 4], f"column_{len(RESULTS) + 1}": [5, 6]})
    named = study.results.select(pl.col("^column_.*$")).collect()
    first, second = f"column_{len(RESULTS) + 1}", f"column_{len(RESULTS) + 2}"
    assert named.to_dict(as_series=False) == {f"{first}_": [1, 2], second: [3, 4], first: [5, 6]}


def test_the_frames_given_are_not_changed():
    frame = pl.DataFrame(RESULTS)
    from_tables(frame)
    assert_frame_equal(frame, pl.DataFrame(RESULTS))


def test_columns_may_be_called_as_elsewhere_and_a_note_says_which():
    """Where ours is there, theirs stays what it was: an additional column."""
    results = {
        "session_id": "a",
        "query_position": [1, 1],
        "rank": [1, 2],
        "docid": [5, 6],
        "docno": ["x", "y"],
        "qid": 7,
    }
    study = from_tables({**results, "topic_id": ["t", "t"]}, {"judgment_key": ["t"], "docno": ["y"], "label": [2]})
    assert study.results.collect().rows() == [("a", 1, 1, "x", 5), ("a", 1, 2, "y", 6)]
    assert study.queries.collect()["query_id"].to_list() == ["7"]
    assert study.judgments.collect().rows() == [("t", "y", 2.0)]
    assert [re.findall("(\\w+) is ('\\w+')", note) for note in study.notes[:2]] == [
        [("query_id", "'qid'"), ("doc_id", "'docno'")],
        [("doc_id", "'docno'"), ("grade", "'label'")],
    ]
    assert [note.split()[0] for note in study.notes[:2]] == ["results", "judgments"]
    ours = from_tables({**RESULTS, "docno": [1, 2]}, {**JUDGMENTS, "label": [9]})
    assert ours.results.collect().columns == ["session_id", "query_position", "rank", "doc_id", "docno"]
    assert ours.judgments.collect()["grade"].to_list() == [2]


@pytest.mark.parametrize("of_queries", [False, True])
def test_judgments_by_query_id_are_those_of_queries(of_queries):
    """As PyTerrier and ir_datasets have them; unless the ids are those of topics."""
    keys = {"session_id": ["s", "s"], "query_position": [1, 2], "qid": ["s1", "s2"]}
    results = {"session_id": ["s", "s"], "query_position": [1, 2], "rank": 1, "docno": ["x", "x"]}
    qrels = pd.DataFrame({"qid": ["s1", "s2"], "docno": ["x", "x"], "relevance": [1, 0]})
    given = {"queries": keys} if of_queries else {}
    study = from_tables(results if of_queries else {**results, "qid": ["s1", "s2"]}, qrels, **given)
    assert study.queries.collect()["judgment_key"].to_list() == ["s1", "s2"]
    assert any(re.match("judgments: .*keys .*query ids", note) for note in study.notes)
    topics = from_tables({**results, "qid": ["s1", "s2"], "topic_id": ["t", "t"]}, qrels.assign(qid="t").head(1))
    assert "judgment_key" not in topics.queries.collect().columns
    assert topics.sessions.collect()["judgment_key"].to_list() == ["t"]
    by_topic = from_tables({**results, "topic_id": ["t", "t"]}, {"topic_id": ["t"], "doc_id": ["x"], "grade": [1]})
    assert by_topic.judgments.collect().rows() == [("t", "x", 1.0)]
