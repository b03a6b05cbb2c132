"""One table of a study.toml: how its file is written, which columns feed which of ours, what stays as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.words import counted, listed
from sessionkit.readers.propose.column_names import LIKELY, likeness, words
from sessionkit.readers.propose.contents import SampleColumn, mean_nothing
from sessionkit.readers.propose.match import OTHER_UNITS, Match
from sessionkit.readers.propose.proposal import Line, TomlSection
from sessionkit.readers.propose.row_columns import find_unranked_lists
from sessionkit.readers.propose.sample import Sample
from sessionkit.readers.propose.toml import quoted

SHOWN = 12
"""Names of extras that a comment lists."""
ORDER = (
    "path",
    "format",
    "encoding",
    "separator",
    "quote",
    "header",
    "null",
    "empty_list",
    "base",
    "keys",
    "grade_values",
)


def path_from(folder: Path, path: Path) -> str:
    """Return a path as a study.toml in this folder names it."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def sections_of(match: Match, folder: Path) -> list[TomlSection]:
    """Return the table of a study.toml for one file, and that of its columns."""
    sample = match.part.sample
    if match.columns:
        find_unranked_lists(match)
        _keep_apart(match)
        _settle_no_values(match)
        _ask_of_missing(match)
    for key, doubt in sample.doubts.items():
        match.ask(key, doubt)
    options: dict[str, Any] = {"path": path_from(folder, sample.path), **sample.options, **match.options}
    if options.get("format"):
        options = {key: options[key] for key in ("path", "format")}
    keys = [
        *(key for key in ORDER if key in options),
        *(key for key in match.questions if _is_idle(key, options, match)),
    ]
    lines = [_line(match, key, options.get(key), idle=key not in options) for key in dict.fromkeys(keys)]
    head = TomlSection((match.table,), tuple(lines))
    return [head, _columns(match)] if match.columns else [head]


def _is_idle(key: str, options: dict[str, Any], match: Match) -> bool:
    """Return whether a question is about an option that is not there."""
    return key not in options and key not in match.columns and key in ORDER


def _line(match: Match, key: str, value: Any, *, idle: bool = False) -> Line:  # noqa: ANN401 - of any option
    """Return a line with its questions and remarks."""
    said = tuple(match.questions.get(key, ())), tuple(match.remarks.get(key, ()))
    supposed = {"header": False, "encoding": "cp1252"}
    return Line(key, supposed.get(key, "") if idle else value, *said, idle=idle)


def _columns(match: Match) -> TomlSection:
    """Return which columns feed which of ours, in the order of ours, then what is kept under another name."""
    named = match.part.sample.named
    order = [
        *(ours for ours in match.fields if ours in match.columns),
        *(ours for ours in match.columns if ours not in match.fields),
    ]
    lines = [_line(match, ours, match.columns[ours] if named else int(match.columns[ours])) for ours in order]
    extra = [one.name if named else f"column_{one.name}" for one in match.unused]
    if extra:
        more = f" and {len(extra) - SHOWN:,} more" if len(extra) > SHOWN else ""
        shown = ", ".join(map(quoted, extra[:SHOWN]))
        lines.append(Line(remarks=(f"extras, kept as they are: {shown}{more}",)))
    lines += [Line(remarks=(text,)) for text in match.remarks.get("", ())]
    lines += [Line(questions=(text,)) for text in match.questions.get("", ())]
    return TomlSection((match.table, "columns"), tuple(lines))


def _keep_apart(match: Match) -> None:
    """Give columns another name that have one of ours, or one that only sessionkit may use, and do not feed it."""
    for one in match.unused if match.part.sample.named else ():
        ours, reserved = one.name in match.fields, one.name.startswith("__")
        if not ours and not reserved:
            _tell_of_misfits(match, one)
            continue
        name = f"{one.name.lstrip('_') or 'column'}_given"
        while name in match.columns or name in match.part.columns:
            name += "_too"
        if ours:
            match.remark(name, why_not(match, one, one.name) or f"another column is taken for {one.name}")
        match.columns[name] = one.name


