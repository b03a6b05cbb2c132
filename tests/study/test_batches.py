"""Slices of whole sessions, of studies in memory and on disk."""

import shutil

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.study.batches import ORDER, slices
from sessionkit.study.package import write_package
from tests.support.clinic import read_clinic
from tests.support.descriptors import edit_descriptor, sign_file


@pytest.fixture(scope="module")
def study():
    return read_clinic()


@pytest.fixture(scope="module")
def saved(study, tmp_path_factory):
    return study.save(tmp_path_factory.mktemp("studies") / "clinic")


@pytest.mark.parametrize("rows", [1, 1_000, 10**9])
@pytest.mark.parametrize("where", ["in memory", "on disk"])
def test_slices_are_the_study_cut_between_sessions(study, saved, where, rows):
    parts = list(slices(study if where == "in memory" else saved, rows=rows))
    for name in ("sessions", "queries", "results"):
        together = pl.concat([getattr(part, name) for part in parts])
        assert_frame_equal(together.select(study.columns(name)), study.table(name).collect())
    for part in parts:
        own = set(part.sessions["session_id"])
        assert set(part.queries["session_id"]) <= own
        assert set(part.results["session_id"]) <= own
    most = study.results.group_by("session_id").len().select(pl.col("len").max()).collect().item()
    assert all(len(part.results) < rows + most for part in parts)
    assert len(parts) == {1: study.facts.sessions}.get(rows, len(parts))
    assert rows < 10**9 or len(parts) == 1


def test_only_the_asked_columns_are_read(saved):
    (part,) = slices(saved, {"sessions": ["system_id"]})
    assert part.numbered
    assert part.sessions.columns == ["system_id", "__queries", "__results"]
    assert part.results.columns == ["rank", "__judgment"]


def test_a_shuffled_study_is_put_in_order(study):
    shuffled = {name: study.table(name).collect().sample(fraction=1, shuffle=True, seed=3).lazy() for name in ORDER}
    (part,) = slices(study.with_tables(**shuffled), rows=10**9)
    for name in ("sessions", "queries", "results"):
        assert_frame_equal(getattr(part, name), study.table(name).collect())


def test_a_changed_study_forgets_the_files(saved):
    fewer = saved.with_tables(results=saved.results.filter(pl.col("rank") == 1))
    assert saved.storage.stored is not None
    assert fewer.storage.stored is None
    assert all((part.results["rank"] == 1).all() for part in slices(fewer))


def test_an_empty_study_is_one_empty_slice(study, tmp_path):
    none = {name: study.table(name).clear() for name in ("users", "sessions", "queries", "results")}
    empty = study.with_tables(**none)
    (part,) = slices(empty)
    assert (len(part.sessions), len(part.queries), len(part.results)) == (0, 0, 0)
    opened = empty.save(tmp_path / "empty")
    assert sk.score(opened, "sDCG@10", per="session").is_empty()
    assert sk.score(empty, "sDCG@10", by="system_id").is_empty()


@pytest.mark.slow
def test_small_files_are_sliced_together(study, tmp_path):
    """A study of many small files is read in slices of the size asked for, not in one of each file."""
    parts = slices(study, rows=100)
    many = sk.open_study(write_package(study, tmp_path / "many", parts))
    assert len(many.storage.stored) > 100
    for rows in (1, 5_000, 10**9):
        cut = list(slices(many, {"sessions": ["session_id"]}, rows=rows))
        assert pl.concat([part.sessions["session_id"] for part in cut]).equals(
            study.sessions.collect()["session_id"].alias("session_id")
        )
        assert len(cut) <= 2 * study.facts.results / rows + 1 or rows == 1
    assert_frame_equal(
        sk.score(many, "nsDCG@10", per="session"), sk.score(study, "nsDCG@10", per="session"), check_exact=True
    )


def test_a_study_written_anew_while_it_is_open_is_not_read(study, tmp_path):
    opened = study.save(tmp_path / "study")
    before = sk.score(opened, "sDCG@10", by="system_id")
    fewer = study.with_tables(judgments=study.judgments.filter(pl.col("grade") > 1))
    fewer.save(tmp_path / "study")
    with pytest.raises(DataError, match="was replaced after it was opened; open it again"):
        sk.score(opened, "sDCG@10", by="system_id")
    assert not sk.score(sk.open_study(tmp_path / "study"), "sDCG@10", by="system_id").equals(before)


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    "read", [lambda one: sk.score(one, "sDCG@10", per="session"), sk.describe, lambda one: list(slices(one))]
)
def test_files_that_went_with_a_replaced_study_are_explained(study, tmp_path, monkeypatch, there, read):
    opened = study.save(tmp_path / "study")
    shutil.rmtree(tmp_path / "study")
    if there:  # with files of other names, as a partitioned study has them
        study.save(tmp_path / "study", partition_by="system_id")
    with pytest.raises(DataError, match="after it was opened"):
        read(opened)


@pytest.mark.parametrize(
    ("table", "column", "words"),
    [
        ("sessions", "__queries", "counts of rows in __queries do not fit"),
        ("sessions", "__results", "counts of rows in __results do not fit"),
        ("queries", "__length", "counts of rows in __length do not fit"),
        ("results", "__judgment", "results refer to judgment 4000000000"),
        ("judgments", "__judgment", "judgments refer to judgment 4000000000"),
    ],
)
def test_numbers_that_cannot_be_are_not_used(study, tmp_path, table, column, words):
    saved = study.save(tmp_path / "study").path
    file = saved / f"{table}.parquet"
    rows = pl.read_parquet(file)
    first = pl.int_range(pl.len()) == 0
    new = 4_000_000_000 if column == "__judgment" else pl.col(column) + 1
    rows.with_columns(pl.when(first).then(new).otherwise(column).cast(rows.schema[column]).alias(column)).write_parquet(
        file
    )
    edit_descriptor(saved, lambda descriptor: sign_file(descriptor, saved, table))
    with pytest.raises(DataError, match=words):
        sk.score(sk.open_study(saved), "sDCG@10", per="session")
