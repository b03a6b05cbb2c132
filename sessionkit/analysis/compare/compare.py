"""Do groups of sessions differ? Any grouping column, any measures, the test that the study's design supports."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import polars as pl

from sessionkit.analysis.compare.alignment import aligned
from sessionkit.analysis.compare.comparison import DROPPED, Comparison
from sessionkit.analysis.compare.design import read_design
from sessionkit.analysis.compare.messages import ComparisonSetup, dropped_note, estimand, lines, population
from sessionkit.analysis.compare.options import options_of
from sessionkit.analysis.compare.order_effects import order_checks
from sessionkit.analysis.compare.procedures import procedure
from sessionkit.analysis.compare.result_table import assembled, overall_table
from sessionkit.analysis.compare.rows import compared
from sessionkit.analysis.compare.session_values import sessions_of
from sessionkit.analysis.findings import reading_of
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.study import guarded_read


@guarded_read
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    test: str | None = None,
    generalise: str | None = None,
    correction: str = "bonferroni",
    alpha: float = 0.05,
    resamples: int = 9_999,
    seed: int = 0,
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> Comparison:
    """Compare groups of sessions, such as systems, by measures.

    The design is read from the data: sessions are matched by user and topic, never by their order, and a pair that lacks
    a value leaves whole. What the design does not support is refused, with what would work.

    Parameters
    ----------
    study
        The study, or a table of scores per session (`sessionkit.score`) with the grouping column in it.
    measures
        Measures of sessions; of a table of scores all of them if not given. The mean of a query measure is
        ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users to group by, with 2 to 20 values.
    test
        The design's own if not given. Units that each met every group: ``"t"`` (two groups), ``"tukey"`` (more: Tukey's
        HSD on the blocked analysis of variance, also ``"anova"``), ``"wilcoxon"``, ``"sign"``, ``"randomisation"`` (of
        more than two groups max-T over all pairs), ``"nemenyi"`` (also ``"friedman"``), ``"conover"``. A crossover:
        ``"least-squares"`` on user + topic + group, ``"randomisation"`` of users' whole assignments. Groups of different
        units: ``"welch"``, ``"mann-whitney"``, ``"tukey"``. A bootstrap over a few units is not offered.
    generalise
        What the claim goes beyond: ``"users"`` (users like these, searching these topics), ``"topics"`` (topics like
        these) or ``"sessions"``. Each user's, or topic's, sessions are averaged to one unit, so that n is the number of
        users, or of topics. The design's own if not given: users wherever they are known and met several groups.
    correction
        Over all measures and pairs: ``"bonferroni"``, ``"holm"``, ``"bh"`` or ``"none"``. Intervals match, see
        `sessionkit.analysis.compare.corrections`: all hold at once with ``"bonferroni"`` and ``"holm"``, which finds a
        little more, but of what it finds, while other comparisons are undecided, can tell the side of 0 only; with
        ``"bh"`` the expected share of those found that miss is below `alpha`. A test of all pairs at once is corrected
        over measures by Bonferroni's rule, whichever of the two is asked for.
    alpha
        Error rate, above 0 and below .5.
    resamples
        Draws of a randomisation test, at least 99; where there are no more arrangements than that (2 for each unit, or k!
        of k groups), each is made once.
    seed
        Seed of the draws.
    memory, partials
        As `sessionkit.score` has them.

    Returns
    -------
    Comparison
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
    (``generalise="topics"``) rejected 4.7 % and a bootstrap over the 4 topics 17 % without any such variation. Where the
    difference varies with the user by an sd of .10, or .20, least squares rejects 6 or 10 %, and randomisation of users'
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
    >>> found.population
    'users like these 3 users'
    """
    options = options_of(correction, alpha, resamples, seed)
    sessions = sessions_of(study, measures, by, memory, partials)
    design = read_design(sessions.frame, sessions.by, len(sessions.groups))
    claim = design.claim(generalise, len(sessions.groups))
    asked = procedure(test, design, claim, len(sessions.groups))
    if asked.simultaneous and correction == "bh" and len(sessions.groups) > 2:
        msg = f"test={asked.name} holds for all pairs at once, which correction=bh does not go with; holm, bonferroni or none would work"
        raise UsageError(msg)
    units = [aligned(sessions, number, design, claim) for number in range(len(sessions.measures))]
    found = [
        compared(measure, sessions.groups, of, test=asked, claim=claim, options=options)
        for measure, of in zip(sessions.measures, units, strict=True)
    ]
    table, rate, family = assembled(found, asked, correction, options)
    left_out = [{f"sessions without {sessions.by}": sessions.without_group} if sessions.without_group else {}]
    dropped = [(measure, {**left_out[0], **of.dropped}) for measure, of in zip(sessions.measures, units, strict=True)]
    notes = [note for part in found for note in part.notes]
    notes += [note for measure, what in dropped for note in dropped_note(measure, what)]
    overall = overall_table(found)
    order = order_checks(sessions, design)
    about = population(claim, max(units, key=lambda of: of.sessions))
    settled = ComparisonSetup(design, asked, claim, about, sessions.by, alpha, family)
    return Comparison(
        table=table,
        overall=overall,
        order=order,
        dropped=pl.DataFrame(
            [(measure, *item) for measure, what in dropped for item in what.items()], schema=DROPPED, orient="row"
        ),
        reading=reading_of(lines(table, overall, order, notes, settled)),
        design=design.described,
        claim=claim,
        population=about,
        estimand=estimand(asked, design, claim, sessions.by),
        test=settled.title,
        effect=asked.effect,
        by=sessions.by,
        correction=correction,
        alpha=alpha,
        family=family,
        interval_rate=rate,
        resamples=resamples,
        seed=seed,
        notes=tuple(notes),
    )
