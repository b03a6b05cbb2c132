"""A difference as scored, with unjudged results skipped, its bounds and judged shares: against the verbs, numpy and scipy."""

import numpy as np
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.robustness.missing_judgments import depends_on_judgments, missing_judgments, scored_ways
from tests.support.clinic import read_clinic

MEASURE = sk.parse_measure("sDCG@2")


def paired(systems="AB", users=8):
    """Users who search one topic with every system: two results each, the first judged with grade 1 for some users alone."""
    sessions = [(f"{user}{system}", f"u{user}", system) for user in range(users) for system in systems]
    results = [(session, rank, f"{session}.{rank}") for session, _, _ in sessions for rank in (1, 2)]
    grades = {
        f"{session}.{rank}": (place + rank) % 2
        for place, (session, _, _) in enumerate(sessions)
        for rank in (1, 2)
        if (place * 7 // 4 + rank) % 3
    }
    return sk.from_tables(
        {
            "session_id": [session for session, _, _ in results],
            "query_position": [1] * len(results),
            "rank": [rank for _, rank, _ in results],
            "doc_id": [doc for _, _, doc in results],
        },
        {"judgment_key": ["t"] * len(grades), "doc_id": [*grades], "grade": [*grades.values()]},
        sessions={
            "session_id": [session for session, _, _ in sessions],
            "user_id": [user for _, user, _ in sessions],
            "system_id": [system for _, _, system in sessions],
            "topic_id": ["t"] * len(sessions),
        },
        max_grade=2,
    ), grades


def test_the_difference_of_judged_shares_is_paired_by_user():
    study, grades = paired()
    difference = missing_judgments(study, MEASURE).difference
    shares = np.array([[sum(f"{u}{s}.{r}" in grades for r in (1, 2)) / 2 for s in "AB"] for u in range(8)])
    apart = shares[:, 1] - shares[:, 0]
    low, high = stats.ttest_1samp(apart, 0).confidence_interval(0.95)
    assert difference.judged == pytest.approx((apart.mean(), low, high, 8))
    assert difference.name == "B \u2212 A"


def test_skipping_moves_the_second_result_up():
    study, grades = paired()
    difference = missing_judgments(study, MEASURE).difference

    def gain(user, system, skip):
        """A judged second result stands first where the first is skipped; a discount of log2 makes both ranks weigh 1 and 1/2."""
        gains = [grades.get(f"{user}{system}.{rank}") for rank in (1, 2)]
        gains = [one for one in gains if one is not None] if skip else [one or 0 for one in gains]
        return sum(one / weight for one, weight in zip(gains, (1, 2), strict=False))

    for skip, estimate in ((False, difference.scored), (True, difference.skipped)):
        apart = np.array([gain(user, "B", skip) - gain(user, "A", skip) for user in range(8)])
        low, high = stats.ttest_1samp(apart, 0).confidence_interval(0.95)
        assert estimate == pytest.approx((apart.mean(), low, high, 8))


@pytest.mark.slow
def test_numbers_are_those_of_the_verbs():
    study = read_clinic()
    for text in ("nsDCG@10", "sDCG@10"):
        found = missing_judgments(study, sk.parse_measure(text))
        skipping = f"{text[:-3]}(unjudged=skip)@10"
        assert (found.measure, found.skipping, found.unit, found.depth) == (text, skipping, "user", 10)
        limits = sk.bounds(study, text, wanted=0).differences.row(0, named=True)
        names = ("lower", "upper", "holds", "overturned_by", "open_documents")
        of_bounds = found.difference.bounds
        assert (of_bounds.lower, of_bounds.upper, *of_bounds[3:]) == tuple(limits[name] for name in names)
        assert of_bounds.is_safe == (limits["bound"] == "safe")
        for measure, estimate in ((text, found.difference.scored), (skipping, found.difference.skipped)):
            row = sk.compare(study, measure).table.row(0, named=True)
            assert estimate == (row["estimate"], row["low"], row["high"], row["n_a"])
        scores = sk.score(study, "Judged@10", per="session")
        for system, share in found.shares.items():
            assert share.value == pytest.approx(scores.filter(system_id=system)["value"].mean())


@pytest.mark.parametrize("systems", ["A", "ABC"])
def test_other_than_two_groups_have_means(systems):
    study, _ = paired(systems)
    found = missing_judgments(study, MEASURE)
    assert (found.pair, found.difference) == (None, None)
    assert [one.name for one in found.candidates] == [*systems]
    scores = sk.score(study, scored_ways(MEASURE), per="session")
    limits = sk.bounds(study, MEASURE).bounds
    for one in found.candidates:
        for measure, estimate in zip(scored_ways(MEASURE), (one.scored, one.skipped, one.judged), strict=True):
            values = scores.filter(system_id=one.name, measure=str(measure))["value"].to_numpy()
            low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
            assert estimate == pytest.approx((values.mean(), low, high, 8))
        assert one.bounds[:2] == limits.filter(system_id=one.name).select("lower", "upper").row(0)


def test_what_has_no_bounds_says_why():
    study, _ = paired()
    assert missing_judgments(study, sk.parse_measure("mean(bpref)")).why_no_bounds.startswith("it has its own rule")


@pytest.mark.parametrize(
    ("measure", "depends"),
    [
        ("nsDCG@10", True),
        ("Queries", False),
        ("UniqueDocs@10", False),
        ("sDCG(grades=user)@10", False),
        ("mean(bpref)", True),
        ("Judged@10", False),
    ],
)
def test_measures_of_behavior_depend_on_no_judgment(measure, depends):
    assert depends_on_judgments(sk.parse_measure(measure)) == depends
