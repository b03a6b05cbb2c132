"""Results in every form; text from logs leaves intact or, for terminals, harmless."""

import csv
import io
import json
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.cli.output import Destination, OutputForm, _rendered, destination
from sessionkit.errors import UsageError
from tests.support.clinic import saved_clinic

HOSTILE = ["a\tb", "c\nd", "e\r", '"f"', "=1+1", "\x1b[31mred", "[red]g", "h,i", "", None, "\u202ej"]


def text(frame, form):
    """A frame in a form."""
    return _rendered(frame, Destination(form, None)).decode()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_read_back_to_the_same_double(values):
    frame = pl.DataFrame({"value": values})
    exact = [value.hex() for value in values]
    for form in (OutputForm.tsv, OutputForm.csv):
        assert [float(line).hex() for line in text(frame, form).splitlines()[1:]] == exact
    assert [float(json.loads(line)["value"]).hex() for line in text(frame, OutputForm.jsonl).splitlines()] == exact
    (rows,) = json.loads(text(frame, OutputForm.json))["tables"].values()
    assert [float(row["value"]).hex() for row in rows] == exact


def test_csv_and_json_keep_every_character():
    frame = pl.DataFrame({"name": HOSTILE})
    rows = list(csv.reader(io.StringIO(text(frame, OutputForm.csv), newline="")))
    assert [row[0] if row else "" for row in rows[1:]] == [value or "" for value in HOSTILE]
    assert [json.loads(line)["name"] for line in text(frame, OutputForm.jsonl).split("\n")[:-1]] == HOSTILE
    assert [row["name"] for row in json.loads(text(frame, OutputForm.json))["tables"]["results"]] == HOSTILE


def test_tsv_has_one_line_per_row_and_one_field_per_column():
    frame = pl.DataFrame({"na\tme": HOSTILE, "value": list(range(len(HOSTILE)))})
    head, *rows = [line.split("\t") for line in text(frame, OutputForm.tsv).split("\n")[:-1]]
    assert head == ["na\\tme", "value"]
    assert [row[1] for row in rows] == [str(number) for number in range(len(HOSTILE))]
    assert [row[0] for row in rows[:6]] == ["a\\tb", "c\\nd", "e\\r", '"f"', "=1+1", "\x1b[31mred"]


@pytest.mark.parametrize("form", ["table", "tsv", "csv", "jsonl", "json"])
def test_nothing_acts_on_a_terminal(form, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    shown = text(pl.DataFrame({"name": HOSTILE}), OutputForm(form))
    acting = [character for character in shown if not character.isprintable() and character not in "\t\n"]
    assert acting == []
    assert "[red]g" in shown


@pytest.mark.parametrize(("lines", "shown"), [(24, 19), (5, 10)])
def test_a_terminal_shows_a_screenful_and_how_to_get_the_rest(lines, shown, monkeypatch):
    frame = pl.DataFrame({"value": range(100)})
    whole = text(frame, OutputForm.table)
    assert len(whole.splitlines()) == 102  # elsewhere every row
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("LINES", str(lines))
    *rows, last = text(frame, OutputForm.table).splitlines()
    assert rows[2:] == whole.splitlines()[2 : shown + 2]
    assert last.startswith(f"\N{HORIZONTAL ELLIPSIS} {100 - shown} more rows: ")
    assert all(option in last for option in ("--output FILE", "--format table | less -S"))
    assert len(text(frame, OutputForm.tsv).splitlines()) == 101
    assert "more row" not in text(frame.head(shown), OutputForm.table)


def test_forms_by_default(monkeypatch, tmp_path):
    assert destination(None, None).form is OutputForm.tsv
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert destination(None, None).form is OutputForm.table
    by_name = {
        name: destination(None, tmp_path / name).form
        for name in ("a.csv", "a.json", "a.jsonl", "a.parquet", "a.TSV", "a")
    }
    assert by_name == {
        "a.csv": OutputForm.csv,
        "a.json": OutputForm.json,
        "a.jsonl": OutputForm.jsonl,
        "a.parquet": OutputForm.parquet,
        "a.TSV": OutputForm.tsv,
        "a": OutputForm.tsv,
    }
    assert destination(OutputForm.tsv, tmp_path / "a.csv").form is OutputForm.tsv
    assert destination(OutputForm.tsv, tmp_path / "a.xlsx").form is OutputForm.tsv
    with pytest.raises(UsageError, match=r"a\.xlsx ends .*\.md, .*--format"):
        destination(None, tmp_path / "a.xlsx")


def test_parquet_needs_a_file_and_a_single_table(tmp_path):
    with pytest.raises(UsageError, match="--output"):
        destination(OutputForm.parquet, None)
    one = pl.DataFrame({"value": [1.0]})
    with pytest.raises(UsageError, match="--table"):
        destination(None, tmp_path / "a.parquet").send_tables({"a": one, "b": one}, {})


def test_files_appear_whole(tmp_path):
    (tmp_path / "a.tsv").write_text("old")
    destination(None, tmp_path / "a.tsv").send(pl.DataFrame({"value": [0.5, None]}))
    assert (tmp_path / "a.tsv").read_text() == "value\n0.5\n\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.tsv"]


