"""Private logs as tables: what is asked, what is taken for what and why, each on a few made-up lines.

Files that share the id of a query: `init` joins results and clicks to their queries by it, whatever it is called.
"""

import random
import re

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.propose.proposal import spelled
from sessionkit.readers.propose.propose import propose
from tests.readers.propose.studies import delimited

GRID = [(f"s{s}", q, r, f"d{(s * 3 + q * 5 + r) % 17}") for s in range(6) for q in (1, 2, 3) for r in (1, 2, 3, 4)]


@pytest.fixture
def proposal(write, tmp_path, quiet_read):
    """Propose a study.toml for files given as header and rows; it must read without rejects unless told otherwise."""

    def proposal(rejects=False, **files):
        paths = []
        for name, (header, rows) in files.items():
            lines = [header, *(",".join(map(str, row)) for row in rows)]
            paths.append(write(f"{name}.csv", "\n".join(lines) + "\n"))
        made = propose(paths, folder=tmp_path)
        read = quiet_read(write("study.toml", made.text))
        assert read.rejected.collect().is_empty() is not rejects
        return made

    return proposal


def asked(made, place):
    """Return what is asked at a place."""
    return " ".join(question.text for question in made.questions if question.place == place)


def more(values):
    """Return the rows with one more column."""
    return [(*row, values[at % len(values)]) for at, row in enumerate(GRID)]


def test_positions_and_ranks_from_0_are_declared_and_asked_about(proposal):
    made = proposal(results=("session,turn,rank,url", [(s, q - 1, r - 1, d) for s, q, r, d in GRID]))
    assert made.settings["results"]["base"] == {"query_position": 0, "rank": 0}
    assert "'turn' and 'rank' is 0" in asked(made, "results.base")
    made = proposal(results=("session,turn,rank,url", [(s, q, r - 1, d) for s, q, r, d in GRID]))
    assert made.settings["results"]["base"] == {"rank": 0}


@pytest.mark.parametrize("text", ["no results", "-", "timeout"])
def test_a_text_in_place_of_ranks_means_an_empty_list(proposal, text):
    rows = [*GRID, ("s0", 4, text, "")]
    made = proposal(results=("session,qno,rank,url", rows))
    assert made.settings["results"]["empty_list"] == text
    assert ("Did the query return nothing?" in asked(made, "results.empty_list")) is (text != "no results")
    made = proposal(rejects=True, results=("session,qno,rank,url", [*rows, ("s1", 4, "error", "x")]))
    assert "'error'" in asked(made, "results.empty_list") + " " + asked(made, "results.columns.rank")


@pytest.mark.parametrize("text", ["no hits", "keine", ""])
def test_words_in_place_of_a_document_in_lists_without_ranks_mean_an_empty_list(proposal, text):
    made = proposal(results=("session,qno,rank,url", [*GRID, ("s0", 4, "", text), ("s1", 4, "", text)]))
    assert made.settings["results"]["empty_list"] == text
    if text == "no hits":
        assert re.search(r'^# 2 rows .*\nempty_list = "no hits"$', made.text, re.MULTILINE)
        assert not asked(made, "results.empty_list")
    else:
        said = "with 'keine' as document" if text else "with neither rank nor document"
        assert f"{said}. Did the query return nothing?" in asked(made, "results.empty_list")
    assert not asked(made, "results.columns.rank") + asked(made, "results.columns.doc_id")


def test_words_and_nothing_in_place_of_documents_are_asked_about(proposal):
    made = proposal(
        rejects=True, results=("session,qno,rank,url", [*GRID, ("s0", 4, "", "no hits"), ("s1", 4, "", "")])
    )
    assert made.settings["results"]["empty_list"] == "no hits"
    assert 'also nothing. empty_list = ""' in asked(made, "results.empty_list")
    assert "1 row without rank: rejected" in asked(made, "results.columns.rank")


@pytest.mark.parametrize("documents", [["d1", "d2"], ["e1", "e2", "e3", "e4"]])
def test_documents_without_a_rank_mean_no_empty_list(proposal, documents):
    """They are documents of other lists, or too many for words."""
    rows = [*GRID, *(("s0", 4, "", document) for document in documents)]
    made = proposal(rejects=True, results=("session,qno,rank,url", rows))
    assert "empty_list" not in made.settings["results"]
    assert "without rank: rejected" in asked(made, "results.columns.rank")


def test_a_text_in_place_of_a_rank_among_ranks_means_no_empty_list(proposal):
    rows = [(s, q, "ad" if r == 2 else r, d) for s, q, r, d in GRID]
    made = proposal(rejects=True, results=("session,qno,rank,url", rows))
    assert "empty_list" not in made.settings["results"]
    assert "'ad' is not a valid rank" in asked(made, "results.columns.rank")


