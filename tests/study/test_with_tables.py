"""A study derived from another knows nothing of the tables that it no longer has."""

import pickle
from dataclasses import fields, replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.scoring.batch import GradedPairs
from sessionkit.study.batches import slices
from sessionkit.study.settings import Settings
from sessionkit.study.storage import Storage

TABLES = ("users", "sessions", "queries", "results", "judgments", "rejected")
BOUND = ("tables", "description")
KNOWN = [field.name for field in fields(Storage) if field.name not in BOUND]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    rows = {
        "session_id": ["s"],
        "query_position": [1],
        "rank": [1],
        "doc_id": ["a"],
        "system_id": ["A"],
        "topic_id": ["t"],
    }
    judgments = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    study = sk.from_tables(rows, judgments=judgments).save(
        tmp_path_factory.mktemp("saved") / "study", partition_by="system_id"
    )
    every = replace(study.storage, depths=study.depths, rows=next(iter(slices(study))))
    return replace(study, storage=replace(every, package=study.path))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_not_replaced_by_replace(saved, name):
    with pytest.raises(UsageError, match=rf"^{name} were replaced.*with_tables\({name}=...\)"):
        replace(saved, **{name: saved.table(name).head(0)})
    bare = sk.from_tables({"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]})
    with pytest.raises(UsageError, match="with_tables"):
        replace(bare, **{name: bare.table(name).head(0)})


@pytest.mark.parametrize("name", TABLES)
def test_with_tables_forgets_what_is_known_of_the_old_ones(saved, name):
    other = saved.with_tables(**{name: saved.table(name).head(0)})
    for known in KNOWN:
        assert getattr(saved.storage, known) is not None, "else nothing is tested"
        assert not getattr(other.storage, known)
    assert getattr(other, name) is not getattr(saved, name)
    assert (other.settings, other.sources, other.path) == (saved.settings, saved.sources, saved.path)


def test_with_tables_forgets_what_was_worked_out(saved):
    GradedPairs.of(saved)
    saved.columns("queries")
    fewer = saved.with_tables(judgments=saved.judgments.head(0))
    assert len(GradedPairs.of(saved).pairs.pairs) == 1
    assert len(GradedPairs.of(fewer).pairs.pairs) == 0
    assert fewer.facts.judgments == 0
    assert saved.with_tables(queries=saved.queries.with_columns(x=pl.lit(1))).columns("queries")[-1] == "x"


def test_there_is_no_other_table(saved):
    with pytest.raises(UsageError, match=r"no table 'session'.*sessions"):
        saved.with_tables(session=saved.sessions)


@pytest.mark.parametrize(
    "given", [{"settings": Settings(merge="sum")}, {"sources": ()}, {"reader": "x"}, {"notes": ("n",)}, {"path": None}]
)
def test_another_description_keeps_the_counts_and_forgets_the_files(saved, given):
    other = replace(saved, **given)
    assert other.memo is not saved.memo
    for name in KNOWN:
        if name in ("facts", "depths"):
            assert getattr(other.storage, name) is getattr(saved.storage, name)
        else:
            assert not getattr(other.storage, name)


def test_what_is_said_again_keeps_everything(saved):
    assert replace(saved, path=saved.path).storage is saved.storage


def test_a_pickled_study_takes_its_storage_along_and_leaves_its_memo(saved):
    plain = replace(saved, storage=replace(saved.storage, rows=None))
    plain.memo.once("ours", lambda: 1)
    again = pickle.loads(pickle.dumps(plain))  # noqa: S301 - our own
    assert (again.facts, again.memo.find("ours")) == (plain.facts, None)
    assert len(again.storage.stored) == len(plain.storage.stored)
    assert replace(again, path=None).facts == plain.facts
    assert sk.score(again, "sDCG@1", per="session").equals(sk.score(plain, "sDCG@1", per="session"))
