"""What a measure is, a frozen value that carries every choice in its name; and session measures made from another measure."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import Parameter as CallParameter
from inspect import Signature
from keyword import iskeyword, kwlist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast, get_type_hints

import polars as pl

from sessionkit.arguments import Depth, Duplicates, GradeSource, Preset, UndefinedValue, UnjudgedResults
from sessionkit.display.text import in_html
from sessionkit.errors import MeasureError, suggestion
from sessionkit.plugins import Blame, file_of, is_foreign, module_of
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.exact import LARGEST_GAIN, quotient
from sessionkit.scoring.filter import Selection
from sessionkit.scoring.measures.parameters import PARAMETERS, PRESETS, Parameter
from sessionkit.scoring.searcher import Chances, Searcher

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

NO_JUDGMENTS = "no judgments for their key"
NO_BASE = f"{NO_JUDGMENTS}, or nothing relevant"
BoundKind = Literal["fixed", "rising", "linear", "share", "counted"]
"""How bounds under missing judgments come about, see `Measure.bounds`."""
Columns = Mapping[str, tuple[str, ...]]
"""Names of columns by table: sessions, queries, results or judgments."""
TAKEN = (*kwlist, "level")
"""Names of parameters that no field can have: Python's own words, and what every measure says of itself."""


def _field_of(parameter: str) -> str:
    """The field that holds a parameter: a word that is taken, such as Python's lambda, ends in an underscore there."""
    return f"{parameter}_" if parameter in TAKEN else parameter


def _parameter_of(field: str) -> str:
    """The parameter that a field holds, see `_field_of`."""
    return field[:-1] if field.endswith("_") and field[:-1] in TAKEN else field


class CallSignature:
    """What a call of a measure takes, for `inspect.signature` and with it for completion: its parameters as they are now."""

    def __get__(self, measure: Measure | None, kind: type[Measure]) -> Signature:
        """Of a measure; the class keeps that of its fields."""
        if measure is None:
            raise AttributeError("__signature__")
        hints, own, keyword = get_type_hints(kind), measure.parameters(), CallParameter.KEYWORD_ONLY
        takes = [CallParameter("of", CallParameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Measure | None)]
        takes = takes if measure.wraps else []
        for name, value in own.items():
            hint = measure.parameter(name).takes or hints[_field_of(name)]
            # Python's own words cannot be written before an equals sign: lambda_ stands for lambda
            spelled = _field_of(name) if iskeyword(name) else name
            takes.append(CallParameter(spelled, keyword, default=value, annotation=hint))
        if any(own.keys() & preset.keys() for preset in PRESETS.values()):
            takes.append(CallParameter("like", keyword, default=None, annotation=Preset | None))
        return Signature(takes, return_annotation=kind)


