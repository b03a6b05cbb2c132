"""Last queries against the ones before them, in the synthetic clinic study: why averaging over what matters.

Run it with: python examples/compare_last_queries.py
"""

from pathlib import Path

import polars as pl

import sessionkit as sk

study = sk.read(Path(__file__).parent / "clinic" / "study.toml")

for average in ("queries", "sessions"):
    print(f"mean DCG@10 (synthetic data), averaged over {average}:")
    parts = sk.breakdown(study, "DCG@10", by="last", average=average)
    for row in parts.filter(pl.col("rank") == 10).iter_rows(named=True):
        shown = f"{row['value']:.3f} ({row['n_queries']} queries in {row['n_sessions']} sessions)"
        print(f"  {row['group']} {row['part']:<8} {shown}")
