"""Wins, marks, and sentences where nothing can be tested."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sessionkit as sk

sys.path.insert(0, str(Path(__file__).parent))
from layouts import EXAMPLE_S, SYSTEM, apart, by_topic, crossing

NONE_LEFT = crossing(SYSTEM * 0.5).with_columns(value=pl.when(pl.int_range(pl.len()) % 4 != 0).then("value"))
"""A crossover in which every user has an undefined session."""
ONE_LEFT = by_topic([[0.1, 0.4], [0.2, 0.3]]).with_columns(
    value=pl.when(pl.col("session_id") == "t000S2").then(None).otherwise("value")
)


def only(found):
    """The one row of a comparison."""
    (row,) = found.table.iter_rows(named=True)
    return row


def test_wins_and_marks():
    found = sk.compare(by_topic([[1.0, 1.2], [2.0, 2.0], [1.0, 0.97], [2.0, 2.3]]))
    row = only(found)
    # means 1.5 and 1.6175: + 7.8 %
    assert (row["wins"], row["ties"], row["losses"], row["mark"]) == (2, 1, 1, "noticeable")
    assert row["relative"] == pytest.approx(0.1175 / 1.5)
    marks = {
        second: only(sk.compare(by_topic([[1.0, second], [3.0, 3 * second], [2.0, 2 * second + 1e-9]])))["mark"]
        for second in (1.049, 1.051, 1.099, 1.101, 0.8)
    }
    assert [*marks.values()] == ["not noticeable", "noticeable", "noticeable", "material", "material"]


@pytest.mark.parametrize(
    ("table", "test", "says"),
    [
        (by_topic([[0.1, 0.1], [0.5, 0.5], [0.3, 0.3]]), None, "have the same value for every one of 3 topics"),
        (by_topic([[0.2, 0.2]] * 4), None, "every value is 0.2, in every group"),
        (by_topic([[0.1, 0.4], [0.5, 0.8], [0.3, 0.6]]), None, "in the same way for every unit"),
        (ONE_LEFT, None, "only one topic has a value"),
        (NONE_LEFT, None, "undefined=zero"),
        (apart([[0.1, 0.2], [0.3]]), None, "S2 has 1 user with a value"),
        (apart([[0.1, 0.1], [0.3, 0.3]]), None, "test=mann-whitney would work"),
        (crossing(SYSTEM * 0.5), None, "explain every value"),
        (by_topic([[0.1, 0.4], [0.2, 0.8], [0.3, 0.5]]), "sign", "smallest p that signs can give is 0.25"),
    ],
)
def test_where_nothing_can_be_tested_a_sentence_says_why(table, test, says):
    found = sk.compare(table, test=test)
    assert says in found.reading
    assert "nan" not in found.reading
    for column in found.table.select(pl.col(pl.Float64)):
        assert column.is_nan().sum() == 0
    if test is None:
        assert only(found)["p"] is None


def test_one_pair_that_is_identical_does_not_stop_the_others():
    values = np.column_stack([EXAMPLE_S[:, 0], EXAMPLE_S[:, 0], EXAMPLE_S[:, 2]])
    found = sk.compare(by_topic(values), test="t")
    assert found.table.get_column("p").is_null().to_list() == [True, False, False]
    assert "S1 and S2 have the same value" in found.reading


def test_a_spread_that_is_but_rounding_makes_no_effect():
    # every unit differs by .3, which leaves an sd of about 1e-17
    rows = [[0.1, 0.4], [0.5, 0.8], [0.3, 0.6], [0.2, 0.5], [0.7, 1.0], [0.15, 0.45], [0.9, 1.2]]
    row = only(sk.compare(by_topic(rows), test="randomisation"))
    assert row["effect"] is None
    assert row["p"] == pytest.approx(2 / 2**7)
