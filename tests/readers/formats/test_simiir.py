"""Runs of SimIIR: examined prefixes, lists ignored and empty, documents opened and marked, runs in folders."""

from pathlib import Path

import pytest

from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers.formats.simiir import SIDE
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "simiir"
RUN = """\
ACTION START 900 0 START
ACTION QUERY 900 10 How do night trains work
ACTION SERP 900 15 EXAMINE_SERP
ACTION SNIPPET 900 18 SNIPPET_RELEVANT D-1
ACTION DOC 900 38 EXAMINING_DOCUMENT D-1
ACTION MARK 900 41 CONSIDERED_RELEVANT D-1
ACTION SNIPPET 900 44 SNIPPET_RELEVANT D-2
ACTION DOC 900 64 EXAMINING_DOCUMENT D-2
ACTION MARK 900 67 CONSIDERED_NOT_RELEVANT D-2
ACTION QUERY 900 77 night trains\x20
ACTION SERP 900 82 IGNORE_SERP
ACTION QUERY 900 92 nght trans
ACTION SERP 900 97 EMPTY_SERP
ACTION QUERY 900 107 night trains
ACTION SERP 900 112 EXAMINE_SERP
ACTION SNIPPET 900 115 SEEN_PREVIOUSLY D-1
ACTION SNIPPET 900 118 SNIPPET_NOT_RELEVANT D-3
ACTION QUERY 900 900 out of time
INFO OUT_OF_QUERIES\x20
INFO SUMMARY\x20
INFO TOTAL_QUERIES_ISSUED 5
INFO TOTAL_SNIPPETS_EXAMINED 4
INFO TOTAL_DOCUMENTS_EXAMINED 2
INFO TOTAL_DOCUMENTS_MARKED_RELEVANT 1
"""
CFG = """\
SIMULATION 'okapi-b75-7-night-owl'
  Simulation Configuration:    Topic: 7
    Search Interface: MadeUpInterface
        wmodel: BM25
  User Configuration (night-owl):    **Search User**
    Stopping Decision Maker: FixedDepth
"""
KEYS = ["rank", "doc_id", "clicked", "saved", "click_elapsed_seconds", "dwell_seconds", "seen_before"]


@pytest.fixture
def folder(tmp_path):
    """A folder with a whole run: its four files."""
    base = tmp_path / "out" / "okapi-b75-7-night-owl"
    base.parent.mkdir()
    saved = "7 Q0 D-1 1 1 Exp\n"
    queries = "How do night trains work\nnight trains \nnght trans\nnight trains\nout of time\n"
    for suffix, text in {".log": RUN, ".cfg": CFG, ".rels": saved, ".queries": queries}.items():
        base.with_name(base.name + suffix).write_text(text)
    (base.parent / "COMPLETED").touch()
    return base.parent


def test_a_run_is_a_session_of_what_was_simulated(folder, quiet_read):
    study = quiet_read(folder)
    assert study.reader == "simiir"
    assert study.sessions.collect().drop("judgment_key").row(0, named=True) == {
        "session_id": "okapi-b75-7-night-owl",
        "user_id": "night-owl",
        "system_id": "okapi-b75",
        "topic_id": "7",
        "search_interface": "MadeUpInterface",
        "wmodel": "BM25",
        "stopping_decision_maker": "FixedDepth",
        "time_limit": 900,
    }


def test_why_a_list_is_not_there_is_told(folder, quiet_read):
    queries = quiet_read(folder).queries.collect()
    assert queries.select("query_text", "elapsed_seconds", "results_status", "serp").rows() == [
        ("How do night trains work", 10.0, "partly_observed", "EXAMINE_SERP"),
        ("night trains", 77.0, "partly_observed", "IGNORE_SERP"),
        ("nght trans", 92.0, "empty", "EMPTY_SERP"),
        ("night trains", 107.0, "partly_observed", "EXAMINE_SERP"),
        ("out of time", 900.0, "not_logged", None),
    ]


def test_documents_opened_are_clicks_and_those_marked_are_saved(folder, quiet_read):
    results = quiet_read(folder).results.collect()
    assert results.filter(query_position=1).select(KEYS).rows() == [
        (1, "D-1", True, True, 18.0, 20.0, False),
        (2, "D-2", True, False, 44.0, 20.0, False),
    ]
    assert results.filter(query_position=4).select(KEYS).rows() == [
        (1, "D-1", False, False, None, None, True),
        (2, "D-3", False, False, None, None, False),
    ]


