"""What is asked of sessions: a measure of queries is refused, with advice that can be followed where it is given."""

from functools import partial

import pytest

import sessionkit as sk
from sessionkit.errors import MeasureError
from tests.support.clinic import read_clinic

OF_SESSIONS = {
    "compare": sk.compare,
    "mixed": sk.mixed,
    "power": partial(sk.power, difference=0.1),
    "judgment_loss": sk.judgment_loss,
    "judge_noise": sk.judge_noise,
    "discriminative_power": sk.discriminative_power,
    "correlate": partial(sk.correlate, with_="satisfaction"),
    "sweep": partial(sk.sweep, vary={"b": [2, 3]}),
    "incomplete": sk.incomplete,
}


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.parametrize("name", OF_SESSIONS)
def test_a_measure_of_queries_is_refused_without_naming_an_option_that_is_not_there(clinic, name):
    with pytest.raises(MeasureError, match=r"for example mean\(nDCG@10\)$"):
        OF_SESSIONS[name](clinic, "nDCG@10")


def test_where_values_per_query_can_be_asked_for_that_is_said(clinic):
    with pytest.raises(MeasureError, match="or use --per query"):
        sk.score(clinic, "nDCG@10", per="session")
