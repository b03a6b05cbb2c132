"""What judgments belong to: which column of the log has their keys, a session, a topic, the text or the id of a query.

Tried is the share of shown results that are judged if a column is the key: where sessions and topics are both numbered
from 1, their ids alone do not tell them apart, their documents do.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.display.words import listed
from sessionkit.readers.entries import TEXT
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.keys import judged_shares, share
from sessionkit.readers.propose.match import Match, fits, is_steady
from sessionkit.readers.propose.toml import quoted

KEYS = ("judgment_key", "topic_id", "session_id", "query_text", "query_id")
"""What judgments may belong to."""
CLOSE = 0.1
"""Shares of judged results that are so near to each other leave it open which key is meant."""
WORDY = 0.3
"""The share of values with blanks in them by which a column without name is one of texts."""


@dataclass(frozen=True)
class Hold:
    """A column of the log that may be what judgments belong to."""

    match: Match
    column: SampleColumn


@dataclass(frozen=True)
class Trial:
    """A column of the judgments and one of the log, with the share of results judged by them and how alike their names are."""

    judged: float
    alike: float
    key: SampleColumn
    hold: Hold


def choose_key(match: Match, keys: list[SampleColumn], doc: SampleColumn, log: dict[str, Match]) -> SampleColumn:
    """Return the judgments' column of the key, and let the log's column that it is feed what says so."""
    where = "format" if "format" in match.options else "judgment_key"
    tried = _tried(keys, doc, log)
    if not tried or (tried[0].judged == 0 and "results" in log and not tried[0].alike):
        if log:
            match.ask(
                where, "no key of the judgments was found in the log. Do they belong to topics, sessions or queries?"
            )
        return max(keys, key=lambda one: max(likeness(one.name, ours) for ours in KEYS))
    best = tried[0]
    _feed(match, best.hold, log)
    rivals = [
        quoted(one.hold.column.name)
        for one in tried[1:]
        if one.judged >= best.judged - CLOSE and one.hold.column is not best.hold.column and one.alike >= LIKELY
    ]
    if rivals:
        match.ask(
            where,
            f"keys of the judgments are taken for {quoted(best.hold.column.name)} of the log ({best.judged:.0%} of results are "
            f"judged by it); {listed(list(dict.fromkeys(rivals))[:3])} would also fit. Which is it?",
        )
    return best.key


def _tried(keys: list[SampleColumn], doc: SampleColumn, log: dict[str, Match]) -> list[Trial]:
    """Return every pair of columns that share values, the best first."""
    tried = []
    for key in keys:
        near = [hold for hold in _holds(log) if share(key.given, hold.column.given) > 0]
        for judged, hold in zip(_judged_by(near, log.get("results"), key, doc), near, strict=True):
            usual = max(likeness(hold.column.name, ours) for ours in KEYS)
            tried.append(Trial(judged, usual + (key.name == hold.column.name), key, hold))
    return sorted(tried, key=lambda one: -(one.judged + 0.1 * one.alike))


def _holds(log: dict[str, Match]) -> list[Hold]:
    """Return the columns of the log that may be what judgments belong to, each once, from the parents down."""
    found: dict[str, Hold] = {}
    sessions = False
    for match in [log[name] for name in ("sessions", "queries", "results") if name in log]:
        others = {match.columns.get(ours) for ours in ("doc_id", "rank", "query_position")}
        for one in match.part.columns.values():
            is_session = one.name == match.columns.get("session_id")
            if one.name in others or not (one.names_things or is_session) or (is_session and sessions):
                continue
            found.setdefault(one.name, Hold(match, one))
        sessions = True
    return list(found.values())


def _judged_by(holds: list[Hold], results: Match | None, key: SampleColumn, doc: SampleColumn) -> list[float]:
    """Return, for each of these columns, the share of results that are judged where it is the key."""
    if results is None:
        return [share(key.given, hold.column.given) for hold in holds]
    shown = results.part.sample.texts.select(
        pl.col(results.columns["session_id"]).alias("s"),
        pl.col(results.columns["query_position"]).alias("p"),
        pl.col(results.columns["doc_id"]).alias("d"),
        *[pl.col(hold.column.name).alias(f"k{at}") for at, hold in enumerate(holds) if hold.match is results],
    ).filter(pl.col("d").is_not_null())
    for at, hold in enumerate(holds):
        if hold.match is results:
            continue
        on = {"s": "session_id", "p": "query_position"} if hold.match.table == "queries" else {"s": "session_id"}
        own = hold.match.part.sample.texts.select(
            *[pl.col(hold.match.columns[ours]).alias(short) for short, ours in on.items()],
            pl.col(hold.column.name).alias(f"k{at}"),
        ).unique(list(on), keep="first")
        shown = shown.join(own, on=list(on), how="left")
    judged = pl.DataFrame({"key": key.texts, "doc": doc.texts})
    found = judged_shares(shown, "d", {str(at): f"k{at}" for at in range(len(holds))}, judged)
    return [found[str(at)] for at in range(len(holds))]


def _feed(match: Match, hold: Hold, log: dict[str, Match]) -> None:
    """Let the log's column that judgments belong to feed what says so."""
    name, home = hold.column.name, hold.match
    if name == home.columns.get("session_id"):
        target = log.get("sessions") or log.get("queries") or home
        target.columns["judgment_key"] = target.columns["session_id"]
        target.remark("judgment_key", "judgments are made for each session")
    elif _is_text(hold):
        home.columns["query_text"] = name
        match.options["keys"] = TEXT
        match.remark("keys", f"keys of the judgments are texts of {quoted(name)}")
    elif (
        "topic_id" in home.fields and is_steady(home, hold.column, "topic_id") and not _is_called_otherwise(home, name)
    ):
        home.columns["topic_id"] = name
        home.remark("topic_id", "judgments are made for each of these")
        if not home.part.sample.named or not likeness(name, "topic_id"):
            home.ask("topic_id", "the judgments belong to it, so it is taken for what the session was about. Is it?")
    else:
        home.columns["judgment_key"] = name
        ours = max((one for one in home.fields if one != "judgment_key"), key=lambda one: likeness(name, one))
        if ours not in home.columns and likeness(name, ours) >= LIKELY and fits(home, hold.column, ours):
            home.columns[ours] = name
        home.remark("judgment_key", "keys of the judgments are its values")


def _is_text(hold: Hold) -> bool:
    """Return whether a column has texts of queries: it is called so, or has no name and blanks within."""
    name = hold.column.name
    if hold.match.part.sample.named:
        return likeness(name, "query_text") > max(likeness(name, "query_id"), likeness(name, "topic_id"))
    return hold.column.share_matching(r"\S\s+\S") > WORDY


def _is_called_otherwise(home: Match, name: str) -> bool:
    """Return whether a column is called something else, or another one is called a topic."""
    like = likeness(name, "topic_id")
    others = [ours for ours in home.fields if ours != "topic_id" and likeness(name, ours) > like]
    rivals = [one for one in home.part.columns if likeness(one, "topic_id") > like]
    return home.part.sample.named and bool(others or (rivals and not like))
