"""The page of a report: sections, figures and tables as escaped HTML, tooltips, figures as files, and pages of single sessions."""

from __future__ import annotations

import base64
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl
from altair.utils.schemapi import debug_mode
from markupsafe import Markup

from sessionkit.arguments import FurtherPart, RedactedKind
from sessionkit.charts.files import chart_place, data, page, save, script, spec_of
from sessionkit.charts.registry import SUMMARY
from sessionkit.display.export import csv_frame, csv_table, latex_table, markdown_table
from sessionkit.display.labels import shortened
from sessionkit.display.numbers import CHANCES
from sessionkit.display.tables import TextTable
from sessionkit.display.templates import macros, rendered, shortened_text
from sessionkit.display.terminal import glossary
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError, warn
from sessionkit.reports.choices import Also, Redaction, choices_of, labeled
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.parts import Code, FigureRow, Heading, Part, Section, Terms, Tiles, Widget, Words
from sessionkit.reports.report_data import Material, StudyQuestion
from sessionkit.reports.sections.registry import SECTIONS
from sessionkit.reports.sections.sessions import explorer, explorer_parts
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.reduction import Reduction, cache_batches, columns_of_tasks, in_one_pass
from sessionkit.scoring.score import By, group_keys, session_measures
from sessionkit.study import Study
from sessionkit.study.files import require_place, write_whole
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

MEASURES = SUMMARY
"""What a report scores by default."""
BANNER = "Synthetic data: this study was made up; nothing in it was observed."


def _about(study: Study, redaction: Redaction) -> str:
    """How large the study is, and which sessions of it take part where not all do."""
    if study.restriction is None:
        return study.facts.in_words
    if redaction.kinds:
        return f"{study.facts.in_words}. Sessions that meet a condition, which is left out here: {study.restriction.counts}."
    return f"{study.facts.in_words}. Sessions where {study.restriction}."


class Page(str):
    """The text of a page; where a value is shown, a line about it instead of a megabyte of markup."""

    __slots__ = ()

    def __repr__(self) -> str:
        """How long it is, and how to keep it."""
        return f'<report, {len(self):,} characters of HTML; report(..., output="report.html") writes it>'


@guarded_read
def report(
    study: Study,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    primary: str | Measure | None = None,
    where: Where = None,
    output: str | os.PathLike[str] | None = None,
    figures: str | os.PathLike[str] | None = None,
    redact: str | Iterable[RedactedKind] = (),
    by: By = "system_id",
    also: str | Iterable[FurtherPart] = (),
    difference: float | str | None = None,
    memory: str | int | None = None,
) -> str:
    """Report a study on one page.

    Parameters
    ----------
    study
        The study.
    measures
        What to score and compare; by default sDCG, nsDCG, and nDCG averaged over all, last and non-last queries, at 10. The
        figures show the first sDCG and the first nsDCG; a caption says where a figure shows another measure than was asked for.
    primary
        The primary measure, on which alone the report gives a verdict: chosen now, and the page says so. By default the one
        that study.toml declares; with none declared nsDCG@10, or else the first measure, stands first without a verdict.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    output
        File to write, whole or not at all.
    figures
        A new folder for every figure of the page: the drawing as SVG and PDF, its data as CSV, its caption as text.
    redact
        What to leave out: any of ``"users"``, ``"queries"``, ``"documents"``. With any of them, names and hashes of the source files
        and names of plugins are left out, too. Topics and systems are numbered if one of them repeats what is redacted.
    by
        Columns to average scores by, and to compare if there is one, see `sessionkit.score`.
    also
        What to work out beside what a report always has, as it takes time or an extra: any of ``"mixed"``
        (`sessionkit.compare` with ``population="users,topics"``), ``"power"`` (`sessionkit.power`, of the first measure),
        ``"noise"`` (`sessionkit.judge_noise`) and ``"discriminate"`` (`sessionkit.discriminate`).
    difference
        The smallest true difference worth finding, which ``"power"`` needs: in the first measure's units or, such as
        ``"10%"``, as a share of the first group's mean.
    memory
        Memory to score within, see `sessionkit.score`.

    Returns
    -------
    str
        The page: UTF-8 HTML, the same for the same study and version.

    Raises
    ------
    UsageError
        A measure, column, kind to redact or further part does not exist, power has no difference to plan for,
        or the output cannot be written.

    Examples
    --------
    >>> import sessionkit as sk
    >>> places = {"session_id": ["s", "s"], "query_position": [1, 2], "rank": [1, 1]}
    >>> results = {**places, "doc_id": ["a", "b"], "topic_id": "t"}
    >>> study = sk.from_tables(results, {"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]})
    >>> report(study, "sDCG@10").count('data-chart="')
    4
    """
    if output is not None:
        require_place(Path(output))
    _require_measures(measures)
    study = restricted(study, where)
    made = sections_of(
        study,
        measures,
        primary=primary,
        redact=redact,
        by=by,
        also=also,
        difference=difference,
        memory=memory,
    )
    title = study.settings.title or "Report on a study of search sessions"
    body = rendered(
        "reports/report.html",
        title=title,
        about=_about(study, Redaction.of(redact)),
        banner=BANNER if study.settings.synthetic else "",
        sections=html_sections(made, terms_of(study)),
    )
    scripts = [script("reports/sections.js")]
    scripts += [
        one for section in made for part in section.every_part() if isinstance(part, Widget) for one in part.scripts
    ]
    text = page(shortened(title), body, style_sheet="reports/report.css", scripts=scripts)
    if figures is not None:
        write_figures(made, figures)
    if output is not None:
        write_whole(Path(output), text.encode())
    return Page(text)


