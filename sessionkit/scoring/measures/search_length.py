"""Search lengths and the order of a list: ASL, ESL, SLRF, normalized recall, rank recall and log precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.arguments import SearchLengthCount, TiedResults, UnretrievedPlace
from sessionkit.errors import DataError
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, QueryMeasure
from sessionkit.study.numbering import sums

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class AverageSearchLength(QueryMeasure):
    """ASL: the mean rank of a relevant document.

    Lower is better; range [1, no bound). Results with the same score, where the log has scores, are tied: each stands
    at the middle of its run of equal scores; ``ties=none`` takes the order shown as strict. Relevant documents that are
    not in the list are left out with ``unretrieved=retrieved``, the default, which flatters lists that find little;
    with ``mid`` they stand in the middle of the rest of the collection, at rank (n + 1 + N) / 2 after a list of n, with
    ``last`` at its end; both need the study's ``collection_size``. Not normalized: the more documents are
    relevant, the longer the best ASL. Null where no relevant document counts.

    Source: Losee 1998 (prose; the formula is from memory, not checked against the text).

    Relevant at ranks 1, 3 and 4: (1 + 3 + 4) / 3 = 2.6667; one more relevant document among the other 15 of 20:
    (8 + 20) / 4 = 7 if it comes last

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("acdz"), "grade": [1] * 4},
    ...     collection_size=20,
    ... )
    >>> sk.score(study, ["ASL", "ASL(unretrieved=last)"], per="query").get_column("value").round(4).to_list()
    [2.6667, 7.0]
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "ASL"
    direction = "lower"
    lowest = 1.0
    higher_grade_can_lower = True
    formula = "sum of the ranks of the relevant documents / their number; tied results at the middle of their ranks"
    meaning = "mean rank of the relevant documents"
    source = "Losee, Text Retrieval and Filtering, 1998 [formula from memory]"
    without = ("undefined", "unjudged_topics")
    may_read: ClassVar[Columns] = {"results": ("score",)}

    ties: TiedResults = "score"
    unretrieved: UnretrievedPlace = "retrieved"

    def values(self, lists: Lists) -> pl.Series:
        """Mean rank of every list's relevant documents."""
        ranks = standing(lists, self, self.unretrieved, self.ties)
        return ranks.select(value=exact.quotient(pl.col("twice"), 2 * pl.col("relevant"))).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class NeedMeasure(QueryMeasure):
    """A measure of what a searcher who needs some relevant documents goes through to have them."""

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    higher_grade_can_lower = True
    undefined_where = "no judgments for their key, or fewer relevant documents than needed"
    without = ("undefined", "unjudged_topics")
    may_read: ClassVar[Columns] = {"results": ("score",)}

    need: int = 1
    ties: TiedResults = "score"
    unretrieved: UnretrievedPlace = "retrieved"

    def _length(self, lists: Lists) -> tuple[pl.Series, pl.Series]:
        """Documents not relevant that are expected before the need is met, as a fraction of whole numbers."""
        held = levels(lists, self.min_grade, self.ties)
        reached = pl.col("relevant").cum_sum().over("list")
        met = held.with_columns(before=reached - pl.col("relevant")).filter(
            pl.col("before") < self.need, pl.col("before") + pl.col("relevant") >= self.need
        )
        before, relevant = pl.col("before"), pl.col("relevant")
        others = pl.col("end") - pl.col("start") + 1 - relevant
        above = pl.col("start") - 1 - before
        met = met.select("list", numerator=above * (relevant + 1) + others * (self.need - before), divisor=relevant + 1)
        rows = lists.queries.select("list").join(met, on="list", how="left", maintain_order="left")
        if self.unretrieved != "retrieved":
            rest = _rest(standing(lists, self, self.unretrieved), self.need, self.unretrieved)
            rows = rows.with_columns(pl.coalesce(name, rest[name]) for name in ("numerator", "divisor"))
        return rows["numerator"], rows["divisor"]


