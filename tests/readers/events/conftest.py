"""Flat logs that count as large."""

import pytest

from tests.support.batchers import in_line_batches


@pytest.fixture
def large(monkeypatch, in_batches):
    """Treat every log as large from here on, in batches of a few lines, so many bytes of which stay in memory."""

    def large(room=0):
        in_batches(40)
        in_line_batches(monkeypatch, room=room)

    return large
