"""What parts leave behind: every user once, however many parts name it."""

import numpy as np
import polars as pl

from sessionkit.readers.checking.assembly import Assembled
from sessionkit.readers.checking.counts import Counts
from sessionkit.readers.large.gathering import Gathered


def part(*users):
    """A part with a session of each of these users."""
    sessions = pl.DataFrame({"user_id": users}, schema={"user_id": pl.String})
    return Assembled(sessions, pl.DataFrame(), pl.DataFrame(), (), Counts(), np.empty(0, np.intp))


def test_every_user_is_there_once(tmp_path):
    gathered = Gathered(tmp_path)
    for users in (("a", "b", "b", None), (None,), ("c",), ("b", "d"), ("a", "c")):
        gathered.add(part(*users), Counts(bare=1))
    assert sorted(gathered.users["user_id"]) == ["a", "b", "c", "d"]
    assert gathered.counts.bare == 5
