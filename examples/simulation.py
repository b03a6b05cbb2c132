"""A simulated study: searchers of known patience use two systems, and what is found is held against what made it.

A result at rank r is relevant with probability p x .85^(r - 1), p = .25 with system A and .35 with B. A searcher looks on after
each result with probability c, clicks what is relevant, and stops after two relevant results or four queries. Impatient
searchers have c = .6, patient ones c = .9. So a list has a mean precision at 10 of p x (1 - .85^10) / 1.5, whoever searches.
The mean over queries is near it. The mean over sessions lies above: a session stops at a good list, and a short one counts as
much as a long one.

Simulated sessions cost nothing: with enough of them any difference is significant. What to ask is how large it is, and whether
it holds for searchers of another kind.

Run it with: python examples/simulation.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import sessionkit as sk

QUALITY, PATIENCE = {"A": 0.25, "B": 0.35}, {"impatient": 0.6, "patient": 0.9}
TOPICS, SEARCHERS, MOST_QUERIES, ENOUGH = 5, 40, 4, 2

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

draw = np.random.default_rng(2008)
users, sessions, queries, results = [], [], [], []
for number in range(SEARCHERS):
    kind = list(PATIENCE)[number % 2]
    users.append({"user_id": f"u{number:02}", "searcher": kind})
    for topic in range(TOPICS):
        for system, quality in QUALITY.items():
            session, found = f"u{number:02}-{topic}-{system}", 0
            sessions.append(
                {"session_id": session, "user_id": f"u{number:02}", "system_id": system, "topic_id": f"t{topic}"}
            )
            unseen = {True: draw.permutation(60), False: draw.permutation(60)}  # of each topic 60 relevant documents
            unseen = {relevant: iter(documents) for relevant, documents in unseen.items()}
            for position in range(1, MOST_QUERIES + 1):
                queries.append({"session_id": session, "query_position": position})
                looks = True
                for rank in range(1, 11):
                    relevant = bool(draw.random() < quality * 0.85 ** (rank - 1))
                    clicked = looks and relevant and found < ENOUGH
                    found += clicked
                    results.append(
                        {
                            "session_id": session,
                            "query_position": position,
                            "rank": rank,
                            "doc_id": f"{'relevant' if relevant else 'other'}-{next(unseen[relevant])}",
                            "examined": looks,
                            "clicked": clicked,
                        }
                    )
                    looks = looks and found < ENOUGH and bool(draw.random() < PATIENCE[kind])
                if found == ENOUGH:
                    break
documents = [
    (f"t{topic}", f"{grade}-{n}") for topic in range(TOPICS) for grade in ("relevant", "other") for n in range(60)
]
judgments = [
    {"judgment_key": key, "doc_id": name, "grade": int(name.startswith("relevant"))} for key, name in documents
]
study = sk.from_tables(results, judgments, queries, sessions, users, synthetic=True, max_grade=1)

print("Precision at 10, and what the model says it is:")
by_query = sk.score(study, "P@10", per="query").group_by("system_id").agg(pl.col("value").mean()).sort("system_id")
by_session = sk.score(study, "mean(P@10)", by="system_id")
for system, value, higher in zip(*by_query, by_session["value"], strict=True):
    model = QUALITY[system] * (1 - 0.85**10) / 1.5
    print(f"  {system} {value:.4f} over queries, {higher:.4f} over sessions, by the model {model:.4f}")

print("\nWhat searchers gained and what it cost, by system and searcher:")
measures = ["nsDCG@10", "nsDCG(depth=examined)@10", "Queries"]
for system, kind, measure, value in (
    sk.score(study, measures, by="system_id,searcher").select("system_id", "searcher", "measure", "value").rows()
):
    print(f"  {system} {kind:9} {measure:26}{value:8.4f}")

print("\nIs B better, for each kind of searcher?")
compared = sk.compare(study, "nsDCG(depth=examined)@10", within="searcher")
for kind, estimate, low, high in compared.table.select("searcher", "estimate", "low", "high").rows():
    print(f"  {kind}: B less A {estimate:+.4f}, interval {low:.4f} to {high:.4f}")

effort = sk.effort(study, "sDCG(depth=examined)@10", by="searcher", query_cost=2)
print(
    sk.charts.save(
        sk.charts.effort_gain(effort, synthetic=True, title="How soon a session has gained 1"), out / "simulation.svg"
    )
)
