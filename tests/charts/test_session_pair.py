"""Two sessions side by side."""

import re

import polars as pl
import pytest

from sessionkit.charts import data, save, session_pair, spec_of
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
    """What the marks of a kind show, before those that explain the marks."""
    (rows,) = spec_of(chart)["datasets"].values()
    found = [tuple(row.get(name) for name in columns) for row in rows if row["kind"] == kind]
    return found[:-1] if kind in ("bar", "grade", "open", "click") else found


def test_results_have_bars_shades_and_clicks():
    chart = session_pair(frame())
    bars = drawn(chart, "bar", "query_position", "rank", "added", "y", "y2")
    assert [row[:3] for row in bars] == [(1, 1, 3), (2, 1, 0.75), (1, 3, 0.5)]
    heights = [low - high for *_, low, high in bars]
    assert heights == pytest.approx([heights[0], heights[0] / 4, heights[0] / 6], abs=0.02)  # one scale
    assert drawn(chart, "grade", "query_position", "rank", "value") == [(1, 1, 3), (1, 2, 0), (2, 1, 1.5), (1, 3, 1)]
    assert drawn(chart, "open", "rank", "grade") == [(1, "unjudged"), (2, "2")]  # the second does not count
    assert drawn(chart, "click", "query_position", "rank") == [(1, 1)]
    (left, _), (right, _) = {x: 0 for (x,) in drawn(chart, "bar", "x")}.items()
    assert left < 320 < right


def test_sides_have_group_session_and_value_and_queries_what_they_add():
    chart = session_pair(frame(), ASKED, groups={"a": "S1", "b": "S2"}, measure="sDCG@3")
    assert [text for (text,) in drawn(chart, "head", "text")] == ["S1", "S2"]  # the session of the first query is left
    texts = [text for (text,) in drawn(chart, "text", "text")]
    assert [text for text in texts if "session" in text] == ["session a", "session b"]
    assert [text for text in texts if "sDCG" in text] == ["sDCG@3: 0.500", "sDCG@3: 3.75"]
    assert [text for text in texts if text.endswith("judged")] == ["2 of 3 results judged", "3 of 3 results judged"]
    assert [text for (text,) in drawn(chart, "sum", "text")] == ["+0.500", "+3.00", "+0.750"]
    assert "no results" in [text for (text,) in drawn(chart, "faint", "text")]
    assert [text for (text,) in drawn(chart, "added", "text")] == ["two", "bold"]


def test_values_below_nothing_hang_down():
    rows = [("a", 1, 1, "x", -1.0, -2.0, False), ("b", 1, 1, "x", 1.0, 2.0, False)]
    (down, up) = drawn(session_pair(frame(rows)), "bar", "y", "y2")
    assert down[1] - down[0] == pytest.approx(up[0] - up[1], abs=0.02)
    assert down[1] > down[0]


def test_what_further_queries_add_is_not_lost():
    rows = [("a", query, 1, "x", 1.0, float(query), False) for query in range(1, 41)]
    chart = session_pair(frame([*rows, ROWS[0]]))
    sums = [float(text) for (text,) in drawn(chart, "sum", "text")]
    (more,) = [text for (text,) in drawn(chart, "faint", "text") if "more quer" in text]
    assert sum(sums[:-1]) + float(more.partition("+")[2]) == 820
    assert sums[0] > 1  # those that add least are left out
    assert "Value: 820" in [text for (text,) in drawn(chart, "text", "text")]
    assert sum(table["contribution"].sum() for table in data(chart)) == 823


def test_clicks_need_not_be_logged():
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
    starts = re.findall(
        r'text-anchor="start" transform="translate\(([0-9.]+),[^>]*?font-size="([0-9.]+)px"[^>]*>([^<]+)<', svg
    )
    texts = [(float(at), float(size), name) for at, size, name in starts if name[0] == text[0]]
    assert len(texts) >= 4
    half = 84 / 25.4 * 72 / 2
    for at, size, name in texts:  # `letter` is the share of its size that a letter of this text takes
        assert at + size * letter * len(name) < (half if at < half else 2 * half)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS[:2], "draws two sessions, not 1; filter"),
        ([*ROWS, ("c", 1, 1, "x", 1.0, 1.0, None)], "draws two sessions, not 3"),
        (
            [*ROWS[:3], ("a", 1, 1, "x", None, None, None)],
            "Value.*session 'a'.*nothing is judged",
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
def test_chips_of_the_lowest_grade_have_an_outline_that_is_seen(dark):
    layers = spec_of(session_pair(frame(), ASKED))["layer"]
    (chips,) = [layer for layer in layers if "fill" in layer["encoding"]]
    ends = sorted((luminance(chips["mark"]["stroke"], dark), luminance("#FFFFFF", dark)))
    assert (ends[1] + 0.05) / (ends[0] + 0.05) >= 3
    assert chips["mark"]["strokeWidth"] > 0
