"""The measures, one file per family; a new one is a file and a line here."""

from __future__ import annotations

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures import text
from sessionkit.scoring.measures.aggregates import avgpos, first, last, max_, mean, min_, nonlast, sum_
from sessionkit.scoring.measures.cumulated_gain import CG, DCG, nCG, nDCG, nsDCG, sDCG
from sessionkit.scoring.measures.measure import GainMeasure, Measure

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (sDCG, nsDCG, CG, DCG, nCG, nDCG, sum_, mean, max_, min_, first, last, nonlast, avgpos)
}
"""Every measure by its name, with its defaults."""

__all__ = [
    "CG", "DCG", "MEASURES", "GainMeasure", "Measure", "avgpos", "first", "last", "max_", "mean", "min_", "nCG", "nDCG", "nonlast",
    "nsDCG", "parse_measure", "sDCG", "sum_",
]  # fmt: skip


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
    return text.parse(measure, MEASURES)
