"""Values of measures by query, side by side with their restatement, for the tests of every file of list measures."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings

import sessionkit as sk
from sessionkit.study import Settings
from tests.scoring.restated_lists import lists_of
from tests.scoring.studies import study_of
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
SOME = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def require_restated(drawn, cutoff, restated, pooled=()):
    """Hold the value of every query against its restatement.

    Parameters
    ----------
    drawn
        Sessions and judgments of studies.sessions.
    restated
        By the text of a measure without its cutoff: a function of rows and base; where that of the queries whose key has
        no judgments is None, the value is null.
    pooled
        Grades that mean pooled but unjudged.
    """
    made, judgments = drawn
    study = replace(study_of(made, judgments), settings=Settings(max_grade=3, unjudged_grades=tuple(pooled)))
    asked = {f"{text}@{cutoff}" if cutoff else text: function for text, function in restated.items()}
    lists = lists_of(made, judgments, cutoff, pooled)
    measures = {str(sk.parse_measure(text)): function for text, function in asked.items()}
    scores = sk.score(study, list(measures), per="query")
    assert len(scores) == len(lists) * len(measures)
    for session, position, measure, value in scores.select("session_id", "query_position", "measure", "value").rows():
        rows, base = lists[session, position]
        wanted = None if base is None else measures[measure](rows, base)
        assert value == (None if wanted is None else pytest.approx(wanted, abs=1e-10)), (measure, rows, base)
