"""Rows parted into accepted and broken.

Casts: what counts as a value of a type, and what does not.

Rules over several rows and tables.

Rules about one row: names are sentences, conditions hold exactly where they should.
"""

import itertools
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessionkit.study.checks import (
    RECORD,
    RULE,
    VALUE,
    CheckedRows,
    any_twice,
    as_text,
    begins,
    cast,
    check_parents,
    check_reach,
    check_types,
    check_unique,
    check_values,
    distinct,
    keys_of,
    rises,
    without_zone,
)
from sessionkit.study.schema import table


def test_a_readers_verdict_comes_first():
    frame = pl.LazyFrame(
        {
            RECORD: [1, 2],
            RULE: ["line_is_json", None],
            VALUE: ["{", None],
            "judgment_key": [None, "t"],
            "doc_id": [None, "d"],
            "grade": [None, "x"],
        }
    )
    broken = check_types(frame, table("judgments")).broken
    assert broken.select(RECORD, RULE, VALUE).rows() == [(1, "line_is_json", "{"), (2, "grade_is_a_number", "x")]


@given(st.lists(st.integers(-3, 3), max_size=30))
def test_no_row_is_lost_or_doubled(values):
    frame = pl.DataFrame(
        {RECORD: pl.Series(range(len(values)), dtype=pl.Int64), "n": pl.Series(values, dtype=pl.Int64)}
    )
    checked = CheckedRows(frame, frame.clear()).rejecting(
        "n_is_not_negative", pl.col("n") < 0, pl.col("n").cast(pl.String)
    )
    checked = checked.rejecting("n_is_small", pl.col("n") > 1)
    assert sorted([*checked.accepted[RECORD], *checked.broken[RECORD]]) == list(range(len(values)))
    assert checked.accepted["n"].is_between(0, 1).all()


def test_conditions_over_several_rows_report_the_right_row():
    frame = pl.DataFrame({RECORD: [1, 2, 3], "n": ["a", "b", "b"]})
    checked = CheckedRows(frame, frame.clear()).rejecting("differs", pl.col("n") == pl.col("n").shift(1), pl.col("n"))
    assert checked.broken.select(RECORD, RULE, VALUE).rows() == [(3, "differs", "b")]


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


def rows(columns, **values):
    frame = pl.DataFrame(dict(zip(columns, zip(*values["rows"], strict=True), strict=True)), orient="col")
    frame = frame.with_row_index(RECORD, offset=1).with_columns(pl.col(RECORD).cast(pl.Int64))
    return CheckedRows(frame, frame.clear())


def broken(checked):
    return checked.broken.sort(RECORD).select(RECORD, RULE, VALUE).rows() if checked.broken.height else []


LIST = ["session_id", "query_position", "rank"]


def test_the_first_record_of_a_key_stays():
    checked = check_unique(rows(LIST, rows=[("b", 1, 1), ("a", 1, 1), ("b", 1, 1), ("b", 1, 1)]), table("results"))
    assert broken(checked) == [(3, "rank_is_unique_in_list", "b 1 1"), (4, "rank_is_unique_in_list", "b 1 1")]
    assert checked.accepted[RECORD].to_list() == [2, 1], "sorted by key"


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2), st.integers(1, 3)), min_size=1, max_size=20),
    st.booleans(),
)
@example([("a", 1, 1), ("a", 2, 1), ("b", 1, 1), ("b", 1, 2)], True)
@example([("a", 1, 1), ("b", 1, 1), ("a", 1, 2)], False)
def test_unique_keeps_one_of_each_key_and_the_earliest(keys, in_order):
    keys = sorted(keys) if in_order else keys
    checked = check_unique(rows(LIST, rows=keys), table("results"))
    firsts = sorted(keys.index(key) + 1 for key in set(keys))
    assert sorted(checked.accepted[RECORD].to_list()) == firsts
    assert checked.accepted.height + checked.broken.height == len(keys)
    assert checked.accepted.select(LIST).rows() == sorted(set(keys))
    assert keys_of(checked, LIST[:2]).rows() == sorted({key[:2] for key in keys})


def test_parents_unknown_and_rejected_are_told_apart():
    children = rows(["session_id", "query_position"], rows=[("a", 1), ("lost", 1), ("bad", 1)])
    accepted, seen = pl.DataFrame({"session_id": ["a"]}), pl.DataFrame({"session_id": ["a", "bad"]})
    checked = check_parents(children, table("queries"), "sessions", accepted, seen)
    assert broken(checked) == [(2, "session_is_known", "lost"), (3, "session_is_accepted", "bad")]


