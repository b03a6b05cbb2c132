"""A table of a report as text: one file per form, each with the escapes of its own.

::

    html.py       for the page              latex.py    for papers: booktabs, caption, label
    markdown.py   for notes and issues      csv.py      the numbers themselves, unrounded
"""

from collections.abc import Callable

from sessionkit.reports.tables import ReportTable
from sessionkit.reports.writers.csv import csv_table
from sessionkit.reports.writers.latex import latex_table
from sessionkit.reports.writers.markdown import markdown_table

FORMS: dict[str, Callable[[ReportTable], str]] = {"tex": latex_table, "md": markdown_table, "csv": csv_table}
"""What a table is exported as, by the ending of the file's name."""

__all__ = ["FORMS", "csv_table", "latex_table", "markdown_table"]
