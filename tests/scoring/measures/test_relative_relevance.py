"""RelevanceCosine and RelevanceJaccard: the reference's worked values, and the definitions restated."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from tests.scoring.measures.drawn import OPTIONS, counted, sessions, values, worth, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
SCORES = [0.9, 0.7, 0.5, 0.3]
ROWS = [
    {"rank": i, "doc": f"d{i}", "score": s, "user": u}
    for i, s, u in zip([1, 2, 3, 4], SCORES, [1, 0, 0.5, 0.5], strict=True)
]
GRADED = {"lists": [ROWS], "judgments": {}}
BOTH = ("RelevanceCosine", "RelevanceJaccard")


def test_comparisons_of_the_reference():
    asked = [f"{name}(grades=user)" for name in BOTH]
    assert values(GRADED, *asked) == [pytest.approx(1.3 / math.sqrt(1.64 * 1.5)), pytest.approx(1.3 / (2.4 + 2 - 1.3))]
    assert [round(value, 4) for value in values(GRADED, *asked)] == [0.8288, 0.4194]
    # the same of the judgments of a topic
    judged = written([1, 0, 0.5, 0.5], score=SCORES)
    assert values(judged, *BOTH) == values(GRADED, *asked)


def test_the_searcher_against_the_panel():
    """System .9, .7, .5, .3; searcher 1, 0, .5, .5; panel 1, .5, 0, .5: three cosines of the same list, in whatever order."""
    panel = {**GRADED, "judgments": {"d1": 1, "d2": 0.5, "d4": 0.5, "d3": 0}}
    asked = [
        "RelevanceCosine",
        "RelevanceCosine(grades=user)",
        "RelevanceCosine(scores=user)",
        "RelevanceJaccard(scores=user)",
    ]
    with_panel, with_searcher = 0.9 + 0.35 + 0.15, 0.9 + 0.25 + 0.15
    assert values(panel, *asked) == [
        pytest.approx(with_panel / math.sqrt(1.64 * 1.5)),
        pytest.approx(with_searcher / math.sqrt(1.64 * 1.5)),
        pytest.approx((1 + 0.25) / 1.5),  # 1 x 1 + 0 x .5 + .5 x 0 + .5 x .5, both vectors of length sqrt(1.5)
        pytest.approx(1.25 / (2 + 2 - 1.25)),
    ]
    # a result that the searcher did not grade is left out: 1 x 1 + .5 x .5, of 1.25 and 1.25
    rows = [{**row, "user": None} if row["rank"] == 2 else row for row in ROWS]
    assert values({**panel, "lists": [rows]}, asked[2]) == [pytest.approx(1.25 / math.sqrt(1.5 * 1.25))]
    with pytest.raises(sk.MeasureError, match="scores=user and grades=user are the same grades"):
        sk.parse_measure("RelevanceCosine(scores=user,grades=user)")


def test_order_and_units_do_not_matter():
    turned = {**GRADED, "lists": [[{**row, "rank": 5 - row["rank"]} for row in reversed(GRADED["lists"][0])]]}
    asked = [f"{name}(grades=user)" for name in BOTH]
    assert values(turned, *asked) == values(GRADED, *asked)
    plain = values(written([3, 1, 0, 2], score=SCORES), BOTH[0])
    for unit in (2.0**60, 2.0**-80, 2.0**400):
        assert values(written([3, 1, 0, 2], score=[unit * score for score in SCORES]), BOTH[0]) == plain
    assert values(written([1, 1], score=[-2.0, -2.0]), BOTH[0]) == [-1.0]


def test_nothing_to_compare_is_undefined():
    asked = [BOTH[0], "RelevanceJaccard(gain=binary)"]
    assert values(written([1, 2], score=[0.0, 0.0]), *asked) == [None, None]
    assert values(written([0, 0], score=[0.5, 1.0]), *asked) == [None, None]
    assert values(written([1, 2], score=[None, 1.0]), *asked) == [1.0, 1.0]
    assert values(written([None, None], score=[1.0, 1.0]), *asked) == [None, None]


def test_jaccard_compares_shares():
    with pytest.raises(DataError, match=r"between 0 and 1, but the scores have 12\.5; rescale the scores"):
        values(written([1], score=[12.5]), BOTH[1])
    with pytest.raises(DataError, match="between 0 and 1, but the gains have 3; use gain=binary"):
        values(written([3], score=[0.5]), BOTH[1])
    with pytest.raises(DataError, match="needs the column 'score' in the results"):
        values(written([3]), BOTH[0])


@settings(max_examples=examples(30), deadline=None)
@given(session=sessions(), options=OPTIONS, gain=st.sampled_from(["linear", "exp2", "binary"]))
def test_restated(session, options, gain):
    found = values(
        session, *(sk.parse_measure(text)(**options) for text in (f"{BOTH[0]}(gain={gain})", f"{BOTH[1]}(gain=binary)"))
    )
    lists = counted(session, options)
    for cosine, jaccard, (listed, _) in zip(found[::2], found[1::2], lists, strict=True):
        rows = [row for row in listed if row["score"] is not None]
        s, u = [row["score"] for row in rows], [worth(row, gain) for row in rows]
        norm = math.hypot(*s) * math.hypot(*u)
        assert cosine == (pytest.approx(sum(a * b for a, b in zip(s, u, strict=True)) / norm) if norm else None)
        b = [worth(row, "binary") for row in rows]
        both = sum(x * y for x, y in zip(s, b, strict=True))
        defined = sum(s) and sum(b)
        assert jaccard == (pytest.approx(both / (sum(s) + sum(b) - both)) if defined else None)
