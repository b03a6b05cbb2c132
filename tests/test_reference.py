"""The pages of the Python interface: they are made without a warning, and every public name is explained there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import sessionkit as sk

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_reference_explains_every_public_name(tmp_path):
    words = [sys.executable, "-m", "tests.support.reference", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    spark = ["score", "score_frame", "session"]
    for page, names in {
        "sessionkit": dir(sk),
        "sessionkit/bases": sk.bases.__all__,
        "sessionkit/charts": sk.charts.__all__,
        "sessionkit/spark": spark,
    }.items():
        text = (tmp_path / f"{page}.html").read_text(encoding="utf-8")
        entries = dict(re.findall(r'<section id="([\w.]+)">(.*?)</section>', text, re.DOTALL))
        assert {*names} - {"bases", "charts", "engines", "spark", "__version__"} <= {*entries}
        silent = [name for name in names if name in entries and '<div class="docstring">' not in entries[name]]
        assert set(silent) <= {"__version__"}, page
    first = (tmp_path / "sessionkit.html").read_text(encoding="utf-8")
    assert "What is public." in first
    assert "What is stable." in first
    assert "the whole recall base" in first  # of nDCG, whose documentation is that of its class
