"""Made-up runs of retrieval systems, for figures about ranked lists: no TREC data, a seeded generator."""

from collections.abc import Sequence

import numpy as np
import polars as pl


def runs_and_judgments(
    names: Sequence[str], quality: Sequence[float], *, topics: int = 20, depth: int = 100, seed: int = 0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return results and judgments: each topic has 10 highly, 20 fairly and 30 marginally relevant documents (3, 2, 1).

    A run ranks 400 documents of a topic by quality x grade + noise; all of them are judged.
    """
    random = np.random.default_rng(seed)
    grades = np.repeat([3, 2, 1, 0], [10, 20, 30, 340])
    results, judgments = [], []
    for topic in range(topics):
        key, hardness = f"t{topic:02}", random.normal(0, 0.3)
        judgments.append(
            pl.DataFrame({"doc_id": [f"{key}d{n:03}" for n in range(400)], "grade": grades, "judgment_key": key})
        )
        for name, worth in zip(names, quality, strict=True):
            order = np.argsort(-((worth - hardness) * grades + random.normal(0, 1.5, len(grades))))[:depth]
            lists = {"doc_id": [f"{key}d{n:03}" for n in order], "rank": range(1, depth + 1)}
            about = {"session_id": f"{name} {key}", "query_position": 1, "topic_id": key, "system_id": name}
            results.append(pl.DataFrame(lists).with_columns(**{field: pl.lit(value) for field, value in about.items()}))
    return pl.concat(results), pl.concat(judgments)
