"""Questionnaires beside a log: wide and long tables join by their ids; what joins nothing, or is said twice, is told."""

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.readers.config import as_config
from sessionkit.readers.formats.registry import FORMATS

LOG = """session_id,query_position,rank,doc_id,user_id,topic_id,system_id
a,1,1,d1,u1,T1,S1
b,1,1,d2,u1,T2,S2
c,1,1,d3,u2,T1,S1
"""
IDS = {"user_id": "P", "topic_id": "Task"}


@pytest.fixture(params=["in memory", "in batches"])
def asked(request, tmp_path, quiet_read, in_batches):
    """Read the log with questionnaires: files by name, and what study.toml says of each."""
    (tmp_path / "log.csv").write_text(LOG)

    def asked(files, *said, **others):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        if request.param == "in batches":
            in_batches()
        return quiet_read(tmp_path / "log.csv", config={"questionnaires": list(said), **others})

    return asked


def column(study, name, of="sessions"):
    frame = getattr(study, of).collect()
    return dict(frame.select(frame.columns[0], name).rows())


WIDE = {"w.csv": "P,Task,easy,fun\nu1,T1,4,yes\nu1,T2,5,\nu2,T1,2,no\n"}
LONG = {"l.csv": "P,Task,Item,Answer\nu2,T1,easy,2\nu1,T1,easy,4\nu1,T2,easy,5\nu1,T1,fun,yes\nu2,T1,fun,no\n"}
NAMED = {"n.csv": "P;T1 easy;T2 easy;T1 fun;T2 fun\nu1;4;5;yes;\nu2;2;;no;\n"}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("files", "said"),
    [
        (WIDE, {"path": "w.csv", "columns": IDS}),
        (LONG, {"path": "l.csv", "columns": {**IDS, "item": "Item", "value": "Answer"}}),
        (
            NAMED,
            {
                "path": "n.csv",
                "separator": ";",
                "columns": {"user_id": "P"},
                "name_items": r"(?P<topic_id>T\d) (?P<item>.+)",
            },
        ),
    ],
    ids=["wide", "long", "tasks in names"],
)
def test_wide_long_and_tasks_in_names_are_one(asked, files, said):
    study = asked(files, said)
    assert column(study, "easy") == {"a": 4, "b": 5, "c": 2}
    assert column(study, "fun") == {"a": "yes", "b": None, "c": "no"}
    assert sk.score(study, "column(easy)", by=None)["value"].to_list() == pytest.approx([11 / 3])
    assert not [note for note in study.notes if "questionnaire" in note]


def test_answers_by_user_are_columns_of_users(asked):
    study = asked({"w.csv": "P,age\nu1,30\nu2,\nu3,50\n"}, {"path": "w.csv", "columns": {"user_id": "P"}})
    assert column(study, "age", "users") == {"u1": 30, "u2": None}
    assert "age" not in study.sessions.collect_schema()
    (note,) = [note for note in study.notes if "questionnaire" in note]
    assert re.fullmatch(r"w\.csv .* 1 of 2 .*user_id 'u3'\)", note)


def test_answers_by_session_and_by_system(asked):
    study = asked(
        {"s.csv": "session_id,mood\nc,3\na,1\n", "y.csv": "system_id,cost\nS1,10\nS2,20\nS9,30\n"},
        {"path": "s.csv"},
        {"path": "y.csv"},
    )
    assert column(study, "mood") == {"a": 1, "b": None, "c": 3}
    assert column(study, "cost") == {"a": 10, "b": 20, "c": 10}
    assert any(re.fullmatch(r"y\.csv .* 1 of 3 .*session .*system_id 'S9'\)", note) for note in study.notes)


def test_first_answer_counts_where_there_are_several(asked):
    study = asked({"w.csv": "user_id,age\nu1,\nu1,30\nu1,31\nu2,7\n"}, {"path": "w.csv"})
    assert column(study, "age", "users") == {"u1": 30, "u2": 7}
    assert any(re.search(r"1 respondent .*to age .*user_id 'u1'\)", note) for note in study.notes)


def test_several_answers_to_many_items_are_one_warning(asked):
    study = asked(
        {"w.csv": "user_id,q1,q2,q3,q4,q5\nu2,1,1,1,1,1\nu1,1,2,3,4,5\nu2,2,2,2,2,2\nu1,1,5,5,5,5\n"}, {"path": "w.csv"}
    )
    notes = [note for note in study.notes if "several answers" in note]
    assert len(notes) == 1
    assert re.search(r"2 respondents .* q1, q2, q3 and 2 more .*user_id 'u2'\)", notes[0])


def test_every_record_is_accounted_for(asked):
    study = asked({"w.csv": "user_id,age\nu1,30\n,31\nu2,7\n"}, {"path": "w.csv"})
    (source,) = [source for source in study.sources if source.path == "w.csv"]
    assert (source.records, source.merged, source.idle) == (3, 2, 1)
    assert any(note.startswith("w.csv (questionnaires): 1 record without ") for note in study.notes)


