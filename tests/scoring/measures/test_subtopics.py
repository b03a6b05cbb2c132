"""EU and nEU: worked values of a small topic, a plain restatement, and the bound by all orders of small topics.

Instance recall and precision: the reference's worked values, and sets restated.

CubeTest, ACT and their bounds: worked values of a small topic, a plain restatement, and all orders of small topics.
"""

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

RUN = [["B", "D", "C"], ["A", "B", "F", "E"], ["fill"], ["G", "A"]]
# nuggets by document: (subtopic, passage): rating
TOPIC = {
    "B": {("x", "b1"): 3, ("y", "b2"): 4},
    "C": {("y", "c1"): 1},
    "A": {("x", "a1"): 3},
    "E": {("x", "e1"): 2},
}
WORDS = {"B": 100, "D": 300, "C": 200, "A": 40, "F": 50, "E": 80, "fill": None, "G": 80}


def study_of(lists, nuggets, words, *, passages=True):
    """One session on topic t with these lists, the nuggets by document, the lengths of documents."""
    rows = [(q, i, doc) for q, docs in enumerate(lists, 1) for i, doc in enumerate(docs, 1)]
    judged = [(doc, *nugget, float(rating)) for doc, of in nuggets.items() for nugget, rating in of.items()]
    return sk.from_tables(
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        queries={"session_id": ["s"] * len(lists), "query_position": list(range(1, len(lists) + 1))},
        results={
            "session_id": ["s"] * len(rows),
            "query_position": [row[0] for row in rows],
            "rank": [row[1] for row in rows],
            "doc_id": [row[2] for row in rows],
            "words": [words.get(row[2]) for row in rows],
        },
        judgments={
            "judgment_key": ["t"] * len(judged),
            "doc_id": [row[0] for row in judged],
            "subtopic_id": [row[1] for row in judged],
            "grade": [row[3] for row in judged],
        }
        | ({"passage_id": [row[2] for row in judged]} if passages else {}),
    )


def values(study, *measures):
    """Values of the one session."""
    return sk.score(study, list(measures), per="session").get_column("value").to_list()


def restated(lists, nuggets, words, *, p, gamma, cost):
    """Gain and cost from the chance to stop after each result, as the paper has it, the rest on the last one."""
    expected, spent, seen = {}, 0.0, set()
    for docs in lists:
        fresh = [doc not in seen and not seen.add(doc) for doc in docs]
        stops = [p**s * (1 - p) for s in range(len(docs))]
        if docs:
            stops[-1] = 1 - sum(stops[:-1])
        for s, chance in enumerate(stops):
            for doc, new in zip(docs[: s + 1], fresh, strict=False):
                spent += chance * (words.get(doc) or 0)
                for nugget in nuggets.get(doc, {}) if new else ():
                    expected[nugget] = expected.get(nugget, 0.0) + chance
    rating = {}
    for of in nuggets.values():
        for nugget, value in of.items():
            rating[nugget] = max(rating.get(nugget, 0), value)
    gained = sum(rating[n] * (1 - gamma**e) / (1 - gamma) for n, e in expected.items() if rating[n] >= 1)
    return gained, cost * spent


@quiet
def test_the_synthetic_topic():
    """The values of the track's own scorer (FORMULAS section 3); its lengths are not told, these are some that fit.

    B, D, C: 7 + 2 x (1 - .5^.25) for C's nugget, less .001 x (100 + .5 x 300 + .25 x 200) words.
    """
    study = study_of(RUN, TOPIC, WORDS)
    wanted = [7.0182071695, 10.2376909967, 10.2376909967, 10.1376909967]
    assert values(study, *(f"EU(queries={n})" for n in (1, 2, 3, 4))) == pytest.approx(wanted, abs=5e-11)
    # a rating of 0 counts as 1 there
    raw = study_of(RUN, {**TOPIC, "C": {("y", "c1"): 0}}, WORDS)
    assert values(raw, *(f"EU(like=trecdd2017,queries={n})" for n in (1, 2, 3, 4))) == pytest.approx(wanted, abs=5e-11)
    # without passages what a document says on a subtopic is one nugget: the same here, where each has one
    bare = study_of(RUN, TOPIC, WORDS, passages=False)
    assert values(bare, "EU(queries=2)") == pytest.approx(wanted[1:2], abs=5e-11)


