"""One session in time: seconds of its queries and clicks, worked out by hand.

The table of reformulations: by hand, and against sets and scores.

The most contrasting pair of sessions, against every pair that there is.

Sessions that go on: shares counted by hand, intervals against statsmodels' formula and scipy's.
"""

import itertools
from itertools import combinations
from statistics import median

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.charts import session_survival, spec_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.sessions.timeline import COLUMNS, most_contrasting
from tests.support.examples import examples

LISTS = {"session_id": ["s", "s", "s"], "query_position": [1, 1, 2], "rank": [1, 2, 1], "doc_id": ["a", "b", "c"]}
TIMES = {
    "session_id": ["s", "s"],
    "query_position": [1, 2],
    "issued_at": ["2026-01-05T10:00:10Z", "2026-01-05T10:01:00Z"],
}


def study(**more):
    clicked = {"clicked_at": [None, "2026-01-05T10:00:40Z", None], "dwell_seconds": [None, 15.0, None]}
    sessions = {"session_id": ["s"], "started_at": ["2026-01-05T10:00:00Z"], "ended_at": ["2026-01-05T10:02:05Z"]}
    return sk.from_tables(results=LISTS | clicked, queries=TIMES | more, sessions=sessions)


def test_seconds_count_from_the_session_s_first_event():
    queries, clicks = sk.timeline(study(query_text=["one", None]), "s")
    # begun 10:00:00, queries at :10 and 1:00, end 2:05; one click, at :40
    assert queries.rows() == [(1, "one", 10.0, 60.0, 2), (2, None, 60.0, 125.0, 1)]
    assert clicks.rows() == [(1, 2, "b", 40.0, 15.0)]


def test_a_query_ends_at_an_unknown_time_if_the_next_one_has_no_time():
    """Queries at 10 s, at an unknown time, and at 60 s: the first ended before the third was issued."""
    positions = {"session_id": ["s"] * 3, "query_position": [1, 2, 3]}
    times = {"issued_at": ["2026-01-05T10:00:10Z", None, "2026-01-05T10:01:00Z"]}
    sessions = {"session_id": ["s"], "started_at": ["2026-01-05T10:00:00Z"], "ended_at": ["2026-01-05T10:02:05Z"]}
    queries, _ = sk.timeline(sk.from_tables(results=LISTS, queries=positions | times, sessions=sessions), "s")
    assert queries.select("query_position", "start", "end").rows() == [(1, 10.0, None), (3, 60.0, 125.0)]
    times = {"issued_at": [*times["issued_at"][:1], "2026-01-05T10:01:00Z", None]}
    queries, _ = sk.timeline(sk.from_tables(results=LISTS, queries=positions | times, sessions=sessions), "s")
    assert queries.select("query_position", "start", "end").rows() == [(1, 10.0, 60.0), (2, 60.0, None)]


def test_what_was_not_logged_is_null():
    queries, clicks = sk.timeline(sk.from_tables(results=LISTS, queries=TIMES), "s")
    assert queries.rows() == [(1, None, 0.0, 50.0, 2), (2, None, 50.0, None, 1)]
    assert clicks.columns == ["query_position", "rank", "doc_id", "at", "dwell"]
    assert clicks.is_empty()


def test_without_times_there_is_no_time_line():
    with pytest.raises(sk.DataError, match=r"issued_at or elapsed_seconds; .* session_id"):
        sk.timeline(sk.from_tables(results=LISTS), "s")
    with pytest.raises(sk.UsageError, match="no session 'z'"):
        sk.timeline(study(), "z")
    none = sk.from_tables(results=LISTS, queries=TIMES | {"issued_at": [None, None]})
    with pytest.raises(sk.DataError, match="'s' has no times of queries"):
        sk.timeline(none, "s")


def test_seconds_since_the_session_began_stand_in_for_times():
    queries = TIMES | {"elapsed_seconds": [10.0, 95.5]}
    queries.pop("issued_at")
    results = LISTS | {"clicked": [True, False, False], "click_elapsed_seconds": [12.5, None, None]}
    results |= {"dwell_seconds": [3.0, None, None]}
    rows, clicks = sk.timeline(sk.from_tables(results=results, queries=queries), "s")
    assert rows.select("start", "end").rows() == [(10.0, 95.5), (95.5, None)]
    assert clicks.select("at", "dwell").rows() == [(12.5, 3.0)]


quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
REFORMULATION_COLUMNS = [
    "session_id", "query_position", "previous_position", "system_id", "topic_id", "user_id", "reformulation", "terms",
    "previous_terms", "shared", "overlap",
]  # fmt: skip


def study_of(sessions, found, grades):
    """Sessions as lists of (text, status); the document that every query shows at rank 1; grades."""
    rows = [(f"s{s}", q, *row) for s, queries in enumerate(sessions) for q, row in enumerate(queries, 1)]
    shown = [(s, q, found.get((s, q), "x")) for s, q, _, status in rows if status == "shown"]
    text = {"session_id": pl.String, "query_position": pl.Int32, "query_text": pl.String, "results_status": pl.String}
    return sk.from_tables(
        sessions={"session_id": [f"s{s}" for s in range(len(sessions))], "topic_id": ["t"] * len(sessions)},
        queries=pl.DataFrame(rows, schema=text, orient="row"),
        results=pl.DataFrame(
            [(s, q, 1, doc) for s, q, doc in shown],
            schema={"session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String},
            orient="row",
        ),
        judgments={"judgment_key": ["t"] * len(grades), "doc_id": list(grades), "grade": list(grades.values())},
    )


@quiet
def test_a_session_by_hand():
    """oslo, oslo airport, airport train, Airport  TRAIN!, train, hotel: +1, +1-1, same, -1, other."""
    texts = ["oslo", "oslo airport", "airport train", "Airport  TRAIN!", "train", "hotel"]
    found = {("s0", 2): "a", ("s0", 3): "b", ("s0", 5): "a"}
    study = study_of([[(text, "shown") for text in texts]], found, {"a": 1, "b": 3})
    table = sk.reformulations(study, "DCG@10")
    assert table.columns == [*REFORMULATION_COLUMNS, "measure", "value", "previous_value", "change"]
    assert table.select(
        "query_position", "previous_position", "reformulation", "terms", "previous_terms", "shared"
    ).rows() == [
        (2, 1, "specialization", 2, 1, 1),
        (3, 2, "substitution", 2, 2, 1),
        (4, 3, "repeat", 2, 2, 2),
        (5, 4, "generalization", 1, 2, 1),
        (6, 5, "new", 1, 1, 0),
    ]
    assert table["overlap"].to_list() == [1 / 2, 1 / 3, 1.0, 1 / 2, 0.0]
    assert table["value"].to_list() == [1.0, 3.0, 0.0, 1.0, 0.0]
    assert table["change"].to_list() == [1.0, 2.0, -3.0, 1.0, -1.0]
    assert sk.reformulations(study, None).columns == REFORMULATION_COLUMNS
    assert "oslo" not in str(table)


@quiet
def test_queries_whose_list_was_not_logged_are_steps_and_texts_never_logged_are_null():
    sessions = [
        [("a", "shown"), ("b", "not_logged"), ("a b", "shown"), (None, "shown"), ("a b", "empty")],
        [("a", "shown")],
    ]
    table = sk.reformulations(study_of(sessions, {("s0", 1): "d"}, {"d": 1}), "DCG@1")
    assert table.select(
        "session_id", "query_position", "previous_position", "reformulation", "overlap", "change"
    ).rows() == [
        ("s0", 2, 1, "new", 0.0, None),
        ("s0", 3, 2, "specialization", 0.5, None),
        ("s0", 4, 3, None, None, 0.0),
        ("s0", 5, 4, None, None, 0.0),
    ]


@quiet
def test_what_is_missing_is_named():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.raises(DataError, match="query_text"):
        sk.reformulations(study)
    with pytest.raises(UsageError, match="takes a study"):
        sk.reformulations("study")
    worded = study_of([[("a", "shown"), ("b", "shown")]], {}, {"a": 1})
    with pytest.raises(MeasureError):
        sk.reformulations(worded, "Queries")


@quiet
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    sessions=st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["p", "p q", "q p", "q r", "r", "P\u200f"]),
                st.sampled_from(["shown", "empty", "not_logged"]),
            ),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
        max_size=3,
    ),
    grade=st.sampled_from([0, 1, 2]),
)
def test_every_step_once_with_the_scores_of_its_queries(sessions, grade):
    found = {(f"s{s}", q): "d" for s, queries in enumerate(sessions) for q in range(1, len(queries) + 1) if q % 2}
    study = study_of(sessions, found, {"d": grade})
    table = sk.reformulations(study, "DCG@1")
    steps = []
    for s, queries in enumerate(sessions):
        rows = [(q, *row) for q, row in enumerate(queries, 1)]
        for before, after in itertools.pairwise(rows):
            values = [grade if (f"s{s}", q) in found and status == "shown" else 0 for q, _, status in (before, after)]
            is_known = "not_logged" not in (before[2], after[2])
            terms = [set(text.lower().replace("\u200f", "").split()) for _, text, _ in (before, after)]
            steps.append(
                (
                    f"s{s}",
                    after[0],
                    before[0],
                    len(terms[0] & terms[1]),
                    float(values[1] - values[0]) if is_known else None,
                )
            )
    assert table.select("session_id", "query_position", "previous_position", "shared", "change").rows() == steps


