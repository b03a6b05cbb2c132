"""ECIR 2008, section 3.3: "one may experiment with the discounting parameters and observe their effects".

Two charts side by side: the session curves for searchers who hardly ask again (bq=2) and for patient ones (bq=10).
Charts are Altair values, so they compose. Here: the synthetic clinic study; the paper shows bq=4 alone.

Run it with: python examples/figures/ecir2008_other_discounts.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import altair as alt
import polars as pl

import sessionkit as sk

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
charts = []
for bq in (2, 10):
    measure = str(sk.nsDCG(bq=bq) @ 10)
    curve = sk.curve(study, measure, where="queries >= 2")
    charts.append(sk.charts.session_curve(curve, measure=measure, title=f"bq = {bq}", synthetic=True))
    ends = curve.filter(pl.col("slot") == pl.col("slot").max()).select("system_id", "value").rows()
    print(f"{measure}: " + ", ".join(f"{group} ends at {value:.4f}" for group, value in ends))
print("With bq=2 what later queries find counts less, and so does their ideal: the shares change, the order does not.")
print(sk.charts.save(alt.hconcat(*charts), out / "ecir2008_other_discounts.svg"))
