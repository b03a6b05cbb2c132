"""Format trec_session: what the track's XML says by year, made up here, and one real session of 2011.

Times of sessions: midnight, seconds, what is missing or unreadable.

Maps of sessions to topics, by year.
"""

from pathlib import Path

import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers.formats.trec_session import Clock, read_topics
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "trec_session_2011"
LISTS = ("session_id", "query_position", "rank", "doc_id")


def result(rank, document, *, tag="clueweb12id", title="A title", url="http://example.org/"):
    """A result."""
    return f'<result rank="{rank}"><url>{url}</url><{tag}>{document}</{tag}><title>{title}</title><snippet/></result>\n'


def interaction(number, query, results="", clicks="", *, start="1", kind=""):
    """An interaction whose list was logged."""
    clicked = f"<clicked>{clicks}</clicked>" if clicks else ""
    return (
        f'<interaction num="{number}" starttime="{start}"{kind}>\n<query>{query}</query>\n'
        f"<results>{results}</results>{clicked}</interaction>\n"
    )


def click(rank, start, end, document=""):
    """A click."""
    named = f"<docno>{document}</docno>" if document else ""
    return f'<click num="1" starttime="{start}" endtime="{end}"><rank>{rank}</rank>{named}</click>'


def session(number, inside, *, topic='<topic num="3"><desc>Plan a trip</desc></topic>', start="0", more=""):
    """A session."""
    return f'<session num="{number}" starttime="{start}"{more}>\n{topic}\n{inside}</session>\n'


def log(year, *sessions):
    """A log."""
    return f"<sessiontrack{year}>\n{''.join(sessions)}</sessiontrack{year}>\n"


CURRENT = '<currentquery starttime="60.0"><query>night train prices</query></currentquery>\n'


def test_a_list_in_a_topic_says_nothing_of_it(write, quiet_read):
    listed = f"<results>{result(1, 'd1')}</results>"
    topic = f'<topic num="3">{listed}<desc n="1">Plan a trip</desc></topic>'
    study = quiet_read(
        write("log.xml", log(2014, session(1, interaction(1, "night trains", result(1, "d1")), topic=topic)))
    )
    told = [name for name in study.columns("sessions") if name.startswith("topic_")]
    assert told == ["topic_id", "topic_desc", "topic_desc_n"]


def test_what_a_topic_of_2012_has_beside_its_texts(write, quiet_read):
    topic = (
        '<topic num="4" product="factual" goal="specific" tasktype="known-item"><subject num="2">trains</subject>'
        "<desc>Plan a trip</desc><narr>Plan it well</narr></topic>"
    )
    inside = interaction(1, "night trains", result(1, "d1") + result(2, "d2"), start="09:00:01.5")
    inside = inside.replace(
        "</interaction>", "<clicked></clicked>\n</interaction>"
    )  # written also where nothing is clicked
    path = write("log.xml", log(2012, session(7, inside, topic=topic, start="09:00:00.0")))
    told = quiet_read(path).sessions.collect().drop("user_id", "system_id").to_dicts()
    assert told == [
        {
            "session_id": "2012-7",
            "topic_id": "4",
            "judgment_key": "4",
            "started_at_time_of_day": "09:00:00.0",
            "topic_product": "factual",
            "topic_goal": "specific",
            "topic_task_type": "known-item",
            "topic_subject": "trains",
            "topic_subject_num": 2,
            "topic_desc": "Plan a trip",
            "topic_narr": "Plan it well",
        }
    ]
    topics = write("map.txt", "session\ttopic\tx\tproduct\tgoal\ttype\n7\t4\t-\tfactual\tspecific\tknown-item search\n")
    mapped = quiet_read(path, config={"format": "trec_session", "topics": str(topics)}).sessions.collect()
    assert mapped["topic_task_type"].to_list() == ["known-item search"]  # the map is what the user gave


