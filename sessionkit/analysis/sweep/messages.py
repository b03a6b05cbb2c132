"""A sweep in plain language: what the base setting says, for whom, and how far that depends on the setting."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace

from sessionkit.analysis.compare.corrections import NAMES, Family
from sessionkit.analysis.compare.messages import claim
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.phrases import NOT_SHOWN, NOT_SHOWN_CORRECTED, detectable_text, interval_text
from sessionkit.analysis.sweep.axes import Axis, rounded, shown
from sessionkit.analysis.sweep.nearest import METRIC, Nearest
from sessionkit.analysis.sweep.outcomes import LEAD
from sessionkit.analysis.sweep.regions import Range, Region
from sessionkit.analysis.sweep.tables import SweepResults, end
from sessionkit.analysis.sweep.verdicts import tau_b
from sessionkit.display.numbers import p_text, readable, readable_p, share_text
from sessionkit.display.words import counted
from sessionkit.scoring.measures.base import Measure

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
    untested: str = ""
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
            claim=claim(plan.population, plan.units(sessions)),
            population=plan.population,
            test=plan.title,
            how=how,
            family=Family(1 if at_once else pairs, options.correction, at_once),
        )


def lines(swept: SweepResults, told: SweepContext, notes: tuple[str, ...]) -> list[str]:
    """Return the sentences of a reading."""
    found = [_swept(swept, told)]
    added = [f"{axis.name}={_readable(axis.values[axis.base])}" for axis in swept.grid.axes if axis.added]
    if added:
        found.append(
            f"{' and '.join(added)}, {'the value' if len(added) == 1 else 'values'} of {told.measure}, "
            f"{'was' if len(added) == 1 else 'were'} added to the grid."
        )
    if told.design:
        found.append(f"Design: {told.design}. Each setting is tested separately, as by compare: {told.test}.")
        if swept.base.leader is not None:
            found.append(f"The claim is about {told.claim}.")
    elif told.untested:
        found.append(f"Not tested: {told.untested}.")
    found.append(_base(swept, told))
    if swept.base.leader is not None and swept.base.following is not None:
        found.append(_grid(swept))
        found += [_region(swept, region) for region in swept.regions]
        if any(region.holds == region.known for region in swept.regions):
            found.append("Settings beyond the grid were not scored.")
        found += [_nearest(swept, one) for one in swept.nearest]
        found += _order(swept)
        if told.test:
            found.append(
                "Each p is for one setting and is not corrected for the number of settings: it shows how far the conclusion depends "
                "on the setting. A setting chosen for its p is no evidence."
            )
    return [*found, *(f"Note: {note}." for note in notes)]


def _swept(swept: SweepResults, told: SweepContext) -> str:
    """What was varied, over how many settings."""
    each = " and ".join(f"{axis.name} ({_values(axis)})" for axis in swept.grid.axes)
    outcomes = Counter(swept.conclusion.outcome(look) for look in swept.looks)
    missing = [f"{outcomes[name]} {name}" for name in ("refused", "undefined") if outcomes[name]]
    kept = f", {' and '.join(missing)} (the table says why)" if missing else ""
    return f"Swept: {told.measure} by {told.by}, over {each}: {counted(len(swept.looks), 'setting')}{kept}."


def _readable(value: object) -> str:
    """A value of a parameter."""
    return rounded(shown(value))


def _rounded_end(swept: SweepResults, one: Range, side: str) -> str | None:
    """The first value on one side at which a conclusion fails."""
    text = end(swept, one, side)
    return None if text is None else rounded(text)


def _values(axis: Axis) -> str:
    """The values of a parameter."""
    if axis.numeric and len(axis.values) > WORDS:
        return f"{len(axis.values)} values from {_readable(axis.values[0])} to {_readable(axis.values[-1])}"
    return ", ".join(_readable(value) for value in axis.values)


def _base(swept: SweepResults, told: SweepContext) -> str:
    """What the base setting says."""
    base, at = swept.base, rounded(swept.at([axis.values[axis.base] for axis in swept.grid.axes]))
    start = f"Base setting ({at}): "
    means = base.means
    if means is None or (base.leader is None and not base.tied):
        return f"{start}no group has a session with a value, so there is no conclusion to check."
    if base.tied:
        names = " and ".join(swept.groups[group] for group in base.tied)
        return (
            f"{start}{names} have the same mean, {readable(float(means.value[base.tied[0]]))} "
            f"({_sessions(swept, base.tied)}), so none {swept.leads} and there is no conclusion to check."
        )
    leader = base.leader if base.leader is not None else 0
    if base.following is None or base.margin is None:
        values = [float(look.means.value[leader]) for look in swept.looks if look and look.means is not None]
        spread = [value for value in values if value == value]  # noqa: PLR0124 - NaN
        return (
            f"{start}{swept.groups[leader]} alone has a value, {readable(float(means.value[leader]))} ({_sessions(swept, (leader,))}); "
            f"with one group there is nothing to compare. "
            f"Over the settings its mean ranges from {readable(min(spread))} to {readable(max(spread))}."
        )
    pair = (leader, base.following)
    side = "above" if base.sign > 0 else "below"
    relative = f" ({share_text(base.relative)})" if base.relative is not None else ""
    text = (
        f"{start}the mean of {swept.groups[leader]} is {readable(float(means.value[leader]))}, which is {readable(base.margin)}"
        f"{relative} {side} that of {swept.groups[base.following]} ({readable(float(means.value[base.following]))}); "
        f"{_sessions(swept, pair)}"
    )
    return f"{text}. {_verdict(swept, told)}".rstrip()


def _verdict(swept: SweepResults, told: SweepContext) -> str:
    """What the test says at the base setting."""
    base, alpha = swept.base, swept.conclusion.alpha
    tested = base.tested
    if tested is None:
        return ""
    if tested.p_adjusted is None or tested.estimate is None:
        return f"Not tested: {tested.why}."
    small = detectable_text(told.detectable or None)
    interval = f"{told.family.interval_kind}{interval_text(tested.low, tested.high, alpha)}"
    found = f"Estimate {readable(tested.estimate)}, {interval}, {p_text(tested.p_adjusted)}{told.how}"
    leader = swept.name(base.leader)
    if tested.no_verdict:
        open_ = f" {NOT_SHOWN}" if tested.p_adjusted > alpha else ""
        return f"{found}.{open_} {tested.no_verdict}."
    if base.shown(alpha):
        side = "higher" if base.sign > 0 else "lower"
        return f"{found}. There is evidence that {leader} is {side} than {swept.name(base.following)}, for {told.claim}.{small}"
    excludes_0 = (tested.low or 0.0) > 0 or (tested.high or 0.0) < 0  # an unadjusted interval may
    return f"{found}. {NOT_SHOWN_CORRECTED if excludes_0 else NOT_SHOWN}{small}"


def _grid(swept: SweepResults) -> str:
    """Who leads where, by how much, and how often that is shown."""
    alpha = swept.conclusion.alpha
    parts = []
    for number, group in enumerate(swept.groups):
        looks = [look for look in swept.looks if look is not None and look.leader == number and look.margin is not None]
        if not looks:
            continue
        text = f"{group} {swept.leads} in {len(looks):,} of {counted(len(swept.looks), 'setting')}"
        relative = [look.relative for look in looks if look.relative is not None]
        if relative:
            text += f" (by {share_text(min(relative))} to {share_text(max(relative))} of the next)"
        p = [p for look in looks if look.tested is not None and (p := look.tested.p_adjusted) is not None]
        if p:
            often = sum(look.shown(alpha) is True for look in looks)
            ends = dict.fromkeys(readable_p(value) for value in (min(p), max(p)))
            text += f", with p at most {alpha:g} in {often:,} (p {' to '.join(ends)})"
        parts.append(text)
    tied = sum(bool(look.tied) for look in swept.looks if look is not None)
    best = "best" if swept.direction.is_known else swept.direction.first
    parts += [f"several tie for the {best} mean in {tied:,}"] if tied else []
    return f"Over the grid: {'; '.join(parts)}."


def _region(swept: SweepResults, region: Region) -> str:
    """Where a conclusion holds, in numbers."""
    of = [one for one in swept.ranges if one.conclusion == region.conclusion]

    start = f"The conclusion that {swept.statement(region.conclusion)} "
    if region.holds == region.known:
        result = "" if region.known == region.settings else " with a result"
        return f"{start}holds in all {counted(region.known, 'setting')}{result}; no setting of this grid changes it."
    apart = region.holds - len(region.connected)
    joined = f"{apart:,} of them not connected to the base setting" if apart else "all connected to the base setting"
    told = "; ".join(_range(swept, one) for one in of)
    return (
        f"{start}holds in {region.holds:,} of {counted(region.known, 'setting')} ({share_text(region.holds / region.known, 0)}), {joined}. "
        f"One parameter at a time: {told}."
    )


def _range(swept: SweepResults, one: Range) -> str:
    """Where a conclusion holds along one parameter."""
    axis = swept.grid.axes[one.axis]
    if not one.fails:
        whole = axis.numeric and len(axis.values) > 1
        ends = f"from {_readable(axis.values[0])} to {_readable(axis.values[-1])}" if whole else f"of {_values(axis)}"
        return f"any {axis.name} {ends}"
    if one.low is None or one.high is None:
        return f"{axis.name}: not with {', '.join(_readable(axis.values[place]) for place in one.fails)}"
    below, above = (_rounded_end(swept, one, side) for side in ("below", "above"))
    if below is None and above is None:
        low, high = _readable(axis.values[one.low]), _readable(axis.values[one.high])
        return f"{axis.name} from {low} to {high}"
    sides = [f"above {below}" if below is not None else "", f"below {above}" if above is not None else ""]
    return f"{axis.name} {' and '.join(side for side in sides if side)}"


def _nearest(swept: SweepResults, one: Nearest) -> str:
    """The nearest setting that overturns a conclusion."""
    look, alpha = one.crossing.look, swept.conclusion.alpha
    at = rounded(swept.at(one.crossing.fails.values, all_of_them=False))
    if look.tied:
        there = f"{' and '.join(swept.groups[group] for group in look.tied)} have the same mean"
    else:
        tested = look.tested
        p = f", {p_text(tested.p_adjusted)}" if tested is not None and tested.p_adjusted is not None else ""
        by = "by" if swept.direction.is_known else "of all, by"
        there = f"{swept.name(look.leader)} {swept.leads} {by} {readable(look.margin or 0.0)}{p}"
        if one.conclusion != LEAD and look.leader == swept.base.leader:
            there += ", shown" if look.shown(alpha) else ", no longer shown"
    holds = one.crossing.holds.values
    last = (
        f"; with {rounded(swept.at(holds, all_of_them=False))} it still holds"
        if one.changes and holds != _values_of_base(swept)
        else ""
    )
    what = f" Both were scored. Nearest means {METRIC}." if one is swept.nearest[0] else ""
    return f"The nearest setting against the conclusion that {swept.statement(one.conclusion)}: {at} ({there}){last}.{what}"


def _values_of_base(swept: SweepResults) -> tuple[object, ...]:
    """The values of the base setting."""
    return swept.grid.settings[swept.grid.number(swept.grid.base)].values


def _order(swept: SweepResults) -> list[str]:
    """How far more than two groups keep their order."""
    if len(swept.groups) < 3 or swept.base.means is None:
        return []
    means = swept.base.means.value
    taus = [tau_b(means, look.means.value) for look in swept.looks if look is not None and look.means is not None]
    known = [tau for tau in taus if tau is not None]
    if not known:
        return []
    same = sum(tau > 1 - 1e-12 for tau in known)
    return [
        f"Order of the {len(swept.groups)} groups compared with the base setting: Kendall's tau-b {min(known):.2f} to {max(known):.2f}, "
        f"the same order in {same:,} of {counted(len(known), 'setting')}."
    ]


def _sessions(swept: SweepResults, groups: tuple[int, ...]) -> str:
    """How many sessions means are of."""
    means = swept.base.means
    counts = [f"{int(means.n[group]):,}" for group in groups] if means is not None else []
    return f"{' and '.join(counts)} session{'' if counts == ['1'] else 's'}"


def notes_of(swept: SweepResults, without: int, column: str) -> list[str]:
    """What a reader of the numbers should know."""
    notes = [f"left out sessions without {column} ({without:,})"] if without else []
    there = [look for look in swept.looks if look is not None and look.means is not None]
    undefined = [int(look.means.undefined.sum()) for look in there if look.means is not None]
    if any(undefined):
        many = f"{min(undefined):,}" + (f" to {max(undefined):,} by setting" if max(undefined) > min(undefined) else "")
        notes.append(f"sessions without a value, which are left out of means: {many}")
    rescaled = [axis.name for axis in swept.grid.axes if axis.name in ("gain", "b", "bq", "discount", "query_discount")]
    if rescaled and not _share(swept.grid.measure):
        notes.append(
            f"{', '.join(rescaled)} change{'s' * (len(rescaled) == 1)} the scale of {swept.grid.measure}: compare relative margins, "
            "not margins"
        )
    unbounded = [one for one in swept.grid.settings if one.measure is not None and _unbounded(one.measure)]
    if unbounded:
        notes.append(f"1 is not an upper bound in {counted(len(unbounded), 'setting')}, such as {unbounded[0].measure}")
    against = sum(look.against for look in there)
    if against:
        notes.append(
            f"in {counted(against, 'setting')} the means of all sessions and the paired comparison differ in sign; "
            "nothing counts as shown there"
        )
    return notes


def _share(measure: Measure) -> bool:
    """Whether values are shares of an ideal."""
    return measure.inner.normalized


def _unbounded(measure: Measure) -> bool:
    """Whether values are shares that can exceed 1."""
    return _share(measure) and measure.inner.highest is None
