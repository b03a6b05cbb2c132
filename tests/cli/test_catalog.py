"""measures, formats, schema.

chart and report.
"""

import json
import re

import pytest

from sessionkit.charts.files import WRITERS
from sessionkit.charts.registry import CHARTS, SUMMARY
from sessionkit.cli.data import DRAWN
from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.reports import MEASURES as REPORT_MEASURES
from sessionkit.scoring.measures.custom import SessionColumn
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.study.schema import TABLES, document, table
from tests.support.clinic import saved_clinic
from tests.support.draws import draw_less


def test_every_measure_is_listed_with_level_and_formula(call):
    listed = {row[0]: row[1:] for row in (line.split("\t") for line in call("measures").lines[1:])}
    assert listed.pop("column") == ["session", SessionColumn.formula]
    assert listed == {name: [one.level, one.formula] for name, one in MEASURES.items()}
    assert "such as a rating of satisfaction" in call("measures", "column").out


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_in_full(call, name):
    page = call("measures", name)
    assert page.status == 0
    for part in (MEASURES[name].formula, MEASURES[name].source, *MEASURES[name].parameters()):
        assert part in page.out


def test_the_parameters_as_data(call):
    rows = [json.loads(line) for line in call("measures", "nsDCG", "--format", "jsonl").lines]
    assert {row["parameter"]: row["default"] for row in rows}["bq"] == "4"
    assert set(rows[0]) == {"parameter", "default", "allowed", "meaning"}


def test_formats(call):
    listed = [tuple(line.split("\t")[:2]) for line in call("formats").lines[1:]]
    assert listed == [*((name, "log") for name in FORMATS), *((name, "judgments") for name in JUDGMENTS)]
    for name, entry in FORMATS.items():
        page = call("formats", name).out
        assert name in page
        assert entry.tried in page
        for key, option in entry.options.items():
            assert key in page
            assert option.meaning in page


def test_formats_of_judgments(call, refused):
    listed = [line.split("\t") for line in call("formats", "--reads", "judgments").lines[1:]]
    assert listed == [[name, "judgments", entry.description] for name, entry in JUDGMENTS.items()]
    for name, entry in JUDGMENTS.items():
        assert entry.tried in call("formats", name, "--reads", "judgments").out
    refused(2, "formats", "qrel", "--reads", "judgments", names=["judgments 'qrel'; did you mean 'qrels'"])
    refused(2, "formats", "simiir", "--reads", "judgments", names=["no format of judgments 'simiir'"])


def test_a_format_of_both_is_told_of_as_both(call):
    both = call("formats", "quepid").out
    assert [both.index(f"quepid ({kind})") for kind in ("log", "judgments")] == sorted(
        both.index(f"quepid ({kind})") for kind in ("log", "judgments")
    )
    assert "quepid (log)" not in call("formats", "quepid", "--reads", "judgments").out
    assert call("formats", "qrels").out == call("formats", "qrels", "--reads", "judgments").out


@pytest.mark.parametrize("name", [*TABLES, "rejected", "study"])
def test_schema_of_a_table_is_the_file(call, name):
    assert json.loads(call("schema", name).out) == document("study.schema" if name == "study" else name)


def test_schema_lists_every_column(call):
    listed = [tuple(line.split("\t")[:2]) for line in call("schema").lines[1:]]
    assert listed == [(name, column) for name in (*TABLES, "rejected") for column in table(name).names]


def test_names_that_do_not_exist(refused):
    refused(2, "measures", "ndcg", names=["did you mean 'nDCG'"])
    refused(2, "formats", "tabels", names=["did you mean 'tables'"])
    refused(2, "schema", "result", names=["did you mean 'results'"])


