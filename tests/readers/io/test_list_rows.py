"""Tables that are read from lists inside records: JSON of any nesting, lists in cells, and a column per rank."""

import csv
import io
import json
import tempfile
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from tests.support.examples import examples
from tests.support.messages import match_parts

SESSIONS = [
    {
        "id": "s1",
        "who": {"id": "P1", "age": 30},
        "queries": [
            {"id": 7, "text": "jaguar", "results": [{"id": "d1", "score": 1.50}, {"id": "d2"}], "clicks": ["d2"]},
            {"id": 8, "text": "jaguar car", "results": [], "clicks": []},
        ],
    },
    {"id": "s2", "who": {"id": "P2"}, "queries": [{"id": 9, "text": "cats", "results": [{"id": "d3"}]}]},
]
STUDY = """
format = "tables"
[sessions]
path = "{name}"
list = "{sessions}"
columns = {{ session_id = "{of_session}id", user_id = "{of_session}who.id" }}
[queries]
path = "{name}"
list = "{queries}"
columns = {{ session_id = "{of_session}id", query_position = "queries.#", query_text = "queries.text" }}
[results]
path = "{name}"
list = "{results}"
columns = {{ session_id = "{of_session}id", query_position = "queries.#", rank = "results.#", doc_id = "results.id" }}
"""


def study_of(name, outer="", of_session=""):
    return STUDY.format(
        name=name,
        of_session=of_session,
        sessions=outer.removesuffix("."),
        queries=f"{outer}queries",
        results=f"{outer}queries.results",
    ).replace('list = ""\n', "")


def lists_of(study):
    return study.results.select("session_id", "query_position", "rank", "doc_id").collect().rows()


FORMS = {
    "document.json": (json.dumps({"made": "2026", "sessions": SESSIONS}), "sessions.", "sessions."),
    "pretty.json": (json.dumps({"sessions": SESSIONS}, indent=2), "sessions.", "sessions."),
    "array.json": (json.dumps(SESSIONS, indent=1), "", ""),
    "lines.jsonl": ("\n".join(map(json.dumps, SESSIONS)), "", ""),
    "packed.ndjson.gz": ("\n".join(map(json.dumps, SESSIONS)), "", ""),
}


@pytest.mark.few(5)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("streams", [False, True])
def test_a_nested_log_is_the_same_study_however_it_is_written(write, quiet_read, in_batches, name, streams):
    text, outer, of_session = FORMS[name]
    write(name, text)
    if streams:
        in_batches(3)
    study = quiet_read(write("study.toml", study_of(name, outer, of_session)))
    assert lists_of(study) == [("s1", 1, 1, "d1"), ("s1", 1, 2, "d2"), ("s2", 1, 1, "d3")]
    queries = study.queries.select("session_id", "query_text", "results_status").collect().rows()
    assert queries == [("s1", "jaguar", "shown"), ("s1", "jaguar car", "empty"), ("s2", "cats", "shown")]
    assert study.sessions.select("user_id", f"{of_session}who.age").collect().rows() == [("P1", 30), ("P2", None)]
    assert study.results.collect()["results.score"].to_list() == [1.5, None, None]
    assert [(source.table, source.records) for source in study.sources] == [
        ("sessions", 2),
        ("queries", 3),
        ("results", 3),
    ]


def test_columns_of_records_around_are_kept_where_no_other_table_has_them(write, quiet_read):
    write("log.jsonl", "\n".join(map(json.dumps, SESSIONS)))
    toml = study_of("log.jsonl")
    whole = quiet_read(write("study.toml", toml)).results.collect().columns
    assert "queries.text" not in whole
    alone = quiet_read(write("study.toml", 'format = "tables"\n[results]' + toml.split("[results]")[1]))
    assert alone.results.collect()["queries.text"].to_list() == ["jaguar", "jaguar", "cats"]


def test_sessions_by_id_and_objects_on_the_way(write, quiet_read):
    hits = [{"_id": "a", "_source": {"title": "A", "tags": ["x", "y"]}}, {"_id": "b"}]
    write("log.json", json.dumps({"s1": {"turns": [{"hits": {"total": 2, "hits": hits}}]}, "s2": {"turns": []}}))
    study = quiet_read(
        write(
            "study.toml",
            """
format = "tables"
[results]
path = "log.json"
list = "*.turns.hits.hits"
[results.columns]
session_id = "*.#"
query_position = "turns.#"
rank = "*.turns.hits.hits.#"
doc_id = "*.turns.hits.hits._id"
title = "*.turns.hits.hits._source.title"
""",
        )
    )
    assert lists_of(study) == [("s1", 1, 1, "a"), ("s1", 1, 2, "b")]
    assert study.results.collect()["title"].to_list() == ["A", None]
    assert study.results.collect()["*.turns.hits.hits._source.tags"].to_list() == ['["x", "y"]', None]


ONE_FILE = 'format = "tables"\n[results]\npath = "{}"\nempty_list = ""\n{}\n'


