"""Warnings point at the line that called sessionkit, whichever verb issues them, and however deep it does."""

import re
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit import plugins
from sessionkit.errors import DataWarning, warn

SESSIONS = [f"s{number}" for number in range(16)]
QUERY_MEASURE = {"measures": "nDCG@10"}
VERBS = {
    "bounds": QUERY_MEASURE, "breakdown": {"measure": "nDCG@10"}, "breakdown_tests": {"measure": "nDCG@10"},
    "compare": QUERY_MEASURE, "correlate": {"measures": "sDCG@10", "with_": "age"}, "curve": {"measure": "sDCG@10"},
    "curve_differences": {"measure": "sDCG@10"}, "curve_with_stops": {"measure": "sDCG@10"}, "discriminate": QUERY_MEASURE,
    "gain_vectors": {"measure": "CG@10"}, "judge_noise": {**QUERY_MEASURE, "draws": 5}, "judgment_loss": {**QUERY_MEASURE, "draws": 1},
    "power": {"measure": "sDCG@10", "difference": 1}, "precision_recall": {"measure": "IPrec11"},
    "reformulations": {"measure": "nDCG@10"}, "rprecision_histogram": {"a": "A", "b": "B"},
    "score": {"measures": ["nDCG@10", "nsDCG(duplicates=first)@10"]}, "sweep": {"measure": "nDCG@10", "vary": {"b": [2, 3]}},
}  # fmt: skip
"""Verbs that warn, with arguments by which they do: lists seen in part, sessions without judgments, means of queries."""


def study():
    """Sixteen sessions of eight users whose lists were observed in part; two sessions have a topic without judgments."""
    places = {"session_id": SESSIONS * 2, "query_position": [1] * 16 + [2] * 16}
    return sk.from_tables(
        sessions={
            "session_id": SESSIONS, "user_id": [f"u{number // 2}" for number in range(16)], "system_id": list("AB") * 8,
            "topic_id": ["t", "u"] * 7 + ["x"] * 2, "age": [number // 2 for number in range(16)],
        },
        queries={**places, "query_text": ["crow"] * 16 + ["crow skull"] * 16, "results_status": ["partly_observed"] * 32},
        results={**places, "rank": [n % 3 + 1 for n in range(32)], "doc_id": [f"d{n % 5}" for n in range(32)]},
        judgments={"judgment_key": ["t", "t", "u"], "doc_id": ["d0", "d1", "d2"], "grade": [1, 2, 3]},
        max_grade=3,
    )  # fmt: skip


@contextmanager
def pointing_here():
    """Every warning of the block points at this file, and there is one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert caught
    assert {(warning.filename, warning.category) for warning in caught} == {(__file__, DataWarning)}


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_points_at_the_line_that_called_it(name):
    with warnings.catch_warnings(action="ignore"):
        log = study()
    with pointing_here():
        getattr(sk, name)(log, **VERBS[name])


def test_readers_and_others_do(tmp_path):
    with pointing_here():
        log = study()
    with pointing_here():
        sk.explain(log, sk.define("FirstGain", lambda gains: gains[0], level="query"), session="s0")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 2 A\nq2 Q0 a 1 2 A\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    with pointing_here():
        sk.from_run(tmp_path / "a.run", tmp_path / "qrels")
    with pointing_here():
        sk.read(tmp_path / "a.run", judgments=tmp_path / "qrels")
    (tmp_path / "plugin.py").write_text("")
    with pointing_here():
        plugins.load(tmp_path / "plugin.py")


def test_the_line_is_that_of_the_call():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("odd")
    source = Path(__file__).read_text().splitlines()
    assert [source[warning.lineno - 1].strip() for warning in caught] == ['warn("odd")']


def test_a_warning_is_shown_once_for_each_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn("shown once")
        warn("shown once")
    assert len(caught) == 2


def test_one_function_issues_all_warnings():
    package = Path(sk.__file__).parent
    calls = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"\bwarnings\.warn\w*\(", path.read_text())
    }
    # the page passes on the warnings of other libraries, from where they came
    assert calls == {"errors.py", "reports/page.py"}


def test_a_warning_reaches_code_that_has_no_name():
    """Python drops a warning of no module, and so a report that such code makes would lack its notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval("warn('rows are left out')", {"warn": warn})  # noqa: S307 - as a notebook or a server runs code
    assert [str(one.message) for one in caught] == ["rows are left out"]
