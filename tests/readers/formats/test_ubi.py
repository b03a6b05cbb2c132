"""Format ubi: a made-up log with what clients really send, one that breaks, and the real sample.

Large logs in parts of whole sessions: which they are, and that they say what the whole log says.
"""

import gzip
import json
import random
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers import FORMATS
from sessionkit.readers.events.lists import AT, FILE, KEY
from sessionkit.readers.format import fitting, glimpse
from sessionkit.readers.formats import ubi as ubi_format
from sessionkit.readers.formats.ubi import in_parts as split
from sessionkit.readers.formats.ubi_queries import SIZE
from sessionkit.readers.formats.ubi_records import QUERY, WHAT
from sessionkit.readers.raw import OnDisk
from sessionkit.readers.read import read
from sessionkit.readers.records import Log
from sessionkit.study.checks import RECORD
from tests.support.messages import match_parts, messages_with

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "ubi"
SHOP, SITE, OLD = "shop", "site", "old"


def query(query_id, text, hits=None, at="2025-01-02T10:00:00.000Z", **more):
    listed = {} if hits is None else {"query_response_hit_ids": hits}
    record = {"query_id": query_id, "user_query": text, "query_attributes": {}, "timestamp": at, "client_id": "c1"}
    return {"application": SHOP, **record, **listed, **more}


def event(action, query_id, object_id=None, ordinal=None, at="2025-01-02T10:00:01.000+0000", **more):
    thing = {} if object_id is None else {"object": {"object_id": object_id}}
    place = {} if ordinal is None else {"position": {"ordinal": ordinal}}
    attributes = {"event_attributes": {**thing, **place} or None}
    record = {"application": SHOP, "action_name": action, "query_id": query_id, "session_id": "s1", "client_id": "c1"}
    return {**record, "user_id": "", "timestamp": at, **attributes, **more}


LOG = [
    # one query_id three times: for facets, as it was typed, and as it was asked
    query("q1", "printer toner", [], query='{"size":0}'),
    query("q1", "printer", ["A9"]),
    query("q1", "printer toner", ["A1", "A2", "A3"], at="2025-01-02T10:00:00.500+0000"),
    event("impression", "q1", "A1", 1),
    event("impression", "q1", "A7", 4),  # of no list that is left
    event("click", "q1", "A2", 2, at="2025-01-02T10:00:09"),
    event("click", "q1", "A2", 2, at="2025-01-02T10:00:08.000Z"),
    event("add_to_cart", "q1", "A2", 2),
    event("click", "q1", "A9", 1),
    event("scroll", "q1"),
    # no hits: impressions counted from 0 by another application, an object clicked beside them
    query("q2", "desk lamp", application=SITE, client_id="c2", at="2025-01-02T11:00:00.000Z"),
    event("impression", "q2", "B1", 0, application=SITE, session_id=None, client_id="c2", at=1735815601000),
    event("impression", "q2", "B2", 1, application=SITE, session_id=None, client_id="c2", at=1735815601000),
    event("impression", "q2", "B1", 0, application=SITE, session_id=None, client_id="c2", at=1735815602000),
    event("click", "q2", 44, {"index": 3}, application=SITE, session_id=None, client_id="c2", at=1735815603000),
    # known by its events alone, its list by clicks alone
    event("search", "q3", message_type="QUERY", message="usb", application=OLD, at="2025-01-02T10:05:00.000Z"),
    event("click", "q3", "C1", 5, application=OLD, at="2025-01-02T10:05:05.000Z"),
    event("click", None, "C1", 5),
    event("click", "q3", "undefined", 6, application=OLD, at="2025-01-02T10:05:06.000Z"),
    # of nobody's events: in the session of its client at the time; it returned nothing
    query("q4", "zzz", [], at="2025-01-02T10:06:00.000Z"),
]


def lines(records, *, bulk=False):
    return "".join(('{"index": {"_index": "ubi"}}\n' if bulk else "") + json.dumps(record) + "\n" for record in records)


