"""The sentences of a report and the captions of figures: a golden file holds them, so that other tests assert only what they say.

``GOLDEN=write`` in the environment renews it.
"""

import json
import os
from pathlib import Path

import pytest

from sessionkit import __version__
from sessionkit.charts.registry import CHARTS
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.page import sections_of
from sessionkit.reports.single_figures import single_figure
from tests.reports.one_section import by_name
from tests.support.clinic import read_clinic
from tests.support.draws import draw_less

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
GOLDEN = Path(__file__).parent / "texts.json"
SAYS_A_FINDING = {"sweep-map", "judgment-loss", "verdict-curves", "judge-noise"}
"""Charts whose captions are statements of findings, which have golden files of their own."""
RATED = {"with_": ["satisfaction"]}
OPTIONS = {"correlation-forest": RATED, "rating-scatter": RATED, "power-curve": {"difference": "20%"}}
"""What some charts need."""


def texts_of(section):
    """Return the paragraphs of a section, its tiles, and the captions and notes of its figures and tables, in order."""
    texts, of_details = [], {id(part) for detail in section.details for part in detail.every_part()}
    for part in section.every_part():
        if id(part) in of_details:  # these are sections of their own
            continue
        texts += getattr(part, "paragraphs", ())
        texts += [text for tile in getattr(part, "tiles", ()) for text in (tile.about, tile.fact, tile.more) if text]
        texts += [part.title, part.caption] if isinstance(part, Figure) else []
        texts += [
            text for name in ("caption", "note") if (text := getattr(part, name, "")) and not isinstance(part, Figure)
        ]
    return [str(text) for text in texts]


def require_golden(texts):
    """Assert that the golden file has these lists of texts, by name; others in it are left alone."""
    plain = {name: [text.replace(__version__, "VERSION") for text in listed] for name, listed in texts.items()}
    if os.environ.get("GOLDEN") == "write":
        known = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
        GOLDEN.write_text(json.dumps({**known, **plain}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    golden = json.loads(GOLDEN.read_text("utf-8"))
    for name, listed in plain.items():
        assert listed == golden[name], name


@pytest.mark.slow
def test_a_report_says_what_the_golden_file_has(monkeypatch):
    draw_less(monkeypatch)
    sections = by_name(sections_of(read_clinic(), primary="sDCG@10"))
    require_golden({f"section {name}": texts_of(section) for name, section in sections.items()})


@pytest.mark.slow
def test_captions_are_those_of_the_golden_file(monkeypatch):
    draw_less(monkeypatch)
    study = read_clinic()
    captions = {}
    for kind in sorted(CHARTS.keys() - SAYS_A_FINDING):
        captions[f"chart {kind}"] = [single_figure(study, kind, **OPTIONS.get(kind, {})).caption]
    require_golden(captions)
