"""The guide of the papers: every numbered equation, table and figure has a line, the line runs, and prints what the table says."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from sessionkit.display.terminal import GUIDES, guide
from tests.support.clinic import saved_clinic
from tests.support.transcripts import Transcript, screen

PAPERS = Path(__file__).resolve().parents[1] / ".." / "shared" / "papers"
SECTIONS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", guide("papers"), re.MULTILINE | re.DOTALL))
MISPRINTS = SECTIONS.pop("Misprints")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
NUMBERED = {
    "ECIR 2008": [
        "equation 1", *(f"appendix, equation {n}" for n in range(1, 6)), "Table 1", "Table 2", *(f"Figure {n}" for n in range(1, 5)),
    ],
    "Research Notes 2002-2": [*(f"equation {n}" for n in range(1, 7)), "Table 1", *(f"Figure {n}" for n in range(1, 5))],
    "TOIS 2002": ["equation 1", "Table 1", "Table 2", *(f"Figure {n}{part}" for n in range(1, 5) for part in "ab")],
    "SIGIR 2007": [*(f"Table {n}" for n in range(1, 6)), *(f"Figure {n}" for n in range(1, 4))],
    "slides": [f"Example 3.{n}" for n in range(2, 6)],
}  # fmt: skip
"""What each paper numbers."""
TEXTS = {"ECIR 2008": "003_16483e33336c4570", "Research Notes 2002-2": "000_bdc8ff5e665b7368", "TOIS 2002": "004_f96c2699ee486cb7",
         "SIGIR 2007": "002_a7938f816a349623", "slides": "001_79b0be138919013e"}  # fmt: skip
WRONG = """5.67 8.14 9.30 10.52 11.21 25.0% min .57 log|i base|of|the|logarithm three|test|collections false|positive higher|base
Recall|effect""".replace("\n", " ").split()
"""What is printed and does not hold, by the list of errors in the papers."""


def section(paper):
    """The text of a paper's section, by the end of its title."""
    return next(text for title, text in SECTIONS.items() if title.endswith(paper))


def rows(text):
    """Number, line and printed numbers of every row of a table."""
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.*\|$", text, re.MULTILINE)]
    return [(number, line.strip("`"), prints) for number, _, line, prints in cells if line.startswith("`")]


def in_order(printed, wanted):
    """Whether numbers stand in a text in this order, each rounded as it is wanted; others may stand between them."""
    found = map(float, NUMBER.findall(printed.replace(",", " ") if "[" in printed else printed.replace(",", "")))
    return all(
        any(abs(one - float(number)) <= 0.5 * 10 ** -len(number.partition(".")[2]) + 1e-9 for one in found)
        for number in wanted
    )


def test_everything_that_a_paper_numbers_has_a_line():
    assert len(SECTIONS) == len(NUMBERED)
    for paper, numbers in NUMBERED.items():
        assert [number for number in numbers if number not in {number for number, *_ in rows(section(paper))}] == []


@pytest.mark.realdata
@pytest.mark.skipif(not PAPERS.is_dir(), reason="the papers are not on this machine")
@pytest.mark.parametrize("paper", NUMBERED)
def test_nothing_that_is_numbered_was_forgotten(paper):
    text = (PAPERS / f"{TEXTS[paper]}.txt").read_text(encoding="utf-8", errors="replace")
    named = {
        " ".join(found).capitalize()
        for found in re.findall(r"\b(table|figure|example) ([1-9](?:\.\d|[ab])?)\b", text, re.IGNORECASE)
    }
    own = {
        number for number in named if not (paper == "TOIS 2002" and re.fullmatch(r"Figure \d", number))
    }  # both parts of one
    assert own, paper
    assert own - {*NUMBERED[paper]} == set()


def test_figures_of_normalized_vectors_divide_averages():
    """Research Notes 2002-2, section 3.3, and TOIS 2002: "normalised by dividing them with the ideal average vectors"."""
    lines = {
        (paper, number): line
        for paper in NUMBERED
        for number, line, _ in rows(section(paper))
        if " gain-vectors " in line
    }
    normalized = {place for place, line in lines.items() if "'nCG" in line or "'nDCG" in line}
    figures = {("Research Notes 2002-2", f"Figure {number}") for number in (3, 4)}
    figures |= {("TOIS 2002", f"Figure {number}{part}") for number in (3, 4) for part in "ab"}
    assert normalized >= {*figures, ("slides", "NDCG")}
    assert normalized == {place for place, line in lines.items() if line.count("--normalize averages") == 1}


def test_figures_of_ecir_2008_weigh_grades_as_the_paper_does():
    """Section 3.1: "scores 0 to 3 ... weighted as 0-1-10-100"."""
    lines = {number: line for number, line, _ in rows(section("ECIR 2008"))}
    assert all("gain=0-1-10-100" in lines[f"Figure {number}"] for number in range(1, 5))


@pytest.mark.parametrize("wrong", WRONG)
def test_every_misprint_is_named(wrong):
    assert wrong.replace("|", " ").lower() in " ".join(MISPRINTS.split()).lower()


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the Python of the guide makes, in a folder with the demo study."""
    folder = tmp_path_factory.mktemp("papers")
    shutil.copytree(saved_clinic(), folder / "study")
    before = Path.cwd()
    os.chdir(folder)
    made = Transcript(GUIDES / "papers.md", folder)
    made.run()
    yield made.names
    os.chdir(before)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("paper", NUMBERED)
def test_every_line_runs_and_prints_what_is_said(paper, names):
    for _, line, prints in rows(section(paper)):
        printed, status = screen(shlex.split(line)) if line.startswith("sessionkit ") else (repr(eval(line, names)), 0)  # noqa: S307
        assert status == 0, f"{line}\n{printed}"
        assert printed.strip(), line
        assert in_order(printed, [one.strip() for one in prints.split(",") if one.strip()]), f"{line}\n{printed}"
