"""The wall of sessions: every session once over all sheets, topics together, headings that say n, median and undefined."""

import numpy as np
import polars as pl
import pytest

from sessionkit import charts
from sessionkit.charts.kinds.session_wall import MOST, place_sessions, wall_sessions
from sessionkit.errors import UsageError
from tests.support.messages import match_parts


def frame(sizes, **columns):
    """Sessions of topics and groups: ``sizes`` maps each pair to a number of sessions; the third of each has no value."""
    rows = [
        (f"{topic}-{group}-{n}", topic, group, None if n == 2 else n / 10, n / 2)
        for (topic, group), number in sizes.items()
        for n in range(number)
    ]
    names = {
        "session_id": pl.String,
        "topic_id": pl.String,
        "group": pl.String,
        "value": pl.Float64,
        "judged": pl.Float64,
    }
    table = pl.DataFrame(rows, schema=names, orient="row")
    none = pl.lit(None, pl.Float64)
    return table.with_columns(lower="value", upper="value", queries=pl.lit(1), slots=pl.lit(10), ideal=none, **columns)


def test_every_session_stands_once_and_a_topic_on_one_sheet_where_it_fits():
    sizes = {(f"t{n}", group): 45 for n in range(8) for group in ("S1", "S2")}
    placed = place_sessions(wall_sessions(frame(sizes))).sessions
    assert placed["session_id"].is_unique().all()
    assert len(placed) == 8 * 90
    assert placed.group_by("sheet").len()["len"].max() <= MOST
    assert placed.group_by("topic_id").agg(pl.col("sheet").n_unique())["sheet"].to_list() == [1] * 8
    assert placed.select("sheet", "x", "y").is_unique().all()


def test_a_topic_that_no_sheet_holds_goes_on_with_its_headings():
    placement = place_sessions(wall_sessions(frame({("t", "S1"): 150, ("t", "S2"): 150})))
    assert placement.sessions["sheet"].unique().sort().to_list() == [1, 2]
    assert placement.headings.filter("is_topic")["sheet"].to_list() == [1, 2]


def test_a_sheet_is_no_higher_than_asked():
    placement = place_sessions(wall_sessions(frame({("t", "S1"): 60})), width=477, most_height=300)
    assert max(placement.heights) <= 300
    assert placement.sessions["y"].max() + placement.grid.height <= 300


def test_headings_say_what_numpy_says():
    sessions = frame({("t", "S1"): 6})
    values = [value for value in sessions["value"] if value is not None]
    (text,) = place_sessions(wall_sessions(sessions)).headings.filter(~pl.col("is_topic"))["text"]
    assert text == f"S1: n = {len(values)}, median {np.median(values):.3f}, 1 undefined"


def test_pairs_stand_at_one_place_in_every_group():
    sessions = frame({("t", "S1"): 5, ("t", "S2"): 5}).with_columns(user_id=pl.Series([*"abcde", *"edcbx"]))
    placed = place_sessions(wall_sessions(sessions, "user_id"), aligned="user_id").sessions
    both = placed.filter(pl.col("user_id").is_in([*"bcde"]))
    assert both.group_by("user_id").agg(pl.col("nth").n_unique())["nth"].to_list() == [1] * 4
    assert placed.filter(pl.col("user_id") == "a")["nth"].item() not in placed.filter(group="S2")["nth"].to_list()


def test_pairs_stand_in_the_order_of_the_rows():
    sessions = frame({("t", "S1"): 3}).with_columns(user_id=pl.Series(["P1", "P2", "P10"]))
    placed = place_sessions(wall_sessions(sessions, "user_id"), aligned="user_id").sessions
    assert placed["nth"].to_list() == [0, 1, 2]


def test_a_wall_has_no_more_sheets_than_it_has():
    sessions = frame({("t", "S1"): 2})
    curves = sessions.select("session_id", slot=pl.lit(1), gain=pl.lit(1.0), ideal=pl.lit(2.0))
    with pytest.raises(UsageError, match=match_parts("no sheet 2", "1 sheet")):
        charts.session_wall(sessions, curves, sheet=2)


def test_many_groups_of_few_sessions_share_a_cell_and_panels_name_them(datasets):
    sessions = frame({(topic, f"E{number}"): 1 for topic in "tu" for number in range(1, 11)})
    placement = place_sessions(wall_sessions(sessions))
    assert placement.sessions.group_by("topic_id").agg(pl.col("y").n_unique())["y"].to_list() == [
        2,
        2,
    ]  # 8 and 2 panels
    texts = placement.headings.filter(~pl.col("is_topic"))["text"].to_list()
    assert texts == ["n = 10, median 0, 0 undefined"] * 2
    curves = sessions.select("session_id", slot=pl.lit(1), gain=pl.lit(0.5), ideal=pl.lit(1.0))
    names = [
        row["name"] for _, rows in datasets(charts.session_wall(sessions, curves)) for row in rows if "name" in row
    ]
    assert {"E1: t-E1-0", "E10: u-E10-0"} <= {*names}
    # six groups have a cell each, also where these have one session
    few = place_sessions(wall_sessions(frame({("t", f"E{number}"): 1 for number in range(6)})))
    assert few.sessions["cell"].n_unique() == 6
