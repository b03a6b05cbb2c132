"""Which documents are judged for which key, with numbers in place of the texts.

Every distinct (judgment_key, doc_id) of a study's judgments has a number: its place in their order. The results of a
saved study carry the number of their judgment, so that scoring looks grades up by number and reads no text.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sessionkit.errors import DataError
from sessionkit.study.lookup import Lookup

PAIR = ["judgment_key", "doc_id"]
KEY, JUDGMENT = "__key", "__judgment"
"""Private columns of saved judgments: the numbers of their key and of their pair."""


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
