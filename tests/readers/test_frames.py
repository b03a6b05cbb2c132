"""Tables in memory: whatever has an interface, the same study."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers import from_tables
from sessionkit.readers.read import read

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
        (lambda: from_tables(3), DataError, "results: a int is not a table"),
        (
            lambda: from_tables({"session_id": ["a"]}),
            DataError,
            "no columns query_position, rank, doc_id; found session_id",
        ),
        (lambda: from_tables({"session_id": ["a"], "rank": [1, 2]}), DataError, "cannot be read as a table"),
        (lambda: from_tables(RESULTS, max_grades=3), UsageError, "did you mean 'max_grade'"),
        (lambda: from_tables({**RESULTS, "__x": [1, 2]}), DataError, "two underscores"),
        (lambda: from_tables({**RESULTS, "o": [object(), object()]}), DataError, "'o' holds Python objects"),
        (lambda: read({"result": RESULTS}), UsageError, "did you mean 'results'"),
        (lambda: read({"results": RESULTS}, judgments="x"), UsageError, "judgments only as the frame"),
    ],
)
def test_refusals(call, error, words):
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
    assert study.notes[:2] == (
        "results frame: query_id is 'qid', doc_id is 'docno'",
        "judgments frame: doc_id is 'docno', grade is 'label'",
    )
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
    assert "judgments: their keys are the query ids of the log" in study.notes
    topics = from_tables({**results, "qid": ["s1", "s2"], "topic_id": ["t", "t"]}, qrels.assign(qid="t").head(1))
    assert "judgment_key" not in topics.queries.collect().columns
    assert topics.sessions.collect()["judgment_key"].to_list() == ["t"]
    by_topic = from_tables({**results, "topic_id": ["t", "t"]}, {"topic_id": ["t"], "doc_id": ["x"], "grade": [1]})
    assert by_topic.judgments.collect().rows() == [("t", "x", 1.0)]