@pytest.mark.parametrize(
    ("cell", "separator", "shown"),
    [
        ("d1|d2|d3", "|", [(1, "d1"), (2, "d2"), (3, "d3")]),
        ("d1||d3", "|", [(1, "d1"), (3, "d3")]),
        ('["d1", "d2"]', None, [(1, "d1"), (2, "d2")]),
        ("['d1', 'd2']", None, [(1, "d1"), (2, "d2")]),
        ("d1", None, [(1, "d1")]),
        ("", "|", []),
        ("[]", "|", []),
    ],
)
def test_a_list_in_a_cell(write, quiet_read, cell, separator, shown):
    text = io.StringIO()
    csv.writer(text).writerows([["session", "q", "serp.ids"], ["s", "1", cell], ["s", "2", "z"]])
    write("log.csv", text.getvalue())
    said = f'list_separator = "{separator}"\n' if separator else ""
    columns = 'columns = { session_id = "session", query_position = "q", rank = "serp.ids.#", doc_id = "serp.ids" }'
    study = quiet_read(write("study.toml", ONE_FILE.format("log.csv", f'list = "serp.ids"\n{said}{columns}')))
    assert lists_of(study) == [*[("s", 1, *one) for one in shown], ("s", 2, 1, "z")]
    assert study.queries.collect()["results_status"].to_list() == ["shown" if shown else "empty", "shown"]


def test_a_list_that_cannot_be_read_is_rejected_and_not_an_empty_list(write, quiet_read, rejects):
    write("log.csv", "session,q,serp\ns,1,d1\ns,2,[d1\n")
    columns = (
        'list = "serp"\ncolumns = { session_id = "session", query_position = "q", rank = "serp.#", doc_id = "serp" }'
    )
    study = quiet_read(write("study.toml", ONE_FILE.format("log.csv", columns)))
    assert study.queries.collect()["results_status"].to_list() == ["shown", "not_logged"]
    ((record, _, rule, value, raw),) = rejects(study)
    assert (record, rule, value) == (2, "list_can_be_read", "[d1")
    assert json.loads(raw) == {"session": "s", "q": "2", "#": "2"}


def test_a_column_per_rank_keeps_gaps_and_empty_rows(write, quiet_read):
    write("log.csv", "sid,q,url_01,url_02,url_10,clicked_2\ns,1,a,b,,yes\ns,2,,,,\ns,3,c,,d,\n")
    said = 'list = ["url_#", "clicked_#"]\nvalues = { clicked = { yes = true } }\n'
    columns = (
        'columns = { session_id = "sid", query_position = "q", rank = "#", doc_id = "url_#", clicked = "clicked_#" }'
    )
    study = quiet_read(write("study.toml", ONE_FILE.format("log.csv", said + columns)))
    assert lists_of(study) == [("s", 1, 1, "a"), ("s", 1, 2, "b"), ("s", 3, 1, "c"), ("s", 3, 10, "d")]
    assert study.results.collect()["clicked"].to_list() == [None, True, None, None]
    assert study.queries.collect()["results_status"].to_list() == ["shown", "empty", "shown"]


def test_lists_of_objects_in_parquet(tmp_path, quiet_read):
    rows = [
        {"s": "s1", "q": 1, "serp": [{"url": "a", "n": 2}, {"url": "b", "n": None}]},
        {"s": "s1", "q": 2, "serp": []},
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "log.parquet")
    columns = (
        'list = "serp"\ncolumns = { session_id = "s", query_position = "q", rank = "serp.#", doc_id = "serp.url" }'
    )
    (tmp_path / "study.toml").write_text(ONE_FILE.format("log.parquet", columns))
    study = quiet_read(tmp_path / "study.toml")
    assert study.results.collect().rows() == [("s1", 1, 1, "a", 2), ("s1", 1, 2, "b", None)]
    assert study.queries.collect()["results_status"].to_list() == ["shown", "empty"]


def test_lists_of_keys_and_values_are_columns(write, quiet_read):
    params = [
        {"key": "page", "value": {"string_value": "home", "int_value": None}},
        {"key": "size", "value": {"int_value": "3"}},
    ]
    twice = [{"key": "page", "value": 1}, {"key": "page", "value": 2}]
    records = [{"s": "s", "q": q, "serp": ["a"], "params": given} for q, given in ((1, params), (2, twice))]
    write("log.jsonl", "\n".join(map(json.dumps, records)))
    columns = 'list = "serp"\ncolumns = { session_id = "s", query_position = "q", rank = "serp.#", doc_id = "serp" }'
    results = quiet_read(write("study.toml", ONE_FILE.format("log.jsonl", columns))).results.collect()
    assert results.select("params.page", "params.size").rows() == [("home", 3), (None, None)]
    assert json.loads(results["params"][1]) == twice


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            "sessions.querys.results",
            ("no list 'sessions.querys.results'", "'querys'", "id, who, queries", "mean 'queries'"),
        ),
        ("session.queries", ("mean 'sessions'",)),
        ("sessions.queries.results.#", ("no column such as",)),
    ],
)
def test_a_list_that_is_not_there_names_the_fields_that_are(write, said, message):
    write("log.json", FORMS["pretty.json"][0])
    columns = 'columns = { session_id = "a", query_position = "b", rank = "c", doc_id = "d" }'
    with pytest.raises(DataError, match=match_parts(*message)):
        sk.read(write("study.toml", ONE_FILE.format("log.json", f'list = "{said}"\n{columns}')))


