"""One row per session: every column against a loop over the tables, or against the verb that it comes from."""

import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

MEASURES = ["nsDCG@10", "mean(P@5)", "Queries"]


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.fixture(scope="module")
def table(clinic):
    return sk.score(clinic, MEASURES, per="session", wide=True)


def test_bounds_are_those_of_the_verb(clinic, table):
    units = sk.bounds(clinic, MEASURES, per="session", wanted=0).units
    for measure in MEASURES[:2]:
        expected = units.filter(measure=measure).sort("session_id")
        assert table["session_id"].to_list() == expected["session_id"].to_list()
        for column, side in ((measure, "value"), (f"{measure} lower", "lower"), (f"{measure} upper", "upper")):
            assert table[column].to_list() == expected[side].to_list()
    assert "Queries lower" not in table.columns
