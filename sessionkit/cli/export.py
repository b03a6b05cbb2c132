"""The command that writes a study as files of TREC: export."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from sessionkit.choices import TrecFile
from sessionkit.cli.options import OutputOption, StudyArgument, WhereOption, Word, open_source, words
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import note, working
from sessionkit.errors import UsageError, suggestion, visible


def export(
    kind: Annotated[
        Word,
        typer.Argument(
            metavar=words(TrecFile),
            help="run: the lists of every query. qrels: the judgments of every query.",
            show_default=False,
        ),
    ],
    study: StudyArgument,
    where: WhereOption = None,
    output: OutputOption = None,
) -> None:
    r"""Write a study as a TREC run or qrels.

    Tools that read files of trec_eval can read it. The id of a query is session_id, an underscore and query_position; the tag is the
    system. Lists keep their scores where these order them as the ranks do, else the score is -rank. Lists without results are not
    in a run. To read both back: ingest --session-from `(?P<session>.+)_(?P<position>\d+)`.
    """
    kinds = get_args(TrecFile)
    if kind not in kinds:
        raise UsageError(f"{kind!r} is not exported{suggestion(kind, kinds)}; it can be {' or '.join(kinds)}")
    from sessionkit.display.words import counted
    from sessionkit.study.trec_tables import trec_text

    to = destination(OutputForm.tsv, output)
    opened = open_source(study, where)
    with working(f"exporting {study}"):
        table = opened.to_run() if kind == "run" else opened.to_qrels()
        text = trec_text(table)
    if to.terminal:
        text = "\n".join(map(visible, text.split("\n")))
    to.write(text.encode())
    facts = opened.facts
    if kind == "run" and facts.lists_with_gaps:
        note(f"{counted(facts.lists_with_gaps, 'list')} with gaps in the ranks, which close where lists go by score")
    if kind == "run" and (facts.empty or facts.not_logged):
        note(
            f"lists that are not in the run: {facts.empty:,} empty, {facts.not_logged:,} not logged; tools that read it cannot tell these "
            "apart"
        )
    if kind == "qrels" and facts.judgments and not len(table):
        note("no query has a judgment")
