"""Coverage, novelty, relative recall and recall effort: the reference's worked values, and the definitions restated.

RHL: the reference's worked values, and the median of grouped data restated.

RelevanceCosine and RelevanceJaccard: the reference's worked values, and the definitions restated.

Sliding ratio, satisfaction, frustration and their total: the reference's worked values, and the definitions restated.
"""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError
from tests.scoring.measures.drawn import OPTIONS, counted, relevant, sessions, study_of, values, worth, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")

EVERY = ["Coverage", "Novelty", "RelativeRecall", "RecallEffort", "RecallEffort(answer=examined)"]


def reference():
    """U = 8, A = 20, Rk = 4, Ru = 6: the other four known relevant documents are in the second list."""
    first = [(1, True)] * 4 + [(1, False)] * 6 + [(0, False)] * 10
    lists = [first, [(1, True)] * 4]
    rows = [
        [{"rank": i, "doc": f"d{q}.{i}", "known": known} for i, (_, known) in enumerate(listed, 1)]
        for q, listed in enumerate(lists)
    ]
    grades = {f"d{q}.{i}": grade for q, listed in enumerate(lists) for i, (grade, _) in enumerate(listed, 1)}
    return {"lists": rows, "judgments": grades, "expected": 8}


def test_values_of_the_reference():
    # 4/8, 6/10, 10/8, 8/20; the eighth relevant document stands at rank 8
    assert values(reference(), *EVERY)[:5] == [0.5, 0.6, 1.25, 0.4, 1.0]


