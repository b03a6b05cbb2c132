"""The commands by name, in the order of the help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from sessionkit import __version__
from sessionkit.cli.calibrate import calibrate
from sessionkit.cli.catalogue import formats, measures, schema
from sessionkit.cli.chart import chart
from sessionkit.cli.compare import compare
from sessionkit.cli.correlate import correlate
from sessionkit.cli.curves import breakdown, curve
from sessionkit.cli.data import check, ingest
from sessionkit.cli.demo import demo
from sessionkit.cli.describe import describe
from sessionkit.cli.effort import effort
from sessionkit.cli.incomplete import incomplete
from sessionkit.cli.init import init
from sessionkit.cli.power import mixed, power
from sessionkit.cli.pseudonymize import pseudonymize
from sessionkit.cli.report import report
from sessionkit.cli.robustness import discriminate, noise
from sessionkit.cli.scores import explain, score
from sessionkit.cli.sweep import sweep

COMMANDS: dict[Callable[..., None], str] = {
    demo: "sessionkit demo --out sessionkit-demo",
    init: "sessionkit init sessions.tsv results.tsv qrels.txt --output study.toml",
    ingest: "sessionkit ingest study.toml --out mystudy",
    check: "sessionkit check mystudy --verify",
    describe: "sessionkit describe mystudy",
    score: "sessionkit score mystudy 'nsDCG@10' 'mean(nDCG@10)' --per system,topic",
    explain: "sessionkit explain mystudy 'sDCG@10' --session s07",
    curve: "sessionkit curve mystudy 'nsDCG@10' --by system_id --min-queries 2",
    breakdown: "sessionkit breakdown mystudy 'nDCG@10' --by last",
    compare: "sessionkit compare mystudy 'nsDCG@10' --by system_id --generalise topics",
    mixed: "sessionkit mixed mystudy 'nsDCG@10' --by system_id",
    power: "sessionkit power mystudy 'nsDCG@10' --difference 0.05",
    correlate: "sessionkit correlate mystudy 'nsDCG@10' 'sDCG@10' --with performance --partial Queries",
    incomplete: "sessionkit incomplete mystudy 'nsDCG@10' 'mean(nDCG@10)' --by system_id --table wanted",
    effort: "sessionkit effort mystudy 'sDCG@10' --document-cost 20 --query-cost 15",
    noise: "sessionkit noise mystudy 'nsDCG@10' --noise 0.1 --draws 500",
    discriminate: "sessionkit discriminate mystudy 'mean(nDCG@10)' 'mean(P@10)' --test bootstrap",
    sweep: "sessionkit sweep mystudy 'nsDCG@10' --vary b=1.5:10:18 --vary bq=1.5:10:18 --map map.svg",
    calibrate: "sessionkit calibrate mystudy --model 'sDCG@10' --model 'sRBP@10'",
    chart: "sessionkit chart mystudy session-curve --output figure2.svg",
    report: "sessionkit report mystudy --output report.html 'nsDCG@10' --redact queries,users",
    pseudonymize: "sessionkit pseudonymize mystudy --out shared --keep condition --mapping secret.csv",
    measures: "sessionkit measures nsDCG",
    formats: "sessionkit formats tables",
    schema: "sessionkit schema results",
}
"""Every command with an example of its use; the function's name is the command's."""


def app_for(asked: str | None) -> typer.Typer:
    """Return the program with the command that is asked for, or with all where that is none of them.

    What is not asked for is not prepared: that costs more than the scoring of a small study.
    """
    app = typer.Typer(
        name="sessionkit",
        help="Session-level evaluation of interactive search: from logs and relevance judgments to scores, curves and a report.",
        epilog=(
            "STUDY is a study directory, a study.toml, or a log file that needs no options. Results go to stdout, notes and "
            "errors to stderr. Exit status: 0 fine; 1 the data is at fault; 2 the command is."
        ),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    named = {command: example for command, example in COMMANDS.items() if command.__name__ == asked}
    for command, example in (named or COMMANDS).items():
        app.command(command.__name__, epilog=f"Example:\n\n\b\n  {example}")(command)
    return app


def _version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        typer.echo(f"sessionkit {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Session-level evaluation of interactive search: from logs and relevance judgments to scores, curves and a report."""
