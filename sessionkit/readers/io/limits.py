"""Limits to what is read at once, in every format: very long lines, very short lines, and tables that are mostly empty.

The first and the last follow from the memory that reading may use (``memory`` of :func:`sessionkit.read`, ``--memory`` of the
command), which raises them. A line is held as a whole, several times over while it is taken apart. Every line becomes a row, even
an empty one, so that a few MB of line ends make a large table. A table has a place for every value of every record, so that a few
bytes for each record make a large table where nearly each has names of its own, such as JSON whose keys are ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import DAMAGED, LINE, LogFile, as_size, is_packed, longest_text, unpacked
from sessionkit.study.memory_limit import memory_budget

VALUE = 48
"""Bytes that one value takes while its table is put together, the characters of long texts apart."""
VALUES = 16_000_000
"""Values that a table may have however little memory there is: more than there are in a dense file that is read at once."""
CHUNK = 1 << 20
"""Bytes of a file that are looked at at a time; a line that may be too long has more."""
SHORTEST = 3
"""Bytes that the lines of such a piece have at least, on average: two fields of one character, and what is between them."""


def refuse_odd_lines(file: LogFile, memory: int | None = None, *, noun: str = "line") -> None:
    """Refuse a text with a line that is too long for the memory there is, or with a million of lines that are nearly all empty.

    Parameters
    ----------
    memory
        Bytes that may be used; None, what is used by default.
    noun
        What a line is in the file as the user has it.

    Raises
    ------
    DataError
        It has; the message names the lines, the limit, and what to do.
    """
    most = longest_text(memory, LINE)
    if file.path.stat().st_size <= min(most, CHUNK) and not is_packed(file.path):
        return
    number, start, at = 1, 0, 0
    for chunk in _pieces(file):
        ends = chunk.count(b"\n")
        first = chunk.find(b"\n") if ends else len(chunk)
        if at + first - start > most:
            raise DataError(_too_long(file, f"{noun} {number:,}", most))
        if ends * SHORTEST > len(chunk) == CHUNK:
            raise DataError(
                f"{file.name}, {noun}s {number:,} to {number + ends:,}: nearly all are empty, and each would be a row; "
                "remove the empty lines, such as by: sed '/^[[:space:]]*$/d'"
            )
        if ends:
            number, start = number + ends, at + chunk.rfind(b"\n") + 1
        at += len(chunk)


def refuse_sparse(file: LogFile, columns: int, memory: int | None = None, *, at_once: bool = True) -> None:
    """Refuse a text of so many columns (keys) whose table would be larger than the memory there is.

    Parameters
    ----------
    memory
        Bytes that may be used; None, what is used by default.
    at_once
        Whether all records are in memory together; else some of the text's lines at a time are.

    Raises
    ------
    DataError
        It would; the message says how many columns and records there are, the limit, and what to do.
    """
    most = max(VALUES, memory_budget(memory) // VALUE)
    if at_once:
        rows = _lines(file) if is_packed(file.path) or columns * file.path.stat().st_size > most else 0
    else:
        rows = (
            max((chunk.count(b"\n") for chunk in _pieces(file)), default=0) if columns * CHUNK > most * SHORTEST else 0
        )
    values = columns * rows
    if values > most:
        place = "" if at_once else " within 1 MB"
        raise DataError(
            f"{file.name} has {columns:,} columns (or keys) and {counted(rows, 'record')}{place}, a table of "
            f"{values:,} values; the memory limit allows {most:,}. If names of columns are values, such as ids, "
            f"write each as a record with a column for the name and one for the value; or allow more with "
            f"--memory {as_size(values * VALUE)}"
        )


def _lines(file: LogFile) -> int:
    """Return how many lines a text has."""
    lines, last = 0, b"\n"
    for chunk in _pieces(file):
        lines, last = lines + chunk.count(b"\n"), chunk[-1:]
    return lines + (last != b"\n")


def _pieces(file: LogFile) -> Iterator[bytes]:
    """Return the bytes of a text, :data:`CHUNK` at a time; where it is damaged they end, and whoever reads it says how."""
    try:
        with unpacked(file.path, again=True) as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except DAMAGED:
        return


def _too_long(file: LogFile, place: str, most: int) -> str:
    """Return what is said of a line that is too long, at this place."""
    return (
        f"{file.name}, {place}: it is longer than {as_size(most)}, the most that the memory limit allows (it takes "
        f"about {LINE} times its length). If a quote or a line end is missing there, correct it; or allow more "
        "with --memory"
    )
