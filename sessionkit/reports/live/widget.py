"""Live discounts as part of a page: the measures they vary, the counts they need, and their controls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import polars as pl
from markupsafe import Markup

from sessionkit.charts.files import script
from sessionkit.display.labels import label, natural_sort
from sessionkit.display.templates import rendered
from sessionkit.errors import DataError, MeasureError
from sessionkit.reports.choices import Choices
from sessionkit.reports.parts import Widget
from sessionkit.scoring.batch import SessionBatch, batches
from sessionkit.scoring.filter import (
    counted_rows,
    counts_as_zero,
    defined_sessions,
    logged_sessions,
    relevant_rows,
    sessions_with_judgments,
    units,
)
from sessionkit.scoring.gains import NAMES as GAINS
from sessionkit.scoring.gains import check_grades, weights
from sessionkit.scoring.histogram import GainHistogram
from sessionkit.scoring.ideals import ideal_places
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain, SessionGain, nsDCG
from sessionkit.scoring.measures.parameters import PARAMETERS
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.reduction import run
from sessionkit.statistics.bands import Grouping
from sessionkit.study import Study

NAME = "live"
LEAST, MOST = 1.1, 100.0
"""Bases between which the sliders move, on a logarithmic scale, unless the report's own lies beyond."""
TOP = 12
"""Highest grade up to which every grade can be given a weight of its own."""


def widget(
    varied: Varied,
    counts: LiveCounts,
    sessions: LiveSessions,
    colors: Mapping[str, str],
    *,
    legend: str = "System",
    synthetic: bool = False,
) -> Widget:
    """Return live discounts of a study.

    Parameters
    ----------
    varied
        The measures.
    counts, sessions
        All sessions in groups, and some whole for the mean of nsDCG.
    colors
        Color of each group.
    legend
        What the groups are.
    synthetic
        Whether the drawing says that the data are made up.
    """
    known = [found["grade"] for found in (counts.cells, sessions.rows)]
    bases = [base.split(":") for text in sessions.ideals["base"].drop_nulls().unique() for base in text.split(",")]
    grades = sorted({*pl.concat(known).to_list(), *(float(grade) for grade, _ in bases)})
    gains = _gains(grades, varied)
    data = {
        "names": [label(name) for name in counts.groups["name"]],
        "colors": [colors.get(name, "#555555") for name in counts.groups["name"]],
        "n": counts.groups["n"].to_list(),
        "queries": counts.groups["queries"].to_list(),
        "cutoff": varied.total.cutoff,
        "minimum": varied.total.min_grade,
        "grades": grades,
        "cells": {
            "group": counts.cells["group"].to_list(),
            "query": counts.cells["query_position"].to_list(),
            "rank": counts.cells["rank"].to_list(),
            "grade": _codes(counts.cells["grade"], grades),
            "many": counts.cells["many"].to_list(),
        },
        "sessions": _sessions(counts, sessions, grades),
        "texts": varied.texts(),
        "own": varied.own,
        "once": varied.share.ideal == "once",
        "bounded": varied.share.highest is not None,
        "start": {"b": varied.total.b, "bq": varied.share.bq, "gain": _start(varied)},
        "range": {"b": _range(varied.total.b), "bq": _range(varied.share.bq)},
        "weights": _weights(varied, grades),
        "legend": label(legend),
        "synthetic": synthetic,
    }
    return Widget(
        NAME, controls(varied, gains, grades), data, (script("reports/drawing.js"), script("reports/live/discounts.js"))
    )


