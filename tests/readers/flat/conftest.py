"""Flat logs that count as large."""

import pytest

from sessionkit.readers import records
from sessionkit.readers.flat import bands


@pytest.fixture
def large(monkeypatch, in_parts):
    """Treat every log as large from here on, with bands and parts of a few lines, so many bytes of which stay in memory."""

    def large(room=0):
        in_parts(40)
        monkeypatch.setattr(records, "ENOUGH", 2 * room)
        monkeypatch.setattr(bands, "BAND_BYTES", 500)
        monkeypatch.setattr(bands, "BLOCK", 50)

    return large
