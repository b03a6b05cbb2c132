"""How far a comparison can be trusted: power of larger studies, what judges' errors change, which pairs are told apart.

What draws a finding is by itself, since a report that is asked for such a part has the finding already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sessionkit import charts
from sessionkit.charts.judge_noise import FEW
from sessionkit.display.words import counted, listed
from sessionkit.errors import UsageError
from sessionkit.reports.choices import Choices
from sessionkit.reports.on_demand.figure import CaptionedChart
from sessionkit.reports.on_demand.scores import measures_of
from sessionkit.reports.phrases import capital
from sessionkit.study import Study

if TYPE_CHECKING:
    from sessionkit.analysis.discriminative_power.discriminative_power import DiscriminativePower
    from sessionkit.analysis.judge_noise.finding import JudgeNoise
    from sessionkit.analysis.power.finding import PowerPlan

ERRORS = {
    "judges": "Errors are drawn as judges disagree with each other",
    "searchers": "Errors are drawn as searchers disagree with the judgments",
    "declared": "Errors are supposed, not estimated",
    "given": "Errors are drawn by the shares that were given",
}
"""What errors of judges are, by where they are from."""


def power_curve(study: Study, choices: Choices) -> CaptionedChart:
    """Power by size of a study to come."""
    from sessionkit.analysis.power.power import power

    if choices.difference is None:
        msg = "power-curve needs the smallest true difference worth finding, such as --difference 10%; do not take the one found"
        raise UsageError(msg)
    measure = choices.exact or choices.measure
    return of_plan(power(study, measure, choices.by, difference=choices.difference), choices)


def of_plan(found: PowerPlan, choices: Choices) -> CaptionedChart:
    """A plan, drawn."""
    title = "Power by the size of the study"
    chart = charts.power_curve(
        found.table, found.smallest, target=found.target, synthetic=choices.synthetic, title=title
    )
    topics = found.table.filter(pl.col("users").is_not_null()).get_column("topics").n_unique() > 1
    ends = found.table.select((pl.col("users").is_null() & pl.col("sessions").is_null()).any()).item()
    reached = found.smallest.select(pl.col("sessions").is_not_null().any()).item()
    tests = found.table.select("test", "claim").unique(maintain_order=True).rows()
    tested = listed([f"{test} (about {claim})" for test, claim in tests])
    caption = (
        f"Chance that a study of the same design finds a true difference of {found.difference:.4g} in {found.measure} at "
        f"level {found.alpha:g} by {tested}, averaged over what the components of variance may be. Bands hold 90 % of what they "
        f"leave possible{', for the fewest and the most topics' if topics else ''}. The dashed line is the target of {found.target:g}"
        f"{', a diamond the smallest number that reaches it' if reached else ', which no number looked at reaches'}"
        f"{'; a triangle at the right is power with users without end' if ends else ''}. {found.studies:,} simulated studies of "
        f"each size, seed {found.seed}."
    )
    return CaptionedChart(title, chart, caption)


def judge_noise(study: Study, choices: Choices) -> CaptionedChart:
    """What judges' errors change."""
    from sessionkit.analysis.judge_noise.judge_noise import judge_noise as misjudged

    return of_noise(misjudged(study, measures_of(choices), choices.by), choices)


def of_noise(found: JudgeNoise, choices: Choices) -> CaptionedChart:
    """Judges' errors, drawn."""
    title = "What errors of judges change"
    chart = charts.judge_noise(found.table, synthetic=choices.synthetic, title=title)
    draws = f"the middle 95 % of the differences in {found.draws:,} draws of the judgments (seed {found.seed})"
    errors = f"{ERRORS[found.source]}; a draw changes {found.changed:.0%} of the judgments on average"
    few = found.table.get_column("difference").count() <= FEW
    shown = (
        f"Difference of each pair by the judgments as they are (diamond); a line holds {draws}, and at its right stand the shares "
        "of draws that end with another winner, or none, and with another verdict"
        if few
        else "Share of draws in which a pair ends with another winner, or none, and with another verdict, by its difference as "
        f"judged; a line holds {draws}"
    )
    tested = f"A verdict is whether p is at or below {found.alpha:g}, by {found.test} over {found.claim}"
    caption = f"{shown}. {errors}. {tested}."
    return CaptionedChart(title, chart, caption)


def discriminative_power(study: Study, choices: Choices) -> CaptionedChart:
    """Which pairs are told apart."""
    from sessionkit.analysis.discriminative_power.discriminative_power import discriminative_power as told_apart

    return of_pairs(told_apart(study, measures_of(choices), choices.by), choices)


def of_pairs(found: DiscriminativePower, choices: Choices) -> CaptionedChart:
    """The significance levels that pairs reach, drawn."""
    title = "Significance level of every pair"
    chart = charts.discriminative_power(found.asl, alpha=found.alpha, synthetic=choices.synthetic, title=title)
    pairs = int(found.table.get_column("pairs").max() or 0)  # type: ignore[arg-type]
    how = (
        f"p of each of {counted(pairs, 'pair')} by each measure, the smallest first: the later a curve crosses the dashed line at "
        f"{found.alpha:g}, the more pairs its measure tells apart."
        if pairs > 1
        else f"p of the one pair by each measure; the dashed line is the level of {found.alpha:g}."
    )
    alone = ", each pair by itself" if pairs > 1 and not found.simultaneous else ""
    tested = f"{capital(found.test)}, over {found.claim}{alone}"
    return CaptionedChart(title, chart, f"{how} The axis is drawn by the square root. {tested}.")
