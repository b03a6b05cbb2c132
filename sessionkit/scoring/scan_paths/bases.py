"""What paths are divided by: the best that a path of as many documents could have gained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.scoring.lists import Lists
from sessionkit.scoring.scan_paths.arrays import integers
from sessionkit.scoring.scan_paths.walk import Floats, Integers


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
        if lists.block.own_keys and lists.selection.grades != "user":
            asked = asked.unique().sort("session", "key")
        else:  # the queries of a session have its key
            asked = asked.filter(pl.col("session") != pl.col("session").shift(1, fill_value=len(lists.block.sessions)))
        session, key = integers(asked["session"]), integers(asked["key"])
        begins = np.zeros(len(lists.block.sessions), dtype=np.int64)
        many = np.zeros(len(lists.block.sessions), dtype=np.int64)
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
