"""Every measure by its name. A family's file is read when one of its measures is first asked for, so that scoring with one
measure does not wait for a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from sessionkit.display.text import in_html

if TYPE_CHECKING:
    from sessionkit.scoring.measures.base import Measure

FAMILIES: dict[str, tuple[str, ...]] = {
    "cumulated_gain": ("sDCG", "nsDCG", "CG", "DCG", "nCG", "nDCG"),
    "session_rank_biased": ("sRBP",),
    "recency": ("RSDCG", "RSRBP"),
    "expected_gain": ("esDCG", "esnDCG", "esnCG"),
    "expected_precision": ("esP", "esAP"),
    "aggregates": ("sum", "mean", "max", "min", "first", "last", "nonlast", "avgpos"),
    "precision": ("P", "R", "F", "E", "MaxF"),
    "average_precision": ("AP", "GAP", "SeenAP"),
    "early_precision": ("Rprec", "RR", "Success", "AvgP"),
    "recall_levels": ("IPrec", "IPrec11"),
    "generalized_precision": ("gP", "gR"),
    "cascade": ("ERR",),
    "rank_biased": ("RBP", "RBPResidual"),
    "incomplete": ("bpref", "infAP"),
    "behavior": ("Queries", "Results", "Clicks", "DeepestClick", "Abandoned"),
    "result_counts": ("UniqueDocs", "Repeats", "Judged", "RelevantSeen"),
    "durations": ("Duration", "TimeToFirstClick", "Dwell"),
    "reformulation": ("QueryTerms", "QueryOverlap"),
    "subtopic": ("CubeTest", "ACT", "nCubeTest", "nACT"),
    "expected_utility": ("EU", "nEU"),
    "instances": ("InstanceRecall", "InstancePrecision"),
    "search_length": ("ASL", "ESL", "SLRF"),
    "rank_order": ("Rnorm", "RankRecall", "LogPrecision"),
    "sliding_ratio": ("SlidingRatio", "Satisfaction", "Frustration", "SFT"),
    "half_life": ("RHL",),
    "relative_relevance": ("RelevanceCosine", "RelevanceJaccard"),
    "user_oriented": ("Coverage", "Novelty", "RelativeRecall", "RecallEffort"),
    "time": ("U", "TBG"),
    "session_time": ("sU", "sTBG"),
    "jiang2016": ("DCG_jiang2016", "nDCG_jiang2016", "P_jiang2016", "RBP_jiang2016", "GAP_jiang2016"),
}
"""The files of this folder that hold measures, and the names of those in each file's ``FAMILY``."""


class Registry(Mapping[str, "Measure"]):
    """The measures of some families by name, in their order, with their defaults.

    >>> registry = Registry({"cumulated_gain": ("sDCG", "nsDCG")})
    >>> list(registry), registry["nsDCG"] @ 10
    (['sDCG', 'nsDCG'], nsDCG@10)
    """

    def __init__(self, families: Mapping[str, tuple[str, ...]]) -> None:
        self._homes = {name: family for family, names in families.items() for name in names}

    def __getitem__(self, name: str) -> Measure:
        """The measure of this name."""
        home = import_module(f"{__package__}.{self._homes[name]}")
        found: Measure = next(measure for measure in home.FAMILY if measure.name == name)
        return found

    def __iter__(self) -> Iterator[str]:
        """The names; no file is read for them."""
        return iter(self._homes)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self._homes)

    def __repr__(self) -> str:
        """The names."""
        return f"<{len(self)} measures: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        """The names by level, for a notebook; a measure alone shows all that there is to say of it."""
        levels: dict[str, list[str]] = {}
        for name, measure in self.items():
            levels.setdefault(measure.level, []).append(name)
        return in_html([f"Measures of a {level}: {', '.join(names)}" for level, names in levels.items()], {})


MEASURES = Registry(FAMILIES)
"""Every measure by its name, with its defaults."""
