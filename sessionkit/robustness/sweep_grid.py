"""The grid of a sweep: the values of each parameter, every combination of them, and regions of neighboring settings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Real

import numpy as np

from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.parameters import Parameter

MOST = 20_000
"""Settings of one sweep."""


@dataclass(frozen=True)
class Setting:
    """One combination.

    Parameters
    ----------
    values
        A value for each axis.
    measure
        The measure with these values; None where they do not go together.
    refused
        Why they do not.
    """

    values: tuple[object, ...]
    measure: Measure | None
    refused: str = ""


@dataclass(frozen=True)
class Grid:
    """All settings, the last axis changing fastest.

    Parameters
    ----------
    measure
        The base setting.
    axes
        What is varied.
    settings
        One for each combination, in the order of `itertools.product`.
    """

    measure: Measure
    axes: tuple[Axis, ...]
    settings: tuple[Setting, ...]

    @classmethod
    def of(cls, measure: Measure, axes: tuple[Axis, ...]) -> Grid:
        """Make every setting.

        Raises
        ------
        UsageError
            There are too many.
        """
        many = math.prod(len(axis.values) for axis in axes)
        if many > MOST:
            each = " x ".join(f"{len(axis.values)} values of {axis.name}" for axis in axes)
            msg = f"{each} are {many:,} settings; at most {MOST:,} are swept at once; give fewer steps or fewer parameters"
            raise UsageError(msg)
        names = [axis.name for axis in axes]
        settings = (setting(measure, names, values) for values in product(*(axis.values for axis in axes)))
        return cls(measure, axes, tuple(settings))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def base(self) -> tuple[int, ...]:
        """Place of the base setting on each axis."""
        return tuple(axis.base for axis in self.axes)

    def number(self, place: Iterable[int]) -> int:
        """Number of the setting at a place."""
        found = 0
        for at, many in zip(place, self.shape, strict=True):
            found = found * many + at
        return found

    def place(self, number: int) -> tuple[int, ...]:
        """Place of a setting, by its number."""
        found = []
        for many in reversed(self.shape):
            number, at = divmod(number, many)
            found.append(at)
        return tuple(reversed(found))

    def distance(self, values: Iterable[object]) -> tuple[int, float]:
        """How far a setting is from the base: how many parameters differ, then the sum of their distances."""
        apart = [axis.distance(value, axis.values[axis.base]) for axis, value in zip(self.axes, values, strict=True)]
        return sum(far > 0 for far in apart), sum(apart)


def setting(measure: Measure, names: Iterable[str], values: Iterable[object]) -> Setting:
    """The setting of a measure with these values.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> setting(parse_measure("nsDCG@10"), ["b", "cutoff"], [3, 5]).measure
    nsDCG(b=3)@5
    >>> setting(parse_measure("nsDCG@10"), ["discount", "b"], ["rn2002", 4]).refused.partition(",")[0]
    'nsDCG: discount=rn2002 with b=4 boosts the ranks 2 to b-1'
    """
    given = tuple(values)
    try:
        return Setting(given, measure.vary(dict(zip(names, given, strict=True))))
    except MeasureError as error:
        return Setting(given, None, str(error))


DIGITS = 12
"""Significant digits of a value between two ends, so that its text is short."""
READABLE_DIGITS = 6
"""Significant digits of a value where people read it."""
LONG_NUMBER = re.compile(r"[0-9]+\.[0-9]{5,}(?:e[+-]?[0-9]+)?")
BETWEEN = 0.41421356
"""A share of the way between two values at which no whole number lies."""
WORD = 1.0
"""How far one word, or weight list, is from another."""
FORM = "NAME=low:high:steps, such as b=1.5:10:18, or a list, such as gain=linear,exp2"


@dataclass(frozen=True)
class Axis:
    """One parameter and the values that it takes.

    Parameters
    ----------
    name
        The parameter.
    values
        Its values in canonical form, the base value among them: numbers in rising order (None, where the base setting leaves
        the parameter open, as a cutoff can be, last), words in the order asked for.
    base
        Place of the base value.
    added
        Whether the base value was not asked for.
    parameter
        What the parameter means and may be.
    """

    name: str
    values: tuple[object, ...]
    base: int
    added: bool
    parameter: Parameter

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(value, Real) for value in self.values)

    @property
    def ordered(self) -> bool:
        """Whether the values have an order: numbers, and what is open."""
        return all(value is None or isinstance(value, Real) for value in self.values)

    @property
    def continuous(self) -> bool:
        """Whether there are values between the values."""
        if not self.numeric or len(self.values) < 2:
            return False
        low, high = (float(value) for value in (self.values[0], self.values[1]))  # type: ignore[arg-type]
        try:
            self.parameter.canonical(low + (high - low) * BETWEEN)
        except MeasureError:
            return False
        return True

    def coordinate(self, value: object) -> float:
        """The number whose differences say how far values are apart.

        Of the base b of a logarithm log2(ln b), so that 1 is a doubling of ln b, which is what discounts depend on; of
        a share p strictly between 0 and 1 -log2(1 - p), so that 1 is a doubling of the expected depth 1 / (1 - p); of another number
        above 0 log2; of any other number itself.
        """
        number = float(value)  # type: ignore[arg-type]
        if self.parameter.is_above_1:
            return math.log2(math.log(number))
        if self.parameter.is_open_share:
            return -math.log2(1 - number)
        return math.log2(number) if self.least > 0 else number

    def value(self, coordinate: float) -> float:
        """The value at a coordinate."""
        if self.parameter.is_above_1:
            return math.exp(2**coordinate)
        if self.parameter.is_open_share:
            return 1 - 2**-coordinate
        return 2**coordinate if self.least > 0 else coordinate

    @property
    def least(self) -> float:
        """The smallest of its numbers."""
        return min(float(value) for value in self.values if isinstance(value, Real))

    def distance(self, one: object, other: object) -> float:
        """How far two values are apart; 0 where they are the same, `WORD` where they are not both numbers."""
        if one == other:
            return 0.0
        if not (isinstance(one, Real) and isinstance(other, Real)):
            return WORD
        return abs(self.coordinate(one) - self.coordinate(other))


def axes_of(measure: Measure, vary: Mapping[str, object]) -> tuple[Axis, ...]:
    """Read what is to be varied.

    Parameters
    ----------
    measure
        The base setting.
    vary
        By parameter a sequence of values, or the text ``low:high:steps`` or a list joined by commas. Parameters of an
        aggregated measure are meant where the aggregator has none of that name.

    Raises
    ------
    UsageError
        Nothing is varied, or a text cannot be read.
    MeasureError
        The measure has no such parameter, or the parameter no such value in any setting.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> b, gain = axes_of(parse_measure("sDCG(b=3)@10"), {"b": "2:4:5", "gain": "linear,exp2"})
    >>> b.values, b.values[b.base], b.added, gain.values
    ((2, 2.5, 3, 3.5, 4), 3, False, ('linear', 'exp2'))
    """
    if not isinstance(vary, Mapping) or not vary:
        msg = 'vary is a dict of parameters and their values, such as {"b": "1.5:10:18", "gain": ["linear", "exp2"]}'
        raise UsageError(msg)
    return tuple(_axis(measure, str(name).strip(), given) for name, given in vary.items())


def owner(measure: Measure, name: str) -> Measure:
    """The measure that has a parameter: itself, or the one that it wraps.

    Raises
    ------
    MeasureError
        Neither has.
    """
    if name in measure.parameters():
        return measure
    inner = measure.inner
    if name in inner.parameters():
        return inner
    known = list(dict.fromkeys((*measure.parameters(), *inner.parameters())))
    msg = f"{measure} has no parameter {name!r} to vary; it has {', '.join(known) or 'none'}{suggestion(name, known)}"
    raise MeasureError(msg)


def _axis(measure: Measure, name: str, given: object) -> Axis:
    """The values of one parameter."""
    of = owner(measure, name)
    parameter, base = of.parameter(name), of.parameters()[name]
    values: list[object] = []
    for value in _listed(name, given):
        try:
            values.append(parameter.canonical(value))
        except MeasureError as error:
            msg = f"vary {name}: {error}"
            raise MeasureError(msg) from None
    values = list(dict.fromkeys(values))
    added = base not in values
    every = [base, *values] if added else values
    if all(value is None or isinstance(value, Real) for value in every):
        every.sort(key=lambda value: math.inf if value is None else float(value))  # type: ignore[arg-type]
    if len(every) < 2:
        msg = f"vary {name}: {shown(every[0])} is the base value, and no other value is given; {FORM}"
        raise UsageError(msg)
    return Axis(name, tuple(every), every.index(base), added, parameter)


def _listed(name: str, given: object) -> list[object]:
    """The values as they were given: a sequence, or a text."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, str):
        if isinstance(given, Sequence) and given:
            return list(given)
        msg = f"vary {name}: give a list of values, or a text such as '1.5:10:18' or 'linear,exp2', not {given!r}"
        raise UsageError(msg)
    if ":" in given:
        return _steps(name, given)
    listed = [_number(part.strip()) for part in given.split(",")]
    if "" in listed:
        msg = f"vary {name}: {given!r} has an empty value; {FORM}"
        raise UsageError(msg)
    return listed


