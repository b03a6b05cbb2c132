"""Exact expectations over all scan paths of a searcher who may stop anywhere in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.scoring import exact
from sessionkit.scoring.discounts import discount_values
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.searcher import Floats, Integers, Walk
from sessionkit.study.numbering import where

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
        As in `sessionkit.scoring.scan_paths.PathRows`.
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
    """Expectation of the square of what `sessionkit.scoring.scan_paths.discounted` gives the expectation of."""
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
    """Expectation of the square of what `sessionkit.scoring.scan_paths.average_precision` gives the expectation of.

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


CELLS = 2**17
"""About so many numbers an array has at most: as many sessions at once as that allows."""
ALIKE = 64
"""So many sessions whose lists are as long, one by one, are worked out together: their chances need no more than one."""
BEYOND = 2**31
"""Rank of what a list does not have: no list is so long."""


@dataclass(frozen=True, eq=False)
class Visits:
    """The lists of sessions, as far as a walk goes.

    Parameters
    ----------
    queries
        Number of lists of each session of the batch.
    begins
        Row of each session's first list in `length`.
    length
        Documents of each list.
    session, place
        Session of each list of the batch (also of those that no walk comes to), and its place there, from 0.
    """

    queries: Integers
    begins: Integers
    length: Integers
    session: Integers
    place: Integers

    @classmethod
    def of(cls, lists: Lists, walk: Walk) -> Visits:
        """The lists that count, cut where a walk does not come to."""
        session = integers(lists.queries["session"])
        length = integers(lists.queries["length"])
        queries = np.bincount(session, minlength=len(lists.batch.sessions))
        begins = np.cumsum(queries) - queries
        place = np.arange(len(session)) - begins[session]
        if walk.deepest is not None:
            length = np.minimum(length, walk.deepest)
        if walk.longest is not None:
            queries = np.minimum(queries, walk.longest)
        return cls(queries, begins, length, session, place)

    def comes_to(self, of_list: Integers, rank: Integers) -> np.ndarray:
        """Whether a walk can come to the documents at these ranks of these lists of the batch."""
        return (rank <= self.length[of_list]) & (self.place[of_list] < self.queries[self.session[of_list]])

    def batches(self, of: Integers) -> Iterator[Batch]:
        """Rows of work, each about a session, in batches of rows whose sessions are alike in size.

        Parameters
        ----------
        of
            Session of each row.
        """
        sums = np.concatenate([[0], np.cumsum(self.length)])
        documents = sums[self.begins + self.queries] - sums[self.begins]
        shapes = self._shapes()
        order = np.lexsort((shapes[of], documents[of], self.queries[of]))
        cuts = _long_runs(shapes[of[order]])
        begin = 0
        while begin < len(order):
            many = max(1, CELLS // max(1, int(documents[of[order[begin]]])))
            many = min(many, int(cuts[np.searchsorted(cuts, begin, side="right")]) - begin)
            while True:
                rows = order[begin : begin + many]
                queries = self.queries[of[rows]]
                index, column = ragged(self.begins[of[rows]], queries)
                lengths = np.zeros((int(queries.max()), len(rows)), dtype=np.int64)
                lengths[self.place[index], column] = self.length[index]
                largest = max(len(lengths) * int(lengths.max(initial=0)), 1)  # no path has more documents
                fits = max(1, CELLS // largest)
                if len(rows) <= fits:
                    break
                many = max(fits, len(rows) // 2)
            yield Batch(rows, of[rows], queries, lengths)
            begin += len(rows)

    def _shapes(self) -> NDArray[np.uint64]:
        """A number for each session, equal where all lists are as long; rarely so of others, which costs no more than time."""
        mixed = (self.length.astype(np.uint64) + np.uint64(1)) * _odd(self.place.astype(np.uint64))
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_odd(mixed), dtype=np.uint64)])
        return sums[self.begins + self.queries] - sums[self.begins]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of work whose sessions are alike in size.

    Parameters
    ----------
    rows
        Their numbers.
    sessions
        Session of each.
    queries, lengths
        As in `sessionkit.scoring.scan_paths.PathRows`.
    """

    rows: Integers
    sessions: Integers
    queries: Integers
    lengths: Integers

    def gains(self, shown: ShownDocuments) -> Floats:
        """What every document adds: lists x ranks x rows."""
        index, column = ragged(shown.begins[self.rows], shown.many[self.rows])
        found = np.zeros((len(self.lengths), int(self.lengths.max(initial=0)), len(self.rows)))
        found[shown.place[index], shown.rank[index] - 1, column] = shown.gain[index]
        return found

    def ranks(self, shown: ShownDocuments, of: Integers | None = None) -> tuple[Integers, Floats]:
        """Rank and gain of each row's only document in every list: lists x rows; `BEYOND` and 0 where it is not shown."""
        rows = self.rows if of is None else of[self.rows]
        index, column = ragged(shown.begins[rows], shown.many[rows])
        rank = np.full(self.lengths.shape, BEYOND, dtype=np.int64)
        gain = np.zeros(self.lengths.shape)
        rank[shown.place[index], column] = shown.rank[index]
        gain[shown.place[index], column] = shown.gain[index]
        return rank, gain


