"""RHL: the reference's worked values, and the median of grouped data restated."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.drawn import OPTIONS, counted, sessions, values, worth, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def test_half_life_of_the_reference():
    both = ["RHL", "RHL(limit=real)"]
    # n = 16, the median class is rank 3: 2 + (8 - 5) / 3
    assert values(written([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]), *both) == [3.0, 3.5]
    # n = 3, rank 3: 2 + (1.5 - 1) / 1
    assert values(written([1, 0, 1, 1, 0]), *both) == [2.5, 3.0]
    # a single relevant document: (1 / 2 - 0) / 1
    assert values(written([1]), *both) == [0.5, 1.0]
    # n = 6, rank 4 with 2: 3 + (3 - 1) / 2
    assert values(written([0, 1, 0, 2, 3]), *both) == [4.0, 4.5]
    # cut at 3, n = 8 and the median class is rank 2: 1 + (4 - 3) / 2
    assert values(written([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]), "RHL@3") == [1.5]
    assert values(written([0, None], more=[3]), "RHL") == [None]


def test_half_of_the_gain_is_reached_exactly():
    """Gains 0.3 at rank 1 and 0.1, 0.2 at ranks 3 and 4: half of 0.6 is reached at rank 1, 0 + 0.3 / 0.3."""
    gain = "gain=0-0.1-0.2-0.3"
    assert values(written([3, 0, 1, 2]), f"RHL({gain})") == [pytest.approx(1.0)]
    assert values(written([1, 2, 0, 3]), f"RHL({gain})") == [pytest.approx(2.0)]


@settings(max_examples=examples(30), deadline=None)
@given(session=sessions(), options=OPTIONS, gain=st.sampled_from(["linear", "exp2", "binary"]))
def test_half_life_restated(session, options, gain):
    found = values(session, sk.parse_measure(f"RHL(gain={gain})")(**options))
    for value, (rows, _) in zip(found, counted(session, options), strict=True):
        # the point where half of the gain is reached if each rank's is spread evenly over the unit below it
        whole = sum(Fraction(worth(row, gain)) for row in rows)
        reached, expected = Fraction(0), None
        for row in rows:
            own = Fraction(worth(row, gain))
            if own and reached < whole / 2 <= reached + own:
                expected = row["rank"] - 1 + (whole / 2 - reached) / own
            reached += own
        assert value == (None if expected is None else pytest.approx(float(expected)))
