"""Charts are Altair values: two session curves side by side, one with its own labels, saved as SVG.

Run it with: python examples/figures_side_by_side.py [FILE.svg]
"""

import sys
from pathlib import Path

import altair as alt

import sessionkit as sk

study = sk.read(Path(__file__).parent / "clinic" / "study.toml")
place = Path(sys.argv[1] if len(sys.argv) > 1 else "curves.svg")

charts = []
for measure in ("nsDCG(bq=2)@10", "nsDCG(bq=16)@10"):
    curve = sk.curve(study, measure, by="system_id", min_queries=2)
    charts.append(sk.charts.session_curve(curve, measure=measure, title=measure, synthetic=study.settings.synthetic))

print(sk.charts.save(alt.hconcat(*charts), place))
