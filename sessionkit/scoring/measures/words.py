"""What measures mean, in a few words, for readers who do not know their formulas."""

from __future__ import annotations

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.column import SessionColumn
from sessionkit.scoring.measures.grammar import parse_measure

MEANINGS = {
    "sDCG": "gain of the session, late ranks and queries counting less",
    "nsDCG": "session gain as a share of the ideal, early queries weighing more",
    "CG": "sum of the gains in a result list",
    "DCG": "gain of a result list, late ranks counting less",
    "nCG": "gain of a result list as a share of the best list",
    "nDCG": "discounted gain of a result list as a share of the best list",
    "sRBP": "gain per result for a searcher who may stop anywhere",
    "P": "share of the results that are relevant",
    "R": "share of the relevant documents that are found",
    "F": "balance of precision and recall",
    "E": "lack of precision and recall, 1 minus F",
    "AP": "mean precision at the ranks of relevant documents",
    "RR": "1 divided by the rank of the first relevant result",
    "Success": "whether a result is relevant, 1 or 0",
    "Rprec": "precision at as many ranks as there are relevant documents",
    "ERR": "expected 1 / rank at which the searcher stops satisfied",
    "RBP": "gain per result for a searcher who may stop at any rank",
    "RBPResidual": "how much RBP unjudged results could add",
    "bpref": "how seldom judged nonrelevant results outrank relevant ones",
    "Queries": "queries per session",
    "Results": "results shown per session",
    "Clicks": "clicks per session",
    "DeepestClick": "deepest rank clicked in the session",
    "Abandoned": "share of sessions without a click",
    "UniqueDocs": "different documents shown per session",
    "Repeats": "results of the session that were shown before",
    "Judged": "share of the results that have a grade",
    "RelevantSeen": "different relevant documents shown per session",
    "Duration": "seconds per session",
    "TimeToFirstClick": "seconds from the first query to the first click",
    "Dwell": "seconds spent on results in the session",
    "QueryTerms": "distinct terms per query",
    "QueryOverlap": "share of terms that consecutive queries have in common",
    "ESL": "nonrelevant results read before enough relevant ones are found",
    "ASL": "mean rank of the relevant documents",
}
"""What a value says, by the name of a measure."""
OVER_QUERIES = {
    "sum": "sum over the queries of a session",
    "mean": "mean over the queries of a session",
    "max": "largest value of the session's queries",
    "min": "smallest value of the session's queries",
    "first": "value of the first query",
    "last": "value of the last query",
    "nonlast": "mean over the queries before the last",
    "avgpos": "mean along the positions of the session",
}
"""What a measure says that is made from another one, by its name."""


def meaning(measure: Measure) -> str:
    """Return what a value of a measure says, in a few words; its formula where no words are known.

    Examples
    --------
    >>> from sessionkit import MEASURES, last
    >>> meaning(last(MEASURES["nDCG"] @ 10))
    'value of the last query: discounted gain of a result list as a share of the best list'
    """
    if isinstance(measure, SessionColumn):
        return f"the column {measure.of} of the log"
    if measure.wraps and measure.name in OVER_QUERIES:
        return f"{OVER_QUERIES[measure.name]}: {meaning(measure.inner)}"
    return MEANINGS.get(measure.name, measure.formula)


def lies_between_0_and_1(text: str) -> bool:
    """Whether all values of a measure, given by its text, lie between 0 and 1.

    >>> lies_between_0_and_1("nsDCG@10"), lies_between_0_and_1("sDCG@10"), lies_between_0_and_1("my score")
    (True, False, False)
    """
    try:
        measure = parse_measure(text)
    except MeasureError:
        return False
    return measure.lowest == 0 and measure.highest == 1
