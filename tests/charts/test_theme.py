"""Colors and config."""

import altair as alt

from sessionkit.charts import colors_of, themed
from sessionkit.charts.theme import CONTEXT


def test_colors_do_not_depend_on_the_order_in_which_groups_are_named():
    assert colors_of(["b", "a", "b"]) == colors_of(("a", "b"))


def test_twenty_four_groups_get_colors_of_their_own_and_white_is_none():
    colors = colors_of([f"{number:02}" for number in range(24)])
    assert len(set(colors.values())) == 24
    assert all(len(color) == 7 for color in colors.values())
    assert "#FFFFFF" not in colors.values()


def test_groups_behind_others_are_seen_on_white():
    red, green, blue = (int(CONTEXT[place : place + 2], 16) / 255 for place in (1, 3, 5))
    light = sum(
        weight * ((part + 0.055) / 1.055) ** 2.4 for weight, part in ((0.2126, red), (0.7152, green), (0.0722, blue))
    )
    assert 1.05 / (light + 0.05) > 2.4


def test_what_a_chart_configures_itself_stays():
    chart = alt.Chart().mark_line().configure_axis(labelFontSize=30)
    config = themed(chart).to_dict()["config"]
    assert config["axis"]["labelFontSize"] == 30
    assert config["axis"]["titleFontSize"] == 12
    assert "axis" in chart.to_dict()["config"]
