"""What a grade is worth, and the grades that a gain refuses.

Discounts against their formulas, and the orders that bounds rest on.
"""

import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.discounts import RANK_DISCOUNTS, discount_values
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
        ("0-1-10", [3.0], "grades 0 to 2, .*grade 3; .*one more"),
        ("0-1", [1.0, 4.0], "give it 3 more weights"),
        ("0-1-2", [0.5], "grade 0.5; .*gain=linear or exp2"),
        ("exp2", [31.0], r"below 2\^30"),
        ("linear", [2.0**30], r"below 2\^30"),
    ],
)
def test_grades_a_gain_refuses(gain, grades, says):
    with pytest.raises(sk.DataError) as error:
        check_grades(pl.DataFrame({"grade": grades}), gain)
    assert re.search(says, str(error.value))


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


FORMULAS = {  # of place i, base b, persistence p
    "log": lambda i, b, p: 1 / (1 + math.log(i) / math.log(b)),  # noqa: ARG005
    "shifted": lambda i, b, p: math.log(b) / math.log(i + b - 1),  # noqa: ARG005
    "burges": lambda i, b, p: math.log(b) / math.log(i + 1),  # noqa: ARG005
    "jk2002": lambda i, b, p: 1 if i < b else math.log(b) / math.log(i),  # noqa: ARG005
    "rn2002": lambda i, b, p: 1 if i == 1 else math.log(b) / math.log(i),  # noqa: ARG005
    "geometric": lambda i, b, p: p ** (i - 1),  # noqa: ARG005
    "reciprocal": lambda i, b, p: 1 / i,  # noqa: ARG005
    "none": lambda i, b, p: 1,  # noqa: ARG005
}


@given(
    name=st.sampled_from(RANK_DISCOUNTS),
    base=st.floats(1.01, 100),
    p=st.floats(0.01, 0.99),
    place=st.integers(1, 10_000),
)
def test_formulas(name, base, p, place):
    value = discount_values(np.array([place]), name, base, p)[0]
    assert value == pytest.approx(FORMULAS[name](place, base, p), rel=1e-12)


@given(name=st.sampled_from([name for name in RANK_DISCOUNTS if name != "rn2002"]), base=st.floats(1.01, 100))
def test_discounts_never_rise(name, base):
    assert (np.diff(discount_values(np.arange(1, 200), name, base, 0.8)) <= 0).all()


def test_factors_are_those_given_and_0_beyond():
    assert discount_values(np.array([3, 1, 2, 4, 70]), "1-0.5-0.2").tolist() == [0.2, 1, 0.5, 0, 0]
    study = sk.from_tables(
        results={"session_id": ["s"] * 4, "query_position": [1, 1, 1, 2], "rank": [1, 2, 3, 1], "doc_id": list("abcd")},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 4, "doc_id": list("abcd"), "grade": [1, 2, 3, 4]},
    )
    values = {}
    for text in [
        "sDCG(discount=1-.5,query_discount=1-.25)",  # 1 + 2 / 2 + 0 + 4 / 4
        "nsDCG(discount=1-.5,query_discount=1-.25)@2",  # its ideal: (4 + 3 / 2) x (1 + 1 / 4)
        "sDCG(discount=1-.5-.25,query_discount=none)",
        "sDCG(discount=geometric,p=.5,query_discount=none)",
    ]:
        values[text] = sk.score(study, text, per="session")["value"].item()
    assert [*values.values()][:2] == pytest.approx([3, 3 / (5.5 * 1.25)], abs=1e-15)
    assert [*values.values()][2] == [*values.values()][3] == 1 + 2 / 2 + 3 / 4 + 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nDCG(discount=.5-1)@3", "discount=0.5-1 rises with the ranks"),
        ("sDCG(discount=2-1)", "factors from 0 to 1"),
        ("sDCG(query_discount=0-0)", "factors from 0 to 1"),
        ("sDCG(discount=1)", "factors from 0 to 1"),
    ],
)
def test_factors_that_are_none_are_refused(text, says):
    with pytest.raises(sk.MeasureError, match=says):
        sk.parse_measure(text)


def test_factors_are_a_searcher_who_may_stop():
    measure = sk.sDCG(discount=(1, 0.5, 0.25), query_discount="1-.5") @ 3
    assert str(measure) == "sDCG(discount=1-0.5-0.25,query_discount=1-0.5)@3"
    assert measure.searcher()[0].endless == 1.75 * 1.5
    assert (sk.sDCG(discount="0.5-1") @ 3).searcher()[0] is None


def test_forms_of_public_code_agree_only_at_the_first_place():
    # b=2: TREC Dynamic Domain 1, .5, .387; jiepujiang/ir_metrics 1, .631, .5
    assert discount_values(np.array([1, 2, 3]), "log", 2) == pytest.approx([1, 0.5, 0.387], abs=5e-4)
    assert discount_values(np.array([1, 2, 3]), "shifted", 2) == pytest.approx([1, 0.631, 0.5], abs=5e-4)


@pytest.mark.parametrize("name", [*RANK_DISCOUNTS])
def test_a_place_alone_has_the_bits_that_it_has_among_others(name):
    options = {"base": 3, "p": 0.4}
    together = discount_values(np.arange(1, 41), name, **options)
    alone = [discount_values(np.array([place]), name, **options)[0] for place in range(1, 41)]
    assert alone == together.tolist()
