"""Discriminative power, in a report: how many pairs of groups each measure tells apart."""

from __future__ import annotations

from sessionkit.analysis.discriminative_power.discriminative_power import discriminate as told_apart
from sessionkit.display.tables import table_of
from sessionkit.reports.extras.figure import figured
from sessionkit.reports.figures.robustness import of_pairs
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part

POWER = {
    "measure": "Measure",
    "n": "n",
    "pairs": "Pairs",
    "tested": "Tested",
    "significant": "Significant",
    "power": "Power",
    "needed": "Difference it takes",
    "spread": "Largest difference",
}
ASL = {
    "measure": "Measure",
    "place": "Place",
    "a": "First",
    "b": "Second",
    "difference": "Difference",
    "p": "Significance level reached",
}


def discriminate(of: Material) -> list[Part]:
    """The share of pairs by measure, and the significance level that each pair reaches."""
    found = told_apart(of.study, list(of.measures), of.by)
    return [
        of.told(found.reading),
        figured(of, lambda: of_pairs(found, of.choices)),
        table_of("Discriminative power", found.table.select(*POWER), headers=POWER, decimals=4),
        table_of("Significance level of every pair", found.asl.select(*ASL), headers=ASL, decimals=4),
    ]
