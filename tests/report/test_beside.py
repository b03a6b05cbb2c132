"""What is worked out beside comes out where it is asked for, and makes no page another one."""

import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.report import page
from sessionkit.report.beside import beside, hearing

sys.path.insert(0, str(Path(__file__).parent))
from mixed_logs import mixed


def said(heard):
    """What was warned of, in order."""
    return [str(one.message) for one in heard]


def test_warnings_stand_where_what_was_worked_out_is_handed_out():
    def first(number):
        warnings.warn("first", DataWarning, stacklevel=1)
        return number + 1

    def second(_number):
        warnings.warn("second", DataWarning, stacklevel=1)
        raise DataError("no second")

    with hearing() as heard:
        with beside(1, [first, second]) as begun:
            warnings.warn("before", DataWarning, stacklevel=1)
            assert begun[first]() == 2
            warnings.warn("between", DataWarning, stacklevel=1)
            with pytest.raises(DataError, match="no second"):
                begun[second]()
        warnings.warn("after", DataWarning, stacklevel=1)
    assert said(heard) == ["before", "first", "between", "second", "after"]


def test_what_nobody_asks_for_is_neither_heard_nor_waited_for():
    began, go = threading.Event(), threading.Event()
    never = []

    def first(_of):
        began.set()
        go.wait(10)
        warnings.warn("nobody asked", DataWarning, stacklevel=1)

    with hearing() as heard:
        with beside(None, [first, never.append]):
            assert began.wait(10)
            threading.Timer(0.05, go.set).start()
        assert not never  # the first is over; the second was not begun
    assert said(heard) == []


def test_hearing_within_hearing_keeps_apart_and_ends():
    with hearing() as outer:
        with hearing() as inner:
            warnings.warn("inner", DataWarning, stacklevel=1)
        warnings.warn("outer", DataWarning, stacklevel=1)
    assert (said(inner), said(outer)) == (["inner"], ["outer"])
    with pytest.warns(DataWarning, match="as ever"):
        warnings.warn("as ever", DataWarning, stacklevel=1)


def slow(analysis):
    """An analysis that comes late."""
    return lambda of: (time.sleep(0.05), analysis(of))[1]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("merge", ["max", "alternate"])
def test_a_page_is_the_same_whichever_is_ready_first(monkeypatch, merge):
    def make():
        return mixed(sessions=30, merge=merge)  # anew: what judgments are merged to is kept, and warned of once

    beside_all, asked = sk.report(make()), page.analyses
    begun, sections = [], page.SECTIONS
    monkeypatch.setattr(page, "analyses", lambda of: begun.extend(asked(of)) or asked(of))
    monkeypatch.setattr(page, "SECTIONS", tuple(map(slow, sections)))
    assert sk.report(make()) == beside_all  # each is ready before it is asked for
    assert len(begun) == 3
    monkeypatch.setattr(page, "analyses", lambda _of: [])
    monkeypatch.setattr(page, "SECTIONS", sections)
    assert sk.report(make()) == beside_all  # each is worked out when it is asked for


def test_an_analysis_that_fails_beside_ends_the_report(monkeypatch, make):
    def broken(*_given, **_named):
        raise ZeroDivisionError("beside")

    monkeypatch.setattr(sys.modules["sessionkit.report.sections.searchers"], "effort", broken)
    study, threads = make(), threading.active_count()
    with pytest.raises(ZeroDivisionError, match="beside"):
        sk.report(study)
    assert threading.active_count() == threads


def test_nothing_is_begun_of_large_studies_nor_beside_parts_that_were_asked_for(monkeypatch, make):
    asked, begun = page.analyses, []
    monkeypatch.setattr(page, "analyses", lambda of: begun.append(asked(of)) or [])
    sk.report(make(), also="noise")
    monkeypatch.setattr("sessionkit.report.material.LARGE", 2)
    sk.report(make())
    assert begun == [[], []]
