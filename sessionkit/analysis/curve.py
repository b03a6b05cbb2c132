"""Average session curves along the concatenated Top-X lists (ECIR 2008, Figures 2 to 4)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.analysis.groups import grouped_sessions
from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring import fixed
from sessionkit.scoring.cautions import require_falling_discount, tell_of_bound, tell_of_depth
from sessionkit.scoring.curves import require_curve, session_vectors
from sessionkit.scoring.judging import Selection, sessions_with_judgments
from sessionkit.scoring.measures import GainMeasure, Measure, parse_measure
from sessionkit.scoring.measures.measure import SessionMeasure
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
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 3]},
    ... )
    >>> sk.curve(study, "sDCG(bq=2)@2").select("slot", "query_position", "rank", "value", "ideal").rows()
    [(1, 1, 1, 1.0, 3.0), (2, 1, 2, 1.0, 3.5), (3, 2, 1, 1.0, 5.0), (4, 2, 2, 1.75, 5.25)]
    """
    return curve_with_stops(
        study, measure, by, min_queries=min_queries, topic=topic, normalize=normalize, after_stop=after_stop
    ).drop("stopped")


def curve_with_stops(
    study: Study,
    measure: str | Measure,
    by: str | None = "system_id",
    *,
    min_queries: int | None = None,
    topic: str | None = None,
    normalize: str | None = None,
    after_stop: str = "hold",
) -> pl.DataFrame:
    """The same as `curve`, with a column ``stopped``: whether every session of the group has stopped before this slot.

    Charts of single sessions mark with it where each searcher stopped.
    """
    asked = require_curve(parse_measure(measure))
    normalize = normalize or ("each" if asked.normalized else "none")
    for name, value, allowed in (("normalize", normalize, NORMALIZE), ("after_stop", after_stop, AFTER_STOP)):
        if value not in allowed:
            msg = f"{name} must be one of {', '.join(allowed)}, not {value!r}{suggestion(value, allowed)}"
            raise UsageError(msg)
    if normalize != "none":
        require_falling_discount(asked)
    chosen = grouped_sessions(study, by, min_queries, topic)
    extended = _vectors(study, asked, chosen)
    if isinstance(asked, SessionMeasure) and asked.slots == "pad":
        block = (pl.col("slot") - 1) // asked.cutoff
        place = {"query_position": block + 1, "rank": pl.col("slot") - block * asked.cutoff}
        extended = extended.with_columns(**{name: value.cast(pl.Int32) for name, value in place.items()})
    if normalize == "each" or asked.normalized:
        tell_of_bound(asked)
    tell_of_depth(study, asked)
    return _averaged(extended, normalize, after_stop, zero=asked.undefined == "zero")


def _vectors(study: Study, measure: GainMeasure, chosen: pl.LazyFrame) -> pl.LazyFrame:
    """Totals and ideals of the chosen sessions at every slot of the longest of them, held after the session's last.

    Both are null throughout where the session has no judgments.
    """
    mine = {
        name: getattr(study, name).join(chosen, on="session_id", how="semi")
        for name in ("sessions", "queries", "results")
    }
    cut = replace(study, **{name: frame.collect().lazy() for name, frame in mine.items()})
    vectors = session_vectors(cut, measure).collect()
    longest = vectors.get_column("slot").max() or 0
    slots = pl.int_ranges(1, pl.lit(longest, pl.Int32) + 1, dtype=pl.Int32)
    every = chosen.with_columns(slot=slots).explode("slot", empty_as_null=False)
    joined = every.join(vectors.lazy(), on=["session_id", "slot"], how="left").sort("session_id", "slot")
    held = {
        name: pl.col(name).forward_fill().over("session_id", order_by="slot").fill_null(0)
        for name in ("total", "ideal", "own")
    }
    filled = joined.with_columns(**held).join(sessions_with_judgments(cut, Selection.of(measure)), on="session_id")
    # an ideal of more queries than the session has can know of relevant documents where the session's own queries have no judgments
    defined = pl.col("has_judgments") | (pl.col("ideal").max().over("session_id") > 0)
    known = [pl.when(defined).then(pl.col(name)).alias(name) for name in ("total", "ideal")]
    return filled.with_columns(*known, stopped=pl.col("slot") > pl.col("own"))


def _averaged(vectors: pl.LazyFrame, normalize: str, after_stop: str, *, zero: bool) -> pl.DataFrame:
    """Mean curves by group; ``zero`` lets sessions that are undefined count with 0."""
    going = pl.lit(value=True) if after_stop == "hold" else ~pl.col("stopped")
    total, ideal, share = pl.col("total"), pl.col("ideal"), fixed.quotient(pl.col("total"), pl.col("ideal"))
    if zero:
        total, share = total.fill_null(0), share.fill_null(0.0)
    total, ideal, share = (pl.when(going).then(column) for column in (total, ideal, share))
    if normalize == "each":
        value, n = fixed.mean(share), share.count()
    elif normalize == "averages":
        value, n = fixed.quotient(total.sum(), ideal.sum()), total.count()
    else:
        value, n = fixed.unfixed(total.sum()) / total.count().replace(0, None), total.count()
    means = vectors.group_by("group", "slot").agg(
        query_position=_same(pl.col("query_position")),
        rank=_same(pl.col("rank")),
        value=value,
        ideal=fixed.unfixed(ideal.sum()) / ideal.count().replace(0, None),
        n=n.cast(pl.Int64),
        stopped=pl.col("stopped").all(),
    )
    return means.sort("group", "slot").collect()


def _same(place: pl.Expr) -> pl.Expr:
    """The one value that the sessions of a group have at a slot, null where they differ."""
    return pl.when(place.drop_nulls().n_unique() == 1).then(place.drop_nulls().first())
