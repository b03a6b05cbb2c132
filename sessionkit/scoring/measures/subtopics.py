"""Measures of subtopics: the cube test and its relatives, expected utility, and instance recall and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.arguments import Duplicates, EmptyList, RatingGain
from sessionkit.scoring import exact
from sessionkit.scoring.lists import lists_per_session, per_session, share, with_session
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.measures.parameters import RATING
from sessionkit.scoring.subtopics import Cubes, Nuggets

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


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedUtility(SessionMeasure):
    """EU: the expected nugget ratings of a session minus the expected cost of reading it.

    In each list the searcher reads the first result, and goes on to the next with the chance ``p``; the chance to come to
    rank i is p^(i - 1). A nugget that is expected E times gains rating x (1 - gamma^E) / (1 - gamma): the first time all
    of its rating, each further time gamma of the time before. Every word read costs ``cost``. A nugget is what the
    passages of a subtopic with one ``nugget_id`` say, each passage of a document once; a passage without one, where
    judgments have a ``passage_id``; and else what a document says on a subtopic. Those with a rating of at least
    ``min_grade`` count. Documents gain the first time they are shown, and cost each time; those whose ``words`` are not
    logged cost nothing. Unit: grade. Range (no bound, no bound), below 0 where reading costs more than it gains; higher
    is better. Null where no nugget is defined, or no query was logged. Needs ``subtopic_id`` in the judgments and, unless
    ``cost=0``, ``words`` in the results.

    gamma^E is taken of the expected number, as the track's scorer does, which is not the expected power. As there, a passage
    of the track's topics that is not ``MANUAL`` belongs to the nugget of the ``MANUAL`` one before it in its subtopic;
    the reader of the topics gives both one ``nugget_id``. Qrels do not say so: their passages are nuggets of their own. That
    scorer counts ratings of 0 as 1, as does ``gain=lifted`` here.

    Four things differ from that scorer. A document shown again, which it renames, and any other of unknown length, loses it
    the cost of what was read before, for searchers who stop there; here a repeated document costs its words again, and what
    comes before is never lost. Passages before the first ``MANUAL`` one of their subtopic are one nugget to it, in the whole
    topic; here each is one of its own. Of a nugget with several ratings it takes the last; here the highest counts. A nugget
    with a rating below 0 takes it off there, and does not count here.

    A list with a nugget of rating 2 at rank 1, one of 3 at rank 2, 100 words each: 2 + 3 x 2 x (1 - .5^.5) - .001 x 150

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "words": [100] * 2,
    ...         "topic_id": ["t"] * 2,
    ...     },
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "subtopic_id": ["1", "1"], "grade": [2, 3]},
    ... )
    >>> [round(value, 6) for value in sk.score(study, ["EU", "nEU"]).get_column("value")]
    [3.607359, 0.900706]
    """

    no_bounds = "which subtopics an unjudged document would cover is unknown too"
    name = "EU"
    sums_queries = True
    lowest: ClassVar[float | None] = None
    formula = "sum over nuggets of rating x (1 - gamma^E) / (1 - gamma) - cost x expected words; E: sum of p^(i - 1)"
    meaning = "expected value of the information read, minus the cost of reading"
    source = "Yang & Lad, ICTIR 2009 [MEMORY]; the scorer of the TREC Dynamic Domain track 2017"
    without = ("duplicates", "grades")
    own_parameters = RATING
    reads: ClassVar[Columns] = {"judgments": ("subtopic_id",)}
    undefined_where = "no nugget, or no logged query"

    duplicates: Duplicates = "first"
    gain: RatingGain = "linear"
    p: float = 0.5
    gamma: float = 0.5
    cost: float = 0.001

    def needs(self) -> Columns:
        """Lengths of documents, unless they cost nothing."""
        return {**self.reads, "results": ("words",)} if self.cost else self.reads

    def nuggets(self, lists: Lists) -> Nuggets:
        """The nuggets of the sessions of a batch."""
        return Nuggets(lists, self.gain, self.min_grade, self.p, self.gamma, self.cost)

    def values(self, lists: Lists) -> pl.Series:
        """Expected utility of every session."""
        found = self.nuggets(lists)
        value = exact.unfixed(pl.lit(found.gained) - pl.lit(found.spent))
        return self.where_defined(lists, found, pl.select(value).to_series())

    def where_defined(self, lists: Lists, found: Nuggets, values: pl.Series) -> pl.Series:
        """The values of sessions with a query and a nugget, null of the others."""
        defined = (lists_per_session(lists) > 0) & (found.known > 0)
        return pl.select(pl.when(defined).then(values)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedExpectedUtility(ExpectedUtility):
    """nEU: EU scaled between the worst and the best value of a session of the same shape and lengths.

    The best shows the documents with the highest ratings where the searcher is most likely to read, and the shortest
    lengths there; the worst gains nothing and has the longest lengths there. The shape is how many results each list
    shows; the lengths are those that it shows, in another order. Unit: share. Range [0, 1]; higher is better; a session
    that shows the best documents, none shorter further down, scores exactly 1. Where several passages have a nugget in
    common, the best is a bound that no session may reach; it is never exceeded. A session that showed nothing scores 0.
    Otherwise as `EU <ExpectedUtility>`, which has an example: the best shows the nugget of rating 3 first.
    """

    name = "nEU"
    sums_queries = False
    lowest = 0.0
    higher_grade_can_lower = True
    formula = "(EU - worst) / (best - worst), of the same shape and lengths"
    meaning = "expected utility, scaled from the worst to the best session"
    source = f"{ExpectedUtility.source}; the bounds are OURS"

    @property
    def highest(self) -> float | None:
        """The best session."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Place of every session between the worst and the best."""
        found = self.nuggets(lists)
        least, most = found.costs
        rows = pl.DataFrame({"reached": found.gained - found.spent + most, "best": found.most_gained - least + most})
        value = exact.share_of_best(pl.col("reached"), pl.col("best")).clip(lower_bound=0.0)
        return self.where_defined(lists, found, rows.select(value.alias("value")).to_series())