Direction = Literal["higher", "lower", "unknown"]
"""Which values of a measure are better."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Measure:
    """A measure with its parameters; equal when its text is equal, so that it can key a dictionary or name a column.

    Call a measure to change parameters, use ``@`` to cut ranks within each query:

    >>> from sessionkit import sDCG
    >>> sDCG(b=10, gain="exp2") @ 10
    sDCG(gain=exp2,b=10)@10
    >>> sDCG @ 10 == sDCG(cutoff=10, b=2)
    True
    """

    name: ClassVar[str]
    level: ClassVar[Literal["query", "session"]]
    direction: ClassVar[Direction] = "higher"
    lowest: ClassVar[float | None] = 0.0
    higher_grade_can_lower: ClassVar[bool] = False
    """Whether a higher grade of a shown result can lower the value, as it can where the ideal grows with it."""
    sums_queries: ClassVar[bool] = False
    """Whether a session's value is a sum over its queries that nothing divides, so that more queries alone can raise it."""
    unit: ClassVar[str] = ""
    """The unit of its values in tables, such as ``s``; nothing where the name says what is counted."""
    formula: ClassVar[str]
    meaning: ClassVar[str] = ""
    """What a value says, in about eight words for readers who do not know the formula; a class with a name of its own inherits none."""
    source: ClassVar[str]
    example: ClassVar[str] = ""
    """A text with all that the measure needs; where it is empty, the name with a cutoff of 10 is one."""
    required: ClassVar[tuple[str, ...]] = ()
    """Parameters without a default: None in the registry's prototype."""
    own_parameters: ClassVar[Mapping[str, Parameter]] = {}
    """Parameters that mean something else to this measure than to others of the name, take other values, or are its own."""
    without: ClassVar[tuple[str, ...]] = ()
    """Parameters of its kind, ``cutoff`` among them, that the measure does not take."""
    undefined_where: ClassVar[str] = NO_BASE
    """Why sessions or queries have no value, for the warning that names them."""
    normalized: ClassVar[bool] = False
    """Whether its values are shares of an ideal."""
    has_recall_curve: ClassVar[bool] = False
    """Whether it has precision as a function of recall, see `recall_curve`."""
    explainable: ClassVar[bool] = False
    """Whether its values are sums of what single results add."""
    shows_gains: ClassVar[bool] = False
    """Whether the gains of its results are what it is worked out of, where it is no sum of them."""
    needs_nonrelevant: ClassVar[bool] = False
    """Whether it has a meaning only beside documents judged not relevant, as bpref has."""
    wraps: ClassVar[bool] = False
    """Whether it is made from another measure, `inner`, which stands inside its brackets."""
    reduces_queries: ClassVar[bool] = False
    """Whether a session's value is a statistic of its queries' values, as those of mean(...) and last(...) are."""
    linear_in_queries: ClassVar[bool] = True
    """Whether that statistic is a weighted sum with weights that no value changes; max(...) and min(...) are none."""
    bounds: ClassVar[BoundKind | None] = None
    """How its bounds under missing judgments come about; None where no bounds are known.

    ``fixed``: the value reads no judgment. ``rising``: the value can only rise with a grade and reads nothing of the
    recall base, so that worst and best are those of all unjudged results at once. ``linear``: rising, and a sum in which
    each document has its own term. ``share``: a sum divided by the best sum that the recall base allows. ``counted``: a
    value of relevant ranks and of R, the number of relevant documents.
    """
    no_bounds: ClassVar[str] = "no bound is known for its form"
    """Why it has no bounds, of a measure without."""
    reads: ClassVar[Columns] = {}
    """Columns that it needs beside ids, positions and ranks."""
    may_read: ClassVar[Columns] = {}
    """Columns that it uses where the log has them."""
    needs_one: ClassVar[Columns] = {}
    """Columns of which it needs one."""
    of_sessions: ClassVar[tuple[str, ...]] = ()
    """Columns that it needs of the sessions or, where these have none of the name, of their users."""
    reads_log: ClassVar[bool] = True
    """Whether a session of which no query was logged has no value of it."""
    every_query: ClassVar[bool] = False
    """Whether it counts queries whose list was not logged too: they are outside measures of relevance, and inside those of
    behavior."""
    of_lists: ClassVar[bool] = True
    """Whether it looks at the results shown, so that lists observed less deep than it looks matter to it."""
    needs_several_queries: ClassVar[bool] = False
    """Whether a session of one query has no value of it."""

    __signature__ = CallSignature()

    cutoff: int | None = None
    min_grade: float = 1
    depth: Depth = "all"
    duplicates: Duplicates = "all"
    unjudged: UnjudgedResults = "zero"
    grades: GradeSource = "judgments"
    undefined: UndefinedValue = "null"
    unjudged_topics: UndefinedValue = "null"
    queries: int | None = None

    def __init_subclass__(cls) -> None:
        """Drop the inherited meaning from a class with a name of its own, which has another value."""
        super().__init_subclass__()
        if "name" in vars(cls) and "meaning" not in vars(cls):
            cls.meaning = ""

    def __post_init__(self) -> None:
        """Bring every parameter to its canonical form, or refuse it by name and allowed range."""
        for parameter, attribute, default in _parameters(type(self)):  # type: ignore[arg-type] # classes are hashed by identity
            try:
                value = parameter.canonical(getattr(self, attribute))
            except MeasureError as error:
                msg = f"{self.name}: {error}"
                raise MeasureError(msg) from None
            value = default if value is None else value  # None is a parameter that is not given
            object.__setattr__(self, attribute, value)
            if attribute in self.without and value != default:
                msg = f"{self.name} has no parameter {attribute!r}; it has {', '.join(self.parameters()) or 'none'}"
                raise MeasureError(msg)

    def require_parameters(self) -> None:
        """Refuse a measure whose required parameters were not given; the message shows one that has them."""
        missing = [name for name in self.required if getattr(self, _field_of(name)) is None]
        if missing:
            allowed = "; ".join(f"{name} must be {self.parameter(name).allowed}" for name in missing)
            msg = f"{self} needs {' and '.join(missing)}, for example {self.example} ({allowed})"
            raise MeasureError(msg)

    def __call__(self, **changes: Any) -> Self:  # noqa: ANN401 - parameters of any kind, checked by name
        """Return the measure with some parameters changed; ``like`` stands for the parameters of a preset."""
        like = changes.pop("like", None)
        changes = {_parameter_of(key): value for key, value in changes.items()}
        own = self.parameters()
        if like is not None:
            if not isinstance(like, str) or like not in PRESETS:
                msg = f"{self.name}: like must be one of {', '.join(PRESETS)}, not {like!r}{suggestion(like, PRESETS)}"
                raise MeasureError(msg)
            changes = {key: value for key, value in PRESETS[like].items() if key in own} | changes
        for key in changes:
            if key not in own:
                msg = f"{self.name} has no parameter {key!r}; it has {', '.join(own) or 'none'}{suggestion(key, own)}"
                raise MeasureError(msg)
        fields: dict[str, Any] = {_field_of(key): value for key, value in changes.items()}
        return dataclasses.replace(self, **fields)

    def __matmul__(self, cutoff: int) -> Self:
        """``measure @ 10`` counts the first ten ranks of each query."""
        if "cutoff" not in self.parameters():
            msg = f"{self.name} takes no cutoff"
            raise MeasureError(msg)
        return dataclasses.replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        """The canonical text: parameters that differ from their defaults, in the catalogue's order."""
        kind: Any = type(self)
        values, defaults = self.parameters(), _defaults(kind)
        given = [
            f"{name}={values[name]}"
            for name, field in _places(kind)
            if name != "cutoff" and values[name] != defaults[field]
        ]
        text = f"{self.name}({','.join(given)})" if given else self.name
        return f"{text}@{self.cutoff}" if self.cutoff is not None else text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What it is, for a notebook."""
        from sessionkit.scoring.measures.describe import words_and_tables  # it describes every kind of measure

        return in_html(*words_and_tables(self))

    def vary(self, values: Mapping[str, object]) -> Measure:
        """The measure with other values of its parameters; of a wrapper also those of the measure inside."""
        return self(**values)

    def parameters(self) -> dict[str, object]:
        """Every parameter of the measure with its value, in the order of the text."""
        return {name: getattr(self, field) for name, field in _places(type(self))}  # type: ignore[arg-type] # classes are hashed by identity

    @classmethod
    def parameter(cls, name: str) -> Parameter:
        """What one of its parameters means and may be."""
        return cls.own_parameters[name] if name in cls.own_parameters else PARAMETERS[name]

    @classmethod
    def default(cls, parameter: str) -> object:
        """The value that a parameter has when the text does not name it."""
        return _defaults(cls)[_field_of(parameter)]  # type: ignore[arg-type] # the same

    @property
    def highest(self) -> float | None:
        """Upper bound of the values, or None where there is none."""
        return None

    @property
    def inner(self) -> Measure:
        """The measure that is worked out: itself, or the one that it wraps."""
        return self

    @property
    def gain_measure(self) -> GainMeasure | None:
        """Itself, if it adds up the gains of results, each times its discounts; else None."""
        return None

    @property
    def term_measure(self) -> TermMeasure | None:
        """Itself, if it is a measure of queries that adds up terms of results, such as AP or RR; else None."""
        return None

    @property
    def in_words(self) -> str:
        """What a value says, in a few words: its meaning, or its formula where it has none.

        >>> from sessionkit import last, nDCG
        >>> last(nDCG @ 10).in_words
        'value of the last query (discounted gain of a list as a share of the best list)'
        """
        return self.meaning or self.formula

    @property
    def has_ranks(self) -> bool:
        """Whether it has a value of each query up to each rank, as every rank can then be the cutoff."""
        return "cutoff" in self.parameters() and (self.level == "query" or self.gain_measure is not None)

    @property
    def session_ideal(self) -> str | None:
        """How the ideal session is laid out, of a measure that is a share of one: repeated, spread or once."""
        return None

    @property
    def ideal_length(self) -> int | None:
        """How many queries the ideal session has, where that is fixed; None where it has as many as the session."""
        return None

    @property
    def normalized_by_session(self) -> bool:
        """Whether it is divided by the ideal of the whole session, and not each query by its own."""
        return False

    @property
    def normalized_by_query(self) -> bool:
        """Whether a session's value is a sum over queries of which each is divided by its own ideal."""
        return self.level == "session" and self.normalized and not self.normalized_by_session

    @property
    def grade_gain(self) -> str:
        """The rule by which a grade gains, see `sessionkit.scoring.gains`; ``"binary"`` where a result is relevant or not."""
        return str(self.parameters().get("gain", "binary"))

    @property
    def tells_grades_apart(self) -> bool:
        """Whether relevant results of different grades can count differently."""
        known = self.parameters()
        return known["gain"] != "binary" if "gain" in known else "max_grade" in known

    @property
    def scale_top(self) -> float | None:
        """The best grade of its own scale, ``max_grade``; None where it has none, or leaves that to the study."""
        top = self.parameters().get("max_grade")
        return float(top) if isinstance(top, int | float) else None

    @property
    def lowest_relevant(self) -> float:
        """Lowest grade of a relevant document."""
        return self.min_grade

    @property
    def only_grade(self) -> float | None:
        """The one grade that is relevant; None where all from the lowest on are."""
        return None

    @property
    def why_undefined(self) -> str:
        """Why sessions or queries have no value, of the reasons in `undefined_where` those that give none with these parameters."""
        if self.every_query:
            return self.undefined_where
        if self.undefined == "zero" and self.unjudged_topics == "null":
            return NO_JUDGMENTS
        if self.unjudged_topics == "zero":
            return self.undefined_where.removeprefix(f"{NO_JUDGMENTS}, or ")
        return self.undefined_where

    def recall_curve(self, lists: Lists, levels: Sequence[float]) -> list[pl.Series]:  # noqa: ARG002 - each has its own
        """Interpolated precision of every list at some levels of recall, a column for each; null where nothing is relevant.

        A measure that has such a curve says so by `has_recall_curve`.
        """
        msg = f"{self} has no recall-precision curve"
        raise MeasureError(msg)

    def relevant_grades(self, grade: pl.Series) -> pl.Series:
        """Whether each grade is that of a relevant document."""
        only = self.only_grade
        return (grade >= 0) & (grade >= self.lowest_relevant if only is None else grade == only)

    @property
    def selection(self) -> Selection:
        """Which results count; of a wrapper those of the measure inside."""
        of = self.inner
        choices = (of.cutoff, of.depth, of.duplicates, of.unjudged, of.grades, of.queries)
        gain = "lifted" if getattr(of, "gain", None) == "lifted" else "linear"
        return Selection(*choices, gain=gain, every_query=of.every_query)

    def query_weights(self, value: pl.Expr, last: pl.Expr) -> pl.Expr:  # noqa: ARG002 - one signature for all
        """Weight of each query's value in the session's, of a measure that reduces queries; ``last``: which is the last."""
        msg = f"{self} is not a statistic of queries"
        raise MeasureError(msg)

    def discount_forms(self) -> tuple[str, str] | None:
        """Forms of the discounts by rank and by query position, which is empty for a measure of queries.

        ``rank-biased`` where one parameter has to do with both; None of a measure whose values are no discounted gains.
        """
        return None

    def searcher(self) -> tuple[Searcher | None, str]:
        """The searcher that the discounts describe, and that in words; None where they describe none, and why."""
        return None, "it has no discount by rank"

    def clock(self) -> str | None:
        """How long the searcher goes on, of a measure that discounts by time, or text read; None of others.

        >>> from sessionkit import TBG
        >>> TBG.clock()
        'stops within 224 s with probability 1/2, and stays 323.2 s on average (half life / ln 2)'
        """
        return None

    def why_no_bounds(self, *, own_keys: bool = False) -> str | None:  # noqa: ARG002 - one signature for all
        """Why there are no bounds under missing judgments; None where there are.

        Parameters
        ----------
        own_keys
            Whether queries of the study have judgment keys of their own.
        """
        if is_foreign(owner := next(kind for kind in type(self).__mro__ if "bounds" in vars(kind))):
            allowed = (None, "fixed", "rising", *(["linear"] if self.gain_measure is not None else []))
            if self.bounds not in allowed:
                named = ", ".join(map(repr, allowed))
                raise MeasureError(
                    f"the measure {self.name} (module {module_of(owner)}) says bounds = {self.bounds!r}; it can be {named}"
                )
        if self.bounds in (None, "fixed"):
            return None if self.bounds else self.no_bounds
        # grades and unjudged results must be those of the judgments, and keep their ranks
        if self.grades == "user":
            return "grades=user counts the searchers' grades, and an ungraded result is not a missing judgment"
        if self.unjudged == "skip":
            return "unjudged=skip removes unjudged results; use unjudged=zero"
        return None

    def bound_kind(self, *, own_keys: bool = False) -> BoundKind | None:
        """How the bounds come about, of a wrapper those of the measure inside; None without bounds."""
        return None if self.why_no_bounds(own_keys=own_keys) else self.inner.bounds

    def needs(self) -> Columns:
        """Columns that it needs with the parameters that it has."""
        return self.reads

    def one_of(self) -> Columns:
        """Columns of which it needs one with the parameters that it has; nothing if it needs none of them."""
        return self.needs_one

    def values(self, lists: Lists) -> pl.Series:  # noqa: ARG002 - each measure has its own
        """Value of every list, or session, in order (Float64; null where undefined), of a measure that works it out itself.

        Lists are in the order of ``lists.queries``, sessions in that of ``lists.batch.sessions``.
        """
        msg = f"{self} computes no values itself"
        raise MeasureError(msg)


