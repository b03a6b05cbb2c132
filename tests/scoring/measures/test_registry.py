"""The registry names what the files of the measures hold, and reads a file only when it is asked for one of its measures."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from sessionkit.scoring import measures
from sessionkit.scoring.measures.registry import FAMILIES

FOLDER = Path(measures.__file__).parent


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_registered_as_its_file_has_it(family):
    held = import_module(f"sessionkit.scoring.measures.{family}").FAMILY
    assert FAMILIES[family] == tuple(measure.name for measure in held)
    assert [measures.MEASURES[name] for name in FAMILIES[family]] == list(held)


def test_every_file_with_a_family_is_registered():
    held = {path.stem for path in FOLDER.glob("*.py") if "\nFAMILY = " in path.read_text(encoding="utf-8")}
    assert held == set(FAMILIES)


def test_a_measure_is_an_attribute_and_nothing_else_is():
    assert measures.max_ is measures.MEASURES["max"]
    for name in ("max", "nDCG_", "nothing"):
        with pytest.raises(AttributeError, match=name):
            getattr(measures, name)
    with pytest.raises(KeyError):
        measures.MEASURES["nothing"]


def test_one_measure_does_not_read_the_files_of_the_others():
    script = """
import sys
from sessionkit.scoring.measures import MEASURES, parse_measure
parse_measure("ERR@10")
assert "ERR" in MEASURES and len(list(MEASURES)) > 80
print([name for name in ("cascade", "subtopic", "expected", "jiang2016") if f"sessionkit.scoring.measures.{name}" in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "['cascade']"
