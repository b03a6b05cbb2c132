"""Files of judgments beside a log: recognised among ``JUDGMENTS`` in ``judgments/__init__.py``, and read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import polars as pl

import sessionkit.readers as registry
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.checking.locales import locale_warnings
from sessionkit.readers.checking.whole import Raws
from sessionkit.readers.coming import Coming, Sources
from sessionkit.readers.config import Config
from sessionkit.readers.entries import TEXT, TOPIC
from sessionkit.readers.files.described import read_table
from sessionkit.readers.files.keeping import in_memory
from sessionkit.readers.files.opening import open_log
from sessionkit.readers.raw import Raw
from sessionkit.readers.recognition import fitting, glimpse, the_one
from sessionkit.showing.words import listed

KNOWN = "sessionkit formats --judgments lists what judgments can be"


@dataclass(frozen=True)
class Judged:
    """Judgments as they were read, and the files whose keys are texts of queries, or what the study says they are."""

    raws: tuple[Raw, ...] = ()
    of_texts: tuple[str, ...] = ()
    of_topics: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, raws: Sequence[Raw], keys: str) -> Judged:
        """Return those of one file, whose keys are of this kind."""
        texts, topics = ((name,), ()) if keys == TEXT else ((), (name,))
        return cls(tuple(raws), texts, topics, locale_warnings(raws))

    def __add__(self, later: Judged) -> Judged:
        """Return these and those of more files."""
        return Judged(
            (*self.raws, *later.raws),
            (*self.of_texts, *later.of_texts),
            (*self.of_topics, *later.of_topics),
            (*self.said, *later.said),
        )

    @property
    def by_text(self) -> bool:
        """Whether some are of texts of queries, which every query then goes by."""
        return bool(self.of_texts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may change scores: judgments of several locales, and of both kinds, as a query goes by one of them."""
        if not (self.of_texts and self.of_topics):
            return self.said
        texts, topics = " and ".join(self.of_texts), " and ".join(self.of_topics)
        return (
            *self.said,
            f"judgments: keys are texts of queries in {texts}, topics in {topics}; a query that has a text goes by it, so "
            f"{topics} serves only queries without; give judgments of one kind",
        )


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
    judged = Judged()
    for path in paths:
        file = open_log(str(path), Path(), workspace)
        name = format or looks_like(path)
        entry = registry.JUDGMENTS[name or "tables"]
        if file.kind == "parquet" and not entry.parquet:
            readable = [one for one, other in registry.JUDGMENTS.items() if other.parquet]
            raise DataError(f"{file.name} is Parquet, from which no {name} are read, but {listed(readable)}")
        try:
            judged += Judged.of(file.name, entry.read(file, config), entry.keys)
        except DataError as error:
            if name is None:
                raise _unknown(path, error) from None
            raise
    return judged


def judgments_of(config: Config, beside: Sequence[Path], copies: Path) -> Judged:
    """Return the judgments that study.toml describes under [judgments], and those in files beside the log."""
    judged = read_judgments(beside, config, copies)
    if "judgments" not in config.tables:
        return judged
    options = config.tables["judgments"]
    if set(options) <= {"path", "format", "labels"}:
        own = read_judgments([config.folder / options["path"]], config, copies, format=options.get("format"))
    else:
        file = open_log(options["path"], config.folder, copies, encoding=options.get("encoding"))
        table = read_table(file, "judgments", options, config=config, keep=in_memory)
        own = Judged.of(file.name, [table], options.get("keys", TOPIC))
    return own + judged


def _unknown(path: Path, error: DataError) -> DataError:
    """Return the error about a file that looks like no judgments: like a log, or like nothing known."""
    look = glimpse(path)
    if not look.says:
        return error
    if logs := fitting([look], registry.FORMATS):
        return DataError(f"{path.name} is no judgments, it looks like a log ({logs[0]}); {KNOWN}")
    return DataError(f"{error}; {KNOWN}")


def looks_like(path: Path) -> str | None:
    """Return the format that a file of judgments looks like; None where it looks like none."""
    fit = fitting([glimpse(path)], {name: one for name, one in registry.JUDGMENTS.items() if name != "tables"})
    return the_one(fit, path.name, "as format under [judgments] in study.toml")


def keyed_by_text(raws: Raws) -> Raws:
    """Return a log whose queries have their text as judgment_key, unless they have one of their own."""
    return {name: [_keyed(raw) for raw in given] for name, given in raws.items()}


def _keyed(raw: Raw) -> Raw:
    """Return a source of queries or results with the text of its queries as judgment_key, where it has texts and no keys."""
    names = raw.frame.collect_schema().names()
    if raw.table not in ("queries", "results") or "query_text" not in names or "judgment_key" in names:
        return raw
    key = pl.col("query_text").cast(pl.String).str.strip_chars().alias("judgment_key")
    members = tuple((start, _keyed(member)) for start, member in raw.members)
    return replace(raw, frame=raw.frame.with_columns(key), members=members)


class ByText:
    """A log on its way, whose queries have their text as judgment_key unless they have one of their own.

    Parameters
    ----------
    coming
        The log as it is.
    """

    def __init__(self, coming: Coming) -> None:
        self._coming, self.at_once = coming, coming.at_once

    @property
    def log(self) -> Sources:
        """Its sources."""
        return _all_keyed(self._coming.log)

    def parts(self, budget: int) -> Generator[Callable[[], Sequence[Sources]], None, None]:
        """Return the log, some whole sessions at a time."""
        with closing(self._coming.parts(budget)) as parts:
            for part in parts:
                yield partial(_each_keyed, part)


def _each_keyed(part: Callable[[], Sequence[Sources]]) -> Sequence[Sources]:
    """Return some parts of a log, keyed."""
    return [_all_keyed(sources) for sources in part()]


def _all_keyed(log: Sources) -> Sources:
    """Return the sources of a log with the text of its queries as judgment_key."""
    return {name: _keyed(raw) for name, raw in log.items()}
