"""How a sheet spells its values: each spelling against what Python reads in it; what is not spelled so stays as it is.

From the source's column names to ours.

Queries without numbers get them by their times, else as they come; rows of one list may stand in any order.

Times without zone: declared, or UTC with a warning.
"""

import random
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.checks.cells import describe_order, in_our_spelling, number_queries
from sessionkit.readers.raw import EMPTY, MARK, Raw, no_way_back
from sessionkit.study.checks import RECORD, RULE
from tests.support.examples import examples
from tests.support.messages import match_parts, messages_with

DAY_ZERO = datetime.fromisoformat("1899-12-30")
KEYS = {"session_id": "s", "query_position": "1", "rank": "1", "doc_id": "d"}


def spelled(given, column="dwell_seconds", **options):
    """The values of one column of results in our spelling."""
    frame = pl.LazyFrame({column: pl.Series(given, dtype=pl.String)}).with_columns(
        pl.lit(value).alias(name) for name, value in KEYS.items() if name != column
    )
    return in_our_spelling(frame, "results", options).collect()[column].to_list()


@given(
    st.integers(-(10**12), 10**12),
    st.integers(0, 999),
    st.sampled_from([",", "."]),
    st.sampled_from([".", " ", "'", ","]),
)
def test_number_with_marks_is_the_number(whole, thousandth, decimal, thousands):
    if decimal == thousands:
        return
    text = f"{whole:,}".replace(",", thousands) + decimal + f"{thousandth:03}"
    (found,) = spelled([text], decimal=decimal, thousands=thousands)
    sign = -1 if whole < 0 else 1
    assert Fraction(found) == sign * (abs(whole) + Fraction(thousandth, 1000))


def test_number_that_is_spelled_otherwise_stays():
    texts = ["x7", "1,2,3", "1.23,4", "1.0", None, "", "1,5"]
    assert spelled(texts, decimal=",", thousands=".") == ["x7", "1,2,3", "1.23,4", "1.0", None, "", "1.5"]


def test_point_that_is_no_decimal_mark_is_not_believed_to_be_one():
    odd = [f"{number} (the decimal mark is ,)" for number in ("0.500", "12.34", "1.2345")]
    assert spelled(["0.500", "12.34", "1.2345", "1.234"], decimal=",", thousands=".") == [*odd, "1234"]
    assert spelled(["1.234", "1,5"], decimal=",") == ["1.234 (the decimal mark is ,)", "1.5"]


def test_stored_numbers_have_a_point_and_no_marks_of_thousands():
    frame = pl.LazyFrame({"dwell_seconds": ["1.234", "1,5"]})
    made = in_our_spelling(frame, "results", {"decimal": ","}, typed=True).collect()["dwell_seconds"]
    assert made.to_list() == ["1.234", "1.5"]
    with pytest.raises(DataError, match="stored without marks"):
        in_our_spelling(frame, "results", {"decimal": ",", "thousands": "."}, typed=True)


def test_blanks_between_thousands_may_be_those_of_excel():
    assert spelled(["1\u00a0234", "1\u202f234,5", "12 345"], decimal=",", thousands=" ") == ["1234", "1234.5", "12345"]


def test_marks_are_those_of_numbers_alone():
    assert spelled(["1,5"], column="doc_id", decimal=",") == ["1,5"]
    assert spelled(["1,5", "1.234", "10.1"], column="Zufriedenheit", decimal=",", thousands=".") == [
        "1.5",
        "1.234",
        "10.1",
    ]


@given(st.integers(0, 4 * 10**9).map(lambda seconds: DAY_ZERO + timedelta(days=26_000, seconds=seconds)))
def test_times_in_a_format(time):
    for form in ("%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%Y%m%dT%H%M%S"):
        (found,) = spelled([time.strftime(form)], column="clicked_at", times=["%d-%b-%y", form])
        assert datetime.fromisoformat(found) == time
    days = (time - DAY_ZERO) / timedelta(days=1)
    (found,) = spelled([repr(days)], column="clicked_at", times="excel")
    assert abs(datetime.fromisoformat(found) - time) <= timedelta(milliseconds=1)


def test_zones_of_times_count():
    forms = ["%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M %z"]
    assert spelled(["01.07.2024 10:00 +0200", "01.07.2024 10:00"], column="clicked_at", times=forms) == [
        "2024-07-01 08:00:00.000000+00:00",
        "2024-07-01 10:00:00.000000",
    ]


def test_years_of_two_digits_and_small_numbers_are_no_times():
    assert spelled(["01.07.24 10:00"], column="clicked_at", times="%d.%m.%Y %H:%M") == ["01.07.24 10:00"]
    assert spelled(["0", "2024", "45474,5"], column="clicked_at", times="excel", decimal=",") == [
        "0",
        "2024",
        "2024-07-01 12:00:00.000000",
    ]


