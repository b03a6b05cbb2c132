"""The benchmarks themselves: the log has what it promises, and every piece of work runs."""

import polars as pl
import pytest

import sessionkit as sk
from tests.benchmarks import logs
from tests.benchmarks.works import WORKS


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = logs.write(tmp_path_factory.mktemp("log"), 300)
    tables = ("results", "queries", "sessions", "judgments")
    read = sk.from_tables(**{name: pl.scan_parquet(folder / f"{name}.parquet") for name in tables})
    return read.save(folder / "study")


def test_the_log_is_clean(study):
    assert study.facts.sessions == 300
    assert (study.facts.repeats_in_lists, study.facts.lists_with_gaps, study.facts.not_logged) == (0, 0, 0)
    assert study.facts.results == 10 * study.facts.queries


@pytest.mark.parametrize("work", WORKS.values(), ids=list(WORKS))
def test_works_run(study, work):
    assert work(study) > 0
