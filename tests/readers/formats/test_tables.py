"""Format ``tables``: the same tables however they are written; corruptions accounted for; a real study.

Results and clicks in files of their own: joined to their queries by an id, clicks counted on the results that were shown.
"""

import gzip
import json
import random
import tempfile
import warnings
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.readers.read import read
from sessionkit.study import open_study
from tests.support.examples import examples
from tests.support.messages import match_parts, messages_with

TABLES = ("users", "sessions", "queries", "results", "judgments")
IR_METRICS = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "ir_metrics"

ids = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r\0\ufeff", exclude_categories=["Cs", "Zl", "Zp", "Cc"]),
    min_size=1,
    max_size=5,
)
grades = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])


@st.composite
def studies(draw):
    """Tables of a log that breaks no rule: text columns as they would stand in a file."""
    sessions, queries, results = [], [], []
    documents = draw(st.lists(ids, min_size=3, max_size=6, unique=True))
    for session in draw(st.lists(ids, min_size=1, max_size=3, unique=True)):
        sessions.append(
            {"session_id": session, "topic_id": draw(ids), "mood": str(draw(st.integers(-5, 5))), "remark": draw(ids)}
        )
        for position in range(1, draw(st.integers(1, 3)) + 1):
            queries.append({"session_id": session, "query_position": str(position), "query_text": draw(ids)})
            for rank in sorted(draw(st.sets(st.integers(1, 9), min_size=not results, max_size=3))):
                clicked = draw(st.sampled_from(["true", "false"]))
                row = {"session_id": session, "query_position": str(position), "rank": str(rank)}
                results.append({**row, "doc_id": draw(st.sampled_from(documents)), "clicked": clicked})
    judgments = [
        {"judgment_key": row["topic_id"], "doc_id": d, "grade": str(draw(grades))}
        for row in sessions
        for d in documents
    ]
    tables = {"sessions": sessions, "queries": queries, "results": results, "judgments": judgments}
    return {name: pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String)) for name, rows in tables.items()}


def as_csv(frame):
    return frame.write_csv(quote_style="non_numeric", null_value="").encode()


def as_bare_tsv(frame):
    return frame.write_csv(separator="\t", quote_style="never").encode()


def as_headerless(frame):
    return frame.write_csv(separator=";", include_header=False, quote_style="always").encode()


def as_ndjson(frame):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in frame.to_dicts()).encode()


def as_array(frame):
    return json.dumps(frame.to_dicts(), ensure_ascii=False, indent=1).encode()


WRITERS = {
    "csv": (as_csv, {}),
    "tsv": (as_bare_tsv, {"quote": False}),
    "txt": (as_headerless, {"header": False, "separator": ";"}),
    "ndjson": (as_ndjson, {}),
    "json": (as_array, {}),
    "parquet": (None, {}),
}
PACKERS = {"": bytes, ".gz": gzip.compress, ".zst": lambda data: pa.Codec("zstd").compress(data).to_pybytes()}


def toml(options):
    lines = []
    for name, table in options.items():
        lines.append(f"[{name}]")
        lines += [
            f"{key} = {json.dumps(value) if not isinstance(value, dict) else inline(value)}"
            for key, value in table.items()
        ]
    return "\n".join(lines)


def inline(columns):
    return "{ " + ", ".join(f"{ours} = {theirs}" for ours, theirs in columns.items()) + " }"


def written(folder, frames, kind, packing):
    writer, options = WRITERS[kind]
    described = {}
    for name, frame in frames.items():
        path = folder / f"{name}.{kind}{packing if writer else ''}"
        if writer is None:
            frame.write_parquet(path)
        else:
            path.write_bytes(PACKERS[packing](writer(frame)))
        columns = (
            {"columns": {c: n for n, c in enumerate(frame.columns, start=1)}} if options.get("header") is False else {}
        )
        described[name] = {"path": path.name, **options, **columns}
    (folder / "study.toml").write_text(toml(described), encoding="utf-8")
    return folder / "study.toml"


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = read(path)
    for source in study.sources:
        assert source.records == source.rows + source.rejected + source.empty_lists, source
    return study


