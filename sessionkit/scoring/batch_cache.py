"""The blocks of a small study, kept while several things are asked of it one after the other, as a report does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from sessionkit.contract import table
from sessionkit.study import Study
from sessionkit.study.batches import IDS

if TYPE_CHECKING:
    from sessionkit.scoring.batch import SessionBatch

SMALL = 2**17
"""Results of a study whose blocks are kept, at most."""
NUMBERED = {"session_id", "query_position"}
"""Columns of results that the number of their query stands for."""

_KEPT: ContextVar[tuple[tuple[Study, Mapping[str, Sequence[str]], list[SessionBatch]], ...]] = ContextVar(
    "kept", default=()
)


@contextmanager
def kept_blocks(study: Study, columns: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Keep the blocks of a small study as long as this lasts: they are read once, and what is made of them is made once.

    Blocks are made whenever they are asked for, as ever, with columns that are not kept, and of a study of more than
    `SMALL` results.

    Parameters
    ----------
    columns
        What to keep beside the columns that every log can have, by table, as `sessionkit.scoring.batch.blocks` has it.
    """
    from sessionkit.scoring.batch import blocks  # which looks here first

    if study.facts.results > SMALL:
        yield
        return
    read = {}
    for name in IDS:
        wanted = {*table(name).names, *columns.get(name, ())} - (NUMBERED if name == "results" else set())
        read[name] = [one for one in study.columns(name) if one in wanted]
    read["users"] = [one for one in columns.get("users", ()) if one not in read["sessions"]]
    before = _KEPT.set((*_KEPT.get(), (study, read, [*blocks(study, read)])))
    try:
        yield
    finally:
        _KEPT.reset(before)


def kept_of(study: Study, columns: Mapping[str, Sequence[str]]) -> list[SessionBatch] | None:
    """The blocks of a study that are kept, in order; None where they are not, or lack one of these columns."""
    for of, read, made in _KEPT.get():
        if of is study and all({*read[name]}.issuperset(asked) for name, asked in columns.items()):
            return made
    return None
