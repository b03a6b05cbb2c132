"""The finding about effort in plain language."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sessionkit.display.words import counted
from sessionkit.scoring.measures.base import Measure

TOLD = (1, 3, 5, 10, 20)
"""Ranks of the ideal that the text speaks of, where the measure has them."""
MOST_GROUPS = 12
"""Groups that are read out; the others are in the tables."""


def lines(
    measure: Measure,
    reach: pl.DataFrame,
    plateau: pl.DataFrame,
    table: pl.DataFrame,
    *,
    searcher: str,
    timed: str | None,
    why_no_curve: str | None,
) -> list[str]:
    """The sentences, one per line."""
    units = "sessions" if measure.inner.level == "session" else "lists"
    groups = pl.concat([reach["group"], plateau["group"], table["group"].drop_nulls()]).unique(maintain_order=True)
    told = groups.head(MOST_GROUPS)
    reach, plateau = (
        frame.filter(pl.col("group").is_in(told.implode(), nulls_equal=True)) for frame in (reach, plateau)
    )
    table = table.filter(pl.col("horizon").ne("as shown") | pl.col("group").is_in(told.implode()))
    found = [*_reach(reach, units), *_plateau(plateau, units)]
    if why_no_curve is not None:
        found.append(why_no_curve)
    elif reach.is_empty():
        found.append(
            f"{measure}: no judged document gains anything for any of these {units}, so that no ideal can be reached."
        )
    if not table.is_empty() or timed:
        found.append(f"{measure}: the searcher whom its discounts describe {timed or searcher}.")
    else:
        found.append(f"{measure}: its discounts describe no searcher who stops; {searcher}.")
    found += _searcher(table)
    if len(groups) > MOST_GROUPS:
        found.append(f"The other {len(groups) - MOST_GROUPS:,} of {len(groups):,} groups are in the tables.")
    return found


def _reach(reach: pl.DataFrame, units: str) -> Iterator[str]:
    """What it takes to have what an ideal has."""
    for row in reach.filter(pl.col("rank").is_in([*TOLD])).iter_rows(named=True):
        first = "the first document" if row["rank"] == 1 else f"{row['rank']} documents"
        gain = f"{counted(row['units'], units[:-1])} {'gains' if row['units'] == 1 else 'gain'}"
        said = f"{row['group']}: what the ideal has gained after {first}, {row['reached']:,} of {gain}"
        if row["documents"] is None:
            yield f"{said}{'; more than half never do' if row['reached'] else ''}."
            continue
        queries = f" and {counted(row['queries'], 'query')}" if units == "sessions" else ""
        have = "it has" if row["units"] == 1 else f"half of all {units} have"
        yield f"{said}; {have} it after {counted(row['documents'], 'result')}{queries}."


def _plateau(plateau: pl.DataFrame, units: str) -> Iterator[str]:
    """Where the ideal stops rising."""
    for row in plateau.iter_rows(named=True):
        beyond = (
            f"; beyond the cutoff for {row['beyond']:,} of {counted(row['units'], units[:-1])}" if row["beyond"] else ""
        )
        there = "there, or at the cutoff," if row["beyond"] else "there"
        yield (
            f"{row['group']}: the ideal stops rising after {_about(row['mean'], 'document')} on average ({row['least']} to {row['most']}"
            f"{beyond}); who stops {there} has {row['gained'] * 100:.0f} % of the ideal's gain."
        )


def _searcher(table: pl.DataFrame) -> Iterator[str]:
    """What the searcher looks at."""
    for row in table.iter_rows(named=True):
        if row["horizon"] == "endless":
            if row["documents"] is None:
                yield "In endless lists it would go on for ever on average: only the cutoff, or the end of the lists, stops it."
            else:
                yield f"In endless lists it looks at {_about(row['documents'], 'result')}{_of(row['queries'])} on average."
        elif row["group"] is not None:
            yield (
                f"{row['group']}: of the lists as they were shown it looks at {_about(row['documents'], 'result')}{_of(row['queries'])} on "
                f"average, at a cost of {row['cost']:.4g}."
            )


def _of(queries: float) -> str:
    """Of how many queries results are."""
    said = f"{queries:.3g}"
    return "" if said == "1" else f" of {said} queries"


def _about(number: float, one: str) -> str:
    """A mean number of things."""
    said = f"{number:.3g}"
    return f"{said} {one}{'' if said == '1' else 's'}"
