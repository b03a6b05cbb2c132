"""Queries that are one query to the searcher though the log has several: sent again, paged, or typed letter by letter.

Each is merged by a rule that can be turned off, and counted under its rule. Rows have to stand in the order in which they
were asked, those of a session together.

``same``
    the same text as the query before, and no sign of paging; in logs of events also the same list, where both are logged;
``paging``
    the same text, with ranks that go on where those of the query before ended;
``typing``
    a text that begins the next one, which followed within a few seconds, and no click in between: search as you type.

In logs whose queries have numbers and lists already, positions move up and lists become one: a list is that of the query that
is left; a query sent again gives it the clicks on its documents, and its rows at ranks that
it has not. Every query and every row that goes is returned, to be counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.contract import RECORD, RULE
from sessionkit.display.words import counted
from sessionkit.readers.entries import Option

KEY, KEPT, NEW, BY = "__key", "__kept", "__position", "__by"
SESSION, POSITION = "session_id", "query_position"
SLOT = [SESSION, POSITION, "doc_id"]
WITHOUT_ROWS = ("empty", "not_logged")
ADDED = ("clicks", "author_clicks", "dwell_seconds")
FIRST = ("clicked_at", "click_elapsed_seconds")
EITHER = ("clicked", "saved")
ROWS_GONE = "results of queries merged into others"
"""What the rows of lists are called in accounts that are in no list after merging."""


@dataclass(frozen=True)
class MergedTables:
    """Tables after merging.

    Parameters
    ----------
    queries, results
        What is left.
    gone
        By what they are called in accounts: the queries that went into others, by the rule, and rows of their lists; each
        with ``session_id`` and RECORD.
    """

    queries: pl.DataFrame
    results: pl.DataFrame
    gone: dict[str, pl.DataFrame] = field(default_factory=dict)


def merged_tables(
    queries: pl.DataFrame, results: pl.DataFrame, rules: Sequence[str], time: pl.Expr | None = None
) -> MergedTables:
    """Merge queries of one session that follow one another.

    Parameters
    ----------
    queries
        RECORD, ``session_id``, ``query_position`` (whole numbers) and ``query_text``; RULE where a query broke one: it stays,
        as does one at a position that is taken.
    results
        RECORD, ``session_id``, ``query_position``, ``rank``, ``doc_id``; clicks on them.
    rules
        Those to merge by, ``same`` and ``typing``.
    time
        When queries were asked, a datetime or seconds, for the rule ``typing``.

    Examples
    --------
    >>> asked = pl.DataFrame({RECORD: [1, 2, 3], "session_id": "s", "query_position": [1, 2, 3], "query_text": ["a", "a", "b"]})
    >>> shown = asked.select(RECORD, "session_id", "query_position", rank=1, doc_id=pl.lit("x"))
    >>> merged = merged_tables(asked, shown, ["same"])
    >>> merged.queries.select("query_position", "query_text").rows(), merged.results.select("query_position", "doc_id").rows()
    ([(1, 'a'), (2, 'b')], [(1, 'x'), (2, 'x')])
    >>> {words: rows.height for words, rows in merged.gone.items()}
    {'queries sent again': 1, 'results of queries merged into others': 1}
    """
    ordered = queries.sort(SESSION, POSITION, nulls_last=True, maintain_order=True).with_row_index(KEY)
    whole = pl.col(POSITION).is_not_null() & pl.struct(SESSION, POSITION).is_first_distinct()
    if RULE in ordered.columns:
        whole &= pl.col(RULE).is_null()
    asked = ordered.select(KEY, SESSION, POSITION, query_text=pl.when(whole).then("query_text"))
    if time is not None:
        clicks = pl.col("clicks").fill_null(0).sum() if "clicks" in results.columns else pl.lit(0)
        made = results.group_by(SESSION, POSITION).agg(clicks=clicks)
        asked = asked.join(made, on=[SESSION, POSITION], how="left", maintain_order="left")
        asked = asked.with_columns(pl.col("clicks").fill_null(0), issued_at=ordered.select(time).to_series())
    placed = ordered.join(_heads(asked, rules), on=KEY, how="left", maintain_order="left")
    left = pl.col(KEY) == pl.col(KEPT)
    placed = placed.with_columns((pl.col(POSITION) - (~left).cum_sum().over(SESSION)).alias(NEW))
    lists, rows = _lists(results, placed)
    gone = {SAID[rule]: placed.filter(pl.col(BY) == rule).select(SESSION, RECORD) for rule in rules} | {ROWS_GONE: rows}
    stays = _with_status(placed).filter(left).with_columns(pl.col(NEW).alias(POSITION)).drop(KEY, KEPT, NEW, BY)
    return MergedTables(stays, lists, {words: those for words, those in gone.items() if those.height})


def _heads(asked: pl.DataFrame, rules: Sequence[str]) -> pl.DataFrame:
    """Return of each query the one it went into (its own where it stayed), and by which rule."""
    again, every = (
        merge_queries(asked.lazy(), KEY, some).heads.select(KEY, pl.col("kept").alias(KEPT)).collect()
        for some in ([rule for rule in rules if rule != "typing"], rules)
    )
    sent_again = again[KEPT] != again[KEY]
    by = pl.when(sent_again).then(pl.lit("same")).when(pl.col(KEPT) != pl.col(KEY)).then(pl.lit("typing"))
    return every.with_columns(by.alias(BY))


def _lists(results: pl.DataFrame, placed: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lists of the queries that are left, at their new positions, and the rows that are in none."""
    kept = placed.select(pl.col(KEY).alias(KEPT), pl.col(NEW).alias("__onto"))
    places = placed.join(kept, on=KEPT, how="left").select(SESSION, POSITION, KEY, KEPT, "__onto").drop_nulls()
    # a second query at a position will be rejected
    places = places.unique([SESSION, POSITION], keep="first", maintain_order=True)
    rows = results.join(places, on=[SESSION, POSITION], how="left", maintain_order="left")
    own = pl.col(KEPT).is_null() | (pl.col(KEY) == pl.col(KEPT))
    rows = rows.with_columns(pl.coalesce("__onto", POSITION).cast(results.schema[POSITION]).alias(POSITION))
    mine = rows.filter(own)
    again = rows.filter(~own, pl.col(KEPT) < pl.col(KEY))  # not of a text on its way to the next
    free = again.join(mine, on=SLOT, how="anti").join(mine, on=[SESSION, POSITION, "rank"], how="anti")
    free = free.unique(SLOT, keep="first", maintain_order=True)
    free = free.unique([SESSION, POSITION, "rank"], keep="first", maintain_order=True)
    lists = pl.concat([mine, free])
    onto = again.join(free, on=[SESSION, RECORD, "rank", "doc_id"], how="anti")
    made = _with_clicks(lists, onto).sort(SESSION, POSITION, "rank", maintain_order=True)
    rest = rows.join(lists, on=[KEY, SESSION, RECORD, "rank", "doc_id"], how="anti", nulls_equal=True)
    return made.select(results.columns), rest.select(SESSION, RECORD)


