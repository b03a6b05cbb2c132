"""The verdict on the primary measure, the forest of differences, and three answers: what was found, how sure, what could overturn it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import polars as pl

from sessionkit.charts.kinds.differences import differences
from sessionkit.display.numbers import capital, counted, level_text, listed, p_statistic, share_text
from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.parts import Tile, Tiles
from sessionkit.reports.report_data import LARGE, Material
from sessionkit.reports.sections.topics import topic_leads
from sessionkit.robustness.bounds import depth_of
from sessionkit.scoring.measures.describe import end_text, measure_interval_text, value_text
from sessionkit.scoring.measures.direction import MeasureDirection, side_of_zero
from sessionkit.statistics.comparison import Comparison
from sessionkit.statistics.comparison_statements import (
    ADJUSTED,
    Claim,
    adjustment_text,
    is_adjusted,
    opposite_text,
    side_of,
    units_of,
)
from sessionkit.statistics.design import FORMS
from sessionkit.statistics.verdict import Verdict, disagrees, is_shown, verdict_of
from sessionkit.study.counts import MissingLists, differing_shares, sessions_with, shares_by_group

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
        difference = 1.0 if self._is_higher else -1.0
        if not self.direction.is_known:
            return f"has {side_of_zero(difference)} values"
        if self.direction.better == "higher":
            return f"scores {side_of_zero(difference)}"
        return f"does {self.direction.side(difference)}"

    @property
    def _claim(self) -> str:
        """On which side it is, whole."""
        return f"{self.second} {self._side} than {self.first}{self.direction.lower_note}"

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
        return f"{level} {measure_interval_text(self.row['measure'], low, high, of_difference=True)}"

    @property
    def _remains(self) -> str:
        """Which differences the interval leaves possible, the worse end first."""
        low, high = self.row["low"], self.row["high"]
        if low is None or high is None:
            end, open_end = (high, "lower") if low is None else (low, "upper")
            return f"Anything {'below' if low is None else 'above'} {self._end(end)} remains possible: the interval has no {open_end} end."
        worse, better = sorted((low, high), key=self.direction.merit)
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
        return f" in favor of {self.direction.ahead(difference, self.first, self.second)}"

    def _word(self, difference: float) -> str:
        """What a difference of that sign is called."""
        return self.direction.side(difference)

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
        adjustment=adjustment_text(dict(row), found.population, has_adjusted_estimates=found.has_adjusted_estimates),
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
        remarks = [remark.body for remark in found.remarks if remark.kind != "left_out"]
        why = "; ".join(remarks) or found.claim
        return f"Nothing could be tested by {of.primary}: {why}."
    if len(found.table) > 1:
        return _of_many(of, found, tested)
    return difference_of(of, found, tested.row(0, named=True)).sentence("" if of.declared else EXPLORATORY)


def _of_many(of: Material, found: Comparison, tested: pl.DataFrame) -> str:
    """Which group of three or more has the best mean, and how many pairs are shown to differ."""
    means = of.best_first(found)
    best = means.row(0, named=True)
    measure, level = str(of.primary), level_text(found.alpha)
    interval = (
        [f"{level} CI {measure_interval_text(measure, best['low'], best['high'])}"] if best["low"] is not None else []
    )
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
    adjusted = f", {ADJUSTED}" if found.has_adjusted_estimates and any(map(is_adjusted, decided.to_dicts())) else ""
    of_leader = len(shown.filter((pl.col("a") == leader) | (pl.col("b") == leader)))
    others = f" and is shown to differ from {of_leader:,} of the {len(means) - 1:,} others" if of.declared else ""
    differ = f"{len(shown):,} of {pairs} are shown to differ{adjusted}"
    return f"{prefix}{leads}{others}; {differ} (p at most {threshold}{found.family.told}).{withheld}"


WIDE = 620
"""Width of the plot of a figure that has the page to itself."""
TITLE = "Differences and their intervals"


def forest(families: Sequence[Comparison], *, synthetic: bool) -> Figure:
    """Draw the differences of two groups by every measure; measures of one family were corrected together.

    Parameters
    ----------
    families
        Comparisons of the same groups by different measures.
    synthetic
        Whether to mark the figure as made from synthetic data.
    """
    drawn = replace(
        families[0],
        table=pl.concat([family.table for family in families]),
        no_verdict=pl.concat([family.no_verdict for family in families]),
        directions={measure: better for family in families for measure, better in family.directions.items()},
        equivalence={measure: width for family in families for measure, width in family.equivalence.items()},
    )
    try:
        chart = differences(without_condition(drawn), synthetic=synthetic, title=TITLE, width=WIDE)
    except UsageError as error:
        return Figure("differences", TITLE, None, f"Not drawn: {error}.")
    together = [family for family in families if family.family.number > 1]
    others = "the other measures" if len(families) > 1 else "the measures"
    hold = "".join(f"; intervals of {others} hold together{family.family.told}" for family in together)
    caption = f"Each difference with its {level_text(drawn.alpha)} interval{hold}."
    return Figure("differences", TITLE, chart, caption)


NAMED = 4
"""Measures, pairs or groups that a sentence names; of more it says how many there are."""
FOUND, SURE, OVERTURNED = "What was found", "How sure", "What could overturn it"
"""The three questions."""


def answers(of: Material, found: Comparison) -> Tiles:
    """Answer the three questions of a comparison, each in a few words and one to three sentences."""
    tiles = [
        Tile(FOUND, _found_in_words(of, found), _joined([*_wins(of, found), *others_in_words(of)])),
        Tile(SURE, units_in_words(of, found, str(of.primary)), _joined(sureness(found, str(of.primary)))),
        overturned(of),
    ]
    return tiles_of(of, tiles)


def tiles_of(of: Material, tiles: Sequence[Tile]) -> Tiles:
    """Set answers side by side, without what must be left out."""
    return Tiles(tuple(Tile(tile.about, of.redaction.note(tile.fact), of.redaction.note(tile.more)) for tile in tiles))


def overturned(of: Material) -> Tile:
    """What missing judgments and missing lists could change."""
    fact, sentences = _judged(of)
    return Tile(OVERTURNED, fact, _joined([*sentences, *missing_lists(of)]))


def _joined(sentences: list[str]) -> str:
    return " ".join(filter(None, sentences))


def _found_in_words(of: Material, found: Comparison) -> str:
    """The verdict of one pair in a few words; of several pairs how many differ."""
    tested = tested_rows(found)
    if tested.is_empty():
        return "Nothing tested"
    if len(found.table) == 1:
        return difference_of(of, found, tested.row(0, named=True)).in_words("" if of.declared else EXPLORATORY)
    decided = tested.filter(pl.col("why").is_null())
    if decided.is_empty():
        return "No verdict"
    return f"{len(found.shown):,} of {counted(len(decided), 'pair')} shown to differ"


def units_in_words(of: Material, found: Comparison, measure: str) -> str:
    """On how much the finding rests, in a few words."""
    population = found.population
    if len(found.table) == 1:
        n_units = units_of(found.table.row(0, named=True), population)
    else:
        least, most = found.groups.filter(measure=measure).select(pl.min("units"), pl.max("units").alias("most")).row(0)
        n_units = f"{counted(most, population.removesuffix('s')) if least == most else f'{least:,} to {most:,} {population}'} by group"
    return ", ".join([n_units, *topics_of(of, found)])


def sureness(found: Comparison, measure: str) -> list[str]:
    """The design and test, which difference would be seen, whom the claim is about, what was left out."""
    (design,), (claim,) = found.of_kind("design"), found.of_kind("claim")
    designs = cast("list[dict[str, str]]", design.values["designs"])
    sentences = [f"{capital(FORMS[designs[0]['design']])}; {found.test}."]
    if size := detectable_text(found, measure):
        sentences.append(f"{capital(size)} would be detected with a chance of 80%.")
    if found.family.number:
        about = Claim.from_values(claim.values)
        sentences.append(f"The claim is about {found.population} like these{about.rest}.")
    if len(found.dropped):
        dropped = ", ".join(f"{what} ({count:,})" for what, count in found.dropped.select("what", "count").rows())
        sentences.append(f"Left out: {dropped}.")
    return sentences


def detectable_text(found: Comparison, measure: str) -> str:
    """Which true difference would be detected, by pair where there are several; empty where that is not known.

    It is said how many pairs it is known of where that is not all: with few units no difference that is possible would be detected.
    """
    sizes = found.table.filter(measure=measure)["detectable"]
    detectable = sizes.drop_nulls().to_list()
    if not detectable:
        return ""
    least, most = (value_text(measure, end(detectable)) for end in (min, max))
    size = least if least == most else f"{least} to {most}"
    by_pair = "" if least == most else ", by pair,"
    where = "" if len(detectable) == len(sizes) else f"in {len(detectable):,} of {counted(len(sizes), 'pair')} "
    return f"{where}a true difference of {size} in {measure}{by_pair}"


def others_in_words(of: Material) -> list[str]:
    """What the other measures say, a family of their own, and which cannot be compared."""
    others = of.others
    sentences = [f"{measure} is not compared: {reason}." for measure, reason in of.not_compared.items()]
    if others is None:
        return sentences
    rows = others.with_reasons
    tested = rows.filter(pl.col("p_adjusted").is_not_null())
    untested = set(others.table["measure"]) - set(tested["measure"])
    reasons = {remark.measure: remark.brief for remark in reversed(others.remarks) if remark.measure in untested}
    sentences += [f"{measure} is not tested: {reason}." for measure, reason in sorted(reasons.items())]
    if tested.is_empty():
        return sentences
    n_measures = counted(tested["measure"].n_unique(), "other measure")
    return [*sentences, f"Of {n_measures}{corrected_together(others)}, {_decided(of, others, tested)}."]


def corrected_together(found: Comparison) -> str:
    """How p-values of several comparisons were corrected; nothing of one."""
    return f" (corrected together{found.family.told})" if found.family.number > 1 else ""


def _decided(of: Material, found: Comparison, tested: pl.DataFrame) -> str:
    """Which measures differ, which are undecided, and which have no verdict."""
    shown, without_verdict = tested.filter(is_shown(found.alpha)), tested.drop_nulls("why")
    undecided = tested.filter(~is_shown(found.alpha) & pl.col("why").is_null())
    if tested.select("a", "b").n_unique() > 1:
        n_decided, n_few = len(shown) + len(undecided), len(without_verdict)
        few = f"; {n_few:,} have no verdict, as their units are too few" if n_few else ""
        return f"{len(shown):,} of {counted(n_decided, 'comparison')} show a difference{few}"
    split = tested.filter(disagrees(found.alpha))
    shown, undecided = (rows.filter(~disagrees(found.alpha)) for rows in (shown, undecided))
    clauses = _favors(of, found, shown)
    if names := undecided["measure"].to_list():
        clauses.append(f"{listed(names[:NAMED])}{_more(names)} {'are' if len(names) > 1 else 'is'} undecided")
    clauses += [f"p and interval of {measure} disagree" for measure in split["measure"]]
    clauses += [
        f"{measure} has no verdict ({shortage})"
        for measure, shortage in found.no_verdict.select("measure", "shortage").rows()
        if measure in without_verdict["measure"]
    ]
    return "; ".join(clauses)


def _favors(of: Material, found: Comparison, shown: pl.DataFrame) -> list[str]:
    """Which measures favor which group; those without a direction are higher with one."""
    favored: dict[str, list[str]] = {}
    higher: dict[str, list[str]] = {}
    for row in shown.iter_rows(named=True):
        direction = found.direction(row["measure"])
        groups = favored if direction.is_known else higher
        ahead = direction.ahead(side_of(row), row["a"], row["b"])
        groups.setdefault(of.named(ahead), []).append(row["measure"])
    return [
        *(
            f"{listed(names[:NAMED])}{_more(names)} {'favor' if len(names) > 1 else 'favors'} {group}"
            for group, names in favored.items()
        ),
        *(
            f"{listed(names[:NAMED])}{_more(names)} {'are' if len(names) > 1 else 'is'} higher with {group}"
            for group, names in higher.items()
        ),
    ]


def _more(names: list[str]) -> str:
    """How many are not named."""
    return f" and {len(names) - NAMED} more" if len(names) > NAMED else ""


def _wins(of: Material, found: Comparison) -> list[str]:
    """For how many units the second group has the higher value; of several groups on how many topics each leads."""
    if len(found.table) > 1:
        return _leads(of, found)
    rows = tested_rows(found)
    if rows.is_empty():
        return []
    row = rows.row(0, named=True)
    if row["wins"] is None:
        return _topic_wins(of, found)
    counts = [row[name] for name in ("wins", "losses", "ties")]
    adjusted = ", adjusted for topics" if found.has_adjusted_estimates else ""
    return [_more_often(of, row, counts, f"of {counted(sum(counts), found.population.removesuffix('s'))}", adjusted)]


def _topic_wins(of: Material, found: Comparison) -> list[str]:
    """On how many topics the second group has the higher mean, where users have met one group each."""
    if of.by_topic is None:
        return []
    differences = of.by_topic["difference"].drop_nulls()
    higher, lower = int((differences > 0).sum()), int((differences < 0).sum())
    counts = [higher, lower, len(differences) - higher - lower]
    return [_more_often(of, found.table.row(0, named=True), counts, f"of {counted(len(differences), 'topic')}", "")]


def _more_often(of: Material, row: dict[str, Any], counts: list[int], units: str, adjusted: str) -> str:
    """For how many units each of two groups is the better one; without a direction, the higher one."""
    higher, lower, equal = counts
    direction = of.direction()
    first, second = (higher, lower) if direction.first_side == "higher" else (lower, higher)
    word = "better" if direction.is_known else "higher"
    ties = f", equal for {equal:,}" if equal else ""
    return f"{of.named(row['b'])} is {word} for {first:,} {units}, {of.named(row['a'])} for {second:,}{ties}{adjusted}."


def _leads(of: Material, found: Comparison) -> list[str]:
    """On how many topics the group of the best mean, and each other, has the best mean of the topic."""
    leads = topic_leads(of)
    if leads is None:
        return []
    first = of.named(of.best_first(found)[found.by][0])
    counts = {of.named(group): n_topics for group, n_topics in leads.select("group", "topics").rows()}
    first_leads = counts.pop(first, 0)
    each = [f"{group} on {n_topics:,}" for group, n_topics in counts.items()]
    others = ", ".join(each) if len(each) <= NAMED else f"another group on {sum(counts.values()):,}"
    n_shared = int(leads["equal"].max() or 0)  # type: ignore[arg-type]
    n_topics = of.topic_means["topic_id"].n_unique() if of.topic_means is not None else 0
    n_left_out = n_topics - leads.item(0, "of")
    notes = [f"{counted(n_shared, 'topic')} with several"] if n_shared else []
    notes += [f"{counted(n_left_out, 'topic')} with a mean of fewer than two groups left out"] if n_left_out else []
    return [
        f"{first} has the {of.direction().first} mean on {first_leads:,} of {counted(leads.item(0, 'of'), 'topic')}; "
        f"{'; '.join([others, *notes])}."
    ]


def _judged(of: Material) -> tuple[str, list[str]]:
    """Whether unjudged documents could turn the primary difference, and what share of what was shown is judged."""
    if of.large:
        by_group = of.scores.filter(pl.col("measure") == str(of.primary)).drop_nulls("judged")["judged"].to_list()
        if not by_group:
            return "Not known", []
        cutoff = of.primary.inner.cutoff
        about = f"Of the first {cutoff} results of each list" if cutoff else "Of all results shown"
        left_out = f"What the others could change is not computed for more than {LARGE:,} sessions."
        return "Not known", [
            f"{about}, {_range(by_group)} are judged{', by group' if len(by_group) > 1 else ''}.",
            left_out,
        ]
    if of.judged is None or not of.study.facts.judgments:
        return "No judgments", []
    shares, _ = of.judged
    totals = shares.filter(pl.col("rank").is_null() & pl.col("query_position").is_null())
    n_results, n_judged = int(totals["results"].sum()), int(totals["judged"].sum())
    depth = depth_of(of.measures)
    about = f"first {depth} results of each list" if depth else "results shown"
    if n_judged == n_results:
        return "Missing judgments cannot", [f"All of the {about} are judged ({n_results:,})."]
    groups = ""
    if 1 < len(totals) <= NAMED:
        each = [f"{group} {_share(group_share)}" for group, group_share in totals.select("group", "share").rows()]
        groups = f" ({', '.join(each)})"
    elif len(totals) > NAMED:
        groups = f" ({_range(totals['share'].drop_nulls().to_list())}, by group)"
    fact, sentence = _reversal(of)
    return fact, [f"{share_text(n_judged / n_results)} of the {about} are judged{groups}.", sentence]


def missing_lists(of: Material) -> list[str]:
    """How many queries have no result rows and what that does to the numbers."""
    lists = MissingLists.of(of.study.facts)
    if not lists.missing or not lists.results:
        return []
    by_group = ""
    if lists.are_frequent:
        groups = sessions_with(of.study, [of.compared_by]).select(
            "session_id", group=pl.col(of.compared_by).cast(pl.String)
        )
        shares = [(of.named(group), share) for group, share in shares_by_group(of.study, groups)]
        by_group = f"; {text}" if (text := differing_shares(shares)) else ""
    n_missing, n_queries = lists.missing, counted(lists.queries, "query")
    share = f" ({share_text(lists.share)}{by_group})" if lists.are_frequent else ""
    counts, has = f"{n_missing:,} of {n_queries}{share}", "has" if n_missing == 1 else "have"
    if not lists.not_logged:
        return [f"{counts} returned nothing and {has} the value 0."]
    return [f"{counts} {has} no results: {lists.effect}."]


def _share(share: float | None) -> str:
    """A share of results, or that there are none to have it."""
    return "without results" if share is None else share_text(share)


def _range(shares: list[float]) -> str:
    """The least and the greatest of some shares."""
    low, high = share_text(min(shares)), share_text(max(shares))
    return low if low == high else f"{low} to {high}"


def _reversal(of: Material) -> tuple[str, str]:
    """Whether unjudged documents could turn the sign of the primary difference: in a few words, and in a sentence."""
    if of.comparison is None:
        return "Missing judgments could", ""
    if isinstance(of.incompleteness, Exception):
        return "Not known", "What unjudged documents could change is not known."
    rows = of.incompleteness.differences.filter(pl.col("measure") == str(of.primary), pl.col("lower").is_not_null())
    if rows.is_empty():
        return "Not known", f"No bounds of {of.primary} are known."
    turned = rows.filter(~pl.col("holds"), pl.col("lower") < pl.col("upper"))
    fact = "Missing judgments could" if len(turned) else "Missing judgments cannot reverse it"
    if len(of.comparison.table) > 1:
        return fact, f"Unjudged documents could reverse {len(turned):,} of {counted(len(rows), 'raw difference')}."
    if turned.is_empty():
        return fact, "Unjudged documents cannot reverse the raw difference, but could change its size and interval."
    row = turned.row(0, named=True)
    if row["overturned_by"] is not None:
        n_documents = f"{row['overturned_by']:,} of {counted(row['open_documents'], 'unjudged document')}"
        return fact, f"{n_documents}, all of the best grade, would reverse the raw difference."
    low, high = (value_text(str(of.primary), row[end]) for end in ("lower", "upper"))
    return (
        fact,
        f"Whatever unjudged documents are, the raw difference lies between {low} and {high}: its sign is not certain.",
    )
