"""Columns that nobody declared: kept, and typed only where nothing is lost.

What is unusual though it breaks no rule, with counts and an example, whole and in parts.
"""

import polars as pl
import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.checks.completion import CHECKS, gaps, typed_extras, unusual
from sessionkit.study.schema import table
from tests.support.messages import messages_with


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["1", "-20", None, "0"], pl.Int64),
        (["1.5", "2", "-0.25"], pl.Float64),
        (["007", "1"], pl.String),
        (["1e5"], pl.String),
        (["+3"], pl.String),
        (["12345678901234567890"], pl.String),
        (["1.", ".5"], pl.String),
        (["a", None], pl.String),
        ([None, None], pl.String),
        (["1 ", "2"], pl.String),
        (["9"] * 2000 + ["x"], pl.String),
    ],
)
def test_types(values, dtype):
    frame = pl.DataFrame({"extra": pl.Series(values, dtype=pl.String), "doc_id": ["1"] * len(values)})
    typed = typed_extras(frame, table("results"))
    assert typed.schema == {"extra": dtype, "doc_id": pl.String}
    back = typed["extra"].cast(pl.String).to_list()
    if dtype != pl.Float64:
        assert back == values


def test_times_of_day_are_cut_to_microseconds():
    # 1 h and 1,999 ns: Python's time ends with the microsecond, and pandas refuses what is finer
    times = pl.Series([3600 * 10**9 + 1999, None], dtype=pl.Int64).cast(pl.Time)
    typed = typed_extras(pl.DataFrame({"at": times}), table("results"))["at"]
    assert typed.cast(pl.Int64).to_list() == [3600 * 10**9 + 1000, None]


LIST = ["session_id", "query_position"]


def queries(*rows, names=(*LIST, "query_text", "query_id", "elapsed_seconds")):
    return pl.DataFrame(rows, schema=list(names), orient="row")


def results(*rows):
    names = [*LIST, "rank", "clicked", "click_elapsed_seconds", "dwell_seconds"]
    types = {
        "session_id": pl.String,
        "query_position": pl.Int64,
        "clicked": pl.Boolean,
        "click_elapsed_seconds": pl.Float64,
        "dwell_seconds": pl.Float64,
    }
    return pl.DataFrame(rows, schema=names, schema_overrides=types, orient="row")


ASKED = queries(
    ("a", 1, "cat", "i", 0.0),
    ("a", 2, " cat", "j", 20.0),  # the same text
    ("a", 3, "dog", "i", 10.0),  # earlier than the one before; an id seen before
    ("b", 1, "dog", "j", 0.0),  # another session: nothing of that
    ("b", 2, None, None, None),
    ("b", 3, None, None, 5.0),
)


def test_what_is_found_in_queries():
    assert unusual(ASKED, results()) == {"backwards": (1, "a"), "repeated id": (1, "a"), "same text": (1, "a")}


def test_what_is_found_in_clicks():
    clicks = results(
        ("a", 1, 1, True, 20.0, 3.0),  # at the moment of the next query: in time
        ("a", 1, 2, True, 21.0, None),  # after the next query; no dwell
        ("a", 2, 1, True, 19.0, 0.0),  # before its query, and after the next, which went back in time
        ("b", 1, 1, False, None, None),
        ("b", 3, 1, True, 99.0, 1.0),  # the last query: none comes after
    )
    found = unusual(ASKED, clicks)
    assert {name: found[name] for name in ("early click", "late click", "no dwell")} == {
        "early click": (1, "a"),
        "late click": (2, "a"),
        "no dwell": (1, "a"),
    }


def test_columns_that_are_not_there_are_not_missed():
    bare = pl.DataFrame({"session_id": ["a"], "query_position": [1]})
    assert unusual(bare, bare.with_columns(rank=1, clicked=True)) == {}
    assert unusual(bare.clear(), results()) == {}


DAY = 86_400.0


def session(name, times):
    return [(name, position, f"q{position}", None, time) for position, time in enumerate(times, start=1)]


def test_sessions_that_pause_for_days_are_long_and_as_a_program_sends_them():
    person = [0, 31, 55, 300, 310, 420, 470, 900, 905, 1000, 1200]
    asked = queries(
        *session("a", [0.0, DAY]),  # a day, and not more
        *session("b", [0.0, 5.0, 30 * DAY]),
        *session("c", [float(time) for time in person]),
        *session("d", [10.0 * number for number in range(10)]),  # even
        *session("e", [10.0 * number for number in range(9)]),  # too few to tell
        *session("f", [0.4 * number + 0.1 * (number % 3) for number in range(12)]),  # too quick
        *session("g", [60.0 * number**1.1 for number in range(101)]),
    )
    found = unusual(asked, results())
    assert {name: found.get(name) for name in ("long", "many", "rhythm")} == {
        "long": (1, "b"),
        "many": (1, "g"),
        "rhythm": (2, "d"),
    }
    assert unusual(asked.with_columns(pl.lit(None, dtype=pl.Float64).alias("elapsed_seconds")), results()) == {
        "many": (1, "g")
    }


def test_unusual_sessions_are_told_and_kept():
    times = [10 * number for number in range(120)]
    log = {
        "session_id": "s",
        "topic_id": "s",
        "query_position": range(1, 121),
        "rank": 1,
        "doc_id": "d",
        "elapsed_seconds": times,
    }
    study = from_tables(pl.DataFrame(log), {"judgment_key": ["s"], "doc_id": ["d"], "grade": [1]})
    assert study.facts.queries == 120
    long, automatic = messages_with(study.notes, "sessions:")
    assert messages_with([long], "1 session", "more than 100 queries", '--where "queries <= 100"', "session 's'")
    assert messages_with([automatic], "1 session", "at least 10 queries", "a program", "all are kept", "session 's'")


def test_lists_said_to_be_shown_that_have_gaps():
    lists = {("a", 1): (1, 2, 4), ("a", 2): (2,), ("b", 1): (1, 2), ("b", 2): (1, 5), ("c", 1): (3, 9)}
    asked = queries(
        *((*key, "shown" if key < ("b", 2) else "partly_observed") for key in lists), names=(*LIST, "results_status")
    )
    rows = results(*((*key, rank, None, None, None) for key, ranks in lists.items() for rank in ranks))
    assert gaps(asked, rows) == {"gaps": (2, "a")}
    assert gaps(asked[2:], rows[4:]) == {}
    study = from_tables(rows.select(*LIST, "rank", doc_id=pl.lit("x") + pl.col("rank").cast(pl.String)), queries=asked)
    partly, shown = messages_with(study.notes, "gaps")
    assert messages_with([partly], "results: 2 lists", "observed in part", "gaps in the ranks")
    assert messages_with([shown], "results: 2 lists shown", "gaps", "gain 0", "flagged", "session 'a'")


def test_they_are_told_with_an_example():
    log = {"results": results(("a", 1, 1, True, 21.0, 3.0)).with_columns(doc_id=pl.lit("x")), "queries": ASKED}
    with pytest.warns(DataWarning):  # lists that are missing
        notes = from_tables(**log, judgments={"judgment_key": ["a"], "doc_id": ["x"], "grade": [1]}).notes
    assert messages_with(notes, "queries: 1 query", "text of the query before")
    assert messages_with(notes, "results: 1 clicked result", "after the next query", "session 'a'")
    assert len([note for note in notes if "(first: session" in note]) == 4


def test_every_check_says_what_it_counts():
    assert {check.noun for check in CHECKS.values()} == {"query", "clicked result", "list", "session"}
