"""The verb: a study in, a study that can be shared out."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sessionkit.privacy import report
from sessionkit.privacy.columns import ColumnPlan
from sessionkit.privacy.disclosure import Disclosure
from sessionkit.privacy.judgment_keys import KEY, names_of_keys
from sessionkit.privacy.options import LABELS, PrivacyOptions
from sessionkit.privacy.pseudonyms import Names, RandomOrder, drawn
from sessionkit.privacy.result import Pseudonymized
from sessionkit.privacy.tables import Renaming
from sessionkit.privacy.write import written
from sessionkit.study.inference_options import require_seed
from sessionkit.study.session_order import ORDER, session_orders
from sessionkit.study.study import Study, guarded_read

ORDERED = {"judge_id"}
"""Columns whose pseudonyms keep the order of the values where judgments are merged by judges in turn."""

REPEATED = ("user_id", "session_id", "query_text")
"""Columns whose pseudonyms topics and systems take that are equal to their values, so that both can still be matched."""


@guarded_read
def pseudonymize(
    study: Study,
    *,
    keep: str | Iterable[str] = (),
    replace: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    seed: int | None = None,
    memory: str | int | None = None,
) -> Pseudonymized:
    """Make a copy of a study to share: with pseudonyms for people and queries, without dates and texts of the source.

    By default ids of users, sessions, queries and judges and the texts of queries are replaced by pseudonyms, the same in
    every table; times of day by seconds since the session began. Documents, topics and systems stay, unless one of their values
    repeats a replaced value, whatever its case, spaces and punctuation, or a topic or system contains an id as a word: then all
    topics, systems or documents are replaced. Numbers and very short texts can repeat ids by chance: they stay, and `reading` counts
    them. Additional columns of the source stay if they are numbers or
    true/false; texts, dates, copies of ids and numbers that look like times are left out. So are rejected records, notes on
    the source, names, sizes and hashes of its files, and the study's title.

    Every score stays the same, to the bit, with two exceptions: measures of the words of queries, since only the equality of
    texts is kept, and measures of data that are left out, such as seconds that count from 1970; `reading` names these. Random
    draws of sessions or users (bootstrap, permutations) and sums in comparisons follow another order, which can change their
    last digit.

    The copy is not anonymous. Clicked documents can identify people, and so can rare combinations of their features;
    `reading` counts these.

    Parameters
    ----------
    study
        A study.
    keep
        Also keep: ``users``, ``sessions``, ``queries``, ``judges``, ``times``, ``title``, ``extras`` (every additional column
        of the source) or columns such as ``"condition"`` or ``"sessions.condition"``; a list, or names joined by commas.
        ``topics``, ``systems`` and ``documents`` are kept even if they repeat replaced values.
    replace
        Also replace: ``documents``, ``topics``, ``systems``, or additional columns.
    drop
        Columns to leave out, such as ``"query_text"`` or ``"age"``.
    seed
        A number of 0 or more, to make the same copy again. Anyone who knows it and the ids can undo the pseudonyms. By
        default they come from the system's generator of secrets, and only the mapping undoes them.
    memory
        Memory limit, see `sessionkit.score`. The distinct values that are replaced, and those of documents, must fit in addition.

    Returns
    -------
    Pseudonymized
        ``.study``, ``.table``, ``.reading``, ``.mapping``; ``.save(directory, mapping=file)`` writes it.

    Raises
    ------
    UsageError
        A name is neither a thing nor a column, or is given twice.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     sessions={"session_id": ["a1", "b1"], "user_id": ["ann", "bob"], "topic_id": ["t", "t"]},
    ...     queries={"session_id": ["a1", "b1"], "query_position": [1, 1], "query_text": ["my street 5", "my street 5"]},
    ...     results={"session_id": ["a1", "b1"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "x"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    ... )
    >>> shared = sk.pseudonymize(study)
    >>> shared.study.queries.collect().rows()
    [('session-0001', 1, 'query0001', 'shown'), ('session-0002', 1, 'query0001', 'shown')]
    >>> sorted(shared.mapping.filter(column="user_id").get_column("pseudonym"))
    ['user-0001', 'user-0002']
    """
    if seed is not None:
        require_seed(seed)
    plan = ColumnPlan.for_study(study, PrivacyOptions.of(study, keep, replace, drop))
    chance = RandomOrder(seed)
    names = {name: _names(study, name, plan, chance) for name in sorted(set(plan.of.values()))}
    for thing, column in (("topics", "topic_id"), ("systems", "system_id")):
        if thing in plan.repeating and column in names:
            names[column] = names[column].taking([names[id_] for id_ in REPEATED if id_ in names])
    sessions = names["session_id"] if "session_id" in names else _as_they_are(study)
    keys = names_of_keys(study, plan.of, names, chance)
    renaming = Renaming(plan, names, sessions, keys, _orders(study, plan))
    users = renaming.users(study)
    known = Disclosure.of(study, plan)
    copy = written(study, renaming, known, users, memory)
    changed = {**names, KEY: _changed(keys)}
    return Pseudonymized(
        copy,
        report.table_of(study, copy, plan, changed),
        report.reading_of(study, copy, plan, changed, known, seeded=seed is not None),
        {name: (one.values, one.labels) for name, one in changed.items()},
        study.path,
    )


def _names(study: Study, name: str, plan: ColumnPlan, chance: RandomOrder) -> Names:
    """Draw pseudonyms for the values of the columns that take those of a column."""
    own = [(table, column) for (table, column), domain in plan.of.items() if domain == name and column == name]
    if name == "session_id":
        own = [("sessions", "session_id")]  # every other session_id is one of these
    every = pl.concat(
        study.table(table).select(pl.col(column).cast(pl.String).alias("value").drop_nulls().unique())
        for table, column in own
    )
    values = every.unique().filter((pl.col("value") != "") | (name != "query_text")).collect(engine="streaming")
    ordered = name in ORDERED and study.settings.merge == "alternate"
    return drawn(values["value"], LABELS.get(name, f"{name}-"), chance, name, ordered=ordered)


def _orders(study: Study, plan: ColumnPlan) -> Names | None:
    """The place of each session in its user's part of the study, where the times that say it are gone."""
    found = session_orders(study) if plan.elapsed and ("sessions", ORDER) not in plan.out else None
    return None if found is None else Names(found["session_id"], found[ORDER])


def _as_they_are(study: Study) -> Names:
    """Session ids that stay."""
    ids = study.sessions.select("session_id").collect().to_series()
    return Names(ids, ids)


def _changed(names: Names) -> Names:
    """Those names that are not the values themselves."""
    other = names.values != names.labels
    return Names(names.values.filter(other), names.labels.filter(other))
