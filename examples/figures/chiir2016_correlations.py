"""Jiang & Allan, CHIIR 2016: which session measures go with what searchers say of their sessions.

The paper: Pearson's correlations of sDCG, nsDCG, sDCG per query and aggregates of nDCG with rated performance, 80 sessions.
Here: with the satisfaction of the synthetic clinic study, and with intervals, which draw searchers and not sessions, for
a searcher's four sessions are not independent.

Run it with: python examples/figures/chiir2016_correlations.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import sessionkit as sk

MEASURES = ["Queries", "sDCG@10", "nsDCG@10", *(f"{name}(nDCG@10)" for name in ("mean", "max", "min", "first", "last"))]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
found = sk.correlate(study, MEASURES, "satisfaction", coefficients="pearson", draws=1000)
chart = sk.charts.correlation_forest(found.table, synthetic=True, title="Measures and satisfaction")
print(sk.charts.save(chart, out / "chiir2016_correlations.svg"))
for measure, value, low, high in found.table.select("measure", "value", "low", "high").rows():
    print(f"{measure:<14} {value:+.3f} [{low:+.3f}, {high:+.3f}]")
print(
    "The best and the last list go most with satisfaction: these searchers were made to stop when a list satisfies them."
)
