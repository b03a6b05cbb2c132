"""Saving a copy, and keeping its mapping apart."""

import os
import stat
from pathlib import Path

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.privacy.report import alone


@pytest.fixture
def study(tmp_path):
    rows = {"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["d", "d"]}
    sessions = {"session_id": ["s1", "s2"], "user_id": ["tab\there", 'quote"d, one']}
    return sk.from_tables(results=rows, sessions=sessions).save(tmp_path / "study")


@pytest.mark.parametrize(("name", "read"), [("m.csv", pl.read_csv), ("m.TSV", None), ("m.parquet", pl.read_parquet)])
def test_the_mapping_is_written_for_its_owner_alone(study, tmp_path, name, read):
    made = sk.pseudonymize(study)
    copy = made.save(tmp_path / "copy", mapping=tmp_path / name)
    read = read or (lambda path: pl.read_csv(path, separator="\t"))
    assert read(tmp_path / name).rows() == made.mapping.rows()
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    people = dict(made.mapping.filter(column="user_id").select("pseudonym", "original").iter_rows())
    sessions = dict(made.mapping.filter(column="session_id").select("pseudonym", "original").iter_rows())
    back = [
        (sessions[one], people[other]) for one, other in copy.sessions.select("session_id", "user_id").collect().rows()
    ]
    assert sorted(back) == study.sessions.select("session_id", "user_id").collect().rows()


def test_nobody_else_can_open_the_mapping_while_it_is_written(study, tmp_path, monkeypatch):
    modes, make = {}, os.open

    def open_(path, flags, mode=0o777, **further):
        modes[Path(path).name] = mode
        return make(path, flags, mode, **further)

    made = sk.pseudonymize(study)
    monkeypatch.setattr(os, "open", open_)
    made.save(tmp_path / "copy", mapping=tmp_path / "m.csv")
    assert [mode for name, mode in modes.items() if "m.csv" in name] == [0o600]


@pytest.mark.parametrize("target", ["elsewhere.csv", "copy/m.csv"])
def test_a_mapping_is_not_written_through_a_link(study, tmp_path, target):
    (tmp_path / "m.csv").symlink_to(tmp_path / target)
    with pytest.raises(UsageError, match=r"already exists|to be shared"):
        sk.pseudonymize(study).save(tmp_path / "copy", mapping=tmp_path / "m.csv")
    assert not (tmp_path / target).exists()


@pytest.mark.slow
def test_a_mapping_stays_apart_and_replaces_nothing(study, tmp_path):
    made = sk.pseudonymize(study)
    made.save(tmp_path / "copy", mapping=tmp_path / "m.csv")
    kept = (tmp_path / "m.csv").read_bytes()
    for place, said in (
        ("m.csv", "already exists .* undo another copy"),
        ("copy/m.csv", "lies in .*copy, which is to be shared"),
        ("copy/../copy/below/m.csv", "which is to be shared"),
        ("m.txt", "ends in .txt; .* .csv, .tsv, .parquet"),
        ("m", "ends in nothing"),
        ("none/m.csv", "does not exist; create it"),
        ("study/m.csv", "lies in the study .*study .* shared"),
    ):
        with pytest.raises(UsageError, match=said):
            made.save(tmp_path / "copy", mapping=tmp_path / place)
    (tmp_path / "link").symlink_to(tmp_path / "copy")
    with pytest.raises(UsageError, match="which is to be shared"):
        made.save(tmp_path / "copy", mapping=tmp_path / "link" / "m.csv")
    assert (tmp_path / "m.csv").read_bytes() == kept


@pytest.mark.slow
def test_a_copy_replaces_copies_but_not_its_study(study, tmp_path):
    made = sk.pseudonymize(study)
    made.save(tmp_path / "copy")
    assert made.save(tmp_path / "copy").facts == study.facts
    for place, said in (
        ("study", "is the study itself"),
        ("study/copy", "lies in the study"),
        ("", "not a study|the study itself"),
    ):
        with pytest.raises(UsageError, match=said):
            made.save(tmp_path / place)
    assert sk.open_study(study.path).sessions.collect().equals(study.sessions.collect())


@pytest.mark.slow
def test_where_the_copy_cannot_be_written_no_mapping_is_left(study, tmp_path, monkeypatch):
    made = sk.pseudonymize(study)

    def fails(*_, **__):
        raise UsageError("no room")

    monkeypatch.setattr(type(study), "save", fails)
    with pytest.raises(UsageError, match="no room"):
        made.save(tmp_path / "copy", mapping=tmp_path / "m.csv")
    assert not (tmp_path / "m.csv").exists()


def test_it_shows_what_was_done_and_not_the_mapping(study):
    made = sk.pseudonymize(study)
    shown = str(made)
    assert made.statements[0].values == {"columns": ["session_id", "user_id"], "values": [2, 2]}
    assert all(statement.text in shown for statement in made.statements)
    assert "s1" not in shown
    assert "quote" not in shown


def test_those_who_are_alone_are_counted():
    """Groups of 1, 1, 2 and 6 users: 2 alone, 4 with fewer than five."""
    users = pl.DataFrame({"user_id": [*"abcdefghij"], "age": [1, 2, 3, 3, 4, 4, 4, 4, 4, 4], "old": [True] * 10})
    features = {"features": ["age", "old"], "fewest": 5}
    few, alike, none = (alone(frame) for frame in (users, users.tail(6), users.select("user_id")))
    assert few.values == features | {"users": 10, "alone": 2, "few": 4}
    assert "2 of 10 users have" in few.text
    assert alike.values == features | {"users": 6, "alone": 0, "few": 0}
    assert "at least 5 users share" in alike.text
    assert none.values == {"features": [], "fewest": 5, "users": 10, "alone": None, "few": None}
    assert "No features are kept" in none.text


def test_what_sessions_say_of_their_users_counts():
    """Age is one for each user, rating is not; comment is left out."""
    log = {"session_id": [*"abc"], "query_position": [1] * 3, "rank": [1] * 3, "doc_id": ["d"] * 3}
    sessions = {"session_id": [*"abc"], "user_id": ["u", "u", "v"], "age": [30, None, 31], "rating": [1, 2, 1]}
    made = sk.pseudonymize(sk.from_tables(sessions=sessions | {"comment": ["x"] * 3}, results=log))
    (features,) = made.of_kind("features")
    assert [features.values[name] for name in ("features", "users", "alone")] == [["sessions.age"], 2, 2]


@pytest.mark.filterwarnings("ignore:queries. none of the 1 query has a result")
def test_only_what_the_study_knows_is_said_to_be_kept():
    log = {"session_id": ["a"], "query_position": [1], "query_text": ["x"], "results_status": ["not_logged"]}
    made = sk.pseudonymize(sk.from_tables(queries=log))
    assert made.of_kind("kept")[0].values["ids"] == []
    assert "documents" not in made.reading


def test_texts_that_are_left_out_do_not_remain():
    log = {"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["d"]}
    texts = {"session_id": ["a"], "query_position": [1], "query_text": ["x"]}
    made = sk.pseudonymize(sk.from_tables(queries=texts, results=log), drop="query_text")
    assert not made.of_kind("replaced_texts")
    assert [changed.values["columns"] for changed in made.of_kind("changed_scores")] == [["queries.query_text"]]


def test_ids_in_topics_and_systems_are_told():
    log = {"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["d", "d"]}
    sessions = {"session_id": ["s1", "s2"], "user_id": ["anna", "bo"], "topic_id": ["t-anna", "t-bo"]}
    study = sk.from_tables(sessions=sessions, results=log)
    (repeats,) = sk.pseudonymize(study).of_kind("repeats")
    assert repeats.values == {"column": "topic_id", "count": 1, "values": 2, "repeated": ["user_id"]}
    (kept,) = sk.pseudonymize(study, keep="topics").of_kind("kept_repeats")
    assert kept.values == {"table": "sessions", "column": "topic_id", "count": 1, "by_chance": False}
    other = sessions | {"topic_id": ["t1", "t2"]}
    assert not sk.pseudonymize(sk.from_tables(sessions=other, results=log)).of_kind("repeats", "kept_repeats")


def test_what_was_not_looked_at_is_told():
    """A log in one flat file has what it says of its users in every result."""
    log = {"session_id": ["a"], "user_id": ["u"], "query_position": [1], "rank": [1], "doc_id": ["d"], "age": [30]}
    (not_checked,) = sk.pseudonymize(sk.from_tables(results=log)).of_kind("not_checked")
    assert not_checked.values["columns"] == ["results.age"]


def test_a_title_that_is_kept_is_not_left_out():
    log = {"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["d"]}
    study = sk.from_tables(results=log, title="Jazz")
    left_out = [
        each.values["title"] for keep in ("title", ()) for each in sk.pseudonymize(study, keep=keep).of_kind("left_out")
    ]
    assert left_out == [False, True]
