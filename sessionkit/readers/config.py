"""study.toml: read, held against ``schemas/study.schema.json``, and turned into values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, time
from pathlib import Path
from typing import Any

import polars as pl

import sessionkit.readers as registry
from sessionkit.errors import DataError, suggestion
from sessionkit.study import Settings
from sessionkit.study.checks import COLUMN, RECORD, RULE, check_types, check_values
from sessionkit.study.schema import TABLES, document, table
from sessionkit.study.settings import check_timezone

SECTIONS = (*TABLES, "clicks")
"""What a study.toml of format tables describes: the tables of a study, and clicks that become columns of the results."""
EXCLUDES = ("exclude", "exclude_query_doc")
"""How the documents that a study leaves out are said, in any format."""
OF_OTHERS = ("path", "encoding")
"""What formats other than tables take for the whole log."""
LONGEST = 10_000_000
"""Bytes that a study.toml may have."""
SETTINGS = (
    "title",
    "primary",
    "labels",
    "better",
    "equivalence",
    "synthetic",
    "max_grade",
    "unjudged_grades",
    "merge",
    "collection_size",
    "timezone",
    "missing_positions",
)


@dataclass(frozen=True)
class Config:
    """What a study.toml says.

    Parameters
    ----------
    name
        The file's name, for messages.
    folder
        The directory that paths are relative to.
    format
        The reader's name.
    settings
        What is declared about the study.
    tables
        Per table, its options: ``path``, ``separator`` and so on. For whoever reads a file of judgments, those of judgments
        are said of this file.
    defaults
        Constants for the sessions table.
    questionnaires
        Per questionnaire, its options, as of a table.
    paths
        Of a format that is not ``tables``: the files and folders of the log.
    options
        What is said of the format, a value for each of its options.
    encoding
        Of a format that is not ``tables``: that of its files, where it is not UTF-8.
    grade_values
        Values of grades that are words, as the command gives them.
    memory
        Bytes of memory that reading may use; None, what it uses by default.
    exclude
        The file that lists the documents to leave out.
    exclude_query_doc
        Whether a document is left out for the judgment_key that is its own id.
    """

    name: str
    folder: Path
    format: str = "tables"
    settings: Settings = field(default_factory=Settings)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    questionnaires: tuple[Mapping[str, Any], ...] = ()
    paths: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    encoding: str | None = None
    grade_values: Mapping[str, float] = field(default_factory=dict)
    memory: int | None = None
    exclude: str | None = None
    exclude_query_doc: bool = False

    def with_grade_values(self, grade_values: Mapping[str, float]) -> Config:
        """Return it with the command's values of grades that are words, which go before those of [judgments]."""
        return replace(self, grade_values=dict(grade_values))

    @property
    def of_judgments(self) -> dict[str, Any]:
        """How the table in a file of judgments is written, as far as it is said."""
        of_all = ("path", "format", "keys", "grade_values")
        return {key: value for key, value in self.tables.get("judgments", {}).items() if key not in of_all}

    @property
    def word_grades(self) -> dict[str, float]:
        """Values of grades that are words: as the command says, else as [judgments] does."""
        return {**self.tables.get("judgments", {}).get("grade_values", {}), **self.grade_values}


def loaded_toml(path: Path) -> dict[str, Any]:
    """Return what a study.toml says, unchecked; DataError where it is not there or is not TOML."""
    if path.exists() and not path.is_file():
        raise DataError(
            f"{path} is not a file; a study.toml says how to read a log (sessionkit help own-logs shows one)"
        )
    if path.is_file() and path.stat().st_size > LONGEST:
        raise DataError(f"{path} is not a study.toml: it is larger than {LONGEST / 10**6:g} MB")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise DataError(
            f"{path}: no such file; a study.toml says how to read a log (sessionkit help own-logs shows one)"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error})") from None
    except RecursionError:
        raise DataError(f"{path} is not a study.toml: its values are nested too deeply") from None
    except ValueError as error:  # not TOML, or a number of thousands of digits
        raise DataError(f"{path} is not TOML: {str(error).partition(';')[0]}") from None


