"""``sk.read``: from whatever the user has (a study.toml, a log, a study, frames) to a Study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import sessionkit.readers as registry
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.config import Config, as_config, read_config
from sessionkit.readers.frames import from_mapping
from sessionkit.study import Study, open_study
from sessionkit.study.memory import memory_budget

PathText = str | PathLike[str]


def read(
    source: PathText | Mapping[str, Any],
    *,
    format: str | None = None,
    config: PathText | Mapping[str, Any] | None = None,
    judgments: PathText | Sequence[PathText] = (),
    strict: bool = False,
    memory: str | int | None = None,
) -> Study:
    """Read a log into a checked study.

    Parameters
    ----------
    source
        A study.toml; a log file whose columns carry our names; a study directory; or a dict of frames by table name.
    format
        The reader, a name in ``sessionkit formats``; by default what study.toml says, else ``tables``.
    config
        A study.toml (or its content as a dict) that describes the log file `source`.
    judgments
        Files of judgments beside the source: qrels, or tables with our column names.
    strict
        Whether to stop at the first record that breaks a rule, instead of keeping it aside in ``study.rejected``.
    memory
        How much memory reading may take beside what Python and its libraries do (up to 400 MB): ``"4GB"``,
        ``"500MB"``, ``"1.5GiB"`` or a number of bytes; by default a quarter of the machine's. A log that needs more is
        read part by part, through temporary files (in ``TMPDIR``) of about its packed size. Users, judgments and the
        records of any one session are taken to fit. Frames are in memory as they are.

    Returns
    -------
    Study
        Its tables are in memory or, where the log needs more than `memory`, in temporary files that are there as long
        as the study; ``study.save(directory)`` writes them to a place that stays.

    Raises
    ------
    DataError
        A file or column is missing or unreadable, or (`strict`) a record breaks a rule.
    UsageError
        There is no such format, the arguments do not go together, or `memory` is no size.

    Warns
    -----
    DataWarning
        Something unusual that may change what a score means; ``study.notes`` has all that was noticed.
    """
    known = registry.FORMATS
    budget = memory_budget(memory)
    if format is not None and format not in known:
        raise UsageError(f"there is no format {format!r}{suggestion(format, known)}; formats: {', '.join(known)}")
    beside = [Path(judgments)] if isinstance(judgments, str | PathLike) else [Path(path) for path in judgments]
    if isinstance(source, Mapping):
        if config is not None or beside:
            raise UsageError("frames are read as they are: give judgments as the frame 'judgments', and no config")
        return from_mapping(source, strict=strict)
    if not isinstance(source, str | PathLike):
        raise UsageError(
            f"read takes the path of a study.toml, a log or a study, or a dict of frames, not {type(source).__name__}; "
            "sk.from_tables takes frames"
        )
    path = Path(source)
    if path.is_dir():
        if config is not None or beside or format is not None:
            raise UsageError(
                f"{path} is a directory, which is opened as a study; format, config and judgments are for log files"
            )
        return open_study(path)
    described = _described(path, config)
    name = format or described.format
    if name not in known:
        raise DataError(f"{described.name}: format is {name!r}{suggestion(name, known)}; formats: {', '.join(known)}")
    return known[name].read(described, beside, strict=strict, memory=budget)


def _described(path: Path, config: PathText | Mapping[str, Any] | None) -> Config:
    """Return the description of a source: its study.toml, or that of a lone log file."""
    if path.suffix.lower() == ".toml":
        if config is not None:
            raise UsageError(f"{path} is itself a study.toml, so config cannot be given as well")
        return read_config(path)
    if not path.exists():
        raise DataError(f"{path} does not exist; name a study directory, a study.toml or a log file")
    if config is None:
        return Config(path.name, path.parent, tables={"results": {"path": path.name}})
    described = (
        as_config(_with_path(config, path), "config", path.parent)
        if isinstance(config, Mapping)
        else read_config(Path(config))
    )
    results = {**described.tables.get("results", {}), "path": str(path.resolve())}
    return replace(described, tables={**described.tables, "results": results})


def _with_path(config: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return a config whose results may lack a path, since the source is theirs."""
    return {**config, "results": {"path": path.name, **config.get("results", {})}}
