"""The expected-session family against all paths one by one, against sampled paths, and against worked values."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit import path_variance
from sessionkit.scoring import scan_paths
from sessionkit.scoring.measures.grammar import parse_measure
from tests.scoring.enumerated_paths import Paths
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples

NAMES = ["esDCG", "esnDCG", "esnCG", "esP", "esAP"]
GRADED = {"esDCG", "esnDCG", "esnCG"}
shares = st.sampled_from([0, 0.25, 0.7, 0.9, 1])
OPTIONS = {
    "truncate": st.sampled_from(["absorb", "renormalise"]),
    "duplicates": st.sampled_from(["all", "first"]),
    "min_grade": st.sampled_from([1, 2]),
    "unjudged": st.sampled_from(["zero", "skip"]),
    "grades": st.sampled_from(["judgments", "user"]),
    "depth": st.sampled_from(["all", "last_click"]),
    "cutoff": st.sampled_from([None, 2, 4]),
    "queries": st.sampled_from([None, 2]),
    "undefined": st.sampled_from(["null", "zero"]),
    "unjudged_topics": st.sampled_from(["null", "zero"]),
}
BOTH = "pdown=0.7,pref=0.9"


def near(value):
    return value if value is None else pytest.approx(value, rel=1e-10, abs=1e-12)


def values(study, measure):
    return dict(sk.score(study, measure, per="session").select("session_id", "value").rows())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(deadline=None, max_examples=examples(50))
@given(data=st.data(), own_keys=st.booleans())
def test_values_are_those_of_all_paths(data, own_keys):
    made, judgments = data.draw(sessions(keys_per_query=own_keys))
    shared = data.draw(st.fixed_dictionaries({"pdown": shares, "pref": shares}, optional=OPTIONS))
    gain = data.draw(st.sampled_from(["linear", "exp2", "binary"]))
    discount = data.draw(st.sampled_from(["burges", "log", "reciprocal"]))
    study = study_of(made, judgments, keys_per_query=own_keys)
    for name in NAMES:
        own = {"gain": gain} if name in GRADED else {}
        own |= {"discount": discount} if name in GRADED - {"esnCG"} else {}
        measure = parse_measure(name)(**shared, **own)
        options = {"gain": "binary"} | own | shared
        wanted = {
            s: Paths(s, one["queries"], one["topic"], judgments, options).moments(name) for s, one in made.items()
        }
        found = values(study, measure)
        assert found == {s: near(mean) for s, (mean, _) in wanted.items()}
        if shared.get("duplicates") != "first":
            both = {row[0]: row[1:] for row in path_variance(study, measure).drop("measure").rows()}
            assert both == {s: (found[s], near(spread)) for s, (_, spread) in wanted.items()}


@pytest.mark.few(5)
@pytest.mark.parametrize("truncate", ["absorb", "renormalise"])
@pytest.mark.parametrize("name", NAMES)
def test_sessions_that_show_the_same_few_documents_again_and_again(name, truncate):
    rng, made = np.random.default_rng(4), {}
    for number in range(20):
        lists = [rng.permutation(list("abcde"))[: rng.integers(5)] for _ in range(rng.integers(1, 5))]
        queries = [
            {
                "position": position,
                "status": "shown" if len(docs) else "empty",
                "key": None,
                "results": [
                    {"rank": rank, "doc": str(doc), "clicked": False, "examined": False, "user": None}
                    for rank, doc in enumerate(docs, 1)
                ],
            }
            for position, docs in enumerate(lists, 1)
        ]
        made[f"s{number:02}"] = {"topic": "t1", "queries": queries}
    judgments = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2, "e": 1}}
    options = {"pdown": 0.7, "pref": 0.8, "truncate": truncate, "duplicates": "first"}
    found = values(study_of(made, judgments), parse_measure(name)(**options))
    options |= {"gain": "linear" if name in GRADED else "binary", "discount": "burges"}
    wanted = {s: Paths(s, one["queries"], "t1", judgments, options).moments(name)[0] for s, one in made.items()}
    assert found == {s: near(value) for s, value in wanted.items()}


def one_session(lists, judgments):
    """A session with these lists of documents, and judgments of topic t."""
    rows = [(q, rank, doc) for q, docs in enumerate(lists, 1) for rank, doc in enumerate(docs, 1)]
    return sk.from_tables(
        queries={"session_id": ["s"] * len(lists), "query_position": range(1, len(lists) + 1)},
        results={
            "session_id": ["s"] * len(rows),
            "query_position": [q for q, _, _ in rows],
            "rank": [rank for _, rank, _ in rows],
            "doc_id": [doc for _, _, doc in rows],
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * len(judgments), "doc_id": list(judgments), "grade": [*judgments.values()]},
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("duplicates", ["all", "first"])
def test_sampled_paths_come_to_the_same(duplicates):
    """A million paths: every estimate within five standard errors, which the exact variance gives."""
    lists = ["abcdefgh", "", "gahib", "cjakl"]
    grades = {"a": 2, "c": 1, "g": 3, "h": 0, "i": 1, "k": 2, "l": 1, "z": 3}
    study = one_session(lists, grades)
    rng, many, pdown, pref = np.random.default_rng(20110724), 1_000_000, 0.8, 0.7
    documents = sorted({d for docs in lists for d in docs})
    seen = {d: np.zeros(many, dtype=bool) for d in documents}
    going, place, found, dcg, gains, precisions = np.ones(many, dtype=bool), *np.zeros((5, many))
    for docs in lists:
        reading = going.copy()
        for d in docs:
            place += reading
            once = reading & ~seen[d] if duplicates == "first" else reading
            grade = grades.get(d, 0)
            gains += once * grade
            dcg += np.where(once, grade / np.log2(np.maximum(place, 1) + 1), 0)
            found += once * (grade > 0)
            precisions += np.where(once & (grade > 0), found / np.maximum(place, 1), 0)
            seen[d] |= reading
            reading &= rng.random(many) < pdown
        going &= rng.random(many) < pref
    base = np.array(sorted(grades.values(), reverse=True) + [0] * 20, dtype=float)
    ideal_cg = np.concatenate([[0], np.cumsum(base)])
    ideal_dcg = np.concatenate([[0], np.cumsum(base / np.log2(np.arange(len(base)) + 2))])
    length = place.astype(int)
    sampled = {
        "esDCG": dcg,
        "esnDCG": dcg / ideal_dcg[length],
        "esnCG": gains / ideal_cg[length],
        "esP": found / length,
        "esAP": precisions / (base > 0).sum(),
    }
    for name, paths in sampled.items():
        measure = parse_measure(name)(pdown=pdown, pref=pref, duplicates=duplicates)
        error = paths.std() / np.sqrt(many)
        assert abs(values(study, measure)["s"] - paths.mean()) < 5 * error
        if duplicates == "all":
            exact = path_variance(study, measure).get_column("variance").item()
            spread = ((paths - paths.mean()) ** 2).std() / np.sqrt(many)
            assert abs(exact - paths.var()) < 5 * spread


@pytest.fixture(scope="module")
def toy():
    """FORMULAS: q1 = <0,1,0>, an empty q2, q3 = <2,0,1>; recall base {2,2,1,1,0}."""
    return one_session(["xby", "", "azc"], {"a": 2, "d": 2, "b": 1, "c": 1, "x": 0})


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [
        # FORMULAS section 2, in the order of the sampler's arguments: pref, then pdown
        ("esnDCG(like=jiang2016,pdown=0.7,pref=0.9)@3", 0.3218837848),
        ("esnDCG(gain=exp2,pdown=0.7,pref=0.9)", 0.3218837848),
        ("esnCG(gain=exp2,pdown=0.7,pref=0.8)@3", 0.3852400000),
        # paths of list 1: x; x b; x b y with .3, .21, .49; nobody asks another query
        ("esP(pdown=0.7,pref=0)", 0.21 / 2 + 0.49 / 3),
        ("esAP(pdown=0.7,pref=0)", 0.7 * 0.5 / 4),
        # renormalized: 1, .7, .49 of 2.19
        ("esP(pdown=0.7,pref=0,truncate=renormalise)", (0.7 / 2 + 0.49 / 3) / 2.19),
        # everybody reads everything: DCG of x b y a z c
        ("esDCG(pdown=1,pref=1)", 1 / np.log2(3) + 2 / np.log2(5) + 1 / np.log2(7)),
        ("esAP(pdown=1,pref=1)", (1 / 2 + 2 / 4 + 3 / 6) / 4),
        # nobody goes beyond the first document of the first list
        ("esDCG(pdown=0,pref=0)", 0.0),
        ("esDCG(pdown=0,pref=1)", 2 / np.log2(3)),
    ],
)
def test_toy_session(toy, measure, wanted):
    assert values(toy, measure)["s"] == pytest.approx(wanted, abs=1e-10)


def test_who_reads_everything_gets_what_other_measures_say(toy):
    # every list and query to its end: the concatenation, whose slots are the documents shown
    pairs = {
        "esDCG(pdown=1,pref=1)@3": "sDCG(discount=burges,query_discount=none,rank_origin=session,slots=shown)@3",
        "esP(pdown=1,pref=0)": "first(P)",
        "esAP(pdown=1,pref=0)": "first(AP)",
        "esnDCG(pdown=1,pref=0)@3": "first(nDCG@3)",
        "esnCG(pdown=1,pref=0)@3": "first(nCG@3)",
    }
    for ours, theirs in pairs.items():
        assert values(toy, ours)["s"] == pytest.approx(values(toy, theirs)["s"], rel=1e-12)


def test_a_document_shown_again_gains_where_the_path_first_reads_it():
    # <x a>, <a>: a is read in list 1 with chance .5; else, with .5 x .5, as the second document of the path
    study = one_session(["xa", "a"], {"a": 1})
    first = values(study, "esDCG(discount=none,duplicates=first,pdown=0.5,pref=0.5)")["s"]
    assert first == pytest.approx(0.5 + 0.5 * 0.5)
    # precision 1/2 at either; with duplicates=all the third place of the path that has read it twice adds 2/3
    assert values(study, "esAP(duplicates=first,pdown=0.5,pref=0.5)")["s"] == pytest.approx(0.75 / 2)
    assert values(study, "esAP(pdown=0.5,pref=0.5)")["s"] == pytest.approx(0.75 / 2 + 0.25 * 2 / 3)


def test_lists_may_be_long_where_nobody_comes():
    # expected number of documents read: 1 / (1 - .9) = 10, of 2 x 5,000 documents with pref=.5: 15
    docs = [f"d{i}" for i in range(5_000)]
    study = one_session([docs, docs], dict.fromkeys(docs, 1))
    assert values(study, "esDCG(discount=none,pdown=0.9,pref=0.5)")["s"] == pytest.approx(15, rel=1e-12)
    renormalised = values(study, "esDCG(discount=none,pdown=0.9,pref=0.5,truncate=renormalise)")
    assert renormalised["s"] == pytest.approx(10 * (2 / 3 + 2 * 1 / 3), rel=1e-12)


def random_study(many=60, seed=7):
    """Sessions of all sizes, with documents shown again."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s:02}", q, rank, f"d{doc}")
        for s in range(many)
        for q in range(1, rng.integers(2, 7))
        for rank, doc in enumerate(rng.permutation(12)[: rng.integers(1, 9)], 1)
    ]
    results = pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row")
    ids = results.get_column("session_id").unique().sort()
    judgments = {"judgment_key": ["t"] * 8, "doc_id": [f"d{i}" for i in range(8)], "grade": [0, 1, 2, 3, 1, 0, 2, 1]}
    return results, pl.DataFrame({"session_id": ids, "topic_id": ["t"] * len(ids)}), judgments


