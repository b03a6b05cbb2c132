"""Format events: a private log in three kinds of file, its columns and events named by study.toml."""

import json

import polars as pl
import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.propose.proposal import spelled
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

HEADER = "sid,ts,action,q,doc,pos,who,device\n"
LOG = HEADER + "".join(
    f"{line}\n"
    for line in (
        "s1,2026-01-01T10:00:00Z,search,cats,,,ann,phone",
        "s1,2026-01-01T10:00:02Z,view,,b,2,ann,phone",
        "s1,2026-01-01T10:00:02Z,view,,a,1,ann,phone",
        "s1,2026-01-01T10:00:03Z,view,,a,1,ann,phone",  # drawn again
        "s1,2026-01-01T10:00:05Z,open,,,2,ann,phone",  # by rank alone
        "s1,2026-01-01T10:00:35Z,close,,b,,ann,phone",
        "s1,2026-01-01T10:00:40Z,preview,,z,7,ann,phone",  # not shown
        "s1,2026-01-01T10:00:41Z,scroll,,,,ann,phone",
        "s1,2026-01-01T10:02:00Z,close,,a,,ann,phone",
        "s2,2026-01-01T09:59:00Z,open,,a,1,,",  # before any query
        "s2,2026-01-01T10:00:00Z,search,dogs,,,,",
        "s2,2026-01-01T10:00:09Z,open,,c,,,",  # where was it?
        "s2,2026-01-01T10:00:10Z,open,,d,3,,",
    )
)
COLUMNS = {
    **{"session_id": "sid", "time": "ts", "event": "action", "query_text": "q", "doc_id": "doc", "rank": "pos"},
    "user_id": "who",
}
EVENTS = {"query": "search", "impression": "view", "click": ["open", "preview"], "leave": "close"}
STUDY = {"format": "events", "columns": COLUMNS, "events": EVENTS}


@pytest.fixture
def events(write, quiet_read):
    """Read a log, checking that every record of it is accounted for."""

    def events(text=LOG, name="log.csv", records=13, **config):
        study = quiet_read(write(name, text), config={**STUDY, **config})
        beside = "results of query events"
        assert sum(source.records for source in study.sources if source.kind != beside) == records
        return study

    return events


def rows(study, table, *columns):
    return getattr(study, table).select(columns).collect().rows()


def test_queries_lists_and_clicks(events):
    study = events()
    assert rows(study, "queries", "session_id", "query_position", "query_text", "results_status", "device") == [
        ("s1", 1, "cats", "shown", "phone"),
        ("s2", 1, "dogs", "partly_observed", None),
    ]
    assert rows(study, "results", "session_id", "rank", "doc_id", "clicked", "dwell_seconds") == [
        ("s1", 1, "a", False, None),
        ("s1", 2, "b", True, 30.0),
        ("s1", 7, "z", True, None),
        ("s2", 3, "d", True, None),
    ]
    assert rows(study, "sessions", "session_id", "user_id") == [("s1", "ann"), ("s2", None)]


def test_what_became_of_the_records(events):
    study = events()
    found = {(source.table, source.kind): (source.rows, source.merged, source.idle) for source in study.sources}
    assert found == {
        ("queries", "query events"): (2, 0, 0),
        ("results", "impression events"): (2, 0, 0),
        ("results", "click events"): (2, 0, 0),
        ("", "impression events"): (0, 1, 0),
        ("", "click events"): (0, 1, 0),
        ("", "leave events"): (0, 1, 0),
        ("", "leave events after no click"): (0, 0, 1),
        ("", "scroll events"): (0, 0, 1),
        ("", "click events before the first query"): (0, 0, 1),
        ("", "click events without a listed result"): (0, 0, 1),
    }
    assert messages_with(study.notes, "1 event on results", "before the first query", "first: session 's2'")
    assert messages_with(study.notes, "1 click on documents", "not in", "list", "first: record 12")