def test_a_parquet_file_says_which_sessions_it_is_of(call, tmp_path):
    file, where = tmp_path / "scores.parquet", ["--where", "system_id = 'S1'"]
    score = ["score", saved_clinic(), "nsDCG@10", "--output", file]
    for words in ([*score, "--per", "session"], [*score, "--per", "session", "--wide"]):
        assert call(*words).status == 0
        assert "note" not in pl.read_parquet_metadata(file)
        assert call(*words, *where).status == 0
        assert pl.read_parquet_metadata(file)["note"].endswith("system_id = 'S1' (60 of 120 sessions)")
        assert len(pl.read_parquet(file)) == 60
    assert call("describe", saved_clinic(), "--table", "lists", *where, "--output", file).status == 0
    assert pl.read_parquet_metadata(file)["note"] == "Sessions where system_id = 'S1'"


@pytest.mark.parametrize(
    ("words", "caption", "headers"),
    [
        ("score nsDCG@10", "Means by system over sessions; n sessions", "System | nsDCG@10 | n"),
        (
            "score nsDCG@10 --per session",
            "Scores by session",
            "Session | System | Topic | User | Measure | Value | Judged",
        ),
        (
            "curve nsDCG@10",
            "nsDCG@10, as a share of the ideal, after each result of a session, mean over sessions, by system; n sessions",
            "Query position | Rank | S1 | S2 | n",
        ),
        (
            "curve sDCG@10 --by all --bands --draws 200",
            "Cumulated gain by sDCG@10 after each result of a session, mean over sessions; n sessions",
            "Query position | Rank | Mean | 95% interval | n",
        ),
        (
            "curve nsDCG@10 --against S1 --draws 200",
            "S2 minus S1: nsDCG@10, as a share of the ideal, after each result of a session, means over sessions; n units drawn",
            "Query position | Rank | S1 | S2 | Difference | 95% interval | n",
        ),
        (
            "breakdown nDCG@10",
            "nDCG@10 to each rank by part of the session, mean over sessions, by system; n sessions",
            "Rank | S1, last | S1, non-last | S2, last | S2, non-last",
        ),
        (
            "breakdown nDCG@10 --parts position --average queries",
            "nDCG@10 to each rank by part of the session, mean over queries, by system; n queries",
            "System | Part | Rank | Mean | n",
        ),
    ],
)
def test_a_paper_gets_few_columns_and_a_caption_that_says_what_they_are(call, words, caption, headers):
    command, *options = words.split()
    lines = call(command, saved_clinic(), *options, "--format", "markdown").out.replace("\\", "").splitlines()
    assert lines[0] == f"**{caption}**"
    assert lines[2] == f"| {headers} |"
    label = f"\\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', words)}}}"
    assert label in call(command, saved_clinic(), *options, "--format", "latex").out


@pytest.mark.parametrize("command", ["score", "curve"])
def test_the_condition_tells_tables_apart(call, command):
    asked = [command, saved_clinic(), "nsDCG@10", "--format", "latex", "--where"]
    texts = [call(*asked, condition).out for condition in ("queries >= 2", "queries <= 2")]
    assert all(re.search(r"Sessions where queries .*sessions\)\.\n", text) for text in texts)
    assert len({re.search(r"label\{(.*)\}", text)[1] for text in texts}) == 2
