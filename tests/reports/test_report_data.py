"""What sections ask of a study is read in one pass, which changes nothing; of large studies some sessions are looked at."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import pytest

import sessionkit as sk
from sessionkit.reports import page, report_data
from sessionkit.reports.choices import choices_of
from sessionkit.reports.live.widget import Varied, counts_of
from sessionkit.reports.report_data import TASKS, ask
from sessionkit.reports.sample import pick
from sessionkit.reports.sections import sessions
from sessionkit.reports.sections.registry import SECTIONS
from sessionkit.robustness.sweep import sweep
from sessionkit.scoring import reduction
from sessionkit.scoring.reduction import ReducedTables, in_one_pass
from sessionkit.scoring.score import score
from sessionkit.sessions.breakdown import breakdown
from sessionkit.sessions.breakdown_tests import breakdown_tests
from sessionkit.sessions.curve import curve
from sessionkit.sessions.describe import describe
from sessionkit.sessions.timeline import reformulations
from sessionkit.statistics.compare import compare
from tests.reports.mixed_logs import mixed
from tests.reports.one_section import by_name, figures_in
from tests.support.clinic import read_clinic

READ_BESIDE = {
    "summary": 1, "sessions": 2, "further-curves": 3, "searchers": 2, "effort": 1, "ratings": 2, "judgments": 2, "robustness": 2,
    "every-session": 4, "exemplar": 2, "explorer": 2,
}  # fmt: skip
"""How often a section of a small study reads it for more than it declares: what is unjudged; the difference along the session, and the
curves for their sentence; curves of one topic, of its long sessions and of single ones; how far searchers looked, for the fit and for its
picture; what they gained; what they rated, for the correlation and for its picture; judged shares, for the same two; values of sessions
and which settings to try; the curves of a wall, its queries, its scores and their bounds; the pair of sessions that differs most, and its
values; the table of sessions and its bounds.
"""


@pytest.fixture
def passes(monkeypatch):
    """Count the passes over each study."""
    counted, parts_of = [], reduction.parts_of
    monkeypatch.setattr(reduction, "parts_of", lambda study, *given: counted.append(study) or parts_of(study, *given))
    return counted


def large(monkeypatch, most=12):
    """Let a study of more than so many sessions be large."""
    monkeypatch.setattr(report_data, "LARGE", most)
    monkeypatch.setattr(sessions, "PANELS", min(most, 10))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("most", [12, 20_000])
def test_reading_once_changes_nothing_but_the_passes(monkeypatch, passes, most):
    large(monkeypatch, most)
    study = mixed()
    together, many = sk.report(study), passes.count(study)
    passes.clear()
    monkeypatch.setattr(page, "_read_once", lambda _material: nullcontext())
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
    made = by_name(page.sections_of(study))
    told = f"This section is about 12 of {study.facts.sessions} sessions, drawn at random"
    above = {
        name for name, section in made.items() if getattr(section.parts[0], "paragraphs", ("",))[0].startswith(told)
    }
    assert above == {"sessions", "behavior-table"}
    (figure,) = [figure for figure in figures_in(made["sessions"]) if figure.kind == "session-curve"]
    counts = figure.caption.partition("Sessions: ")[2].partition(".")[0]
    assert 0 < sum(int(one.rpartition(" ")[2]) for one in counts.split(", ")) <= 12  # those with a value


@pytest.mark.slow
def test_what_a_section_declares_is_all_that_it_asks_but_for_what_is_written_down(monkeypatch):
    reading, read, left = ["before"], Counter(), []
    parts_of = reduction.parts_of
    monkeypatch.setattr(reduction, "parts_of", lambda *given: read.update(reading[-1:]) or parts_of(*given))

    def watched(kind, of):
        reading.append(kind.name)
        made = [*kind.parts(of)]
        left[:] = [text for held in of.study.memo.held(ReducedTables) for text, some in held.tables.items() if some]
        return made

    def watching(kind):
        return replace(kind, parts=partial(watched, kind), details=tuple(map(watching, kind.details)))

    monkeypatch.setattr(page, "SECTIONS", [*map(watching, SECTIONS)])
    page.sections_of(read_clinic())
    assert read == {"before": 1, **READ_BESIDE}
    assert left == []  # nothing is read for that no section asks


@pytest.mark.slow
def test_a_question_is_answered_from_what_was_read_for_it(passes):
    study = read_clinic()
    rows = study.sessions.select("session_id").collect()["session_id"].head(3)
    questions = [
        ask(breakdown, study, "nDCG@10"),
        ask(breakdown_tests, study, "nDCG@10"),
        ask(compare, study, ["sDCG@10"]),
        ask(counts_of, study, Varied.of(choices_of(study)), "system_id"),
        ask(curve, study, "sDCG@10"),
        ask(describe, study),
        ask(pick, study, rows),
        ask(reformulations, study),
        ask(score, study, "sDCG@10", by="system_id"),
        ask(sweep, study, sk.sDCG @ 10, {"b": [2, 3]}, "system_id", test="none"),
    ]
    assert {question.verb for question in questions} == {*TASKS}
    for question in questions:
        with in_one_pass(study, question.reductions()):
            passes.clear()
            question.answer()
            assert not passes, question.verb
        question.answer()
        assert passes, question.verb  # alone it is read for


def test_what_a_question_cannot_be_asked_is_said_when_it_is_planned():
    with pytest.raises(sk.UsageError, match="by=planet: no such column"):
        ask(score, read_clinic(), "sDCG@10", by="planet").reductions()
