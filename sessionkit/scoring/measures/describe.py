"""What is known of one measure: its facts and parameters, what it means in words, and its values and intervals as text."""

from __future__ import annotations

import inspect
import math

import polars as pl

from sessionkit.display.numbers import MINUS, statistic
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import Measure, Wrapper
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.measures.parameters import PRESETS


def about(measure: Measure) -> str:
    """Return what a measure is, from the documentation of its kind."""
    return inspect.getdoc(type(measure)) or measure.formula


def facts_of(measure: Measure) -> dict[str, str]:
    """Return what is said of a measure, by what it is called; facts that it has not are left out.

    >>> from sessionkit import nDCG
    >>> facts_of(nDCG)["range"]
    '0 to 1'
    """
    from sessionkit.scoring.measures.grammar import example_of  # it parses texts with the registry of measures

    asked = example_of(measure) if str(measure) == measure.name else measure
    whole = asked if isinstance(measure, Wrapper) or measure.required else measure
    lowest = "no bound" if measure.lowest is None else f"{measure.lowest:g}"
    highest = "no bound" if whole.highest is None else f"{whole.highest:g}"
    columns = {} if measure.wraps else measure.needs()
    needs = [*measure.required, *(f"{table}.{name}" for table, names in columns.items() for name in names)]
    facts = {
        "meaning": measure.meaning,
        "formula": measure.formula,
        "level": measure.level,
        "range": f"{lowest} to {highest}{f', as {whole}' if whole != measure else ''}",
        "better": measure.direction,
        "source": measure.source,
        "like=": ", ".join(PRESETS) if "discount" in measure.parameters() else "",
        "needs": ", ".join(needs),
        "example": f"sessionkit score STUDY '{asked}'{' --per query' if measure.level == 'query' else ''}",
    }
    return {name: value for name, value in facts.items() if value}


def parameters_of(measure: Measure, value: str = "default") -> pl.DataFrame:
    """Return the parameters of a measure: their values in a column of that name, what is allowed, meaning."""
    rows = [
        (name, "" if given is None else str(given), measure.parameter(name).allowed, measure.parameter(name).meaning)
        for name, given in measure.parameters().items()
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(("parameter", value, "allowed", "meaning"), pl.String), orient="row")


def words_and_tables(measure: Measure) -> tuple[list[str], dict[str, pl.DataFrame]]:
    """Return what a notebook shows of a measure."""
    facts = pl.DataFrame(list(facts_of(measure).items()), schema=["fact", "value"], orient="row")
    parameters = parameters_of(measure, "value")
    said = [paragraph.replace("\n", " ") for paragraph in about(measure).split("\n\n")[:1]]
    return [str(measure), *said], {"Facts": facts, **({"Parameters": parameters} if len(parameters) else {})}


ROUNDING_ERROR = 1e-9
"""How far beyond the limits of its measure an end of an interval can come to lie by rounding."""


def limits_of(measure: str, *, of_difference: bool = False) -> tuple[float, float]:
    """Return the lowest and the highest value that a measure, given by its text, can have; infinite where there is no limit.

    Parameters
    ----------
    measure
        Text of the measure; a text that is no measure has no limits.
    of_difference
        Whether to return the limits of the difference of two values or means.

    >>> limits_of("nsDCG@10"), limits_of("sDCG@10"), limits_of("my score")
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    >>> limits_of("nsDCG@10", of_difference=True), limits_of("sDCG@10", of_difference=True)
    ((-1.0, 1.0), (-inf, inf))
    """
    try:
        parsed = parse_measure(measure)
    except MeasureError:
        return -math.inf, math.inf
    lowest = -math.inf if parsed.lowest is None else float(parsed.lowest)
    highest = math.inf if parsed.highest is None else float(parsed.highest)
    return (lowest - highest, highest - lowest) if of_difference else (lowest, highest)


def lies_between_0_and_1(measure: str) -> bool:
    """Whether all values of a measure, given by its text, lie between 0 and 1.

    >>> lies_between_0_and_1("nsDCG@10"), lies_between_0_and_1("sDCG@10"), lies_between_0_and_1("my score")
    (True, False, False)
    """
    return limits_of(measure) == (0, 1)


