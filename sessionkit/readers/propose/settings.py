"""Settings of a study that no file says: the top of the grade scale, grades that mean unjudged, the zone of times."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.display.words import counted, listed
from sessionkit.readers.propose.match import Match
from sessionkit.readers.propose.proposal import Line
from sessionkit.readers.propose.toml import quoted


def asked_of_grades(grades: pl.Series | None, name: str) -> list[Line]:
    """Return the questions about grades: the top of the scale, which is never taken from the data, and negative ones."""
    if grades is None:
        return []
    numbers = grades.drop_nulls().cast(pl.Float64, strict=False).drop_nulls()
    most = numbers.max() if len(numbers) else None
    if not isinstance(most, float) or most <= 0:
        asked = f"no grade above 0 was seen in {name}. What is the top of the scale?"
        return [Line("max_grade", 1, (asked,), idle=True)]
    top = _plain(most)
    lines = [
        Line(
            "max_grade",
            top,
            (
                f"the largest grade in {name} is {top}. Is {top} the top of the scale? Then remove the '#', else correct it",
            ),
            idle=True,
        )
    ]
    below = numbers.filter(numbers < 0)
    if len(below):
        values = [_plain(value) for value in below.unique().sort()]
        asked = (
            f"{counted(len(below), 'grade')} below 0 ({listed([str(value) for value in values[:5]])}): judged, and gaining "
            "nothing. If some mean pooled but not judged, list these and remove the '#'"
        )
        lines.append(Line("unjudged_grades", values, (asked,), idle=True))
    return lines


def _plain(value: float) -> int | float:
    """Return a number as people write it."""
    return int(value) if value == int(value) else value


def asked_of_times(matches: Sequence[Match]) -> list[Line]:
    """Return the question about the zone of times that carry none."""
    found = []
    for match in matches:
        for ours, name in match.columns.items():
            declared = match.fields.get(ours)
            column = match.part.columns[name]
            if declared is not None and declared.type == "datetime" and column.lacks_zone():
                found.append(f"{quoted(name)} of {match.part.name} ({quoted(column.given[0])})")
    return [zone_line(listed(found[:3]))] if found else []


def zone_line(where: str) -> Line:
    """Return the question about the zone of times in these columns."""
    asked = f"times without zone in {where}: they count as UTC. Where were they taken? Then correct the zone and remove the '#'"
    return Line("timezone", "Europe/Vienna", (asked,), idle=True)
