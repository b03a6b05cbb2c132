"""Query measures against trec_eval (in pytrec_eval and ir-measures), gdeval and ranx, on random runs; where the conventions
differ, how.

All of them order a run by its scores, so that the runs here have falling scores by rank.

Query measures against scikit-learn, which knows no recall base but the list: here the list shows everything judged.

Dynamic Domain, from the track's own files: EU, CubeTest and ACT as its scorer of 2017 has them, by hand and restated.
"""

import re
import shutil
from dataclasses import replace
from html import escape

import ir_measures
import numpy as np
import pytest
import pytrec_eval
import ranx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score, precision_recall_fscore_support

import sessionkit as sk
from sessionkit.display.terminal import guide
from tests.scoring.one_list import value
from tests.support.examples import examples

FEW = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
DOCS = [f"d{number}" for number in range(12)]
runs = st.lists(st.lists(st.sampled_from(DOCS), min_size=1, max_size=10, unique=True), min_size=1, max_size=4)
grades = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1).filter(lambda found: any(found.values()))

pooled_grades = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1).filter(
    lambda found: any(grade > 0 for grade in found.values())
)
TREC_EVAL = {
    **{f"P@{k}": f"P_{k}" for k in (1, 5, 10)},
    **{f"R@{k}": f"recall_{k}" for k in (1, 5, 10)},
    **{f"AP@{k}": f"map_cut_{k}" for k in (1, 5, 10)},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
    **{f"IPrec(recall={tenth / 10},rule=trec9)": f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)},
    "IPrec11(rule=trec9)": "11pt_avg", "P": "set_P", "R": "set_recall", "F": "set_F",
    "AP": "map", "Rprec": "Rprec", "RR": "recip_rank", "bpref": "bpref", "infAP": "infAP",
}  # fmt: skip
"""Our measures by the names of trec_eval."""
NAMES = {str(sk.parse_measure(text)): name for text, name in TREC_EVAL.items()}
ASKED = {
    "P.1,5,10", "recall.1,5,10", "map_cut.1,5,10", "success.1,5,10", "iprec_at_recall", "11pt_avg",
    "set_P", "set_recall", "set_F", "map", "Rprec", "recip_rank", "bpref", "infAP",
}  # fmt: skip
# the beta of trec_eval's set_F, and so of ir-measures' SetF, is the square of van Rijsbergen's
IR_MEASURES = {
    "P@5": "P(REL)@5", "R@5": "R(REL)@5", "AP": "AP(REL)", "AP@5": "AP(REL)@5", "RR": "RR(REL)", "Rprec": "Rprec(REL)",
    "Success@5": "Success(REL)@5", "P": "SetP(REL)", "R": "SetR(REL)", "F": "SetF(REL)", "F(beta=2)": "SetF(REL,beta=4.0)",
    "bpref": "Bpref(REL)", "infAP": "infAP(REL)", "IPrec(recall=0.2,rule=trec9)": "IPrec(REL)@0.2",
}  # fmt: skip
ALONE = [
    ir_measures.AP(judged_only=True), ir_measures.P(judged_only=True) @ 3, ir_measures.nDCG(judged_only=True) @ 5,
    ir_measures.nDCG(gains={1: 5, 3: 7}) @ 5, ir_measures.nDCG,
]  # fmt: skip
"""Objects of ir-measures with parameters that it has alone."""
RANX = {
    "P@5": "precision@5", "P": "precision", "R@5": "recall@5", "F@5": "f1@5", "AP": "map", "AP@5": "map@5", "RR": "mrr",
    "Success@5": "hit_rate@5", "Rprec": "r-precision", "bpref": "bpref", "RBP(p=0.8)": "rbp.80",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_guide_calls_them_by_these_names():
    """A row is names of trec_eval, of ir_measures and ours; those of the lowest relevant grade are options."""
    rows = re.findall(r"^\| (`[^|]*) \|([^|]*)\| (`.*) \|$", guide("coming-from"), re.MULTILINE)
    names = [[re.findall(r"`(.+?)`", cell) for cell in row] for row in rows if not row[0].startswith("`-l")]
    assert len(names) == 13
    bare = re.compile(r"@\d+$|\(REL\)")
    held = {(bare.sub("", ours), bare.sub("", theirs)) for ours, theirs in IR_MEASURES.items() if "=" not in ours}
    for of_trec_eval, theirs, ours in names:
        if ours[0].startswith("nDCG"):  # test_ndcg_is_trec_evals
            assert (of_trec_eval, theirs) == (["ndcg_cut_10", "ndcg"], ours)
        else:
            assert of_trec_eval == [TREC_EVAL[name] for name in ours]
            assert {
                (bare.sub("", our), bare.sub("", name)) for our, name in zip(ours, theirs, strict=False)
            } <= held | {("IPrec(recall=0.1,rule=trec9)", "IPrec@0.1")}


def asked_of_trec_eval(lists, judged):
    """The judgments, the same for every query, and the run, as dictionaries by query."""
    qrels = {str(number): judged for number in range(1, len(lists) + 1)}
    return qrels, {str(n): {doc: 1.0 / rank for rank, doc in enumerate(docs, 1)} for n, docs in enumerate(lists, 1)}


def study_of(lists, judged, **declared):
    """One session whose queries show these lists."""
    shown = [(number, rank, doc) for number, docs in enumerate(lists, 1) for rank, doc in enumerate(docs, 1)]
    numbers, ranks, docs = zip(*shown, strict=True)
    return sk.from_tables(
        results={
            "session_id": ["s"] * len(shown),
            "query_position": list(numbers),
            "rank": list(ranks),
            "doc_id": list(docs),
            "topic_id": ["t"] * len(shown),
        },
        judgments={"judgment_key": ["t"] * len(judged), "doc_id": list(judged), "grade": list(judged.values())},
        **declared,
    )


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@FEW
@given(lists=runs, judged=grades, cutoff=st.sampled_from([1, 3, 5, 10]))
def test_ndcg_is_trec_evals(lists, judged, cutoff):
    qrels = {str(number): judged for number in range(1, len(lists) + 1)}
    run = {str(number): {doc: 1.0 / rank for rank, doc in enumerate(docs, 1)} for number, docs in enumerate(lists, 1)}
    peer = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{cutoff}", "ndcg"}).evaluate(run)
    scores = sk.score(study_of(lists, judged), [sk.nDCG @ cutoff, sk.nDCG], per="query")
    for position, measure, ours in scores.select("query_position", "measure", "value").rows():
        name = f"ndcg_cut_{cutoff}" if "@" in measure else "ndcg"
        assert ours == pytest.approx(peer[str(position)][name], abs=1e-10)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@FEW
@given(lists=runs, judged=grades)
def test_exponential_ndcg_is_that_of_burges(lists, judged):
    # ir_measures' dcg="exp-log2": 2^grade - 1, log2(rank + 1), the whole recall base cut at k; gdeval's convention
    qrels = [ir_measures.Qrel(str(n), doc, grade) for n in range(1, len(lists) + 1) for doc, grade in judged.items()]
    run = [ir_measures.ScoredDoc(str(n), d, 1.0 / r) for n, docs in enumerate(lists, 1) for r, d in enumerate(docs, 1)]
    asked = ir_measures.nDCG(gains={grade: 2**grade - 1 for grade in range(4)}) @ 5
    peer = {metric.query_id: metric.value for metric in ir_measures.iter_calc([asked], qrels, run)}
    scores = sk.score(study_of(lists, judged), sk.nDCG(gain="exp2") @ 5, per="query")
    for position, ours in scores.select("query_position", "value").rows():
        assert ours == pytest.approx(peer[str(position)], abs=1e-10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@FEW
@given(lists=runs, judged=pooled_grades)
def test_trec_evals_measures(lists, judged):
    qrels, run = asked_of_trec_eval(lists, judged)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED)
    peer = evaluator.evaluate(run)
    scores = sk.score(study_of(lists, judged, unjudged_grades=[-1]), list(TREC_EVAL), per="query")
    for position, text, ours in scores.select("query_position", "measure", "value").rows():
        assert ours == pytest.approx(peer[str(position)][NAMES[text]], abs=1e-10), (text, lists, judged)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
@FEW
@given(lists=runs, judged=grades, least=st.sampled_from([2, 3]))
def test_trec_evals_relevance_level(lists, judged, least):
    # trec_eval -l: the lowest relevant grade; it scores 0 where nothing is relevant
    qrels, run = asked_of_trec_eval(lists, judged)
    peer = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=least).evaluate(run)
    asked = {str(sk.parse_measure(text)(min_grade=least, undefined="zero")): name for text, name in TREC_EVAL.items()}
    scores = sk.score(study_of(lists, judged), list(asked), per="query")
    for position, text, ours in scores.select("query_position", "measure", "value").rows():
        assert ours == pytest.approx(peer[str(position)][asked[text]], abs=1e-10), (text, lists, judged)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@FEW
