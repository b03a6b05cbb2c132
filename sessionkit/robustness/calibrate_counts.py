"""How far searchers looked, counted by unit from clicks, marks or time; and the observed examination of ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import Signal, SignalChoice
from sessionkit.display.numbers import counted, listed
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import run
from sessionkit.statistics.findings import SESSIONS, Finding
from sessionkit.statistics.paper_tables import chosen_columns, interval_heading
from sessionkit.study import Study
from sessionkit.study.counts import CLICKING, was_clicked

Numbers = np.ndarray[Any, np.dtype[np.float64]]
PLACES = {"unit": pl.UInt64, "query_position": pl.Int64, "rank": pl.Int64, "ended": pl.Boolean, "many": pl.Int64}
"""Columns of `Counted.lists`: lists that were looked at down to a rank; of `Counted.sessions` with the rank left out."""


@dataclass(frozen=True)
class Stops:
    """How many stopped and how many ended at each place, of every draw (one row, or one per draw).

    Parameters
    ----------
    ranks, positions
        Deepest rank of lists and their query position, one entry per cell.
    list_stops, list_ends
        Lists of each cell that were left there, and that ended there; (draws, cells).
    lasts
        Last query position of sessions, one entry per cell.
    session_stops, session_ends
        Sessions of each such cell, in the same way.
    """

    ranks: Numbers
    positions: Numbers
    list_stops: Numbers
    list_ends: Numbers
    lasts: Numbers
    session_stops: Numbers
    session_ends: Numbers


@dataclass(frozen=True, eq=False)
class LookCounts:
    """What was observed.

    Parameters
    ----------
    lists
        ``unit``, ``query_position``, ``rank`` (how deep the list was looked at), ``ended``, ``many``.
    sessions
        ``unit``, ``query_position`` (of the last query), ``ended``, ``many``.
    clicks
        ``unit``, ``query_position``, ``rank``, ``many``: what was clicked, where only that is asked for; None where lists
        and sessions say what was looked at.
    units
        What is drawn for intervals: ``"users"``, ``"sessions"``, or ``""`` where there is nothing to draw.
    statements
        What was counted and by which rules.
    """

    lists: pl.DataFrame
    sessions: pl.DataFrame
    clicks: pl.DataFrame | None = None
    units: str = ""
    statements: tuple[Statement, ...] = ()

    @cached_property
    def unit_codes(self) -> pl.Series:
        """The units, in order."""
        frames = [self.lists, self.sessions, *([self.clicks] if self.clicks is not None else [])]
        return pl.concat([frame.get_column("unit") for frame in frames]).unique().sort()

    @cached_property
    def ranks(self) -> int:
        """The deepest rank that was looked at."""
        frame = self.lists if self.clicks is None else self.clicks
        return _largest(frame, "rank")

    @cached_property
    def queries(self) -> int:
        """The last query position that was reached."""
        frame = self.sessions if self.clicks is None else self.clicks
        return _largest(frame, "query_position")

    def limited(self, ranks: int | None, queries: int | None) -> LookCounts:
        """The same, as far as these places: what reached one of them ends there.

        Lists of later queries stay: they say how deep lists are looked at.
        """

        def cut(frame: pl.DataFrame, column: str, limit: int | None) -> pl.DataFrame:
            if limit is None or column not in frame.columns:
                return frame
            ended = [(pl.col("ended") | (pl.col(column) >= limit)).alias("ended")] if "ended" in frame.columns else []
            return frame.with_columns(*ended, pl.col(column).clip(upper_bound=limit))

        clicks = self.clicks
        if clicks is not None:
            within = [pl.col(name) <= limit for name, limit in (("rank", ranks), ("query_position", queries)) if limit]
            clicks = clicks.filter(*within)
        return replace(
            self,
            lists=_summed(cut(self.lists, "rank", ranks)),
            sessions=_summed(cut(self.sessions, "query_position", queries)),
            clicks=clicks,
        )

    def stops(self, *, by_position: bool) -> tuple[Stops, Stops]:
        """Stops and ends of all units together (one row) and of each unit (a row each).

        Parameters
        ----------
        by_position
            Whether lists are told apart by query position; if not, they all stand at position 1.
        """
        return self._placed_stops if by_position else self._stops

    @cached_property
    def _placed_stops(self) -> tuple[Stops, Stops]:
        """Stops with lists told apart by query position."""
        return self._stops_of(self.lists)

    @cached_property
    def _stops(self) -> tuple[Stops, Stops]:
        """Stops with all lists at position 1."""
        return self._stops_of(_summed(self.lists.with_columns(query_position=pl.lit(1, pl.Int64))))

    def _stops_of(self, lists: pl.DataFrame) -> tuple[Stops, Stops]:
        """Stops of these lists and of the sessions."""
        cells, list_stops, list_ends = self._cells(lists, ["rank", "query_position"])
        lasts, session_stops, session_ends = self._cells(self.sessions, ["query_position"])
        each = Stops(
            cells["rank"].to_numpy().astype(np.float64),
            cells["query_position"].to_numpy().astype(np.float64),
            list_stops,
            list_ends,
            lasts["query_position"].to_numpy().astype(np.float64),
            session_stops,
            session_ends,
        )
        return drawn(each, np.ones((1, len(self.unit_codes)))), each

    def looked(self) -> Numbers:
        """How often each rank of each query position was looked at: (ranks, query positions)."""
        return self._looked

    @cached_property
    def _looked(self) -> Numbers:
        """The looks of all units."""
        return self._grid(None).sum(axis=0)

    def looked_by_unit(self) -> Numbers:
        """The same of every unit: (units, ranks, query positions)."""
        return self._grid(self.unit_codes)

    def _grid(self, codes: pl.Series | None) -> Numbers:
        """Lists that came to each rank and position, or clicks there."""
        frame = self.lists if self.clicks is None else self.clicks
        frame = frame.filter(pl.col("query_position") <= self.queries)
        rows = len(codes) if codes is not None else 1
        made = np.zeros((rows, self.ranks, self.queries))
        row = _row(frame, codes) if codes is not None else np.zeros(len(frame), dtype=np.int64)
        at = (row, frame["rank"].to_numpy() - 1, frame["query_position"].to_numpy() - 1)
        np.add.at(made, at, frame["many"].to_numpy())
        if self.clicks is not None:
            return made
        return np.ascontiguousarray(made[:, ::-1, :].cumsum(axis=1)[:, ::-1, :])

    def _cells(self, frame: pl.DataFrame, by: list[str]) -> tuple[pl.DataFrame, Numbers, Numbers]:
        """The distinct places, and how many of each unit stopped and ended there."""
        cells = frame.select(by).unique().sort(by)
        place = frame.join(cells.with_row_index("cell"), on=by, maintain_order="left")
        made = np.zeros((2, len(self.unit_codes), len(cells)))
        at = (place["ended"].cast(pl.Int64).to_numpy(), _row(place, self.unit_codes), place["cell"].to_numpy())
        np.add.at(made, at, place["many"].to_numpy())
        return cells, made[0], made[1]


def drawn(each: Stops, weights: Numbers) -> Stops:
    """Stops of each unit added up, each unit as often as a draw has it: (draws, units) weights."""
    counts = ("list_stops", "list_ends", "session_stops", "session_ends")
    return replace(each, **{name: weights @ getattr(each, name) for name in counts})


def _summed(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of one place as one."""
    keys = [name for name in frame.columns if name != "many"]
    return frame.group_by(keys).agg(pl.col("many").sum()).sort(keys)


