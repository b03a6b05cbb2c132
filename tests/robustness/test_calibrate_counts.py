"""Observed examination: Kaplan and Meier's shares and clicks per list, worked out by hand.

What is counted of a log, list by list: depths, ends, sessions that went on, and what is refused.
"""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.robustness import calibrate_counts
from sessionkit.robustness.calibrate import calibrate
from sessionkit.robustness.calibrate_counts import PLACES, Counting, LookCounts, examined, observed
from tests.support.clinic import read_clinic


def looked(*rows, clicks=None):
    """Lists by query position, rank, whether they ended there, and how many."""
    lists = pl.DataFrame([(0, *row) for row in rows], schema=PLACES, orient="row")
    return LookCounts(lists, lists.drop("rank").clear(), clicks)


def rows_of(table):
    return [tuple(row) for row in table.select("query_position", "rank", "looks", "lists", "share").rows()]


def test_shares_are_those_of_kaplan_and_meier():
    # five lists: two left at rank 1; at rank 2 one left and one ended; one left at rank 4
    found = examined(looked((1, 1, False, 2), (1, 2, False, 1), (1, 2, True, 1), (1, 4, False, 1)), ranks=6)
    assert rows_of(found) == [
        (1, 1, 5, 5, 1.0),
        (1, 2, 3, 5, pytest.approx(3 / 5)),
        (1, 3, 1, 4, pytest.approx(3 / 5 * 1 / 2)),  # of the two that came to rank 2 and did not end, one went on
        (1, 4, 1, 4, pytest.approx(3 / 5 * 1 / 2)),
        (1, 5, 0, 4, 0.0),
        (1, 6, 0, 4, 0.0),  # nobody is left, and nothing is unknown
    ]


def test_beyond_where_all_lists_ended_the_share_is_unknown():
    found = examined(looked((1, 3, False, 1), (2, 1, True, 1), (3, 1, False, 1), (3, 2, True, 3)))
    assert rows_of(found)[3:] == [
        (2, 1, 1, 1, 1.0),
        (2, 2, 0, 0, None),
        (2, 3, 0, 0, None),
        (3, 1, 4, 4, 1.0),
        (3, 2, 3, 4, 3 / 4),
        (3, 3, 0, 1, None),
    ]


def test_without_ends_the_share_is_looks_by_lists_and_limits_leave_rows_out():
    rows = [(query, rank, False, rank + query) for query in (1, 2) for rank in (1, 2, 3, 7)]
    whole = examined(looked(*rows))
    assert whole["share"].to_list() == pytest.approx((whole["looks"] / whole["lists"]).to_list())
    assert len(whole) == 14
    less = examined(looked(*rows), ranks=2, queries=1)
    assert less.equals(whole.filter(pl.col("rank") <= 2, pl.col("query_position") == 1))


def test_of_clicks_the_share_is_of_all_lists():
    clicks = pl.DataFrame([(0, 1, 1, 3), (0, 1, 3, 1)], schema=["unit", "query_position", "rank", "many"], orient="row")
    found = examined(looked((1, 1, False, 3), (1, 3, True, 1), (2, 1, False, 2), clicks=clicks))
    assert rows_of(found) == [
        (1, 1, 3, 4, 0.75), (1, 2, 0, 4, 0.0), (1, 3, 1, 4, 0.25), (2, 1, 0, 2, 0.0), (2, 2, 0, 2, 0.0), (2, 3, 0, 2, 0.0)
    ]  # fmt: skip


def test_calibrate_has_the_table():
    falling = sk.calibrate(pl.DataFrame({"rank": [1, 2, 1], "query": [1, 1, 2], "count": [4, 3, 1]}), "sRBP", draws=200)
    assert rows_of(falling.examined) == [(1, 1, 4, 4, 1.0), (1, 2, 3, 4, 0.75), (2, 1, 1, 1, 1.0), (2, 2, 0, 1, 0.0)]
    clicks = sk.calibrate(pl.DataFrame({"rank": [1, 2, 1], "query": [1, 1, 2], "count": [3, 4, 1]}), "sDCG", draws=200)
    assert rows_of(clicks.examined) == [
        (1, 1, 3, None, None),
        (1, 2, 4, None, None),
        (2, 1, 1, None, None),
        (2, 2, 0, None, None),
    ]


@pytest.mark.slow
def test_of_a_study_looks_are_the_observed_ones():
    found = sk.calibrate(read_clinic(), "sDCG@10", ranks=10, draws=200)
    observed = found.expected.filter(criterion="likelihood").select("query_position", "rank", looks="observed")
    both = found.examined.join(observed, on=["query_position", "rank"], suffix="_fitted")
    assert len(both) == len(observed) > 50
    assert both["looks"].to_list() == both["looks_fitted"].to_list()