def _tell_of_misfits(match: Match, one: SampleColumn) -> None:
    """Say why a column with a usual name of one of ours does not feed it."""
    ours = max(match.fields, key=lambda name: likeness(one.name, name))
    if likeness(one.name, ours) >= LIKELY and ours not in match.columns and (why := why_not(match, one, ours)):
        match.remark("", f"{quoted(one.name)} {why}")


def why_not(match: Match, one: SampleColumn, ours: str) -> str:
    """Return why values of a column cannot be one of ours, empty where they can."""
    if not len(one.given):
        return f"is empty, and not taken for {ours}"
    if one.has_decimal_commas and match.fields[ours].type == "number":
        return f"has decimal commas, which are not read as numbers; it is not taken for {ours}: write them with points"
    if ours.endswith("_seconds") and OTHER_UNITS & set(words(one.name)):
        return f"is not in seconds, and not taken for {ours}"
    bad = one.misfits(match.fields[ours])
    if len(bad):
        return f"is not taken for {ours}, as it holds {quoted(bad[0])}"
    return f"is not taken for {ours}, as it changes within what {ours} belongs to"


def _settle_no_values(match: Match) -> None:
    """Say which texts mean no value, where columns of numbers or times have them; drop columns that cannot have them."""
    wanted: dict[str, list[str]] = {}
    for ours, name in match.columns.items():
        one = match.part.columns[name]
        if (
            ours not in match.fields
            or match.fields[ours].type == "string"
            or (ours == "grade" and ("grade_values" in match.options or ours in match.questions))
        ):
            continue
        for text in one.misfits(match.fields[ours]):
            if not (ours == "rank" and text.strip() == match.options.get("empty_list", "").strip()):
                wanted.setdefault(text, []).append(ours)
    taken = []
    for text, columns in wanted.items():
        required = [name for name in columns if match.fields[name].required]
        others = [
            name for name in match.columns if name in match.fields and name not in columns and _holds(match, name, text)
        ]
        if mean_nothing([text]) and not required and not others:
            taken.append(text)
            continue
        for name in columns:
            if not match.fields[name].required and name in match.columns:
                match.remark("", f"{quoted(match.columns[name])} is not taken for {name}, as it holds {quoted(text)}")
                theirs = match.columns.pop(name)
                if theirs == name:
                    match.columns[f"{name}_given"] = theirs
            elif match.fields[name].required:
                match.ask(name, f"{quoted(text)} is not a valid {name}: such rows are rejected. What do they mean?")
    if taken:
        match.options["null"] = ["", *taken]
        match.remark("null", f"{listed([quoted(text) for text in taken])} in columns of numbers or times: no value")


def _ask_of_missing(match: Match) -> None:
    """Ask about rows without a value that every row must have, but for those that say that a list was empty."""
    rank, text = match.column("rank"), match.options.get("empty_list")
    given: pl.Series | pl.Expr = pl.lit(value=True)
    if rank is not None and text is not None:
        own = [one.texts.str.strip_chars() == text for one in (rank, match.column("doc_id")) if one is not None]
        given = (
            ~pl.select(pl.any_horizontal(own)).to_series().fill_null(value=False) if text else rank.texts.is_not_null()
        )
    for ours, name in match.columns.items():
        if ours in match.fields and match.fields[ours].required:
            many = match.part.columns[name].texts.to_frame("v").select((pl.col("v").is_null() & given).sum()).item()
            if many:
                match.ask(ours, f"{counted(many, 'row')} without {ours}: rejected. What are they?")


def _holds(match: Match, ours: str, text: str) -> bool:
    """Return whether the column that feeds one of ours has a text."""
    column = match.column(ours)
    return column is not None and bool((column.texts == text).any())


def looked_at(samples: list[Sample]) -> list[str]:
    """Return what is to be said of how much of the files was looked at."""
    part = [sample for sample in samples if not sample.whole]
    return [f"By the first {counted(sample.frame.height, 'row')} of {sample.name}, which has more." for sample in part]
