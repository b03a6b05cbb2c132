"""What was found: the primary measure in one sentence, how surely, on what it rests, and what could overturn it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.groups import EVERYONE
from sessionkit.analysis.phrases import level_text
from sessionkit.analysis.record_accounts import heavy_losses
from sessionkit.charts.kinds.differences import differences
from sessionkit.charts.kinds.group_means import group_means
from sessionkit.display.numbers import compact
from sessionkit.display.words import capital, counted, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.figures.scores import distribution, slopes_of
from sessionkit.reports.material import ALPHA, Material
from sessionkit.reports.parts import FigureRow, Part, Tile, Tiles, Words
from sessionkit.reports.sections.answers import NAMED, answers, overturned
from sessionkit.reports.sections.headline import about_measure, headline
from sessionkit.reports.sections.measures import measures, spread
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.single_session import account

WIDE = 620
"""Width of the plot of a figure that has the page to itself."""
EARLIER = " (of the queries before the last)"


@section("units", "Each unit with both groups")
def units(of: Material) -> list[Part]:
    """A line for each user or topic from one group to the other, of two groups."""
    found = of.comparison
    if found is None or len(found.table) > 1 or of.valueless is not None:
        return []
    try:
        return [slopes_of(found, of.study, of.choices)]
    except UsageError:  # no unit met both groups, or there are too many to draw
        return []


@section("summary", "What was found", details=(units, measures, spread))
def summary(of: Material) -> list[Part]:
    """One sentence on the primary measure, what it means, one figure and three answers."""
    losses = tuple(f"{capital(loss)}. Data quality says why." for loss in heavy_losses(of.study))
    lost: list[Part] = [Words(losses)] if losses else []
    if of.valueless is not None:
        about = "what the person did" if of.study.facts.sessions == 1 else "how people searched"
        return [Words((of.valueless, f"This page is about {about}."), lead=True), *lost, _sizes(of)]
    found = of.comparison
    if found is None:
        lead, *rest = _alone(of)
        return [lead, of.paragraph(about_measure(of)), *rest, _sizes(of), *lost, *_distribution(of)]
    return [
        of.led([headline(of, found), about_measure(of)]),
        *lost,
        *_figures(of, found),
        answers(of, found),
    ]


def _figures(of: Material, found: Comparison) -> list[Part]:
    """Of two groups a forest of all measures; of more the means of the primary measure, where any were tested."""
    if len(found.table) == 1:
        return [FigureRow((_forest(of, found),))]
    return [FigureRow((_means(of, found),))] if found.table["p_adjusted"].count() else []


def _forest(of: Material, found: Comparison) -> Figure:
    """The difference by every measure, with its interval, in units of the measure."""
    title = "Differences and their intervals"
    compared = [one for one in (found, of.others) if one is not None]
    directions = {measure: better for one in compared for measure, better in one.directions.items()}
    whole = replace(
        found,
        table=pl.concat([one.table for one in compared]),
        no_verdict=pl.concat([one.no_verdict for one in compared]),
        directions=directions,
        equivalence={measure: width for one in compared for measure, width in one.equivalence.items()},
    )
    try:
        chart = differences(without_condition(whole), synthetic=of.study.settings.synthetic, title=title, width=WIDE)
    except UsageError as error:
        return Figure("differences", title, None, f"Not drawn: {error}.")
    together = ""
    if of.others is not None and of.others.family.number > 1:
        together = f" Intervals of the other measures hold together{of.others.family.told}."
    caption = f"Each difference in units of its measure, with its {level_text(found.alpha)} interval.{together}"
    return Figure("differences", title, chart, caption)


def _means(of: Material, found: Comparison) -> Figure:
    """Each group's mean of the primary measure."""
    title = f"Means of {of.primary}"
    try:
        chart = group_means(_with_names(of, found), str(of.primary), synthetic=of.study.settings.synthetic, title=title)
    except UsageError as error:
        return Figure("group-means", title, None, f"Not drawn: {error}.")
    caption = (
        f"Mean of each group over its sessions; intervals ({level_text(found.alpha)}, over {found.population}) are of each mean "
        f"alone. Groups that share a letter are not shown to differ ({found.test}{found.family.told})."
    )
    return Figure("group-means", title, chart, caption)


def _with_names(of: Material, found: Comparison) -> Comparison:
    """The comparison with groups that are called by numbers alone under the name of their column too."""
    names = {group: of.named(group) for group in found.groups[found.by].unique().to_list()}
    return replace(
        found,
        groups=found.groups.with_columns(pl.col(found.by).replace(names)),
        table=found.table.with_columns(pl.col("a", "b").replace(names)),
        no_verdict=found.no_verdict.with_columns(pl.col("a", "b").replace(names)),
    )


