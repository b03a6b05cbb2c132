"""Times of sessions: midnight, seconds, what is missing or unreadable."""

import pytest

from sessionkit.readers.formats.trec_session import Clock


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
