"""Coverage, novelty, relative recall and recall effort: the reference's worked values, and the definitions restated."""

import pytest
from hypothesis import given, settings

import sessionkit as sk
from sessionkit.errors import DataError
from tests.scoring.measures.drawn import OPTIONS, counted, relevant, sessions, study_of, values, written
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
EVERY = ["Coverage", "Novelty", "RelativeRecall", "RecallEffort", "RecallEffort(answer=examined)"]


def reference():
    """U = 8, A = 20, Rk = 4, Ru = 6: the other four known relevant documents are in the second list."""
    first = [(1, True)] * 4 + [(1, False)] * 6 + [(0, False)] * 10
    lists = [first, [(1, True)] * 4]
    rows = [
        [{"rank": i, "doc": f"d{q}.{i}", "known": known} for i, (_, known) in enumerate(listed, 1)]
        for q, listed in enumerate(lists)
    ]
    grades = {f"d{q}.{i}": grade for q, listed in enumerate(lists) for i, (grade, _) in enumerate(listed, 1)}
    return {"lists": rows, "judgments": grades, "expected": 8}


def test_values_of_the_reference():
    # 4/8, 6/10, 10/8, 8/20; the eighth relevant document stands at rank 8
    assert values(reference(), *EVERY)[:5] == [0.5, 0.6, 1.25, 0.4, 1.0]


@pytest.mark.parametrize("table", ["sessions", "queries"])
def test_how_many_were_known_can_be_declared(table):
    """The slides: U = 4 known to the searcher, |Rk| = 2 of them shown: 2/4; what the session shows cannot tell the other two."""
    lists = {
        "session_id": list("sss"),
        "query_position": [1, 1, 2],
        "rank": [1, 2, 1],
        "doc_id": list("aba"),
        "known": [True] * 3,
    }
    tables = {
        "sessions": {"session_id": ["s"], "topic_id": ["t"]},
        "queries": {"session_id": ["s", "s"], "query_position": [1, 2]},
    }
    tables[table]["knew"] = [4] if table == "sessions" else [4, None]
    judgments = {"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 1]}
    study = sk.from_tables(lists, judgments=judgments, **tables)
    asked = ["Coverage", "Coverage(known=knew)", "Coverage(known=4)", "Coverage(known=1)"]
    found = sk.score(study, asked, per="query").pivot(on="measure", index="query_position", values="value")
    # of two known documents that the session shows no fewer than two can have been known
    second = 0.25 if table == "sessions" else None
    assert found.rows() == [(1, 1.0, 0.5, 0.5, 1.0), (2, 0.5, second, 0.25, 0.5)]
    with pytest.raises(
        DataError, match="needs the column new, in the queries or the sessions; the log has it in none of them"
    ):
        sk.score(study, "Coverage(known=new)", per="query")
    with pytest.raises(
        sk.MeasureError, match=r"known must be shown, a whole number of at least 1, or the name of a column"
    ):
        sk.parse_measure("Coverage(known=0)")


def test_zero_denominators_are_undefined():
    nothing = {**written([0, 1], known=[True, None]), "expected": 0}
    assert values(nothing, *EVERY) == [None] * 5
    assert values({**nothing, "expected": None}, *EVERY)[2:] == [None, None, None]
    empty = {**reference(), "lists": [[]]}
    assert values(empty, *EVERY) == [None, None, 0.0, None, None]
    assert values({**reference(), "judgments": {}}, *EVERY)[:5] == [None] * 5


def test_what_is_known_holds_for_the_whole_session():
    rows = [[{"rank": 1, "doc": "a", "known": False}], [{"rank": 3, "doc": "a", "known": True}]]
    session = {"lists": rows, "judgments": {"a": 1}}
    # known in the second list, at a rank that does not count
    assert values(session, "Coverage@2", "Novelty@2") == [1.0, 0.0, 0.0, None]


def test_columns_that_are_needed():
    with pytest.raises(DataError, match="needs the column 'known' in the results"):
        values(written([1]), "Coverage")
    with pytest.raises(DataError, match="needs the column 'expected' in the sessions"):
        values(written([1]), "RecallEffort")
    with pytest.raises(DataError, match=r"expected is -1\.0; it must be a number of relevant documents"):
        values({**written([1]), "expected": -1}, "RelativeRecall")


def over(part, whole):
    """A quotient, None where there is none."""
    return part / whole if whole and part is not None else None


@settings(max_examples=examples(40), deadline=None)
@given(session=sessions(), options=OPTIONS)
def test_restated(session, options):
    found = values(session, *(sk.parse_measure(text)(**options) for text in EVERY))
    said = {}
    for row in (row for listed in session["lists"] for row in listed):
        if row["known"] is not None:
            said[row["doc"]] = said.get(row["doc"], False) or row["known"]
    known = {doc for doc, told in said.items() if told and session["judgments"].get(doc, 0) >= 1}
    expected = session["expected"]
    for number, (rows, length) in enumerate(counted(session, options)):
        good = [row for row in rows if relevant(row)]
        old = sum(row["doc"] in known for row in good)
        new = sum(said.get(row["doc"]) is False for row in good)
        wanted = None
        if expected is not None:
            wanted = next((row["rank"] for nth, row in enumerate(good, 1) if nth >= expected), None)
        restated = [
            over(old, len(known)), over(new, old + new), over(len(good), expected), over(expected or None, length),
            over(expected or None, wanted),
        ]  # fmt: skip
        if not session["judgments"]:
            restated = [None] * 5
        assert found[5 * number : 5 * number + 5] == [
            None if value is None else pytest.approx(value) for value in restated
        ]


def test_contributions_add_up():
    for text in EVERY[:3]:
        table = sk.explain(study_of(reference()), text).filter(query_position=1)
        assert table.get_column("contribution").sum() == pytest.approx(values(reference(), text)[0])
