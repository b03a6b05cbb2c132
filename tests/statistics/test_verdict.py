"""No verdict under 6 pairs or half of the units, and verdicts that say what the interval shows."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.reports.sections.measures import _differences as table_of_differences
from sessionkit.reports.sections.sessions import sessions as of_sessions
from sessionkit.reports.sections.summary import summary
from sessionkit.statistics.verdict import FEWEST_PAIRS, Support
from tests.reports.one_section import material
from tests.support.examples import examples
from tests.support.statements import only_values

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


@pytest.mark.few(3)
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
        support = {
            "unit": "user",
            "n": several,
            "total": 16,
            "least_pairs": 6 if several < 6 else None,
            "least_share": 0.5,
        }
        values = only_values(found, "difference")
        verdict = "too few" if several == 2 else "no verdict"
        assert (values["verdict"], values["no_verdict"]) == (verdict, support | {"without_single_queries": True})
        assert f"No verdict: {several} of 16 users" in reading
        assert "There is evidence" not in reading
        assert "No difference is shown" not in reading
        assert LEFT_OUT in reading
        assert f"No verdict: {several} of 16 users" in found.paper_table().note
        assert found.shown.is_empty()
    else:
        assert "No verdict" not in reading
        values = only_values(found, "difference")
        assert (values["verdict"], values["higher"], values["no_verdict"]) == ("shown", "B", None)
        assert theirs.pvalue <= 0.05
        assert (LEFT_OUT[1:-1] in reading) == (several < 16)


@pytest.mark.slow
def test_the_report_prints_no_result_of_two_users_in_sixteen():
    study = study_of(2)
    assert sk.compare(study, MEASURE, confidence=0.51).table.item(0, "n_a") == 2
    for declared in ("study.toml", None):
        lead = summary(material(study, [MEASURE], declared=declared)).parts[0].paragraphs[0]
        assert "No verdict: 2 of 16 users" in lead
        assert LEFT_OUT.lower() in lead.lower()
        assert not any(claim in lead for claim in ("scores higher", "do not decide", "includes 0"))
    told = summary(material(study_of(7), ["RR", MEASURE], declared="study.toml"))
    words = " ".join(tile.more for part in told.parts for tile in getattr(part, "tiles", ()))
    assert "nonlast(RR) favors" not in words
    found = sk.compare(study_of(7), MEASURE)
    (shortage,) = found.no_verdict["shortage"]
    assert shortage.startswith("7 of 16 users ")
    assert f"nonlast(RR) has no verdict ({shortage})" in words


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
    assert only_values(sk.compare(scores), "difference")["higher"] == "B"
    found = sk.compare(lost)
    assert found.table.item(0, "p") < 0.01
    values = only_values(found, "difference")
    support = {
        "unit": "user",
        "n": 4,
        "total": 10,
        "least_pairs": None,
        "least_share": 0.5,
        "without_single_queries": False,
    }
    assert (values["verdict"], values["no_verdict"]) == ("no verdict", support)
    assert " have a value for B" in found.reading
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
    values = only_values(mixed, "difference")
    support = {
        "unit": "session",
        "n": 7,
        "total": 16,
        "least_pairs": None,
        "least_share": 0.5,
        "without_single_queries": False,
    }
    assert (values["verdict"], values["no_verdict"]) == ("no verdict", support)
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


@pytest.mark.slow
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
        if several > 5:
            page = material(study, ["DCG@1"])
            words = " ".join(text for part in of_sessions(page).parts for text in getattr(part, "paragraphs", ()))
            assert (told in words) == (several < 8)


def filled_of(chart):
    """The values of the field that fills the points of a chart of differences."""
    rows = [row for dataset in chart.to_dict()["datasets"].values() for row in dataset]
    return [row["shown"] for row in rows if "shown" in row]


def test_nothing_marks_a_difference_on_which_no_verdict_may_be_given():
    """All of 5 or 6 users differ by nearly 9, so that p is below .001; 5 are too few for a verdict."""
    for users in (5, 6):
        systems = "ABC" if users == 6 else "AB"
        rows = [
            (f"{user}{name}", f"u{user}", name, user + user * place % 3 / 10 + 9 * place)
            for user in range(users)
            for place, name in enumerate(systems)
        ]
        for few in (scores_of(rows), scores_of(rows).filter(pl.col("user_id") != "u5")):
            found = sk.compare(few)
            assert found.table["p_adjusted"].max() < 0.001
            enough = few["user_id"].n_unique() == 6
            assert filled_of(sk.charts.differences(found)) == [["no", "yes"][enough]] * found.table.height
            for table in (found.paper_table(), table_of_differences(found, "")):
                assert bool(table.marks) == enough
                assert ("No verdict: 5 of 5 users" in table.note) == (not enough)


def test_mixed_models_mark_no_difference_without_a_verdict():
    rows = [(f"{user}A", f"u{user}", "A", user + user * 7 % 3) for user in range(16)]
    for known in (7, 8):
        more = [(f"{user}B", f"u{user}", "B", user + 9.0 if user < known else None) for user in range(16)]
        found = sk.compare(scores_of([*rows, *more]), population="users,topics")
        assert found.table.item(0, "p_adjusted") < 0.001
        assert bool(found.paper_table().marks) == (known == 8)
        assert ("No verdict: 7 of 16 sessions" in found.paper_table().note) == (known == 7)
        assert filled_of(sk.charts.differences(found)) == [["no", "yes"][known == 8]]


def test_last_queries_of_few_users_have_no_star():
    for users in (5, 6):
        found = sk.breakdown_tests(parts_study([4, 5, 6, 5, 4, 5][:users], range(users)), "DCG@1", by=None)
        assert found.table.filter(test="sessions").item(0, "p") < 0.001
        assert bool(found.paper_table().marks) == (users == 6)
        assert ("No verdict: 5 of 5" in found.paper_table().note) == (users == 5)
