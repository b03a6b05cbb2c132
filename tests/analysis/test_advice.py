"""What a message advises can be done: whatever measure it names in place of another is one that the same verb takes."""

import re
from functools import partial

import pytest

import sessionkit as sk
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring.measures.grammar import example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES

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


@pytest.mark.few(4)
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
