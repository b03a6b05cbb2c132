"""Several judgments of one document become one grade, by the rule that the study declares."""

import random
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.scoring.batch import GradedPairs, merged_judgments
from sessionkit.scoring.measures.grammar import example_of
from tests.support.net.answers import tables

DECLARED = {"max_grade": 3, "collection_size": 1000}
pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def judged(grades, rule, **settings):
    """A study of one query that shows a, whose documents were judged several times in this order."""
    rows = [(doc, grade) for doc, several in grades.items() for grade in several]
    return sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": ["t"] * len(rows),
            "doc_id": [doc for doc, _ in rows],
            "grade": [float(grade) for _, grade in rows],
            "judge_id": [f"j{number}" for number in range(len(rows))],
        },
        merge=rule,
        **settings,
    )


def merged(grades, rule, **settings):
    """Merged grades by document, of documents judged several times in this order."""
    study = judged(grades, rule, **settings)
    return dict(merged_judgments(study).collect().select("doc_id", "grade").rows())


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("max", {"a": 3, "b": 2}),
        ("sum", {"a": 5, "b": 3}),
        ("mean", {"a": 5 / 3, "b": 1.5}),
        ("median", {"a": 1, "b": 1.5}),
        ("majority", {"a": 1, "b": 2}),  # 1 twice; 1 and 2 are equally frequent
        ("first", {"a": 1, "b": 2}),
    ],
)
def test_rules(rule, wanted):
    assert merged({"a": [1, 3, 1], "b": [2, 1]}, rule) == wanted


def test_mean_is_that_of_grades_from_0_up():
    grades = {"a": [3, 1, -2], "b": [-1, -2], "c": [-9, 0, 1], "d": [-9]}
    # a: (3 + 1) / 2; b: judged, gains nothing; c: -9 means unjudged, (0 + 1) / 2; d: unjudged
    assert merged(grades, "mean", unjudged_grades=[-9]) == {"a": 2, "b": -1, "c": 0.5}


@given(
    whole=st.lists(st.integers(-3, 100), min_size=1, max_size=9),
    decimal=st.lists(st.decimals(0, 9, places=2), min_size=1, max_size=9),
    order=st.randoms(),
)
def test_means_are_exact_and_do_not_depend_on_the_order(whole, decimal, order):
    own = [grade for grade in whole if grade >= 0]
    expected = float(Fraction(sum(own), len(own))) if own else max(whole)
    decimals = [float(grade) for grade in decimal]
    means = merged({"a": whole, "b": decimals}, "mean")
    assert means["a"] == expected
    assert means["b"] == pytest.approx(float(sum(map(Fraction, decimal)) / len(decimal)), rel=1e-15)
    for grades in (whole, decimals):
        order.shuffle(grades)
    assert merged({"a": whole, "b": decimals}, "mean") == means


def test_gains_are_those_of_the_mean():
    """Document a has the mean 1.5, b 2; on a scale to 3."""
    study = judged({"a": [3, 0], "b": [2, 2]}, "mean", max_grade=3)
    expected = {
        "DCG@1": 1.5,
        "DCG(gain=exp2)@1": 2**1.5 - 1,  # not (7 + 0) / 2
        "DCG(gain=lifted)@1": 1.5,
        "P@1": 1.0,
        "P(min_grade=2)@1": 0.0,
        "nDCG@1": 1.5 / 2,
        "ERR@1": (2**1.5 - 1) / 2**3,
        "RBP(gain=linear,p=0.8)@1": 0.2 * 1.5 / 3,
        "gP@1": 1.5 / 3,
    }
    scores = sk.score(study, [*expected], per="query")
    assert dict(scores.select("measure", "value").rows()) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("level", ["query", "session"])
def test_every_measure_takes_means_as_it_takes_such_grades(level):
    """Three judges of 20 sessions, and one judge whose grades are the means, by the definition in rational numbers."""
    given = tables(20, 4)
    given["sessions"] = given["sessions"].with_columns(expected=pl.lit(2.0))
    rows = given["judgments"]
    judges = [rows.with_columns(grade=(rows["grade"] * 7 + shift) % 4 - shift % 2) for shift in range(3)]
    unit = [name for name in rows.columns if name not in ("grade", "judge_id")]
    several = pl.concat([one.with_columns(judge_id=pl.lit(f"j{n}")) for n, one in enumerate(judges)])
    means = several.group_by(unit).agg("grade").with_columns(grade=pl.col("grade").map_elements(mean_of, pl.Float64))
    assert (means["grade"] != means["grade"].round()).any()
    measures = [measure for measure in map(example_of, sk.MEASURES.values()) if measure.level == level]
    needs = [str(measure) for measure in measures if "gain=0-" not in str(measure)]
    values = [
        sk.score(sk.from_tables(**given | {"judgments": judgments}, merge=merge, **DECLARED), needs, per=level)
        for judgments, merge in ((several, "mean"), (means, "max"))
    ]
    assert_frame_equal(*values, check_exact=True)
    assert values[0]["value"].count() > len(values[0]) / 2


