"""What a grade is worth, and the grades that a gain refuses."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.gains import check_grades, gain_expr, gain_text, weights

GRADES = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, None]


@pytest.mark.parametrize(
    ("gain", "wanted"),
    [
        ("linear", [0, 0, 0, 1, 2, 3, 0]),
        ("exp2", [0, 0, 0, 1, 3, 7, 0]),
        ("binary", [0, 0, 0, 0, 1, 1, 0]),
        ("0-1-10-100", [0, 0, 0, 1, 10, 100, 0]),
        ("5-1-10-100", [0, 0, 5, 1, 10, 100, 0]),  # a weight for grade 0 is for judged documents only
    ],
)
def test_gains_of_grades(gain, wanted):
    frame = pl.DataFrame({"grade": GRADES})
    assert frame.select(gain_expr(pl.col("grade"), gain, min_grade=2)).to_series().to_list() == wanted


@given(st.lists(st.floats(0, 1e12), min_size=2, max_size=5))
def test_weights_keep_every_digit(numbers):
    text = gain_text(numbers)
    assert weights(text) == numbers
    assert gain_text(text) == text
    assert "e" not in text


def test_texts_of_weights_are_the_shortest():
    assert gain_text("00-1.50-10.0") == "0-1.5-10"
    assert gain_text((0, 1234.5678)) == "0-1234.5678"


def test_huge_negative_grades_gain_nothing():
    frame = pl.DataFrame({"grade": [-1e300, 1.0]})
    assert frame.select(gain_expr(pl.col("grade"), "0-1-2")).to_series().to_list() == [0, 1]


def test_fractional_grades_with_formulas():
    frame = pl.DataFrame({"grade": [0.5]})
    assert frame.select(gain_expr(pl.col("grade"), "exp2")).item() == pytest.approx(2**0.5 - 1)


@pytest.mark.parametrize("text", ["0", "1-", "-1-2", "0--1", "0-1e3", "a-b", "LINEAR", "", 3, None, [1], ["x", 2]])
def test_texts_that_are_no_gain(text):
    with pytest.raises((sk.MeasureError, ValueError)):
        gain_text(text)


@pytest.mark.parametrize(
    ("gain", "grades", "says"),
    [
        ("0-1-10", [3.0], "grades 0 to 2, but the judgments have grade 3; give it one more weight"),
        ("0-1", [1.0, 4.0], "give it 3 more weights"),
        ("0-1-2", [0.5], "grade 0.5; use gain=linear or exp2"),
        ("exp2", [31.0], "below 2^30"),
        ("linear", [2.0**30], "below 2^30"),
    ],
)
def test_grades_a_gain_refuses(gain, grades, says):
    with pytest.raises(sk.DataError) as error:
        check_grades(pl.DataFrame({"grade": grades}), gain)
    assert says in str(error.value)


def test_sums_stay_exact_at_the_largest_gain():
    # two gains just below 2^30, and the smallest that the scale holds, do not swallow each other
    big = 2.0**30 - 1
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 3,
            "query_position": [1] * 3,
            "rank": [1, 2, 3],
            "doc_id": list("abc"),
            "topic_id": ["t"] * 3,
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [big, big, 2.0**-20]},
    )
    assert sk.score(study, "CG", per="query").get_column("value").item() == 2 * big + 2.0**-20


def test_searchers_own_grades_are_checked_one_by_one():
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1, 2],
            "rank": [1, 1],
            "doc_id": ["a", "a"],
            "user_grade": [1.5, 2.0],
        }
    )
    with pytest.raises(sk.DataError, match=r"searchers' own grades have grade 1\.5"):
        sk.score(study, "sDCG(gain=0-1-10,grades=user)@10", per="session")