def _require_measures(measures: object) -> None:
    """Refuse a file in the place of measures."""
    listed = (
        [measures] if isinstance(measures, str | os.PathLike) else measures if isinstance(measures, Sequence) else []
    )
    for one in listed:
        if isinstance(one, os.PathLike) or (isinstance(one, str) and one.strip().lower().endswith((".html", ".htm"))):
            file = os.fspath(one)
            raise UsageError(
                f"the second argument of report is measures, and {file!r} is a file: write report(study, output={file!r})"
            )


def sections_of(
    study: Study,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    primary: str | Measure | None = None,
    redact: str | Iterable[RedactedKind] = (),
    by: By = "system_id",
    also: str | Iterable[FurtherPart] = (),
    difference: float | str | None = None,
    memory: str | int | None = None,
) -> list[Section]:
    """Return the sections of a report as values; the arguments are those of `report`."""
    redaction, asked_also = Redaction.of(redact).for_study(study), Also.of(also, difference)
    study = labeled(redaction.without_repeats(study), ["system_id", *group_keys(study, by)])
    # tests hold every chart against Vega-Lite's schema; to do so part by part takes longer than to make the page
    with warnings.catch_warnings(record=True) as caught, debug_mode(False):
        warnings.simplefilter("always")
        asked = list(session_measures(study, list_measures(measures or MEASURES)))
        material = Material.of(
            study,
            asked,
            asked=bool(measures),
            primary=primary,
            by=by,
            redaction=redaction,
            also=asked_also,
            memory=memory,
        )
        made = []
        with _read_once(material):
            _ = material.scores, material.comparison, material.others  # what they warn of stands first among the notes
            for section in SECTIONS:
                told = [redaction.warning(one.message) for one in caught if isinstance(one.message, DataWarning)]
                material.notes[:] = [*study.notes, *told]
                made.append(section(material))
    if material.too_many is not None:
        warn(f"{material.too_many}.")
    made = [section for section in made if section.parts]
    for warning in caught:
        if not issubclass(warning.category, DataWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return made


@contextmanager
def _read_once(of: Material) -> Iterator[None]:
    """Read a study once for what its sections ask, as long as this lasts; what depends on answers is read for alone."""
    every = [section for outer in SECTIONS for section in outer.and_details()]
    of_all: list[Callable[[], StudyQuestion[Any]]] = [
        *of.questions(),
        *(partial(asked, of) for section in every for asked in section.of_all),
    ]
    of_shown = [partial(asked, of) for section in every for asked in section.of_shown]
    if of.large:
        with (
            in_one_pass(of.study, _reductions(of_all), of.memory),
            in_one_pass(of.shown, _reductions(of_shown), of.memory),
        ):
            yield
    else:
        tasks = _reductions([*of_all, *of_shown])
        with cache_batches(of.study, columns_of_tasks(tasks)), in_one_pass(of.study, tasks, of.memory):
            yield


def _reductions(asked: Iterable[Callable[[], StudyQuestion[Any]]]) -> list[Reduction]:
    """What questions read the study for; what the study does not allow is left to its section."""
    made: list[Reduction] = []
    for question in asked:
        with suppress(DataError, MeasureError, UsageError):
            made += question().reductions()
    return made


ROOM = 12_000_000
"""Bytes that the explorer may take: a click on any of a few thousand sessions opens it."""


def session_page(study: Study, figures: Sequence[Figure], measure: Measure, *, by: str = "system_id") -> str:
    """Return a page of figures above an explorer of the study's sessions.

    A click on a mark whose datum has a ``session_id`` opens that session in the explorer.

    Parameters
    ----------
    study
        The study that the figures are of.
    figures
        One or more figures.
    measure
        The measure of the table of sessions; the explorer draws the sum of gains with its parameters.
    by
        Column of sessions or users that makes the groups.
    """
    material = Material(study, (measure,), by, choices_of(study, [measure], by=by), Redaction())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the figures warned of the same
        sections = [
            Section("figures", figures[0].title, tuple(figures)),
            Section("explorer", str(explorer.title), tuple(explorer_parts(material, ROOM))),
        ]
    widgets = [part for section in sections for part in section.parts if isinstance(part, Widget)]
    title = study.settings.title or figures[0].title
    body = rendered(
        "reports/session_page.html",
        title=title,
        about=study.facts.in_words,
        banner=BANNER if study.settings.synthetic else "",
        sections=html_sections(sections),
    )
    scripts = [script("reports/sections.js"), *(text for widget in widgets for text in widget.scripts)]
    return page(shortened(title), body, style_sheet="reports/report.css", scripts=scripts)


PARTS = {Words: "words", Terms: "terms", Code: "code", Widget: "widget", Tiles: "tiles"}
"""The macro that writes each kind of part; figures and tables have numbers besides."""
TABLE_FORMATS: dict[str, tuple[str, str, Callable[[TextTable], str]]] = {
    "tex": ("LaTeX", "application/x-tex", latex_table),
    "md": ("Markdown", "text/markdown", markdown_table),
    "csv": ("CSV", "text/csv", csv_table),
}
"""What a table can be saved as, by the ending of the file's name."""
MOST = 60_000
"""Bytes of a table as a file beyond which the page does not hold it."""


def html_table(table: TextTable, name: str | None = None) -> Markup:
    """Return a table as HTML.

    Parameters
    ----------
    table
        The table.
    name
        The name of the files it can be saved as, without an ending; none if not given.
    """
    files = _files(table) if name else []
    if any(ending == "csv" for ending, *_ in files):
        table = replace(table, way_to_all="the CSV has them")
    has_p_values = not set(CHANCES).isdisjoint(table.frame.columns)
    html: Markup = macros("reports/parts.html").table(table, name, files, has_p_values)
    return html


def _files(table: TextTable) -> list[tuple[str, str, str, str]]:
    """The ending, kind, type and content of the files of a table that are not too large for the page."""
    written = {ending: form(table).encode() for ending, (_, _, form) in TABLE_FORMATS.items()}
    return [
        (ending, *TABLE_FORMATS[ending][:2], base64.b64encode(content).decode())
        for ending, content in written.items()
        if len(content) <= MOST
    ]


def html_sections(sections: Sequence[Section], terms: Sequence[str] = ()) -> Markup:
    """Return sections as the body of a page; of `terms` the first in each section has a tooltip, see `tooltips`."""
    written = rendered("reports/sections.html", sections=sections, written=SectionWriter().html)
    marked = mark_terms(written, terms)
    return marked + explain_terms([term for term in terms if is_marked(term, marked)])


@dataclass
class SectionWriter:
    """Writes parts, with the number of each figure and table; those that are folded have numbers of their own, S1, S2, ..."""

    figures: int = 0
    tables: int = 0
    folded_figures: int = 0

    def html(self, part: Part, folded: bool = False) -> Markup:
        """One part as HTML."""
        if isinstance(part, TextTable):
            self.tables += 1
            return html_table(part, f"table-{self.tables}")
        written = macros("reports/parts.html")
        if isinstance(part, FigureRow):
            return written.beside([self.html(figure, folded) for figure in part.figures])
        if isinstance(part, Figure):
            if folded:
                self.folded_figures += 1
            else:
                self.figures += 1
            number = f"S{self.folded_figures}" if folded else str(self.figures)
            html: Markup = written.figure(part, number, _place(part, f"figure-{number.lower()}"))
        else:
            html = (
                written.heading(part, folded)
                if isinstance(part, Heading)
                else getattr(written, PARTS[type(part)])(part)
            )
        return html


def _place(figure: Figure, name: str) -> Markup:
    """Where a figure's chart is drawn; its caption is also its text for those who cannot see it."""
    if figure.chart is None:
        return Markup()
    spec = _short(spec_of(figure.chart, check=False))
    return chart_place(name, {**spec, "description": shortened_text(f"{figure.title}. {figure.caption}")})


def _short(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A specification in which no name is endless."""
    if isinstance(value, str):
        return shortened(value)
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, list) else value


SPELLINGS = {
    "judged share": r"judged shares?",
    "unjudged": r"unjudged",
    "ideal": r"ideals?",
    "discount": r"discounts?",
    "95% interval": r"95%\s(?:CIs?|intervals?)|confidence intervals?",
    "bounds": r"bounds",
    "slot": r"slots?",
    "query position": r"query positions?",
    "primary measure": r"primary measure",
    "crossover": r"crossover",
    "least squares": r"least squares",
    "bonferroni": r"Bonferroni|Holm",
    "bootstrap": r"bootstrap",
    "wilson": r"Wilson",
    "reformulation": r"reformulations?",
}
"""How prose spells each term; the keys are words of the glossary."""
PROSE = re.compile(r"(?s)(<(p|li|dd|figcaption)\b[^>]*>)(.*?)(?=</\2>)")
"""What is read as sentences; not headings, tables, controls and drawings."""
QUOTED = r"&#39;.*?&#39;|&#34;.*?&#34;"
"""Escaped text in quotation marks, which may be from a log."""


def terms_of(study: Study) -> list[str]:
    """Return the terms that occur in no name of a study: a group called ideal is not the ideal."""
    any_term = f"(?i){'|'.join(SPELLINGS.values())}"
    names: list[str] = []
    for table in (study.sessions, study.users):
        schema = table.collect_schema()
        texts = pl.concat_list(pl.col(name).cast(pl.String) for name, dtype in schema.items() if dtype == pl.String)
        with_term = table.select(name=texts.explode()).filter(pl.col("name").str.contains(any_term)).unique()
        names += [*schema.names(), *with_term.collect().get_column("name")]
    return [
        term for term, spelling in SPELLINGS.items() if not any(re.search(f"(?i){spelling}", name) for name in names)
    ]


def mark_terms(sections: Markup, terms: Sequence[str]) -> Markup:
    """Return sections, in each of which the first of each term in prose can be pointed at, touched or reached by the keyboard."""
    if not terms:
        return sections
    pieces = re.split("(?=<section id=)", sections)
    return Markup("".join(_mark_section(piece, terms) for piece in pieces))  # noqa: S704 - HTML in, and own tags


def _mark_section(section: str, terms: Sequence[str]) -> str:
    """Return one section with its terms marked."""
    pattern = re.compile("|".join([QUOTED, *(rf"(?P<{_id(term)}>\b(?:{SPELLINGS[term]})\b)" for term in terms)]))
    ids = {_id(term) for term in terms}

    def marked(match: re.Match[str]) -> str:
        if match.lastgroup not in ids:
            return match[0]
        ids.remove(match.lastgroup)
        return f'<dfn tabindex="0" aria-describedby="{match.lastgroup}">{match[0]}</dfn>'

    def in_prose(match: re.Match[str]) -> str:
        pieces = re.split("(<[^>]*>)", match[3])  # texts and, at odd places, tags
        return match[1] + "".join(text if nth % 2 else pattern.sub(marked, text) for nth, text in enumerate(pieces))

    return PROSE.sub(in_prose, section)


def is_marked(term: str, sections: Markup) -> bool:
    """Return whether sections have a tooltip for a term."""
    return f'aria-describedby="{_id(term)}"' in sections


def explain_terms(terms: Sequence[str]) -> Markup:
    """Return what terms mean, each in an element that is hidden until its term is pointed at."""
    return rendered("reports/tooltips.html", entries={_id(term): meanings()[term] for term in terms})


@cache
def meanings() -> Mapping[str, str]:
    """Return the entry of the glossary for each term."""
    return {term: glossary()[term].replace("`", "") for term in SPELLINGS}


def _id(term: str) -> str:
    """Return the id of the element with a meaning, which is also the name of a group of a pattern."""
    return f"term_{re.sub('[^a-z0-9]', '_', term)}"


FIGURE_FORMATS = ("svg", "pdf")
"""What each figure is drawn as."""


def figures_of(sections: Iterable[Section]) -> Iterator[Figure]:
    """The figures of a page that are drawn: those that it shows, then those that it folds."""
    shown = list(sections)
    yield from (figure for section in shown for figure in _of_parts(section))
    for section in shown:
        yield from figures_of(section.details)


def _of_parts(section: Section) -> Iterator[Figure]:
    """The figures among the parts of a section, also those side by side."""
    for part in section.parts:
        if isinstance(part, Figure | FigureRow):
            yield from (
                one for one in (part.figures if isinstance(part, FigureRow) else (part,)) if one.chart is not None
            )


def write_figures(sections: Iterable[Section], folder: str | os.PathLike[str]) -> Path:
    """Write every figure of a page into a new folder, whole or not at all.

    Of the first ``01-differences.svg`` and ``.pdf``, ``01-differences.txt``, its title and caption, and ``01-differences.csv``, its
    data: one table, with a column ``part`` where rows have several meanings.

    Parameters
    ----------
    sections
        The sections of a page.
    folder
        A folder that does not exist, or is empty.

    Raises
    ------
    UsageError
        The folder has files in it, or cannot be written.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{place} exists and is not an empty folder; name another for the figures")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    except OSError as error:
        raise UsageError(f"{place} cannot be written ({error.strerror})") from None
    try:
        for number, figure in enumerate(figures_of(sections), 1):
            _write(figure, made / f"{number:02}-{figure.kind}")
        if place.exists():
            place.rmdir()
        made.chmod(0o755)
        made.rename(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)  # not there any more where all went well
    return place


def _write(figure: Figure, stem: Path) -> None:
    """Write one figure; `stem` is the path of its files without an ending."""
    assert figure.chart is not None  # noqa: S101 - those without one are left out before
    for form in FIGURE_FORMATS:
        save(figure.chart, stem.with_name(f"{stem.name}.{form}"))
    text = f"{figure.title}. {figure.caption}\n"
    stem.with_name(f"{stem.name}.txt").write_text(text, encoding="utf-8")
    table = pl.concat(data(figure.chart), how="diagonal_relaxed")
    stem.with_name(f"{stem.name}.csv").write_text(csv_frame(table), encoding="utf-8")
