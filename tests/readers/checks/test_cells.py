"""How a sheet spells its values: each spelling against what Python reads in it; what is not spelled so stays as it is."""

import re
from datetime import datetime, timedelta
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import in_our_spelling

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
    with pytest.raises(DataError, match="the numbers of the file are stored without marks"):
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
    ("options", "message"),
    [
        ({"units": {"rank": "minutes"}}, r"\[results\] units.rank: units are of durations"),
        ({"values": {"klick": {"ja": 1}}}, "values names a column 'klick', which is not there; columns: "),
        *(
            ({"times": form}, f"times = '{re.escape(form)}' cannot be used: it must have the codes of a whole date")
            for form in ("%Q", "noon", "%H:%M", "%d.%m. %H:%M", "%Y-%j %H", "%d.%m.%Y %Hh", "%p")
        ),
        ({"times": "%d.%m.%Y %H:%M %Z"}, "names of zones cannot be read"),
        ({"thousands": "."}, "thousands and decimal are both '.'; set the other one too"),
        ({"decimal": ",", "thousands": "-"}, "thousands = '-' is part of numbers"),
        ({"values": {"clicked_at": {"Ja": 1, "ja": 2}}}, "values.clicked_at has several values for 'ja'"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        spelled(["1"], column="clicked_at", **options)
