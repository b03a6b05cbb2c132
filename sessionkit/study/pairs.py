"""Which documents are judged for which key, with numbers in place of the texts.

Every distinct (judgment_key, doc_id) of a study's judgments has a number: its place in their order. The results of a
saved study carry the number of their judgment, so that scoring looks grades up by number and reads no text.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

PAIR = ["judgment_key", "doc_id"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The judged pairs of a study, numbered from 0; every table stands in the order of its numbers.

    Parameters
    ----------
    keys
        ``judgment_key`` and ``key``, its number.
    documents
        ``doc_id`` and ``document``, its number.
    pairs
        ``key``, ``document`` and ``judgment``, the number of the pair.
    """

    keys: pl.DataFrame
    documents: pl.DataFrame
    pairs: pl.DataFrame

    @classmethod
    def of(cls, judgments: pl.LazyFrame) -> Pairs:
        """Number the pairs of a table of judgments.

        >>> judgments = pl.LazyFrame({"judgment_key": ["t", "t", "t"], "doc_id": ["b", "a", "b"]})
        >>> Pairs.of(judgments).pairs.select("judgment", "key", "document").rows()
        [(0, 0, 0), (1, 0, 1)]
        """
        distinct = judgments.select(PAIR).drop_nulls().unique().collect()
        keys = distinct.select("judgment_key").unique().sort("judgment_key").with_row_index("key")
        documents = distinct.select("doc_id").unique().sort("doc_id").with_row_index("document")
        pairs = (
            distinct.lazy()
            .join(keys.lazy(), on="judgment_key")
            .join(documents.lazy(), on="doc_id")
            .select("key", "document")
            .sort("key", "document")
            .with_row_index("judgment")
            .collect()
        )
        return cls(keys, documents, pairs)

    def key_of(self, judgment_key: pl.Series) -> pl.Series:
        """Number of each judgment_key; null where nothing is judged for it."""
        return _numbers(judgment_key.alias("judgment_key"), self.keys, "key")

    def judgment_of(self, key: pl.Series, doc_id: pl.Series) -> pl.Series:
        """Number of the pair that each key (a number) and document form; null where it is not judged."""
        if not len(self.pairs) or not len(doc_id):
            return pl.Series("judgment", [None] * len(doc_id), dtype=pl.UInt32)
        document = _numbers(doc_id.alias("doc_id"), self.documents, "document")
        asked = pl.DataFrame({"key": key, "document": document}).select(pair=_packed())
        known = self.pairs.select("judgment", pair=_packed())
        return _numbers(asked.get_column("pair"), known, "judgment")


def _packed() -> pl.Expr:
    """Both numbers of a pair as one, which a join looks up faster than two."""
    return pl.col("key").cast(pl.UInt64) * 2**32 + pl.col("document").cast(pl.UInt64)


def _numbers(values: pl.Series, known: pl.DataFrame, number: str) -> pl.Series:
    """Look values up in a table of their numbers, keeping their order."""
    found = values.to_frame().lazy().join(known.lazy(), on=values.name, how="left", maintain_order="left")
    return found.select(number).collect().to_series()
