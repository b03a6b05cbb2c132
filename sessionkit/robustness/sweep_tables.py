"""The finding of a sweep and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import polars as pl

from sessionkit.display.numbers import counted, decimals_of
from sessionkit.display.statements import Kind, Statement
from sessionkit.display.tables import HEADERS, TextTable, table_of
from sessionkit.errors import UsageError, suggestion
from sessionkit.robustness.sweep_grid import Grid, Holds, Range, Region, rounded, shown
from sessionkit.robustness.sweep_scores import TAKEN
from sessionkit.robustness.sweep_verdicts import LEAD, Conclusion, Crossing, Nearest, SettingVerdict, tau_b
from sessionkit.scoring.measures.direction import UNKNOWN, MeasureDirection
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.findings import LEFT_OUT, SESSIONS, TestedFinding
from sessionkit.statistics.paper_tables import claim_text, corrected_text, interval_heading, significance_note, worded
from sessionkit.statistics.remarks import Remark

SETTING_TEXTS = (
    "measure", "values", "base", "low", "high", "ends_below", "ends_above", "holds_at", "fails_at", "at", "still_at", "still",
)  # fmt: skip
"""Columns of texts with values of parameters."""


LEVEL = {"level": "what it is about: the base setting, of the test; null, all", "measure": "null"}
KINDS = {
    "grid": Kind(
        "What was varied",
        {
            "measure": "the base setting",
            "by": "column that makes the groups",
            "parameters": "by parameter its values, as text",
            "settings": "number of settings",
            "refused": "settings whose values exclude each other, or that the data do not support",
            "undefined": "settings where fewer than two groups have a value",
        },
    ),
    "added": Kind(
        "Values of the base setting that were not asked for",
        {"measure": "the base setting", "parameters": "by parameter its value, as text"},
    ),
    "design": Kind("How settings are tested", {"design": "the design", "test": "the test"}),
    "claim": Kind("What the test generalizes to", {"claim": "in words", "population": "what the units are"}),
    "not_tested": Kind(
        "There are too many groups to test", {"groups": "number of groups", "most": "the largest number that is tested"}
    ),
    "base": Kind(
        "What the base setting shows",
        {
            "at": "its values of the parameters",
            "leader": "the group with the best mean",
            "following": "the group with the next mean",
            "direction": "which values of the measure are better: higher, lower or unknown",
            "mean_leader": "mean of the leader",
            "mean_following": "mean of the next",
            "n_leader": "sessions of the leader",
            "n_following": "sessions of the next",
            "raw_difference": "mean of the leader less mean of the next",
            "relative": "that as a share of the next one's mean",
            "estimate": "what the test estimates, leader less next",
            "low": "lower end of its interval",
            "high": "upper end of its interval",
            "p_adjusted": "p, corrected over the pairs of groups",
            "correction": "how p was corrected; null, nothing is tested",
            "tests": "how many tests were corrected together; null, nothing is tested",
            "at_once": "whether the test holds for all pairs at once; null, nothing is tested",
            "detectable": "the true difference that the test would find four times in five",
            "verdict": "shown, not shown, not shown after correction, no verdict, or not tested; null, no test was asked for",
            "reason": "why there is no test, or no verdict",
            "confidence": "of the interval and the verdict; null, nothing is tested",
        },
    ),
    "no_conclusion": Kind(
        "Why the base setting has no conclusion to check",
        {
            "at": "its values of the parameters",
            "reason": "no value, tied or one group",
            "mean": "the mean of those that tie, or of the one group",
            "n": "sessions by group",
            "low": "the lowest mean of the one group over the settings",
            "high": "its highest mean",
        },
    ),
    "leaders": Kind(
        "Who leads at how many settings",
        {
            "groups": "each with leader, settings, relative_low, relative_high, p_low, p_high and significant (settings)",
            "tied": "settings where several tie",
            "settings": "number of settings",
            "confidence": "of verdicts; null, nothing is tested",
            "direction": "which values of the measure are better: higher, lower or unknown",
        },
    ),
    "conclusion": Kind(
        "Where a conclusion of the base setting holds",
        {
            "conclusion": "lead: who leads; verdict: what the test shows",
            "leader": "the group with the best mean at the base setting",
            "following": "the group with the next mean there",
            "verdict": "what the test shows there: shown, not shown or no verdict; null of who leads",
            "confidence": "of the verdict; null of who leads",
            "settings": "number of settings",
            "known": "settings where something can be said",
            "holds": "settings where it holds",
            "connected": "settings of these that are connected to the base setting",
            "ranges": "each with parameter, ends_below, ends_above and fails_at, as in the table",
        },
    ),
    "scope": Kind("Settings beyond the grid were not scored"),
    "nearest": Kind(
        "The nearest setting that overturns a conclusion",
        {
            "conclusion": "lead or verdict",
            "at": "the values that differ from the base setting",
            "leader": "who leads there; null where several tie",
            "tied": "the groups that tie there",
            "raw_difference": "mean of the leader less mean of the next",
            "p_adjusted": "p there",
            "significant": "whether the test shows it there; null where another group leads, or of who leads",
            "still_at": "the last setting before it at which the conclusion holds; null, the base setting",
            "metric": "what nearest means; null where it was said before",
        },
    ),
    "order": Kind(
        "How far more than two groups keep their order",
        {
            "groups": "number of groups",
            "low": "the lowest tau-b with the order of the base setting",
            "high": "the highest tau-b",
            "same": "settings with the same order",
            "settings": "settings with an order",
        },
    ),
    "caution": Kind("What p does not say of a setting that is chosen for it", {"settings": "number of settings"}),
    **LEFT_OUT,
    "without_value": Kind(
        "Sessions without a value", {**LEVEL, "low": "the fewest of any setting", "high": "the most of any setting"}
    ),
    "scale": Kind(
        "Parameters that change the scale of the measure",
        {**LEVEL, "parameters": "the parameters", "of": "text of the measure"},
    ),
    "unbounded": Kind(
        "Settings where 1 is not an upper bound", {**LEVEL, "settings": "how many", "of": "the first of them"}
    ),
    "contrary": Kind("Settings where means and test differ in sign", {**LEVEL, "settings": "how many"}),
    **SESSIONS,
}
"""What a sweep says."""


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(TestedFinding):
    """A measure's parameters swept over a grid; made by `sessionkit.sweep`.

    Parameters
    ----------
    table
        A row per setting, none left out, the last parameter changing fastest: ``setting`` (number from 1), ``base`` (whether
        it is the base setting), a column for each parameter, ``measure`` (null where refused), ``outcome`` (holds, weaker, stronger,
        overturned, tied, undefined, refused), ``leader`` and ``following`` (groups with the best and the next mean),
        ``raw_difference`` of these means (leader less next, as all differences here), ``relative`` (that as a share of the next
        one's mean); of the test ``estimate``, ``low``, ``high``, ``p_adjusted`` (over the pairs of groups) and ``significant``
        (p_adjusted at most alpha, and the estimate in favor of the leader), ``tau`` (Kendall's tau-b of the order of groups
        with the base setting's; null of two groups), ``note`` (why something is missing).
    means
        A row per setting and group: ``setting``, the column that makes the groups, ``value``, ``n``, ``undefined``; those of
        `sessionkit.score`, bit for bit.
    regions
        A row per conclusion (``lead``: who leads; ``verdict``: what the test shows): ``conclusion``, ``statement``, ``settings``,
        ``known`` (where something can be said), ``holds``, ``share`` (of those known), ``connected`` (settings reached
        from the base by steps of one value of one parameter), ``connected_share``.
    ranges
        A row per conclusion and parameter, all others at the base: ``conclusion``, ``parameter``, ``base``, ``low`` and
        ``high`` (the unbroken run of values around the base), ``ends_below`` and ``ends_above`` (the first value beyond it at which the
        conclusion fails, to six digits where the parameter is continuous; null where the grid ends first), ``holds_at`` and ``fails_at``
        (values of the grid).
    nearest
        The nearest setting that overturns each conclusion, by `metric`: ``conclusion``, ``changes``, ``distance``, ``at``, ``measure``,
        ``leader``, ``raw_difference``, ``p_adjusted``, ``still_at`` and ``still`` (the last setting before it where the conclusion
        holds). Both were scored. No row where the conclusion fails nowhere within the grid.
    parameters
        What was varied: ``parameter``, ``values``, ``base``, ``added`` (whether the base value was not asked for), ``meaning``.
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    measure, by, groups
        The base setting, the grouping column and the groups.
    design, population, claim, test
        As `sessionkit.compare` has them; empty where nothing is tested.
    metric
        What nearest means.
    confidence, correction, draws, seed
        As asked for.
    family
        The p-values of a setting that were corrected together, see `sessionkit.compare`.
    remarks
        What a reader of the numbers should know.
    """

    table: pl.DataFrame
    means: pl.DataFrame
    regions: pl.DataFrame
    ranges: pl.DataFrame
    nearest: pl.DataFrame
    parameters: pl.DataFrame
    statements: tuple[Statement, ...]
    measure: str
    by: str
    groups: tuple[str, ...]
    design: str
    population: str
    claim: str
    test: str
    metric: str
    confidence: float
    correction: str
    family: Family
    draws: int
    seed: int
    remarks: tuple[Remark, ...] = ()
    KINDS: ClassVar = KINDS

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers should know, in words."""
        return tuple(remark.text for remark in self.remarks)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``settings``, ``means``, ``regions``, ``ranges``, ``nearest``, ``parameters`` and ``made_with``."""
        names = [
            "measure",
            "by",
            "groups",
            "design",
            "population",
            "claim",
            "test",
            "metric",
            "confidence",
            "correction",
        ]
        names += ["draws", "seed"]
        given = {name: getattr(self, name) for name in names} | {"groups": ", ".join(self.groups)}
        made = pl.DataFrame({"name": names, "value": [str(given[name]) for name in names]})
        return {
            "settings": self.table,
            "means": self.means,
            "regions": self.regions,
            "ranges": self.ranges,
            "nearest": self.nearest,
            "parameters": self.parameters,
            "made_with": made,
        }

    def readable_tables(self) -> dict[str, pl.DataFrame]:
        """The same for people: the numbers within texts are rounded; those of `tables` are exact."""
        return {name: _with_rounded_texts(frame) for name, frame in self.tables().items()}

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading line by line, and the tables that have rows."""
        words = [statement.text for statement in self.statements]
        return words, {name: table for name, table in self.readable_tables().items() if len(table)}

    def paper_table(self) -> TextTable:
        """A row per setting: the parameters, the difference with its interval and p, significance marked; no setting is singled out.

        Of two groups the second less the first; of more the leader, named beside it, less the next.
        """
        varied = self.parameters.get_column("parameter").to_list()
        values = [_text(self.table.get_column(name)) for name in varied]
        turned = pl.col("leader") == self.groups[0] if len(self.groups) == 2 else pl.lit(value=False)
        signed = ["estimate", "low", "high"] if self.test else ["raw_difference"]
        ends = dict(zip(signed, ["estimate", "high", "low"] if self.test else signed, strict=True))
        away = [
            pl.when(turned).then(-pl.col(other)).otherwise(pl.col(name)).alias(name) for name, other in ends.items()
        ]
        named = [] if len(self.groups) == 2 else ["leader", "following"]
        rows = self.table.select(*values, *named, *away, *(["p_adjusted"] if self.test else []))
        headers = HEADERS | {name: name for name in varied} | {
            "leader": "Leader", "following": "Next", "estimate": "Difference", "raw_difference": "Difference",
            "p_adjusted": "p" if "p" not in varied else "p-value",
        }  # fmt: skip
        found = [row for row, yes in enumerate(self.table["significant"]) if yes]
        place = len(varied) + len(named)
        which = f"{self.groups[1]} minus {self.groups[0]}" if len(self.groups) == 2 else "the leader minus the next"
        how = f": {self.test}{corrected_text(self.family)}" if self.test else ""
        base = ", ".join(f"{name}={value}" for name, value in self.parameters.select("parameter", "base").rows())
        caption = f"{self.measure} at {counted(self.table.height, 'setting')}, {which}, by {worded([self.by])}{how}"
        note = f"Base setting: {base}."
        if self.test:
            mark = "*:" if found else ""
            note += f" Each setting is tested alone. {significance_note(mark, self.alpha, claim_text(self.claim))}"
        marks = dict.fromkeys([(row, place) for row in found], "*")
        decimals, interval = decimals_of(self.means["value"]), interval_heading(self.confidence, self.family)
        return table_of(caption, rows, headers=headers, note=note, marks=marks, decimals=decimals, interval=interval)

    def map(self, x: str | None = None, y: str | None = None) -> pl.DataFrame:
        """The settings along two parameters, all others at the base, for `sessionkit.charts.sweep_map`.

        Parameters
        ----------
        x, y
            The parameters; by default the first two. Of one parameter there is no y.

        Returns
        -------
        polars.DataFrame
            ``x`` and ``y`` (values as text, in order), ``leader`` (null where there is none), ``raw_difference``, ``relative``,
            ``p_adjusted``, ``significant``, ``outcome``, ``base``, ``holds`` (whether the verdict, or without a test the lead, is
            that of the base setting).

        Raises
        ------
        UsageError
            There is no such parameter, or both are the same.
        """
        across, up = self.across(x, y)
        base = self.table.filter("base")
        rest = [name for name in self.parameters["parameter"] if name not in (across, up)]
        kept = self.table.filter(pl.col(name).eq_missing(base[name].item()) for name in rest) if rest else self.table
        verdict = self._holding()
        return kept.select(
            x=_text(kept[across]),
            y=pl.lit("") if up is None else _text(kept[up]),
            leader="leader",
            raw_difference="raw_difference",
            relative="relative",
            p_adjusted="p_adjusted",
            significant="significant",
            outcome="outcome",
            base="base",
            holds=pl.col("setting").replace_strict(verdict, return_dtype=pl.Boolean),
        )

    def across(self, x: str | None = None, y: str | None = None) -> tuple[str, str | None]:
        """The two parameters of a map, by default the first two; of one parameter there is no second.

        Raises
        ------
        UsageError
            There is no such parameter, or both are the same.
        """
        names = self.parameters.get_column("parameter").to_list()
        across = x if x is not None else names[0] if y != names[0] else next(iter(names[1:]), names[0])
        up = y if y is not None else next((name for name in names if name != across), None)
        for name in (across, up):
            if name is not None and name not in names:
                msg = f"{name} was not varied; varied: {', '.join(names)}{suggestion(str(name), names)}"
                raise UsageError(msg)
        if across == up:
            msg = f"a map has two different parameters, not {across} twice"
            raise UsageError(msg)
        return across, up

    def _holding(self) -> dict[int, bool | None]:
        """Of every setting whether what is concluded at the base setting holds there."""
        base = self.table.filter("base").row(0, named=True)
        found: dict[int, bool | None] = {}
        for row in self.table.iter_rows(named=True):
            if row["outcome"] in ("refused", "undefined") or base["leader"] is None:
                found[row["setting"]] = None
            elif base["significant"] is None:
                found[row["setting"]] = row["leader"] == base["leader"]
            elif row["outcome"] == "tied":
                found[row["setting"]] = not base["significant"]
            elif row["significant"] is None:
                found[row["setting"]] = None
            else:
                was, now = ((one["leader"] if one["significant"] else None) for one in (base, row))
                found[row["setting"]] = was == now
        return found


def _with_rounded_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """A table whose texts of settings have numbers as people read them."""
    texts = [name for name in SETTING_TEXTS if frame.schema.get(name) == pl.String]
    return frame.with_columns(
        pl.Series(name, [None if text is None else rounded(text) for text in frame[name]], pl.String) for name in texts
    )


def _text(values: pl.Series) -> pl.Series:
    """Values as people write them."""
    return pl.Series(values.name, [rounded(shown(_whole(value))) for value in values], dtype=pl.String)


def _whole(value: object) -> object:
    """A whole number without its point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def column_of(values: Sequence[object], name: str) -> pl.Series:
    """A parameter's values as a column: whole numbers, numbers or texts."""
    there = [value for value in values if value is not None]
    if all(isinstance(value, int) for value in there):
        return pl.Series(name, values, dtype=pl.Int64)
    if all(isinstance(value, int | float) for value in there):
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)  # type: ignore[arg-type]
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


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
    direction: MeasureDirection = UNKNOWN

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

    @property
    def verdict(self) -> str:
        """What the test shows at the base setting."""
        tested, alpha = self.base.tested, self.conclusion.alpha
        if self.base.shown(alpha):
            return "shown"
        if tested is not None and tested.no_verdict and tested.p_adjusted is not None and tested.p_adjusted <= alpha:
            return "no verdict"
        return "not shown"

    def statement(self, conclusion: str) -> str:
        """A conclusion in words."""
        leader, following = self.name(self.base.leader), self.name(self.base.following)
        if conclusion == LEAD:
            return f"{leader} has the {self.direction.first} mean of these sessions"
        side = self.direction.first_side
        if self.verdict == "shown":
            return f"{leader} is shown to be {side} than {following} (p at most {self.conclusion.alpha:g})"
        if self.verdict == "no verdict":
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
