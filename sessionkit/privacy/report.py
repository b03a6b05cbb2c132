"""What is said of a pseudonymized copy before it is shared, what it discloses of its source, and where it may lie."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import ClassVar

import polars as pl

from sessionkit import __version__
from sessionkit.arguments import require_choice
from sessionkit.display.frames import ResultFrame
from sessionkit.display.numbers import counted, listed
from sessionkit.display.statements import Kind, Statement, Value, require_kinds
from sessionkit.display.text import Displayed
from sessionkit.errors import UsageError, suggestion, visible
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.pseudonyms import KEY, Names
from sessionkit.study.descriptor import is_study
from sessionkit.study.files import require_place, whole_file
from sessionkit.study.identifiers import DATED, MADE, OF_THING, TIMES, TITLE, VALUES, Column, extras_of
from sessionkit.study.package import refuse_to_replace
from sessionkit.study.schema import TABLES
from sessionkit.study.schema import table as contract
from sessionkit.study.settings import Settings
from sessionkit.study.study import Source, Study

SECONDS = {"started_at": "0 in every session", **MADE}
"""What becomes of times."""
NOUNS = {
    "user_id": "user",
    "session_id": "session",
    "query_text": "query text",
    "query_id": "query id",
    "judge_id": "judge",
    "doc_id": "document",
    "passage_id": "passage",
    "nugget_id": "nugget",
    "topic_id": "topic",
    "subtopic_id": "subtopic",
    "system_id": "system",
    KEY: "judgment key",
}
FEW = 5
"""Users who share their features with fewer than so many are few enough to be told."""


def table_of(study: Study, copy: Study, plan: ColumnPlan, names: Mapping[str, Names]) -> pl.DataFrame:
    """Say what was done to every column of the study, and which are new."""
    rows: list[tuple[str, str, str, int | None, str]] = []
    for table in TABLES:
        for column in study.columns(table):
            domain = KEY if column == KEY else plan.of.get((table, column))
            if (table, column) in plan.out:
                rows.append((table, column, "left out", None, plan.out[table, column]))
            elif plan.loses(table, column):
                rows.append((table, column, "seconds", None, f"now {SECONDS[column]}"))
            elif domain is not None and len(names[domain].values):
                rows.append((table, column, "replaced", len(names[domain].values), why_replaced(plan, (table, column))))
            else:
                rows.append((table, column, "kept", None, ""))
        new = [column for column in copy.columns(table) if column not in study.columns(table)]
        rows += [(table, column, "made", None, "from times of day") for column in new]
    schema = {"table": pl.String, "column": pl.String, "done": pl.String, "values": pl.Int64, "why": pl.String}
    return ResultFrame(pl.DataFrame(rows, schema=schema, orient="row"))


def why_replaced(plan: ColumnPlan, column: Column) -> str:
    """Return why a column was replaced that would have stayed; empty for others."""
    is_repeating = any(column[1] in OF_THING[thing] for thing in plan.repeating)
    counts = plan.repeats.get(column)
    return f"repeats {listed(counts.columns)}" if is_repeating and counts is not None and counts.certain else ""


def statements_of(
    study: Study, copy: Study, plan: ColumnPlan, names: Mapping[str, Names], known: Disclosure, *, seeded: bool
) -> tuple[Statement, ...]:
    """Say what was done, and what to mind."""
    counts = {name: len(own.values) for name, own in names.items() if len(own.values)}
    texts = [_many(name, count) for name, count in counts.items()]
    statements = [
        Statement(
            "replaced",
            f"Replaced by pseudonyms: {listed(texts)}." if texts else "Nothing was replaced by pseudonyms.",
            {"columns": [*counts], "values": [*counts.values()]},
        ),
        *replaced_too(plan),
    ]
    timed = [column for table, columns in DATED.items() for column in columns if column in study.columns(table)]
    if timed and plan.elapsed:
        text = f"Times of day ({', '.join(timed)}) became seconds since the session began."
        statements.append(Statement("times", text, {"columns": timed}))
    statements += [_kept(study, plan, known), *_left_out(study, plan, known)]
    partitioned = study.storage.partitioned
    if partitioned is not None and plan.loses("sessions", partitioned.by):
        text = f"No longer partitioned: {partitioned.by} was replaced or left out."
        statements.append(Statement("not_partitioned", text, {"column": partitioned.by}))
    statements += _minded(study, copy, plan, known.kept, seeded=seeded)
    return tuple(replace(statement, text=visible(statement.text)) for statement in statements)


def _kept(study: Study, plan: ColumnPlan, known: Disclosure) -> Statement:
    """Say what stays as it is."""
    further = [
        (table, column)
        for table, columns in extras_of(study).items()
        for column in columns
        if (table, column) not in plan.out and (table, column) not in plan.asked.replace
    ]
    extras = f"; of the source's additional columns {columns_in_words(further)}" if further else ""
    text = f"Kept: {listed(known.kept) if known.kept else 'no ids'}{extras}."
    return Statement("kept", text, {"ids": known.kept, "columns": _dotted(further)})


def _left_out(study: Study, plan: ColumnPlan, known: Disclosure) -> list[Statement]:
    """Say what is not in the copy."""
    has_title = bool(study.settings.title) and TITLE not in plan.asked.named
    texts = [columns_in_words(plan.out)] if plan.out else []
    texts += [f"what was rejected: {_rejected_in_words(known.rejected)}"] if known.rejected else []
    texts += [counted(len(study.notes), "note") + " on the source"] if study.notes else []
    texts += ["the title"] if has_title else []
    texts += ["names, sizes and hashes of the source files"] if study.sources else []
    if not texts:
        return []
    values: dict[str, Value] = {
        "columns": _dotted(plan.out),
        "why": [*plan.out.values()],
        "rejected": [dict(vars(each)) for each in known.rejected],
        "notes": len(study.notes),
        "title": has_title,
        "sources": len(study.sources),
    }
    return [Statement("left_out", f"Left out: {'; '.join(texts)}.", values)]


def _dotted(columns: Iterable[Column]) -> list[str]:
    """The names of columns, each after its table."""
    return [".".join(column) for column in columns]


def _minded(study: Study, copy: Study, plan: ColumnPlan, kept: list[str], *, seeded: bool) -> list[Statement]:
    """What still can identify people, and what is no longer as it was."""
    asked, users = plan.asked, features_of(copy)
    scored = [(name, column) for name, column in plan.out if column in contract(name).by_name]
    statements = [alone(users)] if len(users) else []
    extras = extras_of(copy)
    if unseen := [(name, column) for name in extras if name in ("queries", "results") for column in extras[name]]:
        text = f"Caution: whether {columns_in_words(unseen)} can identify users was not checked."
        statements.append(Statement("not_checked", text, {"columns": _dotted(unseen)}))
    if "documents" in kept:
        statements.append(_caution("documents kept"))
    statements += kept_repeats(plan)
    if "sessions" not in asked.replaced:
        statements.append(_caution("session ids kept"))
    if "query_text" in copy.columns("queries"):
        if "queries" not in asked.replaced:
            statements.append(_caution("query texts kept"))
        else:
            same = "" if scored else " All other scores are the same."
            statements.append(Statement("replaced_texts", f"{REPLACED_TEXTS}{same}", {"same_scores": not scored}))
    if scored:
        text = f"Caution: scores that read {columns_in_words(scored)} have changed."
        statements.append(Statement("changed_scores", text, {"columns": _dotted(scored)}))
    if "documents" in asked.replaced and study.settings.merge == "alternate":
        statements.append(_caution("order of documents changed"))
    return [*statements, *([_caution("seed")] if seeded else [])]


CAUTIONS = {
    "documents kept": "documents are kept, and clicked documents can identify people; documents can also be replaced.",
    "session ids kept": "session ids are kept, and can contain user ids or dates.",
    "query texts kept": "query texts are kept, and queries can identify people.",
    "order of documents changed": (
        "merge = alternate depends on the order of doc ids, which has changed; scores can differ."
    ),
    "seed": "anyone who knows the seed and the ids can undo the pseudonyms.",
}
"""What to mind, by what it is about."""
REPLACED_TEXTS = (
    "Caution: query texts only show which are equal; QueryTerms, QueryOverlap and reformulations have changed."
)


def _caution(about: str) -> Statement:
    """Say what to mind."""
    return Statement("caution", f"Caution: {CAUTIONS[about]}", {"about": about})


def replaced_too(plan: ColumnPlan) -> list[Statement]:
    """Say which things were replaced because some of their values repeat what is replaced.

    A document can be in two tables; the one with more such values counts.
    """
    statements: dict[str, Statement] = {}
    for (_, column), counts in sorted(plan.repeats.items(), key=lambda entry: -entry[1].certain):
        if counts.certain and any(column in OF_THING[thing] for thing in plan.repeating):
            several = counted(counts.values, NOUNS[column])
            repeat = f"{counts.certain:,} of {several} {'repeats' if counts.certain == 1 else 'repeat'}"
            repeated = [VALUES.get(name, f"values of {name}") for name in counts.columns]
            text = f"{repeat} {listed(repeated)}, so all were replaced; they can also be kept."
            values: dict[str, Value] = {"column": column, "count": counts.certain, "values": counts.values}
            statements.setdefault(column, Statement("repeats", text, values | {"repeated": [*counts.columns]}))
    return list(statements.values())


def kept_repeats(plan: ColumnPlan) -> list[Statement]:
    """Say how many values that stay repeat what is replaced, or may do so."""
    statements: dict[tuple[str, str], Statement] = {}
    for (table, column), counts in plan.repeats.items():
        if (table, column) in plan.of or plan.loses(table, column):
            continue
        noun = NOUNS.get(column, f"{table}.{column} value")
        values: dict[str, Value] = {"table": table, "column": column}
        if number := counts.certain + counts.contained:
            contain, they = ("contains", "it") if number == 1 else ("contain", "they")
            text = f"{counted(number, noun)} {contain} ids of users or sessions, or query texts; {they} can also be replaced."
            statements[noun, "contain"] = Statement(
                "kept_repeats", f"Caution: {text}", {**values, "count": number, "by_chance": False}
            )
        if number := counts.by_chance:
            equal, they = ("equals", "it") if number == 1 else ("equal", "they")
            text = (
                f"{counted(number, noun)} {equal} an id or query text, perhaps by chance, as numbers and short texts can; "
                f"{they} can also be replaced."
            )
            statements[noun, "equal"] = Statement(
                "kept_repeats", f"Caution: {text}", {**values, "count": number, "by_chance": True}
            )
    return list(statements.values())


def features_of(copy: Study) -> pl.DataFrame:
    """The users with what is known of them: what stands with them, and columns of sessions that say the same in all of one's."""
    further = extras_of(copy)["sessions"]
    known = [pl.col(column).drop_nulls() for column in further]
    own = (
        copy.sessions.drop_nulls("user_id")
        .group_by("user_id")
        .agg(
            *(values.first().alias(f"sessions.{column}") for values, column in zip(known, further, strict=True)),
            *(values.n_unique().alias(column) for values, column in zip(known, further, strict=True)),
        )
        .collect()
    )
    same = [f"sessions.{column}" for column in further if own[column].max() == 1]
    return copy.users.collect().join(own.select("user_id", *same), on="user_id", how="left")


