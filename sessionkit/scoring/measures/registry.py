"""Every measure by its name. A family's file is read when one of its measures is first asked for, so that scoring with one
measure does not wait for a hundred.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING

from sessionkit.display.text import in_html
from sessionkit.errors import UsageError
from sessionkit.plugins import Blame, Registry, file_of, module_of

if TYPE_CHECKING:
    from sessionkit.scoring.measures.base import Measure

FAMILIES: dict[str, tuple[str, ...]] = {
    "cumulated_gain": ("sDCG", "nsDCG", "CG", "DCG", "nCG", "nDCG"),
    "session_rank_biased": (
        "sRBP",
        "RSDCG",
        "RSRBP",
    ),
    "expected": ("esDCG", "esnDCG", "esnCG", "esP", "esAP"),
    "aggregates": ("sum", "mean", "max", "min", "first", "last", "nonlast", "avgpos"),
    "precision": ("P", "R", "F", "E", "MaxF"),
    "average_precision": ("AP", "GAP", "SeenAP", "Rprec", "RR", "Success", "AvgP", "IPrec", "IPrec11"),
    "generalized_precision": ("gP", "gR", "ERR"),
    "rank_biased": ("RBP", "RBPResidual", "bpref", "infAP"),
    "behavior": (
        "Queries",
        "Results",
        "Clicks",
        "DeepestClick",
        "Abandoned",
        "UniqueDocs",
        "Repeats",
        "Judged",
        "RelevantSeen",
        "Duration",
        "TimeToFirstClick",
        "Dwell",
        "QueryTerms",
        "QueryOverlap",
    ),
    "subtopics": ("CubeTest", "ACT", "nCubeTest", "nACT", "EU", "nEU", "InstanceRecall", "InstancePrecision"),
    "search_length": ("ASL", "ESL", "SLRF", "Rnorm", "RankRecall", "LogPrecision"),
    "user_oriented": (
        "SlidingRatio",
        "Satisfaction",
        "Frustration",
        "SFT",
        "RHL",
        "RelevanceCosine",
        "RelevanceJaccard",
        "Coverage",
        "Novelty",
        "RelativeRecall",
        "RecallEffort",
    ),
    "time": ("U", "TBG", "sU", "sTBG"),
    "jiang2016": ("DCG_jiang2016", "nDCG_jiang2016", "P_jiang2016", "RBP_jiang2016", "GAP_jiang2016"),
}
"""The files of this folder that hold measures, and the names of those in each file's ``FAMILY``."""


def is_measure(given: object) -> bool:
    """Whether something is a measure, or a class of measures."""
    from sessionkit.scoring.measures.base import Measure  # with polars

    return issubclass(given if isinstance(given, type) else type(given), Measure)


def require_free(name: str) -> None:
    """Raise a `UsageError` where a name means something of sessionkit, or in ir_measures one of its measures.

    >>> require_free("score")
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: sk.score is something of sessionkit itself; give your measure another name
    """
    from sessionkit.scoring.measures.grammar import SAME  # with polars

    front = sys.modules["sessionkit"]  # loaded before any of its modules
    if name in MEASURES.own:
        raise MEASURES.taken(name)
    if name in SAME:
        raise UsageError(f"ir_measures calls {SAME[name]} {name}, and so texts can; give your measure another name")
    if name in {*dir(front), *vars(front)}:
        raise UsageError(f"sk.{name} is something of sessionkit itself; give your measure another name")


def accepted(name: str, given: object) -> Measure:
    """Return what is given for a name as the measure of that name with its defaults; a class of measures is called.

    Raises
    ------
    UsageError
        It is no measure, is not called so or by a name that means something else, or has changed parameters.
    """
    if not is_measure(given):
        raise UsageError(f"{given!r:.80} is no measure; see: sessionkit help extending")
    made: Measure = given() if isinstance(given, type) else given  # type: ignore[assignment]
    said = getattr(made, "name", None)
    if not isinstance(said, str) or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", said) or said == "column":
        raise UsageError(
            f"a measure cannot be called {said!r}; give it a name that is a word (letters, digits, underscores), such as RRsq"
        )
    if said != name:
        raise UsageError(f"the measure is called {said!r}, not {name!r}; both names must be the same")
    require_free(name)
    missing = [fact for fact in ("formula", "level") if not hasattr(made, fact)]
    if missing:
        raise UsageError(
            f"the measure {name} does not say its {' and its '.join(missing)}; see: sessionkit help extending"
        )
    said_by_text = {*made.parameters(), *made.without, "of"}
    silent = [field.name for field in fields(made) if field.init and field.name.rstrip("_") not in said_by_text]
    if silent:
        raise UsageError(
            f"the measure {name} has {silent[0]}, which its text cannot say; describe it in own_parameters, as a Parameter"
        )
    made.why_no_bounds()  # refuses those that it cannot have
    if any(value != made.default(parameter) for parameter, value in made.parameters().items()):
        raise UsageError(f"{made} has a parameter that is not its default; register it with its defaults")
    if made.gain_measure is not None and not made.required:
        import polars as pl

        places = pl.DataFrame({"rank": [1, 2], "query_position": [1, 1], "offset": [0, 0], "gain": [1.0, 0.0]})
        with Blame(
            f"the measure {name} (module {module_of(type(made))}) cannot say what a result adds",
            file=file_of(type(made)),
        ):
            added = places.select(made.gain_measure.contribution(pl.col("gain")).cast(pl.Float64)).to_series()
        if not added.is_finite().all():
            told = f"the measure {name} (module {module_of(type(made))}) adds {added[0]} and {added[1]} for gains of 1 and 0"
            raise UsageError(f"{told} at ranks 1 and 2; a discount must be a number at every rank")
    return made


class MeasureRegistry(Registry["Measure"]):
    """The measures of some families by name, in their order, with their defaults; then those of others, see `Registry`.

    >>> registry = MeasureRegistry({"cumulated_gain": ("sDCG", "nsDCG")})
    >>> list(registry.own), registry["nsDCG"] @ 10
    (['sDCG', 'nsDCG'], nsDCG@10)
    """

    def __init__(self, families: Mapping[str, tuple[str, ...]]) -> None:
        homes = {name: family for family, names in families.items() for name in names}
        super().__init__("measure", "sessionkit.measures", homes, accepted)

    def __getitem__(self, name: str) -> Measure:
        """The measure of this name; one file is read for that."""
        if name not in self.own:
            return super().__getitem__(name)
        home = import_module(f"{__package__}.{self.own[name]}")
        found: Measure = next(measure for measure in home.FAMILY if measure.name == name)
        return found

    def _repr_html_(self) -> str:
        """The names by level, for a notebook; a measure alone shows all that there is to say of it."""
        levels: dict[str, list[str]] = {}
        for name, measure in self.items():
            levels.setdefault(measure.level, []).append(name)
        return in_html([f"Measures of a {level}: {', '.join(names)}" for level, names in levels.items()], {})


MEASURES = MeasureRegistry(FAMILIES)
"""Every measure by its name, with its defaults; also those of other packages, see `sessionkit.plugins`."""