def standing(lists: Lists, measure: QueryMeasure, unretrieved: str, ties: str = "none") -> pl.DataFrame:
    """How many relevant documents every list has, and the sum of their ranks.

    Parameters
    ----------
    unretrieved
        Where relevant documents stand that are not in the list: ``retrieved`` leaves them out, ``mid`` puts each in the
        middle of the rest of the collection, ``last`` puts them at its end.

    Returns
    -------
    polars.DataFrame
        In the order of ``lists.queries``, all Int64: ``length`` of the list in slots, ``found`` (relevant documents in
        it), ``left`` (those left out that count), ``relevant`` (both), ``size`` (of the collection; with ``retrieved``
        the list is all there is) and ``twice``, twice the sum of the ranks.

    Raises
    ------
    DataError
        If documents left out count and the study does not say how large the collection is, or says too little.
    """
    held = levels(lists, measure.min_grade, ties)
    many, of = len(lists.queries), held["list"]
    twice = held.select(pl.col("relevant") * (pl.col("start") + pl.col("end"))).to_series()
    table = pl.DataFrame(
        {
            "length": lists.queries["length"].cast(pl.Int64),
            "found": sums(held["relevant"], of, many),
            "twice": sums(twice, of, many),
        }
    )
    length, left = pl.col("length"), pl.col("left")
    if unretrieved == "retrieved":
        return table.with_columns(left=pl.lit(0, pl.Int64), relevant="found", size="length")
    size = collection_size(lists, measure)
    base = lists.base_size(measure.min_grade).cast(pl.Int64)
    table = table.with_columns(base.alias("relevant"), size=pl.lit(size, pl.Int64))
    table = table.with_columns(left=pl.col("relevant") - pl.col("found"))
    _require_room(table, size)
    beyond = left * (length + 1 + size) if unretrieved == "mid" else left * (2 * size - left + 1)
    return table.with_columns(twice=pl.col("twice") + beyond)


def _require_room(table: pl.DataFrame, size: int) -> None:
    """Refuse a collection that cannot hold a list and the relevant documents that it leaves out."""
    needed = pl.col("length") + pl.col("left")
    short = table.filter(pl.col("relevant") > 0, needed > size).sort(needed, descending=True)
    if len(short):
        length, left = short.row(0, named=True)["length"], short.row(0, named=True)["left"]
        msg = (
            f"collection_size is {size}, but a list of {length} ranks lacks {left} relevant documents, so it is at least "
            f"{length + left}; correct collection_size"
        )
        raise DataError(msg)


def collection_size(lists: Lists, measure: QueryMeasure) -> int:
    """Number of documents in the collection, which only the experimenter can say."""
    size = lists.settings.collection_size
    if size is None:
        msg = (
            f"{measure} needs the number of documents in the collection: say collection_size = 100000 at the top of a "
            "study.toml, or give collection_size=100000 to from_tables; with unretrieved=retrieved only the list counts"
        )
        raise DataError(msg)
    return size


def levels(lists: Lists, min_grade: float, ties: str = "none") -> pl.DataFrame:
    """The levels that hold relevant documents, in order.

    Parameters
    ----------
    ties
        ``score`` makes a level of adjacent results with the same score, where the log has scores; ``none`` makes one
        of every rank.

    Returns
    -------
    polars.DataFrame
        ``list``, ``start`` and ``end`` (first and last rank), ``relevant`` (relevant documents); Int64 but for ``list``.
    """
    if ties == "none" or "score" not in lists.batch.results.columns:
        rows = lists.relevant(min_grade).sort("list", "rank")
        rank = pl.col("rank").cast(pl.Int64)
        return rows.select("list", start=rank, end=rank, relevant=pl.lit(1, pl.Int64))
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in ("list", "score"))
    relevant = ((pl.col("grade") >= min_grade) & pl.col("first")).fill_null(value=False)
    rows = lists.every.select("list", pl.col("rank").cast(pl.Int64), relevant=relevant, level=_number(~same))
    held = rows.group_by("list", "level").agg(
        start=pl.col("rank").min(), end=pl.col("rank").max(), relevant=pl.col("relevant").sum().cast(pl.Int64)
    )
    return held.filter(pl.col("relevant") > 0).sort("list", "start").drop("level")


def _number(begins: pl.Expr) -> pl.Expr:
    """Running number of the levels, from whether a row begins one; null (no row or score to compare with) does."""
    return begins.fill_null(value=True).cum_sum()


