"""Commands that draw: chart and report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args, get_type_hints

import typer

from sessionkit.arguments import EffortUnit, FigureFormat, FigureStyle, FigureUnit, FurtherPart, RedactedKind
from sessionkit.charts.registry import CHARTS, SUMMARY, ChartKind, function_of
from sessionkit.cli.command import Command, Commands
from sessionkit.cli.options import (
    AGAINST,
    DIFFERENCE,
    GAIN,
    MEASURES,
    OUTPUT,
    SESSION,
    VARY,
    WITH,
    AverageOption,
    ByOption,
    MemoryOption,
    NormalizeOption,
    StudyArgument,
    WhereOption,
    complete_measures,
    measures_first,
    open_source,
    words,
)
from sessionkit.cli.robustness import varied
from sessionkit.cli.runner import COMMAND, note, tell, working
from sessionkit.errors import UsageError, visible

if TYPE_CHECKING:
    import altair as alt
    from typer._click import Command as AnyCommand
    from typer._click import Context

    from sessionkit.reports.figures.figure import Figure
    from sessionkit.study import Study


def _each_option(*, hidden: bool = False) -> Any:  # noqa: ANN401 - as of typer.Option
    """The option --each, which kinds that do not have it hide."""
    return typer.Option(
        "--each",
        metavar="session|user|topic",
        help="Draw a file for every one of these, with the same axes in all, and an index; each session has its own time axis. "
        "--output names the folder.",
        show_default=False,
        hidden=hidden,
    )


EACH = _each_option()


def chart(
    kind: str,
    study: StudyArgument,
    measures: Annotated[list[str] | None, MEASURES] = None,
    *,
    output: Annotated[Path, OUTPUT],
    each: Annotated[str | None, EACH] = None,
    format_: Annotated[
        FigureFormat | None,
        typer.Option("--format", help="Format of the files of --each. Default: svg.", show_default=False),
    ] = None,
    where: WhereOption = None,
    vary: Annotated[list[str] | None, VARY] = None,
    by: ByOption = "system_id",
    against: Annotated[str | None, AGAINST] = None,
    session: Annotated[str | None, SESSION] = None,
    sessions: Annotated[
        str | None,
        typer.Option(
            "--sessions",
            metavar="ID,ID",
            help="The two sessions, of one topic. Default: the two that differ most, of different groups and judged alike.",
            show_default=False,
        ),
    ] = None,
    with_: Annotated[list[str] | None, WITH] = None,
    difference: Annotated[str | None, DIFFERENCE] = None,
    average: AverageOption = None,
    normalize: NormalizeOption = None,
    gain: Annotated[float | None, GAIN] = None,
    along: Annotated[
        EffortUnit | None,
        typer.Option("--along", help="What was spent on the gain. Default: results.", show_default=False),
    ] = None,
    long: Annotated[
        int | None,
        typer.Option(
            "--long",
            metavar="N",
            min=1,
            help="Number of queries that makes a session long. Default: 4.",
            show_default=False,
        ),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            metavar="ORDER",
            help="Order within a topic and group: user, score, judged, queries, or a column. Default: user where users searched "
            "a topic with two groups, else score.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help='Title above the chart; "" for none.', show_default=False),
    ] = None,
    no_title: Annotated[
        bool,
        typer.Option("--no-title", help="Leave out the title; lines below it and the mark of synthetic data stay."),
    ] = False,
    width: Annotated[
        str | None,
        typer.Option(
            "--width",
            metavar="LENGTH",
            help="Width of the whole figure, such as 84mm, 174mm, 3.3in.",
            show_default=False,
        ),
    ] = None,
    height: Annotated[
        str | None,
        typer.Option(
            "--height", metavar="LENGTH", help="Height of the whole figure, such as 60mm.", show_default=False
        ),
    ] = None,
    font: Annotated[
        str | None,
        typer.Option("--font", metavar="NAME", help="Font of all text, which must be installed.", show_default=False),
    ] = None,
    font_size: Annotated[
        float | None,
        typer.Option(
            "--font-size", metavar="POINTS", help="Size of labels. Default with --width: 8.", show_default=False
        ),
    ] = None,
    style: Annotated[
        FigureStyle,
        typer.Option("--style", help="screen, paper (no room around the figure) or grey (that in shades of gray)."),
    ] = "screen",
) -> None:
    """Draw a figure of the study; its caption goes to stdout."""
    from sessionkit.charts.print_layout import print_layout
    from sessionkit.reports.single_figures import require_drawn, require_each, single_figure
    from sessionkit.study.files import require_place

    if no_title and title is not None:
        raise UsageError("--title and --no-title contradict each other; leave one of them out")
    size: dict[str, Any] = {"width": width, "height": height, "font": font, "font_size": font_size, "style": style}
    layout = print_layout(**size)
    require_drawn(kind, measures_first(measures) or [])
    options: dict[str, Any] = {
        "where": where,
        "by": by,
        "against": against,
        "difference": difference,
        "average": average,
    }
    options |= {"normalize": normalize, "gain": gain, "along": along, "long": long, "sort": sort}
    if each is not None:
        chosen = {"session": session, "sessions": sessions}
        require_each(kind, each, [name for name, value in chosen.items() if value is not None])
        title = "" if no_title else title
        _draw_each(study, kind, each, output, measures, format=format_ or "svg", title=title, **options, **size)
        return
    if format_ is not None:
        raise UsageError(
            f"--format belongs to --each; without it the name of the file has the ending: {output.stem}.{format_}"
        )
    if output.is_dir() and CHARTS[kind].each:
        raise UsageError(
            f"{output} is a directory; name a file in it, or draw all: --each {'|'.join(CHARTS[kind].each)}"
        )
    require_place(output)
    opened = open_source(study)
    with working("drawing"):
        made = single_figure(
            opened,
            kind,
            measures,
            vary=varied(vary or []),
            session=session,
            sessions=[one.strip() for one in sessions.split(",")] if sessions is not None else (),
            with_=with_ or (),
            size=layout,
            **options,
        )
        made = _retitled(made, "" if no_title else title)
        if kind == "session-wall" and output.suffix.lower() == ".html":
            files = [_save_page(opened, made, output, measures=measures, where=where, by=by)]
        else:
            files = _save_sheets(made, output, size)
    typer.echo(visible(made.caption) if sys.stdout.isatty() else made.caption)
    for file in files:
        tell(f"written: {file}")


def _retitled(figure: Figure, title: str | None) -> Figure:
    """The figure under another title, unless that is None."""
    from sessionkit.charts.encodings import retitled

    if title is None:
        return figure
    chart, *further = [
        retitled(cast("alt.LayerChart", sheet), title) for sheet in (figure.chart, *figure.further_sheets)
    ]
    return replace(figure, chart=chart, further_sheets=tuple(further))


def _save_sheets(figure: Figure, output: Path, size: dict[str, Any]) -> list[Path]:
    """Write a figure; of several sheets each to a file of its own, numbered behind its name."""
    from sessionkit.charts import save

    sheets = [cast("alt.LayerChart", figure.chart), *figure.further_sheets]
    if len(sheets) == 1:
        return [save(sheets[0], output, **size)]
    digits = max(2, len(str(len(sheets))))
    return [
        save(sheet, output.with_name(f"{output.stem}-{number:0{digits}}{output.suffix}"), **size)
        for number, sheet in enumerate(sheets, 1)
    ]


def _save_page(
    study: Study, figure: Figure, output: Path, *, measures: list[str] | None, where: str | None, by: str
) -> Path:
    """Write a figure of sessions as a page on which a click opens one of them."""
    from sessionkit.reports.page import session_page
    from sessionkit.scoring.needs import measure_of
    from sessionkit.study.files import write_whole
    from sessionkit.study.selection import restricted

    sheets = [replace(figure, chart=sheet, further_sheets=()) for sheet in (figure.chart, *figure.further_sheets)]
    measure = measure_of(study, (measures or CHARTS[figure.kind].measures)[0])
    page = session_page(restricted(study, where), sheets, measure, by=by)
    return write_whole(output, page.encode())


def _draw_each(study: str, kind: str, each: str, output: Path, measures: list[str] | None, **options: Any) -> None:  # noqa: ANN401
    """Draw a figure of every session, user or topic into a folder; what is written, and what is not, goes to stderr."""
    from sessionkit.display.labels import label
    from sessionkit.display.numbers import counted
    from sessionkit.reports.single_figures import each as draw_each

    ending = output.suffix.lower().removeprefix(".")
    if not output.is_dir() and ending in get_args(FigureFormat):
        raise UsageError(
            f"--each writes a folder with a file for every {each}, and {output} names one file; "
            f"give --output {output.with_suffix('')} --format {ending}"
        )
    with working("drawing"):
        table = draw_each(open_source(study), kind, cast("FigureUnit", each), output, measures, **options)
    left_out = [(value, reason) for value, file, reason in table.iter_rows() if file is None]
    for value, reason in left_out[:NAMED_LEFT_OUT]:
        note(f"not drawn: {reason}" if value is None else f"not drawn: {label(value)}: {reason}")
    if len(left_out) > NAMED_LEFT_OUT:
        note(f"not drawn: {len(left_out) - NAMED_LEFT_OUT:,} more, which {output / 'index.html'} names")
    tell(f"written: {counted(table.get_column('file').count(), 'figure')} and {output / 'index.html'}")


class ChartCommands(Commands):
    """The kinds of chart; without one, they are listed."""

    noun = "chart"

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the words behind ``chart``."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            ctx.exit(COMMAND)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Context, cmd_name: str) -> AnyCommand | None:
        """The command of a kind; those of others are made when they are asked for, as they have to be looked for."""
        if cmd_name not in self.commands and cmd_name in CHARTS:
            app = typer.Typer(rich_markup_mode="markdown", add_completion=False)
            _add(app, cmd_name)
            self.commands[cmd_name] = cast("AnyCommand", typer.main.get_command(app))
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Context) -> list[str]:
        """The kinds, those of others last."""
        return list(dict.fromkeys([*super().list_commands(ctx), *CHARTS.others()]))


NAMED_LEFT_OUT = 5
"""Values that messages name where they cannot be drawn; the index names all."""
COMMON = (
    "study", "output", "each", "where", "by", "title", "no_title", "width", "height", "font", "font_size", "style",
)  # fmt: skip
"""Parameters of every chart."""


def charts_app(example: str) -> typer.Typer:
    """Return the command chart: a command for each kind, with the options of that kind alone."""
    app = typer.Typer(
        cls=ChartCommands,
        help=chart.__doc__,
        epilog=f"Example:\n\n\b\n  {example}",
        rich_markup_mode="markdown",
        subcommand_metavar="KIND STUDY [ARGS]...",
    )
    for kind in CHARTS.own:
        _add(app, kind)
    return app


def _add(app: typer.Typer, kind: str) -> None:
    """Add the command of a kind to a program."""
    entry = CHARTS[kind]
    app.command(
        kind,
        cls=Command,
        help=_shows(entry),
        short_help=_in_help(entry),
        epilog=f"Example:\n\n\b\n  {_example(kind, entry)}",
    )(_command_of(kind))


def _command_of(kind: str) -> Callable[..., None]:
    """The function of one kind: `chart` with the parameters that this kind has."""
    entry, hints = CHARTS[kind], get_type_hints(chart, include_extras=True)
    own = {*COMMON, *(("measures",) if entry.measures else ()), *entry.options, *(("format",) if entry.each else ())}
    if not entry.each:  # it is refused with the kinds that have it
        hints["each"] = Annotated[str | None, _each_option(hidden=True)]
    parameters = [
        parameter.replace(annotation=hints[name])
        for name, parameter in signature(chart).parameters.items()
        if name.rstrip("_") in own
    ]

    def draw(**given: Any) -> None:  # noqa: ANN401 - as the parameters of `chart` are
        chart(kind, **given)

    draw.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    draw.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return draw


def _shows(entry: ChartKind) -> str:
    """What a kind shows, and of which measures."""
    default = "Default measures" if len(entry.measures) > 1 else "Default measure"
    measures = f" {default}: {' '.join(entry.measures)}." if entry.measures else ""
    shows = _in_help(entry)
    return f"{shows[:1].upper()}{shows[1:]}.{measures}"


def _in_help(entry: ChartKind) -> str:
    """What a kind shows, as help prints it, which is Markdown: what others say of theirs is plain text."""
    if isinstance(entry.figure, str):
        return entry.shows
    from sessionkit.display.export import escape_markdown  # with polars

    return escape_markdown(visible(entry.shows))


def _example(kind: str, entry: ChartKind) -> str:
    """A command that draws a kind."""
    needed = {"difference": " --difference 0.05", "with": " --with satisfaction"}
    words = "".join(needed.get(option, "") for option in entry.options)
    return f"sessionkit chart {kind} mystudy --output {function_of(kind)}.svg{words}"


PAGES = (".html", ".htm")


def report(
    study: StudyArgument,
    output: Annotated[Path, OUTPUT],
    measures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MEASURE",
            help=f"Measures to score. Default: {' '.join(SUMMARY)}.",
            autocompletion=complete_measures,
            callback=measures_first,
            show_default=False,
        ),
    ] = None,
    *,
    primary: Annotated[
        str | None,
        typer.Option(
            "--primary",
            metavar="MEASURE",
            autocompletion=complete_measures,
            callback=measures_first,
            help="The primary measure: the page gives a verdict on it alone, and says that it was chosen for the report. "
            "Default: the one that study.toml declares.",
            show_default=False,
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="New folder for every figure of the page: SVG and PDF, its data as one CSV file, its caption.",
            show_default=False,
        ),
    ] = None,
    redact: Annotated[
        str,
        typer.Option(
            "--redact",
            metavar=words(RedactedKind),
            help="What to leave out; several joined by commas. With any of them, names and hashes of the source files and names of "
            "plugins are left out, too.",
            show_default=False,
        ),
    ] = "",
    by: ByOption = "system_id",
    where: WhereOption = None,
    also: Annotated[
        str,
        typer.Option(
            "--also",
            metavar=words(FurtherPart),
            help="Additional analyses: compare --population users,topics (mixed), power, judge-noise (noise), discriminate; several "
            "joined by commas.",
            show_default=False,
        ),
    ] = "",
    difference: Annotated[str | None, DIFFERENCE] = None,
    memory: MemoryOption = None,
) -> None:
    """Write an HTML page: findings, scores, figures, method.

    The page needs no network, and text from the log cannot run in it. It has live discounts and a session explorer.
    """
    from sessionkit.reports import report as reported
    from sessionkit.study.files import require_place

    require_place(output)
    if output.suffix and output.suffix.lower() not in PAGES:
        raise UsageError(f"{output.name} ends in {output.suffix}; a report is an HTML page: name it {output.stem}.html")
    opened = open_source(study, where)
    with working("reporting"):
        reported(
            opened,
            measures or None,
            primary=primary,
            output=output,
            figures=figures,
            redact=redact,
            by=by,
            also=also,
            difference=difference,
            memory=memory,
        )
    tell(f"written: {output}{f' and {figures}' if figures is not None else ''}")
