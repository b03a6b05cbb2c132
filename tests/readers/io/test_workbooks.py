"""Workbooks with merged cells: what the file calls merged is filled down, and nothing else.

Workbooks that hold very much in a small file: counted before they are opened, refused by name; what is read stays as it was.
"""

import struct
import subprocess
import sys
import zipfile

import polars as pl
import pytest

from sessionkit import propose
from sessionkit.errors import DataError
from sessionkit.readers.io import workbooks
from sessionkit.readers.io.workbooks import MergedRows, cells_of, filled_down, merged_rows
from tests.support.messages import match_parts, messages_with

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
    assert messages_with(
        [proposal.text], "# Merged cells are filled down", "'Participant', 'Task' and 'Query No'", "a.xlsx"
    )
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


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BOOK = (
    f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets><sheet name="log" sheetId="1" r:id="r1"/></sheets></workbook>'
)
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
ROOT = f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
WORKBOOK_SIZES_HEADER = "".join(
    f'<c r="{column}1" t="inlineStr"><is><t>{name}</t></is></c>'
    for column, name in zip("ABCD", ("session_id", "query_position", "rank", "doc_id"), strict=True)
)
LINE = '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>1</v></c><c r="C2"><v>1</v></c><c r="D2"><v>1</v></c></row>'
TEXT = "x" * 10_000
FAR = '<row r="900000"><c r="XA900000"><v>1</v></c></row>'


def xlsx(path, body=LINE, strings="<si><t>shared</t></si>", *, target="worksheets/sheet1.xml", count="", styles=""):
    """A workbook of one sheet whose XML is given."""
    relations = f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{LINKS}/worksheet" Target="{target}"/></Relationships>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", ROOT)
        archive.writestr("xl/workbook.xml", BOOK)
        archive.writestr("xl/_rels/workbook.xml.rels", relations)
        archive.writestr("xl/styles.xml", f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>')
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}"{count}>{strings}</sst>')
        sheet = f'<worksheet xmlns="{MAIN}"><sheetData><row r="1">{WORKBOOK_SIZES_HEADER}</row>{body}'
        archive.writestr(
            target[1:] if target[0] == "/" else f"xl/{target}",
            sheet + ("" if "</sheetData>" in body else "</sheetData>") + "</worksheet>",
        )
    return path


