"""Answers beside a log and within it: whose they are is told by the ids that they share with the log."""

import re
import tomllib

import polars as pl
import pytest

from sessionkit.readers.propose.propose import propose

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


@pytest.mark.slow
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


@pytest.mark.slow
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


LOG_WITH_QUERIES = "user,task,system,qno,query,rank,doc\n" + "".join(
    f"u{user},{task},{'AB'[user % 2]},{query},text {query},{rank},d{rank + query}\n"
    for user in range(1, 5)
    for task in ("T1", "T2")
    for query in (1, 2)
    for rank in (1, 2, 3)
)
SCALE = ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"]


def rows_of(*cells):
    """Return lines of CSV, a row for each user and task, from functions of the row's number."""
    return "".join(
        ",".join([user, task, *(str(cell(at)) for cell in cells)]) + "\n" for at, (user, task) in enumerate(EACH)
    )


def asked(made, place="questionnaires"):
    """Return the questions about a place."""
    return [question.text for question in made.questions if question.place.startswith(place)]


@pytest.mark.few(3, slow=4)
@pytest.mark.parametrize(
    "heading", ["Q3", "query satisfaction", "search", "Frage", "relevance", "query_no", "Bewertung der Suche"]
)
def test_answers_are_never_queries_or_judgments_whatever_they_are_called(proposal, heading):
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,{heading}\n{rows_of(lambda at: at % 4 + 1)}")
    assert said(made) == [{"columns": {"user_id": "user", "topic_id": "task"}}]
    assert not {"queries", "judgments"} & set(made.settings)
    assert sorted(sessions[heading]) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_labels_in_a_column_called_like_a_query_are_asked_for_their_values(proposal, write, quiet_read):
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,Q3\n{rows_of(lambda at: SCALE[at % 5])}")
    assert said(made) == [{"columns": {"user_id": "user", "topic_id": "task"}}]
    (question,) = asked(made, "questionnaires.values")
    assert "'Q3' are words" in question
    study = quiet_read(write("study.toml", made.text.replace("# values", "values")))
    # eight answers: 1 to 5, then 1, 2, 3
    assert study.sessions.collect()["Q3"].sum() == 15 + 6


@pytest.mark.slow
def test_log_is_the_file_with_queries_whatever_the_order_of_files(write, tmp_path):
    answers = write("a.csv", f"user,task,Q3\n{rows_of(lambda at: SCALE[at % 3])}")
    more = write("b.csv", f"user,task,Q4\n{rows_of(lambda at: SCALE[at % 3])}")
    log = write("log.csv", LOG_WITH_QUERIES)
    for files in ([answers, more, log], [log, more, answers]):
        made = propose(files, folder=tmp_path)
        assert {one["path"] for one in made.settings["questionnaires"]} == {"a.csv", "b.csv"}
        assert "queries" not in made.settings


def test_queries_with_one_row_for_each_session_stay_queries(write, tmp_path):
    log = "user,task,rank,doc\n" + "".join(f"{user},{task},{rank},d{rank}\n" for user, task in EACH for rank in (1, 2))
    queries = f"user,task,query\n{rows_of(lambda at: f'way {at} to oslo')}"
    made = propose([write("log.csv", log), write("queries.csv", queries)], folder=tmp_path)
    assert made.settings["queries"]["columns"]["query_text"] == "query"
    assert "questionnaires" not in made.settings


def test_repeated_answers_are_said_and_the_first_is_kept(proposal):
    rows = rows_of(lambda at: at % 4 + 1)
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,relevance\n{rows}u4,T2,9\n")
    (question,) = asked(made)
    assert "1 row repeats" in question
    assert sessions.filter(user_id="u4", topic_id="T2")["relevance"].to_list() == [4]


def test_several_rows_of_a_participant_without_task_are_asked_about(proposal):
    rows = "".join(f"u{user},{phase},{user}\n" for user in range(1, 5) for phase in ("pre", "post"))
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,phase,trust\n{rows}")
    assert "questionnaires" not in made.settings
    (question,) = [one.text for one in made.questions]
    assert "2 rows for each 'user'" in question
    assert re.search(r"'phase' .*\('pre' and 'post'\)", question)


def test_ids_are_recognized_by_their_values_and_asked_about(proposal):
    rows = "".join(f"{at % 3},{user},{task}\n" for at, (user, task) in enumerate(EACH))
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=f"Q1,Q2,Q3\n{rows}")
    assert said(made) == [{"columns": {"user_id": "Q2", "topic_id": "Q3"}}]
    found = [re.match(r"'(\w+)' is taken for (\w+) ", text).groups() for text in asked(made)]
    assert found == [("Q2", "user_id"), ("Q3", "topic_id")]
    assert sorted(sessions["Q1"]) == [0, 0, 0, 1, 1, 1, 2, 2]