def test_every_line_of_every_file_is_accounted_for(folder, quiet_read):
    sources = quiet_read(folder).sources
    assert {(source.path.rpartition(".")[2], source.kind): source.records for source in sources} == {
        ("log", "runs"): 1,
        ("log", "QUERY lines"): 5,
        ("log", "SNIPPET lines"): 4,
        ("log", "SERP lines"): 4,
        ("log", "DOC lines"): 2,
        ("log", "MARK lines"): 2,
        ("log", "START lines"): 1,
        ("log", "INFO lines"): 6,
        ("cfg", "lines of configuration"): 6,
        ("queries", SIDE[".queries"]): 5,
        ("rels", SIDE[".rels"]): 1,
    }


def test_saved_documents_are_no_judgments(folder, quiet_read):
    study = quiet_read(folder)
    assert study.judgments.collect().is_empty()


def test_a_log_alone_says_what_it_is_by_its_name(write, quiet_read):
    study = quiet_read(write("okapi-b75-7-night-owl.log.gz", RUN))
    row = study.sessions.collect().row(0, named=True)
    assert [row[name] for name in ("session_id", "system_id", "topic_id", "user_id")] == [
        "okapi-b75-7-night-owl", "okapi-b75", "7", "night-owl",
    ]  # fmt: skip
    odd = quiet_read(write("myrun.log", RUN)).sessions.collect().row(0, named=True)
    assert (odd["session_id"], odd["topic_id"], odd["user_id"]) == ("myrun", None, None)


def test_files_of_runs_may_be_named_one_by_one(folder, quiet_read):
    files = sorted(path for path in folder.iterdir() if path.stat().st_size)
    assert quiet_read(files).facts == quiet_read(folder).facts


def test_runs_of_one_name_in_two_folders_are_two(folder, quiet_read):
    twin = folder / "again"
    twin.mkdir()
    (twin / "okapi-b75-7-night-owl.log").write_text(RUN)
    sessions = quiet_read(folder).sessions.collect()
    assert sessions["session_id"].to_list() == ["out/again/okapi-b75-7-night-owl", "out/okapi-b75-7-night-owl"]
    assert sessions["topic_id"].to_list() == ["7", "7"]


def test_of_a_document_seen_twice_the_first_row_is_clicked_and_saved(write, quiet_read):
    text = (
        "ACTION QUERY 300 10 cats\nACTION SNIPPET 300 18 SNIPPET_RELEVANT A\nACTION DOC 300 38 EXAMINING_DOCUMENT A\n"
        "ACTION MARK 300 41 CONSIDERED_RELEVANT A\nACTION SNIPPET 300 44 SEEN_PREVIOUSLY A\n"
    )
    results = quiet_read(write("sim-1-u.log", text)).results.collect()
    assert results.select("rank", "clicks", "saved", "seen_before").rows() == [(1, 1, True, False), (2, 0, False, True)]


def test_version_1_marks_without_a_word_and_says_that_a_list_ended(write, quiet_read):
    text = (
        "ACTION QUERY 300 10 cats\nACTION SERP 300 15 EXAMINE_SERP\nACTION SNIPPET 300 18 SNIPPET_RELEVANT A\n"
        "ACTION DOC 300 38 EXAMINING_DOCUMENT A\nACTION DOC 300 58 CONSIDERED_RELEVANT A\nACTION MARK 300 61 A\n"
        "INFO SERP_END_REACHED \nINFO OUT_OF_QUERIES \nINFO TOTAL_DOCUMENTS_EXAMINED 1\n"
        "INFO TOTAL_DOCUMENTS_MARKED_RELEVANT 1\n"
    )
    study = quiet_read(write("sim-1-u.log", text))
    assert study.queries.collect()["results_status"].to_list() == ["shown"]
    assert study.results.collect().select("doc_id", "clicks", "dwell_seconds", "saved").rows() == [("A", 1, 20.0, True)]
    assert not [note for note in study.notes if "SimIIR" in note]


