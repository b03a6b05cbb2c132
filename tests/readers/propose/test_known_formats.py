"""Files of known formats: the format is named, no study.toml is needed, what stands beside the log is placed."""

import tomllib

import pytest

from sessionkit.errors import DataError
from sessionkit.readers import FORMATS
from sessionkit.readers.config import as_config
from sessionkit.readers.propose.propose import propose

AOL = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n142\tgarden shed\t2006-03-04 11:02:03\t2\thttp://a.example\n"
RUN = "301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 8.5 bm25\n"
QRELS = "301 0 d1 2\n301 0 d2 -1\n"
UBI = (
    '{"query_id":"q1","client_id":"c1","user_query":"lamp","query_response_hit_ids":["A"],"timestamp":"2025-01-02T10:00:00Z"}\n'
    '{"action_name":"click","query_id":"q1","session_id":"s1","client_id":"c1","timestamp":"2025-01-02T10:00:05Z",'
    '"event_attributes":{"object":{"object_id":"A"},"position":{"ordinal":1}}}\n'
)


def test_a_log_of_a_known_format_needs_no_study_toml(write, quiet_read, tmp_path):
    proposal = propose(write("log.txt", AOL), folder=tmp_path)
    assert proposal.settings == {"format": "aol", "path": "log.txt"} == tomllib.loads(proposal.text)
    assert "# No study.toml is needed: sessionkit ingest log.txt --out STUDY\n" in proposal.text
    assert [question.place for question in proposal.questions] == ["timezone"]
    for option in FORMATS["aol"].options:
        assert f"\n# {option} = " in proposal.text
    path = write("study.toml", proposal.text)
    assert quiet_read(path).queries.collect()["query_text"].to_list() == ["garden shed"]


def test_judgments_and_topics_are_placed_beside_it(write, quiet_read, tmp_path):
    files = [write("a b.run", RUN), write("q.txt", QRELS), write("map.tsv", "301\t7\n")]
    proposal = propose(files, folder=tmp_path)
    assert proposal.settings == {
        "format": "trec_run",
        "path": "a b.run",
        "topics": "map.tsv",
        "judgments": {"path": "q.txt", "format": "qrels"},
    }
    assert "sessionkit ingest 'a b.run' --judgments q.txt --topics-file map.tsv --out STUDY" in proposal.text
    assert [question.place for question in proposal.questions] == [
        "topics",
        "max_grade",
        "unjudged_grades",
        "judgments",
    ]
    assert "none for the judgment_key of 1 session" in proposal.questions[-1].text
    assert "the largest grade in q.txt is 2" in proposal.text
    assert "# unjudged_grades = [-1]" in proposal.text
    assert quiet_read(write("study.toml", proposal.text)).judgments.collect().height == 2


def test_a_file_that_maps_no_topics_is_not_taken_for_one(write, tmp_path):
    proposal = propose([write("a.run", RUN), write("notes.csv", "a,b\nx,y\n")], folder=tmp_path)
    assert "topics" not in proposal.settings
    assert "'notes.csv' has no format" in proposal.questions[0].text


def test_a_second_file_of_judgments_is_asked_about(write, tmp_path):
    files = [write("log.ndjson", UBI), write("a.qrels", QRELS), write("b.qrels", QRELS), write("odd.bin", b"\0\1")]
    proposal = propose(files, folder=tmp_path)
    assert proposal.settings["judgments"]["path"] == "a.qrels"
    asked = " ".join(question.text for question in proposal.questions)
    assert "b.qrels holds judgments too" in asked
    assert "'odd.bin' has no format" in asked


def test_options_as_they_are_proposed_are_those_of_the_format(write, tmp_path):
    """Every option that stands there as a comment can be made valid by taking the number sign away, unless it has no default."""
    proposal = propose([write("log.ndjson", UBI), write("a.qrels", QRELS)], folder=tmp_path)
    waiting = [
        line.removeprefix("# ") for line in proposal.text.splitlines() if line.startswith("# ") and " = " in line
    ]
    said = tomllib.loads("\n".join([*(line for line in waiting if line.split(" = ")[0].isidentifier()), proposal.text]))
    assert as_config(said, "study.toml", tmp_path).options["session_gap"] == "30m"
    assert set(FORMATS["ubi"].options) <= set(said)


def test_a_folder_is_a_log_or_the_files_in_it(write, tmp_path):
    write("log.ndjson", UBI)
    assert propose(tmp_path, folder=tmp_path).settings == {"format": "ubi", "path": "."}
    write("notes.csv", "a,b\n1,2\n")
    found = propose(tmp_path, folder=tmp_path)
    assert found.settings == {"format": "ubi", "path": "log.ndjson"}
    assert "'notes.csv' has no format that fits this log" in found.text
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="empty is a directory without files"):
        propose(tmp_path / "empty")


SCORES, WHOLE, GRADES = '{"q": {"a": 0.7, "b": 2}}', '{"q": {"a": 1.0, "b": 2.0}}', '{"q": {"a": 1, "b": 0}}'


@pytest.mark.parametrize("names", [("a.json", "b.json"), ("b.json", "a.json")])
@pytest.mark.parametrize("contents", [(SCORES, GRADES), (SCORES, WHOLE), (WHOLE, GRADES)])
def test_scores_and_grades_in_json_are_told_apart_in_any_order(write, tmp_path, quiet_read, contents, names):
    paths = [write(name, content) for name, content in zip(names, contents, strict=True)]
    for files in (paths, paths[::-1]):
        proposal = propose(files, folder=tmp_path)
        assert proposal.settings["path"] == names[0]
        assert proposal.settings["judgments"] == {"path": names[1], "format": "json_qrels"}
        assert ("taken for a run" in proposal.text) == (contents[0] == WHOLE)
    assert quiet_read(write("study.toml", proposal.text)).facts.judgments == 2


def test_what_three_columns_are_is_asked(write, tmp_path):
    proposal = propose([write("a.run", "q\ta\t1\nq\tb\t2\n"), write("q.txt", "q 0 a 1\n")], folder=tmp_path)
    assert proposal.settings["format"] == "trec_run"
    assert "the three columns of 'a.run' are taken for topic, document and rank. Are they?" in proposal.text


def test_results_of_queries_in_another_table_are_no_run(write, tmp_path):
    results = write("results.csv", "query_id,doc_id,rank\nq1,a,1\nq1,b,2\nq2,a,1\n")
    queries = write("queries.csv", "session_id,query_position,query_id,query_text\ns,1,q1,lamp\ns,2,q2,lamps\n")
    assert propose([results, queries], folder=tmp_path).settings["format"] == "tables"
    assert propose([results], folder=tmp_path).settings["format"] == "trec_run"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q Q0 a 1 9.5\nq Q0 b 2 8\n", "a run without its tag"),
        ("q a 1 0 0.25\nq b 0 1 0.5\n", "prels, judgments of a sample"),
    ],
)
def test_a_file_that_is_like_a_run_or_qrels_is_named(write, text, said):
    with pytest.raises(DataError, match=f"odd.txt: five columns, .*{said}"):
        propose([write("odd.txt", text), write("q.txt", "q 0 a 1\n")])
