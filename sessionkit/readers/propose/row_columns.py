"""What every row must have: the session, the position of the query and the rank, or the user; and what is asked of them."""

from __future__ import annotations

import re

import polars as pl

from sessionkit.display.words import counted, listed
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.keys import share
from sessionkit.readers.propose.lists import ListColumns
from sessionkit.readers.propose.match import Match
from sessionkit.readers.propose.toml import quoted

COUNTING = ("query_position", "rank")
FEW = 3
"""So many texts at most in place of documents are taken for words and not for ids."""
NOTHING = re.compile(r"\b(no|zero|0)[\W_]*(result|hit|doc|match)|empty|nothing", re.I)
"""Texts in place of a rank that say of themselves that the query returned nothing."""


def lay_out(match: Match, log: dict[str, Match]) -> None:
    """Let columns feed what every row of a table must have; `log` are the tables that have been laid out before."""
    layout = match.part.layout
    if layout is None:
        _choose_key(match, log)
        return
    match.columns |= {"session_id": layout.session, "query_position": layout.position}
    if layout.rank is not None:
        match.columns["rank"] = layout.rank
        _find_empty_lists(match, layout)
    bases = {ours: 0 for ours in COUNTING if ours in match.columns and _least(match, ours) == 0}
    if bases:
        match.options["base"] = bases
        zeros = listed([match.called(match.part.columns[match.columns[ours]]) for ours in bases])
        match.ask(
            "base", f"the least number in {zeros} is 0, so 1 is added to all. Is it counted from 0? If not, say 1"
        )
    _ask_of_layout(match, layout)


def _choose_key(match: Match, log: dict[str, Match]) -> None:
    """Let the column feed the session, or the user, that has another value in every row and is shared with the log."""
    ours = "session_id" if match.table == "sessions" else "user_id"
    known = next((other.column(ours) for other in log.values() if ours in other.columns), None)

    def worth(one: SampleColumn) -> float:
        like = likeness(one.name, ours) if match.part.sample.named else 0.0
        return like + (share(known.given, one.given) if known is not None else 0.0)

    best = max((one for one in match.part.columns.values() if one.is_key), key=worth)
    match.columns[ours] = best.name
    if known is not None and not share(known.given, best.given):
        match.ask(ours, f"no {ours} of the log is in {match.part.name}. Is {quoted(best.name)} the right column?")
    elif not match.part.sample.named:
        match.ask(ours, f"column {best.name} is taken for {ours} by its values ({_first(best)}). Is it?")


def _least(match: Match, ours: str) -> object:
    """Return the least number in a column that counts."""
    column = match.column(ours)
    return None if column is None else column.integers.min()


