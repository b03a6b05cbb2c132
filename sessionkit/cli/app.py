"""The commands by name, in the order of the help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sessionkit import __version__
from sessionkit.cli.catalog import (
    TOPICS,
    fold_facts,
    fold_page,
    formats,
    meaning,
    measures,
    names,
    nearest,
    schema,
    title,
)
from sessionkit.cli.command import Command, Commands
from sessionkit.cli.comparisons import compare, correlate, power
from sessionkit.cli.curves import breakdown, curve
from sessionkit.cli.data import check, demo, describe, export, ingest, init, pseudonymize
from sessionkit.cli.figures import chart, charts_app, report
from sessionkit.cli.robustness import agreement, bounds, calibrate, discriminate, judge_noise, judgment_loss, sweep
from sessionkit.cli.runner import plugins_first
from sessionkit.cli.scores import explain, gain_vectors, precision_recall, score, summary
from sessionkit.display.terminal import glossary, guide
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from typer._click import Context


def _known() -> list[str]:
    """The commands and topics that there is help on."""
    return list(dict.fromkeys([*map(name_of, COMMANDS), *TOPICS]))


def _complete_topics(incomplete: str) -> list[str]:
    """The commands and topics; once something is typed, also terms, measures, formats and charts that begin so."""
    if not incomplete:
        return _known()
    from sessionkit.charts.registry import CHARTS
    from sessionkit.readers import FORMATS, JUDGMENTS
    from sessionkit.scoring.measures.registry import MEASURES

    words = [word for word in glossary() if " " not in word]
    known = dict.fromkeys([*_known(), *words, *MEASURES, *FORMATS, *JUDGMENTS, *CHARTS])
    return [name for name in known if name.startswith(incomplete)]


def help_(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="COMMAND|TOPIC|TERM",
            help="A command, a guide, or a term: a word, a measure, a column, an option such as --by.",
            autocompletion=_complete_topics,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Help on a command, a topic or a term."""
    if topic and topic.casefold() in TOPICS:
        typer.echo(fold_page(guide(topic.casefold())), nl=False)
        if topic in map(name_of, COMMANDS):
            typer.echo(f"\nThe command of that name: sessionkit {topic} --help")
        elif entry := meaning(topic.casefold()):
            typer.echo(f"\nThe word itself:\n{fold_page(entry)}")
        return
    if topic is None or topic in map(name_of, COMMANDS):
        app_for(topic)([*([topic] if topic else []), "--help"], prog_name="sessionkit", standalone_mode=False)
        if topic is None:
            typer.echo("Topics of sessionkit help:\n")
            typer.echo(fold_facts({name: title(name) for name in TOPICS}, "  "), nl=False)
        return
    found = _option(topic) if topic.startswith("--") else meaning(topic) or _option(f"--{topic}")
    if found is None:
        known = [*_known(), *glossary(), *names()]
        raise UsageError(f"there is no help on {topic!r}{nearest(topic, known)}; topics: {', '.join(TOPICS)}")
    typer.echo(fold_page(found))


def _option(name: str) -> str | None:
    """What an option is, and which commands have it."""
    found: dict[str, list[str]] = {}
    program: Any = typer.main.get_command(app_for(None))
    for one in program.params:
        if name in one.opts:
            return f"{name} {one.metavar or ''}".rstrip() + f": {one.help}"
    for command, made in program.commands.items():
        for one in made.params:
            if name in one.opts:
                words = " ".join(filter(None, [name, one.metavar]))
                found.setdefault(f"{words}: {one.help}", []).append(command)
    return "\n".join(f"{text} Commands: {', '.join(commands)}." for text, commands in found.items()) or None


