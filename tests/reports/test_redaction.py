"""What a report leaves out on request."""

import warnings
from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning
from sessionkit.readers import from_tables
from sessionkit.reports import report
from sessionkit.reports.choices import Redaction
from sessionkit.study.selection import restricted
from sessionkit.study.study import Source


@pytest.mark.slow
def test_users_and_their_sessions_become_numbers(make):
    study = make(users=("alice@example.org", "bob@example.org"))
    text = report(study, by="user_id", redact=["users"])
    assert "alice@example.org" in report(study, by="user_id")
    assert "example.org" not in text
    assert "<td>user 1</td>" in text
    assert '"session":"s0"' not in text
    assert '"session":"session 1"' in text


@pytest.mark.slow
def test_judges_become_numbers_with_the_users():
    results = {
        "session_id": ["s", "s", "r"],
        "query_position": [1, 1, 1],
        "rank": [1, 2, 1],
        "doc_id": ["x", "y", "x"],
        "topic_id": ["t"] * 3,
    }
    grades = {"judgment_key": ["t"] * 4, "doc_id": ["x", "y"] * 2, "grade": [1, 2, 0, 2]}
    study = from_tables(results, grades | {"judge_id": ["zoe@example.org"] * 2 + ["ann@example.org"] * 2}, merge="max")
    assert "<td>ann@example.org</td><td>zoe@example.org</td><td>agreement</td>" in report(study)
    text = report(study, redact="users")
    assert "example.org" not in text
    assert "<td>judge 1</td><td>judge 2</td><td>agreement</td>" in text


def test_numbers_of_users_are_theirs_wherever_they_stand(make):
    study = make(users=("c", "a", "b"))
    frame = pl.DataFrame({"user_id": ["b", "c", "b", None]})
    assert Redaction.of("users").frame(frame, study).get_column("user_id").to_list() == [
        "user 2",
        "user 3",
        "user 2",
        None,
    ]


def test_judgment_keys_that_are_sessions_become_their_numbers(make):
    frame = pl.DataFrame({"judgment_key": ["s1", "t", "s0"]})
    keys = Redaction.of("users").frame(frame, make()).get_column("judgment_key").to_list()
    assert keys == ["session 2", "t", "session 1"]


def test_keys_that_are_queries_become_numbers_and_topics_stay(make):
    study = make(topics=("t",))
    frame = pl.DataFrame({"judgment_key": ["t", "cure for baldness", "a secret"]})
    keys = Redaction.of("queries").frame(frame, study).get_column("judgment_key").to_list()
    assert keys[0] == "t"
    assert set(keys[1:]) <= {"key 1", "key 2"}


