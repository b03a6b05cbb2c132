"""Average session curves: held after stopping, both orders of normalizing, agreement with the scores.

Differences of mean curves: the means of curve, subtracted; intervals by draws made by hand; who is subtracted.
"""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.scoring import reduction
from sessionkit.sessions.curve import curve_with_stops
from sessionkit.statistics.distributions import Resampling
from tests.scoring.studies import sessions, study_of
from tests.support.clinic import read_clinic
from tests.support.examples import examples
from tests.support.messages import match_parts

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
    each = sk.curve(study, "sDCG@2", per="session")
    assert each.columns == ["session_id", "slot", "query_position", "rank", "value", "ideal", "n"]
    a = [1, 1, 1, 1 + 2 / 2 / 1.5]  # rank 2, query 2: 2 / ((1 + 1)(1 + 1/2))
    assert each.filter(session_id="a").get_column("value").to_list() == pytest.approx(a)
    assert each.filter(session_id="b").get_column("value").to_list() == [3, 3, 3, 3]
    assert each.filter(session_id="b").get_column("ideal").to_list() == [3, 4, 4, 4]
    assert each.filter(session_id="b").select("query_position", "rank").rows() == [(1, 1), (1, 2), (2, 1), (2, 2)]
    mean = sk.curve(study, "sDCG@2")
    assert mean.get_column("value").to_list() == pytest.approx([(x + 3) / 2 for x in a])
    assert mean.get_column("n").to_list() == [2] * 4


def test_after_stop_null_ends_curves(study):
    mean = sk.curve(study, "sDCG@2", after_stop="null")
    assert mean.get_column("value").to_list() == pytest.approx([2, 2, 1, 1 + 2 / 2 / 1.5])
    assert mean.get_column("n").to_list() == [2, 2, 1, 1]


def test_stops_are_marked(study):
    stops = curve_with_stops(study, "sDCG@2", per="session")
    assert stops.filter(session_id="a").get_column("stopped").to_list() == [False] * 4
    assert stops.filter(session_id="b").get_column("stopped").to_list() == [False, False, True, True]


def test_orders_of_normalizing_differ(study):
    a, b = [1, 1, 1, 1 + 2 / 3], [3, 3, 3, 3]
    ideal_a, ideal_b = [3, 4, 4 + 3 / 1.5, 4 + 3 / 1.5 + 2 / 3], [3, 4, 4, 4]
    each = sk.curve(study, "nsDCG@2").get_column("value").to_list()
    averages = sk.curve(study, "nsDCG@2", normalize="averages").get_column("value").to_list()
    assert each == pytest.approx([(x / i + y / j) / 2 for x, i, y, j in zip(a, ideal_a, b, ideal_b, strict=True)])
    assert averages == pytest.approx([(x + y) / (i + j) for x, i, y, j in zip(a, ideal_a, b, ideal_b, strict=True)])
    assert sk.curve(study, "nsDCG@2", normalize="none").get_column("value")[0] == 2


def test_vectors_of_queries_that_are_normalized_each(study):
    """ECIR 2008, section 2.2: DCG of <1> is 1, 1 of an ideal 3, 4; that of <0, 2> is 0, 1, times 1 / (1 + log4 2) = 2/3."""
    each = sk.curve(study, "nsDCG(normalize=query)@2", per="session")
    a = each.filter(session_id="a")
    assert a.get_column("value").to_list() == pytest.approx([1 / 3, 1 / 4, 1 / 4, 1 / 4 + 2 / 3 * 1 / 4], rel=1e-12)
    assert a.get_column("ideal").to_list() == pytest.approx([1, 1, 1 + 2 / 3, 1 + 2 / 3], rel=1e-12)
    b = each.filter(session_id="b")
    assert b.get_column("value").to_list() == pytest.approx([1, 3 / 4, 3 / 4, 3 / 4], rel=1e-12)
    means = sk.curve(study, "nsDCG(normalize=query)@2")
    assert means.get_column("value").to_list() == pytest.approx(
        [(x + y) / 2 for x, y in zip(a["value"], b["value"], strict=True)], rel=1e-12
    )
    score = sk.score(study, "nsDCG(normalize=query)@2", per="session")
    assert score.get_column("value").to_list() == [a["value"][-1], b["value"][-1]]
    average = sk.score(study, "avgpos(nsDCG(normalize=query)@2)", per="session").get_column("value").to_list()
    assert average == pytest.approx([sum(a["value"]) / 4, (1 + 3 / 4) / 2], rel=1e-12)


