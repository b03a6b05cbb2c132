"""The values that are compared, one row per session, and the means and spread of each group."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from sessionkit.display.labels import in_natural_order, natural_places
from sessionkit.display.numbers import counted
from sessionkit.errors import DataError, MeasureError, UsageError, suggestion, warn
from sessionkit.scoring.measures.base import Direction, Measure
from sessionkit.scoring.measures.custom import numbers
from sessionkit.scoring.measures.direction import directions_of
from sessionkit.scoring.measures.grammar import list_measures, parse_measure
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import columns_of, score, score_task, session_measures
from sessionkit.statistics.distributions import magnitude, require_magnitude
from sessionkit.statistics.remarks import Remark
from sessionkit.statistics.verdict import bands_of
from sessionkit.study import Study
from sessionkit.study.batches import memory_budget
from sessionkit.study.counts import ORDER, session_columns, sessions_with, untold
from sessionkit.study.restriction import Restriction, Where, met
from sessionkit.study.selection import restricted
from sessionkit.study.tabular import Frame, as_polars

MOST_GROUPS, MOST_CUT, MOST_LEVELS = 20, 9, 50
KEYS = ("session_id", "user_id", "topic_id")
UNNAMED = "\0none"
"""The group of sessions that name none, where they are described: no log has such a name."""
NAMES = ("user_id", "topic_id", "judgment_key", ORDER)
"""Columns that name or number sessions, and are seldom what is compared."""
AFTERWARDS = ("ended_at", "duration_seconds")
"""Columns of sessions that nobody can assign to them."""
LEVEL = "__level"
"""The column within whose levels groups are compared, among the sessions."""


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
    within
        The column within whose levels the groups are compared, if any.
    left_out
        Other sessions that were left out, by what they lack.
    directions
        Which values of a measure are better, by its text; without those that only their text names.
    equivalence
        The declared bands of practical equivalence, by the text of the measure.
    cut
        Whether the groups are ranges of numbers, see `sessionkit.compare`.
    scales
        What the values of each measure were divided by, see `of_ordinary_size`; empty: nothing was divided.
    places
        How they were aligned so far, see `sessionkit.statistics.units.aligned`.
    """

    frame: pl.DataFrame
    values: np.ndarray
    measures: tuple[str, ...]
    groups: tuple[str, ...]
    by: str
    without_group: int
    within: str | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    directions: dict[str, Direction] = field(default_factory=dict)
    equivalence: dict[str, float] = field(default_factory=dict)
    cut: bool = False
    scales: tuple[float, ...] = ()
    places: dict[tuple[str, str, bytes], Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def numbers(self) -> np.ndarray:
        """Number of every session's group."""
        return numbered(self.frame, self.groups)

    def of_ordinary_size(self) -> GroupedSessions:
        """Return the sessions with the values of each measure divided by its magnitude, see `sessionkit.statistics.distributions`.

        Raises
        ------
        DataError
            A value is too large for differences of such values.
        """
        for measure, column in zip(self.measures, self.values.T, strict=True):
            require_magnitude(measure, column)
        scales = tuple(magnitude(column) for column in self.values.T)
        if set(scales) == {1.0}:
            return self
        return replace(self, values=self.values / np.array(scales), scales=scales, places={})

    def scale(self, number: int) -> float:
        """Return what the values of a measure were divided by."""
        return self.scales[number] if self.scales else 1.0

    def multiplied_back(self, table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return a table of what was found by measure, with these columns in the measures' own units."""
        if not self.scales:
            return table
        scales = dict(zip(self.measures, self.scales, strict=True))
        factor = pl.col("measure").replace_strict(scales, return_dtype=pl.Float64)
        return table.with_columns(pl.col(columns) * factor)

    def levels(self) -> dict[Any, GroupedSessions]:
        """The sessions of each level of ``within`` that has every group; all of them, by None, where there is none.

        Raises
        ------
        UsageError
            No level has every group, or more than `MOST_LEVELS` have.
        """
        if self.within is None:
            return {None: self}
        level = self.frame.get_column(LEVEL)
        several = self.frame.group_by(LEVEL).agg(groups=pl.col("group").n_unique())
        whole = several.filter(pl.col("groups") == len(self.groups)).get_column(LEVEL).drop_nulls()
        whole = whole.to_frame().with_columns(_place=natural_places(whole)).sort("_place").get_column(LEVEL)
        if not 1 <= len(whole) <= MOST_LEVELS:
            every = "both groups" if len(self.groups) == 2 else f"all {len(self.groups)} groups"
            found = f"{counted(len(whole), 'value')} of it" if len(whole) else "no value of it"
            have = "has" if len(whole) <= 1 else "have"
            advice = f"; at most {MOST_LEVELS} can be compared: choose some by where" if len(whole) else ""
            raise UsageError(f"within={self.within}: {found} {have} sessions of {every} of {self.by}{advice}")
        left_out = {
            f"sessions without {self.by}": self.without_group,
            f"sessions without {self.within}": level.null_count(),
            f"sessions of a {self.within} that lacks a group": int((~level.is_in(whole.implode())).sum()),
        }
        left_out = {what: count for what, count in left_out.items() if count}
        parts = {value: (level == value).fill_null(value=False) for value in whole}
        return {
            value: replace(
                self, frame=self.frame.filter(here), values=self.values[here.to_numpy()], left_out=left_out, places={}
            )
            for value, here in parts.items()
        }


def require_values(source: Study | Frame, values: np.ndarray, measures: Sequence[object]) -> None:
    """Refuse scores of which no session has a value of any measure: there is nothing to compare.

    Parameters
    ----------
    source
        What was scored.
    values
        One row per session, one column per measure; NaN where undefined.
    measures
        The measures.

    Raises
    ------
    DataError
        No session has a value.
    """
    if np.isfinite(values).any():
        return
    why = ""
    if isinstance(source, Study):
        why = (
            "; check that the judgments are of these topics and documents"
            if source.facts.judgments
            else "; the study has no judgments: add them when it is read, see: sessionkit ingest --judgments"
        )
    raise DataError("nothing to compare", f": no session has a value of {' or '.join(map(str, measures[:3]))}{why}")


def numbered(frame: pl.DataFrame, groups: Sequence[str]) -> np.ndarray:
    """The number of the group of every row, ``group``, in the order of the groups."""
    places = frame.get_column("group").replace_strict(groups, range(len(groups)), return_dtype=pl.Int64)
    found: np.ndarray = places.to_numpy()
    return found


def chosen_sessions(source: Study | Frame, where: Where) -> tuple[Study | Frame, Restriction | None]:
    """Return the sessions of a study, or the rows of a table of scores, that meet a condition, and how many do.

    The errors are those of `met`.
    """
    if isinstance(source, Study):
        chosen = restricted(source, where)
        return chosen, chosen.restriction
    if where is None:
        return source, None
    rows = as_polars(source, "scores").collect()
    kept = rows.filter(met(rows.drop("measure", "value", "judged", strict=False), where))
    key = "session_id" if "session_id" in rows.columns else rows.columns[0]
    return kept, Restriction(str(where), kept[key].n_unique(), rows[key].n_unique(), isinstance(where, str))


def sessions_of(
    source: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None,
    by: str,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
    *,
    cut: int | None = None,
    within: str | None = None,
) -> GroupedSessions:
    """Score a study, or take scores as they are, and name every session's group and, of `within`, level.

    Raises
    ------
    UsageError
        There is no such column, or it does not have 2 to 20 values; the scores are not per session.
    MeasureError
        A measure is one of queries; the message proposes its mean.
    """
    memory_budget(memory)  # a table of scores has no other use for it
    if within is not None and within == by:
        raise UsageError(f"within={within} is the column that makes the groups; name another one")
    columns = (by,) if within is None else (by, within)
    if isinstance(source, Study):
        if measures is None:
            msg = "name the measures to compare, for example: nsDCG@10"
            raise UsageError(msg)
        frame, values, texts = _scored(source, measures, columns, memory, cache)
        directions = directions_of(session_measures(source, measures), source.settings.better)
        equivalence = bands_of(texts, source.settings.equivalence)
    else:
        directions, equivalence = {}, {}
        frame, values, texts = _given(as_polars(source, "scores").collect(), measures, columns)
    if cut is not None:
        frame = _with_cut(frame, by, within, cut)
    known = frame.get_column("group").is_not_null()
    unknown = int((~known).sum())
    if unknown:
        frame, values = frame.filter(known), values[known.to_numpy()]
    groups = tuple(in_natural_order(frame.get_column("group").unique()))
    if not groups:
        raise UsageError(f"by={by}: no session has a value in this column; {_choice(_comparable(source))}")
    if by in KEYS:  # what is compared cannot be held constant at the same time
        frame = frame.with_columns(pl.lit(None, pl.String).alias(by))
    if not 2 <= len(groups) <= MOST_GROUPS:
        listed = f": {groups[0]!r}" if len(groups) == 1 else ""
        many = f"{counted(len(groups), 'value')}{listed}"
        advice = f"2 to {MOST_GROUPS}, such as system_id"
        if len(groups) > MOST_GROUPS and pl.Series(groups).cast(pl.Float64, strict=False).is_not_null().all():
            advice += "; of numbers cut=3 of compare makes three groups of similar size, and correlate needs no groups"
        raise UsageError(f"by={by}: the sessions have {many}; a comparison needs a column with {advice}")
    return GroupedSessions(
        frame,
        values,
        texts,
        groups,
        by,
        unknown,
        within,
        directions=directions,
        equivalence=equivalence,
        cut=cut is not None,
    )


def every_session(
    study: Study, measures: str | Measure | Sequence[str | Measure], by: str, memory: str | int | None = None
) -> GroupedSessions:
    """Score a study and name every session's group, to describe groups that are not compared, however many they are.

    Sessions whose group is unknown are the group `UNNAMED`. The errors are those of `sessions_of`, but for the number of groups.
    """
    frame, values, texts = _scored(study, measures, (by,), memory, None)
    frame = frame.with_columns(pl.col("group").fill_null(UNNAMED))
    groups = tuple(in_natural_order(frame.get_column("group").unique()))
    return GroupedSessions(frame, values, texts, groups, by, 0)


def _with_cut(frame: pl.DataFrame, by: str, within: str | None, cut: int) -> pl.DataFrame:
    """Cut the column of numbers that is to be cut: ``within``, if it holds numbers; else the one that makes the groups.

    Both are cut where ``within`` holds numbers and the groups are numbers of too many values to be compared.
    """
    if within is None:
        return frame.with_columns(_cut(frame.get_column("group"), f"by={by}", cut))
    groups, levels = frame.get_column("group"), frame.get_column(LEVEL)
    if not _holds_numbers(levels):
        if not _holds_numbers(groups):
            raise UsageError(f"cut={cut} is for numbers, and neither within={within} nor by={by} holds only numbers")
        return frame.with_columns(_cut(groups, f"by={by}", cut))
    frame = frame.with_columns(_cut(levels, f"within={within}", cut))
    if groups.n_unique() > MOST_GROUPS and _holds_numbers(groups):
        frame = frame.with_columns(_cut(groups, f"by={by}", cut))
    return frame


def _holds_numbers(column: pl.Series) -> bool:
    """Whether a column holds numbers, or texts of numbers, and nothing else."""
    try:
        return numbers(column).count() > 0
    except DataError:
        return False


def _cut(values: pl.Series, option: str, cut: int) -> pl.Series:
    """Name the groups that a column of numbers is cut into by what they range over; equal numbers are never parted.

    >>> _cut(pl.Series("group", ["1", "2", "2", "3", "10", None]), "by=age", 2).to_list()
    ['1 to 2', '1 to 2', '1 to 2', '3 to 10', '3 to 10', None]
    """
    if isinstance(cut, bool) or not isinstance(cut, int) or not 2 <= cut <= MOST_CUT:
        raise UsageError(f"cut must be a whole number of groups from 2 to {MOST_CUT}, not {cut!r}")
    try:
        value = numbers(values.alias(option.partition("=")[2]))
    except DataError as error:
        raise UsageError(f"cut={cut} is for numbers: {error}") from None
    known = value.drop_nulls().sort()
    # a number belongs to the group in which the middle of its equals stands
    middle = known.rank("average") - 0.5
    place = pl.DataFrame({"value": known, "place": (middle * cut / max(len(known), 1)).floor().cast(pl.Int64)}).unique()
    ends = place.group_by("place").agg(low=pl.col("value").min(), high=pl.col("value").max()).sort("place")
    if 2 <= len(ends) < cut:
        many = f"{len(ends)} groups, not {cut}"
        warn(f"{option} is cut into {many}, as equal numbers stay together")
    if len(ends) < 2:
        raise UsageError(
            f"{option} cannot be cut into {cut} groups: the sessions have {counted(known.n_unique(), 'value')}"
        )
    low, high = _short("low"), _short("high")
    named = ends.select("place", name=pl.when(low == high).then(low).otherwise(pl.format("{} to {}", low, high)))
    names = place.join(named, on="place").select("value", "name")
    return (
        value.alias("value")
        .to_frame()
        .join(names, on="value", how="left", maintain_order="left")["name"]
        .alias(values.name)
    )


def _short(name: str) -> pl.Expr:
    """A number as text, without a fraction that is 0."""
    return pl.col(name).cast(pl.String).str.replace(r"\.0$", "")


def outcome_remarks(source: Study | Frame, by: str) -> list[Remark]:
    """Say that groups are made by what came of the sessions, where that is known: the study says which of its values are better.

    Columns of users are not of their sessions; of a table of scores nothing is known.
    """
    if not isinstance(source, Study) or by not in source.columns("sessions"):
        return []
    if by not in source.settings.better and by not in AFTERWARDS:
        return []
    what = "ratings" if by in source.settings.better else "durations"
    brief = f"{by} comes from the sessions, as {what} do, and was not assigned before them"
    return [Remark("not_assigned", brief, {"column": by, "what": what}, ": a difference does not show what causes it")]


def sessions_task(study: Study, measures: str | Measure | Sequence[str | Measure]) -> Reduction:
    """What `sessions_of` asks of a study."""
    return score_task(study, session_measures(study, measures), per="session")


def _scored(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    columns: Sequence[str],
    memory: str | int | None,
    cache: str | PathLike[str] | None,
) -> tuple[pl.DataFrame, np.ndarray, tuple[str, ...]]:
    """Score a study per session; the sessions, their values and the measures' texts."""
    _require(columns, grouping_columns(study))
    asked = session_measures(study, measures)
    scores = score(study, asked, per="session", memory=memory, cache=cache)
    texts = tuple(map(str, asked))
    values = scores.get_column("value").to_numpy().reshape(-1, len(texts))
    first = scores.select(*KEYS, "system_id").gather_every(len(texts))
    order = [ORDER] if ORDER in study.columns("sessions") else []
    wanted = [name for name in dict.fromkeys((*columns, *order)) if name not in first.columns]
    if wanted:
        more = sessions_with(study, wanted).select("session_id", *wanted).collect()
        first = first.join(more, on="session_id", how="left", maintain_order="left")
    return _named(first, columns), values, texts


def _given(
    scores: pl.DataFrame, measures: str | Measure | Sequence[str | Measure] | None, columns: Sequence[str]
) -> tuple[pl.DataFrame, np.ndarray, tuple[str, ...]]:
    """Take a table of scores per session; the sessions, their values and the measures' texts."""
    asked = [] if measures is None else [*dict.fromkeys(map(str, list_measures(measures)))]
    named = {text: column_of(text, scores.columns) for text in asked}
    groups = [name for name in grouping_columns(scores) if name not in named.values()]
    if asked and ("measure" not in scores.columns or None not in named.values()):
        scores = _long(scores, named, columns)
    missing = [name for name in ("session_id", "measure", "value") if name not in scores.columns]
    if missing:
        msg = f"scores have no {' and no '.join(missing)}; compare takes the table of sk.score(study, ..., per='session'), or a study"
        raise UsageError(msg)
    if "query_position" in scores.columns:
        msg = "these are scores per query; compare sessions: sk.score(study, 'mean(nDCG@10)', per='session')"
        raise UsageError(msg)
    _require(columns, groups)
    there = scores.get_column("measure").unique(maintain_order=True).to_list()
    texts = tuple(dict.fromkeys(_known(text, there) for text in asked or there))
    own = [name for name in dict.fromkeys((*KEYS, *columns, ORDER)) if name in scores.columns]
    keys = list(dict.fromkeys(("session_id", columns[0])))
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
    return _named(wide.drop(texts), columns), values, texts


def _known(measure: str, there: Sequence[str]) -> str:
    """The measure among those of a table of scores, of a measure of queries its mean."""
    for text in (measure, f"mean({measure})"):
        if text in there:
            return text
    raise UsageError(
        f"the scores have no measure {measure!r}; they have {', '.join(there[:20])}{suggestion(measure, there)}"
    )


def _long(scores: pl.DataFrame, named: Mapping[str, str | None], by: Sequence[str]) -> pl.DataFrame:
    """Take a table with one row per session and a column for each measure as one with a row for each measure."""
    values = []
    for measure, column in named.items():
        if column is None:
            listed = ", ".join(scores.columns[:40])
            msg = f"the scores have no column {measure!r}; they have {listed}{suggestion(measure, scores.columns)}"
            raise UsageError(msg)
        mean = column == f"mean({measure})"
        values.append(numbers(scores.get_column(column)).alias(column if mean else measure))
    names = [column.name for column in values]
    beside = [name for name in dict.fromkeys((*KEYS, *by, ORDER)) if name in scores.columns and name not in names]
    return scores.select(beside).hstack(values).unpivot(on=names, index=beside, variable_name="measure")


def column_of(measure: str, columns: Sequence[str]) -> str | None:
    """The column of a table with one row per session in which a measure stands; None where there is none.

    Of a measure of queries that is also the column of its mean, of column(NAME) the one of that name.

    >>> column_of("nDCG@10", ["session_id", "mean(nDCG@10)"]), column_of("column(age)", ["age"]), column_of("Queries", ["age"])
    ('mean(nDCG@10)', 'age', None)
    """
    try:
        own = parse_measure(measure).of_sessions
    except MeasureError:
        own = ()
    return next((name for name in (*own, measure, f"mean({measure})") if name in columns), None)


def _named(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the keys of sessions as text, their group and, where there is one, level and place in the user's study."""
    for option, column in zip(("by", "within"), columns, strict=False):
        if frame.schema[column].is_nested():
            raise UsageError(
                f"{option}={column}: the column holds lists, which make no groups; name a column of single values"
            )
    order = [pl.col(ORDER).cast(pl.Int64)] if ORDER in frame.columns and columns[0] != ORDER else []
    level = [pl.col(column).alias(LEVEL) for column in columns[1:]]
    return frame.select(pl.col(KEYS).cast(pl.String), pl.col(columns[0]).cast(pl.String).alias("group"), *order, *level)


def _require(columns: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that do not exist: the one that makes groups, and the one within which they are compared."""
    for option, column in zip(("by", "within"), columns, strict=False):
        if column not in known:
            raise no_column(column, known, option)


def no_column(column: str, known: Sequence[str], option: str = "by") -> UsageError:
    """Build the error for a grouping column that does not exist."""
    if not isinstance(column, str):
        return UsageError(f"{option} takes one column here, such as system_id, not {column!r:.80}")
    if "," in column and all(name in known for name in columns_of(column, known)):
        return UsageError(
            f"{option}={column} names several columns, and groups are compared by one; the other may be within="
        )
    return UsageError(
        f"{option}={column}: no such column to group sessions by; {_choice(known)}{untold(column, known)}"
    )


def require_free(column: str, taken: Collection[str], option: str = "by") -> None:
    """Refuse a column that is called as one of the tables' own."""
    if isinstance(column, str) and column in taken:
        raise UsageError(
            f"{option}={column}: the tables already have a column of that name; rename the log's column in study.toml"
        )


def grouping_columns(source: Study | Frame) -> list[str]:
    """Columns by which sessions may be grouped."""
    of_study = isinstance(source, Study)
    names = session_columns(source) if of_study else as_polars(source, "scores").collect_schema().names()
    return [name for name in dict.fromkeys(names) if name not in ("session_id", "measure", "value", "judged")]


def _comparable(source: Study | Frame) -> list[str]:
    """Columns that make groups which can be compared: of several values that are not too many, or of numbers, by cut."""
    names = [name for name in grouping_columns(source) if name not in NAMES]
    if isinstance(source, Study):
        of_sessions = [name for name in names if name in source.columns("sessions")]
        of_users = source.users.select(pl.exclude("user_id", *of_sessions)).collect()
        tables = [source.sessions.select(of_sessions).collect(), of_users]
    else:
        tables = [as_polars(source, "scores").select(names).collect()]
    found = []
    for column in (column for table in tables for column in table if not column.dtype.is_nested()):
        many = column.drop_nulls().n_unique()
        if 2 <= many <= MOST_GROUPS:
            found.append(column.name)
        elif many > MOST_GROUPS and column.dtype.is_numeric():
            found.append(f"{column.name} (with cut=2)")
    return found


def _choice(names: Sequence[str]) -> str:
    """Say what there is to choose from."""
    return (
        f"choose from {', '.join(names)}"
        if names
        else "there is no other column that could be compared; add one to the sessions or the scores"
    )


GROUPS = pl.Schema(
    {
        **dict.fromkeys(("measure", "group"), pl.String()),
        **dict.fromkeys(("sessions", "units"), pl.Int64()),
        **dict.fromkeys(("mean", "low", "high", "sd"), pl.Float64()),
    }
)
"""Means, where ``group`` stands for the column that makes the groups."""
UNIT_COLUMN = {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}
"""The column that names the units of a claim."""


def means_of_groups(sessions: GroupedSessions, population: str, alpha: float) -> pl.DataFrame:
    """Return each group's mean over its sessions by each measure, with an interval over the units of the claim.

    The standard error adds up residuals within each unit before it squares them (Liang and Zeger 1986, with G / (G - 1)), so
    that several sessions of one user count as one user's; with one session per unit it is that of Student's t.

    Parameters
    ----------
    sessions
        The sessions, with their values.
    population
        ``"users"``, ``"topics"`` or ``"sessions"``: the units of the claim. A session of no known unit is a unit by itself.
    alpha
        Error rate of each interval, of itself.

    Returns
    -------
    polars.DataFrame
        ``measure``, the column that makes the groups, ``sessions`` and ``units`` with a value, ``mean``, its interval ``low``
        to ``high`` (null with fewer than two units), ``sd`` of the values of sessions around their group's mean (null of
        fewer than two).
    """
    from scipy import special

    named = pl.coalesce(
        pl.col(UNIT_COLUMN[population]).cast(pl.String), pl.lit("\0") + pl.col("session_id").cast(pl.String)
    )
    units = sessions.frame.select(named.rank("dense")).to_series().to_numpy().astype(np.int64)
    groups = sessions.frame.get_column("group").to_numpy()
    rows: list[tuple[str, str, int, int, float | None, float | None, float | None, float | None]] = []
    for number, measure in enumerate(sessions.measures):
        column = sessions.values[:, number]
        for group in sessions.groups:
            chosen = (groups == group) & np.isfinite(column)
            values = column[chosen]
            _, unit = np.unique(units[chosen], return_inverse=True)
            n, many = len(values), int(unit.max()) + 1 if len(values) else 0
            if not n:
                rows.append((measure, group, 0, 0, None, None, None, None))
                continue
            mean = float(values.mean())
            sd = float(values.std(ddof=1)) if n > 1 else None
            low = high = None
            if many > 1:
                sums = np.bincount(unit, values - mean, many)
                error = math.sqrt(many / (many - 1) * float(sums @ sums)) / n
                reach = float(special.stdtrit(many - 1, 1 - alpha / 2)) * error
                low, high = mean - reach, mean + reach
            rows.append((measure, group, n, many, mean, low, high, sd))
    return pl.DataFrame(rows, schema=GROUPS, orient="row").rename({"group": sessions.by})


def with_pooled_sd(table: pl.DataFrame, groups: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return a table of pairs with ``sd``: the spread of sessions around the means of both groups, pooled.

    Parameters
    ----------
    table
        A row per pair, with ``measure``, ``a``, ``b``; null where neither group has two sessions.
    groups
        The groups by themselves, see `means_of_groups`, and the level of each where there are levels.
    by
        The column that makes the groups.
    """
    keys = [name for name in groups.columns if name != by and name not in set(GROUPS) - {"group"}]
    free = pl.max_horizontal(pl.col("sessions") - 1, 0)
    squares = pl.col("sd").fill_null(0.0) ** 2 * free
    for side in "ab":
        of_side = groups.select(
            *keys, "measure", pl.col(by).alias(side), free.alias(f"_free_{side}"), squares.alias(f"_squares_{side}")
        )
        table = table.join(of_side, on=[*keys, "measure", side], how="left", nulls_equal=True, maintain_order="left")
    degrees = pl.col("_free_a") + pl.col("_free_b")
    pooled = ((pl.col("_squares_a") + pl.col("_squares_b")) / degrees).sqrt()
    return table.with_columns(sd=pl.when(degrees > 0).then(pooled)).drop("^_(free|squares)_[ab]$")
