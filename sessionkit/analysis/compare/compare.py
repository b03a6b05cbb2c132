"""Do groups of sessions differ? Any grouping column, any measures, the test that the study's design supports."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
import polars as pl

from sessionkit.analysis.compare.comparison import DROPPED, Comparison
from sessionkit.analysis.compare.design import Design, read_design
from sessionkit.analysis.compare.messages import ComparisonSetup, claim, estimand, lines
from sessionkit.analysis.compare.options import options_of
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.projection import Effects, LeastSquares, LeastSquaresFit, indicators
from sessionkit.analysis.compare.result_table import assembled, overall_table
from sessionkit.analysis.compare.rows import compared
from sessionkit.analysis.compare.session_values import (
    ORDER,
    GroupedSessions,
    chosen_sessions,
    sessions_of,
    sessions_task,
)
from sessionkit.analysis.compare.units import coded
from sessionkit.analysis.distribution_tails import f_beyond
from sessionkit.analysis.phrases import left_out_note, reading_of
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.reduction import Reduction
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.study import guarded_read

if TYPE_CHECKING:
    from sessionkit.analysis.mixed_model import MixedModel

BOTH = "users,topics"
"""The population of a mixed model."""


@overload
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    population: Literal["users,topics"],
    where: Where = None,
    cut: int | None = None,
    random: str | Sequence[str] | None = None,
    correction: str = "bonferroni",
    confidence: float = 0.95,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> MixedModel: ...
@overload
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    where: Where = None,
    cut: int | None = None,
    test: str | None = None,
    population: Literal["users", "topics", "sessions"] | None = None,
    correction: str = "bonferroni",
    confidence: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> Comparison: ...
@overload
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    where: Where = None,
    cut: int | None = None,
    test: str | None = None,
    population: str | None = None,
    random: str | Sequence[str] | None = None,
    correction: str = "bonferroni",
    confidence: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> Comparison | MixedModel: ...
@guarded_read
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    where: Where = None,
    cut: int | None = None,
    test: str | None = None,
    population: str | None = None,
    random: str | Sequence[str] | None = None,
    correction: str = "bonferroni",
    confidence: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> Comparison | MixedModel:
    """Compare groups of sessions, such as systems, by measures.

    The design is read from the data: sessions are matched by user and topic, never by their order, and a pair that lacks
    a value is left out whole. A test that the design does not support is refused, and the error names what would work.

    Parameters
    ----------
    study
        The study, or a table of scores per session (`sessionkit.score`) with the grouping column in it.
    measures
        Measures of sessions; of a table of scores all of them if not given. The mean of a query measure is
        ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users to group by, with 2 to 20 values.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    cut
        Of numbers, such as years of experience: into so many groups of about one size, 2 to 9.
    test
        The design's own if not given. Units that each met every group: ``"t"`` (two groups), ``"tukey"`` (more: Tukey's
        HSD on the blocked analysis of variance, also ``"anova"``), ``"wilcoxon"``, ``"sign"``, ``"randomization"`` (of
        more than two groups max-T over all pairs), ``"nemenyi"`` (also ``"friedman"``), ``"conover"``. A crossover:
        ``"least-squares"`` on user + topic + group, ``"randomization"`` of users' whole assignments. Groups of different
        units: ``"welch"``, ``"mann-whitney"``, ``"tukey"``. A bootstrap over a few units is not offered.
    population
        What the claim generalizes to: ``"users"`` (users like these, searching these topics), ``"topics"`` (topics like
        these) or ``"sessions"``. Each user's, or topic's, sessions are averaged to one unit, so that n is the number of
        users, or of topics. The design's own if not given: users wherever they are known and met several groups.
        ``"users,topics"`` (users like these and topics like these) fits a mixed model, see
        `sessionkit.analysis.mixed_model.mixed_model`, which has no other test.
    random
        The random factors of the mixed model, several as a list or joined by commas; by default users, topics, and the
        topic-by-group interaction.
    correction
        Over all measures and pairs: ``"bonferroni"``, ``"holm"``, ``"bh"`` or ``"none"``. Intervals match, see
        `sessionkit.analysis.compare.corrections`: all hold at once with ``"bonferroni"`` and ``"holm"``, which finds a
        little more, but of what it finds, while other comparisons are undecided, can tell the side of 0 only; with
        ``"bh"`` the expected share of those found that miss is below 1 - `confidence`. A test of all pairs at once is corrected
        over measures by Bonferroni's rule, whichever of the two is asked for.
    confidence
        Of intervals and tests, above .5 and below 1; a difference is significant where p is at most 1 - confidence.
    draws
        Draws of a randomization test, at least 99; where there are no more arrangements than that (2 for each unit, or k!
        of k groups), each is made once.
    seed
        Seed of the draws.
    memory, cache
        As `sessionkit.score` has them.

    Returns
    -------
    Comparison or MixedModel
        With ``table``, ``reading``, and what they were made with.

    Raises
    ------
    UsageError
        An option or column does not exist, or the design does not support what is asked.
    MeasureError
        A measure does not exist, or has no value per session.

    Notes
    -----
    Least squares takes the difference to be the same for every user and topic; its claim is about these topics. In 1,500
    simulated null studies of 30 users, 4 topics and systems alternated, it rejected 5.5 % at a nominal 5 %, and 21 % once
    the systems' difference varied with the topic by an sd of .10 (residual .22), where the t over topic means
    (``population="topics"``) rejected 4.7 % and a bootstrap over the 4 topics 17 % without any such variation. Where the
    difference varies with the user by an sd of .10, or .20, least squares rejects 6 or 10 %, and randomization of users'
    whole assignments 5 % (4,000 and 600 studies).

    Examples
    --------
    Three users, each with both systems: differences 1, 2, 3, so t = 2 / (1 / sqrt(3)) = 3.4641 with 2 degrees of freedom.

    >>> import polars as pl
    >>> scores = pl.DataFrame({
    ...     "session_id": list("123456"), "user_id": list("uuvvww"), "system_id": list("ABABAB"),
    ...     "measure": ["sDCG@10"] * 6, "value": [1.0, 2.0, 1.0, 3.0, 2.0, 5.0],
    ... })
    >>> found = compare(scores)
    >>> found.table.select("a", "b", "n_a", "estimate", "wins", pl.col("statistic", "p").round(4)).row(0)
    ('A', 'B', 3, 2.0, 3, 3.4641, 0.0742)
    >>> found.claim
    'users like these 3 users'
    """
    study = chosen_sessions(study, where)
    if population in (BOTH, "topics,users"):
        if test is not None:
            raise UsageError(f"population={BOTH} fits a mixed model, which has no test={test}; leave one of them out")
        from sessionkit.analysis.mixed_model import mixed_model  # only who asks for it waits for it

        return mixed_model(
            study,
            measures,
            by,
            cut=cut,
            random=random,
            correction=correction,
            confidence=confidence,
            memory=memory,
            cache=cache,
        )
    if random is not None:
        raise UsageError(f"random= names factors of the mixed model; add population={BOTH}, or leave it out")
    options = options_of(correction, confidence, draws, seed)
    sessions = sessions_of(study, measures, by, memory, cache, cut=cut)
    design = read_design(sessions.frame, sessions.by, len(sessions.groups))
    plan = ComparisonPlan.of(design, len(sessions.groups), test=test, population=population, options=options)
    units = [plan.units(sessions, number) for number in range(len(sessions.measures))]
    found = [compared(plan, measure, sessions.groups, of) for measure, of in zip(sessions.measures, units, strict=True)]
    table, rate, family = assembled(plan, found)
    left_out = [{f"sessions without {sessions.by}": sessions.without_group} if sessions.without_group else {}]
    dropped = [(measure, {**left_out[0], **of.dropped}) for measure, of in zip(sessions.measures, units, strict=True)]
    notes = [note for part in found for note in part.notes]
    notes += [note for measure, what in dropped for note in left_out_note(measure, what)]
    overall = overall_table(found)
    order = order_checks(sessions, design)
    about = claim(plan.population, max(units, key=lambda of: of.sessions))
    setup = ComparisonSetup(plan, about, sessions.by, family)
    return Comparison(
        table=table,
        overall=overall,
        order=order,
        dropped=pl.DataFrame(
            [(measure, *item) for measure, what in dropped for item in what.items()], schema=DROPPED, orient="row"
        ),
        reading=reading_of(lines(table, overall, order, notes, setup), study),
        design=design.described,
        population=plan.population,
        claim=about,
        estimand=estimand(plan, sessions.by),
        test=plan.title,
        effect=plan.test.effect,
        by=sessions.by,
        correction=correction,
        confidence=confidence,
        family=family,
        interval_rate=rate,
        draws=draws,
        seed=seed,
        notes=tuple(notes),
    )


MOST_PERIODS = 50
WITHIN = ("both", "crossover", "incomplete", "users")
"""Designs in which a user meets several groups."""
CHECKS = pl.Schema(
    {
        "measure": pl.String(),
        "check": pl.String(),
        "statistic": pl.Float64(),
        "df": pl.Float64(),
        "df_error": pl.Float64(),
        "p": pl.Float64(),
    }
)
"""``check``: period or carry-over; ``statistic``: F."""


def compare_task(study: Study, measures: str | Measure | Sequence[str | Measure], by: str = "system_id") -> Reduction:  # noqa: ARG001
    """What `compare` asks of a study, whatever its groups; the parameters and errors are the same."""
    return sessions_task(study, measures)


def order_checks(sessions: GroupedSessions, design: Design) -> pl.DataFrame:
    """Test period and first-order carry-over by F, least squares on user + topic + group.

    ``period``: does the place in the user's study (``session_order``) add to user, topic and group? ``carry-over``: does
    the group of the user's session just before add to these and the place? No rows where no order is known, users do not meet
    several groups, or the sessions cannot tell.
    """
    frame = sessions.frame
    if ORDER not in frame.columns or design.name not in WITHIN or frame.get_column("session_id").is_duplicated().any():
        return CHECKS.to_frame()
    known = frame.select(pl.col("user_id", ORDER).is_not_null()).to_numpy().all(axis=1)
    frame, values = frame.filter(pl.Series(known)), sessions.values[known]
    periods, names = coded(frame.get_column(ORDER))
    if not 2 <= len(names) <= MOST_PERIODS or not frame.get_column("user_id").is_duplicated().any():
        return CHECKS.to_frame()
    before = _before(frame, sessions.groups)
    group, _ = coded(frame.get_column("group"))
    k = len(sessions.groups)
    rows = []
    for number, measure in enumerate(sessions.measures):
        kept = np.isfinite(values[:, number])
        own = frame.filter(pl.Series(kept))
        topic, _ = coded(own.get_column("topic_id").fill_null(""))
        effects = Effects(coded(own.get_column("user_id"))[0], topic)
        if not effects.feasible:
            continue
        y = values[kept, number][:, None]
        groups, place = indicators(group[kept], k), indicators(periods[kept], len(names))
        place = place[:, place.any(axis=0)]
        models = [groups, np.hstack([groups, place]), np.hstack([groups, place, before[kept]])]
        fits = [LeastSquares(effects, model).fit(y) for model in models]
        for check, less, more in (("period", fits[0], fits[1]), ("carry-over", fits[1], fits[2])):
            found = _f(less, more)
            if found is not None:
                rows.append((measure, check, *found))
    return pl.DataFrame(rows, schema=CHECKS, orient="row")


def _before(frame: pl.DataFrame, groups: tuple[str, ...]) -> np.ndarray:
    """Columns that tell the groups of the user's session just before apart, all 0 for the first one."""
    previous = pl.col("group").shift(1).over("user_id", order_by=[ORDER, "session_id"])
    names = frame.select(previous).to_series()
    columns = [(names == group).fill_null(value=False).to_numpy().astype(float) for group in groups]
    return np.column_stack([column - columns[0] for column in columns[1:]])


def _f(less: LeastSquaresFit | None, more: LeastSquaresFit | None) -> tuple[float, int, int, float] | None:
    """F for what the larger model explains beyond the smaller, with its degrees of freedom and p."""
    if less is None or more is None or more.df < 1 or not float(more.variance[0]) > 0:
        return None
    df = less.df - more.df
    f = max(0.0, float(more.explained[0] - less.explained[0]) / df / float(more.variance[0]))
    return f, df, more.df, f_beyond(f, df, more.df)
