"""Format ``tables``: logs that are tables already, as study.toml describes them or under our column names, joined by what they share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError, UsageError, visible
from sessionkit.readers.checks.cells import LOG, NEWEST_FIRST, describe_order, number_queries
from sessionkit.readers.checks.rows import KEPT, LIST, described, none_rejected, together
from sessionkit.readers.config import Config
from sessionkit.readers.events.lists import CLICK_TIMES, SPENT, count_clicks
from sessionkit.readers.events.sessions import cut_tables
from sessionkit.readers.format import CUT_SESSIONS, SESSION_GAP, Glimpse, Option
from sessionkit.readers.io.files import LogFile, open_log, paths_in
from sessionkit.readers.io.list_rows import NoListError
from sessionkit.readers.io.tables import options_of_sheets, read_table
from sessionkit.readers.raw import EMPTY, MARK, Keep, Raw, in_memory
from sessionkit.readers.records import Log, Taken, filled
from sessionkit.study.checks import RECORD, RULE, VALUE, CheckedRows, as_text, cast, check_types, check_values
from sessionkit.study.schema import Table, table

TRIED = "the user study of ir_metrics (tab-separated, three tables); NDJSON and Parquet on made-up ones"

OPTIONS: dict[str, Option] = {"cut_sessions": CUT_SESSIONS, "session_gap": SESSION_GAP}


def files(config: Config, copies: Path, _memory: int) -> list[LogFile]:
    """Return the files of the tables that study.toml names, users first, parents before children.

    Raises
    ------
    DataError
        It names neither results nor queries, or a file is missing or unreadable.
    """
    if "results" not in config.tables and "queries" not in config.tables:
        raise DataError(f"{config.name} names neither [results] nor [queries]; a study needs the log of one of them")
    if "clicks" in config.tables and "results" not in config.tables:
        raise DataError(
            f"{config.name} names [clicks] without [results]: clicks are counted on the results that were shown. Name the file of "
            "results, or, if only clicked results were logged, name this file under [results]"
        )
    return [
        open_log(
            path, config.folder, copies, encoding=one.get("encoding"), section=name, memory=config.memory, workbook=True
        )
        for name in _names(config)
        for one in [config.tables[name]]
        for path in filled(paths_in(one["path"], config.folder), config.folder)
    ]


def take(log: Log) -> Taken:
    """Take the tables from their files; a lone log file is ``[results]`` with nothing but a path."""
    raws: dict[str, list[Raw]] = {name: [] for name in _names(log.config)}
    lacking: dict[str, dict[str, NoListError]] = {}
    for file in log.files:
        name = file.section
        keep = in_memory if name in ("users", "clicks") or log.fits else log.keep
        for options in options_of_sheets(log.config.tables[name]):
            try:
                raws[name].append(read_table(file, name, options, config=log.config, keep=keep))
            except NoListError as error:
                lacking.setdefault(file.name, {})[name] = error
    warnings = _say_what_lacks(lacking, raws)
    for name in ("queries", "results"):
        if order := log.config.tables.get(name, {}).get("number_queries"):
            unnumbered = together(raws[name])
            raws[name] = [number_queries(unnumbered, newest_first=order == NEWEST_FIRST)]
            warnings += describe_order(unnumbered)
    keep = in_memory if log.fits else log.keep
    taken = _cut(_joined({name: together(given) for name, given in raws.items()}, keep), log, keep)
    return replace(taken, warnings=[*taken.warnings, *warnings])


def _say_what_lacks(lacking: Mapping[str, Mapping[str, NoListError]], raws: Mapping[str, Sequence[Raw]]) -> list[str]:
    """Return warnings about files without a list that other files of the table have, as of a participant who never searched.

    Raises
    ------
    NoListError
        No file of a table has its list.
    """
    for errors in lacking.values():
        for name, error in errors.items():
            if not raws[name]:
                raise error
    return [
        f"{file}: no list for {listed([f'[{name}]' for name in errors])}, which other files have; nothing is read from it"
        for file, errors in lacking.items()
    ]


def _joined(raws: dict[str, Raw], keep: Keep) -> Taken:
    """Return the tables with results and clicks at the queries that they belong to, and clicks counted on results."""
    clicks, queries = raws.pop("clicks", None), raws.get("queries")
    if queries is not None and "results" in raws:
        within_sessions = "session_id" in raws["results"].frame.collect_schema()
        raws["results"] = with_positions(raws["results"], queries, keep)
        queries = with_ambiguous_lists(queries, raws["results"], within_sessions=within_sessions, keep=keep)
        raws["queries"] = queries
    log = {name: [raw] for name, raw in raws.items()}
    if clicks is None:
        return Taken(log)
    results = raws["results"]
    placed = with_positions(clicks, results if queries is None else queries, in_memory)
    clicked = with_counted_clicks(results, placed, queries, keep)
    log["results"] = [clicked.results, clicked.clicks]
    return Taken(log, notes=clicked.notes, cells=[clicked.cells])


def _cut(taken: Taken, log: Log, keep: Keep) -> Taken:
    """Return the tables, their sessions cut at pauses where study.toml says so."""
    gap = log.option("session_gap")
    if not log.option("cut_sessions"):
        if gap != SESSION_GAP.default:
            raise UsageError(
                f"session_gap = {gap!r} has no effect, because the tables name their sessions; set cut_sessions = true in study.toml "
                "to cut these at pauses, or leave session_gap out"
            )
        return taken
    for options in log.config.questionnaires:
        if "session_id" in options.get("columns", {}):
            raise DataError(
                f"{log.config.name}: [[questionnaires]] joins {options['path']} by session_id, but cut_sessions gives each part of a "
                "session another id; join answers by user_id or topic_id, or leave cut_sessions out"
            )
    cut = cut_tables(taken.raws, gap, keep)
    return replace(taken, raws=cut.raws, notes=[*taken.notes, *cut.notes])


def _names(config: Config) -> list[str]:
    """Return the tables of a log, and of its users, that study.toml names."""
    return [name for name in ("users", *LOG, "clicks") if name in config.tables]


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first line names columns as we do: those of sessions and of queries in them."""
    first = glimpse.head.lstrip().split("\n", 1)[0]
    return set(LIST) <= set(glimpse.columns or re.findall(r"\w+", first))


