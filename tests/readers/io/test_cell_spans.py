"""Workbooks with merged cells: what the file calls merged is filled down, and nothing else."""

import zipfile

import polars as pl
import pytest

from sessionkit import propose
from sessionkit.readers.io.workbooks import MergedRows, filled_down, merged_rows

xlsxwriter = pytest.importorskip("xlsxwriter")
pytest.importorskip("fastexcel")

HEADER = ("Participant", "Task", "Query No", "Rank", "URL")
ROWS = [
    ("P1", "A", 1, 1, "d1"),
    ("P1", "A", 1, 2, "d2"),
    ("P1", "A", 2, 1, "d3"),
    ("P2", "A", 1, 1, "d1"),
    ("P2", "B", 1, 1, "d4"),
    ("P2", "B", 1, 2, "d5"),
]
SPANS = {0: [(0, 2), (3, 5)], 1: [(0, 2), (4, 5)], 2: [(0, 1), (4, 5)]}
"""Of each column the rows that are merged: those of one participant, of one task, and of one query."""
SESSIONS = ["P1/A", "P1/A", "P1/A", "P2/A", "P2/B", "P2/B"]


def write_merged(path, *, above=0, left=0, header=HEADER, spans=SPANS, more=None):
    """Write the rows with merged cells, some rows and columns away from the first cell."""
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("log & notes")
        sheet.write_row(above, left, header)
        for column in range(len(header)):
            covered = {row for first, last in spans.get(column, ()) for row in range(first, last + 1)}
            for first, last in spans.get(column, ()):
                place = (above + 1 + first, left + column, above + 1 + last, left + column)
                sheet.merge_range(*place, ROWS[first][column])
            for number, row in enumerate(ROWS):
                if number not in covered:
                    sheet.write(above + 1 + number, left + column, row[column])
        if more is not None:
            more(sheet)
    return path


@pytest.mark.parametrize(("above", "left"), [(0, 0), (3, 0), (2, 3)])
def test_merged_cells_are_filled_down(above, left, tmp_path, quiet_read):
    write_merged(tmp_path / "a.xlsx", above=above, left=left)
    proposal = propose(tmp_path / "a.xlsx", folder=tmp_path)
    assert proposal.questions == ()
    assert "# Merged cells are filled down: 'Participant', 'Task' and 'Query No' of a.xlsx" in proposal.text
    (tmp_path / "study.toml").write_text(proposal.text)
    study = quiet_read(tmp_path / "study.toml")
    rows = study.results.collect().select("session_id", "query_position", "rank", "doc_id").rows()
    assert rows == [(session, *row[2:]) for session, row in zip(SESSIONS, ROWS, strict=True)]


def test_a_title_and_a_header_of_merged_cells_stay_as_they_are(tmp_path, quiet_read):
    def add_header(sheet):
        sheet.merge_range(0, 0, 0, 4, "My study")
        for column, name in ((0, "Participant"), (1, "Task"), (2, "Query No")):
            sheet.merge_range(1, column, 2, column, name)
        sheet.merge_range(1, 3, 1, 4, "Result")

    header = (None, None, None, "Rank", "URL")
    proposal = propose(write_merged(tmp_path / "a.xlsx", above=2, header=header, more=add_header), folder=tmp_path)
    assert (proposal.settings["results"]["skip"], proposal.settings["results"]["header"]) == (1, 2)
    assert proposal.settings["results"]["columns"]["doc_id"] == "Result URL"
    (tmp_path / "study.toml").write_text(proposal.text)
    assert quiet_read(tmp_path / "study.toml").results.collect()["session_id"].to_list() == SESSIONS


def test_cells_that_are_empty_but_not_merged_stay_empty(tmp_path):
    write_merged(tmp_path / "a.xlsx", spans={0: [(0, 2)]}, more=lambda sheet: sheet.write_blank(6, 0, None))
    assert merged_rows(tmp_path / "a.xlsx", "log & notes", 5) == [MergedRows(0, 1, 3)]
    cells = pl.DataFrame({"a": ["u", "P1", None, None, "P2", None, None], "b": [None] * 7})
    assert filled_down(cells, [MergedRows(0, 1, 3)])["a"].to_list() == ["u", "P1", "P1", "P1", "P2", None, None]


def test_a_merged_cell_without_text_takes_none_from_above():
    cells = pl.DataFrame({"a": ["P1", None, None]})
    assert filled_down(cells, [MergedRows(0, 1, 2)])["a"].to_list() == ["P1", None, None]


def test_a_merged_value_of_one_result_is_asked_about(tmp_path):
    clicks = (*HEADER[:4], "URL")
    proposal = propose(write_merged(tmp_path / "a.xlsx", header=clicks, spans={**SPANS, 4: [(0, 1)]}), folder=tmp_path)
    question = "merged cells of 'URL' give several rows the same doc_id. Does it hold for each of them?"
    assert question in [one.text for one in proposal.questions]


@pytest.mark.parametrize("width", [4, 6])
def test_merged_cells_are_left_where_columns_cannot_be_told(width, tmp_path):
    assert merged_rows(write_merged(tmp_path / "a.xlsx"), "log & notes", width) == []


def test_files_that_do_not_tell_of_merged_cells(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as archive:
        archive.writestr("content.xml", "<a/>")
    assert merged_rows(tmp_path / "a.ods", "log", 5) == []
    assert merged_rows(write_merged(tmp_path / "a.xlsx"), "another sheet", 5) == []
