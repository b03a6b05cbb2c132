"""Some sessions of a study in memory, with the private columns that stand in place of ids: none is looked up again."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.study.facts import facts_in_order
from sessionkit.study.row_index import QUERIES, RESULTS, public, repeated
from sessionkit.study.storage import LOG, Storage, StudyBatch
from sessionkit.study.study import Study


def picked(whole: Study, sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame) -> Study:
    """A study of some sessions of another, which are in memory.

    Parameters
    ----------
    whole
        The other study, whose judgments are those of this one.
    sessions, queries, results
        The rows of these sessions, sorted by their ids, with all public and private columns.
    """
    rows = StudyBatch(sessions, queries, results, numbered=True)
    facts = facts_in_order(len(sessions), queries, results, whole.facts.judgments)
    study = whole.with_tables(**{name: public(getattr(rows, name).lazy(), name) for name in LOG})
    study = replace(study, storage=Storage(facts=facts, rows=rows))
    study.memo.share("graded pairs", whole.memo)
    return study


def fewer(study: Study, sessions: pl.Series) -> Study:
    """The same study with these sessions alone, by their ids; it is one that was picked."""
    rows = study.storage.rows
    assert rows is not None  # noqa: S101  # it was picked
    chosen = rows.sessions["session_id"].is_in(sessions.implode())
    return picked(
        study,
        rows.sessions.filter(chosen),
        rows.queries.filter(repeated(chosen, rows.sessions[QUERIES])),
        rows.results.filter(repeated(chosen, rows.sessions[RESULTS])),
    )
