"""What findings share: tables with a reading in plain language, the phrases of readings, and the command that makes the finding again."""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np
import polars as pl

from sessionkit import __version__
from sessionkit.arguments import error_rate, require_choice
from sessionkit.display.export import json_document, latex_table, markdown_table
from sessionkit.display.frames import ResultFrame
from sessionkit.display.numbers import counted, readable
from sessionkit.display.statements import Kind, Statement, Value, require_kinds
from sessionkit.display.tables import TextTable, table_of, with_labels
from sessionkit.display.text import Displayed
from sessionkit.plugins import FILES, Origin, origins
from sessionkit.scoring.measures.registry import MEASURES as KNOWN
from sessionkit.scoring.measures.registry import is_measure
from sessionkit.scoring.score import columns_text
from sessionkit.study import Study
from sessionkit.study.restriction import Restriction

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
    def statements(self) -> tuple[Statement, ...]: ...

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
    """What a verb found: ``table``, the main one of ``tables()``, and ``statements``, the same in words and values.

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
    KINDS: ClassVar[Mapping[str, Kind]] = {}
    """The kinds of its statements; a closed list."""

    def __post_init__(self) -> None:
        """Refuse statements that are not of its kinds."""
        super().__post_init__()
        require_kinds(cast("_Found", self).statements, self.KINDS)

    @property
    def reading(self) -> str:
        """The text of its statements, a line each."""
        return "\n".join(statement.text for statement in cast("_Found", self).statements)

    def of_kind(self, *kinds: str) -> list[Statement]:
        """Return the statements of some kinds, in their order."""
        for kind in kinds:
            require_choice("a kind of statement", kind, [*self.KINDS])
        return [statement for statement in cast("_Found", self).statements if statement.kind in kinds]

    @property
    def text(self) -> str:
        """The finding in words, a line for each thing to say."""
        return self.reading

    def to_latex(self: _Found, name: str | None = None) -> str:
        r"""A table as LaTeX, for ``\usepackage{booktabs}``; if no name is given the main one, as papers print it."""
        return latex_table(_noted(self, name), _label(self, name))

    def to_markdown(self: _Found, name: str | None = None) -> str:
        """A table as Markdown; if no name is given the main one, as papers print it."""
        return markdown_table(_noted(self, name))

    def to_json(self: _Found, name: str | None = None) -> str:
        """All tables, or the one of a name, and the statements as a JSON object.

        Its keys are ``finding`` (the name of the class), ``tables`` (by name, an object for each row), ``statements`` (objects with
        ``kind``, ``text``, ``values``) and ``made_with`` (version, fingerprint of the data, arguments, command). They are stable:
        new ones may be added. ``sessionkit schema statements`` lists the kinds and their values.
        """
        tables = self.tables()
        if name is not None:
            require_choice("a table", name, [*tables])
            tables = {name: tables[name]}
        made_with = None if self.provenance is None else self.provenance.named
        return json_document(tables, self.statements, finding=type(self).__name__, made_with=made_with)

    def paper_table(self: _Found) -> TextTable:
        """The main table as papers print it."""
        tables = self.tables()
        return _named(self, next(each for each, frame in tables.items() if frame is self.table))

    def words_and_tables(self: _Found) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The text of its statements, and the tables that have rows."""
        return [statement.text for statement in self.statements], {
            name: table for name, table in self.tables().items() if len(table)
        }

    def settings_table(self, names: Sequence[str]) -> pl.DataFrame:
        """What it was made with, as names and values."""
        return pl.DataFrame({"name": names, "value": [str(getattr(self, name)) for name in names]})


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
    def named(self) -> dict[str, str | None]:
        """The same as values by name; what there is not is None."""
        first: dict[str, str | None] = {"version": self.version}
        first |= {"plugins": "; ".join(self.plugins)} if self.plugins else {}
        return {
            **first,
            "fingerprint": self.fingerprint,
            "where": self.where,
            **self.arguments,
            "command": self.command,
        }

    @property
    def table(self) -> pl.DataFrame:
        """The same as a table of names and values."""
        return pl.DataFrame([*self.named.items()], schema={"name": pl.String, "value": pl.String}, orient="row")


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


LONGEST = 60
"""Characters of a label, but for its digest."""


