"""What differences between parts of sessions mean, in plain language."""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit.analysis.bootstrap import Resampling, Units
from sessionkit.analysis.compare.effects import POWER, detectable
from sessionkit.analysis.distribution_tails import t_at
from sessionkit.analysis.phrases import ends, interval_text
from sessionkit.analysis.verdict import SINGLE_QUERY, with_reasons
from sessionkit.display.numbers import p_text
from sessionkit.display.words import capital, counted
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection

TOLD = {"users": "user means", "sessions": "sessions"}
"""The test that is told, by what the units are."""
NAMES = {
    "last": "the last query",
    "first": "the first query",
    "non-last": "the earlier ones",
    "later": "the later ones",
    "best": "the best query",
    "rest": "the rest",
}


def said(
    table: pl.DataFrame,
    no_verdict: pl.DataFrame,
    measure: Measure,
    *,
    direction: MeasureDirection,
    units: Units,
    resampling: Resampling,
) -> list[str]:
    """Put the table of `sessionkit.breakdown_tests` into words.

    Parameters
    ----------
    table, no_verdict
        As `sessionkit.analysis.breakdown.significance_tests.BreakdownTests` has them.
    measure, direction
        The measure, and which of its values are better.
    units
        What the tests are over, and why.
    resampling
        How units were drawn.
    """
    reason = units.reason[:1].upper() + units.reason[1:]
    lines = [
        f"Differences in {measure} within sessions of two queries or more, averaged per session. {reason}; the claim is about "
        f"{'users' if units.name == 'users' else 'sessions'} like these."
    ]
    keys = ["group", "part", "against"]
    table = with_reasons(table, no_verdict)
    several = table.get_column("group").n_unique() > 1
    for key, rows in table.group_by(keys, maintain_order=True):
        lines += _of_group(str(key[0]) if several else "", rows, direction, units, resampling)
    tests = table.drop_nulls(["estimate", "p"]).select("group", "part", "against").n_unique()
    if tests > 1:
        lines.append(f"The p-values of these {tests} comparisons are not adjusted for their number.")
    lines.append(
        "Searchers choose when to stop, so later queries come only from those who went on: a difference by position is not the "
        "effect of querying again."
    )
    return lines


def _of_group(
    group: str, rows: pl.DataFrame, direction: MeasureDirection, units: Units, resampling: Resampling
) -> list[str]:
    """Put one comparison in one group into words; `group` is empty where there is only one."""
    where = f"{group}: " if group else ""
    known = rows.drop_nulls("estimate")
    if known.is_empty():
        return [f"{where}{rows.item(0, 'part')} against {rows.item(0, 'against')}: {rows.item(0, 'note')}."]
    row = known.filter(test=TOLD[units.name]).row(0, named=True)
    counts = known.filter(test="sessions").row(0, named=True)
    one, other = (NAMES.get(row[side], row[side]) for side in ("part", "against"))
    over = f"{counted(row['users'], 'user')}, weighted equally, with " if units.name == "users" else ""
    sizes = f"{row['value']:.3f} against {row['value_against']:.3f}, means over {over}{_sessions(counts)}"
    found = f"The difference is {row['estimate']:+.3f}"
    if row["low"] is None:
        return [f"{where}{capital(one)} and {other}: {sizes}. {found}. No interval: {row['note']}."]
    found += f", {interval_text(row['low'], row['high'], 1 - resampling.confidence, digits=3)}"
    if row["part"] == "best":
        return [
            f"{where}{capital(one)} and {other}: {sizes}. {found}; no p-value, because the best query is chosen by its value."
        ]
    found += f", t({row['df']}) = {row['statistic']:.2f}, {p_text(row['p'])}"
    if row["why"] is not None:
        left = f" {capital(SINGLE_QUERY)}." if row["left_out_single_query"] else ""
        return [f"{where}{capital(one)} and {other}: {sizes}. {found}. {row['why']}.{left}"]
    verdict = _verdict(row, one, other, direction)
    lines = [f"{where}{verdict}: {sizes}. {found}. {_sensitivity(row, resampling.confidence)}"]
    return lines + _others(known.filter(pl.col("test") != row["test"]), row, where)


def _verdict(row: dict[str, Any], one: str, other: str, direction: MeasureDirection) -> str:
    """Say what the interval shows: better or worse where the measure has a direction, else higher or lower, or no difference."""
    if row["low"] <= 0 <= row["high"]:
        return f"No difference between {one} and {other} is shown"
    verdict = direction.verdict(row["estimate"])
    if verdict is None:
        return f"{capital(one)} has {'higher' if row['low'] > 0 else 'lower'} values than {other}"
    return f"{capital(one)} is {verdict} than {other}"


def _sessions(row: dict[str, object]) -> str:
    """The sessions that were compared, and those left out."""
    single, undefined = int(str(row["left_out_single_query"])), int(str(row["left_out_undefined"]))
    left = [
        *([f"{single:,} of one query"] if single else []),
        *([f"{undefined:,} without a value in both parts"] if undefined else []),
    ]
    told = f" ({' and '.join(left)} left out)" if left else ""
    return f"{counted(int(str(row['sessions'])), 'session')}{told}"


def _sensitivity(row: dict[str, object], confidence: float) -> str:
    """The difference that would have been detected with a power of .8."""
    difference, high, df = (float(str(row[name])) for name in ("estimate", "high", "df"))
    half = high - difference
    least = detectable(half, half / t_at(0.5 - confidence / 2, df), df)
    return f"A true difference of about {least:.3f} would be detected with power {POWER:g}."


def _others(rows: pl.DataFrame, told: dict[str, object], where: str) -> list[str]:
    """What the other tests say, where they say something else."""
    clear = (float(str(told["low"])) > 0) or (float(str(told["high"])) < 0)
    lines = []
    for row in rows.drop_nulls(["low", "p"]).rows(named=True):
        if (row["low"] > 0 or row["high"] < 0) == clear:
            continue
        how = (
            "treating sessions as independent"
            if row["test"] == "sessions"
            else f"with {row['test']}, sessions weighted equally"
        )
        lines.append(
            f"{where}The conclusion depends on the test: {how}, the difference is {row['estimate']:.3f} "
            f"({ends(row['low'], row['high'], digits=3)}), {p_text(row['p'])}."
        )
    return lines
