"""One session, four things called sDCG: tables made in memory, scored under each definition, one score explained.

Run it with: python examples/one_session_four_ways.py
"""

import sessionkit as sk

# Three queries. The first list is <0, 1, 0>, the second returned nothing, the third is <2, 0, 1>.
toy = sk.from_tables(
    sessions={"session_id": ["s"], "topic_id": ["t"]},
    queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3]},
    results={
        "session_id": ["s"] * 6,
        "query_position": [1, 1, 1, 3, 3, 3],
        "rank": [1, 2, 3, 1, 2, 3],
        "doc_id": ["x", "b", "y", "a", "z", "c"],
    },
    judgments={"judgment_key": ["t"] * 5, "doc_id": ["a", "d", "b", "c", "x"], "grade": [2, 2, 1, 1, 0]},
)

forms = ["sDCG@3", "sDCG(like=jiang2016)@3", "sDCG(like=kanoulas2011)@3", "sDCG(like=srbp2019)@3"]
for measure, value in sk.score(toy, forms, per="session").select("measure", "value").rows():
    print(f"{value:.4f}  {measure}")

print("\nWhere the first of them comes from:")
parts = sk.explain(toy, "sDCG@3", session="s").select("query_position", "rank", "gain", "contribution", "cumulated")
for position, rank, gain, contribution, cumulated in parts.rows():
    print(f"query {position}, rank {rank}: gain {gain:g}, contributes {contribution:.4f}, so far {cumulated:.4f}")
