"""What was shown where: for documents that gain every time, by session; for those that gain once, each by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.scoring.lists import Lists
from sessionkit.scoring.scan_paths.arrays import ShownDocuments, Visits, integers
from sessionkit.scoring.scan_paths.walk import Integers


@dataclass(frozen=True, eq=False)
class Documents:
    """What gains, in the lists of sessions, each document once in a list.

    Parameters
    ----------
    always
        Documents that a walk can come to only once, or that gain every time, by session.
    session
        Session of each document that gains something there; only where documents gain once.
    once
        Where each of these documents was shown.
    again
        Whether it was shown in more than one list.
    """

    always: ShownDocuments
    session: Integers
    once: ShownDocuments
    again: np.ndarray

    @classmethod
    def of(cls, lists: Lists, visits: Visits, gain: str, min_grade: float) -> Documents:
        """What gains under a measure."""
        sessions = len(lists.block.sessions)
        if lists.selection.duplicates == "all":
            rows = _placed(lists.gaining(gain, min_grade), visits)
            nothing = np.zeros(0, dtype=np.int64)
            none = ShownDocuments.of(nothing, 0, nothing, nothing, np.zeros(0))
            return cls(_shown(rows, "session", sessions), nothing, none, np.zeros(0, dtype=bool))
        rows = _placed(_every_time(lists, gain, min_grade), visits)
        number = pl.struct("session", "document").rank("dense").cast(pl.Int64) - 1
        rows = rows.filter((pl.col("gain") > 0).any().over("session", "document")).with_columns(number=number)
        rows = rows.with_columns(again=pl.len().over("number") > 1)
        always = _shown(rows.filter(~pl.col("again")), "session", sessions)
        each = rows.group_by("number").agg(pl.col("session", "again").first()).sort("number")
        once = _shown(rows, "number", len(each))
        return cls(always, integers(each["session"]), once, each["again"].to_numpy())


def _every_time(lists: Lists, gain: str, min_grade: float) -> pl.DataFrame:
    """Every list's results, each document once, with what they gain and what tells their ``document`` from others."""
    by_text = lists.selection.grades == "user" or lists.block.own_keys
    columns = {"results": ("doc_id",)} if by_text else {}
    alone = Lists(lists.block, replace(lists.selection, duplicates="all"), columns)
    if not by_text:
        return alone.gaining(gain, min_grade).with_columns(document=pl.col("judgment").cast(pl.Int64))
    # a document that gains nothing under one query's key can gain under another's, where it has been read before
    every = alone.every.with_columns(document=pl.col("doc_id").rank("dense").cast(pl.Int64)).with_row_index("row")
    once = every.filter(pl.struct("list", "document").is_first_distinct())
    gained = alone.gaining(gain, min_grade).select("list", "rank", "gain")
    return once.join(gained, on=["list", "rank"], how="left", maintain_order="left").with_columns(
        pl.col("gain").fill_null(0.0)
    )


def _placed(rows: pl.DataFrame, visits: Visits) -> pl.DataFrame:
    """The rows that a walk can come to, with their session and the place of their list there."""
    of_list = integers(rows["list"])
    places = {"session": visits.session[of_list], "place": visits.place[of_list]}
    reached = visits.comes_to(of_list, integers(rows["rank"]))
    return rows.with_columns(**{name: pl.Series(values) for name, values in places.items()}).filter(reached)


def _shown(rows: pl.DataFrame, by: str, many: int) -> ShownDocuments:
    """The rows by the number in a column."""
    return ShownDocuments.of(
        integers(rows[by]), many, integers(rows["place"]), integers(rows["rank"]), rows["gain"].to_numpy()
    )