@dataclass(frozen=True, repr=False, kw_only=True)
class GainMeasure(Measure):
    """A measure that adds up what each shown result contributes: gain x rank discount x query discount."""

    explainable = True

    gain: str = "linear"

    @property
    def inner(self) -> GainMeasure:
        """The measure whose contributions count: itself."""
        return self

    @property
    def gain_measure(self) -> GainMeasure:
        """Itself."""
        return self

    @property
    def ranks_along_session(self) -> bool:
        """Whether ranks are discounted along the session's concatenated lists."""
        return False

    @property
    def list_slots(self) -> str | int:
        """How many slots of the concatenation a list takes: ``pad`` is the cutoff, ``close`` what it shows, or so many."""
        return "pad"

    @property
    def repeats_ideal(self) -> bool:
        """Whether the ideal session repeats the ideal list of each of the session's queries."""
        return True

    def without_query_discount(self) -> GainMeasure:
        """The measure whose ideal is that of a single query."""
        return self

    def searcher(self) -> tuple[Searcher | None, str]:
        """One who never stops, as without a discount."""
        return Searcher(Chances("none")), "looks at every rank and stops only at the end"

    def require_falling_discount(self) -> None:
        """Refuse to normalize by a discount that rises somewhere, since the sorted list is then not the best."""

    def rank_discount(self) -> pl.Expr:
        """Discount of a result by its rank."""
        return discount_expr(pl.col("rank"), "none")

    def query_discount_factor(self) -> pl.Expr:
        """Discount of a result by the position of its query; column ``query_position``."""
        return pl.lit(1.0)

    def contribution(self, gain: pl.Expr) -> pl.Expr:
        """What a result adds, from its gain and the columns ``rank``, ``query_position`` and, where ranks run on,
        ``offset``.
        """
        return gain * self.rank_discount() * self.query_discount_factor()


