"""One session in time: its queries, how long each list was looked at, clicks and reading.

No figure of a paper; it shows what the discounts of ECIR 2008 stand for. Here: the longest session of the synthetic
clinic study.

Run it with: python examples/figures/session_timeline.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import sessionkit as sk

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the figure")
out = parser.parse_args().out

study = sk.read(Path(__file__).parents[1] / "clinic" / "study.toml")
lengths = study.queries.group_by("session_id").len().sort("len", "session_id", descending=[True, False])
session = lengths.first().collect().item(0, "session_id")
queries, clicks = sk.timeline(study, session)
chart = sk.charts.session_timeline(queries, clicks, synthetic=True, title=f"Session {session}")
print(sk.charts.save(chart, out / "session_timeline.svg"))

print(f"Session {session}: {len(queries)} queries and {len(clicks)} clicks in {queries['end'].max() / 60:.1f} minutes.")
for position, text, start, end in queries.select("query_position", "text", "start", "end").rows():
    seen = clicks.filter(query_position=position)
    print(
        f"  {start:6.0f} s  {text!r}: {end - start:.0f} s, {len(seen)} clicks, {seen['dwell'].sum():.0f} s of reading"
    )
