"""The other walks: what they say is held against arithmetic and against the model that made their data."""

import re
from math import log2
from pathlib import Path

import pytest

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
    assert "scroll events         1 records,  0 rows, 0 empty lists, 1 idle" in ran.said
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
