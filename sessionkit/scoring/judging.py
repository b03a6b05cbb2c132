"""Which results count and what each gains: the results of a block become rows with a rank, a query position and a gain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from sessionkit.errors import DataError
from sessionkit.scoring.blocks import Block
from sessionkit.scoring.gains import check_grades, gain_expr
from sessionkit.scoring.judged import gain_name
from sessionkit.scoring.measures import GainMeasure
from sessionkit.scoring.measures.measure import Measure
from sessionkit.study.places import counts, sums

SEEN = {"all": None, "last_click": "clicked", "examined": "examined"}
"""The column of results that says how deep the searcher looked."""


@dataclass(frozen=True)
class Selection:
    """The choices that decide which results count; measures that agree on them share one pass."""

    cutoff: int | None = None
    depth: str = "all"
    duplicates: str = "all"
    unjudged: str = "zero"
    grades: str = "judgments"
    queries: int | None = None

    @classmethod
    def of(cls, measure: GainMeasure) -> Selection:
        """The selection that a measure makes."""
        return cls(measure.cutoff, measure.depth, measure.duplicates, measure.unjudged, measure.grades, measure.queries)


def columns_read(have: Mapping[str, Sequence[str]], measures: Iterable[Measure]) -> dict[str, list[str]]:
    """What measures read of each table beside what every block is made of.

    Parameters
    ----------
    have
        The columns that queries and results have.

    Raises
    ------
    DataError
        If a measure needs a column that is not there.
    """
    read: dict[str, None] = {}
    for measure in measures:
        selection = Selection.of(measure.inner)
        wants = {f"depth={selection.depth}": SEEN[selection.depth]}
        if selection.grades == "user":
            wants["grades=user"] = "user_grade"
        for wanted_by, column in wants.items():
            if column is not None and column not in have["results"]:
                msg = f"{wanted_by} needs the column {column!r} in the results; they have {', '.join(have['results'])}"
                raise DataError(msg)
            if column is not None:
                read[column] = None
        if selection.grades == "user" or (selection.duplicates == "first" and "judgment_key" in have["queries"]):
            read["doc_id"] = None
    return {"results": [*read]}


def units(block: Block, selection: Selection) -> pl.DataFrame:
    """The queries that count: ``query``, ``session``, ``query_position``, ``key`` (null where nothing is judged for it),
    in order; lists that were never logged are outside.
    """
    queries = block.queries.filter("logged")
    if selection.queries is not None:
        queries = queries.filter(pl.col("query_position") <= selection.queries)
    if selection.grades == "user":
        own = _graded_sessions(block).gather(queries["session"])
        queries = queries.with_columns(key=own)
    return queries.select("query", "session", "query_position", "key")


def session_keys(block: Block, selection: Selection) -> pl.DataFrame:
    """Every session with the key of its judgments: ``session``, ``key``."""
    if selection.grades == "user":
        return block.sessions.select("session", key=_graded_sessions(block))
    return block.sessions.select("session", "key")


def shown(block: Block, selection: Selection) -> pl.DataFrame:
    """The results that the searcher is taken to have seen, by the ranks as shown; the cutoff is not applied yet."""
    rows = block.results
    if selection.queries is not None:
        early = block.queries["query_position"] <= selection.queries
        rows = rows.filter(early.gather(rows["query"]))
    seen = SEEN[selection.depth]
    if seen is None:
        return rows
    deepest = rows.filter(seen).group_by("query").agg(deepest=pl.col("rank").max())
    return rows.join(deepest, on="query", maintain_order="left").filter(pl.col("rank") <= pl.col("deepest"))


def counted_rows(block: Block, selection: Selection, *, every: bool = False) -> pl.DataFrame:
    """The results that count, within the cutoff, in the order shown: the columns of the block's results.

    Ranks are closed up where unjudged results are removed. Unjudged results that remain are left out where they decide
    nothing, unless ``every`` one is asked for.
    """
    within = pl.lit(value=True) if selection.cutoff is None else pl.col("rank") <= selection.cutoff
    rows = shown(block, selection)
    judged = is_judged(block, selection)
    if selection.unjudged == "skip":
        above = (~judged).cum_sum().cast(pl.Int32)
        # unjudged results above in the same list: those above in the block, less those before the list
        before = pl.when(pl.col("query") != pl.col("query").shift(1)).then(above - (~judged).cast(pl.Int32))
        closed = pl.col("rank") - (above - before.forward_fill().fill_null(0))
        rows = rows.with_columns(closed.alias("rank"), judged.alias("__judged"))
        return rows.filter(pl.col("__judged"), within).drop("__judged")
    # a document that is judged whenever it is shown, or never, can go at once if it is not
    if every or _by_text(block, selection):
        return rows.filter(within)
    return rows.filter(judged, within)


def is_judged(block: Block, selection: Selection) -> pl.Expr:
    """Whether a result of the block has a grade."""
    if selection.grades == "user":
        return pl.col("user_grade").is_not_null()
    if block.judged.grade.null_count():
        return pl.lit(block.judged.grade.is_not_null()).gather(pl.col("judgment")).fill_null(value=False)
    return pl.col("judgment").is_not_null()


def gained_rows(
    block: Block, selection: Selection, measures: list[GainMeasure], rows: pl.DataFrame, *, relevant: bool = False
) -> pl.DataFrame:
    """Give results that count (see `counted_rows`) what they gain under some measures.

    Parameters
    ----------
    relevant
        Only those that gain something under one of them.

    Returns
    -------
    polars.DataFrame
        ``query``, ``session``, ``query_position``, ``rank``, ``judgment``, ``grade`` (null where unjudged), a column of
        gains per `gain_name` and what else the rows had.
    """
    names = {gain_name(measure): measure for measure in measures}
    if selection.grades == "user":
        rows = rows.with_columns(grade=pl.col("user_grade").cast(pl.Float64))
        distinct = rows.select(pl.col("grade").drop_nulls().unique())
        for measure in names.values():
            check_grades(distinct, measure.gain, measure.min_grade, block.base("user").whose)
        grade = pl.col("grade")
        gains = {name: gain_expr(grade, measure.gain, measure.min_grade) for name, measure in names.items()}
        rows = rows.with_columns(**gains)
    else:
        gained = {name: block.judged.gain(measure).gather(rows["judgment"]) for name, measure in names.items()}
        rows = rows.with_columns(**gained).with_columns(pl.col(name).fill_null(0.0) for name in names)
    repeats = selection.duplicates == "first" or block.repeats
    if relevant and not (repeats and _by_text(block, selection)):
        rows = rows.filter(pl.any_horizontal(pl.col(name) > 0 for name in names))
    query = rows["query"]
    rows = rows.with_columns(session=block.queries["session"].gather(query))
    if repeats:
        again = ~_shown_first(block, rows, selection)
        rows = rows.with_columns(pl.when(again).then(0.0).otherwise(pl.col(name)).alias(name) for name in names)
    rows = rows.with_columns(query_position=block.queries["query_position"].gather(query))
    if selection.grades != "user" and not relevant:
        rows = rows.with_columns(grade=block.judged.grade.gather(rows["judgment"]))
    return rows


def judged_rows(
    block: Block, selection: Selection, measures: list[GainMeasure], *, every: bool = False
) -> pl.DataFrame:
    """Results that count and are judged (``every``: all that count), with what they gain; see `gained_rows`."""
    rows = gained_rows(block, selection, measures, counted_rows(block, selection, every=every))
    return rows if every else rows.filter(pl.col("grade").is_not_null())


def _by_text(block: Block, selection: Selection) -> bool:
    """Whether documents are told apart by their ids, since the number of a judgment depends on the query too."""
    return selection.grades == "user" or (block.own_keys and selection.duplicates == "first")


def _shown_first(block: Block, rows: pl.DataFrame, selection: Selection) -> pl.Series:
    """Whether a row is the first in its session or list, in the order in which rows were shown, with its document."""
    within = "session" if selection.duplicates == "first" else "query"
    if _by_text(block, selection):
        return rows.select(pl.struct(within, "doc_id").is_first_distinct()).to_series()
    packed = pl.col(within).cast(pl.UInt64) * 2**32 + pl.col("judgment").cast(pl.UInt64)
    return rows.select(packed.is_first_distinct()).to_series()


def unit_of(block: Block, rows: pl.DataFrame, by: str) -> pl.Series:
    """Number of the session or query of each result of the block."""
    return rows["query"] if by == "query" else block.queries["session"].gather(rows["query"])


def results_shown(block: Block, selection: Selection, by: str) -> pl.Series:
    """Number of results shown within the cutoff, for every session or query of the block, in order."""
    many = len(block.sessions if by == "session" else block.queries)
    if selection.depth == "all" and not block.gaps:
        length = pl.col("length").cast(pl.Int64)
        if selection.cutoff is not None:
            length = pl.min_horizontal(length, pl.lit(selection.cutoff, pl.Int64))
        if selection.queries is not None:
            length = pl.when(pl.col("query_position") <= selection.queries).then(length).otherwise(0)
        queries = block.queries.select(by, results=length)
        return queries["results"] if by == "query" else sums(queries["results"], queries[by], many)
    return counts(unit_of(block, _within(shown(block, selection), selection), by), many).cast(pl.Int64)


def judged_shown(block: Block, selection: Selection, by: str) -> pl.Series:
    """Number of judged results shown within the cutoff, for every session or query of the block, in order.

    Unjudged results that a measure removes count here in the places where they were shown.
    """
    as_shown = replace(selection, unjudged="zero", duplicates="all")
    rows = _within(shown(block, as_shown), as_shown).filter(is_judged(block, as_shown))
    return counts(unit_of(block, rows, by), len(block.sessions if by == "session" else block.queries)).cast(pl.Int64)


def _within(rows: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """The rows within the cutoff."""
    return rows if selection.cutoff is None else rows.filter(pl.col("rank") <= selection.cutoff)


def sessions_with_judgments(block: Block, selection: Selection) -> pl.Series:
    """For every session whether the key of any of its queries (its own, if it has none that counts) has judgments."""
    own = session_keys(block, selection)["key"].is_not_null()
    if selection.grades == "user" or not block.own_keys:
        return own
    queries = units(block, selection).group_by("session").agg(any=pl.col("key").is_not_null().any())
    found = block.sessions.select("session", own=own).join(queries, on="session", how="left", maintain_order="left")
    return found.select(pl.coalesce("any", "own")).to_series()


def _graded_sessions(block: Block) -> pl.Series:
    """Number of every session that graded something itself, as its key; null for others."""
    graded = block.base("user").pairs.pairs["key"].unique()
    session = block.sessions["session"]
    return pl.select(pl.when(session.is_in(graded.implode())).then(session)).to_series().alias("key")
