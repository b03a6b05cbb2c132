"""Judgments beside a log: of texts, of topics, of both; files that are no judgments.

Judgments of several locales under one key.
"""

import tomllib
import warnings

import polars as pl
import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import JUDGMENTS
from sessionkit.readers.judgments.files import locale_warnings
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD
from tests.support.messages import match_parts, messages_with

LOG = "session_id,query_position,rank,doc_id,query_text,topic_id\ns,1,1,A,lamp,t1\n"
OF_TEXTS, OF_TOPICS = "query,docid,rating\nlamp,A,3\n", "t1 0 A 1\n"
RUN = "ACTION QUERY 1200 10 lamp\nACTION SERP 1200 15 EXAMINE_SERP\nACTION SNIPPET 1200 18 SNIPPET_RELEVANT A\n"


@pytest.fixture
def told(write):
    """Read a log with these judgments; return the warnings that speak of texts and topics."""

    def told(*judgments, log=("log.csv", LOG), config=None):
        paths = [write(name, text) for name, text in judgments]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", DataWarning)
            study = read(write(*log), judgments=paths, config=config and tomllib.loads(config))
        about = [str(one.message) for one in said if "texts of queries" in str(one.message)]
        assert set(about) <= set(study.notes)
        return about

    return told


@pytest.mark.parametrize("log", [("log.csv", LOG), ("run.log", RUN)])
def test_texts_and_topics_together_are_warned_of(told, log):
    (said,) = told(("texts.csv", OF_TEXTS), ("topics.txt", OF_TOPICS), log=log)
    assert messages_with(
        [said], "judgments", "texts of queries", "in texts.csv", "topics in topics.txt", "topics.txt serves only"
    )


def test_judgments_of_one_kind_are_not(told):
    assert told(("texts.csv", OF_TEXTS), ("more.csv", OF_TEXTS)) == []
    assert told(("topics.txt", OF_TOPICS), ("more.txt", OF_TOPICS)) == []


def test_those_of_study_toml_count_as_well(told, write):
    write("own.csv", "term,sku,stars\nlamp,A,2\n")
    own = '[judgments]\npath = "own.csv"\ncolumns = { judgment_key = "term", doc_id = "sku", grade = "stars" }\n'
    assert len(told(("topics.txt", OF_TOPICS), config=f'{own}keys = "query text"\n')) == 1
    assert len(told(("texts.csv", OF_TEXTS), config=f'{own}keys = "topic"\n')) == 1
    assert told(("texts.csv", OF_TEXTS), config=f'{own}keys = "query text"\n') == []


def test_a_log_given_as_judgments_is_called_one(write):
    with pytest.raises(DataError, match=match_parts("run.log", "not a file of judgments", "a log (simiir)")):
        read(write("log.csv", LOG), judgments=write("run.log", RUN))
    with pytest.raises(DataError, match=match_parts("run.txt", "not a file of judgments", "a log (trec_run)")):
        read(write("log.csv", LOG), judgments=write("run.txt", "t1 Q0 A 1 2.5 bm25\n"))


def test_nothing_is_not_compared_with_formats(write):
    with pytest.raises(DataError, match=r"^none\.txt .*empty; .*header line$"):
        read(write("log.csv", LOG), judgments=write("none.txt", ""))


@pytest.mark.parametrize("name", sorted({name for name, entry in JUDGMENTS.items() if not entry.parquet} - {"qrels"}))
def test_formats_that_are_no_tables_say_so_of_parquet(write, name):
    path = write("j.parquet", "")
    pl.DataFrame({"query": ["lamp"], "docid": ["A"], "rating": [1]}).write_parquet(path)
    own = {"path": "j.parquet", "format": name}
    said = f"j.parquet is Parquet, which format {name} does not read; formats that do: tables, graded and graded_topics"
    with pytest.raises(DataError, match=said):
        read(write("log.csv", LOG), config={"judgments": own})


def judgments(**columns):
    many = len(next(iter(columns.values())))
    frame = pl.LazyFrame({RECORD: range(1, many + 1), "doc_id": ["A"] * many, **columns})
    return Raw("judgments", "j.csv", frame, many, no_way_back)


def test_keys_of_one_locale_each_are_nothing_to_speak_of():
    assert locale_warnings([judgments(judgment_key=["a", "b"], locale=["us", "es"])]) == ()
    assert locale_warnings([judgments(judgment_key=["a", "a"], locale=["us", None])]) == ()
    assert locale_warnings([judgments(judgment_key=["a", "a"])]) == ()
    assert locale_warnings([judgments(other=["a", "a"], locale=["us", "es"])]) == ()


def test_keys_of_several_are_counted_with_the_first():
    (said,) = locale_warnings(
        [judgments(judgment_key=["b", "b", "a", "a", "c"], locale=["us", "es", "us", "es", "us"])]
    )
    assert messages_with([said], "j.csv: 2 keys", "several values of locale", "first: 'a'")
