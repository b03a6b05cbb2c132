"""The command about how far a conclusion depends on a measure's parameters: sweep."""

from __future__ import annotations

from typing import Annotated

from sessionkit.cli.options import (
    VARY,
    ByOption,
    ChartOption,
    ConfidenceOption,
    CorrectionOption,
    DrawsOption,
    FormatOption,
    MeasureArgument,
    MemoryOption,
    OutputOption,
    PopulationOption,
    SeedOption,
    StudyArgument,
    TableOption,
    TestOption,
    WhereOption,
    open_source,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

SHOWN = ("regions", "ranges", "nearest")
"""Tables that people are shown at first; all others with --table."""


def varied(texts: list[str]) -> dict[str, str]:
    """Read what --vary says: the text of the values by the parameter's name."""
    found: dict[str, str] = {}
    for text in texts:
        name, is_, values = text.partition("=")
        if not is_ or not name.strip() or not values.strip():
            msg = f"--vary {text!r}: write NAME=low:high:steps, such as b=1.5:10:18, or NAME=value,value, such as gain=linear,exp2"
            raise UsageError(msg)
        if name.strip() in found:
            msg = f"--vary {name.strip()} is given twice; join its values by commas: --vary {name.strip()}=value,value"
            raise UsageError(msg)
        found[name.strip()] = values.strip()
    return found


def sweep(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    vary: Annotated[list[str], VARY],
    by: ByOption = "system_id",
    where: WhereOption = None,
    test: TestOption = None,
    population: PopulationOption = None,
    correction: CorrectionOption = "bonferroni",
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 9_999,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Test how a conclusion depends on a measure's parameters.

    MEASURE as given is the base setting. Every combination of the values is scored and compared as by compare: which group
    leads, by what margin, with what p; whether the groups keep the order of the base setting; where the conclusion holds,
    and the nearest setting that overturns it. Invalid combinations stay in the table with the reason. Tables for --table:
    settings (a row for each), means, regions, ranges, nearest, parameters, made_with, reading. Without --table, tsv and csv
    put each table under a line "# name", and jsonl adds a field table.
    """
    from sessionkit.analysis.sweep.sweep import sweep as swept

    to = destination(format_, output, chart)
    values = varied(vary)
    opened = open_source(study, where)
    with working("sweeping"):
        found = swept(
            opened,
            measure,
            values,
            by,
            test=test,
            population=population,
            correction=correction,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
        )
    if chart is not None:
        from sessionkit.charts import sweep_map
        from sessionkit.reports.figures.robustness import SWEPT

        to.draw(sweep_map(found, synthetic=opened.settings.synthetic, title=SWEPT))
    tables = found.tables()
    if to.form is OutputForm.table and table is None:
        readable = found.readable_tables()
        tables = {name: readable[name] for name in SHOWN}
    to.send_finding(tables, found.reading, table, found)
