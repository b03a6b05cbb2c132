"""Things made ahead: the same, in order; no thread outlives the closing, whenever that comes."""

import threading
from contextlib import closing

import pytest

from sessionkit.study.ahead import Ahead


def slowly(started, may_go, made):
    """Three things, each of which waits to be let go."""
    for thing in range(3):
        started.set()
        may_go.wait(5)
        made.append(thing)
        yield thing


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_closing_waits_for_the_thread(taken):
    started, may_go, made = threading.Event(), threading.Event(), []
    before = threading.active_count()
    things = slowly(started, may_go, made)
    coming = Ahead(things)
    assert started.wait(5), "the first is made before anybody asks for it"
    threading.Timer(0.05, may_go.set).start()
    assert [next(coming) for _ in range(taken)] == list(range(taken))
    coming.close()
    assert len(made) >= max(taken, 1), "what was on its way is made"
    things.close()  # would raise ValueError if a thread were still in it
    may_go.wait(5)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    assert threading.active_count() == before
    assert list(coming) == []
    coming.close()


def test_what_goes_wrong_is_raised_in_its_place():
    def broken():
        yield 1
        raise OSError("gone")

    before = threading.active_count()
    with closing(Ahead(broken())) as coming:
        assert next(coming) == 1
        with pytest.raises(OSError, match="gone"):
            next(coming)
        assert threading.active_count() == before
        assert list(coming) == []
