"""Expected utility: what a searcher who may stop anywhere is expected to learn, less what reading costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.choices import Duplicates, RatingGain
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.measures.parameters import RATING
from sessionkit.scoring.per_session import lists_per_session
from sessionkit.scoring.subtopics.nuggets import Nuggets

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


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
FAMILY = (EU, nEU)
