"""From sources, a study.toml and options of the command to one description: which format, which files, which options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import sessionkit.readers as registry
from sessionkit.arguments import path_of
from sessionkit.errors import DataError, UsageError, warn
from sessionkit.readers.config import Config, as_config, loaded_toml
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.sniffer import UNKNOWN, fitting, glimpse, the_one

LOG = ("sessions", "queries", "results")
COMMAND = {
    "topics": "--topics-file",
    "session_gap": "--session-gap",
    "session_from": "--session-from",
    "missing_topics": "--missing-topics",
}
"""What the command line calls options that it can give."""
BESIDE = ("topics", "query_map")
"""Options that name a file beside the log."""


@dataclass(frozen=True)
class LogDescription:
    """A description, and whether its format was named or recognized, not just supposed."""

    config: Config
    recognized: bool = True


@dataclass(frozen=True)
class StudyToml:
    """What a study.toml says, unchecked, and where it stands."""

    loaded: Mapping[str, Any]
    name: str
    folder: Path


def describe(
    paths: Sequence[Path],
    format: str | None,
    config: str | PathLike[str] | Mapping[str, Any] | None,
    command: Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
) -> LogDescription:
    """Return the description of a log.

    Parameters
    ----------
    paths
        Its files and folders, or the study.toml that names them.
    format
        As the command line says.
    config
        A study.toml, or its content, that describes the files.
    command
        Options of the format that the command line gives.
    settings
        Settings of the study that the command line gives, which go before those of study.toml.

    Raises
    ------
    DataError
        Something is not there, or looks like no format.
    UsageError
        The sources do not go together, look like two formats, or the format does not take an option.
    """
    tomls = [path for path in paths if path.suffix.lower() == ".toml"]
    if tomls and config is not None:
        raise UsageError(f"{tomls[0]} is itself a study.toml, so config cannot be given as well")
    if tomls and len(paths) > 1:
        raise UsageError(f"give one source if it is a study.toml: {tomls[0]} names the files of its study")
    if tomls:
        said = StudyToml({**loaded_toml(tomls[0]), **(settings or {})}, tomls[0].name, tomls[0].parent)
        return _described(said, [], format, command)
    for path in paths:
        if not path.exists():
            raise DataError(f"{path} does not exist; name a study directory, a study.toml or a log file")
    if isinstance(config, Mapping):
        said = StudyToml(config, "config", paths[0].parent)
    elif config is not None:
        file = path_of("config", config)
        said = StudyToml(loaded_toml(file), file.name, file.parent)
    else:
        said = StudyToml({}, paths[0].name, paths[0].parent)
    return _described(replace(said, loaded={**said.loaded, **(settings or {})}), list(paths), format, command)


def _described(said: StudyToml, paths: list[Path], format: str | None, command: Mapping[str, Any]) -> LogDescription:
    """Return the description of a log whose files are `paths` or, where there are none, those that study.toml names."""
    declared = said.loaded.get("format")
    if format is not None and declared is not None and format != declared:
        raise UsageError(f"{said.name} says format = {declared!r}, the command says {format!r}; leave out one of them")
    named = format or declared
    if named is None and not (set(LOG) & set(said.loaded)):
        named = _recognized(paths or _named(said))
    name = "tables" if named is None else named
    _refuse_untaken(name, command)
    if name == "tables":
        return LogDescription(
            _tables(said, paths, command), recognized=named is not None or bool(set(LOG) & set(said.loaded))
        )
    loaded = {**said.loaded, **command, "format": name}
    if not paths:
        return LogDescription(as_config(loaded, said.name, said.folder))
    folder = Path(os.path.commonpath([path.resolve().parent for path in paths]))
    settled = as_config({**loaded, "path": [str(path) for path in paths]}, said.name, said.folder)
    inside = tuple(str(path.resolve().relative_to(folder)) for path in paths)
    return LogDescription(replace(_at_home(settled), folder=folder, paths=inside))


def _at_home(config: Config) -> Config:
    """Return a description whose judgments and maps are named by their whole path, as its folder is to change."""
    beside = {name: config.options[name] for name in BESIDE if config.options.get(name) is not None}
    whole = {name: str((config.folder / path).resolve()) for name, path in beside.items()}
    exclude = None if config.exclude is None else str((config.folder / config.exclude).resolve())
    config = replace(config, options={**config.options, **whole}, exclude=exclude)
    if "judgments" not in config.tables:
        return config
    options = config.tables["judgments"]
    given = options["path"]
    paths = [str((config.folder / path).resolve()) for path in ([given] if isinstance(given, str) else given)]
    own = {**options, "path": paths}
    return replace(config, tables={**config.tables, "judgments": own})


def _named(said: StudyToml) -> list[Path]:
    """Return the files that a study.toml names without saying their format."""
    given = said.loaded.get("path", ())
    listed = [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else []
    return [said.folder / one for one in listed if isinstance(one, str)]


def _recognized(paths: Sequence[Path]) -> str | None:
    """Return the format that these look like, None where a lone file looks like none."""
    if not paths:
        return None
    glimpses = [glimpse(path) for path in paths]
    names = [name for name, entry in registry.FORMATS.items() if entry.fits_all(glimpses)]
    own = [name for name in names if name in registry.FORMATS.own]
    if len(own) == 1 and len(names) > 1:
        others = " and as ".join(name for name in names if name not in own)
        told = f"{paths[0].name} is read as {own[0]}, and looks like {others} as well; --from FORMAT names another"
        warn(told)
        names = own
    name = the_one(names, paths[0].name, "with --from or format in study.toml")
    if name is None and (len(paths) > 1 or paths[0].is_dir()):
        apart = [f"{one.name} ({', '.join(_alone(one)) or 'none'})" for one in glimpses]
        raise DataError(
            f"several formats: {', '.join(apart)}; --from FORMAT names one, and files of judgments go to --judgments"
            if len(paths) > 1
            else f"{paths[0].name} {UNKNOWN}; files of judgments go to --judgments"
        )
    return name


def _alone(glimpsed: Glimpse) -> list[str]:
    """Return the formats of logs and of judgments that something looks like by itself."""
    return [
        *fitting([glimpsed], registry.FORMATS),
        *(f"judgments: {one}" for one in fitting([glimpsed], registry.JUDGMENTS)),
    ]


def _refuse_untaken(name: str, command: Mapping[str, Any]) -> None:
    """Raise UsageError where the command line gives an option that the format does not take."""
    taken = registry.FORMATS[name].options if name in registry.FORMATS else command
    for option in command:
        if option not in taken:
            raise UsageError(f"format {name} takes no {option} ({COMMAND[option]}); see: sessionkit formats {name}")


def _tables(said: StudyToml, paths: list[Path], command: Mapping[str, Any]) -> Config:
    """Return the description of a log that is tables."""
    if len(paths) > 1:
        raise UsageError(
            f"format tables takes one source, not {len(paths)}; name the files of the study in a study.toml"
        )
    loaded = {**said.loaded, **command}
    if not paths:
        given = loaded.get("path")
        if not set(LOG) & set(loaded) and (isinstance(given, str) or (isinstance(given, list) and len(given) == 1)):
            loaded["results"] = {"path": loaded.pop("path") if isinstance(given, str) else loaded.pop("path")[0]}
        return as_config(loaded, said.name, said.folder)
    path = paths[0]
    if not said.loaded:
        return as_config({**loaded, "results": {"path": path.name}}, path.name, path.parent)
    if said.name == "config":
        loaded["results"] = {"path": path.name, **loaded.get("results", {})}
    described = as_config(loaded, said.name, said.folder)
    results = {**described.tables.get("results", {}), "path": str(path.resolve())}
    return replace(described, tables={**described.tables, "results": results})