@dataclass(frozen=True, repr=False, kw_only=True)
class QueryMeasure(Measure):
    """A measure with a value for every result list, which it works out from all lists of a batch at once."""

    level = "query"


@dataclass(frozen=True, repr=False, kw_only=True)
class TermMeasure(Measure):
    """A measure of queries whose value is the sum of what its results add, divided by something of the list, if by anything."""

    level = "query"
    explainable = True

    @property
    def term_measure(self) -> TermMeasure:
        """Itself."""
        return self

    def terms(self, lists: Lists) -> pl.DataFrame:  # noqa: ARG002 - each measure has its own
        """What results add: ``list``, ``rank``, ``term`` (Float64), only the results that add something."""
        msg = f"{self} has no terms"
        raise MeasureError(msg)

    def divisor(self, lists: Lists) -> pl.Series | None:  # noqa: ARG002 - one signature for all
        """What the sum of the terms is divided by (of every list; the value is null where it is 0), if by anything.

        The sum is exact, so that 7 of 10 makes 0.7; seven tenths, each rounded, need not.
        """
        return None

    def defined(self, lists: Lists) -> pl.Series:
        """Whether every list has a value: by default where anything is judged for its key."""
        return lists.queries["key"].is_not_null()

    def parts(self, lists: Lists) -> tuple[pl.DataFrame, pl.Series | None]:
        """Its terms and its divisors; those of a measure of another module are checked.

        Raises
        ------
        MeasureError
            A term of another module is no number, or not that of one result that the list shows; or a divisor is none.
        """
        if is_foreign(type(self)):
            return _checked_parts(self, lists)
        return self.terms(lists), self.divisor(lists)

    def values(self, lists: Lists) -> pl.Series:
        """Sum of the terms of every list, divided; null where not defined."""
        terms, divisor = self.parts(lists)
        sums = pl.DataFrame({"value": lists.added(terms), "defined": self.defined(lists)})
        value = pl.col("value")
        if divisor is not None:
            sums = sums.with_columns(divisor.alias("divisor"))
            value = quotient(value, pl.col("divisor"))
        return sums.select(pl.when("defined").then(value).alias("value")).to_series()


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionMeasure(Measure):
    """A measure with a value for every session, which it works out from all sessions of a batch at once."""

    level = "session"


