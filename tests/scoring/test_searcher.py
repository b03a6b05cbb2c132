"""Discounts as searchers: expected depth against sums and closed forms, and which discounts describe nobody.

The chances of a walk add up, and are those of a searcher who decides document by document.
"""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.arguments import Truncation
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.searcher import NEGLIGIBLE, Walk


def who(text):
    found, _ = parse_measure(text).searcher()
    return found


@pytest.mark.parametrize(
    ("text", "documents", "queries"),
    [
        ("RBP(p=0.8)", 5, None),  # 1 / (1 - .8)
        ("sRBP(b=0.64,p=0.86)", 1 / 0.14, (1 - 0.64 * 0.86) / 0.14),
        ("sRBP(b=1,p=0.8)", 5, 1),  # RBP of the first query
        ("DCG(discount=geometric,p=0.5)", 2, None),
        ("esDCG(pdown=0.7,pref=0.6)", 1 / 0.3 / 0.4, 2.5),
        ("sDCG(discount=geometric,p=0.5,query_discount=geometric,pq=0.75)", 8, 4),
    ],
)
def test_geometric_searchers_stop_even_without_an_end(text, documents, queries):
    found = who(text)
    assert found.endless == pytest.approx(documents)
    assert found.seen(400, 400).sum() == pytest.approx(documents if queries else 400 * documents)
    if queries is not None:
        assert found.queries.endless == pytest.approx(queries)
        assert found.queries.seen(400).sum() == pytest.approx(queries)


def test_srbp_looks_at_a_result_as_its_weights_say():
    # (p - bp) / (1 - bp) to the next query, bp to the next rank; the weights are 1 - p times these
    b, p = 0.5, 0.8
    seen = who(f"sRBP(b={b},p={p})").seen(2, 3)
    onward = (p - b * p) / (1 - b * p)
    assert seen.tolist() == pytest.approx(np.array([[1, 0.4, 0.16], [onward, onward * 0.4, onward * 0.16]]))


@pytest.mark.parametrize(
    "text", ["sDCG@10", "DCG@10", "CG@10", "DCG(discount=reciprocal)@5", "DCG(discount=jk2002,b=3)@5"]
)
def test_sums_without_an_end_have_none(text):
    assert who(text).endless == math.inf
    assert who(text).seen(1, 4)[0, 0] == 1


def test_forms_of_sdcg():
    # 1 + 1/2 + 1/(1 + log2 3); 1 + 1/(1 + log4 2) = 1 + 2/3
    assert who("sDCG@10").seen(2, 3).sum() == pytest.approx((1 + 0.5 + 1 / (1 + math.log2(3))) * (1 + 2 / 3))
    # the shifted form: 1, 1/log2 3; 1, 1/log4 5
    assert who("sDCG(like=jiang2016)@9").seen(2, 2).sum() == pytest.approx(
        (1 + 1 / math.log2(3)) * (1 + 1 / math.log(5, 4))
    )
    # along the concatenation: rank 1 of query 2 is place 3
    onward = who("sDCG(rank_origin=session)@2").seen(2, 2)
    assert onward[1, 0] == pytest.approx((2 / 3) / (1 + math.log2(3)))
    # base 10 begins with 1 / log10 2 = 3.32: shares of that are those of base 2
    assert who("DCG(b=10)@5").seen(1, 5) == pytest.approx(who("DCG@5").seen(1, 5))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("DCG(discount=rn2002,b=4)@10", "rises"),
        ("RSDCG(lambda=0.5)@10", "count back"),
        ("ERR(max_grade=2)", "no discount"),
    ],
)
def test_who_is_nobody(text, why):
    found, said = parse_measure(text).searcher()
    assert found is None
    assert why in said


def test_rn2002_of_base_2_falls():
    assert who("DCG(discount=rn2002)@10").seen(1, 4)[0].tolist() == pytest.approx([1, 1, 1 / math.log2(3), 0.5])


def test_clocks():
    assert "323.2 s" in sk.MEASURES["TBG"].clock()  # 224 / ln 2
    assert parse_measure("U(horizon=3000)").clock().endswith("reads 1500 words on average")
    assert parse_measure("U(horizon=99,seconds=9.8-23-37.6)").clock().endswith("49.5 s on average")
    assert parse_measure("sU(horizon=99)").clock().endswith("49.5 s on average")
    assert parse_measure("sDCG@10").clock() is None


shares = st.sampled_from([0, 0.3, 0.5, 0.9, 0.999, 1]) | st.floats(0, 1)
walks = st.builds(Walk, pdown=shares, pref=shares, truncate=st.sampled_from(get_args(Truncation)))


@given(walk=walks, lengths=st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_somewhere_everybody_stops(walk, lengths):
    ends = np.array(lengths)
    for stops, comes in ((walk.stops, walk.reads), (walk.ends, walk.comes)):
        chances = np.array([stops(place, ends) for place in range(ends.max() + 1)])
        assert chances.sum(axis=0) == pytest.approx(np.ones(len(ends)), abs=1e-12)
        for place in range(1, ends.max() + 1):
            assert comes(place, ends) == pytest.approx(chances[place:].sum(axis=0), abs=1e-12)


def test_chances_by_hand():
    three = np.array([3])
    assert [Walk(0.5, 0).stops(i, three).item() for i in range(5)] == [0, 0.5, 0.25, 0.25, 0]
    renormalized = Walk(0.5, 0, "renormalise")
    assert [renormalized.stops(i, three).item() for i in range(5)] == [0, *(x / 1.75 for x in (1, 0.5, 0.25)), 0]
    assert [Walk(0, 0.5).ends(i, np.array([2])).item() for i in (1, 2, 3)] == [0.5, 0.5, 0]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_nobody_to_speak_of_comes_deeper(share):
    deepest = Walk(share, 0).deepest
    assert share ** (deepest - 1) >= NEGLIGIBLE > share**deepest
    assert Walk(0, share).longest == deepest
    assert Walk(1, 1).deepest is None