def test_2013(write, quiet_read):
    first = interaction(1, " night  trains ", result(1, "d1") + result(2, "d2"), click(2, "15.5", "40.0"), start="12.5")
    second = interaction(2, "sleepers", "", start="50.0")
    study = quiet_read(write("log.xml", log(2013, session(7, first + second + CURRENT))))
    assert study.reader == "trec_session"
    assert study.queries.collect().to_dicts() == [
        {
            "session_id": "2013-7",
            "query_position": position,
            "query_id": f"2013-7:{number}",
            "query_text": text,
            "elapsed_seconds": seconds,
            "results_status": status,
        }
        for position, number, text, seconds, status in [
            (1, "1", "night  trains", 12.5, "shown"),
            (2, "2", "sleepers", 50.0, "empty"),
            (3, "current", "night train prices", 60.0, "not_logged"),
        ]
    ]
    columns = ["rank", "doc_id", "clicked", "clicks", "click_elapsed_seconds", "dwell_seconds", "url", "title"]
    assert study.results.collect().select(columns).rows() == [
        (1, "d1", False, 0, None, None, "http://example.org/", "A title"),
        (2, "d2", True, 1, 15.5, 24.5, "http://example.org/", "A title"),
    ]
    row = study.sessions.collect().to_dicts()[0]
    assert (row["session_id"], row["topic_id"], row["judgment_key"], row["topic_desc"]) == (
        "2013-7",
        "3",
        "3",
        "Plan a trip",
    )
    assert "snippet" not in study.results.collect_schema()  # it never said anything
    assert [(source.table, source.kind, source.records, source.rows, source.merged) for source in study.sources] == [
        ("sessions", "sessions", 1, 1, 0),
        ("queries", "interactions", 3, 3, 0),
        ("results", "results", 2, 2, 0),
        ("", "clicks", 1, 0, 1),
    ]


def test_times_of_day_become_seconds_across_midnight_and_never_a_date(write, quiet_read):
    first = interaction(1, "a", result(1, "d"), click(1, "23:59:58.5", "00:00:08.5"), start="23:59:50.000000")
    second = interaction(2, "b", result(1, "d"), click(1, "-1", "-1"), start="00:01:00.000000")
    third = interaction(3, "c", result(1, "d"), click(1, "00:02:30", "NA"), start="-1")
    study = quiet_read(write("log.xml", log(2012, session(1, first + second + third, start="23:59:30.000000"))))
    # 23:59:30 is the beginning: 20 s to 23:59:50, 90 s to 00:01:00 the next day, 180 s to 00:02:30
    assert study.queries.collect()["elapsed_seconds"].to_list() == [20.0, 90.0, None]
    results = study.results.collect()
    assert results["click_elapsed_seconds"].to_list() == [28.5, None, 180.0]
    assert results["dwell_seconds"].to_list() == [10.0, None, None]
    assert results["clicked"].to_list() == [True] * 3
    assert study.sessions.collect()["started_at_time_of_day"].to_list() == ["23:59:30.000000"]
    types = {**study.queries.collect_schema(), **study.results.collect_schema(), **study.sessions.collect_schema()}
    assert not [name for name, dtype in types.items() if dtype.is_temporal()]


def test_repeated_clicks_are_one_row_and_the_first_time(write, quiet_read):
    clicks = click(1, "20", "25") + click(1, "10", "12") + click(1, "30", "29") + click(9, "40", "41")
    study = quiet_read(write("log.xml", log(2013, session(1, interaction(1, "a", result(1, "d"), clicks)))))
    columns = ["clicks", "click_elapsed_seconds", "dwell_seconds"]
    assert study.results.collect().select(columns).rows() == [(3, 10.0, 7.0)]  # 5 + 2; the third ends before it begins
    assert [(one.kind, one.merged, one.idle) for one in study.sources if not one.table] == [
        ("clicks", 3, 0),
        ("clicks on no result", 0, 1),
    ]
    assert messages_with(study.notes, "log.xml: 1 click", "ended before it began", "dwell time")


