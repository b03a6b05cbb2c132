"""Differences with their intervals, in units of their measures."""

from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import spec_of
from sessionkit.charts.kinds.differences import MOST, differences
from sessionkit.charts.print_layout import NO_NUMBERS, print_layout
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic


def found(**columns):
    """A table as compare makes it."""
    rows = {
        "measure": ["sDCG@10", "nsDCG@10"],
        "a": ["S1", "S1"],
        "b": ["S2", "S2"],
        "estimate": [2.0, -0.1],
        "low": [0.5, None],
        "high": [3.5, 0.1],
        "p_adjusted": [0.01, 0.3],
    }
    return pl.DataFrame({**rows, **columns})


def rows_of(frame, **options):
    """The rows that a chart draws."""
    spec = spec_of(differences(frame, **options))
    return spec["datasets"][spec["data"]["name"]]


def test_measures_between_0_and_1_share_an_axis_and_others_have_their_own():
    frame = pl.concat([found(), found(measure=["last(nDCG@10)", "Queries"])])
    assert {row["row"]: row["scale"] for row in rows_of(frame)} == {
        "sDCG@10": "sDCG@10",
        "nsDCG@10": "0 to 1",
        "last(nDCG@10)": "0 to 1",
        "Queries": "Queries",
    }
    spec = spec_of(differences(found(), title="T", subtitle="S", synthetic=True))
    assert spec["title"] == {
        "text": "T",
        "subtitle": ["S", "Difference S2 \u2212 S1, higher is better; filled: p \u2264 0.05", "Synthetic data"],
    }
    assert "tick" not in str(spec_of(differences(found(measure=["P@5", "nsDCG@10"])))["datasets"])


def test_scales_have_0_at_one_place_and_axes_of_their_own():
    """sDCG@10 reaches to 3.5, so 2 is drawn at 2 / 3.5; nsDCG@10 reaches to -0.3, so -0.1 is drawn at -0.1 / 0.3."""
    frame = found(measure=["nsDCG@10", "sDCG@10"], estimate=[-0.1, 2.0], low=[None, 0.5], high=[0.1, 3.5])
    first, second = rows_of(frame)
    assert [first[f"{name}_place"] for name in ("low", "estimate", "high")] == pytest.approx([-1, -1 / 3, 1 / 3])
    assert [second[f"{name}_place"] for name in ("low", "estimate", "high")] == pytest.approx([1 / 7, 4 / 7, 1])
    assert (first["place"], second["place"]) == (0, 2)  # below each row stands its axis
    spec = spec_of(differences(frame))
    texts = next(layer for layer in spec["layer"] if layer["encoding"].get("text", {}).get("field") == "tick")
    marks = spec["datasets"][texts["data"]["name"]]
    assert {mark["place"] for mark in marks} == {1, 3}
    for place, unit in ((1, 0.3), (3, 3.5)):
        drawn = [mark for mark in marks if mark["place"] == place]
        assert len(drawn) >= 3
        for mark in drawn:  # an axis names what is drawn there
            assert float(mark["tick"].replace("\u2212", "-")) == pytest.approx(mark["at"] * unit, abs=1e-9)
    assert [table["measure"].to_list() for table in sk.charts.data(differences(frame)) if len(table)] == [
        ["nsDCG@10", "sDCG@10"]
    ]


def test_points_are_filled_where_the_difference_is_shown():
    assert [row["shown"] for row in rows_of(found())] == ["yes", "no"]
    assert [row["shown"] for row in rows_of(found(), confidence=0.999)] == ["no", "no"]


def test_intervals_of_shares_are_cut_at_1_and_the_figure_says_so():
    shares = {
        "measure": ["Abandoned@10", "Queries"],
        "estimate": [0.667, 5.73],
        "low": [0.324, 2.77],
        "high": [1.097, 8.69],
    }
    abandoned, queries = rows_of(found(**shares))
    assert (abandoned["low"], abandoned["high"], queries["high"]) == (0.324, 1.0, 8.69)
    assert abandoned["numbers"] == "+.667 [.324, 1.000]"
    note = "Intervals are cut at the values that are possible"
    drawn = [
        spec_of(differences(found(**changes), title="T"))["title"]["subtitle"]
        for changes in (shares, shares | {"high": [0.9, 8.69]})
    ]
    assert [note in subtitle for subtitle in drawn] == [True, False]


def test_an_interval_without_an_end_reaches_as_far_as_the_other():
    first, second = rows_of(found())
    assert (first["low"], first["high"]) == (0.5, 3.5)
    assert (second["low"], second["high"]) == (pytest.approx(-0.3), 0.1)  # .1 - -.1 = .2 either way
    assert (first["numbers"], second["numbers"]) == ("+2.00 [0.50, 3.50]", "\u2212.100 [\u2212\u221e, .100]")


