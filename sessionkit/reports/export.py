"""Every figure of a report as files: the drawing, its data, its caption."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from sessionkit.charts.files import data, save
from sessionkit.display.csv import csv_frame
from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.parts import FigureRow, Section

FORMS = ("svg", "pdf")
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
    for form in FORMS:
        save(figure.chart, stem.with_name(f"{stem.name}.{form}"))
    text = f"{figure.title}. {figure.caption}\n"
    stem.with_name(f"{stem.name}.txt").write_text(text, encoding="utf-8")
    table = pl.concat(data(figure.chart), how="diagonal_relaxed")
    stem.with_name(f"{stem.name}.csv").write_text(csv_frame(table), encoding="utf-8")