def controls(varied: Varied, gains: Sequence[str], grades: Sequence[float]) -> Markup:
    """The controls, with places for the drawing, the table and what is said of them."""
    words = {
        "linear": "linear: the grade",
        "exp2": "exp2: 2^grade \u2212 1",
        "binary": f"binary: 1 from grade {varied.total.min_grade:g} on",
        "weights": "weights by grade",
    }
    return rendered(
        "reports/live/controls.html",
        bases=[
            {
                "name": name,
                "label": label,
                "value": repr(value),
                "allowed": PARAMETERS[name].allowed,
            }
            for name, label, value in (
                ("b", "Rank discount, base b", varied.total.b),
                ("bq", "Query discount, base bq", varied.share.bq),
            )
        ],
        gains={name: words[name] for name in gains},
        measures=(f"{varied.total.name}: discounted gain", f"{varied.share.name}: share of the ideal"),
        grades=range(int(min(grades, default=0) > 0), len(_weights(varied, grades))) if "weights" in gains else (),
    )


def _range(own: float) -> tuple[float, float]:
    """The least and the greatest base that a slider reaches."""
    return min(LEAST, own), max(MOST, own)


def _sessions(counts: LiveCounts, sessions: LiveSessions, grades: list[float]) -> dict[str, Any]:
    """Sessions whole: the group and ideal of each, and its results as numbers of places."""
    places = sessions.rows.select(PLACE).unique().sort(PLACE)
    numbered = sessions.rows.join(places.with_row_index("place"), on=PLACE, maintain_order="left")
    many = len(sessions.groups)
    sizes = pl.DataFrame({"session": range(many)}, schema={"session": pl.Int64})
    sizes = sizes.join(numbered.group_by("session").agg(size=pl.len()), on="session", how="left", maintain_order="left")
    bases = sessions.ideals["base"].drop_nulls().unique().sort()
    coded = sessions.ideals.join(bases.to_frame().with_row_index("code"), on="base", how="left", maintain_order="left")
    one = pl.format("{}:{}", "query_position", "code").str.join(",")
    ideals = coded.group_by("session").agg(ideal=one)
    of_session = sizes.join(ideals, on="session", how="left", maintain_order="left")["ideal"].fill_null("")
    distinct = of_session.unique().sort()
    code = of_session.to_frame().join(distinct.to_frame().with_row_index("code"), on="ideal", maintain_order="left")
    at = {grade: number for number, grade in enumerate(grades)}
    return {
        "all": many,
        "group": counts.number(sessions.groups).to_list(),
        "zero": sessions.is_zero.cast(pl.Int8).to_list(),
        "size": sizes["size"].fill_null(0).to_list(),
        "place": numbered["place"].to_list(),
        "query": places["query_position"].to_list(),
        "rank": places["rank"].to_list(),
        "grade": _codes(places["grade"], grades),
        "ideal": code["code"].to_list(),
        "ideals": [[int(number) for pair in text.split(",") if pair for number in pair.split(":")] for text in distinct],
        "bases": [
            [number for pair in text.split(",") for number in (at[float(pair.split(":")[0])], int(pair.split(":")[1]))]
            for text in bases
        ],
    }  # fmt: skip


def _codes(values: pl.Series, known: list[float]) -> list[int]:
    """The number of each grade among those that occur."""
    return values.replace_strict(known, range(len(known)), return_dtype=pl.Int32).to_list() if len(values) else []


def _gains(grades: list[float], varied: Varied) -> list[str]:
    """The gains that the study's grades allow; weights where grades are few and whole."""
    frame = pl.DataFrame({"grade": grades}, schema={"grade": pl.Float64})
    allowed: list[str] = []
    for gain in GAINS[:3]:
        try:
            check_grades(frame, gain, varied.total.min_grade)
        except DataError:
            continue
        allowed.append(gain)
    whole = bool(grades) and all(grade == int(grade) for grade in grades) and max(grades) <= TOP
    return [*allowed, "weights"] if whole or _start(varied) == "weights" else allowed


def _start(varied: Varied) -> str:
    """The gain of the report as the page names it."""
    return varied.total.gain if varied.total.gain in GAINS else "weights"


def _weights(varied: Varied, grades: Sequence[float]) -> list[float]:
    """Gains of grades 0, 1, ... where weights begin: the report's, else those of Kekäläinen's 0-1-10-100."""
    if _start(varied) == "weights":
        return weights(varied.total.gain)
    top = int(max(grades, default=0))
    return [0.0, *(10.0 ** min(level, 6) for level in range(min(top, TOP)))]