@pytest.mark.slow
def test_the_same_in_three_kinds_of_file_and_in_parts(write, quiet_read, in_batches):
    frame = pl.read_csv(write("log.csv", LOG), infer_schema_length=0)
    frame.with_columns(pl.col("pos").cast(pl.Int64)).write_parquet(write("log.parquet", ""))
    lines = "".join(json.dumps({key: value for key, value in row.items() if value}) + "\n" for row in frame.to_dicts())
    paths = [
        write("log.tsv", LOG.replace(",", "\t")),
        write("log.ndjson", lines),
        write("log.csv", LOG).with_suffix(".parquet"),
    ]
    whole = quiet_read(write("log.csv", LOG), config=STUDY)
    for read_so in (lambda: None, lambda: in_batches(3)):
        read_so()
        for path in paths:
            study = quiet_read(path, config=STUDY)
            for name in ("users", "sessions", "queries", "results"):
                assert getattr(study, name).collect().equals(getattr(whole, name).collect()), (path, name)


def test_two_files_are_one_log(write, quiet_read):
    lines = LOG.splitlines(keepends=True)
    one, two = write("a.csv", HEADER + "".join(lines[1:5])), write("b.csv", HEADER + "".join(lines[5:]))
    study = quiet_read([one, two], config=STUDY)
    whole = quiet_read(write("log.csv", LOG), config=STUDY)
    assert study.results.collect().equals(whole.results.collect())


@pytest.mark.slow
def test_sessions_of_users_and_names_of_our_own(events):
    text = "user_id,time,event,query_text,results,results_count\n" + "".join(
        f"{user},{time},query,{query},{listed},{count}\n"
        for user, time, query, listed, count in (
            ("u", 1767261600, "cats", "a b", ""),
            ("u", 1767261660, "cats and dogs", '"[""c"", 7]"', ""),
            ("u", 1767265300, "birds", "", "0"),  # an hour later
            ("v", 1767261600, "fish", "", ""),
            ("", 1767261600, "whose", "", ""),
        )
    )
    study = events(text, records=5, columns={}, events={"query": "query"})
    assert rows(study, "queries", "session_id", "query_text", "results_status") == [
        ("u-1", "cats", "shown"),
        ("u-1", "cats and dogs", "shown"),
        ("u-2", "birds", "empty"),
        ("v-1", "fish", "not_logged"),
    ]
    assert rows(study, "results", "query_position", "rank", "doc_id") == [
        (1, 1, "a"),
        (1, 2, "b"),
        (2, 1, "c"),
        (2, 2, "7"),
    ]
    assert rows(study, "rejected", "record", "line", "rule") == [(5, 6, "session_id_is_given")]
    longer = events(text, records=5, columns={}, events={"query": "query"}, session_gap="2h")
    assert rows(longer, "sessions", "session_id") == [("u-1",), ("v-1",)]


@pytest.mark.slow
def test_sessions_of_the_log_are_cut_where_that_is_wanted(events):
    later = LOG + "s1,2026-01-01T10:40:00Z,search,mice,,,ann,phone\n"  # 38 minutes after the event before it
    whole = rows(events(later, records=14), "queries", "session_id", "query_text")
    assert whole == [("s1", "cats"), ("s1", "mice"), ("s2", "dogs")]
    cut = events(later, records=14, cut_sessions=True)
    assert rows(cut, "queries", "session_id", "query_text") == [("s1-1", "cats"), ("s1-2", "mice"), ("s2-1", "dogs")]
    assert messages_with(cut.notes, "sessions of the log", "30m of inactivity")
    assert not [name for name in cut.columns("queries") if name.startswith("__")]
    longer = events(later, records=14, cut_sessions=True, session_gap="1h")
    assert rows(longer, "queries", "session_id") == [("s1-1",), ("s1-1",), ("s2-1",)]


def test_private_names_are_left_out_and_told(write, quiet_read):
    text = '{"session_id":"s","event":"query","query_text":"cats","__v":0,"device":"phone"}\n'
    study = quiet_read(write("log.ndjson", text), format="events")
    assert messages_with(study.notes, "log.ndjson: left out", "two underscores: __v")
    assert rows(study, "queries", "query_text", "device") == [("cats", "phone")]


def test_a_line_cut_short_is_no_event(events, rejects):
    study = events(LOG + "s1,2026-\n", records=14)
    assert [row[1:3] for row in rejects(study)] == [(15, "event_is_given")]


def test_events_name_their_query_and_have_no_ranks(events):
    text = "session_id,event,query_id,query_text,doc_id,dwell_seconds\n" + "".join(
        f"s,{line}\n"
        for line in (
            "query,q1,cats,,",
            "query,q2,dogs,,",
            "impression,q1,,b,",  # comes late
            "impression,q1,,a,",
            "impression,,,c,",  # the last query's
            "click,q1,,a,12.5",
        )
    )
    study = events(text, records=6, columns={}, events={name: name for name in ("query", "impression", "click")})
    assert rows(study, "results", "query_position", "rank", "doc_id", "dwell_seconds") == [
        (1, 1, "b", None),
        (1, 2, "a", 12.5),
        (2, 1, "c", None),
    ]
    assert any("3 impressions without ranks" in note for note in study.notes)