def test_time_that_is_in_no_format_stays():
    assert spelled(["31.02.2024 10:00", "noon"], column="clicked_at", times="%d.%m.%Y %H:%M") == [
        "31.02.2024 10:00",
        "noon",
    ]
    assert spelled(["01.03.2024"], column="clicked_at", times="%d.%m.%Y") == ["2024-03-01 00:00:00.000000"]


@pytest.mark.parametrize(
    ("unit", "text", "seconds"),
    [
        ("milliseconds", "1500", 1.5),
        ("minutes", "1.5", 90),
        ("hours", "0.25", 900),
        ("h:m:s", "1:02:03", 3723),
        ("h:m:s", "2:03.5", 123.5),
        ("h:m:s", "1899-12-31 00:01:31", 91),
        ("h:m:s", "75:00", 4500),
    ],
)
def test_durations_are_seconds(unit, text, seconds):
    assert [float(value) for value in spelled([text], units={"dwell_seconds": unit})] == [seconds]
    assert spelled(["soon", "1:75:99"], units={"dwell_seconds": unit}) == ["soon", "1:75:99"]


def test_words_stand_for_values_whatever_their_case():
    words = {"clicks": {"Ja": True, "nein": False}, "mood": {"sehr gut": 5}}
    assert spelled([" JA", "nein ", "vielleicht", None], column="clicks", values={"clicks": words["clicks"]}) == [
        "true",
        "false",
        "vielleicht",
        None,
    ]
    assert spelled(["x", None, ""], column="clicks", values={"clicks": {"X": 1, "": 0}}) == ["1", "0", "0"]
    assert spelled(["Sehr gut"], column="mood", values={"mood": words["mood"]}) == ["5"]


def test_words_of_columns_that_are_no_texts():
    frame = pl.LazyFrame(
        {"dwell_seconds": [1.5, None], "clicks": [True, False], **{name: [value] * 2 for name, value in KEYS.items()}}
    )
    options = {"units": {"dwell_seconds": "minutes"}, "values": {"clicks": {"true": 1, "false": 0}}}
    made = in_our_spelling(frame, "results", options).select("dwell_seconds", "clicks").collect()
    assert made.rows() == [("90.0", "1"), (None, "0")]


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"units": {"rank": "minutes"}}, ("[results] units.rank", "durations")),
        ({"values": {"klick": {"ja": 1}}}, ("a column 'klick'", "not there; columns: ")),
        *(
            ({"times": form}, (f"times = '{form}'", "codes of a whole date"))
            for form in ("%Q", "noon", "%H:%M", "%d.%m. %H:%M", "%Y-%j %H", "%d.%m.%Y %Hh", "%p")
        ),
        ({"times": "%d.%m.%Y %H:%M %Z"}, ("names of zones",)),
        ({"thousands": "."}, ("thousands and decimal", "both '.'; set")),
        ({"decimal": ",", "thousands": "-"}, ("thousands = '-'", "part of numbers")),
        ({"values": {"clicked_at": {"Ja": 1, "ja": 2}}}, ("values.clicked_at", "several values for 'ja'")),
    ],
)
def test_options_that_do_not_fit_are_refused(options, parts):
    with pytest.raises(DataError, match=match_parts(*parts)):
        spelled(["1"], column="clicked_at", **options)


LOG = "sid,q,rank,doc_id,title\ns,1,1,a,T\n"
COLUMNS = {"session_id": "sid", "query_position": "q"}


def read(write, quiet_read, columns, text=LOG, **options):
    return quiet_read(write("log.csv", text), config={"results": {"columns": columns, **options}})


def test_mapped_columns_are_renamed_and_others_keep_their_names(write, quiet_read):
    study = read(write, quiet_read, COLUMNS)
    assert study.columns("results") == ("session_id", "query_position", "rank", "doc_id", "title")


def test_one_column_may_feed_several(write, quiet_read):
    study = read(write, quiet_read, {**COLUMNS, "topic_id": "sid", "system_id": "title", "headline": "title"})
    assert study.sessions.collect().select("session_id", "topic_id", "system_id").rows() == [("s", "s", "T")]
    assert study.results.collect()["headline"].to_list() == ["T"]


def test_by_number(write, quiet_read):
    assert read(write, quiet_read, {"session_id": 1, "query_position": 2}).facts.results == 1


@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        ({"session_id": "sid"}, ("no column query_position", "found sid, q, rank, doc_id", "title")),
        ({**COLUMNS, "topic_id": "titel"}, ("no column 'titel'", "topic_id", "mean 'title'")),
        ({**COLUMNS, "topic_id": 9}, ("column 9", "only 5")),
        ({**COLUMNS, "doc_id": "title"}, ("has a column 'doc_id'",)),
        ({**COLUMNS, "__record": "title"}, ("two underscores",)),
    ],
)
def test_refusals(write, quiet_read, columns, parts):
    with pytest.raises(DataError, match=match_parts(*parts)):
        read(write, quiet_read, columns)


