"""Records of one source before they are checked, with a way back to their raw text, and the folder in which they are kept meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.display.numbers import listed
from sessionkit.errors import DataError, lack_of_space
from sessionkit.readers.io.files import unpacked
from sessionkit.study.checks import CELLS, NO_CELLS, RECORD, RULE, VALUE, cell, without_bytes
from sessionkit.study.package import no_room

LINE, RAW, SOURCE, OWN = "line", "raw", "source", "own"
MARK = "__mark"
"""Private column of results whose source says which text means that a list was empty: EMPTY, WORDED or null."""
EMPTY, WORDED = 1, 2
"""Marks of records that say so, and of results in which the text stands in some other column."""
OF_SHEET = ", sheet "
"""What stands between the names of a workbook and of its sheet, in that of a source."""
READ_BY = "read by the module "
"""Beginning of the note that names the plugin which read a log."""
NAMED_SOURCES = 3
"""Names of sources that a sentence gives at most."""
NEW_LINE = ord("\n")
BLOCK = 1 << 20
"""Bytes of a file in which lines are looked for at a time."""
Locate = Callable[[pl.Series], pl.DataFrame]
"""From distinct record numbers to a frame of RECORD, LINE (null where unknown) and RAW, one row per record; where the records
are those of several sources, with SOURCE and OWN, the number that the record has in its own."""


def joined_sources(names: Sequence[str]) -> str:
    """Return what a sentence calls the sources of one table: by the first three of their names, where they are many.

    >>> joined_sources(["a.csv", "b.csv"]), joined_sources([f"{day}.csv" for day in range(1, 51)])
    ('a.csv and b.csv', '1.csv, 2.csv, 3.csv and 47 more files')
    >>> joined_sources([f"log.xlsx{OF_SHEET}P{number}" for number in range(1, 51)])
    'log.xlsx, sheets P1, P2, P3 and 47 more'
    """
    if len(names) <= NAMED_SOURCES:
        return listed(names)
    more = f"and {len(names) - NAMED_SOURCES:,} more"
    books = {name.partition(OF_SHEET)[0] for name in names if OF_SHEET in name}
    if len(books) == 1 and all(OF_SHEET in name for name in names):
        sheets = [name.partition(OF_SHEET)[2] for name in names[:NAMED_SOURCES]]
        return f"{books.pop()}, sheets {', '.join(sheets)} {more}"
    return f"{', '.join(names[:NAMED_SOURCES])} {more} files"


@dataclass(frozen=True)
class Raw:
    """One source of one table.

    Parameters
    ----------
    table
        The table it is for.
    source
        The source's name, for people.
    frame
        Its columns and :data:`~sessionkit.study.checks.RECORD`; records the reader could not take apart carry
        :data:`~sessionkit.study.checks.RULE` and :data:`~sessionkit.study.checks.VALUE`; values that it set aside stand in
        :data:`~sessionkit.study.checks.CELLS`.
    records
        How many records there are, counted by the reader.
    locate
        Finds the line and raw text of records that were rejected.
    bytes, digest
        Of the file as it lies on disk, and how to get its SHA-256, which may take a while; None for frames.
    timezone
        Zone of times that carry none.
    empty_list
        Text that means the query returned nothing; the frame then has :data:`MARK`.
    base
        0 or 1 for each column that is declared to count from it.
    without_results
        Of queries: the declared results_status of those without result rows.
    kind
        What its records are, where one file holds several kinds.
    members
        The sources it was put together from (``checks/rows.py``), each after the number of its records' forerunners.
    merged, idle
        How many of `records` went into rows made of others, and how many carry nothing; neither are in `frame`.
    in_memory
        Whether `frame` is in memory as a whole, so that any slice of it is there at once.
    filled_down
        Columns of a sheet whose merged cells were filled down.
    """

    table: str
    source: str
    frame: pl.LazyFrame
    records: int
    locate: Locate
    bytes: int | None = None
    digest: Callable[[], str] | None = None
    timezone: str | None = None
    empty_list: str | None = None
    base: Mapping[str, int] = field(default_factory=dict)
    without_results: str | None = None
    kind: str = ""
    members: tuple[tuple[int, Raw], ...] = ()
    merged: int = 0
    idle: int = 0
    in_memory: bool = False
    filled_down: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Whether it came from a file, which a study.toml can describe."""
        return self.digest is not None

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the file, hexadecimal; None for frames."""
        return None if self.digest is None else self.digest()

    @property
    def parted(self) -> tuple[tuple[int, Raw], ...]:
        """Its members, or itself as the only one."""
        return self.members or ((0, self),)


Sources = Mapping[str, Sequence[Raw]]
"""The sources of each table; only judgments may have several."""


@contextmanager
def read_through(source: str) -> Iterator[None]:
    """Name the source in the error where its records turn out to be damaged only when they are read.

    Raises
    ------
    DataError
        They are.
    """
    try:
        yield
    except (pl.exceptions.ComputeError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{source} cannot be read to its end; it is damaged ({reason}); download it again") from None


RESERVED = (RECORD, RULE, VALUE, CELLS, MARK, "__text", "__object", "__undecoded")
"""Names of columns that readers of files add or use on the way."""


def without(
    frame: pl.LazyFrame, column: str, rule: str, broken: pl.Expr, *, name: str | None = None, longest: int = 200
) -> pl.LazyFrame:
    """Return records with values of a column missing, and among CELLS, where they break a rule.

    Parameters
    ----------
    frame
        RECORD, CELLS, the column and, perhaps, RULE: records that broke one already stay as they are.
    broken
        Of each record alone: whether its value breaks the rule (null: no).
    name
        What the column is called in the accounts.
    longest
        Characters of the value that are kept there; the whole record is kept as well.
    """
    value = pl.col(column).cast(pl.String).str.slice(0, longest)

    def parted(records: pl.DataFrame) -> pl.DataFrame:
        whole = pl.col(RULE).is_null() if RULE in records.columns else pl.lit(value=True)
        unfit = records.select(broken.fill_null(value=False) & whole).to_series()
        if not unfit.any():  # as is mostly so
            return records
        told = pl.concat_list(pl.coalesce(CELLS, NO_CELLS), cell(name or column, rule, value, pl.col(RECORD)))
        return records.with_columns(
            pl.when(unfit).then(told).otherwise(CELLS).alias(CELLS), pl.when(~unfit).then(column).alias(column)
        )

    return frame.map_batches(
        parted, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, streamable=True
    )


def gathered(rows: pl.LazyFrame, records: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows with the CELLS of all records of a session in the first row of it; records may have gone into other rows."""
    filled = records.select("session_id", CELLS).filter(pl.col(CELLS).list.len() > 0).collect()
    if filled.is_empty():  # as is mostly so; the column is there all the same, since other batches may have some
        return rows.with_columns(pl.lit(None, dtype=filled.schema[CELLS]).alias(CELLS))
    cells = filled.explode(CELLS).group_by("session_id", maintain_order=True).agg(CELLS)
    joined = rows.join(cells.lazy(), on="session_id", how="left", maintain_order="left")
    return joined.with_columns(pl.when(pl.col("session_id").is_first_distinct()).then(CELLS))