@pytest.fixture
def ubi(write, quiet_read):
    """Read records, checking that every one of them is accounted for."""

    def ubi(records=LOG, *, bulk=False, **config):
        study = quiet_read(write("log.ndjson", lines(records, bulk=bulk)), config={"format": "ubi", **config})
        beside = ("results of hit lists", "queries known by their events", "bulk action lines")
        assert sum(source.records for source in study.sources if source.kind not in beside) == len(records)
        return study

    return ubi


def asked(study, *columns):
    return (
        study.queries.select(columns or ("session_id", "query_position", "query_text", "results_status"))
        .collect()
        .rows()
    )


def shown(study, *columns):
    return study.results.select("session_id", "query_position", "rank", "doc_id", *columns).collect().rows()


@pytest.mark.parametrize("bulk", [False, True])
def test_queries_lists_and_clicks(ubi, bulk):
    study = ubi(bulk=bulk)
    assert study.reader == "ubi"
    assert asked(
        study, "session_id", "query_position", "query_text", "results_status", "list_from", "query_records"
    ) == [
        ("c2-1", 1, "desk lamp", "shown", "impressions", 1),
        ("s1", 1, "printer toner", "shown", "hit list", 3),
        ("s1", 2, "usb", "partly_observed", "clicks", 0),
        ("s1", 3, "zzz", "empty", None, 1),
    ]
    assert shown(study, "clicks", "impressions", "add_to_cart") == [
        ("c2-1", 1, 1, "B1", 0, 2, 0),
        ("c2-1", 1, 2, "B2", 0, 1, 0),
        ("c2-1", 1, 4, "44", 1, 0, 0),  # the ordinal 3 of a base of 0
        ("s1", 1, 1, "A1", 0, 1, 0),
        ("s1", 1, 2, "A2", 2, 0, 1),
        ("s1", 1, 3, "A3", 0, 0, 0),
        ("s1", 2, 5, "C1", 1, 0, 0),
    ]
    first = study.results.filter(pl.col("doc_id") == "A2").select("clicked_at").collect().item()
    assert first == datetime(2025, 1, 2, 10, 0, 8, tzinfo=UTC)
    assert study.sessions.select("session_id", "user_id", "system_id").collect().rows() == [
        ("c2-1", None, SITE),
        ("s1", None, SHOP),
    ]
    assert asked(study, "judgment_key") == [("desk lamp",), ("printer toner",), ("usb",), ("zzz",)]


def test_what_became_of_the_records(ubi):
    found = {
        (source.table, source.kind): (source.rows, source.merged, source.idle) for source in ubi(bulk=True).sources
    }
    assert found == {
        ("queries", "query records"): (3, 0, 0),
        ("queries", "queries known by their events"): (1, 0, 0),
        ("results", "results of hit lists"): (3, 0, 0),
        ("results", "impression events"): (2, 0, 0),
        ("results", "click events"): (2, 0, 0),
        ("", "query records with a query_id of another"): (0, 2, 0),
        ("", "impression events"): (0, 2, 0),  # A1, and B1 once more
        ("", "click events"): (0, 2, 0),
        ("", "add_to_cart events"): (0, 1, 0),
        ("", "search events"): (0, 1, 0),
        ("", "impression events without a listed result"): (0, 0, 1),
        ("", "click events without a listed result"): (0, 0, 1),
        ("", "scroll events"): (0, 0, 1),
        ("", "click events without query_id"): (0, 0, 1),
        ("", "click events without object_id"): (0, 0, 1),
        ("", "bulk action lines"): (0, 0, len(LOG)),
    }


def test_what_is_said(ubi):
    notes = " ".join(ubi().notes)
    for part in (
        "1 query id with several query records (first: 'q1')",
        "1 query without events added to the session of their client within 30m",
        "1 query without session_id: sessions of their client cut by 30m of inactivity",
        "application 'site': ordinals count from 0, by the least of impressions in 1 list (1 with a 0",
        "application 'shop': ordinals count from 1, by the least of impressions in 1 list (0 with a 0",
        "application 'old': ordinals count from 1, by the least of clicks",
        "1 record with the id 'undefined', taken as missing",
        "1 event without query_id (first: record 18), 1 of them clicks",
        "1 click on documents that are not in their query's list (first: record 9)",
        "system_id: several within 1 session (first: session 's1'); that of its first query is used",
    ):
        assert part in notes


