"""Synthetic logs of any size for the benchmarks: written in chunks, cached, without repeats within a list."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

TOPICS = 1_000  # fewer where there are fewer sessions
POOL = 997  # documents a topic's queries can return; a prime, so that every step visits all of them
JUDGED = 200
LIST_LENGTH = 10
MEAN_QUERIES = 2.83
CHUNK = 100_000
TYPES: dict[str, dict[str, pl.DataType | type[pl.DataType]]] = {
    "sessions": {"session_id": pl.String, "system_id": pl.String, "topic_id": pl.String},
    "queries": {"session_id": pl.String, "query_position": pl.Int32},
    "results": {"session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String},
    "judgments": {"judgment_key": pl.String, "doc_id": pl.String, "grade": pl.Float64},
}
"""The columns of every table; there are no others."""


def judgments(topics: int, seed: int) -> pl.DataFrame:
    """200 judged documents a topic, two in five of them relevant (grades 1 to 3)."""
    rng = np.random.default_rng([seed, 1])
    topic = np.repeat(np.arange(topics), JUDGED)
    document = np.tile(np.arange(JUDGED), topics)
    grade = rng.choice(4, size=topics * JUDGED, p=[0.6, 0.2, 0.12, 0.08])
    return pl.DataFrame({"topic": topic, "document": document, "grade": grade}).select(
        judgment_key=_topic_id(), doc_id=_doc_id(), grade=pl.col("grade").cast(pl.Float64)
    )


def chunk(number: int, sessions: int, topics: int, seed: int) -> dict[str, pl.DataFrame]:
    """Sessions, queries and results of one chunk of the log."""
    rng = np.random.default_rng([seed, 2, number])
    topic = rng.integers(0, topics, sessions)
    system = rng.integers(0, 2, sessions)
    lengths = np.minimum(rng.geometric(1 / MEAN_QUERIES, sessions), 30)
    session = np.repeat(np.arange(sessions), lengths) + number * CHUNK
    position = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    # two draws in three start in the judged part of the pool, which makes about one result in three relevant or judged
    start = np.where(
        rng.random(lengths.sum()) < 0.67, rng.integers(0, JUDGED, lengths.sum()), rng.integers(0, POOL, lengths.sum())
    )
    step = np.where(rng.random(lengths.sum()) < 0.5, 1, rng.integers(1, POOL, lengths.sum()))
    rank = np.tile(np.arange(1, LIST_LENGTH + 1), lengths.sum())
    document = (np.repeat(start, LIST_LENGTH) + np.repeat(step, LIST_LENGTH) * (rank - 1)) % POOL
    rows = pl.DataFrame(
        {
            "session": np.repeat(session, LIST_LENGTH),
            "query_position": np.repeat(position, LIST_LENGTH),
            "rank": rank,
            "topic": np.repeat(np.repeat(topic, lengths), LIST_LENGTH),
            "document": document,
        }
    )
    return {
        "sessions": pl.DataFrame(
            {"session": np.arange(sessions) + number * CHUNK, "topic": topic, "system": system}
        ).select(session_id=_session_id(), system_id=pl.format("system {}", "system"), topic_id=_topic_id()),
        "queries": pl.DataFrame({"session": session, "query_position": position}).select(
            session_id=_session_id(), query_position=pl.col("query_position").cast(pl.Int32)
        ),
        "results": rows.select(
            session_id=_session_id(),
            query_position=pl.col("query_position").cast(pl.Int32),
            rank=pl.col("rank").cast(pl.Int32),
            doc_id=_doc_id(),
        ),
    }


def write(folder: Path, sessions: int, seed: int = 1) -> dict[str, int]:
    """Write one log as Parquet tables into ``folder``, and a study.toml that names them; return the number of rows."""
    topics = min(TOPICS, sessions)
    judgments(topics, seed).write_parquet(folder / "judgments.parquet")
    rows = dict.fromkeys(TYPES, 0) | {"judgments": topics * JUDGED}
    writers: dict[str, pq.ParquetWriter] = {}
    for number, first in enumerate(range(0, sessions, CHUNK)):
        for name, frame in chunk(number, min(CHUNK, sessions - first), topics, seed).items():
            table: pa.Table = frame.to_arrow()
            if name not in writers:
                writers[name] = pq.ParquetWriter(folder / f"{name}.parquet", table.schema, compression="zstd")
            writers[name].write_table(table)
            rows[name] += frame.height
    for writer in writers.values():
        writer.close()
    _describe(folder / "study.toml", "parquet")
    return rows


def write_texts(folder: Path) -> None:
    """Write the log in ``folder`` as delimited text and as NDJSON too, each with the study.toml that names its files."""
    for name in TYPES:
        table = pl.scan_parquet(folder / f"{name}.parquet")
        table.sink_csv(folder / f"{name}.tsv", separator="\t")
        table.sink_ndjson(folder / f"{name}.ndjson")
    _describe(folder / "delimited.toml", "tsv")
    _describe(folder / "ndjson.toml", "ndjson")


def _describe(config: Path, ending: str) -> None:
    """Write a study.toml."""
    tables = "".join(f'[{name}]\npath = "{name}.{ending}"\n' for name in TYPES)
    config.write_text(f'format = "tables"\nmax_grade = 3\n{tables}')


def _session_id() -> pl.Expr:
    return pl.format("s{}", pl.col("session").cast(pl.String).str.zfill(9))


def _topic_id() -> pl.Expr:
    return pl.format("t{}", "topic")


def _doc_id() -> pl.Expr:
    return pl.format("t{}-d{}", "topic", "document")
