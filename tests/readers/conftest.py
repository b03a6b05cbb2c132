"""Files made on the spot, and readings whose accounts are checked."""

import gzip
import warnings

import pyarrow as pa
import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import read

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
            assert source.records == source.rows + source.rejected + source.empty_lists, source
        assert study.rejected.collect().height == sum(source.rejected for source in study.sources)
        return study

    return quiet_read


@pytest.fixture
def rejects():
    """Return (record, line, rule, value, raw) of what a study rejected."""

    def rejects(study):
        return study.rejected.collect().select("record", "line", "rule", "value", "raw").rows()

    return rejects
