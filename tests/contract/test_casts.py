"""Casts: what counts as a value of a type, and what does not."""

from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from sessionkit.study.checks import as_text, cast, without_zone
from sessionkit.study.schema import table


def cast_all(table_name, field_name, values, dtype=None, timezone=None, **options):
    frame = pl.DataFrame({field_name: pl.Series(values, dtype=dtype, **options)})
    field = table(table_name).by_name[field_name]
    out = frame.select(cast(field, frame.schema[field_name], timezone).alias("out"))["out"]
    assert out.dtype == field.dtype
    return out.to_list()


def test_integers_from_text():
    given = ["1", " 2 ", "3.0", "3.5", "x", "1e3", "99999999999999", "-4", None, ""]
    assert cast_all("results", "rank", given) == [1, 2, 3, None, None, None, None, -4, None, None]


def test_integers_from_numbers_without_fraction_only():
    assert cast_all("results", "rank", [1.0, 2.5, float("nan"), float("inf"), 1e12, None]) == [
        1,
        None,
        None,
        None,
        None,
        None,
    ]
    assert cast_all("results", "rank", [7, 2**40], pl.Int64) == [7, None]


def test_numbers_are_finite():
    given = ["1.5", "-1", "1e3", "nan", "inf", "high", None]
    assert cast_all("judgments", "grade", given) == [1.5, -1.0, 1000.0, None, None, None, None]
    assert cast_all("judgments", "grade", [1.0, float("nan"), float("inf")]) == [1.0, None, None]


def test_booleans():
    given = ["true", "FALSE", "1", "0", "yes", "n", "clicked", None]
    assert cast_all("results", "clicked", given) == [True, False, True, False, True, False, None, None]
    assert cast_all("results", "clicked", [1, 0, 2]) == [True, False, None]
    assert cast_all("results", "clicked", [1.0, 0.0, None]) == [True, False, None]


def test_ids_are_text_whatever_they_were():
    assert cast_all("results", "doc_id", [22, 3]) == ["22", "3"]
    assert cast_all("results", "doc_id", [22.0, 2.5, float("nan")]) == ["22", "2.5", None]
    assert cast_all("results", "doc_id", ["a", None]) == ["a", None]
    assert cast_all("results", "doc_id", ["a", "b"], pl.Categorical) == ["a", "b"]


NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-02T12:00:00Z",
        "2026-03-02T12:00Z",
        "2026-03-02 12:00:00",
        "2026-03-02T12:00:00.000000",
        "2026-03-02T13:00:00+01:00",
        "2026-03-02T06:30:00-0530",
        "1772452800",
        "1772452800000",
        "1772452800000000",
        "1772452800000000000",
        "1772452800.0",
        "2026-03-02 12:00:00 UTC",
        "2026-03-02 13:00:00+01",
        "2026-03-02 12:00:00,000",
        "20260302T120000Z",
        "20260302T130000+0100",
    ],
)
def test_times_that_can_be_read(text):
    assert cast_all("sessions", "started_at", [text, None]) == [NOON, None]


@pytest.mark.parametrize(
    "text",
    [
        "12:00",
        "2026-03-02",
        "yesterday",
        "17",
        "2026-13-02T12:00:00Z",
        "2026-03-02T25:00:00",
        "2026-03-02 12:00:00 CET",
        "20260302120000",
        "1772452800.5.5",
    ],
)
def test_times_are_never_made_up(text):
    assert cast_all("sessions", "started_at", [text]) == [None]


def test_fractions_of_a_second_are_kept():
    half = NOON.replace(microsecond=500000)
    given = ["1772452800.5", "1772452800500.0", "2026-03-02 12:00:00,5Z", "2026-03-02T12:00:00.500+00:00"]
    assert cast_all("sessions", "started_at", given) == [half] * 4
    assert cast_all("sessions", "started_at", ["1772452800.000001"]) == [NOON.replace(microsecond=1)]
    assert cast_all("sessions", "started_at", [1772452800.5, 1772452800500.0, float("nan"), float("inf")]) == [
        half,
        half,
        None,
        None,
    ]