def test_texts_that_mean_no_value_are_declared_where_numbers_have_them(proposal):
    made = proposal(results=("session,qno,rank,url,dwell", more(["3", "NA", "8"])))
    assert made.settings["results"]["null"] == ["", "NA"]
    made = proposal(results=("session,qno,rank,url,dwell", more(["3", "NaN", "-1"])))
    assert made.settings["results"]["null"] == ["", "NaN", "-1"]


def test_a_text_that_is_an_id_elsewhere_is_not_declared_to_mean_no_value(proposal):
    rows = [(*row, "NA" if at % 3 else "5") for at, row in enumerate([("NA", *GRID[0][1:]), *GRID[12:]])]
    made = proposal(results=("session,qno,rank,url,dwell", rows))
    assert "null" not in made.settings["results"]
    assert "dwell_seconds" not in made.settings["results"]["columns"]
    assert re.search("'dwell' .*not .*dwell_seconds, .*'NA'", made.text)


def test_a_column_with_a_name_of_ours_that_holds_something_else_is_kept_under_another(proposal):
    made = proposal(results=("session,qno,rank,url,clicked,score", [(*row, "red", "many") for row in GRID]))
    columns = made.settings["results"]["columns"]
    assert (columns["clicked_given"], columns["score_given"]) == ("clicked", "score")
    assert "as it holds 'red'" in made.text


@pytest.mark.slow
def test_a_click_is_yes_or_no_a_number_or_a_time_by_what_it_holds(proposal):
    for values, ours in (
        (["0", "1"], "clicked"),
        (["0", "1", "3"], "clicks"),
        (["2024-01-01T10:00:00Z", ""], "clicked_at"),
    ):
        made = proposal(results=("session,qno,rank,url,click", more(values)))
        assert made.settings["results"]["columns"][ours] == "click"
        assert bool(asked(made, f"results.columns.{ours}")) is (ours == "clicks")
    made = proposal(results=("session,qno,rank,url,clicked", more(["0", "1", "3"])))  # how often, or at which rank
    assert "(0 to 3) cannot be clicked" in asked(made, "results.columns.clicks")


def test_seconds_are_seconds(proposal):
    made = proposal(results=("session,qno,rank,url,dwell_ms", more(["1200", "30500"])))
    assert made.settings["results"]["columns"]["dwell_seconds"] == "dwell_ms"
    assert made.settings["results"]["units"] == {"dwell_seconds": "milliseconds"}
    made = proposal(results=("session,qno,rank,url,dwell_us", more(["1200", "30500"])))
    assert "dwell_seconds" not in made.settings["results"]["columns"]
    made = proposal(results=("session,qno,rank,url,dwell", more(["1200", "30500"])))
    assert "Is that seconds?" in asked(made, "results.columns.dwell_seconds")


def test_days_alone_are_no_times_of_queries(proposal):
    rows = [(*row, f"1{row[1]}.03.2024") for row in GRID]
    made = proposal(results=("session,qno,rank,doc,Datum", rows))
    assert "issued_at" not in made.settings["results"]["columns"]
    assert re.search("'Datum' has days .*issued_at", made.text)
    made = proposal(results=("session,qno,rank,doc,Datum", [(*row[:-1], f"{row[-1]} 10:00") for row in rows]))
    assert made.settings["results"]["columns"]["issued_at"] == "Datum"
    assert made.settings["results"]["times"] == "%d.%m.%Y %H:%M"


def test_what_varies_within_a_session_is_no_column_of_it(proposal):
    made = proposal(results=("session,qno,rank,url,user", more(["u1", "u2", "u3"])))
    assert "user_id" not in made.settings["results"]["columns"]
    made = proposal(results=("session,qno,rank,url,user", [(*row, f"u{row[0]}") for row in GRID]))
    assert made.settings["results"]["columns"]["user_id"] == "user"


def test_two_candidates_are_asked_about_unless_judgments_decide(proposal):
    rows = [(*row, f"D{row[3]}") for row in GRID]
    made = proposal(results=("session,qno,rank,url,docno", rows))
    assert made.settings["results"]["columns"]["doc_id"] == "docno"
    assert "'url' could be" in asked(made, "results.columns.doc_id")
    judgments = ("session,doc,rel", sorted({(s, d, 1) for s, _, _, d in GRID}))
    made = proposal(results=("session,qno,rank,url,docno", rows), judgments=judgments)
    assert made.settings["results"]["columns"]["doc_id"] == "url"
    assert asked(made, "results.columns.doc_id") == ""


def test_lists_with_a_column_of_words_are_no_events(proposal):
    made = proposal(results=("session,qno,rank,url,kind", more(["query", "click", "view"])))
    assert made.settings["format"] == "tables"


def test_two_ranks_are_asked_about(proposal):
    made = proposal(results=("session,qno,rank,url,position", [(*row, 5 - row[2]) for row in GRID]))
    assert "'position' could be" in asked(made, "results.columns.rank")