def test_files_of_one_questionnaire_are_one(asked):
    files = {"q1.csv": "P,Task,easy\nu1,T1,4\nu1,T2,5\n", "q2.csv": "P,Task,easy,fun\nu2,T1,2,no\n"}
    study = asked(files, {"path": "q*.csv", "columns": IDS})
    assert column(study, "easy") == {"a": 4, "b": 5, "c": 2}
    assert column(study, "fun") == {"a": None, "b": None, "c": "no"}
    assert [(source.path, source.merged) for source in study.sources if source.kind == "answers"] == [
        ("q1.csv", 2),
        ("q2.csv", 1),
    ]


def test_columns_whose_name_holds_no_id_are_of_the_ids_of_the_row(asked):
    text = "P,age,T1 easy\nu1,30,4\nu2,31,2\n"
    said = {"path": "n.csv", "columns": {"user_id": "P"}, "name_items": r"(?:(?P<topic_id>T\d) )?(?P<item>.+)"}
    study = asked({"n.csv": text}, said)
    assert column(study, "age", "users") == {"u1": 30, "u2": 31}
    assert column(study, "easy") == {"a": 4, "b": None, "c": 2}


def test_cells_and_items_of_a_sheet(asked):
    text = "Studie\nP;Aufgabe;Zufrieden;Notiz\nu1 ;T1;3,5;x\nu1;T2;k.A.;y\n"
    said = {"path": "w.csv", "separator": ";", "skip": 1, "trim": True, "decimal": ",", "null": ["", "k.A."]}
    study = asked({"w.csv": text}, {**said, "columns": {"user_id": "P", "topic_id": "Aufgabe"}, "items": ["Zufrieden"]})
    assert column(study, "Zufrieden") == {"a": 3.5, "b": None, "c": None}
    assert "Notiz" not in study.sessions.collect_schema()


def test_answers_join_a_log_of_any_format(tmp_path, quiet_read):
    (tmp_path / "run.txt").write_text("301 Q0 d1 1 2.5 bm25\n302 Q0 d1 1 2.5 bm25\n")
    (tmp_path / "q.csv").write_text("topic_id,hard\n301,1\n302,5\n")
    config = as_config(
        {"format": "trec_run", "path": "run.txt", "questionnaires": [{"path": "q.csv"}]}, "study.toml", tmp_path
    )
    study = FORMATS["trec_run"].read(config)
    assert column(study, "hard") == {"bm25:301": 1, "bm25:302": 5}


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("uvw"), st.sampled_from("TS"), st.sampled_from(["", "1", "2"])), max_size=8))
def test_answers_are_the_first_of_each_respondent(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("log")
    sessions = [(user, topic) for user in "uv" for topic in "TS"]
    rows = "".join(f"{u}{t},1,1,d,{u},{t}\n" for u, t in sessions)
    (folder / "log.csv").write_text(f"session_id,query_position,rank,doc_id,user_id,topic_id\n{rows}")
    (folder / "q.csv").write_text("user_id,topic_id,easy\n" + "".join(f"{u},{t},{a}\n" for u, t, a in answers))
    config = as_config({"results": {"path": "log.csv"}, "questionnaires": [{"path": "q.csv"}]}, "study.toml", folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = FORMATS["tables"].read(config)
    first = {}
    for user, topic, answer in answers:
        if answer:
            first.setdefault(user + topic, answer)
    found = column(study, "easy")
    assert {key: value if value is None else str(value) for key, value in found.items()} == {
        u + t: first.get(u + t) for u, t in sessions
    }


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        (
            "P,age\nu1,3\n",
            {},
            r"w.csv .*whose .*\{ user_id = ... \}",
        ),
        ("user_id,age\nu1,3\n", {"items": ["Age"]}, "no column 'Age' .*'age'"),
        ("user_id,age\nu1,3\n", {"name_items": "(?P<item>.+)"}, "name_items .*groups item and"),
        ("user_id,age\nu1,3\n", {"name_items": "("}, "name_items .*regular expression"),
        (
            "user_id,age\nu1,3\n",
            {"name_items": r"(?P<topic_id>T\d) (?P<item>.+)"},
            "no column .*like name_items",
        ),
        ("user_id,user_id\nu1,3\n", {}, "named twice"),
        ("user_id,item,value\nu1,__time,3\n", {}, "called '__time'"),
        ("user_id\nu1\n", {}, "no items beside user_id"),
        ("topic_id,system_id\nT1,S1\n", {"columns": {"topic_id": "topic_id", "x": "system_id"}}, None),
        (
            "session_id,user_id,task\na,u1,T1\n",
            {"columns": {"session_id": "session_id", "judgment_key": "task"}},
            "'judgment_key' is also",
        ),
    ],
)
def test_what_does_not_fit_is_named(asked, text, said, message):
    if message is None:
        assert column(asked({"w.csv": text}, {"path": "w.csv", **said}), "x") == {"a": "S1", "b": None, "c": "S1"}
        return
    with pytest.raises(DataError, match=message):
        asked({"w.csv": text}, {"path": "w.csv", **said})


def test_what_is_better_is_said_once(asked):
    with pytest.raises(DataError, match="better"):
        asked(WIDE, {"path": "w.csv", "columns": IDS}, better={"easy": "more"})
    study = asked(WIDE, {"path": "w.csv", "columns": IDS}, better={"easy": "higher"})
    assert study.settings.better == {"easy": "higher"}
