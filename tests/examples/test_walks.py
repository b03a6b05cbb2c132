"""The other walks: what they say is held against arithmetic and against the model that made their data.

The walk-through, as a script and as a notebook: every step says what is true, and the truth is that of the data.
"""

import json
import re
import subprocess
import sys
from math import log2
from pathlib import Path

import pytest

import sessionkit as sk
from tests.support.notebook import NOTEBOOK, cells

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.slow
def test_a_simulation_finds_what_made_it(run):
    ran = run("simulation.py")
    for system, of_queries, of_sessions, model in re.findall(
        r"  ([AB]) ([\d.]+) over queries, ([\d.]+) over sessions, by the model ([\d.]+)", ran.said
    ):
        relevant = sum({"A": 0.25, "B": 0.35}[system] * 0.85**rank for rank in range(10))
        assert float(model) == pytest.approx(relevant / 10, abs=5e-5)
        # some 500 lists of 10 results: an sd of the mean of about .004
        assert float(of_queries) == pytest.approx(float(model), abs=0.012)
        assert float(of_sessions) > float(of_queries)
    lows = re.findall(r"(patient|impatient): B less A \+[\d.]+, interval (-?[\d.]+)", ran.said)
    assert len(lows) == 2
    assert all(float(low) > 0 for _, low in lows)
    assert ran.count("simulation.svg", "line mark") == 2


def test_events_become_sessions(run):
    ran = run("ubi_events.py")
    assert "query records         5 records,  5 rows" in ran.said
    assert re.search("scroll events +1 records, +0 rows, .* 1 idle", ran.said)
    # led tv: grades 2, 0, 3 at ranks 1, 2, 3; the ideal is 3, 2, 0: (2 + 3 / 2) / (3 + 2 / log2 3)
    assert f"s1, query 2 'led tv'   {(2 + 3 / 2) / (3 + 2 / log2(3)):.4f}" in ran.said
    assert "s3, query 1 'oled'     0.0000" in ran.said
    assert "s1 TimeToFirstClick  31.0000" in ran.said
    assert ran.count("ubi_events.svg", "point") == 2  # the click, and that of the key


def test_one_number_of_a_paper(run):
    ran = run("paper_number.py")
    rows = [line.split() for line in ran.said.splitlines()[1:11]]
    assert [row[2] for row in rows] == ["3", "5", "8", "8", "8", "9", "11", "13", "16", "16"]
    # 3; + 2 / (1 + log4 2) = 4/3; + 3 / (1 + log4 3)
    assert [row[3] for row in rows[:3]] == ["3.0000", "4.3333", "6.0070"]
    assert rows[1][4:] == ["4.00", "0.33"]
    assert ran.value("paper_number.svg", "value", "Rank: 10", "group: formula", "Measure: CG") == 16
    # FORMULAS, section 0: forms A to D of the toy session
    for part in ("1.8316  sDCG@3", "3.3389", "1.6375", "1.4678", "so far 1.8316"):
        assert part in ran.said


def test_there_are_four_walks_and_each_has_a_line_in_the_table():
    walks = {path.name for path in EXAMPLES.glob("*.py")}
    assert walks == {"walk_through.py", "simulation.py", "ubi_events.py", "paper_number.py"}
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}" in table for name in walks)


TRUTH = json.loads((EXAMPLES / "clinic" / "truth.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_from_log_to_report(run):
    ran = run("walk_through.py")
    said = ran.said
    assert sk.open_study(ran.folder / "study").facts.sessions == 120
    assert "record is accounted for: True" in said
    assert re.search("Latin square of .*system_id", said)
    # clinic/README.md: .271 and .336 over many studies, .065 apart with an sd of .032; this is one of them
    s1, s2, gap = map(
        float, re.search(r"S1 scores ([\d.]+) and S2 ([\d.]+) in .*, S2 less S1 \+(0\.\d+)", said).groups()
    )
    assert (s1, s2, gap) == (
        pytest.approx(0.271, abs=0.1),
        pytest.approx(0.336, abs=0.1),
        pytest.approx(0.065, abs=0.064),
    )
    parts, score = re.search(r"add to ([\d.]+), its score is ([\d.]+)\.", said).groups()
    assert parts == score
    low, high = map(float, re.search(r"The interval from (-?[\d.]+) to ([\d.]+) holds", said).groups())
    assert low < 0
    assert high > 0.065
    assert f"better by {TRUTH['satisfied_gain']} units" in said
    assert "last query is better" in said
    assert "It leads in 16 of 16." in said
    assert "fitted discounts S2 leads" in said
    ends = re.search(r"The curves end at the scores: S1 ([\d.]+), S2 ([\d.]+)\.", said).groups()
    assert [f"{float(end):.3f}" for end in ends] == [f"{s1:.3f}", f"{s2:.3f}"]
    assert ">Synthetic data</text>" in (ran.folder / "sessions.svg").read_text(encoding="utf-8")
    assert "Synthetic data: this study" in (ran.folder / "report.html").read_text(encoding="utf-8")


def test_the_notebook_is_that_of_the_script():
    kinds = [kind for kind, _ in cells()]
    assert kinds == ["markdown", "code"] * 13
    assert shown_of(NOTEBOOK)[0] == cells(), "write it: python -m tests.support.notebook"


@pytest.mark.slow
def test_jupyter_executes_the_notebook_and_figures_need_no_network(tmp_path):
    words = [sys.executable, "-m", "tests.support.notebook", str(tmp_path / "walk_through.ipynb")]
    subprocess.run(words, cwd=EXAMPLES.parent, check=True)
    found, kept = shown_of(tmp_path / "walk_through.ipynb"), shown_of(NOTEBOOK)
    assert found[:2] == kept[:2], "write it: python -m tests.support.notebook"
    for figures in (found[2], kept[2]):
        assert len(figures) == 4
        assert all(one.startswith("<svg ") and "Synthetic data<" in one for one in figures)


def shown_of(path):
    """A notebook's cells as kind and text, what is printed and shown as tables, and its figures."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    sources = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    shown = [output.get("data", {}) for output in outputs]
    texts = [output.get("text") or data.get("text/html") for output, data in zip(outputs, shown, strict=True)]
    return sources, texts, ["".join(data["image/svg+xml"]) for data in shown if "image/svg+xml" in data]


def test_the_clinic_s_true_effect_is_what_the_walk_through_says():
    text = (EXAMPLES / "walk_through.py").read_text(encoding="utf-8")
    assert f"better by {TRUTH['system_effect']}" in text
    assert f"sd of {TRUTH['noise_sd']}" in text
    about = (EXAMPLES / "clinic" / "README.md").read_text(encoding="utf-8")
    assert ".271 and .336" in about
    assert "difference .065" in about