def test_texts_that_mean_no_value(write, quiet_read, rejects):
    text = "session_id,query_position,rank,doc_id,topic_id\ns,1,1,NA,-\ns,1,2,b,\n"
    study = quiet_read(write("log.csv", text), config={"results": {"null": ["NA", "-", ""]}})
    assert [rule for _, _, rule, _, _ in rejects(study)] == ["doc_id_is_given"]
    assert study.sessions.collect()["topic_id"].to_list() == [None]


@pytest.mark.parametrize("columns", [{}, {"session_id": "session_id"}])
@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_a_wrong_separator_is_asked_about(write, quiet_read, columns, separator):
    text = "session_id,query_position,rank,doc_id\na,1,1,x\n".replace(",", separator)
    with pytest.raises(DataError, match=match_parts("log.csv (results)", "only one column", "the separator")):
        quiet_read(write("log.csv", text), config={"results": {"columns": columns}})
    with pytest.raises(DataError, match=match_parts("column 2", "only one", "the separator")):
        quiet_read(write("log.csv", text), config={"results": {"header": False, "columns": {"rank": 2}}})


def test_frames_are_not_told_of_study_toml():
    with pytest.raises(DataError, match=r"session_id\. Rename .*query_position$"):
        from_tables({"session_id": ["a"]})


def source(texts, ranks, sessions=None, table="results", **columns):
    """Records without numbers of queries."""
    given = {"session_id": sessions or ["s"] * len(texts or ranks), "query_text": texts, "rank": ranks, **columns}
    frame = pl.LazyFrame({name: values for name, values in given.items() if values is not None}).with_row_index(
        RECORD, 1
    )
    return Raw(table, "frame", frame.with_columns(pl.col(RECORD).cast(pl.Int64)), 0, no_way_back)


def counted(texts, ranks, sessions=None, table="results", newest_first=False, **columns):
    """The positions that queries get."""
    made = number_queries(source(texts, ranks, sessions, table, **columns), newest_first=newest_first)
    return "".join(value or "." for value in made.frame.collect()["query_position"])


@pytest.mark.parametrize(
    ("texts", "ranks", "positions"),
    [
        ("aabba", "12121", "11223"),
        ("aaa", "121", "112"),  # the same text asked again
        (None, "12123", "11222"),
        (None, "111", "123"),  # lists of one result
        (["a", "b", "b"], [None, None, "1"], "123"),  # lists without results
        (["a"] * 4, ["1", "2", "l3", "4"], "1111"),  # a rank that cannot be read begins no query
        (["a"] * 3, [" 1", " 2 ", "3"], "111"),
        (["a", "a ", "a"], ["1", "2", "3"], "111"),
        (["a"] * 3, ["1", "2", "2"], "111"),  # a rank twice is for the checks
        (None, "0101", "1122"),
    ],
)
def test_queries_are_numbered_as_they_come(texts, ranks, positions):
    assert counted(texts and [*texts], [*ranks]) == positions


def test_sessions_that_take_turns_are_numbered_apart():
    assert counted([*"axay"], [*"1123"], [*"stst"]) == "1112"


def test_each_record_of_queries_is_a_query():
    assert counted([*"aab"], None, [*"sst"], table="queries") == "121"


def test_marked_lists_and_broken_records():
    assert counted([*"aab"], ["1", "nothing", "1"], **{MARK: [None, EMPTY, None]}) == "123"
    assert counted([*"aaa"], ["1", "9", "2"], **{RULE: [None, "broken", None]}) == "1.1"


def test_what_cannot_be_numbered_is_named():
    with pytest.raises(DataError, match=match_parts("has a query_position", "number_queries")):
        counted(None, ["1"], query_position=["1"])
    with pytest.raises(DataError, match=match_parts("number_queries needs", "rank", "query_id or query_text")):
        counted(None, None, ["s"])


@pytest.mark.parametrize(
    ("texts", "ranks", "positions"),
    [
        ("aaabb", "32121", "11122"),  # the last result of a list first
        (None, "321321", "111222"),
        ("aaabb", "31221", "11122"),  # in any order: no rank comes twice
        ("abab", "1122", "1212"),  # rows of two lists in turn
        ("abaab", "11211", "12334"),  # a is asked again: rank 1 comes twice
        ("aaaa", "1234", "1111"),
        ("aba", "234", "123"),  # parts of lists: nobody can say that they are one
    ],
)
def test_rows_of_a_list_may_stand_in_any_order(texts, ranks, positions):
    assert counted(texts and [*texts], [*ranks]) == positions


