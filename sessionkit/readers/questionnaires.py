"""Questionnaires: answers of users, sessions or tasks, in a wide or a long table, which join the log by their ids.

Answers that belong to users alone become columns of the users, all others columns of the sessions. ``[[questionnaires]]`` in
study.toml names the files; they are read as tables are, whatever the format of the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import CELLS, RECORD, RULE, VALUE
from sessionkit.contract.casts import as_text
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataError, suggestion
from sessionkit.readers.config import Config
from sessionkit.readers.io.log_files import open_log, paths_in
from sessionkit.readers.io.record_store import in_memory
from sessionkit.readers.io.table_files import read_table
from sessionkit.readers.raw import Raw
from sessionkit.study import Source

SECTION = "questionnaires"
IDS = ("session_id", "user_id", "topic_id", "system_id")
"""What an answer may be of, alone or together."""
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
        What became of the records; of a file whose answers are in several such, of one of them.
    notes, warnings
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
                    f"{self.source} ({SECTION}): the item {item!r} is also a column of the log; give it another name, such as "
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
    return [answers for said in config.questionnaires for answers in _answers(said, config, copies)]


def _answers(said: Mapping[str, Any], config: Config, copies: Path) -> Iterator[Answers]:
    """Return the answers in the files of one questionnaire."""
    for path in paths_in(said["path"], config.folder):
        file = open_log(path, config.folder, copies, encoding=said.get("encoding"), section=SECTION, workbook=True)
        yield from _of_table(read_table(file, SECTION, said, config=config, keep=in_memory), said)


def _of_table(raw: Raw, said: Mapping[str, Any]) -> Iterator[Answers]:
    """Return the answers in one table."""
    types = raw.frame.collect_schema()
    names = [name for name in types if name not in (RECORD, RULE, VALUE, CELLS)]
    whole = raw.frame.filter(pl.col(RULE).is_null()) if RULE in types else raw.frame
    rows = whole.select(
        as_text(name, types[name]).str.strip_chars().replace("", None).alias(name) for name in names
    ).collect()
    ids = tuple(name for name in IDS if name in names)
    within = _within_names(said.get("name_items"), [name for name in names if name not in ids], raw.source)
    if not ids:
        raise DataError(
            f"{raw.source} ({SECTION}) does not say whose answers it has; columns = {{ user_id = ... }} names the column, or "
            f"several of {listed(list(IDS))}; found {', '.join(names)}"
        )
    given = rows.drop_nulls(ids)
    if {ITEM, ANSWER} <= set(names):
        given = given.drop_nulls(ITEM)
        tables = [(ids, _wide(given, ids))]
    else:
        items = _items(said.get("items"), [name for name in names if name not in (*ids, *within)], raw.source)
        tables = [(ids, given.select(*ids, *items))] if items else []
        if within:
            tables.append(_of_names(given, ids, within))
    if not tables:
        raise DataError(f"{raw.source} ({SECTION}) has no items beside {listed(list(ids))}")
    merged, idle = given.height, raw.records - given.height
    accounts = [
        Source(
            raw.source, "", raw.records, 0, bytes=raw.bytes, sha256=raw.sha256, kind="answers", merged=merged, idle=idle
        )
    ]
    for number, (by, table) in enumerate(tables):
        yield replace(_once(raw.source, by, table), accounts=() if number else tuple(accounts))


def _items(asked: Sequence[str] | None, names: list[str], source: str) -> list[str]:
    """Return the columns that are items: those that study.toml names, else all."""
    for name in asked or ():
        if name not in names:
            raise DataError(
                f"{source} ({SECTION}) has no column {name!r} for items{suggestion(name, names)}; found {', '.join(names)}"
            )
    return names if asked is None else list(asked)


def _within_names(pattern: str | None, names: list[str], source: str) -> dict[str, dict[str, str]]:
    """Return what the names of columns say, by a pattern: the item, and the ids that its answers are of."""
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
    found = {name: match.groupdict() for name in names if (match := re.fullmatch(pattern, name))}
    if not found:
        raise DataError(
            f"{source} ({SECTION}): no column has a name like name_items, {pattern!r}; found {', '.join(names)}"
        )
    return found


def _of_names(
    rows: pl.DataFrame, ids: tuple[str, ...], within: Mapping[str, Mapping[str, str]]
) -> tuple[tuple[str, ...], pl.DataFrame]:
    """Return answers in columns whose names hold ids, with all ids, and a row for each of their values."""
    further = {key for found in within.values() for key in found if key != ITEM}
    by = tuple(name for name in IDS if name in {*ids, *further})
    long = [
        rows.select(
            *ids,
            *(pl.lit(value).alias(key) for key, value in found.items() if key != ITEM),
            pl.lit(found[ITEM]).alias(ITEM),
            pl.col(name).alias(ANSWER),
        )
        for name, found in within.items()
    ]
    return by, _wide(pl.concat(long, how="diagonal_relaxed").drop_nulls(by), by)


def _wide(long: pl.DataFrame, ids: tuple[str, ...]) -> pl.DataFrame:
    """Return answers that have a row each with a column for each item; where an item was answered twice, a row for each."""
    numbered = long.drop_nulls(ANSWER).with_columns(__time=pl.int_range(pl.len()).over(*ids, ITEM))
    return numbered.pivot(ITEM, index=[*ids, "__time"], values=ANSWER).drop("__time")


def _once(source: str, ids: tuple[str, ...], rows: pl.DataFrame) -> Answers:
    """Return answers with one row for each value of the ids, the first answer to an item where there are several."""
    items = [name for name in rows.columns if name not in ids]
    values = pl.col(items).drop_nulls()
    answered = rows.filter(pl.any_horizontal(pl.col(items).is_not_null()))
    made = answered.group_by(ids, maintain_order=True).agg(values.first(), values.n_unique().name.prefix("__n_"))
    warnings = []
    for item in items:
        several = made.filter(pl.col(f"__n_{item}") > 1)
        if len(several):
            first = ", ".join(f"{name} {value!r}" for name, value in several.select(ids).row(0, named=True).items())
            warnings.append(
                f"{source} ({SECTION}): {item} has several answers by {counted(len(several), 'respondent')} (first: {first}); "
                "the first answer is kept"
            )
    return Answers(source, ids, made.select(*ids, *items), warnings=tuple(warnings))