@quiet
def test_perfect_sessions_and_edges():
    best = [["B", "A", "E", "C"]]
    assert values(study_of(best, TOPIC, {}), "nEU") == [1.0]
    assert values(study_of(best, TOPIC, {"B": 10, "A": 20, "E": 20, "C": 30}), "nEU") == [1.0]
    assert values(study_of([["B"], ["A"]], TOPIC, dict.fromkeys("BA", 50)), "nEU") == [1.0]
    assert values(study_of([["x", "y"]], TOPIC, {"x": 90, "y": 10}), "nEU") == [0.0]
    assert values(study_of([[]], TOPIC, {}), "EU", "nEU") == [0.0, 0.0]
    assert values(study_of([["a"]], {"a": {("1", "p"): 0}}, {}), "EU", "nEU") == [None, None]
    # the only thing that this session does is cost
    assert values(study_of([["x"]], TOPIC, {"x": 700}), "EU") == pytest.approx([-0.7])


@quiet
def test_lengths_are_needed_unless_they_cost_nothing():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "subtopic_id": ["1"], "grade": [3]},
    )
    with pytest.raises(DataError, match="words"):
        sk.score(study, ["EU"], per="session")
    assert values(study, "EU(cost=0)", "nEU(cost=0)") == [3.0, 1.0]


DOCS = list("abcd")
NUGGETS = [("1", "p"), ("1", "q"), ("2", "p"), ("2", "r")]
TOPICS = st.dictionaries(
    st.sampled_from(DOCS),
    st.dictionaries(st.sampled_from(NUGGETS), st.sampled_from([0, 1, 2, 3]), min_size=1),
    min_size=1,
)
LISTS = st.lists(st.lists(st.sampled_from([*DOCS, "x"]), max_size=3, unique=True), min_size=1, max_size=3)
LENGTHS = st.dictionaries(st.sampled_from([*DOCS, "x"]), st.sampled_from([0, 50, 400]))


@quiet
@FEW
@given(
    lists=LISTS,
    nuggets=TOPICS,
    words=LENGTHS,
    shared=st.booleans(),
    model=st.tuples(st.sampled_from([0.5, 0.8]), st.sampled_from([0.5, 0.2])),
)
def test_restated_with_the_bound_by_all_orders(lists, nuggets, words, shared, model):
    p, gamma = model
    if not shared:
        nuggets = {doc: {(s, f"{doc}{passage}"): r for (s, passage), r in of.items()} for doc, of in nuggets.items()}
    found = values(study_of(lists, nuggets, words), f"EU(p={p},gamma={gamma})", f"nEU(p={p},gamma={gamma})")
    rating = {}
    for of in nuggets.values():
        for nugget, value in of.items():
            rating[nugget] = max(rating.get(nugget, 0), value)
    if not any(value >= 1 for value in rating.values()):
        assert found == [None, None]
        return
    gained, spent = restated(lists, nuggets, words, p=p, gamma=gamma, cost=0.001)
    assert found[0] == pytest.approx(gained - spent, abs=1e-12)

    best = best_anywhere(lists, nuggets, p, gamma)
    chances = sorted((p**i for shown in lists for i in range(len(shown))), reverse=True)
    lengths = sorted(words.get(doc) or 0 for shown in lists for doc in shown)
    least = 0.001 * sum(c * w for c, w in zip(chances, lengths, strict=True))
    most = 0.001 * sum(c * w for c, w in zip(chances, reversed(lengths), strict=True))
    span = best - least + most
    share = (gained - spent + most) / span if span else 0.0
    assert 0 <= found[1] <= 1
    if shared:
        assert found[1] <= share + 1e-12
    else:
        assert found[1] == pytest.approx(share, abs=1e-12)


def best_anywhere(lists, nuggets, p, gamma):
    """The most that the documents can gain in any places of these lists."""
    slots = [(q, i) for q, shown in enumerate(lists) for i in range(len(shown))]
    best = 0.0
    for chosen in itertools.permutations(slots, min(len(slots), len(nuggets))):
        for docs in itertools.combinations(nuggets, len(chosen)):
            placed = [[f"fill{q}{i}" for i in range(len(shown))] for q, shown in enumerate(lists)]
            for (q, i), doc in zip(chosen, docs, strict=True):
                placed[q][i] = doc
            best = max(best, restated(placed, nuggets, {}, p=p, gamma=gamma, cost=0)[0])
    return best


