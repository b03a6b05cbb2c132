"""The batches of a small study, cached while several things are asked of it one after the other, as a report does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sessionkit.contract import table
from sessionkit.scoring.batch import CachedBatches, batches
from sessionkit.study import Study
from sessionkit.study.batches import IDS

SMALL = 2**17
"""Results of a study whose batches are cached, at most."""
NUMBERED = {"session_id", "query_position"}
"""Columns of results that the number of their query stands for."""


@contextmanager
def cache_batches(study: Study, columns: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Cache the batches of a small study as long as this lasts: they are read once, and what is made of them is made once.

    Batches are made whenever they are asked for, as ever, with columns that are not cached, and of a study of more than
    `SMALL` results.

    Parameters
    ----------
    columns
        What to cache beside the columns that every log can have, by table, as `sessionkit.scoring.batch.batches` has it.
    """
    if study.facts.results > SMALL:
        yield
        return
    read: dict[str, list[str]] = {}
    for name in IDS:
        wanted = {*table(name).names, *columns.get(name, ())} - (NUMBERED if name == "results" else set())
        read[name] = [one for one in study.columns(name) if one in wanted]
    read["users"] = [one for one in columns.get("users", ()) if one not in read["sessions"]]
    with study.memo.holding(CachedBatches(read, [*batches(study, read)])):
        yield
