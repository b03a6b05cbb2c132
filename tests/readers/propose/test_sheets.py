"""Sheets as people keep them: titles, headers of two rows, sheets of workbooks, several files of one table.

Words of scales: their order, numbers within labels, and nothing where no scale has them all.
"""

import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.propose.propose import propose
from sessionkit.readers.propose.sample import header_place
from sessionkit.readers.propose.sheets import names_of_files, values_of_labels

HEADER = "Participant;Task;Query no;Query;Rank;Doc;Click\n"
ROWS = {
    user: "".join(
        f"{user};{task};{query};find {task} {query};{rank};d{rank + query * 3};{rank % 2}\n"
        for task in "ABC"
        for query in (1, 2)
        for rank in (1, 2, 3)
    )
    for user in ("u1", "u2", "u3")
}


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ([["a", "b"], ["1", "2"]], (0, 1)),
        ([["Title", ""], ["a", "b"], ["x", "1"]], (1, 1)),
        ([["Title"], [], ["a", "b", "c"], ["x", "1", "2"]], (2, 1)),
        ([["User", "Search", ""], ["", "no", "text"], ["u", "1", "x"], ["u", "2", "y"]], (0, 2)),
        ([["T", "", ""], ["User", "Search", ""], ["", "no", "text"], ["u", "1", "x"], ["u", "2", "y"]], (1, 2)),
        ([["a", "b", "c"], ["x", "", "y"], ["x", "y", "y"], ["x", "z", "y"]], (0, 1)),  # a row with an empty cell
        ([["s1", "1"], ["s2", "2"]], (0, 1)),
        ([], (0, 1)),
    ],
)
def test_the_header_is_below_titles_and_may_be_of_two_rows(rows, place):
    assert header_place(rows) == place


@pytest.mark.parametrize(
    ("names", "pattern", "is_asked"),
    [
        (["P1.csv", "P2.csv"], r"(?P<user_id>P\d+)", False),
        (["VP01_Aufgabe1.csv", "VP02_Aufgabe1.csv"], r"(?P<user_id>VP\d+)_Aufgabe1", False),
        (["log-u1-S1.csv", "log-u2-S2.csv"], r"log-(?P<user_id>u\d+)-(?P<topic_id>S\d+)", True),
        (["anna_bikes.csv", "ben_cars.csv"], r"(?P<user_id>[^_/\\.-]+)_(?P<topic_id>[^_/\\.-]+)", True),
        (["session_7.csv", "session_12.csv"], r"session_(?P<session_id>\d+)", False),
        (["a.csv", "b_c.csv"], "", False),
    ],
)
def test_what_names_of_files_say(names, pattern, is_asked):
    found = names_of_files(names)
    assert found.pattern == pattern
    assert bool(found.doubt) is is_asked


@pytest.mark.slow
def test_files_of_one_header_are_one_table_by_a_list_or_by_their_folder(tmp_path, quiet_read):
    (tmp_path / "logs").mkdir()
    files = [tmp_path / "logs" / f"{user}.csv" for user in ROWS]
    for file, rows in zip(files, ROWS.values(), strict=True):
        file.write_text(HEADER + rows)
    for given, path in ((files, [f"logs/{file.name}" for file in files]), ([tmp_path / "logs"], "logs")):
        made = propose(given, folder=tmp_path)
        assert made.settings["results"]["path"] == path
        assert "name_pattern" not in made.settings["results"]  # a column says the participant
        assert made.questions == ()
        (tmp_path / "study.toml").write_text(made.text)
        study = quiet_read(tmp_path / "study.toml")
        assert study.sessions.collect()["session_id"].to_list() == [f"{user}/{task}" for user in ROWS for task in "ABC"]


