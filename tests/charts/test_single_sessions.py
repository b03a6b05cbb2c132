"""Figure 4."""

import polars as pl
import pytest

from sessionkit.charts import save, single_sessions
from sessionkit.errors import UsageError


def test_sessions_run_to_their_stopping_points_and_are_held_after(curves, datasets):
    frame = curves(groups=("a", "b", "c"), queries=3, single=True)
    _, _, held, own, stops = datasets(single_sessions(frame))
    # a stops at slot 10 with 10 x 1, b at 20 with 20 x 2, c at 30 with 30 x 3
    assert [(row["session"], row["slot"], row["value"]) for row in stops[1]] == [
        ("a", 10, 10),
        ("b", 20, 40),
        ("c", 30, 90),
    ]
    assert [row["query_position"] for row in stops[1]] == [1, 2, 3]
    assert {row["session"]: row["slot"] for row in own[1]} == {
        name: list(range(1, last + 1)) for name, last in (("a", 10), ("b", 20), ("c", 30))
    }
    after = {row["session"]: row for row in held[1]}
    assert set(after["a"]["value"]) == {10}
    assert after["b"]["slot"] == list(range(20, 31))


def test_sessions_that_stop_at_one_place_are_counted(curves, datasets):
    one = curves(groups=("a",), queries=3, single=True)
    same = pl.concat([one, *(one.with_columns(session_id=pl.lit(name)) for name in "bcdefg")])
    *_, points, numbers = datasets(single_sessions(same))
    assert [(row["session"], row["number"]) for row in points[1]] == [("a, b, c, d, e, … of 7", 7)]
    assert [row["number"] for row in numbers[1]] == [7]


@pytest.mark.parametrize(("sessions", "opacities"), [(40, [0.35, 0.75]), (41, [0.15, 0.3])])
def test_many_lines_are_fainter(curves, sessions, opacities):
    frame = curves(groups=[f"s{number:02}" for number in range(sessions)], queries=1, single=True)
    layers = single_sessions(frame).to_dict()["layer"]
    assert [layer["mark"]["opacity"] for layer in layers if layer["mark"]["type"] == "line"] == opacities


@pytest.mark.slow
def test_more_rows_than_altair_allows_are_drawn(curves, tmp_path):
    frame = curves(groups=[f"s{number:03}" for number in range(60)], queries=11, single=True)
    assert len(frame) == 60 * 110
    assert save(single_sessions(frame), tmp_path / "many.png").stat().st_size > 20_000


def test_too_many_sessions_are_refused(curves):
    with pytest.raises(UsageError, match="201 sessions are too many"):
        single_sessions(curves(groups=[str(number) for number in range(201)], queries=1, single=True))


def test_session_without_a_slot_of_its_own_has_no_stopping_point(curves, datasets):
    frame = curves(groups=("a", "b"), single=True)
    frame = frame.with_columns(stopped=pl.col("stopped") | (pl.col("session_id") == "b"))
    *_, points = datasets(single_sessions(frame))
    assert [row["session"] for row in points[1]] == ["a"]
