"""ASL, ESL and SLRF: the reference's worked values, definitions restated, and all arrangements of tied results.

Rnorm, RankRecall and LogPrecision: the reference's worked values, and pairs of documents counted one by one.
"""

import math
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError
from tests.scoring.measures.drawn import OPTIONS, counted, recall_base, relevant, sessions, values, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")

FEW = settings(max_examples=examples(30), deadline=None)
B = written([1, 0, 1, 1, 0])
B4 = written([1, 0, 1, 1, 0], more=[1], size=20)


def test_average_search_length_of_the_reference():
    assert values(B, "ASL") == [pytest.approx((1 + 3 + 4) / 3)]
    # levels of 1, 3 and 1 results, each with one relevant document: its place is 1, (2 + 4) / 2 and 5
    tied = written([1, 0, 1, 0, 1], score=[3, 2, 2, 2, 1])
    assert values(tied, "ASL", "ASL(ties=none)") == [(1 + 3 + 5) / 3, (1 + 3 + 5) / 3]
    tied = written([1, 1, 0, 0, 1], score=[3, 2, 2, 2, 1])
    assert values(tied, "ASL", "ASL(ties=none)") == [(1 + 3 + 5) / 3, pytest.approx((1 + 2 + 5) / 3)]
    # R = 4, N = 20: the fourth is left out, at (5 + 1 + 20) / 2 = 13, or at rank 20
    asked = ["ASL", "ASL(unretrieved=mid)", "ASL(unretrieved=last)"]
    assert values(B4, *asked) == [pytest.approx(8 / 3), (8 + 13) / 4, (8 + 20) / 4]
    assert values(written([0, 0, None], more=[1]), "ASL") == [None]
    assert values(written([0, 0], more=[1], size=20), "ASL(unretrieved=last)") == [20.0]


def test_expected_search_length_of_the_reference():
    # van Rijsbergen's example: three not relevant above; three not relevant and two relevant tied; one still needed
    example = written([0, 0, 0, 0, 0, 0, 1, 1], score=[3, 3, 3, 2, 2, 2, 2, 2])
    assert values(example, "ESL(need=1)") == [3 + 3 * 1 / (2 + 1)]
    needs = [1, 2, 3]
    assert values(B, *(f"ESL(need={need})" for need in needs)) == [0.0, 1.0, 1.0]
    assert values(B, *(f"ESL(need={need},count=examined)" for need in needs)) == [1.0, 3.0, 4.0]
    # R = 4, N = 20: the rest is a level of 15 with one relevant document: 2 + 14 x 1 / 2; or it comes after all 16 others
    asked = ["ESL(need=4)", "ESL(need=4,unretrieved=mid)", "ESL(need=4,unretrieved=last)"]
    assert values(B4, *asked) == [None, 9.0, 16.0]
    assert values(B4, "ESL(need=5,unretrieved=mid)", "ESL(need=5,unretrieved=last)") == [None, None]


def test_reduction_of_the_reference():
    # R = 4, I = 16, two needed: 2 x 16 / 5 = 6.4 at random, 1 in B
    assert values(B4, "SLRF(need=2)") == [(6.4 - 1) / 6.4]
    assert values(B4, "SLRF(need=4)", "SLRF(need=4,unretrieved=mid)") == [None, pytest.approx((12.8 - 9) / 12.8)]
    # a single tied level is what chance does
    chance = written([1, 1, 1, 1, *[0] * 16], size=20, score=[1] * 20)
    assert values(chance, "SLRF(need=3)") == [0.0]


def levels_of(rows, length, ties):
    """Slots of the list in runs of tied results, as whether each is relevant."""
    slots = [(None, False)] * length
    for row in rows:
        slots[row["rank"] - 1] = (row, relevant(row))
    made, last = [], None
    for number, (row, good) in enumerate(slots):
        score = row["score"] if row else None
        tied = ties == "score" and last is not None and row is not None and score is not None and score == last["score"]
        if tied:
            start = last["slot"]
            made[-1] += [False] * (number - start - 1) + [good]
        elif row is None:
            continue
        else:
            made += [[False]] * (number - sum(map(len, made))) + [[good]]
        last = {"score": score, "slot": number}
    return made + [[False]] * (length - sum(map(len, made)))


@FEW
@given(
    session=sessions(),
    options=OPTIONS,
    ties=st.sampled_from(["score", "none"]),
    where=st.sampled_from(["retrieved", "mid", "last"]),
)
def test_average_search_length_restated(session, options, ties, where):
    found = values(session, sk.parse_measure(f"ASL(ties={ties},unretrieved={where})")(**options))
    base, size = recall_base(session), session["size"]
    for value, (rows, length) in zip(found, counted(session, options), strict=True):
        ranks, start = [], 0
        for level in levels_of(rows, length, ties):
            ranks += [Fraction(2 * start + len(level) + 1, 2)] * sum(level)
            start += len(level)
        left = base - len(ranks)
        if where == "mid":
            ranks += [Fraction(length + 1 + size, 2)] * left
        if where == "last":
            ranks += range(size - left + 1, size + 1)
        assert value == (pytest.approx(float(sum(ranks) / len(ranks))) if ranks else None)


