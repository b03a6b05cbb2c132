"""judgment-loss, judge-noise and discriminate, as commands."""

import json
import sys

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import robustness
from sessionkit.cli.runner import working
from sessionkit.robustness.judge_noise import JUDGES, SEARCHERS, SPREADS
from tests.support.clinic import read_clinic

LOSS = ("--fractions", "0.2:1:3", "--draws", "2", "--seed", "4")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """The clinic study, ingested."""
    place = tmp_path_factory.mktemp("judging") / "clinic"
    read_clinic().save(place)
    return place


@pytest.mark.slow
def test_loss_has_the_tables_of_python(call, clinic):
    found = sk.judgment_loss(sk.open_study(clinic), "nsDCG@10", fractions="0.2:1:3", draws=2, seed=4)
    lines = call("judgment-loss", clinic, "nsDCG@10", *LOSS).lines
    assert [line[2:] for line in lines if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert lines[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    rows = [
        json.loads(line)
        for line in call("judgment-loss", clinic, "nsDCG@10", *LOSS, "--table", "pairs", "--format", "jsonl").lines
    ]
    assert pl.DataFrame(rows).equals(found.pairs)


def test_people_get_the_reading_and_the_pair_where_there_is_one(call, clinic):
    shown = call("judgment-loss", clinic, "nsDCG@10", *LOSS, "--format", "table")
    assert shown.err == ""
    said = " ".join(shown.out.split())
    assert "With two groups tau is 1 or -1" in said
    assert "same_sign" in said
    assert "true_positive" not in said


def test_the_curve_is_drawn_beside_it(call, clinic, tmp_path):
    place = tmp_path / "curve.json"
    outcome = call("judgment-loss", clinic, "nsDCG@10", *LOSS, "--chart", place, "--table", "knees")
    assert f"written: {place}" in outcome.err
    spec = json.loads(place.read_text())
    assert spec["title"]["text"] == "The order of systems as judgments are lost"
    assert "groups by system; mean of 2 draws; seed 4" in spec["title"]["subtitle"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--fractions", "5"), ("'5'", "0.1:1:10")),
        (("--fractions", "0.5", "--draws", "0"), ("draws",)),
        (("--fractions", "0.5", "--chart", "no/such/place.svg"), ("no/such",)),
    ],
)
def test_loss_names_what_would_work(refused, clinic, options, names):
    refused(2, "judgment-loss", clinic, "nsDCG@10", *options, names=names)


def test_noise_has_the_tables_of_python(call, clinic):
    options = ("--noise", "searchers", "--draws", "3", "--seed", "2", "--population", "topics", "--confidence", "0.9")
    found = sk.judge_noise(
        sk.open_study(clinic), "nsDCG@10", noise="searchers", draws=3, seed=2, population="topics", confidence=0.9
    )
    lines = call("judge-noise", clinic, "nsDCG@10", *options).lines
    assert [line[2:] for line in lines if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert lines[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    shown = call("judge-noise", clinic, "nsDCG@10", *options, "--format", "table").out
    assert "Cohen's kappa, quadratic, is 0.92." in shown
    head = next(line for line in lines if line.startswith("measure\ta"))
    assert head.split("\t") == found.table.columns


def test_noise_errors_are_one_line(refused, clinic):
    refused(2, "judge-noise", clinic, "nsDCG@10", "--noise", "judge", names=("did you mean 'judges'",))
    refused(1, "judge-noise", clinic, "nsDCG@10", "--noise", "judges", names=("judge_id", "noise=0.1"))
    refused(2, "judge-noise", clinic, "nsDCG@10", "--spread", "far", names=("adjacent, any",))


def test_discriminate_has_the_tables_of_python(call, clinic):
    found = sk.discriminate(sk.open_study(clinic), ["nsDCG@10", "sDCG@10"], population="topics", draws=99)
    options = ("--population", "topics", "--draws", "99")
    lines = call("discriminate", clinic, "nsDCG@10", "sDCG@10", *options).lines
    assert [line[2:] for line in lines if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    shown = " ".join(call("discriminate", clinic, "nsDCG@10", "sDCG@10", *options, "--format", "table").out.split())
    assert "2 groups make one pair" in shown
    assert "the smallest possible p from sign changes is 0.125" in shown


def test_discriminate_names_what_would_work(refused, clinic):
    refused(2, "discriminate", clinic, "nsDCG@10", "--test", "bootstrap", names=("bootstrap", "crossover"))


def test_the_help_names_what_python_knows():
    assert tuple(robustness.SPREADS.split("|")) == SPREADS
    assert robustness.SOURCES.split("|")[:2] == [JUDGES, SEARCHERS]


def test_progress_is_shown_on_a_terminal(monkeypatch, clinic, capsys):
    from sessionkit.cli import runner

    monkeypatch.setattr(runner, "PATIENCE", 0.01)
    monkeypatch.setattr(runner, "OFTEN", 0.005)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with working("removing judgments"):
        sk.judgment_loss(sk.open_study(clinic), "nsDCG@10", fractions=[0.5], draws=8)
    said = capsys.readouterr().err
    assert "removing judgments" in said
    assert " of 9 scorings" in said


def test_agreement_is_that_of_python(call, tmp_path):
    judged = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": ["t"] * 8, "doc_id": list("abcd") * 2, "judge_id": ["ada"] * 4 + ["bob"] * 4,
            "grade": [0, 0, 1, 1, 0, 0, 0, 1],
        },
    )  # fmt: skip
    judged.save(tmp_path / "judged")
    rows = [
        json.loads(line)
        for line in call("agreement", tmp_path / "judged", "--table", "agreement", "--format", "jsonl").lines
    ]
    assert rows == sk.agreement(judged).table.to_dicts()
    assert {"judge_id": "ada", "other": "bob", "measure": "kappa", "value": 0.5, "n": 4} in rows


def test_agreement_says_where_nobody_can_agree(call, clinic):
    done = call("agreement", clinic, "--format", "table")
    assert (done.status, done.lines) == (
        0,
        ["No document has grades of two judges; a column judge_id of the judgments tells judges apart."],
    )
    assert call("agreement", clinic, "--table", "agreement").lines == ["judge_id\tother\tmeasure\tvalue\tn"]
