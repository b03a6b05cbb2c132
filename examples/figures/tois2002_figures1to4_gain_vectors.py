"""Järvelin & Kekäläinen, TOIS 2002, Figures 1 to 4: CG, DCG, nCG and nDCG of five runs by rank, and the ideal.

The paper: runs A to E of TREC-7, 20 topics judged anew on four levels, ranks 1 to 100, weights 0-1-1-1 (panels a) and
0-1-10-100 (panels b), log2 discount that leaves the first two ranks whole. Here: five made-up runs.

Run it with: python examples/figures/tois2002_figures1to4_gain_vectors.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl
from ranked_runs import runs_and_judgments

import sessionkit as sk

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figures")
out = parser.parse_args().out

study = sk.from_tables(*runs_and_judgments("ABCDE", [0.9, 0.8, 0.7, 0.5, 0.3]), max_grade=3)
for number, (name, discount) in enumerate(
    [("CG", ""), ("DCG", ",discount=jk2002"), ("nCG", ""), ("nDCG", ",discount=jk2002")], 1
):
    measures = [f"{name}(gain={weights}{discount})@100" for weights in ("binary", "0-1-10-100")]
    normalize = "averages" if name.startswith("n") else "none"  # the paper divides the mean vector by the mean ideal
    frame = pl.concat(
        [sk.gain_vectors(study, each, normalize=normalize).with_columns(measure=pl.lit(each)) for each in measures]
    )
    chart = sk.charts.gain_vectors(frame, legend="Run", synthetic=True, title=f"{name}: weights 0-1-1-1 and 0-1-10-100")
    print(sk.charts.save(chart, out / f"tois2002_figure{number}.svg"))
    for each in measures:
        last = frame.filter((pl.col("rank") == 100) & (pl.col("measure") == each))
        values = ", ".join(f"{run} {value:.2f}" for run, value in last.select("system_id", "value").rows())
        print(f"  {each} at rank 100: {values}; ideal {last['ideal'][0]:.2f}")
print("With binary weights the runs lie close; with 0-1-10-100 what ranks highly relevant documents first stands out.")
print(
    "The ideal curves level off at rank 60, where nothing relevant is left; normalized, the ideal is 1 at every rank."
)
