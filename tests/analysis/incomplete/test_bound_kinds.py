"""Which measures have bounds, which have none and why, and the best grade that an unjudged document could have."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import MeasureError, UsageError
from sessionkit.robustness.normalized_bounds import best_grade, bound_of, scale_top
from sessionkit.scoring.batch import GradedPairs
from sessionkit.scoring.measures.base import Wrapper
from sessionkit.scoring.measures.grammar import parse_measure

PLAIN = [measure for measure in sk.MEASURES.values() if not isinstance(measure, Wrapper)]


@pytest.mark.parametrize("measure", PLAIN, ids=lambda measure: measure.name)
def test_every_measure_has_bounds_or_a_reason(measure):
    cut = measure(cutoff=3) if "cutoff" in measure.parameters() else measure
    assert (cut.why_no_bounds() is None) == (cut.bounds is not None)
    assert (cut.bound_kind() is None) == (bound_of(cut) is None) == (cut.bounds is None)


def test_no_form_of_a_measure_inherits_bounds_that_it_has_not():
    kinds = {
        name: sk.MEASURES[name].bounds for name in ("DCG", "nDCG", "esDCG", "esnDCG", "AP", "SeenAP", "R", "Queries")
    }
    wanted = ["linear", "share", "rising", None, "counted", None, "counted", "fixed"]
    assert [*kinds.values()] == wanted
    assert [sk.MEASURES[name].bounds for name in ("DCG_jiang2016", "nDCG_jiang2016")] == ["linear", None]


@pytest.mark.parametrize("measure", PLAIN, ids=lambda measure: measure.name)
def test_what_can_only_rise_says_so_itself(measure):
    if measure.bounds in ("linear", "rising"):
        assert not measure.higher_grade_can_lower
        assert measure.direction == "higher"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DCG(unjudged=skip)@3", "unjudged=zero"),
        ("mean(DCG(grades=user)@3)", "the searchers' grades"),
        ("nsDCG(normalize=query)@3", "normalize=session"),
        ("nsDCG", "cutoff"),
        ("avgpos(nsDCG@3)", "mean of a normalized curve"),
        ("mean(nsDCG@3)", "use the session measure"),
        ("mean(Rprec)", "rank that it looks at"),
        ("nCubeTest", "subtopics"),
    ],
)
def test_reasons_say_what_stands_in_the_way(text, reason):
    assert reason in parse_measure(text).why_no_bounds()
    assert parse_measure("nsDCG(ideal=once)@3").why_no_bounds() is None
    assert "judgment keys" in parse_measure("nsDCG(ideal=once)@3").why_no_bounds(own_keys=True)


@pytest.mark.parametrize(
    ("text", "top", "grade"),
    [
        ("DCG@3", 2, 2),
        ("DCG(gain=0-5-1)@3", 2, 1),
        ("DCG(gain=0-1-5)@3", 1, 1),
        ("P(min_grade=3)", 2, 2),  # no grade of the scale is relevant
        ("P(min_grade=3)", None, 3),
        ("P(level=1)", 3, 1),
        ("P(at_least=2)", None, 2),
        ("ERR(max_grade=4)", None, 4),
        ("RBP(gain=linear,max_grade=4,p=0.5)", 3, 4),
        ("RR", 3, 3),
    ],
)
def test_the_best_grade(text, top, grade):
    assert best_grade(parse_measure(text), top) == grade


def judged(*grades):
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments=pl.DataFrame(
            {"judgment_key": ["t"] * len(grades), "doc_id": [f"d{n}" for n in range(len(grades))], "grade": grades}
        ),
    )
    return GradedPairs.of(study)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:judgments. none of the:sessionkit.errors.DataWarning")
def test_a_scale_is_asked_for_where_it_is_needed():
    assert scale_top([parse_measure("P@3"), parse_measure("mean(bpref)")], judged(1, 2), None) is None
    assert scale_top([parse_measure("ERR(max_grade=4)")], judged(1, 2), None) is None
    with pytest.raises(MeasureError, match=r"mean\(nDCG@3\).*if it is 2.*--max-grade"):
        scale_top([parse_measure("mean(nDCG@3)")], judged(1, 2), None)
    with pytest.raises(UsageError, match="grade 2, above max_grade=1"):
        scale_top([parse_measure("P@3")], judged(1, 2), 1)
    with pytest.raises(UsageError, match="above 0"):
        scale_top([parse_measure("P@3")], judged(1, 2), -1)
