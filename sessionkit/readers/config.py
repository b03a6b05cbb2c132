"""study.toml: read, held against ``schemas/study.schema.json``, and turned into values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sessionkit.contract import TABLES, document
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
    tables = {table: loaded[table] for table in TABLES if table in loaded}
    for options in tables.values():
        check_timezone(options.get("timezone"))
    settings = Settings.of({key: loaded[key] for key in SETTINGS if key in loaded})
    return Config(name, folder, loaded.get("format", "tables"), settings, tables, loaded.get("defaults", {}))


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
    about = error.schema.get("description", "")
    raise DataError(f"{place} = {error.instance!r}: {error.message.split(' is ', 1)[-1]}. {about}".rstrip())