@pytest.mark.few(2, slow=3)
@pytest.mark.parametrize("duplicates", ["all", "first"])
@pytest.mark.parametrize("name", NAMES)
def test_same_bits_however_the_sessions_are_cut(monkeypatch, name, duplicates):
    results, sessions_, judgments = random_study()
    measure = parse_measure(name)(pdown=0.8, pref=0.6, duplicates=duplicates)

    def scored(results, sessions_):
        return values(sk.from_tables(results=results, sessions=sessions_, judgments=judgments), measure)

    whole = scored(results, sessions_)
    assert len(set(whole.values())) > 40
    monkeypatch.setattr(scan_paths, "CELLS", 100)
    monkeypatch.setattr(scan_paths, "PAIRS", 10)
    assert scored(results.sample(fraction=1, shuffle=True, seed=1), sessions_) == whole
    monkeypatch.setattr(scan_paths, "ALIKE", 1)  # only sessions together whose lists are as long
    assert scored(results, sessions_) == whole
    monkeypatch.setattr(scan_paths, "CELLS", 2**22)
    for some in (["s00"], ["s07", "s31"], sorted(whole)[10:50]):
        mine = pl.col("session_id").is_in(some)
        assert scored(results.filter(mine), sessions_.filter(mine)) == {s: whole[s] for s in some}


