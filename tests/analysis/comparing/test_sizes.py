"""Size of every procedure on simulated null studies: a nominal 5 % test rejects about 5 %, over all pairs at once."""

import numpy as np
import pytest

from sessionkit.analysis.comparing.corrections import adjusted
from sessionkit.analysis.comparing.procedures import PROCEDURES, Options
from sessionkit.analysis.comparing.units import Blocked, Separate

STUDIES = 400  # 5 % with an sd of 1.1 %


def rejections(test, layout, groups, *, unit=0.5):
    """Share of null studies with any pair found different."""
    rng = np.random.default_rng(20)
    found = 0
    for number in range(STUDIES):
        if layout == "blocked":
            units = Blocked(rng.normal(0, unit, (14, 1)) + rng.normal(size=(14, groups)))
        else:
            units = Separate(tuple(rng.normal(0, 1 + group, 12 + 4 * group) for group in range(groups)))
        outcome = PROCEDURES[test].run[layout](units, Options(resamples=199, seed=number))
        p = [pair.p for pair in outcome.pairs.values() if pair.p is not None]
        p = p if PROCEDURES[test].simultaneous else adjusted(p)
        found += min(p, default=1) <= 0.05
    return found / STUDIES


@pytest.mark.parametrize(
    ("test", "layout", "groups"),
    [
        ("t", "blocked", 2),
        ("wilcoxon", "blocked", 2),
        ("randomisation", "blocked", 2),
        ("randomisation", "blocked", 3),
        ("welch", "separate", 2),
        ("mann-whitney", "separate", 2),
        ("t", "blocked", 3),
        ("conover", "blocked", 3),
    ],
)
def test_a_nominal_5_percent_test_rejects_3_to_7_percent(test, layout, groups):
    # two sd of the simulation on either side for those that are exact but for their steps
    assert 0.02 <= rejections(test, layout, groups) <= 0.08


def test_the_sign_test_is_as_exact_as_its_steps_allow():
    # of 14 signs 2 or fewer on one side: 2 x (1 + 14 + 91) / 2^14 = .0129
    assert 0.002 <= rejections("sign", "blocked", 2) <= 0.028
