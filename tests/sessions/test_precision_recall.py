"""Recall-precision curves and R-precision histograms: worked values, averages, agreement with scores.

The summary table: counts over queries by system or topic, as trec_eval has them.
"""

import random
from fractions import Fraction

import polars as pl
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from tests.scoring.one_list import E2, E2_UNSEEN, E3, L_UNSEEN, L, one_list, value
from tests.scoring.restated_lists import lists_of, ranks
from tests.scoring.studies import sessions, study_of
from tests.support.clinic import read_clinic
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
LEVELS = [tenth / 10 for tenth in range(11)]
CURVES = {"E2": [1, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3] + [0] * 5, "E3": [1 / 3] * 4 + [1 / 4] * 3 + [1 / 5] * 4}
"""CLASSIC section 3: relevant at 1, 3, 6, 10, 15 of 10; at 3, 8, 15 of 3."""


def study_of_lists(rows):
    """A study of sessions of one query: name, system, topic, grades by rank, grades of what is not shown."""
    names, systems, topics = ([row[place] for row in rows] for place in range(3))
    shown = [
        (name, rank, f"{topic}{name}{rank}") for name, _, topic, grades, _ in rows for rank in range(1, len(grades) + 1)
    ]
    judged = {}
    for name, _, topic, grades, unseen in rows:
        judged |= {(topic, f"{topic}{name}{rank}"): grade for rank, grade in enumerate(grades, 1)}
        judged |= {(topic, f"{topic}{name}unseen{number}"): grade for number, grade in enumerate(unseen)}
    pairs = [(*pair, grade) for pair, grade in judged.items()]
    results = pl.DataFrame(shown, schema=["session_id", "rank", "doc_id"], orient="row")
    return sk.from_tables(
        results=results.with_columns(query_position=pl.lit(1)),
        sessions={"session_id": names, "system_id": systems, "topic_id": topics},
        judgments=pl.DataFrame(pairs, schema=["judgment_key", "doc_id", "grade"], orient="row"),
    )


@pytest.fixture(scope="module")
def slides():
    """The two lists of the slides, of two topics of one system."""
    return study_of_lists([("E2", "S", "a", E2, E2_UNSEEN), ("E3", "S", "b", E3, [])])


def test_curves_of_queries(slides):
    table = sk.precision_recall(slides, per="query")
    assert table.columns == ["session_id", "query_position", "system_id", "topic_id", "user_id", "recall", "precision"]
    for name, curve in CURVES.items():
        own = table.filter(session_id=name)
        assert own.get_column("recall").to_list() == LEVELS
        assert own.get_column("precision").to_list() == pytest.approx(curve, abs=1e-15)


def test_average_curve(slides):
    table = sk.precision_recall(slides)
    assert table.select("system_id", "n").unique().rows() == [("S", 2)]
    averages = [(x + y) / 2 for x, y in zip(*CURVES.values(), strict=True)]
    assert table.get_column("precision").to_list() == pytest.approx(averages, abs=1e-15)
    # as the slides print it
    assert averages == pytest.approx([0.6667, 0.6667, 0.5, 0.4167, 0.325, 0.2917, 0.125] + [0.1] * 4, abs=5e-5)


def test_generalized_precision_by_generalized_recall():
    """Degrees 1, 0, 1/3 shown and 2/3 not: recall 1/2, 1/2, 2/3 of 2; precision 1, 1/2, 4/9, of which 1 holds up to 1/2."""
    study = one_list([3, 0, 1], [2], max_grade=3)
    found = sk.precision_recall(study, per="query", measure="gP").get_column("precision").to_list()
    assert found == pytest.approx([1] * 6 + [4 / 9] + [0] * 4, abs=1e-15)
    # a precision that rises again stands for the recalls before it: degrees 1/3, 2/3, 1 are 1/6, 1/2, 1 of 2
    rising = sk.precision_recall(one_list([1, 2, 3], max_grade=3), per="query", measure="gP")
    assert rising.get_column("precision").to_list() == pytest.approx([2 / 3] * 11, abs=1e-15)
    cut = sk.precision_recall(study, per="query", measure="gP@2").get_column("precision").to_list()
    assert cut == [1.0] * 6 + [0.0] * 5
    assert (
        sk.precision_recall(one_list([0]), per="query", measure="gP(max_grade=3)")["precision"].to_list() == [None] * 11
    )


