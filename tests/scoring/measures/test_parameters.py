"""What ``like=`` stands for: each preset gives what its source gives."""

import math

import numpy as np
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.parameters import PRESETS
from sessionkit.scoring.measures.registry import MEASURES
from tests.scoring.test_ir_metrics import DATA, rows
from tests.scoring.test_ir_metrics import study as ir_metrics  # noqa: F401 - a fixture


def value(study, measure):
    return sk.score(study, measure, per="session").get_column("value").item()


@pytest.fixture(scope="module")
def toy():
    """FORMULAS: q1 = <0,1,0>, an empty q2, q3 = <2,0,1>; recall base {2,2,1,1,0}."""
    return sk.from_tables(
        queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3]},
        results={
            "session_id": ["s"] * 6,
            "query_position": [1] * 3 + [3] * 3,
            "rank": [1, 2, 3] * 2,
            "doc_id": list("xbyazc"),
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 5, "doc_id": list("adbcx"), "grade": [2, 2, 1, 1, 0]},
    )


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [
        ("sDCG(like=ecir2008)@3", 1.8315915058),  # FORMULAS section 0, form A
        ("sDCG(like=jiang2016)@3", 3.3388994042),  # form B
        ("sDCG(like=kanoulas2011)@3", 1.6375439658),  # form C
        ("sDCG(like=srbp2019)@3", 1.4677585905),  # form D
        ("esnDCG(like=jiang2016,pdown=0.7,pref=0.9)@3", 0.3218837848),  # section 2, exact
    ],
)
def test_toy_session_in_the_forms_of_public_code(toy, measure, wanted):
    assert value(toy, measure) == pytest.approx(wanted, abs=1e-10)


def test_a_preset_is_the_parameters_that_a_measure_has():
    assert str(parse_measure("sDCG(like=trecdd2017)")) == "sDCG(gain=lifted,duplicates=first)@5"
    expanded = "nsDCG(gain=lifted,duplicates=first,ideal=spread)@5"
    assert str(parse_measure("nsDCG(like=trecdd2017)")) == expanded
    assert str(parse_measure("DCG(like=srbp2019)@9")) == "DCG(gain=binary)@9"
    for name in PRESETS:
        assert str(sk.nsDCG(like=name)) == str(parse_measure(f"nsDCG(like={name})"))
        known = {key for measure in ("nsDCG", "ACT") for key in MEASURES[measure].parameters()}
        assert known.issuperset(PRESETS[name])


@pytest.fixture(scope="module")
def dynamic_domain():
    """The synthetic topic of FORMULAS section 3: iterations B D C | A B F E | none | G A.

    Passages are rated: B 4 and 3, A 2 and 1, E 2, C 0, which the scorer lifts to 1; so documents gain 7, 3, 2 and 1.
    """
    shown = {1: "BDC", 2: "ABFE", 4: "GA"}
    places = [(q, rank, doc) for q, docs in shown.items() for rank, doc in enumerate(docs, 1)]
    rated = [("B", "1", 4), ("B", "2", 3), ("A", "1", 2), ("A", "3", 1), ("E", "2", 2), ("C", "3", 0)]
    return sk.from_tables(
        queries={"session_id": ["DD"] * 4, "query_position": [1, 2, 3, 4]},
        results={
            "session_id": ["DD"] * len(places),
            "query_position": [q for q, _, _ in places],
            "rank": [rank for _, rank, _ in places],
            "doc_id": [doc for _, _, doc in places],
        },
        sessions={"session_id": ["DD"], "topic_id": ["DD"]},
        judgments={
            "judgment_key": ["DD"] * len(rated),
            "doc_id": [doc for doc, _, _ in rated],
            "subtopic_id": [subtopic for _, subtopic, _ in rated],
            "grade": [rating for _, _, rating in rated],
        },
        merge="sum",
    )


