"""What a report says of topics."""

from types import SimpleNamespace

import numpy as np
import polars as pl

import sessionkit as sk
from sessionkit.reports.figures.scores import means_by_topic
from sessionkit.reports.sections.topics import _depends


def alternated(seed):
    """Twenty users of four topics, half with A B A B and half with B A B A; B is better by .45 on one topic."""
    draw = np.random.default_rng(seed)
    rows = []
    for user in range(20):
        for topic in range(4):
            system = "AB"[(topic + user) % 2]
            value = draw.normal() + 0.45 * (system == "B" and topic == 2)
            rows.append((f"{user}-{topic}", f"u{user}", f"t{topic}", system, value))
    schema = ["session_id", "user_id", "topic_id", "system_id", "value"]
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(measure=pl.lit("gain"))


def test_whether_a_difference_depends_on_the_topic_goes_by_the_p_value_that_is_printed():
    """Two contrasts are tested within and between users; p = .03 is .06 after correction."""
    found = sk.compare(alternated(10), within="topic_id")
    row = found.interaction.drop_nulls("p").row(0, named=True)
    assert row["p"] < 0.05 < row["p_adjusted"] == 2 * row["p"]
    sentence = _depends(SimpleNamespace(primary="gain"), found, "the topic")
    assert "p = .060" in sentence
    assert "No evidence that" in sentence


def test_intervals_of_means_by_topic_are_cut_at_0_and_1_and_the_caption_says_so():
    """With two sessions t is 12.706: .9 + 12.706 x .1 / sqrt(2) is 1.798, and .1 less as much is -.798."""
    rows = {"group": ["A", "A"], "topic_id": ["s", "t"], "value": [0.9, 0.1], "n": [2, 2], "sd": [0.1, 0.1]}
    choices = SimpleNamespace(colors={"A": "#000000"}, synthetic=False, legend="System")
    note = "Intervals are cut at the values that are possible."
    figures = {measure: means_by_topic(pl.DataFrame(rows), measure, choices) for measure in ("nsDCG@10", "my score")}
    ends = {
        measure: sk.charts.data(figure.chart)[0].sort("topic").select("low", "high").rows()
        for measure, figure in figures.items()
    }
    assert {measure: note in figure.caption for measure, figure in figures.items()} == {
        "nsDCG@10": True,
        "my score": False,
    }
    np.testing.assert_allclose(ends["my score"], [(0.0015, 1.7985), (-0.7985, 0.9985)], atol=1e-4)
    np.testing.assert_allclose(ends["nsDCG@10"], [(0.0015, 1.0), (0.0, 0.9985)], atol=1e-4)
