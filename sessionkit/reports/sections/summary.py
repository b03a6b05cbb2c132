"""What was found: the primary measure in one sentence, how surely, on what it rests, and what could overturn it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.compare.messages import ADJUSTED, is_adjusted, opposite_text, side_of, units_of
from sessionkit.analysis.groups import EVERYONE
from sessionkit.analysis.phrases import level_text
from sessionkit.analysis.record_accounts import heavy_losses
from sessionkit.analysis.verdict import is_shown
from sessionkit.charts.kinds.differences import differences
from sessionkit.charts.kinds.group_means import group_means
from sessionkit.display.numbers import MINUS, compact, p_text, share_text
from sessionkit.display.words import capital, counted, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.figures.scores import distribution, slopes_of
from sessionkit.reports.material import ALPHA, LARGE, Material
from sessionkit.reports.parts import FigureRow, Part, Tile, Tiles, Words
from sessionkit.reports.phrases import sides
from sessionkit.reports.sections.measures import measures, spread
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.single_session import account
from sessionkit.reports.sections.topics import topic_leads
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.study.resultless_queries import MissingLists, differing_shares, shares_by_group
from sessionkit.study.session_counts import sessions_with

NAMED = 4
"""Measures, pairs or groups that a sentence names; of more it says how many there are."""
EARLIER = " (of the queries before the last)"
VERDICTS = {
    "higher": "scores higher",
    "lower": "does better, with lower values,",
    "unknown": "has higher values",
}
"""What the group does that stands first by the measure's direction."""
EARLY = "nsDCG is a mean over queries in which early queries weigh more."


@section("summary", "What was found", details=(measures, spread))
def summary(of: Material) -> list[Part]:
    """One sentence on the primary measure, what belongs to it, and one figure."""
    losses = [Words(tuple(f"{capital(loss)}. Data quality says why." for loss in heavy_losses(of.study)))]
    lost: list[Part] = [*losses] if losses[0].paragraphs else []
    if of.valueless is not None:
        about = "what the person did" if of.study.facts.sessions == 1 else "how people searched"
        return [Words((of.valueless, f"This page is about {about}."), lead=True), *lost, _sizes(of)]
    found = of.comparison
    if found is None:
        lead, *rest = _alone(of)
        return [lead, _sizes(of), *rest, *_few_missing_lists(of), *lost, *_distribution(of)]
    return [
        of.led(headline(of, found)),
        _tiles(of, found),
        Words(tuple(of.redaction.note(one) for one in _rest(of, found))),
        *_few_missing_lists(of),
        *lost,
        *_figures(of, found),
    ]


def headline(of: Material, found: Comparison) -> list[str]:
    """What the primary measure has shown, with estimate, interval, p and n; a verdict only where it was declared."""
    measure, rows = str(of.primary), found.with_reasons
    tested = rows.filter(pl.col("p_adjusted").is_not_null())
    about = {
        "study.toml": f"By {measure}, the primary measure,",
        "report": f"By {measure}, which was chosen as the primary measure when this report was made,",
        None: f"No primary measure was declared; {measure} is shown:",
    }[of.declared]
    if tested.is_empty():
        notes = [note.removeprefix(f"{measure}: ") for note in found.notes]
        why = "; ".join(note for note in notes if not note.startswith("left out ")) or found.claim
        return [f"{about} nothing could be tested: {why}."]
    if len(rows) > 1:
        return [f"{about} {_of_many(of, found, tested)}"]
    row = tested.row(0, named=True)
    numbers = f"{row['b']} {MINUS} {row['a']} is {_numbers(row, found)}"
    turned = opposite_text(row, adjusted=ADJUSTED in found.estimand)
    if row["why"] is not None:
        return [f"{about} {numbers}.{turned} {row['why']}."]
    if of.declared is None:
        return [f"{about} {numbers}.{turned}"]
    if row["p_adjusted"] > found.alpha:
        ends = "" if row["low"] is None and row["high"] is None else " The interval includes 0."
        return [f"{about} the data do not decide between {row['a']} and {row['b']}: {numbers}.{ends}{turned}"]
    first, second = _ordered(row, of.direction())
    return [f"{about} {first} {VERDICTS[of.direction().better]} than {second}: {numbers}.{turned}"]


