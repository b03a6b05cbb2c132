"""Sheets of workbooks (.xlsx, .xlsm, .xlsb, .ods), always read as text: no cell is lost to a guess at its type.

Needs the extra ``excel``. Numbers are as the workbook stores them, times ISO 8601; an error such as ``#N/A``, and a formula
whose value was never worked out, is an empty cell. Merged cells below the header are filled down (``cell_spans.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.io.cell_spans import filled_down, filled_text, merged_rows
from sessionkit.readers.io.delimited import joined_names, refuse_repeated
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import Keep
from sessionkit.readers.io.workbook_sizes import counted_copy, refuse_filled_down
from sessionkit.readers.raw import LINE, OF_SHEET, Locate, Raw, as_json

if TYPE_CHECKING:
    from fastexcel import ExcelReader


def sheets_of(path: Path, name: str, memory: int | None = None) -> list[str]:
    """Return the names of the sheets of a workbook, which may use so many bytes of memory; None, what is used by default.

    Raises
    ------
    DataError
        It cannot be read as a workbook, or not in so much memory.
    UsageError
        The extra is not installed.
    """
    return list(_opened(path, name, memory).sheet_names)


def cells_of(path: Path, name: str, sheet: str, memory: int | None = None) -> pl.DataFrame:
    """Return the cells of a sheet as text, its header among them: a row for each of its rows, null where a cell is empty."""
    book = _opened(path, name, memory)
    if sheet not in book.sheet_names:
        raise DataError(
            f"{name} has no sheet {sheet!r}{suggestion(sheet, book.sheet_names)}; sheets: {', '.join(book.sheet_names)}"
        )
    with _readable(name):
        batch = book.load_sheet_eager(sheet, header_row=None, skip_rows=0, dtypes="string")  # in half of the memory
    cells = pl.DataFrame(pl.from_arrow(batch))
    return cells.rename({column: f"column_{number}" for number, column in enumerate(cells.columns, start=1)})


def read_workbook(
    file: LogFile, table: str, *, sheet: str | None, above: int, header: int, keep: Keep, memory: int | None = None
) -> Raw:
    """Return the rows of a sheet as text columns.

    Parameters
    ----------
    sheet
        Its name; None, the only one.
    above
        Rows before the header, such as a title, which are not looked at.
    header
        How many rows name the columns; 0, they are ``column_1``, ``column_2``, ...
    memory
        Bytes that may be used; None, what is used by default.

    Raises
    ------
    DataError
        There is no such sheet, or it is empty; several have no name said of them; a column is named twice.
    UsageError
        The extra is not installed.
    """
    if sheet is None:
        sheet = _the_one(sheets_of(file.path, file.name, memory), file.name, table)
    source = f"{file.name}{OF_SHEET}{sheet}"
    cells = cells_of(file.path, file.name, sheet, memory)
    filled = cells.select(pl.any_horizontal(pl.all().str.strip_chars() != "").fill_null(value=False)).to_series()
    places = filled.arg_true()
    places = places.filter(places >= above)
    if len(places) < max(header, 1):
        raise DataError(f"{source} is empty; it must hold at least a header row")
    below = places[header] if len(places) > header else cells.height
    merges = [one for one in merged_rows(file.path, sheet, cells.width) if one.first >= below]
    refuse_filled_down(source, filled_text(cells, merges), memory)
    rows = filled_down(cells, merges)[places]
    named = [[(cell or "").strip() for cell in row] for row in rows.head(header).rows()]
    names = joined_names(named) if header else list(cells.columns)
    refuse_repeated(names, source)
    records = rows.slice(header).rename(dict(zip(cells.columns, names, strict=True)))
    blank = [name for name, texts in zip(names, zip(*named, strict=True), strict=False) if not any(texts)]
    empty = [name for name in blank if (records[name].fill_null("").str.strip_chars() == "").all()]
    kept = [name for name in names if name not in empty]
    frame = records.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(RECORD), *kept)
    lines = places.slice(header).cast(pl.Int64) + 1
    merged = {names[one.column] for one in merges}
    return Raw(
        table,
        source,
        keep(frame.lazy()),
        len(frame),
        _way_back(frame, lines),
        file.bytes,
        file.digest,
        filled_down=tuple(name for name in kept if name in merged),
    )


def _opened(path: Path, name: str, memory: int | None) -> ExcelReader:
    """Return an opened workbook."""
    try:
        import fastexcel  # noqa: F401 - an extra
    except ImportError:
        raise UsageError(
            f"{name} is a workbook, which needs the extra excel: pip install 'sessionkit-ir[excel]'; or export its "
            "sheets as CSV"
        ) from None
    written = path.stat()
    with _readable(name):
        return _book(path.resolve(), name, memory, written.st_mtime_ns, written.st_size)


@lru_cache(maxsize=1)
def _book(path: Path, name: str, memory: int | None, _modified: int, _size: int) -> ExcelReader:
    """Return a workbook, which is opened once for all of its sheets."""
    import fastexcel

    return fastexcel.read_excel(counted_copy(path, name, memory))


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Say which workbook is damaged.

    Raises
    ------
    DataError
        It is.
    """
    import fastexcel

    try:
        yield
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{name} cannot be read as a workbook ({reason}); save it again, or export it as CSV") from None


def _the_one(sheets: list[str], name: str, table: str) -> str:
    """Return the only sheet of a workbook."""
    if len(sheets) == 1:
        return sheets[0]
    raise DataError(
        f"{name} has {len(sheets)} sheets, and [{table}] does not say which; set sheet to one of: {', '.join(sheets)}"
    )


def _way_back(frame: pl.DataFrame, lines: pl.Series) -> Locate:
    """Return how to find the row number and text of records."""
    as_text = as_json(frame.lazy())

    def locate(records: pl.Series) -> pl.DataFrame:
        found = as_text(records)
        places: Any = found[RECORD] - 1
        return found.with_columns(lines.gather(places).alias(LINE))

    return locate