def test_pages_go_on_with_the_list_before(write, quiet_read):
    first = interaction(1, "a", result(1, "d1") + result(2, "d2"), start="1", kind=' type="reformulate"')
    more = result(2, "d2") + result(11, "d11") + result(12, "d12")
    page = interaction(
        2, "a", more, click(11, "5", "6", "d11") + click(1, "7", "9", "d12"), start="4", kind=' type="page"'
    )
    second = interaction(3, "b", result(1, "d1"), start="20", kind=' type="reformulate"')
    text = log(2014, session(1, first + page + second, more=' userid="NA"'), session(2, second, more=' userid="12"'))
    study = quiet_read(write("log.xml", text))
    assert study.results.filter(session_id="2014-1").collect().select("query_position", "rank", "clicks").rows() == [
        (1, 1, 0),
        (1, 2, 0),
        (1, 11, 1),
        (1, 12, 1),  # the rank of the second click is that within the page; its document says which it was
        (2, 1, 0),
    ]
    assert study.queries.collect().select("query_id", "query_text", "interaction_type").rows() == [
        ("2014-1:1", "a", "reformulate"),
        ("2014-1:3", "b", "reformulate"),
        ("2014-2:3", "b", "reformulate"),
    ]
    assert study.sessions.collect()["user_id"].to_list() == [None, "12"]
    assert [(one.kind, one.merged) for one in study.sources if not one.table] == [
        ("further pages of a list", 1),
        ("results shown again by a page", 1),
        ("clicks", 2),
    ]
    apart = quiet_read(write("log.xml", text), config={"format": "trec_session", "merge_queries": []})
    assert apart.queries.filter(session_id="2014-1").collect()["query_text"].to_list() == ["a", "a", "b"]
    assert apart.results.filter(session_id="2014-1", query_position=2).collect()["rank"].to_list() == [2, 11, 12]
    statuses = apart.queries.filter(session_id="2014-1").collect()["results_status"].to_list()
    assert statuses == ["shown", "partly_observed", "shown"]  # of a page what stands above it is not known


def test_a_page_without_its_query_is_known_in_part(write, quiet_read):
    page = interaction(1, "a", result(11, "d11"), kind=' type="page"')
    study = quiet_read(write("log.xml", log(2014, session(1, page))))
    assert study.queries.collect()["results_status"].to_list() == ["partly_observed"]
    assert study.depths["known"].to_list() == [0]


def test_texts_were_encoded_twice_ids_were_not(write, quiet_read):
    title, document = "Trains &amp;mdash; R&amp;amp;D", "d&amp;amp;1"
    study = quiet_read(
        write("log.xml", log(2013, session(1, interaction(1, "a &amp;amp; b", result(1, document, title=title)))))
    )
    assert study.queries.collect()["query_text"].to_list() == ["a & b"]
    assert study.results.collect().select("title", "doc_id").rows() == [("Trains \u2014 R&D", "d&amp;1")]


def test_raw_ampersands_of_2012_are_escaped_and_counted(write, quiet_read):
    topic = '<topic num="1"><subject>arts & crafts, R&amp;D, caf&#233;, &eacute;</subject></topic>'
    text = log(2012, session(1, interaction(1, "a&b", result(1, "d", title="<![CDATA[x & y]]>")), topic=topic))
    study = quiet_read(write("log.txt", text))
    assert study.sessions.collect()["topic_subject"].to_list() == ["arts & crafts, R&D, caf\u00e9, \u00e9"]
    assert study.queries.collect()["query_text"].to_list() == ["a&b"]
    assert study.results.collect()["title"].to_list() == ["x & y"]
    assert messages_with(study.notes, "log.txt: 3 raw ampersands", "escaped")


def test_levels_that_leave_things_out(write, quiet_read):
    current = '<currentquery starttime="9"><query>c</query></currentquery>'
    no_lists = '<interaction num="1" starttime="1"><query>a</query></interaction>'
    text = log(
        2011,
        session(1, current),
        session(2, no_lists + current),
        session(3, interaction(1, "a", result(1, "d")) + current),
    )
    study = quiet_read(write("log.xml", text))
    assert study.queries.collect().select("session_id", "results_status").rows() == [
        ("2011-1", "not_logged"),
        ("2011-2", "not_logged"),
        ("2011-2", "not_logged"),
        ("2011-3", "shown"),
        ("2011-3", "not_logged"),
    ]
    assert "clicked" not in study.results.collect_schema()  # no click in the log says nothing of clicks
    assert messages_with(study.notes, "log.xml: no click", "not logged")


