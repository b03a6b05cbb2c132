"""ECIR 2008, Figure 2: normalized gain along the session, averaged over the sessions of two systems.

The paper: nsDCG of concatenated Top-10 results, b=2, bq=4, gains 0-1-10-100; a session that stops keeps its gain.
Here: the same on the synthetic clinic study. The paper does not say whether the ideal goes on when a session has
stopped; here it is held too. ``after_stop="null"`` lets sessions leave the average instead.

Run it with: python examples/figures/ecir2008_figure2_sessions.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl

import sessionkit as sk

MEASURE = "nsDCG(gain=0-1-10-100,b=2,bq=4)@10"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
curve = sk.curve(study, MEASURE)
chart = sk.charts.session_curve(curve, measure=MEASURE, synthetic=True, title="Sessions of two systems")
print(sk.charts.save(chart, out / "ecir2008_figure2.svg"))

means = dict(sk.score(study, MEASURE, by="system_id").select("system_id", "value").rows())
print("As in the paper, System 2 is ahead across all sessions. What more queries add is little after the fourth:")
for query in (1, 2, 4, 11):
    after = dict(curve.filter(pl.col("slot") == 10 * query).select("system_id", "value").rows())
    print(f"  after query {query:>2}: S1 {after['S1']:.4f}, S2 {after['S2']:.4f}")
print(f"The ends of the curves are the mean scores of the sessions: S1 {means['S1']:.4f}, S2 {means['S2']:.4f}.")
