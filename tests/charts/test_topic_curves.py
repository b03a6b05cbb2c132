"""Figure 3."""

from sessionkit.charts import topic_curves


def test_both_selections_are_drawn_under_their_names(curves, datasets):
    frame = curves()
    lines = dict(datasets(topic_curves(frame, curves(groups=("S2",)), 5)))["line"]
    every = [row for row in lines if row["sessions"] == "All"]
    long = [row for row in lines if row["sessions"] == "At least 5 queries"]
    assert [row["value"] for row in every] == frame.get_column("value").to_list()
    assert {row["group"] for row in long} == {"S2"}
    assert len(long) == 30


def test_nothing_long_enough_leaves_the_curves_of_all(curves, datasets):
    lines = dict(datasets(topic_curves(curves(), None)))["line"]
    assert {row["sessions"] for row in lines} == {"All"}
