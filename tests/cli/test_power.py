"""Mixed models and power: every form, options that reach the functions, and what is refused."""

import json

import pytest

from sessionkit.cli import options
from sessionkit.statistics.compare import BOTH
from sessionkit.statistics.corrections import CORRECTIONS
from sessionkit.statistics.design import POPULATIONS
from tests.support.clinic import saved_clinic

QUICK = ["--difference", "0.065", "--draws", "300", "--component-draws", "50", "--users", "30,60", "--topics", "4,8"]


def test_the_help_names_what_the_functions_take():
    assert tuple(options.CORRECTIONS.split("|")) == CORRECTIONS
    assert tuple(options.POPULATIONS.split("|")) == (*POPULATIONS, BOTH)


@pytest.mark.slow
def test_mixed_in_every_form(call):
    words = ["compare", saved_clinic(), "nsDCG@10", "--population", "users,topics"]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# effects",
        "# components",
        "# fits",
        "# provenance",
        "# reading",
    ]
    shown = call(*words, "--format", "table").out
    assert shown.startswith("The claim is about users like these 30 and topics like these 4.")
    assert "components\n" in shown
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {row["table"] for row in rows} == {"effects", "components", "fits", "provenance", "reading"}
    one = call(*words, "--table", "components", "--format", "csv").lines
    assert one[0] == "measure,component,levels,variance,low,high,sd,share"
    assert len(one) == 5
    assert "\tnan" not in tsv.out.lower()


@pytest.mark.slow
def test_options_of_mixed_reach_the_function(call):
    words = ["compare", saved_clinic(), "nsDCG@10", "sDCG@10", "--population", "users,topics", "--table", "effects"]
    plain = call(*words).out
    for changed in (
        ["--by", "skill"],
        ["--random", "user_id,topic_id"],
        ["--correction", "none"],
        ["--confidence", "0.9"],
    ):
        given = list(words)
        if changed[0] in given:  # an option of one value is given once
            place = given.index(changed[0])
            del given[place : place + 2]
        outcome = call(*given, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--wide"]])
def test_power_of_a_file_of_scores_is_that_of_the_study(call, tmp_path, form):
    file = tmp_path / "scores.csv"
    assert call("score", saved_clinic(), "nsDCG@10", "--per", "session", *form, "--output", file).status == 0
    of_study, of_scores = (
        call("power", source, "nsDCG@10", *QUICK, "--table", "power", "--where", "topic_id <> 'A'")
        for source in (saved_clinic(), file)
    )
    assert of_scores.out == of_study.out
    assert "sessions where topic_id <> 'A' (90 of 120 sessions)" in of_scores.err
    told = call("power", file, "nsDCG@10", *QUICK, "--table", "provenance").out
    assert "sessionkit power SCORES nsDCG@10 --difference 0.065" in told


@pytest.mark.slow
def test_power_in_every_form(call, tmp_path):
    words = ["power", saved_clinic(), "nsDCG@10", *QUICK]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# smallest",
        "# power",
        "# components",
        "# provenance",
        "# reading",
    ]
    assert call(*words).out == tsv.out
    shown = call(*words, "--format", "table", "--chart", tmp_path / "power.json").out
    assert "Number of users" in (tmp_path / "power.json").read_text()
    assert shown.startswith("Design: crossover")
    assert "power\n" in shown
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {(row["users"], row["topics"]) for row in rows if row["table"] == "power"} == {
        (30, 4), (60, 4), (30, 8), (60, 8), (None, 4), (None, 8)
    }  # fmt: skip


@pytest.mark.slow
def test_options_of_power_reach_the_function(call):
    words = ["power", saved_clinic(), "nsDCG@10", *QUICK]
    plain = call(*words).out
    for changed in (
        ["--population", "users"],
        ["--target", "0.2"],
        ["--users", "30"],
        ["--topics", "4"],
        ["--confidence", "0.9"],
        ["--seed", "3"],
        ["--difference", "10%"],
        ["--by", "skill"],
    ):
        given = list(words)
        if changed[0] in given:  # an option of one value is given once
            place = given.index(changed[0])
            del given[place : place + 2]
        outcome = call(*given, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.parametrize(
    ("status", "arguments", "names"),
    [
        (2, ["compare", "nsDCG@10", "--population", "users,topics", "--random", "user"], ["did you mean 'user_id'"]),
        (2, ["compare", "nsDCG@10", "--random", "user_id"], ["add population=users,topics"]),
        (2, ["power", "nsDCG@10"], ["--difference"]),
        (2, ["power", "nsDCG@10", "--difference", "x"], ["10%"]),
        (2, ["power", "nsDCG@10", "--difference", "1", "--users", "many"], ["30,60,90"]),
        (2, ["power", "nsDCG@10", "--difference", "1", "--users", "1"], ["from 2 to 5,000"]),
    ],
)
def test_what_cannot_be(refused, status, arguments, names):
    command, *options = arguments
    refused(status, command, saved_clinic(), *options, names=names)
