"""Two limits to what is read at once, the same for every format: very long lines, and tables that are mostly empty.

Both follow from the memory that reading may use (``memory`` of :func:`sessionkit.read`, ``--memory`` of the command), which
raises them. A line is held as a whole, several times over while it is taken apart. A table has a place for every value of
every record, so that a few bytes for each record make a large table where nearly each has names of its own, such as JSON
whose keys are ids.
"""

from __future__ import annotations

from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import DAMAGED, LogFile, is_packed, unpacked
from sessionkit.study.memory_limit import memory_budget

VALUE = 48
"""Bytes that one value takes while its table is put together, the characters of long texts apart."""
VALUES = 16_000_000
"""Values that a table may have however little memory there is: more than there are in a dense file that is read at once."""
LINE = 12
"""Bytes of memory for one of a line."""
LONGEST = 16_000_000
"""Bytes that a line may have however little memory there is."""
CHUNK = 1 << 20
"""Bytes of a file that are looked at at a time; a line that may be too long has more."""


def refuse_long_line(file: LogFile, memory: int | None = None, *, noun: str = "line") -> None:
    """Refuse a text with a line that is too long for the memory there is.

    Parameters
    ----------
    memory
        Bytes that may be used; None, what is used by default.
    noun
        What a line is in the file as the user has it.

    Raises
    ------
    DataError
        It has one; the message names the line, the limit, and what raises it.
    """
    most = max(LONGEST, memory_budget(memory) // LINE)
    if file.path.stat().st_size <= most and not is_packed(file.path):
        return
    number, start, at = 1, 0, 0
    try:
        with unpacked(file.path, again=True) as stream:
            while chunk := stream.read(CHUNK):
                end = chunk.find(b"\n")
                if at + (len(chunk) if end < 0 else end) - start > most:
                    raise DataError(_too_long(file, f"{noun} {number:,}", most))
                if end >= 0:
                    number, start = number + chunk.count(b"\n"), at + chunk.rfind(b"\n") + 1
                at += len(chunk)
    except DAMAGED:  # whoever reads the file says how it is damaged
        return


def refuse_sparse(file: LogFile, columns: int, memory: int | None = None, *, rows: int | None = None) -> None:
    """Refuse a text of so many columns (keys) whose table would be larger than the memory there is.

    Parameters
    ----------
    memory
        Bytes that may be used; None, what is used by default.
    rows
        Its records, where their number is known; by default its lines.

    Raises
    ------
    DataError
        It would; the message says how many columns and records there are, the limit, and what to do.
    """
    most = max(VALUES, memory_budget(memory) // VALUE)
    if rows is None and (columns * file.path.stat().st_size > most or is_packed(file.path)):
        rows = _lines(file)
    values = columns * (rows or 0)
    if values > most:
        raise DataError(
            f"{file.name} has {columns:,} columns (or keys) and {counted(rows or 0, 'record')}, a table of "
            f"{values:,} values; the memory limit allows {most:,}. If names of columns are values, such as ids, "
            f"write each as a record with a column for the name and one for the value; or allow more with "
            f"--memory {as_size(values * VALUE)}"
        )


def _lines(file: LogFile) -> int:
    """Return how many lines a text has."""
    try:
        with unpacked(file.path, again=True) as stream:
            lines, last = 0, b"\n"
            while chunk := stream.read(CHUNK):
                lines, last = lines + chunk.count(b"\n"), chunk[-1:]
            return lines + (last != b"\n")
    except DAMAGED:  # whoever reads the file says how it is damaged
        return 0


def _too_long(file: LogFile, place: str, most: int) -> str:
    """Return what is said of a line that is too long, at this place."""
    return (
        f"{file.name}, {place}: it is longer than {as_size(most)}, the most that the memory limit allows (it takes "
        f"about {LINE} times its length). If a quote or a line end is missing there, correct it; or allow more "
        "with --memory"
    )


def as_size(many: int) -> str:
    """Return a number of bytes as ``--memory`` takes it, rounded up."""
    unit, name = (10**9, "GB") if many >= 10**10 else (10**6, "MB")
    return f"{-(-many // unit)}{name}"
