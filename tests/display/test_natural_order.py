"""Names in natural order."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.display.labels import in_natural_order, natural_key, natural_sort


def test_numbers_within_names_go_by_size():
    frame = pl.DataFrame({"topic": ["t10", None, "t2", "T1", "t02", "2", "10a"], "place": range(7)})
    assert natural_sort(frame, "topic")["topic"].to_list() == ["2", "10a", "T1", "t02", "t2", "t10", None]


@given(st.lists(st.integers(0, 10**9)))
def test_numbers_alone_are_in_their_order(numbers):
    assert sorted(map(str, numbers), key=natural_key) == [str(number) for number in sorted(numbers)]


def test_a_number_of_thousands_of_digits_is_no_error():
    assert sorted(["9" * 5000, "10"], key=natural_key)[0] == "10"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True))
def test_numbers_of_any_kind_go_by_size(numbers):
    numbers = [number + 0.0 for number in numbers]  # -0.0 is 0.0
    assert in_natural_order(map(str, numbers)) == [str(number) for number in sorted(set(numbers))]


def test_one_name_among_numbers_makes_all_of_them_names():
    assert in_natural_order(["10", "9", "1_0", "nan"]) == ["1_0", "9", "10", "nan"]
