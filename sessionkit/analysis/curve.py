"""Average session curves along the concatenated Top-X lists (ECIR 2008, Figures 2 to 4)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.analysis.groups import grouped_sessions
from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring import fixed
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
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
    if normalize != "none" and isinstance(asked, SessionMeasure):
        asked.require_falling_discount()
    chosen = grouped_sessions(study, by, min_queries, topic)
    if normalize == "each" or asked.normalized:
        tell_of_bound(asked)
    tell_of_depth(study, asked)
    vectors = _vectors(study, asked, chosen).with_columns(**_terms(asked))
    sums = _sums(vectors, after_stop).collect()
    if isinstance(asked, SessionMeasure) and asked.slots == "pad":
        block = (pl.col("slot") - 1) // asked.cutoff
        sums = sums.with_columns(query_position=block + 1, rank=pl.col("slot") - block * asked.cutoff)
    return _means(sums, normalize)


def _vectors(study: Study, measure: GainMeasure, chosen: pl.LazyFrame) -> pl.LazyFrame:
    """Totals and ideals of the chosen sessions at their own slots, with ``end``, the last of these.

    A session that occupies no slot has one row, slot 0. Totals and ideals are null where the session has no judgments.
    """
    mine = {
        name: getattr(study, name).join(chosen, on="session_id", how="semi")
        for name in ("sessions", "queries", "results")
    }
    cut = replace(study, **{name: frame.collect().lazy() for name, frame in mine.items()})
    vectors = session_vectors(cut, measure).collect()
    judged = sessions_with_judgments(cut, Selection.of(measure))
    # an ideal of more queries than the session has can know of relevant documents where its own have no judgments
    last = vectors.lazy().filter(pl.col("slot") == pl.col("end")).select("session_id", some=pl.col("ideal") > 0)
    known = judged.join(last, on="session_id", how="left").select(
        "session_id", defined=pl.col("has_judgments") | pl.col("some").fill_null(value=False)
    )
    filled = chosen.join(known, on="session_id").join(vectors.lazy(), on="session_id", how="left")
    filled = filled.with_columns(pl.col("slot", "end", "total", "ideal", "own").fill_null(0))
    return filled.with_columns(pl.when("defined").then(pl.col(name)).alias(name) for name in ("total", "ideal"))


def _terms(measure: GainMeasure) -> dict[str, pl.Expr]:
    """What is averaged: ``total``, ``ideal`` and ``share``, their quotient at the fixed scale."""
    share = fixed.fixed(fixed.quotient(pl.col("total"), pl.col("ideal")))
    if measure.undefined == "zero":
        return {"total": pl.col("total").fill_null(0), "share": share.fill_null(0)}
    return {"share": share}


def _sums(vectors: pl.LazyFrame, after_stop: str) -> pl.LazyFrame:
    """Sums and counts of the terms per group and slot.

    A session that has stopped is held: what it had at its end is added to every later slot, as a running total over
    ends, so that no session needs more rows than it has slots.
    """
    terms = ("total", "ideal", "share")
    adding = [pl.col(name).sum().alias(f"{name} sum") for name in terms]
    counting = [pl.col(name).count().cast(pl.Int64).alias(f"{name} n") for name in terms]
    going = vectors.filter(pl.col("slot") > 0)
    if after_stop == "null":
        going = going.filter(pl.col("slot") <= pl.col("own"))
    within = going.group_by("group", "slot").agg(
        *adding, *counting, query_position=_same(pl.col("query_position")), rank=_same(pl.col("rank"))
    )
    stops = vectors.group_by("group").agg(stop=pl.col("own").max())
    longest = vectors.select(pl.col("slot").max())
    slots = longest.select(slot=pl.int_ranges(1, pl.col("slot") + 1, dtype=pl.Int32)).explode(
        "slot", empty_as_null=False
    )
    every = stops.join(slots, how="cross").with_columns(stopped=pl.col("slot") > pl.col("stop"))
    sums = every.join(within, on=["group", "slot"], how="left")
    names = [f"{name} {kind}" for name in terms for kind in ("sum", "n")]
    sums = sums.with_columns(pl.col(names).fill_null(0))
    if after_stop == "hold":
        ended = (
            vectors.filter(pl.col("slot") == pl.col("end"))
            .group_by("group", slot=pl.col("end") + 1)
            .agg(*adding, *counting)
        )
        held = every.select("group", "slot").join(ended, on=["group", "slot"], how="left")
        running = [pl.col(name).fill_null(0).cum_sum().over("group", order_by="slot") for name in names]
        held = held.with_columns(running)
        sums = sums.join(held, on=["group", "slot"], suffix=" held")
        sums = sums.with_columns(pl.col(name) + pl.col(f"{name} held") for name in names)
    return sums


def _means(sums: pl.DataFrame, normalize: str) -> pl.DataFrame:
    """Mean curves from sums and counts."""

    def mean(name: str) -> pl.Expr:
        return fixed.unfixed(pl.col(f"{name} sum")) / pl.col(f"{name} n").replace(0, None)

    value = {
        "none": mean("total"),
        "each": mean("share"),
        "averages": fixed.quotient(pl.col("total sum"), pl.col("ideal sum")),
    }
    counted = "share n" if normalize == "each" else "total n"
    means = sums.sort("group", "slot").with_columns(value=value[normalize], ideal=mean("ideal"), n=pl.col(counted))
    place = pl.col("query_position", "rank").cast(pl.Int32)
    return means.select("group", "slot", place, "value", "ideal", "n", "stopped")


def _same(place: pl.Expr) -> pl.Expr:
    """The one value that the sessions of a group have at a slot, null where they differ."""
    return pl.when(place.drop_nulls().n_unique() == 1).then(place.drop_nulls().first())
