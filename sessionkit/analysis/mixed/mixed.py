"""A mixed model: groups fixed; users, topics and what topics do to groups random; for users and topics like these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from os import PathLike
from typing import Any

import polars as pl

from sessionkit.analysis.compare.corrections import CORRECTIONS, corrected
from sessionkit.analysis.compare.session_values import sessions_of
from sessionkit.analysis.distribution_tails import t_at
from sessionkit.analysis.findings import reading_of
from sessionkit.analysis.mixed.finding import COMPONENTS, EFFECTS, FITS, MixedModel
from sessionkit.analysis.mixed.measure_model import MeasureModel, modelled
from sessionkit.analysis.mixed.messages import lines, population
from sessionkit.analysis.variance_components.random_factors import alike, asked_for, chosen
from sessionkit.display.words import counted
from sessionkit.errors import UsageError, suggestion
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.study import guarded_read


@guarded_read
def mixed(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    random: str | Sequence[str] | None = None,
    correction: str = "bonferroni",
    alpha: float = 0.05,
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> MixedModel:
    """Compare groups of sessions by a mixed model, whose claim is about users and topics like those searched.

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
    random
        The random factors, several as a list or joined by commas: ``"user_id"``, ``"topic_id"``, with the grouping
        column ``"system_id:topic_id"`` and ``"system_id:user_id"``, ``"user_id:topic_id"``, ``"session_id"``. If not
        given users, topics, and what topics do to groups, or users where topics are unknown. What the sessions cannot
        tell apart is left out, and the reading says why. ``"system_id:user_id"`` lets users differ in what groups do to
        them; left out, it had better be small: with an sd of .10, as that of users, the studies below rejected 6 %, of
        .20 11 % (of users who meet both systems with every topic 8 and 21 %).
    correction
        Over all measures and pairs: ``"bonferroni"``, ``"holm"``, ``"bh"`` or ``"none"``, with intervals to match, as
        `sessionkit.compare` has it.
    alpha
        Error rate, above 0 and below .5.
    memory, partials
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

    Notes
    -----
    Differences are judged by t. Its error is the mean square of what varies the groups' differences, as a rule that of
    topics with groups: 4 topics leave 3 degrees of freedom, whatever the number of users. Several such mean squares are
    joined as a quasi-F, with Satterthwaite's degrees of freedom; none: the residual's. Of 1,000 simulated null studies of
    CLASSIC's design (30 users, 4 topics, systems alternated; sd of users .10, topics .15, residual .22) a nominal 5 %
    rejected 5.2, 3.8, 4.4 and 4.4 % at an sd of system with topic of 0, .05, .10 and .20; the z that statsmodels prints
    rejected 4, 7, 13 and 17 %. With ``"system_id:user_id"`` beside it, and neither there in truth, it rejects 2 %. Of
    studies out of balance (12 users, 8 of them with one group, 4 topics, a fifth of the sessions missing) it rejects 5 to 6 %.
    A mean square may come out below the residual's by chance, and the error with it, as in any analysis of variance; the
    reading then says so.

    Intervals of components are those of the profiled restricted likelihood: in the same studies they covered 94 to 97 %,
    and a component of 0 98 %. Values are taken as normal; those of measures from 0 to 1 are so only roughly.

    Examples
    --------
    Three topics, two systems, once each: topics are random, the residual judges, as in a paired t (t = 3.4641, df 2).

    >>> import polars as pl
    >>> scores = pl.DataFrame({
    ...     "session_id": list("123456"), "topic_id": list("uuvvww"), "system_id": list("ABABAB"),
    ...     "measure": ["sDCG@10"] * 6, "value": [1.0, 2.0, 1.0, 3.0, 2.0, 5.0],
    ... })
    >>> found = mixed(scores)
    >>> found.table.select("a", "b", pl.col("estimate", "t", "df", "p").round(4)).row(0)
    ('A', 'B', 2.0, 3.4641, 2.0, 0.0742)
    """
    _checked(correction, alpha)
    sessions = sessions_of(study, measures, by, memory, partials)
    names = asked_for(sessions, random)
    if not names:
        msg = "a mixed model needs sessions that name their user or topic, and these name neither; compare would work"
        raise UsageError(msg)
    found = [
        modelled(measure, sessions.groups, chosen(sessions, number, names), alpha)
        for number, measure in enumerate(sessions.measures)
    ]
    table, rate = _table(found, correction, alpha)
    notes = [note for each in found for note in each.notes]
    if sessions.without_group:
        notes.append(f"left out {counted(sessions.without_group, 'session')} without {sessions.by}")
    unlike = alike(sessions, names)
    if unlike and table.height:
        notes.append(
            f"what {sessions.by} does is taken to be the same for every user; with {unlike} in random= it may vary"
        )
    about = population(max(found, key=lambda each: each.sessions))
    return MixedModel(
        table=table,
        components=pl.DataFrame([row for each in found for row in each.components], schema=COMPONENTS, orient="row"),
        fits=pl.DataFrame([each.fit for each in found if each.fit], schema=FITS, orient="row"),
        reading=reading_of(lines(table, found, about, by=sessions.by, alpha=alpha, correction=correction, notes=notes)),
        population=about,
        by=sessions.by,
        random=names,
        correction=correction,
        alpha=alpha,
        interval_rate=rate,
        notes=tuple(notes),
    )


def _table(found: Sequence[MeasureModel], correction: str, alpha: float) -> tuple[pl.DataFrame, float]:
    """The differences, their p-values corrected together and intervals to match; and each interval's error rate."""
    rows = [row for each in found for row in each.effects]
    together = corrected([row["p"] for row in rows], correction, alpha)
    for place, row in enumerate(rows):
        ends = together.interval(place, partial(_ends, row), row["estimate"])
        row["low"], row["high"] = (end if math.isfinite(end) else None for end in ends)
        row["p_adjusted"] = together.p[place]
    return pl.DataFrame(rows, schema=EFFECTS), together.rate


def _ends(row: dict[str, Any], rate: float) -> tuple[float, float]:
    """The interval of a difference at an error rate."""
    half = t_at(rate / 2, row["df"]) * row["se"]
    return row["estimate"] - half, row["estimate"] + half


def _checked(correction: str, alpha: float) -> None:
    """Check what is asked for."""
    if correction not in CORRECTIONS:
        listed = ", ".join(CORRECTIONS)
        msg = f"correction must be one of {listed}, not {correction!r}{suggestion(str(correction), CORRECTIONS)}"
        raise UsageError(msg)
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 0.5:
        msg = f"alpha must be a number above 0 and below .5, not {alpha!r}; 0.05 is usual"
        raise UsageError(msg)
