"""ECIR 2008, Figure 1: gain of the last query of sessions, and of those before it, by rank, in two systems.

The paper: Järvelin, Price, Delcambre & Nielsen. Here: its measure and parameters (sDCG to rank 100, b=2, bq=4, gains
0-1-10-100) on the synthetic clinic study, so the shape is alike and no number is the paper's.

Run it with: python examples/figures/ecir2008_figure1_last_queries.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl

import sessionkit as sk

MEASURE = "sDCG(gain=0-1-10-100,b=2,bq=4)@100"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
parts = sk.breakdown(study, MEASURE, parts="last", average="queries")
chart = sk.charts.last_vs_nonlast(parts, measure=MEASURE, synthetic=True, title="Last and non-last queries")
print(sk.charts.save(chart, out / "ecir2008_figure1.svg"))

print("Until their last query searchers gain little; the last queries of S2 gain more than those of S1:")
for average in ("queries", "sessions"):
    at_100 = sk.breakdown(study, MEASURE, parts="last", average=average).filter(pl.col("rank") == 100)
    for group, part, value, n_queries, n_sessions in at_100.select(
        "system_id", "part", "value", "n_queries", "n_sessions"
    ).rows():
        print(f"  {group} {part:<8} {value:8.3f} over {average} ({n_queries} queries in {n_sessions} sessions)")
print(
    "The paper does not say whether it averages over queries or sessions; the figure here pools queries, and the only query"
)
print(
    "of a session is a last one. Averaged over sessions, both parts are of the same sessions, of two queries or more."
)

level = parts.filter(pl.col("part") == "last").pivot(on="rank", index="system_id", values="value")
for group, at_20, at_100 in level.select("system_id", "20", "100").rows():
    print(
        f"  {group}: the last query has {at_20 / at_100:.0%} of its gain by rank 20, where the paper's curves level off"
    )