@pytest.mark.slow
@settings(max_examples=examples(12), deadline=None)
@given(frames=studies(), packing=st.sampled_from(list(PACKERS)))
def test_the_same_study_whatever_the_files_are(frames, packing):
    made = {}
    for kind in WRITERS:
        with tempfile.TemporaryDirectory() as folder:
            study = quietly(written(Path(folder), frames, kind, packing))
            made[kind] = {name: study.table(name).collect() for name in TABLES}
            assert study.rejected.collect().height == 0
            assert [source.rows for source in study.sources] == [
                frames[source.table].height for source in study.sources
            ]
    for tables in made.values():
        for name in TABLES:
            assert_frame_equal(tables[name], made["csv"][name])


@settings(max_examples=examples(30), deadline=None)
@given(frames=studies(), seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(["csv", "tsv", "ndjson"]))
def test_every_record_of_a_corrupted_log_is_a_row_or_rejected_with_a_reason(frames, seed, kind):
    chance = random.Random(seed)  # noqa: S311
    spoiled = {}
    for name, frame in frames.items():
        rows = frame.to_dicts()
        for _ in range(chance.randint(0, 3)):
            row = chance.choice(rows)
            match chance.randint(0, 3):
                case 0:
                    row[chance.choice(frame.columns)] = None
                case 1:
                    row[chance.choice(frame.columns)] = chance.choice(["x", "0", "-1", "99999999999", "1.5", "nan"])
                case 2:
                    rows.insert(chance.randrange(len(rows)), dict(row))
                case 3 if len(rows) > 1:
                    rows.remove(row)
        spoiled[name] = pl.DataFrame(rows, schema=frame.schema)
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), spoiled, kind, "")
        try:
            study = quietly(path)
        except DataError as refusal:
            n_records = sum(frame.height for name, frame in spoiled.items() if name != "judgments")
            assert messages_with([refusal], f"All {n_records} records")  # noqa: PT017 - most logs are not refused
            return
        assert {source.table: source.records for source in study.sources} == {
            name: frame.height for name, frame in spoiled.items()
        }
        told = study.rejected.collect()
        rejected = told.filter(~pl.col("row_kept"))
        assert rejected.height == sum(source.rejected for source in study.sources)
        assert rejected.select("source", "record").is_duplicated().sum() == 0
        assert told.select("source", "record", "column").is_duplicated().sum() == 0
        assert told.filter("row_kept").join(rejected, on=["source", "record"], how="semi").is_empty()
        assert told["rule"].null_count() == told["raw"].null_count() == told["line"].null_count() == 0
        saved = study.save(Path(folder) / "out")
    keys_hold(study)
    assert saved.facts == study.facts


def keys_hold(study):
    """Assert that keys are unique, parents exist and positions are dense in what was accepted."""
    users, sessions, queries, results, _ = (study.table(name).collect() for name in TABLES)
    assert not sessions["session_id"].is_duplicated().any()
    assert not queries.select("session_id", "query_position").is_duplicated().any()
    assert not results.select("session_id", "query_position", "rank").is_duplicated().any()
    assert set(sessions["user_id"].drop_nulls()) <= set(users["user_id"])
    assert set(queries["session_id"]) <= set(sessions["session_id"])
    assert results.join(queries, on=["session_id", "query_position"], how="anti").is_empty()
    positions = queries.group_by("session_id").agg(pl.col("query_position").max(), n=pl.len())
    assert (positions["query_position"] == positions["n"]).all()
    shown = queries.filter(pl.col("results_status").is_in(["empty", "not_logged"]))
    assert results.join(shown, on=["session_id", "query_position"], how="semi").is_empty()


def test_row_order_does_not_matter(tmp_path):
    rows = [(f"s{s}", q, r, f"d{(s * q * r) % 7}") for s in range(5) for q in range(1, 4) for r in range(1, 5)]
    frames = []
    for seed in (1, 2):
        random.Random(seed).shuffle(rows)  # noqa: S311
        (tmp_path / "log.csv").write_text(
            "session_id,query_position,rank,doc_id\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
        )
        frames.append(quietly(tmp_path / "log.csv").results.collect())
    assert_frame_equal(*frames)
    assert frames[0].select("session_id", "query_position", "rank").rows() == sorted((a, b, c) for a, b, c, _ in rows)