def test_hostile_names_of_fields(write, quiet_read):
    record = {
        "s": "s",
        "q": 1,
        "a.b": "x",
        "": "y",
        "\u001b[31m": "z",
        "serp": [{"u": "d", 'it\'s "q"': 1, "é ü": [1]}],
    }
    write("log.jsonl", json.dumps(record))
    columns = 'list = "serp"\ncolumns = { session_id = "s", query_position = "q", rank = "serp.#", doc_id = "serp.u" }'
    path = write("study.toml", ONE_FILE.format("log.jsonl", columns))
    results = quiet_read(path).results.collect()
    assert results.select("a.b", "\u001b[31m", 'serp.it\'s "q"', "serp.é ü").row(0) == ("x", "z", 1, "[1]")
    write("log.jsonl", json.dumps({**record, "a": {"b": "other"}}))
    with pytest.raises(DataError, match=r"both called 'a\.b'"):
        sk.read(path)
    write("log.jsonl", json.dumps({**record, "__rule": "x"}))
    with pytest.raises(DataError, match="two underscores"):
        sk.read(path)


documents = st.sampled_from(["d1", "d2", "d3", "7", "http://x/ y", "ä|b", '"'])
lists = st.lists(documents, max_size=4, unique=True)
logs = st.lists(st.lists(lists, min_size=1, max_size=3), min_size=1, max_size=3).filter(
    lambda log: any(ids for session in log for ids in session)
)
SHAPES = ["document", "keyed", "queries", "bare"]


def nested(log, shape):
    """Return a log as JSON of a shape, and the study.toml of its results."""
    names = [f"s{number}" for number in range(1, len(log) + 1)]
    as_objects = [[{"docs": [{"uri": one} for one in ids]} for ids in session] for session in log]
    columns = 'session_id = "{}", query_position = "{}", rank = "docs.#", doc_id = "{}"'
    if shape == "document":
        value = {"log": [{"name": name, "asked": session} for name, session in zip(names, as_objects, strict=True)]}
        said = "log.asked.docs", columns.format("log.name", "asked.#", "docs.uri")
    elif shape == "keyed":
        value = {"all": {name: {"asked": session} for name, session in zip(names, as_objects, strict=True)}}
        said = "all.*.asked.docs", columns.format("*.#", "asked.#", "docs.uri")
    else:
        value = [
            {"name": name, "nr": nr, "docs": ids if shape == "bare" else [{"uri": one} for one in ids]}
            for name, session in zip(names, log, strict=True)
            for nr, ids in enumerate(session, 1)
        ]
        said = "docs", columns.format("name", "nr", "docs" if shape == "bare" else "docs.uri")
    return value, f'list = "{said[0]}"\ncolumns = {{ {said[1]} }}'


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs, shape=st.sampled_from(SHAPES), indent=st.sampled_from([None, 1]))
def test_a_log_written_flat_and_nested_has_the_same_tables_and_scores(log, shape, indent):
    rows = [
        (f"s{number}", position, rank, doc)
        for number, session in enumerate(log, 1)
        for position, ids in enumerate(session, 1)
        for rank, doc in (list(enumerate(ids, 1)) or [(None, None)])
    ]
    judgments = {
        "judgment_key": [f"s{n}" for n in range(1, len(log) + 1)] * 2,
        "doc_id": ["d1"] * len(log) + ["d2"] * len(log),
    }
    judged = pl.DataFrame(judgments).with_columns(grade=pl.lit(2))
    value, said = nested(log, shape)
    columns = ["session_id", "query_position", "rank", "doc_id"]
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        folder = Path(place)
        (folder / "nested.json").write_text(json.dumps(value, indent=indent))
        pl.DataFrame(rows, schema=columns, orient="row").write_ndjson(folder / "flat.ndjson")
        studies = []
        for name, more in (("nested.json", said), ("flat.ndjson", "")):
            keyed = ONE_FILE.format(name, more) + '[judgments]\npath = "judged.csv"\n'
            judged.write_csv(folder / "judged.csv")
            (folder / "study.toml").write_text(keyed)
            studies.append(sk.read(folder / "study.toml"))
        for table in ("queries", "results"):
            first, second = (getattr(study, table).collect() for study in studies)
            assert first.select(second.columns).equals(second)
        first, second = (sk.score(study, ["nDCG@5", "sDCG@3"]) for study in studies)
        assert first.equals(second)
