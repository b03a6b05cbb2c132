"""Random logs with times and clicks for the tests of measures of behavior, as plain dictionaries and as a Study."""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import strategies as st

import sessionkit as sk

DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
AT = pl.Datetime("us", "UTC")
SECONDS = st.none() | st.integers(0, 400).map(lambda eighths: eighths / 8)
CLICKED = st.sampled_from([None, True, False])
DOCS = list("abcdef")
QUERIES = {"issued_at": SECONDS, "elapsed_seconds": SECONDS}
RESULTS = {
    "clicked": CLICKED,
    "clicks": st.none() | st.integers(0, 3),
    "clicked_at": SECONDS,
    "click_elapsed_seconds": SECONDS,
    "dwell_seconds": SECONDS,
}
TYPES = {
    "issued_at": AT, "clicked_at": AT, "started_at": AT, "ended_at": AT, "elapsed_seconds": pl.Float64,
    "click_elapsed_seconds": pl.Float64, "dwell_seconds": pl.Float64, "clicks": pl.Int32, "clicked": pl.Boolean,
}  # fmt: skip
"""Columns and their types; times of day are drawn as seconds after `DAY`."""


@st.composite
def logs(draw):
    """One to three sessions with queries and results, and grades for some documents."""
    sessions = []
    for _ in range(draw(st.integers(1, 3))):
        session = {name: draw(SECONDS) for name in ("started_at", "ended_at")}
        if None not in session.values():
            session["ended_at"] += session["started_at"]  # a session that ends before it starts is rejected
        session["queries"] = []
        for _ in range(draw(st.integers(1, 3))):
            query = {name: draw(values) for name, values in QUERIES.items()}
            query["logged"] = draw(st.sampled_from([True, True, True, False]))
            shown = draw(st.lists(st.sampled_from(DOCS), max_size=4)) if query["logged"] else []
            query["results"] = [
                {"doc_id": doc, "rank": rank} | {name: draw(values) for name, values in RESULTS.items()}
                for rank, doc in enumerate(shown, 1)
            ]
            session["queries"].append(query)
        sessions.append(session)
    return sessions, draw(st.dictionaries(st.sampled_from(DOCS), st.integers(0, 2)))


def at(seconds, column):
    """A value as the log has it."""
    return DAY + timedelta(seconds=seconds) if TYPES[column] == AT and seconds is not None else seconds


def study_of(log, without=()):
    """The same log as a Study, without some columns."""
    sessions, grades = log
    tables = {"sessions": [], "queries": [], "results": []}
    for s, session in enumerate(sessions):
        row = {name: at(session[name], name) for name in ("started_at", "ended_at")}
        tables["sessions"].append({"session_id": f"s{s}", "topic_id": "t", **row})
        for q, query in enumerate(session["queries"], 1):
            place = {"session_id": f"s{s}", "query_position": q}
            status = "not_logged" if not query["logged"] else "shown" if query["results"] else "empty"
            row = {name: at(query[name], name) for name in QUERIES}
            tables["queries"].append({**place, "results_status": status, **row})
            for result in query["results"]:
                row = {name: at(result[name], name) for name in RESULTS}
                tables["results"].append({**place, "rank": result["rank"], "doc_id": result["doc_id"], **row})
    plain = {
        "session_id": pl.String, "topic_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String,
        "results_status": pl.String,
    }  # fmt: skip
    names = {
        "sessions": ["session_id", "topic_id", "started_at", "ended_at"],
        "queries": ["session_id", "query_position", "results_status", *QUERIES],
        "results": ["session_id", "query_position", "rank", "doc_id", *RESULTS],
    }
    frames = {
        table: pl.DataFrame(
            {name: [row[name] for row in rows] for name in names[table] if name not in without},
            schema_overrides={
                name: dtype for name, dtype in (plain | TYPES).items() if name in names[table] and name not in without
            },
        )
        for table, rows in tables.items()
    }
    judged = pl.DataFrame(
        {"judgment_key": ["t"] * len(grades), "doc_id": list(grades), "grade": list(grades.values())},
        schema={"judgment_key": pl.String, "doc_id": pl.String, "grade": pl.Float64},
    )
    return sk.from_tables(**frames, judgments=judged)


def scored(log, *measures, without=()):
    """Values of every session, by measure."""
    table = sk.score(study_of(log, without), list(measures), per="session")
    return {
        str(measure): table.filter(pl.col("measure") == str(measure)).sort("session_id")["value"].to_list()
        for measure in measures
    }


def was_clicked(result):
    """Whether a result was clicked, by the first column that says so."""
    if result["clicked"] is not None:
        return result["clicked"]
    if result["clicks"] is not None:
        return result["clicks"] > 0
    return result["clicked_at"] is not None or result["click_elapsed_seconds"] is not None


def lists_of(session):
    """The queries of a session whose list was logged."""
    return [query for query in session["queries"] if query["logged"]]


def began(session):
    """Seconds after DAY at which a session began, None where no time of day is known."""
    if session["started_at"] is not None:
        return session["started_at"]
    times = [query["issued_at"] for query in session["queries"]]
    times += [result["clicked_at"] for query in session["queries"] for result in query["results"]]
    return min((time for time in times if time is not None), default=None)


def seconds(elapsed, time, start):
    """Seconds since the beginning, from what was logged of an event."""
    if elapsed is not None:
        return elapsed
    return time - start if time is not None and start is not None and time >= start else None


def issue_times(session):
    """Seconds since the beginning of every logged query, also one whose list was not logged."""
    return [seconds(query["elapsed_seconds"], query["issued_at"], began(session)) for query in session["queries"]]


def click_times(session):
    """Every clicked result with its list's number, and the seconds since the beginning of its click."""
    return [
        (number, result, seconds(result["click_elapsed_seconds"], result["clicked_at"], began(session)))
        for number, query in enumerate(lists_of(session))
        for result in query["results"]
        if was_clicked(result)
    ]
