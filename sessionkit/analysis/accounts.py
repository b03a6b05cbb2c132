"""What became of every record: rows kept, lists that were empty, records rejected and the rule each broke."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.observed import observed
from sessionkit.contract import TABLES
from sessionkit.showing.shown import Shown
from sessionkit.study import Study


class Accounts(Shown, dict[str, pl.DataFrame]):
    """The tables of `accounts` by name."""

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The notes, and the tables that have rows."""
        return self["notes"].get_column("note").to_list(), {
            name: table for name, table in self.items() if name != "notes" and len(table)
        }


def accounts(study: Study) -> Accounts:
    """Say what became of every record of a study's sources.

    Returns
    -------
    Accounts
        A dict: ``tables``: name, rows, columns. ``sources``: source, read_as (the table), records, rows, empty_lists, rejected,
        merged, idle, kind (of records); records = rows + empty_lists + rejected + merged + idle. ``rejected``: by
        source, table and rule the number of records and the first of them. ``observed``: what is known of the lists at
        a depth, see :func:`~sessionkit.analysis.observed.observed`. ``notes``: what was unusual, one sentence each.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]})
    >>> sk.accounts(study)["tables"].select("name", "rows").rows()[1:4]
    [('sessions', 1), ('queries', 1), ('results', 1)]
    """
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
    rejected = (
        study.rejected.group_by("source", pl.col("table").alias("read_as"), "rule", maintain_order=True)
        .agg(
            records=pl.len().cast(pl.Int64),
            first_record=pl.col("record").first(),
            line=pl.col("line").first(),
            value=pl.col("value").first(),
            raw=pl.col("raw").first(),
        )
        .collect()
    )
    notes = pl.DataFrame({"note": study.notes}, schema={"note": pl.String})
    found = {"tables": tables, "sources": sources, "rejected": rejected, "observed": observed(study), "notes": notes}
    return Accounts(found)
