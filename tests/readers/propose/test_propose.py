"""Proposals as a whole: a study comes back whatever it was called and however written; errors say what to do.

Files of known formats: the format is named, no study.toml is needed, what stands beside the log is placed.

The rule: what `init` proposes loses or moves no record without a question; and the questions that reading back raises.
"""

import re
import tomllib
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, SessionkitError, UsageError
from sessionkit.readers import FORMATS
from sessionkit.readers.config import as_config, schema_of
from sessionkit.readers.propose.propose import propose
from tests.readers.propose.studies import NAMES, WRITERS, called, delimited, flat, study, write_csv, write_tsv
from tests.support.examples import examples
from tests.support.log_mutations import each_once
from tests.support.log_mutations import write_damaged as write_mutated
from tests.support.logs import LOGS
from tests.support.study_sheets import SHEETS

TABLES = ("users", "sessions", "queries", "results", "judgments")
ROOT = Path(__file__).resolve().parents[3]
IR_METRICS = ROOT / ".." / "shared" / "data" / "ir_metrics"


def proposed(files, folder):
    """Return a proposal after what holds of every one: its text says its settings, which are a study.toml."""
    proposal = propose(files, folder=folder)
    assert tomllib.loads(proposal.text) == proposal.settings
    Draft202012Validator(schema_of(proposal.settings["format"])).validate(proposal.settings)
    as_config(proposal.settings, "study.toml", folder)
    assert proposal.text.count("\n# ? ") == len(proposal.questions)
    (folder / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    return proposal


def same(one, other, but=()):
    """Compare the tables of two studies."""
    for name in TABLES:
        left, right = (getattr(each, name).collect() for each in (one, other))
        left = left.drop(but, strict=False)
        assert_frame_equal(left, right, check_column_order=False, check_row_order=name != "judgments")
    assert one.rejected.collect().is_empty()


def original(tables, folder, quiet_read):
    """Return a study from files with our own names, and a study.toml that needs none of theirs."""
    home = folder / "original"
    home.mkdir()
    lines = []
    for name, rows in tables.items():
        write_csv(home, name, rows)
        empty = 'empty_list = "no results"\n' if name == "results" else ""
        lines.append(f'[{name}]\npath = "{name}.csv"\n{empty}')
    (home / "study.toml").write_text("\n".join(lines))
    return quiet_read(home / "study.toml")


@pytest.mark.few(1)
@pytest.mark.parametrize(("names", "write_table"), [(at % 3, write) for at, write in enumerate(WRITERS)])
def test_a_study_in_five_files_comes_back(names, write_table, tmp_path, quiet_read):
    tables = study(names)
    files = [write_table(tmp_path, f"f{at}", called(rows, NAMES[names])) for at, rows in enumerate(tables.values())]
    proposal = proposed(files, tmp_path)
    extra = NAMES[names].get("age", "age")
    read = quiet_read(tmp_path / "proposed.toml")
    renamed = original({**tables, "users": called(tables["users"], {"age": extra})}, tmp_path, quiet_read)
    same(read, renamed)
    assert [question.place for question in proposal.questions] == ["max_grade"]
    assert "max_grade" not in proposal.settings


@pytest.mark.few(3)
@pytest.mark.parametrize(("names", "write_table"), [((at + 1) % 3, write) for at, write in enumerate(WRITERS)])
def test_one_flat_file_and_its_judgments_come_back(names, write_table, tmp_path, quiet_read):
    tables = flat(study(names + 10))
    files = [write_table(tmp_path, f"f{at}", called(rows, NAMES[names])) for at, rows in enumerate(tables.values())]
    proposed(files, tmp_path)
    same(quiet_read(tmp_path / "proposed.toml"), original(tables, tmp_path, quiet_read))


@pytest.mark.parametrize("key", ["session_id", "query_text"])
def test_what_judgments_belong_to_is_found_by_the_documents_they_share(key, tmp_path, quiet_read):
    tables = study(3, key=key)
    del tables["users"]
    names = {**NAMES[1], "judgment_key": NAMES[1][key]}
    files = [write_tsv(tmp_path, name, called(rows, names)) for name, rows in tables.items()]
    proposal = proposed(files, tmp_path)
    read = quiet_read(tmp_path / "proposed.toml")
    if key == "query_text":
        assert proposal.settings["judgments"]["keys"] == "query text"
        keys = read.queries.select("judgment_key", "query_text").collect()
        assert (keys["judgment_key"] == keys["query_text"]).all()
    else:
        keys = read.sessions.select("judgment_key", "session_id", "topic_id").collect()
        assert (keys["judgment_key"] == keys["session_id"]).all()
        assert set(keys["topic_id"]) == {"T0", "T1", "T2"}


def test_a_file_without_header_is_laid_out_by_its_values(tmp_path, quiet_read):
    tables = study(4)
    rows = [
        {name: row[name] for name in ("session_id", "query_position", "rank", "doc_id")} for row in tables["results"]
    ]
    (tmp_path / "log").write_text(delimited(rows, "\t", header=False), encoding="utf-8", newline="")
    qrels = "".join(
        f"{row['session_id']} 0 {doc} 1\n"
        for row in tables["sessions"]
        for doc in {row["doc_id"] for row in rows} - {""}
    )
    (tmp_path / "qrels").write_text(qrels)
    proposal = proposed([tmp_path / "qrels", tmp_path / "log"], tmp_path)
    assert proposal.settings["results"]["columns"] == {
        "session_id": 1, "query_position": 2, "rank": 3, "doc_id": 4, "judgment_key": 1,
    }  # fmt: skip
    asked = [question.place for question in proposal.questions]
    assert asked == ["max_grade", *(f"results.columns.{ours}" for ours in ("session_id", "query_position", "rank"))]
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.results.collect().height == len(rows) - 1
    assert read.queries.filter(pl.col("results_status") == "empty").collect().height == 1


def test_columns_of_numbers_alone(tmp_path, quiet_read):
    rows = "".join(f"{s},{q},{r},{s * 31 + q * r}\n" for s in range(1, 9) for q in (1, 2) for r in range(1, 5))
    (tmp_path / "log.csv").write_text(rows)
    assert proposed([tmp_path / "log.csv"], tmp_path).settings["results"]["columns"] == {
        "session_id": 1, "query_position": 2, "rank": 3, "doc_id": 4,
    }  # fmt: skip
    assert quiet_read(tmp_path / "proposed.toml").results.collect().height == 64


hostile = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1, max_size=12
)


