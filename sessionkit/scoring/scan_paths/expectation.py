"""The expectation of what a path is worth, and of its square, for every session of a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.discounts import discount_values
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.scan_paths.arrays import Batch, ShownDocuments, Visits, integers
from sessionkit.scoring.scan_paths.paths import PathRows, average_precision, discounted, longer, shares, stops, summed
from sessionkit.scoring.scan_paths.walk import Floats, Integers, Walk
from sessionkit.study.row_index import where

PAIRS = 2**18
"""Pairs of documents that are looked at together, about."""


@dataclass(frozen=True)
class PathValue:
    """What a path is worth: a discounted sum of gains, or the sum of precisions at its relevant documents.

    Parameters
    ----------
    gain, min_grade
        What a document gains.
    discount, b, p
        Discount by the place in the path; None for the sum of precisions.
    over
        What it is divided by: ``nothing``, the ``length`` of the path, the ``best`` path of that length, or the number of
        documents that gain something in the ``base``.
    """

    gain: str
    min_grade: float
    discount: str | None
    b: float | None = None
    p: float | None = None
    over: str = "nothing"


def expectations(lists: Lists, walk: Walk, worth: PathValue) -> Floats:
    """Expected worth of the path of every session of the batch; NaN where the recall base that it needs is empty."""
    engine = _Engine(lists, walk, worth)
    documents = Documents.of(lists, engine.visits, worth.gain, worth.min_grade)
    sessions = np.arange(len(lists.batch.sessions))
    if worth.discount is None:
        found = engine.each(sessions, documents.always, lambda _, rows: average_precision(walk, rows))
    else:
        found = engine.each(sessions, documents.always, engine.discounted)
    if documents.again.any():
        found = engine.added(found, *_once(engine, documents))
    return engine.over_base(found)


def squares(lists: Lists, walk: Walk, worth: PathValue) -> Floats:
    """Expected square of the worth of the path of every session, where documents gain every time; NaN likewise."""
    engine = _Engine(lists, walk, worth)
    documents = Documents.of(lists, engine.visits, worth.gain, worth.min_grade)
    sessions = np.arange(len(lists.batch.sessions))
    if worth.discount is None:
        found = engine.each(sessions, documents.always, lambda _, rows: average_precision_squares(walk, rows))
    else:
        found = engine.each(sessions, documents.always, engine.discounted_squares)
    return engine.over_base(engine.over_base(found))


class _Engine:
    """The lists of a batch, made ready for a walk."""

    def __init__(self, lists: Lists, walk: Walk, worth: PathValue) -> None:
        """Lay out the lists, and what paths are divided by."""
        self.walk, self.worth = walk, worth
        self.visits = Visits.of(lists, walk)
        self._discounts = np.zeros(0)
        based = worth.over in ("best", "base")
        self.bases = Bases.of(lists, worth.gain, worth.min_grade) if based else None

    def each(
        self, of: Integers, shown: ShownDocuments, work: Callable[[Batch, PathRows], Floats], *, once: bool = False
    ) -> Floats:
        """Do work for rows about these sessions, with what was shown of each row."""
        found = np.zeros(len(of))
        for batch in self.visits.batches(of):
            seen = batch.ranks(shown)[0] if once else None
            found[batch.rows] = work(batch, PathRows(batch.queries, batch.lengths, batch.gains(shown), seen))
        return found

    def discounts(self, rows: PathRows) -> Floats:
        """Discount of each place that a path can have, at least."""
        if len(self._discounts) < rows.longest:
            places = np.arange(1, 2 * rows.longest + 1)
            self._discounts = discount_values(places, self.worth.discount or "reciprocal", self.worth.b, self.worth.p)
        return self._discounts

    def discounted(self, batch: Batch, rows: PathRows) -> Floats:
        """Expected discounted sum."""
        return discounted(self.walk, rows, self.discounts(rows), self._divisors(batch, rows))

    def discounted_squares(self, batch: Batch, rows: PathRows) -> Floats:
        """Expected square of the discounted sum."""
        return discounted_squares(self.walk, rows, self.discounts(rows), self._divisors(batch, rows))

    def _divisors(self, batch: Batch, rows: PathRows) -> Floats | None:
        """What a path is divided by that has read 0, 1, 2... documents."""
        if self.worth.over == "length":
            return np.arange(rows.longest + 1, dtype=np.float64)[:, None]
        if self.worth.over == "best" and self.bases is not None:
            return self.bases.best(batch.sessions, self.discounts(rows), rows.longest)
        return None

    def over_base(self, found: Floats) -> Floats:
        """Divide by the size of the recall base, where that is asked; NaN where it is needed and empty."""
        if self.bases is None:
            return found
        many = self.bases.many
        divided = found / np.maximum(many, 1) if self.worth.over == "base" else found
        return np.where(many > 0, divided, np.nan)

    @staticmethod
    def added(found: Floats, *more: tuple[Integers, Floats]) -> Floats:
        """Add to what sessions have what documents or pairs of theirs have, exactly, in whatever order."""
        sessions = np.concatenate([np.arange(len(found)), *(session for session, _ in more)])
        values = np.concatenate([found, *(value for _, value in more)])
        rows = pl.DataFrame({"session": sessions.astype(np.uint32), "value": values})
        sums = rows.group_by("session").agg(total=exact.fixed(pl.col("value")).sum())
        total = sums["total"].gather(where(sums["session"], len(found)))
        return total.to_frame().select(exact.unfixed(pl.col("total"))).to_series().to_numpy()


def _once(engine: _Engine, documents: Documents) -> list[tuple[Integers, Floats]]:
    """What documents add that are shown again, of which only the first reading gains: by session."""
    again = np.flatnonzero(documents.again)
    shown = ShownDocuments(
        documents.once.begins[again], documents.once.many[again],
        documents.once.place, documents.once.rank, documents.once.gain,
    )  # fmt: skip
    session = documents.session[again]
    more = [(session, engine.each(session, shown, engine.discounted, once=True))]
    if engine.worth.discount is None:
        more += _pairs(engine, documents)
    return more


def _pairs(engine: _Engine, documents: Documents) -> list[tuple[Integers, Floats]]:
    """What pairs of documents add to precisions, of which one at least is shown again: by session of the one."""
    session = documents.session
    many = np.bincount(session)
    pairs_of = many[session]
    more = []
    begin = 0
    while begin < len(session):
        end = begin + max(1, int(np.searchsorted(np.cumsum(pairs_of[begin:]), PAIRS)))
        one = np.repeat(np.arange(begin, end), pairs_of[begin:end])
        first = np.searchsorted(session, session[begin:end])
        nth = np.arange(len(one)) - np.repeat(np.cumsum(pairs_of[begin:end]) - pairs_of[begin:end], pairs_of[begin:end])
        other = np.repeat(first, pairs_of[begin:end]) + nth
        kept = (one != other) & (documents.again[one] | documents.again[other])
        one, other = one[kept], other[kept]
        found = np.zeros(len(one))
        for batch in engine.visits.batches(session[one]):
            rank, gain = batch.ranks(documents.once, one)
            rank_other, gain_other = batch.ranks(documents.once, other)
            pairs = RepeatPairs(batch.queries, batch.lengths, rank, rank_other, gain, gain_other)
            found[batch.rows] = found_before(engine.walk, pairs)
        more.append((session[one], found))
        begin = end
    return more


@dataclass(frozen=True, eq=False)
class RepeatPairs:
    """Pairs of documents of sessions as arrays: a column each.

    Parameters
    ----------
    queries, lengths
        As in `sessionkit.scoring.scan_paths.paths.PathRows`.
    rank, other
        Rank of one document and of the other: lists x pairs; beyond the end where the list does not have it.
    gain, other_gain
        1 where the document shown there is relevant, else 0: lists x pairs.
    """

    queries: Integers
    lengths: Integers
    rank: Integers
    other: Integers
    gain: Floats
    other_gain: Floats


def found_before(walk: Walk, pairs: RepeatPairs) -> Floats:
    """Expectation of 1 / the place in the path where one document is first read, if the other was read before."""
    many = len(pairs.queries)
    total = np.zeros(many)
    neither, other = np.ones((1, many)), np.zeros((1, many))
    for at, length in enumerate(pairs.lengths, 1):
        rank, rank_other = pairs.rank[at - 1], pairs.other[at - 1]
        gain, gain_other = pairs.gain[at - 1], pairs.other_gain[at - 1]
        place = np.arange(len(neither), dtype=np.float64)[:, None] + rank
        above = other + neither * np.where(rank_other < rank, gain_other, 0.0)
        total += walk.comes(at, pairs.queries) * walk.reads(rank, length) * gain * summed(above / place)
        after_neither, after_other = longer(neither, length), longer(other, length)
        for read, stop in stops(walk, length):
            to = slice(read, read + len(neither))
            unread = np.where(read < rank, stop, 0.0)
            came = read >= rank_other
            after_neither[to] += np.where(came, 0.0, unread) * neither
            after_other[to] += unread * (other + np.where(came, gain_other, 0.0) * neither)
        neither, other = after_neither, after_other
    return total


def discounted_squares(walk: Walk, rows: PathRows, discount: Floats, bases: Floats | None = None) -> Floats:
    """Expectation of the square of what `sessionkit.scoring.scan_paths.paths.discounted` gives the expectation of."""
    total = np.zeros(len(rows.queries))
    chance, value, square = _started(rows, 3)
    for at, (length, gains) in enumerate(zip(rows.lengths, rows.gains, strict=True), 1):
        after = [longer(chance, length) for _ in range(3)]
        gained = np.zeros_like(chance)
        for read, stop in stops(walk, length):
            if read:
                gained += gains[read - 1] * discount[read - 1 : read - 1 + len(chance), None]
            to = slice(read, read + len(chance))
            after[0][to] += stop * chance
            after[1][to] += stop * (value + chance * gained)
            after[2][to] += stop * (square + gained * (2 * value + chance * gained))
        chance, value, square = after
        divided = square if bases is None else shares(square, bases[: len(square)] ** 2)
        total += walk.ends(at, rows.queries) * summed(divided)
    return total


def average_precision_squares(walk: Walk, rows: PathRows) -> Floats:
    """Expectation of the square of what `sessionkit.scoring.scan_paths.paths.average_precision` gives the expectation of.

    A path that has found c relevant documents and has the sum x comes out of a list, read to a rank, with c + b and with
    x + c u + v; the first and second moments of (c, x) are enough to know those after it.
    """
    total = np.zeros(len(rows.queries))
    # chance of each length, and expected there: c, c^2, x, x c, x^2
    now = _started(rows, 6)
    for at, (length, relevant) in enumerate(zip(rows.lengths, rows.gains, strict=True), 1):
        chance, c, cc, x, xc, xx = now
        after = [longer(chance, length) for _ in now]
        b, u, v = np.zeros_like(chance), np.zeros_like(chance), np.zeros_like(chance)
        for read, stop in stops(walk, length):
            if read:
                place = 1 / np.arange(read, read + len(chance), dtype=np.float64)[:, None]
                b = b + relevant[read - 1]
                u += relevant[read - 1] * place
                v += relevant[read - 1] * b * place
            moments = (
                chance,
                c + b * chance,
                cc + b * (2 * c + b * chance),
                x + u * c + v * chance,
                xc + x * b + u * (cc + b * c) + v * (c + b * chance),
                xx + u * (u * cc + 2 * xc + 2 * v * c) + v * (2 * x + v * chance),
            )
            for into, moment in zip(after, moments, strict=True):
                into[read : read + len(chance)] += stop * moment
        now = after
        total += walk.ends(at, rows.queries) * summed(now[-1])
    return total


def _started(rows: PathRows, many: int) -> list[Floats]:
    """So many arrays of the paths that have read nothing yet: the chance of that, and zeros."""
    return [np.ones((1, len(rows.queries))), *(np.zeros((1, len(rows.queries))) for _ in range(many - 1))]


@dataclass(frozen=True, eq=False)
class Documents:
    """What gains, in the lists of sessions, each document once in a list.

    Parameters
    ----------
    always
        Documents that a walk can come to only once, or that gain every time, by session.
    session
        Session of each document that gains something there; only where documents gain once.
    once
        Where each of these documents was shown.
    again
        Whether it was shown in more than one list.
    """

    always: ShownDocuments
    session: Integers
    once: ShownDocuments
    again: np.ndarray

    @classmethod
    def of(cls, lists: Lists, visits: Visits, gain: str, min_grade: float) -> Documents:
        """What gains under a measure."""
        sessions = len(lists.batch.sessions)
        if lists.selection.duplicates == "all":
            rows = _placed(lists.gaining(gain, min_grade), visits)
            nothing = np.zeros(0, dtype=np.int64)
            none = ShownDocuments.of(nothing, 0, nothing, nothing, np.zeros(0))
            return cls(_shown(rows, "session", sessions), nothing, none, np.zeros(0, dtype=bool))
        rows = _placed(_every_time(lists, gain, min_grade), visits)
        number = pl.struct("session", "document").rank("dense").cast(pl.Int64) - 1
        rows = rows.filter((pl.col("gain") > 0).any().over("session", "document")).with_columns(number=number)
        rows = rows.with_columns(again=pl.len().over("number") > 1)
        always = _shown(rows.filter(~pl.col("again")), "session", sessions)
        each = rows.group_by("number").agg(pl.col("session", "again").first()).sort("number")
        once = _shown(rows, "number", len(each))
        return cls(always, integers(each["session"]), once, each["again"].to_numpy())


def _every_time(lists: Lists, gain: str, min_grade: float) -> pl.DataFrame:
    """Every list's results, each document once, with what they gain and what tells their ``document`` from others."""
    by_text = lists.selection.grades == "user" or lists.batch.own_keys
    columns = {"results": ("doc_id",)} if by_text else {}
    alone = Lists(lists.batch, replace(lists.selection, duplicates="all"), columns)
    if not by_text:
        return alone.gaining(gain, min_grade).with_columns(document=pl.col("judgment").cast(pl.Int64))
    # a document that gains nothing under one query's key can gain under another's, where it has been read before
    every = alone.every.with_columns(document=pl.col("doc_id").rank("dense").cast(pl.Int64)).with_row_index("row")
    once = every.filter(pl.struct("list", "document").is_first_distinct())
    gained = alone.gaining(gain, min_grade).select("list", "rank", "gain")
    return once.join(gained, on=["list", "rank"], how="left", maintain_order="left").with_columns(
        pl.col("gain").fill_null(0.0)
    )


