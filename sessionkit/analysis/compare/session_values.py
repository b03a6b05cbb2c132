"""The values to compare: one row per session, with its group, user, topic, place in its user's study and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from sessionkit.display.words import counted
from sessionkit.errors import DataError, MeasureError, UsageError, suggestion
from sessionkit.readers.tabular import Frame, as_polars
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.column import numbers
from sessionkit.scoring.measures.grammar import list_measures, parse_measure
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import score, score_task, session_measures
from sessionkit.study import Study
from sessionkit.study.restriction import Where, met
from sessionkit.study.session_subset import restricted

MOST_GROUPS, MOST_CUT = 20, 9
KEYS = ("session_id", "user_id", "topic_id")
ORDER = "session_order"


@dataclass(frozen=True, eq=False)
class GroupedSessions:
    """Sessions whose group is known.

    Parameters
    ----------
    frame
        ``session_id``, ``group``, ``user_id``, ``topic_id`` (null where unknown), ``session_order`` where there is one,
        in the order of session_id and group.
    values
        One row per session, one column per measure; NaN where undefined.
    measures
        Texts of the measures.
    groups
        Names of the groups, in order.
    by
        The grouping column.
    without_group
        Sessions left out because their group is unknown.
    places
        How they were aligned so far, see `sessionkit.analysis.compare.alignment.aligned`.
    """

    frame: pl.DataFrame
    values: np.ndarray
    measures: tuple[str, ...]
    groups: tuple[str, ...]
    by: str
    without_group: int
    places: dict[tuple[str, str, bytes], Any] = field(default_factory=dict, repr=False, compare=False)


def chosen_sessions(source: Study | Frame, where: Where) -> Study | Frame:
    """Return the sessions of a study, or the rows of a table of scores, that meet a condition; errors are those of `met`."""
    if where is None or isinstance(source, Study):
        return restricted(source, where) if isinstance(source, Study) else source
    rows = as_polars(source, "scores").collect()
    return rows.filter(met(rows, where))


def sessions_of(
    source: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None,
    by: str,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
    *,
    cut: int | None = None,
) -> GroupedSessions:
    """Score a study, or take scores as they are, and name every session's group.

    Raises
    ------
    UsageError
        There is no such column, or it does not have 2 to 20 values; the scores are not per session.
    MeasureError
        A measure is one of queries; the message proposes its mean.
    """
    if isinstance(source, Study):
        if measures is None:
            msg = "name the measures to compare, for example: nsDCG@10"
            raise UsageError(msg)
        frame, values, texts = _scored(source, measures, by, memory, cache)
    else:
        frame, values, texts = _given(as_polars(source, "scores").collect(), measures, by)
    if cut is not None:
        frame = frame.with_columns(_cut(frame.get_column("group"), by, cut))
    known = frame.get_column("group").is_not_null()
    unknown = int((~known).sum())
    if unknown:
        frame, values = frame.filter(known), values[known.to_numpy()]
    groups = tuple(frame.get_column("group").unique().sort())
    if not groups:
        others = [name for name in grouping_columns(source) if name != by]
        msg = f"by={by}: no session has a value in this column; {_choice(others)}"
        raise UsageError(msg)
    if by in KEYS:  # what is compared cannot be held constant at the same time
        frame = frame.with_columns(pl.lit(None, pl.String).alias(by))
    if not 2 <= len(groups) <= MOST_GROUPS:
        listed = f": {groups[0]!r}" if len(groups) == 1 else ""
        many = f"{counted(len(groups), 'value')}{listed}"
        advice = f"2 to {MOST_GROUPS}, such as system_id"
        if len(groups) > MOST_GROUPS and pl.Series(groups).cast(pl.Float64, strict=False).is_not_null().all():
            advice += "; cut=3 makes three groups of similar size from numbers, and correlate needs no groups"
        raise UsageError(f"by={by}: the sessions have {many}; a comparison needs a column with {advice}")
    return GroupedSessions(frame, values, texts, groups, by, unknown)


def _cut(values: pl.Series, by: str, cut: int) -> pl.Series:
    """Name the groups that a column of numbers is cut into, of about one size; equal numbers are never parted.

    >>> _cut(pl.Series("group", ["1", "2", "2", "3", "10", None]), "age", 2).to_list()
    ['1 of 2 (1 to 2)', '1 of 2 (1 to 2)', '1 of 2 (1 to 2)', '2 of 2 (3 to 10)', '2 of 2 (3 to 10)', None]
    """
    if isinstance(cut, bool) or not isinstance(cut, int) or not 2 <= cut <= MOST_CUT:
        raise UsageError(f"cut must be a whole number of groups from 2 to {MOST_CUT}, not {cut!r}")
    try:
        value = numbers(values.alias(by))
    except DataError as error:
        raise UsageError(f"cut={cut} is for numbers: {error}") from None
    known = value.drop_nulls().sort()
    # a number belongs to the group in which the middle of its equals stands
    middle = known.rank("average") - 0.5
    place = pl.DataFrame({"value": known, "place": (middle * cut / max(len(known), 1)).floor().cast(pl.Int64)}).unique()
    ends = place.group_by("place").agg(low=pl.col("value").min(), high=pl.col("value").max()).sort("place")
    if len(ends) < 2:
        raise UsageError(
            f"by={by} cannot be cut into {cut} groups: the sessions have {counted(known.n_unique(), 'value')}"
        )
    named = ends.with_row_index("nth", 1).select(
        "place",
        name=pl.format("{} of {} ({} to {})", "nth", pl.lit(len(ends)), *(_short(name) for name in ("low", "high"))),
    )
    names = place.join(named, on="place").select("value", "name")
    return (
        value.alias("value")
        .to_frame()
        .join(names, on="value", how="left", maintain_order="left")["name"]
        .alias("group")
    )


def _short(name: str) -> pl.Expr:
    """A number as text, without a fraction that is 0."""
    return pl.col(name).cast(pl.String).str.replace(r"\.0$", "")


def sessions_task(study: Study, measures: str | Measure | Sequence[str | Measure]) -> Reduction:
    """What `sessions_of` asks of a study."""
    return score_task(study, session_measures(measures), per="session")


def _scored(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    column: str,
    memory: str | int | None,
    cache: str | PathLike[str] | None,
) -> tuple[pl.DataFrame, np.ndarray, tuple[str, ...]]:
    """Score a study per session; the sessions, their values and the measures' texts."""
    of_sessions = study.columns("sessions")
    if column not in grouping_columns(study):
        raise no_column(column, grouping_columns(study))
    asked = session_measures(measures)
    scores = score(study, asked, per="session", memory=memory, cache=cache)
    texts = tuple(map(str, asked))
    values = scores.get_column("value").to_numpy().reshape(-1, len(texts))
    first = scores.select(*KEYS, *(["system_id"] if column == "system_id" else [])).gather_every(len(texts))
    wanted = [name for name in dict.fromkeys((column, ORDER)) if name in of_sessions and name not in first.columns]
    if wanted:
        more = study.sessions.select("session_id", *wanted).collect()
        first = first.join(more, on="session_id", how="left", maintain_order="left")
    if column not in of_sessions:
        users = study.users.select("user_id", column).collect()
        first = first.join(users, on="user_id", how="left", maintain_order="left")
    return _named(first, column), values, texts


