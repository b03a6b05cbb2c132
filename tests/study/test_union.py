"""Uniting tables: nothing twice, nothing lost, nothing that contradicts."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, DataWarning
from sessionkit.study.partitions import conformed, tell_of_other_grades, united_judgments, united_users

NOBODY = pl.Series([], dtype=pl.String)


def judged(**columns):
    return pl.DataFrame({"judgment_key": "t", **columns})


def test_a_judgment_is_there_once_and_repeats_of_one_study_stay():
    saved = judged(doc_id=["a", "a", "b"], grade=[1.0, 1.0, 2.0])
    new = judged(doc_id=["c", "b", "a", "c", "a"], grade=[1.0, 2.0, 1.0, 1.0, 3.0])
    both = united_judgments(saved, new)
    assert both["doc_id"].to_list() == ["a", "a", "b", "c", "c", "a"]
    assert both["grade"].to_list() == [1.0, 1.0, 2.0, 1.0, 1.0, 3.0]
    assert_frame_equal(united_judgments(both, new), both)


def test_judgments_that_say_more_are_others():
    saved = judged(doc_id=["a"], grade=[1.0])
    new = judged(doc_id=["a", "a"], grade=[1.0, 1.0], judge_id=["j", None])
    assert united_judgments(saved, new)["judge_id"].to_list() == [None, "j"]
    back = united_judgments(new, saved)
    assert_frame_equal(back, new)


def test_users_keep_what_either_says():
    saved = pl.DataFrame({"user_id": ["a", "b"], "age": [30, None]})
    new = pl.DataFrame({"user_id": ["b", "c"], "age": [20, 40], "hand": ["left", None]})
    both = united_users(saved, new, NOBODY).sort("user_id")
    assert both.rows() == [("a", 30, None), ("b", 20, "left"), ("c", 40, None)]
    with pytest.raises(DataError, match=r"users: age of 'b' is 21 in the added data and 20 in the study"):
        united_users(both, pl.DataFrame({"user_id": ["b"], "age": [21]}), NOBODY)
    again = united_users(both, pl.DataFrame({"user_id": ["b"], "age": [21]}), pl.Series(["b", "c"])).sort("user_id")
    assert again.rows() == [("a", 30, None), ("b", 21, "left"), ("c", 40, None)]


@pytest.mark.parametrize(
    ("given", "wanted", "found"),
    [
        ([1, 2], pl.Float64, [1.0, 2.0]),
        ([1, 2], pl.String, ["1", "2"]),
        (["x"], pl.String, ["x"]),
        ([None], pl.Date, [None]),
        ([1], pl.Int64, [1]),
    ],
)
def test_types_that_fit(given, wanted, found):
    frame = conformed(pl.DataFrame({"x": given}), pl.Schema({"x": wanted(), "y": pl.Boolean()}), "results")
    assert frame["x"].to_list() == found
    assert frame.schema == {"x": wanted, "y": pl.Boolean}
    assert frame["y"].null_count() == len(given)


@pytest.mark.parametrize(
    ("given", "wanted"), [(["1"], pl.Int64), ([1.5], pl.Int64), ([True], pl.Int64), ([300], pl.Int8)]
)
def test_types_that_do_not_fit(given, wanted):
    with pytest.raises(DataError, match=r"results.*convert (it|the column) to"):
        conformed(pl.DataFrame({"x": given}), pl.Schema({"x": wanted()}), "results")


def test_columns_that_are_too_many():
    with pytest.raises(DataError, match=r"results.x is not among the columns of the study: y"):
        conformed(pl.DataFrame({"x": [1]}), pl.Schema({"y": pl.Int64()}), "results")


def test_what_was_known_of_a_user_stays_when_a_partition_is_replaced():
    saved = pl.DataFrame({"user_id": ["u1", "u2", "u3"], "age": [30, 40, None]})
    new = pl.DataFrame({"user_id": ["u1", "u2"], "age": pl.Series([None, 41], dtype=pl.Int64)})
    united = united_users(saved, new, pl.Series(["u1", "u2", "u3"]))
    assert united.sort("user_id").rows() == [("u1", 30), ("u2", 41)]


def test_another_grade_is_told_of():
    saved = pl.DataFrame({"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [5.0, 1.0]})
    new = pl.DataFrame({"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [1.0, 1.0]})
    with pytest.warns(
        DataWarning, match="1 judged documents have another grade in the added data .first: 'a' for 't': 1, 5 in"
    ):
        tell_of_other_grades(saved, new, "max")
