"""Where a measure has no value, its own words say so: the reason in its warning fits what happened, for the whole registry."""

import inspect
from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring.measures.grammar import example_of
from sessionkit.scoring.measures.registry import MEASURES
from tests.support.score_way import score_way

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
NINE = "2026-01-05T09:00:0{}Z"
SHOWN = {
    "session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String, "clicked": pl.Boolean,
    "clicked_at": pl.String, "dwell_seconds": pl.Float64, "saved": pl.Boolean, "known": pl.Boolean, "words": pl.Int32,
    "score": pl.Float64,
}  # fmt: skip
PHRASES = {
    "nothing is judged": ("no judgments", "no subtopic", "no nugget", "no instance"),
    "nothing is relevant": (
        "nothing relevant", "nothing or everything relevant", "fewer relevant", "two relevant", "a relevant document",
        "no nugget", "no instance", "that gains", "a gain above 0", "reaches the threshold", "one side of the threshold",
    ),
    "nothing was expected": ("no relevant documents expected",),
    "nothing was done": (
        "clicked", "timed click", "nothing saved", "no times", "with a text", "that was known", "new or known",
    ),
    "nothing was logged": ("",),
}  # fmt: skip
"""What of a reason says that a session, or query, has no value because of this."""


def study_of(kind):
    """Two queries with one document each, clicked, saved and known, and two relevant documents; but for what its kind says."""
    status = "not_logged" if kind == "nothing was logged" else "shown"
    done, grade = kind != "nothing was done", 0.0 if kind == "nothing is relevant" else 2.0
    rows = [
        ("s", query, 1, doc, done, NINE.format(5) if done else None, 3.0 if done else None, done, done or None, 90, 0.5)
        for query, doc in ((1, "a"), (2, "b"))
    ]
    return sk.from_tables(
        sessions={
            "session_id": ["s"],
            "topic_id": ["u" if kind == "nothing is judged" else "t"],
            "expected": [0.0 if kind == "nothing was expected" else 1.0],
        },
        queries={
            "session_id": ["s", "s"],
            "query_position": [1, 2],
            "results_status": [status] * 2,
            "query_text": pl.Series(["one", "two"] if done else [None] * 2, dtype=pl.String),
            "issued_at": pl.Series([NINE.format(1), NINE.format(2)] if done else [None] * 2, dtype=pl.String),
        },
        results=pl.DataFrame(rows if status == "shown" else [], schema=SHOWN, orient="row"),
        judgments={
            "judgment_key": ["t"] * 4,
            "doc_id": list("abcx"),
            "subtopic_id": ["1"] * 4,
            "grade": [grade] * 3 + [0.0],
        },
        max_grade=3,
        collection_size=100,
    )


@cache
def values_of(kind):
    """The values of every measure, at its level."""
    study, values = study_of(kind), {}
    for level in ("query", "session"):
        asked = [measure for measure in map(example_of, MEASURES.values()) if measure.level == level]
        for measure, value in sk.score(study, asked, **score_way(level)).select("measure", "value").iter_rows():
            values.setdefault(measure, []).append(value)
    return values


@pytest.mark.slow
@pytest.mark.parametrize("kind", PHRASES)
def test_a_reason_is_given_where_it_holds_and_only_there(kind):
    scored = values_of(kind), values_of("as it should be")
    for measure in map(example_of, MEASURES.values()):
        values = [found.get(str(measure), []) for found in scored]
        if kind == "nothing was logged" and measure.level == "query":
            assert values[0] == []
            continue
        if kind == "nothing was logged" and measure.every_query:  # its queries count; only what clicks tell is missing
            assert values[0] != []
            assert None not in values[0] or "click" in measure.undefined_where
            continue
        missing = None in values[0] and None not in values[1]
        told = any(phrase in measure.undefined_where for phrase in PHRASES[kind])
        if None in values[1]:  # a measure that has no value of so small a log, such as SFT of lists on one side of it
            assert measure.undefined_where, measure
            continue
        assert missing == told, (measure, values[0], measure.undefined_where)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_documents_say_where_there_is_no_value(measure):
    """In the words of the measure or of those that it is one of, or of the one that it refers to."""
    told = "".join(inspect.getdoc(kind) or "" for kind in type(measure).__mro__)
    assert "null" in told.lower() or "therwise as" in told or "edges as" in told, measure
