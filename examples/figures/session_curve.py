"""The figure of README.md: normalized gain along the session, two systems of the clinic study with 95% bands.

The band is a bootstrap over users. README.md shows `session_curve.svg`, which lies beside this script.

Run it with: python examples/figures/session_curve.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import sessionkit as sk

MEASURE = "nsDCG@10"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
curve = sk.curve(study, MEASURE, bands=True)
chart = sk.charts.session_curve(curve, measure=MEASURE, synthetic=True, title="Gain along the session")
print(sk.charts.save(chart, out / "session_curve.svg"))

ends = dict(sk.score(study, MEASURE, by="system_id").select("system_id", "value").rows())
print(f"The curves end at the mean scores of the sessions: S1 {ends['S1']:.4f}, S2 {ends['S2']:.4f}.")