def study_of_instances(lists, grades):
    """One session whose lists are pairs of document and whether it was saved; grades by document and instance."""
    rows = [(q, i, *row) for q, docs in enumerate(lists, 1) for i, row in enumerate(docs, 1)]
    return sk.from_tables(
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        queries={"session_id": ["s"] * len(lists), "query_position": list(range(1, len(lists) + 1))},
        results={
            "session_id": ["s"] * len(rows),
            **{name: [row[n] for row in rows] for n, name in enumerate(("query_position", "rank", "doc_id", "saved"))},
        },
        judgments={
            "judgment_key": ["t"] * len(grades),
            "doc_id": [doc for doc, _ in grades],
            "subtopic_id": [instance for _, instance in grades],
            "grade": [float(grade) for grade in grades.values()],
        },
    )


def both(study, options=""):
    """Recall and precision of the one session."""
    found = sk.score(study, [f"InstanceRecall{options}", f"InstancePrecision{options}"], per="session")
    return found.get_column("value").to_list()


# documents {1,2}, {2}, {3}, {}, {4} of 6 instances; the others are in documents that nobody saw
WORKED = {
    ("a", "1"): 1,
    ("a", "2"): 1,
    ("b", "2"): 1,
    ("c", "3"): 1,
    ("d", "1"): 0,
    ("e", "4"): 1,
    ("y", "5"): 1,
    ("z", "6"): 1,
}


@quiet
def test_worked_values():
    """CLASSIC section 3: all five saved, 4 of 6 and 4 of 5; the first and the third, 3 of 6 and 2 of 2."""
    assert both(study_of_instances([[(doc, True) for doc in "abcde"]], WORKED)) == [pytest.approx(4 / 6), 0.8]
    assert both(study_of_instances([[(doc, doc in "ac") for doc in "abcde"]], WORKED)) == [0.5, 1.0]
    # in two lists, and saved twice: the same
    assert both(study_of_instances([[("a", True), ("b", False)], [("c", True), ("a", True)]], WORKED)) == [0.5, 1.0]


@quiet
def test_edges():
    assert both(study_of_instances([[("a", False)]], WORKED)) == [0.0, None]
    assert both(study_of_instances([[]], WORKED)) == [0.0, None]
    assert both(study_of_instances([[("d", True)]], {("d", "1"): 0})) == [None, None]
    assert both(study_of_instances([[("x", True), ("a", True)]], WORKED), "@1") == [0.0, 0.0]
    with pytest.raises(DataError, match="saved"):
        sk.score(
            sk.from_tables(
                results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
                judgments={"judgment_key": ["t"], "doc_id": ["a"], "subtopic_id": ["1"], "grade": [1]},
            ),
            ["InstanceRecall"],
            per="session",
        )


INSTANCES_DOCS = list("abcd")


@quiet
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    lists=st.lists(
        st.lists(st.tuples(st.sampled_from([*INSTANCES_DOCS, "x"]), st.sampled_from([True, False, None])), max_size=4),
        min_size=1,
        max_size=3,
    ),
    grades=st.dictionaries(
        st.tuples(st.sampled_from(INSTANCES_DOCS), st.sampled_from("123")), st.sampled_from([0, 1, 2]), min_size=1
    ),
    lowest=st.sampled_from([1, 2]),
)
def test_restated(lists, grades, lowest):
    found = both(study_of_instances(lists, grades), f"(min_grade={lowest})")
    instances = {instance for (_, instance), grade in grades.items() if grade >= lowest}
    saved = {doc for docs in lists for doc, kept in docs if kept}
    covered = {instance for (doc, instance), grade in grades.items() if doc in saved and grade >= lowest}
    useful = {doc for (doc, _), grade in grades.items() if doc in saved and grade >= lowest}
    recall = len(covered) / len(instances) if instances else None
    precision = len(useful) / len(saved) if instances and saved else None
    assert found == [recall, precision]


# (document, subtopic): rating. Two subtopics; B covers both, C comes second for y, A second for x, E third for x.
SUBTOPIC_TOPIC = {("B", "x"): 3, ("B", "y"): 4, ("C", "y"): 1, ("A", "x"): 3, ("E", "x"): 2}


def study_of_subtopics(lists, grades, **more):
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


def subtopic_restated(lists, grades, gamma, height):
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
def test_subtopic_synthetic_topic():
    """The values of the track's own scorer (FORMULAS section 3); the ratings are those that its values leave possible.

    After B, D, C: x holds .5 x 3, y holds .5 x 4 + .25 x 1, together 3.75 = .375 x 2 subtopics x 5.
    """
    every, raw = study_of_subtopics(RUN, SUBTOPIC_TOPIC), study_of_subtopics(RUN, {**SUBTOPIC_TOPIC, ("C", "y"): 0})
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
        assert values(
            study_of_subtopics([["B", "A", "E", "C"], *[["x"]] * (n - 1)], SUBTOPIC_TOPIC), "nCubeTest", "nACT"
        ) == [1.0, 1.0]
    # the scorer of the track gives a perfect first document one half, and 1.25 to a run shorter than its cutoff
    assert values(study_of_subtopics([["a"]], {("a", "1"): 4}), "nCubeTest", "nACT") == [1.0, 1.0]
    assert values(study_of_subtopics([["a"], []], {("a", "1"): 4}), "CubeTest", "nCubeTest") == [0.2, 1.0]


