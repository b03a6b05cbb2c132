"""Worked vectors of the papers, with the arithmetic in view or the source named; the formula holds, not the
misprint.
"""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring.discounts import discount_values
from sessionkit.scoring.execution import avg_pos, avg_vect, norm_vect

GAINS = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]  # G' of Research Notes 2002-2, TOIS 2002 and ECIR 2008
BASE = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]  # the recall base of the same papers


def one_list(gains, base):
    """A session of one query that shows these grades, with a recall base of those."""
    left = list(base)
    for grade in gains:
        if grade:
            left.remove(grade)
    shown = [f"d{i}" for i in range(len(gains))]
    more = [f"r{i}" for i in range(len(left))]
    return sk.from_tables(
        results={
            "session_id": ["s"] * len(gains),
            "query_position": [1] * len(gains),
            "rank": range(1, len(gains) + 1),
            "doc_id": shown,
            "topic_id": ["t"] * len(gains),
        },
        judgments={
            "judgment_key": ["t"] * (len(shown) + len(more)),
            "doc_id": shown + more,
            "grade": list(gains) + left,
        },
    )


@pytest.fixture(scope="module")
def jk():
    return one_list(GAINS, BASE)


@pytest.fixture(scope="module")
def toy():
    """FORMULAS: q1 = <0,1,0>, an empty q2, q3 = <2,0,1>; recall base {2,2,1,1,0}."""
    return sk.from_tables(
        queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3], "results_status": ["shown", "empty", "shown"]},
        results={
            "session_id": ["s"] * 6,
            "query_position": [1] * 3 + [3] * 3,
            "rank": [1, 2, 3] * 2,
            "doc_id": list("xbyazc"),
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 5, "doc_id": list("adbcx"), "grade": [2, 2, 1, 1, 0]},
    )


def by_rank(study, name):
    """Values of a query measure at every cutoff from 1 to 10."""
    measure = sk.parse_measure(name)
    scores = sk.score(study, [measure @ k for k in range(1, 11)], per="query")
    return scores.get_column("value").to_list()


def value(study, measure):
    return sk.score(study, measure, per="session").get_column("value").item()


def test_cumulated_gain_of_the_papers(jk):
    assert by_rank(jk, "CG") == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]


def test_discounted_cumulated_gain_of_the_papers(jk):
    printed = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    assert by_rank(jk, "DCG(discount=rn2002)") == pytest.approx(printed, abs=0.005)
    assert by_rank(jk, "DCG(discount=jk2002)") == pytest.approx(printed, abs=0.005)


def test_rn2002_boosts_below_the_base_and_jk2002_does_not(jk):
    # b=4: rank 2 counts 2 / log_4 2 = 4 in the Research Notes, 2 in TOIS
    assert by_rank(jk, "DCG(discount=rn2002,b=4)")[:2] == [3, 7]
    assert by_rank(jk, "DCG(discount=rn2002,b=4)")[9] == pytest.approx(16.21, abs=0.005)
    assert by_rank(jk, "DCG(discount=jk2002,b=4)") == pytest.approx(
        [3, 5, 8, 8, 8, 8.77, 10.20, 11.53, 13.42, 13.42], abs=0.005
    )


def test_ecir_appendix_follows_its_formula_not_its_misprint(jk):
    # 3 + 2/(1 + log_4 2) = 4.3333, where the paper prints 4; + 3/(1 + log_4 3) = 6.0070, ...
    exact = np.cumsum([g / (1 + np.log(i) / np.log(4)) for i, g in enumerate(GAINS, 1)])
    assert by_rank(jk, "DCG(discount=log,b=4)") == pytest.approx(exact, rel=1e-14)
    assert by_rank(jk, "DCG(discount=log,b=4)") == pytest.approx(
        [3, 4.3333, 6.0070, 6.0070, 6.0070, 6.4432, 7.2753, 8.0753, 9.2358, 9.2358], abs=5e-5
    )


def test_normalized_vectors_and_their_average_positions(jk):
    ncg = by_rank(jk, "nCG")
    ndcg = by_rank(jk, "nDCG(discount=jk2002)")
    assert ncg == pytest.approx([1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.7647, 0.8889, 0.8421], abs=5e-5)
    assert ndcg == pytest.approx([1, 0.8333, 0.8733, 0.7751, 0.7067, 0.6915, 0.7343, 0.7719, 0.8328, 0.8117], abs=5e-5)
    assert avg_pos(ncg) == pytest.approx(0.7848079599, abs=1e-10)
    assert avg_pos(ndcg) == pytest.approx(0.8030554849, abs=1e-10)
    assert norm_vect(by_rank(jk, "CG"), np.cumsum(BASE)) == pytest.approx(ncg)
    asked = ["avgpos(nCG@10)", "avgpos(nDCG(discount=jk2002)@10)", "avgpos(CG@10)", "avgpos(nCG@5)"]
    averages = sk.score(jk, asked, per="query").get_column("value").to_list()
    # of CG 3, 5, 8, 8, 8, 9, 11, 13, 16, 16
    assert averages == pytest.approx([avg_pos(ncg), avg_pos(ndcg), 9.7, avg_pos(ncg, 5)], abs=1e-14)
    assert value(jk, "mean(avgpos(nCG@10))") == averages[0]