def alone(users: pl.DataFrame) -> Statement:
    """How many users have a combination of features that no other, or few others, have.

    >>> alone(pl.DataFrame({"user_id": ["a", "b", "c"], "age": [20, 20, 31]})).text
    'Caution: 1 of 3 users has a combination of age that no other user has; 3 share theirs with fewer than 5. It can identify them.'
    """
    features = [name for name in users.columns if name != "user_id"]
    alike = users.group_by(features).len().get_column("len") if features else pl.Series([len(users)])
    single, few = int((alike == 1).sum()), int(alike.filter(alike < FEW).sum())
    values: dict[str, Value] = {"features": features, "users": len(users), "alone": single, "few": few, "fewest": FEW}
    if not features:
        values |= {"alone": None, "few": None}
    return Statement("features", _alone_text(features, len(users), single, few), values)


def _alone_text(features: Sequence[str], users: int, single: int, few: int) -> str:
    """Say how many users have a combination of features that no other, or few others, have."""
    if not features:
        return "No features are kept with users or their sessions."
    combination = f"a combination of {listed(features)}"
    if not few:
        return f"Every user has {combination} that at least {FEW} users share."
    have = f"{single:,} of {counted(users, 'user')} {'has' if single == 1 else 'have'} {combination} that no other user has"
    return f"Caution: {have}; {few:,} share theirs with fewer than {FEW}. It can identify them."


