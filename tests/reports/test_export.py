"""The figures of a page as files."""

import polars as pl
import pytest

from sessionkit.errors import UsageError
from sessionkit.reports import page, report
from sessionkit.reports.page import figures_of, write_figures


@pytest.mark.slow
def test_every_figure_has_its_drawing_its_data_and_its_caption(make, tmp_path):
    study = make(sessions=8, topics=("t", "u", "u"))
    report(study, output=tmp_path / "page.html", figures=tmp_path / "figures")
    drawn = [*figures_of(page.sections_of(study))]
    assert len(drawn) > 5
    for number, figure in enumerate(drawn, 1):
        stem = f"{number:02}-{figure.kind}"
        for ending, start in (("svg", b"<svg"), ("pdf", b"%PDF")):
            assert (tmp_path / "figures" / f"{stem}.{ending}").read_bytes().startswith(start)
        text = (tmp_path / "figures" / f"{stem}.txt").read_text("utf-8")
        assert text == f"{figure.title}. {figure.caption}\n"
        table = pl.read_csv(tmp_path / "figures" / f"{stem}.csv")
        assert table.height > 0
        assert "beside" not in table.columns
    assert len([*(tmp_path / "figures").iterdir()]) == 4 * len(drawn)
    assert {path.name.partition("-")[0] for path in (tmp_path / "figures").iterdir()} == {
        f"{number:02}" for number in range(1, len(drawn) + 1)
    }


def test_a_folder_with_files_is_left_alone(make, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not an empty folder"):
        write_figures([], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    made = write_figures(page.sections_of(make(judged=False)), tmp_path / "new" / "figures")
    assert (made / "01-session-survival.svg").exists()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["figures"]


@pytest.mark.slow
def test_no_name_of_a_log_is_a_formula_in_the_data(make, tmp_path):
    made = write_figures(page.sections_of(make(systems=("=1+1", "@x"), sessions=6)), tmp_path / "figures")
    text = "".join(path.read_text("utf-8") for path in made.glob("*.csv"))
    assert "'=1+1" in text
    assert not [cell for line in text.splitlines() for cell in line.split(",") if cell.startswith(("=", "@"))]
