"""Files on disk or at an address: found, recognized by their first bytes, unpacked, hashed, and refused when too large to read at once."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import re
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from glob import glob
from pathlib import Path, PurePath
from threading import Thread
from typing import IO, Any, cast

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError, UsageError, lack_of_space, suggestion
from sessionkit.study.batches import count_bytes, memory_budget
from sessionkit.study.storage import named_in_utf8


def digest_of(path: Path) -> Callable[[], str]:
    """Return how to get the SHA-256 of a file, which a thread of its own works out from now on."""
    found: Future[str] = Future()
    Thread(target=_work_out, args=(path, found), daemon=True).start()
    return found.result


def _work_out(path: Path, found: Future[str]) -> None:
    """Set the SHA-256 of a file, or what went wrong."""
    try:
        found.set_result(_sha256(path))
    except Exception as error:  # noqa: BLE001 - raised where the SHA-256 is asked for
        found.set_exception(error)


def _sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


CHINESE = "gb18030"
"""What contains GBK and GB2312."""
PIECE = 1 << 20
UNKNOWN = "\ufffd"


@dataclass(frozen=True)
class InUtf8:
    """A file in UTF-8, the encoding it was in, and how many characters could not be read."""

    file: LogFile
    encoding: str
    unreadable: int = 0


def in_utf8(file: LogFile, encoding: str | None, folder: Path) -> InUtf8:
    """Return a file in UTF-8, copied where it is in another encoding.

    Parameters
    ----------
    encoding
        The name of its encoding; None: UTF-8 where its beginning is that, else that of Chinese logs, GB18030.
    folder
        An existing directory for the copy.

    Raises
    ------
    UsageError
        There is no such encoding.
    DataError
        The file is cut short.
    """
    name = encoding or ("utf-8" if _is_utf8(file.head) else CHINESE)
    try:
        decoder = codecs.getincrementaldecoder(name)("replace")
        if isinstance(decoder.decode(b"", final=True), bytes):
            raise LookupError
    except (LookupError, AssertionError):
        raise UsageError(
            f'{file.name}: encoding {name!r} is unknown; use a name such as "gb18030" or "utf-8"'
        ) from None
    if codecs.lookup(name).name == "utf-8" and encoding is None:
        return InUtf8(file, "UTF-8")
    copy = folder / f"{len(list(folder.iterdir()))}.txt"
    unreadable = 0
    try:
        with unpacked(file.path) as source, copy.open("w", encoding="utf-8", newline="") as target:
            while piece := source.read(PIECE):
                text = decoder.decode(piece)
                unreadable += text.count(UNKNOWN)
                target.write(text)
            target.write(decoder.decode(b"", final=True))
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    with copy.open("rb") as stream:
        head = beginning(stream.read(HEAD))
    return InUtf8(replace(file, path=copy, head=head), name.upper(), unreadable)


def _is_utf8(head: bytes) -> bool:
    """Return whether a text begins in UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


HEAD = 1 << 16
UTF8_BOM = codecs.BOM_UTF8
SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
NDJSON = (".ndjson", ".jsonl")
PACKED = (".gz", ".zst", ".zstd")
BLANK_LINES = re.compile(rb"\A(?:[ \t]*\r?\n)+")
UNPACKED = 100_000_000
"""Bytes that any packed file may unpack to, however small it is."""
RATIO = 300
"""Times its size that a larger file may unpack to: logs come to 5 to 50, and a file of one line over and over to 1,000 and more."""
LINE, TREE = 12, 24
"""Bytes of memory for one of a line, and for one of JSON that becomes objects of Python, most of which are empty lists at worst."""
LONGEST = 16_000_000
"""Bytes that a line or such JSON may have however little memory there is."""
DAMAGED = (EOFError, OSError, zlib.error)
"""What unpacking a file that is cut short or damaged may raise."""


