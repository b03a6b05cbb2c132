"""sRBP against its weights restated, its limits, and the fits printed with the paper.

Recency-weighted measures against their sums restated; without recency they are the measures that they weight.
"""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.session_rank_biased import RSDCG, RSRBP, sRBP
from tests.scoring.restated import Session
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples

COUNTS = Path(__file__).resolve().parents[4] / "shared" / "data" / "srbp_observed_counts.tsv"
shares = st.sampled_from([0, 0.2, 0.5, 0.86, 1])


def grid(queries, ranks, relevant):
    """A session of so many lists of so many ranks, with these (query, rank) relevant."""
    places = [(q, i) for q in range(1, queries + 1) for i in range(1, ranks + 1)]
    return sk.from_tables(
        results={
            "session_id": ["s"] * len(places),
            "query_position": [q for q, _ in places],
            "rank": [i for _, i in places],
            "doc_id": [f"d{q}-{i}" for q, i in places],
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={
            "judgment_key": ["t"] * (len(relevant) + 1),
            "doc_id": [*(f"d{q}-{i}" for q, i in relevant), "d1-1" if not relevant else "other"],
            "grade": [2] * len(relevant) + [0],
        },
    )


def value(study, measure):
    return sk.score(study, measure, per="session").get_column("value").item()


@settings(deadline=None, max_examples=examples(50))
@given(b=shares, p=shares, relevant=st.sets(st.tuples(st.integers(1, 3), st.integers(1, 4))))
def test_the_sum_restated(b, p, relevant):
    if b * p == 1:
        return
    study = grid(3, 4, sorted(relevant))
    wanted = (1 - p) * sum(((p - b * p) / (1 - b * p)) ** (q - 1) * (b * p) ** (i - 1) for q, i in relevant)
    assert value(study, sRBP(b=b, p=p)) == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    assert value(study, sRBP(b=b, p=p, gain="linear")) == pytest.approx(2 * wanted, rel=1e-12, abs=1e-15)


def test_weights_of_everything_add_up_to_one():
    # FORMULAS section 4: the discounts sum to 1 / (1 - p), 7.142857 at b=.64, p=.86
    everything = [(q, i) for q in range(1, 81) for i in range(1, 51)]
    found = value(grid(80, 50, everything), "sRBP(b=0.64,p=0.86)")
    assert found / (1 - 0.86) == pytest.approx(7.142857, abs=5e-7)
    assert found == pytest.approx(1, abs=1e-12)


def test_with_b_1_it_is_rbp_of_the_first_query():
    study = grid(2, 5, [(1, 1), (1, 4), (2, 1)])
    # .2 x (1 + .8^3)
    assert value(study, "sRBP(b=1,p=0.8)") == pytest.approx(0.2 * (1 + 0.512), rel=1e-15)
    assert value(study, "sRBP(b=1,p=0.8)") == value(study, "first(RBP(p=0.8))")


@pytest.mark.realdata
@pytest.mark.skipif(not COUNTS.is_file(), reason="the real logs are not on this machine")
def test_the_printed_fits_to_the_track_are_those_of_these_weights():
    """Squared error, absolute error and divergence (bits) of the normalized weights from 7,834 examined results."""
    with COUNTS.open(encoding="utf-8", newline="") as file:
        cells = {
            (int(row["query"]), int(row["rank"])): int(row["count"]) for row in csv.DictReader(file, delimiter="\t")
        }
    queries, ranks = (max(places) for places in zip(*cells, strict=True))
    observed = np.array([[cells[q, i] for i in range(1, ranks + 1)] for q in range(1, queries + 1)], dtype=float)
    assert observed.sum() == 7834
    observed /= observed.sum()
    b, p = 0.64, 0.86
    weights = np.array(
        [
            [((p - b * p) / (1 - b * p)) ** (q - 1) * (b * p) ** (i - 1) for i in range(1, ranks + 1)]
            for q in range(1, queries + 1)
        ]
    )
    everything = [(q, i) for q in range(1, queries + 1) for i in range(1, ranks + 1)]
    ours = value(grid(queries, ranks, everything), sRBP(b=b, p=p))
    assert ours == pytest.approx((1 - p) * weights.sum(), rel=1e-12)
    fitted = weights / weights.sum()
    some = observed > 0
    found = (
        ((observed - fitted) ** 2).sum(),
        np.abs(observed - fitted).sum(),
        (observed[some] * np.log2(observed[some] / fitted[some])).sum(),
    )
    # FORMULAS section 4, as the notebook prints them: .0046, .4950, .9475
    assert found == pytest.approx((0.0046293073, 0.4949603734, 0.9474900386), abs=5e-10)


def test_explained_by_result_and_drawn_as_a_curve():
    study = grid(2, 3, [(1, 1), (2, 2)])
    measure = "sRBP(b=0.5,p=0.8)@3"
    explained = sk.explain(study, measure)
    # second query: (.8 - .4) / .6 = 2/3; rank 2: .4; stopping: .2
    wanted = [0.2, 0, 0, 0, 0.2 * 0.4 * 2 / 3, 0]
    assert explained.get_column("contribution").to_list() == pytest.approx(wanted, abs=1e-15)
    assert sk.curve(study, measure).get_column("value").to_list() == pytest.approx(np.cumsum(wanted).tolist())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sRBP", "b and p, .*sRBP\\(b=0.64,p=0.86\\)@10"),
        ("sRBP(b=2,p=0.5)", "b .*between 0 and 1, .*included, .* 2"),
        ("sRBP(b=0.5,p=1.5)", "p .*between 0 and 1, .*included, .* 1.5"),
        ("sRBP(b=1,p=1)", "neither stops nor issues"),
    ],
)
def test_what_is_wrong_is_said(text, says):
    with pytest.raises(sk.MeasureError) as error:
        sk.score(grid(1, 1, []), text, per="session")
    assert re.search(says, str(error.value))


