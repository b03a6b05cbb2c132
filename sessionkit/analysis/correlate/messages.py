"""What correlations mean, in plain language: who was asked, what goes with what, how sure that is, and what it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.analysis.bootstrap import Resampling, Units
from sessionkit.analysis.correlate.columns import Variable
from sessionkit.analysis.phrases import ends, level_text, more_in_table
from sessionkit.display.numbers import p_text, visible_decimals
from sessionkit.display.words import counted

FEW = 10
"""Units below which resampling is rough."""
LISTED = 4
"""Correlations and differences that are read out."""
SYMBOLS = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}


@dataclass(frozen=True)
class CorrelationContext:
    """What the reading speaks of.

    Parameters
    ----------
    frame
        The numbers of every session.
    units
        The units, and why.
    analytic
        Whether intervals and tests are by formula.
    resampling
        How units were drawn.
    covariates
        What measures were correlated with.
    held
        What was held constant.
    """

    frame: pl.DataFrame
    units: Units
    analytic: bool
    resampling: Resampling
    covariates: tuple[Variable, ...]
    held: tuple[str, ...]


def told(table: pl.DataFrame, differences: pl.DataFrame, asked: CorrelationContext) -> list[str]:
    """Put the tables of `sessionkit.correlate` into words.

    Parameters
    ----------
    table, differences
        As `sessionkit.analysis.correlate.correlate.Correlations` has them.
    asked
        What was asked.
    """
    first = table.filter(pl.col("value").is_not_null()).get_column("coefficient")[0]
    lines = [_population(asked), _how(table, asked)]
    if len(differences) and asked.units.name == "users" and "pearson" in differences.get_column("coefficient"):
        lines.append(
            "Differences between measures are tested with the same draws: Williams' t and Steiger's z need independent sessions."
        )
    for covariate in asked.covariates:
        lines += _of_covariate(
            table.filter(covariate=covariate.name, coefficient=first),
            differences.filter(covariate=covariate.name, coefficient=first),
            asked,
            first,
        )
    lines += _notes(table)
    many = table.get_column("p").count() + differences.get_column("p").count()
    if many > 1:
        alpha = asked.resampling.alpha
        lines.append(
            f"The {many} p-values and their intervals are not adjusted for their number: if nothing were related, about "
            f"{many * alpha:.2g} of the p-values would still be below {alpha:.2g}."
        )
    lines += _unadjusted(asked)
    lines.append(
        "A correlation does not show what causes what. The topics are fixed, so the claim does not generalize to other topics."
    )
    return lines


def _population(asked: CorrelationContext) -> str:
    """Who was observed."""
    users = asked.frame.get_column("user_id").drop_nulls().n_unique()
    of = f" of {counted(users, 'user')}" if users else ""
    people = "users like these" if asked.units.name == "users" else "sessions like these"
    return f"{counted(len(asked.frame), 'session')}{of}. {_sentence(asked.units.reason)}: the claim is about {people}."


def _unadjusted(asked: CorrelationContext) -> list[str]:
    """That users and topics are not held constant, where there are several."""
    several = [name for name in ("user", "topic") if asked.frame.get_column(f"{name}_id").drop_nulls().n_unique() > 1]
    if not several:
        return []
    return [
        f"The correlations are over all sessions together and not adjusted for {' or '.join(several)}: differences between "
        f"{' and between '.join(f'{name}s' for name in several)} are part of them."
    ]


def _how(table: pl.DataFrame, asked: CorrelationContext) -> str:
    """How intervals were made, and what was dropped."""
    sure = level_text(asked.resampling.alpha)
    if asked.analytic:
        how = f"Intervals ({sure}) and p-values come from the same tests, which assume independent sessions."
        if "kendall" in table.get_column("coefficient") and asked.held:
            how += " Partial Kendall correlations have no formula: their intervals and p-values are resampled."
    else:
        whole = "all their sessions" if asked.units.name == "users" else "all their queries"
        how = (
            f"Intervals ({sure}) and p come from {asked.resampling.draws:,} draws of {asked.units.name} with {whole} "
            f"({asked.resampling}, seed {asked.resampling.seed}). Where no draw has the opposite sign, p is an upper bound. "
            "p_independent treats sessions as independent."
        )
    few = table.filter(pl.col("value").is_not_null()).get_column("units").min()
    if not asked.analytic and isinstance(few, int) and few < FEW:
        how += f" With only {few} {asked.units.name} they are rough."
    most = table.get_column("dropped").max()
    if isinstance(most, int) and most:
        how += (
            f" Sessions that lack one of the numbers are left out pair by pair: up to {most:,} of {len(asked.frame):,}."
        )
    if "linear" in " ".join(table.get_column("interval").drop_nulls()):
        how += " Kendall's draws are a linear approximation, because there are too many pairs of sessions."
    if asked.held:
        how += f" Held constant: {', '.join(asked.held)}."
    of_users = [each.name for each in asked.covariates if each.of_users]
    if of_users and asked.units.name == "users":
        how += f" {', '.join(of_users)} is one number per user, the same in all their sessions."
    return how


def _of_covariate(
    table: pl.DataFrame, differences: pl.DataFrame, asked: CorrelationContext, coefficient: str
) -> list[str]:
    """What goes with one covariate, and which measures differ in it."""
    known = table.drop_nulls(["value", "low"]).sort(pl.col("value").abs(), descending=True, maintain_order=True)
    if known.is_empty():
        return []
    name = known.item(0, "covariate")
    held = f", {', '.join(asked.held)} held constant" if asked.held else ""
    shown = known.filter(pl.col("p") <= asked.resampling.alpha)
    open_ = known.filter(pl.col("p") > asked.resampling.alpha)
    lines = []
    if len(shown):
        listed = "; ".join(_one(row) for row in shown.head(LISTED).rows(named=True))
        more = f"; and {len(shown) - LISTED} more" if len(shown) > LISTED else ""
        lines.append(f"Correlated with {name}{held} ({SYMBOLS[coefficient]}): {listed}{more}.")
    if len(open_):
        what = open_.item(0, "measure") if len(open_) == 1 else f"{len(open_)} of {len(known)} measures"
        lines.append(
            f"No correlation with {name} is shown or ruled out for {what}; the intervals reach correlations of {_farthest(open_):.2f}."
        )
    return lines + _differing(differences, name, asked.resampling.alpha)


def _farthest(rows: pl.DataFrame) -> float:
    """The end of an interval that is farthest from 0."""
    return float(rows.select(pl.max_horizontal(pl.col("low").abs(), pl.col("high").abs()).max()).item())


def _differing(differences: pl.DataFrame, covariate: str, alpha: float) -> list[str]:
    """Which measures differ in their correlation with a covariate."""
    known = differences.drop_nulls("low").unique(["first", "second"], keep="first", maintain_order=True)
    if known.is_empty():
        return []
    shown = known.filter(pl.col("p") <= alpha).sort("p", maintain_order=True)
    test = known.item(0, "test")
    if shown.is_empty() and len(known) == 1:
        return [
            f"The two measures are not shown to differ in their correlation with {covariate} ({test}): "
            f"{_difference(known.row(0, named=True))}."
        ]
    if shown.is_empty():
        return [
            f"No two of the measures ({len(known)} pairs) are shown to differ in their correlation with {covariate} ({test}); the "
            f"intervals reach differences of {_farthest(known):.2f}."
        ]
    listed = "; ".join(
        f"{row['first']} and {row['second']} ({_difference(row)})" for row in shown.head(LISTED).rows(named=True)
    )
    more = f"; and {len(shown) - LISTED} more" if len(shown) > LISTED else ""
    if len(known) == 1:
        return [f"The two measures differ in their correlation with {covariate} ({test}): {listed}."]
    return [
        f"{len(shown)} of {len(known)} pairs of measures differ in their correlation with {covariate} ({test}): {listed}{more}."
    ]


def _difference(row: dict[str, Any]) -> str:
    """Two correlations and their difference with its interval."""
    return (
        f"{row['value_first']:.2f} and {row['value_second']:.2f}, difference {row['estimate']:.2f}, "
        f"{_ends(row)}, {_p(row)}"
    )


def _notes(table: pl.DataFrame) -> list[str]:
    """Why some have no value."""
    notes = table.get_column("note").drop_nulls().unique(maintain_order=True)
    shown = [_sentence(note) + "." for note in notes.head(LISTED)]
    return [*shown, *more_in_table(len(notes) - LISTED, "note")]


def _one(row: dict[str, Any]) -> str:
    """One correlation with its interval."""
    return f"{row['measure']} {row['value']:.2f} ({_ends(row)}), {_p(row)}, n = {row['n']}"


def _ends(row: dict[str, Any]) -> str:
    """An interval of correlations."""
    return ends(row["low"], row["high"], digits=visible_decimals([row["low"], row["high"]]))


def _p(row: dict[str, Any]) -> str:
    return p_text(row["p"], is_bound=bool(row["p_is_bound"]))


def _sentence(text: str) -> str:
    """Begin with a capital, unless what it begins with is a name."""
    head = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if head.isalpha() and head.islower() else text
