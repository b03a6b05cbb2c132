"""calibrate: a study or a table of counts, every form, and what is refused."""

import shlex

import pytest

from sessionkit.cli import robustness as calibrate_command
from sessionkit.robustness.calibrate import UNMARKED
from sessionkit.robustness.calibrate_counts import SIGNALS
from tests.support.clinic import saved_clinic


@pytest.fixture
def counts(tmp_path):
    """Four sessions, five lists, eight looks."""
    path = tmp_path / "my counts.tsv"
    path.write_text("rank\tquery\tcount\n1\t1\t4\n2\t1\t3\n1\t2\t1\n")
    return path


def test_the_help_names_what_the_function_takes():
    assert tuple(calibrate_command.SIGNALS.split("|")) == ("auto", *SIGNALS)
    assert tuple(calibrate_command.UNMARKED.split("|")) == UNMARKED


@pytest.mark.slow
def test_a_table_of_counts_is_fitted(call, counts):
    outcome = call("calibrate", "--counts", counts, "--model", "sRBP", "--table", "parameters")
    assert outcome.status == 0
    head, *rows = [line.split("\t") for line in outcome.lines]
    assert head[:5] == ["model", "form", "criterion", "parameter", "estimate"]
    # p = 1 - 4 / 8, b = (8 - 5) / (8 - 4)
    assert {row[3]: round(float(row[4]), 4) for row in rows if row[2] == "likelihood"} == {"b": 0.75, "p": 0.5}


def test_what_cannot_be_told_is_a_note_and_the_first_line_for_people(call, counts):
    counts.write_text("rank\tquery\tcount\n1\t1\t4\n2\t1\t2\n")
    outcome = call("calibrate", "--counts", counts, "--table", "fits")
    assert "note: NOT IDENTIFIABLE: bq of sDCG" in outcome.err
    people = call("calibrate", "--counts", counts, "--format", "table")
    assert people.lines[0].startswith("NOT IDENTIFIABLE: bq of sDCG")
    assert "sessionkit score" not in people.out


@pytest.mark.slow
def test_the_last_line_of_the_reading_is_a_command_that_runs(call, tmp_path):
    study = saved_clinic()
    asked = ["--model", "sDCG@10", "--model", "RBP@10", "--draws", "200", "--chart", tmp_path / "fit.svg"]
    outcome = call("calibrate", study, *asked, "--table", "reading")
    assert outcome.status == 0
    words = shlex.split(outcome.lines[-1])
    assert words[:3] == ["sessionkit", "score", str(study)]
    assert words[3].startswith("sDCG(b=")
    assert words[4].startswith("mean(RBP(p=")
    assert call(*words[1:]).status == 0
    assert "Synthetic data" in (tmp_path / "fit.svg").read_text()


def test_every_table_is_there(call, counts):
    lines = call("calibrate", "--counts", counts).lines
    named = [line for line in lines if line.startswith("# ")]
    assert named == ["# parameters", "# fits", "# grids", "# expected", "# examined", "# provenance", "# reading"]


@pytest.mark.parametrize(
    ("status", "words", "names"),
    [
        (2, [], ["STUDY, or a table of counts", "give one of them"]),
        (2, ["{study}", "--counts", "{counts}"], ["give only one"]),
        (2, ["--counts", "{counts}", "--model", "AP"], ["AP cannot be fitted"]),
        (2, ["--counts", "{counts}", "--chart", "no/where.svg"], ["does not exist; create it"]),
        (1, ["--counts", "none.tsv"], ["there is no such file", "rank, query and count"]),
        (1, ["{study}"], ["shows how far searchers looked", "table of counts"]),
    ],
)
def test_what_is_refused(refused, request, status, words, names):
    paths = {name: request.getfixturevalue(name) for name in ("study", "counts")}
    refused(status, "calibrate", *(word.format(**paths) for word in words), names=names)


@pytest.mark.parametrize("table", ["expected", "examined", "fits"])
def test_every_table_can_be_set_in_a_paper(call, table):
    shown = call("calibrate", saved_clinic(), "--table", table, "--format", "markdown", "--draws", "200")
    assert shown.status == 0
    assert f"**{table.capitalize()}**" in shown.out
