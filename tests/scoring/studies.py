"""Random studies for the scoring tests, as plain dictionaries and as a Study made of the same rows."""

import polars as pl
from hypothesis import strategies as st

import sessionkit as sk

DOCS = [f"d{i}" for i in range(8)]


@st.composite
def sessions(draw, *, keys_per_query=False):
    """One to four sessions, and judgments for up to three keys."""
    judgments = draw(
        st.dictionaries(
            st.sampled_from(["t1", "t2"]),
            st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2, 3]), min_size=1, max_size=8),
            max_size=2,
        )
    )
    made = {}
    for number in range(draw(st.integers(1, 4))):
        queries = []
        for position in range(1, draw(st.integers(1, 4)) + 1):
            status = draw(st.sampled_from(["shown", "shown", "shown", "empty", "not_logged"]))
            ranks = sorted(draw(st.sets(st.integers(1, 6), max_size=5))) if status == "shown" else []
            results = [
                {
                    "rank": rank,
                    "doc": draw(st.sampled_from(DOCS)),
                    "clicked": draw(st.booleans()),
                    "examined": draw(st.booleans()),
                    "user": draw(st.sampled_from([None, 0, 1, 2])),
                }
                for rank in ranks
            ]
            if status == "shown" and not results:
                status = "empty"
            key = draw(st.sampled_from([None, "t1", "t2"])) if keys_per_query else None
            queries.append({"position": position, "status": status, "key": key, "results": results})
        made[f"s{number}"] = {"topic": draw(st.sampled_from(["t1", "t2", "t3"])), "queries": queries}
    return made, judgments


def study_of(made, judgments, *, keys_per_query=False):
    """The same rows as a Study."""
    rows = [
        (session_id, q["position"], r["rank"], r["doc"], r["clicked"], r["examined"], r["user"])
        for session_id, session in made.items()
        for q in session["queries"]
        for r in q["results"]
    ]
    columns = ["session_id", "query_position", "rank", "doc_id", "clicked", "examined", "user_grade"]
    dtypes = [pl.String, pl.Int32, pl.Int32, pl.String, pl.Boolean, pl.Boolean, pl.Float64]
    queries = [(s, q["position"], q["status"], q["key"]) for s, session in made.items() for q in session["queries"]]
    query_frame = pl.DataFrame(
        queries,
        schema={
            "session_id": pl.String,
            "query_position": pl.Int32,
            "results_status": pl.String,
            "judgment_key": pl.String,
        },
        orient="row",
    )
    graded = [(key, doc, float(grade)) for key, docs in judgments.items() for doc, grade in docs.items()]
    return sk.from_tables(
        results=pl.DataFrame(rows, schema=dict(zip(columns, dtypes, strict=True)), orient="row"),
        queries=query_frame if keys_per_query else query_frame.drop("judgment_key"),
        sessions=pl.DataFrame({"session_id": list(made), "topic_id": [s["topic"] for s in made.values()]}),
        judgments=pl.DataFrame(
            graded, schema={"judgment_key": pl.String, "doc_id": pl.String, "grade": pl.Float64}, orient="row"
        ),
    )
