"""ECIR 2008, Figure 3: gain along the sessions of Scenario D, all of them and those of at least four queries.

The paper: sDCG of concatenated Top-10 results, b=2, bq=4, gains 0-1-10-100, not normalized, since all sessions share
one ideal. Here: the same on the synthetic clinic study.

Run it with: python examples/figures/ecir2008_figure3_one_scenario.py [--out FOLDER]
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
every = sk.curve(study, MEASURE, where="topic_id = 'D'")
long = sk.curve(study, MEASURE, where="topic_id = 'D' and queries >= 4")
chart = sk.charts.topic_curves(every, long, 4, measure=MEASURE, synthetic=True, title="Sessions of Scenario D")
print(sk.charts.save(chart, out / "ecir2008_figure3.svg"))

print("Sessions of many queries are very ineffective at first; nobody would have asked again otherwise:")
for name, curve in (("all sessions", every), ("at least 4 queries", long)):
    for group, value, n in curve.filter(pl.col("slot") == 10).select("system_id", "value", "n").rows():
        print(f"  {group}, {name} (n={n}): {value:.3f} after the first query")
