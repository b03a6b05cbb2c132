"""Sessions of tables cut at pauses: parts, positions, what goes with a query, and what is said of it."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.read import read

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
    assert cut.notes[0] == (
        "sessions cut by 30m of inactivity: 1 of 2 sessions in several parts, such as 'u1' in 3 ('u1-1', ...)"
    )


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
    ("config", "said"),
    [
        ({"cut_sessions": False, "session_gap": "1h"}, "session_gap = '1h' has no effect"),
        ({"session_gap": "soon"}, "a session gap is 'soon'"),
        (
            {"queries": {**STUDY["queries"], "columns": {"session_id": "user", "query_position": "n"}}},
            "cut_sessions needs the times of queries, but there is no issued_at",
        ),
        (
            {"queries": {**STUDY["queries"], "columns": {**STUDY["queries"]["columns"], "issued_at": "text"}}},
            "no value of issued_at is a time",
        ),
        (
            {"questionnaires": [{"path": "sessions.csv", "columns": {"session_id": "user"}}]},
            "joins sessions.csv by session_id, but cut_sessions gives each part",
        ),
    ],
)
def test_what_cannot_be_cut_is_refused(study, config, said):
    with pytest.raises((DataError, UsageError), match=said):
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


@settings(max_examples=30, deadline=None)
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
