"""Thousands of groups: what describes or tests each of them refuses them at once."""

import pytest

import sessionkit as sk

MANY = 5000
VERBS = {
    "report": sk.report,
    "discriminate": lambda study: sk.discriminate(study, "mean(P@1)"),
    "breakdown": lambda study: sk.breakdown_tests(study, "P@1", by="system_id"),
    "sweep": lambda study: sk.sweep(study, "sDCG@10", {"b": [2, 3]}),
    "judge_noise": lambda study: sk.judge_noise(study, "mean(P@1)", draws=2),
    "judgment_loss": lambda study: sk.judgment_loss(study, "mean(P@1)", draws=2),
}


@pytest.fixture(scope="module")
def study():
    places = {"session_id": [f"s{number}" for number in range(MANY)], "query_position": [1] * MANY, "rank": [1] * MANY}
    log = {
        **places,
        "doc_id": ["d"] * MANY,
        "topic_id": ["t"] * MANY,
        "system_id": [f"x{number}" for number in range(MANY)],
    }
    return sk.from_tables(results=log, judgments={"judgment_key": ["t", "t"], "doc_id": ["d", "e"], "grade": [1, 0]})


@pytest.mark.parametrize("verb", VERBS)
def test_thousands_of_systems_are_refused(study, verb):
    with pytest.raises(sk.UsageError, match=r"by=system_id: the sessions have 5,000 groups, and at most 200 can"):
        VERBS[verb](study)