@dataclass(frozen=True)
class LogFile:
    """One file: its name as the user wrote it, where its UTF-8 text (or Parquet) lies, and what it seems to be.

    Copies of it go to `workspace`; `encoding` is what the user said, which stands in `section` of study.toml, where that is known.
    `memory` are the bytes that reading it may use; None, what is used by default.
    In a copy that was made to be readable, `undecoded` are the numbers of the lines that are not in the original, with the bytes
    that are no text (``delimited.py``).
    """

    name: str
    path: Path
    kind: str
    separator: str | None
    head: bytes
    bytes: int
    digest: Callable[[], str]
    workspace: Path
    encoding: str | None = None
    section: str = ""
    memory: int | None = None
    undecoded: Mapping[int, str] = field(default_factory=dict, compare=False)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file as it lies on disk, hexadecimal."""
        return self.digest()


def open_log(
    name: str,
    base: Path,
    workspace: Path,
    *,
    encoding: str | None = None,
    as_is: bool = False,
    section: str = "",
    memory: int | None = None,
    is_beside: bool = False,
    workbook: bool = False,
) -> LogFile:
    """Find and recognize a file.

    Parameters
    ----------
    name
        Path relative to `base`, as the user wrote it.
    workspace
        A directory for the UTF-8 copy of a file in another encoding.
    encoding
        Name of the file's encoding when it is not UTF-8.
    as_is
        Whether to leave a text in UTF-16 to whoever reads it.
    section
        The table of study.toml that can say how it is written; empty where that is none in particular.
    memory
        Bytes that reading it may use; None, what is used by default.
    is_beside
        Whether it may be anything, such as a document in the folder of a log, of which only the lines are counted.
    workbook
        Whether it may be a workbook, of which a sheet is read.

    Raises
    ------
    DataError
        It is missing, a directory, unreadable, empty, cut short, of a kind that is not read, or not in the encoding it should
        be in.
    """
    path = base / name
    name = path.name if Path(name).is_absolute() else name
    if not path.is_file():
        raise _missing(name, path)
    try:
        head = _head(path, name)
    except PermissionError:
        raise DataError(f"{name}: no permission to read {path}") from None
    if not head:
        raise DataError(f"{name} is empty; it must hold at least a header line")
    if workbook and is_workbook(head, name):
        size = path.stat().st_size
        return LogFile(
            name, path.absolute(), "workbook", None, b"", size, digest_of(path), workspace, None, section, memory
        )
    if not is_beside and (what := unread(head, name)):
        raise DataError(f"{name} is {what}")
    text = named_in_utf8(path).absolute()  # absolute, as polars takes ~ for the home folder
    if encoding is not None and not head.startswith(PARQUET):
        text = _transcoded(path, name, encoding, workspace)
        head = _head(text, name)
    elif not as_is and (utf16 := utf16_of(head)):
        raise DataError(f'{name} is in UTF-16; set encoding = "{utf16}" {_in_toml(section)}')
    kind, separator = _kind(path, head)
    if kind != "parquet" and _ends_lines_unseen(head):
        raise DataError(
            f"{name} ends its lines with carriage returns alone, as old Macs did; save it with line feeds, such as by: "
            "tr '\\r' '\\n'"
        )
    size = path.stat().st_size
    return LogFile(
        name, text, kind, separator, beginning(head), size, digest_of(path), workspace, encoding, section, memory
    )


def files_of(folder: Path) -> list[Path]:
    """Return the files in a folder, those that are hidden and the locks of Excel apart, by name."""
    return sorted(path for path in folder.iterdir() if path.is_file() and _is_visible(path))


def _is_visible(path: Path) -> bool:
    """Return whether a file is neither hidden nor a lock of Excel."""
    return not path.name.startswith((".", "~$"))


def paths_in(given: str | Sequence[str], base: Path) -> list[str]:
    """Return the files that study.toml names, relative to it, in the order of their names: files, all in a folder, or by a pattern.

    Raises
    ------
    DataError
        A folder is empty, or no file is like a pattern.
    """
    found: list[str] = []
    for name in [given] if isinstance(given, str) else given:
        place = base / name
        if place.is_dir():
            inside = files_of(place)
            if not inside:
                raise DataError(f"{name}: the folder {place} has no files")
            found += [str(Path(name) / path.name) for path in inside]
        elif "*" in name and not place.exists():
            named = glob(name, root_dir=base)  # noqa: PTH207 - Path.glob refuses a whole path
            alike = sorted(path for path in named if (base / path).is_file() and _is_visible(Path(path)))
            if not alike:
                raise DataError(f"{name}: no file in {base} has a name like this")
            found += alike
        else:
            found.append(name)
    return found


def _ends_lines_unseen(head: bytes) -> bool:
    """Return whether a text has line ends that only XML takes for such."""
    return b"\r" in head.rstrip() and b"\n" not in head and not beginning(head).lstrip().startswith(b"<")


def beginning(head: bytes) -> bytes:
    """Return what a text begins with, after a byte order mark and blank lines.

    >>> beginning(codecs.BOM_UTF8 + b"\\r\\n  \\n\\tb\\n")
    b'\\tb\\n'
    """
    return BLANK_LINES.sub(b"", head.removeprefix(UTF8_BOM))


def unpacked(path: Path, *, again: bool = False) -> IO[bytes]:
    """Open a file for reading, unpacking gzip and zstd by their first bytes; what is read `again` is not counted again.

    Reading a packed file raises DataError after more bytes than an honest file of its size unpacks to.
    """
    return _unpacked(path) if again else count_bytes(_unpacked(path))


def _unpacked(path: Path) -> IO[bytes]:
    """Open a file by its first bytes."""
    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic.startswith(GZIP):
        return _within_ratio(gzip.open(path, "rb"), path)
    if magic == ZSTD:
        import pyarrow as pa  # slow to import, needed for this alone

        return _within_ratio(pa.input_stream(str(path), compression="zstd"), path)
    return path.open("rb")


def _within_ratio(stream: Any, path: Path) -> IO[bytes]:  # noqa: ANN401 - files of gzip and of pyarrow have no type in common
    """Return an unpacked stream that refuses to go on beyond what a file of this size may unpack to."""
    most = max(UNPACKED, RATIO * path.stat().st_size)
    return cast("IO[bytes]", io.BufferedReader(_Unpacking(stream, path.name, most), HEAD))


class _Unpacking(io.RawIOBase):
    """Passes on what is unpacked, up to a number of bytes."""

    def __init__(self, stream: Any, name: str, most: int) -> None:  # noqa: ANN401 - as above
        super().__init__()
        self._stream, self._name, self._most, self._count = stream, name, most, 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read into a buffer and return how much."""
        size: int = self._stream.readinto(buffer)
        self._count += size
        if self._count > self._most:
            raise DataError(
                f"{self._name} unpacks to more than {RATIO} times its size (over {self._most // 10**6:,} MB), as files do "
                "that are damaged or made to fill memory and disks. If it is a log, unpack it and give the unpacked file"
            )
        return size

    def close(self) -> None:
        """Close the packed file as well."""
        self._stream.close()
        super().close()