QUERY_ID = "query_id"
AMBIGUOUS = "query_id_names_one_query"
"""The rule that rows of an id break that several queries have."""
PLACES = ("rank", "doc_id")
"""Columns that say which result of a list was clicked."""
COUNTING = ("query_position", "rank")
COUNTS = ("clicked", "clicks")
"""Columns of clicks that say how many a row stands for; without, it is one."""
STATUS = "results_status"
KIND = "clicks"
"""What the accounts call the records of clicks."""
SHOWN = 8
"""Names of columns that a note lists."""
MADE = (*COUNTS, *CLICK_TIMES, SPENT)
"""Columns of results that clicks make."""


def with_positions(rows: Raw, queries: Raw, keep: Keep) -> Raw:
    """Return results or clicks with the session and the position of the query that their query_id names.

    Where the rows name their session, a query is known by its id within it, else by its id alone. Rows that say of which
    session and position they are stay as they are.

    Parameters
    ----------
    queries
        The table that has query_id and query_position: queries, or results in one flat file.
    keep
        Where the rows stay.

    Raises
    ------
    DataError
        One of the two has no query_id.
    """
    columns = rows.frame.collect_schema().names()
    lacking = [name for name in LIST if name not in columns]
    if not lacking:
        return rows
    for raw in (rows, queries):
        if QUERY_ID not in raw.frame.collect_schema().names():
            raise DataError(
                f"{rows.source} ({rows.table}) has no {' and no '.join(lacking)}, and {raw.source} ({raw.table}) has no query_id "
                f'to join them by. In study.toml, columns = {{ query_id = "..." }} says which column it is'
            )
    key = [name for name in ("session_id", QUERY_ID) if name not in lacking]
    texts = {f"__of_{name}": name for name in key}
    places = (
        queries.frame.filter(_is_readable(queries)).select(*_as_texts(queries, texts), *LIST).drop_nulls(list(texts))
    )
    named = places.unique().group_by(list(texts)).agg(pl.col(lacking).first(), pl.len().alias("__queries")).collect()
    joined = rows.frame.with_columns(_as_texts(rows, texts)).join(
        named.lazy(), on=list(texts), how="left", maintain_order="left"
    )
    query_id = pl.col(f"__of_{QUERY_ID}")
    rule = (
        pl.when(query_id.is_null())
        .then(pl.lit("query_id_is_given"))
        .when(pl.col("__queries").is_null())
        .then(pl.lit("query_is_known"))
        .when(pl.col("__queries") > 1)
        .then(pl.lit(AMBIGUOUS))
    )
    kept = [pl.when(pl.col("__queries") == 1).then(name).alias(name) for name in lacking]
    broken = joined.with_columns(*kept, **_with_rule(columns, rule, query_id))
    return replace(rows, frame=keep(broken.drop(*texts, "__queries", *([QUERY_ID] if rows.table == "results" else []))))