@pytest.mark.slow
def test_options(ubi):
    last = ubi([*LOG[:3], query("q1", "toner", ["A5"])], repeated_queries="last")
    assert asked(last, "query_text") == [("toner",)]
    study = ubi(clicks="scroll", conversions=["click"], judgment_key="none", ordinal_base=1)
    assert shown(study, "clicks", "click")[:2] == [("c2-1", 1, 1, "B2", 0, 0), ("s1", 1, 1, "A1", 0, 0)]
    assert study.rejected.select("rule", "value").collect().rows() == [("rank_is_at_least_1", "0")]
    assert "judgment_key" not in study.columns("queries")
    normal = ubi([query("q", " Desk  Lamp ", ["A"])], judgment_key="normalized")
    assert asked(normal, "query_text", "judgment_key") == [(" Desk  Lamp ", "desk lamp")]
    tried = [query(f"q{one}", "lamp", ["A"], client_id=one, query_attributes={"experiment": one}) for one in "ab"]
    study = ubi(tried, system="query_attributes.experiment")
    assert study.sessions.select("session_id", "system_id").collect().rows() == [("a-1", "a"), ("b-1", "b")]
    with pytest.raises(DataError, match=match_parts("system = 'experiment'", "application, or query_attributes.KEY")):
        ubi(system="experiment")
    spent = event("click", "q1", "A1", 1)
    spent["event_attributes"]["dwell_time"] = 1500
    study = ubi([LOG[2], spent], dwell_time="milliseconds")
    assert shown(study, "dwell_seconds")[0] == ("s1", 1, 1, "A1", 1.5)


def test_queries_of_nobody_are_sessions_of_their_own(ubi):
    """As a plugin logs them that is told no client; those of a user alone are in a session of that user."""
    nobody = [
        query(one, "lamp", ["A"], client_id=None, at=f"2025-01-02T10:0{minute}:00Z") for minute, one in enumerate("ab")
    ]
    users = [query(one, "ink", ["B"], client_id="", user_id="u", at="2025-01-02T10:05:00Z") for one in "cd"]
    study = ubi([*nobody, *users], merge_queries=[])
    assert asked(study, "session_id", "query_id") == [("a", "a"), ("b", "b"), ("u-1", "c"), ("u-1", "d")]
    assert study.rejected.collect().is_empty()
    said = "2 queries without session, client and user: each is a session"
    assert said in study.notes


def test_actions_that_are_not_counted_are_spoken_of(ubi):
    study = ubi(
        [query("q", "lamp"), event("view", "q", "A", 1), event("view", "q", "B", 2), event("hover", "q", "A", 1)]
    )
    said = "3 events on objects at an ordinal not counted as impressions or clicks (2 view and 1 hover)"
    assert any(note.startswith(said) for note in study.notes)
    assert not any("not counted as" in note for note in ubi([*LOG[:2], event("hover", "q1", "A1")]).notes)


def browsing():
    """Queries of one browser session: typed, sent again, and an hour later."""
    texts = [
        ("10:00:00", "p"),
        ("10:00:02", "prin"),
        ("10:00:04", "printer"),
        ("10:01:00", "printer"),
        ("11:30:00", "ink"),
    ]
    for number, (time, text) in enumerate(texts):
        at = f"2025-01-02T{time}.000Z"
        first = "D2" if text == "printer" else f"D{number}"  # a query sent again returns the same list
        yield query(f"q{number}", text, [first, "D"], at=at)
        yield event("impression", f"q{number}", "D", 2, at=at)


