"""Session measures with a patient or a forgetful searcher: sRBP, and the recency-weighted RSDCG and RSRBP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.filter import sessions_with_judgments
from sessionkit.scoring.measures.base import GainMeasure, SessionMeasure
from sessionkit.scoring.measures.cumulated_gain import sDCG
from sessionkit.scoring.measures.parameters import RANK_BIASED
from sessionkit.scoring.searcher import Chances, Searcher
from sessionkit.study.numbering import where

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionRankBiasedPrecision(GainMeasure):
    """sRBP: the expected gain per result of a searcher who continues with probability p, in the same list with probability b.

    After each result the searcher stops with probability 1 - p; one who goes on looks at the next rank with probability
    b, or asks the next query with 1 - b. Range [0, 1] with ``gain=binary``, the default: the weights of endless lists of
    an endless session add up to 1. Higher is better. With b=1 only the first query counts, and sRBP is its RBP; with
    p=1 nobody stops and every weight is 0; b=1 and p=1 together are refused. Every logged query holds its position, also
    one that returned nothing. Null where the session's key has no judgments at all.

    Source: Lipani, Carterette & Yilmaz, ICTIR 2019; the weights are those of the notebook published with it, which fits
    b=0.64 and p=0.86 to the sessions of the TREC 2014 Session track.

    Relevant at rank 1 of the first query and rank 2 of the second, b=0.5, p=0.8: the second query counts
    (0.8 - 0.4) / (1 - 0.4) = 2/3, rank 2 counts 0.4; 0.2 x (1 + 2/3 x 0.4) = 0.2533

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("sss"), "query_position": [1, 2, 2], "rank": [1, 1, 2], "doc_id": list("abc")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "b", "c"], "grade": [1, 0, 2]},
    ... )
    >>> round(sk.score(study, "sRBP(b=0.5,p=0.8)").get_column("value").item(), 4)
    0.2533
    """

    name = "sRBP"
    sums_queries = True
    bounds = "linear"
    level = "session"
    example = "sRBP(b=0.64,p=0.86)@10"
    required = ("b", "p")
    own_parameters = RANK_BIASED
    formula = (
        "(1 - p) x sum over queries q and ranks i <= k of gain(q, i) x ((p - bp) / (1 - bp))^(q - 1) x (bp)^(i - 1)"
    )
    meaning = "gain per result for a searcher who may stop anywhere"
    source = "Lipani, Carterette & Yilmaz, ICTIR 2019"
    undefined_where = "no judgments for their key"

    gain: str = "binary"
    b: float | None = None
    p: float | None = None

    def __post_init__(self) -> None:
        """Refuse the searcher who neither stops nor asks another query."""
        super().__post_init__()
        if self.b == 1 and self.p == 1:
            msg = f"{self.name}: b=1 and p=1 give every result weight 0: the searcher neither stops nor issues a query; make p smaller"
            raise MeasureError(msg)

    @property
    def highest(self) -> float | None:
        """Everything relevant, for ever; of graded gains there is no bound."""
        return 1.0 if self.gain == "binary" else None

    def discount_forms(self) -> tuple[str, str]:
        """Both discounts have both parameters."""
        return "rank-biased", "rank-biased"

    def searcher(self) -> tuple[Searcher, str]:
        """One who goes on with probability p, of that with share b in the same list."""
        b, p = float(self.b or 0), float(self.p or 0)
        onward = (p - b * p) / (1 - b * p)
        return (
            Searcher(Chances("geometric", p=b * p), Chances("geometric", p=onward)),
            f"goes on from each result with probability {p:g}, to the next rank with probability {b:g} of that, else to a new query",
        )

    def rank_discount(self) -> pl.Expr:
        """Chance to stop, times that to have come down to the rank."""
        b, p = self.b or 0.0, self.p or 0.0
        return (1 - p) * discount_expr(pl.col("rank"), "geometric", p=b * p)

    def query_discount_factor(self) -> pl.Expr:
        """Chance to have come to the query."""
        b, p = self.b or 0.0, self.p or 0.0
        return discount_expr(pl.col("query_position"), "geometric", p=(p - b * p) / (1 - b * p))


sRBP = SessionRankBiasedPrecision()  # noqa: N816 - the field's spelling


LATER = pl.int_range(pl.len() - 1, -1, -1, dtype=pl.Int64).over("session")
"""How many queries of its session come after each, of queries in order."""


@dataclass(frozen=True, repr=False, kw_only=True)
class RecencyMeasure(SessionMeasure):
    """A sum of what results contribute to another measure, each weighted by how many queries were asked after its own."""

    required: ClassVar[tuple[str, ...]] = ("lambda",)
    explainable = True
    bounds = "rising"
    undefined_where = "no judgments for their key"

    gain: str = "linear"
    lambda_: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters as the measure without weights does."""
        super().__post_init__()
        self.unweighted()

    def searcher(self) -> tuple[None, str]:
        """None."""
        return None, "its weights count back from the session's last query, so they describe no searcher who stops"

    def unweighted(self) -> GainMeasure:
        """The measure whose contributions are weighted."""
        raise AttributeError

    def remembered(self) -> pl.Expr:
        """What is left of a contribution, ``later`` queries after its own."""
        return (-float(self.lambda_ or 0) * pl.col("later")).exp()

    def values(self, lists: Lists) -> pl.Series:
        """Exact sum of the weighted contributions of every session; null where nothing is judged for it."""
        queries = lists.queries.select("session", "query_position", later=LATER)
        rows = lists.gaining(self.gain, self.min_grade)
        rows = rows.select("rank", "gain").hstack(queries.select(pl.all().gather(rows["list"])))
        term = exact.fixed(self.unweighted().contribution(pl.col("gain")) * self.remembered())
        sums = rows.group_by("session").agg(total=term.sum())
        total = sums["total"].gather(where(sums["session"], len(lists.batch.sessions)))
        judged = pl.lit(sessions_with_judgments(lists.batch, lists.selection))
        value = pl.when(judged).then(exact.unfixed(pl.col("total").fill_null(0)))
        return total.to_frame().select(value.alias("value")).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class RecencySessionGain(RecencyMeasure):
    """RSDCG: sDCG in which the results of a query lose weight by a factor e^-lambda with every later query.

    Range [0, no bound); higher is better. ``lambda``, of at least 0, is required: 0 is sDCG, a large one leaves little
    but the last query. M is the number of the session's logged queries; one whose list was never logged is not counted.
    In Python, where lambda is a word of the language, the parameter is ``lambda_``. Null where the session's key has no
    judgments at all.

    Source: Zhang et al., SIGIR 2020, which this formula follows from memory: it was not checked against the text of the
    paper, and no public code exists.

    Gains 1 at the first query and 2 at the second, lambda=0.5: 1 x e^-0.5 + 2 / 1.5 = 1.9399

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    ... )
    >>> round(sk.score(study, "RSDCG(lambda=0.5)@10").get_column("value").item(), 4)
    1.9399
    """

    name = "RSDCG"
    sums_queries = True
    example = "RSDCG(lambda=0.5)@10"
    formula = "sum over queries m and ranks n <= k of gain(m, n) x d(n) x dq(m) x e^(-lambda (M - m)), M queries; d and dq as of sDCG"
    meaning = "gain of the session, each query fading as later ones follow"
    source = "Zhang et al., SIGIR 2020, from memory"

    discount: str = "log"
    b: float = 2
    p: float | None = None
    query_discount: str = "log"
    bq: float = 4
    pq: float | None = None

    def unweighted(self) -> GainMeasure:
        """The sDCG of the same parameters."""
        names = ("gain", "min_grade", "discount", "b", "p", "query_discount", "bq", "pq")
        return sDCG(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True, repr=False, kw_only=True)