def test_an_id_of_the_query_tells_queries_apart():
    assert counted(None, [*"1357"], query_id=[*"xxyy"]) == "1122"
    assert counted(None, [*"1122"], query_id=[*"xyxy"]) == "1212"
    assert counted([*"aaaa"], [*"1212"], query_id=[*"xxyy"]) == "1122"
    # an id that stands for the text comes again with it
    assert counted(None, [*"121212"], query_id=[*"xxyyxx"]) == "112233"


def test_times_order_queries_whatever_the_order_of_rows():
    times = ["10:02", "10:02", "10:01", "10:01", "10:03"]
    at = [f"2026-03-02 {time}:00" for time in times]
    assert counted([*"bbaac"], [*"21211"], issued_at=at) == "22113"
    assert counted([*"bac"], None, table="queries", issued_at=[at[0], at[2], at[4]]) == "213"
    assert counted([*"bac"], None, table="queries", elapsed_seconds=["9", "1", "30.5"]) == "213"
    # without a time of its own a query comes after the one before it
    assert counted([*"bca"], None, table="queries", elapsed_seconds=["9", None, "1"]) == "231"


def described(seconds, sessions=None):
    return describe_order(source([*"abcde"][: len(seconds)], None, sessions, "queries", elapsed_seconds=seconds))


def test_a_clock_that_goes_back_within_a_session_is_told():
    (sentence,) = described(["0", "10", "40", "0", "5"])
    goes_back = ("elapsed_seconds goes back", "1 session", "first: session 's'")
    assert messages_with([sentence], *goes_back, "order of the file")
    # stored in the order of time, the other way round, or each session from 0
    assert described(["0", "10", "10", "40"]) == described(["40", "10", "10", "0"]) == []
    assert described(["0", "10", "20", "0", "5"], [*"ssstt"]) == []


def test_records_without_a_time_among_others_are_told():
    (sentence,) = described(["0", None, "9", "x", "5"], [*"ssstt"])
    without_time = ("2 records without elapsed_seconds", "first: session 's'")
    assert messages_with([sentence], *without_time, "after the record before")
    assert described(["0", "1", None, None], [*"sstt"]) == []  # no time at all in a session


def test_the_last_query_may_stand_first():
    assert counted([*"bba"], [*"211"], newest_first=True) == "221"
    assert counted([*"bba"], None, table="queries", newest_first=True) == "321"


@settings(max_examples=examples(250), deadline=None)
@given(
    lists=st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), min_size=1, max_size=6),
    seed=st.integers(0, 10_000),
)
def test_shuffled_rows_of_timed_queries_get_the_numbers_of_the_times(lists, seed):
    rows = [(text, str(at), str(rank), at) for at, (text, n) in enumerate(lists, 1) for rank in range(1, n + 1)]
    random.Random(seed).shuffle(rows)  # noqa: S311
    texts, times, ranks, positions = zip(*rows, strict=True)
    assert counted(list(texts), list(ranks), elapsed_seconds=list(times)) == "".join(map(str, positions))


RESULTS = {"session_id": ["a", "b"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["x", "x"]}
CLICKS = {**RESULTS, "clicked_at": ["2026-03-02 12:00:00", "2026-03-02T12:00:00Z"]}


def clicks(study):
    return [value.hour for value in study.results.collect()["clicked_at"]]


def test_without_a_declared_zone_they_are_utc_and_warned_of():
    with pytest.warns(
        DataWarning,
        match=match_parts("results frame: 1 time", "clicked_at", "as UTC", "timezone =", "from_tables"),
    ):
        assert clicks(from_tables(CLICKS)) == [12, 12]


def test_a_declared_zone_applies_to_those_without_one():
    assert clicks(from_tables(CLICKS, timezone="Europe/Vienna")) == [11, 12], "Vienna is an hour ahead of UTC in winter"


def test_sessions_and_typed_columns():
    sessions = {"session_id": ["a", "b"], "started_at": [datetime(2026, 3, 2, 12, tzinfo=UTC)] * 2}
    assert from_tables(RESULTS, sessions=sessions).notes == from_tables(RESULTS).notes


def test_the_zone_of_one_file(write, quiet_read):
    path = write("log.csv", "session_id,query_position,rank,doc_id,clicked_at\na,1,1,x,2026-03-02 12:00:00\n")
    config = {"timezone": "UTC", "results": {"timezone": "Europe/Vienna"}}
    assert clicks(quiet_read(path, config=config)) == [11]


def test_what_is_no_time_is_no_time_without_zone():
    times = ["noon", "2026-01-01 10:00:00", "2026-01-01T10:00:00Z"]
    rows = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": ["x", "y", "z"]}
    with pytest.warns(DataWarning) as warned:
        from_tables(rows | {"clicked_at": times})
    (text,) = messages_with([warning.message for warning in warned], "without zone")
    assert messages_with([text], "results frame: 1 time", "clicked_at")
