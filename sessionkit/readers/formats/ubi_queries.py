"""User Behavior Insights: queries by query_id with their sessions, and the result lists that hits, impressions and clicks show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.readers.events.lists import AT, BARE, FILE, FROM, KEY, KIND, MANY, NOUN, PLACE, Found, found, tallied
from sessionkit.readers.events.sessions import seconds, with_sessions
from sessionkit.readers.formats.ubi_records import EXPERIMENT, QUERY, WHAT
from sessionkit.readers.raw import Keep
from sessionkit.study.checks import RECORD
from sessionkit.study.schema import table

GROUP, CUT, LENGTH, SIZE = "__group", "__cut", "__length", "__size"


@dataclass(frozen=True)
class UbiQueries:
    """The queries, how many records of them were merged, and what is to be said.

    Parameters
    ----------
    queries
        Without the hits of their records, but with their number and that of events together (SIZE).
    """

    queries: pl.LazyFrame
    merged: dict[tuple[int, str], int]
    notes: list[str]


def queries_of(
    records: pl.LazyFrame,
    events: pl.LazyFrame,
    *,
    gap: str | float,
    recut: bool,
    longest: bool,
    by_experiment: bool,
    keep: Keep,
) -> UbiQueries:
    """Return one row per query.

    Parameters
    ----------
    records
        All records (``ubi_records.py``) with FILE and AT.
    events
        Those that are events with a query_id, which is their KEY.
    gap
        Inactivity that ends a session, for queries of which only the client is known.
    recut
        Whether sessions that the log names are cut by it as well.
    longest
        Whether the longest text decides between records with one query_id; else the last record does.
    by_experiment
        Whether the system is what query_attributes say, not the application.
    """
    own = pl.coalesce("query_id", pl.concat_str(pl.lit("no query_id"), FILE, RECORD, separator=" "))
    none = pl.col("hits").is_not_null() & ~pl.col("counts_only")
    asked = records.filter(pl.col(WHAT) == QUERY).with_columns(
        own.alias(KEY),
        pl.col("hits").list.len().fill_null(0).alias(SIZE),
        pl.when(none).then(pl.lit("empty")).otherwise(pl.lit("not_logged")).alias(BARE),
    )
    length = [pl.col("user_query").str.len_chars().fill_null(0)] if longest else []
    order = [pl.col(SIZE) > 0, *length, *(pl.col(name) for name in PLACE)]
    several = keep(_several(asked))
    again = asked.join(several, on=KEY, how="semi")
    best = again.group_by(KEY).agg(pl.struct(PLACE).sort_by(order).last().alias("best")).unnest("best")
    others = keep(again.select(PLACE).join(best, on=PLACE, how="anti"))
    told = keep(_told_by_events(events))
    chosen = asked.join(others, on=PLACE, how="anti", maintain_order="left")
    for of_query in (several, told):
        chosen = chosen.join(of_query, on=KEY, how="left", maintain_order="left")
    system = pl.col(EXPERIMENT) if by_experiment else pl.coalesce("application", "of_application")
    known = chosen.select(
        KEY,
        *PLACE,
        pl.lit("query records").alias(KIND),
        pl.coalesce(AT, "of_at").alias(AT),
        "query_id",
        query_text=pl.coalesce("user_query", "text"),
        issued_at=pl.coalesce("timestamp", "of_timestamp"),
        session_id=pl.coalesce("session_id", "of_session"),
        user_id=pl.coalesce("user_id", "of_user_id"),
        client_id=pl.coalesce("client_id", "of_client_id"),
        system_id=system,
        query_records=pl.col("query_records").fill_null(1),
        __counts=pl.lit(value=True),
        **{BARE: pl.col(BARE), SIZE: pl.col(SIZE) + pl.col("events").fill_null(0)},
    )
    bare = told.join(asked, on=KEY, how="anti", maintain_order="left").select(
        KEY,
        *PLACE,
        pl.lit("queries known by their events").alias(KIND),
        pl.col("of_at").alias(AT),
        query_id=KEY,
        query_text="text",
        issued_at="of_timestamp",
        session_id="of_session",
        user_id="of_user_id",
        client_id="of_client_id",
        query_records=pl.lit(0, dtype=pl.UInt32),
        system_id=pl.lit(None, dtype=pl.String) if by_experiment else pl.col("of_application"),
        __counts=pl.lit(value=False),
        **{BARE: pl.lit("not_logged"), SIZE: pl.col("events")},
    )
    queries = pl.concat([keep(known), keep(bare)], how="diagonal_relaxed")  # one at a time
    sessions, notes = _with_sessions(queries, events, gap, recut=recut, keep=keep)
    repeated = tallied(others, "query records with a query_id of another")
    return UbiQueries(sessions, repeated, [*_noted(queries, told, events), *notes])


def _several(asked: pl.LazyFrame) -> pl.LazyFrame:
    """Return the query_ids of which there are several records, and how many; hashes take less memory than the ids of all."""
    hashes = np.sort(asked.select(pl.col(KEY).hash()).collect(engine="streaming").to_series().to_numpy())
    twice = pl.Series(np.unique(hashes[1:][hashes[1:] == hashes[:-1]]))
    found = asked.filter(pl.col(KEY).hash().is_in(twice.implode())).group_by(KEY).agg(query_records=pl.len())
    return found.filter(pl.col("query_records") > 1)


def _told_by_events(events: pl.LazyFrame) -> pl.LazyFrame:
    """Return for each query_id what its events say of the query; PLACE is that of the first."""
    said = pl.coalesce("user_query", pl.when(pl.col("message_type") == "QUERY").then("message"))
    names = ("user_id", "client_id", "application", "timestamp")
    length = said.str.len_chars().fill_null(-1).alias(LENGTH)
    narrow = events.select(KEY, AT, *PLACE, "session", *names, said.alias("text"), length)
    in_time = narrow.sort(KEY, AT, *PLACE, nulls_last=True)
    return in_time.group_by(KEY, maintain_order=True).agg(
        *(pl.col(name).first() for name in PLACE),
        pl.col("text").sort_by(LENGTH, maintain_order=True).last(),
        pl.col("session").drop_nulls().first().alias("of_session"),
        pl.col("session").drop_nulls().n_unique().alias("sessions"),
        pl.col(AT).first().alias("of_at"),
        *(pl.col(name).drop_nulls().first().alias(f"of_{name}") for name in names),
        pl.len().alias("events"),
    )


def _with_sessions(
    queries: pl.LazyFrame, events: pl.LazyFrame, gap: str | float, *, recut: bool, keep: Keep
) -> tuple[pl.LazyFrame, list[str]]:
    """Return queries each in a session: that of its events, of its client at the time, or by inactivity of its client."""
    named = queries.filter(pl.col("session_id").is_not_null())
    within = timedelta(seconds=seconds(gap))
    near = (
        queries.filter(pl.all_horizontal(pl.col("session_id").is_null(), pl.col("client_id", AT).is_not_null()))
        .select(KEY, "client_id", AT)
        .sort(AT)
        .join_asof(
            named.filter(pl.col("client_id").is_not_null(), pl.col(AT).is_not_null())
            .select(*PLACE, "client_id", AT, near="session_id")
            .sort(AT, *PLACE)  # of several at one time the same one each time
            .drop(PLACE),
            on=AT,
            by="client_id",
            strategy="nearest",
            tolerance=within,
            check_sortedness=False,
        )
        .select(KEY, "near")
    )
    who = queries.select(KEY, AT, "session_id", "client_id", "user_id")
    placed = keep(who.join(near, on=KEY, how="left", maintain_order="left"))
    session = pl.coalesce("session_id", "near")
    placed = placed.with_columns(session.alias("session_id"), pl.coalesce(session, "client_id", "user_id").alias(GROUP))
    cut = placed if recut else placed.filter(pl.col("session_id").is_null())
    cut = cut.filter(pl.col(GROUP).is_not_null())
    times = [
        cut.select(KEY, GROUP, AT),
        events.select(KEY, AT).join(cut.select(KEY, GROUP), on=KEY, maintain_order="left").select(KEY, GROUP, AT),
    ]
    sessions = with_sessions(pl.concat(times), user=GROUP, time=AT, gap=gap, name=CUT)
    first = sessions.group_by(KEY).agg(pl.col(CUT).sort_by(AT, nulls_last=True).first())
    done = placed.select(KEY, "session_id", "near", GROUP).join(first, on=KEY, how="left", maintain_order="left")
    done = keep(done)
    counts = done.select(
        pl.col("near").is_not_null().sum(),
        (pl.col("session_id").is_null() & pl.col(CUT).is_not_null()).sum().alias("by_gap"),
        pl.col(GROUP).is_null().sum().alias("alone"),
    )
    near_by, by_gap, alone = counts.collect().row(0)
    notes = []
    if near_by:
        notes.append(f"{counted(near_by, 'query')} without events added to the session of their client within {gap}")
    if by_gap:
        notes.append(
            f"{counted(by_gap, 'query')} without session_id: sessions of their client cut by {gap} of inactivity"
        )
    if alone:
        notes.append(f"{counted(alone, 'query')} without session, client and user: each is a session")
    if not recut:
        notes += _long(named, within, gap)
    names = pl.coalesce(CUT, "session_id", KEY) if recut else pl.coalesce("session_id", CUT, KEY)
    placed = done.select(KEY, names.alias("__session"))
    whole = queries.join(placed, on=KEY, how="left", maintain_order="left")
    return keep(whole.with_columns(pl.col("__session").alias("session_id")).drop("__session")), notes


def _long(queries: pl.LazyFrame, gap: timedelta, said: str | float) -> list[str]:
    """Return what is to be said of sessions that pause for longer than the gap."""
    pause = (pl.col(AT) - pl.col(AT).shift(1)).over("session_id")
    long = queries.sort("session_id", AT).filter(pause > gap)
    many, first = found(long, "session_id", distinct=True)
    if not many:
        return []
    return [
        f"{counted(many, 'session')} of the log with pauses above {said} (first: {first!r}): a browser session is "
        "not a task; cut_sessions = true cuts it at pauses"
    ]


def _noted(queries: pl.LazyFrame, told: pl.LazyFrame, events: pl.LazyFrame) -> list[str]:
    """Return what is to be said of query ids."""
    notes = []
    many, first = found(queries.filter(pl.col("query_records") > 1), "query_id")
    if many:
        notes.append(
            f"{counted(many, 'query id')} with several query records (first: {first!r}); of those with hits one is kept, "
            "as repeated_queries says"
        )
    bare = queries.filter(~pl.col("__counts")).select(KEY)
    pointing, first = found(events.join(bare, on=KEY, how="semi"), KEY)
    if pointing:
        ids, _ = found(bare, KEY)
        notes.append(
            f"{counted(pointing, 'event')} of {counted(ids, 'query id')} without query record (first: {first!r})"
        )
    many, first = found(told.filter(pl.col("sessions") > 1), KEY)
    if many:
        notes.append(
            f"{counted(many, 'query id')} with events of several sessions (first: {first!r}); the first session is used"
        )
    texts = queries.select(KEY, "query_text")
    saying = events.filter(pl.col("user_query").is_not_null())
    many, first = found(saying.join(texts, on=KEY).filter(pl.col("user_query") != pl.col("query_text")), KEY)
    if many:
        notes.append(f"{counted(many, 'event')} with another user_query than their query (first: {first!r})")
    return notes


ORDINAL, IS_CLICK, NTH, BASE = "__ordinal", "__is_click", "__nth", "__base"


@dataclass(frozen=True)
class Actions:
    """Which action_name means what.

    Parameters
    ----------
    impressions, clicks, conversions
        Names of actions; a conversion is counted in a column of its name.
    """

    impressions: Sequence[str]
    clicks: Sequence[str]
    conversions: Sequence[str]

    @property
    def columns(self) -> dict[str, str]:
        """For each action the column of results that counts it."""
        return {
            **{name: column_of(name) for name in self.conversions},
            **dict.fromkeys(self.impressions, "impressions"),
            **dict.fromkeys(self.clicks, "clicks"),
        }


def column_of(action: str) -> str:
    """Return the name of the column that counts an action.

    >>> column_of("add-to-cart"), column_of("saved")
    ('add_to_cart', 'saved_events')
    """
    name = re.sub(r"\W+", "_", action).strip("_").lower() or "conversions"
    taken = {*table("results").names, "impressions", "list_from"}
    return f"{name}_events" if name in taken else name


def marks_of(events: pl.LazyFrame, actions: Actions, dwell: float | None) -> pl.LazyFrame:
    """Return the events on results; `dwell` is the unit of dwell_time in seconds, None where it is not to be read."""
    column = pl.col("action_name").replace_strict(actions.columns, default=None, return_dtype=pl.String)
    spent = pl.col("dwell_time").cast(pl.Float64, strict=False) * (dwell or 1.0)
    return events.filter(column.is_not_null(), pl.col("object_id").is_not_null()).select(
        KEY,
        *PLACE,
        AT,
        "application",
        "query_id",
        (pl.col("action_name") + " events").alias(NOUN),
        column.alias(MANY),
        pl.col("ordinal").str.replace(r"\.0+$", "").cast(pl.Int64, strict=False).alias(ORDINAL),
        doc_id="object_id",
        clicked_at=AT,
        **({"dwell_seconds": pl.when(spent >= 0).then(spent)} if dwell else {}),
    )


def lists_of(hits: pl.LazyFrame, marks: pl.LazyFrame, bases: pl.DataFrame) -> tuple[pl.LazyFrame, Found]:
    """Return one row per result, and the lists with several objects at one ordinal.

    Parameters
    ----------
    hits
        Queries with lists of hits.
    bases
        As :func:`bases_of` returns them.
    """
    listed = hits.select(
        KEY,
        *PLACE,
        pl.lit("results of hit lists").alias(KIND),
        pl.lit("hit list").alias(FROM),
        doc_id="hits",
        rank=pl.int_ranges(1, pl.col("hits").list.len() + 1, dtype=pl.Int64),
    )
    seen = marks.filter(pl.col(MANY).is_in(["impressions", "clicks"]), pl.col(ORDINAL).is_not_null())
    seen = seen.join(hits, on=KEY, how="anti").with_columns(IS_CLICK_OF.alias(IS_CLICK))
    first = seen.sort(KEY, IS_CLICK, *PLACE).unique([KEY, "doc_id"], keep="first", maintain_order=True)
    app = pl.col("application").fill_null("")
    of = bases.select("application", pl.col(BASE).cast(pl.Int64)).lazy()
    ordered = first.with_columns(app).join(of, on="application").sort(KEY, ORDINAL, AT, *PLACE)
    said = pl.col(ORDINAL) - pl.col(BASE) + 1
    nth = pl.int_range(pl.len(), dtype=pl.Int64).over(KEY)
    ranked = ordered.with_columns(said.alias("said"), nth.alias(NTH))
    rank = pl.col(NTH) + (pl.col("said") - pl.col(NTH)).cum_max().over(KEY)
    ranked = ranked.with_columns(rank=rank).collect().lazy()
    rows = ranked.select(
        KEY,
        *PLACE,
        pl.col(NOUN).alias(KIND),
        pl.when(IS_CLICK).then(pl.lit("clicks")).otherwise(pl.lit("impressions")).alias(FROM),
        "doc_id",
        "rank",
    )
    tied = found(ranked.filter(pl.col("rank") != pl.col("said")), "query_id", distinct=True)
    return pl.concat([listed.explode("doc_id", "rank"), rows], how="diagonal_relaxed"), tied


IS_CLICK_OF = pl.col(MANY) == "clicks"
"""Whether a mark is a click."""


def bases_of(marks: pl.LazyFrame, base: int | None) -> pl.DataFrame:
    """Return for each application what its ordinals count from, and what says so.

    `base` is what they count from; None: 0 or 1 by the least ordinal of an impression (else of a click) of the application.
    """
    ordinals = marks.filter(pl.col(MANY).is_in(["impressions", "clicks"]), pl.col(ORDINAL).is_not_null())
    app = pl.col("application").fill_null("")
    least = ordinals.with_columns(app).group_by("application", "query_id", MANY).agg(pl.col(ORDINAL).min())
    each = least.group_by("application", MANY).agg(
        pl.col(ORDINAL).min().alias("least"),
        pl.col("query_id").sort_by(ORDINAL, "query_id").first().alias("first"),
        (pl.col(ORDINAL) == 0).sum().alias("zeros"),
        pl.len().alias("lists"),
    )
    best = each.sort("application", MANY, descending=[False, True]).unique(
        "application", keep="first", maintain_order=True
    )
    inferred = (pl.col("least") > 0).cast(pl.Int64) if base is None else pl.lit(base, dtype=pl.Int64)
    return best.with_columns(inferred.alias(BASE)).sort("application").collect()


def noted_bases(bases: pl.DataFrame, base: int | None) -> list[str]:
    """Return what is to be said of what ordinals count from."""
    if base is not None:
        return []
    return [
        f"application {row['application']!r}: ordinals count from {row[BASE]}, by the least of {row[MANY]} in "
        f"{counted(row['lists'], 'list')} ({row['zeros']:,} with a 0; least in query {row['first']!r}: {row['least']}); "
        "ordinal_base in a study.toml says otherwise"
        for row in bases.rows(named=True)
    ]


def noted_ties(tied: Found) -> list[str]:
    """Return what is to be said of lists with two objects at one ordinal."""
    many, first = tied
    if not many:
        return []
    return [
        f"{counted(many, 'list')} without hits with several objects at one ordinal (first: query {first!r}); they "
        "are ranked in their order in the log"
    ]


def docid_warnings(queries: pl.LazyFrame, hits: pl.LazyFrame, marks: pl.LazyFrame) -> list[str]:
    """Return warnings of applications whose hits seem to be numbers internal to the search engine."""
    app = pl.col("system_id").fill_null("").alias("application")
    apps = queries.select(KEY, app)
    is_small = pl.col("doc_id").str.contains(r"^\d{1,9}$")
    first = hits.select(KEY, doc_id=pl.col("hits").list.drop_nulls().list.first()).drop_nulls("doc_id")
    some = first.join(apps, on=KEY).group_by("application").agg(is_small.all()).filter("doc_id").select("application")
    if some.head(1).collect().is_empty():
        return []
    suspect = apps.join(some, on="application", how="semi")
    shown = hits.join(suspect, on=KEY).select("application", doc_id="hits").explode("doc_id").drop_nulls("doc_id")
    numbers = shown.group_by("application").agg(is_small.all().alias("small"), pl.col("doc_id").min().alias("example"))
    met = shown.join(marks, on="doc_id", how="semi").select("application").unique()
    touched = marks.select(KEY).join(apps, on=KEY)
    left = numbers.filter("small").join(touched, on="application", how="semi").join(met, on="application", how="anti")
    rows = left.sort("application").collect().rows(named=True)
    return [
        f"application {row['application']!r}: all hits are small whole numbers (such as {row['example']!r}) and no event "
        "names one of them; they look like the engine's own document numbers, written where object_id_field was not given"
        for row in rows
    ]
