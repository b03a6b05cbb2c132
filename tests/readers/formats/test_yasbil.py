"""Format yasbil: a made-up export, as no real one is public."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers import FORMATS
from sessionkit.readers.formats.yasbil import address, milliseconds, scraped
from sessionkit.readers.read import read
from sessionkit.readers.sniffer import fitting, glimpse

START = 1_700_000_000_000
"""When the session begins, in milliseconds; times below are seconds after it."""
SEARCH = "https://www.google.com/search?q=night+trains"


def row(prefix, second, *, tab=1, session="S1", **fields):
    return {"session_guid": session, "tab_id": tab, f"{prefix}_ts": START + 1000 * second, **fields}


def visit(second, url, hist, *, kind="link", query=None, **more):
    searched = {"pv_search_engine": "GOOGLE", "pv_search_query": query} if query else {}
    return row("pv", second, pv_url=url, hist_ts=hist, pv_transition_type=kind, **{**searched, **more})


def serp(second, query, results, *, offset=0, engine="GOOGLE", **more):
    items = json.dumps([{"type": kind, "index": index, "result_url": url} for kind, index, url in results])
    return row(
        "serp", second, search_engine=engine, search_query=query, serp_offset=offset, scraped_json_arr=items, **more
    )


def main(*urls):
    return [("MAIN_RESULT", 2 * place, url) for place, url in enumerate(urls, 1)]


FIRST = [
    ("DOCUMENT", 0, ""),
    ("MAIN_RESULT", 3, "https://b.example/trains"),
    ("OTHER", 2, "x"),
    *main("https://a.example/"),
]


def export():
    """An export with what the extension does: pages twice, a list in the large strings, clicks and links."""
    page = serp(11, "night trains", FIRST)
    body = page["scraped_json_arr"]
    page["scraped_json_arr"] = f"5e4f0c6a-guid|3|{3 + len(body)}"
    return {
        "yasbil_sessions": [{"session_guid": "S1", "session_start_ts": START, "session_end_ts": START + 900_000}],
        "yasbil_session_pagevisits": [
            visit(10, SEARCH, 9990.5, kind="form_submit", query="night trains"),
            visit(10, SEARCH, 9990.5, kind="form_submit", query="night trains"),  # logged twice
            visit(21, "https://b.example/trains#top", 20990),
            visit(51, SEARCH, 50990, kind="back", query="night trains"),
            visit(61, "https://a.example/", 60990),  # by a link that no click was logged of
            visit(71, "https://news.example/", 70990, kind="typed", tab=2),
            visit(80, "https://www.bing.com/search?q=sleeper", 79990, query="sleeper", tab=2, pv_search_engine="BING"),
            visit(300, "https://c.example/", 299990, tab=2),
        ],
        "yasbil_session_serp": [
            page,
            serp(15, "night trains", main("https://d.example/"), offset=10),
            serp(16, "night trains", main("https://e.example/"), offset=10),  # scraped again, and another
            serp(81, "sleeper", main("https://c.example/"), offset=11, engine="BING", tab=2),
            serp(90, "nothing", [("DOCUMENT", 0, "")], tab=3),
        ],
        "yasbil_session_mouse": [
            row(
                "m",
                20,
                m_event="MOUSE_CLICK",
                closest_a_html='<a class="x" href="/url?q=https://b.example/trains&amp;sa=U">Trains</a>',
            ),
            row("m", 20, m_event="MOUSE_CLICK", closest_a_html=""),
            row("m", 20, m_event="MOUSE_HOVER"),
        ],
        "yasbil_session_webnav": [
            row("webnav", 21, webnav_url="https://b.example/trains", webnav_transition_type="link"),
        ],
        "yasbil_largestring": [
            {"string_guid": "5e4f0c6a-guid", "string_body": "xyz" + body + "more"},
            {"string_guid": "another-guid", "string_body": "a page"},
        ],
    }


@pytest.fixture
def yasbil(write, quiet_read):
    """Read an export, checking that every row of it is accounted for."""

    def yasbil(tables=None, text=None, name="p07.json", **options):
        tables = tables or export()
        study = quiet_read(write(name, text or json.dumps(tables, indent=2)), **options)
        beside = ("results scraped", "sessions without a row of their own")
        records = sum(source.records for source in study.sources if source.kind not in beside)
        assert records == sum(len(rows) for rows in tables.values())
        return study

    return yasbil


@pytest.mark.slow
def test_places_in_large_strings_are_counted_as_browsers_do(yasbil):
    tables = export()
    page, strings = tables["yasbil_session_serp"][0], tables["yasbil_largestring"]
    body = strings[0]["string_body"].removeprefix("xyz").removesuffix("more")
    before = "\N{DOG FACE}\N{DOG FACE} walks "  # 9 characters, of which two are two units of UTF-16
    strings[0]["string_body"] = f"{before}{body} and more"
    page["scraped_json_arr"] = f"5e4f0c6a-guid|11|{11 + len(body)}"
    study, same = yasbil(tables), yasbil()
    assert study.results.collect().equals(same.results.collect())


@pytest.mark.slow
def test_lists_may_be_arrays_as_well_as_text(yasbil):
    tables = export()
    for page in tables["yasbil_session_serp"][1:]:
        page["scraped_json_arr"] = json.loads(page["scraped_json_arr"])
    assert yasbil(tables).results.collect().equals(yasbil().results.collect())


def test_queries_lists_and_clicks(yasbil):
    study = yasbil()
    assert study.reader == "yasbil"
    columns = ("session_id", "query_position", "query_text", "search_engine", "results_status")
    assert study.queries.select(columns).collect().rows() == [
        ("S1", 1, "night trains", "GOOGLE", "shown"),
        ("S1", 2, "sleeper", "BING", "shown"),
        ("S1", 3, "nothing", "GOOGLE", "empty"),
    ]
    columns = ("query_position", "rank", "doc_id", "clicks", "dwell_seconds")
    assert study.results.select(columns).collect().rows() == [
        (1, 1, "https://a.example/", 1, 10.0),  # from 61 to 71
        (1, 2, "https://b.example/trains", 1, 30.0),  # from 21 to 51
        (1, 11, "https://d.example/", 0, None),
        (2, 11, "https://c.example/", 1, 600.0),  # from 300 to the end of the session at 900; Bing counts from 1
    ]


@pytest.mark.parametrize(
    ("rules", "ranks"),
    [
        (["same", "paging"], [[1, 2, 11], [11]]),
        (["same"], [[1, 2], [11], [11]]),
        (["paging"], [[1, 2, 11], [11], [11]]),
        ([], [[1, 2], [11], [11], [11]]),
    ],
)
def test_further_pages_and_pages_loaded_again_are_queries_where_that_is_said(yasbil, rules, ranks):
    study = yasbil(config={"format": "yasbil", "merge_queries": rules})
    lists = study.results.collect().group_by("query_position", maintain_order=True).agg("rank")
    assert lists["rank"].to_list() == ranks


def test_what_became_of_the_records(yasbil):
    found = {(source.table, source.kind): (source.rows, source.merged, source.idle) for source in yasbil().sources}
    assert found == {
        ("sessions", "yasbil_sessions rows"): (1, 0, 0),
        ("queries", "yasbil_session_pagevisits rows"): (2, 0, 0),
        ("queries", "yasbil_session_serp rows"): (1, 0, 0),
        ("results", "results scraped"): (4, 0, 0),
        ("", "yasbil_session_serp rows of a query asked before"): (0, 2, 0),  # page visits have told of these
        ("", "yasbil_session_serp rows of further pages of a list"): (0, 1, 0),
        ("", "yasbil_session_serp rows of queries sent again"): (0, 1, 0),
        ("", "yasbil_session_pagevisits rows of a query asked before"): (0, 1, 0),
        ("", "page visits logged twice"): (0, 1, 0),
        ("", "MOUSE_CLICK rows"): (0, 1, 0),
        ("", "yasbil_session_pagevisits rows by a link"): (0, 2, 0),
        ("", "yasbil_session_pagevisits rows of results clicked"): (0, 1, 0),
        ("", "yasbil_session_webnav rows of results clicked"): (0, 1, 0),
        ("", "page visits elsewhere"): (0, 0, 1),
        ("", "MOUSE_CLICK rows on no link of a search"): (0, 0, 1),
        ("", "MOUSE_HOVER rows"): (0, 0, 1),
        ("", "yasbil_largestring rows"): (0, 0, 2),
    }


def test_sessions(yasbil):
    tables = export()
    tables["yasbil_session_pagevisits"].append(visit(5, SEARCH, 1, query="alone", session="S2", user_name="ann"))
    study = yasbil(tables)
    assert study.sessions.select("session_id", "user_id").collect().rows() == [("S1", "p07"), ("S2", "ann")]


@pytest.mark.slow
def test_minified_and_in_parts(yasbil, in_batches):
    whole = yasbil()
    for text in (json.dumps(export()), json.dumps(dict(reversed(export().items())))):
        assert yasbil(text=text).results.collect().equals(whole.results.collect())
    in_batches(2)
    parted = yasbil()
    for name in ("sessions", "queries", "results"):
        assert getattr(parted, name).collect().equals(getattr(whole, name).collect())


@pytest.mark.slow
def test_broken_rows_are_kept_aside_and_named(write, quiet_read, rejects):
    tables = export()
    tables["yasbil_session_serp"][1]["scraped_json_arr"] = '[{"type": '
    lines = json.dumps(tables, indent=2).splitlines()
    place = next(place for place, line in enumerate(lines) if '"typed"' in line)
    lines[place] = lines[place].replace(":", "")
    path = write("p07.json", "\n".join(lines))
    study = quiet_read(path)
    begins = max(number for number, line in enumerate(lines[:place], 1) if line == "    {")
    (_, visited, rule, _, raw), (_, _, scrape, value, _) = rejects(study)
    assert (visited, rule, scrape, value) == (begins, "item_is_json", "scraped_results_are_json", '[{"type": ')
    assert raw.startswith("{")
    assert raw.endswith("}")
    with pytest.raises(DataError, match=rf"p07\.json, line {begins}: item_is_json does not hold"):
        read(path, strict=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"yasbil_sessions": [],\n"yasbil_session_serp" []}', r"p07\.json, line 2: not JSON; the name of a table"),
        ('{"yasbil_sessions": []}', r"p07\.json: no row in the tables of YASBIL"),
        ('{"yasbil_sessions": [{"session_guid": "S1"}]}', r"p07\.json: no page of a search engine"),
    ],
)
def test_what_is_no_export_is_refused(write, text, said):
    with pytest.raises(DataError, match=said):
        read(write("p07.json", text))


def test_it_is_recognized_by_content(write):
    assert fitting([glimpse(write("p07.json", json.dumps(export(), indent=1)))], FORMATS) == ["yasbil"]
    assert not FORMATS["yasbil"].fits(glimpse(write("other.json", '{"a": [{"b": 1}]}')))


def test_ranks_go_by_offset_and_place():
    assert scraped(serp(1, "q", FIRST)) == [(1, "https://a.example/"), (2, "https://b.example/trains")]
    assert scraped(serp(1, "q", main("https://c.example/x#y"), offset=11, engine="BING")) == [
        (11, "https://c.example/x")
    ]
    assert scraped({"scraped_json_arr": None}) is None
    with pytest.raises(ValueError, match="no list of items"):
        scraped({"scraped_json_arr": "{}"})


def test_times_and_addresses():
    assert milliseconds(1_700_000_000.5) == 1_700_000_000_500
    assert milliseconds(None) is None
    assert address("/url?url=https://a.example/&q=") == "https://a.example/"
    assert address("https://a.example/url?x=1#part") == "https://a.example/url?x=1"


@pytest.mark.few(1)
@pytest.mark.parametrize("odd", [[1], {"a": 1}, 10**40, True, "http://[bad", "\x00"])
def test_values_of_other_types_are_taken_as_they_are_or_rejected(write, quiet_read, odd):
    for table, name in (
        *(("yasbil_session_serp", name) for name in ("session_guid", "search_engine", "search_query", "serp_offset")),
        *(("yasbil_session_pagevisits", name) for name in ("pv_url", "pv_search_query", "hist_ts", "tab_id")),
        ("yasbil_sessions", "session_guid"),
    ):
        made = export()
        made[table][1 if len(made[table]) > 1 else 0][name] = odd
        study = quiet_read(write("odd.json", json.dumps(made)))  # every record is accounted for
        assert study.facts.queries >= 3
    assert address("http://[bad") == "http://[bad"


def test_numbers_of_thousands_of_digits_are_explained(write, quiet_read):
    long = "9" * 5000
    pages = [
        {"session_guid": "g", "serp_ts": START, "search_query": "a"},
        {"session_guid": "h", "serp_ts": "LONG", "search_query": "a"},
        {
            "session_guid": "LONG",
            "serp_ts": START,
            "search_query": "b",
            "scraped_json_arr": f"5e4f0c6a-guid|{long}|{long}",
        },
    ]
    text = json.dumps({"yasbil_session_serp": pages}).replace('"LONG"', long)
    study = quiet_read(write("log.json", text))
    assert set(study.sessions.collect()["session_id"]) == {"g", "h", long}
    told = study.rejected.select("record", "rule", "row_kept").collect().rows()
    assert told == [(2, "issued_at_is_a_datetime", True), (3, "scraped_results_are_json", True)]
