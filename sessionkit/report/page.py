"""The report: one HTML file with tables, figures, method and notes, which needs nothing from outside."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

import polars as pl

from sessionkit.analysis import describe
from sessionkit.charts.page import chart_place, page
from sessionkit.charts.saving import spec_of
from sessionkit.errors import DataWarning
from sessionkit.report.choices import choices_of
from sessionkit.report.figures import Figure, figures
from sessionkit.report.method import defined, in_words, sentences
from sessionkit.report.redaction import Redaction
from sessionkit.report.style import STYLE
from sessionkit.report.tables import Table, escaped, html_table, table_of
from sessionkit.scoring.measures import Measure, parse_measure
from sessionkit.scoring.scores import score
from sessionkit.study import Study
from sessionkit.study.replacing import require_place, write_whole

MEASURES = ("sDCG@10", "nsDCG@10", "mean(nDCG@10)", "last(nDCG@10)", "nonlast(nDCG@10)")
"""What a report scores by default."""
BANNER = "Synthetic data: this study was made up; nothing in it was observed."

ROWS = 20
"""Rows shown of each table that describes the study; a line below says how many more there are."""


def report(
    study: Study,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    redact: str | Iterable[str] = (),
    topic: str | None = None,
    system: str | None = None,
    min_queries: int = 4,
    per: str = "system",
) -> str:
    """Report a study on one page.

    Parameters
    ----------
    study
        The study.
    measures
        What to score; by default sDCG, nsDCG, and nDCG averaged over all, last and non-last queries, at 10. The figures
        show the first sDCG and the first nsDCG; a caption says where a figure shows another measure than was asked for.
    output
        File to write, whole or not at all.
    redact
        What to leave out: any of ``"users"``, ``"queries"``, ``"documents"``.
    topic, system, min_queries
        What the third and fourth figure show, see `sessionkit.report.choices.choices_of`.
    per
        What to average scores by, see `sessionkit.score`.

    Returns
    -------
    str
        The page: UTF-8 HTML, the same for the same study and version.

    Raises
    ------
    UsageError
        A measure, topic, system, column or kind to redact does not exist, or the output cannot be written.

    Examples
    --------
    >>> import sessionkit as sk
    >>> places = {"session_id": ["s", "s"], "query_position": [1, 2], "rank": [1, 1]}
    >>> results = {**places, "doc_id": ["a", "b"], "topic_id": "t"}
    >>> study = sk.from_tables(results, {"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]})
    >>> report(study, "sDCG@10").count('class="chart"')
    4
    """
    if output is not None:
        require_place(Path(output))
    given = [measures] if isinstance(measures, (str, Measure)) else measures or MEASURES
    asked = [parse_measure(measure) for measure in given]
    redaction = Redaction.of(redact)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        choices = choices_of(
            study, asked if measures else None, topic=topic, system=system, min_queries=min_queries, redaction=redaction
        )
        scores = redaction.frame(_by_measure(score(study, asked, per=per)), study)
        drawn = figures(study, choices)
    for warning in caught:
        if not issubclass(warning.category, DataWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    told = [str(warning.message) for warning in caught if issubclass(warning.category, DataWarning)]
    title = study.settings.title or "Report on a study of search sessions"
    banner = f'<p class="banner" role="note">{BANNER}</p>\n' if study.settings.synthetic else ""
    body = (
        f"<main>\n<h1>{escaped(title)}</h1>\n{banner}"
        f"<h2>The study</h2>\n{_study(study, redaction)}"
        f"<h2>Scores</h2>\n{html_table(table_of(f'Scores by {per}', scores))}"
        f"<h2>Figures</h2>\n{''.join(_figure(number, one) for number, one in enumerate(drawn, 1))}"
        f"<h2>Method</h2>\n{_method(study, asked)}"
        f"<h2>Notes</h2>\n{_notes([*study.notes, *told], redaction)}"
        f"<h2>Data</h2>\n{_data(study)}</main>\n"
    )
    text = page(title, body, style=STYLE)
    if output is not None:
        write_whole(Path(output), text.encode())
    return text


def _by_measure(scores: pl.DataFrame) -> pl.DataFrame:
    """The scores with what is to be compared side by side: all groups of one measure together."""
    order = scores.select(pl.col("measure").unique(maintain_order=True)).with_row_index("_order")
    placed = scores.join(order, on="measure", how="left", maintain_order="left").sort("_order", maintain_order=True)
    return placed.select("measure", pl.exclude("measure", "_order"))


def _study(study: Study, redaction: Redaction) -> str:
    """What the study looks like."""
    found = describe(study)
    shown = found.tables().items()
    tables = [table_of(caption, redaction.frame(frame, study), limit=ROWS) for caption, frame in shown]
    design = f"<p>Design: {escaped(found.design)}; {escaped(found.design_note)}.</p>\n"
    return design + "".join(html_table(table) for table in tables)


def _figure(number: int, figure: Figure) -> str:
    """One figure with its caption."""
    place = chart_place(f"figure-{number}", spec_of(figure.chart)) if figure.chart is not None else ""
    words = f"<strong>Figure {number}. {escaped(figure.title)}.</strong> {escaped(figure.caption)}"
    return f"<figure>\n{place}<figcaption>{words}</figcaption>\n</figure>\n"


def _method(study: Study, measures: list[Measure]) -> str:
    """Every choice in words."""
    items = "".join(
        f"<dt>{escaped(str(measure))}</dt><dd>{escaped(in_words(measure))}.</dd>\n" for measure in defined(measures)
    )
    return f"<dl>\n{items}</dl>\n" + "".join(f"<p>{escaped(text)}</p>\n" for text in sentences(study))


def _notes(notes: list[str], redaction: Redaction) -> str:
    """What was unusual."""
    told = list(dict.fromkeys(redaction.note(note) for note in notes))
    if not told:
        return "<p>Nothing unusual was found.</p>\n"
    return "<ul>\n" + "".join(f"<li>{escaped(note)}</li>\n" for note in told) + "</ul>\n"


def _data(study: Study) -> str:
    """Where the tables came from, and what was rejected by which rule; no value of a rejected row is shown."""
    files = [
        (_place(source.path), source.table, source.records, source.rows, source.rejected, source.sha256 or "\u2013")
        for source in study.sources
    ]
    names = ("Source", "Table", "Records", "Rows", "Rejected", "SHA-256")
    kinds = (False, False, True, True, True, False)
    cells = tuple(tuple(str(cell) for cell in row) for row in files)
    tables = [Table(f"Sources, read as {study.reader}", names, cells, kinds)] if files else []
    rejected = (
        study.rejected.group_by("table", "rule").agg(rows=pl.len().cast(pl.Int64)).sort("table", "rule").collect()
    )
    if len(rejected):
        headers = {"table": "Table", "rule": "Rule broken", "rows": "Rows"}
        tables.append(table_of("Rejected rows", rejected, headers=headers))
    else:
        tables.append(Table("Rejected rows", ("Rows",), (("0",),), (True,)))
    return "".join(html_table(table) for table in tables)


def _place(path: str) -> str:
    """A source as it was named, without the directories of this machine."""
    return PurePath(path).name if PurePath(path).is_absolute() else path
