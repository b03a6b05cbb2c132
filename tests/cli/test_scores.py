"""score and explain."""

import json
import math
import re

import polars as pl
import pytest

from tests.support.clinic import saved_clinic

# one list <0,1,0>, an empty one, a list <2,0,1>: 1/2 + (2 + 1/(1 + log2 3)) / (1 + log4 3); the other session one list <2>
S1 = 1 / 2 + (2 + 1 / (1 + math.log2(3))) / (1 + math.log(3, 4))


def rows(text):
    """The rows of a tsv."""
    return [line.split("\t") for line in text.splitlines()]


def test_score_by_system_is_the_default(call, study):
    head, first, second = rows(call("score", study, "sDCG@3").out)
    assert head == ["system_id", "measure", "value", "n", "undefined", "judged"]
    # judged: x and b of three, a and c of three, that is 4 of 6; d of one
    assert first[:2] + first[3:] == ["A", "sDCG@3", "1", "0", str(4 / 6)]
    assert float(first[2]) == pytest.approx(S1, abs=1e-15)
    assert second == ["B", "sDCG@3", "2.0", "1", "0", "1.0"]


def test_score_by_session_and_query(call, study):
    sessions = rows(call("score", study, "sDCG@3", "nsDCG@3", "--per", "session").out)
    assert sessions[0] == ["session_id", "system_id", "topic_id", "user_id", "measure", "value", "judged"]
    assert [(row[0], row[4]) for row in sessions[1:]] == [
        ("s1", "sDCG@3"),
        ("s1", "nsDCG@3"),
        ("s2", "sDCG@3"),
        ("s2", "nsDCG@3"),
    ]
    queries = rows(call("score", study, "CG@3", "--per", "query").out)
    assert [(row[0], row[1], row[-2]) for row in queries[1:]] == [
        ("s1", "1", "1.0"),
        ("s1", "2", "0.0"),
        ("s1", "3", "3.0"),
        ("s2", "1", "2.0"),
    ]


def test_score_by_several_columns_and_by_an_extra(call, study):
    assert rows(call("score", study, "sDCG@3", "--by", "system_id,user_id").out)[1][:3] == ["A", "u1", "sDCG@3"]
    assert {row[0] for row in rows(call("score", study, "sDCG@3", "--by", "team").out)} == {"team", "[red]x", "=1+1"}


def test_a_measure_keeps_its_whole_name(call, study):
    asked = "sDCG(bq=4.0, b=3 ,gain=exp2)@3"
    assert rows(call("score", study, asked).out)[1][1] == "sDCG(gain=exp2,b=3)@3"


def test_undefined_is_an_empty_field_and_null(call, log):
    (log.parent / "qrels").write_text("other 0 a 1\n")
    scored = call("score", log, "sDCG@3", "--per", "session")
    assert rows(scored.out)[1][5] == ""
    assert "note: sDCG@3 undefined for 2 of 2: s1, s2" in scored.err
    assert '"value":null' in call("score", log, "sDCG@3", "--per", "session", "--format", "jsonl").out


def test_notes_are_one_line_each_and_name_no_file(call, log):
    (log.parent / "qrels").write_text("t 0 a 1\nt 0 a 2\n")
    notes = call("score", log, "sDCG@3").err.splitlines()
    assert len(notes) == 3
    assert notes[0].startswith("note: queries: 1 of 4 (25.0%) ")
    assert notes[1].startswith("note: judgments: 1 document ")
    assert re.match("note: queries .*system_id: A 33\\.3%, B 0\\.0%", notes[2])


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet"])
def test_every_digit_survives(call, study, tmp_path, form):
    file = tmp_path / f"scores.{form}"
    assert call("score", study, "sDCG@3", "--per", "session", "--output", file).status == 0
    read = {
        "tsv": lambda: pl.read_csv(file, separator="\t"),
        "csv": lambda: pl.read_csv(file),
        "jsonl": lambda: pl.read_ndjson(file),
        "parquet": lambda: pl.read_parquet(file),
    }
    assert read[form]().get_column("value")[0] == pytest.approx(S1, abs=1e-15)
    assert read[form]().get_column("value").to_list() == [
        json.loads(line)["value"]
        for line in call("score", study, "sDCG@3", "--per", "session", "--format", "jsonl").lines
    ]


