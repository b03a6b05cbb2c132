"""Names in natural order."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.display.natural_order import natural_key, natural_sort


def test_numbers_within_names_go_by_size():
    frame = pl.DataFrame({"topic": ["t10", None, "t2", "T1", "t02", "2", "10a"], "place": range(7)})
    assert natural_sort(frame, "topic")["topic"].to_list() == ["2", "10a", "T1", "t02", "t2", "t10", None]


@given(st.lists(st.integers(0, 10**9)))
def test_numbers_alone_are_in_their_order(numbers):
    assert sorted(map(str, numbers), key=natural_key) == [str(number) for number in sorted(numbers)]


def test_a_number_of_thousands_of_digits_is_no_error():
    assert sorted(["9" * 5000, "10"], key=natural_key)[0] == "10"