def with_ambiguous_lists(queries: Raw, results: Raw, *, within_sessions: bool, keep: Keep) -> Raw:
    """Return queries, those not logged whose list may be among results that were rejected because several queries have their id.

    Else they would count as queries that returned nothing.

    Parameters
    ----------
    results
        Those that `with_positions` returned.
    within_sessions
        Whether results name their session, within which a query is known by its id.
    """
    if RULE not in results.frame.collect_schema():
        return queries
    types = queries.frame.collect_schema()
    texts = {f"__of_{name}": name for name in (*(["session_id"] if within_sessions else []), QUERY_ID)}
    rejected = results.frame.filter(pl.col(RULE) == AMBIGUOUS)
    sessions = _as_texts(results, {ours: name for ours, name in texts.items() if name != QUERY_ID})
    ids = rejected.select(*sessions, pl.col(VALUE).alias(f"__of_{QUERY_ID}")).unique().collect()
    if ids.is_empty():
        return queries
    given = pl.col(STATUS) if STATUS in types else pl.lit(None, pl.String)
    is_listed = pl.col("__is_listed").fill_null(value=False)
    rows = queries.frame.with_columns(_as_texts(queries, texts)).join(
        ids.lazy().with_columns(pl.lit(value=True).alias("__is_listed")),
        on=list(texts),
        how="left",
        maintain_order="left",
    )
    status = pl.when(is_listed).then(pl.coalesce(given, pl.lit("not_logged"))).otherwise(given).alias(STATUS)
    return replace(queries, frame=keep(rows.with_columns(status).drop(*texts, "__is_listed")))


def _is_readable(raw: Raw) -> pl.Expr:
    """Return whether a record could be taken apart."""
    return pl.col(RULE).is_null() if RULE in raw.frame.collect_schema() else pl.lit(value=True)


def _as_texts(raw: Raw, names: Mapping[str, str]) -> list[pl.Expr]:
    """Return columns as text without blanks around it, null where there is none, under these names."""
    types = raw.frame.collect_schema()
    texts = {ours: as_text(name, types[name]).str.strip_chars() for ours, name in names.items()}
    return [pl.when(text != "").then(text).alias(ours) for ours, text in texts.items()]


def _with_rule(columns: Sequence[str], rule: pl.Expr, value: pl.Expr) -> dict[str, pl.Expr]:
    """Return what the records break, those that broke a rule already that one."""
    if RULE not in columns:
        return {RULE: rule, VALUE: pl.when(rule.is_not_null()).then(value)}
    broken = pl.col(RULE).is_not_null()
    return {
        RULE: pl.coalesce(RULE, rule),
        VALUE: pl.when(broken).then(VALUE).otherwise(pl.when(rule.is_not_null()).then(value)),
    }


