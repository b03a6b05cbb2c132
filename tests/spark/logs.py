"""A made-up log with everything in it that a row can be, for tests that compare engines."""

import random
from datetime import UTC, datetime

import polars as pl

from sessionkit.spark.connection import quiet

HOSTILE = ["</script>", "a\nb\tc", "'; --", '"', "=1+1", " s", "ü😀\u202e", "`x`", "null", "\\", "\x00", "{}[]*?"]
ODD = "per.`hour` {1/h};=(2)"
"""A column of the sessions, under a name that Spark could take apart."""
TIMES = [None, *(datetime(2026, 1, 1, 12, minute, tzinfo=UTC) for minute in range(0, 60, 7))]
TIME = pl.Datetime("us", "UTC")
MORE = {
    "sessions": {
        "started_at": (TIME, TIMES[:3]),
        "ended_at": (TIME, TIMES[-3:]),
        "expected": (pl.Float64, [None, 0.0, 1.0, 2.5]),
    },
    "queries": {
        "query_text": (pl.String, [None, "", "one", "one two", "\u202eTWO  three"]),
        "issued_at": (TIME, TIMES),
    },
    "results": {
        "score": (pl.Float64, [None, 0.0, 0.25, 1.0]),
        "clicked_at": (TIME, TIMES),
        "dwell_seconds": (pl.Float64, [None, 0.0, 3.5, 60.0]),
        "clicks": (pl.Int32, [None, 0, 1, 3]),
        "saved": (pl.Boolean, [None, True, False]),
        "known": (pl.Boolean, [None, True, False]),
        "words": (pl.Int32, [None, 0, 10, 500]),
    },
    "judgments": {"subtopic_id": (pl.String, [None, "1", "2", "\x00</script>"])},
}
"""Columns that measures read, by table: type and values."""
DECLARED = {"max_grade": 3, "collection_size": 1000}
STATUSES = ["shown", "shown", "shown", "shown", "empty", "not_logged"]


def tables(sessions=60, *, seed=7, own_keys=True):
    """The five tables as frames.

    Sessions of three systems (or none), of topics with and without judgments, with one to five queries or none; lists
    with gaps, repeats and unjudged documents, empty ones and ones that were not logged; queries with keys of their own.
    """
    draw = random.Random(seed)  # noqa: S311 - rows of a test
    rows = {"sessions": [], "queries": [], "results": []}
    for number in range(sessions):
        name = HOSTILE[number] if number < len(HOSTILE) else f"s{number}"
        topic = draw.choice(["t1", "t2", "</t3>", "unjudged", None])
        system, user = draw.choice(["A", "B", "C\n", None]), draw.choice(["u1", "u2", None])
        rows["sessions"].append((name, user, system, topic, round(draw.random(), 3)))
        for position in range(1, draw.randrange(0, 6) + 1):
            status = draw.choice(STATUSES)
            rows["queries"].append((name, position, draw.choice([None, None, "t1", "other"]), status))
            ranks = sorted(draw.sample(range(1, 8), draw.randrange(1, 6))) if status == "shown" else []
            rows["results"] += [
                (name, position, rank, f"d{draw.randrange(9)}", draw.random() < 0.3, draw.choice([None, 0.0, 2.0]))
                for rank in ranks
            ]
    graded = [
        (key, f"d{doc}", float(draw.choice([-1, 0, 0, 1, 2, 3]))) for key in ("t1", "t2", "</t3>") for doc in range(7)
    ]
    graded += [("t1", "d1", 3.0), ("elsewhere", "d1", 1.0)]
    made = {
        "sessions": _frame(
            rows["sessions"], "session_id user_id system_id topic_id performance", {"performance": pl.Float64}
        ).rename({"performance": ODD}),
        "queries": _frame(rows["queries"], "session_id query_position judgment_key results_status", {}).select(
            pl.all() if own_keys else pl.exclude("judgment_key")
        ),
        "results": _frame(
            rows["results"],
            "session_id query_position rank doc_id clicked user_grade",
            {"clicked": pl.Boolean, "user_grade": pl.Float64},
        ),
        "judgments": _frame(graded, "judgment_key doc_id grade", {"grade": pl.Float64}),
        "users": _frame([("u1", 40), ("u2", 25)], "user_id age", {"age": pl.Int64}),
    }
    return {name: _with_more(frame, MORE.get(name, {}), draw) for name, frame in made.items()}


def _with_more(frame, columns, draw):
    """A frame with further columns, each of values drawn from a few."""
    return frame.with_columns(
        pl.Series(name, [draw.choice(values) for _ in range(len(frame))], dtype=dtype)
        for name, (dtype, values) in columns.items()
    )


def _frame(rows, names, types):
    """A frame of these rows; whole numbers are Int32 and the rest text unless said otherwise."""
    whole = {"query_position": pl.Int32, "rank": pl.Int32}
    schema = {name: (types | whole).get(name, pl.String) for name in names.split()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def frames_of(spark, given, *, seed=3):
    """Tables as Spark DataFrames, their rows shuffled and spread."""
    with quiet():
        return {
            name: spark.createDataFrame(
                frame.sample(fraction=1, shuffle=True, seed=seed).to_arrow(compat_level=pl.CompatLevel.oldest())
            ).repartition(4)
            for name, frame in given.items()
        }


def assert_same(found, expected):
    """Tables with the same columns, types, rows and order, to the last bit."""
    assert found.schema == expected.schema
    assert found.equals(expected)