def test_rows_of_nobody_in_the_log_are_asked_about(proposal):
    rows = rows_of(lambda at: at % 4)
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,ease\n{rows}p9,T1,3\n,T1,2\n")
    questions = asked(made)
    assert "1 row without 'user' and 'task'" in questions[0]
    assert re.search("1 row .*user_id 'p9', topic_id 'T1'", questions[1])


@pytest.mark.slow
def test_items_with_a_name_that_is_taken_get_another(proposal):
    before, after = (f"user,task,Q1\n{rows_of(lambda at, shift=shift: at + shift)}" for shift in (0, 10))
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, before=before, after=after)
    assert said(made)[1]["columns"] == {"user_id": "user", "topic_id": "task", "Q1_after": "Q1"}
    assert sessions["Q1"].sum() == 28  # 0 + 1 + ... + 7
    assert sessions["Q1_after"].sum() == 28 + 80


def test_decimal_commas_of_questionnaires_and_of_extras(proposal):
    log = LOG_WITH_QUERIES.replace(",", ";").splitlines()
    log = "\n".join([f"{log[0]};wait", *(f"{line};{at % 7},5" for at, line in enumerate(log[1:]))]) + "\n"
    rows = rows_of(lambda at: f"{at % 4}|6").replace(",", ";").replace("|", ",")
    made, sessions, _ = proposal(log=log, after=f"user;task;Schwierigkeit\n{rows}")
    assert said(made)[-1]["decimal"] == ","
    assert made.settings["results"]["decimal"] == ","
    assert sessions["Schwierigkeit"].mean() == pytest.approx(1.5 + 0.6)  # of 0, 1, 2, 3 twice, each with ,6


QUALTRICS = "StartDate,Status,Progress,Finished,ResponseId,Q1,Q2,Q3,Q4"
TEXTS = 'Start Date,Response Type,Progress,Finished,Response ID,Your number?,Which task?,"How satisfied\nwere you, all in all?",Remarks'
IMPORT_IDS = ",".join(f'"{{""ImportId"":""QID{at}""}}"' for at in range(9))


def qualtrics(label, *, texts=f"{TEXTS}\n{IMPORT_IDS}\n"):
    """Return a Qualtrics export whose first response is unfinished."""
    rows = "".join(
        f"2026-03-02 10:{at:02}:00,IP Address,{100 if at else 40},{bool(at)},R_{at},{user},{task},{label(at)},\n"
        for at, (user, task) in enumerate(EACH)
    )
    return f"{QUALTRICS}\n{texts}{rows}"


def test_qualtrics_rows_below_the_header_are_left_out_by_init_and_ingest(proposal):
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=qualtrics(lambda at: at % 5 + 1))
    (questionnaire,) = said(made)
    assert questionnaire["skip_after_header"] == 2
    assert questionnaire["columns"] == {"user_id": "Q1", "topic_id": "Q2"}
    assert questionnaire["items"] == ["Q3", "Q4"]
    assert sessions["Q3"].sum() == 15 + 6
    assert not {"Progress", "Finished"} & set(sessions.columns)
    assert "# 'Q3' asks 'How satisfied were" in made.text
    assert any(re.search(r"1 response of 8 .*\('Finished': 'False'\)", text) for text in asked(made))


@pytest.mark.slow
def test_a_row_of_question_texts_alone_is_left_out(proposal):
    texts = "Your id,The task,How satisfied were you?\n"
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,Q3\n{texts}{rows_of(lambda at: at)}")
    assert said(made)[0]["skip_after_header"] == 1
    assert not asked(made)
    assert sessions["Q3"].sum() == 28
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,Q3\n{texts}{rows_of(lambda at: SCALE[at % 2])}")
    assert "Is it one?" in asked(made, "questionnaires.skip_after_header")[0]


