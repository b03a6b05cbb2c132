"""The report as a whole.

The figures of a page as files.

What stands in a log does nothing in the page, and what was rejected does not stand there.

What a reader of the page meets: prose without commands, since the page has no shell.

A page of figures with the explorer below: a click on a session opens it.

Tooltips: a term is explained where a section first uses it, and no name from a log is taken for a term.
"""

import html
import re
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import altair as alt
import polars as pl
import pytest
from markupsafe import Markup

import sessionkit as sk
from sessionkit.display.terminal import glossary
from sessionkit.errors import DataWarning, MeasureError, UsageError
from sessionkit.reports import page, report
from sessionkit.reports.choices import Redaction
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.page import SPELLINGS, figures_of, mark_terms, meanings, session_page, terms_of, write_figures
from sessionkit.reports.report_data import Material
from sessionkit.reports.sections import sessions
from sessionkit.reports.sections.measures import _differences
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure
from tests.reports.mixed_logs import mixed
from tests.reports.one_section import page_of
from tests.reports.read_page import Reader, has_parts, specs, without_terms
from tests.support.clinic import read_clinic


@pytest.mark.slow
def test_page_has_tables_scores_figures_method_notes_and_data(make):
    text = report(make(sessions=6, title="A study", max_grade=2))
    page = Reader(text)
    assert re.findall("<h[12]>(.*?)</h[12]>", text)[0] == "A study"
    titles = {
        "summary": "What was found",
        "topics": "On which topics?",
        "sessions": "When in the session?",
        "behavior": "How did people search?",
        "robustness": "Could this be wrong?",
        "every-session": "Browse sessions",
        "method": "Data and method",
    }
    del titles["topics"]  # there is one topic
    assert dict(re.findall('<h2 id="([a-z-]+)-title">(.*?)</h2>', text)) == titles
    assert re.findall('<li><a href="#([a-z-]+)">', text) == [*titles]
    details = re.findall('<details id="([a-z-]+)">', text)
    assert {"measures", "study", "judgments", "sensitivity", "discounts", "explorer", "quality", "definitions"} <= {
        *details
    }
    numbers = re.findall(r"Figure (S?\d+)\.", page.text)
    shown, folded = ([one for one in numbers if one.startswith("S") == last] for last in (False, True))
    assert shown == [str(number) for number in range(1, len(shown) + 1)]
    assert folded == [f"S{number}" for number in range(1, len(folded) + 1)]
    assert len(specs(text)) == len(numbers) > 5
    assert "Sessions by number of queries" in page.text
    assert has_parts(page.text, "scale ends at 2", "below 0 gain nothing")
    assert "Synthetic" not in text.split("<script")[0]


@pytest.mark.slow
def test_scores_stand_in_the_table_as_scored(make):
    study = make(sessions=6)
    scores = sk.score(study, "sDCG@10", by="system_id")
    text = report(study, "sDCG@10")
    for row in scores.iter_rows(named=True):
        shown = f"{row['value']:.4f}"
        value = f"<strong>{shown}</strong>" if row["value"] == scores["value"].max() else shown
        cells = f'<td>sDCG@10</td><td>{row["system_id"]}</td><td class="number">{value}</td>'
        assert cells in text


@pytest.fixture(scope="module")
def usual_page(make):
    """The page of the usual study, made once; warnings are errors here."""
    return report(make())


