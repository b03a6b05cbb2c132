"""The measures that live discounts vary: the report's sDCG and nsDCG with logarithmic discounts, everything else as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sessionkit.errors import MeasureError
from sessionkit.report.choices import Choices
from sessionkit.scoring.gains import NAMES as GAINS
from sessionkit.scoring.gains import weights
from sessionkit.scoring.measures import GainMeasure, nsDCG
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain, SessionGain

FORMS = {"discount": "log", "query_discount": "log", "p": None, "pq": None, "rank_origin": "query", "slots": "pad"}
"""What is drawn while b and bq vary: the discounts of ECIR 2008."""
VARIED = ("gain", "b", "bq")


@dataclass(frozen=True)
class Varied:
    """Two measures of which b, bq and the gain vary.

    Parameters
    ----------
    total, share
        sDCG and nsDCG as the report has them, which is where the controls begin.
    told
        In what they differ from the measures of the report; empty where in nothing.
    """

    total: SessionGain
    share: NormalizedSessionGain
    told: str = ""

    @classmethod
    def of(cls, choices: Choices) -> Varied:
        """The measures of a report's figures, as far as they can vary."""
        gain = choices.measure.gain
        total = cast("SessionGain", choices.measure)(**FORMS, gain="linear" if gain == "lifted" else gain)
        told = [] if total == choices.measure else [f"{choices.measure} cannot be varied so; {total} is in its place."]
        kept = dict.fromkeys(("ideal", "ideal_queries"))
        try:
            kept |= {name: choices.ratio.parameters()[name] for name in kept}
        except MeasureError:  # the report's own cannot be normalised
            kept = {"ideal": "repeated", "ideal_queries": "session"}
        if kept["ideal"] == "spread":
            kept["ideal"] = "repeated"
            told.append("The ideal session repeats the ideal list of each query here, and is not spread.")
        return cls(total, nsDCG(**total.parameters(), **kept), " ".join(told))

    def texts(self) -> list[list[list[str]]]:
        """Name, parameters in order and cutoff of both measures; a parameter that varies has no value."""
        return [_parts(measure) for measure in (self.total, self.share)]

    def selecting(self) -> list[GainMeasure]:
        """sDCG with gains under which every result gains that can gain under any gain that can be chosen."""
        return [self.total(gain="linear"), self.total(gain="binary"), self.total]

    @property
    def least(self) -> float:
        """Lowest grade that gains under one of these; grades above 0 all do."""
        low = max(self.total.min_grade, 0.0)
        return 0.0 if self.total.gain not in GAINS and weights(self.total.gain)[0] > 0 else low


def _parts(measure: GainMeasure) -> list[list[str]]:
    """The text of a measure taken apart: its name, each parameter as name and value, its cutoff.

    >>> from sessionkit.scoring.measures import parse_measure
    >>> _parts(parse_measure("sDCG(min_grade=2,b=3)@5"))
    [['sDCG'], ['gain'], ['min_grade', '2'], ['b'], ['bq'], ['@5']]
    """
    away = measure(gain="exp2", b=17, bq=19)  # no defaults, so that the text has them all in its order
    name, _, rest = str(away).partition("(")
    inside, _, cutoff = rest.rpartition(")")
    parts = [part.split("=", 1) for part in inside.split(",")]
    return [[name], *([part[0]] if part[0] in VARIED else part for part in parts), [cutoff]]
