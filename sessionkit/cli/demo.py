"""The command that shows all the others at work on the bundled synthetic study: demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.cli.options import OUT
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import tell, working
from sessionkit.errors import DataError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from sessionkit.study import Study

MEASURES = ("sDCG@10", "nsDCG@10", "mean(nDCG@10)")
DRAWN = ("last-vs-nonlast", "session-curve", "topic-curves", "single-sessions")
"""The figures of ECIR 2008."""


def demo(
    out: Annotated[Path, OUT] = Path("sessionkit-demo"),
) -> None:
    """Show tables, charts and a report of a synthetic study.

    The command ingests a made-up log of thirty searchers, four scenarios and two systems, scores it, and writes the study, four
    figures and a report.
    """
    from sessionkit.readers.read import read

    with working("reading"):
        made = read(clinic_folder() / "study.toml")
        _refuse_foreign(out, made)
        study = made.save(out / "study")
    tables = _tables(study)
    typer.echo(f"{study.settings.title}\nEvery number below comes from made-up data.\n")
    destination(OutputForm.table, None).send_tables(tables, {})
    typer.echo("")
    for path in [out / "study", *_drawings(study, out)]:
        typer.echo(str(path))
    tell(f"open {out / 'report.html'}; more: sessionkit help first-study")


def clinic_folder() -> Path:
    """Return where the clinic study lies: in the wheel, else (editable installs) in the repository."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "examples" / "clinic"
    return shipped if shipped.is_dir() else package.parent / "examples" / "clinic"


def _tables(study: Study) -> dict[str, pl.DataFrame]:
    """What the demo prints, by title."""
    import polars as pl

    from sessionkit.analysis.breakdown.breakdown import breakdown
    from sessionkit.analysis.describe import describe
    from sessionkit.reports.choices import choices_of
    from sessionkit.scoring.score import score

    measure = choices_of(study).tested
    parts = breakdown(study, measure)
    ends = parts.filter(pl.col("rank") == pl.col("rank").max())
    lengths = "Sessions by number of queries"
    return {
        f"{lengths} (synthetic)": describe(study).titled_tables()[lengths],
        "Scores by system (synthetic)": score(study, MEASURES, by="system_id"),
        f"{measure} of last and non-last queries, within sessions of two or more (synthetic)": ends,
    }


def _drawings(study: Study, out: Path) -> list[Path]:
    """Write the figures and the report, and return where they are."""
    from sessionkit.charts import save
    from sessionkit.reports import report
    from sessionkit.reports.choices import choices_of
    from sessionkit.reports.figures.figure import figure

    choices = choices_of(study)
    page = out / "report.html"
    with working("drawing"):
        made = [(figure(study, kind, choices).chart, out / f"{kind}.svg") for kind in DRAWN]
        written = [save(chart, path) for chart, path in made if chart is not None]
        report(study, output=page)
    return [*written, page]


def _refuse_foreign(out: Path, study: Study) -> None:
    """Raise UsageError where something stands that no demo has written."""
    from sessionkit.study import open_study

    if out.is_dir():
        if not any(out.iterdir()):
            return
        try:
            ours = open_study(out / "study").settings == study.settings
        except DataError:
            ours = False
        if not ours:
            msg = f"{out} does not hold a demo and was left alone; choose another directory with --out DIR"
            raise UsageError(msg)
    elif out.exists() or out.is_symlink():
        msg = f"{out} is a file, not a directory; choose another with --out DIR"
        raise UsageError(msg)
