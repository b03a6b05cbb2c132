"""Counts from a table: how often each rank of each query position was looked at.

Counts that fall, down each list and from query to query, are counts of lists that came so far; their differences are
where searchers stopped. Others, such as counts of clicks, say nothing of stopping.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sessionkit.analysis.calibrate.counts import LookCounts
from sessionkit.display.words import counted
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.tabular import Frame, as_polars

NAMES = {"query": "query_position", "position": "query_position", "n": "count"}
"""Other names that the columns may have."""
WANTED = ("rank", "query_position", "count")
LARGEST = 2_000_000
"""Pairs of rank and query position that a table may span."""
MOST = 2**40
"""The largest number in a table, so that sums of counts stay exact."""


def counts_file(path: str | Path) -> pl.DataFrame:
    """Read a table of counts from a file of tab- or comma-separated values.

    Raises
    ------
    DataError
        The file is not there, or is no such table.
    """
    place = Path(path)
    if not place.is_file():
        msg = f"{place}: there is no such file; a table of counts has the columns rank, query and count"
        raise DataError(msg)
    try:
        with place.open(encoding="utf-8") as lines:
            first = lines.readline()
        return pl.read_csv(place, separator="\t" if "\t" in first else ",", infer_schema_length=None)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or ["unknown"])[0]
        msg = f"{place} is not a table of counts (columns rank, query, count): {reason}"
        raise DataError(msg) from None


def counted_table(table: Frame) -> LookCounts:
    """Take a table of counts apart into stops.

    Parameters
    ----------
    table
        ``rank``, ``query`` (or ``query_position``) and ``count``: whole numbers; a pair that is missing counts 0.

    Raises
    ------
    DataError
        A column is missing, a value is no such number, a pair is there twice, or everything is 0.
    """
    counts = _checked(as_polars(table, "counts").collect())
    total, first = int(counts["count"].sum()), counts.filter(pl.col("rank") == 1)
    rising = _rising(counts)
    told: tuple[str, ...]
    if rising is not None:
        told = (
            f"Counted: {total:,} looks in a table. {rising}, so these do not count how many reached each place, and there is "
            "no stopping likelihood: TSE and KL only.",
        )
        clicks = counts.select(unit=pl.lit(0, pl.UInt64), query_position="query_position", rank="rank", many="count")
        nothing = clicks.clear().with_columns(ended=pl.lit(value=False))
        return LookCounts(nothing, nothing.drop("rank"), clicks, "", told)
    beyond = counts.with_columns(pl.col("rank") - 1).rename({"count": "next"})
    left = counts.join(beyond, on=["rank", "query_position"], how="left")
    lists = _stopped(left.with_columns(many=pl.col("count") - pl.col("next").fill_null(0)), ["query_position", "rank"])
    later = first.select(pl.col("query_position") - 1, next="count")
    gone = first.join(later, on="query_position", how="left")
    sessions = _stopped(gone.with_columns(many=pl.col("count") - pl.col("next").fill_null(0)), ["query_position"])
    told = (
        f"Counted: {counted(total, 'look')} in a table, at {counted(int(first['count'].sum()), 'list')} of "
        f"{counted(int(first.filter(pl.col('query_position') == 1)['count'].sum()), 'session')}.",
        "Censored: nothing; a table does not say where lists and sessions ended, so each is assumed to end by the searcher's "
        "choice.",
        "Intervals are profile-likelihood intervals and assume independent lists and sessions: a table names no users to "
        "resample.",
    )
    return LookCounts(lists, sessions, None, "", told)


def _checked(table: pl.DataFrame) -> pl.DataFrame:
    """The three columns as whole numbers, in order, without zeros."""
    table = table.rename(
        {name: ours for name, ours in NAMES.items() if name in table.columns and ours not in table.columns}
    )
    missing = [name for name in WANTED if name not in table.columns]
    if missing:
        found = ", ".join(table.columns) or "none"
        msg = (
            f"a table of counts has the columns rank, query and count; {missing[0]} is missing, columns found: {found}"
        )
        raise DataError(msg)
    for name in WANTED:
        column = table[name]
        least = 0 if name == "count" else 1
        whole = column.cast(pl.Float64, strict=False)
        bad = whole.is_null() | (whole != whole.floor()) | (whole < least) | ~whole.is_finite() | (whole > MOST)
        if bad.any():
            at = int(bad.arg_max() or 0)
            more = "; shares are not counts: multiply by the number of looks" if name == "count" else ""
            msg = f"counts: {name} is {column[at]!r} in row {at + 1}; it must be a whole number from {least} to {MOST:,}{more}"
            raise DataError(msg)
    made = table.select(pl.col(WANTED).cast(pl.Float64).cast(pl.Int64))
    twice = made.filter(made.select("rank", "query_position").is_duplicated())
    if len(twice):
        msg = f"counts: rank {twice.item(0, 'rank')} of query {twice.item(0, 'query_position')} appears twice; give one row each"
        raise DataError(msg)
    made = made.filter(pl.col("count") > 0).sort("query_position", "rank")
    if made.is_empty():
        msg = "counts: every count is 0; there is nothing to fit"
        raise DataError(msg)
    deepest, last = (int(made.get_column(name).to_numpy().max()) for name in ("rank", "query_position"))
    if deepest * last > LARGEST:
        msg = f"counts: the table goes to rank {deepest} of query {last}, too large to fit; shorten it"
        raise UsageError(msg)
    return made


def _rising(counts: pl.DataFrame) -> str | None:
    """Where counts rise down a list, or from query to query at rank 1."""
    keys = ["rank", "query_position"]
    above = counts.select(pl.col("rank") + 1, "query_position", above="count")
    down = counts.filter(pl.col("rank") > 1).join(above, on=keys, how="left").sort("query_position", "rank")
    worse = down.filter(pl.col("count") > pl.col("above").fill_null(0))
    if len(worse):
        row = worse.row(0, named=True)
        return f"In query {row['query_position']}, rank {row['rank']} has {row['count']:,} and the rank before it {row['above'] or 0:,}"
    first = counts.filter(pl.col("rank") == 1)
    before = first.select(pl.col("query_position") + 1, before="count")
    along = (
        first.filter(pl.col("query_position") > 1).join(before, on="query_position", how="left").sort("query_position")
    )
    worse = along.filter(pl.col("count") > pl.col("before").fill_null(0))
    if len(worse):
        row = worse.row(0, named=True)
        return f"At rank 1, query {row['query_position']} has {row['count']:,} and the query before it {row['before'] or 0:,}"
    return None


def _stopped(frame: pl.DataFrame, places: list[str]) -> pl.DataFrame:
    """Rows in the form of `Counted`, of one unit."""
    some = frame.filter(pl.col("many") > 0)
    return some.select(pl.lit(0, pl.UInt64).alias("unit"), *places, pl.lit(value=False).alias("ended"), "many")
