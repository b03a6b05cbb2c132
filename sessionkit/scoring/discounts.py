"""How much a rank or a query position counts: the ``discount`` and ``query_discount`` parameters.

A discount multiplies; 1 means no loss. Ranks and query positions begin at 1. The forms differ between papers, and no
two of them agree beyond the first place:

=============  ============================  =====================================
name           factor at place i             source
=============  ============================  =====================================
``log``        1 / (1 + log_b i)             ECIR 2008, equations 1 and 2
``shifted``    1 / log_b(i + b - 1)          Kanoulas et al. 2011
``burges``     1 / log_b(i + 1)              Burges et al. 2005; trec_eval with b=2
``jk2002``     1 if i < b else 1 / log_b i   TOIS 2002
``rn2002``     1 at i = 1, else 1 / log_b i  Research Notes 2002-2, equation 2
``geometric``  p^(i-1)                       rank-biased
``reciprocal`` 1 / i
``none``       1
``1-0.5-0.2``  1, 0.5, 0.2, then 0           factors one by one
=============  ============================  =====================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
import polars as pl

from sessionkit.arguments import QueryDiscountForm, RankDiscountForm
from sessionkit.scoring.gains import weights, weights_text

RANK_DISCOUNTS: tuple[RankDiscountForm, ...] = get_args(RankDiscountForm)
QUERY_DISCOUNTS: tuple[QueryDiscountForm, ...] = get_args(QueryDiscountForm)

FACTORS = "factors from 0 to 1, one by one, such as 1-0.5-0.2 (0 beyond them)"
"""What a discount can be beside a form, for messages."""
TABLE = 2**16
"""Powers are looked up in a table where no exponent is as large as this."""


def discount_expr(place: pl.Expr, name: str, base: float | None = None, p: float | None = None) -> pl.Expr:
    """Discount factor as a polars expression.

    Parameters
    ----------
    place
        Rank or query position, an integer from 1.
    name
        One of `RANK_DISCOUNTS`, or factors, see `factors_text`.
    base
        Base of the logarithm, above 1, for the logarithmic forms.
    p
        Persistence in (0, 1), for ``geometric``.

    >>> frame = pl.DataFrame({"rank": [1, 2, 4]})
    >>> frame.select(discount_expr(pl.col("rank"), "log", base=2)).to_series().to_list()
    [1.0, 0.5, 0.3333333333333333]
    """
    i = place.cast(pl.Float64)
    if name not in RANK_DISCOUNTS:
        listed = weights(name)
        factor = place.cast(pl.Int64).replace_strict(
            range(1, len(listed) + 1), listed, default=0.0, return_dtype=pl.Float64
        )
        return pl.when(place.is_not_null()).then(factor)
    forms: dict[str, Callable[[], pl.Expr]] = {
        "log": lambda: 1 / (1 + i.log(_given(base))),
        "shifted": lambda: 1 / (i + (_given(base) - 1)).log(_given(base)),
        "burges": lambda: 1 / (i + 1).log(_given(base)),
        "jk2002": lambda: pl.when(i < _given(base)).then(1.0).otherwise(1 / i.log(_given(base))),
        "rn2002": lambda: pl.when(i == 1).then(1.0).otherwise(1 / i.log(_given(base))),
        "geometric": lambda: _power(_given(p), i - 1),
        "reciprocal": lambda: 1 / i,
        "none": lambda: pl.when(i.is_not_null()).then(1.0),
    }
    return forms[name]()


def factors_text(value: object) -> str | None:
    """Canonical text of a discount that is given factor by factor; None of anything else.

    >>> factors_text("1-.5-.2"), factors_text((1, 0.5)), factors_text("1-2"), factors_text("0-0")
    ('1-0.5-0.2', '1-0.5', None, None)
    """
    text = weights_text(value)
    return text if text is not None and 0 < max(weights(text)) <= 1 else None


def discount_values(places: np.ndarray, name: str, base: float | None = None, p: float | None = None) -> np.ndarray:
    """The same factors for an array of places, by the same expression and so with the same bits.

    >>> discount_values(np.array([1, 3]), "burges", base=2).tolist()
    [1.0, 0.5]
    """
    frame = pl.DataFrame({"place": places})
    return frame.select(discount_expr(pl.col("place"), name, base, p)).to_series().to_numpy()


def _power(share: float, exponent: pl.Expr) -> pl.Expr:
    """A power of a number of at least 0 to a whole exponent, with the bits that it has in a column of any length.

    Polars multiplies where there is a single whole exponent, which can be off in the last bit: a session with one
    result would then score differently alone than among others.
    """

    def powers(column: pl.Series) -> pl.Series:
        places = column.cast(pl.UInt32)
        last = places.max()
        if not isinstance(last, int) or last < TABLE:
            table = [share ** float(place) for place in range(last + 1 if isinstance(last, int) else 0)]
            return pl.Series(column.name, table, dtype=pl.Float64).gather(places)
        distinct = places.drop_nulls().unique()
        found = [share ** float(place) for place in distinct]
        return places.replace_strict(distinct, found, default=None, return_dtype=pl.Float64).alias(column.name)

    return exponent.map_batches(powers, return_dtype=pl.Float64, is_elementwise=True)


def _given(value: float | None) -> float:
    """The parameter, which the measure has checked to be there."""
    if value is None:
        msg = "a discount was used without its parameter"
        raise ValueError(msg)
    return value