STUDY_TOML = f"""
format = "tables"
max_grade = 2
[sessions]
path = "{IR_METRICS}/session"
separator = "\\t"
quote = false
columns = {{ session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User" }}
[results]
path = "{IR_METRICS}/results"
separator = "\\t"
quote = false
columns = {{ session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL" }}
empty_list = "no results"
[judgments]
path = "{IR_METRICS}/qrels"
separator = "\\t"
quote = false
columns = {{ judgment_key = "SessionID", doc_id = "URL", grade = "Relevance" }}
"""


@pytest.mark.realdata
@pytest.mark.skipif(not IR_METRICS.is_dir(), reason="the real logs are not on this machine")
def test_a_real_user_study(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY_TOML)
    study = read(tmp_path / "study.toml")
    facts = study.facts
    # counts of the data's own description: 80 sessions, 20 users, 388 queries, 3,446 results and 2 "no results" rows,
    # 5,482 judgments
    assert (facts.sessions, facts.queries, facts.empty, facts.results, facts.judgments) == (80, 388, 2, 3446, 5482)
    assert study.users.collect().height == 20
    assert study.rejected.collect().height == 0
    assert [(source.path, source.records, source.empty_lists) for source in study.sources] == [
        ("session", 80, 0),
        ("results", 3448, 2),
        ("qrels", 5482, 0),
    ]
    raw = (IR_METRICS / "results").read_text(encoding="utf-8").splitlines()[1:]
    fields = [line.split("\t") for line in raw if line.split("\t")[2] != "no results"]
    quotes = sum(field.count('"') for line in fields for field in line[4:6])
    kept = (
        study.results.select(pl.col("title", "snippet").str.count_matches('"', literal=True).sum())
        .collect()
        .sum_horizontal()
        .item()
    )
    assert quotes == kept > 0
    assert study.results.select(pl.col("session_id", "doc_id", "title", "snippet").n_unique()).collect().row(
        0
    ) == tuple(len({line[column] for line in fields if len(line) > column}) for column in (0, 3, 4, 5))
    assert study.sessions.collect_schema()["Performance"] == pl.Int64
    assert open_study(study.save(tmp_path / "out").path).facts == facts


QUERIES = """search,who,topic,no,text
a1,s1,A,1,jaguar
a2,s1,A,2,jaguar speed
a3,s1,A,3,jaguar top speed
b1,s2,A,1,cats
b2,s2,A,2,fast cats
"""
RESULTS = """search,page,place
b2,d3,1
a2,d1,2
a3,d2,1
b1,d1,1
a2,d9,1
"""
JUDGMENTS = """judgment_key,doc_id,grade
A,d1,2
A,d2,1
A,d3,1
"""
CONFIG = {
    "max_grade": 2,
    "queries": {
        "path": "queries.csv",
        "columns": {
            "query_id": "search",
            "session_id": "who",
            "topic_id": "topic",
            "query_position": "no",
            "query_text": "text",
        },
    },
    "results": {"path": "results.csv", "columns": {"query_id": "search", "rank": "place", "doc_id": "page"}},
    "judgments": {"path": "judgments.csv"},
}
CLICKS = {"path": "clicks.csv", "columns": {"query_id": "search", "doc_id": "page", "clicked_at": "at"}}


def study(folder, *, memory=None, config=CONFIG, **texts):
    """The study of these files, and what was warned of."""
    files = {"queries": QUERIES, "results": RESULTS, "judgments": JUDGMENTS, **texts}
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = read_joined(folder, config, memory)
    return made, [str(one.message) for one in caught]


def read_joined(folder, config, memory=None):
    """The study that a study.toml of these settings describes."""
    path = folder / "study.toml"
    path.write_text("\n".join(toml_lines(config)), encoding="utf-8")
    return sk.read(path, memory=memory)


def toml_lines(config):
    """Settings as lines of TOML, those at the top first."""
    yield from (f"{key} = {value!r}" for key, value in config.items() if not isinstance(value, dict))
    for name, options in config.items():
        if isinstance(options, dict):
            yield f"[{name}]"
            for key, value in options.items():
                if isinstance(value, dict):
                    yield f"{key} = {{ {', '.join(f'{one} = {theirs!r}' for one, theirs in value.items())} }}"
                else:
                    yield f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"


def rejects(made):
    """The rejected records: source, record, rule, value."""
    return made.rejected.filter(~pl.col("row_kept")).select("source", "record", "rule", "value").collect().rows()


