"""curve and breakdown.

curve --effort: the tables and words of effort.
"""

import json
from typing import get_args

import pytest

import sessionkit as sk
from sessionkit.cli import curves, options
from sessionkit.sessions.breakdown import breakdown as breaking
from tests.support.clinic import read_clinic, saved_clinic


def rows(text):
    """The rows of a tsv."""
    return [line.split("\t") for line in text.splitlines()]


def test_the_help_names_what_the_functions_take():
    from sessionkit.sessions.breakdown import AVERAGES, PARTS
    from sessionkit.sessions.curve import AFTER_STOP, NORMALIZE

    normalize = get_args(options.NormalizeOption)[1].metavar
    named = (normalize, curves.AFTER_STOP, curves.PARTS, curves.AVERAGES)
    assert [tuple(text.split("|")) for text in named] == [NORMALIZE, AFTER_STOP, PARTS, AVERAGES]
    assert callable(breaking)
    assert callable(sk.curve)


def test_curve_is_the_concatenated_vector(call, study):
    head, *rest = rows(call("curve", study, "sDCG@3", "--per", "session").out)
    assert head == ["session_id", "slot", "query_position", "rank", "value", "ideal", "n"]
    mine = [row for row in rest if row[0] == "s1"]
    assert [row[1] for row in mine] == [str(slot) for slot in range(1, 10)]
    # FORMULAS section 1: 0, .5, .5, .5, .5, .5, 1.615772, 1.615772, 1.831592
    expected = [0, 0.5, 0.5, 0.5, 0.5, 0.5, 1.615772, 1.615772, 1.831592]
    assert [float(row[4]) for row in mine] == pytest.approx(expected, abs=1e-6)


def test_all_groups_as_one(call, study):
    assert rows(call("curve", study, "sDCG@3", "--by", "all").out)[0][0] == "slot"
    assert rows(call("breakdown", study, "DCG@3", "--by", "all").out)[0][0] == "part"


def test_groups_may_be_made_by_several_columns(call, study):
    head, *rest = rows(call("curve", study, "sDCG@3", "--by", "topic_id,system_id").out)
    assert head[:3] == ["topic_id", "system_id", "slot"]
    assert {tuple(row[:2]) for row in rest} == {("t", "A"), ("t", "B")}
    head, *rest = rows(call("breakdown", study, "DCG@3", "--by", "topic_id,system_id").out)
    assert head[:3] == ["topic_id", "system_id", "part"]


def test_curve_options_reach_the_function(call, study):
    long = rows(call("curve", study, "sDCG@3", "--where", "queries >= 2 and topic_id = 't'").out)[1:]
    assert {row[0] for row in long} == {"A"}
    ended = rows(call("curve", study, "sDCG@3", "--per", "session", "--after-stop", "null").out)[1:]
    held = rows(call("curve", study, "sDCG@3", "--per", "session").out)[1:]
    assert sum(row[4] == "" for row in ended if row[0] == "s2") == 6
    assert sum(row[4] == "" for row in held) == 0
    each, averages = (
        rows(call("curve", study, "sDCG@3", "--by", "all", "--normalize", how).out)[-1][3]
        for how in ("each", "averages")
    )
    assert each != averages


def test_breakdown_by_last_query(call, study):
    head, *rest = rows(call("breakdown", study, "CG@3").out)
    counts = ["n_queries", "n_sessions", "single_query_sessions", "left_out_single_query", "left_out_undefined"]
    assert head == ["system_id", "part", "rank", "value", *counts]
    # A: last <2,0,1> sums to 3; non-last <0,1,0> and an empty list, mean 1/2; the session of B has one query
    ends = [row for row in rest if row[2] == "3"]
    assert ends == [
        ["A", "last", "3", "3.0", "1", "1", "0", "0", "0"],
        ["A", "non-last", "3", "0.5", "2", "1", "0", "0", "0"],
        ["B", "last", "3", "", "0", "0", "0", "1", "0"],
        ["B", "non-last", "3", "", "0", "0", "0", "1", "0"],
    ]
    _, *rest = rows(call("breakdown", study, "CG@3", "--average", "queries").out)
    assert [row for row in rest if row[2] == "3"] == [
        ["A", "last", "3", "3.0", "1", "1", "0", "0", "0"],
        ["A", "non-last", "3", "0.5", "2", "1", "0", "0", "0"],
        ["B", "last", "3", "2.0", "1", "1", "1", "0", "0"],
    ]


