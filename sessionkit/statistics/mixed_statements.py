"""What a mixed model says: its kinds of statements, the sentence of each, and the values in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, interval_text, listed, p_text, readable, share_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.scoring.measures.base import Direction
from sessionkit.scoring.measures.direction import UNKNOWN, MeasureDirection, side_of_zero
from sessionkit.statistics.comparison_kinds import INTERVAL, LEVEL, NO_VERDICT_VALUES, PAIR, P
from sessionkit.statistics.comparison_kinds import KINDS as COMPARISON_KINDS
from sessionkit.statistics.comparison_statements import more_statements, with_reasons
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.findings import LEFT_OUT, MORE, NOT_SHOWN, NOT_SHOWN_CORRECTED, SESSIONS, UNADJUSTED
from sessionkit.statistics.remarks import REASONS, Remark

KINDS = {
    **SESSIONS,
    "claim": Kind(
        "Whom the claim is about: units like those that are random, with the others as they are",
        {
            "users": "users; 0 where unknown",
            "topics": "topics",
            "sessions": "sessions",
            "random": "which of users and topics are random",
        },
    ),
    "model": Kind(
        "The model that was fitted",
        {
            **LEVEL,
            "by": "the column that makes the groups",
            "random": "its random factors",
            "sessions": "of how many sessions",
        },
    ),
    "difference": Kind(
        "The difference of two groups by one measure, with its interval, test and verdict",
        {
            **LEVEL,
            **PAIR,
            **INTERVAL,
            "statistic": "t",
            "df": "its degrees of freedom",
            **P,
            "se": "the standard error by which it is judged",
            "se_reml": "that of the components, cut off at 0",
            "error_term": "the components whose mean squares judge it",
            "is_small_by_chance": "whether se is by chance so small that t would be much smaller with se_reml",
            "few_topics": "whether so few topics judge it that more users would hardly help",
            "verdict": "shown, not shown, not shown after correction, or no verdict",
            "higher": "the group with higher values, where that is shown",
            "better": "the group with better values, where that is shown and known",
            "no_verdict": "why there is no verdict, null if there is one: "
            + "; ".join(map(": ".join, NO_VERDICT_VALUES.items())),
        },
    ),
    "variance": Kind(
        "How much each component varies",
        {
            **LEVEL,
            "components": "component, share, sd, low and high of the sd",
            "confidence": "that of the intervals",
        },
    ),
    "singular": Kind("Components are estimated as 0", {**LEVEL, "components": "their names"}),
    "not_converged": Kind("The fit did not reach the maximum", LEVEL),
    **MORE,
    "unadjusted_intervals": COMPARISON_KINDS["unadjusted_intervals"],
    "not_tested": Kind("Something could not be tested, and why", {**LEVEL, **REASONS}),
    "not_in_model": Kind(
        "A random factor is not in the model, and why",
        {
            **LEVEL,
            "factor": "its name",
            "reason": "a short code",
            "same_as": "the factor that divides the sessions alike",
        },
    ),
    **LEFT_OUT,
    "not_assigned": COMPARISON_KINDS["not_assigned"],
    "same_effect": Kind(
        "The effect of groups is taken to be the same for every user",
        {**LEVEL, "column": "the column that makes the groups", "factor": "the factor with which it may vary"},
    ),
}
"""What a mixed model can say."""
MOST_ROWS = 12
"""Differences that are read out."""
FEW = 5
"""Degrees of freedom below which more users or sessions are said not to help."""
LUCKY = 0.75
"""Standard error, as a share of that of the components, below which the reading says that it is small by chance."""


@dataclass(frozen=True)
class MeasureModel:
    """What was found by one measure.

    Parameters
    ----------
    measure, sessions, users, topics
        The measure, and of how many sessions, users and topics.
    random
        The factors in the model.
    effects, components, fit
        Rows of the tables.
    remarks
        What was left out, or why there is no model.
    """

    measure: str
    sessions: int
    users: int
    topics: int
    random: tuple[str, ...]
    effects: list[dict[str, Any]] = field(default_factory=list)
    components: list[tuple[Any, ...]] = field(default_factory=list)
    fit: tuple[Any, ...] = ()
    remarks: list[Remark] = field(default_factory=list)


def claim(model: MeasureModel) -> str:
    """Say whom the claim is about: units like those that are random; the others are taken as they are."""
    random = _random_units(model)
    counts = {"user": model.users, "topic": model.topics}
    like = [
        f"{unit}s like these {n:,}" if n != 1 else f"{unit} like these 1"
        for unit, n in counts.items()
        if unit in random and n
    ]
    rest = [
        f"{'these' if n > 1 else 'this'} {counted(n, unit)}" for unit, n in counts.items() if unit not in random and n
    ]
    about = " and ".join(like) or f"sessions like these {model.sessions:,}"
    return f"{about}, with {' and '.join(rest)}" if rest else about


def _random_units(model: MeasureModel) -> list[str]:
    """Which of users and topics are random, by themselves or with something else."""
    parts = {part for name in model.random for part in name.split(":")}
    return [unit for unit in ("user", "topic") if f"{unit}_id" in parts]


@dataclass(frozen=True)
class MixedSetup:
    """What is said of all differences: the measure with most sessions, the grouping column, error rate, p-values, directions."""

    largest: MeasureModel
    by: str
    alpha: float
    family: Family
    directions: Mapping[str, Direction]


def mixed_statements(
    table: pl.DataFrame,
    models: Sequence[MeasureModel],
    setup: MixedSetup,
    *,
    remarks: Sequence[Remark],
    no_verdict: pl.DataFrame,
) -> list[Statement]:
    """Return what a mixed model says, of the differences of all measures in `table`."""
    supports = {tuple(row[:3]): row[-1] for row in no_verdict.select("measure", "a", "b", "support").rows()}
    table = with_reasons(table, no_verdict)
    statements = [_claim_statement(setup.largest)] if table.height else []
    n_read = 0
    for model in models:
        if not model.effects:
            continue
        statements.append(_model(model, setup.by))
        differences = table.filter(pl.col("measure") == model.measure)
        statements += [
            _difference(row, setup, supports.get((row["measure"], row["a"], row["b"])))
            for row in differences.head(max(0, MOST_ROWS - n_read)).iter_rows(named=True)
        ]
        n_read += differences.height
        statements.append(_variance(model, setup.alpha))
        statements += _fit(model)
    statements += more_statements(n_read - MOST_ROWS, "difference", "compare")
    if setup.family.has_unadjusted_intervals:
        statements.append(Statement("unadjusted_intervals", UNADJUSTED, {"correction": setup.family.correction}))
    return [*statements, *(remark.statement for remark in remarks)]


def _claim_statement(model: MeasureModel) -> Statement:
    """Say whom the claim is about."""
    random = [f"{unit}s" for unit in _random_units(model)]
    values: dict[str, Value] = {
        "users": model.users,
        "topics": model.topics,
        "sessions": model.sessions,
        "random": random,
    }
    return Statement("claim", f"The claim is about {claim(model)}.", values)


def _model(model: MeasureModel, by: str) -> Statement:
    """Say which model was fitted."""
    text = f"{model.measure}: {by} fixed, {listed(model.random)} random, fitted by REML to {model.sessions:,} sessions."
    values: dict[str, Value] = {"by": by, "random": list(model.random), "sessions": model.sessions}
    return Statement("model", text, {"level": None, "measure": model.measure, **values})


def _difference(row: dict[str, Any], setup: MixedSetup, support: Mapping[str, Value] | None) -> Statement:
    """Say what was found for one pair; `support` are the numbers of why there is no verdict."""
    verdict = _verdict(row, setup)
    direction = MeasureDirection.named(row["measure"], setup.directions)
    side = row["estimate"] if verdict == "shown" else 0.0
    names = (
        "measure",
        "a",
        "b",
        "estimate",
        "low",
        "high",
        "statistic",
        "df",
        "p",
        "p_adjusted",
        "se",
        "se_reml",
        "error_term",
    )
    values: dict[str, Value] = {
        "level": None,
        **{name: row[name] for name in names},
        "confidence": 1 - setup.alpha,
        "correction": setup.family.correction,
        "tests": setup.family.number,
        "is_small_by_chance": row["se"] < LUCKY * row["se_reml"],
        "few_topics": row["df"] < FEW and "topic_id" in row["error_term"],
        "verdict": verdict,
        "higher": None if side == 0 else UNKNOWN.ahead(side, row["a"], row["b"]),
        "better": direction.better_group(side, row["a"], row["b"]),
        "no_verdict": support,
    }
    return Statement("difference", _sentence(row, setup, values), values)


def _verdict(row: Mapping[str, Any], setup: MixedSetup) -> str:
    """What a row shows, one of the verdicts of the kind ``difference``."""
    if row["why"] is not None:
        return "no verdict"
    if row["p_adjusted"] <= setup.alpha:
        return "shown"
    has_small_p = setup.family.has_unadjusted_intervals and row["p"] <= setup.alpha
    return "not shown after correction" if has_small_p else "not shown"


def _sentence(row: dict[str, Any], setup: MixedSetup, values: Mapping[str, Value]) -> str:
    """Say what was found for one pair."""
    family = setup.family
    judged = f"t({row['df']:.3g}), error term {row['error_term']}"
    interval = f"{family.interval_kind}{interval_text(row['low'], row['high'], setup.alpha)}"
    text = (
        f"{row['measure']}: {row['b']} minus {row['a']}: {readable(row['estimate'])}, {interval}, "
        f"{p_text(row['p_adjusted'])}{family.told}; {judged}."
    )
    if values["is_small_by_chance"]:
        t = row["estimate"] / row["se_reml"]
        text += (
            f" Caution: the error mean square is by chance smaller than the residual variance implies; with the standard error "
            f"of the components, {readable(row['se_reml'])} instead of {readable(row['se'])}, t would be {t:.3g}."
        )
    if values["verdict"] == "no verdict":
        return f"{text} {row['why']}."
    if values["verdict"] == "shown":
        side = side_of_zero(row["estimate"])
        return f"{text} There is evidence that {row['b']} is {side} than {row['a']}, for {claim(setup.largest)}."
    more = (
        " So few topics give few degrees of freedom, and more users of the same topics would hardly help."
        if values["few_topics"]
        else ""
    )
    return f"{text} {NOT_SHOWN if values['verdict'] == 'not shown' else NOT_SHOWN_CORRECTED}{more}"


def _variance(model: MeasureModel, alpha: float) -> Statement:
    """Say how much each component varies."""
    parts, components = [], []
    for _, name, _, _, low, high, sd, share in model.components:
        low_sd, high_sd = low**0.5, None if high is None else high**0.5
        parts.append(f"{name} {share_text(share, 0)} (sd {sd:.3g}, {interval_text(low_sd, high_sd, alpha)})")
        components.append({"component": name, "share": share, "sd": sd, "low": low_sd, "high": high_sd})
    text = f"{model.measure}: variance of a session within a group: {', '.join(parts)}."
    values: dict[str, Value] = {"components": components, "confidence": 1 - alpha}
    return Statement("variance", text, {"level": None, "measure": model.measure, **values})


def _fit(model: MeasureModel) -> list[Statement]:
    """Say what is amiss with the fit."""
    statements = []
    about: dict[str, Value] = {"level": None, "measure": model.measure}
    zeros = [row[1] for row in model.components[:-1] if row[3] == 0]
    if zeros:
        text = (
            f"{model.measure}: the fit is singular: {listed(zeros)} estimated as 0, because no variation beyond chance was "
            "found. This does not prove 0: the interval shows how large the sd may be."
        )
        statements.append(Statement("singular", text, {**about, "components": zeros}))
    if not model.fit[5]:
        text = f"Caution: {model.measure}: the fit did not converge; its components do not maximize the likelihood."
        statements.append(Statement("not_converged", text, about))
    return statements