PLACE = ["query_position", "rank", "grade"]
PART = pl.Schema(
    {
        "group": pl.String(),
        **dict.fromkeys(PLACE[:2], pl.Int32()),
        "grade": pl.Float64(),
        **dict.fromkeys(("many", "n", "queries"), pl.Int64()),
    }
)


@dataclass(frozen=True, eq=False)
class LiveCounts:
    """All sessions, in groups.

    Parameters
    ----------
    groups
        ``group`` (null where unknown), ``name``, ``n`` (sessions averaged) and ``queries`` (of the longest session), in
        the order of names.
    cells
        ``group`` (row of `groups`), `PLACE` and ``many``: results of the group that gain the same.
    """

    groups: pl.DataFrame
    cells: pl.DataFrame

    def number(self, group: pl.Series) -> pl.Series:
        """The rows of some groups."""
        known = self.groups.select("group").with_row_index("number")
        given = group.alias("group").to_frame()
        return given.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")["number"]


@dataclass(frozen=True, eq=False)
class LiveSessions:
    """Some sessions whole.

    Parameters
    ----------
    groups
        The group of every session; null where unknown.
    is_zero
        Whether each session counts 0 where nsDCG has no value for it.
    rows
        ``session`` (its number here) and `PLACE` of every result that can gain.
    ideals
        ``session``, ``query_position`` and ``base`` of every query of the ideal session: its recall base as text
        ``grade:documents,...``, the highest grade first, no more of a grade than the cutoff reaches.
    """

    groups: pl.Series
    is_zero: pl.Series
    rows: pl.DataFrame
    ideals: pl.DataFrame


@dataclass(frozen=True, eq=False)
class LiveCountsReduction:
    """Count results by what they gain, over all sessions of each group.

    Parameters
    ----------
    varied
        The measures that are varied.
    grouping
        The sessions and their groups.
    reads
        Columns to read, by table.
    """

    varied: Varied
    grouping: Grouping
    reads: Mapping[str, Sequence[str]]

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.reads

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Rows of cells with ``many``, and rows of groups, without a place, with ``n`` and ``queries``."""
        total = self.varied.total
        selection = total.selection
        chosen = self.grouping.sessions(batch).with_columns(defined=defined_sessions(batch, total))
        sizes = chosen.group_by("group").agg(n=pl.col("defined").sum().cast(pl.Int64)).with_row_index("number")
        known = sizes.select("group", "number")
        number = chosen.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")["number"]
        asked = units(batch, selection)
        placed = asked.select("query_position", number.gather(asked["session"]))
        ends = placed.group_by("number").agg(queries=pl.col("query_position").max().cast(pl.Int64))
        cells = GainHistogram.of(batch, selection, self.varied.selecting())
        held = cells.held(pl.select(pl.when(chosen["defined"]).then(number)).to_series())
        of_cells = held.select(
            known["group"].gather(held["group"]),
            *(cells.places[name].gather(held["cell"]) for name in PLACE),
            pl.col("many").cast(pl.Int64),
        )
        both = pl.concat([of_cells, sizes.join(ends, on="number", how="left")], how="diagonal")
        return both.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([PART.to_frame(), *parts]).group_by("group", *PLACE)
        return together.agg(pl.col("many", "n").sum(), pl.col("queries").max()).select(PART.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in the order of their groups and cells."""
        return self.added([*parts]).sort("group", *PLACE)


def counts_task(study: Study, varied: Varied, by: str) -> LiveCountsReduction:
    """What `counts_of` asks of a study."""
    grouping = Grouping.of(study, by, several=False)
    return LiveCountsReduction(varied, grouping, _reads(study, varied, grouping))


