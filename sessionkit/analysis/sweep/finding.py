"""The finding of a sweep: its tables, its reading, and what it was made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import TestedFinding
from sessionkit.analysis.sweep.axes import shown
from sessionkit.errors import UsageError, suggestion


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(TestedFinding):
    """A measure's parameters swept over a grid; made by `sessionkit.sweep`.

    Parameters
    ----------
    table
        A row per setting, none left out, the last parameter changing fastest: ``setting`` (number from 1), ``base`` (whether
        it is the base setting), a column for each parameter, ``measure`` (null where refused), ``outcome`` (holds, weaker, stronger,
        overturned, tied, undefined, refused), ``leader`` and ``following`` (groups with the best and the next mean),
        ``margin`` (of the means, in units of the measure, at least 0), ``relative`` (as a share of the next one's mean); of the
        test ``estimate``, ``low``, ``high`` (leader less next) and ``p_value``, ``shown`` (p_value at most alpha, and
        the estimate in favor of the leader), ``tau`` (Kendall's tau-b of the order of groups with the base setting's; null of two groups),
        ``reason`` (why something is missing).
    means
        A row per setting and group: ``setting``, ``group``, ``mean``, ``n``, ``undefined``; those of
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
        ``leader``, ``margin``, ``p_value``, ``still_at`` and ``still`` (the last setting before it where the conclusion
        holds). Both were scored. No row where the conclusion fails nowhere within the grid.
    parameters
        What was varied: ``parameter``, ``values``, ``base``, ``added`` (whether the base value was not asked for), ``meaning``.
    reading
        The finding in plain language, a sentence or more per line.
    measure, by, groups
        The base setting, the grouping column and the groups.
    design, population, claim, test
        As `sessionkit.compare` has them; empty where nothing is tested.
    metric
        What nearest means.
    confidence, correction, draws, seed
        As asked for.
    notes
        What a reader of the numbers should know.
    """

    table: pl.DataFrame
    means: pl.DataFrame
    regions: pl.DataFrame
    ranges: pl.DataFrame
    nearest: pl.DataFrame
    parameters: pl.DataFrame
    reading: str
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
    draws: int
    seed: int
    notes: tuple[str, ...] = ()

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

    def map(self, x: str | None = None, y: str | None = None) -> pl.DataFrame:
        """The settings along two parameters, all others at the base, for `sessionkit.charts.sweep_map`.

        Parameters
        ----------
        x, y
            The parameters; by default the first two. Of one parameter there is no y.

        Returns
        -------
        polars.DataFrame
            ``x`` and ``y`` (values as text, in order), ``group`` (the leader; null where there is none), ``margin``,
            ``relative``, ``p_value``, ``shown``, ``outcome``, ``base``, ``holds`` (whether the verdict, or without a test the
            lead, is that of the base setting).

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
            group="leader",
            margin="margin",
            relative="relative",
            p_value="p_value",
            shown="shown",
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
            elif base["shown"] is None:
                found[row["setting"]] = row["leader"] == base["leader"]
            elif row["outcome"] == "tied":
                found[row["setting"]] = not base["shown"]
            elif row["shown"] is None:
                found[row["setting"]] = None
            else:
                was, now = ((one["leader"] if one["shown"] else None) for one in (base, row))
                found[row["setting"]] = was == now
        return found


def _text(values: pl.Series) -> pl.Series:
    """Values as people write them."""
    return pl.Series(values.name, [shown(_whole(value)) for value in values], dtype=pl.String)


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
