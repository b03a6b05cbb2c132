"""CubeTest, ACT and their bounds: worked values of a small topic, a plain restatement, and all orders of small topics."""

import itertools
import math

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])

# (document, subtopic): rating. Two subtopics; B covers both, C comes second for y, A second for x, E third for x.
TOPIC = {("B", "x"): 3, ("B", "y"): 4, ("C", "y"): 1, ("A", "x"): 3, ("E", "x"): 2}
RUN = [["B", "D", "C"], ["A", "B", "F", "E"], ["fill"], ["G", "A"]]


def study_of(lists, grades, **more):
    """One session on topic t with these lists, and the grades by document and subtopic."""
    rows = [(q, i, doc) for q, docs in enumerate(lists, 1) for i, doc in enumerate(docs, 1)]
    return sk.from_tables(
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        queries={"session_id": ["s"] * len(lists), "query_position": list(range(1, len(lists) + 1))},
        results={
            "session_id": ["s"] * len(rows),
            "query_position": [row[0] for row in rows],
            "rank": [row[1] for row in rows],
            "doc_id": [row[2] for row in rows],
        }
        | {name: [of[row[2]] for row in rows] for name, of in more.items()},
        judgments={
            "judgment_key": ["t"] * len(grades),
            "doc_id": [doc for doc, _ in grades],
            "subtopic_id": [subtopic for _, subtopic in grades],
            "grade": [float(grade) for grade in grades.values()],
        },
    )


def values(study, *measures):
    """Values of the one session."""
    return sk.score(study, list(measures), per="session").get_column("value").to_list()


def restated(lists, grades, gamma, height):
    """CT and ACT by a walk over the documents, as the track's scorer goes; the sums before dividing by the cube."""
    level, count, seen, total, average, shown = {}, {}, set(), 0.0, 0.0, 0
    for turn, docs in enumerate(lists, 1):
        for doc in docs:
            for (other, subtopic), grade in grades.items():
                if other == doc and doc not in seen and grade >= 1:
                    count[subtopic] = count.get(subtopic, 0) + 1
                    room = height - level.get(subtopic, 0.0)
                    add = min(room, grade * gamma ** count[subtopic])
                    level[subtopic] = level.get(subtopic, 0.0) + add
                    total += add
            seen.add(doc)
            shown += 1
            average += total / turn
    cube = height * len({subtopic for (_, subtopic), grade in grades.items() if grade >= 1})
    return (total / cube / len(lists), average / cube / shown if shown else 0.0) if cube else (None, None)


@quiet
def test_the_synthetic_topic():
    """The values of the track's own scorer (FORMULAS section 3); the ratings are those that its values leave possible.

    After B, D, C: x holds .5 x 3, y holds .5 x 4 + .25 x 1, together 3.75 = .375 x 2 subtopics x 5.
    """
    every, raw = study_of(RUN, TOPIC), study_of(RUN, {**TOPIC, ("C", "y"): 0})
    asked = [
        ("CubeTest", [0.375, 0.2375, 0.1583333333, 0.11875]),
        ("ACT", [0.3583333333, 0.2839285714, 0.2682291667, 0.2383333333]),
    ]
    for name, wanted in asked:
        assert values(every, *(f"{name}(queries={n})" for n in (1, 2, 3, 4))) == pytest.approx(wanted, abs=5e-11)
        # that scorer counts a rating of 0 as 1
        lifted = (f"{name}(like=trecdd2017,queries={n})" for n in (1, 2, 3, 4))
        assert values(raw, *lifted) == pytest.approx(wanted, abs=5e-11)


@quiet
def test_a_perfect_session_scores_exactly_1():
    for n in range(1, 5):
        # all there is in the first list, in the best order of both subtopics, and nothing after it
        assert values(study_of([["B", "A", "E", "C"], *[["x"]] * (n - 1)], TOPIC), "nCubeTest", "nACT") == [1.0, 1.0]
    # the scorer of the track gives a perfect first document one half, and 1.25 to a run shorter than its cutoff
    assert values(study_of([["a"]], {("a", "1"): 4}), "nCubeTest", "nACT") == [1.0, 1.0]
    assert values(study_of([["a"], []], {("a", "1"): 4}), "CubeTest", "nCubeTest") == [0.2, 1.0]


@quiet
def test_edges():
    assert values(study_of([["a"]], {("a", "1"): 0}), "CubeTest", "ACT", "nCubeTest", "nACT") == [None] * 4
    assert values(study_of([[]], {("a", "1"): 2}), "CubeTest", "ACT", "nCubeTest", "nACT") == [0.0] * 4
    # a document shown again adds nothing; the height is all that a subtopic holds
    assert values(study_of([["a"], ["a"]], {("a", "1"): 4}), "CubeTest") == [0.2]
    assert values(study_of([["a", "b"]], {("a", "1"): 9, ("b", "1"): 9}), "CubeTest", "nCubeTest") == [1.0, 1.0]
    plain = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.raises(DataError, match="subtopic_id"):
        sk.score(plain, ["CubeTest"], per="session")


DOCS, SUBTOPICS = list("abcd"), ["1", "2", "3"]
TOPICS = st.dictionaries(
    st.tuples(st.sampled_from(DOCS), st.sampled_from(SUBTOPICS)), st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=8
)
LISTS = st.lists(st.lists(st.sampled_from([*DOCS, "x"]), max_size=3, unique=True), min_size=1, max_size=3)