@FEW
@given(session=sessions(), options=OPTIONS, need=st.integers(1, 4), ties=st.sampled_from(["score", "none"]))
def test_expected_search_length_is_the_mean_over_all_arrangements_of_ties(session, options, need, ties):
    measure = sk.parse_measure(f"ESL(need={need},ties={ties})")(**options)
    examined = sk.parse_measure(f"ESL(need={need},ties={ties},count=examined)")(**options)
    found = values(session, measure, examined)
    lists = counted(session, options)
    for value, more, (rows, length) in zip(found[::2], found[1::2], lists, strict=True):
        orders = [[]]
        for level in levels_of(rows, length, ties):
            orders = [order + list(tail) for order in orders for tail in sorted(set(permutations(level)))]
        lengths = []
        for order in orders:
            places = [place for place, good in enumerate(order, 1) if good]
            if len(places) >= need:
                lengths.append(places[need - 1] - need)
        expected = sum(lengths) / len(lengths) if lengths else None
        assert value == (None if expected is None else pytest.approx(expected))
        assert more == (None if expected is None else pytest.approx(expected + need))


@pytest.mark.slow
@FEW
@given(session=sessions(), need=st.integers(1, 5))
def test_the_rest_of_the_collection_is_a_level_of_its_own(session, need):
    """A list that shows the rest of the collection tied has the length of one that leaves it out."""
    listed, base = session["lists"][0], recall_base(session)
    rows, length = counted({**session, "lists": [listed]}, {"cutoff": None, "duplicates": "all", "unjudged": "zero"})[0]
    shown = {row["doc"] for row in rows}
    grades = [1] * (base - sum(map(relevant, rows)))
    rest = [*grades, *[0] * (session["size"] - length - len(grades))]
    tail = [{"rank": length + i, "doc": f"rest{i}", "score": -1.0} for i in range(1, len(rest) + 1)]
    judged = {doc: grade for doc, grade in session["judgments"].items() if doc in shown or grade < 1}
    judged |= {row["doc"]: grade for row, grade in zip(tail, rest, strict=True)}
    whole = {**session, "lists": [[*listed, *tail]], "judgments": judged}
    for name in (f"ESL(need={need}", "ASL(ties=score"):
        left = values({**session, "lists": [listed]}, f"{name},unretrieved=mid)")
        full = values(whole, f"{name})")
        assert left == [None if full[0] is None else pytest.approx(full[0])]


def test_an_undefined_length_is_not_the_best_one():
    with pytest.raises(MeasureError, match="ASL has no parameter 'undefined'"):
        sk.parse_measure("ASL(undefined=zero)")


UNRETRIEVED = st.sampled_from(["retrieved", "mid", "last"])
RANK_ORDER_B = [1, 0, 1, 1, 0]


def test_normalized_recall_of_the_reference():
    # 4 of the 3 x 2 pairs of the list are in the right order; of N = 100, 3 x 97 pairs, 2 are in the wrong one
    assert values(written(RANK_ORDER_B, size=5), "Rnorm") == [pytest.approx(4 / 6)]
    assert values(written(RANK_ORDER_B, size=100), "Rnorm") == [pytest.approx(1 - 2 / 291)]
    assert values(written(RANK_ORDER_B), "Rnorm(unretrieved=retrieved)") == [pytest.approx(4 / 6)]
    # R = 4, N = 20: ranks 1, 3, 4 and 20, or (5 + 1 + 20) / 2, less 1 + 2 + 3 + 4, over 4 x 16 pairs
    four = written(RANK_ORDER_B, more=[1], size=20)
    assert values(four, "Rnorm", "Rnorm(unretrieved=mid)") == [1 - (28 - 10) / 64, 1 - (21 - 10) / 64]
    assert values(written([1, 1, 1], size=3), "Rnorm") == [None]
    assert values(written([0, 0, 0], size=9), "Rnorm") == [None]


def test_relatives_of_the_reference():
    three = written(RANK_ORDER_B, size=20)
    assert values(three, "RankRecall", "LogPrecision") == [6 / 8, pytest.approx(math.log(6) / math.log(12))]
    assert values(written(RANK_ORDER_B), "RankRecall(unretrieved=retrieved)", "LogPrecision(unretrieved=retrieved)") == [
        6 / 8, pytest.approx(math.log(6) / math.log(12)),
    ]  # fmt: skip
    # the fourth at rank 20
    four = written(RANK_ORDER_B, more=[1], size=20)
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
    with pytest.raises(DataError, match=r"documents .*: .*collection_size = .*study.toml"):
        values(written(RANK_ORDER_B), measure)


def test_the_collection_must_hold_what_is_known():
    with pytest.raises(DataError, match=r"collection_size is 6, .* 5 .* 2 .*at least 7"):
        values(written(RANK_ORDER_B, more=[1, 1], size=6), "Rnorm")
