"""Eleven-point curves."""

import polars as pl
import pytest

from sessionkit.charts import precision_recall
from sessionkit.charts.kinds.precision_recall import MOST


@pytest.fixture
def curves():
    """Curves of some topics, precision 1 - recall / 2."""

    def curves(topics):
        rows = [("A", topic, r / 10, 1 - r / 20, 3) for topic in topics for r in range(11)]
        return pl.DataFrame(rows, schema=["group", "topic_id", "recall", "precision", "n"], orient="row")

    return curves


def test_averages_stand_before_thin_curves_of_topics(curves, datasets):
    average = curves(["all"]).drop("topic_id")
    (_, thin), (_, lines), (point, points), *_ = datasets(precision_recall(average, curves(["t", "u"])))
    assert {row["topic"] for row in thin} == {"t", "u"}
    assert [row["precision"] for row in lines] == [1 - r / 20 for r in range(11)]
    assert (point, points) == ("point", lines)


def test_very_many_topics_are_left_out(curves, datasets):
    average = curves(["all"]).drop("topic_id")
    many = curves([str(number) for number in range(MOST + 1)])
    assert [mark for mark, _ in datasets(precision_recall(average, many))] == ["line", "point", "text"]
    assert [mark for mark, _ in datasets(precision_recall(average))] == ["line", "point", "text"]


def test_averages_have_bands_and_one_of_a_single_query_is_left_out(curves, datasets):
    average = curves(["all"]).drop("topic_id").with_columns(low=pl.col("precision") / 2, high=pl.col("precision"))
    one = average.with_columns(group=pl.lit("B"), n=pl.lit(1, pl.Int64))
    marks = dict(datasets(precision_recall(pl.concat([average, one]))))
    assert [(row["group"], row["low"]) for row in marks["area"]] == [("A", (1 - r / 20) / 2) for r in range(11)]
    assert {row["group"] for row in marks["line"] if row["precision"] is not None} == {"A"}