@pytest.mark.parametrize("kind", DRAWN)
def test_every_kind_of_chart(call, study, tmp_path, kind):
    study = saved_clinic() if kind == "discount-fit" else study  # it needs clicks
    outcome = call("chart", kind, study, "--output", tmp_path / "chart.json")
    assert outcome.status == 0
    assert "DCG" in outcome.out
    spec = json.loads((tmp_path / "chart.json").read_text())
    assert "Synthetic data" in spec["title"]["subtitle"]


@pytest.mark.few(3, slow=5)
@pytest.mark.parametrize("kind", [kind for kind in CHARTS if kind not in DRAWN])
def test_every_kind_of_chart_that_stands_apart(call, tmp_path, kind, monkeypatch):
    draw_less(monkeypatch)
    measure = ["sDCG@10"]
    own = {
        "correlation-forest": ["--with", "satisfaction", *measure],
        "rating-scatter": ["--with", "satisfaction"],
        "judge-noise": measure,
        "power-curve": ["--difference", "20%"],
    }
    options = own.get(kind, [])
    outcome = call("chart", kind, saved_clinic(), "--output", tmp_path / "chart.json", *options)
    assert outcome.status == 0, outcome.err
    assert len(outcome.out) > 80  # the caption
    subtitle = json.loads((tmp_path / "chart.json").read_text())["title"]["subtitle"]
    assert "Synthetic data" in subtitle


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!doctype")]
)
def test_every_form_of_chart(call, study, tmp_path, ending, start):
    assert f".{ending}" in WRITERS
    assert call("chart", "session-curve", study, "--output", tmp_path / f"chart.{ending}").status == 0
    assert (tmp_path / f"chart.{ending}").read_bytes().startswith(start)


@pytest.mark.slow
def test_chart_options_reach_the_chart(call, study, tmp_path):
    options = ["sDCG(b=3)@2", "--where", "system_id = 'B'", "--title", "Mine </script>"]
    outcome = call("chart", "single-sessions", study, "--output", tmp_path / "chart.json", *options)
    assert "sDCG(b=3)@2" in outcome.out
    assert "session of B for topic t" in outcome.out
    spec = json.loads((tmp_path / "chart.json").read_text())
    assert (spec["title"]["text"], spec["title"]["subtitle"]) == (
        "Mine </script>",
        ["where system_id = 'B' (1 of 2 sessions)", "B, topic t", "Synthetic data"],
    )
    long = call("chart", "topic-curves", study, "--output", tmp_path / "chart.json", "--long", "3")
    assert "at least 3 queries" in long.out


@pytest.mark.slow
@pytest.mark.parametrize("title", ["", " "])
def test_no_title_leaves_the_mark_of_synthetic_data(call, study, tmp_path, title):
    places = [tmp_path / f"chart.{ending}" for ending in ("svg", "html", "json")]
    for place in places:
        assert call("chart", "topic-curves", study, "--output", place, "--title", title).status == 0
        assert "Synthetic data" in place.read_text()
    spec = json.loads(places[-1].read_text())  # what PNG and PDF are drawn from too
    assert (spec["title"]["text"], spec["title"]["subtitle"]) == ("topic t", "Synthetic data")


@pytest.mark.slow
def test_parts_of_sessions_can_be_pooled_in_the_chart(call, study, tmp_path):
    within = call("chart", "last-vs-nonlast", study, "--output", tmp_path / "chart.json").out
    assert "Mean nDCG@10 of one query" in within
    pooled = call("chart", "last-vs-nonlast", study, "--output", tmp_path / "chart.json", "--average", "queries").out
    assert "sDCG@3 cumulated to" in pooled  # no list is longer
    assert re.search("B last: 1 in 1; sessions .*: A 0, B 1\\.", pooled)


