"""Colors and config."""

import altair as alt

from sessionkit.charts import colors_of, themed


def test_colors_do_not_depend_on_the_order_in_which_groups_are_named():
    assert colors_of(["b", "a", "b"]) == colors_of(("a", "b"))


def test_twenty_four_groups_get_colors_of_their_own_and_white_is_none():
    colors = colors_of([f"{number:02}" for number in range(24)])
    assert len(set(colors.values())) == 24
    assert all(len(color) == 7 for color in colors.values())
    assert "#FFFFFF" not in colors.values()


def test_what_a_chart_configures_itself_stays():
    chart = alt.Chart().mark_line().configure_axis(labelFontSize=30)
    config = themed(chart).to_dict()["config"]
    assert config["axis"]["labelFontSize"] == 30
    assert config["axis"]["titleFontSize"] == 12
    assert "axis" in chart.to_dict()["config"]