def generalized_curve(shown, unseen, top):
    """gP at generalized recall 0, 0.1, ... 1 in exact fractions, from the definition."""
    degrees = [Fraction(grade) / top for grade in shown]
    base = sum(degrees) + sum(Fraction(grade) / top for grade in unseen)
    if base == 0:
        return [None] * 11
    points = [(sum(degrees[:rank]) / base, sum(degrees[:rank]) / rank) for rank in range(1, len(shown) + 1)]
    return [
        float(max((precision for recall, precision in points if recall >= Fraction(tenth, 10)), default=Fraction(0)))
        for tenth in range(11)
    ]


def test_generalized_recall_reaches_a_level_exactly():
    """Grades 1, 3, 3, 3, of which the 1 alone is shown: 1 of 10 is a recall of 0.1, with a precision of 1/3."""
    study = one_list([1], [3, 3, 3], max_grade=3)
    curve = sk.precision_recall(study, per="query", measure="gP").get_column("precision").to_list()
    assert curve == [1 / 3, 1 / 3] + [0] * 9
    # 0.3 of 0.1 + 0.2 + 0.3 + 0.4 shown: a recall of 0.3, although 0.1 + 0.2 is no 0.3 in doubles
    for shown, unseen in (([0.3], [0.1, 0.2, 0.4]), ([0.1, 0.2], [0.3, 0.4])):
        study = one_list(shown, unseen, max_grade=1)
        curve = sk.precision_recall(study, per="query", measure="gP").get_column("precision").to_list()
        assert curve == pytest.approx([0.3 / len(shown)] * 4 + [0] * 7, abs=1e-15)


@pytest.mark.parametrize("top", [3, 5, 7])
@quiet
def test_generalized_precision_is_that_of_exact_fractions(top):
    """11 levels of 500 random lists; thirds, fifths and sevenths must not move a list across a level."""
    draw = random.Random(top)  # noqa: S311
    lists = [
        ([draw.randint(0, top) for _ in range(draw.randint(1, 8))], [draw.randint(0, top) for _ in range(draw.randint(0, 8))])
        for _ in range(500)
    ]  # fmt: skip
    study = study_of_lists([(str(number), "S", str(number), *grades) for number, grades in enumerate(lists)])
    curves = sk.precision_recall(study, per="query", measure=f"gP(max_grade={top})")
    values = dict(curves.group_by("session_id").agg("precision").rows())
    wrong = [
        (grades, values[str(number)], right)
        for number, grades in enumerate(lists)
        if values[str(number)] != (right := generalized_curve(*grades, top))
    ]
    assert wrong == []


def test_of_two_degrees_it_is_precision_by_recall():
    clinic = read_clinic()
    binary = sk.precision_recall(clinic, measure="gP(gain=binary)")
    assert binary.equals(sk.precision_recall(clinic))
    weighted = sk.precision_recall(clinic, measure="gP(gain=0-1-10-100)")
    assert not weighted.equals(binary)
    assert weighted.get_column("precision").is_between(0, 1).all()


