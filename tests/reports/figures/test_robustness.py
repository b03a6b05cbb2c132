"""What figures of evidence say of themselves: they can be quoted without the page around them."""

import warnings
from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning, UsageError
from sessionkit.reports.choices import choices_of
from sessionkit.reports.figures import robustness
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure


@pytest.fixture
def found(make):
    """Twelve users who each met two of three systems, or both of two: what a verb finds in it, and the choices of a report."""

    def found(verb, systems=("S1", "S2", "S3"), **options):
        users = tuple(f"u{number // 2:02}" for number in range(24))
        study = make(systems=systems, topics=("t1", "t2", "t3", "t4"), users=users, sessions=24, max_grade=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return verb(study, "sDCG@2", **options), choices_of(study)

    return found


PLAN = {"difference": 0.5, "users": [24], "draws": 200, "component_draws": 50}


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "corrected"), [(("S1", "S2"), False), (("S1", "S2", "S3"), True)])
def test_power_names_its_tests_and_that_of_several_pairs_is_corrected(found, systems, corrected):
    plan, choices = found(sk.power, systems, **PLAN)
    caption = robustness.of_plan(plan, choices).caption
    for population, test in plan.table.select("population", "test").unique().rows():
        assert f"{test} (about {population})" in caption
    assert ("Bonferroni over 3 pairs" in plan.reading) is corrected  # 3 x 2 / 2
    assert ("Bonferroni over 3 pairs" in caption) is corrected


def test_power_is_drawn_of_the_measure_that_the_help_names(make, monkeypatch):
    def stopped(study, measure, by, *, difference):
        raise UsageError(f"{measure} {difference}")

    monkeypatch.setattr("sessionkit.statistics.power.power", stopped)
    for asked, drawn in ((None, "sDCG@10"), (parse_measure("nsDCG@5"), "nsDCG@5")):
        with pytest.raises(UsageError, match=f"^{drawn} 10%$"):
            single_figure(make(), "power-curve", asked, difference="10%")


GIVEN = pl.DataFrame({"grade": [0.0, 0.0, 2.0, 2.0], "becomes": [0.0, 2.0, 2.0, 0.0], "share": [0.9, 0.1, 0.9, 0.1]})


@pytest.mark.parametrize(
    ("noise", "source", "said"),
    [(0.2, "declared", "supposed, not estimated"), (GIVEN, "given", "drawn by the shares that were given")],
)
def test_noise_says_where_its_errors_are_from(found, noise, source, said):
    changed, choices = found(sk.judge_noise, draws=5, noise=noise)
    caption = robustness.of_noise(changed, choices).caption
    assert changed.source == source
    assert f"Errors are {said}; a draw changes {changed.changed:.0%} of the judgments" in caption
    assert caption.endswith(f"by {changed.test} over {changed.population}.")


def test_discriminative_power_says_whether_pairs_are_tested_together(found):
    power, choices = found(sk.discriminate, draws=99)
    assert not power.simultaneous
    assert robustness.of_pairs(power, choices).caption.endswith(f"over {power.population}, each pair by itself.")
    together = robustness.of_pairs(replace(power, simultaneous=True), choices)
    assert together.caption.endswith(f"over {power.population}.")
