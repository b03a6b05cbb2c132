"""ingest and check.

demo.

describe.

export: TREC files that ingest reads back.

The command that proposes a study.toml: where it goes, what is said beside it, what is refused.

The command that makes a copy of a study to pass on.
"""

import json
import os
import tomllib
from math import log2
from pathlib import Path

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli.data import DRAWN, clinic_folder
from sessionkit.sessions.describe import Description
from sessionkit.study import open_study
from tests.support.clinic import read_clinic, saved_clinic

ROOT = Path(__file__).resolve().parents[2]


def blocks(text):
    """The tables of a tsv with several, by name, as lists of rows."""
    tables = {}
    for block in text.strip("\n").split("\n\n"):
        name, *rows = block.split("\n")
        assert name.startswith("# ")
        tables[name[2:]] = [row.split("\t") for row in rows]
    return tables


def test_ingest_prints_what_was_read_and_where_it_is(call, log, tmp_path):
    outcome = call("ingest", log, "--out", tmp_path / "toy")
    assert outcome.status == 0
    assert f"written: {tmp_path / 'toy'}\n" in outcome.err
    again = call("ingest", log, "--out", tmp_path / "toy")
    assert again.err.splitlines()[-1].startswith(f"written: {tmp_path / 'toy'}, ")
    assert "in place of the study" in again.err
    line = next(line for line in outcome.lines if line.startswith("results.tsv"))
    # 8 records: 7 results and one that says the list was empty
    assert line.split() == ["results.tsv", "results", "8", "7", "1", "0"]


def test_rejected_records_are_counted_by_rule_with_the_first_of_each(call, log, tmp_path):
    with (log.parent / "results.tsv").open("a") as file:
        file.write("s2\t1\tx\te\ns2\t1\t0\tf\ns9\t1\t1\tg\ns2\t1\t1\th\n")
    outcome = call("ingest", log, "--out", tmp_path / "toy")
    assert outcome.status == 0
    assert "rejected" in outcome.err
    assert "'" not in outcome.err.splitlines()[-1]
    checked = call("check", tmp_path / "toy", "--format", "tsv")
    assert checked.status == 1
    rejected = blocks(checked.out)["rejected"]
    assert rejected[0] == ["source", "read_as", "rule", "records", "first_record", "line", "value", "raw"]
    found = {row[2]: row for row in rejected[1:]}
    assert found["rank_is_an_integer"][3:7] == ["1", "9", "10", "x"]  # the header is line 1
    assert {row[1] for row in found.values()} == {"results"}
    assert sum(int(row[3]) for row in found.values()) == int(blocks(checked.out)["sources"][-2][5]) == 4


def test_strict_stops_and_writes_nothing(refused, log, tmp_path):
    with (log.parent / "results.tsv").open("a") as file:
        file.write("s2\t1\tx\te\n")
    refused(1, "ingest", log, "--out", tmp_path / "toy", "--strict", names=["results.tsv", "line 10", "'x'"])
    assert not (tmp_path / "toy").exists()


