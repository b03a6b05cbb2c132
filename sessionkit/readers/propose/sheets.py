"""Sheets as people keep them: sheets of a workbook, titles above a header, files of one table, what the names of files say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.words import listed
from sessionkit.readers.input_files import filled
from sessionkit.readers.io.log_files import files_of
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import ROWS, Sample
from sessionkit.readers.raw import OF_SHEET

SEARCHERS = ("p", "pp", "vp", "vpn", "u", "s", "k", "part", "tn", "subj")
"""Short words before a number that say a participant."""
TOPICS = ("t", "task", "a", "q")
"""Short words before a number that say a task."""


def files_in(path: Path) -> list[Path]:
    """Return a file, or the files of a log in a folder, in the order of their names."""
    if not path.is_dir():
        return [path]
    files = [one for one in files_of(path) if one.suffix.lower() != ".toml"]
    return [path / name for name in filled([one.name for one in files], path)]


def together(samples: Sequence[Sample], folders: Sequence[Path]) -> list[Sample]:
    """Return the samples, those with the same columns as one: of files in a folder or given by name, or of sheets of a workbook."""
    alike: dict[tuple[object, ...], list[Sample]] = {}
    for sample in samples:
        own = (sample.path,) if not sample.named or "sheet" in sample.options or sample.kind == "ndjson" else ()
        written = tuple((key, str(sample.options.get(key))) for key in ("separator", "header", "skip"))
        alike.setdefault((tuple(sorted(sample.columns)), sample.kind, written, *own), []).append(sample)
    groups = [
        part
        for group in alike.values()
        for part in ([[one] for one in group] if _are_measured_again(group) else [group])
    ]
    return [group[0] if len(group) == 1 else _as_one(group, folders) for group in groups]


def _are_measured_again(group: Sequence[Sample]) -> bool:
    """Return whether files have a row for each respondent, most of whom are in all, as questionnaires before and after a task."""
    first = group[0]
    respondents = [ours for ours in ("session_id", "user_id") if _is_called(first, ours)]
    if len(group) == 1 or not respondents or not first.named:
        return False
    by = [ours for ours in ("topic_id", "system_id") if _is_called(first, ours)]
    names = {max(first.columns, key=lambda name: likeness(name, ours)) for ours in (*respondents, *by)}
    keys = [sample.texts.select(sorted(names)).drop_nulls() for sample in group]
    if any(rows.height < 2 or rows.is_duplicated().any() for rows in keys):
        return False
    common = reduce(lambda left, right: left.join(right, on=sorted(names), how="semi"), keys)
    return 2 * common.height > max(rows.height for rows in keys)


def _as_one(group: Sequence[Sample], folders: Sequence[Path]) -> Sample:
    """Return samples of files, or sheets, with the same columns as that of one table, with the columns that their names hold."""
    first = next((sample for sample in group if sample.frame.height), group[0])
    sheets = [str(sample.options["sheet"]) for sample in group if "sheet" in sample.options]
    found = names_of_files(sheets or [sample.path.name for sample in group])
    told = {name: values for name, values in found.values.items() if not _is_said(group, name, values)}
    if found.doubt and any(_is_called(first, ours) for ours in ("user_id", "session_id")):
        told = {}
    pattern = f"{OF_SHEET if sheets else ''}{found.pattern}" if told else ""
    for name in set(found.values) - set(told):
        pattern = pattern.replace(f"?P<{name}>", "?:")
    frames, texts = [], []
    for at, sample in enumerate(group):
        named = [pl.lit(values[at], dtype=pl.String).alias(name) for name, values in told.items()]
        frames.append(sample.frame.select(*first.columns, *named))
        texts.append(sample.texts.select(*first.columns, *named))
    files = () if sheets else tuple(sample.path for sample in group)
    folder = next((one for one in folders if _resolved(files_in(one)) == _resolved(files)), None)
    doubts = {key: doubt for sample in group if sample.frame.height for key, doubt in sample.doubts.items()}
    if pattern and found.doubt:
        doubts["name_pattern"] = found.doubt
    return replace(
        first,
        name=f"{first.name} and {len(group) - 1} more" if folder is None else folder.name,
        options={
            **_options_of(group),
            **({"sheet": sheets} if sheets else {}),
            **({"name_pattern": pattern} if pattern else {}),
        },
        frame=pl.concat(frames, how="vertical_relaxed").head(ROWS),
        texts=pl.concat(texts).head(ROWS),
        whole=all(sample.whole for sample in group) and sum(sample.frame.height for sample in group) <= ROWS,
        doubts=doubts,
        filled_down=tuple(dict.fromkeys(name for sample in group for name in sample.filled_down)),
        files=files,
        folder=folder,
    )


def _options_of(group: Sequence[Sample]) -> dict[str, Any]:
    """Return how files of one table are written: what one of them needs suits those that do not show it."""
    every = {key: value for sample in group for key, value in sample.options.items()}
    separator = every.get("separator") or "\t"
    if separator == "\t" and not all("quote" in sample.options for sample in group):  # one has fields between quotes
        every.pop("quote", None)
    return every


def _resolved(files: Sequence[Path]) -> list[Path]:
    """Return absolute paths in the order of their names."""
    return sorted(path.resolve() for path in files)


def _is_called(sample: Sample, ours: str) -> bool:
    """Return whether a column has a usual name of one of ours."""
    return any(likeness(name, ours) >= LIKELY for name in sample.columns)


def _is_said(group: Sequence[Sample], ours: str, values: Sequence[str]) -> bool:
    """Return whether every file says in a column what its name does, or at least has a column of that kind."""
    return _is_called(group[0], ours) or any(
        all(
            set(sample.texts[name].drop_nulls().unique()) == {value}
            for sample, value in zip(group, values, strict=True)
        )
        for name in group[0].columns
    )


@dataclass(frozen=True)
class FileNames:
    """What the names of files hold: a pattern, its values in the order of the files, and what is not sure of it."""

    pattern: str = ""
    values: dict[str, list[str]] = field(default_factory=dict)
    doubt: str = ""


def names_of_files(names: Sequence[str]) -> FileNames:
    """Return what the parts of names say that differ from file to file.

    >>> found = names_of_files(["pp01_taak1.csv", "pp01_taak2.csv", "pp02_taak1.csv"])
    >>> found.pattern, found.values["topic_id"], found.doubt
    ('(?P<user_id>pp\\\\d+)_(?P<topic_id>taak\\\\d+)', ['taak1', 'taak2', 'taak1'], '')
    >>> names_of_files(["week.1.csv", "a.csv"]).values
    {}
    """
    parts = [re.split(r"([_\-.\s]+)", Path(name).stem) for name in names]
    if len({len(one) for one in parts}) > 1:
        return FileNames()
    columns = [list(column) for column in zip(*parts, strict=True)]
    varying = [at for at, column in enumerate(columns) if len(set(column)) > 1]
    if not varying or any(at % 2 for at in varying):
        return FileNames()
    roles = {at: _role(columns[at]) or _role(columns[at - 2] if at > 1 else []) for at in varying}
    sure = all(roles.values()) and len(set(roles.values())) == len(roles)
    left = [one for one in ("user_id", "topic_id", "system_id", "session_id") if one not in roles.values()]
    taken: set[str] = set()
    for at in varying:
        if not roles[at] or roles[at] in taken:
            roles[at] = left.pop(0) if left else f"part_{at // 2 + 1}"
        taken.add(roles[at])
    pattern = (
        "".join(
            f"(?P<{roles[at]}>{like(column)})" if at in roles else re.escape(column[0])
            for at, column in enumerate(columns)
        )
        .replace("\\-", "-")
        .replace("\\ ", " ")
    )
    doubt = f"names such as {quoted(names[0])} are taken for {listed(list(roles.values()))}. Are they?"
    return FileNames(pattern, {roles[at]: columns[at] for at in varying}, "" if sure else doubt)


def _role(values: Sequence[str]) -> str:
    """Return which column of ours the values in names of files are, by the letters they begin with; empty where these say none."""
    letters = {match[0].casefold() if (match := re.match(r"[^\W\d_]+", value)) else "" for value in values}
    if len(letters) != 1:
        return ""
    word = letters.pop()
    if word in SEARCHERS:
        return "user_id"
    if word in TOPICS:
        return "topic_id"
    best = max(("user_id", "topic_id", "session_id", "system_id"), key=lambda ours: likeness(word, ours))
    return best if word and likeness(word, best) >= LIKELY else ""


def like(values: Sequence[str]) -> str:
    """Return a pattern of what values in names of files look like."""
    found = [re.fullmatch(r"([^\W\d_]*)\d+", value) for value in values]
    if all(found):
        letters = {one[1] for one in found if one}
        return f"{letters.pop()}\\d+" if len(letters) == 1 else r"[^\W\d_]*\d+"
    return r"[^_/\\.-]+" if not any(re.search(r"[_.-]", value) for value in values) else r"[^/\\]+"
