"""What came after each query."""

import re

import polars as pl
import pytest

from sessionkit.charts import reformulation_flow, save, spec_of
from sessionkit.errors import UsageError
from tests.support.messages import messages_with


def found(*rows):
    """Steps: group, position, next, n."""
    return pl.DataFrame(rows, schema=["group", "position", "next", "n"], orient="row")


def test_shares_of_a_position_are_stacked_in_the_order_of_the_legend():
    frame = found(("A", 1, "stopped", 1), ("A", 1, "new", 1), ("A", 1, "specialization", 2), ("A", 2, "stopped", 3))
    spec = spec_of(reformulation_flow(frame))
    (rows,) = spec["datasets"].values()
    assert [(row["position"], row["kind"], row["from"], row["to"]) for row in rows] == [
        (1, "Specialization", 0, 0.5),
        (1, "New", 0.5, 0.75),
        (1, "Session ended", 0.75, 1),
        (2, "Session ended", 0, 1),
    ]
    assert [row["whole"] for row in rows] == [4, 4, 4, 3]
    scale = spec["spec"]["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["Specialization", "New", "Session ended"]


def test_bars_of_fewer_than_ten_sessions_are_faded(tmp_path):
    steps = [("S1", 1, "specialization", 4), ("S1", 1, "stopped", 6), ("S1", 2, "stopped", 4)]
    frame = pl.DataFrame(steps, schema=["group", "position", "next", "n"], orient="row")
    chart = reformulation_flow(frame, title="T")
    shares, faded = chart.to_dict()["title"]["subtitle"]
    assert messages_with([shares], "sessions that reached the query", "number is above")
    assert faded == "Faded: fewer than 10 sessions"
    drawing = save(chart, tmp_path / "flow.svg").read_text()
    bars = re.findall(
        r'aria-label="[^"]*After query: ([0-9]+)[^>]*?aria-roledescription="bar"[^>]*?opacity="([0-9.]+)"', drawing
    )
    assert sorted(bars) == [("1", "1"), ("1", "1"), ("2", "0.35")]
    assert "Faded" not in str(reformulation_flow(frame.head(2), title="T").to_dict()["title"])


def test_later_positions_and_too_many_groups_are_not_drawn():
    spec = spec_of(reformulation_flow(found(*(("A", position, "stopped", 1) for position in range(1, 30)))))
    assert [row["position"] for row in next(iter(spec["datasets"].values()))] == list(range(1, 11))
    with pytest.raises(UsageError, match="shows 8 groups, not 9"):
        reformulation_flow(found(*((str(number), 1, "stopped", 1) for number in range(9))))


@pytest.mark.parametrize(("positions", "columns"), [(5, 3), (7, 3), (10, 1)], ids=["short", "medium", "long"])
def test_long_panels_of_three_groups_stand_below_each_other(positions, columns):
    rows = [(group, position, "stopped", 1) for group in "ABC" for position in range(1, positions + 1)]
    assert spec_of(reformulation_flow(found(*rows)))["columns"] == columns