def accounts(made, path):
    """What became of the records of a file: records, rows, rejected, merged."""
    return [(one.records, one.rows, one.rejected, one.merged) for one in made.sources if one.path == path]


def test_results_are_joined_to_their_queries_by_an_id(tmp_path):
    made, _ = study(tmp_path)
    lists = made.results.select("session_id", "query_position", "rank", "doc_id").collect().rows()
    assert lists == [
        ("s1", 2, 1, "d9"),
        ("s1", 2, 2, "d1"),
        ("s1", 3, 1, "d2"),
        ("s2", 1, 1, "d1"),
        ("s2", 2, 1, "d3"),
    ]
    assert made.queries.filter(query_position=1).collect()["results_status"].to_list() == ["empty", "shown"]
    # the second list of s1 has grades 0, 2 and is discounted by 1 + log4 2, the third has 1 and 1 + log4 3
    scores = sk.score(made, ["sDCG@3"], per="session")
    assert scores.filter(session_id="s1")["value"].item() == pytest.approx(1.2245525579689263)
    assert rejects(made) == []


def test_results_of_no_query_of_two_and_without_an_id_are_rejected_with_reasons(tmp_path):
    queries = QUERIES + "a1,s2,A,3,twice\n"
    results = RESULTS + "zz,d1,1\n,d2,1\na1,d4,1\n"
    made, said = study(tmp_path, queries=queries, results=results)
    assert rejects(made) == [
        ("results.csv", 6, "query_is_known", "zz"),
        ("results.csv", 7, "query_id_is_given", None),
        ("results.csv", 8, "query_id_names_one_query", "a1"),
    ]
    assert accounts(made, "results.csv") == [(8, 5, 3, 0)]
    assert any("3 records rejected" in one for one in said)


def test_an_id_that_comes_again_in_other_sessions_is_that_of_a_session(tmp_path):
    queries = "qid,who,no\n2,u1,2\n4,u1,1\n2,u3,1\n"
    results = "who,qid,page,place\nu3,2,d3,1\nu1,2,d2,1\nu1,4,d1,1\n"
    config = {
        "queries": {
            "path": "queries.csv",
            "columns": {"query_id": "qid", "session_id": "who", "query_position": "no"},
        },
        "results": {
            "path": "results.csv",
            "columns": {"query_id": "qid", "session_id": "who", "rank": "place", "doc_id": "page"},
        },
    }
    made, _ = study(tmp_path, queries=queries, results=results, config=config)
    found = made.results.select("session_id", "query_position", "doc_id").collect().rows()
    assert found == [("u1", 1, "d1"), ("u1", 2, "d2"), ("u3", 1, "d3")]
    assert rejects(made) == []


def test_what_lacks_an_id_to_join_by_is_named(tmp_path):
    lacking = {**CONFIG, "queries": {"path": "queries.csv", "columns": {"session_id": "who", "query_position": "no"}}}
    with pytest.raises(DataError, match=match_parts("queries.csv (queries)", "no query_id")):
        study(tmp_path, config=lacking)
    with pytest.raises(DataError, match=match_parts("no columns", "session_id, query_position")):
        study(
            tmp_path,
            config={**CONFIG, "results": {"path": "results.csv", "columns": {"rank": "place", "doc_id": "page"}}},
        )


def test_clicks_are_counted_on_the_results_that_were_shown(tmp_path):
    clicks = (
        "search,page,at\n"
        "a2,d1,2026-03-02T10:00:09Z\n"  # the second click on d1
        "b2,d3,2026-03-02T11:00:00Z\n"
        "a2,d1,2026-03-02T10:00:04Z\n"  # the first
        "a2,d7,2026-03-02T10:00:05Z\n"  # d7 is not in the list of a2
        "zz,d1,2026-03-02T10:00:06Z\n"  # zz is no query
        "a1,d1,2026-03-02T10:00:07Z\n"  # a1 has no results
    )
    made, _ = study(tmp_path, config={**CONFIG, "clicks": CLICKS}, clicks=clicks)
    found = made.results.select("doc_id", "clicked", "clicks", pl.col("clicked_at").dt.to_string("%H:%M:%S")).collect()
    assert found.rows() == [
        ("d9", False, 0, None),
        ("d1", True, 2, "10:00:04"),
        ("d2", False, 0, None),
        ("d1", False, 0, None),
        ("d3", True, 1, "11:00:00"),
    ]
    assert sorted(rejects(made)) == [
        ("clicks.csv", 4, "clicked_result_was_shown", "d7"),
        ("clicks.csv", 5, "query_is_known", "zz"),
        ("clicks.csv", 6, "clicked_result_was_shown", "d1"),
    ]
    assert accounts(made, "clicks.csv") == [(6, 0, 3, 3)]
    assert made.queries.collect().height == 5  # a click makes no query
    # something was clicked in the list of a1, so it was not empty
    assert made.queries.filter(query_id="a1").collect()["results_status"].item() == "not_logged"


