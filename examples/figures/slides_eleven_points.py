"""Chen's slides on IR evaluation, P-R curves: interpolated precision at eleven points of recall, and their average.

The slides' two rankings: 10 relevant documents, found at ranks 1, 3, 6, 10, 15; and 3, found at ranks 3, 8, 15. Their rule
of interpolation leaves gaps; here, as in trec_eval, a point has the highest precision at its recall or any above.

Run it with: python examples/figures/slides_eleven_points.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import sessionkit as sk

FOUND = {"q1": (10, [1, 3, 6, 10, 15]), "q2": (3, [3, 8, 15])}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

places = [(topic, rank) for topic in FOUND for rank in range(1, 16)]
relevant = [
    (topic, f"{topic} rel{number}" if number >= len(ranks) else f"{topic} {ranks[number]}")
    for topic, (many, ranks) in FOUND.items()
    for number in range(many)
]
study = sk.from_tables(
    results={
        "session_id": [topic for topic, _ in places], "query_position": [1] * len(places), "rank": [rank for _, rank in places],
        "doc_id": [f"{topic} {rank}" for topic, rank in places], "topic_id": [topic for topic, _ in places],
    },
    judgments={
        "judgment_key": [topic for topic, _ in relevant], "doc_id": [doc for _, doc in relevant], "grade": [1] * len(relevant),
    },
)  # fmt: skip
average = sk.precision_recall(study, by=None)
topics = sk.precision_recall(study, by="topic_id")
chart = sk.charts.precision_recall(
    average, topics, measure="IPrec11", title="Eleven points, two queries and their average"
)
print(sk.charts.save(chart, out / "slides_eleven_points.svg"))

for topic in FOUND:
    points = topics.filter(topic_id=topic)["precision"]
    print(f"{topic:<8}" + "".join(f"{value:7.4f}" for value in points) + f"   mean {points.mean():.4f}")
print(
    "average "
    + "".join(f"{value:7.4f}" for value in average["precision"])
    + f"   mean {average['precision'].mean():.4f}"
)