def content_of(file: LogFile) -> bytes:
    """Return all bytes of a file, for kinds of file that are small.

    Raises
    ------
    DataError
        It is cut short, or is too long for the memory there is.
    """
    most = longest_text(file.memory, TREE)
    try:
        with unpacked(file.path) as stream:
            content = stream.read(most + 1)
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    if len(content) > most:
        raise DataError(
            f"{file.name} is longer than {as_size(most)}, the most that the memory limit allows of a file that is read "
            f"as a whole (it takes up to {TREE} times its length); allow more with --memory"
        )
    return content


def text_of(file: LogFile) -> str:
    """Return all text of such a file.

    Raises
    ------
    DataError
        It is not UTF-8, is cut short, or is too long for the memory there is.
    """
    try:
        return content_of(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise not_utf8(file) from None


def is_packed(path: Path) -> bool:
    """Return whether a file is packed by gzip or zstd."""
    with path.open("rb") as stream:
        return stream.read(4).startswith((GZIP, ZSTD))


def unpacked_path(file: LogFile, folder: Path) -> Path:
    """Return where a file lies unpacked: itself, or a copy in a new folder, without the ending of packed files.

    Raises
    ------
    DataError
        It is cut short.
    """
    if not is_packed(file.path):
        return file.path
    folder.mkdir()
    copy = folder / (file.path.stem if file.path.suffix in PACKED else file.path.name)
    try:
        with unpacked(file.path) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, PIECE)
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    return copy


