"""What measures, formats and charts of others are made of, and `register`, which gives them a name everywhere.

These names are stable, as those of ``import sessionkit`` are; see ``sessionkit help extending``.

::

    QueryMeasure     a value for every result list, worked out for all lists of a batch at once: ``values(lists)``
    TermMeasure      the same, a sum of what single results add, so that it can be explained: ``terms(lists)``
    SessionMeasure   a value for every session: ``values(lists)``
    GainMeasure      gain x discounts of every result, added up: ``rank_discount()``, ``query_discount_factor()``
    Lists            what the three first are given: ``lists.queries``, ``lists.relevant(min_grade)``, ``lists.every``, ...
    Parameter        a parameter of one's own: name, what is allowed, meaning, check(parameter, value)
    Format           a format of logs: what it is, its reader, how it is recognized
    frames_reader    a reader, of a function that makes tables of a file; ``lines(path)`` gives it the lines of a text
    Glimpse, Option  what recognition may look at; what study.toml may say of a format
    ChartKind        a kind of chart: what it shows, a function that draws it from a study
"""

from __future__ import annotations

from typing import Any, TypeVar

from sessionkit.charts.registry import CHARTS, ChartKind
from sessionkit.errors import UsageError
from sessionkit.plugins import Registry
from sessionkit.readers.format import Format, Glimpse, Option
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.records import frames_reader, lines
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import GainMeasure, Measure, QueryMeasure, SessionMeasure, TermMeasure
from sessionkit.scoring.measures.parameters import Parameter
from sessionkit.scoring.measures.registry import MEASURES, is_measure

__all__ = [
    "ChartKind",
    "Format",
    "GainMeasure",
    "Glimpse",
    "Lists",
    "Measure",
    "Option",
    "Parameter",
    "QueryMeasure",
    "SessionMeasure",
    "TermMeasure",
    "frames_reader",
    "lines",
    "register",
]

Given = TypeVar("Given")


def register(given: Given, name: str | None = None) -> Given:
    """Make a measure, a format or a chart known by its name, in this program, as sessionkit's own are.

    Texts of measures, ``sk.read(format=...)``, the recognition of logs, charts, reports, the command line with ``--plugin`` and
    shell completion know it then. What was registered under the name before is replaced. Packages name theirs as entry points
    instead, of the groups ``sessionkit.measures``, ``sessionkit.readers`` and ``sessionkit.charts``.

    Parameters
    ----------
    given
        A `Measure`, or a class of measures, which is registered with its defaults; a `Format`; a `ChartKind`.
    name
        What a format or a chart is called; a measure says its name itself.

    Returns
    -------
    Measure, Format or ChartKind
        What was given, so that it decorates a class too.

    Raises
    ------
    UsageError
        It is none of the three, has no name or one that sessionkit has itself.

    Examples
    --------
    >>> import sessionkit as sk
    >>> Found = register(sk.define("Found", lambda gains: (gains > 0).sum()))
    >>> sk.parse_measure("mean(Found@10)"), sk.Found(min_grade=2)
    (mean(Found@10), Found(min_grade=2))
    """
    registry: Registry[Any]
    if is_measure(given):
        registry, called = MEASURES, name or getattr(given, "name", None)
    elif isinstance(given, Format | ChartKind):
        registry, called = FORMATS if isinstance(given, Format) else CHARTS, name
    else:
        raise UsageError(
            f"register takes a measure, a format or a chart, not {given!r:.80}; see: sessionkit help extending"
        )
    if not isinstance(called, str):
        raise UsageError(f"a {registry.kind} needs a name, a text, not {called!r:.80}: {given!r:.80}")
    registry.add(called, given)
    return given
