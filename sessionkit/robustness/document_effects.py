"""By how much each unjudged document would move a session's value, a mean, or the difference between two means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from sessionkit.robustness.normalized_bounds import OpenRows, Shares, best_grade, gain_of, shares
from sessionkit.robustness.unjudged import Numbering, OverUnjudged, Unjudged, carried, distinct, doubles, limbs
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.aggregates import LAST
from sessionkit.scoring.measures.base import Measure
from sessionkit.study.numbering import PAIR, where


@dataclass(frozen=True, eq=False)
class DocumentEffects:
    """What documents move in the sessions of each group.

    Parameters
    ----------
    task
        What was asked.
    added
        What came of it.
    names
        Group that each name of a table stands for: None where it is unknown.
    """

    task: MovesReduction
    added: pl.DataFrame
    names: Mapping[str | None, str | None]
    _rows: dict[str | None, pl.DataFrame] = field(default_factory=dict, repr=False)

    def between(
        self, measure: Measure, sizes: Mapping[str | None, int], b: str | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Documents shown in groups of so many sessions, and what each moves of the difference, b less a (or of the mean of b)."""
        number = self.task.measures.index(measure)
        pairs = len(self.task.pool.pairs)
        moved = np.zeros(pairs + len(self.task.pool.keys))
        shown = np.zeros(pairs, dtype=bool)
        for group, size in sizes.items():
            rows = self._of(group)
            document = rows["document"].to_numpy()
            total = doubles(*(rows[f"{part} {number}"].to_numpy() for part in ("high", "low")))
            moved[document] += total / size * (1.0 if group == b else -1.0)
            shown[document[rows[f"sessions {number}"].to_numpy() > 0]] = True
        documents = np.flatnonzero(shown)
        of_key = self.task.pool.pairs["key"].to_numpy()[documents]
        return documents, moved[documents] + moved[pairs + of_key.astype(np.int64)]

    def most(
        self,
        measure: Measure,
        sizes: Mapping[str | None, int],
        documents: np.ndarray,
        move: np.ndarray,
        many: int,
    ) -> pl.DataFrame:
        """The documents that move most: ``place``, `PAIR`, ``sessions``, ``move``."""
        size = np.abs(move).round(12)
        some = np.flatnonzero(move != 0)
        if len(some) > many:
            least = np.partition(size[some], len(some) - many)[len(some) - many]
            some = some[size[some] >= least]  # with all that move as much as the last
        named = self.task.pool.named(documents[some]).with_columns(
            move=move[some], size=size[some], sessions=self._sessions(measure, sizes, documents[some])
        )
        ranked = named.sort("size", *PAIR, descending=[True, False, False]).head(many)
        return ranked.with_columns(place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))

    def _sessions(self, measure: Measure, sizes: Mapping[str | None, int], documents: np.ndarray) -> np.ndarray:
        """In how many sessions of some groups each of some documents moves something."""
        number = self.task.measures.index(measure)
        found = np.zeros(len(documents), dtype=np.int64)
        for group in sizes:
            rows = self._of(group)
            at = np.searchsorted(rows["document"].to_numpy(), documents).clip(max=max(0, len(rows) - 1))
            if len(rows):
                there = rows["document"].to_numpy()[at] == documents
                found += np.where(there, rows[f"sessions {number}"].to_numpy()[at], 0)
        return found

    def _of(self, group: str | None) -> pl.DataFrame:
        """The rows of a group, by document."""
        if group not in self._rows:
            self._rows[group] = self.task.of_group(self.added, self.names.get(group, group))
        return self._rows[group]


GROUP = 2**32
"""What the number of a group is multiplied by in a slot."""
NO_GROUP = 2**30
"""The number of the group of sessions whose group is unknown."""


