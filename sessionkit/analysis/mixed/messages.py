"""A mixed model in plain language: the model, whom the claim is about, the differences, and what varies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from sessionkit.analysis.compare.corrections import Family
from sessionkit.analysis.mixed.measure_model import MeasureModel
from sessionkit.display.numbers import p_text, readable
from sessionkit.display.words import counted, listed

MOST_ROWS = 12
"""Differences that are read out; the others are in the table."""
FEW = 5
"""Degrees of freedom below which more users or sessions are said not to help."""
LUCKY = 0.75
"""Standard error, as a share of that of the components, below which the reading says that it is small by chance."""


def population(found: MeasureModel) -> str:
    """Say whom the claim is about: units like those that are random; the others are taken as they are."""
    users, topics = counted(found.users, "user"), counted(found.topics, "topic")
    single = {part for name in found.random for part in name.split(":")}
    random = [(users, found.users, "user_id" in single), (topics, found.topics, "topic_id" in single)]
    like = [f"{text.split()[1]} like these {text.split()[0]}" for text, many, drawn in random if drawn and many]
    rest = [f"{'these' if many > 1 else 'this'} {text}" for text, many, drawn in random if not drawn and many]
    said = " and ".join(like) or f"sessions like these {found.sessions:,}"
    return f"{said}, with {' and '.join(rest)}" if rest else said


def lines(
    table: pl.DataFrame,
    found: Sequence[MeasureModel],
    about: str,
    *,
    by: str,
    alpha: float,
    correction: str,
    notes: Sequence[str],
) -> list[str]:
    """Return the sentences of a reading."""
    told = [f"The claim is about {about}."] if table.height else []
    read = 0
    for each in found:
        if not each.effects:
            continue
        told.append(
            f"{each.measure}: {by} fixed, {listed(each.random)} random, fitted by REML to {each.sessions:,} sessions."
        )
        own = table.filter(pl.col("measure") == each.measure)
        how = Family(table.height, correction).told
        told += [_sentence(row, alpha, how, about) for row in own.head(max(0, MOST_ROWS - read)).iter_rows(named=True)]
        read += own.height
        told.append(_varies(each, alpha))
        told += _fit(each)
    if read > MOST_ROWS:
        more = read - MOST_ROWS
        told.append(f"{counted(more, 'more difference')} {'is' if more == 1 else 'are'} in the table.")
    if correction == "holm" and table.filter(pl.col("low").is_null() | pl.col("high").is_null()).height:
        told.append(
            "Mind: an interval that begins or ends at 0 tells the side only; Holm's steps leave no more to say while other "
            "differences are undecided. correction=bonferroni gives both ends."
        )
    return [*told, *(f"Note: {note}." for note in notes)]


def _sentence(row: dict[str, Any], alpha: float, how: str, about: str) -> str:
    """Say what was found for one pair."""
    judged = f"t({row['df']:.3g}), judged by {row['judged_by']}"
    text = (
        f"{row['measure']}: {row['b']} less {row['a']}: {readable(row['estimate'])}, {_ends(row, alpha)}, "
        f"{p_text(row['p_adjusted'])}{how}; {judged}."
    )
    if row["se"] < LUCKY * row["se_reml"]:
        t = row["estimate"] / row["se_reml"]
        text += (
            f" Mind: by chance the mean square that judges is smaller than the residual alone would make it; with the "
            f"components' own standard error, {readable(row['se_reml'])} instead of {readable(row['se'])}, t were {t:.3g}."
        )
    if row["p_adjusted"] <= alpha:
        side = "higher" if row["estimate"] > 0 else "lower"
        return f"{text} Evidence, for {about}, that {row['b']} is {side} than {row['a']}."
    few = row["df"] < FEW and "topic_id" in row["judged_by"]
    more = (
        " So few topics leave little to judge by, and more users of the same topics would hardly help." if few else ""
    )
    return f"{text} No difference shown, and none within the interval excluded.{more}"


def _varies(found: MeasureModel, alpha: float) -> str:
    """Say how much each component varies."""
    parts = []
    for _, name, _, _, low, high, sd, share in found.components:
        top = f"{high**0.5:.3g}" if high is not None else "no end"
        parts.append(f"{name} {share:.0%} (sd {sd:.3g}, {100 * (1 - alpha):g} % interval {low**0.5:.3g} to {top})")
    return f"{found.measure}: of the variance of one session within a group: {', '.join(parts)}."


def _fit(found: MeasureModel) -> list[str]:
    """Say what is amiss with the fit."""
    told = []
    nothing = [row[1] for row in found.components[:-1] if row[3] == 0]
    if nothing:
        told.append(
            f"{found.measure}: the fit is singular: {listed(nothing)} estimated as 0, as nothing more varies there than "
            "chance makes. That is no proof of 0: the interval says up to where the sd may be."
        )
    if not found.fit[5]:
        told.append(f"Mind: {found.measure}: the fit did not converge; its components are not the most likely ones.")
    return told


def _ends(row: dict[str, Any], alpha: float) -> str:
    """Say what the interval is."""
    percent = f"{100 * (1 - alpha):g} % interval"
    if row["low"] is None or row["high"] is None:
        return (
            f"{percent} from {readable(row['low'])} up"
            if row["high"] is None
            else f"{percent} up to {readable(row['high'])}"
        )
    return f"{percent} {readable(row['low'])} to {readable(row['high'])}"
