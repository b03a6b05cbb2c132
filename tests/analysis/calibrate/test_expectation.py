"""What a fit expects, where lists and sessions end too."""

import numpy as np

from sessionkit.robustness.calibrate_models import expected, model_of, reached
from tests.analysis.calibrate.drawing_models import drawn_counts


def test_expected_looks_are_those_of_the_model_that_made_them():
    whole = drawn_counts("sRBP", (0.6, 0.8), 40_000, seed=2, length=6)
    made = expected(model_of("sRBP"), np.array([0.6, 0.8]), whole)
    assert made.shape == whole.looked().shape
    assert made[0, 0] == 40_000
    # standard deviations of counts of this size are below their square roots times 2
    assert (np.abs(made - whole.looked()) < 8 * np.sqrt(made)).all()


def test_what_ended_is_taken_out_of_what_is_expected():
    whole = drawn_counts("sRBP", (0.6, 0.8), 40_000, seed=2, length=6)
    ended = whole.limited(3, None)
    assert expected(model_of("sRBP"), np.array([0.6, 0.8]), ended).shape[0] == 3
    rank, query = reached(ended.stops(by_position=False)[0])
    assert abs(rank - 0.48) < 0.01  # bp
    assert abs(query - 0.32 / 0.52) < 0.01  # (p - bp) / (1 - bp)
