"""The report in a real browser: for every reader, by keyboard, on any screen, on paper, whatever stands in the log."""

import re
import warnings
from pathlib import Path

import polars as pl
import pytest

from sessionkit import charts
from sessionkit.reports import report
from tests.reports.odd_logs import HOSTILE, odd
from tests.support.clinic import read_clinic

pytestmark = pytest.mark.browser
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
ALIKE = ".chart svg > *, .table tr:nth-child(n + 4), .save a"
"""What axe need not look at: what is drawn in a chart, which is one image with words, rows and links like those above them."""
PAPER = {"width": 680, "height": 1031}
"""A4 within the margins of the style sheet, in CSS pixels: 180 mm by 273 mm."""
STUDIES = {"clinic": (read_clinic, None), "odd": (odd, ("sDCG@10", "nsDCG@10"))}
"""How each study is made, and what is reported of it."""


def unfold(page):
    """Open what is folded, and wait until its charts are drawn for their places."""
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    page.wait_for_timeout(1_000)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write the two reports."""
    place, written = tmp_path_factory.mktemp("reports"), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (study, measures) in STUDIES.items():
            written[name] = place / f"{name}.html"
            report(study(), measures, output=written[name])
    return written


@pytest.fixture(scope="module")
def pages(browser, files):
    """Both reports opened: the page, what it said on the console, the addresses it asked for."""
    shown = {}
    for name, path in files.items():
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        said, asked = [], []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.on("dialog", lambda dialog, said=said: said.append(dialog.message))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
        unfold(page)
        shown[name] = page, said, asked
    yield shown
    for page, _, _ in shown.values():
        page.close()


@pytest.fixture(params=STUDIES)
def shown(request, pages):
    """One of the reports, on a wide screen in a light room."""
    page, _, _ = pages[request.param]
    yield page
    page.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference")
    page.set_viewport_size({"width": 1400, "height": 900})


@pytest.mark.few(1)
def test_nobody_is_shut_out(shown):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    chosen = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": TAGS}}
    shown.eval_on_selector_all(ALIKE, "all => all.forEach(one => one.toggleAttribute('hidden', true))")
    for width, scheme in ((1400, "light"), (800, "dark"), (390, "light")):
        shown.set_viewport_size({"width": width, "height": 900})
        shown.emulate_media(color_scheme=scheme)
        found = axe.run(shown, options=chosen)
        assert found.violations_count == 0, f"{width} {scheme}: {found.generate_report()}"
    shown.eval_on_selector_all(ALIKE, "all => all.forEach(one => one.removeAttribute('hidden'))")


def test_a_chart_alone_shuts_nobody_out(opened, tmp_path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    frame = pl.DataFrame({"group": ["A", "A", "B", "B"], "value": [0.1, 0.3, 0.4, 0.9]})
    page, said, _ = opened(charts.save(charts.score_distribution(frame, title="Scores"), tmp_path / "chart.html"))
    found = axe.run(page, options={"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": TAGS}})
    assert found.violations_count == 0, found.generate_report()
    assert page.get_by_role("img", name="Scores").count() == 1
    assert said == []


def test_every_drawing_is_an_image_with_words(shown):
    labels = shown.eval_on_selector_all(
        ".chart svg", "all => all.map(one => [one.getAttribute('role'), one.getAttribute('aria-label')])"
    )
    assert len(labels) >= 8
    assert all(role == "img" and len(label) > 40 for role, label in labels)
    drawings = shown.locator("figure svg")
    assert drawings.locator("> :not([aria-hidden=true])").count() == 0


def test_tab_goes_through_the_page_in_order_and_is_seen(shown):
    shown.evaluate("window.scrollTo(0, 0); document.activeElement.blur()")
    shown.mouse.click(5, 5)
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.textContent") == "Skip to the summary"
    assert shown.locator(".skip").bounding_box()["y"] >= 0
    shown.evaluate("window.passed = [document.activeElement]")
    unseen = shown.evaluate("document.querySelectorAll('a, button, input, select, [tabindex=\"0\"]').length")
    for _ in range(unseen):
        shown.keyboard.press("Tab")
        at = shown.evaluate(
            """(() => { const one = document.activeElement, last = window.passed[window.passed.length - 1];
            if (one === document.body) return null;
            window.passed.push(one);
            const box = one.getBoundingClientRect(), look = getComputedStyle(one);
            return {after: Boolean(last.compareDocumentPosition(one) & 4), what: one.outerHTML.slice(0, 80),
              seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && look.outlineStyle !== "none"}; })()"""
        )
        if at is None:
            break
        assert at["after"], at["what"]
        assert at["seen"], at["what"]
    passed = shown.evaluate("window.passed.filter(one => one.closest('#explorer-widget, #live, .save, nav')).length")
    assert passed > 40


def test_skip_link_leads_past_the_sections(shown):
    shown.focus(".skip")
    shown.keyboard.press("Enter")
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.closest('#summary') !== null")


def test_figures_are_saved_by_keyboard(shown):
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        shown.get_by_role("button", name=f"Save figure 1 as {kind}").focus()
        with shown.expect_download() as caught:
            shown.keyboard.press("Enter")
        assert caught.value.suggested_filename == f"figure-1.{kind.lower()}"
        assert Path(caught.value.path()).read_bytes().startswith(start)


def test_numbers_that_change_are_told(shown):
    assert shown.locator("#live-told[role=status], #explorer-found[role=status]").count() == 2
    before = shown.locator("#live-told").inner_text()
    shown.focus("#live-b-slider")
    for key in ("End", "ArrowLeft"):
        shown.keyboard.press(key)
    assert shown.input_value("#live-b") == "97.8"
    assert shown.locator("#live-told").inner_text() != before
    shown.focus("#live-gain")
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("Tab")
    shown.keyboard.press("Space")  # Reset
    assert shown.locator("#live-told").inner_text() == before


@pytest.mark.parametrize("width", [320, 390, 700, 1000, 1400])
def test_no_page_is_wider_than_its_screen_and_no_figure_is_cut(shown, width):
    shown.set_viewport_size({"width": width, "height": 900})  # 320: a screen of 1280 at four times its size
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    cut = shown.evaluate(
        """[...document.querySelectorAll("h1, h2, h3, h4, p, li, dd, figcaption, .chart:not(.laid-out) svg, input, select, button")]
        .filter((one) => one.getClientRects().length && !one.closest(".table"))
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 90))"""
    )
    assert cut == []


def test_charts_are_drawn_for_the_screen_they_are_opened_on(browser, files):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    unfold(page)
    scaled = page.eval_on_selector_all(
        ".chart svg.marks",
        "all => all.map(one => one.getBoundingClientRect().width / Number(one.getAttribute('width')))",
    )
    page.close()
    assert len(scaled) == 23  # 22 figures and the explorer's chart
    assert min(scaled) > 0.85  # text of 11 pixels has at least 9


def test_no_title_of_a_chart_or_table_is_cut_on_a_telephone(browser, files):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    unfold(page)
    lines = page.eval_on_selector_all(
        ".chart .role-title :is(text, tspan)",
        """all => all.filter((one) => !one.children.length).map((one) =>
        [one.textContent, one.getBoundingClientRect().right, one.closest(".chart").getBoundingClientRect().right])""",
    )
    lines += page.eval_on_selector_all(
        ".table caption",
        """all => all.map((one) => {
          const text = document.createRange();
          text.selectNodeContents(one);
          return [one.textContent, text.getBoundingClientRect().right, one.closest(".table").getBoundingClientRect().right];
        })""",
    )
    page.close()
    assert any(line.startswith("Single sessions and where they") for line, *_ in lines)
    assert {"All sessions", "Two sessions of one topic"} <= {line for line, *_ in lines}  # these charts scroll
    assert any(line.startswith("Scores of sessions by system") for line, *_ in lines)
    assert not [line for line, right, edge in lines if "\u2026" in line or right > edge]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_edge_of_a_chart_is_shaded_where_it_goes_on(browser, files, scheme):
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    wall = page.locator(".of-session-wall .chart")
    wall.evaluate("one => one.scrollIntoView()")

    def edges(left):
        """Return the left and right edge, 4 pixels wide, beside the title, which is blank there."""
        wall.evaluate("(one, left) => { one.scrollLeft = left; }", left)
        page.wait_for_timeout(100)
        box = wall.bounding_box()
        size = {"y": box["y"], "width": 4, "height": 8}
        places = (box["x"], box["x"] + box["width"] - 4)
        return [page.screenshot(clip={"x": x, **size}) for x in places]

    (blank, more_right), (more_left, end) = edges(0), edges(99_999)
    assert blank == end
    assert len({blank, more_left, more_right}) == 3
    page.close()


def test_charts_are_drawn_anew_when_a_phone_is_turned(browser, files):
    page = browser.new_page(viewport={"width": 844, "height": 390})
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    unfold(page)

    def drawn(until):
        look = "all => all.map((one) => [Number(one.getAttribute('width')), one.role, one.getAttribute('aria-label')])"
        for _ in range(200):
            if until(found := page.eval_on_selector_all(".chart:not(.laid-out) svg.marks", look)):
                break
            page.wait_for_timeout(50)
        return found

    wide = drawn(lambda _: True)
    page.set_viewport_size({"width": 390, "height": 844})
    narrow = drawn(lambda all_: len(all_) == len(wide) and all(told and width < 430 for width, _, told in all_))
    assert max(width for width, *_ in narrow) < 430 < max(width for width, *_ in wide)
    assert [words for _, *words in narrow] == [words for _, *words in wide]
    assert (
        page.locator("figure:has(.chart:not(.laid-out)) .save").count() == len(wide) - 1
    )  # the explorer's chart is no figure
    page.set_viewport_size({"width": 844, "height": 390})
    assert drawn(lambda all_: all_ == wide) == wide
    page.close()


def test_nothing_moves_for_who_asks_for_stillness(shown):
    shown.emulate_media(reduced_motion="reduce")
    moving = shown.evaluate(
        """[...document.querySelectorAll("*")].map((one) => getComputedStyle(one))
        .filter((look) => look.animationName !== "none" || parseFloat(look.transitionDuration) > 0).length"""
    )
    assert moving == 0


def test_on_paper_nothing_is_cut_and_nothing_waits_for_a_click(shown):
    shown.set_viewport_size(PAPER)
    shown.emulate_media(media="print", color_scheme="dark")
    look = "getComputedStyle(document.body).backgroundColor"
    assert shown.evaluate(look) == "rgb(255, 255, 255)"
    gone = shown.locator("nav, .save, .controls, .paging, .skip")
    assert not any(one.is_visible() for one in gone.all())
    figures = shown.eval_on_selector_all(
        "figure, .chart",
        "all => all.map(one => [one.getBoundingClientRect().height, one.getBoundingClientRect().right, getComputedStyle(one).breakInside])",
    )
    assert all(height < PAPER["height"] and right <= PAPER["width"] for height, right, _ in figures)
    assert {inside for _, _, inside in figures} == {"avoid"}
    # what is drawn, however high it is, is no smaller than two thirds of what the screen has
    smaller = shown.eval_on_selector_all(
        ":is(section, .folded) > figure > .chart svg.marks",
        "all => all.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().height / one.viewBox.baseVal.height)",
    )
    assert min(smaller) > 2 / 3
    # the numbers of figures have no gap: the wall, which is left out, would be the last
    titles = shown.eval_on_selector_all(
        "figcaption strong", "all => all.filter(one => one.checkVisibility()).map(one => one.textContent)"
    )
    numbers = [title.split()[1].rstrip(".") for title in titles]
    for of_kind in ([number for number in numbers if number.startswith("S") == folded] for folded in (False, True)):
        assert [int(number.removeprefix("S")) for number in of_kind] == list(range(1, len(of_kind) + 1))
    assert not [title for title in titles if "All sessions" in title]
    wide = "all => all.filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 90))"
    assert shown.eval_on_selector_all("table, pre, svg", wide) == []
    scrolled = "all => all.filter(one => /auto|scroll|hidden/.test(getComputedStyle(one).overflowX)).length"
    assert shown.eval_on_selector_all(".table, .chart, pre", scrolled) == 0


def test_what_is_folded_is_left_out_on_paper_but_for_tables_with_p_values(browser, files):
    page = browser.new_page(viewport=PAPER)
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    tables = """all => all.filter(one => one.checkVisibility() && one.getBoundingClientRect().height > 20)
        .map(one => [...one.querySelectorAll("thead th")].some(head => /^p\\b/.test(head.textContent)))"""
    on_screen = page.eval_on_selector_all("details .table:not(.widget .table)", tables)
    page.emulate_media(media="print")
    on_paper = page.eval_on_selector_all("details .table:not(.widget .table)", tables)
    p_tables = page.locator("details .table:not(.widget .table)").filter(
        has=page.get_by_role("columnheader", name="p", exact=True, include_hidden=True)
    )
    assert on_screen == []
    assert on_paper == [True] * p_tables.count()
    assert len(on_paper) >= 4
    assert page.locator("details figure").filter(visible=True).count() == 0
    page.close()


def test_pdf_has_pages_and_an_outline_of_the_sections(browser, files):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    unfold(page)
    written = page.pdf(prefer_css_page_size=True, outline=True, tagged=True)
    titles = page.locator("h2").all_inner_texts()
    assert len(titles) == 8
    for title in titles:
        assert f"/Title ({title})".encode() in written
    assert 12 <= max(map(int, re.findall(rb"/Type /Pages\s+/Count (\d+)", written))) <= 36  # outlines have a count too
    page.close()


def test_a_page_is_a_few_pages_of_paper_while_its_details_are_folded(browser, files):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    written = page.pdf(prefer_css_page_size=True)
    assert max(map(int, re.findall(rb"/Count (\d+)", written))) <= 6
    words = page.evaluate(
        """(() => { const main = document.querySelector("main").cloneNode(true);
        main.querySelectorAll("details > :not(summary), script, svg, .tooltip").forEach((one) => one.remove());
        return main.textContent.split(/\\s+/).length; })()"""
    )
    assert words <= 1_390
    shown = "all => all.filter(one => !one.closest('details')).length"
    assert page.eval_on_selector_all("figure", shown) >= page.eval_on_selector_all("table", shown)
    top = page.locator("#summary figure").first.bounding_box()
    tiles = page.locator(".tiles").bounding_box()
    assert tiles["y"] < 640
    assert tiles["y"] + tiles["height"] < 900
    assert top["y"] < 330
    wall, not_printed = page.locator("figure.of-session-wall"), page.get_by_text("The wall of sessions is not printed")
    assert (wall.is_visible(), not_printed.is_visible()) == (True, False)
    page.emulate_media(media="print")
    assert (wall.is_visible(), not_printed.is_visible()) == (False, True)
    page.close()


def test_no_figure_has_a_field_without_a_value(pages):
    assert [told for _, said, _ in pages.values() for told in said if "Infinite extent" in told] == []


def test_no_text_of_a_figure_is_too_small_on_paper(browser, files):
    """At the width between the margins of a sheet no text is below 6.5 points; the page does not draw its charts anew for paper."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(files["clinic"].as_uri())
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    page.evaluate("window.setTimeout = () => 0")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    points = """all => all.filter(one => one.getBoundingClientRect().width).map(one => {
        const at = one.getScreenCTM();
        return parseFloat(getComputedStyle(one).fontSize) * Math.hypot(at.a, at.b) * 0.75;
    })"""
    sizes = page.eval_on_selector_all("figure svg text", points)
    assert len(sizes) > 100
    assert min(sizes) >= 6.5
    page.close()


