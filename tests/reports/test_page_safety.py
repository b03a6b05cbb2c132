"""What stands in a log does nothing in the page, and what was rejected does not stand there."""

import re

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports import report
from tests.reports.read_page import Reader


@pytest.mark.slow
def test_hostile_names_are_text_and_nothing_else(hostile):
    text = report(hostile, by="user_id")
    page = Reader(text)
    assert {tag for tag, _ in page.elements} <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "main",
            "h1",
            "h2",
            "h3",
            "p",
            "div",
            "table",
            "caption",
            "thead",
        ),
        *(
            "tbody",
            "tr",
            "th",
            "td",
            "figure",
            "figcaption",
            "strong",
            "script",
            "dl",
            "dt",
            "dd",
            "ul",
            "li",
            "noscript",
            "nav",
            "a",
            "section",
            "sup",
            "details",
            "summary",
            "pre",
            "code",
        ),
        *("bdi", "dfn", "form", "label", "input", "select", "option", "button", "fieldset", "legend"),
    }
    # specs of charts, data of what can be worked with; the libraries, what draws the charts, and our own four
    assert sum(tag == "script" for tag, _ in page.elements) == 12 + 2 + 2 + 4
    assert not any(key.startswith("on") or key == "src" for _, attrs in page.elements for key in attrs)
    links = [attrs["href"] for tag, attrs in page.elements if "href" in attrs]
    assert all(
        re.fullmatch(r"#[a-z-]+|data:(text/csv|text/markdown|application/x-tex);charset=utf-8;base64,[\w+/=]*", link)
        for link in links
    )
    assert "<img src=x onerror=window.hacked=1>" in page.text
    assert "[U+202E]esrever" in page.text
    assert "\x00" not in text


@pytest.mark.browser
def test_page_draws_its_charts_runs_nothing_else_and_asks_for_nothing(hostile, opened, tmp_path):
    path = tmp_path / "report.html"
    report(hostile, output=path, by="user_id")
    page, said, asked = opened(path)
    assert page.evaluate("document.documentElement.dataset.charts") == "12"
    assert page.locator("figure svg.marks").count() == 12
    assert page.evaluate("window.hacked") is None
    assert said == []
    assert asked == [path.as_uri()]
    assert page.locator("h1").inner_text() == "</script><script>window.hacked=1</script>"
    assert page.locator("figure").first.get_by_role("button").all_inner_texts() == ["SVG", "PNG"]
    assert page.locator(".chart a").count() == 0


@pytest.mark.slow
@pytest.mark.browser
def test_policy_stops_scripts_that_are_not_ours(make, opened, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report(make()).replace("<main>", "<main><script>window.hacked=1</script>", 1), encoding="utf-8")
    page, said, _ = opened(path)
    assert page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in line for line in said)


def test_rejected_rows_are_counted_by_rule_without_their_values():
    results = pl.DataFrame(
        {"session_id": ["a", "a", "a"], "query_position": [1, 1, 1], "rank": [1, 2, -7], "doc_id": ["x", "y", "secret"]}
    )
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(results)
    text = Reader(report(study)).text
    assert study.rejected.collect().height == 1
    assert "Rule broken" in text
    assert "secret" not in text


@pytest.mark.slow
def test_values_set_aside_are_counted_apart_and_said_on_the_first_screen():
    lists = {"session_id": ["a", "a"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "y"]}
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(lists | {"dwell_seconds": ["3.5", "<b>bold</b>"]})
    page = report(study)
    text = Reader(page).text
    said = "Results.dwell_seconds: 1 of 2 values (50.0%) set aside and taken as missing"
    assert said in text
    assert text.index(said) < text.index("Data quality", text.index(said))
    assert "No row was rejected." in text
    assert "Values set aside, their rows kept" in text
    assert "<b>bold" not in page