def test_what_is_wrong_is_said(toy):
    for measure, says in [
        ("esP(pdown=0.7)", "example esP(pdown=0.7,pref=0.9)@10"),
        ("esAP", "esAP needs pdown and pref"),
        ("esP(pdown=1.2,pref=0)", "between 0 and 1, both included, not 1.2"),
        (f"esP({BOTH},truncate=absorbed)", "did you mean 'absorb'"),
        (f"esnCG({BOTH},discount=log)", "esnCG has no parameter 'discount'"),
        (f"esDCG({BOTH},discount=geometric)", "needs p"),
        (f"esnDCG({BOTH},discount=rn2002,b=3)", "boosts the places"),
    ]:
        with pytest.raises(sk.MeasureError) as error:
            sk.score(toy, measure, per="session")
        assert says in str(error.value)
    for measure in (f"esP({BOTH},duplicates=first)", "sDCG@10", "mean(P@3)"):
        with pytest.raises(sk.MeasureError, match="variance"):
            path_variance(toy, measure)
    for ask in (sk.explain, sk.curve):
        with pytest.raises(sk.MeasureError):
            ask(toy, f"esDCG({BOTH})@3")


def test_undefined_values_are_told():
    study = one_session(["ab"], {"a": 0})
    with pytest.warns(sk.DataWarning, match=r"esnDCG.* 1 of 1: s; no judgments"):
        assert values(study, f"esnDCG({BOTH})") == {"s": None}
    assert values(study, f"esnDCG({BOTH},undefined=zero)") == {"s": 0.0}
    assert values(study, f"esDCG({BOTH})") == {"s": 0.0}


def test_a_perfect_path_scores_exactly_1():
    """Also where the gain's reciprocal is not exact: 49 x (1 / 49) is less than 1."""
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [49]},
    )
    measures = ["esnDCG(pdown=0.7,pref=0.9)@10", "esnCG(pdown=0.7,pref=0.9)@10"]
    assert sk.score(study, measures, per="session")["value"].to_list() == [1.0, 1.0]
