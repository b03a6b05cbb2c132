"""What a finding was made with, and the command that makes it again."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import polars as pl

from sessionkit import __version__
from sessionkit.plugins import FILES, Origin, origins
from sessionkit.scoring.measures.registry import MEASURES as KNOWN
from sessionkit.scoring.measures.registry import is_measure
from sessionkit.scoring.score import columns_text
from sessionkit.study import Study

COMMANDS = {"effort": "curve --effort", "breakdown_tests": "breakdown --significance"}
"""Commands that are not called as their functions are."""
SOURCES = {"compare": "SCORES", "power": "SCORES", "calibrate": "--counts COUNTS"}
"""What commands call tables that they take in place of a study."""
MEASURES = ("measures", "measure")
NAMING = (*MEASURES, "model", "with_", "control")
"""Arguments that name measures."""
REPEATED = ("control", "model", "vary", "with_")
"""Options that are given once for each value; others join values by commas."""
WORK = ("memory", "cache")
"""Arguments that change no number."""


@dataclass(frozen=True)
class Provenance:
    """What a finding was made with.

    Parameters
    ----------
    version
        Of sessionkit.
    fingerprint
        That of the study's sources, see `sessionkit.Study.fingerprint`; None of tables in memory.
    where
        The condition that its sessions meet; None, all take part.
    arguments
        What was asked for, as text by name, defaults included.
    command
        The command that makes the finding again, of a saved study or a file of scores; None where an argument has no text, or a
        measure is in no file that ``--plugin`` takes.
    label
        What papers call its main table, see `paper_label`.
    labels
        What the study calls its groups in tables, by their names.
    plugins
        The modules of others whose measures took part: name, version and hash of the file.
    """

    version: str
    fingerprint: str | None
    where: str | None
    arguments: Mapping[str, str]
    command: str | None
    label: str
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    plugins: tuple[str, ...] = ()

    @property
    def table(self) -> pl.DataFrame:
        """The same as names and values; what there is not is null."""
        given: dict[str, str | None] = {"version": self.version}
        given |= {"plugins": "; ".join(self.plugins)} if self.plugins else {}
        given |= {"fingerprint": self.fingerprint, "where": self.where}
        rows = [*(given | {**self.arguments}).items(), ("command", self.command)]
        return pl.DataFrame(rows, schema={"name": pl.String, "value": pl.String}, orient="row")


def provenance_of(verb: str, arguments: Mapping[str, object], usual: Mapping[str, object]) -> Provenance:
    """Return what a call of a function of a study, or of scores, asked for.

    Parameters
    ----------
    verb
        The function's name.
    arguments, usual
        Its arguments and their defaults, by name, the study or scores the first of them.
    """
    (_, source), *others = arguments.items()
    told = {name: value for name, value in others if name not in (*WORK, "where")}
    changed = {name: value for name, value in told.items() if _differs(value, usual[name])}
    where, restriction = arguments.get("where"), source.restriction if isinstance(source, Study) else None
    conditions = [restriction.condition] if restriction is not None else []
    conditions += [str(where)] if where is not None else []
    condition = " and ".join(f"({each})" for each in conditions) if len(conditions) > 1 else "".join(conditions) or None
    in_shell = (restriction is None or restriction.sql) and isinstance(where, str | None)
    options: dict[str, list[str | None]] = {name: [*map(_text, _each(value))] for name, value in changed.items()}
    options |= {"where": [condition if in_shell else None]} if condition is not None else {}
    known = {name: cast("list[str]", texts) for name, texts in options.items() if None not in texts}
    used = origins(kind for name in NAMING for one in _each(told.get(name)) for kind in _kinds(one))
    complete = len(known) == len(options) and all(one.installed or one.plugin for one in used)
    where_from = "STUDY" if isinstance(source, Study) else SOURCES.get(verb)
    texts = {name.rstrip("_"): _text(value) for name, value in told.items() if value is not None}
    return Provenance(
        version=__version__,
        fingerprint=source.fingerprint if isinstance(source, Study) else None,
        where=condition,
        arguments={name: "a table" if text is None else text for name, text in texts.items() if text != ""},
        command=_command(verb, where_from, known, used) if complete and where_from else None,
        label=paper_label(verb, {name: [*map(str, _each(value))] for name, value in changed.items()}, condition),
        labels=source.settings.labels if isinstance(source, Study) else {},
        plugins=tuple(map(str, used)),
    )


PLAIN = re.compile(r"[A-Za-z0-9.@()=]*")
"""Text that a label can have, or that loses brackets, @ and = alone; of other characters several become one."""
LONGEST = 60
"""Characters of a label, but for its digest."""


def paper_label(verb: str, options: Mapping[str, Sequence[str]], where: str | None = None) -> str:
    """Return a label for a table of a paper: verb, measures and what is not by default; another for another question.

    Where characters cannot stand in a label, or it is too long, a digest of the whole follows. It does not depend on the data, so
    that references stay when these grow.

    >>> paper_label("compare", {"measures": ["nsDCG@10"], "by": ["skill"]})
    'compare-nsDCG-10-by-skill'
    >>> paper_label("score", {"measures": ["AP"]}, where="queries >= 2")
    'score-AP-where-queries-2-66cc1a'
    """
    words = [verb, *(text for name in MEASURES for text in options.get(name, ()))]
    for name, values in {**options, **({} if where is None else {"where": [where]})}.items():
        words += [] if name in MEASURES else [name, *values]
    text = "-".join("-".join(re.findall(r"[A-Za-z0-9.]+", word)) for word in words)
    if len(text) <= LONGEST and all(map(PLAIN.fullmatch, words)):
        return text
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{text[:LONGEST].rstrip('-.')}-{digest}"


def _differs(value: object, usual: object) -> bool:
    """Whether an argument is another than its default, which no table, array or expression is."""
    plain = isinstance(value, str | int | float | list | tuple | Mapping | None)
    return not plain or (value != usual and _text(value) != _text(usual))


def plugin_words(used: Iterable[Origin], *, named: bool = True) -> list[str]:
    """The options by which a command knows the plugins of this process, and others that were used; their files named or not."""
    files = dict.fromkeys([*FILES, *filter(None, (one.plugin for one in used))])
    return [word for file in files for word in ("--plugin", file if named else "PLUGIN")]


def _kinds(given: Any) -> list[type]:  # noqa: ANN401 - a measure, a text or a table
    """The classes of measures of others that an argument names."""
    if is_measure(given):
        return [type(given.inner)]
    known = KNOWN.given()
    return [type(known[word]) for word in re.findall(r"[A-Za-z_]\w*", str(given)) if word in known]


def _command(verb: str, source: str, texts: Mapping[str, Sequence[str]], used: Iterable[Origin]) -> str:
    """A command line."""
    words = ["sessionkit", *plugin_words(used), *COMMANDS.get(verb, verb.replace("_", "-")).split(), *source.split()]
    words += [text for name in MEASURES for text in texts.get(name, ())]
    for name, values in texts.items():
        if name not in MEASURES:
            option = f"--{name.rstrip('_').replace('_', '-')}"
            joined = columns_text(values) if name == "by" else ",".join(values)
            words += [word for text in (values if name in REPEATED else [joined]) for word in (option, text)]
    return shlex.join(words)


def _each(value: object) -> Iterable[object]:
    """The values of an argument that may have several; those of `sessionkit.sweep` by parameter."""
    if isinstance(value, Mapping):
        return [f"{name}={_text(each)}" for name, each in value.items()]
    if isinstance(value, np.ndarray | pl.Series):
        return value.tolist() if isinstance(value, np.ndarray) else value.to_list()
    return value if isinstance(value, list | tuple) else [value]


def _text(value: object) -> str | None:
    """An argument as text that the command line reads; None of a table, which it cannot read."""
    if isinstance(value, Mapping | list | tuple | np.ndarray | pl.Series):
        texts = [_text(each) for each in _each(value)]
        return None if None in texts else ",".join(cast("list[str]", texts))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return None if hasattr(value, "columns") else "all" if value is None else str(value)