def _sizes(of: Material) -> Tiles:
    """How much there is in a session and a list, and how much of it is judged."""
    facts = of.study.facts
    logged = facts.queries - facts.not_logged
    tiles = [Tile("Queries per session", f"{facts.queries / facts.sessions:.2f}", "")] if facts.sessions > 1 else []
    tiles += [Tile("Results per logged list", f"{facts.results / logged:,.2f}", "")] if logged > 1 else []
    return Tiles((overturned(of), *tiles))


def _distribution(of: Material) -> list[Part]:
    """How the scores of sessions lie in each group, where the study is not too large to draw and has several sessions."""
    if of.large or of.study.facts.sessions < 2:
        return []
    try:
        return [distribution(of.study, of.highlighting, "mean" if of.many else "group")]
    except (DataError, MeasureError, UsageError):
        return []


def _alone(of: Material) -> list[Words]:
    """The means with their intervals, then why nothing is compared."""
    of_groups = [name for name in of.scores.columns if name not in ("measure", "value", "n", "undefined", "judged")]
    sessions = of.study.facts.sessions
    if sessions == 1:
        return _of_one_session(of)
    scores = of.redaction.frame(of.scores_with_intervals, of.study)
    rows = scores.filter(pl.col("measure") == str(of.primary))
    declared = "" if of.declared else f"No primary measure was declared; {of.primary} is shown. "
    if any(of.scores[name].n_unique() > 1 for name in of_groups):
        many = len(rows) > NAMED
        if many:
            rows = rows.drop_nulls("value").sort("value", maintain_order=True)
            rows = pl.concat([rows.head(1), rows.tail(1)]) if len(rows) > 1 else rows
        told = []
        for row in rows.iter_rows(named=True):
            group = ", ".join(str(row[name]) for name in of_groups if row[name] is not None)
            n = f"n = {row['n']:,}"
            told.append(f"{group or 'the others'} {_mean(row, of, n)}")
        what = f"Means of {of.primary}"
        lead = f"{declared}{what} run from {' to '.join(told)}." if many else f"{declared}{what}: {listed(told)}."
        told = [f"The groups are not compared: {of.refusal}."]
        told += [] if of.too_many is None else [f"Note: {of.too_many}."]
        return [of.led([lead]), *map(of.paragraph, told)]
    group = next(iter(of.choices.colors))
    whose = f"{counted(sessions, 'session')}{'' if group == EVERYONE else f' of {group}'}"
    first, *others = [
        f"{_spoken(row['measure'])} is {_mean(row, of, counted(row['n'], 'session') if 0 < row['n'] < sessions else '')}"
        for row in scores.sort(pl.col("measure") != str(of.primary), maintain_order=True).iter_rows(named=True)
    ]
    why = "the log names no system" if group == EVERYONE else f"there is one {of.choices.legend.lower()}"
    return [
        of.led([f"{declared}On average over {whose}, {first}."]),
        *([of.paragraph(f"By the other measures, {listed(others)}.")] if others else []),
        of.paragraph(f"Nothing is compared, since {why}."),
    ]


def _of_one_session(of: Material) -> list[Words]:
    """The values of the one session, and what the person did in it."""
    group = next(iter(of.choices.colors))
    values = [
        f"{_spoken(measure)} is {_told(value)}"
        for measure, value in of.scores.sort(pl.col("measure") != str(of.primary), maintain_order=True)
        .select("measure", "value")
        .rows()
    ]
    where = f"In the one session{'' if group == EVERYONE else f', of {group}'}"
    return [of.led([f"{where}, {listed(values)}."]), of.paragraph(account(of))]


def _mean(row: dict[str, Any], of: Material, n: str) -> str:
    """A mean in words, with its interval, over how many units that is, and how many sessions."""
    beside = [n] if n else []
    if row["low"] is not None:
        over = [] if of.population == "sessions" else [counted(row["units"], of.population.removesuffix("s"))]
        beside = [f"{level_text(ALPHA)} interval {compact(row['low'])} to {compact(row['high'])}", *over, *beside]
    return _told(row["value"]) + (f" ({'; '.join(beside)})" if beside else "")


def _spoken(measure: str) -> str:
    """A measure by its name, and of the queries before the last what that means."""
    return f"{measure}{EARLIER if measure.startswith('nonlast(') else ''}"


def _told(value: float | None) -> str:
    """A mean in words."""
    return "undefined" if value is None else compact(value)
