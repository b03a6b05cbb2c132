"""Discounts against their formulas, and the orders that bounds rest on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.discounts import RANK_DISCOUNTS, discount_values

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
        ("nDCG(discount=.5-1)@3", "discount=0.5-1 rises with the ranks somewhere, so the best list is not the ideal"),
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
