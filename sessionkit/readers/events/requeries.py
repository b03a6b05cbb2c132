"""Queries that are one query to the searcher though the log has several: sent again, paged, or typed letter by letter.

Each is merged by a rule that can be turned off, and counted under its rule. Rows have to stand in the order in which they
were asked, those of a session together.

``same``
    the same text as the query before, and no sign of paging;
``paging``
    the same text, with ranks that go on where those of the query before ended;
``typing``
    a text that begins the next one, which followed within a few seconds, and no click in between: search as you type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.display.words import counted
from sessionkit.readers.entries import Option

RULES = ("same", "paging", "typing")
MERGE_QUERIES = Option(
    "Which queries are merged into one: same (sent again), paging (the next page of a list), typing (a text on its way to "
    "the next). An empty list: none.",
    default=["same", "paging", "typing"],
    allowed=RULES,
    many=True,
)
"""The option of formats whose log may have one query several times; a format may have another default."""
SAID = {"same": "queries sent again", "paging": "further pages of a list", "typing": "queries on their way to the next"}
"""What merged queries are called in accounts and notes."""
TYPED_WITHIN = 5.0
"""Seconds within which a longer text has to follow to count as typed on."""
RULE, HEAD, TEXT = "__merged_by", "__head", "__stripped"


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


def merge_queries(queries: pl.LazyFrame, key: str, rules: Sequence[str] = RULES) -> Merged:
    """Merge queries of one session that follow one another.

    Parameters
    ----------
    queries
        ``session_id``, ``query_text`` and `key`, in the order asked; for ``paging`` ``first_rank`` and ``last_rank`` of the
        list, for ``typing`` ``issued_at`` (a datetime, or seconds) and ``clicks`` (of the query). A rule whose columns are
        not there merges nothing.
    key
        The column that tells queries apart; its values are distinct and not null.
    rules
        Those to merge by, of :data:`RULES`.

    Examples
    --------
    >>> asked = pl.LazyFrame({"session_id": "s", "query_id": [1, 2, 3], "query_text": ["cat", "cat ", "cats"]})
    >>> merged = merge_queries(asked, "query_id")
    >>> merged.queries.collect()["query_id"].to_list(), merged.counts
    ([1, 3], {'same': 1})
    >>> merged.heads.collect().rows()
    [(1, 1), (2, 1), (3, 3)]
    """
    stays = pl.col(RULE).is_null()
    head = pl.when(stays).then(pl.col(key)).forward_fill().alias(HEAD)
    marked = _again(queries, rules).with_columns(head).collect().lazy()
    if "typing" not in rules or not {"issued_at", "clicks"} <= set(queries.collect_schema()):
        return Merged(marked.filter(stays).drop(RULE, HEAD), marked.select(key, kept=HEAD), _counted(marked))
    typed = _typed(marked)
    kept = pl.when(stays).then(pl.col(HEAD)).backward_fill().alias("kept")
    onto = typed.select(HEAD, RULE, kept)
    heads = marked.select(key, HEAD).join(onto.select(HEAD, "kept"), on=HEAD, how="left", maintain_order="left")
    left = queries.join(onto.filter(stays).select(pl.col(HEAD).alias(key)), on=key, how="semi")
    return Merged(left, heads.select(key, "kept"), _counted(marked, typed))


def _counted(*marked: pl.LazyFrame) -> dict[str, int]:
    """Return how many queries each rule merged, those that merged none left out."""
    rules = pl.concat([frame.group_by(RULE).len() for frame in marked]).drop_nulls().collect()
    counted = dict(rules.rows())
    return {rule: counted[rule] for rule in RULES if rule in counted}


def _again(queries: pl.LazyFrame, rules: Sequence[str]) -> pl.LazyFrame:
    """Return the queries with the rule, same or paging, by which one is the query before it."""
    text = pl.col(TEXT)
    alike = pl.col("session_id") == pl.col("session_id").shift(1)
    repeated = (alike & (text == text.shift(1)) & (text != "")).fill_null(value=False)
    pages = pl.lit(value=False)
    if {"first_rank", "last_rank"} <= set(queries.collect_schema()):
        pages = repeated & (pl.col("first_rank") == pl.col("last_rank").shift(1) + 1).fill_null(value=False)
    rule = pl.lit(None, dtype=pl.String)
    if "same" in rules:
        rule = pl.when(repeated & ~pages).then(pl.lit("same")).otherwise(rule)
    if "paging" in rules:
        rule = pl.when(pages).then(pl.lit("paging")).otherwise(rule)
    stripped = queries.with_columns(pl.col("query_text").str.strip_chars().alias(TEXT))
    return stripped.with_columns(rule.alias(RULE)).drop(TEXT)


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
    return asked.select(HEAD, pl.when(typed).then(pl.lit("typing")).alias(RULE))