@pytest.mark.slow
def test_queries_are_merged_by_rules_that_can_be_turned_off(ubi):
    study = ubi(list(browsing()))
    assert asked(study, "query_position", "query_text", "query_id") == [(1, "printer", "q2"), (2, "ink", "q4")]
    assert shown(study, "impressions") == [
        ("s1", 1, 1, "D2", 0),
        ("s1", 1, 2, "D", 4),
        ("s1", 2, 1, "D4", 0),
        ("s1", 2, 2, "D", 1),
    ]
    merged = {source.kind: source.merged for source in study.sources if source.merged}
    assert merged == {"queries merged into others": 3, "impression events": 5}
    assert messages_with(study.notes, "1 queries sent again", "2 queries on their way")
    assert len(asked(ubi(list(browsing()), merge_queries=[]))) == 5
    assert len(asked(ubi(list(browsing()), merge_queries="same"))) == 4


@pytest.mark.slow
def test_sessions_of_browsers_are_cut_where_that_is_wanted(ubi):
    assert messages_with(ubi(list(browsing())).notes, "1 session of the log", "above 30m")
    cut = ubi(list(browsing()), cut_sessions=True)
    assert asked(cut, "session_id", "query_text") == [("s1-1", "printer"), ("s1-2", "ink")]
    longer = ubi(list(browsing()), cut_sessions=True, session_gap="2h")
    assert asked(longer, "session_id", "query_text") == [("s1-1", "printer"), ("s1-1", "ink")]


@pytest.mark.slow
def test_queries_and_events_in_files_of_their_own(write, quiet_read):
    one = write("queries.ndjson", lines([record for record in LOG if "user_query" in record]))
    two = write("events.json", json.dumps([record for record in LOG if "action_name" in record]))
    parted = quiet_read([one, two])
    whole = quiet_read(write("log.ndjson", lines(LOG)))
    assert parted.reader == "ubi"
    for name in ("sessions", "queries", "results"):
        assert getattr(parted, name).collect().equals(getattr(whole, name).collect())


@pytest.mark.slow
def test_a_large_log_is_the_same(write, quiet_read, in_batches):
    path = write("log.ndjson", lines([*LOG, *browsing()], bulk=True) + "{broken\n")
    whole = quiet_read(path)
    in_batches(3)
    parted = quiet_read(path)
    for name in ("users", "sessions", "queries", "results", "rejected"):
        assert getattr(parted, name).collect().equals(getattr(whole, name).collect()), name
    assert parted.sources == whole.sources


@pytest.mark.slow
def test_a_broken_line_is_kept_aside_and_named(write, quiet_read, rejects):
    path = write("log.ndjson", lines(LOG[:4]) + '{"broken\n' + lines([query("q9", "soon", ["A"], at="soon"), {"a": 1}]))
    study = quiet_read(path)
    assert [row[:4] for row in rejects(study)] == [
        (5, 5, "line_is_json", '{"broken'),
        (7, 7, "record_is_query_or_event", '{"a": 1}'),
        (6, 6, "issued_at_is_a_datetime", "soon"),  # its query and its list stay
    ]
    with pytest.raises(DataError, match=match_parts("log.ndjson, line 5:", "line_is_json")):
        read(path, strict=True)


def test_what_is_no_log_of_queries_is_refused(write):
    path = write("log.ndjson", lines([event("scroll", None)]))
    with pytest.raises(DataError, match=r"log\.ndjson: no query record"):
        read(path)
    with pytest.raises(UsageError, match="session gap is 'soon'"):
        read(write("log.ndjson", lines(LOG)), session_gap="soon")


def test_damaged_files_are_refused(write):
    whole = gzip.compress(lines(LOG * 40).encode())
    with pytest.raises(DataError, match="cut short or damaged"):
        read(write("log.ndjson", whole[:-20]), format="ubi")
    latin = lines([query("q", "k\u00e4se", ["A"])]).replace("k\\u00e4se", "k\u00e4se")
    with pytest.raises(DataError, match=r"log\.ndjson is not UTF-8"):
        read(write("log.ndjson", latin.encode("latin-1")), format="ubi")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("queries.ndjson", lines(LOG[:1])),
        ("events.ndjson", lines(LOG[3:4])),
        ("bulk.ndjson.gz", lines(LOG, bulk=True)),
        ("answer.json", json.dumps({"took": 1, "hits": {"hits": [{"_source": LOG[0]}]}}, indent=1)),
        ("dump.json", json.dumps({"_index": "ubi_queries", "_source": LOG[0]})),
        ("bulk.json", '{"index": {}}\n' + lines(LOG[:1])),
        ("posts.json", f"[{json.dumps(LOG[0])}]\n[{json.dumps(LOG[3])}]\n"),
        ("s3.json", json.dumps({"events": LOG[3:5]})),
        ("both.json", json.dumps({"queries": LOG[:1], "events": LOG[3:5]}, indent=1)),
        ("camel.json", json.dumps([{"queryId": "q", "userQuery": "lamp", "queryResponse": {}}])),
    ],
)
def test_it_is_recognized_by_content(write, name, text):
    assert fitting([glimpse(write(name, text))], FORMATS) == ["ubi"]


