"""Files of judgments beside a log: recognised among ``JUDGMENTS`` in this folder's ``__init__.py``, and read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import polars as pl

import sessionkit.readers as registry
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.config import Config
from sessionkit.readers.files import LogFile, open_log
from sessionkit.readers.formats import Glimpse
from sessionkit.readers.raw import Raw
from sessionkit.readers.recognition import fitting, glimpse, looked_for, the_one
from sessionkit.readers.whole import Raws

TOPIC, TEXT = "topic", "query text"
"""What the keys of judgments may be: what the study says they are (topics, sessions), or texts of queries."""


class ReadJudgments(Protocol):
    """Reads one file of judgments."""

    def __call__(self, file: LogFile, config: Config) -> Sequence[Raw]:
        """Return its judgments, under our column names."""


@dataclass(frozen=True)
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
    """

    description: str
    read: ReadJudgments
    fits: Callable[[Glimpse], bool] | None = None
    keys: str = TOPIC
    tried: str = ""


@dataclass(frozen=True)
class Judged:
    """Judgments as they were read, and whether some are of texts of queries."""

    raws: tuple[Raw, ...] = ()
    by_text: bool = False


def read_judgments(paths: Sequence[Path], config: Config, workspace: Path, *, format: str | None = None) -> Judged:
    """Read files of judgments, each in the format it looks like unless `format` names one.

    Raises
    ------
    DataError
        A file is missing or unreadable, or like none of the formats.
    UsageError
        A file is like two of the formats, or there is no format of that name.
    """
    if format is not None and format not in registry.JUDGMENTS:
        raise UsageError(
            f"there is no format {format!r} of judgments{suggestion(format, registry.JUDGMENTS)}; formats: "
            f"{', '.join(registry.JUDGMENTS)}"
        )
    raws: list[Raw] = []
    by_text = False
    for path in paths:
        file = open_log(str(path), Path(), workspace)
        name = format or looks_like(path)
        entry = registry.JUDGMENTS[name or "tables"]
        try:
            raws += entry.read(file, config)
        except DataError as error:
            if name is None:
                raise DataError(f"{error}. Judgments are read as {looked_for(registry.JUDGMENTS)}") from None
            raise
        by_text |= entry.keys == TEXT
    return Judged(tuple(raws), by_text)


def looks_like(path: Path) -> str | None:
    """Return the format that a file of judgments looks like; None where it looks like none."""
    fit = fitting([glimpse(path)], {name: one for name, one in registry.JUDGMENTS.items() if name != "tables"})
    return the_one(fit, path.name, "as format under [judgments] in study.toml")


def keyed_by_text(raws: Raws) -> Raws:
    """Return a log whose queries have their text as judgment_key, unless they have one of their own."""
    return {
        name: [_keyed(raw) for raw in given] if name in ("queries", "results") else given
        for name, given in raws.items()
    }


def _keyed(raw: Raw) -> Raw:
    """Return a source with the text of its queries as judgment_key, where it has texts and no keys."""
    names = raw.frame.collect_schema().names()
    if "query_text" not in names or "judgment_key" in names:
        return raw
    key = pl.col("query_text").cast(pl.String).str.strip_chars().alias("judgment_key")
    members = tuple((start, _keyed(member)) for start, member in raw.members)
    return replace(raw, frame=raw.frame.with_columns(key), members=members)
