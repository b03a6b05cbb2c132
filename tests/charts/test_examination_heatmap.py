"""The examination-heatmap chart: its cells and their numbers, gaps, limits, what it refuses."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import data, examination_heatmap, spec_of
from sessionkit.errors import UsageError
from sessionkit.reports.single_figures import single_figure
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts, messages_with

FOUND = pl.DataFrame(
    [(1, 1, 400, 400, 1.0), (1, 2, 200, 400, 0.5), (1, 3, 1, 300, 0.004), (1, 4, 0, 300, 0.0),
     (2, 1, 2, 2, 1.0), (2, 2, 0, 1, 0.5), (2, 3, 0, 0, None), (3, 1, 1, 1, 1.0)],
    schema=["query_position", "rank", "looks", "lists", "share"], orient="row",
)  # fmt: skip


def test_cells_have_their_percents_and_fewer_than_two_lists_are_a_gap(datasets):
    chart = examination_heatmap(FOUND, title="T")
    (mark, cells), (small, few), *words = datasets(chart)
    assert (mark, small) == ("rect", "rect")
    assert {(row["query_position"], row["rank"]): (row["label"], row["value"]) for row in cells} == {
        (1, 1): ("100", 1.0), (1, 2): ("50", 0.5), (1, 3): ("<1", 0.004), (1, 4): ("0", 0.0)
    }  # fmt: skip
    assert [(row["query_position"], row["rank"], row["number"]) for row in few] == [(2, 1, 2)]
    assert [(mark, {row["label"] for row in rows}) for mark, rows in words] == [
        ("text", {"<1", "0", "50"}), ("text", {"100"})  # dark on light, then white on dark; none on small cells
    ]  # fmt: skip
    spec = spec_of(chart)
    assert spec["title"]["subtitle"] == ["Numbers: percent", "Small cells: fewer than 10 lists"]
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    assert (scale["domain"][0], scale["domain"][-1]) == (0, 1)


def test_lists_of_a_query_are_counted_beside_it_and_ten_are_not_few(datasets):
    rows = [(1, 1, 12, 12, 1.0), (1, 2, 5, 10, 0.5), (1, 3, 2, 9, 0.3), (2, 1, 1, 1, 1.0), (3, 1, 1234, 1234, 1.0)]
    chart = examination_heatmap(pl.DataFrame(rows, schema=FOUND.columns, orient="row"))
    layers = spec_of(chart)["layer"]
    assert layers[0]["encoding"]["y"]["scale"]["domain"] == ["1 (12)", "2 (1)", "3 (1,234)"]
    assert layers[0]["encoding"]["y"]["axis"]["title"] == "Query of the session (lists)"
    (_, cells), (_, few), *_ = datasets(chart)
    assert [row["number"] for row in cells] == [12, 10, 1234]
    assert [row["number"] for row in few] == [9]  # many came, and most of their lists ended before
    (table,) = (frame for frame in data(chart) if "lists" in frame.columns)
    assert table["lists"].to_list() == [12, 10, 9, 1234]


def test_many_ranks_have_no_numbers_and_the_farthest_are_counted():
    rows = [(query, rank, 2, 4, 0.5) for query in range(1, 18) for rank in range(1, 26)]
    spec = spec_of(examination_heatmap(pl.DataFrame(rows, schema=FOUND.columns, orient="row"), title="T"))
    assert spec["title"]["subtitle"] == ["Small cells: fewer than 10 lists", "Drawn: 20 of 25 ranks, 15 of 17 queries"]
    ((drawn),) = spec["datasets"].values()
    assert len(drawn) == 20 * 15
    assert "text" not in str(spec["layer"][0]["mark"])


def test_what_cannot_be_drawn_is_refused():
    clicks = sk.calibrate(pl.DataFrame({"rank": [1, 2], "query": [1, 1], "count": [3, 4]}), "sDCG", draws=200)
    with pytest.raises(UsageError, match=match_parts("counts are of clicks", "how many lists")):
        examination_heatmap(clicks)
    with pytest.raises(UsageError, match=match_parts("no rank", "share of at least 2 lists")):
        examination_heatmap(FOUND.tail(3))
    with pytest.raises(UsageError, match=r"draws what sessionkit\.calibrate returns"):
        examination_heatmap(sk.effort(read_clinic(), "sDCG@10", gain=5))
    with pytest.raises(UsageError, match="needs the column share"):
        examination_heatmap(FOUND.drop("share"))


@pytest.mark.slow
def test_the_figure_draws_what_calibrate_finds():
    clinic = read_clinic()
    made = single_figure(clinic, "examination-heatmap")
    cells, few = spec_of(made.chart)["datasets"].values()
    assert [cells, few] == [*spec_of(examination_heatmap(sk.calibrate(clinic, "sDCG", draws=200)))["datasets"].values()]
    assert {(row["query_position"], row["rank"]): row["n"] for row in cells}[
        1, 1
    ] == 118  # two first queries returned nothing
    assert messages_with([made.caption], "331 lists of 120 sessions", "down to the deepest result", "clicked")
    assert "Intervals" not in made.caption