@pytest.mark.filterwarnings("ignore:.*upper bound")
@pytest.mark.parametrize(
    ("iterations", "gained", "bound", "share"),
    [
        (1, 7.3868528072, 9.6070389478, 0.7689000583),  # 7/1 + 0 + 1/2.58496 of 7 + 3/2 + 2/2.58496 + 1/3
        (2, 9.8312972517, 10.3868528072, 0.9465135816),
        (3, 9.8312972517, 10.6157717826, 0.9261029205),
        (4, 9.8312972517, 10.6157717826, 0.9261029205),
    ],
)
def test_trec_dynamic_domain(dynamic_domain, iterations, gained, bound, share):
    found = value(dynamic_domain, f"sDCG(like=trecdd2017,queries={iterations})")
    normalized = value(dynamic_domain, f"nsDCG(like=trecdd2017,queries={iterations},ideal_queries={iterations})")
    assert found == pytest.approx(gained, abs=1e-10)
    assert normalized == pytest.approx(share, abs=1e-10)
    assert found / normalized == pytest.approx(bound, abs=5e-10)


@pytest.mark.filterwarnings("ignore:.*upper bound")
@pytest.mark.parametrize("saved", [False, True])
def test_every_rating_of_0_counts_as_1_before_they_are_added(saved, tmp_path):
    """A's passages are rated 0, 2 and 0 (1 + 2 + 1), B's only one 3, C's -1, which stays below 0."""
    rated = [("A", "1", "p", 0), ("A", "1", "q", 2), ("A", "2", "r", 0), ("B", "1", "s", 3), ("C", "1", "t", -1)]
    study = sk.from_tables(
        results={"session_id": ["DD"] * 3, "query_position": [1, 1, 1], "rank": [1, 2, 3], "doc_id": ["C", "A", "B"]},
        sessions={"session_id": ["DD"], "topic_id": ["DD"]},
        judgments={
            "judgment_key": ["DD"] * 5,
            **dict(
                zip(("doc_id", "subtopic_id", "passage_id", "grade"), map(list, zip(*rated, strict=True)), strict=True)
            ),
        },
        merge="sum",
    )
    if saved:
        study = study.save(tmp_path / "study")
    gained = 4 / 2 + 3 / (1 + math.log2(3))
    assert value(study, "sDCG(like=trecdd2017)") == pytest.approx(gained, abs=1e-12)
    assert value(study, "nsDCG(like=trecdd2017,ideal_queries=1)") == pytest.approx(gained / (4 + 3 / 2), abs=1e-12)
    assert value(study, "sDCG(duplicates=first)@5") == pytest.approx(gained - 2 / 2, abs=1e-12)
    # subtopic 1: .5 x 3 (1 + 2), then .25 x 3; subtopic 2: .5 x 1
    cube = (0.5 * 3 + 0.25 * 3 + 0.5 * 1) / (2 * 5)
    assert value(study, "CubeTest(like=trecdd2017)") == pytest.approx(cube, abs=1e-12)
    both = sk.score(study, ["sDCG(like=trecdd2017)", "sDCG(duplicates=first)@5"], per="session")["value"]
    assert both.to_list() == pytest.approx([gained, gained - 1], abs=1e-12)


def on_real(test):
    """Mark a test as one on the real logs."""
    unless_absent = pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
    return pytest.mark.realdata(unless_absent(test))


@on_real
def test_session_22_as_the_authors_code_prints_it(ir_metrics):  # noqa: F811
    printed = {
        "sDCG(like=jiang2016)@9": 15.2589994133,
        "nsDCG(like=jiang2016)@9": 0.2978271896,
        "sDCG(like=jiang2016,query_discount=none)@9": 21.0689998207,
        "nsDCG(like=jiang2016,query_discount=none)@9": 0.3301449759,
    }
    scores = sk.score(ir_metrics, list(printed), per="session").filter(session_id="22")
    wanted = [pytest.approx(value, abs=5e-11) for value in printed.values()]
    assert scores.get_column("value").to_list() == wanted


@on_real
def test_correlations_with_the_searchers_own_verdict(ir_metrics):  # noqa: F811
    # FORMULAS section 2; the authors' code, which samples 1,000 paths, prints .326 and .324, .355 and .356
    verdict = {row["SessionID"]: float(row["Performance"]) for row in rows("session")}
    for measure, wanted in {
        "esnDCG(like=jiang2016,pdown=0.7,pref=0.9)@9": 0.3239,
        "esnCG(gain=exp2,pdown=0.7,pref=0.8)@9": 0.3548,
    }.items():
        found = dict(sk.score(ir_metrics, measure, per="session").select("session_id", "value").rows())
        assert len(found) == 80
        pearson = stats.pearsonr(*np.array([(verdict[s], found[s]) for s in found]).T).statistic
        assert pearson == pytest.approx(wanted, abs=5e-5)
