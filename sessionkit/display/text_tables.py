r"""Tables for people to read: aligned, numbers rounded; text from a log is shown and never acts on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionkit.display.numbers import P_IS_BOUND, bounded_cells, number_texts, whole_text
from sessionkit.errors import visible

if TYPE_CHECKING:
    import polars as pl

NARROWEST = 12
"""Width below which no column of text is cut."""


def table_text(frame: pl.DataFrame, width: int | None = None) -> str:
    """Return a frame as aligned columns.

    Parameters
    ----------
    frame
        Any frame.
    width
        Columns of the terminal; the longest texts are cut to fit, with an ellipsis. None, nothing is cut.

    Examples
    --------
    >>> import polars as pl
    >>> print(table_text(pl.DataFrame({"system_id": ["S1", None], "value": [0.25, 12.0]})), end="")
    system_id    value
    ---------  -------
    S1          0.2500
               12.0000
    """
    from rich.cells import cell_len

    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    columns = [[visible(name), *cells] for name, cells in zip(frame.columns, all_cells(frame), strict=True)]
    widths = [max(cell_len(cell) for cell in column) for column in columns]
    if width is not None:
        widths = _fitted(widths, numeric, width)
    lines = [
        [_set(cell, wide, right) for cell in cells] for cells, wide, right in zip(columns, widths, numeric, strict=True)
    ]
    rows = ["  ".join(row).rstrip() for row in zip(*lines, strict=True)]
    rule = "  ".join("-" * wide for wide in widths)
    return "\n".join([*rows[:1], rule, *rows[1:]]) + "\n" if rows else ""


def all_cells(frame: pl.DataFrame) -> list[list[str]]:
    """Return the cells of each column; a p that is an upper bound has ``<`` before it.

    >>> import polars as pl
    >>> all_cells(pl.DataFrame({"p": [0.0064, 0.0064], "p_is_bound": [True, False]}))
    [['<0.007', '0.006'], ['True', 'False']]
    """
    columns = [cells_of(column) for column in frame]
    if P_IS_BOUND in frame.columns and "p" in frame.columns:
        place = frame.columns.index("p")
        columns[place] = bounded_cells(columns[place], frame.get_column("p"), frame.get_column(P_IS_BOUND))
    return columns


def cells_of(column: pl.Series) -> list[str]:
    """Return the values of a column as text, numbers rounded as in tables for papers, null as nothing."""
    import polars as pl

    values = column.to_list()
    if column.dtype.is_integer():
        return ["" if value is None else whole_text(column.name, value) for value in values]
    if column.dtype == pl.List(pl.Float64):
        return ["" if value is None else ", ".join(filter(None, number_texts(column.name, value))) for value in values]
    if not column.dtype.is_float():
        return ["" if value is None else visible(str(value)) for value in values]
    return ["" if text is None else text for text in number_texts(column.name, values)]


def _fitted(widths: list[int], numeric: list[bool], total: int) -> list[int]:
    """Narrow the widest columns of text until the table fits or none can be narrowed further."""
    fitted = list(widths)
    while sum(fitted) + 2 * (len(fitted) - 1) > total:
        wide = [place for place, number in enumerate(numeric) if not number and fitted[place] > NARROWEST]
        if not wide:
            return widths if not any(not number for number in numeric) else fitted
        fitted[max(wide, key=lambda place: fitted[place])] -= 1
    return fitted


def _set(cell: str, width: int, right: bool) -> str:
    """Return a cell at a width, cut or filled; wide characters count twice."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(cell) > width:
        return set_cell_size(cell, width - 1) + "\u2026"
    space = " " * (width - cell_len(cell))
    return space + cell if right else cell + space