def test_ideal_vector_of_the_papers():
    ideal = by_rank(one_list(BASE, BASE), "DCG(discount=jk2002)")
    # the Research Notes truncate 10.5278 and 11.2174 to 10.52 and 11.21
    assert ideal == pytest.approx([3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83], abs=0.01)


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [
        ("sDCG@3", 1.8315915058),  # form A: 1/2 + (2 + 1/(1 + log2 3)) / (1 + log4 3)
        ("sDCG(like=jiang2016)@3", 3.3388994042),  # form B
        ("sDCG(like=kanoulas2011)@3", 1.6375439658),  # form C: three slots a query, the empty query keeps its own
        ("sDCG(like=srbp2019)@3", 1.4677585905),  # form D
        ("nsDCG@3", 0.2431026132),
        ("avgpos(nsDCG@3)", 0.1449451097),
        ("nsDCG(ideal=once)@3", 1.8315915058 / 3.3868528072),
        ("mean(sDCG@3)", 1.8315915058 / 3),
    ],
)
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_toy_session_in_the_forms_of_public_code(toy, measure, wanted):
    assert value(toy, measure) == pytest.approx(wanted, abs=1e-10)


def test_concatenated_vector_of_the_toy_session(toy):
    curve = sk.curve(toy, "sDCG@3")
    assert curve.get_column("value").to_list() == pytest.approx(
        [0, 0.5, 0.5, 0.5, 0.5, 0.5, 1.615772, 1.615772, 1.831592], abs=5e-7
    )
    assert curve.get_column("ideal")[-1] == pytest.approx(7.5342320758, abs=1e-10)
    normalized = [0, 0.166667, 0.14763, 0.105928, 0.092819, 0.088578, 0.239001, 0.220782, 0.243103]
    assert sk.curve(toy, "nsDCG@3").get_column("value").to_list() == pytest.approx(normalized, abs=5e-7)


def test_query_factors_of_ecir():
    factors = [1, 0.666667, 0.557886, 0.5, 0.462756, 0.436209, 0.416029, 0.4, 0.386853, 0.375804, 0.366339]
    assert discount_values(np.arange(1, 12), "log", base=4) == pytest.approx(factors, abs=5e-7)


def test_a_perfect_query_followed_by_empty_ones_loses_share():
    # CLASSIC section 5: a weighted mean; 1 / (1 + 2/3) = .6, 1 / (1 + 2/3 + .557886) = .4495
    for empty, wanted in ((1, 0.6), (2, 0.4495)):
        study = sk.from_tables(
            queries={"session_id": ["s"] * (1 + empty), "query_position": range(1, 2 + empty)},
            results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
            sessions={"session_id": ["s"], "topic_id": ["t"]},
            judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [3]},
        )
        assert value(study, "nsDCG@1") == pytest.approx(wanted, abs=5e-5)


def two_perfect_lists():
    """Two queries that both show <3, 2>; recall base 3, 2, 1."""
    return sk.from_tables(
        results={
            "session_id": ["s"] * 4,
            "query_position": [1, 1, 2, 2],
            "rank": [1, 2, 1, 2],
            "doc_id": list("abab"),
            "topic_id": ["t"] * 4,
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [3, 2, 1]},
    )


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [
        ("nsDCG@2", 1.0),
        ("nsDCG(ideal=spread)@2", 1.379),  # CLASSIC section 5: not bounded by 1
        ("nsDCG(ideal=once)@2", 1.667),
    ],
)
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_ideals_that_do_not_bound(measure, wanted):
    assert value(two_perfect_lists(), measure) == pytest.approx(wanted, abs=5e-4)


@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_first_and_once_can_exceed_one_too():
    # lists <3, 2>, <1>: (3 + 2/2 + (1/1)/1.5) / (3 + 2/2) = 1.1667
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 3,
            "query_position": [1, 1, 2],
            "rank": [1, 2, 1],
            "doc_id": list("abc"),
            "topic_id": ["t"] * 3,
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [3, 2, 1]},
    )
    assert value(study, "nsDCG(duplicates=first,ideal=once)@2") == pytest.approx(7 / 6, rel=1e-12)


