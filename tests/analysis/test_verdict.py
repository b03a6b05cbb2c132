"""No verdict under 6 pairs or half of the units, and verdicts that say what the interval shows."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.analysis.verdict import FEWEST_PAIRS, Support
from sessionkit.reports.sections.sessions import sessions as of_sessions
from sessionkit.reports.sections.summary import summary
from tests.reports.one_section import material
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
LEFT_OUT = "Sessions of one query, perhaps successful ones, are left out."


def test_fewer_than_six_pairs_cannot_reach_five_percent():
    assert stats.wilcoxon(range(1, FEWEST_PAIRS)).pvalue > 0.05 >= stats.wilcoxon(range(1, FEWEST_PAIRS + 1)).pvalue
    assert stats.binomtest(5, 5).pvalue > 0.05 >= stats.binomtest(6, 6).pvalue


@given(n=st.integers(0, 40), more=st.integers(0, 40), paired=st.booleans())
def test_a_verdict_needs_six_pairs_and_half_of_the_units(n, more, paired):
    why = Support("user", n, n + more, "a value", paired).why_no_verdict
    enough = n > 0 and n >= more and (n >= 6 or not paired)
    assert (why == "") == enough
    assert enough or f"{n} of {n + more} user" in why


def study_of(several, users=16, seed=3):
    """Users who searched with A and B once each: B is better in the earlier queries, where there are some.

    Of the first ``several`` users both sessions have three queries; of the others one session has one query.
    """
    draw = np.random.default_rng(seed)
    rows, sessions = [], []
    for user in range(users):
        for system in "AB":
            session = f"{user:02}{system}"
            sessions.append((session, f"u{user:02}", system))
            many = 1 if user >= several and system == "AB"[user % 2] else 3
            for position in range(1, many + 1):
                relevant = {1} if position == many else {int(draw.integers(3, 7)) - (system == "B") * 2}
                rows += [
                    (session, position, rank, f"r{rank}" if rank in relevant else f"n{rank}") for rank in range(1, 8)
                ]
    judged = [f"r{rank}" for rank in range(1, 8)]
    return sk.from_tables(
        results=pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        sessions=pl.DataFrame(sessions, schema=["session_id", "user_id", "system_id"], orient="row").with_columns(
            topic_id=pl.lit("t")
        ),
        judgments={"judgment_key": ["t"] * 7, "doc_id": judged, "grade": [1] * 7},
    )


MEASURE = "nonlast(RR)"


@pytest.mark.parametrize("several", [2, 4, 5, 7, 8, 16])
def test_nonlast_of_few_users_has_numbers_and_no_verdict(several):
    study = study_of(several)
    found = sk.compare(study, MEASURE)
    row = found.table.row(0, named=True)
    values = sk.score(study, MEASURE, per="session").pivot("system_id", index="user_id", values="value").drop_nulls()
    assert (row["n_a"], len(values)) == (several, several)
    theirs = stats.ttest_rel(values["B"], values["A"])
    assert (row["estimate"], row["p"]) == pytest.approx(((values["B"] - values["A"]).mean(), theirs.pvalue))
    reading = found.reading
    if several < 8:
        assert f"No verdict: {several} of 16 users have a value for both groups" in reading
        assert "There is evidence" not in reading
        assert "No difference is shown" not in reading
        assert LEFT_OUT in reading
        assert f"No verdict: {several} of 16 users" in found.paper_table().note
        assert found.shown.is_empty()
    else:
        assert "No verdict" not in reading
        assert ("There is evidence that nonlast(RR) is higher with B" in reading) == (theirs.pvalue <= 0.05)
        assert theirs.pvalue <= 0.05
        assert (LEFT_OUT[1:-1] in reading) == (several < 16)


def test_the_report_prints_no_result_of_two_users_in_sixteen():
    study = study_of(2)
    assert sk.compare(study, MEASURE, confidence=0.51).table.item(0, "n_a") == 2
    for declared in ("study.toml", None):
        lead = summary(material(study, [MEASURE], declared=declared)).parts[0].paragraphs[0]
        assert "No verdict: 2 of 16 users have a value for both groups" in lead
        assert LEFT_OUT in lead
        assert not any(claim in lead for claim in ("scores higher", "do not decide", "includes 0"))
    told = summary(material(study_of(7), ["RR", MEASURE], declared="study.toml"))
    words = " ".join(text for part in told.parts for text in getattr(part, "paragraphs", ()))
    assert "nonlast(RR) favors" not in words
    assert "nonlast(RR): No verdict: 7 of 16 users" in words


def scores_of(rows):
    """A table of scores per session."""
    frame = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "value"], orient="row", strict=False)
    return frame.with_columns(measure=pl.lit("gain"))


def test_groups_of_which_most_have_no_value_are_not_judged():
    """Ten users of A and ten of B; four of B have a value."""
    names = [f"{system}{number}" for system in "AB" for number in range(10)]
    rows = [(name, name, name[0], 1.0 + int(name[1]) / 10 + 5 * (name[0] == "B")) for name in names]
    scores = scores_of(rows)
    lost = scores.with_columns(
        value=pl.when((pl.col("system_id") == "A") | pl.col("session_id").is_in(["B0", "B1", "B2", "B3"])).then("value")
    )
    assert "There is evidence that gain is higher with B" in sk.compare(scores).reading
    found = sk.compare(lost)
    assert found.table.item(0, "p") < 0.01
    assert "No verdict: 4 of 10 users have a value for B; a verdict needs half of the users" in found.reading
    assert "There is evidence" not in found.reading


def test_five_pairs_have_no_verdict_however_alike_they_are():
    for users in (5, 6):
        rows = [
            (f"{user}{system}", f"u{user}", system, user + (system == "B") * (5 + user / 9))
            for user in range(users)
            for system in "AB"
        ]
        found = sk.compare(scores_of(rows))
        assert found.table.item(0, "p") < 0.001
        assert ("No verdict: 5 of 5 users" in found.reading) == (users == 5)
        assert ("There is evidence" in found.reading) == (users == 6)


def test_sweeps_and_mixed_models_follow_the_same_rule():
    swept = sk.sweep(study_of(5, users=5), "sDCG@7", {"b": [2, 4]}, confidence=0.51).reading
    assert "No verdict: 5 of 5 users" in swept
    assert "There is evidence" not in swept
    rows = [(f"{user}A", f"u{user}", "A", user + user * 7 % 3) for user in range(16)]
    rows += [(f"{user}B", f"u{user}", "B", user + 9.0 if user < 7 else None) for user in range(16)]
    mixed = sk.compare(scores_of(rows), population="users,topics")
    assert mixed.table.item(0, "p") < 0.001
    assert "No verdict: 7 of 16 sessions have a value for B; a verdict needs half of the sessions" in mixed.reading
    assert "There is evidence" not in mixed.reading


def parts_study(differences, users, single=0):
    """A session for each difference of its last query's gain and that of its first, and ``single`` users of one query."""
    rows = [
        (f"s{n:03}", q, 1, f"d{10 + (away if q == 2 else 0)}") for n, away in enumerate(differences) for q in (1, 2)
    ]
    rows += [(f"t{n:03}", 1, 1, "d10") for n in range(single)]
    names = [*(f"s{n:03}" for n in range(len(differences))), *(f"t{n:03}" for n in range(single))]
    owners = [*(f"u{user}" for user in users), *(f"v{n}" for n in range(single))]
    return sk.from_tables(
        results=pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        sessions={"session_id": names, "user_id": owners, "topic_id": ["t"] * len(names)},
        judgments={"judgment_key": ["t"] * 21, "doc_id": [f"d{n}" for n in range(21)], "grade": [*range(21)]},
    )


