"""What happens from query to query: events in time, reformulations, session survival, and the most contrasting pair of sessions."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import polars as pl

from sessionkit.arguments import error_rate
from sessionkit.display.frames import ResultFrame
from sessionkit.display.labels import in_natural_order, natural_sort
from sessionkit.display.numbers import share_text
from sessionkit.errors import DataError, UsageError
from sessionkit.scoring.explain import one_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.behavior import compared, terms_of
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import By, score, score_task
from sessionkit.statistics.bands import EVERYONE, UNKNOWN, by_columns, grouped_sessions
from sessionkit.statistics.distributions import differences, settled, wilson
from sessionkit.study import Study
from sessionkit.study.counts import MANY, logged_queries
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

CLICKED = ("query_position", "rank", "doc_id")
CLICK_TIMES = {"issued_at": "clicked_at", "elapsed_seconds": "click_elapsed_seconds"}
"""Columns of times of queries, the preferred one first, and those of clicks on the same clock."""


@guarded_read
def timeline(study: Study, session: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the times of a session's queries and clicks.

    Parameters
    ----------
    study
        A study whose queries have the time ``issued_at`` or, where they have no dates, ``elapsed_seconds``.
    session
        The session.

    Returns
    -------
    polars.DataFrame
        Its queries that have a time: ``query_position``, ``text`` (null where it was not logged), ``start`` (seconds since
        the session's first event), ``end`` (when the next one was issued, or the session ended; null where that is not
        known) and ``results`` (how many were shown).
    polars.DataFrame
        Its clicks that have a time: ``query_position``, ``rank``, ``doc_id``, ``at`` (seconds) and ``dwell`` (seconds; null
        where it was not logged).

    Raises
    ------
    UsageError
        There is no such session.
    DataError
        The study has no times of queries, or none of this session.

    Examples
    --------
    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s"], "query_position": [1, 2]}
    >>> study = sk.from_tables(
    ...     results={**lists, "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     queries={**lists, "issued_at": ["2026-01-05T10:00:00Z", "2026-01-05T10:01:30Z"]},
    ... )
    >>> queries, clicks = sk.timeline(study, "s")
    >>> queries.select("query_position", "start", "end", "results").rows()
    [(1, 0.0, 90.0, 1), (2, 90.0, None, 1)]
    """
    issued_name = next((name for name in CLICK_TIMES if name in study.columns("queries")), None)
    if issued_name is None:
        columns = ", ".join(study.columns("queries"))
        raise DataError(
            f"a timeline needs the times of queries, issued_at or elapsed_seconds; the queries have {columns}"
        )
    own = one_session(study, session)
    queries = own.queries.sort("query_position").collect().with_columns(issued=pl.col(issued_name))
    if not queries.get_column("issued").count():
        raise DataError(f"session {session!r} has no times of queries")
    about, clicks = own.sessions.collect(), _clicks(own, CLICK_TIMES[issued_name], queries.schema["issued"])
    times = [queries.get_column("issued").min(), clicks.get_column("clicked_at").min()]
    has_dates = issued_name == "issued_at"  # sessions have dates alone
    times += [about.get_column("started_at").min()] if has_dates and "started_at" in about.columns else []
    began = (
        min(time for time in times if time is not None) if has_dates else 0.0
    )  # elapsed time starts with the session
    end = about.get_column("ended_at").max() if has_dates and "ended_at" in about.columns else None
    shown = own.results.group_by("query_position").agg(results=pl.len().cast(pl.Int64)).collect()
    text = pl.col("query_text") if "query_text" in queries.columns else pl.lit(None, pl.String)
    rows = queries.join(shown, on="query_position", how="left", maintain_order="left").select(
        "query_position",
        text=text,
        start=_seconds(pl.col("issued"), began),
        end=_seconds(pl.col("issued").shift(-1, fill_value=pl.lit(end)), began),
        results=pl.col("results").fill_null(0),
    )
    rows = rows.filter(pl.col("start").is_not_null())  # only now: a query without a time may be the next one
    seen = clicks.select(*CLICKED, _seconds(pl.col("clicked_at"), began).alias("at"), "dwell")
    return ResultFrame(rows), ResultFrame(seen)