# session, query, results shown, clicked ranks
LISTS = [
    ("s1", 1, 5, (1, 3)),  # left at 3
    ("s1", 2, 3, (3,)),  # ended at 3
    ("s2", 1, 4, ()),  # nothing clicked: rank 1
    ("s3", 1, 1, (1,)),  # ended at 1
    ("s3", 3, 4, (2,)),  # left at 2; query 2 returned nothing
]


def study(lists=LISTS, *, status=(), **more):
    """The log above, with `status` of further queries."""
    rows = [(s, q, r, f"{s}{q}{r}", r in clicked) for s, q, shown, clicked in lists for r in range(1, shown + 1)]
    results = pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id", "clicked"], orient="row")
    asked = {(s, q): "shown" for s, q, _, _ in lists} | {("s3", 2): "empty"} | dict(status)
    queries = pl.DataFrame(
        [(*key, value) for key, value in asked.items()],
        schema=["session_id", "query_position", "results_status"],
        orient="row",
    )
    sessions = {"session_id": ["s1", "s2", "s3"], "user_id": ["u", "u", "v"], **more.pop("sessions", {})}
    return sk.from_tables(results, queries=queries, sessions=sessions, **more)


def counts(of, signal="last_click", **options):
    """Lists as (query position, depth, ended) and sessions as (last query, ended), each as often as counted."""
    given = {"min_dwell": 0.0, "unmarked": "first", "cut_short": None, "units": "users", **options}
    task = Counting(signal, have=(of.columns("sessions"), of.columns("results")), **given)
    found = observed(of, task, None, "users")
    lists = found.lists.sort("query_position", "rank", "ended").select("query_position", "rank", "ended", "many")
    sessions = found.sessions.sort("query_position", "ended").select("query_position", "ended", "many")
    return (
        sorted(row[:-1] for row in lists.rows() for _ in range(row[-1])),
        sorted(row[:-1] for row in sessions.rows() for _ in range(row[-1])),
        found,
    )


