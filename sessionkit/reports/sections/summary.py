"""The first screen: is one group better, by how much, how surely, for whom, on which topics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.compare.messages import side_of, units_of
from sessionkit.analysis.groups import EVERYONE
from sessionkit.analysis.numeric_ties import less
from sessionkit.analysis.phrases import ends, level_text
from sessionkit.analysis.record_accounts import heavy_losses
from sessionkit.charts.kinds.differences import differences
from sessionkit.display.numbers import readable
from sessionkit.display.tables import LIMIT, TextTable, table_of
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, figure
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.phrases import capital, filled
from sessionkit.reports.questions import StudyQuestion, ask
from sessionkit.reports.sections.section_kind import section
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.score import score
from sessionkit.study.query_counts import MANY, logged_queries

FEW = 12
"""Means that the first screen lists where nothing is compared."""
TOLD = 6
"""Comparisons of one kind that the first screen tells one by one; of more it says how many and by which rule."""


def means_by_topic(of: Material) -> StudyQuestion[pl.DataFrame]:
    """The first measure by group and topic."""
    return ask(score, of.study, of.measures[0], by=[of.compared_by, "topic_id"])


@section("summary", "Summary", of_all=[means_by_topic])
def summary(of: Material) -> list[Part]:
    """What was found, in words and one figure."""
    losses = heavy_losses(of.study)
    lost: list[Part] = [Words(tuple(f"Mind: {loss}; sessionkit check says why." for loss in losses))] if losses else []
    if of.valueless is not None:
        return [Words((of.valueless,), lead=True), *lost]
    found = of.comparison
    if found is None:
        return [*_alone(of), *lost]
    lead = (
        *headline(of, found),
        *_judged(of, found),
        *_longer(of, found),
        *_left_out(of, found),
        *_how_sure(of, found),
    )
    parts: list[Part] = [Words(lead, lead=True), *lost, *_figure(of, found)]
    parts.append(Words(tuple(_depends(of))))
    return [*parts, *_topics(of, found)]


def headline(of: Material, found: Comparison) -> list[str]:
    """What the measures, each corrected for all, have shown, and what they leave undecided: each with its estimate,
    interval and n.
    """
    tested = found.table.filter(pl.col("p_adjusted").is_not_null())
    if tested.is_empty():
        return [of.redaction.note(f"Nothing could be tested, for {found.claim}.")]
    shown, open_ = (
        tested.filter(one) for one in (pl.col("p_adjusted") <= found.alpha, pl.col("p_adjusted") > found.alpha)
    )
    told = []
    if len(shown) > TOLD:
        told.append(
            f"{len(shown):,} of {counted(len(tested), 'comparison')} show a difference ({_by_measure(tested, found)}). The {TOLD} "
            "with the smallest p are told here; the table Differences of the section Measures saves all."
        )
    if len(shown):
        told.append(f"{_better(of, found, shown)}, for {_whom(found)}.")
    if len(open_) > TOLD:
        told.append(
            f"The data do not decide {len(open_):,} of {counted(len(tested), 'comparison')}, for {_whom(found)}: their intervals "
            "include 0, and no difference within them is excluded. None of these is told here; the table Differences of the "
            "section Measures saves all."
        )
    elif len(open_):
        told.append(
            f"The data do not decide {listed([_open(row, found) for row in open_.iter_rows(named=True)])}: "
            f"{'each' if len(open_) > 1 else 'the'} interval includes 0, and no difference within it is excluded."
        )
    if len(shown) or len(open_) <= TOLD:
        pairs = found.table.select("a", "b").unique().rows()
        taken = f"{pairs[0][1]} less {pairs[0][0]}" if len(pairs) == 1 else "the second group less the first"
        told[-1] += (
            f" In brackets: the estimated difference ({taken}), its {_level(found)} interval, and the {found.population} that it rests on."
        )
    return [of.redaction.note(one) for one in told]


def _by_measure(tested: pl.DataFrame, found: Comparison) -> str:
    """How many comparisons of each measure show a difference."""
    shown = (pl.col("p_adjusted") <= found.alpha).sum()
    counts = tested.group_by("measure", maintain_order=True).agg(shown, many=pl.len()).rows()
    return ", ".join(f"{measure} {some:,} of {many:,}" for measure, some, many in counts)


def _first(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that are told, in the order of the table: all, or of many those with the smallest p."""
    places = rows.with_row_index("_place")
    return places.sort("p", "_place").head(TOLD).sort("_place").drop("_place")