def _row(frame: pl.DataFrame, codes: pl.Series) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Row number of the unit of every row."""
    return np.searchsorted(codes.to_numpy(), frame["unit"].to_numpy()).astype(np.int64)


def _largest(frame: pl.DataFrame, column: str) -> int:
    """The largest place, at least 1."""
    largest = frame.filter(pl.col("many") > 0).get_column(column).max()
    return int(largest) if isinstance(largest, int) else 1


MOST_UNITS = 2_000
"""Users beyond this many are drawn in so many groups, into which their ids are spread."""
SCHEMA = {"what": pl.String, **PLACES}
KEYS = [name for name in SCHEMA if name != "many"]
PRIME, BASIS = np.uint64(0x100000001B3), np.uint64(0xCBF29CE484222325)
"""Of the Fowler-Noll-Vo hash (FNV-1a, 64 bits)."""


@dataclass(frozen=True)
class Counting:
    """The task of counting; see the rules above.

    Parameters
    ----------
    signal, min_dwell, unmarked, cut_short
        As `sessionkit.calibrate` has them.
    units
        ``"users"`` or ``"sessions"``.
    have
        The columns of sessions and of results.
    """

    signal: str
    min_dwell: float
    unmarked: str
    cut_short: str | None
    units: str
    have: tuple[tuple[str, ...], tuple[str, ...]]

    def columns(self) -> Mapping[str, Sequence[str]]:
        """Users, what ended sessions, and the signal."""
        sessions = ["user_id", *([self.cut_short] if self.cut_short else [])]
        results = [name for name in COLUMNS[self.signal] if name in self.have[1]]
        return {"sessions": sessions, "results": results}

    @property
    def slots(self) -> int:
        """Queries make no rows beside their own."""
        return 1

    @property
    def columns_made(self) -> int:
        """Columns of numbers made of the results."""
        return 2

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts of some sessions."""
        unit = self._units(batch)
        queries = batch.queries.with_columns(unit=unit.gather(batch.queries["session"])).filter("logged")
        results = batch.results.select("query", "rank", shown=shows(self.signal, batch.results.columns, self.min_dwell))
        depths = results.group_by("query").agg(
            end=pl.col("rank").max().cast(pl.Int64),
            seen=pl.col("rank").filter("shown").max().cast(pl.Int64),
            others=(~pl.col("shown")).any(),
        )
        sessions = self._sessions(batch, queries)
        lists = queries.join(depths, on="query").join(sessions.select("session", "last", "cut"), on="session")
        partly = (pl.col("results_status") == "partly_observed") & ~pl.col("others")
        at_end = (pl.col("seen").fill_null(1) >= pl.col("end")) & ~partly
        cut = pl.col("cut") & (pl.col("query_position") == pl.col("last"))
        lists = lists.with_columns(ended=at_end | cut, marked=pl.col("seen").is_not_null())
        kept = lists if self.unmarked == "first" else lists.filter("marked")
        parts = [
            _rows("list", kept.with_columns(rank=pl.col("seen").fill_null(1))),
            _rows("session", sessions.rename({"last": "query_position"})),
            _rows("unmarked", lists.filter(~pl.col("marked")).select("query_position")),
            _rows("bare", queries.join(depths, on="query", how="anti").select("query_position")),
            _rows("left", sessions.filter(pl.col("ended") & ~pl.col("cut")).select(query_position="last")),
            _rows("cut", sessions.filter("cut").select(query_position="last")),
        ]
        if self.signal == "clicks":
            place = queries.select("query", "unit", "query_position")
            parts.append(_rows("click", results.filter("shown").join(place, on="query")))
        return self.added(parts)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Counts of several parts."""
        return pl.concat(parts).group_by(KEYS).agg(pl.col("many").sum()).sort(KEYS)

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Counts of all sessions."""
        return self.added([pl.DataFrame(schema=SCHEMA), *parts])

    def _sessions(self, batch: SessionBatch, queries: pl.DataFrame) -> pl.DataFrame:
        """The last logged query of every session that has one, and whether the session ended or stopped there."""
        beyond = batch.queries.filter(~pl.col("logged")).group_by("session").agg(far=pl.col("query_position").max())
        found = queries.group_by("session").agg(pl.col("unit").first(), last=pl.col("query_position").max())
        found = found.join(beyond, on="session", how="left")
        cut = pl.lit(value=False)
        if self.cut_short is not None:
            told = batch.features.get_column(self.cut_short).gather(found["session"])
            cut = pl.lit(told.cast(pl.Boolean).fill_null(value=False))
        went_on = (pl.col("far") > pl.col("last")).fill_null(value=False)
        return found.with_columns(cut=cut).with_columns(ended=went_on | pl.col("cut"))

    def _units(self, batch: SessionBatch) -> pl.Series:
        """Number of the user, or session, of every session: the hash of its id."""
        own = batch.sessions["session_id"].cast(pl.String)
        if self.units == "sessions":
            return _hashed(own, b"s")
        users = batch.features.get_column("user_id").cast(pl.String)
        known = users.is_not_null()
        return pl.select(
            pl.when(known).then(_hashed(users.fill_null(""), b"u")).otherwise(_hashed(own, b"s"))
        ).to_series()


