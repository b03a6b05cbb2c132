"""Invented runs: systems of rising quality that each answer every topic with one list, and the judgments of all documents."""

import numpy as np
import polars as pl

import sessionkit as sk

DOCUMENTS = 40


def judged(topics=8, seed=3, relevant=0.25):
    """Grades 0 to 3 of forty documents for each topic."""
    rng = np.random.default_rng(seed)
    grades = (rng.random((topics, DOCUMENTS)) < relevant) * rng.integers(1, 4, (topics, DOCUMENTS))
    rows = [(f"t{t}", f"d{t}.{d:02d}", float(grades[t, d])) for t in range(topics) for d in range(DOCUMENTS)]
    return grades, pl.DataFrame(rows, schema=["judgment_key", "doc_id", "grade"], orient="row")


def listed(grades, systems=5, depth=12, seed=4):
    """Results of systems that see more of the grades the higher their number; the same document never twice in a list."""
    rng = np.random.default_rng(seed)
    rows = []
    for system in range(systems):
        for topic, of in enumerate(grades):
            best = np.argsort(-(of * (0.15 + 0.15 * system) + rng.normal(size=len(of))))[:depth]
            rows += [
                (f"r{system}/{topic}", 1, rank, f"d{topic}.{d:02d}", f"t{topic}", f"r{system}")
                for rank, d in enumerate(best, start=1)
            ]
    names = ["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id"]
    return pl.DataFrame(rows, schema=names, orient="row")


def runs(systems=5, topics=8, depth=12, seed=3):
    """A study of such runs, its results and its judgments."""
    grades, judgments = judged(topics, seed)
    results = listed(grades, systems, depth, seed + 1)
    return sk.from_tables(results=results, judgments=judgments), results, judgments


def with_judgments(results, judgments, kept, *, pooled=True):
    """The study read anew with some of the judgments: the others are pooled but unjudged, or not there."""
    if pooled:
        grade = pl.when(pl.Series(kept)).then(pl.col("grade")).otherwise(-1.0)
        return sk.from_tables(results=results, judgments=judgments.with_columns(grade), unjudged_grades=[-1])
    return sk.from_tables(results=results, judgments=judgments.filter(pl.Series(kept)))
