"""Average session curves: held after stopping, both orders of normalising, agreement with the scores."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def study():
    """Session a: <1>, <0, 2>; session b: <3>. Two slots a query; recall base {3, 2, 1}."""
    return sk.from_tables(
        results={
            "session_id": ["a", "a", "a", "b"],
            "query_position": [1, 2, 2, 1],
            "rank": [1, 1, 2, 1],
            "doc_id": ["x", "n", "y", "z"],
            "topic_id": ["t"] * 4,
            "system_id": ["S"] * 4,
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("xyz"), "grade": [1, 2, 3]},
    )


def test_gain_is_held_after_the_last_query(study):
    each = sk.curve(study, "sDCG@2", by="session")
    assert each.columns == ["group", "slot", "query_position", "rank", "value", "ideal", "n"]
    a = [1, 1, 1, 1 + 2 / 2 / 1.5]  # rank 2, query 2: 2 / ((1 + 1)(1 + 1/2))
    assert each.filter(group="a").get_column("value").to_list() == pytest.approx(a)
    assert each.filter(group="b").get_column("value").to_list() == [3, 3, 3, 3]
    assert each.filter(group="b").get_column("ideal").to_list() == [3, 4, 4, 4]
    assert each.filter(group="b").select("query_position", "rank").rows() == [(1, 1), (1, 2), (2, 1), (2, 2)]
    mean = sk.curve(study, "sDCG@2")
    assert mean.get_column("value").to_list() == pytest.approx([(x + 3) / 2 for x in a])
    assert mean.get_column("n").to_list() == [2] * 4


def test_after_stop_null_ends_curves(study):
    mean = sk.curve(study, "sDCG@2", after_stop="null")
    assert mean.get_column("value").to_list() == pytest.approx([2, 2, 1, 1 + 2 / 2 / 1.5])
    assert mean.get_column("n").to_list() == [2, 2, 1, 1]


def test_stops_are_marked(study):
    from sessionkit.analysis import curve_with_stops

    stops = curve_with_stops(study, "sDCG@2", by="session")
    assert stops.filter(group="a").get_column("stopped").to_list() == [False] * 4
    assert stops.filter(group="b").get_column("stopped").to_list() == [False, False, True, True]


def test_orders_of_normalising_differ(study):
    a, b = [1, 1, 1, 1 + 2 / 3], [3, 3, 3, 3]
    ideal_a, ideal_b = [3, 4, 4 + 3 / 1.5, 4 + 3 / 1.5 + 2 / 3], [3, 4, 4, 4]
    each = sk.curve(study, "nsDCG@2").get_column("value").to_list()
    averages = sk.curve(study, "nsDCG@2", normalize="averages").get_column("value").to_list()
    assert each == pytest.approx([(x / i + y / j) / 2 for x, i, y, j in zip(a, ideal_a, b, ideal_b, strict=True)])
    assert averages == pytest.approx([(x + y) / (i + j) for x, i, y, j in zip(a, ideal_a, b, ideal_b, strict=True)])
    assert sk.curve(study, "nsDCG@2", normalize="none").get_column("value")[0] == 2


def test_short_lists_as_they_are(study):
    shown = sk.curve(study, "sDCG(slots=shown)@2", by="session").filter(group="a")
    assert shown.select("slot", "query_position", "rank").rows() == [(1, 1, 1), (2, 2, 1), (3, 2, 2)]
    assert shown.get_column("value").to_list() == pytest.approx([1, 1, 1 + 2 / 3])
    least = sk.curve(study, "sDCG(slots=2)@5", by="session").filter(group="b")
    assert least.get_column("value").to_list() == [3] * 4


def test_topic_and_least_number_of_queries(study):
    assert sk.curve(study, "sDCG@2", min_queries=2).get_column("n").to_list() == [1] * 4
    assert sk.curve(study, "sDCG@2", topic="t").get_column("n").to_list() == [2] * 4
    assert sk.curve(study, "sDCG@2", by=None).get_column("group").unique().to_list() == ["all sessions"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"measure": "nDCG@10"}, "session measure"),
        ({"measure": "sDCG"}, "needs a cutoff"),
        ({"measure": "nsDCG(normalize=query)@10"}, "no curve"),
        ({"topic": "tt"}, "did you mean 't'"),
        ({"by": "sistem_id"}, "did you mean 'system_id'"),
        ({"min_queries": 9}, "no session is left"),
        ({"normalize": "eech"}, "did you mean 'each'"),
        ({"after_stop": "end"}, "hold, null"),
    ],
)
def test_what_is_wrong_is_said(study, options, says):
    with pytest.raises(sk.UsageError) as error:
        sk.curve(study, **({"measure": "sDCG@2"} | options))
    assert says in str(error.value)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_curves_end_at_the_scores(data):
    """The last slot of every session's curve is its score, for every kind of ideal, short lists and keys per query."""
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1] / "scoring"))
    from studies import sessions, study_of

    per_query = data.draw(st.booleans())
    made, judgments = data.draw(sessions(keys_per_query=per_query))
    options = data.draw(
        st.fixed_dictionaries(
            {
                "slots": st.sampled_from(["pad", "shown", 2]),
                "ideal": st.sampled_from(["repeated", "spread", "once"]),
                "ideal_queries": st.sampled_from(["session", 2, 5]),
                "duplicates": st.sampled_from(["all", "first"]),
                "unjudged": st.sampled_from(["zero", "skip"]),
                "rank_origin": st.sampled_from(["query", "session"]),
            }
        )
    )
    study = study_of(made, judgments, keys_per_query=per_query)
    measure = sk.nsDCG(**options, cutoff=3)
    scores = dict(sk.score(study, measure).select("session_id", "value").rows())
    curves = sk.curve(study, measure, by="session")
    ends = {group: values[-1] for group, values in curves.group_by("group", maintain_order=True).agg("value").rows()}
    for session_id, score in scores.items():
        if session_id in ends and curves.filter(group=session_id).get_column("query_position").count():
            assert ends[session_id] == (None if score is None else pytest.approx(score, rel=1e-12))
