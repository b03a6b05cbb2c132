"""Partitions of a saved study: the sessions that have one value in a column, in folders of their own.

A folder is called as Hive calls it, ``system_id=bm25``; the files keep the column, so nothing is read out of a name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import quote, unquote

import polars as pl

from sessionkit.errors import UsageError, suggestion
from sessionkit.study.batches import in_order
from sessionkit.study.storage import LOG, StudyBatch
from sessionkit.study.study import Study

NULL = "__HIVE_DEFAULT_PARTITION__"
"""What stands for null in the name of a folder."""
LONGEST = 150
"""Characters of a folder's name; longer ones end in a hash."""
MOST = 10_000
"""Partitions of a study: each is at least three files."""
PARTITION = "__partition"
SHORTENED = re.compile(rf"(?P<beginning>[A-Za-z0-9_.~%=-]{{{LONGEST - 33}}})\+[0-9a-f]{{32}}")
"""Names of folders that end in a hash."""


def folder_of(name: str, value: str | None) -> str:
    """Return the name of the folder of a partition; different values have different names.

    Parameters
    ----------
    name
        The column.
    value
        Its value as text; None for null. Everything but letters and digits of ASCII and ``_.-~`` is written as %XX.

    Examples
    --------
    >>> folder_of("system_id", "BM25/a b"), folder_of("system_id", None)
    ('system_id=BM25%2Fa%20b', 'system_id=__HIVE_DEFAULT_PARTITION__')
    """
    text = NULL if value is None else quote(value, safe="")
    if value == NULL:
        text = text.replace("_", "%5F")
    if text.endswith("."):  # which some file systems do not keep
        text = f"{text[:-1]}%2E"
    whole = f"{quote(name, safe='')}={text}"
    if len(whole) > LONGEST:
        whole = f"{whole[: LONGEST - 33]}+{hashlib.sha256(whole.encode()).hexdigest()[:32]}"
    return whole


def is_partition_folder(name: str, folder: str) -> bool:
    """Return whether `folder_of` gives a folder this name for some value of the column.

    >>> is_partition_folder("system_id", "system_id=BM25%2Fa%20b"), is_partition_folder("system_id", "../system_id=a")
    (True, False)
    """
    beginning = f"{quote(name, safe='')}="
    if shortened := SHORTENED.fullmatch(folder):
        return shortened["beginning"].startswith(beginning[: LONGEST - 33])
    value = unquote(folder.removeprefix(beginning))
    return folder in (folder_of(name, value), folder_of(name, None))


def names_folders(dtype: pl.DataType) -> bool:
    """Return whether values of this type can name folders."""
    return not dtype.is_nested() and dtype != pl.Binary


def require_partition_column(study: Study, name: str) -> None:
    """Refuse a column that the sessions do not have, or that has no or too many values to make folders of.

    Raises
    ------
    UsageError
        It is such a column.
    """
    known = study.columns("sessions")
    if name not in known:
        raise UsageError(
            f"partition_by={name}: no such column in sessions; choose from {', '.join(known)}{suggestion(name, known)}"
        )
    dtype = study.sessions.collect_schema()[name]
    if not names_folders(dtype):
        raise UsageError(f"partition_by={name}: it is {dtype}, which cannot name a folder; choose another column")
    many = study.sessions.select(pl.col(name).n_unique()).collect().item()
    if many > MOST:
        raise UsageError(
            f"partition_by={name}: it has {many:,} values, and each would be a folder; choose a column with at most {MOST:,}"
        )


def by_partition(parts: Iterable[StudyBatch], name: str, rows: int) -> Iterator[StudyBatch]:
    """Sort slices with all their columns into partitions, and hand them on in slices of one partition each.

    Parameters
    ----------
    rows
        About how many results are held back until there are enough for a slice.
    """
    kept: dict[tuple[str | None, bool], list[StudyBatch]] = {}
    held: dict[tuple[str | None, bool], int] = {}
    empty = None
    for part in parts:
        if not len(part.sessions):
            empty = part
            continue
        for value, piece in _pieces(part, name):
            key = (value, piece.numbered)
            kept.setdefault(key, []).append(piece)
            held[key] = held.get(key, 0) + len(piece.sessions) + len(piece.queries) + len(piece.results)
        while sum(held.values()) > rows:
            largest = max(held, key=lambda key: held[key])
            del held[largest]
            yield _together(kept.pop(largest), folder_of(name, largest[0]))
            empty = None
    if empty is not None and not kept:  # a study without sessions has one part nevertheless
        yield replace(empty, folder=folder_of(name, None))
    for value, numbered in list(kept):
        yield _together(kept.pop((value, numbered)), folder_of(name, value))


def _pieces(part: StudyBatch, name: str) -> Iterator[tuple[str | None, StudyBatch]]:
    """The sessions of a slice by their value, as text."""
    value = part.sessions.select("session_id", pl.col(name).cast(pl.String).alias(PARTITION))
    if value.get_column(PARTITION).n_unique() == 1:
        yield value.item(0, PARTITION), part
        return
    frames = [
        part.sessions.with_columns(value.get_column(PARTITION)),
        *(
            frame.join(value, on="session_id", how="left", maintain_order="left")
            for frame in (part.queries, part.results)
        ),
    ]
    found = [frame.partition_by(PARTITION, maintain_order=True, as_dict=True, include_key=False) for frame in frames]
    none = [part.queries.clear(), part.results.clear()]
    for key, sessions in found[0].items():
        queries, results = (rows.get(key, empty) for rows, empty in zip(found[1:], none, strict=True))
        yield key[0], StudyBatch(sessions, queries, results, part.numbered)


def _together(pieces: list[StudyBatch], folder: str) -> StudyBatch:
    """Several slices of one partition as one, in order."""
    sessions, queries, results = (in_order(pl.concat([getattr(piece, name) for piece in pieces]), name) for name in LOG)
    return StudyBatch(sessions, queries, results, pieces[0].numbered, folder)
