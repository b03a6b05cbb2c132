"""Last against earlier queries: parts, both ways of averaging, agreement with scores per query."""

import polars as pl
import pytest

import sessionkit as sk

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def study():
    """Gains at rank 1: session a 1, 3, 2; session b 2, 0; session c 4 (one query). Recall base {4}, {3}, {2}, {1} of
    key t.
    """
    grades = {"a": [1, 3, 2], "b": [2, 0], "c": [4]}
    rows = [(s, q, 1, f"d{g}") for s, gains in grades.items() for q, g in enumerate(gains, 1)]
    return sk.from_tables(
        results=pl.DataFrame(
            rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"
        ).with_columns(topic_id=pl.lit("t")),
        judgments={"judgment_key": ["t"] * 5, "doc_id": ["d0", "d1", "d2", "d3", "d4"], "grade": [0, 1, 2, 3, 4]},
    )


def parts(table, rank=1):
    return {
        row[0]: row[1:] for row in table.filter(rank=rank).select("part", "value", "n_queries", "n_sessions").rows()
    }


def test_last_and_non_last_within_sessions(study):
    table = sk.breakdown(study, "DCG@2")
    counts = ["n_queries", "n_sessions", "single_query_sessions", "left_out_single_query", "left_out_undefined"]
    assert table.columns == ["system_id", "part", "rank", "value", *counts]
    # sessions of several queries: a last 2, others (1 + 3) / 2; b last 0, the other 2; c has one query
    assert parts(table) == {"last": ((2 + 0) / 2, 2, 2), "non-last": ((2 + 2) / 2, 3, 2)}
    assert parts(table, rank=2) == parts(table)
    assert set(table.select(counts[2:]).rows()) == {(0, 1, 0)}


def test_pooled_as_in_ecir_2008(study):
    table = sk.breakdown(study, "DCG@2", average="queries")
    # last: 2, 0, 4, of which one is a session's only query; others: 1, 3, 2
    assert parts(table) == {"last": (2, 3, 3), "non-last": (2, 3, 2)}
    assert dict(table.filter(rank=2).select("part", "single_query_sessions").rows()) == {"last": 1, "non-last": 0}
    assert set(table.select("left_out_single_query", "left_out_undefined").rows()) == {(0, 0)}


def test_the_two_ways_of_averaging_can_point_in_opposite_directions():
    # three sessions of one query that gain 4, one of two queries that gains 3, then 1
    grades = {"a": [4], "b": [4], "c": [4], "d": [3, 1]}
    rows = [(s, q, 1, f"d{g}", "t") for s, gains in grades.items() for q, g in enumerate(gains, 1)]
    columns = ["session_id", "query_position", "rank", "doc_id", "topic_id"]
    study = sk.from_tables(
        results=pl.DataFrame(rows, schema=columns, orient="row"),
        judgments={"judgment_key": ["t"] * 3, "doc_id": ["d1", "d3", "d4"], "grade": [1, 3, 4]},
    )
    within = parts(sk.breakdown(study, "CG@1"))
    assert within == {"last": (1, 1, 1), "non-last": (3, 1, 1)}  # 1 - 3 = -2, in the one session that has both
    pooled = parts(sk.breakdown(study, "CG@1", average="queries"))
    assert pooled == {"last": ((4 + 4 + 4 + 1) / 4, 4, 4), "non-last": (3, 1, 1)}  # 3.25 - 3 = +.25
    assert sk.breakdown(study, "CG@1").get_column("left_out_single_query").to_list() == [3, 3]


