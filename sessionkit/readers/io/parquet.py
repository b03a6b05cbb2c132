"""Parquet tables; their columns keep the types they have until the contract casts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import LogFile, is_packed
from sessionkit.readers.io.record_store import MANY, Keep, in_place
from sessionkit.readers.raw import Raw, as_json, refuse_reserved


def columns_of(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a Parquet file; none where it cannot be read."""
    try:
        return tuple(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError):  # whoever reads it says what is wrong with it
        return ()


def read_parquet(file: LogFile, table: str, *, keep: Keep = in_place) -> Raw:
    """Return the records of a Parquet file.

    Parameters
    ----------
    keep
        Where the records stay; by default in the file, which can be read again and again.

    Raises
    ------
    DataError
        The file is not readable as Parquet: it is damaged, packed once more, or has values of a kind that is not known.
    """
    if is_packed(file.path):
        raise DataError(f"{file.name} is a Parquet file compressed again by gzip or zstd; unpack it first")
    scan = pl.scan_parquet(file.path, glob=False, row_index_name=RECORD, row_index_offset=1)
    frame = scan.with_columns(pl.col(RECORD).cast(pl.Int64))
    try:
        refuse_reserved(pl.scan_parquet(file.path, glob=False).collect_schema(), file.name)
        frame.collect_schema()
        records = scan.select(pl.len()).collect().item()
        kept = keep(frame)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(file, error) from None
    return Raw(table, file.name, kept, records, as_json(frame), file.bytes, file.digest)


def pieces_of(file: LogFile, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Return these columns of a Parquet file, one at least, with RECORD, some rows at a time and one piece at least.

    However large the groups of rows are, memory holds little more than a piece, unlike where polars streams the file.

    Raises
    ------
    DataError
        The file is damaged, which may show after some pieces.
    """
    import pyarrow as pa  # slow to import, needed for this alone
    import pyarrow.parquet as pq

    first = 1
    try:
        with pq.ParquetFile(file.path) as parquet:
            for batch in parquet.iter_batches(MANY, columns=list(columns), use_threads=False):
                frame = cast("pl.DataFrame", pl.from_arrow(batch))
                numbers = pl.int_range(first, first + pl.len(), dtype=pl.Int64).alias(RECORD)
                yield frame.select(numbers, pl.all())
                first += len(frame)
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(file, error) from None
    if first == 1:
        yield (
            pl.scan_parquet(file.path, glob=False).select(pl.lit(0, pl.Int64).alias(RECORD), *columns).head(0).collect()
        )


def _unreadable(file: LogFile, error: Exception) -> DataError:
    """Return the error about a file that cannot be read."""
    reason = str(error).splitlines()[0]
    return DataError(f"{file.name} cannot be read as Parquet ({reason}); is it whole?")
