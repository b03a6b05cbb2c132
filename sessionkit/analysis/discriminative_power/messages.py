"""Discriminative power in plain language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.display.numbers import p_text
from sessionkit.display.words import counted

TOLD = 5
"""Notes of the tests that are told."""


@dataclass(frozen=True)
class DiscriminationSetup:
    """What the tables were made with, for the sentences."""

    names: tuple[str, ...]
    word: str
    test: str
    claim: str
    alpha: float
    simultaneous: bool
    notes: tuple[str, ...]
    left_out: Mapping[str, int]


def lines(table: pl.DataFrame, asl: pl.DataFrame, settled: DiscriminationSetup) -> list[str]:
    """The sentences, a line for each thing to say."""
    told = [_tested(int(str(table["pairs"].max() or 0)), settled)]
    told += [_measure(row, asl, settled) for row in table.iter_rows(named=True)]
    ranked = table.filter(pl.col("pairs") > 1).sort("significant", descending=True, maintain_order=True)
    if ranked.height > 1 and ranked.item(0, "significant") != ranked.item(-1, "significant"):
        most, least = ranked.row(0, named=True), ranked.row(-1, named=True)
        told.append(
            f"{most['measure']} tells the most pairs apart, {least['measure']} the fewest. That says which is steadier over these "
            f"{settled.claim}, not which measures what matters."
        )
    told += [f"{note}." if not note.endswith(".") else note for note in settled.notes[:TOLD]]
    if len(settled.notes) > TOLD:
        more = len(settled.notes) - TOLD
        told.append(f"{counted(more, 'more pair')} {'has' if more == 1 else 'have'} nothing to test either.")
    return [*told, *(f"{what[:1].upper()}{what[1:]}: {count:,}." for what, count in settled.left_out.items())]


def _tested(pairs: int, settled: DiscriminationSetup) -> str:
    """How pairs were tested."""
    of = f"{len(settled.names)} {settled.word}"
    if pairs == 1:
        return (
            f"{of} make one pair, so that the share of pairs found to differ is 0 or 1; compare the p-values (over {settled.claim}, "
            f"by {settled.test})."
        )
    how = (
        "a difference counts only where it beats the largest that chance makes among all pairs"
        if settled.simultaneous
        else f"each pair is tested by itself at {settled.alpha:g}, so that of {pairs:,} equal pairs some {settled.alpha * pairs:.2g} would "
        "be found to differ"
    )
    return f"{of}, {counted(pairs, 'pair')}, tested over {settled.claim} by {settled.test}: {how}."


def _measure(row: Mapping[str, Any], asl: pl.DataFrame, settled: DiscriminationSetup) -> str:
    """How many pairs a measure tells apart, or, of one pair, with which p."""
    if not row["tested"]:
        return f"{row['measure']}: no pair can be tested."
    over = f"over {row['n']:,} {settled.claim}"
    if row["needed"] is not None:
        over += f"; that takes a difference of {row['needed']:.3g} (the largest is {row['spread'] or 0:.3g})"
    if row["pairs"] > 1:
        which = "pairs" if row["tested"] == row["pairs"] else f"pairs that can be tested (of {row['pairs']:,})"
        share = f"{row['significant']:,} of {row['tested']:,} {which} differ at {settled.alpha:g} ({row['power']:.0%})"
        return f"{row['measure']}: {share} {over}."
    pair = asl.filter(pl.col("measure") == row["measure"]).row(0, named=True)
    d = "no difference" if pair["difference"] is None else f"a difference of {pair['difference']:.3g}"
    return f"{row['measure']}: {p_text(pair['asl'])} for {d} ({pair['b']} less {pair['a']}) {over}."
