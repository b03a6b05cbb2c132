"""The verdict on the primary measure in a sentence that is never bolder than the drawn interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.compare.messages import ADJUSTED, adjustment_text, is_adjusted, opposite_text, units_of
from sessionkit.analysis.phrases import level_text
from sessionkit.analysis.verdict import Verdict, verdict_of
from sessionkit.display.numbers import p_statistic
from sessionkit.display.words import counted
from sessionkit.reports.material import Material
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.measures.words import end_text, interval_text, value_text

PLAIN = {"not shown": "No difference shown", "practically equal": "Practically equal"}
"""Verdicts that name no side, in a few words."""
EXPLORATORY = "Exploratory: "
"""What stands before a claim on a measure that nobody declared."""


@dataclass(frozen=True)
class Difference:
    """The difference of two groups by one measure, with what its sentence needs.

    Parameters
    ----------
    row
        A row of `Comparison.with_reasons`.
    first, second
        What the sentence calls the groups of which the difference is second minus first.
    direction
        Which values of the measure are better.
    band
        The declared band of practical equivalence in units of the measure, or None.
    alpha
        The error rate of the interval.
    units
        On how many units the row rests, in words, such as ``"30 users, 4 topics"``.
    adjustment
        What the estimate is adjusted for; empty where it is the difference of the means that the sentence gives.
    """

    row: Mapping[str, Any]
    first: str
    second: str
    direction: MeasureDirection
    band: float | None
    alpha: float
    units: str
    adjustment: str = ""

    @property
    def verdict(self) -> Verdict | None:
        """What the interval shows; None where no verdict may be given, or there is no interval."""
        if self.row["why"] is not None or (self.row["low"] is None and self.row["high"] is None):
            return None
        return verdict_of(self.row["low"], self.row["high"], self.band)

    def in_words(self, prefix: str = "") -> str:
        """Return the verdict in a few words, a claim after the prefix as in `sentence`."""
        if self.verdict is None:
            return "No verdict"
        small = ", by less than matters" if self.verdict == "less than matters" else ""
        words = PLAIN.get(self.verdict) or f"{self.second} {self._side}{small}"
        return words if self.verdict == "not shown" else f"{prefix}{words}"

    def sentence(self, prefix: str = "") -> str:
        """The verdict with its numbers, then what remains possible.

        Parameters
        ----------
        prefix
            What stands before a verdict that claims something, such as ``"Exploratory: "``.
        """
        pair = f"{self.second} and {self.first}"
        turned = opposite_text(dict(self.row), adjusted=self.adjustment == ADJUSTED)
        if self.row["why"] is not None:
            return f"{self.row['why']}. {self._numbers}.{turned}"
        match self.verdict:
            case None:
                return f"No verdict on {pair}: these are too few for an interval. {self._numbers}.{turned}"
            case "not shown":
                said = (
                    f"No difference between {self.second} and {self.first} is shown: {self._numbers}. {self._remains}"
                )
            case "practically equal":
                said = f"{prefix}{pair} are practically equal: {self._numbers}. {self._within}"
            case "less than matters":
                said = f"{prefix}{self._claim}, by less than matters: {self._numbers}. {self._within}"
            case "shown":
                said = f"{prefix}{self._claim}: {self._numbers}. {self._remains}"
        return f"{said}{self._disagreement}{turned}"

    @property
    def _is_higher(self) -> bool:
        """Whether the interval lies above 0; of an interval that includes 0 whether the estimate does."""
        ends = [end for end in (self.row["low"], self.row["high"]) if end is not None]
        return bool(ends[0] > 0) if len(ends) == 1 else bool(self.row["estimate"] > 0)

    @property
    def _side(self) -> str:
        """On which side of the first group the second is."""
        side = "higher" if self._is_higher else "lower"
        if not self.direction.is_known:
            return f"has {side} values"
        if self.direction.order > 0:
            return f"scores {side}"
        return f"does {'worse' if self._is_higher else 'better'}"

    @property
    def _claim(self) -> str:
        """On which side it is, whole."""
        lower = f" ({self.direction.words})" if self.direction.is_known and self.direction.order < 0 else ""
        return f"{self.second} {self._side} than {self.first}{lower}"

    @property
    def _numbers(self) -> str:
        """Both means, the difference, its interval, p and n."""
        row, measure = self.row, self.row["measure"]
        raw = "raw means " if self.adjustment else ""
        means = f"{measure} {raw}{self._text(row['mean_b'])} against {self._text(row['mean_a'])}"
        difference = f"difference {self._text(row['estimate'])}{self.adjustment and f' {self.adjustment}'}"
        return ", ".join(filter(None, [means, difference, self._interval, p_statistic(row["p_adjusted"]), self.units]))

    @property
    def _interval(self) -> str:
        low, high = self.row["low"], self.row["high"]
        if low is None and high is None:
            return ""
        level = f"{level_text(self.alpha)} CI"
        if low is None or high is None:
            return f"{level} up to {self._end(high)}" if low is None else f"{level} from {self._end(low)} up"
        return f"{level} {interval_text(self.row['measure'], low, high, of_difference=True)}"

    @property
    def _remains(self) -> str:
        """Which differences the interval leaves possible, the worse end first."""
        low, high = self.row["low"], self.row["high"]
        if low is None or high is None:
            end, open_end = (high, "lower") if low is None else (low, "upper")
            return f"Anything {'below' if low is None else 'above'} {self._end(end)} remains possible: the interval has no {open_end} end."
        worse, better = sorted((low, high), key=lambda end: self.direction.order * end)
        if low >= 0 or high <= 0:  # both ends on one side: the word once, the smaller size first
            smaller, larger = sorted((low, high), key=abs)
            sizes = f"from {self._end(abs(smaller))} to {self._end(abs(larger))}"
            if self.verdict == "shown":
                return f"Plausible differences run {sizes}{self._in_favor(larger)}."
            return f"Anything {sizes} {self._word(larger)} remains possible."
        return (
            f"From {self._end(abs(worse))} {self._word(worse)} to {self._end(abs(better))} {self._word(better)} "
            "remains possible."
        )

    def _in_favor(self, difference: float) -> str:
        """Which group a difference of that sign favors; without a direction none."""
        if not self.direction.is_known:
            return ""
        return f" in favor of {self.second if self.direction.order * difference > 0 else self.first}"

    def _word(self, difference: float) -> str:
        """What a difference of that sign is called."""
        return self.direction.verdict(difference) or ("higher" if difference > 0 else "lower")

    @property
    def _within(self) -> str:
        """That the interval lies within the band."""
        return f"The interval lies within the declared band of practical equivalence, ±{self._text(self.band or 0.0)}."

    @property
    def _disagreement(self) -> str:
        """That p and the interval disagree, as those of a rank test can; nothing where they agree."""
        is_small, excludes_0 = self.row["p_adjusted"] <= self.alpha, self.verdict in ("shown", "less than matters")
        if is_small == excludes_0:
            return ""
        level = f"{self.alpha:g}".removeprefix("0")
        return f" The test disagrees: p is {f'at most {level}, and the interval includes 0' if is_small else f'above {level}'}."

    def _text(self, value: float) -> str:
        return value_text(self.row["measure"], value)

    def _end(self, end: float) -> str:
        return end_text(self.row["measure"], end, of_difference=True)


def difference_of(of: Material, found: Comparison, row: Mapping[str, Any]) -> Difference:
    """Return a row of a comparison as its sentence needs it."""
    measure = row["measure"]
    return Difference(
        row=row,
        first=of.named(row["a"]),
        second=of.named(row["b"]),
        direction=found.direction(measure),
        band=found.equivalence.get(measure),
        alpha=found.alpha,
        units=", ".join([units_of(dict(row), found.population), *topics_of(of, found)]),
        adjustment=adjustment_text(dict(row), found.estimand, found.population),
    )


def topics_of(of: Material, found: Comparison) -> list[str]:
    """How many topics were searched, where the claim is about users; nothing where that is unknown."""
    if found.population != "users" or of.topic_means is None:
        return []
    return [counted(of.topic_means.drop_nulls("value")["topic_id"].n_unique(), "topic")]


def about_measure(of: Material) -> str:
    """What the primary measure means, which values are better, and who declared it."""
    measure = of.primary
    better = (
        f"; {words}" if (words := of.direction().words) else "; neither higher nor lower values are declared better"
    )
    declared = {
        "study.toml": "It is the declared primary measure.",
        "report": "It was chosen as the primary measure when this report was made.",
        None: "No primary measure was declared, so it stands first by default"
        f"{'' if of.comparison is None else ' and a difference in it is exploratory'}.",
    }[of.declared]
    return f"{measure}: {measure.in_words}{better}. {declared}"


def tested_rows(found: Comparison) -> pl.DataFrame:
    """The rows of a comparison that were tested, with ``why`` no verdict may be given."""
    return found.with_reasons.filter(pl.col("p_adjusted").is_not_null())


def headline(of: Material, found: Comparison) -> str:
    """What the primary measure has shown: a verdict on one pair, or which of several groups differ."""
    tested = tested_rows(found)
    if tested.is_empty():
        notes = [note.removeprefix(f"{of.primary}: ") for note in found.notes]
        why = "; ".join(note for note in notes if not note.startswith("left out ")) or found.claim
        return f"Nothing could be tested by {of.primary}: {why}."
    if len(found.table) > 1:
        return _of_many(of, found, tested)
    return difference_of(of, found, tested.row(0, named=True)).sentence("" if of.declared else EXPLORATORY)


def _of_many(of: Material, found: Comparison, tested: pl.DataFrame) -> str:
    """Which group of three or more has the best mean, and how many pairs are shown to differ."""
    means = of.best_first(found)
    best = means.row(0, named=True)
    measure, level = str(of.primary), level_text(found.alpha)
    interval = [f"{level} CI {interval_text(measure, best['low'], best['high'])}"] if best["low"] is not None else []
    numbers = ", ".join([*interval, counted(best["units"], found.population.removesuffix("s"))])
    leader = best[found.by]
    best_mean = f"{of.direction().first} mean {of.primary} of {len(means)} groups, {value_text(measure, best['mean'])}"
    leads = f"{of.named(leader)} has the {best_mean} ({numbers})"
    decided = tested.filter(pl.col("why").is_null())
    if decided.is_empty():
        return f"{tested.item(0, 'why')}. {leads}."
    few = len(tested) - len(decided)
    withheld = (
        f" No verdict is given on {few:,} of {counted(len(tested), 'pair')}, whose units are too few." if few else ""
    )
    shown, pairs = found.shown, counted(len(decided), "pair")
    threshold = f"{found.alpha:g}".removeprefix("0")
    if shown.is_empty():
        return (
            f"No difference among {len(means)} groups is shown: no p of {pairs} is at most {threshold}"
            f"{found.family.told}. {leads}.{withheld}"
        )
    prefix = "" if of.declared else EXPLORATORY
    adjusted = f", {ADJUSTED}" if ADJUSTED in found.estimand and any(map(is_adjusted, decided.to_dicts())) else ""
    of_leader = len(shown.filter((pl.col("a") == leader) | (pl.col("b") == leader)))
    others = f" and is shown to differ from {of_leader:,} of the {len(means) - 1:,} others" if of.declared else ""
    differ = f"{len(shown):,} of {pairs} are shown to differ{adjusted}"
    return f"{prefix}{leads}{others}; {differ} (p at most {threshold}{found.family.told}).{withheld}"
