"""What Spark's own tables must be, and what is said where they are not."""

import pytest

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.spark import engine
from tests.spark.logs import assert_same, frames_of, tables

FEW = ["sDCG@3", "nsDCG@3"]
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")]


@pytest.mark.slow
def test_columns_are_found_by_name_whatever_their_order_and_width(spark):
    """Long and decimal positions, whole doubles, numbers as ids, columns turned round and others between them."""
    study = sk.from_tables(
        sessions={"session_id": ["10", "9"], "topic_id": ["1", "2"], "system_id": ["A", "B"]},
        queries={"session_id": ["10", "10", "9"], "query_position": [1, 2, 1]},
        results={
            "session_id": ["10", "10", "9"],
            "query_position": [1, 2, 1],
            "rank": [1, 2, 3],
            "doc_id": ["7", "8", "7"],
        },
        judgments={"judgment_key": ["1", "1", "2"], "doc_id": ["7", "8", "7"], "grade": [1, 2, 1]},
    )
    asked = ["sDCG@3", "nsDCG@3"]
    frames = {
        "sessions": spark.sql(
            "select 'B' system_id, 2 topic_id, true `Odd name.`, 9L session_id union all select 'A', 1, true, 10L"
        ),
        "queries": spark.sql("select * from values (1L, 10), (2L, 10), (1L, 9) as q(query_position, session_id)"),
        "results": spark.sql(
            "select * from values (7, 1, 1.0, cast(1 as decimal(5,0)), 10), (8, 9, 2.0, 2, 10), (7, 9, 3.0, 1, 9) "
            "as r(doc_id, query, rank, query_position, session_id)"
        ).selectExpr("doc_id", "query", "cast(rank as double) rank", "query_position", "session_id"),
        "judgments": spark.sql(
            "select * from values (1, 1, '7'), (2, 1, '8'), (1, 2, '7') as j(grade, judgment_key, doc_id)"
        ),
    }
    assert_same(engine.score(frames, asked, per="session"), sk.score(study, asked, per="session"))
    assert_same(engine.score(frames, asked, broadcast_limit=0, per="session"), sk.score(study, asked, per="session"))
    for name, frame in frames.items():
        frame.createOrReplaceTempView(f"of_{name}")
    assert_same(
        engine.score({name: f"of_{name}" for name in frames}, asked, spark=spark, per="session"),
        sk.score(study, asked, per="session"),
    )


def test_an_order_that_spark_does_not_keep_is_not_made_up(spark):
    frames = frames_of(spark, tables(3))
    with pytest.raises(UsageError, match="merge=first depends on"):
        engine.score(frames, FEW, settings={"merge": "first"}, per="session")


ONE = {
    "sessions": "select 's' session_id, 't' topic_id",
    "queries": "select 's' session_id, 1 query_position",
    "results": "select 's' session_id, 1 query_position, 1 rank, 'd' doc_id",
    "judgments": "select 't' judgment_key, 'd' doc_id, 1.0 grade",
}
ONCE_MORE = f"{ONE['results']} union all select 's', 1, 2, 'e' union all "
WRONG = {
    "results .*'rank'; .*'rang'": {"results": "select 's' session_id, 1 query_position, 1 rang, 'd' doc_id"},
    "results has 2 columns named 'rank'": {"results": f"{ONE['results'].replace('rank', 'rank, 2 rank')}"},
    "results.rank is string but .*integer": {"results": ONE["results"].replace("1 rank", "'1' rank")},
    "sessions.session_id is double .*string": {"sessions": "select 1.5D session_id, 't' topic_id"},
    "queries: a row has no session_id": {"queries": f"{ONE['queries']} union all select null, 1"},
    "results: doc_id is missing, .*'s'": {"results": f"{ONCE_MORE} select 's', 1, 3, null"},
    "results.rank is not .*'s'": {"results": ONE["results"].replace("1 rank", "1.5D rank")},
    "results.rank is 3000000000, which Int32": {"results": ONE["results"].replace("1 rank", "3000000000L rank")},
    "rank_is_at_least_1 .*'0'": {"results": ONE["results"].replace("1 rank", "0 rank")},
    "results_status_is_a_known_value": {"queries": f"{ONE['queries']}, 'seen' results_status"},
    "session_id 's', query_position 1, rank 1": {"results": f"{ONCE_MORE} {ONE['results']}"},
    "sessions .*two .*session_id 's'": {"sessions": f"{ONE['sessions']} union all {ONE['sessions']}"},
    "query_position 3 comes after a gap": {"queries": f"{ONE['queries']} union all select 's', 3"},
    "'lost' has rows .*in sessions": {"queries": f"{ONE['queries']} union all select 'lost', 1"},
    "grade is nan, .*finite number": {"judgments": "select 't' judgment_key, 'd' doc_id, double('NaN') grade"},
    "no judgments among the tables": {"judgments": None},
}


@pytest.mark.few(3)
@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_with_a_table_is_said_in_a_line(spark, message):
    frames = {name: spark.sql(text) for name, text in (ONE | WRONG[message]).items() if text}
    with pytest.raises(DataError, match=message.replace("(", r"\(")) as raised:
        engine.score(frames, ["sDCG@3"], per="session")
    assert "Traceback" not in str(raised.value)
    assert len(str(raised.value)) < 250
    assert raised.value.__cause__ is None


def test_two_rows_of_a_user_are_refused(spark):
    frames = {name: spark.sql(text) for name, text in ONE.items()}
    frames["sessions"] = spark.sql("select 's' session_id, 't' topic_id, 'u' user_id")
    frames["users"] = spark.sql("select 'u' user_id, 3 age union all select 'u', 4")
    with pytest.raises(DataError, match=r"users has 2 rows .*user_id 'u'"):
        engine.score(frames, ["sDCG@3"], by="age")


def test_requests_that_make_no_sense(spark, saved, tmp_path):
    frames = {name: spark.sql(text) for name, text in ONE.items()}
    for tables_, options, message in [
        (saved, {"settings": {"max_grade": 3}}, "its own settings"),
        (saved, {"master": "local[7]"}, "Spark session on local"),
        (saved, {"by": "sistem"}, "no such column"),
        (sk.from_tables(**tables(2)), {}, "memory of this process"),
        (saved.with_tables(results=saved.results.head(3)), {}, "a change made to it"),
        (frames | {"session": frames["sessions"]}, {}, "did you mean 'sessions'"),
        (frames | {"users": 3}, {}, "users is a int"),
        (frames, {"settings": {"max_grades": 3}}, "did you mean 'max_grade'"),
    ]:
        with pytest.raises(UsageError, match=message):
            engine.score(tables_, ["sDCG@3"], **{"spark": spark} | options)
    with pytest.raises(DataError, match="does not exist"):
        engine.score(tmp_path / "none", ["sDCG@3"], spark=spark, per="session")
