"""What is said of User Behavior Insights records as they are, and which events are on no result."""

from __future__ import annotations

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.display.words import counted, listed
from sessionkit.readers.events.result_lists import AT, found, tallied
from sessionkit.readers.formats.ubi_lists import Actions

SOME = 3
"""Actions that are spoken of."""


def others(happened: pl.LazyFrame, actions: Actions) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], int]]:
    """Return how many events are on no result, by file and kind: those that tell of queries, and the others."""
    lost, unnamed = pl.col("query_id").is_null(), pl.col("object_id").is_null()
    on = pl.col("action_name").is_in(list(actions.columns))
    left = happened.filter(lost | unnamed | ~on)
    tells = ~lost & (pl.col("message_type") == "QUERY").fill_null(value=False) & ~on
    kind = (
        pl.when(lost)
        .then(pl.col("action_name") + " events without query_id")
        .when(on)
        .then(pl.col("action_name") + " events without object_id")
        .otherwise(pl.col("action_name") + " events")
    )
    return tallied(left.filter(tells), kind), tallied(left.filter(~tells), kind)


def told(records: pl.LazyFrame, happened: pl.LazyFrame, actions: Actions) -> list[str]:
    """Return what is to be said of records as they are."""
    notes = []
    many, _ = found(records.filter("undefined"), RECORD)
    if many:
        notes.append(f"{counted(many, 'record')} with the id 'undefined', taken as missing")
    lost = happened.filter(pl.col("query_id").is_null())
    clicked = pl.col("action_name").is_in(list(actions.clicks))
    many, first = found(lost, RECORD)
    if many:
        notes.append(
            f"{counted(many, 'event')} without query_id (first: record {first}), {found(lost.filter(clicked), RECORD)[0]:,} of them clicks"
        )
    notes += _uncounted(happened, actions)
    unread = records.filter(pl.col("timestamp").is_not_null(), pl.col(AT).is_null())
    many, first = found(unread, "timestamp")
    if many:
        notes.append(f"{counted(many, 'record')} with an invalid timestamp (first: {first!r})")
    return notes


def _uncounted(happened: pl.LazyFrame, actions: Actions) -> list[str]:
    """Return what is to be said of events on results by actions that are not counted, as some producers' impressions are."""
    placed = pl.all_horizontal(pl.col("query_id", "object_id", "ordinal").is_not_null())
    other = happened.filter(placed, ~pl.col("action_name").is_in(list(actions.columns)))
    by_action = other.group_by("action_name").len().sort("len", "action_name", descending=[True, False]).collect()
    if by_action.is_empty():
        return []
    said = [f"{many:,} {action}" for action, many in by_action.head(SOME).rows()]
    rest = len(by_action) - len(said)
    said += [counted(rest, "other action")] if rest else []
    return [
        f"{counted(int(by_action['len'].sum()), 'event')} on objects at an ordinal not counted as impressions or clicks ({listed(said)}); "
        "the options impressions and clicks name the actions that are"
    ]