def counts_of(study: Study, varied: Varied, by: str) -> LiveCounts:
    """Count results by what they gain, over all sessions of each group."""
    task = counts_task(study, varied, by)
    (found,) = run(study, [task])
    whole = found.filter(pl.col("rank").is_null()).select("group", "n", pl.col("queries").fill_null(0))
    whole = natural_sort(whole.with_columns(task.grouping.named(whole)["group"].alias("name")), "name")
    known = LiveCounts(whole, pl.DataFrame())
    cells = found.filter(pl.col("rank").is_not_null()).select("group", *PLACE, "many")
    return LiveCounts(whole, cells.with_columns(known.number(cells["group"]).alias("group")).sort("group", *PLACE))


def sessions_of(study: Study, varied: Varied, by: str) -> LiveSessions:
    """Lay sessions out one by one, those of which a list was logged."""
    grouping, before = Grouping.of(study, by, several=False), 0
    groups: list[pl.Series] = []
    is_zero: list[pl.Series] = []
    rows: list[pl.DataFrame] = []
    ideals: list[pl.DataFrame] = []
    for batch in _batches(study, varied, grouping):
        logged = logged_sessions(batch, varied.total.selection)
        judged = pl.lit(sessions_with_judgments(batch, varied.share.selection))
        is_zero.append(pl.select(is_zero=counts_as_zero(varied.share, judged)).to_series().filter(logged))
        place = pl.select(pl.when(logged).then(logged.cum_sum().cast(pl.Int64) - 1 + before)).to_series()
        groups.append(grouping.sessions(batch)["group"].filter(logged))
        for laid_out, frame in ((rows, _rows(batch, varied)), (ideals, _ideals(batch, varied))):
            laid_out.append(frame.with_columns(place.gather(frame["session"]).alias("session")).drop_nulls("session"))
        before += int(logged.sum())
    order = ["session", *PLACE]
    return LiveSessions(
        pl.concat(groups),
        pl.concat(is_zero),
        pl.concat(rows).sort(order),
        pl.concat(ideals).sort("session", "query_position"),
    )


def _batches(study: Study, varied: Varied, grouping: Grouping) -> Iterator[SessionBatch]:
    """The study in batches."""
    return batches(study, _reads(study, varied, grouping))


def _reads(study: Study, varied: Varied, grouping: Grouping) -> dict[str, Sequence[str]]:
    """Columns to read, by table."""
    read = columns_read(study, [varied.total])
    of_groups = grouping.columns()
    return {**read, "sessions": [*read["sessions"], *of_groups["sessions"]], "users": of_groups["users"]}


def _rows(batch: SessionBatch, varied: Varied) -> pl.DataFrame:
    """The results of a batch that can gain: ``session`` and `PLACE`."""
    selection = varied.total.selection
    rows = relevant_rows(batch, selection, varied.selecting(), counted_rows(batch, selection))
    return rows.select("session", *PLACE)


def _ideals(batch: SessionBatch, varied: Varied) -> pl.DataFrame:
    """The queries of every ideal session: ``session``, ``query_position``, ``base`` (see `Sessions`)."""
    share = varied.share
    places = ideal_places(batch, share)
    if share.ideal == "once":
        places = places.filter(pl.col("query_position") == pl.col("query_position").min().over("session"))
    base = batch.base(share.grades)
    graded = base.pairs.pairs.select("key").with_columns(base.grade.alias("grade"))
    graded = graded.filter((pl.col("grade") > 0) | (pl.col("grade") >= varied.least))
    graded = graded.join(places.select("key").unique(), on="key", how="semi")
    many = pl.min_horizontal(pl.len(), pl.lit(share.cutoff, pl.UInt32))
    counted = graded.group_by("key", "grade").agg(many=many).sort("key", "grade", descending=[False, True])
    text = pl.format("{}:{}", "grade", "many")
    bases = counted.group_by("key", maintain_order=True).agg(base=text.str.join(","))
    return places.join(bases, on="key").select("session", "query_position", "base")


FORMS = {"discount": "log", "query_discount": "log", "p": None, "pq": None, "rank_origin": "query", "slots": "pad"}
"""What is drawn while b and bq vary: the discounts of ECIR 2008."""
VARIED = ("gain", "b", "bq")


