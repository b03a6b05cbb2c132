"""A real user study, all 80 sessions, against the definition restated with loops and the values its authors' code prints."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

import sessionkit as sk
from tests.scoring.restated import Session

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine"),
]
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


def test_what_is_in_the_log(study):
    facts = study.facts
    assert (facts.sessions, facts.queries, facts.empty, facts.results, facts.judgments) == (80, 388, 2, 3446, 5482)
    found = sk.describe(study)
    assert found.judged.select("results", "judged").rows() == [(3446, 3446)]
    assert found.lists.get_column("repeats").to_list() == [773]  # documents shown again in their session