def test_a_click_that_names_rank_and_document_must_agree_with_the_list(tmp_path):
    config = {
        **CONFIG,
        "clicks": {"path": "clicks.csv", "columns": {"query_id": "search", "doc_id": "page", "rank": "place"}},
    }
    made, _ = study(tmp_path, config=config, clicks="search,page,place\na2,d1,2\na2,d1,1\n")
    assert made.results.collect()["clicks"].to_list() == [0, 1, 0, 0, 0]
    assert rejects(made) == [("clicks.csv", 2, "clicked_result_was_shown", "1, d1")]


def test_ranks_of_clicks_that_count_from_0_need_a_word(tmp_path):
    clicks = {"path": "clicks.csv", "columns": {"query_id": "search", "rank": "place"}}
    with pytest.raises(DataError, match=match_parts("rank says 0", "results.csv", "base = { rank = 0 }")):
        study(tmp_path, config={**CONFIG, "clicks": clicks}, clicks="search,place\na2,1\nb1,0\n")
    said = {**clicks, "base": {"rank": 0}}
    made, _ = study(tmp_path, config={**CONFIG, "clicks": said}, clicks="search,place\na2,1\nb1,0\n")
    assert made.results.collect()["clicks"].to_list() == [0, 1, 0, 1, 0]
    assert rejects(made) == []


def test_clicks_of_one_flat_file_are_joined_by_position_or_id(tmp_path):
    results = "session_id,query_position,query_id,rank,doc_id\ns1,1,a,1,d1\ns1,1,a,2,d2\ns1,2,b,1,d1\n"
    flat = {"results": {"path": "results.csv"}, "clicks": {"path": "clicks.csv"}}
    for clicks in ("session_id,query_position,rank\ns1,2,1\n", "query_id,doc_id\nb,d1\n"):
        made, _ = study(tmp_path, results=results, config=flat, clicks=clicks)
        assert made.results.collect()["clicks"].to_list() == [0, 0, 1]


@pytest.mark.parametrize(
    ("clicks", "config", "said"),
    [
        ("search,at\na2,x\n", {}, "no doc_id .*no rank"),
        ("page\nd1\n", {}, "no query_id"),
        ("search,page\na2,d1\n", {"columns": {"query_id": "search", "doc_id": "pag"}}, "no column 'pag'"),
    ],
)
def test_clicks_that_say_too_little_are_refused(tmp_path, clicks, config, said):
    options = {"path": "clicks.csv", "columns": {"query_id": "search"} if "search" in clicks else {"doc_id": "page"}}
    with pytest.raises(DataError, match=said):
        study(tmp_path, config={**CONFIG, "clicks": {**options, **config}}, clicks=clicks)


def test_results_that_have_clicks_already_are_not_counted_twice(tmp_path):
    results = "search,page,place,clicked\na2,d1,1,1\n"
    with pytest.raises(DataError, match=match_parts("has clicked", "[clicks]")):
        study(tmp_path, config={**CONFIG, "clicks": CLICKS}, results=results, clicks="search,page,at\na2,d1,\n")
    with pytest.raises(DataError, match=r"names \[clicks\] without \[results\]"):
        study(tmp_path, config={"queries": CONFIG["queries"], "clicks": CLICKS}, clicks="search,page,at\na2,d1,\n")