def _better(of: Material, found: Comparison, rows: pl.DataFrame) -> str:
    """Which group is better than which other, by which measures."""
    better: dict[tuple[str, str, str], list[str]] = {}
    directions = {str(measure): measure.direction for measure in of.measures}
    for row in _first(rows).iter_rows(named=True):
        direction = directions.get(row["measure"], "higher")
        up = (side_of(row) > 0) != (direction == "lower")
        pair = (row["b"], row["a"]) if up else (row["a"], row["b"])
        how = "higher" if direction == "unknown" else "better"
        better.setdefault((*pair, how), []).append(f"{row['measure']} ({_numbers(row, found)})")
    return "; ".join(f"{one} is {how} than {other} by {listed(by)}" for (one, other, how), by in better.items())


def _open(row: dict[str, Any], found: Comparison) -> str:
    """A comparison that is not decided."""
    pair = f", {row['b']} less {row['a']}" if found.table.select("a", "b").n_unique() > 1 else ""
    return f"{row['measure']}{pair} ({_numbers(row | {'relative': None}, found)})"


def _numbers(row: dict[str, Any], found: Comparison) -> str:
    """The estimate, its interval, the share of the first group's mean where that is told, and n."""
    share = f"; {row['relative']:+.0%} of the mean of {row['a']}" if row["relative"] is not None else ""
    return f"{readable(row['estimate'])}, {ends(row['low'], row['high'])}{share}; {units_of(row, found.population)}"


def _level(found: Comparison) -> str:
    """The level of the intervals, and whether it is that of all together."""
    together = found.interval_rate < found.alpha and found.correction in ("holm", "bonferroni")
    return f"{'simultaneous ' if together else ''}{level_text(found.alpha)}"


def _whom(found: Comparison) -> str:
    """Whom a claim is about; how many it rests on stands with each."""
    _, comma, rest = found.claim.partition(", ")
    return f"{found.population} like these{comma}{rest}"


def _left_out(of: Material, found: Comparison) -> list[str]:
    """What each comparison leaves out and why, measures that leave out the same together."""
    alike: dict[str, list[str]] = {}
    for (measure, *_), rows in found.dropped.group_by("measure", maintain_order=True):
        what = ", ".join(f"{what} ({count:,})" for what, count in rows.select("what", "count").iter_rows())
        alike.setdefault(what, []).append(str(measure))
    return [of.redaction.note(f"Left out of {listed(measures)}: {what}.") for what, measures in alike.items()]


def _judged(of: Material, found: Comparison) -> list[str]:
    """What share of what was shown is judged, and whether unjudged documents could turn what was found."""
    if of.large:
        more = f"how far unjudged documents could move differences is not worked out for more than {LARGE:,} sessions"
        return [*_judged_of_groups(of, found), f"{capital(more)}: sessionkit bounds says it."]
    if of.judged is None:
        return []
    share = of.judged[1].split("\n")[0]
    if (of.judged[0]["share"] == 1).all():
        return [of.redaction.note(share)]
    if isinstance(of.incompleteness, Exception):
        return [
            of.redaction.note(f"{share} How far the rest could move differences is not known: {of.incompleteness}.")
        ]
    rows = of.incompleteness.differences
    bounded = rows.filter(pl.col("lower").is_not_null())
    turn, hold = bounded.filter(~pl.col("holds")), bounded.filter("holds")
    without = rows.filter(pl.col("lower").is_null())["measure"].unique(maintain_order=True).to_list()
    told = [share]
    if len(turn):
        told.append(f"Unjudged documents could turn the order of the raw means {_bounded(turn, bounded)}.")
    if len(hold):
        told.append(f"The order of the raw means holds, whatever unjudged documents are, {_bounded(hold, bounded)}.")
    safe = bounded.filter(bound="safe")["measure"].unique(maintain_order=True).to_list()
    if safe:
        told.append(f"The bounds of {listed(safe)} are safe, and may be wide.")
    if without:
        told.append(f"No bounds are known of {listed(without)}.")
    return [of.redaction.note(" ".join(told))]


