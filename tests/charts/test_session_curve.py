"""Figure 2, and the ends of queries that it shares with the others."""

from itertools import pairwise

import polars as pl
import pytest

from sessionkit.charts import colors_of, session_curve, spec_of
from sessionkit.charts.theme import CONTEXT
from tests.support.messages import messages_with


def test_curve_is_drawn_with_the_ends_of_queries(curves, datasets):
    frame = curves(queries=3, cutoff=10)
    rules, labels, lines, points, names = datasets(session_curve(frame))
    assert rules == ("rule", [{"slot": 10}, {"slot": 20}])
    assert labels == (
        "text",
        [{"label": "Q1", "slot": 5.0}, {"label": "Q2", "slot": 15.0}, {"label": "Q3", "slot": 25.0}],
    )
    assert [row["value"] for row in lines[1]] == frame.get_column("value").to_list()
    assert [row["slot"] for row in points[1]] == [10, 20, 30, 10, 20, 30]
    assert [(row["label"], row["slot"]) for row in names[1]] == [("S2", 30), ("S1", 30)]


def test_axis_names_the_cutoff_and_what_the_values_are(curves):
    encoding = session_curve(curves(cutoff=5), measure="nsDCG@5").to_dict()["layer"][2]["encoding"]
    assert messages_with([encoding["x"]["axis"]["title"]], "Slot", "Top-5 lists")
    assert encoding["x"]["axis"]["values"] == [5, 10, 15]
    assert encoding["y"]["axis"]["title"] == ["Mean normalized cumulated gain", "nsDCG@5"]
    plain = session_curve(curves(), normalized=False).to_dict()["layer"][2]["encoding"]
    assert plain["y"]["axis"]["title"] == "Mean cumulated gain"


def test_many_queries_are_labeled_with_room_between(curves, datasets):
    rules, labels, _, points, *_ = datasets(session_curve(curves(queries=50)))
    assert [row["label"] for row in labels[1]] == [f"Q{number}" for number in range(1, 51, 10)]
    assert [row["slot"] for row in rules[1]] == list(range(10, 500, 100))
    assert [row["slot"] for row in points[1] if row["group"] == "S1"] == [*range(10, 500, 100), 500]


def test_long_measures_are_folded_and_lose_nothing(curves):
    measure = "nsDCG(gain=exp2,discount=shifted,query_discount=shifted,ideal=spread)@10"
    lines = session_curve(curves(), measure=measure).to_dict()["layer"][2]["encoding"]["y"]["axis"]["title"]
    assert lines[1:] == ["nsDCG(gain=exp2,discount=shifted,", "query_discount=shifted,ideal=spread)@10"]


def test_lists_that_differ_between_sessions_have_no_common_boundaries(curves, datasets):
    unknown = pl.lit(None, pl.Int32)
    frame = curves().with_columns(query_position=unknown, rank=unknown)
    marks = [mark for mark, _ in datasets(session_curve(frame))]
    assert marks == ["line", "point", "text"]
    title = session_curve(frame).to_dict()["layer"][0]["encoding"]["x"]["axis"]["title"]
    assert title == "Slot in the concatenated lists"


def test_one_query_needs_no_boundaries(curves, datasets):
    assert [mark for mark, _ in datasets(session_curve(curves(queries=1)))] == [
        "line", "point", "text",
    ]  # fmt: skip