def _placed(rows: pl.DataFrame, visits: Visits) -> pl.DataFrame:
    """The rows that a walk can come to, with their session and the place of their list there."""
    of_list = integers(rows["list"])
    places = {"session": visits.session[of_list], "place": visits.place[of_list]}
    reached = visits.comes_to(of_list, integers(rows["rank"]))
    return rows.with_columns(**{name: pl.Series(values) for name, values in places.items()}).filter(reached)


def _shown(rows: pl.DataFrame, by: str, many: int) -> ShownDocuments:
    """The rows by the number in a column."""
    return ShownDocuments.of(
        integers(rows[by]), many, integers(rows["place"]), integers(rows["rank"]), rows["gain"].to_numpy()
    )


@dataclass(frozen=True, eq=False)
class Bases:
    """The recall bases of sessions, in the best order.

    A session whose queries have keys of their own has all their recall bases together.

    Parameters
    ----------
    gain
        Gains of all recall bases, one after the other.
    begins, many
        Of each session: where its recall base begins, and how many documents it has.
    """

    gain: Floats
    begins: Integers
    many: Integers

    @classmethod
    def of(cls, lists: Lists, gain: str, min_grade: float) -> Bases:
        """The recall bases of the keys of each session's queries."""
        ideal = lists.ideal(gain, min_grade)
        keys = integers(ideal["key"])
        many_of = np.bincount(keys)
        begins_of = np.cumsum(many_of) - many_of
        asked = lists.queries.select("session", "key").filter(pl.col("key") < len(many_of))
        if lists.batch.own_keys and lists.selection.grades != "user":
            asked = asked.unique().sort("session", "key")
        else:  # the queries of a session have its key
            asked = asked.filter(pl.col("session") != pl.col("session").shift(1, fill_value=len(lists.batch.sessions)))
        session, key = integers(asked["session"]), integers(asked["key"])
        begins = np.zeros(len(lists.batch.sessions), dtype=np.int64)
        many = np.zeros(len(lists.batch.sessions), dtype=np.int64)
        begins[session], many[session] = begins_of[key], many_of[key]
        gains = [ideal["gain"].to_numpy()]
        several = asked.filter(pl.col("session").is_duplicated())
        if len(several):
            together = several.join(ideal, on="key").sort("session", "gain", descending=[False, True])
            session = integers(together["session"])
            many_of = np.bincount(session, minlength=len(many))
            own = np.unique(session)
            many[own] = many_of[own]
            begins[own] = len(ideal) + (np.cumsum(many_of) - many_of)[own]
            gains.append(together["gain"].to_numpy())
        return cls(np.concatenate(gains), begins, many)

    def best(self, sessions: Integers, discount: Floats, longest: int) -> Floats:
        """Discounted sum of the best 0, 1, 2... documents of each of some sessions: lengths x sessions."""
        bases, of_session = np.unique(self.begins[sessions], return_inverse=True)  # many sessions have the same
        many = np.zeros(len(bases), dtype=np.int64)
        np.maximum.at(many, of_session, self.many[sessions])  # one without documents begins where another does
        nth = np.arange(longest)[:, None]
        there = nth < many
        index = np.where(there, bases + nth, 0)
        gains = np.where(there, self.gain[index] if len(self.gain) else 0.0, 0.0) * discount[:longest, None]
        sums = np.concatenate([np.zeros((1, len(bases))), np.add.accumulate(gains, axis=0)])
        return sums[:, of_session]
