"""Gain vectors and their ideals."""

import math

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import MeasureError, UsageError
from sessionkit.sessions.gain_vectors import gain_vectors
from tests.support.clinic import read_clinic

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")


@pytest.fixture
def study():
    """Two systems; topic t has grades 2, 1, topic u grade 3; v has none judged. The last list of s2 is of v."""
    return sk.from_tables(
        results={
            "session_id": ["s1", "s1", "s1", "s2", "s3"],
            "query_position": [1, 1, 2, 1, 1],
            "rank": [1, 2, 1, 1, 1],
            "doc_id": ["n", "b", "a", "c", "z"],
        },
        sessions={"session_id": ["s1", "s2", "s3"], "system_id": ["A", "B", "B"], "topic_id": ["t", "u", "v"]},
        judgments={
            "judgment_key": ["t", "t", "t", "u"],
            "doc_id": ["a", "b", "n", "c"],
            "grade": [2, 1, 0, 3],
        },
    )


def rows(study, measure, **options):
    """Group, rank, value, ideal, queries."""
    return gain_vectors(study, measure, **options).drop("n_sessions", "below_ideal", "share_below").rows()


def test_means_over_all_queries_and_their_ideals(study):
    # A: lists <0, 1> and <2>: cumulated 0, 1, 1 and 2, 2, 2; the ideal of t is 2, 3, 3. B: <3>, 3, 3, 3; v is not judged
    assert rows(study, "CG@3") == [
        ("A", 1, 1.0, 2.0, 2),
        ("A", 2, 1.5, 3.0, 2),
        ("A", 3, 1.5, 3.0, 2),
        ("B", 1, 3.0, 3.0, 1),
        ("B", 2, 3.0, 3.0, 1),
        ("B", 3, 3.0, 3.0, 1),
    ]
    # one curve: A's two queries and B's one
    assert rows(study, "CG@1", by=None) == [(1, 5 / 3, 7 / 3, 3)]
    assert rows(study, "CG@1", where="topic_id = 'u'") == [("B", 1, 3.0, 3.0, 1)]
    assert rows(study, "CG@1", where="queries >= 2") == [("A", 1, 1.0, 2.0, 2)]


def test_how_far_below_the_ideal_they_lie(study):
    """2 - 1 and 3 - 1.5 of A, half of the ideal each; B is at its ideal; of a normalized measure the ideal is 1."""
    below = gain_vectors(study, "CG@3").select("system_id", "rank", "below_ideal", "share_below").rows()
    assert below[:3] == [("A", 1, 1.0, 0.5), ("A", 2, 1.5, 0.5), ("A", 3, 1.5, 0.5)]
    assert below[3:] == [("B", rank, 0.0, 0.0) for rank in (1, 2, 3)]
    shares = gain_vectors(study, "nCG@3").select("value", "below_ideal", "share_below")
    assert all(least == share == pytest.approx(1 - value) for value, least, share in shares.rows())


def test_gains_and_discounts_are_those_of_the_measure(study):
    # 2^2 - 1 = 3 and 2^1 - 1 = 1 over log2(2), log2(3)
    ideal = [3, 3 + 1 / math.log2(3)]
    found = gain_vectors(study, "DCG(gain=exp2)@2", where="topic_id = 't'")
    assert found["ideal"].to_list() == [pytest.approx(value) for value in ideal]
    assert found["value"].to_list() == [pytest.approx(1.5), pytest.approx((1 / math.log2(3) + 3) / 2)]


def test_a_normalized_measure_has_an_ideal_of_one(study):
    found = gain_vectors(study, "nCG@2")
    assert set(found["ideal"]) == {1.0}
    assert found["value"].to_list() == [0.5, pytest.approx((1 / 3 + 2 / 3) / 2), 1.0, 1.0]