def test_a_session_counts_in_both_parts_or_in_neither():
    # nothing is judged for the second query of a; b has both; no list of c was logged; d has one query
    study = sk.from_tables(
        results={"session_id": list("aabbd"), "query_position": [1, 2, 1, 2, 1], "rank": [1] * 5, "doc_id": list("xyxyx")},
        queries={
            "session_id": list("aabbcd"), "query_position": [1, 2, 1, 2, 1, 1], "judgment_key": ["t", "u", *"tttt"],
            "results_status": ["shown"] * 4 + ["not_logged", "shown"],
        },
        sessions={"session_id": list("abcd"), "topic_id": ["t"] * 4},
        judgments={"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [1, 2]},
    )  # fmt: skip
    table = sk.breakdown(study, "CG@1")
    assert parts(table) == {"last": (2, 1, 1), "non-last": (1, 1, 1)}
    assert set(table.select("left_out_single_query", "left_out_undefined").rows()) == {(1, 2)}


def test_averaging_over_sessions_is_another_number(study):
    by_sessions = sk.breakdown(study, "sDCG(bq=2)@1")
    # query discounts 1, 1/2, 1/(1 + log2 3): a others (1 + 1.5) / 2, b 2
    assert parts(by_sessions)["non-last"] == (pytest.approx((1.25 + 2) / 2), 3, 2)
    by_queries = sk.breakdown(study, "sDCG(bq=2)@1", average="queries")
    assert parts(by_queries)["non-last"] == (pytest.approx((1 + 1.5 + 2) / 3), 3, 2)


def test_one_query_sessions_can_be_left_out_of_pooled_queries(study):
    assert parts(sk.breakdown(study, "DCG@1", average="queries", where="queries >= 2"))["last"] == (1, 2, 2)


def test_other_parts(study):
    for average in ("sessions", "queries"):
        table = sk.breakdown(study, "DCG@1", parts="position", average=average)
        assert parts(table) == {"1": (pytest.approx(7 / 3), 3, 3), "2": (1.5, 2, 2), "3": (2, 1, 1)}
        assert table.get_column("single_query_sessions").to_list() == [1, 0, 0]
    # first: a 1, b 2; later: a (3 + 2) / 2, b 0
    assert parts(sk.breakdown(study, "DCG@1", parts="first")) == {"first": (1.5, 2, 2), "later": (1.25, 3, 2)}
    assert parts(sk.breakdown(study, "DCG@1", parts="first", average="queries")) == {
        "first": (pytest.approx(7 / 3), 3, 3),
        "later": (pytest.approx(5 / 3), 3, 2),
    }
    # best: a 3, b 2, c 4; rest: a 1 and 2, b 0
    assert parts(sk.breakdown(study, "DCG@1", parts="best")) == {"best": (2.5, 2, 2), "rest": (0.75, 3, 2)}
    pooled = sk.breakdown(study, "DCG@1", parts="best", average="queries")
    assert parts(pooled) == {"best": (3, 3, 3), "rest": (1, 3, 2)}


def test_normalized_by_rank(study):
    # ideal at rank 1 is 4; at rank 2, 4 + 3 / log2(3)
    table = sk.breakdown(study, "nDCG@2", parts="first", average="queries")
    assert parts(table)["first"][0] == pytest.approx((1 + 2 + 4) / 3 / 4)
    assert parts(table, rank=2)["first"][0] == pytest.approx((1 + 2 + 4) / 3 / (4 + 3 / 1.584962500721156))


@pytest.mark.parametrize("measure", ["DCG@2", "nDCG(gain=exp2)@2", "CG@1", "nCG@2"])
def test_the_value_at_the_cutoff_is_the_mean_of_the_scores(study, measure):
    scores = sk.score(study, measure, per="query")
    last = scores.sort("query_position").group_by("session_id").agg(pl.col("value").last()).get_column("value").mean()
    cutoff = sk.parse_measure(measure).cutoff
    pooled = sk.breakdown(study, measure, average="queries")
    assert parts(pooled, rank=cutoff)["last"][0] == pytest.approx(last, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "options", "says"),
    [
        ("nsDCG@10", {}, "nsDCG(normalize=query)@10"),
        ("mean(nDCG@10)", {}, "measure inside"),
        ("DCG", {}, "needs a cutoff"),
        ("DCG@1", {"parts": "lst"}, "did you mean 'last'"),
        ("DCG@1", {"by": "sistem"}, "by=sistem"),
        ("DCG@1", {"average": "users"}, "sessions or queries"),
    ],
)
def test_what_is_wrong_is_said(study, measure, options, says):
    with pytest.raises(sk.UsageError) as error:
        sk.breakdown(study, measure, **options)
    assert says in str(error.value)
