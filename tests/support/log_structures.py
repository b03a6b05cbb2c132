"""How the sample of each format is built, and damage to that structure: to records, sessions, columns, containers, headers.

A format that cannot have some damage says why (:func:`cannot`).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.support.logs import LOGS, Log
from tests.support.mutations import DEEP, LONG

COPIES = 4
"""How often the records of a sample stand in a log that is damaged, so that it has several sessions."""


@dataclass(frozen=True)
class Structure:
    """How a log is built.

    Parameters
    ----------
    syntax
        ``delimited``, ``blanks``, ``json lines``, ``json array``, ``json document`` or ``xml``.
    head, foot
        Lines before and after those of records.
    ids
        What becomes another session in each copy of the records; without it there are no copies.
    separator
        What stands between fields.
    """

    syntax: str
    head: int = 0
    foot: int = 0
    ids: str = ""
    separator: str = ","


TAB = "\t"
STRUCTURES = {
    "tables": Structure("delimited", head=1),
    "tables as tsv": Structure("delimited", head=1, separator=TAB),
    "tables as a json array": Structure("json array"),
    "tables as parquet": Structure("delimited", head=1),
    "tables of sessions": Structure("delimited", head=1),
    **{name: Structure("json lines") for name in LOGS if name.startswith("tables as ndjson")},
    "events": Structure("delimited", head=1, ids="^s1"),
    "ubi": Structure("json lines", ids='"(q1|q2|s1|c1)'),
    "ubi as csv": Structure("delimited", head=1, ids=r"^shop,q\d,c1"),
    "trec_session": Structure("xml", head=1, foot=1, ids='session num="1'),
    "simiir": Structure("blanks", separator=" "),
    "core": Structure("delimited", ids="(?<=,)u?[12](?=,)"),
    "coveo": Structure("delimited", head=1, ids=r"^s\d"),
    "yandex_personalized": Structure("delimited", ids="^0", separator=TAB),
    "aol": Structure("delimited", head=1, ids="^7", separator=TAB),
    "webis_smc": Structure("delimited", ids="^7", separator=TAB),
    "sogou": Structure("delimited", ids="(?<=\t)u1", separator=TAB),
    "srw": Structure("json document"),
    "quepid": Structure("json document"),
    "trec_run": Structure("blanks", ids=r"^30\d", separator=" "),
    "trec_run by score": Structure("blanks", ids=r"^30\d", separator=" "),
    "trec_dd": Structure("delimited", ids="^D1", separator=TAB),
}


@dataclass(frozen=True)
class Parts:
    """The text of a log: what stands before its records, each record, what stands between two, and what after them."""

    head: str
    records: list[str]
    foot: str
    between: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return self.head + self.between.join(self.records) + self.foot


def parts_of(text: str, structure: Structure) -> Parts:
    """Take a text apart; a document is one record."""
    match structure.syntax:
        case "json document":
            return Parts("", [text], "")
        case "json array":
            return Parts("[", [json.dumps(one) for one in json.loads(text)], "]\n", ",\n")
    lines = text.splitlines(keepends=True)
    end = len(lines) - structure.foot
    return Parts("".join(lines[: structure.head]), lines[structure.head : end], "".join(lines[end:]))


def _named(records: list[str], structure: Structure, suffix: str) -> list[str]:
    """Return records of other sessions."""
    return [re.sub(structure.ids, rf"\g<0>{suffix}", one, flags=re.MULTILINE) for one in records]


def sample(name: str) -> Log:
    """Return the log that is damaged: the sample of a format with several sessions."""
    log, structure = LOGS[name], STRUCTURES[name]
    if not structure.ids:
        return log
    ((file, text),) = log.files.items()
    parts = parts_of(text, structure)
    many = [one for copy in range(COPIES) for one in _named(parts.records, structure, str(copy))]
    return replace(log, files={file: replace(parts, records=many).text})


Damaging = Callable[[str, Structure, random.Random], str]


def _block_double(text: str, structure: Structure, draw: random.Random) -> str:
    parts = parts_of(text, structure)
    first = draw.randrange(len(parts.records))
    end = draw.randrange(first + 1, len(parts.records) + 1)
    records = parts.records
    return replace(parts, records=[*records[:end], *records[first:end], *records[end:]]).text


def _sessions_torn(text: str, structure: Structure, draw: random.Random) -> str:
    parts = parts_of(text, structure)
    is_late = [draw.random() < 0.4 for _ in parts.records]
    early, late = (
        [one for one, is_one in zip(parts.records, is_late, strict=True) if is_one == so] for so in (False, True)
    )
    return replace(parts, records=[*early, *late]).text


def _another_behind(text: str, structure: Structure, draw: random.Random) -> str:
    parts = parts_of(text, structure)
    return text + replace(parts, records=_named(parts.records, structure, "9")).text


def _only_header(text: str, structure: Structure, draw: random.Random) -> str:
    return replace(parts_of(text, structure), records=[]).text


def _columns_swapped(text: str, structure: Structure, draw: random.Random) -> str:
    parts = parts_of(text, structure)
    since = draw.randrange(len(parts.records))
    fields = [one.rstrip("\n").split(structure.separator) for one in parts.records]
    one, other = draw.sample(range(min(map(len, fields))), 2)
    for record in fields[since:]:
        record[one], record[other] = record[other], record[one]
    return replace(parts, records=[structure.separator.join(record) + "\n" for record in fields]).text


def _long_field(text: str, structure: Structure, draw: random.Random) -> str:
    ends = [found.end() for found in re.finditer(r"\w(?=\W)", text)]
    at = draw.choice(ends)
    return text[:at] + draw.choice("x9 é") * LONG + text[at:]


Place = tuple[list | dict, int | str]


def _places(value: object) -> list[Place]:
    """Return every value inside of JSON, as what holds it and where."""
    found: list[Place] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for at, inner in items:
        found += [(value, at), *_places(inner)]
    return found


def _in_json(record: str, change: Callable[[object], str], draw: random.Random) -> str:
    """Return JSON with one value in the place of another, written by `change`."""
    value = json.loads(record)
    holder, at = draw.choice(_places(value))
    written, holder[at] = change(holder[at]), "__HERE__"
    return json.dumps(value).replace('"__HERE__"', written)


def _in_one_record(text: str, structure: Structure, draw: random.Random, change: Callable[[str], str]) -> str:
    """Return a log with one record changed."""
    parts = parts_of(text, structure)
    one = draw.randrange(len(parts.records))
    end = "\n" if structure.syntax == "json lines" else ""
    records = [*parts.records]
    records[one] = change(records[one]) + end
    return replace(parts, records=records).text


def _nested(text: str, structure: Structure, draw: random.Random) -> str:
    deep = draw.choice((100, 900, DEEP))
    if structure.syntax == "xml":
        at = draw.choice([found.end() for found in re.finditer(">", text)])
        return text[:at] + "<a>" * deep + "</a>" * deep + text[at:]
    opened, closed = draw.choice((("[", "]"), ('{"a":', "}")))
    inside = "1" if opened != "[" else ""
    return _in_one_record(
        text,
        structure,
        draw,
        lambda record: _in_json(record, lambda _: opened * deep + inside + closed * deep, draw),
    )


def _other_container(text: str, structure: Structure, draw: random.Random) -> str:
    if structure.syntax == "xml":
        found = draw.choice([*re.finditer(r"<(\w+)([^<>]*)>([^<>]*)</\1>", text)])
        tag, attributes, inner = found.groups()
        other = draw.choice(
            (
                f"<{tag}{attributes}><{tag}>{inner}</{tag}></{tag}>",  # an element for a text
                f'<x {tag}="{inner}"/>',  # an attribute for an element
                inner,
                f"<{tag}{attributes}/>",
            )
        )
        return text[: found.start()] + other + text[found.end() :]

    def other_kind(value: object) -> str:
        if isinstance(value, dict):
            return json.dumps(draw.choice(([*value.values()], [value], str(value), None, 1)))
        if isinstance(value, list):
            return json.dumps(
                draw.choice((dict.fromkeys(map(str, range(len(value))), 1), {"a": value}, "x", 7, [value]))
            )
        return json.dumps(draw.choice(([value], {"a": value}, [], {}, [[value, {"b": value}]], True)))

    return _in_one_record(text, structure, draw, lambda record: _in_json(record, other_kind, draw))


def _mark_inside(text: str, structure: Structure, draw: random.Random) -> str:
    parts = parts_of(text, structure)
    one = draw.randrange(len(parts.records))
    return replace(
        parts, records=[("\ufeff" if number == one else "") + record for number, record in enumerate(parts.records)]
    ).text


STRUCTURAL: dict[str, Damaging] = {
    "block of records double": _block_double,
    "sessions torn apart": _sessions_torn,
    "another file behind": _another_behind,
    "only a header": _only_header,
    "columns swapped": _columns_swapped,
    "long field": _long_field,
    "deep value": _nested,
    "other container": _other_container,
    "mark inside": _mark_inside,
}
"""Damage to the structure of a log, by name."""
JSON = ("json lines", "json array", "json document")


def cannot(name: str, kind: str) -> str:
    """Return why a log cannot have some damage; nothing where it can."""
    structure = STRUCTURES[name]
    syntax, is_parquet = structure.syntax, name == "tables as parquet"
    match kind:
        case "block of records double" | "mark inside" if syntax == "json document":
            return "it is one object, not a sequence of records"
        case "sessions torn apart" if syntax in ("json document", "xml"):
            return "a session, or all of them, is one element"
        case "another file behind" if is_parquet:
            return "text is not Parquet; two of its files in one are 'twice'"
        case "only a header" if not (structure.head or syntax == "json array"):
            return "it has no header"
        case "columns swapped" if syntax not in ("delimited", "blanks"):
            return "its values have names"
        case "deep value" | "other container" if syntax not in (*JSON, "xml"):
            return "its fields hold no containers that its syntax knows"
        case "mixed line ends" if is_parquet:
            return "Parquet has no lines"
    return ""
