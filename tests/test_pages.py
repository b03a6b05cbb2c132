"""README and guides: every block runs and prints what is shown, every name of the registries is there, every term is explained."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from sessionkit.charts import KINDS
from sessionkit.cli import main
from sessionkit.cli.app import COMMANDS, name_of
from sessionkit.cli.catalog import TOPICS, title
from sessionkit.display.terminal import GUIDES, glossary, guide
from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.readers.config import as_config
from sessionkit.reports import page
from sessionkit.scoring.measures.parameters import PARAMETERS, PRESETS
from sessionkit.scoring.measures.registry import MEASURES
from tests.support.clinic import CLINIC, saved_clinic
from tests.support.transcripts import SLOW, Transcript

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LONG = {"first-study", "comparing", "robustness", "figures", "sessions", "extending", "coming-from"}
"""Guides that analyze and draw for seconds."""
OF_PROGRAMS = ("sessionkit", "sk.", "import ", ".venv", "sessionkit-", "python", "report.html", "sessionkit-demo/")
"""How words in code font begin that are commands, Python or files, no terms."""


@pytest.fixture
def demo(tmp_path, monkeypatch):
    """The folder that `sessionkit demo` makes, as far as guides need it; where a reader stands."""
    shutil.copytree(saved_clinic(), tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "topic", [pytest.param(one, marks=[pytest.mark.slow] if one in LONG else []) for one in TOPICS]
)
def test_the_blocks_of_a_guide_run(topic, demo, monkeypatch):
    monkeypatch.setattr(page, "FIGURE_FORMATS", ())  # tests/reports/test_page.py draws every figure of a report
    Transcript(GUIDES / f"{topic}.md", demo).run(slow=topic in LONG)


def test_only_long_guides_have_what_the_others_leave_out():
    found = {one for one in TOPICS if re.search(f"^sessionkit ({'|'.join(SLOW)})\\b", guide(one), re.MULTILINE)}
    assert found <= LONG


def test_the_blocks_of_the_readme_run(demo):
    for path in CLINIC.parent.iterdir():
        if path.suffix in (".csv", ".txt", ".gz", ".toml"):  # the log that stands for a reader's own
            shutil.copy(path, demo)
    Transcript(ROOT / "README.md", demo).run()


def test_the_readme_is_short_and_leads_to_every_guide():
    assert len(README.encode()) < 8_000
    assert re.findall(r"\(sessionkit/guides/([a-z-]+)\.md\)", README) == list(TOPICS)
    assert [path for path in re.findall(r"\]\((?!http)([^)#]+)\)", README) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_a_guide_is_short_and_says_first_what_the_reader_will_have(topic):
    prose = re.sub(r"^```.*?^```$", "", guide(topic), flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < {"papers": 2_100, "terms": 2_300}.get(topic, 1_400)
    heading, _, first = prose.split("\n")[:3]
    assert re.match(r"# [A-Z][^:]*: ", heading)
    assert re.match("(At the end of this guide|With this page|After ten minutes)", first)
    assert max(map(len, prose.splitlines())) < 150 or "|" in prose
    assert set(re.findall(r"`sessionkit help ([a-z-]+)`", prose)) <= {*TOPICS, *map(name_of, COMMANDS)}


def test_the_guides_are_those_of_the_folder():
    assert {path.stem for path in GUIDES.glob("*.md")} == set(TOPICS)


@pytest.mark.parametrize(
    ("topic", "names"),
    [
        ("measures", MEASURES),
        ("measures", PARAMETERS),
        ("measures", PRESETS),
        ("formats", FORMATS),
        ("formats", JUDGMENTS),
        ("figures", KINDS),
    ],
    ids=["measures", "parameters", "presets", "formats", "judgments", "charts"],
)
def test_a_guide_names_what_a_registry_holds(topic, names):
    text = guide(topic)
    assert [name for name in names if not re.search(rf"`{re.escape(name)}`", text)] == []


def test_every_command_stands_in_a_guide():
    text = README + "".join(map(guide, TOPICS))
    assert [name for name in map(name_of, COMMANDS) if not re.search(rf"sessionkit {name}\b|`{name}\b", text)] == []


def test_the_study_toml_of_a_guide_is_one():
    (block,) = re.findall(r"^```toml\n(.*?)^```", guide("own-logs"), re.MULTILINE | re.DOTALL)
    described = as_config(tomllib.loads(block), "own-logs.md", ROOT)
    assert list(described.tables) == ["sessions", "results", "judgments"]
    assert described.settings.max_grade == 2


def words_in_code(text):
    """What stands in code font outside of blocks, but for commands, Python and files."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return sorted({" ".join(one.split()) for one in re.findall(r"`([^`]+)`", prose) if not one.startswith(OF_PROGRAMS)})


@pytest.mark.parametrize("term", words_in_code(README))
def test_help_answers_every_term_of_the_readme(term, capsys):
    assert main(["help", *([term] if term != "..." else [])]) == 0
    assert capsys.readouterr().out.strip()


IN_PLAIN_WORDS = """session, user study, relevance judgments, sDCG, session score, curve, design, study, figure, report, list, ideal,
system, topic, searcher, log, unjudged, judged share, discount, interval, p, power, unit, claim, crossover, Latin square, group, last,
non-last, bounds, grade, nsDCG, rank, synthetic, workbook, questionnaire, qrels, Data Package, batch, rejected, finding,
interactive search, search engine, TREC Session Track, Dynamic Domain, TREC runs, User Behavior Insights, Yandex, Quepid,
Search Relevance Workbench, learning-to-rank, Parquet, NDJSON, Spark, trec_eval, ir_measures, PyTerrier, family, normalized gain, band,
randomization, population, adjusted, detected, 95% interval, t, n, users weighted equally, safe, balanced Latin square, last query,
interaction, Bonferroni, simultaneous, period, carry-over, estimate, raw_difference, comparison, verb, rating, effect size,
kept aside, paired, users like these, true difference, left out, Hedges' g, Welch, evidence, REML, residual, tau, knee, pooled, KL,
cumulated, median, quartile, SD, standard deviation, spread,
per session, session table, gallery, folder of charts, card, wall, small multiples, sparkline"""


@pytest.mark.parametrize("term", " ".join(IN_PLAIN_WORDS.split()).split(", "))
def test_help_answers_the_words_of_the_field(term, capsys):
    assert main(["help", term]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("grade", "grade: how relevant"),
        ("Sessions", "session: what one searcher"),
        ("nsDCG", "nsDCG, a measure of a session: sDCG"),
        ("mean(nDCG@10)", "nDCG, a measure of a query"),
        ("user_id", "user_id, a column of sessions"),
        ("max_grade", "max_grade, a key of study"),
        ("ubi", "ubi, .*: User Behavior Insights"),
        ("slopes", "More: sessionkit chart slopes --help"),
        ("ecir2008", "ecir2008, a preset of measures"),
        ("--by", "Commands: score, "),
        ("sessions", ":\nsession: what one searcher"),
        ("quartiles", "`score --spread`"),
        ("SD", "`score --spread`"),
        ("judgments", "judgments, .*: sessionkit schema judgments"),
    ],
)
def test_a_term_is_explained(term, said, capsys):
    assert main(["help", term]) == 0
    assert re.search(said, capsys.readouterr().out)


@pytest.mark.parametrize(("term", "near"), [("sesion", "'session'"), ("nsDGC", "'nsDCG'"), ("robust", "'robustness'")])
def test_an_unknown_term_names_near_ones_and_the_topics(term, near, capsys):
    assert main(["help", term]) == 2
    said = capsys.readouterr().err
    assert f"no help on '{term}'; " in said
    assert near in said
    assert f"topics: {', '.join(TOPICS)}" in said


def keys_of_study_toml(node):
    """Yield every key that a schema of study.toml declares, those inside of others too."""
    for name, value in node.get("properties", {}).items():
        yield name
        yield from keys_of_study_toml(value)
        yield from keys_of_study_toml(value.get("items", {}))


def test_every_key_of_study_toml_has_an_entry(capsys):
    schema = json.loads((ROOT / "schemas" / "study.schema.json").read_text(encoding="utf-8"))
    keys = {*keys_of_study_toml(schema), *(key for log in FORMATS.values() for key in log.options)}
    assert {"empty_list", "name_items", "merge_queries", "grade_values", "query_map", "ordinal_base"} <= keys
    for key in sorted(keys):
        assert main(["help", key]) == 0, key
        assert f"{key}, a key of study.toml" in capsys.readouterr().out


def test_help_alone_lists_the_topics_with_their_first_lines(capsys):
    assert main(["help"]) == 0
    said = capsys.readouterr().out
    for topic in TOPICS:
        assert f"  {topic:<13} {title(topic)}\n" in said
    assert main(["help", "measures"]) == 0
    text = capsys.readouterr().out.removeprefix(f"{guide('measures')}\n")
    assert text.endswith(": sessionkit measures --help\n")
    assert text.count("\n") == 1


def test_entries_of_the_glossary_are_found_whole():
    text = guide("terms")
    assert len(glossary()) == len(re.findall(r"\*\*.+?\*\*", text))
    assert all(text.endswith(".") for text in glossary().values())
    assert glossary()["material"].partition(": ")[2] != glossary()["noticeable"].partition(": ")[2]
    assert {"mark", "estimand", "incomplete blocks", "least-squares", "cut"} <= glossary().keys()
