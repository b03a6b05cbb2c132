"""What is said of judges' errors: its kinds, and the statements of a finding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.arguments import error_rate
from sessionkit.display.numbers import ends_text, p_text, share_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.statistics.findings import LEFT_OUT, SESSIONS, left_out_statements

JUDGES, SEARCHERS, DECLARED, GIVEN = "judges", "searchers", "declared", "given"
"""Where errors of judges are from."""
ASSESSORS, AMONG_SEARCHERS, BOTH = "assessors", "searchers", "searchers and judgments"
"""Who graded documents."""
TOLD = 6
"""Pairs of each measure that the reading tells of: those whose winner changes most."""


@dataclass(frozen=True)
class NoiseSetup:
    """What the tables were made with, for the sentences."""

    names: tuple[str, ...]
    word: str
    test: str
    population: str
    confidence: float
    draws: int
    seed: int
    source: str
    unknown: tuple[float, ...]
    n_graded: int
    probability: float
    spread: str
    changed: float
    judgments: int
    sessions: int
    untouched: tuple[str, ...]
    left_out: Mapping[str, int]

    @property
    def alpha(self) -> float:
        """The p-value up to which a difference is significant."""
        return error_rate(self.confidence)


def make_statements(
    table: pl.DataFrame, order: pl.DataFrame, agreement: pl.DataFrame, settled: NoiseSetup
) -> list[Statement]:
    """Return the statements of a finding."""
    scope = (
        f"This holds for these {settled.sessions:,} sessions and {settled.judgments:,} judgments. The errors are independent and "
        "added to those that the judgments already have, so differences mostly shrink: the result shows how far another round "
        "of judging could change the finding, not what judges without errors would find."
    )
    return [
        *_state_agreement(agreement),
        _state_errors(settled),
        *(each for row in order.iter_rows(named=True) for each in _state_measure(row, table, settled)),
        *left_out_statements(settled.left_out),
        Statement("scope", scope, {"sessions": settled.sessions, "judgments": settled.judgments}),
    ]


def _state_agreement(agreement: pl.DataFrame) -> Iterator[Statement]:
    """Say how far those who graded agree."""
    named = {
        ASSESSORS: ("Assessors", "alpha_ordinal", "Krippendorff's alpha, ordinal,", True),
        BOTH: ("Searchers and judgments", "kappa_quadratic", "Cohen's kappa, quadratic,", False),
        AMONG_SEARCHERS: ("Searchers among themselves", "alpha_ordinal", "Krippendorff's alpha, ordinal,", True),
    }
    for who, (what, measure, name, is_overall) in named.items():
        rows = agreement.filter(pl.col("who") == who, pl.col("judge_id").is_null() == is_overall)
        values = dict(rows.select("measure", "value").rows())
        if not values:
            continue
        n = rows.item(0, "n")
        coefficient = f"{name} is {values[measure]:.2f}" if values[measure] is not None else f"{name} is undefined"
        text = f"{what} gave the same grade in {share_text(values['agreement'], 0)} of {n:,} cases; {coefficient}."
        of_who = {
            "who": who,
            "n": n,
            "agreement": values["agreement"],
            "coefficient": measure,
            "value": values[measure],
        }
        yield Statement("agreement", text, of_who)


def _state_errors(settled: NoiseSetup) -> Statement:
    """Say which errors were made."""
    counted = chance = None
    if settled.source == DECLARED:
        where = "a neighboring grade" if settled.spread == "adjacent" else "any other grade"
        chance = settled.probability
        what = f"by declared errors: a judgment becomes {where} with probability {chance:.3g}; an assumption, not an estimate"
    elif settled.source == GIVEN:
        what = "by the given errors"
    else:
        counted = settled.n_graded
        whose = "other judges" if settled.source == JUDGES else "searchers"
        what = f"by the grades of {whose} for the same document, {counted:,} grades in all"
        what += "" if settled.source == JUDGES else ", of documents that they chose to look at"
    unknown = (
        f" Grades without a second judgment stay as they are: {', '.join(f'{grade:g}' for grade in settled.unknown)}."
        if settled.unknown
        else ""
    )
    text = (
        f"All {settled.judgments:,} judgments were redrawn {settled.draws:,} times (seed {settled.seed}), {what}. A draw changes "
        f"{share_text(settled.changed, 0)} of them on average. Pairs are tested by {settled.test} over {settled.population}.{unknown}"
    )
    values: dict[str, Value] = {
        "judgments": settled.judgments,
        "draws": settled.draws,
        "seed": settled.seed,
        "source": settled.source,
        "spread": settled.spread if settled.source == DECLARED else None,
        "probability": chance,
        "n": counted,
        "changed": settled.changed,
        "test": settled.test,
        "population": settled.population,
        "unknown": list(settled.unknown),
    }
    return Statement("errors", text, values)


def _state_measure(order: Mapping[str, Any], table: pl.DataFrame, settled: NoiseSetup) -> Iterator[Statement]:
    """Say what is to be said of one measure."""
    measure = order["measure"]
    rows = table.filter(pl.col("measure") == measure, pl.col("winner_changes").is_not_null())
    text = reason = ""
    if table.filter(pl.col("measure") == measure)["difference"].is_null().all():
        reason = "no value"
        text = (
            f"no unit has a value for two {settled.word} with the original judgments, so there is nothing to compare."
        )
    elif measure in settled.untouched:
        reason = "untouched"
        text = "no value changed in any draw; judgments do not affect it, or not here."
    elif rows.is_empty():
        reason = "no difference"
        text = f"no pair of {settled.word} differs with the original judgments, so there is no winner to change."
    if reason:
        yield Statement("not_compared", f"{measure}: {text}", {"measure": measure, "reason": reason})
        return
    if len(settled.names) > 2 and order["tau"] is not None:
        text = (
            f"{measure}: the order of the {len(settled.names)} {settled.word} has a mean tau-b of {order['tau']:.2f} with the order by "
            f"the original judgments (95% of draws: {ends_text(order['low'], order['high'], digits=2)})."
        )
        values = {"measure": measure, "groups": len(settled.names)}
        yield Statement("order", text, {**values, **{name: order[name] for name in ("tau", "low", "high")}})
    shown = rows.sort("winner_changes", descending=True, maintain_order=True).head(TOLD)
    for row in shown.iter_rows(named=True):
        yield _state_pair(row, settled)
    if rows.height > TOLD:
        calm = rows.filter(pl.col("winner_changes") == 0).height
        text = f"{measure}: these are the {TOLD} of {rows.height:,} pairs whose winner changes most; the winner of {calm:,} never changes."
        values = {"measure": measure, "shown": TOLD, "pairs": rows.height, "unchanged": calm}
        yield Statement("pairs", text, values)


def _state_pair(row: Mapping[str, Any], settled: NoiseSetup) -> Statement:
    """Say what becomes of one pair."""
    changes, direction = row["winner_changes"], MeasureDirection.named(row["measure"])
    change = (
        "The winner changes, or there is none," if direction.is_known else "The sign changes, or the difference is 0,"
    )
    error = math.sqrt(changes * (1 - changes) / row["draws"])
    sure = f" (standard error {share_text(error)})" if error else ""
    p, verdict = "too little data to test", ""
    if row["p"] is not None:
        p, side = p_text(row["p"]), "at most" if row["p"] <= settled.alpha else "above"
        verdict = f"; p, {side} {settled.alpha:g} with the original judgments, crosses it in {share_text(row['verdict_changes'])}"
    text = (
        f"{row['measure']}: {row['b']} minus {row['a']} is {row['difference']:.3g} with the original judgments ({p}) and "
        f"{row['mean']:.3g} on average over draws (95% of draws: {row['low']:.3g} to {row['high']:.3g}). {change} in "
        f"{share_text(changes)} of draws{sure}{verdict}."
    )
    shown = None if row["p"] is None else "shown" if row["p"] <= settled.alpha else "not shown"
    values = {name: row[name] for name in OF_PAIR}
    values |= {"se": error, "verdict": shown, "confidence": settled.confidence, "direction": direction.better}
    return Statement("difference", text, values)


OF_PAIR = {
    "measure": "text of the measure",
    "a": "the first group",
    "b": "the second group",
    "difference": "mean of b minus mean of a, with the original judgments",
    "p": "its p; null where there is too little to test",
    "mean": "the mean difference over draws",
    "low": "lower end of the middle 95% of draws",
    "high": "upper end of them",
    "winner_changes": "share of draws without the same sign",
    "verdict_changes": "share of draws with another verdict",
}
"""What is said of a pair, by the columns of the table."""


KINDS = {
    "agreement": Kind(
        "How far those who graded agree",
        {
            "who": "assessors, searchers, or searchers and judgments",
            "n": "documents that two of them graded",
            "agreement": "share of the pairs of grades that are equal",
            "coefficient": "alpha_ordinal or kappa_quadratic",
            "value": "the coefficient; null, undefined",
        },
    ),
    "errors": Kind(
        "How judgments were redrawn",
        {
            "judgments": "number of judgments",
            "draws": "number of draws",
            "seed": "of the draws",
            "source": "where the errors are from: judges, searchers, declared or given",
            "spread": "where declared errors go: adjacent or any; else null",
            "probability": "of a declared error; else null",
            "n": "grades that errors were estimated from; else null",
            "changed": "share of the judgments that a draw is expected to change",
            "test": "of pairs",
            "population": "what the units are",
            "unknown": "grades without a second judgment, which stay",
        },
    ),
    "not_compared": Kind(
        "Why there is nothing to say of a measure",
        {"measure": "text of the measure", "reason": "no value, untouched or no difference"},
    ),
    "order": Kind(
        "How far the order of more than two groups stays",
        {
            "measure": "text of the measure",
            "groups": "number of groups",
            "tau": "mean tau-b with the order by the original judgments",
            "low": "lower end of the middle 95% of draws",
            "high": "upper end of them",
        },
    ),
    "difference": Kind(
        "What becomes of a difference",
        {
            **OF_PAIR,
            "se": "standard error of winner_changes",
            "verdict": "with the original judgments: shown or not shown; null, not tested",
            "direction": "which values of the measure are better: higher, lower or unknown",
            "confidence": "of verdicts",
        },
    ),
    "pairs": Kind(
        "How many pairs there are, where not all are named",
        {
            "measure": "text of the measure",
            "shown": "pairs that are named",
            "pairs": "number of pairs",
            "unchanged": "pairs whose winner never changes",
        },
    ),
    "scope": Kind("What it holds for", {"sessions": "number of sessions", "judgments": "number of judgments"}),
    **LEFT_OUT,
    **SESSIONS,
}
"""What is said of judges' errors."""
