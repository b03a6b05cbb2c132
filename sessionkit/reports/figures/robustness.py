"""How far a finding can be trusted: other discounts, fitted discounts, lost judgments, larger studies, judges' errors.

What draws a finding is by itself, since the commands and a report that is asked for such a part have the finding already.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import polars as pl

from sessionkit import charts
from sessionkit.charts.kinds.judge_noise import FEW
from sessionkit.display.numbers import capital, counted, level_text, listed, share_text
from sessionkit.errors import DataWarning, UsageError
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import Figure, measures_of, without_condition
from sessionkit.study import Study

if TYPE_CHECKING:
    from sessionkit.robustness.discriminative_power import DiscriminativePower
    from sessionkit.robustness.judge_noise import JudgeNoise
    from sessionkit.robustness.missing_judgments import MissingJudgments
    from sessionkit.statistics.power import PowerPlan

VARIED = {"b": "1.5:10:18", "bq": "1.5:10:18"}
"""What a sweep varies unless something else is asked for."""
SWEPT = "Who leads at which setting"
TIPPING = "What missing judgments could change"
LOST = "The order of systems as judgments are lost"
FITTED = "Fitted discount, and what was looked at"
EXAMINED = "How far searchers looked"
LOOKED = (
    "Share of the lists of each query of a session that were looked at down to each rank; of a list that ended, only that it was "
    "looked at so far is known (Kaplan and Meier's estimate). The number of lists stands beside each query; a small cell is a share of "
    "fewer than 10 lists, and a gap one of fewer than two."
)
"""What the cells of an examination heatmap are."""
DRAWS = 200
"""Draws for the intervals of fitted discounts that a caption gives."""
ERRORS = {
    "judges": "Errors are drawn as judges disagree with each other",
    "searchers": "Errors are drawn as searchers disagree with the judgments",
    "declared": "Errors are supposed, not estimated",
    "given": "Errors are drawn by the shares that were given",
}
"""What errors of judges are, by where they are from."""


def sweep_map(study: Study, choices: Choices) -> Figure:
    """Who leads at which setting of a measure."""
    from sessionkit.robustness.sweep import sweep

    measure = choices.exact or choices.ratio
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the reading, which is the caption, says it
        found = sweep(study, measure, choices.vary or VARIED, choices.by)
    chart = charts.sweep_map(without_condition(found), colors=choices.colors, synthetic=choices.synthetic, title=SWEPT)
    return Figure("sweep-map", SWEPT, chart, found.reading.replace("\n", " "))


def tipping_point(study: Study, choices: Choices) -> Figure:
    """A difference as scored, with unjudged results skipped, and its bounds; of other than two groups their means."""
    from sessionkit.robustness.missing_judgments import depends_on_judgments, missing_judgments

    measure = choices.exact or choices.measure
    if not depends_on_judgments(measure):
        raise UsageError(
            f"{measure} uses no judgments, so none can be missing; name a measure of relevance, such as nsDCG@10"
        )
    if not study.facts.judgments:
        raise UsageError("the study has no judgments, so no judgment is missing from a score")
    return of_missing_judgments(missing_judgments(study, measure, choices.by), choices)


def of_missing_judgments(missing: MissingJudgments, choices: Choices) -> Figure:
    """The forest of what missing judgments could make of a difference.

    Raises
    ------
    UsageError
        Every result is judged, or no session has a value.
    """
    if missing.is_complete:
        raise UsageError("every result shown is judged, so no missing judgment could change a score")
    chart = charts.tipping_point(missing, legend=choices.legend, synthetic=choices.synthetic, title=TIPPING)
    adjusted = f", {missing.adjustment}" if missing.adjustment else ""
    estimates = [one for candidate in missing.candidates for one in (candidate.scored, candidate.skipped) if one]
    has_intervals = any(estimate.low is not None for estimate in estimates)
    level = level_text(1 - missing.confidence)
    comma = "," if adjusted else ""
    intervals = f"{comma} with {level} confidence intervals, each by itself" if has_intervals else ""
    points = f"Points are estimates{adjusted}{intervals}"
    if not any(candidate.bounds for candidate in missing.candidates):
        why = missing.why_no_bounds or "the raw difference is not defined"
        return Figure("tipping-point", TIPPING, chart, f"{points}. There are no bounds: {why}.")
    limited = "raw difference of means" if missing.pair else "mean"
    caption = (
        f"{points}. As scored, unjudged results gain nothing; skipped, they are removed before the cutoff. The thin bar is no confidence "
        f"interval: the {limited} lies within it whatever grades the unjudged documents have"
        f"{', and may not reach its ends' if any(one.bounds and one.bounds.is_safe for one in missing.candidates) else ''}."
    )
    return Figure("tipping-point", TIPPING, chart, caption)


def discount_fit(study: Study, choices: Choices) -> Figure:
    """How far searchers looked, observed and expected."""
    from sessionkit.robustness.calibrate import calibrate

    found = calibrate(study, choices.exact or choices.measure, draws=DRAWS)
    chart = charts.discount_fit(without_condition(found), synthetic=choices.synthetic, title=FITTED)
    return Figure("discount-fit", FITTED, chart, found.reading.replace("\n", " "))


def examination_heatmap(study: Study, choices: Choices) -> Figure:
    """The share of lists that searchers looked at down to each rank."""
    from sessionkit.robustness.calibrate import count_looks
    from sessionkit.robustness.calibrate_counts import examined

    counts, _ = count_looks(study)
    chart = charts.examination_heatmap(examined(counts), synthetic=choices.synthetic, title=EXAMINED)
    caption = f"{LOOKED} {' '.join(each.text for each in counts.statements if each.kind != 'intervals')}"
    return Figure("examination-heatmap", EXAMINED, chart, caption)


def judgment_loss(study: Study, choices: Choices) -> Figure:
    """The order of systems as judgments are lost."""
    from sessionkit.robustness.judgment_loss import judgment_loss as lose

    found = lose(study, choices.exact or choices.ratio, choices.by)
    chart = charts.judgment_loss(without_condition(found), synthetic=choices.synthetic, title=LOST)
    knees = (
        "; a diamond is a knee, the smallest share from which on the mean stays there or above"
        if found.knees["knee"].count()
        else ""
    )
    marks = f"The dashed line is a tau of {found.threshold:g}{knees}."
    return Figure("judgment-loss", LOST, chart, f"{marks} {found.reading}".replace("\n", " "))


def verdict_curves(study: Study, choices: Choices) -> Figure:
    """The verdicts on pairs as judgments are lost."""
    from sessionkit.robustness.judgment_loss import judgment_loss as lose

    found = lose(study, measures_of(choices, "verdict-curves"), choices.by)
    title = "Verdicts with fewer judgments"
    chart = charts.verdict_curves(without_condition(found), synthetic=choices.synthetic, title=title)
    pairs = found.pairs.select("a", "b").n_unique()
    panels = {
        "accuracy": "Same verdict: accuracy.",
        "g_mean": (
            "g-mean for no difference: the geometric mean of two shares, of the pairs not shown to differ with all judgments those "
            "that stay so, and of the pairs not shown to differ with some judgments those that are not shown to differ with all."
        ),
        "false_positive_rate": (
            "Differences missed: of those shown with all judgments, those not shown with some; SIGIR 2007 calls them false positives, "
            "as its positive cases are pairs without a difference."
        ),
    }
    caption = (
        f"Verdicts on {counted(pairs, 'pair')} of groups, {counted(found.times, 'draw')} each, with a share of the judgments "
        f"against those with all. {' '.join(text for name, text in panels.items() if found.confusion[name].count())}"
    )
    return Figure("verdict-curves", title, chart, caption)


def power_curve(study: Study, choices: Choices) -> Figure:
    """Power by size of a study to come."""
    from sessionkit.statistics.power import power

    if choices.difference is None:
        msg = "power-curve needs the smallest true difference worth finding, such as --difference 10%; do not take the one found"
        raise UsageError(msg)
    measure = choices.exact or choices.measure
    return of_plan(power(study, measure, choices.by, difference=choices.difference), choices)


def of_plan(found: PowerPlan, choices: Choices) -> Figure:
    """A plan, drawn."""
    title = "Power by the size of the study"
    chart = charts.power_curve(without_condition(found), synthetic=choices.synthetic, title=title)
    topics = found.table.filter(pl.col("users").is_not_null()).get_column("topics").n_unique() > 1
    ends = found.table.select((pl.col("users").is_null() & pl.col("sessions").is_null()).any()).item()
    reached = found.smallest.select(pl.col("sessions").is_not_null().any()).item()
    tests = found.table.select("test", "population").unique(maintain_order=True).rows()
    tested = listed([f"{test} (about {population})" for test, population in tests])
    caption = (
        f"Chance that a study of the same design finds a true difference of {found.difference:.4g} in {found.measure} at "
        f"level {found.alpha:g} by {tested}, averaged over what the components of variance may be. Bands hold 90% of what they "
        f"leave possible{', for the fewest and the most topics' if topics else ''}. The dashed line is the target of {found.target:g}"
        f"{', a diamond the smallest number that reaches it' if reached else ', which no number looked at reaches'}"
        f"{'; a triangle at the right is power with infinitely many users' if ends else ''}. {found.draws:,} simulated studies of "
        f"each size, seed {found.seed}."
    )
    return Figure("power-curve", title, chart, caption)


def judge_noise(study: Study, choices: Choices) -> Figure:
    """What judges' errors change."""
    from sessionkit.robustness.judge_noise import judge_noise as misjudged

    return of_noise(misjudged(study, measures_of(choices, "judge-noise"), choices.by), choices)