def _checked_parts(measure: TermMeasure, lists: Lists) -> tuple[pl.DataFrame, pl.Series | None]:
    """What a measure of another module gives for terms and divisors, where each is a number in its place."""
    said = f"the measure {measure} (module {module_of(type(measure))})"
    with Blame(f"{said} fails", MeasureError, file_of(type(measure))):
        terms, divisor = measure.terms(lists), measure.divisor(lists)
    if not isinstance(terms, pl.DataFrame) or not {"list", "rank", "term"} <= set(terms.columns):
        given = ", ".join(terms.columns) if isinstance(terms, pl.DataFrame) else type(terms).__name__
        raise MeasureError(f"{said} gives the terms {given:.80}; give a frame of list, rank and term")
    with Blame(f"{said} fails", MeasureError):
        terms = terms.select("list", "rank", pl.col("term").cast(pl.Float64))
        terms = terms.with_columns(pl.col(pl.Null).cast(pl.UInt32))  # of a frame without rows
        if divisor is not None:
            divisor = pl.Series("divisor", divisor, dtype=pl.Float64)
    places = terms.dtypes[:2]
    if not all(dtype.is_integer() for dtype in places):
        raise MeasureError(f"{said} gives terms whose list and rank are {places[0]} and {places[1]}, not whole numbers")
    number = (pl.col("term").abs() < LARGEST_GAIN).fill_null(value=False)
    for wrong, told in (
        (terms.join(lists.every, on=["list", "rank"], how="anti"), "a term for {}, where no result counts"),
        (terms.filter(pl.struct("list", "rank").is_duplicated()), "two terms for {}; add them up"),
        (terms.filter(~number), "the term {1} for {0}; give a number between -2^30 and 2^30"),
    ):
        for of, rank, term in wrong.head(1).rows():
            raise MeasureError(f"{said} gives {told.format(f'{_in_log(lists, of)}, rank {rank}', term)}")
    if divisor is not None:
        if len(divisor) != len(lists.queries):
            raise MeasureError(f"{said} gives {len(divisor)} divisors for {len(lists.queries)} lists")
        for of in (~divisor.is_finite()).arg_true().head(1):
            raise MeasureError(f"{said} gives the divisor {divisor[of]} for {_in_log(lists, of)}; null is for no value")
    return terms, divisor