def test_lists_are_looked_at_to_the_deepest_click_and_end_where_they_end():
    lists, sessions, found = counts(study())
    assert lists == [(1, 1, False), (1, 1, True), (1, 3, False), (2, 3, True), (3, 2, False)]
    assert sessions == [(1, False), (2, False), (3, False)]
    assert found.looked().tolist() == [[3.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    counted, censored, _, without_results, _ = (statement.values for statement in found.statements)
    assert (counted["lists"], counted["sessions"], counted["without"]) == (5, 3, 1)
    assert (censored["lists"], without_results["queries"]) == (2, 1)


def test_a_list_without_a_click_can_be_left_out():
    lists, sessions, _ = counts(study(), unmarked="skip")
    assert lists == [(1, 1, True), (1, 3, False), (2, 3, True), (3, 2, False)]
    assert len(sessions) == 3  # the session was there all the same


def test_a_session_whose_next_list_was_not_logged_went_on():
    went_on = study(status=[(("s2", 2), "not_logged")])
    lists, sessions, found = counts(went_on)
    assert sessions == [(1, True), (2, False), (3, False)]
    assert (1, 1, False) in lists  # its list was left: the searcher asked anew
    assert found.statements[1].values["continued"] == 1


def test_a_session_that_was_cut_short_ends_with_its_last_list():
    cut = study(sessions={"timed_out": [False, True, None]})
    lists, sessions, found = counts(cut, cut_short="timed_out")
    assert lists[:2] == [(1, 1, True), (1, 1, True)]
    assert sessions == [(1, True), (2, False), (3, False)]
    censored = found.statements[1].values
    assert (censored["cut_short"], censored["column"]) == (1, "timed_out")


def test_a_list_of_which_only_clicks_are_known_was_longer():
    # its two results were both clicked; another has a result that was not, behind the last click that is its end
    partly = study(
        [("s1", 1, 2, (1, 2)), ("s2", 1, 3, (3,)), ("s3", 1, 2, ())],
        status=[(("s1", 1), "partly_observed"), (("s2", 1), "partly_observed")],
    )
    lists, _, _ = counts(partly)
    assert lists == [(1, 1, False), (1, 2, False), (1, 3, True)]


def test_gaps_in_ranks_are_slots():
    gap = sk.from_tables(
        {
            "session_id": ["s"] * 2,
            "query_position": [1] * 2,
            "rank": [1, 7],
            "doc_id": ["a", "b"],
            "clicked": [True, False],
        }
    )
    assert counts(gap, units="sessions")[0] == [(1, 1, False)]


def test_other_signals():
    rows = {"session_id": ["s"] * 4, "query_position": [1] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abcd")}
    seen = {
        "examined": [True, True, None, False],
        "dwell_seconds": [40.0, 12.0, 31.0, None],
        "clicked": [True, False, False, False],
    }
    log = sk.from_tables({**rows, **seen})
    assert [counts(log, name, units="sessions")[0] for name in ("examined", "last_click", "dwell")] == [
        [(1, 2, False)],
        [(1, 1, False)],
        [(1, 3, False)],
    ]
    assert counts(log, "dwell", units="sessions", min_dwell=35.0)[0] == [(1, 1, False)]
    assert calibrate(log, "RBP", draws=200).signal == "examined"
    every = counts(log, "clicks", units="sessions")[2]
    assert every.looked().tolist() == [[1.0]]


def test_users_are_spread_over_groups_where_there_are_many(monkeypatch):
    monkeypatch.setattr(calibrate_counts, "MOST_UNITS", 7)
    many = [(f"s{n}", 1, 3, (1 + n % 3,)) for n in range(50)]
    rows = [(s, q, r, f"{s}{r}", r in clicked, f"u{s}") for s, q, shown, clicked in many for r in range(1, shown + 1)]
    results = pl.DataFrame(
        rows, schema=["session_id", "query_position", "rank", "doc_id", "clicked", "user_id"], orient="row"
    )
    lists, sessions, found = counts(sk.from_tables(results))
    assert (len(lists), len(sessions)) == (50, 50)
    assert len(found.unit_codes) <= 7
    assert found.units == "users, in 7 groups"


@pytest.mark.slow
def test_a_study_on_disk_counts_the_same_within_little_memory(tmp_path):
    whole = counts(study())
    saved = study().save(tmp_path / "study")
    assert counts(saved)[:2] == whole[:2]
    assert (
        calibrate(saved, "sDCG@5", memory="50MB", draws=200).reading == calibrate(study(), "sDCG@5", draws=200).reading
    )


def test_hashes_are_those_of_fnv():
    # FNV-1a of "a" is 0xaf63dc4c8601ec8c; here the letter before it is folded into the basis
    basis, prime, mask = 0xCBF29CE484222325, 0x100000001B3, 2**64 - 1
    expected = []
    for text in ("a", "bc", "é"):
        made = basis ^ ord("u")
        for byte in text.encode():
            made = ((made ^ byte) * prime) & mask
        expected.append(made)
    assert calibrate_counts._hashed(pl.Series(["a", "bc", "é"]), b"u").to_list() == expected


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"signal": "eyes"}, UsageError, ["signal must be one of", "examined"]),
        ({"signal": "examined"}, DataError, ["none of the columns examined", "table of counts"]),
        ({"signal": "dwell", "min_dwell": -1.0}, UsageError, ["min_dwell must be seconds"]),
        ({"unmarked": "all"}, UsageError, ["unmarked must be", "first, skip"]),
        ({"cut_short": "timeout"}, UsageError, ["no such column", "user_id"]),
        ({"cut_short": "user_id"}, UsageError, ["must be true or false"]),
        ({"units": "groups"}, UsageError, ["units must be one of"]),
        ({"ranks": 1}, UsageError, ["ranks", "at least 2"]),
        ({"queries": 0}, UsageError, ["queries", "at least 2"]),
        ({"model": "AP"}, UsageError, ["AP cannot be fitted", "sRBP"]),
        ({"model": "DCG"}, UsageError, ["cancels"]),
        ({"model": "sDCG(discount=reciprocal,query_discount=none)"}, UsageError, ["no parameter to fit"]),
        (
            {"model": "nsDCG(discount=1-.5-.2)@10"},
            UsageError,
            ["no parameter to fit", "1-0.5-0.2 is given factor"],
        ),
        (
            {"model": "sDCG(query_discount=1-.5)@10"},
            UsageError,
            ["no parameter to fit", "1-0.5 is given factor"],
        ),
        ({"model": "sDCG(rank_origin=session)"}, UsageError, ["needs a cutoff"]),
        ({"model": []}, UsageError, ["name a model"]),
        ({"draws": 3}, UsageError, ["draws must be"]),
    ],
)
def test_what_cannot_be_is_refused_in_words(options, error, words):
    with pytest.raises(error) as said:
        calibrate(study(), options.pop("model", "sDCG"), **options)
    assert all(word in str(said.value) for word in words)


def test_a_log_without_clicks_says_what_to_do():
    bare = sk.from_tables({"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]})
    with pytest.raises(DataError, match=r"how far.*clicked.*study\.toml"):
        calibrate(bare)
    nobody = study([("s1", 1, 2, ()), ("s2", 1, 2, ()), ("s3", 1, 2, ())])
    with pytest.raises(DataError, match=r"no result .* was clicked"):
        calibrate(nobody)