@pytest.mark.slow
def test_the_help_names_every_kind_and_the_default_measures(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    told = re.sub(r"\s+", " ", call("chart", "--help").out)
    for kind, one in CHARTS.items():
        assert f"{kind} {one.shows}" in told
        of_kind = re.sub(r"\s+", " ", call("chart", kind, "--help").out)
        default = "Default measures: " if len(one.measures) > 1 else "Default measure: "
        assert (default + " ".join(one.measures) in of_kind) == bool(one.measures)
        for option in {option for each in CHARTS.values() for option in each.options}:
            assert (f" --{option} " in of_kind) == (option in one.options), (kind, option)
    assert " ".join(REPORT_MEASURES) in re.sub(r"\s+", " ", call("report", "--help").out)


@pytest.mark.slow
def test_report_is_one_page(call, study, tmp_path):
    outcome = call("report", study, "--output", tmp_path / "report.html", "nsDCG@2", "--redact", "users,documents")
    assert outcome.status == 0
    assert outcome.out == ""
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "nsDCG@2" in page
    assert "made up" in page


@pytest.mark.slow
def test_a_report_by_topic_says_how_to_make_it_again(call, study, tmp_path):
    outcome = call("report", study, "--output", tmp_path / "report.html", "nsDCG@2", "--by", "topic_id")
    assert outcome.status == 0
    page = (tmp_path / "report.html").read_text()
    assert "Scores by topic" in page
    command = ["sessionkit report STUDY", "&#39;nsDCG@2&#39;", "--output report.html", "--by topic_id"]
    assert " ".join(command) in page


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (
            ["chart", "sesion-curve", "--output", "{}/x.svg"],
            ["'sesion-curve'", "did you mean 'session-curve'?", "session-pair"],
        ),
        (["chart", "session-curve", "--output", "{}/x.gif"], [".gif", ".svg"]),
        (["chart", "session-curve", "--output", "{}/no/x.svg"], ["does not exist; create it"]),
        (["chart", "session-curve", "--output", "{}"], ["is a directory"]),
        (["chart", "session-curve", "--output", "{}/x.svg", "sdcg@3"], ["did you mean 'sDCG'"]),
        (["chart", "session-curve", "--output", "{}/x.svg", "DCG@3"], ["DCG@3 has no curve"]),
        (["chart", "session-curve", "--output", "{}/x.svg", "--where", "system_id = 'C'"], ["'C'", "'A' (1), 'B' (1)"]),
        (
            ["chart", "topic-curves", "--output", "{}/x.svg", "--where", "topic = 'u'"],
            ["no column 'topic'", "topic_id"],
        ),
        (
            ["chart", "single-sessions", "--output", "{}/x.svg", "--long", "3"],
            ["there is no option --long", "chart single-sessions --help"],
        ),
        (["chart", "waterfall", "--output", "{}/x.svg", "--session", "s9"], ["'s9'", "did you mean 's"]),
        (["chart", "waterfall", "--output", "{}/x.svg", "DCG@3"], ["mean(DCG@3)"]),
        (["chart", "session-pair", "--output", "{}/x.svg", "--sessions", "s1"], ["two different sessions, not 's1'"]),
        (
            ["chart", "session-curve", "--output", "{}/x.svg", "--session", "s1"],
            ["there is no option --session", "STUDY [MEASURE...]"],
        ),
        (["chart", "topic-curves", "--output", "{}/x.svg", "--by", "color"], ["color", "no such column"]),
        (["report", "--output", "{}/x.html", "--redact", "all"], ["queries, documents, users"]),
        (["report", "--output", "{}/x.txt"], ["x.txt ends in .txt", "x.html"]),
        (["report", "--output", "{}/log/study.toml/x.html"], ["cannot write"]),
        (["report", "--output", "{}/x.html", "nope@3"], ["'nope'"]),
    ],
)
def test_what_cannot_be(refused, study, tmp_path, arguments, names):
    words = [argument.format(tmp_path) for argument in arguments]
    words.insert(2 if words[0] == "chart" else 1, study)
    refused(2, *words, names=names)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(("x.", ".x"))]


def test_the_help_names_the_measures_that_a_report_has(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert f"Default: {' '.join(SUMMARY)}." in " ".join(call("report", "--help").out.split())
