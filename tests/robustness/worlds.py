"""Small random studies with unjudged results, and every way in which these could turn out.

All ways are put into one study: a copy of all sessions for each, under judgment keys of its own.
"""

import warnings
from itertools import product

import polars as pl
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataWarning

POOLED = -2.0
GRADES = (0.0, 1.0, 2.0)
TOPICS = ("t1", "t2")


@st.composite
def logs(draw, *, keys_per_query=False):
    """Sessions as lists of lists of documents, judgments by topic, and the pairs that nobody judged (at most four)."""
    judgments, open_docs = {}, {}
    for topic in TOPICS:
        judged = draw(
            st.dictionaries(st.sampled_from(["j1", "j2", "j3"]), st.sampled_from([-1.0, *GRADES]), max_size=3)
        )
        open_docs[topic] = draw(st.lists(st.sampled_from(["u1", "u2"]), unique=True, max_size=2))
        pooled = [doc for doc in open_docs[topic] if draw(st.booleans())] if draw(st.booleans()) else []
        judgments[topic] = judged | dict.fromkeys(pooled, POOLED)
    made = []
    for number in range(draw(st.integers(1, 3))):
        topic = draw(st.sampled_from(TOPICS))
        queries = []
        for _ in range(draw(st.integers(1, 3))):
            key = draw(st.sampled_from(TOPICS)) if keys_per_query else topic
            known = [doc for doc, grade in judgments[key].items() if grade != POOLED]
            documents = [*known, *open_docs[key]]
            shown = draw(st.lists(st.sampled_from(documents), max_size=4)) if documents else []
            queries.append((key, shown))
        made.append({"id": f"s{number}", "topic": topic, "system": "AB"[number % 2], "queries": queries})
    shown = {(key, doc) for session in made for key, docs in session["queries"] for doc in docs}
    open_pairs = sorted(
        {
            (t, doc)
            for t, docs in open_docs.items()
            for doc in docs
            if (t, doc) in shown or judgments[t].get(doc) == POOLED
        }
    )
    return made, judgments, open_pairs


def study_of(copies, *, keys_per_query=False):
    """A study of some copies: (mark, sessions, judgments)."""
    sessions = [
        (f"{s['id']}{mark}", f"{s['topic']}{mark}", f"{s['system']}{mark}") for mark, made, _ in copies for s in made
    ]
    queries = [
        (f"{s['id']}{mark}", position, "shown" if docs else "empty", f"{key}{mark}")
        for mark, made, _ in copies
        for s in made
        for position, (key, docs) in enumerate(s["queries"], 1)
    ]
    results = [
        (f"{s['id']}{mark}", position, rank, doc)
        for mark, made, _ in copies
        for s in made
        for position, (_, docs) in enumerate(s["queries"], 1)
        for rank, doc in enumerate(docs, 1)
    ]
    judged = [
        (f"{topic}{mark}", doc, grade)
        for mark, _, given in copies
        for topic, docs in given.items()
        for doc, grade in docs.items()
    ]
    text, whole = pl.String, pl.Int32
    frames = {
        "sessions": pl.DataFrame(
            sessions, {"session_id": text, "topic_id": text, "system_id": text}, orient="row"
        ).with_columns(expected=2.0),
        "queries": pl.DataFrame(
            queries,
            {"session_id": text, "query_position": whole, "results_status": text, "judgment_key": text},
            orient="row",
        ),
        "results": pl.DataFrame(
            results, {"session_id": text, "query_position": whole, "rank": whole, "doc_id": text}, orient="row"
        ),
        "judgments": pl.DataFrame(judged, {"judgment_key": text, "doc_id": text, "grade": pl.Float64}, orient="row"),
    }
    if not keys_per_query:
        frames["queries"] = frames["queries"].drop("judgment_key")
    with warnings.catch_warnings():  # of tables without rows, and documents twice in a list
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(**frames, max_grade=2, unjudged_grades=(POOLED,))


def outcomes(made, judgments, open_pairs):
    """A copy for every way in which the open pairs could turn out; they may stay as they are."""
    copies = []
    for number, grades in enumerate(product((None, *GRADES), repeat=len(open_pairs))):
        given = {topic: dict(docs) for topic, docs in judgments.items()}
        for (topic, doc), grade in zip(open_pairs, grades, strict=True):
            if grade is not None:
                given[topic][doc] = grade
        copies.append((f"#{number}", made, given))
    return copies
