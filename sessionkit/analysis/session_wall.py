"""What a wall of sessions draws: the gain of every session along its concatenated lists, its queries, its clicks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.curve import curve_with_stops
from sessionkit.analysis.groups import grouped_sessions
from sessionkit.analysis.session_table import column_names, score
from sessionkit.errors import DataWarning
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.study import Study
from sessionkit.study.session_counts import was_clicked
from sessionkit.study.session_subset import with_sessions

DRAWN = ("group", "value", "lower", "upper", "judged", "slots", "ideal", "clicks_below")
"""Columns of the sessions of a wall that are its own; those of the log under these names are left out."""
PLACE = ("session_id", "query_position", "rank")


@dataclass(frozen=True, eq=False)
class WallTables:
    """The tables of a wall.

    Parameters
    ----------
    sessions
        One row per session: ``session_id``, ``user_id``, ``topic_id``, ``group``, ``value``, ``lower``, ``upper`` (its bounds
        under missing judgments), ``judged`` (share, 0 to 1), ``slots`` (the slot where its searcher stopped), ``ideal``
        (the gain of its ideal session by which its curve is divided; null where it shows raw gain), ``clicks_below`` (clicks on
        ranks that the curve does not have), and the other columns of `sessionkit.score` with ``wide=True``,
        but for those of the log that have one of these names.
    curves
        ``session_id``, ``slot`` (0 to ``slots``), ``gain`` and ``ideal``, cumulated; shares of the final ideal where the session
        has one, else raw. Without judgments ``gain`` is the number of clicks.
    queries
        ``session_id``, ``query_position``, ``start`` and ``end`` (slots), ``judged`` (share of its results within the cutoff).
    clicks
        ``session_id``, ``query_position``, ``rank``, ``slot``, ``doc_id``.
    """

    sessions: pl.DataFrame
    curves: pl.DataFrame
    queries: pl.DataFrame
    clicks: pl.DataFrame


def wall_tables(
    study: Study, measure: GainMeasure, by: str, ids: pl.Series | None = None, *, is_bounded: bool = True
) -> WallTables:
    """Lay out the sessions of a study for a wall.

    A normalized session is divided by the ideal gain that it could have reached at the end of its curve, so that its last height
    is its score.

    Parameters
    ----------
    measure
        A session measure with a cutoff and a curve, such as ``nsDCG@10``.
    by
        The column that makes the groups.
    ids
        The sessions that are laid out; by default all.
    is_bounded
        Whether the sessions have bounds. Which documents of a topic are not judged is known only of the whole study, which is read
        for them.
    """
    held = study if ids is None else with_sessions(study, ids)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the table of scores warns of the same
        steps = curve_with_stops(held, measure, per="session", normalize="none")
        query_shares = score(held, parse_measure(f"P@{measure.cutoff}"), per="query")
    table = score(study if is_bounded else held, measure, per="session", wide=True)
    if ids is not None:
        table = table.filter(pl.col("session_id").is_in(ids.implode()))
    value, *beside = column_names(measure)
    table = table.drop(DRAWN, strict=False)  # a column of the log may be called "group" or "value"
    table = table.rename({value: "value", **dict(zip(beside, ("lower", "upper", "judged"), strict=True))})
    if not is_bounded:
        table = table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("lower", "upper"))
    steps = steps.filter(pl.col("slot").is_not_null())
    extents = steps.group_by("session_id").agg(
        slots=(~pl.col("stopped")).sum().cast(pl.Int64),
        ideal=pl.col("ideal").sort_by("slot").last(),
    )
    is_share = measure.normalized and not measure.normalized_by_query
    divisor = pl.col("ideal") if is_share else pl.lit(None, pl.Float64)
    extents = extents.with_columns(ideal=pl.when(divisor > 0).then(divisor))
    groups = grouped_sessions(held, by).select("session_id", "group")
    sessions = table.join(groups, on="session_id", maintain_order="left").join(
        extents, on="session_id", how="left", maintain_order="left"
    )
    sessions = sessions.with_columns(pl.col("slots").fill_null(0))
    shown = steps.filter(~pl.col("stopped"))
    places = shown.select("session_id", "query_position", "rank", "slot").drop_nulls("query_position")
    clicked = _clicked_results(held)
    clicks = (
        clicked.join(places, on=list(PLACE), how="inner").select(*PLACE, "slot", "doc_id").sort("session_id", "slot")
    )
    below = (
        clicked.join(places, on=list(PLACE), how="anti")
        .group_by("session_id")
        .agg(clicks_below=pl.len().cast(pl.Int64))
    )
    sessions = sessions.join(below, on="session_id", how="left", maintain_order="left").with_columns(
        pl.col("clicks_below").fill_null(0)
    )
    if not held.facts.judgments:
        query_shares = query_shares.with_columns(judged=pl.lit(None, pl.Float64))
    curves = _curves(shown, sessions) if held.facts.judgments else _click_curves(shown, clicks)
    return WallTables(sessions, curves, _queries(places, query_shares), clicks)


def _click_curves(shown: pl.DataFrame, clicks: pl.DataFrame) -> pl.DataFrame:
    """The number of clicks up to every slot, which a wall draws where there are no judgments and so no gain."""
    counts = clicks.group_by("session_id", "slot").agg(count=pl.len())
    steps = pl.concat(
        [shown.select("session_id", slot=pl.lit(0, pl.Int32)).unique(), shown.select("session_id", "slot")]
    )
    steps = steps.sort("session_id", "slot").join(counts, on=["session_id", "slot"], how="left", maintain_order="left")
    gain = pl.col("count").fill_null(0).cum_sum().over("session_id").cast(pl.Float64)
    return steps.select("session_id", "slot", gain=gain, ideal=pl.lit(None, pl.Float64))


def _curves(shown: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Gain and ideal of every session from slot 0, as shares of its final ideal where it has one."""
    starts = sessions.filter(pl.col("slots") > 0).select(
        "session_id", slot=pl.lit(0, pl.Int32), value=pl.lit(0.0), level=pl.lit(0.0)
    )
    steps = shown.select("session_id", "slot", "value", level="ideal")
    steps = pl.concat([starts, steps]).join(sessions.select("session_id", "ideal"), on="session_id")
    scale = pl.col("ideal").fill_null(1.0)
    return steps.select("session_id", "slot", gain=pl.col("value") / scale, ideal=pl.col("level") / scale).sort(
        "session_id", "slot"
    )


def _queries(places: pl.DataFrame, query_shares: pl.DataFrame) -> pl.DataFrame:
    """Where each query's list begins and ends along its session, and how much of it is judged."""
    spans = places.group_by("session_id", "query_position").agg(
        start=pl.col("slot").min() - 1, end=pl.col("slot").max()
    )
    shares = query_shares.select("session_id", "query_position", "judged")
    return spans.join(shares, on=["session_id", "query_position"], how="left").sort("session_id", "start")


def _clicked_results(study: Study) -> pl.DataFrame:
    """The results that were clicked; none where clicks were not logged."""
    columns = study.columns("results")
    results = study.results.select(*PLACE, "doc_id", clicked=was_clicked(columns))
    return results.filter(pl.col("clicked")).drop("clicked").collect()