@settings(max_examples=examples(8))
@given(names=st.lists(hostile, min_size=2, max_size=2), word=hostile)
@example(names=["0\r0", "0"], word="0")
def test_hostile_names_of_columns_and_values_stay_what_they_are(names, word, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    rows = [{"session": f"s{s}", "qno": "1", "rank": str(r), "url": f"{word}{r}"} for s in range(2) for r in (1, 2)]
    extras = dict.fromkeys((f"x {name.strip()}!" for name in names), word)
    write_csv(folder, "log", [{**row, **extras} for row in rows])
    try:
        proposal = proposed([folder / "log.csv"], folder)
    except DataError:  # what the reader refuses too: names that are one but for blanks
        assert len({*map(str.strip, extras)}) < len(extras) or '"' in "".join(extras)
        return
    assert proposal.settings["results"]["path"] == "log.csv"
    assert {"session_id": "session", "query_position": "qno", "rank": "rank"}.items() <= proposal.settings["results"][
        "columns"
    ].items()


@pytest.mark.slow
def test_many_columns(tmp_path, quiet_read):
    rows = [{**row, **{f"x{at}": str(at) for at in range(150)}} for row in flat(study(5))["results"]]
    write_csv(tmp_path, "wide", rows[:60])
    proposal = proposed([tmp_path / "wide.csv"], tmp_path)
    assert len(proposal.settings["results"]["columns"]) < 15
    assert "and 138 more" in proposal.text
    assert "x149" in quiet_read(tmp_path / "proposed.toml").columns("results")


@pytest.mark.slow
def test_a_small_sample_says_so_and_finds_the_same(tmp_path, monkeypatch):
    tables = study(6)
    files = [write_csv(tmp_path, name, rows) for name, rows in tables.items()]
    whole = proposed(files, tmp_path)
    monkeypatch.setattr("sessionkit.readers.propose.sample.ROWS", 110)
    part = proposed(files, tmp_path)
    assert part.settings == whole.settings
    assert re.search("^# .*first 109 rows of results.csv", part.text, re.MULTILINE)
    assert "first rows of judgments.csv" in part.text


@pytest.mark.parametrize("position", ["", '"n": 1, '], ids=["numbered", "with numbers"])
def test_lists_inside_records_are_read(position, write, tmp_path, quiet_read):
    record = '{"session": "s%s", POSITION"query": "cat %s", "serp": ["a", "b"], "clicks": [{"url": "b"}], "tag": "[x"}'
    lines = [record.replace("POSITION", position) % (number, number) for number in range(6)]
    proposed([write("log.jsonl", "\n".join(lines))], tmp_path)
    results = quiet_read(tmp_path / "proposed.toml").results.collect()
    assert results.select("rank", "doc_id", "clicked").rows() == [(1, "a", False), (2, "b", True)] * 6


@pytest.mark.parametrize(
    ("files", "error", "said"),
    [
        ({"qrels.txt": "t 0 a 1\nt 0 b 2\n"}, DataError, "qrels.txt: only judgments"),
        ({"u.csv": "user,age\nu1,3\nu2,5\n"}, DataError, "not show a log"),
        ({"a.csv": "s1,red\ns1,blue\ns2,blue\n"}, DataError, "2 columns without names"),
        (
            {f"{name}.csv": f"session,qno,rank,{name}\ns,1,1,a\ns,1,2,b\n" for name in ("url", "doc")},
            DataError,
            "both look like results",
        ),
        ({"study.toml": "x = 1\n"}, UsageError, "is already a study.toml"),
        ({"p.txt": "1 0 1 d1 1\n1 0 2 d2 0\n"}, DataError, "preferences"),
        ({"a.csv": "session,qno,rank,url,url\ns,1,1,a,a\n"}, DataError, "'url' is named twice"),
    ],
)
def test_what_is_no_log_is_refused_in_a_sentence(files, error, said, tmp_path):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(error, match=said) as refused:
        propose([tmp_path / name for name in files])
    assert len(str(refused.value)) < 400


def test_files_that_are_not_there_or_named_twice(tmp_path):
    write_csv(tmp_path, "results", [{"a": "1"}])
    with pytest.raises(DataError, match=r"result.csv: .*; .*'results.csv'\?"):
        propose(tmp_path / "result.csv")
    with pytest.raises(UsageError, match="given twice"):
        propose([tmp_path / "results.csv", f"{tmp_path}/../{tmp_path.name}/results.csv"])
    with pytest.raises(UsageError, match="give the files"):
        propose([])


@pytest.mark.slow
def test_the_clinic_without_its_study_toml(tmp_path, quiet_read):
    clinic = ROOT / "examples" / "clinic"
    files = [clinic / name for name in ("qrels.txt", "results.tsv.gz", "queries.csv", "users.csv", "sessions.csv")]
    proposal = proposed(files, tmp_path)
    same(quiet_read(tmp_path / "proposed.toml"), quiet_read(clinic / "study.toml"))
    assert [question.place for question in proposal.questions] == ["max_grade"]


@pytest.mark.slow
@pytest.mark.realdata
def test_ir_metrics_as_the_design_describes_it(tmp_path, quiet_read):
    if not IR_METRICS.is_dir():
        pytest.skip("no real data beside the project")
    files = [IR_METRICS / name for name in ("session", "results", "qrels")]
    proposal = proposed(files, tmp_path)
    written = {"separator": "\t", "quote": False}
    tables = {
        name: {key: value for key, value in one.items() if key != "path"}
        for name, one in proposal.settings.items()
        if name != "format"
    }
    assert tables == {
        "sessions": {
            **written,
            "columns": {"session_id": "SessionID", "judgment_key": "SessionID", "topic_id": "Topic", "user_id": "User"},
        },
        "results": {
            **written,
            "empty_list": "no results",
            "columns": {"session_id": "SessionID", "query_position": "Qno", "rank": "rank", "doc_id": "URL"},
        },
        "judgments": {**written, "columns": {"judgment_key": "SessionID", "doc_id": "URL", "grade": "Relevance"}},
    }
    assert [question.place for question in proposal.questions] == ["max_grade", "unjudged_grades"]
    read = quiet_read(tmp_path / "proposed.toml")
    assert {name: getattr(read, name).collect().height for name in TABLES} == {
        "users": 20, "sessions": 80, "queries": 388, "results": 3446, "judgments": 5482,
    }  # fmt: skip
    assert read.rejected.collect().is_empty()


AOL = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n142\tgarden shed\t2006-03-04 11:02:03\t2\thttp://a.example\n"
RUN = "301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 8.5 bm25\n"
QRELS = "301 0 d1 2\n301 0 d2 -1\n"
UBI = (
    '{"query_id":"q1","client_id":"c1","user_query":"lamp","query_response_hit_ids":["A"],"timestamp":"2025-01-02T10:00:00Z"}\n'
    '{"action_name":"click","query_id":"q1","session_id":"s1","client_id":"c1","timestamp":"2025-01-02T10:00:05Z",'
    '"event_attributes":{"object":{"object_id":"A"},"position":{"ordinal":1}}}\n'
)


def test_a_log_of_a_known_format_needs_no_study_toml(write, quiet_read, tmp_path):
    proposal = propose(write("log.txt", AOL), folder=tmp_path)
    assert proposal.settings == {"format": "aol", "path": "log.txt"} == tomllib.loads(proposal.text)
    assert " ingest log.txt --out STUDY\n" in proposal.text
    assert [question.place for question in proposal.questions] == ["timezone"]
    for option in FORMATS["aol"].options:
        assert f"\n# {option} = " in proposal.text
    path = write("study.toml", proposal.text)
    assert quiet_read(path).queries.collect()["query_text"].to_list() == ["garden shed"]


def test_judgments_and_topics_are_placed_beside_it(write, quiet_read, tmp_path):
    files = [write("a b.run", RUN), write("q.txt", QRELS), write("map.tsv", "301\t7\n")]
    proposal = propose(files, folder=tmp_path)
    assert proposal.settings == {
        "format": "trec_run",
        "path": "a b.run",
        "topics": "map.tsv",
        "judgments": {"path": "q.txt", "format": "qrels"},
    }
    options = ["--judgments", "q.txt", "--topics-file", "map.tsv", "--out", "STUDY"]
    assert " ".join(["sessionkit ingest 'a b.run'", *options]) in proposal.text
    assert [question.place for question in proposal.questions] == [
        "topics",
        "max_grade",
        "unjudged_grades",
        "judgments",
    ]
    assert re.search("none .*judgment_key of 1 session", proposal.questions[-1].text)
    assert "largest grade in q.txt is 2" in proposal.text
    assert "# unjudged_grades = [-1]" in proposal.text
    assert quiet_read(write("study.toml", proposal.text)).judgments.collect().height == 2


def test_a_file_that_maps_no_topics_is_not_taken_for_one(write, tmp_path):
    proposal = propose([write("a.run", RUN), write("notes.csv", "a,b\nx,y\n")], folder=tmp_path)
    assert "topics" not in proposal.settings
    assert "'notes.csv' has no format" in proposal.questions[0].text


def test_a_second_file_of_judgments_is_asked_about(write, tmp_path):
    files = [write("log.ndjson", UBI), write("a.qrels", QRELS), write("b.qrels", QRELS), write("odd.bin", b"\0\1")]
    proposal = propose(files, folder=tmp_path)
    assert proposal.settings["judgments"]["path"] == "a.qrels"
    asked = " ".join(question.text for question in proposal.questions)
    assert "b.qrels holds judgments too" in asked
    assert "'odd.bin' has no format" in asked


def test_options_as_they_are_proposed_are_those_of_the_format(write, tmp_path):
    """Every option that stands there as a comment can be made valid by taking the number sign away, unless it has no default."""
    proposal = propose([write("log.ndjson", UBI), write("a.qrels", QRELS)], folder=tmp_path)
    waiting = [
        line.removeprefix("# ") for line in proposal.text.splitlines() if line.startswith("# ") and " = " in line
    ]
    said = tomllib.loads("\n".join([*(line for line in waiting if line.split(" = ")[0].isidentifier()), proposal.text]))
    assert as_config(said, "study.toml", tmp_path).options["session_gap"] == "30m"
    assert set(FORMATS["ubi"].options) <= set(said)


def test_a_folder_is_a_log_or_the_files_in_it(write, tmp_path):
    write("log.ndjson", UBI)
    assert propose(tmp_path, folder=tmp_path).settings == {"format": "ubi", "path": "."}
    write("notes.csv", "a,b\n1,2\n")
    found = propose(tmp_path, folder=tmp_path)
    assert found.settings == {"format": "ubi", "path": "log.ndjson"}
    assert "'notes.csv' has no format" in found.text
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="empty is a directory without files"):
        propose(tmp_path / "empty")


