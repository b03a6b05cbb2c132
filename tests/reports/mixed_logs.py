"""Studies with everything that edge rules are about."""

import warnings

import numpy as np
import polars as pl

import sessionkit as sk
from sessionkit.errors import DataWarning


def mixed(sessions=60, seed=7, queries=5, ranks=12, *, own_keys=False, **settings):
    """Return a study of random sessions of three systems.

    In it are lists that were not logged or are empty, results unjudged, below 0 and shown again in the same and in
    other lists, a topic that nobody judged, and one in which nothing is relevant; with ``own_keys`` some queries are
    judged for another topic than their session's. Searchers have graded some results themselves.
    """
    draw = np.random.Generator(np.random.PCG64(seed))
    asked, shown, known = [], [], []
    for number in range(sessions):
        name = f"s{number:04}"
        known.append((name, f"u{number % 9}", "ABC"[number % 3], f"t{number % 5}"))
        for position in range(1, int(draw.integers(1, queries + 1)) + 1):
            status = draw.choice(["shown", "shown", "shown", "empty", "not_logged"])
            key = f"t{(number + position) % 5}" if own_keys and position % 2 else None
            asked.append((name, position, status, key))
            if status == "shown":
                documents = draw.integers(0, 40, size=int(draw.integers(1, ranks + 1)))  # some twice
                own = [None if grade < 0 else float(grade) for grade in draw.integers(-2, 4, size=len(documents))]
                shown += [(name, position, rank, f"d{one}", own[rank - 1]) for rank, one in enumerate(documents, 1)]
    grades = [(f"t{topic}", f"d{one}", float(draw.integers(-1, 4))) for topic in range(3) for one in range(0, 40, 2)]
    grades += [("t3", f"d{one}", 0.0) for one in range(10)]  # nothing relevant; t4 is not judged

    def table(names, rows):
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(
            table(["session_id", "query_position", "rank", "doc_id", "user_grade"], shown),
            table(["judgment_key", "doc_id", "grade"], grades),
            sessions=table(["session_id", "user_id", "system_id", "topic_id"], known),
            queries=table(["session_id", "query_position", "results_status", "judgment_key"], asked).select(
                pl.all() if own_keys else pl.exclude("judgment_key")
            ),
            **settings,
        )