@pytest.mark.slow
def test_exports_of_limesurvey_and_google_forms(proposal):
    names = "id;submitdate;lastpage;startlanguage;seed;Person;Aufgabe;G1Q1. Wie leicht war es?;G1Q2. Zustimmung"
    labels = ["trifft gar nicht zu", "trifft eher zu"]
    rows = "".join(
        f"{at};{'' if at == 3 else '2026-03-02 10:00:00'};4;de;19{at};{user};{task};{at % 5},5;{labels[at % 2]}\n"
        for at, (user, task) in enumerate(EACH)
    )
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, lime=f"{names}\n{rows}")
    assert said(made)[0]["items"] == ["G1Q1. Wie leicht war es?", "G1Q2. Zustimmung"]
    assert sessions["G1Q1. Wie leicht war es?"].sum() == pytest.approx(13 + 8 * 0.5)
    assert re.search(r"1 response of 8 .*\('submitdate': empty\)", " ".join(asked(made)))
    answered = tomllib.loads(made.text.replace("# values", "values"))
    values = {"trifft gar nicht zu": 1, "trifft eher zu": 4}
    assert list(answered["questionnaires"][0]["values"].values()) == [values]

    item = "How easy was it to find answers?"
    rows = "".join(f"2026/03/02 10:0{at}:00 am,{user},{task},{at}\n" for at, (user, task) in enumerate(EACH))
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, google=f"Timestamp,Participant,Task,{item}\n{rows}")
    assert said(made)[0]["items"] == [item]
    assert sessions[item].sum() == 28


def test_counts_of_clicks_are_clicks_and_documents_keep_their_column(write, tmp_path):
    lines = LOG_WITH_QUERIES.splitlines()
    rows = [f"{line},{int(at == 5) * 3 + at % 2}" for at, line in enumerate(lines[1:])]
    made = propose([write("log.csv", "\n".join([f"{lines[0]},click", *rows, ""]))], folder=tmp_path)
    assert made.settings["results"]["columns"]["clicks"] == "click"
    rows = [f"{line},{at % 2}" for at, line in enumerate(lines[1:])]
    made = propose([write("log.csv", "\n".join([f"{lines[0]},click", *rows, ""]))], folder=tmp_path)
    assert made.settings["results"]["columns"]["clicked"] == "click"


def test_a_column_called_as_the_document_is_not_replaced_without_a_question(write, tmp_path):
    lines = LOG_WITH_QUERIES.replace(",doc\n", ",doc_id\n").splitlines()
    rows = [f"{line},x{line[-1]}" for line in lines[1:]]
    log = write("log.csv", "\n".join([f"{lines[0]},name", *rows, ""]))
    judgments = write("judgments.csv", "topic,doc,grade\nT1,x2,1\nT1,x3,0\nT2,x4,2\n")
    made = propose([log, judgments], folder=tmp_path)
    assert made.settings["results"]["columns"]["doc_id"] == "name"
    assert "'doc_id' is called" in " ".join(asked(made, "results.columns.doc_id"))


def test_answers_beside_a_log_of_events(write, tmp_path, quiet_read):
    events = "user,task,session,time,action,query,rank,doc\n" + "".join(
        f"{user},{task},s{at},2026-03-02T10:{at:02}:0{step}Z,{row}\n"
        for at, (user, task) in enumerate(EACH)
        for step, row in enumerate(("query,jaguar,,", "impression,,1,d1", "click,,1,d1"))
    )
    after = write("after.csv", f"user,task,ease\n{rows_of(lambda at: at)}")
    made = propose([write("events.csv", events), after], folder=tmp_path)
    assert said(made) == [{"columns": {"user_id": "user", "topic_id": "task"}}]
    assert quiet_read(write("study.toml", made.text)).sessions.collect()["ease"].sum() == 28


@pytest.mark.parametrize(
    ("user", "task"), [(str.upper, str.lower), (lambda one: one[1:], lambda one: f"task {one[1:]}")]
)
def test_ids_that_are_written_otherwise_than_in_the_log_are_asked_about(proposal, write, quiet_read, user, task):
    rows = "".join(f"{user(one)},{task(other)},{at}\n" for at, (one, other) in enumerate(EACH))
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=f"participant,task,ease\n{rows}")
    assert "as in the log" in " ".join(asked(made, "questionnaires.values"))
    assert sessions["ease"].null_count() == 8
    study = quiet_read(write("study.toml", made.text.replace("# values", "values")))
    assert study.sessions.collect()["ease"].sum() == 28


def test_tasks_that_are_not_those_of_the_log_are_asked_about(proposal):
    rows = "".join(f"{user},{'xy'[at % 2]},{at}\n" for at, (user, _) in enumerate(EACH))
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,ease\n{rows}")
    assert "'task' has 'x', 'y', the log 'T1', 'T2'" in made.questions[0].text
    assert "questionnaires" not in made.settings


def test_numbers_that_mean_no_answer_are_asked_about(proposal):
    rows = rows_of(lambda at: -9 if at == 2 else at % 4 + 1, lambda at: 99 if at == 1 else 5, lambda at: 95 + at)
    made, sessions, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,ease,fun,points\n{rows}")
    assert said(made)[0]["null"] == ["", "-9"]  # 99 points are an answer
    assert "'-9' among smaller answers" in asked(made, "questionnaires.null")[0]
    assert sessions["ease"].sum() == 2 * (1 + 2 + 3 + 4) - 3


