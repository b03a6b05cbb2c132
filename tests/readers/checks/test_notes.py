"""What was unusual is said: in notes always, as warnings where scores may change."""

import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import from_tables
from sessionkit.scoring.score import score

RESULTS = {
    "session_id": ["a", "a", "b"],
    "query_position": [1, 1, 1],
    "rank": [1, 3, 1],
    "doc_id": ["x", "y", "x"],
    "topic_id": ["t", "t", "u"],
}
JUDGMENTS = {"judgment_key": ["t", "u"], "doc_id": ["x", "x"], "grade": [1, 2]}


def test_nothing_unusual_nothing_said():
    assert from_tables({**RESULTS, "rank": [1, 2, 1]}, JUDGMENTS).notes == ()


def test_gaps_in_ranks():
    assert from_tables(RESULTS, JUDGMENTS).notes == (
        "results: 1 list shown with gaps in the ranks; the missing results are unknown and gain 0; measures that look "
        "beyond a gap are flagged (first: session 'a')",
    )


def test_repeats_within_a_list():
    with pytest.warns(DataWarning, match="results: 1 row with a document shown earlier in the list"):
        from_tables({**RESULTS, "rank": [1, 2, 1], "doc_id": ["x", "x", "x"]}, JUDGMENTS)


def test_sessions_that_no_judgment_belongs_to():
    with pytest.warns(DataWarning, match="none for the judgment_key of 1 session .first: 'b'"):
        from_tables(RESULTS, {"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]})


def test_judgments_of_documents_that_were_not_shown_for_their_key():
    said = "judgments: none of the 2 judged documents was shown for its key .first: 't', 'http://x'.; check how document ids"
    with pytest.warns(DataWarning, match=said):
        study = from_tables(
            {**RESULTS, "rank": [1, 2, 1]}, {**JUDGMENTS, "doc_id": ["http://x", "y"]}
        )  # y is shown for t
    with pytest.warns(DataWarning, match="no result that is scored is judged"):
        assert score(study, ["sDCG@10", "Queries"])["judged"].to_list() == [0, 0]
    score(study, "Queries")  # which needs no judgment


def test_queries_with_a_key_of_their_own_are_looked_up_by_it():
    results = {**RESULTS, "judgment_key": ["p", "p", "u"], "rank": [1, 2, 1]}
    queries = {"session_id": ["a", "b"], "query_position": [1, 1], "judgment_key": ["p", "u"]}
    judgments = {"judgment_key": ["p", "u"], "doc_id": ["x", "x"], "grade": [1, 1]}
    plain = {name: results[name] for name in ("session_id", "query_position", "rank", "doc_id")}
    assert from_tables(plain, judgments, queries).notes == ()


def test_grades_above_the_scale():
    with pytest.warns(DataWarning, match="judgments: 1 grade above max_grade = 1, the highest 2; measures"):
        from_tables(RESULTS, JUDGMENTS, max_grade=1)
    assert not any("above" in note for note in from_tables(RESULTS, JUDGMENTS, max_grade=2).notes)


def test_negative_grades():
    notes = from_tables(RESULTS, {**JUDGMENTS, "grade": [-1, 2]}).notes
    assert any(note.startswith("judgments: 1 grade below 0") for note in notes)
    notes = from_tables(RESULTS, {**JUDGMENTS, "grade": [-1, 2]}, unjudged_grades=(-1,)).notes
    assert not any("below 0" in note for note in notes)
    study = from_tables(RESULTS, {**JUDGMENTS, "grade": [-1, 2]}, unjudged_grades=())
    assert not any("below 0" in note for note in study.notes)  # confirmed: they are judged
    assert study.settings.unjudged_grades == ()


@pytest.mark.parametrize("finer", ["subtopic_id", "passage_id", "judge_id"])
def test_repeated_judgments_unless_something_tells_them_apart(finer):
    repeated = {"judgment_key": ["t", "t", "u"], "doc_id": ["x", "x", "x"], "grade": [1, 2, 1]}
    with pytest.warns(DataWarning, match="1 document judged more than once"):
        from_tables(RESULTS, repeated)
    assert not any(
        "more than once" in note for note in from_tables(RESULTS, {**repeated, finer: ["1", "2", "1"]}).notes
    )


def test_no_judgments():
    assert from_tables({**RESULTS, "rank": [1, 2, 1]}).notes == (
        "there are no judgments; measures of relevance are undefined",
    )
