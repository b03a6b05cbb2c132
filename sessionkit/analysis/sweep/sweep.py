"""Does a conclusion depend on a measure's parameters? Every combination of their values, compared by the study's own design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sessionkit.analysis.compare.corrections import Family
from sessionkit.analysis.compare.design import read_design
from sessionkit.analysis.compare.options import options_of
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.session_values import MOST_GROUPS, sessions_of, sessions_task
from sessionkit.analysis.findings import traced
from sessionkit.analysis.groups import require_few_groups
from sessionkit.analysis.phrases import left_out_note, reading_of
from sessionkit.analysis.sweep import tables
from sessionkit.analysis.sweep.axes import axes_of
from sessionkit.analysis.sweep.finding import Sweep
from sessionkit.analysis.sweep.grid import Grid
from sessionkit.analysis.sweep.leaders import LeaderTesting
from sessionkit.analysis.sweep.messages import SweepContext, lines, notes_of
from sessionkit.analysis.sweep.nearest import METRIC, edges, nearest
from sessionkit.analysis.sweep.outcomes import Conclusion
from sessionkit.analysis.sweep.regions import Region, ranges
from sessionkit.analysis.sweep.setting_scores import Ground, by_kind, groups_of
from sessionkit.analysis.sweep.tables import SweepResults
from sessionkit.analysis.sweep.verdicts import Looking, SettingVerdict
from sessionkit.choices import Correction, Population, SweepTest
from sessionkit.errors import MeasureError
from sessionkit.scoring.cautions import tell_of_bound, tell_of_cutoff, tell_of_depth
from sessionkit.scoring.columns import measure_of
from sessionkit.scoring.execution import of_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.reduction import Reduction
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

UNTESTED = "none"
"""The test that is none."""


@traced
@guarded_read
def sweep(
    study: Study,
    measure: str | Measure,
    vary: Mapping[str, object],
    by: str = "system_id",
    *,
    where: Where = None,
    test: SweepTest | None = None,
    population: Population | None = None,
    correction: Correction = "bonferroni",
    confidence: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    memory: str | int | None = None,
) -> Sweep:
    """Vary a measure's parameters, and see where groups of sessions, such as systems, keep their order.

    The measure as given is the base setting; its own values are added to the grid. Every combination is scored and tested
    separately, as by `sessionkit.compare`. Invalid combinations, and settings without a value, stay in the table with the
    reason.

    Parameters
    ----------
    study
        The study.
    measure
        A measure of sessions; of queries for example ``"mean(nDCG@10)"``.
    vary
        By parameter its values: a list, or a text: ``"low:high:steps"`` for evenly spaced numbers (``"1.5:10:18"``), or a list
        joined by commas (``"linear,exp2"``). Any parameter of the measure: b, bq, gain, discount, cutoff, depth, duplicates, unjudged,
        ideal, ... At most 20,000 combinations.
    by
        Column of the sessions or users to group by. Of 2 to 20 groups the leader, that of the best mean, is tested against the
        next one; of a measure without a direction, such as Clicks, the leader is the group with the highest mean.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    test, population, correction, confidence, draws, seed
        As `sessionkit.compare` has them; `correction` is over the pairs of groups within a setting, never over settings.
        ``test="none"`` scores only, which for a plain sum such as sDCG takes hardly longer than one scoring, however many settings.
    memory
        As `sessionkit.score` has it.

    Returns
    -------
    Sweep
        With ``table`` (a row per setting), ``means``, ``regions``, ``ranges``, ``nearest``, ``reading``, and what they were made
        with.

    Raises
    ------
    UsageError
        An option or column does not exist, there are too many settings, or the design does not support what is asked.
    MeasureError
        The measure or a parameter does not exist, or a value is one that no setting can have.
    DataError
        The base setting cannot be scored on this study.

    Notes
    -----
    Two conclusions are followed: who has the best mean (``lead``), and what the test shows at `confidence` (``verdict``: that the leader
    is better than the next, or that no difference is shown). The nearest setting that overturns one is that with the fewest
    parameters changed, then the smallest sum of changes. The change of a base b is counted in doublings of ln b, on which discounts
    depend; that of a persistence p in doublings of 1 / (1 - p); of other numbers above 0 in doublings; of a word as 1.
    Where all that changes is continuous, it is looked for between the settings of the grid, to six digits, by
    scoring there.

    Examples
    --------
    A finds one document at rank 1, B two at rank 3: b settles who leads. B's 2 / (1 + log_b 3) is 1 where log_b 3 = 1, b = 3.

    >>> import sessionkit as sk
    >>> places = {"session_id": ["a", "b", "b", "b"], "query_position": [1] * 4, "rank": [1, 1, 2, 3]}
    >>> study = sk.from_tables(
    ...     results={**places, "doc_id": ["x", "v", "w", "y"], "topic_id": "t", "system_id": ["A", "B", "B", "B"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["x", "y"], "grade": [1, 2]},
    ... )
    >>> found = sk.sweep(study, "sDCG@10", {"b": [1.5, 2, 2.5, 4, 5]}, test="none")
    >>> found.table.select("b", "leader", "outcome").rows()
    [(1.5, 'A', 'holds'), (2.0, 'A', 'holds'), (2.5, 'A', 'holds'), (4.0, 'B', 'overturned'), (5.0, 'B', 'overturned')]
    >>> found.ranges.select("parameter", "low", "high", "ends_above").row(0)
    ('b', '1.5', '2.5', '3')
    """
    study = restricted(study, where)
    asked = measure_of(study, measure)
    asked.require_parameters()
    asked = of_session(asked)
    grid = Grid.of(asked, axes_of(asked, vary))
    options = options_of(correction, confidence, draws, seed)
    groups, without = groups_of(study, by)
    require_few_groups(by, len(groups))
    told = SweepContext(str(asked), by)
    sessions, testing, small = None, None, {}
    if test != UNTESTED and 2 <= len(groups) <= MOST_GROUPS:
        sessions = sessions_of(study, asked, by, memory)
        design = read_design(sessions.frame, sessions.by, len(sessions.groups))
        plan = ComparisonPlan.of(design, len(sessions.groups), test=test, population=population, options=options)
        testing, told = LeaderTesting(plan), told.tested(plan, sessions)
        small = testing.detectable(sessions)
    elif test != UNTESTED and len(groups) > MOST_GROUPS:
        told = SweepContext(
            str(asked), by, untested=f"compare tests 2 to {MOST_GROUPS} groups, and there are {len(groups):,}"
        )
    if testing is None:
        tell_of_bound(asked.inner)
        tell_of_cutoff(asked.inner)
        tell_of_depth(study, asked.inner)
    ground = Ground(study, by, groups, memory, sessions, testing.unit if testing is not None else None)
    direction = MeasureDirection.of(asked, study.settings.better)
    swept = _swept(Looking(ground, testing, direction), grid, options.alpha)
    notes = notes_of(swept, without, by)
    if sessions is not None and testing is not None:
        left = testing.plan.units(sessions).dropped
        notes += left_out_note("base setting, of the test", left)
        told = replace(told, detectable=small.get(_pair(swept.base)))
    return Sweep(
        table=tables.settings_table(swept),
        means=tables.means_table(swept, by),
        regions=tables.regions_table(swept),
        ranges=tables.ranges_table(swept),
        nearest=tables.nearest_table(swept),
        parameters=tables.parameters_table(grid),
        reading=reading_of(lines(swept, told, tuple(notes)), study.restriction),
        measure=str(asked),
        by=by,
        groups=groups,
        design=told.design,
        population=told.population,
        claim=told.claim,
        test=told.test,
        metric=METRIC,
        confidence=confidence,
        correction=correction,
        family=Family(0, correction) if testing is None else testing.family(len(groups)),
        draws=draws,
        seed=seed,
        notes=tuple(notes),
    )


def sweep_task(
    study: Study, measure: Measure, vary: Mapping[str, object], by: str, *, test: str | None = None
) -> Reduction:
    """What `sweep` asks of a study first: the base setting's values that a test needs, or how often what is varied occurs.

    Raises
    ------
    MeasureError
        It is no plain sum whose settings all count the same results, and nothing is tested.
    """
    groups = groups_of(study, by)[0]
    if test != UNTESTED and 2 <= len(groups) <= MOST_GROUPS:
        return sessions_task(study, measure)
    settings = [one.measure for one in Grid.of(measure, axes_of(measure, vary)).settings]
    kinds = by_kind([*dict.fromkeys(one for one in settings if one is not None)])
    if len(kinds) != 1:
        raise MeasureError(f"{measure} is not a plain sum whose settings all count the same results")
    ((kind, alike),) = kinds.items()
    return Ground(study, by, groups).counting(kind, alike)


def _swept(looking: Looking, grid: Grid, alpha: float) -> SweepResults:
    """Look at every setting, and at those between that matter."""
    looks, refused = looking.looks([one.measure for one in grid.settings])
    if grid.measure in refused:
        raise refused[grid.measure]
    base = looks[grid.number(grid.base)]
    conclusion = Conclusion(base if base is not None else SettingVerdict(None), alpha)
    checks = conclusion.checks()
    holds = {name: [check(look) for look in looks] for name, check in checks.items()}
    of_each = [one for name, held in holds.items() for one in ranges(name, grid, held)]
    edge = edges(looking, grid, of_each, checks)
    return SweepResults(
        grid,
        looking.ground.groups,
        looks,
        conclusion,
        holds,
        [Region.of(name, grid, held) for name, held in holds.items()],
        of_each,
        edge,
        nearest(looking, grid, looks, holds=holds, edge=edge, checks=checks),
        looking.direction,
    )


def _pair(base: SettingVerdict) -> tuple[int, int]:
    """Numbers of the leader and the next, in order; of no pair where there is none."""
    found = sorted((-1 if base.leader is None else base.leader, -1 if base.following is None else base.following))
    return found[0], found[1]
