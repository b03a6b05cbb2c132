"""Files of a format that is recognized: which it is, what stands beside the log, and what may be said of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sessionkit.display.words import listed
from sessionkit.errors import DataError, SessionkitError
from sessionkit.readers.entries import Glimpse, Option
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.formats.trec_session import read_topics
from sessionkit.readers.propose.kinds import formats_of_judgments, judgments_in
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted, spelled
from sessionkit.readers.propose.table_sections import asked_of_grades, path_from, zone_line
from sessionkit.readers.run_files import holds_run_table, holds_three_columns
from sessionkit.readers.sniffer import glimpse
from sessionkit.study.temporary import TemporaryFolder

OWN = ("tables", "events")
"""Formats of private logs, which study.toml has to describe."""
ZONELESS = ("aol", "core", "sogou", "webis_smc")
"""Formats whose times carry no zone."""
SMALL = 1 << 26
"""Bytes up to which judgments are read for their grades."""


@dataclass(frozen=True)
class RecognizedFiles:
    """Files that are a log of known formats, more than one where they could be either, and those beside it."""

    formats: tuple[str, ...]
    log: tuple[Path, ...]
    others: tuple[Path, ...]


def known(paths: Sequence[Path]) -> RecognizedFiles | None:
    """Return the known formats that these files are a log of; None where they are of none."""
    seen = {path: glimpse(path) for path in paths}
    entries = {name: entry for name, entry in FORMATS.items() if name not in OWN and entry.fits is not None}
    fits = {
        path: [name for name, entry in entries.items() if entry.fits is not None and entry.fits(seen[path])]
        for path in paths
    }
    log = [path for path in paths if fits[path]]
    # JSON of numbers such as 1.0 may be a run or judgments: it is judgments beside what can only be a run
    either = [path for path in log if formats_of_judgments(path)]
    log = [path for path in log if path not in either] or log
    if not log or _is_part_of_tables(log, paths, seen):
        return None
    for path in paths:
        if path not in log and any(
            entry.beside is not None and entry.beside(seen[path])
            for name, entry in entries.items()
            if name in fits[log[0]]
        ):
            log.append(path)
    formats = [name for name, entry in entries.items() if entry.fits_all([seen[path] for path in log])]
    if not formats:  # each is of a format, but not all of one
        formats = fits[log[0]][:1]
        log = [path for path in log if formats[0] in fits[path]]
    return RecognizedFiles(tuple(formats), tuple(log), tuple(path for path in paths if path not in log))


def _is_part_of_tables(log: Sequence[Path], paths: Sequence[Path], seen: Mapping[Path, Glimpse]) -> bool:
    """Return whether a table that could be a run stands beside other tables: then it is the results of a log of tables."""
    beside = [path for path in paths if path not in log and not formats_of_judgments(path)]
    return bool(beside) and any(holds_run_table(seen[path]) for path in log)


def sections_of_known(found: RecognizedFiles, folder: Path) -> list[TomlSection]:
    """Return a study.toml of a known format, in sections."""
    name, entry = found.formats[0], FORMATS[found.formats[0]]
    paths = [path_from(folder, path) for path in found.log]
    judgments = [path for path in found.others if formats_of_judgments(path)]
    rest = [path for path in found.others if path not in judgments]
    topics = next((path for path in rest if "topics" in entry.options and _maps_topics(path)), None)
    rest = [path for path in rest if path != topics]
    words = ["sessionkit", "ingest", *paths]
    for path in judgments:
        words += ["--judgments", path_from(folder, path)]
    if topics is not None:
        words += ["--topics-file", path_from(folder, topics)]
    remarks = (
        f"{listed([path.name for path in found.log])}: {entry.description}.",
        f"No study.toml is needed: {shlex.join(words)} --out STUDY",
    )
    asked = () if len(found.formats) == 1 else (f"this could be {listed(found.formats)}. Which is it?",)
    lines = [Line("format", name, asked), Line("path", paths[0] if len(paths) == 1 else paths)]
    if topics is not None:
        lines.append(Line("topics", path_from(folder, topics), ("taken for the topics of the sessions. Is it?",)))
    lines += [Line(questions=(question,)) for path in found.log for question in _doubts_about(path)]
    lines += _of_judgments(judgments[:1])
    lines += [
        Line(
            questions=(
                f"{path.name} holds judgments too; study.toml takes one file: give this one to ingest as --judgments",
            )
        )
        for path in judgments[1:]
    ]
    lines += [
        Line(questions=(f"{quoted(path.name)} has no format that fits this log and is not used. What is it?",))
        for path in rest
    ]
    if name in ZONELESS:
        lines.append(zone_line("this format"))
    lines += [_option(key, option) for key, option in entry.options.items() if key != "topics" or topics is None]
    sections = [TomlSection((), tuple(lines), remarks)]
    if judgments:
        sections.append(
            TomlSection(
                ("judgments",),
                (Line("path", path_from(folder, judgments[0])), Line("format", formats_of_judgments(judgments[0])[0])),
            )
        )
    return sections


def _doubts_about(path: Path) -> list[str]:
    """Return the questions about a file that could be something else."""
    text = glimpse(path).head
    if formats_of_judgments(path):
        return [
            f"{quoted(path.name)} could be judgments as well, whose numbers are grades; it is taken for a run. Is it?"
        ]
    if holds_three_columns(text):
        return [f"the three columns of {quoted(path.name)} are taken for topic, document and rank. Are they?"]
    return []


def _maps_topics(path: Path) -> bool:
    """Return whether a file maps sessions to topics."""
    try:
        with TemporaryFolder() as folder:
            read_topics(path, folder)
    except DataError:
        return False
    return True


def _option(key: str, option: Option) -> Line:
    """Return an option as a comment: what it means, and its default."""
    of = f" One of {', '.join(map(spelled, option.allowed))}." if option.allowed else ""
    value = option.default if option.default is not None else (option.allowed[0] if option.allowed else "...")
    return Line(key, value, remarks=(f"{option.meaning}{of}",), idle=True)


def _of_judgments(paths: Sequence[Path]) -> list[Line]:
    """Return the questions about the grades of judgments."""
    lines = []
    for path in paths:
        if path.stat().st_size > SMALL:
            continue
        try:
            grades = judgments_in(path, formats_of_judgments(path)[0])["grade"]
        except SessionkitError:  # whoever reads it says what is wrong with it
            continue
        lines += asked_of_grades(grades, path.name)
    return lines
