"""Queries merged by stated rules, each counted, each to be turned off."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from sessionkit.readers.events.sessions import RULES, TYPED_WITHIN, merge_queries

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
        ("log.csv", "queries sent again"): 1,
        ("log.csv", "queries on their way to the next"): 2,
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
