"""Readers: from logs and judgments as they are found to a checked Study.

A new log format is one file here and one entry in ``FORMATS`` below.

==================  ================================================================================================
``reading.py``      ``sk.read``: what kind of source is this?
``frames.py``       ``sk.from_tables``: tables already in memory
``tables.py``       format ``tables``: what study.toml (``config.py``) describes, or one flat file
``files.py``        a file found, recognised, unpacked
``delimited.py``    and ``ndjson.py``, ``parquet.py``, ``qrels.py``: one kind of file as unchecked records (``raw.py``);
                    ``fields.py`` and ``shapes.py`` take text and JSON apart, ``keeping.py`` says where records stay
``columns.py``      the source's column names to ours
``whole.py``        unchecked records to a Study in memory
``large.py``        unchecked records to a Study in files, part by part (``sizes.py``: which logs those are): as they come
                    (``courses.py``, ``feeds.py``) or by ranges of sessions (``ranges.py``), one part ahead
``assembly.py``     the tables of whole sessions, checked, for both: with ``parts.py``, ``widening.py``, ``bases.py``
                    (counting from 0), ``zones.py`` (times without zone), ``derive.py`` (tables the log lacks),
                    ``decisions.py`` (what the whole log decides), ``counts.py`` and ``gathering.py`` (what adds up),
                    ``finishing.py`` and ``extras.py`` (columns nobody declared), ``rejection.py`` and ``notes.py``
                    (what was unusual)
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
