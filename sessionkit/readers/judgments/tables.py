"""Format of judgments ``tables``: a table with our column names, or as [judgments] in study.toml describes it."""

from __future__ import annotations

from sessionkit.readers.config import Config
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import in_memory
from sessionkit.readers.io.table_files import read_table
from sessionkit.readers.raw import Raw


def read(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a file with our column names, or as they are described."""
    return [read_table(file, "judgments", config.of_judgments, config=config, keep=in_memory)]
