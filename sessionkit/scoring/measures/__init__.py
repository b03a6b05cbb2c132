"""The measures, one file per family; a new one is a class in its family's file and a name in ``registry.py``."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

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

MEASURES = Registry(FAMILIES)
"""Every measure by its name, with its defaults."""

__all__ = [
    "MEASURES",
    "GainMeasure",
    "JudgedMeasure",
    "Measure",
    "QueryMeasure",
    "SessionMeasure",
    "TermMeasure",
    "example_of",
    "list_measures",
    "parse_measure",
]
"""Beside these, every measure is here under its name."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - every measure has a class of its own
    """A measure under its name, with an underscore behind those that are names of Python's own."""
    measure = name.removesuffix("_")
    if measure not in MEASURES or (measure != name) != hasattr(builtins, measure):
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return MEASURES[measure]


def __dir__() -> list[str]:
    """The names, also of measures that were not asked for yet."""
    return sorted({*globals(), *MEASURES})


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
