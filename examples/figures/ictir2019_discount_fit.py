"""Lipani, Carterette & Yilmaz, ICTIR 2019 (sRBP): a discount by rank and query, with where searchers looked over it.

The paper: searchers of the TREC 2014 Session Track, fitted by least squares to looks that are scaled to the sum 1. Here: 1,250
made-up searchers who go on with probability p=.86, in the same list with b=.64 of these, fitted by the likelihood of
stopping, which gives back what made them. sDCG is fitted to the same looks.

Run it with: python examples/figures/ictir2019_discount_fit.py [--out FOLDER]
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

import sessionkit as sk

P, B = 0.86, 0.64

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

random = np.random.default_rng(2019)
looks: Counter[tuple[int, int]] = Counter()
for _ in range(1250):
    rank = query = 1
    looks[rank, query] += 1
    while random.random() < P:
        rank, query = (rank + 1, query) if random.random() < B else (1, query + 1)
        looks[rank, query] += 1
counts = {
    "rank": [rank for rank, _ in looks],
    "query": [query for _, query in looks],
    "count": list(looks.values()),
}
found = sk.calibrate(counts, ["sRBP", "sDCG"], ranks=15, queries=8)
for model, parameter, estimate, low, high in (
    found.table.filter(criterion="likelihood").select("model", "parameter", "estimate", "low", "high").rows()
):
    print(f"{model}: {parameter} = {estimate:.3f} [{low:.3f}, {high:.3f}]")
print(f"The searchers were made with p = {P} and b = {B}.")
for model in found.expected["model"].unique(maintain_order=True):
    fit = found.expected.filter(model=model, criterion="likelihood")
    chart = sk.charts.discount_fit(fit, measure=model, synthetic=True, title="Where searchers look")
    print(sk.charts.save(chart, out / f"ictir2019_{model.split('@')[0]}.svg"))
