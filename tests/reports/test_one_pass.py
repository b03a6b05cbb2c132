"""What a report asks of a study is asked in one pass, which changes nothing; of large studies some sessions are looked at."""

from contextlib import nullcontext

import pytest

import sessionkit as sk
from sessionkit.reports import material, page
from sessionkit.scoring import reduction
from tests.reports.mixed_logs import mixed


@pytest.fixture
def passes(monkeypatch):
    """Count the passes over each study."""
    counted, parts_of = [], reduction.parts_of
    monkeypatch.setattr(reduction, "parts_of", lambda study, *given: counted.append(study) or parts_of(study, *given))
    return counted


def large(monkeypatch, most=12):
    """Let a study of more than so many sessions be large."""
    monkeypatch.setattr(material, "LARGE", most)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("most", [12, 20_000])
def test_reading_once_changes_nothing_but_the_passes(monkeypatch, passes, most):
    large(monkeypatch, most)
    study = mixed()
    together, many = sk.report(study), passes.count(study)
    passes.clear()
    monkeypatch.setattr(page, "read_once", lambda _material: nullcontext())
    assert sk.report(study) == together
    assert many < passes.count(study)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_large_study_is_read_once(monkeypatch, passes):
    large(monkeypatch)
    study = mixed()
    sk.report(study)
    assert passes.count(study) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_large_study_says_of_how_many_sessions_it_speaks(monkeypatch):
    large(monkeypatch)
    study = mixed()
    made = page.sections_of(study)
    told = f"This section is about 12 of {study.facts.sessions} sessions, drawn at random"
    above = {section.name for section in made if getattr(section.parts[0], "paragraphs", ("",))[0].startswith(told)}
    assert above == {"sessions", "behaviour"}
    (figure,) = [part for section in made for part in section.parts if getattr(part, "kind", "") == "session-curve"]
    counts = figure.caption.partition("Sessions: ")[2].partition(".")[0]
    assert 0 < sum(int(one.rpartition(" ")[2]) for one in counts.split(", ")) <= 12  # those with a value
