"""Ranks from ordinals, held against a plain restatement; bases by application."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.events.lists import AT, FILE, KEY, MANY, NOUN
from sessionkit.readers.formats.ubi_queries import ORDINAL, bases_of, docid_warnings, lists_of, noted_bases, noted_ties
from sessionkit.study.checks import RECORD
from tests.support.messages import messages_with

EVENTS = st.lists(
    st.tuples(st.sampled_from("pq"), st.sampled_from("abcde"), st.integers(0, 4), st.booleans()),
    min_size=1,
    max_size=20,
)


def marked(events, application="app"):
    """Marks of (query, document, ordinal, is_click), in this order."""
    rows = [(key, doc, ordinal, "clicks" if click else "impressions") for key, doc, ordinal, click in events]
    frame = pl.DataFrame(rows, schema=[KEY, "doc_id", ORDINAL, MANY], orient="row", strict=False)
    return frame.with_row_index(RECORD).with_columns(
        pl.col(RECORD).cast(pl.Int64),
        pl.lit(0).alias(FILE),
        pl.lit(None, dtype=pl.Datetime("us", "UTC")).alias(AT),
        pl.lit(application).alias("application"),
        pl.col(KEY).alias("query_id"),
        (pl.col(MANY) + " events").alias(NOUN),
    )


def hits_of(hits):
    """These lists of hits by query."""
    schema = {KEY: pl.String, "hits": pl.List(pl.String)}
    frame = pl.LazyFrame(list(hits.items()), schema=schema, orient="row")
    return frame.with_columns(pl.lit(0).alias(FILE), pl.lit(1, dtype=pl.Int64).alias(RECORD))


def made(hits, events, base=None):
    """Rows of lists, and what is said of them."""
    marks = marked(events).lazy()
    bases = bases_of(marks, base)
    lists, tied = lists_of(hits_of(hits), marks, bases)
    rows = sorted(lists.select(KEY, "rank", "doc_id").collect().rows())
    return rows, [*noted_bases(bases, base), *noted_ties(tied)]


def warned(hits, events):
    """Warnings of hits of one application."""
    queries = pl.LazyFrame({KEY: list(hits), "system_id": "app"})
    marks = marked(events).with_columns(pl.col(KEY, "doc_id").cast(pl.String))  # of no events there are no types
    return docid_warnings(queries, hits_of(hits), marks.lazy())


def restated(events):
    """Rank of each (query, document): by the first impression's ordinal, else the first click's; ties one further down."""
    shown = [ordinal for _, _, ordinal, click in events if not click] or [ordinal for _, _, ordinal, _ in events]
    base = 0 if min(shown) == 0 else 1
    said = {}
    for place, (key, doc, ordinal, _) in sorted(enumerate(events), key=lambda one: (one[1][3], one[0])):
        said.setdefault((key, doc), (ordinal, place))
    ranks, last = {}, {}
    for (key, doc), (ordinal, _) in sorted(said.items(), key=lambda one: one[1]):
        ranks[key, doc] = max(ordinal - base + 1, last.get(key, ordinal - base) + 1)
        last[key] = ranks[key, doc]
    return ranks


@settings(deadline=None)
@given(EVENTS)
def test_ranks_as_restated(events):
    rows, _ = made({}, events)
    assert {(key, doc): rank for key, rank, doc in rows} == restated(events)


def test_a_list_of_hits_comes_before_ordinals():
    events = [("p", "b", 7, False), ("q", "x", 1, False), ("q", "y", 1, False), ("q", "z", 2, False)]
    rows, notes = made({"p": ["a", "b"]}, events)
    # the client of q wrote 1 for an ordinal of 0: x, y and z were at 1, 2 and 3
    assert rows == [
        ("p", 1, "a"),
        ("p", 2, "b"),
        ("q", 1, "x"),
        ("q", 2, "y"),
        ("q", 3, "z"),
    ]
    assert messages_with(notes, "several objects", "first: query 'q'")
    assert messages_with(notes, "ordinals count from 1", "impressions in 2 lists")


def test_a_declared_base_is_not_inferred():
    assert made({}, [("p", "a", 1, False)], base=0) == ([("p", 2, "a")], [])


def test_hits_that_are_document_numbers_of_the_engine_are_warned_of():
    events = [("p", "sku-1", 1, False)]
    (said,) = warned({"p": [None, "4", "17"]}, events)
    assert "'17'" in said
    assert warned({"p": ["17", "sku-1"]}, events) == []
    assert warned({"p": ["17", "4"]}, [("p", "4", 1, False)]) == []
    assert warned({"p": ["17", "4"]}, []) == []  # nothing says that events name documents otherwise