@quiet
def test_subtopic_edges():
    assert values(study_of_subtopics([["a"]], {("a", "1"): 0}), "CubeTest", "ACT", "nCubeTest", "nACT") == [None] * 4
    assert values(study_of_subtopics([[]], {("a", "1"): 2}), "CubeTest", "ACT", "nCubeTest", "nACT") == [0.0] * 4
    # a document shown again adds nothing; the height is all that a subtopic holds
    assert values(study_of_subtopics([["a"], ["a"]], {("a", "1"): 4}), "CubeTest") == [0.2]
    assert values(study_of_subtopics([["a", "b"]], {("a", "1"): 9, ("b", "1"): 9}), "CubeTest", "nCubeTest") == [
        1.0,
        1.0,
    ]
    plain = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.raises(DataError, match="subtopic_id"):
        sk.score(plain, ["CubeTest"], per="session")


SUBTOPIC_DOCS, SUBTOPICS = list("abcd"), ["1", "2", "3"]
SUBTOPIC_TOPICS = st.dictionaries(
    st.tuples(st.sampled_from(SUBTOPIC_DOCS), st.sampled_from(SUBTOPICS)),
    st.sampled_from([0, 1, 2, 3]),
    min_size=1,
    max_size=8,
)


@quiet
@FEW
@given(lists=LISTS, grades=SUBTOPIC_TOPICS, gamma=st.sampled_from([0.5, 0.3, 0.9]), height=st.sampled_from([1.5, 5]))
def test_subtopic_restated_with_the_bound_by_all_orders(lists, grades, gamma, height):
    text = f"gamma={gamma},height={height}"
    found = values(
        study_of_subtopics(lists, grades), *(f"{name}({text})" for name in ("CubeTest", "ACT", "nCubeTest", "nACT"))
    )
    ct, act = subtopic_restated(lists, grades, gamma, height)
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
        reached = subtopic_restated([[next(rest) for _ in docs] for docs in lists], grades, gamma, height)
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
        doc = max(sorted(left), key=lambda d: subtopic_restated([[*order, d]], grades, 0.5, 5)[0])
        order.append(doc)
        left.remove(doc)
    shuffled = data.draw(st.permutations(docs))
    for shown in (order, shuffled):
        lists = [shown[:5], shown[5:9]]
        found = values(study_of_subtopics(lists, grades), "nCubeTest", "nACT", "CubeTest", "ACT")
        assert all(0 <= value <= 1 for value in found)
    whole = values(study_of_subtopics([order], grades), "nCubeTest")[0]
    assert whole <= 1.0


@quiet
@FEW
@given(
    grades=st.tuples(SUBTOPIC_TOPICS, SUBTOPIC_TOPICS),
    keys=st.lists(st.sampled_from(["t", "u", None]), min_size=1, max_size=3),
)
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
            "doc_id": [SUBTOPIC_DOCS[(q + i) % 4] for q in range(len(keys)) for i in range(2)],
        },
        judgments={
            name: [row[n] for row in judged]
            for n, name in enumerate(("judgment_key", "doc_id", "subtopic_id", "grade"))
        },
    )
    own = [key or "t" for key in keys]
    of_keys = {(f"{key}{doc}", f"{key}{s}"): g for key, doc, s, g in judged if key in own}
    lists = [[f"{own[q]}{SUBTOPIC_DOCS[(q + i) % 4]}" for i in range(2)] for q in range(len(keys))]
    # a document gains the first time that it is shown, for whichever key
    seen = set()
    for docs in lists:
        for place, doc in enumerate(docs):
            docs[place] = f"again{len(seen)}" if doc[1:] in seen else doc
            seen.add(doc[1:])
    found = values(study, "CubeTest", "ACT", "nCubeTest", "nACT")
    ct, act = subtopic_restated(lists, of_keys, 0.5, 5)
    if ct is None:
        assert found == [None] * 4
        return
    assert found[:2] == pytest.approx([ct, act], abs=1e-12)
    assert all(0 <= value <= 1 for value in found[2:])
