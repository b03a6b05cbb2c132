"""Examples, run as people run them, and what they leave."""

import html
import re
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Ran:
    """What a script printed, and where its files are."""

    said: str
    folder: Path

    def labels(self, name):
        """What the marks of a figure say of themselves, in order."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return [html.unescape(label).replace("\u2212", "-") for label in re.findall(r'aria-label="([^"]*)"', text)]

    def count(self, name, kind):
        """How many marks of a kind a figure has."""
        return (self.folder / name).read_text(encoding="utf-8").count(f'aria-roledescription="{kind}"')

    def value(self, name, field, *parts):
        """The number that a field has in the marks that say all these parts."""
        said = [dict(part.split(": ", 1) for part in label.split("; ")) for label in self.labels(name) if "; " in label]
        asked = dict(part.split(": ", 1) for part in parts)
        (value,) = {one[field] for one in said if field in one and asked.items() <= one.items()}
        return float(value.rstrip("%"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs an example."""

    def run(name):
        script = EXAMPLES / name
        monkeypatch.setattr(sys, "argv", [str(script), "--out", str(tmp_path)])
        monkeypatch.syspath_prepend(str(script.parent))
        runpy.run_path(str(script), run_name="__main__")
        return Ran(capsys.readouterr().out, tmp_path)

    return run


@pytest.fixture(scope="session")
def clinic():
    """Return the clinic study."""
    from tests.support.clinic import read_clinic

    return read_clinic()
