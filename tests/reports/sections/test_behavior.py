"""Searchers in the report: what the log allows is worked out, and what it does not is said."""

import polars as pl
import pytest

from sessionkit.display.numbers import two_digits
from sessionkit.display.tables import TextTable
from sessionkit.reports.page import sections_of
from tests.reports.one_section import by_name, figures_in
from tests.reports.read_page import has_parts


def made_of(study):
    """The sections and details by name."""
    return by_name(sections_of(study, ["sDCG@10", "nsDCG@10"]))


def rated(study):
    """The study with clicks, and a rating of each session that grows with its number of queries."""
    sessions = study.sessions.sort("session_id").with_columns(rating=pl.int_range(pl.len()).cast(pl.Float64))
    deep = (pl.col("rank") == 1) | (pl.col("query_position") > 1)
    return study.with_tables(sessions=sessions, results=study.results.with_columns(clicked=deep))


@pytest.mark.slow
def test_clicks_and_ratings_make_a_fit_and_correlations(make):
    sections = made_of(rated(make(sessions=8, users=("u1", "u2", "u3", "u4"))))
    assert [figure.kind for figure in figures_in(sections["searchers"])] == ["examination-heatmap", "discount-fit"]
    (table,) = [part for part in sections["correlations"].parts if isinstance(part, TextTable)]
    assert set(table.frame["covariate"]) == {"rating"}
    assert set(table.frame["measure"]) == {"sDCG@10", "nsDCG@10"}
    told = " ".join(sections["ratings"].parts[0].paragraphs)
    row = table.frame.row(
        by_predicate=(pl.col("measure") == "nsDCG@10") & (pl.col("coefficient") == "spearman"), named=True
    )
    assert has_parts(told, "nsDCG@10 and rating", "(Spearman's)", f"{two_digits(row['value'])} (")
    assert "8 sessions of 4 users)" in told
    (figure,) = figures_in(sections["ratings"])
    assert figure.kind == "rating-scatter"
    drawn = [rows for rows in figure.chart.to_dict()["datasets"].values() if "n" in rows[0]]
    assert sum(row["n"] for row in drawn[0]) == 8
    (figure,) = figures_in(sections["correlations"])
    (forest,) = [
        rows for rows in figure.chart.to_dict()["datasets"].values() if "value" in rows[0] and "low" in rows[0]
    ]
    assert len(forest) == 2  # a row for each measure


@pytest.mark.slow
def test_a_discount_of_listed_factors_is_reported_without_a_fit(make):
    study = rated(make(sessions=4))
    sections = by_name(sections_of(study, ["nsDCG(discount=1-.5-.2)@10"]))
    (words,) = sections["searchers"].parts
    assert "its discount 1-0.5-0.2 is given" in words.paragraphs[0]


@pytest.mark.slow
def test_a_log_without_them_says_so(make):
    sections = made_of(make(sessions=4))
    assert not figures_in(sections["searchers"])
    assert "ratings" not in sections
    (words,) = sections["searchers"].parts
    assert words.paragraphs[0].startswith("Discounts were not fitted")
    assert any("gain of the ideal after" in line for line in sections["effort"].parts[-1].paragraphs)
