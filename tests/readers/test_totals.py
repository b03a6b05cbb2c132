"""What batches leave behind: every user once, however many batches name it."""

import numpy as np
import polars as pl

from sessionkit.readers.checks.derived import Assembled
from sessionkit.readers.checks.rows import AnomalyCounts
from sessionkit.readers.ingest import Totals

NAMES = ("session_id", "user_id")


def part(*users, first=0):
    """A part with a session of each of these users, the first of them with this number."""
    names = [f"s{number:03}" for number in range(first, first + len(users))]
    sessions = pl.DataFrame({"session_id": names, "user_id": users}, schema=dict.fromkeys(NAMES, pl.String))
    return Assembled(sessions, pl.DataFrame(), pl.DataFrame(), (), AnomalyCounts(), np.empty(0, np.intp))


def test_every_user_is_there_once(tmp_path):
    totals = Totals(tmp_path / "rejected")
    for number, users in enumerate((("a", "b", "b", None), (None,), ("c",), ("b", "d"), ("a", "c"))):
        totals.add(part(*users, first=10 * number), AnomalyCounts(bare=1))
    assert sorted(totals.users["user_id"]) == ["a", "b", "c", "d"]
    assert totals.counts.bare == 5