def test_a_difference_without_an_interval_has_none_in_figure_and_numbers():
    for low in (pl.Series([0.5, None]), pl.Series([None, None])):
        first, second = rows_of(found(low=low, high=low))
        assert (second["low"], second["high"], second["numbers"]) == (None, None, "\u2212.100")
    assert (first["low"], first["high"], first["numbers"]) == (None, None, "+2.00")


def test_pairs_are_named_where_there_are_several():
    assert [row["row"] for row in rows_of(found(b=["S2", "S3"]))] == ["S2 \u2212 S1: sDCG@10", "S3 \u2212 S1: nsDCG@10"]


def test_thirty_rows_fit_a_column_of_a_page_without_numbers_and_few_have_a_line_for_each_part_of_a_name():
    rows = [found(b=[f"S{number}"] * 2, n_a=[30, 30], n_b=[30, 30]) for number in range(2, 17)]
    layout = print_layout(width="84mm")
    for frame, numbers in ((pl.concat(rows), 0), (pl.concat(rows[:4]), 2)):  # the second is white, behind the first
        spec = layout.apply(differences(frame, title="T").to_dict(), lambda _: (layout.inner_width, 100.0))
        drawn = [layer for layer in spec["layer"] if layer["encoding"].get("text", {}).get("field") == "numbers"]
        assert len(drawn) == numbers
        assert (NO_NUMBERS in str(spec["title"]["subtitle"]).replace("', '", " ")) == (not numbers)
        assert ("split(datum.label" in str(spec["layer"])) == bool(numbers)


@pytest.mark.parametrize("title", [None, "T", ["T", "U"]])
def test_rows_without_room_for_numbers_say_so_under_any_title(title):
    rows = [found(b=[f"S{number}"] * 2, n_a=[30, 30], n_b=[30, 30]) for number in range(2, 17)]
    layout = print_layout(width="84mm")
    spec = differences(pl.concat(rows)).to_dict() | {"title": title}
    drawn = layout.apply(spec, lambda _: (layout.inner_width, 100.0))["title"]
    parts = [drawn["text"], drawn.get("subtitle", [])]
    lines = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
    assert " ".join(lines) == " ".join([*(title or []), NO_NUMBERS])


def test_only_so_many_are_shown_and_nothing_is_refused():
    many = pl.concat([found(measure=[f"m{number}", f"n{number}"]) for number in range(MOST)])
    assert len(rows_of(many)) == MOST
    with pytest.raises(UsageError, match="nothing to draw"):
        differences(found(estimate=pl.Series([None, None], dtype=pl.Float64)))


def test_differences_are_drawn_in_units_of_their_measures_with_numbers_beside():
    first, second = rows_of(found(n_a=[30, 28], n_b=[30, 29]))
    assert (first["estimate"], first["low"], first["high"]) == (2.0, 0.5, 3.5)
    assert first["numbers"] == "+2.00 [0.50, 3.50], n = 30"
    assert second["numbers"] == "\u2212.100 [\u2212\u221e, .100], n = 29 and 28"


def test_a_row_of_fewer_units_says_of_how_many():
    """30 users have a value of the first measure, 9 of them of the second; of another pair 12 are all there are."""
    frame = found(n_a=[30, 9], n_b=[30, 9], wins=[1, 1])
    assert [row["n"] for row in rows_of(frame)] == ["n = 30", "n = 9 of 30"]
    assert [row["n"] for row in rows_of(frame.with_columns(b=pl.Series(["S2", "S3"])))] == ["n = 30", "n = 9"]


def test_no_sign_is_turned_and_words_say_which_values_are_better():
    frame = found(measure=["Clicks", "Queries"], n_a=[30, 30], n_b=[30, 30])
    rows = rows_of(frame)
    assert [(row["estimate"], row["high"]) for row in rows] == [(2.0, 3.5), (-0.1, 0.1)]  # as compare has them
    assert [row["numbers"] for row in rows] == [
        "+2.00 [0.50, 3.50], n = 30",
        "\u22120.100 [\u2212\u221e, 0.100], n = 30, lower is better",
    ]


def test_a_declared_band_is_drawn_on_both_sides_of_0():
    compared = replace(sk.compare(read_clinic(), ["nsDCG@10", "sDCG@10"]), equivalence={"nsDCG@10": 0.03})
    assert [(row["band_low"], row["band"]) for row in rows_of(compared)] == [(-0.03, 0.03), (None, None)]
    spec = spec_of(differences(compared))
    kinds = [layer["mark"]["type"] for layer in spec["layer"]]
    assert kinds == [
        "rect",
        "rule",
        "rule",
        "text",
        "rule",
        "point",
        "text",
    ]  # after the band come grid, zero and ticks
    assert "Shaded: declared band" in str(spec["title"])
    assert "rect" not in str(spec_of(differences(found())))
