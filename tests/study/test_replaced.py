"""A saved study that is replaced or removed after it was opened is named by every function that reads it."""

import shutil
import warnings

import pytest

import sessionkit as sk
from sessionkit.reports import report
from tests.support.clinic import read_clinic

VERBS = {
    "check": sk.check,
    "breakdown": lambda study: sk.breakdown(study, "nDCG@10"),
    "breakdown_tests": lambda study: sk.breakdown_tests(study, "nDCG@10"),
    "compare": lambda study: sk.compare(study, "sDCG@10"),
    "correlate": lambda study: sk.correlate(study, "sDCG@10", "satisfaction"),
    "curve": lambda study: sk.curve(study, "sDCG@10"),
    "describe": sk.describe,
    "explain": lambda study: sk.explain(study, "sDCG@10", session="ses001"),
    "agreement": sk.agreement,
    "pseudonymize": sk.pseudonymize,
    "report": report,
    "save": lambda study: study.save(study.path.parent / "copy"),
    "score": lambda study: sk.score(study, "sDCG@10", per="session"),
    "sweep": lambda study: sk.sweep(study, "sDCG@10", {"b": [2, 3]}),
    "timeline": lambda study: sk.timeline(study, "ses001"),
}


@pytest.fixture(scope="module")
def made():
    """The clinic's study, and one of another size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clinic = read_clinic()
        other = sk.from_tables(
            {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d"]},
            {"judgment_key": ["s"], "doc_id": ["d"], "grade": [1]},
        )
    return clinic, other


@pytest.mark.few(12)
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("removed", [False, True], ids=["replaced", "removed"])
def test_what_happened_is_said(made, tmp_path, verb, removed):
    clinic, other = made
    study = clinic.save(tmp_path / "study")
    if removed:
        shutil.rmtree(study.path)
    else:
        other.save(study.path)
    with pytest.raises(sk.DataError, match=r"was (removed|replaced) after") as told:
        VERBS[verb](study)
    assert str(study.path) in str(told.value)