def test_a_table_of_ones_own_is_referred_to_init(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my log.csv").write_text("who,what\np1,bus\n")
    (tmp_path / "qrels").write_text("t 0 a 2\n")
    said = "sessionkit init 'my log.csv' qrels --output study.toml"
    refused(1, "ingest", "my log.csv", "--judgments", "qrels", "--out", "toy", names=["has no columns", said])


def test_a_lone_log_with_judgments_beside_it(call, tmp_path):
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id,topic_id\ns,1,1,a,t\n")
    (tmp_path / "qrels").write_text("t 0 a 2\n")
    judged = ("--judgments", tmp_path / "qrels")
    assert call("ingest", tmp_path / "log.csv", *judged, "--out", tmp_path / "toy").status == 0
    scored = call("score", tmp_path / "toy", "sDCG@1", "--per", "session")
    assert scored.lines[1].split("\t") == ["s", "", "t", "", "sDCG@1", "2.0", "1.0"]


def test_grade_values_say_what_words_are_worth(call, refused, tmp_path):
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id,query_text\ns,1,1,a,lamp\n")
    (tmp_path / "words.csv").write_text("query,product_id,esci_label\nlamp,a,E\nlamp,b,I\n")
    given = ("ingest", tmp_path / "log.csv", "--judgments", tmp_path / "words.csv", "--out", tmp_path / "toy")
    refused(1, *given, names=["'esci_label' are words", "--grade-values 'E=...,I=...'"])
    for wrong in ("E", "E=", "=1", "E=1,I", "E=1,E=2", "E=nan", ""):
        refused(2, *given, "--grade-values", wrong, names=[f"--grade-values is {wrong!r}", "such as Exact=2"])
    refused(2, *given[:2], *given[4:], "--grade-values", "E=1", names=["no judgments are given", "--judgments FILE"])
    assert call(*given, "--grade-values", "E=1, I=0").status == 0
    assert call("score", tmp_path / "toy", "sDCG@1", "--per", "session").lines[1].split("\t")[-2] == "1.0"


def test_a_log_described_by_a_config_of_another_name(call, log, tmp_path):
    (log.parent / "more.tsv").write_text((log.parent / "results.tsv").read_text())
    done = call("ingest", log.parent / "more.tsv", "--config", log, "--from", "tables", "--out", tmp_path / "toy")
    assert done.status == 0
    assert "more.tsv" in done.out


def test_check_of_a_source_and_of_a_study_agree(call, log, study):
    source, saved = call("check", log), call("check", study)
    assert source.status == saved.status == 0
    assert blocks(source.out) == blocks(saved.out)
    (note,) = blocks(saved.out)["notes"][1:]
    assert note[0].startswith("queries: 1 of 4 (25.0%) ")
    assert "; 1 returned nothing " in note[0]


def test_verify_finds_a_file_that_was_changed(call, study):
    assert "nothing has changed since" in call("check", study, "--verify", "--format", "table").err
    file = study / "judgments.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    changed = call("check", study, "--verify", "--format", "jsonl")
    assert changed.status == 1
    (problem,) = map(json.loads, changed.lines)  # and nothing of what its tables say
    assert problem["table"] == "hashes"
    assert "judgments.parquet" in problem["problem"]


def test_verify_names_a_changed_file_that_cannot_be_read_to_its_end(call, study, monkeypatch):
    """Pages whose bytes were changed make polars panic where a column is read; no column is before the file is named."""
    from sessionkit.sessions import record_accounts

    monkeypatch.setattr(record_accounts, "observed", lambda _: pytest.fail("read before it was verified"))
    file = study / "results.parquet"
    file.write_bytes(file.read_bytes().replace(b"PAR1", b"PAR2", 1))
    outcome = call("check", study, "--verify")
    assert outcome.status == 1
    assert "results.parquet was changed" in outcome.out


def test_verify_needs_a_study(refused, log):
    refused(1, "check", log, "--verify", names=["not opened from disk"])


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("missing.csv", "session,query_position,rank,doc\ns,1,1,a\n", ["session_id", "doc_id", "found session, query"]),
        ("empty.csv", "", ["empty.csv is empty"]),
        ("broken.parquet", "PAR1 and so on", ["broken.parquet"]),
        ("study.toml", "max_grade = [", ["study.toml is not TOML"]),
        ("study.toml", "max_grade = 0\n[results]\npath='x.csv'", ["max_grade"]),
        ("study.toml", "[results]\npath='x.csv'", ["x.csv"]),
        ("study.toml", "[result]\npath='x.csv'", ["result"]),
        ("datapackage.json", "{}", ["datapackage.json"]),
    ],
)
def test_sources_that_cannot_be_read(refused, tmp_path, name, content, names):
    (tmp_path / name).write_text(content)
    refused(1, "check", tmp_path / name, names=names)
    refused(1, "score", tmp_path / name, "sDCG@10", names=names)
    refused(1, "ingest", tmp_path / name, "--out", tmp_path / "toy", names=names)
    assert not (tmp_path / "toy").exists()


def test_sources_that_are_not_there(refused, tmp_path):
    refused(1, "check", tmp_path / "nowhere", names=["nowhere does not exist"])
    refused(1, "score", tmp_path, "sDCG@10", names=["is a directory but not a study", "ingest"])


def test_wrong_types_and_duplicate_keys_are_kept_aside(call, tmp_path):
    rows = "s,1,1,a\ns,1,two,b\ns,1,1,c\n"
    (tmp_path / "log.csv").write_text(f"session_id,query_position,rank,doc_id\n{rows}")
    checked = call("check", tmp_path / "log.csv")
    assert checked.status == 1
    rules = {row[2]: (row[3], row[6]) for row in blocks(checked.out)["rejected"][1:]}
    assert rules["rank_is_an_integer"] == ("1", "two")
    assert rules["rank_is_unique_in_list"][0] == "1"