def _many(name: str, values: int) -> str:
    """How many values of a column were replaced.

    >>> _many("query_text", 2), _many("condition", 2)
    ('2 query texts', '2 values of condition')
    """
    return counted(values, NOUNS[name]) if name in NOUNS else f"{counted(values, 'value')} of {name}"


THINGS = {"queries": "query texts and ids", TIMES: "times of day (seconds since the session began in their place)"}
"""What things are called where they are replaced."""


@dataclass(frozen=True)
class Rejection:
    """How many records of a table, or values of them, broke a rule."""

    what: str
    table: str
    rule: str
    count: int


@dataclass(frozen=True)
class Disclosure:
    """What a study says anything of, found out once.

    Parameters
    ----------
    kept, replaced
        Things that the copy keeps in some table, and the others.
    rejected
        How many records, and values set aside, of which table broke which rule; empty where none did.
    """

    kept: list[str]
    replaced: list[str]
    rejected: Sequence[Rejection]

    @classmethod
    def of(cls, study: Study, plan: ColumnPlan) -> Disclosure:
        """Look through the study."""
        return cls(*_kept_and_replaced(study, plan), _rejections(study))


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
        notes.append(
            f"rejected when the source was read, and left out of the copy: {_rejected_in_words(known.rejected)}"
        )
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