def _bounded(rows: pl.DataFrame, every: pl.DataFrame) -> str:
    """Differences of means with their bounds; of many how many there are."""
    if len(rows) > TOLD:
        return f"in {len(rows):,} of {counted(len(every), 'comparison')}, which the section Incomplete judgments has"
    told = []
    for row in rows.iter_rows(named=True):
        between = f"between {row['lower']:.4g} and {row['upper']:.4g}"
        told.append(f"{row['measure']} ({row['b']} less {row['a']} {between})")
    return f"by {listed(told)}"


def _judged_of_groups(of: Material, found: Comparison) -> list[str]:
    """The judged share of each group by the first measure, where scores are by the groups that are compared."""
    if found.by not in of.scores.columns:
        return []
    rows = of.scores.filter(pl.col("measure") == str(of.measures[0])).drop_nulls(["judged", found.by])
    if rows.is_empty():
        return []
    if len(rows) > TOLD:
        least, *_, most = sorted(rows["judged"].to_list())
        told = f"{least:.1%} to {most:.1%} of the results of each of {len(rows)} groups"
    else:
        told = listed(
            [f"{share:.1%} of the results of {group}" for group, share in rows.select(found.by, "judged").rows()]
        )
    return [of.redaction.note(f"Judged are {told} that {of.measures[0]} looks at.")]


def _longer(of: Material, found: Comparison) -> list[str]:
    """Whether groups differ in queries per session, where a measure that sums over queries is compared."""
    sums = [str(measure) for measure in of.measures if measure.sums_queries]
    if not sums:
        return []
    own = found.by in of.study.columns("sessions")
    counts = logged_queries(of.study, [found.by if own else "user_id"])
    if not own:
        counts = counts.join(of.study.users.select("user_id", found.by).collect(), on="user_id")
    means = counts.drop_nulls(found.by).group_by(pl.col(found.by).cast(pl.String)).agg(pl.col(MANY).mean())
    means = means.sort(MANY, found.by)
    if len(means) < 2 or f"{means.item(0, MANY):.2f}" == f"{means.item(-1, MANY):.2f}":
        return []
    (few, least), (many, most) = means.row(0), means.row(-1)
    told = f"Sessions of {many} have the most queries, {most:.2f} on average, those of {few} the fewest, {least:.2f}"
    if len(means) == 2:
        told = f"Sessions of {many} have more queries than those of {few}, {most:.2f} against {least:.2f} on average"
    what, them = ("adds", "it") if len(sums) == 1 else ("add", "them")
    return [
        of.redaction.note(
            f"{told}: {listed(sums)} {what} up over the queries of a session without being normalized, so that more queries "
            f"alone can raise {them}."
        )
    ]


def _how_sure(of: Material, found: Comparison) -> list[str]:
    """How the comparison was made, how surely, and what it does not reach."""
    how = f"; p-values{found.family.told}" if found.family.told else ""
    told = [f"Estimated is the {found.estimand}; {found.test}{how}."] if found.family.number else []
    paired = found.table.filter(pl.col("p_adjusted").is_not_null(), pl.col("wins").is_not_null())
    if len(paired) and found.table.select("a", "b").n_unique() == 1:
        row = paired.row(0, named=True)
        told.append(
            f"{row['measure']} is higher with {row['b']} for {counted(row['wins'], found.population.removesuffix('s'))}, with "
            f"{row['a']} for {row['losses']:,}, equal for {row['ties']:,}."
        )
    mind = [note for note in found.notes if ": left out " not in note]
    told += [f"Mind: {note}." for note in mind[:TOLD]]
    if len(mind) > TOLD:
        told.append(f"{counted(len(mind) - TOLD, 'more note')} stand in the section Measures.")
    return [of.redaction.note(one) for one in told]


def _depends(of: Material) -> list[str]:
    """Whether what was found depends on the discounts, and where to read more."""
    found = of.swept
    if isinstance(found, str):
        return []
    told = [line for line in found.reading.split("\n") if " holds in " in line]
    if not told:
        return []
    first, *others = told
    said = " ".join([first[:1].lower() + first[1:], *others])
    return [of.redaction.note(f"Under other discounts, with b and bq of {found.measure} varied: {said}")]


def _figure(of: Material, found: Comparison) -> list[Part]:
    """The differences with their intervals."""
    try:
        chart = differences(
            found.table,
            confidence=found.confidence,
            synthetic=of.study.settings.synthetic,
            title="Differences and their intervals",
        )
    except UsageError as error:
        return [Words((f"The differences are not drawn: {error}.",))]
    caption = (
        f"Difference by each measure on a scale of its own, with its {level_text(found.alpha)} interval; {found.test}."
        f"{filled(found)}"
    )
    return [Figure("differences", "Differences and their intervals", chart, caption)]


