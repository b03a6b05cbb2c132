"""What was shown: the judged documents in the lists of each group, of which the pool of a pair of groups is made."""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.analysis.rescore.log import RescoredLog


def shown_pairs(log: RescoredLog, group: np.ndarray, groups: int) -> np.ndarray:
    """Whether the lists of each group (a row) show the document of each judged pair (a column), at any rank.

    Parameters
    ----------
    group
        Number of the group of every session of the log; below 0, none.
    """
    pairs = len(log.rejudging.grades)
    found = np.zeros((groups, pairs), dtype=bool)
    begin = 0
    for block in log.each():
        end = begin + len(block.sessions)
        of_session = pl.Series("group", group[begin:end])
        begin = end
        rows = block.results.select("query", "judgment").drop_nulls("judgment")
        of_result = of_session.gather(block.queries["session"].gather(rows["query"])).to_numpy()
        judgment = rows["judgment"].to_numpy()
        found[of_result[of_result >= 0], judgment[of_result >= 0]] = True
    return found
