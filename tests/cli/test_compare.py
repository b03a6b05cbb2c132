"""compare, as a command."""

import json

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

PAIRS = ("--table", "pairs")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """The clinic study, ingested."""
    place = tmp_path_factory.mktemp("compare") / "clinic"
    read_clinic().save(place)
    return place


def test_the_table_is_that_of_python(call, clinic):
    found = sk.compare(sk.open_study(clinic), ["nsDCG@10", "last(DCG@100)"])
    head, *rows = (line.split("\t") for line in call("compare", clinic, "nsDCG@10", "last(DCG@100)", *PAIRS).lines)
    assert head == found.table.columns
    assert [row[0] for row in rows] == ["nsDCG@10", "last(DCG@100)"]
    assert [float(row[head.index("p_adjusted")]) for row in rows] == found.table.get_column("p_adjusted").to_list()
    whole = call("compare", clinic, "nsDCG@10", "last(DCG@100)").lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [*found.tables(), "reading"]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()


def test_people_get_the_reading_and_every_table_that_has_rows(call, clinic):
    shown = call("compare", clinic, "nsDCG@10", "--format", "table")
    assert shown.err == ""
    said = " ".join(shown.out.split())
    for text in (
        "Design: crossover",
        "The claim is about users like these 30 users, searching these 4 topics",
        "A true difference of",
        "carry-over",
    ):
        assert text in said
    assert "dropped" not in said
    head = next(line.split() for line in shown.out.splitlines() if line.startswith("measure "))
    assert head == [
        *("measure", "a", "b", "n_a", "n_b", "estimate", "low", "high", "p_adjusted", "effect"),
        *("mean_a", "mean_b", "raw_difference"),
    ]


def test_every_form_and_table(call, clinic, tmp_path):
    asked = ("compare", clinic, "nsDCG@10", "--generalise", "topics")
    (row,) = (json.loads(line) for line in call(*asked, *PAIRS, "--format", "jsonl").lines)
    assert (row["n_a"], row["df"]) == (4, 3)
    file = tmp_path / "pairs.parquet"
    assert call(*asked, *PAIRS, "--output", file).status == 0
    assert pl.read_parquet(file).item(0, "p") == row["p"]
    settings = call(*asked, "--table", "settings", "--format", "csv").out
    assert 'population,"topics like these 4 topics, searched by these 30 users"' in settings
    assert call(*asked, "--table", "order").lines[1].split("\t")[1] == "period"


def test_options_are_those_of_python(call, clinic):
    options = {"test": "randomisation", "correction": "bonferroni", "alpha": 0.1, "resamples": 499, "seed": 7}
    found = sk.compare(sk.open_study(clinic), "nsDCG@10", **options)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ours = json.loads(call("compare", clinic, "nsDCG@10", *words, *PAIRS, "--format", "jsonl").out)
    assert ours["p"] == found.table.item(0, "p")
    assert ours["low"] == found.table.item(0, "low")
    again = json.loads(call("compare", clinic, "nsDCG@10", *words[:-1], 8, *PAIRS, "--format", "jsonl").out)
    assert again["p"] != ours["p"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["nDCG@10"], ["mean(nDCG@10)"]),
        (["nsDCG@10", "--by", "sistem_id"], ["sistem_id", "did you mean 'system_id'"]),
        (["nsDCG@10", "--by", "user_id"], ["30 values", "2 to 20"]),
        (["nsDCG@10", "--test", "bootstrap"], ["17 %", "least-squares"]),
        (["nsDCG@10", "--test", "welch"], ["randomisation or least-squares would work"]),
        (["nsDCG@10", "--generalise", "sessions"], ["generalise=users or generalise=topics would work"]),
        (["nsDCG@10", "--correction", "fdr"], ["bonferroni, holm, bh, none"]),
        (["nsDCG@10", "--table", "pair"], ["did you mean 'pairs'"]),
    ],
)
def test_what_cannot_be_is_one_line(refused, clinic, words, names):
    refused(2, "compare", clinic, *words, names=names)


def test_names_from_a_log_do_not_act_on_a_terminal(call, study):
    outcome = call("compare", study, "sDCG@3", "--by", "team", "--format", "table")
    assert outcome.status == 0
    assert "needs at least two" in " ".join(outcome.out.split())
    assert "\x1b" not in outcome.out + outcome.err
