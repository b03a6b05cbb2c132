"""Every example script runs, without a warning, and says what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAYS = {
    # FORMULAS, section 0: forms A to D of the toy session
    "one_session_four_ways.py": ["1.8316  sDCG@3", "3.3389", "1.6375", "1.4678", "so far 1.8316"],
    # ECIR 2008, section 3.2: 92 and 131 non-last queries
    "compare_last_queries.py": ["92 queries in 32 sessions", "131 queries in 39 sessions", "synthetic"],
    "figures_side_by_side.py": ["curves.svg"],
}


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_script(script, tmp_path):
    words = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(part in done.stdout for part in SAYS[script.name])


def test_the_saved_figure_says_that_it_is_synthetic(tmp_path):
    words = [sys.executable, str(EXAMPLES / "figures_side_by_side.py"), "two.svg"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "two.svg").read_text().count(">Synthetic data</text>") == 2
