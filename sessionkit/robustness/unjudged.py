"""Unjudged documents of a study: which were shown or are pooled, what share of results is judged, and exact counts of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from sessionkit.display.labels import natural_sort
from sessionkit.scoring import exact
from sessionkit.scoring.batch import GradedPairs, SessionBatch, judged_only
from sessionkit.scoring.exact import SCALE
from sessionkit.scoring.execution import query_values, session_values
from sessionkit.scoring.histogram import DIRECT
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import WITHOUT_CUTOFF
from sessionkit.statistics.bands import Grouping
from sessionkit.study.numbering import JudgmentIndex, Lookup, keys_of_queries, where


@dataclass(frozen=True, eq=False)
class Pool:
    """The keys and pairs of a study, numbered, also those without judgments.

    Parameters
    ----------
    judged
        The judgments.
    keys
        ``judgment_key`` and ``key``, its number: those of the judgments first, under the numbers that they have there.
    unjudged
        By key: documents that are pooled but unjudged, or shown in some session and in no judgments.
    texts
        Where texts have their numbers.
    pairs
        ``key`` and ``judgment`` of every pair: those of the judgments, then what is in none.
    shown
        ``pair`` (numbers of texts), ``judgment`` (in `pairs`) of what is unjudged and shown, in the order of ``pair``.
    kept
        Batches that were kept when it was made.
    """

    judged: GradedPairs
    keys: pl.DataFrame
    unjudged: np.ndarray
    texts: PoolTexts
    pairs: pl.DataFrame
    shown: pl.DataFrame
    kept: BatchRoom
    last: list[tuple[SessionBatch, Any]] = field(default_factory=list, repr=False)
    """The batch that was looked at last, and what was made of it: several tasks look at each."""
    _supposed: dict[float, GradedPairs] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, judged: GradedPairs, shown: pl.DataFrame, texts: PoolTexts, kept: BatchRoom) -> Pool:
        """Make the pool of the judgments and of what `PoolTask` found."""
        known = judged.pairs.keys.select("judgment_key", pl.col("key").cast(pl.UInt32)).sort("key")
        of_key = shown["pair"].to_numpy() // KEY
        codes = np.flatnonzero(np.bincount(of_key.astype(np.int64)))
        met = pl.DataFrame({"code": codes, "judgment_key": texts.keys.texts(pl.Series(codes))})
        more = met.select("judgment_key").join(known, on="judgment_key", how="anti").sort("judgment_key")
        new = pl.int_range(len(known), len(known) + len(more), dtype=pl.UInt32, eager=True)
        keys = pl.concat([known, more.with_columns(new.alias("key"))])
        key_of_code = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.uint32)
        key_of_code[codes] = met.join(keys, on="judgment_key", how="left", maintain_order="left")["key"].to_numpy()
        key = key_of_code[of_key.astype(np.int64)]
        pairs = judged.pairs.pairs.select(pl.col("key", "judgment").cast(pl.UInt32))
        without = shown["judgment"].is_null().to_numpy()
        number = np.where(without, len(pairs) - 1 + without.cumsum(), shown["judgment"].fill_null(0).to_numpy())
        number = number.astype(np.uint32)
        pairs = pl.concat([pairs, pl.DataFrame({"key": key[without], "judgment": number[without]})])
        pooled = judged.pairs.pairs.filter(judged.grade.is_null())["key"].to_numpy()
        many = np.bincount(pooled, minlength=len(keys)) + np.bincount(key[without], minlength=len(keys))
        placed = shown.with_columns(judgment=number)
        return cls(judged, keys, many.astype(np.int64), texts, pairs, placed, kept)

    @property
    def whole(self) -> bool:
        """Whether nothing is unjudged."""
        return not self.unjudged.any()

    @cached_property
    def grade(self) -> pl.Series:
        """Grade of every pair; null where it has none."""
        return self._without(self.judged.grade.cast(pl.Float64).alias("grade"))

    @cached_property
    def lifted(self) -> pl.Series | None:
        """The same for ``gain=lifted``, where that differs."""
        return None if self.judged.lifted is None else self._without(self.judged.lifted.alias("grade"))

    @cached_property
    def known(self) -> GradedPairs:
        """All pairs with the grades that they have."""
        pairs = JudgmentIndex(self.keys, None, self.pairs)
        return GradedPairs(pairs, self.grade, self.judged.whose, self.judged.settings, self.lifted)

    @cached_property
    def new_keys(self) -> bool:
        """Whether something is unjudged for a key for which nothing is judged."""
        judged = np.zeros(len(self.keys), dtype=bool)
        judged[: len(self.judged.keys)] = self.judged.keys.to_numpy()
        return bool((~judged & (self.unjudged > 0)).any())

    def supposing(self, grade: float) -> GradedPairs:
        """The judgments if every unjudged document of the study had this grade; made once for each grade."""
        if grade not in self._supposed:
            judged = np.zeros(len(self.keys), dtype=bool)
            judged[: len(self.judged.keys)] = self.judged.keys.to_numpy()
            lifted = None if self.lifted is None else self.lifted.fill_null(grade)
            made = replace(self.known, grade=self.grade.fill_null(grade), lifted=lifted)
            made._gains["keys"] = pl.Series("key", judged | (self.unjudged > 0))
            self._supposed[grade] = made
        return self._supposed[grade]

    def numbered(self, batch: SessionBatch) -> pl.Series:
        """The number of the pair of every result of a batch; null only where there is no judgment_key."""
        held = self.kept.of(batch)
        numbers = self.shown["judgment"]
        if held is None:
            rows = unjudged_pairs(batch, self.texts)
            at, number = rows["row"].to_numpy(), numbers.gather(self._places.rows(rows["pair"])).to_numpy()
        else:
            of_pairs = numbers.to_numpy()[np.searchsorted(self.shown["pair"].to_numpy(), held.pairs)]
            at, number = held.row, of_pairs[held.place]
        made = batch.results["judgment"].cast(pl.Float64).to_numpy(writable=True)  # NaN where it has none
        made[at] = number
        return pl.Series("judgment", made, nan_to_null=True).cast(pl.UInt32)

    def named(self, judgment: np.ndarray) -> pl.DataFrame:
        """``judgment_key`` and ``doc_id`` of some unjudged pairs that are shown, by their numbers."""
        place = np.zeros(len(self.pairs), dtype=np.int64)
        place[self.shown["judgment"].to_numpy()] = np.arange(len(self.shown))
        document = self.shown["pair"].gather(place[judgment]) % KEY
        key = self.pairs["key"].gather(judgment)
        return pl.DataFrame(
            [
                self.keys["judgment_key"].gather(key),
                self.texts.documents.texts(document).alias("doc_id"),
            ]
        )

    @cached_property
    def _places(self) -> Lookup:
        """Rows of `shown` by pair."""
        return Lookup.of(self.shown["pair"])

    def _without(self, grade: pl.Series) -> pl.Series:
        """Grades of the judged pairs, and of the others none."""
        nothing = pl.Series("grade", [], dtype=grade.dtype).extend_constant(None, len(self.pairs) - len(grade))
        return pl.concat([grade, nothing])


UNJUDGED_PAIRS = pl.Schema({"pair": pl.UInt64(), "judgment": pl.UInt32()})
"""Unjudged pairs: the numbers of key and document as one, and of those that are pooled that of their judgment."""
KEY = 2**32
"""What the number of a key is multiplied by in a pair."""
HELD = 100
"""Bytes that a kept result takes, and what is made of it while its batch is looked at."""


def _held() -> pl.Series:
    """A column without rows that holds the numbers of a numbering of its own: polars forgets them with its last column."""
    return pl.Series([], dtype=pl.Categorical(pl.Categories.random()))


@dataclass(frozen=True, eq=False)
class Numbering:
    """Texts and their numbers.

    >>> numbering = Numbering()
    >>> numbering.of(pl.Series(["b", "a", None, "b"])).to_list()
    [0, 1, None, 0]
    >>> numbering.texts(pl.Series([1, 0])).to_list()
    ['a', 'b']
    """

    _numbers: pl.Series = field(default_factory=_held, repr=False)

    def of(self, texts: pl.Series) -> pl.Series:
        """Number of each text (UInt32); null where there is none."""
        return texts.cast(self._numbers.dtype).to_physical()

    def texts(self, numbers: pl.Series) -> pl.Series:
        """The text of each number."""
        return numbers.cast(pl.UInt32).cat.to(self._numbers.dtype).cast(pl.String)


@dataclass(frozen=True, eq=False)
class PoolTexts:
    """Numbers of the texts of keys and of unjudged documents."""

    keys: Numbering = field(default_factory=Numbering)
    documents: Numbering = field(default_factory=Numbering)


def key_codes(batch: SessionBatch, texts: PoolTexts) -> pl.Series:
    """The number that the judgment_key of every query has among the texts."""
    if batch.own_keys:
        return texts.keys.of(keys_of_queries(batch.features, batch.queries, batch.queries["session"]))
    return texts.keys.of(batch.features["judgment_key"]).gather(batch.queries["session"])


def unjudged_rows(batch: SessionBatch) -> pl.DataFrame:
    """The results without a grade: ``row``, ``query``, ``doc_id`` and ``judgment``, null where it is not pooled either."""
    rows = batch.results.select("query", "doc_id", "judgment").with_row_index("row")
    grade = batch.judged.grade
    without = pl.col("judgment").is_null()
    if grade.null_count():
        without = without | pl.lit(grade.is_null()).gather(pl.col("judgment")).fill_null(value=False)
    return rows.filter(without)


def unjudged_pairs(batch: SessionBatch, texts: PoolTexts) -> pl.DataFrame:
    """The results without a grade: ``row``, ``pair`` (numbers of key and document), ``judgment`` (null: not pooled either)."""
    rows = unjudged_rows(batch)
    pair = pl.DataFrame(
        [key_codes(batch, texts).gather(rows["query"]).alias("key"), texts.documents.of(rows["doc_id"])]
    )
    found = pair.select(pair=pl.col("key").cast(pl.UInt64) * KEY + pl.col("doc_id").cast(pl.UInt64))
    return found.with_columns(rows["row"], rows["judgment"]).filter(pl.col("pair").is_not_null())


class UnjudgedRows(NamedTuple):
    """A batch, its unjudged pairs, each once, and of every unjudged result its row and the place of its pair."""

    batch: SessionBatch
    pairs: np.ndarray
    row: np.ndarray
    place: np.ndarray


@dataclass(eq=False)
class BatchRoom:
    """The batches of a study that is small enough to be looked at twice without being read twice.

    Parameters
    ----------
    room
        How many results there is room for.
    batches
        The batches, in order; None once there was no room.
    """

    room: int
    batches: list[UnjudgedRows] | None = field(default_factory=list)

    def add(self, held: UnjudgedRows) -> None:
        """Keep a batch, if there is room."""
        self.room -= len(held.batch.results)
        if self.room < 0:
            self.batches = None
        if self.batches is not None:
            self.batches.append(held)

    def of(self, batch: SessionBatch) -> UnjudgedRows | None:
        """What was kept of a batch."""
        return next((held for held in self.batches or () if held.batch is batch), None)

    def run(self, tasks: Sequence[Reduction]) -> list[pl.DataFrame]:
        """Do several tasks with what was kept; the whole of each."""
        made: list[list[pl.DataFrame]] = [[] for _ in tasks]
        for held in self.batches or ():
            for task, parts in zip(tasks, made, strict=True):
                parts.append(task.part(held.batch))
            held.batch.memo.clear()
        return [task.whole(parts) for task, parts in zip(tasks, made, strict=True)]


@dataclass(frozen=True, eq=False)
class OverDocuments:
    """A task that looks at documents by their names, judged or not.

    Parameters
    ----------
    measures
        Measures of sessions, in the order of the rows.
    grouping
        The sessions and their groups.
    reads
        Columns to read, by table.
    """

    measures: tuple[Measure, ...]
    grouping: Grouping
    reads: Mapping[str, Sequence[str]]

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        grouped = self.grouping.columns()
        found = {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in {**self.reads, **grouped}}
        found["results"] = [*dict.fromkeys([*found.get("results", ()), "doc_id"])]
        return found

    @property
    def slots(self) -> int:
        """Slots of ideal sessions."""
        inner = [measure.inner for measure in self.measures if measure.inner.session_ideal is not None]
        return max((measure.cutoff or WITHOUT_CUTOFF for measure in inner), default=1)

    @property
    def columns_made(self) -> int:
        """Each measure is worked out about three times."""
        return 8 + 3 * len(self.measures)


@dataclass(frozen=True, eq=False)
class PoolReduction(OverDocuments):
    """The documents shown that have no grade: a row per key and document.

    Parameters
    ----------
    texts
        Where texts have their numbers.
    kept
        Where batches are kept for the tasks that come after it.
    """

    texts: PoolTexts
    kept: BatchRoom

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """The batch's."""
        rows = unjudged_pairs(batch, self.texts)
        place, first = places(rows["pair"].to_numpy())
        distinct = rows[first].select("pair", "judgment").cast(dict(UNJUDGED_PAIRS))  # type: ignore[arg-type]
        named = "doc_id" in self.reads.get("results", ())
        lean = replace(batch, results=batch.results if named else batch.results.drop("doc_id"))
        row = rows["row"].to_numpy()
        self.kept.add(UnjudgedRows(lean, distinct["pair"].to_numpy(), row, place.astype(np.uint32)))
        return distinct

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one, in the order of the pairs."""
        if len(parts) == 1:
            return parts[0]
        rows = pl.concat([UNJUDGED_PAIRS.to_frame(), *parts])
        return rows[places(rows["pair"].to_numpy())[1]]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same."""
        return self.added([*parts])


