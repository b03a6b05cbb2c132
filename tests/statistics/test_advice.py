"""What a message advises can be done: whatever measure it names in place of another is one that the same verb takes.

Every verb with confidence, draws or a seed accepts the same values of them, and refuses others with the same sentence.
"""

import inspect
import re
from functools import partial
from math import nan

import pytest

import sessionkit as sk
from sessionkit.arguments import error_rate
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from tests.support.clinic import read_clinic

VERBS = {
    "score per query": lambda study, measure: sk.score(study, measure, per="query"),
    "score per session": sk.score,
    "score per system": lambda study, measure: sk.score(study, measure, by="system_id"),
    "explain": lambda study, measure: sk.explain(study, measure, session="s"),
    "curve": sk.curve,
    "breakdown": sk.breakdown,
    "breakdown_tests": sk.breakdown_tests,
    "reformulations": sk.reformulations,
    "compare": sk.compare,
    "correlate": lambda study, measure: sk.correlate(study, measure, "rating", draws=200),
    "effort": sk.effort,
    "gain_vectors": sk.gain_vectors,
    "incomplete": sk.bounds,
    "incomplete per query": lambda study, measure: sk.bounds(study, measure, per="query"),
    "mixed": partial(sk.compare, population="users,topics"),
    "path_variance": sk.path_variance,
    "power": lambda study, measure: sk.power(study, measure, difference="10%"),
    "precision_recall": lambda study, measure: sk.precision_recall(study, measure=measure),
    "rprecision_histogram": lambda study, measure: sk.rprecision_histogram(study, measure=measure),
    "sweep": lambda study, measure: sk.sweep(study, measure, {"b": [2, 3]}),
    "waterfall": lambda study, measure: single_figure(study, "waterfall", [parse_measure(measure)], session="s"),
}
ADVICE = re.compile(r"(?:ask for(?: one)?(?: of queries)?(?: a \w+ measure)?|for example|such as|inside:)[ ,:]*(.*)")
MEASURE = re.compile(r"\w+(?:\((?:[^()]|\([^()]*\))*\))?(?:@\d+)?")


@pytest.fixture(scope="module")
def study():
    """Two sessions of two queries by two systems, with words and a rating."""
    return sk.from_tables(
        results={
            "session_id": ["s", "s", "r", "r"],
            "query_position": [1, 2, 1, 2],
            "rank": [1, 1, 1, 1],
            "doc_id": ["a", "b", "a", "c"],
        },
        queries={
            "session_id": ["s", "s", "r", "r"],
            "query_position": [1, 2, 1, 2],
            "query_text": ["a", "a b", "c", "d"],
        },
        sessions={
            "session_id": ["s", "r"],
            "topic_id": ["t", "t"],
            "system_id": ["A", "B"],
            "user_id": ["u", "v"],
            "rating": [1, 2],
        },
        judgments={"judgment_key": ["t", "t", "t"], "doc_id": ["a", "b", "c"], "grade": [1, 2, 0]},
        max_grade=2,
    )


def refusal(verb, study, measure):
    """What a verb says against a measure; None where it takes it, or misses something in the log."""
    try:
        VERBS[verb](study, measure)
    except sk.DataError:
        return None
    except sk.UsageError as error:
        return str(error)
    return None


def asked():
    """Every measure with all that it needs, and its mean over queries where it has one."""
    texts = [str(example_of(measure)) for measure in MEASURES.values()]
    for text in list(texts):
        try:
            texts.append(str(parse_measure(f"mean({text})")))
        except sk.MeasureError:
            continue
    return texts


def advised(said):
    """The measures that a message names after the words for advice."""
    found = []
    for rest in ADVICE.findall(said):
        for text in MEASURE.findall(rest):
            try:
                found.append(str(parse_measure(text)))
            except sk.MeasureError:
                continue  # a word
    return [text for text in dict.fromkeys(found) if "@" in text]


@pytest.mark.few(3)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
@pytest.mark.parametrize("verb", VERBS)
def test_the_measure_that_a_refusal_advises_is_not_refused(verb, study):
    refused = {text: said for text in asked() if (said := refusal(verb, study, text)) and "measure" in said}
    better = {(text, advice) for text, said in refused.items() for advice in advised(said)}
    again = {advice: refusal(verb, study, advice) for advice in {advice for _, advice in better}}
    assert {
        (text, advice) for text, advice in better if again[advice] is not None and "measure" in again[advice]
    } == set()


@pytest.mark.parametrize(
    ("verb", "measure", "advice"),
    [
        ("score per query", "mean(sDCG@10)", "DCG@10"),
        ("score per query", "mean(P@10)", "P@10"),
        ("effort", "mean(P@10)", "sDCG@10"),
        ("effort", "mean(DCG@5)", "DCG@5"),
        ("breakdown", "mean(nsDCG@10)", "DCG@10"),
        ("breakdown", "mean(DCG@5)", "DCG@5"),
        ("waterfall", "MaxF@10", "sDCG@10"),
        ("waterfall", "DCG@10", "mean(DCG@10)"),
    ],
)
def test_what_is_advised(verb, measure, advice, study):
    assert advice in advised(refusal(verb, study, measure))


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
VERBS_WITH_OPTIONS = {name: getattr(sk, name) for name in sk.__all__ if inspect.isfunction(getattr(sk, name))}
TAKING = [
    (name, option)
    for name, verb in VERBS_WITH_OPTIONS.items()
    for option in BAD
    if option in inspect.signature(verb).parameters
]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_verbs_are_those_that_take_them():
    assert {name for name, _ in TAKING} >= {
        "breakdown", "breakdown_tests", "calibrate", "compare", "correlate", "curve", "curve_differences", "discriminate",
        "gain_vectors", "judge_noise", "judgment_loss", "power", "precision_recall", "pseudonymize", "session_survival", "sweep",
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize(("name", "option"), TAKING)
def test_a_bad_value_is_refused_with_the_same_sentence(name, option):
    parameters = inspect.signature(VERBS_WITH_OPTIONS[name]).parameters
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
            VERBS_WITH_OPTIONS[name](read_clinic(), **given, **NEEDS.get(name, {}), **{option: bad})
        assert str(raised.value) == SAYS[option].format(repr(bad), least=least)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("chart", ["differences", "discriminative_power"])
def test_charts_refuse_the_same(chart):
    table = sk.compare(read_clinic(), "sDCG@10").table
    for bad in BAD["confidence"]:
        if bad is not None:
            with pytest.raises(sk.UsageError, match=re.escape(SAYS["confidence"].format(repr(bad)))):
                getattr(sk.charts, chart)(table, confidence=bad)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("confidence", [0.500001, 0.8, 0.95, 0.999999999])
def test_the_error_rate_is_1_less_confidence(confidence):
    assert error_rate(confidence) == pytest.approx(1 - confidence, rel=1e-6)
    assert 0 < error_rate(confidence) < 0.5


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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
