"""Sessions of tables cut at pauses: parts, positions, what goes with a query, and what is said of it.

Queries merged by stated rules, each counted, each to be turned off.

Queries that have numbers and lists merged: nothing is lost, positions stay dense, each that goes is counted.

Sessions by inactivity, held against a plain restatement.
"""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.events.sessions import (
    ROWS_GONE,
    RULES,
    SAID,
    TYPED_WITHIN,
    merge_queries,
    merged_tables,
    seconds,
    with_positions,
    with_sessions,
)
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD, RULE
from tests.support.examples import examples
from tests.support.messages import match_parts, messages_with

QUERIES = """user,n,text,at
u1,1,otter,2026-03-02 10:00
u1,2,otters,2026-03-02 10:30
u1,3,beaver,2026-03-02 11:01
u1,4,beavers,
u1,5,swan,2026-03-04 12:00
u2,1,swan,2026-03-04 12:00
"""
RESULTS = """user,n,rank,doc,clicks
u1,1,1,d1,0
u1,1,2,d2,1
u1,3,1,d3,1
u1,4,1,d4,2
u1,5,1,d5,1
u2,1,1,d1,0
u2,x,1,d1,0
"""
SESSIONS = """user,system,began,ended,nth
u1,A,2026-03-02 09:59,2026-03-04 12:10,1
u2,B,2026-03-04 11:59,2026-03-04 12:10,2
u9,B,,,1
"""
STUDY = {
    "format": "tables",
    "cut_sessions": True,
    "timezone": "UTC",
    "queries": {
        "path": "queries.csv",
        "columns": {"session_id": "user", "query_position": "n", "query_text": "text", "issued_at": "at"},
    },
    "results": {"path": "results.csv", "columns": {"session_id": "user", "query_position": "n", "doc_id": "doc"}},
}
OF_SESSIONS = {
    "path": "sessions.csv",
    "columns": {
        "session_id": "user",
        "user_id": "user",
        "judgment_key": "user",
        "system_id": "system",
        "started_at": "began",
        "ended_at": "ended",
        "session_order": "nth",
    },
}


@pytest.fixture
def study(write, quiet_read, tmp_path):
    """Read the tables above with these lines of study.toml beside."""

    def study(**config):
        write("queries.csv", QUERIES), write("results.csv", RESULTS), write("sessions.csv", SESSIONS)
        return quiet_read(_toml(tmp_path, {**STUDY, **config}))

    return study


def _toml(folder, config):
    """Write a study.toml."""
    from sessionkit.readers.propose.proposal import spelled

    path = folder / "study.toml"
    path.write_text("\n".join(f"{key} = {spelled(value)}" for key, value in config.items()))
    return path


def rows(study, table, *columns):
    return getattr(study, table).select(columns).collect().rows()


def test_results_and_clicks_go_with_their_query(study):
    cut = study()
    # pauses: 30 minutes (as long as the gap), 31 minutes, a query without a time, two days
    assert rows(cut, "queries", "session_id", "query_position", "query_text") == [
        ("u1-1", 1, "otter"),
        ("u1-1", 2, "otters"),
        ("u1-2", 1, "beaver"),
        ("u1-2", 2, "beavers"),
        ("u1-3", 1, "swan"),
        ("u2-1", 1, "swan"),
    ]
    assert rows(cut, "results", "session_id", "query_position", "doc_id", "clicks") == [
        ("u1-1", 1, "d1", 0),
        ("u1-1", 1, "d2", 1),
        ("u1-2", 1, "d3", 1),
        ("u1-2", 2, "d4", 2),
        ("u1-3", 1, "d5", 1),
        ("u2-1", 1, "d1", 0),
    ]
    assert rows(cut, "rejected", "line", "rule", "value") == [(8, "query_position_is_an_integer", "x")]
    assert messages_with(cut.notes[:1], "30m of inactivity", "1 of 2 sessions", "'u1' in 3 ('u1-1', ...)")


