"""Bands of logs whose lines are in the order of users already: read from where they stand, without temporary files.

Users are in order as numbers (9 before 10) or as texts. A few lines of each file say which; between them the lines are
found with which bands begin. That no user is in two bands is seen once a band is read: where it is not so, the log is
taken another way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from sessionkit.contract import RULE, VALUE
from sessionkit.contract.checks import NO_RULE
from sessionkit.readers.flat.bands import NEW_LINE, Band, Key, Mark, Piece, UndecodableError, numbered
from sessionkit.readers.io.invalid_bytes import is_undecodable
from sessionkit.readers.io.log_files import LogFile, is_packed
from sessionkit.readers.stream import NotAsItComesError

LONGEST = 20
"""Digits that a number of a user may have."""
Place = tuple[int, int]
"""Where a line begins, and its number from 0."""
Order = tuple[int, str]
"""What users are ordered by: digits of their number, 0 where the order is that of texts; the user."""


class SplitUserError(NotAsItComesError):
    """Lines of one user are in two bands, or lines are in no order of users at all."""


@dataclass(frozen=True)
class LineSpan:
    """Some lines of a file that stand together.

    Parameters
    ----------
    file, number
        The file, and its number.
    begin, end
        Where the first line begins, and where the lines end; None, at the end of the file.
    line
        The number of the first line, from 0.
    """

    file: LogFile
    number: int
    begin: int
    end: int | None
    line: int


def in_place(
    files: Sequence[LogFile],
    marks: Sequence[Sequence[Mark]],
    read: Callable[[LogFile], pl.LazyFrame],
    key: Key,
    bounds: Sequence[str],
) -> Iterator[Band]:
    """Return the bands of files that are in the order of users.

    Parameters
    ----------
    marks
        Some lines of each file.
    read
        From lines of a file to records.
    bounds
        The users with which bands begin, the first apart.

    Raises
    ------
    SplitUserError
        Some file is in no order, as far as its marks say; a band raises it where its lines are not.
    """
    spans: list[list[LineSpan]] = [[] for _ in range(len(bounds) + 1)]
    for number, (file, lines) in enumerate(zip(files, marks, strict=True)):
        known, digits = _in_order(lines)
        if is_packed(file.path):
            raise SplitUserError
        wanted = [(length, bound) for length in digits for bound in ["", *bounds]]
        places = [(0, 0), *(_place(file, known, order, key) for order in wanted[1:])]
        places = [max(places[: at + 1]) for at in range(len(places))]  # whatever the order, they part the file
        ends = [*(begin for begin, _ in places[1:]), None]
        for at, ((begin, line), end) in enumerate(zip(places, ends, strict=True)):
            if begin != end:
                spans[at % len(spans)].append(LineSpan(file, number, begin, end, line))
    for first, last, found in zip(["", *bounds], [*bounds, None], spans, strict=True):
        if found:
            yield partial(_band, found, read, key.column, first, last)


def _in_order(marks: Sequence[Mark]) -> tuple[list[Mark], range]:
    """Return the marks that are in order, and how many digits numbers of users may have; 0 where the order is that of texts.

    A mark that is not between its neighbors, which are in order, is a broken line.

    Raises
    ------
    SplitUserError
        They are in no order.
    """
    for as_number in (True, False) if marks else ():
        keys = [_order(mark.key, as_number=as_number) for mark in marks]
        near = zip([(0, ""), *keys[:-1]], [*keys[1:], (LONGEST + 2, "")], strict=True)
        known = [
            mark
            for mark, key, (before, after) in zip(marks, keys, near, strict=True)
            if before <= key <= after or before > after
        ]
        kept = [_order(mark.key, as_number=as_number) for mark in known]
        if kept and kept == sorted(kept) and kept[-1][0] <= LONGEST:
            return known, range(1, kept[-1][0] + 2) if as_number else range(1)
    raise SplitUserError


def _order(user: str, *, as_number: bool) -> Order:
    """Return by what a user is ordered."""
    return (len(user) if as_number else 0, user)


def _place(file: LogFile, marks: Sequence[Mark], wanted: Order, key: Key) -> Place:
    """Return the first line whose user is not before the wanted one, in a file that is in order."""
    order = partial(_order, as_number=wanted[0] > 0)
    after = bisect_left(marks, wanted, key=lambda mark: order(mark.key))
    begin, line = (marks[after - 1].place, marks[after - 1].line) if after else (0, 0)
    with file.path.open("rb") as stream:
        stream.seek(begin)
        text = stream.read(marks[after].place - begin if after < len(marks) else -1)

    def of_line(start: int) -> Order:
        found = key.pattern.search(text, start)
        while found is not None and not found[1].strip():  # of a line without user that of the next
            found = key.pattern.search(text, found.end())
        return (LONGEST + 2, "") if found is None else order(found[1].decode(errors="replace"))

    starts = [0, *(np.flatnonzero(np.frombuffer(text, np.uint8) == NEW_LINE) + 1).tolist()]
    lines = bisect_left(starts, wanted, key=of_line)
    return begin + (starts[lines] if lines < len(starts) else len(text)), line + min(lines, len(starts))


def _band(
    spans: Sequence[LineSpan],
    read: Callable[[LogFile], pl.LazyFrame],
    column: str,
    first: str,
    last: str | None,
) -> pl.LazyFrame:
    """Return the records of a band."""
    try:
        records = pl.concat([numbered(read(_piece(span)), span.number) for span in spans]).collect().rechunk()
    except pl.exceptions.ComputeError as error:
        if is_undecodable(error):
            raise UndecodableError from None
        raise
    sound = records[RULE].null_count() == records.height
    users = records[column] if sound else records.filter(pl.col(RULE).is_null())[column]
    if users.null_count() or (users < first).any() or (last is not None and (users >= last).any()):
        raise SplitUserError
    return records.drop(RULE, VALUE, strict=False).lazy().with_columns(NO_RULE) if sound else records.lazy()


def _piece(span: LineSpan) -> Piece:
    """Return the lines of a span, read."""
    with span.file.path.open("rb") as stream:
        stream.seek(span.begin)
        text = stream.read(-1 if span.end is None else span.end - span.begin)
    return Piece(**vars(span.file), text=text, first=span.line + 1)
