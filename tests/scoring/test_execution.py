"""The engine against the definitions, restated with loops, over the whole grid of parameters."""

import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.restated import Session
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples

SETTINGS = settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

SHARED = {
    "gain": st.sampled_from(["linear", "exp2", "binary", "0-1-10-100", "1-2-3-4.5"]),
    "min_grade": st.sampled_from([0, 1, 2]),
    "discount": st.sampled_from(["log", "shifted", "burges", "jk2002", "rn2002", "geometric", "reciprocal", "none"]),
    "b": st.sampled_from([1.5, 2]),
    "p": st.just(0.7),
    "query_discount": st.sampled_from(["log", "shifted", "geometric", "none"]),
    "bq": st.sampled_from([1.5, 4]),
    "pq": st.just(0.6),
    "rank_origin": st.sampled_from(["query", "session"]),
    "slots": st.sampled_from(["pad", "shown", 2]),
    "depth": st.sampled_from(["all", "last_click", "examined"]),
    "duplicates": st.sampled_from(["all", "first"]),
    "unjudged": st.sampled_from(["zero", "skip"]),
    "grades": st.sampled_from(["judgments", "user"]),
    "undefined": st.sampled_from(["null", "zero"]),
    "unjudged_topics": st.sampled_from(["null", "zero"]),
    "queries": st.sampled_from([None, 1, 2]),
}
IDEALS = st.one_of(
    st.fixed_dictionaries(
        {
            "ideal": st.sampled_from(["repeated", "spread", "once"]),
            "ideal_queries": st.sampled_from(["session", 1, 3, 6]),
        }
    ),
    st.just({"normalize": "query"}),
)
QUERY_LEVEL = [
    "gain",
    "min_grade",
    "discount",
    "b",
    "p",
    "depth",
    "duplicates",
    "unjudged",
    "grades",
    "undefined",
    "unjudged_topics",
    "queries",
]


def close(got, wanted):
    """Equal to 1e-12, or both undefined."""
    return got is None if wanted is None else got == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("keys_per_query", [False, True])
@SETTINGS
@given(data=st.data())
def test_session_measures_equal_their_definition(data, keys_per_query):
    made, judgments = data.draw(sessions(keys_per_query=keys_per_query))
    options = data.draw(st.fixed_dictionaries({}, optional=SHARED | {"p": st.just(0.7)}))
    options |= {"p": 0.7, "pq": 0.6} | {"cutoff": data.draw(st.sampled_from([1, 3, 10]))}
    if options.get("rank_origin") != "session" and data.draw(st.booleans()):
        options["cutoff"] = None
    ideal = data.draw(IDEALS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        study = study_of(made, judgments, keys_per_query=keys_per_query)
        scores = sk.score(study, [sk.sDCG(**options), sk.nsDCG(**options, **ideal)], per="session")
    values = dict(zip(scores.select("session_id", "measure").rows(), scores.get_column("value"), strict=True))
    for session_id, session in made.items():
        restated = Session(session_id, session["queries"], session["topic"], judgments, options | ideal)
        assert close(values[session_id, str(sk.sDCG(**options))], restated.sdcg())
        assert close(values[session_id, str(sk.nsDCG(**options, **ideal))], restated.nsdcg())


@pytest.mark.slow
@pytest.mark.parametrize("keys_per_query", [False, True])
@SETTINGS
@given(data=st.data())
def test_query_measures_and_their_aggregates_equal_their_definition(data, keys_per_query):
    made, judgments = data.draw(sessions(keys_per_query=keys_per_query))
    optional = {name: SHARED[name] for name in QUERY_LEVEL}
    options = data.draw(st.fixed_dictionaries({}, optional=optional)) | {
        "p": 0.7,
        "cutoff": data.draw(st.sampled_from([None, 1, 3])),
    }
    options.setdefault("discount", "burges")
    dcg, ndcg = sk.DCG(**options), sk.nDCG(**options)
    aggregates = {
        "sum": sum,
        "mean": lambda values: sum(values) / len(values),
        "max": max,
        "min": min,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.DataWarning)
        study = study_of(made, judgments, keys_per_query=keys_per_query)
        per_query = sk.score(study, [dcg, ndcg], per="query")
        of_sessions = [f"{name}({ndcg})" for name in (*aggregates, "first", "last", "nonlast")]
        per_session = sk.score(study, of_sessions, per="session")
    values = dict(
        zip(
            per_query.select("session_id", "query_position", "measure").rows(),
            per_query.get_column("value"),
            strict=True,
        )
    )
    reduced = dict(
        zip(per_session.select("session_id", "measure").rows(), per_session.get_column("value"), strict=True)
    )
    rows = 0
    for session_id, session in made.items():
        restated = Session(
            session_id, session["queries"], session["topic"], judgments, options | {"query_discount": "none"}
        )
        every = []
        for index, query in enumerate(restated.queries):
            rows += 2
            assert close(values[session_id, query["position"], str(dcg)], restated.dcg(index))
            every.append(restated.ndcg(index))
            assert close(values[session_id, query["position"], str(ndcg)], every[-1])
        defined = [value for value in every if value is not None]
        for name, reduce in aggregates.items():
            assert close(reduced[session_id, f"{name}({ndcg})"], reduce(defined) if defined else None)
        assert close(reduced[session_id, f"first({ndcg})"], every[0] if every else None)
        assert close(reduced[session_id, f"last({ndcg})"], every[-1] if every else None)
        others = [value for value in every[:-1] if value is not None]
        assert close(reduced[session_id, f"nonlast({ndcg})"], sum(others) / len(others) if others else None)
    assert rows == len(per_query)