@dataclass(frozen=True, repr=False, kw_only=True)
class ExpectedSearchLength(NeedMeasure):
    """ESL: the expected number of nonrelevant documents that a searcher examines to find ``need`` relevant ones.

    Lower is better; range [0, no bound). Cooper counts documents that are not relevant, the default;
    ``count=examined`` counts the relevant ones too, as Research Notes 2002-2 reads it after Korfhage: ESL + need.
    Results with the same score, where the log has scores, are one level, whose order is random; ``ties=none`` takes the
    order shown as strict. Where the list holds fewer than ``need``: null with ``unretrieved=retrieved``, the default;
    with ``mid`` the rest of the collection is one last level, with ``last`` its relevant documents come after all
    others; both need the study's ``collection_size``. Null where fewer are relevant at all.

    Source: Cooper 1968, as van Rijsbergen 1979 prints it, pages 161 to 163.

    Six tied results, three of them relevant, above five tied ones, two of them relevant; four are needed:
    j = 3, i = 3, r = 2, s = 1: 3 + 3 x 1 / (2 + 1) = 4

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 11, "query_position": [1] * 11, "rank": range(1, 12), "doc_id": list("abcdefghijk"),
    ...         "score": [2.0] * 6 + [1.0] * 5,
    ...     },
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 5, "doc_id": list("aceik"), "grade": [1] * 5},
    ... )
    >>> sk.score(study, ["ESL(need=4)", "ESL(need=4,count=examined)"], per="query").get_column("value").to_list()
    [4.0, 8.0]
    """

    name = "ESL"
    direction = "lower"
    formula = "j + i x s / (r + 1): j not relevant before the level where the need is met, i and r in it not and relevant, s still needed"
    meaning = "nonrelevant results read before enough relevant ones are found"
    source = "Cooper, American Documentation 1968; van Rijsbergen, Information Retrieval, 1979, pages 161-163"

    count: SearchLengthCount = "nonrelevant"

    def values(self, lists: Lists) -> pl.Series:
        """Expected search length of every list."""
        numerator, divisor = self._length(lists)
        examined = self.need if self.count == "examined" else 0
        length = pl.DataFrame([numerator.alias("numerator"), divisor.alias("divisor")])
        value = exact.quotient(pl.col("numerator") + examined * pl.col("divisor"), pl.col("divisor"))
        return length.select(value=value).to_series()


def _rest(ranks: pl.DataFrame, need: int, unretrieved: str) -> pl.DataFrame:
    """The length of lists where the need is met in the rest of the collection, as `NeedMeasure` has it."""
    length, found, left, size = (pl.col(name) for name in ("length", "found", "left", "size"))
    if unretrieved == "mid":
        others = size - length - left
        divisor = left + 1
        numerator = (length - found) * divisor + others * (need - found)
    else:
        divisor = pl.lit(1, pl.Int64)
        numerator = size - pl.col("relevant")
    can = pl.col("relevant") >= need
    return ranks.select(numerator=pl.when(can).then(numerator), divisor=pl.when(can).then(divisor))


@dataclass(frozen=True, repr=False, kw_only=True)
class SearchLengthReduction(NeedMeasure):
    """SLRF: the share of a random order's expected search length that the list saves (search length reduction factor).

    Higher is better; range (no bound, 1]: 1 where nothing irrelevant comes before the need is met, 0 for what chance
    does, below 0 for worse. A random order of the N documents of the collection, R of them relevant, has the expected
    length need x (N - R) / (R + 1). Always counts documents that are not relevant, and needs the study's
    ``collection_size``; the other parameters are those of ESL. Null where ESL is, and where all documents are relevant.

    Source: van Rijsbergen 1979, page 163.

    Relevant at ranks 1 and 3 of N = 20 documents with R = 4, two are needed: ESL = 1; a random order has
    2 x 16 / 5 = 6.4; (6.4 - 1) / 6.4 = 0.84375

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 4, "doc_id": list("acyz"), "grade": [1] * 4},
    ...     collection_size=20,
    ... )
    >>> sk.score(study, ["SLRF(need=2)"], per="query").get_column("value").to_list()
    [0.84375]
    """

    name = "SLRF"
    lowest = None
    formula = "(need x (N - R) / (R + 1) - ESL) / (need x (N - R) / (R + 1))"
    meaning = "share of a random order's search length that is saved"
    source = "Cooper, American Documentation 1968; van Rijsbergen, Information Retrieval, 1979, page 163"

    @property
    def highest(self) -> float | None:
        """The need is met before anything that is not relevant."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Reduction of every list."""
        numerator, divisor = self._length(lists)
        ranks = standing(lists, self, "last")
        rows = ranks.with_columns(numerator.alias("numerator"), divisor.alias("divisor"))
        others = pl.col("size") - pl.col("relevant")
        random = self.need * others * pl.col("divisor")
        saved = random - pl.col("numerator") * (pl.col("relevant") + 1)
        return rows.select(value=exact.quotient(saved, random)).to_series()


