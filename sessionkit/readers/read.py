"""``sk.read``: from whatever the user has (a study.toml, a log, a study, frames) to a Study."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Never, get_args

import sessionkit.readers as registry
from sessionkit.arguments import path_of, paths_of, require_bool, require_choice
from sessionkit.choices import MissingPositions, MissingTopics
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.description import describe
from sessionkit.readers.exclusions import BY_KEY
from sessionkit.readers.frames import from_mapping
from sessionkit.readers.sniffer import UNKNOWN, fitting, glimpse
from sessionkit.study import Study, open_study
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.settings import MISSING
from sessionkit.study.storage import DESCRIPTOR

PathText = str | PathLike[str]


def read(
    source: PathText | Sequence[PathText] | Mapping[str, Any],
    *,
    format: str | None = None,
    config: PathText | Mapping[str, Any] | None = None,
    judgments: PathText | Sequence[PathText] = (),
    grade_values: Mapping[str, float] | None = None,
    topics: PathText | None = None,
    session_gap: str | float | None = None,
    session_from: str | None = None,
    missing_positions: MissingPositions | None = None,
    exclude: PathText | None = None,
    exclude_query_doc: bool = False,
    missing_topics: MissingTopics | None = None,
    strict: bool = False,
    memory: str | int | None = None,
    **others: Never,
) -> Study:
    r"""Read a log into a checked study.

    Parameters
    ----------
    source
        A study.toml; a log file or folder, or several of one log; a study directory; or a dict of frames by table name.
    format
        The reader, a name in ``sessionkit formats``; by default what study.toml says, else what the log looks like.
    config
        A study.toml (or its content as a dict) that describes the log `source`.
    judgments
        Additional files of judgments: qrels, tables with our column names, or another format of judgments.
    grade_values
        Values of grades that are words, such as ``{"Exact": 2, "Partial": 1}``; the words stay in raw_grade.
    topics
        A file of topics or tasks, for formats that take one.
    session_gap
        Inactivity that ends a session, for formats that cut events into sessions: ``"30m"``, ``"1h"`` or seconds.
    session_from
        Of runs whose query ids hold session and position, a regular expression with groups of these names, such as
        ``r"(?P<session>.+)_(?P<position>\d+)"``; without, each query is a session of its own.
    missing_positions
        Queries whose position is missing in a session (1, 2, 4): ``"empty"``, they returned nothing, or ``"not_logged"``,
        their list is unknown and outside measures of relevance. By default what study.toml says, else ``"not_logged"``, with a
        warning, and positions stay as they are; in runs no query is made up, and the column ``turn`` keeps the numbers.
    exclude
        A file of documents to leave out: a table with the columns judgment_key and doc_id, or these two fields a line. They leave the
        lists, the judgments and so the ideals of the queries with that judgment_key; lower ranks move up.
    exclude_query_doc
        Whether to leave out, for each judgment_key, the document with the same id, as BEIR ignores identical ids.
    missing_topics
        Of runs: judged topics, and sessions of a query_map, that a system has no line of. ``"omit"`` leaves them out of its means,
        ``"zero"`` adds them with empty lists, as trec_eval's ``-c`` and ir_measures do. By default what study.toml says, else ``"zero"``
        with a query_map and ``"omit"`` without; a warning then names the systems and what they lack.
    strict
        Whether to stop at the first record or value that breaks a rule, instead of keeping it in ``study.rejected``.
    memory
        Memory limit, in addition to Python and its libraries (up to 400 MB): ``"4GB"``,
        ``"500MB"``, ``"1.5GiB"`` or a number of bytes; by default a quarter of the machine's. A log that needs more is
        read part by part, through temporary files (in ``TMPDIR``) of up to four times its packed size. Users, judgments and the
        records of any one session must fit. Frames stay in memory. A line that is too long for the limit, and a table of many
        columns that is mostly empty and too large for it, are refused.

    Returns
    -------
    Study
        Its tables are in memory or, where the log needs more than `memory`, in temporary files that are there as long
        as the study; ``study.save(directory)`` writes them to a directory.

    Raises
    ------
    DataError
        A file or column is missing or unreadable, or (`strict`) a record breaks a rule.
    UsageError
        There is no such format or argument, the arguments exclude each other, or `missing_positions`,
        `missing_topics` or `memory` is not valid.

    Warns
    -----
    DataWarning
        Something unusual that may change what a score means; ``study.notes`` has all that was noticed.
    """
    _refuse(others)
    known = registry.FORMATS
    budget = memory_budget(memory)
    if format is not None and (not isinstance(format, str) or format not in known):
        raise UsageError(f"there is no format {format!r}{suggestion(format, known)}; formats: {', '.join(known)}")
    settings = {**_settings(missing_positions), **_exclusions(exclude, exclude_query_doc)}
    beside = paths_of("judgments", judgments)
    topics_file = None if topics is None or topics == "" else str(path_of("topics", topics).resolve())
    if missing_topics is not None:
        require_choice("missing_topics", missing_topics, get_args(MissingTopics))
    given = {
        "topics": topics_file,
        "session_gap": session_gap,
        "session_from": session_from,
        "missing_topics": missing_topics,
    }
    command = {name: value for name, value in given.items() if value is not None}
    if isinstance(source, Mapping):
        if config is not None or beside or command or grade_values:
            raise UsageError("frames take no config, and judgments only as the frame 'judgments'")
        return from_mapping(source, strict=strict, **settings)
    paths = _paths(source)
    if len(paths) == 1 and paths[0].is_dir() and not _is_folder_of_log(paths[0], format, config):
        return _open_directory(
            paths[0], is_alone=config is None and format is None and not (beside or command or grade_values or settings)
        )
    found = describe(paths, format, config, command, settings)
    if grade_values:
        if not beside and "judgments" not in found.config.tables:
            raise UsageError(
                "grade_values are values of grades that are words, but no judgments are given: give their file (--judgments FILE, "
                "or [judgments] in study.toml)"
            )
        found = replace(found, config=found.config.with_grade_values(grade_values))
    try:
        within = replace(found.config, memory=budget)
        return known[within.format].read(within, beside, strict=strict, memory=budget)
    except DataError as error:
        glimpses = [glimpse(path) for path in paths]
        if found.recognized or not any(one.says for one in glimpses):
            raise
        if rated := fitting(glimpses, registry.JUDGMENTS):
            raise DataError(
                f"{paths[0].name} contains judgments ({rated[0]}), not a log; give a log, and this file as --judgments. If it is "
                "a log all the same, --from FORMAT says of which format"
            ) from None
        log = "It" if str(error).startswith(paths[0].name) else paths[0].name  # the error may be of its judgments
        own = shlex.join(["sessionkit", "init", *map(str, (*paths, *beside)), "--output", "study.toml"])
        raise DataError(f"{error}. {log} {UNKNOWN}. For a table of your own: {own}") from None


def _open_directory(path: Path, *, is_alone: bool) -> Study:
    """Open a study directory; refuse options of logs beside it, and a folder that is no study."""
    if not is_alone:
        raise UsageError(
            f"{path} is a study directory; format, config, judgments, exclude and missing_positions are for logs"
        )
    if not (path / DESCRIPTOR).exists() and any(path.iterdir()):
        if described := sorted(path.glob("*.toml")):
            raise DataError(
                f"{path} is a folder without a study (no {DESCRIPTOR}); give {described[0]}, which may describe its log"
            )
        raise DataError(f"{path} is a folder without a study (no {DESCRIPTOR}). As a log it {UNKNOWN}")
    return open_study(path)


def _refuse(others: Mapping[str, object]) -> None:
    """Refuse arguments that there are not, such as the options of a format."""
    for name in others:
        near = suggestion(name, inspect.signature(read).parameters)
        said = f'an option of a format stands in a study.toml, or in config={{"format": FORMAT, "{name}": VALUE}}'
        raise UsageError(f"read takes no {name}{near}; {said}")


def _settings(missing_positions: str | None) -> dict[str, str]:
    """Return what the call itself declares of the study."""
    if missing_positions is None:
        return {}
    if missing_positions not in MISSING:
        near = suggestion(str(missing_positions), MISSING)
        raise UsageError(f"missing_positions is {missing_positions!r}{near}; it can be {' or '.join(MISSING)}")
    return {"missing_positions": missing_positions}


def _exclusions(exclude: PathText | None, exclude_query_doc: bool) -> dict[str, Any]:
    """Return what the call itself says of documents to leave out."""
    require_bool(BY_KEY, exclude_query_doc)
    file = {} if exclude is None else {"exclude": str(path_of("exclude", exclude).resolve())}
    return file | ({BY_KEY: True} if exclude_query_doc else {})


def _paths(source: object) -> list[Path]:
    """Return the paths of the sources."""
    given = [source] if isinstance(source, str | PathLike) else source
    if not isinstance(given, list | tuple) or not given or not all(isinstance(one, str | PathLike) for one in given):
        raise UsageError(
            "read takes the path of a study.toml, a log or a study, or a dict of frames, not "
            f"{type(source).__name__}; sk.from_tables takes frames"
        )
    return [Path(one) for one in given]


def _is_folder_of_log(path: Path, format: str | None, config: object) -> bool:
    """Return whether a folder is to be read as a log: as it was said to be one, or looks like one and is no study."""
    if (path / DESCRIPTOR).exists():
        return False
    said = (
        format is not None or (isinstance(config, Mapping) and "format" in config) or isinstance(config, str | PathLike)
    )
    return said or bool(fitting([glimpse(path)], registry.FORMATS))