def test_the_average_vector_is_divided_by_the_average_ideal(study):
    """A: lists <0, 1> and <2> of an ideal <2, 1> each. With B, CG is 0, 1; 2, 2; 3, 3 of the ideals 2, 3; 2, 3; 3, 3."""
    for measure in ("CG@2", "nCG@2"):
        found = gain_vectors(study, measure, by=None, normalize="averages")
        assert found["value"].to_list() == pytest.approx([5 / 7, 6 / 9], abs=1e-15)  # sums of gains over sums of ideals
        assert found.select("ideal", "below_ideal").rows() == [(1.0, pytest.approx(2 / 7)), (1.0, pytest.approx(1 / 3))]
        each = gain_vectors(study, measure, by=None, normalize="each")
        assert each["value"].to_list() == pytest.approx([(0 + 1 + 1) / 3, (1 / 3 + 2 / 3 + 1) / 3], abs=1e-15)
        assert gain_vectors(study, measure, by=None, normalize="none").equals(gain_vectors(study, "CG@2", by=None))
    assert gain_vectors(study, "nCG@2").equals(gain_vectors(study, "nCG@2", normalize="each"))
    assert gain_vectors(study, "CG@2", normalize="each").equals(gain_vectors(study, "nCG@2"))


@pytest.mark.parametrize(
    "measure", ["CG", "DCG(discount=jk2002)", "nDCG(gain=exp2)", "nCG(gain=0-1-10-100,undefined=zero)"]
)
def test_normalized_vectors_are_those_of_the_papers_functions(measure):
    """`norm_vect` of two `avg_vect`, of the vectors of all queries by themselves (Research Notes 2002-2, equations 3 and 5)."""
    clinic, ranks = read_clinic(), (1, 2, 5, 20)
    gain = measure.removeprefix("n")
    scores = sk.score(clinic, [f"{gain}@{rank}" for rank in ranks], per="query").drop_nulls("value")
    ideals = gain_vectors(clinic, f"{gain}@20", by="topic_id").filter(pl.col("rank").is_in(ranks))
    ideals = dict(ideals.group_by("topic_id", maintain_order=True).agg("ideal").rows())
    averages = gain_vectors(clinic, f"{measure}@20", normalize="averages").filter(pl.col("rank").is_in(ranks))
    for system in ("S1", "S2"):
        lists = scores.filter(system_id=system).group_by(
            "session_id", "query_position", "topic_id", maintain_order=True
        )
        queries = lists.agg("value")
        average = sk.avg_vect(queries["value"].to_list())
        ideal = sk.avg_vect([ideals[topic] for topic in queries["topic_id"]])
        own = averages.filter(system_id=system)
        assert own["value"].to_list() == pytest.approx(sk.norm_vect(average, ideal).tolist(), abs=1e-12)
        assert set(own["n_queries"]) == {len(queries)}


def test_what_normalize_refuses(study):
    with pytest.raises(UsageError, match=r"none, each, averages, .* mean 'averages'"):
        gain_vectors(study, "CG@2", normalize="average")
    with pytest.raises(UsageError, match=r"averages .* have no bands"):
        gain_vectors(study, "CG@2", normalize="averages", bands=True)
    with pytest.raises(MeasureError, match="boosts the ranks 2 to b-1"):
        gain_vectors(study, "DCG(discount=rn2002,b=10)@20", normalize="averages")


def test_the_mean_is_that_of_scores_per_query(study):
    scores = sk.score(study, "DCG@2", per="query").group_by("system_id").agg(pl.col("value").mean()).sort("system_id")
    ends = gain_vectors(study, "DCG@2").filter(pl.col("rank") == 2)
    assert ends["value"].to_list() == [pytest.approx(value) for value in scores["value"]]


@pytest.mark.parametrize("measure", ["P@5", "sDCG@5", "mean(nDCG@5)", "nDCG"])
def test_what_has_no_vector_is_refused(study, measure):
    with pytest.raises(MeasureError, match="cutoff"):
        gain_vectors(study, measure)


def test_what_there_is_not_is_refused(study):
    with pytest.raises(UsageError, match="no such column"):
        gain_vectors(study, "CG@2", "nothing")
