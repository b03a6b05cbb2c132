"""Tails of t and F are scipy.stats' own, without loading it."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics.distributions import f_beyond, t_at, t_beyond
from sessionkit.statistics.effects import SPREAD_NODES, _places


def test_they_are_those_of_scipy():
    rng = np.random.default_rng(1)
    for t, df, more, tail in zip(*rng.uniform((-9, 1, 1, 0), (9, 300, 30, 1), (200, 4)).T, strict=True):
        assert t_beyond(t, df) == stats.t.sf(t, df)
        assert t_at(tail, df) == stats.t.isf(tail, df)
        assert f_beyond(t * t, more, df) == stats.f.sf(t * t, more, df)


@pytest.mark.slow
def test_places_of_gauss_and_legendre_are_those_of_numpy():
    at, weight = _places()
    theirs, weights = np.polynomial.legendre.leggauss(SPREAD_NODES)
    assert np.abs(at - theirs).max() < 1e-15
    assert np.abs(weight / weights - 1).max() < 1e-8
    for power in (0, 2, 10, 2 * SPREAD_NODES - 2):  # exact for every polynomial of a degree below 2 NODES
        assert abs(weight @ at**power - 2 / (power + 1)) < 1e-14


def test_comparing_loads_no_scipy_stats():
    code = (
        "import sys, numpy as np; from sessionkit.statistics.crossover import least_squares; "
        "from sessionkit.statistics.units import Crossed; n = np.arange(16); "
        "pair = least_squares(Crossed(np.sin(n), (n // 4 + n) % 2, n // 4, n % 4, 2)).pairs[0, 1]; "
        "pair.interval(0.05), pair.effect_interval(0.05); sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