def test_what_a_session_says_stands_in_its_parts(study):
    cut = study(sessions=OF_SESSIONS)
    columns = ("session_id", "user_id", "judgment_key", "system_id", "session_order")
    assert rows(cut, "sessions", *columns) == [
        ("u1-1", "u1", "u1", "A", None),
        ("u1-2", "u1", "u1", "A", None),
        ("u1-3", "u1", "u1", "A", None),
        ("u2-1", "u2", "u2", "B", 2),
        ("u9-1", "u9", "u9", "B", 1),
    ]
    began, ended = datetime(2026, 3, 2, 9, 59, tzinfo=UTC), datetime(2026, 3, 4, 12, 10, tzinfo=UTC)
    assert rows(cut, "sessions", "started_at", "ended_at")[:3] == [(began, None), (None, None), (None, ended)]
    (source,) = (source for source in cut.sources if source.table == "sessions")
    assert (source.kind, source.records, source.rows) == ("parts of sessions", 5, 5)


def test_clicks_of_their_own_table_go_with_their_query(study, write):
    write("clicks.csv", "user,n,doc\nu1,3,d3\nu1,3,d3\nu1,4,d9\nu2,1,d1\n")
    results = {**STUDY["results"], "columns": {**STUDY["results"]["columns"], "clicks_given": "clicks"}}
    clicks = {"path": "clicks.csv", "columns": {"session_id": "user", "query_position": "n", "doc_id": "doc"}}
    cut = study(results=results, clicks=clicks)
    clicked = [row for row in rows(cut, "results", "session_id", "query_position", "doc_id", "clicks") if row[-1]]
    assert clicked == [("u1-2", 1, "d3", 2), ("u2-1", 1, "d1", 1)]
    assert rows(cut, "rejected", "source", "line", "rule") == [
        ("results.csv", 8, "query_position_is_an_integer"),
        ("clicks.csv", 4, "clicked_result_was_shown"),
    ]
    assert rows(cut, "sessions", "session_id") == [("u1-1",), ("u1-2",), ("u1-3",), ("u2-1",)]


@pytest.mark.parametrize(
    ("config", "parts"),
    [
        ({"cut_sessions": False, "session_gap": "1h"}, ("session_gap = '1h'", "no effect")),
        ({"session_gap": "soon"}, ("session gap is 'soon'",)),
        (
            {"queries": {**STUDY["queries"], "columns": {"session_id": "user", "query_position": "n"}}},
            ("cut_sessions needs", "no issued_at"),
        ),
        (
            {"queries": {**STUDY["queries"], "columns": {**STUDY["queries"]["columns"], "issued_at": "text"}}},
            ("no value of issued_at",),
        ),
        (
            {"questionnaires": [{"path": "sessions.csv", "columns": {"session_id": "user"}}]},
            ("sessions.csv by session_id", "cut_sessions"),
        ),
    ],
)
def test_what_cannot_be_cut_is_refused(study, config, parts):
    with pytest.raises((DataError, UsageError), match=match_parts(*parts)):
        study(**config)


def test_the_gap_of_the_command_is_that_of_study_toml(study, quiet_read, tmp_path):
    study()
    longer = quiet_read(tmp_path / "study.toml", session_gap="1h")
    assert rows(longer, "sessions", "session_id") == [("u1-1",), ("u1-2",), ("u2-1",)]
    with pytest.raises(UsageError, match="session_gap = '1h' has no effect"):
        read(tmp_path / "results.csv", config={"results": {"columns": STUDY["results"]["columns"]}}, session_gap="1h")


