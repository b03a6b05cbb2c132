"""Measures against ratings: which measure goes with what searchers say of their sessions, and which goes with it better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike

import polars as pl

from sessionkit.analysis.bootstrap import Resampling, Units
from sessionkit.analysis.correlate.columns import columns, variables
from sessionkit.analysis.correlate.matrices import COEFFICIENTS
from sessionkit.analysis.correlate.messages import CorrelationContext, told
from sessionkit.analysis.correlate.rows import CorrelationRows
from sessionkit.analysis.findings import NUMBER, TEXT, WHOLE, YES_NO, Finding, traced
from sessionkit.analysis.paper_tables import (
    chosen_columns,
    claim_text,
    interval_heading,
    range_text,
    significance_note,
)
from sessionkit.analysis.phrases import reading_of
from sessionkit.arguments import names_in
from sessionkit.choices import Coefficient, DrawnUnits, IntervalKind
from sessionkit.display.labels import label
from sessionkit.display.numbers import P_IS_BOUND
from sessionkit.display.tables import TextTable
from sessionkit.display.words import listed
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.inference_options import error_rate
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

COUNTED = {"n": WHOLE, "units": WHOLE, "dropped": WHOLE}
CORRELATIONS = pl.Schema(
    {"measure": TEXT, "covariate": TEXT, "coefficient": TEXT, **COUNTED, "value": NUMBER, "low": NUMBER, "high": NUMBER}
    | {"p": NUMBER, "p_independent": NUMBER, "interval": TEXT, "note": TEXT, P_IS_BOUND: YES_NO}
)
DIFFERENCES = pl.Schema(
    {"covariate": TEXT, "coefficient": TEXT, "first": TEXT, "second": TEXT, **COUNTED}
    | {"value_first": NUMBER, "value_second": NUMBER, "estimate": NUMBER, "low": NUMBER, "high": NUMBER}
    | {"test": TEXT, "statistic": NUMBER, "df": WHOLE, "p": NUMBER, "interval": TEXT, "note": TEXT, P_IS_BOUND: YES_NO}
)

HEADINGS = {"pearson": "Pearson r", "spearman": "Spearman rho", "kendall": "Kendall tau-b"}
"""Coefficients as papers head their columns."""


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Finding):
    """What `correlate` found.

    Parameters
    ----------
    table
        ``measure``, ``covariate``, ``coefficient``, ``n`` (sessions that have both, and all that is held constant),
        ``units`` (users, or sessions), ``dropped`` (the other sessions), ``value``, ``low``, ``high``, ``p`` (of the same test or
        draws as the interval, which excludes 0 exactly where p is at most 1 - confidence), ``p_independent`` (scipy's, as if all
        sessions were independent: what published tables print), ``interval`` (its kind), ``note`` (why there is no value or
        interval, or nothing that the test could reject) and ``p_is_bound`` (whether p is an upper bound, the smallest that so
        many draws can give; null by formula).
    differences
        ``covariate``, ``coefficient``, ``first`` and ``second`` (measures), the counts, ``value_first``,
        ``value_second``, ``estimate`` (the first less the second), ``low``, ``high``, ``test``, ``statistic``, ``df``, ``p``,
        ``interval``, ``note``, ``p_is_bound``: does the first correlate more with the covariate than the second.
    reading
        What that means, in plain language.
    measures, with_, control
        The names of what was correlated, and of what was held constant.
    units
        ``"users"`` or ``"sessions"``.
    coefficients, confidence, draws, seed
        As given.
    """

    table: pl.DataFrame
    differences: pl.DataFrame
    reading: str
    measures: tuple[str, ...]
    with_: tuple[str, ...]
    control: tuple[str, ...]
    units: str
    coefficients: tuple[str, ...]
    confidence: float
    draws: int
    seed: int

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        found = {"correlations": self.table, "differences": self.differences}
        return {name: table for name, table in found.items() if len(table)}

    def paper_table(self) -> TextTable:
        """The correlations as papers print them: coefficient, interval, p and n."""
        several = [name for name in ("covariate", "coefficient") if self.table[name].n_unique() > 1]
        covariates, coefficients = (
            self.table[name].unique(maintain_order=True) for name in ("covariate", "coefficient")
        )
        what = HEADINGS[coefficients[0]] if len(coefficients) == 1 else "Correlation"
        held = f", {listed([*map(label, self.control)])} held constant" if self.control else ""
        of = f" with {label(covariates[0])}" if len(covariates) == 1 else ""
        intervals = listed(self.table["interval"].drop_nulls().unique(maintain_order=True).to_list() or ["no"])
        p = "; p not corrected" if self.table["p"].count() > 1 else ""
        units = f" of {range_text(self.table['units'])} users" if self.units == "users" else ""
        caption = f"{what}{of} over sessions{held}; intervals: {intervals}{p}; n sessions{units}"
        shown = self.table.with_columns(pl.col("coefficient").replace(HEADINGS))
        alpha = error_rate(self.confidence)
        columns = [*several[:1], "measure", *several[1:]] if several[:1] == ["covariate"] else ["measure", *several]
        columns += ["value", "low", "high", "p", "n"]
        found = [row for row, p in enumerate(self.table["p"]) if p is not None and p <= alpha]
        missing = shown.filter(pl.col("value").is_null())["note"].drop_nulls().unique(maintain_order=True)
        note = " ".join(
            [claim_text(f"{self.units} like these"), *(f"{each[:1].upper()}{each[1:]}." for each in missing)]
        )
        table = chosen_columns(
            caption,
            shown,
            columns,
            headers={"value": what},
            interval=interval_heading(self.confidence),
            note=significance_note("*:" if found else "", alpha, note),
            decimals=2,
            p_is_bound=self.table[P_IS_BOUND],
        )
        return replace(table, marks=dict.fromkeys([(row, columns.index("value")) for row in found], "*"))


@traced
@guarded_read
def correlate(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    with_: str | Measure | Sequence[str | Measure],
    *,
    where: Where = None,
    control: str | Measure | Sequence[str | Measure] = (),
    coefficients: str | Sequence[Coefficient] = COEFFICIENTS,
    units: DrawnUnits = "auto",
    interval: IntervalKind | None = None,
    confidence: float = 0.95,
    draws: int = 5000,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> Correlations:
    """Correlate measures of sessions with ratings or other covariates, and test whether correlations differ.

    Parameters
    ----------
    study
        The study.
    measures
        Measures with a value per session, or their texts; of queries, wrapped: ``"mean(nDCG@10)"``. Columns of
        sessions or users too.
    with_
        Columns of sessions or users that hold numbers, such as ``"performance"``, or measures; one or several. Rows name the
        column, also where ``"column(performance)"`` is asked for.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    control
        Columns or measures to hold constant, such as ``"Queries"``, the number of queries.
    coefficients
        ``"pearson"``, ``"spearman"``, ``"kendall"`` (tau-b); one or several.
    units
        ``"users"``, ``"sessions"``, or ``"auto"``: users where any has several sessions, for these are not
        independent of each other. A session of an unknown user is a separate unit.
    interval
        ``"percentile"`` or ``"bca"``: by drawing units with replacement, widened for their number, see
        `sessionkit.analysis.bootstrap`; ``linear``, of Kendall's coefficient where pairs of sessions are too many, see
        `sessionkit.analysis.correlate.matrices`. None: percentile for users; for independent sessions the test that gives scipy's
        p-value is inverted, see `sessionkit.analysis.correlate.formulas` for the formulas and how often they cover.
    confidence
        Confidence of intervals, above .5 and below 1.
    draws, seed
        Number of draws, at least 200, and their seed.
    memory, cache
        As `sessionkit.score` has them.

    Returns
    -------
    Correlations
        A table of correlations and one of differences, with a reading. Every number is over the sessions that have all
        it needs; how many were dropped is beside it. P-values and intervals are not adjusted for their number.

        Differences of Pearson's coefficients of independent sessions are tested by Williams' t and Steiger's z. Both
        need independent units, so of users with several sessions, and of the other coefficients, the difference is
        worked out in every draw of units.

    Raises
    ------
    UsageError
        If a column or option does not exist, or a measure has no value per session.
    DataError
        If a covariate is not numeric, or no correlation can be worked out; the message says why.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("abcde"), "query_position": [1] * 5, "rank": [1] * 5, "doc_id": list("vwxyz")},
    ...     sessions={"session_id": list("abcde"), "topic_id": ["t"] * 5, "performance": [1, 2, 3, 5, 4]},
    ...     judgments={"judgment_key": ["t"] * 5, "doc_id": list("vwxyz"), "grade": [0, 1, 2, 2, 3]},
    ... )
    >>> found = sk.correlate(study, "sDCG@10", with_="performance", coefficients="pearson")
    >>> found.table.select("n", "value", "p").with_columns(pl.col("value", "p").round(4)).row(0)
    (5, 0.8321, 0.0805)
    """
    study = restricted(study, where)
    chosen = _coefficients(coefficients)
    asked, against = variables(study, measures, "measures"), variables(study, with_, "with")
    held = variables(study, control, "control") if control else []
    resampling = Resampling(draws, seed, interval or "percentile", confidence)
    everything = list(dict.fromkeys([*asked, *against, *held]))
    frame = columns(study, everything, memory=memory, cache=cache)
    of = Units.of(frame.get_column("user_id"), units)
    rows = CorrelationRows(
        {each.name: frame.get_column(each.name).fill_null(float("nan")).to_numpy() for each in everything},
        of.codes(frame.get_column("user_id")),
        of.name,
        tuple(each.name for each in held),
        resampling,
        analytic=interval is None and of.name == "sessions",
    )
    table = pl.DataFrame(
        [
            rows.correlation(m.name, c.name, how)
            for c in against
            for m in asked
            for how in chosen
            if m.measure != c.measure
        ],
        schema=CORRELATIONS,
    )
    if not len(table) or not table.get_column("value").count():
        raise _nothing(table)
    differences = pl.DataFrame(
        [
            row
            for c in against
            for one, other in combinations([m for m in asked if m.measure != c.measure], 2)
            for how in chosen
            for row in rows.differences(one.name, other.name, c.name, how)
        ],
        schema=DIFFERENCES,
    )
    names = [tuple(each.name for each in kind) for kind in (asked, against, held)]
    lines = told(table, differences, CorrelationContext(frame, of, rows.analytic, resampling, tuple(against), names[2]))
    return Correlations(
        table,
        differences,
        reading_of(lines, study.restriction),
        names[0],
        names[1],
        names[2],
        of.name,
        chosen,
        confidence,
        draws,
        seed,
    )


def _coefficients(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Check which coefficients are asked for."""
    each = names_in("coefficients", asked)
    for name in each:
        if name not in COEFFICIENTS:
            msg = f"coefficients must be among {', '.join(COEFFICIENTS)}, not {name!r}{suggestion(str(name), COEFFICIENTS)}"
            raise UsageError(msg)
    if not each:
        msg = f"coefficients is empty; choose from {', '.join(COEFFICIENTS)}"
        raise UsageError(msg)
    return tuple(dict.fromkeys(each))


def _nothing(table: pl.DataFrame) -> DataError | UsageError:
    """Build the error where there is no correlation at all."""
    if not len(table):
        return UsageError("a measure is not correlated with itself; give with another column")
    notes = table.get_column("note").drop_nulls().unique(maintain_order=True)
    return DataError("; ".join(notes[:2]))
