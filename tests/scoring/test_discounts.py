"""Discounts against their formulas, and the orders that bounds rest on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