@dataclass(frozen=True, eq=False)
class ShownDocuments:
    """Documents where they were shown, by the rows that they belong to: sessions or single documents.

    Parameters
    ----------
    begins, many
        Of each row: where its documents begin, and how many they are.
    place, rank, gain
        Of each document: place of its list in the session from 0, its rank, what it adds.
    """

    begins: Integers
    many: Integers
    place: Integers
    rank: Integers
    gain: Floats

    @classmethod
    def of(cls, row: Integers, rows: int, place: Integers, rank: Integers, gain: Floats) -> ShownDocuments:
        """Sort documents by their rows."""
        order = np.argsort(row, kind="stable")
        many = np.bincount(row, minlength=rows)
        return cls(np.cumsum(many) - many, many, place[order], rank[order], gain[order])


def _odd(number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look like chance, always the same of a number."""
    return (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) ^ (number >> np.uint64(7))


def _long_runs(numbers: NDArray[np.uint64]) -> Integers:
    """Where runs of equal numbers begin and end that are worth a batch of their own; at last the end."""
    edges = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1], [True]]))
    long = np.diff(edges) >= ALIKE
    return np.unique(np.concatenate([edges[:-1][long], edges[1:][long], [len(numbers)]]))


def integers(series: pl.Series) -> Integers:
    """A column of whole numbers as an array."""
    return series.to_numpy().astype(np.int64)


def ragged(begins: Integers, many: Integers) -> tuple[Integers, Integers]:
    """Numbers of the elements of some runs, one after the other, and the number of the run of each."""
    before = np.cumsum(many) - many
    run = np.repeat(np.arange(len(many)), many)
    return (begins - before)[run] + np.arange(len(run)), run


@dataclass(frozen=True, eq=False)
class PathRows:
    """Sessions as arrays: a column each.

    Parameters
    ----------
    queries
        Number of lists of each session.
    lengths
        Documents of each list: lists x sessions; 0 where there is no such list.
    gains
        What each document adds before it is discounted: lists x ranks x sessions.
    seen
        Rank from which on the row's only document has been read: lists x sessions; beyond the end where the list does
        not have it. Then it gains no more in later lists. None where every document gains every time.
    """

    queries: Integers
    lengths: Integers
    gains: Floats
    seen: Integers | None = None

    @cached_property
    def shapes(self) -> Integers:
        """The lengths where chances differ: of one session, if all are as long and documents gain every time."""
        alike = self.seen is None and bool((self.lengths == self.lengths[:, :1]).all())
        return self.lengths[:, :1] if alike else self.lengths

    @property
    def longest(self) -> int:
        """Documents that no path exceeds: those of the longest first list, the longest second..."""
        return longest(self.lengths)


def discounted(walk: Walk, rows: PathRows, discount: Floats, bases: Floats | None = None) -> Floats:
    """Expectation of the sum of discounted gains along the path, divided by that of the best path of its length.

    Parameters
    ----------
    discount
        Discount of the 1st, 2nd... document of a path, at least as many as the longest has.
    bases
        What a path of 0, 1, 2... documents is divided by: lengths x sessions; a path with 0 counts 0. Nothing if not
        given.
    """
    total = np.zeros((rows.longest + 1, len(rows.queries)))
    for at, value in _sums_by_length(walk, rows, discount):
        total[: len(value)] += walk.ends(at, rows.queries) * value
    return summed(total if bases is None else shares(total, bases[: len(total)]))


def average_precision(walk: Walk, rows: PathRows) -> Floats:
    """Expectation of the sum of the precisions at each relevant document of the path; gains are 1 where relevant."""
    total = np.zeros(len(rows.queries))
    chance = np.ones((1, rows.shapes.shape[1]))
    found, value = np.zeros((2, 1, len(total)))
    lists = zip(rows.lengths, rows.shapes, rows.gains, strict=True)
    for at, (length, shape, relevant) in enumerate(lists, 1):
        after_chance = longer(chance, shape)
        after_found, after_value = longer(found, length), longer(value, length)
        once, before, here = np.zeros_like(found), np.zeros_like(found), np.zeros(len(total))
        for read, stop in stops(walk, shape):
            if read and relevant[read - 1].any():
                place = 1 / np.arange(read, read + len(chance), dtype=np.float64)[:, None]
                here = here + relevant[read - 1]
                once += relevant[read - 1] * place
                before += (relevant[read - 1] * here) * place
            to = slice(read, read + len(chance))
            after_chance[to] += stop * chance
            after_found[to] += stop * (found + here * chance)
            after_value[to] += stop * (value + found * once + chance * before)
        chance, found, value = after_chance, after_found, after_value
        total += walk.ends(at, rows.queries) * summed(value)
    return total


def _sums_by_length(walk: Walk, rows: PathRows, discount: Floats) -> Iterator[tuple[int, Floats]]:
    """After each list: its place, and the sum expected at every number of documents read, times the chance of that."""
    value = np.zeros((1, len(rows.queries)))
    chance = np.ones((1, rows.shapes.shape[1]))
    for at, (length, shape, gains) in enumerate(zip(rows.lengths, rows.shapes, rows.gains, strict=True), 1):
        after_chance, after_value = longer(chance, shape), longer(value, length)
        passing = np.empty_like(value)
        for read, stop in stops(walk, shape):
            if read and gains[read - 1].any():
                place = discount[read - 1 : read - 1 + len(chance), None]
                value += np.multiply(gains[read - 1], chance * place, out=passing)
            to = slice(read, read + len(chance))
            after_value[to] += np.multiply(value, stop, out=passing)
            unread = stop if rows.seen is None else np.where(read < rows.seen[at - 1], stop, 0.0)
            after_chance[to] += chance * unread
        chance, value = after_chance, after_value
        yield at, value


def stops(walk: Walk, length: Integers) -> Iterator[tuple[int, Floats]]:
    """Each number of documents that may be read of a list, and its chance."""
    first = 0 if len(length) and int(length.min()) == 0 else 1
    for read in range(first, int(length.max(initial=0)) + 1):
        yield read, walk.stops(read, length)


def longer(before: Floats, length: Integers) -> Floats:
    """Zeros for as many documents read as before and those of one more list."""
    return np.zeros((len(before) + int(length.max(initial=0)), before.shape[1]))


def longest(lengths: Integers) -> int:
    """Documents that no path exceeds, of lists x sessions."""
    return int(lengths.max(axis=1, initial=0).sum())


def shares(value: Floats, base: Floats) -> Floats:
    """Divide, 0 where there is nothing to divide by."""
    return np.divide(value, base, out=np.zeros_like(value), where=base > 0)


def summed(values: Floats) -> Floats:
    """Sum down each column, one by one from the top, whatever stands beside it.

    numpy's own sum adds in another order where there is a single column.
    """
    total = np.zeros(values.shape[1])
    for row in values:
        total += row
    return total
