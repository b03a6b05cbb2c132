"""The safe page."""

import json
import re

import pytest
from markupsafe import Markup

from sessionkit.charts.files import chart_place, page


def test_policy_allows_the_two_scripts_and_nothing_from_outside():
    text = page("</title><script>x</script>", Markup("<p>body</p>\n"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.count("sha256-") == 2
    assert "unsafe-eval" not in policy
    assert "<title>&lt;/title&gt;" in text
    assert re.findall(r"<script[^>]*>", text) == ["<script>", "<script>"]
    assert not re.search("(?:src|href)=", re.sub("<script>.*?</script>", "", text, flags=re.DOTALL))


def test_place_of_a_chart_needs_an_id():
    with pytest.raises(ValueError, match="is not an id"):
        chart_place('a" onload="x', {})


def test_fractions_of_a_chart_have_seven_digits_and_times_all():
    spec = {
        "datasets": {
            "rows": [{"value": 1 / 3, "small": 2e-9 / 3, "at": 1795000000123.25, "n": 12345678, "text": "0.123456789"}]
        }
    }
    place = str(chart_place("figure-1", spec))
    (rows,) = json.loads(re.search(">({.*})<", place)[1])["datasets"].values()
    assert rows == [
        {"value": 0.3333333, "small": 6.666667e-10, "at": 1795000000123.25, "n": 12345678, "text": "0.123456789"}
    ]
