"""compare, end to end: the clinic and a real study, verdicts and intervals of one mind, and how a finding is shown.

Groups that users or topics leave nothing of: which units are the cause is said, and what would separate them; levels in order.

Scores without a value: an error that names the reason, and no claim about 0 users.
"""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.errors import DataError, UsageError
from tests.statistics.layouts import EXAMPLE_S, SYSTEM, TOPIC, USER, apart, by_topic, crossing, scores, simulated
from tests.support.clinic import read_clinic
from tests.support.examples import examples
from tests.support.statements import claim_of, only_values

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def only(found):
    """The one row of a comparison."""
    (row,) = found.table.iter_rows(named=True)
    return row


def test_the_clinics_design_by_default_and_beyond_its_topics():
    values = simulated(1, effect=0.2, seed=9)[:, 0]
    found = sk.compare(crossing(values))
    assert "crossover" in found.design
    assert claim_of(found) == ("users", (30, 30), (4, 4))
    assert found.claim.startswith("users like these 30")
    assert only(found)["df"] == 86
    means = [[values[np.equal(TOPIC, t) & np.equal(SYSTEM, s)].mean() for s in range(2)] for t in range(4)]
    beyond = sk.compare(crossing(values), population="topics")
    theirs = stats.ttest_rel(*np.array(means).T[::-1])
    assert (only(beyond)["statistic"], only(beyond)["df"]) == (pytest.approx(theirs.statistic), 3)
    assert claim_of(beyond) == ("topics", (30, 30), (4, 4))


def test_what_could_have_been_found_is_found_four_times_in_five():
    values = simulated(1, seed=11)[:, 0]
    row = only(sk.compare(crossing(values)))
    se = row["estimate"] / row["statistic"]
    power = stats.nct.sf(stats.t.isf(0.025, 86), 86, row["detectable"] / se)
    assert power == pytest.approx(0.8, abs=1e-6)


def paired(n, alpha):
    """Scores of n users with two systems, their comparison, and the standard error of its difference."""
    d = np.random.default_rng(5).normal(size=n)
    table = scores([(f"{i:03}{s}", f"u{i:03}", None, s, v) for i in range(n) for s, v in (("A", 0.0), ("B", d[i]))])
    return table, only(sk.compare(table, confidence=1 - alpha)), d.std(ddof=1) / np.sqrt(n)


@pytest.mark.parametrize(("n", "alpha"), [(2, 0.05), (4, 0.005), (4, 0.05), (6, 0.0005), (30, 0.05)])
def test_few_units_ask_for_the_noncentral_t(n, alpha):
    # t + t standard errors would be found with a chance of .71 of 4 units at .005
    _, row, se = paired(n, alpha)
    critical = stats.t.isf(alpha / 2, n - 1)
    assert stats.nct.sf(critical, n - 1, row["detectable"] / se) == pytest.approx(0.8, abs=1e-6)
    central = stats.nct.sf(critical, n - 1, critical + stats.t.isf(0.2, n - 1))
    assert n != 4 or alpha != 0.005 or central == pytest.approx(0.71, abs=0.005)


def test_power_finds_what_is_detectable_four_times_in_five():
    table, row, _ = paired(4, 0.005)
    plan = sk.power(table, difference=row["detectable"], users=[4], confidence=0.995, draws=40_000, component_draws=50)
    assert plan.table.item(0, "at_estimate") == pytest.approx(0.8, abs=0.008)  # 4 standard errors


@pytest.mark.few(1)
@pytest.mark.parametrize("test", ["tukey", "welch", "least-squares"])
def test_other_tests_of_means_find_it_too(test):
    rng = np.random.default_rng(8)
    table = {
        "tukey": by_topic(rng.normal(size=(5, 3))),
        "welch": apart([rng.normal(size=4), rng.normal(size=5)]),
        "least-squares": crossing(rng.normal(size=120)),
    }[test]
    for row in sk.compare(table, test=test, correction="none").table.iter_rows(named=True):
        half = (row["high"] - row["low"]) / 2
        of_tukey = stats.studentized_range.isf(0.05, 3, row["df"]) / np.sqrt(2)
        critical = of_tukey if test == "tukey" else stats.t.isf(0.025, row["df"])
        assert stats.nct.sf(critical, row["df"], row["detectable"] / half * critical) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.few(6, slow=8)