def _rejections(study: Study) -> list[Rejection]:
    """Count the records, and values set aside, by table and rule."""
    by = ("row_kept", "table", "rule")
    broken = study.rejected.group_by(by).agg(many=pl.len()).sort(by).collect()
    return [
        Rejection("value" if row_kept else "record", table, rule, count)
        for row_kept, table, rule, count in broken.iter_rows()
    ]


def _rejected_in_words(rejections: Sequence[Rejection]) -> str:
    """Say how many records, and values set aside, of which table broke which rule."""
    return listed([f"{counted(each.count, each.what)} of {each.table} ({each.rule})" for each in rejections])


def _known(study: Study, column: str) -> bool:
    """Whether a study says anything in a column."""
    there = [
        study.table(name).select(pl.col(column).is_not_null().any()) for name in TABLES if column in study.columns(name)
    ]
    return any(found.item() for found in pl.collect_all(there))


@dataclass(frozen=True, eq=False, repr=False)
class Pseudonymized(Displayed):
    """A study in which pseudonyms stand in place of people; made by `sessionkit.pseudonymize`.

    Parameters
    ----------
    study
        The study, which `save` writes to a directory.
    table
        What was done: ``table``, ``column``, ``done`` (``replaced``, ``seconds``, ``kept``, ``left out``, ``made``), ``values``
        (how many distinct ones were replaced; null for others) and ``why``.
    statements
        What was replaced, kept and left out, and what still can identify people, see `sessionkit.Statement`; ``reading`` is their
        text, a line each.
    names
        By the name of a column its values and their pseudonyms, in the same order; keep them apart from the study.
    origin
        The directory of the study it was made from; None where that is in none.
    """

    study: Study
    table: pl.DataFrame
    statements: tuple[Statement, ...]
    names: Mapping[str, tuple[pl.Series, pl.Series]]
    origin: Path | None = None
    KINDS: ClassVar[Mapping[str, Kind]] = {
        "replaced": Kind(
            "What was replaced by pseudonyms", {"columns": "their names, a list", "values": "how many values of each"}
        ),
        "repeats": Kind(
            "Values that were replaced as some of them repeat what is replaced",
            {
                "column": "the column",
                "count": "how many repeat something",
                "values": "of how many",
                "repeated": "the columns that they repeat",
            },
        ),
        "times": Kind("Times of day became seconds", {"columns": "their columns, a list"}),
        "kept": Kind(
            "What is kept", {"ids": "things whose ids are kept", "columns": "additional columns, each as table.column"}
        ),
        "left_out": Kind(
            "What is left out",
            {
                "columns": "columns, each as table.column",
                "why": "why each is left out",
                "rejected": "what was rejected, a list: what (record or value), table, rule, count",
                "notes": "number of notes on the source",
                "title": "whether the title is left out",
                "sources": "number of accounts of source files whose names, sizes and hashes are left out",
            },
        ),
        "not_partitioned": Kind(
            "The copy is no longer partitioned", {"column": "the column that it was partitioned by"}
        ),
        "features": Kind(
            "How many users have features that few others have",
            {
                "features": "the features, a list",
                "users": "number of users",
                "alone": "users whose combination of features no other has; null without features",
                "few": "users who share theirs with fewer than fewest; null without features",
                "fewest": "users who must share a combination",
            },
        ),
        "not_checked": Kind(
            "Columns of which it was not checked whether they identify users", {"columns": "each as table.column"}
        ),
        "kept_repeats": Kind(
            "Values that are kept and contain, or equal, what is replaced",
            {
                "table": "the table",
                "column": "the column",
                "count": "how many values",
                "by_chance": "whether that may be by chance",
            },
        ),
        "replaced_texts": Kind(
            "Pseudonyms of query texts show only which are equal",
            {"same_scores": "whether all scores are the same that read no query texts"},
        ),
        "changed_scores": Kind("Columns without which scores have changed", {"columns": "each as table.column"}),
        "caution": Kind("What to mind", {"about": f"one of: {', '.join(CAUTIONS)}"}),
    }

    def __post_init__(self) -> None:
        """Refuse statements that are not of its kinds."""
        require_kinds(self.statements, self.KINDS)

    @property
    def reading(self) -> str:
        """The text of its statements, a line each."""
        return "\n".join(statement.text for statement in self.statements)

    def of_kind(self, *kinds: str) -> list[Statement]:
        """Return the statements of some kinds, in their order."""
        for kind in kinds:
            require_choice("a kind of statement", kind, [*self.KINDS])
        return [statement for statement in self.statements if statement.kind in kinds]

    @property
    def mapping(self) -> pl.DataFrame:
        """Originals and pseudonyms, which undo it: ``column``, ``original``, ``pseudonym``, in the order of the pseudonyms."""
        parts = [
            pl.DataFrame({"column": [name] * len(values), "original": values, "pseudonym": labels})
            for name, (values, labels) in self.names.items()
        ]
        none = pl.DataFrame(schema={"column": pl.String, "original": pl.String, "pseudonym": pl.String})
        every = pl.concat([none, *parts], how="vertical_relaxed")
        return ResultFrame(every.sort("column", "pseudonym"))

    def save(
        self,
        directory: str | PathLike[str],
        *,
        mapping: str | PathLike[str] | None = None,
        memory: str | int | None = None,
    ) -> Study:
        """Write the study to a directory, whole or not at all, and return it as opened from there.

        Parameters
        ----------
        directory
            Where to write it. Another study in that place is replaced, but not the one this was made from.
        mapping
            A file for originals and pseudonyms (.csv, .tsv or .parquet), which must not lie in the directory. Only its owner
            can read it.
        memory
            See `sessionkit.score`.

        Raises
        ------
        UsageError
            The directory holds something that is no study, or the study this was made from, or cannot be written; the
            mapping would lie in it, cannot be written, or is there already.
        """
        out = Path(directory)
        require_apart(out, self.origin)
        if mapping is None:
            return self.study.save(out, memory=memory)
        require_secret(Path(mapping), out)
        with drafted_mapping(self.mapping, Path(mapping)):
            return self.study.save(out, memory=memory)

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading, and what was done to every column; not the mapping."""
        return [statement.text for statement in self.statements], {"columns": self.table}


ENDINGS = (".csv", ".tsv", ".parquet")
"""What the name of a mapping's file may end in."""


