"""Live discounts in a browser: sessionkit's own numbers, whatever is chosen."""

import importlib
import json
import re
import warnings
from itertools import pairwise

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports.choices import choices_of
from sessionkit.reports.live.widget import Varied
from sessionkit.reports.sections.robustness import discounts
from sessionkit.scoring.measures.grammar import parse_measure
from tests.reports.mixed_logs import mixed
from tests.reports.one_section import page_of
from tests.reports.read_page import has_parts

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture
def shown(opened, tmp_path):
    """Open a page of live discounts alone, which says nothing and asks for nothing."""

    def shown(study, measures=()):
        path = tmp_path / "page.html"
        path.write_text(page_of(discounts, study, measures), encoding="utf-8")
        page, said, asked = opened(path)
        assert said == []
        assert asked == [path.as_uri()]
        return page

    return shown


def state(page):
    """What the page worked out."""
    return page.evaluate(
        """(() => { const {curves, ratios, total, share, names, milliseconds} = document.getElementById("live").sessionkit;
        const lists = (all) => all.map((one) => [...one].map((value) => (Number.isFinite(value) ? value : null)));
        return {curves: lists(curves), ratios: lists(ratios), total, share, names, milliseconds}; })()"""
    )


def same(page, study):
    """Compare the page's numbers with those of the measures that it names."""
    found = state(page)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, values in zip(found["names"], (found["total"], found["share"]), strict=True):
            scores = sk.score(study, name, by="system_id")
            assert values == pytest.approx(scores["value"].to_list(), abs=1e-9)
        for name, curves in zip(found["names"], (found["curves"], found["ratios"]), strict=True):
            frame = sk.curve(study, name, "system_id").sort("system_id", "slot")
            expected = frame.group_by("system_id", maintain_order=True).agg("value")["value"].to_list()
            assert [len(one) for one in curves] == [len(one) for one in expected]
            for got, wanted in zip(curves, expected, strict=True):
                assert [one is None for one in got] == [one is None for one in wanted]
                assert [one or 0 for one in got] == pytest.approx([one or 0 for one in wanted], abs=1e-9)
    return found


@pytest.mark.browser
def test_a_group_without_a_value_has_no_line(shown):
    # B searched a topic that nothing is judged for: its mean is undefined, which is not 0
    study = sk.from_tables(
        results={"session_id": list("abc"), "query_position": [1] * 3, "rank": [1] * 3, "doc_id": list("xyx")},
        sessions={"session_id": list("abc"), "system_id": list("AAB"), "topic_id": ["t", "t", "u"]},
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [2]},
    )
    page = shown(study)
    found = page.evaluate(
        """(() => { const {curves, total} = document.getElementById("live").sessionkit;
        return {total, zeros: [...curves[1]].filter((one) => one === 0).length, many: curves[1].length}; })()"""
    )
    assert found == {"total": [1, None], "zeros": 0, "many": 10}  # A: (2 + 0) / 2
    assert page.locator("#live-drawing path.curve").count() == 1
    assert page.locator("#live-means tbody tr").all_inner_texts()[1].split("\t")[1:] == ["0", "\u2013", "\u2013"]


@pytest.mark.few(3)
@pytest.mark.browser
@pytest.mark.parametrize(
    "measures",
    [
        (),
        ("sDCG(b=3,bq=1.5)@4",),
        ("sDCG(duplicates=first)@5", "nsDCG(duplicates=first,ideal=once)@5"),
        ("sDCG(unjudged=skip,undefined=zero)@6",),
        ("sDCG(unjudged_topics=zero)@6", "nsDCG(undefined=zero,unjudged_topics=zero)@6"),
        ("sDCG(gain=exp2,queries=2)@3", "nsDCG(ideal_queries=3)@3"),
        ("sDCG(gain=binary,min_grade=2)@10",),
        ("sDCG(gain=1-2-4-9)@10",),
        ("sDCG(grades=user)@10",),
    ],
    ids=str,
)
def test_every_setting_gives_the_numbers_of_sessionkit(shown, measures):
    compared(shown, mixed(), measures)


