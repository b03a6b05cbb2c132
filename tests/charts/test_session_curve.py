"""Figure 2, and the ends of queries that it shares with the others."""

import polars as pl

from sessionkit.charts import session_curve


def test_curve_is_drawn_with_the_ends_of_queries(curves, datasets):
    frame = curves(queries=3, cutoff=10)
    rules, labels, lines, points = datasets(session_curve(frame))
    assert rules == ("rule", [{"slot": 10}, {"slot": 20}])
    assert labels == (
        "text",
        [{"label": "Q1", "slot": 5.0}, {"label": "Q2", "slot": 15.0}, {"label": "Q3", "slot": 25.0}],
    )
    assert [row["value"] for row in lines[1]] == frame.get_column("value").to_list()
    assert [row["slot"] for row in points[1]] == [10, 20, 30, 10, 20, 30]


def test_axis_names_the_cutoff_and_what_the_values_are(curves):
    encoding = session_curve(curves(cutoff=5), measure="nsDCG@5").to_dict()["layer"][2]["encoding"]
    assert encoding["x"]["axis"]["title"] == "Slot in the concatenated Top-5 lists"
    assert encoding["x"]["axis"]["values"] == [5, 10, 15]
    assert encoding["y"]["axis"]["title"] == ["Mean normalized cumulated gain", "nsDCG@5"]
    plain = session_curve(curves(), normalized=False).to_dict()["layer"][2]["encoding"]
    assert plain["y"]["axis"]["title"] == "Mean cumulated gain"


def test_many_queries_are_labeled_with_room_between(curves, datasets):
    rules, labels, _, points = datasets(session_curve(curves(queries=50)))
    assert [row["label"] for row in labels[1]] == [f"Q{number}" for number in range(1, 51, 5)]
    assert [row["slot"] for row in rules[1]] == list(range(10, 500, 50))
    assert [row["slot"] for row in points[1] if row["group"] == "S1"] == [*range(10, 500, 50), 500]


def test_long_measures_are_folded_and_lose_nothing(curves):
    measure = "nsDCG(gain=exp2,discount=shifted,query_discount=shifted,ideal=spread)@10"
    lines = session_curve(curves(), measure=measure).to_dict()["layer"][2]["encoding"]["y"]["axis"]["title"]
    assert lines[1:] == ["nsDCG(gain=exp2,discount=shifted,", "query_discount=shifted,ideal=spread)@10"]


def test_lists_that_differ_between_sessions_have_no_common_boundaries(curves, datasets):
    unknown = pl.lit(None, pl.Int32)
    frame = curves().with_columns(query_position=unknown, rank=unknown)
    marks = [mark for mark, _ in datasets(session_curve(frame))]
    assert marks == ["line", "point"]
    title = session_curve(frame).to_dict()["layer"][0]["encoding"]["x"]["axis"]["title"]
    assert title == "Slot in the concatenated lists"


def test_one_query_needs_no_boundaries(curves, datasets):
    assert [mark for mark, _ in datasets(session_curve(curves(queries=1)))] == ["line", "point"]
