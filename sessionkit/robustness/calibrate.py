"""How far searchers look: discounts of session measures fitted to a log or to a table of counts, and their reading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import polars as pl

from sessionkit.arguments import DrawnUnits, SignalChoice, Unmarked
from sessionkit.display.numbers import counted, ends_text, share_text
from sessionkit.display.statements import Statement, Value
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.robustness.calibrate_counts import Calibration, Counting, LookCounts, examined, observed, signal_of
from sessionkit.robustness.calibrate_fits import (
    DIGITS,
    FLAT,
    LIKELIHOOD,
    OPEN,
    FittedModel,
    State,
    as_stored,
    expected_table,
    fits_table,
    grids_table,
    made_of,
    parameters_table,
)
from sessionkit.robustness.calibrate_models import DiscountModel, models_of, reached
from sessionkit.scoring.measures.base import Measure
from sessionkit.statistics.distributions import UNITS, Resampling
from sessionkit.statistics.findings import stated, traced
from sessionkit.statistics.session_values import chosen_sessions
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.study import guarded_read
from sessionkit.study.tabular import Frame, as_polars

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
    looks, chosen = count_looks(
        seen, units, memory, signal=signal, unmarked=unmarked, min_dwell=min_dwell, cut_short=cut_short
    )
    fitted_models = [
        fitted for model in models for fitted in made_of(model, looks, (ranks or model.ranks, queries), resampling)
    ]
    kind = f"percentile bootstrap of {looks.units}"
    return Calibration(
        table=parameters_table(fitted_models, kind),
        fits=fits_table(fitted_models),
        expected=expected_table(fitted_models),
        examined=examined(looks, ranks, queries),
        grids=grids_table(fitted_models),
        statements=stated(make_statements(fitted_models, looks, kind), restriction),
        measures=measures_of(fitted_models),
        signal=chosen,
        unmarked=unmarked,
        min_dwell=float(min_dwell),
        ranks=ranks,
        queries=queries,
        cut_short=cut_short,
        units=looks.units,
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
    drawn, reason = _units(seen, units)
    have = (seen.columns("sessions"), seen.columns("results"))
    return observed(seen, Counting(chosen, float(min_dwell), unmarked, cut_short, drawn, have), memory, reason), chosen


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
    """What is drawn for intervals, and why: one of `RESAMPLED`."""
    users = pl.col("user_id")
    known, many = study.sessions.select(users.count(), users.drop_nulls().n_unique().alias("many")).collect().row(0)
    if asked == "users" and not known:
        msg = "units=users: the log names no users; use units=sessions"
        raise UsageError(msg)
    if asked == "users" or (asked == "auto" and known > many):
        return "users", "several_sessions" if asked == "auto" else "users"
    if asked == "sessions":
        return "sessions", "sessions"
    return "sessions", "one_session_each" if known else "no_users"


LISTED = 6
"""Fits that are named one by one."""
GAP = 0.05
"""A fit that misses an observed share by more than this is said to."""


def _state_warnings(fitted_models: Sequence[FittedModel], looks: LookCounts) -> list[Statement]:
    """Say what cannot be told, and which fits depend on the grid."""
    single = looks.queries == 1
    statements = [
        _state_canceled(model, name, single=single) for model in _models(fitted_models) for name in model.canceled
    ]
    for fitted in fitted_models:
        fit = fitted.fit
        for free, state, value in zip(fit.model.free, fit.states, fit.values, strict=True):
            if state is not State.told:
                statements.append(_state_unidentified(fitted, free.name, state, float(value), single=single))
    return [*statements, *(_state_moving(fitted) for fitted in fitted_models if fitted.depends and fitted.fit.usable)]


def _state_canceled(model: DiscountModel, name: str, *, single: bool) -> Statement:
    """Say that a parameter cancels from the shape of the discount."""
    text = (
        f"NOT IDENTIFIABLE: {name} of {model.text} ({model.rank_form}) cancels from the shape of the discount, so no "
        "counts can identify it; any value gives proportional scores."
    )
    values = {"model": model.text, "criterion": None, "parameter": name, "reason": "canceled", "estimate": None}
    return Statement("not_identified", text, {**values, "one_query": single})


def _state_unidentified(fitted: FittedModel, name: str, state: State, value: float, *, single: bool) -> Statement:
    """Say that a parameter is not told, or that only one limit is."""
    fit, model = fitted.fit, fitted.fit.model
    who = f"{name} of {model.text} by {fit.criterion}"
    values = {"model": model.text, "criterion": fit.criterion, "parameter": name}
    if state in (State.open_low, State.open_high):
        limit = "lower" if state is State.open_low else "upper"
        text = f"ONLY BOUNDED: {who} has {state} within its range."
        return Statement("bounded", text, {**values, "limit": limit})
    reason = REASONS[state]
    if state in (State.low, State.high):
        text = f"NOT IDENTIFIABLE: {who} runs to the end of its range ({value:.4g}); {_at_end(name, state, single)}."
        return Statement(
            "not_identified", text, {**values, "reason": reason, "estimate": as_stored(value), "one_query": single}
        )
    why = FLAT if state is State.flat else OPEN
    text = f"NOT IDENTIFIABLE: {who}; {why}{_why(model, single)}."
    return Statement("not_identified", text, {**values, "reason": reason, "estimate": None, "one_query": single})


REASONS = {State.flat: "flat", State.open_: "open", State.low: "lower_end", State.high: "upper_end"}
"""Why a parameter is not identified, by its state."""


def make_statements(fitted_models: Sequence[FittedModel], looks: LookCounts, kind: str) -> list[Statement]:
    """Return the statements of a finding; `kind` is that of intervals from draws."""
    statements = [*_state_warnings(fitted_models, looks), *looks.statements]
    if looks.clicks is None:
        statements.append(_state_observed(looks))
    for fitted in fitted_models:
        if fitted.fit.criterion == LIKELIHOOD and fitted.fit.usable:
            statements += _state_fit(fitted, kind)
    statements += _state_other_criteria(fitted_models)
    statements += _state_best_model(fitted_models)
    measures = measures_of(fitted_models)
    text = (
        f"Score with the fitted discounts: {', '.join(measures)}."
        if measures
        else "There is no fitted discount to score with."
    )
    statements.append(Statement("measures", text, {"measures": list(measures)}))
    text = (
        "These discounts describe these searchers, systems and topics: how far searchers looked, not how useful a result was "
        "to them."
    )
    return [*statements, Statement("scope", text)]


def _state_other_criteria(fitted_models: Sequence[FittedModel]) -> list[Statement]:
    """Name the fits by other criteria; none where there are none."""
    others = [fitted for fitted in fitted_models if fitted.fit.criterion != LIKELIHOOD and fitted.measure]
    if len(others) > LISTED:
        text = "For comparison with the literature the table fits has TSE and KL fits to shares of looks scaled to sum to 1."
        return [Statement("other_criteria", text, {"count": len(others), "fits": []})]
    if not others:
        return []
    listed = "; ".join(f"{fitted.fit.criterion} {fitted.measure} ({fitted.fit.best:.4f})" for fitted in others)
    text = f"For comparison with the literature, fits to shares of looks scaled to sum to 1: {listed}."
    fits = [
        {"criterion": fitted.fit.criterion, "measure": fitted.measure, "distance": float(fitted.fit.best)}
        for fitted in others
    ]
    return [Statement("other_criteria", text, {"count": len(others), "fits": fits})]


def measures_of(fitted_models: Sequence[FittedModel]) -> tuple[str, ...]:
    """The fitted measure of each model, by the stopping likelihood where there is one, else by KL."""
    chosen: dict[str, str] = {}
    for criterion in (LIKELIHOOD, "KL"):
        for fitted in fitted_models:
            has_likelihood = fitted.counted.clicks is None
            if fitted.fit.criterion == criterion and fitted.measure and (criterion == LIKELIHOOD or not has_likelihood):
                chosen.setdefault(fitted.fit.model.text, fitted.measure)
    return tuple(dict.fromkeys(chosen.values()))


def _models(fitted_models: Sequence[FittedModel]) -> list[DiscountModel]:
    """The models, each once."""
    return list({fitted.fit.model.text: fitted.fit.model for fitted in fitted_models}.values())


def _why(model: DiscountModel, single: bool) -> str:
    """Why a criterion can be flat."""
    return (
        ": every session has one query, so nothing shows who goes on to the next" if single and model.query_form else ""
    )


def _at_end(name: str, state: State, single: bool) -> str:
    """What it means that a parameter is at the end of its range."""
    of_queries = name in ("bq", "pq")
    if single and (of_queries or (name == "b" and state is State.high)):
        return "every session has one query, so nothing shows how much later queries count"
    if state is State.low:
        return f"nobody reached a second {'query' if of_queries else 'rank'}"
    return f"nobody, or hardly anybody, is seen to stop {'querying' if of_queries else 'looking further down'}"


def _state_moving(fitted: FittedModel) -> Statement:
    """Say that a fit depends on the grid, with how far it goes."""
    fit, grids = fitted.fit, fitted.grids
    sizes = [(grid.ranks, grid.queries) for grid in sorted(grids, key=lambda grid: -grid.ranks * grid.queries)]
    listed = ", ".join(f"{ranks} x {queries}" for ranks, queries in sizes)
    ranges: dict[str, tuple[float, float]] = {}
    for place, free in enumerate(fit.model.free):
        on = [float(grid.values[place]) for grid in grids]
        ranges[free.name] = min(on), max(on)
    parts = ", ".join(f"{name} {low:.3f} to {high:.3f}" for name, (low, high) in ranges.items())
    if fit.criterion == LIKELIHOOD:
        text = (
            f"Depends on the cut: {fit.model.text} by {fit.criterion}: {parts} where lists and sessions are cut off at "
            f"{listed} ranks x queries, so the shape of this discount does not hold at every depth "
            "(sessionkit calibrate --table grids)."
        )
    else:
        text = (
            f"Depends on the grid: {fit.model.text} by {fit.criterion}: {parts} on {listed} ranks x queries, so "
            "these values hold on one grid only (sessionkit calibrate --table grids)."
        )
    values = {"model": fit.model.text, "criterion": fit.criterion}
    stored = {name: [*map(as_stored, ends_of_range)] for name, ends_of_range in ranges.items()}
    return Statement("depends_on_grid", text, {**values, "grids": [list(size) for size in sizes], "ranges": stored})


def _state_observed(looks: LookCounts) -> Statement:
    """Say what was observed, in two shares."""
    rank, query = reached(looks.stops(by_position=False)[0])
    shares = [(rank, "lists were looked at beyond rank 1"), (query, "sessions went on to a second query")]
    parts = [f"{share_text(share)} of {what}" for share, what in shares if share is not None]
    text = f"Observed where not censored: {', and '.join(parts)}." if parts else "No stop was observed."
    return Statement("observed", text, {"reach_rank_2": as_stored(rank), "reach_query_2": as_stored(query)})


def _state_fit(fitted: FittedModel, kind: str) -> list[Statement]:
    """Say the estimates of one fit, with how well it goes with what was seen."""
    fit = fitted.fit
    parameters: list[dict[str, Any]] = []
    for place, free in enumerate(fit.model.free):
        drawn, (low, high) = fitted.drawn[place], fit.intervals[place]
        low, high = (drawn.low, drawn.high) if drawn is not None else (low, high)
        interval = kind if drawn is not None else "profile likelihood"
        estimate = float(fit.values[place])
        parameters.append(
            {"parameter": free.name, "estimate": estimate, "low": low, "high": high, "interval": interval}
        )
    listed = ", ".join(
        f"{each['parameter']} = {each['estimate']:.3f} ({ends_text(each['low'], each['high'], digits=3)}, {each['interval']})"
        for each in parameters
    )
    rank, query = fitted.grids[0].second
    seen_rank, seen_query = reached(fitted.counted.stops(by_position=False)[0])
    comes = f"{share_text(rank)} of lists to reach rank 2" + (
        f" and {share_text(query)} of sessions to reach query 2" if query is not None else ""
    )
    values: dict[str, Value] = {
        "model": fit.model.text,
        "form": fit.model.form,
        "parameters": [
            {name: as_stored(value) if isinstance(value, float) else value for name, value in each.items()}
            for each in parameters
        ],
    }
    values |= {"reach_rank_2": as_stored(rank), "reach_query_2": as_stored(query)}
    text = f"{fit.model.text} ({fit.model.form}) by stopping likelihood: {listed}; it expects {comes}."
    statements = [Statement("fit", text, values)]
    missed = [
        what
        for own, seen, what in ((rank, seen_rank, "rank 2"), (query, seen_query, "query 2"))
        if own is not None and seen is not None and abs(own - seen) > GAP
    ]
    if missed:
        text = (
            f"This misses the observed share at {' and '.join(missed)} by more than {share_text(GAP, 0)}: "
            "the shape of this discount does not fit."
        )
        statements.append(Statement("misfit", text, {"model": fit.model.text, "places": missed, "gap": GAP}))
    return statements


def _state_best_model(fitted_models: Sequence[FittedModel]) -> list[Statement]:
    """Say which of several models agrees best with what was seen."""
    alike = [
        fitted
        for fitted in fitted_models
        if fitted.fit.criterion == LIKELIHOOD and fitted.fit.model.query_form and fitted.fit.usable
    ]
    if len(alike) < 2:
        return []
    if len({(fitted.counted.ranks, fitted.counted.queries) for fitted in alike}) > 1:
        text = "The models were fitted to different ranks or queries, so their likelihoods cannot be compared; give all the same cutoff."
        return [Statement("best_model", text, {"model": None, "aic": {}})]
    aic = {fitted.fit.model.text: 2 * len(fitted.fit.model.free) - 2 * float(fitted.fit.best) for fitted in alike}
    best, *others = sorted(aic, key=lambda model: aic[model])
    behind = {model: round(aic[model] - aic[best], DIGITS) for model in others}
    listed = ", ".join(f"{model} +{difference:.1f}" for model, difference in behind.items())
    text = f"{best} fits best by AIC of the stopping likelihood (others: {listed})."
    return [Statement("best_model", text, {"model": best, "aic": behind})]


NAMES = {"query": "query_position", "position": "query_position", "n": "count"}
"""Other names that the columns may have."""
WANTED = ("rank", "query_position", "count")
LARGEST = 2_000_000
"""Pairs of rank and query position that a table may span."""
MOST = 2**40
"""The largest number in a table, so that sums of counts stay exact."""


def counts_file(path: str | Path) -> pl.DataFrame:
    """Read a table of counts from a file of tab- or comma-separated values.

    Raises
    ------
    DataError
        The file is not there, or is no such table.
    """
    place = Path(path)
    if not place.is_file():
        msg = f"{place}: there is no such file; a table of counts has the columns rank, query and count"
        raise DataError(msg)
    try:
        with place.open(encoding="utf-8") as lines:
            first = lines.readline()
        return pl.read_csv(place, separator="\t" if "\t" in first else ",", infer_schema_length=None)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or ["unknown"])[0]
        msg = f"{place} is not a table of counts (columns rank, query, count): {reason}"
        raise DataError(msg) from None


def counted_table(table: Frame) -> LookCounts:
    """Take a table of counts apart into stops.

    Parameters
    ----------
    table
        ``rank``, ``query`` (or ``query_position``) and ``count``: whole numbers; a pair that is missing counts 0.

    Raises
    ------
    DataError
        A column is missing, a value is no such number, a pair is there twice, or everything is 0.
    """
    counts = _checked(as_polars(table, "counts").collect())
    total, first = int(counts["count"].sum()), counts.filter(pl.col("rank") == 1)
    rising = _rising(counts)
    if rising is not None:
        at_place, values = rising
        text = (
            f"Counted: {total:,} looks in a table. {at_place}, so these do not count how many reached each place, and there is "
            "no stopping likelihood: TSE and KL only."
        )
        statements: tuple[Statement, ...] = (Statement("rising_counts", text, {"looks": total, **values}),)
        clicks = counts.select(unit=pl.lit(0, pl.UInt64), query_position="query_position", rank="rank", many="count")
        nothing = clicks.clear().with_columns(ended=pl.lit(value=False))
        return LookCounts(nothing, nothing.drop("rank"), clicks, "", statements)
    beyond = counts.with_columns(pl.col("rank") - 1).rename({"count": "next"})
    left = counts.join(beyond, on=["rank", "query_position"], how="left")
    lists = _stopped(left.with_columns(many=pl.col("count") - pl.col("next").fill_null(0)), ["query_position", "rank"])
    later = first.select(pl.col("query_position") - 1, next="count")
    gone = first.join(later, on="query_position", how="left")
    sessions = _stopped(gone.with_columns(many=pl.col("count") - pl.col("next").fill_null(0)), ["query_position"])
    n_lists = int(first["count"].sum())
    n_sessions = int(first.filter(pl.col("query_position") == 1)["count"].sum())
    statements = (
        Statement(
            "counts",
            f"Counted: {counted(total, 'look')} in a table, at {counted(n_lists, 'list')} of {counted(n_sessions, 'session')}.",
            {
                "signal": "counts", "min_dwell": None, "unmarked": None, "looks": total, "lists": n_lists,
                "sessions": n_sessions, "without": None,
            },
        ),
        Statement(
            "censored",
            "Censored: nothing; a table does not say where lists and sessions ended, so each is assumed to end by the searcher's "
            "choice.",
            {"lists": 0, "continued": 0, "cut_short": 0, "column": None},
        ),
        Statement(
            "intervals",
            "Intervals are profile-likelihood intervals and assume independent lists and sessions: a table names no users to "
            "resample.",
            {"reason": "table"},
        ),
    )  # fmt: skip
    return LookCounts(lists, sessions, None, "", statements)


def _checked(table: pl.DataFrame) -> pl.DataFrame:
    """The three columns as whole numbers, in order, without zeros."""
    table = table.rename(
        {name: ours for name, ours in NAMES.items() if name in table.columns and ours not in table.columns}
    )
    missing = [name for name in WANTED if name not in table.columns]
    if missing:
        found = ", ".join(table.columns) or "none"
        msg = (
            f"a table of counts has the columns rank, query and count; {missing[0]} is missing, columns found: {found}"
        )
        raise DataError(msg)
    for name in WANTED:
        column = table[name]
        least = 0 if name == "count" else 1
        whole = column.cast(pl.Float64, strict=False)
        bad = whole.is_null() | (whole != whole.floor()) | (whole < least) | ~whole.is_finite() | (whole > MOST)
        if bad.any():
            at = int(bad.arg_max() or 0)
            more = "; shares are not counts: multiply by the number of looks" if name == "count" else ""
            msg = f"counts: {name} is {column[at]!r} in row {at + 1}; it must be a whole number from {least} to {MOST:,}{more}"
            raise DataError(msg)
    made = table.select(pl.col(WANTED).cast(pl.Float64).cast(pl.Int64))
    twice = made.filter(made.select("rank", "query_position").is_duplicated())
    if len(twice):
        msg = f"counts: rank {twice.item(0, 'rank')} of query {twice.item(0, 'query_position')} appears twice; give one row each"
        raise DataError(msg)
    made = made.filter(pl.col("count") > 0).sort("query_position", "rank")
    if made.is_empty():
        msg = "counts: every count is 0; there is nothing to fit"
        raise DataError(msg)
    deepest, last = (int(made.get_column(name).to_numpy().max()) for name in ("rank", "query_position"))
    if deepest * last > LARGEST:
        msg = f"counts: the table goes to rank {deepest} of query {last}, too large to fit; shorten it"
        raise UsageError(msg)
    return made


def _rising(counts: pl.DataFrame) -> tuple[str, dict[str, int]] | None:
    """Where counts rise down a list, or from query to query at rank 1, in words and as values."""
    keys = ["rank", "query_position"]
    above = counts.select(pl.col("rank") + 1, "query_position", above="count")
    down = counts.filter(pl.col("rank") > 1).join(above, on=keys, how="left").sort("query_position", "rank")
    worse = down.filter(pl.col("count") > pl.col("above").fill_null(0))
    if len(worse):
        query, rank, count, before = worse.select("query_position", "rank", "count", pl.col("above").fill_null(0)).row(
            0
        )
        text = f"In query {query}, rank {rank} has {count:,} and the rank before it {before:,}"
        return text, {"query_position": query, "rank": rank, "count": count, "before": before}
    first = counts.filter(pl.col("rank") == 1)
    before = first.select(pl.col("query_position") + 1, before="count")
    along = (
        first.filter(pl.col("query_position") > 1).join(before, on="query_position", how="left").sort("query_position")
    )
    worse = along.filter(pl.col("count") > pl.col("before").fill_null(0))
    if len(worse):
        query, count, before = worse.select("query_position", "count", pl.col("before").fill_null(0)).row(0)
        text = f"At rank 1, query {query} has {count:,} and the query before it {before:,}"
        return text, {"query_position": query, "rank": 1, "count": count, "before": before}
    return None


def _stopped(frame: pl.DataFrame, places: list[str]) -> pl.DataFrame:
    """Rows in the form of `Counted`, of one unit."""
    some = frame.filter(pl.col("many") > 0)
    return some.select(pl.lit(0, pl.UInt64).alias("unit"), *places, pl.lit(value=False).alias("ended"), "many")
