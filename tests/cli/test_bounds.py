"""bounds, as a command: how far unjudged results could move scores."""

import json

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic, saved_clinic

MEASURES = ("sDCG@10", "mean(nDCG@10)")


@pytest.fixture(scope="module")
def found():
    return sk.bounds(read_clinic(), MEASURES)


def test_tables_are_those_of_python(call, found):
    whole = call("bounds", saved_clinic(), *MEASURES).lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [
        "bounds",
        "differences",
        "wanted",
        "judged",
        "provenance",
        "reading",
    ]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    rows = [
        json.loads(line)
        for line in call("bounds", saved_clinic(), *MEASURES, "--table", "bounds", "--format", "jsonl").lines
    ]
    assert rows == found.bounds.to_dicts()


def test_people_get_the_reading_and_the_margins_of_what_is_judged(call, found):
    shown = call("bounds", saved_clinic(), *MEASURES, "--format", "table")
    assert shown.err == ""
    assert " ".join(shown.out.split()).startswith(" ".join(found.reading.split()))
    judged = shown.out.split("\njudged\n")[1].splitlines()
    # ten ranks, the query positions that the study has and the whole, of both systems; and the lines of the heading
    margins = found.judged.filter(pl.col("rank").is_null() | pl.col("query_position").is_null())
    assert sum(line.strip().startswith(("S1", "S2")) for line in judged) == len(margins)


@pytest.mark.slow
def test_options_reach_the_function(call, tmp_path):
    file = tmp_path / "units.parquet"
    asked = (
        "bounds",
        saved_clinic(),
        "mean(P@10)",
        "--by",
        "topic_id",
        "--per",
        "query",
        "--wanted",
        "1",
        "--memory",
        "200MB",
    )
    assert call(*asked, "--table", "units", "--output", file).status == 0
    units = pl.read_parquet(file)
    assert units["measure"].unique().to_list() == ["P@10"]
    assert units["topic_id"].unique().sort().to_list() == ["A", "B", "C", "D"]
    wanted = [json.loads(line) for line in call(*asked, "--table", "wanted", "--format", "jsonl").lines]
    assert [row["place"] for row in wanted] == [1] * 6  # of every pair of topics
    higher = call(
        "bounds", saved_clinic(), "sDCG@10", "--max-grade", "6", "--table", "bounds", "--format", "jsonl"
    ).lines
    usual = call("bounds", saved_clinic(), "sDCG@10", "--table", "bounds", "--format", "jsonl").lines
    residuals = [[json.loads(line)["residual"] for line in lines] for lines in (higher, usual)]
    assert residuals[0] == pytest.approx([2 * value for value in residuals[1]])


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["sDCG@10", "--per", "query"], 2, "per query"),
        (["sDCG@10", "--by", "sistem_id"], 2, "did you mean 'system_id'"),
        (["sDCG@10", "--max-grade", "1"], 2, "above max_grade=1"),
        (["sDCG@10", "--table", "units"], 2, "--table units has a row for each session or query; add --per"),
    ],
)
def test_what_is_refused(call, words, status, said):
    done = call("bounds", saved_clinic(), *words)
    assert done.status == status
    assert said in done.err
    assert len(done.err.splitlines()) == 1