@st.composite
def logs(draw):
    """Rows of a flat log, one per result, and of clicks: session, position, id of the query, rank, document, clicks."""
    rows = []
    for session in range(draw(st.integers(1, 3))):
        for position in range(1, draw(st.integers(1, 3)) + 1):
            for rank in range(1, draw(st.integers(1, 3)) + 1):
                number = draw(st.integers(0, 2))
                rows.append((f"s{session}", position, f"s{session}-{position}", rank, f"d{rank}", number))
    return rows


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(rows=logs(), seed=st.integers(0, 1000), by_rank=st.booleans())
def test_a_study_in_four_shuffled_files_is_that_of_one_flat_table(rows, seed, by_rank):
    names = ["session_id", "query_position", "query_id", "rank", "doc_id", "clicks"]
    flat = pl.DataFrame(rows, schema=names, orient="row").with_columns(clicked=pl.col("clicks") > 0)
    shuffled = random.Random(seed)  # noqa: S311
    clicks = [(row[2], row[3] if by_rank else row[4]) for row in rows for _ in range(row[5])]
    parts = {
        "sessions": flat.select("session_id").unique(),
        "queries": flat.select("session_id", "query_position", "query_id").unique(),
        "results": flat.select("query_id", "rank", "doc_id"),
        "clicks": pl.DataFrame(clicks, schema=["query_id", "rank" if by_rank else "doc_id"], orient="row"),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        flat.write_csv(folder / "flat.csv")
        for part, frame in parts.items():
            order = shuffled.sample(range(frame.height), frame.height)
            frame[order].write_csv(folder / f"{part}.csv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = read_joined(folder, {"results": {"path": "flat.csv"}})
            four = read_joined(folder, {part: {"path": f"{part}.csv"} for part in parts})
            assert_frame_equal(one.results.collect(), four.results.collect(), check_column_order=False)
            assert_frame_equal(one.queries.collect(), four.queries.collect(), check_column_order=False)
            assert_frame_equal(one.sessions.collect(), four.sessions.collect(), check_column_order=False)
            assert four.rejected.collect().is_empty()
            assert accounts(four, "clicks.csv") == [(len(clicks), 0, 0, len(clicks))]


@pytest.mark.slow
@pytest.mark.parametrize("records", [3, 1000])
def test_a_log_read_in_parts_is_that_read_at_once(tmp_path, in_batches, quiet_read, same_study, records):
    config = {**CONFIG, "clicks": CLICKS}
    clicks = (
        "search,page,at\nb2,d3,\na2,d1,2026-03-02T10:00:09Z\na2,d7,\na2,d1,2026-03-02T10:00:04Z\nb1,d1,oops\nzz,d1,\n"
    )
    study(tmp_path, config=config, clicks=clicks, results=RESULTS + "zz,d1,1\n")
    whole = quiet_read(tmp_path / "study.toml")
    in_batches(records)
    same_study(whole, quiet_read(tmp_path / "study.toml"))


def test_a_query_whose_rows_may_be_of_another_query_is_not_taken_as_empty(tmp_path):
    """Two queries are called a2, so its row is of neither, and both may have had a list; a3 and b1 have no row."""
    twins = QUERIES.replace("b2,s2", "a2,s2")
    made, warned = study(tmp_path, queries=twins, results="search,page,place\na1,d1,1\na2,d1,1\n")
    assert rejects(made) == [("results.csv", 2, "query_id_names_one_query", "a2")]
    statuses = made.queries.select("session_id", "query_id", "results_status").collect().rows()
    assert statuses == [
        ("s1", "a1", "shown"),
        ("s1", "a2", "not_logged"),
        ("s1", "a3", "empty"),
        ("s2", "b1", "empty"),
        ("s2", "a2", "not_logged"),
    ]
    assert messages_with(warned, "2 returned nothing", "value 0", "2 were not logged")


def test_ids_that_count_within_sessions_are_ambiguous_within_them_alone(tmp_path):
    """Session s1 has a1 twice, session s2 once."""
    queries = "search,who,topic,no,text\na1,s1,A,1,x\na1,s1,A,2,y\na1,s2,A,1,z\na2,s2,A,2,z\n"
    config = {
        **CONFIG,
        "results": {"path": "results.csv", "columns": {**CONFIG["results"]["columns"], "session_id": "who"}},
    }
    made, _ = study(tmp_path, config=config, queries=queries, results="who,search,page,place\ns1,a1,d1,1\ns2,a1,d1,1\n")
    statuses = made.queries.select("session_id", "query_id", "results_status").collect().rows()
    assert statuses == [
        ("s1", "a1", "not_logged"),
        ("s1", "a1", "not_logged"),
        ("s2", "a1", "shown"),
        ("s2", "a2", "empty"),
    ]
