"""Some sessions of a study in memory, with the private columns that stand in place of ids: none is looked up again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.study.batches import LOG, PLACES, StudyBatch, cuts
from sessionkit.study.facts import facts_in_order
from sessionkit.study.row_index import QUERIES, RESULTS, public, repeated

if TYPE_CHECKING:
    from sessionkit.study.study import Study


@dataclass(frozen=True, eq=False)
class SessionSubset:
    """Where the tables of a study are from that was picked from another.

    Parameters
    ----------
    whole
        The other study, whose judgments are those of this one.
    rows
        The sessions, sorted by their ids, with all public and private columns.
    """

    whole: Study
    rows: StudyBatch

    def slices(self, columns: Mapping[str, Sequence[str]] | None, rows: int, per_query: int) -> Iterator[StudyBatch]:
        """The same in slices; the parameters are those of `sessionkit.study.batches.slices`."""
        tables = [getattr(self.rows, name) for name in LOG]
        if columns is not None:
            asked = ([*dict.fromkeys([*columns.get(name, ()), *PLACES[name]])] for name in LOG)
            tables = [frame.select(names) for frame, names in zip(tables, asked, strict=True)]
        for at, size in cuts(self.rows.sessions.lazy().select(QUERIES, RESULTS), rows, per_query):
            cut = [frame.slice(start, length) for frame, start, length in zip(tables, at, size, strict=True)]
            yield StudyBatch(cut[0], cut[1], cut[2], numbered=True)


def picked(whole: Study, sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame) -> Study:
    """A study of some sessions of another, which are in memory.

    Parameters
    ----------
    whole
        The other study.
    sessions, queries, results
        The rows of these sessions, see `Picked`.
    """
    rows = StudyBatch(sessions, queries, results, numbered=True)
    study = replace(whole, **{name: public(getattr(rows, name).lazy(), name) for name in LOG})  # type: ignore[arg-type]
    facts = facts_in_order(len(sessions), queries, results, whole.facts.judgments)
    study.__dict__.update(picked=SessionSubset(whole, rows), facts=facts)
    return study


def fewer(of: SessionSubset, sessions: pl.Series) -> Study:
    """The same study with these sessions alone, by their ids."""
    rows = of.rows
    chosen = rows.sessions["session_id"].is_in(sessions.implode())
    return picked(
        of.whole,
        rows.sessions.filter(chosen),
        rows.queries.filter(repeated(chosen, rows.sessions[QUERIES])),
        rows.results.filter(repeated(chosen, rows.sessions[RESULTS])),
    )
