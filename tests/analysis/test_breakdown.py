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


def test_last_and_non_last(study):
    table = sk.breakdown(study, "DCG@2")
    assert table.columns == ["group", "part", "rank", "value", "n_queries", "n_sessions"]
    # last: 2, 0, 4; others: 1, 3, 2
    assert parts(table) == {"last": (2, 3, 3), "non-last": (2, 3, 2)}
    assert parts(table, rank=2) == parts(table)


def test_averaging_over_sessions_is_another_number(study):
    # others by session: a (1 + 3) / 2 = 2, b 2
    by_sessions = sk.breakdown(study, "sDCG(bq=2)@1", average="sessions")
    # query discounts 1, 1/2, 1/(1 + log2 3): a others (1 + 1.5) / 2, b 2
    assert parts(by_sessions)["non-last"] == (pytest.approx((1.25 + 2) / 2), 3, 2)
    by_queries = sk.breakdown(study, "sDCG(bq=2)@1")
    assert parts(by_queries)["non-last"] == (pytest.approx((1 + 1.5 + 2) / 3), 3, 2)


def test_one_query_sessions_can_be_left_out(study):
    assert parts(sk.breakdown(study, "DCG@1", min_queries=2))["last"] == (1, 2, 2)


def test_other_parts(study):
    assert parts(sk.breakdown(study, "DCG@1", by="position")) == {
        "1": (pytest.approx(7 / 3), 3, 3),
        "2": (1.5, 2, 2),
        "3": (2, 1, 1),
    }
    assert parts(sk.breakdown(study, "DCG@1", by="first")) == {
        "first": (pytest.approx(7 / 3), 3, 3),
        "later": (pytest.approx(5 / 3), 3, 2),
    }
    # best: a 3, b 2, c 4; rest: 1, 2, 0
    assert parts(sk.breakdown(study, "DCG@1", by="best")) == {"best": (3, 3, 3), "rest": (1, 3, 2)}


def test_normalised_by_rank(study):
    # ideal at rank 1 is 4; at rank 2, 4 + 3 / log2(3)
    table = sk.breakdown(study, "nDCG@2", by="first")
    assert parts(table)["first"][0] == pytest.approx((1 + 2 + 4) / 3 / 4)
    assert parts(table, rank=2)["first"][0] == pytest.approx((1 + 2 + 4) / 3 / (4 + 3 / 1.584962500721156))


@pytest.mark.parametrize("measure", ["DCG@2", "nDCG(gain=exp2)@2", "CG@1", "nCG@2"])
def test_the_value_at_the_cutoff_is_the_mean_of_the_scores(study, measure):
    scores = sk.score(study, measure, per="query")
    last = scores.sort("query_position").group_by("session_id").agg(pl.col("value").last()).get_column("value").mean()
    cutoff = sk.parse_measure(measure).cutoff
    assert parts(sk.breakdown(study, measure), rank=cutoff)["last"][0] == pytest.approx(last, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "options", "says"),
    [
        ("nsDCG@10", {}, "nsDCG(normalize=query)@10"),
        ("mean(nDCG@10)", {}, "measure inside"),
        ("DCG", {}, "needs a cutoff"),
        ("DCG@1", {"by": "lst"}, "did you mean 'last'"),
        ("DCG@1", {"group": "sistem"}, "group=sistem"),
        ("DCG@1", {"average": "users"}, "queries, sessions"),
    ],
)
def test_what_is_wrong_is_said(study, measure, options, says):
    with pytest.raises(sk.UsageError) as error:
        sk.breakdown(study, measure, **options)
    assert says in str(error.value)
