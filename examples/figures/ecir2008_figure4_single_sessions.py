"""ECIR 2008, Figure 4: every session of System 1 on Scenario D, one line each.

The paper: 15 sessions, sDCG of concatenated Top-10 results, b=2, bq=4, gains 0-1-10-100; "we have not marked the actual
quitting points". Here: the same on the synthetic clinic study, with the quitting points marked.

Run it with: python examples/figures/ecir2008_figure4_single_sessions.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl

import sessionkit as sk

MEASURE = "sDCG(gain=0-1-10-100,b=2,bq=4)@10"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
curves = sk.curve_with_stops(study, MEASURE, per="session", where="system_id = 'S1' and topic_id = 'D'")
chart = sk.charts.single_sessions(curves, measure=MEASURE, synthetic=True, title="Scenario D with System 1")
print(sk.charts.save(chart, out / "ecir2008_figure4.svg"))

ends = (
    curves.filter(~pl.col("stopped")).group_by("session_id").agg(pl.col("value", "query_position").last()).sort("value")
)
print(f"{len(ends)} sessions end between {ends['value'].min():.3f} and {ends['value'].max():.3f}: they differ greatly.")
for session, value, queries in ends.tail(3).rows():
    print(f"  {session} gained {value:.3f} with {queries} {'query' if queries == 1 else 'queries'}")
