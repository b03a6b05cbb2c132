"""The tables of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.analysis.sweep.axes import shown
from sessionkit.analysis.sweep.crossings import Crossing
from sessionkit.analysis.sweep.finding import column_of
from sessionkit.analysis.sweep.grid import Grid
from sessionkit.analysis.sweep.nearest import Nearest
from sessionkit.analysis.sweep.outcomes import LEAD, Conclusion
from sessionkit.analysis.sweep.regions import Holds, Range, Region
from sessionkit.analysis.sweep.setting_scores import TAKEN
from sessionkit.analysis.sweep.verdicts import SettingVerdict, tau_b
from sessionkit.scoring.measures.direction import MeasureDirection

REGIONS = pl.Schema(
    {
        **dict.fromkeys(("conclusion", "statement"), pl.String()),
        **dict.fromkeys(("settings", "known", "holds"), pl.Int64()),
        "share": pl.Float64(),
        "connected": pl.Int64(),
        "connected_share": pl.Float64(),
    }
)
RANGES = pl.Schema(
    dict.fromkeys(
        ("conclusion", "parameter", "base", "low", "high", "ends_below", "ends_above", "holds_at", "fails_at"),
        pl.String(),
    )
)
NEAREST = pl.Schema(
    {
        "conclusion": pl.String(),
        "changes": pl.Int64(),
        "distance": pl.Float64(),
        **dict.fromkeys(("at", "measure", "leader"), pl.String()),
        **dict.fromkeys(("raw_difference", "p_adjusted"), pl.Float64()),
        **dict.fromkeys(("still_at", "still"), pl.String()),
    }
)


@dataclass(frozen=True, eq=False)
class SweepResults:
    """All that a sweep has found, before it is told.

    Parameters
    ----------
    grid, groups, looks
        The settings, the groups, and what each setting shows.
    conclusion
        What the base setting says.
    holds, regions, ranges, edges, nearest
        Where its conclusions hold.
    direction
        Which values of the measure are better.
    """

    grid: Grid
    groups: tuple[str, ...]
    looks: Sequence[SettingVerdict | None]
    conclusion: Conclusion
    holds: Mapping[str, Holds] = field(default_factory=dict)
    regions: Sequence[Region] = ()
    ranges: Sequence[Range] = ()
    edges: Mapping[tuple[str, int, str], Crossing] = field(default_factory=dict)
    nearest: Sequence[Nearest] = ()
    direction: MeasureDirection = field(default_factory=lambda: MeasureDirection("unknown"))

    @property
    def leads(self) -> str:
        """What the leader does, in words; a measure without a direction has no leader, only a highest mean."""
        return "leads" if self.direction.is_known else f"has the {self.direction.first} mean"

    @property
    def base(self) -> SettingVerdict:
        """What the base setting shows."""
        return self.conclusion.base

    def name(self, group: int | None) -> str | None:
        """A group by its number."""
        return None if group is None else self.groups[group]

    def at(self, values: Sequence[object], *, all_of_them: bool = True) -> str:
        """A setting in words, such as ``b=2, bq=4``; only what differs from the base unless all is asked for."""
        pairs = zip(self.grid.axes, values, strict=True)
        told = [(axis, value) for axis, value in pairs if all_of_them or value != axis.values[axis.base]]
        return ", ".join(f"{axis.name}={shown(value)}" for axis, value in told)

    def statement(self, conclusion: str) -> str:
        """A conclusion in words."""
        leader, following = self.name(self.base.leader), self.name(self.base.following)
        if conclusion == LEAD:
            return f"{leader} has the {self.direction.first} mean of these sessions"
        side = "higher" if self.base.sign > 0 else "lower"
        if self.base.shown(self.conclusion.alpha):
            return f"{leader} is shown to be {side} than {following} (p at most {self.conclusion.alpha:g})"
        tested, alpha = self.base.tested, self.conclusion.alpha
        if tested is not None and tested.no_verdict and tested.p_adjusted is not None and tested.p_adjusted <= alpha:
            return "no verdict may be given"
        if len(self.groups) == 2:
            return f"no difference is shown (p above {self.conclusion.alpha:g})"
        group = "leading group" if self.direction.is_known else f"group with the {self.direction.first} mean"
        return f"the {group} is not shown to be {side} than the next (p above {self.conclusion.alpha:g})"


def settings_table(swept: SweepResults) -> pl.DataFrame:
    """A row per setting."""
    grid, alpha = swept.grid, swept.conclusion.alpha
    base = grid.number(grid.base)
    rows = []
    for number, (one, look) in enumerate(zip(grid.settings, swept.looks, strict=True)):
        tested = look.tested if look is not None else None
        tau = None
        if len(swept.groups) > 2 and look is not None and look.means is not None and swept.base.means is not None:
            tau = tau_b(swept.base.means.value, look.means.value)
        rows.append(
            {
                "setting": number + 1,
                "base": number == base,
                "measure": None if one.measure is None else str(one.measure),
                "outcome": swept.conclusion.outcome(look),
                "leader": swept.name(look.leader) if look else None,
                "following": swept.name(look.following) if look else None,
                "raw_difference": look.raw_difference if look else None,
                "relative": look.signed(look.relative) if look else None,
                "estimate": tested.estimate if tested else None,
                "low": tested.low if tested else None,
                "high": tested.high if tested else None,
                "p_adjusted": tested.p_adjusted if tested else None,
                "significant": look.shown(alpha) if look else None,
                "tau": tau,
                "note": _reason(swept, one.refused, look),
            }
        )
    numbers = ("raw_difference", "relative", "estimate", "low", "high", "p_adjusted", "tau")
    types = {"setting": pl.Int64, "base": pl.Boolean, "significant": pl.Boolean, **dict.fromkeys(numbers, pl.Float64)}
    columns = {name: pl.Series(name, [row[name] for row in rows], dtype=types.get(name, pl.String)) for name in rows[0]}
    values = [
        column_of([one.values[place] for one in grid.settings], axis.name) for place, axis in enumerate(grid.axes)
    ]
    first = [columns.pop("setting"), columns.pop("base")]
    return pl.DataFrame([*first, *values, *columns.values()])


def means_table(swept: SweepResults, by: str) -> pl.DataFrame:
    """A row per setting and group, which stands in the column that makes the groups; refused settings have none."""
    rows = [
        (number, group, float(mean) if mean == mean else None, int(n), int(undefined))  # noqa: PLR0124 - NaN
        for number, look in enumerate(swept.looks, 1)
        if look is not None and look.means is not None
        for group, mean, n, undefined in zip(
            swept.groups, look.means.value, look.means.n, look.means.undefined, strict=True
        )
    ]
    setting, *found = TAKEN
    types = [pl.Int64(), pl.String(), pl.Float64(), pl.Int64(), pl.Int64()]
    return pl.DataFrame(rows, schema=dict(zip((setting, by, *found), types, strict=True)), orient="row")


def regions_table(swept: SweepResults) -> pl.DataFrame:
    """A row per conclusion."""
    rows = [
        (
            one.conclusion, swept.statement(one.conclusion), one.settings, one.known, one.holds, one.holds / one.known,
            len(one.connected), len(one.connected) / one.known,
        )
        for one in swept.regions
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=REGIONS, orient="row")


def ranges_table(swept: SweepResults) -> pl.DataFrame:
    """A row per conclusion and parameter."""
    rows = []
    for one in swept.ranges:
        axis = swept.grid.axes[one.axis]

        def at(place: int | None, values: tuple[object, ...] = axis.values) -> str | None:
            return None if place is None else shown(values[place])

        listed = [", ".join(shown(axis.values[place]) for place in places) for places in (one.holds, one.fails)]
        ends = [end(swept, one, side) for side in ("below", "above")]
        rows.append((one.conclusion, axis.name, at(axis.base), at(one.low), at(one.high), *ends, *listed))
    return pl.DataFrame(rows, schema=RANGES, orient="row")


def end(swept: SweepResults, one: Range, side: str) -> str | None:
    """The first value on one side at which a conclusion fails: the crossing where there is one, else the value of the grid."""
    crossing = swept.edges.get((one.conclusion, one.axis, side))
    if crossing is not None:
        return shown(crossing.fails.values[one.axis])
    place = one.below if side == "below" else one.above
    return shown(swept.grid.axes[one.axis].values[place]) if place in one.fails and place is not None else None


def nearest_table(swept: SweepResults) -> pl.DataFrame:
    """A row per conclusion that is overturned somewhere."""
    rows = []
    for one in swept.nearest:
        look, fails, holds = one.crossing.look, one.crossing.fails, one.crossing.holds
        p = look.tested.p_adjusted if look.tested is not None else None
        rows.append(
            (
                one.conclusion, one.changes, one.distance, swept.at(fails.values), str(fails.measure),
                swept.name(look.leader), look.raw_difference, p, swept.at(holds.values), str(holds.measure),
            )
        )  # fmt: skip
    return pl.DataFrame(rows, schema=NEAREST, orient="row")


def parameters_table(grid: Grid) -> pl.DataFrame:
    """A row per parameter that was varied."""
    return pl.DataFrame(
        {
            "parameter": [axis.name for axis in grid.axes],
            "values": [", ".join(shown(value) for value in axis.values) for axis in grid.axes],
            "base": [shown(axis.values[axis.base]) for axis in grid.axes],
            "added": [axis.added for axis in grid.axes],
            "meaning": [axis.parameter.meaning for axis in grid.axes],
        }
    )


def _reason(swept: SweepResults, refused: str, look: SettingVerdict | None) -> str | None:
    """Why something is missing of a setting, or does not agree with the rest."""
    if look is None or look.refused:
        return refused or (look.refused if look else "")
    if look.tied:
        return f"{' and '.join(swept.groups[group] for group in look.tied)} have the same mean"
    if look.leader is None:
        return "no group has a session with a value"
    if look.following is None:
        return "there is only one group" if len(swept.groups) == 1 else "only one group has sessions with a value"
    if look.tested is not None and look.tested.why:
        return look.tested.why
    if look.against:
        return "the means of all sessions and the paired comparison differ in sign"
    return None