@pytest.mark.few(1)
@pytest.mark.browser
@pytest.mark.parametrize(
    "measures", [(), ("sDCG(duplicates=first)@5", "nsDCG(duplicates=first,ideal=once)@5")], ids=str
)
def test_queries_that_are_judged_for_other_topics_count_as_such(shown, measures):
    compared(shown, mixed(own_keys=True), measures)


def compared(shown, study, measures):
    """Compare what the page shows with sessionkit's own numbers for several settings."""
    page = shown(study, measures)
    start = same(page, study)
    assert start["names"][0] == (measures[0] if measures else "sDCG@10")
    page.fill("#live-b", "1.1")
    page.fill("#live-bq", "20")
    assert "b=1.1,bq=20" in same(page, study)["names"][0]
    for gain in ("exp2", "binary", "weights", "linear"):
        page.select_option("#live-gain", gain)
        if gain == "weights":
            page.fill("[data-grade='2']", "0.5")  # weights need not rise with the grade
            page.fill("[data-grade='3']", "30")
        same(page, study)
    page.click("#live-reset")
    assert state(page)["names"] == start["names"]
    assert state(page)["total"] == start["total"]


@pytest.mark.browser
def test_controls_work_by_keyboard_on_a_logarithmic_scale(shown):
    study = mixed()
    page = shown(study)
    page.focus("#live-b-slider")
    bases = []
    for key in ("ArrowRight", "ArrowLeft", "Home", "End"):
        page.keyboard.press(key)
        bases.append(page.input_value("#live-b"))
        assert page.get_attribute("#live-b-slider", "aria-valuetext") == bases[-1]
    assert bases == ["2.07", "2", "1.1", "100"]  # a step multiplies by (100 / 1.1) ** (1 / 200) = 1.0228
    page.evaluate(
        "const slider = document.getElementById('live-b-slider'); slider.value = 100; slider.dispatchEvent(new Event('input'));"
    )
    assert page.input_value("#live-b") == "10.5"  # halfway: the root of 1.1 x 100
    assert same(page, study)["names"][0] == "sDCG(b=10.5)@10"
    page.fill("#live-b", "2.55")
    assert same(page, study)["names"][0] == "sDCG(b=2.55)@10"
    page.fill("#live-b", "1000000")  # beyond the slider
    assert page.input_value("#live-b-slider") == "200"
    assert same(page, study)["names"][0] == "sDCG(b=1000000)@10"
    for name in ("Rank discount, base b", "Query discount, base bq", "Gain", "Curves of"):
        assert page.get_by_label(name, exact=True).count() == 1
    assert page.locator("#live-drawing svg").get_attribute("aria-label").startswith("Mean sDCG(b=1000000)@10")


TICKS = "all => all.map((one) => [one.textContent, one.getAttribute('x'), one.getAttribute('y')])"


def axes(page):
    """Numbers along both axes and where they stand."""
    return page.eval_on_selector_all("#live-drawing .tick", TICKS)


@pytest.mark.browser
@pytest.mark.parametrize("which", ["0", "1"])
def test_axes_stay_and_the_published_setting_is_a_named_ghost(shown, which):
    page = shown(mixed())
    page.select_option("#live-measure", which)
    before, start = axes(page), state(page)
    assert len(before) > 6
    assert page.locator("#live-drawing .name").all_text_contents() == names_by_end(page)
    assert page.locator("#live-means svg").count() == 0
    was = page.eval_on_selector_all("#live-drawing .ghost", "all => all.map((one) => one.getAttribute('d'))")
    moved = "([id, at]) => { const one = document.getElementById(id); one.value = at; one.dispatchEvent(new Event('input')); }"
    for at in range(0, 201, 20):
        for name, place in (("b", at), ("bq", 200 - at)):
            page.evaluate(moved, [f"live-{name}-slider", place])
            assert axes(page) == before
            tops = page.eval_on_selector_all("#live-drawing .curve", "all => all.map((one) => one.getBBox().y)")
            assert min(tops) >= 21.9  # nothing is drawn above the axis
    ghosts = page.eval_on_selector_all("#live-drawing .ghost", "all => all.map((one) => one.getAttribute('d'))")
    assert ghosts == was
    named = page.locator("#live-drawing .name").all_text_contents()
    assert sorted(named) == sorted([*"ABC", *(f"{name}, published" for name in "ABC")])
    heights = sorted(
        page.eval_on_selector_all("#live-drawing .name", "all => all.map((one) => Number(one.getAttribute('y')))")
    )
    assert all(b - a >= 13.8 for a, b in pairwise(heights))
    assert start["names"][int(which)] in page.locator("#live-drawing svg").text_content()
    label = page.locator("#live-drawing svg").get_attribute("aria-label")
    assert f"in gray {start['names'][int(which)]}, published" in label