def test_documents_that_no_judgment_knows_are_asked_about(proposal):
    made = proposal(
        results=("session,qno,rank,url", GRID), judgments=("session,doc,rel", [("s1", "x1", 1), ("s2", "x2", 0)])
    )
    assert "no value of 'url' is" in asked(made, "results.columns.doc_id")


def test_sessions_and_topics_that_are_numbered_alike_are_told_apart_by_their_documents(proposal):
    rows = [(int(s[1:]) + 1, int(s[1:]) % 3 + 1, q, r, d) for s, q, r, d in GRID]
    for key, at in (("topic_id", 1), ("judgment_key", 0)):
        judged = sorted({(row[at], row[4], 1) for row in rows})
        made = proposal(results=("session,topic,qno,rank,doc", rows), judgments=("id,doc,rel", judged))
        columns = made.settings["results"]["columns"]
        assert columns[key] == ("topic" if at else "session")
        assert columns["topic_id"] == "topic"


def test_judgments_of_each_user_leave_the_user_where_it_is(proposal):
    rows = [(*row, f"u{int(row[0][1:]) % 2}") for row in GRID]
    made = proposal(
        results=("session,qno,rank,doc,user", rows),
        judgments=("user,doc,rel", sorted({(user, d, 1) for _, _, _, d, user in rows})),
    )
    columns = made.settings["results"]["columns"]
    assert (columns["judgment_key"], columns["user_id"]) == ("user", "user")


