"""``sk.propose``: from files to a study.toml with questions, and the rehearsal that reads the files as the draft says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.arguments import path_of, paths_of
from sessionkit.display.numbers import counted, listed, share_text
from sessionkit.errors import DataError, DataWarning, SessionkitError, UsageError, suggestion
from sessionkit.readers.checks.rows import LIST
from sessionkit.readers.column_names import LIKELY, likeness
from sessionkit.readers.config import as_config
from sessionkit.readers.format import glimpse
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.io.delimited import UNTAGGED_SHAPES, first_fields, name_fields, shape_of
from sessionkit.readers.io.files import open_log, paths_in, utf16_of
from sessionkit.readers.propose.events import join_event_files, sections_of_events, with_event_fields
from sessionkit.readers.propose.judgments import TABULAR
from sessionkit.readers.propose.kinds import LogFileKind, by_values, formats_of_judgments, part_of
from sessionkit.readers.propose.proposal import Line, Proposal, TomlSection, proposal_of, quoted
from sessionkit.readers.propose.questionnaires import with_questionnaires
from sessionkit.readers.propose.record_lists import hint_at_lists, nested_parts_of, parts_in_cells
from sessionkit.readers.propose.sample import Sample, copy_beginning, only_header, samples_of
from sessionkit.readers.propose.sheets import files_in, outputs_in, together
from sessionkit.readers.propose.table_sections import looked_at, path_from
from sessionkit.readers.propose.tables import (
    beginning_of_log,
    by_shared_ids,
    known,
    sections_of_beginning,
    sections_of_known,
    sections_of_tables,
    with_joins,
)
from sessionkit.readers.questionnaires import SECTION
from sessionkit.readers.raw import NAMED_SOURCES
from sessionkit.study import Study
from sessionkit.study.batches import memory_budget
from sessionkit.study.counts import USUAL_SHARE
from sessionkit.study.package import TemporaryFolder
from sessionkit.study.schema import TABLES, table
from sessionkit.study.storage import DESCRIPTOR

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


DESCRIBED = ("tables", "events")
"""Formats of which the beginning of a file can be read for itself: they have a record on each line."""
LARGEST = 1 << 25
"""Bytes of files of other formats, and of judgments in a format of their own, up to which they are read back."""
LINES = 100_000
"""Rows of a Parquet file that are read back; of a text its sample has as many lines."""
ASK_ABOVE = 0.1
"""The share of sessions out of order above which `init` asks about them."""
MANY_REJECTED = 0.1
"""The share of rejected records above which their number is said even where a question says that some are rejected."""
ODD_CELLS = 0.02
"""The share of values set aside in a column above which `init` asks whether it is the right one."""

CLICK_RULE = "clicked_result_was_shown"
"""The rule that only clicks break."""
HINTS = {
    "record_is_not_the_header": "The header stands there once more, as where files were put into one.",
    "rank_is_unique_in_list": "Several lists seem to be taken for one: does query_position count the queries of a session?",
    "query_position_is_unique_in_session": "Several queries have one number: is session_id the right column?",
    "session_id_is_given": "Are they a row of totals, or notes?",
    "session_is_unique": "Several rows have one id: is session_id the right column?",
    "session_is_known": "Their session is in no row of sessions: are the ids written alike?",
    "query_is_known": "Their query is in no row of queries: do query_id, or session_id and query_position, say which it is?",
    "query_id_names_one_query": "Several queries have this id: is query_id the right column?",
    CLICK_RULE: "No result of their query has this rank or document: do clicks and results have the same ids?",
}
"""What may be wrong where a rule does not hold."""
ASKED_AS = {"grade": ("what is each worth",)}
"""Words of the questions that a column raises before it is read."""
ASKED_OF_ANSWERS = {
    "the first answer is kept": "the first answer is kept",
    "belong to no": "to nobody in the log",
    "without an id": "not used. Whose are they?",
}
"""Words of the warnings about a questionnaire, and of the questions about it that say the same."""


@dataclass(frozen=True)
class Loss:
    """Something that reading back lost, moved or assumed.

    Parameters
    ----------
    place
        The table and the column or option of study.toml that may be wrong, such as ``results.rank``; empty for the whole.
    text
        What happened, with counts, and what can be done.
    line
        A line that would say it otherwise, as a comment to be made valid.
    repeats
        Words of a question at that place that says the same already.
    """

    place: str
    text: str
    line: Line = field(default_factory=Line)
    repeats: tuple[str, ...] = ()


def rehearse(sections: Sequence[TomlSection], folder: Path) -> list[TomlSection]:
    """Return the sections of a proposal with questions about what reading the files with them loses, moves or assumes."""
    settings = proposal_of(sections).settings
    if _is_incomplete(sections):  # its questions say what is missing
        return list(sections)
    with TemporaryFolder() as workspace:
        try:
            beginnings = _shorten(settings, folder, workspace)
            if beginnings is None:
                remark = "Not read back, because a file is large and its beginning cannot be read for itself."
                return [*sections, TomlSection((), (Line(remarks=(remark,)),))]
            is_whole = beginnings == settings
            study, caught = _read_back(beginnings, folder if is_whole else workspace)
        except SessionkitError as error:
            failure = f"these lines cannot be read yet: {error}. What is right?"
            return _with_question(sections, Loss("", failure))
        losses = list(_find_losses(study, caught, settings, is_whole=is_whole))
    asked = list(sections)
    for loss in losses:
        asked = _with_question(asked, loss)
    return asked


def _is_incomplete(sections: Sequence[TomlSection]) -> bool:
    """Return whether a question is about a column that a table must have and no column of the file feeds."""
    return any(
        line.idle and line.key in table(section.name[0]).required
        for section in sections
        if section.name[1:] == ("columns",) and section.name[0] in TABLES
        for line in section.lines
    )


def _read_back(settings: Mapping[str, Any], folder: Path) -> tuple[Study, list[DataWarning]]:
    """Read a log as ``ingest`` does; return the study and the warnings."""
    config = replace(as_config(settings, "study.toml", folder), memory=memory_budget())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        study = FORMATS[config.format].read(config, (), strict=False, memory=config.memory)
    return study, [each.message for each in caught if isinstance(each.message, DataWarning)]


def _shorten(settings: Mapping[str, Any], folder: Path, workspace: Path) -> Mapping[str, Any] | None:
    """Return settings that name the beginnings of large files, in `workspace`; None where one cannot be cut.

    Where all files are small the settings are the given ones.
    """
    if settings["format"] not in DESCRIBED:
        paths = [folder / path for path in paths_in(settings.get("path", ()), folder)]
        files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
        return settings if sum(file.stat().st_size for file in files) <= LARGEST else None
    beginnings: dict[Path, Path | None] = {}
    for options in _sections_with_files(settings):
        for path in paths_in(options["path"], folder):
            beginnings[folder / path] = _beginning(folder / path, workspace, is_table="format" not in options)
    if not any(beginning != path for path, beginning in beginnings.items()):
        return settings
    if None in beginnings.values():
        return None
    shortened = deepcopy(dict(settings))
    for options in _sections_with_files(shortened):
        paths = [beginnings[folder / path] or folder for path in paths_in(options["path"], folder)]
        options["path"] = [
            str(path.relative_to(workspace) if path.is_relative_to(workspace) else path.resolve()) for path in paths
        ]
        if any(path.is_relative_to(workspace) for path in paths) and _is_utf16(options.get("encoding")):
            del options["encoding"]  # beginnings are copied in UTF-8
    return shortened


def _sections_with_files(settings: Mapping[str, Any]) -> list[Any]:
    """Return the parts of a study.toml that name files."""
    parts = [settings, *settings.values(), *settings.get(SECTION, ())]
    return [part for part in parts if isinstance(part, Mapping) and "path" in part]


def _is_utf16(encoding: object) -> bool:
    """Return whether an encoding is UTF-16."""
    return isinstance(encoding, str) and encoding.casefold().replace("_", "-").startswith("utf-16")


def _beginning(path: Path, workspace: Path, *, is_table: bool) -> Path | None:
    """Return a copy of the first lines of a large file, or a small file itself; None where a large one cannot be cut."""
    if not is_table:
        return path if path.stat().st_size <= LARGEST else None
    file = replace(open_log(str(path), Path(), workspace, as_is=True, workbook=True), name=path.name)
    if file.kind == "workbook":
        return path
    name = path.stem if path.suffix in (".gz", ".zst") else path.name
    copy = workspace / name
    if copy.exists():
        copy = workspace / str(len(list(workspace.iterdir()))) / name
        copy.parent.mkdir()
    if file.kind == "parquet":
        rows = pl.scan_parquet(path, glob=False)
        if rows.select(pl.len()).collect().item() <= LINES:
            return path
        rows.head(LINES).sink_parquet(copy)
        return copy
    if copy_beginning(file, utf16_of(file.head), copy):
        return path
    return None if file.kind != "ndjson" and file.head.lstrip()[:1] in (b"[", b"{") else copy


def _find_losses(
    study: Study, caught: Sequence[DataWarning], settings: Mapping[str, Any], *, is_whole: bool
) -> Iterator[Loss]:
    """Yield what reading lost, moved or assumed; of files that were cut only what holds without the rest."""
    yield from _rejected(study, is_whole=is_whole)
    yield from _set_aside(study)
    yield from _numbered_apart(study, settings)
    yield from _split_lists(study, settings)
    yield from _repeated_rows(study, settings)
    yield from _moved_rows(study)
    yield from _backward_queries(study, settings)
    yield from _stray_texts(study, settings)
    if not is_whole:
        return
    yield from _without_results(study, settings)
    for warning in caught:
        if warning.place is not None:
            repeats: tuple[str, ...] = (
                ("has gaps",) if warning.place == "queries.query_position" else ("hold lists", "holds lists")
            )
            if warning.place == SECTION:
                repeats = tuple(asked for phrase, asked in ASKED_OF_ANSWERS.items() if phrase in str(warning))
            yield Loss(warning.place, f"{warning}. Is that right?", repeats=repeats)


def _rejected(study: Study, *, is_whole: bool) -> Iterator[Loss]:
    """Yield what was rejected, by table and rule; of a file that was cut a parent may be missing only for that."""
    paths = {
        is_click: {one.path for one in study.sources if (one.kind == "clicks") == is_click}
        for is_click in (True, False)
    }
    # clicks may be in the file of results
    of_clicks = pl.col("source").is_in(paths[True] - paths[False]) | (pl.col("rule") == CLICK_RULE)
    groups = (
        study.rejected.filter(~pl.col("row_kept"))
        .group_by("table", "rule", of_clicks.alias("of_clicks"), maintain_order=True)
        .agg(pl.len().alias("number"), pl.col("column", "source", "record", "value").first())
        .collect()
    )
    for group in groups.iter_rows(named=True):
        rules = {rule.name: rule for rule in table(group["table"]).rules} if group["table"] in TABLES else {}
        rule = rules.get(group["rule"])
        needs_all_rows = group["rule"] == CLICK_RULE or (rule is not None and rule.kind in ("known", "accepted"))
        if needs_all_rows and not is_whole:
            continue
        records = sum(
            source.records
            for source in study.sources
            if source.table == group["table"] and (source.kind == "clicks") == group["of_clicks"]
        )
        name, noun = ("clicks", "click") if group["of_clicks"] else (group["table"], "record")
        first = f"record {group['record']} of {group['source']}"
        first += f", {quoted(group['value'])}" if group["value"] is not None else ""
        column = group["column"] or (rule.fields[-1] if rule is not None else "")
        text = (
            f"{counted(group['number'], noun)} of {records:,} rejected: {group['rule']} does not hold (first: {first}). "
            f"{HINTS.get(group['rule'], 'What are they?')}"
        )
        is_small = group["number"] <= MANY_REJECTED * records
        repeats = (
            # a record that could not be taken apart is none of the rows that a question counts
            *([] if group["rule"].startswith("record_") else [f"{counted(group['number'], 'row')} "]),
            *(["rejected"] if is_small else []),
            *ASKED_AS.get(column, ()),
        )
        yield Loss(f"{name}.{column}", text, repeats=repeats)


def _set_aside(study: Study) -> Iterator[Loss]:
    """Yield the columns of which more values than a few were set aside."""
    groups = (
        study.rejected.filter("row_kept")
        .group_by("table", "rule", "column", maintain_order=True)
        .agg(pl.len().alias("number"), pl.col("value").first())
        .collect()
    )
    for name, rule, column, number, value in groups.rows():
        rows = getattr(study.facts, name, 0)
        if number > ODD_CELLS * rows:
            shown = "" if value is None else f" (first: {quoted(value)})"
            text = f"{counted(number, 'value')} set aside, their rows kept: {rule} does not hold{shown}. Is this the right column?"
            yield Loss(f"{name}.{column}", text, repeats=("set aside",))


def _split_lists(study: Study, settings: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield whether numbering took one list for several: equal texts in a session whose ranks complement each other."""
    if not settings.get("results", {}).get("number_queries") or "query_text" not in study.columns("queries"):
        return
    lists = (
        study.results.join(study.queries.select(*LIST, "query_text"), on=LIST)
        .group_by("session_id", "query_text")
        .agg(
            pl.col("query_position").n_unique().alias("lists"),
            (pl.col("rank").n_unique() == pl.len()).alias("is_complementary"),
        )
        .filter(pl.col("lists") > 1, "is_complementary")
        .sort("session_id", "query_text")
        .collect()
    )
    if lists.height:
        session, text, number, _ = lists.row(0)
        yield Loss(
            "results.number_queries",
            f"{counted(lists.height, 'query')} would become several, because the rows of a list do not stand together "
            f"(first: {quoted(text)} of session {quoted(session)}, {number} lists). Sort the rows by session, query and rank, or "
            "name the column that counts queries: query_position",
        )


