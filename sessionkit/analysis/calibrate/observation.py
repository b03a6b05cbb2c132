"""Counts from a study: how deep each list was looked at, where each session stopped, and what ended them otherwise.

The rules, stated in every result:

- A list was looked at down to the deepest result that shows the signal; one without any down to rank 1, or it is left out.
- A list *ended* where the deepest such result is the last that it had: whether the searcher would have gone on is
  unknown. A list known only in part ended in the same way, unless nothing but such results is known of it (a log of
  clicks): it had more, and the searcher stopped.
- A session stopped after its last logged query. It *ended* there if the log shows that it went on (a later query whose
  list was not logged), or if the column `cut_short` says that something else ended it; then its last list ended too.
- Queries that returned nothing, or whose list was not logged, are positions that the session came to, without a depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.calibrate.counts import PLACES, LookCounts
from sessionkit.analysis.calibrate.examination_signals import COLUMNS, WORDS, shows
from sessionkit.display.words import counted
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import run
from sessionkit.study import Study

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


def observed(study: Study, task: Counting, memory: str | int | None, because: str) -> LookCounts:
    """Count what a study shows, batch by batch.

    Parameters
    ----------
    because
        Why users, or sessions, are the units.
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
    return LookCounts(lists, sessions, clicks, units, _told(task, lists, sessions, many, because))


def _told(
    task: Counting, lists: pl.DataFrame, sessions: pl.DataFrame, many: Mapping[str, int], because: str
) -> tuple[str, ...]:
    """What was counted, by which rules."""
    looked = int(lists["many"].sum())
    ended = int(lists.filter("ended")["many"].sum())
    sign = WORDS[task.signal] + (
        f" for at least {task.min_dwell:g} s" if task.signal == "dwell" and task.min_dwell else ""
    )
    of = f"{counted(looked, 'list')} of {counted(int(sessions['many'].sum()), 'session')}"
    if task.signal == "clicks":
        clicked = (
            f"Counted: every result that was {sign}, in {of}. Clicks do not show how far searchers looked, so there is "
            "no stopping likelihood: TSE and KL only (signal=last_click has one)."
        )
        return clicked, f"Intervals resample {because}."
    without = "counts as looked at down to rank 1" if task.unmarked == "first" else "is left out"
    lines = [
        f"Counted: {of}, each looked at down to the deepest result that was {sign}; a list without any {without} "
        f"({counted(many['unmarked'], 'list')}).",
        f"Censored: {counted(ended, 'list')} that searchers looked at to the end"
        + (f", {counted(many['left'], 'session')} that continued beyond the log" if many["left"] else "")
        + (f", {counted(many['cut'], 'session')} cut short ({task.cut_short})" if many["cut"] else "")
        + ". Every other list and session is assumed to end by the searcher's choice.",
    ]
    if task.signal in ("last_click", "dwell"):
        lines.append("Searchers also look below their clicks: the shares that reach a rank are lower bounds.")
    if many["bare"]:
        lines.append(
            f"{counted(many['bare'], 'query')} without a result: the position counts as reached, without a depth."
        )
    return (*lines, f"Intervals resample {because}.")


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
