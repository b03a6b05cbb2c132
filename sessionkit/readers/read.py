"""``sk.read`` and ``sk.from_tables``: from a study.toml, a log, a saved study or tables in memory to a checked study."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Never, Unpack, get_args

import polars as pl

import sessionkit.readers as registry
from sessionkit.arguments import MissingPositions, MissingTopics, path_of, paths_of, require_bool, require_choice
from sessionkit.errors import DataError, UsageError, suggestion, warn
from sessionkit.readers.checks.cells import alias_notes, under_our_names
from sessionkit.readers.checks.rows import Aside
from sessionkit.readers.column_names import folded
from sessionkit.readers.config import Config, as_config, loaded_toml
from sessionkit.readers.exclusions import BY_KEY, exclusions_of
from sessionkit.readers.format import UNKNOWN, Glimpse, fitting, glimpse, the_one
from sessionkit.readers.ingest import ingest
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.run_sessions import deciding_key, judged_keys
from sessionkit.study import Settings, Study, open_study
from sessionkit.study.batches import memory_budget
from sessionkit.study.checks import as_text
from sessionkit.study.schema import TABLES
from sessionkit.study.settings import MISSING, SettingValues
from sessionkit.study.storage import DESCRIPTOR
from sessionkit.study.tabular import Frame, columns_of_table, numbered

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


QUERY, DOCUMENT = ("qid", "queryid"), ("docno", "docid", "corpusid")
"""What query ids and documents are called in PyTerrier, ir_datasets, ranx and BEIR, folded."""
QRELS = {"judgment_key": QUERY, "doc_id": DOCUMENT, "grade": ("relevance", "label", "rel")}
"""What columns of judgments are called there."""
ALIASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "results": {"query_id": QUERY, "doc_id": DOCUMENT},
    "queries": {"query_id": QUERY},
    "judgments": {**QRELS, "judgment_key": (*QUERY, "topicid")},
}
"""What columns of each table are called elsewhere."""


def from_tables(
    results: Frame = None,
    judgments: Frame = None,
    queries: Frame = None,
    sessions: Frame = None,
    users: Frame = None,
    *,
    empty_list: str | None = None,
    exclude: Frame = None,
    exclude_query_doc: bool = False,
    strict: bool = False,
    **settings: Unpack[SettingValues],
) -> Study:
    """Make a study of tables in memory, with our column names, checked like those of a file.

    Columns that are called as in PyTerrier, ir_datasets or BEIR are taken where ours are not there, and a note says which: ``qid``
    is the query_id of results and queries, ``qid``, ``query_id`` or ``topic_id`` the judgment_key of judgments, ``docno`` or ``docid``
    the doc_id, ``relevance`` or ``label`` the grade. Where judgments came by query id, queries have theirs as judgment_key, if
    that is what they hold.

    Parameters
    ----------
    results
        session_id, query_position, rank, doc_id; when it is the only one, sessions and queries are derived from it.
    judgments
        judgment_key, doc_id, grade.
    queries, sessions, users
        The other tables, where there are any; a column that sessions lack, such as system_id, is taken from queries or results.
    empty_list
        A text that, in place of a rank or a document or in any column of a row that lacks one of them, means that the query
        returned nothing; "" for an empty rank.
    exclude
        Documents to leave out: a table with the columns judgment_key and doc_id, or its file. They leave the lists, the judgments and
        so the ideals of the queries with that judgment_key; lower ranks move up.
    exclude_query_doc
        Whether to leave out, for each judgment_key, the document with the same id, as BEIR ignores identical ids.
    strict
        Whether to stop at the first row or value that breaks a rule.
    settings
        Study settings by name: ``max_grade=3``, ``merge="max"``, ...

    Raises
    ------
    DataError
        A required column is missing, an object is not a table, or (`strict`) a row breaks a rule.
    UsageError
        No setting has that name.

    Examples
    --------
    >>> study = from_tables(
    ...     {"session_id": ["a", "a"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "y"], "topic_id": "t"},
    ...     {"judgment_key": ["t"], "doc_id": ["y"], "grade": [2]},
    ... )
    >>> study
    <Study: 1 session, 1 query, 2 results, 1 judgment>
    >>> from_tables(
    ...     {"session_id": ["a", "a"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "y"], "topic_id": "t"},
    ...     {"judgment_key": ["t"], "doc_id": ["y"], "grade": [2]},
    ...     exclude={"judgment_key": ["t"], "doc_id": ["x"]},
    ... )
    <Study: 1 session, 1 query, 1 result, 1 judgment>
    """
    timezone = settings.get("timezone")
    given = {"users": users, "sessions": sessions, "queries": queries, "results": results, "judgments": judgments}
    if results is None and queries is None:
        raise DataError("neither results nor queries were given; a study needs one of them")
    declared = Settings.of(settings)
    if empty_list is not None and not isinstance(empty_list, str):
        raise UsageError(f"empty_list must be the text that says a list was empty, not {empty_list!r}")
    empty = {"results": empty_list}
    raws, notes, by_query = dict[str, Raw](), list[str](), False
    for name, frame in given.items():
        if frame is not None:
            raws[name], renamed = raw_of_frame(
                name, frame, ALIASES.get(name, {}), empty_list=empty.get(name), timezone=timezone
            )
            notes += alias_notes(raws[name].source, renamed)
            by_query |= name == "judgments" and folded(renamed.get("judgment_key", "")) in QUERY
    notes += _key_queries(raws) if by_query else []
    sources = {name: [raw] for name, raw in raws.items()}
    config = Config("from_tables", Path(), exclude_query_doc=exclude_query_doc)
    exclusions = exclusions_of(config, exclude)
    aside = Aside(notes=tuple(notes))
    return ingest(sources, declared, defaults={}, reader="frames", strict=strict, aside=aside, exclusions=exclusions)


def from_mapping(frames: Mapping[str, Frame], *, strict: bool = False, **settings: Any) -> Study:  # noqa: ANN401
    """Return the study of a dict of tables by name, with settings by name.

    Raises
    ------
    UsageError
        A name is no table's.
    """
    for name in frames:
        if name not in TABLES:
            raise UsageError(
                f"a study has no table {name!r}{suggestion(str(name), TABLES)}; tables: {', '.join(TABLES)}"
            )
    return from_tables(**dict(frames), strict=strict, **settings)


def raw_of_frame(
    table: str,
    frame: Frame,
    aliases: Mapping[str, Sequence[str]],
    *,
    source: str | None = None,
    empty_list: str | None = None,
    timezone: str | None = None,
) -> tuple[Raw, dict[str, str]]:
    """Return a frame as a source under our names, and which columns became ours: our column = theirs.

    Raises
    ------
    DataError
        It is no table, has a column that cannot be taken, or lacks one.
    """
    rows, renamed = numbered_rows(frame, aliases, source or f"{table} frame")
    records = rows.select(pl.len()).collect().item()
    raw = Raw(table, source or f"{table} frame", rows, records, as_json(rows), timezone=timezone)
    return under_our_names(raw, {}, empty_list=empty_list), renamed


def numbered_rows(
    frame: Frame, aliases: Mapping[str, Sequence[str]], source: str
) -> tuple[pl.LazyFrame, dict[str, str]]:
    """Return the rows of a frame with their numbers, and which columns were renamed to ours: our column = theirs.

    Parameters
    ----------
    aliases
        For columns of ours what others call them, folded, the likeliest first.

    Raises
    ------
    DataError
        It is no table, or has a column that cannot be taken.
    """
    name = source.removesuffix(" frame")
    lazy = columns_of_table(frame, name)
    types = lazy.collect_schema()
    taken: dict[str, str] = {}
    for ours, others in aliases.items():
        free = [name for name in types if name not in taken.values() and folded(name) in others]
        if ours not in types and free:
            taken[ours] = min(free, key=lambda name: others.index(folded(name)))
    return numbered(lazy.rename({theirs: ours for ours, theirs in taken.items()})), taken


def _key_queries(raws: dict[str, Raw]) -> list[str]:
    """Give queries their query_id as judgment_key where the keys of judgments are found there, and say so."""
    owner = "queries" if "queries" in raws else "results"
    types: dict[str, pl.Schema] = {
        name: raws[name].frame.collect_schema() for name in ("sessions", "queries", "results") if name in raws
    }
    if "query_id" not in types[owner] or any("judgment_key" in columns for columns in types.values()):
        return []
    columns = [name for name in ("query_id", "topic_id") if name in types[owner]]
    texts = [as_text(name, types[owner][name]).alias(name) for name in columns]
    frame = raws[owner].frame
    if deciding_key(frame.select(texts).unique().collect(), judged_keys([raws["judgments"]])) != "query_id":
        return []
    key = as_text("query_id", types[owner]["query_id"]).alias("judgment_key")
    raws[owner] = replace(raws[owner], frame=frame.with_columns(key))
    return ["judgments: their keys are the query ids of the log"]
