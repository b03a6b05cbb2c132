"""Batches that are kept are those that would be made, once."""

from dataclasses import replace

import sessionkit as sk
from sessionkit.scoring import batch as room
from sessionkit.scoring import reduction
from sessionkit.scoring.batch import batches
from sessionkit.scoring.reduction import cache_batches


def test_blocks_of_a_small_study_hand_out_what_is_asked_for(monkeypatch):
    study = sk.from_tables(
        results={
            "session_id": ["s", "t"],
            "query_position": [1, 1],
            "rank": [1, 1],
            "doc_id": ["a", "b"],
            "clicked": [1, 0],
        },
        judgments={"judgment_key": ["k"], "doc_id": ["a"], "grade": [1]},
        sessions={
            "session_id": ["s", "t"],
            "user_id": ["u", "v"],
            "judgment_key": ["k", "k"],
            "age": [1, 2],
        },
        users={"user_id": ["u", "v"], "age": [30, 40], "skill": [5, 6]},
    )
    cuts, slices = [], room.slices
    monkeypatch.setattr(room, "slices", lambda *given: cuts.append(given) or slices(*given))
    asked = {"sessions": ["age"], "users": ["skill"], "results": ["clicked"]}
    with cache_batches(study, {**asked, "results": []}):
        (first,), (second,), (bare,) = batches(study, asked), batches(study, asked, 1), batches(study, {})
        assert len(cuts) == 1
        assert second.memo is first.memo is bare.memo
        assert first.features.select("session_id", "age", "skill").rows() == [("s", 1, 5), ("t", 2, 6)]
        assert first.results["clicked"].to_list() == [True, False]
        assert sorted(bare.results.columns) == ["judgment", "query", "rank"]
        (other,) = batches(study, {"users": ["age"]})  # not kept: sessions have a column of the name
        assert other.features["age"].to_list() == [30, 40]
        (alone,) = batches(replace(study), {})  # another study, which nobody keeps
        assert alone.memo is not first.memo
        assert len(cuts) == 3
    (after,) = batches(study, {})
    assert (len(cuts), after.memo is first.memo) == (4, False)
    monkeypatch.setattr(reduction, "SMALL", 1)
    with cache_batches(study, {}):
        assert next(batches(study, asked)).memo is not next(batches(study, asked)).memo
