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
from sessionkit.readers.sniffer import glimpse

SEARCHERS = ("p", "pp", "vp", "vpn", "u", "s", "k", "part", "tn", "subj")
"""Short words before a number that say a participant."""
TOPICS = ("t", "task", "a", "q")
"""Short words before a number that say a task."""
NO_CONDITION = re.compile(
    r"(?:export|log|data|daten|part|chunk|page|file|sheet|tabelle|blatt|feuil|hoja|foglio|planilha|blad|ark|list)?[\W_]*\d*",
    re.I,
)
"""What parts of a log, or sheets nobody named, are called."""
SHARED, ALIKE = 3, 0.7
"""Columns, and their share of all, that files of one series have in common at least."""


NO_TABLES = (".toml", ".html", ".htm", ".svg", ".png", ".pdf", ".tex", ".md")
"""How the names of files end that no table of a log has: what sessionkit writes beside one, and the like."""
OF_MEASURES = ({"measure", "value"}, {"measure", "estimate"})
"""Columns of the tables that ``score``, ``compare`` and others write, which no log has."""


def files_in(path: Path) -> list[Path]:
    """Return a file, or the files of a log in a folder, in the order of their names, those that sessionkit has written apart."""
    if not path.is_dir():
        return [path]
    names = [file.name for file in files_of(path) if not _is_output(file)]
    return [path / name for name in filled(names, path)]


def outputs_in(path: Path) -> list[Path]:
    """Return the files in a folder that are left out, as sessionkit has written them or no table can be in them."""
    return [file for file in files_of(path) if _is_output(file)] if path.is_dir() else []


def _is_output(path: Path) -> bool:
    """Return whether a file in a folder is no part of a log: a study.toml, a page, a figure, or a table of measures."""
    if path.suffix.lower() in NO_TABLES:
        return True
    seen = glimpse(path)
    lines = [line for line in seen.head.splitlines() if not line.startswith("#")]
    names = set(seen.columns) or set(re.findall(r"\w+", lines[0] if lines else ""))
    return any(columns <= names for columns in OF_MEASURES)


def together(samples: Sequence[Sample], folders: Sequence[Path]) -> list[Sample]:
    """Return the samples, those with the same columns as one: of files in a folder or given by name, or of sheets of a workbook."""
    alike: dict[tuple[object, ...], list[Sample]] = {}
    for sample in samples:
        own = (sample.path,) if not sample.named or "sheet" in sample.options or sample.kind == "ndjson" else ()
        written = tuple((key, str(sample.options.get(key))) for key in ("separator", "header", "skip"))
        alike.setdefault((tuple(sorted(sample.columns)), sample.kind, written, *own), []).append(sample)
    alone: list[list[Sample]] = []
    series: dict[tuple[object, ...], list[list[Sample]]] = {}
    for (_, *others), group in alike.items():
        if _are_measured_again(group):
            alone += [[one] for one in group]
            continue
        groups = series.setdefault(tuple(others), [])
        like_it = next((one for one in groups if _are_of_a_series([*one, *group])), None)
        groups.append(group) if like_it is None else like_it.extend(group)
    places = {id(sample): at for at, sample in enumerate(samples)}
    groups = [
        sorted(group, key=lambda one: places[id(one)]) for groups in (*series.values(), alone) for group in groups
    ]
    groups.sort(key=lambda group: places[id(group[0])])
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


def _are_of_a_series(group: Sequence[Sample]) -> bool:
    """Return whether files or sheets with different columns are of one table: they share most, and their names count something."""
    if not all(sample.named for sample in group):
        return False
    columns = [set(sample.columns) for sample in group]
    shared, every = set.intersection(*columns), set.union(*columns)
    names = names_of_files([_own_name(sample) for sample in group])
    return len(shared) >= max(SHARED, ALIKE * len(every)) and bool(names.values) and not names.doubt


def _own_name(sample: Sample) -> str:
    """Return the name of the sheet that a sample is of, else of its file."""
    return str(sample.options.get("sheet", sample.path.name))