@pytest.mark.parametrize(
    "text",
    [
        '{"queries": [{"query": "lamp", "ratings": {}}]}',
        '{"events": [{"name": "x"}]}',
        '{"a": 1}',
        '{"index": {"_index": "x"}}\n{"a": 1}',
        '{"properties": {"action_name": {}}}',
        "[]",
        "",
    ],
)
def test_other_json_is_not_taken_for_it(write, text):
    assert not FORMATS["ubi"].fits(glimpse(write("other.json", text)))


def test_a_folder_of_such_files_is_recognized(write, tmp_path, quiet_read):
    write("a.ndjson", lines(LOG[:3]))
    write("b.ndjson", lines(LOG[3:]))
    assert quiet_read(tmp_path).reader == "ubi"
    write("README", "nothing of the kind")
    assert not FORMATS["ubi"].fits(glimpse(tmp_path))


def plainly(path):
    """Ids with hits, ids with impressions alone, clicks of Chorus without impression: counted one by one."""
    records = [json.loads(text) for text in path.read_text().splitlines()]
    listed = {record["query_id"] for record in records if record.get("query_response_hit_ids")}
    things = {}
    for record in records:
        if record.get("action_name") in ("impression", "click"):
            thing = (record["query_id"], record["event_attributes"]["object"]["object_id"])
            things.setdefault((record["action_name"], record["application"]), []).append(thing)
    seen = {thing for (action, _), all_of in things.items() if action == "impression" for thing in all_of}
    return (
        len(listed),
        len({key for key, _ in seen} - listed),
        sum(thing not in seen for thing in things["click", "Chorus"]),
    )


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.skipif(not REAL.exists(), reason="no real data here")
@pytest.mark.parametrize("merge", [["same", "paging", "typing"], []])
def test_every_record_of_the_real_sample(quiet_read, merge):
    name = "ubi_queries_events.chorus.ndjson"
    study = quiet_read(REAL / name, config={"format": "ubi", "merge_queries": merge})
    counts = [(source.table, source.kind, source.records) for source in study.sources]
    records = {kind: many for table, kind, many in counts if "quer" in kind and "event" not in kind}
    # 473 query records of 284 query ids
    assert records["query records with a query_id of another"] == 473 - 284
    assert records["query records"] + records.get("queries merged into others", 0) == 284
    events = [(kind, many) for _, kind, many in counts if "events" in kind and kind != "queries known by their events"]
    assert sum(many for _, many in events) == 3448
    assert dict(events)["search events without query_id"] == 2
    # 227 clicks of Chorus and 60 of the generated sample; 12 on a list that its query_id has no more
    clicks = study.results.select(pl.col("clicks").sum()).collect().item()
    assert clicks == 227 + 60 - 12
    assert dict(events)["click events without a listed result"] == 12
    assert messages_with(study.notes, "944 events of 480", "without query record")
    assert messages_with(study.notes, "application 'Chorus'", "ordinals count from 1")
    assert messages_with(study.notes, "application 'esci_ubi_sample'", "ordinals count from 0")
    assert study.rejected.collect().is_empty()
    systems = study.sessions.group_by("system_id").len().sort("system_id").collect().rows()
    assert systems == [("Chorus", 15), ("esci_ubi_sample", 200), ("ubi-demo", 15)]
    if not merge:
        assert study.queries.select(pl.len()).collect().item() == 284 + 480
        listed, unlisted, unseen = plainly(REAL / name)
        lists = study.queries.group_by("list_from").len().collect().rows()
        assert dict(lists) == {None: 284 + 480 - listed - unlisted, "hit list": listed, "impressions": unlisted}
        assert unseen == 41


