"""Files made on the spot, and readings whose accounts are checked."""

import gzip
import warnings

import pyarrow as pa
import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import courses, fields, gathering, large, ranges, read, tables

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


@pytest.fixture
def small(monkeypatch):
    """Treat every log as large and cut it into parts of a few records; return which courses were taken."""

    def small(rows=7):
        monkeypatch.setattr(tables, "is_large", lambda *_: True)
        monkeypatch.setattr(courses, "records_within", lambda *_: rows)
        monkeypatch.setattr(large, "records_streamed", lambda *_: rows)
        monkeypatch.setattr(fields, "PIECE", 100)
        monkeypatch.setattr(ranges, "ROW_GROUP", 5)
        monkeypatch.setattr(ranges, "OPEN", 2)
        monkeypatch.setattr(gathering, "BATCH", 2)
        taken = []
        for course in (courses.Staged, courses.Streamed):
            notice = course.notice
            monkeypatch.setattr(
                course,
                "notice",
                lambda self, notes, notice=notice: (taken.append(type(self).__name__), notice(self, notes))[1],
            )
        return taken

    return small
