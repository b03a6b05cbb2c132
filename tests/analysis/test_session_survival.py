"""Sessions that go on: shares counted by hand, intervals against statsmodels' formula and scipy's."""

import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.charts import session_survival, spec_of
from sessionkit.errors import UsageError


def study(lengths, system="A"):
    """A session for each length: so many queries, each with a result."""
    rows = [(f"{system}{number}", query) for number, many in enumerate(lengths) for query in range(1, many + 1)]
    return pl.DataFrame(rows, schema=["session_id", "query_position"], orient="row").with_columns(
        rank=1, doc_id=pl.lit("d"), system_id=pl.lit(system)
    )


def read(*frames):
    rows = pl.concat(frames)
    sessions = rows.select("session_id", "system_id").unique(maintain_order=True)
    return sk.from_tables(rows.drop("system_id"), sessions=sessions)


def test_shares_are_those_of_sessions_that_have_the_query():
    found = sk.session_survival(read(study([1, 1, 2, 4]), study([3, 3], "B")))
    assert found.select("system_id", "query_position", "sessions", "of", "value").rows() == [
        ("A", 1, 4, 4, 1.0), ("A", 2, 2, 4, 0.5), ("A", 3, 1, 4, 0.25), ("A", 4, 1, 4, 0.25),
        ("B", 1, 2, 2, 1.0), ("B", 2, 2, 2, 1.0), ("B", 3, 2, 2, 1.0), ("B", 4, 0, 2, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_intervals_are_wilsons(confidence):
    found = sk.session_survival(read(study([1] * 7 + [2] * 5 + [3])), by=None, confidence=confidence)
    for row in found.iter_rows(named=True):
        theirs = stats.binomtest(row["sessions"], 13).proportion_ci(confidence, method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high))


def test_some_sessions_and_what_is_refused():
    made = read(study([1, 2]), study([3], "B"))
    assert sk.session_survival(made, where="system_id = 'B'")["sessions"].to_list() == [1, 1, 1]
    with pytest.raises(UsageError, match=r"above [.]5 and below 1"):
        sk.session_survival(made, confidence=1.0)
    with pytest.raises(UsageError, match="sistem"):
        sk.session_survival(made, by="sistem")


def test_numbers_of_sessions_stand_below_the_axis():
    spec = spec_of(session_survival(sk.session_survival(read(study([1, 1, 2]), study([2], "B")))))
    texts = [[row["text"] for row in rows] for rows in spec["datasets"].values() if "text" in rows[0]]
    assert texts == [["Sessions with this query"], ["3", "1"], ["A"], ["1", "1"], ["B"]]
