"""Sessions by inactivity, held against a plain restatement."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.errors import UsageError
from sessionkit.readers.events.sessions import seconds, with_positions, with_sessions

EVENTS = st.lists(st.tuples(st.sampled_from("uvw"), st.integers(0, 40)), max_size=30)


def restated(events, gap):
    """The session of each event, by its place in the list: a new one where the pause is longer than the gap."""
    sessions, last, number = {}, {}, {}
    for place in sorted(range(len(events)), key=lambda place: (*events[place], place)):
        user, time = events[place]
        if user not in last or time - last[user] > gap:
            number[user] = number.get(user, 0) + 1
        last[user] = time
        sessions[place] = f"{user}-{number[user]}"
    return sessions


@given(EVENTS, st.integers(1, 12))
def test_as_restated_in_seconds_and_in_time(events, gap):
    frame = pl.DataFrame(events, schema={"user_id": pl.String, "issued_at": pl.Int64}, orient="row").with_row_index(
        "place"
    )
    due = restated(events, gap)
    cut = with_sessions(frame.lazy(), gap=gap).collect()
    assert dict(cut.select("place", "session_id").rows()) == due
    assert cut.columns == [*frame.columns, "session_id"]
    assert cut.select("user_id", "issued_at", "place").rows() == sorted(
        (*event, place) for place, event in enumerate(events)
    )
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    timed = frame.with_columns(issued_at=pl.lit(noon) + pl.duration(seconds="issued_at"))
    assert dict(with_sessions(timed.lazy(), gap=gap).collect().select("place", "session_id").rows()) == due


def test_the_gap_itself_ends_no_session():
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    times = [noon, noon + timedelta(minutes=30), noon + timedelta(minutes=60, microseconds=1)]
    frame = pl.LazyFrame({"user_id": ["u"] * 3, "issued_at": times})
    assert with_sessions(frame).collect()["session_id"].to_list() == ["u-1", "u-1", "u-2"]


def test_an_event_without_time_stays_with_the_one_before_and_one_without_user_has_no_session():
    frame = pl.LazyFrame({"user_id": ["u", "u", None, "u"], "issued_at": [5000, None, 3, 1]})
    cut = with_sessions(frame.with_row_index("place")).collect().sort("place")
    assert cut["session_id"].to_list() == ["u-2", "u-2", None, "u-1"]


def test_positions():
    frame = pl.LazyFrame({"session_id": ["a", "b", "a", "a"]})
    assert with_positions(frame).collect()["query_position"].to_list() == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("gap", "due"), [("30m", 1800), ("1h", 3600), ("90", 90), ("90s", 90), (0.5, 0.5), (" 2 d ", 172800), ("1.5m", 90)]
)
def test_gaps(gap, due):
    assert seconds(gap) == due


@pytest.mark.parametrize("gap", ["", "m", "-5m", 0, "0", "30 minutes", float("nan"), float("inf"), True, None])
def test_gaps_that_are_none(gap):
    with pytest.raises(UsageError, match="give seconds or a time above 0 such as 30m"):
        seconds(gap)