@st.composite
def sessions(draw):
    """Sessions: the minutes between their queries, and what positions count from."""
    pauses = st.lists(st.integers(0, 60), max_size=5)
    return draw(st.lists(pauses, min_size=1, max_size=4)), draw(st.sampled_from([0, 1]))


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(sessions())
def test_a_flat_log_is_cut_as_if_its_sessions_had_been_named_apart(tmp_path_factory, log):
    pauses, base = log
    whole, apart = [], []
    for number, minutes in enumerate(pauses):
        at, part, place = datetime(2026, 3, 2, 8, tzinfo=UTC), 1, 0
        for nth, pause in enumerate([0, *minutes]):
            at += timedelta(minutes=pause)
            part, place = (part + 1, 1) if pause > 30 else (part, place + 1)
            for rank in (1, 2):
                row = {"rank": rank, "doc_id": f"d{number}{nth}{rank}", "issued_at": at, "clicks": nth % 2}
                whole.append({"session_id": f"s{number}", "query_position": nth + base, **row})
                apart.append({"session_id": f"s{number}-{part}", "query_position": place, **row})
    folder = tmp_path_factory.mktemp("flat")
    pl.DataFrame(whole).sample(fraction=1, shuffle=True, seed=1).write_parquet(folder / "whole.parquet")
    pl.DataFrame(apart).write_parquet(folder / "apart.parquet")
    base_of = {"base": {"query_position": base}}
    cut = read(
        _toml(folder, {"format": "tables", "cut_sessions": True, "results": {"path": "whole.parquet", **base_of}})
    )
    named = read(_toml(folder, {"format": "tables", "results": {"path": "apart.parquet"}}))
    for table in ("sessions", "queries", "results"):
        assert getattr(cut, table).collect().equals(getattr(named, table).collect()), table


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def asked(*rows):
    """Queries given as session, text, seconds, clicks, first and last rank."""
    names = ["session_id", "query_text", "seconds", "clicks", "first_rank", "last_rank"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_row_index("query_id", offset=1)
    return frame.with_columns(issued_at=pl.lit(NOON) + pl.duration(seconds="seconds")).drop("seconds").lazy()


def kept(merged):
    """Which query each went into."""
    return [after for _, after in merged.heads.collect().rows()]


def test_the_same_again_in_one_session_only():
    log = asked(
        ("a", "cat", 0, 0, 1, 10), ("a", " cat", 60, 0, 1, 10), ("a", "dog", 90, 0, 1, 10), ("b", "dog", 95, 0, 1, 9)
    )
    merged = merge_queries(log, "query_id")
    assert kept(merged) == [1, 1, 3, 4]
    assert merged.counts == {"same": 1}
    assert merged.queries.collect()["query_id"].to_list() == [1, 3, 4]
    assert merged.queries.collect().columns == log.collect().columns


def test_pages_go_on_where_the_page_before_ended():
    log = asked(
        ("a", "cat", 0, 0, 1, 10), ("a", "cat", 9, 0, 11, 20), ("a", "cat", 20, 0, 21, 30), ("a", "cat", 30, 0, 1, 10)
    )
    merged = merge_queries(log, "query_id")
    assert kept(merged) == [1, 1, 1, 1]
    assert merged.counts == {"same": 1, "paging": 2}


def test_typing_ends_in_the_last_text_and_takes_repeats_along():
    log = asked(("a", "c", 0, 0, 1, 1), ("a", "ca", 1, 0, 1, 1), ("a", "ca", 2, 0, 1, 1), ("a", "cat", 4, 3, 1, 1))
    merged = merge_queries(log, "query_id")
    assert kept(merged) == [4, 4, 4, 4]
    assert merged.counts == {"same": 1, "typing": 2}
    assert merged.tallies("log.csv") == {
        ("log.csv", SAID["same"]): 1,
        ("log.csv", SAID["typing"]): 2,
    }


@pytest.mark.parametrize(("second", "clicks"), [(TYPED_WITHIN + 1, 0), (1, 1)], ids=["too late", "clicked in between"])
def test_a_longer_query_is_another_one(second, clicks):
    log = asked(("a", "cat", 0, clicks, 1, 1), ("a", "cats", int(second), 0, 1, 1))
    assert kept(merge_queries(log, "query_id")) == [1, 2]


def test_every_rule_can_be_turned_off():
    log = asked(
        ("a", "c", 0, 0, 1, 10), ("a", "cat", 1, 0, 1, 10), ("a", "cat", 2, 0, 11, 20), ("a", "cat", 40, 0, 1, 10)
    )
    assert merge_queries(log, "query_id").counts == {"same": 1, "paging": 1, "typing": 1}
    for off in RULES:
        rules = [rule for rule in RULES if rule != off]
        assert merge_queries(log, "query_id", rules).counts == dict.fromkeys(rules, 1)
    assert kept(merge_queries(log, "query_id", [])) == [1, 2, 3, 4]


def test_texts_that_are_not_there_are_never_the_same():
    log = asked(("a", None, 0, 0, 1, 1), ("a", None, 1, 0, 1, 1), ("a", "", 2, 0, 1, 1), ("a", "", 3, 0, 1, 1))
    assert kept(merge_queries(log, "query_id")) == [1, 2, 3, 4]


def test_seconds_serve_as_well_as_datetimes():
    log = asked(("a", "c", 0, 0, 1, 1), ("a", "cat", 3, 0, 1, 1))
    since = log.with_columns(issued_at=(pl.col("issued_at") - NOON) / timedelta(seconds=1))
    assert kept(merge_queries(since, "query_id")) == [2, 2]


SAME, TYPED = SAID["same"], SAID["typing"]


def asked_of_tables(*rows):
    """Queries given as session, position, text, seconds, status."""
    names = ["session_id", "query_position", "query_text", "elapsed_seconds", "results_status"]
    return pl.DataFrame(rows, schema=names, orient="row").with_row_index(RECORD, offset=1)


def shown(*rows):
    """Results given as session, position, rank, document, clicks, dwell."""
    names = ["session_id", "query_position", "rank", "doc_id", "clicks", "dwell_seconds"]
    types = {"session_id": pl.String, "doc_id": pl.String, "clicks": pl.Int32, "dwell_seconds": pl.Float64}
    types |= {"query_position": pl.Int64, "rank": pl.Int64}
    frame = pl.DataFrame(rows, schema=names, schema_overrides=types, orient="row").with_row_index(RECORD, offset=1)
    return frame.with_columns(clicked=pl.col("clicks") > 0)


def test_clicks_go_onto_the_list_that_is_left_and_rows_where_it_ends():
    queries = asked_of_tables(
        ("a", 1, "cat", 0.0, "shown"),
        ("a", 2, " cat", 9.0, "shown"),
        ("a", 3, "dog", 20.0, "empty"),
        ("b", 1, "dog", 0.0, "shown"),
    )
    results = shown(
        ("a", 1, 1, "x", 1, 5.0),
        ("a", 1, 2, "y", 0, None),
        ("a", 2, 1, "y", 2, 3.0),  # there already, at another rank
        ("a", 2, 2, "w", 1, None),  # at a rank that is taken
        ("a", 2, 3, "z", 0, None),  # further down
        ("b", 1, 1, "x", 0, None),
    )
    made = merged_tables(queries, results, ["same"])
    assert made.queries.select("session_id", "query_position", "query_text").rows() == [
        ("a", 1, "cat"),
        ("a", 2, "dog"),
        ("b", 1, "dog"),
    ]
    assert made.results.drop(RECORD, "session_id").rows() == [
        (1, 1, "x", 1, 5.0, True),
        (1, 2, "y", 2, 3.0, True),
        (1, 3, "z", 0, None, False),
        (1, 1, "x", 0, None, False),
    ]
    assert {words: rows[RECORD].to_list() for words, rows in made.gone.items()} == {SAME: [2], ROWS_GONE: [3, 4]}


def test_a_text_on_its_way_loses_its_list_to_the_next():
    queries = asked_of_tables(
        ("a", 1, "c", 0.0, "shown"), ("a", 2, "cat", 2.0, "shown"), ("a", 3, "cat", 60.0, "shown")
    )
    results = shown(("a", 1, 1, "x", 0, None), ("a", 2, 1, "y", 0, None), ("a", 3, 1, "y", 1, 2.0))
    made = merged_tables(queries, results, ["same", "typing"], pl.col("elapsed_seconds"))
    assert made.queries.select("query_position", "query_text").rows() == [(1, "cat")]
    assert made.results.select("query_position", "doc_id", "clicks").rows() == [(1, "y", 1)]
    assert {words: rows.height for words, rows in made.gone.items()} == {SAME: 1, TYPED: 1, ROWS_GONE: 2}


def test_a_text_sent_again_and_clicked_is_not_on_its_way():
    """The click on the second list is one of the query that is left, between it and the next."""
    queries = asked_of_tables(("a", 1, "ca", 0.0, "shown"), ("a", 2, "ca", 1.0, "shown"), ("a", 3, "cat", 2.0, "shown"))
    results = shown(("a", 1, 1, "x", 0, None), ("a", 2, 1, "x", 1, 3.0), ("a", 3, 1, "y", 0, None))
    made = merged_tables(queries, results, ["same", "typing"], pl.col("elapsed_seconds"))
    assert made.queries["query_text"].to_list() == ["ca", "cat"]
    assert made.results.select("doc_id", "clicks").rows() == [("x", 1), ("y", 0)]
    assert {words: rows[RECORD].to_list() for words, rows in made.gone.items()} == {SAME: [2], ROWS_GONE: [2]}


def test_typing_goes_on_from_when_a_text_was_last_sent():
    queries = asked_of_tables(
        ("a", 1, "ca", 0.0, "shown"), ("a", 2, "ca", 8.0, "shown"), ("a", 3, "cat", 10.0, "empty")
    )
    results = shown(("a", 1, 1, "x", 0, None), ("a", 2, 1, "x", 0, None))
    made = merged_tables(queries, results, ["same", "typing"], pl.col("elapsed_seconds"))
    # the lists of texts on their way go with them, so that the empty one stays empty
    assert made.queries.select("query_position", "query_text", "results_status").rows() == [(1, "cat", "empty")]
    assert made.results.is_empty()
    assert {words: sorted(rows[RECORD]) for words, rows in made.gone.items()} == {
        SAME: [2],
        TYPED: [1],
        ROWS_GONE: [1, 2],
    }


def test_queries_at_one_position_share_no_rows():
    """All but the first will be rejected; no row is there twice."""
    queries = asked_of_tables(
        *(("a", place, text, 0.0, "shown") for place, text in [(1, "x"), (1, "x"), (2, "y"), (3, "y")])
    )
    results = shown(("a", 1, 1, "p", 1, None), ("a", 1, 1, "p", 0, None), ("a", 2, 1, "q", 0, None))
    made = merged_tables(queries, results, ["same"])
    assert made.queries.select(RECORD, "query_position").rows() == [(1, 1), (2, 1), (3, 2)]
    assert made.results[RECORD].to_list() == [1, 2, 3]
    assert {words: rows[RECORD].to_list() for words, rows in made.gone.items()} == {SAME: [4]}


def test_a_query_that_broke_a_rule_keeps_its_place():
    queries = asked_of_tables(
        *(("a", place, text, 0.0, "shown") for place, text in enumerate(["x", "x", "y", "x", "x"], 1))
    )
    queries = queries.with_columns(pl.when(pl.col("query_text") == "y").then(pl.lit("bad")).alias(RULE))
    made = merged_tables(queries, shown(), ["same"])
    assert made.queries.select("query_position", RULE).rows() == [(1, None), (2, "bad"), (3, None)]


@pytest.mark.parametrize(
    ("first", "status"), [("empty", "shown"), ("not_logged", "shown"), ("partly_observed", "partly_observed")]
)
def test_what_is_known_of_the_list(first, status):
    queries = asked_of_tables(("a", 1, "x", 0.0, first), ("a", 2, "x", 1.0, "shown"))
    assert merged_tables(queries, shown(), ["same"]).queries["results_status"].to_list() == [status]


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 2)), max_size=3)),
        max_size=7,
    )
)
def test_nothing_is_lost(log):
    queries = asked_of_tables(*(("s", place, text, 0.0, "shown") for place, (text, _) in enumerate(log, 1)))
    queries = queries.cast({"query_position": pl.Int64, "query_text": pl.String, "session_id": pl.String})
    lists = [
        ("s", place, rank, doc, clicks, None)
        for place, (_, rows) in enumerate(log, 1)
        for rank, (doc, clicks) in enumerate(rows, 1)
    ]
    results = shown(*lists)
    made = merged_tables(queries, results, ["same"])
    texts = [text for text, _ in log]
    left = [text for place, text in enumerate(texts) if place == 0 or texts[place - 1] != text]
    assert made.queries["query_text"].to_list() == left
    assert made.queries["query_position"].to_list() == list(range(1, len(left) + 1))
    gone = {words: rows.height for words, rows in made.gone.items()}
    assert gone.get(SAME, 0) == len(texts) - len(left)
    assert made.results.height + gone.get(ROWS_GONE, 0) == len(lists)
    heads = [place for place in range(len(texts)) if place == 0 or texts[place - 1] != texts[place]]
    for number, head in enumerate(heads, 1):
        rows = made.results.filter(pl.col("query_position") == number)
        own = [doc for doc, _ in log[head][1]]
        assert rows["doc_id"].to_list()[: len(own)] == own  # the list of the first, and what comes after it
        assert rows["rank"].is_unique().all()