def test_ranks_from_0_and_queries_sent_again(events):
    text = "session_id,event,query_text,doc_id,rank\n" + "".join(
        f"s,{line}\n"
        for line in (
            "query,cats,,",
            "impression,,a,0",
            "impression,,b,1",
            "query,cats,,",
            "impression,,c,2",  # the next page
            "query,cats,,",
            "impression,,a,0",  # sent again
        )
    )
    study = events(text, records=7, columns={}, events={"query": "query", "impression": "impression"})
    assert rows(study, "results", "query_position", "rank", "doc_id") == [(1, 1, "a"), (1, 2, "b"), (1, 3, "c")]
    assert messages_with(study.notes, "1 queries sent again", "1 further pages")
    apart = events(text, records=7, columns={}, events={"query": "query", "impression": "impression"}, merge_queries=[])
    assert len(rows(apart, "queries", "query_position")) == 3
    from_1 = events(text, records=7, columns={}, events={"query": "query", "impression": "impression"}, rank_base=1)
    assert rows(from_1, "rejected", "line", "rule", "value") == [(3, "rank_is_at_least_1", "0")]


def test_queries_of_one_text_with_other_lists_are_two_queries(events):
    text = "session_id,event,query_text,results,doc_id\n" + "".join(
        f"s,{line}\n" for line in ("query,jaguar,d1 d2,", "query,jaguar,d3 d4,", "click,,,d3", "query,jaguar,d3 d4,")
    )
    study = events(text, records=4, columns={}, events={"query": "query", "click": "click"})
    assert rows(study, "results", "query_position", "rank", "doc_id", "clicks") == [
        (1, 1, "d1", 0),
        (1, 2, "d2", 0),
        (2, 1, "d3", 1),
        (2, 2, "d4", 0),
    ]
    assert messages_with(study.notes, "1 query merged", "1 queries sent again")


def test_a_participant_who_never_searched_is_named(write, quiet_read, tmp_path):
    searched = [
        {"kind": "enter", "sess": "s-1", "person": "p1"},
        {"kind": "asked", "sess": "s-1", "q": "otter"},
        {"kind": "opened", "sess": "s-1", "doc": "d2", "rank": 2},
    ]
    (tmp_path / "logs").mkdir()
    write("logs/p1.log", "".join(json.dumps(event) + "\n" for event in searched))
    write("logs/p2.log", json.dumps({"kind": "enter", "sess": "s-2", "person": "p2"}) + "\n")
    write("logs/p3.log", "")
    write("logs/p4.log", "\n")
    columns = {
        "session_id": "sess",
        "user_id": "person",
        "query_text": "q",
        "doc_id": "doc",
        "event": "kind",
        "rank": "rank",
    }
    for path in ("logs", "logs/*.log"):
        config = {"format": "events", "path": path, "columns": columns, "events": {"query": "asked", "click": "opened"}}
        toml = write("study.toml", _toml(config))
        study = quiet_read(toml)
        assert rows(study, "queries", "session_id", "query_text") == [("s-1", "otter")]
        assert rows(study, "results", "doc_id", "clicks") == [("d2", 1)]
        assert messages_with(study.notes, "1 session without a query", "'s-2'")
        assert messages_with(study.notes, "2 empty files", "p3.log and p4.log")
    write("study.toml", _toml({**config, "columns": {**columns, "rank": "place"}}))
    with pytest.raises(DataError, match=match_parts("none of 2 files", "column 'place'", "rank")):
        read(toml)


def _toml(config):
    """Return a study.toml, each table in one line."""
    return "\n".join(f"{key} = {spelled(value)}" for key, value in config.items())


SHORT = {"session_id": ["user", "task"], "event": "what", "query_text": "q", "doc_id": "doc", "rank": "pos"}
SHORT_EVENTS = {"query": "search", "impression": "show", "click": "open"}


