"""TOIS 2002, Figures 1 to 4."""

import polars as pl
import pytest

from sessionkit.charts import gain_vectors, save, spec_of
from sessionkit.charts.theme import FAINT
from sessionkit.errors import UsageError


@pytest.fixture
def vectors():
    """Vectors of two ranks by some measures, that of group A 1 and 2 of an ideal 3 and 5."""

    def vectors(measures):
        rows = [(m, "A", rank, float(rank), 2.0 * rank + 1, 4, 2) for m in measures for rank in (1, 2)]
        names = ["measure", "group", "rank", "value", "ideal", "n_queries", "n_sessions"]
        return pl.DataFrame(rows, schema=names, orient="row")

    return vectors


def test_shown_and_ideal_are_drawn_in_a_panel_of_each_measure(vectors):
    spec = spec_of(gain_vectors(vectors(["nCG@2", "CG@2"])))
    (rows,) = spec["datasets"].values()
    assert [(row["measure"], row["line"], row["value"]) for row in rows] == [
        *(("nCG@2", "Shown", value) for value in (1, 2)),
        *(("CG@2", "Shown", value) for value in (1, 2)),
        *(("nCG@2", "Ideal", value) for value in (3, 5)),
        *(("CG@2", "Ideal", value) for value in (3, 5)),
        *(("nCG@2", *name) for name in (("Name of an ideal", 5), ("Name", 2))),
        *(("CG@2", *name) for name in (("Name of an ideal", 5), ("Name", 2))),
    ]
    assert [row["place"] for row in rows] == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]  # in the order asked for
    assert spec["resolve"]["scale"] == {"y": "independent"}


def test_more_panels_than_can_be_read_are_refused(vectors):
    with pytest.raises(UsageError, match="holds 8 measures, not 9"):
        gain_vectors(vectors([f"CG@{number}" for number in range(1, 10)]))


def test_a_band_stands_around_what_was_shown_alone(vectors):
    frame = vectors(["CG@2"]).with_columns(low=pl.col("value") - 1, high=pl.col("value") + 1)
    spec = spec_of(gain_vectors(frame))
    area, line, *_ = spec["spec"]["layer"]
    assert (area["mark"]["type"], line["mark"]["type"]) == ("area", "line")
    assert area["transform"] == [{"filter": {"oneOf": ["Shown"], "field": "line"}}]
    (rows,) = spec["datasets"].values()
    assert [(row["line"], row["low"], row["high"]) for row in rows if "Name" not in row["line"]] == [
        ("Shown", 0.0, 2.0),
        ("Shown", 1.0, 3.0),
        ("Ideal", None, None),
        ("Ideal", None, None),
    ]


def test_of_groups_with_one_query_neither_a_mean_nor_its_ideal_is_drawn(vectors):
    one = vectors(["CG@2"]).with_columns(group=pl.lit("B"), n_queries=pl.lit(1, pl.Int64))
    (rows,) = spec_of(gain_vectors(pl.concat([vectors(["CG@2"]), one])))["datasets"].values()
    assert {(row["group"], row["line"]) for row in rows if row["value"] is not None} == {
        ("A", "Shown"), ("A", "Ideal"), ("A", "Name"), ("A", "Name of an ideal"),
    }  # fmt: skip


def test_an_ideal_that_all_groups_have_is_drawn_once(vectors):
    other = vectors(["CG@2"]).with_columns(group=pl.lit("B"), value=pl.col("value") / 2)
    (rows,) = spec_of(gain_vectors(pl.concat([vectors(["CG@2"]), other])))["datasets"].values()
    assert [(row["group"], row["value"]) for row in rows if row["line"] == "Ideal"] == [("Ideal", 3), ("Ideal", 5)]
    better = other.with_columns(ideal=pl.col("ideal") + 1)
    (rows,) = spec_of(gain_vectors(pl.concat([vectors(["CG@2"]), better])))["datasets"].values()
    assert [(row["group"], row["value"]) for row in rows if row["line"] == "Ideal"] == [
        ("A", 3), ("A", 5), ("B", 4), ("B", 6),
    ]  # fmt: skip
    assert [row["label"] for row in rows if row["line"] == "Name of an ideal"] == ["Ideal, B", "Ideal, A"]
    nearly = other.with_columns(ideal=pl.col("ideal") * 1.01)  # 5.05 beside 5: seen as one
    (rows,) = spec_of(gain_vectors(pl.concat([vectors(["CG@2"]), nearly])))["datasets"].values()
    assert [row["label"] for row in rows if row["line"] == "Name of an ideal"] == ["Ideal"]
    rounded = other.with_columns(ideal=pl.col("ideal") * (1 + 1e-15))
    (rows,) = spec_of(gain_vectors(pl.concat([vectors(["CG@2"]), rounded])))["datasets"].values()
    assert {row["group"] for row in rows if row["line"] == "Ideal"} == {"Ideal"}


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_an_ideal_never_has_the_color_of_a_group(vectors, count):
    frames = [
        vectors(["CG@2"]).with_columns(group=pl.lit(f"S{n}"), value=pl.col("value") / n, ideal=pl.col("ideal") * n)
        for n in range(1, count + 1)
    ]
    spec = spec_of(gain_vectors(pl.concat(frames)))
    for layer in spec["spec"]["layer"]:
        color = layer["encoding"].get("color")
        if color is not None:
            assert color["condition"] == {
                "test": {"field": "line", "oneOf": ["Ideal", "Name of an ideal"]},
                "value": FAINT,
            }
            assert FAINT not in color["scale"]["range"]
    (rows,) = spec["datasets"].values()
    assert any(row["line"] == "Ideal" for row in rows)


def test_of_many_groups_two_have_names_and_so_has_the_ideal(vectors):
    frames = [vectors(["CG@2"]).with_columns(group=pl.lit(f"S{n}"), value=pl.col("value") / n) for n in range(1, 21)]
    (rows,) = spec_of(gain_vectors(pl.concat(frames)))["datasets"].values()
    assert {row["label"] for row in rows if row["line"].startswith("Name")} == {"Ideal", "S1", "S20"}


@pytest.mark.few(1, slow=1)
@pytest.mark.parametrize(("width", "panels"), [("84mm", 4), ("174mm", 8)])
def test_no_figure_is_higher_than_200_mm(vectors, tmp_path, width, panels):
    frame = vectors([f"CG@{n}" for n in range(2, panels + 2)])
    chart = gain_vectors(frame, title="T", subtitle="S", synthetic=True)
    head = save(chart, tmp_path / "a.svg", width=width).read_text("utf-8").partition(">")[0]
    assert float(head.partition('height="')[2].partition("pt")[0]) * 25.4 / 72 <= 201
