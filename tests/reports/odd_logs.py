"""A study in which every name could do harm, or does not end."""

import warnings

import polars as pl

import sessionkit as sk
from sessionkit.errors import DataWarning

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    '"};window.hacked=1//',
    "datum.x",
    "{{7*7}} ${window.hacked=1}",
    '{"signal": "window.hacked=1"}',
    "<img src=x onerror=window.hacked=1>",
    "<!--<script>",
    "\u202eesrever \u05e9\u05dc\u05d5\u05dd",
    "line\u2028end",
    "bell\x00\x07\ufffe",
    "]]>&amp;&lt;</style></title>",
    "x" * 2000,
)
MORE = (
    "javascript:window.hacked=1",
    '"\' onfocus=window.hacked=1 autofocus="',
    "\u2067\u200f\u05d0\u05d1 12:34\u2069 \u200eleft",
    "__proto__",
    "datum['x'] + alert(1)",
    '=HYPERLINK("javascript:window.hacked=1")',
    "y" * 30_000,
    "z " * 15_000,
)
ENDLESS = "w" * 1_000_000
"""A document and a query: what is in every part of the page is shorter, since statistics take their time over it."""


def odd():
    """Return the study: two systems of such names, as many searchers, topics, sessions, queries, documents and columns."""
    names = [name.strip() for name in (*HOSTILE, *MORE)]
    documents = [*names, ENDLESS]
    many = range(len(names))
    sessions = [f"{name}{number % 7}" for number, name in enumerate(names)]
    own = {name[:60]: [number % 3 for number in many] for name in (HOSTILE[0], HOSTILE[5], HOSTILE[7], MORE[1])}
    known = {"session_id": sessions, "user_id": names, "system_id": [(MORE[0], names[-2])[number % 2] for number in many],
             "topic_id": [names[number // 2 * 2] for number in many]}  # fmt: skip
    places = [(number, query, rank) for number in many for query in (1, 2) for rank in (1, 2, 3)]
    results = {
        "session_id": [sessions[number] for number, _, _ in places],
        "query_position": [query for _, query, _ in places],
        "rank": [rank for _, _, rank in places],
        "doc_id": [documents[(number + 3 * query + rank) % len(documents)] for number, query, rank in places],
        "clicked": [(number + query + rank) % 3 == 0 for number, query, rank in places],
    }
    queries = pl.DataFrame(results).unique(["session_id", "query_position"], keep="first", maintain_order=True)
    texts = [documents[(5 * number + query) % len(documents)] for number in many for query in (1, 2)]
    topics = sorted(set(known["topic_id"]))
    judged = [(topic, doc) for topic in topics for doc in documents[::2]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(
            results,
            {"judgment_key": [topic for topic, _ in judged], "doc_id": [doc for _, doc in judged],
             "grade": [number % 3 for number in range(len(judged))]},
            sessions={**known, **own},
            queries={"session_id": queries["session_id"], "query_position": queries["query_position"], "query_text": texts},
            title=f"{HOSTILE[0]} {HOSTILE[7]} {MORE[-2]}",
            synthetic=True,
        )  # fmt: skip