def test_a_session_of_two_columns_and_times_since_its_start(events):
    text = "user;task;ms;what;q;doc;pos;stay\n" + "".join(
        f"{line}\n"
        for line in (
            "u1;A;0;search;otter;;;",
            "u1;A;1200;show;;d1;1;",
            "u1;A;183250;open;;d2;2;1500",
            "u1;B;60000;search;beaver;;;",
            "u1;B;soon;open;;d9;4;",
        )
    )
    columns = {**SHORT, "topic_id": "task", "elapsed_seconds": "ms", "dwell_seconds": "stay"}
    units = {"elapsed_seconds": "milliseconds", "dwell_seconds": "milliseconds"}
    config = {"columns": columns, "events": SHORT_EVENTS, "separator": ";"}
    study = events(text, records=5, **config, units=units)
    assert rows(study, "queries", "session_id", "elapsed_seconds") == [("u1/A", 0.0), ("u1/B", 60.0)]
    assert "issued_at" not in study.columns("queries")
    assert rows(study, "results", "session_id", "rank", "click_elapsed_seconds", "dwell_seconds") == [
        ("u1/A", 1, None, None),
        ("u1/A", 2, 183.25, 1.5),
        ("u1/B", 4, None, None),
    ]
    assert "clicked_at" not in study.columns("results")
    assert rows(study, "rejected", "line", "rule", "value") == [(6, "elapsed_seconds_is_a_number", "soon")]
    as_time = {**columns, "time": "ms"}
    del as_time["elapsed_seconds"]
    with pytest.raises(DataError, match=match_parts("time is 'ms'", "4 of its 4 numbers", "'0'", "too small")):
        events(text, **{**config, "columns": as_time})
    with pytest.raises(DataError, match=match_parts("units.rank = 'm'", "elapsed_seconds", "dwell_seconds")):
        events(text, **config, units={"rank": "m"})


def test_dates_in_the_form_of_a_country(events):
    text = "user,task,day,hour,what,q\nu1,A,02.03.2026,10:00:05,search,otter\nu1,A,02.03.2026,10:00:01,search,beaver\n"
    columns = {"session_id": "user", "event": "what", "query_text": "q", "time": ["day", "hour"]}
    config = {
        "columns": columns,
        "events": {"query": "search"},
        "times": "%d.%m.%Y %H:%M:%S",
        "timezone": "Europe/Vienna",
    }
    study = events(text, records=2, **config)
    assert [str(at) for (at,) in rows(study, "queries", "issued_at")] == [
        "2026-03-02 09:00:01+00:00",
        "2026-03-02 09:00:05+00:00",
    ]
    assert rows(study, "queries", "query_text") == [("beaver",), ("otter",)]


NEWEST = [
    ("10:00:09", "open", "", "d3", 1),
    ("10:00:08", "open", "otter", "d2", 2),  # in the other tab
    ("10:00:07", "show", "", "d3", 1),
    ("10:00:07", "search", "beaver", "", ""),
    ("10:00:02", "show", "", "d2", 2),
    ("10:00:02", "show", "", "d1", 1),
    ("10:00:02", "search", "otter", "", ""),
]


@pytest.mark.parametrize("order", ["newest first", "a number for each event"])
def test_events_are_ordered_by_time_and_those_of_one_time_by_line_or_number(events, order):
    lines = [f"u1,2026-03-02T{at}Z,{what},{q},{doc},{pos},{-nth}" for nth, (at, what, q, doc, pos) in enumerate(NEWEST)]
    columns = {"session_id": "user", "event": "what", "query_text": "q", "doc_id": "doc", "rank": "pos"}
    if order == "newest first":
        columns["time"] = "at"
    else:
        columns["event_order"] = "nth"
        lines = [lines[place] for place in (3, 0, 6, 1, 5, 2, 4)]
    text = "\n".join(["user,at,what,q,doc,pos,nth", *lines]) + "\n"
    study = events(text, records=7, columns=columns, events=SHORT_EVENTS)
    assert rows(study, "queries", "query_position", "query_text") == [(1, "otter"), (2, "beaver")]
    assert rows(study, "results", "query_position", "rank", "doc_id", "clicks") == [
        (1, 1, "d1", 0),
        (1, 2, "d2", 1),
        (2, 1, "d3", 1),
    ]
    assert messages_with(study.notes, "1 event on results", "another text", "first: record")
    newest_first = messages_with(study.notes, "log.csv", "newest events first: 3 events")
    assert bool(newest_first) == (order == "newest first")