@pytest.mark.slow
def test_what_one_file_of_a_table_needs_is_said_of_all(tmp_path, quiet_read):
    """One is in another encoding, one has blanks around ids, one has other columns first, one has only a header."""
    odd = ROWS["u2"].replace("find", "Wärme")
    (tmp_path / "a.csv").write_bytes((HEADER + odd).encode("cp1252"))
    (tmp_path / "b.csv").write_text(HEADER + ROWS["u1"] + ROWS["u1"].replace("u1;A;", "u1 ;D;"))
    (tmp_path / "c.csv").write_text(HEADER)
    moved = [line.partition(";") for line in (HEADER + ROWS["u3"]).splitlines()]
    (tmp_path / "d.csv").write_text("".join(f"{rest};{first}\n" for first, _, rest in moved))
    files = [tmp_path / f"{name}.csv" for name in "abcd"]
    made = propose(files, folder=tmp_path)
    said = made.settings["results"]
    assert (said["path"], said["encoding"], said["trim"]) == (["a.csv", "b.csv", "c.csv", "d.csv"], "cp1252", True)
    (tmp_path / "study.toml").write_text(made.text)
    study = quiet_read(tmp_path / "study.toml")
    assert study.users.collect()["user_id"].to_list() == ["u1", "u2", "u3"]
    assert "Wärme A 1" in study.queries.collect()["query_text"]
    with pytest.raises(DataError, match=r"c.csv has only a header"):
        propose(files[2])


def test_a_folder_that_is_that_of_the_study_is_named_by_its_files(tmp_path, quiet_read):
    for user, rows in ROWS.items():
        (tmp_path / f"{user}.csv").write_text(HEADER + rows)
    (tmp_path / "study.toml").write_text("an old one")
    made = propose(tmp_path, folder=tmp_path)
    assert made.settings["results"]["path"] == ["u1.csv", "u2.csv", "u3.csv"]
    (tmp_path / "study.toml").write_text(made.text)
    assert quiet_read(tmp_path / "study.toml").results.collect().height == 54


def test_files_whose_names_say_the_participant(tmp_path, quiet_read):
    for user, rows in ROWS.items():
        (tmp_path / f"{user}.csv").write_text((HEADER + rows).replace(f"{user};", "").replace("Participant;", ""))
    made = propose(sorted(tmp_path.glob("*.csv")), folder=tmp_path)
    assert made.settings["results"]["name_pattern"] == r"(?P<user_id>u\d+)"
    (tmp_path / "study.toml").write_text(made.text)
    assert quiet_read(tmp_path / "study.toml").sessions.collect()["user_id"].unique().sort().to_list() == [*ROWS]


def test_a_workbook_whose_sheets_are_no_tables_is_refused(tmp_path):
    pytest.importorskip("fastexcel")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        book.add_worksheet("only").write_string(0, 0, "nothing")
    with pytest.raises(DataError, match=r"a.xlsx: .*sheets \(only\) .*table"):
        propose(tmp_path / "a.xlsx")


@pytest.mark.parametrize("lower", [("no", "text"), ("Nr.", "Suchtext")])
def test_a_header_of_two_rows_in_text(lower, tmp_path, quiet_read):
    head = f"My study;;;;;;\nParticipant;Task;Query;;Shown;;Click\n;;{lower[0]};{lower[1]};Rank;Doc;\n"
    (tmp_path / "a.csv").write_text(head + "".join(ROWS.values()))
    made = propose(tmp_path / "a.csv", folder=tmp_path)
    assert (made.settings["results"]["skip"], made.settings["results"]["header"]) == (1, 2)
    assert made.settings["results"]["columns"]["rank"] == "Shown Rank"
    (tmp_path / "study.toml").write_text(made.text)
    assert quiet_read(tmp_path / "study.toml").results.collect().height == 54


@pytest.mark.parametrize("is_said", [False, True])
def test_sheets_of_a_workbook_with_the_same_columns_are_one_table(is_said, tmp_path, quiet_read):
    pytest.importorskip("fastexcel")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        for user, rows in ROWS.items():
            sheet = book.add_worksheet(user)
            for at, line in enumerate((HEADER + rows).splitlines()):
                sheet.write_row(at, 0, line.split(";")[0 if is_said else 1 :])
    made = propose(tmp_path / "a.xlsx", folder=tmp_path)
    assert made.settings["results"]["sheet"] == ["u1", "u2", "u3"]
    assert made.settings["results"].get("name_pattern") == (None if is_said else r", sheet (?P<user_id>u\d+)")
    assert made.questions == ()
    (tmp_path / "study.toml").write_text(made.text)
    study = quiet_read(tmp_path / "study.toml")
    assert study.users.collect()["user_id"].to_list() == [*ROWS]
    assert study.results.collect().height == 54
    assert [source.path for source in study.sources] == [f"a.xlsx, sheet {user}" for user in ROWS]


