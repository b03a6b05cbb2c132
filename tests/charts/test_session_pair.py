"""Two sessions side by side."""

import re

import polars as pl
import pytest

from sessionkit.charts import save, session_pair, spec_of
from sessionkit.charts.kinds.session_pair import MOST_QUERIES
from sessionkit.errors import UsageError

SCHEMA = ["session_id", "query_position", "rank", "doc_id", "grade", "contribution", "clicked"]
ROWS = [
    ("b", 1, 1, "x", 3.0, 3.0, True),
    ("b", 1, 2, "y", 0.0, 0.0, False),
    ("b", 2, 1, "z", 1.5, 0.75, None),
    ("a", 1, 1, "x", None, 0.0, False),
    ("a", 1, 2, "w", 2.0, None, False),
    ("a", 1, 3, "v", 1.0, 0.5, False),
]
ASKED = pl.DataFrame(
    [("a", 1, "first"), ("a", 2, None), ("b", 1, "one"), ("b", 2, "two")],
    schema=["session_id", "query_position", "text"],
    orient="row",
)


def frame(rows=None):
    """Results of two sessions."""
    return pl.DataFrame(ROWS if rows is None else rows, schema=SCHEMA, orient="row")


def drawn(chart, kind, *columns):
    """What the marks of a kind show, session by session."""
    (drawn,) = spec_of(chart)["datasets"].values()
    rows = pl.DataFrame(drawn, infer_schema_length=None).filter(pl.col("kind") == kind)
    return rows.sort("side", "query_position", maintain_order=True).select(columns).rows()


def test_results_have_bars_shades_and_clicks_where_they_stand():
    chart = session_pair(frame())
    assert drawn(chart, "bar", "side", "query_position", "rank", "from", "to") == [
        (0, 1, 1, 0, 3),
        (0, 2, 1, 0, 0.75),
        (1, 1, 3, 0, 0.5),
    ]
    assert drawn(chart, "grade", "side", "query_position", "rank", "value") == [
        (0, 1, 1, 3),
        (0, 1, 2, 0),
        (0, 2, 1, 1.5),
        (1, 1, 3, 1),
    ]
    assert drawn(chart, "open", "side", "rank", "grade") == [
        (1, 1, "unjudged"),
        (1, 2, "2"),
    ]  # the second does not count
    assert drawn(chart, "click", "side", "query_position", "rank") == [(0, 1, 1)]


def test_sides_have_group_session_and_value_and_queries_what_they_add():
    chart = session_pair(frame(), ASKED, groups={"a": "S1", "b": "S2"}, measure="sDCG@3")
    heads = drawn(chart, "head", "side", "text")
    assert heads == [(0, "S1"), (1, "S2")]  # the session of the first query stands left
    texts = drawn(chart, "text", "side", "query_position", "text")
    assert [row for row in texts if row[1] == 0] == [
        (0, 0, "session a"),
        (0, 0, "sDCG@3: 0.500"),
        (1, 0, "session b"),
        (1, 0, "sDCG@3: 3.75"),
    ]
    assert [row for row in texts if row[1]] == [
        (0, 1, "Q1 first"),
        (0, 2, "Q2"),
        (0, 2, "no results"),
        (1, 1, "Q1 one"),
        (1, 2, "Q2 two"),
    ]
    assert drawn(chart, "sum", "side", "query_position", "text") == [
        (0, 1, "+0.500"),
        (1, 1, "+3.00"),
        (1, 2, "+0.750"),
    ]


def test_all_lists_are_on_one_scale_and_rank():
    spec = spec_of(session_pair(frame()))
    assert spec["facet"].keys() == {"row", "column"}
    assert "resolve" not in spec
    assert {layer["encoding"]["y"]["scale"]["domain"][1] for layer in spec["spec"]["layer"]} == {1.8 * 3}