def value_text(measure: str, value: float | None) -> str:
    """Return a value of a measure, or a difference of two, as a sentence has it.

    >>> value_text("nsDCG@10", 0.399), value_text("Duration", 521.35), value_text("nsDCG@10", None)
    ('.399', '521', 'undefined')
    """
    return "undefined" if value is None else statistic(value, is_share=lies_between_0_and_1(measure))


def end_text(measure: str, end: float, *, of_difference: bool = False) -> str:
    """Return an end of an interval as a sentence has it, cut as by `cut_intervals`.

    >>> end_text("Abandoned", 1.097, of_difference=True), end_text("Abandoned", -0.02), end_text("Queries", -0.5)
    ('1.000', '0', '0')
    """
    lowest, highest = limits_of(measure, of_difference=of_difference)
    return value_text(measure, min(max(end, lowest), highest))


def measure_interval_text(measure: str, low: float, high: float, *, of_difference: bool = False) -> str:
    """Return both ends of an interval as a sentence has them, and whether they were cut, as by `cut_intervals`.

    An end that would read the same uncut, or that lies beyond its limit by a rounding error, is not called cut.

    >>> measure_interval_text("Abandoned", 0.014, 0.386), measure_interval_text("Abandoned", -0.05, 0.25)
    ('.014 to .386', '0 to .250, cut at 0')
    >>> measure_interval_text("Abandoned", 0.236, 1.097, of_difference=True)
    '.236 to 1.000, cut at 1'
    """
    lowest, highest = limits_of(measure, of_difference=of_difference)
    texts = [end_text(measure, end, of_difference=of_difference) for end in (low, high)]
    beyond = (lowest - low, high - highest)
    limits = [
        f"{limit:g}".replace("-", MINUS)
        for limit, excess, end, text in zip((lowest, highest), beyond, (low, high), texts, strict=True)
        if excess > ROUNDING_ERROR and value_text(measure, end) != text
    ]
    cut = f", cut at {' and '.join(limits)}" if limits else ""
    return f"{' to '.join(texts)}{cut}"


def cut_intervals(rows: pl.DataFrame, measure: str | None = None, *, of_difference: bool = False) -> pl.DataFrame:
    """Return rows with ``low`` and ``high`` moved to the nearest value that their measure can have, for display.

    An interval by t, and one of a resampled mean, can go beyond 0 or 1. Cut there, it holds the true mean or difference as often as
    before, includes 0 or not as before, and shows nothing that is impossible.

    Parameters
    ----------
    rows
        ``low``, ``high``, and ``measure`` with texts of measures unless one is given.
    measure
        Text of the measure of all rows.
    of_difference
        Whether the intervals are of differences of two means.

    Examples
    --------
    >>> rows = pl.DataFrame({"measure": ["Abandoned", "Queries"], "low": [-0.1, -0.1], "high": [1.2, None]})
    >>> cut_intervals(rows).rows()
    [('Abandoned', 0.0, 1.0), ('Queries', 0.0, None)]
    >>> cut_intervals(rows, of_difference=True).rows()
    [('Abandoned', -0.1, 1.0), ('Queries', -0.1, None)]
    """
    texts = [measure] * len(rows) if measure is not None else rows["measure"].to_list()
    limits = pl.DataFrame(
        [limits_of(text, of_difference=of_difference) for text in texts],
        schema={"lowest": pl.Float64, "highest": pl.Float64},
        orient="row",
    )
    low, high = (rows[end].cast(pl.Float64).clip(limits["lowest"], limits["highest"]) for end in ("low", "high"))
    return rows.with_columns(low, high)


def cut_note(rows: pl.DataFrame, measure: str | None = None, *, of_difference: bool = False) -> str:
    """Return words for a line below a title, that `cut_intervals` cuts some of these rows; nothing where it cuts none.

    >>> cut_note(pl.DataFrame({"low": [0.2], "high": [1.1]}), "Abandoned")
    'Intervals are cut at the values that are possible'
    """
    cut = cut_intervals(rows, measure, of_difference=of_difference)
    is_cut = any(((cut[end] - rows[end].cast(pl.Float64)).abs() > ROUNDING_ERROR).any() for end in ("low", "high"))
    return "Intervals are cut at the values that are possible" if is_cut else ""