def test_places_that_cannot_be_written(refused, log, study, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    refused(2, "ingest", log, "--out", tmp_path / "file", names=["file is a file"])
    refused(2, "ingest", log, "--out", tmp_path / "file" / "toy", names=["cannot write"])
    refused(2, "ingest", log, "--out", tmp_path / "full", names=["left alone"])
    assert (tmp_path / "file").read_text() == (tmp_path / "full" / "mine").read_text() == "mine"
    assert not [path.name for path in tmp_path.iterdir() if "partial" in path.name]


def test_one_source_at_a_time_in_a_known_format(refused, log, tmp_path):
    refused(2, "ingest", log, log, "--out", tmp_path / "toy", names=["give one source"])
    refused(2, "ingest", log, "--out", tmp_path / "toy", "--from", "tabels", names=["did you mean 'tables'"])
    refused(2, "ingest", log, "--config", log, "--out", tmp_path / "toy", names=["config"])


def test_ingesting_again_replaces_the_study(call, log, study):
    (log.parent / "qrels").write_text("t 0 a 1\n")
    assert call("ingest", log, "--out", study).status == 0
    assert "judgments     1" in call("check", study, "--format", "table").out


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(monkeypatch, refused, log, tmp_path):
    def read(*_, **__):
        pytest.fail("nothing was to be read")

    monkeypatch.setattr("sessionkit.readers.read", read)
    (tmp_path / "file").touch()
    refused(2, "ingest", log, "--out", tmp_path / "file", names=["is a file"])
    refused(2, "ingest", log, "--out", tmp_path / "file" / "new", names=["is not a directory"])
    refused(2, "ingest", log, "--out", log.parent, names=["is not empty and not a study"])
    monkeypatch.setattr("os.access", lambda *_: False)
    refused(2, "ingest", log, "--out", tmp_path / "new", names=["cannot be written"])


CORE = "1,u,{session},solar,2025-01-10 08:00:00,\"[11, 12]\",{id},\"[('12', datetime.datetime(2025, 1, 10, 8, 0, 9), 'works')]\"\n"


def test_a_log_in_another_format_is_recognized_and_its_records_accounted_for_by_kind(call, refused, tmp_path):
    logs = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for session, log in enumerate(logs):
        log.write_text(CORE.format(session=session, id="0f" * 16))
    outcome = call("ingest", *logs, "--out", tmp_path / "study")
    assert outcome.status == 0, outcome.err
    shown = [line.split() for line in outcome.lines if line.startswith(("a.csv", "b.csv"))]
    assert ["a.csv", "queries", "1", "1", "0", "0", "0", "query", "records"] in shown
    assert ["b.csv", "1", "0", "0", "0", "1", "works", "clicks"] in shown
    sources = blocks(call("check", tmp_path / "study", "--format", "tsv").out)["sources"]
    assert sources[0] == ["source", "read_as", "records", "rows", "empty_lists", "rejected", "merged", "idle", "kind"]
    assert len([row for row in sources if row[:1] in (["a.csv"], ["b.csv"])]) == 6
    refused(
        2,
        "ingest",
        logs[0],
        "--session-gap",
        "30m",
        "--out",
        tmp_path / "x",
        names=["format core takes no session_gap"],
    )
    refused(2, "ingest", logs[0], "--from", "cor", "--out", tmp_path / "x", names=["did you mean 'core'"])


def test_check_says_what_lists_are_known_to_a_depth(call, tmp_path):
    log = tmp_path / "texts.json"
    log.write_text('{"1": ["solar", "solar cells"]}')
    observed = blocks(call("check", log, "--format", "tsv").out)["observed"]
    assert observed[:2] == [["depth", "known", "cut_short", "empty", "not_logged"], ["1", "0", "0", "0", "2"]]


def test_ingest_takes_missing_positions_as_it_is_told(call, refused, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("session_id,query_position,rank,doc_id\na,1,1,x\na,3,1,x\n")
    outcome = call("ingest", log, "--out", tmp_path / "one")
    assert "1 position missing in 1 session (first: " in outcome.err
    assert "taken as not logged" in outcome.err
    outcome = call("ingest", log, "--out", tmp_path / "two", "--missing-positions", "empty")
    assert "position missing" not in outcome.err
    assert "1 position missing in 1 session (first: " in outcome.out
    assert "taken as empty" in outcome.out
    assert "lists are taken as empty" in call("check", tmp_path / "two").out
    lists = blocks(call("describe", tmp_path / "two", "--format", "tsv").out)["lists"]
    assert dict(zip(*lists[:2], strict=True))["empty"] == "1"
    refused(2, "ingest", log, "--out", tmp_path / "x", "--missing-positions", "emty", names=["did you mean 'empty'"])


def test_ingest_names_missing_topics_or_adds_them(call, refused, tmp_path):
    """The run has a line for q1 alone, with AP 1; with an empty list for q2 its mean is 1 / 2."""
    run, qrels = tmp_path / "easy.run", tmp_path / "qrels"
    run.write_text("q1 Q0 a 1 1 easy\n")
    qrels.write_text("q1 0 a 1\nq2 0 b 1\n")
    outcome = call("ingest", run, "--judgments", qrels, "--out", tmp_path / "one")
    assert "easy lacks 1 of 2 judged topics (q2)" in outcome.err
    outcome = call("score", tmp_path / "one", "mean(AP)", "--format", "tsv")
    assert "easy lacks 1 of 2 judged topics (q2)" in outcome.err
    assert "left out of means" in outcome.err
    assert outcome.out.splitlines()[1].split("\t")[:4] == ["easy", "mean(AP)", "1.0", "1"]
    outcome = call("ingest", run, "--judgments", qrels, "--out", tmp_path / "two", "--missing-topics", "zero")
    assert "lacks" not in outcome.err
    outcome = call("score", tmp_path / "two", "mean(AP)", "--format", "tsv")
    assert "lacks" not in outcome.err
    assert outcome.out.splitlines()[1].split("\t")[:4] == ["easy", "mean(AP)", "0.5", "2"]
    refused(2, "ingest", run, "--out", tmp_path / "x", "--missing-topics", "zer", names=["did you mean 'zero'"])


def test_nothing_that_is_read_is_replaced(study, log, refused):
    (study / "README.md").write_text("notes")
    refused(2, "ingest", log, "--out", study, names=["contains README.md in addition to the study's files"])
    assert (study / "README.md").read_text() == "notes"
    (study / "README.md").unlink()
    for given in ([study / "results.parquet"], [log, "--judgments", study / "judgments.parquet"]):
        refused(2, "ingest", *given, "--out", study, names=["lies in", "which would be replaced"])
    assert (study / "results.parquet").exists()


COLUMNS = "session_id,query_position,rank,doc_id,topic_id,clicked,dwell_seconds\n"
HEAVY = "results.dwell_seconds: 20 of 20 values (100.0%) set aside and taken as missing"
WHY = "; sessionkit check says why"


def dwelled(seconds):
    """Ten lists of four results, of which the second and the fourth were read: the relevant ones."""
    return COLUMNS + "".join(
        f"s{session},1,{rank},d{rank},t,{'true' if read else 'false'},{seconds if read else ''}\n"
        for session in range(10)
        for rank in (1, 2, 3, 4)
        for read in [rank % 2 == 0]
    )


@pytest.mark.slow
def test_decimal_commas_cost_no_row_and_no_score(call, tmp_path):
    """The ideal is 2/log2(2) + 1/log2(3); the list has 2/log2(3) + 1/log2(5)."""
    (tmp_path / "qrels").write_text("t 0 d2 2\nt 0 d4 1\nt 0 d1 0\nt 0 d3 0\n")
    values = {}
    for name, seconds in (("points", "3.5"), ("commas", '"3,5"')):
        (tmp_path / f"{name}.csv").write_text(dwelled(seconds))
        outcome = call("ingest", tmp_path / f"{name}.csv", "--judgments", tmp_path / "qrels", "--out", tmp_path / name)
        assert outcome.status == 0
        scored = call("score", tmp_path / name, "mean(nDCG@10)", "--per", "session")
        values[name] = [line.split("\t")[5] for line in scored.lines[1:]]
        assert (outcome.err.splitlines()[-1] == f"note: {HEAVY}{WHY}") == (name == "commas")
    assert values["commas"] == values["points"]
    expected = (2 / log2(3) + 1 / log2(5)) / (2 + 1 / log2(3))
    assert float(values["commas"][0]) == pytest.approx(expected)
    noted = (
        "commas.csv (results): 20 values set aside, their rows kept: dwell_seconds_is_a_number 20 (first: '3,5' in "
        "record 2); some look like decimal commas"
    )
    assert noted in outcome.err
    checked = call("check", tmp_path / "commas", "--format", "tsv")
    assert checked.status == 1
    assert f"note: {HEAVY}\n" in checked.err
    tables = blocks(checked.out)
    assert len(tables["rejected"]) == 1
    names = ["source", "read_as", "column", "rule", "values", "first_record", "line", "value", "raw"]
    assert tables["cells"][0] == names
    assert tables["cells"][1][1:8] == ["results", "dwell_seconds", "dwell_seconds_is_a_number", "20", "2", "3", "3,5"]
    assert f"note: {HEAVY}{WHY}" in call("describe", tmp_path / "commas").err


@pytest.mark.parametrize("comma", ["3,5", "1.234,5", "-12.345.678,25"])
def test_decimal_commas_are_seen_behind_other_values(call, tmp_path, comma):
    text = dwelled("n/a").replace("n/a", f'"{comma}"').replace(f'"{comma}"', "n/a", 1)
    (tmp_path / "log.csv").write_text(text)
    told = call("ingest", tmp_path / "log.csv", "--out", tmp_path / "toy").err
    assert "(first: 'n/a' in record 2); " in told
    assert "look like decimal commas" in told


def test_strict_stops_at_a_value_too(refused, tmp_path):
    (tmp_path / "log.csv").write_text(dwelled('"3,5"'))
    words = ["log.csv, line 3", "dwell_seconds_is_a_number does not hold", "'3,5'", "their rows kept"]
    refused(1, "ingest", tmp_path / "log.csv", "--out", tmp_path / "toy", "--strict", names=words)
    assert not (tmp_path / "toy").exists()


@pytest.mark.parametrize(("bad", "said"), [(1, False), (2, True)])
def test_more_than_one_in_a_hundred_is_said_last(call, tmp_path, bad, said):
    rows = [f"s{n},1,{'x' if n < bad else 1},d\n" for n in range(100)]
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id\n" + "".join(rows))
    outcome = call("ingest", tmp_path / "log.csv", "--out", tmp_path / "toy")
    last = outcome.err.splitlines()[-1]
    loss = f"results: {bad} of 100 records ({bad}.0%) rejected"
    assert (last == f"note: {loss}{WHY}") == said
    assert "says why" not in call("check", tmp_path / "toy").err
    assert (loss in call("check", tmp_path / "toy").err) == (loss in call("describe", tmp_path / "toy").err) == said


@pytest.mark.slow
def test_demo_writes_everything_and_says_that_it_is_synthetic(call, tmp_path):
    outcome = call("demo", "--out", tmp_path / "demo")
    assert outcome.status == 0
    names = {"study", "report.html", *(f"{kind}.svg" for kind in DRAWN)}
    assert {path.name for path in (tmp_path / "demo").iterdir()} == names
    assert all(str(tmp_path / "demo" / name) in outcome.lines for name in names)
    assert outcome.out.count("synthetic") >= 4
    assert "Scores by system (synthetic)" in outcome.out
    # ECIR 2008, section 3.2: 92 and 131 non-last queries in 32 and 39 of 60 sessions; the others have one query
    ends = [line.split()[-5:] for line in outcome.lines if "non-last  " in line]
    assert ends == [["92", "32", "0", "28", "0"], ["131", "39", "0", "21", "0"]]
    for kind in DRAWN:
        assert "Synthetic data" in (tmp_path / "demo" / f"{kind}.svg").read_text()
    assert "Synthetic data" in (tmp_path / "demo" / "report.html").read_text()
    assert open_study(tmp_path / "demo" / "study").settings.synthetic
    figure = "examples/figures/session-curve.svg"  # the one that README.md shows
    assert f"({figure})" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (tmp_path / "demo" / "session-curve.svg").read_bytes() == (ROOT / figure).read_bytes(), "copy it"
    again = call("demo", "--out", tmp_path / "demo")
    assert (again.status, again.out) == (0, outcome.out)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report.html", "study"])
def test_demo_leaves_alone_what_is_not_its_own(refused, tmp_path, name):
    (tmp_path / name).write_text("mine")
    refused(2, "demo", "--out", tmp_path, names=["left alone", "--out DIR"])
    refused(2, "demo", "--out", tmp_path / name, names=["is a file"])
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_demo_leaves_alone_a_study_of_somebody_else(refused, study, tmp_path):
    study.rename(tmp_path / "study")
    refused(2, "demo", "--out", tmp_path, names=["left alone"])


def test_the_clinic_study_is_found():
    assert (clinic_folder() / "study.toml").is_file()


def test_the_page_has_every_table_under_its_title(call):
    page = call("describe", saved_clinic(), "--format", "table").out
    for title in ("Systems", "Sessions by number of queries", "Searchers", "Recall base by grade", "Result lists"):
        assert f"{title}\n\n" in page
    assert "Design: crossover, a balanced Latin square of " in page.replace("\n", " ")
    # ECIR 2008, Table 2: sessions of system 1 with 1 to 8 queries
    assert next(line for line in page.splitlines() if line.startswith("S1         28")).split()[1:9] == list(
        map(str, (28, 7, 10, 4, 5, 4, 1, 1))
    )


def test_one_table_in_any_form(call, tmp_path):
    lengths = call("describe", saved_clinic(), "--table", "lengths", "--format", "jsonl")
    rows = [json.loads(line) for line in lengths.lines]
    # ECIR 2008: 152 and 191 queries
    totals = {
        name: sum(row["queries"] * row["sessions"] for row in rows if row["system_id"] == name) for name in ("S1", "S2")
    }
    assert totals == {"S1": 152, "S2": 191}
    assert call("describe", saved_clinic(), "--table", "lengths", "--output", tmp_path / "lengths.parquet").status == 0
    assert pl.read_parquet(tmp_path / "lengths.parquet").to_dicts() == rows


def test_all_tables_in_one_stream(call):
    rows = [json.loads(line) for line in call("describe", saved_clinic(), "--format", "jsonl").lines]
    names = list(dict.fromkeys(row["table"] for row in rows))
    assert names == [
        "lengths",
        "systems",
        "searchers",
        "crossing",
        "recall_base",
        "recall_base_totals",
        "judged",
        "lists",
        "columns",
        "questions",
        "design",
        "provenance",
        "reading",
    ]
    names[6:6] = ["judges", "judge_grades"]  # the clinic's judgments do not say who judged: no rows, but headers
    heads = [line for line in call("describe", saved_clinic()).lines if line.startswith("#")]
    assert heads == [f"# {name}" for name in names]


def test_the_help_names_every_table(call):
    text = call("describe", "--help").out
    frames = [name for name, kind in Description.__annotations__.items() if "DataFrame" in kind]
    assert all(name in text for name in [*frames, "design"])


def test_a_study_that_names_nothing(call, tmp_path):
    (tmp_path / "log.csv").write_text("session_id,query_position,rank,doc_id\ns,1,1,a\n")
    assert call("describe", tmp_path / "log.csv", "--format", "table").status == 0
    assert call("describe", tmp_path / "log.csv").status == 0


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--table", "length"], ["'length'", "did you mean 'lengths'"]),
        (["--format", "parquet"], ["--output"]),
        (["--output", "{}/all.parquet"], ["--table", "lengths"]),
    ],
)
def test_what_cannot_be(refused, study, tmp_path, options, names):
    refused(2, "describe", study, *(option.format(tmp_path) for option in options), names=names)


