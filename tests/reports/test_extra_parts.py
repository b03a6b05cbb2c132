"""Parts of a report that are asked for: they are there, say what their commands say, and the page says how to ask again."""

import html
import itertools
import re
import shlex
import shutil
import warnings

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import judge_noise, spec_of
from sessionkit.cli import main
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataWarning, UsageError
from sessionkit.reports import report
from sessionkit.reports.choices import Also, Redaction
from sessionkit.reports.extra_parts import figured
from sessionkit.reports.extras import further
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.parts import Heading, Words
from sessionkit.reports.report_data import Material
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import parse_measure
from tests.reports.read_page import has_parts
from tests.support.draws import draw_less

ALL = "mixed,power,noise,discriminate"
TITLES = ("The mixed model:", "A study to come:", "Discriminative power:", "Noise of judges:")
HOSTILE = (
    "</script><script>window.hacked=1</script>",
    '"};window.hacked=1//',
    "<img src=x onerror=window.hacked=1>",
    "]]>&amp;&lt;</style></title>",
)


def study_of(systems=("A", "B"), topics=("t1", "t2", "t3"), users=6, **settings):
    """Every user searches each topic once, with one system or the other; five results, of which some are relevant."""
    draw = np.random.Generator(np.random.PCG64(3))
    names = [f"u{number}" for number in range(users)]
    known = [
        (f"s{number}", user, topic, systems[(number // len(topics) + number % len(topics)) % 2])
        for number, (user, topic) in enumerate(itertools.product(names, topics))
    ]
    rows = [(name, 1, rank, f"d{draw.integers(20)}-{rank}") for name, *_ in known for rank in range(1, 6)]
    pairs = [(topic, f"d{one}-{rank}") for topic in topics for one in range(20) for rank in range(1, 6)]
    grades = draw.choice([0.0, 1.0, 2.0], size=len(pairs))

    def table(columns, of):
        return dict(zip(columns, map(list, zip(*of, strict=True)), strict=True))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(
            table(("session_id", "query_position", "rank", "doc_id"), rows),
            table(("judgment_key", "doc_id"), pairs) | {"grade": grades.tolist()},
            sessions=table(("session_id", "user_id", "topic_id", "system_id"), known),
            max_grade=2,
            **settings,
        )


@pytest.fixture(scope="module")
def study():
    """A study with tame names."""
    return study_of()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A saved study of hostile names, a page of sessions that meet a condition, and one with everything else that can be asked for."""
    named = study_of(systems=HOSTILE[:2], topics=HOSTILE[:3], title=HOSTILE[0])
    hostile = named.save(tmp_path_factory.mktemp("pages") / "STUDY")
    with pytest.MonkeyPatch.context() as patch:
        draw_less(patch)
        more = report(
            hostile, "nsDCG@5", redact="users", also=["discriminate", "noise", "power", "mixed"], difference="10%"
        )
    return hostile, report(hostile, "nsDCG@5", where="queries >= 1"), more


def parts_of(study, section, also, difference=None):
    """The parts of a section that are asked for."""
    of = Material.of(
        study,
        [parse_measure("sDCG@5")],
        asked=True,
        by="system_id",
        redaction=Redaction(),
        also=Also.of(also, difference),
    )
    return further(of, section)


def shown(page):
    """The text of a page outside scripts and styles."""
    return html.unescape(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", page, flags=re.DOTALL))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("section", "name", "column", "kind"),
    [
        ("measures", "mixed", "estimate", "differences"),
        ("measures", "discriminate", "significant", "discriminative-power"),
        pytest.param("judgments", "noise", "mean", "judge-noise", marks=pytest.mark.slow),  # the page below has it too
        ("measures", "power", None, "power-curve"),
    ],
)
def test_a_part_has_the_reading_the_figure_and_the_numbers_of_its_command(study, section, name, column, kind):
    found = {
        "mixed": lambda: sk.compare(study, "sDCG@5", population="users,topics"),
        "discriminate": lambda: sk.discriminate(study, "sDCG@5"),
        "noise": lambda: sk.judge_noise(study, "sDCG@5"),
        "power": lambda: sk.power(study, "sDCG@5", difference=0.5),
    }[name]()
    parts = parts_of(study, section, name, 0.5 if name == "power" else None)
    words = [line for part in parts if isinstance(part, Words) for line in part.paragraphs]
    assert set(found.reading.split("\n")) <= set(words)
    assert isinstance(parts[0], Heading)
    assert parts[0].text.startswith(TITLES)
    figure = next(part for part in parts if isinstance(part, Figure))
    assert figure.kind == kind
    drawn = {
        row.get("value", row.get("difference")) for rows in spec_of(figure.chart)["datasets"].values() for row in rows
    }
    known = {
        "discriminate": lambda: found.asl["p"],
        "noise": lambda: [abs(difference) for difference in found.table["difference"]],
        "power": lambda: found.table["power"],
    }
    assert name == "mixed" or set(known[name]()) <= drawn
    assert figure.caption.endswith(".")
    table = next(part for part in parts if isinstance(part, TextTable)).frame
    if column is not None:
        assert table[column].to_list() == found.table[column].to_list()
    else:
        assert table["population"].to_list() == found.smallest["population"].to_list()
    assert not parts_of(
        study, {"measures": "judgments", "judgments": "measures"}[section], name, 0.5 if name == "power" else None
    )


@pytest.mark.slow
def test_the_page_holds_what_was_asked_for(pages):
    _, usual, more = pages
    assert [title in shown(more) for title in TITLES] == [True] * 4
    assert [title in shown(usual) for title in TITLES] == [False] * 4
    assert more.count('data-chart="') == usual.count('data-chart="') + len(TITLES)
    assert "Not worked out" not in shown(more)
    assert not parts_of(study_of(users=2), "measures", "noise")


@pytest.mark.slow
def test_hostile_names_are_text_and_nothing_else(pages):
    _, usual, more = pages
    tags = [
        re.findall(r"<([a-z0-9]+)[ >]", re.sub(r"(<script\b[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL))
        for page in (usual, more)
    ]
    assert set(tags[1]) - set(tags[0]) == {"h4"}  # what its parts are called
    assert tags[1].count("script") == tags[0].count("script") + len(TITLES)  # the data of a chart each
    assert shown(more).count(HOSTILE[0]) > shown(usual).count(HOSTILE[0])


def command_of(page):
    """The command that a page names, in words."""
    return shlex.split(html.unescape(re.search(r"<code>(sessionkit report .*?)</code>", page, flags=re.DOTALL)[1]))


@pytest.mark.slow
def test_the_page_names_the_command_with_what_was_asked_for(pages):
    _, usual, more = pages
    command = command_of(more)
    assert command[6:] == [
        "--redact", "users", "--also", ALL, "--difference", "10%",
    ]  # fmt: skip
    assert "sessionkit report STUDY 'nsDCG@5' --output report.html --where 'queries >= 1'\n" in shown(usual)


@pytest.mark.slow
def test_the_command_that_a_page_names_makes_the_page(pages, tmp_path, monkeypatch):
    study, *made = pages
    shutil.copytree(study.path, tmp_path / "STUDY")
    monkeypatch.chdir(tmp_path)
    draw_less(monkeypatch)
    for page in made:
        assert main(command_of(page)[1:]) == 0
        assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"also": "mixd"}, "noise, discriminate, not 'mixd'.*'mixed'"),
        ({"also": "power"}, r"smallest true difference.*--difference 10%"),
        ({"difference": "10%"}, r"difference=10% is .*--also power"),
        ({"also": "power", "difference": "banana"}, "a number above 0.*not 'banana'"),
    ],
)
def test_what_cannot_be_asked_for(study, options, words, tmp_path):
    with pytest.raises(UsageError, match=words):
        report(study, "sDCG@5", output=tmp_path / "x.html", **options)
    assert not [*tmp_path.iterdir()]


def test_a_study_that_does_not_support_a_part_has_the_reason():
    single = study_of(systems=("only", "only"))
    told = [parts_of(single, *asked)[1].paragraphs for asked in (("judgments", "noise"), ("measures", "mixed"))]
    assert [line[0].startswith("Not worked out: ") for line in told] == [True, True]
    assert "a comparison needs at least two" in told[0][0]


def test_power_is_drawn_for_a_declared_difference_alone(study):
    with pytest.raises(UsageError, match=r"power-curve needs .*--difference 10%"):
        single_figure(study, "power-curve")
    with pytest.raises(UsageError, match=r"judge-noise .*--difference; .*power-curve"):
        single_figure(study, "judge-noise", difference="10%")


def test_a_figure_that_cannot_be_drawn_has_the_reason(study):
    of = Material.of(
        study, [parse_measure("sDCG@5")], asked=True, by="system_id",
        redaction=Redaction(), also=Also(),
    )  # fmt: skip
    table = sk.judge_noise(study, "sDCG@5", draws=5).table
    many = pl.concat([table.with_columns(measure=pl.lit(f"m{number}")) for number in range(9)])
    part = figured(of, lambda: judge_noise(many))
    assert isinstance(part, Words)
    assert has_parts(" ".join(part.paragraphs), "Not drawn", "8 measures, not 9")
