"""Noise of judges, in a report: how far another round of judging could move the comparison."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.judge_noise.judge_noise import judge_noise
from sessionkit.display.tables import table_of
from sessionkit.reports.extras.figure import figured
from sessionkit.reports.figures.robustness import of_noise
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part

PAIRS = {
    "measure": "Measure",
    "a": "First",
    "b": "Second",
    "difference": "Difference",
    "p": "p",
    "mean": "Mean of draws",
    "low": "from",
    "high": "to",
    "winner_changes": "Winner changes",
    "verdict_changes": "Verdict changes",
}
ERRORS = {"grade": "Grade", "becomes": "Becomes", "share": "Share", "n": "Seen"}
ORDER = {"measure": "Measure", "tau": "Mean tau-b", "low": "from", "high": "to"}


def noise(of: Material) -> list[Part]:
    """Agreement and errors, and what these do to differences and to the order of groups."""
    found = judge_noise(of.study, list(of.measures), of.by)
    note = f"Changes are shares of {found.draws:,} draws (seed {found.seed}); the range holds the middle 95% of them."
    pairs = found.table.select(*PAIRS)
    parts: list[Part] = [
        of.told(found.reading),
        figured(of, lambda: of_noise(found, of.choices)),
        table_of("Noise of judges: differences, second less first", pairs, headers=PAIRS, note=note, decimals=4),
    ]
    if found.table.select("a", "b").n_unique() > 1:
        parts.append(
            table_of("Noise of judges: order of groups", found.order.select(*ORDER), headers=ORDER, decimals=4)
        )
    grades = pl.col("grade", "becomes").map_elements(lambda grade: f"{grade:g}", pl.String)
    errors = found.errors.select(*ERRORS).with_columns(grades)
    shown = errors if errors["n"].null_count() < len(errors) else errors.select(pl.exclude("n"))
    parts.append(table_of("Noise of judges: what grades become", shown, headers=ERRORS))
    return parts