def require_apart(out: Path, study: Path | None) -> None:
    """Raise UsageError where a copy would take the place of its study, or lie in it."""
    refuse_to_replace(out)
    if study is None:
        return
    place, own = out.resolve(), study.resolve()
    if place == own or place in own.parents:
        raise UsageError(f"{out} is the study itself, which a copy must not replace; choose another directory")
    if own in place.parents:
        raise UsageError(f"{out} lies in the study {study}; choose a directory outside it")


def require_secret(mapping: Path, out: Path | None = None) -> None:
    """Raise UsageError where a mapping cannot be written, would be passed on with the copy, or replace another one."""
    ending = mapping.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(
            f"{mapping} ends in {ending or 'nothing'}; a mapping is written as {', '.join(ENDINGS)}{suggestion(ending, ENDINGS)}"
        )
    if out is not None and out.resolve() in mapping.resolve().parents:
        raise UsageError(
            f"{mapping} lies in {out}, which is to be shared; keep the mapping separate: name a file outside it"
        )
    if study := next((folder for folder in mapping.resolve().parents if is_study(folder)), None):
        raise UsageError(
            f"{mapping} lies in the study {study} and would be shared with it; keep the mapping separate: name a file outside it"
        )
    require_place(mapping)
    if os.path.lexists(mapping):  # a link that leads nowhere, too
        raise UsageError(f"{mapping} already exists and may be the only way to undo another copy; choose another name")


@contextmanager
def drafted_mapping(frame: pl.DataFrame, mapping: Path) -> Iterator[None]:
    """Write a mapping, for its owner alone; it takes its place when what is done meanwhile has succeeded."""
    with whole_file(mapping, mode=0o600) as stream:
        if mapping.suffix.lower() == ".parquet":
            frame.write_parquet(stream)
        else:
            frame.write_csv(stream, separator="," if mapping.suffix.lower() == ".csv" else "\t")
        stream.flush()
        os.fsync(stream.fileno())  # a disk that is full says so before the copy takes its place
        yield
