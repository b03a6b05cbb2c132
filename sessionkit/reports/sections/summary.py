"""The first screen: what was found, from means where nothing is compared, or from behavior where no relevance is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.charts.kinds.group_means import group_means
from sessionkit.display.numbers import capital, counted, level_text, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.figures.scores import distribution, slopes_of
from sessionkit.reports.parts import FigureRow, Part, Tile, Words
from sessionkit.reports.report_data import ALPHA, LARGE, Material
from sessionkit.reports.sections.behavior import known
from sessionkit.reports.sections.headline import (
    FOUND,
    NAMED,
    OVERTURNED,
    SURE,
    WIDE,
    about_measure,
    answers,
    corrected_together,
    forest,
    headline,
    missing_lists,
    overturned,
    sureness,
    tested_rows,
    tiles_of,
    units_in_words,
)
from sessionkit.reports.sections.measures import measures, spread
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.sessions import NO_SPREAD, account
from sessionkit.robustness.bounds import Incompleteness
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.describe import measure_interval_text, value_text
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.sessions.record_accounts import heavy_losses
from sessionkit.statistics.bands import EVERYONE, with_groups
from sessionkit.statistics.compare import compare
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.comparison_statements import side_of
from sessionkit.statistics.session_values import every_session, means_of_groups


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
    losses = tuple(f"{capital(str(loss))}. Data quality says why." for loss in heavy_losses(of.study))
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
    return [FigureRow((_means_figure(of, found),))] if found.table["p_adjusted"].count() else []


def _means_figure(of: Material, found: Comparison) -> Figure:
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


COLUMNS = ("measure", "value", "n", "undefined", "judged", "low", "high", "units")
"""Columns of means that make no groups."""


def means_alone(of: Material) -> list[Part]:
    """The means of the primary measure in one sentence, what it means, the scores of sessions, and three answers."""
    rows = of.redaction.frame(of.scores_with_intervals, of.study)
    primary = rows.filter(pl.col("measure") == str(of.primary))
    names = [name for name in rows.columns if name not in COLUMNS]
    is_one_session = of.study.facts.sessions == 1
    if is_one_session:
        lead, others, why = _of_one_session(of, rows)
    elif len(primary) > 1:
        lead, others, why = _of_groups(of, primary, names), [], f"The groups are not compared: {of.refusal}."
        why += "" if of.too_many is None else f" Note: {of.too_many}."
    else:
        lead, others, why = _of_one_group(of, rows)
    judged = overturned(of)
    tiles = [
        Tile(FOUND, _mean_or_range(of, primary), " ".join(others)),
        Tile(SURE, counted(of.study.facts.sessions, "session"), why),
        Tile(OVERTURNED, judged.fact, " ".join(filter(None, [judged.more, _bounds(of)]))),
    ]
    return [
        of.led([lead, about_measure(of)]),
        *([of.paragraph(account(of))] if is_one_session else _distribution(of)),
        tiles_of(of, tiles),
    ]


def _of_groups(of: Material, rows: pl.DataFrame, names: list[str]) -> str:
    """The means of several groups, or of many the lowest and the highest."""
    rows = rows.drop_nulls("value").sort("value", maintain_order=True) if len(rows) > NAMED else rows
    shown = pl.concat([rows.head(1), rows.tail(1)]) if len(rows) > NAMED else rows
    means = []
    for row in shown.iter_rows(named=True):
        group = ", ".join(str(row[name]) for name in names if row[name] is not None)
        means.append(f"{group or 'the others'} {_mean(of, row)}")
    if len(shown) < len(rows):
        return f"Means of {of.primary} by {len(rows):,} groups run from {' to '.join(means)}."
    return f"Means of {of.primary}: {listed(means)}."


def _of_one_group(of: Material, rows: pl.DataFrame) -> tuple[str, list[str], str]:
    """The means of the sessions of one group by every measure, and why nothing is compared."""
    group = next(iter(of.choices.colors))
    sessions = of.study.facts.sessions
    whose = f"{counted(sessions, 'session')}{'' if group == EVERYONE else f' of {group}'}"
    first, *others = [
        f"{row['measure']} is {_mean(of, row)}"
        for row in rows.sort(pl.col("measure") != str(of.primary), maintain_order=True).iter_rows(named=True)
    ]
    why = "the log names no system" if group == EVERYONE else f"there is one {of.choices.legend.lower()}"
    more = [f"{'; '.join(others)}."] if others else []
    return f"On average over {whose}, {first}.", more, f"Nothing is compared, since {why}."


def _of_one_session(of: Material, rows: pl.DataFrame) -> tuple[str, list[str], str]:
    """The values of the one session, and why they have no interval."""
    group = next(iter(of.choices.colors))
    ordered = rows.sort(pl.col("measure") != str(of.primary), maintain_order=True)
    first, *others = [
        f"{measure} is {value_text(measure, value)}" for measure, value in ordered.select("measure", "value").rows()
    ]
    where = f"In the one session{'' if group == EVERYONE else f', of {group}'}"
    why = NO_SPREAD
    return f"{where}, {first}.", [f"{'; '.join(others)}."] if others else [], why


def _mean_or_range(of: Material, rows: pl.DataFrame) -> str:
    """The mean in a few words, or the range of several."""
    values = rows["value"].drop_nulls().sort().to_list()
    if not values:
        return "No value"
    ends = dict.fromkeys(value_text(str(of.primary), value) for value in (values[0], values[-1]))
    return f"{of.primary} {' to '.join(ends)}"


def _bounds(of: Material) -> str:
    """Between which bounds the mean of the primary measure lies, whatever the unjudged documents are, of one group."""
    if of.large or not isinstance(of.incompleteness, Incompleteness):
        return ""
    rows = with_groups(of.incompleteness.bounds, [of.by]).filter(measure=str(of.primary)).drop_nulls("lower")
    if len(rows) != 1 or rows.item(0, "lower") == rows.item(0, "upper"):
        return ""
    low, high = (value_text(str(of.primary), rows.item(0, end)) for end in ("lower", "upper"))
    mean = "value" if of.study.facts.sessions == 1 else "mean"
    return f"Whatever unjudged documents are, the {mean} lies between {low} and {high}."


def _distribution(of: Material) -> list[Part]:
    """How the scores of sessions lie in each group, where the study is not too large to draw."""
    if of.large:
        return []
    try:
        return [distribution(of.study, of.highlighting, "mean" if of.many else "group")]
    except (DataError, MeasureError, UsageError):
        return []


def _mean(of: Material, row: dict[str, Any]) -> str:
    """A mean with its interval, over how many units that is, and how many sessions where they are not all."""
    beside = []
    if row["low"] is not None:
        beside.append(f"{level_text(ALPHA)} CI {measure_interval_text(row['measure'], row['low'], row['high'])}")
        beside += [] if of.population == "sessions" else [counted(row["units"], of.population.removesuffix("s"))]
    if not beside or row["n"] < of.study.facts.sessions:
        beside.append(counted(row["n"], "session"))
    return f"{value_text(row['measure'], row['value'])} ({', '.join(beside)})"


FIRST = ("Queries", "Clicks", "Abandoned", "Duration")
"""Measures of behavior that the first screen shows, of those that the log allows."""
MOST_ROWS = 12
"""Differences that the first screen draws at most."""
NO_RELEVANCE = "What people did does not say what they found: that takes judgments."


def behavior_summary(of: Material) -> list[Part]:
    """How people searched: compared by group where there are two, else means with their intervals."""
    valueless, about = str(of.valueless), "This page is about how people searched."
    if of.study.facts.sessions == 1:
        tiles = [
            Tile(FOUND, counted(of.study.facts.queries, "query"), "This page is about what the person did."),
            Tile(SURE, "1 session", NO_SPREAD),
            _open_question(of),
        ]
        return [of.led([account(of), valueless]), tiles_of(of, tiles)]
    measures = [measure for measure in known(of) if measure.name in FIRST]
    means = _means_table(of, measures)
    measures = [measure for measure in measures if means.filter(measure=str(measure))["mean"].count()]
    if not measures:
        return [of.led([valueless, about])]
    found = _compared(of, measures)
    if isinstance(found, str):
        lead = f"On average over {counted(of.shown.facts.sessions, 'session')}: {_means_in_words(of, means)}."
        first = means.drop_nulls("mean").row(0, named=True)
        tiles = [
            Tile(
                FOUND,
                f"{value_text(first['measure'], first['mean'])} {parse_measure(first['measure']).in_words}",
                about,
            ),
            Tile(SURE, counted(of.study.facts.sessions, "session"), found),
            _open_question(of),
        ]
        return [of.led([lead, valueless]), tiles_of(of, tiles)]
    tested = tested_rows(found)
    lead = (
        f"Of {counted(len(measures), 'measure')} of behavior{corrected_together(found)}, {_decided(of, found, tested)}."
    )
    tiles = [
        Tile(
            FOUND,
            f"{len(found.shown)} of {counted(len(tested), 'difference')} shown",
            f"Means: {_means_in_words(of, means)}.",
        ),
        Tile(SURE, units_in_words(of, found, str(measures[0])), " ".join(sureness(found, str(measures[0])))),
        _open_question(of),
    ]
    opening = of.led([lead, f"{valueless} {about}"])
    if len(found.table) > MOST_ROWS:
        return [opening, tiles_of(of, tiles)]
    if _has_several_pairs(found.table):  # the forest is high, and the answers must be seen
        return [opening, tiles_of(of, tiles), _forest(of, found)]
    return [opening, _forest(of, found), tiles_of(of, tiles)]


def _open_question(of: Material) -> Tile:
    return Tile(OVERTURNED, "Judgments", " ".join([NO_RELEVANCE, *missing_lists(of)]))


def _has_several_pairs(rows: pl.DataFrame) -> bool:
    return rows.select("a", "b").n_unique() > 1


def _forest(of: Material, found: Comparison) -> Part:
    return FigureRow((forest([found], synthetic=of.study.settings.synthetic),))


def _compared(of: Material, measures: list[Measure]) -> Comparison | str:
    """The groups compared by these measures, or why they are not."""
    if len(of.choices.colors) == 1:
        group = next(iter(of.choices.colors))
        why = "the log names no system" if group == EVERYONE else f"there is one {of.choices.legend.lower()}"
        return f"Nothing is compared, since {why}."
    if of.large:
        return f"Behavior is not compared for more than {LARGE:,} sessions."
    try:
        found = compare(of.study, measures, of.compared_by, memory=of.memory)
    except (DataError, MeasureError, UsageError) as error:
        return f"The groups are not compared: {error}."
    if tested_rows(found).is_empty():
        return f"The groups are not compared: {'; '.join(found.notes) or 'no value could be tested'}."
    return found


def _decided(of: Material, found: Comparison, tested: pl.DataFrame) -> str:
    """Which measures are higher with which group: no group is better by what people did."""
    clauses = [
        f"{row['measure']} is {'higher' if side_of(row) > 0 else 'lower'} with {of.named(row['b'])} than with {of.named(row['a'])}"
        for row in found.shown.rows(named=True)
    ]
    if _has_several_pairs(tested):
        count = f"{len(clauses):,} of {counted(len(tested), 'comparison')} show a difference"
        return f"{count}: {'; '.join(clauses)}" if 0 < len(clauses) <= NAMED else count
    shown = set(found.shown["measure"])
    undecided = [measure for measure in tested["measure"] if measure not in shown]
    clauses += [f"no difference is shown in {listed(undecided)}"] if undecided else []
    untested = [measure for measure in found.table["measure"] if measure not in set(tested["measure"])]
    clauses += [f"{listed(untested)} could not be tested"] if untested else []
    return "; ".join(clauses)


def _means_table(of: Material, measures: list[Measure]) -> pl.DataFrame:
    """Means with intervals by group; of a large study of the sessions that are looked at."""
    sessions = every_session(of.shown, measures, of.compared_by, of.memory)
    return means_of_groups(sessions, of.population, ALPHA).rename({of.compared_by: "group"})


def _means_in_words(of: Material, means: pl.DataFrame) -> str:
    """The mean of each measure; of one group with its interval, of more than `NAMED` the first and the last."""
    clauses = []
    is_one_group = means["group"].n_unique() == 1
    for (measure,), rows in means.drop_nulls("mean").partition_by("measure", as_dict=True, maintain_order=True).items():
        shown = rows if len(rows) <= NAMED else pl.concat([rows.head(1), rows.tail(1)])
        values = [
            _with_interval(row)
            if is_one_group
            else f"{value_text(row['measure'], row['mean'])} with {of.named(row['group'])}"
            for row in shown.rows(named=True)
        ]
        clauses.append(f"{parse_measure(str(measure)).in_words} {listed(values)}")
    return "; ".join(clauses)


def _with_interval(row: dict[str, Any]) -> str:
    """A mean with its interval, where it has one."""
    mean = value_text(row["measure"], row["mean"])
    if row["low"] is None:
        return mean
    return f"{mean} ({level_text(ALPHA)} CI {measure_interval_text(row['measure'], row['low'], row['high'])})"
