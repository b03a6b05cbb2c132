"""The finding of a sweep: its tables, its reading, and what it was made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.compare.corrections import Family
from sessionkit.analysis.findings import TestedFinding
from sessionkit.analysis.paper_tables import claim_text, corrected_text, interval_heading, significance_note, worded
from sessionkit.analysis.sweep.axes import rounded, shown
from sessionkit.display.numbers import decimals_of
from sessionkit.display.tables import HEADERS, TextTable, table_of
from sessionkit.display.words import counted
from sessionkit.errors import UsageError, suggestion

SETTING_TEXTS = (
    "measure", "values", "base", "low", "high", "ends_below", "ends_above", "holds_at", "fails_at", "at", "still_at", "still",
)  # fmt: skip
"""Columns of texts with values of parameters."""


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
    family
        The p-values of a setting that were corrected together, see `sessionkit.compare`.
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
    family: Family
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

    def readable_tables(self) -> dict[str, pl.DataFrame]:
        """The same for people: the numbers within texts are rounded; those of `tables` are exact."""
        return {name: _with_rounded_texts(frame) for name, frame in self.tables().items()}

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading line by line, and the tables that have rows."""
        return self.reading.splitlines(), {name: table for name, table in self.readable_tables().items() if len(table)}

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