PLAIN = re.compile(r"[A-Za-z0-9.@()=]*")
"""Text that a label can have, or that loses brackets, @ and = alone; of other characters several become one."""


MEASURES = ("measures", "measure")


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


COMMANDS = {"effort": "curve --effort", "breakdown_tests": "breakdown --significance"}
"""Commands that are not called as their functions are."""
SOURCES = {"compare": "SCORES", "power": "SCORES", "calibrate": "--counts COUNTS"}
"""What commands call tables that they take in place of a study."""


NAMING = (*MEASURES, "model", "with_", "control")
"""Arguments that name measures."""
REPEATED = ("control", "model", "vary", "with_")
"""Options that are given once for each value; others join values by commas."""
WORK = ("memory", "cache")
"""Arguments that change no number."""


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


NOT_SHOWN = "No difference is shown; any difference within the interval remains possible."
"""What is said of a test that rejects nothing."""
NOT_SHOWN_CORRECTED = (
    "No difference is shown after correction: the interval excludes 0, but it is unadjusted; the adjusted p decides."
)
"""The same where an unadjusted interval excludes 0."""
UNADJUSTED = (
    "Note: intervals are unadjusted, each for one comparison alone; the adjusted p decides. correction=bonferroni gives intervals "
    "that match its p."
)
"""What a reader must know of intervals beside p-values that are corrected by Holm's procedure."""


SESSIONS = {
    "sessions": Kind(
        "Which sessions take part, where not all do",
        {"condition": "the condition that they meet", "sessions": "how many meet it", "of": "how many there are"},
    )
}
"""The first statement of a finding of some sessions."""
LEFT_OUT = {
    "left_out": Kind(
        "What was left out",
        {
            "level": "what it was left out of, such as ``skill novice``; null, all",
            "measure": "text of the measure; null, all",
            "counts": "how many, by what it is",
        },
    )
}
"""What a finding left out."""
MORE = {
    "more": Kind(
        "How many more there are than the statements name",
        {"count": "how many", "what": "what they are", "verb": "the verb whose tables have them"},
    )
}
"""What only the tables of a finding have."""


def stated(statements: Iterable[Statement], restriction: Restriction | None = None) -> tuple[Statement, ...]:
    r"""Return the statements of a finding; no name from a log starts a line of its own or acts on a terminal.

    Where only some sessions take part, the first says which these are.

    >>> stated([Statement("difference", "The mean of A\nB is higher.")])[0].text
    'The mean of A\\nB is higher.'
    """
    first = [] if restriction is None else [_sessions(restriction)]
    return tuple(replace(each, text="".join(map(_shown, each.text))) for each in (*first, *statements))


def _sessions(restriction: Restriction) -> Statement:
    """Say which sessions take part."""
    values: dict[str, Value] = {
        "condition": restriction.condition,
        "sessions": restriction.sessions,
        "of": restriction.of,
    }
    return Statement("sessions", f"Sessions where {restriction}.", values)


def _shown(character: str) -> str:
    """A character, written out where it cannot be seen."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def detectable_text(difference: float | None) -> str:
    """The true difference that would have been detected with power .8; empty where it is not known.

    >>> detectable_text(0.0713)
    ' A true difference of 0.0713 would be detected with power 0.8.'
    """
    return (
        "" if difference is None else f" A true difference of {readable(difference)} would be detected with power 0.8."
    )


def left_out_statements(left_out: Mapping[str, int]) -> list[Statement]:
    """Say what was left out, a statement each.

    >>> left_out_statements({"sessions without system_id": 1200})[0].text
    'Sessions without system_id: 1,200.'
    """
    return [
        Statement(
            "left_out",
            f"{what[:1].upper()}{what[1:]}: {count:,}.",
            {"level": None, "measure": None, "counts": {what: count}},
        )
        for what, count in left_out.items()
    ]


def more_in_table(more: int, one: str, verb: str) -> list[str]:
    """That the tables of a verb have more rows than were read out; none where they have not.

    >>> more_in_table(2, "comparison", "compare"), more_in_table(0, "comparison", "compare")
    (['2 more comparisons are in the tables of sessionkit compare.'], [])
    """
    are = "is" if more == 1 else "are"
    return [f"{counted(more, f'more {one}')} {are} in the tables of sessionkit {verb}."] if more > 0 else []
