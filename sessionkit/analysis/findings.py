"""What findings have in common: tables and a reading in plain language, how they are shown, and how they get into a paper."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeVar, cast

import polars as pl

from sessionkit.analysis.provenance import Provenance, paper_label, provenance_of
from sessionkit.arguments import require_choice
from sessionkit.display.frames import ResultFrame
from sessionkit.display.latex import latex_table
from sessionkit.display.markdown import markdown_table
from sessionkit.display.tables import TextTable, table_of, with_labels
from sessionkit.display.text import Displayed
from sessionkit.study.inference_options import error_rate

Verb = TypeVar("Verb", bound=Callable[..., Any])
TEXT, WHOLE, NUMBER, YES_NO = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
"""Types of the columns of findings."""
GROUPED = ("a", "b", "group", "system_id", "topic_id", "leader", "first", "second", "following")
"""Columns that hold names of groups or topics, beside those that make the groups."""


class Framed(Displayed):
    """A result with frames among its values."""

    def __post_init__(self) -> None:
        """Make its frames such as show themselves without harm."""
        for name, value in vars(self).items():
            if type(value) is pl.DataFrame:
                object.__setattr__(self, name, ResultFrame(value))


class _Found(Protocol):
    """What every finding has."""

    @property
    def reading(self) -> str: ...

    @property
    def table(self) -> pl.DataFrame: ...

    @property
    def provenance(self) -> Provenance | None: ...

    def tables(self) -> dict[str, pl.DataFrame]: ...

    def paper_table(self) -> TextTable: ...


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Finding(Framed):
    """What a verb found: ``table``, the main one of ``tables()``, and ``reading``, the same in words.

    Parameters
    ----------
    provenance
        What it was made with, and the command that makes it again.

    Examples
    --------
    >>> import sessionkit as sk
    >>> scores = pl.DataFrame({
    ...     "session_id": list("123456"), "user_id": list("uuvvww"), "system_id": list("ABABAB"),
    ...     "measure": ["sDCG@10"] * 6, "value": [1.0, 2.0, 1.0, 3.0, 2.0, 5.0],
    ... })
    >>> found = sk.compare(scores)
    >>> list(found.tables())
    ['pairs', 'overall', 'order', 'groups', 'units', 'dropped', 'made_with']
    >>> print(found.to_markdown("made_with").splitlines()[5])
    | population | users |
    >>> found.provenance.command
    'sessionkit compare SCORES sDCG@10'
    """

    provenance: Provenance | None = None

    @property
    def text(self: _Found) -> str:
        """The finding in words, a line for each thing to say."""
        return self.reading

    def to_latex(self: _Found, name: str | None = None) -> str:
        r"""A table as LaTeX, for ``\usepackage{booktabs}``; if no name is given the main one, as papers print it."""
        return latex_table(_noted(self, name), _label(self, name))

    def to_markdown(self: _Found, name: str | None = None) -> str:
        """A table as Markdown; if no name is given the main one, as papers print it."""
        return markdown_table(_noted(self, name))

    def paper_table(self: _Found) -> TextTable:
        """The main table as papers print it."""
        tables = self.tables()
        return _named(self, next(each for each, frame in tables.items() if frame is self.table))

    def words_and_tables(self: _Found) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading line by line, and the tables that have rows."""
        return self.reading.splitlines(), {name: table for name, table in self.tables().items() if len(table)}

    def settings_table(self, names: Sequence[str]) -> pl.DataFrame:
        """What it was made with, as names and values."""
        return pl.DataFrame({"name": names, "value": [str(getattr(self, name)) for name in names]})


class TestedFinding(Finding):
    """A finding of tests and intervals at a confidence."""

    confidence: float

    @property
    def alpha(self) -> float:
        """The error rate that the confidence leaves; a difference is significant where p is at most that."""
        return error_rate(self.confidence)


def traced(verb: Verb) -> Verb:
    """Return a function of a study, or of scores, made to say in its finding what it was asked for."""
    signature = inspect.signature(verb)

    @functools.wraps(verb)
    def asked(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - what the function returns
        found = verb(*given, **named)
        if not isinstance(found, Finding):
            return found
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        asked_for = bound.arguments
        if asked_for.get("measures", ()) is None:  # all those of a table of scores
            asked_for["measures"] = (
                cast("_Found", found).table.get_column("measure").unique(maintain_order=True).to_list()
            )
        usual = {name: parameter.default for name, parameter in signature.parameters.items()}
        return replace(found, provenance=provenance_of(verb.__name__, asked_for, usual))

    return cast("Verb", asked)


def _noted(found: _Found, name: str | None) -> TextTable:
    """The main table, or the one of a name, for a paper: below it which sessions it is of."""
    shown = _labeled(found)
    table = shown.paper_table() if name is None else _named(shown, name)
    if found.provenance is None or found.provenance.where is None:
        return table
    said = f"Sessions where {found.provenance.where}."
    return replace(table, note=f"{table.note} {said}" if table.note else said)


def _labeled(found: _Found) -> _Found:
    """The finding with the study's labels in place of the names of its groups."""
    labels = {} if found.provenance is None else found.provenance.labels
    if not labels:
        return found
    grouping = [name for name in (getattr(found, "by", None), getattr(found, "within", None)) if isinstance(name, str)]
    tables = {
        each.name: with_labels(frame, labels, [*GROUPED, *grouping])
        for each in fields(cast("Any", found))
        if isinstance(frame := getattr(found, each.name), pl.DataFrame)
    }
    return cast("_Found", replace(cast("Any", found), **tables))


def _label(found: _Found, name: str | None) -> str:
    """The label of a table, other than those of other findings."""
    made = found.provenance
    whole = (
        paper_label(type(found).__name__.lower(), {"": [found.paper_table().caption]}) if made is None else made.label
    )
    return whole if name is None else f"{whole}-{name}"


def _named(found: _Found, name: str) -> TextTable:
    """A table by its name, as text."""
    tables = found.tables()
    require_choice("a table", name, [*tables])
    return table_of(name.replace("_", " ").capitalize(), tables[name], limit=len(tables[name]))
