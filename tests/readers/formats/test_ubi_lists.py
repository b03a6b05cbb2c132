"""Ranks from ordinals, held against a plain restatement; bases by application."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.contract import RECORD
from sessionkit.readers.events.listing import AT, FILE, KEY, MANY, NOUN
from sessionkit.readers.files.keeping import in_memory
from sessionkit.readers.formats.ubi_lists import ORDINAL, docid_warnings, lists_of

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
        (pl.col(MANY) + " events").alias(NOUN),
    )


def asked(hits):
    """Queries with these lists of hits."""
    schema = {KEY: pl.String, "hits": pl.List(pl.String), "system_id": pl.String}
    frame = pl.DataFrame([(key, docs, "app") for key, docs in hits.items()], schema=schema, orient="row")
    return frame.with_columns(pl.lit(0).alias(FILE), pl.lit(1, dtype=pl.Int64).alias(RECORD))


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
    lists, _ = lists_of(asked({"p": None, "q": []}).lazy(), marked(events).lazy(), base=None, keep=in_memory)
    found = {(key, doc): rank for key, doc, rank in lists.select(KEY, "doc_id", "rank").collect().rows()}
    assert found == restated(events)


def test_a_list_of_hits_comes_before_ordinals():
    events = [("p", "b", 7, False), ("q", "x", 1, False), ("q", "y", 1, False), ("q", "z", 2, False)]
    lists, notes = lists_of(
        asked({"p": ["a", "b"], "q": None}).lazy(), marked(events).lazy(), base=None, keep=in_memory
    )
    # the client of q wrote 1 for an ordinal of 0: x, y and z were at 1, 2 and 3
    assert sorted(lists.select(KEY, "rank", "doc_id").collect().rows()) == [
        ("p", 1, "a"),
        ("p", 2, "b"),
        ("q", 1, "x"),
        ("q", 2, "y"),
        ("q", 3, "z"),
    ]
    assert [note for note in notes if "several objects at one ordinal (first: query 'q')" in note]
    assert [note for note in notes if "ordinals count from 1, by the least of impressions in 2 lists" in note]


def test_a_declared_base_is_not_inferred():
    lists, notes = lists_of(asked({"p": None}).lazy(), marked([("p", "a", 1, False)]).lazy(), base=0, keep=in_memory)
    assert lists.select("rank").collect().item() == 2
    assert notes == []


def test_hits_that_are_document_numbers_of_the_engine_are_warned_of():
    events = marked([("p", "sku-1", 1, False)]).lazy()
    (warned,) = docid_warnings(asked({"p": ["17", "4"]}).lazy(), events)
    assert "'17'" in warned
    assert docid_warnings(asked({"p": ["17", "sku-1"]}).lazy(), events) == []
    assert docid_warnings(asked({"p": ["17", "4"]}).lazy(), marked([("p", "4", 1, False)]).lazy()) == []
