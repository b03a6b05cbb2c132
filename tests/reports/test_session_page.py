"""A page of figures with the explorer below: a click on a session opens it."""

import altair as alt
import polars as pl
import pytest

from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.page import session_page
from sessionkit.reports.sections import sessions
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure
from tests.reports.mixed_logs import mixed
from tests.reports.one_section import page_of


def wall_of(study):
    """Return a figure with a square for each session, in a row, 20 pixels apart."""
    ids = study.sessions.select("session_id").collect()["session_id"].sort()
    frame = pl.DataFrame({"session_id": ids, "x": [20 * number + 10 for number in range(len(ids))]})
    chart = alt.layer(
        alt.Chart(frame, width=20 * len(ids), height=20)
        .mark_square(size=200)
        .encode(x=alt.X("x", scale=alt.Scale(domain=[0, 20 * len(ids)]), axis=None), y=alt.value(10))
    )
    return Figure("session-wall", "All sessions", chart, "One square for each session.")


@pytest.mark.browser
def test_a_chart_that_is_laid_out_keeps_its_size_on_a_narrow_screen(opened, tmp_path):
    study = mixed(sessions=60)
    figure = wall_of(study)
    figure.chart.usermeta = {"laidOut": True}
    path = tmp_path / "wall.html"
    path.write_text(session_page(study, [figure], parse_measure("nsDCG@10")), encoding="utf-8")
    page, messages, _ = opened(path)
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function("document.querySelector('#figure-1').clientWidth < 390")
    assert page.locator("#figure-1 svg").bounding_box()["width"] > 20 * 60
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert messages == []


@pytest.mark.browser
def test_a_click_on_a_session_opens_it_in_the_explorer(opened, tmp_path):
    study = mixed(sessions=25)
    path = tmp_path / "wall.html"
    path.write_text(session_page(study, [wall_of(study)], parse_measure("nsDCG@10")), encoding="utf-8")
    page, messages, requests = opened(path)
    page.locator("#figure-1 .mark-symbol path").nth(12).click()
    page.wait_for_function("document.getElementById('explorer-widget').sessionkit.session === 's0012'")
    assert page.url.endswith("#session=s0012")
    assert page.locator("#explorer-name").inner_text() == "Session s0012"
    page.locator("#explorer-list tbody button").nth(3).click()
    assert page.url.endswith("#session=s0003")
    page.go_back()
    page.wait_for_function("document.getElementById('explorer-widget').sessionkit.session === 's0012'")
    assert page.locator("nav").count() == 1
    assert messages == []
    assert requests == [path.as_uri()]


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_click_on_a_panel_of_the_wall_opens_its_session(opened, tmp_path):
    study = mixed(sessions=25)
    path = tmp_path / "wall.html"
    figure = single_figure(study, "session-wall", "nsDCG@10")
    path.write_text(session_page(study, [figure], parse_measure("nsDCG@10")), encoding="utf-8")
    page, messages, _ = opened(path)
    panels = page.locator("#figure-1 .panel_marks path")
    assert panels.count() == 25
    session = panels.nth(7).evaluate("panel => panel.__data__.datum.session_id")
    panels.nth(7).click(force=True)  # its curve lies over it and opens the session too
    page.wait_for_function(f"document.getElementById('explorer-widget').sessionkit.session === '{session}'")
    assert page.locator("#explorer-name").inner_text() == f"Session {session}"
    assert messages == []


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("redact", ["", "users"])
def test_a_click_on_a_panel_in_a_report_opens_its_session(opened, tmp_path, monkeypatch, redact):
    monkeypatch.setattr(sessions, "PANELS", 12)  # a sample, whose sessions the explorer has
    path = tmp_path / "report.html"
    path.write_text(page_of(sessions.every_session, mixed(sessions=25), ["nsDCG@10"], redact), encoding="utf-8")
    page, messages, _ = opened(path)
    panels = page.locator("#figure-1 .panel_marks path")
    assert panels.count() == 12
    session = panels.nth(7).evaluate("panel => panel.__data__.datum.session_id")
    assert session.startswith("session ") == bool(redact)
    assert not page.locator("#explorer-name").is_visible()
    panels.nth(7).click(force=True)
    page.wait_for_function(f"document.getElementById('explorer-widget').sessionkit.session === '{session}'")
    assert page.locator("#explorer-name").is_visible()
    assert messages == []
