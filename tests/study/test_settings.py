"""Settings: what can be declared, and how refusals read."""

import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.study import Settings


def test_numbers_become_floats_and_lists_tuples():
    settings = Settings(max_grade=3, unjudged_grades=[-1, -2])
    assert (settings.max_grade, settings.unjudged_grades) == (3.0, (-1.0, -2.0))
    assert (
        Settings(**{**settings.as_dict(), "unjudged_grades": tuple(settings.as_dict()["unjudged_grades"])}) == settings
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_grade": 0}, "above 0"),
        ({"max_grade": 1e300}, "below 1024"),
        ({"max_grade": "3"}, "number above 0"),
        ({"max_grade": float("nan")}, "number above 0"),
        ({"max_grade": True}, "number above 0"),
        ({"unjudged_grades": (1,)}, "negative numbers"),
        ({"unjudged_grades": "-1"}, "negative numbers"),
        ({"merge": "mex"}, "did you mean 'max'"),
        ({"collection_size": 0}, "at least 1"),
        ({"collection_size": 2**63}, "below 2\\^63"),
        ({"collection_size": 1.5}, "whole number"),
        ({"title": 3}, "title must be text"),
        ({"timezone": "Vienna"}, "IANA"),
        ({"timezone": "../../etc/passwd"}, "IANA"),
    ],
)
def test_values_out_of_range_are_refused(given, words):
    with pytest.raises(DataError, match=words):
        Settings(**given)


def test_unknown_names_are_refused():
    with pytest.raises(UsageError, match="did you mean 'max_grade'"):
        Settings.of({"maxgrade": 2})