def test_what_comes_again_and_again_in_a_list_is_no_document(proposal):
    made = proposal(results=("session,qno,rank,page,doc", [(*row[:3], row[2] // 3, row[3]) for row in GRID]))
    assert made.settings["results"]["columns"]["doc_id"] == "doc"
    assert made.questions == ()


def test_rows_without_a_rank_or_a_document_are_asked_about(proposal):
    rows = [(s, q, r if r < 4 else "", d if r > 1 else "") for s, q, r, d in GRID]
    made = proposal(rejects=True, results=("session,qno,rank,doc", [*rows, ("s0", 4, "no results", "")]))
    assert asked(made, "results.columns.rank").startswith("18 rows without rank: rejected.")  # one in each of 6 * 3
    assert asked(made, "results.columns.doc_id").startswith("18 rows without doc_id: ")


def test_judgments_by_the_id_of_a_query(proposal):
    queries = sorted({(s, q, f"{s}-{q}", f"find {q}") for s, q, _, _ in GRID})
    judged = [(f"{s}-{q}", d, r % 2) for s, q, r, d in GRID]
    made = proposal(
        results=("session,qno,rank,doc", GRID),
        queries=("session,qno,qid,query", queries),
        judgments=("qid,doc,rel", judged),
    )
    assert made.settings["queries"]["columns"]["judgment_key"] == "qid"
    assert made.settings["queries"]["columns"]["query_id"] == "qid"


@pytest.mark.slow
def test_grades_that_are_words_or_have_commas_are_labeled(proposal):
    pairs = sorted({(s, d) for s, _, _, d in GRID})
    judged = [(*pair, ("Exact", "Irrelevant")[at % 2]) for at, pair in enumerate(pairs)]
    made = proposal(results=("session,qno,rank,doc", GRID), judgments=("session,doc,label", judged))
    assert made.settings["judgments"]["grade_values"] == {"Exact": 3, "Irrelevant": 0}
    assert asked(made, "judgments.grade_values")
    judged = [(*pair, ('"0,5"', "1", '"1,5"')[at % 3]) for at, pair in enumerate(pairs)]
    made = proposal(results=("session,qno,rank,doc", GRID), judgments=("session,doc,label", judged))
    assert made.settings["judgments"]["decimal"] == ","
    assert "grade in judgments.csv is 1.5" in asked(made, "max_grade")
    judged = [(*pair, ("good", "so so")[at % 2]) for at, pair in enumerate(pairs)]
    made = proposal(rejects=True, results=("session,qno,rank,doc", GRID), judgments=("session,doc,label", judged))
    assert "'good', 'so so'" in asked(made, "judgments.grade_values")
    assert '\n# grade_values = { good = 0, "so so" = 0 }\n' in made.text
    assert len(made.questions) == 2  # and max_grade: words are asked about once


@pytest.mark.slow
def test_a_grade_whose_name_is_not_usual_or_not_the_only_one_is_asked_about(proposal):
    judged = [(s, d, at % 3, at % 2) for at, (s, d) in enumerate(sorted({(s, d) for s, _, _, d in GRID}))]
    for header, said in (
        ("session,doc,itelet,deutlich", r"^'deutlich' is .*\('0', '1'\); 'itelet' could be"),
        ("session,doc,grade,relevance", "'relevance' could be"),
        ("session,doc,grade,seconds", ""),
    ):
        made = proposal(results=("session,qno,rank,doc", GRID), judgments=(header, judged))
        assert re.search(said, asked(made, "judgments.columns.grade"))
        assert bool(said) is bool(asked(made, "judgments.columns.grade"))


def test_rows_without_grade_are_left_to_the_format_that_leaves_them_out(proposal):
    judged = [(s, d, "" if r == 1 else 1) for s, _, r, d in GRID]
    made = proposal(results=("topic,qno,rank,doc", GRID), judgments=("topic,doc,rel", judged))
    assert made.settings["judgments"] == {"path": "judgments.csv", "format": "graded_topics"}


def test_the_top_of_the_scale_is_asked_for_and_never_taken_from_the_data(proposal):
    judged = sorted({(s, d, at % 4 - 1) for at, (s, _, _, d) in enumerate(GRID)})
    made = proposal(results=("session,qno,rank,doc", GRID), judgments=("session,doc,rel", judged))
    assert "max_grade" not in made.settings
    assert "\n# max_grade = 2\n" in made.text
    assert "unjudged_grades" not in made.settings
    assert "below 0 (-1)" in asked(made, "unjudged_grades")


@pytest.mark.slow
def test_times_without_zone_are_asked_about(proposal):
    made = proposal(results=("session,qno,rank,doc,timestamp", [(*row, f"2024-01-0{row[1]} 10:00:00") for row in GRID]))
    assert made.settings["results"]["columns"]["issued_at"] == "timestamp"
    assert "'timestamp' of results.csv ('2024-01-01 10:00:00')" in asked(made, "timezone")
    made = proposal(
        results=("session,qno,rank,doc,timestamp", [(*row, f"2024-01-0{row[1]} 10:00:00Z") for row in GRID])
    )
    assert asked(made, "timezone") == ""
    made = proposal(results=("session,qno,rank,doc,time", [(*row, row[1] * 20) for row in GRID]))
    assert re.search(r"seconds since .* \(20 to 60\)", asked(made, "results.columns.elapsed_seconds"))


@pytest.mark.slow
def test_the_order_of_day_and_month_is_asked_once_for_columns_that_agree(proposal):
    rows = [(*row, f"0{row[1]}/05/2025 09:00:00", f"0{row[1]}/05/2025 09:00:09") for row in GRID]
    made = proposal(results=("session,qno,rank,doc,query time,click time", rows))
    assert made.text.count("Which is it?") == 1
    said = asked(made, "results.times")
    assert re.match("every date .*'click time', .*'01/05/2025 09:00:00'", said)
    assert "'query time' and" in said
    assert "read as %d/%m/%Y %H:%M:%S, else say %m" in said
    rows = [(*row, f"0{row[1] * 3}/05/2025 09:00:00", f"2{row[1]}/05/2025 09:00:09") for row in GRID]
    made = proposal(results=("session,qno,rank,doc,query time,click time", rows))
    assert "Which is it?" not in made.text, "clicks on the 21st show it"
    rows = [(*row, f"{row[1] * 4:02}/05/2025 09:00:00", f"05/{row[1] * 4:02}/2025 09:00:09") for row in GRID]
    said = asked(proposal(results=("session,qno,rank,doc,query time,click time", rows)), "results.times")
    first, other = (
        ("'query time'", "'click time'") if "in 'query time' are" in said else ("'click time'", "'query time'")
    )
    assert re.search(rf"in {first} are within 9 days, .*within 245; {other} ", said)


def test_gaps_and_ranks_that_come_twice_are_asked_about(proposal):
    made = proposal(rejects=True, results=("session,qno,rank,doc", [*GRID, ("s0", 1, 1, "d16")]))
    assert "in 5.6% of lists a rank" in asked(made, "results.columns.rank")  # 1 of 18
    made = proposal(results=("session,qno,rank,doc", [row for row in GRID if row[:2] != ("s0", 2)]))
    assert "16.7% of sessions 'qno' has gaps" in asked(made, "results.columns.query_position")  # 1 of 6
    assert 'say missing_positions = "empty"' in asked(made, "results.columns.query_position")


@pytest.mark.slow
def test_queries_numbered_through_the_file_and_sessions_numbered_for_each_user_are_named(proposal):
    rows = [(s, int(s[1:]) * 3 + q, r, d) for s, q, r, d in GRID]
    made = proposal(results=("session,qno,rank,doc", rows))
    assert "continues from session to session" in asked(made, "results.columns.query_position")
    rows = [(f"u{int(s[1:]) // 3}", int(s[1:]) % 3, q, r, d) for s, q, r, d in GRID]
    for name in ("session", "session_id"):
        made = proposal(results=(f"user,{name},qno,rank,doc", rows))
        assert made.settings["results"]["columns"]["session_id"] == ["user", name]
        assert made.questions == ()


def test_names_in_any_language_are_asked_about_where_the_rows_run_like_lists(proposal):
    header = "kísérleti alany,ülés száma,lekérdezés száma,순위,문서"
    made = proposal(results=(header, [(f"u{s}", *row) for s, *row in [(row[0], *row) for row in GRID]]))
    assert made.settings["results"]["columns"] == {
        "session_id": "kísérleti alany", "query_position": "lekérdezés száma", "rank": "순위", "doc_id": "문서"
    }  # fmt: skip
    places = [f"results.columns.{ours}" for ours in ("session_id", "query_position", "rank", "doc_id")]
    assert [question.place for question in made.questions] == places


def test_files_without_known_names_are_placed_by_the_ids_they_share(proposal):
    people = [(f"s{at}", "xyz"[at % 3]) for at in range(6)]
    judged = sorted({("xyz"[int(s[1:]) % 3], d, 1 if d > "d4" else 0) for s, _, _, d in GRID})
    made = proposal(
        results=("session,qno,rank,doc", GRID), people=("alpha,beta", people), values=("one,two,three", judged)
    )
    assert made.settings["sessions"]["columns"] == {"session_id": "alpha", "topic_id": "beta"}
    assert made.settings["judgments"]["columns"] == {"judgment_key": "one", "doc_id": "two", "grade": "three"}


def test_topics_in_words_are_no_judgments(proposal):
    rows = [(*row, f"T{int(row[0][1:]) % 2}") for row in GRID]
    topics = ("topic,title,length", [("T0", "old", 3), ("T1", "new", 4)])
    made = proposal(results=("session,qno,rank,doc,topic", rows), topics=topics)
    assert "judgments" not in made.settings
    assert any("topics.csv does not look" in question.text for question in made.questions)


def test_a_column_of_sessions_is_sought_in_the_results_where_their_table_lacks_it(proposal):
    results = ("session,qno,rank,doc,system,task", [(*row, "AB"[int(row[0][1:]) % 2], f"t{row[0]}") for row in GRID])
    sessions = [(f"s{at}", f"u{at}", f"ts{at}") for at in range(6)]
    made = proposal(results=results, sessions=("session,user,task", sessions))
    columns = {name: made.settings[name]["columns"] for name in ("sessions", "results")}
    assert columns["results"]["system_id"] == "system"
    assert "topic_id" not in columns["results"]
    assert (columns["sessions"]["user_id"], columns["sessions"]["topic_id"]) == ("user", "task")
    assert "is not taken for" not in made.text


def test_a_count_of_sessions_makes_no_sessions_of_users(proposal):
    rows = [(*row, f"u{int(row[0][1:]) % 3}") for row in GRID]
    people = ("user,age,session", [(f"u{at}", 30, at) for at in range(3)])
    made = proposal(results=("session,qno,rank,doc,user", rows), people=people)
    assert made.settings["users"]["columns"]["user_id"] == "user"
    assert "sessions" not in made.settings


def test_a_file_that_is_nothing_is_said_to_be_unused(proposal):
    made = proposal(results=("session,qno,rank,doc", GRID), notes=("a,b", [("x", 1), ("y", 2)]))
    assert "notes" not in made.settings
    assert any("notes.csv does not look" in question.text for question in made.questions)


def test_grades_within_the_log_are_asked_about(proposal):
    made = proposal(results=("session,qno,rank,doc,relevance", more(["0", "1", "2"])))
    assert any("'relevance' looks like a grade" in question.text for question in made.questions)


def test_a_file_of_judgments_with_no_key_is_refused(write):
    files = [write("r.csv", "session,qno,rank,doc\ns,1,1,a\ns,1,2,b\n"), write("j.csv", "doc,doc2,rel\na,a,1\nb,b,0\n")]
    assert propose(files).settings["judgments"]["columns"]["grade"] == "rel"
    with pytest.raises(DataError, match="no column can be a grade"):
        propose([files[0], write("k.csv", "topic,doc,relevance\nx,a,\ny,b,\n")])


def test_participant_and_task_are_a_session_where_no_column_is_one(proposal):
    rows = [(f"p{int(s[1:]) // 3}", "ABC"[int(s[1:]) % 3], "XY"[int(s[1:]) % 2], q, r, d) for s, q, r, d in GRID]
    made = proposal(results=("person,task,system,qno,rank,doc", rows))
    columns = made.settings["results"]["columns"]
    assert (columns["session_id"], columns["user_id"], columns["topic_id"]) == (["person", "task"], "person", "task")
    assert "'person' and 'task' together are" in made.text
    assert made.questions == ()
    rows = [(p, "XY"[at % 2], q, r, d) for at in (0, 1) for p, _, _, q, r, d in rows[:12]]
    made = proposal(results=("person,system,qno,rank,doc", rows))
    assert made.settings["results"]["columns"]["session_id"] == ["person", "system"]


def test_queries_without_numbers_are_numbered_as_they_come(proposal):
    made = proposal(results=("session,query,rank,doc", [(s, f"find {q}", r, d) for s, q, r, d in GRID]))
    assert made.settings["results"]["number_queries"] is True
    assert "query_position" not in made.settings["results"]["columns"]
    made = proposal(queries=("session,query", sorted({(s, f"find {q}") for s, q, _, _ in GRID})))
    assert made.settings["queries"]["number_queries"] is True


@pytest.mark.parametrize(("grades", "where"), [("0120", "judgments"), ("012", "results")])
def test_grades_in_the_results_are_judgments_where_they_are_the_same_for_all(grades, where, proposal):
    rows = [(f"s{s}", "t1", q, r, f"d{r}") for s in range(4) for q in (1, 2) for r in (1, 2, 3, 4)]
    given = [(*row, grades[(row[3] if len(grades) == 4 else at) % len(grades)]) for at, row in enumerate(rows)]
    made = proposal(results=("session,topic,qno,rank,doc,relevance", given))
    if where == "judgments":
        assert made.settings["judgments"] == {
            "path": "results.csv",
            "columns": {"judgment_key": "topic", "doc_id": "doc", "grade": "relevance"},
        }
        assert re.search("'relevance' of a document .*'topic'", made.text)
        assert [question.place for question in made.questions] == ["max_grade"]
    else:
        assert "judgments" not in made.settings
        assert "'relevance' looks like a grade" in made.questions[0].text


@pytest.mark.parametrize(
    ("words", "worth"),
    [
        (["nicht relevant", "Relevant", "relevant", "teilweise relevant"], [0, 2, 2, 1]),
        (["très pertinent", "pertinent", "non pertinent"], [2, 1, 0]),
        (["H", "N", "P"], [2, 0, 1]),
        (["relevant", "highly relevant"], [1, 2]),  # no word for 0: the lowest is not worth nothing
    ],
)
def test_words_of_known_languages_are_worth_what_their_order_says(words, worth, proposal):
    pairs = sorted({(s, d) for s, _, _, d in GRID})
    judged = [(*pair, words[at % len(words)]) for at, pair in enumerate(pairs)]
    made = proposal(results=("session,qno,rank,doc", GRID), judgments=("session,doc,label", judged))
    assert made.settings["judgments"]["grade_values"] == dict(zip(words, worth, strict=True))
    assert asked(made, "judgments.grade_values").startswith("grades are words.")


def test_few_mistyped_cells_leave_a_column_what_it_is(proposal):
    values = ["x7", *["12", "30"] * 30]
    made = proposal(rejects=True, results=("session,qno,rank,doc,dwell", more(values)))
    assert made.settings["results"]["columns"]["dwell_seconds"] == "dwell"
    assert re.search("^# 1 text .* dwell_seconds, such as 'x7'", made.text, re.MULTILINE)
    made = proposal(results=("session,qno,rank,doc,dwell", more(["x7", "12", "30"])))
    assert "dwell_seconds" not in made.settings["results"]["columns"]


def test_totals_are_no_part_of_the_log(proposal):
    rows = [(*row, "ja" if row[2] == 1 else "nein") for row in GRID]
    made = proposal(rejects=True, results=("session,qno,rank,doc,klick", [*rows, ("", "", "", "Summe", 18)]))
    assert made.settings["results"]["columns"]["clicked"] == "klick"
    assert [question.place for question in made.questions] == ["results.columns.session_id"]
    assert re.match("1 .* 73 .*: session_id_is_given", asked(made, "results.columns.session_id"))


def test_a_log_that_lacks_a_column_is_proposed_as_far_as_it_goes(write, tmp_path):
    text = "Teilnehmer;Anfrage;Dokument;Klick\nP1;auto;d1;ja\nP1;bus;d2;nein\nP2;rad;d1;ja\n"
    files = [write("log.csv", text), write("notes.csv", "a,b\nx,1\ny,2\n")]
    made = propose(files, folder=tmp_path)
    assert made.settings["results"]["columns"] == {
        "user_id": "Teilnehmer", "query_text": "Anfrage", "doc_id": "Dokument", "clicked": "Klick"
    }  # fmt: skip
    assert made.settings["results"]["values"] == {"clicked": {"ja": True, "nein": False}}
    assert "notes.csv is not used" in made.questions[0].text
    places = [question.place for question in made.questions[1:]]
    assert places == [f"results.columns.{ours}" for ours in ("session_id", "query_position", "rank")]
    assert "each 'Teilnehmer' had one" in asked(made, "results.columns.session_id")
    assert '\n# session_id = "Teilnehmer"\n' in made.text
    assert '\n# rank = "..."\n' in made.text


def test_results_without_a_document_are_proposed_with_a_question_about_it(write, tmp_path):
    rows = "".join(f"p{s[1:]},{q},find {q},{r}\n" for s, q, r, _ in GRID)
    made = propose(write("log.csv", f"session,qno,query,rank\n{rows}"), folder=tmp_path)
    assert [question.place for question in made.questions] == ["results.columns.doc_id"]
    assert '\n# doc_id = "..."\n' in made.text


SESSIONS = [f"s{number}" for number in range(6)]


@pytest.mark.few(4, slow=3)
@pytest.mark.parametrize(
    ("column", "levels", "is_asked"),
    [
        ("ab_bucket", ["0", "1"], True),
        ("Gruppe", ["eins", "zwei", "drei"], True),
        ("x17", ["control", "Treatment"], True),
        ("x17", ["red", "blue"], False),
        ("age group", ["18-30", "31-40"], False),
        ("ab_bucket", ["0"], False),
        ("ab_bucket", ["0", "1", "2", "3"], False),  # some for one session only
    ],
)
def test_a_column_that_may_be_the_condition_is_asked_about(column, levels, is_asked, proposal):
    rows = [(*row, levels[SESSIONS.index(row[0]) % len(levels)]) for row in GRID]
    made = proposal(results=(f"session,qno,rank,url,{column}", rows))
    assert ("Is it " in asked(made, "results.columns.system_id")) is is_asked
    assert (f"\n# system_id = {spelled(column)}\n" in made.text) is is_asked
    assert "system_id" not in made.settings["results"]["columns"]


def test_no_condition_is_asked_about_that_is_named_or_changes_within_a_session(proposal):
    named = [(*row, "AB"[at // 12 % 2], "xy"[at // 12 % 2]) for at, row in enumerate(GRID)]
    header = "session,qno,rank,url,system,group"
    assert not proposal(results=(header, named)).questions
    changing = [(*row, "AB"[at % 2]) for at, row in enumerate(GRID)]
    assert not proposal(results=("session,qno,rank,url,group", changing)).questions


ENGLISH = {"id": "query_id", "session": "session", "at": "timestamp", "text": "query", "rank": "rank", "doc": "doc"}
GERMAN = {"id": "Suche", "session": "Sitzung", "at": "Zeit", "text": "Suchanfrage", "rank": "Rang", "doc": "Dokument"}
PLAIN = {"id": "search", "session": "visit", "at": "time", "text": "q", "rank": "position", "doc": "url"}


def log(id_of):
    """Queries, results and clicks of five sessions; each query has an id by its session, its position and its number in all."""
    queries, results, clicks = [], [], []
    for session in range(5):
        for position in range(1, 4):
            key = id_of(session, position, len(queries) + 1)
            at = f"2026-03-0{session + 1}T10:0{position}:00Z"
            queries.append({"id": key, "session": f"s{session}", "at": at, "text": f"find {session} {position}"})
            for rank in range(1, 2 + (session + position) % 3):
                doc = f"d{session}{position}{rank}"
                results.append({"id": key, "session": f"s{session}", "rank": rank, "doc": doc})
                if rank == 2:
                    clicks += [{"id": key, "session": f"s{session}", "doc": doc, "at": at}] * position
    return queries, results, clicks


def lists_of(read, *more):
    """The documents of a study with their places."""
    return sorted(read.results.collect().select("session_id", "query_position", "rank", "doc_id", *more).rows())


@pytest.mark.few(4, slow=2)
@pytest.mark.parametrize("names", [ENGLISH, GERMAN, PLAIN])
@pytest.mark.parametrize(
    ("id_of", "by_session"),
    [
        (lambda _session, _position, number: f"q{number:02}", False),
        (lambda _session, _position, number: str(number), False),
        (lambda _session, position, _number: str(10 * position), True),
    ],
)
def test_results_and_clicks_are_joined_by_the_id_of_their_query(  # noqa: PLR0917
    names, id_of, by_session, write, tmp_path, quiet_read
):
    chance = random.Random(7)  # noqa: S311
    files = []
    for name, rows in zip(("queries", "results", "clicks"), log(id_of), strict=True):
        wanted = [key for key in rows[0] if name == "queries" or by_session or key != "session"]
        shuffled = chance.sample(rows, len(rows))
        files.append(
            write(f"{name}.csv", delimited([{names[key]: str(row[key]) for key in wanted} for row in shuffled]))
        )
    proposal = propose(files, folder=tmp_path)
    assert proposal.questions == ()
    assert proposal.settings["results"]["columns"]["query_id"] == names["id"]
    assert "number_queries" not in proposal.settings["results"]
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.rejected.collect().is_empty()
    expected = [
        (f"s{session}", position, rank, f"d{session}{position}{rank}", position if rank == 2 else 0)
        for session in range(5)
        for position in range(1, 4)
        for rank in range(1, 2 + (session + position) % 3)
    ]
    assert lists_of(read, "clicks") == expected


def proposed(write, tmp_path, **tables):
    """The proposal for rows of queries and results, in files of English names."""
    files = [
        write(
            f"{name}.csv",
            delimited([{ENGLISH.get(key, key): str(value) for key, value in row.items()} for row in rows]),
        )
        for name, rows in tables.items()
    ]
    return propose(files, folder=tmp_path)


def without(rows, *names):
    """Rows without some of their columns."""
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


@pytest.mark.parametrize(
    ("id_of", "is_reversed", "value", "question"),
    [
        (lambda _session, _position, number: f"q{number:02}", False, True, None),
        (lambda _session, _position, number: f"q{number:02}", True, "newest first", "'query_id' falls"),
        (
            lambda session, position, _number: f"{'xkb'[position - 1]}{'rbjwa'[session]}",
            False,
            True,
            "in which order",
        ),
    ],
)
def test_the_order_of_queries_without_time_is_said_or_asked(  # noqa: PLR0917
    id_of, is_reversed, value, question, write, tmp_path
):
    queries, results, _ = log(id_of)
    queries = without(queries, "at")[:: -1 if is_reversed else 1]
    proposal = proposed(write, tmp_path, queries=queries, results=without(results, "session"))
    assert proposal.settings["queries"]["number_queries"] == value
    texts = [each.text for each in proposal.questions if each.place == "queries.number_queries"]
    assert len(texts) == (question is not None)
    assert question is None or question in texts[0]


def test_results_of_no_query_are_asked_about(write, tmp_path):
    queries, results, _ = log(lambda _session, _position, number: f"q{number:02}")
    lost = [{**results[0], "id": f"z{at}"} for at in range(4)]
    proposal = proposed(write, tmp_path, queries=queries, results=without(results + lost, "session"))
    assert any("4 records" in each.text and "query_is_known" in each.text for each in proposal.questions)


def test_rows_that_may_be_no_clicks_are_asked_about(write, tmp_path):
    queries, results, _ = log(lambda _session, _position, number: f"q{number:02}")
    notes = without(results[::3], "session", "rank")
    proposal = proposed(write, tmp_path, queries=queries, results=without(results, "session"), seen=notes)
    assert [each.place for each in proposal.questions] == ["clicks.columns"]
    assert "every row counts as a click" in proposal.questions[0].text


def test_a_column_of_clicks_beside_a_file_of_clicks_is_asked_about(write, tmp_path, quiet_read):
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    flagged = [{**row, "clicked": int(row["rank"] == 2)} for row in without(results, "session")]
    proposal = proposed(write, tmp_path, queries=queries, results=flagged, clicks=without(clicks, "session"))
    assert [each.place for each in proposal.questions] == ["results.columns.clicked_given"]
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml").results.collect()
    assert read.filter(clicked=True)["clicked_given"].to_list() == [1] * read["clicked"].sum()


@pytest.mark.slow
def test_clicks_on_lists_beyond_the_sample_are_clicks(write, tmp_path, quiet_read, monkeypatch):
    """The sample holds 15 of 30 results; clicks on the others say nothing against the file."""
    monkeypatch.setattr("sessionkit.readers.propose.sample.ROWS", 16)
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    assert len(results) > 16 >= len(queries)
    later = [row for row in clicks if row["session"] > "s1"]
    assert len(later) > len(clicks) / 2
    proposal = proposed(write, tmp_path, queries=queries, results=results, clicks=clicks)
    assert proposal.questions == ()
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.results.collect()["clicks"].sum() == len(clicks)


def test_clicks_are_joined_to_the_lists_of_one_flat_file(write, tmp_path, quiet_read):
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    places = {row["id"]: at % 3 + 1 for at, row in enumerate(queries)}
    flat = [{**row, "query_no": places[row["id"]]} for row in results]
    proposal = proposed(write, tmp_path, results=flat, clicks=without(clicks, "session"))
    assert proposal.questions == ()
    (tmp_path / "proposed.toml").write_text(proposal.text, encoding="utf-8")
    read = quiet_read(tmp_path / "proposed.toml")
    assert read.results.collect()["clicks"].sum() == len(clicks)
    assert read.rejected.collect().is_empty()


def test_clicks_that_miss_are_counted_among_clicks_and_asked_about_there(write, tmp_path):
    queries, results, clicks = log(lambda _session, _position, number: f"q{number:02}")
    strays = [*clicks, *({**row, "doc": "elsewhere"} for row in clicks[:2])]
    proposal = proposed(
        write, tmp_path, queries=queries, results=without(results, "session"), clicks=without(strays, "session")
    )
    (question,) = [each for each in proposal.questions if "clicked_result_was_shown" in each.text]
    assert f"2 clicks of {len(strays)} rejected" in question.text
    assert question.place.startswith("clicks")


def test_ratings_taken_for_queries_while_texts_are_in_results_are_asked_about(write, tmp_path):
    queries, results, _ = log(lambda _session, _position, number: f"q{number:02}")
    texts = {row["id"]: f"text of {row['id']}" for row in queries}
    flat = [{**row, "query_text": texts[row["id"]]} for row in results]
    ratings = [{"id": row["id"], "session": row["session"], "rating": at % 5} for at, row in enumerate(queries)]
    proposal = proposed(write, tmp_path, results=flat, ratings=ratings)
    assert "query_text" not in proposal.settings["queries"]["columns"]
    assert any("'query_text' of results" in each.text and "ratings.csv" in each.text for each in proposal.questions)
