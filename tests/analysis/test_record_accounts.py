"""What became of every record of a source."""

import pytest

import sessionkit as sk
from sessionkit.sessions.record_accounts import check


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
