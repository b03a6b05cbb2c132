"""What became of every record of a source.

What is known of lists at a depth.
"""

import pytest

import sessionkit as sk
from sessionkit.sessions.record_accounts import DEPTHS, check, observed


def test_records_are_rows_or_rejects(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("session_id,query_position,rank,doc_id\ns,1,1,a\ns,1,x,b\ns,1,1,c\ns,1,2,d\n")
    with pytest.warns(sk.DataWarning, match="rejected"):
        found = check(sk.read(log))
    assert dict(found["tables"].select("name", "rows").rows())["results"] == 2
    assert found["sources"].select("records", "rows", "empty_lists", "rejected").rows() == [(4, 2, 0, 2)]
    by_rule = {
        rule: (records, line) for rule, records, line in found["rejected"].select("rule", "records", "line").rows()
    }
    assert by_rule == {"rank_is_an_integer": (1, 3), "rank_is_unique_in_list": (1, 4)}


def test_a_changed_file_is_the_only_thing_said_of_a_study(tmp_path):
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    study = sk.from_tables(results=results)
    with pytest.raises(sk.DataError, match="not opened from disk"):
        sk.check(study, verify=True)
    saved = study.save(tmp_path / "study")
    assert sk.check(saved, verify=True)["hashes"].height == 0
    (tmp_path / "study" / "notes.txt").write_text("added by hand")
    found = sk.check(sk.open_study(tmp_path / "study"), verify=True)
    assert [*found] == ["hashes"]
    assert "notes.txt" in found["hashes"].item(0, "problem")
    assert "notes.txt" in str(found)


def study(*statuses, ends):
    """One session with queries of these statuses whose lists end at these ranks."""
    rows = [(place, rank) for place, end in enumerate(ends, 1) for rank in range(1, end + 1)]
    return sk.from_tables(
        results={
            "session_id": ["s"] * len(rows),
            "query_position": [place for place, _ in rows],
            "rank": [rank for _, rank in rows],
            "doc_id": [f"d{rank}" for _, rank in rows],
        },
        queries={
            "session_id": ["s"] * len(statuses),
            "query_position": list(range(1, len(statuses) + 1)),
            "results_status": list(statuses),
        },
        judgments={"judgment_key": ["s"], "doc_id": ["d1"], "grade": [1]},
        sessions={"session_id": ["s"], "topic_id": ["s"]},
    )


def test_prefixes_are_cut_short_below_their_end():
    found = observed(study("shown", "partly_observed", "partly_observed", "empty", "not_logged", ends=[2, 4, 10]))
    assert found["depth"].to_list() == list(DEPTHS)
    by_depth = {row[0]: row[1:] for row in found.rows()}
    assert by_depth[1] == by_depth[3] == (3, 0, 1, 1)
    assert by_depth[5] == by_depth[10] == (2, 1, 1, 1)  # 4 < 5
    assert by_depth[20] == (1, 2, 1, 1)
    assert (found.drop("depth").sum_horizontal() == 5).all()


def test_nothing_is_said_where_all_lists_were_shown_whole():
    assert observed(study("shown", ends=[3])).is_empty()


def test_a_list_shown_with_a_gap_is_known_as_far_as_the_gap():
    shown = sk.from_tables(
        {"session_id": ["s"] * 5, "query_position": [1, 1, 1, 2, 2], "rank": [1, 2, 4, 1, 2], "doc_id": list("abcab")}
    )
    by_depth = {row[0]: row[1:] for row in observed(shown).rows()}
    assert by_depth[1] == (2, 0, 0, 0)
    assert by_depth[3] == by_depth[5] == (1, 1, 0, 0)  # at rank 3 stood what nobody knows; the other list ends at 2


def test_clicks_far_down_say_nothing_of_the_ranks_above_them():
    clicks = sk.from_tables(
        results={"session_id": ["s", "s"], "query_position": [1, 2], "rank": [3, 1], "doc_id": ["a", "a"]},
        queries={"session_id": ["s", "s"], "query_position": [1, 2], "results_status": ["partly_observed"] * 2},
    )
    by_depth = {row[0]: row[1:3] for row in observed(clicks).rows()}
    assert by_depth[1] == (1, 1)  # of the first list nothing is known at rank 1
    assert by_depth[3] == (0, 2)
