"""What is settled before anything is swept: the groups, the options, and the test that the study's design supports."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.analysis.compare.alignment import aligned
from sessionkit.analysis.compare.corrections import NAMES
from sessionkit.analysis.compare.design import read_design
from sessionkit.analysis.compare.messages import population
from sessionkit.analysis.compare.procedures import Options, procedure
from sessionkit.analysis.compare.result_table import assembled
from sessionkit.analysis.compare.rows import compared
from sessionkit.analysis.compare.session_values import GroupedSessions, grouping_columns, no_column
from sessionkit.analysis.sweep.leaders import LeaderTesting
from sessionkit.analysis.sweep.messages import SweepContext
from sessionkit.display.words import counted
from sessionkit.errors import UsageError
from sessionkit.study import Study


def testing_of(
    sessions: GroupedSessions,
    told: SweepContext,
    test: str | None,
    *,
    generalise: str | None,
    correction: str,
    options: Options,
) -> tuple[LeaderTesting, SweepContext]:
    """Settle the test by the study's design, as a comparison does; and what is told of it."""
    many = len(sessions.groups)
    design = read_design(sessions.frame, sessions.by, many)
    claim = design.claim(generalise, many)
    asked = procedure(test, design, claim, many)
    if asked.simultaneous and correction == "bh" and many > 2:
        msg = f"test={asked.name} holds for all pairs at once, which correction=bh does not go with; holm, bonferroni or none would work"
        raise UsageError(msg)
    testing = LeaderTesting(design, claim, asked, options, correction)
    title = asked.titles.get(design.layouts[claim], asked.title)
    about = population(claim, aligned(sessions, 0, design, claim))
    pairs = many * (many - 1) // 2
    how = (
        ""
        if many < 3
        else " for all pairs at once"
        if asked.simultaneous
        else f" after {NAMES.get(correction, correction)} over {counted(pairs, 'pair')}"
    )
    if correction == "none" and not asked.simultaneous:
        how = ""
    return testing, replace(told, design=design.described, population=about, claim=claim, test=title, how=how)


def detectable(testing: LeaderTesting, sessions: GroupedSessions) -> dict[tuple[int, int], float | None]:
    """For every pair of groups the true difference that the base setting would find four times in five, as
    `sessionkit.compare` says it.

    Raises
    ------
    UsageError
        The test cannot be made of the base setting.
    """
    units = aligned(sessions, 0, testing.design, testing.claim)
    of, groups = sessions.measures[0], sessions.groups
    found = compared(of, groups, units, test=testing.test, claim=testing.claim, options=testing.options)
    table, _, _ = assembled([found], testing.test, testing.correction, testing.options)
    number = {group: place for place, group in enumerate(groups)}
    return {(number[a], number[b]): small for a, b, small in table.select("a", "b", "detectable").iter_rows()}


def groups_of(study: Study, column: str) -> tuple[tuple[str, ...], int]:
    """The groups of the sessions by name, in order, and how many sessions have none.

    Raises
    ------
    UsageError
        There is no such column, or no session has a value in it.
    """
    known = grouping_columns(study)
    if column not in known:
        raise no_column(column, known)
    if column in study.columns("sessions"):
        values = study.sessions.select(pl.col(column).cast(pl.String).alias("group"))
    else:
        users = study.users.select("user_id", pl.col(column).cast(pl.String).alias("group"))
        values = study.sessions.select("user_id").join(users, on="user_id", how="left").select("group")
    counted = values.group_by("group").len().collect()
    named = counted.drop_nulls("group")
    if named.is_empty():
        msg = f"by={column}: no session has a value in it; choose another column"
        raise UsageError(msg)
    return tuple(named["group"].sort()), int(counted["len"].sum()) - int(named["len"].sum())