@pytest.mark.browser
def test_of_many_lines_those_are_named_whose_names_stand_free(make, shown):
    page = shown(make(judged=True, systems=tuple(f"Engine {nth:02}" for nth in range(20)), sessions=40), ["sDCG@10"])
    drawn = page.locator("#live-drawing .name")
    found = dict(
        zip(
            drawn.all_text_contents(),
            drawn.evaluate_all("all => all.map((one) => +one.getAttribute('y'))"),
            strict=True,
        )
    )
    ends = dict(page.evaluate("(({curves}) => curves.map((one, at) => [`Engine ${String(at).padStart(2, 0)}`, one.at(-1)]))"
                              "(document.getElementById('live').sessionkit)"))  # fmt: skip
    highest, lowest = max(ends.values()), min(ends.values())
    assert {ends[name] for name in found} >= {highest, lowest}
    assert 2 <= len(found) < 20
    assert all(b - a >= 13.8 for a, b in pairwise(sorted(found.values())))
    assert page.locator("#live-named").inner_text().startswith(f"{len(found)} of 20 lines are named.")
    assert page.locator("#live-drawing title").all_text_contents()[-20:] == list(ends)
    left_out = next(name for name in ends if name not in found)
    page.get_by_role("button", name=left_out).click()
    assert left_out in drawn.all_text_contents()
    assert page.locator("#live-drawing [stroke-width='4.4']").count() == 1
    page.get_by_role("button", name=left_out).click()
    assert drawn.all_text_contents() == list(found)


def names_by_end(page):
    """The groups, the one that ends highest first."""
    ends = page.evaluate(
        """(() => { const {which, curves, ratios} = document.getElementById("live").sessionkit;
        return (which ? ratios : curves).map((one) => one[one.length - 1]); })()"""
    )
    return [name for _, name in sorted(zip(ends, "ABC", strict=True), reverse=True)]


@pytest.mark.browser
@pytest.mark.parametrize("name", ["b", "bq"])
def test_a_base_that_cannot_stand_says_what_can_and_draws_nothing(shown, name):
    page = shown(mixed())
    before, allowed = axes(page), page.locator(f"#live-{name}-allowed")
    assert not allowed.is_visible()
    for typed in ("1", "0.5", "-3", "", "e", "1e999"):
        page.fill(f"#live-{name}", "3")
        assert page.locator("#live-drawing .curve").count() == 3
        assert not allowed.is_visible()
        page.fill(f"#live-{name}", "")
        page.locator(f"#live-{name}").press_sequentially(typed)
        assert allowed.inner_text() == f"{name} must be a number above 1", typed
        assert page.get_attribute(f"#live-{name}", "aria-invalid") == "true"
        assert page.get_attribute(f"#live-{name}", "aria-describedby") == f"live-{name}-allowed"
        beside = page.locator(f"#live-{name}").bounding_box(), allowed.bounding_box()
        assert abs(beside[0]["y"] - beside[1]["y"]) < 20
        assert page.locator("#live-drawing .curve").count() == 0
        assert page.locator("#live-drawing .ghost").count() == 3
        assert axes(page) == before
        assert page.locator("#live-told").inner_text().endswith(f"{name} must be a number above 1.")
        assert page.locator("#live-means tbody td:nth-child(3)").all_inner_texts() == ["\u2013"] * 3
    page.focus(f"#live-{name}-slider")
    page.keyboard.press("ArrowLeft")
    assert not allowed.is_visible()
    assert page.get_attribute(f"#live-{name}", "aria-invalid") is None
    assert page.locator("#live-drawing .curve").count() == 3


