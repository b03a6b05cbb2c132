"""Recency-weighted session measures: what earlier queries showed counts less, the longer ago, the less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import GainMeasure, SessionMeasure
from sessionkit.scoring.measures.cumulated_gain import sDCG
from sessionkit.scoring.measures.parameters import RANK_BIASED
from sessionkit.scoring.measures.session_rank_biased import sRBP
from sessionkit.scoring.results_filter import sessions_with_judgments
from sessionkit.study.row_index import where

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

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
FAMILY = (RSDCG, RSRBP)
