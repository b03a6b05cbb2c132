"""What parts leave behind: every user once, however many parts name it; sessions that do not rise are refused."""

import numpy as np
import polars as pl
import pytest

from sessionkit.readers.checks.assembly import Assembled
from sessionkit.readers.checks.counts import AnomalyCounts
from sessionkit.readers.large.feeds import OutOfOrderError
from sessionkit.readers.large.totals import Gathered

NAMES = ("session_id", "user_id")


def part(*users, first=0):
    """A part with a session of each of these users, the first of them with this number."""
    names = [f"s{number:03}" for number in range(first, first + len(users))]
    sessions = pl.DataFrame({"session_id": names, "user_id": users}, schema=dict.fromkeys(NAMES, pl.String))
    return Assembled(sessions, pl.DataFrame(), pl.DataFrame(), (), AnomalyCounts(), np.empty(0, np.intp))


def test_every_user_is_there_once(tmp_path):
    gathered = Gathered(tmp_path)
    for number, users in enumerate((("a", "b", "b", None), (None,), ("c",), ("b", "d"), ("a", "c"))):
        gathered.add(part(*users, first=10 * number), AnomalyCounts(bare=1))
    assert sorted(gathered.users["user_id"]) == ["a", "b", "c", "d"]
    assert gathered.counts.bare == 5


@pytest.mark.parametrize("first", [0, 1, 3])
def test_sessions_that_do_not_come_after_those_before_are_refused(tmp_path, first):
    gathered = Gathered(tmp_path)
    gathered.add(part("a", first=0), AnomalyCounts())
    gathered.add(part(), AnomalyCounts())
    gathered.add(part("b", "c", "d", first=1), AnomalyCounts())
    with pytest.raises(OutOfOrderError):
        gathered.add(part("e", first=first), AnomalyCounts())