SCORES, WHOLE, GRADES = '{"q": {"a": 0.7, "b": 2}}', '{"q": {"a": 1.0, "b": 2.0}}', '{"q": {"a": 1, "b": 0}}'


@pytest.mark.few(3)
@pytest.mark.parametrize("names", [("a.json", "b.json"), ("b.json", "a.json")])
@pytest.mark.parametrize("contents", [(SCORES, GRADES), (SCORES, WHOLE), (WHOLE, GRADES)])
def test_scores_and_grades_in_json_are_told_apart_in_any_order(write, tmp_path, quiet_read, contents, names):
    paths = [write(name, content) for name, content in zip(names, contents, strict=True)]
    for files in (paths, paths[::-1]):
        proposal = propose(files, folder=tmp_path)
        assert proposal.settings["path"] == names[0]
        assert proposal.settings["judgments"] == {"path": names[1], "format": "json_qrels"}
        assert ("taken for a run" in proposal.text) == (contents[0] == WHOLE)
    assert quiet_read(write("study.toml", proposal.text)).facts.judgments == 2


def test_what_three_columns_are_is_asked(write, tmp_path):
    proposal = propose([write("a.run", "q\ta\t1\nq\tb\t2\n"), write("q.txt", "q 0 a 1\n")], folder=tmp_path)
    assert proposal.settings["format"] == "trec_run"
    assert re.search("columns of 'a.run' .*topic, document", proposal.text)


