"""A study's memo makes a value once, in whatever thread, and holds things for the thread that holds them alone."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from sessionkit.study.study import Memo


def test_a_value_is_made_once_by_many_threads():
    memo, made = Memo(), []

    def make():
        sleep(0.01)
        made.append(1)
        return len(made)

    with ThreadPoolExecutor(8) as pool:
        assert {*pool.map(lambda _: memo.once("it", make), range(32))} == {1}


def test_making_one_value_may_wait_for_a_thread_that_makes_another():
    memo = Memo()
    with ThreadPoolExecutor(1) as pool:
        assert memo.once("outer", lambda: pool.submit(memo.once, "inner", lambda: 2).result(5) + 1) == 3


def test_what_failed_is_made_again():
    memo = Memo()
    with pytest.raises(ZeroDivisionError):
        memo.once("it", lambda: 1 / 0)
    assert memo.once("it", lambda: 1) == 1


def test_what_a_thread_holds_no_other_finds():
    memo = Memo()
    with memo.holding("one"), memo.holding(2), memo.holding("three"), ThreadPoolExecutor(1) as pool:
        assert memo.held(str) == ["one", "three"]
        assert pool.submit(memo.held, str).result() == []
    assert memo.held(object) == []


def test_a_copy_is_empty():
    memo = Memo()
    memo.once("it", lambda: 1)
    assert pickle.loads(pickle.dumps(memo)).find("it") is None  # noqa: S301 - our own
