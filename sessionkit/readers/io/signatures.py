"""Signatures: the first bytes of files that are not read, such as workbooks and archives, and what to do with each."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

GZIP, ZSTD, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
AS_CSV = "export it as CSV, one file per sheet, and give that"
DESCRIBED = "which needs a study.toml that says what its sheets are: sessionkit init proposes one"
UNPACK = "unpack it and give its files; a single file may be packed as .gz or .zst"
AS_TABLE = "write its tables as CSV or Parquet and give those"
SIGNATURES = (
    (OLE, f"an old Excel workbook or Office document, which is not read; save it as .xlsx, or {AS_CSV}"),
    (b"SQLite format 3\x00", f"an SQLite database, which is not read; {AS_TABLE}"),
    (b"%PDF-", "a PDF document, which has no records; ask for the data as CSV"),
    (b"ARROW1\x00", f"an Arrow file (Feather), which is not read; {AS_TABLE}"),
    (b"\x89HDF\r\n", f"an HDF5 file, which is not read; {AS_TABLE}"),
    (b"Obj\x01", f"an Avro file, which is not read; {AS_TABLE}"),
    (b"$FL2@(#)", f"an SPSS file, which is not read; {AS_TABLE}"),
    (b"<stata_dta>", f"a Stata file, which is not read; {AS_TABLE}"),
    (b"RDX2\n", f"an R data file, which is not read; {AS_TABLE}"),
    (b"RDX3\n", f"an R data file, which is not read; {AS_TABLE}"),
    (b"X\n\x00\x00\x00", f"an R data file, which is not read; {AS_TABLE}"),
    (b"\x80\x04\x95", f"a pickle of Python, which is not opened as it may run code; {AS_TABLE}"),
    (b"\x80\x05\x95", f"a pickle of Python, which is not opened as it may run code; {AS_TABLE}"),
    (b"\xfd7zXZ\x00", f"packed by xz, which is not read; {UNPACK}"),
    (b"7z\xbc\xaf\x27\x1c", f"a 7z archive, which is not read; {UNPACK}"),
    (b"Rar!\x1a\x07", f"a RAR archive, which is not read; {UNPACK}"),
    (b"\x04\x22\x4d\x18", f"packed by lz4, which is not read; {UNPACK}"),
    (b"\x89PNG\r\n", "an image, which has no records; give the log"),
    (b"\xff\xd8\xff", "an image, which has no records; give the log"),
)
"""How files begin, and what they are."""
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
IN_ZIP = (
    (
        b"opendocument.spreadsheet",
        (".ods",),
        f"an OpenDocument spreadsheet, {DESCRIBED}",
    ),
    (b"xl/", (".xlsx", ".xlsm", ".xlsb"), f"an Excel workbook, {DESCRIBED}"),
    (b"word/", (".docx",), "a Word document, which is not read; save the table in it as CSV and give that"),
)
"""What is among the first names in a zip archive, what the archive is then called, and what it is."""
BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")
HTML = re.compile(
    rb"(?:<\?xml[^>]*\?>|(?><!--.*?-->)|\s)*<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL
)
CONTROL = bytes({*range(3, 9), *range(14, 28)})
"""Bytes that texts do not have; others of the first 32 separate lines or fields, or are left by a disk that was full."""
LOOK, SHARE = 4096, 20
"""Bytes that are looked at, one of so many of which being such a byte makes a file binary."""


def unread(head: bytes, name: str) -> str | None:
    r"""Return what a file is that is not read, and what to do with it, in words; None where it may be read.

    Parameters
    ----------
    head
        Its first bytes, unpacked.

    >>> print(unread(b"%PDF-1.7\n%...", "log.csv"))
    a PDF document, which has no records; ask for the data as CSV
    >>> unread(b"session_id,rank\n", "log.csv") is None
    True
    """
    if head.startswith(ZIP):
        suffix = PurePath(name).suffix.lower()
        found = (what for mark, suffixes, what in IN_ZIP if mark in head or suffix in suffixes)
        return next(found, f"a zip archive, which is not read; {UNPACK}")
    if what := next((what for begin, what in SIGNATURES if head.startswith(begin)), None):
        return what
    if head.startswith((GZIP, ZSTD)):
        return "packed twice; unpack it once"
    if BZIP2.match(head):
        return f"packed by bzip2, which is not read; {UNPACK}"
    if head[257:262] == b"ustar":
        return f"a tar archive, which is not read; {UNPACK}"
    if HTML.match(head.removeprefix(codecs.BOM_UTF8)):
        return "a web page (HTML), perhaps a sign-in page; download the file itself"
    if not head.startswith(PARQUET) and utf16_of(head) is None and _is_binary(head[:LOOK]):
        return f"binary, of an unknown kind (it begins with {head[:12]!r}); save it as CSV or Parquet and give that"
    return None


def is_workbook(head: bytes, name: str) -> bool:
    """Return whether a file is a workbook, as far as its first bytes and its name tell."""
    if not head.startswith(ZIP):
        return False
    suffix = PurePath(name).suffix.lower()
    return any(mark in head or suffix in suffixes for mark, suffixes, _ in IN_ZIP[:2])


def utf16_of(head: bytes) -> str | None:
    """Return the encoding of a text in UTF-16, with a byte order mark or every other byte null; None for other text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = head[::2].count(0), head[1::2].count(0)
    if head.startswith(PARQUET) or even + odd < len(head) / 4 or 10 * min(even, odd) > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_binary(head: bytes) -> bool:
    """Return whether bytes are no text: there are null bytes among them, and many that no text has."""
    return b"\0" in head and SHARE * (len(head) - len(head.translate(None, CONTROL))) > len(head)