def test_what_is_said_in_a_conversation_is_a_query_without_list(write, quiet_read):
    said = (
        "ACTION START 900 0 START\nACTION UTTERANCE 900 10 how do night trains work\nACTION CSRP 900 15 EXAMINE_CSRP\n"
        "ACTION RESPONSE 900 35 EXAMINING_RESPONSE\nACTION MARKRESPONSE 900 38 CONSIDERED_RELEVANT\n"
        "ACTION UTTERANCE 900 48 and sleepers\nACTION CSRP 900 53 INTERUPT_CSRP\nACTION STOP 900 53 STOP\n"
    )
    study = quiet_read(write("talk-7-owl.log", said))
    asked = study.queries.collect().select("query_text", "elapsed_seconds", "results_status").rows()
    assert asked == [("how do night trains work", 10.0, "not_logged"), ("and sleepers", 48.0, "not_logged")]
    assert study.results.collect().is_empty()


def test_times_with_fractions_and_topics_that_are_words(write, quiet_read):
    base = "sub1-l100-land_use-user-1"
    write(
        f"{base}.cfg",
        f"SIMULATION '{base}'  Simulation Configuration:    Topic: land_use\n  User Configuration (user-1):    Query Generator: X\n",
    )
    log = write(
        f"{base}.log",
        "ACTION QUERY 2400.0 9.42 soils\nACTION SERP 2400.0 11.42 EXAMINE_SERP\n"
        "ACTION SNIPPET 2400.0 14.42 SNIPPET_RELEVANT https://e.org/a?b=1\n"
        "ACTION DOC 2400.0 94.42 EXAMINING_DOCUMENT https://e.org/a?b=1\n"
        "ACTION MARK 2400.0 96.10000000000001 CONSIDERED_RELEVANT https://e.org/a?b=1\n",
    )
    study = quiet_read(log)
    assert study.sessions.collect().select("topic_id", "user_id", "system_id").rows() == [
        ("land_use", "user-1", "sub1-l100")
    ]
    row = study.results.collect().select("doc_id", "saved", "click_elapsed_seconds", "dwell_seconds").rows()
    assert row == [("https://e.org/a?b=1", True, 14.42, 80.0)]


def test_totals_that_are_not_what_was_read_are_warned_of(write):
    text = RUN.replace("TOTAL_SNIPPETS_EXAMINED 4", "TOTAL_SNIPPETS_EXAMINED 9")
    with pytest.warns(DataWarning) as warned:
        read(write("sim-1-u.log", text))
    texts = [warning.message for warning in warned]
    assert messages_with(texts, "1 total", "first: sim-1-u: TOTAL_SNIPPETS_EXAMINED 9", "read 4")


def test_a_broken_log_names_its_lines(write, quiet_read, rejects):
    text = (
        "ACTION QUERY 9 1 a\nACTION SNIPPET 9 2 SNIPPET_RELEVANT\nACTON SNIPPET 9 3 SNIPPET_RELEVANT D\n"
        "ACTION SNIPPET 9 4 SNIPPET_RELEVANT E\nACTION DOC 9 5 EXAMINING_DOCUMENT Z\nACTION QUERY 9 1.2.3 b\n"
        "ACTION WAVE 9 9 hello\n"
    )
    study = quiet_read(write("sim-1-u.log", text))
    assert sorted(row[:3] for row in rejects(study)) == [
        (2, 2, "doc_id_is_given"),
        (3, 3, "line_is_action_or_info"),
        (6, 6, "elapsed_seconds_is_a_number"),
    ]
    assert study.results.collect().select("rank", "doc_id").rows() == [(2, "E")]
    idle = {source.kind: source.idle for source in study.sources if source.idle}
    assert idle == {"DOC lines on no result": 1, "WAVE lines": 1}
    with pytest.raises(DataError, match=match_parts("sim-1-u.log, line 3:", "line_is_action_or_info")):
        read(write("sim-1-u.log", text.replace("1.2.3", "8").replace("RELEVANT\n", "RELEVANT C\n")), strict=True)


def test_snippets_before_any_query_are_rejected(write, quiet_read, rejects):
    study = quiet_read(write("sim-1-u.log", "ACTION SNIPPET 9 2 SNIPPET_RELEVANT D\nACTION QUERY 9 3 a\n"))
    assert [row[1:3] for row in rejects(study)] == [(1, "snippet_follows_a_query")]


