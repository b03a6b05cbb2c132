"""Saving a copy, and keeping its mapping apart."""

import stat

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.study.sharing.told import alone


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


def test_a_mapping_stays_apart_and_replaces_nothing(study, tmp_path):
    made = sk.pseudonymize(study)
    made.save(tmp_path / "copy", mapping=tmp_path / "m.csv")
    kept = (tmp_path / "m.csv").read_bytes()
    for place, said in (
        ("m.csv", "is there already and may be all that undoes another copy"),
        ("copy/m.csv", "lies in .*copy, which is to be shared"),
        ("copy/../copy/below/m.csv", "which is to be shared"),
        ("m.txt", "ends in .txt; a mapping is written as .csv, .tsv, .parquet"),
        ("m", "ends in nothing"),
        ("none/m.csv", "there is no directory"),
    ):
        with pytest.raises(UsageError, match=said):
            made.save(tmp_path / "copy", mapping=tmp_path / place)
    (tmp_path / "link").symlink_to(tmp_path / "copy")
    with pytest.raises(UsageError, match="which is to be shared"):
        made.save(tmp_path / "copy", mapping=tmp_path / "link" / "m.csv")
    assert (tmp_path / "m.csv").read_bytes() == kept


def test_a_copy_replaces_copies_but_not_its_study(study, tmp_path):
    made = sk.pseudonymize(study)
    made.save(tmp_path / "copy")
    assert made.save(tmp_path / "copy").facts == study.facts
    for place, said in (
        ("study", "is the study itself"),
        ("study/copy", "lies in the study"),
        ("", "no study|the study itself"),
    ):
        with pytest.raises(UsageError, match=said):
            made.save(tmp_path / place)
    assert sk.open_study(study.path).sessions.collect().equals(study.sessions.collect())


def test_where_the_copy_cannot_be_written_no_mapping_is_left(study, tmp_path, monkeypatch):
    made = sk.pseudonymize(study)

    def fails(*_, **__):
        raise UsageError("no room")

    monkeypatch.setattr(type(study), "save", fails)
    with pytest.raises(UsageError, match="no room"):
        made.save(tmp_path / "copy", mapping=tmp_path / "m.csv")
    assert not (tmp_path / "m.csv").exists()


def test_it_shows_what_was_done_and_not_the_mapping(study):
    shown = str(sk.pseudonymize(study))
    assert "Replaced by pseudonyms: 2 sessions and 2 users." in shown
    assert "s1" not in shown
    assert "quote" not in shown


def test_those_who_are_alone_are_counted():
    """Groups of 1, 1, 2 and 6 users: 2 alone, 4 with fewer than five."""
    users = pl.DataFrame({"user_id": [*"abcdefghij"], "age": [1, 2, 3, 3, 4, 4, 4, 4, 4, 4], "old": [True] * 10})
    assert alone(users) == (
        "Mind: 2 of 10 users have a combination of age and old that no other user has; 4 share theirs with fewer than 5. "
        "Who knows it, knows them."
    )
    assert alone(users.tail(6)) == "Every user has a combination of age and old that at least 5 have."
    assert alone(users.select("user_id")) == "No features of users are kept."
