"""Squared and absolute errors and KL divergence, restated cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.robustness.calibrate_models import CRITERIA, Looked, distance, model_of
from tests.support.examples import examples

MODELS = {"sDCG": (1.4, 2.5), "sDCG(discount=burges)": (2.5,), "sRBP": (0.7, 0.8), "RBP": (0.6,)} | {
    "sDCG(discount=shifted,query_discount=shifted,rank_origin=session)@4": (1.7, 2.5)
}


@pytest.mark.parametrize("text", MODELS)
@settings(deadline=None, max_examples=examples(40))
@given(cells=st.lists(st.integers(0, 50), min_size=12, max_size=12).filter(any))
def test_distances_are_sums_over_cells(text, cells):
    values, model = np.array(MODELS[text]), model_of(text)
    looked = Looked(np.array(cells, dtype=float).reshape(1, 4, 3)).for_model(model)
    observed = looked.counts[0]
    shape = [
        [float(model.discount(values, np.array([i + 1.0]), np.array([q + 1.0]))[0]) for q in range(observed.shape[1])]
        for i in range(4)
    ]
    total, weight = observed.sum(), sum(map(sum, shape))
    tse = tae = kl = 0.0
    for row, own in zip(observed, shape, strict=True):
        for count, discount in zip(row, own, strict=True):
            o, d = count / total, discount / weight
            tse, tae = tse + (o - d) ** 2, tae + abs(o - d)
            kl += o * math.log2(o / d) if o else 0.0
    found = [distance(name, model, looked, values[None, None])[0, 0] for name in CRITERIA]
    assert found == pytest.approx([tse, tae, kl], rel=1e-9, abs=1e-12)


def test_a_base_that_cancels_changes_nothing():
    looked = Looked(np.array([[[9.0, 4.0], [3.0, 1.0]]]))
    ones = [
        distance("TSE", model_of(f"sDCG(discount=burges,b={b})"), looked, np.array([[[3.0]]])) for b in (1.01, 2, 20)
    ]
    assert ones[0] == ones[1] == ones[2]


def test_a_grid_is_cut_or_filled_with_nothing():
    looked = Looked(np.array([[[9.0, 4.0], [3.0, 1.0]]]))
    assert looked.extended(1, 3).counts.tolist() == [[[9.0, 4.0, 0.0]]]
    assert looked.extended(3, 1).counts.tolist() == [[[9.0], [3.0], [0.0]]]


def test_a_draw_without_looks_has_no_shares_and_warns_of_nothing(recwarn):
    shares = Looked(np.array([[[1.0, 3.0]], [[0.0, 0.0]]])).shares
    assert shares[0].tolist() == [[0.25, 0.75]]
    assert np.isnan(shares[1]).all()
    assert not recwarn.list