@pytest.mark.slow
def test_bytes_are_the_same_every_time_and_in_the_file(make, usual_page, tmp_path):
    study = make()
    text = report(study, output=tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes() == text.encode()
    assert usual_page == text
    assert report(study) == text  # what is kept of the study changes nothing
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.slow
def test_report_of_a_study_from_disk_is_the_same_but_for_how_to_make_it_again(make, usual_page, tmp_path):
    again = re.compile("<p>The same page again[^<]*</p>|<pre><code>sessionkit[^<]*</code></pre>")
    saved = report(make().save(tmp_path / "study"))
    assert len(again.findall(saved)) == 3
    assert again.sub("", saved) == again.sub("", usual_page)


@pytest.mark.slow
def test_synthetic_studies_say_so_at_the_top_and_in_every_figure(make):
    text = report(make(synthetic=True))
    assert "this study was made up" in text
    assert all("Synthetic data" in spec["title"]["subtitle"] for spec in specs(text))
    redacted = report(make(synthetic=True), redact="users,queries,documents")
    assert "this study was made up" in redacted
    assert all("Synthetic data" in spec["title"]["subtitle"] for spec in specs(redacted))


@pytest.mark.slow
def test_a_mean_over_fewer_sessions_says_over_how_many(make):
    # sessions of 1, 2, 3 and 4 queries: the first has no query before its last
    text = without_terms(report(make(systems=(None,)), ["mean(nDCG@10)", "nonlast(nDCG@10)"])).replace("\xa0", " ")
    assert re.search(r"mean\(nDCG@10\) is [.0-9]+ \(95% CI [^)]*, 2 users\)[.]<", text)
    assert re.search(r"nonlast\(nDCG@10\) is [.0-9]+ \(95% CI [^)]*, 2 users, 3 sessions\)[.]<", text)


@pytest.mark.slow
def test_a_log_without_systems_is_not_told_of_them(make):
    text = html.unescape(re.sub("<[^>]*>", "|", report(make(systems=(None,))).split("<script>")[0]))
    assert "so there is no conclusion" in text
    for said in ("by=system_id", "Scores by system", "Sessions by system", "|Systems|"):
        assert said not in text


def test_a_difference_stands_beside_the_estimate_that_its_interval_is_of():
    # users who lack a session of two queries are left out, so that the means are of other topics for each system
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        comparison = sk.compare(read_clinic(), "nonlast(nDCG@10)")
    shown = _differences(comparison, "Differences")
    row = dict(zip(shown.headers, shown.rows[0], strict=True))
    found = comparison.table.row(0, named=True)
    assert abs(found["estimate"] - found["raw_difference"]) > 0.0005
    assert row["Adjusted difference"].rstrip("*") == f"{found['estimate']:.4f}"
    assert row["Raw difference"] == f"{found['raw_difference']:.4f}"
    assert row["Raw mean S1"] == f"{found['mean_a']:.4f}"
    assert [*shown.headers[1:6]] == ["Adjusted difference", "95% interval", "p", "Effect size", "n"]
    assert has_parts(shown.note, "Adjusted difference", "values of system_id adjusted")


def test_study_without_systems_topics_or_judgments_has_what_can_be_had(make):
    bare = make(systems=(None,), topics=(None,), users=(None,), judged=False)
    text = report(bare)
    assert [spec["title"]["text"] for spec in specs(text)] == ["Sessions that go on"]  # no empty axes
    words = Reader(text).text
    assert words.count("The study has no judgments") == 1
    assert "no session names its" in words
    assert "there are no judgments" in words


@pytest.mark.slow
def test_undefined_values_are_noted_and_not_warned_of(usual_page):
    # a session of one query has no nonlast(nDCG@10)
    assert "nonlast(nDCG@10) undefined for" in Reader(usual_page).text


def test_wrong_requests_are_refused_before_anything_is_computed(make, tmp_path):
    study = make()
    with pytest.raises(MeasureError):
        report(study, "nsDGC@10")
    with pytest.raises(UsageError, match=r"documents, users, not 'user'.*'users'"):
        report(study, redact="user")
    with pytest.raises(UsageError, match="does not exist; create it"):
        report(study, output=tmp_path / "none" / "report.html")


def test_room_and_function_have_one_name():
    import sessionkit.reports.page  # importing the room must not hide the function

    assert sessionkit.report is report
    assert report.__name__ == "report"


@pytest.mark.slow
def test_tables_that_describe_the_study_stop_after_twenty_rows(make):
    topics = tuple(f"topic{number:02}" for number in range(25))
    page = report(make(topics=topics, systems=("S1",), sessions=25))
    # one row per topic in the recall base and in the table of systems and topics
    assert len(re.findall("5 more rows [^<]*the CSV", page)) == 2


@pytest.mark.slow
def test_what_a_report_does_not_have_is_not_loaded():
    """Readers of logs, models, plans and figures that are drawn apart would take a tenth of a small report's time."""
    apart = [
        "readers.read",
        "statistics.mixed_model",
        "statistics.power",
        "robustness.judge_noise",
        "reports.figures.vectors",
    ]
    assert all(find_spec(f"sessionkit.{name}") for name in apart)
    code = f"import sys, sessionkit.reports; print([name for name in {apart} if f'sessionkit.{{name}}' in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("file", ["r.html", Path("out") / "r.HTM", ["nDCG@10", "r.html"]])
def test_a_file_in_the_place_of_measures_is_explained(file):
    lists = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    with pytest.raises(
        UsageError,
        match=r"measures, and '.*' is a file: .*output='",
    ):
        sk.report(sk.from_tables(lists), file)


@pytest.mark.slow
def test_every_figure_has_its_drawing_its_data_and_its_caption(make, tmp_path):
    study = make(sessions=8, topics=("t", "u", "u"))
    report(study, output=tmp_path / "page.html", figures=tmp_path / "figures")
    drawn = [*figures_of(page.sections_of(study))]
    assert len(drawn) > 5
    for number, figure in enumerate(drawn, 1):
        stem = f"{number:02}-{figure.kind}"
        for ending, start in (("svg", b"<svg"), ("pdf", b"%PDF")):
            assert (tmp_path / "figures" / f"{stem}.{ending}").read_bytes().startswith(start)
        text = (tmp_path / "figures" / f"{stem}.txt").read_text("utf-8")
        assert text == f"{figure.title}. {figure.caption}\n"
        table = pl.read_csv(tmp_path / "figures" / f"{stem}.csv")
        assert table.height > 0
        assert "beside" not in table.columns
    assert len([*(tmp_path / "figures").iterdir()]) == 4 * len(drawn)
    assert {path.name.partition("-")[0] for path in (tmp_path / "figures").iterdir()} == {
        f"{number:02}" for number in range(1, len(drawn) + 1)
    }


@pytest.mark.slow
def test_a_folder_with_files_is_left_alone(make, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not an empty folder"):
        write_figures([], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    made = write_figures(page.sections_of(make(judged=False)), tmp_path / "new" / "figures")
    assert (made / "01-session-survival.svg").exists()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["figures"]


@pytest.mark.slow
def test_no_name_of_a_log_is_a_formula_in_the_data(make, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "FIGURE_FORMATS", ())  # tables alone are written
    made = write_figures(page.sections_of(make(systems=("=1+1", "@x"), sessions=6)), tmp_path / "figures")
    text = "".join(path.read_text("utf-8") for path in made.glob("*.csv"))
    assert "'=1+1" in text
    assert not [cell for line in text.splitlines() for cell in line.split(",") if cell.startswith(("=", "@"))]


@pytest.fixture(scope="module")
def hostile_page(hostile):
    """The page of the study in which every name is hostile."""
    return report(hostile, by="user_id")


@pytest.mark.slow
def test_hostile_names_are_text_and_nothing_else(hostile_page):
    text = hostile_page
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
def test_page_draws_its_charts_runs_nothing_else_and_asks_for_nothing(hostile_page, opened, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(hostile_page, encoding="utf-8")
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
def test_policy_stops_scripts_that_are_not_ours(usual_page, opened, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(usual_page.replace("<main>", "<main><script>window.hacked=1</script>", 1), encoding="utf-8")
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
    assert "Values set aside" in text
    assert "<b>bold" not in page


COMMAND = re.compile(r"\bsessionkit [a-z]|(?<![\w-])--[a-z]")


def prose_of(text):
    """Return the text of a page outside commands to copy, which stand folded under "Data and method", and outside drawings."""
    main = re.search(r"(?s)<main>.*</main>", text)[0]
    return html.unescape(re.sub(r"(?s)<(script|pre).*?</\1>|<[^>]+>", "\n", main))


@pytest.mark.slow
@pytest.mark.parametrize("study", ["clinic", "unjudged", "one-system", "one-session", "large"])
def test_no_prose_of_a_page_names_a_command_or_an_option(make, monkeypatch, tmp_path, study):
    if study == "large":
        monkeypatch.setattr(Material, "large", True)
    made = {
        "clinic": read_clinic,
        "large": read_clinic,
        "unjudged": lambda: make(judged=False, sessions=6),
        "one-system": lambda: make(systems=(None,), sessions=6),
        "one-session": lambda: make(sessions=1),
    }[study]()
    text = report(made if study in ("clinic", "large") else made.save(tmp_path / "study"))  # a command reads it
    assert "sessionkit score STUDY nsDCG@10 --per session --wide" in text
    assert [line for line in prose_of(text).splitlines() if COMMAND.search(line)] == []


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("no session; see: sessionkit check", "no session"),
        ("one grid (sessionkit calibrate --table grids).", "one grid."),
        ("These hold; to generalize, use: sessionkit compare.", "These hold."),
        ("sessionkit 1.2 scored it (twice).", "sessionkit 1.2 scored it (twice)."),
        ("'x; see: sessionkit check' is a group", "'x; see: sessionkit check' is a group"),
    ],
    ids=["see", "brackets", "use", "version", "within-a-name"],
)
def test_a_note_stands_without_the_command_it_ends_with(note, shown):
    assert Redaction().note(note) == shown


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


@pytest.fixture(scope="module")
def longer_page(make):
    """The page of a study of six sessions."""
    return report(make(sessions=6))


@pytest.mark.slow
def test_a_page_explains_each_term_that_it_marks_once(longer_page):
    text = longer_page
    described = {name for name, _ in TERM.findall(text)}
    assert len(described) > 3
    tooltip = re.compile(r'<div class="tooltip" id="([^"]+)" role="tooltip" popover="manual">')
    assert {*tooltip.findall(text)} == described
    for section in re.split(r"<section id=", text)[1:]:
        names = [name for name, _ in TERM.findall(section)]
        assert len(names) == len({*names})


@pytest.mark.browser
def test_a_term_is_explained_to_pointer_keyboard_and_touch(opened, longer_page, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(longer_page, encoding="utf-8")
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