lists = st.lists(st.tuples(st.sampled_from(["a", "b", "ba"]), st.integers(0, 3)), max_size=9)


@given(st.integers(0, 4), st.integers(0, 4), lists, lists, st.booleans())
@example(2, 1, [], [("a", 0)], True)
@example(2, 1, [], [("a", 3)], True)
@example(2, 1, [], [("a", 1), ("b", 1)], True)
@example(0, 0, [("a", 2), ("b", 1)], [("a", 1)], False)
def test_lists_without_their_query_are_told(of_a, of_b, others, children, numbered):
    """Queries that count from 1 in each session are looked up by their number, others by what they are."""
    queries = [("a", place + 1) for place in range(of_a)] + [("b", place + 1) for place in range(of_b)]
    queries = queries if numbered else [*dict.fromkeys(others)]
    accepted = pl.DataFrame(queries, schema={"session_id": pl.String, "query_position": pl.Int64}, orient="row")
    ranked = [(*child, place) for place, child in enumerate(children, 1)] or [("a", 1, 1)]
    checked = check_parents(rows(LIST, rows=ranked), table("results"), "queries", accepted, accepted)
    assert [ranked[record - 1] for record in checked.accepted[RECORD]] == [row for row in ranked if row[:2] in queries]
    assert {rule for _, rule, _ in broken(checked)} <= {"query_is_known"}


@pytest.mark.parametrize(
    ("positions", "bad"),
    [
        ([1, 2, 3], []),
        ([3, 1, 2], []),
        ([1, 1, 2], []),
        ([101], []),  # 100 are missing before it
        ([102], [102]),
        ([1, 103, 104, 300], [103, 104, 300]),  # 101 before 103, then all that follow
        ([300, 1, 2, 101], [300]),
        ([*range(1, 201), 402, 403], []),  # 201 are missing, and as many are there
        ([*range(1, 201), 403, 404], [403, 404]),
        ([2**31 - 1], [2**31 - 1]),
    ],
)
def test_positions_with_too_much_missing_before_them_are_out_of_reach(positions, bad):
    checked = check_reach(rows(["session_id", "query_position"], rows=[("a", p) for p in positions]), table("queries"))
    assert [value for _, _, value in broken(checked)] == [str(p) for p in bad]
    assert {rule for _, rule, _ in broken(checked)} <= {"query_position_is_within_reach"}


pairs = st.lists(st.tuples(st.sampled_from(["a", "b", "ba"]), st.integers(0, 2)), max_size=8)


@given(pairs, st.booleans())
def test_keys_rise_where_every_one_is_above_the_one_before(keys, ordered):
    keys = sorted(set(keys)) if ordered else keys
    frame = pl.DataFrame(keys, schema={"s": pl.String, "q": pl.Int32}, orient="row")
    assert rises(frame, ["s", "q"]) == all(one < other for one, other in itertools.pairwise(keys))
    assert rises(frame, ["s"]) == all(one[0] < other[0] for one, other in itertools.pairwise(keys))


@given(pairs, st.booleans())
def test_every_key_is_found_once_and_the_first_part_of_a_known_one_too(keys, whole_first):
    frame = pl.DataFrame(keys, schema={"s": pl.String, "q": pl.Int32}, orient="row")
    checked = CheckedRows(frame, frame.clear())
    if whole_first:
        assert sorted(keys_of(checked, ["s", "q"]).rows()) == sorted(set(keys))
    assert sorted(keys_of(checked, ["s"]).rows()) == sorted({(session,) for session, _ in keys})
    assert keys_of(checked, ["s"]) is keys_of(checked, ["s"])
    assert sorted(distinct(frame, ["s", "q"]).rows()) == sorted(set(keys))


@given(st.lists(st.tuples(st.none() | st.sampled_from("ab"), st.none() | st.integers(0, 1)), max_size=6))
def test_a_key_begins_where_it_is_another_than_the_one_before(keys):
    frame = pl.DataFrame(keys, {"text": pl.String, "number": pl.Int64}, orient="row")
    assert begins(frame, ["text", "number"]).tolist() == [
        place == 0 or keys[place] != keys[place - 1] for place in range(len(keys))
    ]


@given(st.lists(st.integers(2**64 - 3, 2**64 - 1) | st.integers(0, 2), max_size=4))
def test_whether_a_number_is_there_twice(numbers):
    assert any_twice(np.array(numbers, dtype=np.uint64)) == (len(set(numbers)) < len(numbers))


