"""What files share: the ids of documents, and what judgments belong to. Values that are the same say more than names do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from sessionkit.readers.propose.contents import SampleColumn


def share(ours: pl.Series, theirs: pl.Series) -> float:
    """Return the share of different values of one column that another has as well.

    >>> share(pl.Series(["a", "b"]), pl.Series(["b", "c"]))
    0.5
    """
    known = ours.drop_nulls().unique()
    if known.is_empty():
        return 0.0
    return int(known.is_in(theirs.drop_nulls().unique().implode()).sum()) / len(known)


def shared(
    log: Sequence[SampleColumn], judged: Sequence[SampleColumn]
) -> list[tuple[float, SampleColumn, SampleColumn]]:
    """Return pairs of columns with the share of values they have in common, of the one that has fewer; the best first."""
    pairs = []
    for one in log:
        for other in judged:
            few, many = (one, other) if one.distinct <= other.distinct else (other, one)
            pairs.append((share(few.given, many.given), one, other))
    return sorted(pairs, key=lambda pair: -pair[0])


def judged_shares(shown: pl.DataFrame, docs: str, keys: Mapping[str, str], judged: pl.DataFrame) -> dict[str, float]:
    """Return, for each column that may be the key of judgments, the share of shown results that are judged by it.

    Parameters
    ----------
    shown
        Results, with columns for the document and for every key.
    docs
        The column of the document.
    keys
        Names for the keys, and their columns.
    judged
        ``key`` and ``doc`` of the judgments.
    """
    known = judged.select("key", "doc").unique().with_columns(pl.lit(value=True).alias("known"))
    found = {}
    for name, column in keys.items():
        rows = shown.select(pl.col(column).alias("key"), pl.col(docs).alias("doc")).drop_nulls()
        joined = rows.join(known, on=["key", "doc"], how="left")
        found[name] = int(joined["known"].sum()) / max(joined.height, 1)
    return found
