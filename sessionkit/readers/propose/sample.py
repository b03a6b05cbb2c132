"""The first rows of a file, read as its reader will read it; how that is, is found out on the way.

How a text is written: what separates its fields, whether quotes keep them together, whether its first line names columns.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.column_names import EVERY, LIKELY, folded, likeness
from sessionkit.readers.io.delimited import SEPARATORS, escaped, read_delimited, read_whitespace, refuse_other_encoding
from sessionkit.readers.io.files import DAMAGED, HEAD, LogFile, cut_short, open_log, unpacked, utf16_of
from sessionkit.readers.io.json import as_ndjson, read_ndjson
from sessionkit.readers.io.tables import WHITESPACE
from sessionkit.readers.io.workbooks import cells_of, filled_down, merged_rows, read_workbook, sheets_of
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.raw import in_memory
from sessionkit.study.checks import RECORD, RULE, VALUE, as_text

SOME = 300
"""Lines by which separators are told apart; quotes are looked for in all."""
AGREEING = 0.6
"""The share of lines that must have as many fields as most."""
NO_NAME = re.compile(
    r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?|\d{4}-\d\d-\d\d.*|\d\d?[:/.]\d\d?[:/.]\d+.*|https?://.*|true|false", re.I
)
"""Numbers, times, addresses, yes and no: what no column is called."""


@dataclass(frozen=True)
class Dialect:
    """How a text is written.

    Parameters
    ----------
    separator
        One character, or ``whitespace``.
    quoted
        Whether quotes keep fields together; None where there are none.
    header
        Whether its first line names the columns; None where that cannot be told, and is supposed.
    names
        The fields of its first line.
    above
        Lines above its header.
    rows
        Rows that name the columns.
    """

    separator: str
    quoted: bool | None
    header: bool | None
    names: tuple[str, ...]
    above: int = 0
    rows: int = 1


def dialect_of(text: str, implied: str | None) -> Dialect | None:
    """Return how a text is written; None where no separator makes a table of it.

    Parameters
    ----------
    text
        Its beginning, in whole lines.
    implied
        The separator that the file's name implies; taken where another does no better.
    """
    every = [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
    lines = every[:SOME]
    order = sorted(SEPARATORS, key=lambda one: (one != implied, SEPARATORS.index(one)))
    found = []
    for place, separator in enumerate(order):
        quoted = _is_quoted(every, separator)
        rows = _rows(lines, separator, quoted=bool(quoted))
        share, many = _evenness(rows)
        if many > 1 and share >= AGREEING:
            found.append(
                ((len(rows[0]) == many, round(share, 1), separator == implied, many, -place), separator, quoted, rows)
            )
    blanks = [line.split() for line in lines]
    share, many = _evenness(blanks)
    even = many > 1 and share > 0.9 and len(blanks[0]) == many
    if found:
        best, separator, quoted, rows = max(found)
        # a comma in each address of a line of blanks makes two even fields
        if not (even and share == 1 and many > best[3] and implied is None and separator != "\t"):
            first, header = header_place(rows)
            names = tuple(field.strip() for field in rows[first])
            above = _lines_above(text, first)
            return Dialect(separator, quoted, has_header(rows[first:]), names, above, header)
    return Dialect(WHITESPACE, None, has_header(blanks), tuple(blanks[0])) if even else None


TOP = 20
"""Rows among which a header is looked for."""


def header_place(rows: Sequence[Sequence[str | None]]) -> tuple[int, int]:
    """Return how many rows stand above the header, and of how many rows it is.

    Above it are rows with few cells, such as a title, and rows without usual names of columns where a later one has them, such
    as what was noted of the study. A second row is of it that names columns which the first leaves
    without a name, as below merged cells, and leaves out those that the first names and all others fill.

    >>> header_place([["A study", ""], ["", ""], ["Task", "Doc"], ["a", "d1"]])
    (2, 1)
    >>> header_place([["Study", "Maps", "3.2.2026"], ["User", "Query", "Rank"], ["u1", "cars", "1"]])
    (1, 1)
    >>> header_place([["User", "Query", ""], ["", "no", "text"], ["u1", "1", "cars"], ["u1", "2", "blue"]])
    (0, 2)
    """
    filled = [[bool((cell or "").strip()) for cell in row] for row in rows[:SOME]]
    most = max(map(sum, filled), default=0)
    wide_rows = [at for at, row in enumerate(filled[:TOP]) if sum(row) >= max(2, most / 2)]
    first = next((at for at in wide_rows if _has_usual_names(rows[at])), wide_rows[0] if wide_rows else 0)
    if first + 2 >= len(rows) or _is_data(rows[first]):
        return (0, 1) if first and _is_data(rows[first]) else (first, 1)
    upper, lower, below = filled[first], filled[first + 1], filled[first + 2 :]
    wide = max(len(upper), len(lower))
    upper, lower = (row + [False] * (wide - len(row)) for row in (upper, lower))
    bare = [at for at in range(wide) if upper[at] and not lower[at]]
    fills = any(lower[at] and not upper[at] for at in range(wide))
    usual = any(sum(at < len(row) and row[at] for row in below) > 0.8 * len(below) for at in bare)
    return (first, 2) if fills and usual and not _is_data(rows[first + 1]) else (first, 1)


def _has_usual_names(row: Sequence[str | None]) -> bool:
    """Return whether half of the cells of a row, and two at least, are usual names of columns."""
    cells = [folded(cell) for cell in row if cell and cell.strip()]
    return sum(cell in EVERY for cell in cells) >= max(2, len(cells) / 2)


def _is_data(row: Sequence[str | None]) -> bool:
    """Return whether a row has what no column is called."""
    return any(NO_NAME.fullmatch((cell or "").strip()) for cell in row)


def _lines_above(text: str, first: int) -> int:
    """Return how many lines stand above a line of a text, that of this number among those that are not blank."""
    places = [at for at, line in enumerate(text.split("\n")) if line.strip()]
    return places[first] if first else 0


def _rows(lines: list[str], separator: str, *, quoted: bool) -> list[list[str]]:
    """Return the fields of lines."""
    if not quoted:
        return [line.split(separator) for line in lines]
    try:
        return [row for row in csv.reader([f"{line}\n" for line in lines], delimiter=separator) if row]
    except csv.Error:
        return []


def _evenness(rows: list[list[str]]) -> tuple[float, int]:
    """Return the share of lines that have as many fields as most have, and how many these are."""
    if not rows:
        return 0.0, 0
    many, times = Counter(map(len, rows)).most_common(1)[0]
    return times / len(rows), many


def _is_quoted(lines: list[str], separator: str) -> bool | None:
    """Return whether quotes keep fields together, None where there are none; else they are data.

    They do where all of the first line, or all values of a column, stand between quotes, where fields come out more even
    by it, and where quotes within quotes are doubled or a carriage return stands between them.
    """
    if not any('"' in line for line in lines):
        return None
    bare, kept = _rows(lines, separator, quoted=False), _rows(lines, separator, quoted=True)
    loose, tight = _evenness(bare), _evenness(kept)
    alike = _column_between_quotes(bare)
    if alike and tight[0] >= loose[0]:
        return True
    if tight[1] == loose[1] and tight[0] > loose[0]:
        return True
    if tight[1] != loose[1]:
        return tight[0] >= loose[0]
    needy = ('""' in field[1:-1] or "\r" in field for row in bare for field in row if _between(field))
    return tight[0] == loose[0] and any(needy)


def _between(field: str) -> bool:
    """Return whether a field stands between quotes."""
    return len(field) > 1 and field.startswith('"') and field.endswith('"')


def _column_between_quotes(rows: list[list[str]]) -> bool:
    """Return whether all of the first line, or all values of a column there are, stand between quotes."""
    if all(map(_between, rows[0])):
        return True
    columns = [[row[at] for row in rows[1:] if at < len(row) and row[at]] for at in range(len(rows[0]))]
    return any(len(column) > 1 and all(map(_between, column)) for column in columns)


def has_header(rows: list[list[str]]) -> bool | None:
    """Return whether the first of some lines names columns; None where nothing says it.

    A line with a number, a time or an address in it does not, unless most of its fields are usual names of columns. One
    does where a field is a usual name, or where a column has numbers in all other lines.
    """
    first = [field.strip().strip('"') for field in rows[0]]
    known = sum(folded(field) in EVERY for field in first)
    if any(NO_NAME.fullmatch(field) for field in first):
        return 2 * known > len(first)
    rest = [[field.strip().strip('"') for field in row] for row in rows[1:]]
    below = [[row[at] for row in rest if at < len(row) and row[at]] for at in range(len(first))]
    if known and not any(name in column for name, column in zip(first, below, strict=True)):
        return True
    contrast = sum(
        bool(column) and 2 * sum(map(bool, map(NO_NAME.fullmatch, column))) > len(column) for column in below
    )
    if contrast:
        return True
    if any(name in column for name, column in zip(first, below, strict=True)):
        return False
    return None


ROWS = 100_000
"""Lines of a file that are looked at."""
BYTES = 1 << 26
"""Bytes of text that are looked at, where lines are long."""
LOOK = 1 << 20
"""Characters that say how a text is written."""
NO_TABLE = (
    "does not look like a table: no comma, tab, semicolon, bar or blank splits its lines into the same number of fields"
)


@dataclass(frozen=True)
class RowsBelowHeader:
    """Rows below a header that are not answers, as survey tools write them.

    Parameters
    ----------
    count
        How many there are.
    texts
        What they say below the name of a column: the text of its question.
    has_import_ids
        Whether the last one is that of Qualtrics' import ids.
    is_sure
        Whether that is sure, and is not asked.
    """

    count: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    has_import_ids: bool = False
    is_sure: bool = True


@dataclass(frozen=True)
class Sample:
    """The first rows of a file.

    Parameters
    ----------
    path, name
        Where it lies, and its name for people.
    kind
        ``text``, ``ndjson`` or ``parquet``.
    options
        How it is written, as study.toml says it: separator, quote, header, encoding.
    frame
        Its columns as they come; without a header they are called by their numbers, from 1.
    texts
        The same as text, null where there is none.
    whole
        Whether these are all of its rows.
    doubts
        What was supposed of how it is written, by the option.
    files, folder
        Its files where it has several, and the folder that has these and no others.
    made
        Columns that the file does not have, with those that they are made from; see ``kinds.py``.
    lower
        Of a header of two rows what stands in the second, by the name of the column.
    known_as
        Of columns of lists inside records what they are fields of, by the name of the column, such as ``query id``.
    outside
        How many rows belong to no list, such as one of totals; they are not among these.
    filled_down
        Columns whose merged cells were filled down.
    blank_below
        Columns with empty cells below values that identify a session or query; here these cells have the value before.
    bare_sheets
        Of the first sheet of a workbook that has a table the others that have none.
    below_header
        Rows below the header that are not among these.
    """

    path: Path
    name: str
    kind: str
    options: dict[str, Any]
    frame: pl.DataFrame
    texts: pl.DataFrame
    whole: bool
    doubts: dict[str, str]
    files: tuple[Path, ...] = ()
    folder: Path | None = None
    made: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lower: Mapping[str, str] = field(default_factory=dict)
    known_as: Mapping[str, str] = field(default_factory=dict)
    outside: int = 0
    filled_down: tuple[str, ...] = ()
    blank_below: tuple[str, ...] = ()
    bare_sheets: tuple[str, ...] = ()
    below_header: RowsBelowHeader = field(default_factory=RowsBelowHeader)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self.frame.columns

    @property
    def named(self) -> bool:
        """Whether its columns have names."""
        return self.options.get("header", True) is not False


def samples_of(path: Path, workspace: Path, *, qrels: bool = False, bare: bool = False) -> list[Sample]:
    """Return the first rows of a file, or of each sheet of a workbook that has rows; `bare`: a text may have a header alone."""
    file = replace(open_log(str(path), Path(), workspace, as_is=True, workbook=True), name=path.name)
    if file.kind != "workbook":
        return [sample_of(path, workspace, qrels=qrels, bare=bare)]
    sheets = sheets_of(path, path.name)
    found = [_of_sheet(file, path, sheet, lone=len(sheets) == 1) for sheet in sheets]
    samples = [sample for sample in found if sample is not None]
    if not samples:
        raise DataError(f"{path.name}: none of its sheets ({', '.join(sheets)}) has a table")
    others = [quoted(sheet) for sheet, sample in zip(sheets, found, strict=True) if sample is None]
    return [replace(samples[0], bare_sheets=tuple(others)), *samples[1:]]


def _of_sheet(file: LogFile, path: Path, sheet: str, *, lone: bool) -> Sample | None:
    """Return the first rows of a sheet; None where it has no table."""
    cells = cells_of(path, file.name, sheet)
    above, _ = header_place(cells.head(SOME).rows())
    merges = [one for one in merged_rows(path, sheet, cells.width) if one.first > above]  # those of the header stay
    rows = filled_down(cells, merges).head(SOME).rows()
    above, header = header_place(rows)
    named = bool(rows) and has_header([[cell or "" for cell in row] for row in rows[above:]]) is not False
    names = [name for name in rows[above] if name] if len(rows) > above else []
    if cells.width < 2 or cells.height < above + header + 1 or (header == 1 and len(set(names)) < len(names)):
        return None
    raw = read_workbook(file, "sessions", sheet=sheet, above=above, header=header if named else 0, keep=in_memory)
    every = raw.frame.collect()
    options = {"sheet": None if lone else sheet, "skip": above or None, "header": _header_option(header, named=named)}
    said = {name: value for name, value in options.items() if value is not None}
    frame = every.head(ROWS) if named else _numbered(every.head(ROWS))
    if not frame.height:
        return None
    found = _sample(
        path, replace(file, name=f"{file.name}, sheet {sheet}"), said, frame, {}, whole=every.height <= ROWS
    )
    second = [(cell or "").strip() for cell in rows[above + 1]] if header > 1 else []
    return replace(
        found, lower=dict(zip(found.columns, second, strict=False)), filled_down=raw.filled_down if named else ()
    )


def _header_option(header: int, *, named: bool) -> int | bool | None:
    """Return what study.toml says of a header."""
    return (header if header > 1 else None) if named else False


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows whose columns are called by their numbers."""
    own = [one for one in frame.columns if one not in (RECORD, RULE, VALUE)]
    return frame.rename({one: str(place) for place, one in enumerate(own, 1)})


