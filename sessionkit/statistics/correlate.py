"""Measures against ratings and other columns: which goes with what searchers say, and which goes with it better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike
from typing import Any, ClassVar

import polars as pl

from sessionkit.arguments import Coefficient, DrawnUnits, IntervalKind, error_rate, names_in
from sessionkit.display.labels import label
from sessionkit.display.numbers import P_IS_BOUND, counted, ends_text, level_text, listed, p_text, visible_decimals
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataError, MeasureError, UsageError, suggestion
from sessionkit.scoring.execution import of_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.custom import column
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.needs import is_ambiguous, measure_of
from sessionkit.scoring.score import score
from sessionkit.statistics.correlation_matrices import COEFFICIENTS
from sessionkit.statistics.correlations import LINEAR, CorrelationRows
from sessionkit.statistics.distributions import Resampling, Units
from sessionkit.statistics.findings import (
    MORE,
    NUMBER,
    SESSIONS,
    TEXT,
    WHOLE,
    YES_NO,
    Finding,
    more_in_table,
    stated,
    traced,
)
from sessionkit.statistics.paper_tables import (
    chosen_columns,
    claim_text,
    interval_heading,
    range_text,
    significance_note,
)
from sessionkit.study import Study
from sessionkit.study.counts import session_columns, untold
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
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


FEW = 10
"""Units below which resampling is rough."""
LISTED = 4
"""Correlations and differences that are read out."""
COVARIATE = {
    "covariate": "name of the covariate",
    "coefficient": "the coefficient: pearson, spearman or kendall",
    "control": "what is held constant, a list",
}
CORRELATION = ("measure", "value", "low", "high", "p", "p_is_bound", "n")
DIFFERENCE = ("first", "second", "value_first", "value_second", "estimate", "low", "high", "p", "p_is_bound")
"""Values of statements, see `sessionkit.Statement`."""


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
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    measures, with_, control
        The names of what was correlated, and of what was held constant.
    units
        ``"users"`` or ``"sessions"``.
    coefficients, confidence, draws, seed
        As given.
    """

    table: pl.DataFrame
    differences: pl.DataFrame
    statements: tuple[Statement, ...]
    measures: tuple[str, ...]
    with_: tuple[str, ...]
    control: tuple[str, ...]
    units: str
    coefficients: tuple[str, ...]
    confidence: float
    draws: int
    seed: int
    KINDS: ClassVar = {
        **SESSIONS,
        "claim": Kind(
            "What was observed, and what the claim is about",
            {
                "sessions": "number of sessions",
                "users": "number of users; 0 where none are known",
                "population": "what the claim is about: users or sessions",
                "reason": "why these are the units",
            },
        ),
        "method": Kind(
            "How intervals and p-values were made, and of which sessions",
            {
                "confidence": "confidence of the intervals",
                "analytic": "whether they are by formula",
                "resampled": "coefficients that are resampled all the same, as they have no formula",
                "interval": "the kind of bootstrap interval; null by formula",
                "units": "what is drawn; null by formula",
                "draws": "number of draws; null by formula",
                "seed": "their seed; null by formula",
                "few": "the smallest number of units, where that makes intervals rough; else null",
                "dropped": "the most sessions that one correlation leaves out",
                "sessions": "number of sessions",
                "linear": "whether draws of Kendall's coefficient are a linear approximation",
                "control": "what is held constant, a list",
                "of_users": "covariates that are the same in all sessions of a user, where users are drawn",
            },
        ),
        "same_draws": Kind("Differences are tested with the draws of the correlations, as units are users"),
        "correlation": Kind(
            "The correlations with a covariate that are shown",
            {
                **COVARIATE,
                "correlations": f"the {LISTED} largest, a list: measure, value, low, high, p, p_is_bound, n",
                "count": "how many are shown",
            },
        ),
        "not_shown": Kind(
            "Correlations with a covariate that are neither shown nor ruled out",
            {
                **COVARIATE,
                "measures": "which these are",
                "count": "of how many",
                "reach": "the end of their intervals that is farthest from 0",
            },
        ),
        "difference": Kind(
            "Which measures differ in their correlation with a covariate",
            {
                **COVARIATE,
                "test": "the test",
                "pairs": "pairs of measures that were compared",
                "count": "how many of these are shown to differ",
                "differences": f"up to {LISTED} of them with the smallest p, or the only pair, a list: first, second, value_first, "
                "value_second, estimate, low, high, p, p_is_bound",
                "reach": "the end of the intervals that is farthest from 0",
            },
        ),
        "not_tested": Kind(
            "Why a correlation has no value, or its test can reject nothing", {"note": "as in the tables"}
        ),
        **MORE,
        "not_adjusted": Kind(
            "The p-values are not adjusted for their number",
            {
                "tests": "number of p-values",
                "confidence": "confidence of the intervals",
                "expected": "how many would be below 1 - confidence by chance",
            },
        ),
        "not_held": Kind("Users or topics are not held constant", {"factors": "which: user, topic, or both"}),
        "caution": Kind("What correlations do not show"),
    }

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
        `sessionkit.statistics.distributions`; ``linear``, of Kendall's coefficient where pairs of sessions are too many, see
        `sessionkit.statistics.correlation_matrices`. None: percentile for users; for independent sessions the test that gives scipy's
        p-value is inverted, see `sessionkit.statistics.correlations` for the formulas and how often they cover.
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
    context = CorrelationContext(frame, of, rows.analytic, resampling, tuple(against), names[2])
    statements = statements_of(table, differences, context)
    return Correlations(
        table,
        differences,
        stated(statements, study.restriction),
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


IDS = ("session_id", "user_id", "system_id", "topic_id", "judgment_key")
SHOWN = 20


@dataclass(frozen=True)
class Variable:
    """Something that has a number for each session.

    Parameters
    ----------
    name
        Its name in results: the text of a measure, or of what measures are correlated with the name of a column.
    measure
        The measure; of a column the one whose values are the column's.
    of_users
        Whether it is a column of the users, the same in all sessions of a user.
    """

    name: str
    measure: Measure
    of_users: bool = False


def variables(study: Study, asked: str | Measure | Sequence[str | Measure], option: str) -> list[Variable]:
    """Find what names stand for: columns of sessions or users first, then measures.

    A column has one name, whether it is asked for as ``satisfaction`` or as ``column(satisfaction)``: among measures the
    latter, as everywhere, and else its own.

    Parameters
    ----------
    study
        The study.
    asked
        Names of columns, measures, or texts of measures.
    option
        What the caller calls them, for the message.

    Raises
    ------
    UsageError
        If a name is neither, nothing is asked for, or the same twice.
    """
    found = [_variable(study, one, option) for one in list_measures(asked)]
    if not found:
        msg = f"{option} is empty; give a column of sessions or users, such as performance, or a measure"
        raise UsageError(msg)
    return list(dict.fromkeys(found))


def columns(
    study: Study,
    asked: Sequence[Variable],
    *,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """The numbers of every session.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``user_id``, ``topic_id`` and a column of numbers for each variable by its name, null where unknown or
        undefined; sorted by session_id.

    Raises
    ------
    DataError
        If a column does not hold numbers.
    """
    keys = study.sessions.select("session_id", "user_id", "topic_id").collect().sort("session_id")
    scores = score(study, [each.measure for each in asked], memory=memory, cache=cache, per="session")
    for each in asked:
        own = scores.filter(pl.col("measure") == str(each.measure)).select(
            "session_id", pl.col("value").alias(each.name)
        )
        if not own.get_column(each.name).count() and each.measure.of_sessions:
            raise DataError(f"{each.name} is empty in every session: there is nothing to correlate with")
        keys = keys.join(own, on="session_id", how="left", maintain_order="left")
    return keys


def _variable(study: Study, name: str | Measure, option: str) -> Variable:
    """Find what one name stands for."""
    if not isinstance(name, str):
        return _of_measure(study, measure_of(study, name), option)
    known = [each for each in session_columns(study) if each not in IDS]
    if name in known and not is_ambiguous(study, name):
        return _of_measure(study, column(name), option)
    if name in IDS:
        raise UsageError(f"{option}={name}: its values are names, not numbers; {_instead(name, option)}")
    try:
        measure = measure_of(study, name)
    except MeasureError as error:
        if "(" in name or "@" in name or name in known:
            raise
        have = f"columns: {', '.join(known[:SHOWN])}" if known else "they have no columns but the ids"
        near = untold(name, known)
        msg = f"{option}={name}: no such column in sessions or users, and no such measure; {have}{near}"
        raise UsageError(msg) from error
    return _of_measure(study, measure, option)


def _instead(name: str, option: str) -> str:
    """What can be done with a column of names."""
    if option == "control":
        return (
            f"where=\"{name} = '...'\" correlates within one of them, and compare by the other column, of numbers with cut=2, adjusts "
            "for users and topics where the study's design allows it"
        )
    if name == "session_id":
        return "give a column of numbers, or a measure"
    return (
        f"score by={name} shows the mean of each, and compare by={name} tests them where the study's design allows it"
    )


def _of_measure(study: Study, measure: Measure, option: str) -> Variable:
    """A measure's values, which sessions must have."""
    taken = of_session(measure)
    of = next((name for name in taken.of_sessions if taken == column(name)), None)
    if of is None:
        return Variable(str(taken), taken)
    of_users = of in study.columns("users") and of not in study.columns("sessions")
    is_own_name = option != "measures" and not is_ambiguous(study, of)
    return Variable(of if is_own_name else str(taken), taken, of_users)


SYMBOLS = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}


@dataclass(frozen=True)
class CorrelationContext:
    """What the reading speaks of.

    Parameters
    ----------
    frame
        The numbers of every session.
    units
        The units, and why.
    analytic
        Whether intervals and tests are by formula.
    resampling
        How units were drawn.
    covariates
        What measures were correlated with.
    held
        What was held constant.
    """

    frame: pl.DataFrame
    units: Units
    analytic: bool
    resampling: Resampling
    covariates: tuple[Variable, ...]
    held: tuple[str, ...]


def statements_of(table: pl.DataFrame, differences: pl.DataFrame, context: CorrelationContext) -> list[Statement]:
    """Put the tables of `sessionkit.correlate` into words.

    Parameters
    ----------
    table, differences
        As `sessionkit.statistics.correlate.Correlations` has them.
    context
        What was correlated, and how.
    """
    first = table.filter(pl.col("value").is_not_null()).get_column("coefficient")[0]
    statements = [_claim(context), _method(table, context)]
    if len(differences) and context.units.name == "users" and "pearson" in differences.get_column("coefficient"):
        statements.append(Statement("same_draws", SAME_DRAWS))
    for covariate in context.covariates:
        of_covariate, between = (
            frame.filter(covariate=covariate.name, coefficient=first) for frame in (table, differences)
        )
        statements += _of_covariate(of_covariate, between, context)
    statements += _not_tested(table)
    tests = table.get_column("p").count() + differences.get_column("p").count()
    if tests > 1:
        alpha = context.resampling.alpha
        text = (
            f"The {tests} p-values and their intervals are not adjusted for their number: if nothing were related, about "
            f"{tests * alpha:.2g} of the p-values would still be below {alpha:.2g}."
        )
        values = {"tests": tests, "confidence": context.resampling.confidence, "expected": tests * alpha}
        statements.append(Statement("not_adjusted", text, values))
    return [*statements, *_not_held(context), Statement("caution", NO_CAUSE)]


SAME_DRAWS = "Differences between measures are tested with the same draws: Williams' t and Steiger's z need independent sessions."
NO_CAUSE = "A correlation does not show what causes what. The topics are fixed, so the claim does not generalize to other topics."


def _claim(context: CorrelationContext) -> Statement:
    """Who was observed, and what the claim is about."""
    users, units = context.frame.get_column("user_id").drop_nulls().n_unique(), context.units
    of = f" of {counted(users, 'user')}" if users else ""
    text = f"{counted(len(context.frame), 'session')}{of}. {_sentence(units.reason)}: the claim is about {units.name} like these."
    values: dict[str, Value] = {
        "sessions": len(context.frame),
        "users": users,
        "population": units.name,
        "reason": units.why,
    }
    return Statement("claim", text, values)


def _not_held(context: CorrelationContext) -> list[Statement]:
    """That users and topics are not held constant, where there are several."""
    factors = [name for name in ("user", "topic") if context.frame.get_column(f"{name}_id").drop_nulls().n_unique() > 1]
    if not factors:
        return []
    text = (
        f"The correlations are over all sessions together and not adjusted for {' or '.join(factors)}: differences between "
        f"{' and between '.join(f'{name}s' for name in factors)} are part of them."
    )
    return [Statement("not_held", text, {"factors": factors})]


def _method(table: pl.DataFrame, context: CorrelationContext) -> Statement:
    """How intervals were made, and what was dropped."""
    resampling, units, analytic = context.resampling, context.units.name, context.analytic
    fewest = table.filter(pl.col("value").is_not_null()).get_column("units").min()
    has_kendall = "kendall" in table.get_column("coefficient")
    values: dict[str, Value] = {
        "confidence": resampling.confidence,
        "analytic": analytic,
        "resampled": ["kendall"] if analytic and has_kendall and context.held else [],
        "interval": None if analytic else str(resampling),
        "units": None if analytic else units,
        "draws": None if analytic else resampling.draws,
        "seed": None if analytic else resampling.seed,
        "few": fewest if not analytic and isinstance(fewest, int) and fewest < FEW else None,
        "dropped": int(table.select(pl.col("dropped").max()).item()),
        "sessions": len(context.frame),
        "linear": f"{resampling}{LINEAR}" in table.get_column("interval"),
        "control": [*context.held],
        "of_users": [each.name for each in context.covariates if each.of_users] if units == "users" else [],
    }
    return Statement("method", _method_text(values, context), values)


def _method_text(values: Mapping[str, Any], context: CorrelationContext) -> str:
    """Say how intervals were made, and what was dropped."""
    confidence = level_text(context.resampling.alpha)
    if values["analytic"]:
        text = f"Intervals ({confidence}) and p-values come from the same tests, which assume independent sessions."
        if values["resampled"]:
            text += " Partial Kendall correlations have no formula: their intervals and p-values are resampled."
    else:
        inside = "all their sessions" if values["units"] == "users" else "all their queries"
        text = (
            f"Intervals ({confidence}) and p come from {values['draws']:,} draws of {values['units']} with {inside} "
            f"({values['interval']}, seed {values['seed']}). Where no draw has the opposite sign, p is an upper bound. "
            "The tables also give p as if all sessions were independent."
        )
    if values["few"] is not None:
        text += f" With only {values['few']} {values['units']} they are rough."
    if values["dropped"]:
        text += (
            f" Sessions that lack one of the numbers are left out pair by pair: up to {values['dropped']:,} of "
            f"{values['sessions']:,}."
        )
    if values["linear"]:
        text += " Kendall's draws are a linear approximation, because there are too many pairs of sessions."
    if values["control"]:
        text += f" Held constant: {', '.join(values['control'])}."
    if values["of_users"]:
        text += f" {', '.join(values['of_users'])} is one number per user, the same in all their sessions."
    return text


def _of_covariate(table: pl.DataFrame, differences: pl.DataFrame, context: CorrelationContext) -> list[Statement]:
    """What goes with one covariate by one coefficient, and which measures differ in it."""
    tested = table.drop_nulls(["value", "low"]).sort(pl.col("value").abs(), descending=True, maintain_order=True)
    if tested.is_empty():
        return []
    alpha = context.resampling.alpha
    values: dict[str, Value] = {name: tested.item(0, name) for name in ("covariate", "coefficient")}
    values["control"] = [*context.held]
    shown, open_ = (tested.filter(is_in) for is_in in (pl.col("p") <= alpha, pl.col("p") > alpha))
    return [
        *([_shown(shown, values)] if len(shown) else []),
        *([_not_shown(open_, len(tested), values)] if len(open_) else []),
        *_differing(differences, values, alpha),
    ]


def _shown(shown: pl.DataFrame, values: Mapping[str, Any]) -> Statement:
    """The correlations with a covariate that are shown, the largest first."""
    rows = shown.head(LISTED).select(CORRELATION).to_dicts()
    more = f"; and {len(shown) - LISTED} more" if len(shown) > LISTED else ""
    control = f", {', '.join(values['control'])} held constant" if values["control"] else ""
    symbol = SYMBOLS[values["coefficient"]]
    text = f"Correlated with {values['covariate']}{control} ({symbol}): {'; '.join(map(_one, rows))}{more}."
    return Statement("correlation", text, {**values, "correlations": rows, "count": len(shown)})


def _not_shown(rows: pl.DataFrame, count: int, values: Mapping[str, Any]) -> Statement:
    """That correlations of some of the measures are not shown."""
    what = rows.item(0, "measure") if len(rows) == 1 else f"{len(rows)} of {count} measures"
    reach = _farthest(rows)
    text = f"No correlation with {values['covariate']} is shown or ruled out for {what}; the intervals reach correlations of {reach:.2f}."
    measures = rows.get_column("measure").to_list()
    return Statement("not_shown", text, {**values, "measures": measures, "count": count, "reach": reach})


def _farthest(rows: pl.DataFrame) -> float:
    """The end of an interval that is farthest from 0."""
    return float(rows.select(pl.max_horizontal(pl.col("low").abs(), pl.col("high").abs()).max()).item())


def _differing(differences: pl.DataFrame, values: Mapping[str, Any], alpha: float) -> list[Statement]:
    """Which measures differ in their correlation with a covariate."""
    tested = differences.drop_nulls("low").unique(["first", "second"], keep="first", maintain_order=True)
    if tested.is_empty():
        return []
    shown = tested.filter(pl.col("p") <= alpha).sort("p", maintain_order=True)
    read_out = tested if len(tested) == 1 else shown.head(LISTED)
    every: dict[str, Any] = {
        **values,
        "test": tested.item(0, "test"),
        "pairs": len(tested),
        "count": len(shown),
        "differences": read_out.select(DIFFERENCE).to_dicts(),
        "reach": _farthest(tested),
    }
    return [Statement("difference", _differing_text(every), every)]


def _differing_text(values: Mapping[str, Any]) -> str:
    """Say which measures differ in their correlation with a covariate."""
    pairs, count, differences = values["pairs"], values["count"], values["differences"]
    correlation = f"in their correlation with {values['covariate']} ({values['test']})"
    if not count and pairs == 1:
        return f"The two measures are not shown to differ {correlation}: {_difference(differences[0])}."
    if not count:
        return (
            f"No two of the measures ({pairs} pairs) are shown to differ {correlation}; the intervals reach differences of "
            f"{values['reach']:.2f}."
        )
    each = "; ".join(f"{row['first']} and {row['second']} ({_difference(row)})" for row in differences)
    if pairs == 1:
        return f"The two measures differ {correlation}: {each}."
    more = f"; and {count - LISTED} more" if count > LISTED else ""
    return f"{count} of {pairs} pairs of measures differ {correlation}: {each}{more}."


def _difference(row: Mapping[str, Any]) -> str:
    """Two correlations and their difference with its interval."""
    return (
        f"{row['value_first']:.2f} and {row['value_second']:.2f}, difference {row['estimate']:.2f}, "
        f"{_ends(row)}, {_p(row)}"
    )


def _not_tested(table: pl.DataFrame) -> list[Statement]:
    """Why some have no value."""
    notes = table.get_column("note").drop_nulls().unique(maintain_order=True)
    statements = [Statement("not_tested", f"{_sentence(note)}.", {"note": note}) for note in notes.head(LISTED)]
    values: dict[str, Value] = {"count": len(notes) - LISTED, "what": "note", "verb": "correlate"}
    return [
        *statements,
        *(Statement("more", text, values) for text in more_in_table(len(notes) - LISTED, "note", "correlate")),
    ]


def _one(row: Mapping[str, Any]) -> str:
    """One correlation with its interval."""
    return f"{row['measure']} {row['value']:.2f} ({_ends(row)}), {_p(row)}, n = {row['n']}"


def _ends(row: Mapping[str, Any]) -> str:
    """An interval of correlations."""
    return ends_text(row["low"], row["high"], digits=visible_decimals([row["low"], row["high"]]))


def _p(row: Mapping[str, Any]) -> str:
    return p_text(row["p"], is_bound=bool(row["p_is_bound"]))


def _sentence(text: str) -> str:
    """Begin with a capital, unless what it begins with is a name."""
    head = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if head.isalpha() and head.islower() else text
