"""Live discounts as part of a page: the controls as HTML, the data in compact columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup

from sessionkit.charts.scripts import script
from sessionkit.display.labels import label
from sessionkit.display.templates import rendered
from sessionkit.errors import DataError
from sessionkit.reports.live.counts import PLACE, LiveCounts, LiveSessions
from sessionkit.reports.live.measures import Varied
from sessionkit.reports.parts import Widget
from sessionkit.scoring.gains import NAMES as GAINS
from sessionkit.scoring.gains import check_grades, weights
from sessionkit.scoring.measures.parameters import PARAMETERS

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
