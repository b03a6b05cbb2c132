"""Terms of queries and what became of them: sets restated, and texts that mean harm."""

import itertools
import re
import unicodedata

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.measures.behavior import KINDS, compared, terms_of
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = st.lists(st.sampled_from(["a", "B", "c-d", "Ölpreis", "٣", "東京", "e\u0301"]), max_size=4).map(" ".join)


def terms(text):
    """The distinct terms of a text, restated."""
    plain = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return set(
        re.sub(r"[^\w]|_", " ", "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in kept)).split()
    )


def named(before, after):
    """The kind of step, restated with sets."""
    if before == after:
        return "repeat"
    if not before & after:
        return "new"
    if before < after:
        return "specialization"
    return "generalization" if after < before else "substitution"


@FEW
@given(st.lists(WORDS, min_size=2, max_size=6))
def test_restated(texts):
    frame = pl.DataFrame({"before": texts[:-1], "after": texts[1:]}).with_columns(terms_of(pl.all()))
    found = compared(frame["before"], frame["after"])
    for row, before, after in zip(found.rows(named=True), texts, texts[1:], strict=False):
        a, b = terms(before), terms(after)
        assert row == {
            "terms": len(b),
            "previous_terms": len(a),
            "shared": len(a & b),
            "overlap": len(a & b) / len(a | b) if a | b else 1.0,
            "kind": named(a, b),
        }
        assert row["kind"] in KINDS


@FEW
@given(st.text(max_size=30))
def test_terms_of_any_text(text):
    found = pl.select(terms_of(pl.lit(text, pl.String))).item().to_list()
    assert len(found) == len(set(found))
    assert all(term and term == term.lower() for term in found)
    assert not any(
        unicodedata.category(c)[0] in "CZ" and unicodedata.category(c) != "Cn" for term in found for c in term
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Jaguar\u202e speed\u200f", ["jaguar", "speed"]),
        ("a\x00b\x1b[31m\tc\r\nd", ["a", "b", "31m", "c", "d"]),
        ("ﬁsh", ["fish"]),
        ("'; DROP TABLE queries; --", ["drop", "table", "queries"]),
        ("<script>alert(1)</script>", ["script", "alert", "1"]),
        ("", []),
        (" \u00a0?!", []),
        (None, None),
    ],
)
def test_hostile_texts(text, wanted):
    found = pl.select(terms_of(pl.lit(text, pl.String))).item()
    assert (None if found is None else found.to_list()) == wanted


@pytest.mark.slow
@quiet
def test_texts_of_a_megabyte():
    long = "x" * 2**20
    study = sk.from_tables(
        queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3], "query_text": [long, long + " y", "z " * 2**19]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    found = sk.score(study, ["QueryTerms", "QueryOverlap"], per="session").get_column("value").to_list()
    assert found == [pytest.approx(4 / 3), 0.25]
    assert sk.reformulations(study, None)["reformulation"].to_list() == ["specialization", "new"]


@quiet
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.lists(st.tuples(st.none() | WORDS, st.sampled_from([True, True, False])), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_measures_of_sessions(sessions):
    rows = [(f"s{s}", q, *row) for s, queries in enumerate(sessions) for q, row in enumerate(queries, 1)]
    schema = {"session_id": pl.String, "query_position": pl.Int32, "query_text": pl.String, "results_status": pl.String}
    frame = [(s, q, text, "empty" if logged else "not_logged") for s, q, text, logged in rows]
    study = sk.from_tables(
        sessions={"session_id": [f"s{s}" for s in range(len(sessions))], "topic_id": ["t"] * len(sessions)},
        queries=pl.DataFrame(frame, schema=schema, orient="row"),
        results=pl.DataFrame(
            schema={"session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String}
        ),
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    # blank texts count as not given, as everywhere in a log
    given_texts = dict(
        zip(
            [tuple(row[:2]) for row in rows],
            study.queries.sort("session_id", "query_position").collect()["query_text"],
            strict=True,
        )
    )
    found = sk.score(study, ["QueryTerms", "QueryOverlap"], per="session").sort("session_id")
    for s, queries in enumerate(sessions):
        texts = [given_texts[f"s{s}", q] for q, _ in enumerate(queries, 1)]
        said = [terms(text) for text in texts if text is not None]
        steps = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in itertools.pairwise(said)]
        mine = found.filter(pl.col("session_id") == f"s{s}")["value"].to_list()
        assert mine[0] == (pytest.approx(sum(map(len, said)) / len(said)) if said else None)
        assert mine[1] == (pytest.approx(sum(steps) / len(steps)) if steps else None)
