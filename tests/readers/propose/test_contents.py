"""How columns spell their values: told by all values there are, asked where two ways explain them."""

import polars as pl
import pytest

from sessionkit.readers.checks.cells import CLOCK
from sessionkit.readers.propose.contents import mean_nothing, respelled, spelling_of
from sessionkit.study.schema import table

RESULTS = table("results").by_name
TIME = table("queries").by_name["issued_at"]


def spelling(*texts, name="dwell", of=RESULTS["dwell_seconds"]):
    return spelling_of(pl.Series(texts, dtype=pl.String), name, of)


def read(*texts, name="dwell", of=RESULTS["dwell_seconds"]):
    values = pl.Series(texts, dtype=pl.String)
    return respelled(values, spelling_of(values, name, of), of).to_list()


@pytest.mark.parametrize(
    ("texts", "marks"),
    [
        (["1", "2.5"], (None, None)),
        (["1", "2,5", "0,125"], (",", None)),
        (["1.083.520", "12", "1.200"], (",", ".")),
        (["1,083,520", "12", "1,200"], (None, ",")),
        (["1.200,5", "3", "2,25"], (",", ".")),
        (["1 200,5", "3", "12 000"], (",", " ")),
        (["1'200.5", "12'000"], (None, "'")),
        (["0,125", "0,250"], (",", None)),  # nothing is parted after a 0
        (["12,5", "n/a", "k.A.", "-"], (",", None)),
        (["1e5", "2.5e-3"], (None, None)),
        (["x", "y"], (None, None)),
        ([], (None, None)),
    ],
)
def test_marks_are_those_by_which_most_values_are_numbers(texts, marks):
    found = spelling(*texts)
    assert (found.decimal, found.thousands) == marks
    assert not found.doubts


@pytest.mark.parametrize(
    ("texts", "mark", "option"), [(["1,250", "3,500"], ",", "decimal"), (["1.250", "3"], ".", "thousands")]
)
def test_marks_before_three_digits_are_asked_about_unless_the_unit_has_no_fractions(texts, mark, option):
    assert f"is '{mark}' in '{texts[0]}'" in spelling(*texts).doubts[option]
    assert spelling(*texts).thousands is None
    assert spelling(*texts, name="dwell (ms)").thousands == mark
    assert not spelling(*texts, "1000").doubts  # thousands without a mark: it is a decimal mark


@pytest.mark.parametrize(
    ("texts", "format_"),
    [
        (["2024-03-07 09:03", "2024-03-07T09:03:10Z"], None),
        (["07.03.2024 09:03", "13.03.2024 10:00"], "%d.%m.%Y %H:%M"),
        (["7.3.2024", "31.12.2024"], "%d.%m.%Y"),
        (["2/12/2024 9:01:35 AM", "2/13/2024 12:01:00 PM"], "%m/%d/%Y %I:%M:%S %p"),
        (["13/02/24 9:01am"], "%d/%m/%y %I:%M%p"),
        (["2024/03/07 09:03:01.5"], "%Y/%m/%d %H:%M:%S%.f"),
        (["31-12-2024, 23:59"], "%d-%m-%Y, %H:%M"),
        (["yesterday", "13.03.2024"], None),
        (["12", "13"], None),
    ],
)
def test_times_have_the_format_that_all_are_in(texts, format_):
    found = spelling(*texts, name="time", of=TIME)
    assert (found.times, found.doubts) == (format_, {})


def test_a_day_that_may_be_a_month_is_first_and_asked_about():
    found = spelling("07/03/2024", "08/03/2024", of=TIME)
    assert (found.times, found.rival, found.why) == ("%d/%m/%Y", "%m/%d/%Y", "")
    assert spelling("07/03/2024", "07/12/2024", of=TIME).times == "%m/%d/%Y"  # July 3 to 12, and not March to December
    assert spelling("7/3/2024 9:01 AM", of=TIME).times == "%m/%d/%Y %I:%M %p"  # who writes so writes months first
    assert spelling("07/03/2024", "13/03/2024", of=TIME).rival is None


def test_days_as_excel_counts_them_are_asked_about():
    found = spelling("45358.377", "45359.5", of=TIME)
    assert found.times == "excel"
    assert "days as Excel counts them" in found.doubts["times"]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["ja", "Nein ", None], ["true", "false", None]),
        (["Sí", "No"], ["true", "false"]),
        (["kyllä", "ei"], ["true", "false"]),
        (["sim", "não"], ["true", "false"]),
        (["x", "X", None], ["true", "true", "false"]),
        (["✓", None], ["true", "false"]),
        (["Y", "N"], ["true", "false"]),
        (["1", "0"], ["1", "0"]),
        (["yes", None], ["yes", None]),
        (["rot", "blau"], ["rot", "blau"]),
    ],
)
def test_words_for_yes_and_no_are_known_whatever_their_case_and_accents(texts, values):
    assert read(*texts, name="clicked", of=RESULTS["clicked"]) == values


@pytest.mark.parametrize(
    ("name", "texts", "seconds"),
    [
        ("dwell (ms)", ["1500", "250"], [1.5, 0.25]),
        ("tempo (min)", ["0,5", "2"], [30, 120]),
        ("Verweildauer (s)", ["1,5", "2"], [1.5, 2]),
        ("time [Sek.]", ["3"], [3]),
        ("dwell", ["00:10", "1:02:03"], [10, 3723]),
        ("dwell_h", ["0.5"], [1800]),
    ],
)
def test_durations_are_seconds_by_the_name_or_by_how_they_look(name, texts, seconds):
    assert [float(value) for value in read(*texts, name=name)] == pytest.approx(seconds)


def test_a_clock_among_numbers_is_no_clock():
    assert spelling("00:10", "0:20").unit == CLOCK
    assert spelling("00:10", "12").unit is None


def test_texts_that_mean_nothing_are_few_and_all_known():
    assert mean_nothing(["k.A.", "#N/A", "n/a", "-"])
    assert not mean_nothing(["k.A.", "x7"])
    assert not mean_nothing([])
