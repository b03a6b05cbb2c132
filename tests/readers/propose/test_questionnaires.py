"""Answers beside a log and within it: whose they are is told by the ids that they share with the log."""

import pytest

from sessionkit.readers.propose.draft import propose

LOG = "user,task,system,qno,rank,doc\n" + "".join(
    f"u{user},{task},{'AB'[user % 2]},{query},{rank},d{rank + query}\n"
    for user in range(1, 5)
    for task in ("T1", "T2")
    for query in (1, 2)
    for rank in (1, 2, 3)
)
EACH = [(f"u{user}", task) for user in range(1, 5) for task in ("T1", "T2")]


@pytest.fixture
def proposal(write, tmp_path, quiet_read):
    """Propose a study.toml for a log and files beside it; return it, and the sessions and users that it reads."""

    def proposal(log=LOG, **files):
        paths = [write("log.csv", log), *(write(f"{name}.csv", text) for name, text in files.items())]
        made = propose(paths, folder=tmp_path)
        study = quiet_read(write("study.toml", made.text))
        assert study.rejected.collect().is_empty()
        return made, study.sessions.collect(), study.users.collect()

    return proposal


def said(made):
    """Return what a proposal says of its questionnaires, but for where they are."""
    return [{key: value for key, value in one.items() if key != "path"} for one in made.settings["questionnaires"]]


def test_answers_by_participant_and_task(proposal):
    rows = "".join(f"{user};{task};{len(user + task) % 5};N/A\n" for user, task in EACH[:-1])
    made, sessions, _ = proposal(after=f"user;task;satisfaction;effort\n{rows}u4;T2;3;2\n")
    assert said(made) == [{"separator": ";", "null": ["", "N/A"], "columns": {"user_id": "user", "topic_id": "task"}}]
    assert sessions["satisfaction"].null_count() == 0
    assert sessions["effort"].drop_nulls().to_list() == [2]
    assert sessions["system_id"].null_count() == 0  # the log says it


def test_answers_whose_names_hold_the_task_and_others(proposal):
    rows = "".join(f"u{user},3{user},{user},2,5,1\n" for user in range(1, 5))
    for names in ("T1 easy,T1 fun,T2 easy,T2 fun", "easy_T1,fun_T1,easy_T2,fun_T2"):
        made, sessions, users = proposal(after=f"user,age,{names}\n{rows}")
        pattern = r"(?P<topic_id>T\d+) (?P<item>.+)" if " " in names else r"(?P<item>.+)_(?P<topic_id>T\d+)"
        assert said(made) == [{"columns": {"user_id": "user"}, "name_items": pattern}]
        assert sessions.filter(user_id="u3").sort("topic_id").select("easy", "fun").rows() == [(3, 2), (5, 1)]
        assert users["age"].to_list() == [31, 32, 33, 34]


def test_answers_that_have_a_row_each(proposal):
    rows = "".join(f"{user},{task},{item},4,\n" for user, task in EACH for item in ("ease", "fun"))
    made, sessions, _ = proposal(after=f"user,task,question,answer,remark\n{rows}")
    assert said(made) == [{"columns": {"user_id": "user", "topic_id": "task", "item": "question", "value": "answer"}}]
    assert sessions.select("ease", "fun").unique().rows() == [(4, 4)]


def test_answers_within_the_results(proposal):
    lines = LOG.splitlines()
    rows = [f"{line},{at // 6 % 5},{line[1]}0,{at % 4}" for at, line in enumerate(lines[1:])]
    made, sessions, users = proposal(log="\n".join([f"{lines[0]},satisfaction,age,glances", *rows, ""]))
    assert said(made) == [
        {"columns": {"user_id": "user", "topic_id": "task"}, "items": ["satisfaction"]},
        {"columns": {"user_id": "user"}, "items": ["age"]},
    ]
    assert sorted(sessions["satisfaction"]) == [0, 0, 1, 1, 2, 2, 3, 4]
    assert users["age"].to_list() == [10, 20, 30, 40]


def test_a_table_that_says_more_of_sessions_than_the_log_is_one_of_sessions(proposal):
    log = "\n".join(",".join([*line.split(",")[:2], *line.split(",")[3:]]) for line in LOG.splitlines())
    rows = "".join(f"{user},{task},{'AB'[at % 2]},{at % 5}\n" for at, (user, task) in enumerate(EACH))
    made, sessions, _ = proposal(log=f"{log}\n", sessions=f"user,task,system,satisfaction\n{rows}")
    assert "questionnaires" not in made.settings
    assert made.settings["sessions"]["columns"]["session_id"] == ["user", "task"]
    assert sessions["system_id"].unique().sort().to_list() == ["A", "B"]


def test_participants_alone_are_users(proposal):
    made, _, users = proposal(people="user,age\n" + "".join(f"u{user},3{user}\n" for user in range(1, 5)))
    assert made.settings["users"]["columns"]["user_id"] == "user"
    assert "questionnaires" not in made.settings
    assert users["age"].to_list() == [31, 32, 33, 34]


def test_answers_by_session_beside_a_table_of_sessions(proposal):
    log = "session,qno,rank,doc\n" + "".join(f"s{at},1,{rank},d{rank}\n" for at in range(8) for rank in (1, 2, 3))
    facts = "".join(f"s{at},{user},{task},{'AB'[at % 2]}\n" for at, (user, task) in enumerate(EACH))
    answers = "".join(f"s{at},{at % 5}\n" for at in range(8))
    made, sessions, _ = proposal(
        log=log, sessions=f"session,user,task,system\n{facts}", after=f"session,satisfaction\n{answers}"
    )
    assert said(made) == [{"columns": {"session_id": "session"}}]
    assert sessions["satisfaction"].to_list() == [at % 5 for at in range(8)]
    by_task = "".join(f"{user},{task},{at % 4}\n" for at, (user, task) in enumerate(EACH))
    made, sessions, _ = proposal(
        log=log, sessions=f"session,user,task,system\n{facts}", after=f"user,task,effort\n{by_task}"
    )
    assert said(made) == [{"columns": {"user_id": "user", "topic_id": "task"}}]
    assert sessions["effort"].to_list() == [at % 4 for at in range(8)]


def test_of_two_tables_of_participants_one_has_answers(proposal):
    people, exits = ("".join(f"u{user},{user * times}\n" for user in range(1, 5)) for times in (10, 1))
    made, _, users = proposal(people=f"user,age\n{people}", exits=f"user,trust\n{exits}")
    assert made.settings["users"]["path"] == "people.csv"
    assert said(made) == [{"columns": {"user_id": "user"}}]
    assert users.select("age", "trust").row(0) == (10, 1)
