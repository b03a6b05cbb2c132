"""Where records stay between being read and being checked, so that text is taken apart only once.

Those of a small source stay in memory; those of a large one go, as they come, to a Parquet file in a workspace.

Rows that come some at a time, kept in files of a workspace so that memory holds only a few of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import polars as pl

from sessionkit.errors import lack_of_space
from sessionkit.study.temporary import no_room

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
