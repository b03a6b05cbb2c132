"""What runs lack: judged topics, or queries of a map, of which a run has no line.

A run has no line for a query that returned nothing. trec_eval leaves such a topic out, so that a run which skips its hard
topics looks better; with ``-c`` it counts 0.
"""

from __future__ import annotations

from typing import get_args

import polars as pl

from sessionkit.choices import MissingTopics
from sessionkit.contract import RECORD
from sessionkit.readers.entries import Option

CHOICES = get_args(MissingTopics)
MISSING_TOPICS = Option(
    "What becomes of judged topics, and of sessions of the query_map, that a run has no line of: omit leaves them out, zero adds "
    "them with empty lists, as trec_eval -c does. Default: zero with a query_map, else omit, with a warning.",
    allowed=CHOICES,
)


def of_every_system(expected: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Return the expected queries of every system, with ``system_id``, ``run`` and RECORD of its first list.

    Parameters
    ----------
    expected
        Queries; with a ``system_id`` where they are expected of one system alone.
    lists
        ``system_id`` (null where unknown), ``run`` and RECORD of the lists that there are.
    """
    systems = lists.sort("run", RECORD).group_by("system_id", maintain_order=True).agg(pl.col("run", RECORD).first())
    if "system_id" not in expected.columns:
        return expected.join(systems, how="cross")
    pairs = expected.rename({"system_id": "only_of"}).join(systems, how="cross")
    is_of_system = (pl.col("only_of") == pl.col("system_id")).fill_null(value=False) | pl.col("only_of").is_null()
    return pairs.filter(is_of_system).drop("only_of")


def without_line(expected: pl.DataFrame, lists: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the rows of expected queries of systems (see `of_every_system`) that have no list with their id in `column`."""
    return expected.join(lists, on=["system_id", column], how="anti", nulls_equal=True)


def what_becomes(*, adds: bool, status: str, missing_topics: str | None) -> str:
    """Return what becomes of what runs lack, and the other choice where nobody chose.

    Parameters
    ----------
    adds
        Whether lists are added.
    status
        What is stated of them: empty or not_logged.
    missing_topics
        What was chosen.
    """
    taken = f"taken as {'empty' if status == 'empty' else 'lists that were not logged'}"
    if missing_topics is not None:
        return f"{taken if adds else 'left out'}, as missing_topics says"
    if adds:
        return f'{taken}; say missing_topics = "zero" (--missing-topics zero) if they are empty, "omit" to leave such sessions out'
    return 'left out of means, as by trec_eval; missing_topics = "zero" (--missing-topics zero) adds empty lists, as trec_eval -c does'
