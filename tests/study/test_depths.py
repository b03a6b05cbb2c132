"""How deep lists are known."""

import sessionkit as sk
from sessionkit.study.counts import depths_of

LISTS = {1: (1, 2, 9), 2: (2, 3), 3: (1,), 4: (), 5: (1, 2, 3)}
STATUSES = ["partly_observed", "partly_observed", "shown", "empty", "partly_observed"]


def study(session):
    """A session with the lists above."""
    rows = [(place, rank) for place, ranks in LISTS.items() for rank in ranks]
    return {
        "results": {
            "session_id": [session] * len(rows),
            "query_position": [place for place, _ in rows],
            "rank": [rank for _, rank in rows],
            "doc_id": [f"d{rank}" for _, rank in rows],
        },
        "queries": {
            "session_id": [session] * len(LISTS),
            "query_position": list(LISTS),
            "results_status": STATUSES,
        },
    }


def test_a_list_is_known_as_far_as_its_ranks_go_on_without_a_gap(tmp_path):
    made = sk.from_tables(**study("s"))
    expected = [
        (1, "partly_observed", 2, True, 1),
        (2, "partly_observed", 0, True, 1),
        (3, "shown", 1, False, 1),
        (4, "empty", 0, False, 1),
        (5, "partly_observed", 3, False, 1),
    ]
    assert depths_of(made).rows() == expected
    assert depths_of(made.save(tmp_path / "study")).rows() == expected  # from the places of rows, not their ids


def test_sessions_add_up():
    one, other = study("s"), study("t")
    both = sk.from_tables(
        **{name: {key: one[name][key] + other[name][key] for key in one[name]} for name in ("results", "queries")}
    )
    assert depths_of(both)["n"].to_list() == [2] * 5
