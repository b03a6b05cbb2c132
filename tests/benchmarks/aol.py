"""A log in the layout of the AOL log of 2006, of any size; SYNTHETIC, nothing of theirs is in it.

Three sessions a user, days apart; some eight queries a session, one in two clicked once, one in ten twice; about ten lines a
session.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

MEAN_QUERIES = 8.5
PER_USER = 3
WORDS = 5_000
CHUNK = 100_000
START = np.datetime64("2006-03-01T08:00:00")
HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"


def chunk(number: int, sessions: int, seed: int) -> tuple[pl.DataFrame, int]:
    """The lines of one chunk of the log, and the number of its queries."""
    rng = np.random.default_rng([seed, 4, number])
    session = np.arange(sessions) + number * CHUNK
    lengths = np.minimum(rng.geometric(1 / MEAN_QUERIES, sessions), 60)
    asked = np.repeat(session, lengths)
    place = np.arange(len(asked)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    seconds = (asked % PER_USER) * 7 * 86_400 + place * 60 + rng.integers(0, 60, len(asked))
    clicks = rng.choice(3, len(asked), p=[0.4, 0.5, 0.1])
    line = np.repeat(np.arange(len(asked)), np.maximum(clicks, 1))
    frame = pl.DataFrame(
        {
            "user": 1_000 + asked[line] // PER_USER,
            "time": (START + seconds[line].astype("timedelta64[s]")).astype("datetime64[us]"),
            "first": rng.integers(0, WORDS, len(asked))[line],
            "second": rng.integers(0, WORDS, len(asked))[line],
            "rank": rng.integers(1, 11, len(line)),
            "host": rng.integers(0, 100 * WORDS, len(line)),
            "clicked": clicks[line] > 0,
        }
    )
    return frame.select(
        "user",
        pl.format("query about {} and {}", "first", "second"),
        pl.col("time").dt.to_string("%Y-%m-%d %H:%M:%S"),
        pl.when("clicked").then("rank"),
        pl.when("clicked").then(pl.format("http://www.site{}.example", "host")),
    ), len(asked)


def write(folder: Path, sessions: int, seed: int = 1) -> dict[str, int]:
    """Write one log into ``folder``; return the number of sessions, queries and clicks (two on one result are one)."""
    rows = {"sessions": sessions, "queries": 0, "results": 0}
    with (folder / "log.txt").open("w", encoding="utf-8") as file:
        file.write(HEADER)
        for number, first in enumerate(range(0, sessions, CHUNK)):
            lines, queries = chunk(number, min(CHUNK, sessions - first), seed)
            file.write(lines.write_csv(separator="\t", include_header=False, quote_style="never"))
            rows["queries"] += queries
            rows["results"] += lines["rank"].count()
    return rows