VALUES = st.none() | st.integers(0, 6).map(lambda number: number / 10)
SHARES = st.none() | st.sampled_from([0.0, 0.3, 0.35, 0.7, 0.9, 0.95, 1.0])
ROWS = st.lists(
    st.tuples(st.sampled_from([None, "t", "u"]), st.sampled_from(["A", "B", "C", "(none)"]), VALUES, SHARES)
)


def table(rows):
    """Sessions of these topics, groups, values and judged shares, named in order; a share that is not given is 1."""
    named = [(f"s{number:02}", *row, *([1.0] if len(row) == 3 else [])) for number, row in enumerate(rows)]
    types = dict(zip(COLUMNS, (pl.String, pl.String, pl.String, pl.Float64, pl.Float64), strict=True))
    return pl.DataFrame(named, schema=types, orient="row")


def by_hand(rows):
    """The pair, whether it is of groups and whether it is judged alike, from all pairs; values are tenths, as are their differences."""
    sessions = table(rows).to_dicts()
    if all(row["topic_id"] is None for row in sessions):
        sessions = [row | {"topic_id": ""} for row in sessions]
    sessions = [row for row in sessions if None not in (row["topic_id"], row["value"])]
    shares = [row["judged"] for row in sessions if row["judged"] is not None]

    def judged_alike(pair):
        low, high = sorted(-1 if row["judged"] is None else row["judged"] for row in pair)
        tenths = [min(9, round(100 * share) // 10) for share in (low, high)]
        return low >= 0 and low >= median(shares) and tenths[0] == tenths[1]

    pairs = [pair for pair in combinations(sessions, 2) if pair[0]["topic_id"] == pair[1]["topic_id"]]
    across = [
        pair
        for pair in pairs
        if pair[0]["group"] != pair[1]["group"] and "(none)" not in {row["group"] for row in pair}
    ]
    candidates = across or pairs
    alike = [pair for pair in candidates if judged_alike(pair)]
    if not candidates:
        return None
    first, second = min(
        alike or candidates,
        key=lambda pair: (
            -round(10 * abs(pair[0]["value"] - pair[1]["value"])),
            pair[0]["session"],
            pair[1]["session"],
        ),
    )
    left, right = sorted([first, second], key=lambda row: (row["group"], row["session"]))
    return (left["session"], right["session"]), bool(across), median(shares) if alike else None


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_it_is_the_farthest_of_the_pairs_of_one_topic_that_are_judged_alike(rows):
    pair = most_contrasting(table(rows))
    expected = by_hand(rows)
    assert (pair is None) == (expected is None)
    if pair is not None:
        assert (pair.sessions, pair.of_groups) == expected[:2]
        assert pair.least_share == (None if expected[2] is None else pytest.approx(expected[2]))  # a mean of two rounds


def test_a_pair_is_judged_alike_and_at_least_as_well_as_the_median():
    rows = [
        ("t", "A", 0.0, 0.2),
        ("t", "B", 0.1, 0.9),
        ("t", "A", 0.4, 0.95),
        ("t", "B", 0.9, 0.3),
        ("t", "B", 0.6, 0.8),
    ]
    pair = most_contrasting(table(rows))
    # s00 and s03 differ most but are judged worse than the median of .8; s02 and s04 are not of one tenth
    assert (pair.sessions, pair.shares, pair.least_share) == (("s02", "s01"), (0.95, 0.9), 0.8)
    assert "comparable judged shares (" in pair.told("X")
    assert " median of 80.0%)" in pair.told("X")
    assert "Judged: 95.0% " in pair.judged_told
    assert " 90.0% of the second" in pair.judged_told


def test_a_pair_that_is_not_judged_alike_says_so():
    pair = most_contrasting(table([("t", "A", 0.0, 0.2), ("t", "B", 0.9, 0.9)]))
    assert pair.sessions == ("s00", "s01")
    assert pair.told("X").startswith("No pairs of sessions ")
    assert pair.told("X").endswith("judgments may explain the difference.")


def test_differences_that_are_equal_but_for_rounding_are_tied():
    rows = [("t", "A", 0.1 + 0.2), ("t", "B", 0.1), ("u", "A", 0.3), ("u", "B", 0.1)]
    assert most_contrasting(table(rows)).sessions == ("s00", "s01")
    assert most_contrasting(table([*rows[2:], *rows[:2]])).sessions == ("s00", "s01")


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        (
            [("t", "B", 1.0), ("t", "A", 5.0)],
            "topic with different systems and",
        ),
        ([("t", "A", 1.0), ("t", "A", 5.0)], "topic with comparable judged"),
    ],
)
def test_it_says_how_it_was_chosen(rows, chosen):
    told = most_contrasting(table(rows)).told("sDCG@10")
    assert told.startswith("Of all pairs of sessions")
    assert chosen in told
    assert "differs most in sDCG@10:" in told


