"""What made the value of one session: each document adds to its query, the queries add to the session's value.

No figure of a paper: it is the sum that ECIR 2008 defines, drawn. Here: the longest session of the synthetic clinic study.

Run it with: python examples/figures/session_waterfall.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl

import sessionkit as sk

MEASURE = "sDCG@10"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
lengths = study.queries.group_by("session_id").len().sort("len", "session_id", descending=[True, False])
session = lengths.first().collect().item(0, "session_id")
parts = sk.explain(study, MEASURE, session)
chart = sk.charts.waterfall(parts, measure=MEASURE, synthetic=True, title=f"Session {session}")
print(sk.charts.save(chart, out / "session_waterfall.svg"))

print(f"{MEASURE} of session {session} is {parts['contribution'].sum():.4f}. What adds most:")
for query, rank, grade, discounts, added in (
    parts.top_k(3, by="contribution")
    .select("query_position", "rank", "grade", pl.col("rank_discount") * pl.col("query_discount"), "contribution")
    .rows()
):
    print(f"  query {query}, rank {rank}: grade {grade:g} x {discounts:.4f} = {added:.4f}")