def test_a_curve_for_each_relevance_level():
    """Grades 3, 2, 3, 0, 0, 1, 2, 2, 3, 0 of a recall base of three 3s, three 2s and four 1s (TOIS 2002, section 2)."""
    study = one_list(L, L_UNSEEN)
    of = {level: sk.precision_recall(study, per="query", measure=f"IPrec11(level={level})") for level in (1, 2, 3)}
    curves = {level: frame.get_column("precision").to_list() for level, frame in of.items()}
    # of grade 3: ranks 1, 3, 9 are 1/1, 2/3, 3/9; of grade 2: ranks 2, 7, 8 are 1/2, 2/7, 3/8; of grade 1 rank 6, a quarter
    assert curves[3] == pytest.approx([1] * 4 + [2 / 3] * 3 + [1 / 3] * 4, abs=1e-15)
    assert curves[2] == pytest.approx([1 / 2] * 4 + [3 / 8] * 7, abs=1e-15)
    assert curves[1] == pytest.approx([1 / 6] * 3 + [0] * 8, abs=1e-15)
    found = {
        text: value(text, L, L_UNSEEN) for text in ("AP(level=3)", "AP(level=2)", "AP(level=1)", "IPrec11(level=3)")
    }
    expected = [(1 + 2 / 3 + 1 / 3) / 3, (1 / 2 + 2 / 7 + 3 / 8) / 3, 1 / 6 / 4, sum(curves[3]) / 11]
    assert list(found.values()) == pytest.approx(expected, abs=1e-15)
    assert value("AP(at_least=2)", L, L_UNSEEN) == value("AP(min_grade=2)", L, L_UNSEEN)


def test_topics_can_count_the_same():
    rows = [("1", "S", "a", [1], []), ("2", "S", "a", [0], [1]), ("3", "S", "b", [1, 1], [])]
    study = study_of_lists(rows)
    # of topic a both lists have two relevant documents in the base: precision 1 up to recall .5, and none
    by_topic = sk.precision_recall(study, "topic_id").filter(recall=0.0)
    assert by_topic.select("topic_id", "precision", "n").rows() == [("a", 0.5, 2), ("b", 1.0, 1)]
    assert sk.precision_recall(study).filter(recall=0.0).select("precision", "n").row(0) == (pytest.approx(2 / 3), 3)
    assert sk.precision_recall(study, average="topics").filter(recall=0.0).select("precision", "n").row(0) == (0.75, 2)


@pytest.mark.slow
@quiet
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=sessions())
def test_points_are_interpolated_precisions_and_their_mean_is_the_measure(drawn):
    study = study_of(*drawn)
    keys = ["session_id", "query_position"]
    for choices in ("", "rule=trec9", "min_grade=2,undefined=zero"):
        curves = sk.precision_recall(study, per="query", measure=f"IPrec11({choices})@3")
        more = f",{choices}" if choices else ""
        whole = str(sk.parse_measure(f"IPrec11({choices})@3"))
        points = {str(sk.parse_measure(f"IPrec(recall={level}{more})@3")): level for level in (0.2, 1)}
        scores = sk.score(study, [*points, whole], per="query")
        for text, level in points.items():
            found = curves.filter(recall=float(level)).get_column("precision").to_list()
            assert found == scores.filter(measure=text).get_column("value").to_list()
        means = curves.group_by(keys, maintain_order=True).agg(pl.col("precision").mean()).get_column("precision")
        wanted = scores.filter(measure=whole).get_column("value").to_list()
        assert means.to_list() == [None if value is None else pytest.approx(value, abs=1e-14) for value in wanted]


def test_r_precision_histogram():
    # CLASSIC section 3: A = .4, 1/3, .5 and B = .2, 1/3, .75
    lists = {
        "A": {"1": ([1, 1, 0, 0, 0], 3), "2": ([0, 1, 0], 2), "3": ([1, 0, 1, 0], 2)},
        "B": {"1": ([1, 0, 0, 0, 0], 4), "2": ([1, 0, 0], 2), "3": ([1, 1, 1, 0], 1)},
    }
    rows = [
        (system + topic, system, topic + system, grades, [1] * more)
        for system, own in lists.items()
        for topic, (grades, more) in own.items()
    ]
    study = study_of_lists(rows)  # every list has judgments of its own; then both systems have the topics 1, 2, 3
    study = study.with_tables(sessions=study.sessions.with_columns(pl.col("topic_id").str.head(1)))
    table = sk.rprecision_histogram(study)
    assert table.columns == ["topic_id", "a", "b", "difference", "n_a", "n_b"]
    assert table.get_column("a").to_list() == pytest.approx([0.4, 1 / 3, 0.5])
    assert table.get_column("difference").to_list() == pytest.approx([0.2, 0, -0.25])
    assert sk.rprecision_histogram(study, "B", "A").get_column("difference").to_list() == pytest.approx([-0.2, 0, 0.25])


