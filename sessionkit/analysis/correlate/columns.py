"""The columns that are correlated, session by session: values of measures, ratings and other numbers of sessions and users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

import polars as pl

from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.scoring.columns import is_ambiguous, measure_of
from sessionkit.scoring.execution import of_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.column import column
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.score import score
from sessionkit.study import Study
from sessionkit.study.session_counts import session_columns, untold

IDS = ("session_id", "user_id", "system_id", "topic_id", "judgment_key")
SHOWN = 20


@dataclass(frozen=True)
class Variable:
    """Something that has a number for each session.

    Parameters
    ----------
    name
        Its name in results: the text of a measure, or of what measures are correlated with the name of a column.
    measure
        The measure; of a column the one whose values are the column's.
    of_users
        Whether it is a column of the users, the same in all sessions of a user.
    """

    name: str
    measure: Measure
    of_users: bool = False


def variables(study: Study, asked: str | Measure | Sequence[str | Measure], option: str) -> list[Variable]:
    """Find what names stand for: columns of sessions or users first, then measures.

    A column has one name, whether it is asked for as ``satisfaction`` or as ``column(satisfaction)``: among measures the
    latter, as everywhere, and else its own.

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
        msg = f"{option} is empty; give a column of sessions or users, such as performance, or a measure"
        raise UsageError(msg)
    return list(dict.fromkeys(found))


def columns(
    study: Study,
    asked: Sequence[Variable],
    *,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """The numbers of every session.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``user_id``, ``topic_id`` and a column of numbers for each variable by its name, null where unknown or
        undefined; sorted by session_id.

    Raises
    ------
    DataError
        If a column does not hold numbers.
    """
    keys = study.sessions.select("session_id", "user_id", "topic_id").collect().sort("session_id")
    scores = score(study, [each.measure for each in asked], memory=memory, cache=cache, per="session")
    for each in asked:
        own = scores.filter(pl.col("measure") == str(each.measure)).select(
            "session_id", pl.col("value").alias(each.name)
        )
        if not own.get_column(each.name).count() and each.measure.of_sessions:
            raise DataError(f"{each.name} is empty in every session: there is nothing to correlate with")
        keys = keys.join(own, on="session_id", how="left", maintain_order="left")
    return keys


def _variable(study: Study, name: str | Measure, option: str) -> Variable:
    """Find what one name stands for."""
    if not isinstance(name, str):
        return _of_measure(study, measure_of(study, name), option)
    known = [each for each in session_columns(study) if each not in IDS]
    if name in known and not is_ambiguous(study, name):
        return _of_measure(study, column(name), option)
    if name in IDS:
        raise UsageError(f"{option}={name}: its values are names, not numbers; {_instead(name, option)}")
    try:
        measure = measure_of(study, name)
    except MeasureError as error:
        if "(" in name or "@" in name or name in known:
            raise
        have = f"columns: {', '.join(known[:SHOWN])}" if known else "they have no columns but the ids"
        near = untold(name, known)
        msg = f"{option}={name}: no such column in sessions or users, and no such measure; {have}{near}"
        raise UsageError(msg) from error
    return _of_measure(study, measure, option)


def _instead(name: str, option: str) -> str:
    """What can be done with a column of names."""
    if option == "control":
        return (
            f"where=\"{name} = '...'\" correlates within one of them, and compare by the other column, of numbers with cut=2, adjusts "
            "for users and topics where the study's design allows it"
        )
    if name == "session_id":
        return "give a column of numbers, or a measure"
    return (
        f"score by={name} shows the mean of each, and compare by={name} tests them where the study's design allows it"
    )


def _of_measure(study: Study, measure: Measure, option: str) -> Variable:
    """A measure's values, which sessions must have."""
    taken = of_session(measure)
    of = next((name for name in taken.of_sessions if taken == column(name)), None)
    if of is None:
        return Variable(str(taken), taken)
    of_users = of in study.columns("users") and of not in study.columns("sessions")
    is_own_name = option != "measures" and not is_ambiguous(study, of)
    return Variable(of if is_own_name else str(taken), taken, of_users)