TITLED = "<topic><title>night trains</title><desc>Which?</desc></topic>"


def test_2011_goes_by_its_map(write, quiet_read):
    path = write("log.xml", log(2011, session(17, CURRENT, topic=TITLED), session(18, CURRENT, topic=TITLED)))
    topics = write("sessionlastquery_subtopic_map.txt", "17 4 1\n17 4 3\n18 5 2\n")
    study = quiet_read(path, topics=topics, judgments=write("judgments.txt", "4 1 d -2\n4 3 d 2\n5 2 d 1\n"))
    assert study.sessions.collect().select("topic_id", "topic_title", "topic_subtopics").rows() == [
        ("4", "night trains", "1 3"),
        ("5", "night trains", "2"),
    ]
    assert study.judgments.collect().rows() == [("4", "d", "1", -2.0), ("4", "d", "3", 2.0), ("5", "d", "2", 1.0)]


def test_without_a_map_2011_goes_by_titles(write):
    path = write("log.xml", log(2011, session(17, interaction(1, "a", result(1, "d1")) + CURRENT, topic=TITLED)))
    with pytest.warns(
        DataWarning, match=match_parts("log.xml: 1 session", "without a topic number", "the title", "map")
    ):
        study = read(path)
    assert study.sessions.collect()["topic_id"].to_list() == ["night trains"]


def test_the_map_wins_over_the_log_and_says_so(write):
    path = write("log.xml", log(2013, session(1, interaction(1, "a", result(1, "d1")) + CURRENT), session(2, CURRENT)))
    with pytest.warns(DataWarning, match=match_parts("1 session", "another topic", "the map")):
        study = read(path, topics=write("map.txt", "1\t9\n"))
    assert study.sessions.collect()["topic_id"].to_list() == ["9", "3"]


def test_a_document_without_id_goes_by_its_address(write, quiet_read):
    listed = '<result rank="1"><url>http://example.org/?a=1&amp;amp;b=2</url><clueweb09id></clueweb09id></result>'
    listed += result(2, "d2", tag="clueweb09id")
    study = quiet_read(write("log.xml", log(2011, session(1, interaction(1, "a", listed)))))
    assert study.results.collect()["doc_id"].to_list() == ["http://example.org/?a=1&amp;b=2", "d2"]


def test_other_elements_are_kept(write, quiet_read):
    listed = result(1, "d1").replace("</result>", "<host>example.org</host></result>") + result(2, "d2")
    study = quiet_read(write("log.xml", log(2013, session(1, interaction(1, "a", listed)))))
    assert study.results.collect().select("rank", "host").rows() == [(1, "example.org"), (2, None)]


def test_elements_named_like_columns_that_are_made_here_are_kept_under_another_name(write, quiet_read):
    told = "<clueweb12id>a</clueweb12id><clicked>yes</clicked><clicks>3</clicks><session_id>x</session_id>"
    lists = f'<result rank="1">{told}</result><result rank="2">{told}</result>'
    asked = interaction(1, "q", lists, click(2, 5, 9)).replace(
        "<query>", "<results_status>fine</results_status><query>"
    )
    study = quiet_read(write("log.xml", log(2013, session(7, asked, more=' user_id="me"'))))
    results = study.results.collect()
    assert results["clicks"].to_list() == [0, 1]
    assert results["clicks_given"].to_list() == [3, 3]
    assert results["clicked_given"].to_list() == ["yes", "yes"]
    assert results["session_id_given"].to_list() == ["x", "x"]
    assert study.queries.collect()["results_status"].to_list() == ["shown"]
    assert study.queries.collect()["results_status_given"].to_list() == ["fine"]
    assert study.sessions.collect()["user_id_given"].to_list() == ["me"]