@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization", "tukey", "nemenyi", "conover"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
@settings(max_examples=examples(6), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 3), decimals=st.sampled_from([1, 8]))
def test_intervals_do_not_contradict_verdicts(test, correction, seed, k, decimals):
    if k > 2 and correction == "bh" and test in ("randomization", "tukey", "nemenyi"):
        return
    rng = np.random.default_rng(seed)
    tables = [
        by_topic((rng.normal(size=(9, k)) + rng.normal(0, 0.8, k)).round(decimals), name)
        for name in ("CG@5", "sDCG@10")
    ]
    found = sk.compare(pl.concat(tables), test=test, correction=correction, draws=199)
    decides = "p" if correction == "holm" and not found.family.at_once else "p_adjusted"
    for row in found.table.drop_nulls("p_adjusted").iter_rows(named=True):
        bounded = correction in ("none", "holm") or row["low"] is not None or row["high"] is not None
        assert bounded or row["p_adjusted"] > 0.05
        for low, high in (("low", "high"), ("effect_low", "effect_high")):
            below, above = row[low] is None or row[low] <= 0, row[high] is None or row[high] >= 0
            if row[decides] > 0.05:
                assert below
                assert above
            else:
                assert (row[low] or 0) >= 0 if row["estimate"] > 0 else (row[high] or 0) <= 0


def test_three_systems_by_default():
    found = sk.compare(by_topic(EXAMPLE_S))
    assert found.table.get_column("p").to_list() == pytest.approx([0.3033, 0.00054, 0.0054], abs=5e-5)
    assert (found.table.item(1, "low"), found.table.item(1, "high")) == pytest.approx((0.1000, 0.2866), abs=5e-5)
    assert found.overall.item(0, "statistic") == pytest.approx(17.212, abs=5e-4)
    twice = sk.compare(pl.concat([by_topic(EXAMPLE_S), by_topic(EXAMPLE_S + 1, "CG@5")]))
    assert twice.interval_rate == 0.025
    assert twice.table.item(1, "p_adjusted") == pytest.approx(2 * found.table.item(1, "p"))


def test_the_clinic_recovers_its_effect(clinic):
    # README of the example: last queries 129 and 176, difference 46 +- 11 from study to study; nsDCG@10 .065 +- .032
    asked = ["last(DCG(gain=0-1-10-100)@100)", "nsDCG@10"]
    found = sk.compare(clinic, asked)
    last, session = found.table.iter_rows(named=True)
    assert last["low"] < 46 < last["high"]
    assert session["low"] < 0.065 < session["high"]
    assert last["p_adjusted"] < 0.05
    assert found.of_kind("difference")[0].values["higher"] == "S2"
    means = sk.score(clinic, asked, by="system_id").filter(measure="nsDCG@10").get_column("value").to_list()
    assert [session["mean_a"], session["mean_b"]] == pytest.approx(means)
    assert found.order.height == 4
    scored = sk.score(clinic, asked, per="session")
    assert sk.compare(scored).table.equals(found.table)


def test_what_a_reader_of_a_paper_asks_for_is_in_the_reading(clinic):
    found = sk.compare(clinic, ["last(DCG@100)", "nsDCG@10"])
    reading = found.reading
    for text in (
        "simultaneous 95% interval",
        "t(86) = 3.579",
        "(S2 higher for 23, lower for 7, adjusted for topics)",
        "after Bonferroni over 2",
    ):
        assert text in reading
    claim = only_values(found, "claim")
    assert (claim["same_for"], claim["may_vary_with"]) == (["user", "topic"], "user")
    claim = only_values(sk.compare(clinic, "nsDCG@10", test="randomization", draws=99), "claim")
    assert (claim["same_for"], claim["may_vary_with"]) == (["topic"], None)
    assert only_values(found, "order")["smallest_p"] == pytest.approx({"period": 0.428, "carry-over": 0.485}, abs=5e-4)
    assert "skill 2 minus skill 1" in sk.compare(clinic, "nsDCG@10", by="skill").reading