def observed(study: Study, task: Counting, memory: str | int | None, reason: str) -> LookCounts:
    """Count what a study shows, batch by batch.

    Parameters
    ----------
    reason
        Why users, or sessions, are the units: one of `RESAMPLED`.
    """
    if task.cut_short is not None:
        _require_flag(study, task.cut_short)
    (counts,) = run(study, [task], memory)
    grouped = counts.get_column("unit").n_unique() > MOST_UNITS
    if grouped:
        counts = task.added([counts.with_columns(pl.col("unit") % MOST_UNITS)])
    of = {what: frame.drop("what") for (what,), frame in counts.partition_by("what", as_dict=True).items()}
    none = pl.DataFrame(schema=PLACES)
    lists, sessions = of.get("list", none), of.get("session", none).drop("rank")
    if lists.is_empty():
        msg = "no list of this log shows how far it was looked at; unmarked=first counts such lists down to rank 1"
        raise DataError(msg)
    many = {what: int(of[what]["many"].sum()) if what in of else 0 for what in ("unmarked", "bare", "left", "cut")}
    clicks = of.get("click", none).drop("ended") if task.signal == "clicks" else None
    units = f"{task.units}, in {MOST_UNITS:,} groups" if grouped else task.units
    return LookCounts(lists, sessions, clicks, units, _state_counts(task, lists, sessions, many, reason))