EVENTS = st.lists(st.tuples(st.sampled_from("uvw"), st.integers(0, 40)), max_size=30)


def restated(events, gap):
    """The session of each event, by its place in the list: a new one where the pause is longer than the gap."""
    sessions, last, number = {}, {}, {}
    for place in sorted(range(len(events)), key=lambda place: (*events[place], place)):
        user, time = events[place]
        if user not in last or time - last[user] > gap:
            number[user] = number.get(user, 0) + 1
        last[user] = time
        sessions[place] = f"{user}-{number[user]}"
    return sessions


@given(EVENTS, st.integers(1, 12))
def test_as_restated_in_seconds_and_in_time(events, gap):
    frame = pl.DataFrame(events, schema={"user_id": pl.String, "issued_at": pl.Int64}, orient="row").with_row_index(
        "place"
    )
    due = restated(events, gap)
    cut = with_sessions(frame.lazy(), gap=gap).collect()
    assert dict(cut.select("place", "session_id").rows()) == due
    assert cut.columns == [*frame.columns, "session_id"]
    assert cut.select("user_id", "issued_at", "place").rows() == sorted(
        (*event, place) for place, event in enumerate(events)
    )
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    timed = frame.with_columns(issued_at=pl.lit(noon) + pl.duration(seconds="issued_at"))
    assert dict(with_sessions(timed.lazy(), gap=gap).collect().select("place", "session_id").rows()) == due


