"""How far do searchers look? Discounts of session measures fitted to what a log shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import polars as pl

from sessionkit.analysis.bootstrap import UNITS, Resampling
from sessionkit.analysis.calibrate.calibration import Calibration
from sessionkit.analysis.calibrate.counts import LookCounts
from sessionkit.analysis.calibrate.examination import examined
from sessionkit.analysis.calibrate.examination_signals import signal_of
from sessionkit.analysis.calibrate.fit_tables import expected_table, fits_table, grids_table, made_of, parameters_table
from sessionkit.analysis.calibrate.messages import lines_of, measures_of, warnings_of
from sessionkit.analysis.calibrate.models import models_of
from sessionkit.analysis.calibrate.observation import Counting, observed
from sessionkit.analysis.calibrate.tables import counted_table
from sessionkit.analysis.compare.session_values import chosen_sessions
from sessionkit.analysis.findings import traced
from sessionkit.analysis.phrases import reading_of
from sessionkit.choices import DrawnUnits, SignalChoice, Unmarked
from sessionkit.errors import UsageError, suggestion
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.study import guarded_read

UNMARKED: tuple[Unmarked, ...] = get_args(Unmarked)
FEWEST_PLACES = 2


@traced
@guarded_read
def calibrate(
    seen: Study | Frame,
    model: str | Measure | Sequence[str | Measure] = "sDCG",
    *,
    where: Where = None,
    signal: SignalChoice = "auto",
    unmarked: Unmarked = "first",
    min_dwell: float = 0.0,
    ranks: int | None = None,
    queries: int | None = None,
    cut_short: str | None = None,
    units: DrawnUnits = "auto",
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    memory: str | int | None = None,
) -> Calibration:
    """Fit the discounts of a measure to how far searchers looked.

    A discount is the share V of searchers who reach a place, with V(1) = 1. In the *stopping likelihood* a list that the
    searcher left at rank m contributes V(m) - V(m + 1), and a list that ended there, which is censored, V(m); sessions
    likewise with query positions. TSE and KL, which the literature uses, compare shares of looks scaled to sum to 1; they
    are given for comparison.

    Parameters
    ----------
    seen
        A study; or a table of counts with the columns ``rank``, ``query`` and ``count``: how often each rank of the
        lists at each query position was looked at.
    model
        Measures whose discounts to fit, with their forms, and the cutoff up to which ranks are fitted: ``"sDCG"``,
        ``"sDCG(like=jiang2016)@10"``, ``"sRBP"``, ``"RBP"``; nsDCG, DCG and nDCG too. ``"all"`` is every form at 10
        ranks. Values of fitted parameters in the text are ignored.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    signal
        What shows that a result was looked at. ``"last_click"``: everything down to the deepest click; ``"examined"``
        and ``"dwell"``: down to the deepest result with the mark, or with dwell time; ``"clicks"``: every clicked result and no
        other, which has no stopping likelihood. ``"auto"``: examined, else last_click, else dwell.
    unmarked
        What a list without any such result counts as: ``"first"``, looked at down to rank 1; ``"skip"``, left out.
    min_dwell
        Minimum dwell time of a result in seconds, with ``signal="dwell"``.
    ranks, queries
        Lists are cut off (censored) at this rank and sessions at this query position; TSE and KL end there too. `ranks`
        is the measure's cutoff if not given.
    cut_short
        Column of the sessions that is true where the searcher did not end the session, such as at a time limit.
    units
        Units to resample for intervals: ``"users"``, ``"sessions"``, or ``"auto"``, users where any has several sessions.
    confidence
        Confidence of intervals, as a share.
    draws, seed
        Number of draws, at least 200, and their seed.
    memory
        As `sessionkit.score` has it; the log is counted part by part, and only counts are kept.

    Returns
    -------
    Calibration
        With ``table``, ``fits``, ``expected``, ``examined``, ``grids``, ``reading`` and ``measures``, the fitted measures' texts.

    Raises
    ------
    DataError
        The log does not show how far searchers looked, or the table is not a table of counts.
    UsageError
        An option or model does not exist, or has nothing to fit.

    Notes
    -----
    Ranks and positions are taken as independent: how deep a list is looked at does not depend on which query it answers,
    but for forms that discount along the session. The likelihood of sRBP is that of its searcher's path; without
    censoring it is largest at p = 1 - sessions / looks and b = (looks - lists) / (looks - sessions).

    Examples
    --------
    Four sessions, five lists, eight looks: p = 1 - 4/8, b = (8 - 5) / (8 - 4)

    >>> import polars as pl
    >>> counts = pl.DataFrame({"rank": [1, 2, 1], "query": [1, 1, 2], "count": [4, 3, 1]})
    >>> found = calibrate(counts, "sRBP")
    >>> found.table.filter(criterion="likelihood").select("parameter", pl.col("estimate").round(3)).rows()
    [('b', 0.75), ('p', 0.5)]
    >>> found.measures
    ('sRBP(b=0.75,p=0.5)',)
    """
    seen, restriction = chosen_sessions(seen, where)
    models = models_of(model)
    _check(unmarked, ranks, queries)
    resampling = Resampling(draws, seed, "percentile", confidence)
    whole, chosen = count_looks(
        seen, units, memory, signal=signal, unmarked=unmarked, min_dwell=min_dwell, cut_short=cut_short
    )
    found = [made for one in models for made in made_of(one, whole, (ranks or one.ranks, queries), resampling)]
    kind = f"percentile bootstrap of {whole.units}"
    warnings = warnings_of(found, whole)
    return Calibration(
        table=parameters_table(found, kind),
        fits=fits_table(found),
        expected=expected_table(found),
        examined=examined(whole, ranks, queries),
        grids=grids_table(found),
        reading=reading_of(lines_of(found, whole, warnings, kind), restriction),
        measures=measures_of(found),
        warnings=tuple(warnings),
        signal=chosen,
        unmarked=unmarked,
        min_dwell=float(min_dwell),
        ranks=ranks,
        queries=queries,
        cut_short=cut_short,
        units=whole.units,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )


def count_looks(
    seen: Study | Frame,
    units: str = "auto",
    memory: str | int | None = None,
    *,
    signal: str = "auto",
    unmarked: str = "first",
    min_dwell: float = 0.0,
    cut_short: str | None = None,
) -> tuple[LookCounts, str]:
    """Return the counts that discounts are fitted to, and the signal that they are of; the parameters and errors are `calibrate`'s."""
    if units not in UNITS:
        msg = f"units must be one of {', '.join(UNITS)}, not {units!r}{suggestion(str(units), UNITS)}"
        raise UsageError(msg)
    if not isinstance(seen, Study):
        return counted_table(seen), "counts"
    chosen = signal_of(seen, signal, min_dwell)
    drawn, because = _units(seen, units)
    have = (seen.columns("sessions"), seen.columns("results"))
    return observed(seen, Counting(chosen, float(min_dwell), unmarked, cut_short, drawn, have), memory, because), chosen


