"""Small studies drawn at random: every kind of design, ties, missing cells, constant and extreme values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

import sessionkit as sk

DESIGNS = (
    "crossover",  # each user meets all systems, each topic once
    "crossover with missing cells",
    "separate users",  # each user meets one system
    "all cells",  # each user searches each topic with each system
    "one topic per user",
    "one session per user",
    "no users",
    "one user",
)
MEASURES = (
    "nsDCG@5",
    "mean(nDCG@5)",
    "sDCG@5",
    "mean(ESL)",
    "mean(E@5)",
    "nonlast(nDCG@5)",
    "last(P@3)",
    "Queries",
    "Abandoned",
    "column(satisfaction)",
    "column(difficulty)",
    "column(value)",
)
QUERY_MEASURES = ("nDCG@5", "ESL", "E@5", "P@3", "RR")
DOCUMENTS = 12


@dataclass(frozen=True)
class RandomStudy:
    """A study and what was drawn for it, so that a failure can be told from others.

    Parameters
    ----------
    seed
        What it is drawn from.
    design
        One of `DESIGNS`.
    traits
        What else is unusual about it, such as ``"constant lists"``.
    study
        The study, in memory.
    """

    seed: int
    design: str
    traits: tuple[str, ...]
    study: sk.Study


def draw_study(seed: int) -> RandomStudy:
    """Draw a study of up to 20 users, 5 topics and 4 systems."""
    rng = np.random.default_rng(seed)
    design = str(rng.choice(DESIGNS))
    n_users = 1 if design == "one user" else int(rng.choice([2, 3, 4, 5, 6, 8, 12, 20]))
    n_topics = int(rng.integers(1, 6))
    n_systems = int(rng.choice([1, 2, 2, 2, 2, 3, 4]))
    traits = {
        "constant lists": rng.random() < 0.1,
        "topic without judgments": rng.random() < 0.15,
        "topic with nothing relevant": rng.random() < 0.15,
        "no judgments": rng.random() < 0.04,
        "lists not logged": rng.random() < 0.1,
        "no clicks": rng.random() < 0.4,
        "no order": rng.random() < 0.4,
        "constant ratings": rng.random() < 0.1,
        "one query each": rng.random() < 0.1,
    }
    scale = float(rng.choice([1.0, 1.0, 1.0, 1e-200, 1e300, 1e12]))
    cells = list(_cells(rng, design, n_users, n_topics, n_systems)) or [(0, 0, 0)]  # a study has a session
    sessions, queries, results = [], [], []
    effect = rng.choice([0.0, 0.0, 0.5, 2.0], size=n_systems)
    for place, (user, topic, system) in enumerate(cells):
        session = f"s{place:03}"
        quality = effect[system] + rng.normal(scale=0.5)
        rating = 3 if traits["constant ratings"] else int(np.clip(round(3 + quality + rng.normal()), 1, 5))
        sessions.append(
            {
                "session_id": session,
                "user_id": None if design == "no users" else f"u{user:02}",
                "topic_id": f"t{topic}",
                "system_id": f"S{system + 1}",
                "session_order": None if traits["no order"] else 1 + sum(cell[0] == user for cell in cells[:place]),
                "satisfaction": None if rng.random() < 0.05 else rating,
                "difficulty": 6 - rating,
                "value": _value(rng, scale, quality, constant=traits["constant ratings"]),
            }
        )
        for position in range(1, 2 if traits["one query each"] else int(rng.integers(2, 6))):
            is_logged = not (traits["lists not logged"] and rng.random() < 0.5)
            length = 5 if traits["constant lists"] else int(rng.integers(0, 7))
            queries.append(
                {
                    "session_id": session,
                    "query_position": position,
                    "query_text": f"query {position} of {topic}",
                    "results_status": ("shown" if length else "empty") if is_logged else "not_logged",
                }
            )
            if not is_logged:
                continue
            weights = np.exp(quality * np.arange(DOCUMENTS) / DOCUMENTS)
            documents = rng.choice(DOCUMENTS, size=length, replace=False, p=weights / weights.sum())
            for rank, document in enumerate(range(length) if traits["constant lists"] else documents, start=1):
                results.append(
                    {
                        "session_id": session,
                        "query_position": position,
                        "rank": rank,
                        "doc_id": f"d{document}",
                        "clicked": None if traits["no clicks"] else bool(rng.random() < 0.3),
                    }
                )
    users = [
        {
            "user_id": f"u{user:02}",
            "skill": ["novice", "expert", "intermediate"][int(rng.integers(0, 1 + min(n_users, 3)) % 3)],
            "age": int(rng.integers(18, 70)),
        }
        for user in sorted({cell[0] for cell in cells})
    ]
    return RandomStudy(
        seed,
        design,
        tuple(trait for trait, is_set in traits.items() if is_set),
        sk.from_tables(
            results=pl.DataFrame(results, schema=_RESULTS),
            judgments=None if traits["no judgments"] else _judgments(rng, n_topics, traits),
            queries=pl.DataFrame(queries),
            sessions=pl.DataFrame(sessions, infer_schema_length=None, schema_overrides={"user_id": pl.String}),
            users=None if design == "no users" else pl.DataFrame(users),
            max_grade=3,
            better={"satisfaction": "higher", "difficulty": "lower"},
            primary=str(rng.choice(["nsDCG@5", "mean(E@5)", "Queries"])) if rng.random() < 0.5 else None,
        ),
    )


_RESULTS = {
    "session_id": pl.String,
    "query_position": pl.Int32,
    "rank": pl.Int32,
    "doc_id": pl.String,
    "clicked": pl.Boolean,
}


def _cells(
    rng: np.random.Generator, design: str, n_users: int, n_topics: int, n_systems: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the user, topic and system of each session, in the order in which a user meets them."""
    for user in range(n_users):
        if design in {"separate users", "no users"}:
            yield from ((user, topic, user % n_systems) for topic in range(n_topics))
        elif design == "one session per user":
            yield user, user % n_topics, int(rng.integers(0, n_systems))
        elif design == "one topic per user":
            yield from ((user, user % n_topics, system) for system in range(n_systems))
        elif design in {"all cells", "one user"}:
            yield from ((user, topic, system) for topic in range(n_topics) for system in range(n_systems))
        else:
            for topic in range(n_topics):
                if design == "crossover" or rng.random() < 0.7:
                    yield user, topic, (user + topic) % n_systems


def _value(rng: np.random.Generator, scale: float, quality: float, *, constant: bool) -> float:
    """Draw a number of a session: with ties, or near the ends of what doubles can hold, or beside a large offset."""
    if constant:
        return scale
    if scale == 1e12:
        return scale + round(float(rng.normal(quality)), 3)
    return scale * round(float(rng.normal(quality)), 1) / 100


def _judgments(rng: np.random.Generator, n_topics: int, traits: dict[str, bool]) -> pl.DataFrame:
    """Judge most documents of most topics; higher numbers are more often relevant."""
    rows = []
    for topic in range(int(traits["topic without judgments"]), n_topics):
        nothing_relevant = traits["topic with nothing relevant"] and topic == n_topics - 1
        for document in range(DOCUMENTS):
            if rng.random() < 0.75:
                grade = 0 if nothing_relevant else int(rng.integers(0, 4) * (rng.random() < document / DOCUMENTS))
                rows.append({"judgment_key": f"t{topic}", "doc_id": f"d{document}", "grade": float(grade)})
    return pl.DataFrame(rows, schema={"judgment_key": pl.String, "doc_id": pl.String, "grade": pl.Float64})