def test_float_seconds_are_rounded_to_microseconds():
    # the double nearest to 1772452800.001 is 1772452800.000999928
    assert cast_all("sessions", "started_at", [1772452800.001]) == [NOON.replace(microsecond=1000)]


def test_times_without_zone_take_the_one_declared():
    # Vienna is an hour ahead of UTC in winter; 02:30 does not exist on 29 March 2026 and comes twice on 25 October
    given = ["2026-03-02 13:00:00", "2026-03-29 02:30:00", "2026-10-25 02:30:00"]
    out = cast_all("sessions", "started_at", given, timezone="Europe/Vienna")
    assert out == [NOON, None, datetime(2026, 10, 25, 0, 30, tzinfo=UTC)]


def test_times_from_typed_columns():
    assert cast_all("sessions", "started_at", [NOON], pl.Datetime("ns", "UTC")) == [NOON]
    assert cast_all("sessions", "started_at", [NOON.replace(tzinfo=None)], pl.Datetime("ms")) == [NOON]
    assert cast_all("sessions", "started_at", [1772452800000], pl.Int64) == [NOON]
    assert cast_all("sessions", "started_at", [date(2026, 3, 2)]) == [None]


def test_zones_are_recognized():
    frame = pl.DataFrame(
        {"t": ["2026-03-02 13:00:00", "2026-03-02T13:00:00Z", "2026-03-02T13:00:00+0100", "1772452800.5", None]}
    )
    assert frame.select(without_zone("t", frame.schema["t"]))["t"].to_list() == [True, False, False, False, False]


def test_bytes_become_the_text_they_spell_or_hexadecimal():
    assert cast_all("results", "doc_id", [b"ab", b"\xff\x01", None]) == ["ab", "ff01", None]
    frame = pl.DataFrame({"n": [[{"k": b"a"}, {"k": b"\xff"}], None]})
    assert frame.select(as_text("n", frame.schema["n"]).alias("n"))["n"].to_list() == ['[{"k":"a"},{"k":"ff"}]', None]


@pytest.mark.parametrize("dtype", [pl.Categorical(), pl.Enum(["2", "1.5", "x", "2026-03-02 13:00:00"]), pl.Binary()])
def test_what_dictionary_encoded_texts_and_bytes_spell_is_read_as_texts_are(dtype):
    def of_that_type(*texts):
        given = [text.encode() for text in texts] if dtype == pl.Binary else list(texts)
        return pl.Series(given, dtype=dtype)

    assert cast_all("judgments", "grade", of_that_type("2", "1.5", "x")) == [2.0, 1.5, None]
    assert cast_all("results", "rank", of_that_type("2", "1.5")) == [2, None]
    times = of_that_type("2026-03-02 13:00:00")
    assert cast_all("sessions", "started_at", times, timezone="Europe/Vienna") == [NOON]
    assert times.to_frame("t").select(without_zone("t", times.dtype)).item() is True


def test_nested_values_become_json():
    frame = pl.DataFrame({"n": [[1, 2], None], "s": [{"k": "v"}, None]})
    texts = frame.select(as_text("n", frame.schema["n"]).alias("n"), as_text("s", frame.schema["s"]).alias("s"))
    assert texts.rows() == [("[1,2]", '{"k":"v"}'), (None, None)]


def test_maps_become_json_and_spans_of_time_iso_8601():
    maps = pl.DataFrame({"m": [{"k": "v"}, None]}, schema={"m": pl.Map(pl.String, pl.String)})
    assert maps.select(as_text("m", maps.schema["m"])).to_series().to_list() == ['{"k":"v"}', None]
    pairs = pl.DataFrame({"m": [{"k": b"\xff"}]}, schema={"m": pl.Map(pl.String, pl.Binary)})
    assert pairs.select(as_text("m", pairs.schema["m"])).item() == '[{"key":"k","value":"ff"}]'
    assert cast_all("results", "doc_id", [timedelta(hours=1), None]) == ["PT1H", None]
