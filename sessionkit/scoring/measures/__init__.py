"""The measures, one file per family; a new family is a file, a line in ``registry.py``, and its names here for editors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures import grammar
from sessionkit.scoring.measures.base import (
    GainMeasure,
    JudgedMeasure,
    Measure,
    QueryMeasure,
    SessionMeasure,
    TermMeasure,
)
from sessionkit.scoring.measures.registry import FAMILIES, Registry

if TYPE_CHECKING:
    from sessionkit.scoring.measures.aggregates import avgpos, first, last, max_, mean, min_, nonlast, sum_
    from sessionkit.scoring.measures.average_precision import AP, GAP, SeenAP
    from sessionkit.scoring.measures.behaviour import Abandoned, Clicks, DeepestClick, Queries, Results
    from sessionkit.scoring.measures.cascade import ERR
    from sessionkit.scoring.measures.cumulated_gain import CG, DCG, nCG, nDCG, nsDCG, sDCG
    from sessionkit.scoring.measures.durations import Duration, Dwell, TimeToFirstClick
    from sessionkit.scoring.measures.early_precision import RR, AvgP, Rprec, Success
    from sessionkit.scoring.measures.expected_gain import esDCG, esnCG, esnDCG
    from sessionkit.scoring.measures.expected_precision import esAP, esP
    from sessionkit.scoring.measures.expected_utility import EU, nEU
    from sessionkit.scoring.measures.generalized_precision import gP, gR
    from sessionkit.scoring.measures.half_life import RHL
    from sessionkit.scoring.measures.incomplete import bpref, infAP
    from sessionkit.scoring.measures.instances import InstancePrecision, InstanceRecall
    from sessionkit.scoring.measures.jiang2016 import (
        DCG_jiang2016,
        GAP_jiang2016,
        P_jiang2016,
        RBP_jiang2016,
        nDCG_jiang2016,
    )
    from sessionkit.scoring.measures.order import LogPrecision, RankRecall, Rnorm
    from sessionkit.scoring.measures.precision import E, F, MaxF, P, R
    from sessionkit.scoring.measures.rank_biased import RBP, RBPResidual
    from sessionkit.scoring.measures.recall_levels import IPrec, IPrec11
    from sessionkit.scoring.measures.recency import RSDCG, RSRBP
    from sessionkit.scoring.measures.reformulation import QueryOverlap, QueryTerms
    from sessionkit.scoring.measures.relative_relevance import RelevanceCosine, RelevanceJaccard
    from sessionkit.scoring.measures.result_counts import Judged, RelevantSeen, Repeats, UniqueDocs
    from sessionkit.scoring.measures.search_length import ASL, ESL, SLRF
    from sessionkit.scoring.measures.session_rank_biased import sRBP
    from sessionkit.scoring.measures.session_time import sTBG, sU
    from sessionkit.scoring.measures.sliding_ratio import SFT, Frustration, Satisfaction, SlidingRatio
    from sessionkit.scoring.measures.subtopic import ACT, CubeTest, nACT, nCubeTest
    from sessionkit.scoring.measures.time import TBG, U
    from sessionkit.scoring.measures.user_oriented import Coverage, Novelty, RecallEffort, RelativeRecall

MEASURES = Registry(FAMILIES)
"""Every measure by its name, with its defaults."""

__all__ = [
    "ACT",
    "AP",
    "ASL",
    "CG",
    "DCG",
    "ERR",
    "ESL",
    "EU",
    "GAP",
    "MEASURES",
    "RBP",
    "RHL",
    "RR",
    "RSDCG",
    "RSRBP",
    "SFT",
    "SLRF",
    "TBG",
    "Abandoned",
    "AvgP",
    "Clicks",
    "Coverage",
    "CubeTest",
    "DCG_jiang2016",
    "DeepestClick",
    "Duration",
    "Dwell",
    "E",
    "F",
    "Frustration",
    "GAP_jiang2016",
    "GainMeasure",
    "IPrec",
    "IPrec11",
    "InstancePrecision",
    "InstanceRecall",
    "Judged",
    "JudgedMeasure",
    "LogPrecision",
    "MaxF",
    "Measure",
    "Novelty",
    "P",
    "P_jiang2016",
    "Queries",
    "QueryMeasure",
    "QueryOverlap",
    "QueryTerms",
    "R",
    "RBPResidual",
    "RBP_jiang2016",
    "RankRecall",
    "RecallEffort",
    "RelativeRecall",
    "RelevanceCosine",
    "RelevanceJaccard",
    "RelevantSeen",
    "Repeats",
    "Results",
    "Rnorm",
    "Rprec",
    "Satisfaction",
    "SeenAP",
    "SessionMeasure",
    "SlidingRatio",
    "Success",
    "TermMeasure",
    "TimeToFirstClick",
    "U",
    "UniqueDocs",
    "avgpos",
    "bpref",
    "esAP",
    "esDCG",
    "esP",
    "esnCG",
    "esnDCG",
    "example_of",
    "first",
    "gP",
    "gR",
    "infAP",
    "last",
    "max_",
    "mean",
    "min_",
    "nACT",
    "nCG",
    "nCubeTest",
    "nDCG",
    "nDCG_jiang2016",
    "nEU",
    "nonlast",
    "nsDCG",
    "parse_measure",
    "sDCG",
    "sRBP",
    "sTBG",
    "sU",
    "sum_",
]  # fmt: skip


def __getattr__(name: str) -> Measure:
    """A measure under its name, with an underscore behind those that are names of Python's own."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return MEASURES[name.removesuffix("_")]


def __dir__() -> list[str]:
    """The names, also of measures that were not asked for yet."""
    return sorted({*globals(), *__all__})


def parse_measure(measure: str | Measure) -> Measure:
    """Read a measure from its text; a measure is returned as it is.

    Parameters
    ----------
    measure
        Text such as ``"nsDCG(b=2,bq=4)@10"`` or ``"mean(nDCG@10)"``.

    Raises
    ------
    MeasureError
        If the text cannot be read, or names a measure, parameter or value that does not exist.

    >>> parse_measure("sDCG( bq = 4.0, b=3 )@10")
    sDCG(b=3)@10
    >>> parse_measure("mean(nDCG(gain=0-1-10-100)@10)")
    mean(nDCG(gain=0-1-10-100)@10)
    >>> parse_measure("nsdcg@10")
    Traceback (most recent call last):
    ...
    sessionkit.errors.MeasureError: there is no measure 'nsdcg'; did you mean 'nsDCG'?; see: sessionkit measures
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        msg = f"a measure is a text such as nsDCG@10, or sk.nsDCG @ 10, not {measure!r}"
        raise MeasureError(msg)
    return grammar.parse(measure, MEASURES)


def list_measures(measures: str | Measure | Iterable[str | Measure]) -> list[str | Measure]:
    """One measure, or several, as a list; the texts are not read."""
    return [measures] if isinstance(measures, str | Measure) else list(measures)


def example_of(measure: Measure) -> Measure:
    """Return a measure with all that it needs: for documents, messages and tests of the whole registry.

    >>> from sessionkit.scoring.measures import MEASURES
    >>> example_of(MEASURES["RBP"]), example_of(MEASURES["CG"]), example_of(MEASURES["Queries"])
    (RBP(p=0.8)@10, CG@10, Queries)
    """
    if measure.example:
        return parse_measure(measure.example)
    return measure @ 10 if "cutoff" in measure.parameters() else measure