def refuse_reserved(names: Iterable[str], source: str) -> None:
    """Raise DataError where a file has a column of a name that its reader uses itself."""
    for name in names:
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise DataError(f"{source}: column {name!r} reads as a pattern of names; rename it")
        if name in RESERVED or name.startswith("__spare"):
            raise DataError(f"{source}: column {name!r} begins with two underscores, which are reserved; rename it")


def no_way_back(records: pl.Series) -> pl.DataFrame:
    """Return nothing of the raw text, of which nothing is known."""
    none = pl.lit(None, dtype=pl.Int64).alias(LINE), pl.lit(None, dtype=pl.String).alias(RAW)
    return records.alias(RECORD).to_frame().with_columns(none)


def as_json(frame: pl.LazyFrame) -> Locate:
    """Return a way back for sources without text lines: the record as one JSON object."""

    types = frame.collect_schema()

    def locate(records: pl.Series) -> pl.DataFrame:
        found = frame.filter(pl.col(RECORD).is_in(records.implode()))
        values = [without_bytes(pl.col(name), dtype).alias(name) for name, dtype in types.items() if name != RECORD]
        raw = pl.struct(values).struct.json_encode()
        return found.select(RECORD, pl.lit(None, dtype=pl.Int64).alias(LINE), raw.alias(RAW)).collect()

    return locate