@dataclass(frozen=True, eq=False)
class OverUnjudged(OverDocuments):
    """A task that looks at unjudged documents.

    Parameters
    ----------
    pool
        What is unjudged in the whole study.
    top
        Best grade of the scale, if it is known.
    """

    pool: Pool
    top: float | None


WORST = -1.0
"""A grade that gains nothing under any measure."""


@dataclass(frozen=True, eq=False)
class Unjudged:
    """A batch whose unjudged results are numbered like the judged ones.

    Parameters
    ----------
    batch
        The batch as it was.
    pool
        The keys and pairs of the study.
    results
        The batch's results with the number of their pair (``judgment``); null only where there is no judgment_key.
    """

    batch: SessionBatch
    pool: Pool
    results: pl.DataFrame
    beside: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was laid out of it, for whoever else asks for the same."""
    _supposed: dict[float, SessionBatch] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, batch: SessionBatch, pool: Pool) -> Unjudged:
        """Number what is unjudged in a batch that was read with doc_id; made once for all tasks that look at it."""
        if not pool.last or pool.last[0][0] is not batch:
            numbered = batch.results.with_columns(pool.numbered(batch))
            pool.last[:] = [(batch, cls(batch, pool, numbered))]
        made: Unjudged = pool.last[0][1]
        return made

    @property
    def grade(self) -> pl.Series:
        """Grade of every pair; null where it has none."""
        return self.pool.grade

    @property
    def judged(self) -> GradedPairs:
        """The pairs with their numbers."""
        return self.pool.known

    @property
    def unknown(self) -> pl.Series:
        """Whether every pair has no grade, in the order of their numbers."""
        return self.grade.is_null()

    def values(self, measures: Iterable[Measure], by: str) -> dict[Measure, pl.DataFrame]:
        """Values of sessions, or queries, as the batch is; each worked out once."""
        if by == "session":
            return session_values(self.batch, measures)
        known = self.beside.setdefault("values", {})
        known.update(query_values(self.batch, [measure.inner for measure in measures if measure not in known]))
        found: dict[Measure, pl.DataFrame] = known
        return found

    def supposing(self, grade: float) -> SessionBatch:
        """The batch if every unjudged document of the study had this grade; made once for each grade."""
        if grade not in self._supposed:
            self._supposed[grade] = self._under(self.pool.supposing(grade))
        return self._supposed[grade]

    def _under(self, judged: GradedPairs) -> SessionBatch:
        """The batch under these judgments, whose keys are those of the pool."""
        key = judged.pairs.key_of(self.batch.features["judgment_key"])
        own = judged_only(key, judged)
        of_queries = own.gather(self.batch.queries["session"])
        if self.batch.own_keys:
            keys = keys_of_queries(self.batch.features, self.batch.queries, self.batch.queries["session"])
            of_queries = judged_only(judged.pairs.key_of(keys), judged)
        return replace(
            self.batch,
            judged=judged,
            sessions=self.batch.sessions.with_columns(own),
            queries=self.batch.queries.with_columns(of_queries),
            results=self.results,
        )


PLACE = ["group", "query_position", "rank"]
COUNTS = ["lists", "results", "judged", "pooled"]
SHOWN_COUNTS = pl.Schema(
    {"group": pl.String(), "query_position": pl.Int32(), "rank": pl.Int32(), **dict.fromkeys(COUNTS, pl.Int64())}
)
"""A part: counts per group, query position and rank; of rank 0 the logged lists, also those that showed nothing."""


@dataclass(frozen=True, eq=False)
class JudgedShareReduction:
    """Judged share of what was shown.

    Parameters
    ----------
    grouping
        The sessions and their groups.
    depth
        Ranks that are looked at; None, all.
    """

    grouping: Grouping
    depth: int | None = None

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.grouping.columns()

    @property
    def slots(self) -> int:
        """A query makes a row of its own."""
        return 1

    @property
    def columns_made(self) -> int:
        """Group, position and three counts."""
        return 5

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts of the batch's results and lists."""
        chosen = self.grouping.sessions(batch)
        row = where(chosen["session"], len(batch.sessions))
        group = chosen["group"].gather(row)
        looked_at = row.is_not_null()
        session = batch.queries["session"]
        queries = pl.DataFrame(
            [
                group.gather(session),
                batch.queries["query_position"].cast(pl.Int32),
                (batch.queries["logged"] & looked_at.gather(session)).alias("counts"),
            ]
        )
        lists = queries.filter("counts").group_by("group", "query_position").agg(lists=pl.len().cast(pl.Int64))
        return pl.concat(
            [SHOWN_COUNTS.to_frame(), self._shown(batch, queries), lists.with_columns(rank=pl.lit(0, pl.Int32))],
            how="diagonal",
        )

    def _shown(self, batch: SessionBatch, queries: pl.DataFrame) -> pl.DataFrame:
        """Counts of results per group, query position and rank: by the number of these three, of which there are few."""
        rows = batch.results.select("query", "rank", "judgment")
        if self.depth is not None:
            rows = rows.filter(pl.col("rank") <= self.depth)
        rows = rows.filter(queries["counts"].gather(rows["query"]))
        alike = queries.select("group", "query_position").unique(maintain_order=True).with_row_index("place")
        of_query = queries.join(
            alike, on=["group", "query_position"], nulls_equal=True, how="left", maintain_order="left"
        )
        wide = int(rows["rank"].to_numpy().max(initial=0)) + 1
        at = of_query["place"].to_numpy().astype(np.int64)[rows["query"].to_numpy()] * wide + rows["rank"].to_numpy()
        known, at = (np.arange(len(alike) * wide), at) if len(alike) * wide <= DIRECT else distinct(at)
        pair = rows["judgment"].is_not_null().to_numpy()
        grade = batch.judged.grade
        judged = (
            grade.is_not_null().gather(rows["judgment"]).fill_null(value=False).to_numpy()
            if grade.null_count()
            else pair
        )
        counts = {
            name: np.bincount(at if which is None else at[which], minlength=len(known)).astype(np.int64)
            for name, which in (("results", None), ("judged", judged), ("pooled", pair & ~judged))
        }
        frame = pl.DataFrame([alike["group"].gather(known // wide), alike["query_position"].gather(known // wide)])
        frame = frame.with_columns(
            pl.Series("rank", known % wide, dtype=pl.Int32), **{k: pl.Series(v) for k, v in counts.items()}
        )
        return frame.filter(pl.col("results") > 0)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([SHOWN_COUNTS.to_frame(), *parts])
        return together.group_by(PLACE).agg(pl.col(COUNTS).sum()).select(SHOWN_COUNTS.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """``group``, ``query_position`` and ``rank`` (null: all of them), ``lists``, ``results``, ``judged``, ``share``."""
        added = self.grouping.named(self.added([*parts]))
        shown = added.filter(pl.col("rank") > 0)
        lists = added.filter(pl.col("rank") == 0)
        every = []
        for by in ([], ["query_position"], ["rank"], ["query_position", "rank"]):
            counts = shown.group_by("group", *by).agg(pl.col("results", "judged", "pooled").sum())
            if "rank" in by:
                counts = counts.with_columns(lists="results")  # a list has one result at a rank
            else:
                many = lists.group_by("group", *by).agg(pl.col("lists").sum())
                counts = many.join(counts, on=["group", *by], how="left", nulls_equal=True)
                counts = counts.with_columns(pl.col("results", "judged", "pooled").fill_null(0))
            every.append(counts)
        found = pl.concat([SHOWN_COUNTS.to_frame(), *every], how="diagonal").with_columns(
            share=exact.quotient(pl.col("judged"), pl.col("results"))
        )
        return natural_sort(found.select(*PLACE, *COUNTS, "share").sort(PLACE, nulls_last=False), "group")


LOW = 2**48
"""What the higher of the two numbers that a sum is kept in is multiplied by."""
EXACT = 2.0**53
"""Whole numbers up to here are doubles."""


def limbs(at: np.ndarray, values: np.ndarray, many: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the values under each number from 0 below ``many``, at the fixed scale: of each how many `LOW`, and the rest.

    Parameters
    ----------
    at
        The number of every value.
    values
        Doubles below 2^30.

    >>> [part.tolist() for part in limbs(np.array([2, 0, 2]), np.array([0.5, 1.0, -0.25]), 3)]
    [[4096, 0, 1024], [0, 0, 0]]
    """
    whole = np.rint(values * SCALE)
    step = EXACT / 2.0 ** np.ceil(np.log2(max(len(values), 2)))  # so many numbers below it add up without rounding
    high = np.floor(whole / step)
    if float(np.abs(high).max(initial=0.0)) * max(1, len(values)) >= EXACT:
        return _by_group(at, whole, many)
    sums = [np.bincount(at, weights=part, minlength=many).astype(np.int64) for part in (high, whole - high * step)]
    if step < LOW:
        part = LOW // int(step)
        return carried(sums[0] // part, sums[0] % part * int(step) + sums[1])
    # what is left of the higher part goes down in two steps, none of which overflows
    times = int(step) // LOW
    return carried(sums[0] * times, sums[1])


def carried(high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same number, the lower part below `LOW`."""
    return high + low // LOW, low % LOW


def totals(at: np.ndarray, values: np.ndarray, many: int) -> pl.Series:
    """The same as one number each (Int128).

    >>> totals(np.array([2, 0, 2]), np.array([0.5, 1.0, -0.25]), 3).to_list() == [2**60, 0, 2**58]
    True
    """
    high, low = limbs(at, values, many)
    both = pl.DataFrame({"high": high, "low": low}).cast(pl.Int128)
    return both.select(total=pl.col("high") * pl.lit(LOW, pl.Int128) + pl.col("low")).to_series()


def _by_group(at: np.ndarray, whole: np.ndarray, many: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for numbers so large that their sums might not be doubles."""
    rows = pl.DataFrame({"at": at, "value": whole}).with_columns(pl.col("value").cast(pl.Int128))
    sums = rows.group_by("at").agg(high=(pl.col("value") // LOW).sum(), low=(pl.col("value") % LOW).sum())
    parts = []
    for name in ("high", "low"):
        part = np.zeros(many, dtype=np.int64)
        part[sums["at"].to_numpy()] = sums[name].cast(pl.Int64).to_numpy()
        parts.append(part)
    return carried(*parts)


def distinct(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some whole numbers in order, each once, and the place there of every one that was given.

    >>> [found.tolist() for found in distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = first.cumsum() - 1
    return ordered[first], place


def places(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of every number among all that there are, in order, and where each of these stands first.

    >>> [found.tolist() for found in places(np.array([7, 3, 7]))]
    [[1, 0, 1], [1, 0]]
    """
    known, place = distinct(numbers)
    first = np.empty(len(known), dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return place, first


def doubles(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Sums as doubles."""
    found: np.ndarray = (high.astype(float) * LOW + low) / SCALE
    return found


def summed(at: np.ndarray, values: np.ndarray, many: int) -> np.ndarray:
    """Sum of the values under each number from 0 below ``many`` as doubles, rounded once.

    >>> summed(np.array([1, 1]), np.array([0.1, 0.2]), 2).tolist()
    [0.0, 0.30000000000000004]
    """
    return doubles(*limbs(at, values, many))
