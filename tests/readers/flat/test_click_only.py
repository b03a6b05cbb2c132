"""Lines of clicks brought to queries and results, each line counted once."""

import polars as pl

from sessionkit.readers.events.flat_logs import AGAIN, ASK, queries_and_clicks
from sessionkit.study.checks import RECORD, RULE, VALUE

NONE = pl.LazyFrame(schema={RECORD: pl.Int64, RULE: pl.String, VALUE: pl.String})


def made(rules, *lines):
    """Return the queries, the results and how many lines were merged; lines are (ask, text, rank, document)."""
    frame = pl.DataFrame(lines, schema=[ASK, "query_text", "rank", "doc_id"], orient="row").with_columns(
        pl.col(ASK) - 1, session_id=pl.lit("s")
    )
    found = queries_and_clicks(
        frame.lazy().with_row_index(RECORD, 1).with_columns(pl.col(RECORD).cast(pl.Int64)), NONE, rules
    )
    return (
        found.queries.select("query_position", "query_text").collect().rows(),
        found.results.select(RECORD, "query_position", "rank", "doc_id", "clicks").collect().rows(),
        {words: records.collect()[RECORD].to_list() for words, records in found.merged.items()},
    )


def test_every_line_is_a_query_or_merged_and_every_click_a_result_or_merged():
    lines = [
        (1, "cat", "2", "a"),
        (1, "cat", "2", "a"),
        (1, "cat", None, None),
        (4, "cat", "2", "a"),
        (5, "dog", None, "b"),
    ]
    queries, results, merged = made(["same"], *lines)
    assert queries == [(1, "cat"), (2, "dog")]
    assert results == [(1, 1, "2", "a", 3), (5, 2, None, "b", 1)]  # a click without rank breaks a rule later
    assert merged == {
        "further clicks of a query": [2],
        "lines that say a query again": [3],
        AGAIN: [4],
        "clicks on a result clicked before": [2, 4],
    }
    queries, results, merged = made([], *lines)
    assert queries == [(1, "cat"), (2, "cat"), (3, "dog")]
    assert [row[-1] for row in results] == [2, 1, 1]
    assert merged[AGAIN] == []