def test_what_is_no_run_is_refused(write):
    with pytest.raises(DataError, match=match_parts("notes.txt", ".log of a SimIIR run")):
        read(write("notes.txt", "hello\n"), format="simiir")
    with pytest.raises(DataError, match=match_parts("sim-1-u.log", "no queries", "no results")):
        read(write("sim-1-u.log", "ACTION START 900 0 START\nINFO OUT_OF_QUERIES\n"))
    with pytest.raises(UsageError, match="takes no topics"):
        read(write("sim-1-u.log", RUN), topics="topics.txt")


def test_queries_are_merged_where_that_is_asked_for(write, quiet_read):
    path = write(
        "sim-1-u.log",
        RUN.replace("nght trans\nACTION SERP 900 97 EMPTY_SERP", "night trains\nACTION SERP 900 97 EMPTY_SERP"),
    )
    study = quiet_read(path, config={"format": "simiir", "merge_queries": ["same"]})
    assert study.queries.collect().select("query_text", "results_status").rows() == [
        ("How do night trains work", "partly_observed"),
        ("night trains", "partly_observed"),
        ("out of time", "not_logged"),
    ]
    assert study.results.collect().select("query_position", "doc_id").rows() == [
        (1, "D-1"),
        (1, "D-2"),
        (2, "D-1"),
        (2, "D-3"),
    ]
    assert {source.kind: source.merged for source in study.sources}["queries sent again"] == 2
    assert len(quiet_read(path).queries.collect()) == 5


def test_lines_with_bytes_that_are_no_text_keep_their_place(write, quiet_read, rejects):
    run = RUN.encode().replace(b"night trains\nACTION SERP", b"night tr\xe4ins\nACTION SERP", 1)
    run = run.replace(b"SEEN_PREVIOUSLY D-1", b"SEEN_PREVIOUSLY D-\xff")
    study = quiet_read(write("sim-1-u.log", run))
    assert study.queries.collect().select("query_text", "results_status").rows() == [
        ("How do night trains work", "partly_observed"),
        ("night trains", "partly_observed"),
        ("nght trans", "empty"),
        (None, "not_logged"),
        ("out of time", "not_logged"),
    ]
    assert rejects(study) == [
        (14, 14, "line_can_be_decoded", "\\xe4", "ACTION QUERY 900 107 night tr\\xe4ins"),
        (16, 16, "line_can_be_decoded", "\\xff", "ACTION SNIPPET 900 115 SEEN_PREVIOUSLY D-\\xff"),
        (17, 17, "query_is_accepted", "sim-1-u 4", "ACTION SNIPPET 900 118 SNIPPET_NOT_RELEVANT D-3"),
    ]
    with pytest.raises(DataError, match=match_parts("sim-1-u.log", "not UTF-8 (line 2)")):
        read(write("sim-1-u.log", b"ACTION START 9 0 START\nACTION QUERY 9 1 \xe4\nACTION SERP 9 2 \xe4\n"))


@pytest.mark.slow
def test_many_runs_larger_than_memory_give_the_same(folder, quiet_read, in_batches, same_study):
    for number in range(4):
        (folder / f"okapi-{number}-owl.log").write_text(RUN * 2)
    whole = quiet_read(folder)
    in_batches()
    same_study(whole, quiet_read(folder))


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not here")
def test_real_runs_have_what_their_totals_say(quiet_read):
    study = quiet_read(DATA)
    assert not [note for note in study.notes if "other than what was read" in note]
    sources = {(source.path.rpartition("/")[2], source.kind): source.rows for source in study.sources}
    for path in DATA.glob("*.log"):
        said = dict(line.split()[1:3] for line in path.read_text().splitlines() if line.startswith("INFO TOTAL"))
        assert sources[path.name, "QUERY lines"] == int(said["TOTAL_QUERIES_ISSUED"])
        assert sources[path.name, "SNIPPET lines"] == int(said["TOTAL_SNIPPETS_EXAMINED"])
    assert (study.facts.queries, study.facts.results) == (11 + 19 + 11 + 19, 345 + 576 + 345 + 576)
    assert study.sessions.collect()["system_id"].unique().to_list() == ["core-bm25"]
    assert study.rejected.collect().is_empty()
