"""Tables as CSV: the values as they are, numbers unrounded; nothing in it is a formula to a spreadsheet."""

from __future__ import annotations

import re

import polars as pl

from sessionkit.display.tables import TextTable

FORMULA = r"^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""How a text begins that a spreadsheet would take for a formula; full-width signs count where East Asian texts are read."""


def csv_table(table: TextTable) -> str:
    r"""Return the values of a table as CSV (RFC 4180), an apostrophe before texts that a spreadsheet would work out.

    >>> from sessionkit.display.tables import table_of
    >>> print(csv_table(table_of("Scores", pl.DataFrame({"system_id": ["=1+1", "S2"], "value": [0.1234567, -1.0]}))))
    system_id,value
    '=1+1,0.1234567
    S2,-1.0
    """
    return csv_frame(table.frame)


def csv_frame(frame: pl.DataFrame) -> str:
    """Return a frame as CSV, as `csv_table` does."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    frame = frame.with_columns(_guarded(pl.col(name)).alias(name) for name in texts)
    frame.columns = [f"'{name}" if re.search(FORMULA, name) else name for name in frame.columns]
    return with_joined_lists(frame).write_csv()


def with_joined_lists(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with each list of numbers as one text, since a field of CSV or TSV holds a single value.

    >>> with_joined_lists(pl.DataFrame({"values": [[0.25, 1.0], None]})).rows()
    [('0.25 1.0',), (None,)]
    """
    return frame.with_columns(pl.col(pl.List(pl.Float64)).cast(pl.List(pl.String)).list.join(" "))


def _guarded(text: pl.Expr) -> pl.Expr:
    """Texts with an apostrophe before those that would be worked out."""
    return pl.when(text.str.contains(FORMULA)).then("'" + text).otherwise(text)
