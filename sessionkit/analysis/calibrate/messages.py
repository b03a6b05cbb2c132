"""What a calibration means, in words: what cannot be told first, then what was counted, found, and what to do with it."""

from __future__ import annotations

from collections.abc import Sequence

from sessionkit.analysis.calibrate.counts import LookCounts
from sessionkit.analysis.calibrate.expectation import reached
from sessionkit.analysis.calibrate.fit_tables import FittedModel
from sessionkit.analysis.calibrate.fits import LIKELIHOOD, State
from sessionkit.analysis.calibrate.models import DiscountModel
from sessionkit.analysis.phrases import ends
from sessionkit.display.numbers import share_text

LISTED = 6
"""Fits that are named one by one."""
GAP = 0.05
"""A fit that misses an observed share by more than this is said to."""


def warnings_of(found: Sequence[FittedModel], whole: LookCounts) -> list[str]:
    """What cannot be told, and which fits depend on the grid."""
    lines = []
    for model in _models(found):
        lines += [
            f"NOT IDENTIFIABLE: {name} of {model.text} ({model.rank_form}) cancels from the shape of the discount, so no "
            "counts can identify it; any value gives proportional scores."
            for name in model.canceled
        ]
    single = whole.queries == 1
    for made in found:
        fit, model = made.fit, made.fit.model
        for free, state, value in zip(model.free, fit.states, fit.values, strict=True):
            who = f"{free.name} of {model.text} by {fit.criterion}"
            if state in (State.flat, State.open_):
                lines.append(
                    f"NOT IDENTIFIABLE: {who}; {str(state).removeprefix('not identifiable: ')}{_why(model, single)}."
                )
            elif state in (State.low, State.high):
                lines.append(
                    f"NOT IDENTIFIABLE: {who} runs to the end of its range ({value:.4g}); {_at_end(free.name, state, single)}."
                )
            elif state is not State.told:
                lines.append(f"ONLY BOUNDED: {who} has {state} within its range.")
    for made in found:
        if made.depends and made.fit.usable:
            lines.append(_moving(made))
    return lines


def lines_of(found: Sequence[FittedModel], whole: LookCounts, warnings: Sequence[str], kind: str) -> list[str]:
    """The reading, a sentence or two a line."""
    lines = [*warnings, *whole.told]
    if whole.clicks is None:
        lines.append(_reached(whole))
    for made in found:
        if made.fit.criterion == LIKELIHOOD and made.fit.usable:
            lines += _fitted(made, kind)
    others = [made for made in found if made.fit.criterion != LIKELIHOOD and made.measure]
    if len(others) > LISTED:
        lines.append(
            "For comparison with the literature the table fits has TSE and KL fits to shares of looks scaled to sum to 1."
        )
    elif others:
        listed = "; ".join(f"{made.fit.criterion} {made.measure} ({made.fit.best:.4f})" for made in others)
        lines.append(f"For comparison with the literature, fits to shares of looks scaled to sum to 1: {listed}.")
    lines += _ranking(found)
    measures = measures_of(found)
    if measures:
        lines.append(f"Score with the fitted discounts: {', '.join(measures)}.")
    else:
        lines.append("There is no fitted discount to score with.")
    lines.append(
        "These discounts describe these searchers, systems and topics: how far searchers looked, not how useful a result was "
        "to them."
    )
    return lines


def measures_of(found: Sequence[FittedModel]) -> tuple[str, ...]:
    """The fitted measure of each model, by the stopping likelihood where there is one, else by KL."""
    chosen: dict[str, str] = {}
    for criterion in (LIKELIHOOD, "KL"):
        for made in found:
            has_likelihood = made.counted.clicks is None
            if made.fit.criterion == criterion and made.measure and (criterion == LIKELIHOOD or not has_likelihood):
                chosen.setdefault(made.fit.model.text, made.measure)
    return tuple(dict.fromkeys(chosen.values()))