def _numbers(row: dict[str, Any], found: Comparison) -> str:
    """The estimate, its interval, p and n."""
    sign = "+" if row["estimate"] > 0 else ""
    low, high = (None if row[end] is None else compact(row[end]) for end in ("low", "high"))
    level = level_text(found.alpha)
    between = f"{low} to {high}" if low and high else f"from {low} up" if low else f"up to {high}"
    interval = f"{level} interval {between}" if low or high else f"too few {found.population} for a {level} interval"
    adjusted = f", {ADJUSTED}" if ADJUSTED in found.estimand and is_adjusted(row) else ""
    return f"{sign}{compact(row['estimate'])}{adjusted} ({interval}; {p_text(row['p_adjusted'])}; {units_of(row, found.population)})"


def _ordered(row: dict[str, Any], direction: MeasureDirection) -> tuple[str, str]:
    """The group that does better, or without a direction has the higher values, and the other."""
    return (row["b"], row["a"]) if direction.order * side_of(row) > 0 else (row["a"], row["b"])


def _of_many(of: Material, found: Comparison, tested: pl.DataFrame) -> str:
    """What a comparison of three groups or more has shown."""
    means = of.best_first(found)
    best = means.row(0, named=True)
    between = (
        f"{level_text(found.alpha)} interval {compact(best['low'])} to {compact(best['high'])}"
        if best["low"] is not None
        else ""
    )
    units = counted(best["units"], found.population.removesuffix("s"))
    leader = best[found.by]
    told = (
        f"{of.named(leader)} has the {of.direction().first} mean of {len(means)} groups, {compact(best['mean'])} "
        f"({units}{between and ', '}{between})"
    )
    decided = tested.filter(pl.col("why").is_null())
    if decided.is_empty():
        return f"{told}. {tested.item(0, 'why')}."
    if len(decided) < len(tested):
        told += f"; no verdict is given on {len(tested) - len(decided):,} of {counted(len(tested), 'pair')}, whose units are too few"
        tested = decided
    shown = tested.filter(pl.col("p_adjusted") <= found.alpha)
    if shown.is_empty():
        return f"none of {counted(len(tested), 'pair')} of groups is shown to differ (p above {found.alpha:g}{found.family.told}); {told}."
    differ = f"{len(shown):,} of {counted(len(tested), 'pair')} are shown to differ (p at most {found.alpha:g}{found.family.told})"
    if of.declared is None:
        return f"{told}; {differ}."
    of_best = shown.filter((pl.col("a") == leader) | (pl.col("b") == leader))
    return f"{told}; it is shown to differ from {len(of_best):,} of the {len(means) - 1:,} others; {differ}."


def _rest(of: Material, found: Comparison) -> list[str]:
    """What was left out, and what the other measures say, a family of their own."""
    told = (
        [
            f"Left out: {', '.join(f'{what} ({count:,})' for what, count in found.dropped.select('what', 'count').rows())}."
        ]
        if len(found.dropped)
        else []
    )
    others = of.others
    told += [f"{measure} is not compared: {_briefly(measure, reason)}." for measure, reason in of.not_compared.items()]
    if others is None:
        return [" ".join(told)] if told else []
    rows = others.with_reasons
    tested = rows.filter(pl.col("p_adjusted").is_not_null())
    untested = set(others.table["measure"]) - set(tested["measure"])
    reasons = {
        measure: note for note in reversed(others.notes) for measure in untested if note.startswith(f"{measure}: ")
    }
    told += [f"{measure} is not tested: {_briefly(measure, reason)}." for measure, reason in sorted(reasons.items())]
    shown, open_ = tested.filter(is_shown(others.alpha)), tested.filter(~is_shown(others.alpha))
    if tested.is_empty():
        return [" ".join(told)] if told else []
    many = tested["measure"].n_unique()
    told.append(f"Of {counted(many, 'other measure')}{_corrected_together(others)}, {_decided(of, shown, open_)}.")
    few = tested.drop_nulls("why").unique("measure", keep="first", maintain_order=True)
    told += [f"{measure}: {why}." for measure, why in few.select("measure", "why").rows()]
    return [" ".join(told)]


def _briefly(measure: str, reason: str) -> str:
    """Why a measure is not compared, without what to do about it."""
    return re.split("[:;]", reason.removeprefix(f"{measure}: "))[0]


