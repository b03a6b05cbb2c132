"""What a fit expects, where lists and sessions end too.

Discounts as the share of searchers who come to a place.

The stopping likelihood, restated list by list and session by session, and against closed forms and scipy.

Squared and absolute errors and KL divergence, restated cell by cell.
"""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from sessionkit.robustness.calibrate_fits import fitted
from sessionkit.robustness.calibrate_models import (
    CRITERIA,
    Free,
    Looked,
    distance,
    expected,
    factor,
    free_of,
    log_likelihood,
    model_of,
    reached,
)
from sessionkit.scoring.discounts import RANK_DISCOUNTS, discount_values
from tests.robustness.drawing_models import counted, drawn_counts
from tests.support.examples import examples


def test_expected_looks_are_those_of_the_model_that_made_them():
    whole = drawn_counts("sRBP", (0.6, 0.8), 40_000, seed=2, length=6)
    made = expected(model_of("sRBP"), np.array([0.6, 0.8]), whole)
    assert made.shape == whole.looked().shape
    assert made[0, 0] == 40_000
    # standard deviations of counts of this size are below their square roots times 2
    assert (np.abs(made - whole.looked()) < 8 * np.sqrt(made)).all()


def test_what_ended_is_taken_out_of_what_is_expected():
    whole = drawn_counts("sRBP", (0.6, 0.8), 40_000, seed=2, length=6)
    ended = whole.limited(3, None)
    assert expected(model_of("sRBP"), np.array([0.6, 0.8]), ended).shape[0] == 3
    rank, query = reached(ended.stops(by_position=False)[0])
    assert abs(rank - 0.48) < 0.01  # bp
    assert abs(query - 0.32 / 0.52) < 0.01  # (p - bp) / (1 - bp)


PLACES = np.arange(1, 40)


@pytest.mark.parametrize("form", RANK_DISCOUNTS)
@pytest.mark.parametrize("value", [1.2, 1.9])
def test_factors_are_the_discounts_that_measures_take_divided_by_their_first_value(form, value):
    value = value - 1 if form == "geometric" else value
    taken = discount_values(PLACES, form, base=value, p=value)
    own = factor(form, np.array([value]) if free_of(form, "b", "p") else None, PLACES)
    np.testing.assert_allclose(np.broadcast_to(own, (1, 39))[0], taken / taken[0], rtol=1e-12)


@pytest.mark.parametrize("free", [Free("b", base=True), Free("b", base=True, high=2.0), Free("p", base=False)])
def test_coordinates_lead_back_to_their_values(free):
    low, high = free.bounds
    at = np.linspace(low, high, 11)
    values = free.value(at)
    np.testing.assert_allclose(free.coordinate(values), at, rtol=1e-6, atol=1e-6)
    assert ((values > 1) if free.base else ((values > 0) & (values < 1))).all()


def test_rn2002_is_kept_where_it_falls():
    # above b=2 the second rank would count more than the first: 1 / log_3(2) = 1.585
    assert free_of("rn2002", "b", "p").high == 2.0
    assert factor("rn2002", np.array([3.0]), np.array([2]))[0, 0] == pytest.approx(1.58496, abs=1e-5)


def share(form, value, i):
    """The share of searchers who come to place i."""
    return {
        "log": lambda: 1 / (1 + math.log(i, value)),
        "shifted": lambda: math.log(value) / math.log(i + value - 1),
        "burges": lambda: math.log(2) / math.log(i + 1),
        "geometric": lambda: value ** (i - 1),
        "jk2002": lambda: 1.0 if i < value else 1 / math.log(i, value),
    }[form]()


def surface(text, values):
    """D(i, q) of some measures, in plain Python."""
    if text == "sRBP":
        b, p = values
        return lambda i, q: (b * p) ** (i - 1) * ((p - b * p) / (1 - b * p)) ** (q - 1)
    if text.startswith("RBP"):
        return lambda i, _: values[0] ** (i - 1)
    if "rank_origin" in text:
        return lambda i, q: share("shifted", values[0], i + 10 * (q - 1)) * share("shifted", values[1], q)
    rank = next((form for form in ("shifted", "burges", "geometric", "jk2002") if f"(discount={form}" in text), "log")
    query = next((form for form in ("shifted", "geometric") if f"query_discount={form}" in text), "log")
    return lambda i, q: share(rank, values[0], i) * share(query, values[-1], q)


