"""The cube of a session: how high its documents fill each subtopic, and how high the best ones could.

What a document adds to a subtopic is its grade x gamma^n, as the n-th relevant document for it that the session shows,
until the subtopic is full. The best that so many documents can add bounds it: of all single parts (a document for a
subtopic, in the best order of that subtopic), the largest, as many as the documents that cover most subtopics have
together, and no more of one subtopic than there are documents. The bound is met where each document covers one subtopic,
and where one order of the documents is the best for every subtopic; finding the best set of documents in general is as
hard as maximum coverage, so that small recall bases are solved exactly (see `sessionkit.scoring.subtopics.best_cubes`) and the
bound of large ones may lie above the best session.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.per_session import per_session, with_session
from sessionkit.scoring.subtopics.best_cubes import MOST, best_orders
from sessionkit.study.row_index import sums

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
