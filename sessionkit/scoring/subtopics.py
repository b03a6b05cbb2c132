"""Subtopics and nuggets of a session: how high its documents fill each of them, what that gains, and the best that could be shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.lists import per_session, with_session
from sessionkit.study.numbering import sums

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, eq=False)
class Cubes:
    """The cubes of the sessions of a batch.

    Parameters
    ----------
    lists
        The result lists, in which a document gains once in a session.
    gain, min_grade
        Whether ratings of 0 are lifted to 1; lowest grade that is relevant to a subtopic.
    gamma, height
        What each further document leaves of its grade; where a subtopic is full.
    filler
        Whether a list without a result counts as one document, which nobody judged.
    """

    lists: Lists
    gain: str
    min_grade: float
    gamma: float
    height: float
    filler: bool = False

    @cached_property
    def grades(self) -> pl.DataFrame:
        """The relevant grades: ``key``, ``judgment``, ``subtopic``, ``grade``."""
        subtopics = self.lists.judged.subtopics(self.gain)
        if subtopics is None:
            return pl.DataFrame(
                schema={**dict.fromkeys(("key", "judgment", "subtopic"), pl.UInt32), "grade": pl.Float64}
            )
        grades = subtopics.grades.with_columns(grade=gain_expr(pl.col("grade"), self.gain))
        return grades.filter(pl.col("grade") >= self.min_grade, pl.col("grade") > 0)

    @cached_property
    def bases(self) -> pl.DataFrame:
        """The recall bases that sessions draw on, as numbers: ``session``, ``base`` and its ``keys``."""
        keys = self.lists.queries.filter(pl.col("key").is_not_null()).group_by("session")
        found = keys.agg(keys=pl.col("key").unique().sort())
        return found.with_columns(base=pl.col("keys").cast(pl.List(pl.String)).list.join(" ").rank("dense")).sort(
            "session"
        )

    @cached_property
    def base_grades(self) -> pl.DataFrame:
        """The relevant grades of every base: ``base``, ``judgment``, ``subtopic``, ``grade``."""
        keys = self.bases.select("base", "keys").unique("base").explode("keys").rename({"keys": "key"})
        return keys.join(self.grades, on="key").select("base", "judgment", "subtopic", "grade")

    @cached_property
    def subtopics(self) -> pl.Series:
        """How many subtopics have a relevant document, of every session in order; null or 0 where none has."""
        many = self.base_grades.group_by("base").agg(many=pl.col("subtopic").n_unique())
        return per_session(self.lists, self.bases.join(many, on="base"), pl.col("many").sum())

    @cached_property
    def shape(self) -> pl.DataFrame:
        """The lists of every session: ``list``, ``session``, ``turn`` (1 for its first), ``documents`` shown and ``before`` it."""
        documents = self.lists.per_list(self.lists.every).clip(lower_bound=int(self.filler))
        lists = self.lists.queries.select("list", "session", documents=documents)
        begins = (pl.col("documents").cum_sum() - pl.col("documents")).over("session")
        return lists.with_columns(turn=pl.int_range(1, pl.len() + 1).over("session"), before=begins)

    @cached_property
    def documents(self) -> pl.Series:
        """Documents shown, of every session in order."""
        return sums(self.shape["documents"], self.shape["session"], len(self.lists.batch.sessions))

    @cached_property
    def gains(self) -> pl.DataFrame:
        """What single documents add: ``session``, ``place`` (number of the document in its session, from 1) and ``total``, at
        the fixed scale.
        """
        rows = self.lists.every.with_columns(self.lists.nth(self.lists.every).alias("nth"))
        rows = rows.filter(pl.col("first"), pl.col("judgment").is_not_null()).drop("grade")
        parts = rows.join(self.grades.drop("key"), on="judgment", maintain_order="left").sort("list", "rank")
        parts = self.filled(with_session(self.lists, parts), "session")
        before = self.shape["before"].gather(parts["list"])
        placed = parts.with_columns(place=pl.col("nth") + before)
        return placed.group_by("session", "place").agg(pl.col("total").sum()).sort("session", "place")

    def filled(self, parts: pl.DataFrame, of: str) -> pl.DataFrame:
        """Parts of subtopics, in the order in which they are shown, with the ``total`` that each adds, at the fixed scale."""
        inside = (of, "subtopic")
        nth = pl.int_range(1, pl.len() + 1).over(inside)
        reached = exact.fixed(pl.col("grade") * pl.lit(self.gamma, pl.Float64).pow(nth)).cum_sum().over(inside)
        full = pl.lit(round(self.height * exact.SCALE), pl.Int128)
        parts = parts.with_columns(nth_part=nth, reached=pl.min_horizontal(reached, full))
        return parts.with_columns(total=pl.col("reached") - pl.col("reached").shift(1, fill_value=0).over(inside))

    def ideal(self, *, each: bool) -> pl.DataFrame:
        """What single documents of the best session of the same shape add: ``session``, ``place``, ``total``.

        Best is what reaches most in the end or, with ``each``, what each document finds reached, as `ACT` counts it. The
        shape is how many documents each list shows.
        """
        bounded = self.bases.join(self.bound, on="base").with_columns(self._many("session"))
        bounded = bounded.filter(pl.col("place") <= pl.col("many")).select("session", "base", "place", "total")
        solved = [self._solved(base, each=each) for base in self._solvable]
        numbers = pl.Series(self._solvable, dtype=pl.UInt32)
        return pl.concat([bounded.filter(~pl.col("base").is_in(numbers.implode())).drop("base"), *solved])

    @cached_property
    def bound(self) -> pl.DataFrame:
        """What single documents of a base can add at most, one after the other: ``base``, ``place``, ``total``."""
        longest = self.bases.with_columns(self._many("session")).group_by("base").agg(most=pl.col("many").max())
        # as many parts as the documents that cover most subtopics have together
        widest = self.base_grades.group_by("base", "judgment").agg(covers=pl.len().cast(pl.Int64))
        widest = widest.sort("base", "covers", descending=[False, True])
        place = pl.int_range(1, pl.len() + 1).over("base")
        widest = widest.select("base", place=place, parts=pl.col("covers").cum_sum().over("base"))
        widest = widest.join(longest, on="base").filter(pl.col("place") <= pl.col("most"))
        each = widest.join(self._parts, on="base").filter(pl.col("nth_part") <= pl.col("place"))
        each = each.sort("base", "place", "total", descending=[False, False, True])
        taken = each.filter(pl.int_range(1, pl.len() + 1).over("base", "place") <= pl.col("parts"))
        reached = taken.group_by("base", "place").agg(pl.col("total").sum()).sort("base", "place")
        return reached.with_columns(total=pl.col("total") - pl.col("total").shift(1, fill_value=0).over("base"))

    def _many(self, session: str) -> pl.Expr:
        """Documents shown in the session of each row, as ``many``."""
        return pl.lit(self.documents).gather(pl.col(session)).alias("many")

    @cached_property
    def _parts(self) -> pl.DataFrame:
        """The parts of every base, in the best order of each subtopic."""
        order = ["base", "subtopic", "grade", "judgment"]
        return self.filled(self.base_grades.sort(order, descending=[False, False, True, False]), "base")

    @cached_property
    def _solvable(self) -> list[int]:
        """Bases with documents for several subtopics that are few, and that fill no subtopic."""
        full = (self._parts["reached"] >= round(self.height * exact.SCALE)).alias("full")
        documents = self._parts.with_columns(full).group_by("base", "judgment").agg(pl.len(), pl.col("full").any())
        of_base = documents.group_by("base").agg(pl.len().alias("many"), pl.col("len").max(), pl.col("full").any())
        few = of_base.filter(pl.col("many") <= MOST, pl.col("len") > 1, ~pl.col("full"))
        return few["base"].sort().to_list()

    def _solved(self, base: int, *, each: bool) -> pl.DataFrame:
        """What the documents of the best session of a shape add, for every session of a base that was solved exactly."""
        mine = self.base_grades.filter(pl.col("base") == base)
        documents, column = mine["judgment"].unique().sort(), mine["subtopic"].rank("dense").to_numpy() - 1
        grades = np.zeros((len(documents), int(column.max()) + 1))
        grades[documents.search_sorted(mine["judgment"]).to_numpy(), column] = mine["grade"].to_numpy()
        sessions = self.bases.filter(pl.col("base") == base).select("session").with_row_index("row")
        slots = self.slots.join(sessions, on="session").filter(pl.col("place") <= len(documents))
        weights = np.zeros((len(sessions), len(documents)))
        worth = slots["weight"] if each else slots["place"] * 0.0 + 1.0
        weights[slots["row"].to_numpy(), slots["place"].to_numpy() - 1] = worth.to_numpy()
        asked, question = np.unique(weights, axis=0, return_inverse=True)
        orders = best_orders(grades, self.gamma, asked)
        number = pl.int_range(orders.size, dtype=pl.Int64, eager=True)
        shown = pl.DataFrame(
            {
                "question": number // len(documents),
                "place": number % len(documents) + 1,
                "judgment": documents.gather(orders.ravel()),
            }
        )
        parts = self.filled(shown.join(mine, on="judgment", maintain_order="left"), "question")
        added = parts.group_by("question", "place").agg(pl.col("total").sum()).sort("question", "place")
        of_session = sessions.with_columns(question=pl.Series(question.ravel(), dtype=pl.Int64))
        found = of_session.join(added, on="question").with_columns(self._many("session"))
        return found.filter(pl.col("place") <= pl.col("many")).select("session", "place", "total")

    @cached_property
    def slots(self) -> pl.DataFrame:
        """The documents shown, by place: ``session``, ``place``, ``turn`` and ``weight``, the sum of 1 / turn from there on."""
        lists = self.shape.filter(pl.col("documents") > 0)
        each = lists.select(pl.col("session", "turn").repeat_by("documents").explode())
        turns = each.with_columns(place=pl.int_range(1, pl.len() + 1).over("session"))
        worth = exact.unfixed(exact.fixed(1.0 / pl.col("turn")).cum_sum(reverse=True).over("session"))
        return turns.with_columns(weight=worth)


MOST = 10
"""Documents of which all sets are looked at."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def best_orders(grades: Floats, gamma: float, weights: Floats) -> Ints:
    """Order the documents so that the weighted sum of what they add is largest.

    Parameters
    ----------
    grades
        A row per document (at most `MOST`), a column per subtopic; 0 where it does not cover it.
    gamma
        The n-th document for a subtopic adds its grade x gamma^n.
    weights
        A row per question, a column per place: what an addition at that place is worth; falling.

    Returns
    -------
    numpy.ndarray
        A row per question with the numbers of the documents, best first.

    One document covers both subtopics, the others one each, better; of one place the first is best, of two the others:

    >>> grades = np.array([[1.6, 1.6], [3.0, 0.0], [0.0, 3.0]])
    >>> one, two = best_orders(grades, 0.5, np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])).tolist()
    >>> one[0], sorted(two[:2])
    (0, [1, 2])
    """
    many, asked = len(grades), np.arange(len(weights))
    sets = np.arange(1 << many)
    holds = (sets[:, None] >> np.arange(many)) & 1
    counted = holds @ (grades > 0).astype(np.int64)
    adds = np.zeros(holds.shape)
    for subtopic in range(grades.shape[1]):  # one after the other: the same bits on every machine
        adds += np.power(gamma, counted[:, [subtopic]] + 1) * grades[:, subtopic]
    best = np.full((len(weights), 1 << many), -np.inf)
    best[:, 0] = 0.0
    last = np.zeros(best.shape, dtype=np.int8)
    sizes = holds.sum(axis=1)
    for place in range(many):
        for document in range(many):
            before = sets[(sizes == place) & (holds[:, document] == 0)]
            after = before | (1 << document)
            reached = best[:, before] + weights[:, [place]] * adds[before, document]
            better = reached > best[:, after]
            best[:, after] = np.where(better, reached, best[:, after])
            last[:, after] = np.where(better, document, last[:, after])
    orders = np.zeros((len(weights), many), dtype=np.int64)
    left = np.full(len(weights), (1 << many) - 1)
    for place in reversed(range(many)):
        orders[:, place] = last[asked, left]
        left = left ^ (1 << orders[:, place])
    return cast("Ints", orders)


