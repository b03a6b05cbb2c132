"""Discounts as searchers: expected depth against sums and closed forms, and which discounts describe nobody."""

import math

import numpy as np
import pytest

import sessionkit as sk
from sessionkit.scoring.measures.grammar import parse_measure


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
