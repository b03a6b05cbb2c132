"""What is known of the lists at a depth: what a measure at that depth can stand on."""

from __future__ import annotations

import polars as pl

from sessionkit.study import Study
from sessionkit.study.depths import cut_short

DEPTHS = (1, 3, 5, 10, 20, 50, 100)
"""The depths that are looked at."""


def observed(study: Study) -> pl.DataFrame:
    """Say of how many queries the list is known to a depth; no rows where all lists were shown whole, without gaps in the ranks.

    Returns
    -------
    polars.DataFrame
        ``depth``; ``known``: queries whose list is known to this depth, without a gap, or to its end; ``cut_short``: known
        less deep (observed in part, or shown with a gap in the ranks), so that a measure at this depth takes what is not known as
        if it gained nothing and is flagged;
        ``empty``: nothing was returned, which counts, with nothing gained; ``not_logged``: outside measures of relevance.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
    ...     queries={"session_id": ["s"], "query_position": [1], "results_status": ["partly_observed"]},
    ... )
    >>> observed(study).head(2).rows()
    [(1, 1, 0, 0, 0), (3, 0, 1, 0, 0)]
    """
    names = ("depth", "known", "cut_short", "empty", "not_logged")
    facts = study.facts
    if not (facts.empty or facts.not_logged or facts.partly_observed or facts.lists_with_gaps):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.Int64))
    cut = dict.fromkeys(DEPTHS, 0)
    if facts.partly_observed or facts.lists_with_gaps:
        partly = study.depths.filter(cut_short())
        short = partly.select(
            pl.col("n").filter(pl.col("known") < depth).sum().alias(str(depth)) for depth in DEPTHS
        ).row(0)
        cut = dict(zip(DEPTHS, short, strict=True))
    outside = facts.empty + facts.not_logged
    return pl.DataFrame(
        [
            (depth, facts.queries - outside - short, short, facts.empty, facts.not_logged)
            for depth, short in cut.items()
        ],
        schema=dict.fromkeys(names, pl.Int64),
        orient="row",
    )
