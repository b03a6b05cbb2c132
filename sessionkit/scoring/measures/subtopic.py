"""Filling the cube: how fast a session's documents cover the subtopics of its topic.

CubeTest and its average as the scorer of the TREC Dynamic Domain track computes them, with bounds that are bounds: that
scorer's are off by a power of gamma and divide by the cutoff in place of the queries that were run, so that a perfect
first document scores one half and a short session can exceed 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import Duplicates, EmptyList, RatingGain
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.measures.parameters import RATING
from sessionkit.scoring.per_session import lists_per_session, per_session
from sessionkit.scoring.subtopics.cubes import Cubes

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

SOURCE = "Luo, Wing, Yang & Hearst, CIKM 2013 [MEMORY]; the scorer of the TREC Dynamic Domain track 2017"


@dataclass(frozen=True, repr=False, kw_only=True)
class CubeMeasure(SessionMeasure):
    """A measure of the cube that documents fill: a column for every subtopic."""

    no_bounds = "which subtopics an unjudged document would cover is unknown too"
    source = SOURCE
    duplicates: Duplicates = "first"
    without = ("duplicates", "grades")
    own_parameters = RATING
    reads: ClassVar[Columns] = {"judgments": ("subtopic_id",)}
    higher_grade_can_lower = True
    undefined_where = "no subtopic with a relevant document, or no logged query"

    gain: RatingGain = "linear"
    gamma: float = 0.5
    height: float = 5

    @property
    def highest(self) -> float | None:
        """All subtopics full with the first document."""
        return 1.0

    def cubes(self, lists: Lists, empty: str = "skip") -> Cubes:
        """The cubes of the sessions of a batch; ``empty=document`` puts a document for each list that returned nothing."""
        return Cubes(lists, self.gain, self.min_grade, self.gamma, self.height, filler=empty == "document")

    def per_subtopic(self, cubes: Cubes, reached: pl.Series, divisor: pl.Series) -> pl.Series:
        """What every session's documents reach, per subtopic, height and something else."""
        found = pl.DataFrame({"reached": reached, "subtopics": cubes.subtopics, "divisor": divisor})
        found = found.with_columns(lists=lists_per_session(cubes.lists))
        whole = pl.col("subtopics") * pl.lit(self.height, pl.Float64) * pl.col("divisor").clip(lower_bound=1)
        value = exact.quotient(exact.unfixed(pl.col("reached").fill_null(0)), whole)
        return found.select(pl.when(pl.col("lists") > 0).then(value)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class CubeFilling(CubeMeasure):
    """CubeTest: how full the subtopics are at the end of a session, divided by its number of queries.

    The n-th relevant document that the session shows for a subtopic adds its grade x gamma^n to it, until the subtopic's
    ``height`` is reached; all subtopics with a document of at least ``min_grade`` weigh the same. Unit: share of the cube
    per query. Range [0, 1]; higher is better. A document gains the first time it is shown; every logged query counts as
    one, also one that returned nothing. Grades are per document and subtopic, merged by the study's rule; ``merge="sum"``
    adds up passages as the track does, whose scorer also counts ratings of 0 as 1: ``gain=lifted``. Null where no
    subtopic has a relevant document, or no query was logged. Needs ``subtopic_id`` in the judgments.

    Two things differ from that scorer. It divides by all subtopics that the topic lists, also by those for which no document
    is relevant. And a document whose ratings for a subtopic add up to less than 0 takes them off; here it adds nothing.

    Of two subtopics the first query fills one by .5 x 4 and the second nothing: 2 / (2 subtopics x 5 x 2 queries) = .1.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "x"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "subtopic_id": ["1", "2"], "grade": [4, 4]},
    ... )
    >>> sk.score(study, ["CubeTest", "ACT", "nCubeTest", "nACT"]).get_column("value").to_list()
    [0.1, 0.15, 0.5, 0.75]
    """

    name = "CubeTest"
    formula = "sum over subtopics of min(height, sum of grade x gamma^n) / (height x subtopics x queries)"
    meaning = "how full the subtopics are at the end, per query"

    def values(self, lists: Lists) -> pl.Series:
        """Filled share of the cube per query, of every session."""
        cubes = self.cubes(lists)
        return self.per_subtopic(cubes, _filled(cubes, cubes.gains), lists_per_session(lists))


@dataclass(frozen=True, repr=False, kw_only=True)
class AverageCubeFilling(CubeMeasure):
    """ACT: CubeTest after each document shown, averaged over these documents.

    With each result that is shown, what has been filled so far is divided by the queries issued so far. Unit: share of the
    cube per query. Range [0, 1]; higher is better. All results within the cutoff count in the average; a session that
    showed none scores 0. ``empty=document`` counts a list that returned nothing as one document that adds nothing, as the
    scorer of the TREC Dynamic Domain track does with a missing iteration; ``like=trecdd2017`` says so. Otherwise as
    `CubeTest`, which has an example: 2/10 after the first document, 2/10/2 after the second, on average .15.
    """

    name = "ACT"
    formula = "mean over results shown of what is filled so far / (height x subtopics x queries so far)"
    meaning = "how full the subtopics are per query, averaged over results"

    empty: EmptyList = "skip"

    def values(self, lists: Lists) -> pl.Series:
        """Average filled share per query, of every session."""
        cubes = self.cubes(lists, self.empty)
        return self.per_subtopic(cubes, _found_filled(cubes, cubes.gains), cubes.documents)


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedCubeFilling(CubeMeasure):
    """nCubeTest: CubeTest as a share of that of the best session of the same shape.

    The shape is how many queries the session has and how many results each shows. Unit: share. Range [0, 1]; higher is
    better; a session that shows the best documents scores exactly 1, however many queries it has. Where documents cover
    several subtopics and the recall base is larger than 10 documents, or fills a subtopic, the divisor is a bound that the
    best session may fall short of; it is never exceeded. A session that showed nothing scores 0. Otherwise as `CubeTest`,
    which has an example: the best session shows b in its second query.
    """

    name = "nCubeTest"
    formula = "CubeTest / CubeTest of the best session of the same shape"
    meaning = "subtopics filled per query, as a share of the best session"
    source = f"{SOURCE}; the bound is OURS"

    def values(self, lists: Lists) -> pl.Series:
        """Share of the best, of every session."""
        cubes = self.cubes(lists)
        return _share_of_best(cubes, _filled(cubes, cubes.gains), _filled(cubes, cubes.ideal(each=False)))


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedAverageCubeFilling(CubeMeasure):
    """nACT: ACT as a share of that of the best session of the same shape.

    Shape, range, unit and edges as of `nCubeTest`; `CubeTest` has an example: the best session finds
    2/10 with its first document and 4/10/2 with its second, .2 on average, and .15 / .2 = .75.
    """

    name = "nACT"
    formula = "ACT / ACT of the best session of the same shape"
    meaning = "subtopics filled along the session, as a share of the best"
    source = f"{SOURCE}; the bound is OURS"

    empty: EmptyList = "skip"

    def values(self, lists: Lists) -> pl.Series:
        """Share of the best, of every session."""
        cubes = self.cubes(lists, self.empty)
        return _share_of_best(cubes, _found_filled(cubes, cubes.gains), _found_filled(cubes, cubes.ideal(each=True)))


def _filled(cubes: Cubes, gains: pl.DataFrame) -> pl.Series:
    """What documents fill that add these gains (``session``, ``place``, ``total``), of every session in order."""
    return per_session(cubes.lists, gains, pl.col("total").sum())


def _found_filled(cubes: Cubes, gains: pl.DataFrame) -> pl.Series:
    """The same as often as a later result, or the same, finds it there, each per query so far."""
    found = gains.join(cubes.slots, on=["session", "place"])
    times = exact.fixed(exact.unfixed(pl.col("total")) * pl.col("weight"))
    return per_session(cubes.lists, found, times.sum())


def _share_of_best(cubes: Cubes, reached: pl.Series, best: pl.Series) -> pl.Series:
    """What every session's documents reach, as a share of what those of the best session of its shape do."""
    defined = (cubes.subtopics.fill_null(0) > 0) & (lists_per_session(cubes.lists) > 0)
    found = pl.DataFrame({"reached": reached, "best": best, "defined": defined})
    value = exact.share_of_best(pl.col("reached").fill_null(0), pl.col("best").fill_null(0))
    return found.select(pl.when("defined").then(value)).to_series()


CubeTest = CubeFilling()
ACT = AverageCubeFilling()
nCubeTest = NormalizedCubeFilling()  # noqa: N816 - the field's spelling
nACT = NormalizedAverageCubeFilling()  # noqa: N816 - the field's spelling
FAMILY = (CubeTest, ACT, nCubeTest, nACT)
