"""Session curves with bands: how far a mean curve could lie elsewhere with other users like these, or other sessions."""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.analysis.bootstrap import FEWEST, Numbers, Resampling, Units, added
from sessionkit.analysis.curve import curve, curve_with_stops
from sessionkit.analysis.groups import with_groups
from sessionkit.choices import CurveNormalization
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import UsageError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.score import By, group_keys
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted


def curve_bands(
    study: Study,
    measure: str | Measure,
    by: By = "system_id",
    *,
    where: Where = None,
    normalize: CurveNormalization | None = None,
    draws: int = 1_000,
    seed: int = 0,
    confidence: float = 0.95,
    memory: str | int | None = None,
) -> pl.DataFrame:
    """Average the cumulated gain of sessions after every slot, as `sessionkit.curve` does, with a band around each curve.

    Users are drawn with all their sessions (sessions, where no user is known to have several), the same draws for every slot of a
    group; the band holds the middle share `confidence` of the mean curves of the draws, slot by slot, taken further out for few
    units as `sessionkit.analysis.bootstrap` says. It is not a band for the whole curve at once.

    Parameters
    ----------
    study, measure, by, where, normalize, memory
        As `sessionkit.curve` has them, but for ``normalize="averages"``, a ratio of means.
    draws
        Draws of units, 200 to 1,000,000.
    seed
        Seed of the draws.
    confidence
        Share of each interval, from 0.5 to less than 1.

    Returns
    -------
    polars.DataFrame
        What `sessionkit.curve` returns, with ``low`` and ``high`` (null with fewer than four units), ``units`` (drawn, of the group)
        and ``searching`` (sessions with this query or a later one).

    Raises
    ------
    UsageError
        As `sessionkit.curve` does; or a number of draws, a seed or a confidence is out of its range.

    Examples
    --------
    >>> import sessionkit as sk
    >>> names = ["s", "t", "u", "v"]
    >>> study = sk.from_tables(
    ...     results={"session_id": names, "query_position": 1, "rank": 1, "doc_id": ["a", "b", "a", "b"], "topic_id": "t"},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.curve_bands(study, "sDCG@1").select("slot", "value", "low", "high", "units", "searching").row(0)
    (1, 0.5, 0.0, 1.0, 4, 4)
    """
    resampling = Resampling(draws, seed, confidence=confidence)
    asked = parse_measure(measure)
    if normalize == "averages":
        raise UsageError(
            "normalize=averages divides mean curves, which have no band; each session's share has: normalize=each"
        )
    study = restricted(study, where)
    means = curve(study, asked, by, normalize=normalize, memory=memory)
    each = curve_with_stops(study, asked, per="session", normalize=normalize, memory=memory)
    keys = [*group_keys(study, by)]
    sessions = _sessions(study, keys)
    bands = [_band(each, rows, resampling) for rows in sessions.partition_by("group", maintain_order=True)]
    found = pl.concat(bands)
    named = with_groups(means, keys).join(found, on=["group", "slot"], how="left", maintain_order="left")
    return ResultFrame(named.select(*means.columns, "low", "high", "units", "searching"))


def _sessions(study: Study, keys: list[str]) -> pl.DataFrame:
    """``session_id``, ``user_id`` and ``group`` of every session."""
    from sessionkit.analysis.groups import grouped_sessions

    own = study.columns("sessions")
    users = pl.col("user_id") if "user_id" in own else pl.lit(None, pl.String).alias("user_id")
    known = study.sessions.select("session_id", users).collect()
    return grouped_sessions(study, keys or None).join(known, on="session_id", how="left", maintain_order="left")


def _band(each: pl.DataFrame, sessions: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """The band of one group: ``group``, ``slot``, ``low``, ``high``, ``units``, ``searching``."""
    rows = each.join(sessions.select("session_id", "user_id"), on="session_id", how="inner")
    slots = np.sort(each.get_column("slot").unique().to_numpy())
    order = rows.sort("session_id", "slot")
    values = order.get_column("value").to_numpy().reshape(-1, len(slots))
    stopped = order.get_column("stopped").to_numpy().reshape(-1, len(slots))
    users = order.get_column("user_id").gather_every(len(slots))
    units = Units.of(users, "auto")
    codes = units.codes(users)
    many = int(codes.max(initial=-1)) + 1
    low, high = _ends(values, codes, many, resampling)
    return pl.DataFrame(
        {
            "group": sessions.get_column("group")[0],
            "slot": slots,
            "low": pl.Series(low).fill_nan(None),
            "high": pl.Series(high).fill_nan(None),
            "units": many,
            "searching": (~stopped).sum(axis=0),
        },
        schema_overrides={"slot": pl.Int32, "units": pl.Int64, "searching": pl.Int64},
    )


def _ends(values: Numbers, codes: np.ndarray, many: int, resampling: Resampling) -> tuple[Numbers, Numbers]:
    """The ends of the interval of each slot's mean; NaN with fewer than `FEWEST` units."""
    from scipy import special

    defined = np.isfinite(values)
    if many < FEWEST:
        return np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    sums, counts = added(np.where(defined, values, 0.0), codes), added(defined.astype(np.float64), codes)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.concatenate([(drawn @ sums) / (drawn @ counts) for drawn in resampling.weights(many)])
    point = np.sqrt(many / (many - 1)) * special.stdtrit(many - 1, 0.5 + resampling.confidence / 2)
    low, high = np.nanquantile(means, special.ndtr([-point, point]), axis=0)
    return low, high
