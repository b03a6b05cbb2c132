"""Tooltips: a term is explained where a section first uses it, and no name from a log is taken for a term."""

import re

import pytest
from markupsafe import Markup

from sessionkit.display.terminal import glossary
from sessionkit.reports import report
from sessionkit.reports.page import SPELLINGS, mark_terms, meanings, terms_of

TERM = re.compile(r'<dfn tabindex="0" aria-describedby="([^"]+)">(.*?)</dfn>')


def test_every_term_has_its_entry_of_the_glossary_without_commands():
    assert [*meanings()] == [*SPELLINGS]
    for term, meaning in meanings().items():
        assert meaning == glossary()[term].replace("`", "")
        assert not re.search(r"--[a-z]|sessionkit", meaning)
        assert re.fullmatch(f"(?i){SPELLINGS[term]}", term.replace("95% interval", "95% CI"))


def test_the_first_of_each_term_in_prose_is_marked_and_nothing_else():
    section = Markup(
        "<h2>Unjudged</h2><p>An ideal &amp; <strong>judged\xa0</strong>judged shares, bounds.</p><td>slot</td>"
        '<figcaption title="slot">The ideal, by slot: 95%\xa0CI of the idealist.</figcaption>'
    )
    marked = mark_terms(section, [*SPELLINGS])
    assert TERM.findall(marked) == [
        ("term_ideal", "ideal"),
        ("term_judged_share", "judged shares"),
        ("term_bounds", "bounds"),
        ("term_slot", "slot"),
        ("term_95__interval", "95%\xa0CI"),
    ]
    assert TERM.sub(r"\2", marked) == section
    assert mark_terms(section, []) == section


@pytest.mark.parametrize("quoted", ["&#39;ideal&#39;", "&#34;the ideal&#34;"])
def test_what_is_quoted_is_no_term(quoted):
    section = Markup("<p>{} is a group.</p>").format(Markup(quoted))  # noqa: S704 - escaped quotes
    assert mark_terms(section, ["ideal"]) == section


def test_a_term_that_a_name_in_the_log_contains_is_not_explained(make):
    assert terms_of(make()) == [*SPELLINGS]
    named = terms_of(make(systems=("Ideal", "S2"), topics=("my slots",), users=("u1", "a discounter")))
    assert [term for term in SPELLINGS if term not in named] == ["ideal", "discount", "slot"]


@pytest.mark.slow
def test_a_page_explains_each_term_that_it_marks_once(make):
    text = report(make(sessions=6))
    described = {name for name, _ in TERM.findall(text)}
    assert len(described) > 3
    assert {*re.findall(r'<div class="tooltip" id="([^"]+)" role="tooltip" popover="manual">', text)} == described
    for section in re.split(r"<section id=", text)[1:]:
        names = [name for name, _ in TERM.findall(section)]
        assert len(names) == len({*names})


@pytest.mark.browser
def test_a_term_is_explained_to_pointer_keyboard_and_touch(opened, make, tmp_path):
    path = tmp_path / "page.html"
    report(make(sessions=6), output=path)
    page, said, _ = opened(path)
    term = page.locator("main dfn").first
    tip = page.locator(f"#{term.get_attribute('aria-describedby')}")
    assert not tip.is_visible()
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 800})
        term.scroll_into_view_if_needed()
        page.wait_for_timeout(100)
        term.hover()
        tip.wait_for(state="visible")
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800
        page.mouse.move(0, 0)
        tip.wait_for(state="hidden")
    term.focus()
    assert tip.is_visible()
    assert tip.inner_text().lower().startswith(term.inner_text().lower()[:4])
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    assert [message for message in said if not message.startswith("WARN")] == []  # of charts