def test_first_and_repeated_stays_below_one():
    # lists <3, 1>, <2>: (3 + 1/2 + 2/1.5) / ((3 + 2/2)(1 + 1/1.5)) = .725, the best these documents can do
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 3,
            "query_position": [1, 1, 2],
            "rank": [1, 2, 1],
            "doc_id": list("acb"),
            "topic_id": ["t"] * 3,
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [3, 2, 1]},
    )
    assert value(study, "nsDCG(duplicates=first)@2") == pytest.approx(0.725, rel=1e-12)


def test_spread_curve_is_solved_anew_for_every_prefix():
    # grades 3, 2, 1 in slots of a session with X=2: the best assignment of the first two slots uses 3 and 2
    study = two_perfect_lists()
    ideal = sk.curve(study, "nsDCG(duplicates=first,ideal=spread)@2").get_column("ideal").to_list()
    worth = [1, 1 / 2, 1 / 1.5, 1 / 3]
    best = [sum(g * w for g, w in zip([3, 2, 1], sorted(worth[:t], reverse=True), strict=False)) for t in range(1, 5)]
    assert ideal == pytest.approx(best, rel=1e-12)
    values = sk.curve(study, "nsDCG(duplicates=first,ideal=spread)@2").get_column("value")
    assert values.max() <= 1.0


def test_avg_vect_and_both_orders_of_averaging():
    # two sessions of one query: <1, 0> of recall base {1} and <0, 3> of recall base {3}
    study = sk.from_tables(
        results={
            "session_id": ["a", "a", "b", "b"],
            "query_position": [1] * 4,
            "rank": [1, 2] * 2,
            "doc_id": ["x", "n", "n", "y"],
            "topic_id": ["t", "t", "u", "u"],
        },
        judgments={"judgment_key": ["t", "u"], "doc_id": ["x", "y"], "grade": [1, 3]},
    )
    each = sk.curve(study, "sDCG@2", normalize="each").get_column("value").to_list()
    averages = sk.curve(study, "sDCG@2", normalize="averages").get_column("value").to_list()
    assert each == pytest.approx([(1 + 0) / 2, (1 + 0.5) / 2])
    assert averages == pytest.approx([1 / (1 + 3), (1 + 1.5) / (1 + 3)])
    mean_curve = sk.curve(study, "sDCG@2").get_column("value").to_list()
    assert mean_curve == pytest.approx(avg_vect([[1, 1], [0, 1.5]]).tolist())


def test_rows_are_in_the_order_asked_for(toy):
    asked = ["mean(nDCG@3)", "sDCG@3", "nsDCG(undefined=zero,normalize=query)@3", "avgpos(sDCG@3)", "nsDCG@3"]
    with pytest.warns(sk.DataWarning, match="upper bound"):
        assert sk.score(toy, asked, per="session").get_column("measure").to_list() == asked


@pytest.mark.parametrize("measure", ["sDCG@3", "nsDCG@3"])
def test_length_of_average_positions(toy, measure):
    own = sk.curve(toy, measure).get_column("value").to_list()
    assert value(toy, f"avgpos({measure},length=5)") == pytest.approx(sum(own[:5]) / 5, rel=1e-12)
    assert value(toy, f"avgpos({measure},length=12)") == pytest.approx((sum(own) + 3 * own[-1]) / 12, rel=1e-12)
    assert isinstance(sk.score(toy, measure, per="session"), pl.DataFrame)


def test_a_gap_in_the_ranks_is_a_slot():
    # list of ranks 1 and 7, cut at 3: three slots come before the second query, whose rank 1 is slot 4
    study = sk.from_tables(
        results={"session_id": ["s"] * 3, "query_position": [1, 1, 2], "rank": [1, 7, 1], "doc_id": list("abc")},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "c"], "grade": [1, 3]},
    )
    measure = "sDCG(rank_origin=session,slots=shown,discount=reciprocal,query_discount=none)@3"
    with pytest.warns(sk.DataWarning, match="deeper than .* 1 of 2 queries"):
        assert value(study, measure) == pytest.approx(1 + 3 / 4)


@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_an_ideal_of_n_queries_has_the_positions_1_to_n():
    # the second of three queries was not logged; without query discount the ideal of 3 queries is 3 x 1
    study = sk.from_tables(
        queries={
            "session_id": ["s"] * 3,
            "query_position": [1, 2, 3],
            "results_status": ["shown", "not_logged", "shown"],
        },
        results={"session_id": ["s"] * 2, "query_position": [1, 3], "rank": [1, 1], "doc_id": ["a", "a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    of_three = value(study, "nsDCG(ideal_queries=3,query_discount=none)@2")
    assert of_three == pytest.approx(2 / 3)
    assert value(study, "nsDCG(query_discount=none)@2") == 1
