"""The command about studies to come: power."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.cli.options import (
    DIFFERENCE,
    ByOption,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    FormatOption,
    MeasureArgument,
    MemoryOption,
    OutputOption,
    PopulationOption,
    ScoresArgument,
    SeedOption,
    TableOption,
    WhereOption,
    open_scores,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError


def power(
    study: ScoresArgument,
    measure: MeasureArgument,
    *,
    difference: Annotated[str, DIFFERENCE],
    by: ByOption = "system_id",
    where: WhereOption = None,
    population: PopulationOption = None,
    target: Annotated[float, typer.Option("--target", metavar="SHARE", help="Power to reach.")] = 0.8,
    users: Annotated[
        str | None,
        typer.Option(
            "--users",
            metavar="N,...",
            help="Numbers of users to simulate. Default: up to 16 times the present number.",
            show_default=False,
        ),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(
            "--topics",
            metavar="N,...",
            help="Numbers of topics to simulate. Default: for claims about topics, up to 8 times the present number.",
            show_default=False,
        ),
    ] = None,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 2_000,
    component_draws: Annotated[
        int, typer.Option("--component-draws", metavar="N", help="Draws of the variance components.")
    ] = 400,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Plan the size of a study for a difference.

    Larger studies of the same design are simulated and tested as by compare. Variance components are estimated from this
    study; power has a range because they are uncertain. Tables for --table: smallest (the smallest numbers that reach the
    target, by claim and topics, and how many more that is than now; limit: power with infinitely many users), power (by
    size; users empty: infinitely many), components, reading.
    """
    from sessionkit.analysis.power.power import power as planned
    from sessionkit.study import Study

    to = destination(format_, output, chart)
    asked = {name: _whole(name, text) for name, text in (("users", users), ("topics", topics))}
    opened = open_scores(study, [measure], where)
    of_scores = not isinstance(opened, Study)
    with working("simulating studies"):
        found = planned(
            opened,
            measure,
            by,
            where=where if of_scores else None,
            difference=difference,
            population=population,
            target=target,
            users=asked["users"],
            topics=asked["topics"],
            confidence=confidence,
            draws=draws,
            component_draws=component_draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import power_curve

        to.draw(power_curve(found, synthetic=isinstance(opened, Study) and opened.settings.synthetic))
    tables = found.tables()
    if to.form is OutputForm.table and table is None and users is None and topics is None:
        tables = {name: tables[name] for name in ("smallest", "components")}
    to.send_finding(tables, found.reading, table, found)


def _whole(name: str, text: str | None) -> list[int] | None:
    """Whole numbers joined by commas."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        msg = f"--{name} takes whole numbers joined by commas, such as 30,60,90, not {text!r}"
        raise UsageError(msg) from None
