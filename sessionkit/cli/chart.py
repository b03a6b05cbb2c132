"""The command that draws one figure: chart."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from sessionkit.charts.registry import CHARTS
from sessionkit.cli.options import StudyArgument, columns_or_measures_first, open_source
from sessionkit.cli.runner import tell, working
from sessionkit.cli.sweep import GRAMMAR, varied

if TYPE_CHECKING:
    import altair as alt


def chart(
    study: StudyArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="One of the charts above.", show_default=False)],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", metavar="FILE", help="Ends in .svg, .png, .pdf, .html or .json (Vega-Lite).", show_default=False
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="MEASURE",
            help="What to draw. Default: what stands beside the chart above. May be given again where several stand there.",
            show_default=False,
        ),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(
            "--topic",
            metavar="TOPIC",
            help="Only this topic. Default: all; in topic-curves and single-sessions the one with the most queries.",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            metavar="SYSTEM",
            help=(
                "Only this system. Default: all; in single-sessions the first. In rprecision-histogram the one whose lead is "
                "above 0."
            ),
            show_default=False,
        ),
    ] = None,
    min_queries: Annotated[
        int | None,
        typer.Option(
            "--min-queries",
            metavar="N",
            min=1,
            help="Only sessions with at least N logged queries; in topic-curves those that are long. Default: all; 4.",
            show_default=False,
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar=GRAMMAR,
            help="Of sweep-map: what is varied, the first two parameters along the axes. Default: b and bq from 1.5 to 10.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option("--by", metavar="COLUMN", help="Column of the sessions or users to group by, such as topic_id."),
    ] = "system_id",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="SYSTEM",
            help="Second system of rprecision-histogram. Default: the other, where there are two.",
            show_default=False,
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="ID",
            help="Session of waterfall and session-timeline. Default: the one with the most queries.",
            show_default=False,
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="COLUMN",
            help="What correlation-forest correlates with: ratings, other numbers of sessions or users, or a measure; may be "
            "given again.",
            show_default=False,
            callback=columns_or_measures_first,
        ),
    ] = None,
    difference: Annotated[
        str | None,
        typer.Option(
            "--difference",
            metavar="NUMBER|SHARE%",
            help="Of power-curve: the smallest true difference worth finding, as power has it.",
            show_default=False,
        ),
    ] = None,
    average: Annotated[
        str | None,
        typer.Option(
            "--average",
            metavar="sessions|queries",
            help="Of last-vs-nonlast: within sessions of two or more queries, or all queries pooled, after ECIR 2008, and by "
            "default sDCG@100. Default: sessions.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help='Title above the chart; "" for none.', show_default=False),
    ] = None,
) -> None:
    """A figure of the study as a file; its caption goes to stdout."""
    from sessionkit.charts import save
    from sessionkit.charts.encodings import retitled
    from sessionkit.errors import visible
    from sessionkit.reports.single import single_figure
    from sessionkit.scoring.measures.grammar import parse_measure
    from sessionkit.study.atomic_files import require_place

    require_place(output)
    asked = [parse_measure(text) for text in measure or []]
    opened = open_source(study)
    with working("drawing"):
        made = single_figure(
            opened,
            kind,
            asked,
            topic=topic,
            system=system,
            min_queries=min_queries,
            vary=varied(vary or []),
            by=by,
            session=session,
            with_=with_ or (),
            against=against,
            difference=difference,
            average=average,
        )
        drawn = cast("alt.LayerChart", made.chart)
        save(drawn if title is None else retitled(drawn, title), output)
    typer.echo(visible(made.caption) if sys.stdout.isatty() else made.caption)
    tell(f"written: {output}")


def _kinds() -> str:
    """The charts with what each shows, and of which measures, as a part of the help that is not wrapped."""
    lines = []
    for kind, one in CHARTS.items():
        measures = f" ({' '.join(one.measures)})" if one.measures else ""
        lines += [f"{kind}{measures}", *textwrap.wrap(one.shows, 72, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(["\b", *lines])


chart.__doc__ = f"{chart.__doc__}\n\n{_kinds()}"
