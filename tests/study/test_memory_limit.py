"""A memory budget: what is said, what is refused, what is taken where nothing is said."""

import pytest

from sessionkit.errors import UsageError
from sessionkit.study import batches
from sessionkit.study.batches import memory_budget


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
    with pytest.raises(UsageError, match=r"give a size such as 4GB, 500MB or 1.5GiB, or a number of bytes .*GiB, TiB"):
        memory_budget(given)


@pytest.mark.parametrize("given", ["4", 4, "1MB", "49999999"])
def test_too_little_is_refused(given):
    with pytest.raises(UsageError, match="too little; give at least 50MB"):
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
