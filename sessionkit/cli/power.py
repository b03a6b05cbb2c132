"""The commands about studies to come and claims beyond these topics: power, mixed."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.cli.options import (
    FormatOption,
    MeasureArgument,
    MeasuresArgument,
    MemoryOption,
    OutputOption,
    PartialsOption,
    StudyArgument,
    TableOption,
    open_source,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

CORRECTIONS = "bonferroni|holm|bh|none"
CLAIMS = "users|topics|sessions"

ByOption = Annotated[
    str, typer.Option("--by", metavar="COLUMN", help="Column of sessions or users, with 2 to 20 values.")
]
AlphaOption = Annotated[float, typer.Option("--alpha", metavar="RATE", help="Error rate of tests and intervals.")]


def mixed(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    random: Annotated[
        str | None,
        typer.Option(
            "--random",
            metavar="FACTOR,...",
            help="Random factors: user_id, topic_id, system_id:topic_id (what topics do to the groups), system_id:user_id, "
            "user_id:topic_id, session_id. Default: the first three, where they are known.",
            show_default=False,
        ),
    ] = None,
    correction: Annotated[
        str,
        typer.Option("--correction", metavar=CORRECTIONS, help="For many p-values, over all measures and pairs."),
    ] = "bonferroni",
    alpha: AlphaOption = 0.05,
    memory: MemoryOption = None,
    partials: PartialsOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """A mixed model of groups, users and topics.

    Whether groups differ for users and topics like these, and what varies how much. Groups are fixed; users, topics and
    what topics do to groups random; fitted by REML.
    Differences are judged by t with few degrees of freedom where there are few topics. Tables for --table: effects
    (differences, b less a), components (variances, with intervals, their share), fits (convergence; singular: a component
    is 0), reading.
    """
    from sessionkit.analysis.mixed_model import mixed as modelled

    to = destination(format_, output)
    opened = open_source(study)
    with working("fitting"):
        found = modelled(
            opened, measures, by, random=random, correction=correction, alpha=alpha, memory=memory, partials=partials
        )
    to.send_finding(found.tables(), found.reading, table)


def power(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    difference: Annotated[
        str,
        typer.Option(
            "--difference",
            metavar="NUMBER|SHARE%",
            help="The smallest true difference worth finding, in the measure's units, or such as 10% of the first group's mean. "
            "Declare it; do not take the one that the study found.",
            show_default=False,
        ),
    ],
    by: ByOption = "system_id",
    generalise: Annotated[
        str | None,
        typer.Option(
            "--generalise",
            metavar=CLAIMS,
            help="What the claim is to go beyond. Default: each about users and topics that the design supports.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[float, typer.Option("--target", metavar="SHARE", help="Power to reach.")] = 0.8,
    users: Annotated[
        str | None,
        typer.Option(
            "--users",
            metavar="N,...",
            help="Numbers of users to look at. Default: up to 16 times the present.",
            show_default=False,
        ),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(
            "--topics",
            metavar="N,...",
            help="Numbers of topics to look at. Default: for claims about topics, up to 8 times the present.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", metavar="RATE", help="Error rate of the test.")] = 0.05,
    studies: Annotated[int, typer.Option("--studies", metavar="N", help="Simulated studies of each size.")] = 2_000,
    draws: Annotated[int, typer.Option("--draws", metavar="N", help="Draws of the uncertain components.")] = 400,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all draws.")] = 0,
    memory: MemoryOption = None,
    partials: PartialsOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How large a study must be to find a difference.

    How many more users and topics it takes. Larger studies of the same design are simulated and tested as compare would,
    with what varies estimated from this study; power has a range because that estimate is uncertain. Tables for --table:
    smallest (the smallest numbers that reach the target, by claim and topics, and how many more that is than now; limit:
    power with users without end), power (by size; users empty: without end), components, reading.
    """
    from sessionkit.analysis.power.power import power as planned

    to = destination(format_, output)
    asked = {name: _whole(name, text) for name, text in (("users", users), ("topics", topics))}
    opened = open_source(study)
    with working("simulating studies"):
        found = planned(
            opened,
            measure,
            by,
            difference=difference,
            generalise=generalise,
            target=target,
            users=asked["users"],
            topics=asked["topics"],
            alpha=alpha,
            studies=studies,
            draws=draws,
            seed=seed,
            memory=memory,
            partials=partials,
        )
    tables = found.tables()
    if to.form is OutputForm.table and table is None and users is None and topics is None:
        tables = {name: tables[name] for name in ("smallest", "components")}
    to.send_finding(tables, found.reading, table)


def _whole(name: str, text: str | None) -> list[int] | None:
    """Whole numbers joined by commas."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        msg = f"--{name} takes whole numbers joined by commas, such as 30,60,90, not {text!r}"
        raise UsageError(msg) from None