NONE = {**dict.fromkeys(("key", "judgment", "nugget"), pl.UInt32), "rating": pl.Float64, "times": pl.Float64}


@dataclass(frozen=True, eq=False)
class Nuggets:
    """The nuggets of the sessions of a batch; sums are at the fixed scale, for every session in order.

    Parameters
    ----------
    lists
        The result lists, in which a document gains once in a session.
    gain, min_grade
        Whether ratings of 0 are lifted to 1; lowest rating that counts.
    p, gamma, cost
        Chance to read on; what each further time leaves of a nugget; cost of a word.
    """

    lists: Lists
    gain: str
    min_grade: float
    p: float
    gamma: float
    cost: float

    @cached_property
    def rated(self) -> pl.DataFrame:
        """The nuggets that count: ``key``, ``judgment``, ``nugget``, ``rating``, ``times``."""
        subtopics = self.lists.judged.subtopics(self.gain)
        known = pl.DataFrame(schema=NONE) if subtopics is None else subtopics.nuggets
        known = known.with_columns(rating=gain_expr(pl.col("rating"), self.gain))
        return known.filter(pl.col("rating") >= self.min_grade, pl.col("rating") > 0)

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The results shown, with their ``session`` and the chance that they are ``read``."""
        read = pl.lit(float(self.p)).pow(pl.col("rank") - 1)
        return with_session(self.lists, self.lists.every).with_columns(read=read)

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The recall bases of every session: ``session``, ``key``."""
        return self.lists.queries.filter(pl.col("key").is_not_null()).select("session", "key").unique()

    @cached_property
    def known(self) -> pl.Series:
        """How many nuggets there are for every session."""
        many = self.rated.group_by("key").agg(many=pl.col("nugget").n_unique().cast(pl.Int64))
        return per_session(self.lists, self.keys.join(many, on="key"), pl.col("many").sum()).fill_null(0)

    @cached_property
    def gained(self) -> pl.Series:
        """What is expected to be gained."""
        shown = self.rows.filter(pl.col("first"), pl.col("judgment").is_not_null())
        parts = shown.join(self.rated.drop("key"), on="judgment")
        times = parts.group_by("session", "nugget", "rating").agg(expected=exact.fixed(_often()).sum())
        return self._sum(times, self._worth(exact.unfixed(pl.col("expected"))))

    @cached_property
    def spent(self) -> pl.Series:
        """What reading is expected to cost."""
        return self._sum(self._lengths, self._price(pl.col("words")))

    @cached_property
    def costs(self) -> tuple[pl.Series, pl.Series]:
        """The least and the most that reading the same lengths can cost: the longest read least, and most."""
        by_chance = self._lengths.sort("session", "read", descending=[False, True])
        short = self._lengths.sort("session", "words").get_column("words")
        long = self._lengths.sort("session", "words", descending=[False, True]).get_column("words")
        least, most = (self._sum(by_chance, self._price(pl.lit(words))) for words in (short, long))
        return least, most

    @cached_property
    def most_gained(self) -> pl.Series:
        """The bound of what could be expected to be gained."""
        nth = pl.int_range(1, pl.len() + 1).over("session")
        slots = self.rows.select("session", "read").sort("session", "read", descending=[False, True])
        slots = slots.with_columns(nth=nth)
        worth = self.rated.group_by("key", "judgment").agg(
            exact.fixed(pl.col("rating") * pl.col("times")).sum().alias("worth")
        )
        documents = self.keys.join(worth, on="key").sort(
            "session", "worth", "judgment", descending=[False, True, False]
        )
        placed = documents.with_columns(nth=nth).join(slots, on=["session", "nth"])
        parts = placed.select("session", "judgment", "read").join(self.rated.drop("key"), on="judgment")
        bound = self._sum(parts, pl.col("times") * self._worth(pl.col("read")))
        rated = self.rated.sort("nugget", "times", "judgment", descending=[False, True, False])
        copies = rated.with_columns(nth=pl.int_range(1, pl.len() + 1).over("nugget"))
        if not len(copies) or copies.select(pl.max_horizontal(pl.col("nth", "times").max())).item() == 1:
            return bound
        each = self.keys.join(copies, on="key").join(slots, on=["session", "nth"])
        each = each.group_by("session", "nugget", "rating").agg(expected=exact.fixed(_often()).sum())
        other = self._sum(each, self._worth(exact.unfixed(pl.col("expected"))))
        return pl.select(pl.min_horizontal(bound, other)).to_series()

    @cached_property
    def _lengths(self) -> pl.DataFrame:
        """The results shown with their chance to be ``read`` and ``words``, 0 where they are not known."""
        known = pl.col("words") if "words" in self.rows.columns else pl.lit(None)
        return self.rows.select("session", "read", words=known.cast(pl.Float64).fill_null(0.0))

    def _worth(self, times: pl.Expr) -> pl.Expr:
        """What a nugget gains that is expected so many times."""
        learnt = exact.quotient(1.0 - pl.lit(float(self.gamma)).pow(times), pl.lit(1.0 - self.gamma))
        return pl.col("rating") * learnt

    def _price(self, words: pl.Expr) -> pl.Expr:
        """What a document of such a length is expected to cost."""
        return pl.col("read") * words * float(self.cost)

    def _sum(self, rows: pl.DataFrame, value: pl.Expr) -> pl.Series:
        """Exact sum of every session, 0 where it has nothing to add."""
        none = pl.lit(0, pl.Int128)
        added = per_session(self.lists, rows.with_columns(added=exact.fixed(value)), pl.col("added").sum())
        return pl.select(pl.coalesce(added, none)).to_series()


def _often() -> pl.Expr:
    """How often a document is expected to make its nugget read: once for each of its passages that say it."""
    return pl.col("read") * pl.col("times")