def _corrected_together(found: Comparison) -> str:
    """How p-values of several comparisons were corrected; nothing of one."""
    return f", corrected together ({found.family.told.strip() or 'not corrected'})" if found.family.number > 1 else ""


def _decided(of: Material, shown: pl.DataFrame, open_: pl.DataFrame) -> str:
    """Which measures differ, and which are undecided."""
    if max(len(shown), len(open_)) and (pl.concat([shown, open_]).select("a", "b").n_unique() > 1):
        return f"{len(shown):,} of {counted(len(shown) + len(open_), 'comparison')} show a difference"
    directions = {str(measure): of.direction(measure) for measure in of.measures}
    favored: dict[str, list[str]] = {}
    higher: dict[str, list[str]] = {}
    for row in shown.iter_rows(named=True):
        direction = directions[row["measure"]]
        groups = favored if direction.is_known else higher
        groups.setdefault(_ordered(row, direction)[0], []).append(row["measure"])
    if open_.is_empty() and len(favored) == 1 and not higher and len(shown) > 1:
        return f"all favor {next(iter(favored))}"
    told = [
        f"{listed(names[:NAMED])}{_more(names)} {'favor' if len(names) > 1 else 'favors'} {group}"
        for group, names in favored.items()
    ]
    told += [
        f"{listed(names[:NAMED])}{_more(names)} {'are' if len(names) > 1 else 'is'} higher with {group}"
        for group, names in higher.items()
    ]
    names = open_["measure"].to_list()
    if names:
        told.append(f"{listed(names[:NAMED])}{_more(names)} {'are' if len(names) > 1 else 'is'} undecided")
    return "; ".join(told)


def _more(names: list[str]) -> str:
    """How many are not named."""
    return f" and {len(names) - NAMED} more" if len(names) > NAMED else ""


def _whom(found: Comparison) -> str:
    """Whom a claim is about; how many it rests on stands with each."""
    _, comma, rest = found.claim.partition(", ")
    return f"{found.population} like these{comma}{rest}"


def _tiles(of: Material, found: Comparison) -> Tiles:
    """What is judged and could overturn the result, the design, who scores higher."""
    claim = f" The claim is about {_whom(found)}." if found.family.number else ""
    fact = capital(found.design.partition(":")[0].partition(",")[0])
    design = Tile("Design", fact, f"{capital(found.test)}.{claim}")
    tiles = [*_judged(of), *_missing_lists(of), design, *_wins(of, found)]
    return Tiles(tuple(Tile(*(of.redaction.note(text) for text in (one.about, one.fact, one.more))) for one in tiles))


def _wins(of: Material, found: Comparison) -> list[Tile]:
    """Units that score higher with the second group; of several groups the topics that each leads."""
    if len(found.table) > 1:
        return _leads(of, found)
    rows = found.table.filter(pl.col("p_adjusted").is_not_null())
    if rows.is_empty():
        return []
    row = rows.row(0, named=True)
    if row["wins"] is None:
        return _topic_wins(of, found)
    higher, lower, equal = row["wins"], row["losses"], row["ties"]
    more = f"{row['a']} higher for {lower:,}, equal for {equal:,}"
    more += "; adjusted for topics" if ADJUSTED in found.estimand else ""
    many = higher + lower + equal
    return [Tile(f"{capital(found.population)} scoring higher with {row['b']}", f"{higher:,} of {many:,}", more)]


def _leads(of: Material, found: Comparison) -> list[Tile]:
    """On how many topics the group of the best mean, and each other, has the best mean of the topic."""
    leads = topic_leads(of)
    if leads is None:
        return []
    first = of.named(of.best_first(found)[found.by][0])
    counts = {of.named(group): many for group, many in leads.select("group", "topics").rows()}
    most = counts.pop(first, 0)
    more = ", ".join(f"{group} on {many:,}" for group, many in counts.items())
    more = more if len(counts) <= NAMED else f"another group on {sum(counts.values()):,}"
    equal = int(leads["equal"].max() or 0)  # type: ignore[arg-type]
    more += f"; {counted(equal, 'topic')} with several" if equal else ""
    known = of.topic_means["topic_id"].n_unique() if of.topic_means is not None else 0
    without = known - leads.item(0, "of")
    more += f"; {counted(without, 'topic')} with a mean of fewer than two groups left out" if without else ""
    return [
        Tile(
            f"Topics on which {first} has the {of.direction().first} mean", f"{most:,} of {leads.item(0, 'of'):,}", more
        )
    ]