@given(lists=runs, judged=grades, level=st.sampled_from([1, 2]))
def test_ir_measures(lists, judged, level):
    qrels = [ir_measures.Qrel(str(n), doc, grade) for n in range(1, len(lists) + 1) for doc, grade in judged.items()]
    run = [ir_measures.ScoredDoc(str(n), d, 1.0 / r) for n, docs in enumerate(lists, 1) for r, d in enumerate(docs, 1)]
    asked = {
        str(sk.parse_measure(ours)(min_grade=level, undefined="zero")): theirs.replace("REL", f"rel={level}")
        for ours, theirs in IR_MEASURES.items()
    }
    of_them = {ours: ir_measures.parse_measure(theirs) for ours, theirs in asked.items()}
    # their texts and their objects are read as the same measures
    assert [str(sk.parse_measure(theirs)(undefined="zero")) for theirs in asked.values()] == [*asked]
    assert [str(sk.parse_measure(theirs)(undefined="zero")) for theirs in of_them.values()] == [*asked]
    of_them |= {str(sk.parse_measure(theirs)(undefined="zero")): theirs for theirs in ALONE}
    asked = of_them
    # each by itself: asked at once, ir_measures may give the gains of one measure to another, by the order of a set
    peer = {
        (one.query_id, one.measure): one.value
        for measure in of_them.values()
        for one in ir_measures.iter_calc([measure], qrels, run)
    }
    scores = sk.score(study_of(lists, judged), list(asked), per="query")
    for position, text, ours in scores.select("query_position", "measure", "value").rows():
        assert ours == pytest.approx(peer[str(position), of_them[text]], abs=1e-10), (text, lists, judged)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(max_examples=examples(5), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists=runs, judged=grades)