def longest_text(memory: int | None, times: int) -> int:
    """Return the most bytes that a text may have within so much memory, of which it takes so many times its length."""
    return max(LONGEST, memory_budget(memory) // times)


def as_size(size: int) -> str:
    """Return a number of bytes as ``--memory`` takes it, rounded up."""
    unit, name = (10**9, "GB") if size >= 10**10 else (10**6, "MB")
    return f"{-(-size // unit)}{name}"


def not_utf8(file: LogFile) -> DataError:
    """Return the error for text that is not UTF-8."""
    line = _undecodable(file.path)
    where = f" (line {line:,})" if line else ""
    if file.encoding is not None:
        return DataError(f"{file.name} is not in the encoding {file.encoding!r} that study.toml gives{where}")
    return DataError(
        f'{file.name} is not UTF-8{where}; set encoding = "latin-1" (or what it is) {_in_toml(file.section)}'
    )


def _in_toml(section: str) -> str:
    """Return where study.toml says how a file is written."""
    return f"under [{section}] in study.toml" if section else "for it in study.toml"


def _undecodable(path: Path) -> int | None:
    """Return the number of the first line that is not UTF-8."""
    with unpacked(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def cut_short(name: str, reason: object) -> Exception:
    """Return the error for a compressed file that ends early or is damaged, or the reason itself where a disk is full."""
    if isinstance(reason, OSError) and lack_of_space(reason):
        return reason
    return DataError(f"{name} cannot be unpacked; it is cut short or damaged ({reason}); download it again")


def _missing(name: str, path: Path) -> DataError:
    """Return the error for a file that is not there, naming the nearest one that is."""
    if path.is_dir():
        return DataError(f"{name}: {path} is a directory where a file is needed")
    if path.exists():
        return DataError(f"{name}: {path} is a device or a pipe; write its output to a file and give that")
    folder = path.parent
    if not folder.is_dir():
        return DataError(f"{name}: no such file; looked for {path}, whose folder does not exist")
    there = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    return DataError(f"{name}: no such file; looked for {path}{suggestion(path.name, there)}")


def _head(path: Path, name: str) -> bytes:
    """Return the first bytes of a file, unpacked."""
    try:
        with unpacked(path) as stream:
            return stream.read(HEAD)
    except PermissionError:
        raise
    except DAMAGED as error:
        raise cut_short(name, error) from None


def _kind(path: Path, head: bytes) -> tuple[str, str | None]:
    """Return ``parquet``, ``ndjson`` or ``text``, and the separator a name like .csv or .tsv.gz implies."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if head.startswith(PARQUET):
        return "parquet", None
    if suffix in NDJSON or (suffix not in SEPARATORS and head.removeprefix(UTF8_BOM).lstrip().startswith(b"{")):
        return "ndjson", None
    return "text", SEPARATORS.get(suffix)


def _transcoded(path: Path, name: str, encoding: str, workspace: Path) -> Path:
    """Return a UTF-8 copy of a file in another encoding; bytes that are none of its characters stay as they are."""
    try:
        "".encode(encoding)  # unlike codecs.lookup, refuses those that are not for text, such as base64
    except (LookupError, ValueError):
        raise DataError(
            f'{name}: encoding {encoding!r} is unknown; use a name such as "latin-1", "cp1252" or "utf-16"'
        ) from None
    copy = workspace / f"{len(list(workspace.iterdir()))}-{path.name}.txt"
    try:
        with (
            codecs.getreader(encoding)(unpacked(path), "surrogateescape") as source,
            copy.open("w", encoding="utf-8", errors="surrogateescape", newline="") as target,
        ):
            while chunk := source.read(1 << 20):
                target.write(chunk)
    except UnicodeError as error:
        raise DataError(f"{name} is not in the encoding {encoding!r} that study.toml gives ({error})") from None
    except DAMAGED as error:
        raise cut_short(name, error) from None
    return copy


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
