"""correlate, and breakdown --significance: every form, options that reach the functions, and what is refused."""

import csv
import json

import polars as pl
import pytest

from sessionkit.cli import comparisons, curves, options
from sessionkit.sessions.breakdown_tests import CONTRASTS
from sessionkit.statistics.correlation_matrices import COEFFICIENTS
from sessionkit.statistics.distributions import KINDS, UNITS


@pytest.fixture
def rated(tmp_path):
    """Twelve sessions of six users, two queries each, rated 1 to 5; the second query of most is better."""
    folder = tmp_path / "rated"
    folder.mkdir()
    grades = [(0, 2), (1, 2), (0, 1), (2, 0), (0, 0), (1, 2), (0, 2), (1, 0), (0, 1), (2, 2), (0, 2), (1, 1)]
    ratings = [4, 5, 3, 2, 1, 5, 3, 2, 3, 4, 5, 2]
    sessions = [f"s{n:02},u{n % 6},t,{rating},so" for n, rating in enumerate(ratings)]
    results = [f"s{n:02}\t{q}\t1\td{g}" for n, pair in enumerate(grades) for q, g in enumerate(pair, 1)]
    files = {
        "sessions.csv": ["session_id,user_id,topic_id,performance,mood", *sessions],
        "results.tsv": ["session_id\tquery_position\trank\tdoc_id", *results],
        "qrels": ["t 0 d0 0", "t 0 d1 1", "t 0 d2 2"],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    study = folder / "study.toml"
    study.write_text(
        '[sessions]\npath = "sessions.csv"\n[results]\npath = "results.tsv"\n[judgments]\npath = "qrels"\n'
    )
    return study


def test_the_help_names_what_the_functions_take():
    named = (comparisons.COEFFICIENTS, options.INTERVALS, options.UNITS, curves.TESTED)
    assert [tuple(text.split("|")) for text in named] == [COEFFICIENTS, KINDS, UNITS, tuple(CONTRASTS)]


def test_correlate_in_every_form(call, rated, tmp_path):
    words = ["correlate", rated, "sDCG@1", "Queries", "last(CG@1)", "--with", "performance", "--draws", "300"]
    tsv = call(*words)
    assert tsv.status == 0
    assert [line for line in tsv.lines if line.startswith("# ")] == [
        "# correlations",
        "# differences",
        "# provenance",
        "# reading",
    ]
    table = call(*words, "--format", "table", "--chart", tmp_path / "forest.json").out
    assert "Pearson's r" in (tmp_path / "forest.json").read_text()
    assert table.startswith("12 sessions of 6 users.")
    assert "differences\n" in table
    rows = [json.loads(line) for line in call(*words, "--format", "jsonl").lines]
    assert {row["table"] for row in rows} == {"correlations", "differences", "provenance", "reading"}
    assert all(row["value"] is None or -1 <= row["value"] <= 1 for row in rows if row["table"] == "correlations")
    one = call(*words, "--table", "correlations", "--format", "csv").lines
    assert one[0].startswith(
        "measure,covariate,coefficient,n,units,dropped,value,low,high,p,p_independent,interval,note"
    )
    file = tmp_path / "found.parquet"
    assert call(*words, "--table", "differences", "--output", file).status == 0
    assert pl.read_parquet(file).height == 9
    assert "\tnan" not in tsv.out.lower()


@pytest.mark.slow
def test_options_of_correlate_reach_the_function(call, rated):
    words = ["correlate", rated, "sDCG@1", "--with", "performance", "--table", "correlations", "--draws", "300"]
    plain = call(*words).out
    assert call(*words).out == plain
    for changed in (
        ["--seed", "7"],
        ["--control", "last(CG@1)"],
        ["--coefficients", "pearson"],
        ["--units", "sessions"],
        ["--interval", "bca"],
        ["--confidence", "0.9"],
    ):
        outcome = call(*words, *changed)
        assert outcome.status == 0
        assert outcome.out != plain


@pytest.mark.slow
def test_breakdown_with_tests(call, rated):
    words = ["breakdown", rated, "CG@1", "--significance", "--by", "all", "--draws", "300"]
    rows = [line.split("\t") for line in call(*words, "--parts", "last,last-first", "--table", "tests").lines]
    assert rows[0][:5] == ["part", "against", "test", "sessions", "users"]
    assert [row[:3] for row in rows[1:]] == [
        ["last", against, test]
        for against in ("non-last", "first")
        for test in ("user means", "users drawn", "sessions")
    ]
    # 24 grades: last 15, first 8, of 12 sessions
    assert float(rows[1][9]) == pytest.approx((15 - 8) / 12)
    shown = call(*words, "--format", "table").out
    assert "No difference between the last query and the earlier ones is shown" in " ".join(shown.split())
    assert call(*words).lines[0] == "# tests"
    assert [json.loads(line)["table"] for line in call(*words, "--format", "jsonl").lines][-1] == "reading"
    drawn = csv.DictReader(call(*words, "--table", "tests", "--interval", "bca", "--format", "csv").lines)
    assert "BCa bootstrap" in {row["interval"] for row in drawn}


@pytest.mark.parametrize(
    ("status", "arguments", "names"),
    [
        (2, ["correlate", "sDCG@1"], ["--with"]),
        (2, ["correlate", "sDCG@1", "--with", "performanse"], ["did you mean 'performance'"]),
        (1, ["correlate", "sDCG@1", "--with", "mood"], ["not numeric", "'so'"]),
        (1, ["correlate", "Queries", "--with", "performance"], ["Queries is 2 in all 12 sessions"]),
        (2, ["correlate", "sDCG@1", "--with", "performance", "--control", "Querys"], ["control=Querys"]),
        (2, ["correlate", "sDCG@1", "--with", "performance", "--interval", "basic"], ["percentile"]),
        (2, ["correlate", "sDCG@1", "--with", "performance", "--confidence", "95"], ["0.95"]),
        (2, ["breakdown", "CG@1", "--significance", "--parts", "position"], ["last-first"]),
        (2, ["breakdown", "CG@1", "--seed", "4"], ["--seed", "--significance"]),
        (2, ["breakdown", "CG@1", "--interval", "bca"], ["--interval", "--significance"]),
        (2, ["breakdown", "CG@1", "--significance", "--interval", "basic"], ["percentile"]),
        (2, ["breakdown", "CG@1", "--parts", "last-first"], ["last"]),
    ],
)
def test_what_cannot_be(refused, rated, status, arguments, names):
    command, measure, *options = arguments
    refused(status, command, rated, measure, *options, names=names)
