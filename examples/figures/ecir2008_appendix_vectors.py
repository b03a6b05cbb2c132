"""ECIR 2008, appendix: the vectors CG' and DCG' of the ranking G' = <3, 2, 3, 0, 0, 1, 2, 2, 3, 0>.

The paper prints DCG' with b=4 as <3, 4, 5.67, 5.67, 5.67, 6.11, 6.94, 8.14, 9.30, 9.30>, which does not follow from its
formula: rank 2 must add 2 / (1 + log4 2) = 1.33 and not 1. The formula holds here.

Run it with: python examples/figures/ecir2008_appendix_vectors.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import polars as pl

import sessionkit as sk

GAINS = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
PRINTED = [3, 4, 5.67, 5.67, 5.67, 6.11, 6.94, 8.14, 9.30, 9.30]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

names = [f"d{rank}" for rank in range(1, 11)]
study = sk.from_tables(
    results={"session_id": ["s"] * 10, "query_position": [1] * 10, "rank": range(1, 11), "doc_id": names},
    sessions={"session_id": ["s"], "topic_id": ["t"]},
    judgments={"judgment_key": ["t"] * 10, "doc_id": names, "grade": GAINS},
)
vectors = {name: sk.explain(study, f"{name}@10")["cumulated"].to_list() for name in ("CG", "DCG(discount=log,b=4)")}
print("rank   G'   CG'   DCG', b=4   printed   differs by")
for rank, gain, cg, dcg, printed in zip(range(1, 11), GAINS, *vectors.values(), PRINTED, strict=True):
    print(f"{rank:4}{gain:5}{cg:6.0f}{dcg:12.4f}{printed:10.2f}{dcg - printed:12.2f}")

rows = [(name, "formula", rank, value) for name, values in vectors.items() for rank, value in enumerate(values, 1)]
rows += [("DCG(discount=log,b=4)", "printed", rank, value) for rank, value in enumerate(PRINTED, 1)]
frame = pl.DataFrame(rows, schema=["measure", "group", "rank", "value"], orient="row")
frame = frame.with_columns(ideal=pl.lit(None, pl.Float64), n_queries=1, n_sessions=1)
chart = sk.charts.gain_vectors(frame, legend="DCG' is", title="G' of the appendix, by the formula and as printed")
print(sk.charts.save(chart, out / "ecir2008_appendix.svg"))
