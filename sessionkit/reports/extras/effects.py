"""The mixed model of a report: its reading, the differences with their intervals, and what varies how much."""

from __future__ import annotations

from sessionkit.analysis.mixed_model import mixed_model
from sessionkit.charts.kinds.differences import differences
from sessionkit.display.tables import table_of
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part
from sessionkit.reports.phrases import filled

TITLE = "Differences by the mixed model"
EFFECTS = {
    "measure": "Measure",
    "a": "First",
    "b": "Second",
    "mean_a": "Mean of first",
    "mean_b": "Mean of second",
    "estimate": "Difference",
    "low": "from",
    "high": "to",
    "se": "Standard error",
    "df": "df",
    "p_adjusted": "p",
    "error_term": "Error term",
}
COMPONENTS = {
    "measure": "Measure",
    "component": "Component",
    "levels": "Levels",
    "sd": "SD",
    "variance": "Variance",
    "low": "from",
    "high": "to",
    "share": "Share",
}


def mixed(of: Material) -> list[Part]:
    """What the groups do, for users and topics like these."""
    found = mixed_model(of.study, list(of.measures), of.by)
    chart = differences(without_condition(found), synthetic=of.choices.synthetic, title=TITLE)
    caption = (
        f"Difference by each measure on a scale of its own, with its interval, by a mixed model for {found.claim}."
        f"{filled(found)}"
    )
    effects, components = found.table.select(*EFFECTS), found.components.select(*COMPONENTS)
    return [
        of.told(found.reading),
        Figure("differences", TITLE, chart, caption),
        table_of("Mixed model: differences, second less first", effects, headers=EFFECTS, decimals=4),
        table_of("Mixed model: what varies how much", components, headers=COMPONENTS, decimals=4),
    ]
