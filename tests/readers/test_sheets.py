"""Sheets of one's own study through study.toml: composite ids, files of one table, workbooks; what is wrong is named."""

import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.checks.cells import under_our_names
from sessionkit.readers.config import as_config
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.io.workbooks import cells_of, sheets_of
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.study.checks import RECORD

ROWS = [
    ("Person", "Aufgabe", "Frage", "Text", "Rang", "Dokument"),
    ("P1", "A", "1", "jaguar", "1", "d1"),
    ("P1", "A", "1", "jaguar", "2", "d2"),
    ("P1", "B", "1", "puma", "1", "007"),
    ("P2", "A", "1", "jaguar car", "1", "d3"),
]
COLUMNS = {
    "session_id": ["Person", "Aufgabe"],
    "user_id": "Person",
    "topic_id": "Aufgabe",
    "query_position": "Frage",
    "query_text": "Text",
    "rank": "Rang",
    "doc_id": "Dokument",
}


def written(path, rows, separator=";"):
    path.write_text("".join(separator.join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def study(folder, **results):
    return sk.read(folder / "log.csv", config={"results": {"separator": ";", "columns": COLUMNS, **results}})


def in_toml(folder, text):
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return sk.read(folder / "study.toml")


def plain(study):
    """The sessions and results of a study as rows."""
    return study.sessions.select("session_id", "user_id", "topic_id").collect().rows(), study.results.select(
        "session_id", "query_position", "rank", "doc_id"
    ).collect().rows()


TOML = (
    'columns = { session_id = ["Person", "Aufgabe"], user_id = "Person", topic_id = "Aufgabe", query_position = "Frage", '
    'query_text = "Text", rank = "Rang", doc_id = "Dokument" }\n'
)
FOUND = (
    [("P1/A", "P1", "A"), ("P1/B", "P1", "B"), ("P2/A", "P2", "A")],
    [("P1/A", 1, 1, "d1"), ("P1/A", 1, 2, "d2"), ("P1/B", 1, 1, "007"), ("P2/A", 1, 1, "d3")],
)


def test_participant_and_task_together_are_a_session(tmp_path):
    written(tmp_path / "log.csv", ROWS)
    assert plain(study(tmp_path)) == FOUND


@given(
    st.lists(st.tuples(st.text("/\\a", max_size=3), st.text("/\\a", max_size=3)), min_size=2, max_size=6, unique=True)
)
def test_parts_that_differ_are_ids_that_differ(parts):
    frame = pl.LazyFrame({"u": [u for u, _ in parts], "t": [t for _, t in parts], RECORD: range(len(parts))})
    raw = Raw("sessions", "frame", frame, len(parts), no_way_back)
    ids = under_our_names(raw, {"session_id": ["u", "t"]}, nulls=()).frame.collect()["session_id"]
    assert ids.n_unique() == len(parts)


def test_id_lacks_where_a_part_does(tmp_path):
    written(tmp_path / "log.csv", [*ROWS, ("", "B", "1", "x", "1", "d9")])
    with pytest.warns(sk.DataWarning, match="session_id_is_given"):
        assert plain(study(tmp_path)) == FOUND


def test_files_of_one_table_in_a_list_a_folder_and_by_a_pattern(tmp_path):
    (tmp_path / "logs").mkdir()
    for person in ("P1", "P2"):
        rows = [ROWS[0][1:], *(row[1:] for row in ROWS[1:] if row[0] == person)]
        written(tmp_path / "logs" / f"{person}_log.csv", rows)
    for name in (".P3_log.csv", "~$P3_log.csv"):
        (tmp_path / "logs" / name).write_text("hidden, and a lock of Excel")
    whole = str(tmp_path / "logs" / "*_log.csv")
    for path in (["logs/P1_log.csv", "logs/P2_log.csv"], "logs", "logs/*_log.csv", whole):
        options = {"path": path, "separator": ";", "name_pattern": r"(?P<Person>P\d+)_", "columns": COLUMNS}
        config = as_config({"results": options}, "study.toml", tmp_path)
        assert plain(FORMATS["tables"].read(config)) == FOUND, path


def test_name_pattern_looks_at_names_and_not_at_folders(tmp_path):
    (tmp_path / "P8-P9").mkdir()
    written(tmp_path / "P8-P9" / "P1.csv", [row[1:] for row in ROWS[:4]])
    toml = f'[results]\npath = "P8-P9"\nseparator = ";"\nname_pattern = "(?P<Person>P\\\\d)"\n{TOML}'
    assert in_toml(tmp_path, toml).users.collect()["user_id"].to_list() == ["P1"]


def test_queries_are_numbered_over_the_files_of_a_table(tmp_path):
    header, rows = ROWS[0], [("P1", "A", "", "jaguar", rank, f"d{rank}") for rank in "1234"]
    keep = [0, 1, 3, 4, 5]
    for name, part in (("a.csv", rows[:2]), ("b.csv", rows[2:])):
        written(tmp_path / name, [[row[at] for at in keep] for row in (header, *part)])
    columns = {name: column for name, column in COLUMNS.items() if name != "query_position"}
    options = {"path": ["a.csv", "b.csv"], "separator": ";", "number_queries": True, "columns": columns}
    found = FORMATS["tables"].read(as_config({"results": options}, "study.toml", tmp_path))
    assert found.results.select("query_position", "rank").collect().rows() == [(1, 1), (1, 2), (1, 3), (1, 4)]


def test_date_and_time_in_two_columns(tmp_path):
    rows = [(*ROWS[0], "Tag", "Uhrzeit"), *((*row, "01.07.2024", "10:00") for row in ROWS[1:])]
    written(tmp_path / "log.csv", rows)
    columns = {**COLUMNS, "issued_at": ["Tag", "Uhrzeit"]}
    found = study(tmp_path, columns=columns, times="%d.%m.%Y %H:%M", timezone="Europe/Vienna")
    assert str(found.queries.collect()["issued_at"][0]) == "2024-07-01 08:00:00+00:00"


def test_title_and_merged_header_above_the_table(tmp_path):
    merged = [
        ("Mein Protokoll",),
        ("Person", "Aufgabe", "Frage", "", "Treffer", ""),
        ("", "", "Nr", "Text", "Rang", "Dokument"),
    ]
    written(tmp_path / "log.csv", [*merged, *ROWS[1:]])
    names = {
        "query_position": "Frage Nr",
        "query_text": "Frage Text",
        "rank": "Treffer Rang",
        "doc_id": "Treffer Dokument",
    }
    assert plain(study(tmp_path, skip=1, header=2, columns={**COLUMNS, **names})) == FOUND


def test_line_of_a_reject_below_a_title(tmp_path):
    written(tmp_path / "log.csv", [("Titel",), *ROWS, ("P2", "A", "x", "y", "1", "d")])
    with pytest.warns(sk.DataWarning):
        rejected = study(tmp_path, skip=1).rejected
    assert rejected.lazy().select("line", "raw").collect().rows() == [(7, "P2;A;x;y;1;d")]


def workbook(path, **sheets):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    sheet.write(number, column, cell)
    return path


def ods(path, rows):
    """A minimal OpenDocument spreadsheet of one sheet, of text cells."""
    cells = "".join(
        "<table:table-row>"
        + "".join(f'<table:table-cell office:value-type="string"><text:p>{c}</text:p></table:table-cell>' for c in row)
        + "</table:table-row>"
        for row in rows
    )
    space = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{space}:office:1.0" xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0">'
        f'<office:body><office:spreadsheet><table:table table:name="log">{cells}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0"><manifest:file-entry manifest:full-path="/" '
            'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
        archive.writestr("content.xml", content)


def test_sheets_of_a_workbook(tmp_path):
    numbers = [tuple(int(c) if c in "12" else c for c in row) for row in ROWS[1:]]
    grades = [("Aufgabe", "Dokument", "Note", "Grund"), ("A", "d1", 2, "x"), ("B", "007", 1, "y")]
    workbook(tmp_path / "study.xlsx", Titel=[("nichts",)], Treffer=[("Studie",), (), ROWS[0], *numbers], Urteile=grades)
    found = in_toml(
        tmp_path,
        f'[results]\npath = "study.xlsx"\nsheet = "Treffer"\nskip = 2\n{TOML}[judgments]\npath = "study.xlsx"\n'
        'sheet = "Urteile"\ncolumns = { judgment_key = "Aufgabe", doc_id = "Dokument", grade = "Note" }\n',
    )
    assert plain(found) == FOUND
    assert sheets_of(tmp_path / "study.xlsx", "study.xlsx") == ["Titel", "Treffer", "Urteile"]
    assert cells_of(tmp_path / "study.xlsx", "study.xlsx", "Treffer").rows()[:3] == [
        ("Studie", *[None] * 5),
        (None,) * 6,
        ROWS[0],
    ]
    assert found.judgments.select("judgment_key", "doc_id", "grade").collect().rows() == [
        ("A", "d1", 2.0),
        ("B", "007", 1.0),
    ]
    assert [source.path for source in found.sources] == ["study.xlsx, sheet Treffer", "study.xlsx, sheet Urteile"]
    assert not [note for note in found.notes if "identical" in note]
    assert "Grund" in found.columns("judgments")  # its sheet has judgments alone


def test_open_document_and_row_of_a_reject(tmp_path):
    ods(tmp_path / "log.ods", [*ROWS, ("P2", "A", "x", "y", "1", "d")])
    with pytest.warns(sk.DataWarning):
        found = in_toml(tmp_path, f'[results]\npath = "log.ods"\n{TOML}')
    assert plain(found) == FOUND
    assert found.rejected.lazy().select("line").collect()["line"].to_list() == [6]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", r"xlsx .*2 sheets, .*\[results\] .*: eins, zwei"),
        ('sheet = "Eins"', r"sheet 'Eins'; .*'eins'\?; .*: eins, zwei"),
        ('sheet = "zwei"', "xlsx, sheet zwei is empty"),
        ('sheet = "eins"\nseparator = ";"', "separator for study.xlsx, .*workbook"),
    ],
)
def test_workbook_that_cannot_be_read(tmp_path, options, message):
    workbook(tmp_path / "study.xlsx", eins=ROWS, zwei=[])
    with pytest.raises(DataError, match=message):
        in_toml(tmp_path, f'[results]\npath = "study.xlsx"\n{options}\n{TOML}')