@pytest.mark.slow
def test_rejects_of_many_sheets_are_one_note(tmp_path, quiet_read):
    pytest.importorskip("fastexcel")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        for number in range(1, 51):
            sheet = book.add_worksheet(f"P{number:02}")
            sheet.write_row(0, 0, ["Task", "Query No", "Query", "Rank", "URL"])
            for row, rank in enumerate((1, 2, "x" if number % 2 else 3), start=1):
                sheet.write_row(row, 0, ["A", 1, "cars", rank, f"d{row}"])
    proposal = propose(tmp_path / "a.xlsx", folder=tmp_path)
    sheets = proposal.settings["results"]["sheet"]
    assert len(sheets) == 50
    (tmp_path / "study.toml").write_text(proposal.text.replace("empty_list", "# empty_list"))
    study = quiet_read(tmp_path / "study.toml")
    assert study.users.collect().height == 50
    assert study.results.collect().height == 50 * 2 + 25
    told = [note for note in study.notes if "rejected" in note]
    (message,) = told
    assert re.match(r"a\.xlsx, sheets P01, P03, P05 and 22 more .*: 25 ", message)
    assert message.endswith(": rank_is_an_integer 25")


def write_sheets(path, sheets):
    """Write a workbook: the rows of each sheet, a header first."""
    pytest.importorskip("fastexcel")
    with pytest.importorskip("xlsxwriter").Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows):
                sheet.write_row(at, 0, row)


LOG_HEADER = ("Participant", "Task", "Query No", "Rank", "URL")
UNDER_BOTH = {"u1": ("first", "second"), "u2": ("second", "first"), "u3": ("first", "second")}
"""Of each user the condition of task A and of task B: no column tells the conditions apart."""


@pytest.mark.parametrize("names", [("BM25", "Neural"), ("S1", "S2"), ("Karte", "Liste")])
def test_a_condition_that_only_the_names_of_sheets_say_is_asked_about(names, tmp_path, quiet_read):
    sheets = {name: [LOG_HEADER] for name in names}
    for user, conditions in UNDER_BOTH.items():
        for task, condition in zip("AB", conditions, strict=True):
            rows = [(user, task, 1, rank, f"d{rank}") for rank in (1, 2)]
            sheets[names[condition == "second"]] += rows
    write_sheets(tmp_path / "a.xlsx", sheets)
    proposal = propose(tmp_path / "a.xlsx", folder=tmp_path)
    (question,) = proposal.questions
    assert re.search(f"'{names[0]}' are .* system_id", question.text)
    (tmp_path / "study.toml").write_text(proposal.text)
    sessions = quiet_read(tmp_path / "study.toml").sessions.collect()
    expected = {
        f"{user}/{task}": names[condition == "second"]
        for user, conditions in UNDER_BOTH.items()
        for task, condition in zip("AB", conditions, strict=True)
    }
    assert dict(sessions.select("session_id", "system_id").rows()) == expected


@pytest.mark.parametrize("names", [("Sheet1", "Sheet2"), ("2026-01", "2026-02"), ("Tabelle1", "Tabelle2")])
def test_names_that_number_the_parts_of_a_log_say_nothing(names, tmp_path):
    rows = [[(user, task, 1, 1, "d1") for user in ("u1", "u2")] for task in "AB"]
    rows[1].append(("u1", "A", 2, 1, "d2"))
    write_sheets(tmp_path / "a.xlsx", {name: [LOG_HEADER, *part] for name, part in zip(names, rows, strict=True)})
    proposal = propose(tmp_path / "a.xlsx", folder=tmp_path)
    assert "name_pattern" not in proposal.settings["results"]
    assert proposal.questions == ()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_sheets_of_participants_of_which_one_has_a_column_more(place, tmp_path, quiet_read):
    sheets = {}
    for number, user in enumerate(("P1", "P2", "P3")):
        more = ("Comment",) if number == place else ()
        rows = [("A", 1, rank, f"d{rank}", *(["odd"] if more else [])) for rank in (1, 2)]
        sheets[user] = [(*LOG_HEADER[1:], *more), *rows]
    write_sheets(tmp_path / "a.xlsx", sheets)
    proposal = propose(tmp_path / "a.xlsx", folder=tmp_path)
    (question,) = proposal.questions
    assert question.text.startswith("'Comment' is not in all")
    (tmp_path / "study.toml").write_text(proposal.text)
    study = quiet_read(tmp_path / "study.toml")
    assert study.users.collect()["user_id"].to_list() == ["P1", "P2", "P3"]
    comments = study.results.collect().select("session_id", "Comment").unique().sort("session_id").rows()
    assert comments == [(f"P{number + 1}/A", "odd" if number == place else None) for number in range(3)]