PANELS: dict[str, dict[Callable[..., None], str]] = {
    "Start": {
        demo: "sessionkit demo --out sessionkit-demo",
        init: "sessionkit init sessions.csv results.tsv qrels.txt --output study.toml",
        ingest: "sessionkit ingest study.toml --out mystudy",
        check: "sessionkit check mystudy --verify",
        describe: "sessionkit describe mystudy",
    },
    "Score": {
        score: "sessionkit score mystudy 'nsDCG@10' 'mean(nDCG@10)' --by system_id,topic_id",
        explain: "sessionkit explain mystudy 'sDCG@10' --session c001",
        curve: "sessionkit curve mystudy 'nsDCG@10' --by system_id,topic_id --where 'queries >= 2'",
        breakdown: "sessionkit breakdown mystudy 'nDCG@10' --parts last",
        gain_vectors: "sessionkit gain-vectors mystudy 'DCG@100' --by system_id",
        precision_recall: "sessionkit precision-recall mystudy 'gP@100' --chart curve.svg",
        summary: "sessionkit summary mystudy --by topic_id",
    },
    "Compare": {
        compare: "sessionkit compare mystudy 'nsDCG@10' --by system_id --population topics",
        power: "sessionkit power mystudy 'nsDCG@10' --difference 0.05",
        correlate: "sessionkit correlate mystudy 'nsDCG@10' 'sDCG@10' --with satisfaction --control Queries",
    },
    "Robustness": {
        bounds: "sessionkit bounds mystudy 'nsDCG@10' 'mean(nDCG@10)' --by system_id --table wanted",
        judgment_loss: "sessionkit judgment-loss mystudy 'nsDCG@10' --fractions 0.1:1:10 --chart loss.svg",
        judge_noise: "sessionkit judge-noise mystudy 'nsDCG@10' --noise 0.1 --draws 500",
        agreement: "sessionkit agreement mystudy",
        discriminate: "sessionkit discriminate mystudy 'mean(nDCG@10)' 'mean(P@10)' --population topics",
        sweep: "sessionkit sweep mystudy 'nsDCG@10' --vary b=1.5:10:18 --vary bq=1.5:10:18 --chart map.svg",
        calibrate: "sessionkit calibrate mystudy --model 'sDCG@10' --model 'sRBP@10'",
    },
    "Show": {
        chart: "sessionkit chart session-curve mystudy --output figure2.svg",
        report: "sessionkit report mystudy --output report.html 'nsDCG@10' --redact queries,users",
    },
    "Share": {
        export: "sessionkit export run mystudy --output mystudy.run",
        pseudonymize: "sessionkit pseudonymize mystudy --out shared --keep times --mapping secret.csv",
    },
    "Look up": {
        measures: "sessionkit measures nsDCG",
        formats: "sessionkit formats tables",
        schema: "sessionkit schema results",
        help_: "sessionkit help compare",
    },
}
"""Every command with an example of its use, by the panel of the help that it stands in."""
COMMANDS = {command: example for commands in PANELS.values() for command, example in commands.items()}


class InOrder(Commands):
    """The program, whose help lists the commands in the order of `COMMANDS`."""

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 - as click calls it
        """The names of the commands."""
        return [name for name in map(name_of, COMMANDS) if name in self.commands]

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the words of a command line; a line that a shell completes is read without its plugins, which must not run yet."""
        return super().parse_args(ctx, plugins_first(args)[1] if ctx.resilient_parsing else args)


def name_of(command: Callable[..., None]) -> str:
    """The command's name: that of its function, with dashes."""
    return command.__name__.rstrip("_").replace("_", "-")


def app_for(asked: str | None) -> typer.Typer:
    """Return the program with the command that is asked for, or with all where that is none of them.

    What is not asked for is not prepared: that costs more than the scoring of a small study.
    """
    app = typer.Typer(
        name="sessionkit",
        cls=InOrder,
        help="Session-level evaluation of interactive search: from logs and relevance judgments to scores, curves and a report.",
        epilog=(
            "STUDY is a study directory, a study.toml, or a log file that needs no options. Results go to stdout, notes and "
            "errors to stderr. Exit status: 0 success; 1 error in the data; 2 error in the command."
        ),
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    named = {command: example for command, example in COMMANDS.items() if name_of(command) == asked}
    for command, example in (named or COMMANDS).items():
        panel = next(name for name, commands in PANELS.items() if command in commands)
        if command is chart:
            app.add_typer(charts_app(example), name=name_of(chart), rich_help_panel=panel)
        else:
            epilog = f"Example:\n\n\b\n  {example}"
            words = {"ignore_unknown_options": command is help_}  # which are terms
            app.command(name_of(command), cls=Command, epilog=epilog, rich_help_panel=panel, context_settings=words)(
                command
            )
    return app


def _version(asked: bool) -> None:
    """Print the version and exit."""
    if asked:
        typer.echo(f"sessionkit {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            "--plugin",
            metavar="FILE.py",
            help="A file of Python that registers measures, formats or charts; before or behind any command, also several.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Session-level evaluation of interactive search: from logs and relevance judgments to scores, curves and a report."""
