"""What a measure is: a frozen value that carries every choice in its name."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from keyword import kwlist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from sessionkit.display.text import in_html
from sessionkit.errors import MeasureError, suggestion
from sessionkit.scoring.measures.parameters import PARAMETERS, Parameter
from sessionkit.scoring.measures.presets import PRESETS

if TYPE_CHECKING:
    from sessionkit.scoring.measures.kinds import JudgedMeasure

NO_JUDGMENTS = "no judgments for their key"
NO_BASE = f"{NO_JUDGMENTS}, or nothing relevant"
TAKEN = (*kwlist, "level")
"""Names of parameters that no field can have: Python's own words, and what every measure says of itself."""


def _field_of(parameter: str) -> str:
    """The field that holds a parameter: a word that is taken, such as Python's lambda, ends in an underscore there."""
    return f"{parameter}_" if parameter in TAKEN else parameter


def _parameter_of(field: str) -> str:
    """The parameter that a field holds, see `_field_of`."""
    return field[:-1] if field.endswith("_") and field[:-1] in TAKEN else field


@dataclass(frozen=True, repr=False, kw_only=True)
class Measure:
    """A measure with its parameters; equal when its text is equal, so that it can key a dictionary or name a column.

    Call a measure to change parameters, use ``@`` to cut ranks within each query:

    >>> from sessionkit.scoring.measures import sDCG
    >>> sDCG(b=10, gain="exp2") @ 10
    sDCG(gain=exp2,b=10)@10
    >>> sDCG @ 10 == sDCG(cutoff=10, b=2)
    True
    """

    name: ClassVar[str]
    level: ClassVar[Literal["query", "session"]]
    direction: ClassVar[Literal["higher", "lower"]] = "higher"
    lowest: ClassVar[float | None] = 0.0
    higher_grade_can_lower: ClassVar[bool] = False
    """Whether a higher grade of a shown result can lower the value, as it can where the ideal grows with it."""
    sums_queries: ClassVar[bool] = False
    """Whether a session's value is a sum over its queries that nothing divides, so that more queries alone can raise it."""
    formula: ClassVar[str]
    source: ClassVar[str]
    example: ClassVar[str] = ""
    """A text with all that the measure needs; where it is empty, the name with a cutoff of 10 is one."""
    required: ClassVar[tuple[str, ...]] = ()
    """Parameters without a default: None in the registry's prototype."""
    own_parameters: ClassVar[Mapping[str, Parameter]] = {}
    """Parameters that mean something else to this measure than to others of the name, or take other values."""
    without: ClassVar[tuple[str, ...]] = ()
    """Parameters of its kind, ``cutoff`` among them, that the measure does not take."""
    undefined_where: ClassVar[str] = NO_BASE
    """Why sessions or queries have no value, for the warning that names them."""

    cutoff: int | None = None

    def __post_init__(self) -> None:
        """Bring every parameter to its canonical form, or refuse it by name and allowed range."""
        for field in dataclasses.fields(self):
            name = _parameter_of(field.name)
            if name in PARAMETERS:
                try:
                    value = self.parameter(name).canonical(getattr(self, field.name))
                except MeasureError as error:
                    msg = f"{self.name}: {error}"
                    raise MeasureError(msg) from None
                value = field.default if value is None else value  # None is a parameter that is not given
                object.__setattr__(self, field.name, value)
                if field.name in self.without and value != field.default:
                    msg = (
                        f"{self.name} has no parameter {field.name!r}; it has {', '.join(self.parameters()) or 'none'}"
                    )
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
            if like not in PRESETS:
                msg = f"{self.name}: like must be one of {', '.join(PRESETS)}, not {like!r}{suggestion(str(like), PRESETS)}"
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
        given = [
            f"{key}={value}"
            for key, value in self.parameters().items()
            if key != "cutoff" and value != self.default(key)
        ]
        text = f"{self.name}({','.join(given)})" if given else self.name
        return f"{text}@{self.cutoff}" if self.cutoff is not None else text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What it is, for a notebook."""
        from sessionkit.scoring.measures.describe import words_and_tables  # it describes every kind of measure

        return in_html(*words_and_tables(self))

    def parameters(self) -> dict[str, object]:
        """Every parameter of the measure with its value, in the order of the text."""
        return {name: getattr(self, field) for name, field in _places(type(self))}  # type: ignore[arg-type] # classes are hashed by identity

    @classmethod
    def parameter(cls, name: str) -> Parameter:
        """What one of its parameters means and may be."""
        return cls.own_parameters.get(name, PARAMETERS[name])

    @classmethod
    def default(cls, parameter: str) -> object:
        """The value that a parameter has when the text does not name it."""
        return _defaults(cls)[_field_of(parameter)]  # type: ignore[arg-type] # the same

    @property
    def highest(self) -> float | None:
        """Upper bound of the values, or None where there is none."""
        return None

    @property
    def inner(self) -> JudgedMeasure:
        """The measure that is worked out: itself, or the one that it wraps."""
        msg = f"{self} selects no results"
        raise MeasureError(msg)


@functools.cache
def _places(kind: type[Measure]) -> tuple[tuple[str, str], ...]:
    """Every parameter of a kind of measure and the field that holds it, in the order of the text."""
    have = {_parameter_of(field.name) for field in dataclasses.fields(kind)} - set(kind.without)
    return tuple((name, _field_of(name)) for name in PARAMETERS if name in have)


@functools.cache
def _defaults(kind: type[Measure]) -> dict[str, object]:
    """What every field of a kind of measure is unless it is given."""
    return {field.name: field.default for field in dataclasses.fields(kind)}
