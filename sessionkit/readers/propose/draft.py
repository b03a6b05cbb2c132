"""``sk.propose``: from files as they lie there to a study.toml, with questions where it cannot know."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import polars as pl

from sessionkit.arguments import path_of, paths_of
from sessionkit.display.words import listed
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.io.blanks import UNTAGGED_SHAPES, first_fields, name_fields, shape_of
from sessionkit.readers.propose.events import join_event_files, sections_of_events, with_event_fields
from sessionkit.readers.propose.joins import with_joins
from sessionkit.readers.propose.judgments import TABULAR
from sessionkit.readers.propose.kinds import LogFileKind, by_values, formats_of_judgments, part_of
from sessionkit.readers.propose.known_formats import known, sections_of_known
from sessionkit.readers.propose.proposal import Proposal, TomlSection, proposal_of, quoted
from sessionkit.readers.propose.questionnaires import with_questionnaires
from sessionkit.readers.propose.record_lists import (
    hint_at_lists,
    nested_parts_of,
    parts_in_cells,
)
from sessionkit.readers.propose.rehearsal import rehearse
from sessionkit.readers.propose.sample import Sample, only_header, samples_of
from sessionkit.readers.propose.sheets import files_in, outputs_in, together
from sessionkit.readers.propose.table_sections import looked_at, path_from
from sessionkit.readers.propose.tables import beginning_of_log, by_shared_ids, sections_of_beginning, sections_of_tables
from sessionkit.readers.sniffer import glimpse
from sessionkit.study.storage import DESCRIPTOR
from sessionkit.study.temporary import TemporaryFolder

PathText = str | PathLike[str]
NEEDED = "they do not show a log: a session, a query position (1, 2, 3, ...), the rank of a result, a document"
HEAD = "A study.toml as sessionkit proposes it; what it cannot know is asked in lines that begin with '# ?'."


def propose(paths: PathText | Sequence[PathText], *, folder: PathText | None = None) -> Proposal:
    """Propose a study.toml for some files.

    The format of each file, its table and its columns are found by usual names of columns and by their contents, from the
    first 100,000 lines (64 MB) of each file. A log that lacks what every log needs is proposed as far as it goes, with
    questions about the rest.

    Parameters
    ----------
    paths
        The files of one log: tables, plain, ``.gz`` or ``.zst``, workbooks, folders with a file for each participant or
        session, or a log in a format that is known; judgments and questionnaires among them.
    folder
        The folder of the study.toml, to which its paths are relative; by default the current directory.

    Returns
    -------
    Proposal
        ``.text``, with questions as comments; ``.questions``; ``.settings``, what it says.

    Raises
    ------
    DataError
        A file is missing, empty or not a table, none is a log, or a required column is missing.
    UsageError
        No file is given, or one is given twice.

    Examples
    --------
    >>> from pathlib import Path
    >>> clinic = Path("examples/clinic")
    >>> files = [clinic / name for name in ("sessions.csv", "results.tsv.gz", "qrels.txt")]
    >>> found = propose(files, folder=clinic)
    >>> found.settings["results"]["columns"]["doc_id"], found.settings["results"]["empty_list"]
    ('document', 'no results')
    >>> [question.place for question in found.questions]
    ['max_grade']
    """
    given = paths_of("paths", paths)
    if not given:
        raise UsageError("give the files to propose a study.toml for")
    if len({path.resolve() for path in given}) < len(given):
        raise UsageError("a file is given twice; give each once")
    place = Path() if folder is None else path_of("folder", folder)
    for path in given:
        _refuse(path)
    inside = [file for path in given for file in files_in(path)]
    found = known(given) or (known(inside) if len(inside) > len(given) else None)
    if found is not None:
        return _proposal(rehearse(sections_of_known(found, place), place))
    with TemporaryFolder() as workspace:
        files = _parts(inside, [path for path in given if path.is_dir()], workspace)
        parts = by_shared_ids(with_questionnaires(with_joins(by_values(files))))
    if any(part.kind == "events" for part in parts):
        sections = rehearse(sections_of_events(parts, place), place)
    elif any(part.kind in ("results", "queries") for part in parts):
        sections = rehearse(sections_of_tables(parts, place), place)
    else:
        begun = beginning_of_log(parts)
        if begun is None:
            raise _no_log(parts)
        sections = sections_of_beginning(begun, parts, place)
    outputs = [quoted(file.name) for path in given for file in outputs_in(path)]
    left_out = [f"Left out, as no part of a log: {listed(outputs)}."] if outputs else []
    return _proposal(sections, [*looked_at([part.sample for part in parts]), *left_out])


def _proposal(sections: Sequence[TomlSection], remarks: Sequence[str] = ()) -> Proposal:
    """Return the proposal that some sections come to, under a head."""
    return proposal_of([TomlSection((), (), (HEAD, *remarks)), *sections])


def _reason_against(path: Path) -> str | None:
    """Return what a file is that is like a run or qrels and is neither, in words; None for other files."""
    text = glimpse(path).head
    is_sample = formats_of_judgments(path)[:1] == ["prels"]
    is_untagged = shape_of(text) in UNTAGGED_SHAPES and all(fields[1] == "Q0" for fields in first_fields(text))
    return name_fields(text) if is_sample or is_untagged else None


def _refuse(path: Path) -> None:
    """Raise an error for what is no file of a log."""
    if not path.exists():
        there = sorted(entry.name for entry in path.parent.iterdir()) if path.parent.is_dir() else []
        raise DataError(f"{path}: no such file{suggestion(path.name, there)}")
    if not (path.is_file() or path.is_dir()):
        raise DataError(f"{path} is a device or a pipe; write its output to a file and give that")
    if path.suffix.lower() == ".toml":
        raise UsageError(f"{path} is already a study.toml; give the files of the log")
    if (path / DESCRIPTOR).is_file():
        raise UsageError(f"{path} is a study directory, which sessionkit has written; give the files of the log")
    if path.is_dir() and known([path]) is None and not files_in(path):
        raise DataError(f"{path} is a directory without files, not a log of a known format; give files")
    if path.is_file() and formats_of_judgments(path)[:1] == ["prefs"]:
        raise DataError(f"{path.name} contains preferences (prefs), not grades; measures need grades: give qrels")
    if path.is_file() and (reason := _reason_against(path)) is not None:
        raise DataError(f"{path.name}: {reason}")
    try:
        path_from(Path(), path).encode()
    except UnicodeEncodeError:
        raise DataError(
            f"the path {str(path)!r} cannot be written in UTF-8, as a study.toml must be; rename it"
        ) from None


def _parts(files: Sequence[Path], folders: Sequence[Path], workspace: Path) -> list[LogFileKind]:
    """Return the tables in some files with what they are taken for, those of several files as one.

    Judgments in a format of their own are not taken apart.
    """
    parts, samples = (
        nested_parts_of(files, folders, workspace),
        [],
    )
    nested = {path for part in parts for path in (part.sample.files or (part.sample.path,))}
    for path in [one for one in files if one not in nested]:
        formats = formats_of_judgments(path)
        if formats and formats[0] not in TABULAR:
            empty = pl.DataFrame()
            sample = Sample(path, path.name, "text", {}, empty, empty, whole=True, doubts={})
            parts.append(LogFileKind(sample, {}, "judgments", format=formats[0]))
        else:
            samples += samples_of(path, workspace, qrels="qrels" in formats, bare=len(files) > 1)
    samples = [with_event_fields(sample, workspace) for sample in samples]
    for sample in together(join_event_files(samples, folders), folders):
        if not sample.frame.height:
            raise only_header(sample.name)
        if lists := parts_in_cells(sample, workspace):
            parts += lists
            continue
        part = part_of(sample)
        sheets = sample.options.get("sheet") if part.kind == "judgments" else None
        if isinstance(sheets, list):
            parts += [part_of(one) for one in samples if one.path == sample.path and one.options.get("sheet") in sheets]
        else:
            parts.append(part)
    return parts


def _no_log(parts: Sequence[LogFileKind]) -> DataError:
    """Return the error about files none of which is a log, which says what was found."""
    judged = [part.name for part in parts if part.kind == "judgments"]
    if len(judged) == len(parts):
        return DataError(f"{listed(judged)}: only judgments, no log; give the log too: sessionkit init LOG {judged[0]}")
    most = max((part for part in parts if part.kind != "judgments"), key=lambda part: len(part.columns))
    if not most.sample.named:
        return DataError(
            f"{most.name} has {len(most.columns)} columns without names, and {NEEDED}; give them a header line"
        )
    return DataError(f"{most.name}: {NEEDED}; found {', '.join(most.columns)[:300]}{hint_at_lists(most.sample.path)}")