def as_config(loaded: Mapping[str, Any], name: str, folder: Path) -> Config:
    """Return the values of a study.toml that has been parsed already, after checking them.

    Raises
    ------
    DataError
        A key is unknown or a value impossible.
    """
    format_ = loaded.get("format", "tables")
    known = registry.FORMATS
    if isinstance(format_, str) and format_ not in known:
        raise DataError(f"{name}: format is {format_!r}{suggestion(format_, known)}; formats: {', '.join(known)}")
    _check(loaded, name, schema_of(format_))
    sections = SECTIONS if format_ == "tables" else TABLES  # other formats may have an option "clicks"
    tables: dict[str, Any] = {section: loaded[section] for section in sections if section in loaded}
    try:
        for options in tables.values():
            check_timezone(options.get("timezone"))
        usual = {"missing_positions": known[format_].missing_positions}
        settings = Settings.of({**usual, **{key: loaded[key] for key in SETTINGS if key in loaded}})
        defaults = typed_defaults(loaded.get("defaults", {}), settings.timezone)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    taken = known[format_].options.items()
    values = {key: option.value(loaded[key]) if key in loaded else option.default for key, option in taken}
    paths = loaded.get("path", ())
    paths = (paths,) if isinstance(paths, str) else tuple(paths)
    encoding = None if "encoding" in values else loaded.get("encoding")
    asked = tuple(loaded.get("questionnaires", ()))
    excludes = {key: loaded[key] for key in EXCLUDES if key in loaded}
    return Config(name, folder, format_, settings, tables, defaults, asked, paths, values, encoding, **excludes)


def schema_of(format: str) -> dict[str, Any]:
    """Return the JSON Schema of a study.toml of this format: settings, and what the format takes beside them."""
    schema = document("study.schema")
    if format not in registry.FORMATS:
        return schema
    properties = schema["properties"]
    if format == "tables":
        return {**schema, "properties": {key: properties[key] for key in properties if key not in OF_OTHERS}}
    shared = ("format", *SETTINGS, *EXCLUDES, *OF_OTHERS, "judgments", "questionnaires", "defaults")
    options = {key: option.schema for key, option in registry.FORMATS[format].options.items()}
    return {**schema, "properties": {**{key: properties[key] for key in shared}, **options}}


def typed_defaults(given: Mapping[str, Any], timezone: str | None) -> dict[str, Any]:
    """Return the constants for sessions, those of declared columns as values of their type.

    Raises
    ------
    DataError
        A value breaks a rule of its column, or the column can have no constant.
    """
    sessions = table("sessions")
    for column in given:
        if column in sessions.key or column.startswith("__"):
            why = "every session has its own" if column in sessions.key else "such names are reserved"
            raise DataError(f"defaults.{column}: {why}; constants are for other columns of the sessions")
    declared = {column: [value] for column, value in given.items() if column in sessions.names}
    if not declared:
        return dict(given)
    row = pl.LazyFrame({RECORD: [1], **declared})
    checked = check_types(row, sessions, timezone=timezone, required=declared)
    checked = check_values(checked, sessions, required=declared)
    if not checked.broken.is_empty():
        rule, column = checked.broken[RULE][0], checked.broken[COLUMN][0]
        raise DataError(f"defaults.{column} = {_spelled(given[column])}: {rule} does not hold")
    typed = checked.accepted.row(0, named=True)
    return {column: typed.get(column, value) for column, value in given.items()}


def _spelled(value: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, date | time) else repr(value)


def _check(loaded: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> None:
    """Raise DataError at the first thing the schema does not allow."""
    from jsonschema import Draft202012Validator  # slow to import, needed for this alone
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(dict(loaded)))
    if error is None:
        return
    where = ".".join(str(part) for part in error.absolute_path)
    place = f"{name}: [{where}]" if where in TABLES else f"{name}: {where}" if where else name
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        if unknown in OF_OTHERS and not where:
            raise DataError(
                f"{place}: unknown key {unknown!r}; for format tables it belongs under each table, such as [results]"
            )
        raise DataError(f"{place}: unknown key {unknown!r}{suggestion(unknown, known)}; known here: {', '.join(known)}")
    if error.validator == "required":
        raise DataError(
            f"{place}: {error.message.replace(' is a required property', '')} is missing; it names the file"
        )
    about = error.schema.get("description") or (error.parent.schema.get("description", "") if error.parent else "")
    raise DataError(f"{place} = {_spelled(error.instance)}: {error.message.split(' is ', 1)[-1]}. {about}".rstrip())
