"""SIGIR 2007 (robustness with incomplete judgments), Figure 1: Kendall's tau of the order of runs by the share of judgments.

The paper: all runs of TREC-8, 10, 12 and 14, bpref, infAP and nDCG, 17 shares, one random order of the judgments. Here: 10
made-up runs, binary judgments, the same 17 shares and 3 orders, so that a band shows what chance does. The paper's "min"
in the rule of how many judgments are kept is a misprint of "max". Table 3 is the knee, Table 4 the confusion matrix.

Run it with: python examples/figures/sigir2007_figure1_lost_judgments.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import numpy as np
from ranked_runs import runs_and_judgments

import sessionkit as sk

MEASURES = ["mean(bpref)", "mean(infAP)", "mean(nDCG(gain=binary))"]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

names = [f"run{number:02}" for number in range(1, 11)]
results, judgments = runs_and_judgments(names, np.linspace(0.5, 0.9, 10).tolist(), topics=12, depth=40, seed=7)
study = sk.from_tables(results, judgments, max_grade=3)
found = sk.judgment_loss(study, MEASURES, fractions="sigir2007", draws=3, pairs=15, seed=1)
chart = sk.charts.judgment_loss(
    found.table, found.knees, synthetic=True, title="Order of 10 runs as judgments are lost"
)
print(sk.charts.save(chart, out / "sigir2007_figure1.svg"))

print("The knee, the least share of judgments that keeps tau at .9 or above (the paper's Table 3):")
for measure, knee in found.knees.select("measure", "knee").rows():
    print(f"  {measure}: {knee:g}")
at = found.confusion.filter(fraction=0.3)
print("Verdicts on pairs of runs at a share of .3 that agree with all judgments (the paper's Figure 2):")
for measure, accuracy in at.select("measure", "accuracy").rows():
    print(f"  {measure}: {accuracy:.3f}")
print(
    "In the paper nDCG keeps the order longest. These runs, whose errors have nothing to do with each other, do not show"
)
print(
    "that: what a measure withstands depends on the runs and topics, so it is worth doing for a collection of one's own."
)