def sample_of(path: Path, workspace: Path, *, qrels: bool = False, bare: bool = False) -> Sample:
    """Return the first rows of a file; `qrels` says that these are four fields between blanks, without header.

    One that has only a header is refused, unless it may be `bare`, as one of several of a table.

    Raises
    ------
    DataError
        It is missing, empty, damaged, binary, or no table.
    """
    name = path.name
    file = replace(open_log(str(path), Path(), workspace, as_is=True), name=name)
    if file.kind == "parquet":
        return _of_parquet(file, path)
    with unpacked(path) as stream:
        head = stream.read(HEAD)
    utf16 = utf16_of(head)
    if utf16 is None and b"\0" in head:
        raise DataError(f"{name} is binary, not a table; save it as CSV or tab-separated text, or as Parquet")
    copy = workspace / f"sample-{len(list(workspace.iterdir()))}.txt"
    whole = copy_beginning(file, utf16, copy)
    options, doubts = _encoding(file, copy, utf16)
    text = copy.read_bytes()[: LOOK * 4].decode(errors="replace").removeprefix("\ufeff")[:LOOK]
    if not text.strip():
        raise DataError(f"{name} is empty; it must hold at least a header line")
    kept = replace(file, path=copy, workspace=workspace, head=text[:HEAD].encode())
    kept = as_ndjson(kept)
    if kept.kind == "ndjson":
        frame = read_ndjson(kept, "results").frame.collect()
        return _sample(path, file, options, _sound(frame), doubts, whole=whole)
    lines = text if len(text) < LOOK else text[: text.rfind("\n") + 1]
    dialect = Dialect(WHITESPACE, None, False, ()) if qrels else dialect_of(lines, file.separator)
    if dialect is None:
        fields = [line.split() for line in lines.splitlines()[:SOME]]
        raise DataError(_unnamed_first_column(name, fields) or f"{name} {NO_TABLE}")
    if dialect.header is None:
        doubts["header"] = (
            f"it is unclear whether the first line is a header; it is taken as one: {', '.join(map(quoted, dialect.names[:6]))}"
        )
    said, frame = _rows_of(kept, dialect, lines, skips_idle=qrels)
    return _sample(path, file, options | said, frame, doubts, whole=whole, bare=bare)


