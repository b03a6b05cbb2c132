"""What a wall of sessions draws: heights are scores, curves end where searchers stopped, clicks stand at their slots."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports.figures.session_wall import wall_tables
from sessionkit.scoring.measures.grammar import parse_measure

MEASURES = (
    "nsDCG@10",
    "nsDCG(bq=2)@3",
    "nsDCG(ideal=spread)@5",
    "nsDCG(normalize=query)@10",
    "nsDCG(slots=shown)@10",
    "sRBP(b=0.64,p=0.86)@10",
)


@pytest.fixture(scope="module")
def study():
    """Two sessions of topic t (grades a 1, b 2), one of a topic without judgments; the second stops after one query."""
    lists = [
        ("s1", 1, "axb"),
        ("s1", 2, "b"),
        ("s2", 1, "xy"),
        ("s3", 1, "ab"),
    ]
    rows = [
        (s, q, rank, d, "u" if s == "s3" else "t", d == "b") for s, q, docs in lists for rank, d in enumerate(docs, 1)
    ]
    names = ["session_id", "query_position", "rank", "doc_id", "topic_id", "clicked"]
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [1, 2]}
    return sk.from_tables(results=pl.DataFrame(rows, schema=names, orient="row"), judgments=judgments, max_grade=2)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_the_last_height_of_a_normalized_session_is_its_score(study, measure):
    tables = wall_tables(study, parse_measure(measure), "system_id")
    scores = dict(sk.score(study, measure, per="session").select("session_id", "value").rows())
    heights = dict(tables.curves.group_by("session_id").agg(pl.col("gain").sort_by("slot").last()).rows())
    for session in ("s1", "s2"):
        assert heights[session] == pytest.approx(scores[session], abs=1e-12)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_shares_are_worked_out_by_hand(study):
    """At depth 2 and b = bq = 2: s1 gains 1, then 2 / 2; its ideal has 2 and 1 / 2, then half of both: 3.75 in all."""
    tables = wall_tables(study, parse_measure("nsDCG(b=2,bq=2)@2"), "system_id")
    curve = tables.curves.filter(session_id="s1")
    assert curve["slot"].to_list() == [0, 1, 2, 3, 4]
    assert curve["gain"].to_list() == pytest.approx([0, 1 / 3.75, 1 / 3.75, 2 / 3.75, 2 / 3.75])
    assert curve["ideal"].to_list() == pytest.approx([0, 2 / 3.75, 2.5 / 3.75, 3.5 / 3.75, 1])
    sessions = {row["session_id"]: row for row in tables.sessions.iter_rows(named=True)}
    assert sessions["s1"]["ideal"] == pytest.approx(3.75)
    assert sessions["s3"]["ideal"] is None
    assert sessions["s3"]["value"] is None
    assert tables.queries.filter(session_id="s1")["judged"].to_list() == [0.5, 1.0]
    assert tables.clicks.rows() == [("s1", 2, 1, 3, "b"), ("s3", 1, 2, 2, "b")]  # b at rank 3 is below the cutoff
    assert {name: row["clicks_below"] for name, row in sessions.items()} == {"s1": 1, "s2": 0, "s3": 0}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_columns_of_the_log_under_names_of_the_wall_are_left_out(study):
    ids = study.sessions.select("session_id").collect()["session_id"]
    names = ("group", "value", "lower", "upper", "judged", "slots", "ideal", "clicks_below")
    columns = {name: ["from the log"] * len(ids) for name in names}
    log = study.with_tables(
        sessions=study.sessions.collect().with_columns(**{k: pl.Series(v) for k, v in columns.items()}).lazy()
    )
    measure = parse_measure("nsDCG@10")
    assert wall_tables(log, measure, "system_id").sessions.equals(wall_tables(study, measure, "system_id").sessions)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_curve_ends_where_its_searcher_stopped(study):
    tables = wall_tables(study, parse_measure("nsDCG@3"), "system_id")
    ends = dict(tables.curves.group_by("session_id").agg(pl.col("slot").max()).rows())
    assert ends == {"s1": 6, "s2": 3, "s3": 3}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_without_judgments_clicks_are_counted():
    lists = {"session_id": ["s"] * 3, "query_position": [1, 1, 2], "rank": [1, 2, 1], "doc_id": ["a", "b", "c"]}
    study = sk.from_tables(results=lists | {"clicked": [True, False, True]})
    tables = wall_tables(study, parse_measure("nsDCG@2"), "system_id")
    assert tables.curves["gain"].to_list() == [0, 1, 1, 2, 2]
    assert tables.queries["judged"].null_count() == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_wall_of_some_sessions_has_their_rows_of_the_wall_of_all(study):
    """Bounds too: s2 alone would not know that y of its topic is unjudged elsewhere."""
    measure = parse_measure("nsDCG@2")
    every, some = (wall_tables(study, measure, "system_id", *ids) for ids in ((), (pl.Series(["s2", "s3"]),)))
    for name in ("sessions", "curves", "queries", "clicks"):
        rows = getattr(every, name).filter(pl.col("session_id").is_in(["s2", "s3"]))
        assert getattr(some, name).equals(rows), name
    unbounded = wall_tables(study, measure, "system_id", pl.Series(["s1"]), is_bounded=False).sessions
    assert unbounded.select("lower", "upper").row(0) == (None, None)
    assert unbounded["value"].to_list() == every.sessions.filter(session_id="s1")["value"].to_list()
