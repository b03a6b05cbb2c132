"""Slices of whole sessions, of studies in memory and on disk.

A memory budget: what is said, what is refused, what is taken where nothing is said.

Things made while others are used: their order, their errors, and the threads that end.
"""

from __future__ import annotations

import shutil
import threading
from itertools import count

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.study import batches
from sessionkit.study.batches import ORDER, Ahead, in_turn, memory_budget, slices
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
    with pytest.raises(DataError, match=r"replaced.*open it again"):
        sk.score(opened, "sDCG@10", by="system_id")
    assert not sk.score(sk.open_study(tmp_path / "study"), "sDCG@10", by="system_id").equals(before)


@pytest.mark.few(3)
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
        ("sessions", "__queries", "in __queries do not"),
        ("sessions", "__results", "in __results do not"),
        ("queries", "__length", "in __length do not"),
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


@pytest.mark.parametrize(
    ("given", "budget"),
    [
        ("4GB", 4 * 10**9),
        ("500MB", 500 * 10**6),
        ("1.5GiB", 3 * 2**29),
        (" 64 mib ", 64 * 2**20),
        (".5gb", 5 * 10**8),
        ("100000kB", 10**8),
        ("1TiB", 2**40),
        ("50000000", 50_000_000),
        ("60000000B", 60_000_000),
        (3_000_000_000, 3_000_000_000),
        (1e9, 10**9),
    ],
)
def test_sizes(given, budget):
    assert memory_budget(given) == budget


@pytest.mark.parametrize(
    "given", ["", "GB", "4G", "4 bytes", "-1GB", "1e9", "4GBs", "1,5GB", "nan", "inf", True, "½GB"]
)
def test_what_is_no_size_is_refused_with_the_forms_that_are(given):
    with pytest.raises(UsageError, match=r"4GB, 500MB or 1.5GiB, .*, TiB"):
        memory_budget(given)


@pytest.mark.parametrize("given", ["4", 4, "1MB", "49999999"])
def test_too_little_is_refused(given):
    with pytest.raises(UsageError, match="at least 50MB"):
        memory_budget(given)


@pytest.mark.parametrize(
    ("limit", "budget"), [(None, 2_000_000_000), ("max", 2_000_000_000), ("1000000000", 250_000_000)]
)
def test_by_default_a_quarter_of_the_machine_or_of_the_container(monkeypatch, tmp_path, limit, budget):
    # 2,000,000 pages of 4,000 bytes are 8 GB
    pages = {"SC_PHYS_PAGES": 2_000_000, "SC_PAGE_SIZE": 4_000}
    monkeypatch.setattr(batches.os, "sysconf", pages.__getitem__)
    monkeypatch.setattr(batches, "CONTAINER", tmp_path / "memory.max")
    if limit is not None:
        (tmp_path / "memory.max").write_text(f"{limit}\n")
    assert memory_budget() == budget


def test_a_machine_that_does_not_say_is_taken_to_have_4_gb(monkeypatch, tmp_path):
    monkeypatch.delattr(batches.os, "sysconf")
    monkeypatch.setattr(batches, "CONTAINER", tmp_path / "memory.max")
    assert memory_budget() == 1_000_000_000


def threads() -> set[str]:
    """The threads that run."""
    return {thread.name for thread in threading.enumerate() if thread.is_alive()}


def test_the_next_is_made_before_it_is_asked_for():
    made = threading.Event()

    def things():
        yield 1
        made.set()
        yield 2

    coming = Ahead(things())
    assert next(coming) == 1
    assert made.wait(10)
    assert [*coming] == [2]
    assert next(coming, "no more") == "no more"


def test_as_many_are_made_as_was_said():
    made, third = [], threading.Event()

    def things():
        for number in range(9):
            made.append(number)
            if number == 2:
                third.set()
            yield number

    coming = Ahead(things(), 2)
    assert next(coming) == 0
    assert third.wait(10), "two more than were asked for"
    coming.close()
    assert made == [0, 1, 2]
    assert next(coming, "no more") == "no more"


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_closing_waits_for_the_thread_however_many_were_taken(taken):
    before = threads()
    coming = Ahead(iter(count()))
    assert [next(coming) for _ in range(taken)] == [*range(taken)]
    coming.close()
    assert threads() <= before


def test_errors_come_where_the_thing_would_have():
    def things():
        yield 1
        raise ValueError("no second")

    coming = Ahead(things())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="no second"):
        next(coming)
    coming.close()


def test_what_is_made_side_by_side_comes_in_the_order_of_what_it_is_made_of():
    second = threading.Event()

    def make(number: int) -> int:
        if number == 0:
            assert second.wait(10), "the second is made while the first is"
        second.set()
        return number * number

    assert [*in_turn(make, iter(range(6)))] == [0, 1, 4, 9, 16, 25]


def test_no_more_is_taken_than_is_made_at_a_time():
    taken = []

    def things():
        for number in range(9):
            taken.append(number)
            yield number

    made = in_turn(lambda number: number, things(), threads=2)
    assert next(made) == 0
    assert taken == [0, 1, 2]
    made.close()


def test_an_error_in_one_of_several_is_told_and_ends_the_threads():
    before = threads()

    def make(number: int) -> int:
        return 1 // (2 - number)

    made = in_turn(make, iter(count()))
    assert next(made) == 0
    assert next(made) == 1
    with pytest.raises(ZeroDivisionError):
        next(made)
    assert threads() <= before
