"""What a log shows of how far people looked: clicks, marks of what was examined, or time spent."""

from __future__ import annotations

from typing import get_args

import polars as pl

from sessionkit.choices import Signal, SignalChoice
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.study import Study
from sessionkit.study.session_counts import CLICKING, was_clicked

SIGNALS: tuple[Signal, ...] = get_args(Signal)
COLUMNS = {"last_click": CLICKING, "clicks": CLICKING, "examined": ("examined",), "dwell": ("dwell_seconds",)}
"""Columns of results that each signal is read from; one is enough."""
WORDS = {"last_click": "clicked", "clicks": "clicked", "examined": "marked as examined", "dwell": "viewed"}
AUTO = ("examined", "last_click", "dwell")
"""Signals in the order in which they are taken, the most direct first."""


def signal_of(study: Study, asked: str, min_dwell: float) -> str:
    """Settle on a signal that the log has.

    Raises
    ------
    UsageError
        There is no such signal, or the least dwell time makes no sense.
    DataError
        The log has not what the signal is read from, or no result shows it.
    """
    known = get_args(SignalChoice)
    if asked not in known:
        msg = f"signal must be one of {', '.join(known)}, not {asked!r}{suggestion(str(asked), known)}"
        raise UsageError(msg)
    if not isinstance(min_dwell, int | float) or isinstance(min_dwell, bool) or not min_dwell >= 0:
        msg = f"min_dwell must be seconds, 0 or more, not {min_dwell!r}"
        raise UsageError(msg)
    have = study.columns("results")
    there = [name for name in (AUTO if asked == "auto" else (asked,)) if any(one in have for one in COLUMNS[name])]
    if not there:
        wanted = AUTO if asked == "auto" else (asked,)
        columns = ", ".join(dict.fromkeys(column for name in wanted for column in COLUMNS[name]))
        msg = (
            f"nothing in this log shows how far searchers looked: the results have none of the columns {columns}; map a "
            "column of the log to one of them in study.toml, or give a table of counts (columns rank, query, count)"
        )
        raise DataError(msg)
    shown = study.results.select(shows(name, have, min_dwell).any().alias(name) for name in there).collect().row(0)
    found = [name for name, some in zip(there, shown, strict=True) if some]
    if not found:
        told = " or ".join(dict.fromkeys(WORDS[name] for name in there))
        others = [name for name in SIGNALS if name not in there and any(one in have for one in COLUMNS[name])]
        instead = f"; the log has data for signal={others[0]}" if others else ""
        msg = f"no result of this log was {told}, so nothing shows how far searchers looked{instead}; a table of counts would also work"
        raise DataError(msg)
    return found[0]


def shows(signal: str, have: tuple[str, ...] | list[str], min_dwell: float) -> pl.Expr:
    """Whether a result shows the signal."""
    if signal == "examined":
        return pl.col("examined").fill_null(value=False)
    if signal == "dwell":
        seconds = pl.col("dwell_seconds").fill_null(0.0)
        return (seconds > 0) & (seconds >= min_dwell)
    return was_clicked(have).fill_null(value=False)
