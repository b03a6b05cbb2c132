"""Checks of what a caller gives to a public function: a word among some, several names, a path.

Wrong types are refused by a `UsageError` that names the parameter, not by an error from within.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sessionkit.errors import UsageError, suggestion


def require_choice(parameter: str, value: object, choices: Sequence[str]) -> None:
    """Refuse what is not one of the words that a parameter takes.

    >>> require_choice("average", "topic", ["queries", "topics"])
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: average must be queries or topics, not 'topic'; did you mean 'topics'?
    """
    if isinstance(value, str) and value in choices:
        return
    listed = " or ".join(choices) if len(choices) < 3 else f"one of {', '.join(choices)}"
    raise UsageError(f"{parameter} must be {listed}, not {value!r}{suggestion(value, choices)}")


def require_bool(parameter: str, value: object) -> None:
    """Refuse what is neither True nor False, such as the text "no", which Python takes for true.

    >>> require_bool("exclude_query_doc", "no")
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: exclude_query_doc must be True or False, not 'no'
    """
    if not isinstance(value, bool):
        raise UsageError(f"{parameter} must be True or False, not {value!r}")


def names_in(parameter: str, names: str | Iterable[str]) -> list[str]:
    """Return the names that a parameter lists: one by one, or several in a text, joined by commas.

    >>> names_in("keep", "queries, times"), names_in("keep", ["users"])
    (['queries', 'times'], ['users'])
    """
    if isinstance(names, str):
        return [name for name in map(str.strip, names.split(",")) if name]
    listed = list(names) if isinstance(names, Iterable) else [None]
    if isinstance(names, bytes) or not all(isinstance(name, str) for name in listed):
        raise UsageError(f"{parameter} takes a name, or several in a list or joined by commas, not {names!r}")
    return [name for name in map(str.strip, map(str, listed)) if name]


def path_of(parameter: str, path: object) -> Path:
    """Return a path that was given as a text or a path.

    >>> path_of("config", 5)
    Traceback (most recent call last):
    ...
    sessionkit.errors.UsageError: config must be a path, not 5
    """
    try:
        return Path(os.fspath(path))  # type: ignore[call-overload]
    except TypeError:
        raise UsageError(f"{parameter} must be a path, not {path!r}") from None


def paths_of(parameter: str, paths: object) -> list[Path]:
    """Return one path, or several, as a list."""
    if isinstance(paths, str | os.PathLike):
        return [path_of(parameter, paths)]
    if isinstance(paths, bytes) or not isinstance(paths, Iterable):
        raise UsageError(f"{parameter} must be a path or a list of paths, not {paths!r}")
    return [path_of(parameter, path) for path in paths]
