"""The first screen without judgments: behavior by group with differences, or means with intervals, never a verdict on relevance."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports.sections.summary import summary
from tests.reports.one_section import figures_in, material
from tests.reports.read_page import has_parts

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def unjudged(systems):
    """Twelve users of two sessions each, one with each of the systems in turn: with S2 each session has two or three queries more."""
    sessions, rows = [], []
    for user in range(12):
        for nth in range(2):
            name, system = f"u{user:02}-{nth}", systems[(user + nth) % len(systems)]
            sessions.append((name, f"u{user:02}", system))
            n_queries = 1 + user % 3 + (2 + user % 2) * (system == "S2")
            rows += [
                (name, query, 1, "d", query == 1 and (user + nth * (user % 3)) % 4 > 0)
                for query in range(1, n_queries + 1)
            ]
    columns = ["session_id", "query_position", "rank", "doc_id", "clicked"]
    return sk.from_tables(
        results=pl.DataFrame(rows, schema=columns, orient="row"),
        sessions=pl.DataFrame(sessions, schema=["session_id", "user_id", "system_id"], orient="row"),
    )


def read(study):
    """The paragraphs and the tiles of the first screen."""
    section = summary(material(study, ["nsDCG@10"]))
    words = [text for part in section.parts for text in getattr(part, "paragraphs", ())]
    tiles = {tile.about: tile for part in section.parts for tile in getattr(part, "tiles", ())}
    return section, words, tiles


def test_behavior_is_compared_where_there_are_groups():
    study = unjudged(["S1", "S2"])
    section, (lead, below), tiles = read(study)
    assert has_parts(lead, "Of 3 measures of behavior", "Bonferroni over ")
    assert "Queries is higher with S2 than" in lead
    assert "is shown in Clicks@10" in lead
    assert below.startswith("The study has no judgments")
    # 1 + user % 3 queries with S1: a mean of 2 over 12 users; 2 or 3 more with S2: a mean of 4.5
    assert has_parts(tiles["What was found"].more, "queries per session 2.00 with S1", "4.50 with S2")
    (figure,) = figures_in(section)
    (rows,) = [rows for rows in figure.chart.to_dict()["datasets"].values() if "estimate" in rows[0]]
    assert rows[0]["row"] == "Queries"
    assert rows[0]["estimate"] == pytest.approx(2.5)
    assert not any(word in " ".join([lead, below]) for word in ("better", "favors"))


def test_one_group_has_means_with_intervals_and_says_why_nothing_is_compared():
    _, (lead, _), tiles = read(unjudged(["S1"]))
    assert has_parts(lead, "24 sessions", "queries per session 2.00 (95% CI ")
    assert tiles["What was found"].fact == "2.00 queries per session"
    assert "there is one system." in tiles["How sure"].more
    # 6 of 24 sessions have no click, three of each half; no end of the interval lies outside 0 to 1
    assert "sessions without a click .250 (95% CI " in lead
    assert "\u2212" not in lead


def test_an_interval_of_a_share_does_not_reach_below_0():
    """One of 24 sessions has no click: the interval of Student's t would begin below 0."""
    study = unjudged(["S1"])
    results = study.results.collect().with_columns(clicked=pl.col("session_id") != "u00-0")
    _, (lead, _), _ = read(sk.from_tables(results=results, sessions=study.sessions.collect()))
    assert "without a click .042 (95% CI 0 to " in lead


def test_the_answers_stand_above_the_high_forest_of_several_pairs():
    """Sessions have 2 queries on average with S1 and S3, and 4.5 with S2."""
    section, (lead, _), _ = read(unjudged(["S1", "S2", "S3"]))
    kinds = [type(part).__name__ for part in section.parts]
    assert kinds.index("Tiles") < kinds.index("FigureRow")
    assert has_parts(lead, "comparisons show a difference", "Queries is higher with S2 than", "S1; ")
    assert has_parts(lead, "Queries is lower with S3", "with S2")


def test_one_session_has_three_answers_below_what_the_person_did():
    """The first session of u02 has three queries of one result each, the first clicked."""
    study, is_first = unjudged(["S1"]), pl.col("session_id") == "u02-0"
    results, sessions = (table.filter(is_first).collect() for table in (study.results, study.sessions))
    _, (lead, below), tiles = read(sk.from_tables(results=results, sessions=sessions))
    assert has_parts(lead, "User u02", "with S1: 3 queries", "3 results shown and 1 clicked.")
    assert below.startswith("The study has no judgments")
    assert [tile.fact for tile in tiles.values()] == ["3 queries", "1 session", "Judgments"]
