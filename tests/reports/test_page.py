"""The report as a whole."""

import html
import re
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning, MeasureError, UsageError
from sessionkit.reports import report
from sessionkit.reports.sections.measures import _differences
from tests.reports.read_page import Reader, specs, without_terms
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
    assert "The grade scale ends at 2. Grades below 0 gain nothing." in page.text
    assert "Synthetic" not in text.split("<script")[0]


@pytest.mark.slow
def test_scores_stand_in_the_table_as_scored(make):
    study = make(sessions=6)
    scores = sk.score(study, "sDCG@10", by="system_id")
    text = report(study, "sDCG@10")
    for row in scores.iter_rows(named=True):
        shown = f"{row['value']:.4f}"
        value = f"<strong>{shown}</strong>" if row["value"] == scores["value"].max() else shown
        assert f'<td>sDCG@10</td><td>{row["system_id"]}</td><td class="number">{value}</td>' in text


@pytest.mark.slow
def test_bytes_are_the_same_every_time_and_in_the_file(make, tmp_path):
    study = make()
    text = report(study, output=tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes() == text.encode()
    assert report(study) == text
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.slow
def test_report_of_a_study_from_disk_is_the_same(make, tmp_path):
    study = make()
    assert report(study.save(tmp_path / "study")) == report(study)


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
    assert re.search(r"On average over 4 sessions, mean\(nDCG@10\) is [.0-9]+ \(95% CI [^)]*, 2 users\)[.]<", text)
    assert re.search(r"nonlast\(nDCG@10\) is [.0-9]+ \(95% CI [^)]*, 2 users, 3 sessions\)[.]<", text)


@pytest.mark.slow
def test_a_log_without_systems_is_not_told_of_them(make):
    text = html.unescape(re.sub("<[^>]*>", "|", report(make(systems=(None,))).split("<script>")[0]))
    assert "the log names no system, so there is no conclusion" in text
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
    assert (
        "Adjusted difference, interval, p, effect size and n are of the difference between values of system_id adjusted"
        in shown.note
    )


def test_study_without_systems_topics_or_judgments_has_what_can_be_had(make):
    bare = make(systems=(None,), topics=(None,), users=(None,), judged=False)
    text = report(bare)
    assert [spec["title"]["text"] for spec in specs(text)] == ["Sessions that go on"]  # no empty axes
    words = Reader(text).text
    assert words.count("The study has no judgments, so no measure of relevance has a value.") == 1
    assert "no systems: no session names its system_id; compare other groups" in words
    assert "there are no judgments" in words


@pytest.mark.slow
def test_undefined_values_are_noted_and_not_warned_of(make):
    text = report(make())  # a session of one query has no nonlast(nDCG@10); warnings are errors here
    assert "nonlast(nDCG@10) undefined for" in Reader(text).text


def test_wrong_requests_are_refused_before_anything_is_computed(make, tmp_path):
    study = make()
    with pytest.raises(MeasureError):
        report(study, "nsDGC@10")
    with pytest.raises(
        UsageError, match="redact can leave out queries, documents, users, not 'user'; did you mean 'users'"
    ):
        report(study, redact="user")
    with pytest.raises(UsageError, match="does not exist; create it"):
        report(study, output=tmp_path / "none" / "report.html")


@pytest.mark.slow
def test_room_and_function_have_one_name(make):
    import sessionkit.reports.page  # importing the room must not hide the function

    assert sessionkit.report(make()) == report(make())


@pytest.mark.slow
def test_tables_that_describe_the_study_stop_after_twenty_rows(make):
    topics = tuple(f"topic{number:02}" for number in range(25))
    page = report(make(topics=topics, systems=("S1",), sessions=25))
    # one row per topic in the recall base and in the table of systems and topics
    assert page.count("5 more rows are not shown; the CSV has them.") == 2


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
        match=r"the second argument of report is measures, and '.*' is a file: write report\(study, output='",
    ):
        sk.report(sk.from_tables(lists), file)