def checked(name, **columns):
    frame = pl.DataFrame(columns).with_row_index("__record", offset=1).with_columns(pl.col("__record").cast(pl.Int64))
    schema = table(name)
    return check_values(check_types(frame.lazy(), schema), schema)


def broken_rules(rows: CheckedRows):
    return rows.broken.sort("__record").select("__record", RULE, VALUE).rows()


def test_types_then_required_then_values():
    rows = checked(
        "results",
        session_id=["s", "s", "s", None, "s"],
        query_position=["1", "one", "0", "1", "1"],
        rank=["1", "2", "x", "3", "-2"],
        doc_id=["a", "b", "c", "d", None],
    )
    assert broken_rules(rows) == [
        (2, "query_position_is_an_integer", "one"),
        (3, "rank_is_an_integer", "x"),
        (4, "session_id_is_given", None),
        (5, "doc_id_is_given", None),
    ]
    assert rows.accepted["__record"].to_list() == [1]


def test_ranges():
    rows = checked(
        "results",
        session_id=["s"] * 3,
        query_position=["1"] * 3,
        rank=["0", "1", "2"],
        doc_id=["a", "b", "c"],
        dwell_seconds=["1", "-0.5", None],
    )
    assert broken_rules(rows) == [(1, "rank_is_at_least_1", "0")]
    assert rows.cells.rows() == [(2, "dwell_seconds", "dwell_seconds_is_at_least_0", "-0.5")]
    assert rows.accepted.select("__record", "dwell_seconds").rows() == [(2, None), (3, None)]


def test_lists_of_values():
    rows = checked("queries", session_id=["s"] * 2, query_position=["1", "2"], results_status=["shown", "lost"])
    assert broken_rules(rows) == []
    assert rows.cells.rows() == [(2, "results_status", "results_status_is_a_known_value", "lost")]
    assert rows.accepted["results_status"].to_list() == ["shown", None]


def test_a_session_ends_after_it_starts():
    times = ["2026-03-02T12:00:00Z", "2026-03-02T11:00:00Z"]
    rows = checked("sessions", session_id=["a", "b"], started_at=times, ended_at=times[::-1])
    assert broken_rules(rows) == []
    assert rows.cells.select("__record", "__column", "__rule").rows() == [
        (1, "ended_at", "session_ends_after_it_starts")
    ]
    assert rows.accepted.select(pl.col("started_at", "ended_at").is_null()).rows() == [(False, True), (False, False)]


def test_value_of_a_shifted_column_is_the_sources():
    schema = table("results")
    frame = pl.LazyFrame({"__record": [1], "session_id": ["s"], "query_position": [1], "rank": [-3], "doc_id": ["a"]})
    rows = check_types(frame, schema).with_columns(pl.col("rank") + 1)
    assert broken_rules(check_values(rows, schema, shifted=["rank"])) == [(1, "rank_is_at_least_1", "-3")]


def test_a_row_is_reported_once_and_every_row_is_somewhere():
    rows = checked("judgments", judgment_key=[None, "t"], doc_id=[None, "d"], grade=["x", "1"])
    assert rows.broken.height == rows.accepted.height == 1
    assert broken_rules(rows)[0][1] == "grade_is_a_number"


def test_a_record_with_bad_cells_is_one_row_and_each_of_them_is_kept():
    rows = checked(
        "results",
        session_id=["s"] * 3,
        query_position=["1"] * 3,
        rank=["1", "2", "x"],
        doc_id=["a", "b", "c"],
        clicked=["perhaps", "true", "perhaps"],
        dwell_seconds=["3,5", "7", "3,5"],
    )
    assert rows.cells.rows() == [
        (1, "clicked", "clicked_is_true_or_false", "perhaps"),
        (1, "dwell_seconds", "dwell_seconds_is_a_number", "3,5"),
    ]
    assert rows.accepted.select("rank", "clicked", "dwell_seconds").rows() == [(1, None, None), (2, True, 7.0)]
    assert broken_rules(rows) == [(3, "rank_is_an_integer", "x")]  # its row is rejected: told once, without its cells


def test_what_is_no_number_among_numbers_is_set_aside_and_said():
    rows = checked("queries", session_id=["s"] * 3, query_position=[1, 2, 3], elapsed_seconds=[1.0, float("nan"), -2.0])
    assert rows.cells.select("__record", "__rule", "__value").rows() == [
        (2, "elapsed_seconds_is_a_number", "NaN"),
        (3, "elapsed_seconds_is_at_least_0", "-2"),
    ]
    assert rows.accepted["elapsed_seconds"].to_list() == [1.0, None, None]
