"""Everything about one measure: what it is, its facts by name, its parameters as a table."""

from __future__ import annotations

import inspect

import polars as pl

from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.presets import PRESETS
from sessionkit.scoring.measures.wrapper import Wrapper


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
