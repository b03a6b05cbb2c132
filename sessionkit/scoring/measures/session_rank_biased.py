"""Session rank-biased precision: what a searcher gains who goes on, in the list or to the next query, with probability p."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.measures.parameters import RANK_BIASED
from sessionkit.scoring.searcher import Chances, Searcher


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
FAMILY = (sRBP,)
