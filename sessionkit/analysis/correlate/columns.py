"""The columns that are correlated, session by session: values of measures, ratings and other numbers of sessions and users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

import polars as pl

from sessionkit.errors import DataError, MeasureError, UsageError, suggestion
from sessionkit.scoring.execution import require_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures, parse_measure
from sessionkit.scoring.score import score
from sessionkit.study import Study

IDS = ("session_id", "user_id", "system_id", "topic_id", "judgment_key")
SHOWN = 20


@dataclass(frozen=True)
class Variable:
    """Something that has a number for each session.

    Parameters
    ----------
    name
        Its name in results: the text of a measure, or the name of a column.
    measure
        The measure; None for a column of the study.
    of_users
        Whether it is a column of the users, the same in all sessions of a user.
    """

    name: str
    measure: Measure | None = None
    of_users: bool = False


def variables(study: Study, asked: str | Measure | Sequence[str | Measure], option: str) -> list[Variable]:
    """Find what names stand for: columns of sessions or users first, then measures.

    Parameters
    ----------
    study
        The study.
    asked
        Names of columns, measures, or texts of measures.
    option
        What the caller calls them, for the message.

    Raises
    ------
    UsageError
        If a name is neither, nothing is asked for, or the same twice.
    """
    found = [_variable(study, one, option) for one in list_measures(asked)]
    if not found:
        msg = f"{option} names nothing; give a column of sessions or users, such as performance, or a measure"
        raise UsageError(msg)
    return list(dict.fromkeys(found))


def columns(
    study: Study,
    asked: Sequence[Variable],
    *,
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """The numbers of every session.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``user_id`` and a column of numbers for each variable by its name, null where unknown or
        undefined; sorted by session_id.

    Raises
    ------
    DataError
        If a column does not hold numbers.
    """
    sessions = study.sessions.collect()
    frame = sessions.select("session_id", "user_id").sort("session_id")
    measures = {each.name: each.measure for each in asked if each.measure is not None}
    if measures:
        scores = score(study, list(measures.values()), memory=memory, partials=partials)
        for name in measures:
            values = scores.filter(pl.col("measure") == name).select("session_id", pl.col("value").alias(name))
            frame = frame.join(values, on="session_id", how="left", maintain_order="left")
    for each in asked:
        if each.measure is not None:
            continue
        if each.of_users:
            of_user = study.users.select("user_id", each.name).collect()
            found = sessions.select("session_id", "user_id").join(of_user, on="user_id", how="left")
        else:
            found = sessions
        values = found.select("session_id", _numbers(found.get_column(each.name), each))
        frame = frame.join(values, on="session_id", how="left", maintain_order="left")
    return frame


def _variable(study: Study, name: str | Measure, option: str) -> Variable:
    """Find what one name stands for."""
    if not isinstance(name, str):
        return _of_measure(name)
    of_sessions = [each for each in study.columns("sessions") if each not in IDS]
    of_users = [each for each in study.columns("users") if each not in IDS]
    if name in of_sessions or name in of_users:
        return Variable(name, of_users=name not in of_sessions)
    if name in IDS:
        msg = f"{option}={name}: names are no numbers; to compare what they name, take: sessionkit compare --by {name}"
        raise UsageError(msg)
    try:
        measure = parse_measure(name)
    except MeasureError as error:
        if "(" in name or "@" in name:
            raise
        known = [*of_sessions, *of_users]
        have = f"columns: {', '.join(known[:SHOWN])}" if known else "they have no column beside the ids"
        near = suggestion(name, known)
        msg = f"{option}={name}: no such column in sessions or users, and no such measure; {have}{near}"
        raise UsageError(msg) from error
    return _of_measure(measure)


def _of_measure(measure: Measure) -> Variable:
    """A measure's values, which sessions must have."""
    require_session(measure, per_query=False)
    return Variable(str(measure), measure)


def _numbers(column: pl.Series, variable: Variable) -> pl.Series:
    """A column as numbers, also those that were read as text.

    Raises
    ------
    DataError
        If it holds anything else.
    """
    table = "users" if variable.of_users else "sessions"
    numbers = column
    if column.dtype == pl.String:
        numbers = column.str.strip_chars().replace("", None).cast(pl.Float64, strict=False)
        wrong = column.filter(numbers.is_null() & column.is_not_null() & (column.str.strip_chars() != ""))
    elif column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        numbers = column.cast(pl.Float64)
        wrong = column.filter(numbers.is_infinite().fill_null(value=False))
    else:
        wrong = column.drop_nulls()
    if len(wrong):
        msg = (
            f"{variable.name} of {table} is not numeric: {len(wrong)} of {len(column)} values are like {str(wrong[0])!r}; "
            "give ratings and other covariates as numbers, and what is unknown as an empty field"
        )
        raise DataError(msg)
    numbers = numbers.cast(pl.Float64).fill_nan(None).alias(variable.name)
    if not numbers.count():
        msg = f"{variable.name} of {table} is empty in every session: there is nothing to correlate with"
        raise DataError(msg)
    return numbers
