"""The lists of a real user study: where tools are known to differ on it, and the correlation that its authors print."""

import csv
from pathlib import Path

import pytest
from scipy.stats import pearsonr

import sessionkit as sk

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine"),
    pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning"),
]


def rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def study():
    shown = rows("results")
    queries = {(row["SessionID"], int(row["Qno"])): row["rank"] == "no results" for row in shown}
    found = [row for row in shown if row["rank"] != "no results"]
    sessions, judged = rows("session"), rows("qrels")
    return sk.from_tables(
        queries={
            "session_id": [session for session, _ in queries],
            "query_position": [position for _, position in queries],
            "results_status": ["empty" if empty else "shown" for empty in queries.values()],
        },
        results={
            "session_id": [row["SessionID"] for row in found],
            "query_position": [int(row["Qno"]) for row in found],
            "rank": [int(row["rank"]) for row in found],
            "doc_id": [row["URL"] for row in found],
        },
        sessions={
            "session_id": [row["SessionID"] for row in sessions],
            "judgment_key": [row["SessionID"] for row in sessions],
            "topic_id": [row["Topic"] for row in sessions],
            "performance": [float(row["Performance"]) for row in sessions],
        },
        judgments={
            "judgment_key": [row["SessionID"] for row in judged],
            "doc_id": [row["URL"] for row in judged],
            "grade": [float(row["Relevance"]) for row in judged],
        },
    )


def apart(study, *measures):
    """How far two measures are apart, by query."""
    one, other = (sk.score(study, measure, per="query").get_column("value") for measure in measures)
    return (one - other).abs()


def test_two_versions_of_trec_eval_differ_in_interpolation(study):
    # FORMULAS section 8: 64 of 386 queries, by at most .0909; at recall .1, 22 of them, by 1
    for measure, many, most in (("IPrec11", 64, 1 / 11), ("IPrec", 22, 1.0)):
        found = apart(study, f"{measure}(rule=trec9)", f"{measure}(rule=trec10)")
        assert ((found > 1e-12).sum(), found.max()) == (many, pytest.approx(most, abs=1e-12))


def test_the_top_of_the_scale_decides_err(study):
    # FORMULAS section 8: gdeval's scale up to 4 against one up to 2, 356 queries, by at most .58
    found = apart(study, "ERR(max_grade=4)", "ERR(max_grade=2)")
    assert ((found > 1e-12).sum(), found.max()) == (356, pytest.approx(0.58, abs=5e-3))


def test_average_precision_and_performance(study):
    # FORMULAS section 2, as the authors' code prints it: r = .065 for the mean AP of a session's queries, cut at 9
    scores = sk.score(study, "mean(AP@9)", per="session").join(study.sessions.collect(), on="session_id")
    assert pearsonr(scores["value"], scores["performance"]).statistic == pytest.approx(0.065, abs=5e-4)


def test_graded_average_precision_stays_within_its_bound(study):
    # with the sum of whole gains that the authors use in place of pairwise minima one session averages 1.298
    highest = sk.score(study, "GAP(gain=0-0.4-1)@9", per="query").get_column("value").max()
    assert 0.9 < highest <= 1
