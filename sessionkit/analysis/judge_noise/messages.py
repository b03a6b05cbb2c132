"""Judge noise in plain language: who agrees, which errors were made, what they move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.analysis.judge_noise.errors import DECLARED, GIVEN, JUDGES, Errors
from sessionkit.analysis.judge_noise.searchers import ASSESSORS, BOTH, SEARCHERS
from sessionkit.display.numbers import p_text

TOLD = 6
"""Pairs of each measure that the reading tells of: those whose winner changes most."""


@dataclass(frozen=True)
class NoiseSetup:
    """What the tables were made with, for the sentences."""

    names: tuple[str, ...]
    word: str
    test: str
    claim: str
    alpha: float
    draws: int
    seed: int
    errors: Errors
    spread: str
    changed: float
    judgments: int
    sessions: int
    untouched: tuple[str, ...]
    left_out: Mapping[str, int]


def lines(table: pl.DataFrame, order: pl.DataFrame, agreement: pl.DataFrame, settled: NoiseSetup) -> list[str]:
    """The sentences, a line for each thing to say."""
    return [
        *_agreement(agreement),
        _errors(settled),
        *(line for row in order.iter_rows(named=True) for line in _measure(row, table, settled)),
        *(f"{what[:1].upper()}{what[1:]}: {count:,}." for what, count in settled.left_out.items()),
        f"This is about these {settled.sessions:,} sessions and {settled.judgments:,} judgments. The errors are independent of each "
        "other and come on top of those that the judgments have already, so that differences mostly shrink: it says how far "
        "another round of judging could move the finding, not what judges without errors would find.",
    ]


def _agreement(agreement: pl.DataFrame) -> Iterator[str]:
    """How far those who graded agree."""
    told = {
        ASSESSORS: ("Assessors", "alpha_ordinal", "Krippendorff's alpha, ordinal,", True),
        BOTH: ("Searchers and judgments", "kappa_quadratic", "Cohen's kappa, quadratic,", False),
        SEARCHERS: ("Searchers among themselves", "alpha_ordinal", "Krippendorff's alpha, ordinal,", True),
    }
    for who, (what, measure, name, of_all) in told.items():
        rows = agreement.filter(pl.col("who") == who, pl.col("judge_id").is_null() == of_all)
        values = dict(rows.select("measure", "value").rows())
        if not values:
            continue
        n = rows.item(0, "n")
        coefficient = f"{name} is {values[measure]:.2f}" if values[measure] is not None else f"{name} is undefined"
        yield f"{what} gave the same grade in {values['agreement']:.0%} of {n:,} cases; {coefficient}."


def _errors(settled: NoiseSetup) -> str:
    """Which errors were made."""
    errors = settled.errors
    if errors.source == DECLARED:
        where = "a neighbouring grade" if settled.spread == "adjacent" else "any other grade"
        chance = 1 - errors.share[0, 0]
        what = f"by declared errors: a judgment becomes {where} with a chance of {chance:.3g}; a supposition, not an estimate"
    elif errors.source == GIVEN:
        what = "by the errors that were given"
    else:
        counted = 0 if errors.counted is None else round(errors.counted.sum())
        whose = "another judge" if errors.source == JUDGES else "searchers"
        what = f"by what {whose} said of the same document, {counted:,} grades in all"
        what += "" if errors.source == JUDGES else ", of documents that they chose to look at"
    unknown = (
        f" Grades that nobody else judged stay: {', '.join(f'{grade:g}' for grade in errors.unknown)}."
        if errors.unknown
        else ""
    )
    return (
        f"All {settled.judgments:,} judgments were drawn anew {settled.draws:,} times (seed {settled.seed}), {what}. A draw changes "
        f"{settled.changed:.0%} of them on average. Pairs are tested by {settled.test} over {settled.claim}.{unknown}"
    )


def _measure(order: Mapping[str, Any], table: pl.DataFrame, settled: NoiseSetup) -> Iterator[str]:
    """What is to be said of one measure."""
    measure = order["measure"]
    if table.filter(pl.col("measure") == measure)["difference"].is_null().all():
        yield f"{measure}: no unit has a value for two {settled.word} by the judgments as they are, so that there is nothing to move."
        return
    if measure in settled.untouched:
        yield f"{measure}: no value moved in any draw; what was judged does not matter to it, or not here."
        return
    rows = table.filter(pl.col("measure") == measure, pl.col("winner_changes").is_not_null())
    if rows.is_empty():
        yield f"{measure}: no pair of {settled.word} differs by the judgments as they are, so that there is no winner to change."
        return
    if len(settled.names) > 2 and order["tau"] is not None:
        yield (
            f"{measure}: the order of the {len(settled.names)} {settled.word} has a mean tau-b of {order['tau']:.2f} with that by the "
            f"judgments as they are (95 % of draws: {order['low']:.2f} to {order['high']:.2f})."
        )
    shown = rows.sort("winner_changes", descending=True, maintain_order=True).head(TOLD)
    for row in shown.iter_rows(named=True):
        yield f"{measure}: {_pair(row, settled)}"
    if rows.height > TOLD:
        calm = rows.filter(pl.col("winner_changes") == 0).height
        yield f"{measure}: of {rows.height:,} pairs these are the {TOLD} whose winner changes most; that of {calm:,} never changes."


def _pair(row: Mapping[str, Any], settled: NoiseSetup) -> str:
    """What becomes of one pair."""
    changes = row["winner_changes"]
    error = math.sqrt(changes * (1 - changes) / row["draws"])
    sure = f" (standard error {error:.1%})" if error else ""
    p, verdict = "with too little to test it on", ""
    if row["p"] is not None:
        p, side = p_text(row["p"]), "at most" if row["p"] <= settled.alpha else "above"
        verdict = f"; p, now {side} {settled.alpha:g}, is on the other side in {row['verdict_changes']:.1%}"
    return (
        f"{row['b']} less {row['a']} is {row['difference']:.3g} by the judgments as they are ({p}), and {row['mean']:.3g} on "
        f"average over draws, 95 % of them within {row['low']:.3g} to {row['high']:.3g}. Another winner, or none, comes out in "
        f"{changes:.1%} of draws{sure}{verdict}."
    )
