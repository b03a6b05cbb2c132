"""study.toml: read, held against ``schemas/study.schema.json``, and turned into values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, RULE, TABLES, check_types, check_values, document, table
from sessionkit.errors import DataError, suggestion
from sessionkit.study import Settings
from sessionkit.study.settings import check_timezone

SETTINGS = ("title", "synthetic", "max_grade", "unjudged_grades", "merge", "collection_size", "timezone")


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
        Per table, its options: ``path``, ``separator`` and so on.
    defaults
        Constants for the sessions table.
    """

    name: str
    folder: Path
    format: str = "tables"
    settings: Settings = field(default_factory=Settings)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


def read_config(path: Path) -> Config:
    """Read a study.toml.

    Raises
    ------
    DataError
        It is missing, is not TOML, or says something it cannot; the message names the key and what is possible there.
    """
    try:
        loaded = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; a study.toml says how to read a log (README.md shows one)") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    return as_config(loaded, path.name, path.parent)


def as_config(loaded: Mapping[str, Any], name: str, folder: Path) -> Config:
    """Return the values of a study.toml that has been parsed already, after checking them.

    Raises
    ------
    DataError
        A key is unknown or a value impossible.
    """
    _check(loaded, name)
    tables = {known: loaded[known] for known in TABLES if known in loaded}
    try:
        for options in tables.values():
            check_timezone(options.get("timezone"))
        settings = Settings.of({key: loaded[key] for key in SETTINGS if key in loaded})
        defaults = typed_defaults(loaded.get("defaults", {}), settings.timezone)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    return Config(name, folder, loaded.get("format", "tables"), settings, tables, defaults)


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
            why = "every session has its own" if column in sessions.key else "sessionkit keeps such names for itself"
            raise DataError(f"defaults.{column}: {why}; constants are for other columns of the sessions")
    declared = {column: [value] for column, value in given.items() if column in sessions.names}
    if not declared:
        return dict(given)
    row = pl.LazyFrame({RECORD: [1], **declared})
    checked = check_values(check_types(row, sessions, timezone=timezone, required=()), sessions)
    if not checked.broken.is_empty():
        rule = checked.broken[RULE][0]
        column = next((column for column in declared if rule.startswith(column)), next(iter(declared)))
        raise DataError(f"defaults.{column} = {_spelled(given[column])}: {rule} does not hold")
    typed = checked.accepted.row(0, named=True)
    return {column: typed.get(column, value) for column, value in given.items()}


def _spelled(value: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, date | time) else repr(value)


def _check(loaded: Mapping[str, Any], name: str) -> None:
    """Raise DataError at the first thing the schema does not allow."""
    from jsonschema import Draft202012Validator  # slow to import, needed for this alone
    from jsonschema.exceptions import best_match

    schema = document("study.schema")
    error = best_match(Draft202012Validator(schema).iter_errors(dict(loaded)))
    if error is None:
        return
    where = ".".join(str(part) for part in error.absolute_path)
    place = f"{name}: [{where}]" if where in TABLES else f"{name}: {where}" if where else name
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        raise DataError(f"{place}: unknown key {unknown!r}{suggestion(unknown, known)}; known here: {', '.join(known)}")
    if error.validator == "required":
        raise DataError(
            f"{place}: {error.message.replace(' is a required property', '')} is missing; it names the file"
        )
    about = error.schema.get("description") or (error.parent.schema.get("description", "") if error.parent else "")
    raise DataError(f"{place} = {_spelled(error.instance)}: {error.message.split(' is ', 1)[-1]}. {about}".rstrip())
