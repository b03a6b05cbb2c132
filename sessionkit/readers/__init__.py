"""Readers: from logs and judgments as they are found to a checked Study.

A new log format is one file here and one entry in ``FORMATS`` below.

==================  ================================================================================================
``reading.py``      ``sk.read``: what kind of source is this?
``frames.py``       ``sk.from_tables``: tables already in memory
``tables.py``       format ``tables``: what study.toml (``config.py``) describes, or one flat file
``files.py``        a file found, recognised, unpacked
``delimited.py``    and ``ndjson.py``, ``parquet.py``, ``qrels.py``: one kind of file as unchecked records (``raw.py``)
``columns.py``      the source's column names to ours
``assembly.py``     unchecked records to a Study, with ``parts.py``, ``bases.py`` (counting from 0), ``zones.py`` (times
                    without zone), ``derive.py`` (tables the log lacks), ``extras.py`` (columns nobody declared),
                    ``rejection.py`` and ``notes.py`` (what was unusual)
==================  ================================================================================================
"""

from sessionkit.readers.formats import Format
from sessionkit.readers.frames import from_tables
from sessionkit.readers.reading import read
from sessionkit.readers.tables import read_tables

FORMATS: dict[str, Format] = {
    "tables": Format(
        "delimited, NDJSON or Parquet tables, plain, .gz or .zst, as study.toml describes them", read_tables
    ),
}

__all__ = ["FORMATS", "Format", "from_tables", "read"]