def test_results_of_queries_in_another_table_are_no_run(write, tmp_path):
    results = write("results.csv", "query_id,doc_id,rank\nq1,a,1\nq1,b,2\nq2,a,1\n")
    queries = write("queries.csv", "session_id,query_position,query_id,query_text\ns,1,q1,lamp\ns,2,q2,lamps\n")
    assert propose([results, queries], folder=tmp_path).settings["format"] == "tables"
    assert propose([results], folder=tmp_path).settings["format"] == "trec_run"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q Q0 a 1 9.5\nq Q0 b 2 8\n", "a run without its tag"),
        ("q a 1 0 0.25\nq b 0 1 0.5\n", "prels, judgments of a sample"),
    ],
)
def test_a_file_that_is_like_a_run_or_qrels_is_named(write, text, said):
    with pytest.raises(DataError, match=f"odd.txt: five columns, .*{said}"):
        propose([write("odd.txt", text), write("q.txt", "q 0 a 1\n")])


UNREADABLE = "cannot be read yet"


def questions_at(proposal, *places):
    """Return the texts of the questions whose place begins with one of these; all where none is given."""
    return [each.text for each in proposal.questions if not places or each.place.startswith(places)]


def unsaid(proposal, read):
    """Return what reading rejected, by table and rule, that no question of the table mentions."""
    groups = Counter(read.rejected.filter(~pl.col("row_kept")).collect().select("table", "rule").rows())
    silent = {}
    for (table, rule), number in groups.items():
        texts = questions_at(proposal, table, "columns", "encoding", "") if table else questions_at(proposal)
        if not any(rule in text or "rejected" in text for text in texts):
            silent[table, rule] = number
    idle = sum(source.idle for source in read.sources if source.kind == "answers")
    return silent | (
        {"answers": idle} if idle and not any("not read" in text for text in questions_at(proposal)) else {}
    )