def test_a_topic_that_one_system_lacks_has_no_difference():
    study = study_of_lists([("1", "A", "t", [1], []), ("2", "B", "t", [0], []), ("3", "A", "u", [1], [])])
    assert sk.rprecision_histogram(study, "A", "B").rows() == [
        ("t", 1.0, 0.0, 1.0, 1, 1),
        ("u", 1.0, None, None, 1, 0),
    ]


@pytest.mark.filterwarnings("ignore:(judgments|queries). none of the 1")
def test_a_session_without_a_logged_list_has_no_curve():
    study = sk.from_tables(
        queries={"session_id": ["s"], "query_position": [1], "results_status": ["not_logged"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    assert sk.precision_recall(study, per="query").rows() == []
    for average in ("queries", "topics"):
        table = sk.precision_recall(study, average=average)
        assert table.rows() == [(None, level, None, 0) for level in LEVELS]


def test_refusals(slides):
    for call, error, said in (
        (lambda: sk.precision_recall(slides, per="system"), sk.UsageError, "per must be query, not 'system'"),
        (
            lambda: sk.precision_recall(slides, average="sessions"),
            sk.UsageError,
            "average must be queries or topics",
        ),
        (
            lambda: sk.precision_recall(slides, measure="AP"),
            sk.MeasureError,
            "AP has no recall-precision curve; ask for IPrec11",
        ),
        (lambda: sk.precision_recall(slides, "sistem"), sk.UsageError, "no such column"),
        (lambda: sk.precision_recall(slides, [5]), sk.UsageError, "names of columns"),
        (lambda: sk.rprecision_histogram(slides), sk.UsageError, "name the systems to compare.* there are: S"),
        (lambda: sk.rprecision_histogram(slides, "S", "T"), sk.UsageError, "there is no system_id 'T'; there are: S"),
    ):
        with pytest.raises(error, match=said):
            call()


@pytest.mark.slow
@quiet
def test_a_saved_study_and_its_partial_results_give_the_same_bits(tmp_path):
    study = read_clinic()
    saved = study.save(tmp_path / "study")
    for choices in ({}, {"by": "system_id,topic_id"}, {"average": "topics"}, {"per": "query"}):
        whole = sk.precision_recall(study, **choices)
        for _ in ("worked out", "kept"):
            assert sk.precision_recall(saved, cache=tmp_path / "parts", **choices).equals(whole)
    seed = 7
    shuffled = {
        name: study.table(name).collect().sample(fraction=1, shuffle=True, seed=seed).lazy()
        for name in ("sessions", "queries", "results", "judgments")
    }
    assert sk.precision_recall(study.with_tables(**shuffled)).equals(sk.precision_recall(study))


@pytest.fixture(scope="module")
def study():
    """System A: topic t with two queries (one found nothing), topic u; system B: topic t."""
    return sk.from_tables(
        queries={"session_id": list("xxyz"), "query_position": [1, 2, 1, 1], "results_status": ["shown", "empty", "shown", "shown"]},
        results={"session_id": list("xxyz"), "query_position": [1] * 4, "rank": [1, 2, 1, 1], "doc_id": list("abab")},
        sessions={"session_id": list("xyz"), "system_id": list("AAB"), "topic_id": list("tut")},
        judgments={"judgment_key": list("tttu"), "doc_id": list("abca"), "grade": [1, 0, 2, 1]},
    )  # fmt: skip


def test_by_system(study):
    assert sk.summary(study).columns == [
        "system_id",
        "topics",
        "sessions",
        "queries",
        "retrieved",
        "relevant",
        "relevant_retrieved",
        "relevant_documents",
    ]
    # A: relevant a and c for both queries of t, a for u; found a, and a. B: b alone, which is not relevant
    assert sk.summary(study).rows() == [("A", 2, 2, 3, 3, 5, 2, 3), ("B", 1, 1, 1, 1, 2, 0, 2)]


def test_by_topic(study):
    table = sk.summary(study, "system_id,topic_id")
    assert table.rows() == [
        ("A", "t", 1, 1, 2, 2, 4, 1, 2),
        ("A", "u", 1, 1, 1, 1, 1, 1, 1),
        ("B", "t", 1, 1, 1, 1, 2, 0, 2),
    ]


def test_choices(study):
    assert sk.summary(study, None, min_grade=2).rows() == [(2, 3, 4, 4, 3, 0, 1)]
    assert sk.summary(study, cutoff=1).get_column("retrieved").to_list() == [2, 1]
    assert sk.summary(study, where="queries >= 2").rows() == [("A", 1, 1, 2, 2, 4, 1, 2)]
    with pytest.raises(sk.UsageError, match="by=topic: no such column"):
        sk.summary(study, "topic")


def test_a_relevant_document_counts_once_however_many_queries_ask_for_it():
    """SIGIR 2007, Table 1: 199 judgments of the clinic are relevant, of four topics that both systems have."""
    clinic = read_clinic()
    relevant = clinic.judgments.filter(pl.col("grade") >= 1).collect()
    assert sk.summary(clinic).get_column("relevant_documents").to_list() == [len(relevant)] * 2 == [199, 199]
    by_topic = sk.summary(clinic, "topic_id").select("topic_id", "relevant_documents").rows()
    assert by_topic == sorted(relevant.group_by("judgment_key").len().rows())
    assert sk.summary(clinic, None, cutoff=1, min_grade=2).get_column("relevant_documents").item() == (
        relevant.filter(pl.col("grade") >= 2).height
    )


def test_the_sums_are_trec_evals():
    grades, shown = {"a": 1, "b": 0, "c": 2}, {"q1": ["x", "a", "c"], "q2": ["b", "a"]}
    run = {query: {doc: 1.0 / rank for rank, doc in enumerate(docs, 1)} for query, docs in shown.items()}
    names = ("num_ret", "num_rel", "num_rel_ret")
    peer = pytrec_eval.RelevanceEvaluator(dict.fromkeys(shown, grades), set(names)).evaluate(run)
    rows = [(query, rank, doc) for query, docs in shown.items() for rank, doc in enumerate(docs, 1)]
    study = sk.from_tables(
        results=pl.DataFrame(rows, schema=["session_id", "rank", "doc_id"], orient="row").with_columns(
            query_position=pl.lit(1), topic_id=pl.lit("t")
        ),
        judgments={"judgment_key": ["t"] * 3, "doc_id": list(grades), "grade": list(grades.values())},
    )
    found = sk.summary(study).select("retrieved", "relevant", "relevant_retrieved").row(0)
    assert found == tuple(sum(peer[query][name] for query in shown) for name in names)


@quiet
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=sessions())
def test_counts(drawn):
    lists = lists_of(*drawn)
    assert sk.summary(study_of(*drawn), None).select("queries", "retrieved", "relevant", "relevant_retrieved").row(
        0
    ) == (
        len(lists),
        sum(len(rows) for rows, _ in lists.values()),
        sum(grade >= 1 for _, base in lists.values() for grade in base or ()),
        sum(len(ranks(rows, lambda grade: grade >= 1)) for rows, base in lists.values() if base),
    )