RESAMPLED = {
    "users": "whole users",
    "several_sessions": "whole users, since users have several sessions, which are not independent",
    "sessions": "sessions, as if they were independent",
    "one_session_each": "sessions: no user has several",
    "no_users": "sessions: the log names no users",
}
"""What intervals resample, by why it is that."""


def _state_counts(
    task: Counting, lists: pl.DataFrame, sessions: pl.DataFrame, many: Mapping[str, int], reason: str
) -> tuple[Statement, ...]:
    """Say what was counted, by which rules."""
    n_lists, n_sessions = int(lists["many"].sum()), int(sessions["many"].sum())
    sign = WORDS[task.signal] + (
        f" for at least {task.min_dwell:g} s" if task.signal == "dwell" and task.min_dwell else ""
    )
    of = f"{counted(n_lists, 'list')} of {counted(n_sessions, 'session')}"
    values: dict[str, Value] = {
        "signal": task.signal,
        "min_dwell": task.min_dwell,
        "unmarked": task.unmarked,
        "looks": None,
        "lists": n_lists,
        "sessions": n_sessions,
        "without": many["unmarked"],
    }
    intervals = Statement("intervals", f"Intervals resample {RESAMPLED[reason]}.", {"reason": reason})
    if task.signal == "clicks":
        text = (
            f"Counted: every result that was {sign}, in {of}. Clicks do not show how far searchers looked, so there is "
            "no stopping likelihood: TSE and KL only (signal=last_click has one)."
        )
        return Statement("counts", text, values), intervals
    without = "counts as looked at down to rank 1" if task.unmarked == "first" else "is left out"
    text = (
        f"Counted: {of}, each looked at down to the deepest result that was {sign}; a list without any {without} "
        f"({counted(many['unmarked'], 'list')})."
    )
    statements = [
        Statement("counts", text, values),
        _state_censored(task, int(lists.filter("ended")["many"].sum()), many),
    ]
    if task.signal in ("last_click", "dwell"):
        text = "Searchers also look below their clicks: the shares that reach a rank are lower bounds."
        statements.append(Statement("caution", text, {"signal": task.signal}))
    if many["bare"]:
        text = f"{counted(many['bare'], 'query')} without a result: the position counts as reached, without a depth."
        statements.append(Statement("without_results", text, {"queries": many["bare"]}))
    return (*statements, intervals)