def _clicks(own: Study, time: str, dtype: pl.DataType) -> pl.DataFrame:
    """The clicks that have a time: query_position, rank, doc_id, clicked_at, dwell."""
    columns = own.columns("results")
    dwell = pl.col("dwell_seconds") if "dwell_seconds" in columns else pl.lit(None, pl.Float64)
    if time not in columns:
        clicked_at = pl.lit(None, dtype)
        return own.results.select(*CLICKED, clicked_at=clicked_at, dwell=dwell).clear().collect()
    return own.results.filter(pl.col(time).is_not_null()).select(*CLICKED, clicked_at=time, dwell=dwell).collect()


def _seconds(time: pl.Expr, began: object) -> pl.Expr:
    """Seconds from the beginning of the session."""
    return time.cast(pl.Float64) if isinstance(began, float) else (time - pl.lit(began)).dt.total_microseconds() / 1e6


STEP = ["session_id", "query_position"]
OF_SESSION = ["system_id", "topic_id", "user_id"]


@guarded_read
def reformulations(
    study: Study,
    measure: str | Measure | None = "nDCG@10",
    *,
    where: Where = None,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Classify each reformulation, and measure how much it changes the results.

    Parameters
    ----------
    study
        A study whose queries have a ``query_text``. The queries, though not the results, must fit into memory.
    measure
        A measure with a value per query, such as ``"nDCG@10"`` or ``"P@10"``; None for the wording alone.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    memory
        Memory to work within, see `sessionkit.score`.
    cache
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        One row per pair of consecutive logged queries, also those whose list was not logged, by session and position:
        ``session_id``, ``query_position`` and ``previous_position``, ``system_id``, ``topic_id``, ``user_id``,
        ``reformulation``, ``terms`` and ``previous_terms`` (distinct terms of the query and of the one before it),
        ``shared`` (terms in both), ``overlap`` (shared terms as a share of those in either, Jaccard); with a measure also
        ``measure``, ``value``, ``previous_value`` and ``change``, their difference (null where either is undefined). A
        session of one query has no row. The table does not have the texts of queries. Values that need a text that was not
        logged are null.

        ``reformulation`` is ``repeat`` (the same terms), ``specialization`` (terms added), ``generalization`` (terms left
        out), ``substitution`` (some kept, some replaced) or ``new`` (none in common), by the sets of terms alone; see
        `sessionkit.scoring.measures.behavior` for the normalization and the sources of the rule.

    Raises
    ------
    DataError
        If the queries have no ``query_text``.
    UsageError
        If the measure has no values per query.

    Examples
    --------
    A second query with a term more finds the relevant document:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s"] * 2, "query_position": [1, 2], "query_text": ["jaguar", "jaguar speed"]},
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
    ... )
    >>> sk.reformulations(study, "DCG@1").select("query_position", "reformulation", "overlap", "change").rows()
    [(2, 'specialization', 0.5, 2.0)]
    """
    study = restricted(study, where)
    if not isinstance(study, Study):
        msg = f"reformulations takes a study, such as sk.open_study returns, not {type(study).__name__}"
        raise UsageError(msg)
    if "query_text" not in study.columns("queries"):
        msg = f"reformulations needs the column 'query_text' in the queries; they have {', '.join(study.columns('queries'))}"
        raise DataError(msg)
    if measure is None:
        return ResultFrame(_steps(study))
    values = score(study, measure, per="query", memory=memory, cache=cache)
    steps = _steps(study)
    values = values.select(*STEP, "measure", "value")
    before = values.select("session_id", previous_position="query_position", previous_value="value")
    both = steps.join(values, on=STEP, how="left", maintain_order="left")
    both = both.join(before, on=["session_id", "previous_position"], how="left", maintain_order="left")
    return ResultFrame(both.with_columns(change=pl.col("value") - pl.col("previous_value")))


def reformulations_task(study: Study, measure: str | Measure = "nDCG@10") -> Reduction:
    """What `reformulations` asks of a study; the parameters and errors are the same."""
    return score_task(study, measure, per="query")


def query_words(queries: pl.DataFrame) -> dict[int, list[tuple[str, str]]]:
    """Return the words of the queries of one session, each with what the reformulation did to it.

    Parameters
    ----------
    queries
        ``query_position`` and ``text`` (null where it was not logged), in order.

    Returns
    -------
    dict
        Of each query with a text its words as typed, each ``added`` (it has a term that the query before does not have)
        or ``kept``; after them the terms of the query before that it no longer has, ``removed``. The first query, and
        one after a query without a text, has only words that are ``kept``. Terms are those of `reformulations`.

    Examples
    --------
    >>> query_words(pl.DataFrame({"query_position": [1, 2], "text": ["Jaguar speed", "jaguar cars"]}))[2]
    [('jaguar', 'kept'), ('cars', 'added'), ('speed', 'removed')]
    """
    words = pl.col("text").str.extract_all(r"\S+")
    rows = queries.select("query_position", "text", terms=terms_of(pl.col("text")), words=words)
    each = rows.select("query_position", word="words").explode("word").drop_nulls("word")
    each = each.with_columns(terms=terms_of(pl.col("word")))
    typed: dict[int, list[tuple[str, list[str]]]] = {}
    for position, word, terms in each.iter_rows():
        typed.setdefault(position, []).append((word, terms))
    changes: dict[int, list[tuple[str, str]]] = {}
    before: list[str] | None = None
    for position, text, terms, _ in rows.iter_rows():
        if text is not None:
            earlier = set(terms if before is None else before)
            removed = [(term, "removed") for term in before or () if term not in terms]
            words_now = [
                (word, "kept" if earlier.issuperset(word_terms) else "added")
                for word, word_terms in typed.get(position, [])
            ]
            changes[position] = words_now + removed
        before = terms
    return changes


def _steps(study: Study) -> pl.DataFrame:
    """The pairs of consecutive logged queries, with what their wordings have in common."""
    queries = (
        study.queries.select(*STEP, "query_text")
        .collect()
        .sort(STEP)
        .with_columns(terms=terms_of(pl.col("query_text")))
        .drop("query_text")
    )
    of_session = study.sessions.select("session_id", *OF_SESSION).collect()
    pairs = queries.with_columns(previous_position=pl.col("query_position").shift(1), before=pl.col("terms").shift(1))
    pairs = pairs.filter(pl.col("session_id") == pl.col("session_id").shift(1))
    found = compared(pairs["before"], pairs["terms"]).rename({"kind": "reformulation"})
    placed = pairs.select(*STEP, "previous_position").join(
        of_session, on="session_id", how="left", maintain_order="left"
    )
    return placed.with_columns(found.select("reformulation", "terms", "previous_terms", "shared", "overlap"))


@guarded_read
def session_survival(
    study: Study, by: By = "system_id", *, where: Where = None, confidence: float = 0.95
) -> pl.DataFrame:
    """Return the share of sessions that have at least 1, 2, 3, ... logged queries. No judgments are needed.

    Every session is seen to its end, so that the share is a plain one, and the same as Kaplan and Meier's estimate.

    Parameters
    ----------
    study
        The study.
    by
        Columns to group sessions by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    confidence
        Of the intervals, above .5 and below 1: Wilson's (1927), which take sessions to be independent of each other.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``query_position`` (from 1 to the most of any session), ``sessions`` (with this query
        or a later one), ``of`` (all of the group), ``value`` (their share), its interval ``low`` to ``high``.

    Raises
    ------
    UsageError
        There is no such column, or the confidence is out of its range.

    Examples
    --------
    >>> import sessionkit as sk
    >>> rows = {"session_id": ["s", "t", "t"], "query_position": [1, 1, 2], "rank": 1, "doc_id": "d"}
    >>> found = sk.session_survival(sk.from_tables(rows), by=None)
    >>> found.select("query_position", "sessions", "of", "value").rows()
    [(1, 2, 2, 1.0), (2, 1, 2, 0.5)]
    """
    error_rate(confidence)
    study = restricted(study, where)
    lengths = logged_queries(study, ["session_id"])
    known = (
        grouped_sessions(study, by).join(lengths, on="session_id", how="left").with_columns(pl.col(MANY).fill_null(0))
    )
    most = int(known.get_column(MANY).max() or 0)  # type: ignore[arg-type]
    counts = known.group_by("group", MANY).agg(sessions=pl.len().cast(pl.Int64))
    every = (
        known.select("group")
        .unique()
        .join(pl.DataFrame({"query_position": range(1, most + 1)}, schema={"query_position": pl.Int64}), how="cross")
    )
    at = (
        counts.filter(pl.col(MANY) > 0)
        .rename({MANY: "query_position"})
        .with_columns(pl.col("query_position").cast(pl.Int64))
    )
    rows = every.join(at, on=["group", "query_position"], how="left").with_columns(pl.col("sessions").fill_null(0))
    rows = rows.sort("group", "query_position", descending=[False, True])
    rows = rows.with_columns(pl.col("sessions").cum_sum().over("group")).sort("group", "query_position")
    of = counts.group_by("group").agg(of=pl.col("sessions").sum())
    low, high = wilson(pl.col("sessions"), pl.col("of"), confidence)
    found = natural_sort(rows.join(of, on="group", how="left", maintain_order="left"), "group")
    found = found.with_columns(value=pl.col("sessions") / pl.col("of"), low=low, high=high)
    return ResultFrame(by_columns(study, by, found))


COLUMNS = ("session", "topic_id", "group", "value", "judged")
PLACE = ("topic_id", "tenth")
"""What the two sessions of a pair have in common: their topic, and the tenth of their judged shares."""


@dataclass(frozen=True)
class SessionContrast:
    """Two sessions, the one of the first group first; of one group, the one with the first id.

    Parameters
    ----------
    sessions
        The two sessions.
    of_groups
        Whether they are of different groups.
    shares
        The judged share of the results of each, from 0 to 1; null where it is not known.
    least_share
        The least judged share that both have, which is the median of all sessions; None where no two comparable sessions have it, or
        no judged share is known.
    """

    sessions: tuple[object, object]
    of_groups: bool
    shares: tuple[float | None, float | None]
    least_share: float | None

    def told(self, measure: str, groups: str = "systems", *, drawn: bool = False) -> str:
        """How the pair was chosen, in a sentence; `groups` is what the groups are called, `drawn` whether only some sessions were there."""
        pairs = f"pairs of sessions of one topic{f' with different {groups}' if self.of_groups else ''}"
        pairs += " among those drawn" if drawn else ""
        differs = f"this one differs most in {measure}: it is an extreme, not a typical pair."
        if self.least_share is not None:
            alike = (
                f"comparable judged shares (in the same tenth, at least the median of {share_text(self.least_share)})"
            )
            return f"Of all {pairs} {'and ' if self.of_groups else ''}with {alike}, {differs}"
        if self.shares == (None, None):
            return f"Of all {pairs}, {differs}"
        return f"No {pairs} have comparable, high judged shares. Of all, {differs} Missing judgments may explain the difference."

    @property
    def judged_told(self) -> str:
        """The judged shares of both, in a sentence; empty where they are not known."""
        if None in self.shares:
            return ""
        first, second = (share_text(share) for share in self.shares if share is not None)
        return f"Judged: {first} of the results of the first session, {second} of the second."


def most_contrasting(sessions: pl.DataFrame) -> SessionContrast | None:
    """Find the pair of one topic with the largest difference: of different groups where a topic has two, else of any.

    Both sessions have a judged share of at least the median share, and shares in the same tenth, such as 90% to 100%: a session that
    is judged better has a higher value for that alone. Where no pair has, all pairs are looked at. Sessions without a value or a topic
    are left out, unless no session has a topic: then all count as of one. Of equal differences the pair with the first id is taken,
    then that with the first other id. None where no topic has two sessions.

    Parameters
    ----------
    sessions
        ``session`` (an id, or its place in the order of ids), ``topic_id``, ``group`` (as `grouped_sessions` names it), ``value`` and
        ``judged`` (share of the results, 0 to 1; null where it is not known).

    Examples
    --------
    >>> rows = [("a", "t", "S1", 5.0, 1.0), ("b", "t", "S1", 1.0, 1.0), ("c", "t", "S2", 2.0, 1.0), ("d", "t", "S2", 0.0, 0.1)]
    >>> most_contrasting(pl.DataFrame(rows, schema=COLUMNS, orient="row")).sessions
    ('a', 'c')
    """
    one_topic = sessions["topic_id"].null_count() == len(sessions)
    known = sessions.select(COLUMNS).with_columns(pl.lit("").alias("topic_id") if one_topic else pl.col("topic_id"))
    known = known.drop_nulls(["topic_id", "value"])
    known = known.with_columns(
        pl.Series("value", settled(known["value"].to_numpy())),
        # 10 * 0.7 is 7.000000000000001; all of the results judged are of the last tenth
        tenth=(10 * pl.col("judged")).round(9).floor().clip(0, 9),
    )
    median = known.select(pl.col("judged").median()).item()
    by_session = known.with_columns(part=pl.col("session").cast(pl.String))
    by_group = known.filter(~pl.col("group").is_in([EVERYONE, UNKNOWN])).with_columns(part=pl.col("group"))
    for of_groups, candidates in ((True, by_group), (False, by_session)):
        judged_alike = candidates.filter(pl.col("judged") >= pl.lit(median, pl.Float64))
        pair, least_share = _farthest(judged_alike), median
        if pair is None:
            pair, least_share = _farthest(candidates.with_columns(tenth=pl.lit(0.0))), None
        if pair is not None:
            shares = dict(known.select("session", "judged").rows())
            first, second = pair
            return SessionContrast(pair, of_groups, (shares[first], shares[second]), least_share)
    return None


def _farthest(known: pl.DataFrame) -> tuple[object, object] | None:
    """The two sessions of one topic and tenth and different parts that are farthest apart.

    The highest session of each of the two highest parts of these, and the lowest of the two lowest, are enough: any other
    session of a pair can be replaced by one of these that is at least as far away and, at the same distance, has a smaller id.
    """
    ends = []
    for descending in (True, False):
        ordered = known.sort(*PLACE, "value", "session", descending=[False, False, descending, False])
        of_parts = ordered.unique([*PLACE, "part"], keep="first", maintain_order=True)
        ends.append(of_parts.group_by(PLACE, maintain_order=True).head(2))
    pairs = ends[0].join(ends[1], on=PLACE, suffix="_low").filter(pl.col("part") != pl.col("part_low"))
    if pairs.is_empty():
        return None
    apart = differences(pairs["value_low"].to_numpy(), pairs["value"].to_numpy())
    both = ("session", "session_low")
    far = pairs.with_columns(pl.Series("apart", apart), first=pl.min_horizontal(both), second=pl.max_horizontal(both))
    far = far.filter(pl.col("apart") == pl.col("apart").max()).sort("first", "second")
    row = far.row(0, named=True)
    one, other = (row["group"], row["session"]), (row["group_low"], row["session_low"])
    names = in_natural_order([one[0], other[0]])
    (_, left), (_, right) = sorted([one, other], key=lambda each: (names.index(each[0]), each[1]))
    return left, right
