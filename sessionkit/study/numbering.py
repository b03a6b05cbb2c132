"""Numbers in place of ids: rows by session, judgments by key and document, and fast lookup of values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.errors import DataError
from sessionkit.study.checks import begins
from sessionkit.study.facts import LIST

QUERIES, RESULTS, LENGTH = "__queries", "__results", "__length"


KEY, JUDGMENT = "__key", "__judgment"
"""Private columns of saved judgments: the numbers of their key and of their pair."""


PRIVATE = {
    "sessions": (QUERIES, RESULTS),
    "queries": (LENGTH,),
    "results": (JUDGMENT,),
    "judgments": (KEY, JUDGMENT),
}
"""Private columns of each table of a saved study."""
NO_KEY = 2**32 - 1
"""Stands for the number of a key for which nothing is judged."""


def public(frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """A table without its private columns."""
    return frame.drop(PRIVATE.get(name, ()), strict=False)


def session_of(rows: pl.DataFrame, sessions: pl.Series, table: str) -> pl.Series:
    """Row number of the session of every row.

    Parameters
    ----------
    rows
        A table with ``session_id``; fastest where a session's rows stand together.
    sessions
        The session_id of every session.
    table
        Name of the table, for the message.

    Raises
    ------
    DataError
        If a row's session is not among them.

    >>> rows = pl.DataFrame({"session_id": ["a", "a", "c"]})
    >>> session_of(rows, pl.Series(["a", "b", "c"]), "queries").to_list()
    [0, 0, 2]
    """
    runs = rows.get_column("session_id").rle().struct.unnest()
    if runs["value"].equals(sessions):
        return repeated(pl.int_range(len(sessions), dtype=pl.UInt32, eager=True), runs.get_column("len"))
    known = pl.DataFrame({"value": sessions}).with_row_index("session")
    numbers = runs.join(known, on="value", how="left", maintain_order="left")
    if numbers.get_column("session").null_count():
        lost = numbers.filter(pl.col("session").is_null()).get_column("value")
        msg = f"{table}: session {lost[0]!r} has rows there but none in sessions; every row needs its session"
        raise DataError(msg)
    return repeated(numbers.get_column("session"), runs.get_column("len"))


def query_of(session: pl.Series, position: pl.Series, queries: pl.DataFrame, sessions: int) -> pl.Series:
    """Row number of the query of every result, or of every list of them.

    Parameters
    ----------
    session, position
        Of each result, or each list of them: its session's row number, its query position.
    queries
        ``session`` and ``query_position`` of every query, in order.
    sessions
        Number of sessions.

    Raises
    ------
    DataError
        If a result's query is not among them.
    """
    count = counts(queries.get_column("session"), sessions)
    start = (count.cum_sum() - count).cast(pl.Int64)
    place = pl.int_range(pl.len(), dtype=pl.Int64)
    dense = queries.select((pl.col("query_position") == place - start.gather(queries["session"]) + 1).all()).item()
    if dense:
        asked = pl.DataFrame({"session": session, "position": position})
        known = asked.select(pl.col("position").is_between(1, count.gather(session))).to_series()
        number = (start.gather(session) + position.cast(pl.Int64) - 1).cast(pl.UInt32)
    else:
        pairs = queries.select("session", "query_position").with_row_index("query")
        asked = pl.DataFrame({"session": session, "query_position": position})
        found = asked.join(pairs, on=["session", "query_position"], how="left", maintain_order="left")
        number = found.get_column("query")
        known = number.is_not_null()
    if not known.all():
        lost = position.filter(~known)[0]
        msg = f"results: some rows belong to no row of queries (first: query position {lost})"
        raise DataError(msg)
    return number


def counts(numbers: pl.Series, of: int) -> pl.Series:
    """How often each number from 0 below ``of`` occurs.

    >>> counts(pl.Series([0, 0, 2], dtype=pl.UInt32), 4).to_list()
    [2, 0, 1, 0]
    """
    return pl.Series(np.bincount(numbers.to_numpy(), minlength=of).astype(np.int32))


def sums(values: pl.Series, numbers: pl.Series, of: int) -> pl.Series:
    """Sum of the whole numbers that stand with each number from 0 below ``of``; they must stay below 2^53.

    >>> sums(pl.Series([4, 5, 6]), pl.Series([0, 0, 2], dtype=pl.UInt32), 4).to_list()
    [9, 0, 6, 0]
    """
    added = np.bincount(numbers.to_numpy(), weights=values.to_numpy(), minlength=of)
    return pl.Series(values.name, added.astype(np.int64))


def placed(values: pl.Series, at: pl.Series, of: int) -> pl.Series:
    """A column of ``of`` rows with each value in its place, null elsewhere.

    >>> placed(pl.Series([7, 9]), pl.Series([2, 0], dtype=pl.UInt32), 4).to_list()
    [9, None, 7, None]
    """
    return values.gather(where(at, of))


def where(at: pl.Series, of: int) -> pl.Series:
    """For every number from 0 below ``of`` the row in which it stands, null where it does not.

    >>> where(pl.Series([2, 0], dtype=pl.UInt32), 4).to_list()
    [1, None, 0, None]
    """
    source = np.full(of, -1, dtype=np.int64)
    source[at.to_numpy()] = np.arange(len(at))
    index = pl.Series(source)
    return index if len(at) == of else pl.select(pl.when(index >= 0).then(index)).to_series()


def repeated(values: pl.Series, times: pl.Series) -> pl.Series:
    """Each value so many times, in order.

    >>> repeated(pl.Series([7, 9]), pl.Series([2, 1])).to_list()
    [7, 7, 9]
    """
    return pl.Series(values.name, np.repeat(values.to_numpy(), times.to_numpy()), dtype=values.dtype)


def numbered(
    sessions: pl.DataFrame,
    queries: pl.DataFrame,
    results: pl.DataFrame,
    pairs: JudgmentIndex,
    starts: NDArray[np.intp] | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Put the private columns beside the public ones of some whole sessions, whose tables stand in their order.

    `starts` are the first rows of the lists among the results, where they are known.
    """
    session = session_of(queries, sessions["session_id"], "queries")
    first = np.flatnonzero(begins(results, LIST)) if starts is None else starts
    lists, length = results.select(LIST)[first], pl.Series(np.diff(first, append=len(results)))
    shown_in = session_of(lists, sessions["session_id"], "results")
    placed = queries.select("query_position", session=session)
    query = query_of(shown_in, lists["query_position"], placed, len(sessions))
    key = key_numbers(pairs, sessions, queries, session).gather(query).fill_null(NO_KEY)
    return (
        sessions.with_columns(
            counts(session, len(sessions)).alias(QUERIES),
            sums(length, shown_in, len(sessions)).cast(pl.Int32).alias(RESULTS),
        ),
        queries.with_columns(sums(length, query, len(queries)).cast(pl.Int32).alias(LENGTH)),
        results.with_columns(pairs.judgment_of(repeated(key, length), results["doc_id"]).alias(JUDGMENT)),
    )


