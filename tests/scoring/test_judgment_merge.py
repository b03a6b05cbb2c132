"""Several judgments of one document become one grade, by the rule that the study declares."""

import random

import pytest

import sessionkit as sk
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.judgment_merge import merged_judgments

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def merged(grades, rule, **settings):
    """Merged grades by document, of documents judged several times in this order."""
    rows = [(doc, grade) for doc, several in grades.items() for grade in several]
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": ["t"] * len(rows),
            "doc_id": [doc for doc, _ in rows],
            "grade": [grade for _, grade in rows],
            "judge_id": [f"j{number}" for number in range(len(rows))],
        },
        merge=rule,
        **settings,
    )
    return dict(merged_judgments(study).collect().select("doc_id", "grade").rows())


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("max", {"a": 3, "b": 2}),
        ("sum", {"a": 5, "b": 3}),
        ("median", {"a": 1, "b": 1.5}),
        ("majority", {"a": 1, "b": 2}),  # 1 twice; 1 and 2 are equally frequent
        ("first", {"a": 1, "b": 2}),
    ],
)
def test_rules(rule, wanted):
    assert merged({"a": [1, 3, 1], "b": [2, 1]}, rule) == wanted


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


@pytest.mark.parametrize("rule", ["max", "sum", "median", "majority", "first", "alternate"])
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
