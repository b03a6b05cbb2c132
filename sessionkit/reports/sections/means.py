"""The first screen where no groups are compared: means with their intervals, why nothing is compared, and what could change them."""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit.analysis.groups import EVERYONE, with_groups
from sessionkit.analysis.incomplete.finding import Incompleteness
from sessionkit.analysis.phrases import level_text
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.scores import distribution
from sessionkit.reports.material import ALPHA, Material
from sessionkit.reports.parts import Part, Tile
from sessionkit.reports.sections.answers import FOUND, NAMED, OVERTURNED, SURE, overturned, tiles_of
from sessionkit.reports.sections.headline import about_measure
from sessionkit.reports.sections.single_session import NO_SPREAD, account
from sessionkit.scoring.measures.words import interval_text, value_text

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
        beside.append(f"{level_text(ALPHA)} CI {interval_text(row['measure'], row['low'], row['high'])}")
        beside += [] if of.population == "sessions" else [counted(row["units"], of.population.removesuffix("s"))]
    if not beside or row["n"] < of.study.facts.sessions:
        beside.append(counted(row["n"], "session"))
    return f"{value_text(row['measure'], row['value'])} ({', '.join(beside)})"