def _as_one(group: Sequence[Sample], folders: Sequence[Path]) -> Sample:
    """Return samples of files, or sheets, with the same columns as that of one table, with the columns that their names hold."""
    first = next((sample for sample in group if sample.frame.height), group[0])
    columns = list(dict.fromkeys(name for sample in [first, *group] for name in sample.columns))
    sheets = [str(sample.options["sheet"]) for sample in group if "sheet" in sample.options]
    found = _with_condition(names_of_files(list(map(_own_name, group))), group)
    told = {name: values for name, values in found.values.items() if not _is_said(group, name, values)}
    if found.doubt and any(_is_called(first, ours) for ours in ("user_id", "session_id")):
        told = {name: values for name, values in told.items() if not _tells_apart(group, values)}
    pattern = f"{OF_SHEET if sheets else ''}{found.pattern}" if told else ""
    for name in set(found.values) - set(told):
        pattern = pattern.replace(f"?P<{name}>", "?:")
    frames, texts = [], []
    for at, sample in enumerate(group):
        named = [pl.lit(values[at], dtype=pl.String).alias(name) for name, values in told.items()]
        frames.append(sample.frame.select(*sample.columns, *named))
        texts.append(sample.texts.select(*sample.columns, *named))
    files = () if sheets else tuple(sample.path for sample in group)
    folder = next(
        (one for one in folders if not outputs_in(one) and _resolved(files_in(one)) == _resolved(files)), None
    )
    doubts = {key: doubt for sample in group if sample.frame.height for key, doubt in sample.doubts.items()}
    if pattern and found.doubt:
        doubts["name_pattern"] = found.doubt
    lacking = [name for name in columns if any(name not in sample.columns for sample in group)]
    if lacking:
        doubts["sheet" if sheets else "path"] = (
            f"{listed(list(map(quoted, lacking[:3])))} {'is' if len(lacking) == 1 else 'are'} not in all of these. Are they one table?"
        )
    return replace(
        first,
        name=f"{first.name} and {len(group) - 1} more" if folder is None else folder.name,
        options={
            **_options_of(group),
            **({"sheet": sheets} if sheets else {}),
            **({"name_pattern": pattern} if pattern else {}),
        },
        frame=pl.concat(frames, how="diagonal_relaxed").select(*columns, *told).head(ROWS),
        texts=pl.concat(texts, how="diagonal").select(*columns, *told).head(ROWS),
        whole=all(sample.whole for sample in group) and sum(sample.frame.height for sample in group) <= ROWS,
        doubts=doubts,
        blank_below=tuple(dict.fromkeys(name for sample in group for name in sample.blank_below)),
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
            name in sample.columns and set(sample.texts[name].drop_nulls().unique()) == {value}
            for sample, value in zip(group, values, strict=True)
        )
        for name in group[0].columns
    )


def _with_condition(found: FileNames, group: Sequence[Sample]) -> FileNames:
    """Return what names hold, with a part that no column says as the system: a condition is often said by the names alone."""
    if _is_called(group[0], "system_id") or "system_id" in found.values:
        return found
    for ours, values in found.values.items():
        if _is_said(group, ours, values) and not _tells_apart(group, values):
            named = {"system_id" if name == ours else name: texts for name, texts in found.values.items()}
            pattern = found.pattern.replace(f"?P<{ours}>", "?P<system_id>")
            doubt = f"names such as {quoted(_own_name(group[0]))} are taken for {listed(list(named))}. Are they?"
            return FileNames(pattern, named, doubt)
    return found


def _tells_apart(group: Sequence[Sample], values: Sequence[str]) -> bool:
    """Return whether values of names only number parts of a log, or a column tells the files apart as they do."""
    if all(NO_CONDITION.fullmatch(value) for value in values):
        return True
    for name in group[0].columns:
        texts = [set(sample.texts[name].drop_nulls()) if name in sample.columns else set() for sample in group]
        pairs = {(value, *one) for value, one in zip(values, texts, strict=True) if len(one) == 1}
        if all(len(one) == 1 for one in texts) and len({pair[1] for pair in pairs}) == len(set(values)) == len(pairs):
            return True
    return False


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
