"""What a notebook shows of a measure and of all of them; the command line prints the same facts.

Values and intervals of measures for display: rounded, and cut at what a measure can have.
"""

import html
import math
import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring.measures.describe import cut_intervals, cut_note, facts_of, measure_interval_text, parameters_of


def test_a_measure_shows_its_parameters_and_stays_its_name():
    measure = sk.nsDCG(b=3) @ 10
    shown = measure._repr_html_()
    assert repr(measure) == "nsDCG(b=3)@10"
    assert re.search("<td[^>]*>b</td><td[^>]*>3</td>", shown)
    assert "sessionkit score STUDY &#x27;nsDCG(b=3)@10&#x27;" in shown


def test_every_measure_shows_its_formula():
    for measure in sk.MEASURES.values():
        assert html.escape(measure.formula) in measure._repr_html_()


def test_the_registry_names_every_measure_by_its_level():
    shown = sk.MEASURES._repr_html_()
    assert "of a session: sDCG, nsDCG, sRBP" in shown
    assert "query: CG, DCG, nCG, nDCG" in shown
    assert repr(sk.MEASURES).startswith(f"<{len(sk.MEASURES)} measures: sDCG, nsDCG, CG")


def test_facts_are_those_of_the_measure_as_it_is():
    # an expected value over p: without p there is no bound to tell
    assert facts_of(sk.RBP)["range"] == "0 to 1, as RBP(p=0.8)@10"
    assert facts_of(sk.RBP(p=0.5) @ 10)["range"] == "0 to 1"
    assert facts_of(sk.mean(sk.nDCG @ 5))["example"] == "sessionkit score STUDY 'mean(nDCG@5)'"
    assert facts_of(sk.Queries)["better"] == "lower"
    assert dict(parameters_of(sk.nsDCG(bq=8), "value").select("parameter", "value").rows())["bq"] == "8"


ENDS = [(-1.5, 2.5), (-0.5, 0.5), (0.25, 0.75), (0.5, 1.5), (-2.0, -1.25)]
LIMITS = {
    ("P@5", False): (0, 1),
    ("P@5", True): (-1, 1),
    ("Queries", False): (0, math.inf),
    ("Queries", True): (-math.inf, math.inf),
}


@pytest.mark.parametrize(("measure", "of_difference"), LIMITS)
def test_ends_move_to_the_nearest_possible_value(measure, of_difference):
    lowest, highest = LIMITS[measure, of_difference]
    cut = cut_intervals(pl.DataFrame(ENDS, ["low", "high"], orient="row"), measure, of_difference=of_difference)
    for (low, high), ends in zip(ENDS, cut.rows(), strict=True):
        assert ends == (sorted((lowest, low, highest))[1], sorted((lowest, high, highest))[1])


def test_a_table_is_cut_by_the_measure_of_each_row_and_keeps_ends_that_are_missing():
    rows = pl.DataFrame(
        {"measure": ["P@5", "Queries", "my score"], "low": [-0.5, -0.5, -0.5], "high": [1.5, 1.5, None]}
    )
    assert cut_intervals(rows).select("low", "high").rows() == [(0.0, 1.0), (0.0, 1.5), (-0.5, None)]
    assert [bool(cut_note(rows.filter(measure=measure))) for measure in rows["measure"]] == [True, True, False]
    without = pl.DataFrame({"low": [None], "high": [None]})
    assert cut_intervals(without, "P@5").rows() == [(None, None)]
    assert cut_note(without, "P@5") == ""


def test_an_interval_within_the_limits_is_not_called_cut():
    assert measure_interval_text("P@5", 0.0, 1.0) == "0 to 1.000"
    assert measure_interval_text("P@5", -0.1, 1.1) == "0 to 1.000, cut at 0 and 1"
    assert measure_interval_text("sDCG@10", -0.1, 12.3) == "0 to 12.3, cut at 0"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-1e-17, 0.5, "0 to .500"),
        (-0.0004, 0.5, "0 to .500, cut at 0"),  # -.0004 would be printed
        (0.25, 1.0004, ".250 to 1.000"),  # as uncut
        (0.25, 1.0006, ".250 to 1.000, cut at 1"),
    ],
)
def test_an_end_is_called_cut_only_where_its_text_differs(low, high, text):
    assert measure_interval_text("P@5", low, high) == text


def test_a_rounding_error_beyond_a_limit_is_no_cut():
    rows = pl.DataFrame({"low": [-1e-17, -0.01], "high": [1 + 2e-16, 1.0]})
    assert cut_note(rows.head(1), "P@5") == ""
    assert cut_note(rows, "P@5").startswith("Intervals are cut")