def test_intervals_beside_holms_p_values_are_unadjusted_and_say_so(clinic):
    measures = ["last(DCG@100)", "nsDCG@10"]
    found = sk.compare(clinic, measures, correction="holm")
    plain = sk.compare(clinic, measures, correction="none")
    ends = ["low", "high", "effect_low", "effect_high"]
    assert found.table.select(ends).equals(plain.table.select(ends))
    smaller, larger = sorted(plain.table["p"])
    assert sorted(found.table["p_adjusted"]) == pytest.approx([2 * smaller, max(larger, 2 * smaller)])
    assert found.reading.count("unadjusted 95% interval") == 2
    assert only_values(found, "unadjusted_intervals") == {"correction": "holm"}
    assert "Unadjusted 95% interval" in found.paper_table().headers
    chart = str(sk.charts.differences(found).to_dict())
    assert "unadjusted" in chart
    assert "p after Holm over 2" in chart
    alone = sk.compare(clinic, "last(DCG@100)", correction="holm")
    assert "adjusted 95%" not in alone.reading
    assert "95% interval" in alone.paper_table().headers
    assert "unadjusted" not in str(sk.charts.differences(alone).to_dict())


def test_an_unadjusted_interval_that_excludes_0_does_not_decide():
    """Of two measures with p = .04 and 1, Holm makes .08 of the smaller, and its interval excludes 0."""
    noise = np.random.default_rng(3).normal(size=20)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    for side in (1, -1):
        d = noise + side * stats.t.isf(0.02, 19) / np.sqrt(20)  # mean over its standard error: the t of p = .04
        tables = [by_topic(np.column_stack([0 * d, d]), "CG@5"), by_topic(np.column_stack([0 * d, noise]), "sDCG@10")]
        found = sk.compare(pl.concat(tables), test="t", correction="holm")
        row = found.table.row(0, named=True)
        assert row["p"] == pytest.approx(0.04)
        assert row["p_adjusted"] == pytest.approx(0.08)
        assert row["low"] > 0 or row["high"] < 0
        difference, _ = found.of_kind("difference")
        assert (difference.values["measure"], difference.values["verdict"]) == ("CG@5", "not shown after correction")
        assert "any difference within the interval" not in difference.text
        assert "There is evidence" not in difference.text
        assert "*" not in str(found.paper_table().rows[0])
        assert not found.paper_table().marks


@pytest.mark.slow
def test_any_column_can_group(clinic):
    found = sk.compare(clinic, "nsDCG@10", by="skill", test="mann-whitney")
    assert "between users" in found.design
    assert found.table.select("a", "b").row(0) == ("1", "2")
    assert found.table.get_column("n_a").to_list() == [5, 5, 5, 11, 11, 11]
    sessions = sk.compare(clinic, "nsDCG@10", by="session_order", population="topics")
    assert sessions.table.height == 6


def test_users_who_met_some_of_the_groups_are_fitted_too(clinic):
    found = sk.compare(clinic, "nsDCG@10", by="satisfaction")
    assert "incomplete blocks" in found.design
    frame = sk.score(clinic, "nsDCG@10", per="session").join(
        clinic.sessions.select("session_id", "satisfaction").collect(), on="session_id"
    )
    y, group = frame["value"].to_numpy(), frame["satisfaction"].to_numpy()
    x = np.column_stack([*np.eye(30)[USER].T, *np.eye(4)[TOPIC].T[1:], *(group == level for level in (2, 3, 4, 5))])
    fitted = np.linalg.lstsq(x.astype(float), y, rcond=None)[0][-4:]
    assert found.table.filter(a="1").get_column("estimate").to_list() == pytest.approx(list(fitted))


def test_scores_may_come_as_another_kind_of_table():
    table = by_topic(EXAMPLE_S[:, :2])
    assert only(sk.compare(table.to_arrow())) == only(sk.compare(table))
    with pytest.raises(sk.DataError, match="is not a table"):
        sk.compare(7)


