"""Settings: what can be declared, and how refusals read."""

import math

import pytest

import sessionkit as sk
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


def test_a_band_of_equivalence_is_a_number_above_0_for_each_measure():
    assert Settings(equivalence={"nsDCG@10": 1}).equivalence == {"nsDCG@10": 1.0}
    for wrong in ({"nsDCG@10": 0}, {"nsDCG@10": -0.02}, {"nsDCG@10": True}, {"nsDCG@10": math.inf}, {1: 0.02}, [0.02]):
        with pytest.raises(DataError, match="a number above 0 for each measure"):
            Settings(equivalence=wrong)


def test_a_band_is_kept_when_a_study_is_saved_and_says_what_is_no_measure(tmp_path):
    rows = {"session_id": list("abcd"), "query_position": [1] * 4, "rank": [1] * 4, "doc_id": list("dede")}
    sessions = {"session_id": list("abcd"), "system_id": list("ABAB"), "user_id": list("1122")}

    def saved(measure):
        study = sk.from_tables(rows, None, sessions=sessions, equivalence={measure: 2})
        study.save(tmp_path / measure)
        return sk.open_study(tmp_path / measure)

    assert saved("Clicks").settings.equivalence == {"Clicks": 2.0}
    assert sk.compare(saved("Queries()"), "Queries").equivalence == {"Queries": 2.0}  # however the measure is spelled
    with pytest.raises(UsageError, match=r"equivalence .*study\.toml .*'Querys'; .*'Queries'"):
        sk.compare(saved("Querys"), "Queries")
