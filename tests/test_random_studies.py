"""Random studies go through compare, breakdown, correlate and the report: no unhandled error, no sentence against its table.

1,200 studies in all: ``pytest -m proof tests/test_random_studies.py``.
"""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.numbers import p_text
from tests.reports.read_page import Reader
from tests.support.random_studies import MEASURES, QUERY_MEASURES, draw_study

STUDIES = 1_200
LOWER_IS_BETTER = {"ESL", "E@5"}
"""Of the measures drawn here, those of which lower values are better, by their definitions."""
DUAL_TESTS = ("t", "welch", "least-squares", "tukey", None)
"""Tests of means whose interval excludes 0 exactly when they reject; None is the default, which is one of them."""


@pytest.fixture(autouse=True)
def only_data_warnings():
    """Let warnings about the data pass; every other warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sk.DataWarning)
        yield


@pytest.mark.few(8, slow=40)
@pytest.mark.parametrize("seed", range(STUDIES))
def test_findings_of_random_studies_agree_with_their_tables(seed):
    drawn = draw_study(seed)
    for number, check in enumerate((check_compare, check_breakdown, check_correlate)):
        check(drawn.study, *choices_of(seed, number))


@pytest.mark.few(1, slow=3)  # a page takes twenty times as long as all findings
@pytest.mark.parametrize("seed", range(STUDIES))
def test_pages_of_random_studies_agree_with_their_comparisons(seed):
    check_report(draw_study(seed).study, *choices_of(seed, 3))


def choices_of(seed, number):
    """Return the generator from which a check draws its options, and its confidence."""
    rng = np.random.default_rng([seed, 1, number])
    return rng, float(rng.choice([0.8, 0.9, 0.95, 0.99]))


def run(verb, *arguments, **options):
    """Return a finding, or None where the study is refused with a message of one or two lines."""
    try:
        return verb(*arguments, **options)
    except sk.SessionkitError as error:
        message = str(error)
        assert 0 < len(message) < 2_000, message
        assert not re.search(r"Traceback|\bNone\b|\bnan\b|polars", message), message
        return None


def check_compare(study, rng, confidence):
    """Hold the sentences of a comparison against its table, and the table against the values of its units."""
    measures = [str(measure) for measure in rng.choice(MEASURES, size=3, replace=False)]
    correction = str(rng.choice(["bonferroni", "holm", "bh", "none"]))
    test = rng.choice([None, None, None, "t", "wilcoxon", "sign", "randomization", "welch", "mann-whitney", "tukey"])
    within, cut = [(None, None), (None, None), ("skill", None), ("topic_id", None), ("age", 2)][rng.integers(5)]
    options = {"within": within, "cut": cut, "test": test, "correction": correction, "confidence": confidence}
    if rng.random() < 0.2:
        options["where"] = "queries >= 2"
    if rng.random() < 0.1:
        options |= {"population": "users,topics", "test": None, "within": None, "cut": None}
    comparison = run(sk.compare, study, measures, draws=199, **options)
    if comparison is None:
        return
    check_words(comparison.text)
    comparison.to_latex(), comparison.to_markdown(), comparison.paper_table()
    if options.get("population"):
        return
    check_stars(comparison, within)
    for row in comparison.table.iter_rows(named=True):
        check_numbers(row)
        check_wins(row, comparison, within)
        check_sentence(row, comparison, within, 1 - confidence)
        if test in DUAL_TESTS and row["p"] is not None and row["low"] is not None and row["high"] is not None:
            holds_together = correction == "bonferroni" or comparison.family.at_once
            matching = "p_adjusted" if holds_together else "p"
            if correction == "bh":
                continue
            check_duality(row["low"], row["high"], row[matching], 1 - confidence, str((row, options)))


def check_numbers(row):
    """No number of a row is NaN or infinite, p is a probability, and an interval holds its estimate."""
    for name, value in row.items():
        assert not isinstance(value, float) or math.isfinite(value), (name, row)
    for name in ("p", "p_adjusted"):
        assert row.get(name) is None or 0 <= row[name] <= 1, row
    if row.get("low") is not None and row.get("estimate") is not None:
        slack = 1e-9 * abs(row["estimate"])
        assert row["low"] <= row["estimate"] + slack, row
        assert row["high"] is None or row["estimate"] - slack <= row["high"], row
    if row.get("p_adjusted") is not None:
        assert row["p_adjusted"] >= row["p"] - 1e-12, row


def check_wins(row, comparison, within):
    """Count again from the values of the units for how many b was higher, lower, equal."""
    if row["wins"] is None:
        return
    units = comparison.units.filter(measure=row["measure"])
    if within is not None:
        units = units.filter(pl.col(within).eq_missing(pl.lit(row[within])))
    column = comparison.by
    first, second = (units.filter(pl.col(column) == row[side]).select("unit", "value") for side in ("a", "b"))
    pairs = first.join(second, on="unit", suffix="_b").select(
        difference=pl.col("value_b") - pl.col("value"),
        size=pl.max_horizontal(pl.col("value").abs(), pl.col("value_b").abs()),
    )
    assert pairs.height == row["wins"] + row["ties"] + row["losses"], (row, pairs)
    clearly = pairs.filter(pl.col("difference").abs() > 1e-9 * pl.col("size"))
    assert clearly.filter(pl.col("difference") > 0).height <= row["wins"] + row["ties"], (row, pairs)
    assert clearly.filter(pl.col("difference") < 0).height <= row["losses"] + row["ties"], (row, pairs)
    if clearly.height == pairs.height:
        assert row["wins"] == pairs.filter(pl.col("difference") > 0).height, (row, pairs)


def check_sentence(row, comparison, within, alpha):
    """A row's sentence gives its p, and the verdict and direction that its p and estimate ask for."""
    start = f"{row['measure']}: {row['b']} minus {row['a']}"
    level = f"{within} {row[within]}: " if within else ""
    sentences = [line for line in comparison.text.split("\n") if line.startswith(f"{level}{start}")]
    if not sentences:
        assert "more comparison" in comparison.text, (row, comparison.text)
        return
    (sentence,) = sentences
    shown = re.search(r"There is evidence that .* is (higher|lower)", sentence)
    if row["p_adjusted"] is None or row["p_adjusted"] > alpha:
        assert shown is None, (row, sentence)
        return
    if shown is not None:
        estimate = row["effect"] or row["estimate"]
        assert shown[1] == ("higher" if estimate > 0 else "lower"), (row, sentence)
        assert p_text(row["p_adjusted"]) in sentence, (row, sentence)
    else:
        assert not re.search("[Nn]o difference is shown", sentence), (row, sentence)