def _find_empty_lists(match: Match, layout: ListColumns) -> None:
    """Take a text that stands in place of ranks, in lists that have none, for what means that a query returned nothing."""
    columns = match.part.columns
    rank = columns[layout.rank or ""]
    rows = pl.DataFrame(
        {
            "s": columns[layout.session].texts,
            "p": columns[layout.position].texts,
            "rank": rank.integers,
            "text": rank.texts,
        }
    )
    words = (
        rows.filter(pl.col("rank").is_null().all().over("s", "p") & pl.col("text").is_not_null())
        .group_by(pl.col("text").str.strip_chars(), maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
    )
    if words.is_empty():
        return
    text, many = words.row(0)
    match.options["empty_list"] = text
    said = f"{counted(many, 'row')} with {quoted(text)} in place of a rank"
    if NOTHING.search(text):
        match.remark("empty_list", said)
    else:
        match.ask("empty_list", f"{said}. Did the query return nothing? If not, remove this line")
    if len(words) > 1:
        rest = listed([quoted(word) for word in words["text"][1:4]])
        match.ask(
            "empty_list", f"in place of a rank there is also {rest}. Which means that the query returned nothing?"
        )


def find_unranked_lists(match: Match) -> None:
    """Take what stands for a document in lists without any rank for what means that a query returned nothing.

    Words that say so are taken, and others where they are few and no document of a ranked list; so is that nothing stands there.
    """
    rank, doc = match.column("rank"), match.column("doc_id")
    if rank is None or doc is None or "empty_list" in match.options:
        return
    texts = {"s": match.columns["session_id"], "p": match.columns["query_position"], "rank": rank.name, "doc": doc.name}
    rows = match.part.sample.texts.select(pl.col(name).str.strip_chars().alias(ours) for ours, name in texts.items())
    without = rows.filter(pl.col("rank").is_null().all().over("s", "p"), pl.col("s").is_not_null())
    ranked = rows.filter(pl.col("rank").is_not_null())["doc"].drop_nulls().unique()
    found = without["doc"].drop_nulls().value_counts(sort=True).sort("count", "doc", descending=[True, False])
    words = [text for text in found["doc"] if NOTHING.search(text)] or (
        found["doc"].to_list() if len(found) <= FEW and not found["doc"].is_in(ranked.implode()).any() else []
    )
    if words:
        many = found.row(by_predicate=pl.col("doc") == words[0])[1]
        said = f"{counted(many, 'row')} without a rank and with {quoted(words[0])} as document"
        rest = [*(quoted(word) for word in words[1:FEW]), *(["nothing"] if without["doc"].null_count() else [])]
    elif without["doc"].null_count():
        said, rest = f"{counted(without['doc'].null_count(), 'row')} with neither rank nor document", []
    else:
        return
    match.options["empty_list"] = words[0] if words else ""
    if words and NOTHING.search(words[0]):
        match.remark("empty_list", said)
    else:
        match.ask("empty_list", f"{said}. Did the query return nothing? If not, remove this line")
    if rest:
        match.ask(
            "empty_list",
            f'without a rank there is also {listed(rest)}. empty_list = "" says that every row without a rank is an empty list. Is it?',
        )


def _ask_of_layout(match: Match, layout: ListColumns) -> None:
    """Ask about columns that do not count all through the log, or have other names than usual."""
    if layout.gaps > 0:
        many = (
            f"in {layout.gaps:.1%} of sessions {quoted(layout.position)} has gaps or starts above 1; queries that are missing are "
            "taken as not logged"
        )
        why = (
            "It continues from session to session: number queries from 1 in each"
            if _runs_on(match)
            else 'If they returned nothing, say missing_positions = "empty" below format'
        )
        match.ask("query_position", f"{many}. {why}")
    if layout.twice > 0:
        many = f"in {layout.twice:.1%} of lists a rank appears twice; all rows but the first are rejected"
        user = next((one for one in match.unused if likeness(one.name, "user_id") and _tells_apart(match, one)), None)
        why = "What are they?"
        if user is not None:
            why = f"Not so for each {quoted(user.name)}: if sessions are numbered from 1 for each, give them unique ids"
        match.ask("rank", f"{many}. {why}")
    for ours in ("session_id", *COUNTING):
        column = match.column(ours)
        if column is not None and not _is_usual(match, ours, column.name):
            match.ask(ours, f"{match.called(column)} is taken for {ours} by its values ({_first(column)}). Is it?")
        rivals = [quoted(one.name) for one in match.unused if _is_rival(match, one, ours)] if column is not None else []
        if rivals and column is not None:
            match.ask(
                ours, f"{quoted(column.name)} is taken for {ours}; {listed(rivals)} could be it as well. Which is it?"
            )


def _runs_on(match: Match) -> bool:
    """Return whether no two sessions have a query of the same number."""
    session, position = (match.part.columns[match.columns[ours]] for ours in ("session_id", "query_position"))
    pairs = pl.DataFrame({"s": session.texts, "p": position.integers}).drop_nulls().unique()
    return pairs["s"].n_unique() > 1 and pairs["p"].n_unique() == pairs.height


def _tells_apart(match: Match, one: SampleColumn) -> bool:
    """Return whether every rank comes once in a list, if a column is a part of the session's id."""
    rows = match.part.sample.texts.select(one.name, *(match.columns[ours] for ours in ("session_id", *COUNTING)))
    return not rows.drop_nulls().is_duplicated().any()


def _is_rival(match: Match, one: SampleColumn, ours: str) -> bool:
    """Return whether another column has a usual name of ours, and values that could be it."""
    if not match.part.sample.named or likeness(one.name, ours) < LIKELY or one.distinct < 2:
        return False
    return one.counts if ours in COUNTING else one.names_things


def _is_usual(match: Match, ours: str, name: str) -> bool:
    """Return whether a column has a usual name of ours."""
    if not match.part.sample.named:
        return False
    return bool(likeness(name, ours) or (match.table == "queries" and likeness(name, "rank")))


def _first(column: SampleColumn) -> str:
    """Return the first values of a column."""
    return ", ".join(quoted(text) for text in column.given.unique(maintain_order=True)[:3])