def _with_clicks(lists: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """Return lists with what was done with the same documents in lists that are gone."""
    own = pl.lit(value=True).alias("__own")
    every = pl.concat([lists.with_columns(own), again.with_columns(~own)])
    first = pl.col("__own") & pl.struct(SLOT).is_first_distinct()
    made = []
    for name in (one for one in (*ADDED, *FIRST, *EITHER) if one in lists.columns):
        counts = pl.when(first | ~pl.col("__own")).then(name)  # a document that stands twice in a list has clicks once
        whole = counts.sum() if name in ADDED else counts.min() if name in FIRST else counts.max()
        value = pl.when(counts.count().over(SLOT) > 0).then(whole.over(SLOT))
        made.append(pl.when(first).then(value).otherwise(name).cast(lists.schema[name]).alias(name))
    return every.with_columns(made).filter("__own").drop("__own")


def _with_status(placed: pl.DataFrame) -> pl.DataFrame:
    """Return queries; one without rows has the status of the first with rows that was sent again for it."""
    if "results_status" not in placed.columns:
        return placed
    status = pl.col("results_status")
    other = status.filter(~status.is_in(WITHOUT_ROWS), pl.col(KEY) >= pl.col(KEPT)).first().over(KEPT)
    return placed.with_columns(pl.when(status.is_in(WITHOUT_ROWS)).then(pl.coalesce(other, status)).otherwise(status))


RULES = ("same", "paging", "typing")
MERGE_QUERIES = Option(
    "Which queries are merged into one: same (sent again: the text of the query before, and no other list), paging (the next "
    "page of a list), typing (a text on its way to the next). An empty list: none.",
    default=["same", "paging", "typing"],
    allowed=RULES,
    many=True,
)
"""The option of formats whose log may have one query several times; a format may have another default."""
SAID = {"same": "queries sent again", "paging": "further pages of a list", "typing": "queries on their way to the next"}
"""What merged queries are called in accounts and notes."""
TYPED_WITHIN = 5.0
"""Seconds within which a longer text has to follow to count as typed on."""
MERGED_BY, HEAD = "__merged_by", "__head"
NTH, RUN, SIZE = "__nth", "__run", "list_size"
"""Of a query: its place, the number of its run of equal texts, and how many results its list has where all are logged."""


@dataclass(frozen=True)
class Merged:
    """Queries after merging.

    Parameters
    ----------
    queries
        One row per query that is left: of queries sent again or paged the first, of typed ones the last.
    heads
        A row per query of the log: `key` of it, and ``kept``, that of the one it went into (its own where it stayed). Results
        of a further page and clicks go along; the list of a query sent again is the one already there.
    counts
        How many queries were merged, by rule; rules that merged none are absent.
    """

    queries: pl.LazyFrame
    heads: pl.LazyFrame
    counts: dict[str, int]

    def tallies(self, source: str) -> dict[tuple[str, str], int]:
        """Return the counts as :class:`~sessionkit.readers.records.Taken` wants them in ``merged``."""
        return {(source, SAID[rule]): many for rule, many in self.counts.items()}


def told(counts: Mapping[str, int]) -> list[str]:
    """Return what is to be said of merged queries."""
    if not counts:
        return []
    said = ", ".join(f"{many:,} {SAID[rule]}" for rule, many in counts.items())
    return [
        f"queries: {counted(sum(counts.values()), 'query')} merged into others ({said}); merge_queries turns this off"
    ]


def merge_queries(
    queries: pl.LazyFrame, key: str, rules: Sequence[str] = RULES, *, lists: pl.LazyFrame | None = None
) -> Merged:
    """Merge queries of one session that follow one another.

    Parameters
    ----------
    queries
        ``session_id``, ``query_text`` and `key`, in the order asked; for ``paging`` ``first_rank`` and ``last_rank`` of the
        list, for ``typing`` ``issued_at`` (a datetime, or seconds) and ``clicks`` (of the query). A rule whose columns are
        not there merges nothing. ``list_size`` is the length of a list that is logged as a whole, 0 of an empty one, else null.
    key
        The column that tells queries apart; its values are distinct and not null.
    rules
        Those to merge by, of :data:`RULES`.
    lists
        `key`, ``rank`` and ``doc_id`` of the results. Queries whose lists differ are not merged by ``same`` or ``paging``;
        those of which one has no list are.

    Examples
    --------
    >>> asked = pl.LazyFrame({"session_id": "s", "query_id": [1, 2, 3], "query_text": ["cat", "cat ", "cats"]})
    >>> merged = merge_queries(asked, "query_id")
    >>> merged.queries.collect()["query_id"].to_list(), merged.counts
    ([1, 3], {'same': 1})
    >>> merged.heads.collect().rows()
    [(1, 1), (2, 1), (3, 3)]
    """
    stays = pl.col(MERGED_BY).is_null()
    head = pl.when(stays).then(pl.col(key)).forward_fill().alias(HEAD)
    marked = _again(queries, key, rules, lists).with_columns(head).collect().lazy()
    if "typing" not in rules or not {"issued_at", "clicks"} <= set(queries.collect_schema()):
        return Merged(marked.filter(stays).drop(MERGED_BY, HEAD), marked.select(key, kept=HEAD), _counted(marked))
    typed = _typed(marked)
    kept = pl.when(stays).then(pl.col(HEAD)).backward_fill().alias("kept")
    onto = typed.select(HEAD, MERGED_BY, kept)
    heads = marked.select(key, HEAD).join(onto.select(HEAD, "kept"), on=HEAD, how="left", maintain_order="left")
    left = queries.join(onto.filter(stays).select(pl.col(HEAD).alias(key)), on=key, how="semi")
    return Merged(left, heads.select(key, "kept"), _counted(marked, typed))


def _counted(*marked: pl.LazyFrame) -> dict[str, int]:
    """Return how many queries each rule merged, those that merged none left out."""
    rules = pl.concat([frame.group_by(MERGED_BY).len() for frame in marked]).drop_nulls().collect()
    counted = dict(rules.rows())
    return {rule: counted[rule] for rule in RULES if rule in counted}


def _again(queries: pl.LazyFrame, key: str, rules: Sequence[str], lists: pl.LazyFrame | None) -> pl.LazyFrame:
    """Return the queries with the rule, same or paging, by which one is the query before it."""
    text = pl.col("query_text").str.strip_chars()
    alike = (pl.col("session_id") == pl.col("session_id").shift(1)) & (text == text.shift(1)) & (text != "")
    repeated = alike.fill_null(value=False)
    pages = pl.lit(value=False)
    if {"first_rank", "last_rank"} <= set(queries.collect_schema()):
        pages = repeated & (pl.col("first_rank") == pl.col("last_rank").shift(1) + 1).fill_null(value=False)
    by_rule = {"same": repeated & ~pages, "paging": pages}
    rule = pl.coalesce(
        pl.lit(None, dtype=pl.String), *(pl.when(by_rule[name]).then(pl.lit(name)) for name in by_rule if name in rules)
    )
    marked = queries.with_columns(rule.alias(MERGED_BY))
    if lists is None:
        return marked
    runs = marked.with_row_index(NTH).with_columns((~repeated).cum_sum().alias(RUN)).collect()
    differing = _differing_lists(runs, key, lists)
    differs = pl.col(key).is_in(differing.implode())
    return runs.lazy().with_columns(pl.when(~differs).then(MERGED_BY).alias(MERGED_BY)).drop(NTH, RUN)


def _differing_lists(runs: pl.DataFrame, key: str, lists: pl.LazyFrame) -> pl.Series:
    """Return the keys of queries whose list is another than those before it in its RUN.

    Lists differ where they have different documents at one rank, where one is empty and the other is not, or where both are
    logged as a whole and have different lengths. A query without a list is compared with none.
    """
    repeated = runs.filter(pl.len().over(RUN) > 1)
    rows = repeated.lazy().select(key, NTH, RUN).join(lists.select(key, "rank", "doc_id"), on=key).drop_nulls()
    rows = rows.unique([key, "rank"], keep="first", maintain_order=True).sort(RUN, "rank", NTH)
    before = pl.col("doc_id").shift(1).over(RUN, "rank")
    placed = rows.with_columns((pl.col("doc_id") != before).alias("differs")).collect()
    size = pl.col(SIZE) if SIZE in runs.columns else pl.lit(None, dtype=pl.Int64)
    whole = pl.when(pl.col(MERGED_BY).ne_missing("paging")).then(size)  # a further page may be shorter than the first
    fills = pl.when(size == 0).then(False).when(pl.col(key).is_in(placed[key].unique().implode())).then(True)
    sized = repeated.select(key, RUN, whole.alias("whole"), fills.alias("fills"))
    others = pl.any_horizontal(
        (pl.col(name) != pl.col(name).forward_fill().shift(1).over(RUN)).fill_null(value=False)
        for name in ("whole", "fills")
    )
    return pl.concat([placed.filter("differs")[key], sized.filter(others)[key]]).unique()


def _typed(marked: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row per query so far, by its HEAD, with the rule typing where it is on its way to the next."""
    there = marked.collect_schema()
    asked = marked.group_by(HEAD, maintain_order=True).agg(
        pl.col("session_id").first(),
        pl.col("query_text").first().str.strip_chars(),
        pl.col("issued_at").last(),
        began=pl.col("issued_at").first(),
        clicks=pl.col("clicks").sum(),
    )
    text, longer = pl.col("query_text"), pl.col("query_text").shift(-1)
    pause = pl.col("began").shift(-1) - pl.col("issued_at")
    passed = pause.dt.total_microseconds() / 1e6 if there["issued_at"].is_temporal() else pause
    onwards = (pl.col("session_id") == pl.col("session_id").shift(-1)) & (text != "")
    onwards &= longer.str.starts_with(text) & (longer != text)
    typed = (onwards & passed.is_between(0, TYPED_WITHIN) & (pl.col("clicks") == 0)).fill_null(value=False)
    return asked.select(HEAD, pl.when(typed).then(pl.lit("typing")).alias(MERGED_BY))
