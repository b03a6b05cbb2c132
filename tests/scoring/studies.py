"""Random studies for the scoring tests, as plain dictionaries and as a Study made of the same rows.

`COLUMNS` has what measures may read beside ids, ranks, clicks and grades: a column more is a line more. They are drawn
where they are asked for, and stand in the dictionaries under their own names.
"""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import strategies as st

import sessionkit as sk

DOCS = [f"d{i}" for i in range(8)]
START = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
TIME = pl.Datetime("us", "UTC")
SUBTOPICS = {doc: [["x"], ["x", "y"], ["y"], [None]][number % 4] for number, doc in enumerate(DOCS)}
"""Of which subtopics each document is judged, the same for every key, where judgments have them."""


def seconds(low, high):
    """Seconds since the session began, or unknown."""
    return st.one_of(st.none(), st.integers(low, high).map(float), st.integers(low, high).map(lambda n: n + 0.25))


def times(low, high):
    """Times of day so many seconds after the session began, or unknown."""
    return seconds(low, high).map(lambda s: None if s is None else START + timedelta(seconds=s))


def some(strategy):
    """A value, or none."""
    return st.one_of(st.none(), strategy)


# every query at position q is issued in the seconds 20q to 20q + 9, its results are clicked in 20q + 10 to 20q + 19
COLUMNS = {
    "sessions": {
        "user_id": (pl.String, lambda _: st.sampled_from([None, "u1", "u2"])),
        "started_at": (TIME, lambda _: times(0, 0)),
        "ended_at": (TIME, lambda _: times(100, 300)),
        "expected": (pl.Float64, lambda _: some(st.sampled_from([0.0, 1.0, 2.0, 2.5]))),
    },
    "queries": {
        "query_text": (pl.String, lambda _: st.sampled_from([None, "", "one", "one two", "two  three", "One TWO"])),
        "issued_at": (TIME, lambda q: times(20 * q, 20 * q + 9)),
        "elapsed_seconds": (pl.Float64, lambda q: seconds(20 * q, 20 * q + 9)),
    },
    "results": {
        "score": (pl.Float64, lambda _: some(st.sampled_from([0.0, 0.25, 0.5, 1.0]))),
        "clicked_at": (TIME, lambda q: times(20 * q + 10, 20 * q + 19)),
        "click_elapsed_seconds": (pl.Float64, lambda q: seconds(20 * q + 10, 20 * q + 19)),
        "dwell_seconds": (pl.Float64, lambda _: seconds(0, 60)),
        "clicks": (pl.Int32, lambda _: some(st.integers(0, 3))),
        "saved": (pl.Boolean, lambda _: some(st.booleans())),
        "known": (pl.Boolean, lambda _: some(st.booleans())),
        "words": (pl.Int32, lambda _: some(st.integers(0, 500))),
    },
}
"""By table and name: type, and what is drawn for a row of the query at a position (of sessions: of their number)."""
ALWAYS = {"results": {"doc_id", "clicked", "examined", "user_grade"}, "sessions": {"topic_id"}}
"""Columns that every study here has."""


def drawn_for(measures):
    """The columns of `COLUMNS`, and those of judgments, that measures read, by table."""
    wanted = {}
    for measure in measures:
        for table, names in (*measure.needs().items(), *measure.may_read.items()):
            wanted.setdefault(table, {}).update(dict.fromkeys(n for n in names if n not in ALWAYS.get(table, ())))
    return {table: [*names] for table, names in wanted.items() if names}


def _more(draw, columns, table, place):
    """What is drawn of the columns that are asked for."""
    known = COLUMNS.get(table, {})
    return {name: draw(known[name][1](place)) for name in columns.get(table, ()) if name in known}


def _beside(rows, columns, table):
    """The columns that are asked for as series, from rows as dictionaries."""
    known = COLUMNS.get(table, {})
    names = [name for name in columns.get(table, ()) if name in known]
    return [pl.Series(name, [row[name] for row in rows], dtype=known[name][0]) for name in names]