def _in_log(lists: Lists, number: int | None) -> str:
    """A list in the words of the log, if there is one of this number."""
    if number is None or not 0 <= number < len(lists.queries):
        return f"list {number}"
    session, position = lists.queries.select("session", "query_position").row(number)
    return f"{lists.batch.sessions['session_id'][session]} query {position}"


@functools.cache
def _parameters(kind: type[Measure]) -> tuple[tuple[Parameter, str, object], ...]:
    """Every parameter of a kind of measure, the field that holds it and its default, in the order of the fields."""
    named = [(_parameter_of(field.name), field) for field in dataclasses.fields(kind)]
    known = PARAMETERS.keys() | kind.own_parameters.keys()
    return tuple((kind.parameter(name), field.name, field.default) for name, field in named if name in known)


@functools.cache
def _places(kind: type[Measure]) -> tuple[tuple[str, str], ...]:
    """Every parameter of a kind of measure and the field that holds it, in the order of the text."""
    have = {_parameter_of(field.name) for field in dataclasses.fields(kind)} - set(kind.without)
    names = dict.fromkeys([*PARAMETERS, *kind.own_parameters])
    return tuple((name, _field_of(name)) for name in names if name in have)


@functools.cache
def _defaults(kind: type[Measure]) -> dict[str, object]:
    """What every field of a kind of measure is unless it is given."""
    return {field.name: field.default for field in dataclasses.fields(kind)}


