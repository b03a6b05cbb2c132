"""A mixed model with groups fixed, and users, topics and their interaction random; and the standard errors it is judged by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import polars as pl

from sessionkit.arguments import error_rate
from sessionkit.display.numbers import counted, listed
from sessionkit.display.statements import Statement
from sessionkit.display.tables import TextTable
from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring.measures.base import Direction, Measure
from sessionkit.statistics.comparison import NO_VERDICT, withheld_row
from sessionkit.statistics.comparison_statements import with_reasons, withheld_text
from sessionkit.statistics.corrections import CORRECTIONS, Family, corrected
from sessionkit.statistics.distributions import require_squares, t_at, t_beyond
from sessionkit.statistics.effects import CONSTANT, within_text
from sessionkit.statistics.findings import (
    NUMBER,
    TEXT,
    WHOLE,
    TestedFinding,
    stated,
)
from sessionkit.statistics.mixed_statements import KINDS, MeasureModel, MixedSetup, claim, mixed_statements
from sessionkit.statistics.paper_tables import claim_text, corrected_text, pair_table, pair_words, worded
from sessionkit.statistics.remarks import Remark, left_out, not_tested
from sessionkit.statistics.session_values import chosen_sessions, outcome_remarks, require_values, sessions_of
from sessionkit.statistics.variance_components import (
    NEGLIGIBLE,
    FactorChoice,
    Factors,
    GroupMeans,
    Reduced,
    alike,
    asked_for,
    chosen,
    fitted,
    interval,
    means,
)
from sessionkit.statistics.verdict import Support, leaves_out_single_queries, weakest
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.tabular import Frame

TRUTH = pl.Boolean()
EFFECTS = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), TEXT),
        **dict.fromkeys(("n_a", "n_b"), WHOLE),
        **dict.fromkeys(
            ("mean_a", "mean_b", "estimate", "low", "high", "se", "se_reml", "statistic", "df", "p", "p_adjusted"),
            NUMBER,
        ),
        "error_term": TEXT,
    }
)
COMPONENTS = pl.Schema(
    {
        **dict.fromkeys(("measure", "component"), TEXT),
        "levels": WHOLE,
        **dict.fromkeys(("variance", "low", "high", "sd", "share"), NUMBER),
    }
)
FITS = pl.Schema(
    {
        "measure": TEXT,
        **dict.fromkeys(("sessions", "users", "topics"), WHOLE),
        "log_likelihood": NUMBER,
        **dict.fromkeys(("converged", "singular"), TRUTH),
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class MixedModel(TestedFinding):
    """Groups of sessions compared by a mixed model; made by `sessionkit.compare` with ``population="users,topics"``.

    Parameters
    ----------
    table
        A row per measure and pair of groups, differences are b minus a: ``measure``, ``a``, ``b``, ``n_a``, ``n_b``
        (sessions), ``mean_a``, ``mean_b`` (the model's), ``estimate`` (their difference) with its interval ``low`` to
        ``high``, ``se`` (by which it is judged), ``se_reml`` (what the components, cut off at 0, would give), ``statistic`` (t),
        ``df``, ``p``, ``p_adjusted``, and ``error_term``, the components whose mean squares judge it.
    components
        A row per measure and component, ``residual`` last: ``levels``, ``variance`` with its interval ``low`` to
        ``high`` (null: without end), ``sd``, and ``share`` of the variance of one session.
    fits
        A row per measure: ``sessions``, ``users``, ``topics``, ``log_likelihood`` (restricted), ``converged``
        (whether the maximum was reached), ``singular`` (whether a component is 0).
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    claim
        Whom the claim is about.
    by, random, correction, confidence
        As given; `random` with the names of all factors that were tried.
    interval_rate
        Error rate of each interval of an effect.
    remarks
        What was left out, and what could not be fitted.
    no_verdict
        Rows of ``table`` on which no verdict may be given, and ``why``: fewer than half of the sessions of a group have a value.
    directions
        Which values of a measure are better, by its text; without those that only their text names.
    """

    table: pl.DataFrame
    components: pl.DataFrame
    fits: pl.DataFrame
    statements: tuple[Statement, ...]
    claim: str
    by: str
    random: tuple[str, ...]
    correction: str
    confidence: float
    interval_rate: float
    remarks: tuple[Remark, ...]
    no_verdict: pl.DataFrame = field(default_factory=NO_VERDICT.to_frame)
    directions: Mapping[str, Direction] = field(default_factory=dict)
    KINDS: ClassVar = KINDS

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, and what could not be fitted, as sentences without their ends."""
        return tuple(remark.text for remark in self.remarks)

    @property
    def family(self) -> Family:
        """The p-values that were corrected together."""
        return Family(self.table.height, self.correction)

    @property
    def with_reasons(self) -> pl.DataFrame:
        """``table`` and, of each row, ``why`` no verdict may be given; null where one may."""
        return with_reasons(self.table, self.no_verdict)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return {"effects": self.table, "components": self.components, "fits": self.fits}

    def paper_table(self) -> TextTable:
        """Return the differences as papers print them; where no model could be fitted, no rows and a note that says why."""
        factors = listed(
            [" \N{MULTIPLICATION SIGN} ".join(worded([part]) for part in name.split(":")) for name in self.random]
        )
        caption = (
            f"{pair_words(self.table)}, by {worded([self.by])}: mixed model, {factors} random"
            f"{corrected_text(self.family)}, n sessions"
        )
        withheld = withheld_text(self.no_verdict)
        note = f"{claim_text(self.claim)}{withheld}" if len(self.table) else " ".join(f"{note}." for note in self.notes)
        return pair_table(self.with_reasons, caption, note, self.confidence, family=self.family)


def mixed_model(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    where: Where = None,
    cut: int | None = None,
    random: str | Sequence[str] | None = None,
    correction: str = "bonferroni",
    confidence: float = 0.95,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> MixedModel:
    """Compare groups of sessions by a mixed model, as `sessionkit.compare` does with ``population="users,topics"``.

    Groups, such as systems, are fixed. Users, topics, and what a topic does to each group (``system_id:topic_id``) are
    random. Components are estimated by REML.

    Parameters
    ----------
    study
        The study, or a table of scores per session (`sessionkit.score`) with the grouping column in it.
    measures
        Measures of sessions; of a table of scores all of them if not given. The mean of a query measure is
        ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users to group by, with 2 to 20 values.
    where, cut
        As `sessionkit.compare` has them.
    random
        The random factors, several as a list or joined by commas: ``"user_id"``, ``"topic_id"``, with the grouping
        column ``"system_id:topic_id"`` and ``"system_id:user_id"``, ``"user_id:topic_id"``, ``"session_id"``. If not
        given users, topics, and what topics do to groups, or users where topics are unknown. What the sessions cannot
        tell apart is left out, and the reading says why. ``"system_id:user_id"`` lets users differ in what groups do to
        them; left out, it had better be small: with an sd of .10, as that of users, the studies below rejected 6%, of
        .20 11% (of users who meet both systems with every topic 8 and 21%).
    correction
        Over all measures and pairs: ``"bonferroni"``, ``"holm"``, ``"bh"`` or ``"none"``, with the intervals that
        `sessionkit.compare` describes.
    confidence
        Of intervals and tests, above .5 and below 1; a difference is significant where p is at most 1 - confidence.
    memory, cache
        As `sessionkit.score` has them.

    Returns
    -------
    MixedModel
        With ``table`` (differences), ``components``, ``fits``, ``reading``.

    Raises
    ------
    UsageError
        An option or column does not exist, or the sessions have no random factor.
    MeasureError
        A measure does not exist, or has no value per session.
    DataError
        No session has a value of any of the measures, or values are so large or small that their squares are no numbers,
        above 1e60 or below 1e-60.

    Notes
    -----
    Differences are judged by t. Its error is the mean square of what varies the groups' differences, as a rule that of
    topics with groups: 4 topics leave 3 degrees of freedom, whatever the number of users. Several such mean squares are
    joined as a quasi-F, with Satterthwaite's degrees of freedom; none: the residual's. Of 1,000 simulated null studies of
    CLASSIC's design (30 users, 4 topics, systems alternated; sd of users .10, topics .15, residual .22) a nominal 5%
    rejected 5.2, 3.8, 4.4 and 4.4% at an sd of system with topic of 0, .05, .10 and .20; the z that statsmodels prints
    rejected 4, 7, 13 and 17%. With ``"system_id:user_id"`` beside it, and neither there in truth, it rejects 2%. Of
    studies out of balance (12 users, 8 of them with one group, 4 topics, a fifth of the sessions missing) it rejects 5 to 6%.
    A mean square may come out below the residual's by chance, and the error with it, as in any analysis of variance; the
    reading then says so.

    Intervals of components are those of the profiled restricted likelihood: in the same studies they covered 94 to 97%,
    and a component of 0 98%. Values are taken as normal; those of measures from 0 to 1 are so only roughly.

    Examples
    --------
    Three topics, two systems, once each: topics are random, the residual judges, as in a paired t (t = 3.4641, df 2).

    >>> import polars as pl
    >>> scores = pl.DataFrame({
    ...     "session_id": list("123456"), "topic_id": list("uuvvww"), "system_id": list("ABABAB"),
    ...     "measure": ["sDCG@10"] * 6, "value": [1.0, 2.0, 1.0, 3.0, 2.0, 5.0],
    ... })
    >>> found = mixed_model(scores)
    >>> found.table.select("a", "b", pl.col("estimate", "statistic", "df", "p").round(4)).row(0)
    ('A', 'B', 2.0, 3.4641, 2.0, 0.0742)
    """
    _checked(correction)
    alpha = error_rate(confidence)
    study, restriction = chosen_sessions(study, where)
    sessions = sessions_of(study, measures, by, memory, cache, cut=cut)
    require_values(study, sessions.values, sessions.measures)
    names = asked_for(sessions, random)
    if not names:
        msg = "a mixed model needs user_id or topic_id, and these sessions have neither; compare would work"
        raise UsageError(msg)
    found = [
        modeled(measure, sessions.groups, chosen(sessions, number, names), alpha)
        for number, measure in enumerate(sessions.measures)
    ]
    table, rate = _table(found, correction, alpha)
    remarks = [remark for each in found for remark in each.remarks]
    if sessions.without_group:
        brief = f"left out {counted(sessions.without_group, 'session')} without {sessions.by}"
        counts = {f"sessions without {sessions.by}": sessions.without_group}
        remarks.append(Remark("left_out", brief, {"counts": counts}))
    remarks += outcome_remarks(study, by)
    unlike = alike(sessions, names)
    if unlike and table.height:
        brief = f"the effect of {sessions.by} is assumed the same for every user"
        values = {"column": sessions.by, "factor": unlike}
        remarks.append(Remark("same_effect", brief, values, f"; with {unlike} in random= it may vary"))
    largest = max(found, key=lambda each: each.sessions)
    no_verdict = _no_verdict(table, dict(sessions.frame.get_column("group").value_counts().rows()))
    return MixedModel(
        table=table,
        components=pl.DataFrame([row for each in found for row in each.components], schema=COMPONENTS, orient="row"),
        fits=pl.DataFrame([each.fit for each in found if each.fit], schema=FITS, orient="row"),
        statements=stated(
            mixed_statements(
                table,
                found,
                MixedSetup(largest, sessions.by, alpha, Family(table.height, correction), sessions.directions),
                remarks=remarks,
                no_verdict=no_verdict,
            ),
            restriction,
        ),
        claim=claim(largest),
        by=sessions.by,
        random=names,
        correction=correction,
        confidence=confidence,
        interval_rate=rate,
        remarks=tuple(remarks),
        no_verdict=no_verdict,
        directions=sessions.directions,
    )


def _table(found: Sequence[MeasureModel], correction: str, alpha: float) -> tuple[pl.DataFrame, float]:
    """The differences, their p-values corrected together and intervals to match; and each interval's error rate."""
    rows = [row for each in found for row in each.effects]
    together = corrected([row["p"] for row in rows], correction, alpha)
    for place, row in enumerate(rows):
        ends = together.interval(place, partial(_at_rate, row), row["estimate"])
        row["low"], row["high"] = (end if math.isfinite(end) else None for end in ends)
        row["p_adjusted"] = together.p[place]
    return pl.DataFrame(rows, schema=EFFECTS), together.interval_rate


def _at_rate(row: dict[str, Any], rate: float) -> tuple[float, float]:
    """The interval of a difference at an error rate."""
    half = t_at(rate / 2, row["df"]) * row["se"]
    return row["estimate"] - half, row["estimate"] + half


def _checked(correction: str) -> None:
    """Check what is asked for."""
    if correction not in CORRECTIONS:
        listed = ", ".join(CORRECTIONS)
        msg = f"correction must be one of {listed}, not {correction!r}{suggestion(str(correction), CORRECTIONS)}"
        raise UsageError(msg)


def _no_verdict(table: pl.DataFrame, totals: Mapping[str, int]) -> pl.DataFrame:
    """The pairs of groups on which no verdict may be given, and why; `totals` are the sessions of each group, with a value or without."""
    rows = []
    for measure, a, b, *counts in table.select("measure", "a", "b", "n_a", "n_b").rows():
        supports = [
            Support("session", n, totals[group], f"a value for {group}", paired=False)
            for n, group in zip(counts, (a, b), strict=True)
        ]
        support = weakest(supports)
        if support.shortage:
            is_single = leaves_out_single_queries(measure)
            rows.append(withheld_row(measure, a, b, support, without_single_queries=is_single))
    return pl.DataFrame(rows, schema=NO_VERDICT, orient="row")


EXACT = 1e-7
"""Standard error, as a share of that of the components, below which what judges is rounding."""


def modeled(measure: str, groups: tuple[str, ...], of: FactorChoice, alpha: float) -> MeasureModel:
    """Model one measure; where there is nothing to model a remark says why.

    Raises
    ------
    UsageError
        No random factor is left.
    """
    factors, values = of.factors, of.values
    require_squares(measure, values)
    random = factors.names
    about = (measure, len(values), of.users, of.topics, random)
    remarks = left_out(of.dropped, measure)
    why = _nothing(of, groups)
    if why is not None:
        return MeasureModel(*about, remarks=[*remarks, replace(why, measure=measure)])
    for name, excluded in of.left_out.items():
        excluded_by = {"factor": name, "reason": excluded.reason, "same_as": excluded.same_as}
        brief = f"{name} is not in the model"
        remarks.append(Remark("not_in_model", brief, excluded_by, f": {excluded.text}", measure))
    if not random:
        listed = "; ".join(f"{name}: {excluded.text}" for name, excluded in of.left_out.items())
        msg = f"{measure}: no random factor is left for a mixed model ({listed}); compare would work"
        raise UsageError(msg)
    level = float(values.mean())
    rounding = len(values) * (CONSTANT * float(np.abs(values).max())) ** 2
    values = values - level  # so that little is lost of values such as 1e12 + 0.3; groups take the level out anyway
    reduced = factors.reduced(values)
    total = float(reduced.seen @ reduced.seen) + reduced.left
    if total <= rounding or (reduced.df and reduced.left <= rounding):
        what = "the groups" if total <= rounding else "groups and factors"
        within = within_text(CONSTANT, math.sqrt((reduced.left if reduced.df else total) / len(values)), of.values)
        brief = f"{what} explain every value{within}, so no variance is left to test against"
        remark = replace(not_tested("no variance", brief, detail=what), measure=measure)
        return MeasureModel(*about, remarks=[*remarks, remark])
    fit = fitted(factors, values)
    of_groups = means(factors, fit.components, values)
    of_groups = replace(of_groups, values=of_groups.values + level)
    sticks = yardsticks(factors, reduced, fit.components)
    if not sticks and reduced.df < 1:
        msg = f"{measure}: groups and factors leave no degrees of freedom for an error; fewer random factors would work"
        raise UsageError(msg)
    effects = []
    for pair in combinations(range(len(groups)), 2):
        found = contrast(factors, reduced, of_groups, fit.components, sticks=sticks, pair=pair)
        if found.se <= EXACT * found.reml:
            by = " + ".join(found.by) or "residual"
            brief = f"the error mean square, of {by}, is 0 but for rounding, so no variance is left to test against"
            remark = replace(not_tested("no error", brief, detail=by), measure=measure)
            return MeasureModel(*about, remarks=[*remarks, remark])
        of_pair: dict[str, Any] = {"measure": measure}
        for side, number in zip("ab", pair, strict=True):
            of_pair |= {
                side: groups[number],
                f"n_{side}": int(factors.counts[number]),
                f"mean_{side}": of_groups.values[number],
            }
        effects.append(of_pair | _tested(found))
    share = fit.components / fit.components.sum()
    rows = []
    for number, name in enumerate((*random, "residual")):
        low, high = interval(reduced, fit.components, number, alpha)
        levels = factors.sizes[number] if number < len(random) else None
        variance = float(fit.components[number])
        rows.append((measure, name, levels, variance, low, high, variance**0.5, float(share[number])))
    singular = bool((fit.components[:-1] == 0).any())
    of_fit = (measure, len(values), of.users, of.topics, fit.log_likelihood, fit.converged, singular)
    return MeasureModel(*about, effects, rows, of_fit, remarks)


def _tested(found: Contrast) -> dict[str, Any]:
    """The columns of a row that are about the test; the interval is filled in with all p-values."""
    t = found.estimate / found.se
    return {
        "estimate": found.estimate,
        "se": found.se,
        "se_reml": found.reml,
        "statistic": t,
        "df": float(found.df),
        "p": 2 * t_beyond(abs(t), found.df),
        "error_term": " + ".join(found.by) or "residual",
    }


def _nothing(of: FactorChoice, groups: tuple[str, ...]) -> Remark | None:
    """Say why there is nothing to model; None where there is."""
    values, factors = of.values, of.factors
    if not len(values):
        return not_tested("no units", "no session has a defined value", n=0)
    counts = np.bincount(factors.group, minlength=len(groups))
    if not counts.all():
        empty = groups[int(np.argmin(counts))]
        return not_tested("few units", f"{empty} has no session with a value", groups=[empty], n=0)
    spread = float(np.ptp(values))
    if spread <= CONSTANT * float(np.abs(values).max()):
        within = within_text(CONSTANT, spread, values)
        brief = f"every value is {float(values[0]):.6g}{within}, in every group"
        return not_tested("constant", brief, "; there is nothing to test", value=float(values[0]))
    return None


@dataclass(frozen=True)
class Contrast:
    """A difference of two groups' means with its standard error.

    Parameters
    ----------
    estimate
        The second group's mean less the first's.
    se, df
        Standard error, and degrees of freedom of t; 0 where the mean square that judges is 0.
    by
        Factors that it is judged by; none: the residual.
    reml
        The standard error that the REML components give, cut off at 0.
    """

    estimate: float
    se: float
    df: float
    by: tuple[str, ...]
    reml: float


@dataclass(frozen=True)
class Yardstick:
    """The mean square of one factor that contains the groups.

    Parameters
    ----------
    factor
        Number of the factor.
    component
        The component that the mean square says the factor has; it may be below 0.
    ceiling
        The same were there nothing else in the mean square.
    df
        Its degrees of freedom.
    """

    factor: int
    component: float
    ceiling: float
    df: int


def yardsticks(factors: Factors, reduced: Reduced, components: np.ndarray) -> list[Yardstick]:
    """Return the mean squares of all factors that contain the groups.

    Each is worked out with coarser factors taken out, and the other factors and the residual as random as their
    components say: with them known the mean square is expected to be 1 + c x component.
    """
    found = []
    for k in factors.containing:
        coarser = [j for j in range(len(factors.names)) if j != k and factors.finer(k, j)]
        others = components.copy()
        others[[k, *coarser]] = 0.0
        weight = np.linalg.inv(np.tensordot(others, reduced.shapes, 1))
        own = factors.reach[:, factors.blocks[k]]
        scale = float(np.linalg.norm(own.T @ weight @ own, 2))
        if coarser:
            out = np.hstack([factors.reach[:, factors.blocks[j]] for j in coarser])
            weighted = weight @ out
            between = out.T @ weighted
            weight = weight - weighted @ _inverse(between, float(np.linalg.norm(between, 2)))[0] @ weighted.T
        inner = own.T @ weight @ own
        inverse, df = _inverse(inner, scale)
        if not df:
            continue
        seen = own.T @ (weight @ reduced.seen)
        square = float(seen @ inverse @ seen) / df
        c = float(np.trace(inner)) / df
        found.append(Yardstick(k, (square - 1) / c, square / c, df))
    return found


def contrast(
    factors: Factors,
    reduced: Reduced,
    means: GroupMeans,
    components: np.ndarray,
    *,
    sticks: list[Yardstick],
    pair: tuple[int, int],
) -> Contrast:
    """Return a difference of means with an error that keeps its nominal size where topics and users are few.

    Its variance is made of components, those of the factors that contain the groups from their mean squares, not cut off
    at 0, and never less than any of these alone gives (a quasi-F; degrees of freedom by Satterthwaite 1946). The standard
    error of a REML fit, cut off at 0, does not keep its size with 4 topics, neither with z nor with Satterthwaite's df
    from the information matrix. Where no factor contains the groups the residual's mean square judges, as in a paired t.

    Where a study is not balanced some of the variance is that of factors that do not contain the groups, such as users of
    whom some met one group only. It has its degrees of freedom, and in its share a component counts as 0 if it is below:
    without that 12 users, 8 of them with one group, and 4 topics gave 7 to 9% rejections of true nulls; with it 5 to 6%.
    """
    first, second = pair
    loads = means.loads
    of = loads[:, first, first] + loads[:, second, second] - 2 * loads[:, first, second]
    estimate = float(means.values[second] - means.values[first])
    reml = float(of @ components)
    if not sticks:
        own_residual = float(of[-1]) * reduced.left / reduced.df
        variance = reml + own_residual - float(of[-1] * components[-1])
        parts = [(own_residual, reduced.df), *_crossed(factors, of, components)]
        return Contrast(estimate, math.sqrt(max(0.0, variance)), _freedom(variance, parts), (), math.sqrt(reml))
    crossed = _crossed(factors, of, components)
    share = sum(value for value, _ in crossed) / reml
    lifted = [share * max(0.0, -stick.component) for stick in sticks]
    own = [(float(of[stick.factor]) * (stick.ceiling + up), stick) for stick, up in zip(sticks, lifted, strict=True)]
    variance = reml + sum(
        float(of[stick.factor]) * (stick.component + up - components[stick.factor])
        for stick, up in zip(sticks, lifted, strict=True)
    )
    most, longest = max(own, key=lambda each: each[0])
    if variance <= most:
        by: tuple[str, ...] = (factors.names[longest.factor],)
        return Contrast(estimate, math.sqrt(most), longest.df, by, math.sqrt(reml))
    parts = [*((value, stick.df) for value, stick in own), *crossed]
    by = tuple(factors.names[stick.factor] for stick in sticks)
    return Contrast(estimate, math.sqrt(variance), _freedom(variance, parts), by, math.sqrt(reml))


def _crossed(factors: Factors, of: np.ndarray, components: np.ndarray) -> list[tuple[float, int]]:
    """What is in a contrast's variance of the factors that do not contain the groups, and their degrees of freedom."""
    others = [k for k in range(len(factors.names)) if k not in factors.containing]
    return [(float(of[k] * components[k]), factors.sizes[k] - 1) for k in others]


def _freedom(variance: float, parts: list[tuple[float, int]]) -> float:
    """Degrees of freedom of a variance that is made of parts, each with its own, by Satterthwaite; the first is there always."""
    told = [parts[0], *(part for part in parts[1:] if part[0] > NEGLIGIBLE * variance)]
    if len(told) == 1:
        return parts[0][1]
    return variance**2 / sum(value**2 / free for value, free in told)


def _inverse(matrix: np.ndarray, scale: float) -> tuple[np.ndarray, int]:
    """Pseudo-inverse and rank of a matrix whose numbers are as exact as numbers of this scale are."""
    value, vector = np.linalg.eigh(matrix)
    kept = value > NEGLIGIBLE * max(1e-300, scale)
    return (vector[:, kept] / value[kept]) @ vector[:, kept].T, int(kept.sum())