def test_the_first_group_in_natural_order_stands_first():
    pair = most_contrasting(table([("t", "S10", 0.1), ("t", "S9", 0.6)]))
    assert pair.sessions == ("s01", "s00")


def session_survival_study(lengths, system="A"):
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
    found = sk.session_survival(read(session_survival_study([1, 1, 2, 4]), session_survival_study([3, 3], "B")))
    assert found.select("system_id", "query_position", "sessions", "of", "value").rows() == [
        ("A", 1, 4, 4, 1.0), ("A", 2, 2, 4, 0.5), ("A", 3, 1, 4, 0.25), ("A", 4, 1, 4, 0.25),
        ("B", 1, 2, 2, 1.0), ("B", 2, 2, 2, 1.0), ("B", 3, 2, 2, 1.0), ("B", 4, 0, 2, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_intervals_are_wilsons(confidence):
    found = sk.session_survival(read(session_survival_study([1] * 7 + [2] * 5 + [3])), by=None, confidence=confidence)
    for row in found.iter_rows(named=True):
        theirs = stats.binomtest(row["sessions"], 13).proportion_ci(confidence, method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high))


def test_some_sessions_and_what_is_refused():
    made = read(session_survival_study([1, 2]), session_survival_study([3], "B"))
    assert sk.session_survival(made, where="system_id = 'B'")["sessions"].to_list() == [1, 1, 1]
    with pytest.raises(UsageError, match=r"above [.]5 and below 1"):
        sk.session_survival(made, confidence=1.0)
    with pytest.raises(UsageError, match="sistem"):
        sk.session_survival(made, by="sistem")


def test_numbers_of_sessions_stand_below_the_axis():
    spec = spec_of(
        session_survival(sk.session_survival(read(session_survival_study([1, 1, 2]), session_survival_study([2], "B"))))
    )
    texts = [[row["text"] for row in rows] for rows in spec["datasets"].values() if "text" in rows[0]]
    assert texts == [["Sessions with this query"], ["3", "1"], ["A"], ["1", "1"], ["B"]]
