"""Small studies, one with hostile names throughout."""

import warnings

import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning
from tests.reports.odd_logs import HOSTILE


@pytest.fixture(scope="session")
def make():
    """Make a study of sessions of 1, 2, ... queries, two results each, of which the second is relevant in last queries."""

    def make(systems=("S1", "S2"), topics=("t",), users=("u1", "u2"), sessions=4, judged=True, **settings):
        rows, known, grades = [], [], {}
        for number in range(sessions):
            name = f"s{number}"
            topic = topics[number % len(topics)]
            known.append((name, users[number % len(users)], systems[number % len(systems)], topic))
            for query in range(1, number + 2):
                for rank in (1, 2):
                    doc = f"{name}.{query}.{rank}"
                    rows.append((name, query, rank, doc))
                    grades[topic, doc] = 2.0 if (query == number + 1 and rank == 2) else 0.0
        results = dict(zip(("session_id", "query_position", "rank", "doc_id"), zip(*rows, strict=True), strict=True))
        described = dict(zip(("session_id", "user_id", "system_id", "topic_id"), zip(*known, strict=True), strict=True))
        given = {key: grade for key, grade in grades.items() if key[0] is not None}
        judgments = {
            "judgment_key": [key for key, _ in given],
            "doc_id": [doc for _, doc in given],
            "grade": list(given.values()),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return sk.from_tables(
                {name: list(column) for name, column in results.items()},
                judgments if judged and given else None,
                sessions={name: list(column) for name, column in described.items() if any(column)},
                **settings,
            )

    return make


@pytest.fixture(scope="session")
def hostile(make):
    """Return a study in which every name, and the title, is hostile."""
    return make(
        systems=HOSTILE, topics=HOSTILE[:2], users=HOSTILE, sessions=len(HOSTILE), title=HOSTILE[0], synthetic=True
    )
