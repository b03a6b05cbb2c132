"""Searchers in the report: what the log allows is worked out, and what it does not is said."""

import polars as pl
import pytest

from sessionkit.display.tables import TextTable
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.page import sections_of
from sessionkit.reports.parts import Heading, Words


def searchers(study):
    """The parts of the section."""
    (found,) = [section for section in sections_of(study, ["sDCG@10", "nsDCG@10"]) if section.name == "searchers"]
    return found.parts


def rated(study):
    """The study with clicks, and a rating of each session that grows with its number of queries."""
    sessions = study.sessions.sort("session_id").with_columns(rating=pl.int_range(pl.len()).cast(pl.Float64))
    deep = (pl.col("rank") == 1) | (pl.col("query_position") > 1)
    return study.with_tables(sessions=sessions, results=study.results.with_columns(clicked=deep))


@pytest.mark.slow
def test_clicks_and_ratings_make_a_fit_and_correlations(make):
    parts = searchers(rated(make(sessions=8, users=("u1", "u2", "u3", "u4"))))
    (figure,) = [part for part in parts if isinstance(part, Figure)]
    assert figure.kind == "discount-surface"
    (table,) = [part for part in parts if isinstance(part, TextTable)]
    assert set(table.frame["covariate"]) == {"rating"}
    assert set(table.frame["measure"]) == {"sDCG@10", "nsDCG@10"}
    assert len([part for part in parts if isinstance(part, Words)]) == 3
    headings = [place for place, part in enumerate(parts) if isinstance(part, Heading)]
    assert [type(parts[place + 1]) for place in headings] == [Figure, TextTable, Words]  # what each stands above


@pytest.mark.slow
def test_a_log_without_them_says_so(make):
    parts = searchers(make(sessions=4))
    assert not [part for part in parts if isinstance(part, (Figure, TextTable))]
    first, second = [part for part in parts if isinstance(part, Words)]
    assert first.paragraphs[0].startswith("Discounts were not fitted to the searchers: ")
    assert any("the gain of the ideal after" in line for line in second.paragraphs)
