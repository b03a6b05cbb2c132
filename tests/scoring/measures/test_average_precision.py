"""AP, GAP and SeenAP: worked values, edges, and the definitions restated over random sessions.

Rprec, RR, Success and AvgP: worked values, edges, and the definitions restated over random sessions.

IPrec and IPrec11: worked values, the three rules, and the definitions restated over random sessions.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.measures.average_precision import ELEVEN
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import E2, E2_UNSEEN, E3, B, one_list, value
from tests.scoring.restated_lists import ap, averaged, gap, interpolated, r_precision, ranks
from tests.scoring.studies import sessions

GAINS = {
    "linear": lambda g: max(g, 0),
    "exp2": lambda g: 2 ** max(g, 0) - 1,
    "0-0.4-1-1": lambda g: (0, 0.4, 1, 1)[max(g, 0)],
}


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]), least=st.sampled_from([1, 2]))
def test_definitions(drawn, cutoff, least):
    restated = {
        f"AP(min_grade={least})": lambda rows, base: ap(rows, base, lambda grade: grade >= least),
        f"SeenAP(min_grade={least})": lambda rows, base: ap(rows, base, lambda grade: grade >= least, seen=True),
        "GAP(gain=binary)": lambda rows, base: ap(rows, base, lambda grade: grade >= 1),
    }
    restated |= {
        f"GAP(gain={name})": lambda rows, base, gain=gain: gap(rows, base, gain) for name, gain in GAINS.items()
    }
    require_restated(drawn, cutoff, restated)


def test_worked_values():
    # relevant at 1, 3, 4 of 3: (1/1 + 2/3 + 3/4) / 3, FORMULAS section 8
    assert value("AP", B) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3, abs=1e-15)
    assert value("AP@3", B) == pytest.approx((1 + 2 / 3) / 3, abs=1e-15)
    # E2: relevant at 1, 3, 6, 10, 15, ten relevant: seen .58, all .29 (the slides print .57)
    precisions = 1 + 2 / 3 + 3 / 6 + 4 / 10 + 5 / 15
    assert value("SeenAP", E2, E2_UNSEEN) == pytest.approx(precisions / 5, abs=1e-15) == pytest.approx(0.58)
    assert value("AP", E2, E2_UNSEEN) == pytest.approx(precisions / 10, abs=1e-15) == pytest.approx(0.29)


def test_graded_average_precision_rewards_the_better_order():
    # 3, 1, 2, 2: pairwise minima above and at each rank 3 | 1 + 1 | 2 + 1 + 2 | 2 + 1 + 2 + 2, all gains 8
    assert value("GAP", [3, 1, 2, 2]) == pytest.approx((3 + 2 / 2 + 5 / 3 + 7 / 4) / 8, abs=1e-15)
    assert value("GAP", [3, 2, 2, 1]) == 1.0
    # where the code of Jiang & Allan adds up whole gains, this stays within its bound: 1, 2 -> (1 + 3 / 2) / 3
    assert value("GAP", [1, 2]) == pytest.approx((1 + (1 + 2) / 2) / 3, abs=1e-15)
    assert value("GAP", [1, 3]) == pytest.approx((1 + (1 + 3) / 2) / 4, abs=1e-15)


@pytest.mark.slow
@quiet
def test_edges():
    asked = ["AP", "AP@5", "GAP", "SeenAP"]
    assert [value(measure, [], [1]) for measure in asked] == [0] * 4
    assert [value(measure, [0], [1]) for measure in asked] == [0] * 4
    assert [value(measure, [0]) for measure in asked] == [None] * 4
    assert [value(measure, [None]) for measure in asked] == [None] * 4


def test_explained_by_result():

    terms = sk.explain(one_list(B), "AP").get_column("contribution").to_list()
    assert terms == pytest.approx([1 / 3, 0, 2 / 9, 1 / 4, 0], abs=1e-15)


def relevant(grade):
    """Grades of relevant documents."""
    return grade >= 1


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]))
def test_early_precision_definitions(drawn, cutoff):
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


def test_early_precision_worked_values():
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
        "AvgP(cutoffs=10-5)": "cutoffs .*rising whole numbers",
        "AvgP(cutoffs=0-5)": "cutoffs .*rising whole numbers",
        "AvgP(cutoffs=2.5-5)": "cutoffs .*rising whole numbers",
        "AvgP(weights=0-0-0)": "weights .* at least 0",
        "AvgP(weights=many)": "weights .* at least 0",
        "AvgP(weights=1-2)": "cutoffs=5-10-15 needs 3 weights, not 2",
        "AvgP@10": "AvgP takes no cutoff",
    }.items():
        with pytest.raises(sk.MeasureError, match=said):
            sk.parse_measure(text)


@quiet
def test_early_precision_edges():
    asked = ["Rprec", "RR", "Success@5", "AvgP"]
    assert [value(measure, [], [1]) for measure in asked] == [0] * 4
    assert [value(measure, [0]) for measure in asked] == [None, 0, 0, 0]
    assert [value(measure, [None]) for measure in asked] == [None] * 4


@quiet
@SOME
@given(
    drawn=sessions(),
    cutoff=st.sampled_from([None, 3]),
    rule=st.sampled_from(["ceil", "trec9", "trec10"]),
    level=st.sampled_from([0, 0.07, 0.1, 0.3333, 0.5, 0.7, 1]),
)
def test_recall_levels_definitions(drawn, cutoff, rule, level):
    def mean(rows, base):
        points = [interpolated(rows, base, point, relevant, rule) for point in ELEVEN]
        return None if None in points else sum(points) / 11

    restated = {
        f"IPrec(recall={level},rule={rule})": lambda rows, base: interpolated(rows, base, level, relevant, rule),
        f"IPrec11(rule={rule})": mean,
    }
    require_restated(drawn, cutoff, restated)


@pytest.mark.slow
def test_curves_of_the_slides():
    # E3: 1/3 reached at rank 3, 2/3 at 8, 1 at 15; E2: 1/1, 2/3, 3/6, 4/10, 5/15 at recall .1, .2, .3, .4, .5
    e3 = [value(f"IPrec(recall={level})", E3) for level in ELEVEN]
    assert e3 == pytest.approx([1 / 3] * 4 + [1 / 4] * 3 + [1 / 5] * 4)
    assert (
        value("IPrec11", E3)
        == pytest.approx((4 / 3 + 3 / 4 + 4 / 5) / 11, abs=1e-15)
        == pytest.approx(0.2621, abs=5e-5)
    )
    e2 = [value(f"IPrec(recall={level})", E2, E2_UNSEEN) for level in ELEVEN]
    assert e2 == pytest.approx([1, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3] + [0] * 5)
    assert value("IPrec11", E2, E2_UNSEEN) == pytest.approx((2 + 2 / 3 + 1 / 2 + 2 / 5 + 1 / 3) / 11, abs=1e-15)


def test_versions_of_trec_eval():
    # 14 relevant, the first at rank 1, the second at rank 4: a tenth are 1.4 documents, 2 or 1 of them
    grades, unseen = [1, 0, 0, 1], [1] * 12
    assert value("IPrec(recall=0.1)", grades, unseen) == 2 / 4
    assert value("IPrec(recall=0.1,rule=trec9)", grades, unseen) == 2 / 4
    assert value("IPrec(recall=0.1,rule=trec10)", grades, unseen) == 1.0
    # 21 relevant: .1 x 21 = 2.1 documents need 3; int(2.1 + .9) is 3, if the sum is not just below it
    assert value("IPrec", [1, 1, 0, 1], [1] * 18) == 3 / 4


@quiet
def test_recall_levels_edges():
    asked = ["IPrec(recall=0)", "IPrec", "IPrec11"]
    assert [value(measure, [], [1]) for measure in asked] == [0] * 3
    assert [value(measure, [0]) for measure in asked] == [None] * 3
    assert [value(measure, [None]) for measure in asked] == [None] * 3
    for text in ("IPrec(recall=1.1)", "IPrec(rule=floor)"):
        with pytest.raises(sk.MeasureError, match=r"IPrec: (recall|rule) must be"):
            sk.parse_measure(text)
