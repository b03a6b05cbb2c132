"""How long a document was read, by the leaves that end it."""

from datetime import UTC, datetime, timedelta

import polars as pl

from sessionkit.readers.events.lists import ACTION, AT, FILE, dwell_times
from sessionkit.readers.raw import in_memory
from sessionkit.study.checks import RECORD

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def timed(*events):
    """Events of one session: (action, document, seconds after noon)."""
    rows = [
        (0, place, "s", doc, action, NOON + timedelta(seconds=at)) for place, (action, doc, at) in enumerate(events)
    ]
    schema = {FILE: pl.Int32, RECORD: pl.Int64, "session_id": pl.String, "doc_id": pl.String, ACTION: pl.String}
    return pl.LazyFrame(rows, schema={**schema, AT: pl.Datetime("us", "UTC")}, orient="row")


def spent(*events):
    dwell, leaves = dwell_times(timed(*events), in_memory)
    seconds = dict(dwell.select(RECORD, "__dwell").collect().rows())
    return seconds, sorted(leaves.collect()[RECORD].to_list())


def test_a_leave_of_the_document_ends_it_whatever_came_between():
    assert spent(("click", "a", 0), ("click", "b", 10), ("leave", "a", 30), ("leave", "b", 70)) == (
        {0: 30.0, 1: 60.0},
        [2, 3],
    )


def test_a_leave_without_document_ends_the_last_click_alone():
    assert spent(("click", "a", 0), ("click", "b", 10), ("leave", None, 30)) == ({1: 20.0}, [2])


def test_without_a_leave_nothing_is_known():
    assert spent(("click", "a", 0), ("click", "a", 10), ("leave", "b", 30)) == ({}, [])


def test_of_two_leaves_the_earlier_counts():
    assert spent(("click", "a", 0), ("leave", None, 5), ("leave", "a", 30))[0] == {0: 5.0}
