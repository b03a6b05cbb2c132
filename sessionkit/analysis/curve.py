"""Average session curves along the concatenated Top-X lists (ECIR 2008, Figures 2 to 4)."""

from __future__ import annotations

from os import PathLike

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.reductions.curve import CurveReduction
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.columns import columns_read
from sessionkit.scoring.curves import require_curve
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.reduction import run
from sessionkit.study import Study

NORMALIZE = ("none", "each", "averages")
AFTER_STOP = ("hold", "null")


def curve(
    study: Study,
    measure: str | Measure,
    by: str | None = "system_id",
    *,
    min_queries: int | None = None,
    topic: str | None = None,
    normalize: str | None = None,
    after_stop: str = "hold",
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Average the cumulated gain of sessions after every slot of their concatenated lists.

    Parameters
    ----------
    study
        The study.
    measure
        A session measure with a cutoff, such as ``"sDCG@10"``; slots are counted in lists of that length.
    by
        Column to group sessions by; ``"session"`` gives every session its own curve; None, one curve for all.
    min_queries, topic
        Only sessions with so many logged queries; only sessions of one topic.
    normalize
        ``"none"``: mean gain; ``"each"``: mean of the sessions' own shares of their ideal (TOIS 2002);
        ``"averages"``: mean gain divided by mean ideal (Research Notes 2002-2, section 3.3). These last two are
        different numbers. Default: ``"each"`` for a normalised measure, ``"none"`` for others.
    after_stop
        ``"hold"``: a session that stops keeps its gain and its ideal to the end of the longest session looked at
        (ECIR 2008); ``"null"``: it leaves the average where it stops.
    memory
        Memory to work within, see `sessionkit.score`.
    partials
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        ``group``, ``slot`` (from 1), ``query_position`` and ``rank`` (of the slot; null where short lists make them
        differ between the group's sessions), ``value``, ``ideal`` (mean ideal gain; null where undefined) and ``n``
        (sessions averaged).

    Raises
    ------
    UsageError
        If a column, topic or option does not exist, no session is left, or the measure has no curve.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": "s", "query_position": [1, 2, 2], "rank": [1, 1, 2], "doc_id": ["a", "c", "b"], "topic_id": "t"},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 3]},
    ... )
    >>> sk.curve(study, "sDCG(bq=2)@2").select("slot", "query_position", "rank", "value", "ideal").rows()
    [(1, 1, 1, 1.0, 3.0), (2, 1, 2, 1.0, 3.5), (3, 2, 1, 1.0, 5.0), (4, 2, 2, 1.75, 5.25)]
    """
    with_stops = curve_with_stops(
        study,
        measure,
        by,
        min_queries=min_queries,
        topic=topic,
        normalize=normalize,
        after_stop=after_stop,
        memory=memory,
        partials=partials,
    )
    return ResultFrame(with_stops.drop("stopped"))


def curve_with_stops(
    study: Study,
    measure: str | Measure,
    by: str | None = "system_id",
    *,
    min_queries: int | None = None,
    topic: str | None = None,
    normalize: str | None = None,
    after_stop: str = "hold",
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """The same as `curve`, with a column ``stopped``: whether every session of the group has stopped before this slot.

    Charts of single sessions mark with it where each searcher stopped.
    """
    task = curve_task(
        study, measure, by, min_queries=min_queries, topic=topic, normalize=normalize, after_stop=after_stop
    )
    if task.normalize == "each" or task.measure.normalized:
        tell_of_bound(task.measure)
    tell_of_depth(study, task.measure)
    return ResultFrame(run(study, [task], memory, partials)[0])


def curve_task(
    study: Study,
    measure: str | Measure,
    by: str | None = "system_id",
    *,
    min_queries: int | None = None,
    topic: str | None = None,
    normalize: str | None = None,
    after_stop: str = "hold",
) -> CurveReduction:
    """What `curve` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    asked = require_curve(parse_measure(measure))
    normalize = normalize or ("each" if asked.normalized else "none")
    for name, value, allowed in (("normalize", normalize, NORMALIZE), ("after_stop", after_stop, AFTER_STOP)):
        if value not in allowed:
            msg = f"{name} must be one of {', '.join(allowed)}, not {value!r}{suggestion(value, allowed)}"
            raise UsageError(msg)
    if normalize != "none":
        asked.require_falling_discount()
    grouping = Grouping.of(study, by, min_queries, topic)
    return CurveReduction(asked, grouping, normalize, after_stop, columns_read(study, [asked]))