def _steps(name: str, text: str) -> list[object]:
    """Evenly spaced values from low to high."""
    parts = [_number(part.strip()) for part in text.split(":")]
    if len(parts) != 3 or not all(isinstance(part, float) and math.isfinite(part) for part in parts):
        msg = f"vary {name}: cannot read {text!r}; it is low:high:steps, three numbers, such as 1.5:10:18"
        raise UsageError(msg)
    low, high, steps = (float(part) for part in parts)  # type: ignore[arg-type]
    if not steps.is_integer() or steps < 2 or not low < high:
        msg = f"vary {name}: {text!r} needs a low end below its high end and at least 2 steps, such as 1.5:10:18"
        raise UsageError(msg)
    last = int(steps) - 1
    return [float(f"{low + (high - low) * step / last:.{DIGITS}g}") for step in range(last + 1)]


def _number(text: str) -> object:
    """A number where the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def shown(value: object) -> str:
    """A value as people write it.

    >>> shown(2.5), shown("exp2"), shown(None)
    ('2.5', 'exp2', 'open')
    """
    return "open" if value is None else str(value)


def rounded(text: str) -> str:
    """Return settings as people read them: numbers with at most six significant digits; others are as they were.

    >>> rounded("b=4.33333333333, bq=2.5"), rounded("gain=0-1-10-100")
    ('b=4.33333, bq=2.5', 'gain=0-1-10-100')
    """
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.{READABLE_DIGITS}g}", text)


Holds = Sequence[bool | None]
"""Of every setting whether the conclusion holds there; None where nothing can be said."""


@dataclass(frozen=True)
class Region:
    """Where one conclusion holds.

    Parameters
    ----------
    conclusion
        Which.
    settings, known
        All settings, and those where something can be said.
    holds
        Those where it holds.
    connected
        Numbers of those that steps from value to neighboring value of one parameter reach from the base setting without
        leaving the region.
    """

    conclusion: str
    settings: int
    known: int
    holds: int
    connected: frozenset[int]

    @classmethod
    def of(cls, conclusion: str, grid: Grid, holds: Holds) -> Region:
        """Count, and walk from the base setting."""
        known = sum(held is not None for held in holds)
        return cls(conclusion, len(holds), known, sum(held is True for held in holds), _connected(grid, holds))


@dataclass(frozen=True)
class Range:
    """One parameter, all others at the base setting.

    Parameters
    ----------
    conclusion, axis
        Of what, and of which parameter.
    holds, fails
        Places of values where the conclusion holds, and where it does not.
    low, high
        Places of the first and the last value of the unbroken run around the base value; None of words.
    below, above
        Places of the values just beyond that run, where the conclusion does not hold (or nothing can be said); None where the
        grid ends.
    """

    conclusion: str
    axis: int
    holds: tuple[int, ...]
    fails: tuple[int, ...]
    low: int | None = None
    high: int | None = None
    below: int | None = None
    above: int | None = None


def ranges(conclusion: str, grid: Grid, holds: Holds) -> list[Range]:
    """The range of every parameter."""
    return [_range(conclusion, number, axis, _line(grid, holds, number)) for number, axis in enumerate(grid.axes)]


def on_line(grid: Grid, axis: int, place: int) -> int:
    """Number of the setting with this value of one parameter and the base values of all others."""
    return grid.number([place if number == axis else at for number, at in enumerate(grid.base)])


def _line(grid: Grid, holds: Holds, axis: int) -> list[bool | None]:
    """Whether a conclusion holds at each value of one parameter."""
    return [holds[on_line(grid, axis, place)] for place in range(grid.shape[axis])]


def _range(conclusion: str, number: int, axis: Axis, line: list[bool | None]) -> Range:
    """The range of one parameter."""
    there = tuple(place for place, held in enumerate(line) if held is True)
    not_there = tuple(place for place, held in enumerate(line) if held is False)
    if not axis.ordered or line[axis.base] is not True:
        return Range(conclusion, number, there, not_there)
    low = high = axis.base
    while low > 0 and line[low - 1] is True:
        low -= 1
    while high + 1 < len(line) and line[high + 1] is True:
        high += 1
    below, above = low - 1 if low else None, high + 1 if high + 1 < len(line) else None
    return Range(conclusion, number, there, not_there, low, high, below, above)


def _connected(grid: Grid, holds: Holds) -> frozenset[int]:
    """Settings of the region that can be reached from the base setting."""
    start = grid.number(grid.base)
    if holds[start] is not True:
        return frozenset()
    reached, ahead = {start}, [start]
    while ahead:
        place = grid.place(ahead.pop())
        for number, axis in enumerate(grid.axes):
            at = place[number]
            beside = [at - 1, at + 1] if axis.ordered else range(len(axis.values))
            for other in beside:
                if 0 <= other < len(axis.values):
                    found = grid.number((*place[:number], other, *place[number + 1 :]))
                    if holds[found] is True and found not in reached:
                        reached.add(found)
                        ahead.append(found)
    return frozenset(reached)
