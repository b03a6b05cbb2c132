"""What has no value is said once, in plain words, and is neither drawn nor counted as 0; no topic is shown for its winner."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.tables import TextTable
from sessionkit.errors import UsageError
from sessionkit.reports import page, report
from sessionkit.reports.parts import Widget
from sessionkit.reports.report_data import UNJUDGED, UNRELATED
from sessionkit.reports.sections import topics as topics_section
from sessionkit.reports.single_figures import single_figure
from tests.reports.one_section import by_name, figures_in
from tests.reports.read_page import Reader, has_parts, specs

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
NEED = {"topics", "sessions", "discounts", "measures", "sensitivity", "judgments", "robustness"}
"""The sections that are not there without judgments."""


@pytest.fixture(scope="module")
def unjudged_page(make):
    """The page of a study of eight sessions without judgments."""
    return report(make(judged=False, sessions=8))


@pytest.mark.slow
def test_without_judgments_the_page_says_so_once_and_is_about_behavior(make, unjudged_page):
    sections = by_name(page.sections_of(make(judged=False, sessions=8)))
    assert not NEED & {*sections}
    lead, *_, tiles = sections["summary"].parts
    assert lead.paragraphs[1] == UNJUDGED
    # sessions have 1 to 8 queries: those of S1 1, 3, 5, 7
    assert has_parts(lead.paragraphs[0], "8 sessions", "queries per session 4.00 with S1", "5.00 with S2")
    assert has_parts(tiles.tiles[1].more, "not compared", "Queries", "each group has 1 user")
    assert any(isinstance(part, TextTable) for part in sections["behavior-table"].parts)
    text = Reader(unjudged_page).text
    assert text.count(UNJUDGED) == 1
    for false in ("undefined (over", "0 users", "(n = 0)", "nothing relevant to", "is higher on 0"):
        assert false not in text.partition("Data and method")[0].replace("10 users", "")


@pytest.mark.slow
def test_without_judgments_no_axes_are_empty(unjudged_page):
    for spec in specs(unjudged_page):
        values = [row["value"] for rows in spec["datasets"].values() for row in rows if "value" in row]
        assert not values or any(value is not None for value in values)


@pytest.mark.slow
def test_what_needs_no_judgments_is_reported_without_them(make):
    sections = by_name(page.sections_of(make(judged=False, sessions=8), "Queries"))
    assert UNJUDGED not in sections["summary"].parts[0].paragraphs
    assert sections["measures"].parts[0].frame["value"].null_count() == 0
    assert "sessions" not in sections


@pytest.mark.slow
def test_undefined_that_is_asked_to_be_zero_is_zero(make):
    sections = by_name(page.sections_of(make(judged=False, sessions=8), "sDCG(unjudged_topics=zero)@10"))
    assert any(isinstance(part, Widget) for part in sections["discounts"].parts)


@pytest.mark.slow
def test_judgments_for_other_topics_are_no_values_either(make):
    study = make(sessions=8, topics=("t", "u"))
    other = study.judgments.with_columns(judgment_key=pl.lit("another"))
    study = sk.from_tables(
        study.results.collect(), other.collect(), queries=study.queries.collect(), sessions=study.sessions.collect()
    )
    sections = by_name(page.sections_of(study))
    words = sections["summary"].parts[0]
    assert has_parts(words.paragraphs[1], "No measure", "has a value in any session")
    assert not any(figure.chart is not None for figure in figures_in(sections["sessions"]))
    assert "robustness" not in sections


@pytest.mark.slow
def test_a_mean_over_nothing_is_undefined_and_no_more(make):
    study = make(systems=("S1",), sessions=1)  # of one query, so without an earlier one
    *_, answers = page.sections_of(study)[0].parts
    assert "nonlast(nDCG@10) is undefined" in answers.tiles[0].more
    assert "over 0" not in answers.tiles[0].more


@pytest.mark.slow
def test_one_system_leads_nowhere(make):
    sections = by_name(page.sections_of(make(systems=("S1",), sessions=6)))
    section = sections["sensitivity"]
    assert not figures_in(sections["robustness"])
    assert "nothing to compare" in " ".join(section.parts[0].paragraphs)


@pytest.mark.parametrize(
    "kind", ["last-vs-nonlast", "session-curve", "topic-curves", "single-sessions", "score-distribution"]
)
def test_a_chart_of_nothing_is_refused(make, kind):
    with pytest.raises(UsageError, match="value"):
        single_figure(make(judged=False), kind)


@pytest.mark.slow
def test_of_many_groups_that_are_not_compared_the_lowest_and_the_highest_mean_are_said(make):
    study = make(systems=("S1",), users=tuple(f"u{number:02}" for number in range(20)), sessions=20)
    words = page.sections_of(study, by="user_id")[0].parts[0]
    means = sk.score(study, "nsDCG@10", by="user_id").sort("value")
    low, high = (means.row(at, named=True) for at in (0, -1))
    assert low["value"] < high["value"]
    means_in_words = [f"{row['value']:.3f}".lstrip("0") for row in (low, high)]
    ends = [f"{row['user_id']} {mean} (1 session)" for row, mean in zip((low, high), means_in_words, strict=True)]
    assert has_parts(words.paragraphs[0], "nsDCG@10", "20 groups", f"{ends[0]} to {ends[1]}.")


def topics_of(differences, measure="sDCG@10"):
    """The sections where B gains more than A by these differences; None, where A alone searched the topic."""
    sessions, results, grades = [], [], []
    for number, difference in enumerate(differences):
        topic = f"t{number:03}"
        for system, gain in (("A", 100), ("B", None if difference is None else 100 + difference)):
            if gain is None:
                continue
            name = f"{topic}{system}"
            sessions.append((name, topic, system, f"u{number % 7}"))
            results.append((name, 1, 1, name))
            grades.append((topic, name, float(gain)))
    study = sk.from_tables(
        pl.DataFrame(results, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        pl.DataFrame(grades, schema=["judgment_key", "doc_id", "grade"], orient="row"),
        sessions=pl.DataFrame(sessions, schema=["session_id", "topic_id", "system_id", "user_id"], orient="row"),
    )
    return by_name(page.sections_of(study, measure))


@pytest.mark.slow
def test_where_lower_is_better_topics_of_the_lower_mean_are_counted():
    # a gain of 100 or more is relevant, one of 0 is not: E is 1 for B on 2 topics, and lower for B on none
    words = topics_of([-100, -100, 0, 5, None], "mean(E@10)")["topics"].parts[0].paragraphs[0]
    assert has_parts(words, "B has the lower mean", "mean(E@10) (lower is better)", "0 of 4 topics, A on 2")


@pytest.mark.slow
def test_every_topic_is_shown_from_one_end_to_the_other():
    # B is better by much on 12 topics, and worse by little on 13: the 12 largest differences are all B's
    differences = [20 + number for number in range(12)] + [-1 - 0.5 * number for number in range(13)]
    sections = topics_of([*differences, None])
    (table,) = [part for part in sections["topics-table"].parts if isinstance(part, TextTable)]
    order = [f"t{number:03}" for number in [*range(11, -1, -1), *range(12, 26)]]
    assert [row[0] for row in table.rows] == order
    (figure,) = figures_in(sections["topics"])
    (rows,) = [rows for rows in figure.chart.to_dict()["datasets"].values() if "topic" in rows[0]]
    assert [row["topic"] for row in rows] == order[:-1]
    told = sections["topics"].parts[0].paragraphs[0]
    assert has_parts(told, "B has the higher mean", "sDCG@10", "12 of 25 topics, A on 13", "unadjusted differences")
    assert has_parts(told, "1 topic without a value", "left out.")


@pytest.mark.slow
def test_topics_without_end_are_counted_and_not_drawn(monkeypatch):
    monkeypatch.setattr(topics_section, "DRAWN", 49)
    sections = topics_of([1.0] * 25)
    assert not figures_in(sections["topics"])
    assert "50 means of groups on topics" in sections["topics"].parts[1].paragraphs[0]


def test_results_judged_below_the_ranks_that_are_scored_are_not_denied():
    results = {
        "session_id": ["s"] * 12,
        "query_position": [1] * 12,
        "rank": [*range(1, 13)],
        "doc_id": [*"abcdefghijkl"],
    }
    study = sk.from_tables(
        results,
        {"judgment_key": ["t"], "doc_id": ["l"], "grade": [1]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
    )
    said = by_name(page.sections_of(study))["summary"].parts[0].paragraphs[1]
    assert said.startswith("No result that is scored")
    assert said.endswith("or score further ranks.")


@pytest.mark.slow
def test_judgments_of_documents_that_were_not_shown_are_no_scores(make):
    made = make(sessions=8)
    elsewhere = made.judgments.collect().with_columns(doc_id=pl.lit("elsewhere ") + pl.col("doc_id"))
    study = sk.from_tables(made.results.collect(), elsewhere, sessions=made.sessions.collect())
    assert sk.score(study, "nsDCG@10")["value"].max() == 0
    sections = by_name(page.sections_of(study))
    assert not (NEED - {"judgments", "robustness"}) & {*sections}
    assert UNRELATED in sections["summary"].parts[0].paragraphs
