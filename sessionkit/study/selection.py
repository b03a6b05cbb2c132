"""Some sessions of a study: in memory, or on disk without a copy of them; no row is looked up again."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.errors import DataError
from sessionkit.study.batches import chosen_rows
from sessionkit.study.counts import session_columns, sessions_with
from sessionkit.study.facts import UNUSUAL, Facts, facts_in_order
from sessionkit.study.numbering import QUERIES, RESULTS, public
from sessionkit.study.restriction import Restriction, Where, columns_named, met
from sessionkit.study.storage import LOG, Storage, StudyBatch
from sessionkit.study.study import Study


def picked(whole: Study, sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame) -> Study:
    """A study of some sessions of another, which are in memory.

    Parameters
    ----------
    whole
        The other study, whose judgments are those of this one.
    sessions, queries, results
        The rows of these sessions, sorted by their ids, with all public and private columns.
    """
    rows = StudyBatch(sessions, queries, results, numbered=True)
    facts = facts_in_order(len(sessions), queries, results, whole.facts.judgments)
    study = whole.with_tables(**{name: public(getattr(rows, name).lazy(), name) for name in LOG})
    study = replace(study, storage=Storage(facts=facts, rows=rows))
    study.memo.share("graded pairs", whole.memo)
    return study


def with_sessions(study: Study, sessions: pl.Series) -> Study:
    """The same study with these sessions alone, by their ids, in the order in which they were.

    Of a saved study the same files are read; of a log in memory its rows are taken.
    """
    storage = study.storage
    if storage.rows is not None:
        chosen = storage.rows.sessions["session_id"].is_in(sessions.implode())
        rows = chosen_rows(storage.rows, chosen)
        return picked(study, rows.sessions, rows.queries, rows.results)
    ids = pl.LazyFrame({"session_id": sessions})
    tables = {name: study.table(name).join(ids, on="session_id", how="semi", maintain_order="left") for name in LOG}
    fewer = study.with_tables(**tables)
    if storage.stored is not None:
        with study.reading():
            counts = [part.scan("sessions").select("session_id", QUERIES, RESULTS).collect() for part in storage.stored]
        of_parts = [frame.get_column("session_id").is_in(sessions.implode()) for frame in counts]
        stored = tuple(replace(part, chosen=own) for part, own in zip(storage.stored, of_parts, strict=True))
        kept = pl.concat([frame.filter(own) for frame, own in zip(counts, of_parts, strict=True)])
        known = replace(storage, facts=_facts(study, kept), depths=None, stored=stored, package=None, tables=None)
        fewer = replace(fewer, storage=replace(known, description=()))
    fewer.memo.share("graded pairs", study.memo)
    return fewer


def _facts(study: Study, kept: pl.DataFrame) -> Facts | None:
    """The counts of some sessions of a saved study, where its rows need not be read for them."""
    whole = study.facts
    if any(getattr(whole, name) for name in UNUSUAL):
        return None
    queries, results = (int(kept.get_column(name).cast(pl.Int64).sum()) for name in (QUERIES, RESULTS))
    return replace(whole, sessions=len(kept), queries=queries, results=results)


def restricted(study: Study, where: Where) -> Study:
    """Return the study with those of its sessions that meet a condition, and with their users alone.

    Parameters
    ----------
    where
        Columns are those of sessions and users, and counts of sessions such as ``queries``, see
        `sessionkit.study.counts`. Text stands in single quotes, a name with spaces in double quotes, a date as
        ``DATE '2024-01-31'``. Sessions for which it is unknown, since a value is, do not take part. None: the study itself.

    Raises
    ------
    UsageError
        It is no condition, a column does not exist, or no session meets it; the message names what exists.
    DataError
        The study has no session at all.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.read("examples/clinic/study.toml")
    >>> print(restricted(study, "topic_id = 'A' and queries >= 2").restriction)
    topic_id = 'A' and queries >= 2 (17 of 120 sessions)
    """
    if where is None:
        return study
    if not study.facts.sessions:
        raise DataError("the study has no sessions; see what was rejected: sessionkit check")
    frame = _columns(study, where)
    ids = frame.get_column("session_id").filter(met(frame, where))
    fewer = with_sessions(study, ids)
    users = study.users.join(fewer.sessions.select("user_id").unique(), on="user_id", how="semi", maintain_order="left")
    condition, of, sql = str(where), study.facts.sessions, isinstance(where, str)
    if study.restriction is not None:
        condition, of = f"({study.restriction.condition}) and ({condition})", study.restriction.of
        sql = sql and study.restriction.sql
    known = replace(fewer.storage, tables=None, description=())
    restriction, unrestricted = Restriction(condition, len(ids), of, sql), study.unrestricted or study
    chosen = replace(fewer, users=users, restriction=restriction, unrestricted=unrestricted, storage=known)
    chosen.memo.share("graded pairs", study.memo)
    return chosen


def _columns(study: Study, where: str | pl.Expr) -> pl.DataFrame:
    """``session_id``, ``user_id`` and the columns that a condition names, for every session."""
    return sessions_with(study, columns_named(where, session_columns(study))).collect()