def test_short_lists_as_they_are(study):
    shown = sk.curve(study, "sDCG(slots=shown)@2", per="session").filter(session_id="a")
    assert shown.select("slot", "query_position", "rank").rows() == [(1, 1, 1), (2, 2, 1), (3, 2, 2)]
    assert shown.get_column("value").to_list() == pytest.approx([1, 1, 1 + 2 / 3])
    least = sk.curve(study, "sDCG(slots=2)@5", per="session").filter(session_id="b")
    assert least.get_column("value").to_list() == [3] * 4


def test_topic_and_least_number_of_queries(study):
    assert sk.curve(study, "sDCG@2", where="queries >= 2").get_column("n").to_list() == [1] * 4
    assert sk.curve(study, "sDCG@2", where="topic_id = 't'").get_column("n").to_list() == [2] * 4
    assert sk.curve(study, "sDCG@2", by=None).columns[0] == "slot"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"measure": "nDCG@10"}, "session measure"),
        ({"measure": "sDCG"}, "needs a cutoff"),
        ({"measure": "nsDCG(normalize=query,slots=shown)@10"}, "leave out slots=shown"),
        ({"where": "topic_id = 'tt'"}, "topic_id has 't' (2)"),
        ({"by": "sistem_id"}, "did you mean 'system_id'"),
        ({"where": "queries > 9"}, "no session is left"),
        ({"normalize": "eech"}, "did you mean 'each'"),
        ({"after_stop": "end"}, "hold or null"),
    ],
)
def test_what_is_wrong_is_said(study, options, says):
    with pytest.raises(sk.UsageError) as error:
        sk.curve(study, **({"measure": "sDCG@2"} | options))
    assert says in str(error.value)


def test_a_study_without_sessions_is_the_datas_fault(study):
    empty = study.with_tables(
        sessions=study.sessions.head(0), queries=study.queries.head(0), results=study.results.head(0)
    )
    with pytest.raises(sk.DataError, match="no sessions"):
        sk.curve(empty, "sDCG@2")


@pytest.mark.slow
def test_sessions_without_a_value_can_count_with_zero():
    # s has nothing relevant judged, z is not judged, a scores
    study = sk.from_tables(
        results={"session_id": list("asz"), "query_position": [1] * 3, "rank": [1] * 3, "doc_id": list("xyw")},
        sessions={"session_id": list("asz"), "topic_id": list("tuv")},
        judgments={"judgment_key": ["t", "u"], "doc_id": ["x", "y"], "grade": [2, 0]},
    )
    # nsDCG: 1, nothing relevant, nothing judged; sDCG: 2, 0, nothing judged
    rules = {
        "": ((1.0, 1), (1.0, 2)),
        "undefined=zero": ((1 / 2, 2), (1.0, 2)),
        "unjudged_topics=zero": ((1 / 2, 2), (2 / 3, 3)),
        "undefined=zero,unjudged_topics=zero": ((1 / 3, 3), (2 / 3, 3)),
    }
    for rule, (of_share, of_sum) in rules.items():
        more = f",{rule}" if rule else ""
        measures = {
            f"nsDCG({rule})@1": of_share,
            f"nsDCG(normalize=query{more})@1": of_share,
            f"nsDCG(ideal=once{more})@1": of_share,
            f"sDCG({rule})@1": of_sum,
            f"sDCG(slots=shown,rank_origin=session{more})@1": of_sum,
        }
        expected = [(pytest.approx(value), n) for value, n in measures.values()]
        asked = [sk.parse_measure(text.replace("()", "")) for text in measures]
        assert sk.score(study, asked, by="system_id").select("value", "n").rows() == expected
        assert [sk.curve(study, measure).select("value", "n").row(0) for measure in asked] == expected


