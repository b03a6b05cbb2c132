"""The chances of a walk add up, and are those of a searcher who decides document by document."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.arguments import Truncation
from sessionkit.scoring.searcher import NEGLIGIBLE, Walk

shares = st.sampled_from([0, 0.3, 0.5, 0.9, 0.999, 1]) | st.floats(0, 1)
walks = st.builds(Walk, pdown=shares, pref=shares, truncate=st.sampled_from(get_args(Truncation)))


@given(walk=walks, lengths=st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_somewhere_everybody_stops(walk, lengths):
    ends = np.array(lengths)
    for stops, comes in ((walk.stops, walk.reads), (walk.ends, walk.comes)):
        chances = np.array([stops(place, ends) for place in range(ends.max() + 1)])
        assert chances.sum(axis=0) == pytest.approx(np.ones(len(ends)), abs=1e-12)
        for place in range(1, ends.max() + 1):
            assert comes(place, ends) == pytest.approx(chances[place:].sum(axis=0), abs=1e-12)


def test_chances_by_hand():
    three = np.array([3])
    assert [Walk(0.5, 0).stops(i, three).item() for i in range(5)] == [0, 0.5, 0.25, 0.25, 0]
    renormalized = Walk(0.5, 0, "renormalise")
    assert [renormalized.stops(i, three).item() for i in range(5)] == [0, *(x / 1.75 for x in (1, 0.5, 0.25)), 0]
    assert [Walk(0, 0.5).ends(i, np.array([2])).item() for i in (1, 2, 3)] == [0.5, 0.5, 0]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_nobody_to_speak_of_comes_deeper(share):
    deepest = Walk(share, 0).deepest
    assert share ** (deepest - 1) >= NEGLIGIBLE > share**deepest
    assert Walk(0, share).longest == deepest
    assert Walk(1, 1).deepest is None