FROM_INSIDE = ("min_grade", "depth", "duplicates", "unjudged", "grades", "undefined", "unjudged_topics", "queries")
"""Parameters of the measure inside that a wrapper tells and does not take."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Wrapper(Measure):
    """A session measure made from another measure, which stands inside its brackets."""

    level = "session"
    wraps = True
    without = (*FROM_INSIDE, "cutoff")
    """Which results count, and what an undefined value becomes, is said inside the brackets."""
    inside: ClassVar[Measure]
    """What can stand in the brackets, for messages."""
    takes: ClassVar[str] = "a measure of queries, or sDCG, nsDCG or sRBP"
    source = "sessionkit"

    of: Measure | None = None
    # as of the measure inside
    min_grade: float = field(default=1, init=False, compare=False)
    depth: Depth = field(default="all", init=False, compare=False)
    duplicates: Duplicates = field(default="all", init=False, compare=False)
    unjudged: UnjudgedResults = field(default="zero", init=False, compare=False)
    grades: GradeSource = field(default="judgments", init=False, compare=False)
    undefined: UndefinedValue = field(default="null", init=False, compare=False)
    unjudged_topics: UndefinedValue = field(default="null", init=False, compare=False)
    queries: int | None = field(default=None, init=False, compare=False)

    def __call__(self, of: Measure | None = None, **changes: Any) -> Self:  # noqa: ANN401 - parameters of any kind, checked by name
        """Wrap a measure: ``mean(nDCG @ 10)``."""
        if of is None and self.of is None:
            msg = f"{self.name} needs a measure inside: {self.name}({self.inside})"
            raise MeasureError(msg)
        made = self if of is None else replace(self, of=of)
        return Measure.__call__(made, **changes)

    def __post_init__(self) -> None:
        """Refuse a measure that cannot stand inside."""
        super().__post_init__()
        if self.of is None:
            return
        if (
            not isinstance(self.of, Measure)
            or (self.of.wraps and self.of.level != "query")
            or isinstance(self.of, SessionMeasure)
        ):
            msg = f"{self.name} takes {self.takes}, not {self.of}; for example {self.name}({self.inside})"
            raise MeasureError(msg)
        # what is better, the least that there can be, and which results count, is as with the measure inside
        facts = ["direction", "lowest", "may_read", *(["undefined_where"] if self.name != "nonlast" else [])]
        for fact in (*facts, *FROM_INSIDE):
            object.__setattr__(self, fact, getattr(self.of, fact))

    def __matmul__(self, cutoff: int) -> Self:
        """Refuse a cutoff, which belongs to the measure inside."""
        msg = f"{self.name} takes no cutoff of its own; write it inside: {self.name}({replace(cast('Any', self.inside), cutoff=cutoff)})"
        raise MeasureError(msg)

    def require_parameters(self) -> None:
        """Refuse a measure inside that lacks required ones."""
        self.inner.require_parameters()

    def vary(self, values: Mapping[str, object]) -> Measure:
        """The wrapper's own parameters, and those of the measure inside."""
        own = {name: value for name, value in values.items() if name in self.parameters()}
        inner = self.inner.vary({name: value for name, value in values.items() if name not in own})
        return self(inner, **own)

    @property
    def selection(self) -> Selection:
        """As of the measure inside."""
        return self.inner.selection

    def why_no_bounds(self, *, own_keys: bool = False) -> str | None:
        """As of the measure inside."""
        return self.inner.why_no_bounds(own_keys=own_keys)

    def needs(self) -> Columns:
        """As the measure inside."""
        return self.inner.needs()

    def one_of(self) -> Columns:
        """As the measure inside."""
        return self.inner.one_of()

    @property
    def in_words(self) -> str:
        """Its meaning, and that of the measure inside."""
        return f"{self.meaning} ({self.inner.in_words})" if self.meaning else self.formula

    def searcher(self) -> tuple[Searcher | None, str]:
        """As of the measure inside."""
        return self.inner.searcher()

    def clock(self) -> str | None:
        """As of the measure inside."""
        return self.inner.clock()

    def __str__(self) -> str:
        """``name(measure,parameters)``."""
        given = [f"{key}={value}" for key, value in self.parameters().items() if value != self.default(key)]
        inside = ",".join([*([str(self.of)] if self.of is not None else []), *given])
        return f"{self.name}({inside})" if inside else self.name

    __repr__ = __str__

    @property
    def inner(self) -> Measure:
        """The measure inside."""
        if self.of is None:
            msg = f"{self.name} needs a measure inside: {self.name}({self.inside})"
            raise MeasureError(msg)
        return self.of

    @property
    def highest(self) -> float | None:
        """The bound of the measure inside."""
        return self.inner.highest
