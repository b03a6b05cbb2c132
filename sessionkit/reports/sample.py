"""Which sessions a page holds one by one, where it cannot hold them all, and a study of these alone."""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.study import Study
from sessionkit.study.session_subset import with_sessions

SEED = 20080330
"""Of the draw; fixed, so that the same study has the same page."""


def drawn(study: Study, many: int) -> pl.DataFrame:
    """Draw sessions at random, each with the same chance: ``session_id``, in the order drawn.

    The first ones of a draw are a draw of fewer sessions. All sessions, in any order, where there are no more.

    Parameters
    ----------
    study
        The study.
    many
        Sessions to draw, at least 0.
    """
    ids = study.sessions.select("session_id").collect().to_series().sort()
    order = np.random.Generator(np.random.PCG64(SEED)).permutation(len(ids))[:many]
    return ids.gather(order).to_frame()


def only(study: Study, sessions: pl.DataFrame) -> Study:
    """The study with these sessions alone, in the order of their ids; the study itself where these are all and so ordered."""
    if len(sessions) == study.facts.sessions and study.storage.partitioned is None:
        return study
    if study.storage.rows is not None:
        return with_sessions(study, sessions["session_id"])

    def kept(table: pl.LazyFrame) -> pl.LazyFrame:
        return table.join(sessions.lazy(), on="session_id", how="semi")

    return study.with_tables(sessions=kept(study.sessions), queries=kept(study.queries), results=kept(study.results))


def in_memory(study: Study) -> Study:
    """The same study, its log read once as a stream and kept."""
    if study.storage.rows is not None:
        return study
    orders: dict[StudyTable, list[str]] = {"sessions": ["session_id"], "queries": ["session_id", "query_position"]}
    orders["results"] = [*orders["queries"], "rank"]
    read = pl.collect_all([study.table(name) for name in orders], engine="streaming")
    tables = {name: frame.sort(order).lazy() for (name, order), frame in zip(orders.items(), read, strict=True)}
    return study.with_tables(**tables)
