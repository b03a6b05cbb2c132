"""Files of one log that share the id of a query: results and clicks that say by it which query they belong to.

Which column it is shows in its values: those of a column that tells the queries apart, alone or within their session, and in the
other file rows of one value are one list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from sessionkit.readers.propose.column_names import LIKELY, USUAL, folded, likeness
from sessionkit.readers.propose.contents import SampleColumn, columns_of, share
from sessionkit.readers.propose.kinds import CLICKS, ListColumns, LogFileKind, called, try_layout
from sessionkit.readers.propose.match import Match, fits, match_by_name
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import Sample
from sessionkit.readers.propose.table_sections import ask_of_base

WHEN = frozenset(["at", "time", "timestamp", "ts", "when", "date"])
"""What the time of a click is called in it, folded."""
SHARED = 0.5
"""The share of ids that must be those of queries for rows to belong to them."""
LISTS = 0.9
"""The share of values of the key in which every rank, or document, comes once."""
NAMED_CLICKS = re.compile(r"cli[ckq]|kli[ck]|clics|select|opened", re.IGNORECASE)
"""What is in the name of a file of clicks."""
CLICKED = ("clicked", "clicks", "clicked_at", "click_elapsed_seconds", "dwell_seconds")
"""Columns of results that a file of clicks makes."""
SHOWN = 0.5
"""The share of clicks that must be on results that were shown."""
TIES = ("query_id", "query_text", "")
"""What a key may be called, of ours."""


@dataclass(frozen=True)
class QueryKey:
    """A column by which rows belong to queries.

    Parameters
    ----------
    of_queries, of_rows
        Its names in both files.
    session
        The column of the session in the rows, where ids count within it; empty where ids are unique.
    worth
        How likely it is one.
    share
        The share of its values that queries have.
    """

    of_queries: str
    of_rows: str
    session: str
    worth: float
    share: float


def with_joins(parts: Sequence[LogFileKind]) -> list[LogFileKind]:
    """Return the files; results without positions of queries are joined to the queries by an id, and clicks are told apart."""
    queries = next((part for part in parts if part.kind == "queries" and part.layout is not None), None)
    joined = list(parts)
    if queries is not None:
        for at, part in enumerate(parts):
            if (
                part is not queries
                and _lacks_positions(part)
                and (key := find_query_key(queries, part, holds_lists=True))
            ):
                joined[at] = _with_places(part, queries, key)
                joined[joined.index(queries)] = queries = replace(queries, query_key=key.of_queries)
    lists = [part for part in joined if part.kind == "results" and part.layout is not None]
    if not lists:
        return joined
    results = max(lists, key=lambda part: part.sample.texts.height)
    for at, part in enumerate(joined):
        if part not in (results, queries) and (clicks := _as_clicks(part, results, queries or results)):
            joined[at], key = clicks
            if key is not None and queries is None:
                joined[joined.index(results)] = results = replace(results, query_key=key.of_queries)
            elif key is not None and queries is not None:
                joined[joined.index(queries)] = queries = replace(queries, query_key=key.of_queries)
    return joined


def _lacks_positions(part: LogFileKind) -> bool:
    """Return whether a file has ranks and documents, and no column that counts the queries of a session."""
    if not part.sample.named or part.kind not in ("", "results", "queries", "sessions"):
        return False
    if not (called(part.columns, "rank") and called(part.columns, "doc_id")):
        return False
    if _own_column(part, "query_position") and called(part.columns, "session_id"):
        return False
    layout = part.layout
    return layout is None or part.columns[layout.position].made_of is not None or not called(part.columns, "session_id")


def find_query_key(queries: LogFileKind, part: LogFileKind, *, holds_lists: bool) -> QueryKey | None:
    """Return the column by which rows of a file belong to queries, the likeliest; None where none is.

    `queries` may be results in one flat file as well, of which a query has several rows. `holds_lists` says whether rows of one key
    must be a list.
    """
    layout = queries.layout
    if layout is None:
        return None
    places = queries.sample.texts.select(layout.session, layout.position)
    session = _session_of(part, queries.columns[layout.session])
    keys = []
    for theirs in queries.columns.values():
        if theirs.made_of is not None or theirs.name in (layout.session, layout.position, layout.rank):
            continue
        if queries.query_key not in ("", theirs.name):  # all files are joined by one column
            continue
        keyed = places.with_columns(theirs.texts.alias("key")).drop_nulls().unique()
        if keyed.height < 2 or theirs.filled < LISTS:
            continue
        alone = keyed["key"].n_unique() == keyed.height
        within = bool(session) and keyed.n_unique([layout.session, "key"]) == keyed.height
        if not (alone or within):
            continue
        for one in part.columns.values():
            key = _key(theirs, one, session if not alone or _is_own(part, session) else "")
            if key is not None and (not holds_lists or _holds_lists(part, key)):
                keys.append(key)
    return max(keys, key=lambda key: key.worth, default=None)


def _own_column(part: LogFileKind, ours: str) -> str:
    """Return the column of the file itself with the likeliest name of one of ours, empty where none is usual."""
    return called({name: one for name, one in part.columns.items() if one.made_of is None}, ours)


def _is_own(part: LogFileKind, session: str) -> bool:
    """Return whether a session is a column of the file itself."""
    return bool(session) and part.columns[session].made_of is None


def _session_of(part: LogFileKind, sessions: SampleColumn) -> str:
    """Return the column of a file, or of several of its columns, that has the sessions of the queries."""
    of_layout = [part.layout.session] if part.layout is not None else []
    names = [*of_layout, *part.sample.made, called(part.columns, "session_id")]
    shared = [name for name in names if name and share(part.columns[name].given, sessions.given) >= LISTS]
    return shared[0] if shared else ""


def _key(theirs: SampleColumn, one: SampleColumn, session: str) -> QueryKey | None:
    """Return a column of a file as the key that a column of queries is; None where it is not."""
    if one.made_of is not None or one.name == session or one.filled < SHARED:
        return None
    is_same_name = folded(theirs.name) == folded(one.name)
    role = max(USUAL, key=lambda ours: likeness(one.heading, ours))
    role = role if likeness(one.heading, role) >= LIKELY else ""
    if not is_same_name and (role not in TIES or folded(theirs.heading) in ("rank", "position")):
        return None
    common = share(one.given, theirs.given)
    if common < SHARED or (one.counts and not is_same_name and role != "query_id" and common < 1):
        return None
    named = max(likeness(one.heading, "query_id"), likeness(theirs.heading, "query_id"))
    # a text may come again, an id does not
    is_text = likeness(one.heading, "query_text") >= LIKELY
    return QueryKey(theirs.name, one.name, session, common + named + is_same_name - is_text, common)


def _holds_lists(part: LogFileKind, key: QueryKey) -> bool:
    """Return whether rows of one key are a list: no rank, or document, comes twice."""
    place = called(part.columns, "rank") or called(part.columns, "doc_id")
    names = [key.of_rows, *([key.session] if key.session else [])]
    rows = part.sample.texts.select(*(pl.col(name).alias(f"k{at}") for at, name in enumerate(names)), place=place)
    lists = rows.drop_nulls().group_by(pl.exclude("place")).agg(once=pl.col("place").n_unique() == pl.len())
    return lists.height > 1 and int(lists["once"].sum()) >= LISTS * lists.height


def _places(queries: LogFileKind, key: QueryKey) -> pl.DataFrame:
    """Return the key, the session and the position of every query."""
    layout = queries.layout
    if layout is None:
        return pl.DataFrame()
    position = (
        pl.int_range(1, pl.len() + 1).over(layout.session)
        if queries.kind == "queries" and queries.columns[layout.position].made_of is not None
        else pl.col(layout.position)
    )
    places = queries.sample.texts.select(
        key=pl.col(key.of_queries), session=pl.col(layout.session), position=position.cast(pl.String)
    )
    by = ["key", "session"] if key.session else ["key"]
    return places.drop_nulls().unique(by, keep="first", maintain_order=True)


def _placed_rows(part: LogFileKind, queries: LogFileKind, key: QueryKey) -> pl.DataFrame:
    """Return the session and the position of each row of a file, null where its key is that of no query."""
    key_columns = [pl.col(key.of_rows).alias("key"), *([pl.col(key.session).alias("session")] if key.session else [])]
    rows = part.sample.texts.select(key_columns)
    return rows.join(_places(queries, key), on=rows.columns, how="left", maintain_order="left").select(
        "session", "position"
    )


def _with_places(part: LogFileKind, queries: LogFileKind, key: QueryKey) -> LogFileKind:
    """Return results with the sessions and positions of the queries that their key names."""
    rows = _placed_rows(part, queries, key)
    session = key.session or next(
        f"session_id{end}" for end in ("", "_2", "_3") if f"session_id{end}" not in part.columns
    )
    added_columns = [rows["position"].alias("query_position")]
    added_columns += [] if key.session else [rows["session"].alias(session)]
    names = {**part.sample.made, **({} if key.session else {session: ()}), "query_position": ()}
    sample: Sample = replace(
        part.sample,
        frame=part.sample.frame.with_columns(added_columns),
        texts=part.sample.texts.with_columns(added_columns),
        made=names,
    )
    columns = columns_of(sample)
    layout = try_layout(columns, session, "query_position", called(part.columns, "rank"))
    return replace(part, sample=sample, columns=columns, kind="results", layout=layout, query_key=key.of_rows)


def _as_clicks(
    part: LogFileKind, results: LogFileKind, queries: LogFileKind
) -> tuple[LogFileKind, QueryKey | None] | None:
    """Return a file as one of clicks, and by what it is joined; None where it is none.

    Most of its rows are on results that were shown, and these are more.
    """
    doc, rank = (called(part.columns, ours) for ours in ("doc_id", "rank"))
    layout = results.layout
    if part.kind in ("judgments", "events", CLICKS) or not part.sample.named or not (doc or rank):
        return None
    if layout is None or called(part.columns, "grade"):
        return None
    session, position = called(part.columns, "session_id"), _own_column(part, "query_position")
    key = None if session and position else find_query_key(queries, part, holds_lists=False)
    if key is None and not (session and position):
        return None
    rows = (
        part.sample.texts.select(session=session, position=position)
        if key is None
        else _placed_rows(part, queries, key)
    )
    place, shown_place = (doc, _document_of(results)) if doc and _document_of(results) else (rank, layout.rank)
    if not place or not shown_place:
        return None
    on = ["session", "position", "place"]
    clicks = rows.with_columns(part.sample.texts[place].alias("place"))
    texts = results.sample.texts
    shown = texts.select(session=layout.session, position=layout.position, place=shown_place).unique()
    if not results.sample.whole:  # clicks on lists beyond the sample say nothing
        clicks = clicks.join(shown, on=on[:2], how="semi")
    hits = clicks.join(shown, on=on, how="semi").height
    if hits == 0 or hits < SHOWN * clicks.height or clicks.unique().height >= shown.height:
        return None
    count = "" if key is not None and position == key.of_rows else position
    click_columns = ListColumns(key.session if key else session, count, rank or None, 1.0)
    return replace(part, kind=CLICKS, layout=click_columns, query_key=key.of_rows if key else ""), key


def lay_out_clicks(match: Match, log: dict[str, Match]) -> None:
    """Let columns of a file of clicks feed the query and the result that was clicked, and when; `log` are the other tables."""
    part, layout = match.part, match.part.layout
    is_list = bool(part.sample.known_as)
    if layout is not None:
        places = {"session_id": layout.session, "query_position": layout.position, "query_id": part.query_key}
        match.columns |= {ours: name for ours, name in places.items() if name}
    elif part.query_key:
        match.columns["query_id"] = part.query_key
    if is_list:
        _match_clicked(match, log["results"].part)
    else:
        match.columns |= {ours: name for ours in ("doc_id", "rank") if (name := called(part.columns, ours))}
    match_by_name(match, skipped=("session_id", "query_position", "query_id", "doc_id", "rank", "clicked"))
    if not {"clicked_at", "click_elapsed_seconds"} & set(match.columns):
        times = [
            one
            for one in match.unused
            if likeness(one.heading, "issued_at") >= LIKELY or (is_list and folded(one.heading) in WHEN)
        ]
        if times and fits(match, times[0], "clicked_at"):
            match.columns["clicked_at"] = times[0].name
    ask_of_base(match)
    is_named = is_list or NAMED_CLICKS.search(part.name)
    if not is_named and not {"clicked_at", "click_elapsed_seconds", "clicks"} & set(match.columns):
        match.ask(
            "", "every row counts as a click on a result that was shown. Are they clicks? If not, remove [clicks]"
        )
    results = log["results"]
    for ours in [name for name in CLICKED if name in results.columns]:
        name = results.columns.pop(ours)
        results.columns[f"{ours}_given"] = name
        results.ask(
            f"{ours}_given",
            f"{quoted(name)} was taken for {ours}, but clicks are counted from {part.name}, so it is kept as {ours}_given. If it "
            f"is right instead, call it {ours} and remove [clicks]",
        )


def _match_clicked(match: Match, results: LogFileKind) -> None:
    """Let the column of a list of clicks that is the document that was clicked, or its rank, feed this."""
    layout, session = results.layout, match.column("session_id")
    parts = (session.made_of or ()) if session is not None else ()
    columns = [one for one in match.unused if one.name not in parts]
    docs = [one for one in results.columns.values() if layout is None or one.name != layout.rank]
    pairs = [
        (share(one.given, doc.given), likeness(doc.heading, "doc_id"), one)
        for one in columns
        for doc in docs
        if likeness(doc.heading, "doc_id") or doc.heading == "doc id"
    ]
    best = max(pairs, key=lambda pair: pair[:2], default=None)
    ranks = [one for one in columns if one.counts]
    if ranks and (best is None or best[0] < SHARED):
        rank = max(ranks, key=lambda one: likeness(one.heading, "rank"))
        match.columns["rank"] = rank.name
        if likeness(rank.heading, "rank") < LIKELY:
            match.ask("rank", f"{quoted(rank.name)} is taken for the rank of what was clicked. Is it?")
    elif best is not None:
        match.columns["doc_id"] = best[2].name
        if best[0] < SHARED:
            match.ask("doc_id", f"few of {quoted(best[2].name)} are results. What was clicked?")
    else:
        match.supposed["doc_id"] = "..."
        match.ask("doc_id", "no field says what was clicked. Which is it?")


def _document_of(results: LogFileKind) -> str:
    """Return the column of documents of results."""
    return called(results.columns, "doc_id")