def test_err_is_gdevals_on_a_scale_up_to_4(lists, judged):
    # through ir-measures, which runs gdeval's script; it prints five decimals
    if shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl script")
    qrels = [ir_measures.Qrel(str(n), doc, grade) for n in range(1, len(lists) + 1) for doc, grade in judged.items()]
    run = [ir_measures.ScoredDoc(str(n), d, 1.0 / r) for n, docs in enumerate(lists, 1) for r, d in enumerate(docs, 1)]
    peer = {metric.query_id: metric.value for metric in ir_measures.iter_calc([ir_measures.ERR @ 10], qrels, run)}
    scores = sk.score(study_of(lists, judged), "ERR(max_grade=4)@10", per="query")
    for position, ours in scores.select("query_position", "value").rows():
        assert ours == pytest.approx(peer[str(position)], abs=5.1e-6)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.filterwarnings("ignore")  # of numba, when it compiles ranx
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists=runs, judged=grades)
def test_ranx(lists, judged):
    qrels, run = asked_of_trec_eval(lists, judged)
    others = sum(grade == 0 for grade in judged.values())
    asked = dict(RANX)
    if not others:
        del asked["bpref"]  # where nothing is judged to be not relevant it divides by zero
    binary = {query: {doc: int(grade >= 1) for doc, grade in docs.items()} for query, docs in qrels.items()}
    scores = sk.score(study_of(lists, judged), list(asked), per="query")
    ranked = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(binary), ranked, list(asked.values()), make_comparable=True)
    for position, text, ours in scores.select("query_position", "measure", "value").rows():
        assert ours == pytest.approx(ranked.scores[asked[text]][str(position)], abs=1e-10), (text, lists, judged)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.filterwarnings("ignore:unsafe cast from uint64 to int64")  # of ranx' own code, when it is compiled
