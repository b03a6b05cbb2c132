"""Every verb with confidence, draws or a seed accepts the same values of them, and refuses others with the same sentence."""

import inspect
import re
from math import nan

import pytest

import sessionkit as sk
from sessionkit.arguments import error_rate
from tests.support.clinic import read_clinic

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
BAD = {
    "confidence": ["0.95", None, True, [0.95], nan, 0, 0.3, 0.5, 1, 95, 1 - 1e-14],
    "draws": ["500", None, True, 500.0, nan, -1, 1_000_001, [500]],
    "component_draws": ["500", None, True, 500.0, 49, 1_000_001],
    "seed": ["1", None, True, 1.0, nan, -1, [1]],
}
SAYS = {
    "confidence": "confidence must be a number above .5 and below 1, not {}; 0.95 is usual",
    "draws": "draws must be a whole number of at least {least} and at most 1,000,000, not {}",
    "component_draws": "component_draws must be a whole number of at least {least} and at most 1,000,000, not {}",
    "seed": "seed must be a whole number, 0 or more, not {}",
}
NEEDS = {
    "correlate": {"with_": "satisfaction"},
    "power": {"difference": 0.1},
    "sweep": {"vary": {"b": [2, 4]}},
}
"""What verbs need beside a study and a measure."""
FEWEST = {"judge_noise": 1, "judgment_loss": 1, "compare": 99, "sweep": 99, "discriminate": 99}
"""The least number of draws: of judgments, of signs or assignments; of units and studies it is 200."""
VERBS = {name: getattr(sk, name) for name in sk.__all__ if inspect.isfunction(getattr(sk, name))}
TAKING = [
    (name, option) for name, verb in VERBS.items() for option in BAD if option in inspect.signature(verb).parameters
]


def test_verbs_are_those_that_take_them():
    assert {name for name, _ in TAKING} >= {
        "breakdown", "breakdown_tests", "calibrate", "compare", "correlate", "curve", "curve_differences", "discriminate",
        "gain_vectors", "judge_noise", "judgment_loss", "power", "precision_recall", "pseudonymize", "session_survival", "sweep",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "option"), TAKING)
def test_a_bad_value_is_refused_with_the_same_sentence(name, option):
    parameters = inspect.signature(VERBS[name]).parameters
    given = {"measure": "sDCG@10", "measures": "sDCG@10"} if name != "gain_vectors" else {"measure": "nDCG@10"}
    given = {
        key: value
        for key, value in given.items()
        if key in parameters and parameters[key].default is inspect.Parameter.empty
    }
    least = 50 if option == "component_draws" else FEWEST.get(name, 200)
    for bad in BAD[option] + ([least - 1] if option == "draws" and name != "breakdown_tests" else []):
        if option == "seed" and bad is None and parameters["seed"].default is None:
            continue
        with pytest.raises(sk.UsageError) as raised:
            VERBS[name](read_clinic(), **given, **NEEDS.get(name, {}), **{option: bad})
        assert str(raised.value) == SAYS[option].format(repr(bad), least=least)


@pytest.mark.parametrize("chart", ["differences", "discriminative_power"])
def test_charts_refuse_the_same(chart):
    for bad in BAD["confidence"]:
        if bad is not None:
            with pytest.raises(sk.UsageError, match=re.escape(SAYS["confidence"].format(repr(bad)))):
                getattr(sk.charts, chart)(sk.compare(read_clinic(), "sDCG@10").table, confidence=bad)


@pytest.mark.parametrize("confidence", [0.500001, 0.8, 0.95, 0.999999999])
def test_the_error_rate_is_1_less_confidence(confidence):
    assert error_rate(confidence) == pytest.approx(1 - confidence, rel=1e-6)
    assert 0 < error_rate(confidence) < 0.5


@pytest.mark.parametrize("bad", [3, 2.5, ["c001"], b"c001", True, {}, object()])
def test_an_id_that_is_no_text_is_refused(bad):
    clinic = read_clinic()
    says = "must be an id, which is a text, not "
    with pytest.raises(sk.UsageError, match=f"session {says}"):
        sk.explain(clinic, "sDCG@10", session=bad)
    with pytest.raises(sk.UsageError, match=f"session {says}"):
        sk.timeline(clinic, session=bad)
    with pytest.raises(sk.UsageError, match=f"against {says}"):
        sk.curve_differences(clinic, "sDCG@10", against=bad)
    with pytest.raises(sk.UsageError, match="there is no system_id"):
        sk.rprecision_histogram(clinic, a=bad, b="S1")


def test_a_number_that_is_an_id_as_text_is_suggested():
    rows = {
        "session_id": ["3", "4"],
        "query_position": [1, 1],
        "rank": [1, 1],
        "doc_id": ["a", "b"],
        "topic_id": ["t", "t"],
    }
    study = sk.from_tables(rows, judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]})
    with pytest.raises(sk.UsageError, match="did you mean '3'"):
        sk.explain(study, "sDCG@10", session=3)
