"""esnDCG of sessions estimated from sampled paths in plain Python, as the public code for it does.

A thousand paths of every thousandth session, which is as many as a single path of every session: to sample a thousand
of every session takes a thousand times as long. Reading the log and making dictionaries of it are not timed; so ours has
the judgments at hand too, but reads the results.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from pathlib import Path

import polars as pl

import sessionkit as sk
from tests.benchmarks.work import work

PDOWN, PREF, DEPTH = 0.7, 0.9, 10
MEASURE = f"esnDCG(gain=exp2,pdown={PDOWN},pref={PREF})@{DEPTH}"
PATHS = 1_000
EVERY = 1_000
"""One session in so many is sampled."""

Session = tuple[list[list[str]], dict[str, float]]
"""The documents of each list, and the grades of documents."""


def sessions_of(log: Path, every: int = EVERY) -> dict[str, Session]:
    """Return one in so many sessions of a log: its lists and the judgments for its topic."""
    some = pl.read_parquet(log / "sessions.parquet", columns=["session_id", "topic_id"]).sort("session_id")
    some = some.gather_every(every)
    judgments: dict[str, dict[str, float]] = defaultdict(dict)
    for topic, document, grade in (
        pl.read_parquet(log / "judgments.parquet")
        .join(some.select(judgment_key="topic_id").unique(), on="judgment_key")
        .select("judgment_key", "doc_id", "grade")
        .iter_rows()
    ):
        judgments[topic][document] = float(grade)
    lists: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = pl.scan_parquet(log / "results.parquet").join(some.lazy().select("session_id"), on="session_id", how="semi")
    for session, position, document in (
        rows.sort("session_id", "query_position", "rank").select("session_id", "query_position", "doc_id").collect()
    ).iter_rows():
        lists[session][position].append(document)
    return {
        session: ([shown for _, shown in sorted(lists[session].items())], judgments[topic])
        for session, topic in some.iter_rows()
    }


def dcg(documents: list[str], grades: dict[str, float], depth: int) -> float:
    """Return DCG of the first so many documents: gain 2^grade - 1, discount log2(place + 1)."""
    total, place = 0.0, 1
    for document in documents:
        if place > depth:
            break
        gain = 2 ** grades.get(document, 0) - 1
        total += gain / math.log(place + 1, 2)
        place += 1
    return total


def sampled(session: Session, paths: int = PATHS) -> list[float]:
    """Return nDCG of so many random paths through a session."""
    lists, grades = session
    ideal = sorted(grades, key=lambda document: grades[document], reverse=True)
    values = []
    for _ in range(paths):
        path: list[str] = []
        for shown in lists:
            for document in shown[:DEPTH]:
                path.append(document)
                if random.random() >= PDOWN:  # noqa: S311 - a searcher
                    break
            if random.random() >= PREF:  # noqa: S311
                break
        best = dcg(ideal, grades, len(path))
        values.append(dcg(path, grades, len(path)) / best if best else 0.0)
    return values


def _at_hand(log: Path, _scratch: Path) -> sk.Study:
    """Return the study of the log after something was scored, so that its judgments are in memory."""
    study = sk.open_study(log / "study")
    sk.score(study, "esP(pdown=0.5,pref=0.5)@10", by=None)
    return study


@work(_at_hand)
def exact(study: sk.Study) -> int:
    """esnDCG@10 of every session, exact over all paths, judgments at hand."""
    return sk.score(study, MEASURE, per="session").height


@work(lambda log, _scratch: sessions_of(log))
def paths(sessions: dict[str, Session]) -> int:
    """1,000 sampled paths of every thousandth session by plain Python."""
    random.seed(2011)
    return sum(len(sampled(session)) for session in sessions.values())
