"""Sheets of workbooks (.xlsx, .xlsm, .xlsb, .xls, .ods), always read as text: no cell is lost to a guess at its type.

Needs the extra ``excel``. Numbers are as the workbook stores them, times ISO 8601; an error such as ``#N/A``, and a formula
whose value was never worked out, is an empty cell. Of merged cells only the first has the text.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.io.delimited import joined_names, refuse_repeated
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import Keep
from sessionkit.readers.raw import LINE, OF_SHEET, Locate, Raw, as_json

if TYPE_CHECKING:
    from fastexcel import ExcelReader


def sheets_of(path: Path, name: str) -> list[str]:
    """Return the names of the sheets of a workbook.

    Raises
    ------
    DataError
        It cannot be read as a workbook.
    UsageError
        The extra is not installed.
    """
    return list(_opened(path, name).sheet_names)


def cells_of(path: Path, name: str, sheet: str) -> pl.DataFrame:
    """Return the cells of a sheet as text, its header among them: a row for each of its rows, null where a cell is empty."""
    book = _opened(path, name)
    if sheet not in book.sheet_names:
        raise DataError(
            f"{name} has no sheet {sheet!r}{suggestion(sheet, book.sheet_names)}; sheets: {', '.join(book.sheet_names)}"
        )
    cells: pl.DataFrame = book.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return cells.rename({column: f"column_{number}" for number, column in enumerate(cells.columns, start=1)})


def read_workbook(file: LogFile, table: str, *, sheet: str | None, above: int, header: int, keep: Keep) -> Raw:
    """Return the rows of a sheet as text columns.

    Parameters
    ----------
    sheet
        Its name; None, the only one.
    above
        Rows before the header, such as a title, which are not looked at.
    header
        How many rows name the columns; 0, they are ``column_1``, ``column_2``, ...

    Raises
    ------
    DataError
        There is no such sheet, or it is empty; several have no name said of them; a column is named twice.
    UsageError
        The extra is not installed.
    """
    if sheet is None:
        sheet = _the_one(sheets_of(file.path, file.name), file.name, table)
    source = f"{file.name}{OF_SHEET}{sheet}"
    cells = cells_of(file.path, file.name, sheet)
    rows = cells.with_row_index(LINE, offset=1).with_columns(pl.col(LINE).cast(pl.Int64))
    rows = rows.filter((pl.col(LINE) > above) & pl.any_horizontal(pl.all().exclude(LINE).str.strip_chars() != ""))
    if len(rows) < max(header, 1):
        raise DataError(f"{source} is empty; it must hold at least a header row")
    named = [[(cell or "").strip() for cell in row] for row in rows.drop(LINE).head(header).rows()]
    names = joined_names(named) if header else list(cells.columns)
    refuse_repeated(names, source)
    records = rows.slice(header).rename(dict(zip(cells.columns, names, strict=True)))
    frame = records.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(RECORD), *names)
    lines = records.get_column(LINE)
    return Raw(table, source, keep(frame.lazy()), len(frame), _way_back(frame, lines), file.bytes, file.digest)


def _opened(path: Path, name: str) -> ExcelReader:
    """Return an opened workbook."""
    try:
        import fastexcel  # an extra
    except ImportError:
        raise UsageError(
            f"{name} is a workbook, which needs the extra excel: pip install 'sessionkit-ir[excel]'; or export its "
            "sheets as CSV"
        ) from None
    try:
        return fastexcel.read_excel(path.read_bytes())  # what it is shows in its content, not in its name
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
