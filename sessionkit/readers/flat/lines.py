"""Lines of flat logs: which files hold such lines, their fields between tabs, and those that break a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.flat.flat_log import TEXT, lines_of
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.records import Log
from sessionkit.readers.sniffer import glimpse as look_at

SPARE = "__spare"
FIRST_FILES = 3
"""Files of a folder that are looked at, as one may be a README."""
OTHER = "lines of a file that is no log of this format"


def fits_text(glimpse: Glimpse, looks: Callable[[str], bool]) -> bool:
    """Return whether a text looks so, or one of the first files of a folder."""
    if not glimpse.is_folder:
        return looks(glimpse.head)
    return any(looks(look_at(glimpse.path / name).head) for name in glimpse.names[:FIRST_FILES])


def those_that_fit(log: Log, fits: Callable[[str], bool]) -> tuple[list[LogFile], dict[tuple[str, str], int]]:
    """Return the files that look like the format, and the lines of the others, such as a README beside them, counted.

    Where none looks like it, or there is only one file, all are returned: reading says what is wrong.
    """
    looks = [fits(file.head.decode("utf-8", errors="replace")) for file in log.files]
    if len(log.files) == 1 or not any(looks):
        return list(log.files), {}
    others = [file for file, fit in zip(log.files, looks, strict=True) if not fit]
    return (
        [file for file, fit in zip(log.files, looks, strict=True) if fit],
        {(file.name, OTHER): _height(file) for file in others},
    )


def _height(file: LogFile) -> int:
    """Return the number of lines of a file of any kind."""
    try:
        height: int = pl.scan_lines(str(file.path), name=TEXT, glob=False).select(pl.len()).collect().item()
    except (pl.exceptions.ComputeError, OSError):  # no text, or packed and damaged: the file itself is counted
        return 1
    return height


def fields_of(
    file: LogFile, names: Sequence[str], allowed: Sequence[int], rule: str, *, header: str | None = None
) -> pl.LazyFrame:
    """Return the fields between tabs of each line; a line without one of the `allowed` numbers of them breaks `rule`.

    Parameters
    ----------
    names
        The fields' names; those that a line has not are null, as are empty ones.
    header
        How a line begins that names the columns; such lines are no records.
    """
    lines = lines_of(file)
    if header is not None:
        lines = lines.filter(~pl.col(TEXT).str.starts_with(header))
    every = [*names, SPARE]
    split = pl.col(TEXT).str.splitn("\t", len(every)).struct.rename_fields(every).alias(TEXT)
    number = pl.sum_horizontal(pl.col(name).is_not_null().cast(pl.Int8) for name in every)
    number += pl.col(SPARE).str.count_matches("\t", literal=True).fill_null(0)
    fit = number.is_in(list(allowed))
    return (
        lines.select(RECORD, split)
        .unnest(TEXT)
        .with_columns(
            *(pl.when(pl.col(name) != "").then(name).alias(name) for name in names),
            pl.when(~fit).then(pl.lit(rule)).alias(RULE),
            pl.when(~fit).then(number).alias(VALUE),
        )
        .with_columns(pl.col(VALUE).cast(pl.String) + pl.lit(" fields"))
        .drop(SPARE)
    )


def breaking(frame: pl.LazyFrame, rule: str, broken: pl.Expr, value: pl.Expr) -> pl.LazyFrame:
    """Return records with those marked that break a rule, unless they broke one before.

    Parameters
    ----------
    broken, value
        Of each record alone: whether it breaks the rule (null: yes), and what is wrong with it.
    """

    def marked(records: pl.DataFrame) -> pl.DataFrame:
        unfit = records.select(pl.col(RULE).is_null() & broken.fill_null(value=True)).to_series()
        if not unfit.any():  # as is mostly so, and nothing has to be said of any
            return records
        return records.with_columns(
            pl.when(unfit).then(pl.lit(rule)).otherwise(RULE).alias(RULE),
            pl.when(unfit).then(value.cast(pl.String).str.slice(0, 200)).otherwise(VALUE).alias(VALUE),
        )

    return frame.map_batches(
        marked, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, streamable=True
    )


def sound(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return the records that broke no rule."""
    return frame.filter(pl.col(RULE).is_null()).drop(RULE, VALUE)


def unsound(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return RECORD, RULE and VALUE of those that broke one."""
    return frame.filter(pl.col(RULE).is_not_null()).select(RECORD, RULE, VALUE)
