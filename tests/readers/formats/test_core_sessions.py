"""Format core: the four kinds of file of the Sim4IA benchmark, made up here, and the real ones."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.events.sessions import ROWS_GONE, SAID
from tests.support.messages import match_parts, messages_with

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "core_sessions"
ID = "0f" * 16


def made(*numbers):
    """The text of a time as Python shows it."""
    return f"datetime.datetime({', '.join(map(str, numbers))})"


def line(place, session, query, serp, clicks="[]", *, user="test_user"):
    """One line of the kind without header."""
    quoted = query.replace('"', '""')
    return f'{place},{user},{session},"{quoted}",2025-01-10 08:00:00,"{serp}",{ID},"{clicks}"\n'


LOG = (
    line(1, 9, "solar cells", "[11, 12]", f"[('12', {made(2025, 1, 10, 8, 0, 20)}, 'works')]")
    + line(
        2,
        9,
        'solar AND "thin film"',
        "[13, 12, 14]",
        # no seconds are a full minute; the document clicked twice, the later click first
        f"[('13', {made(2025, 1, 10, 8, 2, 5)}, 'works'), ('13', {made(2025, 1, 10, 8, 2)}, 'works'), "
        f"('14', {made(2025, 1, 10, 8, 3, 1)}, 'author'), ('99', {made(2025, 1, 10, 8, 3, 2)}, 'works')]",
    )
    + line(1, 10, "nothing\nfound", "[]")
)


@pytest.fixture
def core(write, quiet_read):
    """Read a made-up log."""
    return lambda text=LOG, name="log.csv", **options: quiet_read(write(name, text), **options)


def test_json_that_cannot_be_decoded_is_told_in_one_sentence(core):
    with pytest.raises(DataError, match=r'^log\.json [^;]*UTF-8 \(line 1\);[^;]*"latin-1"[^;]*$'):
        core(b'{"1": ["caf\xe9"], "2": ["b"]}', "log.json")


@pytest.mark.slow
def test_queries_are_merged_where_that_is_asked_for(core):
    text = (
        line(1, 9, "sol", "[10]")
        + line(2, 9, "solar", "[11, 12]")
        + line(3, 9, "solar ", "[11, 12]", f"[('12', {made(2025, 1, 10, 8, 0, 20)}, 'works')]")
        + line("x", 9, "solar", "[11]")
        + line(4, 9, "wind", "[13]")
    )
    texts = lambda study: study.queries.collect().select("query_position", "query_text").rows()  # noqa: E731
    assert len(texts(core(text))) == 4
    study = core(text, config={"format": "core", "merge_queries": ["same", "typing"]})
    assert texts(study) == [(1, "solar"), (2, "wind")]
    assert study.results.collect().select("query_position", "doc_id", "clicks").rows() == [
        (1, "11", 0),
        (1, "12", 1),
        (2, "13", 0),
    ]
    assert {source.kind: source.merged for source in study.sources if source.merged} == {
        "works clicks": 1,
        SAID["same"]: 1,
        SAID["typing"]: 1,
        ROWS_GONE: 3,
    }
    assert study.rejected.collect().select("rule", "value").rows() == [("query_position_is_an_integer", "x")] * 2
    again = core('{"1": ["a", "a", "b"], "2": []}', "log.json", config={"format": "core", "merge_queries": "same"})
    assert texts(again) == [(1, "a"), (2, "b")]


def test_it_is_recognized_and_taken_apart(core):
    study = core()
    assert study.reader == "core"
    assert study.queries.select("session_id", "query_position", "query_text", "results_status").collect().rows() == [
        ("10", 1, "nothing\nfound", "empty"),
        ("9", 1, "solar cells", "shown"),
        ("9", 2, 'solar AND "thin film"', "shown"),
    ]
    early, late = (datetime(2025, 1, 10, 8, *rest, tzinfo=UTC) for rest in ((0, 20), (2, 0)))
    columns = ["query_position", "rank", "doc_id", "clicked", "clicks", "clicked_at", "author_clicks"]
    assert study.results.select(columns).collect().rows() == [
        (1, 1, "11", False, 0, None, 0),
        (1, 2, "12", True, 1, early, 0),
        (2, 1, "13", True, 2, late, 0),
        (2, 2, "12", False, 0, None, 0),
        (2, 3, "14", False, 0, None, 1),
    ]


def test_every_record_is_accounted_for_by_kind(core):
    found = {one.kind: (one.records, one.rows, one.merged, one.idle) for one in core().sources}
    assert found == {
        "query records": (3, 3, 0, 0),
        "results listed": (5, 5, 0, 0),
        "works clicks": (3, 0, 3, 0),
        "author clicks": (1, 0, 1, 0),
        "works clicks on no result": (1, 0, 0, 1),
    }


@pytest.mark.slow
def test_a_user_is_one_only_where_there_are_several(core):
    assert core().facts.sessions == 2
    assert core().users.collect().is_empty()
    assert messages_with(core().notes, "log.csv:", "'test_user'", "every session", "not used", "user id")
    two = core(line(1, 1, "a", "[1]", user="u") + line(1, 2, "a", "[1]", user="v"))
    assert two.users.collect()["user_id"].to_list() == ["u", "v"]


def test_a_zone_can_be_declared(core):
    study = core(config={"timezone": "Europe/London", "max_grade": 2})
    assert study.settings.max_grade == 2
    assert not any("without zone" in note for note in study.notes)


def test_with_a_header(core):
    text = f'session_id,query,date,serp,search_id,label\n3,a,2025-01-10 00:09:56,"[1, 2]",{ID},A\n'
    study = core(text + f'4,b,2025-01-10 01:00:00,[],{ID},A\n3,c,2025-01-10 00:10:00,"[7]",{ID},A\n')
    assert study.reader == "core"
    assert study.queries.select("session_id", "query_position", "query_text", "label").collect().rows() == [
        ("3", 1, "a", "A"),
        ("3", 2, "c", "A"),
        ("4", 1, "b", "A"),
    ]
    assert "clicked" not in study.columns("results")


def test_texts_alone(core):
    study = core(json.dumps({"1": ["solar", "solar cells"], "2": ["wind"], "3": []}), "queries.json")
    assert (study.reader, study.facts.queries, study.facts.not_logged) == ("core", 3, 3)
    assert [(one.kind, one.rows, one.idle) for one in study.sources] == [
        ("query texts", 3, 0),
        ("sessions without queries", 0, 1),
    ]


GIVEN = '1,test_user,9,solar cells\n2,test_user,9,"solar cells, thin"\n1,test_user,10,wind\n'


def test_queries_given_to_a_simulation_have_no_lists(core, rejects):
    study = core(GIVEN, "given.csv")
    assert study.reader == "core"
    assert study.queries.collect().select("session_id", "query_position", "query_text", "results_status").rows() == [
        ("10", 1, "wind", "not_logged"),
        ("9", 1, "solar cells", "not_logged"),
        ("9", 2, "solar cells, thin", "not_logged"),
    ]
    assert study.results.collect().is_empty()
    broken = core(GIVEN + "2,test_user,10,waves,more\n", "broken.csv")
    assert [row[:3] for row in rejects(broken)] == [(4, 4, "record_fits_the_columns")]
    assert any("only texts of queries" in note for note in study.notes)


def test_a_run_submitted_to_the_benchmark_is_refused(core):
    run = {"meta": {"team_name": "us", "task": "A"}, "1": ["solar", "wind"]}
    with pytest.raises(DataError, match=match_parts("run.json", "submitted to Sim4IA", "next queries")):
        core(json.dumps(run, indent=1), "run.json")


@pytest.mark.slow
def test_broken_records_are_kept_aside_with_their_line(core, rejects):
    text = line(1, 1, "a", "[1, 2") + line(2, 1, "b", "[3]", "[('3', yesterday, 'works')]") + line(3, 1, "c", "[4]")
    study = core(text, format="core")
    assert [row[:4] for row in rejects(study)] == [
        (1, 1, "list_can_be_read", "[1, 2"),
        (2, 2, "clicks_can_be_read", "[('3', yesterday, 'works')]"),
    ]
    assert rejects(study)[0][4] == text.splitlines()[0]
    assert study.queries.collect()["results_status"].to_list() == ["not_logged", "shown", "shown"]
    assert study.queries.collect()["query_text"].null_count() == 0
    assert study.results.collect().select("doc_id", "clicked").rows() == [("3", None), ("4", False)]
    with pytest.raises(DataError, match=match_parts("log.csv, line 1:", "list_can_be_read", "'[1, 2'")):
        core(text, format="core", strict=True)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("log.csv", "1,u,2,solar,2025-01-10 08:00:00\n", "log.csv has 5 columns; .*8, 4 or"),
        ("log.json", '{"1": ["a", ', "log.json .*object of sessions"),
        ("log.json", '{"1": 7}', "log.json .*object of sessions"),
    ],
)
def test_files_that_are_something_else(core, name, text, words):
    with pytest.raises(DataError, match=words):
        core(text, name, format="core")


@pytest.mark.slow
def test_several_files_whose_sessions_differ(write, quiet_read, rejects):
    first, second = write("a.csv", LOG), write("b.csv", LOG.replace(",9,", ",19,"))
    with pytest.raises(DataError, match=match_parts("a.csv and b.csv", "session '10'", "separately")):
        quiet_read([first, second])
    second = write("b.csv", line(1, 77, "a", "[1]") + line(3, 77, "a", "[2]") + line(2, 77, "a", "[3"))
    study = quiet_read([first, second])
    assert (study.facts.sessions, study.facts.queries) == (3, 6)
    assert [(one.path, one.records, one.rows) for one in study.sources[:4]] == [
        ("a.csv", 3, 3),
        ("b.csv", 3, 3),
        ("a.csv", 5, 5),
        ("b.csv", 2, 2),
    ]
    assert study.rejected.collect().select("source", "record", "line", "rule").rows() == [
        ("b.csv", 3, 3, "list_can_be_read")
    ]


@pytest.mark.slow
def test_the_same_in_parts(core, in_batches, same_study):
    """A log too large for memory goes through files, and comes out the same."""
    text = LOG + line(1, 11, "lost", "[1, 2")
    whole = core(text)
    in_batches()
    parts = core(text)
    assert parts.storage.package is not None
    same_study(parts, whole)


@pytest.mark.realdata
@pytest.mark.skipif(not REAL.exists(), reason="no real data here")
def test_the_real_files(quiet_read):
    """Counts of shared/reference/FORMATS.md 8.9, found there by parsing the files in plain Python."""
    study = quiet_read(REAL / "predetermined_queries_Task_A.csv")
    assert (study.reader, study.facts.sessions, study.facts.queries) == ("core", 45, 222)
    assert study.rejected.collect().is_empty()
    clicks = study.results.collect()[["clicks", "author_clicks"]].sum().row(0)
    assert sum(clicks) == 413
    assert sum(one.merged for one in study.sources) == 413
    assert not any(one.idle for one in study.sources)
    assert messages_with(study.notes, "queries: 3 queries", "query_id", "an earlier")
    lengths = study.results.collect().group_by("session_id", "query_position").len()["len"]
    assert lengths.max() == 10
    assert quiet_read(REAL / "evaluation_sessions_Task_A.csv").facts.queries == 191
    texts = json.loads((REAL / "evaluation_sessions_Task_B.json").read_text())
    listed = quiet_read(REAL / "evaluation_sessions_Task_B.json").facts
    assert (listed.sessions, listed.not_logged) == (len(texts), sum(map(len, texts.values())))


def test_a_session_that_is_there_twice_is_an_error(write, quiet_read):
    with pytest.raises(DataError, match=r"'7' appears twice"):
        quiet_read(write("sessions.json", '{"7": ["a", "b"], "8": ["c"], "7": ["d"]}'))
