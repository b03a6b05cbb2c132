"""What share of what was shown is judged: what `sessionkit.bounds` begins with, for where it can say no more."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.incomplete.judged_share_reduction import JudgedShareReduction
from sessionkit.analysis.incomplete.messages import shares_told
from sessionkit.analysis.phrases import reading_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.reduction import run
from sessionkit.study import Study


def judged_share(
    study: Study, measures: Sequence[Measure], by: str | None = "system_id", *, memory: str | int | None = None
) -> tuple[pl.DataFrame, str]:
    """Return the judged share by group, rank and query position, as far down as the measures look, and the same in words.

    Parameters
    ----------
    study
        The study; nothing need be known of its grade scale.
    measures
        Measures of sessions, whose cutoffs say how far down is looked.
    by, memory
        As `sessionkit.bounds` has them.

    Raises
    ------
    DataError
        There are no judgments.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> judged_share(study, [sk.sDCG @ 10], by=None)[1].split(".")[0]
    '1 of 2 results shown within rank 10 are judged, 50'
    """
    depth = depth_of(measures)
    (shares,) = run(study, [JudgedShareReduction(Grouping.of(study, by, several=False), depth)], memory)
    return shares, reading_of(shares_told(shares, depth))


def depth_of(measures: Sequence[Measure]) -> int | None:
    """The deepest rank that any of some measures looks at; None, all."""
    cutoffs = [measure.inner.cutoff for measure in measures]
    return None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
