"""Studies whose sweeps are known, or may be made by hand."""

import random
from itertools import product

import polars as pl

import sessionkit as sk

LIST = 6


def log(seed=3, users=6, topics=3, systems=("A", "B"), *, met=None):
    """A made-up study: A finds early and asks little, the others late and often. Rows, grades and the study of them."""
    rng = random.Random(seed)  # noqa: S311
    rows, grades = [], {}
    for user, topic, (number, system) in product(range(users), range(topics), enumerate(systems)):
        if met is not None and not met(user, topic, number):
            continue
        session = f"s{user}-{topic}-{system}"
        for query in range(1, 2 + (rng.random() < 0.4 if number == 0 else 2)):
            for rank in range(1, LIST + 1):
                doc = f"d{rng.randrange(60)}"
                chance = 0.8 / rank if number == 0 else 0.1 + 0.06 * query + 0.02 * number
                rows.append((session, query, rank, doc, f"t{topic}", system, f"u{user}", rng.random() < 0.5))
                if rng.random() < chance:
                    grades[f"t{topic}", doc] = rng.choice([1, 2, 3])
                elif rng.random() < 0.5:
                    grades.setdefault((f"t{topic}", doc), 0)
    # a list shows each document once
    rows = [*{(*row[:2], row[3]): row for row in reversed(rows)}.values()][::-1]
    names = ["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id", "user_id", "clicked"]
    judged = [(topic, doc, grade) for (topic, doc), grade in grades.items()]
    study = sk.from_tables(
        pl.DataFrame(rows, schema=names, orient="row"),
        pl.DataFrame(judged, schema=["judgment_key", "doc_id", "grade"], orient="row"),
    )
    return rows, grades, study


def toy(deep, first=1, last=3, grade=2):
    """A: one document at rank 1. B: so many of this grade at a rank, all in the first query."""
    places = [("a", 1, 1, "x", "A")] + [("b", 1, last, f"y{number}", "B") for number in range(deep)]
    places = [
        (session, query, rank + (place - 1 if session == "b" else 0), doc, system)
        for place, (session, query, rank, doc, system) in enumerate(places)
    ]
    frame = pl.DataFrame(places, schema=["session_id", "query_position", "rank", "doc_id", "system_id"], orient="row")
    docs = ["x", *(f"y{number}" for number in range(deep))]
    judged = {"judgment_key": ["t"] * len(docs), "doc_id": docs, "grade": [first, *[grade] * deep]}
    return sk.from_tables(frame.with_columns(topic_id=pl.lit("t")), judged)
