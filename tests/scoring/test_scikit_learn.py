"""Query measures against scikit-learn, which knows no recall base but the list: here the list shows everything judged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score, precision_recall_fscore_support

from tests.scoring.one_list import value
from tests.support.examples import examples

FEW = settings(max_examples=examples(40), deadline=None)
LISTS = st.lists(st.integers(0, 3), min_size=2, max_size=15).filter(any)


@FEW
@given(LISTS)
def test_average_precision(grades):
    scores = -np.arange(len(grades))
    peer = average_precision_score(np.array(grades) > 0, scores)
    assert value("AP", grades) == pytest.approx(peer, abs=1e-10)


@FEW
@given(LISTS, st.integers(1, 15))
def test_ndcg(grades, k):
    scores = -np.arange(len(grades))
    assert value(f"nDCG@{k}", grades) == pytest.approx(ndcg_score([grades], [scores], k=k), abs=1e-10)
    gains = [2**grade - 1 for grade in grades]
    assert value(f"nDCG(gain=exp2)@{k}", grades) == pytest.approx(ndcg_score([gains], [scores], k=k), abs=1e-10)


@pytest.mark.slow
@FEW
@given(LISTS, st.sampled_from([0.5, 1, 2]), st.lists(st.integers(0, 3), max_size=4))
def test_precision_recall_and_f_of_the_whole_list(grades, beta, unseen):
    truth = np.array([*grades, *unseen]) > 0
    retrieved = np.arange(len(truth)) < len(grades)
    p, r, f, _ = precision_recall_fscore_support(truth, retrieved, beta=beta, average="binary", zero_division=0)
    ours = [value(measure, grades, unseen) for measure in ("P", "R", f"F(beta={beta})")]
    assert ours == pytest.approx([p, r, f], abs=1e-10)