def _rows_of(
    file: LogFile, dialect: Dialect, text: str, *, skips_idle: bool = False
) -> tuple[dict[str, Any], pl.DataFrame]:
    """Return how a text is written, as options, and its rows; without a header its columns are called by their numbers."""
    header = dialect.header is not False
    if dialect.separator == WHITESPACE:
        options: dict[str, Any] = {"separator": WHITESPACE, "header": header}
        raw = read_whitespace(file, "sessions", header=header, skips_idle=skips_idle, keep=in_memory)
    else:
        quote = dialect.quoted if dialect.quoted is not None else (False if dialect.separator == "\t" else None)
        said = {
            "separator": dialect.separator if dialect.separator != file.separator else None,
            "quote": False if quote is False else None,
            "skip": dialect.above or None,
            "header": _header_option(dialect.rows, named=header),
        }
        options = {name: value for name, value in said.items() if value is not None}
        raw = read_delimited(
            file,
            "sessions",
            separator=dialect.separator,
            quote=None if quote is False else '"',
            above=dialect.above,
            header=dialect.rows if header else 0,
        )
    every = raw.frame.collect()
    frame = _sound(every)
    if 2 * frame.height < every.height:
        lines = text.splitlines()
        fields = _rows(lines[dialect.above :][:SOME], dialect.separator, quoted=dialect.quoted is True)
        raise DataError(
            _unnamed_first_column(file.name, fields)
            or f"{file.name}: most lines have more or fewer fields than the first, {quoted(lines[0])}; remove the lines "
            "above the header"
        )
    return options, frame if header else _numbered(frame)


