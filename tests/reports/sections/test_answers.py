"""The three answers: which true difference would be detected, never one that the measure cannot have."""

from types import SimpleNamespace

import polars as pl
import pytest

from sessionkit.reports.sections.headline import detectable_text


@pytest.mark.parametrize(
    ("measure", "sizes", "text"),
    [
        ("nsDCG@10", [0.1344], "a true difference of .134 in nsDCG@10"),
        ("nsDCG@10", [0.2, 0.3, None], "a true difference of .200 to .300 in nsDCG@10, by pair,"),
        ("nsDCG@10", [0.2, 1.3, 0.3], "in 2 of 3 pairs a true difference of .200 to .300 in nsDCG@10, by pair,"),
        ("nsDCG@10", [1.3], "no possible difference in nsDCG@10"),
        ("Queries", [1.3], "a true difference of 1.30 in Queries"),
        ("Queries", [None], ""),
    ],
)
def test_only_a_possible_difference_is_said_to_be_detected(measure, sizes, text):
    rows = {"measure": [measure] * len(sizes) + ["other"], "detectable": [*sizes, 0.001]}
    found = SimpleNamespace(table=pl.DataFrame(rows, schema_overrides={"detectable": pl.Float64}))
    assert detectable_text(found, measure) == text
