"""Flat logs that count as large."""

import pytest

from sessionkit.readers import records
from sessionkit.readers.flat import flat_log


@pytest.fixture
def large(monkeypatch, in_batches):
    """Treat every log as large from here on, in batches of a few lines, so many bytes of which stay in memory."""

    def large(room=0):
        in_batches(40)
        monkeypatch.setattr(records, "ENOUGH", 2 * room)
        monkeypatch.setattr(flat_log, "BATCH_BYTES", 500)
        monkeypatch.setattr(flat_log, "BLOCK", 50)

    return large