@dataclass(frozen=True, eq=False)
class MovesReduction(OverUnjudged):
    """Sums of moves over the sessions of each group, by measures for which moves can be said.

    A part has a row for every group and unjudged document that its sessions show: ``slot`` (the numbers of both as one),
    and of every measure, by its place, ``high n`` and ``low n``, the sum of the moves (see
    `sessionkit.robustness.unjudged`), and ``sessions n``, in how many sessions they are. A number behind those
    of the documents stands for any document of a key.
    """

    groups: Numbering = field(default_factory=Numbering)

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Sums over the batch's sessions."""
        unjudged = Unjudged.of(batch, self.pool)
        chosen = self.grouping.sessions(batch)
        code = self.groups.of(chosen["group"]).fill_null(NO_GROUP).cast(pl.Int64)
        group = code.gather(where(chosen["session"], len(batch.sessions))).fill_null(-1).to_numpy()
        found = [moves(unjudged, measure, self.top) for measure in self.measures]
        pairs, open_ = len(self.pool.pairs), self.pool.unjudged > 0
        shown = {id(of.rows): of.rows for of in found}
        own = {name: distinct(group[rows.number("session")] * GROUP + rows.pair) for name, rows in shown.items()}
        any_ = []
        for of in found:
            session = of.unit if of.by == "session" else batch.queries["session"].to_numpy()[of.unit]
            any_.append(np.where(open_[of.key], group[session] * GROUP + pairs + of.key, -1))
        slots, place = distinct(np.concatenate([*(some for some, _ in own.values()), *any_]))
        place_of = dict(zip(own, np.split(place, np.cumsum([len(some) for some, _ in own.values()])), strict=False))
        rest, columns = place[sum(len(some) for some, _ in own.values()) :], {"slot": pl.Series(slots)}
        for number, of in enumerate(found):
            of_row = place_of[id(of.rows)][own[id(of.rows)][1]]
            here, rest = rest[: len(of.any)], rest[len(of.any) :]
            at = np.concatenate([of_row[of.row], here])
            high, low = limbs(at, np.concatenate([of.move, of.any]), len(slots))
            columns |= {f"high {number}": pl.Series(high), f"low {number}": pl.Series(low)}
            columns[f"sessions {number}"] = pl.Series(_sessions(of, of_row, len(slots)))
        return pl.DataFrame(columns).filter(pl.col("slot") >= 0)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        if len(parts) == 1:
            return parts[0]
        added = pl.concat(parts).group_by("slot").agg(pl.all().sum()).sort("slot")
        for number in range(len(self.measures)):
            names = f"high {number}", f"low {number}"
            pair = carried(*(added[name].to_numpy() for name in names))
            added = added.with_columns(map(pl.Series, names, pair))
        return added

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same as a part, of all sessions, in the order of the slots."""
        return self.added([*parts])

    def of_group(self, added: pl.DataFrame, group: str | None) -> pl.DataFrame:
        """The rows of a group, with ``document``, its number, in place of the slot."""
        codes = self.groups.of(pl.Series([group], dtype=pl.String)).fill_null(NO_GROUP)
        first = int(codes[0]) * GROUP
        begin, end = np.searchsorted(added["slot"].to_numpy(), [first, first + GROUP])
        rows = added.slice(int(begin), int(end - begin))
        return rows.select(pl.exclude("slot"), document=pl.col("slot") - first)


def _sessions(of: Moves, slot: np.ndarray, many: int) -> np.ndarray:
    """In how many sessions the documents of each slot move something."""
    number, first = of.rows.documents
    there = np.zeros(len(first), dtype=bool)
    there[number[of.row]] = True
    return np.bincount(slot[first[there]], minlength=many)


@dataclass(frozen=True, eq=False)
class Moves:
    """What documents would move.

    Parameters
    ----------
    rows
        The results that show them.
    row, move
        A result, as its row there, and what its document moves there.
    unit, key, any
        Of lists or sessions: what any unjudged document of a key would move them by, also one that they do not show, by
        raising their ideal.
    by
        What these units are: ``"query"`` or ``"session"``.
    """

    rows: OpenRows
    row: np.ndarray
    move: np.ndarray
    unit: np.ndarray
    key: np.ndarray
    any: np.ndarray
    by: str

    def weighted(self, weight: np.ndarray) -> Moves:
        """What becomes of it in a value in which each unit has a weight; only what still moves something."""
        of_row = weight[self.rows.number(self.by)[self.row]]
        move, any_ = self.move * of_row, self.any * weight[self.unit]
        some, others = move != 0, any_ != 0
        kept = replace(self, row=self.row[some], move=move[some])
        return replace(kept, unit=self.unit[others], key=self.key[others], any=any_[others])


def moves(unjudged: Unjudged, measure: Measure, top: float | None) -> Moves:
    """What documents would move; only sessions, and queries, that have a score.

    Parameters
    ----------
    measure
        One for which `sessionkit.robustness.normalized_bounds.movable` holds.
    """
    inner = measure.inner
    best = best_grade(inner, top)
    gained = inner.gain_measure
    if measure.bound_kind() == "share" and gained is not None:
        laid_out = shares(unjudged, gained, best)
        found = _of_shares(OpenRows.of(unjudged, inner.selection), laid_out)
    else:
        found = _of_sums(unjudged, inner, best)
    if not measure.reduces_queries:
        by = inner.level
        scored = unjudged.values([measure], "session")[measure]["value"].is_not_null()
        return replace(found, by=by).weighted(scored.to_numpy().astype(float))
    values = unjudged.values([inner], "query")[inner]
    if measure.name == "mean":  # one share each
        counted = pl.col("value").count().over("session")
        weight = pl.when(pl.col("value").is_not_null()).then(exact.quotient(pl.lit(1.0), counted)).otherwise(0.0)
    else:
        value = pl.col("value")
        weight = pl.when(value.is_not_null()).then(measure.query_weights(value, LAST).over("session")).otherwise(0.0)
    weighted = values.select("query", weight=weight.fill_null(0.0))
    weights = np.zeros(len(unjudged.batch.queries))
    weights[weighted["query"].to_numpy()] = weighted["weight"].to_numpy()
    return replace(found, by="query").weighted(weights)


def _of_sums(unjudged: Unjudged, inner: Measure, best: float) -> Moves:
    """Terms of unjudged results at their best."""
    rows = OpenRows.of(unjudged, inner.selection)
    if inner.gain_measure is not None:
        move = rows.worth(inner.gain_measure, gain_of(inner.gain_measure, best))
    elif (summed := inner.term_measure) is not None:
        lists = Lists(unjudged.supposing(best), summed.selection)
        terms, divisor = summed.parts(lists)
        if divisor is not None:
            terms = terms.with_columns(term=exact.quotient(pl.col("term"), pl.lit(divisor.gather(terms["list"]))))
        move = _found(rows, lists.queries["query"].gather(terms["list"]), terms["rank"], terms["term"])
    else:
        msg = f"{inner} is not a sum over results"
        raise TypeError(msg)
    nothing = np.zeros(0, dtype=np.int64)
    return Moves(rows, np.arange(len(move)), np.maximum(move, 0.0), nothing, nothing, np.zeros(0), inner.level)


def _found(rows: OpenRows, query: pl.Series, rank: pl.Series, term: pl.Series) -> np.ndarray:
    """The term of every result, where it has one: by its query and rank."""
    place = query.to_numpy().astype(np.int64) * 2**32 + rank.to_numpy()
    order = np.argsort(place, kind="stable")
    place, asked = place[order], rows.number("query") * 2**32 + rows.frame["rank"].to_numpy()
    at = np.searchsorted(place, asked).clip(max=max(0, len(place) - 1))
    if not len(place):
        return np.zeros(len(asked))
    found: np.ndarray = np.where(place[at] == asked, term.to_numpy()[order][at], 0.0)
    return found


def _of_shares(rows: OpenRows, found: Shares) -> Moves:
    """Moves of quotients.

    With N and I as they are and I' the ideal with one document more of the key, an own document of weight w moves the
    share by (N + Gw) / I' - N / I: N / I' - N / I for any document of the key, and Gw / I' for being shown.
    """
    parts, own = found.parts, found.own
    ideal, more = parts.ideals()
    known, whole = parts.added(parts.known)[parts.unit], parts.added(ideal)[parts.unit]
    with_one = whole + more
    defined = whole > 0
    safe = np.where(defined, whole, 1.0)
    raised = np.where(defined, known / np.where(defined, with_one, 1.0) - known / safe, 0.0)
    here = defined[own.part]
    gained = float(parts.heights.sum()) * own.weight[here] / with_one[own.part[here]]
    some = raised != 0
    return Moves(rows, own.row[here], gained, found.unit[some], found.key[some], raised[some], found.by)