MODELS = {
    "sDCG": (1.4, 2.5),
    "sDCG(discount=shifted,query_discount=shifted)": (1.4, 2.5),
    "sDCG(discount=shifted,query_discount=shifted,rank_origin=session)@10": (1.7, 2.5),
    "sDCG(discount=burges)": (2.5,),
    "sDCG(discount=jk2002)": (1.6, 2.5),
    "sDCG(discount=geometric,query_discount=geometric,p=0.5,pq=0.5)": (0.6, 0.4),
    "sRBP": (0.7, 0.8),
    "RBP": (0.6,),
}
LISTS = st.tuples(st.integers(1, 9), st.booleans())
SESSIONS = st.lists(st.tuples(st.lists(LISTS, min_size=1, max_size=5), st.booleans()), min_size=1, max_size=6)


@pytest.mark.parametrize("text", MODELS)
@settings(deadline=None, max_examples=examples(60))
@given(sessions=SESSIONS)
def test_likelihood_is_what_every_list_and_session_contributes(text, sessions):
    values, model = MODELS[text], model_of(text)
    of, expected = surface(text, values), 0.0
    lists, ends = [], []
    for lists_of, ended in sessions:
        last = len(lists_of)
        ends.append((0, last, ended))
        if model.query_form:
            expected += math.log(of(1, last) - (0 if ended else of(1, last + 1)))
        for q, (m, cut) in enumerate(lists_of, 1):
            lists.append((0, q, m, cut))
            expected += math.log((of(m, q) - (0 if cut else of(m + 1, q))) / of(1, q))
    whole = counted(
        pl.DataFrame(lists, schema=["unit", "query_position", "rank", "ended"], orient="row"),
        pl.DataFrame(ends, schema=["unit", "query_position", "ended"], orient="row"),
    )
    stops, _ = whole.stops(by_position=model.along)
    found = log_likelihood(model, stops, np.array(values)[None, None])[0, 0]
    assert found == pytest.approx(expected, rel=1e-9)


def test_the_likelihood_of_srbp_is_that_of_its_path():
    # CLASSIC: (bp)^(T - Q) (p(1 - b))^(Q - S) (1 - p)^S of T looks, Q lists, S sessions; here 4, 2, 1 and two of each
    lists = pl.DataFrame({"unit": [0, 0], "query_position": [1, 2], "rank": [3, 1], "ended": [False, False]})
    sessions = pl.DataFrame({"unit": [0], "query_position": [2], "ended": [False]})
    stops, _ = counted(lists, sessions).stops(by_position=False)
    b, p = 0.7, 0.8
    path = (b * p) ** 2 * (p * (1 - b)) * (1 - p)
    assert log_likelihood(model_of("sRBP"), stops, np.array([[[b, p]]]))[0, 0] == pytest.approx(math.log(path))


@pytest.mark.parametrize(("looks", "lists_", "sessions_"), [(8, 5, 4), (40, 25, 10)])
def test_srbp_has_its_closed_form(looks, lists_, sessions_):
    # all further lists in the first session, all further looks in its first list
    more = lists_ - sessions_
    first = [
        (n, q, 1 + (looks - lists_ if n == q - 1 == 0 else 0), False)
        for n in range(sessions_)
        for q in range(1, 2 + more * (n == 0))
    ]
    lists = pl.DataFrame(first, schema=["unit", "query_position", "rank", "ended"], orient="row")
    ends = pl.DataFrame(
        [(n, 1 + more * (n == 0), False) for n in range(sessions_)],
        schema=["unit", "query_position", "ended"],
        orient="row",
    )
    whole = counted(lists, ends)
    assert (whole.looked().sum(), whole.looked()[0].sum(), whole.looked()[0, 0]) == (looks, lists_, sessions_)
    fit = fitted(model_of("sRBP"), "likelihood", whole.stops(by_position=False)[0])
    expected = [(looks - lists_) / (looks - sessions_), 1 - sessions_ / looks]
    np.testing.assert_allclose(fit.values, expected, atol=1e-6)


def test_a_censored_geometric_discount_has_its_closed_form():
    # steps down / (steps down + stops): lists of depth 3, 2 (ended), 1, 1: steps 2 + 1, stops 3
    lists = pl.DataFrame(
        {"unit": [0] * 4, "query_position": [1] * 4, "rank": [3, 2, 1, 1], "ended": [False, True, False, False]}
    )
    sessions = pl.DataFrame({"unit": [0] * 4, "query_position": [1] * 4, "ended": [False] * 4})
    fit = fitted(model_of("RBP"), "likelihood", counted(lists, sessions).stops(by_position=False)[0], 1.92)
    assert fit.values[0] == pytest.approx(3 / 6, abs=1e-6)
    low, high = fit.intervals[0]
    for end in (low, high):  # 3 ln p + 3 ln(1 - p) falls by 1.92 there
        assert 3 * math.log(end) + 3 * math.log(1 - end) == pytest.approx(6 * math.log(0.5) - 1.92, abs=1e-4)


