"""Questionnaires: answers of users, sessions or tasks, in a wide or a long table, which join the log by their ids.

Answers that belong to users alone become columns of the users, all others columns of the sessions. ``[[questionnaires]]`` in
study.toml names the files; they are read as tables are, whatever the format of the log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError, suggestion
from sessionkit.readers.config import Config
from sessionkit.readers.io.files import open_log, paths_in
from sessionkit.readers.io.tables import options_of_sheets, read_table
from sessionkit.readers.raw import Raw, in_memory
from sessionkit.study import Source
from sessionkit.study.checks import CELLS, RECORD, RULE, VALUE, as_text

SECTION = "questionnaires"
IDS = ("session_id", "user_id", "topic_id", "system_id")
"""What an answer may be of, alone or together."""
NAMED = 3
"""Items that a warning names."""
ITEM, ANSWER = "item", "value"
"""Columns of a long table, which has a row for each answer."""


@dataclass(frozen=True)
class Answers:
    """Answers to some items by the same ids.

    Parameters
    ----------
    source
        The file, for people.
    ids
        The columns that say whose they are.
    rows
        The ids, and a column of text for each item; one row for each of the ids' values.
    accounts
        What became of the records of the files; of answers by several kinds of ids in one questionnaire the first have them.
    warnings
        What was unusual.
    """

    source: str
    ids: tuple[str, ...]
    rows: pl.DataFrame
    accounts: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def items(self) -> list[str]:
        """The items, which are columns."""
        return [name for name in self.rows.columns if name not in self.ids]

    @property
    def of_users(self) -> bool:
        """Whether they are of users, whatever their sessions."""
        return self.ids == ("user_id",)

    def joined(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return sessions, or users, with the items as columns.

        Raises
        ------
        DataError
            They have a column of such a name.
        """
        for item in self.items:
            if item in rows.columns:
                raise DataError(
                    f"{self.source} ({SECTION}): the item {item!r} is also a column of the log or of another questionnaire; give it "
                    "another name, such as "
                    f'columns = {{ {item}_asked = "{item}" }}'
                )
        missing = [name for name in self.ids if name not in rows.columns]
        if missing:
            raise DataError(
                f"{self.source} ({SECTION}): answers are given by {listed(list(self.ids))}, but the sessions have no "
                f"{missing[0]}; name that column of the log in columns"
            )
        return rows.join(self.rows, on=list(self.ids), how="left", maintain_order="left")

    def met(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the ids of these sessions, or users, that have answers."""
        return rows.select(self.ids).unique().join(self.rows.select(self.ids), on=list(self.ids), how="semi")

    def unmet(self, met: Sequence[pl.DataFrame]) -> str | None:
        """Return what is to be said of answers that belong to nothing in the log."""
        own = self.rows.select(self.ids)
        alone = own.join(pl.concat([own.clear(), *met]), on=list(self.ids), how="anti")
        if alone.is_empty():
            return None
        first = ", ".join(f"{name} {value!r}" for name, value in alone.sort(self.ids).row(0, named=True).items())
        noun = "user" if self.of_users else "session"
        return f"{self.source} ({SECTION}): answers of {len(alone)} of {len(own)} belong to no {noun} of the log (first: {first})"


@dataclass(frozen=True)
class LongTable:
    """Answers by the same ids, a row each: the ids, the item and the answer.

    Parameters
    ----------
    items
        The items that were asked, answered or not.
    """

    ids: tuple[str, ...]
    items: list[str]
    rows: pl.DataFrame


def read_questionnaires(config: Config, copies: Path) -> list[Answers]:
    """Return the answers in the questionnaires that study.toml names.

    Parameters
    ----------
    copies
        A directory for copies of files that are not UTF-8.

    Raises
    ------
    DataError
        A file is missing or unreadable, names no id, or an option does not fit it.
    """
    return [answers for said in config.questionnaires for answers in _of_questionnaire(said, config, copies)]


def _of_questionnaire(said: Mapping[str, Any], config: Config, copies: Path) -> list[Answers]:
    """Return the answers in the files of one questionnaire, those by the same ids together."""
    found: dict[tuple[str, ...], list[LongTable]] = {}
    accounts: list[Source] = []
    warnings: list[str] = []
    sources: list[str] = []
    each_sheet = [
        (path, options) for path in paths_in(said["path"], config.folder) for options in options_of_sheets(said)
    ]
    for path, options in each_sheet:
        file = open_log(
            path,
            config.folder,
            copies,
            encoding=said.get("encoding"),
            section=SECTION,
            memory=config.memory,
            workbook=True,
        )
        raw = read_table(file, SECTION, options, config=config, keep=in_memory)
        sources.append(raw.source)
        tables, merged = _long(raw, said)
        for table in tables:
            found.setdefault(table.ids, []).append(table)
        idle = raw.records - merged
        if idle:
            what = counted(idle, "record")
            warnings.append(f"{raw.source} ({SECTION}): {what} without an id, or with fields too many; not read")
        accounts.append(
            Source(
                raw.source,
                "",
                raw.records,
                0,
                bytes=raw.bytes,
                sha256=raw.sha256,
                kind="answers",
                merged=merged,
                idle=idle,
            )
        )
    source = sources[0] if len(sources) == 1 else f"{sources[0]} and {counted(len(sources) - 1, 'more file')}"
    made = [_once(source, ids, tables) for ids, tables in found.items()]
    made[0] = replace(made[0], accounts=tuple(accounts), warnings=(*warnings, *made[0].warnings))
    return made


def _long(raw: Raw, said: Mapping[str, Any]) -> tuple[list[LongTable], int]:
    """Return the answers in one table, and of how many records they are."""
    types = raw.frame.collect_schema()
    names = [name for name in types if name not in (RECORD, RULE, VALUE, CELLS)]
    ids = tuple(name for name in IDS if name in names)
    if not ids:
        raise DataError(
            f"{raw.source} ({SECTION}) does not say whose answers it has; columns = {{ user_id = ... }} names the column, or "
            f"several of {listed(list(IDS))}; found {', '.join(names)}"
        )
    whole = raw.frame.filter(pl.col(RULE).is_null()) if RULE in types else raw.frame
    texts = {name: as_text(name, types[name]) for name in names}
    filled = {name: text if name in ids else text.str.strip_chars().replace("", None) for name, text in texts.items()}
    rows = whole.select(text.alias(name) for name, text in filled.items()).collect().drop_nulls(ids)
    if {ITEM, ANSWER} <= set(names):
        long = rows.select(*ids, ITEM, ANSWER).drop_nulls(ITEM)
        return [LongTable(ids, long[ITEM].unique(maintain_order=True).to_list(), long)], len(rows)
    within = _within_names(said.get("name_items"), [name for name in names if name not in ids], raw.source)
    items = _items(said.get("items"), [name for name in names if name not in (*ids, *within)], raw.source)
    long = rows.select(*ids, *items).unpivot(items, index=ids, variable_name=ITEM, value_name=ANSWER)
    tables = [LongTable(ids, items, long)] if items else []
    tables += [_of_name(rows, ids, name, told) for name, told in within.items()]
    if not tables:
        raise DataError(f"{raw.source} ({SECTION}) has no items beside {listed(list(ids))}")
    return tables, len(rows)


def _items(asked: Sequence[str] | None, names: list[str], source: str) -> list[str]:
    """Return the columns that are items: those that study.toml names, else all."""
    for name in asked or ():
        if name not in names:
            raise DataError(
                f"{source} ({SECTION}) has no column {name!r} for items{suggestion(name, names)}; found {', '.join(names)}"
            )
    return names if asked is None else list(asked)


def _within_names(pattern: str | None, names: list[str], source: str) -> dict[str, dict[str, str]]:
    """Return what the names of columns say, by a pattern: the item, and the ids that its answers are of; others say nothing."""
    if pattern is None:
        return {}
    try:
        known = set(re.compile(pattern).groupindex)
    except re.error as error:
        raise DataError(f"{source} ({SECTION}): name_items is no regular expression ({error})") from None
    if ITEM not in known or not known - {ITEM} or known - {ITEM, *IDS}:
        raise DataError(
            f"{source} ({SECTION}): name_items needs the named groups item and one of {', '.join(IDS)}, such as "
            r"(?P<topic_id>\w+) (?P<item>.+)"
        )
    matches = {name: match.groupdict() for name in names if (match := re.fullmatch(pattern, name))}
    found = {name: told for name, told in matches.items() if None not in told.values()}
    if not found:
        raise DataError(
            f"{source} ({SECTION}): no column has a name like name_items, {pattern!r}; found {', '.join(names)}"
        )
    return found


def _of_name(rows: pl.DataFrame, ids: tuple[str, ...], name: str, told: Mapping[str, str]) -> LongTable:
    """Return the answers in a column whose name holds ids, by all ids."""
    further = {key: pl.lit(value) for key, value in told.items() if key != ITEM}
    by = tuple(one for one in IDS if one in {*ids, *further})
    whose = [further.get(one, pl.col(one)).alias(one) for one in by]
    return LongTable(by, [told[ITEM]], rows.select(*whose, pl.lit(told[ITEM]).alias(ITEM), pl.col(name).alias(ANSWER)))


def _once(source: str, ids: tuple[str, ...], tables: Sequence[LongTable]) -> Answers:
    """Return answers as columns, the first answer to an item where a respondent gave several."""
    items = list(dict.fromkeys(item for table in tables for item in table.items))
    long = pl.concat(table.rows for table in tables)
    for item in items:
        if item in ids or item.startswith("__"):
            raise DataError(f"{source} ({SECTION}): an item is called {item!r}, which is a name of our own; rename it")
    given = long.drop_nulls(ANSWER).group_by(*ids, ITEM, maintain_order=True)
    answers = given.agg(pl.col(ANSWER).first(), several=pl.col(ANSWER).n_unique() > 1)
    repeated = answers.filter("several")
    warnings = []
    if len(repeated):
        respondents = repeated.select(ids).unique(maintain_order=True)
        first = ", ".join(f"{name} {value!r}" for name, value in respondents.row(0, named=True).items())
        names = repeated[ITEM].unique(maintain_order=True).to_list()
        several = listed(names if len(names) <= NAMED + 1 else [*names[:NAMED], f"{len(names) - NAMED:,} more"])
        warnings.append(
            f"{source} ({SECTION}): {counted(len(respondents), 'respondent')} gave several answers to {several} (first: {first}); "
            "the first answer is kept"
        )
    made = answers.pivot(ITEM, on_columns=items, index=ids, values=ANSWER)
    return Answers(source, ids, made, warnings=tuple(warnings))
