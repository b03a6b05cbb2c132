"""Measures that a user defines: a function of a list's gains (``sk.define``), and a column of the sessions or users (``sk.column``)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from sessionkit.errors import DataError, MeasureError
from sessionkit.plugins import Blame, file_of, module_of, unbound
from sessionkit.scoring.measures.base import NO_JUDGMENTS, Direction, Measure, SessionMeasure
from sessionkit.scoring.measures.behavior import GRADING
from sessionkit.scoring.measures.registry import accepted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sessionkit.scoring.lists import Lists

GainFunction = Callable[[Any], float | None]
"""From the gains of a list in the order of ranks, an array, to its value; or from the list of those arrays of a session."""
NO_LISTS = f"{NO_JUDGMENTS}, or no value by their function"


@dataclass(frozen=True)
class Definition:
    """What `define` was told, from which a process makes the same measure."""

    name: str
    function: GainFunction
    level: Literal["query", "session"]
    direction: Direction
    lowest: float | None
    top: float | None
    formula: str
    source: str


@dataclass(frozen=True, repr=False, kw_only=True)
class ListFunction(Measure):
    """A function of the gains of a list, or of the lists of a session, that somebody defined.

    It is no sum of what single results add, as far as can be known: `sessionkit.explain` shows the gains it is worked out of.
    """

    definition: ClassVar[Definition]
    shows_gains = True
    higher_grade_can_lower = True
    undefined_where = NO_LISTS
    no_bounds = "it is a function that somebody defined, of which nothing is known"

    gain: str = "linear"

    @property
    def highest(self) -> float | None:
        """As it was defined."""
        return self.definition.top

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[object, ...]]:
        """Its definition and its parameters: classes made by a call are known to no other process."""
        return _again, (self.definition, self.parameters())

    def values(self, lists: Lists) -> pl.Series:
        """The function of every list, or of the lists of every session; null without judgments."""
        arrays, judged = self._gains(lists), lists.queries["key"].is_not_null()
        if self.level == "query":
            return _series([self._value(one) if known else None for one, known in zip(arrays, judged, strict=True)])
        sessions: dict[int, list[NDArray[np.float64]]] = {}
        for session, one in zip(lists.queries["session"], arrays, strict=True):
            sessions.setdefault(session, []).append(one)
        known_of = set(lists.queries["session"].filter(judged))
        many = len(lists.batch.sessions)
        return _series([self._value(sessions[session]) if session in known_of else None for session in range(many)])

    def _gains(self, lists: Lists) -> list[NDArray[np.float64]]:
        """The gains of every list by rank, 0 where a result is not judged or a rank is a gap."""
        rows, lengths = lists.gaining(self.gain, self.min_grade), lists.queries["length"].to_numpy()
        ends = np.cumsum(lengths)
        gains = np.zeros(int(ends[-1]) if len(ends) else 0)
        begins = ends - lengths
        gains[begins[rows["list"].to_numpy()] + rows["rank"].to_numpy() - 1] = rows["gain"].to_numpy()
        return np.split(gains, ends[:-1]) if len(ends) else []

    def _value(self, gains: Any) -> float | None:  # noqa: ANN401 - an array, or a list of them
        """The value of one list, or of one session; nothing where the function has none."""
        function = self.definition.function
        with Blame(f"{self}: its function fails on the gains {_shown(gains)}", MeasureError, file_of(function)):
            found = function(gains)
        try:
            value = math.nan if found is None else math.inf if isinstance(found, str) else float(found)
        except (TypeError, ValueError, OverflowError):
            value = math.inf
        if math.isinf(value):
            raise MeasureError(
                f"{self}: its function gives {found!r:.80} for the gains {_shown(gains)}; give a number, or None for no value"
            )
        return None if math.isnan(value) else value


def define(
    name: str,
    function: GainFunction,
    *,
    level: Literal["query", "session"] = "query",
    direction: Direction = "higher",
    lowest: float | None = 0.0,
    highest: float | None = None,
    formula: str = "",
    source: str = "",
) -> ListFunction:
    """Make a measure of a function over a list's gains.

    Parameters
    ----------
    name
        What it is called, a word.
    function
        From the gains of a list to its value. It gets a numpy array: the gain of the result at rank 1, 2, ... as far as the list
        goes and the cutoff lets it; 0 for a result that is not judged, and for a gap. With ``level="session"`` it gets a list of
        such arrays, one for each logged query of the session, in order. It returns a number, or None or NaN where there is no value.
    level
        ``"query"``: a value for each list. ``"session"``: a value for each session.
    direction
        Whether ``"higher"`` or ``"lower"`` values are better, or ``"unknown"``.
    lowest, highest
        The least and the greatest value that there can be; None for no bound.
    formula, source
        What is said of it in ``sessionkit measures``; by default the first line of the function's documentation.

    Returns
    -------
    Measure
        It takes ``gain``, ``min_grade``, a cutoff and the other parameters of all measures, and goes wherever measures go.
        `sessionkit.register` makes it known to texts such as ``"RRsq@10"`` and to the command line. A list whose key has no
        judgments has no value, and the function is not asked.

    Raises
    ------
    MeasureError
        The name is no word, or the function none.

    Examples
    --------
    First relevant result at rank 2: (1/2)^2.

    >>> import sessionkit as sk
    >>> def squared(gains):
    ...     relevant = gains.nonzero()[0]
    ...     return 1 / (relevant[0] + 1) ** 2 if len(relevant) else 0
    >>> RRsq = define("RRsq", squared, highest=1, formula="1 / r^2, r the rank of the first relevant result")
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [1]},
    ... )
    >>> sk.score(study, [RRsq @ 10, RRsq(min_grade=2, gain="binary")], per="query")["value"].to_list()
    [0.25, 0.0]
    """
    if not isinstance(name, str):
        raise MeasureError(f"a measure's name is a word such as RRsq, not {name!r}")
    if not callable(function):
        raise MeasureError(f"{name}: define takes a function of a list's gains, not {function!r:.80}")
    if level not in ("query", "session"):
        raise MeasureError(f"{name}: level must be query or session, not {level!r}")
    if direction not in ("higher", "lower", "unknown"):
        raise MeasureError(f"{name}: direction must be higher, lower or unknown, not {direction!r}")
    first = next(iter((unbound(function).__doc__ or "").strip().splitlines()), "").rstrip(".")
    told = formula or first or f"a function of the gains of a {'list' if level == 'query' else 'session'}"
    definition = Definition(name, function, level, direction, lowest, highest, told, source or "defined by its user")
    with Blame(f"{name}: define takes what can be hashed, such as a function or a frozen dataclass", MeasureError):
        hash(definition)
    made = _class_of(definition)()
    accepted(name, made)
    return made


@cache
def _class_of(definition: Definition) -> type[ListFunction]:
    """The class of a measure: what it is called is said of classes."""
    facts = ("name", "level", "direction", "lowest", "formula", "source")
    said = {fact: getattr(definition, fact) for fact in facts}
    described = f"{definition.name}: {definition.formula}."
    return type(
        definition.name,
        (ListFunction,),
        {**said, "definition": definition, "__doc__": described, "__module__": module_of(definition.function)},
    )


def _again(definition: Definition, parameters: dict[str, object]) -> ListFunction:
    """A measure that came from another process."""
    made = _class_of(definition)()
    return made(**parameters)


def _series(values: list[float | None]) -> pl.Series:
    """Values as a column."""
    return pl.Series("value", values, dtype=pl.Float64)


def _shown(gains: Any) -> str:  # noqa: ANN401 - the same
    """Gains, for messages."""
    text = str([one.tolist() if isinstance(one, np.ndarray) else float(one) for one in gains])
    return text if len(text) <= 60 else f"{text[:60]}..."


PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""Names that need no quotes."""
LARGEST = 1e18
"""Beyond it sums are not exact."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionColumn(SessionMeasure):
    """column(NAME): a number that the log has of each session, or of its user, such as a rating of satisfaction.

    The values are those of the log: numbers, texts that are numbers, and true and false as 1 and 0. Null where the log has
    none. Whether more is better is what ``better`` in study.toml says. A name that is no plain word stands in double quotes, such as
    ``column("Years of use")``.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s", "z"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s", "z"], "satisfaction": [4, 2]},
    ... )
    >>> sk.score(study, "column(satisfaction)").select("measure", "value", "n").row(0)
    ('column(satisfaction)', 3.0, 2)
    """

    name = "column"
    bounds = "fixed"
    direction = "unknown"
    lowest = None
    formula = "the session's value of the column, or its user's"
    source = "OURS; a column of the log"
    without = (*GRADING, "cutoff", "depth", "queries")
    of_lists = False
    reads_log = False
    undefined_where = "no value in the column"

    of: str = ""

    def __post_init__(self) -> None:
        """Say which column it needs."""
        super().__post_init__()
        object.__setattr__(self, "of_sessions", (self.of,))

    def __str__(self) -> str:
        """The name in brackets, quoted where it is no plain word."""
        quoted = self.of if PLAIN.fullmatch(self.of) else '"' + self.of.replace('"', '""') + '"'
        return f"{self.name}({quoted})"

    __repr__ = __str__

    @property
    def in_words(self) -> str:
        """Which column it is."""
        return f"the column {self.of} of the log"

    def __call__(self, **changes: Any) -> SessionColumn:  # noqa: ANN401 - parameters of any kind
        """Refuse parameters."""
        raise MeasureError(f"{self} takes no parameters, not {next(iter(changes), 'none')}")

    def values(self, lists: Lists) -> pl.Series:
        """The column as numbers."""
        return numbers(lists.batch.features.get_column(self.of))


def column(name: str) -> SessionColumn:
    """Return the measure whose value is a column of the sessions or users, see `SessionColumn`.

    >>> column("Years of use")
    column("Years of use")
    """
    if not isinstance(name, str) or not name:
        raise MeasureError(f"column takes the name of a column of sessions or users, not {name!r:.80}")
    return SessionColumn(of=name)


def numbers(values: pl.Series) -> pl.Series:
    """Return a column as numbers (Float64), also one that was read as text; null where there is none.

    Raises
    ------
    DataError
        It holds anything else.

    >>> numbers(pl.Series("rating", ["4", " 2.5", "", None])).to_list()
    [4.0, 2.5, None, None]
    """
    found = values
    if values.dtype == pl.String:
        found = values.str.strip_chars().replace("", None).cast(pl.Float64, strict=False)
        wrong = values.filter(found.is_null() & values.is_not_null() & (values.str.strip_chars() != ""))
    elif values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null):
        found = values.cast(pl.Float64)
        wrong = values.clear()
    else:
        wrong = values.drop_nulls()
    if not len(wrong):
        wrong = values.filter((found.cast(pl.Float64).abs() > LARGEST).fill_null(value=False))
    if len(wrong):
        msg = (
            f"{values.name} is not numeric: {len(wrong)} of {len(values)} values are like {str(wrong[0])!r}; give ratings and "
            "other covariates as numbers below 10^18, and missing values as empty fields"
        )
        raise DataError(msg)
    return found.cast(pl.Float64).fill_nan(None)
