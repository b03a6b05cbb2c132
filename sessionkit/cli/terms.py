"""Guides and terms: what `help` looks up beside the commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from sessionkit.display.guides import glossary, guide
from sessionkit.display.words import listed
from sessionkit.errors import LONGEST_NAME, close_names

if TYPE_CHECKING:
    from sessionkit.readers.entries import Option

TOPICS = (
    "first-study",
    "own-logs",
    "formats",
    "measures",
    "sessions",
    "comparing",
    "robustness",
    "figures",
    "large-logs",
    "spark",
    "sharing",
    "coming-from",
    "papers",
    "extending",
    "contributing",
    "code-map",
    "adding",
    "terms",
)
"""The guides in the order in which they are read."""
MOST_LOGS = 3
"""Formats with a word in their description that are named; of more the word says little."""


def title(topic: str) -> str:
    """The first line of a guide."""
    return guide(topic).partition("\n")[0].removeprefix("# ")


@cache
def names() -> Mapping[str, list[str]]:
    """What the registries say of every name in them; a name of several has an entry of each."""
    found: dict[str, list[str]] = {}
    for name, text in _entries():
        found.setdefault(name, []).append(f"{name}, {text}")
    return found


def _entries() -> Iterator[tuple[str, str]]:
    """The names of all registries, and what each is."""
    from sessionkit.charts.registry import CHARTS
    from sessionkit.contract import TABLES, document, table
    from sessionkit.readers import FORMATS, JUDGMENTS
    from sessionkit.scoring.measures.describe import about
    from sessionkit.scoring.measures.parameters import PARAMETERS
    from sessionkit.scoring.measures.presets import PRESETS
    from sessionkit.scoring.measures.registry import MEASURES

    for name, measure in MEASURES.items():
        yield (
            name,
            f"a measure of a {measure.level}: {_first_sentence(about(measure), name)} More: sessionkit measures {name}",
        )
    for name, parameter in PARAMETERS.items():
        yield name, f"a parameter of measures: {parameter.meaning}; {parameter.allowed}"
    for name in PRESETS:
        yield name, f"a preset of measures: like={name} stands for the choices of that source"
    for name, log in FORMATS.items():
        yield name, f"a format of a log: {log.description}. More: sessionkit formats {name}"
    for name, judgments in JUDGMENTS.items():
        yield name, f"a format of judgments: {judgments.description}. More: sessionkit formats {name}"
    for name, kind in CHARTS.items():
        yield name, f"a kind of chart: {kind.shows}. More: sessionkit chart {name} --help"
    for name in TABLES:
        yield name, f"a table of a study. Its columns: sessionkit schema {name}"
        for column in table(name).fields:
            yield column.name, f"a column of {name}: {column.description}"
    yield from _keys_of_study_toml(document("study.schema"))
    # the schema of study.toml explains those of tables
    yield from _options_of_formats({name: log.options for name, log in FORMATS.items() if name != "tables"})


def _keys_of_study_toml(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys that a schema declares, those inside of others too, and what each says."""
    for name, value in {**node.get("properties", {}), **node.get("$defs", {})}.items():
        if "description" in value:
            yield name, f"a key of study.toml: {value['description']}"
        yield from _keys_of_study_toml(value)
        yield from _keys_of_study_toml(value.get("items", {}))


def _options_of_formats(options: Mapping[str, Mapping[str, Option]]) -> Iterator[tuple[str, str]]:
    """Yield the keys that formats add to study.toml; formats in which a key means the same are named together."""
    formats: dict[tuple[str, str], list[str]] = {}
    for name, declared in options.items():
        for key, option in declared.items():
            formats.setdefault((key, option.meaning), []).append(name)
    for (key, explanation), format_names in formats.items():
        label = "format" if len(format_names) == 1 else "formats"
        yield key, f"a key of study.toml ({label} {listed(format_names)}): {explanation}"


def _first_sentence(text: str, name: str) -> str:
    """The first sentence of the documentation of a measure, without its name."""
    return " ".join(text.partition("\n\n")[0].split()).removeprefix(f"{name}: ")


def meaning(term: str) -> str | None:
    """What a term is: by the glossary, as the name of a measure, parameter, format, chart, table, column or key, or all of them."""
    if len(term) > LONGEST_NAME:
        return None
    known, folded = names(), {name.casefold(): name for name in names()}
    forms = [term, *_singular(term)]
    words = next((glossary()[form.casefold()] for form in forms if form.casefold() in glossary()), None)
    exact = next((form for form in forms if form in known), None)
    name = exact or next((folded[form.casefold()] for form in forms if form.casefold() in folded), None)
    found = [*filter(None, [words]), *known.get(name or "", [])]
    if not found and re.search(r"[@(=]", term):  # a measure with its parameters, such as mean(nDCG@10)
        parts = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", term))
        found = [text for part in parts for text in known.get(part, [])]
    if not found:  # what a log is called, such as TREC Session Track
        called = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
        logs = [text for texts in known.values() for text in texts if ", a format of" in text]
        found = [text for text in logs if (match := called.search(text)) and match[0][0].isupper()]
        found = found if len(found) <= MOST_LOGS else []
    return "\n".join(found) or None


def nearest(term: str, known: Iterable[str]) -> str:
    """What may be meant by a word that is no term, up to three, as the end of a message; or the empty string."""
    folded = {name.casefold(): name for name in known}
    near = close_names(term.casefold(), [*folded], 3, 0.6)
    return f"; did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else ""


def _singular(word: str) -> list[str]:
    """Other forms under which a word may be known."""
    return [word.removesuffix("s"), re.sub("ies$", "y", word), re.sub("(s|x|ch|sh)es$", r"\1", word)]