def _check(unmarked: str, ranks: int | None, queries: int | None) -> None:
    """Check what is asked for."""
    if unmarked not in UNMARKED:
        msg = f"unmarked must be one of {', '.join(UNMARKED)}, not {unmarked!r}{suggestion(str(unmarked), UNMARKED)}"
        raise UsageError(msg)
    for name, value in (("ranks", ranks), ("queries", queries)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < FEWEST_PLACES):
            msg = (
                f"{name} must be a whole number of at least {FEWEST_PLACES}, not {value!r}: one place is too few to fit"
            )
            raise UsageError(msg)


def _units(study: Study, asked: str) -> tuple[str, str]:
    """What is drawn for intervals, and why."""
    users = pl.col("user_id")
    known, many = study.sessions.select(users.count(), users.drop_nulls().n_unique().alias("many")).collect().row(0)
    if asked == "users" and not known:
        msg = "units=users: the log names no users; use units=sessions"
        raise UsageError(msg)
    if asked == "users" or (asked == "auto" and known > many):
        several = ", since users have several sessions, which are not independent" if asked == "auto" else ""
        return "users", f"whole users{several}"
    if asked == "sessions":
        return "sessions", "sessions, as if they were independent"
    return "sessions", "sessions: no user has several" if known else "sessions: the log names no users"