def banded(groups=("S1", "S2"), queries=3):
    """Curves of 10, 20, ... with a band of 1 around each, and 9, 6, 3 sessions of each group still searching."""
    rows = [
        (
            group,
            slot,
            (slot - 1) // 2 + 1,
            (slot - 1) % 2 + 1,
            10.0 * slot,
            10.0 * slot - 1,
            10.0 * slot + 1,
            9,
            9 - 3 * ((slot - 1) // 2),
        )
        for group in groups
        for slot in range(1, 2 * queries + 1)
    ]
    names = ["system_id", "slot", "query_position", "rank", "value", "low", "high", "n", "searching"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(units=pl.lit(9), ideal=1.0)


def test_bands_and_sessions_still_searching_are_drawn_when_they_are_known():
    spec = spec_of(session_curve(banded()))
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks.count("area") == 1
    texts = [
        [row["text"] for row in spec["datasets"][layer["data"]["name"]]]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text" and layer["encoding"]["text"]["field"] == "text"
    ]
    assert texts == [["Sessions still searching"], ["9", "6", "3"], ["S1"], ["9", "6", "3"], ["S2"]]


def test_numbers_stand_below_the_ticks_of_the_axis():
    for queries in (3, 9, 40):
        spec = spec_of(session_curve(banded(queries=queries)))
        ticks = next(layer["encoding"]["x"]["axis"] for layer in spec["layer"] if layer["mark"]["type"] == "line")
        counted = [rows for rows in spec["datasets"].values() if "sessions" in rows[0]]
        assert counted
        assert all([row["slot"] for row in rows] == ticks["values"] for rows in counted)


def test_numbers_say_that_they_count_sessions_without_a_value_too():
    fewer = spec_of(session_curve(banded().with_columns(n=pl.lit(7))))
    texts = [rows[0].get("text") for rows in fewer["datasets"].values()]
    assert messages_with(texts, "Sessions still searching", "without a value")


def test_query_labels_of_short_lists_have_room_on_a_telephone():
    lengths = [1, 1, 2, 30, 30, 30]
    rows = [
        (f"S{one}", query, rank)
        for one in (1, 2)
        for query, most in enumerate(lengths, 1)
        for rank in range(1, most + 1)
    ]
    frame = pl.DataFrame(rows, schema=["system_id", "query_position", "rank"], orient="row")
    frame = frame.with_columns(slot=pl.int_range(1, pl.len() + 1).over("system_id"), value=pl.lit(0.5), n=pl.lit(3))
    spec = spec_of(session_curve(frame))
    labels = next(rows for rows in spec["datasets"].values() if str(rows[0].get("label")).startswith("Q"))
    places = [row["slot"] for row in labels]
    assert len(places) > 1
    assert min(after - before for before, after in pairwise(places)) >= 0.08 * sum(lengths)


def test_of_many_groups_only_the_highest_and_the_lowest_stand_out(curves):
    names = [f"S{number}" for number in range(1, 21)]
    spec = spec_of(session_curve(curves(names)))
    line = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "line")
    scale = line["encoding"]["color"]["scale"]
    colors = dict(zip(scale["domain"], scale["range"], strict=True))
    assert {name for name, shade in colors.items() if shade != CONTEXT} == {"S1", "S20"}
    assert line["encoding"]["color"]["legend"] is None
    assert [row["group"] for row in spec["datasets"][line["data"]["name"]]][-1] in ("S1", "S20")  # in front
    assert [row["label"] for row in spec["datasets"][spec["layer"][-1]["data"]["name"]]] == ["S20", "S1"]
    assert abs(lightness(colors["S1"]) - lightness(CONTEXT)) > 0.2
    assert abs(lightness(colors["S20"]) - lightness(CONTEXT)) > 0.2
    mine = spec_of(session_curve(curves(names), colors=colors_of(names)))
    line = next(layer for layer in mine["layer"] if layer["mark"]["type"] == "line")
    assert CONTEXT not in line["encoding"]["color"]["scale"]["range"]


def lightness(color):
    """How light a color is printed in gray, from 0 to 1."""
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_of_many_groups_all_that_still_search_are_counted_together():
    spec = spec_of(session_curve(banded(groups="ABCDE")))
    texts = [rows[0]["text"] for rows in spec["datasets"].values() if "text" in rows[0]]
    assert texts == ["Sessions still searching", "45", "all"]


def test_an_undefined_value_is_a_gap():
    frame = banded().with_columns(value=pl.when(pl.col("slot") != 3).then("value"))
    spec = spec_of(session_curve(frame))
    (line,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    drawn = {row["slot"]: row["value"] for row in spec["datasets"][line["data"]["name"]] if row["group"] == "S1"}
    assert (drawn[3], drawn[4]) == (None, 40.0)


def test_a_group_of_one_session_has_no_mean_unless_there_is_no_other(curves, datasets):
    frame = curves().with_columns(n=pl.when(pl.col("system_id") == "S1").then(1).otherwise(2))
    line = dict(datasets(session_curve(frame)))["line"]
    assert {row["group"] for row in line if row["value"] is not None} == {"S2"}
    alone = spec_of(session_curve(curves(groups=("S1",)).with_columns(n=pl.lit(1, pl.Int64))))
    (drawn,) = [layer for layer in alone["layer"] if layer["mark"]["type"] == "line"]
    assert drawn["encoding"]["y"]["axis"]["title"] == "Normalized cumulated gain"
    assert {row["value"] for row in alone["datasets"][drawn["data"]["name"]]} == {float(slot) for slot in range(1, 31)}


def test_bands_that_overlap_are_told_apart_by_their_edges():
    (area,) = [layer for layer in spec_of(session_curve(banded()))["layer"] if layer["mark"]["type"] == "area"]
    assert area["mark"]["fillOpacity"] < area["mark"]["strokeOpacity"] < 1
    assert area["encoding"]["stroke"]["scale"] == area["encoding"]["color"]["scale"]
    assert (area["encoding"]["y"]["field"], area["encoding"]["y2"]["field"]) == ("low", "high")


@pytest.mark.parametrize(("queries", "told"), [(3, False), (40, True)])
def test_the_axis_says_where_not_every_query_is_labeled(curves, queries, told):
    spec = spec_of(session_curve(curves(queries=queries)))
    (title,) = {
        str(layer["encoding"]["x"]["axis"]["title"]) for layer in spec["layer"] if layer["mark"]["type"] == "line"
    }
    assert (f"{queries} queries, some of them labeled" in title) == told


def test_ideals_of_gain_reach_from_the_lowest_to_the_highest_group(curves, datasets):
    frame = curves(queries=2).with_columns(
        ideal=pl.col("slot") * 2.0 + pl.when(system_id="S2").then(1.0).otherwise(0.0)
    )
    drawn = datasets(session_curve(frame, normalized=False))
    (area,) = [rows for mark, rows in drawn if mark == "area"]
    by_slot = {}
    for slot, ideal in frame.select("slot", "ideal").rows():
        by_slot.setdefault(slot, []).append(ideal)
    assert [(row["slot"], row["lowest"], row["highest"]) for row in area] == [
        (slot, min(ideals), max(ideals)) for slot, ideals in sorted(by_slot.items())
    ]
    assert [row["label"] for mark, rows in drawn if mark == "text" for row in rows].count("Ideal") == 1
    # one ideal of all groups is one line, and shares have no ideal
    same = datasets(session_curve(frame.with_columns(ideal=pl.col("slot") * 2.0), normalized=False))
    assert [mark for mark, _ in same].count("area") == 0
    assert "Ideal" not in str(datasets(session_curve(frame)))
