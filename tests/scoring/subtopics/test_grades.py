"""Numbered subtopics and nuggets: merged by the study's rule, apart by key, rows without a subtopic left out."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning
from sessionkit.scoring.batch import GradedPairs, Subtopics
from sessionkit.study import Settings
from sessionkit.study.numbering import JudgmentIndex

ROWS = pl.DataFrame(
    [
        ("t", "a", "1", "p", "j1", 1.0),
        ("t", "a", "1", "p", "j2", 2.0),
        ("t", "a", "1", "q", "j1", 1.0),
        ("t", "b", "1", "p", "j1", 3.0),
        ("t", "b", "2", None, "j1", 1.0),
        ("t", "c", "2", None, "j1", 1.0),
        ("t", "c", None, None, "j1", 9.0),
        ("u", "a", "1", "p", "j1", 1.0),
    ],
    schema=["judgment_key", "doc_id", "subtopic_id", "passage_id", "judge_id", "grade"],
    orient="row",
)
# pairs in order: 0 t/a, 1 t/b, 2 t/c, 3 u/a; subtopics: 0 t/1, 1 t/2, 2 u/1


@pytest.mark.parametrize(
    ("merge", "first"), [("max", 2.0), ("sum", 4.0), ("median", 1.0), ("first", 1.0), ("majority", 1.0)]
)
def test_grades_are_merged_by_subtopic(merge, first):
    made = Subtopics.of(ROWS.lazy(), Settings(merge=merge), JudgmentIndex.of(ROWS.lazy()))
    wanted = [(0, 0, 0, first), (0, 1, 0, 3.0), (0, 1, 1, 1.0), (0, 2, 1, 1.0), (1, 3, 2, 1.0)]
    assert made.grades.rows() == wanted


def test_a_nugget_is_a_passage_or_what_a_document_says():
    made = Subtopics.of(ROWS.lazy(), Settings(), JudgmentIndex.of(ROWS.lazy()))
    nuggets = made.nuggets.select("judgment", "nugget", "rating").rows()
    names = dict(zip([(0, "p"), (0, "q"), (1, "p"), (1, "b"), (2, "c"), (3, "p")], nuggets, strict=True))
    # passage p of subtopic 1 is in a and b, and has the highest of their ratings; that of another key is another
    assert names[0, "p"][1:] == names[1, "p"][1:]
    assert names[0, "p"][2] == 3.0
    assert len({nugget for _, nugget, _ in nuggets}) == 5
    assert [rating for *_, rating in nuggets] == [3.0, 1.0, 3.0, 1.0, 1.0, 1.0]


def test_passages_with_one_nugget_id_say_the_same():
    """p, said by a and in other words (q) by a and b; r is another; without nugget_id the passage is the nugget."""
    rows = pl.DataFrame(
        [
            ("a", "p", "p", 2.0),
            ("a", "q", "p", 2.0),
            ("b", "q2", "p", 2.0),
            ("b", "r", None, 1.0),
            ("c", "p", None, 2.0),
        ],
        schema=["doc_id", "passage_id", "nugget_id", "grade"],
        orient="row",
    ).with_columns(judgment_key=pl.lit("t"), subtopic_id=pl.lit("1"))
    for merge in ("max", "sum"):
        made = Subtopics.of(rows.lazy(), Settings(merge=merge), JudgmentIndex.of(rows.lazy()))
        assert made.nuggets.select("judgment", "nugget", "rating", "times").rows() == [
            (0, 0, 2.0, 2.0),
            (1, 0, 2.0, 1.0),
            (1, 1, 1.0, 1.0),
            (2, 0, 2.0, 1.0),
        ]


def test_alternating_judges_are_listed_for_review_by_all_names():
    rows = pl.DataFrame(
        {
            "judgment_key": ["t"] * 2,
            "doc_id": ["a"] * 2,
            "subtopic_id": ["1"] * 2,
            "judge_id": ["j1", "j2"],
            "grade": [0.0, 3.0],
        }
    )
    with pytest.warns(DataWarning, match="t/a/1"):
        made = Subtopics.of(rows.lazy(), Settings(merge="alternate"), JudgmentIndex.of(rows.lazy()))
    assert made.grades["grade"].to_list() == [3.0]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_made_once_and_only_where_there_are_any():
    frame = ROWS.drop("judge_id")
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    judged = GradedPairs.of(sk.from_tables(results=results, judgments=frame))
    assert judged.subtopics() is judged.subtopics() is not None
    plain = frame.drop("subtopic_id", "passage_id").unique(["judgment_key", "doc_id"])
    assert GradedPairs.of(sk.from_tables(results=results, judgments=plain)).subtopics() is None
