"""Formats of judgments ``tables`` and ``qrels`` without options: a table with our column names, or four fields between blanks."""

from __future__ import annotations

from sessionkit.readers.config import Config
from sessionkit.readers.files.described import labelled, read_table
from sessionkit.readers.files.keeping import in_memory
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.raw import Raw


def read(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a file with our column names, or of qrels."""
    return [labelled(read_table(file, "judgments", {}, config=config, keep=in_memory), config.worth)]