class RecencyRankBiasedPrecision(RecencyMeasure):
    """RSRBP: sRBP in which the results of a query lose weight by a factor e^-lambda with every later query.

    Range [0, 1] with ``gain=binary``, the default; higher is better. ``b``, ``p`` and ``lambda``, of at least 0, are
    required: lambda=0 is sRBP. M is the number of the session's logged queries; one whose list was never logged is not
    counted. In Python, where lambda is a word of the language, the parameter is ``lambda_``. Null where the session's key
    has no judgments at all.

    Source: Zhang et al., SIGIR 2020, which this formula follows from memory: it was not checked against the text of the
    paper, and no public code exists.

    Relevant at rank 1 of both queries, b=0.5, p=0.8, lambda=0.5: 0.2 x (e^-0.5 + 2/3) = 0.2546

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    ... )
    >>> round(sk.score(study, "RSRBP(b=0.5,p=0.8,lambda=0.5)").get_column("value").item(), 4)
    0.2546
    """

    name = "RSRBP"
    sums_queries = True
    example = "RSRBP(b=0.64,p=0.86,lambda=0.5)@10"
    required = ("b", "p", "lambda")
    own_parameters = RANK_BIASED
    formula = (
        "(1 - p) x sum of gain(m, n) x ((p - bp) / (1 - bp))^(m - 1) x (bp)^(n - 1) x e^(-lambda (M - m)), M queries"
    )
    meaning = "gain per result, each query fading as later ones follow"
    source = "Zhang et al., SIGIR 2020, from memory; sRBP of Lipani, Carterette & Yilmaz, ICTIR 2019"

    gain: str = "binary"
    b: float | None = None
    p: float | None = None

    @property
    def highest(self) -> float | None:
        """No more than sRBP."""
        return self.unweighted().highest

    def unweighted(self) -> GainMeasure:
        """The sRBP of the same parameters."""
        return sRBP(gain=self.gain, min_grade=self.min_grade, b=self.b, p=self.p)


RSDCG = RecencySessionGain()
RSRBP = RecencyRankBiasedPrecision()


FAMILY = (sRBP, RSDCG, RSRBP)
