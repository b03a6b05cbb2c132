"""What was found: the primary measure in one sentence, how surely, on what it rests, and what could overturn it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.phrases import level_text
from sessionkit.analysis.record_accounts import heavy_losses
from sessionkit.charts.kinds.group_means import group_means
from sessionkit.display.words import capital
from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.figures.scores import slopes_of
from sessionkit.reports.material import Material
from sessionkit.reports.parts import FigureRow, Part, Words
from sessionkit.reports.sections.answers import answers
from sessionkit.reports.sections.behavior_summary import behavior_summary
from sessionkit.reports.sections.forest import WIDE, forest
from sessionkit.reports.sections.headline import about_measure, headline
from sessionkit.reports.sections.means import means_alone
from sessionkit.reports.sections.measures import measures, spread
from sessionkit.reports.sections.section_kind import section


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
        return [*behavior_summary(of), *lost]
    found = of.comparison
    if found is None:
        return [*means_alone(of), *lost]
    lead, drawn = of.led([headline(of, found), about_measure(of)]), _figures(of, found)
    if of.many:  # a figure of many groups is high, and the answers must be seen
        return [lead, *lost, answers(of, found), *drawn]
    return [lead, *lost, *drawn, answers(of, found)]


def _figures(of: Material, found: Comparison) -> list[Part]:
    """Of two groups a forest of all measures; of more the means of the primary measure, where any were tested."""
    if len(found.table) == 1:
        families = [found, *([] if of.others is None else [of.others])]
        return [FigureRow((forest(families, synthetic=of.study.settings.synthetic),))]
    return [FigureRow((_means(of, found),))] if found.table["p_adjusted"].count() else []


def _means(of: Material, found: Comparison) -> Figure:
    """Each group's mean of the primary measure."""
    title = f"Means of {of.primary}"
    try:
        chart = group_means(
            _with_names(of, found), str(of.primary), synthetic=of.study.settings.synthetic, title=title, width=WIDE
        )
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