def test_the_gap_itself_ends_no_session():
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    times = [noon, noon + timedelta(minutes=30), noon + timedelta(minutes=60, microseconds=1)]
    frame = pl.LazyFrame({"user_id": ["u"] * 3, "issued_at": times})
    assert with_sessions(frame).collect()["session_id"].to_list() == ["u-1", "u-1", "u-2"]


def test_an_event_without_time_stays_with_the_one_before_and_one_without_user_has_no_session():
    frame = pl.LazyFrame({"user_id": ["u", "u", None, "u"], "issued_at": [5000, None, 3, 1]})
    cut = with_sessions(frame.with_row_index("place")).collect().sort("place")
    assert cut["session_id"].to_list() == ["u-2", "u-2", None, "u-1"]


def test_positions():
    frame = pl.LazyFrame({"session_id": ["a", "b", "a", "a"]})
    assert with_positions(frame).collect()["query_position"].to_list() == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("gap", "due"), [("30m", 1800), ("1h", 3600), ("90", 90), ("90s", 90), (0.5, 0.5), (" 2 d ", 172800), ("1.5m", 90)]
)
def test_gaps(gap, due):
    assert seconds(gap) == due


@pytest.mark.parametrize("gap", ["", "m", "-5m", 0, "0", "30 minutes", float("nan"), float("inf"), True, None])
def test_gaps_that_are_none(gap):
    with pytest.raises(UsageError, match=match_parts("seconds or a time", "above 0", "30m")):
        seconds(gap)
