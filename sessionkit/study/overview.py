"""How a study shows itself in a notebook: what it is, its tables, its sources and what became of their records.

Everything comes from what is kept with the study, so that one of a million sessions is shown as fast as one of ten.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.contract import TABLES

if TYPE_CHECKING:
    from sessionkit.study.study import Study

ENDS = ("records", "rows", "merged", "idle", "rejected", "empty_lists")
ACCOUNTS = {name: name.replace("_", " ") for name in ENDS}
"""What becomes of records, as `Source` calls it and as it is shown."""


def words_and_tables(study: Study) -> tuple[list[str], dict[str, pl.DataFrame]]:
    """Return what is shown of a study: words, and tables by title."""
    declared = {name: value for name, value in asdict(study.settings).items() if value not in (None, (), False)}
    title = declared.pop("title", "Study")
    rejected = sum(source.rejected for source in study.sources)
    words = [
        f"{title} (synthetic)" if declared.pop("synthetic", False) and "synthetic" not in title.lower() else title,
        f"Read as {study.reader}. Declared: {', '.join(f'{name} {_plain(value)}' for name, value in declared.items())}.",
        *(["1 record was rejected, see study.rejected."] if rejected == 1 else []),
        *([f"{rejected:,} records were rejected, see study.rejected."] if rejected > 1 else []),
        *study.notes,
    ]
    return words, {"Tables": _tables(study), **({"Sources": _sources(study)} if study.sources else {})}


def _plain(value: object) -> str:
    """Return a declared value as people write it."""
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value))
    return f"{value:g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _tables(study: Study) -> pl.DataFrame:
    """Return rows and columns of the tables; those of users are not counted anywhere."""
    rows = []
    for name in TABLES:
        columns = [column for column in study.columns(name) if column[:1] != "_"]
        rows.append((name, getattr(study.facts, name, None), ", ".join(columns)))
    return pl.DataFrame(rows, schema={"table": pl.String, "rows": pl.Int64, "columns": pl.String}, orient="row")


def _sources(study: Study) -> pl.DataFrame:
    """Return what became of the records of each source; kinds of end that no record met are left out."""
    rows = [
        {"source": source.path, "as": source.kind or source.table}
        | {shown: getattr(source, name) for name, shown in ACCOUNTS.items()}
        for source in study.sources
    ]
    frame = pl.DataFrame(
        rows, schema={"source": pl.String, "as": pl.String, **dict.fromkeys(ACCOUNTS.values(), pl.Int64)}
    )
    met = [name for name in ACCOUNTS.values() if name in ("records", "rows") or frame.get_column(name).sum()]
    return frame.select("source", "as", *met)
