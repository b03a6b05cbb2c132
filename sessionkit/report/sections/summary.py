"""The first screen: is one group better, by how much, how surely, for whom, on which topics."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.accounts import heavy_losses
from sessionkit.analysis.comparing.comparison import Comparison
from sessionkit.analysis.groups import EVERYONE
from sessionkit.charts.differences import differences
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.report.figures import Figure, figure
from sessionkit.report.material import Material
from sessionkit.report.parts import Part, Section, Words
from sessionkit.report.phrases import corrected
from sessionkit.report.tables import Table, table_of
from sessionkit.scoring.measures import Measure
from sessionkit.scoring.scores import score
from sessionkit.showing.words import counted, listed

FEW = 12
"""Topics that the first screen lists."""


def summary(of: Material) -> Section:
    """What was found, in words and one figure."""
    found = of.comparison
    losses = heavy_losses(of.study)
    lost: list[Part] = [Words(tuple(f"Mind: {loss}." for loss in losses))] if losses else []
    if found is None:
        return Section("summary", "Summary", (*_alone(of), *lost))
    parts: list[Part] = [Words((headline(of, found), *_how_sure(found)), lead=True), *lost, *_figure(of, found)]
    parts.append(Words(tuple(_depends(of))))
    parts += _topics(of, found)
    return Section("summary", "Summary", tuple(parts))


def headline(of: Material, found: Comparison) -> str:
    """One sentence: what the measures, each corrected for all, have shown."""
    tested = found.table.filter(pl.col("p_adjusted").is_not_null())
    about = f"for {found.population}"
    if tested.is_empty():
        return f"Nothing could be tested {about}."
    clear = tested.filter(pl.col("p_adjusted") <= found.alpha)
    if clear.is_empty():
        return (
            f"No difference between values of {found.by} was shown by any of {counted(len(tested), 'comparison')}, {about}: "
            "that is no evidence that there is none; the intervals say how large one could be."
        )
    better: dict[tuple[str, str], list[str]] = {}
    for row in clear.iter_rows(named=True):
        up = row["estimate"] > 0
        of_measure = next((m for m in of.measures if str(m) == row["measure"]), None)
        if of_measure is not None and of_measure.direction == "lower":
            up = not up
        pair = (row["b"], row["a"]) if up else (row["a"], row["b"])
        change = f" ({row['relative']:+.0%})" if row["relative"] is not None else ""
        better.setdefault(pair, []).append(f"{row['measure']}{change}")
    told = [f"{of.redaction.note(one)} is better than {other} by {listed(by)}" for (one, other), by in better.items()]
    rest = len(tested) - len(clear)
    others = f" {counted(rest, 'other comparison')} showed no difference." if rest else ""
    return f"{'; '.join(told[:6])}, {about}.{others}"


def _how_sure(found: Comparison) -> list[str]:
    """How the comparison was made, how surely, and what it does not reach."""
    percent = f"{100 * (1 - found.alpha):g} %"
    first = found.table.filter(pl.col("p_adjusted").is_not_null()).head(1)
    told = [
        f"Estimated is the {found.estimand}; {found.test}; p-values{corrected(found.correction)} over "
        f"{counted(found.table.height, 'comparison')}, {percent} intervals."
    ]
    for row in first.iter_rows(named=True):
        if row["wins"] is not None:
            unit = found.claim.removesuffix("s")
            told.append(
                f"By {row['measure']}, {counted(row['wins'], unit)} did better with {row['b']}, {row['losses']} with "
                f"{row['a']}, {row['ties']} alike."
            )
    told += [f"Mind: {note}." for note in found.notes[:3]]
    return told


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
            alpha=found.alpha,
            synthetic=of.study.settings.synthetic,
            title="Differences and their intervals",
        )
    except UsageError as error:
        return [Words((f"The differences are not drawn: {error}.",))]
    caption = (
        f"Difference by each measure on a scale of its own, with its {100 * (1 - found.alpha):g} % interval; {found.test}. "
        f"A filled point has p at or below {found.alpha:g}{corrected(found.correction)} over "
        f"{counted(found.table.height, 'comparison')}, for which the intervals are made too."
    )
    return [Figure("differences", "Differences and their intervals", chart, caption)]


def _topics(of: Material, found: Comparison) -> list[Part]:
    """The first measure by topic and group: does the difference point the same way everywhere?"""
    groups = list(dict.fromkeys([*found.table["a"], *found.table["b"]]))
    if len(groups) != 2 or found.by == "topic_id":
        return []
    measure = of.measures[0]
    means = score(of.study, measure, per=f"{found.by},topic_id").drop_nulls("topic_id")
    wide = means.pivot(on=found.by, index="topic_id", values="value").sort("topic_id")
    if wide.height < 2 or not {*groups} <= {*wide.columns}:
        return []
    first, second = groups
    wide = wide.select("topic_id", first, second, Difference=pl.col(second) - pl.col(first))
    return [_by_topic(measure, wide, second, first)]


def _by_topic(measure: Measure, wide: pl.DataFrame, second: str, first: str) -> Table:
    """The table of topics, the largest differences first."""
    known = wide["Difference"].drop_nulls()
    higher, lower = int((known > 0).sum()), int((known < 0).sum())
    note = f"{second} is higher on {higher}, {first} on {lower} of {counted(len(wide), 'topic')}."
    order = wide.sort(pl.col("Difference").abs(), descending=True, nulls_last=True)
    return table_of(f"{measure} by topic", order, note=note, limit=FEW, decimals=4)


def _alone(of: Material) -> list[Part]:
    """The means, why nothing is compared, and how the scores of sessions lie."""
    names = [name for name in of.scores.columns if name not in ("measure", "value", "n", "undefined", "judged")]
    if any(of.scores[name].n_unique() > 1 for name in names):
        means = _by_group(of, names)
        parts: list[Part] = [Words((*means, of.redaction.note(f"The groups are not compared: {of.refusal}.")))]
    else:
        sessions = of.study.facts.sessions
        values = [
            f"{measure} is {_told(value)}{f' (over {n:,})' if n < sessions else ''}"
            for measure, value, n in of.scores.select("measure", "value", "n").rows()
        ]
        group = next(iter(of.choices.colours))
        whose = f"{counted(sessions, 'session')}{'' if group == EVERYONE else f' of {group}'}"
        lead = of.redaction.note(f"On average over {whose}, {listed(values)}.")
        why = "the log names no system" if group == EVERYONE else f"there is one {of.choices.legend.lower()}"
        more = "sessionkit report STUDY --per COLUMN compares by another column of sessions or users"
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
        told.append(f"{row['measure']}{f' of {group}' if group else ''}: {_told(row['value'])} (n = {row['n']:,}).")
    return [of.redaction.note(line) for line in told]


def _told(value: float | None) -> str:
    """A mean in words."""
    return "undefined" if value is None else f"{value:.4f}"
