"""What every row must have: the session, the position of the query and the rank, or the user; and what is asked of them."""

from __future__ import annotations

from sessionkit.readers.proposing.contents import Column
from sessionkit.readers.proposing.keys import share
from sessionkit.readers.proposing.lists import Layout
from sessionkit.readers.proposing.matching import RIVAL, Match
from sessionkit.readers.proposing.naming import likeness
from sessionkit.readers.proposing.spelling import quoted
from sessionkit.showing.words import counted, listed

COUNTING = ("query_position", "rank")


def lay_out(match: Match, log: dict[str, Match]) -> None:
    """Let columns feed what every row of a table must have; `log` are the tables that have been laid out before."""
    layout = match.part.layout
    if layout is None:
        _choose_key(match, log)
        return
    match.columns |= {"session_id": layout.session, "query_position": layout.position}
    if layout.rank is not None:
        match.columns["rank"] = layout.rank
        _find_empty_lists(match, match.part.columns[layout.rank])
    bases = {ours: 0 for ours in COUNTING if ours in match.columns and _least(match, ours) == 0}
    if bases:
        match.options["base"] = bases
        zeros = listed([quoted(match.columns[ours]) for ours in bases])
        match.ask(
            "base", f"the least number in {zeros} is 0, so 1 is added to all. Is it counted from 0? If not, say 1"
        )
    _ask_of_layout(match, layout)


def _choose_key(match: Match, log: dict[str, Match]) -> None:
    """Let the column feed the session, or the user, that has another value in every row and is shared with the log."""
    ours = "session_id" if match.table == "sessions" else "user_id"
    known = next((other.column(ours) for other in log.values() if ours in other.columns), None)

    def worth(one: Column) -> float:
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


def _find_empty_lists(match: Match, rank: Column) -> None:
    """Take a text that stands in place of ranks for what means that a query returned nothing."""
    words = rank.texts.filter(rank.integers.is_null()).drop_nulls().str.strip_chars().value_counts(sort=True)
    if words.is_empty():
        return
    text, many = words.row(0)
    match.options["empty_list"] = text
    match.remark("empty_list", f"{counted(many, 'row')} with {quoted(text)} in place of a rank")
    if len(words) > 1:
        rest = listed([quoted(word) for word in words[words.columns[0]][1:4]])
        match.ask(
            "empty_list", f"in place of a rank there is also {rest}. Which means that the query returned nothing?"
        )


def _ask_of_layout(match: Match, layout: Layout) -> None:
    """Ask about columns that do not count all through the log, or have other names than usual."""
    if layout.gaps > 0:
        match.ask(
            "query_position",
            f"in {layout.gaps:.1%} of sessions {quoted(layout.position)} has gaps or starts above 1. Were queries left out?",
        )
    if layout.twice > 0:
        match.ask(
            "rank",
            f"in {layout.twice:.1%} of lists a rank comes twice; all rows but the first are rejected. What are they?",
        )
    for ours in ("session_id", *COUNTING):
        column = match.column(ours)
        if column is not None and not _is_usual(match, ours, column.name):
            called = quoted(column.name) if match.part.sample.named else f"column {column.name}"
            match.ask(ours, f"{called} is taken for {ours} by its values ({_first(column)}). Is it?")
        rivals = [quoted(one.name) for one in match.unused if _is_rival(match, one, ours)] if column is not None else []
        if rivals and column is not None:
            match.ask(
                ours, f"{quoted(column.name)} is taken for {ours}; {listed(rivals)} could be it as well. Which is it?"
            )


def _is_rival(match: Match, one: Column, ours: str) -> bool:
    """Return whether another column has a usual name of ours, and values that could be it."""
    if not match.part.sample.named or likeness(one.name, ours) < RIVAL or one.distinct < 2:
        return False
    return one.counts if ours in COUNTING else one.names_things


def _is_usual(match: Match, ours: str, name: str) -> bool:
    """Return whether a column has a usual name of ours."""
    if not match.part.sample.named:
        return False
    return bool(likeness(name, ours) or (match.table == "queries" and likeness(name, "rank")))


def _first(column: Column) -> str:
    """Return the first values of a column."""
    return ", ".join(quoted(text) for text in column.given.unique(maintain_order=True)[:3])