@pytest.mark.browser
def test_a_gain_that_cannot_stand_says_what_can(shown):
    page = shown(mixed())
    page.select_option("#live-gain", "weights")
    page.fill("[data-grade='1']", "-1")
    said = "the gain of a grade must be a number from 0 to 1,000,000"
    assert page.locator("#live-weights-allowed").inner_text() == said
    assert page.locator("#live-told").inner_text() == f"No curve is drawn: {said}."
    page.select_option("#live-gain", "linear")  # the weights are not asked for any more
    assert page.locator("#live-drawing .curve").count() == 3


@pytest.mark.slow
@pytest.mark.browser
def test_a_step_of_a_study_of_a_thousand_sessions_takes_under_a_tenth_of_a_second(shown):
    page = shown(mixed(sessions=1000, queries=8))
    took = []
    for step in range(8):
        page.fill("#live-b", str(2 + step))
        took.append(state(page)["milliseconds"])
    assert sorted(took)[4] < 100
    assert page.locator("#live-means tbody tr").count() == 3


@pytest.mark.browser
def test_beyond_so_many_sessions_shares_are_of_a_sample_and_sums_of_all(shown, monkeypatch):
    monkeypatch.setattr(importlib.import_module("sessionkit.reports.sections.robustness"), "SESSIONS", 30)
    study = mixed()
    page = shown(study)
    scores = sk.score(study, "sDCG@10", by="system_id")
    found = state(page)
    assert found["total"] == pytest.approx(scores["value"].to_list(), abs=1e-9)
    assert found["share"] != pytest.approx(sk.score(study, "nsDCG@10", by="system_id")["value"].to_list(), abs=1e-9)
    counts = page.evaluate("[...document.querySelectorAll('#live-means tr')].map((row) => row.cells[4].textContent)")
    assert counts[0] == "Sessions of nsDCG@10"
    assert 0 < sum(map(int, counts[1:])) <= 30
    assert " of 30, drawn at random" in page.locator("#discounts").inner_text()


@pytest.mark.browser
def test_equal_means_are_level(make, shown):
    page = shown(make(judged=True, systems=("S1", "S2"), sessions=2, topics=("t", "u")))
    page.select_option("#live-gain", "weights")
    page.fill("[data-grade='2']", "0")
    level = page.locator("#live-told").inner_text()
    assert has_parts(level, "sDCG(gain=0-1-0)@10", "S1 is level with S2", "0.0000 against 0.0000.")


@pytest.mark.browser
def test_hostile_names_run_nothing(hostile, shown):
    page = shown(hostile, ["sDCG@10"])
    page.select_option("#live-gain", "exp2")
    assert page.evaluate("window.hacked") is None
    assert "<img src=x onerror=window.hacked=1>" in page.locator("#live-means").inner_text()
    assert page.locator("#live img, #live a, #live [onerror]").count() == 0


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (
            ("sDCG(discount=geometric,p=0.8)@10", "nsDCG(ideal=spread)@10"),
            ("(discount=geometric, p=0.8): sDCG@10 stands in", "and is not spread"),
        ),
        (
            ("nsDCG(query_discount=none)@5",),
            ("(query_discount=none): sDCG@5 stands",),
        ),
        (("sDCG(gain=lifted)@10",), ("sDCG(gain=lifted)@10 cannot be", "sDCG@10 stands in")),
        (("sRBP(b=0.5,p=0.8)@10", "mean(nDCG@10)"), ("has discounts with these bases",)),
        (("nsDCG(normalize=query)@10",), ("whole sessions are divided by",)),
        (("sDCG@10", "nsDCG(b=3)@10"), ("nsDCG(b=3)@10 is varied", "parameters of sDCG@10 here.")),
    ],
)
def test_measures_that_cannot_be_varied_so_are_replaced_and_named(measures, said):
    text = page_of(discounts, mixed(), measures)
    assert [words in text for words in said] == [True] * len(said)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("measures", "whose"), [((), "of the report's own discounts."), (("sDCG(discount=shifted)@10",), "by sDCG@10.")]
)
def test_the_order_is_held_against_what_the_controls_began_with(make, shown, measures, whose):
    page = shown(make(), measures)
    page.fill("#live-b", "9")
    assert page.locator("#live-told").inner_text().endswith(f"these means is that {whose}")


