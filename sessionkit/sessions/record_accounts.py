"""What became of every record (``sk.check``): rows kept, records rejected and values set aside by rule, and how deep lists are known."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.display.numbers import share_text
from sessionkit.display.text import Displayed
from sessionkit.study import Study, verify_hashes
from sessionkit.study.counts import cut_short
from sessionkit.study.schema import TABLES
from sessionkit.study.study import guarded_read

MUCH = 0.01
"""The share of rejected records, or of values set aside, from which on it is said first."""


class AccountTables(Displayed, dict[str, pl.DataFrame]):
    """The tables of `check` by name."""

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The notes, and the tables that have rows."""
        notes = self["notes"].get_column("note").to_list() if "notes" in self else []
        return notes, {name: table for name, table in self.items() if name != "notes" and len(table)}


@guarded_read
def check(study: Study, *, verify: bool = False) -> AccountTables:
    """Account for every record of a study's sources: kept, rejected, merged; and verify its files.

    Parameters
    ----------
    study
        The study.
    verify
        Also check the files of a saved study against its hashes, digest and counts. If one changed, the table ``hashes`` is the
        only one: the others cannot be trusted.

    Returns
    -------
    AccountTables
        A dict: ``tables``: name, rows, columns. ``sources``: source, read_as (the table), records, rows, empty_lists, rejected,
        merged, idle, kind (of records); records = rows + empty_lists + rejected + merged + idle. ``rejected``: by
        source, table and rule the number of records and the first of them. ``cells``: by source, table, column and rule the
        number of values that were set aside while their rows were kept, and the first of them. ``observed``: what is known of the lists at
        a depth, see :func:`~sessionkit.sessions.record_accounts.observed`. ``notes``: what was unusual, one sentence each.
        With `verify` also ``hashes``: a ``problem`` per row.

    Raises
    ------
    DataError
        The study is to be verified, but was not opened from disk.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]})
    >>> sk.check(study)["tables"].select("name", "rows").rows()[1:4]
    [('sessions', 1), ('queries', 1), ('results', 1)]
    """
    hashes = pl.DataFrame({"problem": verify_hashes(study) if verify else ()}, schema={"problem": pl.String})
    if len(hashes):
        return AccountTables(hashes=ResultFrame(hashes))
    facts = vars(study.facts)
    counts = {name: facts.get(name) for name in TABLES}
    counts["users"] = study.users.select(pl.len()).collect().item()
    tables = pl.DataFrame(
        {
            "name": list(counts),
            "rows": list(counts.values()),
            "columns": [", ".join(column for column in study.columns(name) if column[:1] != "_") for name in counts],
        }
    )
    sources = pl.DataFrame(
        [
            (
                source.path,
                source.table,
                source.records,
                source.rows,
                source.empty_lists,
                source.rejected,
                source.merged,
                source.idle,
                source.kind,
            )
            for source in study.sources
        ],
        schema={
            "source": pl.String,
            "read_as": pl.String,
            **dict.fromkeys(["records", "rows", "empty_lists", "rejected", "merged", "idle"], pl.Int64),
            "kind": pl.String,
        },
        orient="row",
    )
    rejected, cells = pl.collect_all(
        [
            study.rejected.filter(pl.col("row_kept") == row_kept)
            .group_by("source", pl.col("table").alias("read_as"), *names, "rule", maintain_order=True)
            .agg(
                pl.len().cast(pl.Int64).alias(what),
                first_record=pl.col("record").first(),
                line=pl.col("line").first(),
                value=pl.col("value").first(),
                raw=pl.col("raw").first(),
            )
            for row_kept, names, what in ((False, (), "records"), (True, ("column",), "values"))
        ]
    )
    notes = pl.DataFrame({"note": study.notes}, schema={"note": pl.String})
    found = {"tables": tables, "sources": sources, "rejected": rejected, "cells": cells}
    found |= {"observed": observed(study), "notes": notes} | ({"hashes": hashes} if verify else {})
    return AccountTables({name: ResultFrame(table) for name, table in found.items()})