@dataclass(frozen=True)
class Varied:
    """Two measures of which b, bq and the gain vary.

    Parameters
    ----------
    total, share
        sDCG and nsDCG as the report has them, which is where the controls begin.
    told
        In what they differ from the measures of the report; empty where in nothing.
    own
        Whether ``total`` begins as what the report's figures of gain show.
    """

    total: SessionGain
    share: NormalizedSessionGain
    told: str = ""
    own: bool = True

    @classmethod
    def of(cls, choices: Choices) -> Varied:
        """The measures of a report's figures, as far as they can vary."""
        gain = choices.measure.gain
        total = cast("SessionGain", choices.measure)(**FORMS, gain="linear" if gain == "lifted" else gain)
        told = _stands_in(choices, total)
        kept = dict.fromkeys(("ideal", "ideal_queries"))
        try:
            kept |= {name: choices.ratio.parameters()[name] for name in kept}
        except MeasureError:  # the report's own cannot be normalized
            kept = {"ideal": "repeated", "ideal_queries": "session"}
        if kept["ideal"] == "spread":
            kept["ideal"] = "repeated"
            told.append("The ideal session repeats the ideal list of each query here, and is not spread.")
        if (choices.ratio_source or total).parameters().get("normalize", "session") != "session":
            told.append("Here whole sessions are divided by their ideal, and not each query by its own.")
        share = nsDCG(**total.parameters(), **kept)
        if not told and choices.ratio_source is not None and share != choices.ratio:
            told.append(f"{choices.ratio} is varied with the parameters of {total} here.")
        own = total == choices.measure and (choices.source is not None or not choices.asked)
        return cls(total, share, " ".join(told), own)

    def texts(self) -> list[list[list[str]]]:
        """Name, parameters in order and cutoff of both measures; a parameter that varies has no value."""
        return [_parts(measure) for measure in (self.total, self.share)]

    def selecting(self) -> list[GainMeasure]:
        """sDCG with gains under which every result gains that can gain under any gain that can be chosen."""
        return [self.total(gain="linear"), self.total(gain="binary"), self.total]

    @property
    def least(self) -> float:
        """Lowest grade that gains under one of these; grades above 0 all do."""
        low = max(self.total.min_grade, 0.0)
        return 0.0 if self.total.gain not in GAINS and weights(self.total.gain)[0] > 0 else low


def _stands_in(choices: Choices, total: SessionGain) -> list[str]:
    """That something else is varied than was asked for, and why."""
    if choices.asked and choices.source is None:
        return [
            f"None of the measures asked for has discounts with these bases; {total} and its share are varied instead."
        ]
    if total == choices.measure:
        return []
    own, here = choices.measure.parameters(), total.parameters()
    forms = [f"{name}={own[name]}" for name in FORMS if own[name] != here[name] and own[name] is not None]
    why = (
        f"b and bq are the bases of logarithmic discounts, by rank within a list and by query, and {choices.measure} is of "
        f"another form ({', '.join(forms)})"
        if forms
        else f"The gain of {choices.measure} cannot be varied here"
    )
    return [f"{why}: {total} stands in its place, so that its numbers are not those of the tables above."]


def _parts(measure: GainMeasure) -> list[list[str]]:
    """The text of a measure taken apart: its name, each parameter as name and value, its cutoff.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> _parts(parse_measure("sDCG(min_grade=2,b=3)@5"))
    [['sDCG'], ['gain'], ['min_grade', '2'], ['b'], ['bq'], ['@5']]
    """
    away = measure(gain="exp2", b=17, bq=19)  # no defaults, so that the text has them all in its order
    name, _, rest = str(away).partition("(")
    inside, _, cutoff = rest.rpartition(")")
    parts = [part.split("=", 1) for part in inside.split(",")]
    return [[name], *([part[0]] if part[0] in VARIED else part for part in parts), [cutoff]]