def _numbered_apart(study: Study, settings: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield whether queries and lists are numbered each for itself, and are not as many in every session."""
    if not all(settings.get(name, {}).get("number_queries") for name in ("queries", "results")):
        return
    lists = study.results.group_by("session_id").agg(lists=pl.col("query_position").n_unique())
    counts = study.queries.group_by("session_id").agg(queries=pl.len()).join(lists, on="session_id", how="left")
    uneven = counts.filter(pl.col("queries") != pl.col("lists").fill_null(0)).sort("session_id").collect()
    if uneven.height:
        session, n_queries, n_lists = uneven.row(0)
        first = f"{quoted(session)}, {counted(n_queries, 'query')} and {counted(n_lists or 0, 'list')}"
        yield Loss(
            "results.number_queries",
            f"queries and lists are numbered each for itself, and in {counted(uneven.height, 'session')} there are not as many "
            f"(first: {first}): lists may lie under the query before. Which column of both says to which query a list belongs?",
        )


def _repeated_rows(study: Study, settings: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield whether numbering took repeated rows for further queries."""
    if not settings.get("results", {}).get("number_queries"):
        return
    rows = study.results.join(study.queries, on=LIST, maintain_order="left").drop("query_position")
    repeated = rows.filter(~pl.struct(pl.all()).is_first_distinct()).select(pl.len(), pl.col("session_id").first())
    number, session = repeated.collect().row(0)
    if number:
        yield Loss(
            "results.number_queries",
            f"{counted(number, 'row')} of results {'repeats an' if number == 1 else 'repeat'} earlier "
            f"{'row' if number == 1 else 'rows'} of the session (first: session {quoted(session)}) and "
            f"{'counts' if number == 1 else 'count'} as another query. Was the query made again, or are rows double?",
        )


def _moved_rows(study: Study) -> Iterator[Loss]:
    """Yield whether result rows lie under a query that says something else in a column that both tables have."""
    names = [name for name in study.columns("results") if name in study.columns("queries") and name not in LIST]
    for name in names:
        pairs = (
            study.results.select(*LIST, pl.col(name).cast(pl.String).alias("of_row"))
            .join(study.queries.select(*LIST, pl.col(name).cast(pl.String).alias("of_query")), on=LIST)
            .drop_nulls()
        )
        rows, moved = pairs.select(pl.len(), (pl.col("of_row") != pl.col("of_query")).sum()).collect().row(0)
        if moved:
            row, query = (
                pairs.filter(pl.col("of_row") != pl.col("of_query"))
                .sort(*LIST, "of_row")
                .select("of_row", "of_query")
                .head(1)
                .collect()
                .row(0)
            )
            yield Loss(
                "results.query_position",
                f"{moved:,} of {counted(rows, 'row')} with {name} lie under a query of another {name} (first: {quoted(row)} under "
                f"{quoted(query)}). Does {name} say to which query a result belongs?",
            )


def _backward_queries(study: Study, settings: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield whether queries are not in the order of their times."""
    time = next((name for name in ("issued_at", "elapsed_seconds") if name in study.columns("queries")), None)
    if time is None:
        return
    step = pl.col(time).diff().over("session_id", order_by="query_position")
    zero = pl.duration() if time == "issued_at" else 0
    rows = study.queries.select("session_id", (step < zero).alias("is_backward"))
    sessions = rows.group_by("session_id").agg(pl.col("is_backward").any()).sort("session_id").collect()
    backward = sessions.filter("is_backward")
    numbered = [name for name in ("queries", "results") if settings.get(name, {}).get("number_queries")]
    if backward.height and (numbered or backward.height > ASK_ABOVE * sessions.height):
        yield Loss(
            f"{numbered[0]}.number_queries" if numbered else "queries.query_position",
            f"in {backward.height:,} of {counted(sessions.height, 'session')} queries are not in the order of {time} (first: "
            f"{quoted(backward['session_id'][0])}). In which order were they made?",
        )


def _stray_texts(study: Study, settings: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield whether the texts of queries are in results alone, as where a file of ratings is taken for the table of queries."""
    if not {"queries", "results"} <= set(settings) or "query_text" in study.columns("queries"):
        return
    texts = [name for name in study.columns("results") if likeness(name, "query_text") >= LIKELY]
    if texts:
        paths = listed([quoted(path) for path in paths_in(settings["queries"]["path"], Path())][:NAMED_SOURCES])
        yield Loss(
            "queries.query_text",
            f"{quoted(texts[0])} of results seems to be the text of queries; {paths}, which is taken for the table of queries, has none, "
            "and queries stay without text. Is that the right file? If so, add a column with the texts to it",
        )


def _without_results(study: Study, settings: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield what becomes of queries without result rows, where the log has a table of queries and one of results."""
    options = settings.get("queries", {})
    if "results" not in settings or not options or "without_results" in options or not study.facts.results:
        return
    if "results_status" in study.columns("queries") and "results_status" in options.get("columns", {}):
        return
    silent = study.queries.filter(pl.col("results_status") == "empty")
    if "results_count" in study.columns("queries"):
        silent = silent.filter(pl.col("results_count").cast(pl.Float64, strict=False).fill_null(1) > 0)
    marked = sum(source.empty_lists for source in study.sources if source.table == "results")
    number, queries = silent.select(pl.len()).collect().item() - marked, study.facts.queries
    if number > USUAL_SHARE * queries:
        yield Loss(
            "queries.without_results",
            f"{number:,} of {queries:,} queries ({share_text(number / queries, 0)}) have no row in results. Did they return nothing? "
            "They count so, with value 0; without_results = \"empty\" says it. If their lists were not logged, remove the '#'",
            line=Line("without_results", "not_logged", idle=True),
        )


def _with_question(sections: Sequence[TomlSection], loss: Loss) -> list[TomlSection]:
    """Return sections with a question at the line that a loss is about, unless one there says the same."""
    at, line = _place_of(sections, loss)
    section = sections[at]
    before = section.lines[line] if line is not None else Line()
    if _is_asked(sections, loss, before):
        return list(sections)
    if line is not None:
        lines = [*section.lines]
        lines[line] = replace(before, questions=(*before.questions, loss.text))
    else:
        lines = [*section.lines, replace(loss.line, questions=(loss.text,))]
    return [*sections[:at], replace(section, lines=tuple(lines)), *sections[at + 1 :]]


def _is_asked(sections: Sequence[TomlSection], loss: Loss, line: Line) -> bool:
    """Return whether a question at a line, or one about no line or an option of the same table, says what a loss does."""
    name = loss.place.partition(".")[0]
    others = (
        [
            question
            for section in sections
            if name and section.name[:1] == (name,)
            for each in section.lines
            if name not in TABLES or each.key not in table(name).names
            for question in each.questions
        ]
        if name in (*TABLES, SECTION)
        else []
    )
    return any(word in question for question in (*line.questions, *others) for word in loss.repeats)


def _place_of(sections: Sequence[TomlSection], loss: Loss) -> tuple[int, int | None]:
    """Return the section that a loss is about, and the line in it, where there is one."""
    name, _, key = loss.place.partition(".")
    home = [at for at, section in enumerate(sections) if name and section.name[:1] == (name,)]
    log = [at for at, section in enumerate(sections) if section.name[:1] in (("results",), ("queries",), ("columns",))]
    for at in [*home, *log] if key else ():
        for number, line in enumerate(sections[at].lines):
            if line.key == key:
                return at, number
    top = next((at for at, section in enumerate(sections) if not section.name and section.lines), 0)
    return (home[0] if home else top), None
