"""The report as a whole."""

import html
import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning, MeasureError, UsageError
from sessionkit.report import report
from sessionkit.report.sections.measures import _differences

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic" / "study.toml"


class Reader(HTMLParser):
    """The elements of a page, and its text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self._inside = [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):  # noqa: ARG002
        self._inside = None

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.text += data


def specs(text):
    """Return the charts of a page."""
    return [json.loads(found) for found in re.findall(r'data-chart="[^"]*">(.*?)</script>', text)]


def test_page_has_tables_scores_figures_method_notes_and_data(make):
    text = report(make(sessions=6, title="A study", max_grade=2))
    page = Reader(text)
    assert re.findall("<h[12]>(.*?)</h[12]>", text)[0] == "A study"
    titles = {
        "summary": "Summary",
        "study": "The study",
        "sessions": "Sessions",
        "discounts": "Live discounts",
        "measures": "Measures",
        "sensitivity": "Sensitivity",
        "behaviour": "Behaviour",
        "searchers": "Searchers",
        "judgments": "Incomplete judgments",
        "explorer": "Session explorer",
        "quality": "Data quality",
        "method": "Method and provenance",
    }
    assert dict(re.findall('<h2 id="([a-z]+)-title">(.*?)</h2>', text)) == titles
    assert re.findall('<li><a href="#([a-z]+)">', text) == [*titles]
    assert re.findall(r"Figure (\d)\.", page.text) == ["1", "2", "3", "4", "5", "6"]
    assert len(specs(text)) == 6
    assert "Sessions by number of queries" in page.text
    assert "The grade scale ends at 2. Several judgments of one document are merged by max." in page.text
    assert "Synthetic" not in text.split("<script")[0]


def test_scores_stand_in_the_table_as_scored(make):
    study = make(sessions=6)
    scores = sk.score(study, "sDCG@10", per="system")
    text = report(study, "sDCG@10")
    for row in scores.iter_rows(named=True):
        shown = f"{row['value']:.4f}"
        value = f"<strong>{shown}</strong>" if row["value"] == scores["value"].max() else shown
        assert f'<td>sDCG@10</td><td>{row["system_id"]}</td><td class="number">{value}</td>' in text


def test_bytes_are_the_same_every_time_and_in_the_file(make, tmp_path):
    study = make()
    text = report(study, output=tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes() == text.encode()
    assert report(study) == text
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_report_of_a_study_from_disk_is_the_same(make, tmp_path):
    study = make()
    assert report(study.save(tmp_path / "study")) == report(study)


def test_synthetic_studies_say_so_at_the_top_and_in_every_figure(make):
    text = report(make(synthetic=True))
    assert "this study was made up" in text
    assert all("Synthetic data" in spec["title"]["subtitle"] for spec in specs(text))


def test_a_mean_over_fewer_sessions_says_over_how_many(make):
    # sessions of 1, 2, 3 and 4 queries: the first has no query before its last
    text = report(make(systems=(None,)), ["mean(nDCG@10)", "nonlast(nDCG@10)"])
    (lead,) = re.findall("On average over 4 sessions, .*?<", text)
    assert re.fullmatch(
        r"On average over 4 sessions, mean\(nDCG@10\) is [.0-9]+ and nonlast\(nDCG@10\) is [.0-9]+ \(over 3\)[.]<", lead
    )


def test_a_log_without_systems_is_not_told_of_them(make):
    text = html.unescape(re.sub("<[^>]*>", "|", report(make(systems=(None,))).split("<script>")[0]))
    assert "the log names no system, so there is no conclusion" in text
    for said in ("by=system_id", "Scores by system", "Sessions by system", "|Systems|"):
        assert said not in text


def test_a_difference_stands_beside_the_estimate_that_its_interval_is_of():
    # users who lack a session of two queries are left out, so that the means are of other topics for each system
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        comparison = sk.compare(sk.read(CLINIC), "nonlast(nDCG@10)")
    shown = _differences(comparison)
    row = dict(zip(shown.headers, shown.rows[0], strict=True))
    found = comparison.table.row(0, named=True)
    assert abs(found["estimate"] - found["difference"]) > 0.0005
    assert row["Estimate"] == f"{found['estimate']:.4f}"
    assert row["Difference"] == f"{found['difference']:.4f}"
    assert "of the means; estimate and interval are of the" in shown.note


def test_where_all_is_judged_no_table_of_hundreds_says_so(make):
    whole = make(max_grade=2)
    judgments = whole.judgments.collect()
    partly = replace(whole, judgments=judgments.head(len(judgments) - 1).lazy())
    assert "Judged share by rank" in report(partly)
    text = report(whole)
    assert "Every document that was shown is judged" in text
    for table in ("Judged share by", "whatever the unjudged results are"):
        assert table not in text


def test_colours_of_systems_are_the_same_in_all_figures(make):
    used = {}
    for spec in specs(report(make(sessions=6)))[1:4]:
        for layer in spec["layer"]:
            scale = layer["encoding"].get("color", {}).get("scale")
            for name, colour in zip(*(scale[key] for key in ("domain", "range")), strict=True) if scale else ():
                assert used.setdefault(name, colour) == colour
    assert set(used) == {"S1", "S2"}


def test_hostile_names_are_text_and_nothing_else(hostile):
    text = report(hostile, per="user")
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
            "pre",
            "code",
        ),
        *("bdi", "form", "label", "input", "select", "option", "button", "fieldset", "legend"),
    }
    # specs of charts, data of what can be worked with; the libraries, what draws the charts, and our own three
    assert sum(tag == "script" for tag, _ in page.elements) == 6 + 2 + 2 + 3
    assert not any(key.startswith("on") or key == "src" for _, attrs in page.elements for key in attrs)
    links = [attrs["href"] for tag, attrs in page.elements if "href" in attrs]
    assert all(
        re.fullmatch(r"#[a-z]+|data:(text/csv|text/markdown|application/x-tex);charset=utf-8;base64,[\w+/=]*", link)
        for link in links
    )
    assert "<img src=x onerror=window.hacked=1>" in page.text
    assert "[U+202E]esrever" in page.text
    assert "\x00" not in text


@pytest.mark.browser
def test_page_draws_its_charts_runs_nothing_else_and_asks_for_nothing(hostile, opened, tmp_path):
    path = tmp_path / "report.html"
    report(hostile, output=path, per="user")
    page, said, asked = opened(path)
    assert page.evaluate("document.documentElement.dataset.charts") == "6"
    assert page.locator("figure svg.marks").count() == 6
    assert page.evaluate("window.hacked") is None
    assert said == []
    assert asked == [path.as_uri()]
    assert page.locator("h1").inner_text() == "</script><script>window.hacked=1</script>"
    assert page.locator("figure").first.get_by_role("button").all_inner_texts() == ["SVG", "PNG"]
    assert page.locator(".chart a").count() == 0


@pytest.mark.browser
def test_policy_stops_scripts_that_are_not_ours(make, opened, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report(make()).replace("<main>", "<main><script>window.hacked=1</script>", 1), encoding="utf-8")
    page, said, _ = opened(path)
    assert page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in line for line in said)


def test_study_without_systems_topics_or_judgments_has_what_can_be_had(make):
    bare = make(systems=(None,), topics=(None,), users=(None,), judged=False)
    text = report(bare)
    assert len(specs(text)) == 4
    assert "all topics together, since the log names none" in text
    assert "Sessions: all sessions 0." in Reader(text).text
    assert "Every session for all topics together" in text
    assert "there are no judgments" in text


def test_sessions_too_short_for_the_third_figure_are_left_out_of_it(make):
    text = Reader(report(make(sessions=2))).text
    assert "with at least 4 queries (none)" in text


def test_topic_with_the_most_queries_is_taken_unless_one_is_named(make):
    study = make(topics=("a", "b"), systems=("S1",), sessions=4)  # a: 1 + 3 queries, b: 2 + 4
    assert "for topic b, the one with the most queries" in report(study)
    assert "for topic a: all" in report(study, topic="a")
    with pytest.raises(UsageError, match="there is no topic 'c'"):
        report(study, topic="c")


def test_system_of_the_last_figure_can_be_named(make):
    study = make()
    assert "Every session of S1" in report(study)
    assert "Every session of S2" in report(study, system="S2")
    with pytest.raises(UsageError, match="there is no group 'S9'"):
        report(study, system="S9")


def test_figures_take_the_parameters_of_the_measure_asked_for(make):
    text = Reader(report(make(), ["mean(nDCG@5)", "nsDCG(b=3,gain=exp2)@5"])).text
    assert "sDCG(gain=exp2,b=3)@5 cumulated" in text
    assert "sDCG(gain=exp2,b=3)@5 is shown with the parameters of nsDCG(gain=exp2,b=3)@5." in text
    assert "Mean of nsDCG(gain=exp2,b=3)@5 after" in text
    assert "Mean of sDCG(gain=exp2,b=3)@5 after" in text


def test_each_figure_shows_the_measure_of_its_own_kind_that_was_asked_for(make):
    text = Reader(report(make(), ["sDCG(gain=exp2)@5", "nsDCG(ideal=once)@4"])).text
    assert "sDCG(gain=exp2)@5 cumulated" in text
    assert "Mean of nsDCG(ideal=once)@4 after" in text
    assert "is shown" not in text


def test_a_report_of_measures_without_figures_says_what_is_drawn_instead(make):
    text = Reader(report(make(), ["mean(nDCG@5)"])).text
    assert "No measure asked for can be drawn here; nsDCG@10 is shown instead." in text


def test_figure_that_a_measure_does_not_allow_gives_the_reason(make):
    text = report(make(), "sDCG(discount=rn2002,b=3)@5")  # refused in normalised measures
    assert len(specs(text)) == 5
    assert "Not drawn: nsDCG: discount=rn2002 with b=3" in Reader(text).text


def test_undefined_values_are_noted_and_not_warned_of(make):
    text = report(make())  # a session of one query has no nonlast(nDCG@10); warnings are errors here
    assert "nonlast(nDCG@10) undefined for" in Reader(text).text


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


def test_wrong_requests_are_refused_before_anything_is_computed(make, tmp_path):
    study = make()
    with pytest.raises(MeasureError):
        report(study, "nsDGC@10")
    with pytest.raises(
        UsageError, match="redact can leave out queries, documents, users, not 'user'; did you mean 'users'"
    ):
        report(study, redact="user")
    with pytest.raises(UsageError, match="there is no directory"):
        report(study, output=tmp_path / "none" / "report.html")


def test_room_and_function_have_one_name(make):
    import sessionkit.report.page  # importing the room must not hide the function

    assert sessionkit.report(make()) == report(make())


def test_tables_that_describe_the_study_stop_after_twenty_rows(make):
    topics = tuple(f"topic{number:02}" for number in range(25))
    page = report(make(topics=topics, systems=("S1",), sessions=25))
    # one row per topic in the recall base and in the table of systems and topics
    assert page.count("5 more rows are not shown.") == 2


def test_what_a_report_does_not_have_is_not_loaded():
    """Readers of logs, models, plans and figures that are drawn apart would take a tenth of a small report's time."""
    apart = ["readers.frames", "analysis.mixed", "analysis.power", "analysis.judge_noise", "report.apart.vectors"]
    code = f"import sys, sessionkit.report; print([name for name in {apart} if f'sessionkit.{{name}}' in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_a_grade_scale_the_judged_share_is_told_all_the_same(make):
    def page(study):
        judgments = study.judgments.collect()
        return Reader(
            report(replace(study, judgments=judgments.head(len(judgments) - 1).lazy()), ["sDCG@5", "nsDCG@5"])
        ).text

    known, unknown = page(make(sessions=6, max_grade=2)), page(make(sessions=6))
    why = "Bounds were not worked out: "
    assert [why in text for text in (known, unknown)] == [False, True]
    told = re.search(r"[\d,]+ of [\d,]+ results shown within rank 5 are judged, [\d.]+ %", known)[0]
    assert told in unknown.partition(why)[0]
    for caption in ("Judged share by rank, %", "Judged share by query position, %"):
        assert caption in known
        assert caption in unknown.partition(why)[2]


def test_where_all_is_judged_nobody_asks_for_the_end_of_the_scale(make):
    text = Reader(report(make(sessions=6), ["sDCG@5", "nsDCG@5"])).text
    assert re.search(r"shown within rank 5 are judged, 100 % .*\.\s+Every document that was shown is judged", text)
    assert "Bounds were not worked out" not in text
