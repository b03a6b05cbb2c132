"""The sentence of the verdict: the interval decides its words, by 0, by the declared band and by the measure's direction.

The three answers: which true difference would be detected, never one that the measure cannot have.
"""

from types import SimpleNamespace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports.sections.headline import Difference, detectable_text, headline
from sessionkit.scoring.measures.direction import MeasureDirection
from tests.reports.one_section import material
from tests.reports.read_page import has_parts

RUN = "Plausible differences run from .020 to .160"
NOT_SHOWN = "No difference between B and A is shown: "
HIGHER, LOWER, UNKNOWN = (MeasureDirection(better) for better in ("higher", "lower", "unknown"))


def difference(low, high, *, direction=HIGHER, band=None, measure="nsDCG@10", p=None, estimate=None, **options):
    """Group B less group A, with a p that agrees with the interval."""
    ends = [end for end in (low, high) if end is not None]
    middle = sum(ends) / len(ends) if estimate is None else estimate
    includes_0 = (low is None or low <= 0) and (high is None or high >= 0)
    row = {"measure": measure, "estimate": middle, "low": low, "high": high, "mean_a": 0.3, "mean_b": 0.3 + middle}
    row |= {"raw_difference": middle, "p_adjusted": (0.2 if includes_0 else 0.01) if p is None else p, "why": None}
    return Difference(row | options, "A", "B", direction, band, 0.05, "30 users")


@pytest.mark.parametrize(
    ("interval", "direction", "band", "start", "end"),
    [
        # the interval includes 0
        ((-0.02, 0.168), HIGHER, None, NOT_SHOWN, ".020 worse to .168 better remains possible."),
        ((-0.02, 0.168), LOWER, None, NOT_SHOWN, ".168 worse to .020 better remains possible."),
        ((-0.02, 0.168), UNKNOWN, None, NOT_SHOWN, ".020 lower to .168 higher remains possible."),
        ((0.0, 0.168), HIGHER, None, NOT_SHOWN, " 0 to .168 better remains possible."),
        # it excludes 0
        ((0.02, 0.16), HIGHER, None, "B scores higher than A: ", f"{RUN} in favor of B."),
        ((-0.16, -0.02), HIGHER, None, "B scores lower than A: ", f"{RUN} in favor of A."),
        ((0.02, 0.16), LOWER, None, "B does worse than A (lower", f"{RUN} in favor of A."),
        ((-0.16, -0.02), LOWER, None, "B does better than A (lower", f"{RUN} in favor of B."),
        ((0.02, 0.16), UNKNOWN, None, "B has higher values than A: ", f"{RUN}."),
        ((-0.16, -0.02), UNKNOWN, None, "B has lower values than A: ", f"{RUN}."),
        # a band is declared, and the interval does not lie within it
        ((-0.02, 0.168), HIGHER, 0.1, NOT_SHOWN, ".020 worse to .168 better remains possible."),
        ((0.02, 0.16), HIGHER, 0.1, "B scores higher than A: ", f"{RUN} in favor of B."),
        ((-0.1, 0.05), HIGHER, 0.1, NOT_SHOWN, "remains possible."),  # at the edge is outside
        # it lies within the band
        ((-0.02, 0.05), HIGHER, 0.1, "B and A are practically equal: ", "equivalence, ±.100."),
        ((0.02, 0.05), HIGHER, 0.1, "B scores higher than A, by less", "equivalence, ±.100."),
        ((-0.05, -0.02), LOWER, 0.1, "B does better than A (lower", "equivalence, ±.100."),
        # it has one end
        ((0.02, None), HIGHER, 0.1, "B scores higher than A: ", "has no upper end."),
        ((None, 0.02), HIGHER, 0.1, NOT_SHOWN, "has no lower end."),
    ],
)  # fmt: skip
def test_the_interval_decides_the_words(interval, direction, band, start, end):
    sentence = difference(*interval, direction=direction, band=band).sentence()
    assert sentence.startswith(start)
    assert sentence.endswith(end)


def test_an_interval_of_a_share_ends_where_differences_of_shares_end():
    sentence = difference(-0.2, 1.097, measure="Abandoned", direction=UNKNOWN).sentence()
    assert "95% CI \u2212.200 to 1.000, cut at 1, p = .20, 30 users" in sentence
    assert sentence.endswith(".200 lower to 1.000 higher remains possible.")
    assert "95% CI \u22121.000 to .500, cut at \u22121, p" in difference(-1.2, 0.5, measure="Abandoned").sentence()
    assert "1.10" in difference(-0.2, 1.097, measure="Queries").sentence()


