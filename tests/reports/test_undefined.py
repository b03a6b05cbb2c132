"""What has no value is said once, in plain words, and is neither drawn nor counted as 0; no topic is shown for its winner."""

import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.tables import LIMIT, TextTable
from sessionkit.errors import UsageError
from sessionkit.reports import page, report
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.material import UNJUDGED
from sessionkit.reports.parts import Widget, Words
from sessionkit.reports.single import single_figure
from tests.reports.read_page import Reader, specs

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
NEED = {"summary", "sessions", "discounts", "measures", "sensitivity", "judgments"}
"""The sections that nothing can stand in without judgments."""


def test_without_judgments_each_section_says_so_in_one_sentence(make):
    sections = {section.name: section for section in page.sections_of(make(judged=False, sessions=8))}
    for name in NEED:
        assert [part.paragraphs for part in sections[name].parts] == [(UNJUDGED,)], name
    assert any(isinstance(part, TextTable) for part in sections["behavior"].parts)
    text = Reader(report(make(judged=False, sessions=8))).text
    for false in ("undefined (over", "0 users", "(n = 0)", "nothing relevant to", "is higher on 0"):
        assert false not in text.partition("Data quality")[0].replace("10 users", "")


def test_without_judgments_no_axes_are_empty(make):
    for spec in specs(report(make(judged=False, sessions=8))):
        values = [row["value"] for rows in spec["datasets"].values() for row in rows if "value" in row]
        assert not values or any(value is not None for value in values)


@pytest.mark.slow
def test_what_needs_no_judgments_is_reported_without_them(make):
    sections = {section.name: section for section in page.sections_of(make(judged=False, sessions=8), "Queries")}
    assert UNJUDGED not in sections["summary"].parts[0].paragraphs
    assert sections["measures"].parts[0].frame["value"].null_count() == 0
    assert sections["sessions"].parts == (Words((UNJUDGED,)),)


@pytest.mark.slow
def test_undefined_that_is_asked_to_be_zero_is_zero(make):
    sections = {
        section.name: section for section in page.sections_of(make(judged=False, sessions=8), "sDCG(undefined=zero)@10")
    }
    assert any(isinstance(part, Widget) for part in sections["discounts"].parts)


@pytest.mark.slow
def test_judgments_for_other_topics_are_no_values_either(make):
    study = make(sessions=8, topics=("t", "u"))
    other = study.judgments.with_columns(judgment_key=pl.lit("another"))
    study = sk.from_tables(
        study.results.collect(), other.collect(), queries=study.queries.collect(), sessions=study.sessions.collect()
    )
    sections = {section.name: section for section in page.sections_of(study)}
    (words,) = sections["summary"].parts
    assert words.paragraphs == (
        "No measure that is reported has a value in any session; the notes on data quality say why.",
    )
    assert not any(isinstance(part, Figure) and part.chart is not None for part in sections["sessions"].parts)
    assert sections["discounts"].parts == (Words(("sDCG@10 has no value in any session.",)),)


@pytest.mark.slow
def test_a_mean_over_nothing_is_undefined_and_no_more(make):
    study = make(systems=("S1",), sessions=1)  # of one query, so without an earlier one
    told = " ".join(page.sections_of(study)[0].parts[0].paragraphs)
    assert "nonlast(nDCG@10) is undefined." in told
    assert "over 0" not in told


@pytest.mark.slow
def test_one_system_leads_nowhere(make):
    (section,) = [one for one in page.sections_of(make(systems=("S1",), sessions=6)) if one.name == "sensitivity"]
    assert not any(isinstance(part, Figure) for part in section.parts)
    assert "with one group there is nothing to compare" in " ".join(section.parts[0].paragraphs)


@pytest.mark.parametrize(
    "kind", ["last-vs-nonlast", "session-curve", "topic-curves", "single-sessions", "score-distribution"]
)
def test_a_chart_of_nothing_is_refused(make, kind):
    with pytest.raises(UsageError, match="value"):
        single_figure(make(judged=False), kind)


@pytest.mark.slow
def test_means_that_are_not_shown_are_counted(make):
    study = make(systems=("S1",), users=tuple(f"u{number:02}" for number in range(20)), sessions=20)
    words = page.sections_of(study, by="user_id")[0].parts[0]
    assert any("first 12 of 100 means" in line for line in words.paragraphs)


def topics_of(differences):
    """The table of topics where B is better than A by these differences; None, where A alone searched the topic."""
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
    summary = page.sections_of(study, "sDCG@10")[0]
    (table,) = [part for part in summary.parts if isinstance(part, TextTable)]
    return table


@pytest.mark.slow
def test_every_topic_is_shown_from_one_end_to_the_other():
    # B is better by much on 12 topics, and worse by little on 13: the 12 largest differences are all B's
    differences = [20 + number for number in range(12)] + [-1 - 0.5 * number for number in range(13)]
    table = topics_of(differences)
    assert [row[0] for row in table.rows] == [f"t{number:03}" for number in [*range(11, -1, -1), *range(12, 25)]]
    assert table.note == "B is higher on 12, A on 13 of 25 topics."


@pytest.mark.slow
def test_very_many_topics_show_both_ends_and_count_what_lies_between():
    table = topics_of([number - 50 for number in range(100)] + [None] * 3)
    shown = [row[0] for row in table.rows]
    half = LIMIT // 2
    assert shown == [f"t{number:03}" for number in [*range(99, 99 - half, -1), *range(half - 1, -1, -1)]]
    assert re.search(
        r"B is higher on 49, A on 50 of 103 topics\. Not shown: 40 between these two ends and 3 without", table.note
    )
    assert table.frame.height == 103
