"""Rnorm, RankRecall and LogPrecision: the reference's worked values, and pairs of documents counted one by one."""

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from tests.scoring.measures.drawn import OPTIONS, counted, recall_base, relevant, sessions, values, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(30), deadline=None)
UNRETRIEVED = st.sampled_from(["retrieved", "mid", "last"])
B = [1, 0, 1, 1, 0]


def test_normalized_recall_of_the_reference():
    # 4 of the 3 x 2 pairs of the list are in the right order; of N = 100, 3 x 97 pairs, 2 are in the wrong one
    assert values(written(B, size=5), "Rnorm") == [pytest.approx(4 / 6)]
    assert values(written(B, size=100), "Rnorm") == [pytest.approx(1 - 2 / 291)]
    assert values(written(B), "Rnorm(unretrieved=retrieved)") == [pytest.approx(4 / 6)]
    # R = 4, N = 20: ranks 1, 3, 4 and 20, or (5 + 1 + 20) / 2, less 1 + 2 + 3 + 4, over 4 x 16 pairs
    four = written(B, more=[1], size=20)
    assert values(four, "Rnorm", "Rnorm(unretrieved=mid)") == [1 - (28 - 10) / 64, 1 - (21 - 10) / 64]
    assert values(written([1, 1, 1], size=3), "Rnorm") == [None]
    assert values(written([0, 0, 0], size=9), "Rnorm") == [None]


def test_relatives_of_the_reference():
    three = written(B, size=20)
    assert values(three, "RankRecall", "LogPrecision") == [6 / 8, pytest.approx(math.log(6) / math.log(12))]
    assert values(written(B), "RankRecall(unretrieved=retrieved)", "LogPrecision(unretrieved=retrieved)") == [
        6 / 8, pytest.approx(math.log(6) / math.log(12)),
    ]  # fmt: skip
    # the fourth at rank 20
    four = written(B, more=[1], size=20)
    assert values(four, "RankRecall", "LogPrecision") == [10 / 28, pytest.approx(math.log(24) / math.log(12 * 20))]
    # a single relevant document: ln 1 / ln r says nothing
    assert values(written([1, 0], size=9), "LogPrecision", "RankRecall") == [None, 1.0]
    # the best order is 1, not a bit more
    assert values(written([1] * 7, size=7), "LogPrecision") == [1.0]
    assert values(written([1] * 3, more=[1] * 4, size=7), "LogPrecision") == [1.0]


@FEW
@given(session=sessions(), options=OPTIONS, ties=st.sampled_from(["score", "none"]), where=UNRETRIEVED)
def test_normalized_recall_is_the_share_of_pairs_in_the_right_order(session, options, ties, where):
    found = values(session, sk.parse_measure(f"Rnorm(ties={ties},unretrieved={where})")(**options))
    for value, (rows, length) in zip(found, counted(session, options), strict=True):
        # every document with its place, the same for documents that are tied
        place, good, other = 0, [], []
        before = None
        for row in rows:
            tied = (
                ties == "score" and before is not None and row["score"] is not None and row["score"] == before["score"]
            )
            slots = row["rank"] - (before["rank"] if before else 0) - 1
            place += 0 if tied else slots + 1
            # slots of unknown content are documents too, of the run where they stand
            other += [place] * slots if tied else [place - slots + i for i in range(slots)]
            (good if relevant(row) else other).append(place)
            before = row
        other += [place + 1] * (length - (before["rank"] if before else 0))
        left = 0
        if where != "retrieved":
            left = recall_base(session) - len(good)
            rest = session["size"] - length - left
            good += [1001 if where == "last" else 1000] * left
            other += [1000] * rest
        right = sum((g < o) + (g == o) / 2 for g, o in product(good, other))
        pairs = len(good) * len(other)
        assert value == (pytest.approx(right / pairs) if pairs else None)


@FEW
@given(session=sessions(), options=OPTIONS, where=UNRETRIEVED)
def test_relatives_restated(session, options, where):
    texts = [f"{name}(unretrieved={where})" for name in ("RankRecall", "LogPrecision")]
    found = values(session, *(sk.parse_measure(text)(**options) for text in texts))
    size = session["size"]
    for recall, precision, (rows, length) in zip(found[::2], found[1::2], counted(session, options), strict=True):
        ranks = [row["rank"] for row in rows if relevant(row)]
        left = 0 if where == "retrieved" else recall_base(session) - len(ranks)
        ranks += [(length + 1 + size) / 2] * left if where == "mid" else range(size - left + 1, size + 1)
        best = range(1, len(ranks) + 1)
        assert recall == (pytest.approx(sum(best) / sum(ranks)) if ranks else None)
        logs = [sum(map(math.log, of)) for of in (best, ranks)]
        assert precision == (pytest.approx(logs[0] / logs[1]) if len(ranks) > 1 else None)


@pytest.mark.parametrize(
    "measure", ["Rnorm", "RankRecall(unretrieved=mid)", "LogPrecision", "ASL(unretrieved=last)", "SLRF"]
)
def test_the_collection_must_be_declared(measure):
    with pytest.raises(
        DataError, match=r"needs the number of documents in the collection: say collection_size = .*study.toml"
    ):
        values(written(B), measure)


def test_the_collection_must_hold_what_is_known():
    with pytest.raises(
        DataError, match=r"collection_size is 6, but a list of 5 ranks lacks 2 relevant documents.*at least 7"
    ):
        values(written(B, more=[1, 1], size=6), "Rnorm")