def check_stars(comparison, within):
    """A star stands beside a difference where a sentence says that there is evidence of it, and nowhere else."""
    if comparison.table.select("a", "b").n_unique() > 1:
        return
    starred = {place for place, _ in comparison.paper_table().marks}
    for place, row in enumerate(comparison.table.iter_rows(named=True)):
        start = f"{f'{within} {row[within]}: ' if within else ''}{row['measure']}: {row['b']} minus {row['a']}"
        sentences = [line for line in comparison.text.split("\n") if line.startswith(start)]
        if sentences:
            assert ("There is evidence that" in sentences[0]) == (place in starred), (row, sentences[0])


def check_duality(low, high, p, alpha, context):
    """An interval excludes 0 exactly when its test rejects, but for rounding."""
    if abs(p - alpha) < 1e-9:
        return
    assert (low > 0 or high < 0) == (p < alpha), context


def check_breakdown(study, rng, confidence):
    """Hold the table and the words of tests within sessions against each other and against the direction of the measure."""
    measure = str(rng.choice(QUERY_MEASURES))
    table = run(sk.breakdown, study, measure, str(rng.choice(["last", "position", "best", "first"])))
    if table is not None:
        assert not table.select(pl.col(pl.Float64).is_nan().any()).transpose().to_series().any()
    parts = str(rng.choice(["last", "first", "last-first", "best"]))
    tests = run(sk.breakdown_tests, study, measure, parts, confidence=confidence, draws=199)
    if tests is None:
        return
    check_words(tests.text)
    tests.to_latex(), tests.to_markdown()
    n_sessions = dict(study.table("sessions").collect().group_by("system_id").len().iter_rows())
    units = "user means" if "over" in tests.text and "weighted equally" in tests.text else "sessions"
    for row in tests.table.iter_rows(named=True):
        check_numbers(row)
        left_out = row["left_out_single_query"] + row["left_out_undefined"]
        assert row["sessions"] + left_out <= n_sessions[row["system_id"]], row
        if row["test"] != "users drawn" and row["p"] is not None:
            check_duality(row["low"], row["high"], row["p"], 1 - confidence, str(row))
        if row["test"] == units and row["p"] is not None:
            check_part_verdict(row, tests.text, measure, several=len(n_sessions) > 1)