def test_it_is_shown_as_text_and_html():
    hostile = by_topic(EXAMPLE_S[:, :2]).with_columns(
        system_id=pl.col("system_id").replace("S2", "<script>alert(1)</script>")
    )
    found = sk.compare(hostile)
    assert "Design: paired by topic" in str(found)
    assert "sDCG@10" in str(found)
    assert "<script>" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_last_and_first_queries_of_a_real_study(tmp_path):
    text = f"""
format = "tables"
max_grade = 2
[sessions]
path = "{DATA / "session"}"
separator = "\\t"
quote = false
columns = {{ session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User" }}
[results]
path = "{DATA / "results"}"
separator = "\\t"
quote = false
empty_list = "no results"
columns = {{ session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL" }}
[judgments]
path = "{DATA / "qrels"}"
separator = "\\t"
quote = false
columns = {{ judgment_key = "SessionID", doc_id = "URL", grade = "Relevance" }}
"""
    (tmp_path / "study.toml").write_text(text)
    study = sk.read(tmp_path / "study.toml")
    many = study.queries.group_by("session_id").len().filter(pl.col("len") > 1).collect().get_column("session_id")
    inner = "nDCG_jiang2016@9"
    parts = [
        sk.score(study, f"{part}({inner})", per="session").with_columns(part=pl.lit(part), measure=pl.lit(inner))
        for part in ("first", "last")
    ]
    table = pl.concat(parts).filter(pl.col("session_id").is_in(many.implode()))
    found = sk.compare(table, by="part", population="sessions")
    row = only(found)
    # FORMULAS section 8: 67 sessions, t -1.7398324842, p .0865498688, d_z -.2125543679, Wilcoxon (wilcox) W 791
    assert row["n_a"] == 67
    assert (row["statistic"], row["p"], row["effect"]) == pytest.approx((-1.7398324842, 0.0865498688, -0.2125543679))
    assert row["low"] < 0 < row["high"]
    ranks = only(sk.compare(table, by="part", population="sessions", test="wilcoxon"))
    assert ranks["statistic"] == 791
    assert only_values(found, "claim")["may_be_correlated"] is True
    assert "too small" in found.reading
    assert sk.compare(table, by="part").population == "users"


def _met_both(first: list[float], second: list[float], third: list[float] | None = None) -> pl.DataFrame:
    """Scores of users who each met every system."""
    of = {"A": first, "B": second} | ({} if third is None else {"C": third})
    rows = [
        {"session_id": f"{system}{user}", "user_id": f"u{user}", "system_id": system, "measure": "m", "value": value}
        for system, values in of.items()
        for user, value in enumerate(values)
    ]
    return pl.DataFrame(rows)


def test_the_side_of_a_verdict_is_that_of_the_test_where_the_median_is_0() -> None:
    """8 of 20 users for B, none against: p = 2 / 2^8 = .0078, while the median difference is 0."""
    found = sk.compare(_met_both([2.0] * 20, [3.0] * 8 + [2.0] * 12), test="sign")
    row = found.table.row(0, named=True)
    assert row["estimate"] == 0
    assert row["p"] == pytest.approx(2 / 2**8)
    assert (row["low"], row["high"]) == (0.0, 1.0)
    assert only_values(found, "difference")["higher"] == "B"
    assert "lower with B" not in found.reading
    turned = sk.compare(_met_both([3.0] * 8 + [2.0] * 12, [2.0] * 20), test="sign")
    assert only_values(turned, "difference")["higher"] == "A"
    assert "lower with B" in turned.reading


def test_the_side_of_mann_whitney_is_that_of_u() -> None:
    """9 of 20 values of B above all of A's, 11 equal: the median of all differences is 0, Cliff's delta is .45."""
    values = [0.0] * 20 + [1.0] * 9 + [0.0] * 11
    scores = pl.DataFrame(
        {
            "session_id": [f"s{i}" for i in range(40)],
            "user_id": [f"u{i}" for i in range(40)],
            "system_id": ["A"] * 20 + ["B"] * 20,
            "measure": ["m"] * 40,
            "value": values,
        }
    )
    found = sk.compare(scores, test="mann-whitney")
    assert found.table["estimate"].item() == 0
    assert found.table["effect"].item() == pytest.approx(9 / 20)
    assert only_values(found, "difference")["higher"] == "B"


