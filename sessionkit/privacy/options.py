"""What is replaced, kept and left out: things such as users and documents, and single columns, by their names.

Every declared column that says who, what or when belongs to a thing. Times of day are replaced by seconds since the
session began, all other things by pseudonyms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from sessionkit.arguments import names_in
from sessionkit.choices import StudyTable
from sessionkit.contract import TABLES, table
from sessionkit.errors import UsageError, suggestion
from sessionkit.study.study import Study

Column = tuple[StudyTable, str]
"""A table and a column of it."""
TIMES, EXTRAS, TITLE = "times", "extras", "title"
OF_THING = {
    "users": ("user_id",),
    "sessions": ("session_id",),
    "queries": ("query_text", "query_id"),
    "judges": ("judge_id",),
    "documents": ("doc_id", "passage_id", "nugget_id"),
    "topics": ("topic_id", "subtopic_id"),
    "systems": ("system_id",),
}
"""Things that pseudonyms can stand for, and their columns."""
LABELS = {
    "user_id": "user-",
    "session_id": "session-",
    "query_text": "query",  # without a hyphen it is one word, which measures of query terms take for one term
    "query_id": "query-id-",
    "judge_id": "judge-",
    "doc_id": "document-",
    "passage_id": "passage-",
    "nugget_id": "nugget-",
    "topic_id": "topic-",
    "subtopic_id": "subtopic-",
    "system_id": "system-",
    "judgment_key": "key-",
}
"""What the pseudonyms of a column begin with."""
DATED: dict[StudyTable, tuple[str, ...]] = {
    "sessions": ("started_at", "ended_at"),
    "queries": ("issued_at",),
    "results": ("clicked_at",),
}
"""Columns with times of day."""
MADE = {"ended_at": "duration_seconds", "issued_at": "elapsed_seconds", "clicked_at": "click_elapsed_seconds"}
"""Columns with seconds that take the place of times of day."""
REPLACED = frozenset({"users", "sessions", "queries", "judges", TIMES})
"""Things that are replaced unless they are to be kept."""
KEPT = frozenset({"documents", "topics", "systems"})
"""Things that are kept unless they are to be replaced."""
NEEDED = ("user_id", "system_id", "topic_id", "judgment_key", "results_status")
"""Columns that no study is without, beside those of its keys."""


@dataclass(frozen=True)
class PrivacyOptions:
    """What somebody wants of a pseudonymized study.

    Parameters
    ----------
    replaced
        Things that are replaced.
    named
        Things that were named to be kept.
    keep, replace, drop
        Columns found in the source that are kept whatever is in them, or replaced by pseudonyms; columns that are left out.
    """

    replaced: frozenset[str] = REPLACED
    named: frozenset[str] = frozenset()
    keep: frozenset[Column] = frozenset()
    replace: frozenset[Column] = frozenset()
    drop: frozenset[Column] = frozenset()

    @classmethod
    def of(cls, study: Study, keep: Iterable[str], replace: Iterable[str], drop: Iterable[str]) -> PrivacyOptions:
        """Read the names that were given.

        Raises
        ------
        UsageError
            A name is neither a thing nor a column, or is given twice, or cannot be treated so.
        """
        given = {
            "keep": names_in("keep", keep),
            "replace": names_in("replace", replace),
            "drop": names_in("drop", drop),
        }
        for one, other in (("keep", "replace"), ("keep", "drop"), ("replace", "drop")):
            if both := [name for name in given[one] if name in given[other]]:
                raise UsageError(f"{both[0]} cannot be both in {one} and in {other}; name it in one of them")
        kept = [name for name in given["keep"] if name in (*REPLACED, *KEPT, EXTRAS, TITLE)]
        replaced = [name for name in given["replace"] if name in REPLACED | KEPT]
        extras = extras_of(study)
        others = {"extras": EXTRAS, "things": (*OF_THING, TIMES)}
        columns = {
            "keep": columns_named(set(given["keep"]) - {*kept}, extras, "keep", [*others["things"], EXTRAS, TITLE]),
            "replace": columns_named(set(given["replace"]) - {*replaced}, extras, "replace", [*others["things"]]),
            "drop": columns_named(set(given["drop"]), droppable(study), "drop", []),
        }
        if EXTRAS in kept:
            every = {(name, column) for name, columns_ in extras.items() for column in columns_}
            columns["keep"] = frozenset(every - columns["replace"] - columns["drop"])
        for one, other in (("keep", "replace"), ("keep", "drop"), ("replace", "drop")):
            for name, column in sorted(columns[one] & columns[other]):
                raise UsageError(f"{name}.{column} cannot be both in {one} and in {other}; name it in one of them")
        for name, column in sorted(columns["replace"]):
            dtype = study.table(name).collect_schema()[column]
            if dtype.is_nested() or dtype == pl.Binary:
                raise UsageError(
                    f"replace: {name}.{column} is {dtype}, which cannot have pseudonyms; keep it or leave it out"
                )
        return cls(REPLACED - {*kept} | {*replaced}, frozenset(kept), **columns)


def extras_of(study: Study) -> dict[StudyTable, list[str]]:
    """The columns of each table that are no declared ones."""
    return {name: [column for column in study.columns(name) if column not in table(name).by_name] for name in TABLES}


def droppable(study: Study) -> dict[StudyTable, list[str]]:
    """The columns of each table that a study, or its copy, can be without."""
    made = {name: [MADE[column] for column in study.columns(name) if column in MADE] for name in TABLES}
    return {
        name: [
            column
            for column in dict.fromkeys([*study.columns(name), *made[name]])
            if column not in NEEDED and column not in table(name).required
        ]
        for name in TABLES
    }


def columns_named(
    names: Iterable[str], known: Mapping[StudyTable, Iterable[str]], option: str, things: list[str]
) -> frozenset[Column]:
    """The columns that are called so, in every table that has one; ``table.column`` is the one of that table.

    Raises
    ------
    UsageError
        There is none.
    """
    found: set[Column] = set()
    for name in names:
        within, _, own = name.partition(".")
        those = {(home, column) for home, columns in known.items() for column in columns if column == name}
        those = those or {(home, own) for home, columns in known.items() if home == within and own in columns}
        if not those:
            raise UsageError(f"{option}: {_unknown(name, known, option, things)}")
        found |= those
    return frozenset(found)


def _unknown(name: str, known: Mapping[StudyTable, Iterable[str]], option: str, things: list[str]) -> str:
    """What to say of a name that stands for nothing that can be treated so."""
    thing = next((thing for thing, columns in OF_THING.items() if name in columns), None)
    if thing is None and any(name in columns for columns in DATED.values()):
        thing = TIMES
    if thing is not None:
        can = "say" if things else "it can be replaced, not left out: say --replace"
        return f"{name} is a column of {thing}; {can} {thing}"
    if not things and name in (*OF_THING, TIMES, EXTRAS):
        of_it = ", ".join(OF_THING.get(name, ())) or "one by one"
        return f"{name} is not a column; name the columns to leave out: {of_it}"
    if not things and any(name.removeprefix(f"{home}.") in table(home).by_name for home in TABLES):
        return f"{name} is missing or cannot be left out"
    columns = sorted({column for columns in known.values() for column in columns})
    offered = [*things, *columns]
    more = f"columns: {', '.join(columns)}" if columns else "there are no other columns"
    said = f"things: {', '.join(things)}; {more}" if things else more
    return f"there is nothing called {name!r} to {option}{suggestion(name, offered)}; {said}"