@pytest.mark.realdata
@pytest.mark.skipif(not REAL.exists(), reason="no real data here")
def test_the_sample_event_is_a_record_and_schemas_are_not():
    assert FORMATS["ubi"].fits(glimpse(REAL / "event-opensearch.json"))
    schemas = sorted(REAL.glob("schema-*/*.json"))
    assert len(schemas) == 12
    assert not any(FORMATS["ubi"].fits(glimpse(path)) for path in schemas)


def log_of(seed):
    """Lines of a log: queries sent again, lists of hits and of impressions, clicks on what is listed and on what is not."""
    rng = random.Random(seed)  # noqa: S311 - a made-up log
    for number in range(30):
        own = {"application": "shop", "query_id": f"q{number}", "client_id": f"c{rng.randrange(3)}"}
        at = {"timestamp": f"2026-01-01T10:{number:02}:00Z"}
        hits = rng.sample("ABCDEF", rng.randrange(7))
        yield {**own, **at, "user_query": rng.choice(["lamp", "lamps", "toner"]), "query_response_hit_ids": hits}
        for place in range(rng.randrange(5)):
            event = {"action_name": rng.choice(["click", "impression"]), "session_id": f"s{rng.randrange(9)}"}
            attributes = {"object": {"object_id": rng.choice("ABCDEFG")}, "position": {"ordinal": place // 2}}
            yield {**own, **at, **event, "event_attributes": attributes}


@pytest.mark.slow
@pytest.mark.parametrize("rules", [["same", "paging", "typing"], []])
def test_parts_say_what_the_whole_says(rules, write, quiet_read, in_batches, same_study, monkeypatch):  # noqa: PLR0917 - fixtures
    path = write("log.ndjson", "".join(json.dumps(record) + "\n" for record in log_of(len(rules))))
    config = {"format": "ubi", "merge_queries": rules}
    whole = quiet_read(path, config=config)
    in_batches()
    monkeypatch.setattr(ubi_format, "ROWS", 10)
    same_study(quiet_read(path, config=config), whole)


def test_parts_are_whole_sessions_of_about_a_size(tmp_path, monkeypatch):
    records, work = tmp_path / "records", tmp_path / "work"
    for folder in (records, work):
        folder.mkdir()
    monkeypatch.setattr(ubi_format, "ROWS", 6)
    names = {KEY: ["d", "c", "b", "a"], "session_id": ["t", "t", "s", "r"], RECORD: [4, 3, 2, 1], SIZE: [2, 9, 0, 4]}
    queries = pl.LazyFrame(names).with_columns(pl.lit(0, pl.Int32).alias(FILE), pl.lit(None, pl.Datetime()).alias(AT))
    hits = queries.select(FILE, RECORD, pl.lit(QUERY).alias(WHAT), hits=pl.Series([["x"], ["y", "z"], [], ["w"]]))
    marks = pl.LazyFrame({KEY: ["d"], RECORD: [9], "doc_id": ["x"]}).with_columns(pl.lit(0, pl.Int32).alias(FILE))
    whole, parts = split(queries, hits, marks, Log((), None, OnDisk(records), work, is_large=True))
    # a and b take 5 and 1 of 6 rows; c and d, which begin another part, are one session
    found = [
        (
            part.queries.select(KEY, "session_id").collect().rows(),
            part.hits.select(KEY, "hits").collect().rows(),
            part.marks.select(KEY, "doc_id").collect().rows(),
        )
        for part in parts
    ]
    assert found == [
        ([(0, "r"), (1, "s")], [(0, ["w"])], []),
        ([(2, "t"), (3, "t")], [(2, ["y", "z"]), (3, ["x"])], [(3, "x")]),
    ]
    assert [frame.select(pl.len()).collect().item() for frame in (whole.queries, whole.hits, whole.marks)] == [4, 3, 1]