def as_lines(path: str, first_record: int) -> Locate:
    """Return a way back for sources where every line is a record, the first of them on this line."""

    def locate(records: pl.Series) -> pl.DataFrame:
        numbers = records.sort().to_numpy() + (first_record - 1)
        texts = _texts(Path(path), numbers)
        line = pl.Series(LINE, numbers[: len(texts)], dtype=pl.Int64)
        return pl.DataFrame([(line - first_record + 1).alias(RECORD), line, pl.Series(RAW, texts, dtype=pl.String)])

    return locate


def _texts(path: Path, numbers: NDArray[np.int64]) -> list[str]:
    r"""Return the lines of these numbers, which rise, bytes that are no UTF-8 spelled as ``\xe9``; those after the last end it."""
    texts: list[str] = []
    before = 0
    with unpacked(path, again=True) as stream:  # a file that polars scans is in memory as a whole
        while len(texts) < len(numbers) and (block := stream.read(BLOCK) + stream.readline()):
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEW_LINE) + 1
            ends = ends if block.endswith(b"\n") else np.append(ends, len(block))
            here = numbers[len(texts) : np.searchsorted(numbers, before + len(ends), side="right")] - before - 1
            lines = (block[start:end] for start, end in zip(np.append(0, ends)[here], ends[here], strict=True))
            texts += [line.removesuffix(b"\n").removesuffix(b"\r").decode(errors="backslashreplace") for line in lines]
            before += len(ends)
    return texts


Keep = Callable[[pl.LazyFrame], pl.LazyFrame]
"""From a frame that is expensive to read to one of the same rows that can be read again and again."""
ROW_GROUP = 2**17
"""Rows of a group, small enough that a range of sessions reads little besides its own."""
MANY = 20_000
"""Rows of a batch."""
Schema = Mapping[str, pl.DataType | type[pl.DataType]]


def batches(rows: Iterable[Mapping[str, Any]], schema: Schema) -> Iterator[pl.DataFrame]:
    """Return rows as frames of this schema, one at least."""
    rest, first = iter(rows), True
    while True:
        frame = pl.DataFrame([{name: row.get(name) for name in schema} for row in islice(rest, MANY)], schema=schema)
        if frame.is_empty() and not first:
            return
        yield frame
        first = False


def in_files(frames: Iterable[pl.DataFrame], workspace: Path) -> pl.LazyFrame:
    """Return frames of one schema, one at least, as one that is in files of the workspace."""
    folder = workspace / f"batch{len(list(workspace.iterdir()))}"
    folder.mkdir()
    files: list[Path] = []
    for frame in frames:
        files.append(folder / f"{len(files):06}.parquet")
        with room_in(workspace):
            frame.write_parquet(files[-1])
    return pl.scan_parquet(files, glob=False)


def in_memory(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Keep the records in memory."""
    return frame.collect().lazy()


def in_place(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Keep the records where they are."""
    return frame


@dataclass(frozen=True)
class OnDisk:
    """Keeps records in files of a folder.

    Parameters
    ----------
    folder
        The workspace, an existing directory.
    """

    folder: Path

    def __call__(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Keep the records in a file."""
        path = self.folder / f"{len(list(self.folder.iterdir())):05}.parquet"
        with room_in(self.folder):
            frame.sink_parquet(path, compression="lz4", statistics=True, row_group_size=ROW_GROUP, maintain_order=True)
        return pl.scan_parquet(path, glob=False)


def split(
    rows: pl.LazyFrame,
    column: str,
    folder: Path,
    *,
    group: int,
    compression: Literal["lz4", "zstd"] = "zstd",
    statistics: bool = True,
) -> None:
    """Write rows to files of a folder by the value of a column, which is left out.

    All files are open at the same time, and each holds `group` rows before it writes them.
    """
    by_value = pl.PartitionBy(folder, key=column, include_key=False)
    rows.sink_parquet(by_value, compression=compression, statistics=statistics, row_group_size=group, mkdir=True)


def split_off(folder: Path, column: str, value: int | Literal["*"]) -> list[Path]:
    """Return the files that :func:`split` wrote for a value, or for all of them."""
    return sorted(folder.glob(f"{column}={value}/*.parquet"))


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Say where room is needed when temporary files fill a disk.

    Raises
    ------
    SpaceError
        They do.
    """
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        if (lack := lack_of_space(error)) is None:
            raise
        raise no_room(folder.parent, lack) from None
