"""Which sessions a page holds one by one, where it cannot hold them all."""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.study import Study

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