@pytest.mark.parametrize("table", ["sessions", "queries"])
def test_how_many_were_known_can_be_declared(table):
    """The slides: U = 4 known to the searcher, |Rk| = 2 of them shown: 2/4; what the session shows cannot tell the other two."""
    lists = {
        "session_id": list("sss"),
        "query_position": [1, 1, 2],
        "rank": [1, 2, 1],
        "doc_id": list("aba"),
        "known": [True] * 3,
    }
    tables = {
        "sessions": {"session_id": ["s"], "topic_id": ["t"]},
        "queries": {"session_id": ["s", "s"], "query_position": [1, 2]},
    }
    tables[table]["knew"] = [4] if table == "sessions" else [4, None]
    judgments = {"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 1]}
    study = sk.from_tables(lists, judgments=judgments, **tables)
    asked = ["Coverage", "Coverage(known=knew)", "Coverage(known=4)", "Coverage(known=1)"]
    found = sk.score(study, asked, per="query").pivot(on="measure", index="query_position", values="value")
    # of two known documents that the session shows no fewer than two can have been known
    second = 0.25 if table == "sessions" else None
    assert found.rows() == [(1, 1.0, 0.5, 0.5, 1.0), (2, 0.5, second, 0.25, 0.5)]
    with pytest.raises(DataError, match=r"column new, .*queries .*sessions; .*none"):
        sk.score(study, "Coverage(known=new)", per="query")
    with pytest.raises(sk.MeasureError, match=r"known .* shown, .* at least 1, .*column"):
        sk.parse_measure("Coverage(known=0)")


def test_zero_denominators_are_undefined():
    nothing = {**written([0, 1], known=[True, None]), "expected": 0}
    assert values(nothing, *EVERY) == [None] * 5
    assert values({**nothing, "expected": None}, *EVERY)[2:] == [None, None, None]
    empty = {**reference(), "lists": [[]]}
    assert values(empty, *EVERY) == [None, None, 0.0, None, None]
    assert values({**reference(), "judgments": {}}, *EVERY)[:5] == [None] * 5


def test_what_is_known_holds_for_the_whole_session():
    rows = [[{"rank": 1, "doc": "a", "known": False}], [{"rank": 3, "doc": "a", "known": True}]]
    session = {"lists": rows, "judgments": {"a": 1}}
    # known in the second list, at a rank that does not count
    assert values(session, "Coverage@2", "Novelty@2") == [1.0, 0.0, 0.0, None]


def test_columns_that_are_needed():
    with pytest.raises(DataError, match="column 'known' in the results"):
        values(written([1]), "Coverage")
    with pytest.raises(DataError, match="column 'expected' in the sessions"):
        values(written([1]), "RecallEffort")
    with pytest.raises(DataError, match=r"expected is -1\.0; .*number"):
        values({**written([1]), "expected": -1}, "RelativeRecall")


def over(part, whole):
    """A quotient, None where there is none."""
    return part / whole if whole and part is not None else None


@settings(max_examples=examples(40), deadline=None)
@given(session=sessions(), options=OPTIONS)
def test_restated(session, options):
    found = values(session, *(sk.parse_measure(text)(**options) for text in EVERY))
    said = {}
    for row in (row for listed in session["lists"] for row in listed):
        if row["known"] is not None:
            said[row["doc"]] = said.get(row["doc"], False) or row["known"]
    known = {doc for doc, told in said.items() if told and session["judgments"].get(doc, 0) >= 1}
    expected = session["expected"]
    for number, (rows, length) in enumerate(counted(session, options)):
        good = [row for row in rows if relevant(row)]
        old = sum(row["doc"] in known for row in good)
        new = sum(said.get(row["doc"]) is False for row in good)
        wanted = None
        if expected is not None:
            wanted = next((row["rank"] for nth, row in enumerate(good, 1) if nth >= expected), None)
        restated = [
            over(old, len(known)), over(new, old + new), over(len(good), expected), over(expected or None, length),
            over(expected or None, wanted),
        ]  # fmt: skip
        if not session["judgments"]:
            restated = [None] * 5
        assert found[5 * number : 5 * number + 5] == [
            None if value is None else pytest.approx(value) for value in restated
        ]


def test_contributions_add_up():
    for text in EVERY[:3]:
        table = sk.explain(study_of(reference()), text).filter(query_position=1)
        assert table.get_column("contribution").sum() == pytest.approx(values(reference(), text)[0])


def test_half_life_of_the_reference():
    both = ["RHL", "RHL(limit=real)"]
    # n = 16, the median class is rank 3: 2 + (8 - 5) / 3
    assert values(written([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]), *both) == [3.0, 3.5]
    # n = 3, rank 3: 2 + (1.5 - 1) / 1
    assert values(written([1, 0, 1, 1, 0]), *both) == [2.5, 3.0]
    # a single relevant document: (1 / 2 - 0) / 1
    assert values(written([1]), *both) == [0.5, 1.0]
    # n = 6, rank 4 with 2: 3 + (3 - 1) / 2
    assert values(written([0, 1, 0, 2, 3]), *both) == [4.0, 4.5]
    # cut at 3, n = 8 and the median class is rank 2: 1 + (4 - 3) / 2
    assert values(written([3, 2, 3, 0, 0, 1, 2, 2, 3, 0]), "RHL@3") == [1.5]
    assert values(written([0, None], more=[3]), "RHL") == [None]


def test_half_of_the_gain_is_reached_exactly():
    """Gains 0.3 at rank 1 and 0.1, 0.2 at ranks 3 and 4: half of 0.6 is reached at rank 1, 0 + 0.3 / 0.3."""
    gain = "gain=0-0.1-0.2-0.3"
    assert values(written([3, 0, 1, 2]), f"RHL({gain})") == [pytest.approx(1.0)]
    assert values(written([1, 2, 0, 3]), f"RHL({gain})") == [pytest.approx(2.0)]


@settings(max_examples=examples(30), deadline=None)
@given(session=sessions(), options=OPTIONS, gain=st.sampled_from(["linear", "exp2", "binary"]))
def test_half_life_restated(session, options, gain):
    found = values(session, sk.parse_measure(f"RHL(gain={gain})")(**options))
    for value, (rows, _) in zip(found, counted(session, options), strict=True):
        # the point where half of the gain is reached if each rank's is spread evenly over the unit below it
        whole = sum(Fraction(worth(row, gain)) for row in rows)
        reached, expected = Fraction(0), None
        for row in rows:
            own = Fraction(worth(row, gain))
            if own and reached < whole / 2 <= reached + own:
                expected = row["rank"] - 1 + (whole / 2 - reached) / own
            reached += own
        assert value == (None if expected is None else pytest.approx(float(expected)))


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
    with pytest.raises(sk.MeasureError, match="scores=user and grades=user"):
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
    with pytest.raises(DataError, match=r"between 0 and 1, .*scores have 12\.5;"):
        values(written([1], score=[12.5]), BOTH[1])
    with pytest.raises(DataError, match=r"0 and 1, .*gains have 3; .*gain=binary"):
        values(written([3], score=[0.5]), BOTH[1])
    with pytest.raises(DataError, match="column 'score' in the results"):
        values(written([3]), BOTH[0])


@settings(max_examples=examples(30), deadline=None)
@given(session=sessions(), options=OPTIONS, gain=st.sampled_from(["linear", "exp2", "binary"]))
def test_relative_relevance_restated(session, options, gain):
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


FEW = settings(max_examples=examples(30), deadline=None)
L = written([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], more=[1, 1, 1])
RANKS = range(1, 11)


def rounded(session, name):
    return [round(value, 4) for value in values(session, *(f"{name}@{rank}" for rank in RANKS))]


def test_ratios_of_the_reference():
    # 3/3, 5/6, 8/9, 8/11, 8/13, 9/15, 11/16, 13/16, 16/16, 16/16
    assert rounded(L, "SlidingRatio") == [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.8125, 1, 1]
    assert round(sum(values(L, *(f"SlidingRatio@{rank}" for rank in RANKS))) / 10, 4) == 0.8165
    # a list of which only the first five are shown has an easier ideal
    first = {**L, "lists": [L["lists"][0][:5]]}
    assert rounded(first, "SlidingRatio")[:5] == [1, 0.8333, 1, 1, 1]
    # with the best documents of the topic, nCG: 13 / (3 x 3 + 3 x 2 + 2 x 1) at 8
    assert values(L, "nCG@8") == [pytest.approx(13 / 17)]
    # Keen's request, with the ideal of Giuliano & Jones: five relevant documents at ranks 1, 2, 4, 6 and 13
    keen = written([1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1])
    assert rounded(keen, "nCG")[:7] == [1, 1, 0.6667, 0.75, 0.6, 0.8, 0.8]
    assert values(keen, "nCG@12", "nCG@13") == [0.8, 1.0]


@pytest.mark.slow
def test_satisfaction_and_frustration_of_the_reference():
    satisfied = rounded(L, "Satisfaction(threshold=2)")
    assert satisfied == [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.5333, 0.6667, 0.8, 1, 1]
    # below 2 by 2, 2, 1 and 2 at ranks 4, 5, 6 and 10: the worst order has 2, 4, 6, 7
    assert rounded(L, "Frustration(threshold=2)") == [0, 0, 0, 0.2857, 0.5714, 0.7143, 0.7143, 0.7143, 0.7143, 1]
    assert rounded(L, "SFT(threshold=2)")[4] == 0.5220
    assert rounded(L, "SFT(threshold=2)")[6] == 0.4762
    assert values(L, "SFT(threshold=2,lambda=0)@5", "SFT(threshold=2,lambda=1)@5") == [
        pytest.approx(1 - 4 / 7), pytest.approx(8 / 13),
    ]  # fmt: skip


def test_nothing_over_nothing_is_undefined():
    good, bad = written([3, 2]), written([0, 1], more=[2])
    assert values(good, *(f"{name}(threshold=2)@1" for name in ("Satisfaction", "Frustration", "SFT"))) == [
        1.0,
        None,
        None,
    ]
    assert values(bad, *(f"{name}(threshold=2)@1" for name in ("Satisfaction", "Frustration", "SFT"))) == [
        None,
        1.0,
        None,
    ]
    assert values({**good, "lists": [[]]}, "SlidingRatio@1", "Frustration@1") == [None, None]


def test_a_whole_list_is_in_no_better_order_than_itself():
    # without a cutoff both lists hold the same documents: S = 1, F = 1, T = (1 + 0) / 2
    assert values(L, "SlidingRatio", "Satisfaction", "Frustration", "SFT") == [1.0, 1.0, 1.0, 0.5]


def test_a_weight_is_a_share():
    with pytest.raises(MeasureError, match=r"lambda .*between 0 and 1, .*included, .* 2"):
        sk.parse_measure("SFT(lambda=2)@10")


def ratio(values_in_order, cutoff, ranks):
    """What stands down to the cutoff over the largest values of all."""
    best = sum(sorted(values_in_order, reverse=True)[:cutoff])
    there = sum(value for value, rank in zip(values_in_order, ranks, strict=True) if rank <= cutoff)
    return there / best if best > 0 else None


@FEW
@given(
    session=sessions(),
    options=OPTIONS,
    cutoff=st.integers(1, 5),
    threshold=st.sampled_from([0.5, 2, 3]),
    weight=st.sampled_from([0.25, 0.5]),
)
def test_sliding_ratio_restated(session, options, cutoff, threshold, weight):
    options = {**options, "cutoff": None}  # the whole list counts, whatever the cutoff
    own = {"duplicates": options["duplicates"], "unjudged": options["unjudged"], "cutoff": cutoff}
    texts = ["SlidingRatio", *(f"{name}(threshold={threshold})" for name in ("Satisfaction", "Frustration"))]
    texts.append(f"SFT(threshold={threshold},lambda={weight})")
    found = values(session, *(sk.parse_measure(f"{text}@1")(**own) for text in texts))
    lists = counted(session, options)
    assert len(found) == 4 * len(lists)
    for number, (rows, _) in enumerate(lists):
        ranks, gains = [row["rank"] for row in rows], [worth(row) for row in rows]
        expected = [None] * 4
        if session["judgments"]:
            satisfied = ratio([gain * (gain >= threshold) for gain in gains], cutoff, ranks)
            frustrated = ratio([max(0, threshold - gain) for gain in gains], cutoff, ranks)
            total = None
            if satisfied is not None and frustrated is not None:
                total = weight * satisfied + (1 - weight) * (1 - frustrated)
            expected = [ratio(gains, cutoff, ranks), satisfied, frustrated, total]
        assert found[4 * number : 4 * number + 4] == [
            None if value is None else pytest.approx(value) for value in expected
        ]


def test_sliding_ratio_contributions_add_up():
    for text in ("SlidingRatio@7", "Satisfaction(threshold=2)@7", "Frustration(threshold=2)@7"):
        table = sk.explain(study_of(L), text)
        assert table.get_column("contribution").sum() == pytest.approx(values(L, text)[0])
