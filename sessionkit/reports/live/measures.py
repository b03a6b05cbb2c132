"""The measures that live discounts vary: the report's sDCG and nsDCG with logarithmic discounts, everything else as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sessionkit.errors import MeasureError
from sessionkit.reports.choices import Choices
from sessionkit.scoring.gains import NAMES as GAINS
from sessionkit.scoring.gains import weights
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain, SessionGain, nsDCG

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
    own
        Whether ``total`` begins as what the report's figures of gain show.
    """

    total: SessionGain
    share: NormalizedSessionGain
    told: str = ""
    own: bool = True

    @classmethod
    def of(cls, choices: Choices) -> Varied:
        """The measures of a report's figures, as far as they can vary."""
        gain = choices.measure.gain
        total = cast("SessionGain", choices.measure)(**FORMS, gain="linear" if gain == "lifted" else gain)
        told = _stands_in(choices, total)
        kept = dict.fromkeys(("ideal", "ideal_queries"))
        try:
            kept |= {name: choices.ratio.parameters()[name] for name in kept}
        except MeasureError:  # the report's own cannot be normalized
            kept = {"ideal": "repeated", "ideal_queries": "session"}
        if kept["ideal"] == "spread":
            kept["ideal"] = "repeated"
            told.append("The ideal session repeats the ideal list of each query here, and is not spread.")
        if (choices.ratio_source or total).parameters().get("normalize", "session") != "session":
            told.append("Here whole sessions are divided by their ideal, and not each query by its own.")
        share = nsDCG(**total.parameters(), **kept)
        if not told and choices.ratio_source is not None and share != choices.ratio:
            told.append(f"{choices.ratio} is varied with the parameters of {total} here.")
        own = total == choices.measure and (choices.source is not None or not choices.asked)
        return cls(total, share, " ".join(told), own)

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


def _stands_in(choices: Choices, total: SessionGain) -> list[str]:
    """That something else is varied than was asked for, and why."""
    if choices.asked and choices.source is None:
        return [
            f"None of the measures asked for has discounts with these bases; {total} and its share are varied instead."
        ]
    if total == choices.measure:
        return []
    own, here = choices.measure.parameters(), total.parameters()
    forms = [f"{name}={own[name]}" for name in FORMS if own[name] != here[name] and own[name] is not None]
    why = (
        f"b and bq are the bases of logarithmic discounts, by rank within a list and by query, and {choices.measure} is of "
        f"another form ({', '.join(forms)})"
        if forms
        else f"The gain of {choices.measure} cannot be varied here"
    )
    return [f"{why}: {total} stands in its place, so that its numbers are not those of the tables above."]


def _parts(measure: GainMeasure) -> list[list[str]]:
    """The text of a measure taken apart: its name, each parameter as name and value, its cutoff.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> _parts(parse_measure("sDCG(min_grade=2,b=3)@5"))
    [['sDCG'], ['gain'], ['min_grade', '2'], ['b'], ['bq'], ['@5']]
    """
    away = measure(gain="exp2", b=17, bq=19)  # no defaults, so that the text has them all in its order
    name, _, rest = str(away).partition("(")
    inside, _, cutoff = rest.rpartition(")")
    parts = [part.split("=", 1) for part in inside.split(",")]
    return [[name], *([part[0]] if part[0] in VARIED else part for part in parts), [cutoff]]
