"""What a pseudonymized study says of where it is from: counts, and nothing of the log, its files or those who searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import polars as pl

from sessionkit import __version__
from sessionkit.contract import TABLES
from sessionkit.display.words import counted, listed
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.options import DATED, OF_THING, TIMES, TITLE, Column
from sessionkit.study.settings import Settings
from sessionkit.study.source import Source
from sessionkit.study.study import Study

THINGS = {"queries": "query texts and ids", TIMES: "times of day (seconds since the session began in their place)"}
"""What things are called where they are replaced."""


@dataclass(frozen=True)
class Disclosure:
    """What a study says anything of, found out once.

    Parameters
    ----------
    kept, replaced
        Things that the copy keeps in some table, and the others.
    rejected
        How many records of which table broke which rule; empty where none did.
    """

    kept: list[str]
    replaced: list[str]
    rejected: str

    @classmethod
    def of(cls, study: Study, plan: ColumnPlan) -> Disclosure:
        """Look through the study."""
        return cls(*_kept_and_replaced(study, plan), _rejected_in_words(study))


def sources_of(study: Study) -> tuple[Source, ...]:
    """The accounts of a study's sources, by numbers; sizes and hashes would tell a known file."""
    number = {path: place for place, path in enumerate(dict.fromkeys(one.path for one in study.sources), 1)}
    return tuple(
        replace(
            source,
            path=f"source {number[source.path]}",
            kind=_kind_of(source),
            bytes=None,
            sha256=None,
        )
        for source in study.sources
    )


def _kind_of(source: Source) -> str:
    """What may be said of the records of a source: what became of them, not what a file calls them."""
    if source.is_excluded:
        return source.kind
    if source.table:
        return ""
    return "merged" if source.merged else "idle" if source.idle else ""


def settings_of(study: Study, plan: ColumnPlan) -> Settings:
    """What was declared, without title and labels unless the title is to be kept, and without the zone of times that are gone."""
    settings = study.settings
    return replace(
        settings,
        title=settings.title if TITLE in plan.asked.named else None,
        labels=settings.labels if TITLE in plan.asked.named else {},
        timezone=None if plan.elapsed else settings.timezone,
    )


def notes_of(study: Study, plan: ColumnPlan, known: Disclosure) -> tuple[str, ...]:
    """What readers of the copy should know, one sentence each."""
    named = ", ".join(THINGS.get(name, name) for name in known.replaced)
    done = f"replaced: {named}" if named else "nothing was replaced"
    notes = [f"pseudonymized by sessionkit {__version__}; {done}; kept: {', '.join(known.kept) or 'nothing'}"]
    if plan.out:
        notes.append(f"left out of the copy: {columns_in_words(plan.out)}")
    if known.rejected:
        notes.append(f"rejected when the source was read, and left out of the copy: {known.rejected}")
    if study.notes:
        notes.append(f"{counted(len(study.notes), 'note')} on the source left out of the copy, which quoted from it")
    return tuple(notes)


def _kept_and_replaced(study: Study, plan: ColumnPlan) -> tuple[list[str], list[str]]:
    """The things of which the study says anything: those that are kept in some table, and the others."""
    things = {**OF_THING, TIMES: tuple(column for columns in DATED.values() for column in columns)}
    there = {name: [column for column in columns if _known(study, column)] for name, columns in things.items()}
    kept = [name for name, columns in there.items() if plan.keeps(study, columns)]
    return kept, [name for name, columns in there.items() if columns and name not in kept]


def columns_in_words(columns: Mapping[Column, str] | Iterable[Column]) -> str:
    """Columns by their names, each with a reason where there is one.

    >>> columns_in_words({("results", "title"): "text", ("users", "age"): ""})
    'results.title (text), users.age'
    """
    reasons = columns if isinstance(columns, Mapping) else {}
    names = ((".".join(column), reasons.get(column, "")) for column in columns)
    return ", ".join(f"{name} ({reason})" if reason else name for name, reason in names)


def _rejected_in_words(study: Study) -> str:
    """How many records, and values set aside, of which table broke which rule."""
    by = ("row_kept", "table", "rule")
    broken = study.rejected.group_by(by).agg(many=pl.len()).sort(by).collect()
    said = [
        f"{counted(many, 'value' if row_kept else 'record')} of {table} ({rule})"
        for row_kept, table, rule, many in broken.iter_rows()
    ]
    return listed(said) if said else ""


def _known(study: Study, column: str) -> bool:
    """Whether a study says anything in a column."""
    there = [
        study.table(name).select(pl.col(column).is_not_null().any()) for name in TABLES if column in study.columns(name)
    ]
    return any(found.item() for found in pl.collect_all(there))
