"""What is said of a copy before it is shared: what was done to every column, and what still can identify people."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sessionkit.contract import TABLES
from sessionkit.contract import table as contract
from sessionkit.display.frames import ResultFrame
from sessionkit.display.words import counted, listed
from sessionkit.errors import visible
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.disclosure import Disclosure, columns_in_words
from sessionkit.privacy.judgment_keys import KEY
from sessionkit.privacy.options import DATED, MADE, OF_THING, TITLE, Column, extras_of
from sessionkit.privacy.pseudonyms import Names
from sessionkit.privacy.repeats import VALUES
from sessionkit.study.study import Study

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


def reading_of(
    study: Study, copy: Study, plan: ColumnPlan, names: Mapping[str, Names], known: Disclosure, *, seeded: bool
) -> str:
    """Say what was done, and what to mind, a line for each."""
    asked, out = plan.asked, plan.out
    replaced = [_many(name, len(own.values)) for name, own in names.items() if len(own.values)]
    lines = [f"Replaced by pseudonyms: {listed(replaced)}." if replaced else "Nothing was replaced by pseudonyms."]
    lines += replaced_too(plan)
    timed = [column for table, columns in DATED.items() for column in columns if column in study.columns(table)]
    if timed and plan.elapsed:
        lines.append(f"Times of day ({', '.join(timed)}) became seconds since the session began.")
    further = [
        (table, column)
        for table, columns in extras_of(study).items()
        for column in columns
        if (table, column) not in out
    ]
    of_those = [one for one in further if one not in asked.replace]
    lines.append(
        f"Kept: {listed(known.kept) if known.kept else 'no ids'}"
        + (f"; of the source's additional columns {columns_in_words(of_those)}" if of_those else "")
        + "."
    )
    gone = [columns_in_words(out)] if out else []
    if known.rejected:
        gone.append(f"what was rejected: {known.rejected}")
    gone += [counted(len(study.notes), "note") + " on the source"] if study.notes else []
    gone += ["the title"] if study.settings.title and TITLE not in asked.named else []
    gone += ["names, sizes and hashes of the source files"] if study.sources else []
    lines += [f"Left out: {'; '.join(gone)}."] if gone else []
    if study.storage.partitioned is not None and plan.loses("sessions", study.storage.partitioned.by):
        lines.append(f"No longer partitioned: {study.storage.partitioned.by} was replaced or left out.")
    return "\n".join(map(visible, [*lines, *_minded(study, copy, plan, known.kept, seeded=seeded)]))


def _minded(study: Study, copy: Study, plan: ColumnPlan, kept: list[str], *, seeded: bool) -> list[str]:
    """What still can identify people, and what is no longer as it was."""
    asked, users = plan.asked, features_of(copy)
    scored = [(name, column) for name, column in plan.out if column in contract(name).by_name]
    lines = [alone(users)] if len(users) else []
    extras = extras_of(copy)
    if unseen := [(name, column) for name in extras if name in ("queries", "results") for column in extras[name]]:
        lines.append(f"Caution: whether {columns_in_words(unseen)} can identify users was not checked.")
    if "documents" in kept:
        lines.append(
            "Caution: documents are kept, and clicked documents can identify people; documents can also be replaced."
        )
    lines += kept_repeats(plan)
    if "sessions" not in asked.replaced:
        lines.append("Caution: session ids are kept, and can contain user ids or dates.")
    if "query_text" in copy.columns("queries"):
        if "queries" in asked.replaced:
            lines.append(
                "Caution: query texts only show which are equal; QueryTerms, QueryOverlap and reformulations have changed."
                + ("" if scored else " All other scores are the same.")
            )
        else:
            lines.append("Caution: query texts are kept, and queries can identify people.")
    if scored:
        lines.append(f"Caution: scores that read {columns_in_words(scored)} have changed.")
    if "documents" in asked.replaced and study.settings.merge == "alternate":
        lines.append(
            "Caution: merge = alternate depends on the order of doc ids, which has changed; scores can differ."
        )
    if seeded:
        lines.append("Caution: anyone who knows the seed and the ids can undo the pseudonyms.")
    return lines


def replaced_too(plan: ColumnPlan) -> list[str]:
    """Say which things were replaced because some of their values repeat what is replaced.

    A document can be in two tables; the one with more such values counts.
    """
    lines: dict[str, str] = {}
    for (_, column), counts in sorted(plan.repeats.items(), key=lambda entry: -entry[1].certain):
        if counts.certain and any(column in OF_THING[thing] for thing in plan.repeating):
            several = counted(counts.values, NOUNS[column])
            repeat = f"{counts.certain:,} of {several} {'repeats' if counts.certain == 1 else 'repeat'}"
            values = [VALUES.get(name, f"values of {name}") for name in counts.columns]
            lines.setdefault(column, f"{repeat} {listed(values)}, so all were replaced; they can also be kept.")
    return list(lines.values())


def kept_repeats(plan: ColumnPlan) -> list[str]:
    """Say how many values that stay repeat what is replaced, or may do so."""
    lines: dict[tuple[str, str], str] = {}
    for (table, column), counts in plan.repeats.items():
        if (table, column) in plan.of or plan.loses(table, column):
            continue
        noun = NOUNS.get(column, f"{table}.{column} value")
        if number := counts.certain + counts.contained:
            contain, they = ("contains", "it") if number == 1 else ("contain", "they")
            lines[noun, "contain"] = (
                f"{counted(number, noun)} {contain} ids of users or sessions, or query texts; {they} can also be replaced."
            )
        if number := counts.by_chance:
            equal, they = ("equals", "it") if number == 1 else ("equal", "they")
            lines[noun, "equal"] = (
                f"{counted(number, noun)} {equal} an id or query text, perhaps by chance, as numbers and short texts can; "
                f"{they} can also be replaced."
            )
    return [f"Caution: {line}" for line in lines.values()]


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


def alone(users: pl.DataFrame) -> str:
    """How many users have a combination of features that no other, or few others, have.

    >>> alone(pl.DataFrame({"user_id": ["a", "b", "c"], "age": [20, 20, 31]}))
    'Caution: 1 of 3 users has a combination of age that no other user has; 3 share theirs with fewer than 5. It can identify them.'
    """
    features = [name for name in users.columns if name != "user_id"]
    if not features:
        return "No features are kept with users or their sessions."
    many = users.group_by(features).len().get_column("len")
    ones, few = int((many == 1).sum()), int(many.filter(many < FEW).sum())
    combination = f"a combination of {listed(features)}"
    if not few:
        return f"Every user has {combination} that at least {FEW} users share."
    said = f"{ones:,} of {counted(len(users), 'user')} {'has' if ones == 1 else 'have'} {combination} that no other user has"
    return f"Caution: {said}; {few:,} share theirs with fewer than {FEW}. It can identify them."


def _many(name: str, values: int) -> str:
    """How many values of a column were replaced.

    >>> _many("query_text", 2), _many("condition", 2)
    ('2 query texts', '2 values of condition')
    """
    return counted(values, NOUNS[name]) if name in NOUNS else f"{counted(values, 'value')} of {name}"
