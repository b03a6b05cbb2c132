"""One more measure, format, chart, section or command takes few places, and works."""

from pathlib import Path

import pytest

from tests.support.additions import added, answers, copied

PACKAGE = Path(__file__).resolve().parents[1] / "sessionkit"
MOST_PLACES = {"measure": 2, "format": 3, "chart": 3, "section": 3, "command": 3}
"""Files that are new or grow, and lines that name all of the kind; these numbers may only shrink."""


@pytest.fixture(scope="module")
def one_more(tmp_path_factory):
    """Add one of each kind to a copy of the package; return the places of each, and what they do there."""
    folder = tmp_path_factory.mktemp("copy")
    places = added(copied(PACKAGE, folder))
    return places, answers(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("measure", {"values": [0.5, 0.25, 1.0, 1.0], "name": "RRsq", "public": True}),
        ("format", {"rows": [["s", 1, "a"], ["s", 2, "b"], ["t", 1, "c"]]}),
        ("chart", {"status": 0, "drawn": True, "listed": True, "public": True}),
        ("section", {"status": 0, "written": True}),
        ("command", {"status": 0, "printed": "2 sessions\n"}),
    ],
)
def test_one_more_takes_few_places_and_works(one_more, kind, answer):
    places, results = one_more
    assert results[kind] == answer
    assert len(places[kind]) <= MOST_PLACES[kind], places[kind]
