"""Judgment loss in plain language: how the judgments were taken away, what is left of the order and of the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.analysis.judgment_loss.order import knee
from sessionkit.analysis.phrases import left_out_lines
from sessionkit.display.numbers import p_text, share_text
from sessionkit.display.words import counted
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.direction import MeasureDirection

COARSE = 5
"""Groups up to which tau takes few values."""


@dataclass(frozen=True)
class LossSetup:
    """What the tables were made with, for the sentences."""

    names: tuple[str, ...]
    word: str
    by: str
    pool: str
    test: str
    population: str
    alpha: float
    threshold: float
    draws: int
    times: int
    tested: int
    seed: int
    judgments: int
    relevant: int
    keys: int
    sessions: int
    untouched: tuple[str, ...]
    left_out: Mapping[str, int]
    directions: Mapping[str, Direction]


def lines(
    table: pl.DataFrame, knees: pl.DataFrame, confusion: pl.DataFrame, pairs: pl.DataFrame, settled: LossSetup
) -> list[str]:
    """The sentences, a line for each thing to say."""
    return [
        _protocol(table, settled),
        *([_coarse(settled)] if len(settled.names) <= COARSE else []),
        *(line for row in knees.iter_rows(named=True) for line in _measure(row, table, confusion, pairs, settled)),
        *left_out_lines(settled.left_out),
        _limits(settled),
    ]


def _protocol(table: pl.DataFrame, settled: LossSetup) -> str:
    """How the judgments were taken away."""
    first = table.row(0, named=True)
    times = f"{settled.draws} times" if settled.draws > 1 else "once"
    least = (
        f"; every key keeps a relevant document and ten others where it has them, so the smallest share, {first['fraction']:.3g}, is in "
        f"fact {share_text(first['judged'], 0)} of the judgments"
        if first["judged"] > 1.5 * first["fraction"]
        else ""
    )
    return (
        f"Nested random shares of {counted(settled.judgments, 'judgment')} ({settled.relevant:,} of them relevant) for "
        f"{counted(settled.keys, 'key')} were kept, {times} (seed {settled.seed}), "
        f"and {counted(settled.sessions, 'session')} of {len(settled.names)} {settled.word} "
        f"were scored again{least}. {_testing(settled)}"
    )


def _testing(settled: LossSetup) -> str:
    """How pairs are tested."""
    what = f"{settled.tested:,} pairs are" if settled.tested > 1 else "The pair is"
    draws = f", {settled.times} draws each" if settled.times > 1 else ""
    pooled = f", each with the judgments of what its two {settled.word} showed" if settled.pool == "pair" else ""
    return f"{what} tested by {settled.test} over {settled.population}{pooled}{draws}."


def _coarse(settled: LossSetup) -> str:
    """What tau cannot say of few groups."""
    many = len(settled.names)
    if many == 2:
        return (
            f"With two {settled.word} tau is 1 or -1, and its mean only shows how often their order stays the same; use the winner "
            "and the p-values."
        )
    steps = many * (many - 1) // 2
    return f"With {many} {settled.word} tau moves in steps of {2 / steps:.2g}: one swap of neighbors lowers it to {1 - 2 / steps:.2g}."


def _measure(
    knees: Mapping[str, Any], table: pl.DataFrame, confusion: pl.DataFrame, pairs: pl.DataFrame, settled: LossSetup
) -> Iterator[str]:
    """What is to be said of one measure."""
    measure = knees["measure"]
    if table.filter(pl.col("measure") == measure).item(-1, "value") is None:
        yield f"{measure}: no session has a value with all judgments, so there is nothing to compare."
        return
    if measure in settled.untouched:
        yield f"{measure}: no value changed in any draw; judgments do not affect it, or not here."
        return
    rows, verdicts, of = (frame.filter(pl.col("measure") == measure) for frame in (table, confusion, pairs))
    if rows.height == 1:
        return
    if rows.item(-1, "tau") is None:
        yield f"{measure}: with all judgments the {settled.word} are tied, so there is no order to compare."
        return
    if len(settled.names) == 2:
        yield f"{measure}: {_two(rows, of, settled)}"
        return
    yield f"{measure}: {_order(knees, rows, settled)}"
    yield f"{measure}: {_verdicts(verdicts, settled)}"


def _order(knees: Mapping[str, Any], rows: pl.DataFrame, settled: LossSetup) -> str:
    """How long the order of the groups stays."""
    direction = MeasureDirection.named(knees["measure"], settled.directions)
    best = "best" if direction.is_known else direction.first
    told = "; ".join(
        f"with a share of {row['fraction']:.3g} it is {_told(row['tau'])} (draws: {_told(row['tau_low'])} to {_told(row['tau_high'])}), "
        f"the {best} is the same in {share_text(row['winner'] or 0, 0)} of draws, and values change by {row['drift'] or 0:+.3g} on average"
        for row in _looked_at(rows)
    )
    if knees["knee"] is None or knees["knee"] == 1:
        stays = f"no share below all judgments keeps the order of the {settled.word} (mean tau-b at least {settled.threshold:g})"
    else:
        low, high = knees["knee_low"], knees["knee_high"]
        spread = f"; single draws put the knee between {low:.3g} and {high:.3g}" if low != high else ""
        stays = (
            f"the order of the {len(settled.names)} {settled.word} stays as with all judgments (mean tau-b at least "
            f"{settled.threshold:g}) from a share of {knees['knee']:.3g} on, {share_text(knees['knee_judged'], 0)} of the judgments{spread}"
        )
    return f"{stays}. Tau: {told}."


def _two(rows: pl.DataFrame, pairs: pl.DataFrame, settled: LossSetup) -> str:
    """Which of two groups has the higher value, how often, with which p."""
    whole = pairs.row(-1, named=True)
    if not whole["difference"]:
        return f"{whole['a']} and {whole['b']} do not differ in units that have both, so there is no winner."
    higher, other = (whole["b"], whole["a"]) if whole["difference"] > 0 else (whole["a"], whole["b"])
    some = rows.filter(pl.col("fraction") < 1)
    steady = knee(some["fraction"].to_list(), some["winner"].fill_null(float("nan")).to_numpy(), 1.0)
    worst = float(str(some["winner"].min() or 0))
    at_worst = share_text(worst, 0)
    if worst == 1:
        often = "Their order stays the same in every draw of every share"
    elif steady is not None:
        often = f"Their order stays the same in every draw from a share of {steady:.3g} on, and in {at_worst} of draws at the worst share"
    else:
        last = some.row(-1, named=True)
        often = (
            f"Even with a share of {last['fraction']:.3g} their order stays the same in only {share_text(last['winner'] or 0, 0)} of "
            f"draws, at the worst share in {at_worst}"
        )
    told = "; ".join(
        f"with a share of {row['fraction']:.3g} the difference lies between {_signed(row, whole)}{_ps(row, settled)}"
        for row in _looked_at(pairs)
    )
    tested = "too little data to test" if whole["p"] is None else p_text(whole["p"])
    return (
        f"{higher} has the higher value with all judgments (difference from {other} {abs(whole['difference']):.3g}, "
        f"{tested}). {often}. {told[:1].upper()}{told[1:]}."
    )


def _signed(row: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """The range of a difference, for the group that is higher with all judgments."""
    ends = (row["low"], row["high"]) if whole["difference"] > 0 else (-row["high"], -row["low"])
    return f"{ends[0]:.3g} and {ends[1]:.3g}"


def _ps(row: Mapping[str, Any], settled: LossSetup) -> str:
    """The p-values of the draws; nothing where there is no verdict with all judgments."""
    if row["significant"] is None:
        return ""
    median = "" if row["median_p"] is None else f", the median {p_text(row['median_p'])}"
    return (
        f"{median}, and {share_text(row['significant'], 0)} of {settled.times} draws have p at most {settled.alpha:g}"
    )


def _verdicts(rows: pl.DataFrame, settled: LossSetup) -> str:
    """How many verdicts stay."""
    if rows["accuracy"].is_null().all():
        return "no pair can be tested, so there are no verdicts to compare."
    return f"verdicts at {settled.alpha:g}: {'; '.join(_matrix(row) for row in _looked_at(rows))}."


def _matrix(row: Mapping[str, Any]) -> str:
    """The confusion matrix of one share."""
    mean = "" if row["g_mean"] is None else f" (g-mean {row['g_mean']:.2f})"
    turned = f", and {row['turned']:,} are significant with the opposite sign" if row["turned"] else ""
    return (
        f"with a share of {row['fraction']:.3g}, {share_text(row['accuracy'], 0)} agree with all judgments{mean}, {row['lost']:,} of "
        f"{row['lost'] + row['found']:,} significant ones are lost and {row['gained']:,} of {row['kept'] + row['gained']:,} others "
        f"appear{turned}"
    )


def _looked_at(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of the smallest share and of that nearest to a half, below all."""
    some = rows.filter(pl.col("fraction") < 1)
    half = some.sort((pl.col("fraction") - 0.5).abs(), maintain_order=True).head(1)
    return list(pl.concat([some.head(1), half]).unique(maintain_order=True).iter_rows(named=True))


def _told(value: float | None) -> str:
    """A tau, or that there is none."""
    return "undefined" if value is None else f"{value:.2f}"


def _limits(settled: LossSetup) -> str:
    """What this does not say."""
    keys = f"{'this' if settled.keys == 1 else 'these'} {counted(settled.keys, 'key')}"
    return (
        f"This holds for {keys}, these sessions and {settled.word}, with judgments removed at random from a set assumed "
        "complete; a shallow pool, or a judge who stops early, does not lose documents at random."
    )
