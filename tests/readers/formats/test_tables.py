"""Format ``tables``: the same tables however they are written; corruptions accounted for; a real study."""

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

from sessionkit.errors import DataWarning
from sessionkit.readers.read import read
from sessionkit.study import open_study
from tests.support.examples import examples

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
        study = quietly(written(Path(folder), spoiled, kind, ""))
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