def _topics(of: Material, found: Comparison) -> list[Part]:
    """The first measure by topic and group: does the difference point the same way everywhere?"""
    groups = list(dict.fromkeys([*found.table["a"], *found.table["b"]]))
    if len(groups) != 2 or found.by == "topic_id":
        return []
    measure = of.measures[0]
    means = means_by_topic(of).answer().drop_nulls("topic_id")
    wide = means.pivot(on=found.by, index="topic_id", values="value").sort("topic_id")
    if wide.height < 2 or not {*groups} <= {*wide.columns}:
        return []
    first, second = groups
    wide = wide.select("topic_id", first, second, Difference=less(pl.col(second), pl.col(first)))
    return [_by_topic(measure, wide, second, first)]


def _by_topic(measure: Measure, wide: pl.DataFrame, second: str, first: str) -> TextTable:
    """The table of topics, from the one where the second group leads most to the one where the first does."""
    order = wide.sort("Difference", "topic_id", descending=[True, False], nulls_last=True)
    known = order.drop_nulls("Difference")
    higher, lower = int((known["Difference"] > 0).sum()), int((known["Difference"] < 0).sum())
    note = f"{second} is higher on {higher}, {first} on {lower} of {counted(len(wide), 'topic')}."
    caption = f"{measure} by topic"
    if len(order) <= LIMIT:
        return table_of(caption, order, note=note, decimals=4)
    ends = pl.concat([known.head(LIMIT // 2), known.slice(max(LIMIT // 2, len(known) - LIMIT // 2))])
    between, without = len(known) - len(ends), len(order) - len(known)
    left = [
        *([f"{between:,} between these two ends"] if between else []),
        *([f"{without:,} without a value in both"] if without else []),
    ]
    note = f"{note} Not shown: {listed(left)}; the file has all."
    return replace(table_of(caption, ends, note=note, decimals=4), frame=order)


def _alone(of: Material) -> list[Part]:
    """The means, why nothing is compared, and how the scores of sessions lie."""
    names = [name for name in of.scores.columns if name not in ("measure", "value", "n", "undefined", "judged")]
    if any(of.scores[name].n_unique() > 1 for name in names):
        means = _by_group(of, names)
        parts: list[Part] = [Words((*means, of.redaction.note(f"The groups are not compared: {of.refusal}.")))]
    else:
        sessions = of.study.facts.sessions
        values = [
            f"{measure} is {_told(value)}{f' (over {n:,})' if 0 < n < sessions else ''}"
            for measure, value, n in of.scores.select("measure", "value", "n").rows()
        ]
        group = next(iter(of.choices.colors))
        whose = f"{counted(sessions, 'session')}{'' if group == EVERYONE else f' of {group}'}"
        lead = of.redaction.note(f"On average over {whose}, {listed(values)}.")
        why = "the log names no system" if group == EVERYONE else f"there is one {of.choices.legend.lower()}"
        more = "sessionkit report STUDY --by COLUMN compares by another column of sessions or users"
        parts = [Words((lead, f"Nothing is compared, since {why}; {more}."), lead=True)]
    return [*parts, *_distribution(of)]


def _distribution(of: Material) -> list[Part]:
    """How the scores of sessions lie in each group, where the study is not too large to draw."""
    if of.large:
        return []
    try:
        return [figure(of.study, "score-distribution", of.choices)]
    except (DataError, MeasureError, UsageError):
        return []


def _by_group(of: Material, names: list[str]) -> list[str]:
    """The means of several groups."""
    told = []
    for row in of.redaction.frame(of.scores.head(FEW), of.study).iter_rows(named=True):
        group = ", ".join(str(row[name]) for name in names if row[name] is not None)
        many = f" (n = {row['n']:,})" if row["n"] else ""
        told.append(f"{row['measure']}{f' of {group}' if group else ''}: {_told(row['value'])}{many}.")
    if len(of.scores) > FEW:
        told.append(
            f"These are the first {FEW} of {len(of.scores):,} means; the table Scores of the section Measures saves all."
        )
    return [of.redaction.note(line) for line in told]


def _told(value: float | None) -> str:
    """A mean in words."""
    return "undefined" if value is None else f"{value:.4f}"
