"""Rprec, RR, Success and AvgP: worked values, edges, and the definitions restated over random sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import E2, E2_UNSEEN, E3, B, value
from tests.scoring.restated_lists import averaged, r_precision, ranks
from tests.scoring.studies import sessions


def relevant(grade):
    """Grades of relevant documents."""
    return grade >= 1


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]))
def test_definitions(drawn, cutoff):
    restated = {
        "Rprec": lambda rows, base: r_precision(rows, base, relevant),
        "RR": lambda rows, _: max((1 / rank for rank in ranks(rows, relevant)), default=0.0),
        "Success": lambda rows, _: float(bool(ranks(rows, relevant))),
    }
    require_restated(drawn, cutoff, restated)


@quiet
@SOME
@given(drawn=sessions(), cutoffs=st.sets(st.integers(1, 7), min_size=1, max_size=4), data=st.data())
def test_averages_at_cutoffs(drawn, cutoffs, data):
    cutoffs = sorted(cutoffs)
    weights = [data.draw(st.sampled_from([1, 2, 3])) for _ in cutoffs]
    text = f"AvgP(cutoffs={'-'.join(map(str, cutoffs))},weights={'-'.join(map(str, weights))})"
    require_restated(drawn, None, {text: lambda rows, base: averaged(rows, base, cutoffs, weights, relevant)})


def test_worked_values():
    assert value("Rprec", B) == pytest.approx(2 / 3)
    assert value("Rprec", E2, E2_UNSEEN) == 4 / 10  # slides .4
    assert value("Rprec", E3) == pytest.approx(1 / 3)  # slides .33
    assert value("RR", E3) == pytest.approx(1 / 3)
    assert [value(f"Success@{k}", E3) for k in (1, 2, 3)] == [0, 0, 1]
    # P@5 = .4, P@10 = .4, P@15 = 1/3
    assert value("AvgP", E2, E2_UNSEEN) == pytest.approx((0.4 + 0.4 + 1 / 3) / 3, abs=1e-15)
    assert value("AvgP(weights=3-2-1)", E2, E2_UNSEEN) == pytest.approx((1.2 + 0.8 + 1 / 3) / 6, abs=1e-15)


def test_all_relevant_is_exactly_one():
    assert value("AvgP(cutoffs=3-7-49)", [1] * 49) == 1.0
    assert value("AvgP(cutoffs=3-7-49,weights=0.1-0.2-0.3)", [1] * 49) == pytest.approx(1.0, abs=1e-15)


def test_cutoffs_and_weights():
    assert str(sk.parse_measure("AvgP(cutoffs=10-20)")) == "AvgP(cutoffs=10-20,weights=1-1)"
    assert str(sk.parse_measure("AvgP(cutoffs=5-10-15,weights=1-1-1)")) == "AvgP"
    assert str(sk.parse_measure("AvgP(weights=0.5-2-1.0)")) == "AvgP(weights=0.5-2-1)"
    assert str(sk.parse_measure("AvgP(cutoffs=5)")) == "AvgP(cutoffs=5,weights=1)"
    assert sk.parse_measure("AvgP(cutoffs=10-20)")(cutoffs=(5, 10, 15)) == sk.parse_measure("AvgP")
    for text, said in {
        "AvgP(cutoffs=10-5)": "cutoffs must be rising whole numbers",
        "AvgP(cutoffs=0-5)": "cutoffs must be rising whole numbers",
        "AvgP(cutoffs=2.5-5)": "cutoffs must be rising whole numbers",
        "AvgP(weights=0-0-0)": "weights must be numbers of at least 0",
        "AvgP(weights=many)": "weights must be numbers of at least 0",
        "AvgP(weights=1-2)": "cutoffs=5-10-15 needs 3 weights, not 2",
        "AvgP@10": "AvgP takes no cutoff",
    }.items():
        with pytest.raises(sk.MeasureError, match=said):
            sk.parse_measure(text)


@quiet
def test_edges():
    asked = ["Rprec", "RR", "Success@5", "AvgP"]
    assert [value(measure, [], [1]) for measure in asked] == [0] * 4
    assert [value(measure, [0]) for measure in asked] == [None, 0, 0, 0]
    assert [value(measure, [None]) for measure in asked] == [None] * 4
