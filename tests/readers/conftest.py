"""Files made on the spot, and readings whose accounts are checked."""

import gzip
import warnings
from functools import partial

import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from sessionkit.errors import DataWarning
from sessionkit.readers.read import read
from tests.support import batchers

HEADER = "session_id,query_position,rank,doc_id\n"


@pytest.fixture
def write(tmp_path):
    """Write a file of text or bytes, packed as its name says; return its path."""

    def write(name, content):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        if name.endswith(".gz"):
            data = gzip.compress(data)
        if name.endswith(".zst"):
            data = pa.Codec("zstd").compress(data).to_pybytes()
        path.write_bytes(data)
        return path

    return write


@pytest.fixture
def quiet_read():
    """Read without warnings and check that every record is accounted for."""

    def quiet_read(*args, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            study = read(*args, **options)
        for source in study.sources:
            assert source.records == (
                source.rows + source.rejected + source.empty_lists + source.merged + source.idle
            ), source
        rows = study.rejected.filter(~pl.col("row_kept")).collect()
        assert rows.height == sum(source.rejected for source in study.sources)
        return study

    return quiet_read


@pytest.fixture
def in_batches(monkeypatch):
    """Treat every log as too large for memory, and cut it into batches of a few records."""

    return partial(batchers.in_batches, monkeypatch)


@pytest.fixture
def same_study():
    """Check that two studies have the same tables, accounts and notes."""

    def same_study(one, other):
        for name in ("users", "sessions", "queries", "results", "judgments", "rejected"):
            assert_frame_equal(one.table(name).collect(), other.table(name).collect(), check_column_order=False)
        assert (one.sources, one.notes, one.facts) == (other.sources, other.notes, other.facts)

    return same_study


@pytest.fixture
def rejects():
    """Return (record, line, rule, value, raw) of what a study rejected."""

    def rejects(study):
        return study.rejected.collect().select("record", "line", "rule", "value", "raw").rows()

    return rejects


@pytest.fixture
def judged(write, quiet_read):
    """Read a file of judgments beside a log whose queries are "lamp" and "desk lamp"; return the study."""

    def judged(name, content, **options):
        log = write("log.csv", "session_id,query_position,rank,doc_id,query_text\ns,1,1,A,lamp\ns,2,1,B,desk lamp\n")
        return quiet_read(log, judgments=write(name, content), **options)

    return judged


@pytest.fixture
def accounts():
    """Return what became of the records of judgments: by kind rows, merged, idle, rejected."""

    def accounts(study):
        judgments = [source for source in study.sources if source.table == "judgments"]
        return {one.kind: (one.rows, one.merged, one.idle, one.rejected) for one in judgments}

    return accounts
