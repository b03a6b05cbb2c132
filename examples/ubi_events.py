"""UBI events: from the log of a shop's search engine and ratings of its products to scores, and to the list that failed.

User Behavior Insights logs a record for each query, with the list it returned, and one for each event, such as a click. The
script writes such a log of three sessions, so that it can be seen what becomes of each record.

Run it with: python examples/ubi_events.py [--out FOLDER]
"""

import argparse
import json
from pathlib import Path

import sessionkit as sk

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path(), help="folder for the log, the ratings and the figure")
out = parser.parse_args().out


def query(name: str, second: int, text: str, hits: str) -> dict[str, object]:
    """The record of a query: what was asked, and what was returned."""
    return {"query_id": name, "user_query": text, "query_response_hit_ids": hits.split(), **who(name, second)}


def event(name: str, second: int, action: str, product: str, place: int) -> dict[str, object]:
    """The record of an event on a product at its place in the list of a query."""
    on = {"object": {"object_id": product, "object_id_field": "product_id"}, "position": {"ordinal": place}}
    return {"query_id": name, "action_name": action, "event_attributes": on, **who(name, second)}


def who(name: str, second: int) -> dict[str, object]:
    """What all records say: session, client and time."""
    session = name.partition("-")[0]
    at = f"2026-03-02T09:{second // 60:02}:{second % 60:02}Z"
    return {"session_id": session, "client_id": f"client-{session}", "timestamp": at}


log = [
    query("s1-q1", 0, "tv", "p7 p8 p9"),
    query("s1-q2", 20, "led tv", "p1 p7 p2"),
    event("s1-q2", 31, "click", "p2", 3),
    event("s1-q2", 90, "add_to_cart", "p2", 3),
    query("s2-q1", 100, "led tv", "p1 p7 p2"),
    event("s2-q1", 104, "click", "p1", 1),
    query("s3-q1", 200, "oled", ""),
    query("s3-q2", 215, "oled tv", "p3 p1"),
    event("s3-q2", 222, "click", "p3", 1),
    event("s3-q2", 240, "scroll", "p1", 2),
]
(out / "ubi.ndjson").write_text("".join(json.dumps(record) + "\n" for record in log), encoding="utf-8")
ratings = {
    "tv": {"p1": 2, "p2": 3, "p7": 0},
    "led tv": {"p1": 2, "p2": 3, "p7": 0},
    "oled": {"p3": 3},
    "oled tv": {"p3": 3, "p1": 1},
}
rows = [f"{text},{product},{rating}" for text, rated in ratings.items() for product, rating in rated.items()]
(out / "ratings.csv").write_text("\n".join(["query,docid,rating", *rows, ""]), encoding="utf-8")

study = sk.read(out / "ubi.ndjson", judgments=out / "ratings.csv")

print("What became of the records:")
for source, kind, records, kept, empty, idle in (
    sk.check(study)["sources"].select("source", "kind", "records", "rows", "empty_lists", "idle").rows()
):
    print(f"  {source:11} {kind:20} {records:2} records, {kept:2} rows, {empty} empty lists, {idle} idle")

print("\nThe quality of each list, as nDCG@3; ratings are those of the text of the query:")
texts = study.queries.select("session_id", "query_position", "query_text").collect()
scores = sk.score(study, "nDCG@3", per="query").join(texts, on=["session_id", "query_position"])
for session, position, text, value in (
    scores.sort("session_id", "query_position").select("session_id", "query_position", "query_text", "value").rows()
):
    print(f"  {session}, query {position} {text!r:10}", "no ratings" if value is None else f"{value:.4f}")

print("\nThe sessions:")
session_scores = sk.score(study, ["max(nDCG@3)", "Queries", "Clicks", "TimeToFirstClick"], per="session")
for session, measure, value in session_scores.select("session_id", "measure", "value").rows():
    print(f"  {session} {measure:17}{value:8.4f}")

print("\nWhy 'led tv' is not at 1: its best product is last.")
for rank, product, grade, contribution in (
    sk.explain(study, "nDCG@3", "s2").select("rank", "doc_id", "grade", "contribution").rows()
):
    print(f"  rank {rank}: {product}, grade {grade:g}, adds {contribution:.4f}")

events, clicks = sk.timeline(study, "s1")
chart = sk.charts.session_timeline(events, clicks, title="Session s1")
print(sk.charts.save(chart, out / "ubi_events.svg"))
