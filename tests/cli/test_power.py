"""mixed and power: every form, options that reach the functions, and what is refused."""

import json

import pytest

from sessionkit.analysis.compare.corrections import CORRECTIONS
from sessionkit.analysis.compare.design import GENERALISE
from sessionkit.cli import power
from tests.support.clinic import saved_clinic

QUICK = ["--difference", "0.065", "--studies", "300", "--draws", "50", "--users", "30,60", "--topics", "4,8"]


def test_the_help_names_what_the_functions_take():
    assert tuple(power.CORRECTIONS.split("|")) == CORRECTIONS
    assert tuple(power.CLAIMS.split("|")) == GENERALISE


@pytest.mark.slow
def test_mixed_in_every_form(call):
    words = ["mixed", saved_clinic(), "nsDCG@10"]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == ["# effects", "# components", "# fits", "# reading"]
    shown = call(*words, "--format", "table").out
    assert shown.startswith("The claim is about users like these 30 and topics like these 4.")
    assert "components\n" in shown
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {row["table"] for row in rows} == {"effects", "components", "fits", "reading"}
    one = call(*words, "--table", "components", "--format", "csv").lines
    assert one[0] == "measure,component,levels,variance,low,high,sd,share"
    assert len(one) == 5
    assert "nan" not in tsv.out.lower()


@pytest.mark.slow
def test_options_of_mixed_reach_the_function(call):
    words = ["mixed", saved_clinic(), "nsDCG@10", "sDCG@10", "--table", "effects"]
    plain = call(*words).out
    for changed in (
        ["--by", "skill"],
        ["--random", "user_id,topic_id"],
        ["--correction", "none"],
        ["--alpha", "0.1"],
    ):
        outcome = call(*words, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.slow
def test_power_in_every_form(call):
    words = ["power", saved_clinic(), "nsDCG@10", *QUICK]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# smallest",
        "# power",
        "# components",
        "# reading",
    ]
    assert call(*words).out == tsv.out
    shown = call(*words, "--format", "table").out
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
        ["--generalise", "users"],
        ["--target", "0.2"],
        ["--users", "30"],
        ["--topics", "4"],
        ["--alpha", "0.1"],
        ["--seed", "3"],
        ["--difference", "10%"],
        ["--by", "skill"],
    ):
        outcome = call(*words, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.parametrize(
    ("status", "arguments", "names"),
    [
        (2, ["mixed", "nDCG@10"], ["mean(nDCG@10)"]),
        (2, ["mixed", "nsDCG@10", "--random", "user"], ["did you mean 'user_id'"]),
        (2, ["mixed", "nsDCG@10", "--by", "user_id"], ["2 to 20"]),
        (2, ["power", "nsDCG@10"], ["--difference"]),
        (2, ["power", "nsDCG@10", "--difference", "x"], ["10%"]),
        (2, ["power", "nsDCG@10", "--difference", "1", "--users", "many"], ["30,60,90"]),
        (2, ["power", "nsDCG@10", "--difference", "1", "--users", "1"], ["from 2 to 5,000"]),
    ],
)
def test_what_cannot_be(refused, status, arguments, names):
    command, *options = arguments
    refused(status, command, saved_clinic(), *options, names=names)