def _topic_wins(of: Material, found: Comparison) -> list[Tile]:
    """Topics on which the second group has the higher mean, where users have met one group each."""
    means = of.by_topic
    if means is None:
        return []
    known = means["difference"].drop_nulls()
    higher, lower = int((known > 0).sum()), int((known < 0).sum())
    more = f"{found.table.item(0, 'a')} higher on {lower:,}, equal on {len(known) - higher - lower:,}"
    return [Tile(f"Topics with higher means of {found.table.item(0, 'b')}", f"{higher:,} of {len(known):,}", more)]


def _judged(of: Material) -> list[Tile]:
    """What share of what was shown is judged, and whether unjudged documents could turn the primary difference."""
    if of.large:
        known = of.scores.filter(pl.col("measure") == str(of.primary)).drop_nulls("judged")["judged"].to_list()
        if not known:
            return []
        more = f"Bounds are not computed for more than {LARGE:,} sessions."
        cutoff = of.primary.inner.cutoff
        about = f"Judged of the first {cutoff} results of each list" if cutoff else "Judged of all results shown"
        return [Tile(f"{about}, by group" if len(known) > 1 else about, _range(known), more)]
    if of.judged is None or not of.study.facts.judgments:
        return []
    shares, reading = of.judged
    whole = shares.filter(pl.col("rank").is_null() & pl.col("query_position").is_null())
    results, judged = int(whole["results"].sum()), int(whole["judged"].sum())
    depth = reading.partition("within rank ")[2].partition(" ")[0]
    about = f"Judged of the first {depth} results of each list" if depth else "Judged of all results shown"
    more = f"{judged:,} of {counted(results, 'result')}"
    if 1 < len(whole) <= NAMED and judged < results:
        more += f" ({', '.join(f'{group} {_share(share)}' for group, share in whole.select('group', 'share').rows())})"
    elif len(whole) > NAMED and judged < results:
        more += f" ({_range(whole['share'].drop_nulls().to_list())}, by group)"
    turn = "Every result is judged." if judged == results else _overturned(of)
    return [Tile(about, share_text(judged / results) if results else "none", " ".join([f"{more}.", turn]).rstrip())]


def _missing_lists(of: Material) -> list[Tile]:
    """What share of the queries has no result rows and what that does to the numbers, where there are many."""
    missing_lists = MissingLists.of(of.study.facts)
    if not missing_lists.are_frequent:
        return []
    groups = sessions_with(of.study, [of.compared_by]).select(
        "session_id", group=pl.col(of.compared_by).cast(pl.String)
    )
    shares = [(of.named(group), share) for group, share in shares_by_group(of.study, groups)]
    by_group = differing_shares(shares)
    more = (
        f"{missing_lists.missing:,} of {counted(missing_lists.queries, 'query')}{f' ({by_group})' if by_group else ''}"
    )
    return [Tile("Queries without results", share_text(missing_lists.share), f"{more}: {missing_lists.effect}.")]


def _few_missing_lists(of: Material) -> list[Words]:
    """Say what queries without result rows do to the numbers, where they are too few for a tile."""
    missing_lists = MissingLists.of(of.study.facts)
    if missing_lists.are_frequent or not missing_lists.missing or not missing_lists.results:
        return []
    n_missing, n_queries = missing_lists.missing, counted(missing_lists.queries, "query")
    return [
        Words(
            (f"{n_missing:,} of {n_queries} {'has' if n_missing == 1 else 'have'} no results: {missing_lists.effect}.",)
        )
    ]


def _share(share: float | None) -> str:
    """A share of results, or that there are none to have it."""
    return "without results" if share is None else share_text(share)


def _range(shares: list[float]) -> str:
    """The least and the greatest of some shares."""
    low, high = share_text(min(shares)), share_text(max(shares))
    return low if low == high else f"{low} to {high}"


