"""What is unusual in the tables of a log though it breaks no rule: times, texts and ids that logs should not have.

Counted part by part of a large log, each part whole sessions, and told once for all of it; every sentence has a count and
the first session as an example. What is rejected, repeated or empty is counted elsewhere (``counts.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sessionkit.contract.key_rules import changes
from sessionkit.display.words import counted
from sessionkit.readers.checks.counts import NONE, Found
from sessionkit.readers.checks.notes import Notes
from sessionkit.readers.checks.source_checks import LIST

SESSION = "session_id"
TIMES = {"issued_at": "clicked_at", "elapsed_seconds": "click_elapsed_seconds"}
"""A time of queries, and that of clicks to hold against it."""


DAY = 86_400
"""Seconds between two queries beyond which they hardly are of one session."""
MANY = 100
"""Queries beyond which a session hardly is of a person."""
STEADY, SPREAD, QUICK = 10, 0.05, 1.0
"""Queries from which a rhythm shows; the spread of half of the pauses, as a share of their median, below which they are even; and
seconds below which their median is too short for a person."""


@dataclass(frozen=True)
class Check:
    """One thing to look for.

    Parameters
    ----------
    noun
        What is counted, such as ``"query"``.
    sentence
        What is said of so many of them.
    """

    noun: str
    sentence: str


CHECKS = {
    "backwards": Check("query", "issued earlier than the query before; sessions keep the order of their positions"),
    "repeated id": Check("query", "with a query_id that an earlier query of the session has"),
    "same text": Check(
        "query", "with the text of the query before; merge_queries merges them, in formats that have it"
    ),
    "early click": Check("clicked result", "clicked before its query was issued"),
    "late click": Check("clicked result", "clicked after the next query of the session was issued"),
    "no dwell": Check("clicked result", "without dwell_seconds, where others have them"),
    "long": Check(
        "session",
        "with more than a day between two queries; all are kept. cut_sessions cuts sessions at pauses, in tables and formats that have it",
    ),
    "many": Check("session", f'of more than {MANY} queries; --where "queries <= {MANY}" leaves them out'),
    "rhythm": Check(
        "session",
        f"of at least {STEADY} queries as a program sends them, at even times or less than a second apart; all are kept",
    ),
    "gaps": Check(
        "list",
        "shown with gaps in the ranks; the missing results are unknown and gain 0; measures that look beyond a gap are "
        "flagged",
    ),
}
"""What is looked for, in the order in which it is told."""
OF_RESULTS = ("clicked result", "list")


def unusual(queries: pl.DataFrame, results: pl.DataFrame) -> dict[str, Found]:
    """Return how often each of :data:`CHECKS` holds in the tables of some whole sessions, and the first session.

    Both are in the order of their keys.

    Examples
    --------
    >>> queries = pl.DataFrame({"session_id": ["s", "s"], "query_position": [1, 2], "query_text": ["cat", "cat"]})
    >>> unusual(queries, pl.DataFrame())
    {'same text': (1, 's')}
    """
    found = {**_queries(queries), **_sessions(queries), **_clicks(queries, results), **_dwell(results)}
    return {name: found[name] for name in CHECKS if name in found and found[name][0]}


def gaps(queries: pl.DataFrame, results: pl.DataFrame) -> dict[str, Found]:
    """Return how many lists said to be shown have gaps in their ranks, and the first session; both tables as above.

    Examples
    --------
    >>> queries = pl.DataFrame({"session_id": ["s"], "query_position": [1], "results_status": ["shown"]})
    >>> gaps(queries, pl.DataFrame({"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 4]}))
    {'gaps': (1, 's')}
    """
    shown = queries.filter(pl.col("results_status") == "shown").select(LIST)
    if shown.is_empty():
        return {}
    before = pl.when(changes(LIST)).then(0).otherwise(pl.col("rank").shift(1))
    gapped = results.lazy().filter(pl.col("rank") > before + 1).select(LIST).unique(maintain_order=True)
    found = _found(gapped.join(shown.lazy(), on=LIST, how="semi", maintain_order="left"), pl.lit(value=True))
    return {"gaps": found} if found[0] else {}


def notice_unusual(found: Mapping[str, Found], notes: Notes) -> None:
    """Note what was found."""
    for name, check in CHECKS.items():
        many, first = found.get(name, NONE)
        if many:
            table = "results" if check.noun in OF_RESULTS else "sessions" if check.noun == "session" else "queries"
            notes.tell(f"{table}: {counted(many, check.noun)} {check.sentence} (first: session {first!r})")


def _queries(queries: pl.DataFrame) -> dict[str, Found]:
    """Return what is unusual in queries."""
    names = queries.columns
    same = pl.col(SESSION) == pl.col(SESSION).shift(1)
    looks: dict[str, pl.Expr] = {}
    time = next((name for name in TIMES if name in names), None)
    if time is not None:
        looks["backwards"] = same & (pl.col(time) < pl.col(time).shift(1))
    if "query_id" in names:
        looks["repeated id"] = pl.col("query_id").is_not_null() & ~pl.struct(SESSION, "query_id").is_first_distinct()
    if "query_text" in names:
        queries = queries.with_columns(pl.col("query_text").str.strip_chars())
        text = pl.col("query_text")
        looks["same text"] = same & (text == text.shift(1)) & (text != "")
    seen = queries.lazy().select(look.fill_null(value=False).alias(name) for name, look in looks.items()).collect()
    found = {name: seen[name].arg_true() for name in looks}
    return {name: (len(rows), queries[SESSION][rows[0]]) if len(rows) else NONE for name, rows in found.items()}


def _sessions(queries: pl.DataFrame) -> dict[str, Found]:
    """Return what is unusual in whole sessions: how long they pause, how many queries they have and at what rhythm."""
    names, position = queries.columns, queries["query_position"]
    found: dict[str, Found] = {}
    if (position > MANY).any():
        logged = pl.col("results_status") != "not_logged" if "results_status" in names else pl.lit(value=True)
        of_many = queries.lazy().filter(logged).group_by(SESSION, maintain_order=True).len()
        found["many"] = _found(of_many, pl.col("len") > MANY)
    time = next((name for name in TIMES if name in names), None)
    if time is None:
        return found
    at = pl.col(time).dt.epoch("us") / 1e6 if time == "issued_at" else pl.col(time)
    pauses = queries.lazy().select(SESSION, "query_position", at.alias("at"))
    before = pl.when(pl.col(SESSION) == pl.col(SESSION).shift(1)).then(pl.col("at").shift(1))
    pauses = pauses.select(SESSION, "query_position", pause=pl.col("at") - before)
    found["long"] = _found(
        pauses.filter(pl.col("pause") > DAY).unique(SESSION, maintain_order=True), pl.lit(value=True)
    )
    if (position >= STEADY).any():
        steady = pauses.filter(pl.col("query_position") >= STEADY).select(SESSION).unique()
        of_sessions = pauses.join(steady, on=SESSION, how="semi", maintain_order="left")
        found["rhythm"] = _found(
            of_sessions.group_by(SESSION, maintain_order=True).agg(rhythm=_rhythm()), pl.col("rhythm")
        )
    return found


def _rhythm() -> pl.Expr:
    """Return whether the pauses of a session are those of a program."""
    pause = pl.col("pause")
    median, spread = pause.median(), pause.quantile(0.75) - pause.quantile(0.25)
    enough = (pause.count() >= STEADY - 1) & (median > 0)
    return enough & ((spread <= SPREAD * median) | (median < QUICK))


def _clicks(queries: pl.DataFrame, results: pl.DataFrame) -> dict[str, Found]:
    """Return what is unusual in the times of clicks."""
    for asked, clicked in TIMES.items():
        if asked in queries.columns and clicked in results.columns:
            following = pl.col(asked).shift(-1).over(SESSION).alias("__next")
            times = queries.lazy().select(*LIST, asked, following)
            made = results.lazy().filter(pl.col(clicked).is_not_null()).select(*LIST, clicked)
            joined = made.join(times, on=LIST, maintain_order="left").collect().lazy()
            return {
                "early click": _found(joined, pl.col(clicked) < pl.col(asked)),
                "late click": _found(joined, pl.col(clicked) > pl.col("__next")),
            }
    return {}


def _dwell(results: pl.DataFrame) -> dict[str, Found]:
    """Return the clicked results without dwell time, where the log has such times."""
    if not {"clicked", "dwell_seconds"} <= set(results.columns):
        return {}
    return {"no dwell": _found(results.lazy(), pl.col("clicked") & pl.col("dwell_seconds").is_null())}


def _found(rows: pl.LazyFrame, look: pl.Expr) -> Found:
    """Return how many rows there are that look so, and the session of the first."""
    hits = rows.filter(look.fill_null(value=False)).select(pl.len(), pl.col(SESSION).first())
    many, first = hits.collect().row(0)
    return (many, first) if many else NONE