def test_records_that_break_a_rule_are_rejected_with_their_line(write, quiet_read, rejects):
    listed = result(1, "d1") + result("first", "d2") + result(1, "d3") + '<result rank="4"><title>x</title></result>'
    study = quiet_read(write("log.xml", log(2013, session(1, interaction(1, "a", listed)))))
    # lines: root, session, topic, interaction, query, results and the first result, the others
    assert [(record, line, rule, value) for record, line, rule, value, _ in rejects(study)] == [
        (2, 7, "rank_is_an_integer", "first"),
        (3, 8, "rank_is_unique_in_list", "2013-1 1 1"),
        (4, 9, "doc_id_is_given", None),
    ]
    assert '"doc_id":"d2"' in rejects(study)[0][4]
    with pytest.raises(DataError, match=match_parts("log.xml, line 7:", "rank_is_an_integer", "'first'")):
        quiet_read(write("log.xml", log(2013, session(1, interaction(1, "a", listed)))), strict=True)


def test_a_session_without_number_is_rejected_with_all_that_is_in_it(write, quiet_read, rejects):
    text = log(2013, session(1, CURRENT), "<session>" + interaction(1, "a", result(1, "d")) + "</session>")
    study = quiet_read(write("log.xml", text))
    assert study.sessions.collect()["session_id"].to_list() == ["2013-1"]
    assert len(rejects(study)) == 3