@pytest.mark.parametrize(
    "text", ["sDCG", "sDCG(discount=shifted,query_discount=shifted,rank_origin=session)@10", "sRBP"]
)
def test_an_optimizer_of_scipy_finds_the_same(text):
    model = model_of(text)
    whole = drawn_counts("sDCG", (1.9, 1.15), 400, seed=3).limited(10, 8)
    stops = whole.stops(by_position=model.along)[0]

    def cost(at):
        values = [free.value(x) for free, x in zip(model.free, at, strict=True)]
        return -log_likelihood(model, stops, np.array(values)[None, None])[0, 0]

    other = optimize.minimize(
        cost, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000}
    )
    fit = fitted(model, "likelihood", stops)
    assert fit.best == pytest.approx(-other.fun, abs=1e-7)
    np.testing.assert_allclose(fit.at, other.x, atol=1e-5)


def test_what_cannot_happen_has_no_likelihood():
    # jk2002 with b above 2 lets nobody stop at rank 1
    lists = pl.DataFrame({"unit": [0], "query_position": [1], "rank": [1], "ended": [False]})
    sessions = pl.DataFrame({"unit": [0], "query_position": [1], "ended": [True]})
    stops, _ = counted(lists, sessions).stops(by_position=False)
    at = np.array([[[3.0, 4.0], [1.5, 4.0]]])
    found = log_likelihood(model_of("sDCG(discount=jk2002)"), stops, at)[0]
    assert found[0] == -math.inf
    assert found[1] == pytest.approx(math.log(1 - math.log(1.5) / math.log(2)))


SHARES_MODELS = {"sDCG": (1.4, 2.5), "sDCG(discount=burges)": (2.5,), "sRBP": (0.7, 0.8), "RBP": (0.6,)} | {
    "sDCG(discount=shifted,query_discount=shifted,rank_origin=session)@4": (1.7, 2.5)
}


@pytest.mark.parametrize("text", SHARES_MODELS)
@settings(deadline=None, max_examples=examples(40))
@given(cells=st.lists(st.integers(0, 50), min_size=12, max_size=12).filter(any))
def test_distances_are_sums_over_cells(text, cells):
    values, model = np.array(SHARES_MODELS[text]), model_of(text)
    looked = Looked(np.array(cells, dtype=float).reshape(1, 4, 3)).for_model(model)
    observed = looked.counts[0]
    shape = [
        [float(model.discount(values, np.array([i + 1.0]), np.array([q + 1.0]))[0]) for q in range(observed.shape[1])]
        for i in range(4)
    ]
    total, weight = observed.sum(), sum(map(sum, shape))
    tse = tae = kl = 0.0
    for row, own in zip(observed, shape, strict=True):
        for count, discount in zip(row, own, strict=True):
            o, d = count / total, discount / weight
            tse, tae = tse + (o - d) ** 2, tae + abs(o - d)
            kl += o * math.log2(o / d) if o else 0.0
    found = [distance(name, model, looked, values[None, None])[0, 0] for name in CRITERIA]
    assert found == pytest.approx([tse, tae, kl], rel=1e-9, abs=1e-12)


def test_a_base_that_cancels_changes_nothing():
    looked = Looked(np.array([[[9.0, 4.0], [3.0, 1.0]]]))
    ones = [
        distance("TSE", model_of(f"sDCG(discount=burges,b={b})"), looked, np.array([[[3.0]]])) for b in (1.01, 2, 20)
    ]
    assert ones[0] == ones[1] == ones[2]


def test_a_grid_is_cut_or_filled_with_nothing():
    looked = Looked(np.array([[[9.0, 4.0], [3.0, 1.0]]]))
    assert looked.extended(1, 3).counts.tolist() == [[[9.0, 4.0, 0.0]]]
    assert looked.extended(3, 1).counts.tolist() == [[[9.0], [3.0], [0.0]]]


def test_a_draw_without_looks_has_no_shares_and_warns_of_nothing(recwarn):
    shares = Looked(np.array([[[1.0, 3.0]], [[0.0, 0.0]]])).shares
    assert shares[0].tolist() == [[0.25, 0.75]]
    assert np.isnan(shares[1]).all()
    assert not recwarn.list