EU = ExpectedUtility()
nEU = NormalizedExpectedUtility()  # noqa: N816 - the field's spelling


@dataclass(frozen=True, repr=False, kw_only=True)
class InstanceMeasure(SessionMeasure):
    """A measure of the instances in the documents that a searcher saved; a subtopic is an instance."""

    no_bounds = "which subtopics an unjudged document would cover is unknown too"
    source = "TREC interactive track, instance recall task [MEMORY]; Chen's slides"
    without = ("duplicates", "unjudged", "grades", "depth")
    reads: ClassVar[Columns] = {"results": ("saved", "doc_id"), "judgments": ("subtopic_id",)}
    higher_grade_can_lower = True

    @property
    def highest(self) -> float | None:
        """All instances; nothing else saved."""
        return 1.0

    def instances(self, lists: Lists) -> tuple[Cubes, pl.DataFrame]:
        """The instances that exist, and the saved documents with those that they have: ``session``, ``doc_id``, ``subtopic``
        (null where it has none).
        """
        cubes = Cubes(lists, "linear", self.min_grade, 0.5, 1)
        saved = with_session(lists, lists.every.filter(pl.col("saved")).select("list", "doc_id", "judgment"))
        return cubes, saved.join(cubes.grades.select("judgment", "subtopic"), on="judgment", how="left")


@dataclass(frozen=True, repr=False, kw_only=True)
class SavedInstanceRecall(InstanceMeasure):
    """InstanceRecall: the share of a topic's instances that the documents saved in a session cover.

    Instances are the subtopics for which a document has at least ``min_grade``. Documents saved, not shown, count; those
    saved at ranks down to the cutoff. Unit: share. Range [0, 1]; higher is better; 0 for a session that saved nothing.
    Null where no instance is defined, or no query was logged. Needs ``saved`` in the results and ``subtopic_id`` in the
    judgments.

    Of three instances, the one saved document has two:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"],
    ...         "saved": [True, False], "topic_id": ["t"] * 2,
    ...     },
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "a", "b"], "subtopic_id": ["1", "2", "3"], "grade": [1] * 3},
    ... )
    >>> [round(value, 4) for value in sk.score(study, ["InstanceRecall", "InstancePrecision"]).get_column("value")]
    [0.6667, 1.0]
    """

    name = "InstanceRecall"
    formula = "instances in saved documents / all instances of the topic"
    meaning = "share of the topic's instances that saved documents cover"
    undefined_where = "no instance of their topic, or no logged query"

    def values(self, lists: Lists) -> pl.Series:
        """Share of the instances that every session saved."""
        cubes, saved = self.instances(lists)
        covered = per_session(lists, saved, pl.col("subtopic").drop_nulls().n_unique()).fill_null(0)
        return share(covered, cubes.subtopics)


@dataclass(frozen=True, repr=False, kw_only=True)
class SavedInstancePrecision(InstanceMeasure):
    """InstancePrecision: the share of the documents saved in a session that have an instance.

    A document saved twice counts once. Unit: share. Range [0, 1]; higher is better. Null where no instance is defined,
    nothing was saved, or no query was logged. Needs and instances as of `InstanceRecall`, which has an example.
    """

    name = "InstancePrecision"
    formula = "saved documents with an instance / saved documents"
    meaning = "share of the saved documents that cover an instance"
    undefined_where = "no instance of their topic, or nothing saved"

    def values(self, lists: Lists) -> pl.Series:
        """Share of what every session saved that has an instance."""
        cubes, saved = self.instances(lists)
        useful = saved.filter(pl.col("subtopic").is_not_null())
        found = pl.DataFrame(
            {
                "useful": per_session(lists, useful, pl.col("doc_id").n_unique()).fill_null(0),
                "saved": per_session(lists, saved, pl.col("doc_id").n_unique()),
                "subtopics": cubes.subtopics,
            }
        )
        return pl.select(
            pl.when(found["subtopics"].fill_null(0) > 0).then(share(found["useful"], found["saved"]))
        ).to_series()


InstanceRecall = SavedInstanceRecall()
InstancePrecision = SavedInstancePrecision()


FAMILY = (CubeTest, ACT, nCubeTest, nACT, EU, nEU, InstanceRecall, InstancePrecision)
