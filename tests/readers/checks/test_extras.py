"""Columns that nobody declared: kept, and typed only where nothing is lost."""

import polars as pl
import pytest

from sessionkit.readers.checks.completion import typed_extras
from sessionkit.study.schema import table


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["1", "-20", None, "0"], pl.Int64),
        (["1.5", "2", "-0.25"], pl.Float64),
        (["007", "1"], pl.String),
        (["1e5"], pl.String),
        (["+3"], pl.String),
        (["12345678901234567890"], pl.String),
        (["1.", ".5"], pl.String),
        (["a", None], pl.String),
        ([None, None], pl.String),
        (["1 ", "2"], pl.String),
        (["9"] * 2000 + ["x"], pl.String),
    ],
)
def test_types(values, dtype):
    frame = pl.DataFrame({"extra": pl.Series(values, dtype=pl.String), "doc_id": ["1"] * len(values)})
    typed = typed_extras(frame, table("results"))
    assert typed.schema == {"extra": dtype, "doc_id": pl.String}
    back = typed["extra"].cast(pl.String).to_list()
    if dtype != pl.Float64:
        assert back == values


def test_times_of_day_are_cut_to_microseconds():
    # 1 h and 1,999 ns: Python's time ends with the microsecond, and pandas refuses what is finer
    times = pl.Series([3600 * 10**9 + 1999, None], dtype=pl.Int64).cast(pl.Time)
    typed = typed_extras(pl.DataFrame({"at": times}), table("results"))["at"]
    assert typed.cast(pl.Int64).to_list() == [3600 * 10**9 + 1000, None]
