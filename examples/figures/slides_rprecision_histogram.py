"""Chen's slides on IR evaluation, R-precision histogram: two systems by topic.

R-precision is the precision after as many results as there are relevant documents. A bar above zero is a topic where A is
better. The slides show ten topics of an unnamed collection; here are three, whose values can be checked by hand.

Run it with: python examples/figures/slides_rprecision_histogram.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import sessionkit as sk

RELEVANT = {"t1": 10, "t2": 3, "t3": 4}
FOUND = {"A": {"t1": 4, "t2": 1, "t3": 2}, "B": {"t1": 2, "t2": 1, "t3": 3}}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

rows = [
    {"session_id": f"{system}{topic}", "system_id": system, "topic_id": topic, "query_position": 1, "rank": rank,
     "doc_id": f"{topic} rel{rank}" if rank <= found[topic] else f"{system}{topic} {rank}"}
    for system, found in FOUND.items() for topic, many in RELEVANT.items() for rank in range(1, many + 1)
]  # fmt: skip
judged = [(topic, f"{topic} rel{number}") for topic, many in RELEVANT.items() for number in range(1, many + 1)]
study = sk.from_tables(
    results={name: [row[name] for row in rows] for name in rows[0]},
    judgments={
        "judgment_key": [key for key, _ in judged],
        "doc_id": [doc for _, doc in judged],
        "grade": [1] * len(judged),
    },
)
histogram = sk.rprecision_histogram(study, "A", "B")
for topic, a, b, difference in histogram.select("topic_id", "a", "b", "difference").rows():
    print(f"{topic}: A {a:.4f}, B {b:.4f}, A - B {difference:+.4f}")
chart = sk.charts.rprecision_histogram(histogram, "A", "B", title="R-precision by topic", subtitle="A - B")
print(sk.charts.save(chart, out / "slides_rprecision_histogram.svg"))
