"""The rating-scatter chart: circles of sessions, lines of means, what it refuses; its figure has the correlation in words."""

import math
import re
from itertools import pairwise

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import rating_scatter, save, spec_of
from sessionkit.charts.kinds.rating_scatter import LARGEST, SMALLEST
from sessionkit.errors import UsageError
from sessionkit.reports.single_figures import single_figure
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts, messages_with

RATED = pl.DataFrame(
    [(1, 0.0), (1, 0.04), (2, 0.05), (2, 1.2), (2, 1.15), (5, 0.6), (5, None), (None, 0.3)],
    schema=["rating", "m"],
    orient="row",
)
"""Scores from 0 to 1.2: steps of 1.2 / 16 = .075; two without both."""


def test_circles_count_sessions_by_rating_and_step(datasets):
    _, (_, circles), _ = datasets(rating_scatter(RATED, "rating", measure="m"))
    found = [(row["x"], round(row["low"], 9), row["n"]) for row in circles]
    # of rating 1 both scores are below .075; 1.2 belongs to the last step, which begins at 1.125, as 1.15 does
    assert found == [(1, 0, 2), (2, 0, 1), (2, 1.125, 2), (5, 0.6, 1)]
    for row in circles:
        assert row["high"] - row["low"] == pytest.approx(0.075)
        assert row["value"] == pytest.approx((row["low"] + row["high"]) / 2)


def test_a_line_is_the_mean_of_at_least_two_sessions(datasets):
    (mark, means), _, _ = datasets(rating_scatter(RATED, "rating", measure="m"))
    assert mark == "rule"
    found = [(row["x"], row["value"], row["n"]) for row in means]
    assert found == [
        (1, pytest.approx(0.02), 2),
        (2, pytest.approx((0.05 + 1.2 + 1.15) / 3), 3),
    ]  # a single 5 has no mean
    # ratings are at least 1 apart: a line is .72 of that long
    assert [(row["low"], row["high"]) for row in means] == [
        (pytest.approx(place - 0.36), pytest.approx(place + 0.36)) for place in (1, 2)
    ]


def test_the_smallest_circle_is_seen_and_the_axis_names_the_ratings():
    encoding = spec_of(rating_scatter(RATED, "rating", measure="m"))["layer"][1]["encoding"]
    assert encoding["size"]["scale"] == {"domain": [1, 2], "range": [SMALLEST, LARGEST]}
    assert encoding["size"]["legend"]["values"] == [1, 2]
    assert encoding["x"]["axis"]["values"] == [1, 2, 5]
    many = pl.DataFrame({"rating": range(13), "m": [0.5] * 13})
    assert "values" not in spec_of(rating_scatter(many, "rating", measure="m"))["layer"][0]["encoding"]["x"]["axis"]


def test_means_are_behind_the_circles_and_faded_below_ten_with_the_numbers_of_sessions_above(datasets):
    rows = [(1, 0.1 * step) for step in range(10)] + [(2, 0.1 * step) for step in range(9)]
    frame = pl.DataFrame(rows, schema=["rating", "m"], orient="row")
    chart = rating_scatter(frame, "rating", measure="m", title="T")
    (mark, _), _, (text, counts) = datasets(chart)
    assert (mark, text) == ("rule", "text")
    assert [(row["x"], row["n"]) for row in counts] == [(1, 10), (2, 9)]
    assert spec_of(chart)["layer"][0]["encoding"]["opacity"]["condition"]["test"] == {"field": "n", "lt": 10}
    assert spec_of(chart)["title"]["subtitle"] == ["Above the plot: sessions", "Faded lines: fewer than 10 sessions"]


@pytest.mark.parametrize("rows", [[(3, 0.5)], [(3, 0.5), (3, 0.5)], [(1, 0.5), (2, 0.5)]])
def test_one_rating_or_one_score_is_drawn_too(datasets, rows):
    chart = rating_scatter(pl.DataFrame(rows, schema=["rating", "m"], orient="row"), "rating", measure="m")
    spec = spec_of(chart)
    drawn = [row for kept in spec["datasets"].values() for row in kept if row.get("value") == 0.5]
    assert {row["x"] for row in drawn} == {rating for rating, _ in rows}
    assert all(math.isfinite(row["low"]) for row in drawn)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="scores have no column 'ratings'"):
        rating_scatter(RATED, "ratings", measure="m")
    with pytest.raises(UsageError, match="rating does not hold numbers"):
        rating_scatter(RATED.with_columns(rating=pl.lit("good")), "rating", measure="m")
    with pytest.raises(UsageError, match=match_parts("no session", "both rating and m")):
        rating_scatter(RATED.tail(2), "rating", measure="m")


def test_the_figure_draws_the_study_and_says_how_both_correlate(datasets):
    clinic = read_clinic()
    made = single_figure(clinic, "rating-scatter", with_=["satisfaction"])
    (_, means), (_, circles), (_, counts) = datasets(made.chart)
    own = sk.score(clinic, "nsDCG@10", per="session", wide=True)
    assert sum(row["n"] for row in circles) == 120
    assert {row["x"]: (row["value"], row["n"]) for row in means} == {
        row["satisfaction"]: (pytest.approx(row["nsDCG@10"]), row["len"])
        for row in own.group_by("satisfaction").agg(pl.len(), pl.col("nsDCG@10").mean()).to_dicts()
    }
    assert {row["x"]: row["n"] for row in counts} == {row["x"]: row["n"] for row in means}
    spearman = own.select(pl.corr("satisfaction", "nsDCG@10", method="spearman")).item()
    assert messages_with([made.caption], "nsDCG@10 and satisfaction", "Spearman", f"{spearman:.2f} (")
    with pytest.raises(UsageError, match=match_parts("one rating", "--with COLUMN", "satisfaction, years_internet")):
        single_figure(clinic, "rating-scatter")
    with pytest.raises(UsageError, match="needs one rating"):
        single_figure(clinic, "rating-scatter", with_=["satisfaction", "skill"])


@pytest.mark.parametrize("size", [{}, {"width": "84mm"}])
def test_circles_of_neighboring_steps_do_not_touch_and_the_legend_has_their_sizes(tmp_path, size):
    """Of one rating as many sessions at every score, so that every circle is the largest; one session of another."""
    scores = [(3.0, step / 15) for step in range(16)] * 10 + [(4.0, 0.5)]
    chart = rating_scatter(pl.DataFrame(scores, schema=["rating", "m"], orient="row"), "rating", measure="m")
    text = save(chart, tmp_path / "chart.svg", **size).read_text("utf-8")
    circles = re.findall(r'Sessions: (10|1)" role.*?translate\([0-9.]+,([0-9.]+)\)" d="M([0-9.]+),0A', text)
    radii = {n: float(radius) for n, _, radius in circles}
    heights = sorted(float(y) for n, y, _ in circles if n == "10")
    assert len(heights) == 16
    assert min(below - above for above, below in pairwise(heights)) >= 2 * radii["10"] - 0.1
    assert 2 * radii["1"] >= 2.9  # points, 1 mm in print
    symbols = re.findall(r'translate\([0-9.]+,[0-9.]+\)" d="M([0-9.]+),0A', text.partition("legend-symbol")[2])
    assert {round(radii["1"], 1), round(radii["10"], 1)} <= {round(float(radius), 1) for radius in symbols}