@dataclass(frozen=True)
class Loss:
    """Records of a table that were rejected, or values of a column that were set aside.

    Parameters
    ----------
    table, column
        Where they were lost; ``column`` is None of whole records.
    what
        What ``total`` counts: ``"records"`` or ``"values"``.
    count, total
        How many were lost, of how many.
    """

    table: str
    column: str | None
    what: str
    count: int
    total: int

    @property
    def share(self) -> float:
        """Share that was lost."""
        return self.count / self.total

    def __str__(self) -> str:
        """Say how many of how many were lost, and their share.

        >>> str(Loss("results", "dwell_seconds", "values", 20, 40))
        'results.dwell_seconds: 20 of 40 values (50.0%) set aside and taken as missing'
        """
        name = self.table if self.column is None else f"{self.table}.{self.column}"
        done = "rejected" if self.column is None else "set aside and taken as missing"
        return f"{name}: {self.count:,} of {self.total:,} {self.what} ({share_text(self.share)}) {done}"


def heavy_losses(study: Study) -> tuple[Loss, ...]:
    """Return the tables of which more than 1% of the records were rejected, and the columns with more than 1% of values set aside.

    Examples
    --------
    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"]}
    >>> heavy_losses(sk.from_tables(results=lists | {"dwell_seconds": ["3.5", "4.5"]}))
    ()
    """
    records: dict[str, int] = {}
    rejected: dict[str, int] = {}
    for source in study.sources:
        records[source.table] = records.get(source.table, 0) + source.rows + source.empty_lists + source.rejected
        # of the source, as a copy without the rejected rows still has it
        rejected[source.table] = rejected.get(source.table, 0) + source.rejected
    set_aside = (
        study.rejected.filter("row_kept").group_by("table", "column").agg(values=pl.len().cast(pl.Int64)).collect()
    )
    set_aside = set_aside.sort("values", "table", "column", descending=[True, False, False])
    losses = [
        Loss(name, None, "records", rejected[name], records[name])
        for name in TABLES
        if name in rejected and rejected[name] > MUCH * records[name]
    ]
    for name, column, count in set_aside.select("table", "column", "values").iter_rows():
        if column in study.columns(name):
            total, what = count + study.table(name).select(pl.col(column).count()).collect().item(), "values"
        else:  # it stands in another table, which is made from this one, or in several columns
            total, what = max(count, records.get(name, 0)), "records"
        if count > MUCH * total:
            losses.append(Loss(name, column, what, count, total))
    return tuple(losses)


DEPTHS = (1, 3, 5, 10, 20, 50, 100)
"""The depths that are looked at."""


def observed(study: Study) -> pl.DataFrame:
    """Say of how many queries the list is known to a depth; no rows where all lists were shown whole, without gaps in the ranks.

    Returns
    -------
    polars.DataFrame
        ``depth``; ``known``: queries whose list is known to this depth, without a gap, or to its end; ``cut_short``: known
        less deep (observed in part, or shown with a gap in the ranks), so that a measure at this depth takes what is not known as
        if it gained nothing and is flagged;
        ``empty``: nothing was returned, which counts, with nothing gained; ``not_logged``: outside measures of relevance.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
    ...     queries={"session_id": ["s"], "query_position": [1], "results_status": ["partly_observed"]},
    ... )
    >>> observed(study).head(2).rows()
    [(1, 1, 0, 0, 0), (3, 0, 1, 0, 0)]
    """
    names = ("depth", "known", "cut_short", "empty", "not_logged")
    facts = study.facts
    if not (facts.empty or facts.not_logged or facts.partly_observed or facts.lists_with_gaps):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.Int64))
    cut = dict.fromkeys(DEPTHS, 0)
    if facts.partly_observed or facts.lists_with_gaps:
        partly = study.depths.filter(cut_short())
        short = partly.select(
            pl.col("n").filter(pl.col("known") < depth).sum().alias(str(depth)) for depth in DEPTHS
        ).row(0)
        cut = dict(zip(DEPTHS, short, strict=True))
    outside = facts.empty + facts.not_logged
    return pl.DataFrame(
        [
            (depth, facts.queries - outside - short, short, facts.empty, facts.not_logged)
            for depth, short in cut.items()
        ],
        schema=dict.fromkeys(names, pl.Int64),
        orient="row",
    )
