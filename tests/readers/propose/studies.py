"""Made-up studies as rows of text, and ways to write them: other names for columns, other kinds of files."""

import csv
import gzip
import io
import json
import random

import polars as pl
import pyarrow as pa

NAMES = (
    {},
    {
        "session_id": "SessionID", "user_id": "Participant", "topic_id": "TaskID", "system_id": "condition", "query_position": "Qno",
        "query_text": "Query", "rank": "Position", "doc_id": "URL", "clicked": "isClicked", "dwell_seconds": "dwellTime",
        "judgment_key": "TaskID", "grade": "Relevance", "issued_at": "timestamp", "started_at": "start", "age": "Age",
    },
    {
        "session_id": "sid", "user_id": "subject no", "topic_id": "Topic", "system_id": "engine", "query_position": "query-nr",
        "query_text": "search term", "rank": "pos", "doc_id": "docno", "clicked": "click", "dwell_seconds": "dwell",
        "judgment_key": "topic", "grade": "label", "issued_at": "time", "started_at": "begin", "age": "years [of life]",
    },
)  # fmt: skip
"""What columns are called."""


WORDS = ("now", "here", '5" disk', "a; b")


def study(seed, *, key="topic_id"):
    """Return the tables of a study that breaks no rule, with rows that say that a list was empty."""
    rng = random.Random(seed)  # noqa: S311 - made-up rows
    documents = [f"http://example.org/{number}?a=1,2" for number in range(40)]
    users = [{"user_id": f"p{at:02}", "age": str(rng.randint(18, 70))} for at in range(4)]
    sessions, queries, results = [], [], []
    for at in range(12):
        session = {
            "session_id": f"{1000 + at}",
            "user_id": f"p{at % 4:02}",
            "topic_id": f"T{at % 3}",
            "system_id": "AB"[at // 2 % 2],
        }
        sessions.append({**session, "started_at": f"2024-03-{at + 1:02}T09:00:00Z"})
        for position in range(1, rng.randint(2, 5)):
            query = {"session_id": session["session_id"], "query_position": str(position)}
            text = f"find {session['topic_id']} {rng.choice(WORDS)}"
            queries.append({**query, "query_text": text, "issued_at": f"2024-03-{at + 1:02}T09:0{position}:00Z"})
            if at == 5 and position == 2:
                results.append({**query, "rank": "no results", "doc_id": "", "clicked": "", "dwell_seconds": ""})
                continue
            for rank, doc in enumerate(rng.sample(documents, 6), 1):
                clicked = rng.random() < 0.3
                seen = {"clicked": str(int(clicked)), "dwell_seconds": str(rng.randint(1, 90)) if clicked else ""}
                results.append({**query, "rank": str(rank), "doc_id": doc, **seen})
    of = {"topic_id": sessions, "session_id": sessions, "query_text": queries}[key]
    keys = sorted({row[key] for row in of})
    judgments = [
        {"judgment_key": one, "doc_id": doc, "grade": str(rng.randint(0, 3))} for one in keys for doc in documents
    ]
    return {"users": users, "sessions": sessions, "queries": queries, "results": results, "judgments": judgments}


def flat(tables):
    """Return a study as one table of results, without those lists that were empty, and its judgments."""
    sessions = {row["session_id"]: row for row in tables["sessions"]}
    queries = {(row["session_id"], row["query_position"]): row for row in tables["queries"]}
    rows = [
        {**sessions[row["session_id"]], **queries[row["session_id"], row["query_position"]], **row}
        for row in tables["results"]
    ]
    return {"results": rows, "judgments": tables["judgments"]}


def called(rows, names):
    """Return rows under other names."""
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def delimited(rows, separator=",", *, header=True, quoting=csv.QUOTE_MINIMAL):
    """Return rows as delimited text."""
    if quoting == csv.QUOTE_NONE:
        lines = [list(rows[0])] * header + [list(row.values()) for row in rows]
        return "".join(separator.join(line) + "\n" for line in lines)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\r\n")
    writer.writerows([list(rows[0])] * header + [list(row.values()) for row in rows])
    return text.getvalue()


def write_csv(folder, name, rows):
    """Write rows as CSV."""
    return _put(folder / f"{name}.csv", delimited(rows).encode())


def write_tsv(folder, name, rows):
    """Write rows between tabs, quotes being data, in a file whose name says nothing."""
    return _put(folder / name, delimited(rows, "\t", quoting=csv.QUOTE_NONE).encode())


def write_excel(folder, name, rows):
    """Write rows as spreadsheets of the Continent do, all fields between quotes, in UTF-16."""
    return _put(folder / f"{name}.csv", delimited(rows, ";", quoting=csv.QUOTE_ALL).encode("utf-16"))


def write_ndjson(folder, name, rows):
    """Write rows as JSON lines, packed."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return _put(folder / f"{name}.jsonl.gz", gzip.compress(lines.encode()))


def write_bars(folder, name, rows):
    """Write rows between bars, packed."""
    return _put(folder / f"{name}.txt.zst", pa.Codec("zstd").compress(delimited(rows, "|").encode()).to_pybytes())


def write_parquet(folder, name, rows):
    """Write rows as Parquet, numbers for numbers where all are."""
    frame = pl.DataFrame(rows)
    frame = frame.with_columns(pl.when(pl.all() != "").then(pl.all()))
    numbers = [
        c for c in frame.columns if frame[c].drop_nulls().str.contains(r"^\d+$").all() and "s" not in c.casefold()[:1]
    ]
    path = folder / f"{name}.parquet"
    frame.with_columns(pl.col(numbers).cast(pl.Int64)).write_parquet(path)
    return path


WRITERS = (write_csv, write_tsv, write_excel, write_ndjson, write_bars, write_parquet)


def _put(path, content):
    """Write a file and return its path."""
    path.write_bytes(content)
    return path
