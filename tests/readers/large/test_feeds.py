"""Tables side by side: whole sessions of all of them at a time."""

from itertools import pairwise

import polars as pl
import pytest

from sessionkit.contract import RECORD
from sessionkit.readers.large.feeds import Feed, OutOfOrderError, side_by_side
from sessionkit.readers.raw import Raw, no_way_back


def feed(name, sessions, size):
    frame = pl.DataFrame({RECORD: range(len(sessions)), "session_id": pl.Series(sessions, dtype=pl.String)})
    return Feed(Raw(name, name, frame.clear().lazy(), 0, no_way_back, pieces=lambda: iter(frame.iter_slices(size))))


@pytest.mark.parametrize("rows", [1, 3, 100])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_parts_have_whole_sessions_and_all_records(rows, size):
    results = ["a", "a", "a", None, "c", "c", "e", "e", "f"]
    sessions = ["a", "b", "c", "d", "e", "f", "g"]
    feeds = {"sessions": feed("sessions", sessions, size), "results": feed("results", results, size)}
    parts = [
        {name: raw.frame.collect()["session_id"].to_list() for name, raw in part.items()}
        for part in side_by_side(feeds, rows)
    ]
    assert [session for part in parts for session in part["sessions"]] == sessions
    assert [session for part in parts for session in part["results"]] == results
    for earlier, later in pairwise(parts):
        before = {session for name in earlier for session in earlier[name]} - {None}
        after = {session for name in later for session in later[name]} - {None}
        assert not before or not after or max(before) < min(after)
    assert [feeds[name].records for name in feeds] == [7, 9]
    assert len(parts) == 1 if rows == 100 else len(parts) > 2


def test_the_last_session_is_no_part_of_its_own():
    feeds = {name: feed(name, ["a", "b", "b", "c", "c"], 5) for name in ("queries", "results")}
    parts = [{name: raw.records for name, raw in part.items()} for part in side_by_side(feeds, 4)]
    assert parts == [{"queries": 5, "results": 5}], "once all is here, all that is left is one part"


@pytest.mark.parametrize("size", [1, 3])
def test_sessions_that_fall_are_refused(size):
    with pytest.raises(OutOfOrderError):
        list(side_by_side({"results": feed("results", ["a", "c", "b"], size)}, 1))