def require_said(files, folder, quiet_read):
    """Check that a proposal is refused in a sentence, asks why it cannot be read, or says what reading rejects."""
    try:
        proposal = propose(files, folder=folder)
    except SessionkitError:
        return None
    (folder / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    try:
        read = quiet_read(folder / "proposed.toml")
    except DataError:
        assert proposal.questions
        return None
    assert unsaid(proposal, read) == {}
    return proposal, read


@pytest.mark.few(4, slow=8)
@pytest.mark.parametrize("name", LOGS)
def test_every_sample_is_proposed_without_a_silent_loss(name, write, tmp_path, quiet_read):
    for file, content in LOGS[name].files.items():
        if file.endswith(".parquet"):
            pl.read_csv(content.encode(), infer_schema=False).write_parquet(tmp_path / file)
        else:
            write(file, content)
    require_said([tmp_path / file for file in LOGS[name].files], tmp_path, quiet_read)


@pytest.mark.few(3, slow=9)
@pytest.mark.parametrize("case", each_once(42), ids=lambda case: f"{case['log']}, {case['mutation']}")
def test_every_mutation_is_proposed_without_a_silent_loss(case, tmp_path, quiet_read):
    write_mutated(case, tmp_path / "log")
    files = [path for path in sorted((tmp_path / "log").iterdir()) if path.suffix != ".toml"]
    require_said(files, tmp_path, quiet_read)


@pytest.mark.few(1, slow=5)
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_sheet_is_proposed_without_a_silent_loss(sheet, tmp_path, quiet_read):
    assert require_said(sheet.write(tmp_path), tmp_path, quiet_read) is not None


def shown(read):
    """Return each result as who was shown what: session, text of the query, rank and document."""
    texts = read.queries.select("session_id", "query_position", "query_text")
    rows = read.results.join(texts, on=["session_id", "query_position"]).collect()
    return Counter(rows.select("session_id", "query_text", "rank", "doc_id").rows())


CHANGES = (
    "rows shuffled",
    "rows reversed",
    "no numbers of queries",
    "ranks from 0",
    "half of the results away",
    "rows double",
)


def change(tables, changes, draw):
    """Change the rows of tables as CHANGES call it."""
    for row in tables["results"] if "ranks from 0" in changes else ():
        row["rank"] = str(int(row["rank"]) - 1)
    if "half of the results away" in changes:
        tables["results"] = tables["results"][: len(tables["results"]) // 2]
    for name, rows in tables.items():
        if "no numbers of queries" in changes:
            for row in rows:
                row.pop("query_position", None)
        if "rows double" in changes and name == "results":
            rows += [{**row} for row in rows[:6]]
        if "rows shuffled" in changes:
            draw.shuffle(rows)
        if "rows reversed" in changes:
            rows.reverse()


@pytest.mark.slow
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.integers(0, 2),
    is_flat=st.booleans(),
    changes=st.sets(st.sampled_from(CHANGES), max_size=3),
    draw=st.randoms(use_true_random=False),
)
def test_no_result_moves_to_another_query_without_a_question(  # noqa: PLR0917 - drawn by hypothesis
    names, is_flat, changes, draw, tmp_path_factory, quiet_read
):
    folder = tmp_path_factory.mktemp("moved")
    tables = study(draw.randint(0, 500))
    del tables["users"]
    # each query of a session has a text of its own, so that the text says where a result belongs
    for row in tables["queries"]:
        row["query_text"] += f" {row['query_position']}"
    tables["results"] = [row for row in tables["results"] if row["doc_id"]]
    text = {(row["session_id"], row["query_position"]): row["query_text"] for row in tables["queries"]}
    truth = Counter(
        (row["session_id"], text[row["session_id"], row["query_position"]], int(row["rank"]), row["doc_id"])
        for row in tables["results"]
    )
    tables = flat(tables) if is_flat else tables
    change(tables, changes, draw)
    files = [write_csv(folder, name, called(rows, NAMES[names])) for name, rows in tables.items()]
    outcome = require_said(files, folder, quiet_read)
    if outcome is None:
        return
    proposal, read = outcome
    moved = shown(read) - truth
    if moved:
        assert len(proposal.questions) > 1, next(iter(moved))  # that about max_grade stands in every one
    if "half of the results away" in changes and not is_flat:
        assert any("have no row in results" in each or "not in the order" in each for each in questions_at(proposal))


RESULTS = [(f"s{s}", q, r, f"d{s}{q}{r}") for s in range(4) for q in (1, 2) for r in (1, 2, 3)]


@pytest.fixture
def proposal_of(write, tmp_path):
    """Return the proposal for tables, each given as its header and its rows."""

    def proposal_of(**tables):
        files = [
            write(f"{name}.csv", delimited([dict(zip(header.split(","), map(str, row), strict=True)) for row in rows]))
            for name, (header, rows) in tables.items()
        ]
        return propose(files, folder=tmp_path)

    return proposal_of


def test_a_clean_log_is_not_asked_about(proposal_of):
    assert questions_at(proposal_of(results=("session,qno,rank,url", RESULTS))) == []


def test_rejected_records_are_counted_with_the_first(write, tmp_path):
    rows = delimited([dict(zip(("session", "qno", "rank", "url"), map(str, row), strict=True)) for row in RESULTS])
    proposal = propose(write("results.csv", f"{rows}s1,2,9,d9,more,fields\r\n"), folder=tmp_path)
    (text,) = questions_at(proposal)
    assert text.startswith("1 record of 25 rejected: ")
    assert "(first: record 25 of results.csv" in text


def test_a_proposal_that_cannot_be_read_says_why(write, tmp_path):
    """Two documents in one file of XML look like the format, and are not well-formed."""
    (name, content), *_ = LOGS["trec_session"].files.items()
    assert UNREADABLE not in propose(write(name, content), folder=tmp_path).text
    (text,) = [each for each in questions_at(propose(write(name, content * 2), folder=tmp_path)) if UNREADABLE in each]
    assert "not well-formed XML" in text


def test_rows_of_unknown_queries_are_counted(proposal_of):
    queries = [(s, q, f"find {s} {q}") for s, q in dict.fromkeys((s, q) for s, q, *_ in RESULTS)]
    proposal = proposal_of(queries=("session,qno,query", queries[:-1]), results=("session,qno,rank,url", RESULTS))
    assert any(re.search("3 .* 24 .*: query_is_known", text) for text in questions_at(proposal))


@pytest.mark.parametrize(("number", "is_asked"), [(2, False), (3, True)])
def test_many_queries_without_rows_are_asked_about_with_the_line_that_says_either(
    number, is_asked, proposal_of, tmp_path, quiet_read
):
    """Of 20 queries 2 are not above 10%, and 3 are."""
    queries = [(f"s{s}", q, f"find {s} {q}") for s in range(10) for q in (1, 2)]
    rows = [(s, q, r, f"d{r}") for s, q, _ in queries[: 20 - number] for r in (1, 2)]
    proposal = proposal_of(queries=("session,qno,query", queries), results=("session,qno,rank,url", rows))
    texts = questions_at(proposal, "queries.without_results")
    assert [text.startswith("3 of 20 queries (15%) ") for text in texts] == [True] * is_asked
    if is_asked:
        answered = proposal.text.replace("# without_results", "without_results")
        (tmp_path / "study.toml").write_text(answered)
        assert quiet_read(tmp_path / "study.toml").facts.not_logged == 3


def test_the_beginning_of_a_large_log_is_read_back(proposal_of, monkeypatch):
    monkeypatch.setattr("sessionkit.readers.propose.sample.ROWS", 13)
    rows = [("s0", 1, "x", "d"), *RESULTS, *[("s9", 9, "y", "d")] * 50]
    proposal = proposal_of(results=("session,qno,rank,url", rows))
    assert len(proposal.questions) > 0


def test_rows_of_a_list_that_do_not_stand_together_are_one_list(proposal_of, tmp_path, quiet_read):
    """Without numbers of queries, rows that alternate between two queries are two lists and not six."""
    rows = [(f"s{s}", f"find {q}", r, f"d{s}{q}{r}") for s in range(4) for r in (1, 2, 3) for q in ("a", "b")]
    proposal = proposal_of(results=("session,query,rank,url", rows))
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.queries.collect().height == 8
    assert read.results.collect().height == 24


def test_queries_and_lists_numbered_apart_are_asked_about_where_they_are_not_as_many(proposal_of):
    """Of s0 the first query has no list, so that the list of the second lies under it."""
    queries = [(f"s{s}", f"find {s} {q}") for s in range(4) for q in (1, 2)]
    rows = [
        (s, r, f"{s}{q}{r}") for s in ("s0", "s1", "s2", "s3") for q in (1, 2) if (s, q) != ("s0", 1) for r in (1, 2, 3)
    ]
    proposal = proposal_of(queries=("session,query", queries), results=("session,rank,url", rows))
    (text,) = [each for each in questions_at(proposal) if "numbered each for itself" in each]
    assert re.search(r"in 1 session .*'s0', 2 queries and 1 list\)", text)


def test_rows_that_repeat_a_list_are_asked_about_where_queries_are_numbered(proposal_of):
    rows = [(f"s{s}", f"find {q}", r, f"d{s}{q}{r}") for s in range(4) for q in (1, 2) for r in (1, 2, 3)]
    clean = proposal_of(results=("session,query,rank,url", rows))
    assert questions_at(clean) == []
    proposal = proposal_of(results=("session,query,rank,url", [*rows, *rows[:3]]))
    assert any("3 rows of results repeat" in each for each in questions_at(proposal))
