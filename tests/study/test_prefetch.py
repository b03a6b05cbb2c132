"""Things made while others are used: their order, their errors, and the threads that end."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from sessionkit.study.batches import Ahead, in_turn


def threads() -> set[str]:
    """The threads that run."""
    return {thread.name for thread in threading.enumerate() if thread.is_alive()}


def test_the_next_is_made_before_it_is_asked_for():
    made = threading.Event()

    def things():
        yield 1
        made.set()
        yield 2

    coming = Ahead(things())
    assert next(coming) == 1
    assert made.wait(10)
    assert [*coming] == [2]
    assert next(coming, "no more") == "no more"


def test_as_many_are_made_as_was_said():
    made, third = [], threading.Event()

    def things():
        for number in range(9):
            made.append(number)
            if number == 2:
                third.set()
            yield number

    coming = Ahead(things(), 2)
    assert next(coming) == 0
    assert third.wait(10), "two more than were asked for"
    coming.close()
    assert made == [0, 1, 2]
    assert next(coming, "no more") == "no more"


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_closing_waits_for_the_thread_however_many_were_taken(taken):
    before = threads()
    coming = Ahead(iter(count()))
    assert [next(coming) for _ in range(taken)] == [*range(taken)]
    coming.close()
    assert threads() <= before


def test_errors_come_where_the_thing_would_have():
    def things():
        yield 1
        raise ValueError("no second")

    coming = Ahead(things())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="no second"):
        next(coming)
    coming.close()


def test_what_is_made_side_by_side_comes_in_the_order_of_what_it_is_made_of():
    second = threading.Event()

    def make(number: int) -> int:
        if number == 0:
            assert second.wait(10), "the second is made while the first is"
        second.set()
        return number * number

    assert [*in_turn(make, iter(range(6)))] == [0, 1, 4, 9, 16, 25]


def test_no_more_is_taken_than_is_made_at_a_time():
    taken = []

    def things():
        for number in range(9):
            taken.append(number)
            yield number

    made = in_turn(lambda number: number, things(), threads=2)
    assert next(made) == 0
    assert taken == [0, 1, 2]
    made.close()


def test_an_error_in_one_of_several_is_told_and_ends_the_threads():
    before = threads()

    def make(number: int) -> int:
        return 1 // (2 - number)

    made = in_turn(make, iter(count()))
    assert next(made) == 0
    assert next(made) == 1
    with pytest.raises(ZeroDivisionError):
        next(made)
    assert threads() <= before
