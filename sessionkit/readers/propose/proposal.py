r"""What a proposal is made of: lines of a study.toml, the questions at them, and the text they come to.

TOML as it is written: keys, values and comments, whatever the names and texts of a log hold.

>>> spelled('say "hi"\n'), spelled(["", "NA"]), spelled({"a b": 1}), spelled(False), key("Page #")
('"say \\"hi\\"\\n"', '["", "NA"]', '{ "a b" = 1 }', 'false', '"Page #"')
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessionkit.errors import ACTING, visible

BARE = re.compile(r"[A-Za-z0-9_-]+")
LONE = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no text in UTF-8 can hold."""
LONG = 80
"""Characters of a text from the log that a comment shows."""


def spelled(value: Any) -> str:  # noqa: ANN401 - whatever a study.toml may say
    """Return a value as TOML spells it: text, number, boolean, list or mapping."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # what JSON escapes TOML reads alike; a text is printed as well, so that nothing in it may act on a terminal
        return ACTING.sub(_escape, json.dumps(LONE.sub("\ufffd", value), ensure_ascii=False))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {spelled(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(spelled, value)) + "]"
    return repr(value)


def key(name: str) -> str:
    """Return a key as TOML spells it: as it is, or between quotes."""
    return name if BARE.fullmatch(name) else spelled(name)


def quoted(text: object) -> str:
    """Return a text from the log as a comment shows it: between quotes, cut where it is long, nothing in it acting.

    >>> print(quoted("a\\x1b[0m\\n]"))
    'a\\e[0m\\n]'
    """
    given = str(text)
    short = given if len(given) <= LONG else f"{given[: LONG - 1]}\u2026"
    return f"'{visible(short)}'"


def commented(text: str) -> str:
    """Return a sentence as lines of comment: each begins with a number sign, and none ends within.

    >>> print(commented("? is 2 the top?"))
    # ? is 2 the top?
    """
    return f"# {visible(text)}".rstrip()


def _escape(found: re.Match[str]) -> str:
    """Return a character as both JSON and TOML write it out."""
    return f"\\u{ord(found[0]):04x}"


@dataclass(frozen=True)
class Line:
    """One line of a study.toml.

    Parameters
    ----------
    key, value
        What it says; without a key it is a comment alone.
    questions
        What cannot be known of it, each with the evidence.
    remarks
        What a reader should know.
    idle
        Whether it stands there as a comment, to be made valid by whoever answers.
    """

    key: str = ""
    value: Any = None
    questions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    idle: bool = False

    @property
    def lines(self) -> list[str]:
        """Its text, the comments first."""
        said = [commented(f"? {one}") for one in self.questions] + [commented(one) for one in self.remarks]
        if not self.key:
            return said
        return [*said, f"{'# ' if self.idle else ''}{key(self.key)} = {spelled(self.value)}"]


@dataclass(frozen=True)
class TomlSection:
    """A table of a study.toml, or one item of an array of tables; that at the top has no name."""

    name: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    remarks: tuple[str, ...] = ()
    is_item: bool = False

    @property
    def text(self) -> str:
        """Its lines, under its name."""
        said = [commented(one) for one in self.remarks]
        name = f"[{'.'.join(map(key, self.name))}]"
        head = [f"[{name}]" if self.is_item else name] if self.name else []
        return "\n".join([*said, *head, *(text for line in self.lines for text in line.lines)])

    @property
    def settings(self) -> dict[str, Any]:
        """What its lines say that are no comments."""
        return {line.key: line.value for line in self.lines if line.key and not line.idle}


@dataclass(frozen=True)
class Question:
    """Something a proposal cannot know.

    Parameters
    ----------
    place
        Where it stands, such as ``results.columns.doc_id``.
    text
        What is asked, with the evidence.
    """

    place: str
    text: str


@dataclass(frozen=True)
class Proposal:
    """A study.toml proposed for some files.

    Parameters
    ----------
    text
        The study.toml, with questions and remarks as comments.
    settings
        What it says, as ``sk.read`` takes it for `config`; its paths are relative to the folder it is for.
    questions
        What it cannot know, in the order of the text.
    """

    text: str
    settings: Mapping[str, Any] = field(repr=False)
    questions: tuple[Question, ...] = ()

    def __str__(self) -> str:
        """The text."""
        return self.text


def left_to_answer(text: str) -> list[str]:
    """Return the questions that stand in the text of a study.toml, each with its line.

    >>> left_to_answer("# ? is 2 the top?\\n# max_grade = 2\\n")
    ['line 1: is 2 the top?']
    """
    mark = commented("? ")
    lines = enumerate(text.splitlines(), start=1)
    return [f"line {number}: {line.removeprefix(mark).strip()}" for number, line in lines if line.startswith(mark)]


def proposal_of(sections: Iterable[TomlSection]) -> Proposal:
    """Return what some sections come to; the one without name comes first."""
    settings: dict[str, Any] = {}
    questions: list[Question] = []
    texts: list[str] = []
    for section in sections:
        inner = settings
        for part in section.name[:-1] if section.is_item else section.name:
            inner = inner.setdefault(part, {})
        if section.is_item:
            inner.setdefault(section.name[-1], []).append(section.settings)
        else:
            inner.update(section.settings)
        texts.append(section.text)
        for line in section.lines:
            place = ".".join([*section.name, *([line.key] if line.key else [])])
            questions += [Question(place, text) for text in line.questions]
    return Proposal("\n\n".join(text for text in texts if text) + "\n", settings, tuple(questions))