@pytest.mark.slow
def test_breakdown_options_reach_the_function(call, study):
    parts = {
        by: {row[1] for row in rows(call("breakdown", study, "CG@3", "--parts", by).out)[1:]}
        for by in ("first", "best", "position")
    }
    assert parts == {"first": {"first", "later"}, "best": {"best", "rest"}, "position": {"1", "2", "3"}}
    long = rows(call("breakdown", study, "CG@3", "--average", "sessions", "--where", "queries >= 2").out)[1:]
    assert {row[0] for row in long} == {"A"}


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["curve", "nDCG@3"], ["sDCG@10"]),
        (["curve", "sDCG"], ["cutoff"]),
        (["curve", "sDCG@3", "--by", "sistem"], ["sistem"]),
        (["curve", "sDCG@3", "--where", "topic_id = 'u'"], ["'u'", "topic_id has 't'"]),
        (["curve", "sDCG@3", "--normalize", "eech"], ["eech", "each"]),
        (["curve", "sDCG@3", "--after-stop", "keep"], ["hold"]),
        (["curve", "sDCG@3", "--where", "queries > 9"], ["no session", "queries ranges from 1 to 3"]),
        (["breakdown", "CG@3", "--parts", "list"], ["last"]),
        (["breakdown", "CG@3", "--average", "users"], ["queries"]),
        (["breakdown", "CG@3", "--average", "queries", "--significance"], ["--average queries", "without it"]),
        (["breakdown", "mean(nDCG@3)"], ["mean(nDCG@3)"]),
        (["curve", "nsDCG@3", "--per", "query"], ["session"]),
    ],
)
def test_what_cannot_be(refused, study, arguments, names):
    command, measure, *options = arguments
    refused(2, command, study, measure, *options, names=names)


def test_the_parts_are_drawn_beside_the_table(call, refused, study, tmp_path):
    place = tmp_path / "parts.json"
    words = ["breakdown", study, "CG@3", "--by", "all", "--where", "queries >= 2", "--chart", place]
    assert f"written: {place}" in call(*words).err
    spec = json.dumps(json.loads(place.read_text()))
    assert '"Non-last"' in spec
    assert "Sessions where queries >= 2" in spec
    refused(2, *words, "--significance", names=["--chart", "without --significance"])


def test_curves_of_many_single_sessions_are_drawn_small(call, refused, study, tmp_path, monkeypatch):
    words = ["curve", study, "sDCG@3", "--per", "session", "--chart", tmp_path / "curves.svg"]
    assert "written: " in call(*words).err
    monkeypatch.setattr("sessionkit.charts.encodings.MOST_COLORED", 1)
    refused(2, *words, names=["at most 1 curves", "sessionkit chart session-wall", "'sDCG@3' --output"])


def test_the_curves_are_drawn_beside_the_table(call, study, tmp_path):
    place = tmp_path / "curves.json"
    assert f"written: {place}" in call("curve", study, "sDCG@3", "--by", "user_id", "--chart", place).err
    spec = json.loads(place.read_text())
    assert '"Cumulated gain"' in json.dumps(spec)  # no user has two sessions
    assert '"User"' in json.dumps(spec)


@pytest.mark.slow
def test_tables_are_those_of_python(call):
    found = sk.effort(read_clinic(), "sDCG@10", document_cost=20, query_cost=15)
    asked = ("curve", saved_clinic(), "sDCG@10", "--effort", "--document-cost", "20", "--query-cost", "15")
    whole = call(*asked).lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    rows = [json.loads(line) for line in call(*asked, "--table", "searcher", "--format", "jsonl").lines]
    assert rows == found.searcher.to_dicts()


def test_people_get_the_reading_first(call):
    shown = call("curve", saved_clinic(), "sRBP(b=0.64,p=0.86)@10", "--effort", "--by", "all", "--format", "table")
    assert shown.err == ""
    assert shown.out.startswith("all sessions: 74 of 120 sessions")
    assert "looks at 7.14 results of 3.21 queries" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["mean(DCG@10)", "--effort"], 2, "measure inside: DCG@10"),
        (["sDCG@10", "--effort", "--by", "sistem_id"], 2, "did you mean 'system_id'"),
        (["sDCG@10", "--effort", "--query-cost", "-1"], 2, "--query-cost"),
        (["sDCG@10", "--effort", "--table", "reech"], 2, "did you mean 'reach'"),
        (["sDCG@10", "--effort", "--by", "system_id,topic_id"], 2, "by takes one column"),
        (["sDCG@10", "--effort", "--per", "session"], 2, "--per cannot be used with --effort"),
        (["sDCG@10", "--query-cost", "3"], 2, "--query-cost cannot be used without"),
    ],
)
def test_what_is_refused(call, words, status, said):
    done = call("curve", saved_clinic(), *words)
    assert done.status == status
    assert said in done.err
    assert len(done.err.splitlines()) == 1
