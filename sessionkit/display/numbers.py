"""Numbers, p-values and counts as sentences and tables print them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

DECIMALS = 4
"""Of numbers in tables, but for the columns that follow and for whole numbers."""
SHARES = (
    "share", "judged", "connected_share", "knee_judged", "winner", "winner_changes", "verdict_changes", "significant", "same_sign",
    "at_zero", "at_one",
)  # fmt: skip
"""Columns of percentages, with one decimal."""
DEGREES = ("df", "df_error")
"""Columns of degrees of freedom, with four digits."""
CHANCES = ("p", "p_adjusted", "p_independent", "median_p")
"""Columns of p-values, see `readable_p`."""
COUNTS = (
    "n", "n_a", "n_b", "count", "sessions", "users", "topics", "queries", "documents", "results", "lists", "units", "levels", "pairs",
    "tested", "draws", "settings", "known", "n_queries", "n_sessions", "single_query_sessions", "left_out_single_query",
    "left_out_undefined", "undefined", "dropped", "open", "moving", "pooled", "wins", "ties", "losses", "needed", "open_documents",
    "overturned_by", "searching", "searching_a", "searching_b", "judged", "shown", "short", "empty", "partly_observed", "not_logged",
    "repeats", "rows", "records", "rejected", "values", "many", "more_users", "more_topics",
    "retrieved", "relevant", "relevant_retrieved", "relevant_documents",
)  # fmt: skip
"""Columns whose whole numbers are counts, with a comma between thousands as in sentences."""


def readable(value: float) -> str:
    """A number at a readable precision.

    >>> readable(0.12345), readable(0.00012345)
    ('0.1235', '1.23e-04')
    """
    return f"{value:.4f}" if abs(value) >= 0.001 or value == 0 else f"{value:.2e}"


MINUS, ENDLESS = "\u2212", "\u221e"


def compact(value: float) -> str:
    """A number with three significant digits and a minus sign, as figures and tiles have it.

    >>> compact(-0.01970).replace(MINUS, "-"), compact(2.00884), compact(0.0), compact(12345.6), compact(-0.0001)[1:]
    ('-0.0197', '2.01', '0', '12,346', '0.0001')
    """
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.0001:
        text = f"{value:.2e}"
    elif size >= 1000:
        text = f"{value:,.0f}"
    else:
        digits = max(0, 2 - math.floor(math.log10(size)))
        text = f"{value:.{min(digits, 4)}f}"
    return text.replace("-", MINUS)


def statistic(value: float, *, is_share: bool = False) -> str:
    """A mean, a difference or an end of an interval, as a sentence of statistics has it.

    Numbers of a measure that lies between 0 and 1 have three decimals and no zero before them; a number that would read 0 has more.

    >>> statistic(-0.0197, is_share=True)[1:], statistic(0.399, is_share=True), statistic(1.0, is_share=True)
    ('.020', '.399', '1.000')
    >>> statistic(0.0002, is_share=True), statistic(2.009), statistic(0.0, is_share=True)
    ('.0002', '2.01', '0')
    """
    if not is_share or value == 0:
        return compact(value)
    text = f"{abs(value):.{visible_decimals([value], 3)}f}"
    return f"{MINUS if value < 0 else ''}{text.removeprefix('0')}"


def statistics(
    estimate: float, low: float | None, high: float | None, *, is_share: bool = False
) -> tuple[str, str, str]:
    """An estimate and the ends of its interval, all with the same decimals, as `statistic` has the largest; no text of no end.

    There are as many more decimals as keep an end that is not 0 from reading 0.

    >>> statistics(0.0502, 0.00003, 0.1, is_share=True), statistics(2.0, 0.5, None)
    (('.05020', '.00003', '.10000'), ('2.00', '0.50', ''))
    >>> statistics(12345.6, 3.2, 20000), statistics(0.0, 0.0, 0.0)
    (('12,346', '3', '20,000'), ('0', '0', '0'))
    """
    ends = [end for end in (low, high) if end is not None]
    largest = max(map(abs, (estimate, *ends)))
    least = 3 if is_share else 0 if largest == 0 else min(max(0, 2 - math.floor(math.log10(largest))), 4)
    digits = visible_decimals(ends or [estimate], least)

    def text(number: float | None) -> str:
        if not number:
            return "" if number is None else "0"
        text = f"{number:,.{digits}f}".replace("-", MINUS)
        return re.sub(r"^(\D?)0\.", r"\1.", text) if is_share else text

    return text(estimate), text(low), text(high)


def two_digits(value: float) -> str:
    """A number with two decimals and a minus sign, such as a correlation; one that would read 0 has more.

    >>> two_digits(0.318), two_digits(-0.27)[1:], two_digits(0.002)
    ('0.32', '0.27', '0.002')
    """
    return f"{value:.{visible_decimals([value])}f}".replace("-", MINUS)


def defined_text(value: float | None, decimals: int) -> str:
    """A number with so many decimals; ``"undefined"`` where there is none.

    >>> defined_text(0.3184, 2), defined_text(None, 2)
    ('0.32', 'undefined')
    """
    return "undefined" if value is None else f"{value:.{decimals}f}"


def visible_decimals(values: Iterable[float], least: int = 2) -> int:
    """The fewest decimals, of at least so many, with which no number but 0 reads 0; so an interval that excludes 0 is seen to.

    >>> visible_decimals([0.0021, 0.93]), visible_decimals([0.0, 0.93])
    (3, 2)
    """
    numbers = [value for value in values if value]
    return next((digits for digits in range(least, 10) if all(round(value, digits) for value in numbers)), least)


LEVELS = (0.001, 0.01, 0.05, 0.1)
"""Levels of significance."""


ROUNDING = 1e-12
"""By how much a share that was added up may miss 0 or 1."""
P_IS_BOUND = "p_is_bound"
"""Column that says whether ``p`` is an upper bound: the smallest p that so many random draws can give."""


def readable_p(value: float, *, is_bound: bool = False) -> str:
    """A p-value as a cell has it: three decimals, and below .001 no more than that; an upper bound is rounded up.

    It is never rounded to a level of significance that it is above or below.

    >>> readable_p(0.0421), readable_p(0.00042), readable_p(0.0496), readable_p(0.05), readable_p(0.0064, is_bound=True)
    ('0.042', '<0.001', '0.0496', '0.050', '<0.007')
    """
    if value < LEVELS[0]:
        return f"<{LEVELS[0]:g}"
    if is_bound:
        return f"<{(math.floor(value * 1000) + 1) / 1000:.3f}"
    return _off_levels(value)


def bounded_cells(cells: Sequence[str], values: Iterable[float | None], is_bound: Iterable[bool | None]) -> list[str]:
    """The cells of a column of p-values, with ``<`` before those that are upper bounds.

    >>> bounded_cells(["0.006", "0.006"], [0.0064, 0.0064], [True, None])
    ['<0.007', '0.006']
    """
    return [
        readable_p(value, is_bound=True) if bound and value is not None else cell
        for cell, value, bound in zip(cells, values, is_bound, strict=False)
    ]


def p_text(value: float, *, is_bound: bool = False) -> str:
    """A p-value with its name, as a sentence has it; the one way to set it.

    >>> p_text(0.0421), p_text(1e-9), p_text(0.0064, is_bound=True)
    ('p = 0.042', 'p < 0.001', 'p < 0.007')
    """
    text = readable_p(value, is_bound=is_bound)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def p_statistic(value: float) -> str:
    """A p-value with its name, as a sentence of statistics has it: without a zero, with two decimals from .1 on.

    >>> p_statistic(0.12008), p_statistic(0.0421), p_statistic(0.0496), p_statistic(1e-9), p_statistic(1.0)
    ('p = .12', 'p = .042', 'p = .0496', 'p < .001', 'p > .99')
    """
    if value > LEVELS[-1] and round(value, 2) > LEVELS[-1]:
        return "p > .99" if round(value, 2) == 1 else f"p = {value:.2f}".replace("0.", ".")
    return p_text(value).replace(" 0.", " .")


def p_limit_text(alpha: float) -> str:
    r"""The p-values that are significant, as a caption has them.

    >>> p_limit_text(0.05) == "p \u2264 0.05"
    True
    """
    return f"p \N{LESS-THAN OR EQUAL TO} {alpha:.3g}"


def _off_levels(value: float) -> str:
    """A number with three decimals, or as many more as keep it from a level that it is not."""
    texts = [f"{value:.{digits}f}" for digits in range(3, 10)]
    return next((text for text in texts if float(text) == value or float(text) not in LEVELS), texts[0])


def whole_text(column: str, value: int) -> str:
    """A whole number of a table: of a count with commas, else as it is, such as a year or the number of a group.

    >>> whole_text("results", 27966), whole_text("year", 2011)
    ('27,966', '2011')
    """
    return f"{value:,}" if column in COUNTS else str(value)


def share_text(share: float, decimals: int = 1, sign: str = "-") -> str:
    """A share, or a difference in percent of something: the one way to set a percentage.

    Only all reads 100% and only nothing 0%: others have as many more decimals as keep them from it. A sum of doubles that misses 0 or
    1 by its last digits is 0 or 1. With ``sign="+"`` numbers above 0 have a sign.

    >>> share_text(0.963), share_text(0.963, 0), share_text(1.0), share_text(0.0, 0), share_text(0.1234, sign="+")
    ('96.3%', '96%', '100.0%', '0%', '+12.3%')
    >>> share_text(299 / 300, 0), share_text(3999 / 4000), share_text(-0.00004), share_text(1 - 2**-53, 0)
    ('99.7%', '99.98%', '-0.004%', '100%')
    """
    texts = [f"{share:{sign}.{digits}%}" for digits in range(decimals, 11)]
    if min(abs(share), abs(abs(share) - 1)) <= ROUNDING:
        return texts[0]
    return next((text for text in texts if abs(float(text[:-1])) not in (0, 100)), texts[0])


def points_text(share: float) -> str:
    r"""A difference of shares in percentage points, as `share_text` has percent.

    >>> points_text(-0.0213) == "\u22122.1", points_text(-0.0002) == "\u22120.02", points_text(0.0784)
    (True, True, '7.8')
    """
    return set_minus(share_text(share).removesuffix("%"))


def short_share_text(share: float) -> str:
    """A share as `share_text` has it, without a decimal that is 0, for the label of a mark.

    >>> short_share_text(0.25), short_share_text(0.125), short_share_text(0.0004)
    ('25%', '12.5%', '0.04%')
    """
    return share_text(share).replace(".0%", "%")


def number_texts(column: str, values: Sequence[float | None], decimals: int | None = None) -> list[str | None]:
    """The numbers of a column of a table: `DECIMALS`, but for shares, degrees of freedom and p-values; whole ones have none.

    Parameters
    ----------
    column
        Its name, which tells what the numbers are.
    values
        The numbers; None stays None.
    decimals
        Decimals of numbers, whole or not, that are no shares, degrees of freedom or p-values.

    >>> number_texts("value", [0.25, 12.0, 0.00002, None]), number_texts("mean", [2.0, 3.0]), number_texts("judged", [0.334])
    (['0.2500', '12.0000', '2.0e-05', None], ['2', '3'], ['33.4%'])
    """
    known = [value for value in values if value is not None]
    whole = all(math.isfinite(value) and value == round(value) for value in known) and bool(known)
    given = decimals if decimals is not None else 0 if whole else DECIMALS
    return [None if value is None else _number(column, value, given) for value in values]


def decimals_of(values: Iterable[float | None]) -> int:
    """Decimals by which the largest of some numbers has four significant digits, at most four.

    >>> decimals_of([0.489, None]), decimals_of([3.17, -13.7]), decimals_of([521.35]), decimals_of([27966.0])
    (4, 2, 1, 0)
    """
    largest = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)
    return max(0, DECIMALS - (math.floor(math.log10(largest)) + 1 if largest > 1 else 0))


def interval_cell(low: str | None, high: str | None) -> str | None:
    """An interval as a cell has it, of the texts of its ends; one without an end goes on for ever, one without both is none.

    >>> interval_cell("-0.0335", "0.1816"), interval_cell("0.0156", None), interval_cell(None, None)
    ('[-0.0335, 0.1816]', '[0.0156, \u221e)', None)
    """
    if low is None and high is None:
        return None
    start = f"({MINUS}{ENDLESS}" if low is None else f"[{low}"
    end = f"{ENDLESS})" if high is None else f"{high}]"
    return f"{start}, {end}"


def interval_text(low: float | None, high: float | None, alpha: float, digits: int | None = None) -> str:
    """An interval with its confidence; None is an end that there is not, `digits` stand behind the point if given.

    >>> interval_text(0.1, 0.25, 0.05), interval_text(0.0, None, 0.01, digits=2)
    ('95% interval 0.1000 to 0.2500', '99% interval from 0.00 up')
    """
    return f"{level_text(alpha)} interval {ends_text(low, high, digits)}"


def level_text(alpha: float) -> str:
    """The confidence of an interval.

    >>> level_text(0.05), level_text(1e-9)
    ('95%', '99.9999999%')
    """
    return f"{100 * (1 - alpha):.12g}%"


def ends_text(low: float | None, high: float | None, digits: int | None = None) -> str:
    """From where to where an interval goes; None is without end, `digits` stand behind the point if given.

    >>> ends_text(0.1, 0.25, digits=2), ends_text(0.0, None), ends_text(None, None)
    ('0.10 to 0.25', 'from 0.0000 up', 'unbounded')
    """
    first, last = (
        None if end is None else readable(end) if digits is None else f"{end:.{digits}f}" for end in (low, high)
    )
    if first is not None and last is not None:
        return f"{first} to {last}"
    if first is not None:
        return f"from {first} up"
    return "unbounded" if last is None else f"up to {last}"


def _number(column: str, value: float, decimals: int) -> str:
    """One number; one that would vanish stands with its exponent."""
    if column in SHARES:
        return share_text(value)
    if column in CHANCES:
        return readable_p(value)
    if column in DEGREES:
        return f"{value:.4g}"
    vanishes = value != 0 and abs(value) < 0.5 * 10**-decimals
    return f"{value:.1e}" if vanishes or not math.isfinite(value) else f"{value:,.{decimals}f}"


NUMBER = r"[+\u2212-]?\.?[0-9][0-9.,]*"
PAIRS = re.compile(
    rf"(?<![\w.])(?:[npt]|df|SD) [=<>\u2264\u2265] (?={NUMBER})|{NUMBER}%? (?=(?:CI|interval|s|ms|min|h|days?|KiB|MiB|GiB|"
    r"users?|topics?|sessions?|quer(?:y|ies)|results?|documents?|judgments?|lists?|groups?|pairs?|draws?|ranks?)\b)"
)
"""A name and its number, a number and its unit: what no line end parts, but for the number."""
NEGATIVE = re.compile(r"(?<![^\s(\[=])-(?=\.?[0-9])")
"""The hyphen before a number that is below 0."""


def set_numbers(text: str) -> str:
    r"""Return prose in which no line ends within ``p = 0.12``, ``95% interval`` or ``40 users``, and negative numbers have a minus sign.

    >>> set_numbers("-0.5 (95% interval; p = 0.120; 40 users) by S-1") == (
    ...     "\u22120.5 (95%\xa0interval; p\xa0=\xa00.120; 40\xa0users) by S-1"
    ... )
    True
    """
    return PAIRS.sub(lambda found: found[0].replace(" ", "\xa0"), NEGATIVE.sub(MINUS, text))


def set_minus(text: str) -> str:
    r"""Return the number of a cell with a minus sign, in its exponent too.

    >>> set_minus("-1.0e-05") == "\u22121.0e\u221205"
    True
    """
    return re.sub("-(?=[0-9])", MINUS, text)


def counted(number: int, one: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "session"), counted(2000, "query"), counted(2, "key")
    ('1 session', '2,000 queries', '2 keys')
    """
    several = f"{one[:-1]}ies" if one[-1:] == "y" and one[-2:-1] not in "aeiou" else f"{one}s"
    return f"{number:,} {one if number == 1 else several}"


def capital(text: str) -> str:
    """Return text as a sentence begins.

    >>> capital("paired t")
    'Paired t'
    """
    return text[:1].upper() + text[1:]


def listed(items: Sequence[str]) -> str:
    """Return some items as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def first_names(names: Sequence[str], most: int = 3) -> str:
    """Return the first of some names, and how many there are beyond.

    >>> first_names(["a", "b"]), first_names(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
