"""Rules about one row: names are sentences, conditions hold exactly where they should."""

import polars as pl

from sessionkit.study.checks import RULE, VALUE, CheckedRows, check_types, check_values
from sessionkit.study.schema import table


def checked(name, **columns):
    frame = pl.DataFrame(columns).with_row_index("__record", offset=1).with_columns(pl.col("__record").cast(pl.Int64))
    schema = table(name)
    return check_values(check_types(frame.lazy(), schema), schema)


def broken(rows: CheckedRows):
    return rows.broken.sort("__record").select("__record", RULE, VALUE).rows()


def test_types_then_required_then_values():
    rows = checked(
        "results",
        session_id=["s", "s", "s", None, "s"],
        query_position=["1", "one", "0", "1", "1"],
        rank=["1", "2", "x", "3", "-2"],
        doc_id=["a", "b", "c", "d", None],
    )
    assert broken(rows) == [
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
    assert broken(rows) == [(1, "rank_is_at_least_1", "0")]
    assert rows.cells.rows() == [(2, "dwell_seconds", "dwell_seconds_is_at_least_0", "-0.5")]
    assert rows.accepted.select("__record", "dwell_seconds").rows() == [(2, None), (3, None)]


def test_lists_of_values():
    rows = checked("queries", session_id=["s"] * 2, query_position=["1", "2"], results_status=["shown", "lost"])
    assert broken(rows) == []
    assert rows.cells.rows() == [(2, "results_status", "results_status_is_a_known_value", "lost")]
    assert rows.accepted["results_status"].to_list() == ["shown", None]


def test_a_session_ends_after_it_starts():
    times = ["2026-03-02T12:00:00Z", "2026-03-02T11:00:00Z"]
    rows = checked("sessions", session_id=["a", "b"], started_at=times, ended_at=times[::-1])
    assert broken(rows) == []
    assert rows.cells.select("__record", "__column", "__rule").rows() == [
        (1, "ended_at", "session_ends_after_it_starts")
    ]
    assert rows.accepted.select(pl.col("started_at", "ended_at").is_null()).rows() == [(False, True), (False, False)]


def test_value_of_a_shifted_column_is_the_sources():
    schema = table("results")
    frame = pl.LazyFrame({"__record": [1], "session_id": ["s"], "query_position": [1], "rank": [-3], "doc_id": ["a"]})
    rows = check_types(frame, schema).with_columns(pl.col("rank") + 1)
    assert broken(check_values(rows, schema, shifted=["rank"])) == [(1, "rank_is_at_least_1", "-3")]


def test_a_row_is_reported_once_and_every_row_is_somewhere():
    rows = checked("judgments", judgment_key=[None, "t"], doc_id=[None, "d"], grade=["x", "1"])
    assert rows.broken.height == rows.accepted.height == 1
    assert broken(rows)[0][1] == "grade_is_a_number"


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
    assert broken(rows) == [(3, "rank_is_an_integer", "x")]  # its row is rejected: told once, without its cells


def test_what_is_no_number_among_numbers_is_set_aside_and_said():
    rows = checked("queries", session_id=["s"] * 3, query_position=[1, 2, 3], elapsed_seconds=[1.0, float("nan"), -2.0])
    assert rows.cells.select("__record", "__rule", "__value").rows() == [
        (2, "elapsed_seconds_is_a_number", "NaN"),
        (3, "elapsed_seconds_is_at_least_0", "-2"),
    ]
    assert rows.accepted["elapsed_seconds"].to_list() == [1.0, None, None]