def test_lists_of_ids_in_a_cell_and_of_objects(events):
    lists = ('["a b", 7]', "a|c", '[{"id": "a"}]')
    text = "".join(
        json.dumps({"session_id": "s", "event": "query", "query_text": f"q{one}", "results": one}) + "\n"
        for one in lists
    )
    study = events(text, name="log.ndjson", records=3, columns={}, events={"query": "query"})
    assert rows(study, "results", "query_position", "rank", "doc_id") == [
        (1, 1, "a b"),
        (1, 2, "7"),
        (2, 1, "a"),
        (2, 2, "c"),
    ]
    assert rows(study, "rejected", "record", "rule", "value") == [(3, "results_are_ids", '[{"id": "a"}]')]
    assert rows(study, "queries", "results_status") == [("shown",), ("shown",), ("not_logged",)]


def test_a_file_of_a_header_alone_is_named(write, quiet_read):
    one, two = write("a.csv", LOG), write("b.csv", HEADER)
    study = quiet_read([one, two], config=STUDY)
    assert "b.csv: no records, only a header" in study.notes
    assert study.facts.queries == 2


def test_broken_records_are_kept_aside_and_named(write, rejects, quiet_read):
    text = HEADER + (
        "s1,2026-01-01T10:00:00Z,search,cats,,,ann,phone\n"
        "s1,2026-01-01T10:00:02Z,view,,b,two,ann,phone\n"
        "s1,soon,open,,b,2,ann,phone\n"
        "s1,2026-01-01T10:00:02Z,view,,b,2,ann,phone,and more\n"
    )
    path = write("log.csv", text)
    study = quiet_read(path, config=STUDY)
    assert [row[:4] for row in rejects(study)] == [
        (2, 3, "rank_is_an_integer", "two"),
        (4, 5, "record_fits_the_columns", "and more"),
        (3, 4, "time_is_a_datetime", "soon"),  # its click stays
    ]
    assert study.results.collect().select("doc_id", "clicked").rows() == [("b", True)]
    with pytest.raises(DataError, match=match_parts("log.csv, line 3:", "rank_is_an_integer", "'two'")):
        read(path, config=STUDY, strict=True)


@pytest.mark.parametrize(
    ("config", "parts"),
    [
        ({"columns": {"sesion_id": "sid"}}, ("columns.sesion_id", "column of events", "session_id")),
        ({"columns": {**COLUMNS, "rank": "posit"}}, ("log.csv", "no column 'posit'", "rank", "pos")),
        ({"columns": {**COLUMNS, "rank": ["pos", "doc"]}}, ("only ids and times", "several columns")),
        ({"columns": {**COLUMNS, "rank": 3}}, ("columns.rank = 3", "name of one column")),
        ({"columns": {"session_id": "sid"}}, ("log.csv", "no column event", "found sid, ts")),
        ({"columns": {"event": "action"}}, ("log.csv", "session_id, or user_id", "time")),
        ({"events": {"query": "find"}}, ("log.csv: no event", "query", "'open', 'view'")),
        ({"events": {"queries": "search"}}, ("events.queries", "kind of event", "query")),
        ({"events": {"query": "search", "click": ["search"]}}, ("'search'", "both query and click")),
        ({"events": {"query": 3}}, ("events.query = 3", "give a name")),
    ],
)
def test_what_study_toml_says_wrongly_is_named(write, config, parts):
    with pytest.raises(DataError, match=match_parts(*parts)):
        read(write("log.csv", LOG), config={**STUDY, **config})


def test_options_that_change_nothing_are_refused(write, quiet_read):
    lines = '{"session_id":"s","event":"query","query_text":"a","time":"2026-03-02T10:00:00Z"}\n'
    path, config = write("log.ndjson", lines), {"format": "events"}
    assert quiet_read(path, config=config).facts.queries == 1
    for said in ({"quote": False}, {"session_gap": "1h"}):
        (option,) = said
        with pytest.raises((DataError, UsageError), match=f"{option} .*log.ndjson.*leave {option} out"):
            quiet_read(path, config={**config, **said})
    pl.read_ndjson(path).write_parquet(path.with_suffix(".parquet"))
    for said in ({"separator": ";"}, {"quote": False}, {"encoding": "latin-1"}):
        (option,) = said
        with pytest.raises(DataError, match=f"{option} .*log.parquet.*leave {option} out"):
            quiet_read(path.with_suffix(".parquet"), config={**config, **said})