def keys_of_queries(sessions: pl.DataFrame, queries: pl.DataFrame, session: pl.Series) -> pl.Series:
    """The judgment_key of every query: its own, else its session's."""
    inherited = sessions["judgment_key"].gather(session)
    if "judgment_key" not in queries.columns:
        return inherited
    return queries.select(pl.coalesce("judgment_key", pl.Series("inherited", inherited))).to_series()


def key_numbers(pairs: JudgmentIndex, sessions: pl.DataFrame, queries: pl.DataFrame, session: pl.Series) -> pl.Series:
    """The number of the judgment_key of every query; null where nothing is judged for it."""
    if "judgment_key" not in queries.columns:  # sessions are fewer
        return pairs.key_of(sessions["judgment_key"]).gather(session)
    return pairs.key_of(keys_of_queries(sessions, queries, session))


PAIR = ["judgment_key", "doc_id"]


@dataclass(frozen=True, eq=False)
class JudgmentIndex:
    """The judged pairs of a study, numbered from 0; every table stands in the order of its numbers.

    Parameters
    ----------
    keys
        ``judgment_key`` and ``key``, its number.
    documents
        ``doc_id`` and ``document``, its number; None where the numbers were read and the texts were not.
    pairs
        ``key``, ``judgment``, the number of the pair, and with the documents ``document``.
    """

    keys: pl.DataFrame
    documents: pl.DataFrame | None
    pairs: pl.DataFrame

    @classmethod
    def of(cls, judgments: pl.LazyFrame) -> JudgmentIndex:
        """Number the pairs of a table of judgments.

        >>> judgments = pl.LazyFrame({"judgment_key": ["t", "t", "t"], "doc_id": ["b", "a", "b"]})
        >>> JudgmentIndex.of(judgments).pairs.select("judgment", "key", "document").rows()
        [(0, 0, 0), (1, 0, 1)]
        """
        rows = judgments.select(PAIR).drop_nulls().collect()
        keys, key = _in_order(rows["judgment_key"], "key")
        documents, document = _in_order(rows["doc_id"], "document")
        packed = pl.DataFrame([key, document], schema_overrides={"key": pl.UInt64})
        both = packed.select((pl.col("key") * 2**32 + pl.col("document")).unique().sort()).to_series()
        pairs = pl.DataFrame({"key": both // 2**32, "document": both % 2**32}).cast(pl.UInt32)
        return cls(keys, documents, pairs.with_row_index("judgment"))

    @classmethod
    def numbered(cls, judgments: pl.LazyFrame) -> JudgmentIndex:
        """Read the pairs of saved judgments by the numbers that stand beside them.

        >>> saved = pl.LazyFrame({"judgment_key": ["t", "t"], "__key": [0, 0], "__judgment": [1, 0]})
        >>> JudgmentIndex.numbered(saved).pairs.rows()
        [(0, 0), (1, 0)]
        """
        rows = judgments.select("judgment_key", pl.col(KEY, JUDGMENT).cast(pl.UInt32)).drop_nulls().collect()
        keys = rows.group_by(key=KEY).agg(pl.col("judgment_key").first()).sort("key").select("judgment_key", "key")
        last = rows[JUDGMENT].max()
        highest = -1 if last is None else int(str(last))
        if highest >= len(rows):
            raise DataError(
                f"judgments refer to judgment {highest}, but there are only {len(rows)} rows (numbered from 0): the file was changed; "
                "ingest the source again"
            )
        key = np.zeros(highest + 1, dtype=np.uint32)
        key[rows[JUDGMENT].to_numpy()] = rows[KEY].to_numpy()
        return cls(keys, None, pl.DataFrame({"key": key}).with_row_index("judgment"))

    def numbers_of(self, judgments: pl.DataFrame) -> pl.DataFrame:
        """Put the private columns beside judgments of which these are the pairs."""
        key = self.key_of(judgments["judgment_key"])
        return judgments.with_columns(key.alias(KEY), self.judgment_of(key, judgments["doc_id"]).alias(JUDGMENT))

    def key_of(self, judgment_key: pl.Series) -> pl.Series:
        """Number of each judgment_key; null where nothing is judged for it."""
        return _numbers(judgment_key.alias("judgment_key"), self.keys, "key")

    @cached_property
    def digest(self) -> str:
        """Hexadecimal SHA-256 of the pairs in their order: pairs of one digest have the same numbers.

        >>> one, other = (pl.LazyFrame({"judgment_key": ["t"], "doc_id": [document]}) for document in "ab")
        >>> JudgmentIndex.of(one).digest == JudgmentIndex.of(one).digest, JudgmentIndex.of(one).digest == JudgmentIndex.of(other).digest
        (True, False)
        """
        texts = [
            self.keys["judgment_key"].gather(self.pairs["key"]),
            self._documents["doc_id"].gather(self.pairs["document"]),
        ]
        digest = hashlib.sha256()
        for chunk in pl.DataFrame(texts).iter_slices(2**16):
            sized = [pl.format("{}:{}", pl.col(name).str.len_bytes(), name) for name in chunk.columns]
            digest.update(chunk.select(pl.concat_str(sized).str.join("")).item().encode())
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be made again behind when sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_lookup"}

    def judgment_of(self, key: pl.Series, doc_id: pl.Series) -> pl.Series:
        """Number of the pair that each key (a number) and document form; null where it is not judged."""
        if not len(self.pairs) or not len(doc_id):
            return pl.Series("judgment", [None] * len(doc_id), dtype=pl.UInt32)
        return self._lookup.rows(doc_id, key).alias("judgment")

    @cached_property
    def _lookup(self) -> Lookup:
        """Pairs by the text of their document and the number of their key."""
        return Lookup.of(self._documents["doc_id"].gather(self.pairs["document"]), self.pairs["key"])

    @property
    def _documents(self) -> pl.DataFrame:
        """The documents with their texts."""
        if self.documents is None:
            raise ValueError("these pairs were read by their numbers; Pairs.of reads their texts")
        return self.documents


def _in_order(texts: pl.Series, number: str) -> tuple[pl.DataFrame, pl.Series]:
    """Distinct texts in their order, each with its number, and the number of every text."""
    runs = texts.rle().struct.unnest()  # judgments of one key mostly stand together
    values = runs["value"].alias(texts.name)
    numbers = values.rank("dense").alias(number) - 1
    row = np.empty(len(values), dtype=np.int64)
    row[numbers.to_numpy()] = np.arange(len(values))
    last = numbers.max()
    known = values.gather(row[: 0 if last is None else int(str(last)) + 1])
    every = pl.Series(number, np.repeat(numbers.to_numpy(), runs["len"].to_numpy()))
    return known.to_frame().with_row_index(number).select(texts.name, number), every


def _numbers(values: pl.Series, known: pl.DataFrame, number: str) -> pl.Series:
    """Look values up in a table of their numbers, keeping their order."""
    found = values.to_frame().lazy().join(known.lazy(), on=values.name, how="left", maintain_order="left")
    return found.select(number).collect().to_series()


SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples look like chance; each level of the table uses a power of it."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """Where each of some distinct values stands; a value may be made of several columns.

    Every value has a place in a table by its hash. Those that find their place taken go to a table of the next level,
    and so on; there are a handful of levels. What is found is compared with what was asked for, value by value.

    Parameters
    ----------
    values
        Columns of texts or numbers, each row of them another.
    hashes
        Hash of each row, and a 0.
    levels
        Of each level its table: 2^n rows of `values`, the row behind the last where there is none. None where two rows
        have one hash, which a join must tell apart.
    """

    values: tuple[pl.Series, ...]
    hashes: NDArray[np.uint64]
    levels: tuple[NDArray[np.uint32], ...] | None

    @classmethod
    def of(cls, *values: pl.Series) -> Lookup:
        """Put distinct values into tables."""
        hashes = _hashes(values)
        every = np.append(hashes, np.uint64(0))
        if pl.Series(hashes).n_unique() < len(hashes):
            return cls(values, every, None)
        levels: list[NDArray[np.uint32]] = []
        left = np.arange(len(hashes), dtype=np.uint32)
        while len(left):
            table = np.full(2 << len(left).bit_length(), len(hashes), dtype=np.uint32)
            place = _places(every[left], len(levels), len(table))
            table[place] = left
            left = left[table[place] != left]
            levels.append(table)
        return cls(values, every, (*levels,))

    def rows(self, *asked: pl.Series) -> pl.Series:
        """Row of each value that is asked for; null where it is not there, or a part of it is null.

        >>> Lookup.of(pl.Series(["a", "b"])).rows(pl.Series(["b", "c", None, "b"])).to_list()
        [1, None, None, 1]
        >>> Lookup.of(pl.Series(["a", "a"]), pl.Series([1, 2])).rows(pl.Series(["a", "b"]), pl.Series([2, 2])).to_list()
        [1, None]
        """
        if self.levels is None or not len(self.values[0]):
            return self._joined(asked)
        hashes, none = _hashes(asked), len(self.values[0])
        found = self.levels[0][_places(hashes, 0, len(self.levels[0]))]
        # where a place is free no value was put further on
        other = np.flatnonzero((self.hashes[found] != hashes) & (found < none))
        for level, table in enumerate(self.levels[1:], 1):
            row = table[_places(hashes[other], level, len(table))]
            found[other] = row
            other = other[(self.hashes[row] != hashes[other]) & (row < none)]
        found[other] = none
        rows = pl.Series("row", np.minimum(found, none - 1))
        same = pl.Series(found < none)
        for values, wanted in zip(self.values, asked, strict=True):
            same &= values.gather(rows) == wanted
        return pl.select(pl.when(same).then(rows)).to_series()

    def _joined(self, asked: tuple[pl.Series, ...]) -> pl.Series:
        """The same by a join."""
        known, wanted = (
            pl.DataFrame([column.alias(str(number)) for number, column in enumerate(columns)])
            for columns in (self.values, asked)
        )
        found = wanted.join(known.with_row_index("row"), on=wanted.columns, how="left", maintain_order="left")
        return found.get_column("row")


def _hashes(columns: tuple[pl.Series, ...]) -> NDArray[np.uint64]:
    """Hash of each row of some columns."""
    first, *rest = (column.hash().to_numpy() for column in columns)
    for hashes in rest:
        first = first * SPREAD + hashes
    return first


def _places(hashes: NDArray[np.uint64], level: int, size: int) -> NDArray[np.int64]:
    """Place of each hash in the table of a level."""
    spread = np.uint64(pow(int(SPREAD), level + 1, 2**64))
    return (hashes * spread >> np.uint64(65 - size.bit_length())).view(np.int64)