def test_a_header_below_notes_of_several_cells(tmp_path, quiet_read):
    notes = [("Study", "Maps and lists", "Date", "2026-03-02"), ("Experimenter", "Anna"), ()]
    rows = [("u1", "A", 1, 1, "d1"), ("u1", "A", 1, 2, "d2"), ("u2", "A", 1, 1, "d1")]
    write_sheets(tmp_path / "a.xlsx", {"log": [*notes, LOG_HEADER, *rows]})
    proposal = propose(tmp_path / "a.xlsx", folder=tmp_path)
    assert proposal.settings["results"]["skip"] == 3
    (tmp_path / "study.toml").write_text(proposal.text)
    assert quiet_read(tmp_path / "study.toml").results.collect().height == 3


def test_a_folder_is_read_without_what_sessionkit_wrote_there(tmp_path, quiet_read):
    """Pages, figures, descriptions and tables of measures are no log; the reader would take every file of a folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for user in ("p1", "p2"):
        rows = "".join(f"{user},1,{rank},d{rank}\n" for rank in (1, 2, 3))
        (folder / f"{user}.csv").write_text(f"session,qno,rank,url\n{rows}")
    assert propose(folder, folder=tmp_path).settings["results"]["path"] == "logs"
    (folder / "scores.csv").write_text("session_id,measure,value,judged\np1,nDCG@10,0.5,1.0\n")
    (folder / "pairs.tsv").write_text("# pairs\nmeasure\ta\tb\testimate\nnDCG@10\tx\ty\t0.5\n")
    pl.DataFrame({"measure": ["P@1"], "value": [1.0]}).write_parquet(folder / "scores.parquet")
    (folder / "report.html").write_text("<!doctype html>\n")
    (folder / "study.toml").write_text("")
    proposal = propose(folder, folder=tmp_path)
    left_out = "'pairs.tsv', 'report.html', 'scores.csv', 'scores.parquet' and 'study.toml'"
    assert re.search(rf"^# Left out, .*: {re.escape(left_out)}\.$", proposal.text, re.MULTILINE)
    assert proposal.settings["results"]["path"] == ["logs/p1.csv", "logs/p2.csv"]
    (tmp_path / "study.toml").write_text(proposal.text)
    assert quiet_read(tmp_path / "study.toml").facts.results == 6


def test_a_study_directory_is_no_log(tmp_path):
    (tmp_path / "datapackage.json").write_text("{}")
    with pytest.raises(UsageError, match="is a study directory"):
        propose(tmp_path)


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx"])
def test_values_that_are_left_out_below_are_asked_about_and_never_filled_in_silence(name, tmp_path, quiet_read):
    rows = [
        ("u1", "A", 1, 1, "d1"),
        ("", "", "", 2, "d2"),
        ("", "", 2, 1, "d3"),
        ("u2", "A", 1, 1, "d1"),
        ("", "", "", 2, "d4"),
    ]
    if name == "a.csv":
        (tmp_path / name).write_text("".join(f"{','.join(map(str, row))}\n" for row in [LOG_HEADER, *rows]))
    else:
        write_sheets(tmp_path / name, {"log": [LOG_HEADER, *rows]})
    proposal = propose(tmp_path / name, folder=tmp_path)
    text = "'Participant', 'Task' and 'Query No' are empty below values, as where cells were merged."
    assert any(one.text.startswith(text) for one in proposal.questions)
    assert "fill_down" not in proposal.settings["results"]
    assert proposal.settings["results"]["columns"]["session_id"] == ["Participant", "Task"]
    (tmp_path / "study.toml").write_text(proposal.text)
    assert quiet_read(tmp_path / "study.toml").results.collect().height == 2
    (tmp_path / "study.toml").write_text(proposal.text.replace("# fill_down", "fill_down"))
    results = quiet_read(tmp_path / "study.toml").results.collect()
    assert results.select("session_id", "query_position", "rank", "doc_id").rows() == [
        ("u1/A", 1, 1, "d1"),
        ("u1/A", 1, 2, "d2"),
        ("u1/A", 2, 1, "d3"),
        ("u2/A", 1, 1, "d1"),
        ("u2/A", 1, 2, "d4"),
    ]


def test_users_unknown_in_some_sessions_are_not_filled_down(tmp_path):
    header, rows = (
        "session,user,qno,rank,doc\n",
        [f"s{number},{'' if number % 2 else 'u1'},1,1,d" for number in range(8)],
    )
    (tmp_path / "a.csv").write_text(header + "\n".join(rows) + "\n")
    proposal = propose(tmp_path / "a.csv", folder=tmp_path)
    assert "fill_down" not in proposal.text


def test_a_column_to_fill_down_that_is_not_there_is_named(tmp_path):
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id\ns,1,1,d\n")
    (tmp_path / "study.toml").write_text('[results]\npath = "log.csv"\nfill_down = ["Sesion"]\n')
    message = r"\[results\] fill_down names a column 'Sesion', which is not there; columns: session_id, query_position, rank, doc_id"
    with pytest.raises(DataError, match=message):
        sk.read(tmp_path / "study.toml")


FULL = (
    "Strongly disagree|Disagree|Neither agree nor disagree|Agree|Strongly agree",
    "Very dissatisfied|Dissatisfied|Neutral|Satisfied|Very satisfied",
    "Very difficult|Difficult|Neutral|Easy|Very easy",
    "Never|Rarely|Sometimes|Often|Always",
    "sehr unzufrieden|unzufrieden|teils/teils|zufrieden|sehr zufrieden",
    "stimme überhaupt nicht zu|stimme eher nicht zu|teils teils|stimme eher zu|stimme voll und ganz zu",
    "Pas du tout d\u2019accord|Plutôt pas d\u2019accord|Neutre|Plutôt d\u2019accord|Tout à fait d\u2019accord",
    "Très insatisfaite|Insatisfaite|Neutre|Satisfaite|Très satisfaite",
    "Totalmente en desacuerdo|En desacuerdo|Neutral|De acuerdo|Totalmente de acuerdo",
    "Molto insoddisfatto|Insoddisfatto|Neutro|Soddisfatto|Molto soddisfatto",
    "Discordo totalmente|Discordo|Neutro|Concordo|Concordo totalmente",
    "Zeer ontevreden|Ontevreden|Neutraal|Tevreden|Zeer tevreden",
    "Täysin eri mieltä|Jokseenkin eri mieltä|En osaa sanoa|Jokseenkin samaa mieltä|Täysin samaa mieltä",
    "Mycket missnöjd|Missnöjd|Varken nöjd eller missnöjd|Nöjd|Mycket nöjd",
)


@pytest.mark.parametrize("levels", FULL)
def test_levels_of_a_scale_count_from_its_low_end(levels):
    labels = levels.split("|")
    assert values_of_labels(reversed(labels)) == dict(zip(labels, range(1, 6), strict=True))
    assert list(values_of_labels([labels[4], labels[0]])) == [labels[0], labels[4]]
    assert values_of_labels([labels[4].upper() + " "]) == {labels[4].upper() + " ": 5}


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        (["5 - very good", "3", "1 - very bad"], [1, 3, 5]),
        (["Agree (4)", "Disagree (2)"], [2, 4]),
        (["2=mittel", "1=wenig"], [1, 2]),
        (["+", "-"], []),
        (["P1", "P2"], []),
        (["1 of 3 stars", "2 of 3 stars"], []),
        (["map", "list"], []),
        (["Satisfied", "list"], []),
        ([], []),
    ],
)
def test_numbers_in_labels_are_their_values_and_other_words_have_none(labels, values):
    assert list(values_of_labels(labels).values()) == values
