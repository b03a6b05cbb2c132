"""Gaps in query positions: the session stays, nothing is renumbered, what is missing is taken as it was said and counted."""

import math
import random

import polars as pl
import pytest
from frictionless import Package

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from tests.support.messages import match_parts, messages_with

RESULTS = "session_id,query_position,rank,doc_id\n"
LISTS = {
    "session_id": ["s"] * 3,
    "query_position": [1, 1, 3],
    "rank": [1, 2, 1],
    "doc_id": ["a", "z", "b"],
    "topic_id": "t",
}
JUDGED = {"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [1, 1]}
GAPPED = RESULTS + "a,1,1,x\na,4,1,x\nb,2,1,x\nc,1,1,x\nc,2,1,x\n"
WARNED = (
    "queries: 3 positions missing in 2 sessions (first: session 'a'); their lists are taken as not logged; if they returned nothing, "
    'set missing_positions = "empty" in study.toml (--missing-positions)'
)


def statuses(study):
    """Return session, position and status of every query."""
    return study.queries.collect().select("session_id", "query_position", "results_status").rows()


def rejected(study):
    """Return record and rule of all that was rejected."""
    return study.rejected.collect().select("record", "rule").rows()


def test_a_session_with_gaps_stays_and_the_missing_are_counted(write):
    with pytest.warns(DataWarning) as told:
        study = sk.read(write("log.csv", GAPPED))
    assert statuses(study) == [
        ("a", 1, "shown"),
        ("a", 2, "not_logged"),
        ("a", 3, "not_logged"),
        ("a", 4, "shown"),
        ("b", 1, "not_logged"),
        ("b", 2, "shown"),
        ("c", 1, "shown"),
        ("c", 2, "shown"),
    ]
    assert rejected(study) == []
    assert str(told[0].message) == WARNED
    assert WARNED in sk.check(study)["notes"]["note"].to_list()
    assert study.facts.not_logged == 3
    assert sk.describe(study).lists.select("queries", "shown", "not_logged").row(0) == (8, 5, 3)


@pytest.mark.parametrize("said", ["toml", "call", "frames", "from_tables"])
def test_empty_where_that_is_said(write, recwarn, said):
    path = write("log.csv", GAPPED)
    frame = pl.read_csv(path)
    study = {
        "toml": lambda: sk.read(write("study.toml", 'path = "log.csv"\nmissing_positions = "empty"\n')),
        "call": lambda: sk.read(path, missing_positions="empty"),
        "frames": lambda: sk.read({"results": frame}, missing_positions="empty"),
        "from_tables": lambda: sk.from_tables(frame, missing_positions="empty"),
    }[said]()
    assert [status for _, _, status in statuses(study)] == ["shown", *["empty"] * 2, "shown", "empty", *["shown"] * 3]
    assert messages_with(study.notes, "queries: 3 positions missing", "2 sessions", "session 'a'", "as empty")
    (share,) = [str(one.message) for one in recwarn.list]  # that of all queries is said whatever was declared
    assert messages_with([share], "queries: 3 of 8 (37.5%)", "3 returned nothing", "value 0")
    assert study.settings.missing_positions == "empty"


def test_the_call_goes_before_study_toml(write, quiet_read):
    write("log.csv", GAPPED)
    path = write("study.toml", 'path = "log.csv"\nmissing_positions = "empty"\n')
    assert quiet_read(path, missing_positions="not_logged").facts.not_logged == 3


def test_other_values_are_refused(write):
    path = write("log.csv", GAPPED)
    with pytest.raises(
        UsageError, match=match_parts("missing_positions is 'emty'", "mean 'empty'", "empty or not_logged")
    ):
        sk.read(path, missing_positions="emty")
    with pytest.raises(DataError, match="missing_positions = 'none'"):
        sk.read(write("study.toml", 'path = "log.csv"\nmissing_positions = "none"\n'))
    with pytest.raises(DataError, match=match_parts("missing_positions is 'none'", "empty, not_logged")):
        sk.from_tables(LISTS, missing_positions="none")
    study = sk.from_tables(LISTS, missing_positions="empty").save(path.parent / "study")
    with pytest.raises(UsageError, match="missing_positions are for logs"):
        sk.read(study.path, missing_positions="empty")


@pytest.mark.parametrize("status", ["empty", "not_logged"])
def test_the_third_query_is_discounted_as_the_third(status):
    study = sk.from_tables(LISTS, JUDGED, missing_positions=status)
    value = lambda measure: sk.score(study, measure, per="session")["value"].item()  # noqa: E731
    # the documents are at rank 1 of queries 1 and 3: 1 / 1 + 1 / (1 + log4 3), not 1 + 1 / (1 + log4 2) = 1.667
    third = 1 / (1 + math.log(3, 4))
    assert value("sDCG@10") == pytest.approx(1 + third)
    # an empty list counts as a query with nothing gained, one that was not logged is outside; ideal: a, b at ranks 1 and 2
    each = 1 / (1 + 1 / math.log2(3))
    assert value("mean(nDCG@10)") == pytest.approx(2 * each / (3 if status == "empty" else 2))


def test_the_last_query_is_the_last_whatever_is_missing_before_it():
    for status, others in (("empty", [1, 0]), ("not_logged", [1])):
        parts = sk.breakdown(sk.from_tables(LISTS, JUDGED, missing_positions=status), "DCG@10").filter(rank=10)
        assert dict(parts.select("part", "value").rows()) == {"last": 1, "non-last": sum(others) / len(others)}


def test_the_curve_stays_level_where_an_empty_list_is():
    study = sk.from_tables(LISTS, JUDGED, missing_positions="empty")
    curve = sk.curve(study, "sDCG@10").filter(rank=10).sort("query_position")
    assert curve["value"].to_list() == pytest.approx([1, 1, 1 + 1 / (1 + math.log(3, 4))])


@pytest.mark.few(1)
@pytest.mark.parametrize("position", [102, 10**9, 1_700_000_000])
def test_a_position_out_of_reach_is_rejected_with_all_after_it(write, quiet_read, position):
    """One position is there, 100 may be missing: 101 less 1 of them are up to 101, one more up to 102."""
    rows = f"a,1,1,x\na,{position},1,y\na,{position + 1},1,z\nb,101,1,x\n"
    study = quiet_read(write("log.csv", RESULTS + rows), missing_positions="empty")
    far = [] if position == 102 else [(2, "query_position_is_within_reach"), (3, "query_position_is_within_reach")]
    assert rejected(study) == far
    assert study.facts.queries == (103 if position == 102 else 1) + 101


def test_a_long_session_may_lack_as_many_positions_as_it_has(write, quiet_read):
    """201 positions are there; up to the k-th max(100, k) may be missing, so the last may be at 402 and not at 403."""
    for last, fine in ((402, True), (403, False)):
        rows = [*range(1, 201), last]
        study = quiet_read(write("log.csv", RESULTS + "".join(f"a,{place},1,x\n" for place in rows)))
        assert rejected(study) == ([] if fine else [(201, "query_position_is_within_reach")])
        assert study.facts.queries == (402 if fine else 200)


def test_positions_below_1_and_missing_ones_are_rejected_as_before(write, quiet_read):
    write("log.csv", RESULTS + "a,1,1,x\na,-2,1,x\na,,1,x\nb,0,1,x\n")
    study = quiet_read(write("study.toml", '[results]\npath = "log.csv"\nbase = 1\n'))
    assert rejected(study) == [
        (2, "query_position_is_at_least_1"),
        (3, "query_position_is_given"),
        (4, "query_position_is_at_least_1"),
    ]
    assert statuses(study) == [("a", 1, "shown")]


def test_a_position_whose_rows_were_all_rejected_is_not_missing(write, quiet_read):
    rows = "a,1,1,x\na,2,one,x\na,4,1,x\n"
    study = quiet_read(write("log.csv", RESULTS + rows), missing_positions="empty")
    assert [status for _, _, status in statuses(study)] == ["shown", "not_logged", "empty", "shown"]
    assert messages_with(study.notes, "queries: 1 query", "row or click rejected", "not logged")
    assert messages_with(study.notes, "queries: 1 position missing", "1 session", "session 'a'", "as empty")


@pytest.mark.parametrize("bad", ["two", "0.5", "-1", "1700000000"])
def test_no_list_is_called_empty_that_a_rejected_record_may_be_of(write, quiet_read, bad):
    """Of session a a record is rejected that may be of its missing query; of session b none is."""
    write("log.csv", RESULTS + f"a,1,1,x\na,{bad},1,x\na,3,1,x\nb,1,1,x\nb,3,1,x\n")
    toml = '[results]\npath = "log.csv"\nbase = 1\n'
    study = quiet_read(write("study.toml", toml), missing_positions="empty")
    assert [row for row in statuses(study) if row[1] == 2] == [("a", 2, "not_logged"), ("b", 2, "empty")]
    said = "rejected records may belong to 1 of them, assumed not logged"
    assert any(note.endswith(said) for note in study.notes)


@pytest.mark.parametrize("given", [2, 5])
def test_nor_one_that_results_without_their_query_are_of(write, quiet_read, given):
    write("queries.csv", "session_id,query_position\na,1\na,3\n")
    write("results.csv", RESULTS + f"a,1,1,x\na,{given},1,y\na,3,1,z\n")
    toml = '[queries]\npath = "queries.csv"\n[results]\npath = "results.csv"\n'
    study = quiet_read(write("study.toml", toml), missing_positions="empty")
    assert rejected(study) == [(2, "query_is_known")]
    assert statuses(study) == [("a", 1, "shown"), ("a", 2, "not_logged"), ("a", 3, "shown")]


def test_a_table_of_queries_keeps_what_it_says_and_rejected_queries_keep_their_places(write, quiet_read):
    write(
        "queries.csv",
        "session_id,query_position,elapsed_seconds,results_status\na,1,0,shown\na,3,x,shown\na,5,9,not_logged\n",
    )
    write("results.csv", RESULTS + "a,1,1,x\n")
    toml = '[queries]\npath = "queries.csv"\n[results]\npath = "results.csv"\n'
    study = quiet_read(write("study.toml", toml), missing_positions="empty")
    assert [(place, status) for _, place, status in statuses(study) if place != 3] == [
        (1, "shown"),
        (2, "empty"),
        (4, "empty"),
        (5, "not_logged"),
    ]
    assert study.facts.queries == 5


def test_positions_that_run_on_through_the_log_are_asked_about(write):
    log = RESULTS + "".join(f"s{at // 3},{at + 1},1,x\n" for at in range(15))
    with pytest.warns(
        DataWarning, match=match_parts("4 of the sessions", "above 1", "from session to session", "number")
    ):
        sk.read(write("log.csv", log))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_the_same_in_parts(write, in_batches, quiet_read, same_study, kind):
    chance = random.Random(1)  # noqa: S311
    rows = [
        (f"s{session:02}", chance.choice([*range(1, 9), 500, 10**9]), rank)
        for session in range(30)
        for rank in range(chance.randint(1, 4))
    ]
    if kind == "csv":
        text = RESULTS + "".join(f"{session},{place},{rank + 1},d\n" for session, place, rank in rows)
    else:
        keys = '{{"session_id":"{}","query_position":{},"rank":{},"doc_id":"d"}}\n'
        text = "".join(keys.format(session, place, rank + 1) for session, place, rank in rows)
    path = write(f"log.{kind}", text)
    whole = quiet_read(path)
    assert any("positions missing in" in note for note in whole.notes)
    in_batches()
    same_study(quiet_read(path), whole)


def test_a_study_on_disk_has_every_position(tmp_path):
    saved = sk.from_tables(LISTS, JUDGED, missing_positions="empty").save(tmp_path / "study")
    opened = sk.open_study(saved.path)
    ordinal = pl.int_range(1, pl.len() + 1).over("session_id")
    assert opened.queries.select((pl.col("query_position") == ordinal).all()).collect().item()
    assert opened.settings.missing_positions == "empty"
    assert (
        sk.score(opened, "sDCG@10", per="session")["value"].to_list()
        == sk.score(saved, "sDCG@10", per="session")["value"].to_list()
    )
    assert Package(str(saved.path / "datapackage.json")).resource_names


@pytest.mark.few(3)
@pytest.mark.parametrize("given", ["results", "queries", "sessions"])
@pytest.mark.parametrize("memory", [None, "64MB"])
def test_a_session_beyond_reach_stays_without_queries_and_is_named(write, in_batches, given, memory):
    """149 are missing before 150, and no more than 100 may be; what is left of b has no query, and no score."""
    if memory:
        in_batches()
    log = write("results.csv", RESULTS + "a,1,1,x\nb,150,1,x\nb,151,1,x\n")
    more = {
        "queries": "session_id,query_position\na,1\nb,150\nb,151\n",
        "sessions": "session_id,topic_id\na,t\nb,t\n",
    }
    if given in more:
        write(f"{given}.csv", more[given])
        log = write("study.toml", f'[results]\npath = "results.csv"\n[{given}]\npath = "{given}.csv"\n')
    with pytest.warns(DataWarning) as told:
        study = sk.read(log, memory=memory) if memory else sk.read(log)
    assert study.sessions.collect()["session_id"].to_list() == ["a", "b"]
    assert statuses(study) == [("a", 1, "shown")]
    assert {rule for _, rule in rejected(study)} <= {"query_position_is_within_reach", "query_is_accepted"}
    said = (
        "sessions: 1 session with every query position out of range (first: session 'b'); the records are rejected, the session stays "
        "without queries; if positions continue from session to session, number queries from 1 in each"
    )
    assert said in [str(one.message) for one in told]
    assert sum(source.rejected for source in study.sources) == (4 if given == "queries" else 2)


def test_sessions_whose_positions_run_on_are_all_there():
    positions = list(range(1, 301))
    rows = {
        "session_id": [f"s{(p - 1) // 60}" for p in positions],
        "query_position": positions,
        "rank": 1,
        "doc_id": "a",
    }
    with pytest.warns(DataWarning) as told:
        study = sk.from_tables(pl.DataFrame(rows))
    texts = [warning.message for warning in told]
    assert messages_with(texts, "sessions: 3 sessions", "out of range", "session 's2'")
    assert study.sessions.collect()["session_id"].to_list() == ["s0", "s1", "s2", "s3", "s4"]
    assert study.facts.queries == 60 + 120  # those of s0; those of s1 and the 60 missing before them


def test_from_tables_is_told_how_it_takes_the_setting():
    with pytest.warns(DataWarning, match=match_parts("returned nothing", 'missing_positions="empty"', "from_tables")):
        sk.from_tables(LISTS)