def test_a_link_into_what_is_folded_opens_it(browser, files):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(files["clinic"].as_uri() + "#explorer")
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    assert page.locator("#explorer-list").is_visible()
    assert not page.locator("#judgments table").first.is_visible()
    page.locator("#judgments > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#judgments table").first.is_visible()
    page.close()


def test_the_address_of_a_pair_of_sessions_leads_to_it(browser, files):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(files["clinic"].as_uri() + "#session=c102&beside=c014")
    page.wait_for_function("document.documentElement.dataset.charts !== undefined", timeout=30_000)
    name = page.locator("#explorer-name")
    assert name.inner_text() == "Sessions c102 and c014"
    assert name.is_visible()
    page.wait_for_function("document.getElementById('explorer-name').getBoundingClientRect().top < innerHeight")
    left, right = (pane.bounding_box() for pane in page.locator("#explorer-session .pane").all())
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] < right["x"]
    page.locator("nav a").first.click()
    page.wait_for_function("location.hash === '#summary'")
    assert name.inner_text() == "Sessions c102 and c014"  # an address of something else changes nothing
    page.locator("#explorer-list tbody button").first.click()
    assert name.inner_text() == "Session c001"
    page.go_back()
    page.go_back()
    page.wait_for_function("document.getElementById('explorer-name').textContent === 'Sessions c102 and c014'")
    page.evaluate("location.hash = '#%E0%A4%A'")
    page.set_viewport_size({"width": 390, "height": 844})
    above, below = (pane.bounding_box() for pane in page.locator("#explorer-session .pane").all())
    assert above["y"] + above["height"] <= below["y"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert said == []
    page.close()


def test_hostile_sessions_stand_side_by_side_as_text(pages):
    page, said, asked = pages["odd"]
    before, pairs = len(said), 0
    many = page.locator("#explorer-list tbody button").count()
    for nth in range(many):
        page.locator("#explorer-list tbody button").nth(nth).click()
        if page.locator("#explorer-beside").count():
            page.select_option("#explorer-beside", index=1)
            pairs += page.locator("#explorer-session .pane").count() == 2
            address = page.url
            assert not re.search('[<>"\u202e]', address)
    assert pairs > 5
    assert page.evaluate("window.hacked") is None
    assert page.locator("#explorer-widget").locator("img, script, a").count() == 0
    assert len(said) == before
    assert len(asked) == 1


def test_hostile_texts_run_nothing_and_show_as_text(pages, files):
    page, said, asked = pages["odd"]
    assert page.evaluate("window.hacked") is None
    assert said == []
    assert asked == [files["odd"].as_uri()]
    assert page.evaluate("document.documentElement.dataset.charts") == str(page.locator("figure svg.marks").count())
    foreign = "main img, main iframe, main [onerror], main [onfocus], [href^='javascript' i], main script:not([type='application/json'])"
    assert page.locator(foreign).count() == 0
    heading = page.locator("h1").inner_text()
    assert heading.startswith(f"{HOSTILE[0]} [U+202E]esrever")
    assert "(30,000 characters, " in heading
    text = page.locator("main").inner_text()
    for name in (
        "javascript:window.hacked=1",
        "{{7*7}} ${window.hacked=1}",
        '{"signal": "window.hacked=1"}',
        "__proto__",
    ):
        assert name in text
    assert files["odd"].stat().st_size < 2_000_000
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.evaluate("document.documentElement.textContent"))


def test_search_box_takes_whatever_is_typed(pages):
    page, said, _ = pages["odd"]
    for typed, at_least in (
        ("<img src=x onerror", 1),
        ("javascript:", 1),
        ("w" * 110, 1),
        ("(.*[\\", 0),
        ("\u202e", 0),
        ("__proto__", 1),
    ):
        page.fill("#explorer-search", typed)
        found = page.locator("#explorer-found").inner_text()
        assert page.locator("#explorer-list tbody tr").count() >= at_least, (typed[:20], found)
        assert (found == "No session has all that.") == (page.locator("#explorer-list tbody tr").count() == 0)
    page.locator("#explorer-list tbody button").first.click()
    assert page.evaluate("window.hacked") is None
    assert said == []
