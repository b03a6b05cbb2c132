"""The report: one HTML file of sections, which needs nothing from outside."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from altair.utils.schemapi import debug_mode

from sessionkit.charts.page import page
from sessionkit.charts.registry import SUMMARY
from sessionkit.charts.scripts import script
from sessionkit.choices import FurtherPart, RedactedKind
from sessionkit.display.labels import shortened
from sessionkit.display.templates import rendered
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError, warn
from sessionkit.reports.export import write_figures
from sessionkit.reports.extras.choice import Also
from sessionkit.reports.group_labels import labeled
from sessionkit.reports.html import html_sections
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Section, Widget
from sessionkit.reports.questions import StudyQuestion
from sessionkit.reports.redaction import Redaction
from sessionkit.reports.sections.registry import SECTIONS
from sessionkit.reports.tooltips import terms_of
from sessionkit.scoring.batch_cache import cache_batches
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.reduction import Reduction, columns_of_tasks, in_one_pass
from sessionkit.scoring.score import By, group_keys, session_measures
from sessionkit.study import Study
from sessionkit.study.atomic_files import require_place, write_whole
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
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