@pytest.mark.parametrize("test", ["nemenyi", "conover"])
def test_a_difference_of_ranks_is_no_share_of_a_mean(test: str) -> None:
    """B is above A and C above B for every user: mean ranks 1, 2, 3, whatever the values are."""
    low = [1.0, 1.5, 2.0, 1.25, 1.75, 1.5, 1.0, 2.0]
    high = [value + 2 - 0.5 * (place == 0) for place, value in enumerate(low)]
    found = sk.compare(_met_both(low, [value + 1 for value in low], [0.0, *high[1:]]), test=test)
    assert found.table["p"].null_count() == 0
    assert found.table["relative"].null_count() == 3
    assert found.table["mark"].null_count() == 3
    assert "of A's" not in found.reading


def test_rounding_in_an_estimate_is_0() -> None:
    """Differences .1, .1 and -.2: their sum is 0, in doubles 5.6e-17."""
    first, second = [0.1, 0.1, 0.3], [0.2, 0.2, 0.1]
    assert sum(b - a for a, b in zip(first, second, strict=True)) != 0
    row = sk.compare(_met_both(first, second), test="t").table.row(0, named=True)
    assert row["estimate"] == 0
    assert row["raw_difference"] == 0
    assert row["relative"] in (None, 0)


def test_one_user_for_each_of_separate_groups_is_told_as_such() -> None:
    scores = pl.DataFrame(
        {
            "session_id": ["s", "t"],
            "user_id": ["u", "v"],
            "system_id": ["A", "B"],
            "measure": ["m"] * 2,
            "value": [1.0, 2.0],
        }
    )
    remark = only_values(sk.compare(scores), "not_tested")
    assert (remark["reason"], remark["n"], remark["groups"]) == ("few units", 1, None)


def test_a_comparison_says_how_many_p_values_were_corrected_together() -> None:
    """Of two measures, one is the same for every user and not tested; the other stands alone."""
    one = _met_both([1.0, 2.0, 4.0], [2.0, 5.0, 6.0])
    same = _met_both([1.0] * 3, [1.0] * 3).with_columns(measure=pl.lit("n"))
    found = sk.compare(pl.concat([one, same]))
    assert (found.family.number, found.family.told) == (1, "")
    assert sk.compare(same).family.number == 0


GROUPS_OF_SETS = [(f"u{u}", f"t{t}", ("AB" if u < 4 else "CD")[(t + u) % 2]) for u in range(8) for t in range(4)]


def inseparable_scores(rows):
    """A table of scores of sessions: user, topic and system of each."""
    return pl.DataFrame(
        {
            "session_id": [f"s{number:03}" for number in range(len(rows))],
            "user_id": [row[0] for row in rows],
            "topic_id": [row[1] for row in rows],
            "system_id": [row[2] for row in rows],
            "measure": "sDCG@10",
            "value": [(number * 7 % 11) / 10 for number in range(len(rows))],
        }
    )


def test_users_who_fall_into_sets_are_named_as_the_cause():
    with pytest.raises(UsageError) as caught:
        sk.compare(inseparable_scores(GROUPS_OF_SETS))
    told = str(caught.value)
    assert "from users in the 32 sessions" in told
    assert "the 8 users fall into sets" in told
    assert "from several of these sets" in told
    assert "from users and topics" not in told


def test_too_few_sessions_are_named_as_the_cause():
    few = [("u0", "t0", "A"), ("u0", "t1", "B"), ("u1", "t0", "B"), ("u1", "t1", "A")]
    with pytest.raises(UsageError, match=r"4 sessions .* too few: 2 users, 2 topics"):
        sk.compare(inseparable_scores(few))