def _models(found: Sequence[FittedModel]) -> list[DiscountModel]:
    """The models, each once."""
    return list({made.fit.model.text: made.fit.model for made in found}.values())


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


def _moving(made: FittedModel) -> str:
    """That a fit depends on the grid, with how far it goes."""
    fit, grids = made.fit, made.grids
    sizes = [f"{grid.ranks} x {grid.queries}" for grid in sorted(grids, key=lambda grid: -grid.ranks * grid.queries)]
    parts = []
    for place, free in enumerate(fit.model.free):
        on = [float(grid.values[place]) for grid in grids]
        parts.append(f"{free.name} {min(on):.3f} to {max(on):.3f}")
    if fit.criterion == LIKELIHOOD:
        return (
            f"Depends on the cut: {fit.model.text} by {fit.criterion}: {', '.join(parts)} where lists and sessions are cut off at "
            f"{', '.join(sizes)} ranks x queries, so the shape of this discount does not hold at every depth "
            "(sessionkit calibrate --table grids)."
        )
    return (
        f"Depends on the grid: {fit.model.text} by {fit.criterion}: {', '.join(parts)} on {', '.join(sizes)} ranks x queries, so "
        "these values hold on one grid only (sessionkit calibrate --table grids)."
    )


def _reached(whole: LookCounts) -> str:
    """What was observed, in two shares."""
    rank, query = reached(whole.stops(by_position=False)[0])
    shares = [(rank, "lists were looked at beyond rank 1"), (query, "sessions went on to a second query")]
    told = [f"{share_text(share)} of {what}" for share, what in shares if share is not None]
    return f"Observed where not censored: {', and '.join(told)}." if told else "No stop was observed."


def _fitted(made: FittedModel, kind: str) -> list[str]:
    """The estimates of one fit, with how well it goes with what was seen."""
    fit = made.fit
    told = []
    for place, free in enumerate(fit.model.free):
        drawn, (low, high) = made.drawn[place], fit.intervals[place]
        low, high = (drawn.low, drawn.high) if drawn is not None else (low, high)
        of = kind if drawn is not None else "profile likelihood"
        told.append(f"{free.name} = {fit.values[place]:.3f} ({ends(low, high, digits=3)}, {of})")
    rank, query = made.grids[0].second
    seen_rank, seen_query = reached(made.counted.stops(by_position=False)[0])
    comes = f"{share_text(rank)} of lists to reach rank 2" + (
        f" and {share_text(query)} of sessions to reach query 2" if query is not None else ""
    )
    lines = [f"{fit.model.text} ({fit.model.form}) by stopping likelihood: {', '.join(told)}; it expects {comes}."]
    missed = [
        what
        for own, seen, what in ((rank, seen_rank, "rank 2"), (query, seen_query, "query 2"))
        if own is not None and seen is not None and abs(own - seen) > GAP
    ]
    if missed:
        lines.append(
            f"This misses the observed share at {' and '.join(missed)} by more than {share_text(GAP, 0)}: "
            "the shape of this discount does not fit."
        )
    return lines


def _ranking(found: Sequence[FittedModel]) -> list[str]:
    """Which of several models agrees best with what was seen."""
    alike = [
        made for made in found if made.fit.criterion == LIKELIHOOD and made.fit.model.query_form and made.fit.usable
    ]
    if len(alike) < 2:
        return []
    if len({(made.counted.ranks, made.counted.queries) for made in alike}) > 1:
        return [
            "The models were fitted to different ranks or queries, so their likelihoods cannot be compared; give all the same cutoff."
        ]
    ranked = sorted(alike, key=lambda made: 2 * len(made.fit.model.free) - 2 * made.fit.best)
    least = 2 * len(ranked[0].fit.model.free) - 2 * ranked[0].fit.best
    listed = ", ".join(
        f"{made.fit.model.text} +{2 * len(made.fit.model.free) - 2 * made.fit.best - least:.1f}" for made in ranked[1:]
    )
    return [f"{ranked[0].fit.model.text} fits best by AIC of the stopping likelihood (others: {listed})."]
