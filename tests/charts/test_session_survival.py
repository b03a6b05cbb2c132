"""How many sessions go on to each query."""

import re

import polars as pl
import pytest

from sessionkit.charts import data, save, session_survival, spec_of
from sessionkit.errors import UsageError
from tests.support.messages import messages_with


def frame(groups=(("S1", 10), ("S2", 8)), queries=3):
    """Of the sessions of each group two fewer at every query."""
    rows = [(g, q, max(0, n - 2 * (q - 1)), n) for g, n in groups for q in range(1, queries + 1)]
    known = pl.DataFrame(rows, schema=["system_id", "query_position", "sessions", "of"], orient="row")
    share = pl.when(pl.col("of") > 0).then(pl.col("sessions") / pl.col("of"))
    return known.with_columns(value=share, low=share - 0.1, high=share + 0.1)


def test_a_group_without_a_query_is_left_out_and_named():
    spec = spec_of(session_survival(frame((("S1", 10), ("S2", 0))), subtitle="Clinic"))
    assert {row["group"] for rows in spec["datasets"].values() for row in rows if "group" in row} == {"S1"}
    text = str(spec["title"])
    assert messages_with([text], "Clinic; Not drawn", "logged query: S2")
    assert "Faded" not in text  # ten sessions are not few
    with pytest.raises(UsageError, match="no session has a logged query"):
        session_survival(frame((("S1", 0),)).with_columns(value=pl.lit(0.0)))


@pytest.mark.parametrize(("sessions", "beside"), [(10, 14), (120, 14), (3_000, 20), (250_000, 26)])
def test_the_name_of_a_group_ends_before_the_number_in_the_middle_of_the_axis(sessions, beside):
    spec = spec_of(session_survival(frame((("sys1", sessions),))))
    (name,) = (layer["mark"] for layer in spec["layer"] if layer["mark"].get("align") == "right")
    assert name["dx"] == -beside


@pytest.mark.parametrize("queries", [3, 7, 60])
def test_numbers_stand_below_the_ticks_of_the_axis(queries):
    spec = spec_of(session_survival(frame(queries=queries)))
    axis = next(layer["encoding"]["x"]["axis"] for layer in spec["layer"] if layer["mark"]["type"] == "line")
    counted = [rows for rows in spec["datasets"].values() if "text" in rows[0] and "sessions" in rows[0]]
    assert len(counted) == 2
    assert all([row["query_position"] for row in rows] == axis["values"] for rows in counted)


def rows_of(spec, mark):
    """The rows behind the layer of this mark, by group."""
    (layer,) = (layer for layer in spec["layer"] if layer["mark"]["type"] == mark)
    rows = spec["datasets"][layer["data"]["name"]]
    return {group: [row for row in rows if row["group"] == group] for group in ("S1", "S2")}


def test_the_first_query_that_every_session_has_has_no_interval():
    """S1 has all its 10 sessions at query 1; of S2 one of 8 logged none, so that its share is no certainty."""
    survival = frame(queries=4).with_columns(
        value=pl.when(pl.col("query_position") == 1, pl.col("system_id") == "S2").then(0.875).otherwise("value")
    )
    intervals = rows_of(spec_of(session_survival(survival)), "rule")
    assert [row["query_position"] for row in intervals["S1"]] == [2, 3, 4]
    assert [row["query_position"] for row in intervals["S2"]] == [1, 2, 3, 4]
    assert [(row["low"], row["high"]) for row in intervals["S1"]] == [
        (pytest.approx(n / 10 - 0.1), pytest.approx(n / 10 + 0.1)) for n in (8, 6, 4)
    ]


def test_points_and_intervals_of_two_groups_stand_beside_each_other_on_their_steps():
    chart = session_survival(frame(queries=4))
    spec = spec_of(chart)
    assert "beside" not in data(chart)[0].columns  # a place in the drawing, no finding
    points, lines = rows_of(spec, "point"), rows_of(spec, "line")
    first, second = ([row["beside"] for row in points[group]] for group in ("S1", "S2"))
    assert first == pytest.approx([0.8667, 1.8667, 2.8667, 3.8667], abs=1e-4)  # 0.8 of a step in 3 parts: 0.267 apart
    assert second == pytest.approx([1.1333, 2.1333, 3.1333, 4.1333], abs=1e-4)
    assert [(row["query_position"], row["value"]) for row in lines["S2"]] == [
        (0.5, 1), (1, 1), (2, 0.75), (3, 0.5), (4, 0.25), (4.5, 0.25),
    ]  # fmt: skip


def test_sessions_of_one_query_have_no_interval():
    layers = spec_of(session_survival(frame(queries=1)))["layer"]
    assert "high" not in {layer["encoding"].get("y2", {}).get("field") for layer in layers}
    assert {"line", "point"} <= {layer["mark"]["type"] for layer in layers}


def test_a_group_of_fewer_than_ten_sessions_is_faded_and_many_groups_are_counted_in_a_line(tmp_path):
    chart = session_survival(frame((("S1", 10), ("S2", 8)), queries=2), title="T")
    assert chart.to_dict()["title"]["subtitle"] == "Faded: fewer than 10 sessions"
    drawing = save(chart, tmp_path / "survival.svg").read_text()
    points = re.findall(r'<path aria-label="[^"]*System: (S[12])[^"]*"[^>]*point[^>]*', drawing)
    opacities = dict(re.findall(r'<path aria-label="[^"]*System: (S[12])[^>]*?opacity="([0-9.]+)"', drawing))
    assert sorted(points) == ["S1", "S1", "S2", "S2"]
    assert opacities == {"S1": "1", "S2": "0.35"}
    many = session_survival(frame(tuple((f"S{n}", 10 + n) for n in range(5))), title="T").to_dict()
    assert many["title"]["subtitle"] == "10 to 14 sessions per system"
