"""Three answers below the verdict: what was found, how sure, and what could overturn it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.compare.messages import ADJUSTED, side_of, units_of
from sessionkit.analysis.judged_share import depth_of
from sessionkit.analysis.verdict import disagrees, is_shown
from sessionkit.display.numbers import share_text
from sessionkit.display.words import capital, counted, listed
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Tile, Tiles
from sessionkit.reports.sections.headline import EXPLORATORY, difference_of, tested_rows, topics_of
from sessionkit.reports.sections.topics import topic_leads
from sessionkit.scoring.measures.words import limits_of, value_text
from sessionkit.study.resultless_queries import MissingLists, differing_shares, shares_by_group
from sessionkit.study.session_counts import sessions_with

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
    design = capital(found.design.partition(":")[0].partition(",")[0])
    sentences = [f"{design}; {found.test}."]
    if size := detectable_text(found, measure):
        sentences.append(f"{capital(size)} would be detected with a chance of 80%.")
    if found.family.number:
        _, comma, rest = found.claim.partition(", ")
        sentences.append(f"The claim is about {found.population} like these{comma}{rest}.")
    if len(found.dropped):
        dropped = ", ".join(f"{what} ({count:,})" for what, count in found.dropped.select("what", "count").rows())
        sentences.append(f"Left out: {dropped}.")
    return sentences


def detectable_text(found: Comparison, measure: str) -> str:
    """Which true difference would be detected, by pair where there are several; empty where that is not known.

    A difference that the measure cannot have is not named: with few units none that is possible would be detected.
    """
    sizes = found.table.filter(measure=measure)["detectable"].drop_nulls().to_list()
    if not sizes:
        return ""
    largest = limits_of(measure, of_difference=True)[1]
    possible = [size for size in sizes if size <= largest]
    if not possible:
        return f"no possible difference in {measure}"
    least, most = (value_text(measure, end(possible)) for end in (min, max))
    size = least if least == most else f"{least} to {most}"
    by_pair = "" if least == most else ", by pair,"
    where = "" if len(possible) == len(sizes) else f"in {len(possible):,} of {counted(len(sizes), 'pair')} "
    return f"{where}a true difference of {size} in {measure}{by_pair}"


def others_in_words(of: Material) -> list[str]:
    """What the other measures say, a family of their own, and which cannot be compared."""
    others = of.others
    sentences = [
        f"{measure} is not compared: {_briefly(measure, reason)}." for measure, reason in of.not_compared.items()
    ]
    if others is None:
        return sentences
    rows = others.with_reasons
    tested = rows.filter(pl.col("p_adjusted").is_not_null())
    untested = set(others.table["measure"]) - set(tested["measure"])
    reasons = {
        measure: note for note in reversed(others.notes) for measure in untested if note.startswith(f"{measure}: ")
    }
    sentences += [
        f"{measure} is not tested: {_briefly(measure, reason)}." for measure, reason in sorted(reasons.items())
    ]
    if tested.is_empty():
        return sentences
    n_measures = counted(tested["measure"].n_unique(), "other measure")
    return [*sentences, f"Of {n_measures}{corrected_together(others)}, {_decided(of, others, tested)}."]


def _briefly(measure: str, reason: str) -> str:
    """Why a measure is not compared, without what to do about it."""
    return re.split("[:;]", reason.removeprefix(f"{measure}: "))[0]


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
        f"{measure} has no verdict ({why.removeprefix('No verdict: ').partition('. ')[0]})"
        for measure, why in without_verdict.select("measure", "why").rows()
    ]
    return "; ".join(clauses)


def _favors(of: Material, found: Comparison, shown: pl.DataFrame) -> list[str]:
    """Which measures favor which group; those without a direction are higher with one."""
    favored: dict[str, list[str]] = {}
    higher: dict[str, list[str]] = {}
    for row in shown.iter_rows(named=True):
        direction = found.direction(row["measure"])
        groups = favored if direction.is_known else higher
        ahead = row["b"] if direction.order * side_of(row) > 0 else row["a"]
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
    adjusted = ", adjusted for topics" if ADJUSTED in found.estimand else ""
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
    first, second = (higher, lower) if direction.order > 0 else (lower, higher)
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