def test_elsewhere_b_stays_a_base():
    with pytest.raises(sk.MeasureError, match=r"b must be a number above 1, not 0\.5"):
        parse_measure("sDCG(b=0.5)")


OPTIONS = {
    "duplicates": st.sampled_from(["all", "first"]),
    "unjudged": st.sampled_from(["zero", "skip"]),
    "grades": st.sampled_from(["judgments", "user"]),
    "depth": st.sampled_from(["all", "last_click"]),
    "cutoff": st.sampled_from([None, 3]),
    "queries": st.sampled_from([None, 2]),
    "undefined": st.sampled_from(["null", "zero"]),
    "unjudged_topics": st.sampled_from(["null", "zero"]),
}


def values(study, measure):
    return dict(sk.score(study, measure, per="session").select("session_id", "value").rows())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(deadline=None, max_examples=examples(60))
@given(data=st.data(), own_keys=st.booleans(), fading=st.sampled_from([0, 0.3, 2]))
def test_recency_sum_restated(data, own_keys, fading):
    made, judgments = data.draw(sessions(keys_per_query=own_keys))
    options = data.draw(st.fixed_dictionaries({}, optional=OPTIONS))
    discounts = data.draw(
        st.sampled_from([{}, {"discount": "geometric", "p": 0.6}, {"discount": "burges", "b": 3, "bq": 2}])
    )
    study = study_of(made, judgments, keys_per_query=own_keys)
    found = values(study, RSDCG(**options, **discounts, lambda_=fading))
    biased = values(study, RSRBP(**options, b=0.5, p=0.8, lambda_=fading))
    for session_id, one in made.items():
        each = Session(session_id, one["queries"], one["topic"], judgments, options | discounts)
        last = len(each.queries)
        parts = [each.part(m) * math.exp(-fading * (last - 1 - m)) for m in range(last)]
        rows = [
            (q["position"], row["rank"], math.exp(-fading * (last - 1 - m)))
            for m, q in enumerate(each.queries)
            for row in each.lists[m]
            if row["gain"] >= 1
        ]
        # b p = .4; the next query counts (.8 - .4) / .6 = 2/3 of the one before
        persistent = [0.2 * (2 / 3) ** (m - 1) * 0.4 ** (n - 1) * recency for m, n, recency in rows]
        judged = each.has_judgments()
        for ours, wanted in ((found, sum(parts)), (biased, sum(persistent))):
            value = wanted if judged else each.undefined(judged)
            assert ours[session_id] == (value if value is None else pytest.approx(value, rel=1e-12, abs=1e-15))
    if fading == 0:
        assert found == values(study, sk.sDCG(**options, **discounts))
        assert biased == values(study, parse_measure("sRBP(b=0.5,p=0.8)")(**options))


def test_the_parameter_is_called_lambda():
    text = "RSDCG(lambda=0.5)@10"
    assert str(parse_measure(text)) == text
    assert RSDCG(lambda_=0.5) @ 10 == parse_measure(text) == RSDCG(**{"lambda": 0.5}, cutoff=10)
    assert parse_measure(text).parameters()["lambda"] == 0.5
    assert "lambda_" not in RSDCG.parameters()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("RSDCG@10", "RSDCG@10 needs lambda, .*RSDCG\\(lambda=0.5\\)@10"),
        ("RSRBP(b=0.5)", "RSRBP\\(b=0.5\\) needs p and lambda"),
        ("RSDCG(lambda=-1)", "lambda .* at least 0, .* -1"),
        ("RSDCG(lambda=1,discount=geometric)", "needs p"),
        ("RSRBP(b=1,p=1,lambda=1)", "b=1 and p=1"),
        ("sDCG(lambda=1)", "sDCG .* parameter 'lambda'"),
    ],
)
def test_recency_what_is_wrong_is_said(text, says):
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.raises(sk.MeasureError) as error:
        sk.score(study, text, per="session")
    assert re.search(says, str(error.value))