def of_noise(found: JudgeNoise, choices: Choices) -> Figure:
    """Judges' errors, drawn."""
    title = "What errors of judges change"
    chart = charts.judge_noise(without_condition(found), synthetic=choices.synthetic, title=title)
    draws = f"the middle 95% of the differences in {found.draws:,} draws of the judgments (seed {found.seed})"
    errors = f"{ERRORS[found.source]}; a draw changes {share_text(found.changed, 0)} of the judgments on average"
    few = found.table.get_column("difference").count() <= FEW
    shown = (
        f"Difference of each pair by the judgments as they are (diamond); a line holds {draws}, and at its right stand the shares "
        "of draws that end with another winner, or none, and with another verdict"
        if few
        else f"Share of the {found.draws:,} draws of the judgments (seed {found.seed}) in which a pair ends with another winner, or "
        "none, and with another verdict, by its difference as judged; a point is a pair"
    )
    tested = f"A verdict is whether p is at or below {found.alpha:g}, by {found.test} over {found.population}"
    caption = f"{shown}. {errors}. {tested}."
    return Figure("judge-noise", title, chart, caption)


def discriminative_power(study: Study, choices: Choices) -> Figure:
    """Which pairs are told apart."""
    from sessionkit.robustness.discriminative_power import discriminate as told_apart

    return of_pairs(told_apart(study, measures_of(choices, "discriminative-power"), choices.by), choices)


def of_pairs(found: DiscriminativePower, choices: Choices) -> Figure:
    """The significance levels that pairs reach, drawn."""
    title = "Significance level of every pair"
    chart = charts.discriminative_power(without_condition(found), synthetic=choices.synthetic, title=title)
    pairs = int(found.table.get_column("pairs").max() or 0)  # type: ignore[arg-type]
    how = (
        f"p of each of {counted(pairs, 'pair')} by each measure, the smallest first: the later a curve crosses the dashed line at "
        f"{found.alpha:g}, the more pairs its measure tells apart."
        if pairs > 1
        else f"p of the one pair by each measure; the dashed line is the level of {found.alpha:g}."
    )
    alone = ", each pair by itself" if pairs > 1 and not found.simultaneous else ""
    tested = f"{capital(found.test)}, over {found.population}{alone}"
    return Figure("discriminative-power", title, chart, f"{how} The axis is drawn by the square root. {tested}.")
