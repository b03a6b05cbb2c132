"""The size of a study to come, in a report: what it takes to find the declared difference by the first measure."""

from __future__ import annotations

from sessionkit.analysis.power.power import power as plan_of
from sessionkit.display.tables import table_of
from sessionkit.reports.extras.figure import figured
from sessionkit.reports.figures.robustness import of_plan
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part

SMALLEST = {
    "population": "Claim about",
    "users": "Users",
    "topics": "Topics",
    "sessions": "Sessions",
    "users_sure": "Users, surely",
    "topics_sure": "Topics, surely",
    "sessions_sure": "Sessions, surely",
    "limit": "Power without end of users",
}
COMPONENTS = {"component": "Component", "sd": "SD of a session", "low": "from", "high": "to"}


def power(of: Material) -> list[Part]:
    """Power by size, the smallest sizes that reach the target, and what varies."""
    assert of.also.difference is not None  # noqa: S101 - checked when it was asked for
    found = plan_of(of.study, of.measures[0], of.by, difference=of.also.difference)
    declared = (
        f"Planned for {found.measure}, as the first measure; a difference of {found.difference:.4g} was declared."
    )
    smallest = found.smallest.select(*SMALLEST)
    smallest = smallest.select(column for column in smallest if column.null_count() < max(1, len(column)))
    note = (
        f"The smallest numbers with a power of {found.target:g}; surely: where the low end of its range reaches that."
    )
    return [
        of.told(f"{declared}\n{found.reading}"),
        figured(of, lambda: of_plan(found, of.choices)),
        table_of("Study to come: smallest numbers", smallest, headers=SMALLEST, note=note, decimals=2),
        table_of("Study to come: what varies how much", found.components, headers=COMPONENTS, decimals=4),
    ]