def _given(
    scores: pl.DataFrame, measures: str | Measure | Sequence[str | Measure] | None, column: str
) -> tuple[pl.DataFrame, np.ndarray, tuple[str, ...]]:
    """Take a table of scores per session; the sessions, their values and the measures' texts."""
    asked = [] if measures is None else [*dict.fromkeys(map(str, list_measures(measures)))]
    if asked and ("measure" not in scores.columns or {*map(column_of, asked)} <= {*scores.columns}):
        scores = _long(scores, asked, column)
    missing = [name for name in ("session_id", "measure", "value") if name not in scores.columns]
    if missing:
        msg = f"scores have no {' and no '.join(missing)}; compare takes the table of sk.score(study, ..., per='session'), or a study"
        raise UsageError(msg)
    if "query_position" in scores.columns:
        msg = "these are scores per query; compare sessions: sk.score(study, 'mean(nDCG@10)', per='session')"
        raise UsageError(msg)
    if column not in grouping_columns(scores):
        raise no_column(column, grouping_columns(scores))
    there = scores.get_column("measure").unique(maintain_order=True).to_list()
    texts = tuple(dict.fromkeys(map(str, list_measures(measures)))) if measures is not None else tuple(there)
    for text in texts:
        if text not in there:
            msg = f"the scores have no measure {text!r}; they have {', '.join(there[:20])}{suggestion(text, there)}"
            raise UsageError(msg)
    own = [name for name in dict.fromkeys((*KEYS, column, ORDER)) if name in scores.columns]
    keys = list(dict.fromkeys(("session_id", column)))
    rows = scores.filter(pl.col("measure").is_in(texts))
    if rows.select(*keys, "measure").is_duplicated().any():
        msg = f"the scores have several rows for one {' and '.join(keys)} of one measure; compare takes one value each"
        raise UsageError(msg)
    wide = rows.select(*own, "measure", "value").pivot(on="measure", index=own, values="value", on_columns=texts)
    if wide.select(keys).is_duplicated().any():
        msg = f"the rows of one {' and '.join(keys)} name several users, topics or positions in the order; each must have one"
        raise UsageError(msg)
    missing_keys = [pl.lit(None, pl.String).alias(name) for name in KEYS if name not in own]
    wide = wide.with_columns(missing_keys).sort(keys)
    values = wide.select(pl.col(texts).cast(pl.Float64)).to_numpy()
    return _named(wide.drop(texts), column), values, texts


