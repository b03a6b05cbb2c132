"""Rows parted into accepted and broken."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.study.checks import RECORD, RULE, VALUE, CheckedRows, check_types
from sessionkit.study.schema import table


def test_a_readers_verdict_comes_first():
    frame = pl.LazyFrame(
        {
            RECORD: [1, 2],
            RULE: ["line_is_json", None],
            VALUE: ["{", None],
            "judgment_key": [None, "t"],
            "doc_id": [None, "d"],
            "grade": [None, "x"],
        }
    )
    broken = check_types(frame, table("judgments")).broken
    assert broken.select(RECORD, RULE, VALUE).rows() == [(1, "line_is_json", "{"), (2, "grade_is_a_number", "x")]


@given(st.lists(st.integers(-3, 3), max_size=30))
def test_no_row_is_lost_or_doubled(values):
    frame = pl.DataFrame(
        {RECORD: pl.Series(range(len(values)), dtype=pl.Int64), "n": pl.Series(values, dtype=pl.Int64)}
    )
    checked = CheckedRows(frame, frame.clear()).rejecting(
        "n_is_not_negative", pl.col("n") < 0, pl.col("n").cast(pl.String)
    )
    checked = checked.rejecting("n_is_small", pl.col("n") > 1)
    assert sorted([*checked.accepted[RECORD], *checked.broken[RECORD]]) == list(range(len(values)))
    assert checked.accepted["n"].is_between(0, 1).all()


def test_conditions_over_several_rows_report_the_right_row():
    frame = pl.DataFrame({RECORD: [1, 2, 3], "n": ["a", "b", "b"]})
    checked = CheckedRows(frame, frame.clear()).rejecting("differs", pl.col("n") == pl.col("n").shift(1), pl.col("n"))
    assert checked.broken.select(RECORD, RULE, VALUE).rows() == [(3, "differs", "b")]
