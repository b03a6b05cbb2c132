"""Sliding ratio, satisfaction, frustration and their total: the reference's worked values, and the definitions restated."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import MeasureError
from tests.scoring.measures.drawn import OPTIONS, counted, sessions, study_of, values, worth, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(30), deadline=None)
L = written([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], more=[1, 1, 1])
RANKS = range(1, 11)


def rounded(session, name):
    return [round(value, 4) for value in values(session, *(f"{name}@{rank}" for rank in RANKS))]


def test_ratios_of_the_reference():
    # 3/3, 5/6, 8/9, 8/11, 8/13, 9/15, 11/16, 13/16, 16/16, 16/16
    assert rounded(L, "SlidingRatio") == [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.8125, 1, 1]
    assert round(sum(values(L, *(f"SlidingRatio@{rank}" for rank in RANKS))) / 10, 4) == 0.8165
    # a list of which only the first five are shown has an easier ideal
    first = {**L, "lists": [L["lists"][0][:5]]}
    assert rounded(first, "SlidingRatio")[:5] == [1, 0.8333, 1, 1, 1]
    # with the best documents of the topic, nCG: 13 / (3 x 3 + 3 x 2 + 2 x 1) at 8
    assert values(L, "nCG@8") == [pytest.approx(13 / 17)]
    # Keen's request, with the ideal of Giuliano & Jones: five relevant documents at ranks 1, 2, 4, 6 and 13
    keen = written([1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1])
    assert rounded(keen, "nCG")[:7] == [1, 1, 0.6667, 0.75, 0.6, 0.8, 0.8]
    assert values(keen, "nCG@12", "nCG@13") == [0.8, 1.0]


@pytest.mark.slow
def test_satisfaction_and_frustration_of_the_reference():
    satisfied = rounded(L, "Satisfaction(threshold=2)")
    assert satisfied == [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.5333, 0.6667, 0.8, 1, 1]
    # below 2 by 2, 2, 1 and 2 at ranks 4, 5, 6 and 10: the worst order has 2, 4, 6, 7
    assert rounded(L, "Frustration(threshold=2)") == [0, 0, 0, 0.2857, 0.5714, 0.7143, 0.7143, 0.7143, 0.7143, 1]
    assert rounded(L, "SFT(threshold=2)")[4] == 0.5220
    assert rounded(L, "SFT(threshold=2)")[6] == 0.4762
    assert values(L, "SFT(threshold=2,lambda=0)@5", "SFT(threshold=2,lambda=1)@5") == [
        pytest.approx(1 - 4 / 7), pytest.approx(8 / 13),
    ]  # fmt: skip


def test_nothing_over_nothing_is_undefined():
    good, bad = written([3, 2]), written([0, 1], more=[2])
    assert values(good, *(f"{name}(threshold=2)@1" for name in ("Satisfaction", "Frustration", "SFT"))) == [
        1.0,
        None,
        None,
    ]
    assert values(bad, *(f"{name}(threshold=2)@1" for name in ("Satisfaction", "Frustration", "SFT"))) == [
        None,
        1.0,
        None,
    ]
    assert values({**good, "lists": [[]]}, "SlidingRatio@1", "Frustration@1") == [None, None]


def test_a_whole_list_is_in_no_better_order_than_itself():
    # without a cutoff both lists hold the same documents: S = 1, F = 1, T = (1 + 0) / 2
    assert values(L, "SlidingRatio", "Satisfaction", "Frustration", "SFT") == [1.0, 1.0, 1.0, 0.5]


def test_a_weight_is_a_share():
    with pytest.raises(MeasureError, match="lambda must be a number between 0 and 1, both included, not 2"):
        sk.parse_measure("SFT(lambda=2)@10")


def ratio(values_in_order, cutoff, ranks):
    """What stands down to the cutoff over the largest values of all."""
    best = sum(sorted(values_in_order, reverse=True)[:cutoff])
    there = sum(value for value, rank in zip(values_in_order, ranks, strict=True) if rank <= cutoff)
    return there / best if best > 0 else None


@FEW
@given(
    session=sessions(),
    options=OPTIONS,
    cutoff=st.integers(1, 5),
    threshold=st.sampled_from([0.5, 2, 3]),
    weight=st.sampled_from([0.25, 0.5]),
)
def test_restated(session, options, cutoff, threshold, weight):
    options = {**options, "cutoff": None}  # the whole list counts, whatever the cutoff
    own = {"duplicates": options["duplicates"], "unjudged": options["unjudged"], "cutoff": cutoff}
    texts = ["SlidingRatio", *(f"{name}(threshold={threshold})" for name in ("Satisfaction", "Frustration"))]
    texts.append(f"SFT(threshold={threshold},lambda={weight})")
    found = values(session, *(sk.parse_measure(f"{text}@1")(**own) for text in texts))
    lists = counted(session, options)
    assert len(found) == 4 * len(lists)
    for number, (rows, _) in enumerate(lists):
        ranks, gains = [row["rank"] for row in rows], [worth(row) for row in rows]
        expected = [None] * 4
        if session["judgments"]:
            satisfied = ratio([gain * (gain >= threshold) for gain in gains], cutoff, ranks)
            frustrated = ratio([max(0, threshold - gain) for gain in gains], cutoff, ranks)
            total = None
            if satisfied is not None and frustrated is not None:
                total = weight * satisfied + (1 - weight) * (1 - frustrated)
            expected = [ratio(gains, cutoff, ranks), satisfied, frustrated, total]
        assert found[4 * number : 4 * number + 4] == [
            None if value is None else pytest.approx(value) for value in expected
        ]


def test_contributions_add_up():
    for text in ("SlidingRatio@7", "Satisfaction(threshold=2)@7", "Frustration(threshold=2)@7"):
        table = sk.explain(study_of(L), text)
        assert table.get_column("contribution").sum() == pytest.approx(values(L, text)[0])