ASL = AverageSearchLength()
ESL = ExpectedSearchLength()
SLRF = SearchLengthReduction()


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedRecall(QueryMeasure):
    """Rnorm: the share of (relevant, nonrelevant) pairs of documents in the right order; ties count half.

    Higher is better; range [0, 1]. The area under the recall-fallout curve. The pairs are those of the whole
    collection of N documents, so N is a part of the value, which goes to 1 as N grows: the study must declare its
    ``collection_size``. Relevant documents that are not in the list come after all others with ``unretrieved=last``,
    the default, and in the middle of the rest with ``mid``; with ``retrieved`` the list is taken for the whole
    collection. Results with the same score, where the log has scores, are tied; ``ties=none`` takes the order shown as
    strict. Null where nothing is relevant, or everything is.

    Source: Rocchio, ISR-10, 1966, equation 5.20; van Rijsbergen 1979, pages 164 to 166.

    Relevant at ranks 1, 3 and 4 of N = 5: 1 - (8 - 6) / (3 x 2) = 4/6, the pairs in the right order; of N = 100:
    1 - 2 / (3 x 97)

    >>> import sessionkit as sk
    >>> tables = {
    ...     "results": {"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     "sessions": {"session_id": ["s"], "topic_id": ["t"]},
    ...     "judgments": {"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    ... }
    >>> for size in (5, 100):
    ...     study = sk.from_tables(**tables, collection_size=size)
    ...     print(round(sk.score(study, ["Rnorm"], per="query").get_column("value").item(), 4))
    0.6667
    0.9931
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "Rnorm"
    higher_grade_can_lower = True
    formula = "1 - (sum of the ranks of the R relevant documents - R (R + 1) / 2) / (R (N - R))"
    meaning = "share of pairs of relevant and nonrelevant documents in right order"
    source = "Rocchio, ISR-10, 1966, equation 5.20; van Rijsbergen, Information Retrieval, 1979, page 164"
    undefined_where = "no judgments for their key, or nothing or everything relevant"
    may_read: ClassVar[Columns] = {"results": ("score",)}

    ties: TiedResults = "score"
    unretrieved: UnretrievedPlace = "last"

    @property
    def highest(self) -> float | None:
        """All pairs in the right order."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Share of pairs in the right order, of every list."""
        ranks = standing(lists, self, self.unretrieved, self.ties)
        relevant = pl.col("relevant")
        pairs = 2 * relevant * (pl.col("size") - relevant)
        wrong = pl.col("twice") - relevant * (relevant + 1)
        return ranks.select(value=exact.quotient(pairs - wrong, pairs)).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class RankedRecall(QueryMeasure):
    """RankRecall: the sum of the best possible ranks of the relevant documents, divided by the sum of their ranks.

    Higher is better; range [0, 1], 0 excluded. Relevant documents that are not in the list come after all others with
    ``unretrieved=last``, the default, and in the middle of the rest of the collection with ``mid``: both need the
    study's ``collection_size``; with ``retrieved`` only the relevant documents of the list count. Ranks as shown are
    strict. Null where no relevant document counts.

    Source: Rocchio, ISR-10, 1966, page 5-30.

    Relevant at ranks 1, 3 and 4: (1 + 2 + 3) / (1 + 3 + 4) = 0.75

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    ...     collection_size=20,
    ... )
    >>> sk.score(study, ["RankRecall"], per="query").get_column("value").to_list()
    [0.75]
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "RankRecall"
    higher_grade_can_lower = True
    formula = "R (R + 1) / 2 / sum of the ranks of the R relevant documents"
    meaning = "best possible sum of relevant ranks, divided by the actual sum"
    source = "Rocchio, ISR-10, 1966, page 5-30"

    unretrieved: UnretrievedPlace = "last"

    @property
    def highest(self) -> float | None:
        """Relevant documents at the first ranks."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Rank recall of every list."""
        ranks = standing(lists, self, self.unretrieved)
        relevant = pl.col("relevant")
        return ranks.select(value=exact.quotient(relevant * (relevant + 1), pl.col("twice"))).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class LogarithmicPrecision(QueryMeasure):
    """LogPrecision: the sum of the logarithms of the best possible ranks, divided by that of the ranks of relevant documents.

    Higher is better; range [0, 1]. Weighs early ranks more than rank recall, whose ``unretrieved`` it shares: ``last``
    and ``mid`` need the study's ``collection_size``. Null where no relevant document counts, and where a single one
    does: the best is then ln 1 = 0, wherever that document stands.

    Source: Rocchio, ISR-10, 1966, page 5-31.

    Relevant at ranks 1, 3 and 4: ln(1 x 2 x 3) / ln(1 x 3 x 4) = 1.7918 / 2.4849 = 0.7211

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 5, "query_position": [1] * 5, "rank": [1, 2, 3, 4, 5], "doc_id": list("abcde")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": list("acd"), "grade": [1] * 3},
    ...     collection_size=20,
    ... )
    >>> round(sk.score(study, ["LogPrecision"], per="query").get_column("value").item(), 4)
    0.7211
    """

    no_bounds = "it depends on the ranks of all relevant documents, shown or not"
    name = "LogPrecision"
    higher_grade_can_lower = True
    formula = "ln(R!) / ln(product of the ranks of the R relevant documents)"
    meaning = "best possible sum of relevant log ranks, divided by the actual sum"
    source = "Rocchio, ISR-10, 1966, page 5-31"
    undefined_where = "no judgments for their key, or fewer than two relevant documents"

    unretrieved: UnretrievedPlace = "last"

    @property
    def highest(self) -> float | None:
        """Relevant documents at the first ranks."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Log precision of every list."""
        ranks = standing(lists, self, self.unretrieved)
        found = lists.relevant(self.min_grade).select("list", term=pl.col("rank").cast(pl.Float64).log())
        ranks = ranks.with_columns(lists.added(found).alias("logs"), best=_log_sum(ranks["relevant"], first=1, step=1))
        left, size = pl.col("left"), pl.col("size")
        if self.unretrieved == "mid":
            middle = (pl.col("length") + 1 + size).cast(pl.Float64) / 2
            ranks = ranks.with_columns(beyond=left.cast(pl.Float64) * middle.log())
        elif self.unretrieved == "last" and len(ranks):
            ranks = ranks.with_columns(beyond=_log_sum(ranks["left"], first=ranks["size"][0], step=-1))
        else:
            ranks = ranks.with_columns(beyond=0.0)
        value = exact.quotient(pl.col("best"), pl.col("logs") + pl.col("beyond")).clip(upper_bound=1.0)
        return ranks.select(value=pl.when(pl.col("relevant") > 1).then(value)).to_series()


def _log_sum(many: pl.Series, first: int, step: int) -> pl.Series:
    """Sum of the logarithms of so many whole numbers, from the first on up or down; exact at the fixed scale."""
    most = int(many.to_numpy().max(initial=0))
    number = pl.int_range(first, first + step * most, step, dtype=pl.Int64)
    sums = pl.select(exact.unfixed(exact.fixed(number.cast(pl.Float64).log()).cum_sum())).to_series()
    return pl.concat([pl.Series([0.0]), sums]).gather(many)


Rnorm = NormalizedRecall()
RankRecall = RankedRecall()
LogPrecision = LogarithmicPrecision()


FAMILY = (ASL, ESL, SLRF, Rnorm, RankRecall, LogPrecision)
