"""Lines with bytes that are no text, in files whose other lines are: each is a record that breaks a rule, the others are read.

polars refuses such a file as a whole. Only then is it looked through line by line, and read again (or the piece of it that
was being read) with those bytes spelled ``\\xe9``, so that the fields of the line that are whole still say where it belongs.
A file of which every tenth line is such a line is taken to be in another encoding, and refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import IO

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.io.log_files import DAMAGED, HEAD, LogFile, beginning, cut_short, not_utf8, unpacked

DECODED = "line_can_be_decoded"
"""The rule about lines with bytes that are no text."""
UNDECODED = "__undecoded"
"""Private column: the bytes of a line that are no text, null where it has none."""
Check = Callable[[], object]
"""What is asked before the first of these lines is kept aside; it raises where there are too many."""
FEW = 10
"""Such lines, fewer than which are kept aside unless they are half of the file."""
SHARE = 10
"""One of so many lines being such a line makes a file one in another encoding."""
BLOCK = 4 << 20
SPELLED = r"\\x[89a-f][0-9a-f]"
"""Such a byte as it is spelled."""
BYTES = re.compile("[\udc80-\udcff]+")
"""Bytes that are no text, as Python's ``surrogateescape`` has them."""


def is_undecodable(error: Exception) -> bool:
    """Return whether polars failed at bytes that are no UTF-8; what it says of other failures may quote the log."""
    return (
        isinstance(error, pl.exceptions.ComputeError)
        and re.match("invalid utf-?8", str(error), re.IGNORECASE) is not None
    )


def escaped(text: bytes, first: int = 1, *, doubled: bool = False) -> tuple[bytes, dict[int, str]]:
    r"""Return lines with the bytes that are no UTF-8 spelled as such, and the first of these bytes by the number of the line.

    Parameters
    ----------
    first
        The number of the first line.
    doubled
        Whether backslashes are doubled, as they are in the texts of JSON.

    >>> escaped(b"a\nk\xe9se\n", 7)
    (b'a\nk\\xe9se\n', {8: '\\xe9'})
    """
    found: dict[int, str] = {}
    if text.isascii():
        return text, found
    lines = text.split(b"\n")
    for place, line in enumerate(lines):
        if line.isascii():
            continue
        decoded = line.decode(errors="surrogateescape")
        bad = BYTES.search(decoded)
        if bad is not None:
            found[first + place] = _spelled(bad[0])
            spelled = BYTES.sub(lambda those: _spelled(those[0], doubled=doubled), decoded)
            lines[place] = spelled.encode()
    return (b"\n".join(lines) if found else text), found


def mended(file: LogFile, *, doubled: bool = False) -> LogFile:
    """Return a file of which some lines cannot be decoded as one of which all can, and which tells these.

    `doubled` is as :func:`escaped` takes it.

    Raises
    ------
    DataError
        So many cannot that it is in another encoding, or it is cut short.
    """
    copy = file.workspace / f"{len(list(file.workspace.iterdir()))}-mended.txt"
    with copy.open("wb") as target:
        undecoded = _looked_through(file, target, doubled=doubled)
    with copy.open("rb") as stream:
        head = beginning(stream.read(HEAD))
    return replace(file, path=copy, head=head, undecoded=undecoded)


def whole(file: LogFile) -> LogFile:
    """Return a file as it is where all lines of it can be decoded, else :func:`mended`."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with unpacked(file.path) as stream:
            while block := stream.read(BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return mended(file)
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    return file


def refuse_other_encoding(file: LogFile) -> None:
    """Raise DataError where so many lines cannot be decoded that a file is in another encoding."""
    _looked_through(file, None)


def nothing() -> None:
    """Do nothing."""


def told(undecoded: Mapping[int, str]) -> pl.Expr:
    """Return of each record the bytes that are no text, null where it is none of these."""
    numbers = pl.Series(list(undecoded), dtype=pl.Int64)
    return pl.col(RECORD).replace_strict(numbers, list(undecoded.values()), default=None, return_dtype=pl.String)


def with_undecoded(frame: pl.LazyFrame, undecoded: Mapping[int, str]) -> pl.LazyFrame:
    """Return records that have RULE and VALUE, those marked whose numbers are among these."""
    if not undecoded:
        return frame
    return marked(frame.with_columns(told(undecoded).alias(UNDECODED)))


def marked(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return records, those marked that have bytes in UNDECODED, which is left out.

    Fields that have such bytes are null in them: no session or document has a name with them.
    """
    bad = pl.col(UNDECODED).is_not_null()
    own = (RULE, VALUE, UNDECODED)
    texts = [name for name, dtype in frame.collect_schema().items() if dtype == pl.String and name not in own]
    return frame.with_columns(
        *(pl.when(~(bad & pl.col(name).str.contains(SPELLED))).then(name).alias(name) for name in texts),
        pl.when(bad).then(pl.lit(DECODED)).otherwise(RULE).alias(RULE),
        pl.when(bad).then(UNDECODED).otherwise(VALUE).alias(VALUE),
    ).drop(UNDECODED)


def _looked_through(file: LogFile, target: IO[bytes] | None, *, doubled: bool = False) -> dict[int, str]:
    """Return the lines that cannot be decoded; write all lines so that they can be."""
    undecoded: dict[int, str] = {}
    number = filled = beyond = 0
    try:
        with unpacked(file.path) as source:
            while block := source.read(BLOCK):
                block += source.readline()
                text, found = escaped(block, number + 1, doubled=doubled)
                undecoded |= found
                lines = block.count(b"\n") + (not block.endswith(b"\n"))
                filled += lines - block.count(b"\n\n") - block.count(b"\n\r\n")
                if not block.isascii():
                    beyond += sum(not line.isascii() for line in block.split(b"\n")) - len(found)
                number += lines
                if target is not None:
                    target.write(text)
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    many = len(undecoded)
    if 2 * many >= filled or (many >= FEW and SHARE * many > filled and many > beyond):
        raise not_utf8(file)
    return undecoded


def _spelled(those: str, *, doubled: bool = False) -> str:
    """Return bytes that are no text as text."""
    before = "\\\\x" if doubled else "\\x"
    return "".join(f"{before}{ord(one) - 0xDC00:02x}" for one in those)
