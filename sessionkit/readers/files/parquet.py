"""Parquet tables; their columns keep the types they have until the contract casts them."""

from __future__ import annotations

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.files.keeping import Keep, in_place
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.raw import Raw, as_json, read_through, refuse_reserved


def read_parquet(file: LogFile, table: str, *, keep: Keep = in_place) -> Raw:
    """Return the records of a Parquet file.

    Parameters
    ----------
    keep
        Where the records stay; by default in the file, which can be read again and again.

    Raises
    ------
    DataError
        The file is not readable as Parquet.
    """
    try:
        refuse_reserved(pl.scan_parquet(file.path, glob=False).collect_schema(), file.name)
        scan = pl.scan_parquet(file.path, glob=False, row_index_name=RECORD, row_index_offset=1)
        frame = scan.with_columns(pl.col(RECORD).cast(pl.Int64))
        frame.collect_schema()
        records = scan.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{file.name} cannot be read as Parquet ({str(error).splitlines()[0]})") from None
    with read_through(file.name):
        kept = keep(frame)
    return Raw(table, file.name, kept, records, as_json(frame), file.bytes, file.digest)