def test_a_reader_of_80_columns_sees_every_value_and_no_command_is_broken(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    lines = call("describe", saved_clinic()).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)
    assert "  command  sessionkit breakdown STUDY 'nDCG@10' --significance" in lines


PATTERN = r"(?P<session>.+)_(?P<position>\d+)"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the study of the clinic."""
    folder = tmp_path_factory.mktemp("export")
    read_clinic().save(folder / "study")
    return folder


@pytest.mark.slow
def test_what_is_exported_is_read_back(call, place):
    for kind in ("run", "qrels"):
        outcome = call("export", kind, str(place / "study"), "--output", str(place / f"clinic.{kind}"))
        assert (outcome.status, outcome.out) == (0, "")
    files = [str(place / "clinic.run"), "--judgments", str(place / "clinic.qrels")]
    outcome = call("ingest", *files, "--session-from", PATTERN, "--out", str(place / "again"))
    assert outcome.status == 0
    study, again = sk.open_study(place / "study"), sk.open_study(place / "again")
    for measure in ("mean(nDCG@10)", "sDCG@10"):
        ours, theirs = (sk.score(one, measure, per="session")["value"].to_list() for one in (study, again))
        assert ours == theirs


def test_the_run_goes_to_stdout_with_the_sessions_that_meet_a_condition(call, place):
    outcome = call("export", "run", str(place / "study"), "--where", "session_id = 'c001'")
    lines = outcome.out.splitlines()
    assert lines[0] == "c001_1 Q0 doc-21582 1 -1.0 S1"
    assert {line.split("_")[0] for line in lines} == {"c001"}


def test_lists_that_are_no_part_of_a_run_are_counted(call, place):
    assert "the run: 12 empty, 0 not logged" in call("export", "run", str(place / "study")).err
    assert not call("export", "qrels", str(place / "study")).err


def test_mistakes(call, place, tmp_path):
    outcome = call("export", "runs", str(place / "study"))
    assert outcome.status == 2
    assert outcome.err.startswith("error: 'runs' is not exported; ")
    assert outcome.err.endswith("it can be run or qrels\n")
    assert "did you mean 'run'" in outcome.err
    assert "'skil'; did you mean 'skill'?" in call("export", "run", str(place / "study"), "--where", "skil > 2").err
    log = tmp_path / "log.csv"
    log.write_text("session_id,query_position,rank,doc_id\nmy session,1,1,a\n")
    outcome = call("export", "run", str(log))
    assert outcome.status == 1
    assert "query_id 'my session_1' " in outcome.err


LOG = "session,qno,rank,url\n" + "".join(f"s{s},{q},{r},d{r}\n" for s in (1, 2) for q in (1, 2) for r in (1, 2, 3))
QRELS = "".join(f"s{s} 0 d{r} {r - 1}\n" for s in (1, 2) for r in (1, 2, 3))


@pytest.fixture
def files(tmp_path):
    """A private log and its judgments."""
    folder = tmp_path / "a log"
    folder.mkdir()
    (folder / "results.csv").write_text(LOG)
    (folder / "qrels.txt").write_text(QRELS)
    return [folder / "results.csv", folder / "qrels.txt"]


def test_the_proposal_goes_to_stdout_and_what_to_do_next_to_stderr(files, call, monkeypatch):
    monkeypatch.chdir(files[0].parent)
    outcome = call("init", "results.csv", "qrels.txt")
    assert outcome.status == 0
    said = tomllib.loads(outcome.out)
    assert (said["results"]["path"], said["judgments"]["path"]) == ("results.csv", "qrels.txt")
    assert outcome.out.count("\n# ? ") == 1
    again = "sessionkit init results.csv qrels.txt --output study.toml"
    assert (
        outcome.err == f"1 open question, in lines that begin with '# ?'; no file was written. To write it: {again}\n"
    )
    assert call(*again.split()[1:]).err.endswith("then: sessionkit check study.toml\n")
    assert call("check", "study.toml").status == 0


def test_a_file_lies_where_its_paths_say_and_can_be_checked_and_ingested(files, call, tmp_path):
    out = tmp_path / "my study.toml"
    outcome = call("init", *files, "--output", out)
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err.endswith(f"sessionkit check '{out}'\n")
    assert tomllib.loads(out.read_text())["results"]["path"] == "a log/results.csv"
    checked = call("check", out)
    assert checked.status == 0
    assert checked.err.startswith(
        f"note: {out} leaves 1 question to answer; delete each line that begins with '# ?' when it is\n"
    )
    assert "\n  line 4: " in checked.err
    assert " grade in qrels.txt is 2." in checked.err
    out.write_text("".join(line for line in out.read_text().splitlines(keepends=True) if not line.startswith("# ?")))
    assert call("check", out).err == ""
    assert call("ingest", out, "--out", tmp_path / "study").status == 0


def test_a_file_that_is_there_is_replaced_only_by_force(files, call, refused, tmp_path):
    out = tmp_path / "study.toml"
    out.write_text("mine")
    refused(2, "init", *files, "--output", out, names=["already exists and was left alone", "--force"])
    assert out.read_text() == "mine"
    assert call("init", *files, "--output", out, "--force").status == 0
    assert tomllib.loads(out.read_text())["format"] == "tables"


def test_the_log_itself_is_never_written_to(files, refused):
    refused(
        2,
        "init",
        *files,
        "--output",
        files[0].parent / ".." / "a log" / "results.csv",
        "--force",
        names=["a file of the log"],
    )
    assert files[0].read_text() == LOG


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_refused_before_it_is_opened(refused, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(1, "init", tmp_path / "pipe", names=["is a device or a pipe"])


def test_what_is_no_log_is_an_error_in_one_line(files, refused, tmp_path):
    refused(1, "init", files[1], names=["only judgments, no log", "sessionkit init LOG qrels.txt"])
    refused(1, "init", tmp_path / "nothing.csv", names=["no such file"])
    refused(1, "init", tmp_path, names=["is a directory"])
    refused(2, "init", *files, "--output", tmp_path / "no" / "such" / "x.toml", names=["does not exist; create it"])
    refused(2, "init", names=["FILE"])


def test_without_questions_it_says_so(files, call):
    assert call("init", files[0]).err.startswith("no open questions; ")


def test_what_is_left_of_a_partial_proposal_is_told_where_it_cannot_be_read(call, tmp_path):
    log, out = tmp_path / "log.csv", tmp_path / "study.toml"
    log.write_text("participant,query,url\np1,bus,d1\np1,car,d2\np2,bus,d1\n")
    assert "3 open questions" in call("init", log, "--output", out).err
    checked = call("check", out)
    assert checked.status == 1
    for said in (
        "leaves 3 questions",
        "\n  line 12: no column names sessions",
        "error: log.csv (results) has no columns",
    ):
        assert said in checked.err


def test_a_copy_is_made_and_told_of(call, study, tmp_path):
    outcome = call(
        "pseudonymize", study, "--out", tmp_path / "copy", "--mapping", tmp_path / "m.csv", "--format", "table"
    )
    assert outcome.status == 0
    assert "Replaced by pseudonyms:" in outcome.out
    assert "2 sessions" in outcome.out
    team = next(line for line in outcome.lines if line.startswith("sessions") and "team" in line)
    assert team.split() == ["sessions", "team", "left", "out", "text"]
    assert outcome.err.splitlines()[-2:] == [
        f"written: {tmp_path / 'm.csv'}, which undoes the pseudonyms; keep it separate",
        f"written: {tmp_path / 'copy'}",
    ]
    assert pl.read_csv(tmp_path / "m.csv").columns == ["column", "original", "pseudonym"]
    copy = open_study(tmp_path / "copy")
    assert copy.sessions.collect()["session_id"].to_list() == ["session-0001", "session-0002"]
    assert "Toy" not in json.dumps(json.loads((tmp_path / "copy" / "datapackage.json").read_text()))
    assert call("check", tmp_path / "copy", "--verify").status == 0
    scores = [call("score", one, "nsDCG@3", "Results").out for one in (study, tmp_path / "copy")]
    assert scores[0] == scores[1]


def test_options_say_what_stays_and_what_goes(call, study, tmp_path):
    arguments = ("--keep", "team,title", "--replace", "documents", "--seed", 4, "--table", "columns", "--format", "tsv")
    first = call("pseudonymize", study, "--out", tmp_path / "one", *arguments)
    again = call("pseudonymize", study, "--out", tmp_path / "two", *arguments)
    assert "results\tdoc_id\treplaced\t7\t" in first.lines
    assert "sessions\tteam\tkept\t\t" in first.lines
    assert first.out == again.out
    for name in ("sessions.parquet", "results.parquet", "datapackage.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    document = json.loads(call("pseudonymize", study, "--out", tmp_path / "three", *arguments[:-1], "json").out)
    assert document["finding"] == "Pseudonymized"
    assert {"table": "sessions", "column": "team", "done": "kept", "values": None, "why": None} in [
        {**row, "why": row["why"] or None} for row in document["tables"]["columns"]
    ]


def test_mistakes_are_named_before_anything_is_written(refused, study, tmp_path):
    out = tmp_path / "copy"
    refused(2, "pseudonymize", study, names=["--out"])
    refused(2, "pseudonymize", study, "--out", study, names=["the study itself"])
    refused(2, "pseudonymize", study, "--out", study / "in", names=["lies in the study"])
    refused(2, "pseudonymize", study, "--out", out, "--mapping", out / "m.csv", names=["keep the mapping separate"])
    refused(2, "pseudonymize", study, "--out", out, "--mapping", tmp_path / "m.xls", names=[".csv, .tsv, .parquet"])
    refused(2, "pseudonymize", study, "--out", out, "--keep", "uses", names=["did you mean 'users'"])
    refused(2, "pseudonymize", study, "--out", out, "--seed", "-1", names=["seed must be a whole number"])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    refused(2, "pseudonymize", study, "--out", tmp_path / "other", names=["is not empty and not a study"])
    assert not out.exists()