def mean_of(grades):
    """The mean of the grades of 0 and above; the highest where there is none."""
    own = [Fraction(grade) for grade in grades if grade >= 0]
    return float(sum(own) / len(own)) if own else max(grades)


def test_weights_and_integer_qrels_refuse_means_that_are_fractions():
    study = judged({"a": [1, 2], "b": [1, 3]}, "mean")
    remedy = 'set merge = "median" or "majority"'
    with pytest.raises(sk.DataError, match=f"grade 1.5; use gain=linear or exp2, or {remedy}"):
        sk.score(study, ["DCG(gain=0-1-10-100)@3"], per="query")
    with pytest.raises(sk.DataError, match=f"document 'a' of 't' has the mean grade 1.5.*{remedy}"):
        study.to_qrels()
    whole = judged({"a": [1, 3]}, "mean")
    assert sk.score(whole, ["DCG(gain=0-1-10-100)@3"], per="query")["value"].item() == 10
    assert whole.to_qrels()["grade"].to_list() == [1, 3]  # as they were judged
    assert judged({"a": [1, 2]}, "median").to_qrels()["grade"].to_list() == [1, 2]
    fractional = judged({"a": [0.5, 2]}, "mean")
    assert fractional.to_qrels()["grade"].to_list() == [0.5, 2]


@pytest.mark.parametrize("rule", ["sum", "mean"])
@pytest.mark.parametrize("grade", [2.0**30, -1e30])
def test_grades_too_large_to_be_added_are_refused(rule, grade):
    with pytest.raises(sk.DataError, match=f"merge={rule}: .* below 2\\^30"):
        merged({"a": [grade, 1]}, rule)


def test_errors_of_one_judge_are_not_those_of_means():
    study = judged({"a": [1, 2], "b": [1, 3], "c": [0, 0]}, "mean")
    with pytest.raises(sk.UsageError, match="not errors of means over several judges"):
        sk.judge_noise(study, "nDCG@3", noise="judges", population="sessions")


def test_alternate_takes_each_judge_in_turn_and_names_the_rest():
    # a, b, d differ by one: judge 1, judge 2, judge 1; c is agreed on; e is 2 apart
    grades = {"a": [1, 2], "b": [1, 2], "c": [3, 3], "d": [2, 1], "e": [0, 2]}
    with pytest.warns(sk.DataWarning, match="t/e"):
        assert merged(grades, "alternate") == {"a": 1, "b": 2, "c": 3, "d": 2, "e": 2}


def test_grades_that_mean_unjudged_are_left_out_first():
    assert merged({"a": [-1, 0], "b": [-1], "c": [-2]}, "max", unjudged_grades=(-1,)) == {"a": 0, "c": -2}


def test_alternate_follows_the_judges_not_the_rows():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    rows = [("a", 1.0, "j1"), ("a", 2.0, "j2"), ("b", 1.0, "j1"), ("b", 2.0, "j2")]
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [3, 1, 2, 0]):
        docs, grades, judges = zip(*(rows[place] for place in order), strict=True)
        judged = {"judgment_key": ["t"] * 4, "doc_id": list(docs), "grade": list(grades), "judge_id": list(judges)}
        study = sk.from_tables(results=results, judgments=judged, merge="alternate")
        assert dict(merged_judgments(study).collect().select("doc_id", "grade").rows()) == {"a": 1, "b": 2}


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_grades_do_not_depend_on_the_order(seed):
    grades = [0.1, 0.7, 0.2, 1e-9, 0.3, 0.4]
    random.Random(seed).shuffle(grades)  # noqa: S311
    assert merged({"a": grades}, "sum") == {"a": 1.700000001}


@pytest.mark.parametrize("rule", sk.study.MERGES)
@pytest.mark.parametrize("judges", [True, False])
def test_saved_numbers_merge_as_texts_do(tmp_path, rule, judges):
    """Of 300 judgments of 60 pairs by several judges, some of them pooled only, read from texts and from numbers."""
    draw = random.Random(rule)  # noqa: S311
    rows = [(draw.choice("tuvw"), draw.choice("abcdefghijklmno"), draw.choice([-2, 0, 1, 2, 0.1])) for _ in range(300)]
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": [key for key, _, _ in rows],
            "doc_id": [doc for _, doc, _ in rows],
            "grade": [grade for _, _, grade in rows],
            **({"judge_id": [f"j{draw.randrange(4)}" for _ in rows]} if judges else {}),
        },
        merge=rule,
        unjudged_grades=[-2],
    )
    saved = study.save(tmp_path / "study")
    assert saved.storage.numbered_judgments is not None
    by_text, by_number = GradedPairs.of(study), GradedPairs.of(saved)
    assert by_number.pairs.documents is None  # no text of a document was read
    assert by_number.grade.equals(by_text.grade, null_equal=True)
    assert by_number.grade.null_count() < len(by_number.grade)
    assert by_number.keys.to_list() == by_text.keys.to_list()
