"""Recency-weighted measures against their sums restated; without recency they are the measures that they weight."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.session_rank_biased import RSDCG, RSRBP
from tests.scoring.restated import Session
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples

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


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(deadline=None, max_examples=examples(60))
@given(data=st.data(), own_keys=st.booleans(), fading=st.sampled_from([0, 0.3, 2]))
def test_the_sum_restated(data, own_keys, fading):
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
        ("RSDCG@10", "RSDCG@10 needs lambda, for example RSDCG(lambda=0.5)@10"),
        ("RSRBP(b=0.5)", "RSRBP(b=0.5) needs p and lambda"),
        ("RSDCG(lambda=-1)", "lambda must be a number of at least 0, not -1"),
        ("RSDCG(lambda=1,discount=geometric)", "needs p"),
        ("RSRBP(b=1,p=1,lambda=1)", "b=1 and p=1"),
        ("sDCG(lambda=1)", "sDCG has no parameter 'lambda'"),
    ],
)
def test_what_is_wrong_is_said(text, says):
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.raises(sk.MeasureError) as error:
        sk.score(study, text, per="session")
    assert says in str(error.value)