def test_labels_of_the_ends_of_a_scale_are_worth_their_numbers(proposal, write, quiet_read):
    labels = ["1 - not at all", "2", "3", "4", "5 - very"]
    made, _, _ = proposal(
        log=LOG_WITH_QUERIES,
        after=f"user,task,ease,used\n{rows_of(lambda at: labels[at % 5], lambda at: ['No', 'Yes'][at % 2])}",
    )
    answered = made.text.replace("# values", "values")
    values = {"ease": {"1 - not at all": 1, "5 - very": 5}, "used": {"No": 0, "Yes": 1}}
    assert tomllib.loads(answered)["questionnaires"][0]["values"] == values
    sessions = quiet_read(write("study.toml", answered)).sessions.collect()
    assert (sessions["ease"].sum(), sessions["used"].sum()) == (15 + 6, 4)


def test_long_tables_with_labels_and_a_repeated_answer_are_asked_about_once(proposal, write, quiet_read):
    rows = "".join(
        f"{user};{task};{item};{SCALE[(at + shift) % 5]}\n"
        for at, (user, task) in enumerate(EACH)
        for shift, item in enumerate(("aise", "vitesse"))
    )
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"sujet;tâche;énoncé;réponse\n{rows}u1;T1;aise;Satisfied\n")
    assert said(made)[0]["columns"]["value"] == "réponse"
    assert sum("the first answer is kept" in question.text for question in made.questions) == 1
    sessions = quiet_read(write("study.toml", made.text.replace("# values", "values"))).sessions.collect()
    assert (sessions["aise"].sum(), sessions["vitesse"].sum()) == (21, 21 - 1 + 4)  # 2 to 5, 1 to 4


@pytest.mark.slow
def test_answers_of_a_workbook_and_of_parquet(write, tmp_path, quiet_read):
    answers = pl.DataFrame(
        {"who": [user for user, _ in EACH], "task": [task for _, task in EACH], "Q1": list(range(8))}
    )
    texts = pl.DataFrame({"who": ["Your number"], "task": ["The task"], "Q1": ["How easy was it?"]})
    with_texts = pl.concat([texts, answers.cast(pl.String)])
    with_texts.write_excel(tmp_path / "a.xlsx")
    with_texts.write_parquet(tmp_path / "b.parquet")
    answers.write_ndjson(tmp_path / "c.ndjson")
    log = write("log.csv", LOG_WITH_QUERIES)
    for name in ("a.xlsx", "b.parquet", "c.ndjson"):
        made = propose([log, tmp_path / name], folder=tmp_path)
        sessions = quiet_read(write("study.toml", made.text)).sessions.collect()
        assert sessions["Q1"].sum() == 28, name


@pytest.mark.slow
def test_words_at_the_ends_of_a_scale_of_numbers_are_asked_for_their_values(proposal, write, quiet_read):
    labels = ["Strongly disagree", "2", "3", "4", "Strongly agree"]
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,ease\n{rows_of(lambda at: labels[at % 5])}")
    sessions = quiet_read(write("study.toml", made.text.replace("# values", "values"))).sessions.collect()
    assert sessions["ease"].sum() == 15 + 6
    made, _, _ = proposal(log=LOG_WITH_QUERIES, after=f"user,task,ease\n{rows_of(lambda at: at or 'all over')}")
    assert "'ease': 'all over'" in asked(made, "questionnaires.values")[0]


def test_labels_of_users_are_asked_for_their_values(proposal, write, quiet_read):
    people = "".join(f"u{user},{SCALE[user]}\n" for user in range(1, 5))
    made, _, _ = proposal(log=LOG_WITH_QUERIES, people=f"user,trust\n{people}")
    assert "'trust' are words" in asked(made, "users.values")[0]
    users = quiet_read(write("study.toml", made.text.replace("# values", "values"))).users.collect()
    assert users["trust"].to_list() == [2, 3, 4, 5]


def test_sheets_of_one_participant_each_are_one_questionnaire(write, tmp_path, quiet_read):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "answers.xlsx") as book:
        for user in range(1, 5):
            sheet = book.add_worksheet(f"u{user}")
            for at, row in enumerate((("task", "ease"), ("T1", user), ("T2", 2 * user))):
                sheet.write_row(at, 0, row)
    made = propose([write("log.csv", LOG_WITH_QUERIES), tmp_path / "answers.xlsx"], folder=tmp_path)
    assert said(made)[0]["sheet"] == ["u1", "u2", "u3", "u4"]
    sessions = quiet_read(write("study.toml", made.text)).sessions.collect()
    assert sessions["ease"].sum() == 3 * (1 + 2 + 3 + 4)