def check_part_verdict(row, text, measure, *, several):
    """A part is called better or worse only where the interval excludes 0, by the measure's direction."""
    start = f"{row['system_id']}: The " if several else "The "
    wordings = [line for line in text.split("\n") if line.startswith(start) and f" {row['estimate']:+.3f}" in line]
    for line in wordings:
        is_better, is_worse = " is better than " in line, " is worse than " in line
        if not (row["low"] > 0 or row["high"] < 0):
            assert not is_better, (row, line)
            assert not is_worse, (row, line)
            continue
        if is_better or is_worse:
            higher = row["low"] > 0
            assert is_better == (higher != (measure in LOWER_IS_BETTER)), (row, line)


def check_correlate(study, rng, confidence):
    """An interval of a correlation excludes 0 exactly when its p is small, and the words follow."""
    measures = [str(measure) for measure in rng.choice(MEASURES[:9], size=2, replace=False)]
    covariate = str(rng.choice(["satisfaction", "difficulty", "value"]))
    options = {"control": ["UniqueDocs"]} if rng.random() < 0.2 else {}
    correlations = run(sk.correlate, study, measures, [covariate], confidence=confidence, draws=499, **options)
    if correlations is None:
        return
    check_words(correlations.text)
    correlations.to_latex(), correlations.to_markdown()
    for row in correlations.table.iter_rows(named=True):
        for name, value in row.items():
            assert not isinstance(value, float) or math.isfinite(value), (name, row)
        if row["p"] is None or row["low"] is None:
            continue
        assert -1 <= row["low"] <= row["value"] + 1e-12, row
        assert row["value"] - 1e-12 <= row["high"] <= 1, row
        check_duality(row["low"], row["high"], row["p"], 1 - confidence, str(row))
    listed = re.findall(r"Correlated with [^:]*: (.*)", correlations.text)
    for row in correlations.table.drop_nulls("p").iter_rows(named=True):
        mentioned = any(f"{row['measure']} {row['value']:.2f} (" in line for line in listed)
        if mentioned and row["coefficient"] == "pearson":
            assert row["p"] <= 1 - confidence + 1e-9, (row, listed)


def check_report(study, rng, confidence):  # the page has its own
    """A page is made of any study, and its first sentence gives the verdict of its comparison."""
    measures = None if rng.random() < 0.5 else [str(measure) for measure in rng.choice(MEASURES, size=2, replace=False)]
    page = run(sk.report, study, measures)
    if page is None:  # only numbers that cannot be scored, of 1e18 and above, are refused
        assert "column(value)" in measures
        return
    text = Reader(page).text
    check_words(text)
    primary = study.settings.primary
    if "It is the declared primary measure." not in text:
        return
    comparison = run(sk.compare, study, [primary], correction="none")
    if comparison is None or comparison.table.height != 1 or comparison.table.item(0, "p") is None:
        return
    row = comparison.table.row(0, named=True)
    found = re.search(
        rf"{re.escape(row['b'])} (scores (?:higher|lower)|does (?:better|worse)|has (?:higher|lower) values)", text
    )
    excludes_0 = any(end is not None and side * end > 0 for end, side in ((row["low"], 1), (row["high"], -1)))
    assert found is None or excludes_0, (row, found[0])
    if found is not None and "values" not in found[1]:
        higher_is_better = primary == "nsDCG@5"  # E and the number of queries are costs
        is_better = (row["effect"] > 0) == higher_is_better
        assert (found[1] in ("scores higher", "does better")) == is_better, (row, found[0])


def check_words(text):
    """No text shows what only a program reads, a share that rounds to all, or a number that is none."""
    slip = re.search(r".{0,80}(\bnan\b|\bNone\b(?! of)|\binf\b|Traceback|-0\.0000\b).{0,80}", text)
    assert slip is None, slip
    for part, of_all in re.findall(r"\b([\d,]+) of ([\d,]+)[^.;()]{0,60}?\(?100(?:\.0)? ?%", text):
        assert part == of_all, text