@dataclass(frozen=True)
class ClickedResults:
    """Results with the clicks that were made on them.

    Parameters
    ----------
    results
        The results, with the columns of :data:`MADE`.
    clicks
        The records of clicks, of which only those are rows that were rejected.
    cells
        Values of clicks that were set aside, as rows of the table of rejected records.
    notes
        What was unusual.
    """

    results: Raw
    clicks: Raw
    cells: pl.DataFrame
    notes: tuple[str, ...] = ()


def with_counted_clicks(results: Raw, clicks: Raw, queries: Raw | None, keep: Keep) -> ClickedResults:
    """Return results with their clicks counted; all tables have session_id and query_position.

    A click belongs to the result of its query with its rank, its document or, where it names both, with both. Of a document that
    stands twice in a list the result with the better rank has the clicks. All clicks are in memory for it.

    Parameters
    ----------
    queries
        The queries of the log, where they are a table of their own.
    keep
        Where the results stay.

    Raises
    ------
    DataError
        Clicks do not say which result was clicked, the results have columns of clicks already, or the two do not count alike.
    """
    columns = clicks.frame.collect_schema().names()
    places = [name for name in PLACES if name in columns]
    if not places:
        raise DataError(
            f"{clicks.source} (clicks) has no doc_id and no rank, so nothing says which result was clicked; found "
            f"{', '.join(map(visible, _public(columns)))}"
        )
    taken = [name for name in MADE if name in results.frame.collect_schema()]
    if taken:
        raise DataError(
            f"{results.source} (results) has {' and '.join(taken)}, which [clicks] counts as well. Leave [clicks] out, or keep the "
            f'column under another name: columns = {{ {taken[0]}_given = "..." }}'
        )
    declared = _declared([*LIST, *places])
    moved = _moved(results, clicks, [name for name in COUNTING if name in columns])
    checked = check_types(clicks.frame, declared, timezone=clicks.timezone)
    checked = check_values(checked, declared).with_columns(*(pl.col(name) + 1 for name in moved))
    shown = _shown(results)
    weight = [pl.col(name).cast(pl.Int32) for name in reversed(COUNTS) if name in columns]
    key = [*LIST, *places]
    counts = count_clicks(checked.accepted.lazy(), key, number=pl.coalesce(*weight, 1) if weight else None)
    clicked = shown.join(counts, on=key, how="inner").collect()
    first = clicked.sort("rank", RECORD).unique(key, keep="first", maintain_order=True)
    values = first.drop(*LIST, *PLACES).with_columns(clicked=pl.col("clicks") > 0)
    missed = checked.accepted.join(first, on=key, how="anti", maintain_order="left")
    frame = results.frame.join(values.lazy(), on=RECORD, how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("clicks").fill_null(0), pl.col("clicked").fill_null(value=False))
    broken = _broken(checked, missed, _lists(results if queries is None else queries))
    extras = [name for name in _public(columns) if name not in (*declared.names, QUERY_ID)]
    return ClickedResults(
        replace(results, frame=keep(frame)),
        _of_members(clicks, broken),
        _cells(clicks, checked),
        _notes(clicks, extras),
    )


def _public(columns: Sequence[str]) -> list[str]:
    """Return the columns that are not private."""
    return [name for name in columns if not name.startswith("__")]


def _declared(required: Sequence[str]) -> Table:
    """Return what a table of clicks declares; its positions and ranks may count from 0, as those of results may."""
    of_results = table("results").by_name
    fields = {
        name: replace(
            of_results[name], required=name in required, minimum=None if name in COUNTING else of_results[name].minimum
        )
        for name in (*LIST, *PLACES, *MADE)
        if name in required or name in MADE
    }
    return Table("clicks", "", tuple(fields.values()), (), (), fields)


def _lists(raw: Raw) -> pl.LazyFrame:
    """Return the session and query position of every record, of the declared types."""
    types, fields = raw.frame.collect_schema(), table("results").by_name
    return raw.frame.select(cast(fields[name], types[name]).alias(name) for name in LIST).drop_nulls()