@settings(max_examples=examples(25), deadline=None)
@given(away=st.lists(st.integers(-10, 10), min_size=6, max_size=14).filter(lambda one: len(set(one)) > 1))
def test_what_is_said_of_last_queries_is_what_the_interval_shows(away):
    said = sk.breakdown_tests(parts_study(away, range(len(away))), "CG@1", draws=0).reading.split("\n")[1]
    low, high = stats.ttest_1samp(away, 0).confidence_interval()
    expected = "No difference between the last query and the earlier ones is shown: "
    if low > 0:
        expected = "The last query is better than the earlier ones: "
    if high < 0:
        expected = "The last query is worse than the earlier ones: "
    assert said.startswith(expected)


def test_last_queries_of_few_users_have_no_verdict():
    """Every second user has sessions of one query alone; 5 of 12, then 7 of 16, then 8 of 16 users have a last and an earlier query."""
    for several, single in ((5, 0), (5, 7), (7, 9), (8, 8)):
        users = [number % several for number in range(2 * several)]
        study = parts_study([5 + number % 4 for number in range(2 * several)], users, single)
        found = sk.breakdown_tests(study, "CG@1", by=None, draws=0)
        assert found.table.filter(test="user means").item(0, "low") > 0
        assert ("The last query is better" in found.reading) == (several == 8)
        told = f"No verdict: {several} of {several + single} users have a session with a value in both parts"
        assert (told in found.reading) == (several < 8)
        assert (LEFT_OUT in found.reading) == (several < 8 and single > 0)
        page = material(study, ["DCG@1"])
        words = " ".join(text for part in of_sessions(page).parts for text in getattr(part, "paragraphs", ()))
        assert (told in words) == (several < 8)


def test_differences_without_a_verdict_have_no_star_and_an_empty_point():
    for several in (7, 8):
        found = sk.compare(study_of(several), MEASURE)
        assert found.table.item(0, "p_adjusted") < 0.05
        assert bool(found.paper_table().marks) == (several == 8)
        assert found.to_markdown().count("p ≤ 0.05") == (several == 8)
        drawn = json.dumps(sk.charts.differences(found).to_dict())
        assert ('"shown": "yes"' in drawn) == (several == 8)
        assert ("no verdict" in drawn) == (several == 7)
    rows = [(f"{user}A", f"u{user}", "A", user + user * 7 % 3) for user in range(16)]
    rows += [(f"{user}B", f"u{user}", "B", user + 9.0 if user < 7 else None) for user in range(16)]
    mixed = sk.compare(scores_of(rows), population="users,topics")
    assert mixed.table.item(0, "p_adjusted") < 0.001
    assert not mixed.paper_table().marks
    assert "No verdict: 7 of 16 sessions have a value for B" in mixed.paper_table().note
    assert '"shown": "yes"' not in json.dumps(sk.charts.differences(mixed).to_dict())


def test_three_groups_without_a_verdict_have_no_letters():
    rows = [
        (f"{user}{system}", f"u{user}", system, user + place * (5 + user / 9))
        for user in range(5)
        for place, system in enumerate("ABC")
    ]
    found = sk.compare(scores_of(rows))
    assert (found.table["p_adjusted"] < 0.05).any()
    assert found.shown.is_empty()
    assert not found.paper_table().marks


def test_parts_without_a_verdict_have_no_star():
    for users in (5, 6):
        found = sk.breakdown_tests(parts_study([3, 4, 5, 3, 4, 5][:users], range(users)), "DCG@1")
        assert (found.table["p"] < 0.05).any()
        assert bool(found.paper_table().marks) == (users == 6)
        assert ("No verdict: 5 of 5 sessions" in found.paper_table().note) == (users == 5)
