"""Files of judgments beside a log: recognized among the registered formats, read, and keyed by topics or by texts of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

import sessionkit.readers as registry
from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.config import Config
from sessionkit.readers.format import TEXT, Glimpse, Judgments, fitting, glimpse, the_one
from sessionkit.readers.io.files import LogFile, open_log, paths_in
from sessionkit.readers.io.tables import WHITESPACE, columns_of
from sessionkit.readers.raw import Raw, Sources
from sessionkit.study.checks import as_text

KNOWN = "sessionkit formats --reads judgments lists the formats of judgments"
OF_ALL = {"path", "format", "encoding", "keys", "grade_values"}
"""What study.toml may say of a file of judgments in any format."""
DESCRIBE = {"separator", "quote", "header", "columns", "sheet", "skip", "list"}
"""What describes a table, which then is not recognized."""
BINARY = {"parquet": "Parquet", "workbook": "a workbook"}
"""Kinds of files that are no text, in words."""
OF_QRELS = ("qrels_column", "grades")
"""Options of formats of logs that say how qrels are taken."""


@dataclass(frozen=True)
class JudgmentSources:
    """Judgments as they were read, and the files whose keys are texts of queries, or what the study says they are."""

    raws: tuple[Raw, ...] = ()
    of_texts: tuple[str, ...] = ()
    of_topics: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, raws: Sequence[Raw], keys: str) -> JudgmentSources:
        """Return those of one file, whose keys are of this kind."""
        texts, topics = ((name,), ()) if keys == TEXT else ((), (name,))
        return cls(tuple(raws), texts, topics, locale_warnings(raws))

    def __add__(self, later: JudgmentSources) -> JudgmentSources:
        """Return these and those of more files."""
        return JudgmentSources(
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


@dataclass(frozen=True)
class JudgmentFile:
    """A file of judgments that was found, and how it is to be read.

    Parameters
    ----------
    path
        Where it lies.
    file
        The same, opened.
    format
        Its name in ``JUDGMENTS``: as study.toml says, else what the file looks like; None where that is nothing known.
    config
        What study.toml says of the log and, under [judgments], of this file.
    grade_values
        Values of grades that are words.
    """

    path: Path
    file: LogFile
    format: str | None
    config: Config
    grade_values: Mapping[str, float]

    @property
    def keys(self) -> str:
        """What its judgment_key is the name of: as study.toml says, else as its format does."""
        return str(self.config.tables["judgments"].get("keys", self._entry.keys))

    def read(self) -> JudgmentSources:
        """Return its judgments.

        Raises
        ------
        DataError
            It cannot be read as its format.
        """
        try:
            raws = [with_grade_values(raw, self.grade_values) for raw in self._entry.read(self.file, self.config)]
        except DataError as error:
            if self.format is None:
                raise _unknown(self.path, error) from None
            raise
        return JudgmentSources.of(self.file.name, raws, self.keys)

    @property
    def _entry(self) -> Judgments:
        """Its format; what is like none is read as a table with our column names, which says what is missing."""
        return registry.JUDGMENTS[self.format or "tables"]


def judgment_files(config: Config, beside: Sequence[Path], copies: Path) -> list[JudgmentFile]:
    """Find the file that study.toml describes under [judgments], and those beside the log, none of which is read yet.

    Whatever the format of the log, this is where it is settled what each is. Options of [judgments] are of the file that it
    names; ``grade_values`` hold for all.

    Raises
    ------
    DataError
        A file is missing or unreadable, or an option is said of it that its format does not take.
    UsageError
        A file is like two of the formats, or there is no format of that name.
    """
    own = config.tables.get("judgments")
    paths = [] if own is None else paths_in(own["path"], config.folder)
    described = [(config.folder, path, own or {}) for path in paths]
    others: list[tuple[Path, str, Mapping[str, Any]]] = [(Path(), str(path), {}) for path in beside]
    files = [_found(base, name, options, config, copies) for base, name, options in (*described, *others)]
    _refuse_idle(files, config)
    return files


def read_judgments(files: Sequence[JudgmentFile]) -> JudgmentSources:
    """Read files of judgments, those of study.toml before those beside the log."""
    return sum((file.read() for file in files), JudgmentSources())


def _found(base: Path, name: str, options: Mapping[str, Any], config: Config, copies: Path) -> JudgmentFile:
    """Return a file of judgments, opened, with its format."""
    named = options.get("format")
    if named is not None and named not in registry.JUDGMENTS:
        raise UsageError(
            f"there is no format {named!r} of judgments{suggestion(named, registry.JUDGMENTS)}; formats: "
            f"{', '.join(registry.JUDGMENTS)}"
        )
    path = base / name
    file = open_log(
        name, base, copies, encoding=options.get("encoding"), section="judgments", memory=config.memory, workbook=True
    )
    format_ = named or _described(options) or looks_like(file, path)
    entry = registry.JUDGMENTS[format_ or "tables"]
    if (file.kind == "parquet" and not entry.parquet) or (file.kind == "workbook" and format_ not in (None, "tables")):
        readable = [
            one
            for one, other in registry.JUDGMENTS.items()
            if other.parquet and (file.kind == "parquet" or one == "tables")
        ]
        raise DataError(
            f"{file.name} is {BINARY[file.kind]}, which format {format_} does not read; formats that do: {listed(readable)}"
        )
    for option in options:
        if option not in OF_ALL and option not in entry.takes:
            other = "" if named else ', or say format = "tables" if it is a table of another kind'
            raise DataError(
                f"{config.name}: [judgments] sets {option} for {file.name}, which is read as {format_} and takes no "
                f"{option}. Leave it out{other}"
            )
    said = replace(config, tables={**config.tables, "judgments": options})
    return JudgmentFile(path, file, format_, said, config.word_grades)


def _described(options: Mapping[str, Any]) -> str | None:
    """Return the format of a file whose columns study.toml describes; None where it does not, and it is recognized."""
    if not DESCRIBE & set(options):
        return None
    bare = options.get("separator") == WHITESPACE and not options.get("header") and "columns" not in options
    return "qrels" if bare else "tables"


def _refuse_idle(files: Sequence[JudgmentFile], config: Config) -> None:
    """Raise DataError where study.toml says how qrels are taken, and none are given."""
    taken = registry.FORMATS[config.format].options
    for option in OF_QRELS:
        if option in taken and config.options.get(option, taken[option].default) != taken[option].default:
            if any(file.format == "qrels" for file in files):
                continue
            names = [f"{one.file.name} ({one.format or 'tables'})" for one in files]
            given = f"the judgments are {listed(names)}" if names else "no judgments are given"
            raise DataError(
                f"{config.name}: {option} = {config.options[option]!r} applies to qrels, but {given}; leave {option} "
                "out, or give qrels"
            )


def with_grade_values(raw: Raw, values: Mapping[str, float]) -> Raw:
    """Return judgments whose grades that are words have their values; as they are where no value is of a grade there."""
    types = raw.frame.collect_schema()
    if not values or "grade" not in types:
        return raw
    grade = as_text("grade", types["grade"]).str.strip_chars()
    given = raw.frame.select(grade).collect().to_series()
    words = given.filter(given != "").cast(pl.Float64, strict=False).null_count()
    if not words and not given.is_in(list(values)).any():
        return raw
    frame = raw.frame.rename({"raw_grade": "raw_grade_given"}, strict=False)
    numbers = {word: str(value) for word, value in values.items()}
    return replace(raw, frame=frame.with_columns(grade.replace(numbers).alias("grade"), raw_grade="grade"))


def _unknown(path: Path, error: DataError) -> DataError:
    """Return the error about a file that looks like no judgments: like a log, or like nothing known."""
    look = glimpse(path)
    if not look.says:
        return error
    if logs := fitting([look], registry.FORMATS):
        return DataError(f"{path.name} is not a file of judgments but looks like a log ({logs[0]}); {KNOWN}")
    return DataError(f"{error}; {KNOWN}")


def looks_like(file: LogFile, path: Path) -> str | None:
    """Return the format that a file of judgments looks like, in the encoding it is opened in; None where it looks like none."""
    is_table = file.kind == "parquet"
    head = "" if file.kind in BINARY else file.head.decode(errors="replace")
    look = Glimpse(path, path.name, head, columns=columns_of(file.path) if is_table else ())
    fit = fitting([look], {name: one for name, one in registry.JUDGMENTS.items() if name != "tables"})
    return the_one(fit, path.name, "as format under [judgments] in study.toml")


def keyed_by_text(raws: Sources) -> Sources:
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


LOCALES = ("product_locale", "query_locale", "locale")


def locale_warnings(raws: Iterable[Raw]) -> tuple[str, ...]:
    """Return warnings of keys with judgments of several locales, as texts of queries of ESCI may be."""
    said = []
    for raw in raws:
        there = raw.frame.collect_schema().names()
        for name in LOCALES:
            if name in there and {"judgment_key", "doc_id"} <= set(there):
                said += _of_locales(raw, name)
    return tuple(said)


def _of_locales(raw: Raw, name: str) -> list[str]:
    """Return the warning of keys with judgments of several locales, where there are such."""
    many = pl.col(name).drop_nulls().n_unique() > 1
    found = raw.frame.group_by("judgment_key").agg(many.alias("many")).filter("many").select("judgment_key").collect()
    if found.is_empty():
        return []
    return [
        f"{raw.source}: {counted(len(found), 'key')} with judgments of several values of {name} (first: "
        f"{found['judgment_key'].min()!r}), which count as those of one; several of one document are merged as merge says. "
        "Keep one of them in the file if the log is of one"
    ]
