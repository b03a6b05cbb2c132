"""A log in the shape of jiepujiang/ir_metrics (CHIIR 2016), of any size; SYNTHETIC, nothing of theirs is in it.

Three files of tab-separated text: ``session``, ``results`` (nine a query, with title and snippet; a few queries found
nothing) and ``qrels``, judged per session and address, which every result shown is. A session has 4.85 queries and some
68 judgments, a topic four sessions, as theirs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

SHOWN = 9
POOLS = np.array([11, 31, 53, 67, 101, 151])  # judged documents of a session; primes, so that every step visits all
CHUNK = 10_000
GRADES = (-1, 0, 1, 2)
SHARES = (0.012, 0.438, 0.18, 0.37)
MEASURE = "sDCG(gain=exp2,discount=shifted,query_discount=shifted)@9"
"""What the scripts of 2015 call sDCG, with b = 2 and bq = 4."""
CONFIG = """format = "tables"
max_grade = 2
[sessions]
path = "session"
separator = "\\t"
quote = false
columns = { session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User" }
[results]
path = "results"
separator = "\\t"
quote = false
empty_list = "no results"
columns = { session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL" }
[judgments]
path = "qrels"
separator = "\\t"
quote = false
columns = { judgment_key = "SessionID", doc_id = "URL", grade = "Relevance" }
"""


def chunk(number: int, sessions: int, seed: int) -> dict[str, pl.DataFrame]:
    """The three files of one chunk of the log."""
    rng = np.random.default_rng([seed, 3, number])
    session = np.arange(sessions) + number * CHUNK + 1
    topic = rng.integers(0, max(sessions // 4, 20), sessions) + number * CHUNK // 4 + 1
    pool = rng.choice(POOLS, sessions)
    queries = np.minimum(rng.geometric(1 / 4.85, sessions), 17)
    asked = np.repeat(np.arange(sessions), queries)
    position = np.arange(len(asked)) - np.repeat(np.cumsum(queries) - queries, queries) + 1
    shown = np.where(rng.random(len(asked)) < 2 / 388, 0, SHOWN)
    start, step = rng.integers(0, pool[asked]), rng.integers(1, pool[asked])
    query = np.repeat(np.arange(len(asked)), shown)
    rank = np.arange(len(query)) - np.repeat(np.cumsum(shown) - shown, shown) + 1
    document = (start[query] + step[query] * (rank - 1)) % pool[asked][query]
    found = pl.DataFrame(
        {
            "SessionID": session[asked][query],
            "Qno": position[query],
            "rank": rank,
            "topic": topic[asked][query],
            "document": document,
        }
    ).select(
        "SessionID",
        "Qno",
        pl.col("rank").cast(pl.String),
        URL=_url(),
        title=pl.format("Page {} of topic {} - an encyclopedia , the free", "document", "topic"),
        snippet=pl.format("{} ... words around what was asked for , twice over , of page {} ...", "topic", "document"),
    )
    nothing = pl.DataFrame({"SessionID": session[asked][shown == 0], "Qno": position[shown == 0]}).with_columns(
        rank=pl.lit("no results"), URL=None, title=None, snippet=None
    )
    owner = np.repeat(np.arange(sessions), pool)
    judged = pl.DataFrame(
        {
            "SessionID": session[owner],
            "topic": topic[owner],
            "document": np.arange(len(owner)) - np.repeat(np.cumsum(pool) - pool, pool),
            "Relevance": rng.choice(GRADES, len(owner), p=SHARES),
        }
    )
    return {
        "session": pl.DataFrame({"SessionID": session, "User": rng.integers(1, 21, sessions), "Topic": topic}),
        "results": pl.concat([found, nothing], how="vertical_relaxed").sort("SessionID", "Qno", maintain_order=True),
        "qrels": judged.select("SessionID", "Relevance", URL=_url()).select("SessionID", "URL", "Relevance"),
    }


def write(folder: Path, sessions: int, seed: int = 1) -> dict[str, int]:
    """Write one log, and its study.toml, into ``folder``; return the number of rows."""
    rows = {"sessions": 0, "queries": 0, "results": 0, "judgments": 0}
    for number, first in enumerate(range(0, sessions, CHUNK)):
        tables = chunk(number, min(CHUNK, sessions - first), seed)
        for name, frame in tables.items():
            with (folder / name).open("ab" if number else "wb") as file:
                frame.write_csv(file, separator="\t", quote_style="never", include_header=not number)
        rows["sessions"] += tables["session"].height
        rows["queries"] += tables["results"].select("SessionID", "Qno").n_unique()
        rows["results"] += tables["results"].filter(pl.col("rank") != "no results").height
        rows["judgments"] += tables["qrels"].height
    (folder / "study.toml").write_text(CONFIG)
    return rows


def _url() -> pl.Expr:
    return pl.format("http://www.example.org/wiki/Topic_{}/Page_{}", "topic", "document")
