"""describe."""

import json

import polars as pl
import pytest

from sessionkit.sessions.describe import Description
from tests.support.clinic import saved_clinic


def test_the_page_has_every_table_under_its_title(call):
    page = call("describe", saved_clinic(), "--format", "table").out
    for title in ("Systems", "Sessions by number of queries", "Searchers", "Recall base by grade", "Result lists"):
        assert f"{title}\n\n" in page
    assert (
        "Design: crossover, a balanced Latin square of users, topics and system_id: each user met both values of system_id"
        in page.replace("\n", " ")
    )
    # ECIR 2008, Table 2: sessions of system 1 with 1 to 8 queries
    assert next(line for line in page.splitlines() if line.startswith("S1         28")).split()[1:9] == list(
        map(str, (28, 7, 10, 4, 5, 4, 1, 1))
    )


def test_one_table_in_any_form(call, tmp_path):
    lengths = call("describe", saved_clinic(), "--table", "lengths", "--format", "jsonl")
    rows = [json.loads(line) for line in lengths.lines]
    # ECIR 2008: 152 and 191 queries
    totals = {
        name: sum(row["queries"] * row["sessions"] for row in rows if row["system_id"] == name) for name in ("S1", "S2")
    }
    assert totals == {"S1": 152, "S2": 191}
    assert call("describe", saved_clinic(), "--table", "lengths", "--output", tmp_path / "lengths.parquet").status == 0
    assert pl.read_parquet(tmp_path / "lengths.parquet").to_dicts() == rows


def test_all_tables_in_one_stream(call):
    rows = [json.loads(line) for line in call("describe", saved_clinic(), "--format", "jsonl").lines]
    names = list(dict.fromkeys(row["table"] for row in rows))
    assert names == [
        "lengths",
        "systems",
        "searchers",
        "crossing",
        "recall_base",
        "recall_base_totals",
        "judged",
        "lists",
        "columns",
        "questions",
        "design",
        "provenance",
        "reading",
    ]
    names[6:6] = ["judges", "judge_grades"]  # the clinic's judgments do not say who judged: no rows, but headers
    heads = [line for line in call("describe", saved_clinic()).lines if line.startswith("#")]
    assert heads == [f"# {name}" for name in names]


def test_the_help_names_every_table(call):
    text = call("describe", "--help").out
    frames = [name for name, kind in Description.__annotations__.items() if "DataFrame" in kind]
    assert all(name in text for name in [*frames, "design"])


def test_a_study_that_names_nothing(call, tmp_path):
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id\ns,1,1,a\n")
    assert call("describe", tmp_path / "log.csv", "--format", "table").status == 0
    assert call("describe", tmp_path / "log.csv").status == 0


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--table", "length"], ["'length'", "did you mean 'lengths'"]),
        (["--format", "parquet"], ["--output"]),
        (["--output", "{}/all.parquet"], ["--table", "lengths"]),
    ],
)
def test_what_cannot_be(refused, study, tmp_path, options, names):
    refused(2, "describe", study, *(option.format(tmp_path) for option in options), names=names)


def test_a_reader_of_80_columns_sees_every_value_and_no_command_is_broken(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    lines = call("describe", saved_clinic()).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)
    assert "  command  sessionkit breakdown STUDY 'nDCG@10' --significance" in lines