def ods(path, rows):
    """An OpenDocument spreadsheet of one sheet whose rows are given."""
    names = 'xmlns:office="o" xmlns:table="t" xmlns:text="x"'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr(
            "content.xml",
            f"<office:document-content {names}><office:body><office:spreadsheet><table:table table:name='log'>{rows}"
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    return path


def cell(text, repeated=1):
    """A cell of an OpenDocument spreadsheet."""
    return (
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{repeated}"><text:p>{text}</text:p>'
        "</table:table-cell>"
    )


BOMBS = {
    "a long text": {"strings": f"<si><t>{TEXT * 200}</t></si>"},
    "many texts": {"strings": "<si><t>a</t></si>" * 20_000},
    "a text that many cells share": {"strings": f"<si><t>{TEXT}</t></si>", "body": '<c t="s"><v>0</v></c>' * 100},
    "many cells": {"body": "<row>" + "<c><v>1</v></c>" * 10_000 + "</row>"},
    "many cells in one place": {"body": '<c r="A2"><v>1</v></c>' * 10_000},
    "a far cell behind blanks": {"body": f'<c {" " * 3_000} r="XFD1048576"><v>1</v></c>'},
    "a far cell in a part of another name": {"body": '<c r="XFD1048576"><v>1</v></c>', "target": "odd/s.xml"},
    "a far cell by rows inside each other": {"body": "<row>" * 500 + "</row>" * 500 + "<c><v>1</v></c>" * 500},
    "a text in its cell": {"body": f'<c r="A2" t="inlineStr"><is><t>{TEXT * 200}</t></is></c>'},
    "merged ranges": {
        "body": f"{LINE}</sheetData><mergeCells>{'<mergeCell ref=' + chr(34) + 'A2:A9000' + chr(34) + '/>' * 1}</mergeCells>"
    },
    "styles": {"styles": "<xf/>" * 500_000},
    "a sheet among relations": {"body": FAR, "target": "log.rels"},
}


@pytest.fixture
def tiny(monkeypatch):
    """A megabyte of memory."""
    monkeypatch.setattr(workbooks, "SMALLEST", 1_000_000)
    monkeypatch.setattr(workbooks, "memory_budget", lambda _given: 1_000_000)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_file_that_holds_much_is_refused(tmp_path, bomb):
    pytest.importorskip("fastexcel")
    path = xlsx(tmp_path / "log.xlsx", **BOMBS[bomb])
    with pytest.raises(DataError, match=match_parts("log.xlsx is too large", "limit is 1MB", "--memory")):
        cells_of(path, path.name, "log")


ODS_BOMBS = {
    "rows": f'<table:table-row table:number-rows-repeated="10000">{cell("a")}</table:table-row>',
    "columns": f"<table:table-row>{cell(TEXT, 10_000)}</table:table-row>",
    "blanks": f"<table:table-row>{cell('a<text:s text:c=' + chr(34) + '2000000000' + chr(34) + '/>')}</table:table-row>",
    "rows that do not come": f'<table:table-row table:number-rows-repeated="0">{cell("a", 16_000)}</table:table-row>'
    * 5,
}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("bomb", ODS_BOMBS)
def test_a_small_spreadsheet_that_repeats_much_is_refused(tmp_path, bomb):
    pytest.importorskip("fastexcel")
    path = ods(tmp_path / "log.ods", ODS_BOMBS[bomb])
    with pytest.raises(DataError, match=match_parts("log.ods is too large", "content.xml, sheet 'log'")):
        cells_of(path, path.name, "log")


@pytest.mark.usefixtures("tiny")
def test_empty_rows_at_the_end_of_a_spreadsheet_are_not_counted(tmp_path):
    pytest.importorskip("fastexcel")
    empty = '<table:table-cell table:number-columns-repeated="16384"/>'
    empty = f'<table:table-row table:number-rows-repeated="1048000">{empty}</table:table-row>'
    path = ods(tmp_path / "log.ods", f"<table:table-row>{cell('a')}{cell('b', 2)}</table:table-row>{empty}")
    assert cells_of(path, path.name, "log").rows() == [("a", "b", "b")]


@pytest.mark.usefixtures("tiny")
def test_what_an_archive_says_of_its_sizes_is_not_trusted(tmp_path):
    pytest.importorskip("fastexcel")
    path = xlsx(tmp_path / "log.xlsx", **BOMBS["a long text"])
    content = bytearray(path.read_bytes())
    at = content.rindex(b"xl/sharedStrings.xml") - 46
    assert content[at : at + 4] == b"PK\x01\x02"
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    path.write_bytes(content)
    with pytest.raises(DataError, match="is too large"):
        cells_of(path, path.name, "log")


@pytest.mark.parametrize(
    ("made", "parts"),
    [
        ({"count": ' uniqueCount="100000000000"'}, ("sharedStrings.xml", "sst 100000000000")),
        ({"body": f"<!--{'x' * 2_000}-->{LINE}"}, ("sheet1.xml", "a tag or comment")),
        ({"strings": "<si><t>a</t></si><sheetData/>"}, ("sharedStrings.xml", "sheetData")),
        ({"body": FAR, "target": "/mimetype"}, ("mimetype", "a sheet in XML")),
    ],
)
def test_what_no_workbook_has_is_refused(tmp_path, made, parts, monkeypatch):
    pytest.importorskip("fastexcel")
    monkeypatch.setattr(workbooks, "LONGEST_TAG", 1_000)
    monkeypatch.setattr(workbooks, "PIECE", 500)
    path = xlsx(tmp_path / "log.xlsx", **made)
    with pytest.raises(DataError, match=match_parts(*parts)):
        cells_of(path, path.name, "log")


def test_many_short_parts_are_counted_in_linear_time(tmp_path, monkeypatch):
    sums = []
    refuse = workbooks.Sizes.refuse
    monkeypatch.setattr(
        workbooks.Sizes, "refuse", lambda sizes, *given, **named: sums.append(refuse(sizes, *given, **named))
    )
    path = xlsx(tmp_path / "log.xlsx")
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(2, 500):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", "<worksheet/>")
    assert cells_of(path, path.name, "log").height == 2
    assert len(sums) == 1


def test_a_sheet_in_a_binary_part_is_not_read(tmp_path):
    pytest.importorskip("fastexcel")
    path = xlsx(tmp_path / "log.xlsx", FAR, target="log.bin")
    with pytest.raises(DataError, match="cannot be read as a workbook"):
        cells_of(path, path.name, "log")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/workbook.bin", b"")
    with pytest.raises(DataError, match=match_parts("xl/log.bin", "a sheet in XML")):
        cells_of(path, path.name, "log")


@pytest.mark.usefixtures("tiny")
def test_many_relations_are_refused(tmp_path):
    pytest.importorskip("fastexcel")
    path = xlsx(tmp_path / "log.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/other.rels", f"<Relationships>{'<Relationship/>' * 10_000}</Relationships>")
    with pytest.raises(DataError, match=match_parts("parts take 2MB", "cells and texts")):
        cells_of(path, path.name, "log")


def test_places_that_are_not_said_are_counted_as_they_are_read(tmp_path):
    pytest.importorskip("fastexcel")
    body = '<row r="3"><c><v>1</v></c><c r="C3" s="1"/><c><v>2</v></c></row><row><c><v>3</v></c></row>'
    path = xlsx(tmp_path / "log.xlsx", body)
    sizes = workbooks.Sizes("log.xlsx", 10**9)
    counting = sizes.counting("xl/worksheets/sheet1.xml")
    with zipfile.ZipFile(path) as archive:
        counting.feed(archive.read("xl/worksheets/sheet1.xml"))
    cells = cells_of(path, path.name, "log")
    assert (sizes.sheets[0].rows, sizes.sheets[0].columns) == (cells.height, cells.width) == (4, 4)
    assert cells.rows()[2:] == [("1", None, None, "2"), ("3", None, None, None)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "cells"])
def test_memory_stays_within_the_limit(tmp_path, kind):
    """The text is of 600 MB, the cells would take 6 GB; the process may use 500 MB."""
    resource = pytest.importorskip("resource")
    pytest.importorskip("fastexcel")
    bombs = {
        "text": {"strings": f"<si><t>{'x' * 600_000_000}</t></si>"},
        "cells": {"body": ("<row>" + "<c><v>1</v></c>" * 10_000 + "</row>") * 4_000},
    }
    path = xlsx(tmp_path / "log.xlsx", **bombs[kind])
    assert path.stat().st_size < 2_000_000
    (tmp_path / "study.toml").write_text('[results]\npath = "log.xlsx"\n')
    command = [
        sys.executable,
        "-m",
        "sessionkit",
        "ingest",
        tmp_path / "study.toml",
        "--out",
        tmp_path / "out",
        "--memory",
        "100MB",
    ]
    script = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True, text=True); "
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, done.stderr)"
    )
    assert resource
    done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True)
    code, megabytes, message = done.stdout.split(" ", 2)
    assert code == "1"
    assert "is too large" in message
    if sys.platform == "linux":
        assert int(megabytes) < 500