def _overturned(of: Material) -> str:
    """Whether unjudged documents could turn the sign of the primary difference."""
    found = of.comparison
    if found is None:
        return ""
    if isinstance(of.incompleteness, Exception):
        return "What unjudged documents could change is not known."
    rows = of.incompleteness.differences.filter(pl.col("measure") == str(of.primary), pl.col("lower").is_not_null())
    if rows.is_empty():
        return f"No bounds of {of.primary} are known."
    turned = rows.filter(~pl.col("holds"), pl.col("lower") < pl.col("upper"))
    if len(found.table) > 1:
        return f"Unjudged documents could reverse {len(turned):,} of {counted(len(rows), 'difference')}."
    if turned.is_empty():
        return "Unjudged documents cannot reverse the difference."
    row = turned.row(0, named=True)
    if row["overturned_by"] is not None:
        few = f"{row['overturned_by']:,} of {counted(row['open_documents'], 'unjudged document')}"
        return f"{few}, all of the best grade, would reverse the difference."
    return (
        f"Unjudged documents could reverse the difference (bounds {compact(row['lower'])} to {compact(row['upper'])})."
    )


def _figures(of: Material, found: Comparison) -> list[Part]:
    """Of two groups a forest of all measures; of more the means of the primary measure, where any were tested."""
    if len(found.table) > 1:
        return [_means(of, found)] if found.table["p_adjusted"].count() else []
    drawn = [_forest(of, found)]
    with suppress(UsageError):  # no unit met both groups, or there are too many to draw
        drawn.append(slopes_of(found, of.study, of.choices))
    return [FigureRow(tuple(drawn))]


def _forest(of: Material, found: Comparison) -> Figure:
    """The difference by every measure, with its interval, in standard deviations of sessions."""
    title = "Differences and their intervals"
    compared = [one for one in (found, of.others) if one is not None]
    directions = {measure: better for one in compared for measure, better in one.directions.items()}
    whole = replace(
        found,
        table=pl.concat([one.table for one in compared]),
        no_verdict=pl.concat([one.no_verdict for one in compared]),
        directions=directions,
    )
    try:
        chart = differences(without_condition(whole), synthetic=of.study.settings.synthetic, title=title)
    except UsageError as error:
        return Figure("differences", title, None, f"Not drawn: {error}.")
    others = (
        f" Intervals of the other measures hold together ({of.others.family.told.strip() or 'not corrected'})."
        if of.others is not None and of.others.family.number > 1
        else ""
    )
    early = f" {EARLY}" if of.primary.name == "nsDCG" else ""
    caption = (
        f"Differences in standard deviations of sessions within groups, with {level_text(found.alpha)} intervals; raw values "
        f"in numbers. {sides(found)}{others}{early}"
    )
    return Figure("differences", title, chart, caption)


def _means(of: Material, found: Comparison) -> Figure:
    """Each group's mean of the primary measure."""
    title = f"Means of {of.primary}"
    try:
        chart = group_means(_with_names(of, found), str(of.primary), synthetic=of.study.settings.synthetic, title=title)
    except UsageError as error:
        return Figure("group-means", title, None, f"Not drawn: {error}.")
    early = f" {EARLY}" if of.primary.name == "nsDCG" else ""
    caption = (
        f"Mean of each group over its sessions; intervals ({level_text(found.alpha)}, over {found.population}) are of each mean "
        f"alone. Groups that share a letter are not shown to differ ({found.test}{found.family.told}).{early}"
    )
    return Figure("group-means", title, chart, caption)


def _with_names(of: Material, found: Comparison) -> Comparison:
    """The comparison with groups that are called by numbers alone under the name of their column too."""
    names = {group: of.named(group) for group in found.groups[found.by].unique().to_list()}
    return replace(
        found,
        groups=found.groups.with_columns(pl.col(found.by).replace(names)),
        table=found.table.with_columns(pl.col("a", "b").replace(names)),
        no_verdict=found.no_verdict.with_columns(pl.col("a", "b").replace(names)),
    )


def _sizes(of: Material) -> Tiles:
    """How much there is in a session and a list, and how much of it is judged."""
    facts = of.study.facts
    judged = _judged(of) or [Tile("Judgments", f"{facts.judgments:,}" if facts.judgments else "none", "")]
    logged = facts.queries - facts.not_logged
    tiles = [Tile("Queries per session", f"{facts.queries / facts.sessions:.2f}", "")] if facts.sessions > 1 else []
    tiles += [Tile("Results per logged list", f"{facts.results / logged:,.2f}", "")] if logged > 1 else []
    return Tiles((*judged, *_missing_lists(of), *tiles))