def _long(scores: pl.DataFrame, texts: list[str], by: str) -> pl.DataFrame:
    """Take a table with one row per session and a column for each measure as one with a row for each measure."""
    columns = {text: column_of(text) for text in texts}
    for column in columns.values():
        if column not in scores.columns:
            listed = ", ".join(scores.columns[:40])
            msg = f"the scores have no column {column!r}; they have {listed}{suggestion(column, scores.columns)}"
            raise UsageError(msg)
    values = [numbers(scores.get_column(column)).alias(text) for text, column in columns.items()]
    beside = [name for name in dict.fromkeys((*KEYS, by, ORDER)) if name in scores.columns and name not in texts]
    return scores.select(beside).hstack(values).unpivot(on=texts, index=beside, variable_name="measure")


def column_of(measure: str) -> str:
    """The column of a table with one row per session in which a measure stands: of column(NAME) that of the name."""
    try:
        own = parse_measure(measure).of_sessions
    except MeasureError:
        own = ()
    return own[0] if own else measure


def _named(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the keys of sessions as text, their group and, where there is one, their place in the user's study."""
    order = [pl.col(ORDER).cast(pl.Int64)] if ORDER in frame.columns and column != ORDER else []
    return frame.select(pl.col(KEYS).cast(pl.String), pl.col(column).cast(pl.String).alias("group"), *order)


def no_column(column: str, known: Sequence[str]) -> UsageError:
    """Build the error for a grouping column that does not exist."""
    return UsageError(f"by={column}: no such column to group sessions by; {_choice(known)}{suggestion(column, known)}")


def grouping_columns(source: Study | Frame) -> list[str]:
    """Columns by which sessions may be grouped."""
    if isinstance(source, Study):
        names = [*source.columns("sessions"), *source.columns("users")]
    else:
        names = as_polars(source, "scores").collect_schema().names()
    return [name for name in dict.fromkeys(names) if name not in ("session_id", "measure", "value", "judged")]


def _choice(names: Sequence[str]) -> str:
    """Say what there is to choose from."""
    return (
        f"choose from {', '.join(names)}"
        if names
        else "there is no other column; add one to the sessions or the scores"
    )