def test_explain_says_what_contributions_are_divided_by(call, study):
    found = call("explain", study, "nDCG@2", "--session", "s1")
    ideal = 2 + 2 / math.log2(3)  # two documents of grade 2
    divisors = [float(row[8]) for row in rows(found.out)[1:]]
    assert divisors == pytest.approx([ideal] * len(divisors))
    assert f"note: ideal: {ideal:.4f}; each " in found.err
    assert "multiplied" not in found.err
    assert re.search(r"multiplied by .* mean\(nDCG@2\)", call("explain", study, "mean(nDCG@2)", "--session", "s1").err)
    assert "ideal" not in call("explain", study, "sDCG@2", "--session", "s1").err


def test_explain_adds_up_to_the_score(call, study):
    head, *rest = rows(call("explain", study, "sDCG@3", "--session", "s1").out)
    assert head[:4] == ["session_id", "query_position", "rank", "doc_id"]
    assert head[4:] == ["grade", "gain", "rank_discount", "query_discount", "contribution", "cumulated"]
    assert len(rest) == 6  # every result that was shown
    assert math.fsum(float(row[8]) for row in rest) == pytest.approx(S1, abs=1e-15)
    assert float(rest[-1][9]) == pytest.approx(S1, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        ("ndcg@10", ["'ndcg'", "did you mean 'nDCG'"]),
        ("satisfaction", ["did you mean 'Satisfaction'", "column(satisfaction)"]),
        ("sDCG(bq=1)@10", ["number above 1, not 1"]),
        ("sDCG@0", ["cutoff", "at least 1"]),
        ("sDCG(b=2", ["cannot read the measure"]),
        ("sDCG(gian=exp2)@3", ["gian", "did you mean 'gain'"]),
        ("mean", ["mean(nDCG@10)"]),
    ],
)
def test_measures_that_cannot_be(refused, study, measure, names):
    refused(2, "score", study, measure, names=names)


def test_measures_are_read_before_the_log(refused):
    refused(2, "score", "nowhere", "ndcg@10", names=["did you mean 'nDCG'"])


def test_a_grade_beyond_the_weights_is_the_data_at_fault(refused, study):
    refused(1, "score", study, "sDCG(gain=0-1)@3", names=["0-1", "grade 2"])


def test_groups_and_sessions_that_do_not_exist(refused, study):
    refused(2, "score", study, "sDCG@3", "--by", "sistem_id", names=["sistem_id", "did you mean 'system_id'"])
    refused(2, "score", study, "sDCG@3", "--by", "query", names=["per=query gives a row for each"])
    refused(2, "explain", study, "sDCG@3", "--session", "s11", names=["'s11'", "did you mean 's1'"])


def test_a_study_that_was_damaged(refused, study):
    file = study / "results.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    refused(1, "score", study, "sDCG@3", names=["results", "bytes"])


