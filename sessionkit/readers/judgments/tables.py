"""Format of judgments ``tables``: a table with our column names, or as [judgments] in study.toml describes it.

In a file that holds a table of the log as well, such as results with grades of some, a row without a grade is no judgment, and
such rows are counted; in a file of judgments alone it is rejected. A grade that stands there at every place where its document
was shown is one judgment, without the other columns there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.contract import CELLS, RECORD, RULE, VALUE, table
from sessionkit.contract.casts import as_text
from sessionkit.readers.config import Config
from sessionkit.readers.io.log_files import LogFile, paths_in
from sessionkit.readers.io.record_store import in_memory
from sessionkit.readers.io.table_files import read_table
from sessionkit.readers.judgments.ratings import idle
from sessionkit.readers.raw import Raw


def read(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a file with our column names, or as they are described."""
    raw = read_table(file, "judgments", config.of_judgments, config=config, keep=in_memory)
    of_log = [one for name, one in config.tables.items() if name != "judgments"]
    if not any(_is_same(file, config.of_judgments, one, config) for one in of_log):
        return [raw]
    types = raw.frame.collect_schema()
    ungraded = as_text("grade", types["grade"]).str.strip_chars().fill_null("") == ""
    if RULE in types:
        ungraded &= pl.col(RULE).is_null()
    many = raw.frame.select(ungraded.sum()).collect().item()
    names = [name for name in table("judgments").names if name in types]
    own_marks = [name for name in (RECORD, RULE, VALUE, CELLS) if name in types]
    given = raw.frame.filter(~ungraded).select(*own_marks, *names).collect()
    own = given.unique(names, keep="first", maintain_order=True)
    judged = replace(raw, frame=own.lazy(), records=raw.records - many, merged=given.height - own.height)
    return [judged, *idle(file, {"rows without grade": many})]


def _is_same(file: LogFile, own: Mapping[str, Any], other: Mapping[str, Any], config: Config) -> bool:
    """Return whether a table of the log is in the same file as the judgments, and in the same sheet of a workbook."""
    sheets = other.get("sheet")
    is_sheet = own.get("sheet") in sheets if isinstance(sheets, list) else own.get("sheet") == sheets
    place = (config.folder / file.name).resolve()
    return is_sheet and any(
        (config.folder / path).resolve() == place for path in paths_in(other["path"], config.folder)
    )
