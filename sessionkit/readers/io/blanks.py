"""Lines of fields between blanks (any run of spaces or tabs), as TREC's runs and judgments are, as unchecked records."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.delimited import FITS
from sessionkit.readers.io.invalid_bytes import mended, with_undecoded
from sessionkit.readers.io.log_files import LogFile, cut_short
from sessionkit.readers.io.record_store import Keep

TEXT, PARTS = "__text", "__parts"


def fields_of(file: LogFile, names: Sequence[str], *, least: int, most: int | None = None, keep: Keep) -> pl.LazyFrame:
    """Return the lines of a file as records of these fields; blank lines are none, RECORD is the number of the line.

    Parameters
    ----------
    least, most
        How many fields a line must have, and may have (None: any number; those beyond `names` are left out). Lines with
        fewer or more break the rule that a record fits the columns.

    Raises
    ------
    DataError
        Too much of the file is not UTF-8, it ends early, or has no line that is not blank.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64), pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars())
    parts = lines.filter(pl.col(TEXT) != "").with_columns(
        pl.col(TEXT).str.replace_all(r"\s+", " ").str.split(" ").alias(PARTS)
    )
    count = pl.col(PARTS).list.len()
    fit = (count >= least) if most is None else count.is_between(least, most)
    if file.undecoded:
        fit &= ~pl.col(RECORD).is_in(list(file.undecoded))
    frame = parts.with_columns(
        **{RULE: pl.when(~fit).then(pl.lit(FITS)), VALUE: pl.when(~fit).then(pl.col(TEXT).str.slice(0, 200))},
        **{name: pl.when(fit).then(pl.col(PARTS).list.get(at, null_on_oob=True)) for at, name in enumerate(names)},
    ).drop(TEXT, PARTS)
    try:
        kept = keep(with_undecoded(frame, file.undecoded))
        if kept.head(1).collect().is_empty():
            raise DataError(f"{file.name} contains only blank lines")
    except pl.exceptions.ComputeError:
        return fields_of(mended(file), names, least=least, most=most, keep=keep)
    except OSError as error:
        raise cut_short(file.name, error) from None
    return kept


def first_fields(text: str, many: int = 20) -> list[list[str]]:
    """Return the fields of the first lines that are not blank; the last, which may be cut, is left out of many.

    >>> first_fields("a b\\n\\nc  d")
    [['a', 'b'], ['c', 'd']]
    """
    return [line.split() for line in text.splitlines() if line.strip()][:many]