def _shown(results: Raw) -> pl.LazyFrame:
    """Return the results that were shown: RECORD, their session, position, rank and document, of the declared types."""
    types, declared = results.frame.collect_schema(), table("results").by_name
    is_list = pl.col(MARK).eq_missing(EMPTY) if MARK in types else pl.lit(value=False)
    rows = results.frame.filter(_is_readable(results) & ~is_list)
    return rows.select(
        RECORD, *(cast(declared[name], types[name]).alias(name) for name in (*LIST, *PLACES))
    ).drop_nulls()


def _moved(results: Raw, clicks: Raw, columns: Sequence[str]) -> list[str]:
    """Return the columns in which clicks count from 0 and results from 1, as `base` says.

    Raises
    ------
    DataError
        Clicks count from 0 as they stand, results do not, and nothing says so.
    """
    moved = []
    for name in columns:
        field = table("results").by_name[name]
        least = [
            raw.frame.select(cast(field, raw.frame.collect_schema()[name]).min()).collect().item()
            for raw in (results, clicks)
        ]
        if 0 in least and least[0] != 0:
            if clicks.base.get(name) != 0:
                raise DataError(
                    f"{clicks.source} (clicks): {name} says 0, but that of {results.source} never does. If clicks count from 0, say "
                    f"base = {{ {name} = 0 }} under [clicks] in study.toml; else correct the file"
                )
            moved.append(name)
    return moved


def _broken(checked: CheckedRows, missed: pl.DataFrame, lists: pl.LazyFrame) -> pl.DataFrame:
    """Return the clicks that are rejected, with their rules; those of a query that is not in the log do not say of which.

    Else a click alone would make a query, or a session.
    """
    named = [name for name in PLACES if name in missed.columns]
    value = pl.concat_str([pl.col(name).cast(pl.String) for name in named], separator=", ")
    outside = missed.select(RECORD, *LIST, pl.lit("clicked_result_was_shown").alias(RULE), value.alias(VALUE))
    broken = pl.concat([checked.broken.select(RECORD, *LIST, RULE, VALUE), outside])
    known = lists.unique().with_columns(pl.lit(value=True).alias("__known"))
    marked = broken.lazy().join(known, on=LIST, how="left", maintain_order="left")
    return marked.with_columns(pl.when("__known").then(name).alias(name) for name in LIST).drop("__known").collect()


def _of_members(clicks: Raw, broken: pl.DataFrame) -> Raw:
    """Return the rejected clicks as records of results, with the numbers of those that went into results, for each file."""
    starts = [start for start, _ in clicks.parted]
    members = []
    for (start, member), end in zip(clicks.parted, [*starts[1:], None], strict=True):
        inside = broken[RECORD] > start if end is None else broken[RECORD].is_between(start, end, closed="right")
        merged = member.records - int(inside.sum())
        members.append((start, replace(member, table="results", kind=KIND, merged=merged)))
    rows = replace(clicks, table="results", frame=broken.lazy(), kind=KIND, in_memory=False)
    return replace(rows, members=tuple(members)) if clicks.members else replace(rows, merged=members[0][1].merged)


def _cells(clicks: Raw, checked: CheckedRows) -> pl.DataFrame:
    """Return the values of clicks that were set aside, as rows of the table of rejected records."""
    cells = checked.cells.with_columns(pl.lit(value=True).alias(KEPT))
    return described(replace(clicks, table="results"), cells) if len(cells) else none_rejected()


def _notes(clicks: Raw, extras: Sequence[str]) -> tuple[str, ...]:
    """Return what is to be said of columns that no result can have."""
    if not extras:
        return ()
    names = ", ".join(map(visible, extras[:SHOWN])) + (
        f" and {len(extras) - SHOWN} more" if len(extras) > SHOWN else ""
    )
    return (
        f"{clicks.source} (clicks): {counted(len(extras), 'column')} not kept, since clicks are counted on results: {names}",
    )