def _state_censored(task: Counting, n_ended: int, many: Mapping[str, int]) -> Statement:
    """Say how many lists and sessions ended otherwise than by the searcher's choice."""
    text = (
        f"Censored: {counted(n_ended, 'list')} that searchers looked at to the end"
        + (f", {counted(many['left'], 'session')} that continued beyond the log" if many["left"] else "")
        + (f", {counted(many['cut'], 'session')} cut short ({task.cut_short})" if many["cut"] else "")
        + ". Every other list and session is assumed to end by the searcher's choice."
    )
    values = {"lists": n_ended, "continued": many["left"], "cut_short": many["cut"], "column": task.cut_short}
    return Statement("censored", text, values)


def _rows(what: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of one kind, counted by place."""
    missing = {"unit": pl.lit(0, pl.UInt64), "rank": pl.lit(0, pl.Int64), "ended": pl.lit(value=False)}
    frame = frame.with_columns(
        what=pl.lit(what), **{name: one for name, one in missing.items() if name not in frame.columns}
    )
    keys = [pl.col(name).cast(SCHEMA[name]) for name in KEYS]
    return frame.select(keys).group_by(KEYS).agg(many=pl.len().cast(pl.Int64))


def _require_flag(study: Study, column: str) -> None:
    """Refuse a column that does not say of sessions whether they were cut short."""
    have = study.columns("sessions")
    if column not in have:
        msg = f"cut_short={column}: the sessions have no such column; they have {', '.join(have)}{suggestion(column, have)}"
        raise UsageError(msg)
    dtype = study.sessions.collect_schema()[column]
    if dtype != pl.Boolean:
        msg = (
            f"cut_short={column}: the column is {dtype}; it must be true or false, true where the session was cut short"
        )
        raise UsageError(msg)


def _hashed(ids: pl.Series, salt: bytes) -> pl.Series:
    """A number of 64 bits for each id, the same on every platform.

    >>> _hashed(pl.Series(["a", "b", "a"]), b"u").n_unique()
    2
    """
    texts = ids.unique().sort()
    raw = np.array([], dtype="S1") if texts.is_empty() else np.char.encode(texts.to_numpy().astype(str), "utf-8")
    letters = raw.view(np.uint8).reshape(len(raw), -1) if len(raw) else np.zeros((0, 1), dtype=np.uint8)
    made = np.full(len(raw), BASIS ^ np.uint64(salt[0]))
    for letter in letters.T:
        made = np.where(letter > 0, (made ^ letter.astype(np.uint64)) * PRIME, made)
    return ids.replace_strict(texts, pl.Series(made), return_dtype=pl.UInt64)


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


TEXT, WHOLE, NUMBER, FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
OF = {"model": TEXT, "form": TEXT, "criterion": TEXT}
PARAMETERS = pl.Schema(
    {**OF, "parameter": TEXT, "estimate": NUMBER, "low": NUMBER, "high": NUMBER, "interval": TEXT}
    | {"profile_low": NUMBER, "profile_high": NUMBER, "identified": FLAG, "note": TEXT}
)
FITS = pl.Schema(
    {**OF, "measure": TEXT, "ranks": WHOLE, "queries": WHOLE, "log_likelihood": NUMBER, "aic": NUMBER}
    | {
        "TSE": NUMBER,
        "TAE": NUMBER,
        "KL": NUMBER,
        "reach_rank_2": NUMBER,
        "reach_query_2": NUMBER,
        "depends_on_grid": FLAG,
    }
)
EXPECTED = pl.Schema(
    {"model": TEXT, "criterion": TEXT, "rank": WHOLE, "query_position": WHOLE, "observed": WHOLE, "expected": NUMBER}
)
GRIDS = pl.Schema(
    {"model": TEXT, "criterion": TEXT, "ranks": WHOLE, "queries": WHOLE, "parameter": TEXT, "estimate": NUMBER}
    | {"reach_rank_2": NUMBER, "reach_query_2": NUMBER}
)
EXAMINED = pl.Schema({"query_position": WHOLE, "rank": WHOLE, "looks": WHOLE, "lists": WHOLE, "share": NUMBER})


OF_FIT = {"model": "text of the model", "criterion": "what it was fitted by; null of all"}
REACHED = {
    "reach_rank_2": "share of lists that come to rank 2; null where it is not known",
    "reach_query_2": "share of sessions that come to query 2; null where it is not known",
}
WARNINGS = ("not_identified", "bounded", "depends_on_grid")
"""Kinds of statements that come first, as they can spoil all that follows."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Finding):
    """What `calibrate` found.

    Parameters
    ----------
    table
        ``model``, ``form`` (of the rank and the query discount), ``criterion`` (``likelihood``, ``TSE``, ``KL``),
        ``parameter``, ``estimate``, ``low``, ``high`` and their ``interval`` (its kind), ``profile_low`` and
        ``profile_high`` (as if lists and sessions were independent), ``identified`` and ``note``.
    fits
        A row per model and criterion: ``measure`` (text to score with; null where a parameter is not identified),
        ``ranks`` and ``queries`` (the grid), ``log_likelihood``, ``aic``, ``TSE``, ``TAE``, ``KL`` (bits) of these
        estimates, ``reach_rank_2`` and ``reach_query_2`` (the share of lists, and of sessions, that come there), and
        ``depends_on_grid``.
    expected
        ``model``, ``criterion``, ``rank``, ``query_position``, ``observed`` and ``expected`` looks.
    examined
        ``query_position``, ``rank``, ``looks`` (lists looked at down to this rank; of the signal clicks, clicks), ``lists`` (those
        that did not end before; of clicks all, of a table of clicks null) and ``share`` (Kaplan and Meier's, or clicks per list;
        null where it is unknown).
    grids
        ``model``, ``criterion``, ``ranks``, ``queries``, ``parameter``, ``estimate``, ``reach_rank_2``,
        ``reach_query_2``: the fit on this and other grids.
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    measures
        The fitted measures, of the stopping likelihood where there is one: ``sk.score(study, found.measures)``.
    signal, unmarked, min_dwell, ranks, queries, cut_short, units, confidence, draws, seed
        As given, or as settled.
    """

    table: pl.DataFrame
    fits: pl.DataFrame
    expected: pl.DataFrame
    examined: pl.DataFrame
    grids: pl.DataFrame
    statements: tuple[Statement, ...]
    measures: tuple[str, ...]
    signal: str
    unmarked: str
    min_dwell: float
    ranks: int | None
    queries: int | None
    cut_short: str | None
    units: str
    confidence: float
    draws: int
    seed: int
    KINDS: ClassVar = {
        "not_identified": Kind(
            "A parameter that the counts do not tell",
            {
                **OF_FIT,
                "parameter": "the parameter",
                "reason": "canceled: it cancels from the discount; flat: other values fit as well; open: its interval has no ends; "
                "lower_end, upper_end: it runs to that end of its range",
                "estimate": "the value at the end of the range; null for the other reasons",
                "one_query": "whether every session has one query",
            },
        ),
        "bounded": Kind(
            "A parameter of which the counts tell one limit only",
            {**OF_FIT, "parameter": "the parameter", "limit": "the limit that there is not: lower or upper"},
        ),
        "depends_on_grid": Kind(
            "A fit that changes with the grid of ranks and queries",
            {
                **OF_FIT,
                "grids": "ranks and queries of each grid, the largest first",
                "ranges": "by parameter the least and the largest estimate on these grids",
            },
        ),
        "counts": Kind(
            "What was counted",
            {
                "signal": "what shows that a result was looked at; counts: a table does",
                "min_dwell": "minimum dwell time in seconds; null of a table",
                "unmarked": "what a list without the signal counts as; null of a table",
                "looks": "looks in a table; null of a log",
                "lists": "number of lists; null of a table of clicks",
                "sessions": "number of sessions; null of a table of clicks",
                "without": "lists without the signal; null of a table",
            },
        ),
        "rising_counts": Kind(
            "Where counts of a table rise, so that they are no counts of who reached each place",
            {
                "looks": "looks in the table",
                "query_position": "the query position",
                "rank": "the rank",
                "count": "looks there",
                "before": "looks at the rank, or the query, before",
            },
        ),
        "censored": Kind(
            "What ended otherwise than by the searcher's choice",
            {
                "lists": "lists that searchers looked at to the end",
                "continued": "sessions that continued beyond the log",
                "cut_short": "sessions that were cut short",
                "column": "the column that tells these; null where none does",
            },
        ),
        "caution": Kind("The shares that reach a rank are lower bounds", {"signal": "the signal that was counted"}),
        "without_results": Kind("Queries without a result", {"queries": "number of queries"}),
        "intervals": Kind(
            "What intervals are of",
            {
                "reason": "why that is resampled: users, several_sessions, sessions, one_session_each, no_users; table: nothing is"
            },
        ),
        "observed": Kind("The shares that were seen to go on", REACHED),
        "fit": Kind(
            "A model fitted by the stopping likelihood",
            {
                "model": OF_FIT["model"],
                "form": "forms of its discounts",
                "parameters": "each with parameter, estimate, low, high and interval (its kind)",
                **REACHED,
            },
        ),
        "misfit": Kind(
            "Where a fit misses an observed share",
            {"model": OF_FIT["model"], "places": "the places: rank 2, query 2", "gap": "by more than this share"},
        ),
        "other_criteria": Kind(
            "Fits for comparison with the literature",
            {
                "count": "number of fits",
                "fits": "each with criterion, measure and distance; empty where there are too many to name",
            },
        ),
        "best_model": Kind(
            "Which of several models fits best",
            {
                "model": "the best; null where their likelihoods cannot be compared",
                "aic": "by model how much larger its AIC is",
            },
        ),
        "measures": Kind(
            "What to score with", {"measures": "texts of the fitted measures; empty where there are none"}
        ),
        "scope": Kind("What the discounts describe"),
        **SESSIONS,
    }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What cannot be told, and which fits depend on the grid; empty if all is well."""
        return tuple(statement.text for statement in self.of_kind(*WARNINGS))

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables that are shown, by name; ``expected`` and ``examined`` have too many rows for that."""
        return {"parameters": self.table, "fits": self.fits, "grids": self.grids}

    def paper_table(self) -> TextTable:
        """The parameters as papers print them, with their intervals."""
        several = [name for name in ("form", "criterion") if self.table[name].n_unique() > 1]
        intervals = listed(self.table["interval"].drop_nulls().unique(maintain_order=True).to_list() or ["none"])
        caption = f"Parameters of discounts, fitted to {self.signal}; intervals: {intervals}"
        unknown = self.table.filter(~pl.col("identified"))["parameter"].unique(maintain_order=True).to_list()
        note = f"Not identified: {listed(unknown)}." if unknown else None
        columns = ["model", *several, "parameter", "estimate", "low", "high"]
        headers, interval = {"estimate": "Estimate"}, interval_heading(self.confidence)
        return chosen_columns(caption, self.table, columns, headers=headers, note=note, interval=interval)


def examined(counts: LookCounts, ranks: int | None = None, queries: int | None = None) -> pl.DataFrame:
    """Return how many lists were looked at down to each rank, by query position.

    Parameters
    ----------
    counts
        What was observed.
    ranks, queries
        Last rank and query position; by default the deepest that was looked at.

    Returns
    -------
    polars.DataFrame
        ``query_position``, ``rank``, ``looks`` (lists that were looked at so far; clicks, where only these are counted),
        ``lists`` (those that did not end before; of clicks all lists), ``share``. The share is null where every list that came
        to the rank before ended there; the lists are null where a table counts clicks.
    """
    last, deepest = queries or math.inf, ranks or counts.ranks
    if counts.clicks is not None:
        return _clicked(counts.clicks, counts.lists, deepest, last)
    lists = counts.lists.group_by("query_position", "rank", "ended").agg(pl.col("many").sum())
    parts = [
        _of_position(frame, position, deepest)
        for (position,), frame in sorted(lists.partition_by("query_position", as_dict=True).items())
        if position <= last
    ]
    return pl.concat([pl.DataFrame(schema=EXAMINED), *parts])


def _of_position(lists: pl.DataFrame, position: object, ranks: int) -> pl.DataFrame:
    """The rows of one query position."""
    counts = np.zeros((2, max(ranks, int(lists["rank"].to_numpy().max())) + 1), dtype=np.int64)
    np.add.at(counts, (lists["ended"].cast(pl.Int64).to_numpy(), lists["rank"].to_numpy()), lists["many"].to_numpy())
    stops, ends = counts[0, 1:], counts[1, 1:]
    came = (stops + ends)[::-1].cumsum()[::-1]
    open_ = came - ends
    with np.errstate(invalid="ignore"):
        goes_on = 1 - stops / open_  # 0 / 0, where all ended, is not a number, and nor is any share after it
    share = np.concatenate([[1.0], goes_on.cumprod()[:-1]])
    share[np.logical_or.accumulate(share == 0)] = 0  # where nobody went on, nobody comes later
    before = came[0] - np.concatenate([[0], ends.cumsum()[:-1]])
    made = pl.DataFrame({"looks": came, "lists": before, "share": share}).head(ranks)
    places = {"query_position": pl.lit(position), "rank": pl.int_range(1, pl.len() + 1)}
    made = made.with_columns(pl.col("share").fill_nan(None), **places)
    return made.select(pl.col(name).cast(kind) for name, kind in EXAMINED.items())


def _clicked(clicks: pl.DataFrame, lists: pl.DataFrame, ranks: int, queries: float) -> pl.DataFrame:
    """Clicks at each rank as a share of all lists of the position; a table of clicks does not say how many these are."""
    keys = ["query_position", "rank"]
    looks = clicks.group_by(keys).agg(looks=pl.col("many").sum())
    known = lists.group_by("query_position").agg(lists=pl.col("many").sum())
    positions = pl.concat([looks.select("query_position"), known.select("query_position")]).unique()
    grid = positions.filter(pl.col("query_position") <= queries).join(
        pl.select(rank=pl.int_range(1, ranks + 1, dtype=pl.Int64)), how="cross"
    )
    made = grid.join(looks, on=keys, how="left").join(known, on="query_position", how="left").sort(keys)
    made = made.with_columns(pl.col("looks").fill_null(0)).with_columns(share=pl.col("looks") / pl.col("lists"))
    return made.select(pl.col(name).cast(kind) for name, kind in EXAMINED.items())
