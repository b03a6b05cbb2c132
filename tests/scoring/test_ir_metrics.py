"""A real user study, all 80 sessions, against the definition restated with loops and the values its authors' code prints.

The lists of a real user study: where tools are known to differ on it, and the correlation that its authors print.
"""

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from scipy.stats import pearsonr

import sessionkit as sk
from tests.scoring.restated import Session

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
JIANG = "gain=exp2,discount=shifted,query_discount=shifted"


def rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    config = tmp_path_factory.mktemp("ir_metrics") / "study.toml"
    columns = {
        "session": 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User"',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    tables = {"sessions": "session", "results": "results", "judgments": "qrels"}
    text = 'format = "tables"\nmax_grade = 2\n' + "".join(
        f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[name]} }}\n'
        + ('empty_list = "no results"\n' if table == "results" else "")
        for table, name in tables.items()
    )
    config.write_text(text)
    return sk.read(config)


@pytest.fixture(scope="module")
def raw():
    """The same files read by the csv module: queries and judgments by session."""
    queries, judgments = defaultdict(lambda: defaultdict(list)), defaultdict(dict)
    for row in rows("results"):
        found = queries[row["SessionID"]][int(row["Qno"])]
        if row["rank"] != "no results":
            found.append(
                {"rank": int(row["rank"]), "doc": row["URL"], "clicked": False, "examined": False, "user": None}
            )
    for row in rows("qrels"):
        judgments[row["SessionID"]][row["URL"]] = float(row["Relevance"])
    sessions = {
        session: [
            {"position": position, "status": "shown", "key": None, "results": results}
            for position, results in sorted(by_position.items())
        ]
        for session, by_position in queries.items()
    }
    return sessions, dict(judgments)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_values_that_the_authors_code_prints(study):
    # jiepujiang/ir_metrics on session 22, printed to ten digits
    printed = {
        f"sDCG({JIANG})@9": 15.2589994133,
        f"nsDCG({JIANG})@9": 0.2978271896,
        f"mean(sDCG({JIANG})@9)": 3.0517998827,
        "sDCG(gain=exp2,discount=shifted,query_discount=none)@9": 21.0689998207,
        "nsDCG(gain=exp2,discount=shifted,query_discount=none)@9": 0.3301449759,
        "mean(sDCG(gain=exp2,discount=shifted,query_discount=none)@9)": 4.2137999641,
    }
    scores = sk.score(study, list(printed), per="session").filter(session_id="22")
    found = dict(scores.select("measure", "value").rows())
    assert found == {name: pytest.approx(value, abs=5e-11) for name, value in printed.items()}


@pytest.mark.few(4)
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore:.*upper bound")
@pytest.mark.parametrize(
    "options",
    [
        {"cutoff": 9},
        {"gain": "exp2", "discount": "shifted", "query_discount": "shifted", "cutoff": 9},
        {"gain": "0-1-10", "b": 10, "bq": 1.5, "cutoff": 5},
        {"discount": "shifted", "query_discount": "shifted", "rank_origin": "session", "cutoff": 9},
        {"duplicates": "first", "ideal": "spread", "cutoff": 10},
        {"discount": "geometric", "p": 0.8, "query_discount": "geometric", "pq": 0.5, "ideal": "once"},
        {"slots": "shown", "rank_origin": "session", "ideal_queries": 11, "cutoff": 10},
        {"normalize": "query", "discount": "jk2002", "b": 3, "cutoff": 9},
    ],
    ids=str,
)
def test_all_sessions_equal_the_restated_definition(study, raw, options):
    sessions, judgments = raw
    measure = sk.nsDCG(**options)
    plain = sk.sDCG(**{key: value for key, value in options.items() if key in sk.sDCG.parameters()})
    scores = sk.score(study, [measure, plain], per="session")
    found = dict(zip(scores.select("session_id", "measure").rows(), scores.get_column("value"), strict=True))
    assert len(found) == 160
    for session_id, queries in sessions.items():
        restated = Session(session_id, queries, session_id, judgments, options)
        assert found[session_id, str(measure)] == pytest.approx(restated.nsdcg(), rel=1e-12)
        assert found[session_id, str(plain)] == pytest.approx(restated.sdcg(), rel=1e-12)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_what_is_in_the_log(study):
    facts = study.facts
    assert (facts.sessions, facts.queries, facts.empty, facts.results, facts.judgments) == (80, 388, 2, 3446, 5482)
    found = sk.describe(study)
    assert found.judged.select("results", "judged").rows() == [(3446, 3446)]
    assert found.lists.get_column("repeats").to_list() == [773]  # documents shown again in their session


def ir_metrics_lists_rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def ir_metrics_lists_study():
    shown = ir_metrics_lists_rows("results")
    queries = {(row["SessionID"], int(row["Qno"])): row["rank"] == "no results" for row in shown}
    found = [row for row in shown if row["rank"] != "no results"]
    sessions, judged = ir_metrics_lists_rows("session"), ir_metrics_lists_rows("qrels")
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


def apart(ir_metrics_lists_study, *measures):
    """How far two measures are apart, by query."""
    one, other = (sk.score(ir_metrics_lists_study, measure, per="query").get_column("value") for measure in measures)
    return (one - other).abs()


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_two_versions_of_trec_eval_differ_in_interpolation(ir_metrics_lists_study):
    # FORMULAS section 8: 64 of 386 queries, by at most .0909; at recall .1, 22 of them, by 1
    for measure, many, most in (("IPrec11", 64, 1 / 11), ("IPrec", 22, 1.0)):
        found = apart(ir_metrics_lists_study, f"{measure}(rule=trec9)", f"{measure}(rule=trec10)")
        assert ((found > 1e-12).sum(), found.max()) == (many, pytest.approx(most, abs=1e-12))


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_top_of_the_scale_decides_err(ir_metrics_lists_study):
    # FORMULAS section 8: gdeval's scale up to 4 against one up to 2, 356 queries, by at most .58
    found = apart(ir_metrics_lists_study, "ERR(max_grade=4)", "ERR(max_grade=2)")
    assert ((found > 1e-12).sum(), found.max()) == (356, pytest.approx(0.58, abs=5e-3))


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_average_precision_and_performance(ir_metrics_lists_study):
    # FORMULAS section 2, as the authors' code prints it: r = .065 for the mean AP of a session's queries, cut at 9
    scores = sk.score(ir_metrics_lists_study, "mean(AP@9)", per="session").join(
        ir_metrics_lists_study.sessions.collect(), on="session_id"
    )
    assert pearsonr(scores["value"], scores["performance"]).statistic == pytest.approx(0.065, abs=5e-4)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_graded_average_precision_stays_within_its_bound(ir_metrics_lists_study):
    # with the sum of whole gains that the authors use in place of pairwise minima one session averages 1.298
    highest = sk.score(ir_metrics_lists_study, "GAP(gain=0-0.4-1)@9", per="query").get_column("value").max()
    assert 0.9 < highest <= 1
