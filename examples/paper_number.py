"""Checking one number of a paper: which formula gives it, and where the paper departs from its own.

1. The appendix of ECIR 2008 prints DCG' (b=4) of the ranking G' = <3, 2, 3, 0, 0, 1, 2, 2, 3, 0> as <3, 4, 5.67, 5.67, 5.67,
   6.11, 6.94, 8.14, 9.30, 9.30>. This does not follow from its formula: rank 2 must add 2 / (1 + log4 2) = 1.33 and not 1.
2. Where a paper says sDCG without a formula, four definitions give four numbers for the same session.

Run it with: python examples/paper_number.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl

import sessionkit as sk

GAINS = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
PRINTED = [3, 4, 5.67, 5.67, 5.67, 6.11, 6.94, 8.14, 9.30, 9.30]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

names = [f"d{rank}" for rank in range(1, 11)]
ranking = sk.from_tables(
    results={"session_id": ["s"] * 10, "query_position": [1] * 10, "rank": range(1, 11), "doc_id": names},
    sessions={"session_id": ["s"], "topic_id": ["t"]},
    judgments={"judgment_key": ["t"] * 10, "doc_id": names, "grade": GAINS},
)
DCG = "DCG(discount=log,b=4)"
vectors = {name: sk.explain(ranking, f"{name}@10")["cumulated"].to_list() for name in ("CG", DCG)}
print("rank   G'   CG'   DCG', b=4   printed   differs by")
for rank, gain, cg, dcg, printed in zip(range(1, 11), GAINS, *vectors.values(), PRINTED, strict=True):
    print(f"{rank:4}{gain:5}{cg:6.0f}{dcg:12.4f}{printed:10.2f}{dcg - printed:12.2f}")

rows = [(name, "formula", rank, value) for name, values in vectors.items() for rank, value in enumerate(values, 1)]
rows += [(DCG, "printed", rank, value) for rank, value in enumerate(PRINTED, 1)]
frame = pl.DataFrame(rows, schema=["measure", "group", "rank", "value"], orient="row")
frame = frame.with_columns(ideal=pl.lit(None, pl.Float64), n_queries=1, n_sessions=1)
chart = sk.charts.gain_vectors(frame, legend="DCG' is", title="G' of the appendix, by the formula and as printed")
print(sk.charts.save(chart, out / "paper_number.svg"))

# Three queries: the first list has the grades <0, 1, 0>, the second returned nothing, the third has <2, 0, 1>.
session = sk.from_tables(
    sessions={"session_id": ["s"], "topic_id": ["t"]},
    queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3]},
    results={
        "session_id": ["s"] * 6,
        "query_position": [1, 1, 1, 3, 3, 3],
        "rank": [1, 2, 3, 1, 2, 3],
        "doc_id": ["x", "b", "y", "a", "z", "c"],
    },
    judgments={"judgment_key": ["t"] * 5, "doc_id": ["a", "d", "b", "c", "x"], "grade": [2, 2, 1, 1, 0]},
)
print("\nOne session, four things called sDCG:")
forms = ["sDCG@3", "sDCG(like=jiang2016)@3", "sDCG(like=kanoulas2011)@3", "sDCG(like=srbp2019)@3"]
for measure, value in sk.score(session, forms, per="session").select("measure", "value").rows():
    print(f"  {value:.4f}  {measure}")

print("\nWhere the first of them comes from:")
parts = sk.explain(session, "sDCG@3", session="s").select("query_position", "rank", "gain", "contribution", "cumulated")
for position, rank, gain, contribution, cumulated in parts.rows():
    print(f"  query {position}, rank {rank}: gain {gain:g}, adds {contribution:.4f}, so far {cumulated:.4f}")