def test_values_below_nothing_hang_down():
    rows = [("a", 1, 1, "x", -1.0, -2.0, False), ("b", 1, 1, "x", 1.0, 2.0, False)]
    chart = session_pair(frame(rows))
    assert drawn(chart, "bar", "side", "from", "to") == [(0, 0, -2), (1, 0, 2)]
    (top,) = {row for (row,) in drawn(chart, "grade", "from")}
    assert top < -2


def test_what_further_queries_add_is_not_lost():
    rows = [("a", query, 1, "x", 1.0, 1.0, False) for query in range(1, MOST_QUERIES + 4)]
    chart = session_pair(frame([*rows, ROWS[0]]))
    at = MOST_QUERIES + 1
    assert (0, at, "3 more queries") in drawn(chart, "text", "side", "query_position", "text")
    assert (0, at, "+3.00") in drawn(chart, "sum", "side", "query_position", "text")
    assert (0, 0, "Value: 15.0") in drawn(chart, "text", "side", "query_position", "text")


def test_clicks_need_not_be_known():
    chart = session_pair(frame().drop("clicked"))
    assert not drawn(chart, "click", "rank")
    assert "triangle" not in str(spec_of(chart))
    assert "triangle" in str(spec_of(session_pair(frame())))


@pytest.mark.parametrize(
    ("text", "letter"),
    [("anticoagulant treatment of the elderly", 0.47), ("x" * 50, 0.5), ("W" * 50, 0.95), ("\u6f22" * 50, 1.0)],
)
def test_no_two_texts_of_a_line_meet_in_a_column_of_a_paper(tmp_path, text, letter):
    asked = ASKED.with_columns(text=pl.lit(text))
    path = save(session_pair(frame(), asked), tmp_path / "a.svg", width="84mm", style="paper")
    svg = path.read_text("utf-8")
    sizes = {float(size) for size in re.findall(r'font-size="([0-9.]+)px"', svg)}
    assert min(sizes) >= 7
    names = re.findall(
        r'text-anchor="start" transform="translate\(([0-9.]+),[^>]*?font-size="([0-9.]+)px"[^>]*>(Q\d [^<]+)<', svg
    )
    sums = re.findall(
        r'text-anchor="end" transform="translate\(([0-9.]+),[^>]*?font-size="([0-9.]+)px"[^>]*>(\+[^<]+)<', svg
    )
    assert len(names) == 4
    assert len(sums) == 3
    right = {round(float(at)): float(at) - 0.56 * float(size) * len(text) for at, size, text in sums}
    for at, size, name in names:  # `letter` is the share of its size that a letter of this text takes
        end = float(at) + float(size) * (3 * 0.5 + letter * (len(name) - 3))
        assert end < min(edge for edge in right.values() if edge > float(at))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS[:2], "draws two sessions, not 1; filter"),
        ([*ROWS, ("c", 1, 1, "x", 1.0, 1.0, None)], "draws two sessions, not 3"),
        (
            [*ROWS[:3], ("a", 1, 1, "x", None, None, None)],
            "Value has no value for session 'a', since nothing is judged",
        ),
    ],
)
def test_anything_but_two_sessions_with_values_is_refused(rows, said):
    with pytest.raises(UsageError, match=said):
        session_pair(frame(rows))


def luminance(color, dark):
    """The luminance of a color on the page, or on its dark one, where drawings are inverted by 0.91."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    parts = [0.91 - 0.82 * part if dark else part for part in parts]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True])
def test_cells_of_the_lowest_grade_have_an_outline_that_is_seen(dark):
    layers = spec_of(session_pair(frame(), ASKED))["spec"]["layer"]
    (cells,) = [layer for layer in layers if "fill" in layer["encoding"]]
    ends = sorted((luminance(cells["mark"]["stroke"], dark), luminance("#FFFFFF", dark)))
    assert (ends[1] + 0.05) / (ends[0] + 0.05) >= 3
    assert cells["mark"]["strokeWidth"] > 0