def test_the_numbers_stand_in_the_sentence():
    # means .3 and .3 + .074; the middle of -.020 and .168 is .074
    sentence = difference(-0.02, 0.168, p=0.12008).sentence()
    numbers = ("nsDCG@10 .374 against .300", "difference .074", "95% CI \u2212.020 to .168", "p = .12", "30 users.")
    assert has_parts(sentence, "No difference", "B and A", *numbers, ".020 worse to .168 better")
    assert "sDCG@10 2.30 against 0.300, difference 2.00" in difference(1.0, 3.0, measure="sDCG@10").sentence()


@pytest.mark.parametrize(
    ("low", "high", "p", "said"),
    [
        (0.01, 0.2, 0.06, "The test disagrees: p is above"),
        (-0.01, 0.2, 0.04, "p is at most .05, and"),
        (0.01, 0.2, 0.04, None),
        (-0.01, 0.2, 0.06, None),
    ],
)
def test_a_p_that_disagrees_with_the_interval_is_named(low, high, p, said):
    sentence = difference(low, high, p=p).sentence()
    assert (said or "The test disagrees") in sentence or said is None
    assert said is not None or "disagrees" not in sentence


def test_only_a_claim_is_exploratory():
    assert difference(0.01, 0.2).sentence("Exploratory: ").startswith("Exploratory: B scores higher than A: ")
    assert difference(0.01, 0.2).in_words("Exploratory: ") == "Exploratory: B scores higher"
    assert difference(-0.01, 0.2).sentence("Exploratory: ").startswith("No difference between B and A ")
    assert difference(-0.01, 0.2).in_words("Exploratory: ") == "No difference shown"


def test_an_adjusted_difference_does_not_contradict_the_means():
    sentence = difference(0.01, 0.2, raw_difference=-0.05, mean_b=0.25)
    adjusted = Difference(
        sentence.row, "A", "B", HIGHER, None, 0.05, "30 users", "adjusted for user and topic"
    ).sentence()
    assert has_parts(adjusted, "raw means .250 against .300", "difference .105 adjusted for user", "opposite sign")


def test_too_few_units_have_no_verdict():
    why = (
        "No verdict: 2 of 16 users have a value for both groups; a verdict needs at least 6 pairs and half of the users"
    )
    few = difference(0.1, 0.2, why=why)
    assert few.sentence("Exploratory: ").startswith(f"{why}. nsDCG@10 .450 against .300, difference .150")
    assert few.in_words() == "No verdict"
    unbounded = difference(None, None, estimate=0.1)
    assert has_parts(unbounded.sentence(), "No verdict on B and A", "too few for an interval.")
    assert "CI" not in unbounded.sentence()


@pytest.mark.parametrize(
    ("low", "high", "band", "said"),
    [
        (-0.1, 0.2, None, "No difference shown"),
        (0.1, 0.2, None, "B scores higher"),
        (-0.1, 0.1, 0.2, "Practically equal"),
        (-0.1, -0.05, 0.2, "B scores lower, by less"),
    ],
)
def test_the_answer_says_the_same_in_a_few_words(low, high, band, said):
    words = difference(low, high, band=band).in_words()
    assert words.startswith(said)
    assert ("by less" in words) == ("by less" in said)


@pytest.mark.parametrize(
    ("measure", "sizes", "start", "end"),
    [
        ("nsDCG@10", [0.1344], "", ".134 in nsDCG@10"),
        ("nsDCG@10", [0.2, 0.3, 0.25], "", ".200 to .300 in nsDCG@10, by pair,"),
        ("nsDCG@10", [0.2, 0.3, None], "in 2 of 3 pairs ", ".200 to .300 in nsDCG@10, by pair,"),
        ("nsDCG@10", [None, 0.2, None], "in 1 of 3 pairs ", ".200 in nsDCG@10"),
        ("Queries", [1.3], "", "1.30 in Queries"),
        ("Queries", [None], "", None),
    ],
)
def test_of_how_many_pairs_a_detectable_difference_is_known(measure, sizes, start, end):
    rows = {"measure": [measure] * len(sizes) + ["other"], "detectable": [*sizes, 0.001]}
    found = SimpleNamespace(table=pl.DataFrame(rows, schema_overrides={"detectable": pl.Float64}))
    text = detectable_text(found, measure)
    assert text == (f"{start}a true difference of {end}" if end else "")


def test_where_nothing_is_tested_the_headline_says_why_and_not_what_was_left_out():
    users, systems = [1, 1, 2], ["A", None, "B"]
    sessions = {"session_id": list("abc"), "user_id": users, "system_id": systems, "topic_id": "t"}
    study = sk.from_tables(
        results=pl.DataFrame({**sessions, "query_position": 1, "rank": 1, "doc_id": "x"}),
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    )
    report = material(study, ["sDCG@1"])
    not_tested, left_out = report.comparison.remarks
    assert (not_tested.kind, left_out.kind) == ("not_tested", "left_out")
    sentence = headline(report, report.comparison)
    assert not_tested.body in sentence
    assert left_out.body not in sentence
