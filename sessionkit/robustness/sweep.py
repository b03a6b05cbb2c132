"""Sweeping a measure's parameters over a grid: how far a conclusion depends on them, and its reading."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sessionkit.arguments import Correction, Population, SweepTest
from sessionkit.display.numbers import counted, interval_text, p_text, readable, readable_p, share_text
from sessionkit.display.statements import Statement, Value
from sessionkit.errors import MeasureError
from sessionkit.robustness import sweep_tables
from sessionkit.robustness.sweep_grid import Axis, Grid, Range, Region, axes_of, ranges, rounded, shown
from sessionkit.robustness.sweep_scores import Ground, LeaderTesting, by_kind, groups_of
from sessionkit.robustness.sweep_tables import Sweep, SweepResults, end
from sessionkit.robustness.sweep_verdicts import (
    LEAD,
    METRIC,
    Conclusion,
    Looking,
    Nearest,
    SettingVerdict,
    edges,
    nearest,
    tau_b,
)
from sessionkit.scoring.execution import of_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.needs import measure_of, tell_of_bound, tell_of_cutoff, tell_of_depth
from sessionkit.scoring.reduction import Reduction
from sessionkit.statistics.bands import require_few_groups
from sessionkit.statistics.comparison_statements import Claim
from sessionkit.statistics.corrections import NAMES, Family, options_of
from sessionkit.statistics.design import read_design
from sessionkit.statistics.findings import (
    NOT_SHOWN,
    NOT_SHOWN_CORRECTED,
    detectable_text,
    stated,
    traced,
)
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.remarks import Remark, left_out
from sessionkit.statistics.session_values import MOST_GROUPS, GroupedSessions, sessions_of, sessions_task
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
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
    context = SweepContext(str(asked), by)
    sessions, testing, small = None, None, {}
    if test != UNTESTED and 2 <= len(groups) <= MOST_GROUPS:
        sessions = sessions_of(study, asked, by, memory)
        design = read_design(sessions.frame, sessions.by, len(sessions.groups))
        plan = ComparisonPlan.of(design, len(sessions.groups), test=test, population=population, options=options)
        testing, context = LeaderTesting(plan), replace(context.tested(plan, sessions), confidence=confidence)
        small = testing.detectable(sessions)
    elif test != UNTESTED and len(groups) > MOST_GROUPS:
        context = SweepContext(str(asked), by, too_many=len(groups))
    if testing is None:
        tell_of_bound(asked.inner)
        tell_of_cutoff(asked.inner)
        tell_of_depth(study, asked.inner)
    ground = Ground(study, by, groups, memory, sessions, testing.unit if testing is not None else None)
    direction = MeasureDirection.of(asked, study.settings.better)
    swept = _run_sweep(Looking(ground, testing, direction), grid, options.alpha)
    remarks = remarks_of(swept, without, by)
    if sessions is not None and testing is not None:
        dropped = testing.plan.units(sessions).dropped
        remarks += [replace(remark, level=OF_TEST) for remark in left_out(dropped)]
        context = replace(context, detectable=small.get(_pair(swept.base)))
    return Sweep(
        table=sweep_tables.settings_table(swept),
        means=sweep_tables.means_table(swept, by),
        regions=sweep_tables.regions_table(swept),
        ranges=sweep_tables.ranges_table(swept),
        nearest=sweep_tables.nearest_table(swept),
        parameters=sweep_tables.parameters_table(grid),
        statements=stated(make_statements(swept, context, remarks), study.restriction),
        measure=str(asked),
        by=by,
        groups=groups,
        design=context.design,
        population=context.population,
        claim=context.claim,
        test=context.test,
        metric=METRIC,
        confidence=confidence,
        correction=correction,
        family=Family(0, correction) if testing is None else testing.family(len(groups)),
        draws=draws,
        seed=seed,
        remarks=tuple(remarks),
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
    settings = [setting.measure for setting in Grid.of(measure, axes_of(measure, vary)).settings]
    kinds = by_kind([*dict.fromkeys(setting for setting in settings if setting is not None)])
    if len(kinds) != 1:
        raise MeasureError(f"{measure} is not a plain sum whose settings all count the same results")
    ((kind, alike),) = kinds.items()
    return Ground(study, by, groups).counting(kind, alike)


def _run_sweep(looking: Looking, grid: Grid, alpha: float) -> SweepResults:
    """Look at every setting, and at those between that matter."""
    looks, refused = looking.looks([setting.measure for setting in grid.settings])
    if grid.measure in refused:
        raise refused[grid.measure]
    base = looks[grid.number(grid.base)]
    conclusion = Conclusion(base if base is not None else SettingVerdict(None, looking.direction), alpha)
    checks = conclusion.checks()
    holds = {name: [check(look) for look in looks] for name, check in checks.items()}
    of_each = [reach for name, held in holds.items() for reach in ranges(name, grid, held)]
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


WORDS = 6
"""Values that are named; of more, the ends."""


@dataclass(frozen=True)
class SweepContext:
    """Whom a sweep is about, and how it was tested; empty where it was not."""

    measure: str
    by: str
    design: str = ""
    claim: str = ""
    population: str = ""
    test: str = ""
    confidence: float | None = None
    too_many: int = 0
    detectable: float | None = None
    how: str = ""
    family: Family = field(default_factory=lambda: Family(0, "none"))

    def tested(self, plan: ComparisonPlan, sessions: GroupedSessions) -> SweepContext:
        """The same with the test of each setting."""
        options, pairs = plan.options, math.comb(len(sessions.groups), 2)
        how = ""
        if pairs > 1 and plan.test.simultaneous:
            how = " for all pairs at once"
        elif pairs > 1 and options.correction != "none":
            how = f" after {NAMES[options.correction]} over {counted(pairs, 'pair')}"
        at_once = pairs > 1 and plan.test.simultaneous
        return replace(
            self,
            design=plan.design.described,
            claim=Claim.of(plan.population, plan.units(sessions)).text,
            population=plan.population,
            test=plan.title,
            how=how,
            family=Family(1 if at_once else pairs, options.correction, at_once),
        )


def make_statements(swept: SweepResults, context: SweepContext, remarks: Sequence[Remark]) -> list[Statement]:
    """Return the statements of a finding."""
    statements = [_state_grid(swept, context)]
    added = {axis.name: _readable(axis.values[axis.base]) for axis in swept.grid.axes if axis.added}
    if added:
        listed = " and ".join(f"{name}={value}" for name, value in added.items())
        text = (
            f"{listed}, {'the value' if len(added) == 1 else 'values'} of {context.measure}, "
            f"{'was' if len(added) == 1 else 'were'} added to the grid."
        )
        statements.append(Statement("added", text, {"measure": context.measure, "parameters": added}))
    if context.design:
        text = f"Design: {context.design}. Each setting is tested separately, as by compare: {context.test}."
        statements.append(Statement("design", text, {"design": context.design, "test": context.test}))
        if swept.base.leader is not None:
            text = f"The claim is about {context.claim}."
            statements.append(Statement("claim", text, {"claim": context.claim, "population": context.population}))
    elif context.too_many:
        text = f"Not tested: compare tests 2 to {MOST_GROUPS} groups, and there are {context.too_many:,}."
        statements.append(Statement("not_tested", text, {"groups": context.too_many, "most": MOST_GROUPS}))
    statements.append(_state_base(swept, context))
    if swept.base.leader is not None and swept.base.following is not None:
        statements.append(_state_leaders(swept, context))
        statements += [_state_conclusion(swept, context, region) for region in swept.regions]
        if any(region.holds == region.known for region in swept.regions):
            statements.append(Statement("scope", "Settings beyond the grid were not scored."))
        statements += [_state_nearest(swept, nearest) for nearest in swept.nearest]
        statements += _state_order(swept)
        if context.test:
            text = (
                "Each p is for one setting and is not corrected for the number of settings: it shows how far the conclusion depends "
                "on the setting. A setting chosen for its p is no evidence."
            )
            statements.append(Statement("caution", text, {"settings": len(swept.looks)}))
    return [*statements, *(remark.statement for remark in remarks)]


def _state_grid(swept: SweepResults, context: SweepContext) -> Statement:
    """Say what was varied, over how many settings."""
    each = " and ".join(f"{axis.name} ({_values(axis)})" for axis in swept.grid.axes)
    outcomes = Counter(swept.conclusion.outcome(look) for look in swept.looks)
    missing = [f"{outcomes[name]} {name}" for name in ("refused", "undefined") if outcomes[name]]
    without = f", {' and '.join(missing)} (the table says why)" if missing else ""
    text = f"Swept: {context.measure} by {context.by}, over {each}: {counted(len(swept.looks), 'setting')}{without}."
    values: dict[str, Value] = {
        "measure": context.measure,
        "by": context.by,
        "parameters": {axis.name: [shown(value) for value in axis.values] for axis in swept.grid.axes},
        "settings": len(swept.looks),
        "refused": outcomes["refused"],
        "undefined": outcomes["undefined"],
    }
    return Statement("grid", text, values)


def _readable(value: object) -> str:
    """A value of a parameter."""
    return rounded(shown(value))


def _rounded_end(swept: SweepResults, reach: Range, side: str) -> str | None:
    """The first value on one side at which a conclusion fails."""
    text = end(swept, reach, side)
    return None if text is None else rounded(text)


def _values(axis: Axis) -> str:
    """The values of a parameter."""
    if axis.numeric and len(axis.values) > WORDS:
        return f"{len(axis.values)} values from {_readable(axis.values[0])} to {_readable(axis.values[-1])}"
    return ", ".join(_readable(value) for value in axis.values)


def _state_base(swept: SweepResults, context: SweepContext) -> Statement:
    """Say what the base setting says."""
    base, means = swept.base, swept.base.means
    at = swept.at([axis.values[axis.base] for axis in swept.grid.axes])
    start = f"Base setting ({rounded(at)}): "
    if means is None or (base.leader is None and not base.tied):
        text = f"{start}no group has a session with a value, so there is no conclusion to check."
        return Statement("no_conclusion", text, _no_conclusion(at, "no value"))
    sizes = {group: int(means.n[number]) for number, group in enumerate(swept.groups)}
    if base.tied:
        groups = [swept.groups[group] for group in base.tied]
        mean = float(means.value[base.tied[0]])
        text = (
            f"{start}{' and '.join(groups)} have the same mean, {readable(mean)} "
            f"({_sessions(swept, base.tied)}), so none {swept.leads} and there is no conclusion to check."
        )
        values = {**_no_conclusion(at, "tied"), "mean": mean, "n": {each: sizes[each] for each in groups}}
        return Statement("no_conclusion", text, values)
    leader = base.leader if base.leader is not None else 0
    group, mean = swept.groups[leader], float(means.value[leader])
    if base.following is None or base.margin is None:
        means_there = [float(look.means.value[leader]) for look in swept.looks if look and look.means is not None]
        spread = [value for value in means_there if value == value]  # noqa: PLR0124 - NaN
        text = (
            f"{start}{group} alone has a value, {readable(mean)} ({_sessions(swept, (leader,))}); "
            f"with one group there is nothing to compare. "
            f"Over the settings its mean ranges from {readable(min(spread))} to {readable(max(spread))}."
        )
        values = {**_no_conclusion(at, "one group"), "mean": mean, "n": {group: sizes[group]}}
        return Statement("no_conclusion", text, {**values, "low": min(spread), "high": max(spread)})
    following, mean_following = swept.groups[base.following], float(means.value[base.following])
    side = "above" if swept.direction.first_side == "higher" else "below"
    relative = f" ({share_text(base.relative)})" if base.relative is not None else ""
    text = (
        f"{start}the mean of {group} is {readable(mean)}, which is {readable(base.margin)}"
        f"{relative} {side} that of {following} ({readable(mean_following)}); "
        f"{_sessions(swept, (leader, base.following))}"
    )
    verdict, tested = _verdict(swept, context)
    return Statement(
        "base",
        f"{text}. {verdict}".rstrip(),
        {
            "at": at, "leader": group, "following": following, "direction": swept.direction.better, "mean_leader": mean,
            "mean_following": mean_following, "n_leader": sizes[group], "n_following": sizes[following],
            "raw_difference": base.raw_difference, "relative": base.signed(base.relative), **tested,
        },
    )  # fmt: skip


def _no_conclusion(at: str, reason: str) -> dict[str, Value]:
    """The values of a base setting without a conclusion; more may be known."""
    return {"at": at, "reason": reason, "mean": None, "n": {}, "low": None, "high": None}


def _verdict(swept: SweepResults, context: SweepContext) -> tuple[str, dict[str, Value]]:
    """What the test says at the base setting, in words and as values."""
    base, alpha, tested = swept.base, swept.conclusion.alpha, swept.base.tested
    values: dict[str, Value] = dict.fromkeys(("estimate", "low", "high", "p_adjusted", "detectable", "reason"))
    values |= dict.fromkeys(("correction", "tests", "at_once"))
    if tested is None:
        return "", {**values, "confidence": None, "verdict": None}
    family = context.family
    values |= {"confidence": context.confidence, "correction": family.correction, "tests": family.number}
    values |= {"at_once": family.at_once}
    if tested.p_adjusted is None or tested.estimate is None:
        return f"Not tested: {tested.why}.", {**values, "reason": tested.why, "verdict": "not tested"}
    values |= {"estimate": tested.estimate, "low": tested.low, "high": tested.high, "p_adjusted": tested.p_adjusted}
    values |= {"detectable": context.detectable or None}
    small = detectable_text(context.detectable or None)
    interval = f"{context.family.interval_kind}{interval_text(tested.low, tested.high, alpha)}"
    numbers = f"Estimate {readable(tested.estimate)}, {interval}, {p_text(tested.p_adjusted)}{context.how}"
    if tested.no_verdict:
        open_ = f" {NOT_SHOWN}" if tested.p_adjusted > alpha else ""
        text = f"{numbers}.{open_} {tested.no_verdict}."
        return text, {**values, "detectable": None, "reason": tested.no_verdict, "verdict": "no verdict"}
    if base.shown(alpha):
        side = swept.direction.first_side
        leader, following = swept.name(base.leader), swept.name(base.following)
        text = f"{numbers}. There is evidence that {leader} is {side} than {following}, for {context.claim}.{small}"
        return text, {**values, "verdict": "shown"}
    excludes_0 = (tested.low or 0.0) > 0 or (tested.high or 0.0) < 0  # an unadjusted interval may
    verdict = "not shown after correction" if excludes_0 else "not shown"
    return f"{numbers}. {NOT_SHOWN_CORRECTED if excludes_0 else NOT_SHOWN}{small}", {**values, "verdict": verdict}


def _state_leaders(swept: SweepResults, context: SweepContext) -> Statement:
    """Say who leads where, by how much, and how often that is shown."""
    alpha = swept.conclusion.alpha
    parts, groups = [], []
    for number, group in enumerate(swept.groups):
        looks = [look for look in swept.looks if look is not None and look.leader == number and look.margin is not None]
        if not looks:
            continue
        relative = [look.relative for look in looks if look.relative is not None]
        p = [p for look in looks if look.tested is not None and (p := look.tested.p_adjusted) is not None]
        values: dict[str, Any] = {
            "leader": group,
            "settings": len(looks),
            "relative_low": min(relative, default=None),
            "relative_high": max(relative, default=None),
            "p_low": min(p, default=None),
            "p_high": max(p, default=None),
            "significant": sum(look.shown(alpha) is True for look in looks) if p else None,
        }
        text = f"{group} {swept.leads} in {len(looks):,} of {counted(len(swept.looks), 'setting')}"
        if relative:
            text += f" (by {share_text(values['relative_low'])} to {share_text(values['relative_high'])} of the next)"
        if p:
            ends = dict.fromkeys(readable_p(value) for value in (values["p_low"], values["p_high"]))
            text += f", with p at most {alpha:g} in {values['significant']:,} (p {' to '.join(ends)})"
        parts.append(text)
        groups.append(values)
    tied = sum(bool(look.tied) for look in swept.looks if look is not None)
    parts += [f"several tie for the {swept.direction.best} mean in {tied:,}"] if tied else []
    return Statement(
        "leaders",
        f"Over the grid: {'; '.join(parts)}.",
        {
            "groups": groups,
            "tied": tied,
            "settings": len(swept.looks),
            "confidence": context.confidence,
            "direction": swept.direction.better,
        },
    )


def everywhere_text(conclusion: str, n_known: int, settings: int) -> str:
    """Say that a conclusion, in words, holds wherever something can be said; without the end of the sentence."""
    of_known = "" if n_known == settings else " with a result"
    return f"The conclusion that {conclusion} holds in all {counted(n_known, 'setting')}{of_known}"


def _state_conclusion(swept: SweepResults, context: SweepContext, region: Region) -> Statement:
    """Say where a conclusion holds, in numbers."""
    conclusion = swept.statement(region.conclusion)
    of_region = [reach for reach in swept.ranges if reach.conclusion == region.conclusion]
    values: dict[str, Value] = {
        "conclusion": region.conclusion,
        "leader": swept.name(swept.base.leader),
        "following": swept.name(swept.base.following),
        "verdict": None if region.conclusion == LEAD else swept.verdict,
        "confidence": None if region.conclusion == LEAD else context.confidence,
        "settings": region.settings,
        "known": region.known,
        "holds": region.holds,
        "connected": len(region.connected),
        "ranges": [
            {
                "parameter": swept.grid.axes[reach.axis].name,
                "ends_below": end(swept, reach, "below"),
                "ends_above": end(swept, reach, "above"),
                "fails_at": [shown(swept.grid.axes[reach.axis].values[place]) for place in reach.fails],
            }
            for reach in of_region
        ],
    }
    if region.holds == region.known:
        text = f"{everywhere_text(conclusion, region.known, region.settings)}; no setting of this grid changes it."
        return Statement("conclusion", text, values)
    apart = region.holds - len(region.connected)
    joined = f"{apart:,} of them not connected to the base setting" if apart else "all connected to the base setting"
    listed = "; ".join(_range(swept, reach) for reach in of_region)
    text = (
        f"The conclusion that {conclusion} holds in {region.holds:,} of {counted(region.known, 'setting')} "
        f"({share_text(region.holds / region.known, 0)}), {joined}. One parameter at a time: {listed}."
    )
    return Statement("conclusion", text, values)


def _range(swept: SweepResults, reach: Range) -> str:
    """Where a conclusion holds along one parameter."""
    axis = swept.grid.axes[reach.axis]
    if not reach.fails:
        whole = axis.numeric and len(axis.values) > 1
        ends = f"from {_readable(axis.values[0])} to {_readable(axis.values[-1])}" if whole else f"of {_values(axis)}"
        return f"any {axis.name} {ends}"
    if reach.low is None or reach.high is None:
        return f"{axis.name}: not with {', '.join(_readable(axis.values[place]) for place in reach.fails)}"
    below, above = (_rounded_end(swept, reach, side) for side in ("below", "above"))
    if below is None and above is None:
        low, high = _readable(axis.values[reach.low]), _readable(axis.values[reach.high])
        return f"{axis.name} from {low} to {high}"
    sides = [f"above {below}" if below is not None else "", f"below {above}" if above is not None else ""]
    return f"{axis.name} {' and '.join(side for side in sides if side)}"


def _state_nearest(swept: SweepResults, nearest: Nearest) -> Statement:
    """Say which setting is the nearest that overturns a conclusion."""
    look, alpha, tested = nearest.crossing.look, swept.conclusion.alpha, nearest.crossing.look.tested
    at = swept.at(nearest.crossing.fails.values, all_of_them=False)
    p = None if look.tied or tested is None else tested.p_adjusted
    shown_there = look.shown(alpha) if nearest.conclusion != LEAD and look.leader == swept.base.leader else None
    if look.tied:
        outcome = f"{' and '.join(swept.groups[group] for group in look.tied)} have the same mean"
    else:
        by = "by" if swept.direction.is_known else "of all, by"
        outcome = f"{swept.name(look.leader)} {swept.leads} {by} {readable(look.margin or 0.0)}"
        outcome += f", {p_text(p)}" if p is not None else ""
        if nearest.conclusion != LEAD and look.leader == swept.base.leader:
            outcome += ", shown" if shown_there else ", no longer shown"
    holds = nearest.crossing.holds.values
    is_between = bool(nearest.changes) and holds != _values_of_base(swept)
    still_at = swept.at(holds, all_of_them=False) if is_between else None
    last = f"; with {rounded(still_at)} it still holds" if still_at is not None else ""
    what = f" Both were scored. Nearest means {METRIC}." if nearest is swept.nearest[0] else ""
    conclusion = swept.statement(nearest.conclusion)
    values: dict[str, Value] = {
        "conclusion": nearest.conclusion, "at": at, "leader": swept.name(look.leader),
        "tied": [swept.groups[group] for group in look.tied], "raw_difference": look.raw_difference, "p_adjusted": p,
        "significant": shown_there, "still_at": still_at, "metric": METRIC if nearest is swept.nearest[0] else None,
    }  # fmt: skip
    text = f"The nearest setting against the conclusion that {conclusion}: {rounded(at)} ({outcome}){last}.{what}"
    return Statement("nearest", text, values)


def _values_of_base(swept: SweepResults) -> tuple[object, ...]:
    """The values of the base setting."""
    return swept.grid.settings[swept.grid.number(swept.grid.base)].values


def _state_order(swept: SweepResults) -> list[Statement]:
    """How far more than two groups keep their order."""
    if len(swept.groups) < 3 or swept.base.means is None:
        return []
    means = swept.base.means.value
    taus = [tau_b(means, look.means.value) for look in swept.looks if look is not None and look.means is not None]
    defined = [tau for tau in taus if tau is not None]
    if not defined:
        return []
    same = sum(tau > 1 - 1e-12 for tau in defined)
    text = (
        f"Order of the {len(swept.groups)} groups compared with the base setting: Kendall's tau-b {min(defined):.2f} to "
        f"{max(defined):.2f}, the same order in {same:,} of {counted(len(defined), 'setting')}."
    )
    values: dict[str, Value] = {"groups": len(swept.groups), "low": min(defined), "high": max(defined)}
    return [Statement("order", text, {**values, "same": same, "settings": len(defined)})]


def _sessions(swept: SweepResults, groups: tuple[int, ...]) -> str:
    """How many sessions means are of."""
    means = swept.base.means
    counts = [f"{int(means.n[group]):,}" for group in groups] if means is not None else []
    return f"{' and '.join(counts)} session{'' if counts == ['1'] else 's'}"


def remarks_of(swept: SweepResults, without: int, column: str) -> list[Remark]:
    """Return what a reader of the numbers should know."""
    remarks = []
    if without:
        remarks += left_out({f"sessions without {column}": without})
    looks = [look for look in swept.looks if look is not None and look.means is not None]
    undefined = [int(look.means.undefined.sum()) for look in looks if look.means is not None]
    if any(undefined):
        low, high = min(undefined), max(undefined)
        counts = f"{low:,}" + (f" to {high:,} by setting" if high > low else "")
        brief = f"sessions without a value, which are left out of means: {counts}"
        remarks.append(Remark("without_value", brief, {"low": low, "high": high}))
    rescaled = [axis.name for axis in swept.grid.axes if axis.name in ("gain", "b", "bq", "discount", "query_discount")]
    measure = swept.grid.measure
    if rescaled and not _share(measure):
        brief = f"{', '.join(rescaled)} change{'s' * (len(rescaled) == 1)} the scale of {measure}"
        values: dict[str, Value] = {"parameters": rescaled, "of": str(measure)}
        remarks.append(Remark("scale", brief, values, ": compare relative margins, not margins"))
    unbounded = [
        setting.measure
        for setting in swept.grid.settings
        if setting.measure is not None and _unbounded(setting.measure)
    ]
    if unbounded:
        brief = f"1 is not an upper bound in {counted(len(unbounded), 'setting')}, such as {unbounded[0]}"
        remarks.append(Remark("unbounded", brief, {"settings": len(unbounded), "of": str(unbounded[0])}))
    against = sum(look.against for look in looks)
    if against:
        brief = f"in {counted(against, 'setting')} the means of all sessions and the paired comparison differ in sign"
        remarks.append(Remark("contrary", brief, {"settings": against}, "; nothing counts as shown there"))
    return remarks


OF_TEST = "base setting, of the test"
"""What the test of the base setting leaves out, as against the means."""


def _share(measure: Measure) -> bool:
    """Whether values are shares of an ideal."""
    return measure.inner.normalized


def _unbounded(measure: Measure) -> bool:
    """Whether values are shares that can exceed 1."""
    return _share(measure) and measure.inner.highest is None