@st.composite
def sessions(draw, *, keys_per_query=False, columns=None):
    """One to four sessions, and judgments for up to three keys; `columns` by table (see `COLUMNS`) are drawn too."""
    columns = columns or {}
    judgments = draw(
        st.dictionaries(
            st.sampled_from(["t1", "t2"]),
            st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2, 3]), min_size=1, max_size=8),
            max_size=2,
        )
    )
    made = {}
    for number in range(draw(st.integers(1, 4))):
        queries = []
        for position in range(1, draw(st.integers(1, 4)) + 1):
            status = draw(st.sampled_from(["shown", "shown", "shown", "empty", "not_logged"]))
            ranks = sorted(draw(st.sets(st.integers(1, 6), max_size=5))) if status == "shown" else []
            results = [
                {
                    "rank": rank,
                    "doc": draw(st.sampled_from(DOCS)),
                    "clicked": draw(st.booleans()),
                    "examined": draw(st.booleans()),
                    "user": draw(st.sampled_from([None, 0, 1, 2])),
                    **_more(draw, columns, "results", position),
                }
                for rank in ranks
            ]
            if status == "shown" and not results:
                status = "empty"
            key = draw(st.sampled_from([None, "t1", "t2"])) if keys_per_query else None
            more = _more(draw, columns, "queries", position)
            queries.append({"position": position, "status": status, "key": key, "results": results, **more})
        topic = draw(st.sampled_from(["t1", "t2", "t3"]))
        made[f"s{number}"] = {"topic": topic, "queries": queries, **_more(draw, columns, "sessions", number)}
    return made, judgments


def study_of(made, judgments, *, keys_per_query=False, columns=None, **settings):
    """The same rows as a Study, with the columns that were drawn, under some settings."""
    columns = columns or {}
    subtopics = "subtopic_id" in columns.get("judgments", ())
    rows = [
        (session_id, q["position"], r["rank"], r["doc"], r["clicked"], r["examined"], r["user"])
        for session_id, session in made.items()
        for q in session["queries"]
        for r in q["results"]
    ]
    names = ["session_id", "query_position", "rank", "doc_id", "clicked", "examined", "user_grade"]
    dtypes = [pl.String, pl.Int32, pl.Int32, pl.String, pl.Boolean, pl.Boolean, pl.Float64]
    queries = [(s, q["position"], q["status"], q["key"]) for s, session in made.items() for q in session["queries"]]
    query_frame = pl.DataFrame(
        queries,
        schema={
            "session_id": pl.String,
            "query_position": pl.Int32,
            "results_status": pl.String,
            "judgment_key": pl.String,
        },
        orient="row",
    )
    graded = [
        (key, doc, float(grade), subtopic)
        for key, docs in judgments.items()
        for doc, grade in docs.items()
        for subtopic in (SUBTOPICS[doc] if subtopics else [None])
    ]
    judged = pl.DataFrame(
        graded,
        schema={"judgment_key": pl.String, "doc_id": pl.String, "grade": pl.Float64, "subtopic_id": pl.String},
        orient="row",
    )
    of_queries = [q for session in made.values() for q in session["queries"]]
    of_results = [r for q in of_queries for r in q["results"]]
    result_frame = pl.DataFrame(rows, schema=dict(zip(names, dtypes, strict=True)), orient="row")
    session_frame = pl.DataFrame({"session_id": list(made), "topic_id": [s["topic"] for s in made.values()]})
    return sk.from_tables(
        results=result_frame.hstack(_beside(of_results, columns, "results")),
        queries=(query_frame if keys_per_query else query_frame.drop("judgment_key")).hstack(
            _beside(of_queries, columns, "queries")
        ),
        sessions=session_frame.hstack(_beside([*made.values()], columns, "sessions")),
        judgments=judged if subtopics else judged.drop("subtopic_id"),
        **settings,
    )
