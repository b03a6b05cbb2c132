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
    assert [line[2:] for line in whole if line.startswith("# ")] == [
        *(name for name in found.tables() if name != "units"),
        "provenance",
        "reading",
    ]
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
    asked = ("compare", clinic, "nsDCG@10", "--population", "topics")
    (row,) = (json.loads(line) for line in call(*asked, *PAIRS, "--format", "jsonl").lines)
    assert (row["n_a"], row["df"]) == (4, 3)
    file = tmp_path / "pairs.parquet"
    assert call(*asked, *PAIRS, "--output", file).status == 0
    assert pl.read_parquet(file).item(0, "p") == row["p"]
    settings = call(*asked, "--table", "made_with", "--format", "csv").out
    assert 'claim,"topics like these 4 topics, searched by these 30 users"' in settings
    assert call(*asked, "--table", "order").lines[1].split("\t")[1] == "period"


def test_options_are_those_of_python(call, clinic):
    options = {"test": "randomization", "correction": "bonferroni", "confidence": 0.9, "draws": 499, "seed": 7}
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
        (["nsDCG@10", "--by", "sistem_id"], ["sistem_id", "did you mean 'system_id'"]),
        (["nsDCG@10", "--by", "user_id"], ["30 values", "2 to 20"]),
        (["nsDCG@10", "--test", "bootstrap"], ["17%", "least-squares"]),
        (["nsDCG@10", "--test", "welch"], ["randomization or least-squares would work"]),
        (["nsDCG@10", "--population", "sessions"], ["population=users or population=topics would work"]),
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


def test_the_differences_are_drawn_beside_the_tables(call, clinic, tmp_path):
    place = tmp_path / "differences.json"
    outcome = call("compare", clinic, "nsDCG@10", "--confidence", "0.9", "--chart", place, "--table", "pairs")
    assert f"written: {place}" in outcome.err
    assert "p \\u2264 0.1" in json.dumps(json.loads(place.read_text()))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("form", [[], ["--wide"]])
def test_a_file_of_scores_is_compared_as_the_study_is(call, clinic, tmp_path, ending, form):
    file = tmp_path / f"scores.{ending}"
    written = call("score", clinic, "nsDCG@10", "mean(nDCG@10)", "--per", "session", *form, "--output", file)
    assert written.status == 0
    words = ["nsDCG@10", "mean(nDCG@10)", "--table", "pairs"]
    assert call("compare", file, *words).out == call("compare", clinic, *words).out
    where = ["--where", "topic_id <> 'A'"]
    restricted = call("compare", file, *words, *where)
    assert restricted.out == call("compare", clinic, *words, *where).out
    assert "sessions where topic_id <> 'A' (" in restricted.err


def test_covariates_of_a_wide_file_make_groups_and_are_compared(call, clinic, tmp_path):
    file = tmp_path / "scores.csv"
    call("score", clinic, "nsDCG@10", "--per", "session", "--wide", "--output", file)
    words = ["--by", "skill", "--table", "pairs"]
    assert call("compare", file, "nsDCG@10", *words).out == call("compare", clinic, "nsDCG@10", *words).out
    rated = call("compare", file, "column(satisfaction)", "--table", "pairs").out.splitlines()[1]
    wanted = call("compare", clinic, "column(satisfaction)", "--table", "pairs").out.splitlines()[1]
    assert rated == wanted


def test_a_file_without_such_scores_says_which_it_has_or_is_read_as_a_log(refused, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("session_id,system_id,nsDCG@10\n1,A,0.5\n")
    refused(2, "compare", file, "sDCG@10", names=["no column 'sDCG@10'", "did you mean 'nsDCG@10'"])
    file.write_text("session_id,system_id,gain\n1,A,0.5\n")
    refused(1, "compare", file, "sDCG@10", names=["scores.csv"])


@pytest.mark.parametrize("form", [[], ["--wide"]])
def test_other_commands_say_that_a_file_holds_scores(refused, call, clinic, tmp_path, form):
    file = tmp_path / "scores.csv"
    call("score", clinic, "nsDCG@10", "--per", "session", *form, "--output", file)
    for words in (["describe"], ["breakdown", "nDCG@10"], ["correlate", "nsDCG@10", "--with", "satisfaction"]):
        refused(
            2, words[0], file, *words[1:], names=["scores.csv holds scores per session, which compare and power take"]
        )


def test_a_paper_gets_the_table_that_papers_print(call, clinic, tmp_path):
    found = sk.compare(sk.open_study(clinic), ["nsDCG@10", "mean(nDCG@10)"])
    words = ["compare", clinic, "nsDCG@10", "mean(nDCG@10)"]
    assert call(*words, "--format", "latex").out == found.to_latex()
    assert call(*words, "--format", "markdown").out == found.to_markdown()
    assert call(*words, "--output", tmp_path / "table.tex").status == 0
    assert (tmp_path / "table.tex").read_text(encoding="utf-8") == found.to_latex()
    pairs = call(*words, "--format", "latex", "--table", "pairs").out
    assert r"Raw\\difference" in pairs  # folded, as the table is wide
    scores = call("score", clinic, "nsDCG@10", "--format", "latex").out
    assert "\\toprule" in scores
    assert "S1 & 0.3248 & 60 \\\\" in scores
    assert "Judged results: 33.4\\% (S1), 40.7\\% (S2)." in scores


def test_scores_of_groups_are_named_as_such(refused, call, clinic, tmp_path):
    place = tmp_path / "means.csv"
    assert call("score", clinic, "nDCG@10", "--output", place).status == 0
    refused(2, "compare", place, "nsDCG@10", names=("scores have no session_id", "per='session'"))


def test_cut_divides_the_column_within_which_systems_are_compared(call, clinic):
    answer = call("compare", clinic, "nsDCG@10", "--within", "years_medicine", "--cut", 2, *PAIRS, "--format", "jsonl")
    assert [json.loads(line)["years_medicine"] for line in answer.lines] == ["6 to 21", "22 to 36"]