def _unnamed_first_column(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return what is wrong with a table whose header lacks one name, as where R writes names of rows; empty for others."""
    if len(rows) < 3 or {len(row) for row in rows[1:]} != {len(rows[0]) + 1} or has_header([*map(list, rows)]) is False:
        return ""
    return (
        f"{name}: its header names {len(rows[0])} columns and its lines have {len(rows[0]) + 1} fields, as where R writes names of rows: "
        f"write a name before {quoted(rows[0][0])} in the header, or save without these (row.names = FALSE)"
    )


def _sound(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that could be taken apart."""
    return frame.filter(pl.col(RULE).is_null()) if RULE in frame.columns else frame


def _of_parquet(file: LogFile, path: Path) -> Sample:
    """Return the first rows of a Parquet file."""
    try:
        frame = pl.scan_parquet(path, glob=False).head(ROWS + 1).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{file.name} cannot be read as Parquet ({str(error).splitlines()[0]})") from None
    return _sample(path, file, {}, frame.head(ROWS), {}, whole=frame.height <= ROWS)


def _sample(
    path: Path,
    file: LogFile,
    options: dict[str, Any],
    frame: pl.DataFrame,
    doubts: dict[str, str],
    *,
    whole: bool,
    bare: bool = False,
) -> Sample:
    """Return rows as they come and as text."""
    own = frame.select(name for name in frame.columns if name not in (RECORD, RULE, VALUE))
    if not own.width or not (own.height or bare):
        raise only_header(file.name)
    own, options = _trimmed(own, options)
    texts = own.select(as_text(name, dtype).alias(name) for name, dtype in own.schema.items())
    texts = texts.with_columns(pl.when(pl.all().str.strip_chars() != "").then(pl.all()))
    blank = _blank_below(texts) if options.get("header", True) is not False else ()
    if blank:
        texts = texts.with_columns(pl.col(blank).forward_fill())
        own = own.with_columns(texts.select(blank))
    return Sample(path, file.name, file.kind, options, own, texts, whole, doubts, blank_below=blank)


OF_SESSIONS, OF_QUERIES = ("session_id", "user_id", "topic_id", "system_id"), ("query_position", "query_id")
"""Columns whose value is often written only in the first of the rows for which it holds."""
BLANK = 0.2
"""The share of rows without a value at the least."""


def _blank_below(texts: pl.DataFrame) -> tuple[str, ...]:
    """Return the columns of results or judgments that identify rows, but have their value in the first row of some alone."""

    def has_name_of(name: str, *ours: str) -> bool:
        return any(likeness(name, one) >= LIKELY for one in ours)

    gaps = {name: texts[name].null_count() / max(texts.height, 1) for name in texts.columns}
    filled = [name for name, share in gaps.items() if share < BLANK]
    if not any(has_name_of(name, "rank", "doc_id") for name in filled):
        return ()
    has_sessions = any(has_name_of(name, "session_id") for name in filled)
    wanted = OF_QUERIES if has_sessions else (*OF_SESSIONS, *OF_QUERIES)
    return tuple(
        name
        for name, share in gaps.items()
        if BLANK <= share < 1 and texts[name][0] is not None and has_name_of(name, *wanted)
    )


def sample_of_rows(path: Path, file: LogFile, options: dict[str, Any], frame: pl.DataFrame, *, whole: bool) -> Sample:
    """Return rows that a reader has made as a sample."""
    return _sample(path, file, options, frame, {}, whole=whole)


def only_header(name: str) -> DataError:
    """Return the error about a file without rows."""
    return DataError(f"{name} has only a header; sessionkit needs rows to propose a study.toml")


def _trimmed(frame: pl.DataFrame, options: dict[str, Any]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return rows without blanks around their texts, and that as an option, where the same texts have them here and there."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    if not texts:
        return frame, options
    bare = frame.with_columns(pl.col(texts).str.strip_chars())
    alike = (bare[name].n_unique() < frame[name].filter(bare[name] != "").n_unique() for name in texts)
    return (bare, {**options, "trim": True}) if any(alike) else (frame, options)


def copy_beginning(file: LogFile, encoding: str | None, copy: Path) -> bool:
    """Write the first lines of a text to a file, from UTF-16 in UTF-8; return whether these are all.

    They end where every quote has been closed, if that is anywhere.
    """
    lines = size = quotes = closed = 0
    try:
        with _opened(file.path, encoding) as stream, copy.open("wb") as target:
            for line in iter(lambda: stream.readline(BYTES), b""):
                target.write(line)
                lines, size, quotes = lines + 1, size + len(line), quotes + line.count(b'"')
                closed = size if quotes % 2 == 0 else closed
                if lines >= ROWS or size >= BYTES:
                    if stream.read(1):
                        target.truncate(closed or size)
                        return False
                    break
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    except UnicodeError as error:
        raise DataError(f"{file.name} begins like UTF-16 but is not ({error}); save it in UTF-8") from None
    return True


def _opened(path: Path, encoding: str | None) -> IO[bytes]:
    """Return the text of a file in UTF-8, or in an encoding that is none known."""
    stream = unpacked(path)
    if encoding is None:
        return stream
    return codecs.EncodedFile(stream, "utf-8", encoding)


def _encoding(file: LogFile, copy: Path, utf16: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the encoding as an option, and what is not sure of it; a copy in no UTF-8 is written anew."""
    if utf16 is not None:
        return {"encoding": utf16}, {}
    content = copy.read_bytes()
    odd = escaped(content)[1]
    if not odd:
        return {}, {}
    guess = next(name for name in ("cp932", "gb18030", "cp1252", "latin-1") if _reads(content, name))
    text = content.decode(guess)
    shown = repr(text.split("\n")[min(odd) - 1].strip()[:60])
    try:
        refuse_other_encoding(replace(file, path=copy))
        is_other = _is_western(content, odd)
    except DataError:
        is_other = True
    if is_other:
        copy.write_text(text, encoding="utf-8", newline="")
        return {"encoding": guess}, {"encoding": f"not UTF-8; read as {guess}, a line of it is {shown}. Is that right?"}
    return {}, {
        "encoding": f"{counted(len(odd), 'line')} not in UTF-8, rejected as they are; in {guess} the first is {shown}. Is the file in that?"
    }


def _is_western(content: bytes, odd: Collection[int]) -> bool:
    """Return whether lines that are not in UTF-8 are all that is beyond ASCII, and have letters there, as in a sheet with few of them."""
    lines = content.split(b"\n")
    others = b"".join(line for number, line in enumerate(lines, 1) if number not in odd)
    beyond = [sign for number in odd for sign in lines[number - 1].decode("latin-1") if sign > "\x7f"]
    return others.isascii() and all(map(str.isalpha, beyond))


def _reads(content: bytes, encoding: str) -> bool:
    """Return whether a text can be in an encoding; one in Shift JIS has kana, one in GB18030 is Chinese, not a letter here and there."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return False
    beyond = [letter for letter in text[:LOOK] if letter > "\x7f"]
    if encoding == "cp932":
        return sum("\u3041" <= letter <= "\u30fc" for letter in set(beyond)) > 0.2 * len(set(beyond))
    if encoding != "gb18030":
        return True
    return sum("\u4e00" <= letter <= "\u9fff" for letter in beyond) > 0.8 * len(beyond) and 2 * len(set(beyond)) > 20
