"""The cumulated gain family: CG, DCG, nCG, nDCG of a query, sDCG and nsDCG of a session.

Gains are discounted by the rank of a result and, of a session, by the position of its query.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl

from sessionkit.arguments import GainNormalization, IdealLayout, IdealQueries, RankOrigin, ShortLists
from sessionkit.errors import MeasureError
from sessionkit.scoring.discounts import RANK_DISCOUNTS, discount_expr
from sessionkit.scoring.measures.base import NO_BASE, NO_JUDGMENTS, GainMeasure
from sessionkit.scoring.measures.parameters import PARAMETERS
from sessionkit.scoring.searcher import Searcher, falling

CG_SOURCE = "Järvelin & Kekäläinen, TOIS 2002; Research Notes 2002-2, equation 1"
DCG_SOURCE = "Järvelin & Kekäläinen, TOIS 2002; Burges et al., ICML 2005 for the default discount"


@dataclass(frozen=True, repr=False, kw_only=True)
class RankDiscount:
    """The parameters of a discount by rank, beside the kind of measure that has one."""

    name: ClassVar[str]

    discount: str = "burges"
    b: float = 2
    p: float | None = None

    def require_persistence(self) -> None:
        """Refuse a geometric discount without its persistence."""
        if self.discount == "geometric" and self.p is None:
            msg = f"{self.name}: discount=geometric needs p, {PARAMETERS['p'].allowed}"
            raise MeasureError(msg)

    def require_falling_discount(self, ranks: str = "ranks", best: str = "best list") -> None:
        """Refuse to normalize by a discount that rises somewhere, since the sorted list is then not the best."""
        if self.discount == "rn2002" and self.b > 2:
            msg = (
                f"{self.name}: discount=rn2002 with b={self.b} boosts the {ranks} 2 to b-1, so the {best} is not the "
                "ideal; use discount=jk2002, or b=2 or less"
            )
            raise MeasureError(msg)
        if self.discount not in RANK_DISCOUNTS and falling(self.discount, None, None) is None:
            msg = f"{self.name}: discount={self.discount} rises with the {ranks} somewhere, so the {best} is not the ideal"
            raise MeasureError(msg)


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedMeasure(RankDiscount, GainMeasure):
    """A gain measure of a query with a rank discount."""

    level = "query"

    def __post_init__(self) -> None:
        """Check that a geometric discount has its persistence and that a normalized measure has a falling discount."""
        super().__post_init__()
        self.require_persistence()
        if self.normalized:
            self.require_falling_discount()

    def discount_forms(self) -> tuple[str, str]:
        """By rank alone."""
        return self.discount, ""

    def searcher(self) -> tuple[Searcher | None, str]:
        """One who may stop at every rank, if the discount never rises."""
        return _searcher_by_rank(self)

    def rank_discount(self) -> pl.Expr:
        """Discount by rank within the query."""
        return discount_expr(pl.col("rank"), self.discount, self.b, self.p)


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedSessionGain(RankDiscount, GainMeasure):
    """A gain measure of a whole session, with discounts by rank and by query position."""

    level = "session"

    discount: str = "log"
    query_discount: str = "log"
    bq: float = 4
    pq: float | None = None
    rank_origin: RankOrigin = "query"
    slots: ShortLists | int = "pad"

    def __post_init__(self) -> None:
        """Check what the query discount and the concatenation need."""
        super().__post_init__()
        self.require_persistence()
        if self.normalized:
            self.require_falling_discount()
        if self.query_discount == "geometric" and self.pq is None:
            msg = f"{self.name}: query_discount=geometric needs pq, {PARAMETERS['pq'].allowed}"
            raise MeasureError(msg)

    @property
    def ranks_along_session(self) -> bool:
        """With ``rank_origin=session``."""
        return self.rank_origin == "session"

    @property
    def list_slots(self) -> str | int:
        """As ``slots`` says."""
        return self.slots

    def discount_forms(self) -> tuple[str, str]:
        """By rank and by query position."""
        return self.discount, self.query_discount

    def searcher(self) -> tuple[Searcher | None, str]:
        """One who may also stop after every query."""
        found, words = _searcher_by_rank(self)
        if found is None:
            return found, words
        queries = falling(self.query_discount, self.bq, self.pq)
        if queries is None:
            base = f" with bq={self.bq:g}" if self.query_discount in RANK_DISCOUNTS else ""
            return None, f"query_discount={self.query_discount}{base} rises somewhere"
        words += (
            f", and issues query 2 with probability {queries.seen(2)[1]:.3g} (query_discount={self.query_discount})"
        )
        return replace(found, queries=queries, onward=self.ranks_along_session), words

    def rank_discount(self) -> pl.Expr:
        """Discount by rank within the query or, with ``rank_origin=session``, along the concatenated lists."""
        place = pl.col("rank") + pl.col("offset") if self.rank_origin == "session" else pl.col("rank")
        return discount_expr(place, self.discount, self.b, self.p)

    def query_discount_factor(self) -> pl.Expr:
        """Discount by query position."""
        return discount_expr(pl.col("query_position"), self.query_discount, self.bq, self.pq)


@dataclass(frozen=True, repr=False, kw_only=True)
class CumulatedGain(GainMeasure):
    """CG: the sum of the gains of the shown results.

    Range [0, no bound); higher is better. A query that returned nothing scores 0; null where the query's key has no
    judgments. Source: Järvelin & Kekäläinen, TOIS 2002 and Research Notes 2002-2, equation 1.

    Gains 3, 2, 3 at ranks 1 to 3 make CG@3 = 8:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [3, 2, 3]},
    ... )
    >>> sk.score(study, ["CG@3"], per="query").get_column("value").to_list()
    [8.0]
    """

    name = "CG"
    level = "query"
    bounds = "linear"
    undefined_where = NO_JUDGMENTS
    formula = "sum of gain(i) for i = 1..k"
    meaning = "sum of the gains in a result list"
    source = CG_SOURCE


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedCumulatedGain(DiscountedMeasure):
    """DCG: the sum of the gains of the shown results, each discounted by its rank.

    Range [0, no bound); higher is better. The default discount, ``burges`` with b=2, divides by log2(i + 1), as
    trec_eval does; ``discount=jk2002`` is the TOIS 2002 form, ``rn2002`` the Research Notes', ``log`` that of ECIR
    2008. A query that returned nothing scores 0; null where the query's key has no judgments.

    Gains 3, 2, 3 with ``discount=log``, b=4: 3 + 2/1.5 + 3/1.7925 = 6.0070.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [3, 2, 3]},
    ... )
    >>> round(sk.score(study, ["DCG(discount=log,b=4)@3"], per="query").get_column("value").item(), 4)
    6.007
    """

    name = "DCG"
    bounds = "linear"
    undefined_where = NO_JUDGMENTS
    formula = "sum of gain(i) x d(i) for i = 1..k; d by default 1 / log2(i + 1)"
    meaning = "gain of a result list, late ranks counting less"
    source = DCG_SOURCE


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedCumulatedGain(GainMeasure):
    """nCG: cumulated gain as a share of the best that the recall base allows at the same cutoff.

    Range [0, 1]; higher is better. Null where nothing is relevant (0 with ``undefined=zero``). Without a cutoff the
    ideal uses the whole recall base. Equals the sliding ratio of Giuliano & Jones, with the ideal over all relevant
    documents of the topic.
    """

    name = "nCG"
    level = "query"
    normalized = True
    bounds = "share"
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    formula = "CG@k / ideal CG@k"
    meaning = "gain of a result list as a share of the best list"
    source = CG_SOURCE

    @property
    def highest(self) -> float | None:
        """Upper bound 1: no list gains more than the sorted recall base."""
        return 1.0


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedDiscountedCumulatedGain(DiscountedMeasure):
    """nDCG: discounted cumulated gain as a share of the best that the recall base allows at the same cutoff.

    Range [0, 1]; higher is better. The default equals trec_eval's ndcg_cut (linear gain, division by log2(i + 1),
    ideal over the whole recall base, cut at k); ``gain=exp2`` equals gdeval's. A query that returned nothing scores
    0, which trec_eval leaves out unless run with ``-c``. Null where nothing is relevant (0 with ``undefined=zero``,
    as trec_eval). ``rn2002`` with b > 2 is refused.

    >>> from sessionkit import nDCG
    >>> nDCG(gain="exp2") @ 10
    nDCG(gain=exp2)@10
    """

    name = "nDCG"
    normalized = True
    bounds = "share"
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    formula = "DCG@k / ideal DCG@k"
    meaning = "discounted gain of a list as a share of the best list"
    source = DCG_SOURCE

    @property
    def highest(self) -> float | None:
        """Upper bound 1, since every permitted discount falls with the rank."""
        return 1.0


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionGain(DiscountedSessionGain):
    """sDCG: the sum of the gains of everything a session showed, discounted by rank and by query position.

    Range [0, no bound); higher is better. By default the form of ECIR 2008, gain / ((1 + log_2 i)(1 + log_4 q)),
    which the TREC Dynamic Domain scorer also uses; ``like=jiang2016`` and ``like=kanoulas2011`` are the other public
    forms, and differ from it by up to a factor of two. Every logged query holds its position, also one that returned
    nothing. Documents shown again gain again unless ``duplicates=first``. Null where the session's key has no
    judgments at all.

    One list <0,1,0>, an empty one, then <2,0,1> at k=3: 1/2 + (2 + 1/2.58496) / 1.79248 = 1.8315915058

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3]},
    ...     results={"session_id": ["s"] * 6, "query_position": [1] * 3 + [3] * 3, "rank": [1, 2, 3] * 2, "doc_id": list("xbyazc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 5, "doc_id": list("adbcx"), "grade": [2, 2, 1, 1, 0]},
    ... )
    >>> round(sk.score(study, ["sDCG@3"], per="session").get_column("value").item(), 10)
    1.8315915058
    """

    name = "sDCG"
    bounds = "linear"
    undefined_where = NO_JUDGMENTS
    sums_queries = True
    formula = "sum over queries q and ranks i <= k of gain(q, i) x d(i) x dq(q); by default d = 1 / (1 + log2 i), dq = 1 / (1 + log4 q)"
    meaning = "gain of the session, late ranks and queries counting less"
    source = "Järvelin, Price, Delcambre & Nielsen, ECIR 2008, equations 1 and 2"


@dataclass(frozen=True, repr=False, kw_only=True)
class NormalizedSessionGain(DiscountedSessionGain):
    """nsDCG: sDCG as a share of an ideal session's.

    With ``ideal=repeated`` (the default, ECIR 2008 section 3.3) the ideal session repeats each query's Top-k ideal
    list; nsDCG is then the weighted mean sum dq(q) nDCG_q / sum dq(q), not an accumulation: a perfect first query
    followed by an empty one scores 0.6. ``ideal=spread`` shows the best documents once, in the best slots of the
    session; ``ideal=once`` is one perfect query. ``ideal_queries`` gives the ideal a fixed number of queries.
    ``normalize=query`` is the reading of section 2.2: sum dq(q) nDCG_q.

    1 is an upper bound for ``duplicates=all`` with ``ideal=repeated``, for ``duplicates=first`` with ``ideal=spread``,
    and for ``duplicates=first`` with ``ideal=repeated``, where it cannot be reached; scores of any other combination,
    of ``ideal_queries`` and of ``normalize=query`` come with a warning. Null where nothing is relevant (0 with
    ``undefined=zero``).
    """

    name = "nsDCG"
    bounds = "share"
    normalized = True
    undefined_where = NO_BASE
    higher_grade_can_lower = True
    formula = "sDCG / sDCG of the ideal session; with normalize=query, sum over q of dq(q) x nDCG_q"
    meaning = "session gain as a share of the ideal, early queries weighing more"
    source = "Järvelin, Price, Delcambre & Nielsen, ECIR 2008, sections 2.2 and 3.3"

    ideal: IdealLayout = "repeated"
    ideal_queries: IdealQueries | int = "session"
    normalize: GainNormalization = "session"

    def __post_init__(self) -> None:
        """Refuse an ideal session where each query is divided by its own ideal."""
        super().__post_init__()
        if self.normalize == "query" and (self.ideal != "repeated" or self.ideal_queries != "session"):
            msg = f"{self.name}: normalize=query divides each query by its own ideal list; leave out ideal and ideal_queries"
            raise MeasureError(msg)
        object.__setattr__(self, "sums_queries", self.normalize == "query")

    @property
    def session_ideal(self) -> str:
        """As ``ideal`` says."""
        return self.ideal

    @property
    def ideal_length(self) -> int | None:
        """As ``ideal_queries`` says."""
        return None if self.ideal_queries == "session" else int(self.ideal_queries)

    @property
    def normalized_by_session(self) -> bool:
        """With ``normalize=session``."""
        return self.normalize == "session"

    @property
    def repeats_ideal(self) -> bool:
        """With ``ideal=repeated``, for the queries of the session."""
        return self.ideal == "repeated" and self.ideal_queries == "session"

    def without_query_discount(self) -> NormalizedSessionGain:
        """The ideal of a query is that of the first."""
        return self(query_discount="none")

    def why_no_bounds(self, *, own_keys: bool = False) -> str | None:
        """The ideal must be one of the session, of all its keys, with an end."""
        why = super().why_no_bounds(own_keys=own_keys)
        if why is not None:
            return why
        if self.normalize == "query":
            return "normalize=query sums values with different ideals; bounds need normalize=session, or mean(nDCG@10)"
        if own_keys and (self.ideal == "once" or self.ideal_queries != "session"):
            return (
                "its ideal leaves out judgment keys that the session's queries have; ask for ideal=repeated or spread"
            )
        return "an ideal session needs a cutoff, such as nsDCG@10" if self.cutoff is None else None

    @property
    def highest(self) -> float | None:
        """1 for the combinations that cannot exceed it, None for the others."""
        own_length = self.ideal_queries == "session" and self.normalize == "session"
        pair = (self.duplicates, self.ideal)
        return 1.0 if own_length and pair in {("all", "repeated"), ("first", "repeated"), ("first", "spread")} else None


def _searcher_by_rank(measure: RankDiscount) -> tuple[Searcher | None, str]:
    """One who may stop at every rank, if the discount never rises."""
    ranks = falling(measure.discount, measure.b, measure.p)
    if ranks is None:
        base = f" with b={measure.b:g}" if measure.discount in RANK_DISCOUNTS else ""
        why = f"discount={measure.discount}{base} rises with the rank somewhere, so it is not a stopping probability"
        return None, why
    second, tenth = (f"{ranks.seen(10)[place]:.3g}" for place in (1, 9))
    words = f"looks at rank 2 with probability {second} and at rank 10 with {tenth} (discount={measure.discount})"
    if ranks.scale != 1:
        words += f", as shares of rank 1, whose discount is {ranks.scale:.3g}"
    return Searcher(ranks), words


CG = CumulatedGain()
DCG = DiscountedCumulatedGain()
nCG = NormalizedCumulatedGain()  # noqa: N816 - the field's spelling
nDCG = NormalizedDiscountedCumulatedGain()  # noqa: N816
sDCG = SessionGain()  # noqa: N816
nsDCG = NormalizedSessionGain()  # noqa: N816
FAMILY = (sDCG, nsDCG, CG, DCG, nCG, nDCG)