def test_columns_called_line_notes_beside_the_table_and_far_cells(tmp_path):
    rows = [(*ROWS[0], "line"), *((*row, "x") for row in ROWS[1:])]
    workbook(tmp_path / "study.xlsx", eins=[*rows, ("P2", "A", "2", "y", "1", "d", "x", None, None)])
    with pytest.importorskip("xlsxwriter").Workbook(tmp_path / "far.xlsx") as book:
        book.add_worksheet("far").write(2**20 - 1, 16_000, "x")
    found = in_toml(tmp_path, f'[results]\npath = "study.xlsx"\n{TOML}')
    assert found.results.collect_schema().names()[-1] == "line"
    with pytest.raises(DataError, match=r"far.xlsx .*: .*sheet1.xml .*WQK1048576"):
        in_toml(tmp_path, f'[results]\npath = "far.xlsx"\n{TOML}')


def test_damaged_workbook_and_no_extra(tmp_path, monkeypatch):
    whole = workbook(tmp_path / "study.xlsx", eins=ROWS).read_bytes()
    (tmp_path / "study.xlsx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"study.xlsx .* as a workbook"):
        in_toml(tmp_path, f'[results]\npath = "study.xlsx"\n{TOML}')
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(UsageError, match="extra excel: pip install"):
        in_toml(tmp_path, f'[results]\npath = "study.xlsx"\n{TOML}')


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number_queries": True}, "query_position, so number_queries"),
        ({"name_pattern": "(P"}, "name_pattern .*regular expression"),
        ({"name_pattern": r"P\d"}, "name_pattern .*named group"),
        ({"name_pattern": r"(?P<user>P\d)"}, "log.csv: .* name_pattern"),
        ({"constants": {"Person": "P1"}}, "column 'Person', .*constant as well"),
        ({"sheet": "x"}, "sheet for log.csv, .*text"),
        ({"skip": 40}, "log.csv ends .*header, .*line 41"),
        ({"columns": {**COLUMNS, "session_id": ["Person", "Task"]}}, "column 'Task' .*session_id"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, options, message):
    written(tmp_path / "log.csv", ROWS)
    with pytest.raises(DataError, match=message):
        study(tmp_path, **options)


def test_constants_are_columns_of_every_row(tmp_path):
    written(tmp_path / "log.csv", ROWS)
    assert study(tmp_path, constants={"system_id": "S1"}).sessions.collect()["system_id"].unique().to_list() == ["S1"]


def test_results_that_are_judged_in_a_column_of_their_own(tmp_path):
    grades = ["Note", "2", "", "1", ""]
    written(tmp_path / "log.csv", [(*row, grade) for row, grade in zip(ROWS, grades, strict=True)])
    names = 'columns = { judgment_key = "Aufgabe", doc_id = "Dokument", grade = "Note" }'
    found = in_toml(
        tmp_path,
        f'[results]\npath = "log.csv"\nseparator = ";"\n{TOML}[judgments]\npath = "log.csv"\nseparator = ";"\n{names}\n',
    )
    assert found.judgments.select("judgment_key", "doc_id", "grade").collect().rows() == [
        ("A", "d1", 2.0),
        ("B", "007", 1.0),
    ]
    assert [source.idle for source in found.sources if source.kind == "rows without grade"] == [2]
    grades = ["Note", "2", "", "1", "1"]
    rows = [*ROWS[:-1], (*ROWS[-1][:1], "B", *ROWS[-1][2:-1], "007")]  # shown twice, judged once
    written(tmp_path / "log.csv", [(*row, grade) for row, grade in zip(rows, grades, strict=True)])
    again = in_toml(
        tmp_path,
        f'[results]\npath = "log.csv"\nseparator = ";"\n{TOML}[judgments]\npath = "log.csv"\nseparator = ";"\n{names}\n',
    )
    assert again.judgments.select("judgment_key", "doc_id", "grade").collect().rows() == [
        ("A", "d1", 2),
        ("B", "007", 1),
    ]
    assert again.columns("judgments") == ("judgment_key", "doc_id", "grade")  # the others are of results
    assert next((one.records, one.rows, one.merged) for one in again.sources if one.table == "judgments") == (3, 2, 1)
    written(tmp_path / "own.csv", [("judgment_key", "doc_id", "grade"), ("A", "d1", "2"), ("B", "007", "")], ",")
    with pytest.warns(sk.DataWarning, match="grade_is_given|judgment_key"):
        in_toml(tmp_path, f'[results]\npath = "log.csv"\nseparator = ";"\n{TOML}[judgments]\npath = "own.csv"\n')


@pytest.mark.realdata
def test_workbook_of_traps():
    book = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "today" / "xlsx" / "traps.xlsx"
    if not book.exists():
        pytest.skip("the folder of real data is absent")
    options = {
        "sheet": "results",
        "columns": {"session_id": "SessionID", "query_position": "Qno", "doc_id": "doc"},
        "path": str(book.resolve()),
    }
    found = sk.read(book, config={"results": options})
    assert found.results.select("session_id", "rank", "doc_id").collect().rows() == [
        ("1", 1, "d1"),
        ("1", 2, "d2"),
        ("1", 3, "d3"),
    ]


@pytest.mark.parametrize("cell", ["AAAAAAAA2", "ZZZZ2", "D99999999999"])
def test_a_cell_that_no_sheet_has_is_named_and_not_reached_for(tmp_path, cell):
    """The parser of workbooks would end the process, or fill its memory with what is before the cell."""
    with pytest.importorskip("xlsxwriter").Workbook(tmp_path / "made.xlsx") as book:
        book.add_worksheet().write_row(0, 0, ["session_id", "query_position", "rank", "doc_id"])
        book.worksheets()[0].write_row(1, 0, ["s", "1", "1", "d"])
    with zipfile.ZipFile(tmp_path / "made.xlsx") as made, zipfile.ZipFile(tmp_path / "odd.xlsx", "w") as odd:
        for name in made.namelist():
            odd.writestr(name, made.read(name).replace(b'<c r="D2"', f'<c r="{cell}"'.encode()))
    with pytest.raises(DataError, match=rf"odd.xlsx: .* cell [A-Z]+{cell.lstrip('ADZ')}, "):
        in_toml(tmp_path, f'[results]\npath = "odd.xlsx"\n{TOML}')
