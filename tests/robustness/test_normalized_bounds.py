"""Which measures have bounds, which have none and why, and the best grade that an unjudged document could have.

Extreme shares against a search over all gains: those of judged documents, 0, the best, and some between them.
"""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import MeasureError, UsageError
from sessionkit.robustness.normalized_bounds import Parts, best_grade, bound_of, extremes, scale_top
from sessionkit.scoring.batch import GradedPairs
from sessionkit.scoring.measures.base import Wrapper
from sessionkit.scoring.measures.grammar import parse_measure
from tests.support.examples import examples

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
    with pytest.raises(MeasureError, match=r"mean\(nDCG@3\).* is 2.*--max-grade"):
        scale_top([parse_measure("mean(nDCG@3)")], judged(1, 2), None)
    with pytest.raises(UsageError, match="grade 2, above max_grade=1"):
        scale_top([parse_measure("P@3")], judged(1, 2), 1)
    with pytest.raises(UsageError, match="above 0"):
        scale_top([parse_measure("P@3")], judged(1, 2), -1)


BETWEEN = (0.25, 1.0, 1.5, 2.0, 2.75)
"""Gains of unjudged documents that are tried beside 0 and the best."""


@st.composite
def units(draw):
    """A unit of one or two keys: for each its judged gains with weights, own weights, others, and the ideal's weights."""
    keys = []
    for _ in range(draw(st.integers(1, 2))):
        judged = draw(
            st.lists(st.tuples(st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from([0.0, 0.5, 0.8])), max_size=2)
        )
        own = sorted(draw(st.lists(st.sampled_from([0.2, 0.5, 1.0, 1.4]), max_size=2)), reverse=True)
        ideal = sorted(draw(st.lists(st.sampled_from([0.1, 0.5, 0.8, 1.0, 2.0]), min_size=1, max_size=4)), reverse=True)
        keys.append((judged, own, draw(st.integers(0, 1)), ideal))
    return keys


def parts_of(keys, levels=(1.0, 2.0, 3.0)):
    """The same as arrays."""
    longest = max(len(ideal) for _, _, _, ideal in keys)
    table = np.zeros((len(keys), longest + 1))
    for row, (_, _, _, ideal) in enumerate(keys):
        table[row, 1 : len(ideal) + 1] = ideal
    return Parts(
        unit=np.zeros(len(keys), dtype=np.int64),
        known=np.array([sum(gain * weight for gain, weight in judged) for judged, _, _, _ in keys]),
        own=np.array([len(own) for _, own, _, _ in keys]),
        weights=np.array([weight for _, own, _, _ in keys for weight in own]),
        others=np.array([others for _, _, others, _ in keys]),
        shape=np.arange(len(keys)),
        ideal=table.cumsum(axis=1),
        base=np.array([[sum(gain >= level for gain, _ in judged) for level in levels] for judged, _, _, _ in keys]),
        heights=np.diff(levels, prepend=0.0),
    )


def every_share(keys):
    """The share for every choice of gains."""
    free = [(key, place) for key, (_, own, others, _) in enumerate(keys) for place in range(len(own) + others)]
    for gains in product((0.0, *BETWEEN, 3.0), repeat=len(free)):
        shown = best = 0.0
        for key, (judged, own, _, ideal) in enumerate(keys):
            mine = [gain for (of, _), gain in zip(free, gains, strict=True) if of == key]
            shown += sum(gain * weight for gain, weight in judged)
            shown += sum(gain * weight for gain, weight in zip(mine, own, strict=False))
            base = sorted([*mine, *(gain for gain, _ in judged)], reverse=True)
            best += sum(gain * weight for gain, weight in zip(base, ideal, strict=False))
        if best > 0:
            yield shown / best


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(units())
def test_no_choice_of_gains_is_outside_and_some_meet_the_bounds(keys):
    judged = [sum(gain for gain, _ in of_key) for of_key, _, _, _ in keys]
    lower, upper = (float(bound[0]) for bound in extremes(parts_of(keys)))
    shares = list(every_share(keys))
    if not shares:
        assert np.isnan(lower)
        assert np.isnan(upper)
        return
    assert min(shares) == pytest.approx(lower)
    if sum(judged) or any(own for _, own, _, _ in keys):
        assert max(shares) == pytest.approx(upper)


def test_the_greatest_share_can_need_a_gain_between():
    # relevant at weights 1 and .8 (gain 1), unjudged between them at .9; its gain 0: 1.8 / 1.9, 1: 2.7 / 2.7, 3: 4.5 / 4.7
    keys = [([(1.0, 1.0), (1.0, 0.8)], [0.9], 0, [1.0, 0.9, 0.8])]
    lower, upper = extremes(parts_of(keys))
    assert float(upper[0]) == pytest.approx(1.0)
    assert float(lower[0]) == pytest.approx(1.8 / 1.9)


def test_a_document_that_turns_out_relevant_can_lower_the_share():
    # relevant at rank 1 (weight 1), unjudged at rank 3 (.5), gains up to 1: 1 / 1 now, (1 + .5) / (1 + .63) with the other relevant
    keys = [([(1.0, 1.0)], [0.5], 0, [1.0, 0.63, 0.5])]
    lower, upper = extremes(parts_of(keys, levels=(1.0,)))
    assert float(lower[0]) == pytest.approx(1.5 / 1.63)
    assert float(upper[0]) == pytest.approx(1.0)


def test_many_units_are_those_of_each_alone(monkeypatch):
    from sessionkit.robustness import normalized_bounds

    rng = np.random.Generator(np.random.PCG64(1))
    singles = []
    for _ in range(40):
        own = sorted(rng.choice([0.2, 0.5, 1.0], size=rng.integers(0, 4)), reverse=True)
        singles.append([([(float(rng.integers(1, 4)), 0.5)], own, int(rng.integers(0, 2)), [1.0, 0.6, 0.5])])
    alone = [[float(bound[0]) for bound in extremes(parts_of(keys))] for keys in singles]
    each = [parts_of(keys) for keys in singles]
    together = Parts(
        unit=np.arange(40),
        **{
            name: np.concatenate([getattr(part, name) for part in each])
            for name in ("known", "own", "weights", "others", "base")
        },
        shape=np.zeros(40, dtype=np.int64),
        ideal=each[0].ideal,
        heights=each[0].heights,
    )
    monkeypatch.setattr(normalized_bounds, "CELLS", 50)  # a few at a time
    assert np.transpose(extremes(together)).tolist() == alone


def test_the_deepest_of_several_lowers_it_most():
    # relevant at weight 1, unjudged at .63 and .05: none relevant 1; the deeper one (1 + .05) / (1 + .63); both 1.68 / 2.13
    keys = [([(1.0, 1.0)], [0.63, 0.05], 0, [1.0, 0.63, 0.5])]
    lower, _ = extremes(parts_of(keys, levels=(1.0,)))
    assert float(lower[0]) == pytest.approx(1.05 / 1.63)
