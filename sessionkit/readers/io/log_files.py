"""Files as they lie on disk: found, recognized, unpacked, hashed; every way they can disappoint is a DataError.

What a file is, is read from its first bytes (gzip, zstd, Parquet, NDJSON); only the separator of delimited text comes
from its name.

The SHA-256 of a file is worked out while it is being read. Nobody waits for
the thread that does it but who asks for the SHA-256: a program that fails at the first line of a large file ends then,
not when all of it has been hashed.

A log in another encoding is copied to UTF-8, with nothing lost but what cannot be read.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import re
import shutil
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from glob import glob
from pathlib import Path
from threading import Thread
from typing import IO, Any, cast

from sessionkit.errors import DataError, UsageError, lack_of_space, suggestion
from sessionkit.readers.io.signatures import GZIP, PARQUET, ZSTD, is_workbook, unread, utf16_of
from sessionkit.study.locations import named_in_utf8
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.progress import counted


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
    that are no text (``invalid_bytes.py``).
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
    return _unpacked(path) if again else counted(_unpacked(path))


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