def test_nothing_is_said_of_measures_that_are_varied_as_they_are():
    for measures in ((), ("sDCG@10",), ("nsDCG(gain=exp2,b=3)@5", "P@10"), ("nsDCG(ideal=once)@10",)):
        asked = [parse_measure(text) for text in measures]
        assert Varied.of(choices_of(mixed(), asked)).told == ""


def test_weights_are_offered_for_whole_grades_alone(make):
    assert '<option value="weights">' in page_of(discounts, mixed())
    half = sk.from_tables(
        {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1.5]},
    )
    assert '<option value="weights">' not in page_of(discounts, half)


@pytest.mark.slow
def test_a_study_in_several_blocks_has_the_same_bytes(monkeypatch):
    study = mixed()
    whole = page_of(discounts, study)
    assert page_of(discounts, mixed()) == whole
    from sessionkit.scoring import batch

    small = batch.batches
    monkeypatch.setattr("sessionkit.reports.live.widget.batches", lambda study, read: small(study, read, rows=40))
    assert page_of(discounts, study) == whole


@pytest.mark.slow
def test_data_are_compact():
    study = mixed(sessions=1000, queries=8)
    text = page_of(discounts, study)
    data = re.search(r'id="live-data">(.*?)</script>', text)[1]
    assert len(data) < 120_000
    # all but 32 sessions of which no list was logged
    logged = study.queries.filter(pl.col("results_status") != "not_logged").select("session_id").unique().collect()
    assert len(json.loads(data)["sessions"]["size"]) == len(logged) == 968


@pytest.mark.browser
def test_names_in_another_direction_leave_the_numbers_where_they_are(make, shown):
    page = shown(make(systems=("\u05d0\u05d1", "\u05d2\u05d3")))
    words = "document.createTreeWalker(document.getElementById('live-told'), NodeFilter.SHOW_TEXT)"
    lefts = page.evaluate(
        f"""(() => {{ const found = [], walker = {words}, range = document.createRange();
        while (walker.nextNode()) {{ range.selectNodeContents(walker.currentNode); found.push(range.getClientRects()[0].left); }}
        return found; }})()"""
    )
    assert len(lefts) == 5
    assert lefts == sorted(lefts)


def wait_until(page, condition):
    """Wait until an expression is true; the page's own policy forbids Playwright to poll inside of it."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never true: {condition}; the address is {page.url}")


@pytest.mark.browser
def test_the_setting_stands_in_the_address_and_comes_back_from_it(shown):
    page = shown(mixed())
    file = page.url
    page.fill("#live-b", "3.5")
    page.select_option("#live-gain", "binary")
    wait_until(page, "location.hash === '#b=3.5&gain=binary'")
    length = page.evaluate("history.length")
    page.fill("#live-bq", "8")
    wait_until(page, "location.hash === '#b=3.5&gain=binary&bq=8'")
    assert page.evaluate("history.length") == length
    names = page.evaluate("document.getElementById('live').sessionkit.names")
    assert names[0] == "sDCG(gain=binary,b=3.5,bq=8)@10"
    page.reload()
    wait_until(page, "document.getElementById('live').sessionkit")
    assert page.evaluate("document.getElementById('live').sessionkit.names") == names
    assert page.input_value("#live-bq") == "8"
    page.click("#live-reset")
    wait_until(page, "['', '#'].includes(location.href.slice(location.href.indexOf('.html') + 5))")
    page.goto(f"{file}#b=1&bq=<b>&gain=none&weights=1-x&curves=7")
    page.reload()
    wait_until(page, "document.getElementById('live').sessionkit")
    assert page.evaluate("document.getElementById('live').sessionkit.published")
    page.evaluate("location.hash = '#session=s1&curves=1&bq=6'")
    wait_until(page, "document.getElementById('live').sessionkit.which === 1")
    page.fill("#live-bq", "7")
    wait_until(page, "location.hash === '#session=s1&curves=1&bq=7'")