def test_a_broken_file_names_the_line(write):
    text = log(2013, session(1, interaction(1, "a", result(1, "d"))))
    with pytest.raises(DataError, match=match_parts("log.xml, line 8:", "mismatched tag")):
        read(write("log.xml", text.replace("</interaction>", "")))
    with pytest.raises(DataError, match=r"log\.xml, line \d+: .*well-formed"):
        read(write("log.xml", text[: len(text) // 2]))
    with pytest.raises(DataError, match=match_parts("root is 'sessions'", "not sessiontrack2011")):
        read(write("log.xml", text.replace("sessiontrack2013", "sessions")), format="trec_session")


def test_several_files_and_years(write):
    searched = session(1, interaction(1, "a", result(1, "d1")) + CURRENT)
    paths = [write(f"{year}.xml", log(year, searched)) for year in (2013, 2014)]
    with pytest.warns(DataWarning, match=match_parts("2013 and 2014", "another topic", "another year")):
        study = read(paths)
    assert study.sessions.collect()["session_id"].to_list() == ["2013-1", "2014-1"]


@pytest.mark.slow
def test_the_same_study_part_by_part_and_packed(write, quiet_read, in_batches, same_study, monkeypatch):
    sessions = [
        session(n, interaction(1, "a", result(1, f"d{n}") + result(2, "e"), click(2, "3", "4")) + CURRENT)
        for n in range(1, 12)
    ]
    sessions.append(session(12, interaction(1, "a", result(1, "x") + result("?", "y"))))
    text = log(2013, *sessions)
    whole = quiet_read(write("log.xml", text))
    in_batches()
    monkeypatch.setattr("sessionkit.readers.io.xml.MANY", 3)
    monkeypatch.setattr("sessionkit.readers.io.xml.PIECE", 61)
    same_study(whole, quiet_read(write("log.xml", text)))
    packed = quiet_read(write("log.xml.gz", text))
    assert packed.results.collect().equals(whole.results.collect())


@pytest.mark.realdata
def test_a_real_session_of_2011(quiet_read):
    if not REAL.is_dir():
        pytest.skip("no real data")
    study = quiet_read(REAL / "one_session.xml")
    queries = study.queries.collect()
    assert queries["results_status"].to_list() == ["shown", "shown", "not_logged"]
    # 10:21:55.141117 to 10:22:41.233975, 10:23:14.342218 and 10:24:26.046853
    assert queries["elapsed_seconds"].to_list() == [46.092858, 79.201101, 150.905736]
    results = study.results.collect()
    assert results.group_by("query_position").len().sort("query_position")["len"].to_list() == [10, 20]
    assert results.filter("clicked").select("query_position", "rank", "dwell_seconds").rows() == [
        (1, 1, 12.598767),  # 10:22:46.734005 to 10:22:59.332772
        (2, 6, 12.738603),  # 10:23:34.254990 to 10:23:46.993593
    ]
    assert results["doc_id"].str.starts_with("clueweb09-en").all()
    assert not results["title"].str.contains("&amp;", literal=True).any()
    assert study.sessions.collect()["session_id"].to_list() == ["2011-17"]


@pytest.mark.parametrize("start", ["NA", "-1", None, ""])
def test_without_a_beginning_the_first_time_is_it(start):
    clock = Clock(start)
    assert [clock.elapsed(text) for text in ("10:00:00", "10:00:07.25")] == [0.0, 7.25]
    clock = Clock(start)
    assert [clock.elapsed(text) for text in ("12.5", "13")] == [12.5, 13.0]  # seconds count from the beginning


def test_a_small_step_back_is_not_midnight():
    clock = Clock("10:00:00")
    assert [clock.elapsed(text) for text in ("10:05:00", "10:04:58")] == [
        300.0,
        298.0,
    ]  # read until the next query began


def test_before_the_beginning_is_not_known():
    clock = Clock("10:00:00")
    assert clock.elapsed("09:59:00") is None
    assert clock.unreadable == ["09:59:00"]


def test_seconds_with_and_without_an_origin():
    assert Clock("100").elapsed("103.5") == 3.5
    assert Clock("100").elapsed("3.5") == 3.5


def test_what_is_no_time():
    clock = Clock("0")
    assert [clock.elapsed(text) for text in ("soon", "-5", "nan", "NA", None)] == [None] * 5
    assert clock.unreadable == ["soon", "-5", "nan"]


def test_two_midnights():
    clock = Clock("20:00:00")
    times = [clock.elapsed(text) for text in ("06:00:00", "16:00:00", "02:00:00")]
    assert times == [36_000.0, 72_000.0, 108_000.0]


def test_what_is_told_after_midnight_may_have_been_before_it():
    clock = Clock("23:59:00")
    # asked, clicked, read until past midnight; asked again before it, while the document was open; asked the next day
    times = ("23:59:10", "23:59:20", "00:00:30", "23:59:50", "00:01:00")
    assert [clock.elapsed(text) for text in times] == [10.0, 20.0, 90.0, 50.0, 120.0]


def test_a_long_pause_is_not_the_day_before():
    clock = Clock("23:00:00")
    assert [clock.elapsed(text) for text in ("00:30:00", "13:00:00")] == [
        5400.0,
        50_400.0,
    ]  # before 23:00 there was nothing


def test_none(tmp_path):
    assert read_topics(None, tmp_path) == ({}, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "1 4 1\n1 4 2\n2 5 1\n",
            {"1": {"topic_id": "4", "topic_subtopics": "1 2"}, "2": {"topic_id": "5", "topic_subtopics": "1"}},
        ),
        (
            "session\ttopic\tx\tproduct\tgoal\ttype\n1\t4\t-\tfactual\tspecific\tknown-item search\n",
            {
                "1": {
                    "topic_id": "4",
                    "topic_product": "factual",
                    "topic_goal": "specific",
                    "topic_task_type": "known-item search",
                }
            },
        ),
        ("1\t4\n2\t4\n", {"1": {"topic_id": "4"}, "2": {"topic_id": "4"}}),
    ],
    ids=["2011", "2012", "2013"],
)
def test_by_year(write, tmp_path, text, found):
    topics, notes = read_topics(write("map.txt", text), tmp_path)
    assert topics == found
    skipped = [note for note in notes if "skipped" in note]
    assert len(skipped) == ("session" in text)
    assert skipped == messages_with(skipped, "map.txt", "line 1 ('session\\ttopic\\tx\\tproduct", "ttype')")


def test_a_session_of_two_topics_keeps_the_first(write, tmp_path):
    topics, notes = read_topics(write("map.txt", "1 4\n1 5\n"), tmp_path)
    assert topics == {"1": {"topic_id": "4"}}
    assert messages_with(notes, "map.txt: 1 rows", "another topic", "first", "kept")


def test_no_map_at_all(write, tmp_path):
    with pytest.raises(DataError, match=match_parts("map.txt maps no session", "number of a session")):
        read_topics(write("map.txt", "one two\n"), tmp_path)
    with pytest.raises(DataError, match="no such file"):
        read_topics(tmp_path / "none.txt", tmp_path)