def _distribution(of: Material) -> list[Part]:
    """How the scores of sessions lie in each group, where the study is not too large to draw and has several sessions."""
    if of.large or of.study.facts.sessions < 2:
        return []
    try:
        return [distribution(of.study, of.highlighting, "mean" if of.many else "group")]
    except (DataError, MeasureError, UsageError):
        return []


def _alone(of: Material) -> list[Words]:
    """The means with their intervals, then why nothing is compared."""
    of_groups = [name for name in of.scores.columns if name not in ("measure", "value", "n", "undefined", "judged")]
    sessions = of.study.facts.sessions
    if sessions == 1:
        return _of_one_session(of)
    scores = of.redaction.frame(of.scores_with_intervals, of.study)
    rows = scores.filter(pl.col("measure") == str(of.primary))
    declared = "" if of.declared else f"No primary measure was declared; {of.primary} is shown. "
    if any(of.scores[name].n_unique() > 1 for name in of_groups):
        many = len(rows) > NAMED
        if many:
            rows = rows.drop_nulls("value").sort("value", maintain_order=True)
            rows = pl.concat([rows.head(1), rows.tail(1)]) if len(rows) > 1 else rows
        told = []
        for row in rows.iter_rows(named=True):
            group = ", ".join(str(row[name]) for name in of_groups if row[name] is not None)
            n = f"n = {row['n']:,}"
            told.append(f"{group or 'the others'} {_mean(row, of, n)}")
        what = f"Means of {of.primary}"
        lead = f"{declared}{what} run from {' to '.join(told)}." if many else f"{declared}{what}: {listed(told)}."
        told = [f"The groups are not compared: {of.refusal}."]
        told += [] if of.too_many is None else [f"Note: {of.too_many}."]
        return [of.led([lead]), *map(of.paragraph, told)]
    group = next(iter(of.choices.colors))
    whose = f"{counted(sessions, 'session')}{'' if group == EVERYONE else f' of {group}'}"
    first, *others = [
        f"{_spoken(row['measure'])} is {_mean(row, of, counted(row['n'], 'session') if 0 < row['n'] < sessions else '')}"
        for row in scores.sort(pl.col("measure") != str(of.primary), maintain_order=True).iter_rows(named=True)
    ]
    why = "the log names no system" if group == EVERYONE else f"there is one {of.choices.legend.lower()}"
    return [
        of.led([f"{declared}On average over {whose}, {first}."]),
        *([of.paragraph(f"By the other measures, {listed(others)}.")] if others else []),
        of.paragraph(f"Nothing is compared, since {why}."),
    ]


def _of_one_session(of: Material) -> list[Words]:
    """The values of the one session, and what the person did in it."""
    group = next(iter(of.choices.colors))
    values = [
        f"{_spoken(measure)} is {_told(value)}"
        for measure, value in of.scores.sort(pl.col("measure") != str(of.primary), maintain_order=True)
        .select("measure", "value")
        .rows()
    ]
    where = f"In the one session{'' if group == EVERYONE else f', of {group}'}"
    return [of.led([f"{where}, {listed(values)}."]), of.paragraph(account(of))]


def _mean(row: dict[str, Any], of: Material, n: str) -> str:
    """A mean in words, with its interval, over how many units that is, and how many sessions."""
    beside = [n] if n else []
    if row["low"] is not None:
        over = [] if of.population == "sessions" else [counted(row["units"], of.population.removesuffix("s"))]
        beside = [f"{level_text(ALPHA)} interval {compact(row['low'])} to {compact(row['high'])}", *over, *beside]
    return _told(row["value"]) + (f" ({'; '.join(beside)})" if beside else "")


def _spoken(measure: str) -> str:
    """A measure by its name, and of the queries before the last what that means."""
    return f"{measure}{EARLIER if measure.startswith('nonlast(') else ''}"


def _told(value: float | None) -> str:
    """A mean in words."""
    return "undefined" if value is None else compact(value)