def test_a_study_damaged_inside_but_not_in_length(call, study):
    file = study / "results.parquet"
    content = bytearray(file.read_bytes())
    content[4 : len(content) // 4] = bytes(len(content) // 4 - 4)
    file.write_bytes(content)
    outcome = call("score", study, "sDCG@3")
    assert outcome.status == 1
    assert outcome.err.startswith("error: ")
    assert "Traceback" not in outcome.err


def test_a_measure_in_the_place_of_the_study_is_told(refused, study):
    refused(2, "score", "sDCG@10", study, names=["STUDY comes first", "sDCG@10"])


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet", "table"])
def test_parts_of_a_table_are_written_as_one(call, study, tmp_path, form, monkeypatch):
    whole, parted = (tmp_path / name / f"scores.{form}" for name in ("whole", "parted"))
    for file in (whole, parted):
        file.parent.mkdir()
        asked = ("sDCG@3", "nsDCG@3", "--per", "session", "--format", form, "--output", file)
        assert call("score", study, *asked).status == 0
        monkeypatch.setattr("sessionkit.scoring.reduction.ROWS", 1)  # a block for every session
        monkeypatch.setattr("sessionkit.scoring.reduction.FEWEST", 1)
    if form == "parquet":
        assert pl.read_parquet(parted).equals(pl.read_parquet(whole))
    else:
        assert parted.read_bytes() == whole.read_bytes()


def test_memory_is_a_size(call, study):
    assert call("score", study, "sDCG@3", "--memory", "1.5GiB").status == 0
    refused = call("curve", study, "sDCG@3", "--memory", "4 bananas")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "memory is '4 bananas'; " in refused.err
    assert "4GB" in refused.err


def test_a_study_that_was_changed_is_not_scored(call, refused, study):
    assert call("score", study, "sDCG@3", "--verify").status == 0
    path = study / "datapackage.json"
    path.write_text(path.read_text().replace('"max_grade": 2.0', '"max_grade": 3.0'))
    refused(
        1, "score", study, "sDCG@3", names=["datapackage.json was changed", "its digest does not match; restore it"]
    )
    path.write_text(path.read_text().replace('"max_grade": 3.0', '"max_grade": 2.0'))
    assert call("score", study, "sDCG@3").status == 0
    results = study / "results.parquet"
    results.write_bytes(results.read_bytes().replace(b"PAR1", b"PAR2", 1))
    refused(
        1,
        "score",
        study,
        "sDCG@3",
        names=["results.parquet was changed after the study was written", "restore the study"],
    )


def test_verify_refuses_what_opening_does_not_find(call, refused, study):
    (study / "notes.txt").write_text("x")
    assert call("score", study, "sDCG@3").status == 0
    refused(1, "score", study, "sDCG@3", "--verify", names=["notes.txt is in the study", "nothing was scored"])


@pytest.mark.parametrize("command", [["score"], ["curve"], ["score", "--per", "session", "--wide"]])
@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_a_table_for_a_paper_names_the_sessions_it_is_of(call, study, command, form):
    asked = [command[0], study, "sDCG@3", *command[1:], "--format", form]
    assert "Sessions where" not in call(*asked).out
    shown = call(*asked, "--where", "system_id = 'A'").out
    assert "Sessions where system\\_id" in shown
    assert "(1 of 2 sessions)" in shown.replace("\\", "")


def test_a_spread_has_more_columns_and_lists_few_values(call, study):
    head, first, second = rows(call("score", study, "sDCG@3", "--spread").out)
    assert head[6:] == ["sd", "median", "q1", "q3", "min", "max", "at_zero", "at_one", "values"]
    assert [float(first[place]) for place in (2, 7, 10, 11, 14)] == pytest.approx([S1] * 5, abs=1e-15)
    assert second[6:] == ["", "2.0", "", "", "2.0", "2.0", "0.0", "0.0", "2.0"]
    row = json.loads(call("score", study, "sDCG@3", "--by", "all", "--spread", "--format", "jsonl").out)
    assert row["values"] == sorted([float(first[2]), 2.0])


def test_a_terminal_of_80_columns_shows_a_spread_in_two_tables(call, study):
    text = call("score", study, "sDCG@3", "nsDCG@3", "--spread", "--format", "table").out
    captions = [line for line in text.splitlines() if line.startswith("M")]
    assert [caption.split()[0] for caption in captions] == ["Means", "Medians,"]
    assert "(n - 1) over sessions" in captions[0]
    assert max(map(len, text.splitlines())) <= 80


def test_a_paper_prints_mean_sd_and_median_quartiles(call, study):
    text = call("score", study, "sDCG@3", "--spread", "--format", "latex").out
    assert "mean (SD) and median {[}Q1, Q3{]} " in text
    assert "B & 1 & 0 & 2.000 (\\textendash{}) & 2.000" in text
    assert "\\label{tab:score-sDCG-3-spread}" in text


def test_a_spread_is_of_groups_and_of_this_machine(refused, study):
    refused(2, "score", study, "sDCG@3", "--spread", "--per", "session", names=["spread", "per=session"])
    refused(2, "score", study, "sDCG@3", "--spread", "--engine", "spark", names=["--spread does not apply to Spark"])


@pytest.mark.parametrize("width", [80, 140])
def test_a_terminal_shows_sessions_in_tables_that_fit(call, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    shown = call(
        "score", saved_clinic(), "nsDCG@10", "mean(P@5)", "Queries", "--per", "session", "--wide", "--format", "table"
    ).out
    rows = [line for line in shown.splitlines() if line.startswith(("session_id", "c0"))]
    assert max(map(len, rows)) <= width
    headings = [row.split() for row in rows if row.startswith("session_id")]
    ids = ["session_id", "user_id", "system_id", "topic_id"]
    assert headings[:2] == [[*ids, measure, "bounds", "judged"] for measure in ("nsDCG@10", "mean(P@5)")]
    assert headings[2][:3] == ["session_id", "Queries", "queries"]
    assert "\u2026" not in "".join(rows)
    assert "more column" not in shown
    for name in ("queries", "results", "clicks", "duration_", "satisfaction", "skill", "medicine"):
        assert name in shown
    assert "judgment_key" not in shown


def test_a_table_of_sessions_has_no_spread(refused):
    asked = ["score", saved_clinic(), "nsDCG@10", "--per", "session", "--wide", "--spread"]
    refused(2, *asked, names=["spread describes the values of a group"])