@quiet
@FEW
@given(lists=LISTS, grades=TOPICS, gamma=st.sampled_from([0.5, 0.3, 0.9]), height=st.sampled_from([1.5, 5]))
def test_restated_with_the_bound_by_all_orders(lists, grades, gamma, height):
    text = f"gamma={gamma},height={height}"
    found = values(study_of(lists, grades), *(f"{name}({text})" for name in ("CubeTest", "ACT", "nCubeTest", "nACT")))
    ct, act = restated(lists, grades, gamma, height)
    if ct is None:
        assert found == [None] * 4
        return
    assert found[:2] == pytest.approx([ct, act], abs=1e-12)
    # every order of the relevant documents in the places of the session, the rest filled up
    many = sum(len(docs) for docs in lists)
    relevant = sorted({doc for (doc, _), grade in grades.items() if grade >= 1})
    best, best_average = 0.0, 0.0
    for order in itertools.permutations(relevant, min(many, len(relevant))):
        rest = iter([*order, *(f"fill{n}" for n in range(many))])
        reached = restated([[next(rest) for _ in docs] for docs in lists], grades, gamma, height)
        best, best_average = max(best, reached[0]), max(best_average, reached[1])
    shares = [ct / best if best else 0.0, act / best_average if best_average else 0.0]
    covered = {doc: [s for (d, s), grade in grades.items() if d == doc and grade >= 1] for doc in relevant}
    full = any(
        sum(g * gamma**n for n, g in enumerate(sorted((g for (_, t), g in grades.items() if t == s), reverse=True), 1))
        >= height
        for s in SUBTOPICS
    )
    if full and any(len(subtopics) > 1 for subtopics in covered.values()):
        # the bound may lie above the best session, never below
        assert all(value <= share + 1e-12 for value, share in zip(found[2:], shares, strict=True))
    else:
        assert found[2:] == pytest.approx(shares, abs=1e-12)
        assert [value == 1.0 for value in found[2:]] == [math.isclose(share, 1, abs_tol=1e-13) for share in shares]


@pytest.mark.slow
@quiet
@FEW
@given(data=st.data())
def test_many_documents_never_exceed_the_bound(data):
    """Beyond the documents of which all orders are looked at, in random orders and the greedy one."""
    docs = [f"d{n}" for n in range(14)]
    grades = data.draw(
        st.dictionaries(
            st.tuples(st.sampled_from(docs), st.sampled_from(SUBTOPICS)),
            st.sampled_from([1, 2, 3]),
            min_size=20,
            max_size=42,
        )
    )
    left, order = set(docs), []
    while left:
        doc = max(sorted(left), key=lambda d: restated([[*order, d]], grades, 0.5, 5)[0])
        order.append(doc)
        left.remove(doc)
    shuffled = data.draw(st.permutations(docs))
    for shown in (order, shuffled):
        lists = [shown[:5], shown[5:9]]
        found = values(study_of(lists, grades), "nCubeTest", "nACT", "CubeTest", "ACT")
        assert all(0 <= value <= 1 for value in found)
    whole = values(study_of([order], grades), "nCubeTest")[0]
    assert whole <= 1.0


@quiet
@FEW
@given(grades=st.tuples(TOPICS, TOPICS), keys=st.lists(st.sampled_from(["t", "u", None]), min_size=1, max_size=3))
def test_queries_with_judgments_of_their_own(grades, keys):
    """Subtopics of all keys of a session's queries make its cube; a document is another one for another key."""
    judged = [(key, *row, float(grade)) for key, of in zip("tu", grades, strict=True) for row, grade in of.items()]
    study = sk.from_tables(
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        queries={
            "session_id": ["s"] * len(keys),
            "query_position": list(range(1, len(keys) + 1)),
            "judgment_key": pl.Series(keys, dtype=pl.String),
        },
        results={
            "session_id": ["s"] * 2 * len(keys),
            "query_position": [q for q in range(1, len(keys) + 1) for _ in range(2)],
            "rank": [1, 2] * len(keys),
            "doc_id": [DOCS[(q + i) % 4] for q in range(len(keys)) for i in range(2)],
        },
        judgments={
            name: [row[n] for row in judged]
            for n, name in enumerate(("judgment_key", "doc_id", "subtopic_id", "grade"))
        },
    )
    own = [key or "t" for key in keys]
    of_keys = {(f"{key}{doc}", f"{key}{s}"): g for key, doc, s, g in judged if key in own}
    lists = [[f"{own[q]}{DOCS[(q + i) % 4]}" for i in range(2)] for q in range(len(keys))]
    # a document gains the first time that it is shown, for whichever key
    seen = set()
    for docs in lists:
        for place, doc in enumerate(docs):
            docs[place] = f"again{len(seen)}" if doc[1:] in seen else doc
            seen.add(doc[1:])
    found = values(study, "CubeTest", "ACT", "nCubeTest", "nACT")
    ct, act = restated(lists, of_keys, 0.5, 5)
    if ct is None:
        assert found == [None] * 4
        return
    assert found[:2] == pytest.approx([ct, act], abs=1e-12)
    assert all(0 <= value <= 1 for value in found[2:])
