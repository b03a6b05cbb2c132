"""The first screen where no measure of relevance has a value: how people searched, compared where there are groups."""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit.analysis.compare.compare import compare
from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.compare.group_means import group_means
from sessionkit.analysis.compare.messages import side_of
from sessionkit.analysis.compare.session_values import every_session
from sessionkit.analysis.groups import EVERYONE
from sessionkit.analysis.phrases import level_text
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.material import ALPHA, LARGE, Material
from sessionkit.reports.parts import FigureRow, Part, Tile
from sessionkit.reports.sections.answers import (
    FOUND,
    NAMED,
    OVERTURNED,
    SURE,
    corrected_together,
    missing_lists,
    sureness,
    tiles_of,
    units_in_words,
)
from sessionkit.reports.sections.behavior import known
from sessionkit.reports.sections.forest import forest
from sessionkit.reports.sections.headline import tested_rows
from sessionkit.reports.sections.single_session import NO_SPREAD, account
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.words import interval_text, value_text

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
    means = _means(of, measures)
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


def _means(of: Material, measures: list[Measure]) -> pl.DataFrame:
    """Means with intervals by group; of a large study of the sessions that are looked at."""
    sessions = every_session(of.shown, measures, of.compared_by, of.memory)
    return group_means(sessions, of.population, ALPHA).rename({of.compared_by: "group"})


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
    return f"{mean} ({level_text(ALPHA)} CI {interval_text(row['measure'], row['low'], row['high'])})"