@pytest.mark.slow
def test_notes_quote_nothing_of_the_log():
    results = {"session_id": ["private"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["secret'doc", "y"]}
    judgments = {"judgment_key": ["k'ey", "k'ey"], "doc_id": ["secret'doc"] * 2, "grade": [1, 2]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = from_tables(results, judgments)
    plain = report(study)
    assert "secret&#39;doc" in plain
    assert "undefined for 1 of 1: private" in plain
    text = report(study, redact="users,queries,documents")
    assert "secret" not in text.split("<script>")[0]
    assert "private" not in text.split("<script>")[0]


@pytest.mark.slow
def test_users_are_numbers_where_nothing_is_compared_too(make):
    study = make(systems=("S1",), users=("alice@example.org", "bob@example.org"))
    assert "alice@example.org " in report(study, by="user_id")
    text = report(study, by="user_id", redact="users")
    assert "example.org" not in text
    assert "Means of nsDCG@10: user 1 " in text


@pytest.mark.slow
def test_scores_by_key_are_compared_by_system_and_name_no_session(make):
    results = {"session_id": ["private-1", "private-2"], "query_position": 1, "rank": 1, "doc_id": "d"}
    sessions = {"session_id": ["private-1", "private-2"], "judgment_key": ["private-1", "private-2"]}
    sessions |= {"user_id": ["u1", "u2"], "system_id": ["S1", "S2"]}
    judgments = {"judgment_key": ["private-1", "private-2"], "doc_id": "d", "grade": [1, 0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        text = report(from_tables(results, judgments, sessions=sessions), by="judgment_key", redact="users")
    assert "private-" not in text
    assert "session 2" in text


def test_judgment_keys_that_are_users_become_their_numbers(make):
    frame = pl.DataFrame({"judgment_key": ["u2", "t", "u1"]})
    assert Redaction.of("users").frame(frame, make()).get_column("judgment_key").to_list() == ["user 2", "t", "user 1"]


def read_log(folder):
    """A study saved from files whose paths have needles: six sessions of two systems."""
    home = folder / "zqfolder"
    home.mkdir()
    place = {"session_id": [f"s{n}" for n in range(6)], "query_position": [1] * 6, "rank": [1] * 6}
    results = {**place, "doc_id": ["d"] * 6, "system_id": [*"ABABAB"], "topic_id": ["t"] * 6}
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["d", "d"], "grade": [1, 3], "judge_id": ["zqann", "zqbob"]}
    pl.DataFrame(results).write_csv(home / "zqlog.csv")
    pl.DataFrame(judgments).write_csv(home / "zqgrades.csv")
    (folder / "study.toml").write_text(
        'merge = "alternate"\n[results]\npath = "zqfolder/zqlog.csv"\n[judgments]\npath = "zqfolder/zqgrades.csv"\n'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.read(folder / "study.toml").save(folder / "zqstudy")


@pytest.mark.slow
def test_names_and_hashes_of_source_files_are_left_out_with_anything(tmp_path):
    study = read_log(tmp_path)
    plain = report(study)
    assert "zqfolder/zqlog.csv" in plain
    assert study.sources[0].sha256 in plain
    for kinds in ("users", "queries", "documents"):
        text = report(study, redact=kinds)
        assert "<td>source 1</td><td>results</td>" in text
        assert not [source.sha256 for source in study.sources if source.sha256 in text]
        for needle in ("zqfolder", "zqlog", "zqgrades", "zqstudy"):
            assert needle not in text, (kinds, needle)
    assert study.fingerprint in report(study, redact="users")


@pytest.mark.slow
def test_notes_do_not_name_files(tmp_path):
    """A line without a session is a note that begins with the name of its file."""
    study = read_log(tmp_path)
    noted = replace(
        study,
        notes=(
            "zqfolder/zqlog.csv: 3 rows are odd",
            "zqlog.csv and zqgrades.csv are odd",
            f"{study.path} is odd",
            "zqfolder/other is odd",
            "results of azqlog.csv2 stay",
        ),
    )
    redaction = Redaction.of("users").for_study(noted)
    assert [redaction.note(note) for note in noted.notes] == [
        "source 1: 3 rows are odd",
        "source 1 and source 2 are odd",
        "the study is odd",
        "a folder other is odd",
        "results of azqlog.csv2 stay",
    ]
    assert Redaction().for_study(noted).note(noted.notes[0]) == noted.notes[0]


def test_names_of_tables_in_memory_are_words_of_notes(make):
    """A frame is called results, as the column of a note may be."""
    assert Redaction.of("users").for_study(make()).note("2 results are odd") == "2 results are odd"


def test_notes_do_not_name_sheets(make):
    source = Source("zqbook.xlsx, sheet zqAnn", "results", 1, 1, bytes=1, sha256="0")
    redaction = Redaction.of("users").for_study(replace(make(), sources=(source,)))
    assert redaction.note("zqbook.xlsx, sheet zqAnn: odd; zqbook.xlsx too") == "source 1: odd; source 1 too"


@pytest.mark.slow
def test_warnings_of_merging_name_no_documents():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["zqdoc"], "topic_id": ["t"]}
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["zqdoc"] * 2, "grade": [0, 3], "judge_id": ["a", "b"]}
    study = sk.from_tables(results, judgments, merge="alternate")
    assert "review all 1: t/zqdoc" in report(study)
    assert "zqdoc" not in report(study, redact="documents")


def test_an_apostrophe_begins_no_quotation():
    told = "By Williams' t, users' key 'a secret', or Steiger's z; \"o'Brien\" too"
    assert Redaction.of("users").note(told) == "By Williams' t, users' key '\u2026', or Steiger's z; '\u2026' too"


def study_of(topics=("T1", "T2", "T3"), systems=("A", "B")):
    """Twelve sessions of six users, who each have a name, with a judgment key for each topic."""
    ids = [f"s{n}" for n in range(12)]
    sessions = {"session_id": ids, "user_id": [f"zquser{n % 6}" for n in range(12)]}
    sessions |= {"topic_id": [topics[n % 3] for n in range(12)], "system_id": [systems[n // 3 % 2] for n in range(12)]}
    place = {"session_id": ids, "query_position": [1] * 12}
    texts = ["zqknee pain", "zqback ache", "zqfever"]
    users = {"user_id": [f"zquser{n}" for n in range(6)], "name": [f"zqname {n}" for n in range(6)]}
    return from_tables(
        users=users,
        sessions=sessions,
        queries={**place, "query_text": texts * 4},
        results={**place, "rank": [1] * 12, "doc_id": ["d", "e"] * 6},
        judgments={"judgment_key": [*topics] * 2, "doc_id": ["d"] * 3 + ["e"] * 3, "grade": [0, 1, 2, 3, 2, 1]},
    )


@pytest.mark.parametrize(
    ("column", "values", "kinds", "note"),
    [
        ("topics", ("Zqknee  Pain", "T2", "T3"), "queries", "1 topic repeats query texts, so all topics are numbered"),
        ("topics", ("T1", "T2", "ZQUSER4"), "users", "1 topic repeats ids of users, so all topics are numbered"),
        ("topics", ("T1", "zqname 3", "T3"), "users", "1 topic repeats values of name, so all topics are numbered"),
        ("systems", ("A", "run-zquser1"), "users", "1 system repeats ids of users, so all systems are numbered"),
        ("systems", ("zqfever?", "B"), "queries", "1 system repeats query texts, so all systems are numbered"),
    ],
)
def test_topics_and_systems_that_repeat_what_is_redacted_are_numbered(column, values, kinds, note):
    study = study_of(**{column: values})
    redaction = Redaction.of(kinds).for_study(study)
    redacted = redaction.without_repeats(study)
    names = redacted.sessions.collect()[f"{column[:-1]}_id"].unique().sort().to_list()
    assert names == [f"{column[:-1]} {number}" for number in range(1, len(values) + 1)]
    assert redacted.notes[-1] == redaction.note(redacted.notes[-1]) == note
    keys = redaction.frame(study.judgments.select("judgment_key").unique().collect(), redacted)["judgment_key"]
    assert all(key.startswith("key ") for key in keys) == (column == "topics")
    assert sk.score(redacted, "sDCG@10")["value"].to_list() == sk.score(study, "sDCG@10")["value"].to_list()
    other = {"queries": "users", "users": "queries"}[kinds]
    for unchanged in (other, "documents"):
        assert Redaction.of(unchanged).for_study(study).without_repeats(study) is study


def test_topics_and_systems_that_repeat_nothing_stay():
    study = study_of()
    assert Redaction.of("users,queries").for_study(study).without_repeats(study) is study


def test_numbers_are_those_of_all_sessions():
    topics = ("zqback ache", "zqfever", "zqknee pain")
    study = restricted(study_of(topics), "topic_id <> 'zqback ache'")
    redacted = Redaction.of("queries").for_study(study).without_repeats(study)
    assert {*redacted.sessions.collect()["topic_id"]} == {"topic 2", "topic 3"}
    assert {*redacted.unrestricted.sessions.collect()["topic_id"]} == {"topic 1", "topic 2", "topic 3"}


@pytest.mark.slow
def test_a_page_shows_no_redacted_text_as_a_topic(tmp_path):
    study = study_of(("Zqknee  Pain", "T2", "T3"))
    text = report(study, redact="queries", figures=tmp_path / "figures")
    assert "1\u00a0topic repeats query texts, so all topics are numbered" in text
    for page in (text, *(path.read_text(errors="replace") for path in (tmp_path / "figures").iterdir())):
        assert "zqknee" not in page.lower()