def test_ranx_weights_rbp_with_raw_grades():
    # one result of grade 3: .2 x 3 there; here grades are shares of the top of their scale
    ranked = ranx.Run({"1": {"a": 1.0}})
    raw = ranx.evaluate(ranx.Qrels({"1": {"a": 3}}), ranked, "rbp.80")
    assert raw == pytest.approx(3 * 0.2)
    scores = sk.score(study_of([["a"]], {"a": 3}), "RBP(p=0.8,gain=linear,max_grade=3)", per="query")
    assert scores.get_column("value").item() == pytest.approx(0.2, abs=1e-15)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_an_empty_list_counts_as_with_trec_evals_c():
    # a run has no line for such a query, and pytrec_eval leaves it out, as trec_eval without -c: a mean over fewer queries
    asked = ["P@5", "R@5", "AP", "RR", "Rprec", "bpref", "infAP", "IPrec11", "Success@5", "F"]
    peer = pytrec_eval.RelevanceEvaluator({"1": {"a": 1}, "2": {"a": 1}}, ASKED).evaluate({"1": {"a": 1.0}})
    assert "2" not in peer
    study = sk.from_tables(
        queries={"session_id": ["s", "s"], "query_position": [1, 2]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for measure in ["nDCG", *asked]:
        assert sk.score(study, measure, per="query").get_column("value").to_list()[1] == 0.0
    assert sk.score(study, "nDCG", per="query").get_column("value").to_list() == [1.0, 0.0]
    assert sk.score(study, "mean(nDCG)", per="session").get_column("value").to_list() == [0.5]


FEW_LISTS = settings(max_examples=examples(40), deadline=None)
LISTS = st.lists(st.integers(0, 3), min_size=2, max_size=15).filter(any)


@FEW_LISTS
@given(LISTS)
def test_average_precision(grades):
    scores = -np.arange(len(grades))
    peer = average_precision_score(np.array(grades) > 0, scores)
    assert value("AP", grades) == pytest.approx(peer, abs=1e-10)


@FEW_LISTS
@given(LISTS, st.integers(1, 15))
def test_ndcg(grades, k):
    scores = -np.arange(len(grades))
    assert value(f"nDCG@{k}", grades) == pytest.approx(ndcg_score([grades], [scores], k=k), abs=1e-10)
    gains = [2**grade - 1 for grade in grades]
    assert value(f"nDCG(gain=exp2)@{k}", grades) == pytest.approx(ndcg_score([gains], [scores], k=k), abs=1e-10)


@pytest.mark.slow
@FEW_LISTS
@given(LISTS, st.sampled_from([0.5, 1, 2]), st.lists(st.integers(0, 3), max_size=4))
def test_precision_recall_and_f_of_the_whole_list(grades, beta, unseen):
    truth = np.array([*grades, *unseen]) > 0
    retrieved = np.arange(len(truth)) < len(grades)
    p, r, f, _ = precision_recall_fscore_support(truth, retrieved, beta=beta, average="binary", zero_division=0)
    ours = [value(measure, grades, unseen) for measure in ("P", "R", f"F(beta={beta})")]
    assert ours == pytest.approx([p, r, f], abs=1e-10)


PRESET = ["EU(like=trecdd2017,cost=0)", "CubeTest(like=trecdd2017)", "ACT(like=trecdd2017)"]


def topics(passages):
    """The track's topics: a subtopic with its passages (document, number, rating, type) for each name."""
    inside = "".join(
        f'<subtopic name="" id="{subtopic}">'
        + "".join(
            f'<passage id="{number}"><docno>{doc}</docno><rating>{rating}</rating><text>{escape(doc)}</text>'
            + (f"<type>{kind}</type>" if kind else "")
            + "</passage>"
            for doc, number, rating, kind in of
        )
        + "</subtopic>"
        for subtopic, of in passages.items()
    )
    return f'<trecdd><domain name="d" id="1"><topic name="t" id="DD16-1">{inside}</topic></domain></trecdd>'


def run_of(lists):
    """A run with these documents by iteration, the first with the highest score."""
    rows = [(i, doc, 100 - rank) for i, docs in lists.items() for rank, doc in enumerate(docs)]
    return "".join(f"DD16-1\t{i}\t{doc}\t{score}\t0\n" for i, doc, score in rows)


@pytest.fixture
def scored(tmp_path):
    """Score a run against topics, both as files."""

    def scored(lists, passages, *measures):
        (tmp_path / "one.run").write_text(run_of(lists), encoding="utf-8")
        (tmp_path / "truth.xml").write_text(topics(passages), encoding="utf-8")
        study = sk.read(tmp_path / "one.run", judgments=tmp_path / "truth.xml")
        study = replace(study, settings=replace(study.settings, merge="sum"))
        return sk.score(study, list(measures), per="session")["value"].to_list()

    return scored


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
def test_a_matched_passage_says_what_the_marked_one_before_it_says(scored):
    """Rating 3, expected 1 + .5 times: 3 x 2 x (1 - .5^1.5) = 3.8787; two nuggets were 3 + 3 x 2 x (1 - .5^.5) = 4.7574."""
    said = {"1": [("a", "p1", 3, "MANUAL"), ("b", "p2", 3, "MATCHED")]}
    assert scored({0: ["a", "b"]}, said, "EU(cost=0)") == pytest.approx([3.878679656], abs=1e-9)
    two = {"1": [("a", "p1", 3, "MANUAL"), ("b", "p2", 3, "MANUAL")]}
    assert scored({0: ["a", "b"]}, two, "EU(cost=0)") == pytest.approx([4.757359313], abs=1e-9)
    # twice in one document counts twice: 1 x 2 times
    twice = {"1": [("a", "p1", 3, "MANUAL"), ("a", "p2", 3, "MATCHED")]}
    assert scored({0: ["a"]}, twice, "EU(cost=0)", "nEU(cost=0)") == pytest.approx([3 * 2 * (1 - 0.5**2), 1.0])
    # another subtopic begins anew; its MATCHED passage follows no marked one, and those without types stand alone
    other = {"1": [("a", "p1", 3, "MANUAL")], "2": [("b", "p2", 3, "MATCHED")]}
    assert scored({0: ["a", "b"]}, other, "EU(cost=0)") == pytest.approx([4.757359313], abs=1e-9)
    untyped = {"1": [("a", "p1", 3, ""), ("b", "p2", 3, "")]}
    assert scored({0: ["a", "b"]}, untyped, "EU(cost=0)") == pytest.approx([4.757359313], abs=1e-9)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
def test_a_missing_iteration_is_one_document_of_the_average(scored):
    """a fills .5 x 3 of 5 = .3, b .25 x 3 of 5 = .15: (.3/1 + .3/2 + .45/3) / 3 documents = .2, or (.3 + .15) / 2 = .225."""
    said = {"1": [("a", "p1", 3, "MANUAL"), ("b", "p2", 3, "MANUAL")]}
    lists = {0: ["a"], 2: ["b"]}
    assert scored(lists, said, "ACT(like=trecdd2017)", "ACT") == pytest.approx([0.2, 0.225])
    assert scored(lists, said, "CubeTest(like=trecdd2017)", "CubeTest") == pytest.approx([0.45 / 3] * 2)
    # the best session of three lists of one document: (.3/1 + .45/2 + .45/3) / 3 = .225, and with no document in the second
    # .3/1 + .45/3 over two is the best
    assert scored(lists, said, "nACT(like=trecdd2017)", "nACT") == pytest.approx([0.2 / 0.225, 1.0])


def restated(lists, passages):
    """EU without cost, CubeTest and ACT, as that scorer goes about it: fill, rename what is repeated, then walk."""
    seen, run = set(), []
    for i in range(max(lists) + 1):
        run.append([])
        for doc in lists.get(i, ["filler"]):
            run[-1].append(f"{doc}_dup" if doc in seen else doc)
            seen.add(doc)
    nuggets, worth, rated = {}, {}, {}
    for subtopic, of in passages.items():
        nugget = None
        for doc, number, rating, kind in of:
            nugget = number if kind == "MANUAL" else nugget
            nuggets.setdefault(doc, []).append(nugget)
            worth[nugget] = max(1, rating)
            rated[doc, subtopic] = rated.get((doc, subtopic), 0) + max(1, rating)
    times = {}
    for docs in run:
        for s in range(1, len(docs) + 1):
            stop = 0.5**s if s < len(docs) else 0.5 ** (s - 1)
            for nugget in (nugget for doc in docs[:s] for nugget in nuggets.get(doc, ())):
                times[nugget] = times.get(nugget, 0.0) + stop
    utility = sum(worth[nugget] * (1 - 0.5**often) / 0.5 for nugget, often in times.items())
    height, count, filled, average, shown = {}, {}, 0.0, 0.0, 0
    for turn, docs in enumerate(run, 1):
        for doc in docs:
            for subtopic in passages:
                if (doc, subtopic) in rated:
                    count[subtopic] = count.get(subtopic, 0) + 1
                    room = 5 - height.get(subtopic, 0.0)
                    add = min(room, rated[doc, subtopic] * 0.5 ** count[subtopic])
                    height[subtopic] = height.get(subtopic, 0.0) + add
                    filled += add / len(passages) / 5
            average += filled / turn
            shown += 1
    return [utility, filled / len(run), average / shown]


PASSAGES = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["MANUAL", "MATCHED", ""])), min_size=1, max_size=5
)
RATINGS = st.lists(st.integers(0, 4), min_size=10, max_size=10)
TREC_DD_SCORER_LISTS = st.dictionaries(
    st.integers(0, 4), st.lists(st.sampled_from("abcdxy"), min_size=1, max_size=4, unique=True), min_size=1, max_size=4
)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(subtopics=st.lists(PASSAGES, min_size=1, max_size=2), ratings=RATINGS, lists=TREC_DD_SCORER_LISTS)
def test_restated(scored, subtopics, ratings, lists):
    """Where every subtopic begins with a marked passage, and all passages of a nugget have its rating."""
    passages = {}
    for number, of in enumerate(subtopics):
        rating, rows = 0, []
        for nth, (doc, kind) in enumerate(of):
            kind = "MANUAL" if nth == 0 else kind  # noqa: PLW2901 - what the track's files begin with
            rating = ratings[5 * number + nth] if kind == "MANUAL" else rating
            rows.append((doc, f"p{number}{nth}", rating, kind))
        passages[f"DD16-1.{number}"] = rows
    assert scored(lists, passages, *PRESET) == pytest.approx(restated(lists, passages), abs=1e-12)