def test_lists_that_occupy_no_slot_still_count():
    study = sk.from_tables(
        queries={"session_id": ["s", "z"], "query_position": [1, 1], "results_status": ["empty", "shown"]},
        results={"session_id": ["z"], "query_position": [1], "rank": [1], "doc_id": ["x"]},
        sessions={"session_id": ["s", "z"], "topic_id": ["t", "t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    )
    assert sk.curve(study, "sDCG(slots=shown)@1").select("value", "n").rows() == [(0.5, 2)]
    averages = sk.score(study, "avgpos(sDCG(slots=shown)@1,length=4)", per="session").get_column("value").to_list()
    assert averages == [0, 1]


@pytest.mark.parametrize("ideal", ["repeated", "spread", "once"])
def test_an_ideal_of_queries_that_occupy_no_slot(ideal):
    # two empty lists, then one; an ideal of the first two queries has its gain before the session's first slot
    study = sk.from_tables(
        queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3], "results_status": ["empty", "empty", "shown"]},
        results={"session_id": ["s"], "query_position": [3], "rank": [1], "doc_id": ["x"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    )
    measure = f"nsDCG(slots=shown,ideal={ideal},ideal_queries=2)@3"
    assert sk.curve(study, measure).get_column("value")[-1] == pytest.approx(
        sk.score(study, measure, per="session")["value"].item()
    )


def test_a_query_that_was_not_logged_leaves_no_hole():
    study = sk.from_tables(
        queries={
            "session_id": ["s"] * 3,
            "query_position": [1, 2, 3],
            "results_status": ["shown", "not_logged", "shown"],
        },
        results={"session_id": ["s"] * 2, "query_position": [1, 3], "rank": [1, 1], "doc_id": ["a", "c"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "c"], "grade": [1, 3]},
    )
    ended = sk.curve(study, "sDCG(query_discount=none)@2", per="session", after_stop="null")
    assert ended.get_column("value").to_list() == [1, 1, 1, 1, 4, 4]
    assert sk.score(study, "avgpos(sDCG(query_discount=none)@2)", per="session").get_column(
        "value"
    ).item() == pytest.approx(12 / 6)


def test_a_discount_that_rises_is_not_normalized(study):
    with pytest.raises(sk.MeasureError, match="boosts"):
        sk.curve(study, "sDCG(discount=rn2002,b=10)@3", normalize="each")
    assert sk.curve(study, "sDCG(discount=rn2002,b=10)@3").height


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_average_positions_are_means_of_curves(data):
    made, judgments = data.draw(sessions())
    inner = data.draw(
        st.sampled_from(
            [
                "sDCG@3",
                "nsDCG@3",
                "sDCG(slots=shown)@3",
                "nsDCG(undefined=zero)@2",
                "nsDCG(ideal=once)@2",
                "nsDCG(normalize=query)@2",
            ]
        )
    )
    study = study_of(made, judgments)
    curves = sk.curve(study, inner, per="session")
    longest = curves.get_column("slot").max() or 1
    scores = dict(
        sk.score(study, f"avgpos({inner},length={longest})", per="session").select("session_id", "value").rows()
    )
    for group, values in curves.group_by("session_id").agg("value").rows():
        defined = [value for value in values if value is not None]
        assert scores[group] == (pytest.approx(sum(defined) / len(defined), rel=1e-12) if defined else None)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_curves_end_at_the_scores(data):
    """The last slot of every session's curve is its score, for every kind of ideal, short lists and keys per query."""
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
    if data.draw(st.booleans()):
        alike = {name: value for name, value in options.items() if name not in ("ideal", "ideal_queries", "slots")}
        measure = sk.nsDCG(**alike, normalize="query", cutoff=3)
    scores = dict(sk.score(study, measure, per="session").select("session_id", "value").rows())
    curves = sk.curve(study, measure, per="session")
    ends = {
        group: values[-1] for group, values in curves.group_by("session_id", maintain_order=True).agg("value").rows()
    }
    for session_id, score in scores.items():
        if session_id in ends and curves.filter(session_id=session_id).get_column("query_position").count():
            assert ends[session_id] == (None if score is None else pytest.approx(score, rel=1e-12))


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_estimates_are_differences_of_the_curves_and_sessions_searching_are_theirs(clinic):
    found = sk.curve_differences(clinic, "nsDCG@10", draws=200)
    assert found.select("a", "b").unique().row(0) == ("S1", "S2")
    curves = sk.curve(clinic, "nsDCG@10", bands=True, draws=200)
    for side, system in (("a", "S1"), ("b", "S2")):
        own = curves.filter(pl.col("system_id") == system)
        assert own["value"].equals(found[f"mean_{side}"], check_names=False)
        assert own["searching"].equals(found[f"searching_{side}"], check_names=False)
        assert own["n"].equals(found[f"n_{side}"], check_names=False)
    assert found["estimate"].to_list() == (found["mean_b"] - found["mean_a"]).to_list()
    assert found.select("slot", "query_position", "rank").equals(
        curves.filter(pl.col("system_id") == "S1").select("slot", "query_position", "rank")
    )


def test_a_draw_of_users_counts_for_both_groups(clinic):
    """Every user of the clinic searched with both systems: the same draws, each mean made by writing the sessions out."""
    found = sk.curve_differences(clinic, "sDCG@10", draws=200, seed=3).row(
        by_predicate=pl.col("slot") == 30, named=True
    )
    each = sk.curve(clinic, "sDCG@10", per="session").filter(pl.col("slot") == 30)
    sessions = clinic.sessions.select("session_id", "user_id", "system_id").collect().join(each, on="session_id")
    users = sorted(set(sessions["user_id"]))
    own = {
        system: [sessions.filter(user_id=user, system_id=system)["value"].to_list() for user in users]
        for system in ("S1", "S2")
    }
    means = []
    for weights in np.concatenate([*Resampling(200, 3).weights(len(users))]):
        drawn = {
            system: [value for many, group in zip(weights, groups, strict=True) for value in group * int(many)]
            for system, groups in own.items()
        }
        means.append(np.mean(drawn["S2"]) - np.mean(drawn["S1"]))
    n = len(users)
    reach = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(means, [1 - reach, reach])))
    assert found["units"] == n == 30


def test_who_is_subtracted(clinic):
    plain = sk.curve_differences(clinic, "sDCG@10", draws=200)
    turned = sk.curve_differences(clinic, "sDCG@10", against="S2", draws=200)
    assert turned.select("a", "b").unique().row(0) == ("S2", "S1")
    assert turned["estimate"].to_list() == (-plain["estimate"]).to_list()
    assert turned["low"].to_list() == pytest.approx((-plain["high"]).to_list())
    several = sk.curve_differences(clinic, "sDCG@10", "topic_id", against="B", draws=200)
    assert several.select("a", "b").unique(maintain_order=True).rows() == [("B", "A"), ("B", "C"), ("B", "D")]
    with pytest.raises(UsageError, match=match_parts("no group 'S3' to subtract", "groups: S1, S2")):
        sk.curve_differences(clinic, "sDCG@10", against="S3")
    with pytest.raises(UsageError, match=match_parts("needs two groups", "only S1")):
        sk.curve_differences(clinic, "sDCG@10", where="system_id = 'S1'")
    with pytest.raises(UsageError, match="by takes one column"):
        sk.curve_differences(clinic, "sDCG@10", "system_id,topic_id")
    with pytest.raises(UsageError, match="normalize=averages"):
        sk.curve_differences(clinic, "sDCG@10", normalize="averages")


def test_groups_of_numbers_come_in_their_order_and_sessions_of_no_group_stay_out():
    sessions = ["a", "b", "c", "d"]
    study = sk.from_tables(
        results={"session_id": sessions, "query_position": 1, "rank": 1, "doc_id": ["x", "y", "x", "x"]},
        sessions={"session_id": sessions, "topic_id": "t", "level": [9, 10, None, 10]},
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    )
    found = sk.curve_differences(study, "sDCG@1", "level")
    assert found.select(
        "a", "b", "mean_a", "mean_b", "estimate", "low", "n_a", "n_b", "units", "searching_b"
    ).rows() == [("9", "10", 1.0, 0.5, -0.5, None, 1, 2, 3, 2)]


@pytest.mark.slow
def test_any_batches_have_the_same_differences(clinic, tmp_path, monkeypatch):
    whole = sk.curve_differences(clinic, "nsDCG@10", draws=200)
    saved = clinic.save(tmp_path / "study")
    monkeypatch.setattr(reduction, "ROWS", 200)
    assert sk.curve_differences(saved, "nsDCG@10", draws=200).equals(whole)


def test_a_column_may_stand_in_a_list_and_several_may_not():
    study = read_clinic()
    assert sk.curve_differences(study, "nsDCG@10", by=["system_id"]).equals(sk.curve_differences(study, "nsDCG@10"))
    with pytest.raises(sk.UsageError, match=match_parts("by takes one column", "not system_id, topic_id")):
        sk.curve_differences(study, "nsDCG@10", by=["system_id", "topic_id"])
