"""How many documents decide a difference at least: against every set of documents."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.analysis.incompleteness.differences import needed

STEPS = st.lists(st.sampled_from([-4, -3, -2, -1, 1, 2, 3]), max_size=6)


def fewest(difference, steps):
    """The smallest set that, in the best case, leaves no way to turn the sign, or to a tie."""
    sign = 1 if difference > 0 else -1
    for many in range(len(steps) + 1):
        for chosen in combinations(range(len(steps)), many):
            gained = sum(max(sign * steps[at], 0) for at in chosen)
            against = sum(-min(sign * step, 0) for at, step in enumerate(steps) if at not in chosen)
            if abs(difference) + gained - against > 0:
                return many
    return None


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([-5, -2, -1, 1, 2, 5]), STEPS)
def test_no_fewer_documents_can_decide_it(difference, steps):
    assert needed(float(difference), np.array(steps, dtype=float)) == fewest(difference, steps)
