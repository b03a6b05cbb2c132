"""Sessions: their curves, and whether last queries differ from those before them."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.breakdown_tests import breakdown_tests
from sessionkit.analysis.contrasting.reading import TOLD
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.report.figures import figures
from sessionkit.report.material import Material
from sessionkit.report.parts import Part, Section, Words
from sessionkit.report.tables import table_of
from sessionkit.scoring.measures import Measure, parse_measure

TESTED = ("group", "value", "value_against", "difference", "low", "high", "p", "sessions", "users", "left_out")
DRAWS = 2_000
"""Draws of users, for the intervals of the differences that are not Student's; in large studies there are none."""


def sessions(of: Material) -> Section:
    """Figures 1 to 4, with the test that belongs to the first."""
    drawn = figures(of.shown, of.choices)
    first = next(number for number, one in enumerate(drawn) if one.kind == "last-vs-nonlast")
    parts: list[Part] = [*drawn]
    parts[first + 1 : first + 1] = _tested(of)
    return Section("sessions", "Sessions", (*of.sampled, *parts))


def tested(of: Material) -> Measure:
    """The measure of queries by which last and earlier ones are compared."""
    return parse_measure("nDCG") @ (of.choices.measure.cutoff or 10)


def _tested(of: Material) -> list[Part]:
    """Whether the last query of a session is better than those before it."""
    measure = tested(of)
    try:
        found = breakdown_tests(of.shown, measure, group=of.choices.by, resamples=0 if of.large else DRAWS)
    except (DataError, MeasureError, UsageError) as error:
        return [Words((f"Last and earlier queries were not tested: {of.redaction.note(str(error))}.",))]
    main = found.table.filter((pl.col("test") == TOLD[found.units]) | pl.col("test").is_null()).select(TESTED)
    headers = {
        "group": of.choices.legend,
        "value": "Last",
        "value_against": "Earlier",
        "difference": "Difference",
        "low": "95 % from",
        "high": "to",
        "p": "p",
        "sessions": "Sessions",
        "users": "Users",
        "left_out": "Left out",
    }
    table = table_of(f"{measure} of last and earlier queries, within sessions", main, headers=headers, decimals=4)
    return [of.told(found.reading), table]
