"""What a format of logs or judgments is, and how the format of a file is recognized by what it holds."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from sessionkit.display.text import in_html
from sessionkit.errors import UsageError
from sessionkit.readers.io.files import DAMAGED, HEAD, PARQUET, beginning, unpacked, unread
from sessionkit.readers.io.tables import columns_of
from sessionkit.study import Study

if TYPE_CHECKING:
    from sessionkit.readers.config import Config
    from sessionkit.readers.io.files import LogFile
    from sessionkit.readers.raw import Raw

KINDS = ("string", "integer", "number", "boolean", "object")
"""Types that the value of an option may have, as JSON Schema names them."""


@dataclass(frozen=True)
class Glimpse:
    """What recognition may look at: never the whole of a file.

    Parameters
    ----------
    path
        Where it lies.
    name
        The last part of its path.
    head
        The first 64 KB of its text, unpacked; empty for what is no text.
    is_folder
        Whether it is a folder.
    names
        Of a folder the paths of the files in it, relative to it, sorted.
    columns
        Of a Parquet file the names of its columns.
    """

    path: Path
    name: str
    head: str
    is_folder: bool = False
    names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def says(self) -> bool:
        """Whether there is something to go by: a text that is not blank, or names of columns."""
        return bool(self.head.strip() or self.columns)


@dataclass(frozen=True)
class Option:
    """What study.toml may say of a format, beside the settings of a study.

    Parameters
    ----------
    meaning
        What it says, in a sentence.
    kind
        Type of the value, one of :data:`KINDS`; several where it can be any of them.
    default
        The value where nothing is said.
    allowed
        Possible values; empty, all of its type.
    many
        Whether it is a list of such values; one value then stands for a list of one.
    """

    meaning: str
    kind: str | tuple[str, ...] = "string"
    default: Any = None
    allowed: tuple[Any, ...] = ()
    many: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        one: dict[str, Any] = {"type": [self.kind] if isinstance(self.kind, str) else list(self.kind)}
        if self.allowed:
            one = {"enum": list(self.allowed)}
        if self.many:
            one = {"anyOf": [one, {"type": "array", "items": one}]}
        return {**one, "description": self.meaning}

    @property
    def type(self) -> str:
        """The type of its values, for people."""
        kinds = " or ".join([self.kind] if isinstance(self.kind, str) else self.kind)
        return f"list of {kinds}" if self.many else kinds

    @property
    def spelled_default(self) -> str:
        """Its default as study.toml would say it; empty where there is none."""
        return "" if self.default is None else json.dumps(self.default)

    def value(self, given: Any) -> Any:  # noqa: ANN401 - whatever study.toml says
        """Return the value to work with: a list for an option that is one."""
        return list(given) if self.many and isinstance(given, list | tuple) else [given] if self.many else given


@dataclass(frozen=True, repr=False)
class Format:
    """One log format.

    Parameters
    ----------
    description
        What it is, in a line.
    read
        Its reader. `frames_reader` makes one of a function from a file to tables; those of sessionkit come from ``records.reader``.
    fits
        Whether something looks like it, by its content and not by its name alone; None: it is never recognized.
    options
        What study.toml may say of it beside settings. ``topics`` and ``session_gap`` can be given on the command line.
    tried
        On which real files it was tried, or that it never was and from what it was built.
    beside
        Whether something that does not look like it may stand beside a file that does, as it belongs to it.
    missing_positions
        What queries are whose position is missing, as settings say it, where nothing else is said: ``empty`` in runs of Dynamic Domain,
        which have no line for a list without documents.
    """

    description: str
    read: Callable[..., Study]
    fits: Callable[[Glimpse], bool] | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    tried: str = ""
    beside: Callable[[Glimpse], bool] | None = None
    missing_positions: str | None = None

    def fits_all(self, glimpses: Sequence[Glimpse]) -> bool:
        """Return whether these are one log of this format: each looks like it or belongs beside what does."""
        if self.fits is None:
            return False
        others = [glimpse for glimpse in glimpses if not self.fits(glimpse)]
        return len(others) < len(glimpses) and (
            not others or (self.beside is not None and all(map(self.beside, others)))
        )

    @property
    def table(self) -> pl.DataFrame:
        """What study.toml may say of it: option, type, default, allowed values, meaning."""
        rows = [
            (key, one.type, one.spelled_default, ", ".join(map(str, one.allowed)), one.meaning)
            for key, one in self.options.items()
        ]
        names = ("option", "type", "default", "allowed", "meaning")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")

    def __repr__(self) -> str:
        """What it is."""
        return f"<Format: {self.description}>"

    def _repr_html_(self) -> str:
        """The same with its options, for a notebook."""
        said = [self.description, *([f"Tried on: {self.tried}"] if self.tried else [])]
        return in_html(said, {"Options": self.table} if self.options else {})


TOPIC, TEXT = "topic", "query text"
"""What the keys of judgments may be: what the study says they are (topics, sessions), or texts of queries."""


class ReadJudgments(Protocol):
    """Reads one file of judgments."""

    def __call__(self, file: LogFile, config: Config) -> Sequence[Raw]:
        """Return its judgments, under our column names; ``config.of_judgments`` is what study.toml says of this file."""


@dataclass(frozen=True, repr=False)
class Judgments:
    """One format of judgments.

    Parameters
    ----------
    description
        What it is, in a line.
    read
        Called as ``read(file, config)``, returns sources of the table judgments.
    fits
        Whether a file looks like it, by its content and not by its name alone.
    keys
        Of what its judgment_key is the name: :data:`TOPIC` or :data:`TEXT`, which makes the text of every query its key.
    tried
        On which real files it was tried, or that it never was and from what it was built.
    parquet
        Whether it is read from Parquet as well.
    takes
        What [judgments] may say of its table, beside what it may say of any file: path, format, encoding, keys and grade_values.
    """

    description: str
    read: ReadJudgments
    fits: Callable[[Glimpse], bool] | None = None
    keys: str = TOPIC
    tried: str = ""
    parquet: bool = False
    takes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """What it is."""
        return f"<Judgments: {self.description}>"


TOPICS = Option("The file that says what the topics, or tasks, of the sessions are.")
"""The option of formats that take a file of topics."""
SESSION_GAP = Option(
    'Inactivity that ends a session: seconds, or text such as "30m" or "1h".',
    kind=("string", "integer", "number"),
    default="30m",
)
"""The option of formats that cut events into sessions."""
CUT_SESSIONS = Option(
    "Whether sessions that the log names are cut where they pause for longer than session_gap, as where a user id stands for "
    "the session. The parts are called s-1, s-2, ...",
    kind="boolean",
    default=False,
)
"""The option of formats whose log names sessions that may be long."""


UNKNOWN = "does not look like a known log format; --from FORMAT names one, sessionkit formats lists them"
"""What is said of a source that is not recognized."""
MOST = 10_000
"""Names of files in a folder that are looked at: the first, folder by folder, by name."""


class Recognized(Protocol):
    """An entry of a registry that may say what it looks like."""

    @property
    def fits(self) -> Callable[[Glimpse], bool] | None:
        """Whether something looks like it."""


def glimpse(path: Path) -> Glimpse:
    """Look at the beginning of a file, or at the names in a folder; what cannot be read shows nothing."""
    if path.is_dir():
        names = tuple(sorted(islice(_files_in(path), MOST)))
        return Glimpse(path, path.resolve().name, "", is_folder=True, names=names)
    try:
        head = b""
        if path.is_file():  # a pipe could be waited for without end
            with unpacked(path) as stream:
                head = stream.read(HEAD)
    except DAMAGED:  # whoever reads it says what is wrong with it
        head = b""
    if head.startswith(PARQUET) or unread(head, path.name):
        return Glimpse(path, path.name, "", columns=columns_of(path) if head.startswith(PARQUET) else ())
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", errors="replace").encode()
    return Glimpse(path, path.name, beginning(head).decode(errors="replace"))


def _files_in(folder: Path) -> Iterator[str]:
    """Return the files in a folder and its folders, those that are hidden apart, by name, in whatever order the system lists them."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = (Path(place, name) for name in sorted(files) if not name.startswith("."))
        yield from (path.relative_to(folder).as_posix() for path in inside if path.is_file())


def hidden(path: Path) -> bool:
    """Return whether a file or one of the folders it is in has a name that begins with a dot."""
    return any(part.startswith(".") for part in path.parts)


def fitting(glimpses: Sequence[Glimpse], registry: Mapping[str, Recognized]) -> list[str]:
    """Return the names of the formats that all of these look like."""
    return [
        name
        for name, entry in registry.items()
        if entry.fits is not None and all(entry.fits(glimpsed) for glimpsed in glimpses)
    ]


def the_one(names: Sequence[str], source: str, remedy: str) -> str | None:
    """Return the only one of these formats, None where there is none.

    Raises
    ------
    UsageError
        There are several; `remedy` says how to name one.
    """
    if len(names) > 1:
        raise UsageError(f"{source} can be read as {' and as '.join(names)}; say which, {remedy}")
    return names[0] if names else None
