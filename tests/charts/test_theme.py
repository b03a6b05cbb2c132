"""Colours and config."""

import altair as alt

from sessionkit.charts import colours_of, themed


def test_colours_do_not_depend_on_the_order_in_which_groups_are_named():
    assert colours_of(["b", "a", "b"]) == colours_of(("a", "b"))


def test_twenty_four_groups_get_colours_of_their_own_and_white_is_none():
    colours = colours_of([f"{number:02}" for number in range(24)])
    assert len(set(colours.values())) == 24
    assert all(len(colour) == 7 for colour in colours.values())
    assert "#FFFFFF" not in colours.values()


def test_what_a_chart_configures_itself_stays():
    chart = alt.Chart().mark_line().configure_axis(labelFontSize=30)
    config = themed(chart).to_dict()["config"]
    assert config["axis"]["labelFontSize"] == 30
    assert config["axis"]["titleFontSize"] == 12
    assert "font" not in chart.to_dict()["config"]
