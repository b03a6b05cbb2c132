"""Proposals as a whole: a study comes back whatever it was called and however written; errors say what to do."""

import tomllib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from polars.testing import assert_frame_equal

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.config import as_config, schema_of
from sessionkit.readers.propose.propose import propose
from tests.readers.propose.studies import NAMES, WRITERS, called, delimited, flat, study, write_csv, write_tsv
from tests.support.examples import examples

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
    assert "# By the first 109 rows of results.csv, which has more." in part.text
    assert "the largest grade in the first rows of judgments.csv is" in part.text


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
        ({"qrels.txt": "t 0 a 1\nt 0 b 2\n"}, DataError, "qrels.txt: only judgments, no log; give the log too"),
        ({"u.csv": "user,age\nu1,3\nu2,5\n"}, DataError, "they do not show a log"),
        ({"a.csv": "s1,red\ns1,blue\ns2,blue\n"}, DataError, "2 columns without names"),
        (
            {f"{name}.csv": f"session,qno,rank,{name}\ns,1,1,a\ns,1,2,b\n" for name in ("url", "doc")},
            DataError,
            "both look like results",
        ),
        ({"study.toml": "x = 1\n"}, UsageError, "is already a study.toml"),
        ({"p.txt": "1 0 1 d1 1\n1 0 2 d2 0\n"}, DataError, "preferences"),
        ({"a.csv": "session,qno,rank,url,url\ns,1,1,a,a\n"}, DataError, "'url' is named twice in the header"),
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
    with pytest.raises(DataError, match=r"result.csv: no such file; did you mean 'results.csv'\?"):
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