def test_users_and_topics_that_tell_the_groups_apart_only_together_are_named():
    of_users, of_topics = [0, 0, 1, 1], [0, 0, 0, 0, 0, 1, 1, -1, -1]
    rows = [
        (f"u{u}", f"t{t}", "AB"[user + topic])
        for u, user in enumerate(of_users)
        for t, topic in enumerate(of_topics)
        if user + topic in (0, 1)
    ]
    with pytest.raises(UsageError) as caught:
        sk.compare(inseparable_scores(rows), test="least-squares")
    assert "topics together in the 28 sessions" in str(caught.value)
    assert "4 users and 9 topics neither alone" in str(caught.value)
    assert "with both groups would separate" in str(caught.value)


def test_one_user_is_compared_by_sessions_not_by_no_user():
    rows = [(f"u{u}", f"t{t}", "AB"[(t + u) % 2]) for u in range(3) for t in range(6)]
    found = sk.compare(inseparable_scores(rows), within="user_id")
    assert found.population == "sessions"
    assert found.table["n_a"].to_list() == [3, 3, 3]
    assert "0 users" not in found.reading
    claim = only_values(found, "claim")
    assert (claim["sessions"], claim["within"], claim["levels"], claim["topics_apart"]) == ([6, 6], "user_id", 3, True)
    assert claim["may_be_correlated"] is False


def test_levels_stand_in_natural_order():
    rows = [(f"u{u}", f"t{t}", s) for u in range(3) for t in (1, 2, 9, 10) for s in "AB"]
    assert sk.compare(inseparable_scores(rows), within="topic_id").table["topic_id"].to_list() == [
        "t1",
        "t2",
        "t9",
        "t10",
    ]


SESSIONS = [f"s{number}" for number in range(16)]


def study(judgments):
    """Eight users, each with system A on topic t and with system B on topic u."""
    return sk.from_tables(
        sessions={
            "session_id": SESSIONS, "user_id": [f"u{number // 2}" for number in range(16)],
            "system_id": list("AB") * 8, "topic_id": list("tu") * 8,
        },
        results={"session_id": SESSIONS, "query_position": [1] * 16, "rank": [1] * 16, "doc_id": ["d"] * 16},
        judgments=judgments,
    )  # fmt: skip


def key(name):
    """One relevant document of a topic."""
    return {"judgment_key": [name], "doc_id": ["d"], "grade": [1]}


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("compare", {}), ("compare", {"test": "randomization"}), ("compare", {"population": "users,topics"}),
        ("power", {"difference": 0.1}), ("power", {"difference": "10%"}), ("discriminate", {}),
    ],
)  # fmt: skip
def test_without_judgments_there_is_nothing_to_compare(verb, options):
    with pytest.raises(DataError, match=r"nothing .* sDCG@10; .* has no judgments"):
        getattr(sk, verb)(study(None), "sDCG@10", **options)
    with pytest.raises(DataError, match=r"no session .* sDCG@10; check .* judgments"):
        getattr(sk, verb)(study(key("other")), "sDCG@10", **options)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_command_fails(tmp_path, capsys):
    study(None).save(tmp_path / "study")
    assert main(["compare", str(tmp_path / "study"), "nDCG@10"]) == 1
    ran = capsys.readouterr()
    assert " value of mean(nDCG@10)" in ran.err
    assert "study has no judgments" in ran.err
    assert ran.out == ""


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_measure_beside_one_with_values_is_reported_as_empty():
    comparison = sk.compare(study(None), ["sDCG@10", "Queries"])
    assert comparison.table.select("measure", "n_a", "n_b").rows() == [("sDCG@10", 0, 0), ("Queries", 8, 8)]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_no_claim_about_no_users():
    """Topic t alone is judged, so that no user has a value with B."""
    found = sk.compare(study(key("t")), "sDCG@10")
    assert claim_of(found)[:2] == ("users", (0, 0))
    assert found.claim.startswith("no users")
    assert "these 0" not in found.reading


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_table_of_scores_without_values():
    scores = sk.score(study(None), "sDCG@10", per="session")
    with pytest.raises(DataError, match=r"^nothing to compare: .* sDCG@10$"):
        sk.compare(scores, "sDCG@10")
