"""What a page says of measures beside the ratings of searchers."""

import pytest

import sessionkit as sk
from tests.reports.read_page import Reader
from tests.support.random_studies import draw_study


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_page_is_made_where_no_correlation_has_a_value():
    """The figure is left out with a reason; it ended the whole page."""
    page = sk.report(draw_study(394).study, ["Abandoned", "column(value)"])
    assert "Not drawn: there is nothing" in Reader(page).text
