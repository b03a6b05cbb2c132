"""EU and nEU: worked values of a small topic, a plain restatement, and the bound by all orders of small topics."""

import itertools

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
