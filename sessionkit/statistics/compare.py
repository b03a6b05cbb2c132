"""Do groups of sessions differ? Any grouping column, any measures, the test that the study's design supports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import polars as pl

from sessionkit.arguments import AnyPopulation, AnyTest, Correction, MixedPopulation, Population
from sessionkit.display.numbers import listed
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.needs import warn_of_groups_without_lists
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import session_measures
from sessionkit.statistics.comparison import (
    DROPPED,
    NO_VERDICT,
    OVERALL,
    TABLE,
    UNITS,
    Comparison,
    withheld_row,
)
from sessionkit.statistics.comparison_statements import (
    Claim,
    ComparisonSetup,
    comparison_statements,
    estimand,
    level_name,
)
from sessionkit.statistics.comparison_table import (
    MeasureRows,
    assembled,
    compared,
    informative,
    overall_table,
    untested,
)
from sessionkit.statistics.corrections import Options, options_of
from sessionkit.statistics.crossover import CHECKS, WITHIN, SessionPlaces, order_checks, with_adjusted
from sessionkit.statistics.design import POPULATIONS, Design, read_design
from sessionkit.statistics.findings import stated, traced
from sessionkit.statistics.interaction import INTERACTION, ROWS, ComparedLevel, interactions
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.remarks import Remark, left_out
from sessionkit.statistics.session_values import (
    GROUPS,
    LEVEL,
    GroupedSessions,
    chosen_sessions,
    means_of_groups,
    outcome_remarks,
    require_free,
    require_values,
    sessions_of,
    sessions_task,
    with_pooled_sd,
)
from sessionkit.statistics.units import Aligned
from sessionkit.statistics.verdict import SINGLE_QUERY, leaves_out_single_queries
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.study import guarded_read
from sessionkit.study.tabular import Frame

if TYPE_CHECKING:
    from sessionkit.statistics.mixed_model import MixedModel

NAMED = 4
"""Values of a column that are named as having one design."""
BOTH = "users,topics"
"""The population of a mixed model."""


@overload
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    population: MixedPopulation,
    where: Where = None,
    cut: int | None = None,
    random: str | Sequence[str] | None = None,
    correction: Correction = "bonferroni",
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
    within: str | None = None,
    where: Where = None,
    cut: int | None = None,
    test: AnyTest | None = None,
    population: Population | None = None,
    correction: Correction = "bonferroni",
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
    within: str | None = None,
    where: Where = None,
    cut: int | None = None,
    test: AnyTest | None = None,
    population: AnyPopulation | None = None,
    random: str | Sequence[str] | None = None,
    correction: Correction = "bonferroni",
    confidence: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> Comparison | MixedModel: ...
@traced
@guarded_read
def compare(
    study: Study | Frame,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    by: str = "system_id",
    *,
    within: str | None = None,
    where: Where = None,
    cut: int | None = None,
    test: AnyTest | None = None,
    population: AnyPopulation | None = None,
    random: str | Sequence[str] | None = None,
    correction: Correction = "bonferroni",
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
    within
        Column of the sessions or users: the groups are compared within each of its values that has all of them, such as
        within each topic. All p-values are corrected together. Values with different designs each have their design's own test, as if each
        were compared alone. Whether the differences depend on the column is tested too, those p-values by themselves, see
        `sessionkit.statistics.interaction.interactions`. The mixed model has no such column.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    cut
        Cut numbers, such as years of experience, into so many groups of about one size, 2 to 9: the column `within` if it
        is given and holds numbers, else the column `by`; both if `by` has more than 20 numbers.
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
        `sessionkit.statistics.mixed_model.mixed_model`, which has no other test.
    random
        The random factors of the mixed model, several as a list or joined by commas; by default users, topics, and the
        topic-by-group interaction.
    correction
        Over all measures and pairs: ``"bonferroni"``, ``"holm"``, ``"bh"`` or ``"none"``. With ``"bonferroni"`` intervals match
        the adjusted p-values and hold all at once. With ``"holm"``, which has a little more power, intervals are unadjusted
        and labeled so: the adjusted p-value decides. With ``"bh"`` the expected share of intervals that miss, of those
        shown to differ, is below 1 - `confidence`. A test of all pairs at once is corrected over measures by Bonferroni's
        rule for ``"holm"`` too. See `sessionkit.statistics.corrections`.
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
    DataError
        No session has a value of any of the measures, or a value is above 1e300 in size, so that differences may exceed the
        largest number.

    Notes
    -----
    The reading gives numbers without a verdict where fewer than 6 pairs, or fewer than half of the units, have a value:
    5 pairs cannot reach p = .05 by a sign or Wilcoxon test. ``no_verdict`` says where, and why.

    Least squares takes the difference to be the same for every user and topic; its claim is about these topics. In 1,500
    simulated null studies of 30 users, 4 topics and systems alternated, it rejected 5.5% at a nominal 5%, and 21% once
    the systems' difference varied with the topic by an sd of .10 (residual .22), where the t over topic means
    (``population="topics"``) rejected 4.7% and a bootstrap over the 4 topics 17% without any such variation. Where the
    difference varies with the user by an sd of .10, or .20, least squares rejects 6 or 10%, and randomization of users'
    whole assignments 5% (4,000 and 600 studies).

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
    if population in (BOTH, "topics,users"):
        if test is not None:
            raise UsageError(f"population={BOTH} fits a mixed model, which has no test={test}; leave one of them out")
        from sessionkit.statistics.mixed_model import mixed_model  # only who asks for it waits for it

        if (draws, seed) != (9_999, 0):
            raise UsageError(f"population={BOTH} fits a mixed model, which draws nothing; leave out draws and seed")
        if within is not None:
            populations = {"user_id": "population=topics", "topic_id": "population=users"}
            tested = populations.get(str(within), "population=users or population=topics")
            raise UsageError(
                f"population={BOTH} fits one mixed model, which has no within={within}; whether the difference depends on {within} is "
                f"tested with {tested}; for a claim about users and topics like these, "
                f"fit {by} * {within} to the scores of sessionkit score by a program such as lme4"
            )
        return mixed_model(
            study,
            measures,
            by,
            where=where,
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
    require_free(by, {*GROUPS, *UNITS} - {"group"})
    if within is not None:
        require_free(within, {*TABLE, *OVERALL, *GROUPS, *UNITS, *DROPPED, *CHECKS, "pair"} - {"group"}, "within")
    whole = study
    study, restriction = chosen_sessions(study, where)
    sessions = sessions_of(study, measures, by, memory, cache, cut=cut, within=within)
    _warn_of_missing_lists(study, measures, sessions)
    require_values(study, sessions.values, sessions.measures)
    spans = _spans(sessions)
    sessions = sessions.of_ordinary_size()
    parts = sessions.levels()
    plans = _plans(parts, test=test, population=population, options=options)
    levels = [_Level.of(value, part, plan) for (value, part), plan in zip(parts.items(), plans, strict=True)]
    _require_a_test(levels)
    plan, by_level = _common_plan(levels), _plans_by_level(levels)
    table, rate, family = assembled(plan, [found for level in levels for found in level.found])
    table = _joined([level.named(part) for level, part in zip(levels, _parts(table, levels), strict=True)])
    overall = _joined([level.named(overall_table(level.found)) for level in levels])
    interaction = _interaction(levels, options)
    places = SessionPlaces()
    if any(level.plan.design.name in WITHIN for level in levels):
        places = SessionPlaces.of(whole, sessions)
    checks = [level.named(order_checks(places.beside(level.sessions), level.plan.design)) for level in levels]
    order = with_adjusted(_joined(checks))
    groups = _joined([level.named(means_of_groups(level.sessions, plan.population, options.alpha)) for level in levels])
    table = with_pooled_sd(table, groups, by) if plan.test.in_units else table.with_columns(sd=pl.lit(None, pl.Float64))
    groups = sessions.multiplied_back(groups, ["mean", "low", "high", "sd"])
    table = sessions.multiplied_back(table, plan.test.columns_in_units)
    units = sessions.multiplied_back(_joined([level.named(level.unit_values) for level in levels]), ["value"])
    dropped = _joined([level.named(level.dropped) for level in levels])
    remarks = [
        *(remark for level in levels for remark in level.remarks),
        *(remark for what, count in levels[0].sessions.left_out.items() for remark in left_out({what: count})),
    ]
    no_verdict = _joined([level.named(level.no_verdict) for level in levels])
    about = _about(levels)
    spans = spans if plan.test.in_units else {}
    table = informative(table, spans)
    setup = ComparisonSetup(
        plan,
        about,
        sessions.by,
        family,
        designs=_design_values(levels),
        within=within,
        spans=spans,
        cautions=outcome_remarks(study, by),
        users_with_times=places.users,
        unordered=places.unknown,
        plans=by_level,
        directions=sessions.directions,
    )
    return Comparison(
        table=table.drop("uninformative"),
        overall=overall,
        interaction=interaction.select(INTERACTION.names()),
        order=order,
        groups=groups,
        units=units,
        dropped=dropped,
        statements=stated(
            comparison_statements(
                table, overall, interaction, order, remarks=remarks, no_verdict=no_verdict, setup=setup
            ),
            restriction,
        ),
        design=plan.design.described,
        population=plan.population,
        claim=about.text,
        estimand=_by_plan(levels, lambda plan: estimand(plan, sessions.by)),
        has_adjusted_estimates=any(level.plan.layout == "crossed" for level in levels),
        test=_by_plan(levels, lambda plan: plan.title),
        effect=_by_plan(levels, lambda plan: plan.test.effect),
        by=sessions.by,
        within=within,
        correction=correction,
        confidence=confidence,
        family=family,
        interval_rate=rate,
        draws=draws,
        seed=seed,
        remarks=tuple(remarks),
        no_verdict=no_verdict,
        directions=sessions.directions,
        equivalence=sessions.equivalence,
    )


def _warn_of_missing_lists(
    source: Study | Frame, measures: str | Measure | Sequence[str | Measure] | None, sessions: GroupedSessions
) -> None:
    """Warn where groups of a study differ in their share of queries without result rows."""
    if isinstance(source, Study) and measures is not None:
        groups = sessions.frame.lazy().select("session_id", pl.col("group").cast(pl.String))
        warn_of_groups_without_lists(source, session_measures(source, measures), sessions.by, lambda: groups)


@dataclass(frozen=True)
class _Level:
    """The sessions that are compared together: those of one level of a column, or all, and what was found.

    Parameters
    ----------
    value
        The level; None where they are all sessions.
    sessions, plan, units, found
        Its sessions, how they are compared, and for each measure the units and what was found.
    error
        Why this level could not be compared, where its groups cannot be told from its users and topics.
    """

    value: Any
    sessions: GroupedSessions
    plan: ComparisonPlan
    units: list[Aligned]
    found: list[MeasureRows]
    error: UsageError | None = None

    @classmethod
    def of(cls, value: object, sessions: GroupedSessions, plan: ComparisonPlan) -> _Level:
        """Compare the groups of these sessions; a level of a column that cannot be compared does not stop the others."""
        units = [plan.units(sessions, number) for number in range(len(sessions.measures))]
        rows, error = [], None
        for number, (measure, of_measure) in enumerate(zip(sessions.measures, units, strict=True)):
            try:
                rows.append(compared(plan, measure, sessions.groups, of_measure, sessions.scale(number)))
            except UsageError as reason:
                error = reason
                rows.append(untested(measure, sessions.groups, of_measure, reason))
        return cls(value, sessions, plan, units, rows, error)

    @property
    def name(self) -> str:
        """The column and the level; empty where these are all sessions."""
        return "" if self.sessions.within is None else level_name(self.sessions.within, self.value)

    def named(self, table: pl.DataFrame) -> pl.DataFrame:
        """A table of these sessions with their level in its first column."""
        if self.sessions.within is None:
            return table
        dtype = self.sessions.frame.schema[LEVEL]
        return table.select(pl.lit(self.value, dtype).alias(self.sessions.within), pl.all())

    @property
    def unit_values(self) -> pl.DataFrame:
        """The value of each unit by each measure."""
        tables = [
            found.select(pl.lit(measure).alias("measure"), pl.all())
            for number, measure in enumerate(self.sessions.measures)
            if (found := self.plan.unit_values(self.sessions, number)) is not None
        ]
        return (pl.concat(tables) if tables else UNITS.to_frame()).rename({"group": self.sessions.by})

    @property
    def dropped(self) -> pl.DataFrame:
        """What was left out, a row for each measure and kind."""
        rows = [(measure, *item) for measure, what in self._left_out for item in what.items()]
        return pl.DataFrame(rows, schema=DROPPED, orient="row")

    @property
    def no_verdict(self) -> pl.DataFrame:
        """The pairs of groups on which no verdict may be given, and why."""
        groups = self.sessions.groups
        rows = [
            withheld_row(measure, groups[i], groups[j], support, without_single_queries=measure in self._single_queries)
            for number, measure in enumerate(self.sessions.measures)
            for (i, j), support in self.plan.supports(self.sessions, number).items()
            if support.why_no_verdict
        ]
        return pl.DataFrame(rows, schema=NO_VERDICT, orient="row")

    @property
    def remarks(self) -> list[Remark]:
        """What could not be compared, and what was left out."""
        remarks = [remark for part in self.found for remark in part.remarks]
        without_verdict = self.no_verdict.get_column("measure").unique()
        remarks += [
            Remark("single_queries", SINGLE_QUERY, measure=measure)
            for measure in self._single_queries
            if measure not in without_verdict
        ]
        remarks += [remark for measure, what in self._left_out for remark in left_out(what, measure)]
        return [replace(remark, level=self.name) for remark in remarks] if self.name else remarks

    @property
    def _single_queries(self) -> list[str]:
        """The measures for which sessions of one query are left out."""
        undefined = ~np.isfinite(self.sessions.values).all(axis=0)
        measures = [name for name, some in zip(self.sessions.measures, undefined, strict=True) if some]
        return [name for name in measures if leaves_out_single_queries(name)]

    @property
    def _left_out(self) -> list[tuple[str, dict[str, int]]]:
        """What each measure left out; where there are levels, sessions without a group are named beside them."""
        unknown = self.sessions.without_group
        without = {f"sessions without {self.sessions.by}": unknown} if unknown and self.sessions.within is None else {}
        return [
            (measure, {**without, **of.dropped}) for measure, of in zip(self.sessions.measures, self.units, strict=True)
        ]


def _plans(
    levels: Mapping[Any, GroupedSessions], *, test: str | None, population: str | None, options: Options
) -> list[ComparisonPlan]:
    """Plan the comparison within each level.

    Levels may have different designs, such as a crossover of many novices and a few experts who did not search every topic with every
    system. Each level then has its design's own test, for a population that all designs support; of three groups or more each pair
    is tested by itself, as Tukey's HSD of one level and least squares of another cannot be corrected alike.
    """
    designs = _designs(levels.values())
    n_groups = len(next(iter(levels.values())).groups)

    def plans(population: str | None, blocked: str | None = None) -> list[ComparisonPlan]:
        chosen = []
        for (value, part), design in zip(levels.items(), designs, strict=True):
            try:
                plan = ComparisonPlan.of(
                    design, n_groups, test=test, population=population, blocked=blocked, options=options
                )
            except UsageError as error:
                if len({design.name for design in designs}) == 1:
                    raise
                raise UsageError(f"{level_name(str(part.within), value)}: {error}") from None
            chosen.append(plan)
        return chosen

    own = plans(population)
    if len({(plan.layout, plan.population, plan.test.name) for plan in own}) == 1:
        return own
    shared = [name for name in POPULATIONS if all(name in design.layouts for design in designs)]
    if population is None and not shared:
        part = next(iter(levels.values()))
        listed_designs = "; ".join(
            f"{level_name(str(part.within), value)}: {plan.design.title} (population={plan.population})"
            for (value, _), plan in islice(zip(levels.items(), own, strict=True), NAMED)
        )
        raise UsageError(
            f"within={part.within}: its values have designs without a common population: {listed_designs}; choose values of "
            "one design by a condition in where"
        )
    common = plans(population or shared[0])
    if len({plan.layout for plan in common}) == 1:
        return common
    return plans(population or shared[0], "t")


def _designs(levels: Collection[GroupedSessions]) -> list[Design]:
    """Read the design of each level.

    A level of one user, such as the only expert, has the design of the level with most users, if users met several groups there:
    then it counts as one user, too few to test, and does not stop the others.
    """
    designs = [read_design(part.frame, part.by, len(part.groups)) for part in levels]
    n_users = [part.frame.get_column("user_id").drop_nulls().n_unique() for part in levels]
    largest = designs[int(np.argmax(n_users))]
    if max(n_users) < 2 or largest.name not in WITHIN:
        return designs
    return [
        replace(largest, form=design.form, detail=design.detail, qualifier=design.qualifier, counts=design.counts)
        if n == 1 and "users" not in design.layouts
        else design
        for design, n in zip(designs, n_users, strict=True)
    ]


def _interaction(levels: Sequence[_Level], options: Options) -> pl.DataFrame:
    """Test whether the differences depend on the level; empty where sessions are not compared within levels."""
    if len(levels) < 2:
        return ROWS.to_frame()
    table = interactions([ComparedLevel(level.value, level.sessions, level.plan) for level in levels], options)
    return levels[0].sessions.multiplied_back(table, ["estimate", "low", "high"])


def _require_a_test(levels: Sequence[_Level]) -> None:
    """Raise the reason if no level could be compared."""
    if all(level.error is not None for level in levels):
        raise next(level.error for level in levels if level.error is not None)


def _common_plan(levels: Sequence[_Level]) -> ComparisonPlan:
    """The plan of all levels; of different designs the plan that assumes most, with the designs of all in its sentence."""
    plan = next((level.plan for level in levels if level.plan.layout == "crossed"), levels[0].plan)
    by_sentence = _levels_by_design(levels)
    if len(by_sentence) < 2:
        return plan
    design = levels[0].plan.design
    (_, first), *others = [
        (each[0].plan.design.sentence, listed([level.name for level in each])) for each in by_sentence
    ]
    detail = "; ".join([f"{design.detail} ({first})", *(f"{sentence} ({names})" for sentence, names in others)])
    combined = replace(plan.design, form=design.form, qualifier=design.qualifier, detail=detail)
    return replace(plan, design=combined)


def _levels_by_design(levels: Sequence[_Level]) -> list[list[_Level]]:
    """The levels of each design."""
    by_sentence: dict[str, list[_Level]] = {}
    for level in levels:
        by_sentence.setdefault(level.plan.design.sentence, []).append(level)
    return [*by_sentence.values()]


def _design_values(levels: Sequence[_Level]) -> list[dict[str, Any]]:
    """What the design of each level is, as data; the level is None where sessions are not compared within levels."""
    return [{"level": level.name or None, **level.plan.design.values} for level in levels]


def _plans_by_level(levels: Sequence[_Level]) -> dict[Any, ComparisonPlan]:
    """The plan of each level; nothing where all levels have the same test and layout."""
    if len({(level.plan.layout, level.plan.test.name) for level in levels}) == 1:
        return {}
    return {level.value: level.plan for level in levels}


def _by_plan(levels: Sequence[_Level], text: Callable[[ComparisonPlan], str]) -> str:
    """A text about the plan, with the levels that it is about where their plans differ."""
    by_text: dict[str, list[str]] = {}
    for level in levels:
        by_text.setdefault(text(level.plan), []).append(level.name)
    if len(by_text) == 1:
        return next(iter(by_text))
    return "; ".join(f"{described} ({listed(names)})" for described, names in by_text.items())


def _about(levels: Sequence[_Level]) -> Claim:
    """Whom the claim is about: the units of every level and measure, of which measures may have different ones."""
    first, every = levels[0], [of for level in levels for of in level.units]
    apart = any(level.plan.design.topics_apart for level in levels)
    found = [of for of in every if min(of.units.counts)] or every
    return Claim.of(first.plan.population, *found, within=first.sessions.within, levels=len(levels), topics_apart=apart)


def _spans(sessions: GroupedSessions) -> dict[str, float]:
    """The greatest difference that each measure can have; none of a measure without bounds, or whose values lie outside them."""
    spans = {}
    for number, text in enumerate(sessions.measures):
        try:
            measure = parse_measure(text)
        except MeasureError:  # of a table of scores, a measure that is not ours
            continue
        low, high, values = measure.lowest, measure.highest, sessions.values[:, number]
        if low is not None and high is not None and not ((values < low) | (values > high)).any():
            spans[text] = high - low
    return spans


def _parts(table: pl.DataFrame, levels: Sequence[_Level]) -> list[pl.DataFrame]:
    """The rows of each level of a table of all."""
    sizes = [sum(len(found.rows) for found in level.found) for level in levels]
    return [table.slice(sum(sizes[:place]), size) for place, size in enumerate(sizes)]


def _joined(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The tables of all levels, one below another."""
    return tables[0] if len(tables) == 1 else pl.concat(tables)


def compare_task(study: Study, measures: str | Measure | Sequence[str | Measure], *_: str, **__: str) -> Reduction:
    """What `compare` asks of a study, whatever its groups; the parameters and errors are the same."""
    return sessions_task(study, measures)
